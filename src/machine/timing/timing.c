/* Predicts the time of a launch. */
#include "machine/timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "code/machine_code.h"
#include "machine/timing/module_values.h"
#include "machine/timing/traces.h"

const struct smc_time_term_info smc_time_term_info[SMC_TIME_TERM_COUNT] = {
#define TERM(id, key, label, relief) {#key, label, relief},
#include "machine/timing/terms.def"
#undef TERM
};

const char *smc_time_basis_name(enum smc_time_basis basis)
{
    static const char *const names[] = {NULL, "table", "calibrated", "specifications"};
    return names[basis];
}

uint16_t smc_time_code_cc(uint16_t cc)
{
    struct smc_capability capability;
    smc_capability_nearest(cc, &capability);
    if (capability.machine_code_format <= SMC_NEWEST_CODE_FORMAT)
        return cc;
    for (size_t i = smc_capability_count(); i-- > 0;) {
        smc_capability_at(i, &capability);
        if (capability.machine_code_format == SMC_NEWEST_CODE_FORMAT)
            break;
    }
    return capability.sm.cc;
}

/* Encodings before format 1 are not known. */
static uint16_t oldest_code_cc(void)
{
    struct smc_capability capability = {0};
    for (size_t i = 0; i < smc_capability_count() && capability.machine_code_format == 0; i++)
        smc_capability_at(i, &capability);
    return capability.sm.cc;
}

enum {
    BUDGET = 16000,           /* instructions of all warps together that are executed one by one */
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
    double data_wavefronts, shared_wavefronts;
    double load_sectors, l2_sectors, store_sectors;
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
    double dram_load_share, dram_store_share; /* as in struct smc_sm_launch */
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
    sum->data_wavefronts += times * part->data_wavefronts;
    sum->shared_wavefronts += times * part->shared_wavefronts;
    sum->load_sectors += times * part->load_sectors;
    sum->l2_sectors += times * part->l2_sectors;
    sum->store_sectors += times * part->store_sectors;
    sum->loaded |= part->loaded;
    sum->stored |= part->stored;
}

/* The work of all executions of step `i`, of which some were in traces. */
static void add_step(const struct model *model, uint32_t i, const struct smc_step_work *step,
                     struct work *work)
{
    const struct smc_rates *rates = &model->rates;
    const struct smc_sass_instruction *in = &model->program.step[i].in;
    double executions = model->traces.executions[i];
    double times = step->executions > 0 ? executions / step->executions : 0;
    double traced = step->load_sectors + step->store_sectors, requests = times;
    if (model->traces.sectors && model->traces.sectors[i] > 0 && traced > 0)
        requests = model->traces.sectors[i] / traced;
    work->issued += executions;
    work->busy[in->pipe] += executions * smc_rates_clocks(rates, in);
    work->flops += times * step->flops;
    work->unknown += times * step->unknown;
    work->data_wavefronts += times * step->wavefronts;
    work->shared_wavefronts += times * step->shared_wavefronts;
    work->load_sectors += requests * step->load_sectors;
    work->l2_sectors += requests * step->l2_sectors;
    work->store_sectors += requests * step->store_sectors;
}

/* --- One SM ----------------------------------------------------------------------------------- */

/* The sample with so much of each loop. Most warps need no more entries than the one measured. */
static enum smc_status timing_measure(const struct model *model, uint64_t kept,
                                      struct sample *sample, bool *cut, struct smc_error *error)
{
    size_t entries = 0;
    enum smc_status status = smc_traces_measure(&model->machine, sample->first, kept, MOST_ENTRIES,
                                                &entries, cut, error);
    sample->loop_entries = kept;
    sample->kept = entries;
    sample->entries = entries + entries / 4 + 64;
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

/* How many of an SM's blocks are the last ones of the grid in a direction, and often partly empty.
 */
static uint64_t last_blocks(const struct model *model, uint64_t first)
{
    const uint32_t *grid = model->machine.grid;
    uint64_t count = 0;
    for (uint64_t block = first; block < model->blocks; block += model->sms) {
        uint64_t x = block % grid[0], y = block / grid[0] % grid[1], z = block / grid[0] / grid[1];
        count += (grid[0] > 1 && x + 1 == grid[0]) || (grid[1] > 1 && y + 1 == grid[1]) ||
                 (grid[2] > 1 && z + 1 == grid[2]);
    }
    return count;
}

/* The first block of an SM that has as many blocks as any. If all blocks start at once, the one
   with the fewest of the grid's last blocks takes longest; otherwise faster SMs get more blocks. */
static uint64_t first_block(const struct model *model)
{
    uint64_t last = (model->blocks - 1) % model->sms, first = last / 2;
    if (most_blocks(model) > model->launch->blocks_per_sm)
        return first;
    uint64_t least = last_blocks(model, first);
    for (uint64_t i = 1; i <= last && least > 0; i++) { /* from the middle to both sides */
        uint64_t other = (last / 2 + (i % 2 ? (i + 1) / 2 : last + 1 - i / 2)) % (last + 1);
        uint64_t count = last_blocks(model, other);
        if (count < least) {
            least = count;
            first = other;
        }
    }
    return first;
}

/* Blocks of the SM with the most: up to three rounds, fewer if their traces do not fit. */
static enum smc_status choose_sample(struct model *model, struct smc_error *error)
{
    uint32_t resident = model->launch->blocks_per_sm;
    uint64_t most = most_blocks(model), warps = smc_traces_warps(&model->machine);
    struct sample least = {.first = first_block(model)}, *sample = &model->sample;
    bool cut = false;
    enum smc_status status = timing_measure(model, LEAST_LOOP_ENTRIES, &least, &cut, error);
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

static enum smc_status run_sample(const struct model *model, execute_blocks *execute,
                                  struct work *work, struct smc_error *error)
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
        .array = arguments->array,
        .arrays = arguments->array_count,
        .dram_load_share = model->dram_load_share,
        .dram_store_share = model->dram_store_share,
        .work = steps,
    };
    enum smc_status status = execute(&launch, &result, error);
    *work = (struct work){.clocks = result.clocks,
                          .clocks_per_block = result.clocks_per_block,
                          .loaded = result.loaded,
                          .stored = result.stored};
    for (uint32_t i = 0; i < model->program.count; i++)
        add_step(model, i, &steps[i], work);
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

/* The SM with the most blocks: those beyond the sample take as long as the ones in it. */
static enum smc_status run_sm(struct model *model, execute_blocks *execute, struct smc_error *error)
{
    struct work work = {0};
    enum smc_status status = run_sample(model, execute, &work, error);
    if (status != SMC_OK)
        return status;
    double blocks = model->sample.blocks, more = (double)most_blocks(model) - blocks;
    double each = work.clocks_per_block > 0 ? work.clocks_per_block : work.clocks / blocks;
    each *= longer_than_sample(model);
    model->work = (struct work){0};
    timing_add(&model->work, &work, 1 + more / blocks);
    model->work.clocks = work.clocks + more * each;
    return SMC_OK;
}

/* --- DRAM ------------------------------------------------------------------------------------- */

static double bytes_of(const struct smc_time_arguments *arguments, uint64_t which)
{
    double bytes = 0;
    for (size_t i = 0; i < arguments->array_count; i++)
        if (which >> i & 1)
            bytes += (double)arguments->array[i].bytes;
    return bytes;
}

/* L2 keeps arrays of up to these shares of its size from one launch to the next, more of what is
   loaded than of what is stored; of larger ones less and less, up to the last share. Measured with
   loads, stores and copies of 4 to 255 MiB on an H100 and an H200 (CUDA 13.0, driver 580.159.04,
   2026-11-24). */
#define L2_KEEPS_LOADED 0.75
#define L2_KEEPS_STORED 0.35
#define L2_KEEPS_NONE   0.85

/* How much of so many bytes comes from and goes to DRAM in each launch. */
static double share_of_dram(double read, double written, double l2_bytes)
{
    double bytes = read + written;
    double kept = (L2_KEEPS_LOADED * read + L2_KEEPS_STORED * written) / bytes * l2_bytes;
    double share = (bytes - kept) / (L2_KEEPS_NONE * l2_bytes - kept);
    return fmin(fmax(share, 0), 1);
}

/* The bytes that come from and go to DRAM in a launch, and the shares of what misses L1 and of what
   is stored. Arrays that L2 keeps are still there from the launch before; others come from DRAM
   once. */
static enum smc_status find_dram(struct model *model, struct smc_error *error)
{
    const struct smc_time_launch *launch = model->launch;
    const struct work *work = &model->work;
    double l2_bytes = (double)launch->device->l2_bytes;
    if (bytes_of(model->arguments, UINT64_MAX) <= L2_KEEPS_STORED * l2_bytes)
        return SMC_OK;
    enum smc_status status = run_sm(model, smc_sm_access, error);
    double read = bytes_of(model->arguments, work->loaded);
    double written = bytes_of(model->arguments, work->stored);
    if (status != SMC_OK || read + written <= 0)
        return status;
    double busy = model->blocks < model->sms ? (double)model->blocks : (double)model->sms;
    double asked = work->l2_sectors * 32 * busy, stored = work->store_sectors * 32 * busy;
    double share = share_of_dram(read, written, l2_bytes);
    model->dram_load_share = share * (asked > read ? read / asked : 1);
    model->dram_store_share = share * (stored > written ? written / stored : 1);
    model->time->dram_bytes = share * (read + written);
    return SMC_OK;
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
    double halves = (work->busy[SMC_PIPE_FMA] + work->busy[SMC_PIPE_FMA_HEAVY]) / rates->fma_halves;
    term[SMC_TIME_ISSUE] = work->issued / parts * ms;
    term[SMC_TIME_FMA] = fmax(halves, work->busy[SMC_PIPE_FMA_HEAVY]) / parts * ms;
    term[SMC_TIME_FP64] = work->busy[SMC_PIPE_FP64] / parts * ms;
    term[SMC_TIME_INTEGER] = work->busy[SMC_PIPE_ALU] / parts * ms;
    term[SMC_TIME_SPECIAL] = fmax(work->busy[SMC_PIPE_XU], work->busy[SMC_PIPE_ADU]) / parts * ms;
    term[SMC_TIME_TENSOR] = work->busy[SMC_PIPE_TENSOR] / parts * ms;
    time->tensor_peak_ms = term[SMC_TIME_TENSOR] * rates->tensor_share;
    term[SMC_TIME_SHARED] = work->shared_wavefronts * ms;
    term[SMC_TIME_L1] = (work->data_wavefronts - work->shared_wavefronts) * ms;
    term[SMC_TIME_L2] = fmax(work->l2_sectors * rates->l2_load_clocks,
                             work->store_sectors * rates->l2_store_clocks) *
                        ms;
    term[SMC_TIME_DRAM] = time->dram_bytes / rates->dram_bytes_per_clock * ms;
    double start_ms = blocks_sent(model) * rates->block_interval * ms;
    term[SMC_TIME_LATENCY] =
        fmax(0, work->clocks * ms - fmax(largest(time, SMC_TIME_DRAM), start_ms));
    term[SMC_TIME_LAUNCH] = rates->launch_ms + start_ms;
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

/* Shares of the launch and of an SM's time by which a prediction may be off. With MEASURED
   four of five launches that the model was compared with lie in the range (doc/time.md). */
#define UNCERTAIN_LAUNCH         0.3
#define UNCERTAIN_MEASURED       0.25
#define UNCERTAIN_SPECIFICATIONS 0.5
#define UNCERTAIN_ADDRESSES      0.6

/* The SM takes at least as long as each of its units. */
static void timing_set_range(const struct model *model, struct smc_time *time)
{
    double launch_ms = model->rates.launch_ms;
    double sm_ms = model->work.clocks / model->rates.clock_hz * 1e3;
    double share =
        time->basis == SMC_TIME_SPECIFICATIONS ? UNCERTAIN_SPECIFICATIONS : UNCERTAIN_MEASURED;
    bool known = model->work.unknown <= 0 && model->traces.end == SMC_WALK_WHOLE &&
                 model->survey.end == SMC_WALK_WHOLE;
    if (!known || contents_change(&model->survey))
        share = UNCERTAIN_ADDRESSES;
    share += uncertain_survey(&model->survey);
    sm_ms = fmax(sm_ms, largest(time, SMC_TIME_DRAM));
    double least_ms =
        known && time->basis != SMC_TIME_SPECIFICATIONS ? largest(time, SMC_TIME_FP64) : 0;
    if (known) {
        least_ms = fmax(least_ms, time->term_ms[SMC_TIME_SHARED]);
        least_ms = fmax(least_ms, time->tensor_peak_ms);
    }
    time->predicted_ms = launch_ms + sm_ms;
    time->low_ms = launch_ms / (1 + UNCERTAIN_LAUNCH) + fmax(sm_ms / (1 + share), least_ms);
    time->high_ms = launch_ms * (1 + UNCERTAIN_LAUNCH) + sm_ms * (1 + share);
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
    work->clocks = fmax(work->clocks, time->dram_bytes / model->rates.dram_bytes_per_clock);
    double times = (double)model->blocks / (double)most_blocks(model); /* from this SM to all */
    time->basis = basis_of(launch->ceilings);
    time->contents_change = contents_change(&model->survey);
    name_unfollowed(model, time);
    time->instructions = times * work->issued;
    time->fma_flops = times * work->flops;
    time->shared_wavefronts = times * work->shared_wavefronts;
    time->l1_sectors = times * (work->load_sectors + work->store_sectors);
    time->l2_sectors = times * (work->l2_sectors + work->store_sectors);
    set_terms(model, time);
    find_bounds(time);
    timing_set_range(model, time);
    return SMC_OK;
}

static const struct smc_cubin_kernel *find_kernel(const struct smc_cubin *cubin, const char *entry)
{
    for (size_t i = 0; i < cubin->kernel_count; i++)
        if (!strcmp(cubin->kernel[i].name, entry))
            return &cubin->kernel[i];
    return NULL;
}

/* What the model has no rate for, so that a prediction could be faster than the device. */
static const char *find_unknown_rate(const struct model *model,
                                     const struct smc_sass_instruction *in)
{
    switch (in->operation) {
    case SMC_OP_HGMMA:
    case SMC_OP_IGMMA:
    case SMC_OP_BGMMA:
    case SMC_OP_QGMMA:
        return "wgmma";
    case SMC_OP_UBLKCP:
    case SMC_OP_UBLKRED:
    case SMC_OP_UTMALDG:
    case SMC_OP_UTMASTG:
    case SMC_OP_UTMAREDG:
        return "bulk copies (TMA)";
    default:
        break;
    }
    if (in->pipe != SMC_PIPE_TENSOR || smc_rates_tensor_fmas(&model->rates, in) > 0)
        return NULL;
    switch (in->operation) {
    case SMC_OP_BMMA:
        return "mma.sync of single bits";
    case SMC_OP_DMMA:
        return "mma.sync of double precision";
    case SMC_OP_QMMA:
        return "mma.sync of FP8";
    case SMC_OP_HMMA_OLD:
        return "mma.sync of the shape m8n8k4";
    default:
        return "sparse mma.sync, or one of 4 bits";
    }
}

/* SMC_USAGE with the reason if an instruction has no rate; wgmma before all others. */
static enum smc_status check_rates(const struct model *model, struct smc_error *error)
{
    const char *unknown = NULL;
    for (uint32_t i = 0; i < model->program.count; i++) {
        const struct smc_sass_instruction *in = &model->program.step[i].in;
        const char *what = find_unknown_rate(model, in);
        if (what && (!unknown || in->operation == SMC_OP_HGMMA))
            unknown = what;
    }
    return unknown ? smc_fail(error, SMC_USAGE, "%s, whose rate is not in the model", unknown)
                   : SMC_OK;
}

static bool read_array(void *context, uint64_t address, size_t bytes, void *to, unsigned *array)
{
    return smc_time_read_contents(context, address, bytes, to, array);
}

static bool has_contents(const struct smc_time_arguments *arguments)
{
    for (size_t i = 0; i < arguments->array_count; i++)
        if (arguments->array[i].contents)
            return true;
    return false;
}

/* What the warps load is followed if the arrays have contents. */
static enum smc_status follow_contents(struct model *model, struct smc_error *error)
{
    if (!has_contents(model->arguments))
        return SMC_OK;
    model->contents =
        (struct smc_contents){.read = read_array, .context = (void *)model->arguments};
    model->machine.contents = &model->contents;
    return smc_machine_program_follow_memory(&model->program, false, error);
}

/* Whether a survey of the grid tells more than the sample: its warps differ from each other or from
   those of the sample. */
static bool differ(const struct smc_survey *survey, const struct smc_traces *traces)
{
    enum { SMALL = 100 };
    double warps = (double)traces->blocks * traces->warps_per_block;
    double more = survey->length * warps / traces->length;
    return survey->spread * SMALL > survey->length || fabs(more - 1) * SMALL > 1;
}

/* A survey of the grid. What the warps themselves store is followed only where it decides what they
   execute. */
static enum smc_status make_survey(struct model *model, struct smc_error *error)
{
    enum smc_status status = smc_survey_make(&model->machine, &model->survey, error);
    if (status != SMC_OK || !decides_and_changes(&model->survey))
        return status;
    smc_survey_free(&model->survey);
    status = smc_machine_program_follow_memory(&model->program, true, error);
    return status == SMC_OK ? smc_survey_make(&model->machine, &model->survey, error) : status;
}

/* The traces of the sample. Where the warps of the grid differ, they are of blocks from the whole
   grid, the longest among them. */
static enum smc_status trace_sample(struct model *model, struct smc_error *error)
{
    const struct sample *sample = &model->sample;
    bool by_data = model->machine.contents && smc_machine_program_depends_on_data(&model->program);
    struct smc_traced traced = {.first = sample->first,
                                .stride = model->sms,
                                .blocks = sample->blocks,
                                .each_apart = by_data,
                                .entries = sample->entries,
                                .loop_entries = sample->loop_entries};
    enum smc_status status = smc_traces_make(&model->machine, &traced, &model->traces, error);
    if (status != SMC_OK || !model->machine.contents)
        return status;
    status = make_survey(model, error);
    if (status != SMC_OK || !differ(&model->survey, &model->traces))
        return status;
    smc_traces_free(&model->traces);
    traced.scattered = true;
    traced.first = model->survey.longest_block;
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
    unsigned char constants[SMC_MACHINE_CONSTANT_BYTES];
    struct smc_bank_layout layout;
    const struct smc_time_arguments *arguments = launch->arguments;
    uint32_t at = kernel->parameters_at;
    if (at > sizeof constants || arguments->parameter_bytes > sizeof constants - at)
        return smc_fail(error, SMC_USAGE, "the parameters exceed constant bank 0");
    enum smc_status status = smc_machine_program_read(kernel->code, kernel->code_bytes, cubin->cc,
                                                      &model.program, error);
    if (status != SMC_OK)
        return status;
    smc_machine_constants(constants, launch->block, launch->grid, at, arguments->parameters,
                          arguments->parameter_bytes);
    smc_bank_layout_of(&launch->device->sm, SMC_BANK_MODE_4_BYTES, &layout);
    model.machine = (struct smc_machine_launch){
        .program = &model.program,
        .constants = constants,
        .constant_bytes = (at + arguments->parameter_bytes + 3) / 4 * 4, /* whole words */
        .bank = values->bank,
        .layout = &layout,
    };
    model.blocks = 1;
    for (int i = 0; i < 3; i++) {
        model.machine.block[i] = launch->block[i];
        model.machine.grid[i] = launch->grid[i];
        model.blocks *= launch->grid[i];
    }
    snprintf(time->code, sizeof time->code, "sm_%u machine code", cubin->cc);
    uint64_t busy = model.blocks < model.sms ? model.blocks : model.sms;
    smc_rates_of(launch->device, launch->ceilings, (uint32_t)busy, &model.rates);
    status = check_rates(&model, error);
    time->lacks_rate = status == SMC_USAGE;
    if (status == SMC_OK)
        status = follow_contents(&model, error);
    if (status == SMC_OK)
        status = choose_sample(&model, error);
    if (status == SMC_OK)
        status = trace_sample(&model, error);
    if (status == SMC_OK)
        status = timing_predict(&model, error);
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

void smc_time_unknown(struct smc_time *time, const char *reason)
{
    *time = (struct smc_time){0};
    snprintf(time->reason, sizeof time->reason, "%s", reason);
}

/* Whether there is a block, and space for one. */
static bool launches(const struct smc_time_launch *launch)
{
    uint64_t most = launch->device->sm.max_threads_per_block;
    uint64_t threads = (uint64_t)launch->block[0] * launch->block[1];
    threads = threads > most ? 0 : threads * launch->block[2];
    return launch->blocks_per_sm > 0 && threads > 0 && threads <= most && launch->grid[0] > 0 &&
           launch->grid[1] > 0 && launch->grid[2] > 0;
}

bool smc_time_is_possible(const struct smc_time_launch *launch, struct smc_time *time)
{
    const struct smc_device *device = launch->device;
    struct smc_capability capability;
    smc_capability_nearest(device->sm.cc, &capability);
    *time = (struct smc_time){0};
    if (!launches(launch))
        smc_time_unknown(time, "the launch is refused");
    else if (device->sm_count == 0 || device->sm_clock_khz == 0)
        smc_time_unknown(time, "a compute capability alone has no clock");
    else if (device->memory_bytes_per_s <= 0)
        smc_time_unknown(time, "the memory bandwidth of the device is unknown");
    else if (capability.machine_code_format == 0)
        snprintf(time->reason, sizeof time->reason,
                 "machine code of sm_%u is not read, only that of sm_%u and newer", device->sm.cc,
                 oldest_code_cc());
    else
        return true;
    return false;
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
    const struct smc_cubin_kernel *kernel = find_kernel(&cubin, launch->entry);
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
