/* A sweep, one or two values varied: its subject in words, a table or a grid, JSON and CSV. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "show/report/text_table.h"
#include "show/report/writers.h"

enum { NUMBER = 4, TIME_NUMBER = 6, LABEL_MOST = 26, RUNS_SHOWN = 6 };

/* --- Words ------------------------------------------------------------------------------------ */

static bool varies(const struct smc_sweep *sweep, enum smc_axis_id id)
{
    for (size_t i = 0; i < sweep->axis_count; i++)
        if (sweep->axis[i].id == id)
            return true;
    return false;
}

static void append_fixed(const struct smc_sweep *sweep, enum smc_axis_id id, int64_t value,
                         const char *unit, struct smc_text *out)
{
    if (value == SMC_NOT_GIVEN || varies(sweep, id))
        return;
    smc_text_printf(out, "%s%" PRId64 " %s", out->length ? ", " : "", value, unit);
}

void smc_words_sweep_subject(const struct smc_sweep *sweep, struct smc_text *out)
{
    const struct smc_query *query = &sweep->query;
    smc_auto_text given = {0};
    uint32_t varied =
        (varies(sweep, SMC_AXIS_SIZE) ? SMC_MATRIX_SIZES | 1u << SMC_PARAM_LENGTH : 0) |
        (varies(sweep, SMC_AXIS_TILE) ? 1u << SMC_PARAM_TILE : 0) |
        (varies(sweep, SMC_AXIS_BLOCK) ? 1u << SMC_PARAM_BLOCK : 0) |
        (varies(sweep, SMC_AXIS_RADIUS) ? 1u << SMC_PARAM_RADIUS : 0);
    const uint32_t derived = 1u << SMC_PARAM_LENGTH;
    append_fixed(sweep, SMC_AXIS_THREADS, query->kernel ? SMC_NOT_GIVEN : query->threads_per_block,
                 "threads", &given);
    append_fixed(sweep, SMC_AXIS_REGS, query->regs_per_thread, "registers", &given);
    append_fixed(sweep, SMC_AXIS_SMEM, query->static_smem_bytes, "B static", &given);
    append_fixed(sweep, SMC_AXIS_DYNAMIC_SMEM, query->dynamic_smem_bytes, "B dynamic", &given);
    append_fixed(sweep, SMC_AXIS_CARVEOUT, query->settings.carveout_percent, "% carve-out", &given);
    if (query->file_kernel)
        smc_words_file_kernel(query->file_kernel, out);
    else
        smc_text_append(out, query->kernel ? query->kernel->name : "your own kernel");
    if (query->kernel) {
        smc_text_append(out, ": ");
        smc_words_some_params(query, varied | (derived & ~query->params.given), out);
    }
    if (given.length)
        smc_text_printf(out, "%s%s", query->kernel ? "; " : ": ", smc_text_string(&given));
}

void smc_words_sweep_device(const struct smc_sweep *sweep, struct smc_text *out)
{
    const struct smc_device *device = &sweep->query.device;
    if (varies(sweep, SMC_AXIS_DEVICE)) {
        uint64_t count = smc_axis_values(&sweep->axis[0]);
        smc_text_printf(out, "%" PRIu64 " devices", count);
        return;
    }
    smc_text_append(out, device->name);
    if (device->sm_count)
        smc_text_printf(out, ", CC %d.%d", device->sm.cc / 10, device->sm.cc % 10);
    if (sweep->query.device_assumed)
        smc_text_append(out, " (assumed)");
}

static void sweep_append_source(const struct smc_sweep_point *point, bool first,
                                struct smc_text *out)
{
    static const char *const names[] = {
        [SMC_RESOURCES_NVRTC] = "",
        [SMC_RESOURCES_TABLE] = "built-in table, ",
        [SMC_RESOURCES_ASSUMED] = "assumed from another architecture or other parameters, ",
    };
    smc_text_printf(out, "%s%sNVRTC %u.%u", first ? "" : "; ", names[point->source],
                    point->nvrtc / 100u, point->nvrtc % 100u);
}

static bool is_compiled(const struct smc_sweep_point *point)
{
    bool answered = point->state == SMC_POINT_LAUNCHES || point->state == SMC_POINT_REFUSED;
    return answered && point->source != SMC_RESOURCES_GIVEN &&
           point->regs_per_thread != SMC_UNLIMITED;
}

/* Of a kernel of a file: the origin of each version that the devices load. False: it is none, or
   its registers are replaced. */
static bool append_file_sources(const struct smc_sweep *sweep, struct smc_text *out)
{
    const struct smc_file_kernel *kernel = sweep->query.file_kernel;
    bool given = varies(sweep, SMC_AXIS_REGS) || sweep->query.regs_per_thread != SMC_NOT_GIVEN;
    if (!kernel || given)
        return false;
    smc_text_printf(out, "%s, %s", kernel->file, kernel->origin);
    uint64_t count = varies(sweep, SMC_AXIS_DEVICE) ? smc_axis_values(&sweep->axis[0]) : 0;
    uint64_t estimates = kernel->resources.source == SMC_RESOURCES_ASSUMED && count == 0;
    for (uint64_t i = 0; i < count && i < RUNS_SHOWN; i++)
        if (strcmp(sweep->file_kernels[i].origin, kernel->origin) != 0)
            smc_text_printf(out, "; %s", sweep->file_kernels[i].origin);
    for (uint64_t i = 0; i < count; i++)
        estimates += sweep->file_kernels[i].resources.source == SMC_RESOURCES_ASSUMED;
    if (estimates)
        smc_text_printf(out,
                        "; estimated on %" PRIu64 " device%s that the code was not compiled for",
                        estimates, smc_text_plural(estimates));
    return true;
}

void smc_words_sweep_sources(const struct smc_sweep_result *result, struct smc_text *out)
{
    enum { KINDS = 8 };
    struct smc_sweep_point seen[KINDS];
    size_t kinds = 0;
    if (append_file_sources(result->sweep, out))
        return;
    bool given = varies(result->sweep, SMC_AXIS_REGS) ||
                 result->sweep->query.regs_per_thread != SMC_NOT_GIVEN;
    for (uint64_t i = 0; i < result->answered && kinds < KINDS; i++) {
        const struct smc_sweep_point *point = &result->point[i];
        bool is_new = is_compiled(point);
        for (size_t k = 0; k < kinds; k++)
            is_new = is_new && (seen[k].source != point->source || seen[k].nvrtc != point->nvrtc);
        if (is_new) {
            sweep_append_source(point, kinds == 0, out);
            seen[kinds++] = *point;
        }
    }
    if (kinds == 0)
        smc_text_append(out, given ? "given" : "not known, not counted");
}

/* --- Grid: two values varied ------------------------------------------------------------------ */

/* Which axis goes down: devices, for their long names, else the one with more values. */
struct sweep_grid {
    const struct smc_sweep_result *result;
    size_t down, across;
    uint64_t rows, columns;
    double best;                   /* percent, or the shortest time in ms */
    int label_width, number_width; /* of a row's label; of a cell's number, or its column's */
    int marks;                     /* after the number: letters of what binds, and a star */
    bool times;                    /* in the cells, in `unit`, of which a millisecond has so many */
    double unit;
    const char *unit_name;
};

static const struct smc_sweep_point *sweep_point_at(const struct sweep_grid *grid, uint64_t row,
                                                    uint64_t column)
{
    uint64_t slow = grid->down == 0 ? row : column;
    uint64_t fast = grid->down == 0 ? column : row;
    uint64_t width = grid->down == 0 ? grid->columns : grid->rows;
    return &grid->result->point[slow * width + fast];
}

static bool same_cell(const struct smc_sweep_point *a, const struct smc_sweep_point *b)
{
    if (a->predicted_ms != b->predicted_ms || a->bound_by != b->bound_by)
        return false;
    return a->state == b->state && a->percent == b->percent &&
           (a->state != SMC_POINT_LAUNCHES || a->limiters == b->limiters);
}

static bool same_rows(const struct sweep_grid *grid, uint64_t row, uint64_t other)
{
    for (uint64_t c = 0; c < grid->columns; c++)
        if (!same_cell(sweep_point_at(grid, row, c), sweep_point_at(grid, other, c)))
            return false;
    return true;
}

/* The last of the rows that are equal to `row` and adjacent to it. Devices are not combined. */
static uint64_t last_alike(const struct sweep_grid *grid, uint64_t row)
{
    uint64_t last = row;
    if (grid->result->sweep->axis[grid->down].id == SMC_AXIS_DEVICE)
        return row;
    while (last + 1 < grid->rows && same_rows(grid, row, last + 1))
        last++;
    return last;
}

/* "12.3s*": three digits, and the term that binds. */
static void sweep_append_time(const struct sweep_grid *grid, const struct smc_sweep_point *point,
                              struct smc_text *out)
{
    double value = point->predicted_ms * grid->unit;
    if (point->predicted_ms == 0) {
        smc_text_printf(out, "%*c%*s", grid->number_width, '?', grid->marks, "");
        return;
    }
    smc_text_printf(out, "%*.*f%c%c", grid->number_width,
                    value < 9.995   ? 2
                    : value < 99.95 ? 1
                                    : 0,
                    value, smc_words_time_letter((enum smc_time_term)point->bound_by),
                    point->predicted_ms <= grid->best ? '*' : ' ');
}

static void sweep_append_cell(const struct sweep_grid *grid, const struct smc_sweep_point *point,
                              struct smc_text *out)
{
    static const char signs[] = {
        [SMC_POINT_REFUSED] = '-', [SMC_POINT_NO_ANSWER] = 'x', [SMC_POINT_UNASKED] = ' '};
    char letters[SMC_LIMIT_COUNT + 2];
    if (point->state != SMC_POINT_LAUNCHES) {
        smc_text_printf(out, "%*c%*s", grid->number_width, signs[point->state], grid->marks, "");
    } else if (grid->times) {
        sweep_append_time(grid, point, out);
    } else {
        const size_t count = smc_words_limit_letters(point->limiters, letters);
        snprintf(letters + count, 2, "%s", point->percent >= grid->best ? "*" : "");
        smc_text_printf(out, "%*d%-*s", grid->number_width, (int)(point->percent + 0.5),
                        grid->marks, letters);
    }
}

static void end_line(struct smc_text *out)
{
    while (out->length && out->data[out->length - 1] == ' ')
        out->data[--out->length] = '\0';
    smc_text_append(out, "\n");
}

static void sweep_append_row_label(const struct sweep_grid *grid, uint64_t first, uint64_t last,
                                   struct smc_text *out)
{
    smc_auto_text label = {0};
    bool device = grid->result->sweep->axis[grid->down].id == SMC_AXIS_DEVICE;
    smc_sweep_label(grid->result->sweep, grid->down, first, &label);
    if (last > first) {
        smc_text_append(&label, "-");
        smc_sweep_label(grid->result->sweep, grid->down, last, &label);
    }
    smc_text_append(out, "  ");
    smc_text_cell(out, smc_text_string(&label), device ? -grid->label_width : grid->label_width);
    smc_text_append(out, " ");
}

static void append_band(const struct sweep_grid *grid, uint64_t first, uint64_t end,
                        struct smc_text *out)
{
    const struct smc_sweep *sweep = grid->result->sweep;
    smc_text_printf(out, "\n  %*s  %s\n", grid->label_width, "",
                    smc_axis_info[sweep->axis[grid->across].id].option);
    smc_text_printf(out, "  %*s ", -grid->label_width,
                    smc_axis_info[sweep->axis[grid->down].id].option);
    for (uint64_t c = first; c < end; c++) {
        smc_auto_text label = {0};
        smc_sweep_label(grid->result->sweep, grid->across, c, &label);
        smc_text_cell(out, smc_text_string(&label), grid->number_width);
        smc_text_append_char(out, ' ', (size_t)grid->marks);
    }
    end_line(out);
    for (uint64_t row = 0, last; row < grid->rows; row = last + 1) {
        last = last_alike(grid, row);
        sweep_append_row_label(grid, row, last, out);
        for (uint64_t c = first; c < end; c++)
            sweep_append_cell(grid, sweep_point_at(grid, row, c), out);
        end_line(out);
    }
}

/* Those that bind somewhere. */
static void sweep_report_append_terms(const struct sweep_grid *grid, struct smc_text *line)
{
    uint32_t seen = 0;
    bool unknown = false;
    for (uint64_t i = 0; i < grid->result->answered; i++) {
        const struct smc_sweep_point *point = &grid->result->point[i];
        if (point->predicted_ms > 0)
            seen |= 1u << point->bound_by;
        unknown |= point->state == SMC_POINT_LAUNCHES && point->predicted_ms == 0;
    }
    smc_text_printf(line, "predicted time in %s, and what bounds it:", grid->unit_name);
    for (int i = 0; i < SMC_TIME_TERM_COUNT; i++)
        if (seen & 1u << i)
            smc_text_printf(line, " %c" SMC_TIE "%s,", smc_words_time_letter((enum smc_time_term)i),
                            smc_time_term_info[i].label);
    smc_text_append(line, unknown ? " ? not predicted," : "");
}

static void sweep_append_limits(const struct sweep_grid *grid, struct smc_text *line)
{
    uint32_t seen = 0;
    for (uint64_t i = 0; i < grid->result->answered; i++)
        if (grid->result->point[i].state == SMC_POINT_LAUNCHES)
            seen |= grid->result->point[i].limiters;
    smc_text_append(line, "occupancy in percent, rounded, and the limits that bind:");
    for (int i = 0; i < SMC_LIMIT_COUNT; i++)
        if (seen & 1u << i)
            smc_text_printf(line, " %c" SMC_TIE "%s,", smc_words_limit_letter((enum smc_limit)i),
                            smc_limit_label((enum smc_limit)i));
}

static void sweep_append_legend(const struct sweep_grid *grid, struct smc_text *out)
{
    struct smc_text line = {0};
    uint32_t states = 0;
    for (uint64_t i = 0; i < grid->result->answered; i++)
        states |= 1u << grid->result->point[i].state;
    if (grid->times)
        sweep_report_append_terms(grid, &line);
    else
        sweep_append_limits(grid, &line);
    smc_text_append(&line, " * the best");
    if (states & 1u << SMC_POINT_REFUSED)
        smc_text_append(&line, ", - cannot launch");
    if (states & 1u << SMC_POINT_NO_ANSWER)
        smc_text_append(&line, ", x no such launch on this device");
    smc_text_append(out, "\n");
    smc_layout_line(out, "cells", &line);
}

static int sweep_widest_label(const struct sweep_grid *grid)
{
    const struct smc_sweep *sweep = grid->result->sweep;
    size_t width = strlen(smc_axis_info[sweep->axis[grid->down].id].option);
    for (uint64_t row = 0, last; row < grid->rows; row = last + 1) {
        smc_auto_text label = {0};
        last = last_alike(grid, row);
        smc_sweep_label(sweep, grid->down, row, &label);
        if (last > row) {
            smc_text_append(&label, "-");
            smc_sweep_label(sweep, grid->down, last, &label);
        }
        size_t columns = (size_t)smc_utf8_string_columns(smc_text_string(&label));
        width = columns > width ? columns : width;
    }
    return width > LABEL_MOST ? LABEL_MOST : (int)width;
}

static int widest_number(const struct sweep_grid *grid)
{
    int width = grid->times ? TIME_NUMBER : NUMBER;
    for (uint64_t c = 0; c < grid->columns; c++) {
        smc_auto_text label = {0};
        smc_sweep_label(grid->result->sweep, grid->across, c, &label);
        const int columns = smc_utf8_string_columns(smc_text_string(&label));
        width = columns > width ? columns : width;
    }
    return width > LABEL_MOST ? LABEL_MOST : width;
}

/* One letter for each limit that binds, or for the term of the time; and the star. */
static int most_marks(const struct sweep_grid *grid)
{
    int letters = 1;
    for (uint64_t i = 0; i < grid->result->answered && !grid->times; i++) {
        const struct smc_sweep_point *point = &grid->result->point[i];
        const int count =
            point->state == SMC_POINT_LAUNCHES ? __builtin_popcount(point->limiters) : 0;
        letters = count > letters ? count : letters;
    }
    return letters + 1;
}

static void sweep_append_grid(const struct smc_sweep_result *result, struct smc_text *out)
{
    const struct smc_axis *axis = result->sweep->axis;
    bool first_down =
        axis[0].id == SMC_AXIS_DEVICE || smc_axis_values(&axis[0]) > smc_axis_values(&axis[1]);
    struct sweep_grid grid = {
        .result = result,
        .down = first_down ? 0 : 1,
        .across = first_down ? 1 : 0,
        .best = result->sweep->times ? smc_sweep_fastest_ms(result) : smc_sweep_best(result),
        .times = result->sweep->times,
    };
    grid.unit = smc_words_time_unit(grid.best, &grid.unit_name);
    grid.rows = smc_axis_values(&axis[grid.down]);
    grid.columns = smc_axis_values(&axis[grid.across]);
    grid.label_width = sweep_widest_label(&grid);
    grid.number_width = widest_number(&grid);
    grid.marks = most_marks(&grid);
    uint64_t fit = (out->style->columns - (uint64_t)grid.label_width - 3) /
                   ((size_t)grid.number_width + (size_t)grid.marks);
    for (uint64_t first = 0; first < grid.columns; first += fit) {
        uint64_t end = first + fit < grid.columns ? first + fit : grid.columns;
        append_band(&grid, first, end, out);
    }
    sweep_append_legend(&grid, out);
}

/* --- Table: one value varied ------------------------------------------------------------------ */

static const char *value_name(enum smc_axis_id id)
{
    static const char *const names[SMC_AXIS_COUNT] = {
        [SMC_AXIS_DEVICE] = "device",
        [SMC_AXIS_SIZE] = "size",
        [SMC_AXIS_TILE] = "tile",
        [SMC_AXIS_BLOCK] = "threads",
        [SMC_AXIS_RADIUS] = "radius",
        [SMC_AXIS_THREADS] = "threads",
        [SMC_AXIS_REGS] = "regs",
        [SMC_AXIS_SMEM] = "static B",
        [SMC_AXIS_DYNAMIC_SMEM] = "dynamic B",
        [SMC_AXIS_CLUSTER] = "cluster",
        [SMC_AXIS_CARVEOUT] = "carve-out %",
    };
    return names[id];
}

enum { LABEL, THREADS, REGISTERS, SMEM, BLOCKS, WARPS, PERCENT, TIME, RATIO, BOUND, COLUMNS };
struct sweep_columns {
    struct smc_text_column column[COLUMNS + 1];
    double fastest_ms;
};

static struct sweep_columns sweep_find_columns(const struct smc_sweep_result *result)
{
    const struct smc_sweep *sweep = result->sweep;
    /* With a device axis all points share the block, which is shown once, above the table. */
    const enum smc_axis_id id = sweep->axis[0].id;
    const bool devices = id == SMC_AXIS_DEVICE, times = sweep->times;
    const bool threads = id == SMC_AXIS_THREADS || id == SMC_AXIS_BLOCK;
    struct sweep_columns columns = {
        .fastest_ms = smc_sweep_fastest_ms(result),
        .column = {
            [LABEL] = {value_name(id), 2, -(int)strlen(value_name(id)), false},
            [THREADS] = {"threads", 2, 7, devices || threads},
            [REGISTERS] = {"regs", 1, 6, false},
            [SMEM] = {"smem B", 2, 6, devices},
            [BLOCKS] = {"blocks", 2, 6, false},
            [WARPS] = {"warps", 1, 6, times},
            [PERCENT] = {"occup.", 1, 7, false},
            [TIME] = {"time ms", 1, 10, !times},
            [RATIO] = {"x best", 1, 7, !times},
            [BOUND] = {times ? "bound by" : "limited by", 2, 0, false},
        }};
    struct smc_text_column *label = &columns.column[LABEL];
    for (uint64_t i = 0; i < smc_axis_values(&sweep->axis[0]); i++) {
        smc_auto_text text = {0};
        smc_sweep_label(sweep, 0, i, &text);
        smc_column_widen(label, smc_text_string(&text));
    }
    if (label->width < -LABEL_MOST)
        label->width = -LABEL_MOST;
    if (!devices)
        label->width = -label->width;
    return columns;
}

static void sweep_add_counts(const struct smc_sweep_point *point, double fastest_ms,
                             struct smc_cells *cells)
{
    char percent[32], time[24];
    smc_cells_printf(cells, "%" PRIu32, point->threads_per_block);
    if (point->regs_per_thread == SMC_UNLIMITED)
        smc_cells_add(cells, "-");
    else
        smc_cells_printf(cells, "%" PRIu32, point->regs_per_thread);
    smc_cells_printf(cells, "%" PRIu64, point->smem_bytes_per_block);
    smc_cells_printf(cells, "%" PRIu32, point->blocks_per_sm);
    smc_cells_printf(cells, "%" PRIu32, point->warps_per_sm);
    smc_words_percent(point->percent, percent);
    smc_cells_add(cells, percent);
    smc_words_time_cell(point->predicted_ms, time);
    smc_cells_add(cells, time);
    if (point->predicted_ms > 0)
        smc_cells_printf(cells, "%.2f", point->predicted_ms / fastest_ms);
    else
        smc_cells_add(cells, "-");
}

static void append_table_point(const struct smc_sweep_result *result, uint64_t index,
                               const struct sweep_columns *columns, struct smc_text *out)
{
    const struct smc_sweep_point *point = &result->point[index];
    smc_auto_text label = {0}, left = {0}, right = {0};
    struct smc_cells cells = {columns->column, &left};
    smc_sweep_label(result->sweep, 0, index, &label);
    smc_cells_text(&cells, &label);
    if (point->state == SMC_POINT_NO_ANSWER)
        smc_text_append(&right, "no such launch on this device");
    else
        sweep_add_counts(point, columns->fastest_ms, &cells);
    if (point->state == SMC_POINT_REFUSED)
        smc_text_append(&right, "cannot launch");
    if (point->state == SMC_POINT_LAUNCHES && result->sweep->times)
        smc_text_append(&right, point->predicted_ms > 0 ? smc_time_term_info[point->bound_by].label
                                                        : "not predicted");
    else if (point->state == SMC_POINT_LAUNCHES)
        smc_words_limiters(&(struct smc_occupancy){.limiters = point->limiters}, &right);
    smc_layout_paragraph(out, smc_text_string(&left),
                         (size_t)smc_utf8_string_columns(smc_text_string(&left)) + 2,
                         smc_text_string(&right), out->style->columns);
}

/* "16 to 32": neighbouring values that are as good. */
static void append_run(const struct smc_sweep *sweep, uint64_t first, uint64_t last,
                       struct smc_text *line)
{
    smc_sweep_label(sweep, 0, first, line);
    if (last == first)
        return;
    smc_text_append(line, sweep->axis[0].id == SMC_AXIS_DEVICE ? " ... " : " to ");
    smc_sweep_label(sweep, 0, last, line);
}

/* " at tile 16, pad 1". */
static void append_point_place(const struct smc_sweep_result *result, uint64_t point,
                               struct smc_text *line)
{
    for (size_t i = 0; i < result->sweep->axis_count; i++) {
        smc_text_printf(line, "%s%s ", i ? ", " : " at ",
                        smc_axis_info[result->sweep->axis[i].id].option);
        smc_sweep_label(result->sweep, i, smc_sweep_position(result->sweep, i, point), line);
    }
}

/* "0.231 ms at tile 16, bound by shared memory". */
static void append_fastest_point(const struct smc_sweep_result *result, struct smc_text *line)
{
    double fastest = smc_sweep_fastest_ms(result);
    uint64_t at = 0;
    if (fastest < 0) {
        smc_text_append(line, "no point has a predicted time");
        return;
    }
    while (result->point[at].predicted_ms != fastest)
        at++;
    smc_words_time(fastest, line);
    append_point_place(result, at, line);
    smc_text_printf(line, ", bound by %s", smc_time_term_info[result->point[at].bound_by].label);
}

static void append_runs(const struct smc_sweep_result *result, double best, struct smc_text *line)
{
    unsigned runs = 0;
    for (uint64_t i = 0, end; i < result->answered; i = end) {
        end = i + 1;
        if (result->point[i].state != SMC_POINT_LAUNCHES || result->point[i].percent < best)
            continue;
        while (end < result->answered && result->point[end].state == SMC_POINT_LAUNCHES &&
               result->point[end].percent >= best)
            end++;
        if (runs++ == RUNS_SHOWN) {
            smc_text_append(line, ", ...");
            return;
        }
        smc_text_append(line, runs > 1 ? ", " : "");
        append_run(result->sweep, i, end - 1, line);
    }
}

static void sweep_report_append_best(const struct smc_sweep_result *result, struct smc_text *out)
{
    struct smc_text line = {0};
    char percent[32];
    double best = smc_sweep_best(result);
    uint64_t count = 0;
    for (uint64_t i = 0; i < result->answered; i++)
        count += result->point[i].state == SMC_POINT_LAUNCHES && result->point[i].percent >= best;
    smc_words_percent(best, percent);
    if (best >= 0 && result->sweep->times)
        append_fastest_point(result, &line);
    else if (best < 0)
        smc_text_append(&line, "no point can be launched");
    else if (result->sweep->axis_count == 1) {
        smc_text_printf(&line, "%s at %s ", percent, value_name(result->sweep->axis[0].id));
        append_runs(result, best, &line);
    } else
        smc_text_printf(&line, "%s at %" PRIu64 " of %" PRIu64 " points", percent, count,
                        result->answered);
    smc_layout_line(out, "best", &line);
}

void smc_text_sweep(const struct smc_sweep_result *result, struct smc_text *out)
{
    struct smc_text line = {0};
    smc_words_sweep_subject(result->sweep, &line);
    smc_text_append(&line, "; ");
    smc_words_sweep_device(result->sweep, &line);
    smc_layout_text(out, 0, &line);
    if (result->sweep->axis_count == 1) {
        const struct sweep_columns columns = sweep_find_columns(result);
        smc_text_append_char(out, '\n', 1);
        smc_cells_headings((struct smc_cells){columns.column, out});
        for (uint64_t i = 0; i < result->answered; i++)
            append_table_point(result, i, &columns, out);
    } else {
        sweep_append_grid(result, out);
    }
    smc_text_append(out, "\n");
    sweep_report_append_best(result, out);
    if (result->refusal[0]) {
        smc_text_append(&line, "first");
        append_point_place(result, result->refused, &line);
        smc_text_printf(&line, ": %s", result->refusal);
        smc_layout_line(out, "refused", &line);
    }
    if (result->sweep->times && result->no_time[0])
        smc_layout_say(out, "time", "not everywhere predicted: %s", result->no_time);
    smc_words_sweep_sources(result, &line);
    smc_layout_line(out, "registers", &line);
    uint64_t points = smc_sweep_points(result->sweep);
    if (result->answered < points)
        smc_text_printf(out, "interrupted after %" PRIu64 " of %" PRIu64 " points\n",
                        result->answered, points);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *sweep_axis_object(const struct smc_sweep *sweep, size_t axis)
{
    const struct smc_axis *varied = &sweep->axis[axis];
    json_t *object = json_object();
    json_t *values = json_array();
    for (uint64_t i = 0; i < smc_axis_values(varied); i++) {
        int64_t value = smc_range_value(&varied->range, i);
        json_array_append_new(values, varied->id == SMC_AXIS_DEVICE
                                          ? json_string(sweep->devices[value].name)
                                          : json_integer(value));
    }
    smc_json_string(object, "option", smc_axis_info[varied->id].option);
    smc_json_set(object, "values", values);
    return object;
}

void smc_json_sweep_begin(const struct smc_sweep *sweep, struct smc_text *out)
{
    json_t *axes = json_array();
    for (size_t i = 0; i < sweep->axis_count; i++)
        json_array_append_new(axes, sweep_axis_object(sweep, i));
    smc_text_append(out, "{\"schema\":\"smemcalc/1\",\"axes\":");
    smc_json_append(axes, SMC_JSON_ON_A_LINE, out);
    smc_text_append(out, ",\"answers\":[\n");
}

static json_t *sweep_point_object(const struct smc_sweep *sweep, uint64_t point,
                                  const struct smc_answer *answer, const char *why)
{
    json_t *object = json_object();
    json_t *position = json_array();
    for (size_t i = 0; i < sweep->axis_count; i++)
        json_array_append_new(position,
                              json_integer((json_int_t)smc_sweep_position(sweep, i, point)));
    smc_json_set(object, "position", position);
    smc_json_known_string(object, "error", why);
    if (!why)
        smc_json_answer(object, answer);
    return object;
}

void smc_json_sweep_point(const struct smc_sweep *sweep, uint64_t point,
                          const struct smc_answer *answer, const char *why, struct smc_text *out)
{
    smc_text_append(out, point ? ",\n" : "");
    smc_json_append(sweep_point_object(sweep, point, answer, why), SMC_JSON_ON_A_LINE, out);
}

void smc_json_sweep_end(const struct smc_sweep_result *result, struct smc_text *out)
{
    (void)result;
    smc_text_append(out, "\n]}\n");
}

/* --- JSON Lines ------------------------------------------------------------------------------- */

void smc_lines_sweep_point(const struct smc_sweep *sweep, uint64_t point,
                           const struct smc_answer *answer, const char *why, struct smc_text *out)
{
    smc_json_append_line(sweep_point_object(sweep, point, answer, why), out);
}

/* --- CSV -------------------------------------------------------------------------------------- */

void smc_csv_sweep_begin(const struct smc_sweep *sweep, struct smc_text *out)
{
    (void)sweep;
    smc_csv_answer_head(out);
}

void smc_csv_sweep_point(const struct smc_sweep *sweep, uint64_t point,
                         const struct smc_answer *answer, const char *why, struct smc_text *out)
{
    (void)sweep;
    (void)point;
    smc_csv_answer(answer, why, out);
}
