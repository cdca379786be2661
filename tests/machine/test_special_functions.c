/* special_functions: what the special-function unit computes, against hashes of the results of an
   H100. SMEMCALC_EVERY_OPERAND=1 computes all 2^32 operands of every instruction instead of a
   sample of them, which takes several minutes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/emulator/special_functions.h"
#include "unit.h"

enum { PARTS = 64, BLOCKS_OF_A_PART = 64, BLOCK_BITS = 20 };

#define WITHOUT_FTZ(name)                                                                          \
    static uint32_t name##_of(uint32_t x, bool flushes)                                            \
    {                                                                                              \
        (void)flushes;                                                                             \
        return smc_special_##name(x);                                                              \
    }
WITHOUT_FTZ(sin)
WITHOUT_FTZ(cos)
WITHOUT_FTZ(tanh)

static const struct instruction {
    const char *name;
    uint32_t (*function)(uint32_t x, bool flushes);
    bool flushes;
    uint32_t hash[PARTS];
} instructions[] = {
#define BLOCK(name, block, hash)
#define EVERY(name, function, flushes, ...) {name, function, flushes, {__VA_ARGS__}},
#include "special_functions.def"
#undef BLOCK
#undef EVERY
};

static const struct block {
    const char *name;
    uint32_t block, hash;
} blocks[] = {
#define BLOCK(name, block, hash) {name, block, hash},
#define EVERY(name, function, flushes, ...)
#include "special_functions.def"
#undef BLOCK
#undef EVERY
};

/* The sum of hashes of the pairs of operand and result; all NaNs count as one. */
static uint32_t hash_of(const struct instruction *instruction, uint32_t block)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 1u << BLOCK_BITS; i++) {
        uint32_t y = instruction->function(block << BLOCK_BITS | i, instruction->flushes);
        y = (y & 0x7fffffff) > 0x7f800000 ? 0x7fffffff : y;
        y = (y ^ i) * 0x9e3779b1;
        y = (y ^ y >> 15) * 0x85ebca77;
        sum += (y ^ y >> 13) * (2 * i + 1);
    }
    return sum;
}

static const struct instruction *find(const char *name)
{
    for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++)
        if (strcmp(instructions[i].name, name) == 0)
            return &instructions[i];
    return NULL;
}

static void test_blocks(void)
{
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        const struct instruction *instruction = find(blocks[i].name);
        CU_ASSERT_PTR_NOT_NULL_FATAL(instruction);
        uint32_t hash = hash_of(instruction, blocks[i].block);
        CU_ASSERT_EQUAL(hash, blocks[i].hash);
        if (hash != blocks[i].hash)
            printf("  %s, operands from 0x%x00000 on\n", blocks[i].name, blocks[i].block);
    }
}

static void test_every_operand(void)
{
    const char *wanted = getenv("SMEMCALC_EVERY_OPERAND");
    if (!wanted || strcmp(wanted, "1") != 0)
        return;
    for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++) {
        unsigned wrong = 0;
        for (uint32_t part = 0; part < PARTS; part++) {
            uint32_t sum = 0;
            for (uint32_t n = 0; n < BLOCKS_OF_A_PART; n++)
                sum += hash_of(&instructions[i], part * BLOCKS_OF_A_PART + n) * (2 * n + 1);
            wrong += sum != instructions[i].hash[part];
        }
        printf("  %s: %u of %d parts differ\n", instructions[i].name, wrong, PARTS);
        CU_ASSERT_EQUAL(wrong, 0);
    }
}

/* Operands of double precision: the upper word of the result is that of single precision. An H100
   returned the same for 2^19 random operands of each. */
static void test_double(void)
{
    static const struct {
        uint64_t x, reciprocal, root, root_flushed;
    } cases[] = {
        {0x3ff0000000000000, 0x3ff0000000000000, 0x3ff0000000000000, 0x3ff0000000000000},
        {0x4010000000000000, 0x3fd0000000000000, 0x3fe0000000000000, 0x3fe0000000000000},
        {0xc000000000000000, 0xbfe0000000000000, 0x7ff8000000000000, 0x7ff8000000000000},
        {0x3ff0000100000000, 0x3feffffe00000000, 0x3fefffff00000c00, 0x3feffffe00000000},
        {0x8000000000000000, 0xfff0000000000000, 0xfff0000000000000, 0xfff0000000000000},
        {0x7ff0000000000000, 0, 0, 0},
        {0x7fe0000000000000, 0, 0x1ff6a09e667f3bcd, 0x1ff6a09e00000000},
        {0x0010000000000000, 0x7fd0000000000000, 0x5fe0000000000000, 0x5fe0000000000000},
        {0x0008000000000000, 0x7ff0000000000000, 0x5fe6a09e667f3bcd, 0x7ff0000000000000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CU_ASSERT_EQUAL(smc_special_rcp_f64(cases[i].x), cases[i].reciprocal);
        CU_ASSERT_EQUAL(smc_special_rsqrt_f64(cases[i].x, false), cases[i].root);
        CU_ASSERT_EQUAL(smc_special_rsqrt_f64(cases[i].x, true), cases[i].root_flushed);
    }
}

/* Above 2^126 a reciprocal is subnormal: div.approx returns 0 there, div.full does not. */
static void test_quotients(void)
{
    const uint32_t three = 0x40400000, one = 0x3f800000, huge = 0x7f000000, tiny = 0x00000001;
    CU_ASSERT_EQUAL(smc_special_div_approx(three, one, false), three);
    CU_ASSERT_EQUAL(smc_special_div_full(three, one, true), three);
    CU_ASSERT_EQUAL(smc_special_div_approx(huge, huge, false), 0);
    CU_ASSERT_EQUAL(smc_special_div_full(huge, huge, false), one);
    CU_ASSERT_EQUAL(smc_special_div_full(huge, huge, true), one);
    CU_ASSERT_EQUAL(smc_special_div_approx(tiny, tiny, false), one);
    CU_ASSERT_EQUAL(smc_special_div_approx(one, tiny, true), 0x7f800000);
    CU_ASSERT_EQUAL(smc_special_div_approx(tiny, one, true), 0);
    CU_ASSERT_EQUAL(smc_special_div_full(0x7f800000, huge, false), 0x7f800000);
}

/* All operands of half precision and bfloat16 but the NaNs, as an H100 (driver 580.159.04,
   2026-11-23) returns them: FNV-1a over the results, 16 bits at a time. */
static void test_halves(void)
{
    static const struct {
        const struct smc_narrow *format;
        bool tangent, flushes;
        uint32_t hash;
    } functions[] = {{&smc_half, false, false, 0xc6a51c08},
                     {&smc_bfloat, false, true, 0x1adfceac},
                     {&smc_half, true, false, 0x9d274a2f},
                     {&smc_bfloat, true, false, 0xa4266385}};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const struct smc_narrow *format = functions[i].format;
        uint32_t hash = 2166136261;
        for (uint32_t x = 0; x < 0x10000; x++) {
            if ((x & 0x7fff) > format->infinity)
                continue;
            float single = (float)smc_of_narrow(format, x);
            uint32_t bits;
            memcpy(&bits, &single, sizeof bits);
            bits = functions[i].tangent ? smc_special_tanh(bits)
                                        : smc_special_ex2(bits, functions[i].flushes);
            hash = (hash ^ smc_to_narrow(format, smc_special_cut_off(format, bits))) * 16777619;
        }
        CU_ASSERT_EQUAL(hash, functions[i].hash);
    }
}

CU_TestInfo tests_special_functions[] = {
    {"blocks of operands", test_blocks},
    {"every operand", test_every_operand},
    {"double precision", test_double},
    {"quotients", test_quotients},
    {"halves", test_halves},
    CU_TEST_INFO_NULL,
};
