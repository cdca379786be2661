/* The arguments of a launch as its predicted time depends on them: where arrays are in global
   memory, and the parameters as they are laid out in constant memory. */
#ifndef SMC_MACHINE_ARGUMENTS_H
#define SMC_MACHINE_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/sass/texture_lines.h"
#include "rules/banks.h"

enum {
    SMC_TIME_MOST_ARGUMENTS = 64,
    SMC_TIME_MOST_MEMORIES = 384,
    SMC_TIME_PARAMETER_BYTES = 4096
};

/* Yields `bytes` bytes of an array from `offset` on, as they are before the launch. False: they are
   unknown. */
typedef bool smc_time_contents(void *context, uint64_t offset, size_t bytes, void *to);

/* One allocation. */
struct smc_time_memory {
    uint64_t address, bytes;
    smc_time_contents *contents; /* or NULL: they are unknown */
    void *context;
};

/* A unit of the traffic model: one allocation; the last array also covers all allocations after it.
 */
struct smc_time_array {
    uint64_t address, bytes;
};

/* The number of the array that has a line of SMC_LINE_BYTES; `arrays` if none has. */
static inline size_t smc_time_array_with(const struct smc_time_array *array, size_t arrays,
                                         uint64_t line)
{
    size_t i = 0;
    while (i < arrays && (line < array[i].address / SMC_LINE_BYTES ||
                          line > (array[i].address + array[i].bytes - 1) / SMC_LINE_BYTES))
        i++;
    return i;
}

/* A variable of the module, __device__ or __constant__, that is set before the launch. */
struct smc_time_variable {
    const char *name; /* as compiled; the caller's */
    uint64_t bytes;
    smc_time_contents *contents; /* or NULL: they are unknown */
    void *context;
};

/* Start from {0}. */
struct smc_time_arguments {
    struct smc_time_array array[SMC_TIME_MOST_ARGUMENTS];
    size_t array_count;
    struct smc_time_memory memory[SMC_TIME_MOST_MEMORIES];
    size_t memory_count;
    struct smc_placed_textures textures;
    struct smc_time_variable variable[SMC_TIME_MOST_ARGUMENTS];
    size_t variable_count;
    unsigned char parameters[SMC_TIME_PARAMETER_BYTES];
    size_t parameter_bytes;
    size_t parameter_at[SMC_TIME_MOST_ARGUMENTS], parameter_count;
};

/* Places an allocation after the ones before, as cudaMalloc would. Returns its address. No more
   than SMC_TIME_MOST_MEMORIES. */
uint64_t smc_time_add_array(struct smc_time_arguments *arguments, uint64_t bytes);

/* Places the memory of a texture likewise. Returns what the kernel is given for
   it. */
uint64_t smc_time_add_texture(struct smc_time_arguments *arguments,
                              const struct smc_emulated_texture *texture);

/* What the memory that was added last holds. The loads of the kernel then return it, so that loops,
   indices and branches follow. `context` must live as long as the arguments. */
void smc_time_set_contents(struct smc_time_arguments *arguments, smc_time_contents *contents,
                           void *context);

/* The contents at an address; false: unknown, or no bytes are asked for. `array` receives the
   number of the array that has the address, or SMC_TIME_MOST_ARGUMENTS. Bytes beyond the array are
   0. */
bool smc_time_read_contents(const struct smc_time_arguments *arguments, uint64_t address,
                            size_t bytes, void *to, unsigned *array);

/* Appends a parameter of 1, 2, 4 or 8 bytes: a pointer or a number, whose bits are the low ones of
   `value`. No more than SMC_TIME_MOST_ARGUMENTS. */
void smc_time_add_parameter(struct smc_time_arguments *arguments, uint64_t value, size_t bytes);

/* Appends one of any size, at a multiple of `align`. */
void smc_time_add_bytes(struct smc_time_arguments *arguments, const void *from, size_t bytes,
                        size_t align);

struct smc_cubin_kernel;

/* The parameters where the kernel has them, which is not the same if one is aligned to more than
   the first one's place. Returns their bytes. */
size_t smc_time_place_parameters(const struct smc_time_arguments *arguments,
                                 const struct smc_cubin_kernel *kernel,
                                 unsigned char to[SMC_TIME_PARAMETER_BYTES]);

/* Whether what any of the arrays holds is known. */
bool smc_time_have_contents(const struct smc_time_arguments *arguments);

#endif
