/* Maintainer's program: writes what smemcalc check compares with to standard output, computed by
   the emulator: update_health lanes, for data/health_lanes.csv, or update_health results, for
   data/health_results.csv. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "hardware/fleet/health.h"
#include "health_emulated.h"

/* The launches whose results are compared. Each covers the SMs of an H200, and together they use
   tiles, registers, asynchronous copies, swizzled and dynamic shared memory. */
static const struct {
    const char *kernel, *options;
} cases[] = {
    {"matmul-tiled", "tile=16 m=256 n=256 k=64"},
    {"matmul-tiled", "tile=16 dtype=double m=192 n=208 k=48"},
    {"matmul-register", "m=256 n=384 k=64"},
    {"matmul-async", "tile=16 m=240 n=256 k=64"},
    {"aat-swizzled", "tile=16 m=256 k=64"},
    {"stencil-window", "radius=7 length=300000"},
    {"stencil-dynamic", "radius=20 length=100000"},
    {"reverse-dynamic", "block=512"},
};

static enum smc_status print_lanes(struct smc_error *error)
{
    struct smc_health_seen seen;
    const struct smc_health_injection nothing = {.unit = SMC_INJECT_NOTHING};
    uint32_t *chains = smc_malloc(SMC_HEALTH_EMULATED_BYTES);
    if (!chains)
        return smc_out_of_memory(error);
    enum smc_status status = smc_health_emulate_sms(90, 1, 1024, &nothing, &seen, chains, error);
    if (status == SMC_OK)
        printf("lane,integer,fp32,fp64,half,special,exchange,matrix\n");
    for (unsigned lane = 0; lane < SMC_HEALTH_LANES && status == SMC_OK; lane++) {
        printf("%u", lane);
        for (int unit = 0; unit < SMC_UNITS; unit++)
            printf(",0x%08" PRIx32, chains[lane * SMC_HEALTH_VALUES + (unsigned)unit]);
        printf("\n");
    }
    free(chains);
    return status;
}

static enum smc_status print_results(struct smc_error *error)
{
    printf("kernel,options,hash\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t hash = 0;
        enum smc_status status =
            smc_health_emulate_case(cases[i].kernel, cases[i].options, 90, &hash, error);
        if (status != SMC_OK)
            return status;
        printf("%s,%s,0x%016" PRIx64 "\n", cases[i].kernel, cases[i].options, hash);
    }
    return SMC_OK;
}

static int complain(const char *message)
{
    fprintf(stderr, "update_health: %s\n", message);
    return 1;
}

int main(int argc, char **argv)
{
    struct smc_error error = {""};
    enum smc_status status;
    if (argc == 2 && strcmp(argv[1], "lanes") == 0)
        status = print_lanes(&error);
    else if (argc == 2 && strcmp(argv[1], "results") == 0)
        status = print_results(&error);
    else
        return complain("usage: update_health lanes|results");
    if (status != SMC_OK)
        return complain(error.message);
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : complain(strerror(errno));
}
