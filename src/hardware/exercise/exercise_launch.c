/* The launches of an exercise: their shapes and arguments from the task's expressions. */
#include "hardware/exercise/exercise_launch.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/expression.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/parse.h"
#include "hardware/executor/c_types.h"

/* --- Expressions ------------------------------------------------------------------------------ */

enum { EDGES = 3, MOST_MACROS = 16, MOST_VALUES = SMC_EXERCISE_MOST_NAMES + EDGES + MOST_MACROS };
enum { MOST_IN_BLOCK_Z = 64, MOST_GRID_YZ = 65535, MOST_NAME = 32 };

/* What expressions may name: the case's names, the edges of the block, and the source's macros. */
struct scope {
    struct smc_variable variable[MOST_VALUES + 1];
    int64_t value[MOST_VALUES];
    size_t count;
    char macro[MOST_MACROS][MOST_NAME];
    size_t macros;
};

static void scope_add(struct scope *scope, const char *name, int64_t value)
{
    scope->variable[scope->count] = (struct smc_variable){name, (uint32_t)scope->count};
    scope->value[scope->count++] = value;
}

static void scope_of_case(const struct smc_exercise *exercise, const struct smc_exercise_case *one,
                          struct scope *scope)
{
    *scope = (struct scope){.count = 0};
    for (size_t i = 0; i < exercise->names; i++)
        scope_add(scope, exercise->variable[i], one->value[i]);
}

static bool scope_has(const struct scope *scope, const char *name)
{
    for (size_t i = 0; i < scope->count; i++)
        if (strcmp(scope->variable[i].name, name) == 0)
            return true;
    return false;
}

/* "#define TILE 16". */
static void scope_add_macro(struct scope *scope, const char *line)
{
    char name[MOST_NAME], number[MOST_NAME];
    int64_t value;
    if (scope->macros < MOST_MACROS &&
        sscanf(line, " # define %31[A-Za-z0-9_] %31[0-9]", name, number) == 2 &&
        !scope_has(scope, name) && smc_parse_integer(number, 0, INT32_MAX, &value)) {
        memcpy(scope->macro[scope->macros], name, sizeof name);
        scope_add(scope, scope->macro[scope->macros++], value);
    }
}

enum smc_status smc_exercise_evaluate(const struct smc_exercise *exercise,
                                      const struct smc_exercise_case *one, const char *expression,
                                      int64_t *value, struct smc_error *error)
{
    struct scope scope;
    scope_of_case(exercise, one, &scope);
    return smc_expression_value(expression, scope.variable, scope.value, value, error);
}

/* --- Its shape -------------------------------------------------------------------------------- */

enum shape { BLOCK, GRID, SMEM, SHAPES };
static const char *const edge_names[EDGES] = {"bx", "by", "bz"};
static const char *const shape_names[SHAPES] = {"block", "grid", "smem"};

struct shapes {
    char text[SHAPES][256];
};

static void copy_part(const char *from, size_t length, char to[256])
{
    while (length > 0 && isspace((unsigned char)*from))
        from++, length--;
    while (length > 0 && isspace((unsigned char)from[length - 1]))
        length--;
    snprintf(to, 256, "%.*s", (int)(length < 255 ? length : 255), from);
}

/* "block = 32,8; smem = 4*bx". */
static enum smc_status read_launch_line(const char *at, size_t length, struct shapes *shapes,
                                        struct smc_error *error)
{
    for (const char *end = at + length; at < end;) {
        const char *part_end = memchr(at, ';', (size_t)(end - at));
        const char *sign;
        char name[256];
        size_t shape = 0;
        part_end = part_end ? part_end : end;
        sign = memchr(at, '=', (size_t)(part_end - at));
        copy_part(at, (size_t)((sign ? sign : part_end) - at), name);
        while (shape < SHAPES && strcmp(name, shape_names[shape]) != 0)
            shape++;
        if (*name && (!sign || shape == SHAPES))
            return smc_fail(error, SMC_USAGE,
                            "'// launch: %.64s' is not as 'block = 32,8; grid = (n+31)/32; smem = "
                            "4*bx'",
                            name);
        if (*name)
            copy_part(sign + 1, (size_t)(part_end - sign - 1), shapes->text[shape]);
        at = part_end + 1;
    }
    return SMC_OK;
}

/* The source's macros, and its own shape. */
static enum smc_status read_source(const char *source, struct scope *scope, struct shapes *shapes,
                                   struct smc_error *error)
{
    static const char mark[] = "launch:";
    for (const char *line = source; *line;) {
        const size_t length = strcspn(line, "\n");
        const char *at = line + strspn(line, " \t");
        if (*at == '#')
            scope_add_macro(scope, at);
        if (smc_begins(at, "//")) {
            at += 2 + strspn(at + 2, " \t");
            if (smc_begins(at, mark))
                SMC_TRY(read_launch_line(
                    at + strlen(mark), (size_t)(line + length - at) - strlen(mark), shapes, error));
        }
        line += length + (line[length] == '\n');
    }
    return SMC_OK;
}

static enum smc_status shape_launch(const struct smc_exercise *exercise, struct scope *scope,
                                    const char *source, struct smc_user_request *request,
                                    struct smc_error *error)
{
    const uint32_t threads = request->device.sm.max_threads_per_block;
    const int64_t most_threads[EDGES] = {threads, threads, MOST_IN_BLOCK_Z};
    const int64_t most_blocks[EDGES] = {INT32_MAX, MOST_GRID_YZ, MOST_GRID_YZ};
    struct shapes shapes;
    int64_t smem = 0;
    snprintf(shapes.text[BLOCK], sizeof *shapes.text, "%s", exercise->block);
    snprintf(shapes.text[GRID], sizeof *shapes.text, "%s", exercise->grid);
    snprintf(shapes.text[SMEM], sizeof *shapes.text, "%s", exercise->smem);
    enum smc_status status = read_source(source, scope, &shapes, error);
    if (status == SMC_OK)
        status = smc_expression_shape(shapes.text[BLOCK], scope->variable, scope->value,
                                      most_threads, request->block, error);
    for (int i = 0; i < EDGES && status == SMC_OK; i++)
        scope_add(scope, edge_names[i], request->block[i]);
    if (status == SMC_OK)
        status = smc_expression_shape(shapes.text[GRID], scope->variable, scope->value, most_blocks,
                                      request->grid, error);
    if (status == SMC_OK)
        status =
            smc_expression_value(shapes.text[SMEM], scope->variable, scope->value, &smem, error);
    if (status == SMC_OK && (smem < 0 || smem > INT32_MAX))
        status = smc_fail(error, SMC_USAGE, "'%.64s' is %" PRId64 " bytes of shared memory",
                          shapes.text[SMEM], smem);
    request->dynamic_smem_bytes = (uint32_t)smem;
    return smc_fail_in(error, status, "%.256s: the launch", request->file);
}

/* --- Its arguments ---------------------------------------------------------------------------- */

/* "f32x4096:random", "i32:64", as for --arg. */
static enum smc_status exercise_write_argument(const struct smc_exercise_argument *argument,
                                               const struct scope *scope, uint64_t *extent,
                                               struct smc_text *text, struct smc_error *error)
{
    int64_t elements = 1, value;
    if (argument->extents == 0) {
        enum smc_status status =
            smc_expression_value(argument->contents, scope->variable, scope->value, &value, error);
        smc_text_printf(text, "%s:%" PRId64, argument->type, value);
        return status;
    }
    for (size_t i = 0; i < argument->extents; i++) {
        SMC_TRY(smc_expression_value(argument->extent[i], scope->variable, scope->value, &value,
                                     error));
        if (value < 1 || __builtin_mul_overflow(elements, value, &elements))
            return smc_fail(error, SMC_USAGE, "argument %.64s: '%.64s' is %" PRId64, argument->name,
                            argument->extent[i], value);
        extent[i] = (uint64_t)value;
    }
    smc_text_printf(text, "%sx%" PRId64 ":%s", argument->type, elements, argument->contents);
    return SMC_OK;
}

static enum smc_status exercise_write_arguments(const struct smc_exercise *exercise,
                                                const struct scope *scope,
                                                struct smc_exercise_launch *launch,
                                                struct smc_error *error)
{
    enum smc_status status = SMC_OK;
    launch->request.argument_count = exercise->arguments;
    for (size_t i = 0; i < exercise->arguments && status == SMC_OK; i++) {
        struct smc_text *text = &launch->argument[i];
        status =
            exercise_write_argument(&exercise->argument[i], scope, launch->extent[i], text, error);
        if (status == SMC_OK && text->failed)
            return smc_out_of_memory(error);
        if (status == SMC_OK)
            status =
                smc_user_argument_parse(smc_text_string(text), &launch->request.argument[i], error);
    }
    return smc_fail_in(error, status, "exercise %.64s", exercise->name);
}

/* --- A source that is no solution ------------------------------------------------------------- */

/* "int *d, int n": the parameters that the task's kernel has. */
static void append_parameters(const struct smc_exercise_launch *launch,
                              const struct smc_exercise *exercise, struct smc_text *out)
{
    for (size_t i = 0; i < exercise->arguments; i++)
        smc_text_printf(out, "%s%s %s%s", i ? ", " : "",
                        smc_c_type_name(launch->request.argument[i].type),
                        exercise->argument[i].extents ? "*" : "", exercise->argument[i].name);
}

/* Of a source that was compiled: what of the task it lacks, in the task's words. Otherwise the
   reason is left as it is. */
static enum smc_status tell_what_is_wanted(const struct smc_exercise *exercise,
                                           struct smc_exercise_launch *launch,
                                           enum smc_status status, struct smc_error *error)
{
    const struct smc_inspect_kernels *kernels = &launch->run.kernels;
    const struct smc_inspect_kernel *kernel;
    const char *file = smc_file_name(smc_text_string(&launch->file));
    struct smc_error ignored = {""};
    smc_auto_text parameters = {0}, has = {0}, dropped_warnings = {0};
    append_parameters(launch, exercise, &parameters);
    for (size_t i = 0; i < kernels->count; i++)
        smc_text_printf(&has, "%s%s", i ? ", " : "", kernels->item[i].shown);
    if (status != SMC_USAGE || kernels->count == 0)
        ;
    else if (smc_user_choose(kernels, file, exercise->kernel, &kernel, &ignored) != SMC_OK)
        smc_fail(error, status,
                 "%.256s: the task needs one kernel %.64s(%.256s); the file has %.300s", file,
                 exercise->kernel, smc_text_string(&parameters), smc_text_string(&has));
    else if (launch->run.row.exceeds_bound)
        smc_fail(
            error, status,
            "%.256s: the launch has %u threads per block, more than the %u of the launch bounds "
            "of %.256s",
            file, launch->run.row.launch.threads_per_block, kernel->max_threads_per_block,
            kernel->shown);
    else if (kernel->ptx && smc_user_check_arguments(kernel->ptx->text, kernel, &launch->run,
                                                     &dropped_warnings, &ignored) != SMC_OK)
        smc_fail(error, status, "%.256s: %.256s does not have the task's parameters, %.64s(%.256s)",
                 file, kernel->shown, exercise->kernel, smc_text_string(&parameters));
    return status;
}

/* --- The launch ------------------------------------------------------------------------------- */

enum smc_status smc_exercise_launch_prepare(const struct smc_exercise_request *request,
                                            const struct smc_exercise_case *one, const char *file,
                                            const char *source, struct smc_exercise_launch **out,
                                            struct smc_text *warnings, struct smc_error *error)
{
    const struct smc_exercise *exercise = request->exercise;
    struct smc_exercise_launch *launch = *out = smc_calloc(1, sizeof *launch);
    struct scope scope;
    if (!launch)
        return smc_out_of_memory(error);
    smc_text_append(&launch->file, file);
    if (launch->file.failed)
        return smc_out_of_memory(error);
    launch->request = (struct smc_user_request){
        .file = smc_text_string(&launch->file),
        .source = source,
        .entry = exercise->kernel,
        .no_cache = request->no_cache,
        .builds = request->builds,
        .device = request->device,
        .without_time = true,
        .launch = SMC_LAUNCH_INIT,
        .settings = request->settings,
    };
    scope_of_case(exercise, one, &scope);
    SMC_TRY(exercise_write_arguments(exercise, &scope, launch, error));
    SMC_TRY(shape_launch(exercise, &scope, source, &launch->request, error));
    enum smc_status status = smc_user_prepare(&launch->request, &launch->run, warnings, error);
    return status == SMC_OK ? SMC_OK : tell_what_is_wanted(exercise, launch, status, error);
}

void smc_exercise_launch_free(struct smc_exercise_launch *launch)
{
    if (!launch)
        return;
    smc_user_free(&launch->run);
    smc_text_free(&launch->file);
    for (size_t i = 0; i < SMC_EXERCISE_MOST_ARGUMENTS; i++)
        smc_text_free(&launch->argument[i]);
    free(launch);
}

enum smc_status smc_exercise_launch_again(struct smc_exercise_launch *launch,
                                          struct smc_text *warnings, struct smc_error *error)
{
    for (size_t i = 0; i < launch->run.memory_count; i++) {
        free(launch->run.memory[i].sums);
        launch->run.memory[i].sums = NULL;
    }
    smc_text_free(&launch->run.printed);
    return smc_user_launch(&launch->run, warnings, error);
}

enum smc_status smc_exercise_make_memory(const struct smc_exercise *exercise,
                                         struct smc_exercise_launch *launch,
                                         struct smc_error *error)
{
    enum smc_status status = smc_user_make_memory(&launch->run, error);
    launch->run.has_memory = status == SMC_OK;
    for (size_t i = 0; i < exercise->arguments && status == SMC_OK; i++)
        if (exercise->argument[i].extents > 0) {
            struct smc_user_memory *memory = smc_exercise_memory(launch, i);
            snprintf(memory->name, sizeof memory->name, "%.31s", exercise->argument[i].name);
        }
    return status;
}

bool smc_exercise_has_fault(const struct smc_emulated_run *emulated)
{
    for (size_t i = 0; i < emulated->finding_count; i++)
        if (!emulated->finding[i].finding.is_note)
            return true;
    return false;
}

enum smc_status smc_exercise_launch_reference(const struct smc_exercise *exercise,
                                              struct smc_exercise_launch *launch,
                                              struct smc_text *warnings, struct smc_error *error)
{
    SMC_TRY(smc_user_launch(&launch->run, warnings, error));
    const struct smc_emulated_run *emulated = &launch->run.result.emulated;
    if (emulated->stopped)
        return smc_fail(error, SMC_INTERRUPTED, "interrupted");
    if (!emulated->finish.succeeded || smc_exercise_has_fault(emulated))
        return smc_fail(error, SMC_USAGE, "exercise %.64s: %.64s.cu has a fault: %.600s",
                        exercise->name, exercise->reference,
                        emulated->finding_count ? emulated->finding[0].text
                                                : emulated->finish.message);
    return SMC_OK;
}

struct smc_user_memory *smc_exercise_memory(struct smc_exercise_launch *launch, size_t argument)
{
    return &launch->run.memory[smc_user_memory_of(&launch->run, argument)];
}
