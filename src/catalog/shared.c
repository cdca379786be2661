/* Describing accesses to shared memory, a lane at a time. */
#include "catalog/families.h"

void smc_shared_begin(struct smc_shared_access *access, const char *label, enum smc_bank_op op,
                      uint32_t width_bytes, uint32_t row_elements, uint32_t steps)
{
    *access = (struct smc_shared_access){
        .label = label,
        .row_elements = row_elements,
        .steps = steps,
        .access = {.width_bytes = width_bytes, .op = op},
    };
}

void smc_shared_lane(struct smc_shared_access *access, uint32_t lane, uint32_t step,
                     uint32_t element)
{
    if (step >= access->steps)
        return;
    access->access.mask |= 1u << lane;
    access->access.address[lane] = access->first_byte + element * access->access.width_bytes;
}
