/* joins: which loads of shared memory were joined in the machine code is derived from the number of
   loads of each width, or not claimed. Expected wavefronts were counted by hand. */
#include <stdio.h>
#include <string.h>

#include "machine/emulator.h"
#include "unit.h"

/* A kernel of one warp; %r1 is the address of 16 bytes per lane in the array s, %r2 of 4 bytes per
   lane in t. */
static const char head[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n"
    ".reg .pred %p<4>;\n.reg .b32 %r<16>;\n.reg .f32 %f<16>;\n"
    ".shared .align 16 .b8 s[1024];\n.shared .align 16 .b8 t[1024];\n"
    "mov.u32 %r3, %tid.x;\nshl.b32 %r4, %r3, 4;\nshl.b32 %r5, %r3, 2;\n"
    "mov.u32 %r6, s;\nmov.u32 %r7, t;\nadd.s32 %r1, %r6, %r4;\nadd.s32 %r2, %r7, %r5;\n";

struct seen {
    enum smc_following following;
    struct smc_emulated_count total;
};

/* `wanted`: loads of 1, 2, 4, 8 and 16 bytes. */
static struct seen follow(const char *body, const uint64_t wanted[SMC_EMULATOR_WIDTHS])
{
    char text[4096];
    struct seen seen = {0};
    struct smc_program *program;
    struct smc_error error = {""};
    struct smc_emulation emulation = {0};
    snprintf(text, sizeof text, "%s%s\nret;\n}\n", head, body);
    CU_ASSERT_EQUAL_FATAL(smc_program_read(text, strlen(text), NULL, &program, &error), SMC_OK);
    seen.following = smc_program_follow(program, wanted);
    struct smc_emulation_request request = {
        .program = program,
        .grid = {1, 1, 1},
        .block = {32, 1, 1},
        .banks = {32, 32, 1, false, true},
        .unchecked = true, /* nothing was written */
    };
    CU_ASSERT_EQUAL(smc_emulate(&request, &emulation, &error), SMC_OK);
    seen.total = emulation.total;
    smc_emulation_free(&emulation);
    smc_program_free(program);
    return seen;
}

static const char four_in_a_row[] = "ld.shared.f32 %f1, [%r1];\nld.shared.f32 %f2, [%r1+4];\n"
                                    "ld.shared.f32 %f3, [%r1+8];\nld.shared.f32 %f4, [%r1+12];\n";

/* Four loads at a distance of 16 bytes need 4 wavefronts each; one of 16 bytes per lane needs 4. */
static void test_joined(void)
{
    struct seen seen = follow(four_in_a_row, (uint64_t[]){0, 0, 0, 0, 1});
    CU_ASSERT_EQUAL(seen.following, SMC_FOLLOWING_JOINED);
    CU_ASSERT_EQUAL(seen.total.shared_loads, 4);
    CU_ASSERT_EQUAL(seen.total.load_wavefronts, 16);
    CU_ASSERT_EQUAL(seen.total.machine_loads, 1);
    CU_ASSERT_EQUAL(seen.total.machine_load_wavefronts, 4);
    seen = follow(four_in_a_row, (uint64_t[]){0, 0, 0, 2, 0});
    CU_ASSERT_EQUAL(seen.following, SMC_FOLLOWING_JOINED);
    CU_ASSERT_EQUAL(seen.total.machine_loads, 2);
    CU_ASSERT_EQUAL(seen.total.machine_load_wavefronts, 8);
}

static void test_same(void)
{
    struct seen seen = follow(four_in_a_row, (uint64_t[]){0, 0, 4, 0, 0});
    CU_ASSERT_EQUAL(seen.following, SMC_FOLLOWING_SAME);
    CU_ASSERT_EQUAL(seen.total.machine_loads, 4);
    CU_ASSERT_EQUAL(seen.total.machine_load_wavefronts, 16);
}

/* A column beside the row: loads at distances that joining does not explain stay separate. */
static void test_two_registers(void)
{
    char body[512];
    snprintf(body, sizeof body,
             "%sld.shared.f32 %%f5, [%%r2];\nld.shared.f32 %%f6, [%%r2+128];\n"
             "ld.shared.f32 %%f7, [%%r2+256];\n",
             four_in_a_row);
    struct seen seen = follow(body, (uint64_t[]){0, 0, 3, 0, 1});
    CU_ASSERT_EQUAL(seen.following, SMC_FOLLOWING_JOINED);
    CU_ASSERT_EQUAL(seen.total.machine_loads, 4);
    CU_ASSERT_EQUAL(seen.total.machine_load_wavefronts, 4 + 3);
}

static void check_unknown(const char *body, const uint64_t wanted[SMC_EMULATOR_WIDTHS])
{
    struct seen seen = follow(body, wanted);
    CU_ASSERT_EQUAL(seen.following, SMC_FOLLOWING_UNKNOWN);
    CU_ASSERT_EQUAL(seen.total.machine_loads, 0);
    CU_ASSERT_TRUE(seen.total.shared_loads > 0);
}

static void test_not_claimed(void)
{
    /* more loads than in the PTX, fewer than joining makes, wider than neighbouring loads allow */
    check_unknown(four_in_a_row, (uint64_t[]){0, 0, 8, 0, 0});
    check_unknown(four_in_a_row, (uint64_t[]){0, 0, 0, 1, 0});
    check_unknown(four_in_a_row, (uint64_t[]){0, 0, 2, 1, 0});
    /* two base registers, either of which may be the joined one */
    check_unknown("ld.shared.f32 %f1, [%r1];\nld.shared.f32 %f2, [%r1+4];\n"
                  "ld.shared.f32 %f3, [%r2];\nld.shared.f32 %f4, [%r2+4];\n",
                  (uint64_t[]){0, 0, 2, 1, 0});
    /* odd multiples of the width: not aligned */
    check_unknown("ld.shared.f32 %f1, [%r1+4];\nld.shared.f32 %f2, [%r1+8];\n",
                  (uint64_t[]){0, 0, 0, 1, 0});
}

/* Instructions between two loads that prevent joining. */
static void test_kept_apart(void)
{
    static const char *const between[] = {
        "st.shared.f32 [%r2], %f1;\n",
        "bar.sync 0;\n",
        "add.s32 %r1, %r1, 0;\n",
        "setp.eq.s32 %p1, %r3, 0;\n@%p1 bra $L;\nst.shared.f32 [%r2], %f1;\n$L:\n",
        ("setp.eq.s32 %p1, %r3, 0;\n@%p1 bra $L;\n@%p1 bra $M;\nadd.s32 %r8, %r3, 1;\n$M:\n"
         "add.s32 %r9, %r3, 2;\n$L:\n"),
        "setp.eq.s32 %p1, %r3, 32;\n$L:\n@%p1 bra $L;\n",
    };
    for (size_t i = 0; i < sizeof between / sizeof *between; i++) {
        char body[512];
        snprintf(body, sizeof body,
                 "ld.shared.f32 %%f1, [%%r1];\n%sld.shared.f32 %%f2, [%%r1+4];\n", between[i]);
        check_unknown(body, (uint64_t[]){0, 0, 0, 1, 0});
        struct seen seen = follow(body, (uint64_t[]){0, 0, 2, 0, 0});
        CU_ASSERT_EQUAL(seen.following, SMC_FOLLOWING_SAME);
    }
    check_unknown("setp.eq.s32 %p1, %r3, 0;\n@%p1 ld.shared.f32 %f1, [%r1];\n"
                  "ld.shared.f32 %f2, [%r1+4];\n",
                  (uint64_t[]){0, 0, 0, 1, 0});
}

/* ptxas replaces a short branch by guarded instructions, so the loads on both sides are joined. */
static void test_skips(void)
{
    static const char *const between[] = {
        "setp.eq.s32 %p1, %r3, 0;\n@%p1 bra $L;\n$L:\n",
        "setp.eq.s32 %p1, %r3, 0;\n@%p1 bra $L;\nadd.s32 %r8, %r3, 1;\n$L:\n",
    };
    for (size_t i = 0; i < sizeof between / sizeof *between; i++) {
        char body[512];
        snprintf(body, sizeof body,
                 "ld.shared.f32 %%f1, [%%r1];\n%sld.shared.f32 %%f2, [%%r1+4];\n", between[i]);
        struct seen seen = follow(body, (uint64_t[]){0, 0, 0, 1, 0});
        CU_ASSERT_EQUAL(seen.following, SMC_FOLLOWING_JOINED);
        CU_ASSERT_EQUAL(seen.total.machine_loads, 1);
    }
    /* the branch skips one of the loads, so that it is another one if the branch is taken */
    check_unknown("setp.eq.s32 %p1, %r3, 0;\n@%p1 bra $L;\nld.shared.f32 %f1, [%r1];\n$L:\n"
                  "ld.shared.f32 %f2, [%r1+4];\n",
                  (uint64_t[]){0, 0, 0, 1, 0});
}

CU_TestInfo tests_joins[] = {
    {"neighbours become one", test_joined},
    {"each load as it was", test_same},
    {"two registers", test_two_registers},
    {"what joining does not explain is not claimed", test_not_claimed},
    {"what keeps loads apart", test_kept_apart},
    {"short branches forward do not", test_skips},
    CU_TEST_INFO_NULL,
};
