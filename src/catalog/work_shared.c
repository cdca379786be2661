/* Instructions and wavefronts of shared memory, by the shapes that warps have and how often. */
#include "catalog/work_parts.h"

enum { WORD_BYTES = 4 };

void smc_shared_add(struct smc_shared_count *count, const struct smc_bank_layout *layout,
                    const struct smc_access *access, double times)
{
    if (access->mask == 0)
        return;
    count->instructions += times;
    struct smc_bank_cost cost = smc_banks_count(layout, access);
    count->wavefronts += times * cost.wavefronts;
    count->least += times * cost.least;
}

void smc_shared_add_run(struct smc_shared_count *count, const struct smc_bank_layout *layout,
                        enum smc_bank_op op, uint32_t lanes, double times)
{
    struct smc_access access = {.width_bytes = WORD_BYTES, .op = op, .mask = SMC_ALL_LANES};
    for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++)
        access.address[lane] = lane * WORD_BYTES;
    uint32_t warps = lanes / SMC_WARP_LANES;
    if (warps > 0)
        smc_shared_add(count, layout, &access, warps * times);
    access.mask = (1u << lanes % SMC_WARP_LANES) - 1;
    smc_shared_add(count, layout, &access, times);
}
