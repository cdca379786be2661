/* machine: decoding and walking machine code. The encodings are from kernels of our own; nvdisasm
   provided their meaning. Here are small programs whose counts can be done by hand. */
#include <stdio.h>
#include <string.h>

#include "machine/sass/async.h"
#include "machine/sass/floats.h"
#include "machine/sass/lane_groups.h"
#include "machine/sass/sass_launch.h"
#include "machine/sass/warp_memory.h"
#include "machine_text.h"
#include "tensor_cases.h"
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
static const struct code meet = {0x0000000000007948, 0x000fea0003800000};        /* WARPSYNC.ALL */
static const struct code meet_named = {0x000000000d087348, 0x000fea0003c00000};  /* .COLLECTIVE */
static const struct code load = {0xffffe40402007981, 0x002ea8000c1e1900};        /* R0 */
static const struct code load_shared = {0x00000000100c7984, 0x000e220000000800}; /* R12 */
static const struct code move_zero = {0x000000ff00107202, 0x000fd60000000f00};   /* to R16 */
static const struct code unknown = {0x00000000000071ff, 0};

enum { MOST = 16 };

/* As bits. */
enum { ONE = 0x3f800000, THREE = 0x40400000, THIRD = 0x3eaaaaab };

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
    CU_ASSERT_EQUAL_FATAL(smc_machine_program_follow(program, false, false, &error), SMC_OK);
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
    static struct smc_sass_warp warp;
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

/* The first block of a cluster stands for all; code reads the shape at these places. */
static void test_clusters(void)
{
    enum { SHAPE = 0x144, RECIPROCALS = 0x150, BLOCKS = 0x188 };
    static const uint32_t shape[3] = {2, 4, 1};
    static unsigned char bank[SMC_MACHINE_CONSTANT_BYTES];
    static const struct smc_machine_program none;
    const struct smc_machine_launch launch = {
        .program = &none, .block = {32, 1, 1}, .grid = {8, 8, 2}, .cluster = {2, 4, 1}};
    struct smc_machine_place place;
    float reciprocal[3];
    uint32_t blocks;
    smc_launch_place(&launch, (const uint32_t[3]){5, 7, 1}, 0, &place);
    CU_ASSERT(place.index[0] == 4 && place.index[1] == 4 && place.index[2] == 1);
    smc_machine_cluster_constants(bank, launch.cluster);
    memcpy(reciprocal, bank + RECIPROCALS, sizeof reciprocal);
    memcpy(&blocks, bank + BLOCKS, sizeof blocks);
    CU_ASSERT(memcmp(bank + SHAPE, shape, sizeof shape) == 0);
    CU_ASSERT(reciprocal[0] == 0.5f && reciprocal[1] == 0.25f && reciprocal[2] == 1);
    CU_ASSERT_EQUAL(blocks, 8);
}

/* What is loaded from shared memory decides no address here, as the lanes that use R10 as one have
   set it under the same predicate, and as what was stored for an address is elsewhere in the frame,
   or not reached. */
static void test_slices(void)
{
    static const struct code load_10 = {0x00000000100a7984, 0x000e220000000800};      /* LDS R10 */
    static const struct code load_12 = {0x00000000100c7984, 0x000e220000000800};      /* LDS R12 */
    static const struct code set_10 = {0x00000004090aa211, 0x002fe400078010ff};       /* @!P2 LEA */
    static const struct code set_10_if_p2 = {0x00000004090a2211, 0x002fe400078010ff}; /* @P2 */
    static const struct code set_11 = {0x00000011090ba211, 0x008fe400000f1410};
    static const struct code above_12_p2 = {0x0000000c0000780c, 0x000fda0003f44270}; /* ISETP P2 */
    static const struct code store_10 = {0x00000c6f0a00a986,
                                         0x0005e2000c101906}; /* @!P2 STG [R10] */
    static const struct code save_12 = {0x0000080c01007387, 0x0001e40000100800}; /* STL [R1+8] */
    static const struct code save_14 = {0x0000100e01007387, 0x0001e40000100800}; /* STL [R1+16] */
    static const struct code save_12_at_16 = {0x0000100c01007387, 0x0001e40000100800};
    static const struct code load_saved = {0x00001000010a7983,
                                           0x002ea20000100800}; /* R10 [R1+16] */
    const struct {
        struct code code[6];
        bool by_block;
    } cases[] = {
        {{load_10, set_10, set_11, store_10, exit_all}, false},
        {{load_10, set_10_if_p2, set_11, store_10, exit_all}, true},
        {{load_10, set_10, set_11, above_12_p2, store_10, exit_all}, true},
        {{load_12, save_12, save_14, load_saved, store_10, exit_all}, false},
        {{load_12, save_14, save_12_at_16, load_saved, store_10, exit_all}, true},
        {{load_12, save_12_at_16, save_14, load_saved, store_10, exit_all}, false},
        {{load_12, save_12_at_16, exit_all, load_saved, store_10, exit_all}, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_machine_program program;
        struct smc_error error;
        program_of(cases[i].code, 6, &program);
        CU_ASSERT_EQUAL(smc_machine_program_follow(&program, true, false, &error), SMC_OK);
        CU_ASSERT_EQUAL(program.by_block, cases[i].by_block);
        smc_machine_program_free(&program);
    }
}

/* Where a copy past L1 goes to in shared memory decides what it asks L2 for; where another goes to
   decides nothing. */
static void test_targets_of_copies(void)
{
    static const struct code read_thread_7 = {0x0000000000077919, 0x000ea20000002100}; /* R7 */
    static const struct code past_l1 = {0x0000000002077fae, 0x002fe8000b901c48}; /* [R7], [R2.64] */
    static const struct code other = {0x0000000002077fae, 0x0003e2000b921848};
    const struct {
        struct code code[3];
        enum smc_purpose purpose;
    } cases[] = {{{read_thread_7, past_l1, exit_all}, SMC_PURPOSE_ADDRESS},
                 {{read_thread_7, other, exit_all}, SMC_PURPOSE_DATA}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_machine_program program;
        program_of(cases[i].code, 3, &program);
        CU_ASSERT_EQUAL(program.step[0].purpose, cases[i].purpose);
        smc_machine_program_free(&program);
    }
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

/* Lanes that have diverged go on together after WARPSYNC.ALL, but not after other forms, and they
   do not wait for those that are at another one. */
static void test_meeting(void)
{
    const struct code met[] = {read_thread, above_12, skip_one_if, subtract_16, meet, exit_all};
    const struct code named[] = {read_thread, above_12,   skip_one_if,
                                 subtract_16, meet_named, exit_all};
    const struct code elsewhere[] = {read_thread, join_after_four, above_12, skip_one_if, meet,
                                     join,        exit_all};
    struct counts counts;
    count(met, 6, 32, 1, &counts);
    CU_ASSERT_EQUAL(counts.end, SMC_WALK_WHOLE);
    CU_ASSERT_EQUAL(counts.executions[4], 2); /* each part arrives */
    CU_ASSERT_EQUAL(counts.executions[5], 1);
    count(met, 6, 13, 1, &counts);
    CU_ASSERT_EQUAL(counts.instructions, 6); /* no lane is above 12 */
    count(named, 6, 32, 1, &counts);
    CU_ASSERT_EQUAL(counts.executions[5], 2);
    count(elsewhere, 7, 32, 1, &counts); /* the others wait to be joined */
    CU_ASSERT_EQUAL(counts.end, SMC_WALK_WHOLE);
    CU_ASSERT_EQUAL(counts.executions[4], 1);
    CU_ASSERT_EQUAL(counts.executions[6], 1);
}

/* Lanes that wait at a barrier go on without those that have yielded, which do not wait for them
   afterwards; not while any runs that takes part. */
static void test_yield(void)
{
    enum { ALL = 0xff, LEFT = 0x0f, LEAVES = 0x30, STAYS = 0xc0, AT = 7 };
    struct smc_lane_groups groups;
    smc_lane_groups_start(&groups, ALL);
    smc_lane_groups_take_part(&groups.group[0], 3);
    smc_lane_groups_split(&groups, 0, LEFT, AT);
    smc_lane_groups_wait(&groups, 1, 3, ALL);
    smc_lane_groups_split(&groups, 0, LEAVES, AT);
    smc_lane_groups_yield(&groups, 0, ALL);
    CU_ASSERT_EQUAL(groups.count, 3);
    CU_ASSERT_EQUAL(groups.group[1].awaited, 3); /* one that has left runs */
    smc_lane_groups_wait(&groups, 2, 3, ALL);
    CU_ASSERT_EQUAL(groups.count, 3);
    smc_lane_groups_yield(&groups, 0, ALL);
    CU_ASSERT_EQUAL_FATAL(groups.count, 2);
    CU_ASSERT_EQUAL(groups.group[0].lanes, STAYS);
    CU_ASSERT_EQUAL(groups.group[1].lanes, LEFT | LEAVES);
    CU_ASSERT_EQUAL(groups.group[1].at, AT + 1);
    CU_ASSERT_EQUAL(groups.group[1].awaited, SMC_NO_BARRIER);
    smc_lane_groups_wait(&groups, 0, 3, ALL);
    CU_ASSERT_EQUAL(groups.group[1].awaited, SMC_NO_BARRIER);
    CU_ASSERT_EQUAL(groups.group[1].lanes, STAYS);
}

/* In a loop without loads lanes wait for each other, whether they yield or not. */
static void test_yield_without_loads(void)
{
    static const struct code back_four_if = {0xfffffffc00f01947, 0x000fec000383ffff}; /* P1 */
    static const struct code yield = {0x0000000000007946, 0x000fea0003800000};
    const struct code code[] = {read_thread, join_after_four, yield, subtract_16,
                                above_12,    back_four_if,    join,  exit_all};
    struct counts counts;
    count(code, 8, 32, 1, &counts); /* lanes above 28 go round twice */
    CU_ASSERT_EQUAL(counts.end, SMC_WALK_WHOLE);
    CU_ASSERT_EQUAL(counts.executions[2], 2);
    CU_ASSERT_EQUAL(counts.executions[7], 1);
}

/* A branch depends on the second predicate that a comparison writes. */
static void test_second_predicate(void)
{
    static const struct code not_above_12 = {0x0000000c0000780c, 0x000fe400039e4270}; /* of P1 */
    const struct code code[] = {read_thread, not_above_12, skip_one_if, subtract_16, exit_all};
    struct counts counts;
    count(code, 5, 13, 1, &counts);
    CU_ASSERT_EQUAL(counts.end, SMC_WALK_WHOLE);
    CU_ASSERT_EQUAL(counts.instructions, 4); /* no lane is above 12: all branch */
    count(code, 5, 32, 1, &counts);
    CU_ASSERT_EQUAL(counts.instructions, 6);
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
        struct smc_sass_instruction in;
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

/* SYNCS: an arrival may give a state, a wait sets a predicate and no register. */
static void test_barriers_in_shared_memory(void)
{
    static const struct {
        struct code code;
        unsigned predicate;
        enum smc_sass_operand_kind to;
        unsigned registers; /* of the state */
    } cases[] = {{{0x00000002ff0075a7, 0x000e22000800014d}, 0, SMC_OPERAND_NONE, 0},
                 {{0x00000000ff0379a7, 0x0011ea0008000009}, 7, SMC_OPERAND_REGISTER, 1},
                 {{0x000000ff110279a7, 0x000e22000810003f}, 7, SMC_OPERAND_REGISTER, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_machine_program program;
        program_of(&cases[i].code, 1, &program);
        CU_ASSERT_EQUAL(program.step[0].in.operation, SMC_OP_SYNCS);
        CU_ASSERT_EQUAL(program.step[0].in.to.kind, cases[i].to);
        CU_ASSERT_EQUAL(program.step[0].in.to.registers, cases[i].registers);
        CU_ASSERT_EQUAL(program.step[0].in.to_predicate[0], cases[i].predicate);
        smc_machine_program_free(&program);
    }
}

/* What a warp's registers hold of a product: what lies after them is not written. */
static void test_results_of_products(void)
{
    static const struct {
        struct code code;
        unsigned registers;
    } cases[] = {
        {{0x000000040418723c, 0x000fe200000018ff}, 4}, /* HMMA.16816.F32 */
        {{0x000000363054723c, 0x081fec0000000854}, 2}, /* HMMA.16816.F16 */
        {{0x00000004040c7237, 0x001fe20000405cff}, 4}, /* IMMA.16832.S8.S8 */
        {{0x0000000504187237, 0x000fe200000054ff}, 2}, /* IMMA.8816.S8.S8 */
        {{0x000000080810723f, 0x00006a00000020ff}, 8}, /* DMMA.16x8x8 */
        {{0x0000000a0808723f, 0x000e9e00000000ff}, 4}, /* DMMA.8x8x4 */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_machine_program program;
        program_of(&cases[i].code, 1, &program);
        CU_ASSERT_EQUAL(program.step[0].in.to.registers, cases[i].registers);
        smc_machine_program_free(&program);
    }
}

/* BRA.DIV goes only where lanes are missing. */
static void test_branch_if_diverged(void)
{
    static const struct code skip_one_if_diverged = {0x000000023f047947, 0x000fea000b800000};
    const struct code whole[] = {read_thread, skip_one_if_diverged, subtract_16, exit_all};
    const struct code apart[] = {read_thread,          above_12,    skip_one_if,
                                 skip_one_if_diverged, subtract_16, exit_all};
    struct counts counts;
    count(whole, 4, 32, 1, &counts);
    CU_ASSERT_EQUAL(counts.end, SMC_WALK_WHOLE);
    CU_ASSERT_EQUAL(counts.executions[2], 1);
    count(whole, 4, 13, 1, &counts); /* a warp of 13 threads is whole, too */
    CU_ASSERT_EQUAL(counts.executions[2], 1);
    count(apart, 6, 32, 1, &counts);
    CU_ASSERT_EQUAL(counts.end, SMC_WALK_WHOLE);
    CU_ASSERT_EQUAL(counts.executions[3], 1);
    CU_ASSERT_EQUAL(counts.executions[4], 1); /* only of the lanes that skipped the branch */
}

/* A switch: each thread goes to a step of its own. */
static void test_indirect_branch(void)
{
    static const struct code times_16 = {0x0000001000047824, 0x000fe200078e00ff}; /* R4: of R0 */
    static const struct code go_on_by = {0x0000000004007949, 0x000fea0003800000}; /* R4 */
    const struct code code[] = {read_thread, times_16,    go_on_by,
                                subtract_16, subtract_16, exit_all};
    struct counts counts;
    count(code, 6, 3, 1, &counts);
    CU_ASSERT_EQUAL(counts.end, SMC_WALK_WHOLE);
    CU_ASSERT_EQUAL(counts.executions[2], 3);
    CU_ASSERT_EQUAL(counts.executions[3], 1);
    CU_ASSERT_EQUAL(counts.executions[4], 2);
    CU_ASSERT_EQUAL(counts.executions[5], 3);
    count(code, 6, 1, 1, &counts);
    CU_ASSERT_EQUAL(counts.instructions, 6);
}

/* FSET.BF.GE.AND R11, R0, R5, P0: 1 or 0. */
static void test_set_float(void)
{
    static const unsigned char bytes[16] = {0x0a, 0x72, 0x0b, 0x00, 0x05, 0x00, 0x00, 0x00,
                                            0x00, 0x60, 0x00, 0x00, 0x00, 0xe4, 0x0f, 0x0c};
    enum { TWO = 0x40000000 };
    static struct smc_sass_warp warp;
    const struct smc_machine_place place = {.block = {32, 1, 1}, .grid = {1, 1, 1}};
    struct smc_sass_instruction in;
    CU_ASSERT_TRUE_FATAL(smc_instruction_decode(bytes, 0, 2, &in));
    smc_warp_start(&warp, &place);
    warp.reg[0] = (struct smc_lanes){.value = {TWO}, .same = true};
    warp.reg[5] = (struct smc_lanes){.value = {ONE, THREE, TWO, ONE}, .unknown = 1u << 4};
    warp.predicate[0] = (struct smc_flags){.is = ~(1u << 3)};
    smc_warp_evaluate(&warp, &in, UINT32_MAX);
    CU_ASSERT_EQUAL(warp.reg[11].value[0], ONE);
    CU_ASSERT_EQUAL(warp.reg[11].value[1], 0);
    CU_ASSERT_EQUAL(warp.reg[11].value[2], ONE);
    CU_ASSERT_EQUAL(warp.reg[11].value[3], 0);
    CU_ASSERT_EQUAL(warp.reg[11].unknown, 1u << 4);
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
        struct smc_sass_instruction in;
        for (size_t k = 0; k < 8; k++)
            bytes[k] = (unsigned char)(low >> (8 * k));
        CU_ASSERT_TRUE(smc_instruction_decode(bytes, 0, 2, &in));
        CU_ASSERT_EQUAL(in.operation, SMC_OP_BSSY);
        CU_ASSERT_EQUAL(in.target, cases[i].target);
    }
}

static uint32_t minimum_of(uint64_t low, uint64_t high, uint32_t a, uint32_t b, bool *known)
{
    static struct smc_sass_warp warp;
    const struct smc_machine_place place = {.block = {32, 1, 1}, .grid = {1, 1, 1}};
    const struct code code = {low, high};
    struct smc_machine_program program;
    program_of(&code, 1, &program);
    smc_warp_start(&warp, &place);
    warp.reg[0x11] = (struct smc_lanes){.value = {a}, .same = true};
    warp.reg[0] = (struct smc_lanes){.value = {b}, .same = true};
    smc_warp_evaluate(&warp, &program.step[0].in, UINT32_MAX);
    *known = warp.reg[7].unknown == 0;
    smc_machine_program_free(&program);
    return warp.reg[7].value[0];
}

/* VIMNMX R7, R17, R0, VIMNMX3 R7, R17, R0, R17 and VIADDMNMX R7, R17, R0, R17: of integers and of
   halves of 16 bits; .RELU: never negative. */
static void test_minima(void)
{
    enum { WORDS = 0x1107 };
    static const struct {
        uint64_t low, high;
        uint32_t a, b, result;
    } cases[] = {
        {0x7248, 0x004fc40003fe1100, 5, 9, 5},                            /* .RELU */
        {0x7248, 0x004fc40003fe1100, (uint32_t)-5, 9, 0},                 /* likewise */
        {0x7248, 0x0c8fe40007fe1100, (uint32_t)-5, 9, 9},                 /* the greatest */
        {0x7248, 0x0c8fe40007fe1100, (uint32_t)-5, (uint32_t)-9, 0},      /* likewise */
        {0x7248, 0x040fe20003fe0300, 0x0005fff0, 0x00030009, 0x0003fff0}, /* .S16x2 */
        {0x7248, 0x004fca0007fe0200, 0x0005fff0, 0x80030009, 0x8003fff0}, /* the greatest, .U16x2 */
        {0x720f, 0x004fca0007801311, 0xfff0fff0, 0xfff10009, 0x00000009}, /* .S16x2.RELU */
        {0x720f, 0x000fe40007801111, (uint32_t)-5, (uint32_t)-9, 0},      /* .RELU */
        {0x7246, 0x004fca0003800311, 0x0001ffff, 0x00010003, 0x0001ffff}, /* the least, .S16x2 */
        {0x7246, 0x004fca0007800311, 0x0001ffff, 0x00010003, 0x00020002}, /* the greatest */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool known;
        const uint64_t low = WORDS << 16 | cases[i].low;
        CU_ASSERT_EQUAL(minimum_of(low, cases[i].high, cases[i].a, cases[i].b, &known),
                        cases[i].result);
        CU_ASSERT_TRUE(known);
    }
}

/* What is not known matters only where it decides: SEL R3, R32, RZ, !P0, and ISETP.GE.U32.OR P2,
   PT, R5, R14, !P2. Registers that no instruction wrote to are not in question: PRMT R4, RZ,
   0x7610, R4. */
static void test_partly_unknown(void)
{
    static const struct code code[] = {{0x000000ff20037207, 0x000fe40004000000},
                                       {0x0000000e0500720c, 0x000fda0005746470},
                                       {0x00007610ff047816, 0x000fe20000000004}};
    static struct smc_sass_warp warp;
    const struct smc_machine_place place = {.block = {32, 1, 1}, .grid = {1, 1, 1}};
    struct smc_machine_program program;
    program_of(code, 3, &program);
    smc_warp_start(&warp, &place);
    warp.reg[32] = (struct smc_lanes){.value = {7}, .unknown = 0xff, .same = false};
    warp.predicate[0] = (struct smc_flags){.is = 0x0f};
    smc_warp_evaluate(&warp, &program.step[0].in, UINT32_MAX);
    CU_ASSERT_EQUAL(warp.reg[3].unknown, 0xf0);
    CU_ASSERT_EQUAL(warp.reg[3].value[0], 0);
    warp.reg[5] = (struct smc_lanes){.value = {1, 2, 3}, .same = false};
    warp.reg[14] = (struct smc_lanes){.value = {2}, .same = true};
    warp.predicate[2] = (struct smc_flags){.unknown = 0x7};
    smc_warp_evaluate(&warp, &program.step[1].in, UINT32_MAX);
    CU_ASSERT_EQUAL(warp.predicate[2].unknown, 0x1);
    CU_ASSERT_EQUAL(warp.predicate[2].is & 0x6, 0x6);
    smc_warp_evaluate(&warp, &program.step[2].in, UINT32_MAX);
    CU_ASSERT_EQUAL(warp.reg[4].unknown, 0);
    smc_machine_program_free(&program);
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
        static struct smc_sass_warp warp;
        const struct smc_machine_place place = {.block = {32, 1, 1}, .grid = {1, 1, 1}};
        const uint64_t low = 0x0000000001037219 | (uint64_t)2 << 32; /* SHF R3, R1, R2, R4 */
        const uint64_t high = 4 | (uint64_t)cases[i].is_unsigned << 9 |
                              (uint64_t)cases[i].right << 12 | (uint64_t)cases[i].high << 16;
        unsigned char bytes[16];
        struct smc_sass_instruction in;
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
    struct smc_sass_instruction in;
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

/* TEX.LL R4, R14, R12, R4, UR4, 0x0, 2D */
static const struct code fetch_float4 = {0x200004040c0e7f60, 0x000f6400099e0f04};

static void test_decode_fetch(void)
{
    unsigned char bytes[16];
    struct smc_sass_instruction in;
    for (size_t k = 0; k < 8; k++) {
        bytes[k] = (unsigned char)(fetch_float4.low >> (8 * k));
        bytes[8 + k] = (unsigned char)(fetch_float4.high >> (8 * k));
    }
    CU_ASSERT_TRUE_FATAL(smc_instruction_decode(bytes, 0, 2, &in));
    CU_ASSERT(in.operation == SMC_OP_TEX && smc_fetched_shape(&in) == SMC_FETCHES_2D);
    CU_ASSERT(in.to.number == 14 && in.to.registers == 2);
    CU_ASSERT(in.to_rest.number == 4 && in.to_rest.registers == 2);
    CU_ASSERT(in.from[0].number == 12 && in.from[0].registers == 2);
    CU_ASSERT(in.from[2].kind == SMC_OPERAND_UNIFORM && in.from[2].number == 4);
}

/* Sectors as an H200 counts them: texture_lines.c. */
static void test_fetched_sectors(void)
{
    static const struct {
        unsigned width;
        float offset;
        bool linear;
        unsigned sectors;
    } expected[] = {{32, 0.5f, false, 8}, {16, 0.5f, false, 4},  {8, 0.5f, false, 4},
                    {2, 0.5f, false, 8},  {1, 0.5f, false, 16},  {32, 0.5f, true, 8},
                    {32, 0.75f, true, 9}, {16, 0.75f, true, 10}, {1, 0.75f, true, 17}};
    static struct smc_placed_textures textures = {.count = 1};
    static struct smc_sass_warp warp;
    const struct smc_sass_instruction in = {
        .low = fetch_float4.low,
        .high = fetch_float4.high,
        .operation = SMC_OP_TEX,
        .from = {{.kind = SMC_OPERAND_REGISTER, .number = 12, .registers = 2},
                 {0},
                 {.kind = SMC_OPERAND_UNIFORM, .number = 4, .registers = 2}}};
    warp.uniform[4] = (struct smc_lanes){.same = true, .value = {1}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct smc_fetched fetched;
        textures.texture[0] = (struct smc_placed_texture){.texture = {.extent = {256, 256, 1},
                                                                      .channels = 1,
                                                                      .channel_bytes = 4,
                                                                      .kind = SMC_TEXEL_FLOAT,
                                                                      .linear = expected[i].linear},
                                                          .address = 512};
        for (unsigned lane = 0; lane < SMC_LANES; lane++) {
            float x = (float)(lane % expected[i].width) + expected[i].offset;
            float y = (float)(lane / expected[i].width) + expected[i].offset;
            memcpy(&warp.reg[12].value[lane], &x, sizeof x);
            memcpy(&warp.reg[13].value[lane], &y, sizeof y);
        }
        CU_ASSERT_TRUE_FATAL(smc_warp_fetches(&warp, &textures, &in, UINT32_MAX, &fetched));
        CU_ASSERT_EQUAL(fetched.sectors, expected[i].sectors);
        CU_ASSERT_EQUAL(fetched.passes, 8);
    }
    warp.uniform[4].value[0] = 2; /* no such object */
    struct smc_fetched none;
    CU_ASSERT_FALSE(smc_warp_fetches(&warp, &textures, &in, UINT32_MAX, &none));
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

/* At a barrier under a predicate only the lanes arrive for which it is true. */
static void test_barrier_under_predicate(void)
{
    static const struct code meet_if = {0x0000000000001b1d, 0x000fe20000010000}; /* P1: BAR.SYNC */
    static const uint32_t threads[] = {32, 13}, arrive[] = {32 - 13, 0};
    const struct code code[] = {read_thread, above_12, meet_if, exit_all};
    for (int i = 0; i < 2; i++) {
        struct smc_warp_trace_entry entries[8];
        struct smc_warp_trace_line lines[8];
        struct smc_warp_trace trace = {
            .entry = entries, .capacity = 8, .line = lines, .line_capacity = 8};
        static struct smc_patterns patterns;
        struct counts counts;
        trace.patterns = &patterns;
        walk(code, 4, threads[i], 1, &trace, &counts);
        CU_ASSERT_EQUAL_FATAL(trace.count, 4);
        CU_ASSERT_EQUAL(entries[2].step, 2);
        CU_ASSERT_EQUAL(entries[2].active_lanes, arrive[i]);
    }
}

/* A call that nothing returns from is a branch. */
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
    count(function, 5, 32, 1, &first); /* the lanes that call, and the others */
    CU_ASSERT_EQUAL(first.end, SMC_WALK_WHOLE);
    CU_ASSERT_EQUAL(first.executions[3], 2);
    CU_ASSERT_EQUAL(first.executions[4], 1);
    count(jumping, 7, 32, 1, &first);
    CU_ASSERT_EQUAL(first.end, SMC_WALK_WHOLE);
    CU_ASSERT_EQUAL(first.executions[3], 2);
    CU_ASSERT_EQUAL(first.executions[4], 1);
    CU_ASSERT_EQUAL(first.executions[5], 0);
    CU_ASSERT_EQUAL(first.executions[6], 1);
}

/* Functions that call functions, returns that nothing called, and calls without end. */
static void test_nested_calls(void)
{
    static const struct code call_next = {0x0000000000007944, 0x000fea0003c00000};
    static const struct code call_one_on = {0x0000000000047944, 0x000fea0003c00000};
    static const struct code call_itself = {0xfffffffc00fc7944, 0x000fea0003c3ffff};
    static const struct code give_back = {0x0000000000007950, 0x000fea0003c3ffff};
    static const struct code give_back_if = {0x0000000000001950, 0x000fea0003c3ffff}; /* P1 */
    const struct code nested[] = {call_one_on, exit_all, call_one_on, give_back, give_back};
    const struct code twice[] = {call_one_on, exit_all, call_next, give_back};
    const struct code endless[] = {call_one_on, exit_all, call_itself, give_back};
    const struct code alone[] = {give_back, exit_all};
    const struct code some[] = {read_thread, above_12,     call_one_on, exit_all,
                                read_thread, give_back_if, give_back};
    struct counts counts;
    count(nested, 5, 32, 1, &counts);
    CU_ASSERT_EQUAL(counts.end, SMC_WALK_WHOLE);
    CU_ASSERT_EQUAL(counts.instructions, 5);
    count(twice, 4, 32, 1, &counts); /* a function, whose end is one that it calls */
    CU_ASSERT_EQUAL(counts.end, SMC_WALK_WHOLE);
    CU_ASSERT_EQUAL(counts.executions[3], 2);
    count(endless, 4, 32, 1, &counts);
    CU_ASSERT_EQUAL(counts.end, SMC_WALK_TOO_DEEP);
    CU_ASSERT_EQUAL(counts.executions[1], 0);
    count(alone, 2, 32, 1, &counts);
    CU_ASSERT_EQUAL(counts.end, SMC_WALK_OUTSIDE);
    CU_ASSERT_EQUAL(counts.executions[1], 0);
    count(some, 7, 32, 1, &counts); /* some lanes return before the others */
    CU_ASSERT_EQUAL(counts.end, SMC_WALK_WHOLE);
    CU_ASSERT_EQUAL(counts.executions[3], 2);
    CU_ASSERT_EQUAL(counts.executions[6], 1);
}

/* A function that saves and restores the barrier which its caller waits at, and names it itself. */
static void test_barrier_of_caller(void)
{
    static const struct code call_five_on = {0x0000000000147944, 0x000fea0003c00000};
    static const struct code give_back = {0x0000000000007950, 0x000fea0003c3ffff};
    const struct code code[] = {
        join_after_four, call_five_on, subtract_16, subtract_16, join, subtract_16, exit_all,
        join_after_four, subtract_16,  subtract_16, subtract_16, join, give_back};
    struct counts counts;
    count(code, 13, 32, 1, &counts);
    CU_ASSERT_EQUAL(counts.end, SMC_WALK_WHOLE);
    CU_ASSERT_EQUAL(counts.executions[5], 1);
    CU_ASSERT_EQUAL(counts.executions[12], 1);
}

/* Whether the exceptional case of a root or a division comes is not known: it does not. */
static void test_avoided_call(void)
{
    static const struct code call_next_but_one = {0x0000000000047944, 0x000fea0003c00000};
    static const struct code give_back = {0x0000000000007950, 0x000fea0003c3ffff};
    const struct code code[] = {load,     above_12, skip_one_if, call_next_but_one,
                                exit_all, give_back};
    struct counts counts;
    count(code, 6, 32, 1, &counts);
    CU_ASSERT_EQUAL(counts.end, SMC_WALK_WHOLE);
    CU_ASSERT_EQUAL(counts.executions[3], 0);
    CU_ASSERT_EQUAL(counts.executions[4], 1);
}

/* A loop of 64 iterations that calls a function goes on in it, and is cut all the same. */
static void test_loop_with_call(void)
{
    static const struct code call_after_four = {0x0000000000107944, 0x000fea0003c00000};
    static const struct code back_four_if = {0xfffffffc00f01947, 0x000fec000383ffff}; /* P1 */
    static const struct code give_back = {0x0000000000007950, 0x000fea0003c3ffff};
    const struct code code[] = {move_1024,    call_after_four, subtract_16, above_12,
                                back_four_if, exit_all,        move_zero,   give_back};
    struct smc_warp_trace_entry entries[512];
    struct smc_warp_trace_skip skips[4];
    struct smc_warp_trace trace = {
        .entry = entries, .capacity = 512, .skip = skips, .skip_capacity = 4, .loop_entries = 30};
    struct counts counts;
    walk(code, 8, 32, 1, &trace, &counts);
    CU_ASSERT_EQUAL(counts.end, SMC_WALK_WHOLE);
    CU_ASSERT_EQUAL(counts.instructions, 1 + 64 * 6 + 1);
    CU_ASSERT_EQUAL(counts.executions[6], 64);
    CU_ASSERT_EQUAL(trace.length, 1 + 64 * 6 + 1);
    CU_ASSERT_EQUAL(trace.skip_count, 1);
    CU_ASSERT(trace.count < 60);
}

/* Matrices of eight rows, which begin `stride` bytes apart. */
static void matrix_access(struct code access, unsigned stride, unsigned wavefronts)
{
    const struct code by_stride = {(uint64_t)stride << 32 | 0x00007824, 0x000fe200078e02ff};
    const struct code code[] = {read_thread, by_stride, access, exit_all};
    struct smc_warp_trace_entry entries[8];
    static struct smc_patterns patterns;
    struct smc_warp_trace trace = {.entry = entries, .capacity = 8, .patterns = &patterns};
    struct counts counts;
    walk(code, 4, 32, 1, &trace, &counts);
    CU_ASSERT_EQUAL_FATAL(trace.count, 4);
    CU_ASSERT_EQUAL(entries[2].wavefronts, wavefronts);
    CU_ASSERT_FALSE(entries[2].unknown_addresses);
    CU_ASSERT_EQUAL(entries[2].lines, 0);
}

/* ldmatrix and stmatrix: each matrix takes the most words that a bank has of its eight rows. */
static void test_matrix_accesses(void)
{
    static const struct code load_1 = {0x00100000000b783b, 0x000ea20000000000};
    static const struct code load_2 = {0x000100000008783b, 0x000e680000004100};
    static const struct code load_4 = {0x000000000004783b, 0x000e280000000200};
    static const struct code store_1 = {0x0010000400007844, 0x000fe80000000000};
    static const struct code store_2 = {0x0001000c00007844, 0x000fe80000004100};
    static const struct code store_4 = {0x0000000400007844, 0x000fe20000000200};
    static const struct {
        unsigned stride, of_each;
    } rows[] = {{0, 1}, {16, 1}, {32, 2}, {48, 1}, {64, 4}, {80, 1}, {96, 2}, {128, 8}, {144, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        matrix_access(load_1, rows[i].stride, rows[i].of_each);
        matrix_access(load_2, rows[i].stride, 2 * rows[i].of_each);
        matrix_access(load_4, rows[i].stride, 4 * rows[i].of_each);
        matrix_access(store_1, rows[i].stride, rows[i].of_each);
        matrix_access(store_2, rows[i].stride, 2 * rows[i].of_each);
        matrix_access(store_4, rows[i].stride, 4 * rows[i].of_each);
    }
}

/* --- Division --------------------------------------------------------------------------------- */

/* What ptxas makes of R0 = R7 / R6, signed. */
static const struct code signed_division[] = {
    {0x0000000600057213, 0x001fc80000000000}, {0x0000000500007306, 0x000e220000209400},
    {0x0000000000007308, 0x001e220000001000}, {0x0000000700047213, 0x000fe20000000000},
    {0x0ffffffe00027836, 0x001fcc0000000000}, {0x0000000200037305, 0x000064000021f000},
    {0x00000000ff027435, 0x001fe200000001ff}, {0x000000ffff087224, 0x002fc800078e0a03},
    {0x0000000508097224, 0x000fca00078e02ff}, {0x0000000903037227, 0x000fcc00078e0002},
    {0x0000000403007227, 0x000fc800078e00ff}, {0x000000ffff037224, 0x000fc800078e0a00},
    {0x0000000305027224, 0x000fe200078e0204}, {0x0000000607047212, 0x000fc800078e3cff},
    {0x000000020500720c, 0x000fe40003f44070}, {0x000000ff0400720c, 0x000fd60003f26270},
    {0x800000050202a210, 0x080fe20007ffe0ff}, {0x000000010000a836, 0x000fe20000000000},
    {0x000000ff0600720c, 0x000fe40003f45270}, {0x000000050200720c, 0x000fe40003f06070},
    {0x0000000100000810, 0x000fc80007ffe0ff}, {0x000000ff00009210, 0x000fe40007ffe1ff},
    {0x00000006ff00a212, 0x000fca00078e33ff},
};
/* And of R6 = R0 % UR6, of 16 bits each. */
static const struct code rest_of_16_bits[] = {
    {0x0000000600027d06, 0x000e220008101000}, {0x4b800000ff037424, 0x000fe200078e00ff},
    {0x008000000200780b, 0x041fe40003f2e200}, {0x7e8000000200780b, 0x000fe40003f04200},
    {0x3f80000003037808, 0x000fc80004800000}, {0x3e80000003037808, 0x000fe40004000000},
    {0x00000006ff007c0c, 0x000fc6000bf05070}, {0x0000000302047220, 0x000fe40000400000},
    {0x0000000000027306, 0x000ff0000010d000}, {0x0000000400047308, 0x000e240000001000},
    {0x0000000403037220, 0x001fc80000400000}, {0x0000000203037836, 0x000fc80000000000},
    {0x0000000302057220, 0x000fcc000040c000}, {0x0000000500057305, 0x000e24000020f000},
    {0x0000ffff05027812, 0x001fc800078ec0ff}, {0x000000ff02037210, 0x000fe40007ffe1ff},
    {0x0000000603067c24, 0x000fe4000f8e0200}, {0xffffffffff068424, 0x000fe400078e00ff},
};

static void set_lanes(struct smc_lanes *lanes, uint32_t (*value)(uint32_t lane), bool same)
{
    lanes->same = same;
    lanes->unknown = 0;
    for (uint32_t lane = 0; lane < SMC_LANES; lane++)
        lanes->value[lane] = value(same ? 0 : lane);
}

static uint32_t value_of(const struct smc_lanes *lanes, uint32_t lane)
{
    return lanes->value[lanes->same ? 0 : lane];
}

static void evaluate(const struct code *code, size_t count, struct smc_sass_warp *warp)
{
    struct smc_machine_program program;
    for (size_t first = 0; first < count; first += MOST) {
        size_t part = count - first < MOST ? count - first : MOST;
        program_of(code + first, part, &program);
        for (uint32_t i = 0; i < program.count; i++) {
            uint32_t not_known, mask = smc_warp_holds(warp, program.step[i].in.guard, &not_known);
            CU_ASSERT_EQUAL(not_known, 0);
            smc_warp_evaluate(warp, &program.step[i].in, mask);
        }
        smc_machine_program_free(&program);
    }
}

static uint64_t random_state;

/* Small and large numbers, of both signs. */
static uint32_t random_number(uint32_t lane)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint32_t number = (uint32_t)(random_state >> 32) >> (random_state >> 20 & 31);
    return (lane ^ random_state >> 30) & 1 ? number : 0 - number;
}

static uint32_t zero_of(uint32_t lane)
{
    return 0 * lane;
}

static void test_division(void)
{
    static struct smc_sass_warp warp;
    static unsigned char bank[SMC_MACHINE_CONSTANT_BYTES];
    const struct smc_machine_place place = {
        .block = {32, 1, 1}, .grid = {1, 1, 1}, .constants = bank, .constant_bytes = sizeof bank};
    size_t wrong = 0;
    random_state = 29;
    for (int i = 0; i < 200; i++) {
        smc_warp_start(&warp, &place);
        set_lanes(&warp.reg[7], random_number, false);
        set_lanes(&warp.reg[6], random_number, i % 2);
        evaluate(signed_division, sizeof signed_division / sizeof *signed_division, &warp);
        CU_ASSERT_EQUAL(warp.reg[0].unknown, 0);
        for (uint32_t lane = 0; lane < SMC_LANES; lane++) {
            int64_t by = (int32_t)value_of(&warp.reg[6], lane);
            uint32_t result = (uint32_t)(by ? (int32_t)value_of(&warp.reg[7], lane) / by : -1);
            wrong += value_of(&warp.reg[0], lane) != result;
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

static void test_division_of_16_bits(void)
{
    static struct smc_sass_warp warp;
    static unsigned char bank[SMC_MACHINE_CONSTANT_BYTES];
    const struct smc_machine_place place = {
        .block = {32, 1, 1}, .grid = {1, 1, 1}, .constants = bank, .constant_bytes = sizeof bank};
    size_t wrong = 0;
    random_state = 16;
    for (int i = 0; i < 200; i++) {
        smc_warp_start(&warp, &place);
        set_lanes(&warp.reg[0], random_number, false);
        set_lanes(&warp.reg[8], zero_of, true);
        set_lanes(&warp.uniform[6], random_number, true);
        warp.uniform[6].value[0] &= 0xffff;
        for (uint32_t lane = 0; lane < SMC_LANES; lane++)
            warp.reg[0].value[lane] &= 0xffff;
        evaluate(rest_of_16_bits, sizeof rest_of_16_bits / sizeof *rest_of_16_bits, &warp);
        uint32_t by = warp.uniform[6].value[0];
        for (uint32_t lane = 0; lane < SMC_LANES; lane++)
            wrong += by && value_of(&warp.reg[6], lane) != value_of(&warp.reg[0], lane) % by;
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

struct lane_operands {
    uint32_t low[3], high[3];
    bool takes_first;
};

struct lane_result {
    uint32_t low, high;
    bool holds;
};

/* Evaluates an instruction for one lane and for 32, which have the same operands. */
static bool evaluate_floats(const struct smc_sass_instruction *in, const struct lane_operands *lane,
                            struct lane_result *result)
{
    uint32_t low[3][SMC_LANES], high[3][SMC_LANES], to[2][2][SMC_LANES] = {{{0}}};
    struct smc_float_results results[2] = {{.low = to[0][0], .high = to[0][1]},
                                           {.low = to[1][0], .high = to[1][1]}};
    bool evaluated[2];
    for (int i = 0; i < 2; i++) {
        struct smc_float_operands from = {.lanes = i ? SMC_LANES : 1,
                                          .takes_first = lane->takes_first ? UINT32_MAX : 0};
        for (int k = 0; k < 3; k++) {
            for (uint32_t l = 0; l < from.lanes; l++) {
                low[k][l] = lane->low[k];
                high[k][l] = lane->high[k];
            }
            from.low[k] = low[k];
            from.high[k] = high[k];
        }
        evaluated[i] = smc_floats_evaluate(in, &from, &results[i]);
    }
    *result = (struct lane_result){to[0][0][0], to[0][1][0], results[0].holds & 1};
    CU_ASSERT_EQUAL(evaluated[0], evaluated[1]);
    if (!evaluated[0])
        return false;
    CU_ASSERT_EQUAL(to[1][0][SMC_LANES - 1], result->low);
    CU_ASSERT_EQUAL(to[1][1][SMC_LANES - 1], result->high);
    CU_ASSERT_EQUAL(results[1].holds, result->holds ? UINT32_MAX : 0);
    CU_ASSERT_EQUAL(results[1].holds_not & 1, results[0].holds_not & 1);
    return true;
}

/* Conversions and counts, each as nvdisasm writes it. */
static void test_conversions(void)
{
    static const struct {
        struct code code;
        uint32_t from[2], result;
        const char *text;
    } cases[] = {
        {{0x0000000700057306, 0x000e300000209400}, {16777217}, 0x4b800001, "I2F.RP R5, R7"},
        {{0x0000000700057306, 0x000e300000209400}, {0xfefffffe}, 0xcb800001, "-16777218"},
        {{0x0000000700057306, 0x000e30000020d400}, {0x7fffffff}, 0x4effffff, "I2F.RZ R5, R7"},
        {{0x0000000700057306, 0x000e300000201400}, {0x7fffffff}, 0x4f000000, "I2F R5, R7"},
        {{0x0000000700057306, 0x000e300000201000}, {0xffffffff}, 0x4f800000, "I2F.U32 R5, R7"},
        {{0x1000000700057306, 0x000e300000101000}, {0x00030000}, 0, "I2F.U16 R5, R7.H1: none"},
        {{0x0000000600087312, 0x000e300000309000}, {1, 1}, 0x4f800001, "I2F.U64.RP R8, R6"},
        {{0x0000000600087312, 0x000e300000301400}, {UINT32_MAX, UINT32_MAX}, 0xbf800000, "S64"},
        {{0x0000000700007245, 0x000fca0000201400}, {0xffffffff}, 0xbf800000, "I2FP.F32.S32"},
        {{0x0000000000057305, 0x000e64000020f100}, {0xc0200000}, 0xfffffffe, "F2I.TRUNC of -2.5"},
        {{0x0000000000057305, 0x000e640000207100}, {0xc0200000}, 0xfffffffd, "F2I.FLOOR"},
        {{0x0000000000057305, 0x000e64000020b100}, {0x40200000}, 3, "F2I.CEIL of 2.5"},
        {{0x0000000000057305, 0x000e640000203100}, {0x40200000}, 2, "F2I of 2.5: even"},
        {{0x0000000000057305, 0x000e64000020f000}, {0xbf800000}, 0, "F2I.U32.TRUNC of -1"},
        {{0x0000000000057305, 0x000e64000020f100}, {0x7f800000}, 0x7fffffff, "F2I of INF"},
        {{0x8000000000057305, 0x000e64000020f100}, {0x40400000}, 0xfffffffd, "F2I of -R0"},
        {{0x0000000400047311, 0x000e24000020d800}, {0x4f800000}, 0, "F2I.U64.TRUNC: low word"},
        {{0x0000000000007300, 0x000e2400000e0000}, {0x00010000}, 16, "FLO.U32"},
        {{0x0000000000007300, 0x000e2400000e0400}, {0x00010000}, 15, "FLO.U32.SH"},
        {{0x0000000000007300, 0x000e2400000e0000}, {0}, 0xffffffff, "FLO.U32 of 0"},
        {{0x0000000000007300, 0x000e2400000e0200}, {0xffff0000}, 15, "FLO"},
        {{0x0000000700007301, 0x000e300000000000}, {1}, 0x80000000, "BREV"},
        {{0x00000005000472be, 0x000fe20008000000}, {0x0000000f}, 0xf0000000, "UBREV UR4, UR5"},
        {{0x0000000700057309, 0x000e640000000000}, {0xf0f0}, 8, "POPC"},
        {{0x8000000700057309, 0x000e640000000000}, {0xf0f0}, 24, "POPC of ~R7"},
        {{0x0000000800087308, 0x001e240000001000}, {0x40800000}, 0x3e800000, "MUFU.RCP of 4"},
        {{0x0000000800087308, 0x001e240000001400}, {0x40800000}, 0x3f000000, "MUFU.RSQ of 4"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_machine_program program;
        struct lane_result result;
        program_of(&cases[i].code, 1, &program);
        const struct lane_operands from = {.low = {0, cases[i].from[0]},
                                           .high = {0, cases[i].from[1]}};
        bool evaluated = evaluate_floats(&program.step[0].in, &from, &result);
        CU_ASSERT_EQUAL(evaluated, strstr(cases[i].text, ": none") == NULL);
        if (evaluated && result.low != cases[i].result)
            printf("%s: 0x%x\n", cases[i].text, result.low);
        CU_ASSERT_EQUAL(result.low, cases[i].result);
        smc_machine_program_free(&program);
    }
}

/* Double precision: three sources of which the third may be the second of two, and the result. */
static void test_doubles(void)
{
    static const struct {
        struct code code;
        double from[3], result;
        const char *text;
    } cases[] = {
        {{0x00000000040a7229, 0x000fd00000000006}, {1.5, 2.25}, 3.75, "DADD R10, R4, R6"},
        {{0x00000000ff107229, 0x000fe2000000090c}, {0, 5}, -5, "DADD R16, -RZ, -R12"},
        {{0x3ff000000e127429, 0x040fe40000000000}, {2.5}, 3.5, "DADD R18, R14, 1"},
        {{0x00000002080a7228, 0x004fe20000000000}, {3, 0.25}, 0.75, "DMUL R10, R8, R2"},
        {{0x3fe0000014147828, 0x000fe40000000000}, {7}, 3.5, "DMUL R20, R20, 0.5"},
        {{0x000000160c16022b, 0x000fe20000000016}, {3, 4, 5}, 17, "DFMA R22, R12, R22, R22"},
        {{0x3ff00000060a742b, 0x001fd00000000102}, {3, 2}, -5, "DFMA R10, -R6, R2, 1"},
        {{0x0000000a000e7313, 0x000e22000030d800}, {0, -2.75}, -2, "FRND.F64.TRUNC R14, R10"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_machine_program program;
        struct lane_operands from = {.takes_first = false};
        struct lane_result result;
        program_of(&cases[i].code, 1, &program);
        for (int k = 0; k < 3; k++) {
            uint64_t bits;
            memcpy(&bits, &cases[i].from[k], sizeof bits);
            const struct smc_sass_operand *operand = &program.step[0].in.from[k];
            bool immediate = operand->kind == SMC_OPERAND_IMMEDIATE;
            from.low[k] = immediate ? operand->value : (uint32_t)bits;
            from.high[k] = immediate ? 0 : (uint32_t)(bits >> 32);
        }
        CU_ASSERT_TRUE(evaluate_floats(&program.step[0].in, &from, &result));
        uint64_t bits = (uint64_t)result.high << 32 | result.low;
        double value;
        memcpy(&value, &bits, sizeof value);
        if (value != cases[i].result)
            printf("%s: %g\n", cases[i].text, value);
        CU_ASSERT_EQUAL(value, cases[i].result);
        smc_machine_program_free(&program);
    }
}

/* Of single and double precision, what programs rarely compute indices with. */
static void test_floats(void)
{
    enum { NONE = 1, HOLDS = 2, FIRST = 4 }; /* not evaluated; the predicates: result, source */
    static const struct {
        struct code code;
        uint64_t from[3], result;
        unsigned flags;
        const char *text;
    } cases[] = {
        {{0x00000005000d7221, 0x000fce000000c000}, {ONE, 0xb0800000}, 0x3f7fffff, 0, "FADD.RZ"},
        {{0x00000005000d7221, 0x000fce000000c000}, {0xbf800000, 0x30800000}, 0xbf7fffff, 0, "-"},
        {{0x00000005000d7221, 0x000fce000000c000}, {ONE, 0x30800000}, ONE, 0, "FADD.RZ: cut off"},
        {{0x00000005000f7221, 0x000fce0000008000}, {ONE, 0x21800000}, 0x3f800001, 0, "FADD.RP"},
        {{0x0000000500117221, 0x140fe20000004000}, {ONE, 0xa1800000}, 0x3f7fffff, 0, "FADD.RM"},
        {{0x0000000500137221, 0x040fe20000000000}, {ONE, 0x30800000}, ONE, 0, "FADD"},
        {{0x00000007000f7221, 0x041fe20000002000}, {0x3f400000, 0x3f000000}, ONE, 0, "FADD.SAT"},
        {{0x00000007000f7221, 0x041fe20000002000},
         {0xbf800000, 0x3f000000},
         0,
         0,
         "FADD.SAT of < 0"},
        {{0x00000007000f7221, 0x041fe20000002000},
         {0x3e800000, 0x3f000000},
         0x3f400000,
         0,
         "within"},
        {{0x0000000300027221, 0x000fce0000010000}, {0x00700000, 0}, 0, 0, "FADD.FTZ"},
        {{0x0000000500057220, 0x000fe20000408000}, {THREE, THIRD}, 0x3f800001, 0, "FMUL.RP"},
        {{0x00000005000d7220, 0x002fc6000040c000}, {THREE, THIRD}, ONE, 0, "FMUL.RZ"},
        {{0x0000000500157223, 0x1c0fe20000000007},
         {THREE, THIRD, 0xbf800000},
         0x33000000,
         0,
         "FFMA"},
        {{0x0000000500177223, 0x1c0fe2000000c007}, {THREE, THIRD, ONE}, 0x40000000, 0, "FFMA.RZ"},
        {{0x0000000b0d037223, 0x000fe2000000800e}, {THREE, THIRD, ONE}, 0x40000001, 0, "FFMA.RP"},
        {{0x0000000500197209, 0x000fe20003800000}, {ONE, 0xc0000000}, 0xc0000000, FIRST, "FMNMX"},
        {{0x0000000500197209, 0x000fe20003800000}, {ONE, 0xc0000000}, ONE, 0, "FMNMX: maximum"},
        {{0x00000007000a7209, 0x000fc60003820000}, {ONE, ONE}, ONE, 0, "FMNMX.NAN"},
        {{0x00000007000a7209, 0x000fc60003820000}, {0x7fc00000, ONE}, 0x7fffffff, 0, "of NAN"},
        {{0x40000007000b7209, 0x040fe20007840200}, {ONE, ONE}, 0, NONE, "FMNMX.XORSIGN"},
        {{0x0000000500007302, 0x000e660000000000}, {ONE, THREE}, 0, 0, "FCHK"},
        {{0x0000000500007302, 0x000e660000000000}, {0, THREE}, 0, HOLDS, "FCHK of 0"},
        {{0x0000000500007302, 0x000e660000000000}, {ONE, 0x00400000}, 0, HOLDS, "FCHK, subnormal"},
        {{0x0000000500007302, 0x000e660000000000}, {ONE, 0x7f800000}, 0, HOLDS, "FCHK, INF"},
        {{0x0000000500007302, 0x000e660000000000}, {0x7f800000, ONE}, 0, HOLDS, "FCHK of INF"},
        {{0x0000000500007302, 0x000e660000000000}, {0x08800000, ONE}, 0, HOLDS, "FCHK of little"},
        {{0x0000000500007302, 0x000e660000000000},
         {0x71800000, 0x26800000},
         0,
         HOLDS,
         "FCHK, apart"},
        {{0x00000004000d7308, 0x000e6a0000000800}, {0, THREE}, 0x41000000, 0, "MUFU.EX2"},
        {{0x0000000600067308, 0x000ff00000000c00}, {0, 0x41000000}, THREE, 0, "MUFU.LG2"},
        {{0x0000000800087308, 0x000ea20000002000}, {0, 0x40800000}, 0x40000000, 0, "MUFU.SQRT"},
        {{0x0000000500097308, 0x000e240000002400}, {0, 0xc1a00000}, 0xbf800000, 0, "MUFU.TANH"},
        {{0x00000009000b7308, 0x000e280000001800}, {0, 0x40100000}, 0x3fd00000, 0, "MUFU.RCP64H"},
        {{0x0000000500097308, 0x001e220000001c00}, {0, 0x40100000}, 0x3fe00000, 0, "MUFU.RSQ64H"},
        {{0x0000000b000b7308, 0x000ef00000000000}, {0, ONE}, 0, NONE, "MUFU.COS"},
        {{0x0000001d001d7308, 0x000f220000000400}, {0, ONE}, 0, NONE, "MUFU.SIN"},
        {{0x0000001a001a7312, 0x020e240000201c00},
         {0, 0xfffffffe},
         UINT64_C(0xc0) << 56,
         0,
         "I2F.F64"},
        {{0x00000000000e7312, 0x004e640000201800}, {0, 0xfffffffe}, 0x41efffffffc00000, 0, "U32"},
        {{0x0000001200127312, 0x004e240000301c00},
         {0, UINT64_MAX - 1},
         UINT64_C(0xc0) << 56,
         0,
         "I2F.F64.S64"},
        {{0x0000000800087312, 0x004e26000030dc00}, {0, 1}, 0, NONE, "I2F.F64.S64.RZ"},
        {{0x000000040202722b, 0x000fce000000c006}, {0, 0, 0}, 0, NONE, "DFMA.RZ"},
        {{0x000000040200722a, 0x148fe20003900000}, {0, UINT64_C(0xc0) << 56}, 0, 0, "DSETP.MIN"},
        {{0x000000040200722a, 0x148fe20003900000},
         {UINT64_C(0xc0) << 56, 0},
         0,
         HOLDS,
         "DSETP.MIN, first"},
        {{0x000000040200722a, 0x140fe20003b4f000},
         {0, UINT64_C(0xc0) << 56},
         0,
         HOLDS,
         "DSETP.MAX"},
        {{0x000000040200722a, 0x140fe20003b4f000}, {0, UINT64_MAX}, 0, NONE, "DSETP.MAX of NAN"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_machine_program program;
        struct lane_operands from = {.takes_first = cases[i].flags == FIRST};
        struct lane_result result = {0};
        program_of(&cases[i].code, 1, &program);
        for (int k = 0; k < 3; k++) {
            from.low[k] = (uint32_t)cases[i].from[k];
            from.high[k] = (uint32_t)(cases[i].from[k] >> 32);
        }
        const bool evaluated = evaluate_floats(&program.step[0].in, &from, &result);
        const uint64_t value = (uint64_t)result.high << 32 | result.low;
        CU_ASSERT_EQUAL(evaluated, cases[i].flags != NONE);
        if (evaluated) {
            if (value != cases[i].result || result.holds != (cases[i].flags == HOLDS))
                printf("%s: 0x%llx %d\n", cases[i].text, (unsigned long long)value, result.holds);
            CU_ASSERT_EQUAL(value, cases[i].result);
            CU_ASSERT_EQUAL(result.holds, cases[i].flags == HOLDS);
        }
        smc_machine_program_free(&program);
    }
}

/* --- Lanes together --------------------------------------------------------------------------- */

static void evaluate_together(const struct code *code, struct smc_sass_warp *warp)
{
    struct smc_machine_program program;
    program_of(code, 1, &program);
    CU_ASSERT_TRUE(smc_warp_evaluate_together(warp, &program.step[0].in, UINT32_MAX));
    smc_machine_program_free(&program);
}

static uint32_t odd_but_one_large(uint32_t lane)
{
    return lane == 3 ? 0xc0000001 : 2 * lane + 1;
}

static void test_reductions(void)
{
    static const struct {
        struct code code;
        uint32_t result;
    } cases[] = {
        {{0x00000000040673c4, 0x000eb00000000000}, 1},          /* REDUX UR6, R4: and */
        {{0x00000000040673c4, 0x000e220000004000}, 0xc000003f}, /* OR */
        {{0x00000000040673c4, 0x000fe20000008000}, 0xc0000006}, /* XOR */
        {{0x00000000040673c4, 0x000e62000000c000}, 0xc00003fa}, /* SUM */
        {{0x00000000040673c4, 0x000ea20000010000}, 1},          /* MIN */
        {{0x00000000040673c4, 0x000f240000014000}, 0xc0000001}, /* MAX */
        {{0x00000000040673c4, 0x000ee20000010200}, 0xc0000001}, /* MIN.S32 */
        {{0x00000000040673c4, 0x000e220000014200}, 63},         /* MAX.S32 */
    };
    static struct smc_sass_warp warp;
    const struct smc_machine_place place = {.block = {32, 1, 1}, .grid = {1, 1, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        smc_warp_start(&warp, &place);
        set_lanes(&warp.reg[4], odd_but_one_large, false);
        evaluate_together(&cases[i].code, &warp);
        CU_ASSERT_EQUAL(warp.uniform[6].unknown, 0);
        CU_ASSERT_EQUAL(value_of(&warp.uniform[6], 0), cases[i].result);
        warp.reg[4].unknown = 1u << 9;
        evaluate_together(&cases[i].code, &warp);
        CU_ASSERT_NOT_EQUAL(warp.uniform[6].unknown, 0);
    }
}

static uint32_t rest_of_4(uint32_t lane)
{
    return lane % 4;
}

static uint32_t half_of_warp(uint32_t lane)
{
    return lane / 16;
}

/* Which lanes hold the same, also in 64 bits: R6 alike in all lanes, R7 in each half. */
static void test_matches(void)
{
    static const struct code any = {0x00000000040973a1, 0x000f2200000e8000}; /* R9, of R4 */
    static const struct code any_of_64 = {0x00000000060573a1, 0x00076200000e8200};
    static const struct code all = {0x00000000040b73a1, 0x004e620000020000};       /* P1, R11 */
    static const struct code all_of_64 = {0x00000000060f73a1, 0x008ef00000040200}; /* P2, R15 */
    static struct smc_sass_warp warp;
    const struct smc_machine_place place = {.block = {32, 1, 1}, .grid = {1, 1, 1}};
    smc_warp_start(&warp, &place);
    set_lanes(&warp.reg[4], rest_of_4, false);
    set_lanes(&warp.reg[6], zero_of, true);
    set_lanes(&warp.reg[7], half_of_warp, false);
    evaluate_together(&any, &warp);
    CU_ASSERT_EQUAL(value_of(&warp.reg[9], 5), 0x22222222);
    evaluate_together(&any_of_64, &warp);
    CU_ASSERT_EQUAL(value_of(&warp.reg[5], 2), 0xffff);
    CU_ASSERT_EQUAL(value_of(&warp.reg[5], 17), 0xffff0000);
    evaluate_together(&all, &warp);
    CU_ASSERT_EQUAL(value_of(&warp.reg[11], 5), 0);
    CU_ASSERT_EQUAL(warp.predicate[1].is, 0);
    evaluate_together(&all_of_64, &warp);
    CU_ASSERT_EQUAL(warp.predicate[2].is, 0);
    set_lanes(&warp.reg[7], zero_of, true);
    evaluate_together(&all_of_64, &warp);
    CU_ASSERT_EQUAL(value_of(&warp.reg[15], 5), UINT32_MAX);
    CU_ASSERT_EQUAL(warp.predicate[2].is, UINT32_MAX);
    warp.reg[4].unknown = 1;
    evaluate_together(&any, &warp);
    CU_ASSERT_EQUAL(warp.reg[9].unknown, UINT32_MAX);
}

/* S2R of the masks of lanes; setmaxnreg finds its registers; vote.uni. */
static void test_masks_of_lanes(void)
{
    static const struct code after = {0x0000000000137919, 0x000e220000003b00};         /* R19 */
    static const struct code from = {0x0000000000157919, 0x000e620000003c00};          /* R21 */
    static const struct code before = {0x0000000000057919, 0x000f240000003900};        /* R5 */
    static const struct code get_registers = {0x000000e8000079c8, 0x000e240008000600}; /* UP0 */
    static const struct code alike = {0x0000000000ff7806, 0x000fce0000000200}; /* P0, of P0 */
    static struct smc_sass_warp warp;
    const struct smc_machine_place place = {.block = {32, 1, 1}, .grid = {1, 1, 1}};
    smc_warp_start(&warp, &place);
    evaluate_together(&after, &warp);
    evaluate_together(&from, &warp);
    evaluate_together(&before, &warp);
    CU_ASSERT_EQUAL(value_of(&warp.reg[19], 4), 0xffffffe0);
    CU_ASSERT_EQUAL(value_of(&warp.reg[21], 4), 0xfffffff0);
    CU_ASSERT_EQUAL(value_of(&warp.reg[5], 4), 0x0000000f);
    warp.uniform_predicate[0] = (struct smc_flags){.unknown = UINT32_MAX};
    evaluate_together(&get_registers, &warp);
    CU_ASSERT_EQUAL(warp.uniform_predicate[0].is, UINT32_MAX);
    CU_ASSERT_EQUAL(warp.uniform_predicate[0].unknown, 0);
    warp.predicate[0] = (struct smc_flags){.is = 1};
    evaluate_together(&alike, &warp);
    CU_ASSERT_EQUAL(warp.predicate[0].is, 0);
    warp.predicate[0] = (struct smc_flags){.unknown = 1};
    evaluate_together(&alike, &warp);
    CU_ASSERT_EQUAL(warp.predicate[0].unknown, UINT32_MAX);
}

/* --- What memory holds ------------------------------------------------------------------------ */

/* Global memory that has the same eight bytes, again and again, from wherever it is read. */
static bool read_repeated(void *context, uint64_t address, size_t bytes, void *to, unsigned *array)
{
    (void)address;
    *array = 0;
    for (size_t i = 0; i < bytes; i++)
        ((unsigned char *)to)[i] = ((const unsigned char *)context)[i % 8];
    return true;
}

static void set_pair(struct smc_sass_warp *warp, unsigned number, uint64_t value)
{
    for (unsigned part = 0; part < 2; part++)
        warp->reg[number + part] =
            (struct smc_lanes){.value = {(uint32_t)(value >> 32 * part)}, .same = true};
}

static void access_memory(struct smc_warp_memory *memory, struct smc_sass_warp *warp,
                          const struct code *code)
{
    struct smc_machine_program program;
    program_of(code, 1, &program);
    CU_ASSERT_TRUE(smc_warp_memory_execute(memory, warp, &program.step[0].in, 1, false));
    smc_machine_program_free(&program);
}

/* Each atomic twice: the second one finds what the first one left. */
static void test_atomics(void)
{
    static const struct {
        struct code code;
        unsigned at, by_register, to; /* registers */
        uint64_t before, by, after;
    } cases[] = {
        /* ATOMG MIN.S32, MIN, MAX.S32, MAX */
        {{0x00000004060579a8, 0x004eaa00089ee3c6}, 6, 4, 5, 5, 0xfffffffd, 0xfffffffd},
        {{0x00000004080979a8, 0x001ee200089ee1c6}, 8, 4, 9, 5, 0xfffffffd, 5},
        {{0x000000040a0b79a8, 0x000ea200091ee3c6}, 10, 4, 11, 5, 0xfffffffd, 5},
        {{0x00000004060579a8, 0x002ea800091ee1c6}, 6, 4, 5, 5, 0xfffffffd, 0xfffffffd},
        /* MIN.64, and MAX.S64 of 8.x */
        {{0x000000040e0e79a8, 0x004ea200089ee5c6}, 14, 4, 14, 5, UINT64_MAX, 5},
        {{0x00000004101079a8, 0x001f2200091eebc6}, 16, 4, 16, UINT64_MAX, 5, 5},
        /* INC, DEC, AND, OR, XOR, EXCH */
        {{0x00000404060d79a8, 0x000ea800099ee1c6}, 6, 4, 13, 5, 9, 6},
        {{0x00000404060d79a8, 0x000ea800099ee1c6}, 6, 4, 13, 9, 9, 0},
        {{0x00000804060b79a8, 0x000ea8000a1ee1c6}, 6, 4, 11, 5, 9, 4},
        {{0x00000804060b79a8, 0x000ea8000a1ee1c6}, 6, 4, 11, 0, 9, 9},
        {{0x00000804060b79a8, 0x000ea8000a1ee1c6}, 6, 4, 11, 12, 9, 9},
        {{0x00000c04060f79a8, 0x000ea8000a9ee1c6}, 6, 4, 15, 12, 10, 8},
        {{0x00001004061179a8, 0x000f68000b1ee1c6}, 6, 4, 17, 12, 10, 14},
        {{0x00001404061779a8, 0x000f22000b9ee1c6}, 6, 4, 23, 12, 10, 6},
        {{0x00002c04060f79a8, 0x001ea2000c1ee1c6}, 6, 4, 15, 12, 10, 10},
        /* ADD.F32 and .F64: 1.5 + 2.25 */
        {{0x00000019080979a3, 0x008ee200081ef3c6}, 8, 25, 9, 0x3fc00000, 0x40100000, 0x40700000},
        {{0x0000000a0c0a79a3, 0x001eea00081effc6},
         12,
         10,
         10,
         UINT64_C(0x3ff8) << 48,
         UINT64_C(0x4002) << 48,
         UINT64_C(0x400e) << 48},
        /* ATOM.ADD, of a generic address */
        {{0x000000090a0b798a, 0x000ea200081ee1c6}, 10, 9, 11, 5, 9, 14},
        /* ATOM.CAS: the new value is in the register behind; .64, of another one */
        {{0x000000100607738b, 0x001f6200001ee111}, 6, 16, 7, 5, UINT64_C(9) << 32 | 5, 9},
        {{0x000000100607738b, 0x001f6200001ee111}, 6, 16, 7, 5, UINT64_C(9) << 32 | 4, 5},
        {{0x0000000c080a738b, 0x000162000010e50e}, 8, 12, 10, UINT64_MAX, 7, UINT64_MAX},
    };
    static struct smc_sass_warp warp;
    const struct smc_machine_place place = {.block = {32, 1, 1}, .grid = {1, 1, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned char bytes[8];
        memcpy(bytes, &cases[i].before, sizeof bytes); /* hosts are little-endian */
        const struct smc_contents contents = {read_repeated, bytes};
        struct smc_warp_memory memory = {.contents = &contents, .values = true};
        const bool wide = cases[i].before >> 32;
        smc_warp_memory_start(&memory);
        for (int time = 0; time < 2; time++) {
            const uint64_t expected = time == 0 ? cases[i].before : cases[i].after;
            smc_warp_start(&warp, &place);
            set_pair(&warp, cases[i].by_register, cases[i].by);
            set_pair(&warp, cases[i].at, 0x10000);
            access_memory(&memory, &warp, &cases[i].code);
            CU_ASSERT_EQUAL(warp.reg[cases[i].to].unknown & 1, 0);
            CU_ASSERT_EQUAL(value_of(&warp.reg[cases[i].to], 0), (uint32_t)expected);
            if (wide)
                CU_ASSERT_EQUAL(value_of(&warp.reg[cases[i].to + 1], 0), expected >> 32);
        }
        smc_warp_memory_free(&memory);
    }
}

/* Those that return nothing: a load finds what they left. */
static void test_reductions_in_memory(void)
{
    static const struct code loads = {0x000000040c057981, 0x000ea2000c1e1900}; /* R5, [R12] */
    static const struct {
        struct code code;
        uint32_t before, by, after;
    } cases[] = {
        /* REDG ADD, MIN.S32, MAX.S32, MAX, INC, AND, OR, XOR: [R2], R4 */
        {{0x000000040200798e, 0x004fe4000c10e184}, 5, 9, 14},
        {{0x000000040200798e, 0x000fe4000c90e384}, 5, 0xfffffffd, 0xfffffffd},
        {{0x000000040200798e, 0x000fe4000d10e384}, 5, 0xfffffffd, 5},
        {{0x000000040200798e, 0x000fe2000d10e184}, 5, 0xfffffffd, 0xfffffffd},
        {{0x000000040200798e, 0x000fe2000d90e184}, 5, 9, 6},
        {{0x000000040200798e, 0x000fe8000e90e184}, 12, 10, 8},
        {{0x000000040200798e, 0x000fe2000f10e184}, 12, 10, 14},
        {{0x000000040200798e, 0x000fe8000f90e184}, 12, 10, 6},
        /* REDG.ADD.F32.FTZ.RN: 1.5 + 2.25 */
        {{0x00000004020079a6, 0x010fe8000c10f384}, 0x3fc00000, 0x40100000, 0x40700000},
    };
    static struct smc_sass_warp warp;
    const struct smc_machine_place place = {.block = {32, 1, 1}, .grid = {1, 1, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned char bytes[8] = {0};
        memcpy(bytes, &cases[i].before, sizeof cases[i].before);
        const struct smc_contents contents = {read_repeated, bytes};
        struct smc_warp_memory memory = {.contents = &contents, .values = true};
        smc_warp_memory_start(&memory);
        smc_warp_start(&warp, &place);
        set_pair(&warp, 4, cases[i].by);
        set_pair(&warp, 2, 0x10000);
        set_pair(&warp, 12, 0x10000);
        access_memory(&memory, &warp, &cases[i].code);
        access_memory(&memory, &warp, &loads);
        CU_ASSERT_EQUAL(warp.reg[5].unknown & 1, 0);
        CU_ASSERT_EQUAL(value_of(&warp.reg[5], 0), cases[i].after);
        smc_warp_memory_free(&memory);
    }
}

/* SGXT.U32 R14, R15, R16, SGXT, and SGXT.W.U32, which is not evaluated. */
static void test_extensions(void)
{
    static const struct {
        struct code code;
        uint32_t value, bits, result;
    } cases[] = {
        {{0x000000100f0e721a, 0x000fcc0000000000}, 0xfedcba98, 32, 0xfedcba98},
        {{0x000000100f0e721a, 0x000fcc0000000000}, 0xfedcba98, 40, 0xfedcba98},
        {{0x000000100f0e721a, 0x000fcc0000000000}, 0xfedcba98, 8, 0x98},
        {{0x000000100f0e721a, 0x000fcc0000000200}, 0xfedcba98, 8, 0xffffff98},
        {{0x000000100f0e721a, 0x000fcc0000000200}, 0xfedcba98, 4, 0xfffffff8},
        {{0x000000100f0e721a, 0x000fcc0000000200}, 0xfedcba98, 0, 0},
    };
    static const struct code wraps = {0x000000100f0e721a, 0x000fcc0000000800};
    static struct smc_sass_warp warp;
    const struct smc_machine_place place = {.block = {32, 1, 1}, .grid = {1, 1, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        smc_warp_start(&warp, &place);
        set_pair(&warp, 14, 0);
        set_pair(&warp, 15, cases[i].value);
        set_pair(&warp, 16, cases[i].bits);
        evaluate(&cases[i].code, 1, &warp);
        CU_ASSERT_EQUAL(warp.reg[14].unknown, 0);
        CU_ASSERT_EQUAL(value_of(&warp.reg[14], 0), cases[i].result);
    }
    evaluate(&wraps, 1, &warp);
    CU_ASSERT_EQUAL(warp.reg[14].unknown, UINT32_MAX);
}

/* BMSK R14, R15, R16, and BMSK.W, which is not evaluated. */
static void test_masks_of_bits(void)
{
    static const struct {
        uint32_t at, bits, result;
    } cases[] = {
        {0, 4, 0xf},         {4, 8, 0xff0}, {28, 8, 0xf0000000}, {0, 32, UINT32_MAX},
        {1, 40, 0xfffffffe}, {5, 0, 0},     {32, 4, 0},
    };
    static const struct code masks = {0x000000100f0e721b, 0x000fcc0000000000},
                             wraps = {0x000000100f0e721b, 0x000fcc0000000800};
    static struct smc_sass_warp warp;
    const struct smc_machine_place place = {.block = {32, 1, 1}, .grid = {1, 1, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        smc_warp_start(&warp, &place);
        set_pair(&warp, 15, cases[i].at);
        set_pair(&warp, 16, cases[i].bits);
        evaluate(&masks, 1, &warp);
        CU_ASSERT_EQUAL(warp.reg[14].unknown, 0);
        CU_ASSERT_EQUAL(value_of(&warp.reg[14], 0), cases[i].result);
    }
    evaluate(&wraps, 1, &warp);
    CU_ASSERT_EQUAL(warp.reg[14].unknown, UINT32_MAX);
}

/* LDC.U8 R17, c[0x3][R7-1], LDC.U8 R17, c[0x3][R7+4] and LDC R17, c[0x3][R7-1]: what is read is at
   the sum of the index and the operand's place, which may be outside the bank alone; of the bank
   only the bytes that are read need be there. */
static void test_indexed_constants(void)
{
    static const struct code before = {0x00ffffc007117b82, 0x0000620000000000},
                             after = {0x00c0010007117b82, 0x0000620000000000},
                             word = {0x00ffffc007117b82, 0x0000620000000800};
    static const struct {
        const struct code *code;
        uint32_t index, unknown, value;
    } cases[] = {{&before, 1, 0, 10},      {&before, 6, 0, 15},         {&before, 7, UINT32_MAX, 0},
                 {&after, 1, 0, 15},       {&after, 0xfffffffe, 0, 12}, {&before, 0, UINT32_MAX, 0},
                 {&word, 1, 0, 0xd0c0b0a}, {&word, 4, UINT32_MAX, 0}};
    static unsigned char data[] = {10, 11, 12, 13, 14, 15};
    const struct smc_constant_bank bank[SMC_CONSTANT_BANKS] = {[3] = {data, sizeof data}};
    const struct smc_machine_place place = {.block = {32, 1, 1}, .grid = {1, 1, 1}, .bank = bank};
    static struct smc_sass_warp warp;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        smc_warp_start(&warp, &place);
        set_pair(&warp, 7, cases[i].index);
        evaluate(cases[i].code, 1, &warp);
        CU_ASSERT_EQUAL(warp.reg[17].unknown, cases[i].unknown);
        if (!cases[i].unknown)
            CU_ASSERT_EQUAL(value_of(&warp.reg[17], 0), cases[i].value);
    }
}

/* cp.async of 16 and of 4 bytes: what it brings to shared memory is loaded from there. */
static void test_copies_to_shared(void)
{
    static const struct code copy_16 = {0x0000000002077fae, 0x002fe8000b901c48}; /* [R7], [R2.64] */
    static const struct code copy_4 = {0x0020000002077fae, 0x0003e2000b921848};  /* [R7+0x200] */
    static struct smc_sass_warp warp;
    unsigned char bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    const struct smc_contents contents = {read_repeated, bytes};
    const struct smc_machine_place place = {.block = {32, 1, 1}, .grid = {1, 1, 1}};
    struct smc_warp_memory memory = {.contents = &contents};
    smc_warp_memory_start(&memory);
    smc_warp_start(&warp, &place);
    set_pair(&warp, 2, 0x10000);
    set_pair(&warp, 7, 0x100);
    access_memory(&memory, &warp, &copy_16);
    access_memory(&memory, &warp, &copy_4);
    set_pair(&warp, 16, 0x10c);
    access_memory(&memory, &warp, &load_shared); /* R12 */
    CU_ASSERT_EQUAL(warp.reg[12].unknown & 1, 0);
    CU_ASSERT_EQUAL(value_of(&warp.reg[12], 0), 0x08070605);
    set_pair(&warp, 16, 0x300);
    access_memory(&memory, &warp, &load_shared);
    CU_ASSERT_EQUAL(warp.reg[12].unknown & 1, 0);
    CU_ASSERT_EQUAL(value_of(&warp.reg[12], 0), 0x04030201);
    warp.reg[2].unknown = 1;
    access_memory(&memory, &warp, &copy_4);
    access_memory(&memory, &warp, &load_shared);
    CU_ASSERT_EQUAL(warp.reg[12].unknown & 1, 1);
    smc_warp_memory_free(&memory);
}

/* An atomic, a load and a copy to shared memory of a warp. Returns what the atomic found; R5 and
   R12 receive what the others do. */
static uint32_t access_all(struct smc_warp_memory *memory, struct smc_sass_warp *warp)
{
    static const struct code loads = {0x000000040c057981, 0x000ea2000c1e1900}; /* R5, [R12] */
    static const struct code increments = {0x00000404060d79a8,
                                           0x000ea800099ee1c6};                  /* R13, [R6+4] */
    static const struct code copy_16 = {0x0000000002077fae, 0x002fe8000b901c48}; /* [R7], [R2.64] */
    const struct smc_machine_place place = {.block = {32, 1, 1}, .grid = {1, 1, 1}};
    smc_warp_memory_start(memory);
    smc_warp_start(warp, &place);
    set_pair(warp, 4, 9);
    set_pair(warp, 6, 0x10000);
    access_memory(memory, warp, &increments);
    const uint32_t found = value_of(&warp->reg[13], 0);
    set_pair(warp, 12, 0x10004);
    access_memory(memory, warp, &loads);
    set_pair(warp, 2, 0x20000);
    set_pair(warp, 7, 0x100);
    access_memory(memory, warp, &copy_16);
    set_pair(warp, 16, 0x10c);
    access_memory(memory, warp, &load_shared); /* R12 */
    return found;
}

/* What global memory returned to a warp, it returns again, whatever it has, and is not changed. */
static void test_returned_again(void)
{
    static struct smc_sass_warp first, again;
    unsigned char bytes[8] = {5}, zeros[8] = {0};
    const struct smc_contents contents = {read_repeated, bytes}, others = {read_repeated, zeros};
    struct smc_returned returned;
    CU_ASSERT_TRUE_FATAL(smc_returned_start(&returned, 3));
    struct smc_warp_memory memory = {
        .contents = &contents, .values = true, .returned = {.all = &returned, .first = 1}};
    struct smc_warp_memory other = {.contents = &others, .values = true, .warp = 1};
    CU_ASSERT_EQUAL(access_all(&memory, &first), 5);
    CU_ASSERT_EQUAL(value_of(&first.reg[5], 0), 6);
    for (int time = 0; time < 2; time++) {
        smc_returned_again(&other.returned, &returned, 0, 3);
        CU_ASSERT_EQUAL(access_all(&other, &again), 5);
        CU_ASSERT_EQUAL(value_of(&again.reg[5], 0), 6);
        CU_ASSERT_EQUAL(value_of(&again.reg[12], 0), value_of(&first.reg[12], 0));
        CU_ASSERT_EQUAL(again.reg[12].unknown & 1, 0);
        CU_ASSERT_EQUAL(other.count, 0);
    }
    CU_ASSERT_FALSE(returned.full);
    smc_warp_memory_free(&memory);
    smc_warp_memory_free(&other);
    smc_returned_free(&returned);
}

static struct smc_async async_of(const struct code *code, const struct smc_sass_warp *warp,
                                 uint32_t mask)
{
    struct smc_machine_program program;
    program_of(code, 1, &program);
    const struct smc_async async = smc_async_of(warp, &program.step[0].in, mask, NULL);
    smc_machine_program_free(&program);
    return async;
}

/* Copies that arrive, the number of a named barrier, and the box of a tensor map. */
static void test_asynchronous_work(void)
{
    static const struct code arrive = {0x00000000ff0079b0, 0x000fe20008000a87};   /* [UR7] */
    static const struct code wait_for = {0x014000070900791d, 0x000fec0000010000}; /* BAR 5, R7 */
    static const struct code wait = {0x000100040000751d, 0x004ff00000010000};     /* BAR R4, 64 */
    static const struct code load_box = {0x00000004080075b4, 0x0001d80008008000}; /* [UR4], [UR8] */
    /* MULTICAST, by UR6 */
    static const struct code load_boxes = {0x00000004080075b4, 0x0001d80008008806},
                             load_bytes = {0x00000004080073ba, 0x0001d80008000a06};
    static const struct tensor_case tensor = {
        .type = SMC_TENSOR_U16, .size = {64, 64}, .box = {16, 8}, .step = {1, 2}};
    static struct smc_sass_warp warp;
    static unsigned char bank[SMC_MACHINE_CONSTANT_BYTES];
    const struct smc_machine_place place = {
        .block = {32, 1, 1}, .grid = {1, 1, 1}, .constants = bank, .constant_bytes = sizeof bank};
    struct smc_machine_program program;
    struct smc_tensor_map map;
    CU_ASSERT_TRUE_FATAL(tensor_case_map(&tensor, 0x20000, &map));
    memcpy(bank + 0x240, &map, sizeof map);
    smc_warp_start(&warp, &place);
    warp.uniform[7] = (struct smc_lanes){.value = {0x80}, .same = true};
    struct smc_async async = async_of(&arrive, &warp, 0xff);
    CU_ASSERT_EQUAL(async.kind, SMC_ASYNC_COPIES_ARRIVE);
    CU_ASSERT_EQUAL(async.barrier, 0x80);
    CU_ASSERT_EQUAL(async.count, 8);
    CU_ASSERT_EQUAL(async_of(&arrive, &warp, 0).kind, SMC_ASYNC_NOTHING);
    set_pair(&warp, 4, 3);
    program_of(&wait_for, 1, &program);
    CU_ASSERT_FALSE(program.step[0].in.asynchronous); /* its number is known */
    smc_machine_program_free(&program);
    async = async_of(&wait, &warp, UINT32_MAX);
    CU_ASSERT_EQUAL(async.kind, SMC_ASYNC_NUMBER);
    CU_ASSERT_EQUAL(async.count, 3);
    for (unsigned i = 0; i < 4; i++) {
        static const uint32_t value[] = {0x400, 0x500, 0x240, SMC_MACHINE_CONSTANTS_ADDRESS >> 32};
        static const unsigned number[] = {4, 5, 8, 9};
        warp.uniform[number[i]] = (struct smc_lanes){.value = {value[i]}, .same = true};
    }
    async = async_of(&load_box, &warp, 1);
    CU_ASSERT_EQUAL(async.kind, SMC_ASYNC_LOAD);
    CU_ASSERT_EQUAL(async.barrier, 0x500);
    CU_ASSERT_EQUAL(async.bytes, 2 * 16 * (8 / 2));
    CU_ASSERT_EQUAL(async.address, 0x20000);
    CU_ASSERT_EQUAL(async.count, 1);
    warp.uniform[6] = (struct smc_lanes){.value = {4}, .same = true}; /* of 64 */
    warp.uniform[7].value[0] = 3;
    async = async_of(&load_box, &warp, 1);
    CU_ASSERT_EQUAL(async.address, 0x20000 + 4 * 2 + 3 * map.stride[0]);
    CU_ASSERT(async.rows == 8 / 2 && async.pitch == 2 * map.stride[0]);
    struct smc_warp_trace_line line[SMC_ASYNC_LINES];
    const struct smc_async again = smc_async_unpack(line, smc_async_pack(&async, line));
    CU_ASSERT_EQUAL(again.address, async.address / 32 * 32);
    CU_ASSERT(again.rows == async.rows && again.pitch == async.pitch);
    warp.uniform[6].value[0] = UINT32_MAX; /* nothing lies before the tensor */
    CU_ASSERT_EQUAL(async_of(&load_box, &warp, 1).address, 0x20000 + 3 * map.stride[0]);
    warp.uniform[6] = (struct smc_lanes){.value = {0x30000}, .same = true};
    CU_ASSERT_EQUAL(async_of(&load_boxes, &warp, 1).count, 2);
    warp.uniform[6].value[0] = 0x70004; /* 64 bytes */
    async = async_of(&load_bytes, &warp, 1);
    CU_ASSERT(async.count == 3 && async.bytes == 64);
    warp.uniform[5].unknown = UINT32_MAX;
    CU_ASSERT_EQUAL(async_of(&load_box, &warp, 1).kind, SMC_ASYNC_NOTHING);
}

/* All lanes on one address, by the function that counts them in PTX too. */
static void test_shared_accesses(void)
{
    static struct smc_patterns patterns;
    static const struct {
        struct code code;
        uint8_t wavefronts;
    } cases[] = {
        {{0x000190040000738c, 0x000fe80000000000}, 32}, /* ATOMS.ADD R0, [R0+0x190], R4 */
        {{0x000320040000738c, 0x000fe80000800200}, 32}, /* ATOMS.MIN.S32 */
        {{0x0004b0040000738c, 0x000fe80004000000}, 32}, /* ATOMS.EXCH */
        {{0x000640040000738d, 0x0002a40000000005}, 64}, /* ATOMS.CAS */
        {{0x000008040000738c, 0x000fe80004000400}, 32}, /* ATOMS.EXCH.64 */
        {{0x000010040000738d, 0x000e220000000406}, 64}, /* ATOMS.CAS.64 */
        {{0x0000000000ff7f8c, 0x000fe2000d80003f}, 1},  /* ATOMS.POPC.INC */
        {{0x000960020003738d, 0x000e240001800003}, 0},  /* ATOMS.CAST.SPIN */
        {{0x000000000004783b, 0x000e280000000200}, 4},  /* LDSM.16.M88.4 R4, [R0] */
        {{0x00000000000a783b, 0x000e620000004100}, 2},  /* LDSM.16.MT88.2 */
        {{0x0000000a00007844, 0x000fe80000000000}, 1},  /* STSM.16.M88 [R0], R10 */
        {{0x0000000400007844, 0x000fe80000004200}, 4},  /* STSM.16.MT88.4 */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct code code[] = {move_1024, cases[i].code, exit_all};
        struct smc_warp_trace_entry entries[8];
        struct smc_warp_trace trace = {.entry = entries, .capacity = 8, .patterns = &patterns};
        struct counts counts;
        walk(code, 3, 32, 1, &trace, &counts);
        CU_ASSERT_EQUAL_FATAL(trace.count, 3);
        CU_ASSERT_EQUAL(entries[1].wavefronts, cases[i].wavefronts);
        CU_ASSERT_FALSE(entries[1].unknown_addresses);
    }
}

/* How many steps of a warp are evaluated, of at most 2^24. */
static uint64_t steps_of(const struct code *code, size_t count, enum smc_walk_end *end)
{
    static struct smc_sass_warp warp;
    const struct smc_machine_place place = {.block = {32, 1, 1}, .grid = {1, 1, 1}};
    struct smc_machine_program program;
    uint64_t change[MOST + 1] = {0};
    struct smc_walk walk = {
        .program = &program, .layout = &layout, .most_steps = 1 << 24, .change = change};
    program_of(code, count, &program);
    smc_walk_warp(&walk, &place, &warp);
    *end = walk.end;
    smc_machine_program_free(&program);
    return walk.steps;
}

/* A warp whose registers are as they were goes round for ever; one that counts ends. */
static void test_repeating_warp(void)
{
    static const struct code move_1048576 = {0x0010000000007802, 0x000fe20000000f00}; /* to R0 */
    const struct code endless[] = {subtract_16, move_1024, above_12, back_three_if, exit_all};
    const struct code counting[] = {move_1048576, subtract_16, above_12, back_three_if, exit_all};
    enum smc_walk_end end;
    CU_ASSERT_TRUE(steps_of(endless, 5, &end) < 1 << 18);
    CU_ASSERT_EQUAL(end, SMC_WALK_TOO_LONG);
    CU_ASSERT_TRUE(steps_of(counting, 5, &end) > 1 << 17);
    CU_ASSERT_EQUAL(end, SMC_WALK_WHOLE);
}

CU_TestInfo tests_machine[] = {
    {"what global memory returned comes again", test_returned_again},
    {"a warp that repeats itself", test_repeating_warp},
    {"atomics and matrices in shared memory", test_shared_accesses},
    {"a loop", test_loop},
    {"lanes diverge and reconverge", test_divergence},
    {"lanes meet at WARPSYNC.ALL", test_meeting},
    {"a branch by the second predicate of a comparison", test_second_predicate},
    {"what is unknown is reported", test_unknown},
    {"text", test_text},
    {"far targets", test_far_targets},
    {"a barrier under a predicate", test_barrier_under_predicate},
    {"barriers in shared memory", test_barriers_in_shared_memory},
    {"results of matrix products", test_results_of_products},
    {"a branch for lanes that have diverged", test_branch_if_diverged},
    {"lanes yield to those that have left a loop", test_yield},
    {"lanes without loads do not", test_yield_without_loads},
    {"a branch to where a register says", test_indirect_branch},
    {"1 or 0 as floats are compared", test_set_float},
    {"minima of integers and of their halves", test_minima},
    {"values of which a part is unknown", test_partly_unknown},
    {"constants at an index", test_indexed_constants},
    {"shifts of 64 bits", test_wide_shifts},
    {"control bits", test_control_bits},
    {"votes", test_vote},
    {"decoding of texture fetches", test_decode_fetch},
    {"sectors of texture fetches", test_fetched_sectors},
    {"calls", test_calls},
    {"calls of functions within functions", test_nested_calls},
    {"a function that names its caller's barrier", test_barrier_of_caller},
    {"a branch around a call that depends on data", test_avoided_call},
    {"a loop that calls a function is cut", test_loop_with_call},
    {"wavefronts of ldmatrix and stmatrix", test_matrix_accesses},
    {"signed division of 32 bits", test_division},
    {"the rest of a division of 16 bits", test_division_of_16_bits},
    {"conversions and counts of bits", test_conversions},
    {"double precision", test_doubles},
    {"single and double precision, what is rare", test_floats},
    {"reductions of a warp", test_reductions},
    {"reductions in memory", test_reductions_in_memory},
    {"bits that are extended", test_extensions},
    {"masks of bits", test_masks_of_bits},
    {"lanes that hold the same", test_matches},
    {"masks of lanes", test_masks_of_lanes},
    {"atomics of global memory", test_atomics},
    {"copies to shared memory", test_copies_to_shared},
    {"asynchronous work", test_asynchronous_work},
    {"the trace of a warp", test_trace},
    {"the place of a block in its cluster", test_clusters},
    {"what decides an address, by lanes and places of the frame", test_slices},
    {"where copies go to", test_targets_of_copies},
    CU_TEST_INFO_NULL,
};
