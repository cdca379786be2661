/* emulator: instructions, diverging and reconverging lanes, barriers, and every kind of finding,
   each from a few lines of PTX. Expected values are computed here by other methods. */
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/emulator/emulator_program.h"
#include "unit.h"

enum { THREADS_MOST = 256 };

/* A kernel k(out, in) around `body`: %rd1 and %rd2 are this thread's elements of 8 bytes of out and
   in, %r1 is %tid.x; a shared array s of 2048 bytes. */
static const char head[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n"
    ".reg .pred %p<8>;\n.reg .b16 %h<8>;\n.reg .b32 %r<32>;\n.reg .f32 %f<16>;\n"
    ".reg .f64 %fd<16>;\n.reg .b64 %rd<32>;\n.shared .align 16 .b8 s[2048];\n"
    "ld.param.u64 %rd1, [out];\nld.param.u64 %rd2, [in];\nmov.u32 %r1, %tid.x;\n"
    "mul.wide.u32 %rd3, %r1, 8;\nadd.s64 %rd1, %rd1, %rd3;\nadd.s64 %rd2, %rd2, %rd3;\n";

struct trial {
    uint64_t in[THREADS_MOST], out[THREADS_MOST];
    struct smc_emulation emulation;
    struct smc_fidelity fidelity;
    enum smc_status status;
    struct smc_error error;
};

static unsigned cpu_threads; /* 0: one for each core */

static void run_from(const char *text, uint32_t threads, uint32_t blocks, struct trial *trial)
{
    struct smc_program *program;
    struct smc_emulated_array arrays[] = {
        {.name = "out", .data = trial->out, .bytes = threads * 8u},
        {.name = "in", .data = trial->in, .bytes = threads * 8u}};
    struct smc_emulated_argument arguments[] = {{.is_array = true, .array = 0},
                                                {.is_array = true, .array = 1}};
    struct smc_emulation_request request = {.grid = {blocks, 1, 1},
                                            .block = {threads, 1, 1},
                                            .arrays = arrays,
                                            .array_count = 2,
                                            .arguments = arguments,
                                            .argument_count = 2,
                                            .banks = {32, 32, 1, false, true},
                                            .threads = cpu_threads,
                                            .budget = 100000};
    trial->error.message[0] = '\0';
    trial->emulation = (struct smc_emulation){0};
    trial->status = smc_program_read(text, strlen(text), NULL, &program, &trial->error);
    if (trial->status != SMC_OK)
        return;
    request.program = program;
    trial->status = smc_emulate(&request, &trial->emulation, &trial->error);
    if (trial->status == SMC_OK)
        CU_ASSERT(smc_emulation_find_fidelity(program, &trial->emulation, &trial->fidelity));
    smc_program_free(program);
}

static void run(const char *body, uint32_t threads, struct trial *trial)
{
    char text[16384];
    snprintf(text, sizeof text, "%s%s\nret;\n}\n", head, body);
    memset(trial->out, 0xee, sizeof trial->out);
    run_from(text, threads, 1, trial);
    if (trial->status != SMC_OK)
        printf("%s\n", trial->error.message);
}

static void end(struct trial *trial)
{
    smc_emulation_free(&trial->emulation);
}

static void fill(struct trial *trial)
{
    uint64_t x = 88172645463325252u;
    static const uint64_t corners[] = {
        0,          1,           UINT64_MAX, 0x80000000, 0x7fffffff, UINT64_C(1) << 63, 31, 32, 33,
        0xffffffff, 0x100000000, 63,         64,         65};
    for (size_t i = 0; i < THREADS_MOST; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        trial->in[i] = i < 14 ? corners[i] : i % 3 ? x : x >> 32 & 0xff;
    }
}

/* --- Arithmetic: out = f(low word of in, high word of in) of each of 64 threads --------------- */

typedef uint64_t expected_t(uint32_t x, uint32_t y);

#define EXPECT(name, expression)                                                                   \
    static uint64_t name(uint32_t x, uint32_t y)                                                   \
    {                                                                                              \
        (void)y;                                                                                   \
        return (uint64_t)(expression);                                                             \
    }

static uint32_t bits_of(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return isnan(f) ? 0x7fffffff : bits;
}

static float float_of(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static uint32_t reversed(uint32_t x)
{
    uint32_t out = 0;
    for (int i = 0; i < 32; i++)
        out |= (x >> i & 1) << (31 - i);
    return out;
}

/* Bit by bit, from PTX's definition. */
static uint32_t field(uint32_t x, uint32_t place, uint32_t length, bool is_signed)
{
    uint32_t out = 0, top = place + length - 1 < 31 ? place + length - 1 : 31;
    bool sign = is_signed && length > 0 && (x >> top & 1);
    for (uint32_t i = 0; i < 32; i++)
        out |= (i < length && place + i < 32 ? x >> (place + i) & 1 : (uint32_t)sign) << i;
    return out;
}

static uint32_t rounded_sum(uint32_t x, uint32_t y, int mode)
{
    volatile float a = float_of(x), b = float_of(y), sum;
    fesetround(mode);
    sum = a + b;
    fesetround(FE_TONEAREST);
    return bits_of(sum);
}

static uint32_t saturated(float f)
{
    return bits_of(f > 0 ? (f > 1 ? 1.0f : f) : 0.0f);
}

static uint32_t to_int(float f)
{
    return isnan(f)             ? 0
           : f >= 2147483648.0f ? 0x7fffffff
           : f < -2147483648.0f ? 0x80000000
                                : (uint32_t)(int32_t)f;
}

EXPECT(e_add, x + y)
EXPECT(e_sub, x - y)
EXPECT(e_mul, x *y)
EXPECT(e_mul_hi_u, (uint64_t)x *y >> 32)
EXPECT(e_mul_hi_s, (uint32_t)((int64_t)(int32_t)x *(int32_t)y >> 32))
EXPECT(e_mul_wide_s, (int64_t)(int32_t)x *(int32_t)y)
EXPECT(e_mad, x *y + 7)
EXPECT(e_div_u, y ? x / y : UINT32_MAX)
EXPECT(e_rem_s, y == 0 ? UINT32_MAX : y == UINT32_MAX ? 0 : (uint32_t)((int32_t)x % (int32_t)y))
EXPECT(e_min_s, (int32_t)x < (int32_t)y ? x : y)
EXPECT(e_max_u, x > y ? x : y)
EXPECT(e_abs, (int32_t)x < 0 ? 0u - x : x)
EXPECT(e_shl, y > 31 ? 0 : x << y)
EXPECT(e_shr_s, (uint32_t)((int32_t)x >> (y > 31 ? 31 : y)))
EXPECT(e_lop3, (uint32_t)((x & y) ^ 0x0f0f0f0f))
EXPECT(e_prmt, (x >> 24) | (y & 0xff) << 8 | (x & 0xff) << 16 | (y >> 24) << 24)
EXPECT(e_bfe_s, field(x, y & 255, 9, true))
EXPECT(e_bfe_u, field(x, 5, y & 255, false))
EXPECT(e_bfind, x ? 31 - (uint32_t)__builtin_clz(x) : UINT32_MAX)
EXPECT(e_brev, reversed(x))
EXPECT(e_clz, x ? (uint32_t)__builtin_clz(x) : 32)
EXPECT(e_popc, (uint32_t)__builtin_popcountll((uint64_t)x << 32 | y))
EXPECT(e_shf, (uint32_t)(((uint64_t)y << 32 | x) >> (y & 31)))
EXPECT(e_dp4a,
       (uint32_t)((int8_t)x *(int8_t)y + (int8_t)(x >> 8) * (int8_t)(y >> 8) +
                  (int8_t)(x >> 16) * (int8_t)(y >> 16) + (int8_t)(x >> 24) * (int8_t)(y >> 24)))
EXPECT(e_carry, ((uint64_t)x << 32 | y) + ((uint64_t)y << 32 | x))
EXPECT(e_select, (int32_t)x < (int32_t)y || x == 31 ? x : y)
EXPECT(e_fadd, bits_of(float_of(x) + float_of(y)))
EXPECT(e_fadd_up, rounded_sum(x, y, FE_UPWARD))
EXPECT(e_fadd_zero, rounded_sum(x, y, FE_TOWARDZERO))
EXPECT(e_fma, bits_of(fmaf(float_of(x), float_of(y), float_of(x))))
EXPECT(e_fmul_sat, saturated(float_of(x) * float_of(y)))
EXPECT(e_setp_float, float_of(x) < float_of(y) ? 1 : 0)
EXPECT(e_setp_unordered, !(float_of(x) >= float_of(y)) ? 1 : 0)
EXPECT(e_cvt_int, to_int(float_of(x)))
EXPECT(e_cvt_float, bits_of((float)(int32_t)x))
EXPECT(e_cvt_narrow, (uint32_t)(int32_t)(int8_t)x)
EXPECT(e_cvt_sat, x > 255 ? 255 : x)

static const struct {
    const char *ptx; /* of %r2 and %r3 (%f2, %f3) into %r4, or %rd4 */
    bool wide;
    expected_t *expected;
} operations[] = {
    {"add.u32 %r4, %r2, %r3;", false, e_add},
    {"sub.s32 %r4, %r2, %r3;", false, e_sub},
    {"mul.lo.s32 %r4, %r2, %r3;", false, e_mul},
    {"mul.hi.u32 %r4, %r2, %r3;", false, e_mul_hi_u},
    {"mul.hi.s32 %r4, %r2, %r3;", false, e_mul_hi_s},
    {"mul.wide.s32 %rd4, %r2, %r3;", true, e_mul_wide_s},
    {"mad.lo.s32 %r4, %r2, %r3, 7;", false, e_mad},
    {"div.u32 %r4, %r2, %r3;", false, e_div_u},
    {"rem.s32 %r4, %r2, %r3;", false, e_rem_s},
    {"min.s32 %r4, %r2, %r3;", false, e_min_s},
    {"max.u32 %r4, %r2, %r3;", false, e_max_u},
    {"abs.s32 %r4, %r2;", false, e_abs},
    {"shl.b32 %r4, %r2, %r3;", false, e_shl},
    {"shr.s32 %r4, %r2, %r3;", false, e_shr_s},
    {"mov.u32 %r5, 0x0f0f0f0f;\nlop3.b32 %r4, %r2, %r3, %r5, 0x6a;", false, e_lop3},
    {"prmt.b32 %r4, %r2, %r3, 0x7043;", false, e_prmt},
    {"bfe.s32 %r4, %r2, %r3, 9;", false, e_bfe_s},
    {"bfe.u32 %r4, %r2, 5, %r3;", false, e_bfe_u},
    {"bfind.u32 %r4, %r2;", false, e_bfind},
    {"brev.b32 %r4, %r2;", false, e_brev},
    {"clz.b32 %r4, %r2;", false, e_clz},
    {"mov.b64 %rd5, {%r3, %r2};\npopc.b64 %r4, %rd5;", false, e_popc},
    {"shf.r.wrap.b32 %r4, %r2, %r3, %r3;", false, e_shf},
    {"dp4a.s32.s32 %r4, %r2, %r3, 0;", false, e_dp4a},
    {"add.cc.u32 %r5, %r3, %r2;\naddc.u32 %r6, %r2, %r3;\nmov.b64 %rd4, {%r5, %r6};", true,
     e_carry},
    {"setp.eq.u32 %p2, %r2, 31;\nsetp.lt.or.s32 %p1, %r2, %r3, %p2;\nselp.b32 %r4, %r2, %r3, %p1;",
     false, e_select},
    {"add.f32 %f4, %f2, %f3;\nmov.b32 %r4, %f4;", false, e_fadd},
    {"add.rp.f32 %f4, %f2, %f3;\nmov.b32 %r4, %f4;", false, e_fadd_up},
    {"add.rz.f32 %f4, %f2, %f3;\nmov.b32 %r4, %f4;", false, e_fadd_zero},
    {"fma.rn.f32 %f4, %f2, %f3, %f2;\nmov.b32 %r4, %f4;", false, e_fma},
    {"mul.sat.f32 %f4, %f2, %f3;\nmov.b32 %r4, %f4;", false, e_fmul_sat},
    {"setp.lt.f32 %p1, %f2, %f3;\nselp.b32 %r4, 1, 0, %p1;", false, e_setp_float},
    {"setp.ltu.f32 %p1, %f2, %f3;\nselp.b32 %r4, 1, 0, %p1;", false, e_setp_unordered},
    {"cvt.rzi.s32.f32 %r4, %f2;", false, e_cvt_int},
    {"cvt.rn.f32.s32 %f4, %r2;\nmov.b32 %r4, %f4;", false, e_cvt_float},
    {"cvt.s32.s8 %r4, %r2;", false, e_cvt_narrow},
    {"cvt.sat.u8.u32 %r4, %r2;", false, e_cvt_sat},
};

static void test_arithmetic(void)
{
    struct trial trial = {0};
    fill(&trial);
    for (size_t n = 0; n < sizeof operations / sizeof *operations; n++) {
        char body[1024];
        unsigned wrong = 0;
        snprintf(body, sizeof body,
                 "ld.global.v2.u32 {%%r2, %%r3}, [%%rd2];\nmov.b32 %%f2, %%r2;\n"
                 "mov.b32 %%f3, %%r3;\n%s\n%s\nst.global.u64 [%%rd1], %%rd4;",
                 operations[n].ptx, operations[n].wide ? "" : "cvt.u64.u32 %rd4, %r4;");
        run(body, THREADS_MOST, &trial);
        for (size_t i = 0; i < THREADS_MOST; i++) {
            uint32_t x = (uint32_t)trial.in[i], y = (uint32_t)(trial.in[i] >> 32);
            wrong += trial.out[i] != operations[n].expected(x, y);
        }
        if (wrong)
            printf("%s: %u of %d wrong\n", operations[n].ptx, wrong, THREADS_MOST);
        CU_ASSERT_EQUAL(wrong, 0);
        CU_ASSERT(trial.emulation.completed);
        end(&trial);
    }
}

static uint64_t double_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* The results of 64-bit, half-precision and special functions, by known values. */
static void test_known_values(void)
{
    static const struct {
        const char *ptx; /* into %rd4 */
        uint64_t expected;
    } values[] = {
        {"mov.u32 %r2, 0x3c00;\ncvt.u16.u32 %h1, %r2;\ncvt.f32.f16 %f1, %h1;\nmov.b32 %r3, %f1;\n"
         "cvt.u64.u32 %rd4, %r3;",
         0x3f800000},
        {"mov.f32 %f1, 0f477FEFFF;\ncvt.rn.f16.f32 %h1, %f1;\ncvt.u64.u16 %rd4, %h1;", 0x7bff},
        {"mov.f32 %f1, 0f477FF000;\ncvt.rn.f16.f32 %h1, %f1;\ncvt.u64.u16 %rd4, %h1;", 0x7c00},
        {"mov.f32 %f1, 0f477FF000;\ncvt.rz.f16.f32 %h1, %f1;\ncvt.u64.u16 %rd4, %h1;", 0x7bff},
        {"mov.f32 %f1, 0f33800000;\ncvt.rn.f16.f32 %h1, %f1;\ncvt.u64.u16 %rd4, %h1;", 1},
        {"mov.u64 %rd5, -7;\nmov.u64 %rd6, 2;\ndiv.s64 %rd4, %rd5, %rd6;", (uint64_t)-3},
        {"mov.u64 %rd5, 0x8000000000000001;\nmul.hi.u64 %rd4, %rd5, 6;", 3},
        {"mov.f32 %f1, 0f40000000;\nex2.approx.f32 %f2, %f1;\nmov.b32 %r2, %f2;\n"
         "cvt.u64.u32 %rd4, %r2;",
         0x40800000},
        {"mov.f32 %f1, 0f00000001;\nadd.ftz.f32 %f2, %f1, 0f3F800000;\nmov.b32 %r2, %f2;\n"
         "cvt.u64.u32 %rd4, %r2;",
         0x3f800000},
        {"mov.f32 %f1, 0f80000001;\nmul.ftz.f32 %f2, %f1, 0f3F800000;\nmov.b32 %r2, %f2;\n"
         "cvt.u64.u32 %rd4, %r2;",
         0x80000000},
        {"mov.u32 %r2, 0x12345678;\nmov.u32 %r3, 0xabcd;\nbfi.b32 %r4, %r3, %r2, 8, 12;\n"
         "cvt.u64.u32 %rd4, %r4;",
         0x123bcd78},
        {"mov.u32 %r2, 5;\nsetp.gt.u32 %p1|%p2, %r2, 4;\nselp.u64 %rd4, 10, 20, %p1;\n"
         "@%p2 mov.u64 %rd4, 99;",
         10},
        {"mov.f64 %fd1, 0d3FF8000000000000;\ncvt.rni.f64.f64 %fd2, %fd1;\nmov.b64 %rd4, %fd2;",
         UINT64_C(0x4000000000000000)},
        {"mov.f64 %fd1, 0d7FF8000000000000;\ncvt.rzi.s64.f64 %rd4, %fd1;", UINT64_C(1) << 63},
    };
    struct trial trial = {0};
    for (size_t n = 0; n < sizeof values / sizeof *values; n++) {
        char body[1024];
        snprintf(body, sizeof body, "%s\nst.global.u64 [%%rd1], %%rd4;", values[n].ptx);
        run(body, 1, &trial);
        if (trial.out[0] != values[n].expected)
            printf("%s: 0x%llx\n", values[n].ptx, (unsigned long long)trial.out[0]);
        CU_ASSERT_EQUAL(trial.out[0], values[n].expected);
        end(&trial);
    }
    run("mov.f64 %fd1, 0d3FF0000000000000;\nmov.f64 %fd2, 0d4008000000000000;\n"
        "div.rn.f64 %fd3, %fd1, %fd2;\nst.global.f64 [%rd1], %fd3;",
        1, &trial);
    CU_ASSERT_EQUAL(trial.out[0], double_bits(1.0 / 3.0));
    end(&trial);
}

/* --- Memory ----------------------------------------------------------------------------------- */

static void test_memory(void)
{
    struct trial trial = {0};
    fill(&trial);
    /* Through shared memory, generic addresses and vectors; the output has the neighbour's bytes.
     */
    run("mov.u32 %r2, s;\nshl.b32 %r3, %r1, 3;\nadd.u32 %r2, %r2, %r3;\n"
        "ld.global.v2.u32 {%r4, %r5}, [%rd2];\nst.shared.v2.u32 [%r2], {%r5, %r4};\nbar.sync 0;\n"
        "xor.b32 %r6, %r3, 8;\nmov.u64 %rd5, s;\ncvta.shared.u64 %rd5, %rd5;\n"
        "cvt.u64.u32 %rd6, %r6;\nadd.s64 %rd5, %rd5, %rd6;\nld.u64 %rd7, [%rd5];\n"
        "st.global.u64 [%rd1], %rd7;",
        64, &trial);
    for (uint32_t i = 0; i < 64; i++)
        CU_ASSERT_EQUAL(trial.out[i], trial.in[i ^ 1] << 32 | trial.in[i ^ 1] >> 32);
    CU_ASSERT_EQUAL(trial.emulation.findings_total, 0);
    CU_ASSERT_EQUAL(trial.emulation.total.shared_loads, 2);
    CU_ASSERT_EQUAL(trial.emulation.total.load_wavefronts, 4); /* 8 bytes: each half warp */
    CU_ASSERT_EQUAL(trial.emulation.total.store_wavefronts, 4);
    CU_ASSERT_EQUAL(trial.emulation.array[1].kind[SMC_EMULATED_LOAD].sectors, 16);
    CU_ASSERT_EQUAL(trial.emulation.array[0].kind[SMC_EMULATED_STORE].bytes, 512);
    end(&trial);
    /* One bank, 32 rows: 31 conflicts. Bytes keep their sign. */
    run("shl.b32 %r2, %r1, 6;\nmov.u32 %r3, s;\nadd.u32 %r2, %r2, %r3;\nst.shared.u32 [%r2], -5;\n"
        "ld.shared.s8 %r4, [%r2];\ncvt.s64.s32 %rd4, %r4;\nst.global.u64 [%rd1], %rd4;",
        32, &trial);
    CU_ASSERT_EQUAL(trial.out[31], (uint64_t)-5);
    CU_ASSERT_EQUAL(trial.emulation.total.store_wavefronts, 16);
    CU_ASSERT_EQUAL(trial.emulation.total.least_wavefronts, 2);
    end(&trial);
    /* Atomics give each thread a number of its own. */
    run("mov.u32 %r2, s;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 st.shared.u32 [%r2], 0;\nbar.sync 0;\n"
        "atom.shared.add.u32 %r3, [%r2], 1;\ncvt.u64.u32 %rd4, %r3;\nst.global.u64 [%rd1], %rd4;",
        96, &trial);
    uint64_t seen = 0, sum = 0;
    for (uint32_t i = 0; i < 96; i++) {
        sum += trial.out[i];
        seen += trial.out[i] < 96;
    }
    CU_ASSERT_EQUAL(seen, 96);
    CU_ASSERT_EQUAL(sum, 95 * 96 / 2);
    CU_ASSERT_EQUAL(trial.emulation.findings_total, 0);
    end(&trial);
}

/* What is copied asynchronously is there after the wait, not before; bytes that were not requested
   are 0. */
static void test_asynchronous_copies(void)
{
    static const char copy[] =
        "mov.u32 %%r2, s;\nshl.b32 %%r3, %%r1, 3;\nadd.u32 %%r2, %%r2, %%r3;\n"
        "st.shared.u64 [%%r2], 5;\ncp.async.ca.shared.global [%%r2], [%%rd2], 8%s;\n"
        "cp.async.commit_group;\n%s\nld.shared.u64 %%rd4, [%%r2];\n"
        "st.global.u64 [%%rd1], %%rd4;";
    char body[1024];
    struct trial trial = {0};
    fill(&trial);
    snprintf(body, sizeof body, copy, "", "cp.async.wait_group 0;");
    run(body, 32, &trial);
    CU_ASSERT_EQUAL(memcmp(trial.out, trial.in, 32 * 8), 0);
    CU_ASSERT_EQUAL(trial.emulation.findings_total, 0);
    CU_ASSERT_EQUAL(trial.emulation.array[1].kind[SMC_EMULATED_LOAD].sectors, 8);
    end(&trial);
    snprintf(body, sizeof body, copy, "", "cp.async.wait_group 1;");
    run(body, 32, &trial);
    CU_ASSERT_EQUAL(trial.out[31], 5);
    end(&trial);
    snprintf(body, sizeof body, copy, ", 4", "cp.async.wait_all;");
    run(body, 32, &trial);
    CU_ASSERT_EQUAL(trial.out[30], trial.in[30] & UINT32_MAX);
    end(&trial);
}

/* A cache policy changes no result, and is not mistaken for the number of bytes. */
/* c is 2^-15, the first product half of its last place; the second is 2^-40 or 2^-39. An H200
   aligns a subnormal c as if it were 2^-14, so that 25 bits keep only the greater one. */
static void test_subnormal_addend(void)
{
    static const char multiply[] =
        "and.b32 %%r2, %%r1, 3;\nsetp.eq.u32 %%p1, %%r2, 0;\nmov.b32 %%r3, 0;\n"
        "selp.b32 %%r4, 0x%04x0c00, 0, %%p1;\nselp.b32 %%r5, 0x00100800, 0, %%p1;\n"
        "mov.b32 %%r6, 0x02000200;\n"
        "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%%r7, %%r8}, {%%r4, %%r4, %%r3, %%r3}, "
        "{%%r5, %%r3}, {%%r6, %%r6};\ncvt.u64.u32 %%rd4, %%r7;\nst.global.u64 [%%rd1], %%rd4;";
    static const struct {
        unsigned a;
        uint64_t sums;
    } cases[] = {{0x10, 0x02000200}, {0x20, 0x02010201}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char body[1024];
        struct trial trial = {0};
        snprintf(body, sizeof body, multiply, cases[i].a);
        run(body, 32, &trial);
        CU_ASSERT_EQUAL(trial.out[0], cases[i].sums);
        CU_ASSERT_EQUAL(trial.out[31], cases[i].sums);
        end(&trial);
    }
}

static void test_cache_policies(void)
{
    static const char copy[] =
        "createpolicy.fractional.L2::evict_last.b64 %%rd7, 1.0;\nmov.u32 %%r2, s;\n"
        "shl.b32 %%r3, %%r1, 3;\nadd.u32 %%r2, %%r2, %%r3;\n"
        "cp.async.ca.shared.global.L2::cache_hint [%%r2], [%%rd2], 8%s, %%rd7;\n"
        "cp.async.wait_all;\nld.shared.u64 %%rd4, [%%r2];\nst.global.u64 [%%rd1], %%rd4;";
    char body[1024];
    struct trial trial = {0};
    fill(&trial);
    snprintf(body, sizeof body, copy, "");
    run(body, 32, &trial);
    CU_ASSERT_EQUAL(memcmp(trial.out, trial.in, 32 * 8), 0);
    end(&trial);
    snprintf(body, sizeof body, copy, ", 4");
    run(body, 32, &trial);
    CU_ASSERT_EQUAL(trial.out[30], trial.in[30] & UINT32_MAX);
    end(&trial);
}

/* cp.async with a predicate: where it is true, nothing is read and zeros are written. */
static void test_ignored_sources(void)
{
    struct trial trial = {0};
    fill(&trial);
    run("and.b32 %r4, %r1, 1;\nsetp.ne.u32 %p1, %r4, 0;\nmov.u32 %r2, s;\nshl.b32 %r3, %r1, 3;\n"
        "add.u32 %r2, %r2, %r3;\nmov.u64 %rd5, -1;\nst.shared.u64 [%r2], %rd5;\n"
        "cp.async.ca.shared.global [%r2], [%rd2], 8, %p1;\n"
        "cp.async.wait_all;\nld.shared.u64 %rd4, [%r2];\nst.global.u64 [%rd1], %rd4;",
        32, &trial);
    for (size_t i = 0; i < 32; i++)
        CU_ASSERT_EQUAL(trial.out[i], i % 2 ? 0 : trial.in[i]);
    end(&trial);
}

/* Hints, and what only concerns other grids or warps, change nothing. */
static void test_without_effect(void)
{
    struct trial trial = {0};
    fill(&trial);
    run("griddepcontrol.wait;\nld.global.u64 %rd4, [%rd2];\n"
        "prefetch.global.L2 [%rd2];\nprefetch.global.L2::evict_last [%rd2];\n"
        "prefetchu.L1 [%rd2];\napplypriority.global.L2::evict_normal [%rd2], 128;\n"
        "nanosleep.u32 100;\nsetmaxnreg.inc.sync.aligned.u32 32;\n"
        "griddepcontrol.launch_dependents;\nst.global.u64 [%rd1], %rd4;",
        32, &trial);
    CU_ASSERT_EQUAL(trial.status, SMC_OK);
    CU_ASSERT_EQUAL(memcmp(trial.out, trial.in, 32 * 8), 0);
    end(&trial);
}

/* The environment of a launch that is not cooperative; shared memory of the system, which is none
   of the kernel's. */
static void test_environment(void)
{
    struct trial trial = {0};
    run("mov.b32 %r4, %envreg1;\nmov.b32 %r5, %envreg2;\nmov.b64 %rd4, {%r5, %r4};\n"
        "mov.b32 %r6, %reserved_smem_offset_begin;\nmov.b32 %r7, %reserved_smem_offset_end;\n"
        "mov.b32 %r8, %reserved_smem_offset_cap;\nmov.b32 %r9, %reserved_smem_offset_1;\n"
        "mov.b32 %r13, %total_smem_size;\nst.shared.u32 [%r9], 7;\nst.shared.u32 [s+2044], 1;\n"
        "ld.shared.u32 %r10, [%r9];\nsub.u32 %r11, %r7, %r6;\nsub.u32 %r11, %r11, %r8;\n"
        "setp.ge.u32 %p1, %r6, 2048;\nselp.b32 %r12, 100, 0, %p1;\nadd.u32 %r10, %r10, %r12;\n"
        "add.u32 %r10, %r10, %r13;\nadd.u32 %r10, %r10, %r11;\ncvt.u64.u32 %rd5, %r10;\n"
        "add.u64 %rd4, %rd4, %rd5;\nst.global.u64 [%rd1], %rd4;",
        1, &trial);
    CU_ASSERT_EQUAL(trial.status, SMC_OK);
    CU_ASSERT_EQUAL(trial.emulation.findings_total, 0);
    CU_ASSERT_EQUAL(trial.out[0], 7 + 100 + 2048);
    end(&trial);
}

/* Counted on an H200: a sector counts again if its two sides begin at different offsets within 32
   bytes. */
static void test_copies_past_l1(void)
{
    static const struct {
        unsigned to, quads, sectors; /* place in shared memory; of 16 bytes, for each lane */
    } copies[] = {{0, 16, 8}, {32, 16, 8}, {16, 16, 10}, {16, 8, 5}, {16, 6, 4}, {48, 1, 1}};
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++) {
        char body[512];
        struct trial trial = {0};
        fill(&trial);
        snprintf(body, sizeof body,
                 "mov.u32 %%r2, s;\nshl.b32 %%r3, %%r1, 4;\nadd.u32 %%r2, %%r2, %%r3;\n"
                 "shl.b32 %%r3, %%r1, 3;\ncvt.u64.u32 %%rd5, %%r3;\nadd.s64 %%rd2, %%rd2, %%rd5;\n"
                 "setp.lt.u32 %%p1, %%r1, %u;\n"
                 "@%%p1 cp.async.cg.shared.global [%%r2+%u], [%%rd2], 16;\ncp.async.wait_all;",
                 copies[i].quads, copies[i].to);
        run(body, 32, &trial);
        CU_ASSERT_EQUAL(trial.emulation.array[1].kind[SMC_EMULATED_LOAD].sectors,
                        copies[i].sectors);
        CU_ASSERT_EQUAL(trial.emulation.findings_total, 0);
        end(&trial);
    }
}

/* --- Lanes ------------------------------------------------------------------------------------ */

static void test_lanes(void)
{
    struct trial trial = {0};
    /* Each lane loops as many times as its number; afterwards all have reconverged. */
    run("mov.u32 %r2, 0;\nmov.u32 %r3, 0;\n$L1:\nsetp.ge.u32 %p1, %r3, %r1;\n@%p1 bra $L2;\n"
        "add.u32 %r2, %r2, %r3;\nadd.u32 %r3, %r3, 1;\nbra $L1;\n$L2:\nactivemask.b32 %r4;\n"
        "mov.b64 %rd4, {%r2, %r4};\nst.global.u64 [%rd1], %rd4;",
        32, &trial);
    for (uint32_t i = 0; i < 32; i++)
        CU_ASSERT_EQUAL(trial.out[i], UINT64_C(0xffffffff) << 32 | (i ? i * (i - 1) / 2 : 0));
    CU_ASSERT_EQUAL(trial.emulation.total.divergent, 31);
    end(&trial);
    /* Lanes that return do not keep the others from reconverging. */
    run("setp.lt.u32 %p1, %r1, 16;\n@%p1 bra $A;\nsetp.lt.u32 %p2, %r1, 20;\n@%p2 bra $END;\n"
        "mov.u32 %r2, 1;\nbra $B;\n$A:\nmov.u32 %r2, 2;\n$B:\nactivemask.b32 %r3;\n"
        "mov.b64 %rd4, {%r2, %r3};\nst.global.u64 [%rd1], %rd4;\n$END:",
        32, &trial);
    CU_ASSERT_EQUAL(trial.out[0], UINT64_C(0xfff0ffff) << 32 | 2);
    CU_ASSERT_EQUAL(trial.out[31], UINT64_C(0xfff0ffff) << 32 | 1);
    CU_ASSERT_EQUAL(trial.out[17], UINT64_C(0xeeeeeeeeeeeeeeee));
    end(&trial);
    /* A sum over the warp, and a vote. */
    run("mov.u32 %r2, %r1;\nshfl.sync.bfly.b32 %r3|%p1, %r2, 16, 31, -1;\nadd.u32 %r2, %r2, %r3;\n"
        "shfl.sync.bfly.b32 %r3, %r2, 8, 31, -1;\nadd.u32 %r2, %r2, %r3;\n"
        "shfl.sync.bfly.b32 %r3, %r2, 4, 31, -1;\nadd.u32 %r2, %r2, %r3;\n"
        "shfl.sync.bfly.b32 %r3, %r2, 2, 31, -1;\nadd.u32 %r2, %r2, %r3;\n"
        "shfl.sync.bfly.b32 %r3, %r2, 1, 31, -1;\nadd.u32 %r2, %r2, %r3;\n"
        "and.b32 %r4, %r1, 1;\nsetp.eq.u32 %p2, %r4, 1;\nvote.sync.ballot.b32 %r5, %p2, -1;\n"
        "mov.b64 %rd4, {%r2, %r5};\nst.global.u64 [%rd1], %rd4;",
        32, &trial);
    for (uint32_t i = 0; i < 32; i++)
        CU_ASSERT_EQUAL(trial.out[i], UINT64_C(0xaaaaaaaa) << 32 | 496);
    end(&trial);
    /* Even and odd lanes each name their own set in the same instructions. */
    run("and.b32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 1;\n"
        "selp.b32 %r3, 0xaaaaaaaa, 0x55555555, %p1;\nredux.sync.add.s32 %r4, %r1, %r3;\n"
        "setp.lt.u32 %p2, %r1, 8;\nvote.sync.ballot.b32 %r5, %p2, %r3;\n"
        "mov.b64 %rd4, {%r4, %r5};\nst.global.u64 [%rd1], %rd4;",
        32, &trial);
    for (uint32_t i = 0; i < 32; i++)
        CU_ASSERT_EQUAL(trial.out[i],
                        i % 2 ? UINT64_C(0xaa) << 32 | 256 : UINT64_C(0x55) << 32 | 240);
    end(&trial);
    run("setp.ge.u32 %p1, %r1, 16;\nselp.b32 %r3, 0xffff0000, 0x0000ffff, %p1;\n"
        "and.b32 %r2, %r1, 16;\nmatch.any.sync.b32 %r4, %r3, %r3;\n"
        "match.all.sync.b32 %r5, %r2, %r3;\nmov.b64 %rd4, {%r4, %r5};\n"
        "st.global.u64 [%rd1], %rd4;",
        32, &trial);
    for (uint32_t i = 0; i < 32; i++)
        CU_ASSERT_EQUAL(trial.out[i], i < 16 ? 0x0000ffff0000ffff : 0xffff0000ffff0000);
    end(&trial);
    run("shfl.sync.up.b32 %r2|%p1, %r1, 3, 0, -1;\nselp.b32 %r3, 1, 0, %p1;\n"
        "mov.b64 %rd4, {%r2, %r3};\nst.global.u64 [%rd1], %rd4;",
        32, &trial);
    CU_ASSERT_EQUAL(trial.out[2], 2);
    CU_ASSERT_EQUAL(trial.out[3], UINT64_C(1) << 32);
    CU_ASSERT_EQUAL(trial.out[31], UINT64_C(1) << 32 | 28);
    end(&trial);
    /* A branch through a table. */
    run("and.b32 %r2, %r1, 3;\n$TABLE: .branchtargets $T0, $T1, $T0, $T3;\n"
        "brx.idx %r2, $TABLE;\n$T0:\nmov.u64 %rd4, 100;\nbra $E;\n$T1:\nmov.u64 %rd4, 101;\nbra "
        "$E;\n"
        "$T3:\nmov.u64 %rd4, 103;\n$E:\nst.global.u64 [%rd1], %rd4;",
        32, &trial);
    for (uint32_t i = 0; i < 32; i++)
        CU_ASSERT_EQUAL(trial.out[i], i % 4 == 1 ? 101 : i % 4 == 3 ? 103 : 100);
    end(&trial);
}

/* As cuda_fp16.h writes the logarithm of a half: declarations in one word. */
static void test_joined_declarations(void)
{
    struct trial trial = {0};
    run("add.u32 %r2, %r1, 15360;\ncvt.u16.u32 %h1, %r2;\n"
        "{.reg.b16         h, r;\n .reg.b32         f;\n  mov.b16         h, %h1;\n"
        "  cvt.f32.f16     f, h;\n  lg2.approx.ftz.f32  f, f;\n  cvt.rn.f16.f32      r, f;\n"
        "{.reg.b16 spc, ulp, p;\n  mov.b16 spc,0x15C5U;\n  mov.b16 ulp,0x8000U;\n"
        "  set.eq.f16.f16 p,r, spc;\n  fma.rn.f16 r,p,ulp,r;\n}\n  mov.b16         %h2, r;\n}\n"
        "cvt.u64.u16 %rd4, %h2;\nst.global.u64 [%rd1], %rd4;",
        32, &trial);
    CU_ASSERT_EQUAL(trial.emulation.findings_total, 0);
    CU_ASSERT_EQUAL(trial.out[0], 0);       /* of 1 */
    CU_ASSERT_EQUAL(trial.out[16], 0x25ba); /* of 1 + 2^-6 */
    end(&trial);
}

static void test_barriers(void)
{
    struct trial trial = {0};
    /* Every thread gets the number of threads in the block whose predicate is true. */
    run("and.b32 %r2, %r1, 7;\nsetp.eq.u32 %p1, %r2, 0;\nbar.red.popc.u32 %r3, 0, %p1;\n"
        "cvt.u64.u32 %rd4, %r3;\nst.global.u64 [%rd1], %rd4;",
        96, &trial);
    CU_ASSERT_EQUAL(trial.out[0], 12);
    CU_ASSERT_EQUAL(trial.out[95], 12);
    end(&trial);
    /* Warp 1 produces and warp 0 consumes: a barrier of both, at which the producer does not wait.
     */
    run("mov.u32 %r2, s;\nand.b32 %r3, %r1, 31;\nshl.b32 %r3, %r3, 2;\nadd.u32 %r2, %r2, %r3;\n"
        "setp.lt.u32 %p1, %r1, 32;\n@%p1 bra $TAKE;\nst.shared.u32 [%r2], %r1;\n"
        "bar.arrive 1, 64;\nret;\n$TAKE:\nbar.sync 1, 64;\nld.shared.u32 %r4, [%r2];\n"
        "cvt.u64.u32 %rd4, %r4;\nst.global.u64 [%rd1], %rd4;",
        64, &trial);
    CU_ASSERT_EQUAL(trial.out[5], 37);
    CU_ASSERT_EQUAL(trial.emulation.findings_total, 0);
    CU_ASSERT(trial.emulation.completed);
    end(&trial);
    /* The barrier does not wait for threads that have ended. */
    run("setp.ge.u32 %p1, %r1, 32;\n@%p1 ret;\nbar.sync 0;\nst.global.u64 [%rd1], 1;", 64, &trial);
    CU_ASSERT_EQUAL(trial.emulation.findings_total, 0);
    CU_ASSERT_EQUAL(trial.out[31], 1);
    end(&trial);
}

/* --- Findings --------------------------------------------------------------------------------- */

static const char shared_place[] =
    "mov.u32 %r2, s;\nshl.b32 %r3, %r1, 2;\nadd.u32 %r2, %r2, %r3;\n";

static void check_finding(const char *body, uint32_t threads, enum smc_finding_kind kind)
{
    struct trial trial = {0};
    char whole[4096];
    snprintf(whole, sizeof whole, "%s%s", shared_place, body);
    fill(&trial);
    run(whole, threads, &trial);
    CU_ASSERT_EQUAL(trial.status, SMC_OK);
    CU_ASSERT(trial.emulation.findings_total > 0);
    CU_ASSERT_EQUAL(trial.emulation.finding[0].kind, kind);
    if (trial.emulation.finding_count == 0 || trial.emulation.finding[0].kind != kind)
        printf("not found: %s\n%s\n", smc_finding_name(kind), body);
    end(&trial);
}

static void check_clean(const char *body, uint32_t threads)
{
    struct trial trial = {0};
    char whole[4096];
    snprintf(whole, sizeof whole, "%s%s", shared_place, body);
    fill(&trial);
    run(whole, threads, &trial);
    CU_ASSERT_EQUAL(trial.status, SMC_OK);
    CU_ASSERT_EQUAL(trial.emulation.findings_total, 0);
    if (trial.emulation.findings_total)
        printf("found: %s\n%s\n", smc_finding_name(trial.emulation.finding[0].kind), body);
    CU_ASSERT(trial.emulation.completed);
    end(&trial);
}

static void test_races(void)
{
    /* Between warps and within a warp; a barrier and __syncwarp remove the races. */
    check_finding("st.shared.u32 [%r2], %r1;\nxor.b32 %r3, %r3, 128;\nmov.u32 %r4, s;\n"
                  "add.u32 %r4, %r4, %r3;\nld.shared.u32 %r5, [%r4];\nst.global.u32 [%rd1], %r5;",
                  32, SMC_FINDING_UNWRITTEN);
    const char exchange[] =
        "st.shared.u32 [%%r2], %%r1;\n%s\nxor.b32 %%r3, %%r3, %d;\n"
        "mov.u32 %%r4, s;\nadd.u32 %%r4, %%r4, %%r3;\nld.shared.u32 %%r5, [%%r4];\n"
        "st.global.u32 [%%rd1], %%r5;";
    char body[1024];
    snprintf(body, sizeof body, exchange, "", 4);
    check_finding(body, 32, SMC_FINDING_RACE_WRITE_READ);
    snprintf(body, sizeof body, exchange, "bar.warp.sync -1;", 4);
    check_clean(body, 32);
    snprintf(body, sizeof body, exchange, "bar.warp.sync -1;", 128);
    check_finding(body, 64, SMC_FINDING_UNWRITTEN); /* warp 0 reads first */
    snprintf(body, sizeof body, exchange, "bar.sync 0;", 128);
    check_clean(body, 64);
    /* Two writers: if they write the same value, it is not a race. */
    check_finding("mov.u32 %r2, s;\nst.shared.u32 [%r2], %r1;", 32, SMC_FINDING_RACE_WRITE_WRITE);
    check_clean("mov.u32 %r2, s;\nst.shared.u32 [%r2], 7;", 64);
    check_clean("mov.u32 %r2, s;\nst.shared.u32 [%r2], 7;\nbar.sync 0;\n"
                "red.shared.add.u32 [%r2], 1;",
                64);
    /* Global memory within a block. */
    check_finding(
        "st.global.u32 [%rd1], %r1;\nsub.s64 %rd4, %rd1, %rd3;\nld.global.u32 %r4, [%rd4];", 64,
        SMC_FINDING_RACE_WRITE_READ);
    check_finding(
        "ld.global.u32 %r4, [%rd1];\nsub.s64 %rd4, %rd1, %rd3;\nsetp.eq.u32 %p1, %r1, 9;\n"
        "@%p1 st.global.u32 [%rd4], %r1;",
        32, SMC_FINDING_RACE_READ_WRITE);
    /* Neighbouring bytes of a word are separate locations. */
    check_clean("mov.u32 %r2, s;\nadd.u32 %r2, %r2, %r1;\nst.shared.u8 [%r2], %r1;", 64);
}

static void test_bad_accesses(void)
{
    check_finding("ld.shared.u32 %r4, [%r2];\nst.global.u32 [%rd1], %r4;", 32,
                  SMC_FINDING_UNWRITTEN);
    check_clean("ld.shared.u32 %r4, [%r2];", 32);
    /* A block that cannot go on has not used it yet. */
    struct trial trial = {0};
    fill(&trial);
    run("mov.u32 %r2, s;\nld.shared.u32 %r4, [%r2];\nadd.u32 %r4, %r4, 1;\ntrap;", 32, &trial);
    CU_ASSERT_EQUAL(trial.emulation.finding_count, 2);
    CU_ASSERT_EQUAL(trial.emulation.finding[1].kind, SMC_FINDING_UNWRITTEN);
    end(&trial);
    check_finding("st.shared.u32 [%r2+2048], %r1;", 32, SMC_FINDING_OUT_OF_BOUNDS);
    check_finding("st.shared.u32 [%r2+2], %r1;", 32, SMC_FINDING_MISALIGNED);
    check_finding("ld.global.u64 %rd4, [%rd2+8];", 32, SMC_FINDING_OUT_OF_BOUNDS);
    check_finding("mov.u64 %rd4, 0;\nld.global.u32 %r4, [%rd4];", 1, SMC_FINDING_OUT_OF_BOUNDS);
    check_finding("setp.lt.u32 %p1, %r1, 5;\n@%p1 bra $S;\nbra $E;\n$S:\nbar.sync 0;\n$E:\n"
                  "st.global.u32 [%rd1], 1;",
                  64, SMC_FINDING_DIVERGENT_BARRIER);
    check_finding("setp.lt.u32 %p1, %r1, 32;\n@%p1 bar.sync 1, 64;", 64, SMC_FINDING_DEADLOCK);
    check_finding("$L:\nbra $L;", 32, SMC_FINDING_ENDLESS);
    check_finding("setp.eq.u32 %p1, %r1, 3;\n@%p1 trap;", 32, SMC_FINDING_TRAP);
}

/* Compilers load four elements where two or three are used. The last of 31 threads loads eight
   bytes beyond the allocation. */
static void test_padded_vectors(void)
{
    const char load[] = "and.b32 %%r2, %%r1, 1;\nsetp.eq.u32 %%p1, %%r2, 0;\n"
                        "@%%p1 ld.global.v4.u32 {%%r4, %%r5, %%r6, %%r7}, [%%rd2];\n"
                        "add.u32 %%r8, %%r4, %%%s;\ncvt.u64.u32 %%rd4, %%r8;\n"
                        "@%%p1 st.global.u64 [%%rd1], %%rd4;";
    char body[1024];
    struct trial trial = {0};
    fill(&trial);
    snprintf(body, sizeof body, load, "r5");
    run(body, 31, &trial);
    CU_ASSERT_EQUAL(trial.emulation.findings_total, 0);
    for (int i = 0; i < 31; i += 2)
        CU_ASSERT_EQUAL(trial.out[i], (uint32_t)(trial.in[i] + (trial.in[i] >> 32)));
    end(&trial);
    snprintf(body, sizeof body, load, "r6");
    check_finding(body, 31, SMC_FINDING_OUT_OF_BOUNDS);
    /* Every element that is used is checked for races. */
    snprintf(body, sizeof body,
             "setp.eq.u32 %%p2, %%r1, 5;\n"
             "@%%p2 st.global.u32 [%%rd2+204], 7;\n%s",
             "setp.eq.u32 %p1, %r1, 30;\n@%p1 ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd2];\n"
             "add.u32 %r8, %r4, %r5;\n@%p1 st.global.u32 [%rd1], %r8;");
    check_finding(body, 31, SMC_FINDING_RACE_WRITE_READ);
}

/* --- The reader ------------------------------------------------------------------------------- */

#define HEAD ".version 8.0\n.target sm_80\n"

static void test_refusals(void)
{
    static const struct {
        const char *text, *message;
    } refusals[] = {
        {"int main", "PTX line 1: not PTX: it does not begin with .version"},
        {".version 8.0\n.target sm_80\n", "PTX line 3: no kernel"},
        {".version 8.0\n.target sm_80\n.entry k()\n{\n.reg .b32 %r<2>;\ntcgen05.cp %r1;\n}",
         "PTX line 6: 'tcgen05.cp %r1' is not supported: tensor memory"},
        {".version 8.0\n.target sm_80\n.entry k()\n{\n.reg .b32 %r<2>;\n.loc 1 7 3\n"
         "suld.b.1d.b32.trap %r1, [image, {%r1}];\n}\n.file 1 \"pixels.cu\"",
         "PTX line 7 (pixels.cu:7): 'suld.b.1d.b32.trap %r1, [image, {%r1}]' is not supported: "
         "texture and surface references, which CUDA 12 removed"},
        {".version 8.0\n.target sm_80\n.entry k()\n{\nbra $nowhere;\n}",
         "PTX line 5: 'bra $nowhere' is not supported: unknown label"},
        {".version 8.0\n.target sm_80\n.entry k()\n{\n.reg .b64 %rd<2>;\nadd.u32 %rd1, %rd1, 1;\n}",
         "PTX line 6: 'add.u32 %rd1, %rd1, 1' is not supported: a source of another size than the "
         "type"},
        {".version 8.0\n.target sm_80\n.entry a(){ret;}\n.entry b(){ret;}",
         "PTX line 4: there are several kernels: name one"},
        {HEAD ".entry k()\n{\n.reg .b32 %r<99999999>;\n}", "PTX line 5: too many registers"},
        {HEAD ".entry k()\n{\n.reg .b64 %d;\n.reg .b128 %q;\n.loc 1 7 3\n"
              "atom.global.cas.b128 %q, [%d], %q, %q;\n}\n.file 1 \"swap.cu\"",
         "PTX line 8 (swap.cu:7): 'atom.global.cas.b128 %q, [%d], %q, %q' is not supported: "
         "registers of 128 bits"},
        {HEAD ".entry k()\n{\n.reg .b128 %q;\nmov.b64 %q, 0;\n}",
         "PTX line 6: 'mov.b64 %q, 0' is not supported: registers of 128 bits"},
        {HEAD ".entry k()\n{\n.reg .b32 %r<x>;\n}", "PTX line 5: a whole number expected"},
        {HEAD ".entry k()\n{\n.reg .b32 7;\n}", "PTX line 5: a name expected"},
        {HEAD ".entry k()\n{\n.shared .align 3 .b8 s[4];\n}",
         "PTX line 5: an alignment that is not a power of two up to 65536"},
        {HEAD ".entry k()\n{\n.shared .b64 s[9999999999][9999999999];\n}",
         "PTX line 5: the variable is too large"},
        {HEAD ".entry k(.param .b8 p[32765])\n{\nret;\n}",
         "PTX line 3: the parameter is too large"},
        {HEAD ".entry k(.param .u64 .ptr .global .align x p)\n{\nret;\n}",
         "PTX line 3: a whole number expected"},
        {HEAD ".file 1 here\n.entry k(){ret;}", "PTX line 3: a file name expected"},
        {HEAD ".file 1 \"a.cu\", x\n.entry k(){ret;}", "PTX line 3: a whole number expected"},
        {HEAD ".entry k()\n{\na.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t;\n}",
         "PTX line 5: the instruction has too many parts"},
        {HEAD ".entry k()\n{\nmov.u32 a, b, c, d, e, f, g, h, i, j, k, l, m;\n}",
         "PTX line 5: the instruction has too many operands"},
        {HEAD ".entry k()\n{\nret;\n", "PTX line 6: a '}' is missing"},
        {HEAD ".func f()\n{\nret;\n", "PTX line 6: a '}' is missing"},
        {HEAD ".entry \"k\"(){ret;}", "PTX line 3: a kernel has no name"},
        {HEAD ".func \"f\"(){ret;}", "PTX line 3: a function has no name"},
        {HEAD ".entry k();", "PTX line 3: the kernel has no body"},
        {HEAD ".func f(.reg .pred p)\n{\nret;\n}\n.entry k()\n{\ncall f, (1);\n}",
         "PTX line 3: a parameter in a register of this type is not supported"},
        {HEAD "strange\n.entry k(){ret;}", "PTX line 3: 'strange' is not understood here"},
        {HEAD ".address_size 32\n.entry k(){ret;}", "PTX line 3: addresses of 64 bits are needed"},
        {HEAD ".pragma \"nothing\";\n.entry k()\n{\nbra $nowhere;\n}",
         "PTX line 6: 'bra $nowhere' is not supported: unknown label"},
    };
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        struct trial trial = {0};
        run_from(refusals[i].text, 1, 1, &trial);
        CU_ASSERT_EQUAL(trial.status, SMC_USAGE);
        CU_ASSERT_STRING_EQUAL(trial.error.message, refusals[i].message);
    }
}

#undef HEAD

/* Flags follow from the mnemonic, not from what the text of an instruction contains. */
static void test_instruction_flags(void)
{
    static const char text[] =
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".entry k(.param .u64 out)\n{\n.reg .b32 %cp<9>;\n.reg .b64 %rd<9>;\n.reg .pred %p<2>;\n"
        ".shared .align 16 .b8 bar[64];\nld.param.u64 %rd1, [out];\nmov.u32 %cp1, bar;\n"
        "cp.async.ca.shared.global [%cp1], [%rd1], 4;\ncp.async.wait_all;\nbar.sync 0;\n"
        "setp.eq.u32 %p1, %cp1, 0;\n@%p1 bra $E;\nadd.u32 %cp1, %cp1, 1;\n$E:\nret;\n}";
    static const uint32_t expected[] = {
        SMC_INSTRUCTION_MEMORY,
        0,
        SMC_INSTRUCTION_MEMORY | SMC_INSTRUCTION_ASYNC_COPY,
        SMC_INSTRUCTION_MEMORY | SMC_INSTRUCTION_ASYNC_COPY,
        SMC_INSTRUCTION_BARRIER,
        SMC_INSTRUCTION_PREDICATE,
        SMC_INSTRUCTION_BRANCH,
        0,
        0,
    };
    struct smc_program *program;
    struct smc_error error;
    CU_ASSERT_EQUAL_FATAL(smc_program_read(text, strlen(text), "k", &program, &error), SMC_OK);
    CU_ASSERT_STRING_EQUAL(program->entry, "k");
    CU_ASSERT_EQUAL_FATAL(program->instructions, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        CU_ASSERT_EQUAL(smc_program_instruction(program, i)->flags, expected[i]);
    smc_program_free(program);
}

/* Results, counts and findings are the same for any number of threads. */
static void test_any_number_of_threads(void)
{
    static const char text[] =
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".entry k(.param .u64 out, .param .u64 in)\n{\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n"
        ".reg .pred %p<3>;\n.shared .align 4 .b8 s[256];\nld.param.u64 %rd1, [out];\n"
        "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %tid.x;\nadd.u32 %r3, %r1, 1;\nmov.u32 %r4, s;\n"
        "mov.u32 %r5, 0;\n$L:\nmad.lo.u32 %r5, %r3, %r2, %r5;\nsub.u32 %r3, %r3, 1;\n"
        "setp.gt.u32 %p1, %r3, %r2;\n"
        "@%p1 bra $L;\nsetp.lt.u32 %p2, %r1, 11;\n@%p2 bra $E;\nld.shared.u32 %r6, [%r4];\n"
        "st.shared.u32 [%r4], %r2;\n$E:\nmul.wide.u32 %rd2, %r1, 8;\nadd.s64 %rd1, %rd1, %rd2;\n"
        "setp.eq.u32 %p1, %r2, 40;\n@%p1 st.global.u32 [%rd1], %r5;\nret;\n}";
    static struct trial one, many;
    for (unsigned threads = 2; threads <= 5; threads++) {
        memset(one.out, 0, sizeof one.out);
        memset(many.out, 0, sizeof many.out);
        cpu_threads = 1;
        run_from(text, 64, 60, &one);
        cpu_threads = threads;
        run_from(text, 64, 60, &many);
        cpu_threads = 0;
        CU_ASSERT_EQUAL(many.emulation.threads_used, threads);
        CU_ASSERT(one.emulation.finding_count > 1);
        CU_ASSERT_EQUAL(one.emulation.finding[0].block[0], 11);
        CU_ASSERT_EQUAL(memcmp(one.out, many.out, sizeof one.out), 0);
        CU_ASSERT_EQUAL(one.emulation.finding_count, many.emulation.finding_count);
        CU_ASSERT_EQUAL(one.emulation.findings_total, many.emulation.findings_total);
        for (size_t i = 0; i < one.emulation.finding_count; i++)
            CU_ASSERT_EQUAL(one.emulation.finding[i].times, many.emulation.finding[i].times);
        CU_ASSERT_EQUAL(memcmp(one.emulation.count, many.emulation.count,
                               one.emulation.count_length * sizeof *one.emulation.count),
                        0);
        end(&one);
        end(&many);
    }
}

static void test_order_of_blocks(void)
{
    static const char text[] =
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".entry k(.param .u64 out, .param .u64 in)\n{\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n"
        ".reg .pred %p<3>;\nld.param.u64 %rd1, [out];\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, "
        "%tid.x;\n"
        "setp.lt.u32 %p1, %r1, 7;\n@%p1 bra $E;\nld.global.u32 %r3, [%rd1+4000];\n$E:\n"
        "setp.gt.u32 %p2, %r2, %r1;\n@%p2 bra $F;\nadd.u32 %r4, %r2, %r1;\n$F:\n"
        "red.global.add.u32 [%rd1], %r1;\nret;\n}";
    struct trial trial = {0};
    memset(trial.out, 0, sizeof trial.out);
    run_from(text, 64, 40, &trial);
    CU_ASSERT_EQUAL(trial.out[0], 64 * (39 * 40 / 2));
    CU_ASSERT_EQUAL(trial.emulation.finding_count, 1);
    CU_ASSERT_EQUAL(trial.emulation.finding[0].block[0], 7);
    CU_ASSERT_EQUAL(trial.emulation.finding[0].times, 33 * 64);
    CU_ASSERT_EQUAL(trial.emulation.threads_used, 1); /* atomics on global memory */
    end(&trial);
}

/* --- Variables of the module ------------------------------------------------------------------ */

/* Addresses among initial values: the kernel follows each, and copies what it finds. */
static void test_addresses_in_variables(void)
{
    static const char text[] =
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".global .align 8 .b64 last = generic(forward+8);\n"
        ".global .attribute(.managed, .unified(1, 2)) .align 4 .u32 managed = 77;\n"
        ".const .align 8 .u64 numbers[3] = {11, 22, 33};\n"
        ".global .align 8 .u64 forward[2] = {44, 55};\n"
        ".global .align 8 .u64 table[3] = {generic(numbers)+8, generic(managed), forward};\n"
        ".global .align 8 .b8 packed[12] = {1, 2, 3, 4, 0xFF(generic(numbers)),\n"
        "    0xFF00(generic(numbers)), 0xFF0000(generic(numbers)),\n"
        "    0xFF000000(generic(numbers)), 0xFF00000000(generic(numbers)),\n"
        "    0xFF0000000000(generic(numbers)), 0xFF000000000000(generic(numbers)),\n"
        "    0xFF00000000000000(generic(numbers))};\n"
        ".global .align 8 .u64 functions[2] = {missing, 0};\n" /* another kernel's */
        ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n"
        ".reg .b32 %r<8>;\n.reg .b64 %rd<16>;\nld.param.u64 %rd1, [out];\n"
        "ld.global.u64 %rd2, [table];\nld.u64 %rd3, [%rd2];\nst.global.u64 [%rd1], %rd3;\n"
        "ld.global.u64 %rd2, [table+8];\nld.u32 %r1, [%rd2];\ncvt.u64.u32 %rd3, %r1;\n"
        "st.global.u64 [%rd1+8], %rd3;\nst.u32 [%rd2], 5;\n"
        "ld.global.u64 %rd2, [table+16];\nld.global.u64 %rd3, [%rd2];\n"
        "st.global.u64 [%rd1+16], %rd3;\nld.global.u64 %rd2, [last];\nld.u64 %rd3, [%rd2];\n"
        "st.global.u64 [%rd1+24], %rd3;\nld.global.u32 %r1, [packed];\n"
        "cvt.u64.u32 %rd3, %r1;\nst.global.u64 [%rd1+32], %rd3;\n"
        "ld.global.u32 %r2, [packed+4];\nld.global.u32 %r3, [packed+8];\n"
        "mov.b64 %rd2, {%r2, %r3};\nld.u64 %rd3, [%rd2+16];\nst.global.u64 [%rd1+40], %rd3;\n"
        "ld.global.u32 %r1, [managed];\ncvt.u64.u32 %rd3, %r1;\nst.global.u64 [%rd1+48], %rd3;\n"
        "ret;\n}\n";
    static const uint64_t expected[] = {22, 77, 44, 55, 0x04030201, 33, 5};
    struct trial trial = {0};
    run_from(text, 7, 1, &trial); /* all threads of one warp store the same */
    CU_ASSERT_EQUAL_FATAL(trial.status, SMC_OK);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        CU_ASSERT_EQUAL(trial.out[i], expected[i]);
    end(&trial);
}

/* Floats as decimal numbers and in hexadecimal, with a sign. */
static void test_initial_floats(void)
{
    static const char text[] =
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".global .align 8 .f64 doubles[3] = {-1.5, 2.5, 0dC004000000000000};\n"
        ".global .align 8 .f32 floats[2] = {-1.5, 0fC0200000};\n"
        ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n"
        ".reg .b64 %rd<4>;\nld.param.u64 %rd1, [out];\n"
        "ld.global.u64 %rd2, [doubles];\nst.global.u64 [%rd1], %rd2;\n"
        "ld.global.u64 %rd2, [doubles+8];\nst.global.u64 [%rd1+8], %rd2;\n"
        "ld.global.u64 %rd2, [doubles+16];\nst.global.u64 [%rd1+16], %rd2;\n"
        "ld.global.u64 %rd2, [floats];\nst.global.u64 [%rd1+24], %rd2;\nret;\n}\n";
    static const uint64_t expected[] = {UINT64_C(0xbff8000000000000), UINT64_C(0x4004000000000000),
                                        UINT64_C(0xc004000000000000), UINT64_C(0xc0200000bfc00000)};
    struct trial trial = {0};
    run_from(text, 4, 1, &trial);
    CU_ASSERT_EQUAL_FATAL(trial.status, SMC_OK);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        CU_ASSERT_EQUAL(trial.out[i], expected[i]);
    end(&trial);
}

/* A variable that is not supported refuses the kernel that uses it, and no other. */
static void test_refused_variables(void)
{
    static const char variables[] =
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".global .texref image;\n.global .surfref surface;\n"
        ".global .align 8 .u64 functions[2] = {missing, 0};\n"
        ".global .align 8 .u64 indirect = generic(functions);\n"
        ".global .align 8 .u64 odd = 1 << 3;\n"
        ".global .align 8 .u64 bare = generic good;\n"
        ".global .align 16 .f1024 wide;\n.const .align 4 .u32 good = 6;\n"
        ".func (.param .b32 r) twice(.param .b32 a) { ret; }\n"
        ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n.reg .b32 %r<4>;\n"
        ".reg .f32 %f<4>;\n.reg .b64 %rd<4>;\nld.param.u64 %rd1, [out];\n.loc 1 42 1\n";
    static const struct {
        const char *use, *message;
    } cases[] = {
        {"ld.const.u32 %r1, [good];\nst.global.u32 [%rd1], %r1;\n", ""},
        {"mov.u64 %rd2, image;\n",
         "PTX line 4: the variable 'image', which source line 42 uses, is not supported: a texture "
         "reference"},
        {"mov.u64 %rd2, surface;\n",
         "PTX line 5: the variable 'surface', which source line 42 uses, is not supported: a "
         "surface reference"},
        {"ld.global.u64 %rd2, [functions];\n",
         "PTX line 6: the variable 'functions', which source line 42 uses, is not supported: it "
         "holds the address of the function 'missing'"},
        {"ld.global.u64 %rd2, [indirect];\n",
         "PTX line 6: the variable 'functions', which source line 42 uses, is not supported: it "
         "holds the address of the function 'missing'"},
        {"ld.global.u64 %rd2, [odd];\n",
         "PTX line 8: the variable 'odd', which source line 42 uses, is not supported: ';' "
         "expected, not '<'"},
        {"ld.global.u64 %rd2, [bare];\n",
         "PTX line 9: the variable 'bare', which source line 42 uses, is not supported: '(' "
         "expected, not 'good'"},
        {"add.s32 %r1, %r1, 1\n", "PTX line 21: ';' expected, not 'ret'"}, /* still reported */
        {"tex.cube.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd1, {%f0, %f1, %f2, %f3}];\n",
         "PTX line 20: 'tex.cube.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd1, {%f0, %f1, %f2, %f3}]' is "
         "not supported: textures of this shape"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[4096];
        struct trial trial = {0};
        snprintf(text, sizeof text, "%s%sret;\n}\n", variables, cases[i].use);
        run_from(text, 1, 1, &trial);
        CU_ASSERT_EQUAL(trial.status, i ? SMC_USAGE : SMC_OK);
        CU_ASSERT_STRING_EQUAL(trial.error.message, cases[i].message);
        if (i == 0)
            CU_ASSERT_EQUAL(trial.out[0] & UINT32_MAX, 6);
        end(&trial);
    }
}

/* --- Fidelity --------------------------------------------------------------------------------- */

static void test_fidelity(void)
{
    static const char function[] = ".global .align 4 .u32 kept;\n.func (.param .b32 r) f(.param "
                                   ".b32 a)\n{\n.reg .b32 %q;\nld.param.b32 %q, [a];\n"
                                   "st.global.u32 [kept], %q;\nst.param.b32 [r], %q;\nret;\n}\n"
                                   ".func (.reg .b32 %y) g(.reg .b32 %x)\n{\n"
                                   "add.s32 %y, %x, 1;\nret;\n}\n";
#define SUM "vadd.s32.s32.s32.sat %r2, %r1, %r1;\n"
#define CALL(register)                                                                             \
    "{ .param .b32 x;\n.param .b32 y;\nst.param.b32 [x], " register ";\ncall (y), f, (x);\n"       \
                                                                    "ld.param.b32 %r3, [y];\n}\n"
    static const struct {
        const char *body;
        uint64_t approximate;
        bool result, address, branch;
    } cases[] = {
        {"st.global.u32 [%rd1], %r1;", 0, false, false, false},
        {SUM "st.global.u32 [%rd1], %r1;", 1, false, false, false},
        {SUM "add.s32 %r3, %r2, 1;\nst.global.u32 [%rd1], %r3;", 1, true, false, false},
        {SUM "st.shared.u32 [s], %r2;\nbar.warp.sync -1;\nld.shared.u32 %r4, [s];\n"
             "st.global.u32 [%rd1], %r4;",
         1, true, false, false},
        {SUM "st.shared.u32 [s], %r2;\nst.global.u32 [%rd1], %r1;", 1, false, false, false},
        {SUM "cvt.u64.u32 %rd4, %r2;\nand.b64 %rd4, %rd4, 0;\nadd.s64 %rd5, %rd1, %rd4;\n"
             "ld.global.u32 %r5, [%rd5];",
         1, false, true, false},
        {SUM "setp.eq.u32 %p1, %r2, 5;\n@%p1 bra L;\nadd.s32 %r6, %r1, 1;\nL:\n"
             "st.global.u32 [%rd1], %r1;",
         1, false, false, true},
        {"bra L;\n" SUM "L:\nst.global.u32 [%rd1], %r2;", 0, false, false, false},
        {".local .align 4 .b8 l[4];\n" SUM "st.local.u32 [l], %r2;\nld.local.u32 %r4, [l];\n"
         "st.global.u32 [%rd1], %r4;",
         1, true, false, false},
        {SUM "mov.u64 %rd4, s;\ncvta.shared.u64 %rd4, %rd4;\nst.u32 [%rd4], %r2;\n"
             "st.global.u32 [%rd1], %r1;",
         1, true, false, false}, /* it may be global memory */
        {SUM CALL("%r2") "st.global.u32 [%rd1], %r1;", 1, true, false, false},
        {SUM CALL("%r1") "st.global.u32 [%rd1], %r3;", 1, false, false, false},
        {SUM "call (%r3), g, (%r2);\nst.global.u32 [%rd1], %r3;", 1, true, false, false},
        {SUM "call (%r3), g, (%r1);\nst.global.u32 [%rd1], %r3;", 1, false, false, false},
        {SUM "and.b32 %r2, %r2, 1;\nto: .branchtargets A, B;\nbrx.idx %r2, to;\nA:\nB:\n"
             "st.global.u32 [%rd1], %r1;",
         1, false, false, true}};
    static struct trial trial;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct smc_fidelity *fidelity = &trial.fidelity;
        const char *entry = strstr(head, ".visible");
        char text[4096];
        snprintf(text, sizeof text, "%.*s%s%s%s\nret;\n}\n", (int)(entry - head), head, function,
                 entry, cases[i].body);
        run_from(text, 32, 1, &trial);
        CU_ASSERT_EQUAL_FATAL(trial.status, SMC_OK);
        CU_ASSERT_EQUAL(fidelity->approximate, cases[i].approximate);
        CU_ASSERT_EQUAL(fidelity->exact + fidelity->approximate, trial.emulation.total.executions);
        CU_ASSERT_EQUAL(fidelity->reaches_result, cases[i].result);
        CU_ASSERT_EQUAL(fidelity->reaches_address, cases[i].address);
        CU_ASSERT_EQUAL(fidelity->reaches_branch, cases[i].branch);
        end(&trial);
    }
#undef SUM
#undef CALL
}

CU_TestInfo tests_emulator[] = {
    {"how far values of approximate instructions may have come", test_fidelity},
    {"arithmetic of every kind", test_arithmetic},
    {"known values", test_known_values},
    {"memory", test_memory},
    {"asynchronous copies", test_asynchronous_copies},
    {"a tensor core aligns a subnormal addend", test_subnormal_addend},
    {"cache policies", test_cache_policies},
    {"copies that ignore their source", test_ignored_sources},
    {"instructions without effect", test_without_effect},
    {"environment and reserved shared memory", test_environment},
    {"sectors of copies past L1", test_copies_past_l1},
    {"lanes diverge and reconverge", test_lanes},
    {"barriers", test_barriers},
    {"races are found, and nothing else", test_races},
    {"bad accesses and stuck blocks are found", test_bad_accesses},
    {"declarations of one word", test_joined_declarations},
    {"vectors may be loaded across the end of memory, but not used", test_padded_vectors},
    {"what is not supported is named", test_refusals},
    {"addresses in variables", test_addresses_in_variables},
    {"initial floats", test_initial_floats},
    {"variables that are not supported", test_refused_variables},
    {"flags of instructions", test_instruction_flags},
    {"the same with any number of threads", test_any_number_of_threads},
    {"findings in the order of blocks", test_order_of_blocks},
    CU_TEST_INFO_NULL,
};
