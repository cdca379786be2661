/* contract: which sums the emulator fuses with a product. The machine code that ptxas made of each
   of these bodies had an FFMA where a fused result is expected, and FMUL and FADD where it is not.
 */
#include <stdio.h>
#include <string.h>

#include "machine/emulator.h"
#include "unit.h"

static const char head[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n"
    ".reg .pred %p<4>;\n.reg .b16 %h<24>;\n.reg .b32 %r<24>;\n.reg .f32 %f<32>;\n"
    ".reg .f64 %d<24>;\n.reg .b64 %rd<8>;\n"
    "ld.param.u64 %rd1, [out];\nld.param.u64 %rd2, [in];\n"
    "ld.global.f32 %f1, [%rd2];\nld.global.f32 %f2, [%rd2+4];\nld.global.f32 %f3, [%rd2+8];\n"
    "ld.global.f32 %f4, [%rd2+12];\nld.global.u32 %r1, [%rd2+16];\n"
    "setp.eq.u32 %p1, %r1, 0;\nmov.f32 %f20, 0f40E00000;\nmov.f32 %f21, 0f40E00000;\n";
static const char tail[] = "st.global.f32 [%rd1], %f20;\nst.global.f32 [%rd1+4], %f21;\nret;\n}\n";

/* x = 1 + 2^-12 is squared: x*x = p + 2^-24, where p = 1 + 2^-11 is its rounded value. */
#define X    (1 + 0x1p-12f)
#define P    (1 + 0x1p-11f)
#define LOST 0x1p-24f
#define NOT  7.0f /* not stored: as initialized */

/* %f1 and %f2 are x, %f3 is -p, %f4 is p, and %p1 holds. */
static bool run(const char *body, float out[2], struct smc_emulation *emulation)
{
    char text[4096];
    float in[5] = {X, X, -P, P, 0};
    struct smc_program *program;
    struct smc_error error = {""};
    struct smc_emulated_array arrays[] = {{.name = "out", .data = out, .bytes = 2 * sizeof *out},
                                          {.name = "in", .data = in, .bytes = sizeof in}};
    struct smc_emulated_argument arguments[] = {{.is_array = true, .array = 0},
                                                {.is_array = true, .array = 1}};
    struct smc_emulation_request request = {.grid = {1, 1, 1},
                                            .block = {1, 1, 1},
                                            .arrays = arrays,
                                            .array_count = 2,
                                            .arguments = arguments,
                                            .argument_count = 2,
                                            .banks = {32, 32, 1, false, true}};
    snprintf(text, sizeof text, "%s%s\n%s", head, body, tail);
    *emulation = (struct smc_emulation){0};
    if (smc_program_read(text, strlen(text), NULL, &program, &error) != SMC_OK)
        return false;
    request.program = program;
    enum smc_status status = smc_emulate(&request, emulation, &error);
    smc_program_free(program);
    return status == SMC_OK && emulation->completed && emulation->findings_total == 0;
}

#define MUL  "mul.f32 %f10, %f1, %f2;\n"
#define BY_X "mul.f32 %f10, %f1, 0f3F800800;\n" /* by the constant x */
#define MUL2 "mul.f32 %f10, %f1, %f2; mul.f32 %f11, %f1, %f2;\n"

static const struct {
    const char *body;
    float first, second; /* %f20, %f21 */
} cases[] = {
    /* one use */
    {MUL "add.f32 %f20, %f10, %f3;", LOST, NOT},
    {MUL "add.f32 %f20, %f3, %f10;", LOST, NOT},
    {MUL "sub.f32 %f20, %f10, %f4;", LOST, NOT},
    {MUL "sub.f32 %f20, %f4, %f10;", -LOST, NOT},
    {MUL "neg.f32 %f11, %f10; add.f32 %f20, %f11, %f4;", -LOST, NOT},
    {MUL "neg.f32 %f11, %f10; sub.f32 %f20, %f11, %f3;", -LOST, NOT},
    {MUL "neg.f32 %f11, %f10; sub.f32 %f20, %f3, %f11;", LOST, NOT},
    {MUL "mov.b32 %r5, %f10; mov.b32 %f11, %r5; add.f32 %f20, %f11, %f3;", LOST, NOT},
    {MUL "add.sat.f32 %f20, %f10, %f3;", LOST, NOT},
    {"mul.ftz.f32 %f10, %f1, %f2; add.ftz.f32 %f20, %f10, %f3;", LOST, NOT},
    {"mul.ftz.f32 %f10, %f1, %f2; neg.f32 %f11, %f10; add.ftz.f32 %f20, %f11, %f4;", -LOST, NOT},
    {MUL "@%p1 add.f32 %f20, %f10, %f3;", LOST, NOT},
    {MUL "@!%p1 add.f32 %f20, %f10, %f3;", NOT, NOT},
    /* the factors are overwritten in between */
    {MUL "mov.f32 %f1, %f4; add.f32 %f20, %f10, %f3;", LOST, NOT},
    {MUL "mov.f32 %f1, %f4; mov.f32 %f2, %f4; add.f32 %f20, %f10, %f3;", LOST, NOT},
    {"mul.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f3; mov.f32 %f20, %f1;", LOST, NOT},
    {MUL "sub.f32 %f1, %f10, %f4; mov.f32 %f20, %f1;", LOST, NOT},
    /* another rounding or type of one of them */
    {"mul.rn.f32 %f10, %f1, %f2; add.f32 %f20, %f10, %f3;", 0, NOT},
    {MUL "add.rn.f32 %f20, %f10, %f3;", 0, NOT},
    {"mul.rz.f32 %f10, %f1, %f2; add.rz.f32 %f20, %f10, %f3;", 0, NOT},
    {"mul.ftz.f32 %f10, %f1, %f2; add.f32 %f20, %f10, %f3;", 0, NOT},
    {MUL "add.ftz.f32 %f20, %f10, %f3;", 0, NOT},
    {"mul.sat.f32 %f10, %f1, %f2; sub.f32 %f20, 0f3F800000, %f10;", 0, NOT},
    {MUL "abs.f32 %f11, %f10; add.f32 %f20, %f11, %f3;", 0, NOT},
    {MUL "selp.f32 %f11, %f10, %f4, %p1; add.f32 %f20, %f11, %f3;", 0, NOT},
    {"mov.f32 %f10, 0f00000000; @%p1 mul.f32 %f10, %f1, %f2; add.f32 %f20, %f10, %f3;", 0, NOT},
    {MUL "@%p1 mov.f32 %f10, %f4; add.f32 %f20, %f10, %f3;", 0, NOT},
    {MUL "sub.f32 %f20, %f10, %f10;", 0, NOT},
    /* several uses */
    {MUL "add.f32 %f20, %f10, %f3; sub.f32 %f21, %f4, %f10;", LOST, -LOST},
    {MUL "neg.f32 %f11, %f10; add.f32 %f20, %f10, %f3; add.f32 %f21, %f11, %f4;", LOST, -LOST},
    {MUL "add.f32 %f20, %f10, %f3; mov.f32 %f21, %f10;", 0, P},
    {MUL "add.f32 %f20, %f10, %f3; add.rn.f32 %f21, %f10, %f3;", 0, 0},
    {MUL "add.f32 %f20, %f10, %f3; sub.f32 %f21, %f10, %f10;", 0, 0},
    {MUL "add.f32 %f20, %f10, %f3; fma.rn.f32 %f21, %f10, 0f3F800000, %f3;", 0, 0},
    /* two products: the first operand, but one that has no other use before one that has */
    {MUL2 "sub.f32 %f20, %f10, %f11;", LOST, NOT},
    {MUL2 "sub.f32 %f20, %f11, %f10;", LOST, NOT},
    {MUL2 "sub.f32 %f20, %f10, %f11; add.f32 %f21, %f11, %f3;", LOST, 0},
    {MUL2 "sub.f32 %f20, %f10, %f11; add.f32 %f21, %f10, %f3;", -LOST, 0},
    {MUL2 "add.f32 %f21, %f11, %f3; sub.f32 %f20, %f10, %f11;", LOST, 0},
    {MUL2 "sub.f32 %f21, %f10, %f11; sub.f32 %f20, %f11, %f10;", -LOST, LOST},
    {MUL2 "add.f32 %f22, %f10, %f3; add.f32 %f21, %f11, %f3; sub.f32 %f20, %f10, %f11;", LOST,
     LOST},
    {MUL2 "sub.f32 %f20, %f10, %f11; mov.f32 %f21, %f10;", -LOST, P},
    /* blocks */
    {MUL "bar.sync 0; add.f32 %f20, %f10, %f3;", LOST, NOT},
    {MUL "A: add.f32 %f20, %f10, %f3;", LOST, NOT},
    {MUL "bra.uni A;\nB: st.global.f32 [%rd1], %f1; ret;\nA: add.f32 %f20, %f10, %f3;", LOST, NOT},
    {MUL "@%p1 bra A; bar.sync 0;\nA: add.f32 %f20, %f10, %f3;", 0, NOT},
    {MUL "@!%p1 bra A; add.f32 %f20, %f10, %f3;\nA:", 0, NOT},
    {BY_X "@%p1 bra A; bar.sync 0;\nA: add.f32 %f20, %f10, %f3;", LOST, NOT},
    {BY_X "@%p1 bra A; bar.sync 0;\nA: neg.f32 %f11, %f10; add.f32 %f20, %f11, %f4;", -LOST, NOT},
    {BY_X "add.f32 %f20, %f10, %f3; @%p1 bra A; bar.sync 0;\nA: sub.f32 %f21, %f4, %f10;", LOST,
     -LOST},
    {BY_X "@%p1 bra A; bar.sync 0;\nA: add.f32 %f20, %f10, %f3; mov.f32 %f21, %f10;", 0, P},
    {"mov.f32 %f12, 0f3F800800; neg.f32 %f13, %f12; mul.f32 %f10, %f1, %f13; @%p1 bra A;"
     "bar.sync 0;\nA: sub.f32 %f20, %f3, %f10;",
     LOST, NOT},
    {"@!%p1 bra A;\n" MUL "add.f32 %f20, %f10, %f3;\nA:", LOST, NOT},
    {MUL "@!%p1 st.global.f32 [%rd1], %f1; add.f32 %f20, %f10, %f3;", 0, NOT},
    {MUL "@%p1 ex2.approx.f32 %f5, %f1; add.f32 %f20, %f10, %f3;", LOST, NOT},
    {MUL "div.rn.f32 %f5, %f4, %f1; add.f32 %f20, %f10, %f3;", 0, NOT},
    {MUL "div.approx.f32 %f5, %f4, %f1; add.f32 %f20, %f10, %f3;", LOST, NOT},
    {MUL "rem.s32 %r5, %r1, 7; add.f32 %f20, %f10, %f3;", 0, NOT},
    {MUL "rem.u32 %r5, %r1, 7; add.f32 %f20, %f10, %f3;", LOST, NOT},
    {MUL "membar.gl; add.f32 %f20, %f10, %f3;", 0, NOT},
    /* in a loop; and a product of its last iteration; the sum follows the loop */
    {"mov.u32 %r5, 0; mov.f32 %f20, %f3;\nA: " MUL
     "add.f32 %f20, %f10, %f20; mov.f32 %f20, %f20; bar.sync 0; add.u32 %r5, %r5, 1; "
     "setp.lt.u32 %p2, %r5, 1; @%p2 bra A;",
     LOST, NOT},
    {"mov.u32 %r5, 0;\nA: " MUL "add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, %r1; @%p2 bra A; "
     "add.f32 %f20, %f10, %f3;",
     0, NOT},
};

static void test_single(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        float out[2] = {-1, -1};
        struct smc_emulation emulation;
        bool ran = run(cases[i].body, out, &emulation);
        bool right = ran && out[0] == cases[i].first && out[1] == cases[i].second;
        if (!right)
            printf("\n%s\n  %a %a, not %a %a", cases[i].body, (double)out[0], (double)out[1],
                   (double)cases[i].first, (double)cases[i].second);
        CU_ASSERT(right);
        smc_emulation_free(&emulation);
    }
}

/* 1 + 2^-k squared, less its rounded value, in double precision, half precision and bfloat16. */
static void test_other_types(void)
{
    static const struct {
        const char *body;
        float first;
    } other[] = {
        {"mov.f64 %d1, 0d3FF0000002000000; mul.f64 %d2, %d1, %d1; sub.f64 %d3, %d2, "
         "0d3FF0000004000000; cvt.rn.f32.f64 %f20, %d3;",
         0x1p-54f},
        {"mov.f64 %d1, 0d3FF0000002000000; mul.f64 %d2, %d1, %d1; neg.f64 %d2, %d2; add.f64 %d3, "
         "%d2, 0d3FF0000004000000; cvt.rn.f32.f64 %f20, %d3;",
         -0x1p-54f},
        {"mov.f64 %d1, 0d3FF0000002000000; mul.rn.f64 %d2, %d1, %d1; sub.f64 %d3, %d2, "
         "0d3FF0000004000000; cvt.rn.f32.f64 %f20, %d3;",
         0},
        {"mov.b16 %h1, 0x3c10; mov.b16 %h2, 0x3c20; mul.f16 %h3, %h1, %h1; sub.f16 %h4, %h3, %h2; "
         "cvt.f32.f16 %f20, %h4;",
         0x1p-12f},
        {"mov.b16 %h1, 0x3c10; mov.b16 %h2, 0x3c20; mul.f16 %h3, %h1, %h1; sub.f16 %h4, %h2, %h3; "
         "cvt.f32.f16 %f20, %h4;",
         -0x1p-12f},
        {"mov.b16 %h1, 0x3c10; mov.b16 %h2, 0xbc20; mul.f16 %h3, %h1, %h1; neg.f16 %h3, %h3; "
         "sub.f16 %h4, %h3, %h2; cvt.f32.f16 %f20, %h4;",
         -0x1p-12f},
        {"mov.b16 %h1, 0x3c10; mov.b16 %h2, 0x3c20; mul.rn.f16 %h3, %h1, %h1; sub.f16 %h4, %h3, "
         "%h2; cvt.f32.f16 %f20, %h4;",
         0},
        {"mov.b16 %h1, 0x3f88; mov.b16 %h2, 0xbf90; mul.bf16 %h3, %h1, %h1; add.bf16 %h4, %h3, "
         "%h2; "
         "cvt.f32.bf16 %f20, %h4;",
         0x1p-8f},
        {"mov.b32 %r2, 0x3c103c10; mov.b32 %r3, 0xbc20bc20; mul.f16x2 %r4, %r2, %r2; add.f16x2 "
         "%r4, %r4, %r3; mov.b32 {%h1, %h2}, %r4; cvt.f32.f16 %f20, %h2;",
         0x1p-12f},
        {"mov.b64 %rd3, {%f1, %f1}; mov.b64 %rd4, {%f3, %f3}; mul.f32x2 %rd5, %rd3, %rd3; "
         "add.f32x2 %rd5, %rd5, %rd4; mov.b64 {%f21, %f20}, %rd5; mov.f32 %f21, 0f40E00000;",
         LOST},
    };
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        float out[2] = {-1, -1};
        struct smc_emulation emulation;
        bool right = run(other[i].body, out, &emulation) && out[0] == other[i].first;
        if (!right)
            printf("\n%s\n  %a, not %a", other[i].body, (double)out[0], (double)other[i].first);
        CU_ASSERT(right);
        smc_emulation_free(&emulation);
    }
}

/* A product that is only fused is not executed, so it is not counted; one that is also stored is.
 */
static void test_counts(void)
{
    struct smc_emulation separate, fused, kept;
    float out[2] = {0, 0};
    CU_ASSERT(run("mul.rn.f32 %f10, %f1, %f2; add.f32 %f20, %f10, %f3;", out, &separate));
    CU_ASSERT(
        run(MUL "neg.f32 %f11, %f10; mov.f32 %f1, %f4; add.f32 %f20, %f11, %f3;", out, &fused));
    CU_ASSERT(run(MUL2 "sub.f32 %f20, %f10, %f11;", out, &kept));
    /* without the mul and the neg; the mov is one more, and the copy of %f1 does not count */
    CU_ASSERT_EQUAL(fused.total.executions, separate.total.executions);
    CU_ASSERT_EQUAL(kept.total.executions, separate.total.executions);
    smc_emulation_free(&separate);
    smc_emulation_free(&fused);
    smc_emulation_free(&kept);
}

CU_TestInfo tests_contract[] = {
    {"single precision", test_single},
    {"other types", test_other_types},
    {"counts", test_counts},
    CU_TEST_INFO_NULL,
};
