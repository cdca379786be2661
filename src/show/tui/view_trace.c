/* The screen of kernels: those that a program launched, or those of the user's file, as a table,
   and all about the one under the cursor. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "show/tui/tui_state.h"
#include "show/words/words.h"

/* --- Layout --- */

enum {
    SIDE_BY_SIDE_FROM = 190, /* columns; with fewer the facts are below the table */
    SIDE = 70,
    BELOW_FROM = 20, /* rows; with fewer there are none */
    BELOW_ROWS = 10,
    MOST_BELOW_ROWS = 18,
    LABEL_COLUMNS = 12,
};

struct view_trace_layout {
    struct smc_rect table, facts; /* with the edges, which they share; or empty */
    struct smc_rect summary, heading, lines, facts_inside;
};

static void view_trace_lay_out(struct smc_rect body, struct view_trace_layout *layout)
{
    static const struct smc_split split = {
        .beside_from = SIDE_BY_SIDE_FROM,
        .beside_cols = SIDE,
        .below_from = BELOW_FROM,
        .least_below = BELOW_ROWS,
        .most_below = MOST_BELOW_ROWS,
    };
    *layout = (struct view_trace_layout){.table = body};
    layout->facts = smc_rect_split(&layout->table, &split);
    layout->lines = smc_rect_inside(layout->table);
    layout->summary = smc_rect_cut_top(&layout->lines, 1);
    layout->heading = smc_rect_cut_top(&layout->lines, 1);
    layout->facts_inside = smc_rect_inside(layout->facts);
}

static struct view_trace_layout view_trace_layout_of(const struct smc_tui *tui)
{
    struct view_trace_layout layout;
    view_trace_lay_out(smc_tui_body(tui), &layout);
    return layout;
}

/* --- The table --- */

enum { MARKS = 3 }; /* columns before the name */

static bool is_column_shown(const struct smc_trace_list *list, enum smc_trace_column column,
                            int table_columns)
{
    const struct smc_trace_column_info *info = &smc_trace_column_info[column];
    if (column != SMC_TRACE_COLUMN_CHANGE)
        return table_columns >= (list->file ? info->from_file : info->from);
    for (size_t i = 0; list->file && i < list->kernels; i++)
        if (smc_open_kernel_at(list->file, i)->is_changed)
            return table_columns >= info->from_file;
    return false;
}

static void view_trace_find_spans(const struct smc_trace_list *list, int table_columns,
                                  struct smc_span span[SMC_TRACE_COLUMN_COUNT])
{
    enum { ARROWS = 1, LEAST_NAME = 20, MOST_CHANGE = 90 };
    /* Given up where the names would have too little. */
    static const enum smc_trace_column least_important[] = {
        SMC_TRACE_COLUMN_STEP, SMC_TRACE_COLUMN_SPILLS, SMC_TRACE_COLUMN_BLOCKS,
        SMC_TRACE_COLUMN_SMEM, SMC_TRACE_COLUMN_THREADS};
    int left = table_columns - MARKS - ARROWS;
    for (int i = 0; i < SMC_TRACE_COLUMN_COUNT; i++) {
        const struct smc_trace_column_info *info = &smc_trace_column_info[i];
        const bool shown = is_column_shown(list, (enum smc_trace_column)i, table_columns);
        span[i].cols = shown ? info->columns : 0;
        left -= span[i].cols;
    }
    for (size_t i = 0; i < sizeof least_important / sizeof *least_important; i++)
        if (left < LEAST_NAME) {
            left += span[least_important[i]].cols;
            span[least_important[i]].cols = 0;
        }
    if (span[SMC_TRACE_COLUMN_CHANGE].cols && left > 2 * LEAST_NAME) {
        const int more = left - 2 * LEAST_NAME,
                  most = MOST_CHANGE - span[SMC_TRACE_COLUMN_CHANGE].cols;
        span[SMC_TRACE_COLUMN_CHANGE].cols += more < most ? more : most;
        left -= more < most ? more : most;
    }
    span[SMC_TRACE_COLUMN_NAME].cols = left > 0 ? left : 0;
    smc_spans_place(span, SMC_TRACE_COLUMN_COUNT, MARKS);
}

static struct smc_rect view_trace_cell_of(int column, const struct smc_span *span,
                                          struct smc_rect line)
{
    const int gap = smc_trace_column_info[column].is_text ? 2 : 1;
    return smc_span_cell(span[column], column == SMC_TRACE_COLUMN_NAME ? 0 : gap, line);
}

/* The kernel's name; for a configuration its block and grid, indented. */
static void view_trace_append_name(const struct smc_trace_list *list,
                                   const struct smc_trace_line *line, struct smc_text *out)
{
    const struct smc_trace_launch *launch = list->answer->rows[line->row].launch;
    if (line->is_kernel) {
        smc_text_append(out, list->name[line->kernel]);
        return;
    }
    smc_text_printf(out, "  %ux%ux%u, grid %ux%ux%u", launch->block[0], launch->block[1],
                    launch->block[2], launch->grid[0], launch->grid[1], launch->grid[2]);
}

static enum smc_style view_trace_style_of(const struct smc_trace_list *list,
                                          const struct smc_trace_line *line,
                                          enum smc_trace_column column)
{
    const enum smc_trace_bound bound = list->answer->rows[line->row].bound;
    if (column == SMC_TRACE_COLUMN_BOUND)
        return bound == SMC_TRACE_BOUND_NONE      ? SMC_STYLE_GOOD
               : bound == SMC_TRACE_BOUND_UNKNOWN ? SMC_STYLE_DIM
                                                  : SMC_STYLE_BINDS;
    if (column == SMC_TRACE_COLUMN_NAME && !line->is_kernel)
        return SMC_STYLE_LABEL;
    return SMC_STYLE_NORMAL;
}

static void draw_line(const struct smc_trace_list *list, const char *searched,
                      const struct smc_trace_line *here, const struct smc_span *span,
                      struct smc_rect line, struct smc_frame *frame)
{
    for (int i = 0; i < SMC_TRACE_COLUMN_COUNT; i++) {
        enum smc_trace_column id = (enum smc_trace_column)i;
        const bool is_name = id == SMC_TRACE_COLUMN_NAME;
        char text[SMC_TRACE_CELL_CHARS] = "";
        smc_auto_text name = {0};
        if (!span[i].cols)
            continue;
        if (is_name)
            view_trace_append_name(list, here, &name);
        else
            smc_trace_column_write(list, here, id, text);
        const char *shown = is_name ? smc_text_string(&name) : *text ? text : "-";
        smc_list_draw_cell(shown, smc_trace_column_info[i].is_text,
                           view_trace_style_of(list, here, id), view_trace_cell_of(i, span, line),
                           frame);
        if (is_name && (searched[0] || list->filter[0]))
            smc_list_mark_match(shown, list->filter[0] ? list->filter : searched,
                                view_trace_cell_of(i, span, line), frame);
    }
    const struct smc_open_kernel *kernel =
        list->file ? smc_open_kernel_at(list->file, here->row) : NULL;
    if (kernel && (kernel->is_changed || kernel->is_new))
        smc_frame_glyph(frame, line, 0, 1, SMC_STYLE_WARN, SMC_SIGN_CHANGED);
    if (smc_trace_list_is_sum(list, here))
        smc_frame_glyph(frame, line, 0, 1, SMC_STYLE_LABEL,
                        list->unfolded[here->kernel] ? SMC_SIGN_UNFOLDED : SMC_SIGN_FOLDED);
}

static bool view_trace_is_shown(const struct smc_trace_list *list,
                                const struct smc_trace_line *line, const struct smc_query *query)
{
    return query->file_kernel == smc_trace_list_file_kernel(list, line->row) &&
           !(line->is_kernel && list->unfolded[line->kernel]);
}

static int view_trace_first_shown(const struct smc_trace_list *list, int rows)
{
    return smc_list_first((int)list->cursor, (int)list->count, rows);
}

static void view_trace_draw_table(const struct smc_tui *tui, const struct view_trace_layout *layout,
                                  struct smc_frame *frame)
{
    const struct smc_trace_list *list = &tui->trace;
    struct smc_span span[SMC_TRACE_COLUMN_COUNT];
    struct smc_rect rows = layout->lines;
    smc_auto_text summary = {0};
    int count = (int)list->count, first = view_trace_first_shown(list, rows.rows);
    const bool failed = list->file && list->file->failure[0];
    if (failed)
        smc_text_printf(&summary, "as before the error: %s", list->file->failure);
    else
        smc_trace_list_append_summary(list, &summary);
    smc_frame_text_within(frame, layout->summary, 0, 1, layout->summary.cols - 2,
                          failed ? SMC_STYLE_BAD : SMC_STYLE_STRONG, smc_text_string(&summary));
    view_trace_find_spans(list, rows.cols, span);
    for (int i = 0; i < SMC_TRACE_COLUMN_COUNT; i++)
        if (span[i].cols)
            smc_list_draw_cell(smc_trace_column_info[i].heading, smc_trace_column_info[i].is_text,
                               i == (int)list->sort ? SMC_STYLE_TITLE : SMC_STYLE_DIM,
                               view_trace_cell_of(i, span, layout->heading), frame);
    for (int i = 0; i < rows.rows && first + i < count; i++) {
        const struct smc_trace_line *here = &list->line[first + i];
        struct smc_rect line = {rows.row + i, rows.col, 1, rows.cols};
        draw_line(list, tui->searched, here, span, line, frame);
        if (first + i == (int)list->cursor)
            smc_frame_restyle(frame, line, 0, SMC_STYLE_CURSOR);
        if (view_trace_is_shown(list, here, &tui->explore.query))
            smc_frame_glyph(frame, line, 0, 0, SMC_STYLE_STRONG, SMC_SIGN_SHOWN);
    }
    smc_list_draw_arrows(first, count, rows, frame);
}

/* --- All about one --- */

static const char *view_trace_shown_name(const struct smc_trace_list *list)
{
    return list->answer->kernels[smc_trace_list_here(list)->kernel].shown;
}

static void draw_facts(const struct smc_trace_list *list, struct smc_rect rect,
                       struct smc_frame *frame)
{
    struct smc_rect inner = {rect.row, rect.col + 1, rect.rows, rect.cols - 2};
    if (rect.rows == 0)
        return;
    smc_frame_text_within(frame, inner, 0, 0, inner.cols, SMC_STYLE_STRONG,
                          view_trace_shown_name(list));
    int row = 1;
    for (int i = 0; i < SMC_TRACE_FACTS; i++) {
        smc_auto_text words = {0};
        struct smc_rect right = {inner.row, inner.col + LABEL_COLUMNS, inner.rows,
                                 inner.cols - LABEL_COLUMNS};
        smc_trace_facts[i].append(list, smc_trace_list_here(list), &words);
        if (words.length) {
            smc_frame_text(frame, inner, row, 0, SMC_STYLE_LABEL, smc_trace_facts[i].label);
            row = smc_frame_paragraph(frame, right, row, SMC_STYLE_NORMAL, smc_text_string(&words));
        }
    }
    smc_list_mark_cut(rect, row, SMC_ACTION_DETAILS, frame);
}

/* The same in a box, with the notes on the whole trace. */
static void show_facts(struct smc_tui *tui)
{
    const struct smc_trace_list *list = &tui->trace;
    struct smc_text *text = &tui->popup.text;
    smc_popup_open(&tui->popup, "kernel");
    tui->popup.indent = LABEL_COLUMNS;
    smc_text_printf(text, "%s\n", view_trace_shown_name(list));
    for (int i = 0; i < SMC_TRACE_FACTS; i++) {
        smc_auto_text words = {0};
        smc_trace_facts[i].append(list, smc_trace_list_here(list), &words);
        smc_words_untie(&words);
        if (words.length)
            smc_text_printf(text, "%-*s%s\n", LABEL_COLUMNS, smc_trace_facts[i].label,
                            smc_text_string(&words));
    }
    const char *notes = smc_text_string(&list->answer->trace->notes);
    if (*notes)
        smc_text_printf(text, "\nnotes on the %s\n%s", list->file ? "file" : "trace", notes);
}

/* --- The view --- */

static const char how_to_get_one[] =
    "No file and no trace is open.\n \n'smemcalc tui FILE', or ':open FILE' here, lists the "
    "kernels "
    "of your own code, the worst first: CUDA source, PTX, a program, a library, a cubin or the log "
    "of a build. Saving the file, or building it again, refreshes the screen.\n \n"
    "'smemcalc tui --trace FILE' lists what a program launched: an export of Nsight Systems (nsys "
    "export --type sqlite), the output of 'ncu --csv', a Chrome trace of PyTorch's profiler (.json "
    "or .json.gz), the JSON that Triton's cache has for a kernel, or what 'smemcalc trace --format "
    "json --output FILE -- ./app' recorded of your program.\n \nEnter takes a kernel along to F2, "
    "where its registers and shared memory can be varied.";

static size_t shown_kernels(const struct smc_trace_list *list)
{
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++)
        count += list->line[i].is_kernel;
    return count;
}

/* "37 kernels by share, falling". */
static void view_trace_write_title(const struct smc_trace_list *list, char title[96])
{
    const struct smc_trace_column_info *info = &smc_trace_column_info[list->sort];
    if (list->filter[0]) {
        snprintf(title, 96, "%zu of %zu kernels with '%.40s'; Esc shows all", shown_kernels(list),
                 list->answer->kernel_count, list->filter);
        return;
    }
    snprintf(title, 96, "%s%zu kernel%s by %s, %s",
             list->file ? "" : "trace: ", list->answer->kernel_count,
             smc_text_plural(list->answer->kernel_count), info->heading,
             info->rises != list->reversed ? "rising" : "falling");
}

static void draw_message(struct smc_rect body, const char *text, const char *more,
                         struct smc_frame *frame)
{
    struct smc_rect inside = smc_rect_inside(body);
    struct smc_rect inner = {inside.row, inside.col + 1, inside.rows, inside.cols - 2};
    smc_frame_box(frame, body, "kernels");
    int row = smc_frame_paragraph(frame, inner, 0, SMC_STYLE_NORMAL, text);
    if (*more)
        smc_frame_paragraph(frame, inner, row + 1, SMC_STYLE_DIM, more);
}

/* A file that is being read for the first time, or could not be. */
static void draw_unread(const struct smc_open_file *file, struct smc_rect body,
                        struct smc_frame *frame)
{
    smc_auto_text words = {0};
    if (file->failure[0])
        smc_text_append(&words, file->failure);
    else
        smc_text_printf(&words, "reading %s\xe2\x80\xa6", file->shown);
    draw_message(
        body, smc_text_string(&words),
        file->failure[0] ? "It is read again when it is saved; :open FILE opens another one." : "",
        frame);
}

static void view_trace_draw(const struct smc_tui *tui, struct smc_rect body,
                            struct smc_frame *frame)
{
    const struct smc_trace_list *list = &tui->trace;
    struct view_trace_layout layout;
    char title[96];
    if (!list->answer && tui->file.question.file[0]) {
        draw_unread(&tui->file, body, frame);
        return;
    }
    if (!list->answer) {
        draw_message(body, how_to_get_one, "", frame);
        return;
    }
    if (list->count == 0) {
        draw_message(body, "The trace has no launch of a kernel.",
                     smc_text_string(&list->answer->trace->notes), frame);
        return;
    }
    view_trace_lay_out(body, &layout);
    view_trace_write_title(list, title);
    smc_frame_box(frame, layout.table, title);
    smc_frame_box(frame, layout.facts,
                  smc_trace_list_here(list)->is_kernel ? "kernel" : "configuration");
    view_trace_draw_table(tui, &layout, frame);
    draw_facts(list, layout.facts_inside, frame);
}

/* --- Keys --- */

/* False if the trace says too little about it. */
static bool bring(struct smc_tui *tui, size_t row)
{
    struct smc_explore *explore = &tui->explore;
    struct smc_query before = explore->query;
    if (!smc_trace_list_query(&tui->trace, row, &explore->query))
        return false;
    smc_explore_brought(explore, &before);
    smc_explore_go(explore, SMC_FIELD_REGS);
    return true;
}

/* To the first screen, where undo restores what it showed. */
static void take_along(struct smc_tui *tui)
{
    const struct smc_trace_line *line = smc_trace_list_here(&tui->trace);
    const struct smc_trace_row *row = &tui->trace.answer->rows[line->row];
    if (!bring(tui, line->row)) {
        smc_tui_say(tui, SMC_STYLE_WARN, "its block size was not recorded, so F2 cannot show it");
        return;
    }
    smc_tui_show_view(tui, SMC_VIEW_EXPLORE);
    if (row->unknown)
        smc_tui_say(tui, SMC_STYLE_WARN, "%s; assumed here. F8 goes back, u undoes it",
                    row->unknown);
    else if (tui->trace.file)
        smc_tui_say(tui, SMC_STYLE_GOOD, "%s of %s; F8 goes back to the list, u undoes it",
                    tui->explore.query.file_kernel->short_name, tui->file.shown);
    else
        smc_tui_say(tui, SMC_STYLE_GOOD,
                    "as it was launched; F8 goes back to the trace, u undoes "
                    "it");
}

/* Unfolds a kernel with several configurations, or folds it. */
static void view_trace_enter(struct smc_tui *tui)
{
    const struct smc_trace_line *line = smc_trace_list_here(&tui->trace);
    if (smc_trace_list_is_sum(&tui->trace, line))
        smc_trace_list_unfold(&tui->trace, !tui->trace.unfolded[line->kernel]);
    else
        take_along(tui);
}

static void unfold(struct smc_tui *tui, bool unfold)
{
    const struct smc_trace_line *line = smc_trace_list_here(&tui->trace);
    if (tui->trace.file)
        smc_tui_say(tui, SMC_STYLE_WARN, "Enter takes it along to F2, i shows all about it");
    else if (unfold && line->is_kernel && !smc_trace_list_is_sum(&tui->trace, line))
        smc_tui_say(tui, SMC_STYLE_WARN, "it has one configuration; Enter takes it along to F2");
    else
        smc_trace_list_unfold(&tui->trace, unfold);
}

/* The next of the columns shown. */
static void view_trace_sort_by_next(struct smc_tui *tui)
{
    struct smc_span span[SMC_TRACE_COLUMN_COUNT];
    view_trace_find_spans(&tui->trace, view_trace_layout_of(tui).lines.cols, span);
    int column = smc_spans_next(span, SMC_TRACE_COLUMN_COUNT, (int)tui->trace.sort, 1);
    smc_trace_list_sort(&tui->trace, (enum smc_trace_column)column, false);
}

static void view_trace_search(struct smc_tui *tui, int direction)
{
    if (!tui->searched[0])
        smc_tui_say(tui, SMC_STYLE_WARN, "nothing was searched yet; / begins a search");
    else if (!smc_trace_list_search(&tui->trace, tui->searched, direction))
        smc_tui_say(tui, SMC_STYLE_WARN, "no kernel has '%s' in its name or its limits",
                    tui->searched);
}

static void view_trace_show_command(struct smc_tui *tui)
{
    struct smc_query query = tui->explore.query;
    smc_auto_text words = {0};
    if (smc_trace_list_query(&tui->trace, smc_trace_list_here(&tui->trace)->row, &query))
        smc_tui_command_of(tui, &query, &words);
    smc_tui_show_command(tui, words.length ? smc_text_string(&words)
                                           : "the trace has no block size of this kernel");
}

/* What was set on the first screen is the launch of its kernel in the list, too. */
static void view_trace_open(struct smc_tui *tui)
{
    smc_open_file_keep_launch(&tui->file, &tui->explore.query);
}

static bool view_trace_act_on_list(struct smc_tui *tui, enum smc_action action)
{
    struct smc_trace_list *list = &tui->trace;
    int by = smc_list_rows_of(action, view_trace_layout_of(tui).lines.rows - 1);
    if (by != 0) {
        smc_trace_list_move(list, by);
        return true;
    }
    switch (action) {
    case SMC_ACTION_FOLD:
    case SMC_ACTION_UNFOLD:
        unfold(tui, action == SMC_ACTION_UNFOLD);
        return true;
    case SMC_ACTION_FOLD_ALL:
    case SMC_ACTION_UNFOLD_ALL:
        smc_trace_list_unfold_all(list, action == SMC_ACTION_UNFOLD_ALL);
        return true;
    case SMC_ACTION_SORT:
        view_trace_sort_by_next(tui);
        return true;
    case SMC_ACTION_REVERSE:
        smc_trace_list_sort(list, list->sort, !list->reversed);
        return true;
    default:
        return false;
    }
}

static bool view_trace_filter(struct smc_tui *tui, const char *text)
{
    return tui->trace.kernels == 0 || smc_trace_list_filter(&tui->trace, text);
}

static bool view_trace_act(struct smc_tui *tui, enum smc_action action)
{
    if (tui->trace.count == 0) /* nothing to search or choose; the rest is for every view */
        return action == SMC_ACTION_SEARCH || action == SMC_ACTION_AGAIN;
    switch (action) {
    case SMC_ACTION_TAKE:
        view_trace_enter(tui);
        return true;
    case SMC_ACTION_DETAILS:
        show_facts(tui);
        return true;
    case SMC_ACTION_AGAIN:
    case SMC_ACTION_BEFORE:
        view_trace_search(tui, action == SMC_ACTION_AGAIN ? 1 : -1);
        return true;
    case SMC_ACTION_CANCEL:
        return smc_trace_list_filter(&tui->trace, "");
    case SMC_ACTION_COMMAND:
        view_trace_show_command(tui);
        return true;
    default:
        return view_trace_act_on_list(tui, action);
    }
}

/* --- Clicks --- */

/* A click on a line moves the cursor there, and there does what Enter does; one on a heading sorts.
 */
static void view_trace_click(struct smc_tui *tui, struct smc_rect body, int row, int col,
                             int direction)
{
    enum { WHEEL_STEP = 3 };
    struct smc_trace_list *list = &tui->trace;
    struct view_trace_layout layout;
    view_trace_lay_out(body, &layout);
    if (list->count == 0)
        return;
    if (direction != 0) {
        smc_trace_list_move(list, direction * WHEEL_STEP);
    } else if (smc_rect_holds(layout.heading, row, col)) {
        struct smc_span span[SMC_TRACE_COLUMN_COUNT];
        view_trace_find_spans(list, layout.heading.cols, span);
        int column = smc_spans_at(span, SMC_TRACE_COLUMN_COUNT, col - layout.heading.col);
        if (column < SMC_TRACE_COLUMN_COUNT)
            smc_trace_list_sort(list, (enum smc_trace_column)column,
                                column == (int)list->sort && !list->reversed);
    } else if (smc_rect_holds(layout.lines, row, col)) {
        size_t at =
            (size_t)(view_trace_first_shown(list, layout.lines.rows) + row - layout.lines.row);
        if (at == list->cursor)
            view_trace_enter(tui);
        else if (at < list->count)
            list->cursor = at;
    }
}

void smc_tui_take_trace(struct smc_tui *tui, const struct smc_trace_answer *answer)
{
    smc_trace_list_open(&tui->trace, answer);
    smc_tui_show_view(tui, SMC_VIEW_TRACE);
    if (tui->trace.count > 0)
        bring(tui, smc_trace_list_here(&tui->trace)->row);
}

/* --- The user's file --- */

void smc_tui_open_file(struct smc_tui *tui, const struct smc_open_question *question)
{
    if (smc_ends(question->file, ".md")) {
        smc_tui_open_lesson(tui, question->file);
        return;
    }
    smc_trace_list_close(&tui->trace);
    smc_open_file_begin(&tui->file, question);
    smc_tui_show_view(tui, SMC_VIEW_TRACE);
}

void smc_tui_file_changed(struct smc_tui *tui)
{
    smc_open_file_keep_launch(&tui->file, &tui->explore.query);
    smc_open_file_changed(&tui->file);
}

static void fail_file(struct smc_tui *tui, const struct smc_job_result *result)
{
    const struct smc_device *asked = &result->job.query.device;
    smc_open_file_fail(&tui->file, &result->job.open, asked, result->error.message);
    if (tui->file.is_read)
        smc_tui_say_of_job(tui, SMC_JOB_READ, SMC_STYLE_BAD, result->error.message);
}

/* What the last change did, until the next key. */
static void tell_changes(struct smc_tui *tui)
{
    smc_auto_text words = {0};
    smc_text_printf(&words, "%s was saved: ", smc_last_part(tui->file.shown));
    smc_open_file_append_changes(&tui->file, &words);
    smc_tui_say(tui, SMC_STYLE_WARN, "%s", smc_text_string(&words));
}

/* The first time the worst kernel is taken over to the first screen. */
void smc_tui_take_file(struct smc_tui *tui, const struct smc_job_result *result)
{
    struct smc_open_file *file = &tui->file;
    const struct smc_open_kernel *here = smc_trace_list_open_kernel(&tui->trace);
    const struct smc_query *query = &result->job.query;
    const bool first = !file->is_read,
               saved = file->is_read && file->saves != result->job.open.saves;
    if (strcmp(result->job.open.file, file->question.file) != 0)
        return; /* another file was opened meanwhile */
    if (result->status != SMC_OK) {
        fail_file(tui, result);
        return;
    }
    smc_open_file_keep_launch(file, &tui->explore.query);
    if (!query->device_assumed)
        smc_explore_find_device(&tui->explore, &query->device);
    if (!smc_open_file_take(file, &result->job.open, &query->device, result->kernels,
                            result->kernel_count, result->log)) {
        smc_trace_list_close(&tui->trace);
        return;
    }
    smc_trace_list_open_file(&tui->trace, file, here);
    smc_open_file_follow(file, &tui->explore.query);
    if (first && tui->trace.count > 0 && tui->view == SMC_VIEW_TRACE)
        bring(tui, smc_trace_list_here(&tui->trace)->row);
    else
        smc_explore_reread(&tui->explore);
    if (saved)
        tell_changes(tui);
}

const struct smc_view smc_view_trace = {
    .title = "kernels",
    .open = view_trace_open,
    .draw = view_trace_draw,
    .act = view_trace_act,
    .click = view_trace_click,
    .filter = view_trace_filter,
};
