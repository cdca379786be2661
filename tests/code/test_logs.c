/* Compilers' logs: the output of every toolkit is read, and missing values are named. The texts are
   real output of the compilers; those from before CUDA 11 were quoted by users. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "code/ptxas_log.h"
#include "unit.h"

static void append_number(struct smc_text *text, const char *unit, bool known, uint32_t value)
{
    if (known)
        smc_text_printf(text, ", %u %s", value, unit);
}

static void describe(const struct smc_log_kernel *read, struct smc_text *text)
{
    static const char *const forms[] = {"ptxas", "nvlink", "cuobjdump"};
    const struct smc_resources *r = &read->resources;
    smc_text_printf(text, "%s%.*s by %s", text->length ? "; " : "", (int)read->name_length,
                    read->name, forms[read->form]);
    if (read->cc != 0)
        smc_text_printf(text, " for sm_%u%.1s", read->cc, &read->suffix);
    if (read->is_incomplete) {
        smc_text_append(text, ", incomplete");
        return;
    }
    append_number(text, "of", r->refused, r->refused_smem_bytes);
    append_number(text, "refused", r->refused, r->refused_smem_limit_bytes);
    append_number(text, "regs", !r->refused, r->regs_per_thread);
    append_number(text, "smem", !r->refused, r->static_smem_bytes);
    append_number(text, "stack", read->has_stack, r->stack_bytes);
    append_number(text, "stores", read->has_spills, r->spill_store_bytes);
    append_number(text, "loads", read->has_spills, r->spill_load_bytes);
    append_number(text, "barriers", read->has_barriers, r->barriers);
}

static void read_all(const char *log, struct smc_text *text)
{
    struct smc_log_reader reader = {.cursor = log};
    struct smc_log_kernel kernel;
    while (smc_log_next(&reader, &kernel))
        describe(&kernel, text);
}

struct log_case {
    const char *log, *read;
};

static void check(const struct log_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct smc_text text = {0};
        read_all(cases[i].log, &text);
        if (strcmp(smc_text_string(&text), cases[i].read) != 0)
            printf("\n    case %zu: %s\n    is not:  %s", i, smc_text_string(&text), cases[i].read);
        CU_ASSERT_STRING_EQUAL(smc_text_string(&text), cases[i].read);
        smc_text_free(&text);
    }
}

#define CHECK(cases) check(cases, sizeof(cases) / sizeof *(cases))

static void test_old_toolkits(void)
{
    static const struct log_case cases[] = {
        /* CUDA 2 and 3: no properties; the system's share of shared memory */
        {"ptxas info    : Compiling entry function '_Z3addiiPi' for 'sm_10'\n"
         "ptxas info    : Used 2 registers, 16+16 bytes smem\n",
         "_Z3addiiPi by ptxas for sm_10, 2 regs, 32 smem"},
        {"ptxas info\t: Compiling entry function '_Z5tT_1DPfS_S_j'\n"
         "ptxas info\t: Used 47 registers, 60+0 bytes lmem, 28+16 bytes smem, 352 bytes cmem[1]\n",
         "_Z5tT_1DPfS_S_j by ptxas, 47 regs, 44 smem"},
        {"ptxas info    : Compiling entry function '_Z1kPd' for 'sm_13'\n"
         "ptxas info    : Used 10 registers, 2080+16 bytes smem, 64928 bytes cmem[0], 8 bytes "
         "cmem[1], 8 bytes cmem[14]\n"
         "ptxas info    : Compiling entry function '_Z1kPd' for 'sm_20'\n"
         "ptxas info    : Used 17 registers, 1024+0 bytes smem, 104 bytes cmem[0]\n",
         "_Z1kPd by ptxas for sm_13, 10 regs, 2096 smem; _Z1kPd by ptxas for sm_20, 17 regs, 1024 "
         "smem"},
        /* CUDA 4: properties */
        {"ptxas info    : Compiling entry function '_Z6solverPf' for 'sm_20'\n"
         "ptxas info    : Function properties for _Z6solverPf\n"
         "    8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
         "ptxas info    : Used 40 registers, 128 bytes cmem[0], 128 bytes cmem[14], 56 bytes "
         "cmem[16]\n",
         "_Z6solverPf by ptxas for sm_20, 40 regs, 0 smem, 8 stack, 0 stores, 0 loads"},
        /* CUDA 6 to 9, as Visual Studio shows it; called functions before and after */
        {"1>  ptxas info    : 64672 bytes gmem, 96 bytes cmem[3]\n"
         "1>  ptxas info    : Function properties for _ZN5metalC1Ef\n"
         "1>      24 bytes stack frame, 20 bytes spill stores, 20 bytes spill loads\n"
         "1>  ptxas info    : Compiling entry function '_Z7digit_3P4equi' for 'sm_52'\n"
         "1>  ptxas info    : Function properties for _Z7digit_3P4equi\n"
         "1>      176 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads\n"
         "1>  ptxas info    : Used 62 registers, 200 bytes cumulative stack size, 46472 bytes "
         "smem, "
         "324 bytes cmem[0], 4 bytes cmem[2]\n"
         "1>  ptxas info    : Function properties for cudaDeviceGetAttribute\n"
         "1>      8 bytes stack frame, 16 bytes spill stores, 16 bytes spill loads\n",
         "_Z7digit_3P4equi by ptxas for sm_52, 62 regs, 46472 smem, 176 stack, 4 stores, 12 "
         "loads"},
        {"ptxas info    : Compiling entry function '_Z1tPj' for 'sm_80'\n"
         "ptxas info    : Function properties for _Z1tPj\n"
         "    160 bytes stack frame, 384 bytes spill stores, 384 bytes spill loads\n"
         "ptxas info    : Used 64 registers, 372 bytes cmem[0], 1 textures\n",
         "_Z1tPj by ptxas for sm_80, 64 regs, 0 smem, 160 stack, 384 stores, 384 loads"},
    };
    CHECK(cases);
}

static void test_new_toolkits(void)
{
    static const struct log_case cases[] = {
        /* CUDA 11.8 */
        {"ptxas info    : 0 bytes gmem\n"
         "ptxas info    : Compiling entry function 'spilling' for 'sm_80'\n"
         "ptxas info    : Function properties for spilling\n"
         "    192 bytes stack frame, 352 bytes spill stores, 380 bytes spill loads\n"
         "ptxas info    : Used 32 registers, 364 bytes cmem[0]\n",
         "spilling by ptxas for sm_80, 32 regs, 0 smem, 192 stack, 352 stores, 380 loads"},
        /* CUDA 12.9: barriers, the time; after a build tool's prefix, with Windows line ends */
        {"#9 1.2 ptxas info    : Compiling entry function '_Z1kv' for 'sm_75'\r\n"
         "#9 1.2 ptxas info    : Function properties for _Z1kv\r\n"
         "#9 1.2     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\r\n"
         "#9 1.2 ptxas info    : Used 24 registers, used 0 barriers, 360 bytes cmem[0]\r\n"
         "#9 1.2 ptxas info    : Compile time = 10.209 ms\r\n"
         "x.cu(3): warning #177-D: variable \"a\" was declared but never referenced\r\n"
         "ptxas info    : Function properties for _Z3reciPi\r\n"
         "    32 bytes stack frame, 28 bytes spill stores, 28 bytes spill loads\r\n",
         "_Z1kv by ptxas for sm_75, 24 regs, 0 smem, 0 stack, 0 stores, 0 loads, 0 barriers"},
        /* CUDA 13.0: several architectures, with their letters; one kernel after the other */
        {"ptxas info    : 0 bytes gmem\n"
         "ptxas info    : Compiling entry function 'k' for 'sm_90a'\n"
         "ptxas info    : Function properties for k\n"
         "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
         "ptxas info    : Used 10 registers, used 1 barriers, 2000 bytes smem\n"
         "ptxas info    : Compile time = 3.263 ms\n"
         "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are "
         "serialized\n"
         "ptxas info    : Compiling entry function 'k' for 'sm_100f'\n"
         "ptxas info    : Function properties for k\n"
         "    8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
         "ptxas info    : Used 24 registers, used 16 barriers, 8 bytes cumulative stack size\n",
         "k by ptxas for sm_90a, 10 regs, 2000 smem, 0 stack, 0 stores, 0 loads, 1 barriers; k by "
         "ptxas for sm_100f, 24 regs, 0 smem, 8 stack, 0 stores, 0 loads, 16 barriers"},
        /* Demangled on the way */
        {"ptxas info    : Compiling entry function 'void k<3>(float*)' for 'sm_80'\n"
         "ptxas info    : Function properties for void k<3>(float*)\n"
         "    16 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
         "ptxas info    : Used 255 registers, used 16 barriers, 16 bytes cumulative stack size\n",
         "void k<3>(float*) by ptxas for sm_80, 255 regs, 0 smem, 16 stack, 0 stores, 0 loads, 16 "
         "barriers"},
        /* nvlink, of one architecture and of several */
        {"nvlink info    : 0 bytes gmem\n"
         "nvlink info    : Function properties for 'k':\n"
         "nvlink info    : used 10 registers, used 1 barriers, 24 stack, 3024 bytes smem, 536 "
         "bytes "
         "cmem[0], 0 bytes lmem\n"
         "nvlink info    : Function properties for 'k': (target: sm_90a)\n"
         "nvlink info    : used 12 registers, 0 stack, 0 bytes smem, 0 bytes lmem (target: "
         "sm_90a)\n",
         "k by nvlink, 10 regs, 3024 smem, 24 stack, 1 barriers; k by nvlink for sm_90a, 12 regs, "
         "0 "
         "smem, 0 stack"},
    };
    CHECK(cases);
}

static void test_cuobjdump(void)
{
    static const struct log_case cases[] = {
        /* -res-usage of bare machine code: no architecture */
        {"\nResource usage:\n Common:\n  GLOBAL:0\n Function spilling:\n"
         "  REG:32 STACK:184 SHARED:1024 LOCAL:0 CONSTANT[0]:540 TEXTURE:0 SURFACE:0 SAMPLER:0\n",
         "spilling by cuobjdump, 32 regs, 1024 smem, 184 stack"},
        /* --dump-resource-usage of a program, CUDA 13 */
        {"\nFatbin elf code:\n================\narch = sm_80\ncode version = [1,8]\nhost = linux\n"
         "compile_size = 64bit\n\nResource usage:\n Common:\n  GLOBAL:0\n Function bounded:\n"
         "  REG:10 STACK:0 SHARED:2000 LOCAL:0 CONSTANT[0]:360 TEXTURE:0 SURFACE:0 SAMPLER:0\n"
         "\nFatbin elf code:\n================\narch = sm_90a\ncode version = [1,8]\nhost = linux\n"
         "compile_size = 64bit\n\nResource usage:\n Common:\n  GLOBAL:0\n Function bounded:\n"
         "  REG:10 STACK:0 SHARED:3024 LOCAL:0 CONSTANT[0]:536 TEXTURE:0 SURFACE:0 SAMPLER:0\n",
         "bounded by cuobjdump for sm_80, 10 regs, 2000 smem, 0 stack; bounded by cuobjdump for "
         "sm_90a, 10 regs, 3024 smem, 0 stack"},
        /* A stack of unknown size; a demangled name with colons */
        {" Function void k<a::b>(int):\n  REG:32 STACK:UNKNOWN SHARED:1024 LOCAL:0\n",
         "void k<a::b>(int) by cuobjdump, 32 regs, 1024 smem"},
        /* Functions that kernels call have no parameters in CONSTANT[0] */
        {"arch = sm_90\n Function _Z3devi:\n"
         "  REG:0 STACK:0 SHARED:0 LOCAL:0 TEXTURE:0 SURFACE:0 SAMPLER:0\n"
         " Function _Z4userPi:\n"
         "  REG:24 STACK:0 SHARED:0 LOCAL:0 CONSTANT[0]:536 TEXTURE:0 SURFACE:0 SAMPLER:0\n"
         " Function _Z5tablev:\n"
         "  REG:16 STACK:0 SHARED:0 LOCAL:0 CONSTANT[2]:60 TEXTURE:0 SURFACE:0 SAMPLER:0\n",
         "_Z4userPi by cuobjdump for sm_90, 24 regs, 0 smem, 0 stack"},
        /* Unrelated text */
        {"Function foo:\n  is unused\nThe end\n", ""},
    };
    CHECK(cases);
}

static void test_refusals(void)
{
    static const struct log_case cases[] = {
        {"ptxas info    : Compiling entry function 'k' for 'sm_90'\n"
         "ptxas error   : Entry function 'k' uses too much shared data (0x13880 bytes, 0xc000 "
         "max)\n",
         "k by ptxas for sm_90, 80000 of, 49152 refused"},
        {"ptxas error   : Entry function 'k' uses too much shared data (0x8010 bytes + 0x10 bytes "
         "system, 0x4000 max)",
         "k by ptxas, 32800 of, 16384 refused"},
    };
    CHECK(cases);
}

static void test_incomplete(void)
{
    static const struct log_case cases[] = {
        {"ptxas info    : Compiling entry function 'a' for 'sm_90'\n"
         "ptxas info    : Used 9 registers\n"
         "ptxas info    : Compiling entry function 'b' for 'sm_90a'\n"
         "ptxas info    : Function properties for b\n"
         "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n",
         "a by ptxas for sm_90, 9 regs, 0 smem; b by ptxas for sm_90a, incomplete"},
        {"ptxas info    : Compiling entry function 'a' for 'sm_90'\n"
         "ptxas info    : Compiling entry function 'b' for 'sm_90'\n"
         "ptxas info    : Used 9 registers\n",
         "a by ptxas for sm_90, incomplete; b by ptxas for sm_90, 9 regs, 0 smem"},
        /* Two compilations that wrote at once: it is unknown which kernel the values belong to */
        {"ptxas info    : Compiling entry function 'a' for 'sm_90'\n"
         "ptxas info    : Compiling entry function 'b' for 'sm_90'\n"
         "ptxas info    : Function properties for a\n"
         "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
         "ptxas info    : Used 9 registers\n"
         "ptxas info    : Function properties for b\n"
         "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
         "ptxas info    : Used 99 registers\n",
         "a by ptxas for sm_90, incomplete; b by ptxas for sm_90, incomplete"},
        {"nvlink info    : Function properties for 'k': (target: sm_90)\n",
         "k by nvlink for sm_90, incomplete"},
        {" Function k:\n", "k by cuobjdump, incomplete"},
        {" Function k:\n  REG:32 STACK:0 SHARED:10", "k by cuobjdump, incomplete"},
    };
    CHECK(cases);
}

/* The places where a log may be cut unnoticed: between two items of the line. */
static bool ends_an_item(const char *log, size_t length)
{
    return length == strlen(log) || log[length] == ',' || log[length] == '\n';
}

static void test_cut_anywhere(void)
{
    static const char log[] = "ptxas info    : Compiling entry function 'k' for 'sm_90'\n"
                              "ptxas info    : Used 32 registers, used 1 barriers, 8 bytes "
                              "cumulative stack size, 8192 bytes smem, 400 bytes cmem[0]\n";
    const size_t named = (size_t)(strstr(log, "' for") - log);
    const char *whole = "k by ptxas for sm_90, 32 regs, 8192 smem, 1 barriers";
    for (size_t length = 0; length < sizeof log; length++) {
        struct smc_text text = {0};
        char *part = strndup(log, length); /* of exactly that size, for the sanitizer */
        CU_ASSERT_PTR_NOT_NULL_FATAL(part);
        read_all(part, &text);
        const char *read = smc_text_string(&text);
        bool is_named = strstr(read, "k by ptxas") != NULL;
        bool is_right = strcmp(read, whole) == 0 || strstr(read, "incomplete") != NULL ||
                        ends_an_item(log, length);
        CU_ASSERT(length <= named ? !is_named : is_named && is_right);
        smc_text_free(&text);
        free(part);
    }
}

CU_TestInfo tests_logs[] = {
    {"ptxas of CUDA 2 to 10", test_old_toolkits},
    {"ptxas and nvlink of CUDA 11 to 13", test_new_toolkits},
    {"cuobjdump", test_cuobjdump},
    {"kernels that ptxas refuses", test_refusals},
    {"a kernel without its figures is named", test_incomplete},
    {"a log that is cut anywhere gives no wrong figure", test_cut_anywhere},
    CU_TEST_INFO_NULL,
};
