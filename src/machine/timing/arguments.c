/* The arguments of a launch. */
#include "machine/timing/arguments.h"

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
        arguments->array[arguments->array_count++] = (struct smc_time_array){address, bytes};
    return address;
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
