/* A lesson on a terminal: its pages, its question, and the reply to an answer. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "show/cli/ask_words.h"
#include "show/lesson/lesson_blocks.h"
#include "show/lesson/lesson_words.h"
#include "show/words/paragraphs.h"
#include "show/words/words.h"

enum { GAP = 2, WIDEST_BAR = 40, WIDEST_LINE = 512 };

/* --- Elements --------------------------------------------------------------------------------- */

struct lesson_page_text {
    const struct smc_lesson_setting *setting;
    struct smc_text *out;
    enum smc_language language;
    bool begun, after_item;
};

static void begin_element(struct lesson_page_text *page, bool is_item)
{
    if (page->begun && !(is_item && page->after_item))
        smc_text_append(page->out, "\n");
    page->begun = true;
    page->after_item = is_item;
}

/* Without the marks of Markdown that a terminal does not need: **, and [ ] of links. */
static void append_plain(const char *text, struct smc_text *out)
{
    for (; *text; text++) {
        const char *close = *text == '[' ? strstr(text, "](") : NULL;
        if (text[0] == '*' && text[1] == '*') {
            text++;
        } else if (close && strchr(close, ')')) {
            smc_text_append_bytes(out, text + 1, (size_t)(close - text - 1));
            smc_text_printf(out, " (%.*s)", (int)strcspn(close + 2, ")"), close + 2);
            text = strchr(close, ')');
        } else {
            smc_text_append_char(out, *text, 1);
        }
    }
}

static void lesson_text_paragraph(void *context, const char *text)
{
    struct lesson_page_text *page = context;
    smc_auto_text plain = {0};
    begin_element(page, false);
    append_plain(text, &plain);
    smc_layout_paragraph(page->out, "", 0, smc_text_string(&plain), page->setting->columns);
}

static void lesson_text_item(void *context, const char *marker, const char *text)
{
    struct lesson_page_text *page = context;
    smc_auto_text plain = {0};
    begin_element(page, true);
    append_plain(text, &plain);
    smc_layout_paragraph(page->out, marker, strlen(marker) + 1, smc_text_string(&plain),
                         page->setting->columns);
}

/* Appends a line without blanks at its end; one that is too long is broken at any character. */
static void lesson_text_line(struct lesson_page_text *page, const char *line, size_t length)
{
    char rest[WIDEST_LINE];
    snprintf(rest, sizeof rest, "%.*s", (int)length, line);
    const char *at = rest;
    do {
        const size_t fits = smc_utf8_fit(at, (int)page->setting->columns);
        size_t kept = fits;
        while (kept > 0 && (at[kept - 1] == ' ' || at[kept - 1] == *SMC_TIE))
            kept--;
        for (size_t i = 0; i < kept; i++)
            smc_text_append_char(page->out, at[i] == *SMC_TIE ? ' ' : at[i], 1);
        smc_text_append(page->out, "\n");
        at += fits > 0 ? fits : strlen(at);
        if (!at[strspn(at, " ")])
            break;
    } while (*at);
}

static void lesson_text_code(void *context, const char *text)
{
    struct lesson_page_text *page = context;
    begin_element(page, false);
    while (*text) {
        size_t length = strcspn(text, "\n");
        lesson_text_line(page, text, length);
        text += length + (text[length] == '\n');
    }
}

static int column_width(const struct smc_lesson_table *table, size_t column)
{
    int width = 0;
    for (size_t i = 0; i < table->row_count; i++) {
        const struct smc_lesson_row *row = &table->row[i];
        int columns = column < row->cell_count
                          ? smc_utf8_string_columns(smc_text_string(&row->cell[column]))
                          : 0;
        width = columns > width ? columns : width;
    }
    return width;
}

static void append_bar(const struct lesson_page_text *page, double share, struct smc_text *line)
{
    const int used = smc_utf8_string_columns(smc_text_string(line)) + 1;
    const int room = (int)page->setting->columns - used;
    smc_text_append(line, " ");
    if (room > 0)
        smc_layout_bar(line, share, (unsigned)(room < WIDEST_BAR ? room : WIDEST_BAR),
                       page->setting->utf8);
}

static void lesson_text_table(void *context, const struct smc_lesson_table *table)
{
    struct lesson_page_text *page = context;
    begin_element(page, false);
    for (size_t i = 0; i < table->row_count; i++) {
        const struct smc_lesson_row *row = &table->row[i];
        smc_auto_text line = {0};
        for (size_t c = 0; c < table->columns; c++) {
            const bool right = smc_lesson_is_numeric(table, c);
            const int width = column_width(table, c);
            smc_text_append_char(&line, ' ', c > 0 ? GAP : 0);
            smc_text_cell(&line, c < row->cell_count ? smc_text_string(&row->cell[c]) : "",
                          right ? width : -width);
        }
        if (row->has_bar)
            append_bar(page, row->bar, &line);
        lesson_text_line(page, smc_text_string(&line), line.length);
    }
}

static void lesson_text_banks(void *context, const struct smc_lesson_banks *banks)
{
    struct lesson_page_text *page = context;
    smc_auto_text line = {0};
    begin_element(page, false);
    smc_text_append(&line, "bank    0       8       16      24");
    lesson_text_line(page, smc_text_string(&line), line.length);
    for (uint32_t lane = 0; lane < banks->lanes; lane++) {
        smc_text_cut(&line, 0);
        smc_text_printf(&line, "%s %-2u ", smc_lesson_word(page->language, SMC_LESSON_WORD_LANE),
                        lane);
        for (uint32_t bank = 0; bank < banks->banks; bank++)
            smc_text_append(&line, bank == banks->bank[lane] ? "#" : ".");
        lesson_text_line(page, smc_text_string(&line), line.length);
    }
}

static const struct smc_lesson_writer text_writer = {
    .paragraph = lesson_text_paragraph,
    .item = lesson_text_item,
    .code = lesson_text_code,
    .table = lesson_text_table,
    .banks = lesson_text_banks,
};

/* --- Pages ------------------------------------------------------------------------------------ */

enum smc_status smc_lesson_page(const struct smc_lesson *lesson, size_t page,
                                const struct smc_lesson_setting *setting, struct smc_text *out,
                                struct smc_error *error)
{
    struct smc_scene scene;
    struct lesson_page_text text = {.setting = setting, .out = out, .language = lesson->language};
    const size_t begin = out->length;
    smc_scene_open(lesson, setting, &scene);
    smc_lesson_write(&scene, &lesson->page[page], &text_writer, &text);
    if (scene.status != SMC_OK)
        smc_text_cut(out, begin); /* no page is shown in part */
    return smc_scene_close(&scene, error);
}

void smc_lesson_command(struct smc_scene *scene, const struct smc_lesson_element *element,
                        const char *program, struct smc_text *command)
{
    const struct smc_query query = {.device = scene->device};
    smc_auto_text words = {0};
    scene->line = element->line;
    smc_scene_words(scene, element->text, &words);
    smc_text_printf(command, "%s %s", program, smc_text_string(&words));
    if (!strstr(smc_text_string(&words), "--device") &&
        !smc_begins(smc_text_string(&words), "banks "))
        smc_words_device_option(&query, command);
}

enum smc_status smc_lesson_try(const struct smc_lesson *lesson, size_t page,
                               const struct smc_lesson_setting *setting, struct smc_text *words,
                               struct smc_error *error)
{
    struct smc_scene scene;
    const struct smc_lesson_element *element = lesson->page[page].try_it;
    if (!element)
        return SMC_OK;
    smc_scene_open(lesson, setting, &scene);
    smc_lesson_command(&scene, element, smc_program_name(), words);
    return smc_scene_close(&scene, error);
}

bool smc_lesson_launch(const struct smc_lesson *lesson, size_t page,
                       const struct smc_lesson_setting *setting, struct smc_query *query)
{
    smc_auto_text words = {0};
    struct smc_scene scene;
    smc_scene_open(lesson, setting, &scene);
    const struct smc_lesson_element *element = lesson->page[page].try_it;
    if (element)
        smc_scene_words(&scene, element->text, &words);
    const struct smc_worded_question question = {
        .words = smc_text_string(&words), .device = &scene.device, .compile = &setting->compile};
    bool found =
        element && scene.status == SMC_OK && smc_ask_words_launch(&question, query, NULL) == SMC_OK;
    smc_scene_close(&scene, NULL);
    return found;
}

/* --- The question ----------------------------------------------------------------------------- */

static char letter_of(size_t choice)
{
    return (char)('a' + choice);
}

static void expand_paragraph(struct smc_scene *scene, const struct smc_lesson_element *element,
                             struct lesson_page_text *page)
{
    smc_auto_text text = {0};
    smc_scene_expand(scene, element->text, element->line, &text);
    if (scene->status == SMC_OK)
        lesson_text_paragraph(page, smc_text_string(&text));
}

enum smc_status smc_lesson_question(const struct smc_lesson *lesson,
                                    const struct smc_lesson_setting *setting, struct smc_text *out,
                                    struct smc_error *error)
{
    const struct smc_lesson_question *question = &lesson->question;
    struct lesson_page_text page = {.setting = setting, .out = out, .language = lesson->language};
    const size_t begin = out->length;
    struct smc_scene scene;
    smc_scene_open(lesson, setting, &scene);
    expand_paragraph(&scene, &question->text, &page);
    smc_text_append(out, "\n");
    for (size_t i = 0; i < question->choice_count; i++) {
        smc_auto_text text = {0};
        char label[] = {letter_of(i), '\0'};
        smc_scene_expand(&scene, question->choice[i].text, question->choice[i].line, &text);
        smc_layout_paragraph(out, label, 3, smc_text_string(&text), setting->columns);
    }
    if (question->choice_count > 0) {
        smc_text_append(out, "\n");
        const char last[] = {letter_of(question->choice_count - 1), '\0'};
        smc_lesson_say(lesson->language, SMC_LESSON_WORD_LETTER, last, NULL, out);
    } else {
        smc_text_append(out, smc_lesson_word(lesson->language, SMC_LESSON_WORD_NUMBER));
    }
    smc_text_append(out, "\n");
    if (scene.status != SMC_OK)
        smc_text_cut(out, begin);
    return smc_scene_close(&scene, error);
}

/* --- Answers ---------------------------------------------------------------------------------- */

/* Reads a letter as its index, a number as it is. */
static bool lesson_text_read_answer(const struct smc_lesson_question *question, const char *given,
                                    double *answer)
{
    char *end;
    double number =
        question->choice_count > 0 ? tolower((unsigned char)given[0]) - 'a' : strtod(given, &end);
    const bool is_read =
        question->choice_count > 0
            ? given[0] && !given[1] && number >= 0 && number < (double)question->choice_count
            : *given && !*end && isfinite(number) && !strpbrk(given, " xXpP");
    if (is_read)
        *answer = number;
    return is_read;
}

double smc_lesson_expected(struct smc_scene *scene, const struct smc_lesson_element *element,
                           double *tolerance)
{
    smc_auto_text text = {0};
    double value = NAN, percent = 0;
    char rest;
    smc_scene_expand(scene, element->text, element->line, &text);
    char *within = text.length ? strstr(text.data, " within ") : NULL;
    if (within) {
        *within = '\0';
        if (sscanf(within + strlen(" within "), "%lf %%%c", &percent, &rest) != 1)
            smc_scene_fail(scene, "not 'within 5 %%'");
    }
    if (scene->status == SMC_OK)
        lesson_text_read_answer(&scene->lesson->question, smc_text_string(&text), &value);
    *tolerance = fabs(value) * percent / 100;
    return value;
}

static bool is_answer(struct smc_scene *scene, const struct smc_lesson_element *element,
                      double given)
{
    double tolerance, expected = smc_lesson_expected(scene, element, &tolerance);
    return fabs(given - expected) <= fmax(tolerance, 1e-9);
}

static void lesson_text_reply(struct smc_scene *scene, const char *given, double answer, bool right,
                              struct smc_text *reply)
{
    const struct smc_lesson_question *question = &scene->lesson->question;
    const struct smc_lesson_element *element = right ? &question->right : &question->hint;
    struct lesson_page_text page = {.setting = scene->setting, .out = reply};
    smc_auto_text text = {0};
    for (size_t i = 0; i < question->trap_count && !right; i++)
        if (is_answer(scene, &question->trap[i].answer, answer)) {
            element = &question->trap[i].hint;
            break;
        }
    const bool is_choice = question->choice_count > 0;
    const char letter[] = {is_choice ? letter_of((size_t)answer) : '\0', '\0'};
    smc_lesson_say(scene->lesson->language, right ? SMC_LESSON_WORD_RIGHT : SMC_LESSON_WORD_WRONG,
                   right       ? NULL
                   : is_choice ? letter
                               : given,
                   NULL, &text);
    smc_scene_expand(scene, element->text, element->line, &text);
    if (scene->status == SMC_OK)
        lesson_text_paragraph(&page, smc_text_string(&text));
}

enum smc_status smc_lesson_check(const struct smc_lesson *lesson,
                                 const struct smc_lesson_setting *setting, const char *given,
                                 bool *right, struct smc_text *reply, struct smc_error *error)
{
    const struct smc_lesson_question *question = &lesson->question;
    struct smc_scene scene;
    double answer = 0;
    *right = false;
    if (!lesson_text_read_answer(question, given, &answer)) {
        if (question->choice_count > 0)
            return smc_fail(error, SMC_USAGE, "'%.64s' is not a letter from a to %c", given,
                            letter_of(question->choice_count - 1));
        return smc_fail(error, SMC_USAGE, "'%.64s' is not a number", given);
    }
    smc_scene_open(lesson, setting, &scene);
    *right = is_answer(&scene, &question->answer, answer);
    lesson_text_reply(&scene, given, answer, *right, reply);
    return smc_scene_close(&scene, error);
}
