/* Executes the traces of a sample on one SM, and counts its work. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "machine/timing/launch_model.h"
#include "machine/timing/reuse.h"

/* The work of all executions of step `i`, of which some were in traces. */
static void add_step(const struct model *model, uint32_t i, const struct smc_step_work *step,
                     struct work *work)
{
    const struct smc_rates *rates = &model->rates;
    const struct smc_sass_instruction *in = &model->program.step[i].in;
    struct smc_mma product;
    double executions = model->traces.executions[i];
    double times = step->executions > 0 ? executions / step->executions : 0;
    double traced = step->load_sectors + step->store_sectors, requests = times;
    if (model->traces.sectors && model->traces.sectors[i] > 0 && traced > 0)
        requests = model->traces.sectors[i] / traced;
    const double weighed = step->weighed_loads,
                 missed = weighed > 0 ? requests * step->load_sectors / weighed : requests;
    work->issued += executions;
    work->held += times * step->held;
    work->busy[in->pipe] += fmax(executions * smc_rates_clocks(rates, in),
                                 times * step->constants * rates->subpartitions);
    if (in->pipe == SMC_PIPE_TENSOR && smc_mma_of(in, &product)) {
        work->products += executions * smc_rates_product_fmas(in);
        work->product_clocks[product.type] += executions * smc_rates_product_peak_clocks(rates, in);
    }
    work->flops += times * step->flops;
    work->unknown += times * step->unknown;
    work->data_wavefronts += times * step->wavefronts;
    work->shared_wavefronts += times * step->shared_wavefronts;
    work->load_sectors += requests * step->load_sectors;
    work->l2_sectors += missed * step->l2_sectors;
    work->store_sectors += requests * step->store_sectors;
    work->load_pieces += missed * step->load_pieces;
    work->store_pieces += requests * step->store_pieces;
    work->load_slots += missed * step->load_slots;
    work->store_slots += requests * step->store_slots;
    work->texture_clocks += times * step->texture_clocks;
    work->divergent += times * step->divergent;
    work->atomics += requests * step->atomics;
    work->atomic_slots += requests * step->atomic_slots;
    work->local_pieces += requests * step->local_pieces;
}

/* What the entries of the sample's traces stand for; free all arrays. */
struct weights {
    float *all;
    const float **of_trace;
    uint16_t *late; /* as of smc_reuse_find_late */
    const uint16_t **late_of_trace;
};

static void free_weights(const struct weights *weights)
{
    free(weights->late_of_trace);
    free(weights->late);
    free(weights->of_trace);
    free(weights->all);
}

/* Scales the weights so that they add up to all executions of each step, as in add_step. */
static void correct_weights(const struct model *model, float *all, double *of_step)
{
    const struct smc_traces *traces = &model->traces;
    const size_t warps = (size_t)traces->blocks * traces->warps_per_block;
    const uint32_t steps = model->program.count;
    double *sectors = of_step + steps;
    for (int pass = 0; pass < 2; pass++) {
        float *weight = all;
        for (size_t i = 0; i < warps; weight += traces->pointer[i++]->count)
            for (size_t k = 0; k < traces->pointer[i]->count; k++) {
                const struct smc_warp_trace_entry *entry = &traces->pointer[i]->entry[k];
                if (entry->step < steps && pass > 0)
                    weight[k] *= (float)of_step[entry->step];
                if (entry->step >= steps || pass > 0)
                    continue;
                of_step[entry->step] += weight[k];
                sectors[entry->step] += weight[k] * entry->sectors;
            }
        for (uint32_t i = 0; i < steps && pass == 0; i++)
            of_step[i] = traces->sectors && traces->sectors[i] > 0 && sectors[i] > 0
                             ? traces->sectors[i] / sectors[i]
                             : traces->executions[i] / fmax(of_step[i], 1);
    }
}

/* `corrected`: so that they add up. False: memory. */
static bool weigh_entries(const struct model *model, struct weights *weights, bool corrected)
{
    const struct smc_traces *traces = &model->traces;
    const size_t warps = (size_t)traces->blocks * traces->warps_per_block;
    size_t entries = 1;
    for (size_t i = 0; i < warps; i++)
        entries += traces->pointer[i]->count;
    weights->all = smc_calloc(entries, sizeof *weights->all);
    weights->of_trace = smc_calloc(warps, sizeof *weights->of_trace);
    weights->late = smc_calloc(entries, sizeof *weights->late);
    weights->late_of_trace = smc_calloc(warps, sizeof *weights->late_of_trace);
    double *of_step = smc_calloc((size_t)2 * model->program.count + 1, sizeof *of_step);
    const bool has =
        weights->all && weights->of_trace && weights->late && weights->late_of_trace && of_step;
    float *weight = weights->all;
    uint16_t *late = weights->late;
    for (size_t i = 0; i < warps && has; weight += traces->pointer[i++]->count) {
        weights->of_trace[i] = weight;
        weights->late_of_trace[i] = late;
        smc_reuse_weigh(traces->pointer[i], weight);
        smc_reuse_find_late(traces->pointer[i], late);
        late += traces->pointer[i]->count;
    }
    if (has && corrected)
        correct_weights(model, weights->all, of_step);
    free(of_step);
    return has;
}

/* --- Atomics of iterations that traces leave out ---------------------------------------------- */

/* Where an instruction's atomics go from one execution by a warp to the next. */
struct advance {
    uint64_t last;      /* piece of SMC_ATOMIC_PIECE_BYTES */
    size_t warp;        /* 1 and its number */
    double kept, warps; /* executions in traces, and warps that have some */
    bool up, down, stays;
};

static void note_advance(struct advance *advance, size_t warp, uint64_t piece)
{
    advance->kept++;
    if (advance->warp == warp) {
        advance->up |= piece > advance->last;
        advance->down |= piece < advance->last;
        advance->stays |= piece == advance->last;
    } else
        advance->warps++;
    advance->warp = warp;
    advance->last = piece;
}

/* How many times as many pieces an instruction's atomics have in all iterations as in those of the
   traces, if each iteration goes on to a piece of its own; no more than their array has. */
static double pieces_by_iterations(const struct model *model, const struct advance *advance,
                                   double times)
{
    const struct smc_time_arguments *arguments = model->arguments;
    const size_t array =
        smc_time_array_with(arguments->array, arguments->array_count,
                            advance->last * SMC_ATOMIC_PIECE_BYTES / SMC_LINE_BYTES);
    if (advance->up == advance->down || advance->stays || array == arguments->array_count)
        return 1;
    const double pieces = (double)arguments->array[array].bytes / SMC_ATOMIC_PIECE_BYTES;
    return fmax(1, fmin(times, pieces * advance->warps / advance->kept));
}

/* Lessens the shares of single pieces, by the mean of that over all atomics:
   of 134 million additions to 16 KiB, in loops of 32 iterations of which three are in the traces,
   each to another row, the hottest piece has a 32nd, not a third (5.6 ms on an H200, CUDA 13.0,
   driver 580.159.04, 2026-11-30). False: memory. */
static bool spread_left_out(const struct model *model, const struct smc_step_work *steps,
                            struct work *work)
{
    const struct smc_traces *traces = &model->traces;
    const size_t warps = (size_t)traces->blocks * traces->warps_per_block;
    struct advance *advance = smc_calloc(model->program.count, sizeof *advance);
    double all = 0, parts = 0;
    if (!advance)
        return false;
    for (size_t i = 0; i < warps; i++)
        for (size_t k = 0; k < traces->pointer[i]->count; k++) {
            const struct smc_warp_trace *trace = traces->pointer[i];
            const struct smc_warp_trace_entry *entry = &trace->entry[k];
            if (entry->atomics > 0 && entry->lines > 0 && entry->step < model->program.count)
                note_advance(&advance[entry->step], i + 1,
                             trace->line[entry->line].number * SMC_LINE_BYTES /
                                 SMC_ATOMIC_PIECE_BYTES);
        }
    for (uint32_t i = 0; i < model->program.count; i++) {
        if (advance[i].kept <= 0 || steps[i].executions <= 0)
            continue;
        const double times = traces->executions[i] / steps[i].executions;
        const double atomics = times * steps[i].atomics;
        all += atomics;
        parts += atomics / pieces_by_iterations(model, &advance[i], times);
    }
    free(advance);
    const double pieces = parts > 0 ? all / parts : 1, spread = SMC_ATOMIC_UNIT_SHARE;
    work->hottest_share /= pieces;
    work->busiest_unit = fmin(work->busiest_unit, spread + (work->busiest_unit - spread) / pieces);
    return true;
}

/* --- The sample ------------------------------------------------------------------------------- */

/* How many blocks run at a time, in distances between the blocks of the sample, which are those of
   one SM or drawn from the whole grid. */
static double blocks_at_a_time(const struct model *model)
{
    const double resident = model->launch->blocks_per_sm;
    return model->traces.scattered
               ? fmin(resident * (double)model->sms / (double)model->blocks, 1) *
                     (model->traces.blocks - 1)
               : fmin(resident, (double)smc_most_blocks(model) - 1);
}

enum smc_status smc_model_run_sample(struct model *model, smc_execute_blocks *execute,
                                     struct work *work, struct smc_error *error)
{
    const struct smc_traces *traces = &model->traces;
    const struct smc_time_arguments *arguments = model->arguments;
    struct smc_sm_result result;
    struct smc_step_work *steps = smc_calloc(model->program.count, sizeof *steps);
    struct weights weights = {0};
    if (!steps || !weigh_entries(model, &weights, execute == smc_sm_access)) {
        free_weights(&weights);
        free(steps);
        return smc_out_of_memory(error);
    }
    struct smc_sm_launch launch = {
        .program = &model->program,
        .rates = &model->rates,
        .warps_per_block = traces->warps_per_block,
        .resident_blocks = model->launch->blocks_per_sm,
        .warp_room = model->launch->warp_room,
        .block_room = model->launch->block_room,
        .l1_bytes = model->launch->l1_bytes,
        .block = traces->block,
        .blocks = traces->blocks,
        .share_of_blocks = traces->blocks / (double)model->blocks,
        .blocks_at_a_time = blocks_at_a_time(model),
        .no_more_blocks = traces->blocks == smc_most_blocks(model),
        .turns = model->turns && !model->cut,
        .cut = model->cut,
        .array = arguments->array,
        .arrays = arguments->array_count,
        .dram = model->dram,
        .traffic = model->traffic,
        .work = steps,
        .weight = weights.of_trace,
        .begins_late = weights.late_of_trace,
    };
    enum smc_status status = execute(&launch, &result, error);
    *work = (struct work){.clocks = result.clocks,
                          .clocks_per_block = result.clocks_per_block,
                          .hottest_share = result.hottest_atomics / fmax(result.atomics, 1),
                          .hottest_clocks = result.hottest_clocks,
                          .first_hottest = result.first_hottest,
                          .first_atomic = result.first_atomic,
                          .atomic_clocks = result.atomic_clocks,
                          .atomics_window = result.atomics_window,
                          .busiest_unit = result.busiest_unit,
                          .hottest_stores = result.hottest_stores / fmax(result.stores, 1),
                          .hottest_loads = result.hottest_loads / fmax(result.loads, 1),
                          .loaded = result.loaded,
                          .stored = result.stored};
    double stored = 0, loaded = 0;
    for (uint32_t i = 0; i < model->program.count; i++) {
        add_step(model, i, &steps[i], work);
        stored += steps[i].store_pieces;
        loaded += steps[i].load_pieces;
    }
    if (status == SMC_OK && result.atomics > 0 && !spread_left_out(model, steps, work))
        status = smc_out_of_memory(error);
    work->store_requests = stored > 0 ? result.stores * work->store_pieces / stored : 0;
    work->load_requests = loaded > 0 ? result.loads * work->load_pieces / loaded : 0;
    free_weights(&weights);
    free(steps);
    return status;
}
