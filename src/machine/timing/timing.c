/* Predicts the time of a launch. */
#include "machine/timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "code/machine_code.h"
#include "machine/timing/l2.h"
#include "machine/timing/module_values.h"
#include "machine/timing/traces.h"
#include "rules/banks.h"

enum {
    BUDGET = 32000,           /* instructions of all warps together that are executed one by one */
    MOST_LOOP_ENTRIES = 4096, /* kept of a loop */
    LEAST_LOOP_ENTRIES = 64,
    MOST_ENTRIES = 20000 /* of a warp */
};

/* The part of a launch that is executed: these blocks of one SM, and so much of their warps. */
struct sample {
    uint64_t first; /* block, and then every block so many SMs further */
    uint32_t blocks;
    size_t kept, entries; /* of a warp's trace: of the one measured, at most */
    uint64_t loop_entries;
};

/* What an SM does for its blocks. */
struct work {
    double clocks, issued, flops, unknown;
    double busy[SMC_PIPE_COUNT];
    double products;                          /* multiply-adds of tensor cores */
    double product_clocks[SMC_PRODUCT_TYPES]; /* they take at their peak, in a sub-partition */
    double data_wavefronts, shared_wavefronts;
    double load_sectors, l2_sectors, store_sectors;
    double load_pieces, store_pieces, load_slots, store_slots, divergent, atomics;
    double hottest_share; /* of the atomics, how many are in the piece that has the most */
    double store_requests, load_requests; /* of lines, by warps; as in struct smc_sm_result */
    double hottest_stores, hottest_loads; /* shares of them in the piece that has the most */
    double local_pieces;
    bool hottest_waits;      /* as in struct smc_sm_result */
    uint64_t loaded, stored; /* arrays, as in struct smc_sm_result */
    double clocks_per_block; /* from one block to the next while as many as can reside do */
};

struct model {
    const struct smc_time_launch *launch;
    const struct smc_time_arguments *arguments; /* with the module's variables */
    struct smc_machine_launch machine;
    struct smc_machine_program program;
    struct smc_rates rates;
    struct smc_time *time;
    uint64_t blocks, sms;
    struct smc_sm_dram dram[SMC_TIME_MOST_ARGUMENTS + 2]; /* as in struct smc_sm_launch */
    struct smc_sm_traffic traffic[SMC_TIME_MOST_ARGUMENTS + 2];
    double local_bytes;        /* of all threads that reside */
    double dram_clocks;        /* of all that comes from and goes to DRAM */
    bool sms_share;            /* several SMs load the same from DRAM */
    double atomics_clocks;     /* of those in the piece that has the most */
    double hot_clocks;         /* of loads or stores in the one that has the most */
    struct smc_warp_path path; /* of the first warp of the sample */
    struct sample sample;
    struct smc_contents contents;
    struct smc_survey survey; /* of the whole grid, where its warps differ */
    struct smc_traces traces;
    struct work work; /* of the SM with the most blocks */
};

static void timing_add(struct work *sum, const struct work *part, double times)
{
    sum->clocks += times * part->clocks;
    sum->issued += times * part->issued;
    sum->flops += times * part->flops;
    sum->unknown += times * part->unknown;
    for (int i = 0; i < SMC_PIPE_COUNT; i++)
        sum->busy[i] += times * part->busy[i];
    for (int i = 0; i < SMC_PRODUCT_TYPES; i++)
        sum->product_clocks[i] += times * part->product_clocks[i];
    sum->products += times * part->products;
    sum->data_wavefronts += times * part->data_wavefronts;
    sum->shared_wavefronts += times * part->shared_wavefronts;
    sum->load_sectors += times * part->load_sectors;
    sum->l2_sectors += times * part->l2_sectors;
    sum->store_sectors += times * part->store_sectors;
    sum->load_pieces += times * part->load_pieces;
    sum->store_pieces += times * part->store_pieces;
    sum->load_slots += times * part->load_slots;
    sum->store_slots += times * part->store_slots;
    sum->divergent += times * part->divergent;
    sum->atomics += times * part->atomics;
    sum->hottest_share = part->hottest_share;
    sum->hottest_waits = part->hottest_waits;
    sum->store_requests += times * part->store_requests;
    sum->hottest_stores = part->hottest_stores;
    sum->load_requests += times * part->load_requests;
    sum->hottest_loads = part->hottest_loads;
    sum->local_pieces += times * part->local_pieces;
    sum->loaded |= part->loaded;
    sum->stored |= part->stored;
}

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
    work->issued += executions;
    work->busy[in->pipe] += executions * smc_rates_clocks(rates, in);
    work->busy[in->pipe] += times * step->constants * rates->subpartitions;
    if (in->pipe == SMC_PIPE_TENSOR && smc_mma_of(in, &product)) {
        work->products += executions * smc_rates_product_fmas(in);
        work->product_clocks[product.type] += executions * smc_rates_product_peak_clocks(rates, in);
    }
    work->flops += times * step->flops;
    work->unknown += times * step->unknown;
    work->data_wavefronts += times * step->wavefronts;
    work->shared_wavefronts += times * step->shared_wavefronts;
    work->load_sectors += requests * step->load_sectors;
    work->l2_sectors += requests * step->l2_sectors;
    work->store_sectors += requests * step->store_sectors;
    work->load_pieces += requests * step->load_pieces;
    work->store_pieces += requests * step->store_pieces;
    work->load_slots += requests * step->load_slots;
    work->store_slots += requests * step->store_slots;
    work->divergent += times * step->divergent;
    work->atomics += requests * step->atomics;
    work->local_pieces += times * step->local_pieces;
}

/* --- One SM ----------------------------------------------------------------------------------- */

/* The sample with so much of each loop. Most warps need no more entries than the one measured. */
static enum smc_status timing_measure(const struct model *model, uint64_t kept,
                                      struct sample *sample, bool *cut, struct smc_error *error)
{
    struct smc_trace_size size = {.loop_entries = kept, .most = MOST_ENTRIES};
    enum smc_status status =
        smc_traces_take_turns(&model->program)
            ? smc_traces_measure_turns(&model->machine, sample->first, &size, error)
            : smc_traces_measure(&model->program, &model->path, &size, error);
    sample->loop_entries = kept;
    sample->kept = size.entries;
    sample->entries = size.entries + size.entries / 4 + 64;
    *cut = size.cut;
    return status;
}

/* How much of each loop is kept so that the traces of so many blocks fit into the budget. `sample`
   has been measured with the least. */
static enum smc_status choose_entries(const struct model *model, struct sample *sample,
                                      struct smc_error *error)
{
    uint64_t warps = (uint64_t)sample->blocks * smc_traces_warps(&model->machine);
    uint64_t kept = BUDGET / warps;
    const struct sample least = *sample;
    enum smc_status status = SMC_OK;
    bool cut;
    for (int pass = 0; pass < 2 && status == SMC_OK; pass++) {
        kept = kept > MOST_LOOP_ENTRIES ? MOST_LOOP_ENTRIES : kept;
        if (kept <= LEAST_LOOP_ENTRIES) {
            *sample = least;
            break;
        }
        status = timing_measure(model, kept, sample, &cut, error);
        if (sample->kept * warps <= BUDGET)
            break;
        kept = kept * BUDGET / (sample->kept * warps);
    }
    return status;
}

static uint64_t most_blocks(const struct model *model)
{
    return (model->blocks + model->sms - 1) / model->sms;
}

/* Blocks of the SM with the most: up to three rounds, fewer if their traces do not fit. */
static enum smc_status choose_sample(struct model *model, struct smc_error *error)
{
    uint32_t resident = model->launch->blocks_per_sm;
    uint64_t most = most_blocks(model), warps = smc_traces_warps(&model->machine);
    struct sample least = {.first = smc_traces_first_block(&model->machine, model->sms)},
                  *sample = &model->sample;
    bool cut = false;
    enum smc_status status = smc_traces_follow(&model->machine, least.first, &model->path, error);
    if (status == SMC_OK)
        status = timing_measure(model, LEAST_LOOP_ENTRIES, &least, &cut, error);
    for (uint32_t rounds = 3; rounds > 0 && status == SMC_OK; rounds--) {
        *sample = least;
        sample->blocks = most < (uint64_t)rounds * resident ? (uint32_t)most : rounds * resident;
        bool fits = sample->entries * sample->blocks * warps <= (uint64_t)2 * BUDGET;
        if (cut && (fits || sample->blocks <= resident))
            status = choose_entries(model, sample, error);
        fits = sample->entries * sample->blocks * warps <= (uint64_t)2 * BUDGET;
        if (fits || sample->blocks <= resident)
            break;
    }
    return status;
}

/* How an SM executes a sample: smc_sm_run or smc_sm_access. */
typedef enum smc_status execute_blocks(const struct smc_sm_launch *launch,
                                       struct smc_sm_result *result, struct smc_error *error);

static enum smc_status run_sample(struct model *model, execute_blocks *execute, struct work *work,
                                  struct smc_error *error)
{
    const struct smc_traces *traces = &model->traces;
    const struct smc_time_arguments *arguments = model->arguments;
    struct smc_sm_result result;
    struct smc_step_work *steps = smc_calloc(model->program.count, sizeof *steps);
    if (!steps)
        return smc_out_of_memory(error);
    struct smc_sm_launch launch = {
        .program = &model->program,
        .rates = &model->rates,
        .warps_per_block = traces->warps_per_block,
        .resident_blocks = model->launch->blocks_per_sm,
        .l1_bytes = model->launch->l1_bytes,
        .block = traces->block,
        .blocks = traces->blocks,
        .share_of_blocks = traces->blocks / (double)model->blocks,
        .no_more_blocks = traces->blocks == most_blocks(model),
        .array = arguments->array,
        .arrays = arguments->array_count,
        .dram = model->dram,
        .traffic = model->traffic,
        .work = steps,
    };
    enum smc_status status = execute(&launch, &result, error);
    *work = (struct work){.clocks = result.clocks,
                          .clocks_per_block = result.clocks_per_block,
                          .hottest_share = result.hottest_atomics / fmax(result.atomics, 1),
                          .hottest_waits = result.hottest_waits,
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
    work->store_requests = stored > 0 ? result.stores * work->store_pieces / stored : 0;
    work->load_requests = loaded > 0 ? result.loads * work->load_pieces / loaded : 0;
    free(steps);
    return status;
}

/* How much longer the warps of the grid are than those of the sample. */
static double longer_than_sample(const struct model *model)
{
    const struct smc_traces *traces = &model->traces;
    double warps = (double)traces->blocks * traces->warps_per_block;
    if (!traces->sectors || traces->length <= 0)
        return 1;
    return model->survey.length * warps / traces->length;
}

/* The SM with the most blocks: those beyond the sample take as long as the ones in it, and start
   one after the other. */
static enum smc_status run_sm(struct model *model, execute_blocks *execute, struct smc_error *error)
{
    struct work work = {0};
    enum smc_status status = run_sample(model, execute, &work, error);
    if (status != SMC_OK)
        return status;
    double blocks = model->sample.blocks, more = (double)most_blocks(model) - blocks;
    double each = work.clocks_per_block > 0 ? work.clocks_per_block : work.clocks / blocks;
    each = fmax(each * longer_than_sample(model), model->rates.block_interval);
    model->work = (struct work){0};
    timing_add(&model->work, &work, 1 + more / blocks);
    model->work.clocks = work.clocks + more * each;
    return SMC_OK;
}

/* Where blocks count themselves and the last one goes on with what the others stored, as in sums,
   the launch is so much longer. */
static enum smc_status add_last_block(struct model *model, struct smc_error *error)
{
    const uint64_t warps = smc_traces_warps(&model->machine);
    struct smc_survey *survey = &model->survey;
    struct model alone = *model;
    struct smc_traces last = {0};
    struct work work, usual;
    const struct smc_traced traced = {.first = model->sample.first,
                                      .stride = 1,
                                      .blocks = 1,
                                      .each_apart = true,
                                      .entries = 2 * BUDGET / warps,
                                      .loop_entries = BUDGET / warps,
                                      .others = survey->others,
                                      .overwritten = survey->whole ? 0 : survey->changed,
                                      .sees_all = true};
    if (!survey->others || !smc_warp_memory_draw_last(survey->others, &model->contents,
                                                      &survey->ticket, model->blocks))
        return SMC_OK;
    alone.traces.blocks = 1;
    enum smc_status status = run_sample(&alone, smc_sm_run, &usual, error);
    if (status == SMC_OK)
        status = smc_traces_make(&model->machine, &traced, &last, error);
    if (status != SMC_OK) /* where it cannot be followed it is taken to end as the others do */
        return status == SMC_USAGE ? SMC_OK : status;
    alone.traces = last;
    status = run_sample(&alone, smc_sm_run, &work, error);
    smc_traces_free(&last);
    model->work.clocks += fmax(0, work.clocks - usual.clocks);
    return status;
}

/* --- DRAM ------------------------------------------------------------------------------------- */

/* What the whole launch accesses for each access in the sample's traces. */
struct scale {
    double loads, stores;
    bool whole; /* the traces leave nothing out, so that it is the same for all arrays */
};

static double busy_sms(const struct model *model)
{
    return model->blocks < model->sms ? (double)model->blocks : (double)model->sms;
}

static struct scale find_scale(const struct model *model)
{
    double busy = busy_sms(model);
    double blocks = (double)most_blocks(model) / model->sample.blocks, loads = 0, stores = 0;
    for (size_t i = 0; i <= model->arguments->array_count + 1; i++)
        loads += model->traffic[i].loaded;
    for (size_t i = 0; i <= model->arguments->array_count; i++)
        stores += model->traffic[i].stored;
    loads = loads > 0 ? model->work.load_pieces / loads : 0;
    stores = stores > 0 ? model->work.store_pieces / stores : 0;
    bool whole = fmax(loads, stores) < 1.02 * blocks || smc_traces_are_whole(&model->traces);
    return (struct scale){busy * loads, busy * stores, whole};
}

#define CLEARLY 0.8 /* less than all */

/* As much of an array as was asked for, which is all of it unless it is clearly less. */
static double part_of(double bytes, double asked, bool known)
{
    return asked <= 0 || (known && asked < CLEARLY * bytes) ? asked : bytes;
}

/* What array `i` is accessed for in the whole launch. */
static struct smc_touched touched_of(const struct model *model, size_t i, const struct scale *scale)
{
    enum { PIECE = 64 };
    const struct smc_sm_traffic *traffic = &model->traffic[i];
    double bytes = (double)model->arguments->array[i].bytes;
    struct smc_touched touched = {.asked_read = traffic->loaded * scale->loads * PIECE,
                                  .asked_written = traffic->stored * scale->stores * PIECE};
    touched.read = part_of(bytes, touched.asked_read, scale->whole);
    touched.written = part_of(bytes, touched.asked_written, scale->whole);
    touched.both = fmax(touched.read, touched.written);
    touched.copied = model->launch->restored && traffic->stored > 0 ? bytes : 0;
    if (traffic->loaded <= 0 && traffic->stored_bytes * scale->stores < CLEARLY * touched.written)
        touched.filled =
            fmin(touched.written, traffic->stored_sectors * scale->stores * SMC_SECTOR_BYTES);
    return touched;
}

/* Half of what is accessed of the array is at places in no order. */
static bool array_is_scattered(const struct smc_sm_traffic *traffic)
{
    return 2 * (traffic->loaded_scattered + traffic->stored_scattered) >
           traffic->loaded + traffic->stored;
}

/* How often each byte of an array is accessed in a launch. */
static double repeats_of(const struct smc_touched *touched)
{
    return (touched->asked_read + touched->asked_written) / fmax(touched->both, 1);
}

/* The bytes that pass through L2 between two accesses to the same place of an array. */
static double bytes_between(const struct model *model, const struct smc_touched *touched,
                            const struct scale *scale)
{
    double bytes = 0, repeats = repeats_of(touched);
    for (size_t i = 0; i < model->arguments->array_count; i++) {
        const struct smc_touched other = touched_of(model, i, scale);
        bytes += other.both * fmin(1, repeats_of(&other) / fmax(repeats, 1e-9));
    }
    return fmax(bytes, 1);
}

static void set_scattered(struct model *model, const struct smc_touched *touched, double all_bytes,
                          struct smc_sm_dram *dram)
{
    enum { PIECE = 64 };
    const struct smc_rates *rates = &model->rates;
    double l2_bytes = (double)model->launch->device->l2_bytes;
    double busy = busy_sms(model);
    double loads, stores;
    *dram = (struct smc_sm_dram){
        .load_share = fmax(0, 1 - SMC_L2_KEEPS_SCATTERED_LOADS * l2_bytes / all_bytes),
        .store_share = fmax(0, 1 - SMC_L2_KEEPS_SCATTERED_STORES * l2_bytes / all_bytes),
        .scattered = true};
    loads = dram->load_share * touched->asked_read;
    stores = dram->store_share * touched->asked_written;
    model->time->dram_bytes += loads + 2 * stores;
    model->dram_clocks +=
        (loads * rates->dram_scattered_load_clocks + stores * rates->dram_scattered_store_clocks) /
        PIECE / busy;
}

/* After a flush everything that is loaded comes from DRAM, and each line that enters L2 makes one
   of those that the flush stored go there. */
static void set_cold(struct model *model, const struct smc_touched *all, double l2_bytes)
{
    double asked = fmax(all->asked_read, 1), bytes = all->read + all->written;
    for (size_t i = 0; i < model->arguments->array_count; i++)
        model->dram[i] = (struct smc_sm_dram){.load_share = fmin(1, all->read / asked)};
    bytes = all->read + (bytes < l2_bytes ? bytes : fmax(all->written, l2_bytes));
    model->time->dram_bytes = bytes;
    model->dram_clocks = bytes / model->rates.dram_bytes_per_clock;
}

/* Local memory that L2 does not hold. Warps access theirs again and again, in no common order, so
   that L2 keeps what it keeps of places at random: spills of 55 to 92 MB take 0.35 to 0.56 of the
   time in which all of them would come from DRAM (H200, driver 580.159.04, 2026-11-29). */
static void set_local(struct model *model, double l2_bytes)
{
    enum { PIECE = 64 };
    const size_t local = model->arguments->array_count + 1;
    if (model->local_bytes <= 0)
        return;
    struct smc_sm_dram *dram = &model->dram[local];
    dram->load_share = fmax(0, 1 - SMC_L2_KEEPS_SCATTERED_LOADS * l2_bytes / model->local_bytes);
    dram->store_share = fmax(0, 1 - SMC_L2_KEEPS_SCATTERED_STORES * l2_bytes / model->local_bytes);
    dram->scattered = array_is_scattered(&model->traffic[local]);
    const struct smc_sm_traffic *traffic = &model->traffic[local];
    const double pieces = model->work.local_pieces / fmax(traffic->loaded + traffic->stored, 1);
    const double loads = dram->load_share * traffic->loaded * pieces;
    const double stores = dram->store_share * traffic->stored * pieces;
    model->time->dram_bytes += (loads + stores) * busy_sms(model) * PIECE;
    if (dram->scattered)
        model->dram_clocks += loads * model->rates.dram_scattered_load_clocks +
                              stores * model->rates.dram_scattered_store_clocks;
    else
        model->dram_clocks +=
            (loads + stores) * busy_sms(model) * PIECE / model->rates.dram_bytes_per_clock;
}

/* The bytes that come from and go to DRAM in a launch, and the shares of what misses L1 and of what
   is stored. Arrays that L2 keeps are still there from the launch before; others come from DRAM
   once, unless they are accessed at places in no order. */
static enum smc_status find_dram(struct model *model, struct smc_error *error)
{
    const struct smc_time_arguments *arguments = model->arguments;
    double l2_bytes = (double)model->launch->device->l2_bytes, all_bytes = 0;
    struct smc_touched ordered = {0}, all = {0};
    for (size_t i = 0; i < arguments->array_count; i++)
        all_bytes += (model->launch->restored ? 2 : 1) * (double)arguments->array[i].bytes;
    if (!model->launch->cold && all_bytes + model->local_bytes <= SMC_L2_KEEPS_STORED * l2_bytes)
        return SMC_OK;
    enum smc_status status = run_sm(model, smc_sm_access, error);
    if (status != SMC_OK)
        return status;
    const struct scale scale = find_scale(model);
    for (size_t i = 0; i < arguments->array_count; i++) {
        struct smc_touched touched = touched_of(model, i, &scale);
        smc_touched_add(&all, &touched);
        if (!array_is_scattered(&model->traffic[i]))
            smc_touched_add(&ordered, &touched);
    }
    const struct smc_touched local = {.read = model->local_bytes, .written = model->local_bytes};
    struct smc_touched kept = ordered;
    smc_touched_add(&kept, &local);
    double share =
        smc_l2_share_of_dram(&kept, all.both + all.copied + model->local_bytes, l2_bytes);
    if (model->launch->cold) {
        set_cold(model, &all, l2_bytes);
        return SMC_OK;
    }
    model->sms_share = share > 0 && ordered.asked_read > 2 * ordered.read;
    for (size_t i = 0; i < arguments->array_count; i++) {
        struct smc_touched touched = touched_of(model, i, &scale);
        if (array_is_scattered(&model->traffic[i]))
            set_scattered(model, &touched, bytes_between(model, &touched, &scale), &model->dram[i]);
        else
            model->dram[i] = (struct smc_sm_dram){
                .load_share = share * fmin(1, ordered.read / fmax(ordered.asked_read, 1)),
                .store_share = share * fmin(1, ordered.written / fmax(ordered.asked_written, 1))};
    }
    set_local(model, l2_bytes);
    const double moved = share * (ordered.read + ordered.written + ordered.filled);
    model->time->dram_bytes += moved;
    model->dram_clocks += moved / model->rates.dram_bytes_per_clock;
    return SMC_OK;
}

/* How long the atomics of the launch take in the piece of memory that has the most of them. */
static double hottest_clocks(const struct model *model)
{
    const struct work *work = &model->work;
    double all = work->atomics * (double)model->blocks / (double)most_blocks(model);
    return all * work->hottest_share *
           (work->hottest_waits ? model->rates.atomic_float_clocks
                                : model->rates.atomic_piece_clocks);
}

/* How long the requests of the launch take to the piece of memory that has the most of them. */
static double hottest_requests_clocks(const struct model *model)
{
    const struct work *work = &model->work;
    const struct smc_rates *rates = &model->rates;
    const double stores = work->store_requests * work->hottest_stores * rates->store_piece_clocks;
    const double loads = work->load_requests * work->hottest_loads * rates->load_piece_clocks;
    return fmax(stores, loads) * (double)model->blocks / (double)most_blocks(model);
}

/* --- Terms ------------------------------------------------------------------------------------ */

/* The largest of the terms up to one. */
static double largest(const struct smc_time *time, enum smc_time_term last)
{
    double most = 0;
    for (int i = 0; i <= (int)last; i++)
        most = fmax(most, time->term_ms[i]);
    return most;
}

/* The blocks of the busiest SM that cannot all start at once. */
static double blocks_sent(const struct model *model)
{
    double most = (double)most_blocks(model), resident = model->launch->blocks_per_sm;
    return fmax(0, most - resident);
}

/* What each unit of the busiest SM would take alone. What remains of the time is latency. */
static void set_terms(const struct model *model, struct smc_time *time)
{
    const struct work *work = &model->work;
    const struct smc_rates *rates = &model->rates;
    double ms = 1e3 / rates->clock_hz, *term = time->term_ms, parts = rates->subpartitions;
    term[SMC_TIME_ISSUE] = work->issued / parts * ms;
    term[SMC_TIME_FMA] =
        (work->busy[SMC_PIPE_FMA] / rates->fma_halves + work->busy[SMC_PIPE_FMA_HEAVY]) / parts *
        ms;
    term[SMC_TIME_FP64] = work->busy[SMC_PIPE_FP64] / parts * ms;
    term[SMC_TIME_INTEGER] = work->busy[SMC_PIPE_ALU] / parts * ms;
    term[SMC_TIME_SPECIAL] = fmax(work->busy[SMC_PIPE_XU], work->busy[SMC_PIPE_ADU]) / parts * ms;
    term[SMC_TIME_TENSOR] = work->busy[SMC_PIPE_TENSOR] / parts * ms;
    term[SMC_TIME_SHARED] = work->shared_wavefronts * ms;
    term[SMC_TIME_L1] = (work->data_wavefronts - work->shared_wavefronts) * ms;
    term[SMC_TIME_L2] = fmax(work->load_slots * rates->l2_load_clocks,
                             fmax(work->store_slots * rates->l2_store_clocks, model->hot_clocks)) *
                        ms;
    term[SMC_TIME_ATOMICS] = fmax(work->atomics * rates->atomic_clocks, model->atomics_clocks) * ms;
    term[SMC_TIME_DRAM] = model->dram_clocks * ms;
    double start_ms = blocks_sent(model) * rates->block_interval * ms;
    term[SMC_TIME_LATENCY] =
        fmax(0, work->clocks * ms - fmax(largest(time, SMC_TIME_DRAM), start_ms));
    term[SMC_TIME_LAUNCH] = rates->launch_ms + start_ms;
}

/* What tensor cores compute in the launch, `times` as much as on the busiest SM, and how long that
   takes at the peak of its types. */
static void set_products(const struct model *model, double times, struct smc_time *time)
{
    const struct smc_rates *rates = &model->rates;
    const struct work *work = &model->work;
    double clocks = 0, most = 0;
    for (int i = 0; i < SMC_PRODUCT_TYPES; i++) {
        clocks += work->product_clocks[i] / rates->subpartitions;
        if (work->product_clocks[i] <= most)
            continue;
        most = work->product_clocks[i];
        time->tensor_type = smc_product_info[i].label;
        time->tensor_is_integer = i == SMC_PRODUCT_INT8;
    }
    if (clocks <= 0)
        return;
    time->tensor_flops = times * 2 * work->products;
    time->tensor_peak_ms = clocks / rates->clock_hz * 1e3;
    time->tensor_roof_flops_per_s =
        2 * work->products / clocks * rates->clock_hz * (double)model->sms;
}

static void find_bounds(struct smc_time *time)
{
    const double *term = time->term_ms;
    time->bound_by = SMC_TIME_ISSUE;
    for (int i = 1; i < SMC_TIME_TERM_COUNT; i++)
        if (term[i] > term[time->bound_by])
            time->bound_by = (enum smc_time_term)i;
    time->next = time->bound_by == SMC_TIME_ISSUE ? SMC_TIME_FMA : SMC_TIME_ISSUE;
    for (int i = 0; i < SMC_TIME_TERM_COUNT; i++)
        if (i != (int)time->bound_by && term[i] > term[time->next])
            time->next = (enum smc_time_term)i;
}

/* Arrays that decide what is executed change during the launch. */
static bool decides_and_changes(const struct smc_survey *survey)
{
    return (survey->decides & survey->changed) != 0;
}

/* They do so for other blocks than the one that stores: their words, not only the arrays. */
static bool contents_change(const struct smc_survey *survey)
{
    return (survey->decides & survey->changed & survey->meets) != 0;
}

/* Two standard errors of the mean length of a warp, as a share of it. */
static double uncertain_survey(const struct smc_survey *survey)
{
    if (survey->warps == 0 || survey->whole || survey->length <= 0)
        return 0;
    return 2 * survey->spread / survey->length / sqrt((double)survey->warps);
}

/* One standard error of what the warps of one SM execute together: SMs get different ones. */
static double uncertain_share_of_sm(const struct model *model)
{
    const struct smc_survey *survey = &model->survey;
    double warps = (double)most_blocks(model) * smc_traces_warps(&model->machine);
    return survey->warps > 0 && survey->length > 0 ? survey->spread / survey->length / sqrt(warps)
                                                   : 0;
}

/* Shares of the launch and of an SM's time by which a prediction may be off, by what is uncertain
   (doc/time.md has how many measured times lie in the range). */
#define UNCERTAIN_LAUNCH         0.3
#define UNCERTAIN_MEASURED       0.25
#define UNCERTAIN_CACHES         0.4  /* how much L1 and L2 hold of what is loaded again */
#define UNCERTAIN_DIVERGENT      0.5  /* loads whose lanes are in many lines */
#define UNCERTAIN_SCATTERED      0.35 /* random places of DRAM, atomics */
#define UNCERTAIN_LATENCY        0.3
#define UNCERTAIN_SPECIFICATIONS 0.5
#define UNCERTAIN_ADDRESSES      0.6
#define UNCERTAIN_CHANGES        2    /* upwards: what other blocks store makes loops longer */
#define UNCERTAIN_WAVEFRONTS     0.08 /* of shared memory: the rule for conflicts of wide accesses */
#define UNCERTAIN_NEXT           0.2 /* of the second largest term: how much of it does not overlap */

static bool loads_diverge(const struct work *work)
{
    return 2 * work->divergent > work->data_wavefronts - work->shared_wavefronts;
}

static bool dram_is_scattered(const struct model *model)
{
    bool scattered = false;
    for (size_t i = 0; i < model->arguments->array_count; i++)
        scattered |=
            model->dram[i].scattered && model->dram[i].load_share + model->dram[i].store_share > 0;
    return scattered;
}

/* What is uncertain of the term that binds. */
static double uncertain_term(const struct model *model, const struct smc_time *time)
{
    switch (time->bound_by) {
    case SMC_TIME_L1:
        return loads_diverge(&model->work) ? UNCERTAIN_DIVERGENT : UNCERTAIN_CACHES;
    case SMC_TIME_L2:
        return UNCERTAIN_CACHES;
    case SMC_TIME_DRAM:
        return dram_is_scattered(model) ? UNCERTAIN_SCATTERED : UNCERTAIN_MEASURED;
    case SMC_TIME_ATOMICS:
        return UNCERTAIN_SCATTERED;
    case SMC_TIME_LATENCY:
        return UNCERTAIN_LATENCY;
    default:
        return UNCERTAIN_MEASURED;
    }
}

/* How much longer it may take than predicted for reasons that do not make it shorter: units that
   are busy nearly as long as the one that binds and do not quite overlap with it, and SMs that wait
   for the same line of DRAM, of which one is predicted to. */
static double uncertain_longer(const struct model *model, const struct smc_time *time)
{
    const struct smc_rates *rates = &model->rates;
    double share =
        UNCERTAIN_NEXT * time->term_ms[time->next] / fmax(time->term_ms[time->bound_by], 1e-9);
    if (model->sms_share && time->bound_by == SMC_TIME_LATENCY)
        share += rates->dram_latency / rates->l2_latency - 1;
    if (contents_change(&model->survey))
        share += UNCERTAIN_CHANGES;
    return share;
}

/* How much longer the SMs take since the tensor cores of the device lower their clock. */
static double slowed_by_products(const struct model *model, const struct smc_time *time,
                                 double sm_ms)
{
    if (!time->tensor_type || sm_ms <= 0)
        return 1;
    double busy = time->tensor_flops / time->tensor_roof_flops_per_s * 1e3 / sm_ms;
    return 1 / (1 - model->rates.tensor_slowdown * fmin(busy, 1));
}

/* The SM takes at least as long as each of its units. */
static void timing_set_range(const struct model *model, struct smc_time *time)
{
    double launch_ms = model->rates.launch_ms;
    double sm_ms = model->work.clocks / model->rates.clock_hz * 1e3;
    double share = uncertain_term(model, time);
    if (time->basis == SMC_TIME_SPECIFICATIONS)
        share = fmax(share, UNCERTAIN_SPECIFICATIONS);
    bool known = model->work.unknown <= 0 && model->traces.end == SMC_WALK_WHOLE &&
                 model->survey.end == SMC_WALK_WHOLE;
    if (!known || contents_change(&model->survey))
        share = fmax(share, UNCERTAIN_ADDRESSES);
    share += uncertain_survey(&model->survey) + uncertain_share_of_sm(model);
    sm_ms = fmax(sm_ms, largest(time, SMC_TIME_DRAM));
    double least_ms =
        known && time->basis != SMC_TIME_SPECIFICATIONS ? largest(time, SMC_TIME_FP64) : 0;
    if (known) {
        least_ms = fmax(least_ms, time->term_ms[SMC_TIME_SHARED] / (1 + UNCERTAIN_WAVEFRONTS));
        least_ms = fmax(least_ms, time->tensor_peak_ms);
    }
    time->low_ms = launch_ms / (1 + UNCERTAIN_LAUNCH) + fmax(sm_ms / (1 + share), least_ms);
    sm_ms *= slowed_by_products(model, time, sm_ms);
    time->predicted_ms = launch_ms + sm_ms;
    time->high_ms =
        launch_ms * (1 + UNCERTAIN_LAUNCH) + sm_ms * (1 + share + uncertain_longer(model, time));
}

/* Names what the survey could not follow. */
static void name_unfollowed(const struct model *model, struct smc_time *time)
{
    const struct smc_survey *survey = &model->survey;
    const uint32_t at = survey->end_at, source = survey->first_unknown;
    if (survey->end == SMC_WALK_WHOLE || at >= model->program.count)
        return;
    int length = snprintf(time->unfollowed, sizeof time->unfollowed, "the %s at 0x%x%s",
                          survey->end == SMC_WALK_UNKNOWN_BRANCH ? "branch" : "instruction",
                          at * (uint32_t)SMC_INSTRUCTION_BYTES,
                          survey->end == SMC_WALK_UNKNOWN_BRANCH ? "" : " is not known");
    if (survey->end == SMC_WALK_UNKNOWN_BRANCH && source > 0 && source <= model->program.count)
        snprintf(time->unfollowed + length, sizeof time->unfollowed - (size_t)length,
                 " depends on %s at 0x%x",
                 smc_operation_name(model->program.step[source - 1].in.operation),
                 (source - 1) * (uint32_t)SMC_INSTRUCTION_BYTES);
}

static enum smc_time_basis basis_of(const struct smc_ceilings *ceilings)
{
    if (!ceilings || ceilings->source == SMC_CEILINGS_UNKNOWN)
        return SMC_TIME_SPECIFICATIONS;
    return ceilings->source == SMC_CEILINGS_CALIBRATED ? SMC_TIME_CALIBRATED : SMC_TIME_TABLE;
}

static enum smc_status timing_predict(struct model *model, struct smc_error *error)
{
    const struct smc_time_launch *launch = model->launch;
    struct smc_time *time = model->time;
    enum smc_status status = find_dram(model, error);
    if (status == SMC_OK)
        status = run_sm(model, smc_sm_run, error);
    if (status != SMC_OK)
        return status;
    struct work *work = &model->work;
    model->atomics_clocks = hottest_clocks(model);
    model->hot_clocks = hottest_requests_clocks(model);
    work->clocks = fmax(work->clocks, fmax(model->dram_clocks, model->atomics_clocks));
    work->clocks = fmax(work->clocks, model->hot_clocks);
    status = add_last_block(model, error);
    if (status != SMC_OK)
        return status;
    double times = (double)model->blocks / (double)most_blocks(model); /* from this SM to all */
    time->basis = basis_of(launch->ceilings);
    time->contents_change = contents_change(&model->survey);
    name_unfollowed(model, time);
    time->instructions = times * work->issued;
    time->fma_flops = times * work->flops;
    time->atomics = times * work->atomics;
    time->shared_wavefronts = times * work->shared_wavefronts;
    time->l1_sectors = times * (work->load_sectors + work->store_sectors);
    time->l2_sectors = times * (work->l2_sectors + work->store_sectors);
    set_terms(model, time);
    set_products(model, times, time);
    find_bounds(time);
    timing_set_range(model, time);
    return SMC_OK;
}

/* SMC_USAGE with the reason if an instruction has no rate. */
static enum smc_status check_rates(const struct model *model, struct smc_error *error)
{
    const char *unknown = NULL;
    for (uint32_t i = 0; i < model->program.count; i++) {
        const struct smc_sass_instruction *in = &model->program.step[i].in;
        const char *what = smc_rates_unknown(&model->rates, in);
        if (what && !unknown)
            unknown = what;
    }
    return unknown ? smc_fail(error, SMC_USAGE, "%s, whose rate is not in the model", unknown)
                   : SMC_OK;
}

static bool read_array(void *context, uint64_t address, size_t bytes, void *to, unsigned *array)
{
    return smc_time_read_contents(context, address, bytes, to, array);
}

/* What the warps load is followed if the arrays have contents, or if threads have local memory:
   what they spilled there may be a loop's bound or an address. */
static enum smc_status follow_contents(struct model *model, struct smc_error *error)
{
    const bool has = smc_time_have_contents(model->arguments) || model->local_bytes > 0;
    model->contents =
        (struct smc_contents){.read = read_array, .context = (void *)model->arguments};
    model->machine.contents = has ? &model->contents : NULL;
    return smc_machine_program_follow(&model->program, has, false, error);
}

/* A survey that also follows what the warps themselves store. */
static enum smc_status survey_stores(struct model *model, struct smc_error *error)
{
    smc_survey_free(&model->survey);
    enum smc_status status = smc_machine_program_follow(&model->program, true, true, error);
    return status == SMC_OK ? smc_survey_make(&model->machine, &model->survey, error) : status;
}

/* How many entries there may be of each warp. The first one of the sample may have left at once, as
   at the edge of a grid: then the others need more than it. */
static size_t most_entries(const struct model *model)
{
    const struct sample *sample = &model->sample;
    size_t most = (size_t)2 * BUDGET / (sample->blocks * (size_t)smc_traces_warps(&model->machine));
    most = most < MOST_ENTRIES ? most : MOST_ENTRIES;
    return most > sample->entries ? most : sample->entries;
}

/* The traces of the first blocks, beside a survey of the grid, or why there is none. What warps
   store is followed in the survey only where it decides what they execute. */
static enum smc_status trace_first(struct model *model, const struct smc_traced *traced,
                                   enum smc_status surveyed, struct smc_error *error)
{
    enum smc_status status = smc_traces_make(&model->machine, traced, &model->traces, error);
    if (status != SMC_OK || !model->machine.contents)
        return status;
    return model->traces.decides_and_changes || decides_and_changes(&model->survey)
               ? survey_stores(model, error)
               : surveyed;
}

/* The traces of the sample. Where the warps of the grid differ, they are of blocks from the whole
   grid, the longest among them. */
static enum smc_status trace_sample(struct model *model, struct smc_error *error)
{
    const struct sample *sample = &model->sample;
    const bool follows = model->machine.contents;
    bool by_data = follows && smc_machine_program_depends_on_data(&model->program);
    struct smc_traced traced = {.first = sample->first,
                                .stride = model->sms,
                                .blocks = sample->blocks,
                                .each_apart = by_data,
                                .entries = most_entries(model),
                                .loop_entries = sample->loop_entries};
    enum smc_status status =
        follows ? smc_survey_make(&model->machine, &model->survey, error) : SMC_OK;
    if (!smc_survey_spreads(&model->survey) || decides_and_changes(&model->survey)) {
        status = trace_first(model, &traced, status, error);
        if (status != SMC_OK || !follows || !smc_survey_differs(&model->survey, &model->traces))
            return status;
        smc_traces_free(&model->traces);
    }
    traced.scattered = true;
    traced.first = model->survey.longest_block;
    traced.others = model->survey.others;
    status = smc_traces_make(&model->machine, &traced, &model->traces, error);
    if (status != SMC_OK)
        return status;
    return smc_traces_set_survey(&model->traces, &model->survey, model->program.count, error);
}

/* `values` are those of the module for the launch. */
static enum smc_status predict_with(const struct smc_time_launch *launch,
                                    const struct smc_cubin *cubin,
                                    const struct smc_cubin_kernel *kernel,
                                    const struct smc_module_values *values, struct smc_time *time,
                                    struct smc_error *error)
{
    struct model model = {.launch = launch,
                          .arguments = &values->arguments,
                          .time = time,
                          .sms = launch->device->sm_count};
    unsigned char constants[SMC_MACHINE_CONSTANT_BYTES], parameters[SMC_TIME_PARAMETER_BYTES];
    struct smc_bank_layout layout;
    size_t bytes = smc_time_place_parameters(launch->arguments, kernel, parameters);
    uint32_t at = kernel->parameters_at;
    if (at > sizeof constants || bytes > sizeof constants - at)
        return smc_fail(error, SMC_USAGE, "the parameters exceed constant bank 0");
    enum smc_status status = smc_machine_program_read(kernel->code, kernel->code_bytes, cubin->cc,
                                                      &model.program, error);
    if (status != SMC_OK)
        return status;
    smc_machine_constants(constants, launch->block, launch->grid, at, parameters, bytes);
    smc_bank_layout_of(&launch->device->sm, SMC_BANK_MODE_4_BYTES, &layout);
    model.machine = (struct smc_machine_launch){
        .program = &model.program,
        .constants = constants,
        .constant_bytes = (at + bytes + 3) / 4 * 4, /* whole words */
        .bank = values->bank,
        .layout = &layout,
    };
    model.blocks = 1;
    for (int i = 0; i < 3; i++) {
        model.machine.block[i] = launch->block[i];
        model.machine.grid[i] = launch->grid[i];
        model.blocks *= launch->grid[i];
    }
    uint64_t started = model.sms * (uint64_t)launch->blocks_per_sm;
    model.local_bytes = (double)kernel->stack_bytes * SMC_LANES * smc_traces_warps(&model.machine) *
                        (double)(model.blocks < started ? model.blocks : started);
    snprintf(time->code, sizeof time->code, "sm_%u machine code", cubin->cc);
    model.machine.resident = model.sms * launch->blocks_per_sm;
    uint64_t busy = model.blocks < model.sms ? model.blocks : model.sms;
    smc_rates_of(launch->device, launch->ceilings, (uint32_t)busy, &model.rates);
    if (kernel->blocks_per_cluster > 1)
        model.rates.block_interval *= 1 + 1.0 / kernel->blocks_per_cluster;
    if (launch->restored)
        model.rates.launch_ms += model.rates.other_work_ms;
    status = check_rates(&model, error);
    time->lacks_rate = status == SMC_USAGE;
    smc_module_leave_out(&model.program, cubin, kernel->name);
    if (status == SMC_OK)
        status = follow_contents(&model, error);
    if (status == SMC_OK)
        status = choose_sample(&model, error);
    if (status == SMC_OK)
        status = trace_sample(&model, error);
    if (status == SMC_OK)
        status = timing_predict(&model, error);
    free(model.path.run);
    smc_traces_free(&model.traces);
    smc_survey_free(&model.survey);
    smc_machine_program_free(&model.program);
    return status;
}

static enum smc_status predict_kernel(const struct smc_time_launch *launch,
                                      const struct smc_cubin *cubin,
                                      const struct smc_cubin_kernel *kernel, struct smc_time *time,
                                      struct smc_error *error)
{
    struct smc_module_values values;
    enum smc_status status =
        smc_module_values_make(cubin, kernel->name, launch->arguments, &values, error);
    if (status != SMC_OK)
        return status;
    status = predict_with(launch, cubin, kernel, &values, time, error);
    smc_module_values_free(&values);
    return status;
}

static enum smc_status predict_cubin(const struct smc_time_launch *launch, struct smc_time *time,
                                     struct smc_error *error)
{
    struct smc_cubin cubin;
    if (!launch->cubin)
        return smc_fail(error, SMC_USAGE, "no machine code for sm_%u", launch->device->sm.cc);
    enum smc_status status = smc_cubin_open(launch->cubin, launch->cubin_bytes, &cubin, error);
    if (status != SMC_OK)
        return status;
    const struct smc_cubin_kernel *kernel = smc_cubin_kernel(&cubin, launch->entry);
    status = kernel ? predict_kernel(launch, &cubin, kernel, time, error)
                    : smc_fail(error, SMC_USAGE, "the machine code does not have this kernel");
    smc_cubin_close(&cubin);
    return status;
}

enum smc_status smc_time_predict(const struct smc_time_launch *launch, struct smc_time *time,
                                 struct smc_error *error)
{
    struct smc_error why = {""};
    if (!smc_time_is_possible(launch, time))
        return SMC_OK;
    enum smc_status status = predict_cubin(launch, time, &why);
    if (status == SMC_MACHINE)
        return smc_fail(error, status, "%s", why.message);
    if (status != SMC_OK) {
        bool lacks_rate = time->lacks_rate;
        smc_time_unknown(time, why.message);
        time->lacks_rate = lacks_rate;
    }
    return SMC_OK;
}
