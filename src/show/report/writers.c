/* The writers of text and CSV, whose tables are all they have, and the writers by name. */
#include <string.h>

#include "show/report/writers.h"

const struct smc_writer smc_writer_csv = {
    .name = "csv",
    .is_by_line = true,
#define WRITER(kind, list, parameters, arguments) .kind = smc_csv_##kind,
#include "show/report/writers.def"
    .inspection = smc_csv_inspection,
    .trace = smc_csv_trace,
    .kernels = smc_csv_kernels,
    .sweep_begin = smc_csv_sweep_begin,
    .sweep_point = smc_csv_sweep_point,
};

const struct smc_writer smc_writer_text = {
    .name = "text",
#define WRITER(kind, list, parameters, arguments) .kind = smc_text_##kind,
#include "show/report/writers.def"
    .inspection = smc_text_inspection,
    .trace = smc_text_trace,
    .kernels = smc_text_kernels,
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
