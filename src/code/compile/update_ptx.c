/* Maintainer's program: writes data/ptx.txt to standard output, compiled by the NVRTC named; with a
   number N only every Nth entry, for a test. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/parse.h"
#include "code/compile.h"
#include "code/compile/build.h"
#include "code/nvrtc.h"
#include "rules/catalog.h"

enum { COMPUTE_CAPABILITY = 80, WITH_CLUSTERS = 90, LARGEST_TILE = 32 };

static int64_t met, step = 1;

/* Each entry is a header line, the PTX, and a line with a single dot. */
static enum smc_status print_one(const struct smc_kernel *kernel, const struct smc_params *params,
                                 const struct smc_nvrtc_place *place, struct smc_error *error)
{
    struct smc_cache none = {.usable = false};
    smc_auto_text defines = {0}, joined = {0}, ptx = {0};
    SMC_AUTO(smc_source_free) struct smc_source source = {0};
    SMC_AUTO(smc_binary_free) struct smc_binary binary = {0};
    const uint16_t cc = kernel->has_clusters ? WITH_CLUSTERS : COMPUTE_CAPABILITY;
    struct smc_resources resources = {0};
    if (met++ % step != 0)
        return SMC_OK;
    SMC_TRY(smc_source_load(kernel, NULL, &source, error));
    kernel->defines(kernel, params, &defines);
    struct smc_build build = {
        .kernel = kernel,
        .source = &source,
        .defines = smc_text_string(&defines),
        .place = place,
        .cc = cc,
    };
    SMC_TRY(smc_build_run(&build, &none, &resources, &binary, error));
    if (!binary.ptx)
        return smc_fail(error, SMC_MACHINE, "kernel %s: this NVRTC gave no PTX", kernel->name);
    smc_join_defines(build.defines, &joined);
    smc_ptx_shorten(binary.ptx, &ptx);
    if (defines.failed || joined.failed || ptx.failed)
        return smc_out_of_memory(error);
    printf("%s,%s,%d,%d,%d,0x%016" PRIx64 "\n%s.\n", kernel->name, smc_text_string(&joined),
           place->info.major, place->info.minor, cc, smc_source_hash(&source),
           smc_text_string(&ptx));
    return SMC_OK;
}

static enum smc_status print_kernel(const struct smc_kernel *kernel,
                                    const struct smc_nvrtc_place *place, struct smc_error *error)
{
    struct smc_params params;
    bool is_tiled = kernel->params & 1u << SMC_PARAM_TILE;
    for (int64_t tile = 1; tile <= (is_tiled ? LARGEST_TILE : 1); tile++) {
        smc_params_init(kernel, &params);
        if (is_tiled)
            params.value[SMC_PARAM_TILE] = tile;
        if (kernel->complete(kernel, &params, error) == SMC_OK)
            SMC_TRY(print_one(kernel, &params, place, error));
    }
    return SMC_OK;
}

static int update_ptx_complain(const char *message)
{
    fprintf(stderr, "update_ptx: %s\n", message);
    return 1;
}

int main(int argc, char **argv)
{
    struct smc_nvrtc nvrtc;
    struct smc_nvrtc_place place = {0};
    struct smc_error error = {""};
    if (argc < 2 || argc > 3 || (argc == 3 && !smc_parse_integer(argv[2], 1, INT32_MAX, &step)))
        return update_ptx_complain("usage: update_ptx LIBNVRTC [N]");
    if (smc_nvrtc_open(argv[1], &nvrtc, &place.info, &error) != SMC_OK)
        return update_ptx_complain(error.message);
    for (size_t i = 0; i < smc_kernel_count(); i++)
        if (print_kernel(smc_kernel_at(i), &place, &error) != SMC_OK)
            return update_ptx_complain(error.message);
    for (size_t i = 0; i < SMC_HELPER_KERNELS; i++) {
        const struct smc_params none = {0};
        if (print_one(smc_helper_kernels[i], &none, &place, &error) != SMC_OK)
            return update_ptx_complain(error.message);
    }
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : update_ptx_complain(strerror(errno));
}
