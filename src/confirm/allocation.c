/* What a block takes of an SM, and what stops the next one. */
#include "confirm/allocation.h"

#include <stdio.h>
#include <string.h>

#include "confirm/rows.h"

/* A live device brings the API's own number: the table's is another witness. */
static uint32_t predicted_reserve(const struct smc_sm *sm)
{
    struct smc_capability capability;
    return smc_capability_find(sm->cc, &capability) ? capability.sm.smem_reserved_per_block_bytes
                                                    : sm->smem_reserved_per_block_bytes;
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
