/* What each unit takes of the time of a launch, which of them bounds it, and how far the prediction
   may be off. */
#include <math.h>

#include "machine/timing/launch_model.h"

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
    double most = (double)smc_most_blocks(model), resident = model->launch->blocks_per_sm;
    return fmax(0, most - resident);
}

static void set_pipe_terms(const struct model *model, double ms, double *term)
{
    const struct work *work = &model->work;
    const struct smc_rates *rates = &model->rates;
    const double part = ms / rates->subpartitions;
    term[SMC_TIME_ISSUE] = (work->issued + work->held) * part;
    term[SMC_TIME_FMA] =
        (work->busy[SMC_PIPE_FMA] / rates->fma_halves + work->busy[SMC_PIPE_FMA_HEAVY]) * part;
    term[SMC_TIME_FP64] = work->busy[SMC_PIPE_FP64] * part;
    term[SMC_TIME_INTEGER] = work->busy[SMC_PIPE_ALU] * part;
    term[SMC_TIME_SPECIAL] = fmax(work->busy[SMC_PIPE_XU], work->busy[SMC_PIPE_ADU]) * part;
    term[SMC_TIME_TENSOR] = work->busy[SMC_PIPE_TENSOR] * part;
}

double smc_model_busy(const struct model *model)
{
    double clocks[SMC_TIME_TERM_COUNT] = {0}, most = 0;
    set_pipe_terms(model, 1, clocks);
    clocks[SMC_TIME_TENSOR] = 0; /* its instructions are few */
    for (int i = 0; i < SMC_TIME_TERM_COUNT; i++)
        most = fmax(most, clocks[i]);
    return model->work.clocks > 0 ? most / model->work.clocks : 0;
}

/* What each unit of the busiest SM would take alone. What remains of the time is latency. */
static void set_terms(const struct model *model, struct smc_time *time)
{
    const struct work *work = &model->work;
    const struct smc_rates *rates = &model->rates;
    double ms = 1e3 / rates->clock_hz, *term = time->term_ms;
    set_pipe_terms(model, ms, term);
    term[SMC_TIME_SHARED] = work->shared_wavefronts * ms;
    double l1 = work->data_wavefronts - work->shared_wavefronts;
    term[SMC_TIME_L1] = fmax(l1, work->texture_clocks) * ms;
    term[SMC_TIME_L2] = fmax(work->load_slots * rates->l2_load_clocks,
                             fmax(work->store_slots * rates->l2_store_clocks, model->hot_clocks)) *
                        ms;
    term[SMC_TIME_ATOMICS] =
        fmax(work->atomic_slots * rates->atomic_clocks, model->atomics_clocks) * ms;
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
        time->tensor_is_integer = i == SMC_PRODUCT_INT8 || i == SMC_PRODUCT_INT1;
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
    double warps = (double)smc_most_blocks(model) * smc_traces_warps(&model->machine);
    return survey->warps > 0 && survey->length > 0 ? survey->spread / survey->length / sqrt(warps)
                                                   : 0;
}

/* Shares of the launch and of an SM's time by which a prediction may be off, by what is uncertain
   (doc/time.md has how many measured times lie in the range). */
#define UNCERTAIN_LAUNCH         0.3
#define UNCERTAIN_MACHINE        0.6 /* upwards, where the launch was not measured on the machine */
#define UNCERTAIN_MEASURED       0.25
#define UNCERTAIN_CACHES         0.4  /* how much L1 and L2 hold of what is loaded again */
#define UNCERTAIN_DIVERGENT      0.5  /* loads whose lanes are in many lines */
#define UNCERTAIN_SCATTERED      0.35 /* random places of DRAM, atomics */
#define UNCERTAIN_LATENCY        0.3
#define UNCERTAIN_SPECIFICATIONS 0.5
#define UNCERTAIN_ADDRESSES      0.6
#define UNCERTAIN_WAVEFRONTS     0.08 /* of shared memory: the rule for conflicts of wide accesses */
#define UNCERTAIN_NEXT           0.2 /* of the second largest term: how much of it does not overlap */

static bool loads_diverge(const struct work *work)
{
    return 2 * work->divergent > work->data_wavefronts - work->shared_wavefronts;
}

static bool dram_is_scattered(const struct model *model)
{
    bool scattered = false;
    for (size_t i = 0; i <= model->arguments->array_count + 1; i++)
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
    if (smc_contents_change(&model->survey))
        share += SMC_UNCERTAIN_CHANGES;
    return share;
}

/* The largest of the terms of what is not in the SMs. */
static double largest_beyond(const struct smc_time *time)
{
    return fmax(fmax(time->term_ms[SMC_TIME_L2], time->term_ms[SMC_TIME_ATOMICS]),
                time->term_ms[SMC_TIME_DRAM]);
}

/* How long the SMs take since the tensor cores of the device lower their clock, but neither L2's
   nor DRAM's: L2 stays at 1708 MHz, and gives as many bytes a second beside products (8.43 and 8.46
   TB/s of 24 MiB in bulk copies; H200, CUDA 13.0, driver 580.159.04, 2026-11-30). */
static double slowed_by_products(const struct model *model, const struct smc_time *time,
                                 double sm_ms)
{
    const struct smc_rates *rates = &model->rates;
    const double doubles_ms =
        model->work.product_clocks[SMC_PRODUCT_FP64] / rates->subpartitions / rates->clock_hz * 1e3;
    if (!time->tensor_type || time->tensor_peak_ms <= doubles_ms || sm_ms <= 0)
        return sm_ms;
    const double busy = time->tensor_flops / time->tensor_roof_flops_per_s * 1e3 / sm_ms;
    const double l2 = fmin(time->term_ms[SMC_TIME_L2] / sm_ms, 1);
    const double slowed = 1 - fmax(rates->tensor_slowdown * fmin(busy, 1) + rates->l2_slowdown * l2,
                                   rates->least_tensor_slowdown);
    const double beyond_ms = largest_beyond(time), inside_ms = largest(time, SMC_TIME_L1);
    const double bound_ms = fmax(beyond_ms, inside_ms);
    return fmax(beyond_ms, inside_ms / slowed) + fmax(0, sm_ms - bound_ms) / slowed;
}

/* Adds the time of an empty launch to what the SMs take, or takes it away (`sign` -1). */
static void add_empty_launch(struct smc_time *time, double ms, double sign)
{
    const bool known = time->empty_launch_measured || time->basis == SMC_TIME_CALIBRATED;
    time->empty_launch_ms = ms;
    time->low_ms += sign * ms / (1 + UNCERTAIN_LAUNCH);
    time->predicted_ms += sign * ms;
    time->high_ms += sign * ms * (1 + (known ? UNCERTAIN_LAUNCH : UNCERTAIN_MACHINE));
}

/* The SM takes at least as long as each of its units. */
static void time_terms_set_range(const struct model *model, struct smc_time *time)
{
    double launch_ms = model->rates.launch_ms;
    double sm_ms = model->work.clocks / model->rates.clock_hz * 1e3;
    double share = uncertain_term(model, time);
    if (time->basis == SMC_TIME_SPECIFICATIONS)
        share = fmax(share, UNCERTAIN_SPECIFICATIONS);
    bool known = model->work.unknown <= 0 && model->traces.end == SMC_WALK_WHOLE &&
                 model->survey.end == SMC_WALK_WHOLE;
    if (!known || smc_contents_change(&model->survey))
        share = fmax(share, UNCERTAIN_ADDRESSES);
    share += uncertain_survey(&model->survey) + uncertain_share_of_sm(model);
    sm_ms = fmax(sm_ms, largest(time, SMC_TIME_DRAM));
    double least_ms =
        known && time->basis != SMC_TIME_SPECIFICATIONS ? largest(time, SMC_TIME_FP64) : 0;
    if (known) {
        least_ms = fmax(least_ms, time->term_ms[SMC_TIME_SHARED] / (1 + UNCERTAIN_WAVEFRONTS));
        least_ms = fmax(least_ms, time->tensor_peak_ms);
    }
    /* When the timer began that sleeping warps wait for, is not known. */
    const double timer_ms = model->sleep_clocks / 2 / model->rates.clock_hz * 1e3;
    time->low_ms = fmax(fmax(sm_ms - timer_ms, 0) / (1 + share), least_ms);
    sm_ms = slowed_by_products(model, time, sm_ms);
    time->predicted_ms = sm_ms;
    time->high_ms = (sm_ms + timer_ms) * (1 + share + uncertain_longer(model, time));
    add_empty_launch(time, launch_ms, 1);
}

void smc_time_set_empty_launch(struct smc_time *time, double measured_ms)
{
    time->term_ms[SMC_TIME_LAUNCH] += measured_ms - time->empty_launch_ms;
    add_empty_launch(time, time->empty_launch_ms, -1);
    time->empty_launch_measured = true;
    add_empty_launch(time, measured_ms, 1);
    find_bounds(time);
}

void smc_model_set_time(const struct model *model, double times, struct smc_time *time)
{
    set_terms(model, time);
    set_products(model, times, time);
    find_bounds(time);
    time_terms_set_range(model, time);
}
