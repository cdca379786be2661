/* How long an SM takes where traces leave out iterations while issue or a pipe is busy nearly all
   the time. Then the overlap of warps and blocks matters, which short traces hardly show. */
#include "machine/timing/launch_model.h"

/* An execution with the same part of each loop; nothing stands for the rest. */
struct cut {
    double clocks, kept, left_out; /* instructions of all warps */
};

/* Whether traces leave out iterations. `waits`: in some of these, warps wait for others. */
static bool leaves_iterations_out(const struct smc_traces *traces, bool *waits)
{
    const size_t warps = (size_t)traces->blocks * traces->warps_per_block;
    bool any = false;
    *waits = false;
    for (size_t i = 0; i < warps; i++)
        for (size_t k = 0; k < traces->pointer[i]->skip_count; k++) {
            const struct smc_warp_trace_skip *skip = &traces->pointer[i]->skip[k];
            *waits |= skip->rounds || skip->waits;
            any = true;
        }
    return any;
}

static void count_kept_and_left_out(const struct smc_traces *traces, struct cut *cut)
{
    const size_t warps = (size_t)traces->blocks * traces->warps_per_block;
    for (size_t i = 0; i < warps; i++) {
        const struct smc_warp_trace *trace = traces->pointer[i];
        double left_out = 0;
        for (size_t k = 0; k < trace->skip_count; k++)
            left_out += (double)trace->skip[k].executed;
        cut->left_out += left_out;
        cut->kept += (double)trace->length - left_out;
    }
}

static enum smc_status run_cut(const struct model *model, uint64_t loop_entries, struct cut *cut,
                               struct smc_error *error)
{
    struct model part = *model;
    struct smc_traced traced = model->traced;
    struct work work;
    traced.blocks = (uint32_t)smc_most_blocks(model);
    traced.loop_entries = loop_entries;
    traced.entries += 2 * loop_entries;
    part.cut = true;
    part.traces = (struct smc_traces){0};
    *cut = (struct cut){0};
    enum smc_status status = smc_traces_make(&model->machine, &traced, &part.traces, error);
    if (status != SMC_OK)
        return status;
    count_kept_and_left_out(&part.traces, cut);
    status = smc_model_run_sample(&part, smc_sm_run, &work, error);
    smc_traces_free(&part.traces);
    cut->clocks = work.clocks;
    return status;
}

/* Executes all blocks of the SM with a part of each loop, then with half of that part. The
   difference gives the time of the iterations left out, including what the SM loses as blocks begin
   and end and where its sub-partitions have different numbers of warps. */
enum smc_status smc_model_time_long_loops(struct model *model, struct smc_error *error)
{
    enum { BUDGET = 250000, LEAST_ENTRIES = 512, LEAST_SHARE = 8 };
    const uint64_t warps = smc_most_blocks(model) * smc_traces_warps(&model->machine);
    bool waits;
    const bool cuts = leaves_iterations_out(&model->traces, &waits);
    const uint64_t kept = model->sample.kept * (cuts ? 2 : 1);
    const uint64_t entries = cuts && kept < LEAST_ENTRIES ? LEAST_ENTRIES : kept;
    struct cut all, half;
    double rest = 0;
    if (model->survey.others || waits || warps * entries > BUDGET)
        return SMC_OK;
    enum smc_status status = run_cut(model, entries, &all, error);
    if (status == SMC_OK && all.left_out > 0) {
        status = run_cut(model, entries / 2, &half, error);
        if ((all.kept - half.kept) * LEAST_SHARE < all.kept)
            return status;
        rest = (all.clocks - half.clocks) * all.left_out / (all.kept - half.kept);
    }
    if (status != SMC_OK)
        return status == SMC_USAGE ? SMC_OK : status;
    model->work.clocks = all.clocks + rest;
    return SMC_OK;
}
