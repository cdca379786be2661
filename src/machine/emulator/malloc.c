/* malloc and free in a kernel. */
#include "machine/emulator/emulator_state.h"

enum smc_next smc_library_allocate(struct smc_worker *worker, struct smc_warp *warp,
                                   const struct smc_op *op, uint32_t mask)
{
    bool failed = false;
    EACH_ACTIVE(lane, mask)
        smc_call_result(worker, warp, op, lane,
                        smc_heap_allocate(worker->launch->heap,
                                          smc_call_argument(worker, warp, op, 0, lane), &failed));
    worker->out_of_memory |= failed;
    return failed ? SMC_GIVES_UP : SMC_GO_ON;
}

static void malloc_report(struct smc_worker *worker, const struct smc_warp *warp,
                          const struct smc_op *op, enum smc_finding_kind kind, uint32_t lane,
                          uint64_t address)
{
    struct smc_finding finding =
        smc_finding_at(worker, kind, op->instruction, smc_thread_of(warp, lane));
    smc_finding_set_address(worker, &finding, SMC_SPACE_GLOBAL, address, 0);
    smc_find(worker, &finding);
}

/* A second free ends the launch, as on a GPU (an H100 reports cudaErrorLaunchFailure). */
enum smc_next smc_library_free(struct smc_worker *worker, struct smc_warp *warp,
                               const struct smc_op *op, uint32_t mask)
{
    bool again = false;
    EACH_ACTIVE(lane, mask) {
        uint64_t address = smc_call_argument(worker, warp, op, 0, lane);
        const enum smc_heap_release release =
            address ? smc_heap_release(worker->launch->heap, address) : SMC_HEAP_RELEASED;
        if (release == SMC_HEAP_NOT_ALLOCATED)
            malloc_report(worker, warp, op, SMC_FINDING_BAD_FREE, lane, address);
        if (release == SMC_HEAP_RELEASED_BEFORE)
            malloc_report(worker, warp, op, SMC_FINDING_DOUBLE_FREE, lane, address);
        again |= release == SMC_HEAP_RELEASED_BEFORE;
    }
    if (again)
        smc_end_launch(worker);
    return again ? SMC_GIVES_UP : SMC_GO_ON;
}
