/* The arguments of a launch as its predicted time depends on them: where arrays are in global
   memory, and the parameters as they are laid out in constant memory. */
#ifndef SMC_MACHINE_ARGUMENTS_H
#define SMC_MACHINE_ARGUMENTS_H

#include <stddef.h>
#include <stdint.h>

enum { SMC_TIME_MOST_ARGUMENTS = 64 };

struct smc_time_array {
    uint64_t address, bytes;
};

/* Start from {0}. */
struct smc_time_arguments {
    struct smc_time_array array[SMC_TIME_MOST_ARGUMENTS];
    size_t array_count;
    unsigned char parameters[SMC_TIME_MOST_ARGUMENTS * sizeof(uint64_t)];
    size_t parameter_bytes;
};

/* Places an array after the ones before, as cudaMalloc would. Returns its address. No more than
   SMC_TIME_MOST_ARGUMENTS. */
uint64_t smc_time_add_array(struct smc_time_arguments *arguments, uint64_t bytes);

/* Appends a parameter of 1, 2, 4 or 8 bytes: a pointer or a number, whose bits are the low ones of
   `value`. No more than SMC_TIME_MOST_ARGUMENTS. */
void smc_time_add_parameter(struct smc_time_arguments *arguments, uint64_t value, size_t bytes);

#endif
