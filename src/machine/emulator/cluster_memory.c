/* Accesses of a block to the shared memory of other blocks of its cluster. */
#include "machine/emulator/clusters.h"

#include <string.h>

#include "machine/emulator/concurrent_blocks.h"
#include "machine/emulator/peers.h"
#include "machine/emulator/shadow.h"

/* An access of a lane to another block. False: there is a finding. */
static bool cluster_memory_reach(struct smc_worker *worker, const struct smc_warp *warp,
                                 uint32_t lane, const struct smc_peer_access *access,
                                 const void *value)
{
    struct smc_worker *mate = access->owner;
    const uint64_t room = worker->launch->smem_bytes;
    if (!mate || access->address > room || access->bytes > room - access->address) {
        struct smc_finding finding = smc_finding_at(
            worker, SMC_FINDING_OUT_OF_BOUNDS, access->op->instruction, smc_thread_of(warp, lane));
        smc_finding_set_address(worker, &finding, SMC_SPACE_SHARED, access->address, access->bytes);
        smc_find(worker, &finding);
        return false;
    }
    if (!mate->is_running) {
        smc_peers_report_ended(worker, warp, lane, access);
        return false;
    }
    struct smc_peer_access compared = *access;
    compared.is_same = access->kind == SMC_WRITES && value &&
                       !memcmp(mate->shared + access->address, value, access->bytes);
    smc_peers_reach(worker, warp, lane, &compared);
    if (access->kind != SMC_READS && mate->shadow)
        smc_shadow_written_elsewhere(mate->shadow, access->address, access->bytes);
    return true;
}

/* The lanes of `mask` access other blocks' memory. */
static void count_distributed(struct smc_worker *worker, const struct smc_warp_access *access,
                              uint32_t mask)
{
    struct smc_emulated_count *count = &worker->count[access->op->instruction];
    const enum smc_bank_op kind = access->kind == SMC_READS ? SMC_BANK_LOAD : SMC_BANK_STORE;
    struct smc_access counted = {
        .mask = mask,
        .width_bytes = access->bytes,
        .op = smc_op_bank_op(access->op, kind, mask),
    };
    EACH_ACTIVE(lane, mask) {
        const uint64_t rank = access->address[lane] / SMC_CLUSTER_STRIDE - 1;
        const uint64_t offset = access->address[lane] % SMC_CLUSTER_STRIDE;
        counted.address[lane] =
            (uint32_t)(rank * SMC_DISTRIBUTED_STRIDE + SMC_DISTRIBUTED_FIRST + offset);
    }
    const uint32_t wavefronts = smc_banks_count_distributed(&counted);
    count->distributed++;
    count->distributed_wavefronts += wavefronts;
    count->distributed_unknown += wavefronts == 0;
}

uint32_t smc_cluster_reach(struct smc_worker *worker, const struct smc_warp *warp,
                           const struct smc_warp_access *access, struct smc_cluster_lanes *lanes)
{
    const uint32_t me = smc_cluster_rank(worker);
    uint32_t good = 0;
    EACH_ACTIVE(lane, access->mask) {
        const uint64_t place = access->address[lane] / SMC_CLUSTER_STRIDE;
        const uint64_t offset = access->address[lane] % SMC_CLUSTER_STRIDE;
        if (place == 0 || place - 1 == me) {
            lanes->own[lane] = offset;
            lanes->mine |= 1u << lane;
            continue;
        }
        const struct smc_peer_access to = {.op = access->op,
                                           .kind = access->kind,
                                           .owner = smc_cluster_mate(worker, place - 1),
                                           .address = offset,
                                           .bytes = access->bytes};
        if (!cluster_memory_reach(worker, warp, lane, &to,
                                  access->value ? access->value[lane] : NULL))
            continue;
        access->host[lane] = to.owner->shared + offset;
        good |= 1u << lane;
    }
    if (good)
        count_distributed(worker, access, good);
    if (!good || !access->op->is_strong)
        return good;
    smc_peers_strong(worker, access->op, access->kind);
    smc_concurrent_strong(worker, access->op, access->kind);
    return good;
}
