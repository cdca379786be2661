/* tui/sm_drawing: the drawing of an SM agrees with the model, cell by cell. */
#include <string.h>

#include "share.h"
#include "show/tui/explore.h"
#include "tui_support.h"
#include "unit.h"

/* Any launch on any device of the tables, including refused ones. */
static bool random_answer(struct smc_answer *answer)
{
    struct smc_query query;
    struct smc_text warnings = {0};
    smc_query_init(&query);
    if (random_below(2)) {
        struct smc_capability capability;
        smc_capability_at(random_below((uint32_t)smc_capability_count()), &capability);
        smc_device_of_capability(&capability, &query.device);
    } else {
        smc_device_at(random_below((uint32_t)smc_device_count()), &query.device);
    }
    const struct smc_sm *sm = &query.device.sm;
    query.threads_per_block = 1 + random_below(random_below(2) ? 200 : sm->max_threads_per_block);
    query.regs_per_thread = random_below(random_below(2) ? 40 : sm->max_regs_per_thread + 1);
    query.static_smem_bytes = random_below(4096u << random_below(5));
    if (random_below(2))
        query.dynamic_smem_bytes = random_below(sm->smem_per_block_optin_bytes + 1);
    if (random_below(3) == 0)
        query.settings.carveout_percent = (int32_t)random_below(101);
    query.barriers_per_block = random_below(sm->named_barriers_per_block + 1);
    enum smc_status status = smc_query_evaluate(&query, NULL, answer, &warnings, NULL);
    smc_text_free(&warnings);
    return status == SMC_OK;
}

/* What the SM has and a block uses, directly from the model. */
static void expected_share(const struct smc_answer *answer, enum smc_limit limit, uint64_t *total,
                           uint64_t *allocated)
{
    const struct smc_sm *sm = &answer->query.device.sm;
    const struct smc_occupancy *occupancy = &answer->occupancy;
    switch (limit) {
    case SMC_LIMIT_WARPS:
        *total = sm->max_threads_per_sm;
        *allocated = (uint64_t)occupancy->warps_per_block * sm->warp_size;
        return;
    case SMC_LIMIT_REGISTERS:
        *total = sm->regs_per_sm;
        *allocated = occupancy->regs_allocated_per_block;
        return;
    case SMC_LIMIT_SHARED_MEMORY:
        *total = occupancy->smem_configured_bytes;
        *allocated = occupancy->smem_allocated_per_block_bytes;
        return;
    case SMC_LIMIT_BLOCKS:
        *total = sm->max_blocks_per_sm;
        *allocated = 1;
        return;
    default:
        *total = sm->barriers_per_sm;
        *allocated = answer->launch.barriers_per_block;
    }
}

static uint64_t expected_use(const struct smc_answer *answer, enum smc_limit limit)
{
    const struct smc_launch *launch = &answer->launch;
    switch (limit) {
    case SMC_LIMIT_WARPS:
        return launch->threads_per_block;
    case SMC_LIMIT_REGISTERS:
        return (uint64_t)launch->threads_per_block * launch->regs_per_thread;
    case SMC_LIMIT_SHARED_MEMORY:
        return (uint64_t)launch->static_smem_bytes + launch->dynamic_smem_bytes;
    case SMC_LIMIT_BLOCKS:
        return 1;
    default:
        return launch->barriers_per_block;
    }
}

static size_t faults_of_share(const struct smc_answer *answer, const struct smc_share *share)
{
    uint64_t total, allocated, use = expected_use(answer, share->limit);
    uint32_t limit = answer->occupancy.limit[share->limit];
    uint64_t reserve = share->limit == SMC_LIMIT_SHARED_MEMORY
                           ? answer->query.device.sm.smem_reserved_per_block_bytes
                           : 0;
    size_t faults = 0;
    expected_share(answer, share->limit, &total, &allocated);
    faults += share->total != total || share->blocks != answer->occupancy.blocks_per_sm;
    faults += share->used + share->reserved + share->rounding != share->allocated;
    faults += share->allocated * share->blocks > share->total;
    if (answer->outcome == SMC_LAUNCHES) {
        faults += share->allocated != allocated || share->used != use;
        faults += share->reserved != reserve;
        faults += share->binds != (limit == share->blocks);
        faults += share->binds != (answer->occupancy.limiters >> share->limit & 1);
    }
    return faults;
}

/* Distance of a position from the cell that represents it, in cells. */
static double distance(double place, double cell)
{
    return place > cell ? place - cell : cell - place;
}

/* How many cells of each kind a block has, from `cell` on. */
static uint32_t count_block(const struct smc_share *share, uint32_t cells, uint32_t cell,
                            uint32_t count[SMC_PART_COUNT])
{
    struct smc_part first = smc_sm_part(share, cell, cells), part = first;
    uint32_t length = 0;
    memset(count, 0, SMC_PART_COUNT * sizeof *count);
    while (cell + length < cells && part.block == first.block && part.kind < SMC_PART_FREE) {
        count[part.kind]++;
        part = smc_sm_part(share, cell + ++length, cells);
    }
    return length;
}

/* Blocks wider than a cell: each is within half a cell of its position, with its parts in order and
   to scale. */
static size_t faults_of_blocks(const struct smc_share *share, uint32_t cells)
{
    double width = (double)share->allocated * cells / (double)share->total;
    uint32_t cell = 0, count[SMC_PART_COUNT];
    size_t faults = 0;
    for (uint32_t block = 0; block < share->blocks; block++) {
        struct smc_part first = smc_sm_part(share, cell, cells);
        uint32_t length = count_block(share, cells, cell, count);
        double used = (double)length * (double)share->used / (double)share->allocated;
        double reserved = (double)length * (double)share->reserved / (double)share->allocated;
        faults += first.block != block || length == 0;
        faults += distance(block * width, cell) > 0.5001;
        faults += share->used > 0 && first.kind != SMC_PART_USED;
        faults += distance(used, count[SMC_PART_USED]) > (count[SMC_PART_USED] == 1 ? 1.0 : 0.5001);
        /* The used part has a cell even if it fills less, which then moves the next parts. */
        faults += distance(reserved, count[SMC_PART_RESERVED]) >
                  (count[SMC_PART_USED] == 1 ? 1.5001 : 1.0001);
        for (uint32_t i = 1; i < length; i++)
            faults += smc_sm_part(share, cell + i, cells).kind <
                          smc_sm_part(share, cell + i - 1, cells).kind &&
                      smc_sm_part(share, cell + i, cells).kind == SMC_PART_USED;
        cell += length;
    }
    return faults;
}

static size_t faults_of_cells(const struct smc_share *share, uint32_t cells)
{
    double taken = (double)share->allocated * share->blocks;
    double filled = taken * cells / (double)share->total;
    uint32_t cell = 0, last = 0;
    size_t faults = 0;
    for (; cell < cells && smc_sm_part(share, cell, cells).kind < SMC_PART_FREE; cell++) {
        struct smc_part part = smc_sm_part(share, cell, cells);
        faults += part.block < last || part.block >= share->blocks;
        faults += cell == 0 && part.block != 0;
        last = part.block;
    }
    faults += taken > 0 && filled < 0.5 ? cell != 1 : distance(filled, cell) > 0.5001;
    for (; cell < cells; cell++)
        faults += smc_sm_part(share, cell, cells).kind !=
                  (share->binds ? SMC_PART_UNREACHABLE : SMC_PART_FREE);
    if (share->allocated * cells >= share->total)
        faults += faults_of_blocks(share, cells);
    return faults;
}

/* One cell for each thread, register, byte or slot: nothing is rounded. */
static size_t faults_of_exact(const struct smc_share *share)
{
    size_t faults = 0;
    for (uint64_t unit = 0; unit < share->total; unit++) {
        struct smc_part part = smc_sm_part(share, (uint32_t)unit, (uint32_t)share->total);
        enum smc_part_kind kind = share->binds ? SMC_PART_UNREACHABLE : SMC_PART_FREE;
        if (unit < share->allocated * share->blocks) {
            uint64_t within = unit % share->allocated;
            kind = within < share->used                     ? SMC_PART_USED
                   : within < share->used + share->reserved ? SMC_PART_RESERVED
                                                            : SMC_PART_ROUNDING;
            faults += part.block != unit / share->allocated;
        }
        faults += part.kind != kind;
    }
    return faults;
}

static void test_random_inputs(void)
{
    const size_t wanted = share_of(10000, 5);
    size_t faults = 0, launches = 0, answers = 0, exact = 0;
    random_begin(2025);
    while (answers < wanted) {
        struct smc_answer answer;
        struct smc_share share[SMC_LIMIT_COUNT];
        if (!random_answer(&answer))
            continue;
        answers++;
        launches += answer.outcome == SMC_LAUNCHES;
        size_t count = smc_sm_shares(&answer, share);
        faults += count < 3;
        for (size_t i = 0; i < count; i++) {
            faults += faults_of_share(&answer, &share[i]);
            faults += faults_of_cells(&share[i], 1 + random_below(40));
            faults += faults_of_cells(&share[i], 1 + random_below(900));
            if (share[i].total > 2048 && answers % 200 != 0)
                continue;
            faults += faults_of_exact(&share[i]);
            exact++;
        }
    }
    CU_ASSERT_EQUAL(faults, 0);
    CU_ASSERT(launches > wanted / 2 && launches < wanted);
    CU_ASSERT(exact > 2 * wanted);
}

/* Barriers are drawn only where the model counts them. */
static void test_barriers(void)
{
    for (size_t device = 0; device < TEST_DEVICES; device++) {
        struct smc_query query;
        struct smc_answer answer;
        struct smc_text warnings = {0};
        struct smc_share share[SMC_LIMIT_COUNT];
        test_query(NULL, device, &query);
        query.regs_per_thread = 16;
        CU_ASSERT_EQUAL(smc_query_evaluate(&query, NULL, &answer, &warnings, NULL), SMC_OK);
        size_t count = smc_sm_shares(&answer, share);
        CU_ASSERT_EQUAL(count, query.device.sm.cc >= 90 ? 5 : 4);
        smc_text_free(&warnings);
    }
}

CU_TestInfo tests_tui_sm_drawing[] = {
    {"random launches", test_random_inputs},
    {"barriers", test_barriers},
    CU_TEST_INFO_NULL,
};
