/* The arguments of a launch. */
#include "machine/timing/arguments.h"

#include <string.h>

/* cudaMalloc allocates multiples of 512 bytes, on today's systems at addresses such as this one. */
enum { ALLOCATION_UNIT = 512 };
static const uint64_t first_address = UINT64_C(0x7f0000000000);

uint64_t smc_time_add_array(struct smc_time_arguments *arguments, uint64_t bytes)
{
    uint64_t address = first_address;
    if (arguments->array_count > 0) {
        const struct smc_time_array *before = &arguments->array[arguments->array_count - 1];
        address = before->address + (before->bytes / ALLOCATION_UNIT + 1) * ALLOCATION_UNIT;
    }
    if (arguments->array_count < SMC_TIME_MOST_ARGUMENTS)
        arguments->array[arguments->array_count++] =
            (struct smc_time_array){.address = address, .bytes = bytes};
    return address;
}

void smc_time_set_contents(struct smc_time_arguments *arguments, smc_time_contents *contents,
                           void *context)
{
    if (arguments->array_count == 0)
        return;
    struct smc_time_array *array = &arguments->array[arguments->array_count - 1];
    array->contents = contents;
    array->context = context;
}

bool smc_time_read_contents(const struct smc_time_arguments *arguments, uint64_t address,
                            size_t bytes, void *to, unsigned *array)
{
    for (size_t i = 0; i < arguments->array_count; i++) {
        const struct smc_time_array *at = &arguments->array[i];
        if (address < at->address || address - at->address >= at->bytes)
            continue;
        *array = (unsigned)i;
        uint64_t offset = address - at->address;
        size_t there = at->bytes - offset < bytes ? (size_t)(at->bytes - offset) : bytes;
        memset(to, 0, bytes); /* the rest of a word at the end */
        return at->contents && at->contents(at->context, offset, there, to);
    }
    *array = SMC_TIME_MOST_ARGUMENTS;
    return false;
}

/* Each at a multiple of its size, the low byte first. */
void smc_time_add_parameter(struct smc_time_arguments *arguments, uint64_t value, size_t bytes)
{
    size_t at = (arguments->parameter_bytes + bytes - 1) / bytes * bytes;
    if (at + bytes > sizeof arguments->parameters)
        return;
    for (size_t i = 0; i < bytes; i++)
        arguments->parameters[at + i] = (unsigned char)(value >> (8 * i));
    arguments->parameter_bytes = at + bytes;
}
