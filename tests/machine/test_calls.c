/* calls: functions that were not inlined, recursion, calls through addresses, printf, assert,
   malloc and alloca. The kernels are those of tests/data/emulator/calls.cu, compiled by nvcc;
   expected values are computed here in C. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/emulator.h"
#include "unit.h"

#define PTX SMC_SOURCE_DIR "/tests/data/emulator/calls.ptx"

enum { ELEMENTS = 1024 };

static char ptx[1 << 19];
static size_t ptx_bytes;

struct trial {
    uint64_t in[ELEMENTS], out[ELEMENTS];
    struct smc_program *program;
    struct smc_emulation emulation;
    enum smc_status status;
    struct smc_error error;
};

static unsigned cpu_threads;

static bool load(void)
{
    FILE *file = ptx_bytes ? NULL : fopen(PTX, "rb");
    if (file) {
        ptx_bytes = fread(ptx, 1, sizeof ptx, file);
        fclose(file);
    }
    CU_ASSERT_FATAL(ptx_bytes > 0);
    return ptx_bytes > 0;
}

static void run_text(const char *text, size_t bytes, const char *entry, uint32_t blocks,
                     uint32_t threads, struct trial *trial)
{
    struct smc_emulated_array arrays[] = {
        {.name = "out", .data = trial->out, .bytes = sizeof trial->out},
        {.name = "in", .data = trial->in, .bytes = sizeof trial->in}};
    struct smc_emulated_argument arguments[] = {{.is_array = true, .array = 0},
                                                {.is_array = true, .array = 1}};
    struct smc_emulation_request request = {.grid = {blocks, 1, 1},
                                            .block = {threads, 1, 1},
                                            .arrays = arrays,
                                            .array_count = 2,
                                            .arguments = arguments,
                                            .argument_count = 2,
                                            .banks = {32, 32, 1, false, true},
                                            .threads = cpu_threads};
    trial->error.message[0] = '\0';
    trial->emulation = (struct smc_emulation){0};
    trial->program = NULL;
    trial->status = smc_program_read(text, bytes, entry, &trial->program, &trial->error);
    request.program = trial->program;
    if (trial->status == SMC_OK)
        trial->status = smc_emulate(&request, &trial->emulation, &trial->error);
}

static void run(const char *entry, uint32_t blocks, uint32_t threads, struct trial *trial)
{
    if (load())
        run_text(ptx, ptx_bytes, entry, blocks, threads, trial);
    if (trial->status != SMC_OK)
        printf("%s: %s\n", entry, trial->error.message);
    CU_ASSERT_EQUAL(trial->status, SMC_OK);
}

static void end(struct trial *trial)
{
    smc_emulation_free(&trial->emulation);
    smc_program_free(trial->program);
    trial->program = NULL;
}

static void fill(struct trial *trial)
{
    uint64_t x = 88172645463325252u;
    for (size_t i = 0; i < ELEMENTS; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        trial->in[i] = x;
    }
    memset(trial->out, 0xee, sizeof trial->out);
}

/* Runs the kernel on random elements; all of them must have the expected results. */
static void check(const char *entry, uint64_t (*expected)(uint64_t in, uint32_t thread))
{
    struct trial trial;
    unsigned wrong = 0;
    fill(&trial);
    run(entry, 3, 96, &trial);
    for (uint32_t i = 0; i < 3 * 96; i++)
        wrong += trial.out[i] != expected(trial.in[i], i % 96);
    if (wrong)
        printf("%s: %u wrong\n", entry, wrong);
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(trial.emulation.completed);
    CU_ASSERT_EQUAL(trial.emulation.findings_total, 0);
    end(&trial);
}

/* --- Recursion and structures ----------------------------------------------------------------- */

static unsigned fibonacci(unsigned n)
{
    unsigned a = 0, b = 1;
    for (unsigned i = 0; i < n; i++) {
        unsigned c = a + b;
        a = b, b = c;
    }
    return a;
}

static uint64_t e_recursion(uint64_t in, uint32_t thread)
{
    (void)thread;
    return fibonacci((uint32_t)in % 13);
}

/* Closed forms of Ackermann's function for m below 3. */
static uint64_t e_mutual(uint64_t in, uint32_t thread)
{
    uint32_t x = (uint32_t)in, m = x % 3, n = x / 3 % 4;
    (void)thread;
    return (x % 21 % 2 == 0 ? 1000000 : 0) + (m == 0 ? n + 1 : m == 1 ? n + 2 : 2 * n + 3);
}

/* c = changed(a, s, changed(b, 3, a)): the inner call gives {b.first + 3, a.second * b.second,
   {a.third[2], b.third[1], a.third[0]}, a.last}. */
static uint64_t e_structures(uint64_t in, uint32_t thread)
{
    uint32_t x = (uint32_t)in;
    uint16_t a[] = {(uint16_t)x, (uint16_t)(x >> 1), (uint16_t)(x >> 2)};
    double first = x % 100 + 0.5, second = x % 7 + 1.0;
    (void)thread;
    return (uint64_t)(first * (second * first) * 4) * 31 + (uint8_t)(x + (x >> 9)) * 7u + a[0] +
           a[1] * 3u + a[2] * 5u + (uint8_t)(x >> 3);
}

static void test_functions(void)
{
    check("recursion", e_recursion);
    check("mutual", e_mutual);
    check("structures", e_structures);
}

/* --- Calls through addresses ------------------------------------------------------------------ */

static uint64_t e_pointers(uint64_t in, uint32_t thread)
{
    uint32_t x = (uint32_t)in, y = (uint32_t)(in >> 32);
    (void)thread;
    return x % 3 == 0 ? x + y : x % 3 == 1 ? x * y : x > y ? x : y;
}

static uint64_t e_virtual(uint64_t in, uint32_t thread)
{
    uint32_t size = (uint32_t)in % 1000;
    (void)thread;
    return in & 1 ? size * size : size;
}

static void test_addresses(void)
{
    struct trial trial;
    unsigned wrong = 0;
    check("pointers", e_pointers);
    check("virtual_functions", e_virtual);
    fill(&trial);
    run("meeting", 1, 32, &trial);
    for (unsigned i = 0; i < 32; i++) { /* each lane gets what the next one passed */
        unsigned next = (i + 1) % 32, passed = trial.in[next] & 1 ? 100 * next : next;
        wrong += trial.out[i] != passed + (trial.in[i] & 1 ? i : 100 * i);
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(trial.emulation.completed);
    CU_ASSERT_EQUAL(trial.emulation.findings_total, 0);
    end(&trial);
    fill(&trial);
    run("no_function", 1, 1, &trial);
    CU_ASSERT(!trial.emulation.completed);
    CU_ASSERT_EQUAL(trial.emulation.finding_count, 1);
    CU_ASSERT_EQUAL(trial.emulation.finding[0].kind, SMC_FINDING_BAD_CALL);
    end(&trial);
}

/* A third of the lanes exits in the function, a third returns before the others vote. */
static void test_leaving(void)
{
    struct trial trial;
    unsigned wrong = 0;
    fill(&trial);
    run("leaving", 1, 32, &trial);
    for (unsigned i = 0; i < 32; i++) {
        unsigned voted = 0;
        for (unsigned lane = 2; lane < 32; lane += 3)
            voted += lane & 4 ? 1 : 0;
        uint64_t expected = i % 3 == 0   ? UINT64_C(0xeeeeeeeeeeeeeeee)
                            : i % 3 == 1 ? i
                                         : 2 * i + voted;
        wrong += trial.out[i] != expected;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(trial.emulation.completed);
    CU_ASSERT_EQUAL(trial.emulation.findings_total, 0);
    end(&trial);
}

/* --- Mathematics ------------------------------------------------------------------------------ */

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double reference(unsigned function, double x)
{
    float f = (float)x;
    switch (function) {
    case 0:
        return sin(x);
    case 1:
        return cos(x);
    case 2:
        return tan(x);
    case 3:
        return pow(fabs(x), 1.7);
    case 4:
        return tgamma(x);
    case 5:
        return lgamma(x);
    case 6:
        return exp(x / 1000);
    case 7:
        return erfc(x / 1000);
    case 8:
        return sin((double)f);
    case 9:
        return cos((double)f);
    case 10:
        return tan((double)f);
    case 11:
        return pow(fabs((double)f), 1.25);
    case 12:
        return fmod(x, 3.7);
    case 13:
        return cbrt(x);
    case 14:
        return log(fabs(x));
    default:
        return j0(x);
    }
}

/* Small and large arguments: sin and cos reduce large ones with an array in local memory. */
static double argument(unsigned function, unsigned i)
{
    static const double special[] = {0.5,   1.5,   105615.0, 1e6,  1e10, 1.2345e20, 3e38,  1e22,
                                     1e100, 1e300, 2.5,      3.25, 7.75, 12.5,      0.125, 33.0};
    bool is_float = function >= 8 && function <= 11;
    double x = special[i % 16] * (i < 16 ? 1 : -1);
    if ((is_float && fabs(x) > 1e30) || (function > 2 && !is_float && fabs(x) > 40))
        x = i < 16 ? i + 0.3 : i - 40.7;
    return function >= 4 && function <= 5 && x < -15 ? -x / 10 : x;
}

static void test_mathematics(void)
{
    struct trial trial;
    unsigned wrong = 0;
    fill(&trial);
    for (unsigned i = 0; i < 16 * 32; i++) {
        double x = argument(i / 32, i % 32);
        memcpy(&trial.in[i], &x, sizeof x);
    }
    run("mathematics", 16, 32, &trial);
    for (unsigned i = 0; i < 16 * 32; i++) {
        unsigned function = i / 32;
        double x = double_of(trial.in[i]), got = double_of(trial.out[i]);
        double expected = reference(function, x);
        double allowed = function >= 8 && function <= 11 ? 1e-6 : function == 15 ? 1e-12 : 1e-14;
        double scale = function == 15 || function == 5 ? fabs(expected) + 1 : fabs(expected);
        if (fabs(got - expected) <= allowed * scale)
            continue;
        printf("function %u of %.17g: %.17g, not %.17g\n", function, x, got, expected);
        wrong++;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(trial.emulation.completed);
    CU_ASSERT_EQUAL(trial.emulation.findings_total, 0);
    end(&trial);
}

/* --- printf and assert ------------------------------------------------------------------------ */

/* What each thread of `printing` prints. */
static int print_thread(char *text, size_t room, unsigned block, unsigned thread)
{
    static const char *const words[] = {"zero", "one", "two"};
    return snprintf(text, room,
                    "%u:%u|  -42|42   |00042|+42| 42|ff|0XFF|10|q|%%\n"
                    "%s|       abc|de    |hi|(null)\n"
                    "1.500000|2.250|1.000000e+10|1e-07|0x1p+0|      3.14\n"
                    "1099511627776|-1125899906842624|4464|18446744073709551615|ffffffffffffffff|"
                    "0x1234|     7\nplain\n",
                    block, thread, words[thread % 3]);
}

static void test_print(void)
{
    for (cpu_threads = 1; cpu_threads <= 3; cpu_threads++) {
        struct trial trial;
        size_t at = 0;
        unsigned wrong = 0;
        fill(&trial);
        run("printing", 5, 40, &trial);
        for (unsigned block = 0; block < 5; block++)
            for (unsigned warp = 0; warp < 2; warp++)
                for (unsigned call = 0; call < 5; call++)
                    for (unsigned lane = 0; lane < (warp ? 8 : 32); lane++) {
                        char text[512], *line = text;
                        print_thread(text, sizeof text, block, warp * 32 + lane);
                        for (unsigned i = 0; i < call; i++)
                            line = strchr(line, '\n') + 1;
                        size_t bytes = strcspn(line, "\n") + 1;
                        bool same = at + bytes <= trial.emulation.output_bytes &&
                                    memcmp(trial.emulation.output + at, line, bytes) == 0;
                        if (!same && wrong++ == 0)
                            printf("%.*s", (int)bytes, line);
                        at += bytes;
                    }
        CU_ASSERT_EQUAL(wrong, 0);
        CU_ASSERT_EQUAL(at, trial.emulation.output_bytes);
        CU_ASSERT_EQUAL(trial.emulation.findings_total, 0);
        CU_ASSERT_EQUAL(trial.out[0], (11 + 5 + 6 + 8) * 100 + 0 * 10 - 1 + 1);
        end(&trial);
    }
    cpu_threads = 0;
}

/* A conversion that CUDA does not know is a finding if arguments follow it. */
static void test_unknown_format(void)
{
    struct trial trial;
    char text[512];
    fill(&trial);
    trial.in[0] = 9;
    run("unknown_format", 1, 1, &trial);
    CU_ASSERT_EQUAL(trial.emulation.output_bytes, 9 + 2);
    if (trial.emulation.output)
        CU_ASSERT_NSTRING_EQUAL(trial.emulation.output, "9 then 5\n7\n", 11);
    CU_ASSERT_EQUAL_FATAL(trial.emulation.finding_count, 1);
    CU_ASSERT_EQUAL(trial.emulation.finding[0].kind, SMC_FINDING_PRINTF);
    smc_finding_describe(trial.program, &trial.emulation.finding[0], NULL, text, sizeof text);
    CU_ASSERT(strstr(text, "calls.cu:") && strstr(text, "'%zu'"));
    end(&trial);
}

static void test_assert(void)
{
    struct trial trial;
    char text[512];
    fill(&trial);
    run("asserting", 8, 32, &trial);
    CU_ASSERT(!trial.emulation.completed);
    CU_ASSERT_EQUAL_FATAL(trial.emulation.finding_count, 1);
    CU_ASSERT_EQUAL(trial.emulation.finding[0].kind, SMC_FINDING_ASSERT);
    CU_ASSERT_EQUAL(trial.emulation.finding[0].block[0], 1);
    CU_ASSERT_EQUAL(trial.emulation.finding[0].thread[0], 30);
    smc_finding_describe(trial.program, &trial.emulation.finding[0], NULL, text, sizeof text);
    CU_ASSERT(strstr(text, "blockIdx.x < 1 || threadIdx.x < 30 in void asserting(") != NULL);
    CU_ASSERT(strstr(text, " at calls.cu:") != NULL);
    CU_ASSERT_EQUAL(trial.out[0], trial.in[0]);
    end(&trial);
}

/* --- Memory ----------------------------------------------------------------------------------- */

static uint64_t e_allocating(uint64_t in, uint32_t thread)
{
    uint32_t count = (uint32_t)in % 50 + 1, sum = 0;
    (void)thread;
    for (uint32_t i = 0; i < count; i++)
        sum += i * i * (count - 1 - i);
    return sum;
}

static uint64_t e_variable_array(uint64_t in, uint32_t thread)
{
    uint32_t count = (uint32_t)in % 20 + 2, sum = 0;
    (void)thread;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = i * 7 % count;
        sum += place * place * i + fibonacci(i % 3);
    }
    return sum;
}

static void test_memory(void)
{
    struct trial trial;
    check("allocating", e_allocating);
    check("variable_array", e_variable_array);
    fill(&trial);
    run("exhausting", 1, 1, &trial);
    CU_ASSERT_EQUAL(trial.out[0], 8 * 10 + 1); /* full: not even malloc(0) */
    CU_ASSERT(trial.emulation.completed);
    end(&trial);
}

static void test_heap_faults(void)
{
    static const struct {
        enum smc_finding_kind kind;
        bool ends;
    } faults[] = {
        [1] = {SMC_FINDING_OUT_OF_BOUNDS, false},  [2] = {SMC_FINDING_OUT_OF_BOUNDS, false},
        [3] = {SMC_FINDING_USE_AFTER_FREE, false}, [4] = {SMC_FINDING_DOUBLE_FREE, true},
        [5] = {SMC_FINDING_BAD_FREE, false},       [6] = {SMC_FINDING_BAD_FREE, false}};
    struct trial trial;
    for (uint64_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        char text[512];
        fill(&trial);
        trial.in[0] = i;
        run("heap_faults", 1, 1, &trial);
        CU_ASSERT_EQUAL(trial.emulation.finding_count, i > 0);
        CU_ASSERT_EQUAL(trial.emulation.completed, !faults[i].ends);
        if (trial.emulation.finding_count) {
            CU_ASSERT_EQUAL(trial.emulation.finding[0].kind, faults[i].kind);
            smc_finding_describe(trial.program, &trial.emulation.finding[0], NULL, text,
                                 sizeof text);
            CU_ASSERT(strstr(text, i < 6 ? "memory of malloc" : "; in + 0") != NULL);
        }
        end(&trial);
    }
}

static void test_stack(void)
{
    struct trial trial;
    fill(&trial);
    trial.in[0] = 20; /* deep enough for what CUDA has by default */
    run("overflowing", 1, 1, &trial);
    CU_ASSERT_EQUAL(trial.out[0], 6765);
    CU_ASSERT_EQUAL(trial.emulation.findings_total, 0);
    end(&trial);
    fill(&trial);
    trial.in[0] = 1000000;
    run("overflowing", 1, 1, &trial);
    CU_ASSERT(!trial.emulation.completed);
    CU_ASSERT_EQUAL_FATAL(trial.emulation.finding_count, 1);
    CU_ASSERT_EQUAL(trial.emulation.finding[0].kind, SMC_FINDING_STACK_OVERFLOW);
    end(&trial);
}

/* trap and, without a debugger, brkpt end the launch. */
static void test_trap(void)
{
    struct trial trial;
    for (uint64_t i = 0; i < 3; i++) {
        fill(&trial);
        trial.in[1] = i;
        run("trapping", 2, 1, &trial);
        CU_ASSERT_EQUAL(trial.emulation.completed, i == 0);
        CU_ASSERT_EQUAL(trial.emulation.finding_count, i > 0);
        end(&trial);
    }
}

/* --- PTX that nvcc does not make -------------------------------------------------------------- */

static const char kernel_head[] =
    ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n.reg .pred %p<4>;\n.reg .b32 %r<8>;\n"
    ".reg .b64 %rd<8>;\nld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n"
    "mul.wide.u32 %rd2, %r1, 8;\nadd.s64 %rd1, %rd1, %rd2;\n";

static void run_ptx(const char *functions, const char *body, struct trial *trial)
{
    char text[4096];
    int bytes = snprintf(text, sizeof text,
                         ".version 8.0\n.target sm_80\n.address_size 64\n%s\n%s%s\n"
                         "st.global.u64 [%%rd1], %%rd3;\nret;\n}\n",
                         functions, kernel_head, body);
    fill(trial);
    run_text(text, (size_t)bytes, NULL, 1, 64, trial);
}

static void test_registers(void)
{
    struct trial trial;
    unsigned wrong = 0;
    /* Parameters in registers, exchanged in a recursion: gcd by subtraction. */
    run_ptx(".func (.reg .b64 d) gcd(.reg .b64 a, .reg .b64 b)\n{\n.reg .pred %p;\n"
            "mov.b64 d, a;\nsetp.eq.u64 %p, a, b;\n@%p ret;\nsetp.lt.u64 %p, a, b;\n@%p bra L;\n"
            "sub.u64 a, a, b;\nL: call (d), gcd, (b, a);\n}\n",
            "add.u64 %rd4, %rd2, 8;\nshr.u64 %rd4, %rd4, 3;\ncall (%rd3), gcd, (%rd4, 12);",
            &trial);
    CU_ASSERT_EQUAL(trial.status, SMC_OK);
    for (uint64_t i = 0; i < 64; i++) {
        uint64_t a = i + 1, b = 12;
        while (b) {
            uint64_t c = a % b;
            a = b, b = c;
        }
        wrong += trial.out[i] != a;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    end(&trial);
    /* A guarded call: the other lanes wait. */
    run_ptx(".func (.param .b32 d) f(.param .b32 a)\n{\n.reg .b32 %x;\nld.param.b32 %x, [a];\n"
            "mul.lo.u32 %x, %x, 3;\nst.param.b32 [d], %x;\nret;\n}\n",
            "{\n.param .b32 a;\n.param .b32 d;\nst.param.b32 [a], %r1;\nst.param.b32 [d], 7;\n"
            "and.b32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 1;\n@%p1 call (d), f, (a);\n"
            "ld.param.b32 %r3, [d];\n}\ncvt.u64.u32 %rd3, %r3;",
            &trial);
    CU_ASSERT_EQUAL(trial.status, SMC_OK);
    for (uint64_t i = 0; i < 64; i++)
        wrong += trial.out[i] != (i & 1 ? 3 * i : 7);
    CU_ASSERT_EQUAL(wrong, 0);
    end(&trial);
}

static void test_refused(void)
{
    static const struct {
        const char *functions, *body, *message;
    } wrong[] = {
        {".extern .func missing(.param .b32 a);", "call missing, (%r1);", "neither in this module"},
        {".func f(.param .b32 a)\n{\nret;\n}", "call f, (%r1, %r1);", "other parameters"},
        {".func f(.param .b32 a)\n{\nret;\n}", "call f, (%rd1);", "other parameters"},
        {"", "call unknown, (%r1);", "not declared"},
        {".func f(.param .b32 a)\n{\nbogus %r1;\n}", "call f, (%r1);", "bogus"},
        {".extern .func (.param .b64 d) malloc(.param .b64 a);", "call (%rd3), malloc, (%r1);",
         "other parameters"},
    };
    struct trial trial;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        run_ptx(wrong[i].functions, wrong[i].body, &trial);
        CU_ASSERT_EQUAL(trial.status, SMC_USAGE);
        if (!strstr(trial.error.message, wrong[i].message))
            printf("%s\n", trial.error.message);
        CU_ASSERT(strstr(trial.error.message, wrong[i].message) != NULL);
        end(&trial);
    }
    /* A function that the kernel does not need is not read. */
    run_ptx(".func f()\n{\nbogus;\n}", "mov.u64 %rd3, 5;", &trial);
    CU_ASSERT_EQUAL(trial.status, SMC_OK);
    CU_ASSERT_EQUAL(trial.out[0], 5);
    end(&trial);
}

CU_TestInfo tests_calls[] = {
    {"recursion, structures", test_functions},
    {"function pointers, virtual functions", test_addresses},
    {"lanes that exit or return early", test_leaving},
    {"mathematics that is compiled to calls", test_mathematics},
    {"printf", test_print},
    {"printf with unknown conversions", test_unknown_format},
    {"assert", test_assert},
    {"malloc, free, alloca", test_memory},
    {"faults of malloc's memory", test_heap_faults},
    {"the stack overflows", test_stack},
    {"trap and brkpt", test_trap},
    {"parameters in registers, guarded calls", test_registers},
    {"what is refused", test_refused},
    CU_TEST_INFO_NULL,
};
