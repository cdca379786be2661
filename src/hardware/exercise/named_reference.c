/* References by name: what an array of the user's own launch is compared with is computed by the
   reference of an exercise, from the launch's other arrays. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/parse.h"
#include "hardware/executor/c_types.h"
#include "hardware/exercise/exercise_launch.h"

/* Those of the program, whose sizes may be any: a name, and the exercise that has the reference. */
static const struct {
    const char *name, *exercise;
} built_in[] = {
    {"matmul", "matmul-tails"}, {"transpose", "transpose"},  {"stencil", "stencil"},
    {"histogram", "histogram"}, {"block-sums", "reduction"}, {"row-sums", "time-golf"},
    {"reverse", "opt-in"},
};
enum { BUILT_IN = sizeof built_in / sizeof *built_in };

struct named_reference {
    struct smc_user_reference base; /* the first member */
    struct smc_exercise exercise;
    struct smc_exercise_case one;
    bool is_known[SMC_EXERCISE_MOST_NAMES];     /* the value of the case */
    size_t source[SMC_EXERCISE_MOST_ARGUMENTS]; /* of an array: the argument of the user's launch */
    bool has_source[SMC_EXERCISE_MOST_ARGUMENTS];
    struct smc_run_settings settings;
    struct smc_text text; /* of the reference's source */
    struct smc_exercise_launch *launch;
};

/* --- Names ------------------------------------------------------------------------------------ */

/* The length of the name in "matmul:m=64". */
static size_t reference_name_length(const char *text)
{
    return strcspn(text, ":");
}

static bool has_task(const char *folder)
{
    smc_auto_text path = {0};
    smc_text_printf(&path, "%s/task.md", folder);
    return !path.failed && access(path.data, R_OK) == 0;
}

/* The exercise that the name stands for; NULL: none. */
static const char *find_exercise(const char *name)
{
    for (size_t i = 0; i < BUILT_IN; i++)
        if (strcmp(built_in[i].name, name) == 0)
            return built_in[i].exercise;
    return has_task(name) ? name : NULL;
}

static char *copy_name(const char *text)
{
    return smc_strndup(text, reference_name_length(text));
}

bool smc_named_reference_is(const char *text)
{
    smc_auto_free char *name = copy_name(text);
    return name && find_exercise(name);
}

void smc_named_reference_list(struct smc_text *out)
{
    for (size_t i = 0; i < BUILT_IN; i++)
        smc_text_printf(out, "%s%s",
                        i == 0              ? ""
                        : i + 1 == BUILT_IN ? " or "
                                            : ", ",
                        built_in[i].name);
}

/* --- What was typed --------------------------------------------------------------------------- */

static size_t index_of_name(const struct smc_exercise *exercise, const char *name)
{
    size_t i = 0;
    while (i < exercise->names && strcmp(exercise->variable[i], name) != 0)
        i++;
    return i;
}

static size_t index_of_array(const struct smc_exercise *exercise, const char *name)
{
    size_t i = 0;
    while (i < exercise->arguments &&
           (exercise->argument[i].extents == 0 || strcmp(exercise->argument[i].name, name) != 0))
        i++;
    return i;
}

static bool is_array(const struct smc_user_argument *argument)
{
    return argument->is_buffer && argument->form == SMC_USER_PLAIN;
}

/* "m=64", or "a=@1": the array is the first argument of the launch. */
static enum smc_status read_setting(struct named_reference *reference,
                                    const struct smc_user_request *user, char *setting,
                                    struct smc_error *error)
{
    const struct smc_exercise *exercise = &reference->exercise;
    char *value = strchr(setting, '=');
    int64_t number;
    if (!value)
        return smc_fail(error, SMC_USAGE,
                        "'%.64s' is not a size such as n=64, or an array such as "
                        "a=@1",
                        setting);
    *value++ = '\0';
    const size_t name = index_of_name(exercise, setting), array = index_of_array(exercise, setting);
    if (array < exercise->arguments && *value == '@') {
        if (!smc_parse_integer(value + 1, 1, (int64_t)user->argument_count, &number) ||
            !is_array(&user->argument[number - 1]))
            return smc_fail(error, SMC_USAGE, "'%.64s=%.64s': no array is that argument", setting,
                            value);
        reference->source[array] = (size_t)number - 1;
        reference->has_source[array] = true;
        return SMC_OK;
    }
    if (name == exercise->names) {
        smc_auto_text list = {0};
        for (size_t i = 0; i < exercise->names; i++)
            smc_text_printf(&list, "%s%s=N", i ? ", " : "", exercise->variable[i]);
        for (size_t i = 0; i < exercise->arguments; i++)
            if (exercise->argument[i].extents > 0)
                smc_text_printf(&list, "%s%s=@N", list.length ? ", " : "",
                                exercise->argument[i].name);
        return smc_fail(error, SMC_USAGE, "'%.64s' is none of %.400s", setting,
                        smc_text_string(&list));
    }
    if (!smc_parse_integer(value, 0, INT32_MAX, &number))
        return smc_fail(error, SMC_USAGE, "'%.64s=%.64s' is not between 0 and %d", setting, value,
                        INT32_MAX);
    reference->one.value[name] = number;
    reference->is_known[name] = true;
    return SMC_OK;
}

static enum smc_status read_settings(struct named_reference *reference,
                                     const struct smc_user_request *user, const char *text,
                                     struct smc_error *error)
{
    smc_auto_free char *copy = smc_strdup(text);
    if (!copy)
        return smc_out_of_memory(error);
    for (char *at = copy; *at;) {
        char *end = at + strcspn(at, ",");
        const bool is_last = !*end;
        *end = '\0';
        SMC_TRY(read_setting(reference, user, at, error));
        at = end + !is_last;
    }
    return SMC_OK;
}

/* --- Its arrays ------------------------------------------------------------------------------- */

/* The next array of the user's launch from `from` on that no array is named after and that is not
   the one compared. */
static size_t next_array(const struct named_reference *reference,
                         const struct smc_user_request *user, size_t compared, size_t from)
{
    for (; from < user->argument_count; from++) {
        bool is_taken = from == compared || !is_array(&user->argument[from]);
        for (size_t i = 0; i < reference->exercise.arguments; i++)
            is_taken |= reference->has_source[i] && reference->source[i] == from;
        if (!is_taken)
            break;
    }
    return from;
}

static enum smc_status fail_arrays(const struct named_reference *reference, struct smc_error *error)
{
    const struct smc_exercise *exercise = &reference->exercise;
    smc_auto_text list = {0};
    const char *example = "";
    for (size_t i = 0; i < exercise->arguments; i++)
        if (exercise->argument[i].extents > 0) {
            smc_text_printf(&list, "%s%s%s", list.length ? ", " : "", exercise->argument[i].name,
                            i == exercise->result ? " (the result)" : "");
            example = i == exercise->result && *example ? example : exercise->argument[i].name;
        }
    return smc_fail(error, SMC_USAGE,
                    "its arrays %.400s are not as many as those of the launch: name them, such as "
                    "%.64s=@1",
                    smc_text_string(&list), example);
}

/* Inputs that are not named are the launch's other arrays, in order, of which none is left. */
static enum smc_status find_sources(struct named_reference *reference,
                                    const struct smc_user_request *user, size_t compared,
                                    struct smc_error *error)
{
    const struct smc_exercise *exercise = &reference->exercise;
    bool all_are_named = true;
    size_t next = next_array(reference, user, compared, 0);
    for (size_t i = 0; i < exercise->arguments; i++) {
        if (exercise->argument[i].extents == 0 || reference->has_source[i])
            continue;
        const bool is_result = i == exercise->result;
        all_are_named &= is_result;
        if (!is_result && next == user->argument_count)
            return fail_arrays(reference, error);
        reference->source[i] = is_result ? compared : next;
        if (!is_result)
            next = next_array(reference, user, compared, next + 1);
    }
    const bool is_in_place = exercise->arguments > 0 && !reference->has_source[exercise->result];
    bool has_inputs = false;
    for (size_t i = 0; i < exercise->arguments; i++)
        has_inputs |= i != exercise->result && exercise->argument[i].extents > 0;
    if (next < user->argument_count && (!all_are_named || (is_in_place && !has_inputs)))
        return fail_arrays(reference, error);
    return SMC_OK;
}

/* Where the reference has float, the launch may have double or int throughout. */
static enum smc_status adapt_types(struct named_reference *reference,
                                   const struct smc_user_request *user, struct smc_error *error)
{
    struct smc_exercise *exercise = &reference->exercise;
    const char *is_float = smc_user_types[SMC_USER_F32].name, *instead = NULL;
    for (size_t i = 0; i < exercise->arguments; i++) {
        struct smc_exercise_argument *own = &exercise->argument[i];
        const struct smc_user_argument *theirs = &user->argument[reference->source[i]];
        const char *name = smc_user_types[theirs->type].name;
        if (own->extents == 0)
            continue;
        const bool may_vary = strcmp(own->type, is_float) == 0 &&
                              (theirs->type == SMC_USER_F32 || theirs->type == SMC_USER_F64 ||
                               theirs->type == SMC_USER_I32);
        if (!may_vary && strcmp(own->type, name) != 0)
            return smc_fail(error, SMC_USAGE, "argument %zu is %s, but %s is %s%s",
                            reference->source[i] + 1, name, own->name, own->type,
                            strcmp(own->type, is_float) == 0 ? ", f64 or i32" : "");
        if (may_vary && instead && strcmp(instead, name) != 0)
            return smc_fail(error, SMC_USAGE, "argument %zu is %s, but another array is %s",
                            reference->source[i] + 1, name, instead);
        if (may_vary) {
            instead = name;
            own->type = name;
            if (theirs->type != SMC_USER_F32 && reference->text.length == 0)
                smc_text_printf(&reference->text, "#define float %s\n",
                                smc_c_type_name(theirs->type));
        }
    }
    return reference->text.failed ? smc_out_of_memory(error) : SMC_OK;
}

/* --- Its sizes -------------------------------------------------------------------------------- */

/* What the extents of an array say: the product of those that are known, and the name of the one
   that is not. */
struct extents {
    uint64_t product;
    size_t unknown; /* index of the name; `names`: all are known */
    bool is_open;   /* it follows from no division: several are unknown, or an expression */
};

static struct extents reference_read_extents(const struct named_reference *reference, size_t array)
{
    const struct smc_exercise *exercise = &reference->exercise;
    const struct smc_exercise_argument *argument = &exercise->argument[array];
    struct extents extents = {.product = 1, .unknown = exercise->names};
    for (size_t d = 0; d < argument->extents; d++) {
        const size_t name = index_of_name(exercise, argument->extent[d]);
        int64_t value = 0;
        if (name < exercise->names && !reference->is_known[name]) {
            extents.is_open |= extents.unknown < exercise->names;
            extents.unknown = name;
            continue;
        }
        if (name < exercise->names)
            value = reference->one.value[name];
        else if (!smc_parse_integer(argument->extent[d], 1, INT32_MAX, &value))
            extents.is_open = true;
        if (value < 1 || __builtin_mul_overflow(extents.product, (uint64_t)value, &extents.product))
            extents.is_open = true;
    }
    return extents;
}

static uint64_t elements_of(const struct named_reference *reference,
                            const struct smc_user_request *user, size_t array)
{
    return user->argument[reference->source[array]].elements;
}

/* Divides until nothing more follows. Returns the array that cannot have its size; `arguments`:
 * none.
 */
static size_t divide_sizes(struct named_reference *reference, const struct smc_user_request *user)
{
    const struct smc_exercise *exercise = &reference->exercise;
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < exercise->arguments; i++) {
            if (exercise->argument[i].extents == 0)
                continue;
            const uint64_t elements = elements_of(reference, user, i);
            const struct extents extents = reference_read_extents(reference, i);
            if (extents.is_open)
                continue;
            if (extents.unknown == exercise->names && extents.product != elements)
                return i;
            if (extents.unknown == exercise->names)
                continue;
            if (elements % extents.product != 0 || elements / extents.product > INT32_MAX)
                return i;
            reference->one.value[extents.unknown] = (int64_t)(elements / extents.product);
            reference->is_known[extents.unknown] = true;
            again = true;
        }
    }
    return exercise->arguments;
}

/* The first array whose size several unknown names make; `arguments`: none. */
static size_t reference_find_open(const struct named_reference *reference)
{
    const struct smc_exercise *exercise = &reference->exercise;
    size_t i = 0;
    while (i < exercise->arguments &&
           (exercise->argument[i].extents == 0 || !reference_read_extents(reference, i).is_open ||
            reference_read_extents(reference, i).unknown == exercise->names))
        i++;
    return i;
}

/* Tries each divisor of an array's size for one of its names, and returns how many make all arrays
   as large as they are: 0, 1 or 2, which stands for several. One is the answer, as it is for the
   three sizes of a product. */
static size_t try_sizes(struct named_reference *reference, const struct smc_user_request *user)
{
    enum { MOST_TRIED = 1 << 16 };
    const size_t array = reference_find_open(reference);
    struct smc_exercise_case kept = reference->one, found = kept;
    bool kept_known[SMC_EXERCISE_MOST_NAMES], found_known[SMC_EXERCISE_MOST_NAMES];
    size_t solutions = 0;
    if (array == reference->exercise.arguments)
        return 1;
    const uint64_t elements = elements_of(reference, user, array);
    const size_t name = reference_read_extents(reference, array).unknown;
    memcpy(kept_known, reference->is_known, sizeof kept_known);
    memcpy(found_known, kept_known, sizeof found_known);
    for (uint64_t i = 1; i <= elements && i <= MOST_TRIED && solutions < 2; i++) {
        if (elements % i != 0)
            continue;
        reference->one.value[name] = (int64_t)i;
        reference->is_known[name] = true;
        if (divide_sizes(reference, user) == reference->exercise.arguments &&
            reference_find_open(reference) == reference->exercise.arguments) {
            solutions++;
            found = reference->one;
            memcpy(found_known, reference->is_known, sizeof found_known);
        }
        reference->one = kept;
        memcpy(reference->is_known, kept_known, sizeof kept_known);
    }
    if (solutions == 1) {
        reference->one = found;
        memcpy(reference->is_known, found_known, sizeof found_known);
    }
    return solutions;
}

/* "a[m][k] has 64 x 32". */
static void append_size(const struct named_reference *reference, size_t array, const uint64_t *size,
                        struct smc_text *out)
{
    const struct smc_exercise_argument *argument = &reference->exercise.argument[array];
    smc_text_append(out, argument->name);
    for (size_t d = 0; d < argument->extents; d++)
        smc_text_printf(out, "[%s]", argument->extent[d]);
    smc_text_append(out, " has ");
    for (size_t d = 0; d < argument->extents; d++)
        smc_text_printf(out, "%s%" PRIu64, d ? " x " : "", size[d]);
}

static enum smc_status reference_check_size(const struct named_reference *reference,
                                            const struct smc_user_request *user, size_t array,
                                            struct smc_error *error)
{
    const struct smc_exercise_argument *argument = &reference->exercise.argument[array];
    uint64_t size[SMC_EXERCISE_MOST_EXTENTS], product = 1;
    const uint64_t elements = elements_of(reference, user, array);
    for (size_t d = 0; d < argument->extents; d++) {
        int64_t value;
        SMC_TRY(smc_exercise_evaluate(&reference->exercise, &reference->one, argument->extent[d],
                                      &value, error));
        size[d] = (uint64_t)value;
        if (value < 1 || __builtin_mul_overflow(product, size[d], &product))
            product = 0;
    }
    if (product == elements)
        return SMC_OK;
    smc_auto_text words = {0};
    append_size(reference, array, size, &words);
    return smc_fail(error, SMC_USAGE, "%s elements, but argument %zu has %" PRIu64,
                    smc_text_string(&words), reference->source[array] + 1, elements);
}

/* No numbers make the arrays as large as they are. */
static enum smc_status fail_sizes(const struct named_reference *reference,
                                  const struct smc_user_request *user, struct smc_error *error)
{
    const struct smc_exercise *exercise = &reference->exercise;
    smc_auto_text words = {0};
    for (size_t i = 0; i < exercise->arguments; i++) {
        const struct smc_exercise_argument *argument = &exercise->argument[i];
        if (argument->extents == 0)
            continue;
        smc_text_printf(&words, "%s%s", words.length ? ", " : "", argument->name);
        for (size_t d = 0; d < argument->extents; d++)
            smc_text_printf(&words, "[%s]", argument->extent[d]);
        smc_text_printf(&words, " of %" PRIu64, elements_of(reference, user, i));
    }
    return smc_fail(error, SMC_USAGE, "no sizes fit the elements of its arrays: %s",
                    smc_text_string(&words));
}

static enum smc_status reference_find_sizes(struct named_reference *reference,
                                            const struct smc_user_request *user,
                                            struct smc_error *error)
{
    const struct smc_exercise *exercise = &reference->exercise;
    const size_t unfit = divide_sizes(reference, user);
    if (unfit < exercise->arguments &&
        reference_read_extents(reference, unfit).unknown == exercise->names)
        return reference_check_size(reference, user, unfit, error);
    if (unfit < exercise->arguments)
        return smc_fail(error, SMC_USAGE,
                        "%s has a multiple of %" PRIu64 " elements, but argument %zu has %" PRIu64,
                        exercise->argument[unfit].name,
                        reference_read_extents(reference, unfit).product,
                        reference->source[unfit] + 1, elements_of(reference, user, unfit));
    if (try_sizes(reference, user) == 0)
        return fail_sizes(reference, user, error);
    for (size_t i = 0; i < exercise->names; i++)
        if (!reference->is_known[i])
            return smc_fail(error, SMC_USAGE,
                            "%s does not follow from the sizes of the arrays: give it, as %s=64",
                            exercise->variable[i], exercise->variable[i]);
    for (size_t i = 0; i < exercise->arguments; i++)
        if (exercise->argument[i].extents > 0)
            SMC_TRY(reference_check_size(reference, user, i, error));
    return SMC_OK;
}

/* An array that receives what another one's contents become must be like it. */
static enum smc_status check_compared(const struct named_reference *reference,
                                      const struct smc_user_request *user, size_t compared,
                                      struct smc_error *error)
{
    const size_t from = reference->source[reference->exercise.result];
    const struct smc_user_argument *a = &user->argument[from], *b = &user->argument[compared];
    if (a->type == b->type && a->elements == b->elements)
        return SMC_OK;
    return smc_fail(error, SMC_USAGE,
                    "argument %zu has %" PRIu64 " elements of %s, but argument %zu %" PRIu64
                    " of %s",
                    from + 1, a->elements, smc_user_types[a->type].name, compared + 1, b->elements,
                    smc_user_types[b->type].name);
}

/* --- Its launch ------------------------------------------------------------------------------- */

static enum smc_status reference_prepare_launch(struct named_reference *reference,
                                                const struct smc_user_request *user,
                                                struct smc_error *error)
{
    const struct smc_exercise *exercise = &reference->exercise;
    const struct smc_exercise_request request = {
        .exercise = exercise,
        .device = user->device,
        .settings = &reference->settings,
        .builds = user->builds,
        .no_cache = user->no_cache,
    };
    smc_auto_text warnings = {0};
    char file[128];
    snprintf(file, sizeof file, "%.100s.cu", exercise->reference);
    SMC_TRY(smc_exercise_read_file(exercise, file, &reference->text, error));
    if (reference->text.failed)
        return smc_out_of_memory(error);
    SMC_TRY(smc_exercise_launch_prepare(&request, &reference->one, file,
                                        smc_text_string(&reference->text), &reference->launch,
                                        &warnings, error));
    if (reference->launch->run.answer.outcome != SMC_LAUNCHES)
        return smc_fail(error, SMC_USAGE, "%s does not launch on %s", file, user->device.name);
    return SMC_OK;
}

static enum smc_status compute_reference(struct smc_user_reference *base, struct smc_user_run *run,
                                         void *values, struct smc_error *error)
{
    struct named_reference *reference = (struct named_reference *)base;
    const struct smc_exercise *exercise = &reference->exercise;
    smc_auto_text warnings = {0};
    SMC_TRY(smc_exercise_make_memory(exercise, reference->launch, error));
    for (size_t i = 0; i < exercise->arguments; i++)
        if (exercise->argument[i].extents > 0) {
            const struct smc_user_memory *from =
                &run->memory[smc_user_memory_of(run, reference->source[i])];
            struct smc_user_memory *to = smc_exercise_memory(reference->launch, i);
            memcpy(to->before, from->before, to->bytes);
        }
    SMC_TRY(smc_exercise_launch_reference(exercise, reference->launch, &warnings, error));
    const struct smc_user_memory *result = smc_exercise_memory(reference->launch, exercise->result);
    memcpy(values, result->after_emulated, result->bytes);
    return SMC_OK;
}

static void free_reference(struct smc_user_reference *base)
{
    struct named_reference *reference = (struct named_reference *)base;
    smc_exercise_launch_free(reference->launch);
    smc_text_free(&reference->text);
    smc_exercise_free(&reference->exercise);
    free(reference);
}

static enum smc_status prepare_reference(struct named_reference *reference,
                                         const struct smc_user_request *user,
                                         const struct smc_user_expected *expected,
                                         struct smc_error *error)
{
    const char *settings = expected->name + reference_name_length(expected->name);
    smc_auto_free char *name = copy_name(expected->name);
    if (!name)
        return smc_out_of_memory(error);
    SMC_TRY(smc_exercise_read(find_exercise(name), &reference->exercise, error));
    reference->settings = *user->settings;
    reference->settings.place = SMC_ON_EMULATOR;
    reference->settings.annotation = NULL;
    reference->settings.progress = NULL;
    SMC_TRY(read_settings(reference, user, settings + (*settings == ':'), error));
    SMC_TRY(find_sources(reference, user, expected->argument, error));
    SMC_TRY(adapt_types(reference, user, error));
    SMC_TRY(reference_find_sizes(reference, user, error));
    SMC_TRY(check_compared(reference, user, expected->argument, error));
    return reference_prepare_launch(reference, user, error);
}

enum smc_status smc_named_references_prepare(struct smc_user_run *run, struct smc_error *error)
{
    for (size_t i = 0; i < run->request.expected_count; i++) {
        struct smc_user_expected *expected = &run->request.expected[i];
        if (!expected->name)
            continue;
        struct named_reference *reference = smc_calloc(1, sizeof *reference);
        if (!reference)
            return smc_out_of_memory(error);
        reference->base = (struct smc_user_reference){compute_reference, free_reference};
        expected->reference = &reference->base;
        SMC_TRY(smc_fail_in(error, prepare_reference(reference, &run->request, expected, error),
                            "option --expect: '%.128s'", expected->typed));
    }
    return SMC_OK;
}
