/* --explain: the arithmetic line by line, each step with its rule. */
#include <inttypes.h>
#include <stdio.h>

#include "base/numbers.h"
#include "show/report/writers.h"

enum { INDENT = 15 };

/* One step under construction: a heading where it begins a section, else "". */
struct explain_step {
    struct smc_text *out;
    const char *heading;
};

static void explain_say(struct explain_step *step, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void explain_say(struct explain_step *step, const char *format, ...)
{
    char text[512];
    SMC_PRINT_TO(text, format);
    smc_layout_paragraph(step->out, step->heading, INDENT, text, step->out->style->columns);
    step->heading = "";
}

static void explain_warps(const struct smc_answer *a, struct explain_step *step)
{
    const struct smc_sm *sm = &a->query.device.sm;
    uint32_t threads = a->launch.threads_per_block, warps = a->occupancy.warps_per_block;
    step->heading = "warps";
    explain_say(step, "%u threads / %u lanes, rounded up = %u warp%s per block", threads,
                sm->warp_size, warps, smc_text_plural(warps));
    if (threads > sm->max_threads_per_block) {
        explain_say(step, "%u threads are more than %u, the most that a block may have: 0 blocks",
                    threads, sm->max_threads_per_block);
        return;
    }
    explain_say(step, "%u warps per SM / %u, rounded down = %u block%s (%u threads / %u)",
                sm->max_warps_per_sm, warps, a->occupancy.limit[SMC_LIMIT_WARPS],
                smc_text_plural(a->occupancy.limit[SMC_LIMIT_WARPS]), sm->max_threads_per_sm,
                threads);
    if (a->occupancy.partitioned_caching != SMC_PARTITIONED_CACHING_OFF)
        explain_say(step, "partitioned global caching: each half of the SM is counted on its own");
}

static void explain_registers_by_block(const struct smc_answer *a, struct explain_step *step)
{
    const struct smc_sm *sm = &a->query.device.sm;
    uint64_t warps = round_up(a->occupancy.warps_per_block, sm->warp_alloc_granularity);
    uint32_t regs = a->launch.regs_per_thread;
    explain_say(step,
                "CC 1.x allocates per block: its warps rounded up to a multiple of %u = %" PRIu64,
                sm->warp_alloc_granularity, warps);
    explain_say(step,
                "%" PRIu64 " warps x %u lanes x %u registers = %" PRIu64
                ", rounded up to a multiple of %u = %u per block",
                warps, sm->warp_size, regs, warps * sm->warp_size * regs, sm->reg_alloc_unit,
                a->occupancy.regs_allocated_per_block);
}

static void explain_registers_by_warp(const struct smc_answer *a, struct explain_step *step)
{
    const struct smc_sm *sm = &a->query.device.sm;
    const struct smc_occupancy *occupancy = &a->occupancy;
    uint32_t regs = a->launch.regs_per_thread, warp = occupancy->regs_allocated_per_warp;
    explain_say(step, "%u per thread x %u lanes = %u, rounded up to a multiple of %u = %u per warp",
                regs, sm->warp_size, regs * sm->warp_size, smc_registers_unit(sm, regs), warp);
    uint32_t subpartitions = smc_registers_checked_subpartitions(sm);
    uint64_t checked = round_up(occupancy->warps_per_block, subpartitions);
    explain_say(step,
                "launch check: %u warps rounded up to a multiple of %u = %" PRIu64
                "; x %u = %" PRIu64 ", of the %u that a block may have: %s",
                occupancy->warps_per_block, subpartitions, checked, warp, checked * warp,
                sm->max_regs_per_block,
                checked * warp > sm->max_regs_per_block ? "refused" : "passed");
    if (checked * warp > sm->max_regs_per_block || warp == 0)
        return;
    uint32_t share = sm->regs_per_sm / sm->subpartitions, warps = share / warp;
    explain_say(
        step,
        "%u sub-partition%s of %u registers: %u / %u, rounded down = %u warps each, %u per SM",
        sm->subpartitions, smc_text_plural(sm->subpartitions), share, share, warp, warps,
        warps * sm->subpartitions);
}

static void explain_registers(const struct smc_answer *a, struct explain_step *step)
{
    const struct smc_sm *sm = &a->query.device.sm;
    uint32_t limit = a->occupancy.limit[SMC_LIMIT_REGISTERS];
    step->heading = "registers";
    if (!smc_words_regs_known(a) || a->launch.regs_per_thread == 0) {
        explain_say(step, "%s: they do not limit",
                    smc_words_regs_known(a) ? "0 per thread" : "not known");
        return;
    }
    if (sm->regs_allocated_per_block) {
        explain_registers_by_block(a, step);
        explain_say(step, "%u registers per SM / %u, rounded down = %u block%s", sm->regs_per_sm,
                    a->occupancy.regs_allocated_per_block, limit, smc_text_plural(limit));
        return;
    }
    explain_registers_by_warp(a, step);
    explain_say(step, "warps per SM / %u warps per block, rounded down = %u block%s",
                a->occupancy.warps_per_block, limit, smc_text_plural(limit));
}

static void explain_carveout(const struct smc_answer *a, struct explain_step *step)
{
    const struct smc_sm *sm = &a->query.device.sm;
    int32_t percent = a->launch.carveout_percent;
    uint32_t preferred = smc_smem_preferred_bytes(sm, percent, a->launch.cache_config);
    enum smc_smem_mode mode = a->launch.smem_mode;
    uint32_t configured = a->occupancy.smem_configured_bytes;
    if (mode != SMC_SMEM_MODE_DEFAULT)
        explain_say(step, "mode %s (%s): a block may have %u B", smc_smem_mode_name(mode),
                    smc_smem_mode_runtime_name(mode), smc_smem_most_per_block(sm, &a->launch));
    if (configured > sm->smem_per_sm_bytes) {
        explain_say(step, "configured oversized: %u B per SM, which leaves %u B of L1", configured,
                    sm->l1_smem_unified_bytes - configured);
        return;
    }
    if (!sm->carveout_by_cache_config && percent != SMC_CARVEOUT_DEFAULT)
        explain_say(
            step,
            "carve-out: %d %% of %u B, rounded up to a size the SM has = %u B (a hint to the "
            "driver)",
            percent, sm->smem_per_sm_bytes, preferred);
    else if (preferred != sm->smem_per_sm_bytes)
        explain_say(step, "the cache preference leaves %u of %u B", preferred,
                    sm->smem_per_sm_bytes);
    if (configured != preferred)
        explain_say(step, "too little for one block: raised to %u B", configured);
}

static void explain_smem(const struct smc_answer *a, struct explain_step *step)
{
    const struct smc_sm *sm = &a->query.device.sm;
    const struct smc_occupancy *occupancy = &a->occupancy;
    uint32_t limit = occupancy->limit[SMC_LIMIT_SHARED_MEMORY];
    uint64_t sum = (uint64_t)a->launch.static_smem_bytes + a->launch.dynamic_smem_bytes +
                   sm->smem_reserved_per_block_bytes;
    step->heading = "shared memory";
    if (sm->smem_reserved_per_block_bytes)
        explain_say(step, "%u static + %u dynamic + %u reserved = %" PRIu64 " B per block",
                    a->launch.static_smem_bytes, a->launch.dynamic_smem_bytes,
                    sm->smem_reserved_per_block_bytes, sum);
    else
        explain_say(step, "%u static + %u dynamic = %" PRIu64 " B per block",
                    a->launch.static_smem_bytes, a->launch.dynamic_smem_bytes, sum);
    explain_say(step, "rounded up to a multiple of %u = %u B", sm->smem_alloc_unit_bytes,
                occupancy->smem_allocated_per_block_bytes);
    if (sm->smem_holds_arguments)
        explain_say(step,
                    "not counted: on CC 1.x a kernel's arguments are in shared memory, too (CUDA C "
                    "Programming Guide 4.2)");
    explain_carveout(a, step);
    smc_auto_text call = {0};
    if (smc_words_opt_in(a, NULL, &call))
        explain_say(step, "more than %u B per block, so before the launch: %s",
                    sm->smem_per_block_default_bytes, smc_text_string(&call));
    if (limit == SMC_UNLIMITED)
        explain_say(step, "none is used: it does not limit");
    else if (limit > 0)
        explain_say(step, "%u B per SM / %u B, rounded down = %u block%s",
                    occupancy->smem_configured_bytes, occupancy->smem_allocated_per_block_bytes,
                    limit, smc_text_plural(limit));
}

static void explain_rest(const struct smc_answer *a, struct explain_step *step)
{
    const struct smc_sm *sm = &a->query.device.sm;
    const uint32_t *limit = a->occupancy.limit;
    step->heading = "block slots";
    explain_say(step, "%u per SM", sm->max_blocks_per_sm);
    step->heading = "barriers";
    if (limit[SMC_LIMIT_BARRIERS] != SMC_UNLIMITED)
        explain_say(step, "%u per SM / %u per block, rounded down = %u blocks", sm->barriers_per_sm,
                    a->launch.barriers_per_block, limit[SMC_LIMIT_BARRIERS]);
    step->heading = smc_words_short_label(SMC_LIMIT_VIRTUAL_RESOURCES);
    if (limit[SMC_LIMIT_VIRTUAL_RESOURCES] != SMC_UNLIMITED)
        explain_say(step, "%u per SM / %u per block, rounded down = %u blocks",
                    sm->virtual_resources_per_sm, a->launch.virtual_resources,
                    limit[SMC_LIMIT_VIRTUAL_RESOURCES]);
}

/* One line for each kind of group of SMs; those too small for a cluster hold none. */
static void explain_clusters(const struct smc_answer *a, struct explain_step *step)
{
    const struct smc_occupancy *occupancy = &a->occupancy;
    const struct smc_sm_groups *groups = &a->query.device.sm_groups;
    const uint32_t size = a->launch.blocks_per_cluster;
    const uint32_t blocks = occupancy->blocks_per_sm < SMC_MOST_CLUSTERED_BLOCKS
                                ? occupancy->blocks_per_sm
                                : SMC_MOST_CLUSTERED_BLOCKS;
    step->heading = "clusters";
    if (occupancy->resident_clusters == 0)
        return;
    if (!occupancy->clusters_are_bound && blocks < occupancy->blocks_per_sm)
        explain_say(step, "of clusters an SM holds %u blocks at a time, not %u", blocks,
                    occupancy->blocks_per_sm);
    if (occupancy->clusters_are_bound)
        explain_say(step,
                    "%u SMs x %u blocks / %u per cluster, rounded down = %" PRIu64
                    " at most; how the SMs are grouped is not known",
                    a->query.device.sm_count, occupancy->blocks_per_sm, size,
                    occupancy->resident_clusters);
    for (uint32_t i = 0, same; !occupancy->clusters_are_bound && i < groups->count; i += same) {
        const uint32_t sms = groups->sms[i];
        for (same = 1; i + same < groups->count && groups->sms[i + same] == sms; same++)
            ;
        if (sms < size)
            explain_say(step, "%u group%s of %u SMs: less than the %u of a cluster", same,
                        smc_text_plural(same), sms, size);
        else
            explain_say(step, "%u group%s of %u SMs x %u blocks / %u, rounded down = %u each", same,
                        smc_text_plural(same), sms, blocks, size, sms * blocks / size);
    }
    if (!occupancy->clusters_are_bound)
        explain_say(step, "together %" PRIu64 " clusters", occupancy->resident_clusters);
}

static void explain_refusals(const struct smc_answer *a, struct explain_step *step)
{
    step->heading = "refused";
    for (int i = 0; i < SMC_REFUSAL_COUNT; i++) {
        if (!(a->occupancy.refusals & 1u << i))
            continue;
        smc_auto_text reason = {0};
        smc_words_refusal(a, (enum smc_refusal)i, &reason);
        explain_say(step, "%s", smc_text_string(&reason));
    }
}

static void explain_result(const struct smc_answer *a, struct explain_step *step)
{
    const struct smc_occupancy *occupancy = &a->occupancy;
    smc_auto_text minimum = {0};
    for (int i = 0; i < SMC_LIMIT_COUNT; i++)
        if (occupancy->limit[i] != SMC_UNLIMITED)
            smc_text_printf(&minimum, "%s%u", minimum.length ? ", " : "", occupancy->limit[i]);
    step->heading = "result";
    if (occupancy->refusals & SMC_GRID_REFUSALS)
        explain_say(step, "the grid is refused: no block resides");
    else if (occupancy->refusals & (SMC_SHAPE_REFUSALS | 1u << SMC_REFUSAL_COOPERATIVE_SIZE))
        explain_say(step, "the launch is refused: no block resides");
    else
        explain_say(step, "the least of %s = %u block%s", smc_text_string(&minimum),
                    occupancy->blocks_per_sm, smc_text_plural(occupancy->blocks_per_sm));
    char percent[32];
    smc_words_percent(a->occupancy_percent, percent);
    explain_say(step, "%u x %u threads = %u of %u threads; %u of %u warps = %s",
                occupancy->blocks_per_sm, a->launch.threads_per_block,
                occupancy->blocks_per_sm * a->launch.threads_per_block,
                a->query.device.sm.max_threads_per_sm, occupancy->warps_per_sm,
                a->query.device.sm.max_warps_per_sm, percent);
}

/* What fewer registers cost, which only compiling with launch bounds can show. */
static void explain_bounds(const struct smc_answer *a, struct explain_step *step)
{
    const struct smc_bounds_trial *trial = &a->bounds_trial;
    const struct smc_resources *resources = &trial->resources;
    if (trial->min_blocks == 0)
        return;
    step->heading = "launch bounds";
    explain_say(
        step, "compiled with __launch_bounds__(%u, %u): %u registers per thread, %u block%s per SM",
        a->launch.threads_per_block, trial->min_blocks, resources->regs_per_thread,
        trial->blocks_per_sm, smc_text_plural(trial->blocks_per_sm));
    if (resources->spill_store_bytes + resources->spill_load_bytes == 0)
        explain_say(step, "nothing is spilled");
    else
        explain_say(step,
                    "it spills: %u B stored, %u B loaded by each thread, to and from local memory",
                    resources->spill_store_bytes, resources->spill_load_bytes);
}

static void explain_wall(const struct smc_answer *answer, struct explain_step *step)
{
    const struct smc_workload *workload = &answer->workload;
    const struct smc_shared_work *shared = &workload->shared;
    step->heading = "the wall";
    explain_say(step, "a warp's FMA: %u lanes / %u of the SM = %.3g clocks",
                answer->query.device.sm.warp_size, answer->query.device.sm.fp32_lanes_per_sm,
                workload->fma_cycles_per_step);
    explain_say(
        step,
        "its shared memory, one wavefront per clock: (%.4g loads + %.4g stores) / %.4g FMA = %.3g "
        "clocks: %.0f %% of the theoretical FMA peak at most",
        shared->loads.wavefronts, shared->stores.wavefronts, answer->work.fma_instructions,
        workload->shared_cycles_per_step, 100 * smc_workload_peak_share(workload));
}

static void explain_work(const struct smc_answer *answer, struct explain_step *step)
{
    const struct smc_work *work = &answer->work;
    const struct smc_workload *workload = &answer->workload;
    step->heading = "global memory";
    for (size_t i = 0; i < work->access_count; i++) {
        const struct smc_global_access *access = &work->access[i];
        const char *done = access->store ? "stored" : "loaded";
        if (answer->query.device.sm.global_sector_bytes == 0) /* half warps, and segments */
            explain_say(step, "%s %s: %.4g elements", access->name, done, access->elements);
        else
            explain_say(step,
                        "%s %s: %.4g elements in %.4g requests of a warp = %.4g sectors of 32 B",
                        access->name, done, access->elements, access->requests, access->sectors);
    }
    if (workload->flops_per_load > 0)
        explain_say(
            step,
            "CGMA %.4g: %.4g operations for each element loaded; %.4g per byte loaded, %.4g per "
            "byte loaded or stored",
            workload->flops_per_load, workload->flops_per_load, workload->flops_per_load_byte,
            workload->flops_per_moved_byte);
    step->heading = "shared memory";
    if (workload->has_shared)
        explain_say(
            step,
            "%.4g loads of a warp = %.4g wavefronts (as written %.4g loads); %.4g stores = %.4g "
            "wavefronts",
            workload->shared.loads.instructions, workload->shared.loads.wavefronts,
            workload->shared.written_loads.instructions, workload->shared.stores.instructions,
            workload->shared.stores.wavefronts);
    if (workload->has_wall)
        explain_wall(answer, step);
}

void smc_text_explain(const struct smc_answer *answer, struct smc_text *out)
{
    struct explain_step step = {.out = out, .heading = ""};
    smc_text_printf(out, "\nThe arithmetic on %s (CC %d.%d)\n", answer->query.device.name,
                    answer->query.device.sm.cc / 10, answer->query.device.sm.cc % 10);
    explain_warps(answer, &step);
    explain_registers(answer, &step);
    explain_smem(answer, &step);
    explain_rest(answer, &step);
    explain_clusters(answer, &step);
    explain_refusals(answer, &step);
    explain_result(answer, &step);
    explain_bounds(answer, &step);
    if (answer->has_work)
        explain_work(answer, &step);
    smc_text_explain_time(answer, INDENT, out);
    smc_text_memory_of_answer(answer, out);
}
