/* Runs a block: its warps one after the other, from barrier to barrier. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/numbers.h"
#include "machine/emulator/clusters.h"
#include "machine/emulator/emulator_steps.h"
#include "machine/emulator/mbarrier.h"
#include "machine/emulator/peers.h"
#include "machine/emulator/pending.h"
#include "machine/emulator/shadow.h"
#include "machine/emulator/unset_values.h"

static uint32_t block_live_lanes(const struct smc_worker *worker)
{
    uint32_t lanes = 0;
    for (uint32_t w = 0; w < worker->launch->warps_per_block; w++)
        lanes += smc_lane_count(worker->warp[w].live);
    return lanes;
}

/* --- Barriers --------------------------------------------------------------------------------- */

/* bar.red: the result for the waiting lanes. */
static void write_reduction(struct smc_warp *warp, const struct smc_group *group,
                            const struct smc_op *op, const struct smc_barrier *barrier)
{
    if (op->d_kind == SMC_SLOT_NONE)
        return;
    bool holds = op->reduction == SMC_REDUCE_OR ? barrier->true_lanes > 0
                                                : barrier->true_lanes == barrier->lanes;
    lane_u32 *d = (lane_u32 *)(warp->file + op->d);
    if (op->d_kind == SMC_SLOT_PREDICATE)
        *d = holds ? *d | group->active : *d & ~group->active;
    else
        EACH_ACTIVE(lane, group->active)
            d[lane] = barrier->true_lanes;
}

/* Of a barrier of part of the block, the order of warps does not say what lanes of one know. */
static void block_release(struct smc_worker *worker, uint32_t id, bool is_partial)
{
    struct smc_barrier *barrier = &worker->barrier[id];
    for (uint32_t w = 0; w < worker->launch->warps_per_block; w++) {
        struct smc_warp *warp = &worker->warp[w];
        uint32_t lanes = 0;
        for (uint64_t left = warp->used; left; left &= left - 1) {
            struct smc_group *group = &warp->group[__builtin_ctzll(left)];
            if (group->state != SMC_GROUP_AT_BARRIER || group->barrier != id)
                continue;
            lanes |= group->active;
            write_reduction(warp, group, &worker->launch->program->op[group->pc], barrier);
            group->state = SMC_GROUP_READY;
            group->pc++;
        }
        if (worker->shadow && lanes && is_partial)
            smc_shadow_sync_lanes(worker->shadow, warp, lanes);
    }
}

static bool passes_by(struct smc_worker *worker, uint32_t barrier, uint32_t left)
{
    if (worker->asked.barrier != barrier || worker->asked.left != left) {
        worker->asked.barrier = barrier;
        worker->asked.left = left;
        worker->asked.passes_by = smc_passes_by(worker->launch->program, barrier, left);
    }
    return worker->asked.passes_by;
}

/* Warps have exited without having been at a barrier of the whole block, which is complete for
   that: some of them not where they return, but after the barrier. */
static void check_skipped(struct smc_worker *worker, const struct smc_barrier *barrier)
{
    const struct smc_program *program = worker->launch->program;
    if (barrier->lanes >= worker->launch->threads_per_block)
        return;
    for (uint32_t w = 0; w < worker->launch->warps_per_block; w++) {
        const struct smc_warp *warp = &worker->warp[w];
        if (barrier->warps >> w & 1 || warp->live || !passes_by(worker, barrier->at, warp->left_at))
            continue;
        struct smc_finding finding =
            smc_finding_at(worker, SMC_FINDING_SKIPPED_BARRIER,
                           program->op[barrier->at].instruction, barrier->first);
        finding.has_other = true;
        finding.other_instruction = program->op[warp->left_at].instruction;
        smc_finding_set_other(worker, &finding, smc_thread_of(warp, 0));
        snprintf(finding.note, sizeof finding.note,
                 "undefined in CUDA C++, unless they return before it in the source; PTX does not "
                 "wait for threads that have exited");
        smc_find(worker, &finding);
        return;
    }
}

/* Releases the barrier's waiting lanes if all expected threads have arrived. */
static void barrier_try(struct smc_worker *worker, uint32_t id)
{
    struct smc_barrier *barrier = &worker->barrier[id];
    uint32_t live = block_live_lanes(worker);
    bool complete =
        barrier->expected ? barrier->slots >= barrier->expected : barrier->lanes >= live;
    if (!barrier->warps || !complete)
        return;
    const bool is_partial = barrier->lanes < live || barrier->waiting != barrier->warps;
    if (!barrier->expected)
        check_skipped(worker, barrier);
    if (worker->shadow && !is_partial)
        smc_shadow_sync_block(worker->shadow);
    else if (worker->shadow)
        smc_shadow_sync_warps(worker->shadow, barrier);
    block_release(worker, id, is_partial);
    *barrier = (struct smc_barrier){0};
}

/* Rechecks the barriers after threads exited: they may have been the last ones missing. */
static void try_barriers(struct smc_worker *worker)
{
    for (uint32_t id = 0; id < SMC_BARRIERS; id++)
        if (worker->barrier[id].warps)
            barrier_try(worker, id);
}

/* --- Registers that do not change ------------------------------------------------------------- */

static uint64_t axis_value(const struct smc_worker *worker, enum smc_special of_x, uint32_t axis)
{
    const struct smc_launch_state *launch = worker->launch;
    const uint32_t at = worker->block_index[axis], cluster = launch->cluster[axis];
    switch (of_x) {
    case SMC_SPECIAL_NTID_X:
        return launch->request->block[axis];
    case SMC_SPECIAL_CTAID_X:
        return at;
    case SMC_SPECIAL_NCTAID_X:
        return launch->request->grid[axis];
    case SMC_SPECIAL_CLUSTERID_X:
        return at / cluster;
    case SMC_SPECIAL_NCLUSTERID_X:
        return launch->request->grid[axis] / cluster;
    case SMC_SPECIAL_CLUSTER_CTAID_X:
        return at % cluster;
    default:
        return cluster;
    }
}

static uint64_t smem_value(const struct smc_launch_state *launch, enum smc_special special)
{
    switch (special) {
    case SMC_SPECIAL_DYNAMIC_SMEM_SIZE:
        return launch->request->dynamic_smem_bytes;
    case SMC_SPECIAL_TOTAL_SMEM_SIZE:
        return launch->program->static_smem_bytes + launch->request->dynamic_smem_bytes;
    case SMC_SPECIAL_RESERVED_SMEM_END:
        return launch->smem_bytes;
    case SMC_SPECIAL_RESERVED_SMEM_CAP:
        return SMC_RESERVED_SMEM_BYTES;
    case SMC_SPECIAL_RESERVED_SMEM_1:
        return launch->reserved_smem_at + SMC_RESERVED_SMEM_BYTES / 2;
    default:
        return launch->reserved_smem_at;
    }
}

static uint64_t lane_mask(enum smc_special special, uint32_t lane)
{
    const uint32_t self = smc_lane_bit[lane], below = self - 1;
    switch (special) {
    case SMC_SPECIAL_LANEMASK_EQ:
        return self;
    case SMC_SPECIAL_LANEMASK_LT:
        return below;
    case SMC_SPECIAL_LANEMASK_LE:
        return self | below;
    case SMC_SPECIAL_LANEMASK_GT:
        return ~(self | below);
    default:
        return ~below;
    }
}

static uint64_t block_special_value(const struct smc_worker *worker, enum smc_special special,
                                    uint32_t warp, uint32_t lane)
{
    const struct smc_launch_state *launch = worker->launch;
    const struct smc_emulation_request *request = launch->request;
    const uint32_t sms = request->sm_count ? request->sm_count : 1;
    if (special <= SMC_SPECIAL_CLUSTER_NCTAID_Z) {
        const uint32_t axis = (special - SMC_SPECIAL_TID_X) % 3;
        return axis_value(worker, special - axis, axis);
    }
    if (special >= SMC_SPECIAL_DYNAMIC_SMEM_SIZE)
        return smem_value(launch, special);
    switch (special) {
    case SMC_SPECIAL_LANEID:
        return lane;
    case SMC_SPECIAL_WARPID:
        return warp;
    case SMC_SPECIAL_NWARPID:
        return launch->warps_per_block;
    case SMC_SPECIAL_SMID:
        return worker->block % sms;
    case SMC_SPECIAL_NSMID:
        return sms;
    case SMC_SPECIAL_GRIDID:
        return 0;
    case SMC_SPECIAL_CLUSTER_CTARANK:
        return smc_cluster_rank(worker);
    case SMC_SPECIAL_CLUSTER_NCTARANK:
        return launch->cluster_blocks;
    case SMC_SPECIAL_IS_EXPLICIT_CLUSTER:
        return launch->program->module.cluster[0] || request->cluster[0] ? UINT32_MAX : 0;
    case SMC_SPECIAL_ENVREG_1:
        return request->cooperative ? SMC_WORKSPACE_BASE >> 32 : 0;
    case SMC_SPECIAL_ENVREG_2:
        return request->cooperative ? (uint32_t)SMC_WORKSPACE_BASE : 0;
    default:
        return lane_mask(special, lane);
    }
}

/* The index of each lane's thread along an axis of the block. */
static void fill_thread_index(const struct smc_worker *worker, uint32_t warp, int axis,
                              uint64_t value[SMC_LANES])
{
    const uint32_t *block = worker->launch->request->block, first = warp * SMC_LANES;
    uint32_t at[3];
    smc_index_to_place(first, block, at);
    for (uint32_t lane = 0; lane < SMC_LANES; lane++) {
        value[lane] = at[axis];
        smc_next_place(block, at);
    }
}

static void fill_special(const struct smc_worker *worker, enum smc_special special, uint32_t warp,
                         uint64_t value[SMC_LANES])
{
    switch (special) {
    case SMC_SPECIAL_TID_X:
    case SMC_SPECIAL_TID_Y:
    case SMC_SPECIAL_TID_Z:
        fill_thread_index(worker, warp, (int)(special - SMC_SPECIAL_TID_X), value);
        return;
    case SMC_SPECIAL_LANEID:
    case SMC_SPECIAL_LANEMASK_EQ:
    case SMC_SPECIAL_LANEMASK_LT:
    case SMC_SPECIAL_LANEMASK_LE:
    case SMC_SPECIAL_LANEMASK_GT:
    case SMC_SPECIAL_LANEMASK_GE:
        for (uint32_t i = 0; i < SMC_LANES; i++)
            value[i] = block_special_value(worker, special, warp, i);
        return;
    default: { /* the same for all lanes */
        const uint64_t same = block_special_value(worker, special, warp, 0);
        EACH_LANE(i)
            value[i] = same;
    }
    }
}

static void fill_fixed(const struct smc_worker *worker, struct smc_warp *warp)
{
    const struct smc_program *program = worker->launch->program;
    for (size_t n = 0; n < program->fixed_count; n++) {
        const struct smc_fixed_slot *slot = &program->fixed[n];
        char *d = warp->file + slot->offset;
        uint64_t value[SMC_LANES];
        const bool is_constant = slot->special == SMC_SPECIAL_CONSTANT;
        if (slot->kind == SMC_SLOT_PREDICATE) {
            *(lane_u32 *)d =
                (uint32_t)(is_constant ? slot->bits
                                       : block_special_value(worker, slot->special, 0, 0));
            continue;
        }
        if (is_constant)
            EACH_LANE(i)
                value[i] = slot->bits;
        else
            fill_special(worker, slot->special, warp->index, value);
        if (slot->kind == SMC_SLOT_64)
            EACH_LANE(i)
                ((lane_u64 *)d)[i] = value[i];
        else
            EACH_LANE(i)
                ((lane_u32 *)d)[i] = (uint32_t)value[i];
    }
}

/* --- The block -------------------------------------------------------------------------------- */

/* The kernel's variables in local memory; functions clear their frames themselves. */
static void clear_local(struct smc_worker *worker)
{
    const struct smc_program *program = worker->launch->program;
    size_t threads = worker->launch->threads_per_block, bytes = program->local_bytes;
    bool has_frames = program->has_calls || program->has_alloca;
    size_t cleared = has_frames ? program->kernel_frame_bytes : bytes * threads;
    for (size_t i = 0; i < (has_frames ? threads : 1); i++) {
        memset(worker->local + i * bytes, 0, cleared);
        if (worker->local_written)
            memset(worker->local_written + i * bytes, 0, cleared);
    }
}

void smc_block_begin(struct smc_worker *worker, uint64_t block)
{
    const struct smc_launch_state *launch = worker->launch;
    worker->block = block;
    smc_index_to_place(block, launch->request->grid, worker->block_index);
    worker->gave_up = false;
    worker->is_running = true;
    worker->fruitless = 0;
    worker->waits = false;
    worker->objects = 0;
    worker->free_regs = 0;
    memset(worker->barrier, 0, sizeof worker->barrier);
    memset(worker->shared, 0, launch->smem_bytes);
    clear_local(worker);
    memset(worker->files, 0, (size_t)launch->program->file_bytes * launch->warps_per_block);
    if (worker->shadow)
        smc_shadow_begin_block(worker->shadow, block);
    smc_peers_begin_block(worker);
    for (uint32_t w = 0; w < launch->warps_per_block; w++) {
        uint32_t threads = launch->threads_per_block - w * SMC_LANES;
        uint32_t lanes = threads >= SMC_LANES ? SMC_ALL_LANES : (1u << threads) - 1;
        struct smc_warp *warp = &worker->warp[w];
        warp->cluster_arrived = warp->cluster_passed = 0;
        memset(warp->lane_synced_at, 0, sizeof warp->lane_synced_at);
        smc_copies_forget(warp);
        warp->products = (struct smc_products){0};
        smc_wgmma_registers_begin_block(worker, warp);
        if (warp->bulk)
            memset(warp->bulk, 0, sizeof *warp->bulk);
        warp->regs = launch->regs_per_thread;
        warp->wanted_regs = 0;
        warp->has_unset = false;
        smc_warp_begin(warp, lanes);
        smc_frames_begin(launch->program, warp);
        fill_fixed(worker, warp);
    }
}

/* Whether a warp before this one waits at the same place for the same mbarrier object. */
static bool waits_alike(const struct smc_worker *worker, const struct smc_warp *warp)
{
    for (const struct smc_warp *other = worker->warp; other < warp; other++)
        if (other->live && other->yields == warp->yields && other->awaited == warp->awaited)
            return true;
    return false;
}

bool smc_block_report_polls(struct smc_worker *worker)
{
    bool has_any = false;
    for (uint32_t w = 0; w < worker->launch->warps_per_block; w++) {
        const struct smc_warp *warp = &worker->warp[w];
        if (!warp->live || !warp->yields || waits_alike(worker, warp))
            continue;
        struct smc_finding finding =
            smc_finding_at(worker, SMC_FINDING_DEADLOCK, warp->yields - 1,
                           smc_thread_of(warp, (uint32_t)__builtin_ctz(warp->failing)));
        if (warp->awaited)
            smc_mbarrier_describe(worker, warp, &finding);
        else
            snprintf(finding.note, sizeof finding.note,
                     "it polls memory that no block writes any more");
        smc_find(worker, &finding);
        has_any = true;
    }
    return has_any;
}

/* The threads at the barrier where the group waits, and how many it waits for. */
static void count_waiting(const struct smc_worker *worker, const struct smc_warp *warp,
                          const struct smc_group *group, struct smc_finding *finding)
{
    if (group->state == SMC_GROUP_CONVERGING) {
        finding->waiting = smc_lane_count(group->active);
        finding->expected = smc_lane_count(group->need);
        return;
    }
    if (group->barrier == SMC_WARPGROUP_BARRIER) {
        const uint32_t first = warp->index / SMC_WARPGROUP * SMC_WARPGROUP;
        const uint32_t warps = worker->launch->warps_per_block;
        finding->expected = SMC_WARPGROUP * SMC_LANES;
        for (uint32_t w = first; w < first + SMC_WARPGROUP && w < warps; w++)
            finding->waiting +=
                worker->warp[w].products.op ? smc_lane_count(worker->warp[w].products.lanes) : 0;
        snprintf(finding->note, sizeof finding->note,
                 "wgmma waits for the four warps of its warpgroup");
        return;
    }
    if (group->barrier == SMC_REGISTER_BARRIER) {
        snprintf(finding->note, sizeof finding->note,
                 "setmaxnreg waits for %" PRIu32 " registers, and the block has %" PRIu32
                 " left of %" PRIu32,
                 (warp->wanted_regs - warp->regs) * SMC_LANES, worker->free_regs,
                 worker->launch->regs_per_thread * SMC_LANES * worker->launch->warps_per_block);
        return;
    }
    const struct smc_barrier *at = &worker->barrier[group->barrier];
    if (group->barrier > 0 && group->barrier < SMC_BARRIERS)
        snprintf(finding->note, sizeof finding->note, "barrier %" PRIu32, group->barrier);
    finding->waiting = at->lanes;
    finding->expected = at->expected ? at->expected : block_live_lanes(worker);
}

/* Reports the first group that waits: at a barrier, or only for its warpgroup or for registers; and
   of those at other barriers of the block, the first of each. Returns false if there is none. */
static bool report_first(struct smc_worker *worker, bool at_any)
{
    uint32_t reported = 0; /* barriers */
    bool has_any = false;
    for (uint32_t w = 0; w < worker->launch->warps_per_block; w++) {
        const struct smc_warp *warp = &worker->warp[w];
        for (uint64_t left = warp->used; left; left &= left - 1) {
            const struct smc_group *group = &warp->group[__builtin_ctzll(left)];
            const bool barrier = group->state == SMC_GROUP_AT_BARRIER;
            const bool converges = group->state == SMC_GROUP_CONVERGING;
            if (!(barrier && (at_any || group->barrier > SMC_CLUSTER_BARRIER)) &&
                !(converges && at_any))
                continue;
            const bool is_of_block = barrier && group->barrier < SMC_BARRIERS;
            if (has_any && (!is_of_block || reported >> group->barrier & 1))
                continue;
            uint32_t lane = (uint32_t)__builtin_ctz(group->active);
            const struct smc_op *op = &worker->launch->program->op[group->pc];
            enum smc_finding_kind kind = barrier ? SMC_FINDING_DEADLOCK
                                         : op->step == smc_step_barrier
                                             ? SMC_FINDING_DIVERGENT_BARRIER
                                             : SMC_FINDING_ABSENT_LANES;
            struct smc_finding finding =
                smc_finding_at(worker, kind, op->instruction, smc_thread_of(warp, lane));
            count_waiting(worker, warp, group, &finding);
            smc_find(worker, &finding);
            if (!is_of_block)
                return true;
            reported |= 1u << group->barrier;
            has_any = true;
        }
    }
    return has_any;
}

/* Where several warps wait, a barrier of the block may only be the consequence. */
void smc_block_report_waiting(struct smc_worker *worker)
{
    if (!smc_block_report_polls(worker) && !report_first(worker, false))
        report_first(worker, true);
}

static void report_endless(struct smc_worker *worker, const struct smc_warp *warp)
{
    int index = warp->used ? warp->current : 0;
    const struct smc_group *group = &warp->group[index];
    uint32_t lane = group->active ? (uint32_t)__builtin_ctz(group->active) : 0;
    size_t ops = worker->launch->program->ops;
    uint32_t place = group->pc < ops ? group->pc : (uint32_t)ops - 1;
    struct smc_finding finding =
        smc_finding_at(worker, SMC_FINDING_ENDLESS, worker->launch->program->op[place].instruction,
                       smc_thread_of(warp, lane));
    smc_find(worker, &finding);
    worker->gave_up = true;
    smc_end_launch(worker);
}

/* Rounds in which warps only wait for mbarrier objects, after which they wait for ever: many, as a
   program may count its attempts. */
enum { MOST_FRUITLESS = 1 << 14, ALL_WAIT = 1 << 6 };

bool smc_block_advance(struct smc_worker *worker)
{
    const struct smc_emulation_request *request = worker->launch->request;
    uint64_t budget = request->budget ? request->budget : SMC_EMULATOR_BUDGET;
    const uint64_t polls = worker->polls_beyond, changes = worker->changes;
    const uint32_t warps = worker->launch->warps_per_block;
    bool moved = false, worked = false;
    for (uint32_t w = 0; w < warps && !worker->gave_up; w++) {
        struct smc_warp *warp = &worker->warp[request->reversed ? warps - 1 - w : w];
        if (!warp->live)
            continue;
        if (request->stop && smc_launch_stops(worker->launch))
            return true;
        if (smc_warp_run(worker, warp)) {
            moved = true;
            worked |= !warp->yields;
        }
        if (warp->live && warp->steps > budget)
            report_endless(worker, warp);
        try_barriers(worker);
        if (worker->barrier[SMC_CLUSTER_BARRIER].lanes)
            smc_cluster_try(worker);
    }
    worker->waits = worker->polls_beyond != polls && worker->changes == changes;
    worker->fruitless = worked || worker->changes != changes ? 0 : worker->fruitless + 1;
    if (worker->fruitless >= ALL_WAIT && smc_mbarrier_drain(worker))
        worker->fruitless = 0;
    return moved && worker->fruitless < MOST_FRUITLESS;
}

bool smc_block_has_ended(const struct smc_worker *worker)
{
    return worker->gave_up || block_live_lanes(worker) == 0;
}

void smc_block_end(struct smc_worker *worker)
{
    smc_peers_end_block(worker);
    if (worker->launch->program->has_async)
        smc_bulk_end_block(worker);
    smc_pending_end_block(worker);
    for (uint32_t w = 0; worker->gave_up && w < worker->launch->warps_per_block; w++)
        smc_unset_give_up(worker, &worker->warp[w]);
    if (worker->shadow)
        smc_shadow_end_block(worker->shadow);
    const bool stopped = atomic_load(&worker->launch->stopped);
    worker->is_running = false;
    worker->waits &= stopped;
    worker->blocks_run += !stopped;
}

void smc_block_run(struct smc_worker *worker, uint64_t block)
{
    smc_block_begin(worker, block);
    while (!smc_block_has_ended(worker)) {
        bool moved = smc_block_advance(worker);
        if (atomic_load(&worker->launch->stopped))
            break;
        if (!moved && !worker->gave_up) {
            smc_block_report_waiting(worker);
            worker->gave_up = true;
        }
    }
    smc_block_end(worker);
}
