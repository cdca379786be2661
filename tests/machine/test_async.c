/* async: pipelines of asynchronous copies and wgmma. The correct ones have no findings; each fault
   is found at its lines. The kernels are those of tests/data/emulator/async.cu, compiled by nvcc;
   in those of late.cu, what is not waited for is not there; those of practice.cu do what GEMM,
   attention, scans and queues do. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "stored_kernel.h"
#include "unit.h"

enum { WORDS = 1 << 14, MOST_LINE = 256 };

struct trial {
    const char *file;
    bool unchecked, reversed;
    int32_t out[WORDS], in[WORDS];
    struct smc_program *program;
    struct smc_emulation emulation;
};

static struct trial trial = {.file = "async"};

/* Kernels without clusters that have several blocks are launched cooperatively. */
static void run(const char *entry, uint32_t blocks, uint32_t threads)
{
    struct smc_emulated_array arrays[] = {
        {.name = "out", .data = trial.out, .bytes = sizeof trial.out},
        {.name = "in", .data = trial.in, .bytes = sizeof trial.in}};
    const struct stored_kernel kernel = {trial.file,
                                         entry,
                                         {.grid = {blocks, 1, 1},
                                          .block = {threads, 1, 1},
                                          .cooperative = blocks > 1,
                                          .unchecked = trial.unchecked,
                                          .reversed = trial.reversed,
                                          .arrays = arrays,
                                          .array_count = 2}};
    memset(trial.out, 0, sizeof trial.out);
    memset(trial.in, 0, sizeof trial.in);
    for (int i = 0; i < WORDS; i++)
        trial.in[i] = i < 4096 ? i : 0;
    stored_kernel_run(&kernel, &trial.program, &trial.emulation);
}

static void end(void)
{
    stored_kernel_end(trial.program, &trial.emulation);
}

static void print_findings(const char *entry)
{
    for (size_t i = 0; i < trial.emulation.finding_count; i++) {
        char text[512];
        smc_finding_describe(trial.program, &trial.emulation.finding[i], NULL, text, sizeof text);
        printf("%s: %s: %s\n", entry, smc_finding_name(trial.emulation.finding[i].kind), text);
    }
}

/* The line of the source that ends in the mark; 0: none. */
static uint32_t line_of(const char *mark)
{
    char line[MOST_LINE], wanted[MOST_LINE], path[MOST_LINE];
    uint32_t number = 0, found = 0;
    snprintf(path, sizeof path, SMC_SOURCE_DIR "/tests/data/emulator/%s.cu", trial.file);
    FILE *file = fopen(path, "r");
    snprintf(wanted, sizeof wanted, "//: %s\n", mark);
    while (file && fgets(line, sizeof line, file)) {
        const char *at = strstr(line, "//: ");
        number++;
        if (at && strcmp(at, wanted) == 0)
            found = number;
    }
    if (file)
        fclose(file);
    return found;
}

/* --- Correct ones ----------------------------------------------------------------------------- */

static int32_t plus_one(uint32_t i)
{
    return (int32_t)i + 1;
}

static int32_t backwards(uint32_t i)
{
    return 127 - (int32_t)i;
}

static int32_t sum_of_steps(uint32_t i)
{
    return 5 * (int32_t)i + (1 + 2 + 3 + 4) * 128;
}

static int32_t of_other_block(uint32_t i)
{
    return 127 - (int32_t)(i % 128) + (i < 128);
}

static int32_t of_first_block(uint32_t i)
{
    return 127 - (int32_t)(i % 128);
}

static int32_t of_other_part(uint32_t i)
{
    return 256 - (int32_t)i;
}

static int32_t backwards_plus_one(uint32_t i)
{
    return 128 - (int32_t)i;
}

static int32_t twice_backwards_plus_one(uint32_t i)
{
    return 2 * (127 - (int32_t)i) + 1;
}

static int32_t sum_of_rounds(uint32_t i)
{
    return 3000 + 3 * (int32_t)((i + 128) % 512);
}

static int32_t three_times(uint32_t i)
{
    return 3 * (int32_t)i;
}

static int32_t twice_backwards(uint32_t i)
{
    return 2 * (127 - (int32_t)i);
}

static int32_t sum_of_own(uint32_t i)
{
    return 6 * (int32_t)i + (1 + 2 + 3 + 4 + 5) * 128;
}

static int32_t sum_of_copied(uint32_t i)
{
    return 8 * (63 - (int32_t)i) + 28 * 64;
}

static int32_t sum_of_shared(uint32_t i)
{
    return 8 * (127 - (int32_t)(i % 128)) + 28 * 128;
}

struct good {
    const char *entry;
    uint32_t blocks, threads, elements;
    int32_t (*expected)(uint32_t i);
};

static const struct good good[] = {
    {"tile_0", 1, 128, 128, plus_one},
    {"late_fence_0", 1, 128, 128, plus_one},
    {"tiles_0", 1, 128, 640, plus_one},
    {"two_tiles_0", 1, 128, 640, plus_one},
    {"by_warps_0", 1, 128, 640, plus_one},
    {"add_tiles_0", 1, 128, 128, sum_of_steps},
    {"load_over_0", 1, 128, 128, backwards},
    {"through_global_0", 1, 128, 128, plus_one},
    {"ring_2_0", 1, 160, 0, NULL},
    {"ring_3_0", 1, 160, 0, NULL},
    {"ring_5_0", 1, 160, 0, NULL},
    {"product_0", 1, 128, 0, NULL},
    {"products_0", 1, 128, 0, NULL},
    {"gemm_2_0", 1, 160, 0, NULL},
    {"gemm_3_0", 1, 160, 0, NULL},
    {"gemm_4_0", 1, 160, 0, NULL},
    {"gemm_5_0", 1, 160, 0, NULL},
    {"peer_read_0", 2, 128, 256, of_other_block},
    {"peer_write_0", 2, 128, 256, of_other_block},
    {"peer_copy_0", 2, 128, 256, of_other_block},
    {"multicast_0", 2, 128, 256, of_first_block},
    {"peer_arrive_0", 2, 128, 256, of_other_block},
    {"peer_global_0", 2, 128, 256, of_other_part},
    {"handover_0", 2, 128, 128, backwards_plus_one},
    {"refresh_0", 2, 128, 128, twice_backwards_plus_one},
    {"refresh_2", 2, 128, 128, twice_backwards_plus_one},
    {"rounds_0", 4, 128, 512, sum_of_rounds},
    {"many_fences_0", 1, 128, 128, plus_one},
};

static const struct good good_late[] = {
    {"scale_2_0", 1, 128, 1024, three_times},  {"scale_3_0", 1, 128, 1536, three_times},
    {"scale_5_0", 1, 128, 2560, three_times},  {"reread_0", 1, 128, 128, twice_backwards},
    {"own_copies_0", 1, 128, 128, sum_of_own}, {"copied_ring_0", 1, 128, 64, sum_of_copied},
    {"copied_alone_0", 1, 128, 128, plus_one}, {"pipeline_2_0", 1, 160, 0, NULL},
    {"pipeline_3_0", 1, 160, 0, NULL},         {"pipeline_4_0", 1, 160, 0, NULL},
    {"pipeline_5_0", 1, 160, 0, NULL},         {"exchanged_0", 1, 128, 0, NULL},
    {"sent_0", 2, 128, 256, of_other_block},   {"shared_ring_0", 2, 128, 256, sum_of_shared},
};

static const struct good good_practice[] = {
    {"cleared_0", 1, 128, 128, sum_of_own},
    {"cleared_3", 1, 128, 128, sum_of_own},
    {"cleared_4", 1, 128, 128, sum_of_own},
    {"cleared_arrived_0", 1, 128, 128, backwards},
    {"cleared_arrived_2", 1, 128, 128, backwards},
    {"filled_0", 1, 128, 0, NULL},
    {"filled_2", 1, 128, 0, NULL},
    {"corrected_0", 1, 128, 0, NULL},
    {"given_0", 2, 128, 128, backwards},
    {"staged_2_0", 1, 128, 0, NULL},
    {"staged_3_0", 1, 128, 0, NULL},
    {"staged_4_0", 1, 128, 0, NULL},
    {"staged_5_0", 1, 128, 0, NULL},
    {"fed_2_0", 1, 160, 0, NULL},
    {"fed_3_0", 1, 160, 0, NULL},
    {"fed_4_0", 1, 160, 0, NULL},
    {"attend_0", 1, 128, 0, NULL},
    {"turns_0", 1, 256, 768, plus_one},
    {"split_0", 4, 128, 0, NULL},
    {"relax_0", 4, 128, 0, NULL},
    {"channel_0", 2, 128, 0, NULL},
    {"lookback_0", 4, 128, 0, NULL},
    {"taking_0", 4, 128, 1536, plus_one},
    {"append_0", 4, 128, 0, NULL},
    {"bins_0", 2, 128, 0, NULL},
    {"meet_0", 2, 128, 0, NULL},
    {"halves_0", 2, 128, 0, NULL},
    {"fetched_0", 2, 128, 128, backwards_plus_one},
    {"fetched_3", 2, 128, 128, backwards_plus_one},
};

/* Without checks everything happens at once. */
static void run_at_once(const struct good *kernel)
{
    trial.unchecked = true;
    run(kernel->entry, kernel->blocks, kernel->threads);
    trial.unchecked = false;
}

static void run_correct(const struct good *kernel)
{
    static int32_t at_once[WORDS];
    uint32_t wrong = 0;
    run_at_once(kernel);
    memcpy(at_once, trial.out, sizeof at_once);
    end();
    run(kernel->entry, kernel->blocks, kernel->threads);
    for (uint32_t i = 0; i < kernel->elements; i++)
        wrong += trial.out[i] != kernel->expected(i);
    if (wrong)
        printf("%s: %u wrong\n", kernel->entry, wrong);
    print_findings(kernel->entry);
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT_EQUAL(memcmp(at_once, trial.out, sizeof at_once), 0);
    CU_ASSERT(trial.emulation.completed);
    CU_ASSERT_EQUAL(trial.emulation.finding_count, 0);
    end();
}

static void test_correct(void)
{
    for (size_t n = 0; n < sizeof good / sizeof *good; n++)
        run_correct(&good[n]);
    trial.file = "late";
    for (size_t n = 0; n < sizeof good_late / sizeof *good_late; n++)
        run_correct(&good_late[n]);
    trial.file = "practice";
    for (size_t n = 0; n < sizeof good_practice / sizeof *good_practice; n++)
        run_correct(&good_practice[n]);
    trial.file = "async";
}

/* --- Faults ----------------------------------------------------------------------------------- */

struct fault {
    const char *entry;
    enum smc_finding_kind kind;
    const char *at, *other; /* marks; NULL: there is no other access */
};

static bool is_found(const struct fault *fault)
{
    const uint32_t line = line_of(fault->at), other = fault->other ? line_of(fault->other) : 0;
    CU_ASSERT(line > 0);
    for (size_t i = 0; i < trial.emulation.finding_count; i++) {
        const struct smc_finding *finding = &trial.emulation.finding[i];
        const struct smc_instruction *place =
            smc_program_instruction(trial.program, finding->instruction);
        const struct smc_instruction *second =
            smc_program_instruction(trial.program, finding->other_instruction);
        if (finding->kind == fault->kind && place->line == line &&
            finding->has_other == (other > 0) && (!other || second->line == other))
            return true;
    }
    return false;
}

static void run_faults(const struct fault *fault, size_t count, uint32_t blocks, uint32_t threads)
{
    for (size_t i = 0; i < count; i++) {
        run(fault[i].entry, blocks, threads);
        const bool found = is_found(&fault[i]);
        if (!found) {
            printf("%s: not found\n", fault[i].entry);
            print_findings(fault[i].entry);
        }
        CU_ASSERT(found);
        end();
    }
}
#define COUNT_OF(faults) (sizeof(faults) / sizeof *(faults))

static void test_proxies(void)
{
    static const struct fault faults[] = {
        {"tile_1", SMC_FINDING_PROXY_FENCE, "tile stored", "tile written"},
        {"tile_2", SMC_FINDING_PROXY_FENCE, "tile stored", "tile written"},
        {"tile_3", SMC_FINDING_PROXY_FENCE, "tile stored", "tile written"},
        {"tile_4", SMC_FINDING_PROXY_FENCE, "tile stored", "tile written"},
        {"late_fence_1", SMC_FINDING_PROXY_FENCE, "late stored", "late written"},
        {"tiles_5", SMC_FINDING_PROXY_FENCE, "tiles stored", "tiles written"},
        {"two_tiles_3", SMC_FINDING_PROXY_FENCE, "two stored", "two written"},
        {"by_warps_1", SMC_FINDING_PROXY_FENCE, "warps stored", "warps written"},
        {"by_warps_2", SMC_FINDING_PROXY_FENCE, "warps stored", "warps written"},
        {"add_tiles_1", SMC_FINDING_PROXY_FENCE, "add added", "add written"},
        {"load_over_1", SMC_FINDING_PROXY_FENCE, "over loaded", "over written"},
        {"through_global_1", SMC_FINDING_PROXY_FENCE, "global loaded", "global written"},
        {"through_global_2", SMC_FINDING_PROXY_FENCE, "global loaded", "global written"},
        {"product_1", SMC_FINDING_PROXY_FENCE, "product issued", "product written"},
        {"product_2", SMC_FINDING_PROXY_FENCE, "product issued", "product written"},
        {"product_3", SMC_FINDING_PROXY_FENCE, "product issued", "product written"},
        {"products_1", SMC_FINDING_PROXY_FENCE, "products issued", "products written"}};
    static const struct fault of_rings[] = {
        {"gemm_3_6", SMC_FINDING_PROXY_FENCE, "gemm stored", "gemm written"},
        {"gemm_4_6", SMC_FINDING_PROXY_FENCE, "gemm stored", "gemm written"}};
    static const struct fault of_clusters[] = {
        {"peer_copy_1", SMC_FINDING_PROXY_FENCE, "copy begun", "copy written"},
        {"multicast_1", SMC_FINDING_PROXY_FENCE, "cast begun", "cast written"}};
    run_faults(faults, COUNT_OF(faults), 1, 128);
    run_faults(of_rings, COUNT_OF(of_rings), 1, 160);
    run_faults(of_clusters, COUNT_OF(of_clusters), 2, 128);
}

static void test_pending_reads(void)
{
    static const struct fault faults[] = {
        {"tile_5", SMC_FINDING_UNFINISHED_COPY, "tile stored", NULL},
        {"tile_6", SMC_FINDING_UNFINISHED_COPY, "tile stored", NULL},
        {"tiles_1", SMC_FINDING_PENDING_READ, "tiles written", "tiles stored"},
        {"tiles_2", SMC_FINDING_PENDING_READ, "tiles written", "tiles stored"},
        {"tiles_3", SMC_FINDING_PENDING_READ, "tiles written", "tiles stored"},
        {"tiles_4", SMC_FINDING_PENDING_READ, "tiles written", "tiles stored"},
        {"two_tiles_1", SMC_FINDING_PENDING_READ, "two written", "two stored"},
        {"two_tiles_2", SMC_FINDING_PENDING_READ, "two written", "two stored"},
        {"by_warps_3", SMC_FINDING_PENDING_READ, "warps written", "warps stored"},
        {"add_tiles_2", SMC_FINDING_PENDING_READ, "add written", "add added"},
        {"products_2", SMC_FINDING_PENDING_READ, "products written", "products issued"},
        {"products_3", SMC_FINDING_PENDING_READ, "products written", "products issued"}};
    static const struct fault of_rings[] = {
        {"gemm_3_3", SMC_FINDING_PENDING_READ, "gemm loaded", "gemm issued"},
        {"gemm_3_4", SMC_FINDING_PENDING_READ, "gemm loaded", "gemm issued"},
        {"gemm_2_4", SMC_FINDING_PENDING_READ, "gemm loaded", "gemm issued"},
        {"gemm_3_8", SMC_FINDING_UNFINISHED_COPY, "gemm stored", NULL}};
    run_faults(faults, COUNT_OF(faults), 1, 128);
    run_faults(of_rings, COUNT_OF(of_rings), 1, 160);
}

static void test_products(void)
{
    static const struct fault faults[] = {
        {"product_4", SMC_FINDING_PENDING_PRODUCT, "product early", "product issued"},
        {"product_5", SMC_FINDING_PENDING_PRODUCT, "product used", "product issued"},
        {"product_6", SMC_FINDING_PENDING_PRODUCT, "product used", "product issued"}};
    static const struct fault of_rings[] = {
        {"gemm_3_5", SMC_FINDING_PENDING_PRODUCT, "gemm written", "gemm issued"}};
    run_faults(faults, COUNT_OF(faults), 1, 128);
    run_faults(of_rings, COUNT_OF(of_rings), 1, 160);
}

static void test_phases(void)
{
    static const struct fault faults[] = {
        {"load_over_2", SMC_FINDING_PENDING_COPY, "over read", "over loaded"},
        {"load_over_3", SMC_FINDING_DEADLOCK, "over waits", NULL},
        {"load_over_4", SMC_FINDING_DEADLOCK, "over waits", NULL},
        {"load_over_5", SMC_FINDING_DEADLOCK, "over waits", NULL}};
    static const struct fault of_rings[] = {
        {"ring_3_1", SMC_FINDING_EARLY_PHASE, "ring arrives", "ring arrives"},
        {"ring_2_1", SMC_FINDING_EARLY_PHASE, "ring arrives", "ring arrives"},
        {"ring_5_1", SMC_FINDING_EARLY_PHASE, "ring arrives", "ring arrives"},
        {"ring_3_2", SMC_FINDING_DEADLOCK, "ring producer waits", NULL},
        {"ring_3_3", SMC_FINDING_DEADLOCK, "ring consumer waits", NULL},
        {"ring_2_3", SMC_FINDING_DEADLOCK, "ring consumer waits", NULL},
        {"ring_3_4", SMC_FINDING_DEADLOCK, "ring consumer waits", NULL},
        {"ring_5_4", SMC_FINDING_DEADLOCK, "ring consumer waits", NULL},
        {"ring_3_5", SMC_FINDING_RACE_READ_WRITE, "ring loaded", "ring read"},
        {"ring_3_6", SMC_FINDING_RACE_WRITE_READ, "ring read", "ring loaded"},
        {"gemm_3_1", SMC_FINDING_EARLY_PHASE, "gemm arrives", "gemm arrives"},
        {"gemm_5_1", SMC_FINDING_EARLY_PHASE, "gemm arrives", "gemm arrives"},
        {"gemm_3_2", SMC_FINDING_DEADLOCK, "gemm waits", NULL},
        {"gemm_3_7", SMC_FINDING_RACE_WRITE_READ, "gemm stored", "gemm written"}};
    run_faults(faults, COUNT_OF(faults), 1, 128);
    run_faults(of_rings, COUNT_OF(of_rings), 1, 160);
}

static void test_clusters(void)
{
    static const struct fault faults[] = {
        {"peer_read_1", SMC_FINDING_RACE_WRITE_READ, "peer read", "peer written"},
        {"peer_read_2", SMC_FINDING_BLOCK_ENDED, "peer read", NULL},
        {"peer_read_3", SMC_FINDING_RACE_WRITE_READ, "peer read", "peer written"},
        {"peer_write_1", SMC_FINDING_NOT_STARTED, "peer stored", NULL},
        {"peer_write_2", SMC_FINDING_RACE_WRITE_READ, "peer loaded", "peer stored"},
        {"peer_copy_2", SMC_FINDING_NOT_STARTED, "copy begun", NULL},
        {"peer_copy_3", SMC_FINDING_RACE_WRITE_READ, "copy read", "copy begun"},
        {"multicast_2", SMC_FINDING_NOT_STARTED, "cast begun", NULL},
        {"multicast_3", SMC_FINDING_PENDING_COPY, "cast read", "cast begun"},
        {"peer_arrive_1", SMC_FINDING_NOT_STARTED, "arrive stored", NULL},
        {"peer_arrive_2", SMC_FINDING_RACE_WRITE_READ, "arrive arrives", "arrive init"},
        {"peer_arrive_3", SMC_FINDING_RACE_WRITE_READ, "arrive read", "arrive stored"}};
    run_faults(faults, COUNT_OF(faults), 2, 128);
}

static void test_global_memory(void)
{
    static const struct fault faults[] = {
        {"peer_global_1", SMC_FINDING_RACE_WRITE_READ, "peers read", "peers written"},
        {"peer_global_2", SMC_FINDING_RACE_READ_WRITE, "peers cleared", "peers read"},
        {"handover_1", SMC_FINDING_RACE_WRITE_READ, "hand read", "hand written"},
        {"handover_2", SMC_FINDING_RACE_WRITE_READ, "hand read", "hand written"},
        {"handover_4", SMC_FINDING_RACE_WRITE_READ, "hand read", "hand written"},
        {"handover_5", SMC_FINDING_UNACQUIRED, "hand read", "hand written"},
        {"refresh_1", SMC_FINDING_STALE_READ, "fresh read", "fresh written"}};
    static const struct fault of_rounds[] = {
        {"rounds_1", SMC_FINDING_RACE_WRITE_READ, "rounds read", "rounds written"},
        {"rounds_2", SMC_FINDING_RACE_READ_WRITE, "rounds written", "rounds read"}};
    run_faults(faults, COUNT_OF(faults), 2, 128);
    run_faults(of_rounds, COUNT_OF(of_rounds), 4, 128);
}

/* What is read too early is wrong in the results, and so is mostly what is overwritten too early;
   these faults show in the findings alone. */
static bool stays_right(const char *entry)
{
    static const char *const right[] = {"scale_3_4",    "scale_3_7",    "pipeline_3_1",
                                        "pipeline_3_6", "pipeline_3_7", "pipeline_3_10",
                                        "sent_3"};
    for (size_t i = 0; i < COUNT_OF(right); i++)
        if (strcmp(entry, right[i]) == 0)
            return true;
    return false;
}

static void run_late(const struct fault *fault, size_t count, uint32_t blocks, uint32_t threads)
{
    static int32_t right[WORDS];
    trial.file = "late";
    for (size_t i = 0; i < count; i++) {
        const char *entry = fault[i].entry;
        char correct[64];
        snprintf(correct, sizeof correct, "%.*s_0", (int)(strrchr(entry, '_') - entry), entry);
        run(correct, blocks, threads);
        memcpy(right, trial.out, sizeof right);
        end();
        run_faults(&fault[i], 1, blocks, threads);
        const bool is_right = !memcmp(right, trial.out, sizeof right);
        if (is_right != stays_right(entry))
            printf("%s: the results are %s\n", entry, is_right ? "right" : "wrong");
        CU_ASSERT_EQUAL(is_right, stays_right(entry));
    }
    trial.file = "async";
}

static void test_late(void)
{
    static const struct fault faults[] = {
        {"scale_3_1", SMC_FINDING_PENDING_COPY, "scale read", "scale loaded"},
        {"scale_3_2", SMC_FINDING_PENDING_COPY, "scale read", "scale first"},
        {"scale_3_3", SMC_FINDING_PENDING_COPY, "scale read", "scale loaded"},
        {"scale_3_4", SMC_FINDING_PROXY_FENCE, "scale stored", "scale written"},
        {"scale_3_5", SMC_FINDING_PENDING_READ, "scale loaded", "scale stored"},
        {"scale_2_6", SMC_FINDING_PENDING_READ, "scale loaded", "scale stored"},
        {"scale_3_7", SMC_FINDING_PROXY_FENCE, "scale stored", "scale written"},
        {"scale_3_8", SMC_FINDING_DEADLOCK, "scale waits", NULL},
        {"scale_3_9", SMC_FINDING_PENDING_COPY, "scale read", "scale half"},
        {"scale_5_2", SMC_FINDING_PENDING_COPY, "scale read", "scale first"},
        {"reread_1", SMC_FINDING_PENDING_COPY, "reread read", "reread stored"},
        {"reread_2", SMC_FINDING_PENDING_COPY, "reread read", "reread stored"},
        {"own_copies_1", SMC_FINDING_PENDING_COPY, "own read", "own copied"},
        {"copied_ring_1", SMC_FINDING_UNWRITTEN, "copied read", NULL},
        {"copied_ring_2", SMC_FINDING_UNWRITTEN, "copied read", NULL},
        {"copied_ring_3", SMC_FINDING_PENDING_COPY, "copied read", "copied begun"},
        {"copied_alone_1", SMC_FINDING_PENDING_COPY, "alone read", "alone copied"},
        {"exchanged_1", SMC_FINDING_PENDING_PRODUCT, "exchanged used", "exchanged second"}};
    static const struct fault of_pipelines[] = {
        {"pipeline_3_1", SMC_FINDING_PENDING_READ, "pipeline a", "pipeline issued"},
        {"pipeline_3_2", SMC_FINDING_PENDING_PRODUCT, "pipeline written", "pipeline issued"},
        {"pipeline_3_3", SMC_FINDING_PENDING_COPY, "pipeline issued", "pipeline b"},
        {"pipeline_3_4", SMC_FINDING_UNWRITTEN, "pipeline issued", NULL},
        {"pipeline_3_5", SMC_FINDING_RACE_WRITE_READ, "pipeline issued", "pipeline b"},
        {"pipeline_3_6", SMC_FINDING_PROXY_FENCE, "pipeline stored", "pipeline written"},
        {"pipeline_3_7", SMC_FINDING_UNFINISHED_COPY, "pipeline stored", NULL},
        {"pipeline_3_8", SMC_FINDING_PENDING_READ, "pipeline cleared", "pipeline stored"},
        {"pipeline_3_9", SMC_FINDING_EARLY_PHASE, "pipeline expects", "pipeline expects"},
        {"pipeline_3_10", SMC_FINDING_PENDING_READ, "pipeline a", "pipeline issued"},
        {"pipeline_5_4", SMC_FINDING_UNWRITTEN, "pipeline issued", NULL}};
    static const struct fault of_clusters[] = {
        {"sent_1", SMC_FINDING_UNWRITTEN, "sent read", NULL},
        {"sent_2", SMC_FINDING_UNWRITTEN, "sent read", NULL},
        {"sent_3", SMC_FINDING_NOT_STARTED, "sent stored", NULL},
        {"shared_ring_1", SMC_FINDING_DEADLOCK, "shared waits", NULL},
        {"shared_ring_2", SMC_FINDING_PENDING_COPY, "shared read", "shared loaded"},
        {"shared_ring_3", SMC_FINDING_PENDING_COPY, "shared read", "shared loaded"},
        {"shared_ring_4", SMC_FINDING_DEADLOCK, "shared waits", NULL}};
    run_late(faults, COUNT_OF(faults), 1, 128);
    run_late(of_pipelines, COUNT_OF(of_pipelines), 1, 160);
    run_late(of_clusters, COUNT_OF(of_clusters), 2, 128);
}

static void test_practice(void)
{
    static const struct fault faults[] = {
        {"cleared_1", SMC_FINDING_PENDING_READ, "cleared written", "cleared copied"},
        {"cleared_2", SMC_FINDING_PENDING_READ, "cleared written", "cleared copied"},
        {"cleared_arrived_1", SMC_FINDING_PENDING_READ, "arrived written", "arrived copied"},
        {"cleared_arrived_3", SMC_FINDING_PENDING_READ, "arrived written", "arrived loaded"},
        {"filled_1", SMC_FINDING_PENDING_COPY, "filled written", "filled copied"},
        {"filled_3", SMC_FINDING_PENDING_COPY, "filled written", "filled loaded"},
        {"corrected_1", SMC_FINDING_PENDING_COPY, "corrected written", "corrected stored"},
        {"staged_2_1", SMC_FINDING_PENDING_COPY, "gemm read", "gemm copied"},
        {"staged_4_1", SMC_FINDING_PENDING_COPY, "gemm read", "gemm copied"},
        {"staged_2_2", SMC_FINDING_RACE_READ_WRITE, "gemm copied", "gemm read"},
        {"staged_3_2", SMC_FINDING_RACE_READ_WRITE, "gemm copied", "gemm read"},
        {"staged_4_3", SMC_FINDING_PENDING_COPY, "gemm read", "gemm copied"},
        {"attend_1", SMC_FINDING_PENDING_COPY, "attend read", "attend v"},
        {"attend_2", SMC_FINDING_RACE_WRITE_READ, "attend read", "attend p written"},
        {"attend_3", SMC_FINDING_RACE_READ_WRITE, "attend v", "attend read"}};
    static const struct fault of_producers[] = {
        {"fed_3_1", SMC_FINDING_EARLY_PHASE, "fed arrives", "fed arrives"},
        {"fed_3_2", SMC_FINDING_DEADLOCK, "fed waits", NULL},
        {"fed_2_3", SMC_FINDING_RACE_READ_WRITE, "fed loaded", "fed read"},
        {"fed_3_3", SMC_FINDING_RACE_READ_WRITE, "fed loaded", "fed read"},
        {"fed_4_4", SMC_FINDING_RACE_WRITE_READ, "fed read", "fed loaded"}};
    static const struct fault of_turns[] = {
        {"turns_1", SMC_FINDING_RACE_WRITE_WRITE, "turns written", "turns written"},
        {"turns_2", SMC_FINDING_PENDING_READ, "turns written", "turns stored"},
        {"turns_3", SMC_FINDING_PROXY_FENCE, "turns stored", "turns written"}};
    static const struct fault of_pairs[] = {
        {"given_1", SMC_FINDING_RACE_WRITE_READ, "given read", "given stored"},
        {"given_2", SMC_FINDING_RACE_WRITE_READ, "given read", "given stored"},
        {"given_3", SMC_FINDING_RACE_WRITE_READ, "given read", "given stored"},
        {"channel_1", SMC_FINDING_RACE_WRITE_READ, "channel read", "channel written"},
        {"channel_2", SMC_FINDING_RACE_READ_WRITE, "channel written", "channel read"},
        {"channel_3", SMC_FINDING_RACE_READ_WRITE, "channel written", "channel read"},
        {"channel_4", SMC_FINDING_STALE_READ, "channel read", "channel written"},
        {"fetched_1", SMC_FINDING_RACE_WRITE_READ, "fetched loaded", "fetched written"},
        {"fetched_2", SMC_FINDING_PROXY_FENCE, "fetched loaded", "fetched written"},
        {"bins_1", SMC_FINDING_RACE_WRITE_READ, "bins counted", "bins cleared"},
        {"bins_2", SMC_FINDING_RACE_WRITE_WRITE, "bins added", "bins added"},
        {"bins_3", SMC_FINDING_RACE_READ_WRITE, "bins counted", "bins read"},
        {"meet_1", SMC_FINDING_RACE_WRITE_READ, "meet read", "meet sent"},
        {"meet_2", SMC_FINDING_RACE_READ_WRITE, "meet sent", "meet read"},
        {"halves_1", SMC_FINDING_PENDING_COPY, "halves read", "halves loaded"},
        {"halves_3", SMC_FINDING_RACE_READ_WRITE, "halves loaded", "halves read"},
        {"halves_4", SMC_FINDING_BLOCK_ENDED, "halves arrives", NULL}};
    static const struct fault of_grids[] = {
        {"split_1", SMC_FINDING_RACE_WRITE_READ, "split read", "split written"},
        {"split_2", SMC_FINDING_RACE_WRITE_READ, "split read", "split written"},
        {"relax_1", SMC_FINDING_RACE_WRITE_READ, "relax step", "relax step"},
        {"relax_2", SMC_FINDING_RACE_WRITE_READ, "relax step", "relax step"},
        {"relax_3", SMC_FINDING_UNACQUIRED, "relax step", "relax step"},
        {"relax_4", SMC_FINDING_RACE_READ_WRITE, "relax step", "relax step"},
        {"lookback_2", SMC_FINDING_RACE_WRITE_READ, "look read", "look written"},
        {"taking_1", SMC_FINDING_RACE_READ_WRITE, "taking written", "taking read"},
        {"taking_2", SMC_FINDING_RACE_WRITE_READ, "taking written", "taking written"},
        {"append_1", SMC_FINDING_RACE_WRITE_WRITE, "append written", "append written"},
        {"append_2", SMC_FINDING_ABSENT_LANES, "append shuffled", NULL}};
    /* A block sees the sum of another one only if that one still looks back. */
    static const struct fault reversed[] = {
        {"lookback_1", SMC_FINDING_RACE_WRITE_READ, "look seen", "look own"}};
    trial.file = "practice";
    run_faults(faults, COUNT_OF(faults), 1, 128);
    run_faults(of_producers, COUNT_OF(of_producers), 1, 160);
    run_faults(of_turns, COUNT_OF(of_turns), 1, 256);
    run_faults(of_pairs, COUNT_OF(of_pairs), 2, 128);
    run_faults(of_grids, COUNT_OF(of_grids), 4, 128);
    trial.reversed = true;
    run_faults(reversed, COUNT_OF(reversed), 4, 128);
    trial.reversed = false;
    trial.file = "async";
}

CU_TestInfo tests_async[] = {
    {"correct asynchronous pipelines have no findings", test_correct},
    {"a missing fence.proxy.async is found", test_proxies},
    {"shared memory is overwritten that a copy or wgmma may still read", test_pending_reads},
    {"registers of wgmma are used before the wait", test_products},
    {"phases, bytes and parities of mbarrier objects", test_phases},
    {"blocks of a cluster that are not waited for", test_clusters},
    {"blocks that run together hand over in global memory", test_global_memory},
    {"what is not waited for is not there", test_late},
    {"faults in kernels in the manner of real ones", test_practice},
    CU_TEST_INFO_NULL};
