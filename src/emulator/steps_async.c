/* cp.async: what is fetched is stored when its thread waits for it, and not before, so that a read
   too early finds what was there. Groups are counted by warp. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "emulator/runtime.h"
#include "emulator/shadow.h"
#include "emulator/steps.h"

enum { MOST_BYTES = 16 };

/* One instruction's copies. */
struct smc_copy {
    struct smc_copy *next;
    const struct smc_op *op;
    uint64_t group;
    uint32_t mask;
    uint64_t to[SMC_LANES];
    char data[SMC_LANES][MOST_BYTES];
};

void smc_copies_forget(struct smc_warp *warp)
{
    while (warp->copies) {
        struct smc_copy *next = warp->copies->next;
        free(warp->copies);
        warp->copies = next;
    }
    warp->copy_group = 0;
}

/* Lanes that want as many bytes as the first of `mask`. */
static uint32_t lanes_alike(const lane_u32 *bytes, uint32_t mask)
{
    uint32_t alike = 0, first = (uint32_t)__builtin_ctz(mask);
    EACH_ACTIVE(lane, mask) alike |= (uint32_t)(bytes[lane] == bytes[first]) << lane;
    return alike;
}

static uint32_t read_from(struct smc_worker *worker, struct smc_warp *warp,
                          const struct smc_op *read, const uint64_t to[SMC_LANES], uint32_t mask,
                          char *host[SMC_LANES])
{
    uint64_t from[SMC_LANES];
    smc_memory_addresses(warp, read, from);
    mask = smc_memory_access_at(worker, warp, read, SMC_SPACE_GLOBAL, SMC_READS, from, mask, NULL,
                                host);
    if (read->skips_l1 && mask)
        smc_count_copy(worker, read, from, to, mask);
    return mask;
}

/* Reads what each lane asks for; the rest of its bytes are 0. Returns the lanes that may. */
static uint32_t fetch(struct smc_worker *worker, struct smc_warp *warp, const struct smc_op *op,
                      uint32_t mask, struct smc_copy *copy)
{
    const lane_u32 *wanted = (const lane_u32 *)(warp->file + op->c);
    uint32_t fetched = 0;
    for (uint32_t left = mask; left;) {
        uint32_t alike = lanes_alike(wanted, left), bytes = wanted[__builtin_ctz(left)];
        char *host[SMC_LANES];
        struct smc_op read = *op;
        left &= ~alike;
        read.a = op->b;
        read.immediate = op->source_offset;
        read.address_is_32 = false;
        read.space = SMC_SPACE_GLOBAL;
        bytes = bytes < op->width_bytes ? bytes : op->width_bytes;
        while (read.width_bytes > 1 && read.width_bytes / 2 >= bytes)
            read.width_bytes /= 2;
        if (bytes > 0)
            alike = read_from(worker, warp, &read, copy->to, alike, host);
        EACH_ACTIVE(lane, alike)
        if (bytes > 0)
            memcpy(copy->data[lane], host[lane], bytes);
        fetched |= alike;
    }
    return fetched;
}

enum smc_next smc_step_copy(struct smc_worker *worker, struct smc_warp *warp,
                            const struct smc_op *op, uint32_t mask)
{
    struct smc_copy *copy = smc_calloc(1, sizeof *copy), **last = &warp->copies;
    if (!copy) {
        worker->out_of_memory = true;
        return SMC_GIVES_UP;
    }
    copy->op = op;
    copy->group = warp->copy_group;
    smc_memory_addresses(warp, op, copy->to);
    copy->mask = fetch(worker, warp, op, mask, copy);
    if (worker->shadow && copy->mask)
        smc_shadow_check_copy(worker, warp, op, copy->to, copy->mask);
    while (*last)
        last = &(*last)->next;
    *last = copy;
    return SMC_GO_ON;
}

static void store(struct smc_worker *worker, struct smc_warp *warp, const struct smc_copy *copy)
{
    char *host[SMC_LANES];
    const void *value[SMC_LANES];
    for (unsigned lane = 0; lane < SMC_LANES; lane++)
        value[lane] = copy->data[lane];
    uint32_t mask = copy->mask ? smc_memory_access_at(worker, warp, copy->op, SMC_SPACE_SHARED,
                                                      SMC_WRITES, copy->to, copy->mask, value, host)
                               : 0;
    EACH_ACTIVE(lane, mask) memcpy(host[lane], value[lane], copy->op->width_bytes);
}

enum smc_next smc_step_commit(struct smc_worker *worker, struct smc_warp *warp,
                              const struct smc_op *op, uint32_t mask)
{
    (void)worker, (void)op, (void)mask;
    warp->copy_group++;
    return SMC_GO_ON;
}

enum smc_next smc_step_wait(struct smc_worker *worker, struct smc_warp *warp,
                            const struct smc_op *op, uint32_t mask)
{
    (void)mask;
    while (warp->copies && (op->immediate == SMC_WAIT_FOR_ALL ||
                            warp->copies->group + op->immediate < warp->copy_group)) {
        struct smc_copy *copy = warp->copies;
        store(worker, warp, copy);
        warp->copies = copy->next;
        free(copy);
    }
    return SMC_GO_ON;
}
