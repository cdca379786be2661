/* The arguments of a launch. */
#include "machine/timing/arguments.h"

#include <string.h>

#include "code/machine_code.h"

/* cudaMalloc allocates multiples of 512 bytes, on today's systems at addresses such as this one. */
enum { ALLOCATION_UNIT = 512 };
static const uint64_t first_address = UINT64_C(0x7f0000000000);

uint64_t smc_time_add_array(struct smc_time_arguments *arguments, uint64_t bytes)
{
    struct smc_time_array *last = &arguments->array[SMC_TIME_MOST_ARGUMENTS - 1];
    uint64_t address = first_address;
    if (arguments->memory_count > 0) {
        const struct smc_time_memory *before = &arguments->memory[arguments->memory_count - 1];
        address = before->address + (before->bytes / ALLOCATION_UNIT + 1) * ALLOCATION_UNIT;
    }
    if (arguments->memory_count == SMC_TIME_MOST_MEMORIES)
        return address;
    arguments->memory[arguments->memory_count++] =
        (struct smc_time_memory){.address = address, .bytes = bytes};
    if (arguments->array_count < SMC_TIME_MOST_ARGUMENTS)
        arguments->array[arguments->array_count++] = (struct smc_time_array){address, bytes};
    else
        last->bytes = address + bytes - last->address;
    return address;
}

uint64_t smc_time_add_texture(struct smc_time_arguments *arguments,
                              const struct smc_emulated_texture *texture)
{
    const uint64_t address = smc_time_add_array(arguments, smc_placed_texture_bytes(texture));
    if (arguments->textures.count == SMC_MOST_TEXTURES)
        return 0;
    arguments->textures.texture[arguments->textures.count] =
        (struct smc_placed_texture){.texture = *texture, .address = address};
    return smc_placed_texture_handle(arguments->textures.count++);
}

void smc_time_set_contents(struct smc_time_arguments *arguments, smc_time_contents *contents,
                           void *context)
{
    if (arguments->memory_count == 0)
        return;
    struct smc_time_memory *memory = &arguments->memory[arguments->memory_count - 1];
    memory->contents = contents;
    memory->context = context;
}

bool smc_time_read_contents(const struct smc_time_arguments *arguments, uint64_t address,
                            size_t bytes, void *to, unsigned *array)
{
    for (size_t i = 0; i < arguments->memory_count; i++) {
        const struct smc_time_memory *at = &arguments->memory[i];
        if (address < at->address || address - at->address >= at->bytes)
            continue;
        *array = i < arguments->array_count ? (unsigned)i : SMC_TIME_MOST_ARGUMENTS - 1;
        if (bytes == 0)
            return false;
        uint64_t offset = address - at->address;
        size_t there = at->bytes - offset < bytes ? (size_t)(at->bytes - offset) : bytes;
        if (there < bytes) /* the rest of a word at the end */
            memset(to, 0, bytes);
        return at->contents && at->contents(at->context, offset, there, to);
    }
    *array = SMC_TIME_MOST_ARGUMENTS;
    return false;
}

void smc_time_add_bytes(struct smc_time_arguments *arguments, const void *from, size_t bytes,
                        size_t align)
{
    size_t at = (arguments->parameter_bytes + align - 1) / align * align;
    if (at + bytes > sizeof arguments->parameters ||
        arguments->parameter_count == SMC_TIME_MOST_ARGUMENTS)
        return;
    memcpy(arguments->parameters + at, from, bytes);
    arguments->parameter_at[arguments->parameter_count++] = at;
    arguments->parameter_bytes = at + bytes;
}

/* Each at a multiple of its size, the low byte first. */
void smc_time_add_parameter(struct smc_time_arguments *arguments, uint64_t value, size_t bytes)
{
    smc_time_add_bytes(arguments, &value, bytes, bytes);
}

size_t smc_time_place_parameters(const struct smc_time_arguments *arguments,
                                 const struct smc_cubin_kernel *kernel,
                                 unsigned char to[SMC_TIME_PARAMETER_BYTES])
{
    const size_t count = arguments->parameter_count;
    memset(to, 0, SMC_TIME_PARAMETER_BYTES);
    if (kernel->parameter_count != count || kernel->parameter_bytes > SMC_TIME_PARAMETER_BYTES) {
        memcpy(to, arguments->parameters, arguments->parameter_bytes);
        return arguments->parameter_bytes;
    }
    for (size_t i = 0; i < count; i++) {
        const struct smc_cubin_parameter *parameter = &kernel->parameter[i];
        size_t at = arguments->parameter_at[i];
        size_t end = i + 1 < count ? arguments->parameter_at[i + 1] : arguments->parameter_bytes;
        memcpy(to + parameter->offset, arguments->parameters + at,
               parameter->bytes < end - at ? parameter->bytes : end - at);
    }
    return kernel->parameter_bytes;
}

bool smc_time_have_contents(const struct smc_time_arguments *arguments)
{
    for (size_t i = 0; i < arguments->memory_count; i++)
        if (arguments->memory[i].contents)
            return true;
    return false;
}
