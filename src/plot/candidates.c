/* Occupancy and predicted time of the launches that `best` chooses among. */
#include <inttypes.h>
#include <stdio.h>

#include "plot/chart.h"
#include "plot/plot.h"
#include "report/words.h"

enum { ROWS = 8, WHOLE = 100 };

static void label_percent(double value, char text[32])
{
    snprintf(text, 32, "%.0f %%", value);
}

static void label_ms(double value, char text[32])
{
    snprintf(text, 32, "%.4g ms", value);
}

static bool is_predicted(const struct smc_answer *answer)
{
    return answer->time.basis != SMC_TIME_UNKNOWN && answer->time.predicted_ms > 0;
}

/* "tile 32", "tile 32 with 40 registers". */
static void name_candidate(const struct smc_candidates *candidates, size_t index, char text[64])
{
    if (index < candidates->bounds_from)
        snprintf(text, 64, "%s %" PRId64, candidates->option, candidates->size[index]);
    else
        snprintf(text, 64, "%s %" PRId64 " with %u registers", candidates->option,
                 candidates->size[index], candidates->answer[index].launch.regs_per_thread);
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

static enum smc_ink ink_of(enum smc_time_term term)
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
        return SMC_INK_FMA;
    case SMC_TIME_ISSUE:
        return SMC_INK_ISSUE;
    default:
        return SMC_INK_CURVE;
    }
}

static char letter_of(enum smc_ink ink)
{
    return ink == SMC_INK_CURVE ? 'o' : smc_ink_styles[ink].letter;
}

static void draw_legend(struct smc_page *page, const struct smc_candidates *candidates)
{
    const struct smc_canvas *canvas = &page->canvas;
    double x = smc_page_left(page), gap = canvas->cells ? 2 : 16;
    for (size_t kind = 0; kind < KIND_COUNT; kind++) {
        bool used = false;
        for (size_t i = 0; i < candidates->count; i++)
            used |= is_predicted(&candidates->answer[i]) &&
                    ink_of(candidates->answer[i].time.bound_by) == kinds[kind].ink;
        if (!used)
            continue;
        const char letter[] = {letter_of(kinds[kind].ink), '\0'};
        if (canvas->cells)
            smc_picture_text(page->picture, kinds[kind].ink, SMC_FACE_STRONG, SMC_ANCHOR_START, x,
                             page->y, letter);
        else
            smc_picture_mark(page->picture, kinds[kind].ink, x + 6,
                             page->y + canvas->line_height / 2);
        smc_picture_text(page->picture, SMC_INK_TEXT, SMC_FACE_NORMAL, SMC_ANCHOR_START, x + gap,
                         page->y, kinds[kind].name);
        x += smc_canvas_text_width(canvas, SMC_FACE_NORMAL, kinds[kind].name) + 2 * gap;
    }
    page->y += canvas->line_height + (canvas->cells ? 1 : 10);
}

/* --- The diagram ------------------------------------------------------------------------------ */

/* What the fastest is compared with: the fastest of those with the highest occupancy, or if it is
   that one, the slowest of them. */
static size_t contrast_of(const struct smc_candidates *candidates)
{
    return candidates->highest == candidates->fastest ? candidates->slowest_highest
                                                      : candidates->highest;
}

static void draw_candidate(const struct smc_chart *chart, const struct smc_candidates *candidates,
                           size_t index)
{
    const struct smc_answer *answer = &candidates->answer[index];
    enum smc_ink ink = ink_of(answer->time.bound_by);
    if (chart->page->canvas.cells)
        smc_chart_letter(chart, ink, answer->occupancy_percent, answer->time.predicted_ms,
                         index == candidates->fastest ? '*' : letter_of(ink));
    else
        smc_chart_mark(chart, ink, answer->occupancy_percent, answer->time.predicted_ms);
}

static void name_point(const struct smc_chart *chart, const struct smc_candidates *candidates,
                       size_t index, bool whole)
{
    const struct smc_answer *answer = &candidates->answer[index];
    char name[64], number[24];
    name_candidate(candidates, index, name);
    snprintf(number, sizeof number, "%" PRId64, candidates->size[index]);
    if (whole)
        smc_chart_point_label(chart, SMC_FACE_STRONG, answer->occupancy_percent,
                              answer->time.predicted_ms, name);
    else if (index < candidates->bounds_from)
        smc_chart_point_label(chart, SMC_FACE_SMALL, answer->occupancy_percent,
                              answer->time.predicted_ms, number);
}

static void draw_diagram(struct smc_page *page, const struct smc_candidates *candidates)
{
    const struct smc_answer *fastest = &candidates->answer[candidates->fastest];
    struct smc_scale x = {
        .name = "occupancy", .low = 0, .high = 1.04 * WHOLE, .label = label_percent};
    struct smc_scale y = {.name = "predicted time", .label = label_ms};
    double slowest = fastest->time.predicted_ms;
    for (size_t i = 0; i < candidates->count; i++)
        if (is_predicted(&candidates->answer[i]) &&
            candidates->answer[i].time.predicted_ms > slowest)
            slowest = candidates->answer[i].time.predicted_ms;
    smc_scale_round(fastest->time.predicted_ms / 1.2, slowest * 1.2, &y);
    page->canvas.plot_height *= 2;
    struct smc_chart chart = smc_chart_begin(page, &x, &y);
    smc_chart_line(&chart, SMC_INK_BEST, fastest->occupancy_percent, y.high,
                   fastest->occupancy_percent, y.low, 1, true);
    if (!page->canvas.cells)
        smc_chart_line(&chart, SMC_INK_BEST, 0, fastest->time.predicted_ms, x.high,
                       fastest->time.predicted_ms, 1, true);
    draw_candidate(&chart, candidates, candidates->fastest);
    for (size_t i = 0; i < candidates->count; i++)
        if (is_predicted(&candidates->answer[i]) && i != candidates->fastest)
            draw_candidate(&chart, candidates, i);
    name_point(&chart, candidates, candidates->fastest, true);
    size_t contrast = contrast_of(candidates);
    if (contrast != candidates->fastest)
        name_point(&chart, candidates, contrast, true);
    for (size_t i = 0; i < candidates->count; i++)
        if (is_predicted(&candidates->answer[i]) && i != contrast && i != candidates->fastest)
            name_point(&chart, candidates, i, false);
}

/* --- Words and numbers ------------------------------------------------------------------------ */

static void append_verdict(const struct smc_candidates *candidates, struct smc_text *line)
{
    size_t other = contrast_of(candidates);
    const struct smc_answer *fastest = &candidates->answer[candidates->fastest];
    const struct smc_answer *contrast = &candidates->answer[other];
    char name[64], time[32], percent[32];
    name_candidate(candidates, candidates->fastest, name);
    smc_chart_ms(fastest->time.predicted_ms, time);
    smc_words_percent(fastest->occupancy_percent, percent);
    smc_text_printf(line, "Fastest: %s, %s at %s occupancy", name, time, percent);
    if (other == candidates->fastest)
        return;
    double longer = contrast->time.predicted_ms / fastest->time.predicted_ms;
    name_candidate(candidates, other, name);
    smc_words_percent(contrast->occupancy_percent, percent);
    smc_text_printf(line, "; %s has %s%s and ", name, percent,
                    contrast->occupancy_percent == fastest->occupancy_percent ? " too" : "");
    if (longer < 1.005)
        smc_text_append(line, "is as fast");
    else
        smc_text_printf(line, "takes %.*f times as long", longer < 9.95 ? 2 : 0, longer);
}

static void draw_head(struct smc_page *page, const struct smc_candidates *candidates)
{
    const struct smc_answer *fastest = &candidates->answer[candidates->fastest];
    const char *name = smc_words_kernel_name(&fastest->query);
    struct smc_text title = {0}, verdict = {0}, subject = {0};
    smc_text_printf(&title, "%s on %s: occupancy and time", name ? name : "Your kernel",
                    fastest->query.device.name);
    append_verdict(candidates, &verdict);
    smc_words_some_params(&fastest->query, 1u << SMC_PARAM_TILE | 1u << SMC_PARAM_BLOCK, &subject);
    smc_text_append(&subject, candidates->bounds_from < candidates->count
                                  ? "; every size, and the proposal with fewer registers by "
                                    "__launch_bounds__. What bounds the time:"
                                  : "; every size that launches. What bounds the time:");
    smc_page_heading(page, SMC_FACE_TITLE, SMC_INK_TEXT, smc_text_string(&title));
    page->y += page->canvas.cells ? 0 : 4;
    smc_page_heading(page, SMC_FACE_STRONG, SMC_INK_TEXT, smc_text_string(&verdict));
    smc_page_heading(page, SMC_FACE_NORMAL, SMC_INK_MUTED, smc_text_string(&subject));
    page->picture->failed |= title.failed || verdict.failed || subject.failed;
    smc_text_free(&title);
    smc_text_free(&verdict);
    smc_text_free(&subject);
}

/* The fastest that is not yet listed; the count if there is none. */
static size_t next_fastest(const struct smc_candidates *candidates, const bool *listed)
{
    size_t next = candidates->count;
    for (size_t i = 0; i < candidates->count; i++) {
        const struct smc_answer *answer = &candidates->answer[i];
        if (listed[i] || !is_predicted(answer))
            continue;
        if (next == candidates->count ||
            answer->time.predicted_ms < candidates->answer[next].time.predicted_ms)
            next = i;
    }
    return next;
}

/* Columns in characters: where the numbers end. */
enum { OCCUPANCY_END = 36, TIME_END = 50, REGISTERS_END = 61, BOUND_AT = 64 };

static void put(struct smc_page *page, enum smc_face face, enum smc_ink ink, enum smc_anchor anchor,
                double column, const char *text)
{
    smc_picture_text(page->picture, ink, face, anchor,
                     smc_page_left(page) + column * page->canvas.char_width, page->y, text);
}

static void draw_row(struct smc_page *page, const struct smc_candidates *candidates, size_t index)
{
    const struct smc_answer *answer = &candidates->answer[index];
    const enum smc_face face = index == candidates->fastest ? SMC_FACE_STRONG : SMC_FACE_NORMAL;
    char text[64];
    name_candidate(candidates, index, text);
    put(page, face, SMC_INK_TEXT, SMC_ANCHOR_START, 0, text);
    smc_words_percent(answer->occupancy_percent, text);
    put(page, SMC_FACE_NORMAL, SMC_INK_TEXT, SMC_ANCHOR_END, OCCUPANCY_END, text);
    smc_chart_ms(answer->time.predicted_ms, text);
    put(page, SMC_FACE_NORMAL, SMC_INK_TEXT, SMC_ANCHOR_END, TIME_END, text);
    snprintf(text, sizeof text, "%u", answer->launch.regs_per_thread);
    put(page, SMC_FACE_NORMAL, SMC_INK_TEXT, SMC_ANCHOR_END, REGISTERS_END, text);
    put(page, SMC_FACE_NORMAL, SMC_INK_TEXT, SMC_ANCHOR_START, BOUND_AT,
        smc_time_term_info[answer->time.bound_by].label);
    page->y += page->canvas.line_height;
}

/* The fastest ones. */
static void draw_table(struct smc_page *page, const struct smc_candidates *candidates)
{
    bool listed[SMC_MOST_LAUNCHES] = {false};
    put(page, SMC_FACE_NORMAL, SMC_INK_MUTED, SMC_ANCHOR_START, 0, "the fastest");
    put(page, SMC_FACE_NORMAL, SMC_INK_MUTED, SMC_ANCHOR_END, OCCUPANCY_END, "occupancy");
    put(page, SMC_FACE_NORMAL, SMC_INK_MUTED, SMC_ANCHOR_END, TIME_END, "predicted");
    put(page, SMC_FACE_NORMAL, SMC_INK_MUTED, SMC_ANCHOR_END, REGISTERS_END, "registers");
    put(page, SMC_FACE_NORMAL, SMC_INK_MUTED, SMC_ANCHOR_START, BOUND_AT, "bound by");
    page->y += page->canvas.line_height;
    for (int row = 0; row < ROWS; row++) {
        size_t next = next_fastest(candidates, listed);
        if (next == candidates->count)
            break;
        listed[next] = true;
        draw_row(page, candidates, next);
    }
    page->y += page->canvas.gap;
}

void smc_plot_candidates(const struct smc_candidates *candidates, const struct smc_canvas *canvas,
                         struct smc_picture *picture)
{
    struct smc_page page = smc_page_begin(picture, canvas);
    draw_head(&page, candidates);
    draw_legend(&page, candidates);
    draw_diagram(&page, candidates);
    draw_table(&page, candidates);
    smc_page_end(&page);
}
