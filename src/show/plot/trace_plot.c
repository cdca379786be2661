/* A trace as a picture: where the time of the GPU goes and at which occupancy, and the course of
   the program. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "show/plot/chart.h"
#include "show/plot/plot.h"
#include "show/words/kernel_names.h"
#include "show/words/words.h"

enum { WHOLE = 100, NAMED = 12 };

static enum smc_ink trace_ink_of(enum smc_trace_bound bound)
{
    static const enum smc_ink inks[SMC_TRACE_BOUND_COUNT] = {
        [SMC_TRACE_BOUND_NONE] = SMC_INK_FULL,
        [SMC_TRACE_BOUND_GRID] = SMC_INK_SMALL_GRID,
#define SMC_LIMIT(id, name, label)                                                                 \
    [SMC_TRACE_BOUND_##id] = SMC_INK_FIRST_LIMIT + (int)SMC_LIMIT_##id,
#include "rules/limits.def"
        [SMC_TRACE_BOUND_UNKNOWN] = SMC_INK_UNKNOWN,
    };
    return inks[bound];
}

struct trace_picture {
    const struct smc_trace_answer *answer;
    struct smc_page page;
    struct smc_text name[NAMED]; /* of the first kernels */
    size_t named;
};

/* --- Words ------------------------------------------------------------------------------------ */

/* The beginning of a text that fits into the width; a character is as wide as the canvas takes it
   to be. */
static void append_fitting(const struct smc_canvas *canvas, enum smc_face face, const char *text,
                           double width, struct smc_text *out)
{
    static const char ellipsis[] = "\xe2\x80\xa6";
    double each = smc_canvas_text_width(canvas, face, "m");
    bool cut = smc_canvas_text_width(canvas, face, text) > width;
    for (double used = cut ? each : 0; *text && used + each <= width + 0.01; used += each) {
        char bytes[4];
        uint32_t character = smc_utf8_next(&text);
        if (smc_utf8_columns(character) != 1)
            character = '?';
        smc_text_append_bytes(out, bytes, smc_utf8_encode(character, bytes));
    }
    if (cut)
        smc_text_append(out, ellipsis);
}

static void trace_plot_append_time(double ns, struct smc_text *out)
{
    smc_words_time(ns / 1e6, out);
    smc_words_untie(out);
}

static void trace_plot_append_count(uint64_t count, const char *what, struct smc_text *out)
{
    smc_text_printf(out, "%" PRIu64 " %s%s", count, what, smc_text_plural(count));
}

static void trace_append_devices(const struct smc_canvas *canvas,
                                 const struct smc_trace_answer *answer, struct smc_text *out)
{
    enum { NAME_CHARS = 40 };
    const struct smc_trace *trace = answer->trace;
    const struct smc_device *only = answer->instead            ? answer->instead
                                    : trace->device_count == 1 ? &trace->devices[0].device
                                                               : NULL;
    if (only && *only->name)
        append_fitting(canvas, SMC_FACE_TITLE, only->name,
                       NAME_CHARS * smc_canvas_text_width(canvas, SMC_FACE_TITLE, "m"), out);
    else if (trace->device_count > 1)
        trace_plot_append_count(trace->device_count, "GPU", out);
    else
        smc_text_append(out, "an unknown GPU");
}

static void trace_append_verdict(const struct smc_trace_answer *answer, struct smc_text *line)
{
    char percent[32];
    if (answer->occupancy_percent < 0) {
        smc_text_append(line, "No occupancy is known");
        return;
    }
    smc_words_percent(answer->occupancy_percent, percent);
    smc_text_printf(line, "Occupancy %s on average over the %s", percent,
                    answer->has_times                 ? "time"
                    : answer->trace->launches_unknown ? "kernels"
                                                      : "launches");
    if (answer->resident_percent < 0 || answer->resident_percent > answer->occupancy_percent - 0.5)
        return;
    smc_words_percent(answer->resident_percent, percent);
    smc_text_printf(line, "; %s with small grids and last waves", percent);
}

static void trace_append_subject(const struct smc_canvas *canvas,
                                 const struct smc_trace_answer *answer, struct smc_text *line)
{
    enum { TOOL_CHARS = 50 };
    const struct smc_trace *trace = answer->trace;
    trace_plot_append_count(answer->kernel_count, "kernel", line);
    smc_text_append(line, ", ");
    trace_plot_append_count(answer->row_count, "configuration", line);
    if (!trace->launches_unknown)
        smc_text_printf(line, ", %" PRIu64 " launch%s", answer->launches,
                        answer->launches == 1 ? "" : "es");
    if (answer->has_times) {
        smc_text_append(line, ", ");
        trace_plot_append_time((double)answer->total_ns, line);
    }
    smc_text_append(line, "; recorded by ");
    append_fitting(canvas, SMC_FACE_NORMAL,
                   trace->tool ? trace->tool : smc_trace_sources[trace->source].words,
                   TOOL_CHARS * canvas->char_width, line);
}

static void trace_draw_head(struct trace_picture *plot)
{
    const struct smc_trace_answer *answer = plot->answer;
    struct smc_page *page = &plot->page;
    const char *traced = answer->trace->program ? answer->trace->program : answer->trace->file;
    smc_auto_text title = {0}, verdict = {0}, subject = {0}, device = {0};
    trace_append_devices(&page->canvas, answer, &device);
    double room = smc_page_right(page) - smc_page_left(page) -
                  smc_canvas_text_width(&page->canvas, SMC_FACE_TITLE, smc_text_string(&device)) -
                  smc_canvas_text_width(&page->canvas, SMC_FACE_TITLE, " on ");
    append_fitting(&page->canvas, SMC_FACE_TITLE, traced ? traced : "the program", room, &title);
    smc_text_printf(&title, " on %s", smc_text_string(&device));
    trace_append_verdict(answer, &verdict);
    trace_append_subject(&page->canvas, answer, &subject);
    smc_page_text(page, SMC_LOOK(TEXT, TITLE, START), smc_page_left(page), smc_text_string(&title));
    page->y += smc_canvas_line_height(&page->canvas, SMC_FACE_TITLE);
    page->y += page->canvas.metrics->after_title;
    smc_page_heading(page, SMC_FACE_STRONG, SMC_INK_TEXT, smc_text_string(&verdict));
    smc_page_heading(page, SMC_FACE_NORMAL, SMC_INK_MUTED, smc_text_string(&subject));
    page->y += page->canvas.metrics->after_heading;
}

/* --- The legend: what bounds, with its share, the largest first ------------------------------- */

struct legend_row {
    struct smc_page *page;
    double x;
};

static void trace_add_entry(struct legend_row *row, enum smc_ink ink, const char *text)
{
    struct smc_page *page = row->page;
    const struct smc_canvas *canvas = &page->canvas;
    double sample = canvas->metrics->sample_width, gap = canvas->metrics->sample_gap;
    double inset = canvas->metrics->sample_inset;
    double width = sample + gap + smc_canvas_text_width(canvas, SMC_FACE_NORMAL, text);
    if (row->x + width > smc_page_right(page)) {
        row->x = smc_page_left(page);
        page->y += canvas->line_height;
    }
    smc_picture_area(page->picture, ink, row->x, page->y + inset, sample,
                     canvas->line_height - 2 * inset, 0);
    smc_page_text(page, SMC_LOOK(TEXT, NORMAL, START), row->x + sample + gap, text);
    row->x += width + (canvas->cells ? 2 : 18);
}

static double resident_of(const struct smc_trace_row *row)
{
    bool known = row->has_waves && row->resident_percent >= 0;
    return known ? row->resident_percent : row->occupancy_percent;
}

static bool leaves_empty(const struct smc_trace_answer *answer)
{
    double lost = 0;
    for (size_t i = 0; i < answer->row_count; i++)
        if (!answer->rows[i].unknown)
            lost += answer->rows[i].share *
                    (answer->rows[i].occupancy_percent - resident_of(&answer->rows[i]));
    return lost > 0.5;
}

static void trace_draw_legend(struct trace_picture *plot)
{
    struct smc_page *page = &plot->page;
    struct legend_row row = {page, smc_page_left(page)};
    for (int i = smc_words_next_bound(plot->answer->bound_share, -1); i < SMC_TRACE_BOUND_COUNT;
         i = smc_words_next_bound(plot->answer->bound_share, i)) {
        char percent[32], text[96];
        smc_words_percent(WHOLE * plot->answer->bound_share[i], percent);
        snprintf(text, sizeof text, "%s %s", smc_trace_bounds[i].label, percent);
        trace_add_entry(&row, trace_ink_of((enum smc_trace_bound)i), text);
    }
    if (leaves_empty(plot->answer))
        trace_add_entry(&row, SMC_INK_LEFT_EMPTY, "left empty by small grids and last waves");
    page->y += page->canvas.line_height + (page->canvas.cells ? 1 : page->canvas.gap);
}

/* --- Panels ----------------------------------------------------------------------------------- */

static void label_ns(double ns, char text[32])
{
    static const struct {
        double size;
        const char *unit;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
    size_t i = 0;
    while (i + 1 < sizeof units / sizeof *units && ns < units[i].size)
        i++;
    if (ns < 1)
        snprintf(text, 32, "0");
    else
        snprintf(text, 32, "%.4g %s", ns / units[i].size, units[i].unit);
}

static void draw_panel_title(struct smc_page *page, const char *title, const char *remark)
{
    smc_page_text(page, SMC_LOOK(TEXT, STRONG, START), smc_page_left(page), title);
    smc_page_text(page, SMC_LOOK(MUTED, NORMAL, END), smc_page_right(page), remark);
    page->y += page->canvas.metrics->title_height;
}

/* Edges of areas: in cells unlike chart_x and chart_y of chart.c, which are the middle of a cell.
 */
static double x_at(const struct smc_chart *chart, double share)
{
    return chart->left + fmin(fmax(share, 0), 1) * (chart->right - chart->left);
}

static double y_at(const struct smc_chart *chart, double percent)
{
    return chart->bottom - fmin(fmax(percent, 0), WHOLE) / WHOLE * (chart->bottom - chart->top);
}

/* An area between two heights in percent. */
static void trace_plot_fill(const struct smc_chart *chart, enum smc_ink ink, double left,
                            double right, double from, double to)
{
    double top = y_at(chart, to), bottom = y_at(chart, from);
    if (bottom > top && right > left)
        smc_picture_area(chart->page->picture, ink, left, top, right - left, bottom - top, 0);
}

/* --- Share of the time and occupancy ---------------------------------------------------------- */

/* Configurations, or several together: the width is their share, the height their occupancy. */
struct bar {
    enum smc_trace_bound bound;
    double share, occupancy, resident;
};

static struct bar bar_of(const struct smc_trace_row *row)
{
    struct bar bar = {row->bound, row->share, row->occupancy_percent, resident_of(row)};
    if (row->unknown || bar.occupancy < 0) /* as high as it could be */
        bar = (struct bar){SMC_TRACE_BOUND_UNKNOWN, row->share, WHOLE, WHOLE};
    return bar;
}

static void trace_draw_bar(const struct smc_chart *chart, const struct bar *bar, double left,
                           double right)
{
    enum smc_ink ink = trace_ink_of(bar->bound);
    trace_plot_fill(chart, ink, left, right, 0, bar->resident);
    trace_plot_fill(chart, SMC_INK_LEFT_EMPTY, left, right, bar->resident, bar->occupancy);
    if (!chart->page->canvas.cells && right - left > 1)
        smc_picture_line(chart->page->picture, (struct smc_stroke){ink, 1.5, false}, left,
                         y_at(chart, bar->occupancy), right - left, 0);
}

/* To distinguish neighbours. */
static double end_of(const struct smc_chart *chart, double left, double right)
{
    if (chart->page->canvas.cells)
        return right - left >= 3 ? floor(right + 0.5) - 1 : right;
    return right - left > 4 ? right - 1.5 : right;
}

/* The number in the table below, and the name as far as there is space. */
static void trace_append_label(const struct trace_picture *plot, size_t kernel, double room,
                               struct smc_text *out)
{
    enum { LEAST_CHARS = 9 };
    const struct smc_canvas *canvas = &plot->page.canvas;
    smc_auto_text text = {0};
    smc_text_printf(&text, "%zu %s", kernel + 1, smc_text_string(&plot->name[kernel]));
    double whole = smc_canvas_text_width(canvas, SMC_FACE_NORMAL, smc_text_string(&text));
    if (whole <= room || room >= LEAST_CHARS * canvas->char_width)
        append_fitting(canvas, SMC_FACE_NORMAL, smc_text_string(&text), room, out);
    else
        smc_text_printf(out, "%zu", kernel + 1);
}

/* Above a bar, or in it if it ends at the top. */
static void trace_draw_label(const struct trace_picture *plot, const struct smc_chart *chart,
                             size_t kernel, double left, double right, double percent)
{
    const struct smc_canvas *canvas = &plot->page.canvas;
    double line = canvas->line_height, pad = canvas->metrics->name_pad, top = y_at(chart, percent);
    smc_auto_text text = {0};
    trace_append_label(plot, kernel, right - left - pad, &text);
    double width = smc_canvas_text_width(canvas, SMC_FACE_NORMAL, smc_text_string(&text));
    if (width <= right - left) {
        bool above = top - line >= chart->top;
        double y = canvas->cells ? ceil(top - 0.5) - above : above ? top - line : top + 2;
        bool backed = width + pad <= right - left && (!canvas->cells || !above);
        const struct smc_text_look look = {SMC_INK_TEXT, SMC_FACE_NORMAL, SMC_ANCHOR_MIDDLE,
                                           backed};
        smc_picture_text(chart->page->picture, look, (left + right) / 2, y, smc_text_string(&text));
    }
}

/* Returns the share at its end. */
static double trace_draw_kernel(const struct trace_picture *plot, const struct smc_chart *chart,
                                size_t index, double share)
{
    const struct smc_trace_kernel *kernel = &plot->answer->kernels[index];
    const struct smc_trace_row *row = &plot->answer->rows[kernel->first];
    double left = x_at(chart, share);
    double last = end_of(chart, left, x_at(chart, share + kernel->share));
    for (size_t i = 0; i < kernel->count; i++) {
        struct bar bar = bar_of(&row[i]);
        double from = x_at(chart, share), to = x_at(chart, share + bar.share);
        trace_draw_bar(chart, &bar, from, fmin(to, last));
        if (i == 0 && index < plot->named)
            trace_draw_label(plot, chart, index, from, to, bar.occupancy);
        share += bar.share;
    }
    return share;
}

/* The kernels from `first` on together, a bar for each bound. */
static void draw_rest(const struct trace_picture *plot, const struct smc_chart *chart, size_t first,
                      double share)
{
    const struct smc_trace_answer *answer = plot->answer;
    struct bar bar[SMC_TRACE_BOUND_COUNT] = {0};
    size_t row = first < answer->kernel_count ? answer->kernels[first].first : answer->row_count;
    for (; row < answer->row_count; row++) {
        struct bar one = bar_of(&answer->rows[row]);
        struct bar *sum = &bar[one.bound];
        sum->share += one.share;
        sum->occupancy += one.share * one.occupancy;
        sum->resident += one.share * one.resident;
    }
    for (int i = 0; i < SMC_TRACE_BOUND_COUNT; i++) {
        if (bar[i].share <= 0)
            continue;
        double left = x_at(chart, share), right = x_at(chart, share + bar[i].share);
        bar[i].bound = (enum smc_trace_bound)i;
        bar[i].occupancy /= bar[i].share;
        bar[i].resident /= bar[i].share;
        trace_draw_bar(chart, &bar[i], left, end_of(chart, left, right));
        share += bar[i].share;
    }
}

static void draw_average(const struct trace_picture *plot, const struct smc_chart *chart)
{
    double percent = plot->answer->occupancy_percent;
    if (percent >= 0)
        smc_chart_line(chart, SMC_DASHED(NOW, 1.2), 0, percent, WHOLE, percent);
}

/* Where the kernels that the table names end. */
static void draw_divider(const struct trace_picture *plot, const struct smc_chart *chart,
                         double share)
{
    if (plot->named < plot->answer->kernel_count && !chart->page->canvas.cells)
        smc_picture_line(chart->page->picture, SMC_DASHED(MUTED, 1), x_at(chart, share), chart->top,
                         0, chart->bottom - chart->top + 6);
}

static void draw_shares(struct trace_picture *plot)
{
    const struct smc_trace_answer *answer = plot->answer;
    const bool cells = plot->page.canvas.cells;
    const struct smc_scale x = {.name = answer->has_times
                                            ? "share of the GPU's time, the longest kernel first"
                                        : answer->trace->launches_unknown
                                            ? "share of the kernels (no launches were recorded)"
                                            : "share of the launches (no times were recorded)",
                                .high = WHOLE,
                                .label = smc_chart_percent};
    const struct smc_scale y = {.name = "occupancy", .high = WHOLE, .label = smc_chart_percent};
    char percent[32], remark[64] = "";
    smc_words_percent(answer->occupancy_percent, percent);
    if (answer->occupancy_percent >= 0)
        snprintf(remark, sizeof remark, "dashed: %s on average", percent);
    draw_panel_title(&plot->page, "Kernels", remark);
    const double height = plot->page.canvas.plot_height;
    plot->page.canvas.plot_height = cells ? 12 : 1.3 * height;
    struct smc_chart chart = smc_chart_begin(&plot->page, &x, &y);
    plot->page.canvas.plot_height = height;
    const double least = (cells ? 1.5 : 3) / (chart.right - chart.left);
    double share = 0, named_share = 0;
    size_t i = 0;
    if (cells)
        draw_average(plot, &chart);
    for (; i < answer->kernel_count && (i < plot->named || answer->kernels[i].share >= least);
         i++) {
        share = trace_draw_kernel(plot, &chart, i, share);
        named_share = i < plot->named ? share : named_share;
    }
    draw_rest(plot, &chart, i, share);
    draw_divider(plot, &chart, named_share);
    if (!cells)
        draw_average(plot, &chart);
}

/* --- The largest kernels as a table ----------------------------------------------------------- */

/* Columns in characters from the right margin: where numbers end and texts begin. */
enum {
    BOUND_AT = 17,
    OCCUPANCY_END = 19,
    LAUNCHES_END = 27,
    TIME_END = 37,
    SHARE_END = 46,
    NUMBER_COLUMNS = 4
};

/* A narrow page leaves out times and launches. */
static bool is_narrow(const struct smc_page *page)
{
    enum { LEAST_CHARS = 72 };
    return page->canvas.width < LEAST_CHARS * page->canvas.char_width;
}

static int share_end(const struct smc_page *page)
{
    return is_narrow(page) ? LAUNCHES_END : SHARE_END;
}

static double column(const struct smc_page *page, double from_right)
{
    return smc_page_right(page) - from_right * page->canvas.char_width;
}

/* What bounds most of its time, and how many other bounds there are: "registers +1". */
static void trace_append_bounds(const struct smc_canvas *canvas,
                                const struct smc_trace_answer *answer,
                                const struct smc_trace_kernel *kernel, struct smc_text *out)
{
    char text[64];
    int others;
    const enum smc_trace_bound most = smc_trace_main_bound(answer, kernel, &others);
    snprintf(text, sizeof text, others > 0 ? "%s +%d" : "%s", smc_trace_bounds[most].label, others);
    append_fitting(canvas, SMC_FACE_NORMAL, text, BOUND_AT * canvas->char_width, out);
}

static void draw_table_head(struct smc_page *page, bool times)
{
    smc_page_text(page, SMC_LOOK(MUTED, NORMAL, START),
                  smc_page_left(page) + NUMBER_COLUMNS * page->canvas.char_width, "kernel");
    smc_page_text(page, SMC_LOOK(MUTED, NORMAL, END), column(page, share_end(page)), "share");
    if (times && !is_narrow(page))
        smc_page_text(page, SMC_LOOK(MUTED, NORMAL, END), column(page, TIME_END), "time");
    if (!is_narrow(page))
        smc_page_text(page, SMC_LOOK(MUTED, NORMAL, END), column(page, LAUNCHES_END), "launches");
    smc_page_text(page, SMC_LOOK(MUTED, NORMAL, END), column(page, OCCUPANCY_END), "occup.");
    smc_page_text(page, SMC_LOOK(MUTED, NORMAL, START), column(page, BOUND_AT), "limited by");
    page->y += page->canvas.line_height;
}

static void trace_plot_put_number(struct smc_page *page, int end, const char *text)
{
    smc_page_text(page, SMC_LOOK(TEXT, NORMAL, END), column(page, end), text);
}

static void trace_draw_numbers(struct smc_page *page, double share, uint64_t ns, uint64_t launches,
                               double occupancy)
{
    smc_auto_text time = {0};
    char text[32];
    smc_words_percent(WHOLE * share, text);
    trace_plot_put_number(page, share_end(page), text);
    smc_words_percent(occupancy, text);
    trace_plot_put_number(page, OCCUPANCY_END, occupancy < 0 ? "-" : text);
    if (is_narrow(page))
        return;
    if (ns > 0)
        trace_plot_append_time((double)ns, &time);
    trace_plot_put_number(page, TIME_END, smc_text_string(&time));
    snprintf(text, sizeof text, launches < 10000000 ? "%.0f" : "%.2g", (double)launches);
    if (launches == 0) /* unknown */
        snprintf(text, sizeof text, "-");
    trace_plot_put_number(page, LAUNCHES_END, text);
}

static void draw_kernel_row(struct trace_picture *plot, size_t index)
{
    struct smc_page *page = &plot->page;
    const struct smc_trace_kernel *kernel = &plot->answer->kernels[index];
    const double each = page->canvas.char_width;
    const double left = smc_page_left(page) + NUMBER_COLUMNS * each;
    smc_auto_text name = {0}, bound = {0};
    char number[24];
    snprintf(number, sizeof number, "%zu", index + 1);
    append_fitting(&page->canvas, SMC_FACE_NORMAL, smc_text_string(&plot->name[index]),
                   column(page, share_end(page) + 7) - left, &name);
    trace_append_bounds(&page->canvas, plot->answer, kernel, &bound);
    smc_page_text(page, SMC_LOOK(MUTED, NORMAL, END), left - each, number);
    smc_page_text(page, SMC_LOOK(TEXT, NORMAL, START), left, smc_text_string(&name));
    trace_draw_numbers(page, kernel->share, kernel->total_ns,
                       plot->answer->trace->launches_unknown ? 0 : kernel->launches,
                       kernel->occupancy_percent);
    smc_page_text(page, SMC_LOOK(TEXT, NORMAL, START), column(page, BOUND_AT),
                  smc_text_string(&bound));
    page->y += page->canvas.line_height;
}

static void draw_others_row(struct trace_picture *plot)
{
    struct smc_page *page = &plot->page;
    const struct smc_trace_answer *answer = plot->answer;
    double share = 0, sum = 0, weight = 0;
    uint64_t ns = 0, launches = 0;
    char text[48];
    for (size_t i = plot->named; i < answer->kernel_count; i++) {
        const struct smc_trace_kernel *kernel = &answer->kernels[i];
        share += kernel->share;
        ns += kernel->total_ns;
        launches += answer->trace->launches_unknown ? 0 : kernel->launches;
        sum += kernel->occupancy_percent < 0 ? 0 : kernel->share * kernel->occupancy_percent;
        weight += kernel->occupancy_percent < 0 ? 0 : kernel->share;
    }
    snprintf(text, sizeof text, "%zu others", answer->kernel_count - plot->named);
    smc_page_text(page, SMC_LOOK(MUTED, NORMAL, START),
                  smc_page_left(page) + NUMBER_COLUMNS * page->canvas.char_width, text);
    trace_draw_numbers(page, share, ns, launches, weight > 0 ? sum / weight : -1);
    page->y += page->canvas.line_height;
}

static void trace_draw_table(struct trace_picture *plot)
{
    draw_table_head(&plot->page, plot->answer->has_times);
    for (size_t i = 0; i < plot->named; i++)
        draw_kernel_row(plot, i);
    if (plot->named < plot->answer->kernel_count)
        draw_others_row(plot);
    plot->page.y += (plot->page.canvas.cells ? 1 : 2) * plot->page.canvas.gap;
}

/* --- The course ------------------------------------------------------------------------------- */

/* What the GPUs hold during a slice of time; shares of all their warps, which add up to 1 with what
   is empty. */
struct trace_plot_moment {
    double resident[SMC_TRACE_BOUND_COUNT];
    double left_empty;
    double busy; /* share of the time */
};

struct course {
    struct trace_plot_moment moment[SMC_TRACE_SLICES];
    size_t count;
    double ns, busy; /* in all */
};

/* For each launch of the trace its row, or NULL. */
static const struct smc_trace_row **find_rows(const struct smc_trace_answer *answer)
{
    const struct smc_trace_row **rows = smc_calloc(answer->trace->launch_count + 1, sizeof *rows);
    for (size_t i = 0; rows && i < answer->row_count; i++)
        rows[answer->rows[i].launch - answer->trace->launches] = &answer->rows[i];
    return rows;
}

/* Where a launch's device is counted; those of unknown devices are together. */
static size_t trace_plot_place_of(const struct smc_trace *trace, const struct smc_trace_row *row)
{
    return row->launch->device < 0 ? trace->device_count : (size_t)row->launch->device;
}

/* The share of `device` of `devices` in a slice. Launches that overlap share the time. */
static void trace_add_device(const struct smc_trace *trace, const struct smc_trace_row *const *rows,
                             const struct smc_trace_slice *slice, size_t device, size_t devices,
                             struct trace_plot_moment *moment)
{
    const double length = (double)trace->course.slice_ns;
    double total = 0;
    for (size_t i = 0; i < slice->count; i++) {
        const struct smc_trace_row *row = rows[slice->share[i].launch];
        total += row && trace_plot_place_of(trace, row) == device ? (double)slice->share[i].ns : 0;
    }
    moment->busy += fmin(total, length) / length / (double)devices;
    for (size_t i = 0; i < slice->count; i++) {
        const struct smc_trace_row *row = rows[slice->share[i].launch];
        if (!row || trace_plot_place_of(trace, row) != device)
            continue;
        const struct bar bar = bar_of(row);
        const double weight =
            (double)slice->share[i].ns / fmax(total, length) / (double)devices / WHOLE;
        moment->resident[bar.bound] += weight * bar.resident;
        moment->left_empty += weight * (bar.occupancy - bar.resident);
    }
}

/* Of the GPUs that ran anything. False: no memory. */
static bool find_course(const struct smc_trace_answer *answer, struct course *course)
{
    const struct smc_trace *trace = answer->trace;
    smc_auto_free const struct smc_trace_row **rows = find_rows(answer);
    smc_auto_free bool *used = smc_calloc(trace->device_count + 1, sizeof *used);
    size_t devices = 0;
    for (size_t i = 0; rows && used && i < answer->row_count; i++) {
        bool *place = &used[trace_plot_place_of(trace, &answer->rows[i])];
        devices += !*place;
        *place = true;
    }
    for (size_t s = 0; devices > 0 && s < SMC_TRACE_SLICES; s++) {
        const struct smc_trace_slice *slice = &trace->course.slice[s];
        for (size_t d = 0; d <= trace->device_count; d++)
            if (used[d])
                trace_add_device(trace, rows, slice, d, devices, &course->moment[s]);
        course->count = slice->count > 0 ? s + 1 : course->count;
        course->busy += course->moment[s].busy;
    }
    course->ns = (double)course->count * (double)trace->course.slice_ns;
    course->busy /= course->count ? (double)course->count : 1;
    return rows && used;
}

static void add_moment(const struct trace_plot_moment *moment, double weight,
                       struct trace_plot_moment *sum)
{
    for (int i = 0; i < SMC_TRACE_BOUND_COUNT; i++)
        sum->resident[i] += weight * moment->resident[i];
    sum->left_empty += weight * moment->left_empty;
    sum->busy += weight * moment->busy;
}

/* The mean over the slices from `from` to `to`, which may be fractions. */
static struct trace_plot_moment mean_between(const struct course *course, double from, double to)
{
    struct trace_plot_moment mean = {0};
    for (size_t i = (size_t)from; i < course->count && (double)i < to; i++) {
        double begin = fmax(from, (double)i), end = fmin(to, (double)i + 1);
        add_moment(&course->moment[i], (end - begin) / (to - from), &mean);
    }
    return mean;
}

/* One column of the picture: what fills the GPU, from below, and above how busy it is. Returns how
   much is taken by resident warps, in percent. */
static double draw_moment(const struct smc_chart *chart, const struct trace_plot_moment *moment,
                          double left, double right, double strip_top, double strip_height)
{
    double percent = 0;
    for (int i = 0; i < SMC_TRACE_BOUND_COUNT; i++) {
        double next = percent + WHOLE * moment->resident[i];
        trace_plot_fill(chart, trace_ink_of((enum smc_trace_bound)i), left, right, percent, next);
        percent = next;
    }
    trace_plot_fill(chart, SMC_INK_LEFT_EMPTY, left, right, percent,
                    percent + WHOLE * moment->left_empty);
    if (moment->busy > 0)
        smc_picture_area(chart->page->picture, SMC_INK_HEAT, left, strip_top, right - left,
                         strip_height, fmin(0.25 + 0.75 * moment->busy, 1));
    return percent;
}

static void draw_moments(const struct smc_chart *chart, const struct course *course,
                         double strip_top, double strip_height)
{
    enum { MOST_COLUMNS = 220 };
    const bool cells = chart->page->canvas.cells;
    const double width = chart->right - chart->left;
    const int columns = cells ? (int)width : MOST_COLUMNS;
    const double each = (double)course->count / columns;
    double before = 0;
    for (int i = 0; i < columns; i++) {
        /* Whole points: areas that touch have no seam. */
        double left = floor(chart->left + i * width / columns + 0.5);
        double right = floor(chart->left + (i + 1) * width / columns + 0.5);
        struct trace_plot_moment moment = mean_between(course, i * each, (i + 1) * each);
        double percent = draw_moment(chart, &moment, left, right, strip_top, strip_height);
        if (cells)
            continue;
        smc_picture_line(chart->page->picture, SMC_STROKE(CURVE, 1), left, y_at(chart, before), 0,
                         y_at(chart, percent) - y_at(chart, before));
        smc_picture_line(chart->page->picture, SMC_STROKE(CURVE, 1), left, y_at(chart, percent),
                         right - left, 0);
        before = percent;
    }
}

static void draw_course_panel(struct trace_picture *plot, const struct course *course)
{
    struct smc_page *page = &plot->page;
    const bool cells = page->canvas.cells;
    smc_auto_text remark = {0};
    char percent[32];
    const struct smc_scale x = {
        .name = "time since the first launch", .high = course->ns, .label = label_ns};
    const struct smc_scale y = {
        .name = "occupancy; idle time counts as empty", .high = WHOLE, .label = smc_chart_percent};
    smc_words_percent(WHOLE * course->busy, percent);
    smc_text_printf(&remark, "busy %s of ", percent);
    trace_plot_append_time(course->ns, &remark);
    draw_panel_title(page, "Course", smc_text_string(&remark));
    const double strip_top = page->y, strip = cells ? 1 : 0.7 * page->canvas.line_height;
    smc_page_text(page, SMC_LOOK(MUTED, NORMAL, START), smc_page_left(page), "busy");
    page->y += page->canvas.line_height * (cells ? 1 : 1.2);
    struct smc_chart chart = smc_chart_begin(page, &x, &y);
    draw_moments(&chart, course, strip_top + (cells ? 0 : 3), strip);
}

static void draw_course(struct trace_picture *plot)
{
    const struct smc_trace_answer *answer = plot->answer;
    smc_auto_free struct course *course = smc_calloc(1, sizeof *course);
    if (!course || !find_course(answer, course))
        plot->page.picture->failed = true;
    else if (course->count > 0)
        draw_course_panel(plot, course);
    else
        smc_page_heading(&plot->page, SMC_FACE_NORMAL, SMC_INK_MUTED,
                         answer->has_times
                             ? "No course of the program is drawn: when its launches ran was not "
                               "recorded, only how long they took."
                             : "No course of the program is drawn: no times were recorded.");
}

/* --- The whole -------------------------------------------------------------------------------- */

/* The first kernels by names that are distinct among all. */
static void trace_name_kernels(struct trace_picture *plot)
{
    const struct smc_trace_answer *answer = plot->answer;
    SMC_AUTO(smc_kernel_names_free) struct smc_kernel_names names = {0};
    smc_kernel_names_of_trace(&names, answer);
    plot->named = answer->kernel_count < NAMED ? answer->kernel_count : NAMED;
    for (size_t i = 0; i < plot->named; i++)
        smc_kernel_names_choose(&names, answer->kernels[i].shown, &plot->name[i]);
}

void smc_plot_trace(const struct smc_trace_answer *answer, const struct smc_canvas *canvas,
                    struct smc_picture *picture)
{
    struct trace_picture plot = {.answer = answer, .page = smc_page_begin(picture, canvas)};
    trace_name_kernels(&plot);
    trace_draw_head(&plot);
    if (answer->row_count > 0) {
        trace_draw_legend(&plot);
        draw_shares(&plot);
        trace_draw_table(&plot);
        draw_course(&plot);
    }
    smc_page_end(&plot.page);
    for (size_t i = 0; i < plot.named; i++)
        smc_text_free(&plot.name[i]);
}
