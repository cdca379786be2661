/* The text report: its table of functions. */
#include <string.h>

#include "report/layout.h"
#include "report/text_parts.h"

void smc_text_join_items(struct smc_text *items)
{
    struct smc_text line = {.failed = items->failed};
    for (const char *at = smc_text_string(items); *at; at++)
        if (*at == '\n')
            smc_text_append(&line, "; ");
        else
            smc_text_append_char(&line, *at, 1);
    smc_text_free(items);
    *items = line;
}

static void begin_sweep(const struct smc_sweep *sweep, struct smc_text *out)
{
    (void)sweep;
    (void)out;
}

/* A table needs its widest value first. */
static void pass_sweep_point(const struct smc_sweep *sweep, uint64_t point,
                             const struct smc_answer *answer, const char *why, struct smc_text *out)
{
    (void)sweep;
    (void)point;
    (void)answer;
    (void)why;
    (void)out;
}

const struct smc_writer smc_writer_text = {
    .name = "text",
    .answers = smc_text_answers,
    .runs = smc_text_runs,
    .series = smc_text_series,
    .all_gpus = smc_text_all_gpus,
    .merge = smc_text_merge,
    .own = smc_text_user,
    .devices = smc_text_devices,
    .calibration = smc_text_calibration,
    .headroom = smc_text_headroom,
    .carveouts = smc_text_carveouts,
    .best = smc_text_best,
    .best_of_kernels = smc_text_best_of_kernels,
    .inspection = smc_text_inspection,
    .promises = smc_text_promises,
    .diff = smc_text_diff,
    .tune = smc_text_tune,
    .trace = smc_text_trace,
    .kernels = smc_text_kernels,
    .doctor = smc_text_doctor,
    .sweep_begin = begin_sweep,
    .sweep_point = pass_sweep_point,
    .sweep_end = smc_text_sweep,
    .sweep_needs_points = true,
    .banks = smc_text_banks,
    .kernel_banks = smc_text_kernel_banks,
};
