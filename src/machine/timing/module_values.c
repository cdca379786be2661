/* Values of a module. */
#include "machine/timing/module_values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { CONSTANTS = 3, ADDRESSES = 4, LITERALS = 2, UNIT = 512 };

static const char initialized[] = ".nv.global.init", zeroed[] = ".nv.global";

static const char *const name_of_bank[SMC_CONSTANT_BANKS] = {
    [CONSTANTS] = ".nv.constant3", [ADDRESSES] = ".nv.constant4"};

/* Copies a section; `to` keeps its zeros where the file has none of it. */
static void copy_section(const struct smc_cubin *cubin, const char *name, unsigned char *to,
                         size_t bytes)
{
    const void *data;
    if (smc_cubin_section(cubin, name, &data) == bytes && data && bytes)
        memcpy(to, data, bytes);
}

static bool make_bank(const struct smc_cubin *cubin, const char *name, unsigned number,
                      struct smc_module_values *values)
{
    const void *data;
    size_t bytes = smc_cubin_section(cubin, name, &data);
    if (bytes == 0)
        return true;
    values->owned[number] = smc_calloc(1, bytes);
    if (!values->owned[number])
        return false;
    copy_section(cubin, name, values->owned[number], bytes);
    values->bank[number] = (struct smc_constant_bank){values->owned[number], bytes};
    return true;
}

/* Where a section begins in global memory; false: it is none of its sections. */
static bool address_of(const struct smc_module_values *values, const char *section,
                       uint64_t *address)
{
    *address = values->address;
    if (strcmp(section, zeroed) == 0)
        *address += values->zeroed_at;
    return values->global_bytes > 0 &&
           (strcmp(section, zeroed) == 0 || strcmp(section, initialized) == 0);
}

static void write_addresses(const struct smc_cubin *cubin, const struct smc_module_values *values,
                            const char *section, unsigned char *to, size_t bytes)
{
    struct smc_cubin_address address;
    uint64_t base;
    for (size_t at = 0; smc_cubin_next_address(cubin, section, &at, &address);) {
        if (address.place > bytes || bytes - address.place < sizeof base ||
            !address_of(values, address.of_section, &base))
            continue;
        base += address.offset;
        for (size_t i = 0; i < sizeof base; i++)
            to[address.place + i] = (unsigned char)(base >> 8 * i);
    }
}

/* What is set of a variable; false: it is not known. */
static bool set_variable(const struct smc_time_variable *set, unsigned char *to, uint64_t bytes)
{
    enum { PIECE = 32 };
    for (uint64_t at = 0; at < bytes && at < set->bytes; at += PIECE) {
        uint64_t end = bytes < set->bytes ? bytes : set->bytes;
        size_t part = end - at < PIECE ? (size_t)(end - at) : PIECE;
        if (!set->contents || !set->contents(set->context, at, part, to + at))
            return false;
    }
    return true;
}

static const struct smc_time_variable *find_set(const struct smc_time_arguments *arguments,
                                                const char *name)
{
    for (size_t i = 0; i < arguments->variable_count; i++)
        if (strcmp(arguments->variable[i].name, name) == 0)
            return &arguments->variable[i];
    return NULL;
}

/* Writes what is set to where each variable lies. Memory of which something is unknown is unknown
   as a whole. */
static void set_variables(const struct smc_cubin *cubin, const struct smc_time_arguments *arguments,
                          struct smc_module_values *values, bool *global_known)
{
    struct smc_cubin_variable variable;
    struct smc_constant_bank *bank = &values->bank[CONSTANTS];
    for (size_t at = 0; smc_cubin_next_variable(cubin, &at, &variable);) {
        const struct smc_time_variable *set = find_set(arguments, variable.name);
        uint64_t base;
        if (!set)
            continue;
        if (strcmp(variable.section, name_of_bank[CONSTANTS]) == 0 && bank->bytes > 0) {
            if (!set_variable(set, values->owned[CONSTANTS] + variable.offset, variable.bytes))
                bank->bytes = 0;
        } else if (address_of(values, variable.section, &base)) {
            base += variable.offset - values->address;
            if (!set_variable(set, values->global + base, variable.bytes))
                *global_known = false;
        }
    }
}

static bool read_global(void *context, uint64_t offset, size_t bytes, void *to)
{
    const struct smc_module_values *values = context;
    if (offset > values->global_bytes || values->global_bytes - offset < bytes)
        return false;
    memcpy(to, values->global + offset, bytes);
    return true;
}

/* The variables in global memory. */
static bool make_global(const struct smc_cubin *cubin, struct smc_module_values *values)
{
    const void *data;
    size_t first = smc_cubin_section(cubin, initialized, &data);
    size_t second = smc_cubin_section(cubin, zeroed, &data);
    if (first + second == 0 || values->arguments.memory_count == SMC_TIME_MOST_MEMORIES)
        return true;
    values->zeroed_at = (first + UNIT - 1) / UNIT * UNIT;
    values->global_bytes = values->zeroed_at + second;
    values->global = smc_calloc(1, values->global_bytes);
    if (!values->global)
        return false;
    copy_section(cubin, initialized, values->global, first);
    values->address = smc_time_add_array(&values->arguments, values->global_bytes);
    return true;
}

enum smc_status smc_module_values_make(const struct smc_cubin *cubin, const char *kernel,
                                       const struct smc_time_arguments *arguments,
                                       struct smc_module_values *values, struct smc_error *error)
{
    char literals[300];
    bool made, global_known = true;
    *values = (struct smc_module_values){.arguments = *arguments};
    snprintf(literals, sizeof literals, ".nv.constant2.%.280s", kernel);
    made = make_global(cubin, values) && make_bank(cubin, literals, LITERALS, values) &&
           make_bank(cubin, name_of_bank[CONSTANTS], CONSTANTS, values) &&
           make_bank(cubin, name_of_bank[ADDRESSES], ADDRESSES, values);
    if (!made) {
        smc_module_values_free(values);
        return smc_out_of_memory(error);
    }
    for (unsigned i = CONSTANTS; i <= ADDRESSES; i++)
        write_addresses(cubin, values, name_of_bank[i], values->owned[i], values->bank[i].bytes);
    write_addresses(cubin, values, initialized, values->global, values->zeroed_at);
    set_variables(cubin, arguments, values, &global_known);
    if (values->global_bytes > 0 && global_known)
        smc_time_set_contents(&values->arguments, read_global, values);
    return SMC_OK;
}

void smc_module_values_free(struct smc_module_values *values)
{
    for (unsigned i = 0; i < SMC_CONSTANT_BANKS; i++)
        free(values->owned[i]);
    free(values->global);
}

/* Whether a warp executes what begins so many bytes into the code. */
static bool executes(const struct smc_warp_path *path, uint64_t offset)
{
    for (size_t i = 0; i < path->count; i++)
        if (path->run[i].first == offset / SMC_INSTRUCTION_BYTES)
            return true;
    return false;
}

bool smc_module_leave_out(struct smc_machine_program *program, const struct smc_cubin *cubin,
                          const char *kernel, const struct smc_warp_path *path)
{
    enum { MOST = 32 };
    uint64_t offset[MOST];
    struct smc_cubin_variable function;
    size_t at = 0, count = 0;
    while (count < MOST && smc_cubin_next_helper(cubin, kernel, &at, &function))
        if ((strstr(function.name, "f32") || strstr(function.name, "f64")) &&
            !executes(path, function.offset))
            offset[count++] = function.offset;
    return smc_machine_program_leave_out(program, offset, count);
}
