/* What follows from an answer: the nearest changes that gain or lose a block, the work, and a
   command to try. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "show/report/writers.h"

static void append_ordinal(uint32_t n, struct smc_text *out)
{
    static const char *const words[] = {"",      "first",   "second", "third", "fourth", "fifth",
                                        "sixth", "seventh", "eighth", "ninth", "tenth"};
    if (n < sizeof words / sizeof *words)
        smc_text_printf(out, "a%s %s block needs", n == 8 ? "n" : "", words[n]);
    else
        smc_text_printf(out, "block %u needs", n);
}

/* "672 threads or fewer", "28 registers per thread or fewer", "312 B less shared memory". */
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
        smc_text_printf(out,
                        " %" PRId64 " registers per thread %s, __launch_bounds__(%u," SMC_TIE "%u)",
                        answer->launch.regs_per_thread + step->change, or_so,
                        answer->launch.threads_per_block, step->blocks_per_sm);
        return;
    case SMC_STEP_SHARED_MEMORY:
        smc_text_printf(out, " %lld" SMC_TIE "B %s shared memory", llabs(step->change),
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

/* `again`: the step before gains as many blocks, so that "or" suffices. */
static void append_gain(const struct smc_answer *answer, const struct smc_next_step *step,
                        bool again, struct smc_text *out)
{
    if (again)
        smc_text_append(out, " or");
    else if (step->blocks_per_sm == answer->occupancy.blocks_per_sm + 1)
        append_ordinal(step->blocks_per_sm, out);
    else
        smc_text_printf(out, "%u blocks need", step->blocks_per_sm);
    append_need(answer, step, out);
    smc_text_append(out, " (");
    smc_layout_percent(out, smc_query_percent_after(answer, step));
    smc_text_append(out, ")");
}

static void append_loss(const struct smc_answer *answer, const struct smc_next_step *step,
                        struct smc_text *out)
{
    long long change = llabs(step->change);
    const char *direction = step->change < 0 ? "fewer" : "more";
    if (step->resource == SMC_STEP_SHARED_MEMORY && step->change > 1) {
        smc_text_printf(out, "up to %lld" SMC_TIE "B more dynamic shared memory costs no block",
                        change - 1);
        return;
    }
    if (step->resource == SMC_STEP_SHARED_MEMORY)
        smc_text_printf(out, "%lld" SMC_TIE "B %s shared memory: ", change,
                        step->change < 0 ? "less" : "more dynamic");
    else
        smc_text_printf(out, "%lld %s %s%s%s: ", change, direction,
                        step->resource == SMC_STEP_REGISTERS  ? "register"
                        : step->resource == SMC_STEP_BARRIERS ? "barrier"
                                                              : "thread",
                        smc_text_plural(change),
                        step->resource == SMC_STEP_REGISTERS ? " per thread" : "");
    if (step->blocks_per_sm == 0) {
        smc_text_append(out, "no launch");
        return;
    }
    smc_words_blocks(step->blocks_per_sm, out);
    smc_text_append(out, ", ");
    smc_layout_percent(out, smc_query_percent_after(answer, step));
}

/* A tile or a block of a catalog's kernel is proposed by the rules of `best` instead. */
static bool chooses_block(const struct smc_answer *answer)
{
    const uint32_t params = 1u << SMC_PARAM_TILE | 1u << SMC_PARAM_BLOCK;
    return answer->query.kernel && answer->query.kernel->params & params;
}

/* A loss is shown only for a step that is possible: not one beyond the limits of a block, and not
   some more threads for a tile. */
static bool is_shown_loss(const struct smc_answer *answer, const struct smc_next_step *step)
{
    bool barriers = step->resource == SMC_STEP_BARRIERS;
    bool too_many_threads =
        step->resource == SMC_STEP_THREADS && (step->blocks_per_sm == 0 || chooses_block(answer));
    return !barriers && !too_many_threads;
}

/* More blocks of fewer threads may be fewer warps. */
static bool raises_occupancy(const struct smc_answer *answer, const struct smc_next_step *step)
{
    bool by_block = step->resource == SMC_STEP_THREADS && chooses_block(answer);
    return step->blocks_per_sm > answer->occupancy.blocks_per_sm && !by_block &&
           smc_query_percent_after(answer, step) > answer->occupancy_percent;
}

static void append_better_block(const struct smc_answer *answer, struct smc_text *line)
{
    const struct smc_best_block *block = &answer->better_block;
    if (!block->option)
        return;
    smc_text_printf(line, "--%s %" PRId64 " gives ", block->option, block->size);
    smc_words_blocks(block->blocks_per_sm, line);
    smc_text_printf(line, " of %u threads (", block->threads_per_block);
    smc_layout_percent(line, block->percent);
    smc_text_append(line, ")");
}

/* A launch with a carve-out of its own may need only a larger one. */
static void append_carveout(const struct smc_answer *answer, struct smc_text *line)
{
    struct smc_carveouts carveouts;
    const struct smc_sm *sm = &answer->query.device.sm;
    if (answer->launch.carveout_percent == SMC_CARVEOUT_DEFAULT)
        return;
    smc_carveouts_find(sm, &answer->launch, &carveouts);
    const uint32_t blocks = carveouts.most_blocks;
    const struct smc_carveout *size = smc_carveouts_smallest(&carveouts, blocks);
    if (blocks <= answer->occupancy.blocks_per_sm || !size || !carveouts.by_percent ||
        size->percent_from < 0)
        return;
    smc_text_append(line, line->length ? "\n" : "");
    smc_words_blocks(blocks, line);
    smc_text_printf(line, " need a carve-out of %d" SMC_TIE "%% or more, %u" SMC_TIE "KB (",
                    size->percent_from, size->smem_bytes / 1024);
    smc_layout_percent(line,
                       100.0 * blocks * answer->occupancy.warps_per_block / sm->max_warps_per_sm);
    smc_text_append(line, ")");
}

void smc_text_gains(const struct smc_answer *answer, struct smc_text *line)
{
    uint32_t last = 0;
    append_better_block(answer, line);
    for (uint32_t i = 0; i < answer->next_steps.count; i++) {
        const struct smc_next_step *step = &answer->next_steps.step[i];
        if (!raises_occupancy(answer, step))
            continue;
        bool again = step->blocks_per_sm == last;
        smc_text_append(line, line->length && !again ? "\n" : "");
        append_gain(answer, step, again, line);
        last = step->blocks_per_sm;
    }
    append_carveout(answer, line);
}

/* What may be added to each resource alone before a block is lost. */
static void append_headroom(const struct smc_answer *answer, struct smc_text *line)
{
    const char *before = "\nheadroom before a block is lost: ";
    for (uint32_t i = 0; i < answer->next_steps.count; i++) {
        const struct smc_next_step *step = &answer->next_steps.step[i];
        long long headroom = step->change - 1;
        bool lost = step->change > 0 && step->blocks_per_sm < answer->occupancy.blocks_per_sm;
        if (!lost)
            continue;
        if (step->resource == SMC_STEP_REGISTERS)
            smc_text_printf(line, "%s%lld" SMC_TIE "register%s per thread", before, headroom,
                            smc_text_plural(headroom));
        else if (step->resource == SMC_STEP_SHARED_MEMORY)
            smc_text_printf(line, "%s%lld" SMC_TIE "B of dynamic shared memory", before, headroom);
        else
            continue;
        before = ", ";
    }
}

/* What `best` proposes, else the largest smaller tile or block that can be launched, all else as it
   is: sets it in `params`, and its plan. */
static bool find_smaller_block(const struct smc_answer *answer, struct smc_params *params,
                               enum smc_param *param, struct smc_plan *plan)
{
    const struct smc_kernel *kernel = answer->query.kernel;
    if (!chooses_block(answer))
        return false;
    *params = answer->query.params;
    *param = kernel->params & 1u << SMC_PARAM_TILE ? SMC_PARAM_TILE : SMC_PARAM_BLOCK;
    int64_t *value = &params->value[*param];
    if (answer->better_block.option) {
        *value = answer->better_block.size;
        params->given |= 1u << *param;
        kernel->plan(kernel, params, plan);
        return true;
    }
    struct smc_launch launch = answer->launch;
    struct smc_occupancy occupancy;
    for (--*value; *value >= smc_param_info[*param].lowest; --*value) {
        kernel->plan(kernel, params, plan);
        launch.threads_per_block = plan->threads_per_block;
        if (!answer->static_smem_given)
            launch.static_smem_bytes = saturate(plan->static_smem_bytes);
        if (!answer->dynamic_smem_given)
            launch.dynamic_smem_bytes = saturate(plan->dynamic_smem_bytes);
        smc_occupancy_compute(&answer->query.device.sm, &launch, &occupancy);
        if (occupancy.blocks_per_sm > 0) {
            params->given |= 1u << *param;
            return true;
        }
    }
    return false;
}

/* A smaller block would launch. */
static bool block_is_too_large(const struct smc_answer *answer)
{
    const uint32_t avoided = 1u << SMC_REFUSAL_THREADS_PER_BLOCK | 1u << SMC_REFUSAL_REGS_PER_BLOCK;
    return answer->outcome == SMC_CANNOT_LAUNCH && answer->occupancy.refusals & avoided;
}

static void append_smaller_block(const struct smc_answer *answer, struct smc_text *line)
{
    struct smc_params params;
    struct smc_plan plan;
    enum smc_param param;
    uint32_t too_many = 1u << SMC_REFUSAL_THREADS_PER_BLOCK;
    if (!answer->query.kernel && answer->occupancy.refusals & too_many)
        smc_text_printf(line, "--threads %u or less",
                        answer->query.device.sm.max_threads_per_block);
    else if (find_smaller_block(answer, &params, &param, &plan))
        smc_text_printf(line, "--%s %" PRId64 "%s (%u threads)", smc_param_info[param].option,
                        params.value[param], answer->better_block.option ? "" : " or less",
                        plan.threads_per_block);
}

/* The same kernel with dynamic shared memory, where the block may opt in to that much. */
static bool sibling_can(const struct smc_answer *answer)
{
    const struct smc_kernel *kernel = answer->query.kernel;
    return kernel && kernel->sibling &&
           answer->plan.static_smem_bytes <=
               smc_smem_most_per_block(&answer->query.device.sm, &answer->launch);
}

/* The bytes are too many as dynamic shared memory, too. Without a kernel the options that set them
   are named. */
static void append_both_limits(const struct smc_answer *answer, uint32_t most,
                               struct smc_text *line)
{
    bool own = !answer->query.kernel;
    smc_text_printf(line, "less shared memory: at most %u bytes static%s",
                    answer->query.device.sm.smem_per_block_default_bytes, own ? " (--smem)" : "");
    smc_text_printf(line, ", up to %u as dynamic%s", most, own ? " (--dynamic-smem)" : "");
}

static bool oversized_mode_suffices(const struct smc_answer *answer, uint32_t most)
{
    const struct smc_launch *launch = &answer->launch;
    uint32_t oversized = answer->query.device.sm.smem_oversized_per_block_bytes;
    return oversized > most &&
           (uint64_t)launch->static_smem_bytes + launch->dynamic_smem_bytes <= oversized;
}

static void append_smaller_smem(const struct smc_answer *answer, struct smc_text *line)
{
    uint32_t most = smc_smem_most_per_block(&answer->query.device.sm, &answer->launch);
    bool compiles = answer->outcome != SMC_CANNOT_COMPILE;
    smc_text_append(line, line->length ? "\n" : "");
    if (!compiles && sibling_can(answer))
        smc_text_printf(line, "%s can: it asks for dynamic shared memory, up to %u bytes per block",
                        answer->query.kernel->sibling, most);
    else if (!compiles && most >= answer->launch.static_smem_bytes)
        smc_text_printf(line, "as dynamic shared memory a block may have up to %u bytes", most);
    else if (!compiles && most > answer->query.device.sm.smem_per_block_default_bytes)
        append_both_limits(answer, most, line);
    else if (oversized_mode_suffices(answer, most))
        smc_text_printf(line,
                        "--smem-mode oversized, which CUDA 13.5 has; without it a block may have "
                        "%u bytes at most",
                        most);
    else
        smc_text_printf(line, "less shared memory: a block may have %u bytes at most", most);
}

static void append_smaller_cluster(const struct smc_answer *answer, struct smc_text *line)
{
    uint32_t most = answer->query.device.sm.cluster_max_nonportable;
    if (most)
        smc_text_printf(line, "--cluster %u or less", most);
    else
        smc_text_append(line,
                        "clusters need compute capability 9.0 or newer: --cluster 1 does without");
}

/* What has one limit, and the setting that lifts it if any. */
static void append_within_limit(const struct smc_answer *answer, enum smc_refusal refusal,
                                struct smc_text *line)
{
    const struct smc_sm *sm = &answer->query.device.sm;
    smc_text_append(line, line->length ? "\n" : "");
    switch (refusal) {
    case SMC_REFUSAL_REGS_PER_THREAD:
        smc_text_printf(line, "%u registers per thread or fewer", sm->max_regs_per_thread);
        return;
    case SMC_REFUSAL_NAMED_BARRIERS:
        smc_text_printf(line, "%u barriers or fewer", sm->named_barriers_per_block);
        return;
    case SMC_REFUSAL_VIRTUAL_RESOURCES:
        smc_text_printf(line, "%u virtual resources or fewer", sm->virtual_resources_per_sm);
        return;
    case SMC_REFUSAL_SMEM_NOT_OPTED_IN:
        smc_text_printf(line,
                        "%u bytes of shared memory or less, or opt in by "
                        "cudaFuncAttributeMaxDynamicSharedMemorySize",
                        sm->smem_per_block_default_bytes);
        return;
    case SMC_REFUSAL_SMEM_NOT_PORTABLE:
        smc_text_printf(line,
                        "%u bytes of shared memory or less, or --smem-mode default or "
                        "non-portable",
                        sm->smem_per_block_default_bytes);
        return;
    case SMC_REFUSAL_BLOCK_Z:
        smc_text_printf(line, "%u threads in z or fewer, and the others in x or y",
                        sm->max_block_z);
        return;
    case SMC_REFUSAL_CLUSTER_SHAPE:
        smc_text_append(line, "a grid that is a multiple of the cluster in each dimension");
        return;
    case SMC_REFUSAL_PARAMETER_BYTES:
        smc_text_printf(line, "%u bytes of arguments or fewer: pass a pointer to the rest",
                        sm->max_parameter_bytes);
        return;
    case SMC_REFUSAL_COOPERATIVE_SIZE:
        smc_text_printf(line, "%" PRIu64 " blocks or fewer", answer->occupancy.resident_blocks);
        return;
    default:
        append_smaller_cluster(answer, line);
    }
}

static void append_fewer_registers(const struct smc_answer *answer, struct smc_text *line)
{
    const struct smc_next_step *registers = smc_query_gain(answer, SMC_STEP_REGISTERS);
    const struct smc_next_step *threads =
        line->length ? NULL : smc_query_gain(answer, SMC_STEP_THREADS); /* already proposed */
    smc_text_append(line, line->length ? "\n" : "");
    if (registers)
        smc_text_printf(line, "%" PRId64 " registers per thread or fewer, __launch_bounds__(%u)",
                        answer->launch.regs_per_thread + registers->change,
                        answer->launch.threads_per_block);
    else
        smc_text_append(line, "fewer registers per thread (__launch_bounds__)");
    if (threads)
        smc_text_printf(line, ", or %" PRId64 " threads or fewer",
                        answer->launch.threads_per_block + threads->change);
}

/* A grid too long for one dimension may fit in two; a kernel needs fewer blocks of a larger size.
 */
static void append_other_grid(const struct smc_answer *answer, struct smc_text *line)
{
    const struct smc_sm *sm = &answer->query.device.sm;
    const struct smc_kernel *kernel = answer->query.kernel;
    uint64_t in_x = answer->plan.grid[0], in_y = divide_up(in_x, sm->max_grid_x);
    bool one_dimension = in_x == answer->plan.grid_blocks;
    smc_text_append(line, line->length ? "\n" : "");
    if (kernel)
        smc_text_printf(line, "fewer blocks, by a larger --%s or a smaller --size",
                        kernel->params & 1u << SMC_PARAM_TILE ? "tile" : "block");
    else if (one_dimension && in_y <= sm->max_grid_y)
        smc_text_printf(line, "as many in two dimensions, such as --grid %" PRIu64 "x%" PRIu64,
                        divide_up(in_x, in_y), in_y);
    else
        smc_text_printf(line, "up to %u blocks in x, %u in y and %u in z", sm->max_grid_x,
                        sm->max_grid_y, sm->max_grid_z);
}

static void advice_append_remedies(const struct smc_answer *answer, struct smc_text *line)
{
    const uint32_t one_limit =
        1u << SMC_REFUSAL_REGS_PER_THREAD | 1u << SMC_REFUSAL_SMEM_NOT_OPTED_IN |
        1u << SMC_REFUSAL_SMEM_NOT_PORTABLE | 1u << SMC_REFUSAL_NAMED_BARRIERS |
        1u << SMC_REFUSAL_VIRTUAL_RESOURCES | 1u << SMC_REFUSAL_CLUSTER_SIZE |
        1u << SMC_REFUSAL_CLUSTER_NOT_PORTABLE | 1u << SMC_REFUSAL_BLOCK_Z |
        1u << SMC_REFUSAL_CLUSTER_SHAPE | 1u << SMC_REFUSAL_PARAMETER_BYTES |
        1u << SMC_REFUSAL_COOPERATIVE_SIZE;
    uint32_t refusals = answer->occupancy.refusals;
    if (block_is_too_large(answer))
        append_smaller_block(answer, line);
    if (refusals & 1u << SMC_REFUSAL_REGS_PER_BLOCK)
        append_fewer_registers(answer, line);
    if (answer->outcome == SMC_CANNOT_COMPILE || refusals & 1u << SMC_REFUSAL_SMEM_PER_BLOCK)
        append_smaller_smem(answer, line);
    if (refusals & SMC_GRID_REFUSALS)
        append_other_grid(answer, line);
    for (uint32_t left = refusals & one_limit; left; left &= left - 1)
        append_within_limit(answer, (enum smc_refusal)__builtin_ctz(left), line);
    if (line->length == 0)
        smc_text_append(line, "no smaller block can be launched");
}

/* With more products the emulator runs for many seconds. */
enum { MOST_EMULATED_PRODUCTS = 100000000, SMALL_SIZE = 256, LONGEST_NAME = 32 };

/* Occupancy does not depend on the sizes, so a default one may be replaced by a smaller one. */
static bool is_long_emulated(const struct smc_answer *answer)
{
    const struct smc_params *params = &answer->query.params;
    const uint32_t sizes = answer->query.kernel->params & SMC_MATRIX_SIZES;
    bool usual = sizes && !(params->given & sizes);
    return usual && answer->has_work && answer->work.flops / 2 > MOST_EMULATED_PRODUCTS;
}

/* Only a live device is known to be a GPU of this machine; the emulator runs anywhere. A long name
   is replaced by its compute capability, which is all that the emulator needs. */
static void append_emulation(const struct smc_answer *answer, struct smc_text *line)
{
    const struct smc_device *device = &answer->query.device;
    if (is_long_emulated(answer))
        smc_text_printf(line, " --size %d", SMALL_SIZE);
    smc_text_append(line, " --on emulator");
    bool named = device->source != SMC_DEVICE_TABLE || answer->query.device_assumed ||
                 strlen(device->name) <= LONGEST_NAME;
    if (named)
        smc_words_device_option(&answer->query, line);
    else
        smc_text_printf(line, " -d %d.%d", device->sm.cc / 10, device->sm.cc % 10);
}

/* A command to try: for a launch that fails, the nearest launch that succeeds, otherwise `run` with
   the same numbers. Nothing if no such command exists. */
static void append_try(const struct smc_answer *answer, bool explained, struct smc_text *line)
{
    const struct smc_query *query = &answer->query;
    const struct smc_kernel *kernel = query->kernel;
    struct smc_params params;
    struct smc_plan plan;
    enum smc_param param;
    if (!kernel) {
        if (!explained)
            smc_text_append(line, "the same with --explain shows the arithmetic line by line");
        return;
    }
    if (answer->outcome == SMC_CANNOT_COMPILE && sibling_can(answer)) {
        smc_text_printf(line, "%s ", smc_program_name());
        smc_words_options(&query->params, kernel->sibling, line);
        smc_words_device_option(query, line);
    } else if (block_is_too_large(answer) && find_smaller_block(answer, &params, &param, &plan)) {
        smc_text_printf(line, "%s ", smc_program_name());
        smc_words_options(&params, kernel->name, line);
        smc_words_settings(query, false, line);
        smc_words_device_option(query, line);
    } else if (smc_capability_is_current(answer->query.device.sm.cc)) {
        smc_text_printf(line, "%s run ", smc_program_name());
        smc_words_options(&query->params, kernel->name, line);
        smc_words_settings(query, true, line);
        if (query->device.source != SMC_DEVICE_LIVE)
            append_emulation(answer, line);
    } else if (!explained) {
        smc_text_append(line, "the same with --explain shows the arithmetic line by line");
    }
}

void smc_text_next_steps(const struct smc_answer *answer, struct smc_text *line)
{
    if (answer->outcome != SMC_LAUNCHES) {
        advice_append_remedies(answer, line);
        return;
    }
    if (smc_words_is_clustered(answer)) {
        smc_text_append(line, "an SM holds no more blocks of clusters: larger blocks may raise "
                              "occupancy");
        return;
    }
    if (smc_query_at_maximum(answer)) {
        smc_text_append(line, "occupancy is at its maximum");
        append_headroom(answer, line);
        return;
    }
    smc_text_gains(answer, line);
    if (line->length == 0)
        smc_text_append(line, "no change of one resource alone raises occupancy");
    for (uint32_t i = 0; i < answer->next_steps.count; i++) {
        const struct smc_next_step *step = &answer->next_steps.step[i];
        if (step->blocks_per_sm > answer->occupancy.blocks_per_sm || !is_shown_loss(answer, step))
            continue;
        smc_text_append(line, line->length ? "\n" : "");
        append_loss(answer, step, line);
    }
}

/* A report fits on a screen of so many lines; what matters least is left out. */
enum { SCREEN_LINES = 24 };

enum advice { NEXT_STEPS, FASTER, WORK, NO_TIME, TRY_IT, ADVICE_COUNT };

static void find_advice(const struct smc_answer *answer, enum advice advice, bool explained,
                        struct smc_text *line)
{
    switch (advice) {
    case NEXT_STEPS:
        smc_text_next_steps(answer, line);
        break;
    case FASTER:
        smc_text_relief(answer, line);
        break;
    case WORK:
        if (answer->has_work)
            smc_text_append_work(answer, line);
        break;
    case NO_TIME:
        smc_text_no_time(answer, line);
        break;
    case TRY_IT:
        append_try(answer, explained, line);
        break;
    case ADVICE_COUNT:
        break;
    }
    smc_text_join_items(line);
}

void smc_text_advice(const struct smc_answer *answer, struct smc_text *out)
{
    static const char *const labels[ADVICE_COUNT] = {"next steps", "faster", "work", "time",
                                                     "try it"};
    static const enum advice least_first[] = {NO_TIME, WORK, TRY_IT};
    struct smc_text part[ADVICE_COUNT] = {0};
    size_t lines = smc_count_lines(out->data, out->length);
    for (int i = 0; i < ADVICE_COUNT; i++) {
        struct smc_text line = {0};
        part[i].style = out->style;
        find_advice(answer, (enum advice)i, out->style->explain, &line);
        smc_layout_line(&part[i], labels[i], &line);
        lines += smc_count_lines(part[i].data, part[i].length);
    }
    for (size_t i = 0; i < sizeof least_first / sizeof *least_first && lines > SCREEN_LINES; i++) {
        lines -= smc_count_lines(part[least_first[i]].data, part[least_first[i]].length);
        part[least_first[i]].length = 0;
    }
    for (int i = 0; i < ADVICE_COUNT; i++) {
        smc_text_append_bytes(out, smc_text_string(&part[i]), part[i].length);
        smc_text_free(&part[i]);
    }
}
