/* The roofline: what the ceilings of a device allow at each arithmetic intensity, and the kernels
   under them. */
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "machine/rates.h"
#include "show/plot/chart.h"
#include "show/plot/plot.h"
#include "show/words/words.h"

enum { SECTOR_BYTES = 32, WAVEFRONT_BYTES = 128, FLOPS_PER_FMA = 2 };

/* --- The ceilings ----------------------------------------------------------------------------- */

enum ceiling { DRAM, L2, L1, FMA, ISSUE, CEILING_COUNT };

enum { LEVEL_COUNT = FMA }; /* the first ones are levels of memory */

static const struct {
    const char *name, *short_name, *unit;
    enum smc_ink ink;
} infos[CEILING_COUNT] = {
    [DRAM] = {"DRAM", "DRAM", "B/s", SMC_INK_DRAM},
    [L2] = {"L2 cache", "L2", "B/s", SMC_INK_L2},
    [L1] = {"L1, shared memory", "L1, shared", "B/s", SMC_INK_L1},
    [FMA] = {"FMA pipe", "FMA", "FLOP/s", SMC_INK_FMA},
    [ISSUE] = {"issue slots", "issue", "inst/s", SMC_INK_ISSUE},
};

/* With tensor cores they are the roof, and their operations are counted. */
static bool has_tensor_roof(const struct smc_answer *answer)
{
    return answer->time.tensor_type != NULL;
}

static double count_operations(const struct smc_answer *answer)
{
    return has_tensor_roof(answer) ? answer->time.tensor_flops : smc_query_flops(answer);
}

static double measured_or_peak(const struct smc_query *query, enum smc_ceiling ceiling)
{
    return smc_ceiling_or_peak(ceiling, &query->ceilings, &query->device);
}

/* Clocks per second of all SMs together. */
static double sm_clocks(const struct smc_query *query)
{
    return measured_or_peak(query, SMC_CEILING_CLOCK) * 1e3 * query->device.sm_count;
}

static bool is_l2_measured(const struct smc_query *query)
{
    return query->ceilings.value[SMC_CEILING_L2] > 0;
}

/* Measured, else what predictions assume: there is no published bandwidth of L2. */
static double l2_rate(const struct smc_query *query)
{
    const struct smc_device *device = &query->device;
    struct smc_rates rates;
    if (is_l2_measured(query) || device->sm_count == 0)
        return query->ceilings.value[SMC_CEILING_L2];
    smc_rates_of(device, &query->ceilings, device->sm_count, &rates);
    return SECTOR_BYTES * rates.clock_hz * device->sm_count / rates.l2_load_clocks;
}

/* Per second, in the ceiling's unit; 0: unknown. */
static double rate_of(const struct smc_answer *answer, enum ceiling ceiling)
{
    const struct smc_query *query = &answer->query;
    switch (ceiling) {
    case DRAM:
        return measured_or_peak(query, SMC_CEILING_READ);
    case L2:
        return l2_rate(query);
    case L1:
        return measured_or_peak(query, SMC_CEILING_SHARED) * sm_clocks(query);
    case FMA:
        return has_tensor_roof(answer)                 ? answer->time.tensor_roof_flops_per_s
               : smc_query_dtype(answer) == SMC_FLOAT  ? measured_or_peak(query, SMC_CEILING_FLOAT)
               : smc_query_dtype(answer) == SMC_DOUBLE ? measured_or_peak(query, SMC_CEILING_DOUBLE)
                                                       : 0;
    case ISSUE:
        return query->device.sm.subpartitions * sm_clocks(query);
    case CEILING_COUNT:
        break;
    }
    return 0;
}

/* --- The work of a launch --------------------------------------------------------------------- */

static bool roofline_plot_is_predicted(const struct smc_answer *answer)
{
    return answer->time.basis != SMC_TIME_UNKNOWN && answer->time.predicted_ms > 0;
}

/* Integers have no floating-point operations. */
static const char *operations_of(const struct smc_answer *answer)
{
    bool integers = has_tensor_roof(answer) ? answer->time.tensor_is_integer
                                            : smc_query_dtype(answer) == SMC_INT32;
    return integers ? "OP" : "FLOP";
}

static void format_flops(const struct smc_answer *answer, double rate, char text[SMC_RATE_CHARS])
{
    char unit[16];
    snprintf(unit, sizeof unit, "%s/s", operations_of(answer));
    smc_chart_rate(rate, unit, text);
}

/* L1 and shared memory have the same data path. */
static double work_of(const struct smc_answer *answer, enum ceiling ceiling)
{
    const struct smc_time *time = &answer->time;
    const double work[CEILING_COUNT] = {
        [DRAM] = time->dram_bytes,
        [L2] = time->l2_sectors * SECTOR_BYTES,
        [L1] = time->shared_wavefronts * WAVEFRONT_BYTES + time->l1_sectors * SECTOR_BYTES,
        [FMA] = count_operations(answer),
        [ISSUE] = time->instructions,
    };
    return work[ceiling];
}

static double per_second(const struct smc_answer *answer, enum ceiling ceiling)
{
    return work_of(answer, ceiling) / (answer->time.predicted_ms * 1e-3);
}

/* What a copy is measured by: each byte of the arrays once. */
static double moved_per_second(const struct smc_answer *answer)
{
    double bytes = answer->has_work ? answer->work.minimum_bytes : answer->time.dram_bytes;
    return bytes / (answer->time.predicted_ms * 1e-3);
}

static bool has_points(const struct smc_answer *answer)
{
    return roofline_plot_is_predicted(answer) && count_operations(answer) > 0;
}

/* FLOP per byte of a level; 0: no byte is moved there. */
static double intensity(const struct smc_answer *answer, enum ceiling level)
{
    double bytes = work_of(answer, level);
    return bytes > 0 ? count_operations(answer) / bytes : 0;
}

/* --- The diagram ------------------------------------------------------------------------------ */

struct roofline {
    const struct smc_answer *answer;
    size_t count;
    struct smc_page page;
    double rate[CEILING_COUNT];
    double issue_flops; /* per second, that the issue slots allow; 0: unknown */
    double top;         /* where the slanted ceilings end, in FLOP/s */
};

/* FLOP per instruction of a warp: those of the kernel, or with several kernels the most possible.
 */
static double flops_per_instruction(const struct roofline *roofline)
{
    const struct smc_answer *answer = roofline->answer;
    if (roofline->count > 1 || !has_points(answer) || answer->time.instructions <= 0)
        return FLOPS_PER_FMA * answer->query.device.sm.warp_size;
    return count_operations(answer) / answer->time.instructions;
}

static void roofline_plot_find_ceilings(struct roofline *roofline)
{
    for (int i = 0; i < CEILING_COUNT; i++)
        roofline->rate[i] = rate_of(roofline->answer, (enum ceiling)i);
    roofline->issue_flops = roofline->rate[ISSUE] * flops_per_instruction(roofline);
    roofline->top = roofline->rate[FMA] > 0 ? roofline->rate[FMA] : roofline->issue_flops;
}

struct extent {
    double low, high;
};

static void include(struct extent *extent, double value)
{
    if (!(value > 0))
        return;
    extent->low = extent->low > 0 && extent->low < value ? extent->low : value;
    extent->high = extent->high > value ? extent->high : value;
}

static void find_scales(const struct roofline *roofline, struct smc_scale *x, struct smc_scale *y)
{
    struct extent across = {0, 0}, up = {0, 0};
    for (int level = 0; level < LEVEL_COUNT; level++)
        if (roofline->rate[level] > 0)
            include(&across, roofline->top / roofline->rate[level]);
    for (size_t i = 0; i < roofline->count; i++) {
        const struct smc_answer *answer = &roofline->answer[i];
        if (!has_points(answer))
            continue;
        include(&up, per_second(answer, FMA));
        for (int level = 0; level < LEVEL_COUNT; level++)
            include(&across, intensity(answer, (enum ceiling)level));
    }
    include(&up, roofline->rate[FMA]);
    include(&up, roofline->issue_flops);
    smc_scale_round(across.low / 3, across.high * 2, x);
    smc_scale_round((up.low < up.high / 20 ? up.low : up.high / 20) / 1.5, up.high * 1.2, y);
}

static void draw_slanted(const struct roofline *roofline, const struct smc_chart *chart,
                         enum ceiling level)
{
    double rate = roofline->rate[level], from = chart->x.low, to = roofline->top / rate;
    if (rate <= 0 || to <= from)
        return;
    if (rate * from < chart->y.low)
        from = chart->y.low / rate;
    smc_chart_line(chart, (struct smc_stroke){infos[level].ink, 2, false}, from, rate * from, to,
                   roofline->top);
}

/* A level ceiling, from where the fastest memory reaches it. */
static void roofline_draw_level(const struct roofline *roofline, const struct smc_chart *chart,
                                enum ceiling ceiling, double flops)
{
    double fastest = 0;
    if (flops <= 0)
        return;
    for (int level = 0; level < LEVEL_COUNT; level++)
        fastest = fmax(fastest, roofline->rate[level]);
    double from = fastest > 0 ? flops / fastest : chart->x.low;
    smc_chart_line(chart, (struct smc_stroke){infos[ceiling].ink, 2, ceiling == ISSUE}, from, flops,
                   chart->x.high, flops);
}

/* Tries places along the line, from its lower end. */
static void name_slanted(const struct roofline *roofline, const struct smc_chart *chart,
                         enum ceiling level)
{
    double rate = roofline->rate[level];
    if (rate <= 0)
        return;
    double from = fmax(chart->x.low, chart->y.low / rate), to = roofline->top / rate;
    for (int i = 3; i < 20; i++) {
        double x = from * pow(to / from, i / 20.0);
        if (to > from && smc_chart_line_label(chart, x, rate * x, infos[level].short_name))
            return;
    }
}

static void name_level(const struct smc_chart *chart, const char *name, double flops)
{
    double span = chart->x.high / chart->x.low;
    for (int i = 19; i > 12 && flops > 0; i--)
        if (smc_chart_line_label(chart, chart->x.low * pow(span, i / 20.0), flops, name))
            return;
}

static void draw_point(const struct smc_chart *chart, enum ceiling level, double x, double y)
{
    if (chart->page->canvas.cells)
        smc_chart_letter(chart, infos[level].ink, x, y, smc_ink_styles[infos[level].ink].letter);
    else
        smc_chart_mark(chart, infos[level].ink, x, y);
}

/* The points of a kernel have the same height. */
static void join_points(const struct smc_chart *chart, const struct smc_answer *answer)
{
    struct extent across = {0, 0};
    double y = per_second(answer, FMA);
    for (int level = 0; level < LEVEL_COUNT; level++)
        include(&across, intensity(answer, (enum ceiling)level));
    if (across.high > across.low)
        smc_chart_line(chart, SMC_STROKE(MUTED, 1), across.low, y, across.high, y);
}

static void draw_points(const struct smc_chart *chart, const struct smc_answer *answer)
{
    for (int level = 0; level < LEVEL_COUNT; level++) {
        double x = intensity(answer, (enum ceiling)level);
        if (x > 0)
            draw_point(chart, (enum ceiling)level, x, per_second(answer, FMA));
    }
}

/* From each point to what its level allows: on paper, for one kernel. */
static void draw_distances(const struct roofline *roofline, const struct smc_chart *chart)
{
    const struct smc_answer *answer = roofline->answer;
    if (roofline->count > 1 || chart->page->canvas.cells || !has_points(answer))
        return;
    for (int level = 0; level < LEVEL_COUNT; level++) {
        double x = intensity(answer, (enum ceiling)level), y = per_second(answer, FMA);
        double allowed = fmin(roofline->rate[level] * x, roofline->top);
        if (allowed > y)
            smc_chart_line(chart, (struct smc_stroke){infos[level].ink, 1, true}, x, allowed, x, y);
    }
}

static void roofline_name_points(const struct roofline *roofline, const struct smc_chart *chart,
                                 size_t index)
{
    const struct smc_answer *answer = &roofline->answer[index];
    const enum smc_face face = index == 0 ? SMC_FACE_STRONG : SMC_FACE_NORMAL;
    struct extent across = {0, 0};
    char number[24];
    for (int level = 0; level < LEVEL_COUNT; level++) {
        double x = intensity(answer, (enum ceiling)level);
        include(&across, x);
        if (roofline->count == 1 && x > 0 && !chart->page->canvas.cells)
            smc_chart_point_label(chart, SMC_FACE_SMALL, x, per_second(answer, FMA),
                                  SMC_LABEL_BELOW, infos[level].short_name);
    }
    if (roofline->count == 1 || across.high <= 0)
        return;
    snprintf(number, sizeof number, "%zu", index + 1);
    const char *name = smc_words_kernel_name(&answer->query);
    bool named = !chart->page->canvas.cells && name &&
                 smc_chart_point_label(chart, face, across.high, per_second(answer, FMA),
                                       SMC_LABEL_ABOVE, name);
    if (!named)
        smc_chart_point_label(chart, face, across.high, per_second(answer, FMA), SMC_LABEL_ABOVE,
                              number);
}

static void label_intensity(double value, char text[32])
{
    if (value < 1)
        snprintf(text, 32, "%.3g", value);
    else
        snprintf(text, 32, "%.*f", value < 9.95 && value != floor(value), value);
}

static void label_rate(double value, char text[32])
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
    size_t i = 0;
    for (; value >= 999.5 && i + 1 < sizeof prefixes / sizeof *prefixes; i++)
        value /= 1000;
    snprintf(text, 32, "%.3g%s%s", value, *prefixes[i] ? " " : "", prefixes[i]);
}

static void roofline_draw_diagram(struct roofline *roofline)
{
    const char *operations = operations_of(roofline->answer);
    char across[64], up[16];
    snprintf(across, sizeof across, "%s per byte of DRAM, of L2, and of L1 and shared memory",
             operations);
    snprintf(up, sizeof up, "%s/s", operations);
    struct smc_scale x = {.name = across, .label = label_intensity};
    struct smc_scale y = {.name = up, .label = label_rate};
    roofline->page.canvas.plot_height *= 2;
    find_scales(roofline, &x, &y);
    struct smc_chart chart = smc_chart_begin(&roofline->page, &x, &y);
    for (int level = 0; level < LEVEL_COUNT; level++)
        draw_slanted(roofline, &chart, (enum ceiling)level);
    roofline_draw_level(roofline, &chart, ISSUE, roofline->issue_flops);
    roofline_draw_level(roofline, &chart, FMA, roofline->rate[FMA]);
    draw_distances(roofline, &chart);
    for (size_t i = 0; i < roofline->count; i++)
        if (has_points(&roofline->answer[i]))
            join_points(&chart, &roofline->answer[i]);
    for (size_t i = 0; i < roofline->count; i++)
        if (has_points(&roofline->answer[i]))
            draw_points(&chart, &roofline->answer[i]);
    for (size_t i = 0; i < roofline->count; i++)
        if (has_points(&roofline->answer[i]))
            roofline_name_points(roofline, &chart, i);
    for (int level = 0; level < LEVEL_COUNT; level++)
        name_slanted(roofline, &chart, (enum ceiling)level);
    name_level(&chart, has_tensor_roof(roofline->answer) ? "tensor" : infos[FMA].short_name,
               roofline->rate[FMA]);
    name_level(&chart, infos[ISSUE].short_name, roofline->issue_flops);
}

/* --- Tables ----------------------------------------------------------------------------------- */

/* Columns in characters from the left margin: where a text ends if positive. */
enum {
    NAME_AT = 3,
    CEILING_END = 36,
    USED_END = 50,
    SHARE_END = 58,
    INTENSITY_END = 75,
    BAR_LEAST = 12,
};

static double column_x(const struct smc_page *page, double column)
{
    return smc_page_left(page) + column * page->canvas.char_width;
}

static void roofline_plot_put(struct smc_page *page, struct smc_text_look look, double column,
                              const char *text)
{
    double x = column_x(page, column);
    if (x <= smc_page_right(page))
        smc_page_text(page, look, x, text);
}

static void end_row(struct smc_page *page)
{
    page->y += page->canvas.line_height;
}

/* A sample of the ceiling's line; in cells its letter. */
static void put_sample(struct smc_page *page, enum ceiling ceiling)
{
    const char letter[] = {smc_ink_styles[infos[ceiling].ink].letter, '\0'};
    if (page->canvas.cells)
        smc_page_text(
            page,
            (struct smc_text_look){infos[ceiling].ink, SMC_FACE_STRONG, SMC_ANCHOR_START, false},
            column_x(page, 0), letter);
    else
        smc_picture_line(page->picture,
                         (struct smc_stroke){infos[ceiling].ink, 3, ceiling == ISSUE},
                         column_x(page, 0), page->y + page->canvas.line_height / 2,
                         2 * page->canvas.char_width, 0);
}

static void put_bar(struct smc_page *page, enum ceiling ceiling, double first, double share)
{
    const struct smc_canvas *canvas = &page->canvas;
    double left = column_x(page, first), width = smc_page_right(page) - left;
    double inset = canvas->cells ? 0 : 4;
    if (width < BAR_LEAST * canvas->char_width)
        return;
    if (!canvas->cells)
        smc_picture_area(page->picture, SMC_INK_GRID, left, page->y + inset, width,
                         canvas->line_height - 2 * inset, 0);
    smc_picture_area(page->picture, infos[ceiling].ink, left, page->y + inset,
                     width * fmin(share, 1), canvas->line_height - 2 * inset, 0);
}

static void format_share(double share, char text[SMC_RATE_CHARS])
{
    if (share < 9.995)
        snprintf(text, SMC_RATE_CHARS, share < 0.01 ? "%.1f %%" : "%.0f %%", 100 * share);
    else
        snprintf(text, SMC_RATE_CHARS, ">999 %%");
}

static void put_used(struct roofline *roofline, enum ceiling ceiling)
{
    const struct smc_answer *answer = roofline->answer;
    struct smc_page *page = &roofline->page;
    double used = per_second(answer, ceiling), rate = roofline->rate[ceiling];
    bool computes = has_points(answer);
    char text[SMC_RATE_CHARS], number[32];
    if (ceiling == FMA)
        format_flops(answer, used, text);
    else
        smc_chart_rate(used, infos[ceiling].unit, text);
    roofline_plot_put(page, SMC_LOOK(TEXT, NORMAL, END), USED_END, text);
    if (rate > 0) {
        format_share(used / rate, text);
        roofline_plot_put(page, SMC_LOOK(TEXT, NORMAL, END), SHARE_END, text);
        put_bar(page, ceiling, computes ? INTENSITY_END + 2 : SHARE_END + 2, used / rate);
    }
    if ((int)ceiling < LEVEL_COUNT && computes && intensity(answer, ceiling) > 0) {
        label_intensity(intensity(answer, ceiling), number);
        snprintf(text, sizeof text, "%s %s/B", number, operations_of(answer));
        roofline_plot_put(page, SMC_LOOK(TEXT, NORMAL, END), INTENSITY_END, text);
    }
    if (ceiling == ISSUE && computes) {
        label_intensity(flops_per_instruction(roofline), number);
        snprintf(text, sizeof text, "%s %s/inst", number, operations_of(answer));
        roofline_plot_put(page, SMC_LOOK(TEXT, NORMAL, END), INTENSITY_END, text);
    }
}

static void draw_ceilings(struct roofline *roofline)
{
    struct smc_page *page = &roofline->page;
    bool used = roofline->count == 1 && roofline_plot_is_predicted(roofline->answer);
    roofline_plot_put(page, SMC_LOOK(MUTED, NORMAL, START), NAME_AT, "ceiling");
    roofline_plot_put(page, SMC_LOOK(MUTED, NORMAL, END), CEILING_END, "allows");
    if (used) {
        roofline_plot_put(page, SMC_LOOK(MUTED, NORMAL, END), USED_END, "used");
        roofline_plot_put(page, SMC_LOOK(MUTED, NORMAL, END), SHARE_END, "share");
        if (has_points(roofline->answer))
            roofline_plot_put(page, SMC_LOOK(MUTED, NORMAL, END), INTENSITY_END, "intensity");
    }
    end_row(page);
    for (int i = 0; i < CEILING_COUNT; i++) {
        const enum ceiling ceiling = (enum ceiling)i;
        char text[SMC_RATE_CHARS] = "not known", name[32];
        const bool doubles = ceiling == FMA && smc_query_dtype(roofline->answer) == SMC_DOUBLE;
        if (roofline->rate[i] > 0)
            smc_chart_rate(roofline->rate[i], infos[i].unit, text);
        put_sample(page, ceiling);
        snprintf(name, sizeof name, "%s", doubles ? "FP64 pipe" : infos[i].name);
        if (ceiling == FMA && has_tensor_roof(roofline->answer))
            snprintf(name, sizeof name, "tensor, %s", roofline->answer->time.tensor_type);
        roofline_plot_put(page, SMC_LOOK(TEXT, NORMAL, START), NAME_AT, name);
        roofline_plot_put(page, SMC_LOOK(TEXT, NORMAL, END), CEILING_END, text);
        if (used)
            put_used(roofline, ceiling);
        end_row(page);
    }
    page->y += page->canvas.gap;
}

enum { TIME_END = 33, FLOPS_END = 47, OF_FMA_END = 55, BOUND_AT = 57 };

static void roofline_put_result(struct roofline *roofline, const struct smc_answer *answer)
{
    struct smc_page *page = &roofline->page;
    char text[SMC_RATE_CHARS];
    smc_chart_ms(answer->time.predicted_ms, text);
    roofline_plot_put(page, SMC_LOOK(TEXT, NORMAL, END), TIME_END, text);
    if (has_points(answer)) {
        format_flops(answer, per_second(answer, FMA), text);
        roofline_plot_put(page, SMC_LOOK(TEXT, NORMAL, END), FLOPS_END, text);
        format_share(per_second(answer, FMA) / roofline->rate[FMA], text);
        if (roofline->rate[FMA] > 0)
            roofline_plot_put(page, SMC_LOOK(TEXT, NORMAL, END), OF_FMA_END, text);
    } else {
        smc_chart_rate(moved_per_second(answer), "B/s", text);
        roofline_plot_put(page, SMC_LOOK(TEXT, NORMAL, END), FLOPS_END, text);
    }
    roofline_plot_put(page, SMC_LOOK(TEXT, NORMAL, START), BOUND_AT,
                      smc_time_term_info[answer->time.bound_by].label);
    end_row(page);
}

/* One row for each kernel of a family. */
static void draw_kernels(struct roofline *roofline)
{
    struct smc_page *page = &roofline->page;
    roofline_plot_put(page, SMC_LOOK(MUTED, NORMAL, START), NAME_AT, "kernel");
    roofline_plot_put(page, SMC_LOOK(MUTED, NORMAL, END), TIME_END, "predicted");
    roofline_plot_put(page, SMC_LOOK(MUTED, NORMAL, END), FLOPS_END, "rate");
    roofline_plot_put(page, SMC_LOOK(MUTED, NORMAL, END), OF_FMA_END, "of FMA");
    roofline_plot_put(page, SMC_LOOK(MUTED, NORMAL, START), BOUND_AT, "bound by");
    end_row(page);
    for (size_t i = 0; i < roofline->count; i++) {
        const struct smc_answer *answer = &roofline->answer[i];
        const char *name = smc_words_kernel_name(&answer->query);
        char number[24];
        snprintf(number, sizeof number, "%zu", i + 1);
        roofline_plot_put(page, SMC_LOOK(MUTED, NORMAL, END), NAME_AT - 1, number);
        roofline_plot_put(page,
                          (struct smc_text_look){SMC_INK_TEXT,
                                                 i == 0 ? SMC_FACE_STRONG : SMC_FACE_NORMAL,
                                                 SMC_ANCHOR_START, false},
                          NAME_AT, name ? name : "Your kernel");
        if (roofline_plot_is_predicted(answer)) {
            roofline_put_result(roofline, answer);
            continue;
        }
        double left = column_x(page, TIME_END - 9);
        smc_page_paragraph(page, SMC_FACE_NORMAL, SMC_INK_MUTED, left, smc_page_right(page) - left,
                           *answer->time.reason ? answer->time.reason : "no prediction");
    }
    page->y += page->canvas.gap;
}

/* --- The whole -------------------------------------------------------------------------------- */

static void roofline_append_prediction(const struct smc_answer *answer, struct smc_text *line)
{
    const struct smc_time *time = &answer->time;
    char text[SMC_RATE_CHARS];
    if (!roofline_plot_is_predicted(answer)) {
        smc_text_printf(line, "No predicted time: %s", time->reason);
        return;
    }
    smc_chart_ms(time->predicted_ms, text);
    smc_text_printf(line, "%s predicted", text);
    if (has_points(answer))
        format_flops(answer, per_second(answer, FMA), text);
    else
        smc_chart_rate(moved_per_second(answer), "B/s read and written", text);
    smc_text_printf(line, ", %s; bound by %s, next %s", text,
                    smc_time_term_info[time->bound_by].label, smc_time_term_info[time->next].label);
}

static void roofline_append_subject(const struct smc_answer *answer, struct smc_text *line)
{
    if (answer->query.kernel) {
        smc_words_params(answer, line);
        smc_text_append(line, "; ");
    } else if (answer->plan.grid_blocks > 0) {
        smc_text_printf(line, "%llu block%s of %u threads; operations as counted in machine code; ",
                        (unsigned long long)answer->plan.grid_blocks,
                        smc_text_plural(answer->plan.grid_blocks),
                        answer->launch.threads_per_block);
    }
    smc_text_append(line, answer->query.ceilings.source == SMC_CEILINGS_UNKNOWN
                              ? "theoretical peaks by clocks and widths, not measured"
                              : "measured ceilings of this board");
    if (!is_l2_measured(&answer->query))
        smc_text_append(line, "; L2 estimated from specifications");
}

static void roofline_draw_head(struct roofline *roofline)
{
    const struct smc_answer *answer = roofline->answer;
    const char *name = smc_words_kernel_name(&answer->query);
    struct smc_page *page = &roofline->page;
    SMC_AUTO(smc_heading_free) struct smc_heading heading = {0};
    if (roofline->count > 1 && answer->query.kernel)
        smc_text_printf(&heading.title, "Roofline of the %s kernels on %s",
                        answer->query.kernel->family, answer->query.device.name);
    else
        smc_text_printf(&heading.title, "Roofline of %s on %s", name ? name : "your kernel",
                        answer->query.device.name);
    if (answer->query.device_assumed)
        smc_text_append(&heading.title, " (assumed)");
    if (roofline->count > 1)
        smc_text_printf(&heading.verdict, "%s: ", name ? name : "your kernel");
    roofline_append_prediction(answer, &heading.verdict);
    roofline_append_subject(answer, &heading.subject);
    smc_page_put_heading(page, &heading);
    page->y += page->canvas.metrics->after_heading;
}

void smc_plot_roofline(const struct smc_answer *answers, size_t count,
                       const struct smc_canvas *canvas, struct smc_picture *picture)
{
    struct roofline roofline = {
        .answer = answers, .count = count, .page = smc_page_begin(picture, canvas)};
    bool computes = false;
    for (size_t i = 0; i < count; i++)
        computes |= has_points(&answers[i]);
    roofline_plot_find_ceilings(&roofline);
    roofline_draw_head(&roofline);
    if (computes && roofline.top > 0)
        roofline_draw_diagram(&roofline);
    draw_ceilings(&roofline);
    if (count > 1)
        draw_kernels(&roofline);
    smc_page_end(&roofline.page);
}
