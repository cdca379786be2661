/* The lines of a kernel with the emulator's counts, a row each, hottest first. */
#include <inttypes.h>

#include "report/csv_parts.h"

void smc_csv_annotation_head(struct smc_text *out)
{
    smc_text_append(out, "kernel,file,line");
#define COUNT(key, value) smc_text_append(out, "," #key);
#include "report/annotation.def"
#undef COUNT
    smc_text_append(out, ",source\n");
}

void smc_csv_annotation(const char *kernel, const struct smc_annotation *annotation,
                        struct smc_text *out)
{
    for (size_t i = 0; i < annotation->hottest_count; i++) {
        const struct smc_annotated_line *line = annotation->hottest[i];
        smc_csv_field(out, kernel);
        smc_text_append(out, ",");
        smc_csv_field(out, line->file ? line->file : "");
        smc_text_append(out, ",");
        if (line->file)
            smc_text_printf(out, "%" PRIu32, line->line);
#define COUNT(key, value) smc_text_printf(out, ",%" PRIu64, (uint64_t)(value));
#include "report/annotation.def"
#undef COUNT
        smc_text_append(out, ",");
        smc_csv_field(out, line->text ? line->text : "");
        smc_text_append(out, "\n");
    }
}
