/* Gates: limits, entries that allow, what a comparison tolerates, gate files; and the findings that
   reports are made of. The reports as a whole are in gate.sh. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers/gate.h"
#include "answers/selection.h"
#include "code/user_kernels.h"
#include "show/report/diff_report.h"
#include "show/report/findings_report.h"
#include "unit.h"

enum { TODAY = 20260101 };

/* --- Kernels ---------------------------------------------------------------------------------- */

/* A kernel for sm_90 that has something of everything. */
static struct smc_inspect_kernel sample(void)
{
    struct smc_inspect_kernel kernel = {
        .file = "build",
        .source = SMC_INSPECT_PTX,
        .cc = 90,
        .has_spills = true,
        .has_stack = true,
        .has_barriers = true,
    };
    kernel.resources = (struct smc_resources){
        .regs_per_thread = 64,
        .static_smem_bytes = 1000,
        .spill_store_bytes = 8,
        .spill_load_bytes = 12,
        .stack_bytes = 16,
        .barriers = 2,
    };
    return kernel;
}

static void add(const char *name, struct smc_inspect_kernel kernel,
                struct smc_inspect_kernels *kernels)
{
    CU_ASSERT_FATAL(smc_user_kernels_add(kernels, name, strlen(name), &kernel));
}

/* One kernel, "a", judged at 256 threads, or at an unknown block size. */
struct judged {
    struct smc_inspect_kernels kernels;
    struct smc_inspect_rows rows;
    struct smc_gate_verdict verdict;
    struct smc_error error;
};

static struct smc_inspect_request request_at(int64_t threads)
{
    return (struct smc_inspect_request){
        .threads_per_block = threads,
        .settings = SMC_LAUNCH_INIT,
    };
}

static enum smc_status judge_at(const struct smc_gate *gate, struct smc_inspect_kernel kernel,
                                int64_t threads, struct judged *judged)
{
    const struct smc_inspect_request request = request_at(threads);
    *judged = (struct judged){.error = {""}};
    add("a", kernel, &judged->kernels);
    CU_ASSERT_EQUAL(smc_inspect_answer(&judged->kernels, &request, &judged->rows, &judged->error),
                    SMC_OK);
    return smc_gate_judge(gate, &judged->rows, TODAY, NULL, &judged->verdict, &judged->error);
}

static void free_judged(struct judged *judged)
{
    smc_gate_verdict_free(&judged->verdict);
    smc_inspect_rows_free(&judged->rows);
    smc_user_kernels_free(&judged->kernels);
}

static enum smc_status status_at(const struct smc_gate *gate, struct smc_inspect_kernel kernel,
                                 int64_t threads)
{
    struct judged judged;
    enum smc_status status = judge_at(gate, kernel, threads, &judged);
    free_judged(&judged);
    return status;
}

/* The only finding. */
static const struct smc_check_finding *only(const struct judged *judged)
{
    CU_ASSERT_EQUAL_FATAL(judged->verdict.findings.count, 1);
    return &judged->verdict.findings.item[0];
}

/* --- Gates ------------------------------------------------------------------------------------ */

static char gate_path[] = "g.toml", all[] = "*", reason[] = "a reason";

static struct smc_gate_limit limit_of(enum smc_gate_key key, double value)
{
    struct smc_gate_limit limit = {.line = 3};
    limit.has[key] = true;
    limit.value[key] = value;
    return limit;
}

static struct smc_gate gate_of(struct smc_gate_limit *limit, size_t count)
{
    return (struct smc_gate){.path = gate_path, .limit = limit, .limit_count = count};
}

/* --- Limits ----------------------------------------------------------------------------------- */

/* The sample has exactly this, and nothing less is allowed; 64 registers and 256 threads are 4
   blocks of 8 warps, half of the 64. */
static void test_boundaries(void)
{
    static const struct {
        enum smc_gate_key key;
        double just, violated;
        const char *rule, *message;
    } cases[] = {
        {SMC_GATE_REGISTERS, 64, 63, "registers",
         "64 registers per thread, but at most 63 allowed (g.toml:3)"},
        {SMC_GATE_SPILLS, 20, 19, "spills",
         "20 bytes spilled per thread (stores 8, loads 12), but at most 19 allowed (g.toml:3)"},
        {SMC_GATE_STACK, 16, 15, "stack",
         "16 bytes of stack per thread, but at most 15 allowed (g.toml:3)"},
        {SMC_GATE_STATIC_SMEM, 1000, 999, "static_smem",
         "1000 bytes of static shared memory per block, but at most 999 allowed (g.toml:3)"},
        {SMC_GATE_BARRIERS, 2, 1, "barriers",
         "2 barriers per block, but at most 1 allowed (g.toml:3)"},
        {SMC_GATE_BLOCKS, 4, 5, "blocks",
         "4 blocks per SM, limited by registers, but 5 required (g.toml:3)"},
        {SMC_GATE_OCCUPANCY, 50, 50.5, "occupancy",
         "occupancy 50 %, limited by registers, but 50.5 % is required (g.toml:3)"},
        {SMC_GATE_LAUNCH_BOUNDS, 0, 1, "launch_bounds",
         "no __launch_bounds__, but they are required (g.toml:3)"},
    };
    CU_ASSERT_EQUAL(sizeof cases / sizeof *cases, SMC_GATE_KEY_COUNT);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_gate_limit limit = limit_of(cases[i].key, cases[i].just);
        const struct smc_gate gate = gate_of(&limit, 1);
        struct judged judged;
        CU_ASSERT_EQUAL(status_at(&gate, sample(), 256), SMC_OK);
        limit = limit_of(cases[i].key, cases[i].violated);
        CU_ASSERT_EQUAL(judge_at(&gate, sample(), 256, &judged), SMC_SHORTFALL);
        CU_ASSERT_STRING_EQUAL(only(&judged)->rule, cases[i].rule);
        CU_ASSERT_STRING_EQUAL(only(&judged)->message, cases[i].message);
        CU_ASSERT_EQUAL(only(&judged)->level, SMC_FINDING_ERROR);
        CU_ASSERT_STRING_EQUAL(only(&judged)->device, "compute capability 9.0");
        CU_ASSERT_EQUAL(judged.verdict.judgements.count, 1);
        free_judged(&judged);
    }
}

/* Of two with one key the later, and each where its kernel and device are. */
static void test_which_limit(void)
{
    struct smc_gate_limit limit[2] = {limit_of(SMC_GATE_REGISTERS, 10),
                                      limit_of(SMC_GATE_REGISTERS, 64)};
    struct smc_gate gate = gate_of(limit, 2);
    char other[] = "b*", sm_80[] = "8.0", sm_90[] = "sm_90";
    CU_ASSERT_EQUAL(status_at(&gate, sample(), 256), SMC_OK);
    limit[1].device = sm_90;
    CU_ASSERT_EQUAL(status_at(&gate, sample(), 256), SMC_OK);
    limit[1].device = sm_80;
    CU_ASSERT_EQUAL(status_at(&gate, sample(), 256), SMC_SHORTFALL);
    limit[1].device = NULL;
    limit[1].kernel = other;
    CU_ASSERT_EQUAL(status_at(&gate, sample(), 256), SMC_SHORTFALL);
    /* One that is about something else leaves the first. */
    limit[1] = limit_of(SMC_GATE_STACK, 100);
    CU_ASSERT_EQUAL(status_at(&gate, sample(), 256), SMC_SHORTFALL);
    /* One that asks for nothing lifts it. */
    limit[0] = limit_of(SMC_GATE_OCCUPANCY, 100);
    limit[1] = limit_of(SMC_GATE_OCCUPANCY, 0);
    CU_ASSERT_EQUAL(status_at(&gate, sample(), SMC_NOT_GIVEN), SMC_OK);
}

static void test_unknown_values(void)
{
    static const enum smc_gate_key keys[] = {SMC_GATE_SPILLS, SMC_GATE_STACK, SMC_GATE_BARRIERS};
    struct smc_inspect_kernel kernel = sample();
    struct judged judged;
    kernel.has_spills = kernel.has_stack = kernel.has_barriers = false;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        struct smc_gate_limit limit = limit_of(keys[i], 16);
        const struct smc_gate gate = gate_of(&limit, 1);
        CU_ASSERT_EQUAL(judge_at(&gate, kernel, 256, &judged), SMC_SHORTFALL);
        CU_ASSERT_STRING_EQUAL(only(&judged)->rule, "unknown");
        free_judged(&judged);
    }
    struct smc_gate_limit limit = limit_of(SMC_GATE_REGISTERS, 255);
    const struct smc_gate gate = gate_of(&limit, 1);
    kernel.resources.regs_per_thread = 0;
    CU_ASSERT_EQUAL(judge_at(&gate, kernel, 256, &judged), SMC_SHORTFALL);
    CU_ASSERT_STRING_EQUAL(only(&judged)->message, "its registers are unknown");
    free_judged(&judged);
}

/* A block size that is unknown is not judged, but registers are. */
static void test_unknown_threads(void)
{
    struct smc_gate_limit limit = limit_of(SMC_GATE_BLOCKS, 1);
    const struct smc_gate gate = gate_of(&limit, 1);
    struct judged judged;
    CU_ASSERT_EQUAL(judge_at(&gate, sample(), SMC_NOT_GIVEN, &judged), SMC_USAGE);
    CU_ASSERT_STRING_EQUAL(only(&judged)->rule, "threads_unknown");
    CU_ASSERT_STRING_EQUAL(judged.error.message, "");
    CU_ASSERT_EQUAL(judged.verdict.unsettled, 1);
    free_judged(&judged);
    limit.has[SMC_GATE_REGISTERS] = true;
    limit.value[SMC_GATE_REGISTERS] = 63;
    CU_ASSERT_EQUAL(status_at(&gate, sample(), SMC_NOT_GIVEN), SMC_SHORTFALL);
}

/* A gate file requires that a kernel launches; options require what they name. */
static void test_no_launch(void)
{
    struct smc_inspect_kernel kernel = sample();
    struct smc_gate_limit limit = limit_of(SMC_GATE_REGISTERS, 64);
    struct smc_gate gate = gate_of(&limit, 1);
    struct judged judged;
    kernel.max_threads_per_block = 128;
    CU_ASSERT_EQUAL(judge_at(&gate, kernel, 256, &judged), SMC_SHORTFALL);
    CU_ASSERT_STRING_EQUAL(only(&judged)->rule, "cannot_launch");
    free_judged(&judged);
    gate.path = NULL;
    CU_ASSERT_EQUAL(status_at(&gate, kernel, 256), SMC_OK);
    limit = limit_of(SMC_GATE_BLOCKS, 1);
    limit.line = 0;
    CU_ASSERT_EQUAL(judge_at(&gate, kernel, 256, &judged), SMC_SHORTFALL);
    CU_ASSERT_STRING_EQUAL(only(&judged)->message, "0 blocks per SM, but 1 required");
    free_judged(&judged);
}

/* A gate of options says in one line what it could not judge. */
static void test_options(void)
{
    struct smc_gate_limit limit = limit_of(SMC_GATE_OCCUPANCY, 1);
    struct smc_gate gate = gate_of(&limit, 1);
    struct judged judged;
    gate.path = NULL;
    CU_ASSERT_EQUAL(judge_at(&gate, sample(), SMC_NOT_GIVEN, &judged), SMC_USAGE);
    CU_ASSERT_EQUAL(judged.verdict.findings.count, 0);
    CU_ASSERT_STRING_EQUAL(judged.error.message,
                           "option --require-occupancy: the block size of 1 of 1 answers is "
                           "unknown, the first for a; state it with --threads NAME=N, or "
                           "--assume-threads N for all");
    free_judged(&judged);
    limit = limit_of(SMC_GATE_BLOCKS, 1);
    CU_ASSERT_EQUAL(judge_at(&gate, sample(), SMC_NOT_GIVEN, &judged), SMC_USAGE);
    CU_ASSERT_PTR_NOT_NULL(strstr(judged.error.message, "option --require-blocks: "));
    free_judged(&judged);
}

/* `--only failing` keeps what the gate does not let pass. */
static void test_failing(void)
{
    struct smc_gate_limit limit = limit_of(SMC_GATE_REGISTERS, 64);
    const struct smc_gate gate = gate_of(&limit, 1);
    struct smc_inspect_selection selection = {.only = {.failing = true}, .gate = &gate};
    struct judged judged;
    CU_ASSERT_EQUAL(judge_at(&gate, sample(), 256, &judged), SMC_OK);
    CU_ASSERT_FALSE(smc_gate_fails(&gate, &judged.rows.item[0]));
    limit.value[SMC_GATE_REGISTERS] = 63;
    CU_ASSERT(smc_gate_fails(&gate, &judged.rows.item[0]));
    CU_ASSERT_EQUAL(smc_selection_apply(&judged.rows, &selection, NULL), SMC_OK);
    CU_ASSERT_EQUAL(judged.rows.count, 1);
    limit.value[SMC_GATE_REGISTERS] = 64;
    CU_ASSERT_EQUAL(smc_selection_apply(&judged.rows, &selection, NULL), SMC_OK);
    CU_ASSERT_EQUAL(judged.rows.count, 0);
    free_judged(&judged);
}

/* --- Entries that allow ----------------------------------------------------------------------- */

static void test_allowances(void)
{
    struct smc_gate_limit limit = limit_of(SMC_GATE_REGISTERS, 63);
    struct smc_gate_allowance allow = {.kernel = all, .reason = reason, .line = 9};
    struct smc_gate gate = gate_of(&limit, 1);
    struct judged judged;
    char sm_80[] = "8.0", sm_90[] = "9.0", other[] = "b*";
    gate.allowance = &allow;
    gate.allowance_count = 1;
    CU_ASSERT_EQUAL(judge_at(&gate, sample(), 256, &judged), SMC_OK);
    CU_ASSERT_EQUAL(only(&judged)->level, SMC_FINDING_NOTE);
    CU_ASSERT_PTR_NOT_NULL(strstr(only(&judged)->message, "; allowed: a reason"));
    CU_ASSERT_EQUAL(judged.verdict.allowed, 1);
    free_judged(&judged);
    allow.device = sm_90;
    CU_ASSERT_EQUAL(status_at(&gate, sample(), 256), SMC_OK);
    allow.device = sm_80;
    CU_ASSERT_EQUAL(status_at(&gate, sample(), 256), SMC_SHORTFALL);
    allow.device = NULL;
    allow.has_key = true;
    allow.key = SMC_GATE_REGISTERS;
    CU_ASSERT_EQUAL(status_at(&gate, sample(), 256), SMC_OK);
    allow.key = SMC_GATE_SPILLS;
    CU_ASSERT_EQUAL(status_at(&gate, sample(), 256), SMC_SHORTFALL);
    allow.has_key = false;
    allow.kernel = other;
    CU_ASSERT_EQUAL(status_at(&gate, sample(), 256), SMC_SHORTFALL);
}

/* The last day still counts. */
static void test_expiry(void)
{
    struct smc_gate_limit limit = limit_of(SMC_GATE_REGISTERS, 63);
    struct smc_gate_allowance allow = {
        .kernel = all, .reason = reason, .line = 9, .expires = TODAY};
    struct smc_gate gate = gate_of(&limit, 1);
    struct judged judged;
    gate.allowance = &allow;
    gate.allowance_count = 1;
    CU_ASSERT_EQUAL(judge_at(&gate, sample(), 256, &judged), SMC_OK);
    CU_ASSERT_PTR_NOT_NULL(strstr(only(&judged)->message, "allowed: a reason, until 2026-01-01"));
    free_judged(&judged);
    allow.expires = 20251231;
    CU_ASSERT_EQUAL(judge_at(&gate, sample(), 256, &judged), SMC_SHORTFALL);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(only(&judged)->message, "; it was allowed until 2025-12-31 (g.toml:9)"));
    free_judged(&judged);
}

static void test_stale_entries(void)
{
    char none[] = "none*", sm_80[] = "8.0";
    struct smc_gate_limit limit[2] = {limit_of(SMC_GATE_REGISTERS, 255),
                                      limit_of(SMC_GATE_REGISTERS, 255)};
    struct smc_gate_allowance allow = {.kernel = all, .reason = reason, .line = 9};
    struct smc_stated threads = {.pattern = none, .number = 64, .line = 12};
    struct smc_gate gate = gate_of(limit, 2);
    struct judged judged;
    limit[0].kernel = none;
    gate.partial = true;
    limit[1].device = sm_80;
    gate.allowance = &allow;
    gate.allowance_count = 1;
    gate.stated[SMC_STATED_THREADS] = (struct smc_stated_list){&threads, 1, 1};
    CU_ASSERT_EQUAL(judge_at(&gate, sample(), 256, &judged), SMC_OK);
    CU_ASSERT_EQUAL_FATAL(judged.verdict.findings.count, 4);
    CU_ASSERT_EQUAL(smc_findings_count(&judged.verdict.findings, SMC_FINDING_NOTE), 4);
    CU_ASSERT_STRING_EQUAL(judged.verdict.findings.item[0].file, "g.toml");
    CU_ASSERT_EQUAL(judged.verdict.findings.item[3].line, 12);
    CU_ASSERT_EQUAL(judged.verdict.kernels, 0);
    free_judged(&judged);
    gate.partial = false;
    CU_ASSERT_EQUAL(judge_at(&gate, sample(), 256, &judged), SMC_USAGE);
    CU_ASSERT_EQUAL(judged.verdict.findings.item[0].level, SMC_FINDING_ERROR);
    CU_ASSERT_EQUAL(judged.verdict.unnamed, 1);
    free_judged(&judged);
    limit[0].optional = true;
    CU_ASSERT_EQUAL(status_at(&gate, sample(), 256), SMC_OK);
}

static void check_summary(const struct smc_gate_verdict *verdict, const char *expected)
{
    struct smc_text text = {0};
    smc_gate_summary(verdict, &text);
    CU_ASSERT_STRING_EQUAL(smc_text_string(&text), expected);
    smc_text_free(&text);
}

static void test_summary(void)
{
    check_summary(&(struct smc_gate_verdict){.kernels = 1}, "1 kernel judged: no violation\n");
    check_summary(&(struct smc_gate_verdict){.kernels = 40, .violating = 2, .violations = 3},
                  "2 of 40 kernels violate 3 limits\n");
    check_summary(
        &(struct smc_gate_verdict){.kernels = 2, .violating = 1, .violations = 1, .allowed = 1},
        "1 of 2 kernels violates 1 limit; 1 violation is allowed\n");
    check_summary(&(struct smc_gate_verdict){.kernels = 3, .unsettled = 2},
                  "3 kernels judged: no violation; not judged, as the launch is unknown: 2\n");
}

static void test_today(void)
{
    const char *before = getenv("SOURCE_DATE_EPOCH");
    char *kept = before ? strdup(before) : NULL;
    setenv("SOURCE_DATE_EPOCH", "1767225599", 1);
    CU_ASSERT_EQUAL(smc_gate_today(), 20251231);
    setenv("SOURCE_DATE_EPOCH", "1767225600", 1);
    CU_ASSERT_EQUAL(smc_gate_today(), 20260101);
    setenv("SOURCE_DATE_EPOCH", "yesterday", 1);
    CU_ASSERT(smc_gate_today() > 20260101);
    if (kept)
        setenv("SOURCE_DATE_EPOCH", kept, 1);
    else
        unsetenv("SOURCE_DATE_EPOCH");
    free(kept);
}

/* --- Comparisons ------------------------------------------------------------------------------ */

struct comparison {
    struct smc_inspect_kernels before, after;
    struct smc_diff diff;
    struct smc_gate_verdict verdict;
};

/* "a" in both builds, judged by the gate. */
static const struct smc_diff_pair *compare_at(const struct smc_gate *gate,
                                              struct smc_inspect_kernel before,
                                              struct smc_inspect_kernel after, int64_t threads,
                                              struct comparison *comparison)
{
    const struct smc_inspect_request request = request_at(threads);
    const struct smc_inspect_rows none = {0};
    struct smc_error error;
    *comparison = (struct comparison){0};
    add("a", before, &comparison->before);
    add("a", after, &comparison->after);
    CU_ASSERT_EQUAL(smc_diff_compare(&comparison->before, &comparison->after, &request,
                                     &comparison->diff, &error),
                    SMC_OK);
    CU_ASSERT_EQUAL(
        smc_gate_judge(gate, &none, TODAY, &comparison->diff, &comparison->verdict, &error),
        SMC_OK);
    CU_ASSERT_EQUAL_FATAL(comparison->diff.count, 1);
    return &comparison->diff.pair[0];
}

static void free_comparison(struct comparison *comparison)
{
    smc_gate_verdict_free(&comparison->verdict);
    smc_diff_free(&comparison->diff);
    smc_user_kernels_free(&comparison->before);
    smc_user_kernels_free(&comparison->after);
}

/* What is worse and counts. */
static uint32_t counting(const struct smc_gate *gate, struct smc_inspect_kernel before,
                         struct smc_inspect_kernel after, int64_t threads)
{
    struct comparison comparison;
    const struct smc_diff_pair *pair = compare_at(gate, before, after, threads, &comparison);
    CU_ASSERT(pair->worse != 0);
    uint32_t changes = pair->worse & ~pair->excused;
    CU_ASSERT_EQUAL(comparison.diff.excused, changes == 0);
    free_comparison(&comparison);
    return changes;
}

#define BIT(change) (1u << SMC_DIFF_##change)

/* As much growth as is tolerated, and one more; of a kernel that keeps its blocks. */
static void test_growth(void)
{
    struct smc_inspect_kernel before = sample(), after = sample();
    before.resources.regs_per_thread = 57;
    after.resources = (struct smc_resources){
        .regs_per_thread = 60,
        .static_smem_bytes = 1100,
        .spill_store_bytes = 10,
        .spill_load_bytes = 15,
        .stack_bytes = 32,
        .barriers = 3,
    };
    struct smc_gate gate = {.path = gate_path,
                            .growth = {.registers = 3,
                                       .spill_bytes = 5,
                                       .stack_bytes = 16,
                                       .static_smem_bytes = 100,
                                       .barriers = 1}};
    CU_ASSERT_EQUAL(counting(&gate, before, after, 256), 0);
    gate.growth.registers--;
    CU_ASSERT_EQUAL(counting(&gate, before, after, 256), BIT(REGISTERS));
    gate.growth.spill_bytes--;
    CU_ASSERT_EQUAL(counting(&gate, before, after, 256), BIT(REGISTERS) | BIT(SPILLS));
    gate.growth = (struct smc_gate_growth){.registers = 3};
    CU_ASSERT_EQUAL(counting(&gate, before, after, 256),
                    BIT(SPILLS) | BIT(STACK) | BIT(STATIC_SMEM) | BIT(BARRIERS));
}

/* 64 -> 65 registers: 4 -> 3 blocks, 50 -> 37.5 %. */
static void test_tolerated_blocks(void)
{
    struct smc_inspect_kernel before = sample(), after = sample();
    struct smc_gate gate = {.path = gate_path, .growth = {.registers = 1}};
    after.resources.regs_per_thread = 65;
    CU_ASSERT_EQUAL(counting(&gate, before, after, 256), BIT(BLOCKS) | BIT(OCCUPANCY));
    gate.growth.blocks = 1;
    CU_ASSERT_EQUAL(counting(&gate, before, after, 256), BIT(OCCUPANCY));
    gate.growth.occupancy_percent = 12.5;
    CU_ASSERT_EQUAL(counting(&gate, before, after, 256), 0);
    gate.growth.occupancy_percent = 12.4;
    CU_ASSERT_EQUAL(counting(&gate, before, after, 256), BIT(OCCUPANCY));
    /* At 1024 threads it no longer launches, which no growth covers, however many blocks it was. */
    gate.growth =
        (struct smc_gate_growth){.registers = 255, .blocks = 32, .occupancy_percent = 100};
    CU_ASSERT_EQUAL(counting(&gate, before, after, 1024),
                    BIT(LAUNCH) | BIT(BLOCKS) | BIT(OCCUPANCY));
    /* ... nor if that is only one of the sizes compared. */
    CU_ASSERT_EQUAL(counting(&gate, before, after, SMC_NOT_GIVEN), BIT(BLOCKS) | BIT(OCCUPANCY));
    /* Shared memory, 0 -> 8192 bytes: at 32 threads 32 -> 25 blocks, at 64 one or two. */
    before.resources.regs_per_thread = after.resources.regs_per_thread = 32;
    before.resources.static_smem_bytes = 0;
    after.resources.static_smem_bytes = 8192;
    gate.growth =
        (struct smc_gate_growth){.static_smem_bytes = 8192, .blocks = 7, .occupancy_percent = 100};
    CU_ASSERT_EQUAL(counting(&gate, before, after, SMC_NOT_GIVEN), 0);
    gate.growth.blocks = 6;
    CU_ASSERT_EQUAL(counting(&gate, before, after, SMC_NOT_GIVEN), BIT(BLOCKS));
}

/* Entries allow what grew, each its own key; what they are needed for is not noted as stale. */
static void test_allowed_growth(void)
{
    struct smc_inspect_kernel before = sample(), after = sample();
    struct smc_gate_allowance allow[2] = {
        {.kernel = all, .reason = reason, .has_key = true, .key = SMC_GATE_REGISTERS, .line = 9},
        {.kernel = all, .reason = reason, .expires = 20251231, .line = 20},
    };
    struct smc_gate gate = {
        .path = gate_path, .growth = {.stack_bytes = 16}, .allowance = allow, .allowance_count = 1};
    struct comparison comparison;
    before.resources.regs_per_thread = 57;
    after.resources.stack_bytes = 32;
    const struct smc_diff_pair *pair = compare_at(&gate, before, after, 256, &comparison);
    CU_ASSERT_EQUAL(pair->excused, BIT(REGISTERS) | BIT(STACK));
    CU_ASSERT_STRING_EQUAL(pair->excuse, "stack tolerated by [diff]; registers allowed: a reason");
    CU_ASSERT_EQUAL(comparison.verdict.findings.count, 0);
    CU_ASSERT_EQUAL(comparison.diff.excused, 1);
    CU_ASSERT(smc_diff_findings(&comparison.diff, UINT32_MAX, &comparison.verdict.findings,
                                &comparison.verdict.judgements));
    CU_ASSERT_EQUAL_FATAL(comparison.verdict.findings.count, 1);
    CU_ASSERT_EQUAL(comparison.verdict.findings.item[0].level, SMC_FINDING_NOTE);
    CU_ASSERT_STRING_EQUAL(comparison.verdict.findings.item[0].rule, "registers");
    CU_ASSERT_PTR_NOT_NULL(strstr(comparison.verdict.findings.item[0].message,
                                  "; stack tolerated by [diff]; registers allowed: a reason"));
    free_comparison(&comparison);

    gate.allowance_count = 2;
    after.resources.barriers = 3;
    pair = compare_at(&gate, before, after, 256, &comparison);
    CU_ASSERT_EQUAL(pair->worse & ~pair->excused, BIT(BARRIERS));
    CU_ASSERT_PTR_NOT_NULL(
        strstr(pair->excuse, "; barriers: it was allowed until 2025-12-31 (g.toml:20)"));
    CU_ASSERT_EQUAL(comparison.verdict.findings.count, 0);
    CU_ASSERT(smc_diff_findings(&comparison.diff, UINT32_MAX, &comparison.verdict.findings,
                                &comparison.verdict.judgements));
    CU_ASSERT_EQUAL(comparison.verdict.findings.item[0].level, SMC_FINDING_ERROR);
    CU_ASSERT_STRING_EQUAL(comparison.verdict.findings.item[0].rule, "barriers");
    free_comparison(&comparison);
    allow[1].expires = 0;
    CU_ASSERT_EQUAL(counting(&gate, before, after, 256), 0);
}

/* Without a launch bound lost or gained, nothing to allow: the entry is noted. */
static void test_unneeded_in_comparison(void)
{
    struct smc_gate_allowance allow = {.kernel = all, .reason = reason, .line = 9};
    struct smc_gate gate = {.path = gate_path, .allowance = &allow, .allowance_count = 1};
    struct comparison comparison;
    const struct smc_diff_pair *pair = compare_at(&gate, sample(), sample(), 256, &comparison);
    CU_ASSERT_PTR_NULL(pair->excuse);
    CU_ASSERT_EQUAL(comparison.diff.excused, 0);
    CU_ASSERT_EQUAL_FATAL(comparison.verdict.findings.count, 1);
    CU_ASSERT_STRING_EQUAL(comparison.verdict.findings.item[0].rule, "gate_file");
    free_comparison(&comparison);
}

/* A launch that fails is allowed by an entry for all, a bound by its own key. */
static void test_allowed_launch(void)
{
    struct smc_inspect_kernel before = sample(), after = sample();
    struct smc_gate_allowance allow = {
        .kernel = all, .reason = reason, .has_key = true, .key = SMC_GATE_LAUNCH_BOUNDS};
    struct smc_gate gate = {.path = gate_path, .allowance = &allow, .allowance_count = 1};
    before.max_threads_per_block = 256;
    CU_ASSERT_EQUAL(counting(&gate, before, after, 256), 0);
    before.max_threads_per_block = 0;
    after.resources.regs_per_thread = 65;
    CU_ASSERT_EQUAL(counting(&gate, before, after, 1024),
                    BIT(LAUNCH) | BIT(BLOCKS) | BIT(OCCUPANCY) | BIT(REGISTERS));
    allow.has_key = false;
    CU_ASSERT_EQUAL(counting(&gate, before, after, 1024), 0);
}

/* --- Gate files ------------------------------------------------------------------------------- */

static enum smc_status parse(const char *text, struct smc_gate *gate, struct smc_error *error)
{
    *error = (struct smc_error){""};
    return smc_gate_parse(text, strlen(text), "g.toml", gate, error);
}

static void test_gate_file(void)
{
    static const char text[] =
        "devices = [\"A100\", \"9.0\"]\n"
        "assume_threads = 128\n"
        "[threads]\n\"gemm*\" = 256\n"
        "[[limit]]\nmax_registers = 128\nmin_occupancy = 12.5\n"
        "require_launch_bounds = true\n"
        "[[limit]]\nkernel = \"a*\"\ndevice = \"H100\"\nmax_spill_bytes = 0\n"
        "[[allow]]\nkernel = \"b\"\nlimit = \"min_blocks\"\n"
        "reason = \"r\"\nexpires = 2027-12-31\n"
        "[diff]\nallow_registers = 1\nallow_spill_bytes = 2\n"
        "allow_stack_bytes = 3\nallow_static_smem_bytes = 4\n"
        "allow_barriers = 5\nallow_blocks = 6\nallow_occupancy = 7.5\n";
    struct smc_gate gate;
    struct smc_error error;
    enum smc_status status = parse(text, &gate, &error);
    if (status == SMC_UNAVAILABLE) { /* a build without toml++ says so */
        CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "without toml++"));
        return;
    }
    CU_ASSERT_EQUAL_FATAL(status, SMC_OK);
    CU_ASSERT_EQUAL(gate.device_count, 2);
    CU_ASSERT_STRING_EQUAL(gate.device[1], "9.0");
    CU_ASSERT_EQUAL(gate.assumed_threads_per_block, 128);
    CU_ASSERT_EQUAL_FATAL(gate.stated[SMC_STATED_THREADS].count, 1);
    CU_ASSERT_STRING_EQUAL(gate.stated[SMC_STATED_THREADS].item[0].pattern, "gemm*");
    CU_ASSERT_EQUAL(gate.stated[SMC_STATED_THREADS].item[0].number, 256);
    CU_ASSERT_EQUAL_FATAL(gate.limit_count, 2);
    CU_ASSERT(gate.limit[0].has[SMC_GATE_REGISTERS] && !gate.limit[0].has[SMC_GATE_SPILLS]);
    CU_ASSERT_EQUAL(gate.limit[0].value[SMC_GATE_OCCUPANCY], 12.5);
    CU_ASSERT_EQUAL(gate.limit[0].value[SMC_GATE_LAUNCH_BOUNDS], 1);
    CU_ASSERT_EQUAL(gate.limit[1].line, 9);
    CU_ASSERT_STRING_EQUAL(gate.limit[1].device, "H100");
    CU_ASSERT(gate.limit[1].has[SMC_GATE_SPILLS]);
    CU_ASSERT_EQUAL_FATAL(gate.allowance_count, 1);
    CU_ASSERT(gate.allowance[0].has_key && gate.allowance[0].key == SMC_GATE_BLOCKS);
    CU_ASSERT_EQUAL(gate.allowance[0].expires, 20271231);
    CU_ASSERT_EQUAL(gate.growth.registers, 1);
    CU_ASSERT_EQUAL(gate.growth.spill_bytes, 2);
    CU_ASSERT_EQUAL(gate.growth.stack_bytes, 3);
    CU_ASSERT_EQUAL(gate.growth.static_smem_bytes, 4);
    CU_ASSERT_EQUAL(gate.growth.barriers, 5);
    CU_ASSERT_EQUAL(gate.growth.blocks, 6);
    CU_ASSERT_EQUAL(gate.growth.occupancy_percent, 7.5);
    smc_gate_free(&gate);
    /* A comparison needs no limits. */
    CU_ASSERT_EQUAL(parse("[diff]\nallow_registers = 1\n", &gate, &error), SMC_OK);
    CU_ASSERT_EQUAL(gate.limit_count, 0);
    smc_gate_free(&gate);
    CU_ASSERT_EQUAL(parse("[diff]\nallow_time = 1\n", &gate, &error), SMC_USAGE);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "g.toml:2: unknown key of [diff] 'allow_time'"));
}

/* 0.75 is a share, not a percentage. */
static void test_shares(void)
{
    struct smc_gate gate;
    struct smc_error error;
    if (parse("", &gate, &error) == SMC_UNAVAILABLE)
        return;
    smc_gate_free(&gate);
    CU_ASSERT_EQUAL(parse("[[limit]]\nmin_occupancy = 0.75\n", &gate, &error), SMC_USAGE);
    CU_ASSERT_STRING_EQUAL(error.message,
                           "g.toml:2: [[limit]] min_occupancy: is in percent: 75, not 0.75");
    CU_ASSERT_EQUAL(parse("[diff]\nallow_occupancy = 0.1\n", &gate, &error), SMC_USAGE);
    CU_ASSERT_EQUAL(parse("[[limit]]\noptional = 1\nmax_registers = 1\n", &gate, &error),
                    SMC_USAGE);
    CU_ASSERT_EQUAL(parse("[[limit]]\noptional = true\nmin_occupancy = 1.0\n", &gate, &error),
                    SMC_OK);
    CU_ASSERT(gate.limit[0].optional);
    smc_gate_free(&gate);
}

/* --- Findings --------------------------------------------------------------------------------- */

static struct smc_check_finding finding(enum smc_finding_level level, const char *kernel,
                                        const char *message)
{
    return (struct smc_check_finding){
        .rule = smc_check_rules[SMC_CHECK_REGISTERS].name,
        .level = level,
        .file = (char *)"dir/a.cu",
        .line = 7,
        .kernel = (char *)kernel,
        .device = (char *)"H100",
        .message = (char *)message,
    };
}

/* The list has copies, which outlive what was added. */
static void test_copies(void)
{
    struct smc_findings findings = {0};
    char message[] = "first";
    for (int i = 0; i < 40; i++) {
        const struct smc_check_finding added =
            finding(i % 4 == 0 ? SMC_FINDING_ERROR : SMC_FINDING_NOTE, "k", message);
        CU_ASSERT(smc_findings_add(&findings, &added));
    }
    message[0] = 'w';
    CU_ASSERT_EQUAL(smc_findings_count(&findings, SMC_FINDING_ERROR), 10);
    CU_ASSERT_EQUAL(smc_findings_count(&findings, SMC_FINDING_WARNING), 0);
    CU_ASSERT_EQUAL(smc_findings_count(&findings, SMC_FINDING_NOTE), 30);
    CU_ASSERT_STRING_EQUAL(findings.item[39].message, "first");
    smc_findings_free(&findings);
    CU_ASSERT_EQUAL(findings.count, 0);
    CU_ASSERT(smc_findings_add(&findings, &(struct smc_check_finding){.rule = "r"}));
    CU_ASSERT_STRING_EQUAL(findings.item[0].kernel, "");
    smc_findings_free(&findings);
}

static void test_lines(void)
{
    struct smc_findings findings = {0};
    struct smc_text out = {0};
    const struct smc_check_finding error = finding(SMC_FINDING_ERROR, "k\033[1m", "is\nlarge");
    struct smc_check_finding note = finding(SMC_FINDING_NOTE, "", "stale");
    note.file = (char *)"standard input";
    note.line = 0;
    note.device = NULL;
    CU_ASSERT(smc_findings_add(&findings, &error) && smc_findings_add(&findings, &note));
    smc_lines_of_findings(&findings, &out);
    CU_ASSERT_STRING_EQUAL(smc_text_string(&out), "dir/a.cu:7: k?[1m on H100: is?large\n"
                                                  "standard input: note: stale\n");
    smc_text_free(&out);
    smc_findings_free(&findings);
}

/* Nothing in a name is markup, and a comment stays below the size that is refused. */
static void test_markdown(void)
{
    struct smc_findings findings = {0};
    struct smc_text out = {0};
    const struct smc_check_finding hostile =
        finding(SMC_FINDING_WARNING, "a|b<`c`>", "x | <b> @team");
    CU_ASSERT(smc_findings_add(&findings, &hostile));
    smc_markdown_findings(&findings, "title", &out);
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&out), "### title: 0 errors, 1 warning\n"));
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&out), "| warning | `` a\\|b<`c`> `` | H100 | "
                                                         "x \\| &lt;b&gt; &#64;team | "));
    smc_text_free(&out);
    for (int i = 0; i < 3000; i++) {
        const struct smc_check_finding more = finding(SMC_FINDING_ERROR, "kernel", "is too large");
        CU_ASSERT(smc_findings_add(&findings, &more));
    }
    smc_markdown_findings(&findings, "title", &out);
    CU_ASSERT(out.length > 50000 && out.length < 65536);
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&out), "more rows are left out"));
    smc_text_free(&out);
    smc_findings_free(&findings);
}

/* What two checks say of one kernel on one device is one case. */
static void test_junit(void)
{
    struct smc_findings findings = {0};
    struct smc_judgements judgements = {0};
    struct smc_text out = {0};
    const struct smc_check_finding error = finding(SMC_FINDING_ERROR, "k<a>", "is large");
    for (int i = 0; i < 2; i++) {
        CU_ASSERT(smc_findings_add(&findings, &error));
        CU_ASSERT(smc_judgements_add(&judgements, "dir/a.cu", "k<a>", "H100"));
        CU_ASSERT(smc_judgements_add(&judgements, "dir/a.cu", "passes", "H100"));
    }
    smc_junit_findings(&findings, &judgements, &out);
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&out), "tests=\"2\" failures=\"1\""));
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&out), "<testcase name=\"k&lt;a&gt; on H100\""));
    smc_text_free(&out);
    smc_findings_free(&findings);
    smc_judgements_free(&judgements);
}

CU_TestInfo tests_gate[] = {
    {"each limit, just met and just violated", test_boundaries},
    {"which of several limits counts", test_which_limit},
    {"what the input does not record is a violation", test_unknown_values},
    {"an unknown block size is not judged", test_unknown_threads},
    {"kernels that cannot launch", test_no_launch},
    {"a gate of options", test_options},
    {"only what fails", test_failing},
    {"entries that allow", test_allowances},
    {"the day on which an entry expires", test_expiry},
    {"entries that no longer apply", test_stale_entries},
    {"the summary", test_summary},
    {"today", test_today},
    {"growth that is tolerated", test_growth},
    {"blocks and occupancy that are tolerated", test_tolerated_blocks},
    {"growth that entries allow", test_allowed_growth},
    {"an entry that a comparison does not need", test_unneeded_in_comparison},
    {"launches and bounds that entries allow", test_allowed_launch},
    {"a gate file", test_gate_file},
    {"a share is no percentage", test_shares},
    {"findings are copied and counted", test_copies},
    {"findings as lines", test_lines},
    {"findings as markdown", test_markdown},
    {"findings as JUnit", test_junit},
    CU_TEST_INFO_NULL,
};
