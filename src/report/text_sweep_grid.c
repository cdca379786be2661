/* A sweep over two axes as a grid: in each cell the occupancy in percent, the letter of what limits
   and a star where nothing is better. Neighbouring rows that are alike are joined, and a grid that
   is too wide is cut into bands. */
#include <inttypes.h>
#include <string.h>

#include "report/layout.h"
#include "report/text_parts.h"
#include "report/words.h"

enum { CELL = 6, LABEL_MOST = 26 };

/* Which axis goes down: devices, for their long names, else the one with more values. */
struct grid {
    const struct smc_sweep_result *result;
    size_t down, across;
    uint64_t rows, columns;
    double best;
    int label_width;
};

static const struct smc_sweep_point *point_at(const struct grid *grid, uint64_t row,
                                              uint64_t column)
{
    uint64_t slow = grid->down == 0 ? row : column;
    uint64_t fast = grid->down == 0 ? column : row;
    uint64_t width = grid->down == 0 ? grid->columns : grid->rows;
    return &grid->result->point[slow * width + fast];
}

static void append_value(const struct grid *grid, size_t axis, uint64_t position, int width,
                         struct smc_text *out)
{
    struct smc_text label = {0};
    smc_sweep_label(grid->result->sweep, axis, position, &label);
    smc_text_printf(out, "%*.*s", width, width < 0 ? -width : width, smc_text_string(&label));
    smc_text_free(&label);
}

static bool same_cell(const struct smc_sweep_point *a, const struct smc_sweep_point *b)
{
    return a->state == b->state && a->percent == b->percent &&
           (a->state != SMC_POINT_LAUNCHES ||
            smc_words_first_limiter(a->limiters) == smc_words_first_limiter(b->limiters));
}

static bool same_rows(const struct grid *grid, uint64_t row, uint64_t other)
{
    for (uint64_t c = 0; c < grid->columns; c++)
        if (!same_cell(point_at(grid, row, c), point_at(grid, other, c)))
            return false;
    return true;
}

/* The last row that is like `row` and all between. Devices stand for themselves. */
static uint64_t last_alike(const struct grid *grid, uint64_t row)
{
    uint64_t last = row;
    if (grid->result->sweep->axis[grid->down].id == SMC_AXIS_DEVICE)
        return row;
    while (last + 1 < grid->rows && same_rows(grid, row, last + 1))
        last++;
    return last;
}

static void append_cell(const struct grid *grid, const struct smc_sweep_point *point,
                        struct smc_text *out)
{
    switch (point->state) {
    case SMC_POINT_LAUNCHES:
        smc_text_printf(out, " %3d%c%c", (int)(point->percent + 0.5),
                        smc_words_limit_letter(smc_words_first_limiter(point->limiters)),
                        point->percent >= grid->best ? '*' : ' ');
        return;
    case SMC_POINT_REFUSED:
        smc_text_append(out, "   -  ");
        return;
    case SMC_POINT_NO_ANSWER:
        smc_text_append(out, "   x  ");
        return;
    case SMC_POINT_UNASKED:
        smc_text_append_char(out, ' ', CELL);
        return;
    }
}

static void end_line(struct smc_text *out)
{
    while (out->length && out->data[out->length - 1] == ' ')
        out->data[--out->length] = '\0';
    smc_text_append(out, "\n");
}

static void append_row_label(const struct grid *grid, uint64_t first, uint64_t last,
                             struct smc_text *out)
{
    struct smc_text label = {0};
    bool device = grid->result->sweep->axis[grid->down].id == SMC_AXIS_DEVICE;
    smc_sweep_label(grid->result->sweep, grid->down, first, &label);
    if (last > first) {
        smc_text_append(&label, "-");
        smc_sweep_label(grid->result->sweep, grid->down, last, &label);
    }
    smc_text_printf(out, "  %*.*s ", device ? -grid->label_width : grid->label_width,
                    grid->label_width, smc_text_string(&label));
    smc_text_free(&label);
}

static void append_band(const struct grid *grid, uint64_t first, uint64_t end, struct smc_text *out)
{
    const struct smc_sweep *sweep = grid->result->sweep;
    smc_text_printf(out, "\n  %*s  %s\n", grid->label_width, "",
                    smc_axis_info[sweep->axis[grid->across].id].option);
    smc_text_printf(out, "  %*s ", -grid->label_width,
                    smc_axis_info[sweep->axis[grid->down].id].option);
    for (uint64_t c = first; c < end; c++) {
        append_value(grid, grid->across, c, CELL - 2, out);
        smc_text_append(out, "  ");
    }
    end_line(out);
    for (uint64_t row = 0, last; row < grid->rows; row = last + 1) {
        last = last_alike(grid, row);
        append_row_label(grid, row, last, out);
        for (uint64_t c = first; c < end; c++)
            append_cell(grid, point_at(grid, row, c), out);
        end_line(out);
    }
}

static void append_legend(const struct grid *grid, const struct smc_report_style *style,
                          struct smc_text *out)
{
    struct smc_text line = {0};
    uint32_t seen = 0, states = 0;
    for (uint64_t i = 0; i < grid->result->answered; i++) {
        const struct smc_sweep_point *point = &grid->result->point[i];
        states |= 1u << point->state;
        if (point->state == SMC_POINT_LAUNCHES)
            seen |= 1u << smc_words_first_limiter(point->limiters);
    }
    smc_text_append(&line, "occupancy in percent, rounded, and the first limit that binds:");
    for (int i = 0; i < SMC_LIMIT_COUNT; i++)
        if (seen & 1u << i)
            smc_text_printf(&line, " %c" SMC_TIE "%s,", smc_words_limit_letter((enum smc_limit)i),
                            smc_limit_label((enum smc_limit)i));
    smc_text_append(&line, " * the best");
    if (states & 1u << SMC_POINT_REFUSED)
        smc_text_append(&line, ", - cannot launch");
    if (states & 1u << SMC_POINT_NO_ANSWER)
        smc_text_append(&line, ", x no such launch on this device");
    smc_text_append(out, "\n");
    smc_text_line(out, style, "cells", &line);
    smc_text_free(&line);
}

static int widest_label(const struct grid *grid)
{
    const struct smc_sweep *sweep = grid->result->sweep;
    size_t width = strlen(smc_axis_info[sweep->axis[grid->down].id].option);
    for (uint64_t row = 0, last; row < grid->rows; row = last + 1) {
        struct smc_text label = {0};
        last = last_alike(grid, row);
        smc_sweep_label(sweep, grid->down, row, &label);
        if (last > row) {
            smc_text_append(&label, "-");
            smc_sweep_label(sweep, grid->down, last, &label);
        }
        width = label.length > width ? label.length : width;
        smc_text_free(&label);
    }
    return width > LABEL_MOST ? LABEL_MOST : (int)width;
}

void smc_text_sweep_grid(const struct smc_sweep_result *result,
                         const struct smc_report_style *style, struct smc_text *out)
{
    const struct smc_axis *axis = result->sweep->axis;
    bool first_down =
        axis[0].id == SMC_AXIS_DEVICE || smc_axis_values(&axis[0]) > smc_axis_values(&axis[1]);
    struct grid grid = {
        .result = result,
        .down = first_down ? 0 : 1,
        .across = first_down ? 1 : 0,
        .best = smc_sweep_best(result),
    };
    grid.rows = smc_axis_values(&axis[grid.down]);
    grid.columns = smc_axis_values(&axis[grid.across]);
    grid.label_width = widest_label(&grid);
    uint64_t fit = (style->columns - (uint64_t)grid.label_width - 3) / CELL;
    for (uint64_t first = 0; first < grid.columns; first += fit) {
        uint64_t end = first + fit < grid.columns ? first + fit : grid.columns;
        append_band(&grid, first, end, out);
    }
    append_legend(&grid, style, out);
}
