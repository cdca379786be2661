/* bank_accesses: what a kernel's accesses to shared memory cost, from its PTX alone. The expected
   conflicts follow from the addresses by hand; tests/bank_accesses compares with the emulator. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "machine/bank_accesses.h"
#include "unit.h"

/* A kernel k(in, n) around `body`: %r1 is %tid.x, %r2 is n, %rd1 is in; an array s of 16 KiB. */
static const char head[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry k(.param .u64 in, .param .u32 n)\n{\n"
    ".reg .pred %p<8>;\n.reg .b16 %h<8>;\n.reg .b32 %r<32>;\n.reg .f32 %f<16>;\n"
    ".reg .b64 %rd<32>;\n.shared .align 16 .b8 s[16384];\n"
    "ld.param.u64 %rd1, [in];\nld.param.u32 %r2, [n];\nmov.u32 %r1, %tid.x;\n"
    "mov.u32 %r3, s;\n";

static const struct smc_declared_array *declared; /* of s; NULL: unknown */

static enum smc_status find_in(const char *body, uint32_t x, uint32_t y, uint64_t budget,
                               struct smc_bank_accesses *accesses, struct smc_error *error)
{
    char text[6000];
    snprintf(text, sizeof text, "%s%s\nret;\n}\n", head, body);
    const struct smc_bank_accesses_request request = {.ptx = text,
                                                      .ptx_bytes = strlen(text),
                                                      .block = {x, y, 1},
                                                      .banks = {32, 32, 1, false, true},
                                                      .declared = declared,
                                                      .declared_count = declared != NULL,
                                                      .budget = budget};
    *accesses = (struct smc_bank_accesses){0};
    error->message[0] = '\0';
    return smc_bank_accesses_find(&request, accesses, error);
}

/* The only access of the body. The result's text is freed, so the reason is compared here, and the
   advice copied. */
static struct smc_bank_access only(const char *body, uint32_t x, uint32_t y, const char *reason)
{
    struct smc_bank_accesses accesses;
    struct smc_bank_access access = {.verdict = SMC_BANK_VERDICT_COUNT};
    struct smc_error error;
    enum smc_status status = find_in(body, x, y, 0, &accesses, &error);
    CU_ASSERT_EQUAL(status, SMC_OK);
    CU_ASSERT_EQUAL(accesses.count, 1);
    if (status != SMC_OK)
        printf("\n%s\n", error.message);
    if (accesses.count > 0)
        access = accesses.item[0];
    if (reason && access.reason && strcmp(access.reason, reason) != 0) {
        printf("\n'%s' is not '%s'\n", access.reason, reason);
        CU_FAIL("another reason");
    }
    CU_ASSERT_EQUAL(access.reason != NULL, reason != NULL);
    access.reason = access.operation = access.file = access.array = access.callee = NULL;
    static struct smc_array_advice advice;
    if (access.advice)
        advice = *access.advice;
    access.advice = access.advice ? &advice : NULL;
    smc_bank_accesses_free(&accesses);
    return access;
}

static void check(const char *body, uint32_t threads, uint64_t executions, uint64_t conflicts,
                  uint32_t most)
{
    struct smc_bank_access access = only(body, threads, 1, NULL);
    CU_ASSERT_EQUAL(access.verdict, SMC_BANK_KNOWN);
    CU_ASSERT_EQUAL(access.executions, executions);
    CU_ASSERT_EQUAL(access.wavefronts - access.least, conflicts);
    CU_ASSERT_EQUAL(access.most_conflicts, most);
}

#define AT(bytes) "mad.lo.u32 %r4, %r1, " bytes ", %r3;\n"

static void test_strides(void)
{
    check(AT("4") "ld.shared.f32 %f1, [%r4];", 64, 2, 0, 0);
    check(AT("8") "ld.shared.f32 %f1, [%r4];", 64, 2, 2, 1);
    check(AT("128") "ld.shared.f32 %f1, [%r4+4];", 32, 1, 31, 31);
    check(AT("132") "st.shared.f32 [%r4], %f1;", 32, 1, 0, 0);
    check(AT("32") "ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%r4];", 32, 1, 4, 4);
    check("ld.shared.f32 %f1, [%r3];", 96, 3, 0, 0); /* a broadcast */
    check(AT("128") "ld.shared.f32 %f1, [%r4];", 40, 2, 31 + 7, 31);
}

static void test_remedy(void)
{
    struct smc_bank_access access = only(AT("128") "ld.shared.f32 %f1, [%r4];", 32, 1, NULL);
    CU_ASSERT_TRUE(access.has_stride);
    CU_ASSERT_EQUAL(access.stride_bytes, 128);
    CU_ASSERT_PTR_NOT_NULL_FATAL(access.advice);
    const struct smc_layout_advice *layout = &access.advice->layout;
    CU_ASSERT_TRUE(layout->has_padding && layout->pads_rows && layout->has_swizzle);
    CU_ASSERT_EQUAL(layout->padding.row_elements, 32);
    CU_ASSERT_EQUAL(layout->padding.padding_elements, 1);
    access = only(AT("4") "ld.shared.f32 %f1, [%r4];", 32, 1, NULL);
    CU_ASSERT_PTR_NULL(access.advice);
}

/* The advice on s of what all accesses of the body do together; {0}: nothing can be said. */
static struct smc_layout_advice advice_on(const char *body)
{
    struct smc_bank_accesses accesses;
    struct smc_error error;
    struct smc_layout_advice layout = {0};
    CU_ASSERT_EQUAL_FATAL(find_in(body, 32, 1, 0, &accesses, &error), SMC_OK);
    for (size_t i = 0; i < accesses.count; i++)
        if (accesses.item[i].advice)
            layout = accesses.item[i].advice->layout;
    smc_bank_accesses_free(&accesses);
    return layout;
}

#define ROWS_OF_128                                                                                \
    "and.b32 %r6, %r1, 15;\nshr.u32 %r7, %r1, 4;\nmad.lo.u32 %r4, %r6, 128, %r3;\n"                \
    "mad.lo.u32 %r4, %r7, 16, %r4;\n"
#define LDMATRIX                                                                                   \
    ROWS_OF_128 "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r8, %r9, %r10, %r11}, [%r4];\n"

/* Accesses of several widths share a layout: each keeps its alignment. */
static void test_widths(void)
{
    static const struct smc_declared_array half = {"s", "half", 2, 2, {128, 64}, {"128", "64"}};
    /* Rows of 128 floats: lane n stores to row n % 2 * 4 and column n / 2. */
    struct smc_layout_advice layout =
        advice_on("and.b32 %r6, %r1, 1;\nshr.u32 %r7, %r1, 1;\nmad.lo.u32 %r4, %r6, 2048, %r3;\n"
                  "mad.lo.u32 %r4, %r7, 4, %r4;\nst.shared.f32 [%r4], %f1;\n" AT(
                      "16") "ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%r4];");
    CU_ASSERT_TRUE(layout.has_padding);
    CU_ASSERT_EQUAL(layout.padding.padding_elements * layout.padding.element_bytes % 16, 0);
    declared = &half;
    layout = advice_on(LDMATRIX);
    CU_ASSERT_TRUE(layout.has_padding && layout.has_swizzle && layout.pads_rows);
    CU_ASSERT_EQUAL(layout.padding.element_bytes, 2);
    CU_ASSERT_EQUAL(layout.padding.row_elements, 64);
    CU_ASSERT_EQUAL(layout.padding.padding_elements, 8);
    CU_ASSERT_EQUAL(layout.swizzle.element_bytes, 16);
    CU_ASSERT_EQUAL(layout.swizzle.swizzle_span, 8);
    /* With bytes beside it, and with stmatrix. */
    layout = advice_on(LDMATRIX AT("1") "st.shared.u8 [%r4], %h1;");
    CU_ASSERT_EQUAL(layout.padding.padding_elements, 8);
    layout = advice_on(ROWS_OF_128
                       "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r4], {%r8, %r9, %r10, %r11};\n");
    CU_ASSERT_EQUAL(layout.padding.padding_elements, 8);
    declared = NULL;
}

/* What may not be advised: an access that was not followed, an atomic that is a loop, lanes that
   may be at the array's begin again, a static array that no longer fits. */
static void test_no_advice(void)
{
    static const char wrapped[] =
        "add.s32 %r5, %r1, %r2;\nand.b32 %r5, %r5, 255;\nmad.lo.u32 %r4, %r5, 4, %r3;\n"
        "ld.shared.f32 %f1, [%r4];";
    static const char atomic[] = AT("4") "atom.shared.add.f32 %f1, [%r4], %f1;";
    static const char *const others[] = {
        "mad.lo.u32 %r5, %r1, %r2, %r3;\nst.shared.f32 [%r5], %f1;",
        atomic,
        wrapped,
    };
    char body[1000];
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        snprintf(body, sizeof body, "%s%s", AT("128") "ld.shared.f32 %f1, [%r4];\n", others[i]);
        struct smc_layout_advice layout = advice_on(body);
        CU_ASSERT_FALSE(layout.has_padding || layout.has_swizzle || layout.is_hopeless);
    }
    /* Nothing helps all lanes; of those that may be active nothing is said. */
    static const char hopeless[] =
        "mad.lo.u32 %r4, %r1, 16, %r3;\nld.shared.v4.f32 {%f1, %f2, %f3, "
        "%f4}, [%r4];\nsetp.lt.u32 %p1, %r1, ";
    snprintf(body, sizeof body, "%s40;\n@%%p1 ld.shared.f32 %%f1, [%%r4];", hopeless);
    CU_ASSERT_TRUE(advice_on(body).is_hopeless);
    snprintf(body, sizeof body, "%s%%r2;\n@%%p1 ld.shared.f32 %%f1, [%%r4];", hopeless);
    CU_ASSERT_FALSE(advice_on(body).is_hopeless);
    /* 48 KB may not become more. */
    struct smc_layout_advice layout = advice_on(
        ".shared .align 16 .b8 t[32768];\nmov.u32 %r5, t;\nst.shared.f32 [%r5], %f1;\n" AT(
            "128") "ld.shared.f32 %f1, [%r4];");
    CU_ASSERT_FALSE(layout.has_padding);
    CU_ASSERT_TRUE(layout.has_swizzle);
}

/* Structs: whole ones, or bytes after each; and nothing is hopeless, as members may be moved. */
static void test_members(void)
{
    static const struct smc_declared_array structs = {"s", "P", 0, 1, {128}, {"128"}};
    static const struct smc_declared_array one = {"s", "S", 0, 0, {0}, {""}};
    static const char hopeless[] = AT("16") "ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%r4];\n"
                                            "ld.shared.f32 %f1, [%r4];";
    declared = &structs;
    struct smc_layout_advice layout =
        advice_on(AT("128") "ld.shared.f32 %f1, [%r4+124];\nst.shared.f32 [%r4+8], %f1;");
    CU_ASSERT_TRUE(layout.has_padding && layout.pads_rows && !layout.has_swizzle);
    CU_ASSERT_EQUAL(layout.padding.element_bytes, 4);
    CU_ASSERT_EQUAL(layout.padding.row_elements, 32);
    CU_ASSERT_EQUAL(layout.padding.padding_elements, 1);
    CU_ASSERT_FALSE(advice_on(hopeless).is_hopeless);
    declared = &one;
    CU_ASSERT_FALSE(advice_on(hopeless).is_hopeless);
    declared = NULL;
    CU_ASSERT_TRUE(advice_on(hopeless).is_hopeless);
}

/* A row of an unknown number: the padding holds wherever the warp begins. */
static void test_unknown_place(void)
{
    struct smc_layout_advice layout =
        advice_on("mad.lo.u32 %r4, %r1, 128, %r3;\nmad.lo.u32 %r4, %r2, 4, %r4;\n"
                  "ld.shared.f32 %f1, [%r4];");
    CU_ASSERT_TRUE(layout.has_padding);
    CU_ASSERT_EQUAL(layout.padding.row_elements, 32);
    CU_ASSERT_EQUAL(layout.padding.padding_elements, 1);
    /* 8 bytes of a row of an unknown number: 4 bytes more would misalign every other one. */
    layout = advice_on(AT("256") "ld.shared.f32 %f1, [%r4];\n" AT(
        "8") "mad.lo.u32 %r4, %r2, 256, %r4;\nst.shared.v2.f32 [%r4], {%f1, %f2};");
    CU_ASSERT_FALSE(layout.has_padding && layout.padding.padding_elements % 2);
    /* Two rows of 16 in each access: rows of 32 would have their ends at an unknown lane. */
    layout = advice_on("and.b32 %r6, %r1, 15;\nshr.u32 %r7, %r1, 4;\nmad.lo.u32 %r4, %r6, 4, %r3;\n"
                       "mad.lo.u32 %r4, %r7, 128, %r4;\nmad.lo.u32 %r4, %r2, 4, %r4;\n"
                       "ld.shared.f32 %f1, [%r4];");
    CU_ASSERT_FALSE(layout.is_hopeless);
}

/* What all lanes share moves the addresses, and nothing else. */
static void test_shared_part(void)
{
    check(AT("8") "shl.b32 %r5, %r2, 2;\nadd.s32 %r4, %r4, %r5;\nld.shared.f32 %f1, [%r4];", 32, 1,
          1, 1);
    check(AT("8") "mov.u32 %r5, %ctaid.x;\nmad.lo.u32 %r4, %r5, 64, %r4;\n"
                  "ld.shared.f32 %f1, [%r4];",
          32, 1, 1, 1);
    check(AT("128") "ld.global.u32 %r5, [%rd1];\nadd.s32 %r4, %r4, %r5;\n"
                    "ld.shared.f32 %f1, [%r4];",
          32, 1, 31, 31);
    /* (tid + n) & 255 wraps at an unknown lane, and still has every bank once. */
    check("add.s32 %r5, %r1, %r2;\nand.b32 %r5, %r5, 255;\nmad.lo.u32 %r4, %r5, 4, %r3;\n"
          "ld.shared.f32 %f1, [%r4];",
          32, 1, 0, 0);
    check("add.s32 %r5, %r1, %r2;\nand.b32 %r5, %r5, 255;\nmad.lo.u32 %r4, %r5, 16, %r3;\n"
          "ld.shared.f32 %f1, [%r4];",
          32, 1, 3, 3);
}

static void test_not_followed(void)
{
    struct smc_bank_access access = only("mad.wide.u32 %rd2, %r1, 4, %rd1;\n"
                                         "ld.global.u32 %r5, [%rd2];\n"
                                         "add.s32 %r4, %r3, %r5;\nld.shared.f32 %f1, [%r4];",
                                         32, 1, "index loaded from memory at PTX line 17");
    CU_ASSERT_EQUAL(access.verdict, SMC_BANK_NOT_FOLLOWED);
    CU_ASSERT_EQUAL(access.executions, 0);
    access = only("mad.lo.u32 %r4, %r1, %r2, %r3;\nld.shared.f32 %f1, [%r4];", 32, 1,
                  "index depends on a kernel parameter, read at PTX line 13");
    CU_ASSERT_EQUAL(access.verdict, SMC_BANK_NOT_FOLLOWED);
    access = only(AT("4") "shfl.sync.idx.b32 %r5, %r1, %r1, 31, -1;\nadd.s32 %r4, %r4, %r5;\n"
                          "ld.shared.f32 %f1, [%r4];",
                  32, 1, "index from other lanes at PTX line 17");
    CU_ASSERT_EQUAL(access.verdict, SMC_BANK_NOT_FOLLOWED);
    access = only(AT("4") "ld.shared.f32 %f1, [%r4+2];", 32, 1,
                  "an address is not a multiple of the width");
    CU_ASSERT_EQUAL(access.verdict, SMC_BANK_NOT_FOLLOWED);
}

/* Bytes whose place within a word is unknown: 8 words or 9. */
static void test_depends(void)
{
    struct smc_bank_access access =
        only("add.s32 %r4, %r3, %r1;\nadd.s32 %r4, %r4, %r1;\nadd.s32 %r4, %r4, %r1;\n"
             "mad.lo.u32 %r4, %r1, 125, %r4;\nadd.s32 %r4, %r4, %r2;\nld.shared.u8 %h1, [%r4];",
             32, 1, NULL);
    CU_ASSERT_EQUAL(access.verdict, SMC_BANK_KNOWN); /* a stride of 128, wherever it begins */
    access = only("mad.lo.u32 %r4, %r1, 66, %r3;\nadd.s32 %r4, %r4, %r2;\nld.shared.u8 %h1, [%r4];",
                  32, 1, "index depends on a kernel parameter, read at PTX line 13");
    CU_ASSERT_EQUAL(access.verdict, SMC_BANK_DEPENDS);
    CU_ASSERT_TRUE(access.fewest_conflicts < access.most_conflicts);
}

static void test_guards(void)
{
    /* 16 lanes 128 bytes apart. */
    check(AT("128") "setp.lt.u32 %p1, %r1, 16;\n@%p1 ld.shared.f32 %f1, [%r4];", 64, 1, 15, 15);
    check(AT("128") "setp.gt.u32 %p1, %r1, 15;\n@%p1 bra DONE;\nld.shared.f32 %f1, [%r4];\nDONE:",
          64, 1, 15, 15);
    struct smc_bank_access access =
        only(AT("128") "setp.lt.u32 %p1, %r1, %r2;\n@%p1 ld.shared.f32 %f1, [%r4];", 32, 1, NULL);
    CU_ASSERT_EQUAL(access.verdict, SMC_BANK_IF_ALL_ACTIVE);
    CU_ASSERT_EQUAL(access.most_conflicts, 31);
    access = only(AT("128") "setp.ge.u32 %p1, %r1, %r2;\n@%p1 bra DONE;\n"
                            "ld.shared.f32 %f1, [%r4];\nDONE:",
                  32, 1, NULL);
    CU_ASSERT_EQUAL(access.verdict, SMC_BANK_IF_ALL_ACTIVE);
    /* The same for all lanes: all of them or none. */
    access =
        only(AT("128") "setp.eq.u32 %p1, %r2, 3;\n@%p1 ld.shared.f32 %f1, [%r4];", 32, 1, NULL);
    CU_ASSERT_EQUAL(access.verdict, SMC_BANK_KNOWN);
    access = only(AT("4") "setp.gt.u32 %p1, %r1, 99;\n@%p1 ld.shared.f32 %f1, [%r4];", 64, 1, NULL);
    CU_ASSERT_EQUAL(access.verdict, SMC_BANK_NOT_REACHED);
}

static void test_loops(void)
{
    /* Strides of 4, 8 and 16 bytes: 0 + 1 + 3 conflicts. */
    check("mov.u32 %r5, 4;\nLOOP:\nmad.lo.u32 %r4, %r1, %r5, %r3;\nld.shared.f32 %f1, [%r4];\n"
          "shl.b32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, 32;\n@%p1 bra LOOP;",
          32, 3, 4, 3);
    /* As many rounds as a parameter says: the first, and any other. */
    check("mov.u32 %r5, 0;\nmad.lo.u32 %r4, %r1, 8, %r3;\nLOOP:\nld.shared.f32 %f1, [%r4];\n"
          "add.s32 %r4, %r4, 256;\nadd.s32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, %r2;\n"
          "@%p1 bra LOOP;",
          32, 2, 2, 1);
    /* A stride that changes in such a loop is not known. */
    struct smc_bank_access access =
        only("mov.u32 %r5, 4;\nLOOP:\nmad.lo.u32 %r4, %r1, %r5, %r3;\nld.shared.f32 %f1, [%r4];\n"
             "shl.b32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, %r2;\n@%p1 bra LOOP;",
             32, 1, "index changes differently on paths that meet at PTX line 22");
    CU_ASSERT_EQUAL(access.verdict, SMC_BANK_NOT_FOLLOWED);
}

static void test_paths(void)
{
    /* Either array, as a parameter says: the same conflicts. */
    check("setp.eq.u32 %p1, %r2, 3;\nadd.s32 %r5, %r3, 4096;\n@%p1 bra OTHER;\n"
          "mov.u32 %r5, %r3;\nOTHER:\nmad.lo.u32 %r4, %r1, 8, %r5;\nld.shared.f32 %f1, [%r4];",
          32, 1, 1, 1);
    /* Each lane its own: unknown. */
    struct smc_bank_access access =
        only("setp.lt.u32 %p1, %r1, %r2;\nadd.s32 %r5, %r3, 4;\n@%p1 bra OTHER;\n"
             "mov.u32 %r5, %r3;\nOTHER:\nmad.lo.u32 %r4, %r1, 8, %r5;\nld.shared.f32 %f1, [%r4];",
             32, 1, "index changes differently on paths that meet at PTX line 18");
    CU_ASSERT_EQUAL(access.verdict, SMC_BANK_NOT_FOLLOWED);
}

#define BOTH "cvt.u64.u32 %rd2, %r3;\ncvta.shared.u64 %rd3, %rd2;\nsetp.gt.s32 %p1, %r2, 3;\n"

static void test_forms(void)
{
    /* Through a generic address. */
    check("cvt.u64.u32 %rd2, %r3;\ncvta.shared.u64 %rd3, %rd2;\nmad.wide.u32 %rd4, %r1, 8, %rd3;\n"
          "ld.f32 %f1, [%rd4];",
          32, 1, 1, 1);
    /* ldmatrix: eight rows of 16 bytes in each wavefront; 32 and 64 bytes apart they conflict. */
    check(AT("16") "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r5, %r6, %r7, %r8}, [%r4];", 32, 1,
          0, 0);
    check(AT("32") "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r5, %r6, %r7, %r8}, [%r4];", 32, 1,
          4, 4);
    check(AT("64") "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r5, %r6}, [%r4];", 32, 1, 6, 6);
    /* Shared or global memory, by data: of a selected address, and of one that paths choose. */
    struct smc_bank_access access =
        only(BOTH "selp.b64 %rd3, %rd3, %rd1, %p1;\nmad.wide.u32 %rd4, %r1, 128, %rd3;\n"
                  "ld.f32 %f1, [%rd4];",
             32, 1, "some or all lanes may access another memory");
    CU_ASSERT_EQUAL(access.verdict, SMC_BANK_NOT_FOLLOWED);
    access = only(BOTH "@%p1 bra HERE;\nmov.u64 %rd3, %rd1;\nHERE:\n"
                       "mad.wide.u32 %rd4, %r1, 128, %rd3;\nld.f32 %f1, [%rd4];",
                  32, 1, "some or all lanes may access another memory");
    CU_ASSERT_EQUAL(access.verdict, SMC_BANK_NOT_FOLLOWED);
    /* A global access is none. */
    struct smc_bank_accesses accesses;
    struct smc_error error;
    CU_ASSERT_EQUAL(find_in("mad.wide.u32 %rd2, %r1, 4, %rd1;\nld.f32 %f1, [%rd2];", 32, 1, 0,
                            &accesses, &error),
                    SMC_OK);
    CU_ASSERT_EQUAL(accesses.count, 0);
    smc_bank_accesses_free(&accesses);
    access = only(AT("4") "atom.shared.add.f32 %f1, [%r4], %f1;", 32, 1, NULL);
    CU_ASSERT_EQUAL(access.verdict, SMC_BANK_ATOMIC);
}

/* Instructions that the emulator refuses. */
static void test_opaque(void)
{
    struct smc_bank_access access =
        only("{ .param .b32 param0; st.param.b32 [param0+0], %r1; .param .b32 retval0;\n"
             "call.uni (retval0), vprintf, (param0);\nld.param.b32 %r5, [retval0+0]; }\n"
             "add.s32 %r4, %r3, %r5;\nld.shared.f32 %f1, [%r4];",
             32, 1, "index from an instruction that is not followed, at PTX line 18");
    CU_ASSERT_EQUAL(access.verdict, SMC_BANK_NOT_FOLLOWED);
    check(AT("8") "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];\n"
                  "st.shared.f32 [%r4], %f1;",
          32, 1, 1, 1);
}

/* --- wmma, calls, copy engines ---------------------------------------------------------------- */

static const char wmma_a[] = "wmma.load.a.sync.aligned.%s.%s.shared.%s {%s}, [%%r3], %s;\n";

/* What the emulator counts, as it runs the body. */
static struct smc_bank_cost emulated(const char *body)
{
    static char memory[4096];
    char text[6000];
    struct smc_program *program = NULL;
    struct smc_emulation emulation = {0};
    struct smc_error error = {""};
    struct smc_bank_cost cost = {0};
    const int32_t n = 16;
    snprintf(text, sizeof text, "%s%s\nret;\n}\n", head, body);
    const struct smc_emulated_array array = {.name = "in", .data = memory, .bytes = sizeof memory};
    const struct smc_emulated_argument arguments[] = {{.is_array = true}, {.value = &n}};
    CU_ASSERT_EQUAL(smc_program_read(text, strlen(text), "k", &program, &error), SMC_OK);
    const struct smc_emulation_request request = {.program = program,
                                                  .grid = {1, 1, 1},
                                                  .block = {32, 1, 1},
                                                  .arrays = &array,
                                                  .array_count = 1,
                                                  .arguments = arguments,
                                                  .argument_count = 2,
                                                  .banks = {32, 32, 1, false, true},
                                                  .threads = 1,
                                                  .unchecked = true};
    if (program && smc_emulate(&request, &emulation, &error) == SMC_OK)
        cost = (struct smc_bank_cost){.wavefronts =
                                          (uint32_t)(smc_emulated_wavefronts(&emulation.total) +
                                                     emulation.total.atomic_wavefronts),
                                      .least = (uint32_t)(emulation.total.least_wavefronts +
                                                          emulation.total.least_atomic_wavefronts)};
    CU_ASSERT_STRING_EQUAL(error.message, "");
    smc_emulation_free(&emulation);
    smc_program_free(program);
    return cost;
}

/* Wavefronts and conflicts, with and without running it. */
static void check_matrix(const char *body, uint64_t wavefronts, uint64_t conflicts)
{
    struct smc_bank_access access = only(body, 32, 1, NULL);
    CU_ASSERT_EQUAL(access.verdict, SMC_BANK_KNOWN);
    CU_ASSERT_EQUAL(access.executions, 1);
    CU_ASSERT_EQUAL(access.wavefronts, wavefronts);
    CU_ASSERT_EQUAL(access.wavefronts - access.least, conflicts);
    const struct smc_bank_cost cost = emulated(body);
    CU_ASSERT_EQUAL(cost.wavefronts, wavefronts);
    CU_ASSERT_EQUAL(cost.wavefronts - cost.least, conflicts);
    if (access.wavefronts != wavefronts || cost.wavefronts != wavefronts)
        printf("\n%s %d, not %d\n", body, (int)access.wavefronts, (int)wavefronts);
}

#define COPY(step, bytes)                                                                          \
    "mad.wide.u32 %rd2, %r1, " step ", %rd1;\ncp.async.ca.shared.global [%r4], [%rd2], " bytes     \
    ";\n"                                                                                          \
    "cp.async.wait_all;"

/* Those of each operation besides loads and stores: of rules/banks.h. */
static void test_operations(void)
{
    check_matrix(AT("4") "atom.shared.add.u32 %r5, [%r4], 1;", 1, 0);
    check_matrix(AT("8") "atom.shared.min.s32 %r5, [%r4], 1;", 2, 1);
    check_matrix("red.shared.add.u32 [%r3], 1;", 1, 0); /* counts the lanes of an address */
    check_matrix("atom.shared.add.u32 %r5, [%r3], 1;", 1, 0);
    check_matrix("atom.shared.add.u32 %r5, [%r3], 1;\nadd.s32 %r6, %r5, 1;", 32, 31);
    check_matrix("red.shared.add.u32 [%r3], 2;", 32, 31);
    check_matrix(AT("16") "atom.shared.exch.b64 %rd2, [%r4], %rd1;", 4, 2);
    check_matrix(AT("128") "atom.shared.cas.b32 %r5, [%r4], %r1, %r1;", 64, 62);
    check_matrix(AT("16") COPY("16", "16"), 4, 0);
    check_matrix(AT("32") COPY("16", "16"), 8, 4);
    check_matrix(AT("16") COPY("8", "8"), 4, 2);
    check_matrix(AT("8") COPY("80", "8"), 6, 0); /* six lookups */
    check_matrix(AT("128") "mad.wide.u32 %rd2, %r1, 16, %rd1;\n"
                           "cp.async.cg.shared.global [%r4], [%rd2], 16;\ncp.async.wait_all;",
                 0, 0);
    check_matrix(AT("4") COPY("4", "4"), 1, 0);
}

/* An H100 counts these of rows of 16, 24 and 32 halves, and of a store of 16 floats. */
static void test_wmma(void)
{
    static const char eight[] = "%r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11";
    static const char floats[] = "%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8";
    static const struct {
        const char *layout, *shape, *type, *registers, *stride;
        uint64_t wavefronts, conflicts;
    } loads[] = {
        {"row", "m16n16k16", "f16", eight, "16", 8, 4},
        {"row", "m16n16k16", "f16", eight, "24", 4, 0},
        {"row", "m16n16k16", "f16", eight, "32", 16, 12},
        {"col", "m16n16k16", "f16", eight, "32", 16, 12},
        {"row", "m16n16k16", "bf16", "%r4, %r5, %r6, %r7", "64", 32, 28},
        {"row", "m32n8k16", "f16", eight, "64", 64, 56},
        {"row", "m16n16k16", "s8", "%r4, %r5", "16", 2, 0},
        {"row", "m16n16k16", "s8", "%r4, %r5", "128", 16, 14},
        {"col", "m16n16k16", "u8", "%r4, %r5", "16", 16, 8},
        {"row", "m16n16k8", "tf32", "%r4, %r5, %r6, %r7", "8", 8, 4},
        {"col", "m16n16k8", "tf32", "%r4, %r5, %r6, %r7", "32", 16, 12},
    };
    char body[400];
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        snprintf(body, sizeof body, wmma_a, loads[i].layout, loads[i].shape, loads[i].type,
                 loads[i].registers, loads[i].stride);
        check_matrix(body, loads[i].wavefronts, loads[i].conflicts);
    }
    snprintf(body, sizeof body,
             "wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%%r3], {%s}, 16;", floats);
    check_matrix(body, 16, 8);
    snprintf(body, sizeof body,
             "wmma.store.d.sync.aligned.col.m16n16k16.shared.f32 [%%r3], {%s}, 16;", floats);
    check_matrix(body, 32, 24);
    /* ldmatrix serves one matrix after the other, although all rows are one. */
    check_matrix("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r8, %r9, %r10, %r11}, [%r3];", 4, 0);
    check_matrix("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r8, %r9}, [%r3];", 2, 0);
    check_matrix(ROWS_OF_128
                 "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r4], {%r8, %r9, %r10, %r11};",
                 32, 28);
    /* A padding is legal if it keeps the distance of rows a multiple of 16 bytes. */
    snprintf(body, sizeof body, wmma_a, "row", "m16n16k16", "f16", eight, "32");
    struct smc_layout_advice layout = advice_on(body);
    CU_ASSERT_TRUE(layout.has_padding);
    CU_ASSERT_FALSE(layout.has_swizzle);
    CU_ASSERT_EQUAL(layout.padding.row_elements * layout.padding.element_bytes, 64);
    CU_ASSERT_EQUAL(layout.padding.padding_elements * layout.padding.element_bytes, 16);
    snprintf(body, sizeof body, wmma_a, "row", "m16n16k16", "f16", eight, "%r2");
    struct smc_bank_access access =
        only(body, 32, 1, "index depends on a kernel parameter, read at PTX line 13");
    CU_ASSERT_EQUAL(access.verdict, SMC_BANK_NOT_FOLLOWED);
}

/* How many accesses of the body are counted and followed, in PTX with functions after `head`. */
static void count_followed(const char *functions, const char *body, size_t counted, size_t followed,
                           const char *callee)
{
    char text[6000];
    struct smc_bank_accesses accesses = {0};
    struct smc_error error = {""};
    const char *entry = strstr(head, ".visible");
    snprintf(text, sizeof text, "%.*s%s\n%s%s\nret;\n}\n", (int)(entry - head), head, functions,
             entry, body);
    const struct smc_bank_accesses_request request = {.ptx = text,
                                                      .ptx_bytes = strlen(text),
                                                      .block = {32, 1, 1},
                                                      .banks = {32, 32, 1, false, true}};
    CU_ASSERT_EQUAL(smc_bank_accesses_find(&request, &accesses, &error), SMC_OK);
    CU_ASSERT_EQUAL(accesses.counted, counted);
    CU_ASSERT_EQUAL(accesses.followed, followed);
    for (size_t i = 0; i < accesses.count; i++)
        if (accesses.item[i].kind == SMC_BANK_BY_CALL && callee)
            CU_ASSERT_STRING_EQUAL(accesses.item[i].callee ? accesses.item[i].callee : "", callee);
    CU_ASSERT_EQUAL(accesses.calls, counted - followed);
    smc_bank_accesses_free(&accesses);
}

#define STORE AT("4") "st.shared.f32 [%r4], %f1;\n"
#define INNER(space)                                                                               \
    ".func (.param .b32 r) _ZN2ns5innerEPf(.param .b64 p)\n{\n.reg .f32 %f<2>;\n.reg .b64 "        \
    "%rd<2>;\n"                                                                                    \
    "ld.param.u64 %rd1, [p];\n" space "\nst.param.f32 [r], %f1;\nret;\n}\n"
#define OUTER                                                                                      \
    ".func outer()\n{\n{\n.param .b64 q;\n.param .b32 s;\n"                                        \
    "call.uni (s), _ZN2ns5innerEPf, (q);\n}\nret;\n}\n"
#define CALL(name) "{ .param .b64 q; .param .b32 t; call.uni (t), " name ", (q); }\n"

/* A function that was not inlined counts, unless neither it nor what it calls may access shared
   memory. */
static void test_calls(void)
{
    count_followed(INNER("ld.f32 %f1, [%rd1];"), STORE CALL("_ZN2ns5innerEPf"), 2, 1, "inner");
    count_followed(INNER("@%p1 ld.shared.f32 %f1, [%rd1];"), STORE CALL("_ZN2ns5innerEPf"), 2, 1,
                   "inner");
    count_followed(INNER("ld.global.f32 %f1, [%rd1];"), STORE CALL("_ZN2ns5innerEPf"), 1, 1, "");
    count_followed(INNER("ld.f32 %f1, [%rd1];") OUTER, STORE "call.uni outer;\n", 2, 1, "outer");
    count_followed(INNER("ld.local.f32 %f1, [%rd1];") OUTER, STORE "call.uni outer;\n", 1, 1, "");
    count_followed("", STORE CALL("elsewhere"), 2, 1, "elsewhere");
    count_followed("", STORE CALL("vprintf"), 1, 1, "");
    count_followed("", STORE "mov.u64 %rd2, 8;\n{ .param .b64 q; call (q), %rd2, (q), proto; }\n",
                   2, 1, "");
}

/* Each function that may be called is looked at once: one that calls itself does no harm, and 24
   that call the one before twice each are 25 functions, not 16 million. */
static void test_call_graphs(void)
{
    struct smc_text functions = {0};
    count_followed(".func again()\n{\ncall.uni again;\nst.local.f32 [%rd1], %f1;\nret;\n}\n",
                   STORE "call.uni again;\n", 1, 1, "");
    count_followed(".func a()\n{\ncall.uni b;\nret;\n}\n"
                   ".func b()\n{\ncall.uni a;\nst.f32 [%rd1], %f1;\nret;\n}\n",
                   STORE "call.uni a;\ncall.uni b;\n", 3, 1, NULL);
    smc_text_append(&functions, ".func f0()\n{\nadd.s32 %r1, %r1, 1;\nret;\n}\n");
    for (int i = 1; i <= 24; i++)
        smc_text_printf(&functions, ".func f%d()\n{\ncall.uni f%d;\ncall.uni f%d;\nret;\n}\n", i,
                        i - 1, i - 1);
    count_followed(smc_text_string(&functions), STORE "call.uni f24;\n", 1, 1, "");
    smc_text_free(&functions);
}

/* wgmma reads its operands without conflicts. Whatever its array, no other layout is proposed: the
   descriptor would not fit it. */
static void test_descriptors(void)
{
    struct smc_bank_accesses accesses;
    struct smc_error error;
    static const char body[] =
        AT("128") "st.shared.f32 [%r4], %f1;\n"
                  "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd1, "
                  "%rd2, %p1, 1, 1, 0, 0;";
    CU_ASSERT_EQUAL_FATAL(find_in(body, 32, 1, 0, &accesses, &error), SMC_OK);
    CU_ASSERT(accesses.count == 2 && accesses.counted == 2 && accesses.followed == 2);
    CU_ASSERT_EQUAL(accesses.item[0].most_conflicts, 31);
    CU_ASSERT_PTR_NULL(accesses.item[0].advice);
    CU_ASSERT_EQUAL(accesses.item[1].verdict, SMC_BANK_NO_CONFLICTS);
    CU_ASSERT_EQUAL(accesses.item[1].executions, 0);
    smc_bank_accesses_free(&accesses);
}

/* Tensor cores and copy engines: counted, not followed. */
static void test_engines(void)
{
    struct smc_bank_accesses accesses;
    struct smc_error error;
    static const char bulk[] = STORE
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd1], 64, "
        "[%r3];";
    static const char tensor[] =
        STORE "tcgen05.mma.cta_group::1.kind::f16 [%r4], %rd1, %rd2, %r5, %p1;";
    static const char multimem[] = STORE "multimem.st.shared.f32 [%r4], %f1;";
    static const char *const bodies[] = {bulk, tensor, multimem};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        CU_ASSERT_EQUAL(find_in(bodies[i], 32, 1, 0, &accesses, &error), SMC_OK);
        CU_ASSERT_EQUAL(accesses.counted, 2);
        CU_ASSERT_EQUAL(accesses.followed, 1);
        smc_bank_accesses_free(&accesses);
    }
}

/* --- The block -------------------------------------------------------------------------------- */

static void test_shape(void)
{
    static const char body[] = "mov.u32 %r5, %tid.y;\nmad.lo.u32 %r4, %r1, 32, %r3;\n"
                               "mad.lo.u32 %r4, %r5, 4, %r4;\nld.shared.f32 %f1, [%r4];";
    struct smc_bank_accesses accesses;
    struct smc_error error;
    CU_ASSERT_EQUAL(only(body, 32, 1, NULL).most_conflicts, 7);
    CU_ASSERT_EQUAL(only(body, 4, 8, NULL).most_conflicts, 0);
    CU_ASSERT_EQUAL(find_in(body, 4, 8, 0, &accesses, &error), SMC_OK);
    CU_ASSERT_TRUE(accesses.uses_y);
    CU_ASSERT_FALSE(accesses.uses_z);
    CU_ASSERT_TRUE(accesses.counts_are_exact);
    smc_bank_accesses_free(&accesses);
    CU_ASSERT_EQUAL(find_in(body, 0, 1, 0, &accesses, &error), SMC_USAGE);
    CU_ASSERT_STRING_EQUAL(error.message, "a block of 0x1x1 threads: between 1 and 1024 of them");
    CU_ASSERT_EQUAL(find_in(body, 1024, 2, 0, &accesses, &error), SMC_USAGE);
    CU_ASSERT_EQUAL(find_in("nonsense here", 32, 1, 0, &accesses, &error), SMC_USAGE);
}

/* Endless and long loops end, and what was not followed to the end is not given. */
static void test_bounds(void)
{
    struct smc_bank_accesses accesses;
    struct smc_error error;
    static const char endless[] = AT("4") "LOOP:\nld.shared.f32 %f1, [%r4];\nbra LOOP;";
    CU_ASSERT_EQUAL(find_in(endless, 32, 1, 1000, &accesses, &error), SMC_OK);
    CU_ASSERT_EQUAL(accesses.item[0].verdict, SMC_BANK_NOT_FOLLOWED);
    smc_bank_accesses_free(&accesses);
    static const char lengthy[] =
        AT("8") "mov.u32 %r5, 0;\nLOOP:\nld.shared.f32 %f1, [%r4];\nadd.s32 %r5, %r5, 1;\n"
                "setp.lt.u32 %p1, %r5, 1000000;\n@%p1 bra LOOP;";
    CU_ASSERT_EQUAL(find_in(lengthy, 32, 1, 1000, &accesses, &error), SMC_OK);
    CU_ASSERT_EQUAL(accesses.item[0].verdict, SMC_BANK_KNOWN);
    CU_ASSERT_EQUAL(accesses.item[0].most_conflicts, 1);
    CU_ASSERT_FALSE(accesses.counts_are_exact);
    smc_bank_accesses_free(&accesses);
}

/* Branches one after the other, whose outcomes are unknown, in such a loop: 600 of them take as
   many steps as there are instructions, times a few. 2^600 paths, or 600 copies of all registers
   and counts at each branch, would not end. */
static void test_many_branches(void)
{
    enum { BRANCHES = 600 };
    struct smc_text body = {0};
    struct smc_bank_accesses accesses = {0};
    struct smc_error error = {""};
    smc_text_printf(&body, "%smov.u32 %%r5, 0;\nLOOP:\n", head);
    for (int i = 0; i < BRANCHES; i++)
        smc_text_printf(&body,
                        "ld.global.u32 %%r6, [%%rd1+%d];\nsetp.eq.u32 %%p1, %%r6, %%r2;\n"
                        "@%%p1 bra L%d;\nmad.lo.u32 %%r4, %%r1, 8, %%r3;\n"
                        "st.shared.u32 [%%r4], %%r6;\nL%d:\n",
                        4 * i, i, i);
    smc_text_append(&body, "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p2, %r5, %r2;\n@%p2 bra LOOP;\n"
                           "ret;\n}\n");
    const struct smc_bank_accesses_request request = {.ptx = smc_text_string(&body),
                                                      .ptx_bytes = body.length,
                                                      .block = {64, 1, 1},
                                                      .banks = {32, 32, 1, false, true}};
    CU_ASSERT_EQUAL(smc_bank_accesses_find(&request, &accesses, &error), SMC_OK);
    CU_ASSERT_EQUAL(accesses.counted, BRANCHES);
    CU_ASSERT_EQUAL(accesses.followed, BRANCHES);
    for (size_t i = 0; i < accesses.count; i++)
        if (accesses.item[i].most_conflicts != 1)
            CU_FAIL("another number of conflicts");
    smc_bank_accesses_free(&accesses);
    smc_text_free(&body);
}

/* Damaged PTX is refused or followed, but nothing else. */
static void test_damage(void)
{
    static const char body[] =
        "mov.u32 %r5, 4;\nLOOP:\nmad.lo.u32 %r4, %r1, %r5, %r3;\nld.shared.f32 %f1, [%r4];\n"
        "shl.b32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, %r2;\n@%p1 bra LOOP;\n"
        "and.b32 %r6, %r4, 252;\nst.shared.v2.f32 [%r6], {%f1, %f2};\nbar.sync 0;";
    char damaged[sizeof body];
    uint64_t state = 2026;
    for (int turn = 0; turn < 3000; turn++) {
        struct smc_bank_accesses accesses;
        struct smc_error error;
        memcpy(damaged, body, sizeof body);
        for (int i = 0; i <= turn % 4; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            damaged[(state >> 33) % (sizeof body - 1)] = body[(state >> 13) % (sizeof body - 1)];
        }
        enum smc_status status = find_in(damaged, 48, 2, 2000, &accesses, &error);
        CU_ASSERT_TRUE(status == SMC_OK || (status == SMC_USAGE && error.message[0]));
        smc_bank_accesses_free(&accesses);
    }
}

CU_TestInfo tests_bank_accesses[] = {
    {"strides", test_strides},
    {"padding and swizzle", test_remedy},
    {"one advice for accesses of several widths", test_widths},
    {"no advice where an access is not followed", test_no_advice},
    {"advice on structs", test_members},
    {"advice for a warp that begins at an unknown place", test_unknown_place},
    {"what all lanes share", test_shared_part},
    {"what cannot be followed", test_not_followed},
    {"an unknown alignment", test_depends},
    {"guards and early exits", test_guards},
    {"loops", test_loops},
    {"paths that meet", test_paths},
    {"generic addresses, ldmatrix, atomics", test_forms},
    {"instructions that are not followed", test_opaque},
    {"wavefronts of wmma, ldmatrix and stmatrix", test_wmma},
    {"wavefronts of atomics and copies", test_operations},
    {"calls that are not followed are counted", test_calls},
    {"each called function is looked at once", test_call_graphs},
    {"wgmma has no conflicts", test_descriptors},
    {"copy engines and tensor cores are counted", test_engines},
    {"600 unknown branches in an unknown loop", test_many_branches},
    {"the block's shape", test_shape},
    {"endless and long loops", test_bounds},
    {"damaged PTX", test_damage},
    CU_TEST_INFO_NULL,
};
