/* The lessons view: guided pages with live numbers, and a question at the end of each lesson. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "show/lesson/lesson_words.h"
#include "show/tui/tui_state.h"
#include "show/words/words.h"

enum { MARGIN = 2, MOST_COLUMNS = 100, HEAD_ROWS = 2, FOOT_ROWS = 1 };

static bool is_question(const struct smc_lessons *lessons)
{
    return lessons->page == lessons->opened.page_count;
}

/* A lesson that asks nothing ends with its last page. */
static size_t last_page(const struct smc_lessons *lessons)
{
    const struct smc_lesson *opened = &lessons->opened;
    return opened->page_count - (opened->question.text.text == NULL);
}

static const char *view_lessons_word(const struct smc_lessons *lessons, enum smc_lesson_word_id id)
{
    return smc_lesson_word(lessons->language, id);
}

/* --- The list: the program's lessons, and the user's --- */

static size_t count_lessons(const struct smc_lessons *lessons)
{
    return smc_lesson_count() + (lessons->own_file[0] != '\0');
}

static bool is_own(const struct smc_lessons *lessons)
{
    return lessons->lesson == smc_lesson_count();
}

static void find_head(const struct smc_lessons *lessons, size_t index, struct smc_lesson_head *head)
{
    if (index < smc_lesson_count())
        smc_lesson_head_at(index, lessons->language, head);
    else
        *head = lessons->own;
}

/* --- The page --- */

/* The explorer's device where the lesson accepts it. Nothing is compiled here because a key must
   not wait. */
static struct smc_lesson_setting setting_for(const struct smc_tui *tui)
{
    const struct smc_query *query = &tui->explore.query;
    const struct smc_lesson *lesson = &tui->lessons.opened;
    int columns = tui->cols - 2 * (MARGIN + 1);
    struct smc_lesson_setting setting = {
        .compile = query->compile,
        .columns = (unsigned)(columns < MOST_COLUMNS ? columns : MOST_COLUMNS),
        .utf8 = true,
    };
    if (columns < SMC_LESSON_LEAST_COLUMNS)
        setting.columns = SMC_LESSON_LEAST_COLUMNS;
    setting.compile.no_nvrtc = true;
    if (smc_lesson_accepts(lesson, &query->device, NULL) == SMC_OK)
        setting.device = &query->device;
    return setting;
}

static void write_page(struct smc_tui *tui)
{
    struct smc_lessons *lessons = &tui->lessons;
    struct smc_lesson_setting setting = setting_for(tui);
    struct smc_error error = {""};
    smc_text_free(&lessons->text);
    lessons->written_cols = tui->cols;
    lessons->written_for = tui->explore.query.device;
    enum smc_status status =
        is_question(lessons)
            ? smc_lesson_question(&lessons->opened, &setting, &lessons->text, &error)
            : smc_lesson_page(&lessons->opened, lessons->page, &setting, &lessons->text, &error);
    if (status != SMC_OK)
        smc_tui_say(tui, SMC_STYLE_BAD, "%s", error.message);
}

/* A curve asks for each of its values. */
static bool has_curve(const struct smc_lessons *lessons)
{
    const struct smc_lesson *lesson = &lessons->opened;
    if (is_question(lessons))
        return false;
    const struct smc_lesson_page *page = &lesson->page[lessons->page];
    for (size_t i = 0; i < page->element_count; i++) {
        const struct smc_lesson_element *element = &lesson->element[page->first_element + i];
        if (element->kind == SMC_ELEMENT_LIVE && strncmp(element->info, "curve", 5) == 0)
            return true;
    }
    return false;
}

static bool is_written(const struct smc_tui *tui)
{
    const struct smc_lessons *lessons = &tui->lessons;
    return !lessons->is_open ||
           (lessons->written_cols == tui->cols &&
            smc_field_is_device(&lessons->written_for, &tui->explore.query.device));
}

/* Until then the page is what it was. */
static void write_or_put_off(struct smc_tui *tui)
{
    struct smc_lessons *lessons = &tui->lessons;
    struct smc_lesson_setting setting = setting_for(tui);
    lessons->can_try = !is_question(lessons) && smc_lesson_launch(&lessons->opened, lessons->page,
                                                                  &setting, &lessons->launch);
    tui->is_behind = has_curve(lessons);
    if (!tui->is_behind)
        write_page(tui);
}

static void turn_to(struct smc_tui *tui, size_t page)
{
    struct smc_lessons *lessons = &tui->lessons;
    lessons->page = page;
    lessons->top = 0;
    lessons->written_cols = 0;
    smc_text_free(&lessons->reply);
    smc_text_free(&lessons->text);
    smc_text_append(&lessons->text, "\xe2\x80\xa6\n");
    write_or_put_off(tui);
}

static void turn(struct smc_tui *tui, int by)
{
    struct smc_lessons *lessons = &tui->lessons;
    if (by < 0 && lessons->page == 0)
        lessons->is_open = false;
    else if (by < 0 || lessons->page < last_page(lessons))
        turn_to(tui, lessons->page + (size_t)by);
}

static int view_lessons_count_lines(const struct smc_text *text)
{
    int lines = 0;
    for (size_t i = 0; i < text->length; i++)
        lines += text->data[i] == '\n';
    return lines;
}

/* --- Drawing --- */

/* Rows per lesson: the title, then the summary and an empty row where they fit between the row
   above and the foot. */
static int rows_per_lesson(const struct smc_lessons *lessons, struct smc_rect rect)
{
    int rows = (rect.rows - 1 - FOOT_ROWS) / (int)count_lessons(lessons);
    return rows > 3 ? 3 : rows < 1 ? 1 : rows;
}

static void view_lessons_draw_list(const struct smc_lessons *lessons, struct smc_rect rect,
                                   struct smc_frame *frame)
{
    int count = (int)count_lessons(lessons), each = rows_per_lesson(lessons, rect);
    for (int i = 0; i < count; i++) {
        struct smc_lesson_head head;
        find_head(lessons, (size_t)i, &head);
        bool here = (size_t)i == lessons->lesson;
        enum smc_style style = here ? SMC_STYLE_SELECTED : SMC_STYLE_STRONG;
        int row = 1 + each * i;
        struct smc_rect line = {rect.row + row, rect.col, row < rect.rows, rect.cols};
        if (here)
            smc_frame_fill(frame, line, SMC_STYLE_SELECTED, ' ');
        smc_frame_printf(frame, rect, row, MARGIN, style, "  %d  %s", i + 1, head.title);
        if (lessons->solved >> i & 1)
            smc_frame_glyph(frame, rect, row, MARGIN, style, SMC_SIGN_SOLVED);
        if (each > 1)
            smc_frame_text_within(frame, rect, row + 1, MARGIN + 5, rect.cols - MARGIN - 5,
                                  SMC_STYLE_DIM, head.summary);
    }
    smc_frame_text(frame, rect, rect.rows - 1, MARGIN, SMC_STYLE_DIM,
                   view_lessons_word(lessons, SMC_LESSON_WORD_OPEN));
}

/* The text's lines from `top` on; returns the next row. */
static int draw_lines(const char *text, int top, struct smc_rect rect, enum smc_style style,
                      struct smc_frame *frame)
{
    char line[1024];
    int row = -top;
    for (; *text; row++) {
        size_t length = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        if (row >= 0)
            smc_frame_text(frame, rect, row, 0, style, line);
        text += length + (text[length] == '\n');
    }
    return row;
}

static void draw_foot(const struct smc_lessons *lessons, bool more, struct smc_rect rect,
                      struct smc_frame *frame)
{
    const char *below = view_lessons_word(lessons, SMC_LESSON_WORD_MORE);
    char page[24], pages[24];
    smc_auto_text text = {0};
    snprintf(page, sizeof page, "%zu", lessons->page + 1);
    snprintf(pages, sizeof pages, "%zu", last_page(lessons) + 1);
    smc_lesson_say(lessons->language, SMC_LESSON_WORD_PAGE, page, pages, &text);
    smc_text_append(&text,
                    view_lessons_word(lessons, is_question(lessons) ? SMC_LESSON_WORD_KEY_ANSWER
                                               : lessons->can_try   ? SMC_LESSON_WORD_KEY_TRY
                                                                    : SMC_LESSON_WORD_KEY_NEXT));
    if (more)
        smc_frame_text_right(frame, rect, 0, SMC_STYLE_DIM, below);
    smc_frame_text_within(frame, rect, 0, 0,
                          rect.cols - (more ? smc_utf8_string_columns(below) + 1 : 0),
                          SMC_STYLE_DIM, smc_text_string(&text));
}

static void draw_page(const struct smc_lessons *lessons, struct smc_rect rect,
                      struct smc_frame *frame)
{
    smc_frame_text(frame, rect, 0, 0, SMC_STYLE_STRONG,
                   is_question(lessons) ? view_lessons_word(lessons, SMC_LESSON_WORD_QUESTION)
                                        : lessons->opened.page[lessons->page].heading);
    struct smc_rect foot = smc_rect_cut_bottom(&rect, FOOT_ROWS);
    smc_rect_cut_top(&rect, HEAD_ROWS);
    int row =
        draw_lines(smc_text_string(&lessons->text), lessons->top, rect, SMC_STYLE_NORMAL, frame);
    if (lessons->reply.length)
        row = draw_lines(smc_text_string(&lessons->reply), -row - 1, rect,
                         lessons->is_right ? SMC_STYLE_GOOD : SMC_STYLE_WARN, frame);
    draw_foot(lessons, row > rect.rows, foot, frame);
}

static struct smc_rect page_room(struct smc_rect body)
{
    struct smc_rect rect = smc_rect_inside(body);
    return (struct smc_rect){rect.row, rect.col + MARGIN, rect.rows, rect.cols - 2 * MARGIN};
}

static void view_lessons_draw(const struct smc_tui *tui, struct smc_rect body,
                              struct smc_frame *frame)
{
    const struct smc_lessons *lessons = &tui->lessons;
    smc_frame_box(frame, body,
                  lessons->is_open ? lessons->opened.title
                                   : view_lessons_word(lessons, SMC_LESSON_WORD_LESSONS));
    if (lessons->is_open)
        draw_page(lessons, page_room(body), frame);
    else
        view_lessons_draw_list(lessons, smc_rect_inside(body), frame);
}

/* --- Keys --- */

/* Rows of the screen for the page. */
static int page_rows(const struct smc_tui *tui)
{
    return tui->rows - 2 - 2 - HEAD_ROWS - FOOT_ROWS;
}

/* The last line that can be the first on the screen. A reply follows the page after an empty line.
 */
static int view_lessons_last_top(const struct smc_tui *tui)
{
    const struct smc_lessons *lessons = &tui->lessons;
    int lines = view_lessons_count_lines(&lessons->text),
        reply = view_lessons_count_lines(&lessons->reply);
    int last = lines + (lessons->reply.length ? reply + 2 : 0) - page_rows(tui);
    return last < 0 ? 0 : last;
}

static void view_lessons_scroll(struct smc_tui *tui, int by)
{
    tui->lessons.top = smc_list_scrolled(tui->lessons.top, by, view_lessons_last_top(tui));
}

/* One screen on, or from the page's end to the next page; back likewise. */
static void turn_screen(struct smc_tui *tui, int direction)
{
    struct smc_lessons *lessons = &tui->lessons;
    bool at_end = direction > 0 ? lessons->top >= view_lessons_last_top(tui) : lessons->top == 0;
    if (!at_end)
        view_lessons_scroll(tui, direction * (page_rows(tui) - 1));
    else if (direction > 0 || lessons->page > 0)
        turn(tui, direction);
}

static void choose(struct smc_lessons *lessons, int by)
{
    int count = (int)count_lessons(lessons), at = (int)lessons->lesson + by;
    lessons->lesson = (size_t)(at < 0 ? 0 : at >= count ? count - 1 : at);
}

static void ask(struct smc_tui *tui, const char *begun)
{
    smc_tui_ask(tui, "answer", "a number, or the letter of a choice", begun);
}

static void open_lesson(struct smc_tui *tui)
{
    struct smc_lessons *lessons = &tui->lessons;
    struct smc_error error = {""};
    smc_lesson_free(&lessons->opened);
    lessons->is_open =
        (is_own(lessons) ? smc_lesson_read(lessons->own_file, &lessons->opened, &error)
                         : smc_lesson_open(lessons->lesson, lessons->language, &lessons->opened,
                                           &error)) == SMC_OK;
    if (lessons->is_open)
        turn_to(tui, 0);
    else
        smc_tui_say(tui, SMC_STYLE_BAD, "%s", error.message);
}

static void view_lessons_enter(struct smc_tui *tui)
{
    struct smc_lessons *lessons = &tui->lessons;
    if (!lessons->is_open) {
        open_lesson(tui);
    } else if (is_question(lessons)) {
        ask(tui, "");
    } else {
        turn(tui, 1);
    }
}

/* Shows the page's launch in the explorer, where undo restores the launch before. */
static void try_it(struct smc_tui *tui)
{
    const struct smc_lessons *lessons = &tui->lessons;
    struct smc_query query = lessons->launch, before = tui->explore.query;
    if (!lessons->can_try) {
        smc_tui_say(tui, SMC_STYLE_WARN, "this page has no launch to try");
        return;
    }
    query.compile = before.compile;
    tui->explore.query = query;
    smc_explore_brought(&tui->explore, &before);
    smc_tui_show_view(tui, SMC_VIEW_EXPLORE);
    smc_tui_say(tui, SMC_STYLE_GOOD,
                "the page's launch; u restores the one before, F6 returns to the lesson");
}

static void view_lessons_show_command(struct smc_tui *tui)
{
    struct smc_lesson_head head;
    smc_auto_text command = {0};
    find_head(&tui->lessons, tui->lessons.lesson, &head);
    smc_text_printf(&command, "%s lesson ", smc_program_name());
    if (is_own(&tui->lessons))
        smc_words_quote(tui->lessons.own_file, &command);
    else
        smc_text_append(&command, head.name);
    smc_tui_show_command(tui, smc_text_string(&command));
}

/* The next lesson with the searched text in its title or summary. */
static void view_lessons_search(struct smc_tui *tui)
{
    struct smc_lessons *lessons = &tui->lessons;
    size_t count = count_lessons(lessons);
    for (size_t i = 1; i <= count; i++) {
        struct smc_lesson_head head;
        find_head(lessons, (lessons->lesson + i) % count, &head);
        if (strcasestr(head.title, tui->searched) || strcasestr(head.summary, tui->searched)) {
            lessons->lesson = (lessons->lesson + i) % count;
            return;
        }
    }
    smc_tui_say(tui, SMC_STYLE_WARN, "'%s' is in no lesson's title or summary", tui->searched);
}

static bool view_lessons_act_on_list(struct smc_tui *tui, enum smc_action action)
{
    int by = smc_list_rows_of(action, SMC_LIST_ALL);
    if (by != 0) {
        choose(&tui->lessons, by);
        return true;
    }
    switch (action) {
    case SMC_ACTION_LESS:
        choose(&tui->lessons, -1);
        return true;
    case SMC_ACTION_MORE:
    case SMC_ACTION_ENTER:
        view_lessons_enter(tui);
        return true;
    case SMC_ACTION_AGAIN:
        view_lessons_search(tui);
        return true;
    default:
        return false;
    }
}

static bool act_on_page(struct smc_tui *tui, enum smc_action action)
{
    switch (action) {
    case SMC_ACTION_UP:
    case SMC_ACTION_DOWN:
        view_lessons_scroll(tui, action == SMC_ACTION_DOWN ? 1 : -1);
        return true;
    case SMC_ACTION_PAGE_UP:
    case SMC_ACTION_PAGE_DOWN:
        turn_screen(tui, action == SMC_ACTION_PAGE_DOWN ? 1 : -1);
        return true;
    case SMC_ACTION_FIRST:
        turn_to(tui, 0);
        return true;
    case SMC_ACTION_LAST:
        turn_to(tui, last_page(&tui->lessons));
        return true;
    case SMC_ACTION_LESS:
    case SMC_ACTION_MORE:
        turn(tui, action == SMC_ACTION_MORE ? 1 : -1);
        return true;
    case SMC_ACTION_CANCEL:
        tui->lessons.is_open = false;
        return true;
    case SMC_ACTION_ENTER:
        view_lessons_enter(tui);
        return true;
    case SMC_ACTION_TRY:
        try_it(tui);
        return true;
    default:
        return false;
    }
}

static bool act(struct smc_tui *tui, enum smc_action action)
{
    if (action == SMC_ACTION_COMMAND) {
        view_lessons_show_command(tui);
        return true;
    }
    return tui->lessons.is_open ? act_on_page(tui, action) : view_lessons_act_on_list(tui, action);
}

/* In the list a digit opens a lesson; on the question page any character begins an answer. */
static void view_lessons_type(struct smc_tui *tui, uint32_t character)
{
    char begun[5] = "";
    struct smc_lessons *lessons = &tui->lessons;
    if (lessons->is_open && is_question(lessons)) {
        begun[smc_utf8_encode(character, begun)] = '\0';
        ask(tui, begun);
    } else if (!lessons->is_open && character > '0' &&
               character <= '0' + (uint32_t)count_lessons(lessons)) {
        lessons->lesson = character - '1';
        view_lessons_enter(tui);
    }
}

static void view_lessons_typed(struct smc_tui *tui, const char *text)
{
    struct smc_lessons *lessons = &tui->lessons;
    struct smc_lesson_setting setting = setting_for(tui);
    struct smc_error error = {""};
    smc_text_free(&lessons->reply);
    if (text[0] == '\0')
        return;
    if (smc_lesson_check(&lessons->opened, &setting, text, &lessons->is_right, &lessons->reply,
                         &error) != SMC_OK)
        smc_tui_say(tui, SMC_STYLE_BAD, "%s", error.message);
    else if (lessons->is_right)
        lessons->solved |= 1u << lessons->lesson;
}

static void view_lessons_click(struct smc_tui *tui, struct smc_rect body, int row, int col,
                               int direction)
{
    (void)col;
    struct smc_lessons *lessons = &tui->lessons;
    struct smc_rect rect = smc_rect_inside(body);
    int count = (int)count_lessons(lessons),
        at = (row - rect.row - 1) / rows_per_lesson(lessons, rect);
    if (lessons->is_open && direction != 0) {
        view_lessons_scroll(tui, 3 * direction);
    } else if (lessons->is_open) {
        view_lessons_enter(tui);
    } else if (direction != 0) {
        choose(lessons, direction);
    } else if (row > rect.row && at < count) {
        lessons->lesson = (size_t)at;
        view_lessons_enter(tui);
    }
}

void smc_tui_open_lesson(struct smc_tui *tui, const char *path)
{
    struct smc_lessons *lessons = &tui->lessons;
    struct smc_lesson read;
    struct smc_error error = {""};
    if (smc_lesson_read(path, &read, &error) != SMC_OK) {
        smc_tui_say(tui, SMC_STYLE_BAD, "%s", error.message);
    } else {
        snprintf(lessons->own_file, sizeof lessons->own_file, "%s", path);
        snprintf(lessons->own.title, sizeof lessons->own.title, "%s", read.title);
        snprintf(lessons->own.summary, sizeof lessons->own.summary, "%s", read.summary);
        lessons->lesson = smc_lesson_count();
        lessons->solved &= ~(1u << lessons->lesson);
        smc_tui_show_view(tui, SMC_VIEW_LESSONS);
        open_lesson(tui);
    }
    smc_lesson_free(&read);
}

/* Wraps the page for the current width, with the numbers of the present device. */
static void lessons_catch_up(struct smc_tui *tui)
{
    if (!is_written(tui))
        write_page(tui);
}

static void open_view(struct smc_tui *tui)
{
    if (!is_written(tui))
        write_or_put_off(tui);
}

const struct smc_view smc_view_lessons = {
    .title = "lessons",
    .open = open_view,
    .resized = open_view,
    .catch_up = lessons_catch_up,
    .draw = view_lessons_draw,
    .act = act,
    .character = view_lessons_type,
    .answered = view_lessons_typed,
    .click = view_lessons_click,
};
