/* The predicted time of a query: the launch of a kernel of the catalog as the machine has it. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "model/carveouts.h"
#include "query/query.h"

enum { PARAMETER_BYTES = SMC_MAX_ARGUMENTS * 8, ALLOCATION_UNIT = 512 };

/* Addresses as cudaMalloc gives them to one array after the other. */
static void place_arrays(const struct smc_plan *plan, struct smc_time_array array[SMC_MAX_BUFFERS])
{
    uint64_t address = UINT64_C(0x7f0000000000);
    for (size_t i = 0; i < plan->buffer_count; i++) {
        uint64_t bytes = plan->buffer[i].elements * smc_dtype_bytes(plan->buffer[i].dtype);
        array[i] = (struct smc_time_array){address, bytes};
        address += (bytes / ALLOCATION_UNIT + 1) * ALLOCATION_UNIT;
    }
}

/* The arguments in constant memory, each at a multiple of its size. Returns their bytes. */
static size_t place_parameters(const struct smc_plan *plan, const struct smc_time_array *array,
                               unsigned char parameters[PARAMETER_BYTES])
{
    size_t at = 0;
    for (size_t i = 0; i < plan->argument_count; i++) {
        const struct smc_argument *argument = &plan->argument[i];
        size_t bytes = argument->kind == SMC_ARGUMENT_INT32 ? 4 : 8;
        int64_t value = argument->value;
        if (argument->kind == SMC_ARGUMENT_BUFFER)
            value = (int64_t)array[argument->value].address;
        at = (at + bytes - 1) / bytes * bytes;
        memcpy(parameters + at, &value, bytes);
        at += bytes;
    }
    return at;
}

static void unknown(struct smc_answer *answer, const char *reason)
{
    answer->time = (struct smc_time){0};
    snprintf(answer->time.reason, sizeof answer->time.reason, "%s", reason);
}

enum smc_status smc_query_predict_time(struct smc_answer *answer, struct smc_time_launch *launch,
                                       struct smc_error *error)
{
    const struct smc_plan *plan = &answer->plan;
    const struct smc_sm *sm = &answer->query.device.sm;
    uint64_t unified = sm->l1_smem_unified_bytes;
    uint64_t shared = answer->occupancy.smem_configured_bytes;
    if (answer->outcome != SMC_LAUNCHES) {
        unknown(answer, "the launch is refused");
        return SMC_OK;
    }
    launch->device = &answer->query.device;
    launch->ceilings = &answer->query.ceilings;
    launch->occupancy = &answer->occupancy;
    launch->l1_bytes = unified > shared ? unified - shared : sm->l1_tex_separate_bytes;
    launch->dynamic_smem_bytes = answer->launch.dynamic_smem_bytes;
    memcpy(launch->block, plan->block, sizeof launch->block);
    memcpy(launch->grid, plan->grid, sizeof launch->grid);
    return smc_time_predict(launch, &answer->time, error);
}

static enum smc_status predict(struct smc_answer *answer, const struct smc_binary *binary,
                               struct smc_error *error)
{
    struct smc_time_array array[SMC_MAX_BUFFERS];
    unsigned char parameters[PARAMETER_BYTES];
    const struct smc_plan *plan = &answer->plan;
    place_arrays(plan, array);
    struct smc_time_launch launch = {
        .cubin = binary->cubin,
        .cubin_bytes = binary->cubin_bytes,
        .entry = answer->query.kernel->entry,
        .parameters = parameters,
        .parameter_bytes = place_parameters(plan, array, parameters),
        .array = array,
        .array_count = plan->buffer_count,
    };
    return smc_query_predict_time(answer, &launch, error);
}

static void unknown_without_code(struct smc_answer *answer)
{
    char reason[sizeof answer->time.reason];
    snprintf(reason, sizeof reason, "no machine code for sm_%u", answer->query.device.sm.cc);
    unknown(answer, reason);
}

/* Whether there is a launch to predict; otherwise the answer has the reason. */
static bool can_be_predicted(struct smc_answer *answer)
{
    const struct smc_query *query = &answer->query;
    if (!query->kernel || query->kernel->is_probe)
        unknown(answer, "only kernels with a known launch and arguments have a predicted time");
    else if (answer->outcome != SMC_LAUNCHES)
        unknown(answer, "the launch is refused");
    else if (query->device.sm_count == 0 || query->device.sm_clock_khz == 0)
        unknown(answer, "a compute capability alone has no clock");
    else
        return true;
    return false;
}

enum smc_status smc_query_find_time_of(struct smc_answer *answer, const struct smc_binary *binary,
                                       struct smc_error *error)
{
    if (!can_be_predicted(answer))
        return SMC_OK;
    if (binary->cubin)
        return predict(answer, binary, error);
    unknown_without_code(answer);
    return SMC_OK;
}

uint16_t smc_query_time_cc(uint16_t cc)
{
    struct smc_capability capability;
    smc_capability_nearest(cc, &capability);
    enum { NEWEST = 90, NEWEST_FORMAT = 2 };
    return capability.machine_code_format > NEWEST_FORMAT ? NEWEST : cc;
}

enum smc_status smc_query_find_time(struct smc_answer *answer, struct smc_error *error)
{
    const struct smc_query *query = &answer->query;
    struct smc_resources resources;
    struct smc_binary binary = {0};
    struct smc_error why = {""};
    if (!can_be_predicted(answer))
        return SMC_OK;
    enum smc_status status =
        smc_compile(query->kernel, &query->params, smc_query_time_cc(query->device.sm.cc),
                    &query->compile, &resources, &binary, NULL, &why);
    if (status != SMC_MACHINE)
        status = smc_query_find_time_of(answer, &binary, error);
    smc_binary_free(&binary);
    return status == SMC_MACHINE ? status : SMC_OK;
}
