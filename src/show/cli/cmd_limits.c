/* smemcalc limits: for each number of blocks per SM, what a block may have at most. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "show/cli/cmd_run.h"
#include "show/cli/output.h"

/* --- What fewer registers cost ---------------------------------------------------------------- */

static uint32_t compiled_regs(const struct smc_answer *answer)
{
    const struct smc_file_kernel *kernel = answer->query.file_kernel;
    return kernel ? kernel->resources.regs_per_thread : answer->resources.regs_per_thread;
}

/* Compiles the kernel of the file again. An answer without a cost: its __launch_bounds__ take
   precedence, or it is no source. */
static enum smc_status find_cost_of_file(const struct smc_arguments *arguments,
                                         const struct smc_answer *answer, uint32_t regs,
                                         struct smc_bound_cost *cost, struct smc_error *error)
{
    const char *options = arguments->text[SMC_OPTION_COMPILER_OPTIONS];
    struct smc_inspect_target target = smc_architecture_target(
        arguments->device.count == 1 ? arguments->device.item[0] : "", answer->query.device.sm.cc);
    SMC_AUTO(smc_user_kernels_free) struct smc_inspect_kernels kernels = {0};
    SMC_AUTO(smc_inspect_notes_free) struct smc_inspect_notes notes = {0};
    smc_auto_text bounded = {0};
    struct smc_error why = {""};
    smc_text_printf(&bounded, "%s%s-maxrregcount=%u", options ? options : "", options ? " " : "",
                    regs);
    const struct smc_inspect_request request = {
        .targets = &target,
        .target_count = 1,
        .compiler_options = smc_text_string(&bounded),
        .no_cache = arguments->given[SMC_OPTION_NO_CACHE],
        .threads_per_block = SMC_NOT_GIVEN,
        .settings = SMC_LAUNCH_INIT,
    };
    enum smc_status status =
        bounded.failed ? smc_out_of_memory(&why)
                       : smc_read_kernels(arguments->file[0], &request, &kernels, &notes, &why);
    for (size_t i = 0; i < kernels.count && status == SMC_OK; i++) {
        const struct smc_inspect_kernel *kernel = &kernels.item[i];
        bool is_bounded = kernel->has_spills && kernel->resources.regs_per_thread <= regs;
        if (strcmp(kernel->shown, answer->query.file_kernel->name) != 0 || !is_bounded)
            continue;
        smc_bound_cost_set(&kernel->resources, cost);
        snprintf(cost->with, sizeof cost->with, "-maxrregcount=%u", regs);
    }
    return status == SMC_MACHINE || status == SMC_INTERRUPTED
               ? smc_fail(error, status, "%s", why.message)
               : SMC_OK;
}

/* The launch of --grid, --arg and --set, of the file's text or of `source`, with further options
   for the compiler. */
static enum smc_status prepare_launch(const struct smc_arguments *arguments,
                                      const struct smc_answer *answer, const char *further,
                                      const char *source, struct smc_user_run *run,
                                      struct smc_error *error)
{
    const char *options = arguments->text[SMC_OPTION_COMPILER_OPTIONS];
    const uint32_t *shape = answer->plan.block, threads = answer->launch.threads_per_block;
    const bool is_shape = (uint64_t)shape[0] * shape[1] * shape[2] == threads;
    smc_auto_text bounded = {0}, warnings = {0};
    smc_auto_free struct smc_user_request *request = smc_calloc(1, sizeof *request);
    smc_text_printf(&bounded, "%s%s", options ? options : "", further);
    if (!request || bounded.failed)
        return smc_out_of_memory(error);
    SMC_TRY(smc_ask_user_launch(arguments, arguments->file[0], request, error));
    smc_ask_user_place(arguments, &answer->query, request);
    request->source = source;
    request->compiler_options = smc_text_string(&bounded);
    request->dynamic_smem_bytes = answer->launch.dynamic_smem_bytes;
    for (int i = 0; i < 3; i++)
        request->block[i] = is_shape ? shape[i] : i ? 1 : threads;
    return smc_user_prepare(request, run, &warnings, error);
}

/* The same with that many blocks in the source's own __launch_bounds__, which take precedence over
   -maxrregcount. `source` gets the text, which must live as long as the run; it is empty if the
   bounds are not in the file. */
static enum smc_status prepare_bounded(const struct smc_arguments *arguments,
                                       const struct smc_answer *answer, uint32_t blocks,
                                       struct smc_text *source, struct smc_user_run *run,
                                       struct smc_error *error)
{
    SMC_TRY(prepare_launch(arguments, answer, "", NULL, run, error));
    smc_text_append(source, smc_text_string(&run->text));
    smc_user_free(run);
    *run = (struct smc_user_run){0};
    if (!smc_launch_bounds_set(source, blocks)) {
        smc_text_free(source);
        return SMC_OK;
    }
    return source->failed
               ? smc_out_of_memory(error)
               : prepare_launch(arguments, answer, "", smc_text_string(source), run, error);
}

/* The same as find_cost_of_file for a launch, whose time is predicted; no level: as it is. */
static enum smc_status find_cost_of_launch(const struct smc_arguments *arguments,
                                           const struct smc_answer *answer,
                                           const struct smc_headroom_level *level,
                                           struct smc_bound_cost *cost, struct smc_error *error)
{
    const struct smc_file_kernel *kernel = answer->query.file_kernel;
    const uint32_t regs = level ? level->regs_per_thread : 0;
    const uint32_t blocks = level ? level->blocks_per_sm : 0;
    const bool has_bounds = level && kernel->max_threads_per_block > 0;
    smc_auto_free struct smc_user_run *run = smc_calloc(1, sizeof *run);
    smc_auto_text source = {0};
    char with[sizeof cost->with] = "its own options", further[sizeof with + 1] = "";
    if (!run)
        return smc_out_of_memory(error);
    if (has_bounds)
        snprintf(with, sizeof with, "__launch_bounds__(%u, %u)", kernel->max_threads_per_block,
                 blocks);
    else if (level)
        snprintf(with, sizeof with, "-maxrregcount=%u", regs);
    if (level && !has_bounds)
        snprintf(further, sizeof further, " %s", with);
    enum smc_status status = has_bounds
                                 ? prepare_bounded(arguments, answer, blocks, &source, run, error)
                                 : prepare_launch(arguments, answer, further, NULL, run, error);
    const struct smc_inspect_kernel *compiled = status == SMC_OK ? run->row.kernel : NULL;
    if (compiled && (!level || compiled->resources.regs_per_thread <= regs)) {
        smc_bound_cost_set(&compiled->resources, cost);
        memcpy(cost->with, with, sizeof with);
        if (run->answer.time.basis != SMC_TIME_UNKNOWN)
            cost->predicted_ms = run->answer.time.predicted_ms;
    }
    smc_user_free(run);
    return status;
}

/* Once for each number of registers. */
static enum smc_status cmd_limits_find_costs(const struct smc_arguments *arguments,
                                             const struct smc_answer *answer,
                                             struct smc_headroom *headroom, struct smc_error *error)
{
    const uint32_t compiled = compiled_regs(answer);
    if ((!answer->query.kernel && !answer->query.file_kernel) || compiled == 0 ||
        answer->resources.most_set_regs) /* setmaxnreg was written for the registers it has */
        return SMC_OK;
    for (uint32_t i = headroom->count; i-- > 0;) {
        struct smc_headroom_level *level = &headroom->level[i], *next = level + 1;
        const bool is_same =
            i + 1 < headroom->count && next->regs_per_thread == level->regs_per_thread;
        const bool is_now = arguments->given[SMC_OPTION_GRID] && !answer->regs_given &&
                            answer->occupancy.blocks_per_sm == level->blocks_per_sm;
        if (level->regs_per_thread >= compiled && !(answer->query.kernel && answer->regs_given)) {
            if (is_now)
                SMC_TRY(find_cost_of_launch(arguments, answer, NULL, &level->cost, error));
            continue;
        }
        if (is_same)
            level->cost = next->cost;
        else if (answer->query.kernel)
            SMC_TRY(smc_bound_cost_find(answer, level->regs_per_thread, &level->cost, error));
        else if (arguments->given[SMC_OPTION_GRID])
            SMC_TRY(find_cost_of_launch(arguments, answer, level, &level->cost, error));
        else
            SMC_TRY(
                find_cost_of_file(arguments, answer, level->regs_per_thread, &level->cost, error));
    }
    return SMC_OK;
}

/* What was given stays as it is. */
static struct smc_headroom *find_headroom(const struct smc_answer *answers, size_t count)
{
    struct smc_headroom *headroom = smc_calloc(count, sizeof *headroom);
    for (size_t i = 0; i < count && headroom; i++) {
        const struct smc_answer *answer = &answers[i];
        struct smc_fixed fixed = {.regs = answer->regs_given,
                                  .dynamic_smem = answer->dynamic_smem_given};
        struct smc_sm sm;
        smc_query_bounded_sm(answer, &sm);
        smc_headroom_find(&sm, &answer->launch, fixed, &headroom[i]);
        smc_headroom_set_clusters(&headroom[i], answer->query.device.sm_count,
                                  &answer->query.device.sm_groups,
                                  answer->launch.blocks_per_cluster);
    }
    return headroom;
}

static enum smc_status cmd_limits_report(const struct smc_arguments *arguments,
                                         const struct smc_answer *answers, size_t count,
                                         struct smc_text *out, struct smc_error *error)
{
    smc_auto_free struct smc_headroom *headroom = find_headroom(answers, count);
    if (!headroom)
        return smc_out_of_memory(error);
    const bool compares = count > 1 && smc_ask_writer(arguments) == &smc_writer_text;
    for (size_t i = 0; i < count && !compares; i++)
        SMC_TRY(cmd_limits_find_costs(arguments, &answers[i], &headroom[i], error));
    smc_output_style(out);
    smc_ask_writer(arguments)->limits(answers, headroom, count, out);
    return SMC_OK;
}

enum smc_status smc_cmd_limits(const struct smc_arguments *arguments, struct smc_text *out,
                               struct smc_error *error)
{
    bool file;
    SMC_TRY(smc_ask_whether_file(arguments, &file, error));
    const bool has_grid = arguments->given[SMC_OPTION_GRID];
    const char *const contents = arguments->arg.count ? "arg" : arguments->set.count ? "set" : NULL;
    if (!file && (has_grid || contents))
        return smc_fail(error, SMC_USAGE, "option --%s: only with FILE, whose time is predicted",
                        has_grid ? "grid" : contents);
    if (has_grid && smc_file_is_standard_input(arguments->file[0]))
        return smc_fail(error, SMC_USAGE,
                        "option --grid: standard input is read once, and every row compiles it: "
                        "name a file");
    if (has_grid && arguments->device.count > 1)
        return smc_fail(error, SMC_USAGE, "option --grid: one device at a time");
    if (file && !has_grid && contents)
        return smc_fail(error, SMC_USAGE, "option --%s: needs --grid, the blocks of the launch",
                        contents);
    return smc_answer_launches(arguments, cmd_limits_report, out, error);
}
