/* Predicts the time of a launch. */
#include "timing/timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compile/cubin.h"
#include "model/sectors.h"
#include "timing/traces.h"

const struct smc_time_term_info smc_time_term_info[SMC_TIME_TERM_COUNT] = {
#define TERM(id, key, label, relief) {#key, label, relief},
#include "timing/terms.def"
#undef TERM
};

const char *smc_time_basis_name(enum smc_time_basis basis)
{
    static const char *const names[] = {NULL, "table", "calibrated", "specifications"};
    return names[basis];
}

enum {
    MOST_ARRAYS = 32,
    BUDGET = 16000,           /* instructions of warps that an SM executes here */
    MOST_LOOP_ENTRIES = 4096, /* kept of a loop */
    LEAST_LOOP_ENTRIES = 64,
    MOST_ENTRIES = 20000 /* of a warp */
};

/* What is kept of a warp's trace. */
struct sample {
    size_t entries;
    uint64_t loop_entries;
};

/* What an SM does for its blocks. */
struct work {
    double clocks, issued, flops, unknown;
    double busy[SMC_PIPE_COUNT];
    double tag_clocks, data_wavefronts, shared_wavefronts;
    double load_sectors, l2_sectors, store_sectors;
    uint32_t loaded, stored;
    double clocks_per_block; /* one after the other, while others reside as well */
};

struct model {
    const struct smc_time_launch *launch;
    struct smc_machine_launch machine;
    struct smc_machine_program program;
    struct smc_rates rates;
    struct smc_time *time;
    uint64_t blocks, sms;
    uint64_t array_line[MOST_ARRAYS], array_last[MOST_ARRAYS];
    uint32_t arrays;
    double dram_share;
    struct work work; /* of the SM with the most blocks */
    bool is_known;    /* the traced warps' branches do not depend on data */
};

static void add(struct work *sum, const struct work *part, double times)
{
    sum->clocks += times * part->clocks;
    sum->issued += times * part->issued;
    sum->flops += times * part->flops;
    sum->unknown += times * part->unknown;
    for (int i = 0; i < SMC_PIPE_COUNT; i++)
        sum->busy[i] += times * part->busy[i];
    sum->tag_clocks += times * part->tag_clocks;
    sum->data_wavefronts += times * part->data_wavefronts;
    sum->shared_wavefronts += times * part->shared_wavefronts;
    sum->load_sectors += times * part->load_sectors;
    sum->l2_sectors += times * part->l2_sectors;
    sum->store_sectors += times * part->store_sectors;
    sum->loaded |= part->loaded;
    sum->stored |= part->stored;
}

/* The work of all executions of a step, of which some were in traces. */
static void add_step(const struct smc_rates *rates, const struct smc_instruction *in,
                     double executions, const struct smc_step_work *step, struct work *work)
{
    double times = step->executions > 0 ? executions / step->executions : 0;
    work->issued += executions;
    work->busy[in->pipe] += executions * smc_rates_clocks(rates, in);
    work->flops += times * step->flops;
    work->unknown += times * step->unknown;
    work->tag_clocks += times * step->tag_clocks;
    work->data_wavefronts += times * step->wavefronts;
    work->shared_wavefronts += times * step->shared_wavefronts;
    work->load_sectors += times * step->load_sectors;
    work->l2_sectors += times * step->l2_sectors;
    work->store_sectors += times * step->store_sectors;
}

/* An SM executes `blocks` blocks, of which so many reside at a time. */
static enum smc_status run_blocks(struct model *model, uint64_t first, uint32_t blocks,
                                  uint32_t resident, const struct sample *sample, struct work *work,
                                  struct smc_error *error)
{
    struct smc_traces traces;
    struct smc_sm_result result;
    struct smc_step_work *steps = smc_calloc(model->program.count, sizeof *steps);
    if (!steps)
        return smc_out_of_memory(error);
    enum smc_status status = smc_traces_make(&model->machine, first, model->sms, blocks,
                                             sample->entries, sample->loop_entries, &traces, error);
    if (status != SMC_OK) {
        free(steps);
        return status;
    }
    struct smc_sm_launch launch = {
        .program = &model->program,
        .rates = &model->rates,
        .subpartitions = 4,
        .warps_per_block = traces.warps_per_block,
        .resident_blocks = resident,
        .l1_bytes = model->launch->l1_bytes,
        .block = traces.block,
        .blocks = blocks,
        .array_line = model->array_line,
        .array_last = model->array_last,
        .arrays = model->arrays,
        .dram_share = model->dram_share,
        .work = steps,
    };
    status = smc_sm_run(&launch, &result, error);
    *work = (struct work){.clocks = result.clocks,
                          .clocks_per_block = result.clocks_per_block,
                          .loaded = result.loaded,
                          .stored = result.stored};
    for (uint32_t i = 0; i < model->program.count; i++)
        add_step(&model->rates, &model->program.step[i].in, traces.executions[i], &steps[i], work);
    if (traces.end != SMC_WALK_WHOLE)
        model->is_known = false;
    smc_traces_free(&traces);
    free(steps);
    return status;
}

/* How much of each loop is kept so that the traces of `warps` warps fit into the budget. */
static enum smc_status choose_sample(struct model *model, uint64_t block, uint64_t warps,
                                     struct sample *sample, struct smc_error *error)
{
    uint64_t kept = BUDGET / warps;
    size_t entries = 0;
    enum smc_status status = SMC_OK;
    for (int pass = 0; pass < 2 && status == SMC_OK; pass++) {
        kept = kept < LEAST_LOOP_ENTRIES ? LEAST_LOOP_ENTRIES : kept;
        kept = kept > MOST_LOOP_ENTRIES ? MOST_LOOP_ENTRIES : kept;
        status = smc_traces_measure(&model->machine, block, kept, MOST_ENTRIES, &entries, error);
        sample->loop_entries = kept;
        sample->entries = entries + entries / 4 + 64;
        if (entries * warps <= BUDGET || kept == LEAST_LOOP_ENTRIES)
            break;
        kept = kept * BUDGET / (entries * warps);
    }
    return status;
}

/* The SM with the most blocks: up to three rounds are executed, the others take as long. */
static enum smc_status run_sm(struct model *model, struct smc_error *error)
{
    uint64_t most = (model->blocks + model->sms - 1) / model->sms;
    uint32_t resident = model->launch->occupancy->blocks_per_sm, tried = 0;
    uint64_t first = (model->blocks - 1) % model->sms / 2;
    uint32_t threads = model->machine.block[0] * model->machine.block[1] * model->machine.block[2];
    uint64_t warps = (threads + 31) / 32;
    struct sample sample;
    struct work work = {0};
    enum smc_status status = SMC_OK;
    for (uint32_t rounds = 3; rounds > 0 && status == SMC_OK; rounds--) {
        tried = most < rounds * resident ? (uint32_t)most : rounds * resident;
        status = choose_sample(model, first, tried * warps, &sample, error);
        if (sample.entries * tried * warps <= 2 * BUDGET || tried <= resident)
            break;
    }
    if (status == SMC_OK)
        status = run_blocks(model, first, tried, resident, &sample, &work, error);
    if (status != SMC_OK)
        return status;
    double more = (double)(most - tried), clocks = work.clocks;
    double each = work.clocks_per_block > 0 ? work.clocks_per_block : clocks / tried;
    model->work = (struct work){0};
    add(&model->work, &work, 1 + more / tried);
    model->work.clocks = clocks + more * each;
    return SMC_OK;
}

/* --- DRAM ------------------------------------------------------------------------------------- */

static void place_arrays(struct model *model)
{
    const struct smc_time_launch *launch = model->launch;
    for (size_t i = 0; i < launch->array_count && i < MOST_ARRAYS; i++) {
        const struct smc_time_array *array = &launch->array[i];
        if (array->bytes == 0)
            continue;
        model->array_line[i] = array->address / SMC_LINE_BYTES;
        model->array_last[i] = (array->address + array->bytes - 1) / SMC_LINE_BYTES;
        model->arrays = (uint32_t)i + 1;
    }
}

static double bytes_of(const struct smc_time_launch *launch, uint32_t which)
{
    double bytes = 0;
    for (size_t i = 0; i < launch->array_count && i < MOST_ARRAYS; i++)
        if (which >> i & 1)
            bytes += (double)launch->array[i].bytes;
    return bytes;
}

/* L2 consists of two halves, each of which keeps what its SMs read, so that it holds half of its
   size. Arrays that it holds are still there from the launch before; others come from DRAM once. */
static enum smc_status run_with_dram(struct model *model, struct smc_error *error)
{
    const struct smc_time_launch *launch = model->launch;
    const struct work *work = &model->work;
    enum smc_status status = run_sm(model, error);
    double read = bytes_of(launch, work->loaded), written = bytes_of(launch, work->stored);
    if (status != SMC_OK || read + written <= (double)launch->device->l2_bytes / 2)
        return status;
    double busy = model->blocks < model->sms ? (double)model->blocks : (double)model->sms;
    double asked = work->l2_sectors * 32 * busy;
    model->dram_share = asked > read ? read / asked : 1;
    model->time->dram_bytes = read + written;
    if (read > 0)
        model->rates.dram_sectors_per_clock *= read / (read + written);
    status = run_sm(model, error);
    double least = (read + written) / model->rates.dram_bytes_per_clock;
    if (work->clocks < least)
        model->work.clocks = least;
    return status;
}

/* What each unit of the busiest SM would take alone. What remains of the time is latency. */
static void set_terms(const struct model *model, struct smc_time *time)
{
    const struct work *work = &model->work;
    const struct smc_rates *rates = &model->rates;
    double ms = 1e3 / rates->clock_hz, *term = time->term_ms, most = 0;
    double halves = (work->busy[SMC_PIPE_FMA] + work->busy[SMC_PIPE_FMA_HEAVY]) / rates->fma_halves;
    term[SMC_TIME_ISSUE] = work->issued / 4 * ms;
    term[SMC_TIME_FMA] = fmax(halves, work->busy[SMC_PIPE_FMA_HEAVY]) / 4 * ms;
    term[SMC_TIME_FP64] = work->busy[SMC_PIPE_FP64] / 4 * ms;
    term[SMC_TIME_INTEGER] = work->busy[SMC_PIPE_ALU] / 4 * ms;
    term[SMC_TIME_SPECIAL] = fmax(work->busy[SMC_PIPE_XU], work->busy[SMC_PIPE_ADU]) / 4 * ms;
    term[SMC_TIME_SHARED] = work->shared_wavefronts * ms;
    term[SMC_TIME_L1] = (work->data_wavefronts - work->shared_wavefronts) * ms;
    term[SMC_TIME_L2] = (work->l2_sectors + work->store_sectors) / rates->l2_sectors_per_clock * ms;
    term[SMC_TIME_DRAM] = time->dram_bytes / rates->dram_bytes_per_clock * ms;
    for (int i = 0; i < SMC_TIME_LATENCY; i++)
        most = fmax(most, term[i]);
    term[SMC_TIME_LATENCY] = fmax(0, work->clocks * ms - most);
    term[SMC_TIME_LAUNCH] = rates->launch_ms;
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

/* Shares of the launch and of an SM's time by which a prediction may be off. With MEASURED
   four of five launches that the model was compared with lie in the range (doc/time.md). */
#define UNCERTAIN_LAUNCH         0.3
#define UNCERTAIN_MEASURED       0.25
#define UNCERTAIN_SPECIFICATIONS 0.5
#define UNCERTAIN_ADDRESSES      0.6

/* The largest of the terms up to one. */
static double largest(const struct smc_time *time, enum smc_time_term last)
{
    double most = 0;
    for (int i = 0; i <= (int)last; i++)
        most = fmax(most, time->term_ms[i]);
    return most;
}

/* The SM takes at least as long as each of its units. */
static void set_range(const struct model *model, struct smc_time *time)
{
    double launch_ms = model->rates.launch_ms;
    double sm_ms = model->work.clocks / model->rates.clock_hz * 1e3;
    double share =
        time->basis == SMC_TIME_SPECIFICATIONS ? UNCERTAIN_SPECIFICATIONS : UNCERTAIN_MEASURED;
    bool known = model->work.unknown <= 0 && model->is_known;
    if (!known)
        share = UNCERTAIN_ADDRESSES;
    sm_ms = fmax(sm_ms, largest(time, SMC_TIME_DRAM));
    double least_ms =
        known && time->basis != SMC_TIME_SPECIFICATIONS ? largest(time, SMC_TIME_FP64) : 0;
    if (known)
        least_ms = fmax(least_ms, time->term_ms[SMC_TIME_SHARED]);
    time->predicted_ms = launch_ms + sm_ms;
    time->low_ms = launch_ms / (1 + UNCERTAIN_LAUNCH) + fmax(sm_ms / (1 + share), least_ms);
    time->high_ms = launch_ms * (1 + UNCERTAIN_LAUNCH) + sm_ms * (1 + share);
}

static enum smc_time_basis basis_of(const struct smc_ceilings *ceilings)
{
    if (!ceilings || ceilings->source == SMC_CEILINGS_UNKNOWN)
        return SMC_TIME_SPECIFICATIONS;
    return ceilings->source == SMC_CEILINGS_CALIBRATED ? SMC_TIME_CALIBRATED : SMC_TIME_TABLE;
}

static enum smc_status predict(struct model *model, struct smc_error *error)
{
    const struct smc_time_launch *launch = model->launch;
    struct smc_time *time = model->time;
    uint64_t busy = model->blocks < model->sms ? model->blocks : model->sms;
    smc_rates_of(launch->device, launch->ceilings, (uint32_t)busy, &model->rates);
    place_arrays(model);
    enum smc_status status = run_with_dram(model, error);
    if (status != SMC_OK)
        return status;
    const struct work *work = &model->work;
    uint64_t most = (model->blocks + model->sms - 1) / model->sms;
    double times = (double)model->blocks / (double)most; /* from the busiest SM to all */
    time->basis = basis_of(launch->ceilings);
    time->instructions = times * work->issued;
    time->fma_flops = times * work->flops;
    time->shared_wavefronts = times * work->shared_wavefronts;
    time->l1_sectors = times * (work->load_sectors + work->store_sectors);
    time->l2_sectors = times * (work->l2_sectors + work->store_sectors);
    set_terms(model, time);
    find_bounds(time);
    set_range(model, time);
    return SMC_OK;
}

static const struct smc_cubin_kernel *find_kernel(const struct smc_cubin *cubin, const char *entry)
{
    for (size_t i = 0; i < cubin->kernel_count; i++)
        if (!strcmp(cubin->kernel[i].name, entry))
            return &cubin->kernel[i];
    return NULL;
}

static enum smc_status predict_kernel(const struct smc_time_launch *launch,
                                      const struct smc_cubin *cubin,
                                      const struct smc_cubin_kernel *kernel, struct smc_time *time,
                                      struct smc_error *error)
{
    struct model model = {.launch = launch, .time = time, .sms = launch->device->sm_count};
    unsigned char constants[SMC_MACHINE_CONSTANT_BYTES];
    struct smc_bank_layout layout;
    uint32_t at = kernel->parameters_at;
    if (at > sizeof constants || launch->parameter_bytes > sizeof constants - at)
        return smc_fail(error, SMC_USAGE, "the parameters exceed constant bank 0");
    enum smc_status status = smc_machine_program_read(kernel->code, kernel->code_bytes, cubin->cc,
                                                      &model.program, error);
    if (status != SMC_OK)
        return status;
    smc_machine_constants(constants, launch->block, launch->grid, at, launch->parameters,
                          launch->parameter_bytes);
    smc_bank_layout_of(&launch->device->sm, SMC_BANK_MODE_4_BYTES, &layout);
    model.machine = (struct smc_machine_launch){
        .program = &model.program,
        .constants = constants,
        .constant_bytes = at + launch->parameter_bytes,
        .layout = &layout,
        .count_memory = true,
    };
    model.blocks = 1;
    for (int i = 0; i < 3; i++) {
        model.machine.block[i] = launch->block[i];
        model.machine.grid[i] = launch->grid[i];
        model.blocks *= launch->grid[i];
    }
    snprintf(time->code, sizeof time->code, "sm_%u machine code", cubin->cc);
    model.is_known = true;
    status = predict(&model, error);
    smc_machine_program_free(&model.program);
    return status;
}

static enum smc_status unknown(struct smc_time *time, const char *reason)
{
    *time = (struct smc_time){0};
    snprintf(time->reason, sizeof time->reason, "%s", reason);
    return SMC_OK;
}

/* Whether there is a block, and room for one. */
static bool launches(const struct smc_time_launch *launch)
{
    uint64_t most = launch->device->sm.max_threads_per_block;
    uint64_t threads = (uint64_t)launch->block[0] * launch->block[1];
    threads = threads > most ? 0 : threads * launch->block[2];
    return launch->occupancy->blocks_per_sm > 0 && threads > 0 && threads <= most &&
           launch->grid[0] > 0 && launch->grid[1] > 0 && launch->grid[2] > 0;
}

enum smc_status smc_time_predict(const struct smc_time_launch *launch, struct smc_time *time,
                                 struct smc_error *error)
{
    struct smc_cubin cubin;
    struct smc_error why = {""};
    *time = (struct smc_time){0};
    if (launch->device->sm_count == 0 || launch->device->sm_clock_khz == 0 ||
        launch->device->memory_bytes_per_s <= 0)
        return unknown(time, "the device's SMs, clock and memory bandwidth are not known");
    if (!launches(launch))
        return unknown(time, "the launch is refused");
    enum smc_status status = smc_cubin_open(launch->cubin, launch->cubin_bytes, &cubin, &why);
    if (status == SMC_USAGE)
        return unknown(time, why.message);
    if (status != SMC_OK)
        return smc_out_of_memory(error);
    const struct smc_cubin_kernel *kernel = find_kernel(&cubin, launch->entry);
    if (!kernel)
        status = unknown(time, "the machine code does not have this kernel");
    else
        status = predict_kernel(launch, &cubin, kernel, time, &why);
    smc_cubin_close(&cubin);
    if (status == SMC_USAGE)
        return unknown(time, why.message);
    if (status != SMC_OK && error)
        *error = why;
    return status;
}
