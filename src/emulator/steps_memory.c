/* Loads and stores. */
#include <string.h>

#include "emulator/runtime.h"
#include "emulator/steps.h"

#define FETCH(type_t, lane_t)                                                                      \
    do {                                                                                           \
        lane_t *to = (lane_t *)d;                                                                  \
        if (mask == SMC_ALL_LANES)                                                                 \
            for (unsigned lane = 0; lane < SMC_LANES; lane++) {                                    \
                type_t value;                                                                      \
                memcpy(&value, host[lane] + offset, sizeof value);                                 \
                to[lane] = (lane_t)value;                                                          \
            }                                                                                      \
        else                                                                                       \
            EACH_ACTIVE(lane, mask)                                                                \
            {                                                                                      \
                type_t value;                                                                      \
                memcpy(&value, host[lane] + offset, sizeof value);                                 \
                to[lane] = (lane_t)value;                                                          \
            }                                                                                      \
    } while (0)

/* One element of each lane; narrow ones are extended as their type has a sign or not. */
static void fetch(const struct smc_op *op, char *d, enum smc_slot_kind kind, uint32_t offset,
                  uint32_t mask, char *const host[SMC_LANES])
{
    bool is_signed = smc_ptx_type_info[op->type].class == SMC_CLASS_SIGNED;
    bool wide = kind == SMC_SLOT_64;
    switch (op->width_bytes * 4 + is_signed * 2 + wide) {
    case 1 * 4 + 0:
        FETCH(uint8_t, lane_u32);
        break;
    case 1 * 4 + 1:
        FETCH(uint8_t, lane_u64);
        break;
    case 1 * 4 + 2:
        FETCH(int8_t, lane_s32);
        break;
    case 1 * 4 + 3:
        FETCH(int8_t, lane_s64);
        break;
    case 2 * 4 + 0:
        FETCH(uint16_t, lane_u32);
        break;
    case 2 * 4 + 1:
        FETCH(uint16_t, lane_u64);
        break;
    case 2 * 4 + 2:
        FETCH(int16_t, lane_s32);
        break;
    case 2 * 4 + 3:
        FETCH(int16_t, lane_s64);
        break;
    case 4 * 4 + 1:
        FETCH(uint32_t, lane_u64);
        break;
    case 4 * 4 + 3:
        FETCH(int32_t, lane_s64);
        break;
    case 8 * 4 + 1:
    case 8 * 4 + 3:
        FETCH(uint64_t, lane_u64);
        break;
    default:
        FETCH(uint32_t, lane_u32);
    }
}

enum smc_next smc_step_load(struct smc_worker *worker, struct smc_warp *warp,
                            const struct smc_op *op, uint32_t mask)
{
    char *host[SMC_LANES];
    mask = smc_memory_access(worker, warp, op, SMC_READS, mask, NULL, host);
    for (uint32_t i = 0; i < op->vector; i++)
        if (op->v[i] != SMC_NO_SLOT)
            fetch(op, warp->file + op->v[i], op->v_kind[i], i * op->width_bytes, mask, host);
    return SMC_GO_ON;
}

/* Where each lane's new value lies: in the register itself, or joined from several. */
static void gather(const struct smc_warp *warp, const struct smc_op *op, char joined[SMC_LANES][32],
                   const void *value[SMC_LANES])
{
    for (uint32_t i = 0; i < op->vector; i++) {
        const char *file = warp->file + op->v[i];
        uint32_t lane_bytes = op->v_kind[i] == SMC_SLOT_64 ? 8 : 4;
        for (unsigned lane = 0; lane < SMC_LANES; lane++) {
            value[lane] = file + lane * lane_bytes;
            if (op->vector > 1)
                memcpy(joined[lane] + i * op->width_bytes, value[lane], op->width_bytes);
        }
    }
    for (unsigned lane = 0; lane < SMC_LANES && op->vector > 1; lane++)
        value[lane] = joined[lane];
}

enum smc_next smc_step_store(struct smc_worker *worker, struct smc_warp *warp,
                             const struct smc_op *op, uint32_t mask)
{
    char *host[SMC_LANES], joined[SMC_LANES][32];
    const void *value[SMC_LANES] = {0};
    uint32_t bytes = (uint32_t)op->width_bytes * op->vector;
    gather(warp, op, joined, value);
    mask = smc_memory_access(worker, warp, op, SMC_WRITES, mask, value, host);
    if (bytes == 4)
        EACH_ACTIVE(lane, mask) memcpy(host[lane], value[lane], 4);
    else
        EACH_ACTIVE(lane, mask) memcpy(host[lane], value[lane], bytes);
    return SMC_GO_ON;
}
