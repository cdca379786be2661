/* Checks every access that is made: within its block by the shadow, and where blocks of a cluster
   share memory, by peers.c. */
#include "machine/emulator/concurrent_blocks.h"
#include "machine/emulator/peers.h"
#include "machine/emulator/shadow_cells.h"

void smc_shadow_check(struct smc_worker *worker, struct smc_warp *warp,
                      const struct smc_warp_access *access, const struct smc_places *places)
{
    if (worker->shadow->is_shared && access->space == SMC_SPACE_SHARED)
        smc_peers_check(worker, warp, access);
    if (worker->concurrent && access->space == SMC_SPACE_GLOBAL)
        smc_concurrent_check(worker, warp, access);
    smc_shadow_check_lanes(worker, warp, access, places);
    if (!access->op->is_strong)
        return;
    smc_peers_strong(worker, access->op, access->kind);
    smc_concurrent_strong(worker, access->op, access->kind);
}

/* --- Copies, and writes of other blocks ------------------------------------------------------- */

void smc_shadow_written_elsewhere(struct smc_shadow *shadow, uint64_t address, uint32_t bytes)
{
    const uint32_t unit = shadow->cell_bytes_shared;
    smc_shadow_catch_up(shadow);
    for (uint64_t i = address / unit; i <= (address + bytes - 1) / unit; i++) {
        mark_written(shadow, i, 1);
        shadow->shared[i].write_at = shadow->order.block_began_at;
        shadow->shared[i].is_exempt = true;
        if (shadow->pending)
            shadow->pending_cells[i / SMC_LINE_CELLS] &= ~(1u << i % SMC_LINE_CELLS);
    }
}

void smc_shadow_set_pending(struct smc_shadow *shadow, uint64_t address, uint32_t bytes,
                            uint32_t place, bool is_pending)
{
    const uint32_t unit = shadow->cell_bytes_shared;
    smc_shadow_catch_up(shadow);
    shadow->has_copies |= is_pending;
    for (uint64_t i = address / unit; i <= (address + bytes - 1) / unit; i++) {
        struct cell *cell = &shadow->shared[i];
        if (cell->write_at < shadow->order.block_began_at || cell->write_place != place)
            continue;
        mark_written(shadow, i, 1);
        set_flag(cell, COPY_IS_PENDING, is_pending);
        if (is_pending) /* so that no read is taken for one of known contents */
            shadow->word[i / SMC_LINE_CELLS].written &= ~(1u << i % SMC_LINE_CELLS);
    }
}

void smc_shadow_delay(struct smc_shadow *shadow, uint64_t address, uint32_t bytes, uint32_t place,
                      bool is_pending)
{
    const uint32_t unit = shadow->cell_bytes_global;
    for (uint64_t i = address / unit; i <= (address + bytes - 1) / unit; i++) {
        struct line *line = line_of(shadow, i / SMC_LINE_CELLS);
        struct cell *cell = line ? &line->cell[i % SMC_LINE_CELLS] : NULL;
        if (!cell || cell->write_at < shadow->order.block_began_at || cell->write_place != place)
            continue;
        line->settled.cells = 0;
        if (is_pending || cell->write_at == SMC_WRITTEN_LATER)
            cell->write_at = is_pending ? SMC_WRITTEN_LATER : shadow->order.now;
        set_flag(cell, COPY_IS_PENDING, is_pending);
    }
}

void smc_shadow_check_copy(struct smc_worker *worker, struct smc_warp *warp,
                           const struct smc_op *op, const uint64_t address[SMC_LANES],
                           uint32_t mask)
{
    const struct visit visit = visit_of(worker, warp, op, SMC_SPACE_SHARED, op->width_bytes);
    uint64_t bytes = worker->launch->smem_bytes;
    smc_shadow_catch_up(worker->shadow);
    EACH_ACTIVE(lane, mask) {
        if (bytes < visit.bytes || address[lane] > bytes - visit.bytes)
            continue; /* reported when it arrives */
        const struct smc_warp_access access = {.op = op,
                                               .kind = SMC_WRITES,
                                               .mask = 1u << lane,
                                               .bytes = visit.bytes,
                                               .address = address};
        if (worker->shadow->is_shared)
            smc_peers_check(worker, warp, &access);
        smc_shadow_begin_copy(&visit, smc_thread_of(warp, lane), address[lane]);
    }
}
