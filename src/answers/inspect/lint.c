/* Checks what __launch_bounds__(maxThreads, minBlocks) achieves on each architecture that a kernel
   was compiled for, or on the devices named. */
#include <stdlib.h>

#include "answers/inspect.h"
#include "base/memory.h"
#include "code/user_kernels.h"

/* Blocks that are promised without threads (PTX only): ptxas ignores them. */
static bool lacks_threads(const struct smc_inspect_kernel *kernel)
{
    return kernel->min_blocks_known && kernel->min_blocks_per_sm > 0 &&
           kernel->max_threads_per_block == 0;
}

/* ptxas ignores minBlocks if the threads and blocks alone exceed an SM; its log may say so. */
static bool is_ignored(const struct smc_inspect_kernel *kernel, const struct smc_answer *answer)
{
    const struct smc_sm *sm = &answer->query.device.sm;
    uint64_t warps = answer->occupancy.warps_per_block;
    uint32_t blocks = kernel->min_blocks_per_sm;
    return blocks > sm->max_blocks_per_sm || blocks * warps > sm->max_warps_per_sm;
}

static enum smc_promise_verdict lint_judge(const struct smc_inspect_kernel *kernel,
                                           const struct smc_answer *answer)
{
    if (kernel->bounds_ignored && smc_architecture_loads(kernel, answer->query.device.sm.cc))
        return SMC_PROMISE_IGNORED;
    if (lacks_threads(kernel))
        return SMC_PROMISE_IGNORED;
    if (answer->outcome != SMC_LAUNCHES || answer->occupancy.blocks_per_sm == 0)
        return SMC_PROMISE_CANNOT_LAUNCH;
    if (!kernel->min_blocks_known)
        return SMC_PROMISE_UNKNOWN;
    if (is_ignored(kernel, answer))
        return SMC_PROMISE_IGNORED;
    bool enough = answer->occupancy.blocks_per_sm >= kernel->min_blocks_per_sm;
    return enough ? SMC_PROMISE_HOLDS : SMC_PROMISE_FEWER_BLOCKS;
}

static bool judge_on(const struct smc_inspect_kernel *kernel, const struct smc_device *device,
                     const struct smc_inspect_request *request,
                     struct smc_inspect_promises *promises)
{
    struct smc_inspect_request bounded = *request;
    struct smc_inspect_row row;
    if (!smc_make_room(&promises->item, promises->count, &promises->capacity,
                       sizeof *promises->item))
        return false;
    struct smc_inspect_promise *promise = &promises->item[promises->count++];
    if (kernel->max_threads_per_block > 0) /* a log does not tell them */
        bounded.threads_per_block = kernel->max_threads_per_block;
    smc_inspect_answer_one(kernel, device, &bounded, &row);
    *promise = (struct smc_inspect_promise){
        .kernel = kernel, .regs_known = smc_architecture_loads(kernel, device->sm.cc)};
    smc_inspect_complete(&row, &promise->answer);
    if (!promise->regs_known && !kernel->resources.refused) {
        promise->answer.launch.regs_per_thread = 0;
        promise->answer.regs_given = false;
        smc_query_conclude(&promise->answer);
    }
    promise->verdict = lint_judge(kernel, &promise->answer);
    return true;
}

static bool lint_judge_kernel(const struct smc_inspect_kernels *kernels,
                              const struct smc_inspect_kernel *first,
                              const struct smc_inspect_request *request,
                              struct smc_inspect_promises *promises)
{
    struct smc_device device;
    struct smc_capability capability;
    bool named = request->device_count > 0, done = true;
    size_t count = named ? request->device_count : smc_capability_count();
    for (size_t i = 0; i < count && done; i++) {
        if (named) {
            device = request->devices[i];
        } else {
            smc_capability_at(i, &capability);
            smc_device_of_capability(&capability, &device);
        }
        const struct smc_inspect_kernel *kernel =
            smc_user_kernels_best_version(kernels, first, device.sm.cc);
        bool judged = named || kernel->cc == 0 || kernel->cc == device.sm.cc;
        if (judged &&
            (kernel->max_threads_per_block > 0 || kernel->bounds_ignored || lacks_threads(kernel)))
            done = judge_on(kernel, &device, request, promises);
    }
    return done;
}

/* A lint that could not check anything has not passed. */
static enum smc_status lint_conclude(const struct smc_inspect_promises *promises,
                                     struct smc_error *error)
{
    bool held = false;
    for (size_t i = 0; i < promises->count; i++) {
        enum smc_promise_verdict verdict = promises->item[i].verdict;
        if (verdict != SMC_PROMISE_HOLDS && verdict != SMC_PROMISE_UNKNOWN)
            return SMC_SHORTFALL;
        held |= verdict == SMC_PROMISE_HOLDS;
    }
    if (held)
        return SMC_OK;
    return smc_fail(error, SMC_USAGE, "option --lint: nothing was checked: %s",
                    promises->count ? "machine code does not tell how many blocks its launch "
                                      "bounds promise; source and PTX do"
                                    : "no kernel has launch bounds, or the input does not tell "
                                      "them; source, PTX and machine code do");
}

enum smc_status smc_inspect_lint(const struct smc_inspect_kernels *kernels,
                                 const struct smc_inspect_request *request,
                                 struct smc_inspect_promises *promises, struct smc_error *error)
{
    for (size_t i = 0; i < kernels->count; i++) {
        if (!smc_user_kernel_is_requested(&kernels->item[i], request) ||
            !smc_user_kernels_is_first(kernels, i))
            continue;
        size_t before = promises->count;
        if (!lint_judge_kernel(kernels, &kernels->item[i], request, promises))
            return smc_out_of_memory(error);
        promises->without_bounds += promises->count == before;
    }
    return lint_conclude(promises, error);
}

void smc_inspect_promises_free(struct smc_inspect_promises *promises)
{
    free(promises->item);
    *promises = (struct smc_inspect_promises){0};
}

const char *smc_promise_verdict_name(enum smc_promise_verdict verdict)
{
    static const char *const names[] = {
#define VERDICT(id, name) [SMC_PROMISE_##id] = name,
#include "answers/inspect/verdicts.def"
    };
    return names[verdict];
}
