/* pipelines: kernels that copy to shared memory some steps ahead, with stages, widths and readers
   drawn from a fixed sequence. A correct one returns what it should without a finding; one that
   lacks a wait or a barrier has findings. The PTX is made here. */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "machine/emulator/emulator_program.h"
#include "unit.h"

enum { THREADS = 64, STEPS = 9, MOST_BYTES = 16, WORDS = STEPS * THREADS * MOST_BYTES / 4 };

enum reader { WORD, VECTOR, GENERIC, ROWS, READERS };

enum fault { NONE, NO_WAIT, SHORT_WAIT, NO_BARRIER, NO_SECOND_BARRIER, FAULTS };

struct pipeline {
    uint32_t stages, bytes; /* of each thread's copy */
    enum reader reader;
    enum fault fault;
    bool is_bulk;   /* one thread copies the whole stage, and an mbarrier object tells of it */
    uint32_t ahead; /* threads read what the threads so far ahead copy */
};

static char ptx[1 << 17];
static size_t used;

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    used += (size_t)vsnprintf(ptx + used, sizeof ptx - used, format, arguments);
    va_end(arguments);
    CU_ASSERT_FATAL(used < sizeof ptx);
}

/* --- The kernel ------------------------------------------------------------------------------- */

static void say_head(const struct pipeline *pipeline)
{
    used = 0;
    say(".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n"
        ".reg .b32 %%t, %%at, %%to, %%lane, %%sum, %%r<8>;\n.reg .b64 %%in, %%out, %%w, %%g;\n"
        ".reg .pred %%p, %%done;\n"
        ".shared .align 128 .b8 s[%u];\n.shared .align 8 .b8 full[%u];\n"
        "ld.param.u64 %%in, [in];\nld.param.u64 %%out, [out];\nmov.u32 %%t, %%tid.x;\n"
        "mov.u32 %%sum, 0;\nmov.u32 %%to, s;\nmad.lo.s32 %%to, %%t, %u, %%to;\n",
        pipeline->stages * THREADS * pipeline->bytes, pipeline->stages * 8, pipeline->bytes);
    say("add.s32 %%at, %%t, %u;\nand.b32 %%at, %%at, %u;\nmul.lo.s32 %%at, %%at, %u;\n"
        "mov.u32 %%r0, s;\nadd.s32 %%at, %%at, %%r0;\n",
        pipeline->ahead, THREADS - 1, pipeline->bytes);
    if (!pipeline->is_bulk) {
        say("mul.wide.u32 %%w, %%t, %u;\nadd.s64 %%in, %%in, %%w;\n", pipeline->bytes);
        return;
    }
    say("setp.eq.u32 %%p, %%t, 0;\n");
    for (uint32_t i = 0; i < pipeline->stages; i++)
        say("@%%p mbarrier.init.shared::cta.b64 [full+%u], 1;\n", 8 * i);
    say("bar.sync 0;\n");
}

static void say_copy(const struct pipeline *pipeline, uint32_t step)
{
    const uint32_t stage = step % pipeline->stages, whole = THREADS * pipeline->bytes;
    if (step < STEPS && pipeline->is_bulk)
        say("@%%p mbarrier.arrive.expect_tx.shared::cta.b64 _, [full+%u], %u;\n"
            "add.s64 %%g, %%in, %u;\n"
            "@%%p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s+%u], [%%g], "
            "%u, [full+%u];\n",
            8 * stage, whole, step * whole, stage * whole, whole, 8 * stage);
    else if (step < STEPS)
        say("cp.async.%s.shared.global [%%to+%u], [%%in+%u], %u;\n",
            pipeline->bytes == 16 ? "cg" : "ca", stage * whole, step * whole, pipeline->bytes);
    if (!pipeline->is_bulk)
        say("cp.async.commit_group;\n");
}

static void say_wait(const struct pipeline *pipeline, uint32_t step)
{
    if (pipeline->fault == NO_WAIT)
        return;
    if (!pipeline->is_bulk)
        say("cp.async.wait_group %u;\n", pipeline->stages - 1 + (pipeline->fault == SHORT_WAIT));
    else
        say("W%u: mbarrier.try_wait.parity.shared::cta.b64 %%done, [full+%u], %u;\n"
            "@!%%done bra W%u;\n",
            step, 8 * (step % pipeline->stages), step / pipeline->stages % 2, step);
}

static void say_read(const struct pipeline *pipeline, uint32_t step)
{
    const uint32_t at = step % pipeline->stages * THREADS * pipeline->bytes;
    const uint32_t words = pipeline->bytes / 4;
    switch (pipeline->reader) {
    case VECTOR:
        say(words == 4   ? "ld.shared.v4.u32 {%%r0, %%r1, %%r2, %%r3}, [%%at+%u];\n"
            : words == 2 ? "ld.shared.v2.u32 {%%r0, %%r1}, [%%at+%u];\n"
                         : "ld.shared.u32 %%r0, [%%at+%u];\n",
            at);
        break;
    case GENERIC:
        say("cvt.u64.u32 %%w, %%at;\ncvta.shared.u64 %%w, %%w;\n");
        for (uint32_t i = 0; i < words; i++)
            say("ld.u32 %%r%u, [%%w+%u];\n", i, at + 4 * i);
        break;
    case ROWS:
        say("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%%r0, %%r1, %%r2, %%r3}, [%%at+%u];\n", at);
        break;
    default:
        for (uint32_t i = 0; i < words; i++)
            say("ld.shared.u32 %%r%u, [%%at+%u];\n", i, at + 4 * i);
    }
    for (uint32_t i = 0; i < words; i++)
        say("mad.lo.s32 %%sum, %%r%u, %u, %%sum;\n", i, step + i + 1);
}

static void make(const struct pipeline *pipeline)
{
    const uint32_t ahead = pipeline->stages - 1;
    say_head(pipeline);
    for (uint32_t step = 0; step < ahead; step++)
        say_copy(pipeline, step);
    for (uint32_t step = 0; step < STEPS; step++) {
        say_copy(pipeline, step + ahead);
        say_wait(pipeline, step);
        if (pipeline->fault != NO_BARRIER)
            say("bar.sync 0;\n");
        say_read(pipeline, step);
        if (pipeline->fault != NO_SECOND_BARRIER)
            say("bar.sync 0;\n");
    }
    say("mul.wide.u32 %%w, %%t, 4;\nadd.s64 %%out, %%out, %%w;\nst.global.u32 [%%out], %%sum;\n"
        "ret;\n}\n");
}

/* --- What it computes ------------------------------------------------------------------------- */

static uint32_t expected(const struct pipeline *pipeline, const uint32_t *in, uint32_t thread)
{
    const uint32_t words = pipeline->bytes / 4;
    uint32_t sum = 0;
    for (uint32_t step = 0; step < STEPS; step++)
        for (uint32_t i = 0; i < words; i++) {
            uint32_t from = thread, word = i;
            if (pipeline->reader == ROWS) {
                from = thread / 32 * 32 + 8 * i + thread % 32 / 4;
                word = thread % 4;
            }
            from = (from + pipeline->ahead) % THREADS;
            sum += in[(step * THREADS + from) * words + word] * (step + i + 1);
        }
    return sum;
}

static void try(const struct pipeline *pipeline)
{
    static uint32_t in[WORDS], out[THREADS];
    struct smc_emulated_array arrays[] = {{.name = "out", .data = out, .bytes = sizeof out},
                                          {.name = "in", .data = in, .bytes = sizeof in}};
    struct smc_emulated_argument arguments[] = {{.is_array = true, .array = 0},
                                                {.is_array = true, .array = 1}};
    struct smc_emulation_request request = {.grid = {1, 1, 1},
                                            .block = {THREADS, 1, 1},
                                            .arrays = arrays,
                                            .array_count = 2,
                                            .arguments = arguments,
                                            .argument_count = 2,
                                            .banks = {32, 32, 1, false, true}};
    struct smc_error error = {""};
    struct smc_program *program;
    struct smc_emulation emulation;
    for (uint32_t i = 0; i < WORDS; i++)
        in[i] = i * 2654435761u;
    make(pipeline);
    enum smc_status status = smc_program_read(ptx, used, "k", &program, &error);
    request.program = program;
    if (status == SMC_OK)
        status = smc_emulate(&request, &emulation, &error);
    if (status != SMC_OK)
        printf("%s\n%s", error.message, ptx);
    CU_ASSERT_EQUAL_FATAL(status, SMC_OK);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < THREADS; i++)
        wrong += out[i] != expected(pipeline, in, i);
    const bool is_right = pipeline->fault == NONE
                              ? wrong == 0 && emulation.findings_total == 0 && emulation.completed
                              : emulation.findings_total > 0;
    if (!is_right)
        printf("%u stages, %u bytes, reader %d, fault %d, bulk %d: %u wrong, %u findings\n",
               pipeline->stages, pipeline->bytes, pipeline->reader, pipeline->fault,
               pipeline->is_bulk, wrong, (unsigned)emulation.findings_total);
    CU_ASSERT(is_right);
    for (size_t i = 0; i < emulation.finding_count; i++) {
        const struct smc_finding *finding = &emulation.finding[i];
        const size_t count = program->instructions;
        char text[512];
        CU_ASSERT(finding->instruction < count && finding->other_instruction < count);
        smc_finding_describe(program, finding, NULL, text, sizeof text);
    }
    smc_emulation_free(&emulation);
    smc_program_free(program);
}

/* --- Cases ------------------------------------------------------------------------------------ */

static void try_all(bool is_bulk, enum fault fault)
{
    for (uint32_t stages = 1; stages <= 4; stages++)
        for (uint32_t bytes = 4; bytes <= MOST_BYTES; bytes *= 2)
            for (int reader = 0; reader < READERS; reader++) {
                const struct pipeline pipeline = {.stages = stages,
                                                  .bytes = bytes,
                                                  .reader = (enum reader)reader,
                                                  .fault = fault,
                                                  .is_bulk = is_bulk,
                                                  .ahead = 32};
                if (reader != ROWS || bytes == 16)
                    try(&pipeline);
            }
}

static void test_correct(void)
{
    try_all(false, NONE);
    try_all(true, NONE);
}

static void test_waits(void)
{
    try_all(false, NO_WAIT);
    try_all(false, SHORT_WAIT);
}

static void test_barriers(void)
{
    try_all(false, NO_BARRIER);
    try_all(false, NO_SECOND_BARRIER);
    try_all(true, NO_SECOND_BARRIER);
}

CU_TestInfo tests_pipelines[] = {
    {"pipelines of asynchronous copies are right and without findings", test_correct},
    {"pipelines that do not wait for a copy have findings", test_waits},
    {"pipelines without a barrier have findings", test_barriers},
    CU_TEST_INFO_NULL};
