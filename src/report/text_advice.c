/* What follows from an answer: the nearest changes that gain or lose a block, the work, and a
   command to try. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/round.h"
#include "report/layout.h"
#include "report/text_parts.h"
#include "report/words.h"

static void append_ordinal(uint32_t n, struct smc_text *out)
{
    static const char *const words[] = {"",      "first",   "second", "third", "fourth", "fifth",
                                        "sixth", "seventh", "eighth", "ninth", "tenth"};
    if (n < sizeof words / sizeof *words)
        smc_text_printf(out, "a%s %s block needs", n == 8 ? "n" : "", words[n]);
    else
        smc_text_printf(out, "block %u needs", n);
}

static double percent_after(const struct smc_answer *answer, const struct smc_next_step *step)
{
    const struct smc_sm *sm = &answer->query.device.sm;
    uint64_t warps = answer->occupancy.warps_per_block;
    if (step->resource == SMC_STEP_THREADS)
        warps =
            divide_up((uint64_t)(answer->launch.threads_per_block + step->change), sm->warp_size);
    return 100.0 * (double)(warps * step->blocks_per_sm) / sm->max_warps_per_sm;
}

/* "672 threads or fewer", "28 registers or fewer a thread", "312 B less shared memory". */
static void append_need(const struct smc_answer *answer, const struct smc_next_step *step,
                        struct smc_text *out)
{
    bool less = step->change < 0;
    const char *or_so = less ? "or fewer" : "or more";
    switch (step->resource) {
    case SMC_STEP_THREADS:
        smc_text_printf(out, " %" PRId64 " threads %s",
                        answer->launch.threads_per_block + step->change, or_so);
        return;
    case SMC_STEP_REGISTERS:
        smc_text_printf(out, " %" PRId64 " registers %s a thread",
                        answer->launch.regs_per_thread + step->change, or_so);
        return;
    case SMC_STEP_SHARED_MEMORY:
        smc_text_printf(out, " %lld B %s shared memory", llabs(step->change),
                        less ? "less" : "more");
        return;
    case SMC_STEP_BARRIERS:
        smc_text_printf(out, " %" PRId64 " barriers %s",
                        answer->launch.barriers_per_block + step->change, or_so);
        return;
    case SMC_STEP_COUNT:
        return;
    }
}

static void append_gain(const struct smc_answer *answer, const struct smc_next_step *step,
                        struct smc_text *out)
{
    if (step->blocks_per_sm == answer->occupancy.blocks_per_sm + 1)
        append_ordinal(step->blocks_per_sm, out);
    else
        smc_text_printf(out, "%u blocks need", step->blocks_per_sm);
    append_need(answer, step, out);
    smc_text_append(out, " (");
    smc_layout_percent(out, percent_after(answer, step));
    smc_text_append(out, ")");
}

static void append_loss(const struct smc_answer *answer, const struct smc_next_step *step,
                        struct smc_text *out)
{
    long long change = llabs(step->change);
    const char *direction = step->change < 0 ? "fewer" : "more";
    if (step->resource == SMC_STEP_SHARED_MEMORY && step->change > 1) {
        smc_text_printf(out, "%lld B more shared memory change nothing", change - 1);
        return;
    }
    if (step->resource == SMC_STEP_SHARED_MEMORY)
        smc_text_printf(out, "%lld B %s shared memory: ", change,
                        step->change < 0 ? "less" : "more");
    else
        smc_text_printf(out, "%lld %s%s %s%s: ", change,
                        step->resource == SMC_STEP_REGISTERS  ? "register"
                        : step->resource == SMC_STEP_BARRIERS ? "barrier"
                                                              : "thread",
                        change == 1 ? "" : "s", direction,
                        step->resource == SMC_STEP_REGISTERS ? " a thread" : "");
    if (step->blocks_per_sm == 0) {
        smc_text_append(out, "no launch");
        return;
    }
    smc_words_blocks(step->blocks_per_sm, out);
    smc_text_append(out, ", ");
    smc_layout_percent(out, percent_after(answer, step));
}

/* A loss is news where a person might take the step: the end of what a block may have is not. */
static bool is_worth_telling(const struct smc_next_step *step)
{
    bool barriers = step->resource == SMC_STEP_BARRIERS;
    bool too_many_threads = step->resource == SMC_STEP_THREADS && step->blocks_per_sm == 0;
    return !barriers && !too_many_threads;
}

static void append_steps(const struct smc_answer *answer, struct smc_text *line)
{
    for (int gains = 1; gains >= 0; gains--) {
        for (uint32_t i = 0; i < answer->next_steps.count; i++) {
            const struct smc_next_step *step = &answer->next_steps.step[i];
            bool gain = step->blocks_per_sm > answer->occupancy.blocks_per_sm;
            if (gain != (gains == 1) || (!gain && !is_worth_telling(step)))
                continue;
            smc_text_append(line, line->length ? "; " : "");
            if (gain)
                append_gain(answer, step, line);
            else
                append_loss(answer, step, line);
        }
    }
    if (line->length == 0)
        smc_text_append(line, "no change of one resource alone gains or loses a block");
}

/* The largest value of `param` whose blocks the device takes; 0: none. */
static int64_t largest_that_fits(const struct smc_answer *answer, enum smc_param param,
                                 uint32_t *threads)
{
    const struct smc_kernel *kernel = answer->query.kernel;
    struct smc_params params = answer->query.params;
    for (params.value[param]--; params.value[param] >= smc_param_info[param].lowest;
         params.value[param]--) {
        struct smc_plan plan = {0};
        kernel->plan(&params, &plan);
        *threads = plan.threads_per_block;
        if (*threads <= answer->query.device.sm.max_threads_per_block)
            return params.value[param];
    }
    return 0;
}

static void append_smaller_block(const struct smc_answer *answer, struct smc_text *line)
{
    const struct smc_kernel *kernel = answer->query.kernel;
    uint32_t most = answer->query.device.sm.max_threads_per_block;
    if (!kernel) {
        smc_text_printf(line, "--threads %u or less", most);
        return;
    }
    static const enum smc_param sizes[] = {SMC_PARAM_TILE, SMC_PARAM_BLOCK};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (!(kernel->params & 1u << sizes[i]))
            continue;
        uint32_t threads;
        int64_t value = largest_that_fits(answer, sizes[i], &threads);
        if (value)
            smc_text_printf(line, "--%s %" PRId64 " or less (%u threads)",
                            smc_param_info[sizes[i]].option, value, threads);
        return;
    }
}

/* The same kernel with dynamic shared memory, where the block may opt in to that much. */
static bool append_sibling(const struct smc_answer *answer, struct smc_text *line)
{
    const struct smc_kernel *kernel = answer->query.kernel;
    const struct smc_sm *sm = &answer->query.device.sm;
    if (!kernel || !kernel->sibling ||
        answer->plan.static_smem_bytes > sm->smem_per_block_optin_bytes)
        return false;
    smc_text_printf(line, "%s can: a block may opt in to %u bytes of dynamic shared memory",
                    kernel->sibling, sm->smem_per_block_optin_bytes);
    return true;
}

static void append_remedies(const struct smc_answer *answer, struct smc_text *line)
{
    uint32_t refusals = answer->occupancy.refusals;
    if (refusals & 1u << SMC_REFUSAL_THREADS_PER_BLOCK)
        append_smaller_block(answer, line);
    if (refusals & 1u << SMC_REFUSAL_REGS_PER_BLOCK)
        smc_text_printf(line, "%sfewer registers a thread (__launch_bounds__) or fewer threads",
                        line->length ? "; " : "");
    if (answer->outcome == SMC_CANNOT_COMPILE && !append_sibling(answer, line))
        smc_text_append(line, "less static shared memory");
    if (line->length == 0)
        smc_text_append(line, "lower what is refused above");
}

static void append_work(const struct smc_answer *answer, struct smc_text *line)
{
    const struct smc_work *work = &answer->work;
    double moved = work->global_load_bytes + work->global_store_bytes;
    if (work->untiled_load_bytes > 0 && work->global_load_bytes > 0) {
        double times = work->untiled_load_bytes / work->global_load_bytes;
        if (times > 1.05)
            smc_text_printf(
                line, "global memory is read 1/%.3g as often as without shared memory; ", times);
    }
    smc_text_printf(
        line, "%.3g %s, %.3g B moved", work->flops,
        answer->query.params.value[SMC_PARAM_DTYPE] == SMC_INT32 ? "operations" : "flop", moved);
    if (moved > 0)
        smc_text_printf(line, ": %.3g a byte", work->flops / moved);
}

static void append_try(const struct smc_answer *answer, struct smc_text *line)
{
    const struct smc_kernel *kernel = answer->query.kernel;
    if (!kernel) {
        smc_text_append(line, "--explain for the arithmetic line by line");
        return;
    }
    struct smc_text ignored = {0};
    bool sibling = answer->outcome == SMC_CANNOT_COMPILE && append_sibling(answer, &ignored);
    smc_text_free(&ignored);
    smc_text_append(line, sibling ? "smemcalc " : "smemcalc run ");
    smc_words_options(answer, sibling ? kernel->sibling : kernel->name, line);
    if (!sibling && answer->query.device.source != SMC_DEVICE_LIVE)
        smc_text_append(line, " (needs a GPU)");
}

void smc_text_advice(const struct smc_answer *answer, const struct smc_report_style *style,
                     struct smc_text *out)
{
    struct smc_text steps = {0}, work = {0}, attempt = {0};
    if (answer->outcome == SMC_LAUNCHES)
        append_steps(answer, &steps);
    else
        append_remedies(answer, &steps);
    smc_text_line(out, style, "next steps", &steps);
    if (answer->has_work) {
        append_work(answer, &work);
        smc_text_line(out, style, "work", &work);
    }
    append_try(answer, &attempt);
    smc_text_line(out, style, "try it", &attempt);
    smc_text_free(&steps);
    smc_text_free(&work);
    smc_text_free(&attempt);
}
