/* A table of text, cell by cell. */
#include "show/report/text_table.h"

#include <stdio.h>
#include <stdlib.h>

void smc_cells_add(struct smc_cells *cells, const char *text)
{
    const struct smc_text_column *column = cells->column++;
    if (column->omitted || (column->width == 0 && !*text))
        return;
    smc_text_append_char(cells->out, ' ', (size_t)column->gap);
    if (column->width < 0) {
        smc_text_cell(cells->out, text, column->width);
        return;
    }
    const int blanks = column->width - smc_utf8_string_columns(text);
    smc_text_append_char(cells->out, ' ', blanks > 0 ? (size_t)blanks : 0);
    smc_text_append(cells->out, text);
}

void smc_cells_printf(struct smc_cells *cells, const char *format, ...)
{
    enum { MOST_CHARS = 64 }; /* of a number with its unit */
    char text[MOST_CHARS];
    SMC_PRINT_TO(text, format);
    smc_cells_add(cells, text);
}

void smc_cells_text(struct smc_cells *cells, struct smc_text *text)
{
    smc_cells_add(cells, smc_text_string(text));
    smc_text_free(text);
}

void smc_cells_headings(struct smc_cells cells)
{
    for (const struct smc_text_column *column = cells.column; column->heading; column++)
        if (!column->omitted)
            smc_text_printf(cells.out, "%*s%*s", column->gap, "", column->width, column->heading);
    smc_text_append_char(cells.out, '\n', 1);
}

void smc_column_widen(struct smc_text_column *column, const char *text)
{
    const int width = smc_utf8_string_columns(text);
    if (width > -column->width)
        column->width = -width;
}

int smc_columns_width(const struct smc_text_column *columns)
{
    int width = 0;
    for (; columns->heading; columns++)
        width += columns->omitted ? 0 : columns->gap + abs(columns->width);
    return width;
}
