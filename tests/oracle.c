/* Compares the model with NVIDIA's own calculator, cuda_occupancy.h, over random launches on every
   compute capability that the header knows, or on those given. Differences are failures, except for
   the header's documented mistakes, which are counted separately and each verified. Usage: oracle
   [LAUNCHES [SEED [CC...]]], 10 million by default; a CC is 103 for 10.3. Without the header: exit
   status 77. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "rules/devices.h"
#include "rules/occupancy.h"

#ifndef HAVE_OCCUPANCY_HEADER
int main(void)
{
    puts("no cuda_occupancy.h: configure with " ORACLE_HEADER_OPTION);
    puts("0 passed, 0 failed, 6 skipped");
    return 77;
}
#else

#include "oracle_launches.h"

enum { SHOWN_AT_MOST = 10 };

struct tally {
    uint64_t launches, differences, stale_limiters, twice_the_barriers;
};

static cudaOccError ask_oracle(const struct smc_sm *sm, const struct smc_launch *launch,
                               cudaOccResult *result)
{
    cudaOccDeviceProp device = oracle_device(sm, launch->smem_mode);
    cudaOccFuncAttributes function = oracle_function(launch);
    cudaOccDeviceState state = oracle_state(sm, launch);
    return cudaOccMaxActiveBlocksPerMultiprocessor(result, &device, &function, &state,
                                                   (int)launch->threads_per_block,
                                                   launch->dynamic_smem_bytes);
}

static bool same_limit(uint32_t ours, int theirs)
{
    return ours == SMC_UNLIMITED ? theirs == INT_MAX : theirs >= 0 && ours == (uint32_t)theirs;
}

static unsigned limiters_as_theirs(uint32_t limiters)
{
    static const unsigned bits[SMC_LIMIT_COUNT] = {
        [SMC_LIMIT_WARPS] = OCC_LIMIT_WARPS,
        [SMC_LIMIT_REGISTERS] = OCC_LIMIT_REGISTERS,
        [SMC_LIMIT_SHARED_MEMORY] = OCC_LIMIT_SHARED_MEMORY,
        [SMC_LIMIT_BLOCKS] = OCC_LIMIT_BLOCKS,
        [SMC_LIMIT_BARRIERS] = OCC_LIMIT_BARRIERS,
        [SMC_LIMIT_VIRTUAL_RESOURCES] = OCC_LIMIT_VIRTUAL_RESOURCES,
    };
    unsigned theirs = 0;
    for (int i = 0; i < SMC_LIMIT_COUNT; i++)
        if (limiters & 1u << i)
            theirs |= bits[i];
    return theirs;
}

/* The header finds the limiting factors, then applies the barrier limit and adds its bit. If only
   barriers bind, the bits of the earlier limits stay set. */
static bool is_stale(const cudaOccResult *theirs, unsigned ours)
{
    return ours == OCC_LIMIT_BARRIERS && (theirs->limitingFactors & OCC_LIMIT_BARRIERS) &&
           theirs->blockLimitBarriers == theirs->activeBlocksPerMultiprocessor;
}

static bool same_result(const struct smc_occupancy *ours, const cudaOccResult *theirs,
                        struct tally *tally)
{
    static const cudaOccPartitionedGCConfig caching[] = {
        [SMC_PARTITIONED_CACHING_OFF] = PARTITIONED_GC_OFF,
        [SMC_PARTITIONED_CACHING_ON] = PARTITIONED_GC_ON,
        [SMC_PARTITIONED_CACHING_STRICT] = PARTITIONED_GC_ON_STRICT,
    };
    unsigned limiters = limiters_as_theirs(ours->limiters);
    if (limiters != theirs->limitingFactors) {
        if (!is_stale(theirs, limiters))
            return false;
        tally->stale_limiters++;
    }
    return same_limit(ours->blocks_per_sm, theirs->activeBlocksPerMultiprocessor) &&
           same_limit(ours->limit[SMC_LIMIT_WARPS], theirs->blockLimitWarps) &&
           same_limit(ours->limit[SMC_LIMIT_REGISTERS], theirs->blockLimitRegs) &&
           same_limit(ours->limit[SMC_LIMIT_SHARED_MEMORY], theirs->blockLimitSharedMem) &&
           same_limit(ours->limit[SMC_LIMIT_BLOCKS], theirs->blockLimitBlocks) &&
           same_limit(ours->limit[SMC_LIMIT_BARRIERS], theirs->blockLimitBarriers) &&
           same_limit(ours->limit[SMC_LIMIT_VIRTUAL_RESOURCES], theirs->blockLimitVirtual) &&
           ours->regs_allocated_per_block == (uint32_t)theirs->allocatedRegistersPerBlock &&
           ours->smem_allocated_per_block_bytes == theirs->allocatedSharedMemPerBlock &&
           caching[ours->partitioned_caching] == theirs->partitionedGCConfig;
}

static void show_difference(const struct smc_sm *sm, const struct smc_launch *l,
                            const struct smc_occupancy *ours, const cudaOccResult *theirs)
{
    printf("  cc %u threads %u regs %u static %u dynamic %u opt-in %d mode %s carveout %d cache %d "
           "barriers %u virtual %u caching %d: %u blocks, limiters %#x; cuda_occupancy.h %d, %#x\n",
           sm->cc, l->threads_per_block, l->regs_per_thread, l->static_smem_bytes,
           l->dynamic_smem_bytes, !l->smem_not_opted_in, smc_smem_mode_name(l->smem_mode),
           l->carveout_percent, l->cache_config, l->barriers_per_block, l->virtual_resources,
           l->partitioned_caching, ours->blocks_per_sm, limiters_as_theirs(ours->limiters),
           theirs->activeBlocksPerMultiprocessor, theirs->limitingFactors);
}

/* Mistake before CUDA 13.5: 10.3 has twice as many barriers per SM as block slots. */
static bool has_twice_the_barriers(const struct smc_sm *sm)
{
    return CUDA_VERSION < CORRECTED_IN && sm->cc == 103;
}

/* With the header's number of barriers, the model gives the header's answer. */
static bool same_with_twice_the_barriers(const struct smc_sm *sm, const struct smc_launch *launch,
                                         const cudaOccResult *theirs, struct tally *tally)
{
    struct smc_sm old = *sm;
    struct smc_occupancy ours;
    if (!has_twice_the_barriers(sm))
        return false;
    old.barriers_per_sm *= 2;
    smc_occupancy_compute(&old, launch, &ours);
    bool same = same_result(&ours, theirs, tally);
    tally->twice_the_barriers += same;
    return same;
}

static void compare(const struct smc_sm *sm, const struct smc_launch *launch, struct tally *tally)
{
    struct smc_occupancy ours;
    cudaOccResult theirs = {0};
    smc_occupancy_compute(sm, launch, &ours);
    bool known = ask_oracle(sm, launch, &theirs) == CUDA_OCC_SUCCESS;
    tally->launches++;
    if (known && (same_result(&ours, &theirs, tally) ||
                  same_with_twice_the_barriers(sm, launch, &theirs, tally)))
        return;
    if (tally->differences++ < SHOWN_AT_MOST)
        show_difference(sm, launch, &ours, &theirs);
}

/* Which compute capabilities of our table the header knows; `expected` counts those that a header
   of its release should: from 3.0 on, and 10.7 from CUDA 13.5 on. */
static size_t known_sms(struct smc_sm *sms, size_t *expected)
{
    size_t count = 0;
    *expected = 0;
    for (size_t i = 0; i < smc_capability_count(); i++) {
        struct smc_capability capability;
        struct smc_launch launch = SMC_LAUNCH_INIT;
        cudaOccResult result;
        smc_capability_at(i, &capability);
        *expected +=
            capability.sm.cc >= 30 && (capability.sm.cc != 107 || CUDA_VERSION >= CORRECTED_IN);
        if (ask_oracle(&capability.sm, &launch, &result) == CUDA_OCC_SUCCESS)
            sms[count++] = capability.sm;
    }
    return count;
}

/* Mistake: the header accepts 256 registers per thread from CC 7.0 on; ptxas and the guide: 255. */
static bool shows_256_registers(const struct smc_sm *sms, size_t count)
{
    size_t accepted = 0, refused = 0, expected = 0;
    for (size_t i = 0; i < count; i++) {
        struct smc_launch launch = SMC_LAUNCH_INIT;
        struct smc_occupancy ours;
        cudaOccResult theirs;
        launch.threads_per_block = 128;
        launch.regs_per_thread = 256;
        smc_occupancy_compute(&sms[i], &launch, &ours);
        ask_oracle(&sms[i], &launch, &theirs);
        expected += sms[i].cc >= 70;
        accepted += theirs.activeBlocksPerMultiprocessor > 0;
        refused += ours.blocks_per_sm == 0 && ours.refusals & 1u << SMC_REFUSAL_REGS_PER_THREAD;
    }
    printf("documented mistake: 256 registers per thread accepted by the header on %zu of %zu "
           "compute capabilities, by the model on %zu\n",
           accepted, count, count - refused);
    return accepted == expected && refused == count;
}

/* Mistake: the header lets a kernel declare more than 48 KB statically; ptxas refuses that. */
static bool shows_static_above_default(const struct smc_sm *sms, size_t count)
{
    size_t accepted = 0, refused = 0, expected = 0;
    for (size_t i = 0; i < count; i++) {
        struct smc_launch launch = SMC_LAUNCH_INIT;
        struct smc_occupancy ours;
        cudaOccResult theirs;
        launch.static_smem_bytes = sms[i].smem_per_block_default_bytes + 4;
        smc_occupancy_compute(&sms[i], &launch, &ours);
        ask_oracle(&sms[i], &launch, &theirs);
        expected += sms[i].smem_per_block_optin_bytes > sms[i].smem_per_block_default_bytes;
        accepted += theirs.activeBlocksPerMultiprocessor > 0;
        refused += ours.blocks_per_sm == 0 && ours.refusals & 1u << SMC_REFUSAL_STATIC_SMEM;
    }
    printf("documented mistake: 4 bytes too many of static shared memory accepted by the header on "
           "%zu of %zu compute capabilities, by the model on %zu\n",
           accepted, count, count - refused);
    return accepted == expected && refused == count;
}

/* Mistake before CUDA 13.5: cudaOccAvailableDynamicSMemPerBlock omits the driver's reserve for two
   or more blocks, so that fewer blocks fit at the size that it returns than were requested. */
static bool shows_available_too_high(const struct smc_sm *sms, size_t count)
{
    size_t wrong = 0, expected = 0;
    for (size_t i = 0; i < count; i++) {
        struct smc_launch launch = SMC_LAUNCH_INIT;
        struct smc_occupancy ours;
        launch.threads_per_block = 128;
        launch.regs_per_thread = 32;
        launch.dynamic_smem_bytes = sms[i].smem_per_block_optin_bytes;
        cudaOccDeviceProp device = oracle_device(&sms[i], launch.smem_mode);
        cudaOccFuncAttributes function = oracle_function(&launch);
        cudaOccDeviceState state = oracle_state(&sms[i], &launch);
        size_t available = 0;
        if (cudaOccAvailableDynamicSMemPerBlock(&available, &device, &function, &state, 4, 128) !=
            CUDA_OCC_SUCCESS)
            continue;
        launch.dynamic_smem_bytes = (uint32_t)available;
        smc_occupancy_compute(&sms[i], &launch, &ours);
        expected += CUDA_VERSION < CORRECTED_IN && sms[i].smem_reserved_per_block_bytes > 0;
        wrong += ours.blocks_per_sm < 4;
    }
    printf("documented mistake before CUDA 13.5: the size for 4 blocks of 128 threads leaves room "
           "for fewer on %zu compute capabilities; expected of this header: %zu\n",
           wrong, expected);
    return wrong == expected;
}

static unsigned passed, failed;

static void verdict(bool good, const char *what)
{
    printf("%s: %s\n", good ? "PASS" : "FAIL", what);
    *(good ? &passed : &failed) += 1;
}

/* Keeps only the compute capabilities that were given. */
static size_t choose(struct smc_sm *sms, size_t count, char **names, int name_count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < name_count; k++)
            if (sms[i].cc == strtoul(names[k], NULL, 10))
                sms[kept++] = sms[i];
    return kept;
}

static bool has_cc(const struct smc_sm *sms, size_t count, uint16_t cc)
{
    for (size_t i = 0; i < count; i++)
        if (sms[i].cc == cc)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    uint64_t launches = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000000;
    random_state = argc > 2 ? strtoull(argv[2], NULL, 10) : 20261120;
    struct smc_sm sms[64];
    struct tally tally = {0};
    size_t expected, count = known_sms(sms, &expected);
    printf("cuda_occupancy.h of CUDA %d.%d knows %zu compute capabilities of the table's %zu\n",
           CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10, count, smc_capability_count());
    verdict(count == expected, "it knows every one that it should");
    if (argc > 3)
        count = choose(sms, count, argv + 3, argc - 3);
    if (count == 0)
        return 1;
    for (uint64_t i = 0; i < launches; i++) {
        const struct smc_sm *sm = &sms[i % count];
        struct smc_launch launch = random_launch(sm);
        compare(sm, &launch, &tally);
    }
    printf("%" PRIu64 " random launches, %" PRIu64 " differences\n", tally.launches,
           tally.differences);
    verdict(tally.differences == 0, "the model equals cuda_occupancy.h");
    printf("documented mistake: stale limiting factors where barriers alone bind, %" PRIu64
           " launches\n",
           tally.stale_limiters);
    printf("documented mistake before CUDA 13.5: twice the barriers on 10.3, %" PRIu64
           " launches\n",
           tally.twice_the_barriers);
    bool mistaken = CUDA_VERSION < CORRECTED_IN && has_cc(sms, count, 103);
    verdict(launches < 100000 || (tally.twice_the_barriers > 0) == mistaken, "barriers of 10.3");
    verdict(shows_256_registers(sms, count), "256 registers per thread");
    verdict(shows_static_above_default(sms, count), "static shared memory above the default");
    verdict(shows_available_too_high(sms, count), "available dynamic shared memory");
    printf("%u passed, %u failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
#endif
