/* The predicted time on the first screen: one line, or a panel with a bar for each term. */
#include <stdio.h>

#include "show/report/writers.h"
#include "show/tui/explore.h"

static const struct smc_time *time_of(const struct smc_explore *explore)
{
    return &explore->answer.time;
}

static bool draw_time_is_known(const struct smc_explore *explore)
{
    return smc_time_is_known(time_of(explore));
}

/* One before is shown dimmed until the present one is there. */
static enum smc_style style_of(const struct smc_explore *explore, enum smc_style style)
{
    return explore->wants_time ? SMC_STYLE_DIM : style;
}

/* "bound by shared memory", with `next` "bound by shared memory, then DRAM". */
static void append_bound(const struct smc_time *time, bool next, struct smc_text *out)
{
    smc_text_printf(out, "bound by %s", smc_time_term_info[time->bound_by].label);
    if (next && time->next != time->bound_by && time->term_ms[time->next] > 0)
        smc_text_printf(out, ", then %s", smc_time_term_info[time->next].label);
}

/* Why there is no time, or that it is awaited. */
static const char *reason_of(const struct smc_explore *explore)
{
    if (explore->wants_time)
        return "\xe2\x80\xa6";
    if (time_of(explore)->reason[0])
        return time_of(explore)->reason;
    return explore->compile_failure[0] ? "the kernel was not compiled" : "the launch fails";
}

/* Where the rates are from. */
static const char *draw_time_basis_of(const struct smc_explore *explore)
{
    static const char *const words[] = {
        [SMC_TIME_UNKNOWN] = "",
        [SMC_TIME_TABLE] = "with measured rates",
        [SMC_TIME_CALIBRATED] = "with rates measured here",
        [SMC_TIME_SPECIFICATIONS] = "estimated from specifications",
    };
    return explore->wants_time ? "predicting\xe2\x80\xa6" : words[time_of(explore)->basis];
}

/* --- The line --- */

/* "0.253 ms (0.240 to 0.271), bound by shared memory, then DRAM", as much as fits. */
static void draw_time_append_line(const struct smc_explore *explore, int columns,
                                  struct smc_text *out)
{
    struct smc_text longer = {0};
    smc_words_time_range(time_of(explore), out);
    smc_text_append(out, ", ");
    smc_text_append(&longer, smc_text_string(out));
    append_bound(time_of(explore), false, out);
    append_bound(time_of(explore), true, &longer);
    if (smc_utf8_string_columns(smc_text_string(&longer)) <= columns) {
        smc_text_free(out);
        *out = longer;
    } else {
        smc_text_free(&longer);
    }
    smc_words_untie(out);
}

void smc_draw_time_line(const struct smc_explore *explore, struct smc_rect line,
                        struct smc_frame *frame)
{
    smc_auto_text words = {0};
    struct smc_rect inner = {line.row, line.col + 2, line.rows, line.cols - 3};
    if (line.rows == 0)
        return;
    int col = smc_frame_text(frame, inner, 0, 0, SMC_STYLE_LABEL, "time  ");
    if (draw_time_is_known(explore))
        draw_time_append_line(explore, inner.cols - col, &words);
    else
        smc_text_printf(&words, "%s%s",
                        explore->wants_time ? "" : "not predicted: ", reason_of(explore));
    smc_frame_text_within(frame, inner, 0, col, inner.cols - col,
                          draw_time_is_known(explore) ? style_of(explore, SMC_STYLE_NORMAL)
                                                      : SMC_STYLE_DIM,
                          smc_text_string(&words));
    col += smc_utf8_string_columns(smc_text_string(&words)) + 2;
    if (draw_time_is_known(explore) &&
        col + smc_utf8_string_columns(draw_time_basis_of(explore)) <= inner.cols)
        smc_frame_text_right(frame, inner, 0, SMC_STYLE_DIM, draw_time_basis_of(explore));
}

/* --- The panel --- */

/* The terms to show in that many rows, as a set: the largest, none that is 0. */
static unsigned choose_terms(const struct smc_time *time, int rows)
{
    unsigned chosen = 0;
    for (; rows > 0; rows--) {
        int largest = -1;
        for (int i = 0; i < SMC_TIME_TERM_COUNT; i++)
            if (!(chosen & 1u << i) && time->term_ms[i] > 0 &&
                (largest < 0 || time->term_ms[i] > time->term_ms[largest]))
                largest = i;
        if (largest < 0)
            break;
        chosen |= 1u << largest;
    }
    return chosen;
}

/* "0.253 ms" of the prediction's unit. */
static void write_term(const struct smc_time *time, enum smc_time_term term, char text[32])
{
    double ms = time->term_ms[term], unit = time->predicted_ms;
    if (unit >= 1000)
        snprintf(text, 32, "%.2f s ", ms / 1e3);
    else if (unit >= 0.1)
        snprintf(text, 32, "%.*f ms ", unit >= 99.95 ? 0 : unit >= 9.995 ? 1 : 3, ms);
    else
        snprintf(text, 32, "%.2f us ", ms * 1e3);
}

static void draw_term(const struct smc_explore *explore, enum smc_time_term term,
                      struct smc_rect line, struct smc_frame *frame)
{
    enum { LABEL = 23, VALUE = 11, BINDS = 7, BINDS_FROM = 56 };
    char value[32];
    const struct smc_time *time = time_of(explore);
    bool binds = term == time->bound_by;
    enum smc_style style = style_of(explore, binds ? SMC_STYLE_BINDS : SMC_STYLE_LABEL);
    double longest = time->term_ms[time->bound_by];
    double scale = time->predicted_ms > longest ? time->predicted_ms : longest;
    int right = line.cols >= BINDS_FROM ? BINDS : 0, width = line.cols - LABEL - VALUE - right;
    write_term(time, term, value);
    smc_frame_text(frame, line, 0, 1, style, smc_time_term_info[term].label);
    smc_frame_text_right(frame, (struct smc_rect){line.row, line.col + LABEL, 1, VALUE}, 0,
                         binds ? style : style_of(explore, SMC_STYLE_NORMAL), value);
    smc_frame_bar(frame, line, 0, LABEL + VALUE, width,
                  binds ? style : style_of(explore, SMC_STYLE_CURVE), time->term_ms[term] / scale);
    if (binds && right)
        smc_frame_text(frame, line, 0, line.cols - BINDS, style, "binds");
}

/* Returns the row after the last. */
static int draw_terms(const struct smc_explore *explore, struct smc_rect rect, int row, int end,
                      struct smc_frame *frame)
{
    unsigned chosen = choose_terms(time_of(explore), end - row);
    for (int i = 0; i < SMC_TIME_TERM_COUNT; i++)
        if (chosen & 1u << i) {
            struct smc_rect line = {rect.row + row++, rect.col, 1, rect.cols};
            draw_term(explore, (enum smc_time_term)i, line, frame);
        }
    return row;
}

/* What bounds it is also marked below, so that it may be left out here. */
static void draw_headline(const struct smc_explore *explore, struct smc_rect inner,
                          struct smc_frame *frame)
{
    smc_auto_text range = {0}, bound = {0};
    smc_words_time_range(time_of(explore), &range);
    smc_words_untie(&range);
    smc_text_append(&bound, "  ");
    append_bound(time_of(explore), true, &bound);
    int col = smc_frame_text(frame, inner, 0, 0, style_of(explore, SMC_STYLE_STRONG),
                             smc_text_string(&range));
    if (col + smc_utf8_string_columns(smc_text_string(&bound)) <= inner.cols)
        smc_frame_text(frame, inner, 0, col, style_of(explore, SMC_STYLE_NORMAL),
                       smc_text_string(&bound));
}

static void draw_basis(const struct smc_explore *explore, struct smc_rect rect,
                       struct smc_frame *frame)
{
    char text[64];
    struct smc_rect edge = {rect.row - 1, rect.col, 1, rect.cols};
    snprintf(text, sizeof text, " %s ", draw_time_basis_of(explore));
    smc_frame_text_right(frame, edge, 0, SMC_STYLE_DIM, text);
}

/* "faster: larger tiles", what makes the largest term smaller. */
static void append_relief(const struct smc_explore *explore, struct smc_text *out)
{
    smc_text_append(out, "faster: ");
    smc_text_relief(&explore->answer, out);
}

/* What relieves the largest term gets its rows before the small terms do. */
void smc_draw_time(const struct smc_explore *explore, struct smc_rect rect, struct smc_frame *frame)
{
    enum { LEAST_TERMS = 4 };
    struct smc_rect inner = {rect.row, rect.col + 1, rect.rows, rect.cols - 2};
    smc_auto_text relief = {0};
    struct smc_frame nothing = {0};
    if (rect.rows == 0)
        return;
    if (!draw_time_is_known(explore)) {
        smc_frame_paragraph(frame, inner, 0, SMC_STYLE_DIM, reason_of(explore));
        return;
    }
    draw_basis(explore, rect, frame);
    draw_headline(explore, inner, frame);
    append_relief(explore, &relief);
    int rows = smc_frame_paragraph(&nothing, inner, 0, SMC_STYLE_DIM, smc_text_string(&relief));
    bool fits = rect.rows - 1 - rows >= LEAST_TERMS;
    int row = draw_terms(explore, rect, 1, rect.rows - (fits ? rows : 0), frame);
    if (fits)
        smc_frame_paragraph(frame, inner, row, SMC_STYLE_DIM, smc_text_string(&relief));
}

/* --- In words --- */

void smc_explore_write_time(const struct smc_explore *explore, int columns, struct smc_text *out)
{
    enum { INDENT = 6 }; /* after "time" */
    const struct smc_report_style style = {.columns = (unsigned)columns};
    smc_auto_text relief = {0};
    if (!draw_time_is_known(explore)) {
        smc_text_printf(out, "no predicted time: %s\n", reason_of(explore));
        return;
    }
    out->style = &style;
    smc_text_explain_time(&explore->answer, INDENT, out);
    out->style = NULL;
    append_relief(explore, &relief);
    smc_text_printf(out, "%*s%s\n", INDENT, "", smc_text_string(&relief));
}
