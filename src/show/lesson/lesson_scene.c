/* The values of a lesson: answers are asked once, expressions read their members, and texts are
   expanded. */
#include "show/lesson/lesson_scene.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "show/cli/ask_words.h"
#include "show/lesson/lesson_words.h"
#include "show/words/paragraphs.h"

enum {
    MOST_DEPTH = 32,     /* of parentheses, braces and names */
    MOST_ANSWERS = 2000, /* of a page */
    PATH_CHARS = 160
};

/* --- The scene -------------------------------------------------------------------------------- */

void smc_scene_fail(struct smc_scene *scene, const char *format, ...)
{
    char message[768];
    if (scene->status != SMC_OK)
        return;
    SMC_PRINT_TO(message, format);
    scene->status = smc_fail(&scene->error, SMC_USAGE, "%.200s:%u: %s", scene->lesson->file,
                             scene->line, message);
}

void smc_scene_open(const struct smc_lesson *lesson, const struct smc_lesson_setting *setting,
                    struct smc_scene *scene)
{
    char note[256];
    *scene = (struct smc_scene){.lesson = lesson, .setting = setting, .line = 1};
    if (setting->device) {
        scene->device = *setting->device;
        scene->status = smc_lesson_accepts(lesson, setting->device, &scene->error);
        return;
    }
    scene->status = smc_device_find(lesson->device ? lesson->device : "NVIDIA H200", &scene->device,
                                    note, &scene->error);
}

enum smc_status smc_scene_close(struct smc_scene *scene, struct smc_error *error)
{
    for (size_t i = 0; i < scene->answer_count; i++) {
        json_decref(scene->answer[i].json);
        free(scene->answer[i].words);
    }
    free(scene->answer);
    scene->answer = NULL;
    scene->answer_count = 0;
    if (smc_memory_failed()) /* and a member was missing, or a text was cut */
        scene->status = smc_out_of_memory(&scene->error);
    if (scene->status != SMC_OK && error)
        *error = scene->error;
    return scene->status;
}

enum smc_status smc_lesson_accepts(const struct smc_lesson *lesson, const struct smc_device *device,
                                   struct smc_error *error)
{
    if (lesson->one_device)
        return smc_fail(error, SMC_USAGE, "the lesson %s is about the %s alone", lesson->name,
                        lesson->device ? lesson->device : "NVIDIA H200");
    if (device->sm.cc < lesson->least_cc)
        return smc_fail(error, SMC_USAGE,
                        "the lesson %s needs compute capability %u.%u or above, not %u.%u",
                        lesson->name, lesson->least_cc / 10, lesson->least_cc % 10,
                        device->sm.cc / 10, device->sm.cc % 10);
    return SMC_OK;
}

/* --- Questions -------------------------------------------------------------------------------- */

static const struct smc_lesson_name *scene_find_name(const struct smc_lesson *lesson,
                                                     const char *name, size_t length)
{
    for (size_t i = 0; i < lesson->name_count; i++)
        if (smc_equals(name, length, lesson->names[i].name))
            return &lesson->names[i];
    return NULL;
}

static bool goes_deeper(struct smc_scene *scene)
{
    if (scene->depth++ < MOST_DEPTH)
        return true;
    smc_scene_fail(scene, "nested too deep, or a name that is defined by itself");
    return false;
}

void smc_scene_words(struct smc_scene *scene, const char *question, struct smc_text *out)
{
    const unsigned line = scene->line;
    const struct smc_lesson_name *name =
        scene_find_name(scene->lesson, question, strcspn(question, " \n"));
    const bool named = name && !name->is_expression && !strpbrk(question, " \n");
    if (goes_deeper(scene))
        smc_scene_expand(scene, named ? name->meaning.text : question,
                         named ? name->meaning.line : line, out);
    scene->depth--;
    scene->line = line;
}

static json_t *load_answer(struct smc_scene *scene, const char *words, bool whole)
{
    struct smc_error reason = {""};
    const struct smc_worded_question question = {
        .words = words,
        .device = &scene->device,
        .compile = &scene->setting->compile,
        .warnings = scene->setting->warnings,
        .whole = whole,
    };
    json_t *json = json_object();
    const struct smc_worded_answer answer = {.members = json};
    enum smc_status status =
        json ? smc_ask_words(&question, &answer, &reason) : smc_out_of_memory(&reason);
    if (status == SMC_OK)
        return json;
    json_decref(json);
    if (status == SMC_USAGE)
        smc_scene_fail(scene, "%s", reason.message);
    else
        scene->status = smc_fail(&scene->error, status, "%s", reason.message);
    return NULL;
}

/* Owns the answer from now on. */
static json_t *keep_answer(struct smc_scene *scene, const char *words, size_t length, bool whole,
                           json_t *json)
{
    char *copy = smc_strndup(words, length);
    if (!copy || !smc_make_room(&scene->answer, scene->answer_count, &scene->answer_capacity,
                                sizeof *scene->answer)) {
        scene->status = smc_out_of_memory(&scene->error);
        json_decref(json);
        free(copy);
        return NULL;
    }
    scene->answer[scene->answer_count++] = (struct smc_lesson_answer){copy, whole, json};
    return json;
}

static json_t *ask_words(struct smc_scene *scene, const char *words, bool whole)
{
    for (size_t i = scene->answer_count; i-- > 0;) /* the whole one is the later one */
        if (!json_is_null(scene->answer[i].json) && strcmp(scene->answer[i].words, words) == 0 &&
            (scene->answer[i].whole || !whole))
            return scene->answer[i].json;
    if (scene->answer_count == MOST_ANSWERS) {
        smc_scene_fail(scene, "more than %d questions on a page", MOST_ANSWERS);
        return NULL;
    }
    json_t *json = load_answer(scene, words, whole);
    return json ? keep_answer(scene, words, strlen(words), whole, json) : NULL;
}

static json_t *scene_ask(struct smc_scene *scene, const char *question, bool whole)
{
    smc_auto_text words = {0};
    smc_scene_words(scene, question, &words);
    return scene->status == SMC_OK ? ask_words(scene, smc_text_string(&words), whole) : NULL;
}

json_t *smc_scene_ask(struct smc_scene *scene, const char *question)
{
    return scene_ask(scene, question, false);
}

/* --- Members of answers ----------------------------------------------------------------------- */

/* Follows the path from here; a member of null is unknown, too. */
static json_t *follow(json_t *json, const char *path)
{
    while (json && *path) {
        char key[PATH_CHARS];
        size_t length = strcspn(path, ".");
        if (json_is_null(json))
            return json;
        if (json_is_array(json) && isdigit((unsigned char)*path)) {
            json = json_array_get(json, (size_t)strtoul(path, NULL, 10));
        } else if (!path[length]) { /* by far the most */
            json = json_object_get(json, path);
        } else {
            snprintf(key, sizeof key, "%.*s", (int)length, path);
            json = json_object_get(json, key);
        }
        path += length + (path[length] == '.');
    }
    return json;
}

/* What is null has no members to be found. */
static json_t *find_below(json_t *json, const char *path, unsigned depth)
{
    const char *key;
    size_t index;
    if (!json_is_object(json) && !json_is_array(json))
        return NULL;
    json_t *member, *found = follow(json, path);
    if (depth == 0)
        return found;
    json_object_foreach(json, key, member)
    {
        if (!found)
            found = find_below(member, path, depth - 1);
    }
    json_array_foreach(json, index, member)
    {
        if (!found)
            found = find_below(member, path, depth - 1);
    }
    return found;
}

json_t *smc_lesson_member(json_t *answer, const char *path)
{
    enum { DEEPEST = 7 };
    return find_below(answer, path, DEEPEST);
}

static struct smc_lesson_value value_of_json(const json_t *json)
{
    if (json_is_number(json))
        return (struct smc_lesson_value){SMC_LESSON_NUMBER, json_number_value(json), NULL};
    if (json_is_boolean(json))
        return (struct smc_lesson_value){SMC_LESSON_NUMBER, json_is_true(json), NULL};
    if (json_is_string(json))
        return (struct smc_lesson_value){SMC_LESSON_TEXT, 0, json_string_value(json)};
    if (json_is_array(json))
        return (struct smc_lesson_value){SMC_LESSON_NUMBER, (double)json_array_size(json), NULL};
    return (struct smc_lesson_value){0};
}

static struct smc_lesson_value number_value(double number)
{
    struct smc_lesson_value value = {SMC_LESSON_NUMBER, number, NULL};
    if (!isfinite(number))
        value.kind = SMC_LESSON_UNKNOWN;
    return value;
}

/* --- Expressions ------------------------------------------------------------------------------ */

struct expression {
    struct smc_scene *scene;
    const char *at;
};

static struct smc_lesson_value expression_read_sum(struct expression *expression);
static struct smc_lesson_value expression_read_condition(struct expression *expression);

static bool expression_accept(struct expression *expression, const char *token)
{
    expression->at += strspn(expression->at, " \n");
    size_t length = strlen(token);
    if (strncmp(expression->at, token, length) != 0)
        return false;
    if (isalpha((unsigned char)*token) &&
        (isalnum((unsigned char)expression->at[length]) || expression->at[length] == '_'))
        return false;
    expression->at += length;
    return true;
}

static void expression_expect(struct expression *expression, const char *token)
{
    if (!expression_accept(expression, token))
        smc_scene_fail(expression->scene, "'%s' is missing before '%.32s'", token, expression->at);
}

/* Where a question's answer begins a path, the path in it. */
static struct smc_lesson_value scene_look_up(struct smc_scene *scene, const char *path)
{
    const size_t first = strcspn(path, ".");
    const struct smc_lesson_name *name = scene_find_name(scene->lesson, path, first);
    const char *question = name && !name->is_expression ? name->name : scene->question;
    const char *member = name && !name->is_expression ? path + first + (path[first] == '.') : path;
    json_t *found = scene->item ? smc_lesson_member(scene->item, path) : NULL;
    if (found)
        return value_of_json(found);
    if (!question) {
        smc_scene_fail(scene, "'%s' is of no question", path);
        return (struct smc_lesson_value){0};
    }
    for (int whole = 0; whole < 2 && !found && scene->status == SMC_OK; whole++) {
        json_t *answer = scene_ask(scene, question, whole);
        found = answer ? smc_lesson_member(answer, member) : NULL;
    }
    if (!found)
        smc_scene_fail(scene, "no value '%s' in the answer to '%.200s'", member, question);
    return value_of_json(found);
}

static struct smc_lesson_value evaluate_name(struct smc_scene *scene, const char *path)
{
    struct smc_lesson_value value = {0};
    const struct smc_lesson_name *name = scene_find_name(scene->lesson, path, strlen(path));
    if (scene->loop && strcmp(path, scene->loop) == 0)
        return scene->loop_value;
    if (!name || !name->is_expression)
        return scene_look_up(scene, path);
    const unsigned line = scene->line;
    scene->line = name->meaning.line;
    if (goes_deeper(scene))
        value = smc_scene_evaluate(scene, name->meaning.text);
    scene->depth--;
    scene->line = line;
    return value;
}

/* "accesses.0.wavefronts", "sizes[count / 2].smem_bytes". */
static void expression_read_path(struct expression *expression, char path[PATH_CHARS])
{
    size_t length = 0;
    while (isalnum((unsigned char)*expression->at) || strchr("_.[", *expression->at)) {
        if (!*expression->at)
            break;
        if (*expression->at != '[') {
            if (length + 1 < PATH_CHARS)
                path[length++] = *expression->at;
            expression->at++;
            continue;
        }
        expression->at++;
        struct smc_lesson_value index = expression_read_sum(expression);
        expression_expect(expression, "]");
        int printed = snprintf(
            path + length, PATH_CHARS - length, ".%.0f",
            index.kind == SMC_LESSON_NUMBER && index.number >= 0 ? floor(index.number) : 1e9);
        length = length + (size_t)printed < PATH_CHARS ? length + (size_t)printed : PATH_CHARS - 1;
    }
    path[length] = '\0';
}

enum function { ROUND, FLOOR, CEIL, MIN, MAX, KNOWN, FIRST, IF, FUNCTION_COUNT };
static const struct {
    const char *name;
    size_t least, most; /* arguments */
} functions[FUNCTION_COUNT] = {
    [ROUND] = {"round", 1, 1}, [FLOOR] = {"floor", 1, 1}, [CEIL] = {"ceil", 1, 1},
    [MIN] = {"min", 2, 2},     [MAX] = {"max", 2, 2},     [KNOWN] = {"known", 1, 1},
    [FIRST] = {"first", 2, 2}, [IF] = {"if", 3, 3},
};

static struct smc_lesson_value expression_apply(enum function function,
                                                const struct smc_lesson_value *given)
{
    const double a = given[0].number, b = given[1].number;
    const bool known = given[0].kind == SMC_LESSON_NUMBER;
    switch (function) {
    case ROUND:
        return known ? number_value(round(a)) : given[0];
    case FLOOR:
        return known ? number_value(floor(a)) : given[0];
    case CEIL:
        return known ? number_value(ceil(a)) : given[0];
    case MIN:
    case MAX:
        if (!known || given[1].kind != SMC_LESSON_NUMBER)
            return (struct smc_lesson_value){0};
        return number_value(function == MIN ? fmin(a, b) : fmax(a, b));
    case KNOWN:
        return number_value(given[0].kind != SMC_LESSON_UNKNOWN);
    case FIRST:
        return given[0].kind != SMC_LESSON_UNKNOWN ? given[0] : given[1];
    default:
        return smc_lesson_holds(&given[0]) ? given[1] : given[2];
    }
}

static struct smc_lesson_value expression_read_call(struct expression *expression,
                                                    enum function function)
{
    struct smc_lesson_value given[3] = {{0}};
    size_t count = 0;
    do
        given[count++] = expression_read_condition(expression);
    while (count < functions[function].most && expression_accept(expression, ","));
    expression_expect(expression, ")");
    if (count < functions[function].least)
        smc_scene_fail(expression->scene, "%s has %zu values", functions[function].name,
                       functions[function].least);
    return expression_apply(function, given);
}

static struct smc_lesson_value expression_read_word(struct expression *expression)
{
    char path[PATH_CHARS];
    expression_read_path(expression, path);
    if (*expression->at == '(') {
        expression->at++;
        for (int i = 0; i < FUNCTION_COUNT; i++)
            if (strcmp(functions[i].name, path) == 0)
                return expression_read_call(expression, (enum function)i);
        smc_scene_fail(expression->scene, "unknown function '%s'", path);
        return (struct smc_lesson_value){0};
    }
    return evaluate_name(expression->scene, path);
}

/* A text in single quotes is compared with a member; it is kept as a question that has no
   answer. */
static struct smc_lesson_value expression_read_text(struct expression *expression)
{
    struct smc_scene *scene = expression->scene;
    const char *begin = expression->at + 1;
    size_t length = strcspn(begin, "'");
    struct smc_lesson_value value = {SMC_LESSON_TEXT, 0, ""};
    expression->at = begin + length;
    expression_expect(expression, "'");
    if (keep_answer(scene, begin, length, true, json_null()))
        value.text = scene->answer[scene->answer_count - 1].words;
    return value;
}

static struct smc_lesson_value expression_read_factor(struct expression *expression)
{
    struct smc_lesson_value value = {0};
    char *end;
    if (expression->scene->status != SMC_OK || !goes_deeper(expression->scene))
        return value;
    if (expression_accept(expression, "(")) {
        value = expression_read_condition(expression);
        expression_expect(expression, ")");
    } else if (expression_accept(expression, "-")) {
        value = expression_read_factor(expression);
        value.number = -value.number;
    } else if (expression_accept(expression, "not")) {
        value = expression_read_factor(expression);
        value = number_value(!smc_lesson_holds(&value));
    } else if (isdigit((unsigned char)*expression->at)) {
        value = number_value(strtod(expression->at, &end));
        expression->at = end;
    } else if (*expression->at == '\'') {
        value = expression_read_text(expression);
    } else if (isalpha((unsigned char)*expression->at)) {
        value = expression_read_word(expression);
    } else {
        smc_scene_fail(expression->scene, "no value before '%.32s'", expression->at);
    }
    expression->scene->depth--;
    return value;
}

static struct smc_lesson_value lesson_value_combine(const struct smc_lesson_value *a,
                                                    char operation,
                                                    const struct smc_lesson_value *b)
{
    if (a->kind != SMC_LESSON_NUMBER || b->kind != SMC_LESSON_NUMBER)
        return (struct smc_lesson_value){0};
    switch (operation) {
    case '+':
        return number_value(a->number + b->number);
    case '-':
        return number_value(a->number - b->number);
    case '*':
        return number_value(a->number * b->number);
    default:
        return number_value(a->number / b->number);
    }
}

/* Operands that one of two operators joins, from left to right. */
static struct smc_lesson_value
expression_read_joined(struct expression *expression, const char *first, const char *second,
                       struct smc_lesson_value (*read)(struct expression *expression))
{
    struct smc_lesson_value value = read(expression);
    while (expression->scene->status == SMC_OK) {
        const bool is_first = expression_accept(expression, first);
        if (!is_first && !expression_accept(expression, second))
            break;
        struct smc_lesson_value next = read(expression);
        value = lesson_value_combine(&value, is_first ? *first : *second, &next);
    }
    return value;
}

static struct smc_lesson_value expression_read_product(struct expression *expression)
{
    return expression_read_joined(expression, "*", "/", expression_read_factor);
}

static struct smc_lesson_value expression_read_sum(struct expression *expression)
{
    return expression_read_joined(expression, "+", "-", expression_read_product);
}

/* An unknown value is in no relation. */
static bool expression_compare(const struct smc_lesson_value *a, const char *relation,
                               const struct smc_lesson_value *b)
{
    if (a->kind == SMC_LESSON_UNKNOWN || a->kind != b->kind)
        return false;
    const double order =
        a->kind == SMC_LESSON_TEXT ? (double)strcmp(a->text, b->text) : a->number - b->number;
    switch (*relation) {
    case '=':
        return order == 0;
    case '!':
        return order != 0;
    case '<':
        return relation[1] ? order <= 0 : order < 0;
    default:
        return relation[1] ? order >= 0 : order > 0;
    }
}

static struct smc_lesson_value expression_read_relation(struct expression *expression)
{
    static const char *const relations[] = {"==", "!=", "<=", ">=", "<", ">"};
    struct smc_lesson_value value = expression_read_sum(expression);
    for (size_t i = 0; i < sizeof relations / sizeof *relations; i++)
        if (expression_accept(expression, relations[i])) {
            struct smc_lesson_value other = expression_read_sum(expression);
            return number_value(expression_compare(&value, relations[i], &other));
        }
    return value;
}

static struct smc_lesson_value expression_read_condition(struct expression *expression)
{
    struct smc_lesson_value value = expression_read_relation(expression);
    while (expression->scene->status == SMC_OK) {
        bool both = expression_accept(expression, "and");
        if (!both && !expression_accept(expression, "or"))
            break;
        struct smc_lesson_value next = expression_read_relation(expression);
        bool left = smc_lesson_holds(&value), right = smc_lesson_holds(&next);
        value = number_value(both ? left && right : left || right);
    }
    return value;
}

bool smc_lesson_holds(const struct smc_lesson_value *value)
{
    return value->kind == SMC_LESSON_TEXT ||
           (value->kind == SMC_LESSON_NUMBER && value->number != 0);
}

struct smc_lesson_value smc_scene_evaluate(struct smc_scene *scene, const char *text)
{
    struct expression expression = {scene, text};
    struct smc_lesson_value value = expression_read_condition(&expression);
    expression_accept(&expression, "");
    if (*expression.at)
        smc_scene_fail(scene, "'%.32s' is left over in '%.128s'", expression.at, text);
    return value;
}

/* --- Texts ------------------------------------------------------------------------------------ */

/* The first `separator` (one character between blanks) of the text outside inner braces; NULL:
   there is none. */
static const char *find_separator(const char *text, const char *end, char separator)
{
    int depth = 0;
    for (const char *at = text; at < end; at++) {
        depth += (*at == '{') - (*at == '}');
        if (depth == 0 && at > text && *at == separator && isspace((unsigned char)at[-1]) &&
            (at + 1 == end || isspace((unsigned char)at[1])))
            return at;
    }
    return NULL;
}

static const char *find_last(const char *text, const char *end, char separator)
{
    const char *found = NULL, *next = find_separator(text, end, separator);
    for (; next; next = find_separator(next + 1, end, separator))
        found = next;
    return found;
}

/* The trimmed piece, expanded: an expression or a format may hold values. */
static void scene_expand_piece(struct smc_scene *scene, const char *begin, const char *end,
                               struct smc_text *out);

/* Whole numbers in full, others with three digits, or with as many decimals as the format has:
   "", ".2", ".1 %", "B", "hex", "block(s)". */
static void scene_append_number(double number, const char *format, struct smc_text *out)
{
    int decimals = *format == '.' && isdigit((unsigned char)format[1]) ? format[1] - '0' : -1;
    const char *unit = decimals < 0 ? format : format + 2 + strspn(format + 2, " ");
    const bool whole = fabs(number - round(number)) < 1e-9 * fmax(1, fabs(number));
    size_t length = strlen(unit);
    if (strcmp(unit, "hex") == 0) {
        smc_text_printf(out, "0x%llx", (unsigned long long)fmax(0, round(number)));
        return;
    }
    if (decimals < 0 && strcmp(unit, "%") == 0) {
        smc_layout_percent(out, number);
        return;
    }
    if (decimals >= 0)
        smc_text_printf(out, "%.*f", decimals, number);
    else
        smc_text_printf(out, whole || fabs(number) >= 1000 ? "%.0f" : "%.3g", number);
    if (length > 3 && smc_ends(unit, "(s)"))
        length -= number == 1 ? 3 : 0;
    if (length > 0)
        smc_text_append(out, SMC_TIE);
    for (size_t i = 0; i < length; i++)
        if (unit[i] != '(' && unit[i] != ')')
            smc_text_append_char(out, unit[i] == ' ' ? *SMC_TIE : unit[i], 1);
}

static void scene_append_value(struct smc_scene *scene, const struct smc_lesson_value *value,
                               const char *format, struct smc_text *out)
{
    if (value->kind == SMC_LESSON_TEXT)
        smc_lesson_say_value(scene->lesson->language, value->text, out);
    else if (value->kind == SMC_LESSON_NUMBER)
        scene_append_number(value->number, format, out);
    else
        smc_text_append(out, scene->lesson->language == SMC_LANGUAGE_CHINESE ? "未知" : "unknown");
}

/* "QUESTION : EXPRESSION | FORMAT", of which only the expression must be there. */
static void scene_expand_figure(struct smc_scene *scene, const char *begin, const char *end,
                                struct smc_text *out)
{
    smc_auto_text question = {0}, expression = {0}, format = {0};
    const char *bar = find_last(begin, end, '|'), *colon = find_last(begin, bar ? bar : end, ':');
    const char *before = scene->question;
    if (bar)
        scene_expand_piece(scene, bar + 1, end, &format);
    if (colon) {
        scene_expand_piece(scene, begin, colon, &question);
        scene->question = smc_text_string(&question);
    }
    scene_expand_piece(scene, colon ? colon + 1 : begin, bar ? bar : end, &expression);
    struct smc_lesson_value value = {0};
    if (scene->status == SMC_OK)
        value = smc_scene_evaluate(scene, smc_text_string(&expression));
    if (scene->status == SMC_OK)
        scene_append_value(scene, &value, smc_text_string(&format), out);
    scene->question = before;
}

/* "CONDITION : TEXT | OTHER TEXT"; the other text may be missing. */
static void scene_expand_choice(struct smc_scene *scene, const char *begin, const char *end,
                                struct smc_text *out)
{
    smc_auto_text condition = {0};
    const char *colon = find_separator(begin, end, ':');
    if (!colon) {
        smc_scene_fail(scene, "'{?' has no ' : ' after its condition");
        return;
    }
    const char *bar = find_separator(colon + 1, end, '|');
    scene_expand_piece(scene, begin, colon, &condition);
    struct smc_lesson_value value = {0};
    if (scene->status == SMC_OK)
        value = smc_scene_evaluate(scene, smc_text_string(&condition));
    if (smc_lesson_holds(&value))
        scene_expand_piece(scene, colon + 1, bar ? bar : end, out);
    else if (bar)
        scene_expand_piece(scene, bar + 1, end, out);
}

/* The '}' that closes the brace before `text`; NULL: there is none. */
static const char *find_close(const char *text, const char *end)
{
    for (int depth = 1; text < end; text++) {
        depth += (*text == '{') - (*text == '}');
        if (depth == 0)
            return text;
    }
    return NULL;
}

/* Chinese is written without blanks: none where lines of it are joined. */
static bool joins_wide(const char *begin, const char *at, const char *end)
{
    const char *next = at + 1, *before = at - 1;
    while (before > begin && ((unsigned char)*before & 0xc0) == 0x80)
        before--;
    if (before < begin || next >= end)
        return false;
    return smc_utf8_columns(smc_utf8_next(&before)) == 2 &&
           smc_utf8_columns(smc_utf8_next(&next)) == 2;
}

static void scene_expand_range(struct smc_scene *scene, const char *begin, const char *end,
                               struct smc_text *out)
{
    const unsigned line = scene->line;
    const char *counted = begin;
    if (!goes_deeper(scene))
        return;
    for (const char *at = begin; at < end && scene->status == SMC_OK; at++) {
        if (at[0] != '{' || at + 1 == end || (at[1] != '=' && at[1] != '?')) {
            if (*at != '\n' || !joins_wide(begin, at, end))
                smc_text_append_char(out, *at == '\n' ? ' ' : *at, 1);
            continue;
        }
        const char *close = find_close(at + 1, end);
        scene->line += (unsigned)smc_count_lines(counted, (size_t)(at - counted));
        counted = at;
        if (!close)
            smc_scene_fail(scene, "'{%c' is not closed", at[1]);
        else if (at[1] == '=')
            scene_expand_figure(scene, at + 2, close, out);
        else
            scene_expand_choice(scene, at + 2, close, out);
        at = close ? close : end;
    }
    scene->line = line;
    scene->depth--;
}

static void scene_expand_piece(struct smc_scene *scene, const char *begin, const char *end,
                               struct smc_text *out)
{
    while (begin < end && isspace((unsigned char)*begin))
        begin++;
    while (end > begin && isspace((unsigned char)end[-1]))
        end--;
    scene_expand_range(scene, begin, end, out);
}

void smc_scene_expand(struct smc_scene *scene, const char *text, unsigned line,
                      struct smc_text *out)
{
    scene->line = line;
    scene_expand_range(scene, text, text + strlen(text), out);
    if (out->failed && scene->status == SMC_OK)
        scene->status = smc_out_of_memory(&scene->error);
}
