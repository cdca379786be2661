/* Reads a lesson's file: a head of keys, pages of Markdown, and blocks that ask smemcalc. A reader
   of its own, since every block is a language of lines and an error names the line, which md4c and
   others do not tell. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/parse.h"
#include "show/lesson/lesson.h"

enum { MOST_BYTES = 1 << 20 };

static const char fence[] = "```", live[] = "smemcalc ";

/* Lines end in '\0' once they are read; a text of several lines gets its line feeds back. */
struct lesson_reader {
    struct smc_lesson *lesson;
    char *line; /* the present one, or NULL after the last */
    char *next;
    unsigned number;
    struct smc_error *error;
};

static enum smc_status fail_at(const struct lesson_reader *reader, unsigned line, const char *what,
                               const char *typed)
{
    return smc_fail(reader->error, SMC_USAGE, "%s:%u: '%.64s': %s", reader->lesson->file, line,
                    typed, what);
}

static bool lesson_read_line(struct lesson_reader *reader)
{
    reader->line = *reader->next ? reader->next : NULL;
    if (!reader->line)
        return false;
    size_t length = strcspn(reader->line, "\n");
    reader->next = reader->line + length;
    if (*reader->next)
        *reader->next++ = '\0';
    reader->number++;
    while (length > 0 && reader->line[length - 1] == ' ')
        reader->line[--length] = '\0';
    return true;
}

/* Joins the present line to a text that ends with the line before. */
static void join_line(struct lesson_reader *reader, char *text)
{
    char *end = text + strlen(text);
    memset(end, ' ', (size_t)(reader->line - end));
    reader->line[-1] = '\n';
}

static char *skip_blanks(char *text)
{
    return text + strspn(text, " ");
}

/* What follows "key:", or NULL. */
static char *value_of(char *line, const char *key)
{
    size_t length = strlen(key);
    return strncmp(line, key, length) == 0 && line[length] == ':' ? skip_blanks(line + length + 1)
                                                                  : NULL;
}

/* --- The head --------------------------------------------------------------------------------- */

static enum smc_status read_needs(struct lesson_reader *reader, const char *value)
{
    struct smc_lesson *lesson = reader->lesson;
    unsigned major, minor;
    char rest;
    lesson->one_device = strcmp(value, "this device") == 0;
    if (lesson->one_device)
        return SMC_OK;
    if (sscanf(value, "%3u.%1u%c", &major, &minor, &rest) != 2)
        return fail_at(reader, reader->number,
                       "not 'this device' or a compute capability such as 7.0", value);
    lesson->least_cc = (uint16_t)(10 * major + minor);
    return SMC_OK;
}

static enum smc_status read_language(struct lesson_reader *reader, const char *value)
{
    if (smc_language_find(value, &reader->lesson->language))
        return SMC_OK;
    return fail_at(reader, reader->number, "the languages are en and zh", value);
}

static enum smc_status check_device(const struct lesson_reader *reader)
{
    struct smc_device device;
    char note[256];
    return smc_fail_in(reader->error,
                       smc_device_find(reader->lesson->device, &device, note, reader->error),
                       "%.200s:%u: device", reader->lesson->file, reader->number);
}

static enum smc_status read_head_line(struct lesson_reader *reader)
{
    struct smc_lesson *lesson = reader->lesson;
    struct {
        const char *key;
        char **text;
    } const keys[] = {{"title", &lesson->title},
                      {"summary", &lesson->summary},
                      {"device", &lesson->device},
                      {"exercise", &lesson->exercise}};
    char *value;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if ((value = value_of(reader->line, keys[i].key))) {
            *keys[i].text = value;
            return keys[i].text == &lesson->device ? check_device(reader) : SMC_OK;
        }
    if ((value = value_of(reader->line, "needs")))
        return read_needs(reader, value);
    if ((value = value_of(reader->line, "language")))
        return read_language(reader, value);
    return fail_at(reader, reader->number,
                   "the head has title, summary, device, needs, language and exercise",
                   reader->line);
}

/* Between two lines of "---". */
static enum smc_status lesson_read_head(struct lesson_reader *reader)
{
    if (!lesson_read_line(reader) || strcmp(reader->line, "---") != 0)
        return smc_fail(reader->error, SMC_USAGE, "%s:1: a lesson begins with a line '---'",
                        reader->lesson->file);
    while (lesson_read_line(reader) && strcmp(reader->line, "---") != 0)
        if (*reader->line)
            SMC_TRY(read_head_line(reader));
    if (!reader->line)
        return smc_fail(reader->error, SMC_USAGE, "%s:%u: the head does not end in a line '---'",
                        reader->lesson->file, reader->number);
    if (!*reader->lesson->title)
        return smc_fail(reader->error, SMC_USAGE, "%s:%u: the head has no title",
                        reader->lesson->file, reader->number);
    return SMC_OK;
}

/* --- Blocks ----------------------------------------------------------------------------------- */

static enum smc_status add_element(struct lesson_reader *reader, enum smc_element_kind kind,
                                   char *info, char *text)
{
    struct smc_lesson *lesson = reader->lesson;
    if (lesson->page_count == 0)
        return fail_at(reader, reader->number, "a page begins with a line '# HEADING'", text);
    if (!smc_make_room(&lesson->element, lesson->element_count, &lesson->element_capacity,
                       sizeof *lesson->element))
        return smc_out_of_memory(reader->error);
    lesson->element[lesson->element_count++] =
        (struct smc_lesson_element){kind, info, text, reader->number};
    lesson->page[lesson->page_count - 1].element_count++;
    return SMC_OK;
}

/* "name: QUESTION" or "name = EXPRESSION". */
static enum smc_status lesson_read_name(struct lesson_reader *reader)
{
    struct smc_lesson *lesson = reader->lesson;
    char *line = reader->line, *after;
    size_t length = 0;
    if (!*line)
        return SMC_OK;
    while (isalnum((unsigned char)line[length]) || line[length] == '_')
        length++;
    after = skip_blanks(line + length);
    if (length == 0 || isdigit((unsigned char)*line) || (*after != ':' && *after != '='))
        return fail_at(reader, reader->number, "not 'NAME: QUESTION' or 'NAME = EXPRESSION'", line);
    if (!smc_make_room(&lesson->names, lesson->name_count, &lesson->name_capacity,
                       sizeof *lesson->names))
        return smc_out_of_memory(reader->error);
    struct smc_lesson_name *name = &lesson->names[lesson->name_count++];
    *name = (struct smc_lesson_name){.name = line, .is_expression = *after == '='};
    name->meaning.text = skip_blanks(after + 1);
    name->meaning.line = reader->number;
    line[length] = '\0';
    return SMC_OK;
}

char *smc_lesson_find_outside(char *text, char wanted)
{
    for (int depth = 0; *text; text++) {
        depth += (*text == '{') - (*text == '}');
        if (*text == wanted && depth <= 0)
            break;
    }
    return text;
}

static enum smc_status begin_trap(struct lesson_reader *reader, struct smc_lesson_element **field)
{
    struct smc_lesson_question *question = &reader->lesson->question;
    char *answer = reader->line + 4, *end = smc_lesson_find_outside(answer, ':');
    if (!*end || question->trap_count == SMC_LESSON_MOST_TRAPS)
        return fail_at(reader, reader->number, *end ? "too many answers" : "not 'not ANSWER: HINT'",
                       reader->line);
    *end = '\0';
    struct smc_lesson_trap *trap = &question->trap[question->trap_count++];
    trap->answer = (struct smc_lesson_element){.text = answer, .line = reader->number};
    trap->hint = (struct smc_lesson_element){.text = skip_blanks(end + 1), .line = reader->number};
    *field = &trap->hint;
    return SMC_OK;
}

static bool is_choice(const struct lesson_reader *reader)
{
    const struct smc_lesson_question *question = &reader->lesson->question;
    return question->choice_count < SMC_LESSON_MOST_CHOICES &&
           reader->line[0] == (char)('a' + question->choice_count) && reader->line[1] == '.';
}

/* One line of the question: it begins a field, or continues the last. */
static enum smc_status read_question_line(struct lesson_reader *reader,
                                          struct smc_lesson_element **field)
{
    struct smc_lesson_question *question = &reader->lesson->question;
    struct {
        const char *key;
        struct smc_lesson_element *field;
    } const keys[] = {
        {"answer", &question->answer}, {"right", &question->right}, {"hint", &question->hint}};
    char *value = NULL;
    if (strncmp(reader->line, "not ", 4) == 0)
        return begin_trap(reader, field);
    struct smc_lesson_element *begun = NULL;
    for (size_t i = 0; i < sizeof keys / sizeof *keys && !begun; i++)
        if ((value = value_of(reader->line, keys[i].key)))
            begun = keys[i].field;
    if (!begun && is_choice(reader)) {
        begun = &question->choice[question->choice_count++];
        value = skip_blanks(reader->line + 2);
    }
    if (!begun && !question->text.text) {
        begun = &question->text;
        value = reader->line;
    }
    if (!begun) {
        join_line(reader, (*field)->text);
        return SMC_OK;
    }
    *begun = (struct smc_lesson_element){.text = value, .line = reader->number};
    *field = begun;
    return SMC_OK;
}

static enum smc_status check_question(struct lesson_reader *reader, unsigned line)
{
    const struct smc_lesson_question *question = &reader->lesson->question;
    const char *missing = !question->text.text     ? "text"
                          : !question->answer.text ? "line 'answer: ...'"
                          : !question->right.text  ? "line 'right: ...'"
                          : !question->hint.text   ? "line 'hint: ...'"
                                                   : NULL;
    if (!missing)
        return SMC_OK;
    return smc_fail(reader->error, SMC_USAGE, "%s:%u: the question has no %s", reader->lesson->file,
                    line, missing);
}

/* The present line opens the block. */
static enum smc_status lesson_read_block(struct lesson_reader *reader)
{
    enum smc_status status = SMC_OK;
    char *info = skip_blanks(reader->line + strlen(fence)), *text = NULL;
    const unsigned opened = reader->number;
    struct smc_lesson_element *field = NULL;
    const bool is_live = strncmp(info, live, strlen(live)) == 0;
    if (is_live)
        info += strlen(live);
    const bool names = is_live && strcmp(info, "names") == 0,
               question = is_live && strcmp(info, "question") == 0;
    if (question && reader->lesson->question.text.text)
        return fail_at(reader, opened, "a lesson has one question", "question");
    while (status == SMC_OK && lesson_read_line(reader) && strcmp(reader->line, fence) != 0) {
        if (names) {
            status = lesson_read_name(reader);
        } else if (question) {
            status = read_question_line(reader, &field);
        } else if (text) {
            join_line(reader, text);
        } else {
            text = reader->line;
            status = add_element(reader, is_live ? SMC_ELEMENT_LIVE : SMC_ELEMENT_CODE, info, text);
        }
    }
    if (status != SMC_OK)
        return status;
    if (!reader->line)
        return fail_at(reader, opened, "the block does not end in a line '```'", info);
    return question ? check_question(reader, opened) : SMC_OK;
}

/* --- Pages ------------------------------------------------------------------------------------ */

static enum smc_status lesson_begin_page(struct lesson_reader *reader)
{
    struct smc_lesson *lesson = reader->lesson;
    if (!smc_make_room(&lesson->page, lesson->page_count, &lesson->page_capacity,
                       sizeof *lesson->page))
        return smc_out_of_memory(reader->error);
    lesson->page[lesson->page_count++] =
        (struct smc_lesson_page){.heading = skip_blanks(reader->line + 1),
                                 .line = reader->number,
                                 .first_element = lesson->element_count};
    return SMC_OK;
}

/* The length of "- " or "12. " at the beginning of an item. */
static size_t marker_of(const char *line)
{
    size_t digits = strspn(line, "0123456789");
    if (*line == '-' && line[1] == ' ')
        return 1;
    return digits > 0 && digits < 4 && line[digits] == '.' && line[digits + 1] == ' ' ? digits + 1
                                                                                      : 0;
}

static enum smc_status begin_text(struct lesson_reader *reader, char **text)
{
    size_t marker = marker_of(reader->line);
    if (!marker) {
        *text = reader->line;
        return add_element(reader, SMC_ELEMENT_PARAGRAPH, NULL, *text);
    }
    reader->line[marker] = '\0';
    *text = skip_blanks(reader->line + marker + 1);
    return add_element(reader, SMC_ELEMENT_ITEM, reader->line, *text);
}

/* Comments are for whoever edits the file. */
static bool is_comment(const char *line)
{
    return strncmp(line, "<!--", 4) == 0 && strstr(line, "-->");
}

static enum smc_status lesson_read_pages(struct lesson_reader *reader)
{
    enum smc_status status = SMC_OK;
    char *text = NULL; /* of the paragraph or item that the next line continues */
    while (status == SMC_OK && lesson_read_line(reader)) {
        if (strncmp(reader->line, fence, strlen(fence)) == 0) {
            text = NULL;
            status = lesson_read_block(reader);
        } else if (reader->line[0] == '#' && reader->line[1] == ' ') {
            text = NULL;
            status = lesson_begin_page(reader);
        } else if (!*skip_blanks(reader->line) || is_comment(reader->line)) {
            text = NULL;
        } else if (text && !marker_of(reader->line)) {
            join_line(reader, text);
        } else {
            status = begin_text(reader, &text);
        }
    }
    return status;
}

/* Elements do not move any more. */
static void find_tries(struct smc_lesson *lesson)
{
    for (size_t i = 0; i < lesson->page_count; i++) {
        struct smc_lesson_page *page = &lesson->page[i];
        for (size_t e = 0; e < page->element_count; e++) {
            const struct smc_lesson_element *element = &lesson->element[page->first_element + e];
            if (element->kind == SMC_ELEMENT_LIVE && strcmp(element->info, "try") == 0)
                page->try_it = element;
        }
    }
}

/* --- The whole -------------------------------------------------------------------------------- */

static void set_name(struct smc_lesson *lesson)
{
    const char *name = smc_last_part(lesson->file);
    size_t length = smc_ends(name, ".md") ? strlen(name) - 3 : strlen(name);
    snprintf(lesson->name, sizeof lesson->name, "%.*s", (int)length, name);
}

enum smc_status smc_lesson_parse(const char *file, const char *text, size_t length,
                                 struct smc_lesson *lesson, struct smc_error *error)
{
    static char none[] = "";
    *lesson = (struct smc_lesson){.file = file, .title = none, .summary = none};
    set_name(lesson);
    if (memchr(text, '\0', length))
        return smc_fail(error, SMC_USAGE, "%s: not a text", file);
    lesson->text = smc_malloc(length + 1);
    if (!lesson->text)
        return smc_out_of_memory(error);
    size_t kept = 0;
    for (size_t i = 0; i < length; i++)
        if (text[i] != '\r' || i + 1 == length || text[i + 1] != '\n')
            lesson->text[kept++] = text[i] == '\t' ? ' ' : text[i];
    lesson->text[kept] = '\0';
    smc_utf8_make_safe_csv(lesson->text, kept);
    struct lesson_reader reader = {.lesson = lesson, .next = lesson->text, .error = error};
    SMC_TRY(lesson_read_head(&reader));
    SMC_TRY(lesson_read_pages(&reader));
    if (lesson->page_count == 0)
        return smc_fail(error, SMC_USAGE, "%s: the lesson has no page: a line '# HEADING'", file);
    find_tries(lesson);
    return SMC_OK;
}

enum smc_status smc_lesson_read(const char *path, struct smc_lesson *lesson,
                                struct smc_error *error)
{
    smc_auto_text text = {0};
    *lesson = (struct smc_lesson){.file = path};
    SMC_TRY(smc_file_read(path, "lesson", MOST_BYTES, &text, error));
    return smc_lesson_parse(smc_file_name(path), smc_text_string(&text), text.length, lesson,
                            error);
}

void smc_lesson_free(struct smc_lesson *lesson)
{
    free(lesson->text);
    free(lesson->page);
    free(lesson->element);
    free(lesson->names);
    *lesson = (struct smc_lesson){0};
}

/* --- The lessons of the program --------------------------------------------------------------- */

/* In the recommended order; a file of each language. */
static const struct smc_embedded_text texts[] = {
#define TEXT SMC_EMBEDDED_TEXT
#include "show/lesson/texts.inc"
#undef TEXT
};

enum { TEXT_COUNT = sizeof texts / sizeof *texts };
_Static_assert(TEXT_COUNT % SMC_LANGUAGE_COUNT == 0, "each lesson is in each language");
_Static_assert(TEXT_COUNT / SMC_LANGUAGE_COUNT <= SMC_LESSON_MOST, "SMC_LESSON_MOST");

size_t smc_lesson_count(void)
{
    return TEXT_COUNT / SMC_LANGUAGE_COUNT;
}

static size_t index_of_text(size_t lesson, enum smc_language language)
{
    return lesson + (size_t)language * smc_lesson_count();
}

enum smc_status smc_lesson_open(size_t index, enum smc_language language, struct smc_lesson *lesson,
                                struct smc_error *error)
{
    const size_t at = index_of_text(index, language);
    enum smc_status status =
        smc_lesson_parse(texts[at].file, texts[at].text, texts[at].length, lesson, error);
    lesson->language = language;
    return status;
}

/* The value of a key, found without reading the whole. */
static void copy_key(const char *text, const char *key, char *value, size_t capacity)
{
    char begin[32];
    snprintf(begin, sizeof begin, "\n%s: ", key);
    const char *found = strstr(text, begin);
    found = found ? found + strlen(begin) : "";
    snprintf(value, capacity, "%.*s", (int)strcspn(found, "\n"), found);
}

void smc_lesson_head_at(size_t index, enum smc_language language, struct smc_lesson_head *head)
{
    const size_t at = index_of_text(index, language);
    const char *name = smc_last_part(texts[at].file);
    snprintf(head->name, sizeof head->name, "%.*s", (int)(strlen(name) - strlen(".md")), name);
    copy_key(texts[at].text, "title", head->title, sizeof head->title);
    copy_key(texts[at].text, "summary", head->summary, sizeof head->summary);
}

size_t smc_lesson_find(const char *name)
{
    size_t i;
    for (i = 0; i < smc_lesson_count(); i++) {
        struct smc_lesson_head head;
        smc_lesson_head_at(i, SMC_LANGUAGE_ENGLISH, &head);
        if (smc_equal_ignoring_case(head.name, name))
            break;
    }
    return i;
}

bool smc_language_find(const char *name, enum smc_language *language)
{
    const bool chinese = strncmp(name, "zh", 2) == 0 && !isalpha((unsigned char)name[2]);
    *language = chinese ? SMC_LANGUAGE_CHINESE : SMC_LANGUAGE_ENGLISH;
    return chinese || strcmp(name, "en") == 0;
}

enum smc_language smc_language_of_user(void)
{
    static const char *const variables[] = {"LC_ALL", "LC_MESSAGES", "LANG"};
    enum smc_language language = SMC_LANGUAGE_ENGLISH;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = smc_folder_variable(variables[i]);
        if (!value)
            continue;
        smc_language_find(value, &language);
        break;
    }
    return language;
}
