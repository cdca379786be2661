/* The writers of text and CSV, whose tables are all they have, and the writers by name. */
#include <string.h>

#include "show/report/csv_parts.h"
#include "show/report/report.h"
#include "show/report/text_parts.h"

const struct smc_writer smc_writer_csv = {
    .name = "csv",
    .answers = smc_csv_answers,
    .runs = smc_csv_runs,
    .series = smc_csv_series,
    .all_gpus = smc_csv_all_gpus,
    .merge = smc_csv_merge,
    .own = smc_csv_user,
    .devices = smc_csv_devices,
    .calibration = smc_csv_calibration,
    .headroom = smc_csv_headroom,
    .carveouts = smc_csv_carveouts,
    .best = smc_csv_best,
    .best_of_kernels = smc_csv_best_of_kernels,
    .inspection = smc_csv_inspection,
    .promises = smc_csv_promises,
    .diff = smc_csv_diff,
    .tune = smc_csv_tune,
    .trace = smc_csv_trace,
    .kernels = smc_csv_kernels,
    .doctor = smc_csv_doctor,
    .sweep_begin = smc_csv_sweep_begin,
    .sweep_point = smc_csv_sweep_point,
    .sweep_end = smc_csv_sweep_end,
    .banks = smc_csv_banks,
    .kernel_banks = smc_csv_kernel_banks,
};

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

const struct smc_writer *smc_writer_find(const char *name)
{
    static const struct smc_writer *const writers[] = {
        &smc_writer_text,
        &smc_writer_json,
        &smc_writer_csv,
    };
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++)
        if (strcmp(writers[i]->name, name) == 0)
            return writers[i];
    return NULL;
}
