/* Cases in which threads exchange values: shuffles, votes, matches, reductions, barriers. What each
   thread must get is computed from all threads' operands, by the PTX ISA's definitions. */
#include <stdio.h>
#include <string.h>

#include "block_cases.h"

enum { LANES = 32 };

/* --- shfl ------------------------------------------------------------------------------------- */

/* The lane that a shuffle reads; *in_range is its predicate. */
static int source_lane(const struct ptx_case *test, int lane, unsigned b, unsigned c,
                       bool *in_range)
{
    int clamp = (int)(c & 31), segment = (int)(c >> 8 & 31), offset = (int)(b & 31);
    int last = (lane & segment) | (clamp & ~segment), first = lane & segment, from;
    if (ptx_has(test, "up")) {
        from = lane - offset;
        *in_range = from >= last;
    } else {
        from = ptx_has(test, "down")   ? lane + offset
               : ptx_has(test, "bfly") ? lane ^ offset
                                       : first | (offset & ~segment);
        *in_range = from <= last;
    }
    return *in_range ? from : lane;
}

static void shuffle(const struct ptx_case *test, const uint64_t *a, const uint64_t *b,
                    const uint64_t *c, uint64_t *d)
{
    for (int i = 0; i < PTX_THREADS; i++) {
        bool in_range;
        unsigned control = test->number == PTX_OWN_OPERAND ? (unsigned)c[i] : test->number;
        int from = source_lane(test, i % LANES, (unsigned)b[i], control, &in_range);
        uint64_t value = a[i / LANES * LANES + from];
        d[i] = ptx_has(test, "pred") ? in_range : value;
    }
}

static void add_shuffles(void)
{
    static const char *const modes[] = {"up", "down", "bfly", "idx"};
    for (size_t mode = 0; mode < 4; mode++)
        for (unsigned width = 1; width <= LANES; width *= 2) {
            unsigned control = (LANES - width) << 8 | (mode ? 31 : 0);
            ptx_add_case(
                "wwww", shuffle, control, ptx_print("shfl.%s.b32.width%u", modes[mode], width),
                ptx_print("shfl.sync.%s.b32 %%d, %%a, %%b, %u, -1;", modes[mode], control));
        }
    for (size_t mode = 0; mode < 4; mode++) {
        ptx_add_case("wwww", shuffle, PTX_OWN_OPERAND, ptx_print("shfl.%s.b32", modes[mode]),
                     ptx_print("shfl.sync.%s.b32 %%d, %%a, %%b, %%c, -1;", modes[mode]));
        ptx_add_case("pwww", shuffle, PTX_OWN_OPERAND, ptx_print("shfl.%s.b32.pred", modes[mode]),
                     ptx_print("shfl.sync.%s.b32 %%t1|%%d, %%a, %%b, %%c, -1;", modes[mode]));
    }
}

/* Pairs of neighbours, of which only some are there: the others keep their own value. */
static void shuffle_some(const struct ptx_case *test, const uint64_t *a, const uint64_t *b,
                         const uint64_t *c, uint64_t *d)
{
    (void)b, (void)c;
    for (int i = 0; i < PTX_THREADS; i++)
        d[i] = test->number >> i % LANES & 1 ? a[i ^ 1] : a[i];
}

static void add_masked_shuffles(void)
{
    static const unsigned masks[] = {0xffffffff, 0x0000ffff, 0xc0000003, 0x00ffff0c, 0x00000030};
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++)
        ptx_add_case(
            "ww", shuffle_some, masks[i], ptx_print("shfl.sync.b32.%08x", masks[i]),
            ptx_print("mov.u32 %%d, %%a;\nmov.u32 %%t1, %%laneid;\nshr.u32 %%t2, 0x%x, %%t1;\n"
                      "and.b32 %%t2, %%t2, 1;\nsetp.ne.u32 %%p1, %%t2, 0;\n"
                      "@%%p1 shfl.sync.bfly.b32 %%d, %%a, 1, 0x1f, 0x%x;",
                      masks[i], masks[i]));
}

/* --- Votes ------------------------------------------------------------------------------------ */

/* %p1: true in the first warp of four, false in the second, any in the others. */
static const char choose[] =
    "shr.u32 %t1, %i3, 5;\nand.b32 %t1, %t1, 3;\nand.b32 %t2, %a, 1;\n"
    "setp.eq.u32 %p2, %t1, 0;\nselp.b32 %t2, 1, %t2, %p2;\n"
    "setp.eq.u32 %p2, %t1, 1;\nselp.b32 %t2, 0, %t2, %p2;\nsetp.ne.u32 %p1, %t2, 0;\n";

static bool chosen(const uint64_t *a, int thread)
{
    int warp = thread / LANES % 4;
    return warp == 0 || (warp != 1 && (a[thread] & 1));
}

/* The lanes of a thread's warp whose choice is true. */
static uint32_t ballot_of(const uint64_t *a, int thread)
{
    uint32_t ballot = 0;
    for (int lane = 0; lane < LANES; lane++)
        ballot |= (uint32_t)chosen(a, thread / LANES * LANES + lane) << lane;
    return ballot;
}

static void vote(const struct ptx_case *test, const uint64_t *a, const uint64_t *b,
                 const uint64_t *c, uint64_t *d)
{
    (void)b, (void)c;
    for (int i = 0; i < PTX_THREADS; i++) {
        uint32_t mask = test->number, ballot = ballot_of(a, i);
        ballot = (ptx_has(test, "not") ? ~ballot : ballot) & mask;
        bool there = mask >> i % LANES & 1;
        bool holds = ptx_has(test, "all")   ? ballot == mask
                     : ptx_has(test, "any") ? ballot != 0
                                            : ballot == 0 || ballot == mask;
        d[i] = !there ? 0 : ptx_has(test, "ballot") ? ballot : holds;
    }
}

static void whole_warp(const struct ptx_case *test, const uint64_t *a, const uint64_t *b,
                       const uint64_t *c, uint64_t *d)
{
    (void)test, (void)a, (void)b, (void)c;
    for (int i = 0; i < PTX_THREADS; i++)
        d[i] = 0xffffffff;
}

static void add_votes(void)
{
    static const unsigned masks[] = {0xffffffff, 0x0000ff00, 0x80000001};
    static const char *const modes[] = {"all", "any", "uni", "ballot"};
    for (size_t i = 0; i < 4 * 3 * 2; i++) {
        const char *mode = modes[i % 4], *negated = i / 12 ? "!" : "";
        unsigned mask = masks[i / 4 % 3];
        bool ballot = i % 4 == 3;
        ptx_add_case(
            ballot ? "ww" : "pw", vote, mask,
            ptx_print("vote.%s.%s.%s.%08x", mode, ballot ? "b32" : "pred", i / 12 ? "not" : "",
                      mask),
            ptx_print("%ssetp.ne.u32 %%p3, 0, 0;\nmov.u32 %%t0, 0;\nmov.u32 %%t1, %%laneid;\n"
                      "shr.u32 %%t2, 0x%x, %%t1;\nand.b32 %%t2, %%t2, 1;\n"
                      "setp.ne.u32 %%p2, %%t2, 0;\n"
                      "@%%p2 vote.%s%s%s.%s %s, %s%%p1, 0x%x;\n%s",
                      choose, mask, i % 2 ? "" : "sync.", mode, i % 2 ? ".sync" : "",
                      ballot ? "b32" : "pred", ballot ? "%t0" : "%p3", negated, mask,
                      ballot ? "mov.u32 %d, %t0;" : "mov.pred %d, %p3;"));
    }
    ptx_add_case("ww", whole_warp, 0, "activemask.b32", "activemask.b32 %d;");
}

/* --- match, redux ----------------------------------------------------------------------------- */

/* Operands of few values; equal in the first warp of four. */
static const char few[] = "shr.u32 %t1, %i3, 5;\nand.b32 %t1, %t1, 3;\nsetp.eq.u32 %p2, %t1, 0;\n"
                          "and.b32 %t2, %a, 3;\nselp.b32 %t2, 7, %t2, %p2;\n";

static uint64_t few_of(const uint64_t *a, int thread)
{
    return thread / LANES % 4 == 0 ? 7 : a[thread] & 3;
}

static void match(const struct ptx_case *test, const uint64_t *a, const uint64_t *b,
                  const uint64_t *c, uint64_t *d)
{
    (void)b, (void)c;
    for (int i = 0; i < PTX_THREADS; i++) {
        uint32_t equal = 0;
        for (int lane = 0; lane < LANES; lane++)
            equal |= (uint32_t)(few_of(a, i / LANES * LANES + lane) == few_of(a, i)) << lane;
        bool all = equal == 0xffffffff;
        d[i] = ptx_has(test, "pred") ? all : ptx_has(test, "all") && !all ? 0 : equal;
    }
}

static void add_matches(void)
{
    static const char *const wide[] = {"", "cvt.u64.u32 %x1, %t2;\nshl.b64 %x1, %x1, 40;\n"};
    for (size_t i = 0; i < 2; i++) {
        const char *type = i ? "b64" : "b32", *value = i ? "%x1" : "%t2";
        ptx_add_case("ww", match, 0, ptx_print("match.any.%s", type),
                     ptx_print("%s%smatch.any.sync.%s %%d, %s, -1;", few, wide[i], type, value));
        ptx_add_case(
            "ww", match, 0, ptx_print("match.all.%s", type),
            ptx_print("%s%smatch.all.sync.%s %%d|%%p1, %s, -1;", few, wide[i], type, value));
        ptx_add_case(
            "pw", match, 0, ptx_print("match.all.pred.%s", type),
            ptx_print("%s%smatch.all.sync.%s %%t3|%%d, %s, -1;", few, wide[i], type, value));
    }
}

static void reduce(const struct ptx_case *test, const uint64_t *a, const uint64_t *b,
                   const uint64_t *c, uint64_t *d)
{
    (void)b, (void)c;
    bool is_signed = ptx_has(test, "s32");
    for (int i = 0; i < PTX_THREADS; i++) {
        const uint64_t *warp = a + i / LANES * LANES;
        uint32_t sum = (uint32_t)warp[0];
        for (int lane = 1; lane < LANES; lane++) {
            uint32_t x = (uint32_t)warp[lane];
            bool less = is_signed ? (int32_t)x < (int32_t)sum : x < sum;
            sum = ptx_has(test, "add")   ? sum + x
                  : ptx_has(test, "min") ? less ? x : sum
                  : ptx_has(test, "max") ? less ? sum : x
                  : ptx_has(test, "and") ? sum & x
                  : ptx_has(test, "or")  ? sum | x
                                         : sum ^ x;
        }
        d[i] = sum;
    }
}

/* min and max of floats: in order of their bits, NaN only where all are or .NaN asks. */
static void reduce_floats(const struct ptx_case *test, const uint64_t *a, const uint64_t *b,
                          const uint64_t *c, uint64_t *d)
{
    (void)b, (void)c;
    struct ptx_type single = {'f', 32};
    for (int i = 0; i < PTX_THREADS; i++) {
        int64_t best = 0, nans = 0;
        for (int lane = 0; lane < LANES; lane++) {
            int64_t x = (int64_t)a[i / LANES * LANES + lane];
            if (ptx_is_nan(single, (uint64_t)x)) {
                nans++;
                continue;
            }
            x = ptx_has(test, "abs") ? x & 0x7fffffff : x;
            x = x & 0x80000000 ? 0x7fffffff - x : x + 1; /* -0 at 0 - 1 + ..., +0 above it */
            bool first = lane == nans;
            best = first || (x < best) == ptx_has(test, "min") ? x : best;
        }
        uint64_t bits = (uint64_t)(best > 0 ? best - 1 : 0x7fffffff - best);
        d[i] = nans == LANES || (nans && ptx_has(test, "NaN")) ? 0x7fffffff : bits & UINT32_MAX;
    }
}

static void elect(const struct ptx_case *test, const uint64_t *a, const uint64_t *b,
                  const uint64_t *c, uint64_t *d)
{
    (void)a, (void)b, (void)c;
    for (int i = 0; i < PTX_THREADS; i++)
        d[i] = ptx_has(test, "pred") ? i % LANES == 0 : 0;
}

static void add_reductions(void)
{
    static const char *const floats[] = {"min.f32", "max.f32", "min.abs.f32", "max.abs.NaN.f32"};
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
        ptx_add_case("ww", reduce_floats, 0, ptx_print("redux.%s", floats[i]),
                     ptx_print("redux.sync.%s %%d, %%a, -1;", floats[i]));
    ptx_add_case("ww", elect, 0, "elect.b32", "elect.sync %d|%p1, -1;");
    ptx_add_case("pw", elect, 0, "elect.pred", "elect.sync _|%d, -1;");

    static const char *const names[] = {"add.u32", "add.s32", "min.u32", "min.s32", "max.u32",
                                        "max.s32", "and.b32", "or.b32",  "xor.b32"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        ptx_add_case("ww", reduce, 0, ptx_print("redux.%s", names[i]),
                     ptx_print("redux.sync.%s %%d, %%a, -1;", names[i]));
}

/* --- Barriers --------------------------------------------------------------------------------- */

/* A neighbour's value by way of shared memory; `number` threads meet. */
static void exchange(const struct ptx_case *test, const uint64_t *a, const uint64_t *b,
                     const uint64_t *c, uint64_t *d)
{
    (void)b, (void)c;
    for (int i = 0; i < PTX_THREADS; i++)
        d[i] = a[i ^ (int)(test->number / 2)];
}

/* The second half of the block reads what the first half wrote; the first does not wait. */
static void pass_on(const struct ptx_case *test, const uint64_t *a, const uint64_t *b,
                    const uint64_t *c, uint64_t *d)
{
    (void)test, (void)b, (void)c;
    for (int i = 0; i < PTX_THREADS; i++)
        d[i] = a[i % (PTX_THREADS / 2)];
}

static void reduce_block(const struct ptx_case *test, const uint64_t *a, const uint64_t *b,
                         const uint64_t *c, uint64_t *d)
{
    (void)b, (void)c;
    uint64_t count = 0;
    for (int i = 0; i < PTX_THREADS; i++)
        count += a[i] >> test->number & 1;
    for (int i = 0; i < PTX_THREADS; i++)
        d[i] = ptx_has(test, "popc")  ? count
               : ptx_has(test, "and") ? count == PTX_THREADS
                                      : count > 0;
}

static void add_barriers(void)
{
    static const char write[] = ".shared .align 8 .b32 s[256];\nmov.u32 %t1, s;\n"
                                "shl.b32 %t2, %i3, 2;\nadd.u32 %t2, %t2, %t1;\n"
                                "st.shared.u32 [%t2], %a;\n";
    for (unsigned threads = 64; threads <= PTX_THREADS; threads *= 2)
        for (unsigned other = 0; other < 2; other++)
            ptx_add_case("ww", exchange, threads,
                         ptx_print("%s.sync.u32.of%u", other ? "barrier" : "bar", threads),
                         ptx_print("%sdiv.u32 %%t3, %%i3, %u;\nadd.u32 %%t3, %%t3, 1;\n"
                                   "%s %%t3, %u;\nxor.b32 %%t3, %%i3, %u;\nshl.b32 %%t3, %%t3, 2;\n"
                                   "add.u32 %%t3, %%t3, %%t1;\nld.shared.u32 %%d, [%%t3];",
                                   write, threads, other ? "barrier.sync" : "bar.sync", threads,
                                   threads / 2));
    ptx_add_case(
        "ww", pass_on, 0, "bar.arrive.u32",
        ptx_print("setp.ge.u32 %%p1, %%i3, 128;\n@%%p1 bra READ;\n%sbar.arrive 9, 256;\n"
                  "mov.u32 %%d, %%a;\nbra DONE;\nREAD:\nbar.sync 9, 256;\nmov.u32 %%t1, s;\n"
                  "sub.u32 %%t2, %%i3, 128;\nshl.b32 %%t2, %%t2, 2;\nadd.u32 %%t2, %%t2, %%t1;\n"
                  "ld.shared.u32 %%d, [%%t2];\nDONE:",
                  write));
    for (unsigned bit = 0; bit < 12; bit += 11) {
        const char *test = ptx_print("shr.u32 %%t1, %%a, %u;\nand.b32 %%t1, %%t1, 1;\n"
                                     "setp.ne.u32 %%p1, %%t1, 0;\n",
                                     bit);
        ptx_add_case("ww", reduce_block, bit, ptx_print("bar.red.popc.u32.bit%u", bit),
                     ptx_print("%sbar.red.popc.u32 %%d, 0, %%p1;", test));
        ptx_add_case("pw", reduce_block, bit, ptx_print("bar.red.and.pred.bit%u", bit),
                     ptx_print("%sbar.red.and.pred %%d, 3, %%p1;", test));
        ptx_add_case("pw", reduce_block, bit, ptx_print("bar.red.or.pred.bit%u", bit),
                     ptx_print("%sbarrier.red.or.pred %%d, 5, 256, %%p1;", test));
    }
}

void ptx_add_lane_cases(void)
{
    add_shuffles();
    add_masked_shuffles();
    add_votes();
    add_matches();
    add_reductions();
    add_barriers();
}
