/* Reads an exercise: its task.md, from a folder or from those that are built in. */
#include "hardware/exercise.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/parse.h"

enum { MOST_FILE_BYTES = 1 << 20 };

static const char task_file[] = "task.md";
static const char default_device[] = "H100";
static const double default_tolerance = 1e-5;

const struct smc_exercise_figure_info smc_exercise_figure_info[SMC_EXERCISE_FIGURES] = {
#define FIGURE(id, key, label, unit) [SMC_EXERCISE_##id] = {key, label, unit},
#include "hardware/exercise/exercise_figures.def"
};

/* --- Files ------------------------------------------------------------------------------------ */

static const struct smc_embedded_text texts[] = {
#define TEXT SMC_EMBEDDED_TEXT
#include "hardware/exercise/exercise_texts.inc"
#undef TEXT
};

static const char *const built_in[] = {
#define EXERCISE(name) name,
#include "hardware/exercise/exercises.inc"
#undef EXERCISE
};
enum { EXERCISES = sizeof built_in / sizeof *built_in };

const char *smc_exercise_name(size_t index)
{
    return index < EXERCISES ? built_in[index] : NULL;
}

enum smc_status smc_exercise_read_file(const struct smc_exercise *exercise, const char *file,
                                       struct smc_text *text, struct smc_error *error)
{
    smc_auto_text path = {0};
    enum smc_status status = SMC_OK;
    smc_text_printf(&path, "%s/%s", exercise->folder ? exercise->folder : exercise->own_name, file);
    if (path.failed) {
        status = smc_out_of_memory(error);
    } else if (exercise->folder) {
        status = smc_file_read(path.data, "file of an exercise", MOST_FILE_BYTES, text, error);
    } else {
        const struct smc_embedded_text *found =
            smc_embedded_find(texts, sizeof texts / sizeof *texts, path.data);
        if (found)
            smc_text_append_bytes(text, found->text, found->length);
        else
            status =
                smc_fail(error, SMC_USAGE, "exercise %s has no file %s", exercise->own_name, file);
    }
    return status;
}

/* --- Lines of task.md ------------------------------------------------------------------------- */

/* One line "key: value", and where messages say it is. */
struct line {
    struct smc_exercise *exercise;
    const char *key;
    char *value;
    size_t number;
};

/* `typed` is what is wrong; NULL: something is missing. */
static enum smc_status task_fail(const struct line *line, struct smc_error *error,
                                 const char *typed, const char *right)
{
    const char *name = line->exercise->folder ? line->exercise->folder : line->exercise->own_name;
    if (!typed)
        return smc_fail(error, SMC_USAGE, "%.256s/%s:%zu: %s", name, task_file, line->number,
                        right);
    return smc_fail(error, SMC_USAGE, "%.256s/%s:%zu: '%.64s': %s", name, task_file, line->number,
                    typed, right);
}

/* Cuts the next word off; NULL: there is none. */
static char *task_next_word(char **at)
{
    char *word = *at + strspn(*at, " \t");
    if (!*word)
        return NULL;
    char *end = word + strcspn(word, " \t");
    *at = end + (*end != '\0');
    *end = '\0';
    return word;
}

static char *trim(char *text)
{
    text += strspn(text, " \t");
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        text[--length] = '\0';
    return text;
}

static size_t name_of(const struct smc_exercise *exercise, const char *name)
{
    size_t i = 0;
    while (i < exercise->names && strcmp(exercise->variable[i], name) != 0)
        i++;
    return i;
}

/* "n=1000 radius=3": the first case names the variables, the others give all of them again. */
static enum smc_status task_read_values(const struct line *line, bool names,
                                        struct smc_exercise_case *out, struct smc_error *error)
{
    struct smc_exercise *exercise = line->exercise;
    char *at = line->value;
    size_t given = 0;
    for (char *word; (word = task_next_word(&at)); given++) {
        char *value = strchr(word, '=');
        if (!value)
            return task_fail(line, error, word, "a case is written n=1000 radius=3");
        *value++ = '\0';
        size_t i = name_of(exercise, word);
        if (i == exercise->names && (!names || i == SMC_EXERCISE_MOST_NAMES))
            return task_fail(line, error, word,
                             "the first case gives at most 8 names, and the others the same");
        exercise->variable[i] = word;
        exercise->names += i == exercise->names;
        if (!smc_parse_integer(value, INT32_MIN, INT32_MAX, &out->value[i]))
            return task_fail(line, error, value, "a whole number is needed");
    }
    return given == exercise->names
               ? SMC_OK
               : task_fail(line, error, NULL, "each case gives all names a value");
}

static enum smc_status task_read_case(const struct line *line, struct smc_error *error)
{
    struct smc_exercise *exercise = line->exercise;
    if (strcmp(line->key, "time") == 0)
        return task_read_values(line, exercise->cases == 0, &exercise->timed, error);
    if (exercise->cases == SMC_EXERCISE_MOST_CASES)
        return task_fail(line, error, NULL, "more than 6 cases");
    enum smc_status status =
        task_read_values(line, exercise->cases == 0, &exercise->one[exercise->cases], error);
    exercise->cases++;
    return status;
}

/* "c[m][n] f32:random result", "n i32", "radius i32:radius". */
static enum smc_status task_read_argument(const struct line *line, struct smc_error *error)
{
    static const char form[] =
        "an argument is written 'a[m][n] f32:random', 'c[n] f32:zero result' "
        "or 'n i32'";
    struct smc_exercise *exercise = line->exercise;
    char *at = line->value;
    char *name = task_next_word(&at), *type = task_next_word(&at), *result = task_next_word(&at);
    if (exercise->arguments == SMC_EXERCISE_MOST_ARGUMENTS)
        return task_fail(line, error, NULL, "more than 12 arguments");
    if (!name || !type || (result && strcmp(result, "result") != 0))
        return task_fail(line, error, name, form);
    struct smc_exercise_argument *argument = &exercise->argument[exercise->arguments];
    char *contents = strchr(type, ':');
    if (contents)
        *contents++ = '\0';
    *argument = (struct smc_exercise_argument){.name = name, .type = type};
    for (char *open = strchr(name, '['); open; open = *open ? open : NULL) {
        char *close = strchr(open, ']');
        if (!close || *open != '[' || argument->extents == SMC_EXERCISE_MOST_EXTENTS)
            return task_fail(line, error, name, form);
        *open = *close = '\0';
        argument->extent[argument->extents++] = open + 1;
        open = close + 1;
    }
    argument->contents = contents ? contents : argument->extents ? "random" : name;
    if (result && exercise->has_result)
        return task_fail(line, error, name, "only one argument is the result");
    if (result)
        exercise->result = exercise->arguments;
    exercise->has_result |= result != NULL;
    exercise->arguments++;
    return SMC_OK;
}

static enum smc_status task_read_tolerance(const struct line *line, struct smc_error *error)
{
    char *end;
    line->exercise->tolerance = strtod(line->value, &end);
    return *line->value && !*end && line->exercise->tolerance >= 0
               ? SMC_OK
               : task_fail(line, error, line->value, "a tolerance is a share such as 1e-5");
}

static enum smc_status task_read_solutions(const struct line *line, struct smc_error *error)
{
    struct smc_exercise *exercise = line->exercise;
    char *at = line->value;
    for (char *word; (word = task_next_word(&at));) {
        if (exercise->solutions == SMC_EXERCISE_MOST_SOLUTIONS)
            return task_fail(line, error, NULL, "more than 4 solutions");
        exercise->solution[exercise->solutions++] = word;
    }
    return SMC_OK;
}

/* The solution after "% of"; false: there is none of that name. */
static bool find_solution(const struct smc_exercise *exercise, char *bound, int *solution)
{
    static const char of[] = "% of ";
    char *at = strstr(bound, of);
    *solution = -1;
    if (!at)
        return true;
    for (size_t i = 0; i < exercise->solutions; i++)
        if (strcmp(exercise->solution[i], at + strlen(of)) == 0)
            *solution = (int)i;
    *at = '\0';
    return *solution >= 0;
}

/* "conflicts = 0 | hint", "time_ms <= 110 % of tiled". */
static enum smc_status task_read_goal(const struct line *line, struct smc_error *error)
{
    static const char *const relations[] = {
        [SMC_EXERCISE_AT_MOST] = "<=", [SMC_EXERCISE_AT_LEAST] = ">=", [SMC_EXERCISE_EQUALS] = "="};
    struct smc_exercise *exercise = line->exercise;
    struct smc_exercise_goal goal = {.figure = SMC_EXERCISE_FIGURES, .hint = ""};
    char *at = line->value, *hint = strchr(line->value, '|');
    size_t relation = 0;
    if (hint) {
        *hint = '\0';
        goal.hint = trim(hint + 1);
    }
    const char *key = task_next_word(&at), *sign = task_next_word(&at);
    for (int i = 0; key && i < SMC_EXERCISE_FIGURES; i++)
        if (strcmp(smc_exercise_figure_info[i].key, key) == 0)
            goal.figure = (enum smc_exercise_figure)i;
    if (goal.figure == SMC_EXERCISE_FIGURES)
        return task_fail(line, error, key, "no figure has this name");
    while (relation < sizeof relations / sizeof *relations &&
           (!sign || strcmp(relations[relation], sign) != 0))
        relation++;
    char *bound = trim(at);
    if (relation == sizeof relations / sizeof *relations || !*bound)
        return task_fail(line, error, key,
                         "a goal is written 'conflicts = 0' or 'time_ms <= 110 % "
                         "of tiled'");
    goal.relation = (enum smc_exercise_relation)relation;
    if (!find_solution(exercise, bound, &goal.solution))
        return task_fail(line, error, key, "a line 'solutions:' before it names the solution");
    if (goal.solution >= 0 && goal.figure != SMC_EXERCISE_TIME)
        return task_fail(line, error, key, "only time_ms is compared with solutions");
    goal.bound = trim(bound);
    if (exercise->goals == SMC_EXERCISE_MOST_GOALS)
        return task_fail(line, error, NULL, "more than 8 goals");
    exercise->goal[exercise->goals++] = goal;
    return SMC_OK;
}

static enum smc_status task_read_line(const struct line *line, struct smc_error *error)
{
    struct smc_exercise *exercise = line->exercise;
    const struct {
        const char *key, **text;
        enum smc_status (*read)(const struct line *, struct smc_error *);
    } keys[] = {{"title", &exercise->title, NULL},
                {"kernel", &exercise->kernel, NULL},
                {"device", &exercise->device, NULL},
                {"reference", &exercise->reference, NULL},
                {"block", &exercise->block, NULL},
                {"grid", &exercise->grid, NULL},
                {"smem", &exercise->smem, NULL},
                {"case", NULL, task_read_case},
                {"time", NULL, task_read_case},
                {"argument", NULL, task_read_argument},
                {"tolerance", NULL, task_read_tolerance},
                {"solutions", NULL, task_read_solutions},
                {"goal", NULL, task_read_goal}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strcmp(keys[i].key, line->key) != 0)
            continue;
        if (keys[i].read)
            return keys[i].read(line, error);
        *keys[i].text = line->value;
        return SMC_OK;
    }
    return task_fail(line, error, line->key, "no line of an exercise begins with this word");
}

/* Lines between two of "---", then the text. */
static enum smc_status read_task(struct smc_exercise *exercise, struct smc_error *error)
{
    struct line line = {.exercise = exercise, .number = 0};
    char *at = exercise->task.data;
    for (bool ended = false; !ended;) {
        char *begin = at, *end = at + strcspn(at, "\n");
        if (!*end)
            return task_fail(&line, error, NULL, "the lines stand between two lines '---'");
        *end = '\0';
        at = end + 1;
        line.number++;
        begin = trim(begin);
        char *colon = strchr(begin, ':');
        if (strcmp(begin, "---") == 0) {
            ended = line.number > 1;
            continue;
        }
        if (line.number > 1 && (!*begin || *begin == '#'))
            continue;
        if (line.number == 1 || !colon)
            return task_fail(&line, error, begin, "'---' or 'key: value' is needed");
        *colon = '\0';
        line.key = begin;
        line.value = trim(colon + 1);
        SMC_TRY(task_read_line(&line, error));
    }
    exercise->text = at + strspn(at, "\n");
    if (exercise->title && exercise->kernel && exercise->block && exercise->grid &&
        exercise->cases && exercise->has_result && exercise->argument[exercise->result].extents > 0)
        return SMC_OK;
    return task_fail(&line, error, NULL,
                     "title, kernel, block, grid, case and argument, one of them the result, are "
                     "needed");
}

/* --- The exercise ----------------------------------------------------------------------------- */

static enum smc_status fail_exercise_unknown(const char *name, struct smc_error *error)
{
    struct smc_suggestion suggestion = {.typed = name};
    for (size_t i = 0; i < EXERCISES; i++)
        smc_suggest_consider(&suggestion, built_in[i]);
    return smc_suggest_fail(&suggestion, NULL, "exercise",
                            "'smemcalc exercise' lists them; your own is a folder with a task.md",
                            error);
}

enum smc_status smc_exercise_read(const char *name, struct smc_exercise *exercise,
                                  struct smc_error *error)
{
    *exercise = (struct smc_exercise){.device = default_device,
                                      .reference = "reference",
                                      .smem = "0",
                                      .tolerance = default_tolerance};
    bool is_built_in = SMC_ANY(smc_is_same, name, built_in);
    if (!is_built_in && !smc_file_is_folder(name))
        return fail_exercise_unknown(name, error);
    exercise->own_name = smc_strdup(name);
    exercise->folder = is_built_in ? NULL : smc_strdup(name);
    if (!exercise->own_name || (!is_built_in && !exercise->folder))
        return smc_out_of_memory(error);
    for (size_t end = strlen(exercise->own_name); end > 1 && exercise->own_name[end - 1] == '/';)
        exercise->own_name[--end] = '\0';
    exercise->name = smc_last_part(exercise->own_name);
    SMC_TRY(smc_exercise_read_file(exercise, task_file, &exercise->task, error));
    if (exercise->task.failed)
        return smc_out_of_memory(error);
    if (!exercise->task.data)
        return smc_fail(error, SMC_USAGE, "%s/%s: it is empty", name, task_file);
    return read_task(exercise, error);
}

void smc_exercise_free(struct smc_exercise *exercise)
{
    free(exercise->folder);
    free(exercise->own_name);
    smc_text_free(&exercise->task);
    *exercise = (struct smc_exercise){0};
}
