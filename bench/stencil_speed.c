/* Compares stencil-window with the driver's copy of the same number of bytes, on GPU 0: medians of
   launches after a warm-up, alternating. A copy reads and writes each byte once, and so should the
   kernel, at any radius.

     stencil_speed [--json FILE] [LENGTH [BLOCK [FOLDER [RADIUS...]]]]
       LENGTH   elements; 2^28 if not given, far more than any cache holds
       BLOCK    threads; 512 for 0 or none
       FOLDER   of an edited stencil_window.cu; "" or none: the built-in text

   Exit status: 0 measured; 1 a wrong result; 4 the GPU failed, or FILE cannot be
   written; 77 no GPU. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu_bench.h"
#include "hardware/fleet/check.h"

enum { BAR_PERCENT = 97, BLOCK = 512, INPUT = 0, OUTPUT };

struct contest {
    struct bench_kernel bench;
    size_t copied_bytes;
};

static cudaError_t sum(void *contest)
{
    return bench_launch(&((struct contest *)contest)->bench);
}

/* Copies the input over the output. */
static cudaError_t copy(void *context)
{
    const struct contest *contest = context;
    void *const *device = contest->bench.buffers.device;
    return cudaMemcpyAsync(device[OUTPUT], device[INPUT], contest->copied_bytes,
                           cudaMemcpyDeviceToDevice, NULL);
}

static cudaError_t race(struct contest *contest, double *percent, json_t *figures)
{
    const struct smc_gpu_buffers *buffers = &contest->bench.buffers;
    double ours[BENCH_ROUNDS], copies[BENCH_ROUNDS];
    cudaError_t code = cudaSuccess;
    for (int round = -BENCH_WARM_UPS; round < BENCH_ROUNDS && code == cudaSuccess; round++) {
        int at = round < 0 ? 0 : round;
        code = bench_time(&contest->bench, copy, contest, &copies[at]);
        if (code == cudaSuccess)
            code = bench_time(&contest->bench, sum, contest, &ours[at]);
    }
    if (code != cudaSuccess)
        return code;
    double bytes = (double)buffers->bytes[INPUT] + (double)buffers->bytes[OUTPUT];
    double mine = bytes / bench_median(ours) / 1e6;
    double copied = 2.0 * (double)contest->copied_bytes / bench_median(copies) / 1e6;
    *percent = 100 * mine / copied;
    printf("%8.1f (%.1f to %.1f)   %8.1f (%.1f to %.1f)   %5.1f %%", mine,
           bytes / ours[BENCH_ROUNDS - 1] / 1e6, bytes / ours[0] / 1e6, copied,
           2.0 * (double)contest->copied_bytes / copies[BENCH_ROUNDS - 1] / 1e6,
           2.0 * (double)contest->copied_bytes / copies[0] / 1e6, *percent);
    const int64_t *value = contest->bench.params.value;
    json_array_append_new(figures, json_pack("{sI sI sf sf sf}", "radius",
                                             (json_int_t)value[SMC_PARAM_RADIUS], "block",
                                             (json_int_t)value[SMC_PARAM_BLOCK], "gb_per_s", mine,
                                             "copy_gb_per_s", copied, "percent", *percent));
    return code;
}

/* Checks the result of the last launch, which was the kernel's. */
static cudaError_t check(struct contest *contest, const struct smc_kernel *kernel, uint64_t *wrong)
{
    struct smc_gpu_buffers *buffers = &contest->bench.buffers;
    struct smc_comparison comparison = {0};
    const void *host[SMC_MAX_BUFFERS] = {buffers->host[INPUT], buffers->host[OUTPUT]};
    cudaError_t code = cudaMemcpy(buffers->host[OUTPUT], buffers->device[OUTPUT],
                                  buffers->bytes[OUTPUT], cudaMemcpyDeviceToHost);
    const struct smc_verify_request request = {
        .kernel = kernel,
        .params = &contest->bench.params,
        .plan = &contest->bench.plan,
        .buffers = host,
        .budget_ms = 20000,
    };
    if (code == cudaSuccess)
        smc_verify(&request, &comparison);
    *wrong = comparison.wrong;
    return code;
}

struct wish {
    int64_t length, block;
    const char *kernel_dir;
    json_t *figures; /* a list with one entry for each radius */
};

/* Returns the exit status. */
static int measure(int64_t radius, const struct wish *wish, const struct smc_device *device)
{
    const struct smc_kernel *kernel = smc_kernel_find("stencil-window");
    struct contest contest = {.bench.kernel_dir = wish->kernel_dir};
    struct smc_params params;
    struct smc_error error = {""};
    double percent = 0;
    uint64_t wrong = 0;
    smc_params_init(kernel, &params);
    params.value[SMC_PARAM_RADIUS] = radius;
    params.value[SMC_PARAM_LENGTH] = wish->length;
    params.value[SMC_PARAM_BLOCK] = wish->block ? wish->block : BLOCK;
    enum smc_status status = bench_open(kernel, &params, device, &contest.bench, &error);
    contest.copied_bytes = contest.bench.buffers.bytes[OUTPUT];
    printf("%6lld %5lld   ", (long long)radius, (long long)params.value[SMC_PARAM_BLOCK]);
    if (status == SMC_OK) {
        cudaError_t code = race(&contest, &percent, wish->figures);
        if (code == cudaSuccess)
            code = check(&contest, kernel, &wrong);
        if (code != cudaSuccess)
            status = smc_gpu_fail(&error, code, "the measurement");
    }
    bench_close(&contest.bench);
    printf("%s%s\n", status == SMC_OK ? percent >= BAR_PERCENT ? "  met" : "  missed" : "",
           wrong ? ", WRONG" : error.message);
    fflush(stdout);
    return status != SMC_OK ? 4 : wrong ? 1 : 0;
}

int main(int argc, char **argv)
{
    static const int64_t radii[] = {1, 3, 16, 128, 1025, 6000};
    struct smc_device device;
    const char *json = NULL;
    if (argc > 2 && strcmp(argv[1], "--json") == 0) {
        json = argv[2];
        argc -= 2;
        argv += 2;
    }
    int worst = 0, unusable = bench_use_gpu(&device);
    if (unusable)
        return unusable;
    const struct wish wish = {
        .length = argc > 1 ? strtoll(argv[1], NULL, 10) : INT64_C(1) << 28,
        .block = argc > 2 ? strtoll(argv[2], NULL, 10) : 0,
        .kernel_dir = argc > 3 && *argv[3] ? argv[3] : NULL,
        .figures = json_array(),
    };
    printf("%s, %lld elements; GB/s read and written; the bar is %d %% of the copy's\n",
           device.name, (long long)wish.length, BAR_PERCENT);
    printf("radius block   stencil-window                 copy\n");
    size_t count = argc > 4 ? (size_t)argc - 4 : sizeof radii / sizeof *radii;
    for (size_t i = 0; i < count; i++) {
        int code = measure(argc > 4 ? strtoll(argv[4 + i], NULL, 10) : radii[i], &wish, &device);
        worst = code > worst ? code : worst;
    }
    int written = bench_write_figures("stencil", wish.figures, json);
    return written > worst ? written : worst;
}
