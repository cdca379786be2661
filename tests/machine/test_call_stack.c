/* call_stack: the functions that were inlined or called on the way to a finding, from short PTX
   with a line table. */
#include <stdio.h>
#include <string.h>

#include "machine/emulator.h"
#include "unit.h"

#define STRINGS                                                                                    \
    ".section .debug_str\n{\n$L0:\n.b8 109,105,100,0\n.b8 112,117,116,0\n"                         \
    "$L1:\n.b8 97\n.b8 116,0\n}\n"
#define FILES ".file 1 \"/some/k.cu\"\n.file 2 \"inc/put.h\"\n"

/* put() is inlined into store(), and through mid() twice into the kernel. */
static const char calls[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".func store(.param .b64 store_0)\n{\n.reg .b64 %rd<2>;\n"
    ".loc 1 3 0\nld.param.u64 %rd1, [store_0];\n"
    ".loc 1 4 5\n.loc 2 8 1, function_name $L0+4, inlined_at 1 4 5\n"
    "st.global.u32 [%rd1+4096], 1;\nret;\n}\n"
    ".visible .entry k(.param .u64 p)\n{\n.reg .b64 %rd<2>;\n"
    "ld.param.u64 %rd1, [p];\n"
    ".loc 1 10 5\n{\n.param .b64 a;\nst.param.b64 [a], %rd1;\ncall.uni store, (a);\n}\n"
    ".loc 1 11 5\n{\n.param .b64 a;\nst.param.b64 [a], %rd1;\ncall.uni store, (a);\n}\n"
    ".loc 1 20 5\n.loc 1 7 2, function_name $L0, inlined_at 1 20 5\n"
    ".loc 2 8 1, function_name $L0+4, inlined_at 1 7 2\nst.global.u32 [%rd1+4096], 1;\n"
    ".loc 1 21 5\n.loc 1 7 2, function_name $L0, inlined_at 1 21 5\n"
    ".loc 2 8 1, function_name $L0+4, inlined_at 1 7 2\nst.global.u32 [%rd1+4096], 1;\n"
    "st.global.u32 [%rd1+4104], 1;\n"
    ".loc 1 22 5, function_name $L1, inlined_at 1 30 3\nst.global.u32 [%rd1+4096], 1;\n"
    ".loc 1 23 5, function_name $none, inlined_at 1 30 3\nst.global.u32 [%rd1+4096], 1;\n"
    "ret;\n}\n" FILES STRINGS;

/* All threads store their number: the earlier access is in store(), which has one caller, or two.
 */
static const char race[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                           ".func store(.param .b64 store_0)\n{\n"
                           ".reg .b64 %rd<2>;\n.reg .b32 %r<2>;\n"
                           ".loc 1 3 0\nld.param.u64 %rd1, [store_0];\nmov.u32 %r1, %tid.x;\n"
                           ".loc 1 4 5\nst.global.u32 [%rd1], %r1;\nret;\n}\n"
                           ".visible .entry k(.param .u64 p)\n{\n.reg .b64 %rd<2>;\n"
                           "ld.param.u64 %rd1, [p];\n"
                           ".loc 1 10 5\n{\n.param .b64 a;\nst.param.b64 [a], %rd1;\n"
                           "call.uni store, (a);\n}\n%sret;\n}\n" FILES;
static const char second_call[] = ".loc 1 11 5\n{\n.param .b64 a;\nst.param.b64 [a], %rd1;\n"
                                  "call.uni store, (a);\n}\n";

/* A function that calls itself, and fails at its end. */
static const char recursion[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".func walk(.param .b64 p, .param .b32 n)\n{\n"
    ".reg .b64 %rd<2>;\n.reg .b32 %r<3>;\n.reg .pred %p<2>;\n"
    "ld.param.u64 %rd1, [p];\nld.param.u32 %r1, [n];\n"
    "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra END;\nsub.u32 %r2, %r1, 1;\n"
    ".loc 1 5 3\n{\n.param .b64 a;\n.param .b32 b;\nst.param.b64 [a], %rd1;\n"
    "st.param.b32 [b], %r2;\ncall.uni walk, (a, b);\n}\nret;\n"
    "END:\n.loc 1 6 3\nst.global.u32 [%rd1+4096], 1;\nret;\n}\n"
    ".visible .entry k(.param .u64 p)\n{\n.reg .b64 %rd<2>;\nld.param.u64 %rd1, [p];\n"
    ".loc 1 10 5\n{\n.param .b64 a;\n.param .b32 b;\nst.param.b64 [a], %rd1;\n"
    "st.param.b32 [b], 40;\ncall.uni walk, (a, b);\n}\nret;\n}\n" FILES;

/* Each thread calls store() on a path of its own, and waits there for the other. */
static const char branches[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".func store(.param .b64 store_0)\n{\n.reg .b64 %rd<2>;\n"
    ".loc 1 3 0\nld.param.u64 %rd1, [store_0];\n"
    ".loc 1 4 5\nst.global.u32 [%rd1+4096], 1;\nret;\n}\n"
    ".visible .entry k(.param .u64 p)\n{\n"
    ".reg .b64 %rd<2>;\n.reg .b32 %r<2>;\n.reg .pred %p<2>;\n"
    "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra ZERO;\n"
    ".loc 1 11 5\n{\n.param .b64 a;\nst.param.b64 [a], %rd1;\ncall.uni store, (a);\n}\n"
    "bra.uni END;\nZERO:\n"
    ".loc 1 10 5\n{\n.param .b64 a;\nst.param.b64 [a], %rd1;\ncall.uni store, (a);\n}\n"
    "END:\nret;\n}\n" FILES;

/* Line 0 is no line: neither the one before, nor, where put() is inlined, one of put(). */
static const char no_line[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry k(.param .u64 p)\n{\n.reg .b64 %rd<2>;\n"
    ".loc 1 9 1\nld.param.u64 %rd1, [p];\n.loc 1 0 0\nst.global.u32 [%rd1+4096], 1;\n"
    ".loc 1 20 5\n.loc 2 0 0, function_name $L0+4, inlined_at 1 20 5\n"
    "st.global.u32 [%rd1+4096], 1;\n"
    ".loc 2 0 0, function_name $L0+4, inlined_at 1 0 0\nst.global.u32 [%rd1+4096], 1;\n"
    "ret;\n}\n" FILES STRINGS;

struct trial {
    struct smc_program *program;
    struct smc_emulation emulation;
    uint32_t memory[4];
};

static void begin(const char *ptx, uint32_t threads, struct trial *trial)
{
    struct smc_error error = {""};
    struct smc_emulated_array array = {
        .name = "p", .data = trial->memory, .bytes = sizeof trial->memory};
    struct smc_emulated_argument argument = {.is_array = true};
    *trial = (struct trial){0};
    enum smc_status status = smc_program_read(ptx, strlen(ptx), NULL, &trial->program, &error);
    if (status != SMC_OK)
        printf("%s\n", error.message);
    CU_ASSERT_EQUAL_FATAL(status, SMC_OK);
    const struct smc_emulation_request request = {.program = trial->program,
                                                  .grid = {1, 1, 1},
                                                  .block = {threads, 1, 1},
                                                  .arrays = &array,
                                                  .array_count = 1,
                                                  .arguments = &argument,
                                                  .argument_count = 1,
                                                  .banks = {32, 32, 1, false, true}};
    CU_ASSERT_EQUAL_FATAL(smc_emulate(&request, &trial->emulation, &error), SMC_OK);
}

static void end(struct trial *trial)
{
    smc_emulation_free(&trial->emulation);
    smc_program_free(trial->program);
}

/* "put@put.h:8 >store@k.cu:4 k@k.cu:10": '>' where the frame before was inlined; '...' where the
   callers are unknown. */
static void check_stack(const struct trial *trial, size_t index, bool of_other,
                        const char *expected)
{
    struct smc_text text = {0};
    struct smc_stack stack;
    CU_ASSERT_FATAL(index < trial->emulation.finding_count);
    smc_finding_stack(trial->program, &trial->emulation.finding[index], of_other, &stack);
    for (size_t i = 0; i < stack.frames; i++) {
        const struct smc_stack_frame *frame = &stack.frame[i];
        const char *slash = frame->file ? strrchr(frame->file, '/') : NULL;
        smc_text_printf(&text, "%s%s", i ? " " : "", i && stack.frame[i - 1].is_inlined ? ">" : "");
        smc_stack_function(trial->program, frame, &text);
        smc_text_printf(&text, "@%s:%u", slash ? slash + 1 : "", frame->line);
    }
    smc_text_append(&text, stack.is_complete ? "" : " ...");
    CU_ASSERT_STRING_EQUAL(smc_text_string(&text), expected);
    if (strcmp(smc_text_string(&text), expected) != 0)
        printf("stack %zu: %s\n", index, smc_text_string(&text));
    smc_text_free(&text);
}

static void test_chains(void)
{
    static const char *const stacks[] = {
        "put@put.h:8 >store@k.cu:4 k@k.cu:10",
        "put@put.h:8 >store@k.cu:4 k@k.cu:11",
        "put@put.h:8 >mid@k.cu:7 >k@k.cu:20",
        "put@put.h:8 >mid@k.cu:7 >k@k.cu:21",
        "at@k.cu:22 >k@k.cu:30",
        "@k.cu:23 >k@k.cu:30",
    };
    struct trial trial;
    begin(calls, 1, &trial);
    CU_ASSERT_EQUAL(trial.emulation.finding_count, 6); /* one for each stack */
    CU_ASSERT_EQUAL(trial.emulation.findings_total, 7);
    for (size_t i = 0; i < trial.emulation.finding_count; i++)
        check_stack(&trial, i, false, stacks[i]);
    end(&trial);
}

static void test_no_line(void)
{
    static const char *const stacks[] = {"k@:0", "k@k.cu:20", "k@:0"};
    struct trial trial;
    begin(no_line, 1, &trial);
    CU_ASSERT_EQUAL(trial.emulation.finding_count, 3);
    for (size_t i = 0; i < trial.emulation.finding_count; i++)
        check_stack(&trial, i, false, stacks[i]);
    end(&trial);
}

static void test_other_access(void)
{
    char text[sizeof race + sizeof second_call];
    struct trial trial;
    const char *const parts[] = {"", second_call};
    for (int i = 0; i < 2; i++) {
        const char *gap = strstr(race, "%sret");
        snprintf(text, sizeof text, "%.*s%s%s", (int)(gap - race), race, parts[i], gap + 2);
        begin(text, 2, &trial);
        check_stack(&trial, 0, false, "store@k.cu:4 k@k.cu:10");
        check_stack(&trial, 0, true, i ? "store@k.cu:4 ..." : "store@k.cu:4 k@k.cu:10");
        CU_ASSERT_EQUAL(trial.emulation.finding_count, (size_t)i + 1);
        end(&trial);
    }
}

static void test_recursion(void)
{
    struct trial trial;
    begin(recursion, 1, &trial);
    check_stack(&trial, 0, false, "walk@k.cu:6 walk@k.cu:5 k@k.cu:10");
    end(&trial);
}

/* The callers are those of the group that stores, not of the one that waits until it reconverges.
 */
static void test_branches(void)
{
    struct trial trial;
    begin(branches, 2, &trial);
    CU_ASSERT_EQUAL(trial.emulation.finding_count, 2);
    check_stack(&trial, 0, false, "store@k.cu:4 k@k.cu:11");
    check_stack(&trial, 1, false, "store@k.cu:4 k@k.cu:10");
    end(&trial);
}

static void test_refusals(void)
{
    struct smc_program *program = NULL;
    struct smc_error error = {""};
    static const char ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                              ".visible .entry k()\n{\n.loc 1 2 3, function_name 4\nret;\n}\n";
    CU_ASSERT_EQUAL(smc_program_read(ptx, strlen(ptx), NULL, &program, &error), SMC_USAGE);
    CU_ASSERT_STRING_EQUAL(error.message, "PTX line 6: a name expected");
    smc_program_free(program);
}

CU_TestInfo tests_call_stack[] = {
    {"inlined and called", test_chains},
    {"line 0 is no line", test_no_line},
    {"of the other access", test_other_access},
    {"a recursion appears once", test_recursion},
    {"of threads on paths of their own", test_branches},
    {"a .loc that cannot be read", test_refusals},
    CU_TEST_INFO_NULL,
};
