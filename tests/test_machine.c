/* machine: decoding, walking and counting machine code. The encodings are from kernels of our own;
   nvdisasm provided their meaning. Counts of whole kernels are compared with an H200's counters
   where they were measured; here are small programs whose counts can be done by hand. */
#include <string.h>

#include "machine/launch.h"
#include "machine/text.h"
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
    unsigned char bytes[MOST * 16];
    struct smc_error error;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < 8; k++) {
            bytes[16 * i + k] = (unsigned char)(code[i].low >> (8 * k));
            bytes[16 * i + 8 + k] = (unsigned char)(code[i].high >> (8 * k));
        }
    CU_ASSERT_EQUAL_FATAL(smc_machine_program_read(bytes, 16 * count, 90, program, &error), SMC_OK);
}

static void count_as(const struct code *code, size_t steps, uint32_t threads, uint32_t blocks,
                     enum smc_precision precision, struct smc_machine_counts *counts)
{
    static unsigned char bank[SMC_MACHINE_CONSTANT_BYTES];
    static const struct smc_bank_layout layout = {
        .banks = 32, .row_words = 32, .neighbouring_words = 1, .loads_join = true};
    struct smc_machine_program program;
    struct smc_error error;
    struct smc_machine_launch launch = {.program = &program,
                                        .block = {threads, 1, 1},
                                        .grid = {blocks, 1, 1},
                                        .constants = bank,
                                        .constant_bytes = sizeof bank,
                                        .layout = &layout,
                                        .count_memory = true,
                                        .precision = precision};
    program_of(code, steps, &program);
    CU_ASSERT_EQUAL_FATAL(smc_machine_count(&launch, counts, &error), SMC_OK);
    smc_machine_program_free(&program);
}

static void count(const struct code *code, size_t steps, uint32_t threads, uint32_t blocks,
                  struct smc_machine_counts *counts)
{
    count_as(code, steps, threads, blocks, SMC_PRECISION_EXACT, counts);
}

static void test_loop(void)
{
    const struct code code[] = {move_1024, subtract_16, above_12, back_three_if, exit_all};
    struct smc_machine_counts counts;
    count(code, 5, 32, 1, &counts);
    CU_ASSERT_TRUE(counts.exact);
    CU_ASSERT_EQUAL(counts.instructions, 1 + 64 * 3 + 1);
    CU_ASSERT_EQUAL(counts.pipe[SMC_PIPE_FMA_HEAVY], 64); /* VIADD */
    CU_ASSERT_EQUAL(counts.pipe[SMC_PIPE_ALU], 1 + 64);
    CU_ASSERT_EQUAL(counts.pipe[SMC_PIPE_BRANCH], 64);
    CU_ASSERT_EQUAL(counts.executions[3], 64);
    smc_machine_counts_free(&counts);
    count(code, 5, 96, 1000, &counts);
    CU_ASSERT_EQUAL(counts.instructions, 3000 * 194);
    CU_ASSERT_TRUE(counts.warps_walked < 40);
    smc_machine_counts_free(&counts);
}

static void test_divergence(void)
{
    const struct code apart[] = {read_thread, above_12, skip_one_if, subtract_16, exit_all};
    const struct code joined[] = {read_thread, join_after_four, above_12, skip_one_if, subtract_16,
                                  join,        exit_all};
    struct smc_machine_counts counts;
    count(apart, 5, 32, 1, &counts);
    CU_ASSERT_EQUAL(counts.instructions, 6); /* both parts end for themselves */
    smc_machine_counts_free(&counts);
    count(apart, 5, 13, 1, &counts);
    CU_ASSERT_EQUAL(counts.instructions, 5); /* no lane is above 12 */
    smc_machine_counts_free(&counts);
    count(apart, 5, 64, 3, &counts);
    CU_ASSERT_EQUAL(counts.instructions, 3 * (6 + 4));
    smc_machine_counts_free(&counts);
    count(joined, 7, 32, 1, &counts);
    CU_ASSERT_EQUAL(counts.instructions, 8); /* both parts wait, and end together */
    CU_ASSERT_EQUAL(counts.executions[6], 1);
    CU_ASSERT_TRUE(counts.exact);
    smc_machine_counts_free(&counts);
}

/* The block decides how often the loop is walked, two of three for a longer time: the quick way has
   to find their share. */
static void test_quick(void)
{
    static const struct code read_block = {0x0000000000007919, 0x000ea20000002500}; /* R0: x */
    static const struct code third = {0x5555555600007824, 0x000fe200078e02ff}; /* IMAD, R0 * n */
    static const struct code above = {0x555555550000780c, 0x000fe40003f24070}; /* P1: R0 > n */
    static const struct code move_0 = {0x0000000000007802, 0x000fe20000000f00};
    static const struct code move_1024_if = {0x0000040000001802, 0x000fe20000000f00};
    const struct code same[] = {move_1024, subtract_16, above_12, back_three_if, exit_all};
    const struct code by_block[] = {read_block,  third,    above,         move_0,  move_1024_if,
                                    subtract_16, above_12, back_three_if, exit_all};
    struct smc_machine_counts quick;
    count_as(same, 5, 96, 1000, SMC_PRECISION_QUICK, &quick);
    CU_ASSERT_EQUAL(quick.instructions, 3000 * 194);
    CU_ASSERT_FALSE(quick.is_estimate); /* all warps are alike */
    CU_ASSERT_TRUE(quick.exact);
    smc_machine_counts_free(&quick);
    count_as(by_block, 9, 256, 3000, SMC_PRECISION_QUICK, &quick);
    CU_ASSERT_TRUE(quick.warps_walked < 500);
    CU_ASSERT_TRUE(quick.is_estimate);
    CU_ASSERT_FALSE(quick.exact);
    const double expected = 3000. * 8 * 9 + 2000. * 8 * 63 * 3;
    CU_ASSERT_DOUBLE_EQUAL((double)quick.instructions / expected, 1, 0.02);
    CU_ASSERT_DOUBLE_EQUAL((double)quick.pipe[SMC_PIPE_BRANCH] / (3000. * 8 + 2000. * 8 * 63), 1,
                           0.02);
    smc_machine_counts_free(&quick);
}

static void test_unknown(void)
{
    const struct code by_data[] = {load, above_12, skip_one_if, subtract_16, exit_all};
    const struct code by_code[] = {unknown, exit_all};
    struct smc_machine_counts counts;
    count(by_data, 5, 32, 1, &counts);
    CU_ASSERT_FALSE(counts.exact);
    CU_ASSERT_EQUAL(counts.end, SMC_WALK_UNKNOWN_BRANCH);
    CU_ASSERT_EQUAL(counts.end_at, 2);
    smc_machine_counts_free(&counts);
    count(by_code, 2, 32, 1, &counts);
    CU_ASSERT_FALSE(counts.exact);
    CU_ASSERT_EQUAL(counts.end, SMC_WALK_UNKNOWN_OPERATION);
    CU_ASSERT_EQUAL(counts.end_operation, 0x1ff);
    smc_machine_counts_free(&counts);
}

static void test_memory(void)
{
    const struct code code[] = {move_zero, load_shared, exit_all};
    struct smc_machine_counts counts;
    count(code, 3, 64, 10, &counts);
    CU_ASSERT_EQUAL(counts.instructions, 60);
    CU_ASSERT_EQUAL(counts.shared_loads, 20);
    CU_ASSERT_EQUAL(counts.shared_load_wavefronts, 20); /* one word for all lanes */
    smc_machine_counts_free(&counts);
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
    struct smc_machine_counts counts;
    count(any, 6, 64, 1, &counts);
    CU_ASSERT_TRUE(counts.exact);
    CU_ASSERT_EQUAL(counts.instructions, 5 + 5);
    smc_machine_counts_free(&counts);
    count(all, 6, 64, 1, &counts);
    CU_ASSERT_TRUE(counts.exact);
    CU_ASSERT_EQUAL(counts.instructions, 6 + 5);
    smc_machine_counts_free(&counts);
}

static void test_trace(void)
{
    const struct code code[] = {move_zero, load_shared, exit_all};
    struct smc_machine_program program;
    struct smc_trace_entry entries[8];
    static struct smc_patterns patterns;
    struct smc_trace trace = {.entry = entries, .room = 8, .patterns = &patterns};
    static const struct smc_bank_layout layout = {
        .banks = 32, .row_words = 32, .neighbouring_words = 1, .loads_join = true};
    const uint32_t index[3] = {0, 0, 0};
    struct smc_error error;
    program_of(code, 3, &program);
    struct smc_machine_launch launch = {
        .program = &program, .block = {32, 1, 1}, .grid = {1, 1, 1}, .layout = &layout};
    CU_ASSERT_EQUAL_FATAL(smc_machine_trace(&launch, index, 0, &trace, &error), SMC_OK);
    CU_ASSERT_EQUAL_FATAL(trace.count, 3);
    CU_ASSERT_EQUAL(entries[1].step, 1);
    CU_ASSERT_EQUAL(entries[1].wavefronts, 1);
    CU_ASSERT_EQUAL(entries[1].active_lanes, 32);
    CU_ASSERT_EQUAL(entries[2].step, 2);
    smc_machine_program_free(&program);
}

/* A call that nothing returns from is a branch; one of a function is not followed. */
static void test_calls(void)
{
    static const struct code call_one_if = {0x0000000000041944, 0x000fea0003c00000}; /* P1 */
    static const struct code give_back = {0x0000000000007950, 0x000fea0003c3ffff};   /* RET */
    const struct code branch[] = {read_thread, above_12, skip_one_if, subtract_16, exit_all};
    const struct code call[] = {read_thread, above_12, call_one_if, subtract_16, exit_all};
    const struct code function[] = {read_thread, above_12, call_one_if, exit_all, give_back};
    struct smc_machine_counts first, second;
    count_as(branch, 5, 32, 1, SMC_PRECISION_EXACT, &first);
    count_as(call, 5, 32, 1, SMC_PRECISION_EXACT, &second);
    CU_ASSERT_TRUE(second.exact);
    CU_ASSERT_EQUAL(first.instructions, second.instructions);
    for (int i = 0; i < 5; i++)
        CU_ASSERT_EQUAL(first.executions[i], second.executions[i]);
    smc_machine_counts_free(&first);
    smc_machine_counts_free(&second);
    count_as(function, 5, 32, 1, SMC_PRECISION_EXACT, &first);
    CU_ASSERT_FALSE(first.exact);
    CU_ASSERT_EQUAL(first.executions[3], 1);
    smc_machine_counts_free(&first);
}

CU_TestInfo tests_machine[] = {
    {"a loop", test_loop},
    {"a launch counted quickly", test_quick},
    {"lanes diverge and reconverge", test_divergence},
    {"what is unknown is reported", test_unknown},
    {"accesses to memory", test_memory},
    {"text", test_text},
    {"control bits", test_control_bits},
    {"votes", test_vote},
    {"calls", test_calls},
    {"the trace of a warp", test_trace},
    CU_TEST_INFO_NULL,
};
