/* The shapes of a user's kernel: their launches from expressions, their times, their results. */
#include "hardware/tuning_source.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/expression.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "code/inputs.h"

enum { MOST_IN_Z = 64, MOST_GRID_YZ = 65535 };

#define WORD "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"

void smc_tuned_source_free(struct smc_tuned_source *source)
{
    for (size_t i = 0; i < SMC_MAX_USER_MEMORIES; i++)
        free(source->after[i]);
    *source = (struct smc_tuned_source){.has_first = false};
}

enum smc_status smc_tuning_add_macro(struct smc_tune *tune, const struct smc_tune_axis *axis,
                                     struct smc_error *error)
{
    if (strchr(axis->name, '-'))
        return smc_fail(error, SMC_USAGE, "'%s' is not the name of a macro", axis->name);
    struct smc_tune_axis added = *axis;
    added.kind = SMC_TUNE_MACRO;
    return smc_tune_append_axis(tune, &added, error);
}

/* --- Expressions ------------------------------------------------------------------------------ */

/* The names that expressions may use, and a shape's values. */
struct values {
    struct smc_variable variable[SMC_TUNE_MOST_AXES + 1];
    const int64_t *value;
};

static void name_values(const struct smc_tune *tune, const int64_t *value, struct values *values)
{
    *values = (struct values){.value = value};
    for (size_t i = 0; i < tune->axis_count; i++)
        values->variable[i] = (struct smc_variable){tune->axis[i].name, (uint32_t)i};
}

/* "i32:4096/TM" becomes "i32:512", "f32xTM*1024:random" "f32x8192:random". An argument that needs
   no expression stays as it is. */
static enum smc_status tuning_source_read_argument(const struct values *values, const char *typed,
                                                   struct smc_text *text,
                                                   struct smc_user_argument *argument,
                                                   struct smc_error *error)
{
    int64_t number;
    char part[256];
    size_t type = strcspn(typed, ":x");
    if (smc_user_argument_parse(typed, argument, error) == SMC_OK)
        return SMC_OK;
    const char *start = typed + type + (typed[type] != '\0');
    bool is_memory = typed[type] == 'x';
    size_t length = is_memory ? strcspn(start, ":") : strlen(start);
    snprintf(part, sizeof part, "%.*s", (int)length, start);
    if (!typed[type] || length == 0)
        return smc_fail_in(error, SMC_USAGE, "option --arg");
    if (smc_expression_value(part, values->variable, values->value, &number, error) != SMC_OK)
        return smc_fail_in(error, SMC_USAGE, "option --arg: '%.64s'", typed);
    smc_text_printf(text, "%.*s%c%" PRId64 "%s", (int)type, typed, typed[type], number,
                    start + length);
    if (text->failed)
        return smc_out_of_memory(error);
    *error = (struct smc_error){""}; /* of the first attempt */
    return smc_fail_in(error, smc_user_argument_parse(smc_text_string(text), argument, error),
                       "option --arg");
}

/* One shape's launch; its texts are its own. */
struct launch {
    struct smc_user_request request;
    struct smc_text options;
    struct smc_text argument[SMC_MAX_USER_ARGUMENTS];
};

static void tuning_source_free_launch(struct launch *launch)
{
    smc_text_free(&launch->options);
    for (size_t i = 0; i < SMC_MAX_USER_ARGUMENTS; i++)
        smc_text_free(&launch->argument[i]);
    free(launch);
}

static void define_macros(const struct smc_tune *tune, const int64_t *value, struct launch *launch)
{
    const char *options = launch->request.compiler_options;
    smc_text_append(&launch->options, options ? options : "");
    for (size_t i = 0; i < tune->axis_count; i++)
        if (tune->axis[i].kind == SMC_TUNE_MACRO)
            smc_text_printf(&launch->options, " -D%s=%" PRId64, tune->axis[i].name, value[i]);
    launch->request.compiler_options = smc_text_string(&launch->options);
}

static enum smc_status tuning_source_read_launch(const struct smc_tune *tune, const int64_t *value,
                                                 struct launch *launch, struct smc_error *error)
{
    const struct smc_tuned_source *source = tune->context;
    struct smc_user_request *request = &launch->request;
    const uint32_t most = source->request.device.sm.max_threads_per_block;
    const int64_t most_threads[3] = {most, most, MOST_IN_Z};
    const int64_t most_blocks[3] = {INT32_MAX, MOST_GRID_YZ, MOST_GRID_YZ};
    struct values values;
    int64_t dynamic_smem = 0;
    *request = source->request;
    name_values(tune, value, &values);
    define_macros(tune, value, launch);
    SMC_TRY(smc_fail_in(error,
                        smc_expression_shape(source->grid, values.variable, value, most_blocks,
                                             request->grid, error),
                        "option --grid"));
    SMC_TRY(smc_fail_in(error,
                        smc_expression_shape(source->block, values.variable, value, most_threads,
                                             request->block, error),
                        "option --block"));
    uint64_t threads = (uint64_t)request->block[0] * request->block[1] * request->block[2];
    if (threads > most)
        return smc_fail(error, SMC_USAGE,
                        "option --block: '%.64s' has %" PRIu64 " threads, more than %u",
                        source->block, threads, most);
    if (source->dynamic_smem && smc_expression_value(source->dynamic_smem, values.variable, value,
                                                     &dynamic_smem, error) != SMC_OK)
        return smc_fail_in(error, SMC_USAGE, "option --dynamic-smem");
    if (dynamic_smem < 0 || dynamic_smem > INT32_MAX)
        return smc_fail(error, SMC_USAGE, "option --dynamic-smem: '%.64s' is %" PRId64 " bytes",
                        source->dynamic_smem, dynamic_smem);
    request->dynamic_smem_bytes = (uint32_t)dynamic_smem;
    request->argument_count = source->argument_count;
    for (size_t i = 0; i < source->argument_count; i++)
        SMC_TRY(tuning_source_read_argument(&values, source->argument[i], &launch->argument[i],
                                            &request->argument[i], error));
    if (launch->options.failed)
        return smc_out_of_memory(error);
    return SMC_OK;
}

bool smc_tuning_is_source_legal(const struct smc_tune *tune, const int64_t *value,
                                struct smc_error *why)
{
    struct launch *launch = smc_calloc(1, sizeof *launch);
    if (!launch)
        return smc_out_of_memory(why) == SMC_OK;
    bool legal = tuning_source_read_launch(tune, value, launch, why) == SMC_OK;
    tuning_source_free_launch(launch);
    return legal;
}

/* The name is a word of the expression, which begins after the type in an argument. */
static bool tuning_source_names(const char *expression, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = expression; at && *at;) {
        const size_t word = strspn(at, WORD);
        if (word == length && memcmp(at, name, length) == 0)
            return true;
        at += word + (at[word] != '\0');
    }
    return false;
}

static bool tuning_source_launch_names(const struct smc_tuned_source *source, const char *name)
{
    bool found = tuning_source_names(source->grid, name) ||
                 tuning_source_names(source->block, name) ||
                 tuning_source_names(source->dynamic_smem, name);
    for (size_t i = 0; i < source->argument_count && !found; i++) {
        const char *typed = source->argument[i];
        found = tuning_source_names(typed + strcspn(typed, ":x"), name) ||
                tuning_source_names(strchr(typed, 'x') ? strchr(typed, 'x') + 1 : NULL, name);
    }
    return found;
}

enum smc_status smc_tuning_check_file(const struct smc_tune *tune, struct smc_error *error)
{
    smc_auto_text text = {0};
    SMC_TRY(smc_input_read(tune->source, &text, error));
    const enum smc_input_kind kind = smc_input_kind(tune->source, &text);
    if (kind != SMC_INPUT_PTX && kind != SMC_INPUT_CUBIN && kind != SMC_INPUT_EMBEDDED)
        return SMC_OK;
    for (size_t i = 0; i < tune->axis_count; i++)
        if (!tuning_source_launch_names(tune->context, tune->axis[i].name))
            return smc_fail(error, SMC_USAGE,
                            "option --vary: '%s' changes nothing: %.512s is compiled already, and "
                            "neither --grid, --block, --dynamic-smem nor --arg names it",
                            tune->axis[i].name, smc_file_name(tune->source));
    return SMC_OK;
}

/* --- Predictions ------------------------------------------------------------------------------ */

/* A prepared shape. */
struct prepared {
    struct launch *launch;
    struct smc_user_run *run;
};

static void free_prepared(struct prepared *prepared)
{
    if (prepared->run)
        smc_user_free(prepared->run);
    if (prepared->launch)
        tuning_source_free_launch(prepared->launch);
    free(prepared->run);
}

static enum smc_status tuning_source_prepare(const struct smc_tune *tune,
                                             const struct smc_tune_shape *shape,
                                             const struct smc_run_settings *settings,
                                             struct prepared *out, struct smc_text *warnings,
                                             struct smc_error *error)
{
    *out = (struct prepared){smc_calloc(1, sizeof *out->launch), smc_calloc(1, sizeof *out->run)};
    if (!out->launch || !out->run)
        return smc_out_of_memory(error);
    SMC_TRY(tuning_source_read_launch(tune, shape->value, out->launch, error));
    out->launch->request.settings = settings;
    out->launch->request.ceilings = tune->query.ceilings;
    return smc_user_prepare(&out->launch->request, out->run, warnings, error);
}

/* Of the code, by its PTX if there is any, and of what the launch gives it. */
static uint64_t hash_launch(const struct smc_user_run *run)
{
    const struct smc_user_request *request = &run->request;
    const struct smc_binary *binary = &run->compiled.binary;
    const bool has_ptx = binary->ptx_bytes > 0;
    uint64_t hash = smc_hash(SMC_HASH_START, has_ptx ? binary->ptx : binary->cubin,
                             has_ptx ? binary->ptx_bytes : binary->cubin_bytes);
    hash = smc_hash(hash, request->grid, sizeof request->grid);
    hash = smc_hash(hash, request->block, sizeof request->block);
    hash = smc_hash(hash, &request->dynamic_smem_bytes, sizeof request->dynamic_smem_bytes);
    for (size_t i = 0; i < request->argument_count; i++)
        hash = smc_hash(hash, request->argument[i].typed, strlen(request->argument[i].typed) + 1);
    return hash;
}

enum smc_status smc_tuning_predict_source(const struct smc_tune *tune, struct smc_tune_shape *shape,
                                          struct smc_text *warnings, struct smc_error *error)
{
    struct prepared prepared;
    struct smc_error why = {""};
    enum smc_status status = tuning_source_prepare(tune, shape, NULL, &prepared, warnings, &why);
    if (status == SMC_OK) {
        smc_tune_note(&prepared.run->answer, shape);
        shape->launch_hash = hash_launch(prepared.run);
    } else {
        shape->state = SMC_TUNE_FAILED;
        shape->failure = status;
        snprintf(shape->why, sizeof shape->why, "%.199s", why.message);
        *error = why;
    }
    free_prepared(&prepared);
    return status == SMC_MACHINE ? status : SMC_OK;
}

/* --- Runs ------------------------------------------------------------------------------------- */

/* The order of additions differs from shape to shape. */
static uint64_t count_different(const struct smc_user_argument *argument, const void *a,
                                const void *b)
{
    static const double share = 1e-3;
    struct smc_agreement same;
    double largest = 0;
    uint64_t different = 0;
    smc_user_compare(argument, a, b, &same);
    if (same.differing == 0 || smc_user_types[argument->type].class != SMC_USER_FLOAT)
        return same.differing;
    for (uint64_t i = 0; i < argument->elements; i++) {
        double value = fabs(smc_user_number(argument->type, a, i));
        largest = isfinite(value) && value > largest ? value : largest;
    }
    for (uint64_t i = 0; i < argument->elements; i++) {
        double x = smc_user_number(argument->type, a, i), y = smc_user_number(argument->type, b, i);
        bool close = fabs(x - y) <= share * largest || (isnan(x) && isnan(y)) || x == y;
        different += !close;
    }
    return different;
}

/* Whether memory has the same size in every shape decides whether it can be compared. */
static void compare_with_first(const struct smc_tune *tune, const struct smc_user_run *run,
                               struct smc_tune_shape *shape)
{
    struct smc_tuned_source *source = tune->context;
    smc_auto_text first = {0};
    uint64_t different = 0;
    for (size_t i = 0; i < run->memory_count; i++) {
        const struct smc_user_memory *memory = &run->memory[i];
        void **after = &source->after[i];
        if (!source->has_first) {
            *after = smc_malloc(memory->bytes + sizeof memory->bytes);
            if (!*after)
                continue;
            memcpy(*after, &memory->bytes, sizeof memory->bytes);
            memcpy((char *)*after + sizeof memory->bytes, memory->after_gpu, memory->bytes);
        } else if (*after && memcmp(*after, &memory->bytes, sizeof memory->bytes) == 0) {
            different += count_different(memory->argument, (char *)*after + sizeof memory->bytes,
                                         memory->after_gpu);
        }
    }
    if (!source->has_first)
        memcpy(source->first, shape->value, sizeof source->first);
    source->has_first = true;
    if (different == 0)
        return;
    for (size_t i = 0; i < tune->axis_count; i++)
        smc_text_printf(&first, " %s=%" PRId64, tune->axis[i].name, source->first[i]);
    shape->wrong = true;
    snprintf(shape->why, sizeof shape->why, "%" PRIu64 " element%s from those of%.120s", different,
             different == 1 ? " differs" : "s differ", smc_text_string(&first));
}

enum smc_status smc_tuning_run_source(const struct smc_tune *tune, struct smc_tune_shape *shape,
                                      const struct smc_run_settings *settings,
                                      struct smc_text *warnings, struct smc_error *error)
{
    struct prepared prepared;
    enum smc_status status =
        tuning_source_prepare(tune, shape, settings, &prepared, warnings, error);
    if (status == SMC_OK)
        status = smc_user_launch(prepared.run, warnings, error);
    if (status == SMC_OK) {
        const struct smc_run_result *result = &prepared.run->result;
        smc_tuning_note(result, shape);
        if (shape->measured)
            compare_with_first(tune, prepared.run, shape);
        if (result->finish.made && !result->finish.succeeded)
            status = smc_fail(error, SMC_MACHINE, "%s", result->finish.message);
    }
    free_prepared(&prepared);
    return status;
}
