/* The parameters of the user's kernel, as the source declares them, and whether the arguments fit.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "code/machine_code.h"
#include "code/ptx_facts.h"
#include "code/source_tree.h"
#include "hardware/executor/c_types.h"
#include "hardware/user.h"

/* A parameter as PTX and C++ declare it. */
struct parameter {
    struct smc_ptx_variable ptx;
    char declared[128]; /* "const float *a", or without the source "float const*", or ".u64" */
    struct smc_c_type type;
    bool is_known;      /* its type is one of C's */
    bool has_size_only; /* of machine code: it may be a structure */
};

/* --- Declarations ----------------------------------------------------------------------------- */

/* The parameter list of "void scale<int>(float const*, int)", after its '('; NULL: it has none. */
static const char *find_list(const char *shown)
{
    size_t length = strlen(shown), depth = 0;
    for (size_t i = length; i > 0 && length > 0 && shown[length - 1] == ')'; i--) {
        depth += shown[i - 1] == ')';
        if (shown[i - 1] == '(' && --depth == 0)
            return shown + i;
    }
    return NULL;
}

/* The length of the parameter at the beginning, up to the ',' or ')' after it. */
static size_t parameter_length(const char *text)
{
    size_t depth = 0, i = 0;
    for (; text[i] && (depth > 0 || (text[i] != ',' && text[i] != ')')); i++) {
        depth += strchr("(<[", text[i]) != NULL;
        depth -= depth > 0 && strchr(")>]", text[i]);
    }
    return i;
}

/* What the demangled name has, which also knows the types behind aliases and template parameters.
 */
static void read_shown(const char *shown, struct parameter *parameters, size_t count)
{
    const char *text = find_list(shown);
    for (size_t i = 0; text && i < count && *text; i++) {
        text += strspn(text, ", ");
        size_t length = parameter_length(text);
        struct parameter *parameter = &parameters[i];
        if (length == 0)
            return;
        if (length < sizeof parameter->declared)
            snprintf(parameter->declared, sizeof parameter->declared, "%.*s", (int)length, text);
        parameter->is_known = smc_c_type_read(parameter->declared, &parameter->type) > 0;
        text += length;
    }
}

/* The source has the names, and the types where the name of the kernel has none. */
static void user_parameters_read_source(const char *list, struct parameter *parameters,
                                        size_t count)
{
    for (size_t i = 0; i < count && *list; i++) {
        struct parameter *parameter = &parameters[i];
        size_t length = strcspn(list, "\n");
        char compiled[sizeof parameter->declared];
        struct smc_c_type type;
        memcpy(compiled, parameter->declared, sizeof compiled);
        snprintf(parameter->declared, sizeof parameter->declared, "%.*s", (int)length, list);
        bool is_known = smc_c_type_read(parameter->declared, &type) > 0;
        if (is_known && (!parameter->is_known || type.is_texture || type.is_surface))
            parameter->type = type;
        else if (!is_known && parameter->is_known) /* an alias or a template's parameter */
            snprintf(parameter->declared, sizeof parameter->declared, "%.*s (%.60s)",
                     (int)(length < 60 ? length : 60), list, compiled);
        parameter->is_known |= is_known;
        list += length + (list[length] == '\n');
    }
}

static size_t user_read_parameters(const struct smc_ptx_kernel *read,
                                   const struct smc_inspect_kernel *kernel,
                                   struct parameter parameters[SMC_MAX_USER_ARGUMENTS])
{
    struct smc_ptx_variable ptx[SMC_MAX_USER_ARGUMENTS];
    size_t count = smc_ptx_params(read, ptx, SMC_MAX_USER_ARGUMENTS);
    size_t kept = count < SMC_MAX_USER_ARGUMENTS ? count : SMC_MAX_USER_ARGUMENTS;
    for (size_t i = 0; i < kept; i++) {
        parameters[i] = (struct parameter){.ptx = ptx[i]};
        snprintf(parameters[i].declared, sizeof parameters[i].declared, ".%.7s", ptx[i].type);
    }
    read_shown(kernel->shown, parameters, kept);
    return count;
}

/* For messages: the names in the source, too. */
static void name_parameters(const struct smc_user_run *run, const struct smc_inspect_kernel *kernel,
                            struct parameter *parameters, size_t count)
{
    SMC_AUTO(smc_source_tree_free) struct smc_source_tree tree = {0};
    smc_auto_text list = {0};
    struct smc_error ignored;
    if (smc_source_tree_read(run->request.file, smc_text_string(&run->text),
                             run->request.compiler_options, "", &tree, &ignored) == SMC_OK)
        smc_source_tree_parameters(&tree, kernel->name, kernel->shown, &list);
    user_parameters_read_source(smc_text_string(&list), parameters, count);
}

/* --- Arguments -------------------------------------------------------------------------------- */

/* A structure of the size of a number accepts one, because PTX passes half this way. */
static bool fits(const struct smc_ptx_variable *param, const struct smc_user_argument *argument)
{
    const struct smc_user_type_info *type = &smc_user_types[argument->type];
    if (argument->form == SMC_USER_BYTES)
        return param->is_array; /* the length of the file is known when it is read */
    if (argument->form == SMC_USER_TENSOR_MAP)
        return param->is_array && param->bytes == SMC_TENSOR_MAP_BYTES;
    if (argument->form == SMC_USER_STRUCT) {
        uint64_t unit = argument->align > param->align ? argument->align : param->align;
        return param->is_array && (argument->bytes + unit - 1) / unit * unit == param->bytes;
    }
    if (smc_user_is_pointer(argument))
        return param->bytes == sizeof(uint64_t) && !param->is_array && param->type[0] != 'f';
    bool is_float = param->type[0] == 'f', untyped = param->type[0] == 'b';
    return param->bytes == type->bytes && (untyped || is_float == (type->class == SMC_USER_FLOAT));
}

static bool fits_parameter(const struct parameter *parameter,
                           const struct smc_user_argument *argument)
{
    struct smc_ptx_variable structure = parameter->ptx;
    structure.is_array = true;
    return fits(&parameter->ptx, argument) ||
           (parameter->has_size_only && fits(&structure, argument));
}

/* Whether the source has its type, and that is a number. */
static bool is_number(const struct parameter *parameter)
{
    return parameter->is_known && parameter->type.pointers == 0 && parameter->type.lanes <= 1;
}

/* A number whose type was not typed has the parameter's, as in a call of C++. */
static void convert_literal(const struct parameter *parameter, struct smc_user_argument *argument)
{
    const struct smc_user_argument typed = *argument;
    const struct smc_c_type *type = &parameter->type;
    if (parameter->is_known && !is_number(parameter))
        return;
    for (int i = 0; i < SMC_USER_TYPE_COUNT; i++) {
        enum smc_user_type trial = parameter->is_known ? type->type : (enum smc_user_type)i;
        argument->type = trial;
        if ((parameter->is_known || !parameter->ptx.is_array) && fits(&parameter->ptx, argument) &&
            smc_user_convert_literal(trial, argument))
            return;
        *argument = typed;
    }
}

/* A type that the PTX declaration allows. */
static struct smc_c_type guess_type(const struct smc_ptx_variable *ptx)
{
    struct smc_c_type type = {.type = SMC_USER_F32, .lanes = 1, .pointers = 1};
    struct smc_user_argument number = {.form = SMC_USER_PLAIN};
    if (ptx->bytes == sizeof(uint64_t) && ptx->type[0] != 'f')
        return type;
    type.pointers = 0;
    for (int i = SMC_USER_TYPE_COUNT - 1; i >= 0; i--) {
        number.type = (enum smc_user_type)i;
        if (fits(ptx, &number))
            type.type = number.type;
    }
    return type;
}

static bool example_fits(const struct smc_text *example, const struct smc_ptx_variable *ptx)
{
    struct smc_user_argument argument;
    struct smc_error ignored;
    return smc_user_argument_parse(smc_text_string(example), &argument, &ignored) == SMC_OK &&
           fits(ptx, &argument);
}

/* Appends "-a f32x1024:random", an argument that fits. */
static void user_parameters_append_example(const struct parameter *parameter, struct smc_text *text)
{
    const struct smc_ptx_variable *ptx = &parameter->ptx;
    const struct smc_c_type guessed = guess_type(ptx);
    smc_auto_text example = {0};
    smc_c_type_example(parameter->is_known ? &parameter->type : &guessed, &example);
    if (!example_fits(&example, ptx)) { /* a structure of any kind */
        const uint64_t unit = ptx->align > 8 ? 8 : ptx->align > 0 ? ptx->align : 1;
        smc_text_free(&example);
        smc_text_printf(&example, "{%" PRIu64 "*u%" PRIu64 ":0}", ptx->bytes / unit, 8 * unit);
    }
    const char *quote = strpbrk(smc_text_string(&example), "{[") ? "'" : "";
    smc_text_printf(text, "-a %s%s%s", quote, smc_text_string(&example), quote);
}

static enum smc_status fail_param(const struct parameter *parameter, size_t number,
                                  const struct smc_inspect_kernel *kernel,
                                  const struct smc_user_argument *argument, struct smc_error *error)
{
    smc_auto_text example = {0};
    char size[48] = "", structure[64] = "";
    const bool may_hold_map = parameter->ptx.align >= SMC_TENSOR_MAP_ALIGN;
    bool has_members = parameter->ptx.is_array && !parameter->is_known;
    if (argument->is_literal && is_number(parameter)) {
        char range[SMC_USER_RANGE];
        smc_user_describe_range(parameter->type.type, range);
        smc_text_append(&example, range);
    } else {
        user_parameters_append_example(parameter, &example);
    }
    if (argument->form == SMC_USER_STRUCT)
        snprintf(size, sizeof size, ", of %llu byte%s,", (unsigned long long)argument->bytes,
                 smc_text_plural(argument->bytes));
    if (has_members)
        snprintf(structure, sizeof structure, ", a structure of %" PRIu64 " byte%s",
                 parameter->ptx.bytes, smc_text_plural(parameter->ptx.bytes));
    smc_fail(error, SMC_USAGE,
             "option --arg: '%.64s'%s does not fit parameter %zu of %.256s, '%s'%s: write %s%s%s",
             argument->typed, size, number, kernel->shown, parameter->declared, structure,
             smc_text_string(&example),
             has_members ? ", or its members with their values, or struct:FILE" : "",
             has_members && may_hold_map ? "; a CUtensorMap is tmap:f16x64x64:box=64x64" : "");
    return SMC_USAGE;
}

static enum smc_status fail_count(const struct parameter *parameters, size_t param_count,
                                  const struct smc_inspect_kernel *kernel, size_t count,
                                  struct smc_error *error)
{
    smc_auto_text wanted = {0}, example = {0};
    for (size_t i = 0; i < param_count && i < SMC_MAX_USER_ARGUMENTS; i++) {
        smc_text_printf(&wanted, "%s%s", i ? ", " : ": ", parameters[i].declared);
        smc_text_append(&example, i ? " " : "; such as ");
        user_parameters_append_example(&parameters[i], &example);
    }
    return smc_fail(error, SMC_USAGE,
                    "option --arg: %zu given, but %.256s has %zu parameter%s%.320s%.320s", count,
                    kernel->shown, param_count, smc_text_plural(param_count),
                    smc_text_string(&wanted), smc_text_string(&example));
}

/* Bits on purpose, such as packed weights in an array of half: unsigned integers of the same size
   whose values were stated. */
static bool are_bits(const struct smc_user_type_info *given,
                     const struct smc_user_type_info *wanted,
                     const struct smc_user_argument *argument)
{
    return given->class == SMC_USER_UNSIGNED && given->bytes == wanted->bytes &&
           (argument->filling == SMC_USER_NUMBER || argument->is_bounded);
}

/* Whether the kernel reads the elements as another type. Arrays of bytes may hold any type, and
   kernels copy other types as int4, uint2 and the like. */
static bool has_other_elements(const struct parameter *parameter,
                               const struct smc_user_argument *argument)
{
    const struct smc_user_type_info *given = &smc_user_types[argument->type];
    const struct smc_user_type_info *wanted = &smc_user_types[parameter->type.type];
    const bool is_zero = argument->filling == SMC_USER_NUMBER && argument->bits == 0;
    const bool is_written = argument->form == SMC_USER_PLAIN && argument->is_buffer &&
                            argument->filling != SMC_USER_FILE;
    if (!is_written || is_zero || !parameter->is_known || parameter->type.pointers != 1 ||
        wanted->bytes == 1 || given->bytes == 1 || are_bits(given, wanted, argument) ||
        (parameter->type.lanes > 1 && wanted->class != SMC_USER_FLOAT))
        return false;
    return argument->type != parameter->type.type &&
           (given->bytes != wanted->bytes || given->class == SMC_USER_FLOAT ||
            wanted->class == SMC_USER_FLOAT);
}

/* A number without a type, for a parameter of which only the size is known. */
static enum smc_status fail_literal(const struct parameter *parameter, size_t number,
                                    const struct smc_inspect_kernel *kernel,
                                    const struct smc_user_argument *argument,
                                    struct smc_error *error)
{
    const uint64_t bytes = parameter->ptx.bytes;
    smc_auto_text suggestion = {0};
    smc_user_suggest_types(argument, bytes, &suggestion);
    return smc_fail(error, SMC_USAGE,
                    "option --arg: '%.64s' has no type, and machine code does not have that of "
                    "parameter %zu of %.256s, of %" PRIu64 " byte%s%s",
                    argument->typed, number, kernel->shown, bytes, smc_text_plural(bytes),
                    smc_text_string(&suggestion));
}

static enum smc_status user_parameters_check(struct parameter parameters[SMC_MAX_USER_ARGUMENTS],
                                             size_t param_count,
                                             const struct smc_inspect_kernel *kernel,
                                             struct smc_user_run *run, struct smc_text *warnings,
                                             struct smc_error *error)
{
    struct smc_user_request *request = &run->request;
    const size_t count = request->argument_count;
    if (param_count != count) {
        name_parameters(run, kernel, parameters,
                        param_count < SMC_MAX_USER_ARGUMENTS ? param_count
                                                             : SMC_MAX_USER_ARGUMENTS);
        return fail_count(parameters, param_count, kernel, count, error);
    }
    for (size_t i = 0; i < count; i++) {
        struct smc_user_argument *argument = &request->argument[i];
        if (argument->is_literal && !parameters[i].is_known) /* the source has its type */
            name_parameters(run, kernel, parameters, count);
        if (argument->is_literal && parameters[i].has_size_only && !parameters[i].is_known &&
            !parameters[i].ptx.is_array)
            return fail_literal(&parameters[i], i + 1, kernel, argument, error);
        if (argument->is_literal)
            convert_literal(&parameters[i], argument);
        if (!fits_parameter(&parameters[i], argument)) {
            name_parameters(run, kernel, parameters, count);
            return fail_param(&parameters[i], i + 1, kernel, argument, error);
        }
        if (has_other_elements(&parameters[i], argument))
            smc_text_printf(warnings,
                            "option --arg: '%.64s' has elements of %s, but parameter %zu of %.256s "
                            "is '%s'\n",
                            argument->typed, smc_c_type_name(argument->type), i + 1, kernel->shown,
                            parameters[i].declared);
        run->param_bytes[i] = parameters[i].ptx.bytes;
    }
    return SMC_OK;
}

enum smc_status smc_user_check_arguments(const char *ptx, const struct smc_inspect_kernel *kernel,
                                         struct smc_user_run *run, struct smc_text *warnings,
                                         struct smc_error *error)
{
    struct smc_ptx_kernel read;
    struct parameter parameters[SMC_MAX_USER_ARGUMENTS];
    while (smc_ptx_next(&ptx, &read))
        if (strlen(kernel->name) == read.name_length &&
            memcmp(kernel->name, read.name, read.name_length) == 0)
            return user_parameters_check(parameters,
                                         user_read_parameters(&read, kernel, parameters), kernel,
                                         run, warnings, error);
    return smc_fail(error, SMC_UNAVAILABLE, "%s: this NVRTC gives no PTX", kernel->file);
}

/* Machine code has the sizes. Those of a number, as PTX would have it without its type. */
static void read_code_parameters(const struct smc_cubin_kernel *code,
                                 const struct smc_inspect_kernel *kernel,
                                 struct parameter parameters[SMC_MAX_USER_ARGUMENTS])
{
    const size_t kept = code->parameter_count < SMC_MAX_USER_ARGUMENTS ? code->parameter_count
                                                                       : SMC_MAX_USER_ARGUMENTS;
    for (size_t i = 0; i < kept; i++) {
        const uint32_t bytes = code->parameter[i].bytes;
        const bool is_number = bytes <= sizeof(uint64_t) && (bytes & (bytes - 1)) == 0;
        struct parameter *parameter = &parameters[i];
        *parameter = (struct parameter){.has_size_only = true};
        parameter->ptx = (struct smc_ptx_variable){.bytes = bytes, .is_array = !is_number};
        snprintf(parameter->ptx.type, sizeof parameter->ptx.type, "b%u", is_number ? 8 * bytes : 8);
        snprintf(parameter->declared, sizeof parameter->declared, "%" PRIu32 " byte%s", bytes,
                 smc_text_plural(bytes));
    }
    read_shown(kernel->shown, parameters, kept);
    for (size_t i = 0; i < kept; i++) /* so that an integer is no float */
        if (parameters[i].is_known && parameters[i].type.pointers == 0 &&
            parameters[i].type.lanes <= 1 && !parameters[i].ptx.is_array)
            parameters[i].ptx.type[0] =
                smc_user_types[parameters[i].type.type].class == SMC_USER_FLOAT ? 'f' : 'u';
}

enum smc_status smc_user_check_code_arguments(const struct smc_binary *binary,
                                              const struct smc_inspect_kernel *kernel,
                                              struct smc_user_run *run, struct smc_text *warnings,
                                              struct smc_error *error)
{
    struct parameter parameters[SMC_MAX_USER_ARGUMENTS];
    struct smc_cubin cubin;
    enum smc_status status = SMC_OK;
    SMC_TRY(smc_cubin_open(binary->cubin, binary->cubin_bytes, &cubin, error));
    const struct smc_cubin_kernel *code = smc_cubin_kernel(&cubin, kernel->name);
    if (!code || (code->parameter_count == 0 && code->parameter_bytes > 0)) {
        status = smc_fail(error, SMC_USAGE, "%s: its machine code does not list the parameters",
                          kernel->file);
    } else {
        read_code_parameters(code, kernel, parameters);
        status =
            user_parameters_check(parameters, code->parameter_count, kernel, run, warnings, error);
    }
    smc_cubin_close(&cubin);
    return status;
}
