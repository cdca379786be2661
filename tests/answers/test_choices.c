/* model, query: the choice among block sizes, compared with the rules applied to one choice at a
   time. */
#include <stdlib.h>
#include <string.h>

#include "answers/best.h"
#include "rules/allocation.h"
#include "share.h"
#include "show/report/writers.h"
#include "unit.h"

enum { MOST = 12 };

/* Whether `choice` survives the rules before `end`: by their definition, evaluated from the start
   for each choice. */
static bool survives(const struct smc_choice *choices, size_t count, size_t which, int end)
{
    for (int rule = 0; rule < end; rule++) {
        const struct smc_rule_info *info = &smc_rule_info[rule];
        double own = choices[which].value[rule];
        for (size_t i = 0; i < count; i++) {
            double other = choices[i].value[rule];
            double slack = info->percent / 100;
            bool beaten =
                info->higher_is_better ? own < other * (1 - slack) : own > other * (1 + slack);
            if (beaten && survives(choices, count, i, rule))
                return false;
        }
    }
    return true;
}

static void test_against_definition(void)
{
    size_t wrong = 0, kept = 0;
    srand(5);
    for (int round = 0; round < 2000; round++) {
        struct smc_choice choices[MOST];
        size_t count = 1 + (size_t)rand() % MOST;
        for (size_t i = 0; i < count; i++)
            for (int rule = 0; rule < SMC_RULE_COUNT; rule++)
                choices[i].value[rule] = 95 + rand() % 8;
        smc_choices_apply(choices, count);
        size_t proposals = 0;
        for (size_t i = 0; i < count; i++) {
            int dropped = 0;
            while (dropped < SMC_RULE_COUNT && survives(choices, count, i, dropped + 1))
                dropped++;
            bool chosen = choices[i].dropped_by == SMC_RULE_COUNT;
            bool tied = dropped == SMC_RULE_COUNT && choices[i].dropped_by == SMC_RULE_THREADS;
            wrong += (int)choices[i].dropped_by != dropped && !tied;
            wrong += tied && proposals == 0;
            proposals += chosen;
        }
        wrong += proposals != 1;
        kept += proposals;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT_EQUAL(kept, 2000);
}

static void test_nothing_launches(void)
{
    struct smc_choice choices[3] = {0};
    smc_choices_apply(choices, 3);
    for (size_t i = 0; i < 3; i++)
        CU_ASSERT_EQUAL(choices[i].dropped_by, SMC_RULE_LAUNCHES);
}

static struct smc_query own_query(const char *device)
{
    struct smc_query query;
    smc_query_init(&query);
    CU_ASSERT_EQUAL(smc_device_find(device, &query.device, query.device_note, NULL), SMC_OK);
    query.compile.no_nvrtc = true;
    query.compile.no_cache = true;
    return query;
}

/* Compares the proposal with every block size: none uses more than 5 % more thread slots, and of
   those within 5 % and with 128 threads or more, none has more blocks. */
static void test_own_kernels(void)
{
    unsigned wrong = 0, proposals = 0;
    srand(6);
    struct smc_best *best = malloc(sizeof *best);
    CU_ASSERT_PTR_NOT_NULL_FATAL(best);
    for (int round = 0; round < 200; round++) {
        struct smc_device device;
        smc_device_at((size_t)rand() % smc_device_count(), &device);
        const struct smc_sm *sm = &device.sm;
        struct smc_query query = own_query("9.0");
        query.device = device;
        query.regs_per_thread = rand() % (int)sm->max_regs_per_thread;
        query.static_smem_bytes = rand() % 20000;
        query.smem_per_thread_bytes = rand() % 100;
        enum smc_status status = smc_best_find(&query, SMC_NOT_GIVEN, best, NULL, NULL);
        const struct smc_candidate *proposal = smc_best_proposal(best);
        wrong += status != SMC_OK || best->count != sm->max_threads_per_block / sm->warp_size;
        double most = 0;
        for (uint32_t threads = 1; threads <= sm->max_threads_per_block; threads++) {
            struct smc_launch launch = SMC_LAUNCH_INIT;
            struct smc_occupancy occupancy;
            launch.threads_per_block = threads;
            launch.regs_per_thread = (uint32_t)query.regs_per_thread;
            launch.static_smem_bytes = (uint32_t)query.static_smem_bytes;
            launch.dynamic_smem_bytes = threads * (uint32_t)query.smem_per_thread_bytes;
            smc_occupancy_compute(sm, &launch, &occupancy);
            double use = (double)(occupancy.blocks_per_sm * threads) / sm->max_threads_per_sm;
            bool whole_warps = threads % sm->warp_size == 0;
            most = whole_warps && use > most ? use : most;
        }
        wrong += proposal ? proposal->use < 0.95 * most - 1e-12 : most > 0;
        for (size_t i = 0; proposal && i < best->count; i++) {
            const struct smc_candidate *other = &best->candidate[i];
            uint32_t own = proposal->answer.occupancy.blocks_per_sm;
            bool near = other->use >= 0.95 * most;
            bool more = other->answer.occupancy.blocks_per_sm > own && other->size >= 128 &&
                        other->architectures >= proposal->architectures;
            wrong += near && more;
        }
        proposals += proposal != NULL;
    }
    free(best);
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(proposals > 150);
}

static void test_order(void)
{
    unsigned wrong = 0;
    struct smc_query query = own_query("RTX 4090");
    struct smc_best *best = malloc(sizeof *best);
    CU_ASSERT_PTR_NOT_NULL_FATAL(best);
    query.regs_per_thread = 40;
    CU_ASSERT_EQUAL(smc_best_find(&query, 1000000, best, NULL, NULL), SMC_OK);
    bool seen[SMC_MAX_CANDIDATES] = {false};
    for (size_t rank = 0; rank < best->count; rank++) {
        const struct smc_candidate *here = &best->candidate[best->order[rank]];
        wrong += seen[best->order[rank]];
        seen[best->order[rank]] = true;
        if (rank > 0) {
            const struct smc_candidate *before = &best->candidate[best->order[rank - 1]];
            wrong += before->choice.dropped_by < here->choice.dropped_by;
        }
        wrong += here->answer.waves.grid_blocks !=
                 (1000000 + (uint64_t)here->size - 1) / (uint64_t)here->size;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    free(best);
}

/* The problem is the same for every block of a kernel, and each block is tried only once. */
static void test_kernels(void)
{
    static const char *const names[] = {"matmul-tiled", "stencil-dynamic", "reverse-static"};
    unsigned wrong = 0;
    struct smc_best *best = malloc(sizeof *best);
    CU_ASSERT_PTR_NOT_NULL_FATAL(best);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        struct smc_query query = own_query("NVIDIA H200");
        query.kernel = smc_kernel_find(names[k]);
        query.regs_per_thread = 32;
        smc_params_init(query.kernel, &query.params);
        CU_ASSERT_EQUAL(smc_best_find(&query, SMC_NOT_GIVEN, best, NULL, NULL), SMC_OK);
        CU_ASSERT_EQUAL(best->count, 32);
        CU_ASSERT_PTR_NOT_NULL(smc_best_proposal(best));
        for (size_t i = 0; i < best->count; i++) {
            const struct smc_answer *answer = &best->candidate[i].answer;
            wrong += answer->work.minimum_bytes != best->candidate[0].answer.work.minimum_bytes;
            wrong += i > 0 && best->candidate[i].size <= best->candidate[i - 1].size;
        }
        if (k == 0)
            CU_ASSERT_EQUAL(smc_best_proposal(best)->size, 32);
    }
    free(best);
    CU_ASSERT_EQUAL(wrong, 0);
}

static const struct smc_kernel *const *block_kernels(size_t *count)
{
    static const struct smc_kernel *kernels[32];
    *count = 0;
    for (size_t i = 0; i < smc_kernel_count(); i++)
        if (smc_kernel_at(i)->params & (1u << SMC_PARAM_TILE | 1u << SMC_PARAM_BLOCK))
            kernels[(*count)++] = smc_kernel_at(i);
    return kernels;
}

static struct smc_query kernel_query(const struct smc_kernel *kernel,
                                     const struct smc_device *device)
{
    struct smc_query query = own_query("9.0");
    query.device = *device;
    query.kernel = kernel;
    smc_params_init(kernel, &query.params);
    return query;
}

/* Every kernel on a board of each compute capability: whole warps, whole sectors, resident warps
   near the most of all such blocks. A query about any other block proposes the same one. */
static void test_proposals_are_sound(void)
{
    struct smc_best *best = malloc(sizeof *best);
    size_t kernels;
    const struct smc_kernel *const *kernel = block_kernels(&kernels);
    unsigned wrong = 0, advised = 0;
    uint16_t seen = 0;
    CU_ASSERT_PTR_NOT_NULL_FATAL(best);
    for (size_t d = 0; d < smc_device_count(); d++) {
        struct smc_device device;
        smc_device_at(d, &device);
        if (device.sm.cc == seen)
            continue;
        seen = device.sm.cc;
        for (size_t k = d % 3; k < kernels; k += 3) {
            if (!share_has(d + k / 3, 3))
                continue;
            struct smc_query query = kernel_query(kernel[k], &device);
            struct smc_answer answer;
            CU_ASSERT_EQUAL_FATAL(smc_best_find(&query, SMC_NOT_GIVEN, best, NULL, NULL), SMC_OK);
            const struct smc_candidate *proposal = smc_best_proposal(best);
            double most = 0;
            for (size_t i = 0; i < best->count; i++) {
                const struct smc_answer *other = &best->candidate[i].answer;
                wrong += !proposal && other->outcome == SMC_LAUNCHES;
                if (other->launch.threads_per_block % 32 == 0 && other->outcome == SMC_LAUNCHES &&
                    other->occupancy_percent > most)
                    most = other->occupancy_percent;
            }
            if (!proposal)
                continue;
            wrong += proposal->answer.launch.threads_per_block % 32 != 0;
            wrong += smc_best_row_bytes(&proposal->answer) % 32 != 0;
            wrong += proposal->answer.occupancy_percent < 0.95 * most - 1e-9;
            CU_ASSERT_EQUAL(smc_query_answer(&query, &answer, NULL, NULL), SMC_OK);
            if (!answer.better_block.option)
                continue;
            wrong += answer.better_block.size != proposal->size;
            wrong += answer.better_block.percent != proposal->answer.occupancy_percent;
            advised++;
        }
    }
    free(best);
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(advised > 10);
}

static int64_t proposed(const char *kernel, const char *device)
{
    struct smc_query query = own_query(device);
    struct smc_best *best = malloc(sizeof *best);
    CU_ASSERT_PTR_NOT_NULL_FATAL(best);
    query = kernel_query(smc_kernel_find(kernel), &query.device);
    CU_ASSERT_EQUAL(smc_best_find(&query, SMC_NOT_GIVEN, best, NULL, NULL), SMC_OK);
    const struct smc_candidate *proposal = smc_best_proposal(best);
    int64_t size = proposal ? proposal->size : 0;
    free(best);
    return size;
}

/* At full occupancy the next steps show the headroom and propose no other tile. */
static void test_full_occupancy(void)
{
    struct smc_query query = own_query("NVIDIA H200");
    struct smc_answer answer;
    struct smc_text steps = {0};
    query = kernel_query(smc_kernel_find("matmul-tiled"), &query.device);
    query.params.value[SMC_PARAM_TILE] = 32;
    query.regs_per_thread = 32;
    CU_ASSERT_EQUAL(smc_query_answer(&query, &answer, NULL, NULL), SMC_OK);
    smc_text_next_steps(&answer, &steps);
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&steps), "occupancy is at its maximum"));
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&steps), "0\x1fregisters per thread"));
    CU_ASSERT_PTR_NULL(strstr(smc_text_string(&steps), "--tile"));
    smc_text_free(&steps);
    query.regs_per_thread = 40;
    CU_ASSERT_EQUAL(smc_query_answer(&query, &answer, NULL, NULL), SMC_OK);
    smc_text_next_steps(&answer, &steps);
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&steps),
                                  "32 registers per thread or fewer, __launch_bounds__(1024,"));
    smc_text_free(&steps);
}

/* The registers of a kernel that moves them between its warps are not advised to be fewer. */
static void test_set_registers(void)
{
    struct smc_query query = own_query("NVIDIA H200");
    struct smc_file_kernel kernel = {
        .name = "ws",
        .short_name = "ws",
        .file = "x.cu",
        .resources = {.cc = 90, .regs_per_thread = 168, .fewest_set_regs = 40, .barriers = 1}};
    query.threads_per_block = 384;
    query.file_kernel = &kernel;
    for (int sets = 0; sets < 2; sets++) {
        struct smc_answer answer;
        struct smc_text steps = {0};
        kernel.resources.most_set_regs = sets ? 232 : 0;
        CU_ASSERT_EQUAL(smc_query_answer(&query, &answer, NULL, NULL), SMC_OK);
        smc_text_next_steps(&answer, &steps);
        CU_ASSERT_EQUAL(strstr(smc_text_string(&steps), "per thread") == NULL, sets);
        smc_text_free(&steps);
    }
}

static void test_known_proposals(void)
{
    CU_ASSERT_EQUAL(proposed("matmul-tiled", "RTX 4090"), 16);
    CU_ASSERT_EQUAL(proposed("matmul-tiled", "8800 GTX"), 16);
    CU_ASSERT_EQUAL(proposed("matmul-tiled", "NVIDIA H200"), 32);
    CU_ASSERT_EQUAL(proposed("reverse-static", "NVIDIA H200"), 128); /* one block of any size */
}

CU_TestInfo tests_choices[] = {
    {"proposals have whole warps and sectors, and queries agree", test_proposals_are_sound},
    {"nothing lowers a full occupancy", test_full_occupancy},
    {"no fewer registers than setmaxnreg needs", test_set_registers},
    {"no tile of 27 or 17 is proposed", test_known_proposals},
    {"rules drop what the definition drops", test_against_definition},
    {"where nothing launches nothing is proposed", test_nothing_launches},
    {"the proposal against every block size", test_own_kernels},
    {"candidates are in order, each once", test_order},
    {"a kernel's problem stays the same", test_kernels},
    CU_TEST_INFO_NULL,
};
