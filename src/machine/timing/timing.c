/* Predicts the time of a launch. */
#include "machine/timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "code/machine_code.h"
#include "machine/timing/crowds.h"
#include "machine/timing/launch_model.h"
#include "machine/timing/module_values.h"
#include "machine/timing/panels.h"
#include "machine/timing/row_parts.h"
#include "machine/timing/traces.h"
#include "rules/banks.h"

static void timing_add(struct work *sum, const struct work *part, double times)
{
    sum->clocks += times * part->clocks;
    sum->issued += times * part->issued;
    sum->held += times * part->held;
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
    sum->texture_clocks += times * part->texture_clocks;
    sum->divergent += times * part->divergent;
    sum->atomics += times * part->atomics;
    sum->atomic_slots += times * part->atomic_slots;
    sum->hottest_share = part->hottest_share;
    sum->hottest_clocks = part->hottest_clocks;
    sum->first_hottest = part->first_hottest;
    sum->first_atomic = part->first_atomic;
    sum->atomic_clocks = part->atomic_clocks;
    sum->atomics_window = part->atomics_window;
    sum->busiest_unit = part->busiest_unit;
    sum->store_requests += times * part->store_requests;
    sum->hottest_stores = part->hottest_stores;
    sum->load_requests += times * part->load_requests;
    sum->hottest_loads = part->hottest_loads;
    sum->local_pieces += times * part->local_pieces;
    sum->loaded |= part->loaded;
    sum->stored |= part->stored;
}

/* --- One SM ----------------------------------------------------------------------------------- */

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
static enum smc_status run_sm(struct model *model, smc_execute_blocks *execute,
                              struct smc_error *error)
{
    struct work work = {0};
    enum smc_status status = smc_model_run_sample(model, execute, &work, error);
    if (status != SMC_OK)
        return status;
    double blocks = model->sample.blocks, more = (double)smc_most_blocks(model) - blocks;
    double each = work.clocks_per_block > 0 ? work.clocks_per_block : work.clocks / blocks;
    each = fmax(each * longer_than_sample(model), model->rates.block_interval);
    model->work = (struct work){0};
    timing_add(&model->work, &work, 1 + more / blocks);
    model->work.clocks = work.clocks + more * each;
    return SMC_OK;
}

/* Where issue or a pipe is busy nearly all the time, it matters how warps follow each other. */
static enum smc_status time_sm(struct model *model, struct smc_error *error)
{
    const double nearly_all = 0.9;
    enum smc_status status = run_sm(model, smc_sm_run, error);
    model->turns = status == SMC_OK && smc_model_busy(model) > nearly_all;
    if (model->turns) {
        status = run_sm(model, smc_sm_run, error);
        if (status == SMC_OK)
            status = smc_model_time_long_loops(model, error);
    }
    if (status == SMC_OK)
        smc_model_wait_for_longest(model);
    return status;
}

/* Whether blocks take their numbers from a counter, in the order in which they start. */
static bool numbers_itself(const struct smc_survey *survey)
{
    return survey->others && smc_ticket_is_drawn(&survey->ticket) && !survey->ticket.late;
}

/* Blocks that take their numbers from a counter go on where half of those of the survey have. */
static void number_from_middle(const struct model *model, const struct smc_traced *traced)
{
    const struct smc_survey *survey = &model->survey;
    const uint64_t surveyed = survey->ticket.drew;
    if (numbers_itself(survey))
        smc_warp_memory_draw_after(survey->others, &model->contents, &survey->ticket,
                                   surveyed > traced->blocks ? (surveyed - traced->blocks) / 2 : 0);
}

/* Where blocks count themselves and the last one goes on with what the others stored, as in sums,
   the launch is so much longer. */
static enum smc_status add_last_block(struct model *model, struct smc_error *error)
{
    struct smc_survey *survey = &model->survey;
    struct model usual = *model;
    struct work work;
    struct smc_alone last;
    if (!survey->others || numbers_itself(survey) ||
        !smc_warp_memory_draw_after(survey->others, &model->contents, &survey->ticket,
                                    model->blocks - 1))
        return SMC_OK;
    usual.traces.blocks = 1;
    enum smc_status status = smc_model_run_sample(&usual, smc_sm_run, &work, error);
    if (status == SMC_OK) /* where it cannot be followed it is taken to end as the others do */
        status = smc_model_run_alone(model, model->sample.first,
                                     survey->whole ? 0 : survey->changed, &last, error);
    if (status == SMC_OK)
        model->work.clocks += fmax(0, last.clocks - work.clocks);
    return status;
}

/* Whether warps that begin alike may continue differently. */
static bool by_data(const struct model *model)
{
    return model->machine.contents && smc_machine_program_depends_on_data(&model->program);
}

/* The survey, if it is of blocks at the same time. */
static struct smc_survey *survey_of_all(struct model *model)
{
    return model->survey.at_once ? &model->survey : NULL;
}

/* Only the accesses, of blocks from the whole grid (so many at most) instead of those of one SM.
   Their traffic takes the place of the sample's. */
static enum smc_status access_elsewhere(struct model *model, uint32_t most, struct work *work,
                                        struct smc_error *error)
{
    enum { TWO = 2 };
    struct sample least = {.blocks = 1};
    bool cut;
    enum smc_status status = smc_sample_measure(model, SMC_LEAST_LOOP_ENTRIES, &least, &cut, error);
    if (status != SMC_OK)
        return status;
    const struct smc_traces own = model->traces;
    const uint64_t entries = least.entries * smc_traces_warps(&model->machine);
    const double fit = fmin(4.0 * SMC_SAMPLE_BUDGET / (double)entries, most);
    const struct smc_traced traced = {.scattered = true,
                                      .blocks =
                                          (uint32_t)fmin(fmax(fit, TWO), (double)model->blocks),
                                      .each_apart = by_data(model),
                                      .entries = least.entries,
                                      .loop_entries = least.loop_entries,
                                      .others = model->survey.others,
                                      .sees_all = numbers_itself(&model->survey),
                                      .at_once = survey_of_all(model),
                                      .among = model->survey.at_once};
    number_from_middle(model, &traced);
    status = smc_traces_make(&model->machine, &traced, &model->traces, error);
    if (status == SMC_OK) {
        memset(model->traffic, 0, sizeof model->traffic);
        status = smc_model_run_sample(model, smc_sm_access, work, error);
        smc_traces_free(&model->traces);
    }
    model->traces = own;
    return status;
}

static double accesses(const struct smc_sm_traffic *traffic)
{
    return traffic->loaded + traffic->stored;
}

/* Whether the sample accesses nothing of arrays that are a part of all that counts, though other
   blocks may. */
static bool lacks_arrays(const struct model *model)
{
    enum { PART = 20 };
    double all = 0, lacking = 0;
    for (size_t i = 0; i < model->arguments->array_count; i++) {
        const double bytes = (double)model->arguments->array[i].bytes;
        all += bytes;
        lacking += accesses(&model->traffic[i]) > 0 ? 0 : bytes;
    }
    return !model->traces.scattered && lacking * PART > all && model->blocks > model->sample.blocks;
}

static void scale_traffic(struct smc_sm_traffic *traffic, double times)
{
    traffic->loaded *= times;
    traffic->loaded_scattered *= times;
    traffic->loaded_astray *= times;
    traffic->loaded_shared *= times;
    traffic->stored_shared *= times;
    traffic->stored *= times;
    traffic->stored_scattered *= times;
    traffic->stored_sectors *= times;
    traffic->stored_bytes *= times;
}

/* What the sample accesses of each array or, if other blocks access more of them, what those do:
   `drawn`. */
static enum smc_status access_arrays(struct model *model, bool *drawn, struct smc_error *error)
{
    enum { BLOCKS = 32 };
    const size_t arrays = model->arguments->array_count;
    struct smc_sm_traffic own[sizeof model->traffic / sizeof *model->traffic];
    struct work elsewhere;
    double all_own = 0, all = 0;
    enum smc_status status = run_sm(model, smc_sm_access, error);
    *drawn = false;
    if (status != SMC_OK || !lacks_arrays(model))
        return status;
    memcpy(own, model->traffic, sizeof own);
    status = access_elsewhere(model, BLOCKS, &elsewhere, error);
    for (size_t i = 0; i < arrays; i++) {
        *drawn |= accesses(&own[i]) <= 0 && accesses(&model->traffic[i]) > 0;
        all_own += accesses(&own[i]);
        all += accesses(&model->traffic[i]);
    }
    for (size_t i = 0; i < arrays && *drawn; i++) {
        scale_traffic(&model->traffic[i], all_own / all);
        own[i] = model->traffic[i];
    }
    memcpy(model->traffic, own, sizeof own);
    return status;
}

/* Whether blocks that run later access what those before them did: the first iterations of blocks
   drawn from those that run at a time show how many access different places. Not where what they
   load decides. */
static enum smc_status find_panels(struct model *model, struct smc_error *error)
{
    enum { BLOCKS = 32, FEW = 8, ITERATIONS = 1 };
    const uint64_t run = model->sms * model->launch->blocks_per_sm;
    struct sample least = {.blocks = 1};
    struct smc_traces traces = {0};
    bool cut;
    if (model->blocks <= run || by_data(model) || model->survey.others)
        return SMC_OK;
    enum smc_status status = smc_sample_measure(model, ITERATIONS, &least, &cut, error);
    if (status != SMC_OK)
        return status;
    const uint64_t entries = least.entries * smc_traces_warps(&model->machine);
    const double fit = 32.0 * SMC_SAMPLE_BUDGET / (double)entries;
    if (fit < FEW)
        return SMC_OK;
    const struct smc_traced traced = {.scattered = true,
                                      .among = run,
                                      .blocks = (uint32_t)fmin(fit, fmin((double)run, BLOCKS)),
                                      .entries = least.entries,
                                      .loop_entries = least.loop_entries};
    status = smc_traces_make(&model->machine, &traced, &traces, error);
    if (status != SMC_OK)
        return status;
    const bool found =
        smc_panels_find(&traces, model->program.count, (double)run, model->arguments->array,
                        model->arguments->array_count, model->panels);
    smc_traces_free(&traces);
    return found ? SMC_OK : smc_out_of_memory(error);
}

/* Of which parts of rows blocks drawn from those that run at a time access all over an array. */
static enum smc_status find_row_parts(struct model *model, struct smc_error *error)
{
    enum { BLOCKS = 32, BUDGET = 8 * SMC_SAMPLE_BUDGET };
    const uint64_t run = model->sms * model->launch->blocks_per_sm;
    struct sample least = {.blocks = 1};
    struct smc_traces traces = {0};
    bool cut;
    if (model->blocks <= run || model->survey.others || !smc_model_exceeds_l2_in_no_order(model))
        return SMC_OK;
    enum smc_status status = smc_sample_measure(model, SMC_LEAST_LOOP_ENTRIES, &least, &cut, error);
    if (status != SMC_OK)
        return status;
    const uint64_t entries = least.entries * smc_traces_warps(&model->machine);
    const double fit = fmin((double)BUDGET / (double)entries, fmin((double)run, BLOCKS));
    const struct smc_traced traced = {.scattered = true,
                                      .among = run,
                                      .blocks = (uint32_t)fmax(fit, 1),
                                      .each_apart = by_data(model),
                                      .entries = least.entries,
                                      .loop_entries = least.loop_entries};
    status = smc_traces_make(&model->machine, &traced, &traces, error);
    if (status != SMC_OK)
        return status;
    const bool found = smc_row_parts_find(&traces, model->program.count, model->arguments->array,
                                          model->arguments->array_count, model->part);
    smc_traces_free(&traces);
    return found ? SMC_OK : smc_out_of_memory(error);
}

/* What comes from DRAM. */
static enum smc_status find_dram(struct model *model, struct smc_error *error)
{
    bool drawn;
    if (!smc_model_needs_dram(model))
        return SMC_OK;
    enum smc_status status = access_arrays(model, &drawn, error);
    if (status == SMC_OK && !drawn)
        status = find_panels(model, error);
    if (status == SMC_OK && !drawn)
        status = find_row_parts(model, error);
    if (status == SMC_OK)
        smc_model_find_dram(model, drawn);
    return status;
}

/* --- Atomics and requests in one piece of memory ------------------------------------------------
 */

/* How long the atomics of the launch take in the unit of L2 that has the most of them. If these
   are many more than it would have of a window of which all pieces have as many, it also has its
   share of all others: of additions to rows of 128 bytes to 4 KiB of 16 MiB, of which one row gets
   1/32 to all, those to that row take as long as alone, and the others 1/90 of a unit's time each
   (0.18 to 1.47 ns for 16 sectors of 2 floats each in 4 lines, and 0.155 where no row is hot; H200,
   CUDA 13.0, driver 580.159.04, 2026-11-30). */
static double hottest_clocks(const struct model *model)
{
    enum { MANY = 4 };
    const struct work *work = &model->work;
    const double all = work->atomics * smc_busy_sms(model);
    const double share = work->hottest_share,
                 units = work->atomics_window / (SMC_ATOMIC_PIECE_BYTES * SMC_ATOMIC_UNIT_PIECES);
    const double others = share * units > MANY ? (1 - share) / SMC_ATOMIC_UNITS : 0;
    return all * (share * work->hottest_clocks + others * work->atomic_clocks);
}

/* How long all atomics take in the unit of L2 that the windows of blocks at a time give most. */
static double clocks_in_window(const struct model *model)
{
    const struct work *work = &model->work;
    return work->atomics * smc_busy_sms(model) * work->atomic_clocks * work->busiest_unit;
}

/* How long the requests of the launch take to the piece of memory that has the most of them. */
static double hottest_requests_clocks(const struct model *model)
{
    const struct work *work = &model->work;
    const double stores = work->store_requests * work->hottest_stores;
    const double loads = work->load_requests * work->hottest_loads;
    return fmax(stores, loads) * model->rates.piece_clocks * smc_busy_sms(model);
}

/* Until the last atomic in the units of L2 that have the most: all units begin with the first one,
   the unit of a piece that all blocks access with the first one there. Of what is loaded meanwhile,
   half waits behind them: 131072 blocks that load 1 to 8 KiB and then add to a float take 0.234 to
   0.335 ms, where atomics alone take 0.233 and loads alone 0.090 to 0.238; those that add to 32
   integers 0.324 to 0.437, and 0.312 alone; to one integer 0.123 to 0.331, and 0.099 alone (H200,
   CUDA 13.0, driver 580.159.04, 2026-11-30). */
static double clocks_with_atomics(const struct model *model)
{
    static const double waits = 0.5;
    const struct work *work = &model->work;
    const double atomics = model->atomics_clocks;
    const double loads = fmax(model->dram_clocks, work->load_slots * model->rates.l2_load_clocks);
    const bool is_hot = hottest_clocks(model) >= clocks_in_window(model);
    const double first = is_hot ? work->first_hottest : work->first_atomic;
    return atomics > 0 ? first + atomics + waits * fmin(atomics, loads) : 0;
}

/* Of a single block in the sample it is not known whether others access the same pieces, nor which
   windows the atomics of the blocks that run at a time have; a few may share a piece by chance, or
   since they are as many blocks apart as the SMs are. */
static enum smc_status find_hottest_elsewhere(struct model *model, struct smc_error *error)
{
    enum { MUCH = 8, FEW = 8, BLOCKS = 16 };
    struct work *work = &model->work, elsewhere;
    const double atomics = work->atomics * smc_busy_sms(model) * work->atomic_clocks;
    const double most = fmax(fmax(atomics, hottest_clocks(model)), hottest_requests_clocks(model));
    if (model->sample.blocks >= FEW || model->blocks == 1 || most * MUCH < work->clocks)
        return SMC_OK;
    enum smc_status status = access_elsewhere(model, BLOCKS, &elsewhere, error);
    if (status != SMC_OK)
        return status;
    if (model->sample.blocks > 1)
        work->first_hottest = work->first_atomic; /* that piece may be another one */
    work->hottest_share = elsewhere.hottest_share;
    work->hottest_stores = elsewhere.hottest_stores;
    work->hottest_loads = elsewhere.hottest_loads;
    work->hottest_clocks = elsewhere.hottest_clocks;
    work->atomics_window = elsewhere.atomics_window;
    work->busiest_unit = elsewhere.busiest_unit;
    return SMC_OK;
}

/* How many atomics in global memory a warp of the traces makes. */
static double atomics_of_warp(const struct model *model, const struct smc_traces *traces)
{
    double sum = 0;
    for (uint32_t i = 0; i < model->program.count; i++)
        if (smc_is_global_atomic(&model->program.step[i].in))
            sum += traces->executions[i];
    return sum / ((double)traces->blocks * traces->warps_per_block);
}

/* Traces blocks drawn from those that run at a time, with as much of each loop as that takes. */
static enum smc_status trace_crowd(struct model *model, uint64_t running, struct smc_traces *traces,
                                   struct smc_error *error)
{
    enum { WARPS = 128, FEWEST = 4, MOST = 16, TWO = 2, BUDGET = 8 * SMC_SAMPLE_BUDGET };
    struct sample sample = {.blocks = 1};
    const uint64_t warps = smc_traces_warps(&model->machine);
    const double blocks = fmin(fmax(WARPS / (double)warps, FEWEST), MOST);
    enum smc_status status = SMC_OK;
    bool cut = true;
    for (uint64_t kept = SMC_MOST_LOOP_ENTRIES; status == SMC_OK; kept /= 2) {
        status = smc_sample_measure(model, kept, &sample, &cut, error);
        if (kept <= SMC_LEAST_LOOP_ENTRIES || (double)(sample.entries * warps) * blocks <= BUDGET)
            break;
    }
    if (status != SMC_OK)
        return status;
    const double fit = (double)BUDGET / (double)(sample.entries * warps);
    const struct smc_traced traced = {
        .scattered = true,
        .among = running < model->blocks ? running : 0,
        .blocks = (uint32_t)fmin(fmax(fmin(fit, blocks), TWO), (double)running),
        .each_apart = by_data(model),
        .entries = sample.entries,
        .loop_entries = sample.loop_entries};
    return smc_traces_make(&model->machine, &traced, traces, error);
}

/* Adds the time for which warps that start together wait for each other's atomics. */
static enum smc_status wait_in_crowds(struct model *model, struct smc_error *error)
{
    const double least = 0.02; /* of the launch, if all warps add to the same place */
    struct work *work = &model->work;
    const uint64_t resident = model->sms * model->launch->blocks_per_sm;
    const uint64_t running = resident < model->blocks ? resident : model->blocks;
    const double first = (double)running / (double)model->blocks;
    const double each = atomics_of_warp(model, &model->traces);
    const double all = work->atomics * smc_busy_sms(model) * first * work->atomic_clocks;
    struct smc_traces traces = {0};
    struct smc_crowds crowds;
    if (running < 2 || each <= 1 || model->survey.others ||
        all / each * (1 + log(each)) < least * work->clocks)
        return SMC_OK;
    enum smc_status status = trace_crowd(model, running, &traces, error);
    if (status != SMC_OK)
        return status == SMC_USAGE ? SMC_OK : status;
    const struct smc_crowd_sample sample = {.traces = &traces,
                                            .program = &model->program,
                                            .rates = &model->rates,
                                            .array = model->arguments->array,
                                            .arrays = model->arguments->array_count,
                                            .running = (double)running};
    const bool found = smc_crowds_find(&sample, &crowds);
    const double atomics = atomics_of_warp(model, &traces);
    smc_traces_free(&traces);
    if (!found)
        return smc_out_of_memory(error);
    const double longer = smc_crowds_clocks(&crowds, atomics, work->clocks * first);
    model->atomics_clocks += smc_crowds_clocks(&crowds, atomics, model->atomics_clocks * first);
    work->clocks += longer;
    return SMC_OK;
}

/* Names what the survey could not follow. */
static void name_unfollowed(const struct model *model, struct smc_time *time)
{
    const struct smc_survey *survey = &model->survey;
    const uint32_t at = survey->end_at, source = survey->first_unknown;
    if (survey->end == SMC_WALK_WHOLE || at >= model->program.count)
        return;
    smc_auto_text text = {0};
    const bool is_branch = survey->end == SMC_WALK_UNKNOWN_BRANCH;
    smc_text_append(&text, is_branch ? "the branch at " : "the instruction at ");
    smc_machine_program_append_place(&model->program, at, &text);
    if (!is_branch)
        smc_text_append(&text, " is not known");
    if (is_branch && source > 0 && source <= model->program.count) {
        smc_text_printf(&text, " depends on %s at ",
                        smc_operation_name(model->program.step[source - 1].in.operation));
        smc_machine_program_append_place(&model->program, source - 1, &text);
    }
    snprintf(time->unfollowed, sizeof time->unfollowed, "%s", smc_text_string(&text));
}

/* The arrays of the arguments that the launch changes were each copied before it. */
static void set_launch_after_copies(struct model *model)
{
    const struct smc_time_launch *launch = model->launch;
    unsigned copies = 0;
    for (size_t i = 0; i < launch->arguments->array_count && launch->restored; i++)
        copies += (model->work.stored >> i & 1) != 0;
    model->rates.launch_ms += smc_rates_after_copies_ms(copies);
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
    if (model->traces.local_bytes > 0)
        model->local_bytes =
            fmin(model->local_bytes, model->traces.local_bytes * model->resident_warps);
    enum smc_status status = find_dram(model, error);
    if (status == SMC_OK)
        status = time_sm(model, error);
    if (status != SMC_OK)
        return status;
    struct work *work = &model->work;
    status = find_hottest_elsewhere(model, error);
    if (status != SMC_OK)
        return status;
    model->atomics_clocks = fmax(hottest_clocks(model), clocks_in_window(model));
    model->hot_clocks = hottest_requests_clocks(model);
    work->clocks = fmax(work->clocks, fmax(model->dram_clocks, model->hot_clocks));
    work->clocks = fmax(work->clocks, clocks_with_atomics(model));
    if (work->atomics > 0)
        status = wait_in_crowds(model, error);
    if (status == SMC_OK)
        status = smc_model_end_with_longest(model, error);
    if (status == SMC_OK)
        status = add_last_block(model, error);
    if (status != SMC_OK)
        return status;
    const double times = smc_busy_sms(model);
    time->basis = basis_of(launch->ceilings);
    time->contents_change = smc_contents_change(&model->survey);
    name_unfollowed(model, time);
    time->instructions = times * work->issued;
    time->fma_flops = times * work->flops;
    time->atomics = times * work->atomics;
    time->shared_wavefronts = times * work->shared_wavefronts;
    time->l1_sectors = times * (work->load_sectors + work->store_sectors);
    time->l2_sectors = times * (work->l2_sectors + work->store_sectors);
    set_launch_after_copies(model);
    smc_model_set_time(model, times, time);
    return SMC_OK;
}

static bool read_array(void *context, uint64_t address, size_t bytes, void *to, unsigned *array)
{
    struct model *model = context;
    const bool known = smc_time_read_contents(model->arguments, address, bytes, to, array);
    model->time->outside_arrays |= *array == SMC_TIME_MOST_ARGUMENTS;
    return known;
}

/* What the warps load is followed if the arrays have contents, or if threads have local memory:
   what they spilled there may be a loop's bound or an address. */
static enum smc_status follow_contents(struct model *model, struct smc_error *error)
{
    const bool has = smc_time_have_contents(model->arguments) || model->local_bytes > 0;
    model->contents = (struct smc_contents){.read = read_array, .context = model};
    model->machine.contents = has ? &model->contents : NULL;
    return smc_machine_program_follow(&model->program, has, false, error);
}

/* How many steps of a path are evaluated. */
static uint64_t evaluated_steps(const struct smc_machine_program *program,
                                const struct smc_warp_path *path)
{
    uint64_t steps = 0;
    for (const struct smc_path_run *run = path->run; run < path->run + path->count; run++)
        for (uint32_t at = run->first; (at = smc_next_step(program, at, false)) < run->last; at++)
            steps++;
    return steps;
}

/* The path of the first warp of the sample. Functions for exceptional operands that it does not
   call are left out for all: to know whether one is called, everything that its operands come from
   has to be evaluated, which may be more than warps can be followed for. Then it is followed again,
   if much less is evaluated without them: else it would end hardly later. */
static enum smc_status follow_first(struct model *model, const struct smc_cubin *cubin,
                                    const char *kernel, struct smc_error *error)
{
    enum { MUCH = 8 }; /* an eighth */
    model->sample.first = smc_traces_first_block(&model->machine, model->sms);
    enum smc_status status =
        smc_traces_follow(&model->machine, model->sample.first, &model->path, error);
    const uint64_t all = status == SMC_USAGE ? evaluated_steps(&model->program, &model->path) : 0;
    if (status == SMC_MACHINE ||
        !smc_module_leave_out(&model->program, cubin, kernel, &model->path))
        return status;
    const enum smc_status again =
        smc_machine_program_follow(&model->program, model->machine.contents != NULL, false, error);
    if (status == SMC_OK || again != SMC_OK)
        return again;
    if ((all - evaluated_steps(&model->program, &model->path)) * MUCH < all)
        return status;
    free(model->path.run);
    model->path = (struct smc_warp_path){0};
    return smc_traces_follow(&model->machine, model->sample.first, &model->path, error);
}

/* A survey that also follows what the warps themselves store. */
static enum smc_status survey_stores(struct model *model, struct smc_error *error)
{
    smc_survey_free(&model->survey);
    enum smc_status status = smc_machine_program_follow(&model->program, true, true, error);
    if (status == SMC_OK)
        status =
            smc_survey_make(&model->machine, (struct smc_surveyed){.length = model->sample.length},
                            &model->survey, error);
    return smc_model_survey_races(model, status, error);
}

/* How many entries there may be of each warp. The first one of the sample may have left at once, as
   at the edge of a grid: then the others need more than it. */
static size_t most_entries(const struct model *model)
{
    const struct sample *sample = &model->sample;
    size_t most = 2 * sample->budget / (sample->blocks * (size_t)smc_traces_warps(&model->machine));
    most = most < SMC_MOST_ENTRIES ? most : SMC_MOST_ENTRIES;
    return most > sample->entries ? most : sample->entries;
}

/* The traces again, with what warps store, as it decides where they access memory. */
static enum smc_status trace_stores(struct model *model, const struct smc_traced *traced,
                                    struct smc_error *error)
{
    smc_traces_free(&model->traces);
    const enum smc_status status = smc_machine_program_follow(&model->program, true, true, error);
    return status == SMC_OK ? smc_traces_make(&model->machine, traced, &model->traces, error)
                            : status;
}

/* The traces of the first blocks, beside a survey of the grid, or why there is none. What warps
   store is followed in the survey only where it decides what they execute. */
static enum smc_status trace_first(struct model *model, const struct smc_traced *traced,
                                   enum smc_status surveyed, struct smc_error *error)
{
    enum smc_status status = smc_traces_make(&model->machine, traced, &model->traces, error);
    if (status != SMC_OK || !model->machine.contents)
        return status;
    return model->traces.decides_and_changes && !model->program.follows_stores
               ? survey_stores(model, error)
               : surveyed;
}

/* The same beside a survey that follows what warps store, where its warps do not differ. */
static enum smc_status trace_beside_stores(struct model *model, const struct smc_traced *traced,
                                           struct smc_error *error)
{
    enum smc_status status = smc_machine_program_follow(&model->program, true, false, error);
    if (status == SMC_OK)
        status = smc_traces_make(&model->machine, traced, &model->traces, error);
    return status == SMC_OK ? smc_machine_program_follow(&model->program, true, true, error)
                            : status;
}

/* Where warps differ and execute no more than the budget on average, nothing is left out of those
   that execute more than the one that was measured: they would wait for all others there. */
static void keep_all(const struct model *model, struct smc_traced *traced)
{
    const double warps = (double)traced->blocks * smc_traces_warps(&model->machine);
    if (!traced->each_apart || smc_traces_take_turns(&model->program) ||
        model->survey.length * warps > (double)model->sample.budget)
        return;
    traced->loop_entries = SMC_MOST_LOOP_ENTRIES;
    traced->entries =
        traced->entries > SMC_MOST_LOOP_ENTRIES ? traced->entries : SMC_MOST_LOOP_ENTRIES;
}

/* Whether the warps of a survey, which are alike, clearly differ from the first one of the sample:
   then they differ from its traces. */
static bool differs_from_first(const struct model *model)
{
    enum { CLEARLY = 20 }; /* a twentieth */
    const double length = (double)model->sample.length, all = model->survey.length;
    return model->survey.warps > 0 && fabs(all - length) * CLEARLY > length;
}

/* Measures the sample again if the first warp was followed without what it stores, and the survey,
   which follows that, shows that warps execute clearly more or less: where each thread stores where
   it then loads and goes on by what it finds there, a particle filter executes 29 thousand
   instructions, not 7 thousand, and of its second loop nothing would be kept (H200, CUDA 13.0,
   driver 580.159.04, 2026-11-30). */
static enum smc_status measure_with_stores(struct model *model, struct smc_traced *traced,
                                           struct smc_error *error)
{
    struct smc_warp_path path = {0};
    struct smc_error why = {""};
    if (!differs_from_first(model))
        return SMC_OK;
    enum smc_status status = smc_traces_follow(&model->machine, model->sample.first, &path, &why);
    if (status != SMC_OK) { /* then it stays what it was */
        free(path.run);
        return status == SMC_USAGE ? SMC_OK : smc_fail(error, status, "%s", why.message);
    }
    free(model->path.run);
    model->path = path;
    status = smc_sample_choose(model, error);
    traced->blocks = model->sample.blocks;
    traced->entries = most_entries(model);
    traced->loop_entries = model->sample.loop_entries;
    return status;
}

/* The traces of the sample. Where the warps of the grid differ, they are of blocks from the whole
   grid. */
static enum smc_status trace_sample(struct model *model, struct smc_error *error)
{
    const struct sample *sample = &model->sample;
    const bool follows = model->machine.contents;
    struct smc_traced traced = {.first = sample->first,
                                .stride = model->sms,
                                .blocks = sample->blocks,
                                .each_apart = by_data(model),
                                .entries = most_entries(model),
                                .loop_entries = sample->loop_entries};
    const struct smc_surveyed how = {.length = model->sample.length};
    enum smc_status status =
        follows ? smc_survey_make(&model->machine, how, &model->survey, error) : SMC_OK;
    const bool by_stores = smc_decides_and_changes(&model->survey);
    if (by_stores)
        status = survey_stores(model, error);
    else if (status == SMC_OK && model->survey.loads_stored) /* the traces would, too */
        status = smc_machine_program_follow(&model->program, true, true, error);
    if (by_stores && status != SMC_OK)
        return status;
    if (status == SMC_OK && by_stores)
        status = measure_with_stores(model, &traced, error);
    smc_sample_keep_last(model, &traced);
    if (status == SMC_MACHINE)
        return status;
    bool differs = smc_survey_spreads(&model->survey) || differs_from_first(model);
    if (!differs) {
        status = by_stores ? trace_beside_stores(model, &traced, error)
                           : trace_first(model, &traced, status, error);
        model->traced = traced;
        if (status != SMC_OK || !follows)
            return status;
        differs = smc_survey_differs(&model->survey, &model->traces);
        if (differs)
            smc_traces_free(&model->traces);
    }
    if (differs) {
        traced.scattered = true;
        if (model->blocks <= model->machine.resident) /* it ends with that one */
            traced.first = model->survey.longest[0].place;
        traced.others = model->survey.others;
        traced.at_once = survey_of_all(model);
        traced.among = model->survey.at_once;
        traced.survey = &model->survey;
        traced.sees_all = numbers_itself(&model->survey);
        number_from_middle(model, &traced);
        keep_all(model, &traced);
        status = smc_traces_make(&model->machine, &traced, &model->traces, error);
        if (status == SMC_OK &&
            smc_survey_exceeds(&model->survey, &model->traces, model->program.count)) {
            smc_traces_free(&model->traces);
            traced.first = model->survey.longest[0].place;
            status = smc_traces_make(&model->machine, &traced, &model->traces, error);
        }
    }
    if (status == SMC_OK && model->traces.loads_stored && !model->program.follows_stores)
        status = trace_stores(model, &traced, error);
    if (status != SMC_OK)
        return status;
    model->traced = traced;
    return smc_traces_set_survey(&model->traces, &model->survey, &model->program, error);
}

/* Where all blocks start at once and have less to do on average than those that are followed, as
   where there are fewer tiles than blocks, fewer of them share L2 and DRAM meanwhile. */
static void share_by_work(struct model *model)
{
    const struct smc_time_launch *launch = model->launch;
    const double share = longer_than_sample(model);
    if (share >= 1 || model->blocks > model->machine.resident)
        return;
    const double blocks = fmax(1, (double)model->blocks * share);
    smc_rates_set_memory(&model->rates, launch->device, launch->ceilings, (uint64_t)blocks);
}

/* Blocks that let the next launch begin (griddepcontrol.launch_dependents) start half as fast, also
   where no such launch is near, but not those that wait for the one before (griddepcontrol.wait):
   65536 of 32 to 1024 threads take 81 us instead of 41 to 52 (H200, CUDA 13.0, driver 580.159.04,
   2026-11-30). */
static double slower_starts(const struct smc_machine_program *program)
{
    for (uint32_t i = 0; i < program->count; i++)
        if (program->step[i].in.operation == SMC_OP_PREEXIT)
            return 2;
    return 1;
}

/* The shape of its clusters. If only their size is known, they are in the first direction in which
   the grid is a multiple of it. */
static void set_cluster(const struct smc_time_launch *launch, uint32_t blocks, uint32_t cluster[3])
{
    int axis = 0;
    memcpy(cluster, launch->cluster, sizeof launch->cluster);
    if (cluster[0] > 0 || blocks <= 1)
        return;
    while (axis < 2 && launch->grid[axis] % blocks != 0)
        axis++;
    cluster[axis] = blocks;
}

/* A launch whose blocks all start at once ends with the SM that is farthest from L2: 256 loads one
   after the other take 43.9 us on one SM and 46.1 us on 132 (H200, CUDA 13.0, driver 580.159.04,
   2026-11-30), as if SMs were up to 15 clocks nearer or farther. */
static double slowest_sm(const struct model *model)
{
    static const double farther = 15;
    const double sms = fmin((double)model->blocks, (double)model->sms);
    return model->blocks > model->machine.resident ? 0 : farther * (sms - 1) / (sms + 1);
}

/* The shape of the launch, how many warps reside, and the rates with so many blocks. */
static void timing_set_launch(struct model *model, const struct smc_cubin_kernel *kernel)
{
    const struct smc_time_launch *launch = model->launch;
    model->blocks = 1;
    for (int i = 0; i < 3; i++) {
        model->machine.block[i] = launch->block[i];
        model->machine.grid[i] = launch->grid[i];
        model->blocks *= launch->grid[i];
    }
    uint64_t started = model->sms * (uint64_t)launch->blocks_per_sm;
    model->resident_warps = (double)(model->blocks < started ? model->blocks : started) *
                            smc_traces_warps(&model->machine);
    model->local_bytes = (double)kernel->stack_bytes * SMC_LANES * model->resident_warps;
    model->machine.resident = model->sms * launch->blocks_per_sm;
    model->machine.sms = model->sms;
    model->machine.l1_bytes = launch->l1_bytes;
    smc_rates_of(launch->device, launch->ceilings, model->blocks, &model->rates);
    model->rates.l2_latency += slowest_sm(model);
    const uint32_t cluster =
        kernel->blocks_per_cluster > 1 ? kernel->blocks_per_cluster : launch->blocks_per_cluster;
    set_cluster(launch, cluster, model->machine.cluster);
    if (cluster > 1)
        model->rates.block_interval *= 1 + 1.0 / cluster;
    model->rates.block_interval *= slower_starts(&model->program);
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
    model.program.cubin = cubin;
    model.program.entry = kernel->name;
    smc_machine_constants(constants, launch->block, launch->grid, at, parameters, bytes);
    smc_bank_layout_of(&launch->device->sm, SMC_BANK_MODE_4_BYTES, &layout);
    model.machine = (struct smc_machine_launch){
        .program = &model.program,
        .constants = constants,
        .constant_bytes = (at + bytes + 3) / 4 * 4, /* whole words */
        .bank = values->bank,
        .layout = &layout,
        .textures = &values->arguments.textures,
        .array = model.arguments->array,
        .arrays = model.arguments->array_count,
    };
    timing_set_launch(&model, kernel);
    smc_machine_cluster_constants(constants, model.machine.cluster);
    snprintf(time->code, sizeof time->code, "sm_%u machine code", cubin->cc);
    status = smc_model_check_rates(&model, error);
    time->lacks_rate = status == SMC_USAGE;
    if (status == SMC_OK)
        status = follow_contents(&model, error);
    if (status == SMC_OK)
        status = follow_first(&model, cubin, kernel->name, error);
    if (status == SMC_OK)
        status = smc_sample_choose(&model, error);
    if (status == SMC_OK)
        status = trace_sample(&model, error);
    if (status == SMC_OK)
        status = smc_model_find_sleeps(&model, error);
    if (status == SMC_OK) {
        share_by_work(&model);
        smc_model_set_bulk_rate(&model);
        status = timing_predict(&model, error);
    }
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
