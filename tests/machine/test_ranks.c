/* ranks: instructions whose lanes access the shared memory of different blocks of their cluster.
   The kernels are those of tests/data/emulator/ranks.cu, compiled by nvcc; they run for many fixed
   patterns of ranks, and expected values are computed here in C. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stored_kernel.h"
#include "unit.h"

enum { BLOCKS = 4, LANES = 64, WORDS = 64, THREADS = BLOCKS * LANES, ROUNDS = 12 };

struct trial {
    uint32_t in[THREADS + BLOCKS], out[8192];
    struct smc_program *program;
    struct smc_emulation emulation;
};

/* --- Patterns --------------------------------------------------------------------------------- */

enum pattern {
    BY_LANE,
    ONE_LANE_AWAY,
    ONE_LANE_HERE,
    BY_HALF,
    AT_RANDOM,
    AT_RANDOM_SOME, /* half of the threads take part */
    PATTERNS
};

static uint32_t seed;

static uint32_t draw(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)seed * below >> 32);
}

static uint32_t rank_in(enum pattern pattern, uint32_t block, uint32_t lane, uint32_t shift)
{
    const uint32_t other = (block + 1 + shift % 3) % BLOCKS;
    switch (pattern) {
    case BY_LANE:
        return (lane + shift) % BLOCKS;
    case ONE_LANE_AWAY:
        return lane % 32 == shift % 32 ? other : block;
    case ONE_LANE_HERE:
        return lane % 32 == shift % 32 ? block : other;
    case BY_HALF:
        return lane % 32 < 16 ? block : other;
    default:
        return draw(BLOCKS);
    }
}

static bool takes_part(uint32_t word)
{
    return word >> 31;
}

static uint32_t rank_of(uint32_t word)
{
    return word % BLOCKS;
}

static uint32_t index_of(uint32_t word)
{
    return word / BLOCKS % WORDS;
}

/* `apart`: no two threads have the same rank and index. */
static void make_pattern(enum pattern pattern, uint32_t round, bool apart, struct trial *trial)
{
    bool is_taken[BLOCKS][WORDS] = {{false}};
    seed = round * 977 + pattern;
    memset(trial->in, 0, sizeof trial->in);
    for (uint32_t i = 0; i < THREADS; i++) {
        const uint32_t rank = rank_in(pattern, i / LANES, i % LANES, round);
        uint32_t at = draw(WORDS), tries = 0;
        bool part = pattern != AT_RANDOM_SOME || draw(2);
        for (; apart && is_taken[rank][at] && tries < WORDS; tries++)
            at = (at + 1) % WORDS;
        part = part && !(apart && is_taken[rank][at]);
        is_taken[rank][at] |= part;
        trial->in[i] = (part ? 1u << 31 : 0) | at * BLOCKS | rank;
        trial->in[THREADS + rank] += part;
    }
}

/* --- Runs ------------------------------------------------------------------------------------- */

static void run(const char *entry, struct trial *trial)
{
    struct smc_emulated_array arrays[] = {
        {.name = "out", .data = trial->out, .bytes = sizeof trial->out},
        {.name = "in", .data = trial->in, .bytes = sizeof trial->in}};
    const struct stored_kernel kernel = {
        "ranks",
        entry,
        {.grid = {BLOCKS, 1, 1}, .block = {LANES, 1, 1}, .arrays = arrays, .array_count = 2}};
    memset(trial->out, 0, sizeof trial->out);
    stored_kernel_run(&kernel, &trial->program, &trial->emulation);
    CU_ASSERT(trial->emulation.completed);
    CU_ASSERT_EQUAL(trial->emulation.findings_total, 0);
}

static void end(struct trial *trial)
{
    stored_kernel_end(trial->program, &trial->emulation);
}

/* Runs the kernel for all patterns, and has `check` compare each outcome. */
static void run_all(const char *entry, bool apart, void (*check)(const struct trial *trial))
{
    static struct trial trial;
    for (int pattern = 0; pattern < PATTERNS; pattern++)
        for (uint32_t round = 0; round < ROUNDS; round++) {
            make_pattern((enum pattern)pattern, round, apart, &trial);
            run(entry, &trial);
            check(&trial);
            end(&trial);
        }
}

/* --- What is expected ------------------------------------------------------------------------- */

static uint32_t contents(uint32_t rank, uint32_t i)
{
    return (rank * 1000 + i) * 2654435761u;
}

static void check_loads(const struct trial *trial)
{
    uint32_t expected[THREADS * 16] = {0};
    for (uint32_t i = 0; i < THREADS; i++) {
        const uint32_t word = trial->in[i], rank = rank_of(word), at = index_of(word);
        uint32_t *out = expected + (size_t)i * 16;
        if (!takes_part(word))
            continue;
        out[0] = out[1] = out[2] = contents(rank, at);
        out[3] = out[0] >> 8 & 0xff;
        out[4] = (uint32_t)(int16_t)(out[0] >> 16);
        out[5] = out[7] = contents(rank, at & ~1u);
        out[6] = out[8] = contents(rank, at | 1);
        for (uint32_t k = 0; k < 4; k++)
            out[9 + k] = contents(rank, (at & ~3u) + k);
        out[13] = at % 3 ? out[0] : trial->in[at];
        out[14] = at % 3 == 1 ? word + at % 4 : out[13];
    }
    CU_ASSERT_EQUAL(memcmp(trial->out, expected, sizeof expected), 0);
}

static void check_stores(const struct trial *trial)
{
    uint32_t expected[THREADS * 16] = {0}, global[THREADS] = {0};
    for (uint32_t i = 0; i < THREADS; i++) {
        const uint32_t word = trial->in[i], at = index_of(word);
        uint32_t *out = expected + ((size_t)rank_of(word) * LANES + at) * 16;
        if (!takes_part(word))
            continue;
        const uint32_t held[] = {i + 1, (i + 2) & 0xff, i + 3, 4, i, i, i + 5, i + 6, i + 7};
        memcpy(out, held, sizeof held);
        if (at % 3)
            out[9] = i + 8;
        else
            global[i] = i + 8;
    }
    CU_ASSERT_EQUAL(memcmp(trial->out, expected, sizeof expected), 0);
    CU_ASSERT_EQUAL(memcmp(trial->out + 4096, global, sizeof global), 0);
}

static void check_atomics(const struct trial *trial)
{
    uint32_t expected[THREADS][6] = {{0}}, winners = 0, reached = 0;
    for (uint32_t i = 0; i < THREADS; i++)
        expected[i][3] = i % LANES;
    for (uint32_t i = 0; i < THREADS; i++) {
        const uint32_t word = trial->in[i], at = index_of(word);
        uint32_t *out = expected[rank_of(word) * LANES + at];
        if (!takes_part(word))
            continue;
        out[0] += i + 1;
        out[1] = i > out[1] ? i : out[1];
        out[2] |= 1u << i % 32;
        reached += out[3] != 1000;
        out[3] = 1000;
        out[4] += i;
        out[5] += i;
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        CU_ASSERT_EQUAL(memcmp(trial->out + (size_t)i * 16, expected[i], sizeof expected[i]), 0);
        winners += trial->out[i * 16 + 6];
    }
    CU_ASSERT_EQUAL(winners, reached);
}

static void check_arrivals(const struct trial *trial)
{
    static const uint32_t expected[4] = {1, 1, 0, 0};
    for (uint32_t i = 0; i < THREADS; i++)
        CU_ASSERT_EQUAL(memcmp(trial->out + (size_t)i * 4, expected, sizeof expected), 0);
}

static void check_async_stores(const struct trial *trial)
{
    uint32_t expected[THREADS * 2] = {0};
    for (uint32_t i = 0; i < THREADS; i++) {
        const uint32_t word = trial->in[i];
        uint32_t *out = expected + ((size_t)rank_of(word) * LANES + index_of(word)) * 2;
        if (takes_part(word))
            out[0] = i + 1, out[1] = i + 2;
    }
    CU_ASSERT_EQUAL(memcmp(trial->out, expected, sizeof expected), 0);
}

/* --- Cases ------------------------------------------------------------------------------------ */

static void test_loads(void)
{
    run_all("loads", false, check_loads);
}

static void test_stores(void)
{
    run_all("stores", true, check_stores);
}

static void test_atomics(void)
{
    run_all("atomics", false, check_atomics);
}

static void test_arrivals(void)
{
    run_all("arrivals", false, check_arrivals);
}

static void test_async_stores(void)
{
    run_all("async_stores", true, check_async_stores);
}

CU_TestInfo tests_ranks[] = {
    {"loads whose lanes reach several blocks of a cluster", test_loads},
    {"stores whose lanes reach several blocks of a cluster", test_stores},
    {"atomics whose lanes reach several blocks of a cluster", test_atomics},
    {"arrivals whose lanes reach several blocks' mbarrier objects", test_arrivals},
    {"st.async and red.async whose lanes reach several blocks", test_async_stores},
    CU_TEST_INFO_NULL};
