/* Launches and times a kernel of the catalog on GPU 0. */
#include "gpu_bench.h"

#include <stdio.h>

#include "base/numbers.h"

static enum smc_status load(const struct smc_kernel *kernel, const struct smc_device *device,
                            struct bench_kernel *bench, struct smc_error *error)
{
    struct smc_binary binary = {0};
    struct smc_text warnings = {0};
    struct smc_attempt loaded = {0}, opt_in = {0};
    struct smc_compile_options options = {.no_cache = true, .kernel_dir = bench->kernel_dir};
    struct smc_launch launch = {
        .threads_per_block = bench->plan.threads_per_block,
        .dynamic_smem_bytes = bench->dynamic_smem_bytes,
        .carveout_percent = SMC_CARVEOUT_DEFAULT,
    };
    enum smc_status status =
        smc_compile(&(struct smc_compile_request){kernel, &bench->params, device->sm.cc, &options},
                    &bench->resources, &binary, &warnings, error);
    if (status == SMC_OK && !smc_gpu_load(&binary, kernel->entry, &bench->kernel, &loaded))
        status = smc_fail(error, SMC_MACHINE, "loading %s: %s", kernel->entry, loaded.message);
    if (status == SMC_OK)
        status = smc_gpu_configure(&bench->kernel, &launch, &opt_in, error);
    if (status == SMC_OK && opt_in.made && !opt_in.succeeded)
        status = smc_fail(error, SMC_MACHINE, "%u bytes of shared memory: %s",
                          bench->dynamic_smem_bytes, opt_in.message);
    smc_text_free(&warnings);
    smc_binary_free(&binary);
    return status;
}

int bench_use_gpu(struct smc_device *device)
{
    struct smc_error error = {""};
    if (smc_gpu_device_count(&error) == 0) {
        printf("skipped: %s\n", error.message);
        return 77;
    }
    if (smc_gpu_device(0, device, &error) != SMC_OK || smc_gpu_use(0, &error) != SMC_OK) {
        printf("%s\n", error.message);
        return 4;
    }
    return 0;
}

enum smc_status bench_open(const struct smc_kernel *kernel, const struct smc_params *params,
                           const struct smc_device *device, struct bench_kernel *bench,
                           struct smc_error *error)
{
    bench->params = *params;
    enum smc_status status = kernel->complete(kernel, &bench->params, error);
    if (status != SMC_OK)
        return status;
    kernel->plan(kernel, &bench->params, &bench->plan);
    bench->dynamic_smem_bytes = (uint32_t)bench->plan.dynamic_smem_bytes;
    status = load(kernel, device, bench, error);
    if (status == SMC_OK)
        status = smc_gpu_buffers_create(&bench->plan, 1, &bench->buffers, error);
    if (status != SMC_OK)
        return status;
    cudaError_t code = smc_gpu_stopwatch_create(&bench->watch);
    return code == cudaSuccess ? SMC_OK : smc_gpu_fail(error, code, "an event");
}

void bench_close(struct bench_kernel *bench)
{
    smc_gpu_stopwatch_destroy(&bench->watch);
    smc_gpu_buffers_free(&bench->buffers);
    smc_gpu_unload(&bench->kernel);
}

cudaError_t bench_launch(struct bench_kernel *bench)
{
    return smc_gpu_launch(&bench->kernel, &bench->plan, bench->dynamic_smem_bytes, &bench->buffers);
}

cudaError_t bench_wait(cudaError_t code)
{
    cudaError_t waited = cudaDeviceSynchronize();
    return code == cudaSuccess ? waited : code;
}

cudaError_t bench_time(struct bench_kernel *bench, cudaError_t (*work)(void *context),
                       void *context, double *ms)
{
    cudaError_t code = smc_gpu_stopwatch_start(&bench->watch);
    if (code == cudaSuccess)
        code = work(context);
    code = bench_wait(smc_gpu_stopwatch_stop(&bench->watch, code));
    return smc_gpu_stopwatch_read(&bench->watch, code, ms);
}

double bench_median(double ms[BENCH_ROUNDS])
{
    smc_numbers_sort(ms, BENCH_ROUNDS);
    return smc_numbers_median(ms, BENCH_ROUNDS);
}

int bench_write_figures(const char *name, json_t *figures, const char *path)
{
    json_t *all = json_pack("{so}", name, figures);
    bool failed = path && json_dump_file(all, path, JSON_INDENT(1)) != 0;
    if (failed)
        printf("%s: cannot be written\n", path);
    json_decref(all);
    return failed ? 4 : 0;
}
