/* The roofline's screen: the picture of `--plot`, in cells. */

#include <stdio.h>

#include "base/memory.h"
#include "show/plot/plot.h"
#include "show/tui/tui_state.h"

/* --- The family --- */

static void view_roofline_drop(struct smc_roofline_state *roofline, size_t at)
{
    roofline->count--;
    for (; at < roofline->count; at++)
        roofline->answer[at] = roofline->answer[at + 1];
}

/* The place of a kernel's answer among those of the family; `count` if it has none. */
static size_t view_roofline_place_of(const struct smc_roofline_state *roofline,
                                     const struct smc_kernel *kernel)
{
    size_t at = 1;
    while (at < roofline->count && roofline->answer[at].query.kernel != kernel)
        at++;
    return at < roofline->count ? at : roofline->count;
}

/* Takes over the first screen's answer, and restarts the family if that is another one than before.
   The family's answers stay until there are new ones, so that a key does not empty the picture. */
static void roofline_update(struct smc_roofline_state *roofline, const struct smc_explore *explore)
{
    const struct smc_kernel *kernel = explore->answer.query.kernel;
    if (!explore->answered || !smc_explore_has_time(explore)) {
        roofline->count = 0;
        return;
    }
    if (roofline->serial != explore->serial || roofline->count == 0)
        roofline->next = roofline->left_out = 0;
    roofline->serial = explore->serial;
    roofline->count += roofline->count == 0;
    roofline->answer[0] = explore->answer;
    for (size_t i = roofline->count - 1; i > 0; i--)
        if (!kernel || !roofline->answer[i].query.kernel ||
            !smc_family_has(kernel, roofline->answer[i].query.kernel) ||
            !smc_field_is_device(&roofline->answer[i].query.device, &explore->answer.query.device))
            view_roofline_drop(roofline, i);
}

/* The index of the next kernel of the family with elements of the same type, or the number of
   kernels. */
static size_t next_relative(size_t from, const struct smc_query *query)
{
    size_t count = smc_kernel_count();
    for (; from < count; from++)
        if (smc_family_has(query->kernel, smc_kernel_at(from)) &&
            smc_kernel_at(from)->dtypes & 1u << query->params.value[SMC_PARAM_DTYPE])
            break;
    return from;
}

void smc_roofline_job(const struct smc_roofline_state *roofline, const struct smc_explore *explore,
                      struct smc_job *job)
{
    struct smc_query query = explore->answer.query;
    bool wanted = query.kernel && roofline->count > 0 && roofline->serial == explore->serial &&
                  smc_explore_has_time(explore) && !query.compile.no_nvrtc;
    size_t at = wanted ? next_relative(roofline->next, &query) : smc_kernel_count();
    if (at < smc_kernel_count())
        smc_family_ask(&explore->answer, smc_kernel_at(at), &query);
    smc_job_init(job, at < smc_kernel_count() ? SMC_JOB_COMPILE : SMC_JOB_NONE, &query);
    job->serial = roofline->serial;
    job->of_family = true;
}

static size_t view_roofline_index_of(const struct smc_kernel *kernel)
{
    size_t at = 0;
    while (at < smc_kernel_count() && smc_kernel_at(at) != kernel)
        at++;
    return at;
}

void smc_roofline_take(struct smc_roofline_state *roofline, const struct smc_job_result *result)
{
    const struct smc_query *query = &result->job.query;
    smc_auto_text warnings = {0};
    struct smc_answer answer;
    if (result->job.serial != roofline->serial || roofline->count == 0)
        return;
    size_t at = view_roofline_place_of(roofline, query->kernel);
    roofline->next = view_roofline_index_of(query->kernel) + 1;
    bool predicted =
        result->status == SMC_OK && result->time.basis != SMC_TIME_UNKNOWN &&
        smc_query_evaluate(query, &result->resources, &answer, &warnings, NULL) == SMC_OK;
    if (predicted && at < SMC_ROOFLINE_KERNELS) {
        smc_query_find_work(&answer);
        answer.time = result->time;
        roofline->answer[at] = answer;
        roofline->count += at == roofline->count;
    } else if (at < roofline->count) {
        view_roofline_drop(roofline, at);
    }
    if (result->status == SMC_MACHINE && roofline->left_out++ == 0)
        roofline->why = result->error;
}

/* --- The picture --- */

static enum smc_style view_roofline_style_of(const struct smc_plot_cell *cell)
{
    static const enum smc_style styles[SMC_INK_COUNT] = {
        [SMC_INK_MUTED] = SMC_STYLE_DIM,   [SMC_INK_GRID] = SMC_STYLE_FRAME,
        [SMC_INK_CURVE] = SMC_STYLE_CURVE, [SMC_INK_SERVED] = SMC_STYLE_CURVE,
        [SMC_INK_NOW] = SMC_STYLE_NOW,     [SMC_INK_BEST] = SMC_STYLE_CURVE_BEST,
        [SMC_INK_REFUSED] = SMC_STYLE_BAD, [SMC_INK_CROWDED] = SMC_STYLE_BAD,
    };
    const enum smc_style style = styles[cell->ink];
    return style == SMC_STYLE_NORMAL && cell->strong ? SMC_STYLE_STRONG : style;
}

/* The rows of a picture from `top` on. */
static void copy_cells(const struct smc_picture *picture, int top, struct smc_rect rect,
                       struct smc_frame *frame)
{
    int rows = top + rect.rows;
    smc_auto_free struct smc_plot_cell *cells =
        smc_calloc((size_t)rows * (size_t)rect.cols, sizeof *cells);
    bool painted = cells && smc_plot_paint_grid(picture, rows, rect.cols, cells);
    for (int row = top; painted && row < rows; row++)
        for (int col = 0; col < rect.cols; col++) {
            const struct smc_plot_cell *cell = &cells[row * rect.cols + col];
            if (cell->character != ' ')
                smc_frame_glyph(frame, rect, row - top, col, view_roofline_style_of(cell),
                                cell->character);
        }
}

/* Replaces the picture by one whose diagram is twice `plot_height` high. */
static void lay_out_at(const struct smc_roofline_state *roofline, int cols, double plot_height,
                       struct smc_picture *picture)
{
    struct smc_canvas canvas = smc_canvas_cells((unsigned)cols);
    canvas.plot_height = plot_height;
    smc_picture_free(picture);
    *picture = (struct smc_picture){0};
    smc_plot_roofline(roofline->answer, roofline->count, &canvas, picture);
}

/* The diagram gets the rows that the tables leave, but enough to be read: then the picture is
   higher than the rectangle. Returns its rows. */
static int lay_out(const struct smc_roofline_state *roofline, struct smc_rect rect,
                   struct smc_picture *picture)
{
    enum { LEAST = 5, GUESS = 10 };
    lay_out_at(roofline, rect.cols, GUESS, picture);
    double height = GUESS + (rect.rows - picture->height) / 2;
    lay_out_at(roofline, rect.cols, height < LEAST ? LEAST : height, picture);
    return (int)picture->height;
}

static int view_roofline_last_top(const struct smc_roofline_state *roofline, struct smc_rect rect)
{
    SMC_AUTO(smc_picture_free) struct smc_picture picture = {0};
    int rows = roofline->count ? lay_out(roofline, rect, &picture) : 0;
    return rows > rect.rows ? rows - rect.rows : 0;
}

static void draw_picture(const struct smc_roofline_state *roofline, struct smc_rect rect,
                         struct smc_frame *frame)
{
    SMC_AUTO(smc_picture_free) struct smc_picture picture = {0};
    int rows = lay_out(roofline, rect, &picture);
    int most = rows > rect.rows ? rows - rect.rows : 0;
    int top = roofline->top < most ? roofline->top : most;
    copy_cells(&picture, top, rect, frame);
    smc_list_draw_arrows(top, rows, (struct smc_rect){rect.row, rect.col, rect.rows, rect.cols + 1},
                         frame);
}

/* --- The view --- */

/* Within the frame, and a column of margin on each side. */
static struct smc_rect inner_of(struct smc_rect body)
{
    struct smc_rect inside = smc_rect_inside(body);
    return (struct smc_rect){inside.row, inside.col + 1, inside.rows, inside.cols - 2};
}

static bool is_predicting(const struct smc_tui *tui)
{
    struct smc_job job = {.kind = SMC_JOB_NONE};
    const struct smc_explore *explore = &tui->explore;
    if (!explore->wants_compile && !explore->wants_time)
        smc_roofline_job(&tui->roofline, explore, &job);
    return explore->wants_compile || explore->wants_time || job.kind != SMC_JOB_NONE;
}

/* On the edge: the value that the arrows change, or that the picture is not complete yet; below,
   that it never will be. */
static void draw_edge(const struct smc_tui *tui, struct smc_rect inner, struct smc_frame *frame)
{
    char text[256];
    struct smc_field_view view;
    struct smc_rect edge = {inner.row - 1, inner.col, 1, inner.cols};
    smc_explore_show(&tui->explore, tui->explore.field, &view);
    snprintf(text, sizeof text, "%s \xe2\x86\x90\xe2\x86\x92 %s %s ",
             !is_predicting(tui) ? "" : " predicting\xe2\x80\xa6  ", view.label, view.value);
    smc_frame_text_right(frame, edge, 0, SMC_STYLE_DIM, text);
    if (tui->roofline.left_out == 0)
        return;
    struct smc_rect lower = {inner.row + inner.rows, inner.col, 1, inner.cols};
    snprintf(text, sizeof text, " %zu left out: %.200s ", tui->roofline.left_out,
             tui->roofline.why.message);
    smc_frame_text(frame, lower, 0, 0, SMC_STYLE_BAD, text);
}

static void view_roofline_draw(const struct smc_tui *tui, struct smc_rect body,
                               struct smc_frame *frame)
{
    const struct smc_explore *explore = &tui->explore;
    struct smc_rect inner = inner_of(body);
    smc_frame_box(frame, body, "roofline");
    draw_edge(tui, inner, frame);
    if (!explore->answered)
        smc_frame_paragraph(frame, inner, 0, SMC_STYLE_BAD, explore->why);
    else if (!smc_explore_has_time(explore))
        smc_frame_paragraph(
            frame, inner, 0, SMC_STYLE_NORMAL,
            "only launches with a known grid and arguments have a roofline: of a "
            "kernel of the catalog, or of your own file with the grid set on F2 and "
            "the arguments typed with a");
    else if (!is_predicting(tui) && !smc_time_is_known(&explore->answer.time))
        smc_frame_paragraph(frame, inner, 0, SMC_STYLE_BAD,
                            explore->answer.time.reason[0] ? explore->answer.time.reason
                                                           : "there is no predicted time");
    else if (tui->roofline.count > 0)
        draw_picture(&tui->roofline, inner, frame);
}

static void refresh(struct smc_tui *tui)
{
    roofline_update(&tui->roofline, &tui->explore);
}

static void view_roofline_scroll(struct smc_tui *tui, int by)
{
    int last = view_roofline_last_top(&tui->roofline, inner_of(smc_tui_body(tui)));
    tui->roofline.top = smc_list_scrolled(tui->roofline.top, by, last);
}

/* The value under the first screen's cursor. */
static void view_roofline_step(struct smc_tui *tui, int direction, bool far)
{
    smc_explore_step(&tui->explore, direction, far);
    refresh(tui);
}

static bool view_roofline_act(struct smc_tui *tui, enum smc_action action)
{
    int by = smc_list_rows_of(action, tui->rows / 2);
    if (by != 0) {
        view_roofline_scroll(tui, by);
        return true;
    }
    switch (action) {
    case SMC_ACTION_LESS:
    case SMC_ACTION_MORE:
        view_roofline_step(tui, action == SMC_ACTION_MORE ? 1 : -1, false);
        return true;
    case SMC_ACTION_MUCH_LESS:
    case SMC_ACTION_MUCH_MORE:
        view_roofline_step(tui, action == SMC_ACTION_MUCH_MORE ? 1 : -1, true);
        return true;
    case SMC_ACTION_UNDO:
        if (!smc_explore_undo(&tui->explore))
            smc_tui_say(tui, SMC_STYLE_WARN, "nothing to undo");
        refresh(tui);
        return true;
    case SMC_ACTION_COMMAND:
        if (!tui->explore.query.kernel)
            return false;
        smc_tui_show_query(tui, " --roofline --family");
        return true;
    default:
        return false;
    }
}

static void click(struct smc_tui *tui, struct smc_rect body, int row, int col, int direction)
{
    enum { LINES = 3 };
    (void)body, (void)row, (void)col;
    view_roofline_scroll(tui, direction * LINES);
}

const struct smc_view smc_view_roofline = {
    .title = "roofline",
    .open = refresh,
    .refresh = refresh,
    .draw = view_roofline_draw,
    .act = view_roofline_act,
    .click = click,
};
