/* Compares predictions with what was observed, quantity by quantity. */
#include "hardware/confirm/confirm.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/numbers.h"
#include "rules/headroom.h"

/* --- Shared memory of a block, and the binding limits ----------------------------------------- */

/* A live device has the API's own number, so the prediction comes from the table, an independent
   source. */
static uint32_t predicted_reserve(const struct smc_sm *sm)
{
    struct smc_capability capability;
    return smc_capability_find(sm->cc, &capability) ? capability.sm.smem_reserved_per_block_bytes
                                                    : sm->smem_reserved_per_block_bytes;
}

/* From this release of CUDA on the API counts the driver's reserve. */
enum { COUNTS_RESERVE_FROM = 13050 };

/* The API's answer is comparable if it is about the same launch and number of blocks. The API
   assumes that a preferred carve-out is used as it is, but the driver may raise it, so only the
   driver's own choice is compared. */
static bool can_predict_available(const struct smc_answer *answer,
                                  const struct smc_run_result *result)
{
    const struct smc_launch *launch = &answer->launch;
    return result->api_available_smem.made && answer->outcome == SMC_LAUNCHES &&
           launch->carveout_percent == SMC_CARVEOUT_DEFAULT &&
           launch->cache_config == SMC_CACHE_PREFER_NONE &&
           launch->smem_mode == SMC_SMEM_MODE_DEFAULT &&
           result->api_regs_per_thread == launch->regs_per_thread &&
           result->api_static_smem_bytes == launch->static_smem_bytes &&
           result->api_blocks_per_sm == answer->occupancy.blocks_per_sm;
}

static uint32_t predicted_available(const struct smc_answer *answer)
{
    struct smc_headroom headroom;
    struct smc_launch launch = answer->launch;
    uint32_t blocks = answer->occupancy.blocks_per_sm;
    smc_headroom_find(&answer->query.device.sm, &launch, (struct smc_fixed){.regs = true},
                      &headroom);
    return blocks >= 1 && blocks <= headroom.count ? headroom.level[blocks - 1].dynamic_smem_bytes
                                                   : 0;
}

/* Before CUDA 13.5 the API omits the driver's reserve for two or more blocks. This is a known
   error; in later versions it counts as a difference. */
static void confirm_available_smem(const struct smc_answer *answer,
                                   const struct smc_run_result *result,
                                   struct smc_confirmation *out)
{
    const struct smc_sm *sm = &answer->query.device.sm;
    uint32_t reserve = sm->smem_reserved_per_block_bytes, cap = result->dynamic_smem_cap_bytes;
    uint32_t blocks = answer->occupancy.blocks_per_sm;
    if (!can_predict_available(answer, result))
        return;
    uint32_t bytes = predicted_available(answer);
    struct smc_row *row =
        smc_row_add(out, "available_dynamic_smem_bytes", "dynamic, at these blocks", "B");
    row->predicted = smc_reading_of(smc_at_most(bytes, cap));
    if (result->api_available_smem.succeeded)
        row->api = smc_reading_of(result->api_available_smem_bytes);
    smc_row_judge(row);
    bool omits_reserve =
        row->verdict == SMC_DIFFERS && blocks > 1 &&
        result->api_available_smem_bytes == smc_at_most((uint64_t)bytes + reserve, cap);
    bool known = result->driver_version > 0 && result->driver_version < COUNTS_RESERVE_FROM;
    if (!result->api_available_smem.succeeded)
        smc_row_note(row, "%s", result->api_available_smem.message);
    else if (omits_reserve && known)
        row->verdict = SMC_INFORMATION;
    if (omits_reserve)
        smc_row_note(row, "the API omits the driver's %u B per block%s", reserve,
                     known ? ", as it does before CUDA 13.5" : ", which CUDA 13.5 corrected");
}

/* Shared memory of a block: the driver's reserve, predicted by the table of compute capabilities,
   and the bytes allocated, static, dynamic and reserved, which no source reports. */
static void confirm_allocated_smem(const struct smc_answer *answer,
                                   const struct smc_run_result *result,
                                   struct smc_confirmation *out)
{
    const struct smc_sm *sm = &answer->query.device.sm;
    struct smc_row *row;
    if (result->api_reserved_smem.made) {
        row = smc_row_add(out, "reserved_smem_bytes", "reserved shared memory", "B");
        row->predicted = smc_reading_of(predicted_reserve(sm));
        if (result->api_reserved_smem.succeeded)
            row->api = smc_reading_of(result->api_reserved_smem_bytes);
        smc_row_judge(row);
        smc_row_note(row, "%s", result->api_reserved_smem.message);
    }
    row = smc_row_add(out, "allocated_smem_bytes", "allocated shared memory", "B");
    row->predicted = smc_reading_of(answer->occupancy.smem_allocated_per_block_bytes);
    row->verdict = SMC_INFORMATION;
}

/* The binding limits, in words; no other source reports them. */
static void show_binding_limits(const struct smc_answer *answer, struct smc_confirmation *out)
{
    struct smc_row *row = smc_row_add(out, "binding_limits", "binding limits", "");
    row->verdict = SMC_INFORMATION;
    for (int i = 0; i < SMC_LIMIT_COUNT; i++) {
        size_t used = strlen(row->words);
        if (answer->occupancy.limiters & 1u << i)
            snprintf(row->words + used, sizeof row->words - used, "%s%s", used ? "+" : "",
                     smc_limit_name((enum smc_limit)i));
    }
}

/* Without known groups of SMs the prediction is a bound, which fewer clusters do not refute. */
void smc_confirm_clusters(const struct smc_answer *answer, const struct smc_run_result *result,
                          struct smc_confirmation *out)
{
    const struct smc_occupancy *occupancy = &answer->occupancy;
    const uint32_t size = answer->launch.blocks_per_cluster;
    if (occupancy->resident_clusters == 0)
        return;
    struct smc_row *row = smc_row_add(out, "resident_clusters", "clusters on the GPU", "");
    row->predicted = smc_reading_of((double)occupancy->resident_clusters);
    if (result->api_cluster_occupancy.succeeded)
        row->api = smc_reading_of(result->api_clusters);
    if (result->probe.succeeded)
        row->measured = smc_reading_of((double)result->probe_resident_blocks / size);
    smc_row_judge(row);
    const double most = fmax(row->api.value, row->measured.value);
    if (row->verdict == SMC_DIFFERS && occupancy->clusters_are_bound &&
        most <= row->predicted.value) {
        row->verdict = SMC_INFORMATION;
        smc_row_note(row, "predicted is a bound: 'smemcalc calibrate' finds the groups of SMs");
    } else if (!result->api_cluster_occupancy.succeeded) {
        smc_row_note(row, "%s", result->api_cluster_occupancy.message);
    } else {
        smc_row_note(row, "of %u blocks", size);
    }
}

/* --- Compiling, launching, occupancy, results, speed ------------------------------------------ */

struct confirm_view {
    const struct smc_answer *answer;
    const struct smc_run_result *result;
    struct smc_confirmation *out;
};

static void confirm_compiling(const struct confirm_view *view)
{
    const struct smc_attempt *compile = &view->result->compile;
    struct smc_row *row = smc_row_add(view->out, "compiles", "compiles", "");
    row->predicted = smc_reading_of(view->answer->outcome != SMC_CANNOT_COMPILE);
    if (compile->made)
        row->measured = smc_reading_of(compile->succeeded);
    smc_row_judge(row);
    smc_row_note(row, "%s", compile->message);
}

/* A launch fails if the driver rejects the machine code, if it refuses the launch, or if the kernel
   does not run to its end. */
static void confirm_launching(const struct confirm_view *view)
{
    const struct smc_run_result *result = view->result;
    struct smc_row *row = smc_row_add(view->out, "launches", "launches", "");
    row->predicted = smc_reading_of(view->answer->outcome == SMC_LAUNCHES);
    bool load_refused = result->load.made && !result->load.succeeded;
    if (result->launch.made || load_refused)
        row->measured = smc_reading_of(result->launch.succeeded);
    smc_row_judge(row);
    if (!row->measured.present)
        smc_row_note(row, "%s", result->launch.message);
    else if (!result->launch.succeeded)
        smc_row_note(row, "%s%s", load_refused ? result->load.message : result->launch.message,
                     result->worked_on ? "; the GPU works on" : "");
    if (smc_is_lost(&result->finish)) {
        row->verdict = SMC_DIFFERS;
        smc_row_note(row, "%s", result->finish.message);
    }
}

static void confirm_registers(const struct confirm_view *view)
{
    const struct smc_run_result *result = view->result;
    struct smc_row *row =
        smc_row_add(view->out, "registers_per_thread", "registers per thread", "");
    row->predicted = smc_reading_of(view->answer->launch.regs_per_thread);
    if (result->load.succeeded)
        row->api = smc_reading_of(result->api_regs_per_thread);
    smc_row_judge(row);
    if (!result->load.succeeded)
        smc_row_note(row, "%s", result->load.message);
    else if (row->verdict == SMC_DIFFERS && view->answer->regs_given)
        smc_row_note(row, "the prediction was given a number, the kernel has its own");
}

static void confirm_static_smem(const struct confirm_view *view)
{
    const struct smc_run_result *result = view->result;
    struct smc_row *row = smc_row_add(view->out, "static_smem_bytes", "static shared memory", "B");
    row->predicted = smc_reading_of(view->answer->launch.static_smem_bytes);
    if (result->load.succeeded)
        row->api = smc_reading_of(result->api_static_smem_bytes);
    if (result->compile.made && result->compiled.refused)
        row->measured = smc_reading_of(result->compiled.refused_smem_bytes);
    smc_row_judge(row);
    if (row->verdict == SMC_NOT_MEASURED)
        smc_row_note(row, "%s", result->load.message);
    else if (row->measured.present)
        smc_row_note(row, "as ptxas counted when it refused");
    else if (row->verdict == SMC_DIFFERS && view->answer->static_smem_given)
        smc_row_note(row, "the prediction was given a number, the kernel has its own");
}

/* No source reports the dynamic shared memory of a launch: the row shows the request and whether
   the opt-in succeeded. */
static void show_dynamic_smem(const struct confirm_view *view)
{
    const struct smc_attempt *opt_in = &view->result->opt_in;
    struct smc_row *row =
        smc_row_add(view->out, "dynamic_smem_bytes", "dynamic shared memory", "B");
    row->predicted = smc_reading_of(view->answer->launch.dynamic_smem_bytes);
    row->verdict = SMC_INFORMATION;
    if (!opt_in->made)
        smc_row_note(row, "requested at launch");
    else if (opt_in->succeeded && view->answer->launch.smem_mode != SMC_SMEM_MODE_DEFAULT)
        smc_row_note(row, "requested at launch, in the mode %s, which was granted",
                     smc_smem_mode_name(view->answer->launch.smem_mode));
    else if (opt_in->succeeded)
        smc_row_note(row, "requested at launch, after an opt-in that was granted");
    else
        smc_row_note(row, "the opt-in was refused: %s", opt_in->message);
}

/* A refused launch counts as a measurement of 0 resident blocks. */
static bool refused(const struct smc_run_result *result)
{
    return result->launch.made && !result->launch.succeeded;
}

/* The API answers for the kernel as compiled. That is not the predicted launch if the user gave
   registers or static shared memory. */
static bool api_is_about_the_prediction(const struct confirm_view *view)
{
    const struct smc_run_result *result = view->result;
    const struct smc_launch *launch = &view->answer->launch;
    return result->api_regs_per_thread == launch->regs_per_thread &&
           result->api_static_smem_bytes == launch->static_smem_bytes;
}

/* A carve-out is a hint: the hardware may keep more blocks than fit into it (seen with carve-out
   0), which does not refute the prediction. Fewer blocks would. */
static bool exceeds_hint(const struct confirm_view *view, const struct smc_row *row)
{
    const struct smc_launch *launch = &view->answer->launch;
    bool hint = launch->carveout_percent != SMC_CARVEOUT_DEFAULT ||
                launch->cache_config != SMC_CACHE_PREFER_NONE ||
                launch->smem_mode == SMC_SMEM_MODE_PREFER_OVERSIZED;
    bool api_agrees = !row->api.present || row->api.value == row->predicted.value;
    return hint && api_agrees && row->measured.present &&
           row->measured.value > row->predicted.value;
}

/* The model's and the API's blocks per SM are those of a launch without clusters. */
static bool is_clustered(const struct confirm_view *view, const struct smc_row *row)
{
    return view->answer->launch.blocks_per_cluster > 1 && row->measured.present &&
           row->measured.value == SMC_MOST_CLUSTERED_BLOCKS &&
           row->predicted.value > row->measured.value &&
           (!row->api.present || row->api.value == row->predicted.value);
}

static void note_blocks(const struct confirm_view *view, struct smc_row *row)
{
    const struct smc_run_result *result = view->result;
    if (is_clustered(view, row)) {
        row->verdict = SMC_INFORMATION;
        smc_row_note(row, "of clusters an SM holds at most %d blocks at a time",
                     SMC_MOST_CLUSTERED_BLOCKS);
    } else if (exceeds_hint(view, row)) {
        row->verdict = SMC_INFORMATION;
        smc_row_note(row, "a carve-out is a hint: more blocks were resident than it allows");
    } else if (result->api_occupancy.succeeded && !row->api.present) {
        smc_row_note(row, "the API answers %u for the kernel's own %u registers and %u B",
                     result->api_blocks_per_sm, result->api_regs_per_thread,
                     result->api_static_smem_bytes);
    } else if (refused(result) || result->probe.succeeded) {
        smc_row_note(row, "%s", result->probe.message);
    } else {
        smc_row_note(row, "no residency measured: %s", result->probe.message);
    }
}

/* Compares resident blocks and the quantities derived from them. */
void smc_confirm_occupancy(const struct smc_answer *answer, const struct smc_run_result *result,
                           struct smc_confirmation *out)
{
    const struct confirm_view both = {answer, result, out}, *view = &both;
    const struct smc_occupancy *occupancy = &view->answer->occupancy;
    double warps = occupancy->warps_per_block;
    double percent = 100.0 / view->answer->query.device.sm.max_warps_per_sm;
    const struct {
        const char *quantity, *label, *unit;
        double per_block;
    } quantities[] = {
        {"blocks_per_sm", "blocks per SM", "", 1},
        {"warps_per_sm", "warps per SM", "", warps},
        {"occupancy_percent", "occupancy", "%", warps * percent},
    };
    for (size_t i = 0; i < sizeof quantities / sizeof *quantities; i++) {
        double per_block = quantities[i].per_block;
        struct smc_row *row =
            smc_row_add(view->out, quantities[i].quantity, quantities[i].label, quantities[i].unit);
        row->predicted = smc_reading_of(occupancy->blocks_per_sm * per_block);
        if (result->api_occupancy.succeeded && api_is_about_the_prediction(view))
            row->api = smc_reading_of(result->api_blocks_per_sm * per_block);
        if (result->probe.succeeded || refused(result))
            row->measured = smc_reading_of(result->probe_blocks_per_sm * per_block);
        smc_row_judge(row);
        if (i == 0)
            note_blocks(view, row);
        else
            row->verdict = view->out->row[view->out->row_count - 1 - i].verdict;
    }
}

static void confirm_result(const struct confirm_view *view)
{
    const struct smc_run_result *result = view->result;
    const struct smc_comparison *comparison = &result->comparison;
    struct smc_row *row = smc_row_add(view->out, "wrong_elements", "wrong results", "");
    row->predicted = smc_reading_of(0);
    bool compared = result->check.made && comparison->checked > 0;
    if (result->agreement.compared)
        row->emulated = smc_reading_of((double)result->emulated_comparison.wrong);
    if (compared && result->emulation.made && !result->agreement.compared)
        row->emulated = smc_reading_of((double)comparison->wrong);
    else if (compared)
        row->measured = smc_reading_of((double)comparison->wrong);
    smc_row_judge(row);
    unsigned long long checked = comparison->checked;
    if (!compared)
        smc_row_note(row, "%s",
                     result->check.made ? "no element was compared" : result->check.message);
    else if (comparison->wrong > 0)
        smc_row_note(row, "of %llu; the first is element %llu: expected %.9g, got %.9g", checked,
                     (unsigned long long)comparison->first_wrong, comparison->expected,
                     comparison->got);
    else
        smc_row_note(row, "%llu element%s; the largest error is %.2g of its bound%s%s", checked,
                     smc_text_plural(checked), comparison->worst,
                     result->check.message[0] ? "; " : "", result->check.message);
}

/* PTX fixes the order of every sum, so the results of the GPU and the emulator can differ only if
   threads race. */
static void confirm_agreement(const struct confirm_view *view)
{
    const struct smc_agreement *agreement = &view->result->agreement;
    const struct smc_kernel *kernel = view->answer->query.kernel;
    if (!agreement->compared)
        return;
    struct smc_row *row = smc_row_add(view->out, "unlike_emulated", "unlike the emulator's", "");
    row->predicted = smc_reading_of(0);
    row->measured = smc_reading_of((double)agreement->differing);
    smc_row_judge(row);
    unsigned long long elements = agreement->elements;
    if (agreement->differing > 0)
        smc_row_note(row, "of %llu, bit for bit; the first is element %llu", elements,
                     (unsigned long long)agreement->first);
    else
        smc_row_note(row, "%llu element%s, bit for bit", elements, smc_text_plural(elements));
    if (kernel && kernel->is_racy)
        row->verdict = SMC_INFORMATION;
}

static struct smc_row *show_measured(const struct confirm_view *view, const char *quantity,
                                     const char *label, const char *unit, double value)
{
    const struct smc_run_result *result = view->result;
    struct smc_row *row = smc_row_add(view->out, quantity, label, unit);
    if (result->timing.succeeded) {
        row->measured = smc_reading_of(value);
        row->verdict = SMC_INFORMATION;
    } else {
        row->verdict = SMC_NOT_MEASURED;
        smc_row_note(row, "%s", result->timing.message);
    }
    return row;
}

/* The share of the device's measured ceiling that this launch reaches. */
static void show_share(const struct confirm_view *view, const char *quantity, const char *label,
                       double per_s, enum smc_ceiling ceiling)
{
    const struct smc_ceilings *ceilings = &view->answer->query.ceilings;
    double most = ceilings->value[ceiling];
    if (most <= 0)
        return;
    struct smc_row *row = show_measured(view, quantity, label, "%", 100 * per_s / most);
    if (ceilings->source == SMC_CEILINGS_CALIBRATED)
        smc_row_note(row, "calibrated %s", ceilings->date);
    else
        smc_row_note(row, "built-in table");
}

static void show_shares(const struct confirm_view *view, enum smc_dtype dtype)
{
    const struct smc_work *work = &view->answer->work;
    double per_s = 1e3 / view->result->median_ms;
    if (!view->answer->has_work)
        return;
    if (dtype != SMC_INT32 && work->flops > 0)
        show_share(view, "share_of_flops_ceiling", "share of FMA ceiling", work->flops * per_s,
                   dtype == SMC_DOUBLE ? SMC_CEILING_DOUBLE : SMC_CEILING_FLOAT);
    if (work->minimum_bytes > 0)
        show_share(view, "share_of_copy_ceiling", "share of copy ceiling",
                   work->minimum_bytes * per_s, SMC_CEILING_COPY);
}

/* "predicted 3.2 % too long", "predicted 0.24 to 0.27 ms, bound by shared memory". */
static void describe_prediction(const struct smc_time *time, double measured_ms, char text[192])
{
    double percent = measured_ms > 0 ? 100 * (time->predicted_ms / measured_ms - 1) : 0;
    if (time->basis == SMC_TIME_UNKNOWN && time->lacks_rate)
        snprintf(text, 192, "not predicted: %.160s", time->reason);
    else if (time->basis == SMC_TIME_UNKNOWN)
        snprintf(text, 192, "not predicted");
    else if (measured_ms > 0)
        snprintf(text, 192, "predicted %.1f %% too %s, bound by %s", fabs(percent),
                 percent < 0 ? "short" : "long", smc_time_term_info[time->bound_by].label);
    else
        snprintf(text, 192, "predicted %.3g to %.3g ms, bound by %s", time->low_ms, time->high_ms,
                 smc_time_term_info[time->bound_by].label);
}

/* The prediction is not exact, so it is neither confirmed nor refuted. */
void smc_confirm_time(const struct smc_answer *answer, const struct smc_run_result *result,
                      struct smc_confirmation *out)
{
    const struct confirm_view view = {answer, result, out};
    const struct smc_time *time = &answer->time;
    const double ms = result->timing.succeeded ? result->median_ms : 0;
    struct smc_row *row = show_measured(&view, "time_ms", "time", "ms", ms);
    char prediction[192];
    describe_prediction(time, ms, prediction);
    if (time->basis != SMC_TIME_UNKNOWN) {
        row->predicted = smc_reading_of(time->predicted_ms);
        row->verdict = SMC_INFORMATION;
    }
    if (ms > 0)
        smc_row_note(row, "median of %u launches%s, %.4g to %.4g ms; %s", result->timed_launches,
                     result->cold ? ", the L2 cache flushed before each" : "", result->fastest_ms,
                     result->slowest_ms, prediction);
    else if (time->basis != SMC_TIME_UNKNOWN)
        smc_row_note(row, "%s; %s", prediction, result->timing.message);
}

static void show_speed(const struct confirm_view *view)
{
    const struct smc_run_result *result = view->result;
    const struct smc_answer *answer = view->answer;
    const struct smc_work *work = &answer->work;
    double ms = result->median_ms;
    struct smc_row *row;
    smc_confirm_time(answer, result, view->out);
    if (!result->timing.succeeded || ms <= 0)
        return;
    bool integers = answer->query.params.value[SMC_PARAM_DTYPE] == SMC_INT32;
    if (answer->has_work && work->flops > 0)
        show_measured(view, integers ? "gops" : "gflops", "arithmetic",
                      integers ? "Gop/s" : "GFLOP/s", work->flops / ms * 1e-6);
    if (answer->has_work && work->minimum_bytes > 0) {
        row = show_measured(view, "gb_per_s", "memory", "GB/s", work->minimum_bytes / ms * 1e-6);
        smc_row_note(row, "every input counted as read once, every output as written once");
    }
    show_shares(view, (enum smc_dtype)answer->query.params.value[SMC_PARAM_DTYPE]);
}

static void confirm_show_memory(const struct confirm_view *view)
{
    if (view->result->device_memory_bytes == 0)
        return;
    struct smc_row *row = smc_row_add(view->out, "device_memory_bytes", "GPU memory", "B");
    row->measured = smc_reading_of((double)view->result->device_memory_bytes);
    row->verdict = SMC_INFORMATION;
    smc_row_note(row, "taken by the buffers; as much again on the host");
}

void smc_confirm(const struct smc_answer *answer, const struct smc_run_result *result,
                 struct smc_confirmation *out)
{
    const struct confirm_view view = {answer, result, out};
    *out = (struct smc_confirmation){0};
    confirm_compiling(&view);
    confirm_static_smem(&view);
    bool refused_as_predicted =
        answer->outcome == SMC_CANNOT_COMPILE && result->compile.made && !result->compile.succeeded;
    if (!refused_as_predicted) {
        confirm_launching(&view);
        confirm_registers(&view);
        show_dynamic_smem(&view);
        confirm_allocated_smem(answer, result, out);
    }
    bool cannot_launch = answer->outcome != SMC_LAUNCHES && !result->launch.succeeded;
    if (!refused_as_predicted)
        smc_confirm_occupancy(answer, result, out);
    if (!refused_as_predicted)
        smc_confirm_clusters(answer, result, out);
    if (!refused_as_predicted && answer->outcome == SMC_LAUNCHES)
        show_binding_limits(answer, out);
    if (!refused_as_predicted)
        confirm_available_smem(answer, result, out);
    if (!cannot_launch) {
        smc_confirm_memory(answer, result, out);
        confirm_result(&view);
        confirm_agreement(&view);
        show_speed(&view);
        confirm_show_memory(&view);
    }
    smc_rows_count(out);
}

void smc_confirmation_add(const struct smc_confirmation *one, struct smc_confirmation *total)
{
    total->confirmed += one->confirmed;
    total->differing += one->differing;
    total->not_measured += one->not_measured;
}

enum smc_status smc_confirmation_status(const struct smc_confirmation *confirmation)
{
    return confirmation->differing > 0 ? SMC_SHORTFALL : SMC_OK;
}

const char *smc_verdict_name(enum smc_verdict verdict)
{
    static const char *const names[] = {
        [SMC_CONFIRMED] = "confirmed",
        [SMC_DIFFERS] = "differs",
        [SMC_NOT_MEASURED] = "not measured",
        [SMC_INFORMATION] = "information",
        [SMC_BY_ORDER] = "depends on the order of atomics",
        [SMC_BY_TURNS] = "depends on the order of threads",
    };
    return names[verdict];
}
