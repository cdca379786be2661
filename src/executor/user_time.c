/* The predicted time of a user's kernel: its machine code with the arguments that were typed. */
#include <stdio.h>
#include <string.h>

#include "executor/user_time.h"

enum { ALLOCATION_UNIT = 512 };

/* Addresses as cudaMalloc gives them to one buffer after the other. Returns how many there are. */
static size_t place_arrays(const struct smc_user_request *request, struct smc_time_array *array)
{
    uint64_t address = UINT64_C(0x7f0000000000);
    size_t count = 0;
    for (size_t i = 0; i < request->argument_count; i++) {
        uint64_t bytes = smc_user_argument_bytes(&request->argument[i]);
        if (!request->argument[i].is_buffer)
            continue;
        array[count++] = (struct smc_time_array){address, bytes};
        address += (bytes / ALLOCATION_UNIT + 1) * ALLOCATION_UNIT;
    }
    return count;
}

/* In constant memory, each at a multiple of its size. Returns their bytes. */
static size_t place_parameters(const struct smc_user_request *request,
                               const struct smc_time_array *array,
                               unsigned char parameters[SMC_MAX_USER_ARGUMENTS * sizeof(uint64_t)])
{
    size_t at = 0;
    for (size_t i = 0; i < request->argument_count; i++) {
        const struct smc_user_argument *argument = &request->argument[i];
        size_t bytes =
            argument->is_buffer ? sizeof(uint64_t) : (size_t)smc_user_argument_bytes(argument);
        uint64_t value = argument->is_buffer ? (array++)->address : argument->bits;
        at = (at + bytes - 1) / bytes * bytes;
        memcpy(parameters + at, &value, bytes); /* the low bytes come first */
        at += bytes;
    }
    return at;
}

enum smc_status smc_user_find_time(struct smc_user_run *run, struct smc_error *error)
{
    const struct smc_user_request *request = &run->request;
    const struct smc_binary *binary = &run->compiled.binary;
    struct smc_answer *answer = &run->answer;
    struct smc_time_array array[SMC_MAX_USER_ARGUMENTS];
    unsigned char parameters[SMC_MAX_USER_ARGUMENTS * sizeof(uint64_t)] = {0};
    answer->query.ceilings = request->ceilings;
    if (!binary->cubin) {
        snprintf(answer->time.reason, sizeof answer->time.reason, "no machine code for sm_%u",
                 request->device.sm.cc);
        return SMC_OK;
    }
    size_t array_count = place_arrays(request, array);
    struct smc_time_launch launch = {
        .cubin = binary->cubin,
        .cubin_bytes = binary->cubin_bytes,
        .entry = run->row.kernel->name,
        .parameters = parameters,
        .parameter_bytes = place_parameters(request, array, parameters),
        .array = array,
        .array_count = array_count,
    };
    return smc_query_predict_time(answer, &launch, error);
}
