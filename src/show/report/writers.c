/* The writers of text and CSV, whose tables are all they have, and the writers by name. */
#include <string.h>

#include "show/report/csv_parts.h"
#include "show/report/report.h"
#include "show/report/text_parts.h"

#define WRITER(kind, list, parameters, arguments)                                                  \
    static void csv_##kind(SMC_WRITER_LIST parameters, const struct smc_report_style *style,       \
                           struct smc_text *out)                                                   \
    {                                                                                              \
        (void)style;                                                                               \
        smc_csv_##kind(SMC_WRITER_LIST arguments, out);                                            \
    }
#include "show/report/writers.def"

const struct smc_writer smc_writer_csv = {
    .name = "csv",
    .is_by_line = true,
#define WRITER(kind, list, parameters, arguments) .kind = csv_##kind,
#include "show/report/writers.def"
    .inspection = smc_csv_inspection,
    .trace = smc_csv_trace,
    .kernels = smc_csv_kernels,
    .sweep_begin = smc_csv_sweep_begin,
    .sweep_point = smc_csv_sweep_point,
    .sweep_end = smc_csv_sweep_end,
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
#define WRITER(kind, list, parameters, arguments) .kind = smc_text_##kind,
#include "show/report/writers.def"
    .inspection = smc_text_inspection,
    .trace = smc_text_trace,
    .kernels = smc_text_kernels,
    .sweep_begin = begin_sweep,
    .sweep_point = pass_sweep_point,
    .sweep_end = smc_text_sweep,
    .sweep_needs_points = true,
};

const struct smc_writer *smc_writer_find(const char *name)
{
    static const struct smc_writer *const writers[] = {
        &smc_writer_text,
        &smc_writer_json,
        &smc_writer_lines,
        &smc_writer_csv,
    };
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++)
        if (strcmp(writers[i]->name, name) == 0)
            return writers[i];
    return NULL;
}
