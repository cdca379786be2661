/* The predicted time of a user's kernel: its launch as the machine has it. */
#include <stdio.h>
#include <string.h>

#include "executor/user.h"
#include "timing/timing.h"

enum { PARAMETER_BYTES = SMC_MAX_USER_ARGUMENTS * 8, ALLOCATION_UNIT = 512 };

/* The arguments in constant memory, each at a multiple of its size; memory at addresses as
   cudaMalloc gives them to one array after the other. */
struct laid_out {
    unsigned char parameters[PARAMETER_BYTES];
    size_t parameter_bytes;
    struct smc_time_array array[SMC_MAX_USER_ARGUMENTS];
    size_t array_count;
};

static void lay_out(const struct smc_user_request *request, struct laid_out *out)
{
    uint64_t address = UINT64_C(0x7f0000000000);
    *out = (struct laid_out){.parameter_bytes = 0};
    for (size_t i = 0; i < request->argument_count; i++) {
        const struct smc_user_argument *argument = &request->argument[i];
        uint64_t value = argument->bits, bytes = smc_user_argument_bytes(argument);
        size_t width = argument->is_buffer ? sizeof value : (size_t)bytes;
        if (argument->is_buffer) {
            value = address;
            out->array[out->array_count++] = (struct smc_time_array){address, bytes};
            address += (bytes / ALLOCATION_UNIT + 1) * ALLOCATION_UNIT;
        }
        size_t at = (out->parameter_bytes + width - 1) / width * width;
        memcpy(out->parameters + at, &value, width); /* the low bytes come first */
        out->parameter_bytes = at + width;
    }
}

enum smc_status smc_user_find_time(struct smc_user_run *run, const struct smc_ceilings *ceilings,
                                   struct smc_error *error)
{
    const struct smc_user_request *request = &run->request;
    const struct smc_sm *sm = &request->device.sm;
    struct smc_answer *answer = &run->answer;
    uint64_t unified = sm->l1_smem_unified_bytes;
    uint64_t shared = answer->occupancy.smem_configured_bytes;
    struct laid_out laid_out;
    answer->time = (struct smc_time){.basis = SMC_TIME_UNKNOWN};
    if (answer->outcome != SMC_LAUNCHES || !run->compiled.binary.cubin) {
        snprintf(answer->time.reason, sizeof answer->time.reason, "%s",
                 answer->outcome != SMC_LAUNCHES ? "the launch is refused"
                                                 : "there is no machine code");
        return SMC_OK;
    }
    lay_out(request, &laid_out);
    struct smc_time_launch launch = {
        .device = &request->device,
        .ceilings = ceilings,
        .occupancy = &answer->occupancy,
        .cubin = run->compiled.binary.cubin,
        .cubin_bytes = run->compiled.binary.cubin_bytes,
        .entry = run->row.kernel->name,
        .l1_bytes = unified > shared ? unified - shared : sm->l1_tex_separate_bytes,
        .dynamic_smem_bytes = answer->launch.dynamic_smem_bytes,
        .parameters = laid_out.parameters,
        .parameter_bytes = laid_out.parameter_bytes,
        .array = laid_out.array,
        .array_count = laid_out.array_count,
    };
    memcpy(launch.block, request->block, sizeof launch.block);
    memcpy(launch.grid, request->grid, sizeof launch.grid);
    return smc_time_predict(&launch, &answer->time, error);
}
