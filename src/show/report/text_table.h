/* A table of text: the heading, width and alignment of a column stand in one place, and every row
   is appended cell by cell. */
#ifndef SMC_SHOW_TEXT_TABLE_H
#define SMC_SHOW_TEXT_TABLE_H

#include "base/text.h"

/* An array of columns ends with one whose heading is NULL. */
struct smc_text_column {
    const char *heading;
    int gap;      /* blanks before it */
    int width;    /* negative: aligned to the left, longer text is cut; 0: as long as its text */
    bool omitted; /* neither its heading nor its cells are appended */
};

/* The cells of a row: the columns that still lack one, and where the next is appended. */
struct smc_cells {
    const struct smc_text_column *column;
    struct smc_text *out;
};

/* Appends the next cell; what is aligned to the right, such as numbers, is never cut. For an empty
   text in a column without a width nothing, not even the gap. */
void smc_cells_add(struct smc_cells *cells, const char *text);
void smc_cells_printf(struct smc_cells *cells, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Frees the text. */
void smc_cells_text(struct smc_cells *cells, struct smc_text *text);

/* A line of the headings of those columns that lack a cell. */
void smc_cells_headings(struct smc_cells cells);

/* Makes the column, which is aligned to the left, as wide as the text. */
void smc_column_widen(struct smc_text_column *column, const char *text);

/* Of all columns that are not omitted, with their gaps. */
int smc_columns_width(const struct smc_text_column *columns);

#endif
