/* Compares the most dynamic shared memory for each number of blocks with the answer of a
   cuda_occupancy.h. If the two differ, the header contradicts itself: its own occupancy function
   gives fewer blocks at the size that it reports as available.
   Usage: headroom_oracle [LAUNCHES [SEED]], 20000 by default. Without the header: exit status 77.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "rules/devices.h"
#include "rules/headroom.h"

#ifndef HAVE_OCCUPANCY_HEADER
int main(void)
{
    puts("no cuda_occupancy.h: configure with " ORACLE_HEADER_OPTION);
    puts("0 passed, 0 failed, 3 skipped");
    return 77;
}
#else
#include "oracle_device.h"

struct tally {
    unsigned long answers, same, too_high, unexplained, wrong;
};

static int header_blocks(const cudaOccDeviceProp *device, const cudaOccFuncAttributes *function,
                         uint32_t threads, size_t dynamic_bytes)
{
    cudaOccDeviceState state = {.carveoutConfig = -1};
    cudaOccResult result;
    if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, device, function, &state, (int)threads,
                                                dynamic_bytes) != CUDA_OCC_SUCCESS)
        return -1;
    return result.activeBlocksPerMultiprocessor;
}

static void compare(const struct smc_sm *sm, const struct smc_launch *launch, struct tally *tally)
{
    cudaOccDeviceProp device = oracle_device(sm, launch->smem_mode);
    cudaOccFuncAttributes function = {
        .maxThreadsPerBlock = INT_MAX,
        .numRegs = (int)launch->regs_per_thread,
        .sharedSizeBytes = launch->static_smem_bytes,
        .shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN,
        /* the most that cudaFuncSetAttribute accepts */
        .maxDynamicSharedSizeBytes = sm->smem_per_block_optin_bytes - launch->static_smem_bytes,
        .numBlockBarriers = (int)launch->barriers_per_block,
    };
    cudaOccDeviceState state = {.carveoutConfig = -1};
    struct smc_headroom headroom;
    smc_headroom_find(sm, launch, (struct smc_fixed){.regs = true}, &headroom);
    for (uint32_t n = 1; n <= headroom.count; n++) {
        size_t theirs = 0, ours = headroom.level[n - 1].dynamic_smem_bytes;
        if (cudaOccAvailableDynamicSMemPerBlock(&theirs, &device, &function, &state, (int)n,
                                                (int)launch->threads_per_block) != CUDA_OCC_SUCCESS)
            continue;
        tally->answers++;
        /* By the header's own count, our size must fit and one byte more must not. */
        int blocks = header_blocks(&device, &function, launch->threads_per_block, ours);
        int beyond = header_blocks(&device, &function, launch->threads_per_block, ours + 1);
        tally->wrong += blocks < (int)n || beyond >= (int)n;
        if (theirs == ours) {
            tally->same++;
            continue;
        }
        int at_theirs = header_blocks(&device, &function, launch->threads_per_block, theirs);
        bool by_the_reserve = theirs == ours + sm->smem_reserved_per_block_bytes && n > 1;
        if (at_theirs < (int)n && theirs > ours)
            tally->too_high++;
        if (!by_the_reserve || at_theirs >= (int)n) {
            if (tally->unexplained++ < 10)
                printf("cc %u, %u threads, %u static, %u blocks: ours %zu, the header's %zu (%d)\n",
                       sm->cc, launch->threads_per_block, launch->static_smem_bytes, n, ours,
                       theirs, at_theirs);
        }
    }
}

/* The H200's case: before CUDA 13.5, the API's answer for 2 blocks is a size at which only 1 fits.
 */
static bool documented_case(void)
{
    struct smc_capability hopper;
    struct smc_launch launch = SMC_LAUNCH_INIT;
    struct tally tally = {0};
    if (!smc_capability_find(90, &hopper))
        return false;
    launch.threads_per_block = 1024;
    launch.regs_per_thread = 32;
    compare(&hopper.sm, &launch, &tally);
    unsigned long too_high = CUDA_VERSION < CORRECTED_IN;
    return tally.answers == 2 && tally.same == 2 - too_high && tally.too_high == too_high &&
           tally.wrong == 0;
}

int main(int argc, char **argv)
{
    long launches = argc > 1 ? atol(argv[1]) : 20000;
    srand(argc > 2 ? (unsigned)atol(argv[2]) : 1);
    struct tally tally = {0};
    for (long i = 0; i < launches; i++) {
        struct smc_capability capability;
        smc_capability_at((size_t)rand() % smc_capability_count(), &capability);
        const struct smc_sm *sm = &capability.sm;
        struct smc_launch launch = SMC_LAUNCH_INIT;
        launch.threads_per_block = 1 + (uint32_t)rand() % sm->max_threads_per_block;
        launch.regs_per_thread = (uint32_t)rand() % 64;
        launch.static_smem_bytes = rand() % 2 ? 0 : (uint32_t)rand() % 32 * 128;
        compare(sm, &launch, &tally);
    }
    printf("%lu answers of the header: %lu the same, %lu too high, %lu unexplained; %lu of ours "
           "are not the most by the header's own count\n",
           tally.answers, tally.same, tally.too_high, tally.unexplained, tally.wrong);
    bool enough = tally.same > 1000 &&
                  (CUDA_VERSION < CORRECTED_IN ? tally.too_high > 1000 : tally.too_high == 0);
    bool documented = documented_case();
    unsigned failed = (tally.wrong > 0) + (tally.unexplained > 0 || !enough) + !documented;
    printf("%u passed, %u failed, 0 skipped\n", 3 - failed, failed);
    return failed > 0;
}
#endif
