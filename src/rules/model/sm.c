/* Checks that the limits of an SM are consistent. */
#include "rules/sm.h"

#include <stddef.h>

#include "rules/allocation.h"

/* A limit's name in messages: the member's for programs that fill the struct, that of device files
   for those who write them. */
#ifdef SMC_LIBRARY
#define NAME(member, name) #member
#else
#define NAME(member, name) name
#endif
#define CAPABILITY    NAME(cc, "compute_capability")
#define CARVEOUT_LIST NAME(smem_carveout_bytes, "smem_carveouts_bytes")
#define SUBPARTITIONS NAME(subpartitions, "sm_subpartitions")

enum sm_form { COUNT, POWER, KNOWN };

struct sm_field {
    const char *name;
    enum sm_form form;
    uint32_t value, lowest, highest;
};

static bool is_power_of_two(uint32_t n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

static enum smc_status check_range(const struct sm_field *field, struct smc_error *error)
{
    bool inside = field->value >= field->lowest && field->value <= field->highest;
    if (field->form == POWER && !(inside && is_power_of_two(field->value)))
        return smc_fail(error, SMC_USAGE, "'%s': %u is not a power of two between %u and %u",
                        field->name, field->value, field->lowest, field->highest);
    if (!inside)
        return smc_fail(error, SMC_USAGE, "'%s': %u is not between %u and %u", field->name,
                        field->value, field->lowest, field->highest);
    return SMC_OK;
}

static enum smc_status check_ranges(const struct smc_sm *sm, struct smc_error *error)
{
    const struct sm_field fields[] = {
#define INTEGER(member, name, form, lowest, highest)                                               \
    {NAME(member, name), form, sm->member, lowest, highest},
#define GRANULARITY(member, name)
#define CARVEOUTS(count, member, name)
#include "rules/model/sm_fields.def"
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (check_range(&fields[i], error) != SMC_OK)
            return SMC_USAGE;
    return SMC_OK;
}

static enum smc_status check_carveouts(const struct smc_sm *sm, struct smc_error *error)
{
    uint32_t count = sm->smem_carveout_count;
    if (count < 1 || count > SMC_MAX_CARVEOUTS)
        return smc_fail(error, SMC_USAGE, "'" CARVEOUT_LIST "': a list of %u sizes, not of 1 to %d",
                        count, SMC_MAX_CARVEOUTS);
    for (uint32_t i = 1; i < count; i++)
        if (sm->smem_carveout_bytes[i] <= sm->smem_carveout_bytes[i - 1])
            return smc_fail(error, SMC_USAGE, "'" CARVEOUT_LIST "': %u after %u; sizes ascend",
                            sm->smem_carveout_bytes[i], sm->smem_carveout_bytes[i - 1]);
    for (uint32_t i = count; i < SMC_MAX_CARVEOUTS; i++)
        if (sm->smem_carveout_bytes[i] != 0)
            return smc_fail(error, SMC_USAGE, "'" CARVEOUT_LIST "': %u after the last of %u",
                            sm->smem_carveout_bytes[i], count);
    if (sm->smem_carveout_bytes[count - 1] != sm->smem_per_sm_bytes)
        return smc_fail(error, SMC_USAGE,
                        "'" CARVEOUT_LIST "': the last size, %u, is not smem_per_sm_bytes, %u",
                        sm->smem_carveout_bytes[count - 1], sm->smem_per_sm_bytes);
    return SMC_OK;
}

/* The value of `name` may not be above that of `bound_name`. */
static enum smc_status check_most(const char *name, uint32_t value, const char *bound_name,
                                  uint32_t bound, struct smc_error *error)
{
    if (value <= bound)
        return SMC_OK;
    return smc_fail(error, SMC_USAGE, "'%s': %u is above %s, %u", name, value, bound_name, bound);
}

/* A block that is within every single limit must fit, so that 0 blocks always have a refusal. */
static enum smc_status check_threads_and_registers(const struct smc_sm *sm, struct smc_error *error)
{
    uint32_t threads = sm->max_warps_per_sm * sm->warp_size;
    if (sm->max_threads_per_sm != threads)
        return smc_fail(error, SMC_USAGE,
                        "'max_threads_per_sm': %u is not max_warps_per_sm x warp_size, %u",
                        sm->max_threads_per_sm, threads);
    if (sm->regs_per_sm % sm->subpartitions != 0)
        return smc_fail(error, SMC_USAGE,
                        "'regs_per_sm': %u cannot be shared equally by " SUBPARTITIONS ", %u",
                        sm->regs_per_sm, sm->subpartitions);
    if (sm->launch_check_subpartitions && !is_power_of_two(sm->launch_check_subpartitions))
        return smc_fail(error, SMC_USAGE,
                        "'launch_check_subpartitions': %u is neither 0 nor a power of two",
                        sm->launch_check_subpartitions);
    uint32_t most = smc_registers_checked_subpartitions(sm);
    if (sm->subpartitions > most)
        return smc_fail(error, SMC_USAGE,
                        "'" SUBPARTITIONS "': %u is above %u, which the launch check of compute "
                        "capability %u.%u counts with",
                        sm->subpartitions, most, sm->cc / 10, sm->cc % 10);
    SMC_TRY(check_most("max_threads_per_block", sm->max_threads_per_block, "max_threads_per_sm",
                       threads, error));
    return check_most("max_regs_per_block", sm->max_regs_per_block, "regs_per_sm", sm->regs_per_sm,
                      error);
}

/* Either both sizes are given or neither; both must exceed the sizes without the oversized mode. */
static enum smc_status check_oversized(const struct smc_sm *sm, struct smc_error *error)
{
    uint32_t per_sm = sm->smem_oversized_per_sm_bytes;
    uint32_t per_block = sm->smem_oversized_per_block_bytes;
    if (per_sm == 0 && per_block == 0)
        return SMC_OK;
    if (per_sm <= sm->smem_per_sm_bytes)
        return smc_fail(error, SMC_USAGE,
                        "'smem_oversized_per_sm_bytes': %u is not above smem_per_sm_bytes, %u",
                        per_sm, sm->smem_per_sm_bytes);
    if (per_block <= sm->smem_per_block_optin_bytes)
        return smc_fail(error, SMC_USAGE,
                        "'smem_oversized_per_block_bytes': %u is not above "
                        "smem_per_block_optin_bytes, %u",
                        per_block, sm->smem_per_block_optin_bytes);
    if (per_block + sm->smem_reserved_per_block_bytes > per_sm)
        return smc_fail(error, SMC_USAGE,
                        "'smem_oversized_per_block_bytes': %u, with %u reserved, is above "
                        "smem_oversized_per_sm_bytes, %u",
                        per_block, sm->smem_reserved_per_block_bytes, per_sm);
    return SMC_OK;
}

static enum smc_status check_shared_memory(const struct smc_sm *sm, struct smc_error *error)
{
    uint32_t reserved = sm->smem_reserved_per_block_bytes;
    if (reserved % sm->smem_alloc_unit_bytes != 0)
        return smc_fail(error, SMC_USAGE,
                        "'smem_reserved_per_block_bytes': %u is not a multiple of "
                        "smem_alloc_unit_bytes, %u",
                        reserved, sm->smem_alloc_unit_bytes);
    if (sm->smem_per_block_optin_bytes + reserved > sm->smem_per_sm_bytes)
        return smc_fail(error, SMC_USAGE,
                        "'smem_per_block_optin_bytes': %u, with %u reserved, is above "
                        "smem_per_sm_bytes, %u",
                        sm->smem_per_block_optin_bytes, reserved, sm->smem_per_sm_bytes);
    SMC_TRY(check_most("smem_per_block_default_bytes", sm->smem_per_block_default_bytes,
                       "smem_per_block_optin_bytes", sm->smem_per_block_optin_bytes, error));
    SMC_TRY(check_carveouts(sm, error));
    return check_oversized(sm, error);
}

enum smc_status smc_sm_check(const struct smc_sm *sm, struct smc_error *error)
{
    if (sm->cc < SMC_MIN_CC || sm->cc > SMC_MAX_CC)
        return smc_fail(error, SMC_USAGE, "'" CAPABILITY "': %u.%u is not 1.0 to 99.9", sm->cc / 10,
                        sm->cc % 10);
    SMC_TRY(check_ranges(sm, error));
    SMC_TRY(check_threads_and_registers(sm, error));
    SMC_TRY(check_shared_memory(sm, error));
    if (sm->barriers_per_sm > 0)
        SMC_TRY(check_most("named_barriers_per_block", sm->named_barriers_per_block,
                           "barriers_per_sm", sm->barriers_per_sm, error));
    return check_most("cluster_max_portable", sm->cluster_max_portable, "cluster_max_nonportable",
                      sm->cluster_max_nonportable, error);
}
