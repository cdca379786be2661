/* inspect: a kernel's values are the same from any input, and so are the answers and launch
   bounds. Tests that need a compiler are in inspect.sh. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers/inspect.h"
#include "code/compile/ptx_memory.h"
#include "code/inputs.h"
#include "code/ptx_facts.h"
#include "code/user_kernels.h"
#include "show/words/kernel_names.h"
#include "unit.h"

#define DATA SMC_SOURCE_DIR "/tests/data/inspect/"

static const struct smc_inspect_target h100 = {.cc = 90};

static struct smc_inspect_request request_of(const struct smc_device *devices, size_t count)
{
    return (struct smc_inspect_request){
        .targets = &h100,
        .target_count = 1,
        .targets_assumed = true,
        .devices = devices,
        .device_count = count,
        .threads_per_block = SMC_NOT_GIVEN,
        .settings = SMC_LAUNCH_INIT,
    };
}

static enum smc_status read_data(const char *file, struct smc_inspect_kernels *kernels)
{
    struct smc_inspect_request request = request_of(NULL, 0);
    struct smc_inspect_notes notes = {0};
    struct smc_error error = {""};
    enum smc_status status = smc_read_kernels(file, &request, kernels, &notes, &error);
    CU_ASSERT_EQUAL(notes.faults.length, 0);
    smc_text_free(&notes.warnings);
    smc_text_free(&notes.faults);
    return status;
}

/* --- Logs ------------------------------------------------------------------------------------- */

/* A row has the figures of its whole answer. */
static void check_complete(const struct smc_inspect_row *row)
{
    struct smc_answer answer;
    smc_inspect_complete(row, &answer);
    CU_ASSERT_EQUAL(answer.outcome, row->outcome);
    CU_ASSERT_EQUAL(answer.occupancy.blocks_per_sm, row->occupancy.blocks_per_sm);
    CU_ASSERT_EQUAL(answer.occupancy.limiters, row->occupancy.limiters);
    CU_ASSERT_EQUAL(answer.occupancy_percent, row->occupancy_percent);
    CU_ASSERT_EQUAL(answer.launch.threads_per_block, row->launch.threads_per_block);
    CU_ASSERT_EQUAL(answer.resources.static_smem_bytes, row->launch.static_smem_bytes);
    CU_ASSERT_EQUAL(answer.query.device.sm.max_threads_per_block, 1024);
}

static void test_linked(void)
{
    static const char log[] =
        "ptxas info    : Compiling entry function 'k' for 'sm_80'\n"
        "ptxas info    : Used 8 registers, used 0 barriers\n"
        "ptxas info    : Compiling entry function 'k' for 'sm_90'\n"
        "ptxas info    : Used 10 registers, used 0 barriers, 16 bytes smem\n"
        "nvlink info    : Function properties for 'k': (target: sm_90)\n"
        "nvlink info    : used 40 registers, used 1 barriers, 0 stack, 1040 bytes smem\n"
        "nvlink info    : Function properties for 'k':\n"
        "nvlink info    : used 38 registers, 0 stack, 24 bytes smem\n";
    const struct smc_inspect_kernel kind = {.file = "x", .source = SMC_INSPECT_PTXAS_LOG};
    struct smc_inspect_kernels kernels = {0};
    CU_ASSERT(smc_read_log(log, &kind, &kernels, NULL));
    CU_ASSERT_EQUAL_FATAL(kernels.count, 2);
    CU_ASSERT_EQUAL(kernels.item[0].resources.regs_per_thread, 38);
    CU_ASSERT_EQUAL(kernels.item[0].resources.static_smem_bytes, 24);
    CU_ASSERT_EQUAL(kernels.item[1].resources.regs_per_thread, 40);
    CU_ASSERT_EQUAL(kernels.item[1].resources.static_smem_bytes, 16);
    CU_ASSERT_EQUAL(kernels.item[1].resources.barriers, 1);
    smc_user_kernels_free(&kernels);
}

static void test_refused(void)
{
    static const char log[] =
        "ptxas info    : Compiling entry function 'k' for 'sm_90'\n"
        "ptxas info    : Used 10 registers, used 1 barriers, 80000 bytes smem\n"
        "ptxas error   : Entry function 'k' uses too much shared data (0x13880 bytes, 0xc000 max)\n"
        "ptxas error   : Entry function 'l' uses too much shared data (0xc001 bytes, 0xc000 max)\n";
    const struct smc_inspect_kernel kind = {.file = "x", .source = SMC_INSPECT_PTXAS_LOG};
    struct smc_inspect_request request = request_of(NULL, 0);
    struct smc_inspect_kernels kernels = {0};
    struct smc_inspect_rows rows = {0};
    CU_ASSERT(smc_read_log(log, &kind, &kernels, NULL));
    CU_ASSERT_EQUAL_FATAL(kernels.count, 2);
    CU_ASSERT_EQUAL(smc_inspect_answer(&kernels, &request, &rows, NULL), SMC_OK);
    CU_ASSERT_EQUAL_FATAL(rows.count, 2);
    for (size_t i = 0; i < rows.count; i++) {
        CU_ASSERT_EQUAL(rows.item[i].outcome, SMC_CANNOT_COMPILE);
        CU_ASSERT_EQUAL(rows.item[i].occupancy.blocks_per_sm, 0);
        check_complete(&rows.item[i]);
    }
    CU_ASSERT_EQUAL(rows.item[0].launch.static_smem_bytes, 80000);
    smc_inspect_rows_free(&rows);
    smc_user_kernels_free(&kernels);
}

/* The log of a compilation for a known architecture may begin with the refusal, which does not name
   it: the kernel is one all the same, for that architecture. */
static void test_refused_first(void)
{
    static const char log[] =
        "ptxas error   : Entry function 'k' uses too much shared data (0xd000 bytes, 0xc000 max)\n"
        "ptxas info    : Compiling entry function 'l' for 'sm_90a'\n"
        "ptxas info    : Used 12 registers, used 0 barriers\n"
        "ptxas info    : Compiling entry function 'k' for 'sm_90a'\n"
        "ptxas info    : Used 10 registers, used 1 barriers, 53248 bytes smem\n";
    const struct smc_inspect_kernel kind = {.file = "x", .source = SMC_INSPECT_NVCC, .cc = 90};
    struct smc_inspect_request request = request_of(NULL, 0);
    struct smc_inspect_kernels kernels = {0};
    struct smc_inspect_rows rows = {0};
    CU_ASSERT(smc_read_log(log, &kind, &kernels, NULL));
    CU_ASSERT_EQUAL_FATAL(kernels.count, 2);
    CU_ASSERT_EQUAL(kernels.item[0].cc, 90);
    CU_ASSERT_EQUAL(kernels.item[0].suffix, 'a');
    CU_ASSERT_EQUAL(kernels.item[0].resources.regs_per_thread, 10);
    CU_ASSERT_FALSE(kernels.item[1].resources.refused);
    CU_ASSERT_EQUAL(smc_inspect_answer(&kernels, &request, &rows, NULL), SMC_OK);
    CU_ASSERT_EQUAL_FATAL(rows.count, 2);
    CU_ASSERT_EQUAL(rows.item[0].outcome, SMC_CANNOT_COMPILE);
    smc_inspect_rows_free(&rows);
    smc_user_kernels_free(&kernels);
}

/* --- Machine code ----------------------------------------------------------------------------- */

/* The values that both the log and the machine code of one compilation contain. */
static int count_differences(const struct smc_inspect_kernels *code,
                             struct smc_inspect_kernels *log)
{
    int differences = code->count != log->count;
    for (size_t i = 0; i < code->count; i++) {
        const struct smc_inspect_kernel *a = &code->item[i];
        const struct smc_inspect_kernel *b =
            smc_user_kernels_find(log, 0, a->name, strlen(a->name));
        differences += !b || a->cc != b->cc ||
                       a->resources.regs_per_thread != b->resources.regs_per_thread ||
                       a->resources.static_smem_bytes != b->resources.static_smem_bytes ||
                       a->resources.stack_bytes != b->resources.stack_bytes ||
                       (b->has_barriers && a->resources.barriers != b->resources.barriers);
    }
    return differences;
}

static void test_code_and_log(void)
{
    static const char *const names[] = {"own-sm75", "own-sm90", "own-sm120", "own-sm90-cuda12"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[1024];
        struct smc_inspect_kernels code = {0}, log = {0};
        snprintf(path, sizeof path, DATA "%s.cubin", names[i]);
        CU_ASSERT_EQUAL(read_data(path, &code), SMC_OK);
        snprintf(path, sizeof path, DATA "%s.ptxas", names[i]);
        CU_ASSERT_EQUAL(read_data(path, &log), SMC_OK);
        CU_ASSERT_EQUAL(code.count, 3);
        CU_ASSERT_EQUAL(count_differences(&code, &log), 0);
        smc_user_kernels_free(&code);
        smc_user_kernels_free(&log);
    }
}

/* Compiled by nvcc -dc: "calls" calls a function of another object, "local" one of its own, "alone"
   none, so that its figures are final. */
static void test_relocatable(void)
{
    struct smc_inspect_kernels kernels = {0};
    CU_ASSERT_EQUAL(read_data(DATA "relocatable-sm90.cubin", &kernels), SMC_OK);
    CU_ASSERT_EQUAL_FATAL(kernels.count, 3);
    for (size_t i = 0; i < kernels.count; i++)
        CU_ASSERT_EQUAL(kernels.item[i].calls_unlinked,
                        strcmp(kernels.item[i].name, "_Z5alonePf") != 0);
    CU_ASSERT_EQUAL(smc_user_kernels_count_unlinked(&kernels), 2);
    smc_user_kernels_free(&kernels);
}

/* From CC 9.0 on cuobjdump counts the driver's reserve as the kernel's. */
static void test_res_usage(void)
{
    struct smc_inspect_kernels code = {0}, report = {0};
    struct smc_inspect_rows rows = {0};
    struct smc_capability capability;
    struct smc_device device;
    CU_ASSERT_FATAL(smc_capability_find(90, &capability));
    smc_device_of_capability(&capability, &device);
    struct smc_inspect_request request = request_of(&device, 1);
    CU_ASSERT_EQUAL(read_data(DATA "own-sm90-cuda12.cubin", &code), SMC_OK);
    CU_ASSERT_EQUAL(read_data(DATA "own-sm90-cuda12.res-usage", &report), SMC_OK);
    CU_ASSERT_EQUAL(smc_inspect_answer(&report, &request, &rows, NULL), SMC_OK);
    CU_ASSERT_EQUAL_FATAL(rows.count, 3);
    int differences = 0;
    for (size_t i = 0; i < rows.count; i++) {
        const char *name = rows.item[i].kernel->name;
        const struct smc_inspect_kernel *k = smc_user_kernels_find(&code, 0, name, strlen(name));
        const struct smc_launch *launch = &rows.item[i].launch;
        differences += !k || launch->regs_per_thread != k->resources.regs_per_thread ||
                       launch->static_smem_bytes != k->resources.static_smem_bytes;
    }
    CU_ASSERT_EQUAL(differences, 0);
    smc_inspect_rows_free(&rows);
    request.device_count = 0; /* the report names no architecture */
    CU_ASSERT_EQUAL(smc_inspect_answer(&report, &request, &rows, NULL), SMC_USAGE);
    smc_inspect_rows_free(&rows);
    smc_user_kernels_free(&code);
    smc_user_kernels_free(&report);
}

static void test_launch_bounds(void)
{
    struct smc_inspect_kernels code = {0};
    CU_ASSERT_EQUAL(read_data(DATA "own-sm90.cubin", &code), SMC_OK);
    const struct smc_inspect_kernel *bounded = smc_user_kernels_find(&code, 0, "bounded", 7);
    const struct smc_inspect_kernel *spilling = smc_user_kernels_find(&code, 0, "spilling", 8);
    CU_ASSERT_FATAL(bounded && spilling);
    CU_ASSERT_EQUAL(bounded->max_threads_per_block, 128);
    CU_ASSERT_EQUAL(bounded->resources.static_smem_bytes, 2000);
    CU_ASSERT_EQUAL(bounded->resources.barriers, 1);
    CU_ASSERT_EQUAL(spilling->max_threads_per_block, 1024);
    CU_ASSERT(!spilling->has_spills);
    smc_user_kernels_free(&code);
}

/* --- PTX -------------------------------------------------------------------------------------- */

static void note_use(void *context, const char *name, size_t name_length, bool is_known, bool uses)
{
    smc_text_append_bytes(context, name, name_length);
    smc_text_append(context, uses ? "+ " : is_known ? "- " : "? ");
}

/* "k+" uses dynamic shared memory, "k-" does not, of "k?" it is unknown. */
static void test_dynamic_smem(void)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"", ""},
        {".extern .shared .align 16 .b8 p[];\n"
         ".visible .entry a() { mov.u32 %r1, p; }\n.entry b() { mov.u32 %r1, pp; // p\n }\n",
         "a+ b- "},
        {".extern .shared .align 4 .b8 p[64];\n.entry a() { mov.u32 %r1, p; }", "a- "},
        {".extern .shared .u32 p;\n.entry a() { mov.u32 %r1, p; }", "a- "},
        {".extern .global .align 4 .b8 p[];\n.entry a() { mov.u32 %r1, p; }", "a- "},
        {".shared .align 4 .b8 p[64];\n.entry a() { mov.u32 %r1, p; }", "a- "},
        {".func (.param .b32 r) f(.param .b32 x);\n.extern .shared .align 16 .b8 p[];\n"
         ".entry a() { { call.uni (r0), f, (x0); } }\n.entry b() { ret; }\n"
         ".func (.param .b32 r) f(.param .b32 x) { call g, (); }\n"
         ".func g() { { .reg .b32 %r<4>; } ld.shared.u8 %r1, [p+4]; }\n",
         "a+ b- "},
        {".func f() { call f, (); }\n.entry a() { call f, (); }", "a- "},
        {".extern .func f();\n.entry a() { call f, (); }\n.entry b() { }", "a? b- "},
        {".extern .func (.param .b32 r) vprintf(.param .b64 x);\n.entry a() { call vprintf; }",
         "a- "},
        {".entry a() { call %rd1, (), prototype_0; prototype_0 : .callprototype ()_ (); }", "a? "},
        {".file 1 \"a}b{.entry c {}\"\n.extern .shared .b8 p[];\n.entry a() { /* p */ }", "a- "},
        {".extern .shared .b8 p[];\n.entry a() { mov.u32 %r1, p;", "a+ "},
        {".extern .shared .b8 p[", ""},
        {".entry", ""},
        {".func (", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_text found = {0};
        CU_ASSERT(smc_ptx_dynamic_smem(cases[i].text, note_use, &found));
        CU_ASSERT_STRING_EQUAL(smc_text_string(&found), cases[i].want);
        smc_text_free(&found);
    }
}

static void note_columns(void *context, const char *name, size_t name_length, uint32_t columns)
{
    smc_text_append_bytes(context, name, name_length);
    smc_text_printf(context, " %u; ", columns);
}

/* Columns of Tensor Memory; 0: not known. */
static void test_tmem(void)
{
#define ALLOC "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r1], "
    static const struct {
        const char *text, *want;
    } cases[] = {
        {".entry a() { mov.b32 %r2, 256; }", ""},
        {".entry a() { " ALLOC "64; }\n.entry b() { ret; }", "a 64; "},
        {".entry a() { .reg .b32 %r<9>; mov.u32 %r2, 0x100;\n@!%p1 bra $L1;\n" ALLOC
         "%r2;\n$L1: ret; }",
         "a 256; "},
        {".entry a()\n.maxntid 128\n{ { mov.b32 %r2, 512; @%p1 " ALLOC "%r2; } }", "a 512; "},
        {".entry a() { $L1: mov.b32 %r2, 128; " ALLOC "%r2; @%p1 bra $L1; }", "a 128; "},
        /* written twice, computed, loaded, no power of two, two allocations */
        {".entry a() { mov.b32 %r2, 64; @%p1 mov.b32 %r2, 128; " ALLOC "%r2; }", "a 0; "},
        {".entry a() { mov.b32 %r2, 64; shl.b32 %r3, %r2, 1; " ALLOC "%r3; }", "a 0; "},
        {".entry a() { ld.v2.u32 {%r3, %r2}, [%rd1]; " ALLOC "%r2; }", "a 0; "},
        {".entry a() { mov.b32 %r2, 96; " ALLOC "%r2; }", "a 0; "},
        {".entry a() { " ALLOC "32; " ALLOC "32; }", "a 0; "},
        /* other registers, and a register that is only read */
        {".entry a() { mov.b32 %r2, 64; mov.b32 %r22, 1; st.shared.b32 [%r9], %r2; " ALLOC "%r2; }",
         "a 64; "},
        /* a function that allocates */
        {".func f() { " ALLOC "32; }\n.entry a() { call.uni f, (); }\n.entry b() { ret; }",
         "a 0; "},
        {".entry a() { " ALLOC, ""},
    };
#undef ALLOC
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_text found = {0};
        smc_ptx_tmem(cases[i].text, note_columns, &found);
        CU_ASSERT_STRING_EQUAL(smc_text_string(&found), cases[i].want);
        smc_text_free(&found);
    }
}

static void test_ptx(void)
{
    const char *text =
        "// .entry not_this(\n.version 8.4\n.target sm_90a, debug\n/* .entry nor */\n"
        ".visible .entry k(\n .param .u64 k_param_0\n)\n.maxntid 16, 8, 2\n"
        ".minnctapersm 3\n{\n ret;\n}\n.entry l()\n.reqntid 64\n{}\n.entry m;\n"
        ".entry n() .maxntid 99999999999, 2 {";
    static const struct {
        const char *name;
        uint32_t threads, blocks;
    } want[] = {{"k", 256, 3}, {"l", 64, 0}, {"m", 0, 0}, {"n", 0, 0}};
    struct smc_ptx_kernel kernel;
    uint16_t cc;
    char suffix;
    CU_ASSERT(smc_ptx_target(text, &cc, &suffix));
    CU_ASSERT_EQUAL(cc, 90);
    CU_ASSERT_EQUAL(suffix, 'a');
    CU_ASSERT(!smc_ptx_target("", &cc, &suffix));
    CU_ASSERT(!smc_ptx_target(".version 8.4\n.target texmode", &cc, &suffix));
    CU_ASSERT(!smc_ptx_target("__global__ void k() {} // .target sm_90", &cc, &suffix));
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        CU_ASSERT_FATAL(smc_ptx_next(&text, &kernel));
        CU_ASSERT(kernel.name_length == 1 && kernel.name[0] == want[i].name[0]);
        CU_ASSERT_EQUAL(kernel.max_threads_per_block, want[i].threads);
        CU_ASSERT_EQUAL(kernel.min_blocks_per_sm, want[i].blocks);
    }
    CU_ASSERT(!smc_ptx_next(&text, &kernel));
}

/* --- Kinds of input --------------------------------------------------------------------------- */

static void test_kinds(void)
{
    static const struct {
        const char *file, *content;
        enum smc_input_kind kind;
    } cases[] = {
        {"x.txt", "ptxas info    : 0 bytes gmem\n", SMC_INPUT_LOG},
        {"-", "nvlink info    : 0 bytes gmem\n", SMC_INPUT_LOG},
        {"-", " Function k:\n  REG:10 STACK:0 SHARED:0\n", SMC_INPUT_LOG},
        {"x.cu", "// prints \"ptxas info    : Used\"\n", SMC_INPUT_SOURCE},
        {"-", "extern \"C\" __global__ void k() {}", SMC_INPUT_SOURCE},
        {"x.cu", "//\n.version 7.0\n.target sm_80\n", SMC_INPUT_PTX},
        {"x.o", "hello", SMC_INPUT_UNKNOWN},
        {"x", "", SMC_INPUT_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_text bytes = {0};
        smc_text_append(&bytes, cases[i].content);
        CU_ASSERT_EQUAL(smc_input_kind(cases[i].file, &bytes), cases[i].kind);
        smc_text_free(&bytes);
    }
}

/* --- Versions, promises ----------------------------------------------------------------------- */

static size_t add_device(uint16_t cc, struct smc_device *devices, size_t count)
{
    struct smc_capability capability;
    CU_ASSERT_FATAL(smc_capability_find(cc, &capability));
    smc_device_of_capability(&capability, &devices[count]);
    return count + 1;
}

/* CUB names a namespace after the architecture: its kernels still count as versions of one kernel.
 */
static void test_versions(void)
{
    static const uint16_t asked[] = {75, 86, 90, 121}, loaded[] = {75, 80, 90, 120};
    struct smc_inspect_kernels kernels = {0};
    struct smc_inspect_rows rows = {0};
    struct smc_device devices[4];
    size_t count = 0;
    for (size_t i = 0; i < 4; i++)
        count = add_device(asked[i], devices, count);
    struct smc_inspect_request request = request_of(devices, count);
    CU_ASSERT_EQUAL(read_data(DATA "cub.ptxas", &kernels), SMC_OK);
    CU_ASSERT_EQUAL(kernels.count, 24);
    CU_ASSERT_EQUAL(smc_inspect_answer(&kernels, &request, &rows, NULL), SMC_OK);
    CU_ASSERT_EQUAL_FATAL(rows.count, 24);
    int wrong = 0;
    for (size_t i = 0; i < rows.count; i++)
        wrong +=
            rows.item[i].kernel->cc != loaded[i % 4] || rows.item[i].device->sm.cc != asked[i % 4];
    CU_ASSERT_EQUAL(wrong, 0);
    smc_inspect_rows_free(&rows);
    smc_user_kernels_free(&kernels);
}

static enum smc_status linted; /* the result of the last check of launch bounds */

/* `blocks`: of the bounds, or SMC_NOT_GIVEN as in machine code. */
static enum smc_promise_verdict judge(uint16_t cc, uint32_t threads, int64_t blocks, uint32_t regs)
{
    struct smc_inspect_kernel kernel = {.file = "x",
                                        .cc = cc,
                                        .max_threads_per_block = threads,
                                        .min_blocks_known = blocks != SMC_NOT_GIVEN,
                                        .min_blocks_per_sm = blocks > 0 ? (uint32_t)blocks : 0,
                                        .resources.regs_per_thread = regs};
    struct smc_inspect_kernels kernels = {0};
    struct smc_inspect_promises promises = {0};
    struct smc_device device;
    add_device(cc, &device, 0);
    struct smc_inspect_request request = request_of(&device, 1);
    CU_ASSERT_FATAL(smc_user_kernels_add(&kernels, "k", 1, &kernel));
    linted = smc_inspect_lint(&kernels, &request, &promises, NULL);
    enum smc_promise_verdict verdict =
        promises.count == 1 ? promises.item[0].verdict : SMC_PROMISE_VERDICT_COUNT;
    smc_inspect_promises_free(&promises);
    smc_user_kernels_free(&kernels);
    return verdict;
}

static void test_promises(void)
{
    CU_ASSERT_EQUAL(judge(90, 1024, 2, 32), SMC_PROMISE_HOLDS);
    CU_ASSERT_EQUAL(linted, SMC_OK);
    CU_ASSERT_EQUAL(judge(90, 1024, 2, 33), SMC_PROMISE_FEWER_BLOCKS);
    CU_ASSERT_EQUAL(linted, SMC_SHORTFALL);
    CU_ASSERT_EQUAL(judge(75, 1024, 2, 32), SMC_PROMISE_IGNORED);
    CU_ASSERT_EQUAL(judge(75, 32, 17, 8), SMC_PROMISE_IGNORED);
    CU_ASSERT_EQUAL(judge(75, 0, 3, 8), SMC_PROMISE_IGNORED); /* .minnctapersm 3 alone */
    CU_ASSERT_EQUAL(judge(13, 1024, 0, 8), SMC_PROMISE_CANNOT_LAUNCH);
    CU_ASSERT_EQUAL(judge(90, 1024, 0, 65), SMC_PROMISE_CANNOT_LAUNCH);
    CU_ASSERT_EQUAL(judge(90, 0, 0, 65), SMC_PROMISE_VERDICT_COUNT); /* has no launch bounds */
    CU_ASSERT_EQUAL(linted, SMC_USAGE);
}

/* Machine code keeps the threads of launch bounds, but not the blocks. */
static void test_unknown_promises(void)
{
    CU_ASSERT_EQUAL(judge(90, 1024, SMC_NOT_GIVEN, 32), SMC_PROMISE_UNKNOWN);
    CU_ASSERT_EQUAL(linted, SMC_USAGE); /* without limits */
    CU_ASSERT_EQUAL(judge(90, 1024, SMC_NOT_GIVEN, 65), SMC_PROMISE_CANNOT_LAUNCH);
    CU_ASSERT_EQUAL(linted, SMC_SHORTFALL);
    struct smc_inspect_kernels code = {0};
    struct smc_nvrtc_output output = {0};
    const struct smc_inspect_kernel kind = {.file = "x", .source = SMC_INSPECT_NVRTC};
    smc_text_append(&output.log, "ptxas info    : Compiling entry function 'k' for 'sm_90'\n"
                                 "ptxas info    : Used 8 registers, used 0 barriers\n");
    smc_text_append(&output.ptx, ".entry k() .maxntid 1024 { }");
    CU_ASSERT_EQUAL(smc_read_nvrtc_output(&output, &kind, &code, NULL, NULL), SMC_OK);
    CU_ASSERT_FATAL(code.count == 1);
    CU_ASSERT(code.item[0].min_blocks_known && code.item[0].min_blocks_per_sm == 0);
    smc_user_kernels_free(&code);
    CU_ASSERT_EQUAL(read_data(DATA "own-sm90.cubin", &code), SMC_OK);
    for (size_t i = 0; i < code.count; i++)
        CU_ASSERT(!code.item[i].min_blocks_known);
    smc_user_kernels_free(&code);
    smc_nvrtc_output_free(&output);
}

/* Code for "a" loads only on its own architecture; of several versions that load, the nearest is
   used. */
static void test_loads(void)
{
    static const struct {
        uint16_t cc;
        char suffix;
        uint16_t device;
        bool loads;
    } cases[] = {
        {80, 0, 80, true},      {80, 0, 86, true},      {86, 0, 80, false},
        {80, 0, 90, false},     {90, 'a', 90, true},    {90, 'a', 100, false},
        {100, 'a', 100, true},  {100, 'a', 103, false}, {100, 'f', 103, true},
        {103, 'f', 100, false}, {120, 'f', 121, true},  {120, 'a', 121, false},
        {100, 'f', 120, false}, {100, 'f', 101, false}, {0, 0, 90, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct smc_inspect_kernel kernel = {.cc = cases[i].cc, .suffix = cases[i].suffix};
        CU_ASSERT_EQUAL(smc_architecture_loads(&kernel, cases[i].device), cases[i].loads);
    }
    struct smc_inspect_kernels kernels = {0};
    static const struct smc_inspect_kernel versions[] = {{.file = "x", .cc = 100},
                                                         {.file = "x", .cc = 103, .suffix = 'a'},
                                                         {.file = "x", .cc = 100, .suffix = 'a'},
                                                         {.file = "x", .cc = 100, .suffix = 'f'}};
    static const struct {
        uint16_t device;
        size_t version;
    } chosen[] = {{100, 2}, {103, 1}, {101, 2}, {120, 1}};
    for (size_t i = 0; i < 4; i++)
        CU_ASSERT_FATAL(smc_user_kernels_add(&kernels, "k", 1, &versions[i]));
    CU_ASSERT_EQUAL_FATAL(kernels.count, 4);
    for (size_t i = 0; i < 4; i++)
        CU_ASSERT_PTR_EQUAL(
            smc_user_kernels_best_version(&kernels, &kernels.item[0], chosen[i].device),
            &kernels.item[chosen[i].version]);
    smc_user_kernels_free(&kernels);
}

/* A launch above the bound fails, however much headroom there is. */
static void test_above_bound(void)
{
    struct smc_inspect_kernels kernels = {0};
    struct smc_inspect_rows rows = {0};
    struct smc_inspect_request request = request_of(NULL, 0);
    request.threads_per_block = 129;
    CU_ASSERT_EQUAL(read_data(DATA "own-sm90.cubin", &kernels), SMC_OK);
    CU_ASSERT_EQUAL(smc_inspect_answer(&kernels, &request, &rows, NULL), SMC_OK);
    CU_ASSERT_EQUAL_FATAL(rows.count, 3);
    for (size_t i = 0; i < rows.count; i++) {
        const struct smc_inspect_row *row = &rows.item[i];
        bool above = strcmp(row->kernel->name, "bounded") == 0;
        CU_ASSERT_EQUAL(row->exceeds_bound, above);
        CU_ASSERT_EQUAL(row->occupancy.blocks_per_sm == 0, above);
        CU_ASSERT_EQUAL(row->device->sm.max_threads_per_block, 1024);
        check_complete(row);
    }
    smc_inspect_rows_free(&rows);
    smc_user_kernels_free(&kernels);
}

/* --- Names ------------------------------------------------------------------------------------ */

static void test_short_names(void)
{
    static const struct {
        const char *name, *shortened;
    } cases[] = {
        {"k", "k"},
        {"void k<int>(int*)", "k<int>"},
        {"void a::k<b::c<d<int> >::e, (bool)1>(b::c<d<int> >, int)", "a::k<b::c<..>::e, (bool)1>"},
        {"(anonymous namespace)::k(int (*)(int))", "(anonymous namespace)::k"},
        {"operator<(x, y)", "operator<"},
        {"_Z1kv", "_Z1kv"},
        {")", ")"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_text text = {0};
        smc_kernel_name_shorten(cases[i].name, &text);
        CU_ASSERT_STRING_EQUAL(smc_text_string(&text), cases[i].shortened);
        smc_text_free(&text);
    }
}

static void test_ambiguous_names(void)
{
    static const char *const shown[] = {
        "void k<a<1> >(int)", "void k<a<2> >(int)",  "l(int)", "x::m(int)", "y::m(int)", "n(int)",
        "n(float)",           "void z::o<int>(int)", "l(int)",
    };
    struct smc_kernel_names names;
    struct smc_text text = {0};
    smc_kernel_names_init(&names, shown, 9);
    for (size_t i = 0; i < 9; i++)
        smc_kernel_names_append(&names, shown[i], 80, &text);
    CU_ASSERT_STRING_EQUAL(smc_text_string(&text),
                           "k<a<1>>\nk<a<2>>\nl\nx::m\ny::m\nn(int)\nn(float)\no<int>\nl\n");
    smc_text_free(&text);
    smc_kernel_names_free(&names);
}

#ifdef HAVE_LIBIBERTY
static bool demangles_to(const char *name, const char *want)
{
    char *shown = smc_demangle(name);
    bool same = shown && strcmp(shown, want) == 0;
    free(shown);
    return same;
}

static void test_demangling(void)
{
    char bomb[400] = "_Z1fI1aE";
    CU_ASSERT(demangles_to("_Z1kILi3EEvPf", "void k<3>(float*)"));
    CU_ASSERT(demangles_to("_Zbroken", "_Zbroken"));
    CU_ASSERT(demangles_to("k", "k"));
    /* Each pair doubles the text: a name that would fill memory stays mangled. */
    strcpy(bomb, "_Z1f1pIaaE");
    for (int i = 0; i < 30; i++) {
        char pair[16];
        if (i == 0)
            snprintf(pair, sizeof pair, "S_IS0_S0_E");
        else
            snprintf(pair, sizeof pair, "S_IS%c_S%c_E", "0123456789ABCDEFGHIJKLMNOPQRSTU"[i],
                     "0123456789ABCDEFGHIJKLMNOPQRSTU"[i]);
        strcat(bomb, pair);
    }
    CU_ASSERT(demangles_to(bomb, bomb));
}
#endif

CU_TestInfo tests_inspect[] = {
    {"the linker's figures replace those of ptxas", test_linked},
    {"code that is not linked yet", test_relocatable},
    {"a kernel that ptxas refuses is told as such", test_refused},
    {"a refusal that comes first", test_refused_first},
    {"machine code and its log give the same answer", test_code_and_log},
    {"cuobjdump's shared memory is without the driver's reserve", test_res_usage},
    {"launch bounds are read from machine code", test_launch_bounds},
    {"PTX tells its target and launch bounds", test_ptx},
    {"PTX tells which kernels use dynamic shared memory", test_dynamic_smem},
    {"PTX tells how much Tensor Memory a kernel allocates", test_tmem},
    {"what an input is follows from its content", test_kinds},
    {"a device gets the version that its driver would load", test_versions},
    {"promises of launch bounds", test_promises},
    {"a promise that is not told is neither kept nor broken", test_unknown_promises},
    {"which code loads where", test_loads},
    {"a block above the launch bound is refused", test_above_bound},
    {"names that fit a terminal", test_short_names},
    {"names are as long as they need to be to differ", test_ambiguous_names},
#ifdef HAVE_LIBIBERTY
    {"C++ names, also of those who mean harm", test_demangling},
#endif
    CU_TEST_INFO_NULL,
};
