/* Cases of two blocks of a cluster that write to each other's shared memory: bulk copies to several
   blocks, st.async and red.async; and bulk reductions. Each thread has 16 bytes of shared memory
   that begin as its b, twice; its result is computed from them. */
#include <stdio.h>
#include <string.h>

#include "block_cases.h"

enum { BOTH = 2 * PTX_THREADS };

/* --- Values ----------------------------------------------------------------------------------- */

/* What the operation of the mnemonic makes of an element and a value. */
static uint64_t combined(const struct ptx_case *test, uint64_t old, uint64_t value)
{
    const bool is_signed = test->to.class == 's', is_wide = test->to.bits == 64;
    const int64_t x = is_wide ? (int64_t)old : (int32_t)old;
    const int64_t y = is_wide ? (int64_t)value : (int32_t)value;
    const bool is_less = is_signed ? y < x : value < old;
    return ptx_has(test, "add")   ? old + value
           : ptx_has(test, "min") ? is_less ? value : old
           : ptx_has(test, "max") ? is_less ? old : value
           : ptx_has(test, "and") ? old & value
           : ptx_has(test, "or")  ? old | value
           : ptx_has(test, "xor") ? old ^ value
           : ptx_has(test, "inc") ? old >= value ? 0 : old + 1
           : ptx_has(test, "dec") ? old == 0 || old > value ? value : old - 1
                                  : value;
}

static uint64_t combined_floats(const struct ptx_case *test, uint64_t old, uint64_t value)
{
    struct ptx_case wide = {.mnemonic = "cvt", .to = {'f', 32}, .from = test->to};
    struct ptx_case narrow = {.mnemonic = "cvt", .to = test->to, .from = {'f', 32}};
    const bool is_double = test->to.bits == 64, is_half = test->to.bits == 16;
    uint64_t bits[2] = {old, value};
    float single[2];
    double number[2];
    for (int i = 0; i < 2; i++) {
        uint32_t word = (uint32_t)(is_half ? ptx_convert(&wide, bits[i], 0, 0) : bits[i]);
        memcpy(&single[i], &word, sizeof word);
        memcpy(&number[i], &bits[i], sizeof *bits);
    }
    if (ptx_has(test, "min") || ptx_has(test, "max"))
        return (single[1] < single[0]) == ptx_has(test, "min") ? value : old;
    const float sum = single[0] + single[1];
    const double double_sum = number[0] + number[1];
    uint32_t word;
    memcpy(&word, &sum, sizeof word);
    memcpy(bits, &double_sum, sizeof double_sum);
    return is_double ? bits[0] : is_half ? ptx_convert(&narrow, word, 0, 0) : word;
}

/* Elements of the mnemonic's type in `bytes` of 8 or 16 bytes of b and a. */
static void combine(const struct ptx_case *test, uint64_t place[2], const uint64_t value[2],
                    unsigned bytes)
{
    const unsigned width = test->to.bits / 8;
    const bool is_float = test->to.class == 'f' || test->to.class == 'x';
    for (unsigned at = 0; at < bytes; at += width) {
        uint64_t old = 0, new = 0;
        memcpy(&old, (char *)place + at, width);
        memcpy(&new, (const char *)value + at, width);
        new = is_float ? combined_floats(test, old, new) : combined(test, old, new);
        memcpy((char *)place + at, &new, width);
    }
}

static uint64_t result_of(const uint64_t place[2])
{
    return place[0] * 3 + place[1];
}

/* --- Modules ---------------------------------------------------------------------------------- */

/* %w0: shared memory, %w1: the object, %w3: the other block, %w4: the thread's place; %p1: the
   first thread of the block, %p3: of the cluster. All have come when the text after it begins. */
#define BEGIN                                                                                      \
    ".shared .align 128 .b8 s[4096];\n.shared .align 8 .b64 bar;\n.reg .b32 %%w<12>;\n"            \
    ".reg .b64 %%y<6>;\nmov.u32 %%w0, s;\nmov.u32 %%w1, bar;\nmov.u32 %%w2, %%cluster_ctarank;\n"  \
    "xor.b32 %%w3, %%w2, 1;\nshl.b32 %%w4, %%i3, 4;\nadd.u32 %%w4, %%w4, %%w0;\n"                  \
    "setp.eq.u32 %%p1, %%i3, 0;\nsetp.eq.and.u32 %%p3, %%w2, 0, %%p1;\n"                           \
    "@%%p1 mbarrier.init.shared.b64 [%%w1], 1;\nst.shared.v2.b64 [%%w4], {%%b, %%b};\n"            \
    "fence.mbarrier_init.release.cluster;\nfence.proxy.async;\nbarrier.cluster.arrive;\n"          \
    "barrier.cluster.wait;\n@%%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%%w1], %u;\n"

/* Waits for the bytes, and lets no block end before the other one is done. */
#define END                                                                                        \
    "WAIT:\nmbarrier.try_wait.parity.shared.b64 %%p2, [%%w1], 0;\n@!%%p2 bra WAIT;\n"              \
    "ld.shared.v2.b64 {%%x1, %%x2}, [%%w4];\nmad.lo.u64 %%d, %%x1, 3, %%x2;\n"                     \
    "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"

#define OTHERS                                                                                     \
    "mapa.shared::cluster.u32 %%w5, %%w4, %%w3;\nmapa.shared::cluster.u32 %%w6, %%w1, %%w3;\n"

static void add(ptx_block_reference *reference, const char *mnemonic, unsigned bytes,
                const char *middle)
{
    ptx_add_case("lll", reference, 0, mnemonic, ptx_print(BEGIN "%s" END, bytes, middle));
}

/* --- Bulk copies ------------------------------------------------------------------------------ */

/* The first 2048 bytes of both blocks become the first block's a. */
static void multicast(const struct ptx_case *test, const uint64_t *a, const uint64_t *b,
                      const uint64_t *c, uint64_t *d)
{
    (void)test, (void)c;
    for (int i = 0; i < BOTH; i++) {
        const int at = 2 * (i % PTX_THREADS);
        const uint64_t place[2] = {at < PTX_THREADS ? a[at] : b[i],
                                   at < PTX_THREADS ? a[at + 1] : b[i]};
        d[i] = result_of(place);
    }
}

/* The first 1024 bytes of each block become, or are combined with, the last ones of the other. */
static void exchange(const struct ptx_case *test, const uint64_t *a, const uint64_t *b,
                     const uint64_t *c, uint64_t *d)
{
    (void)a, (void)c;
    for (int i = 0; i < BOTH; i++) {
        const int from = (i ^ PTX_THREADS) + PTX_THREADS - 64;
        uint64_t place[2] = {b[i], b[i]};
        if (i % PTX_THREADS < 64) {
            const uint64_t value[2] = {b[from], b[from]};
            combine(test, place, value, sizeof place);
        }
        d[i] = result_of(place);
    }
}

static void add_copies(void)
{
    add(multicast, "cp.async.bulk.b64.multicast::cluster", 2048,
        ptx_print("ld.param.u64 %%y1, [pa];\ncvta.to.global.u64 %%y1, %%y1;\n"
                  "add.u64 %%y1, %%y1, %%at0;\nmov.b16 %%h1, 3;\n"
                  "@%%p3 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                  ".multicast::cluster [%%w0], [%%y1], 2048, [%%w1], %%h1;\n"));
    add(exchange, "cp.async.bulk.b64.shared::cluster", 1024,
        ptx_print("mapa.shared::cluster.u32 %%w5, %%w0, %%w3;\n"
                  "mapa.shared::cluster.u32 %%w6, %%w1, %%w3;\nadd.u32 %%w7, %%w0, 3072;\n"
                  "@%%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
                  "[%%w5], [%%w7], 1024, [%%w6];\n"));
    static const char *const operations[] = {"add.u32", "add.s32", "add.u64", "min.u32",
                                             "max.u32", "min.s32", "max.s32", "inc.u32",
                                             "dec.u32", "and.b32", "or.b32",  "xor.b32"};
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        add(exchange, ptx_print("cp.reduce.async.bulk.shared::cluster.%s", operations[i]), 1024,
            ptx_print("mapa.shared::cluster.u32 %%w5, %%w0, %%w3;\n"
                      "mapa.shared::cluster.u32 %%w6, %%w1, %%w3;\nadd.u32 %%w7, %%w0, 3072;\n"
                      "@%%p1 cp.reduce.async.bulk.shared::cluster.shared::cta"
                      ".mbarrier::complete_tx::bytes.%s [%%w5], [%%w7], 1024, [%%w6];\n",
                      operations[i]));
}

/* --- st.async, red.async ---------------------------------------------------------------------- */

/* Each thread's place is written by its counterpart in the other block. */
static void store(const struct ptx_case *test, const uint64_t *a, const uint64_t *b,
                  const uint64_t *c, uint64_t *d)
{
    (void)c;
    const unsigned bytes = test->to.bits / 8 *
                           (ptx_has(test, "v4")   ? 4
                            : ptx_has(test, "v2") ? 2
                                                  : 1);
    for (int i = 0; i < BOTH; i++) {
        uint64_t place[2] = {b[i], b[i]};
        const uint64_t value[2] = {a[i ^ PTX_THREADS], a[i ^ PTX_THREADS] + 1};
        combine(test, place, value, bytes);
        d[i] = result_of(place);
    }
}

static void add_stores(void)
{
    static const struct {
        const char *type, *value;
        unsigned bytes;
    } stores[] = {
        {"b32", "%w8", 4},
        {"u32", "%w8", 4},
        {"b64", "%a", 8},
        {"s64", "%a", 8},
        {"v2.b32", "{%w8, %w9}", 8},
        {"v4.b32", "{%w8, %w9, %w10, %w11}", 16},
        {"v2.u64", "{%a, %y2}", 16},
    };
    static const char *const reductions[] = {"add.u32", "add.s32", "add.u64", "min.u32",
                                             "max.u32", "min.s32", "max.s32", "inc.u32",
                                             "dec.u32", "and.b32", "or.b32",  "xor.b32"};
    for (size_t i = 0; i < sizeof stores / sizeof *stores; i++)
        add(store, ptx_print("st.async.%s", stores[i].type), PTX_THREADS * stores[i].bytes,
            ptx_print(OTHERS "add.u64 %%y2, %%a, 1;\nmov.b64 {%%w8, %%w9}, %%a;\n"
                             "mov.b64 {%%w10, %%w11}, %%y2;\n"
                             "st.async.shared::cluster.mbarrier::complete_tx::bytes.%s [%%w5], %s, "
                             "[%%w6];\n",
                      stores[i].type, stores[i].value));
    for (size_t i = 0; i < sizeof reductions / sizeof *reductions; i++) {
        const bool is_wide = strstr(reductions[i], "64");
        add(store, ptx_print("red.async.%s", reductions[i]), PTX_THREADS * (is_wide ? 8 : 4),
            ptx_print(OTHERS "mov.b64 {%%w8, %%w9}, %%a;\n"
                             "red.async.relaxed.cluster.shared::cluster"
                             ".mbarrier::complete_tx::bytes.%s [%%w5], %s, [%%w6];\n",
                      reductions[i], is_wide ? "%a" : "%w8"));
    }
}

/* --- Bulk reductions to global memory --------------------------------------------------------- */

/* d begins as b, and is combined with a; floats are of similar size. */
static void reduce(const struct ptx_case *test, const uint64_t *a, const uint64_t *b,
                   const uint64_t *c, uint64_t *d)
{
    static const struct {
        unsigned bits;
        uint64_t kept, set;
    } masks[] = {{16, 0x83c083c083c083c0, 0x4c004c004c004c00},
                 {32, 0x807fffff807fffff, 0x4180000041800000},
                 {64, 0x800fffffffffffff, 0x4030000000000000}};
    (void)c;
    for (int i = 0; i < PTX_THREADS; i++) {
        uint64_t place[2] = {b[i], 0}, value[2] = {a[i], 0};
        for (size_t m = 0; m < 3; m++)
            if ((test->to.class == 'f' || test->to.class == 'x') &&
                test->to.bits == masks[m].bits) {
                const bool is_bfloat = test->to.class == 'x';
                const uint64_t kept = is_bfloat ? 0x8078807880788078 : masks[m].kept;
                const uint64_t set = is_bfloat ? 0x4180418041804180 : masks[m].set;
                place[0] = (place[0] & kept) | set;
                value[0] = (value[0] & kept) | set;
            }
        combine(test, place, value, sizeof *place);
        d[i] = place[0];
    }
}

static void add_reductions(void)
{
    static const struct {
        const char *operation;
        uint64_t kept, set;
    } rows[] = {
        {"add.u32", UINT64_MAX, 0},
        {"add.s32", UINT64_MAX, 0},
        {"add.u64", UINT64_MAX, 0},
        {"min.u32", UINT64_MAX, 0},
        {"max.s32", UINT64_MAX, 0},
        {"min.s64", UINT64_MAX, 0},
        {"max.u64", UINT64_MAX, 0},
        {"inc.u32", UINT64_MAX, 0},
        {"dec.u32", UINT64_MAX, 0},
        {"and.b32", UINT64_MAX, 0},
        {"or.b64", UINT64_MAX, 0},
        {"xor.b64", UINT64_MAX, 0},
        {"add.noftz.f16", 0x83c083c083c083c0, 0x4c004c004c004c00},
        {"add.noftz.bf16", 0x8078807880788078, 0x4180418041804180},
        {"min.f16", 0x83c083c083c083c0, 0x4c004c004c004c00},
        {"max.bf16", 0x8078807880788078, 0x4180418041804180},
        {"add.f32", 0x807fffff807fffff, 0x4180000041800000},
        {"add.f64", 0x800fffffffffffff, 0x4030000000000000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ptx_add_case(
            "lll", reduce, 0, ptx_print("cp.reduce.async.bulk.%s", rows[i].operation),
            ptx_print(
                ".shared .align 128 .b8 s[2048];\n.reg .b64 %%y<6>;\n"
                "and.b64 %%y1, %%a, 0x%llx;\nor.b64 %%y1, %%y1, 0x%llx;\n"
                "and.b64 %%y2, %%b, 0x%llx;\nor.b64 %%y2, %%y2, 0x%llx;\n"
                "mov.u32 %%t1, s;\nshl.b32 %%t2, %%i3, 3;\nadd.u32 %%t2, %%t2, %%t1;\n"
                "st.shared.b64 [%%t2], %%y1;\nld.param.u64 %%y3, [pd];\n"
                "cvta.to.global.u64 %%y3, %%y3;\nadd.u64 %%y3, %%y3, %%at0;\n"
                "st.global.b64 [%%y3], %%y2;\nfence.proxy.async;\nbar.sync 0;\n"
                "setp.eq.u32 %%p1, %%i3, 0;\n@!%%p1 bra DONE;\n"
                "cp.reduce.async.bulk.global.shared::cta.bulk_group.%s [%%y3], [%%t1], 2048;\n"
                "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n"
                "fence.proxy.async;\nDONE:\nbar.sync 0;\nld.global.b64 %%d, [%%y3];\n",
                (unsigned long long)rows[i].kept, (unsigned long long)rows[i].set,
                (unsigned long long)rows[i].kept, (unsigned long long)rows[i].set,
                rows[i].operation));
}

void ptx_add_cluster_cases(void)
{
    const size_t first = ptx_case_count();
    add_copies();
    add_stores();
    ptx_set_cluster(first, 2);
    add_reductions();
}
