/* A launch of machine code. */
#include "machine/sass/sass_launch.h"

#include <string.h>

void smc_launch_place(const struct smc_machine_launch *launch, const uint32_t index[3],
                      uint32_t warp, struct smc_machine_place *place)
{
    *place = (struct smc_machine_place){
        .constants = launch->constants,
        .constant_bytes = launch->constant_bytes,
        .bank = launch->bank,
        .registers = launch->program->registers,
        .first_thread = warp * SMC_LANES,
        .warp = warp,
    };
    memcpy(place->block, launch->block, sizeof place->block);
    memcpy(place->grid, launch->grid, sizeof place->grid);
    for (int i = 0; i < 3; i++)
        place->index[i] = index[i] - (launch->cluster[i] > 1 ? index[i] % launch->cluster[i] : 0);
}

static void put(unsigned char *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> (8 * i));
}

/* The address of the parameters is here on sm_90 (ptxas 13.0). */
enum { ADDRESS_AT = 0x198 };

/* The sizes of block and grid are at the beginning, where the code that ptxas generates reads them.
 */
void smc_machine_constants(unsigned char bank[SMC_MACHINE_CONSTANT_BYTES], const uint32_t block[3],
                           const uint32_t grid[3], uint32_t parameters_at, const void *parameters,
                           size_t parameter_bytes)
{
    memset(bank, 0, SMC_MACHINE_CONSTANT_BYTES);
    for (int axis = 0; axis < 3; axis++) {
        put(bank + (ptrdiff_t)4 * axis, block[axis]);
        put(bank + 0xc + (ptrdiff_t)4 * axis, grid[axis]);
    }
    const uint64_t address = SMC_MACHINE_CONSTANTS_ADDRESS + parameters_at;
    put(bank + ADDRESS_AT, (uint32_t)address);
    put(bank + ADDRESS_AT + 4, (uint32_t)(address >> 32));
    if (parameters_at <= SMC_MACHINE_CONSTANT_BYTES &&
        parameter_bytes <= SMC_MACHINE_CONSTANT_BYTES - parameters_at)
        memcpy(bank + parameters_at, parameters, parameter_bytes);
}

/* The blocks of a cluster in x, y and z, what one divided by them is, as a float, and their product
   (ptxas 13.0, sm_90). */
void smc_machine_cluster_constants(unsigned char bank[SMC_MACHINE_CONSTANT_BYTES],
                                   const uint32_t cluster[3])
{
    enum { SHAPE_AT = 0x144, RECIPROCALS_AT = 0x150, BLOCKS_AT = 0x188 };
    uint32_t blocks = 1;
    for (int axis = 0; axis < 3; axis++) {
        const uint32_t edge = cluster[axis] > 0 ? cluster[axis] : 1;
        const float reciprocal = 1 / (float)edge;
        uint32_t bits;
        memcpy(&bits, &reciprocal, sizeof bits);
        put(bank + SHAPE_AT + (ptrdiff_t)4 * axis, edge);
        put(bank + RECIPROCALS_AT + (ptrdiff_t)4 * axis, bits);
        blocks *= edge;
    }
    put(bank + BLOCKS_AT, blocks);
}
