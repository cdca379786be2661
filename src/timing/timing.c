/* Predicts the time of a launch. */
#include "timing/timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdlib.h>
#include <string.h>

#include "compile/cubin.h"
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

enum { BUDGET = 60000 };

struct model {
    const struct smc_time_launch *launch;
    struct smc_machine_launch machine;
    struct smc_machine_program program;
    struct smc_rates rates;
    struct smc_time *time;
    uint64_t blocks, sms;
    double clocks;
    double dram_share;
};

static uint64_t array_bytes(const struct smc_time_launch *launch)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < launch->array_count; i++)
        bytes += launch->array[i].bytes;
    return bytes;
}

static double all_instructions(const struct smc_traces *traces)
{
    double sum = 0;
    for (size_t i = 0; i < (size_t)traces->blocks * traces->warps_per_block; i++)
        sum += (double)traces->length[i];
    return sum;
}

static uint32_t cut_warps(const struct smc_traces *traces)
{
    uint32_t count = 0;
    for (size_t i = 0; i < (size_t)traces->blocks * traces->warps_per_block; i++)
        count += traces->length[i] > traces->trace[i].room;
    return count;
}

/* The clocks of an SM that executes `count` blocks which all reside at once, or in rounds if their
   traces are whole. */
static enum smc_status run_blocks(struct model *model, uint64_t first, uint32_t count,
                                  uint32_t resident, double *clocks, struct smc_sm_result *result,
                                  bool *whole, struct smc_error *error)
{
    struct smc_traces traces;
    enum smc_status status = smc_traces_make(&model->machine, first, model->sms, count, BUDGET,
                                             &traces, error);
    if (status != SMC_OK)
        return status;
    struct smc_sm_launch launch = {
        .program = &model->program,
        .rates = &model->rates,
        .subpartitions = 4,
        .warps_per_block = traces.warps_per_block,
        .resident_blocks = resident,
        .l1_bytes = model->launch->l1_bytes,
        .block = traces.block,
        .blocks = count,
        .dram_share = model->dram_share,
    };
    *whole = traces.whole;
    smc_traces_period(&traces, &launch.from, &launch.to);
    launch.cut_warps = cut_warps(&traces);
    status = smc_sm_run(&launch, result, error);
    *clocks = result->clocks;
    if (!traces.whole && result->to_clock > result->from_clock) {
        double ipc = (double)(result->to_issued - result->from_issued) /
                     (result->to_clock - result->from_clock);
        *clocks = result->to_clock + (all_instructions(&traces) - (double)result->to_issued) / ipc;
    }
    if (getenv("SMC_TIMING_DEBUG"))
        fprintf(stderr,
                "blocks %u resident %u whole %d from %u to %u clocks %.0f->%.0f of %zu/%lu: run "
                "%.0f total %.0f issued %lu ipc %.2f data %.2f l2 %.0f hits %.2f\n",
                count, resident, traces.whole, launch.from, launch.to, result->from_clock,
                result->to_clock, traces.trace[0].room, traces.length[0], result->clocks, *clocks,
                result->issued, result->issued / result->clocks,
                result->data_wavefronts / result->clocks, result->l2_sectors,
                (double)result->load_hits / (double)(result->load_sectors + 1));
    smc_traces_free(&traces);
    return status;
}

static enum smc_status run_sm(struct model *model, struct smc_error *error)
{
    uint32_t most = (uint32_t)((model->blocks + model->sms - 1) / model->sms);
    uint32_t resident = model->launch->occupancy->blocks_per_sm;
    uint64_t first = (model->blocks - 1) % model->sms / 2;
    struct smc_sm_result result;
    bool whole;
    uint32_t tried = most < 3 * resident ? most : 3 * resident;
    enum smc_status status = run_blocks(model, first, tried, resident, &model->clocks, &result, &whole, error);
    if (status != SMC_OK)
        return status;
    if (whole && tried == most)
        return SMC_OK;
    if (whole) { /* many short blocks */
        model->clocks *= (double)most / tried;
        return SMC_OK;
    }
    double round, rest = 0;
    uint32_t remain = most % resident;
    if (tried > resident || most >= resident) {
        status = run_blocks(model, first, resident, resident, &round, &result, &whole, error);
        if (status == SMC_OK && remain)
            status = run_blocks(model, first, remain, remain, &rest, &result, &whole, error);
        model->clocks = (most / resident) * round + rest;
    }
    return status;
}

static enum smc_status predict(struct model *model, struct smc_error *error)
{
    const struct smc_time_launch *launch = model->launch;
    struct smc_time *time = model->time;
    uint64_t busy = model->blocks < model->sms ? model->blocks : model->sms;
    smc_rates_of(launch->device, launch->ceilings, (uint32_t)busy, &model->rates);
    enum smc_status status = run_sm(model, error);
    if (status != SMC_OK)
        return status;
    time->basis = SMC_TIME_TABLE;
    time->term_ms[SMC_TIME_LAUNCH] = model->rates.launch_ms;
    time->predicted_ms = model->rates.launch_ms + model->clocks / model->rates.clock_hz * 1e3;
    time->term_ms[SMC_TIME_LATENCY] = time->predicted_ms;
    time->bound_by = SMC_TIME_LATENCY;
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
    uint32_t at = cubin->cc >= 90 ? 0x210 : 0x160;
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
    status = predict(&model, error);
    smc_machine_program_free(&model.program);
    return status;
}

enum smc_status smc_time_predict(const struct smc_time_launch *launch, struct smc_time *time,
                                 struct smc_error *error)
{
    struct smc_cubin cubin;
    *time = (struct smc_time){0};
    if (!launch->ceilings || launch->ceilings->source == SMC_CEILINGS_UNKNOWN)
        return SMC_OK;
    enum smc_status status = smc_cubin_open(launch->cubin, launch->cubin_bytes, &cubin, error);
    if (status != SMC_OK)
        return status;
    const struct smc_cubin_kernel *kernel = find_kernel(&cubin, launch->entry);
    if (kernel)
        status = predict_kernel(launch, &cubin, kernel, time, error);
    smc_cubin_close(&cubin);
    return status;
}
