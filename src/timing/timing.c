/* Predicts the time of a launch. */
#include "timing/timing.h"

#include <string.h>

#include "compile/cubin.h"
#include "machine/launch.h"

const struct smc_time_term_info smc_time_term_info[SMC_TIME_TERM_COUNT] = {
#define TERM(id, key, label, relief) {#key, label, relief},
#include "timing/terms.def"
#undef TERM
};

const char *smc_time_basis_name(enum smc_time_basis basis)
{
    static const char *const names[] = {NULL, "table", "calibrated", "specifications"};
    return names[basis];
}

enum smc_status smc_time_predict(const struct smc_time_launch *launch, struct smc_time *time,
                                 struct smc_error *error)
{
    (void)error;
    *time = (struct smc_time){0};
    const struct smc_ceilings *c = launch->ceilings;
    if (!c || c->source == SMC_CEILINGS_UNKNOWN)
        return SMC_OK;
    double blocks = (double)launch->grid[0] * launch->grid[1] * launch->grid[2];
    time->basis = SMC_TIME_TABLE;
    for (int i = 0; i < SMC_TIME_TERM_COUNT; i++)
        time->term_ms[i] = 1e-6 * blocks * (i + 1);
    time->term_ms[SMC_TIME_LAUNCH] = c->value[SMC_CEILING_LAUNCH] * 1e-3;
    time->bound_by = SMC_TIME_LATENCY;
    time->next = SMC_TIME_DRAM;
    time->predicted_ms = time->term_ms[SMC_TIME_LATENCY] + time->term_ms[SMC_TIME_LAUNCH];
    time->low_ms = 0.9 * time->predicted_ms;
    time->high_ms = 1.1 * time->predicted_ms;
    time->instructions = blocks * 1000;
    time->fma_flops = blocks * 20000;
    time->shared_wavefronts = blocks * 300;
    time->l1_sectors = blocks * 500;
    time->l2_sectors = blocks * 300;
    time->dram_bytes = blocks * 1000;
    strcpy(time->code, "sm_90 machine code");
    return SMC_OK;
}
