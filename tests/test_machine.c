/* machine: decoding and walking machine code. The encodings are from kernels of our own; nvdisasm
   provided their meaning. Here are small programs whose counts can be done by hand. */
#include <string.h>

#include "machine/launch.h"
#include "machine_text.h"
#include "unit.h"

struct code {
    uint64_t low, high;
};

static const struct code read_thread = {0x0000000000007919, 0x000ea20000002100};   /* R0 */
static const struct code above_12 = {0x0000000c0000780c, 0x000fe40003f24270};      /* P1: R0 > 12 */
static const struct code subtract_16 = {0xfffffff000007836, 0x000fe20000000000};   /* of R0 */
static const struct code skip_one_if = {0x0000000000041947, 0x000fea0003800000};   /* P1 */
static const struct code back_three_if = {0xfffffffc00f41947, 0x000fec000383ffff}; /* P1 */
static const struct code move_1024 = {0x0000040000007802, 0x000fe20000000f00};     /* to R0 */
static const struct code exit_all = {0x000000000000794d, 0x000fea0003800000};
static const struct code join_after_four = {0x0000004000007945, 0x000fe20003800000}; /* BSSY B0 */
static const struct code join = {0x0000000000007941, 0x000fea0003800000};            /* BSYNC B0 */
static const struct code load = {0xffffe40402007981, 0x002ea8000c1e1900};            /* R0 */
static const struct code load_shared = {0x00000000100c7984, 0x000e220000000800};     /* R12 */
static const struct code move_zero = {0x000000ff00107202, 0x000fd60000000f00};       /* to R16 */
static const struct code unknown = {0x00000000000071ff, 0};

enum { MOST = 16 };

static void program_of(const struct code *code, size_t count, struct smc_machine_program *program)
{
    unsigned char bytes[MOST * 16] = {0};
    struct smc_error error;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < 8; k++) {
            bytes[16 * i + k] = (unsigned char)(code[i].low >> (8 * k));
            bytes[16 * i + 8 + k] = (unsigned char)(code[i].high >> (8 * k));
        }
    CU_ASSERT_EQUAL_FATAL(smc_machine_program_read(bytes, 16 * count, 90, program, &error), SMC_OK);
}

/* What the warps of a launch executed. */
struct counts {
    uint64_t instructions, executions[MOST], pipe[SMC_PIPE_COUNT];
    enum smc_walk_end end;
    uint32_t end_at, end_operation;
};

static const struct smc_bank_layout layout = {
    .banks = 32, .row_words = 32, .neighbouring_words = 1, .loads_join = true};

/* `trace`: of the last warp, or NULL. */
static void walk(const struct code *code, size_t steps, uint32_t threads, uint32_t blocks,
                 struct smc_warp_trace *trace, struct counts *counts)
{
    static unsigned char bank[SMC_MACHINE_CONSTANT_BYTES];
    static struct smc_warp warp;
    struct smc_machine_program program;
    uint64_t change[MOST + 1] = {0}, times = 0;
    struct smc_machine_launch launch = {.program = &program,
                                        .block = {threads, 1, 1},
                                        .grid = {blocks, 1, 1},
                                        .constants = bank,
                                        .constant_bytes = sizeof bank,
                                        .layout = &layout};
    struct smc_walk walk = {
        .program = &program, .layout = &layout, .most_steps = 10000, .change = change};
    program_of(code, steps, &program);
    *counts = (struct counts){0};
    for (uint32_t block = 0; block < blocks; block++)
        for (uint32_t i = 0; i * SMC_LANES < threads; i++) {
            const uint32_t index[3] = {block, 0, 0};
            struct smc_machine_place place;
            smc_launch_place(&launch, index, i, &place);
            walk.trace = trace;
            smc_walk_warp(&walk, &place, &warp);
        }
    for (size_t i = 0; i < steps; i++) {
        times += change[i];
        counts->executions[i] = times;
        counts->pipe[program.step[i].in.pipe] += times;
        counts->instructions += times;
    }
    counts->end = walk.end;
    counts->end_at = walk.end_at;
    counts->end_operation = walk.end_operation;
    smc_machine_program_free(&program);
}

static void count(const struct code *code, size_t steps, uint32_t threads, uint32_t blocks,
                  struct counts *counts)
{
    walk(code, steps, threads, blocks, NULL, counts);
}

static void test_loop(void)
{
    const struct code code[] = {move_1024, subtract_16, above_12, back_three_if, exit_all};
    struct counts counts;
    count(code, 5, 32, 1, &counts);
    CU_ASSERT_EQUAL(counts.end, SMC_WALK_WHOLE);
    CU_ASSERT_EQUAL(counts.instructions, 1 + 64 * 3 + 1);
    CU_ASSERT_EQUAL(counts.pipe[SMC_PIPE_FMA_HEAVY], 64); /* VIADD */
    CU_ASSERT_EQUAL(counts.pipe[SMC_PIPE_ALU], 1 + 64);
    CU_ASSERT_EQUAL(counts.pipe[SMC_PIPE_BRANCH], 64);
    CU_ASSERT_EQUAL(counts.executions[3], 64);
    count(code, 5, 96, 10, &counts);
    CU_ASSERT_EQUAL(counts.instructions, 30 * 194);
}

static void test_divergence(void)
{
    const struct code apart[] = {read_thread, above_12, skip_one_if, subtract_16, exit_all};
    const struct code joined[] = {read_thread, join_after_four, above_12, skip_one_if, subtract_16,
                                  join,        exit_all};
    struct counts counts;
    count(apart, 5, 32, 1, &counts);
    CU_ASSERT_EQUAL(counts.instructions, 6); /* both parts end for themselves */
    count(apart, 5, 13, 1, &counts);
    CU_ASSERT_EQUAL(counts.instructions, 5); /* no lane is above 12 */
    count(apart, 5, 64, 3, &counts);
    CU_ASSERT_EQUAL(counts.instructions, 3 * (6 + 4));
    count(joined, 7, 32, 1, &counts);
    CU_ASSERT_EQUAL(counts.instructions, 8); /* both parts wait, and end together */
    CU_ASSERT_EQUAL(counts.executions[6], 1);
    CU_ASSERT_EQUAL(counts.end, SMC_WALK_WHOLE);
}

static void test_unknown(void)
{
    const struct code by_data[] = {load, above_12, skip_one_if, subtract_16, exit_all};
    const struct code by_code[] = {unknown, exit_all};
    struct counts counts;
    count(by_data, 5, 32, 1, &counts);
    CU_ASSERT_EQUAL(counts.end, SMC_WALK_UNKNOWN_BRANCH);
    CU_ASSERT_EQUAL(counts.end_at, 2);
    count(by_code, 2, 32, 1, &counts);
    CU_ASSERT_EQUAL(counts.end, SMC_WALK_UNKNOWN_OPERATION);
    CU_ASSERT_EQUAL(counts.end_operation, 0x1ff);
}

static void test_text(void)
{
    static const struct {
        struct code code;
        const char *text;
    } examples[] = {
        {{0x00000009090d7c24, 0x041fe2000f8e02ff}, "IMAD R13, R9, UR9, RZ"},
        {{0x0000000b040c7c11, 0x000fe200080f140d}, "LEA.HI.X R12, R4, UR11, R13, 0x2, P0"},
        {{0x0000000402007c0c, 0x000fda0008706470}, "ISETP.GE.U32.OR P0, PT, R2, UR4, P0"},
        {{0x0000001fff057819, 0x000fe20000011402}, "SHF.R.S32.HI R5, RZ, 0x1f, R2"},
        {{0xfffffffc00f41947, 0x000fec000383ffff}, "@P1 BRA -0x20"},
        {{0xffffe40402007981, 0x002ea8000c1e1900}, "LDG.E R0, desc[UR4][R2.64+-0x1c]"},
        {{0x000000444c4c723c, 0x002fe600000018ff}, "HMMA"},
        {{0x00000000000071ff, 0}, "? 0x1ff"},
    };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        unsigned char bytes[16];
        struct smc_instruction in;
        struct smc_text text = {0};
        for (size_t k = 0; k < 8; k++) {
            bytes[k] = (unsigned char)(examples[i].code.low >> (8 * k));
            bytes[8 + k] = (unsigned char)(examples[i].code.high >> (8 * k));
        }
        smc_instruction_decode(bytes, 0, 2, &in);
        smc_instruction_write(&in, &text);
        CU_ASSERT_STRING_EQUAL(smc_text_string(&text), examples[i].text);
        smc_text_free(&text);
    }
}

/* The field of BSSY has 30 bits, the highest of which is the sign. */
static void test_far_targets(void)
{
    static const struct {
        uint64_t words;
        int64_t target;
    } cases[] = {{4, 0x20}, {0x10000000, 0x40000010}, {0x30000000, -0x3ffffff0}, {0x3fffffff, 12}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint64_t low = 0x7945 | cases[i].words << 34;
        unsigned char bytes[16] = {0};
        struct smc_instruction in;
        for (size_t k = 0; k < 8; k++)
            bytes[k] = (unsigned char)(low >> (8 * k));
        CU_ASSERT_TRUE(smc_instruction_decode(bytes, 0, 2, &in));
        CU_ASSERT_EQUAL(in.operation, SMC_OP_BSSY);
        CU_ASSERT_EQUAL(in.target, cases[i].target);
    }
}

/* SHF of 64 bits by 64 and more leaves the sign, or nothing. */
static void test_wide_shifts(void)
{
    static const struct {
        bool right, is_unsigned, high;
        uint32_t count, result;
    } cases[] = {
        {true, false, false, 64, UINT32_MAX}, {true, false, true, 99, UINT32_MAX},
        {true, false, false, 63, UINT32_MAX}, {true, false, false, 62, UINT32_MAX - 1},
        {true, true, false, 64, 0},           {true, true, false, 63, 1},
        {false, true, true, 64, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static struct smc_warp warp;
        const struct smc_machine_place place = {.block = {32, 1, 1}, .grid = {1, 1, 1}};
        const uint64_t low = 0x0000000001037219 | (uint64_t)2 << 32; /* SHF R3, R1, R2, R4 */
        const uint64_t high = 4 | (uint64_t)cases[i].is_unsigned << 9 |
                              (uint64_t)cases[i].right << 12 | (uint64_t)cases[i].high << 16;
        unsigned char bytes[16];
        struct smc_instruction in;
        for (size_t k = 0; k < 8; k++) {
            bytes[k] = (unsigned char)(low >> (8 * k));
            bytes[8 + k] = (unsigned char)(high >> (8 * k));
        }
        CU_ASSERT_TRUE(smc_instruction_decode(bytes, 0, 2, &in));
        smc_warp_start(&warp, &place);
        warp.reg[1] = (struct smc_lanes){.same = true};
        warp.reg[2] = (struct smc_lanes){.value = {cases[i].count}, .same = true};
        warp.reg[4] = (struct smc_lanes){.value = {0x80000000}, .same = true};
        smc_warp_evaluate(&warp, &in, UINT32_MAX);
        CU_ASSERT_EQUAL(warp.reg[3].unknown, 0);
        CU_ASSERT_EQUAL(warp.reg[3].value[0], cases[i].result);
    }
}

static void test_control_bits(void)
{
    unsigned char bytes[16] = {0};
    struct smc_instruction in;
    uint64_t high = 0x000ea20000002100; /* S2R R0, SR_TID.X */
    for (size_t k = 0; k < 8; k++) {
        bytes[k] = (unsigned char)(read_thread.low >> (8 * k));
        bytes[8 + k] = (unsigned char)(high >> (8 * k));
    }
    CU_ASSERT_TRUE(smc_instruction_decode(bytes, 0, 2, &in));
    CU_ASSERT_EQUAL(smc_stall_cycles(&in), 1);
    CU_ASSERT_EQUAL(smc_write_scoreboard(&in), 2);
    CU_ASSERT_EQUAL(smc_read_scoreboard(&in), 7);
    CU_ASSERT_EQUAL(smc_awaited_scoreboards(&in), 0);
    CU_ASSERT_EQUAL(in.pipe, SMC_PIPE_LSU);
}

/* Warps vote on R0 > 12: all of the second, none of its lanes else. */
static void test_vote(void)
{
    static const struct code any_above = {0x0000000000ff7806, 0x000fe20000800100}; /* P0, of P1 */
    static const struct code all_above = {0x0000000000ff7806, 0x000fe20000800000};
    static const struct code skip_one_if_voted = {0x0000000000040947, 0x000fea0003800000}; /* P0 */
    const struct code any[] = {read_thread,       above_12,    any_above,
                               skip_one_if_voted, subtract_16, exit_all};
    const struct code all[] = {read_thread,       above_12,    all_above,
                               skip_one_if_voted, subtract_16, exit_all};
    struct counts counts;
    count(any, 6, 64, 1, &counts);
    CU_ASSERT_EQUAL(counts.end, SMC_WALK_WHOLE);
    CU_ASSERT_EQUAL(counts.instructions, 5 + 5);
    count(all, 6, 64, 1, &counts);
    CU_ASSERT_EQUAL(counts.end, SMC_WALK_WHOLE);
    CU_ASSERT_EQUAL(counts.instructions, 6 + 5);
}

static void test_trace(void)
{
    const struct code code[] = {move_zero, load_shared, exit_all};
    struct smc_warp_trace_entry entries[8];
    static struct smc_patterns patterns;
    struct smc_warp_trace trace = {.entry = entries, .capacity = 8, .patterns = &patterns};
    struct counts counts;
    walk(code, 3, 32, 1, &trace, &counts);
    CU_ASSERT_EQUAL(counts.instructions, 3);
    CU_ASSERT_EQUAL_FATAL(trace.count, 3);
    CU_ASSERT_EQUAL(entries[1].step, 1);
    CU_ASSERT_EQUAL(entries[1].wavefronts, 1); /* one word for all lanes */
    CU_ASSERT_EQUAL(entries[1].active_lanes, 32);
    CU_ASSERT_EQUAL(entries[2].step, 2);
}

/* A call that nothing returns from is a branch; one of a function is not followed. */
static void test_calls(void)
{
    static const struct code call_one_if = {0x0000000000041944, 0x000fea0003c00000}; /* P1 */
    static const struct code give_back = {0x0000000000007950, 0x000fea0003c3ffff};   /* RET */
    const struct code branch[] = {read_thread, above_12, skip_one_if, subtract_16, exit_all};
    const struct code call[] = {read_thread, above_12, call_one_if, subtract_16, exit_all};
    const struct code function[] = {read_thread, above_12, call_one_if, exit_all, give_back};
    /* The function jumps over an instruction before it returns. */
    static const struct code skip_one = {0x0000000000047947, 0x000fea0003800000};
    const struct code jumping[] = {read_thread, above_12,    call_one_if, exit_all,
                                   skip_one,    subtract_16, give_back};
    struct counts first, second;
    count(branch, 5, 32, 1, &first);
    count(call, 5, 32, 1, &second);
    CU_ASSERT_EQUAL(second.end, SMC_WALK_WHOLE);
    CU_ASSERT_EQUAL(first.instructions, second.instructions);
    for (int i = 0; i < 5; i++)
        CU_ASSERT_EQUAL(first.executions[i], second.executions[i]);
    count(function, 5, 32, 1, &first);
    CU_ASSERT_EQUAL(first.end, SMC_WALK_UNKNOWN_OPERATION);
    CU_ASSERT_EQUAL(first.executions[3], 1);
    count(jumping, 7, 32, 1, &first);
    CU_ASSERT_EQUAL(first.end, SMC_WALK_UNKNOWN_OPERATION);
    CU_ASSERT_EQUAL(first.executions[3], 1);
    CU_ASSERT_EQUAL(first.executions[4], 0);
}

CU_TestInfo tests_machine[] = {
    {"a loop", test_loop},
    {"lanes diverge and reconverge", test_divergence},
    {"what is unknown is reported", test_unknown},
    {"text", test_text},
    {"far targets", test_far_targets},
    {"shifts of 64 bits", test_wide_shifts},
    {"control bits", test_control_bits},
    {"votes", test_vote},
    {"calls", test_calls},
    {"the trace of a warp", test_trace},
    CU_TEST_INFO_NULL,
};
