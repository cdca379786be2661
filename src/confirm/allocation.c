/* What a block takes of an SM, and what stops the next one. */
#include "confirm/allocation.h"

#include <stdio.h>
#include <string.h>

#include "confirm/rows.h"
#include "model/room.h"

/* A live device brings the API's own number: the table's is another witness. */
static uint32_t predicted_reserve(const struct smc_sm *sm)
{
    struct smc_capability capability;
    return smc_capability_find(sm->cc, &capability) ? capability.sm.smem_reserved_per_block_bytes
                                                    : sm->smem_reserved_per_block_bytes;
}

/* From this release of CUDA on the API counts the driver's reserve. */
enum { COUNTS_RESERVE_FROM = 13050 };

/* Of the launch's blocks, and of as much as the kernel may ask for. The API takes a preferred
   carve-out for granted that the driver may raise, so that only the driver's own is compared. */
static bool can_predict_available(const struct smc_answer *answer,
                                  const struct smc_run_result *result)
{
    const struct smc_launch *launch = &answer->launch;
    return result->api_available_smem.made && answer->outcome == SMC_LAUNCHES &&
           launch->carveout_percent == SMC_CARVEOUT_DEFAULT &&
           launch->cache_config == SMC_CACHE_PREFER_NONE &&
           launch->smem_mode == SMC_SMEM_MODE_DEFAULT &&
           result->api_regs_per_thread == launch->regs_per_thread &&
           result->api_static_smem_bytes == launch->static_smem_bytes &&
           result->api_blocks_per_sm == answer->occupancy.blocks_per_sm;
}

static uint32_t at_most(uint64_t bytes, uint32_t cap)
{
    return bytes < cap ? (uint32_t)bytes : cap;
}

static uint32_t predicted_available(const struct smc_answer *answer)
{
    struct smc_rooms rooms;
    struct smc_launch launch = answer->launch;
    uint32_t blocks = answer->occupancy.blocks_per_sm;
    smc_rooms_find(&answer->query.device.sm, &launch, (struct smc_fixed){.regs = true}, &rooms);
    return blocks >= 1 && blocks <= rooms.count ? rooms.room[blocks - 1].dynamic_smem_bytes : 0;
}

/* Before CUDA 13.5 the API forgets the driver's reserve for two blocks and more: a known error
   there, a difference from then on. */
void smc_confirm_available_smem(const struct smc_answer *answer,
                                const struct smc_run_result *result, struct smc_confirmation *out)
{
    const struct smc_sm *sm = &answer->query.device.sm;
    uint32_t reserve = sm->smem_reserved_per_block_bytes, cap = result->dynamic_smem_cap_bytes;
    uint32_t blocks = answer->occupancy.blocks_per_sm;
    if (!can_predict_available(answer, result))
        return;
    uint32_t bytes = predicted_available(answer);
    struct smc_row *row =
        smc_row_add(out, "available_dynamic_smem_bytes", "dynamic, at these blocks", "B");
    row->predicted = smc_witness_of(at_most(bytes, cap));
    if (result->api_available_smem.succeeded)
        row->api = smc_witness_of(result->api_available_smem_bytes);
    smc_row_judge(row);
    bool forgets = row->verdict == SMC_DIFFERS && blocks > 1 &&
                   result->api_available_smem_bytes == at_most((uint64_t)bytes + reserve, cap);
    bool known = result->driver_version > 0 && result->driver_version < COUNTS_RESERVE_FROM;
    if (!result->api_available_smem.succeeded)
        smc_row_note(row, "%s", result->api_available_smem.message);
    else if (forgets && known)
        row->verdict = SMC_INFORMATION;
    if (forgets)
        smc_row_note(row, "the API forgets the driver's %u B a block%s", reserve,
                     known ? ", as it does before CUDA 13.5" : ", which CUDA 13.5 mended");
}

void smc_confirm_allocated_smem(const struct smc_answer *answer,
                                const struct smc_run_result *result, struct smc_confirmation *out)
{
    const struct smc_sm *sm = &answer->query.device.sm;
    struct smc_row *row;
    if (result->api_reserved_smem.made) {
        row = smc_row_add(out, "reserved_smem_bytes", "reserved shared memory", "B");
        row->predicted = smc_witness_of(predicted_reserve(sm));
        if (result->api_reserved_smem.succeeded)
            row->api = smc_witness_of(result->api_reserved_smem_bytes);
        smc_row_judge(row);
        smc_row_note(row, "%s", result->api_reserved_smem.message);
    }
    row = smc_row_add(out, "allocated_smem_bytes", "allocated shared memory", "B");
    row->predicted = smc_witness_of(answer->occupancy.smem_allocated_per_block_bytes);
    row->verdict = SMC_INFORMATION;
}

void smc_show_binding_limits(const struct smc_answer *answer, struct smc_confirmation *out)
{
    struct smc_row *row = smc_row_add(out, "binding_limits", "binding limits", "");
    row->verdict = SMC_INFORMATION;
    for (int i = 0; i < SMC_LIMIT_COUNT; i++) {
        size_t used = strlen(row->words);
        if (answer->occupancy.limiters & 1u << i)
            snprintf(row->words + used, sizeof row->words - used, "%s%s", used ? "+" : "",
                     smc_limit_name((enum smc_limit)i));
    }
}
