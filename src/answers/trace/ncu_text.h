/* The tables that Nsight Compute prints without --csv, as rows of its page details in CSV. */
#ifndef SMC_ANSWERS_NCU_TEXT_H
#define SMC_ANSWERS_NCU_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/text.h"

enum { SMC_NCU_TEXT_COLUMNS = 3, SMC_NCU_TEXT_LINE = 1 << 16 };

/* Start from {.stream = ...}, at its beginning. */
struct smc_ncu_text {
    FILE *stream;
    bool has_header, in_table, has_rows;
    unsigned long long launches;
    size_t column_count, column_begin[SMC_NCU_TEXT_COLUMNS], column_end[SMC_NCU_TEXT_COLUMNS];
    struct smc_text kernel, shape, process, device; /* as fields of CSV */
    struct smc_text out;                            /* not yet returned */
    size_t returned;
    char line[SMC_NCU_TEXT_LINE];
};

/* Whether a line begins a launch: "  NAME (1, 1, 1)x(32, 1, 1), Context 1, Stream 7, ...". */
bool smc_ncu_text_is_launch(const char *line);

/* The next bytes of the CSV, which has the line N + 1 for the text's line N after its header.
   False: out of memory. */
bool smc_ncu_text_read(struct smc_ncu_text *text, char *bytes, size_t capacity, size_t *count);

void smc_ncu_text_free(struct smc_ncu_text *text);

#endif
