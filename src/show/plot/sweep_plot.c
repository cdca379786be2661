/* The picture of a sweep: its heading, then a curve or bars, bars of devices, or a heat map. */
#include <inttypes.h>
#include <math.h>

#include "base/memory.h"
#include "show/plot/page.h"
#include "show/plot/plot.h"
#include "show/words/words.h"

enum { MOST_VALUES = 512 }; /* cells per axis of a heat map */

static const uint32_t refused_ink = 1u << SMC_INK_REFUSED, heat_ink = 1u << SMC_INK_HEAT;

/* The inks of what binds, or the one of predicted times; 0 if a point has no result to show. */
static uint32_t point_inks(const struct smc_sweep_result *result,
                           const struct smc_sweep_point *point)
{
    if (point->state == SMC_POINT_REFUSED)
        return refused_ink;
    if (point->state != SMC_POINT_LAUNCHES)
        return 0;
    if (!result->sweep->times)
        return smc_inks_of_limits(point->limiters);
    return point->predicted_ms > 0 ? heat_ink : 0;
}

static double longest_ms(const struct smc_sweep_result *result)
{
    double longest = 0;
    for (uint64_t i = 0; i < result->answered; i++)
        if (result->point[i].predicted_ms > longest)
            longest = result->point[i].predicted_ms;
    return longest;
}

/* The end of an axis from 0 that has `value` on it: 1, 2, 4 or 8 times a power of ten. */
static double round_end(double value)
{
    double power = pow(10, floor(log10(value)));
    static const double ends[] = {1, 2, 4, 8, 10};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (value <= ends[i] * power)
            return ends[i] * power;
    return value;
}

static enum smc_tick_kind tick_kind(enum smc_axis_id id)
{
    return id == SMC_AXIS_CARVEOUT || id == SMC_AXIS_RADIUS ? SMC_TICKS_DECIMAL : SMC_TICKS_BINARY;
}

static void sweep_append_best(const struct smc_sweep_result *result, struct smc_text *line)
{
    double best = smc_sweep_best(result), fastest = smc_sweep_fastest_ms(result);
    char percent[32];
    smc_words_percent(best, percent);
    if (best < 0) {
        smc_text_append(line, ": no point can be launched");
    } else if (!result->sweep->times) {
        smc_text_printf(line, ": %s at best", percent);
    } else if (fastest < 0) {
        smc_text_append(line, ": none is predicted");
    } else {
        smc_text_append(line, ": ");
        smc_words_time(fastest, line);
        smc_text_append(line, " at best");
    }
    smc_words_untie(line);
}

/* Writes the names of both axes, the best point, and how much of the sweep was computed. */
static void sweep_append_verdict(const struct smc_sweep_result *result, struct smc_text *line)
{
    const struct smc_sweep *sweep = result->sweep;
    uint64_t points = smc_sweep_points(sweep);
    smc_text_append(line, sweep->times ? "Predicted time by " : "Occupancy by ");
    for (size_t i = 0; i < sweep->axis_count; i++)
        smc_text_printf(line, "%s%s", i ? " and " : "", smc_axis_info[sweep->axis[i].id].label);
    sweep_append_best(result, line);
    if (result->answered < points)
        smc_text_printf(line, "; interrupted after %" PRIu64 " of %" PRIu64 " points",
                        result->answered, points);
}

static void sweep_draw_heading(struct smc_page *page, const struct smc_sweep_result *result)
{
    const struct smc_kernel *kernel = result->sweep->query.kernel;
    SMC_AUTO(smc_heading_free) struct smc_heading heading = {0};
    smc_text_printf(&heading.title, "%s on ", kernel ? kernel->name : "Your kernel");
    smc_words_sweep_device(result->sweep, &heading.title);
    sweep_append_verdict(result, &heading.verdict);
    smc_words_sweep_subject(result->sweep, &heading.subject);
    if (kernel) {
        smc_text_append(&heading.subject, "; registers: ");
        smc_words_sweep_sources(result, &heading.subject);
    }
    smc_page_put_heading(page, &heading);
    page->y += page->canvas.metrics->after_heading;
}

enum smc_status smc_plot_check(const struct smc_sweep *sweep, struct smc_error *error)
{
    for (size_t i = 0; i < sweep->axis_count && sweep->axis_count == 2; i++) {
        uint64_t values = smc_axis_values(&sweep->axis[i]);
        if (values > MOST_VALUES)
            return smc_fail(error, SMC_USAGE,
                            "option --plot: a heat map shows %d values of an axis, and --%s has "
                            "%" PRIu64 "; give it a step, FIRST:LAST:STEP",
                            MOST_VALUES, smc_axis_info[sweep->axis[i].id].option, values);
    }
    return SMC_OK;
}

/* --- One axis of numbers: bars where they are few, else a curve ------------------------------- */

/* With fewer values than this, leaves margins at the sides. */
enum { FEWEST_VALUES = 6 };

static bool sweep_plot_goes_on(const struct smc_value_run *last, const struct smc_value_run *run)
{
    return last->percent == run->percent && last->inks == run->inks && last->to == run->from;
}

static size_t make_runs(const struct smc_sweep_result *result, bool bars, double most_ms,
                        struct smc_value_run *runs)
{
    const struct smc_range *range = &result->sweep->axis[0].range;
    size_t count = 0;
    for (uint64_t i = 0; i < result->answered; i++) {
        const struct smc_sweep_point *point = &result->point[i];
        struct smc_value_run run = {
            .percent = result->sweep->times ? 100 * point->predicted_ms / most_ms : point->percent,
            .inks = point_inks(result, point)};
        if (!run.inks)
            continue;
        double value = (double)smc_range_value(range, i), half = (double)range->step / 2;
        run.from = value - half;
        run.to = value + half;
        if (!bars && count && sweep_plot_goes_on(&runs[count - 1], &run))
            runs[count - 1].to = run.to;
        else
            runs[count++] = run;
    }
    return count;
}

static void draw_values(const struct smc_sweep_result *result, struct smc_page *page)
{
    const struct smc_axis *axis = &result->sweep->axis[0];
    const struct smc_axis_info *info = &smc_axis_info[axis->id];
    uint64_t values = smc_axis_values(axis);
    smc_auto_free struct smc_value_run *runs = smc_calloc(values, sizeof *runs);
    if (!runs) {
        page->picture->failed = true;
        return;
    }
    double step = (double)axis->range.step;
    double room = values < FEWEST_VALUES ? (double)(FEWEST_VALUES - values) / 2 * step : 0;
    double low = (double)axis->range.first - step / 2 - room;
    double high = (double)smc_range_value(&axis->range, values - 1) + step / 2 + room;
    struct smc_legend legend = {0};
    struct smc_diagram diagram = {
        .title = "",
        .remark = "",
        .low = low,
        .high = high,
        .ticks = smc_ticks_among(axis->range.first, axis->range.step, values, tick_kind(axis->id),
                                 page->canvas.cells ? 9 : 17),
        .last_tick = (double)axis->range.last,
        .in_k = axis->id == SMC_AXIS_SMEM || axis->id == SMC_AXIS_DYNAMIC_SMEM,
        .max_warps = result->sweep->query.device.sm.max_warps_per_sm,
        .runs = runs,
        .bars = (page->canvas.width - 2 * page->canvas.gap) * step / (high - low) >=
                (page->canvas.cells ? 3 : 16),
    };
    smc_auto_text unit = {0}, level = {0};
    double longest = longest_ms(result), most_ms = 1;
    const char *time_unit;
    smc_text_printf(&unit, "%s%s%s%s", info->label, *info->unit ? " (" : "", info->unit,
                    *info->unit ? ")" : "");
    diagram.unit = smc_text_string(&unit);
    if (result->sweep->times && longest > 0) {
        double per_ms = smc_words_time_unit(longest, &time_unit);
        smc_text_printf(&level, "predicted time (%s)", time_unit);
        diagram.level_most = round_end(longest * per_ms);
        most_ms = diagram.level_most / per_ms;
        diagram.level_name = smc_text_string(&level);
        diagram.max_warps = 0;
    }
    diagram.run_count = make_runs(result, diagram.bars, most_ms, runs);
    for (size_t i = 0; i < diagram.run_count; i++)
        legend.inks |= runs[i].inks & ~heat_ink;
    page->canvas.plot_height *= page->canvas.cells ? 1.5 : 1.9;
    smc_page_legend(page, &legend);
    smc_page_diagram(page, &diagram);
}

/* --- One axis of devices: a level bar for each, its number and its limit at the end ----------- */

/* Of the bars of predicted times. */
static const double TIME_SHADE = 0.4;

static double device_row_height(const struct smc_canvas *canvas)
{
    return canvas->line_height * (canvas->cells ? 1 : 1.1);
}

/* The width of an axis's widest label. */
static double sweep_label_width(const struct smc_sweep *sweep, size_t axis,
                                const struct smc_canvas *canvas)
{
    double widest = 0;
    for (uint64_t i = 0; i < smc_axis_values(&sweep->axis[axis]); i++) {
        smc_auto_text label = {0};
        smc_sweep_label(sweep, axis, i, &label);
        widest =
            fmax(widest, smc_canvas_text_width(canvas, SMC_FACE_NORMAL, smc_text_string(&label)));
    }
    return widest;
}

static void sweep_append_result(const struct smc_sweep_result *result,
                                const struct smc_sweep_point *point, struct smc_text *text)
{
    char percent[32];
    smc_words_percent(point->percent, percent);
    if (point->state == SMC_POINT_LAUNCHES && result->sweep->times) {
        if (point->predicted_ms > 0)
            smc_words_time(point->predicted_ms, text);
        else
            smc_text_append(text, "not predicted");
        smc_words_untie(text);
    } else if (point->state == SMC_POINT_LAUNCHES)
        smc_text_append(text, percent);
    else
        smc_text_append(text, point->state == SMC_POINT_REFUSED   ? "cannot launch"
                              : point->state == SMC_POINT_UNASKED ? ""
                                                                  : "no such launch");
}

static void sweep_draw_row(struct smc_page *page, const struct smc_sweep_result *result,
                           uint64_t index, double left, double right)
{
    const struct smc_canvas *canvas = &page->canvas;
    const struct smc_sweep_point *point = &result->point[index];
    smc_auto_text name = {0}, text = {0};
    double gap = canvas->cells ? 1 : 8, inset = canvas->cells ? 0 : 2;
    double longest = longest_ms(result);
    double share = !result->sweep->times ? point->percent / 100
                   : longest > 0         ? point->predicted_ms / longest
                                         : 0;
    double end = left + share * (right - left);
    smc_sweep_label(result->sweep, 0, index, &name);
    sweep_append_result(result, point, &text);
    smc_page_text(page, SMC_LOOK(TEXT, NORMAL, START), smc_page_left(page), smc_text_string(&name));
    smc_picture_areas(page->picture, point_inks(result, point) & ~refused_ink, left,
                      page->y + inset, end - left, canvas->line_height - 2 * inset,
                      result->sweep->times ? TIME_SHADE : 0);
    smc_page_text(page, SMC_LOOK(TEXT, NORMAL, START), end + gap, smc_text_string(&text));
    page->y += device_row_height(canvas);
}

/* Light lines in the background of the bars, one per quarter, with the percentage above. */
static void sweep_draw_scale(struct smc_page *page, uint64_t rows, double left, double right)
{
    const struct smc_canvas *canvas = &page->canvas;
    double top = page->y + canvas->line_height;
    double height = (double)rows * device_row_height(canvas);
    for (int quarter = 0; quarter <= 4; quarter++) {
        smc_auto_text label = {0};
        double x = left + quarter / 4.0 * (right - left);
        smc_text_printf(&label, "%d %%", quarter * 25);
        if (!canvas->cells)
            smc_picture_line(page->picture, SMC_STROKE(GRID, 1), x, top, 0, height);
        smc_page_text(page, SMC_LOOK(MUTED, NORMAL, MIDDLE), x, smc_text_string(&label));
    }
    smc_page_text(page, SMC_LOOK(MUTED, NORMAL, START), smc_page_left(page), "occupancy");
    page->y += canvas->line_height + (canvas->cells ? 0 : 4);
}

static void draw_devices(const struct smc_sweep_result *result, struct smc_page *page)
{
    const struct smc_canvas *canvas = &page->canvas;
    struct smc_legend legend = {0};
    for (uint64_t i = 0; i < result->answered; i++)
        legend.inks |= point_inks(result, &result->point[i]) & ~(refused_ink | heat_ink);
    smc_page_legend(page, &legend);
    double names = fmax(sweep_label_width(result->sweep, 0, canvas),
                        smc_canvas_text_width(canvas, SMC_FACE_NORMAL, "occupancy"));
    double most = (smc_page_right(page) - smc_page_left(page)) / 2;
    double left = smc_page_left(page) + (names < most ? names : most) + 2 * canvas->gap;
    double right = smc_page_right(page) -
                   smc_canvas_text_width(canvas, SMC_FACE_NORMAL,
                                         result->sweep->times ? " not predicted" : " 93.8 %");
    if (!result->sweep->times)
        sweep_draw_scale(page, smc_axis_values(&result->sweep->axis[0]), left, right);
    for (uint64_t i = 0; i < smc_axis_values(&result->sweep->axis[0]); i++)
        sweep_draw_row(page, result, i, left, right);
}

/* --- Two axes: a heat map --------------------------------------------------------------------- */

/* Adjacent cells with equal values form one area with one label; the best areas are outlined. */

/* from this shade on, white text is more legible than black */
enum { DARK_PERCENT = 80 };

struct heat {
    const struct smc_sweep_result *result;
    struct smc_page *page;
    size_t down, across; /* axes */
    uint64_t rows, columns;
    bool upwards; /* numbers increase from bottom to top; devices are listed from top to bottom */
    double best;  /* percent, or the shortest predicted time in ms */
    double left, top, cell_width, cell_height;
    bool measuring; /* nothing is drawn yet */
    uint32_t shown; /* limits, or terms of the time, whose letters are in a cell */
};

struct area {
    double x, y, width, height;
};

static const struct smc_sweep_point *sweep_plot_point_at(const struct heat *heat, uint64_t row,
                                                         uint64_t column)
{
    uint64_t value = heat->upwards ? heat->rows - 1 - row : row;
    uint64_t index = heat->down == 0 ? value * heat->columns + column : column * heat->rows + value;
    return &heat->result->point[index];
}

static bool is_best(const struct heat *heat, const struct smc_sweep_point *point)
{
    if (heat->result->sweep->times)
        return point->predicted_ms > 0 && point->predicted_ms <= heat->best;
    return point->state == SMC_POINT_LAUNCHES && point->percent >= heat->best;
}

/* How dark the cell is, in percent: the occupancy, or the speed relative to the fastest point. */
static double shade_of(const struct heat *heat, const struct smc_sweep_point *point)
{
    if (!heat->result->sweep->times)
        return point->percent;
    return point->predicted_ms > 0 ? 100 * heat->best / point->predicted_ms : 0;
}

static bool alike(const struct smc_sweep_point *a, const struct smc_sweep_point *b)
{
    return a->state == b->state && a->percent == b->percent && a->predicted_ms == b->predicted_ms;
}

/* Limits, or a term of the time. */
static uint32_t what_binds(const struct heat *heat, const struct smc_sweep_point *point)
{
    return point->state != SMC_POINT_LAUNCHES ? UINT32_MAX
           : heat->result->sweep->times       ? 1u << point->bound_by
                                              : point->limiters;
}

static double sweep_plot_x_of(const struct heat *heat, uint64_t column)
{
    double x = heat->left + (double)column * heat->cell_width;
    return heat->page->canvas.cells ? floor(x + 0.5) : x;
}

static double sweep_plot_y_of(const struct heat *heat, uint64_t row)
{
    double y = heat->top + (double)row * heat->cell_height;
    return heat->page->canvas.cells ? floor(y + 0.5) : y;
}

/* --- Areas ------------------------------------------------------------------------------------ */

struct sweep_plot_block {
    uint64_t row, column, rows, columns;
    uint32_t binding; /* in all of its cells */
};

static bool joins(const struct heat *heat, const bool *taken, const struct smc_sweep_point *point,
                  uint64_t row, uint64_t column, uint32_t *binding)
{
    const struct smc_sweep_point *other = sweep_plot_point_at(heat, row, column);
    *binding &= what_binds(heat, other);
    return *binding && !taken[row * heat->columns + column] && alike(point, other);
}

/* Extends the block to the right, then, unless the rows are devices, down, while all cells are free
   and alike, and something binds in all of them. */
static struct sweep_plot_block sweep_grow(const struct heat *heat, const bool *taken, uint64_t row,
                                          uint64_t column)
{
    const struct smc_sweep_point *point = sweep_plot_point_at(heat, row, column);
    struct sweep_plot_block block = {row, column, 1, 1, what_binds(heat, point)};
    uint32_t binding = block.binding;
    while (column + block.columns < heat->columns &&
           joins(heat, taken, point, row, column + block.columns, &binding)) {
        block.binding = binding;
        block.columns++;
    }
    const bool alone = heat->result->sweep->axis[heat->down].id == SMC_AXIS_DEVICE;
    for (; !alone && row + block.rows < heat->rows; block.rows++) {
        binding = block.binding;
        for (uint64_t c = column; c < column + block.columns; c++)
            if (!joins(heat, taken, point, row + block.rows, c, &binding))
                return block;
        block.binding = binding;
    }
    return block;
}

/* "75", "13.6", and the letters of what binds. */
static void sweep_append_number(const struct heat *heat, const struct smc_sweep_point *point,
                                uint32_t binding, char letters[SMC_LIMIT_COUNT + 1],
                                struct smc_text *number)
{
    const char *unit;
    if (!heat->result->sweep->times) {
        smc_text_printf(number, "%d", (int)(point->percent + 0.5));
        smc_words_limit_letters(binding, letters);
        return;
    }
    smc_text_printf(number, "%.3g", point->predicted_ms * smc_words_time_unit(heat->best, &unit));
    letters[0] = smc_words_time_letter((enum smc_time_term)point->bound_by);
    letters[1] = '\0';
}

struct sweep_label {
    enum smc_face face;
    bool has_letters;
    struct smc_text text; /* empty if none fits; to be freed */
};

/* "75 r" in the longest form that fits. */
static struct sweep_label fit_label(const struct heat *heat, const struct smc_sweep_point *point,
                                    uint32_t binding, const struct area *area)
{
    static const struct {
        enum smc_face face;
        const char *gap; /* between the number and the letters; NULL: without them */
        double pad;
    } way[] = {
        {SMC_FACE_NORMAL, " ", 8},
        {SMC_FACE_SMALL, " ", 4},
        {SMC_FACE_SMALL, "", 8},
        {SMC_FACE_SMALL, NULL, 3},
    };
    const struct smc_canvas *canvas = &heat->page->canvas;
    smc_auto_text number = {0};
    struct sweep_label label = {0};
    char letters[SMC_LIMIT_COUNT + 1];
    bool fits = false;
    if (point->state != SMC_POINT_LAUNCHES || !point_inks(heat->result, point))
        return label;
    sweep_append_number(heat, point, binding, letters, &number);
    for (size_t i = canvas->cells ? 2 : 0; i < sizeof way / sizeof *way && !fits; i++) {
        smc_text_free(&label.text);
        label.face = way[i].face;
        label.has_letters = way[i].gap;
        smc_text_printf(&label.text, "%s%s%s", smc_text_string(&number),
                        way[i].gap ? way[i].gap : "", way[i].gap ? letters : "");
        double wanted = smc_canvas_text_width(canvas, label.face, smc_text_string(&label.text));
        fits = wanted + (canvas->cells ? 2 : way[i].pad) <= area->width &&
               smc_canvas_line_height(canvas, label.face) <= area->height;
    }
    if (!fits)
        smc_text_free(&label.text);
    return label;
}

static void sweep_draw_label(const struct heat *heat, const struct smc_sweep_point *point,
                             const struct sweep_label *label, const struct area *area)
{
    const struct smc_canvas *canvas = &heat->page->canvas;
    bool cells = canvas->cells;
    double line = smc_canvas_line_height(canvas, label->face);
    enum smc_ink ink =
        !cells && shade_of(heat, point) >= DARK_PERCENT ? SMC_INK_PAPER : SMC_INK_TEXT;
    smc_picture_text(
        heat->page->picture, (struct smc_text_look){ink, label->face, SMC_ANCHOR_MIDDLE, false},
        area->x + area->width / 2,
        cells ? floor(area->y + (area->height - 1) / 2) : area->y + (area->height - line) / 2,
        smc_text_string(&label->text));
}

/* Draws it, or while measuring only notes what its letters say. */
static void draw_block(struct heat *heat, const struct sweep_plot_block *block)
{
    const struct smc_sweep_point *point = sweep_plot_point_at(heat, block->row, block->column);
    bool cells = heat->page->canvas.cells;
    double border = cells || heat->cell_width < 4 || heat->cell_height < 4 ? 0 : 1;
    struct area area = {sweep_plot_x_of(heat, block->column), sweep_plot_y_of(heat, block->row), 0,
                        0};
    area.width = sweep_plot_x_of(heat, block->column + block->columns) - area.x - border;
    area.height = sweep_plot_y_of(heat, block->row + block->rows) - area.y - border;
    struct sweep_label label = fit_label(heat, point, block->binding, &area);
    const uint32_t inks = point_inks(heat->result, point);
    if (heat->measuring && label.has_letters && label.text.length)
        heat->shown |= block->binding;
    if (!heat->measuring && inks) {
        enum smc_ink ink = inks == refused_ink             ? SMC_INK_REFUSED
                           : cells && is_best(heat, point) ? SMC_INK_BEST
                                                           : SMC_INK_HEAT;
        smc_picture_area(heat->page->picture, ink, area.x, area.y, area.width, area.height,
                         shade_of(heat, point) / 100);
        sweep_draw_label(heat, point, &label, &area);
    }
    smc_text_free(&label.text);
}

static void draw_blocks(struct heat *heat)
{
    smc_auto_free bool *taken = smc_calloc(heat->rows * heat->columns, sizeof *taken);
    heat->page->picture->failed |= !taken;
    for (uint64_t i = 0; taken && i < heat->rows * heat->columns; i++) {
        if (taken[i])
            continue;
        struct sweep_plot_block block =
            sweep_grow(heat, taken, i / heat->columns, i % heat->columns);
        for (uint64_t r = block.row; r < block.row + block.rows; r++)
            for (uint64_t c = block.column; c < block.column + block.columns; c++)
                taken[r * heat->columns + c] = true;
        draw_block(heat, &block);
    }
}

/* --- Around the best -------------------------------------------------------------------------- */

static bool best_at(const struct heat *heat, int64_t row, int64_t column)
{
    bool inside =
        row >= 0 && column >= 0 && row < (int64_t)heat->rows && column < (int64_t)heat->columns;
    return inside && is_best(heat, sweep_plot_point_at(heat, (uint64_t)row, (uint64_t)column));
}

static void draw_outline(const struct heat *heat)
{
    struct smc_picture *picture = heat->page->picture;
    int64_t rows = (int64_t)heat->rows, columns = (int64_t)heat->columns;
    double width = heat->cell_width, height = heat->cell_height;
    for (int64_t r = 0; r <= rows; r++)
        for (int64_t c = 0; c <= columns; c++) {
            double x = heat->left + (double)c * width - 0.5,
                   y = heat->top + (double)r * height - 0.5;
            bool here = best_at(heat, r, c);
            if (here != best_at(heat, r - 1, c))
                smc_picture_line(picture, SMC_STROKE(BEST, 3), x, y, width, 0);
            if (here != best_at(heat, r, c - 1))
                smc_picture_line(picture, SMC_STROKE(BEST, 3), x, y, 0, height);
        }
}

/* --- Axes ------------------------------------------------------------------------------------- */

/* Chooses which values have labels: the first labeled one, and the spacing. */
static void choose_labels(const struct heat *heat, size_t axis, unsigned most, uint64_t *first,
                          uint64_t *every)
{
    const struct smc_axis *varied = &heat->result->sweep->axis[axis];
    uint64_t values = smc_axis_values(varied);
    *first = 0;
    *every = 1;
    if (varied->id == SMC_AXIS_DEVICE)
        return;
    struct smc_ticks ticks = smc_ticks_among(varied->range.first, varied->range.step, values,
                                             tick_kind(varied->id), most);
    *first = (uint64_t)((ticks.first - varied->range.first) / varied->range.step);
    *every = ticks.step ? (uint64_t)(ticks.step / varied->range.step) : values;
}

static void draw_row_labels(const struct heat *heat)
{
    const struct smc_canvas *canvas = &heat->page->canvas;
    double gap = canvas->cells ? 1 : 6;
    uint64_t first, every;
    unsigned most = (unsigned)((double)heat->rows * heat->cell_height / canvas->line_height);
    choose_labels(heat, heat->down, most ? most : 1, &first, &every);
    for (uint64_t value = first; value < heat->rows; value += every) {
        uint64_t row = heat->upwards ? heat->rows - 1 - value : value;
        smc_auto_text label = {0};
        double y = heat->top + ((double)row + 0.5) * heat->cell_height - canvas->line_height / 2;
        smc_sweep_label(heat->result->sweep, heat->down, value, &label);
        smc_picture_text(heat->page->picture, SMC_LOOK(MUTED, NORMAL, END), heat->left - gap,
                         canvas->cells ? floor(y + 0.5) : y, smc_text_string(&label));
    }
}

static void sweep_draw_column_labels(const struct heat *heat, double y)
{
    const struct smc_canvas *canvas = &heat->page->canvas;
    uint64_t first, every;
    double wanted =
        sweep_label_width(heat->result->sweep, heat->across, canvas) + 2 * canvas->char_width;
    double most = (double)heat->columns * heat->cell_width / wanted;
    choose_labels(heat, heat->across, most < 1 ? 1 : (unsigned)most, &first, &every);
    for (uint64_t value = first; value < heat->columns; value += every) {
        smc_auto_text label = {0};
        smc_sweep_label(heat->result->sweep, heat->across, value, &label);
        smc_picture_text(heat->page->picture, SMC_LOOK(MUTED, NORMAL, MIDDLE),
                         (sweep_plot_x_of(heat, value) + sweep_plot_x_of(heat, value + 1)) / 2, y,
                         smc_text_string(&label));
    }
}

static void append_axis_name(const struct heat *heat, size_t axis, struct smc_text *name)
{
    const struct smc_axis_info *info = &smc_axis_info[heat->result->sweep->axis[axis].id];
    smc_text_printf(name, "%s%s%s%s", info->label, *info->unit ? " (" : "", info->unit,
                    *info->unit ? ")" : "");
}

static void draw_axis_name(const struct heat *heat, size_t axis, double x, double y)
{
    smc_auto_text name = {0};
    append_axis_name(heat, axis, &name);
    smc_picture_text(heat->page->picture, SMC_LOOK(MUTED, NORMAL, START), x, y,
                     smc_text_string(&name));
}

/* Centered below the columns, but within the margin. */
static double start_of_name(const struct heat *heat)
{
    smc_auto_text name = {0};
    append_axis_name(heat, heat->across, &name);
    double width =
        smc_canvas_text_width(&heat->page->canvas, SMC_FACE_NORMAL, smc_text_string(&name));
    double start = heat->left + ((double)heat->columns * heat->cell_width - width) / 2;
    double least = smc_page_left(heat->page);
    return start < least ? least : start;
}

/* --- The whole -------------------------------------------------------------------------------- */

/* Cells are as wide as the page allows, up to a maximum; rows are at least as high as a label. */
static void sweep_measure(struct heat *heat)
{
    struct smc_page *page = heat->page;
    const struct smc_canvas *canvas = &page->canvas;
    double labels = sweep_label_width(heat->result->sweep, heat->down, canvas);
    double most = (smc_page_right(page) - smc_page_left(page)) / 2;
    heat->left = smc_page_left(page) + (labels < most ? labels : most) + canvas->gap;
    double room = smc_page_right(page) - heat->left;
    double widest = canvas->cells ? 8 : 110;
    heat->cell_width = room / (double)heat->columns;
    if (heat->cell_width > widest)
        heat->cell_width = widest;
    if (canvas->cells && heat->cell_width > 1)
        heat->cell_width = floor(heat->cell_width);
    double low = canvas->cells ? 20 : 460, row = canvas->cells ? 1 : canvas->line_height;
    heat->cell_height = low / (double)heat->rows;
    if (heat->cell_height > 1.6 * row)
        heat->cell_height = canvas->cells ? 1 : 1.6 * row;
    bool devices = heat->result->sweep->axis[heat->down].id == SMC_AXIS_DEVICE;
    if (devices && heat->cell_height < row)
        heat->cell_height = row;
}

/* The shade is relative to the fastest. */
static void sweep_append_terms(const struct heat *heat, uint32_t terms, struct smc_text *letters)
{
    const char *unit;
    smc_words_time_unit(heat->best, &unit);
    smc_text_printf(letters, "Time in %s, shaded by the speed, 100 %% the fastest%s", unit,
                    terms ? "; bound by:" : "");
    for (int i = 0; i < SMC_TIME_TERM_COUNT; i++)
        if (terms & 1u << i)
            smc_text_printf(letters, " %c %s%s", smc_words_time_letter((enum smc_time_term)i),
                            smc_time_term_info[i].label, terms >> i > 1 ? "," : "");
}

static void add_legend(const struct heat *heat)
{
    struct smc_legend legend = {.heat = true, .best = heat->best < 0 ? NULL : "the best"};
    smc_auto_text letters = {0};
    bool times = heat->result->sweep->times;
    uint32_t states = 0;
    for (uint64_t i = 0; i < heat->result->answered; i++)
        states |= 1u << heat->result->point[i].state;
    if (states & 1u << SMC_POINT_REFUSED)
        legend.inks = 1u << SMC_INK_REFUSED;
    smc_page_legend(heat->page, &legend);
    heat->page->y -= heat->page->canvas.cells ? 0 : heat->page->canvas.gap;
    if (times && heat->best >= 0)
        sweep_append_terms(heat, heat->shown, &letters);
    else if (heat->shown)
        smc_text_append(&letters, "Percent, rounded, and the limits that bind:");
    for (int i = 0; i < SMC_LIMIT_COUNT && !times; i++)
        if (heat->shown & 1u << i)
            smc_text_printf(&letters, " %c %s%s", smc_words_limit_letter((enum smc_limit)i),
                            smc_limit_label((enum smc_limit)i), heat->shown >> i > 1 ? "," : "");
    if (states & 1u << SMC_POINT_NO_ANSWER)
        smc_text_append(&letters,
                        letters.length ? "; blank: no such launch" : "Blank: no such launch.");
    if (letters.length)
        smc_page_heading(heat->page, SMC_FACE_NORMAL, SMC_INK_MUTED, smc_text_string(&letters));
    heat->page->y += heat->page->canvas.gap;
}

static void draw_heat(const struct smc_sweep_result *result, struct smc_page *page)
{
    const struct smc_axis *axis = result->sweep->axis;
    bool first_down =
        axis[0].id == SMC_AXIS_DEVICE || smc_axis_values(&axis[0]) <= smc_axis_values(&axis[1]);
    struct heat heat = {
        .result = result,
        .page = page,
        .down = first_down ? 0 : 1,
        .across = first_down ? 1 : 0,
        .upwards = axis[0].id != SMC_AXIS_DEVICE,
        .best = result->sweep->times ? smc_sweep_fastest_ms(result) : smc_sweep_best(result),
    };
    heat.rows = smc_axis_values(&axis[heat.down]);
    heat.columns = smc_axis_values(&axis[heat.across]);
    sweep_measure(&heat);
    heat.measuring = true;
    draw_blocks(&heat);
    heat.measuring = false;
    add_legend(&heat);
    const struct smc_canvas *canvas = &page->canvas;
    draw_axis_name(&heat, heat.down, smc_page_left(page), page->y);
    heat.top = page->y + canvas->line_height * (canvas->cells ? 1 : 1.2);
    if (!canvas->cells && heat.cell_height < canvas->line_height)
        heat.top += (canvas->line_height - heat.cell_height) / 2; /* of the first row's label */
    draw_blocks(&heat);
    if (!canvas->cells && heat.best >= 0)
        draw_outline(&heat);
    draw_row_labels(&heat);
    double bottom = ceil(heat.top + (double)heat.rows * heat.cell_height);
    sweep_draw_column_labels(&heat, bottom + (canvas->cells ? 0 : 3));
    page->y = bottom + canvas->line_height + (canvas->cells ? 0 : 4);
    draw_axis_name(&heat, heat.across, start_of_name(&heat), page->y);
    page->y += canvas->line_height + (canvas->cells ? 0 : canvas->gap);
}

/* --- The whole picture ------------------------------------------------------------------------ */

enum smc_status smc_plot_sweep(const struct smc_sweep_result *result,
                               const struct smc_canvas *canvas, struct smc_picture *picture,
                               struct smc_error *error)
{
    SMC_TRY(smc_plot_check(result->sweep, error));
    struct smc_page page = smc_page_begin(picture, canvas);
    sweep_draw_heading(&page, result);
    if (result->sweep->axis_count == 2)
        draw_heat(result, &page);
    else if (result->sweep->axis[0].id == SMC_AXIS_DEVICE)
        draw_devices(result, &page);
    else
        draw_values(result, &page);
    smc_page_end(&page);
    return picture->failed ? smc_out_of_memory(error) : SMC_OK;
}
