/* The memory of a launch of the user's kernel, and the structures among its arguments: made from
   what was typed, and given to the back ends, whose addresses differ. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/platform.h"
#include "code/names.h"
#include "code/ptx_facts.h"
#include "code/user_kernels.h"
#include "hardware/user.h"

/* The buffer's contents before the launch, and after it on each of two back ends. */
enum { COPIES = 3 };

static enum smc_status check_size(const struct smc_user_request *request, uint64_t total,
                                  struct smc_error *error)
{
    uint64_t of_machine = smc_machine_memory_bytes();
    uint64_t of_device = request->device.global_mem_bytes;
    if (of_device > 0 && total > of_device)
        return smc_fail(error, SMC_USAGE,
                        "option --arg: %llu MB of memory are more than the %llu MB of %s",
                        (unsigned long long)(total >> 20), (unsigned long long)(of_device >> 20),
                        request->device.name);
    if (total > of_machine / COPIES)
        return smc_fail(
            error, SMC_MACHINE,
            "option --arg: %llu MB of memory, each copied twice, are more than the %llu "
            "MB of this machine",
            (unsigned long long)(total >> 20), (unsigned long long)(of_machine >> 20));
    return SMC_OK;
}

/* Of the memory so far and one more. */
static enum smc_status check_memory(const struct smc_user_run *run, uint64_t bytes,
                                    struct smc_error *error)
{
    uint64_t total = bytes;
    for (size_t i = 0; i < run->memory_count; i++)
        if (__builtin_add_overflow(total, run->memory[i].bytes, &total))
            total = UINT64_MAX;
    return check_size(&run->request, total, error);
}

/* --- Members ---------------------------------------------------------------------------------- */

/* What a structure or list is written into. */
struct holder {
    struct smc_user_run *run;
    size_t position; /* of --arg */
    bool in_memory;
    size_t index;
    unsigned char *data;
};

static enum smc_status add_memory(struct smc_user_run *run, size_t position,
                                  const struct smc_user_argument *argument, bool is_member,
                                  struct smc_error *error);

static enum smc_status add_pointer(struct smc_user_run *run, const struct smc_user_pointer *pointer,
                                   struct smc_error *error)
{
    if (!smc_make_room(&run->pointer, run->pointer_count, &run->pointer_room, sizeof *run->pointer))
        return smc_out_of_memory(error);
    run->pointer[run->pointer_count++] = *pointer;
    return SMC_OK;
}

static enum smc_status write_member(void *context, const struct smc_user_argument *member,
                                    uint64_t place, struct smc_error *error)
{
    const struct holder *holder = context;
    struct smc_user_run *run = holder->run;
    struct smc_user_pointer pointer = {
        .in_memory = holder->in_memory,
        .holder = holder->index,
        .place = place,
        .target = run->memory_count,
    };
    pointer.is_map = member->form == SMC_USER_TENSOR_MAP;
    if (!smc_user_is_pointer(member) && !pointer.is_map) {
        memcpy(holder->data + place, &member->bits, smc_user_types[member->type].bytes);
        return SMC_OK;
    }
    if (member->form == SMC_USER_ADDRESS) {
        pointer.argument = member->target;
        pointer.part = member->part;
        pointer.offset = member->offset;
        return add_pointer(run, &pointer, error);
    }
    SMC_TRY(add_memory(run, holder->position, member, true, error));
    return add_pointer(run, &pointer, error);
}

/* Prefixes the reasons of the parser and of files. */
static enum smc_status fail_argument(enum smc_status status, struct smc_error *error)
{
    return smc_begins(error->message, "option --") ? status
                                                   : smc_fail_in(error, status, "option --arg");
}

static enum smc_status write_members(struct holder *holder,
                                     const struct smc_user_argument *argument,
                                     struct smc_error *error)
{
    uint64_t bytes;
    uint32_t align;
    return smc_user_members(argument->typed, write_member, holder, &bytes, &align, error);
}

/* --- Memory ----------------------------------------------------------------------------------- */

static size_t next_part(const struct smc_user_run *run, size_t position)
{
    size_t part = 1;
    for (size_t i = 0; i < run->memory_count; i++)
        part += run->memory[i].position == position && !run->memory[i].symbol;
    return part;
}

static bool user_memory_allocate(struct smc_user_memory *memory)
{
    memory->before = smc_malloc(memory->bytes);
    memory->after_gpu = smc_malloc(memory->bytes);
    memory->after_emulated = smc_malloc(memory->bytes);
    return memory->before && memory->after_gpu && memory->after_emulated;
}

/* The member's text ends with the visit, so it is kept and read again. */
static enum smc_status user_memory_keep_text(struct smc_user_memory *memory,
                                             const struct smc_user_argument *member,
                                             struct smc_error *error)
{
    memory->typed = smc_strdup(member->typed);
    if (!memory->typed)
        return smc_out_of_memory(error);
    memory->argument = &memory->own;
    return smc_user_argument_parse(memory->typed, &memory->own, error);
}

static enum smc_status user_memory_fill(struct smc_user_run *run, size_t index,
                                        struct smc_error *error)
{
    struct smc_user_memory *memory = &run->memory[index];
    const struct smc_user_argument *argument = memory->argument;
    if (argument->form != SMC_USER_LIST)
        return smc_user_fill(argument, memory->name, run->request.settings->seed, memory->before,
                             error);
    memset(memory->before, 0, memory->bytes);
    struct holder holder = {run, memory->position, true, index, memory->before};
    return write_members(&holder, argument, error);
}

static enum smc_status add_memory(struct smc_user_run *run, size_t position,
                                  const struct smc_user_argument *argument, bool is_member,
                                  struct smc_error *error)
{
    const struct smc_run_settings *settings = run->request.settings;
    size_t index = run->memory_count;
    enum smc_status status = check_memory(run, smc_user_argument_bytes(argument), error);
    if (status != SMC_OK)
        return status;
    if (settings->stop && settings->stop())
        return smc_fail(error, SMC_INTERRUPTED, "interrupted: before the launch");
    if (index == SMC_MAX_USER_MEMORIES)
        return smc_fail(error, SMC_USAGE, "'%.64s': more than %d pieces of memory", argument->typed,
                        SMC_MAX_USER_MEMORIES);
    struct smc_user_memory *memory = &run->memory[index];
    memory->position = position;
    memory->part = next_part(run, position);
    memory->argument = argument;
    memory->bytes = smc_user_argument_bytes(argument);
    run->memory_count++;
    if (is_member && position == 0)
        snprintf(memory->name, sizeof memory->name, "variable.%zu", memory->part);
    else if (is_member)
        snprintf(memory->name, sizeof memory->name, "arg %zu.%zu", position, memory->part);
    else
        snprintf(memory->name, sizeof memory->name, "arg %zu", position);
    if (is_member && (status = user_memory_keep_text(memory, argument, error)) != SMC_OK)
        return status;
    if (!user_memory_allocate(memory))
        return smc_fail(error, SMC_MACHINE, "no memory for '%.64s'", argument->typed);
    return user_memory_fill(run, index, error);
}

/* --- Values ----------------------------------------------------------------------------------- */

static enum smc_status user_memory_read_bytes(const struct smc_user_argument *argument,
                                              struct smc_user_value *value, struct smc_error *error)
{
    struct smc_user_argument bytes = *argument;
    bytes.type = SMC_USER_U8;
    bytes.is_buffer = true;
    bytes.form = SMC_USER_PLAIN;
    bytes.elements = value->bytes;
    bytes.filling = SMC_USER_FILE;
    return smc_user_fill(&bytes, "", 0, value->data, error);
}

static enum smc_status user_memory_add_value(struct smc_user_run *run, size_t index,
                                             struct smc_error *error)
{
    const struct smc_user_argument *argument = &run->request.argument[index];
    struct smc_user_value *value = &run->value[index];
    value->bytes = run->param_bytes[index];
    if (value->bytes < argument->bytes) /* a kernel that was not compiled has no sizes */
        value->bytes = argument->bytes;
    value->data = smc_calloc(1, value->bytes + sizeof(uint64_t));
    if (!value->data)
        return smc_out_of_memory(error);
    if (argument->form == SMC_USER_BYTES)
        return user_memory_read_bytes(argument, value, error);
    if (argument->form == SMC_USER_TENSOR_MAP)
        return add_pointer(run,
                           &(struct smc_user_pointer){.is_map = true,
                                                      .holder = index,
                                                      .target = smc_user_memory_of(run, index)},
                           error);
    struct holder holder = {run, index + 1, false, index, value->data};
    if (argument->form == SMC_USER_ADDRESS)
        return write_member(&holder, argument, 0, error);
    return write_members(&holder, argument, error);
}

/* --- Variables of the module ------------------------------------------------------------------ */

/* Whether the variable of the PTX is the one that was named: as compiled, or as in the source, in
   these or, where `any_namespace` is set, in any namespaces. */
static bool user_memory_is_named(const struct smc_ptx_variable *variable, const char *name,
                                 bool any_namespace)
{
    if (strlen(name) == variable->name_length && memcmp(variable->name, name, strlen(name)) == 0)
        return true;
    smc_auto_free char *symbol = smc_strndup(variable->name, variable->name_length);
    smc_auto_free char *shown = symbol ? smc_demangle(symbol) : NULL;
    return shown && (strcmp(shown, name) == 0 || smc_name_is_like(shown, name, any_namespace));
}

static enum smc_user_type type_of(const struct smc_ptx_variable *variable)
{
    char name[sizeof variable->type];
    memcpy(name, variable->type, sizeof name);
    name[0] = name[0] == 's' ? 'i' : name[0] == 'b' ? 'u' : name[0];
    for (int i = 0; i < SMC_USER_TYPE_COUNT; i++)
        if (strcmp(smc_user_types[i].name, name) == 0)
            return (enum smc_user_type)i;
    return SMC_USER_U8;
}

/* Whether a value has the variable's size; a structure may end in padding. */
static bool fits_variable(const struct smc_user_argument *value, uint64_t bytes, uint32_t align)
{
    if (value->form == SMC_USER_BYTES)
        return true; /* the length of the file is checked when it is read */
    uint64_t own = smc_user_argument_bytes(value);
    return own == bytes || (value->form == SMC_USER_STRUCT && align > 0 &&
                            (own + align - 1) / align * align == bytes);
}

static enum smc_status fail_variable(const char *ptx, const char *name, size_t found,
                                     struct smc_error *error)
{
    smc_auto_text list = {0};
    struct smc_ptx_variable variable;
    while (smc_ptx_next_variable(&ptx, &variable))
        if (found == 0 || user_memory_is_named(&variable, name, true))
            smc_text_printf(&list, "%s%.*s", list.length ? ", " : "", (int)variable.name_length,
                            variable.name);
    if (found > 1)
        smc_fail(error, SMC_USAGE, "'%.64s' is more than one variable: %.512s", name,
                 smc_text_string(&list));
    else if (list.length > 0)
        smc_fail(error, SMC_USAGE,
                 "'%.64s' is no __device__ or __constant__ variable that the compiler kept; it has "
                 "%.512s",
                 name, smc_text_string(&list));
    else
        smc_fail(error, SMC_USAGE,
                 "'%.64s': the compiler kept no __device__ or __constant__ variable", name);
    return SMC_USAGE;
}

/* A number whose type was not typed has the variable's. PTX does not tell signed integers from
   others. Of structures in PTX, and of every variable of machine code, only the size is known. */
static enum smc_status convert_value(const struct smc_user_symbol *symbol,
                                     struct smc_user_variable *wanted, struct smc_error *error)
{
    struct smc_user_argument *value = &wanted->value;
    const bool is_float = smc_user_types[symbol->type].class == SMC_USER_FLOAT;
    char range[2][SMC_USER_RANGE] = {""};
    int one = 0;
    smc_auto_text suggestion = {0};
    if (value->is_literal && symbol->type == SMC_USER_U8 && symbol->bytes > 1)
        smc_user_suggest_types(value, symbol->bytes, &suggestion);
    if (suggestion.length > 0)
        return smc_fail(error, SMC_USAGE,
                        "'%.64s' has no type, and that of %.200s, of %" PRIu64
                        " bytes, is not known%s",
                        wanted->typed, wanted->name, symbol->bytes, smc_text_string(&suggestion));
    for (int i = 0; i < SMC_USER_TYPE_COUNT && value->is_literal; i++) {
        if (smc_user_types[i].bytes != symbol->bytes ||
            (smc_user_types[i].class == SMC_USER_FLOAT) != is_float)
            continue;
        if (smc_user_convert_literal((enum smc_user_type)i, value))
            return SMC_OK;
        smc_user_describe_range((enum smc_user_type)i, range[one]);
        one = 1;
    }
    if (!one)
        return SMC_OK;
    return smc_fail(error, SMC_USAGE, "'%.64s' does not fit %.200s: write %s%s%s", wanted->typed,
                    wanted->name, range[0], range[1][0] ? " or " : "", range[1]);
}

/* A variable in just the namespaces that were named is preferred. */
static enum smc_status user_memory_find_variable(const char *ptx, struct smc_user_variable *wanted,
                                                 struct smc_user_symbol *symbol,
                                                 struct smc_error *error)
{
    struct smc_ptx_variable variable;
    size_t found = 0;
    uint32_t align = 0;
    for (int any_namespace = 0; any_namespace < 2 && found == 0; any_namespace++)
        for (const char *cursor = ptx; smc_ptx_next_variable(&cursor, &variable);) {
            if (!user_memory_is_named(&variable, wanted->name, any_namespace) || found++ > 0)
                continue;
            symbol->name = smc_strndup(variable.name, variable.name_length);
            symbol->type = type_of(&variable);
            symbol->bytes = variable.bytes;
            align = variable.align;
            if (!symbol->name)
                return smc_out_of_memory(error);
        }
    if (found != 1)
        return fail_variable(ptx, wanted->name, found, error);
    SMC_TRY(convert_value(symbol, wanted, error));
    if (!wanted->is_set || fits_variable(&wanted->value, symbol->bytes, align))
        return SMC_OK;
    return smc_fail(error, SMC_USAGE, "'%.64s': the value has %llu byte%s, but %.200s %llu",
                    wanted->typed, (unsigned long long)smc_user_argument_bytes(&wanted->value),
                    smc_text_plural(smc_user_argument_bytes(&wanted->value)), wanted->name,
                    (unsigned long long)symbol->bytes);
}

/* Whether a variable before this one is the same, under another name. */
static bool is_again(const struct smc_user_run *run, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(run->symbol[i].name, run->symbol[index].name) == 0)
            return true;
    return false;
}

enum smc_status smc_user_find_variables(const char *ptx, struct smc_user_run *run,
                                        struct smc_error *error)
{
    for (size_t i = 0; i < run->request.variable_count; i++) {
        struct smc_user_variable *wanted = &run->request.variable[i];
        enum smc_status status = user_memory_find_variable(ptx, wanted, &run->symbol[i], error);
        if (status != SMC_OK)
            return smc_fail_in(error, status, "option --%s", wanted->is_set ? "set" : "dump");
        if (wanted->is_set && is_again(run, i))
            return smc_fail(error, SMC_USAGE, "option --set: '%.64s' is set twice", wanted->name);
    }
    return SMC_OK;
}

/* Writes the value of a variable. */
static enum smc_status fill_variable(struct smc_user_run *run, size_t index,
                                     const struct smc_user_argument *value, struct smc_error *error)
{
    struct smc_user_memory *memory = &run->memory[index];
    struct smc_user_value bytes = {memory->before, memory->bytes};
    struct holder holder = {run, 0, true, index, memory->before};
    memset(memory->before, 0, memory->bytes);
    switch (value->form) {
    case SMC_USER_BYTES:
        return user_memory_read_bytes(value, &bytes, error);
    case SMC_USER_STRUCT:
    case SMC_USER_LIST:
        return write_members(&holder, value, error);
    case SMC_USER_ADDRESS:
        return write_member(&holder, value, 0, error);
    case SMC_USER_TEXTURE: /* of the variable's size, by chance */
        return smc_fail(error, SMC_USAGE, "'%.64s': for an object, write NAME={tex:...}",
                        value->typed);
    case SMC_USER_TENSOR_MAP: /* its size is that of the memory */
        return smc_fail(error, SMC_USAGE, "'%.64s': for a tensor map, write NAME={tmap:...}",
                        value->typed);
    case SMC_USER_PLAIN:
        break;
    }
    if (value->is_buffer)
        return smc_user_fill(value, memory->name, run->request.settings->seed, memory->before,
                             error);
    return write_member(&holder, value, 0, error);
}

static enum smc_status user_memory_add_variable(struct smc_user_run *run, size_t index,
                                                struct smc_error *error)
{
    const struct smc_user_variable *variable = &run->request.variable[index];
    const struct smc_user_symbol *symbol = &run->symbol[index];
    size_t at = run->memory_count++;
    struct smc_user_memory *memory = &run->memory[at];
    memory->own = (struct smc_user_argument){
        .typed = variable->typed,
        .type = variable->is_set && variable->value.form == SMC_USER_PLAIN ? variable->value.type
                                                                           : symbol->type,
        .is_buffer = true,
    };
    memory->own.elements = symbol->bytes / smc_user_types[memory->own.type].bytes;
    memory->argument = &memory->own;
    memory->bytes = symbol->bytes;
    memory->symbol = symbol->name;
    memory->is_initial = !variable->is_set;
    snprintf(memory->name, sizeof memory->name, "%.31s", variable->name);
    if (!user_memory_allocate(memory))
        return smc_out_of_memory(error);
    memset(memory->before, 0, memory->bytes);
    return variable->is_set ? fill_variable(run, at, &variable->value, error) : SMC_OK;
}

static enum smc_status user_memory_add_variables(struct smc_user_run *run, struct smc_error *error)
{
    for (size_t i = 0; i < run->request.variable_count; i++) {
        if (is_again(run, i))
            continue;
        enum smc_status status = user_memory_add_variable(run, i, error);
        if (status != SMC_OK)
            return smc_fail_in(error, status, "option --set");
    }
    return SMC_OK;
}

/* Finds the memory of each address that was typed. */
static enum smc_status user_memory_find_targets(struct smc_user_run *run, struct smc_error *error)
{
    for (size_t i = 0; i < run->pointer_count; i++) {
        struct smc_user_pointer *pointer = &run->pointer[i];
        size_t target = 0;
        if (pointer->argument == 0)
            continue;
        while (target < run->memory_count &&
               (run->memory[target].symbol || run->memory[target].position != pointer->argument ||
                run->memory[target].part != pointer->part))
            target++;
        if (target == run->memory_count)
            return smc_fail(error, SMC_USAGE, "'@%zu%s': argument %zu has %s memory",
                            pointer->argument, pointer->part > 1 ? "..." : "", pointer->argument,
                            pointer->part > 1 ? "less" : "no");
        pointer->target = target;
        pointer->offset *= smc_user_types[run->memory[target].argument->type].bytes;
    }
    return SMC_OK;
}

enum smc_status smc_user_make_memory(struct smc_user_run *run, struct smc_error *error)
{
    const struct smc_user_request *request = &run->request;
    enum smc_status status = SMC_OK;
    uint64_t total = 0;
    for (size_t i = 0; i < request->argument_count; i++)
        if (request->argument[i].is_buffer &&
            __builtin_add_overflow(total, smc_user_argument_bytes(&request->argument[i]), &total))
            total = UINT64_MAX;
    status = check_size(request, total, error);
    for (size_t i = 0; i < request->argument_count && status == SMC_OK; i++) {
        const struct smc_user_argument *argument = &request->argument[i];
        if (argument->is_buffer)
            status = add_memory(run, i + 1, argument, false, error);
        if (status == SMC_OK && argument->form != SMC_USER_PLAIN &&
            !smc_user_passes_memory(argument))
            status = user_memory_add_value(run, i, error);
    }
    if (status == SMC_OK)
        status = user_memory_add_variables(run, error);
    if (status == SMC_OK)
        status = user_memory_find_targets(run, error);
    return status == SMC_OK || status == SMC_INTERRUPTED ? status : fail_argument(status, error);
}

/* --- Files ------------------------------------------------------------------------------------ */

/* The same as when the file is read, without reading it: a regular file is opened, and measured. */
static enum smc_status user_memory_check_file(const struct smc_user_argument *argument,
                                              uint64_t bytes, struct smc_error *error)
{
    struct stat is;
    const char *path = argument->path;
    if (stat(path, &is) != 0)
        return smc_fail(error, SMC_USAGE, "'%.64s': %.512s: %s", argument->typed, path,
                        strerror(errno));
    if (!S_ISREG(is.st_mode) && !S_ISDIR(is.st_mode))
        return SMC_OK; /* a pipe is read once */
    smc_auto_file FILE *file = fopen(path, S_ISDIR(is.st_mode) ? "r+be" : "rbe");
    if (!file)
        return smc_fail(error, SMC_USAGE, "'%.64s': %.512s: %s", argument->typed, path,
                        strerror(errno));
    if ((uint64_t)is.st_size == bytes)
        return SMC_OK;
    return smc_fail(error, SMC_USAGE, "'%.64s': %.512s has %s than %llu byte%s", argument->typed,
                    path, (uint64_t)is.st_size > bytes ? "more" : "fewer",
                    (unsigned long long)bytes, smc_text_plural(bytes));
}

static enum smc_status check_files(const struct smc_user_argument *argument, uint64_t bytes,
                                   struct smc_error *error);

static enum smc_status check_member(void *context, const struct smc_user_argument *member,
                                    uint64_t place, struct smc_error *error)
{
    (void)context, (void)place;
    return check_files(member, smc_user_argument_bytes(member), error);
}

static enum smc_status check_files(const struct smc_user_argument *argument, uint64_t bytes,
                                   struct smc_error *error)
{
    uint64_t all;
    uint32_t align;
    if (argument->form == SMC_USER_STRUCT || argument->form == SMC_USER_LIST)
        return smc_user_members(argument->typed, check_member, NULL, &all, &align, error);
    return argument->path ? user_memory_check_file(argument, bytes, error) : SMC_OK;
}

enum smc_status smc_user_check_files(const struct smc_user_run *run, struct smc_error *error)
{
    const struct smc_user_request *request = &run->request;
    enum smc_status status = SMC_OK;
    for (size_t i = 0; i < request->argument_count && status == SMC_OK; i++) {
        const struct smc_user_argument *argument = &request->argument[i];
        uint64_t bytes = argument->form == SMC_USER_BYTES ? run->param_bytes[i]
                                                          : smc_user_argument_bytes(argument);
        status = check_files(argument, bytes, error);
    }
    if (status != SMC_OK)
        return fail_argument(status, error);
    for (size_t i = 0; i < request->variable_count && status == SMC_OK; i++)
        if (request->variable[i].is_set)
            status = check_files(&request->variable[i].value, run->symbol[i].bytes, error);
    if (status != SMC_OK)
        return smc_fail_in(error, status, "option --set");
    for (size_t i = 0; i < request->expected_count && status == SMC_OK; i++) {
        const struct smc_user_expected *expected = &request->expected[i];
        const struct smc_user_argument file = {.typed = expected->typed, .path = expected->path};
        if (expected->path)
            status = user_memory_check_file(
                &file, smc_user_argument_bytes(&request->argument[expected->argument]), error);
    }
    return smc_fail_in(error, status, "option --expect");
}

/* --- Addresses -------------------------------------------------------------------------------- */

size_t smc_user_memory_of(const struct smc_user_run *run, size_t argument)
{
    size_t i = 0;
    while (run->memory[i].position != argument + 1 || run->memory[i].part != 1)
        i++;
    return i;
}

static unsigned char *user_memory_place_of(const struct smc_user_run *run, bool on_gpu,
                                           const struct smc_user_pointer *pointer)
{
    void *holder = pointer->in_memory ? smc_user_after(&run->memory[pointer->holder], on_gpu)
                                      : run->value[pointer->holder].data;
    return (unsigned char *)holder + pointer->place;
}

/* A tensor map, or an address, which `value` receives. */
static const void *what_is_placed(const struct smc_user_run *run,
                                  const struct smc_user_pointer *pointer, const uint64_t *address,
                                  uint64_t *value, size_t *bytes)
{
    *value = address[pointer->target] + (uint64_t)pointer->offset;
    *bytes = pointer->is_map ? SMC_TENSOR_MAP_BYTES : sizeof *value;
    return pointer->is_map ? (const void *)run->memory[pointer->target].map : value;
}

void smc_user_place(struct smc_user_run *run, bool on_gpu, const uint64_t *address)
{
    for (size_t i = 0; i < run->memory_count; i++)
        if (run->memory[i].bytes > 0)
            memcpy(smc_user_after(&run->memory[i], on_gpu), run->memory[i].before,
                   run->memory[i].bytes);
    for (size_t i = 0; i < run->memory_count && !on_gpu; i++)
        if (run->memory[i].argument->form == SMC_USER_TENSOR_MAP)
            smc_user_tensor_map(run->memory[i].argument, address[i], run->memory[i].map);
    for (size_t i = 0; i < run->pointer_count; i++) {
        uint64_t value;
        size_t bytes;
        const void *placed = what_is_placed(run, &run->pointer[i], address, &value, &bytes);
        memcpy(user_memory_place_of(run, on_gpu, &run->pointer[i]), placed, bytes);
    }
}

void smc_user_unplace(struct smc_user_run *run, bool on_gpu, const uint64_t *address)
{
    for (size_t i = 0; i < run->pointer_count; i++) {
        const struct smc_user_pointer *pointer = &run->pointer[i];
        uint64_t value;
        size_t bytes;
        const void *placed = what_is_placed(run, pointer, address, &value, &bytes);
        unsigned char *place = user_memory_place_of(run, on_gpu, pointer);
        if (pointer->in_memory && memcmp(place, placed, bytes) == 0)
            memset(place, 0, bytes);
    }
}
