/* A submission to an exercise: the verdict, what is wrong and what to change, the goals and times;
   and a table of a class; as text, JSON and CSV. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "show/report/emulator_findings.h"
#include "show/report/text_table.h"
#include "show/report/writers.h"

/* --- Words ------------------------------------------------------------------------------------ */

/* "n = 1000, radius = 3". */
static void words_case(const struct smc_exercise_submission *submission, struct smc_text *out)
{
    const struct smc_exercise *exercise = submission->exercise;
    for (size_t i = 0; i < exercise->names; i++)
        smc_text_printf(out, "%s%s = %" PRId64, i ? ", " : "", exercise->variable[i],
                        submission->verdict.value[i]);
}

static const char *result_name(const struct smc_exercise *exercise)
{
    return exercise->argument[exercise->result].name;
}

/* "[3][17]". */
static void words_index(const struct smc_wrong_result *wrong, struct smc_text *out)
{
    for (size_t i = 0; i < wrong->extents; i++)
        smc_text_printf(out, "[%" PRIu64 "]", wrong->index[i]);
}

/* "37 of 1000 elements of c are wrong; the first is c[3][17]: 0.5 instead of 1.25". */
static void words_wrong(const struct smc_exercise_submission *submission, struct smc_text *out)
{
    const struct smc_wrong_result *wrong = &submission->verdict.wrong;
    const char *name = result_name(submission->exercise);
    smc_text_printf(out, "%" PRIu64 " of %" PRIu64 " elements of %s %s wrong; the first is %s",
                    wrong->wrong, wrong->elements, name, wrong->wrong == 1 ? "is" : "are", name);
    words_index(wrong, out);
    smc_text_printf(out, ": %s instead of %s", wrong->got, wrong->expected);
}

/* "row", "column": an axis of an array with so many. */
static const char *words_axis(size_t extents, size_t axis)
{
    static const char *const axes[SMC_EXERCISE_MOST_EXTENTS][SMC_EXERCISE_MOST_EXTENTS] = {
        {"index"}, {"row", "column"}, {"first index", "second index", "third index"}};
    return axes[extents - 1][axis];
}

/* "from row 48 or column 32 on". */
static void words_from(const struct smc_wrong_result *wrong, struct smc_text *out)
{
    const char *before = "from";
    for (size_t axis = 0; axis < wrong->extents; axis++) {
        if (wrong->from[axis] == wrong->extent[axis])
            continue;
        smc_text_printf(out, "%s %s %" PRIu64, before, words_axis(wrong->extents, axis),
                        wrong->from[axis]);
        before = " or";
    }
    smc_text_append(out, " on");
}

/* Causes of the position of the wrong elements. */
static void words_place(const struct smc_wrong_result *wrong, const char *name,
                        struct smc_text *out)
{
    const char *state = wrong->is_unwritten ? "are not written" : "are wrong";
    if (wrong->cause == SMC_WRONG_TAIL) {
        smc_text_append(out, "exactly the elements ");
        words_from(wrong, out);
        smc_text_printf(out, " %s: those of the last blocks, which are only partly inside %s",
                        state, name);
    } else if (wrong->cause == SMC_WRONG_FIRST_BLOCK) {
        smc_text_append(out, "only the elements of the first block are right, all ");
        words_from(wrong, out);
        smc_text_printf(out, " %s: does the index depend on blockIdx?", state);
    } else if (wrong->cause == SMC_WRONG_DIAGONAL) {
        smc_text_printf(out,
                        "exactly the tiles of %" PRId64 " x %" PRId64
                        " on the diagonal are right: blockIdx.x and blockIdx.y are in each other's "
                        "place, or one of them is used twice",
                        wrong->number, wrong->number);
    } else if (wrong->cause == SMC_WRONG_ARRAY_ENDS) {
        smc_text_printf(out,
                        "all wrong elements are among the first or last %" PRId64
                        " of %s: what lies outside of the array counts otherwise",
                        wrong->number, name);
    } else if (wrong->cause == SMC_WRONG_BLOCK_ENDS) {
        smc_text_printf(out,
                        "all wrong elements are among the %" PRId64
                        " at either end of a block's %" PRId64
                        ": what a block needs of its neighbours is missing",
                        wrong->number, wrong->right);
    } else {
        smc_text_append(out, "all wrong elements are as before the launch: no thread writes them");
    }
}

/* "the term in[i + 3] is missing". */
static void words_term(const struct smc_wrong_result *wrong, struct smc_text *out)
{
    smc_text_printf(out, "the term %s[i", wrong->array);
    if (wrong->number != 0)
        smc_text_printf(out, " %c %" PRId64, wrong->number < 0 ? '-' : '+',
                        wrong->number < 0 ? -wrong->number : wrong->number);
    smc_text_append(out, wrong->cause == SMC_WRONG_MISSING_TERM ? "] is missing"
                                                                : "] is added once too often");
}

/* Causes that the reference showed with other arguments. */
static void words_argument(const struct smc_wrong_result *wrong, struct smc_text *out)
{
    if (wrong->cause == SMC_WRONG_INPUT_TRANSPOSED)
        smc_text_printf(out, "%s is read as if it were transposed: swap its two indices",
                        wrong->array);
    else if (wrong->cause == SMC_WRONG_INPUT_SHIFTED)
        smc_text_printf(out, "%s is read one element too %s", wrong->array,
                        wrong->number < 0 ? "early" : "late");
    else if (wrong->cause == SMC_WRONG_INPUTS_SWAPPED)
        smc_text_printf(out, "%s and %s are used in each other's place", wrong->array,
                        wrong->other);
    else if (wrong->cause == SMC_WRONG_INPUT_TILES_TRANSPOSED)
        smc_text_printf(out,
                        "each tile of %" PRId64 " x %" PRId64
                        " of %s is read as if it were transposed: swap the two indices",
                        wrong->number, wrong->number, wrong->array);
    else if (wrong->cause == SMC_WRONG_INPUT_BEGUN)
        smc_text_printf(out, "%s counts as 0 before %s %" PRId64 ": only what comes later counts",
                        wrong->array, words_axis(wrong->axes, wrong->axis), wrong->number);
    else if (wrong->cause == SMC_WRONG_COUNTED_AGAIN)
        smc_text_printf(out,
                        "each block counts all elements of %s from its first one on: the stride of "
                        "the loop is that of one block, not of the grid",
                        wrong->array);
    else if (wrong->cause == SMC_WRONG_INPUT_CUT && wrong->other[0])
        smc_text_printf(out, "%s counts as 0 from %s %" PRId64 " on: %s is used as its limit",
                        wrong->array, words_axis(wrong->axes, wrong->axis), wrong->right,
                        wrong->other);
    else if (wrong->cause == SMC_WRONG_INPUT_CUT)
        smc_text_printf(out, "%s counts as 0 from %s %" PRId64 " on: the last step is missing",
                        wrong->array, words_axis(wrong->axes, wrong->axis), wrong->right);
    else if (wrong->cause == SMC_WRONG_INPUT_HALF && wrong->period == 2)
        smc_text_printf(out, "half of %s is left out: only every second element counts",
                        wrong->array);
    else if (wrong->cause == SMC_WRONG_INPUT_HALF)
        smc_text_printf(out,
                        "half of %s is left out: only %" PRId64 " to %" PRId64 " of every %" PRId64
                        " elements count",
                        wrong->array, wrong->number, wrong->right - 1, wrong->period);
    else if (wrong->cause == SMC_WRONG_OTHER_NUMBER)
        smc_text_printf(out, "this is the right result for %s = %" PRId64 " instead of %" PRId64,
                        wrong->array, wrong->number, wrong->right);
    else
        smc_text_printf(out, "this is a copy of %s", wrong->array);
}

/* Nothing if the cause is not known. */
static void words_cause(const struct smc_exercise *exercise, const struct smc_wrong_result *wrong,
                        struct smc_text *out)
{
    const char *name = result_name(exercise);
    switch (wrong->cause) {
    case SMC_WRONG_NOTHING_WRITTEN:
        smc_text_printf(out, "%s is as before the launch: the kernel does not change it", name);
        break;
    case SMC_WRONG_ADDED:
        smc_text_printf(out, "the right result is added to what %s held before the launch", name);
        break;
    case SMC_WRONG_TRANSPOSED:
        smc_text_printf(out, "%s is transposed: swap the two indices of the store", name);
        break;
    case SMC_WRONG_REVERSED:
        smc_text_printf(out, "%s is right in the opposite order", name);
        break;
    case SMC_WRONG_SHIFTED:
        smc_text_printf(out, "off by one: each element of %s holds what belongs one place %s", name,
                        wrong->number > 0 ? "after it" : "before it");
        break;
    case SMC_WRONG_SCALED:
        if (wrong->factor == 0)
            smc_text_printf(out, "all of %s is 0", name);
        else
            smc_text_printf(out, "every element is %.4g times the right one", wrong->factor);
        break;
    case SMC_WRONG_SWIZZLED:
        smc_text_printf(out,
                        "%s is right, but within each row or column in another order: a swizzle is "
                        "in one of two accesses only",
                        name);
        break;
    case SMC_WRONG_MISSING_TERM:
    case SMC_WRONG_EXTRA_TERM:
        words_term(wrong, out);
        break;
    case SMC_WRONG_TAIL:
    case SMC_WRONG_FIRST_BLOCK:
    case SMC_WRONG_DIAGONAL:
    case SMC_WRONG_ARRAY_ENDS:
    case SMC_WRONG_BLOCK_ENDS:
    case SMC_WRONG_UNWRITTEN:
        words_place(wrong, name, out);
        break;
    case SMC_WRONG_UNKNOWN:
        break;
    default:
        words_argument(wrong, out);
    }
}

static void words_figure(enum smc_exercise_figure figure, double value, struct smc_text *out)
{
    const char *unit = smc_exercise_figure_info[figure].unit;
    if (isnan(value))
        smc_text_append(out, "unknown");
    else if (figure == SMC_EXERCISE_TIME)
        smc_words_time(value, out);
    else
        smc_text_printf(out, "%.10g%s%s", floor(value * 100 + 0.5) / 100, *unit ? SMC_TIE : "",
                        unit);
}

/* "bank conflicts: 2048, goal 0". */
static void words_goal(const struct smc_exercise_submission *submission, size_t index,
                       struct smc_text *out)
{
    static const char *const relations[] = {[SMC_EXERCISE_AT_MOST] = "at most ",
                                            [SMC_EXERCISE_AT_LEAST] = "at least ",
                                            [SMC_EXERCISE_EQUALS] = ""};
    const struct smc_exercise_goal *goal = &submission->exercise->goal[index];
    const struct smc_exercise_verdict *verdict = &submission->verdict;
    smc_text_printf(out, "%s ", smc_exercise_figure_info[goal->figure].label);
    words_figure(goal->figure, verdict->figure[goal->figure], out);
    smc_text_printf(out, ", goal %s", relations[goal->relation]);
    words_figure(goal->figure, verdict->bound[index], out);
}

/* "race on s at line 9", "c is transposed...", "bank conflicts 992, goal 0": one line. */
static void exercise_words_reason(const struct smc_exercise_submission *submission,
                                  struct smc_text *out)
{
    const struct smc_exercise_verdict *verdict = &submission->verdict;
    switch (verdict->outcome) {
    case SMC_EXERCISE_SOLVED:
        break;
    case SMC_EXERCISE_GOAL:
        words_goal(submission, smc_exercise_next_goal(submission->exercise, verdict), out);
        break;
    case SMC_EXERCISE_WRONG:
        words_cause(submission->exercise, &verdict->wrong, out);
        if (out->length == 0)
            words_wrong(submission, out);
        break;
    case SMC_EXERCISE_FAULT:
        smc_words_headline(&verdict->emulated, out);
        smc_words_findings(&verdict->emulated, out);
        break;
    default:
        smc_text_append(out, verdict->why);
    }
}

/* --- Text ------------------------------------------------------------------------------------- */

static void exercise_words_verdict(const struct smc_exercise_submission *submission,
                                   struct smc_text *out)
{
    static const char *const words[SMC_EXERCISE_OUTCOMES] = {
        [SMC_EXERCISE_SOLVED] = "solved",
        [SMC_EXERCISE_GOAL] = "the result is right; a goal is left",
        [SMC_EXERCISE_WRONG] = "not solved: the result is wrong",
        [SMC_EXERCISE_FAULT] = "not solved: the kernel has errors",
        [SMC_EXERCISE_UNFINISHED] = "not solved: the kernel does not end",
        [SMC_EXERCISE_REFUSED] = "not solved: the launch fails",
        [SMC_EXERCISE_UNUSABLE] = "not judged",
        [SMC_EXERCISE_FAILED] = "not judged",
    };
    const struct smc_exercise_verdict *verdict = &submission->verdict;
    smc_text_append(out, words[verdict->outcome]);
    if (verdict->outcome == SMC_EXERCISE_SOLVED || verdict->outcome == SMC_EXERCISE_GOAL)
        return;
    if (submission->exercise->names > 0) {
        smc_text_append(out, " for ");
        words_case(submission, out);
    }
    if (verdict->passed > 0)
        smc_text_printf(out, "; %zu of %zu cases right", verdict->passed,
                        submission->exercise->cases);
}

static void append_launch(const struct smc_exercise_submission *submission, struct smc_text *out)
{
    const struct smc_exercise_verdict *verdict = &submission->verdict;
    struct smc_text line = {0};
    smc_layout_say(out, "exercise", "%s", submission->exercise->title);
    if (verdict->outcome == SMC_EXERCISE_UNUSABLE || verdict->outcome == SMC_EXERCISE_FAILED)
        return;
    smc_text_append(&line, "grid ");
    smc_words_extent(verdict->grid, " x ", &line);
    smc_text_append(&line, ", block ");
    smc_words_extent(verdict->block, " x ", &line);
    if (verdict->smem_bytes > 0)
        smc_text_printf(&line, ", %" PRIu32 SMC_TIE "B of dynamic shared memory",
                        verdict->smem_bytes);
    smc_text_printf(&line, "; %s", submission->device);
    smc_layout_line(out, "launch", &line);
}

/* What is wrong, and what to change. */
static void exercise_append_fault(const struct smc_exercise_submission *submission,
                                  struct smc_text *out)
{
    const struct smc_exercise_verdict *verdict = &submission->verdict;
    struct smc_text line = {0};
    if (verdict->outcome == SMC_EXERCISE_FAULT) {
        smc_auto_text advice = {0};
        smc_words_barrier_advice(verdict->barrier_after, &advice);
        smc_text_leading_findings(&verdict->emulated, smc_text_string(&advice), out);
        smc_text_append_char(out, '\n', 1);
    } else if (verdict->outcome == SMC_EXERCISE_WRONG) {
        words_wrong(submission, &line);
        smc_layout_line(out, "result", &line);
        words_cause(submission->exercise, &verdict->wrong, &line);
        smc_layout_line(out, "cause", &line);
        smc_text_append_char(out, '\n', 1);
    } else if (verdict->why[0]) {
        smc_layout_say(out, "because", "%s", verdict->why);
        smc_text_append_char(out, '\n', 1);
    }
}

static void append_goals(const struct smc_exercise_submission *submission, struct smc_text *out)
{
    const struct smc_exercise *exercise = submission->exercise;
    const struct smc_exercise_verdict *verdict = &submission->verdict;
    for (size_t i = 0; i < exercise->goals; i++) {
        struct smc_text line = {0};
        smc_text_append(&line, verdict->met[i] ? "met: " : "left: ");
        words_goal(submission, i, &line);
        smc_layout_line(out, i ? "" : "goals", &line);
    }
}

/* How to reach the first goal that is left. */
static void append_next(const struct smc_exercise_submission *submission, struct smc_text *out)
{
    const struct smc_exercise *exercise = submission->exercise;
    const size_t next = smc_exercise_next_goal(exercise, &submission->verdict);
    if (next == exercise->goals)
        return;
    smc_layout_say(out, "next", "%s", exercise->goal[next].hint);
    if (exercise->goal[next].figure == SMC_EXERCISE_CONFLICTS) {
        struct smc_conflict_fix fix;
        smc_conflict_fix_of_site(&submission->verdict.emulated.site, &fix);
        smc_text_conflict_fix(&fix, submission->file, out);
    }
}

static void append_times(const struct smc_exercise_submission *submission, struct smc_text *out)
{
    const struct smc_exercise *exercise = submission->exercise;
    const struct smc_exercise_verdict *verdict = &submission->verdict;
    struct smc_text line = {0};
    if (verdict->own.ms <= 0)
        return;
    smc_words_time(verdict->own.ms, &line);
    smc_text_append(&line, " predicted for");
    for (size_t i = 0; i < exercise->names; i++)
        smc_text_printf(&line, "%s %s = %" PRId64, i ? "," : "", exercise->variable[i],
                        exercise->timed.value[i]);
    for (size_t i = 0; i < exercise->solutions; i++) {
        smc_text_printf(&line, "; %s ", exercise->solution[i]);
        if (verdict->solution[i].ms > 0)
            smc_words_time(verdict->solution[i].ms, &line);
        else
            smc_text_append(&line, "unknown");
    }
    smc_layout_line(out, "time", &line);
}

void smc_text_exercise(const struct smc_exercise_submission *submission, struct smc_text *out)
{
    const bool is_solved = submission->verdict.outcome == SMC_EXERCISE_SOLVED;
    struct smc_text verdict = {0};
    exercise_words_verdict(submission, &verdict);
    smc_layout_verdict(out, is_solved ? SMC_GOOD : SMC_BAD, &verdict);
    smc_text_append_char(out, '\n', 1);
    exercise_append_fault(submission, out);
    append_launch(submission, out);
    if (!submission->verdict.has_figures)
        return;
    append_goals(submission, out);
    append_times(submission, out);
    append_next(submission, out);
}

/* --- Fields ----------------------------------------------------------------------------------- */

struct exercise_item {
    const struct smc_exercise_submission *submission;
    const struct smc_exercise_verdict *verdict;
    const char *reason;
};

static json_t *case_object(const struct smc_exercise_submission *submission)
{
    json_t *object = json_object();
    for (size_t i = 0; i < submission->exercise->names; i++)
        smc_json_set(object, submission->exercise->variable[i],
                     json_integer(submission->verdict.value[i]));
    return object;
}

static json_t *index_list(const struct smc_wrong_result *wrong)
{
    json_t *list = json_array();
    for (size_t i = 0; i < wrong->extents; i++)
        json_array_append_new(list, json_integer((json_int_t)wrong->index[i]));
    return list;
}

static json_t *wrong_object(const struct smc_exercise_submission *submission)
{
    const struct smc_wrong_result *wrong = &submission->verdict.wrong;
    smc_auto_text cause = {0};
    if (submission->verdict.outcome != SMC_EXERCISE_WRONG)
        return json_null();
    json_t *object = json_object();
    words_cause(submission->exercise, wrong, &cause);
    smc_words_untie(&cause);
    smc_json_string(object, "array", result_name(submission->exercise));
    smc_json_integer(object, "elements", wrong->elements);
    smc_json_integer(object, "wrong", wrong->wrong);
    smc_json_set(object, "first", index_list(wrong));
    smc_json_string(object, "value", wrong->got);
    smc_json_string(object, "expected", wrong->expected);
    smc_json_known_string(object, "cause", smc_wrong_cause_names[wrong->cause]);
    smc_json_known_string(object, "cause_text", smc_text_string(&cause));
    return object;
}

static json_t *barrier_list(const struct smc_exercise_verdict *verdict)
{
    json_t *list = json_array();
    for (size_t i = 0; i < 2 && verdict->barrier_after[i] > 0; i++)
        json_array_append_new(list, json_integer(verdict->barrier_after[i]));
    return list;
}

static json_t *goal_list(const struct smc_exercise_submission *submission)
{
    const struct smc_exercise *exercise = submission->exercise;
    const struct smc_exercise_verdict *verdict = &submission->verdict;
    static const char *const relations[] = {"<=", ">=", "="};
    if (!verdict->has_figures)
        return json_null();
    json_t *list = json_array();
    for (size_t i = 0; i < exercise->goals; i++) {
        const struct smc_exercise_goal *goal = &exercise->goal[i];
        json_t *object = smc_json_add_object(list);
        smc_json_string(object, "figure", smc_exercise_figure_info[goal->figure].key);
        smc_json_string(object, "relation", relations[goal->relation]);
        smc_json_set(object, "bound", smc_json_number(verdict->bound[i]));
        smc_json_set(object, "met", json_boolean(verdict->met[i]));
    }
    return list;
}

static json_t *times_object(const struct smc_exercise_submission *submission)
{
    const struct smc_exercise *exercise = submission->exercise;
    if (!submission->verdict.has_figures)
        return json_null();
    json_t *object = json_object();
    for (size_t i = 0; i < exercise->solutions; i++)
        smc_json_known_real(object, exercise->solution[i], submission->verdict.solution[i].ms);
    return object;
}

static struct smc_value figure_of(const struct exercise_item *item, enum smc_exercise_figure figure)
{
    return SMC_VALUE_IF(item->verdict->has_figures,
                        smc_value_number(item->verdict->figure[figure]));
}

#define EXERCISE_FIELDS(FIELD)                                                                     \
    FIELD("exercise", "exercise", "", "the exercise's name",                                       \
          smc_value_text(item->submission->exercise->name))                                        \
    FIELD("file", "file", "", "the submission", smc_value_text(item->submission->file))            \
    FIELD("device", "device", "", "the device of occupancy and predicted times",                   \
          smc_value_text(item->submission->device))                                                \
    FIELD("verdict", "verdict", "",                                                                \
          "solved; goal_missed: the result is right; wrong_result; fault: the emulator found "     \
          "errors; unfinished; refused: the launch fails; unusable: it does not compile, or is "   \
          "no kernel of the task; failed: it could not be judged",                                 \
          smc_value_text(smc_exercise_outcome_names[item->verdict->outcome]))                      \
    FIELD("reason", "reason", "", "why it is not solved, in words",                                \
          smc_value_string(item->reason))                                                          \
    FIELD("cases_passed", "cases_passed", "", "cases with the right result",                       \
          smc_value_integer(item->verdict->passed))                                                \
    FIELD("cases", "cases", "", "cases of the exercise",                                           \
          smc_value_integer(item->submission->exercise->cases))                                    \
    FIELD("case", NULL, "", "the names' values of the last case that was looked at",               \
          case_object(item->submission))                                                           \
    FIELD("launch.grid", NULL, "", "its grid", smc_value_extent(item->verdict->grid))              \
    FIELD("launch.block", NULL, "", "its block", smc_value_extent(item->verdict->block))           \
    FIELD("launch.dynamic_smem_bytes", NULL, "bytes", "its dynamic shared memory",                 \
          smc_value_integer(item->verdict->smem_bytes))                                            \
    FIELD("wrong_result", NULL, "",                                                                \
          "the first wrong element, and the cause, if one was found: each was tried",              \
          wrong_object(item->submission))                                                          \
    FIELD(NULL, "cause", "", "the cause of a wrong result",                                        \
          SMC_VALUE_IF(item->verdict->outcome == SMC_EXERCISE_WRONG,                               \
                       smc_value_string(smc_wrong_cause_names[item->verdict->wrong.cause])))       \
    FIELD("findings", NULL, "", "errors that the emulator found, as run reports them",             \
          (item->verdict->emulated.finish.made ? smc_json_findings(&item->verdict->emulated)       \
                                               : json_array()))                                    \
    FIELD("barrier_after", NULL, "",                                                               \
          "the lines after which __syncthreads() was seen to remove the races",                    \
          barrier_list(item->verdict))                                                             \
    FIELD("goals", NULL, "", "figure, relation, bound, met of each goal",                          \
          goal_list(item->submission))                                                             \
    FIELD("figures.conflicts", "conflicts", "", "bank conflicts in the last case",                 \
          figure_of(item, SMC_EXERCISE_CONFLICTS))                                                 \
    FIELD("figures.load_sectors", "load_sectors", "", "sectors loaded from global memory",         \
          figure_of(item, SMC_EXERCISE_LOAD_SECTORS))                                              \
    FIELD("figures.sectors_per_request", "sectors_per_request", "",                                \
          "sectors per access of a warp to global memory",                                         \
          figure_of(item, SMC_EXERCISE_SECTORS_PER_REQUEST))                                       \
    FIELD("figures.global_atomics", "global_atomics", "",                                          \
          "atomic accesses of warps to global memory",                                             \
          figure_of(item, SMC_EXERCISE_GLOBAL_ATOMICS))                                            \
    FIELD("figures.divergent_branches", "divergent_branches", "",                                  \
          "branches at which warps diverged", figure_of(item, SMC_EXERCISE_DIVERGENCE))            \
    FIELD("figures.instructions", "instructions", "", "instructions of warps",                     \
          figure_of(item, SMC_EXERCISE_INSTRUCTIONS))                                              \
    FIELD("figures.static_smem_bytes", "static_smem_bytes", "bytes",                               \
          "static shared memory per block", figure_of(item, SMC_EXERCISE_STATIC_SMEM))             \
    FIELD("figures.dynamic_smem_bytes", "dynamic_smem_bytes", "bytes",                             \
          "dynamic shared memory per block", figure_of(item, SMC_EXERCISE_DYNAMIC_SMEM))           \
    FIELD("figures.registers", "registers", "", "registers per thread",                            \
          figure_of(item, SMC_EXERCISE_REGISTERS))                                                 \
    FIELD("figures.occupancy_percent", "occupancy_percent", "percent", "occupancy",                \
          figure_of(item, SMC_EXERCISE_OCCUPANCY))                                                 \
    FIELD("figures.time_ms", "time_ms", "ms", "predicted time of the timed case",                  \
          figure_of(item, SMC_EXERCISE_TIME))                                                      \
    FIELD("solution_ms", NULL, "ms", "predicted time of each solution of the exercise",            \
          times_object(item->submission))

SMC_FIELD_TABLE(exercise_fields, struct exercise_item, EXERCISE_FIELDS)

const struct smc_field_table smc_exercise_tables[] = {
    {"exercise", &exercise_fields},
    {NULL, NULL},
};

/* Free the text, which owns the reason. */
static struct exercise_item exercise_make_item(const struct smc_exercise_submission *submission,
                                               struct smc_text *reason)
{
    exercise_words_reason(submission, reason);
    smc_words_untie(reason);
    return (struct exercise_item){submission, &submission->verdict, smc_text_string(reason)};
}

/* --- JSON and CSV ----------------------------------------------------------------------------- */

void smc_json_exercise(json_t *object, const struct smc_exercise_submission *submission)
{
    smc_auto_text reason = {0};
    const struct exercise_item item = exercise_make_item(submission, &reason);
    smc_fields_json(&exercise_fields, &item, object);
}

void smc_csv_exercise(const struct smc_exercise_submission *submission, struct smc_text *out)
{
    smc_csv_exercise_class(submission, 1, out);
}

void smc_json_exercise_class(json_t *object, const struct smc_exercise_submission *submissions,
                             size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        smc_json_exercise(smc_json_add_object(list), &submissions[i]);
    smc_json_set(object, "submissions", list);
}

void smc_csv_exercise_class(const struct smc_exercise_submission *submissions, size_t count,
                            struct smc_text *out)
{
    smc_fields_csv_head(&exercise_fields, out);
    for (size_t i = 0; i < count; i++) {
        smc_auto_text reason = {0};
        const struct exercise_item item = exercise_make_item(&submissions[i], &reason);
        smc_fields_csv_row(&exercise_fields, &item, out);
    }
}

/* --- A class ---------------------------------------------------------------------------------- */

void smc_text_exercise_class(const struct smc_exercise_submission *submissions, size_t count,
                             struct smc_text *out)
{
    struct smc_text_column columns[] = {{"file", 0, -4, false},
                                        {"exercise", 2, -8, false},
                                        {"verdict", 2, -12, false},
                                        {"reason", 2, 0, false},
                                        {NULL, 0, 0, false}};
    struct smc_text verdict = {0};
    size_t solved = 0;
    for (size_t i = 0; i < count; i++) {
        solved += submissions[i].verdict.outcome == SMC_EXERCISE_SOLVED;
        smc_column_widen(&columns[0], submissions[i].file);
        smc_column_widen(&columns[1], submissions[i].exercise->name);
    }
    smc_text_printf(&verdict, "%zu of %zu submissions are solved", solved, count);
    smc_layout_verdict(out, solved == count ? SMC_GOOD : SMC_BAD, &verdict);
    smc_text_append_char(out, '\n', 1);
    smc_cells_headings((struct smc_cells){columns, out});
    const unsigned reason_column = (unsigned)smc_columns_width(columns);
    for (size_t i = 0; i < count; i++) {
        smc_auto_text reason = {0}, row = {0};
        const struct exercise_item item = exercise_make_item(&submissions[i], &reason);
        struct smc_cells cells = {columns, &row};
        smc_cells_add(&cells, submissions[i].file);
        smc_cells_add(&cells, submissions[i].exercise->name);
        smc_cells_add(&cells, smc_exercise_outcome_names[item.verdict->outcome]);
        const size_t named = strlen(submissions[i].file); /* in the first column */
        const bool names_file =
            item.reason && strncmp(item.reason, submissions[i].file, named) == 0;
        if (item.reason && *item.reason)
            smc_layout_paragraph(out, smc_text_string(&row), reason_column,
                                 names_file && item.reason[named] == ':' ? item.reason + named + 1
                                                                         : item.reason,
                                 out->style->columns);
        else
            smc_layout_row(out, &row);
    }
}
