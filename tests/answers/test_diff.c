/* Two builds compared: names that change from build to build, renamed kernels, what is worse; and
   figures written and read again. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers/diff.h"
#include "code/compile/build_note.h"
#include "code/inputs.h"
#include "code/names.h"
#include "code/user_kernels.h"
#include "show/report/diff_report.h"
#include "show/report/report.h"
#include "unit.h"

/* --- Names ------------------------------------------------------------------------------------ */

static bool is_stable(const char *a, const char *b)
{
    char *first = smc_stable_name(a), *second = smc_stable_name(b);
    CU_ASSERT_PTR_NOT_NULL_FATAL(first);
    CU_ASSERT_PTR_NOT_NULL_FATAL(second);
    bool same = strcmp(first, second) == 0;
    free(first);
    free(second);
    return same;
}

static void test_stable_names(void)
{
    /* Anonymous namespaces: another hash, another first symbol of the file. */
    CU_ASSERT(is_stable("_ZN33_GLOBAL__N__92ac0243_4_a_cu_plain4anonEPf",
                        "_ZN33_GLOBAL__N__37cfc621_4_a_cu_plain4anonEPf"));
    CU_ASSERT(is_stable("_ZN33_GLOBAL__N__92ac0243_4_a_cu_plain4anonEPf",
                        "_ZN32_GLOBAL__N__37cfc621_4_a_cu_main4anonEPf"));
    /* ... in a template's argument */
    CU_ASSERT(is_stable("_Z2tmIN33_GLOBAL__N__92ac0243_4_a_cu_plain1SEEvPT_i",
                        "_Z2tmIN33_GLOBAL__N__37cfc621_4_a_cu_plain1SEEvPT_i"));
    /* ... of different files stay apart */
    CU_ASSERT_FALSE(is_stable("_ZN33_GLOBAL__N__92ac0243_4_a_cu_plain4anonEPf",
                              "_ZN33_GLOBAL__N__92ac0243_4_b_cu_plain4anonEPf"));
    /* Older compilers name a temporary file. */
    CU_ASSERT(
        is_stable("_ZN57_GLOBAL__N__42_tmpxft_00003613_00000000_6_a_cpp1_ii_5ac6e02b4anonEPf",
                  "_ZN57_GLOBAL__N__42_tmpxft_0000aa13_00000000_6_a_cpp1_ii_11c6e02b4anonEPf"));
    /* Static kernels of -rdc=true, which may have both. */
    CU_ASSERT(is_stable("__nv_static_22__37cfc621_4_a_cu_plain__Z4statPf",
                        "__nv_static_22__12345678_4_a_cu_plain__Z4statPf"));
    CU_ASSERT(is_stable(
        "__nv_static_22__37cfc621_4_a_cu_plain__ZN33_GLOBAL__N__37cfc621_4_a_cu_plain4anonEPf",
        "__nv_static_22__00cfc621_4_a_cu_plain__ZN33_GLOBAL__N__00cfc621_4_a_cu_plain4anonEPf"));
    CU_ASSERT_FALSE(is_stable("__nv_static_22__37cfc621_4_a_cu_plain__Z4statPf",
                              "__nv_static_22__37cfc621_4_b_cu_plain__Z4statPf"));
    /* ... with nothing after the file */
    CU_ASSERT_FALSE(is_stable("__nv_static_16__37cfc621_4_a_cu__Z4statPf",
                              "__nv_static_16__37cfc621_4_b_cu__Z4statPf"));
    CU_ASSERT(is_stable("_ZN31_INTERNAL_37cfc621_4_a_cu_plain3fooEv",
                        "_ZN31_INTERNAL_00cfc621_4_a_cu_plain3fooEv"));
    /* CUB: a release and its architectures. */
    CU_ASSERT(is_stable("_ZN3cub17CUB_300001_SM_9006kernelEv",
                        "_ZN3cub21CUB_200500_SM_800_9006kernelEv"));
    /* Everything else counts. */
    CU_ASSERT_FALSE(is_stable("_Z5scaleIfEvPT_", "_Z5scaleIdEvPT_"));
    CU_ASSERT_FALSE(is_stable("a", ""));
    /* Numbers that are no lengths. */
    CU_ASSERT_FALSE(is_stable("99999999999999999999a", "99999999999999999999b"));
}

static void test_static_prefix(void)
{
    CU_ASSERT_STRING_EQUAL(
        smc_name_without_static("__nv_static_22__37cfc621_4_a_cu_plain__Z4statPf"), "_Z4statPf");
    CU_ASSERT_STRING_EQUAL(smc_name_without_static("__nv_static_99__37c__Z4statPf"),
                           "__nv_static_99__37c__Z4statPf");
    CU_ASSERT_STRING_EQUAL(smc_name_without_static("plain"), "plain");
}

static void check_bare(const char *shown, const char *expected)
{
    char *bare = smc_name_last(shown);
    CU_ASSERT_PTR_NOT_NULL_FATAL(bare);
    CU_ASSERT_STRING_EQUAL(bare, expected);
    free(bare);
}

static void test_bare_names(void)
{
    check_bare("void (anonymous namespace)::scale<float>(float*)", "scale");
    check_bare("void a::b<int (*)(int)>::scale<(anonymous namespace)::S, 4>(float*)", "scale");
    check_bare("plain", "plain");
    check_bare("f(void (*)(int))", "f");
}

/* --- Builds ----------------------------------------------------------------------------------- */

/* A build of up to three kernels in machine code for sm_90. */
struct figures {
    const char *name;
    uint32_t regs, smem_bytes, max_threads;
    enum { NOT_RECORDED, USES_NONE, USES_SOME } dynamic_smem;
};

static void build(const struct figures *figures, struct smc_inspect_kernels *kernels)
{
    for (; figures->name; figures++) {
        struct smc_inspect_kernel kernel = {
            .file = "build", .source = SMC_INSPECT_CUBIN, .cc = 90, .has_stack = true};
        kernel.resources.regs_per_thread = figures->regs;
        kernel.resources.static_smem_bytes = figures->smem_bytes;
        kernel.max_threads_per_block = figures->max_threads;
        kernel.dynamic_smem_known = figures->dynamic_smem != NOT_RECORDED;
        kernel.uses_dynamic_smem = figures->dynamic_smem == USES_SOME;
        CU_ASSERT(smc_user_kernels_add(kernels, figures->name, strlen(figures->name), &kernel));
    }
}

struct comparison {
    struct smc_inspect_kernels before, after;
    struct smc_diff diff;
};

static enum smc_status compare_at(const struct figures *before, const struct figures *after,
                                  int64_t threads, struct comparison *comparison)
{
    const struct smc_inspect_request request = {
        .threads_per_block = threads,
        .settings = SMC_LAUNCH_INIT,
    };
    struct smc_error error;
    *comparison = (struct comparison){0};
    build(before, &comparison->before);
    build(after, &comparison->after);
    return smc_diff_compare(&comparison->before, &comparison->after, &request, &comparison->diff,
                            &error);
}

static void free_comparison(struct comparison *comparison)
{
    smc_diff_free(&comparison->diff);
    smc_user_kernels_free(&comparison->before);
    smc_user_kernels_free(&comparison->after);
}

static bool says(const struct smc_diff_pair *pair, const char *expected)
{
    struct smc_text text = {0};
    smc_words_difference(pair, &text);
    bool same = strcmp(smc_text_string(&text), expected) == 0;
    if (!same)
        printf("\n  %s\n", smc_text_string(&text));
    smc_text_free(&text);
    return same;
}

static void test_cliff(void)
{
    static const struct figures before[] = {
        {"a", 64, 0, 0, 0}, {"b", 40, 0, 0, 0}, {NULL, 0, 0, 0, 0}};
    static const struct figures after[] = {
        {"b", 41, 0, 0, 0}, {"a", 65, 0, 0, 0}, {NULL, 0, 0, 0, 0}};
    struct comparison comparison;
    CU_ASSERT_EQUAL(compare_at(before, after, 256, &comparison), SMC_OK);
    const struct smc_diff *diff = &comparison.diff;
    CU_ASSERT_EQUAL_FATAL(diff->count, 2);
    CU_ASSERT_EQUAL(smc_diff_worse(diff), 2);
    CU_ASSERT_EQUAL(diff->compared, 2);
    CU_ASSERT_STRING_EQUAL(diff->pair[0].after.kernel->name, "a"); /* cliffs first */
    CU_ASSERT_EQUAL(diff->pair[0].verdict, SMC_DIFF_CLIFF);
    CU_ASSERT(says(&diff->pair[0], "64 -> 65 registers: 4 -> 3 blocks per SM (50 % -> 37.5 %) at "
                                   "256 threads, limited by registers"));
    CU_ASSERT_EQUAL(diff->pair[1].verdict, SMC_DIFF_CLIFF);
    free_comparison(&comparison);
}

static void test_same_allocation(void)
{
    static const struct figures before[] = {{"a", 33, 0, 0, 0}, {NULL, 0, 0, 0, 0}};
    static const struct figures after[] = {{"a", 40, 0, 0, 0}, {NULL, 0, 0, 0, 0}};
    struct comparison comparison;
    CU_ASSERT_EQUAL(compare_at(before, after, 256, &comparison), SMC_OK);
    CU_ASSERT_EQUAL(comparison.diff.pair[0].verdict, SMC_DIFF_WORSE);
    CU_ASSERT(
        says(&comparison.diff.pair[0], "33 -> 40 registers: still 6 blocks per SM at 256 threads"));
    free_comparison(&comparison);
    CU_ASSERT_EQUAL(compare_at(after, before, 256, &comparison), SMC_OK);
    CU_ASSERT_EQUAL(comparison.diff.pair[0].verdict, SMC_DIFF_BETTER);
    CU_ASSERT_EQUAL(smc_diff_worse(&comparison.diff), 0);
    free_comparison(&comparison);
    CU_ASSERT_EQUAL(compare_at(after, after, 256, &comparison), SMC_OK);
    CU_ASSERT_EQUAL(comparison.diff.pair[0].verdict, SMC_DIFF_SAME);
    free_comparison(&comparison);
}

/* Nothing says the block size: every one is compared, and those that lost blocks are named. */
static void test_every_size(void)
{
    static const struct figures before[] = {{"a", 32, 0, 0, 0}, {NULL, 0, 0, 0, 0}};
    static const struct figures after[] = {{"a", 32, 8192, 0, 0}, {NULL, 0, 0, 0, 0}};
    struct comparison comparison;
    CU_ASSERT_EQUAL(compare_at(before, after, SMC_NOT_GIVEN, &comparison), SMC_OK);
    const struct smc_diff_pair *pair = &comparison.diff.pair[0];
    CU_ASSERT_EQUAL(pair->lost_sizes, 3);
    CU_ASSERT_EQUAL(pair->gained_sizes, 0);
    CU_ASSERT_EQUAL(pair->verdict, SMC_DIFF_CLIFF);
    CU_ASSERT(says(pair, "static shared memory 0 -> 8192 bytes: fewer blocks per SM at 32 to 64 "
                         "threads (32: 32 -> 25)"));
    free_comparison(&comparison);
}

/* Dynamic shared memory that nothing states: only what holds for any amount of it is judged. */
static void check_dynamic(const struct figures *before, const struct figures *after,
                          enum smc_diff_verdict verdict, bool is_undecided, const char *words)
{
    struct comparison comparison;
    CU_ASSERT_EQUAL(compare_at(before, after, 256, &comparison), SMC_OK);
    CU_ASSERT_EQUAL_FATAL(comparison.diff.count, 1);
    const struct smc_diff_pair *pair = &comparison.diff.pair[0];
    CU_ASSERT_EQUAL(pair->verdict, verdict);
    CU_ASSERT_EQUAL(pair->is_undecided, is_undecided);
    CU_ASSERT_EQUAL(comparison.diff.note_count > 0 &&
                        comparison.diff.note[comparison.diff.note_count - 1].kind ==
                            SMC_DIFF_NOTE_DYNAMIC_SMEM_UNKNOWN,
                    is_undecided);
    CU_ASSERT(says(pair, words));
    free_comparison(&comparison);
}

static void test_dynamic_smem(void)
{
    static const struct figures lean[] = {{"a", 64, 0, 0, USES_SOME}, {NULL, 0, 0, 0, 0}};
    static const struct figures rich[] = {{"a", 65, 0, 0, USES_SOME}, {NULL, 0, 0, 0, 0}};
    static const struct figures tile[] = {{"a", 64, 4096, 0, USES_SOME}, {NULL, 0, 0, 0, 0}};
    static const struct figures none[] = {{"a", 64, 0, 0, USES_NONE}, {NULL, 0, 0, 0, 0}};
    static const struct figures log[] = {{"a", 64, 0, 0, NOT_RECORDED}, {NULL, 0, 0, 0, 0}};
    static const struct figures close[] = {{"a", 63, 0, 0, USES_SOME}, {NULL, 0, 0, 0, 0}};
    check_dynamic(lean, rich, SMC_DIFF_WORSE, true,
                  "64 -> 65 registers: blocks per SM not compared: shared memory 0+? -> 0+? bytes, "
                  "as launched");
    check_dynamic(lean, tile, SMC_DIFF_WORSE, true,
                  "static shared memory 0 -> 4096 bytes: blocks per SM not compared: shared memory "
                  "0+? -> 4096+? bytes, as launched");
    check_dynamic(none, lean, SMC_DIFF_CHANGED, true,
                  "blocks per SM not compared: shared memory 0 -> 0+? bytes, as launched");
    /* It can only become worse. */
    check_dynamic(
        none, rich, SMC_DIFF_CLIFF, false,
        "64 -> 65 registers: 4 -> at most 3 blocks per SM (50 % -> at most 37.5 %) at 256 "
        "threads");
    check_dynamic(
        rich, none, SMC_DIFF_BETTER, false,
        "65 -> 64 registers: at most 3 -> 4 blocks per SM (at most 37.5 % -> 50 %) at 256 "
        "threads, limited by registers");
    /* With the same amount the blocks are the same. */
    check_dynamic(lean, lean, SMC_DIFF_SAME, false, "still at most 4 blocks per SM at 256 threads");
    check_dynamic(lean, close, SMC_DIFF_BETTER, false,
                  "64 -> 63 registers: still at most 4 blocks per SM at 256 threads");
    /* A log does not record it. */
    check_dynamic(log, rich, SMC_DIFF_WORSE, true,
                  "64 -> 65 registers: blocks per SM not compared: shared memory 0+? -> 0+? bytes, "
                  "as launched");
}

/* The block size that one build states is that of both. */
static void test_lost_bound(void)
{
    static const struct figures before[] = {{"a", 64, 0, 128, 0}, {NULL, 0, 0, 0, 0}};
    static const struct figures after[] = {{"a", 72, 0, 0, 0}, {NULL, 0, 0, 0, 0}};
    static const struct figures tighter[] = {{"a", 64, 0, 96, 0}, {NULL, 0, 0, 0, 0}};
    struct comparison comparison;
    CU_ASSERT_EQUAL(compare_at(before, after, SMC_NOT_GIVEN, &comparison), SMC_OK);
    const struct smc_diff_pair *pair = &comparison.diff.pair[0];
    CU_ASSERT_EQUAL(pair->after.launch.threads_per_block, 128);
    CU_ASSERT(pair->worse & 1u << SMC_DIFF_BOUNDS);
    CU_ASSERT(says(pair, "64 -> 72 registers, launch bounds of 128 threads lost: 8 -> 7 blocks per "
                         "SM (50 % -> 43.8 %) at 128 threads, limited by registers"));
    free_comparison(&comparison);
    CU_ASSERT_EQUAL(compare_at(before, tighter, SMC_NOT_GIVEN, &comparison), SMC_OK);
    CU_ASSERT_EQUAL(comparison.diff.pair[0].before.launch.threads_per_block, 128);
    CU_ASSERT_EQUAL(comparison.diff.pair[0].after.launch.threads_per_block, 96);
    CU_ASSERT_FALSE(comparison.diff.pair[0].worse & 1u << SMC_DIFF_BOUNDS);
    free_comparison(&comparison);
}

static const struct smc_diff_pair *find(const struct smc_diff *diff, const char *before)
{
    for (size_t i = 0; i < diff->count; i++)
        if (diff->pair[i].before.kernel && strcmp(diff->pair[i].before.kernel->name, before) == 0)
            return &diff->pair[i];
    CU_FAIL_FATAL("not in the comparison");
    return NULL;
}

static void test_renamed(void)
{
    static const struct figures before[] = {{"_Z5scaleIfLi4EEvPT_", 20, 0, 0, 0},
                                            {"_ZN5first4moveEPf", 30, 0, 0, 0},
                                            {"leaving", 8, 0, 0, 0},
                                            {NULL, 0, 0, 0, 0}};
    static const struct figures after[] = {{"_Z5scaleIfLi8EEvPT_", 28, 0, 0, 0},
                                           {"_ZN6second4moveEPf", 30, 0, 0, 0},
                                           {"other", 99, 0, 0, 0},
                                           {NULL, 0, 0, 0, 0}};
    struct comparison comparison;
    CU_ASSERT_EQUAL(compare_at(before, after, 256, &comparison), SMC_OK);
    const struct smc_diff *diff = &comparison.diff;
    const struct smc_diff_pair *pair = find(diff, "_Z5scaleIfLi4EEvPT_");
    CU_ASSERT(pair->is_renamed);
    CU_ASSERT_PTR_NOT_NULL_FATAL(pair->after.kernel);
    CU_ASSERT_STRING_EQUAL(pair->after.kernel->name, "_Z5scaleIfLi8EEvPT_");
    CU_ASSERT_EQUAL(pair->worse, 1u << SMC_DIFF_REGISTERS);
    pair = find(diff, "_ZN5first4moveEPf");
    CU_ASSERT(pair->is_renamed && pair->verdict == SMC_DIFF_SAME);
    CU_ASSERT_EQUAL(find(diff, "leaving")->verdict, SMC_DIFF_REMOVED);
    CU_ASSERT_EQUAL(diff->kernels[SMC_DIFF_ADDED], 1);
    CU_ASSERT_EQUAL(diff->renamed, 2);
    CU_ASSERT_EQUAL(diff->compared, 2);
    free_comparison(&comparison);
}

/* Two added kernels resemble the removed one alike: neither is taken for it. */
static void test_not_guessed(void)
{
    static const struct figures before[] = {{"scale_x", 20, 0, 0, 0}, {NULL, 0, 0, 0, 0}};
    static const struct figures after[] = {
        {"scale_y", 20, 0, 0, 0}, {"scale_z", 20, 0, 0, 0}, {NULL, 0, 0, 0, 0}};
    struct comparison comparison;
    CU_ASSERT_EQUAL(compare_at(before, after, 256, &comparison), SMC_OK);
    CU_ASSERT_EQUAL(comparison.diff.renamed, 0);
    CU_ASSERT_EQUAL(comparison.diff.kernels[SMC_DIFF_REMOVED], 1);
    CU_ASSERT_EQUAL(comparison.diff.kernels[SMC_DIFF_ADDED], 2);
    CU_ASSERT_EQUAL_FATAL(comparison.diff.note_count, 1);
    CU_ASSERT_EQUAL(comparison.diff.note[0].kind, SMC_DIFF_NOTE_RESEMBLING);
    free_comparison(&comparison);
}

/* One of two static kernels with the same name is worse, in another order. */
static void test_same_names(void)
{
    static const struct figures before[] = {
        {"k", 20, 0, 0, 0}, {"k", 30, 0, 0, 0}, {NULL, 0, 0, 0, 0}};
    static const struct figures after[] = {
        {"k", 33, 0, 0, 0}, {"k", 20, 0, 0, 0}, {NULL, 0, 0, 0, 0}};
    struct comparison comparison;
    CU_ASSERT_EQUAL(compare_at(before, after, 256, &comparison), SMC_OK);
    CU_ASSERT_EQUAL(comparison.diff.kernels[SMC_DIFF_ADDED], 0);
    CU_ASSERT_EQUAL_FATAL(comparison.diff.count, 2);
    const struct smc_diff_pair *pair = &comparison.diff.pair[0];
    CU_ASSERT_EQUAL(pair->before.kernel->resources.regs_per_thread, 30);
    CU_ASSERT_EQUAL(pair->after.kernel->resources.regs_per_thread, 33);
    CU_ASSERT_FALSE(pair->is_ambiguous);
    free_comparison(&comparison);
}

/* A kernel that is worse on one architecture only is named, wherever that architecture stands. */
static void test_one_architecture(void)
{
    static const struct figures before[] = {{"a", 32, 0, 0, 0}, {NULL, 0, 0, 0, 0}};
    static const struct figures after[] = {{"a", 64, 0, 0, 0}, {NULL, 0, 0, 0, 0}};
    static const struct figures *const builds[][2] = {{before, after}, {after, before}};
    const struct smc_inspect_request request = {.threads_per_block = 256,
                                                .settings = SMC_LAUNCH_INIT};
    static const uint16_t architectures[] = {100, 80, 90};
    const struct smc_report_style style = {.columns = 80};
    for (size_t i = 0; i < 4; i++) {
        struct comparison comparison = {0};
        struct smc_text text = {.style = &style};
        struct smc_error error;
        for (size_t cc = 0; cc < 3; cc++) { /* each in turn is the one that differs */
            build(builds[i % 2][0], &comparison.before);
            build(cc == (i + 1) % 3 ? builds[i % 2][1] : builds[i % 2][0], &comparison.after);
            comparison.before.item[cc].cc = comparison.after.item[cc].cc = architectures[cc];
        }
        CU_ASSERT_EQUAL(smc_diff_compare(&comparison.before, &comparison.after, &request,
                                         &comparison.diff, &error),
                        SMC_OK);
        smc_writer_text.diff(&comparison.diff, &text);
        CU_ASSERT_PTR_NOT_NULL(
            strstr(smc_text_string(&text), i % 2 ? "\nBetter\na\n  CC " : "no launch\na\n  CC "));
        smc_text_free(&text);
        free_comparison(&comparison);
    }
}

/* Barriers that a report of cuobjdump does not state are neither compared nor counted as few. */
static void test_unknown_barriers(void)
{
    static const struct figures figures[] = {
        {"a", 32, 0, 0, 0}, {"b", 32, 0, 0, 0}, {NULL, 0, 0, 0, 0}};
    const struct smc_inspect_request requests[] = {
        {.threads_per_block = 256, .settings = SMC_LAUNCH_INIT},
        {.threads_per_block = SMC_NOT_GIVEN, .settings = SMC_LAUNCH_INIT}};
    for (size_t i = 0; i < 4; i++) {
        struct comparison comparison = {0};
        struct smc_inspect_kernels *stated = i % 2 ? &comparison.before : &comparison.after;
        struct smc_inspect_kernels *report = i % 2 ? &comparison.after : &comparison.before;
        struct smc_error error;
        build(figures, &comparison.before);
        build(figures, &comparison.after);
        for (size_t k = 0; k < 2; k++) {
            stated->item[k].has_barriers = true;
            stated->item[k].resources.barriers = 16;
            report->item[k].source = SMC_INSPECT_RES_USAGE;
        }
        CU_ASSERT_EQUAL(smc_diff_compare(&comparison.before, &comparison.after, &requests[i / 2],
                                         &comparison.diff, &error),
                        SMC_OK);
        const struct smc_diff *diff = &comparison.diff;
        CU_ASSERT_EQUAL(diff->kernels[SMC_DIFF_SAME], 2);
        CU_ASSERT_EQUAL_FATAL(diff->note_count, 2);
        CU_ASSERT_EQUAL(diff->note[1].kind, SMC_DIFF_NOTE_BARRIERS_UNKNOWN);
        CU_ASSERT_EQUAL(diff->note[1].count, 2);
        free_comparison(&comparison);
    }
}

/* At 1024 threads both need more registers than a block may have. */
static void test_never_launches(void)
{
    static const struct figures before[] = {{"a", 80, 0, 0, 0}, {NULL, 0, 0, 0, 0}};
    static const struct figures after[] = {{"a", 90, 0, 0, 0}, {NULL, 0, 0, 0, 0}};
    struct comparison comparison;
    CU_ASSERT_EQUAL(compare_at(before, after, 1024, &comparison), SMC_OK);
    CU_ASSERT(says(&comparison.diff.pair[0],
                   "80 -> 90 registers: it launches in neither build at 1024 threads"));
    free_comparison(&comparison);
}

/* The message names every architecture of both builds. */
static void test_nothing_in_common(void)
{
    static const struct figures figures[] = {{"a", 80, 0, 0, 0}, {NULL, 0, 0, 0, 0}};
    const struct smc_inspect_request request = {.threads_per_block = 256,
                                                .settings = SMC_LAUNCH_INIT};
    static const uint16_t architectures[] = {80, 86, 100};
    struct comparison comparison = {0};
    struct smc_error error = {""};
    build(figures, &comparison.before);
    for (size_t i = 0; i < 3; i++) {
        build(figures, &comparison.after);
        comparison.after.item[i].cc = architectures[i];
    }
    CU_ASSERT_EQUAL(
        smc_diff_compare(&comparison.before, &comparison.after, &request, &comparison.diff, &error),
        SMC_USAGE);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message,
                                  "the old build is for compute capability 9.0, the new one for "
                                  "compute capability 8.0, 8.6 and 10.0: no architecture"));
    free_comparison(&comparison);
}

/* Findings have the level of what fails, and notes for the rest. */
static void test_findings(void)
{
    static const struct figures before[] = {
        {"a", 64, 0, 0, 0}, {"b", 33, 0, 0, 0}, {"gone", 8, 0, 0, 0}, {NULL, 0, 0, 0, 0}};
    static const struct figures after[] = {
        {"a", 65, 0, 0, 0}, {"b", 34, 0, 0, 0}, {NULL, 0, 0, 0, 0}};
    struct comparison comparison;
    struct smc_findings findings = {0};
    struct smc_judgements judgements = {0};
    CU_ASSERT_EQUAL(compare_at(before, after, 256, &comparison), SMC_OK);
    CU_ASSERT(smc_diff_findings(&comparison.diff, 1u << SMC_DIFF_BLOCKS, &findings, &judgements));
    CU_ASSERT_EQUAL_FATAL(findings.count, 3);
    CU_ASSERT_EQUAL(findings.item[0].level, SMC_FINDING_ERROR);
    CU_ASSERT_STRING_EQUAL(findings.item[0].rule, "blocks");
    CU_ASSERT_EQUAL(findings.item[1].level, SMC_FINDING_WARNING);
    CU_ASSERT_STRING_EQUAL(findings.item[1].rule, "registers");
    CU_ASSERT_EQUAL(findings.item[2].level, SMC_FINDING_NOTE);
    CU_ASSERT_STRING_EQUAL(findings.item[2].rule, "removed");
    CU_ASSERT_EQUAL(judgements.count, 2);
    smc_findings_free(&findings);
    smc_judgements_free(&judgements);
    free_comparison(&comparison);
}

/* Every change is a rule of findings. */
static void test_rules(void)
{
    for (int i = 0; i < SMC_DIFF_CHANGE_COUNT; i++) {
        bool known = false;
        for (int j = 0; j < SMC_CHECK_COUNT; j++)
            known |=
                strcmp(smc_diff_change_name((enum smc_diff_change)i), smc_check_rules[j].name) == 0;
        CU_ASSERT(known);
    }
}

/* A comment on a pull request stays below the size that is refused, and says what it omits. */
static void test_long_comment(void)
{
    enum { KERNELS = 2000 };
    static char name[KERNELS][64];
    static struct figures before[KERNELS + 1], after[KERNELS + 1];
    for (size_t i = 0; i < KERNELS; i++) {
        snprintf(name[i], sizeof name[i], "kernel_with_a_rather_long_name_|_%zu", i);
        before[i] = (struct figures){name[i], 40, 0, 0, 0};
        after[i] = (struct figures){name[i], 41, 0, 0, 0};
    }
    struct comparison comparison;
    struct smc_text out = {0};
    CU_ASSERT_EQUAL(compare_at(before, after, 256, &comparison), SMC_OK);
    smc_markdown_diff(&comparison.diff, &out);
    CU_ASSERT(out.length > 50000 && out.length < 65536);
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&out), "more rows are left out"));
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&out), "name_\\|_"));
    smc_text_free(&out);
    free_comparison(&comparison);
}

/* --- What machine code says about its compilation --------------------------------------------- */

static void check_note(const char *text, size_t bytes, const char *toolkit, const char *options)
{
    struct smc_build_note note;
    smc_build_note_read(text, bytes, &note);
    CU_ASSERT_STRING_EQUAL(note.toolkit, toolkit);
    CU_ASSERT_STRING_EQUAL(note.options, options);
}

static void test_build_note(void)
{
#define NOTE(options)                                                                              \
    "ptxas\0Cuda compilation tools, release 13.0, V13.0.88\0Build cuda_13.0\0" options
#define CHECK(options, expected)                                                                   \
    check_note(NOTE(options), sizeof NOTE(options), "13.0.88", expected)
    CHECK("-v  -arch sm_90 -m 64 ", "");
    CHECK("-O 1 -arch sm_90 -m 64 ", "-O1");
    CHECK("-maxrregcount 32 -arch sm_90 -m 64 ", "-maxrregcount=32");
    CHECK("tmpxft_1.ptx -no-bb-merge  -ret-end  -g  -o t.cubin -arch sm_90 -m 64 ", "-g");
    CHECK("-g  -arch sm_90 -m 64 -l cudadevrt -L /usr/lib -cpu-arch X86_64 ", "-g");
    CHECK("-lineinfo  -arch sm_90 -m 64 ", ""); /* no code: smemcalc compiles with it */
    CHECK("-arch sm_90 -x \033[1m", "-x?[1m");
    check_note("", 0, "", "");
    check_note("release , V", 11, "", "");
    check_note("-arch sm_", 9, "", "");
#undef CHECK
#undef NOTE
}

/* --- Saved figures ---------------------------------------------------------------------------- */

static enum smc_status read_text(const char *text, struct smc_inspect_kernels *kernels,
                                 struct smc_error *error)
{
    struct smc_text bytes = {0};
    smc_text_append(&bytes, text);
    CU_ASSERT(smc_saved_is(&bytes));
    enum smc_status status = smc_saved_read("x.json", &bytes, kernels, error);
    smc_text_free(&bytes);
    return status;
}

static void test_saved(void)
{
    struct smc_inspect_kernel kernel = {.file = "dir/a.cu",
                                        .source = SMC_INSPECT_NVRTC,
                                        .cc = 90,
                                        .suffix = 'a',
                                        .has_spills = true,
                                        .has_barriers = true,
                                        .max_threads_per_block = 256,
                                        .min_blocks_known = true,
                                        .min_blocks_per_sm = 2,
                                        .blocks_per_cluster = 4,
                                        .source_file = (char *)"a.cu",
                                        .source_line = 12,
                                        .build = {"13.0.88", "-O1"}};
    kernel.resources = (struct smc_resources){.regs_per_thread = 40,
                                              .static_smem_bytes = 1000,
                                              .spill_store_bytes = 8,
                                              .spill_load_bytes = 12,
                                              .barriers = 3};
    struct smc_inspect_kernels written = {0}, read = {0};
    const struct smc_inspect_request request = {.threads_per_block = SMC_NOT_GIVEN};
    struct smc_text text = {0};
    struct smc_error error = {""};
    CU_ASSERT(smc_user_kernels_add(&written, "_Z1kv", 5, &kernel));
    CU_ASSERT_EQUAL(smc_saved_write(&written, &request, NULL, &text, &error), SMC_OK);
    CU_ASSERT_EQUAL_FATAL(read_text(smc_text_string(&text), &read, &error), SMC_OK);
    CU_ASSERT_EQUAL_FATAL(read.count, 1);
    const struct smc_inspect_kernel *k = &read.item[0];
    CU_ASSERT_STRING_EQUAL(k->name, "_Z1kv");
    CU_ASSERT_STRING_EQUAL(k->file, "dir/a.cu");
    CU_ASSERT_STRING_EQUAL(k->source_file, "a.cu");
    CU_ASSERT_STRING_EQUAL(k->build.toolkit, "13.0.88");
    CU_ASSERT_STRING_EQUAL(k->build.options, "-O1");
    CU_ASSERT(k->source == SMC_INSPECT_NVRTC && k->cc == 90 && k->suffix == 'a');
    CU_ASSERT(k->has_spills && k->has_barriers && k->min_blocks_known && !k->has_stack);
    CU_ASSERT(k->max_threads_per_block == 256 && k->min_blocks_per_sm == 2);
    CU_ASSERT(k->blocks_per_cluster == 4 && k->source_line == 12);
    CU_ASSERT(k->resources.regs_per_thread == 40 && k->resources.static_smem_bytes == 1000);
    CU_ASSERT(k->resources.spill_store_bytes == 8 && k->resources.spill_load_bytes == 12);
    CU_ASSERT(k->resources.barriers == 3 && !k->resources.refused);
    smc_text_free(&text);
    smc_user_kernels_free(&written);
    smc_user_kernels_free(&read);
}

/* One line that names the file, the kernel, the member, and what is allowed. */
static void check_refused(const char *text, const char *expected)
{
    struct smc_inspect_kernels kernels = {0};
    struct smc_error error = {""};
    CU_ASSERT_EQUAL(read_text(text, &kernels, &error), SMC_USAGE);
    if (strcmp(error.message, expected) != 0)
        printf("\n  %s\n", error.message);
    CU_ASSERT_STRING_EQUAL(error.message, expected);
    smc_user_kernels_free(&kernels);
}

static void test_damaged(void)
{
#define FILE_OF(kernel) "{\"schema\":\"smemcalc-inspect/1\",\"kernels\":[" kernel "]}"
    check_refused("{}", "x.json: JSON, but its schema is missing; only \"smemcalc-inspect/1\" "
                        "(inspect --save) and inspect --format json are read");
    check_refused("{\"schema\":\"smemcalc-inspect/9\"}",
                  "x.json: JSON, but its schema is \"smemcalc-inspect/9\"; only "
                  "\"smemcalc-inspect/1\" (inspect --save) and inspect --format json are read");
    check_refused(FILE_OF(""), "x.json: no kernel in it");
    check_refused(FILE_OF("7"), "x.json: kernel 1: not an object");
    check_refused(FILE_OF("{}"), "x.json: kernel 1: it has no name");
    check_refused(FILE_OF("{\"name\":\"k\",\"source\":\"cubin\",\"registers_per_thread\":-1}"),
                  "x.json: kernel 1, k: \"registers_per_thread\" is -1, not a whole number from 0 "
                  "to 256");
    check_refused(FILE_OF("{\"name\":\"k\",\"source\":\"cubin\",\"stack_bytes\":1.5}"),
                  "x.json: kernel 1, k: \"stack_bytes\" is 1.5, not a whole number from 0 to "
                  "4294967295");
    check_refused(FILE_OF("{\"name\":\"k\",\"source\":\"moon\"}"),
                  "x.json: kernel 1, k: \"source\" is \"moon\", not a kind of input");
    check_refused(FILE_OF("{\"name\":\"k\",\"source\":\"cubin\",\"compiled_for\":\"sm_9x\"}"),
                  "x.json: kernel 1, k: \"compiled_for\" is \"sm_9x\", not an architecture such "
                  "as sm_90");
#undef FILE_OF
    struct smc_inspect_kernels kernels = {0};
    struct smc_error error = {""};
    CU_ASSERT_EQUAL(read_text("{\"schema\":\n", &kernels, &error), SMC_USAGE);
    CU_ASSERT_EQUAL(strncmp(error.message, "x.json:2: damaged JSON: ", 24), 0);
    smc_user_kernels_free(&kernels);
}

CU_TestInfo tests_diff[] = {
    {"names stay the same from build to build", test_stable_names},
    {"what precedes a static kernel's name", test_static_prefix},
    {"bare names", test_bare_names},
    {"cliffs come first", test_cliff},
    {"a change within the allocation unit", test_same_allocation},
    {"every block size", test_every_size},
    {"unknown dynamic shared memory", test_dynamic_smem},
    {"a lost launch bound", test_lost_bound},
    {"renamed kernels", test_renamed},
    {"ambiguous names are not guessed", test_not_guessed},
    {"kernels with the same name", test_same_names},
    {"worse on one architecture only", test_one_architecture},
    {"barriers that a report does not state", test_unknown_barriers},
    {"a launch that fails in both builds", test_never_launches},
    {"builds for different architectures", test_nothing_in_common},
    {"findings", test_findings},
    {"changes are rules", test_rules},
    {"a comment's length", test_long_comment},
    {"toolkit and options", test_build_note},
    {"figures saved and read", test_saved},
    {"damaged figures", test_damaged},
    CU_TEST_INFO_NULL,
};
