/* Occupancy against time: of any shapes of a kernel, of what `best` chooses among, and of what
   `tune` ranked. */
#include <inttypes.h>
#include <stdio.h>

#include "base/memory.h"
#include "show/plot/chart.h"
#include "show/plot/plot.h"
#include "show/words/words.h"

/* A shape of the kernel. */
struct tradeoff_point {
    char name[32];       /* "tile 32"; at most 24 characters */
    char short_name[16]; /* drawn beside the point where there is space; or "" */
    double occupancy_percent, time_ms;
    uint32_t regs_per_thread;
    enum smc_time_term bound_by; /* as predicted */
};
struct tradeoff {
    const char *title, *subject; /* one line each; the subject without a full stop */
    size_t count;                /* at least 1 */
    const struct tradeoff_point *point;
    bool measured; /* the times, instead of predicted */
};

enum { ROWS = 8, WHOLE = 100, MOST_NAMED = 200 };

static void label_ms(double value, char text[32])
{
    snprintf(text, 32, "%.6g ms", value);
}

/* --- What binds ------------------------------------------------------------------------------- */

/* The kinds of terms that are distinguished. */
static const struct {
    enum smc_ink ink;
    const char *name;
} kinds[] = {
    {SMC_INK_DRAM, "DRAM"},      {SMC_INK_L2, "L2 cache"}, {SMC_INK_L1, "shared memory, L1"},
    {SMC_INK_FMA, "arithmetic"}, {SMC_INK_ISSUE, "issue"}, {SMC_INK_CURVE, "latency, launch"},
};

enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

static enum smc_ink candidates_ink_of(enum smc_time_term term)
{
    switch (term) {
    case SMC_TIME_DRAM:
        return SMC_INK_DRAM;
    case SMC_TIME_L2:
        return SMC_INK_L2;
    case SMC_TIME_L1:
    case SMC_TIME_SHARED:
        return SMC_INK_L1;
    case SMC_TIME_FMA:
    case SMC_TIME_FP64:
    case SMC_TIME_INTEGER:
    case SMC_TIME_SPECIAL:
    case SMC_TIME_TENSOR:
        return SMC_INK_FMA;
    case SMC_TIME_ISSUE:
        return SMC_INK_ISSUE;
    default:
        return SMC_INK_CURVE;
    }
}

static char candidates_plot_letter_of(enum smc_ink ink)
{
    return ink == SMC_INK_CURVE ? 'o' : smc_ink_styles[ink].letter;
}

static void candidates_draw_legend(struct smc_page *page, const struct tradeoff *tradeoff)
{
    const struct smc_canvas *canvas = &page->canvas;
    double x = smc_page_left(page), gap = canvas->cells ? 2 : 16;
    for (size_t kind = 0; kind < KIND_COUNT; kind++) {
        bool used = false;
        for (size_t i = 0; i < tradeoff->count; i++)
            used |= candidates_ink_of(tradeoff->point[i].bound_by) == kinds[kind].ink;
        if (!used)
            continue;
        const char letter[] = {candidates_plot_letter_of(kinds[kind].ink), '\0'};
        if (canvas->cells)
            smc_page_text(
                page,
                (struct smc_text_look){kinds[kind].ink, SMC_FACE_STRONG, SMC_ANCHOR_START, false},
                x, letter);
        else
            smc_picture_mark(page->picture, kinds[kind].ink, x + 6,
                             page->y + canvas->line_height / 2);
        smc_page_text(page, SMC_LOOK(TEXT, NORMAL, START), x + gap, kinds[kind].name);
        x += smc_canvas_text_width(canvas, SMC_FACE_NORMAL, kinds[kind].name) + 2 * gap;
    }
    page->y += canvas->line_height + (canvas->cells ? 1 : 10);
}

/* --- What is named ---------------------------------------------------------------------------- */

/* Indices: the fastest, and what it is compared with: the fastest of those with the highest
   occupancy, or if it is that one, the slowest of them. */
struct named {
    size_t fastest, contrast;
};

static size_t find_highest(const struct tradeoff *tradeoff, bool faster)
{
    const struct tradeoff_point *point = tradeoff->point;
    size_t best = 0;
    for (size_t i = 1; i < tradeoff->count; i++) {
        double more = point[i].occupancy_percent - point[best].occupancy_percent;
        double less_time = point[best].time_ms - point[i].time_ms;
        if (more > 0 || (more == 0 && (faster ? less_time > 0 : less_time < 0)))
            best = i;
    }
    return best;
}

static struct named find_named(const struct tradeoff *tradeoff)
{
    struct named named = {0, find_highest(tradeoff, true)};
    for (size_t i = 1; i < tradeoff->count; i++)
        if (tradeoff->point[i].time_ms < tradeoff->point[named.fastest].time_ms)
            named.fastest = i;
    if (named.contrast == named.fastest)
        named.contrast = find_highest(tradeoff, false);
    return named;
}

/* --- The diagram ------------------------------------------------------------------------------ */

static void candidates_draw_point(const struct smc_chart *chart, const struct tradeoff_point *point,
                                  bool fastest)
{
    enum smc_ink ink = candidates_ink_of(point->bound_by);
    if (chart->page->canvas.cells)
        smc_chart_letter(chart, ink, point->occupancy_percent, point->time_ms,
                         fastest ? '*' : candidates_plot_letter_of(ink));
    else
        smc_chart_mark(chart, ink, point->occupancy_percent, point->time_ms);
}

static void candidates_draw_points(const struct smc_chart *chart, const struct tradeoff *tradeoff,
                                   const struct named *named)
{
    const struct tradeoff_point *fastest = &tradeoff->point[named->fastest];
    if (chart->page->canvas.cells) /* the first letter in a cell stays, the last mark is on top */
        candidates_draw_point(chart, fastest, true);
    for (size_t i = 0; i < tradeoff->count; i++)
        if (i != named->fastest)
            candidates_draw_point(chart, &tradeoff->point[i], false);
    if (!chart->page->canvas.cells)
        candidates_draw_point(chart, fastest, true);
}

static void name_point(const struct smc_chart *chart, enum smc_face face,
                       const struct tradeoff_point *point, const char *text)
{
    smc_chart_point_label(chart, face, point->occupancy_percent, point->time_ms, SMC_LABEL_ABOVE,
                          text);
}

static void candidates_name_points(const struct smc_chart *chart, const struct tradeoff *tradeoff,
                                   const struct named *named)
{
    const struct tradeoff_point *point = tradeoff->point;
    name_point(chart, SMC_FACE_STRONG, &point[named->fastest], point[named->fastest].name);
    if (named->contrast != named->fastest)
        name_point(chart, SMC_FACE_STRONG, &point[named->contrast], point[named->contrast].name);
    for (size_t i = 0; i < tradeoff->count && i < MOST_NAMED; i++)
        if (i != named->fastest && i != named->contrast && *point[i].short_name)
            name_point(chart, SMC_FACE_SMALL, &point[i], point[i].short_name);
}

static void candidates_draw_diagram(struct smc_page *page, const struct tradeoff *tradeoff,
                                    const struct named *named)
{
    const struct tradeoff_point *fastest = &tradeoff->point[named->fastest];
    struct smc_scale x = {
        .name = "occupancy", .low = 0, .high = 1.04 * WHOLE, .label = smc_chart_percent};
    struct smc_scale y = {.name = tradeoff->measured ? "measured time" : "predicted time",
                          .label = label_ms};
    double slowest = fastest->time_ms;
    for (size_t i = 0; i < tradeoff->count; i++)
        if (tradeoff->point[i].time_ms > slowest)
            slowest = tradeoff->point[i].time_ms;
    smc_scale_round(fastest->time_ms / 1.2, slowest * 1.2, &y);
    page->canvas.plot_height *= 2;
    struct smc_chart chart = smc_chart_begin(page, &x, &y);
    smc_chart_line(&chart, SMC_DASHED(BEST, 1), fastest->occupancy_percent, y.high,
                   fastest->occupancy_percent, y.low);
    if (!page->canvas.cells)
        smc_chart_line(&chart, SMC_DASHED(BEST, 1), 0, fastest->time_ms, x.high, fastest->time_ms);
    candidates_draw_points(&chart, tradeoff, named);
    candidates_name_points(&chart, tradeoff, named);
}

/* --- Words and numbers ------------------------------------------------------------------------ */

static void candidates_append_verdict(const struct tradeoff *tradeoff, const struct named *named,
                                      struct smc_text *line)
{
    const struct tradeoff_point *fastest = &tradeoff->point[named->fastest];
    const struct tradeoff_point *contrast = &tradeoff->point[named->contrast];
    char time[32], percent[32];
    smc_chart_ms(fastest->time_ms, time);
    smc_words_percent(fastest->occupancy_percent, percent);
    smc_text_printf(line, "Fastest: %s, %s at %s occupancy", fastest->name, time, percent);
    if (contrast == fastest)
        return;
    double longer = contrast->time_ms / fastest->time_ms;
    smc_words_percent(contrast->occupancy_percent, percent);
    smc_text_printf(line, "; %s has %s%s and ", contrast->name, percent,
                    contrast->occupancy_percent == fastest->occupancy_percent ? " too" : "");
    if (longer < 1.005)
        smc_text_append(line, "is as fast");
    else
        smc_text_printf(line, "takes %.*f times as long", longer < 9.95 ? 2 : 0, longer);
}

/* The next one in the order of time, equal ones in their own order; the count after the last. */
static size_t next_slower(const struct tradeoff *tradeoff, size_t last)
{
    const struct tradeoff_point *point = tradeoff->point;
    size_t next = tradeoff->count;
    for (size_t i = 0; i < tradeoff->count; i++) {
        double more = point[i].time_ms - point[last].time_ms;
        if (more < 0 || (more == 0 && i <= last))
            continue;
        if (next == tradeoff->count || point[i].time_ms < point[next].time_ms)
            next = i;
    }
    return next;
}

/* Columns in characters: where the numbers end. */
enum { OCCUPANCY_END = 34, TIME_END = 45, REGISTERS_END = 56, BOUND_AT = 58 };

static void candidates_plot_put(struct smc_page *page, struct smc_text_look look, double column,
                                const char *text)
{
    smc_page_text(page, look, smc_page_left(page) + column * page->canvas.char_width, text);
}

static void candidates_draw_row(struct smc_page *page, const struct tradeoff_point *point,
                                bool fastest)
{
    char text[32];
    candidates_plot_put(page,
                        (struct smc_text_look){SMC_INK_TEXT,
                                               fastest ? SMC_FACE_STRONG : SMC_FACE_NORMAL,
                                               SMC_ANCHOR_START, false},
                        0, point->name);
    smc_words_percent(point->occupancy_percent, text);
    candidates_plot_put(page, SMC_LOOK(TEXT, NORMAL, END), OCCUPANCY_END, text);
    smc_chart_ms(point->time_ms, text);
    candidates_plot_put(page, SMC_LOOK(TEXT, NORMAL, END), TIME_END, text);
    snprintf(text, sizeof text, "%u", point->regs_per_thread);
    candidates_plot_put(page, SMC_LOOK(TEXT, NORMAL, END), REGISTERS_END, text);
    candidates_plot_put(page, SMC_LOOK(TEXT, NORMAL, START), BOUND_AT,
                        smc_time_term_info[point->bound_by].label);
    page->y += page->canvas.line_height;
}

/* The fastest ones. */
static void candidates_draw_table(struct smc_page *page, const struct tradeoff *tradeoff,
                                  size_t fastest)
{
    candidates_plot_put(page, SMC_LOOK(MUTED, NORMAL, START), 0, "the fastest");
    candidates_plot_put(page, SMC_LOOK(MUTED, NORMAL, END), OCCUPANCY_END, "occupancy");
    candidates_plot_put(page, SMC_LOOK(MUTED, NORMAL, END), TIME_END,
                        tradeoff->measured ? "measured" : "predicted");
    candidates_plot_put(page, SMC_LOOK(MUTED, NORMAL, END), REGISTERS_END, "registers");
    candidates_plot_put(page, SMC_LOOK(MUTED, NORMAL, START), BOUND_AT,
                        tradeoff->measured ? "predicted: bound by" : "bound by");
    page->y += page->canvas.line_height;
    size_t index = fastest;
    for (int row = 0; row < ROWS && index < tradeoff->count; row++) {
        candidates_draw_row(page, &tradeoff->point[index], index == fastest);
        index = next_slower(tradeoff, index);
    }
    page->y += page->canvas.gap;
}

static void draw_tradeoff(const struct tradeoff *tradeoff, const struct smc_canvas *canvas,
                          struct smc_picture *picture)
{
    struct smc_page page = smc_page_begin(picture, canvas);
    const struct named named = find_named(tradeoff);
    SMC_AUTO(smc_heading_free) struct smc_heading heading = {0};
    smc_text_append(&heading.title, tradeoff->title);
    candidates_append_verdict(tradeoff, &named, &heading.verdict);
    smc_text_printf(&heading.subject, "%s. What bounds the time:", tradeoff->subject);
    smc_page_put_heading(&page, &heading);
    candidates_draw_legend(&page, tradeoff);
    candidates_draw_diagram(&page, tradeoff, &named);
    candidates_draw_table(&page, tradeoff, named.fastest);
    smc_page_end(&page);
}

/* --- What `best` chooses among ---------------------------------------------------------------- */

static void set_point(const struct smc_candidates *candidates, size_t index,
                      struct tradeoff_point *point)
{
    const struct smc_answer *answer = &candidates->answer[index];
    *point = (struct tradeoff_point){
        .occupancy_percent = answer->occupancy_percent,
        .time_ms = answer->time.predicted_ms,
        .regs_per_thread = answer->launch.regs_per_thread,
        .bound_by = answer->time.bound_by,
    };
    snprintf(point->name, sizeof point->name, "%s %" PRId64, candidates->option,
             candidates->size[index]);
    snprintf(point->short_name, sizeof point->short_name, "%" PRId64, candidates->size[index]);
}

static size_t set_points(const struct smc_candidates *candidates, struct tradeoff_point *point)
{
    size_t count = 0;
    for (size_t i = 0; i < candidates->count; i++)
        if (candidates->answer[i].time.predicted_ms > 0)
            set_point(candidates, i, &point[count++]);
    return count;
}

void smc_plot_candidates(const struct smc_candidates *candidates, const struct smc_canvas *canvas,
                         struct smc_picture *picture)
{
    const struct smc_query *query = &candidates->answer[0].query;
    const char *name = smc_words_kernel_name(query);
    smc_auto_text title = {0}, subject = {0};
    smc_auto_free struct tradeoff_point *point = smc_calloc(candidates->count, sizeof *point);
    smc_text_printf(&title, "%s on %s: occupancy and time", name ? name : "Your kernel",
                    query->device.name);
    smc_words_some_params(query, 1u << SMC_PARAM_TILE | 1u << SMC_PARAM_BLOCK, &subject);
    smc_text_append(&subject, "; every size that launches");
    struct tradeoff tradeoff = {
        .title = smc_text_string(&title),
        .subject = smc_text_string(&subject),
        .point = point,
        .count = point ? set_points(candidates, point) : 0,
    };
    if (tradeoff.count)
        draw_tradeoff(&tradeoff, canvas, picture);
    picture->failed |= !point || title.failed || subject.failed;
}

/* --- What `tune` ranked ----------------------------------------------------------------------- */

static bool candidates_plot_is_shown(const struct smc_tune_shape *shape, bool measured)
{
    return measured ? shape->measured && !shape->wrong : shape->state == SMC_TUNE_PREDICTED;
}

/* "32/0/8", the values; or the rank where they are too long. */
static void name_shape(const struct smc_tune *tune, const struct smc_tune_shape *shape,
                       struct tradeoff_point *point)
{
    enum { MOST_CHARS = 24 };
    smc_auto_text name = {0};
    if (tune->axis_count == 1)
        smc_text_printf(&name, "%s ", tune->axis[0].name);
    for (size_t i = 0; i < tune->axis_count; i++)
        smc_text_printf(&name, "%s%" PRId64, i ? "/" : "", shape->value[i]);
    if (name.length <= MOST_CHARS)
        snprintf(point->name, sizeof point->name, "%s", smc_text_string(&name));
    else
        snprintf(point->name, sizeof point->name, "rank %zu", shape->rank);
}

static size_t set_shapes(const struct smc_tune *tune, bool measured, struct tradeoff_point *point)
{
    size_t count = 0;
    for (size_t i = 0; i < tune->ranked; i++) {
        const struct smc_tune_shape *shape = &tune->shape[tune->order[i]];
        if (!candidates_plot_is_shown(shape, measured))
            continue;
        point[count] = (struct tradeoff_point){
            .occupancy_percent = shape->percent,
            .time_ms = measured ? shape->median_ms : shape->time.predicted_ms,
            .regs_per_thread = shape->regs_per_thread,
            .bound_by = shape->time.bound_by,
        };
        name_shape(tune, shape, &point[count++]);
    }
    return count;
}

/* "float, 512 x 512 x 512; 40 predicted shapes, block-m/thread-m/stages". */
static void candidates_append_shapes(const struct smc_tune *tune, size_t count, bool measured,
                                     struct smc_text *out)
{
    if (!tune->source) {
        smc_words_tune_subject(tune, out);
        smc_text_append(out, "; ");
    }
    smc_text_printf(out, "%zu %s shape%s", count, measured ? "measured" : "predicted",
                    smc_text_plural(count));
    for (size_t i = 0; i < tune->axis_count && tune->axis_count > 1; i++)
        smc_text_printf(out, "%s%s", i == 0 ? ", " : "/", tune->axis[i].name);
}

enum smc_status smc_plot_tune(const struct smc_tune *tune, const struct smc_canvas *canvas,
                              struct smc_picture *picture, struct smc_error *error)
{
    smc_auto_text title = {0}, subject = {0};
    smc_auto_free struct tradeoff_point *point = smc_calloc(tune->ranked + 1, sizeof *point);
    if (!point)
        return smc_out_of_memory(error);
    bool measured = true;
    size_t count = set_shapes(tune, true, point);
    if (count == 0) {
        measured = false;
        count = set_shapes(tune, false, point);
    }
    if (tune->source)
        smc_words_tune_subject(tune, &title);
    else
        smc_text_append(&title, tune->query.kernel->name);
    smc_text_printf(&title, " on %s: occupancy and time", tune->query.device.name);
    candidates_append_shapes(tune, count, measured, &subject);
    const struct tradeoff tradeoff = {.title = smc_text_string(&title),
                                      .subject = smc_text_string(&subject),
                                      .count = count,
                                      .point = point,
                                      .measured = measured};
    if (count > 0)
        draw_tradeoff(&tradeoff, canvas, picture);
    if (count > 0)
        return SMC_OK;
    const char *why = tune->ranked ? tune->shape[tune->order[0]].why : "no shape can launch";
    return smc_fail(error, SMC_UNAVAILABLE, "no shape has a time: %s", why);
}
