/* report: a trace as text, JSON and CSV; the requirement that its kernels are held to. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "answers/trace_answer.h"
#include "code/user_kernels.h"
#include "show/report/report.h"
#include "trace_sample.h"
#include "unit.h"

static const struct smc_report_style plain = {.columns = 80};
static const struct smc_report_style in_full = {.columns = 80, .verbose = true};

/* What a writer makes of the sample; `change` (or NULL) may change it before. Free it. */
static struct smc_text written_of(const struct smc_writer *writer,
                                  const struct smc_report_style *style,
                                  void (*change)(struct smc_trace *trace))
{
    struct smc_trace *trace = calloc(1, sizeof *trace);
    struct smc_trace_answer answer;
    struct smc_error error = {""};
    struct smc_text text = {.style = style};
    CU_ASSERT_PTR_NOT_NULL_FATAL(trace);
    trace_sample_make(trace);
    if (change)
        change(trace);
    CU_ASSERT_EQUAL_FATAL(smc_trace_answer_on(trace, NULL, &answer, &error), SMC_OK);
    writer->trace(&answer, &text);
    smc_trace_answer_free(&answer);
    smc_trace_free(trace);
    free(trace);
    CU_ASSERT_FALSE_FATAL(text.failed);
    return text;
}

static struct smc_text written(const struct smc_writer *writer,
                               const struct smc_report_style *style)
{
    return written_of(writer, style, NULL);
}

static bool holds(const struct smc_text *text, const char *part)
{
    const bool found = strstr(smc_text_string(text), part) != NULL;
    if (!found)
        printf("\nno '%s' in:\n%s", part, smc_text_string(text));
    return found;
}

/* --- Text ------------------------------------------------------------------------------------- */

static size_t longest_line(const struct smc_text *text)
{
    size_t longest = 0;
    for (const char *at = smc_text_string(text); *at;) {
        const size_t length = strcspn(at, "\n");
        longest = length > longest ? length : longest;
        at += length + (at[length] == '\n');
    }
    return longest;
}

static void test_text(void)
{
    static const char *const parts[] = {
        "47,009 launches of 5 kernels took 4.06 s on 2 x NVIDIA H100 80GB HBM3, in 2\nprocesses\n",
        "94 % of the time limited by registers, 3 % in launches too small to fill the\nGPU, 2 % of "
        "unknown occupancy, under 1 % at full occupancy\n",
        "occupancy on average 20 %; resident warps on average 15 % of what the GPU holds\n",
        "45,000 launches (3 % of the time) ran for less than the 4.8 us that a launch\ntakes",
        "\nKernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_nn_align8>\n"
        "  84.5     1296  2.65 ms  in all:\n"
        "  84.2     1200  2.85 ms   256  238   73728   1  12.5  11.8        15 registers\n"
        "       grid 1000 x 2; a second block needs 128 registers per thread or fewer",
        "  0.3       96 0.128 ms   256  238   73728   1  12.5   3.0      0.24 small grid\n"
        "       grid 16 x 2; the GPU holds 132 of these blocks at a time\n",
        "  3.1    45000  2.80 us   256   32       0   8   100   4.7 0.01-0.12 small grid\n"
        "       grids of 8 to 128 blocks; the GPU holds 1056",
        "   2.2        1  90.0 ms   640    ?       0   ?     ?     ?         ? ?\n"
        "       grid 24; registers were not recorded\n",
        "the last of 2 waves leaves 75 % of the GPU empty\n",
        "\n3 configurations, all as the driver says; it was not asked about 8\n",
        "\n3 launches of a graph were not recorded\n",
    };
    struct smc_text text = written(&smc_writer_text, &plain);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        CU_ASSERT_TRUE(holds(&text, parts[i]));
    CU_ASSERT_TRUE(longest_line(&text) <= 80);
    smc_text_free(&text);
}

static void forget_times(struct smc_trace *trace)
{
    for (size_t i = 0; i < trace->launch_count; i++)
        trace->launches[i].timed_launches = trace->launches[i].total_ns = 0;
}

static void test_without_times(void)
{
    struct smc_text text = written_of(&smc_writer_text, &plain, forget_times);
    CU_ASSERT_TRUE(holds(&text, "47,009 launches of 5 kernels on 2 x"));
    CU_ASSERT_TRUE(holds(&text, "96 % of the launches too small"));
    CU_ASSERT_TRUE(holds(&text, "share%"));
    CU_ASSERT_TRUE(holds(&text, "no times were recorded: shares are those of the launches"));
    CU_ASSERT_PTR_NULL(strstr(smc_text_string(&text), "ran for less"));
    smc_text_free(&text);
}

static void disagree(struct smc_trace *trace)
{
    trace->launches[2].api_blocks_per_sm = 7;
    trace->has_exit = true;
    trace->exit_signal = 11;
}

static void test_disagreement(void)
{
    struct smc_text text = written_of(&smc_writer_text, &plain, disagree);
    CU_ASSERT_TRUE(holds(&text, "1 of 3 configurations differ from what the driver says"));
    CU_ASSERT_TRUE(holds(&text, "vectorized_layer_norm_kernel<float, float>, 128 threads, 56 "));
    CU_ASSERT_TRUE(holds(&text, ": 9 blocks per SM; the driver says 7\n"));
    CU_ASSERT_TRUE(holds(&text, "the program was ended by signal 11\n"));
    CU_ASSERT_PTR_NULL(strstr(smc_text_string(&text), "all as the driver says"));
    smc_text_free(&text);
}

static void test_top(void)
{
    const struct smc_report_style one = {.columns = 80, .most_kernels = 1};
    struct smc_text text = written(&smc_writer_text, &one);
    CU_ASSERT_TRUE(holds(&text, "  15.5  in 4 more kernels; --top all lists each\n"));
    CU_ASSERT_PTR_NULL(strstr(smc_text_string(&text), "softmax"));
    smc_text_free(&text);
    text = written(&smc_writer_csv, &one);
    CU_ASSERT_PTR_NULL(strstr(smc_text_string(&text), "softmax"));
    CU_ASSERT_TRUE(holds(&text, "Kernel2"));
    smc_text_free(&text);
}

static void empty(struct smc_trace *trace)
{
    for (size_t i = 0; i < trace->launch_count; i++)
        trace->launches[i].launches = 0;
}

static void test_nothing(void)
{
    struct smc_text text = written_of(&smc_writer_text, &plain, empty);
    CU_ASSERT_TRUE(holds(&text, "no kernel was launched\n"));
    smc_text_free(&text);
}

/* Many kinds of configurations: the first three, unless all are requested. */
static void add_kinds(struct smc_trace *trace)
{
    for (int32_t regs = 40; regs < 80; regs += 8) {
        struct smc_trace_launch launch = trace_sample_launch("kinds", 5000);
        launch.regs_per_thread = regs;
        trace_sample_add(trace, launch, 1000000000u);
    }
}

static void test_kinds(void)
{
    struct smc_text text = written_of(&smc_writer_text, &plain, add_kinds);
    CU_ASSERT_TRUE(holds(&text, "  22.1  in 2 more configurations, shown by --verbose\n"));
    smc_text_free(&text);
    text = written_of(&smc_writer_text, &in_full, add_kinds);
    CU_ASSERT_PTR_NULL(strstr(smc_text_string(&text), "shown by --verbose"));
    smc_text_free(&text);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *parsed(void (*change)(struct smc_trace *trace))
{
    struct smc_text text = written_of(&smc_writer_json, &plain, change);
    json_t *root = json_loads(smc_text_string(&text), 0, NULL);
    smc_text_free(&text);
    CU_ASSERT_PTR_NOT_NULL_FATAL(root);
    return root;
}

static json_int_t integer(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    CU_ASSERT_TRUE(json_is_integer(value));
    return json_integer_value(value);
}

static void test_json(void)
{
    json_t *root = parsed(NULL);
    const json_t *kernels = json_object_get(root, "kernels");
    const json_t *gemm = json_array_get(kernels, 0);
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(root, "schema")), "smemcalc/1");
    CU_ASSERT_EQUAL(json_array_size(kernels), 11);
    CU_ASSERT_EQUAL(json_array_size(json_object_get(root, "devices")), 2);
    CU_ASSERT_EQUAL(json_array_size(json_object_get(root, "processes")), 2);
    CU_ASSERT_EQUAL(integer(json_object_get(root, "summary"), "launches"), 47009);
    CU_ASSERT_EQUAL(integer(gemm, "launches"), 1200);
    CU_ASSERT_DOUBLE_EQUAL(json_number_value(json_object_get(gemm, "total_ms")), 3420, 1e-9);
    CU_ASSERT_EQUAL(json_integer_value(json_array_get(json_object_get(gemm, "grid_dim"), 1)), 2);
    CU_ASSERT_EQUAL(integer(gemm, "registers_per_thread"), 238);
    CU_ASSERT_EQUAL(integer(gemm, "dynamic_smem_bytes"), 73728);
    CU_ASSERT_EQUAL(integer(gemm, "api_blocks_per_sm"), 1);
    CU_ASSERT_TRUE(json_is_true(json_object_get(gemm, "agrees")));
    const json_t *occupancy = json_object_get(gemm, "occupancy");
    CU_ASSERT_EQUAL(integer(occupancy, "blocks_per_sm"), 1);
    CU_ASSERT_EQUAL(integer(json_object_get(occupancy, "limits"), "registers"), 1);
    CU_ASSERT_TRUE(json_array_size(json_object_get(gemm, "next_steps")) > 0);
    CU_ASSERT_EQUAL(integer(json_object_get(gemm, "waves"), "waves"), 16);
    json_decref(root);
}

/* null, never 0 or a guess. */
static void test_json_unknown(void)
{
    static const char *const unknown[] = {
        "occupancy",        "registers_per_thread", "waves",       "api_blocks_per_sm",
        "resident_percent", "tail_percent",         "cluster_dim", "cache_config"};
    json_t *root = parsed(NULL);
    const json_t *kernels = json_object_get(root, "kernels"), *kernel;
    size_t i, found = 0;
    json_array_foreach(kernels, i, kernel)
    {
        if (strcmp(json_string_value(json_object_get(kernel, "name")), "ncclDevKernel_AllReduce"))
            continue;
        found++;
        for (size_t k = 0; k < sizeof unknown / sizeof *unknown; k++)
            CU_ASSERT_TRUE(json_is_null(json_object_get(kernel, unknown[k])));
        CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(kernel, "unknown_reason")),
                               "registers were not recorded");
    }
    CU_ASSERT_EQUAL(found, 1);
    json_decref(root);
}

/* The course names kernels by their place in the list. */
static void test_json_course(void)
{
    json_t *root = parsed(NULL);
    const json_t *course = json_object_get(root, "course");
    const json_t *slices = json_object_get(course, "slices"), *slice;
    json_int_t total = 0;
    size_t i;
    CU_ASSERT_EQUAL(integer(course, "begin_ns"), 5000);
    json_array_foreach(slices, i, slice)
    {
        if (json_array_size(slice) == 0)
            continue;
        const json_int_t place = json_integer_value(json_array_get(slice, 0));
        const json_t *kernel = json_array_get(json_object_get(root, "kernels"), (size_t)place);
        CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(kernel, "name")), "softmax");
        total += json_integer_value(json_array_get(slice, 1));
    }
    CU_ASSERT_EQUAL(total, 3000);
    json_decref(root);
}

static void hostile(struct smc_trace *trace)
{
    trace_sample_add(trace, trace_sample_launch("\xff\x1b[31m\"a,b\"\n", 5000), 1000000);
    smc_trace_note(trace, "%s", "\xfe\x1b[0m");
}

/* Names from files reach neither the terminal nor JSON as they are. */
static void test_hostile(void)
{
    const struct smc_report_style all = {.columns = 80, .all_kernels = true};
    json_t *root = parsed(hostile);
    json_decref(root);
    struct smc_text text = written_of(&smc_writer_text, &all, hostile);
    CU_ASSERT_PTR_NULL(strchr(smc_text_string(&text), '\x1b'));
    smc_text_free(&text);
    text = written_of(&smc_writer_csv, &all, hostile);
    CU_ASSERT_PTR_NULL(strchr(smc_text_string(&text), '\x1b'));
    size_t lines = 0;
    for (size_t i = 0; i < text.length; i++)
        lines += text.data[i] == '\n';
    CU_ASSERT_EQUAL(lines, 13);
    smc_text_free(&text);
}

/* A finding begins with its kernel: without parameters, and with template arguments if they fit. */
static void test_finding_names(void)
{
    static const char *const names[][2] = {
        {"_Z4gemmPfi", "gemm: "},
        {"_Z4gemmIfEvPT_", "gemm<float>: "},
        {"_Z4gemmI4pairI4pairI4pairI4pairI4pairI4pairIffES6_ES6_ES6_ES6_ES6_EEvPT_", "gemm<..>: "},
        {"plain", "plain: "}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct smc_trace trace = {0};
        struct smc_error error = {""};
        CU_ASSERT_EQUAL(smc_trace_finding(&trace, names[i][0], "k.cu:3: race", &error), SMC_OK);
        char *shown = smc_demangle(names[i][0]);
        const bool is_mangled = strncmp(shown, "_Z", 2) == 0; /* without a demangler */
        free(shown);
        if (is_mangled) {
            smc_text_free(&trace.findings);
            continue;
        }
        const char *text = smc_text_string(&trace.findings);
        const size_t bytes = strlen(names[i][1]);
        if (strncmp(text, names[i][1], bytes) != 0)
            printf("%s\n", text);
        CU_ASSERT_EQUAL(strncmp(text, names[i][1], bytes), 0);
        CU_ASSERT_STRING_EQUAL(text + bytes, "k.cu:3: race\n");
        smc_text_free(&trace.findings);
    }
}

/* --- The requirement -------------------------------------------------------------------------- */

static enum smc_status judged(double least, double above, const char *allowed,
                              struct smc_trace_gate *gate, struct smc_trace_verdict *verdict)
{
    char path[] = "/tmp/smemcalc-allow-XXXXXX";
    struct smc_trace *trace = calloc(1, sizeof *trace);
    struct smc_trace_answer answer;
    struct smc_error error = {""};
    *gate = (struct smc_trace_gate){.least_percent = least, .above_share = above};
    *verdict = (struct smc_trace_verdict){0};
    CU_ASSERT_PTR_NOT_NULL_FATAL(trace);
    if (allowed) {
        const int file = mkstemp(path);
        CU_ASSERT_TRUE_FATAL(file >= 0);
        FILE *stream = fdopen(file, "w");
        fputs(allowed, stream);
        fclose(stream);
        CU_ASSERT_EQUAL_FATAL(smc_trace_gate_allow(path, gate, &error), SMC_OK);
        remove(path);
    }
    trace_sample_make(trace);
    CU_ASSERT_EQUAL_FATAL(smc_trace_answer_on(trace, NULL, &answer, &error), SMC_OK);
    const enum smc_status status = smc_trace_gate_judge(gate, &answer, verdict, &error);
    free(verdict->judgements.item); /* its strings are the trace's */
    verdict->judgements.item = NULL;
    smc_trace_answer_free(&answer);
    smc_trace_free(trace);
    free(trace);
    return status;
}

static void test_gate(void)
{
    struct smc_trace_gate gate;
    struct smc_trace_verdict verdict;
    CU_ASSERT_EQUAL(judged(50, 0.05, NULL, &gate, &verdict), SMC_SHORTFALL);
    CU_ASSERT_EQUAL(verdict.low, 1);
    CU_ASSERT_EQUAL(verdict.unknown, 0);
    CU_ASSERT_EQUAL(verdict.judgements.count, 2);
    CU_ASSERT_EQUAL_FATAL(verdict.findings.count, 1);
    CU_ASSERT_STRING_EQUAL(verdict.findings.item[0].rule, "occupancy");
    CU_ASSERT_STRING_EQUAL(
        verdict.findings.item[0].message,
        "occupancy 12.5 %, below 50 %; 84.5 % of the time, limited by registers");
    CU_ASSERT_STRING_EQUAL(verdict.findings.item[0].device, "NVIDIA H100 80GB HBM3");
    smc_trace_verdict_free(&verdict);
    smc_trace_gate_free(&gate);
}

static void test_gate_unknown(void)
{
    struct smc_trace_gate gate;
    struct smc_trace_verdict verdict;
    CU_ASSERT_EQUAL(judged(10, 0.01, NULL, &gate, &verdict), SMC_USAGE);
    CU_ASSERT_EQUAL(verdict.unknown, 1);
    CU_ASSERT_STRING_EQUAL(verdict.findings.item[0].rule, "unknown");
    smc_trace_verdict_free(&verdict);
    smc_trace_gate_free(&gate);
    CU_ASSERT_EQUAL(judged(10, 0.05, NULL, &gate, &verdict), SMC_OK);
    CU_ASSERT_EQUAL(verdict.findings.count, 0);
    smc_trace_verdict_free(&verdict);
    smc_trace_gate_free(&gate);
}

static void test_gate_allowed(void)
{
    struct smc_trace_gate gate;
    struct smc_trace_verdict verdict;
    CU_ASSERT_EQUAL(judged(90, 0,
                           "# kernels of libraries\r\n\n  *Kernel2*  # cuBLAS\nsoftmax\n"
                           "vectorized*\nncclDev*",
                           &gate, &verdict),
                    SMC_OK);
    CU_ASSERT_EQUAL_FATAL(gate.count, 4);
    CU_ASSERT_STRING_EQUAL(gate.allowance[0].pattern, "*Kernel2*");
    CU_ASSERT_EQUAL(gate.allowance[0].line, 3);
    CU_ASSERT_TRUE(gate.allowance[0].used);
    CU_ASSERT_FALSE(gate.allowance[1].used);
    CU_ASSERT_TRUE(gate.allowance[3].used);
    CU_ASSERT_EQUAL(verdict.allowed, 3);
    CU_ASSERT_EQUAL(verdict.low + verdict.unknown, 0);
    CU_ASSERT_EQUAL(smc_findings_count(&verdict.findings, SMC_FINDING_NOTE), 3);
    smc_trace_verdict_free(&verdict);
    smc_trace_gate_free(&gate);
}

CU_TestInfo tests_trace_report[] = {
    {"text", test_text},
    {"text without times", test_without_times},
    {"the driver says otherwise", test_disagreement},
    {"the first kernels", test_top},
    {"no launches", test_nothing},
    {"kinds of configurations", test_kinds},
    {"JSON", test_json},
    {"JSON of what is unknown", test_json_unknown},
    {"JSON of the course", test_json_course},
    {"names from files", test_hostile},
    {"findings begin with a short name of the kernel", test_finding_names},
    {"a requirement", test_gate},
    {"a requirement and an unknown occupancy", test_gate_unknown},
    {"kernels that may have less", test_gate_allowed},
    CU_TEST_INFO_NULL,
};
