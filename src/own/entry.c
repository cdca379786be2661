/* Which kernel of a source is meant, and whether the arguments fit it. */
#include "own/entry.h"

#include <stdio.h>
#include <string.h>

#include "compile/ptx.h"
#include "executor/own.h"

/* --- The kernel ------------------------------------------------------------------------------- */

static bool begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* "void scale<int>(int*)" is called scale<int>, "scale(float*)" scale. */
static bool has_source_name(const char *shown, const char *entry)
{
    static const char result[] = "void ";
    if (begins(shown, result))
        shown += strlen(result);
    size_t length = strlen(entry);
    return strncmp(shown, entry, length) == 0 && (shown[length] == '(' || shown[length] == '<');
}

/* For a build without a demangler: _Z5scalePf. */
static bool has_plain_name(const char *name, const char *entry)
{
    char start[32];
    snprintf(start, sizeof start, "_Z%zu", strlen(entry));
    return begins(name, start) && begins(name + strlen(start), entry);
}

static bool is_meant(const struct smc_inspect_kernel *kernel, const char *entry)
{
    return strcmp(kernel->name, entry) == 0 || strcmp(kernel->shown, entry) == 0 ||
           has_source_name(kernel->shown, entry) || has_plain_name(kernel->name, entry);
}

static enum smc_status fail_choice(const struct smc_inspect_kernels *kernels, const char *file,
                                   const char *entry, bool several, struct smc_error *error)
{
    struct smc_text list = {0};
    for (size_t i = 0; i < kernels->count; i++)
        smc_text_printf(&list, "%s%s", i ? ", " : "", kernels->item[i].shown);
    if (!entry)
        smc_fail(error, SMC_USAGE, "option --entry: needed to choose a kernel of %.256s: %.640s",
                 file, smc_text_string(&list));
    else
        smc_fail(error, SMC_USAGE, "option --entry: '%.128s' is %s of %.256s, which has %.512s",
                 entry, several ? "more than one kernel" : "no kernel", file,
                 smc_text_string(&list));
    smc_text_free(&list);
    return SMC_USAGE;
}

enum smc_status smc_own_choose(const struct smc_inspect_kernels *kernels, const char *file,
                               const char *entry, const struct smc_inspect_kernel **kernel,
                               struct smc_error *error)
{
    size_t found = 0;
    if (kernels->count == 0)
        return smc_fail(
            error, SMC_USAGE,
            "%s: no __global__ function in it; of a template only what is instantiated is one",
            file);
    for (size_t i = 0; i < kernels->count; i++) {
        if (entry && !is_meant(&kernels->item[i], entry))
            continue;
        if (entry && strcmp(kernels->item[i].name, entry) == 0)
            found = 0; /* the exact name goes before all others */
        if (found++ == 0)
            *kernel = &kernels->item[i];
        if (entry && strcmp(kernels->item[i].name, entry) == 0)
            break;
    }
    return found == 1 ? SMC_OK : fail_choice(kernels, file, entry, found > 1, error);
}

/* --- Its parameters --------------------------------------------------------------------------- */

/* A structure of the size of a number takes one: that is how PTX passes half. */
static bool fits(const struct smc_ptx_param *param, const struct smc_own_argument *argument)
{
    const struct smc_own_type_info *type = &smc_own_types[argument->type];
    if (argument->is_buffer)
        return param->bytes == sizeof(uint64_t) && !param->is_array && param->type[0] != 'f';
    bool is_float = param->type[0] == 'f', untyped = param->type[0] == 'b';
    return param->bytes == type->bytes && (untyped || is_float == (type->class == SMC_OWN_FLOAT));
}

/* "it takes a number of type f32". */
static void describe_param(const struct smc_ptx_param *param, struct smc_text *text)
{
    struct smc_own_argument trial = {.is_buffer = true};
    size_t before = text->length;
    if (fits(param, &trial))
        smc_text_append(text, "it takes memory (f32x1024:random) or a number of type ");
    else
        smc_text_append(text, "it takes a number of type ");
    size_t names = text->length;
    trial.is_buffer = false;
    for (int i = 0; i < SMC_OWN_TYPE_COUNT; i++) {
        trial.type = (enum smc_own_type)i;
        if (fits(param, &trial))
            smc_text_printf(text, "%s%s", text->length > names ? " or " : "",
                            smc_own_types[i].name);
    }
    if (text->length == names) {
        text->length = before;
        smc_text_printf(text, "a structure of %llu bytes is what no --arg can pass",
                        (unsigned long long)param->bytes);
    }
}

static enum smc_status fail_param(const struct smc_ptx_param *param, size_t number,
                                  const struct smc_inspect_kernel *kernel,
                                  const struct smc_own_argument *argument, struct smc_error *error)
{
    struct smc_text wanted = {0};
    describe_param(param, &wanted);
    smc_fail(error, SMC_USAGE,
             "option --arg: '%.64s' does not fit parameter %zu of %.256s (.%s): %s",
             argument->typed, number, kernel->shown, param->type, smc_text_string(&wanted));
    smc_text_free(&wanted);
    return SMC_USAGE;
}

static enum smc_status fail_count(const struct smc_ptx_param *params, size_t param_count,
                                  const struct smc_inspect_kernel *kernel, size_t count,
                                  struct smc_error *error)
{
    struct smc_text wanted = {0};
    for (size_t i = 0; i < param_count && i < SMC_MAX_OWN_ARGUMENTS; i++)
        smc_text_printf(&wanted, "%s.%s", i ? ", " : ": ", params[i].type);
    smc_fail(error, SMC_USAGE, "option --arg: %zu given, but %.256s has %zu parameter%s%.400s",
             count, kernel->shown, param_count, smc_text_plural(param_count),
             smc_text_string(&wanted));
    smc_text_free(&wanted);
    return SMC_USAGE;
}

enum smc_status smc_own_check_arguments(const char *ptx, const struct smc_inspect_kernel *kernel,
                                        const struct smc_own_argument *arguments, size_t count,
                                        struct smc_error *error)
{
    struct smc_ptx_kernel read;
    struct smc_ptx_param params[SMC_MAX_OWN_ARGUMENTS];
    while (smc_ptx_next(&ptx, &read)) {
        if (strlen(kernel->name) != read.name_length ||
            memcmp(kernel->name, read.name, read.name_length) != 0)
            continue;
        size_t param_count = smc_ptx_params(&read, params, SMC_MAX_OWN_ARGUMENTS);
        if (param_count != count)
            return fail_count(params, param_count, kernel, count, error);
        for (size_t i = 0; i < count; i++)
            if (!fits(&params[i], &arguments[i]))
                return fail_param(&params[i], i + 1, kernel, &arguments[i], error);
        return SMC_OK;
    }
    return smc_fail(error, SMC_UNAVAILABLE, "%s: this NVRTC gives no PTX", kernel->file);
}
