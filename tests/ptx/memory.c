/* Cases of memory: atomics on words of one's own and on words that many threads change, vectors,
   widths below a register's, asynchronous copies. */
#include <string.h>

#include "block_cases.h"

/* 16 bytes of shared memory for each thread, at %t2. */
#define OWN_PLACE                                                                                  \
    ".shared .align 16 .b8 s[4096];\nmov.u32 %%t1, s;\nshl.b32 %%t2, %%i3, 4;\n"                   \
    "add.u32 %%t2, %%t2, %%t1;\n"
/* 8 bytes of global memory for each thread, at %at4: where the result goes later. */
#define OWN_GLOBAL                                                                                 \
    "ld.param.u64 %%at4, [pd];\ncvta.to.global.u64 %%at4, %%at4;\nadd.u64 %%at4, %%at4, %%at0;\n"

/* --- Atomics ---------------------------------------------------------------------------------- */

static const char *const atomics[] = {
    "add.u32", "add.s32", "add.u64", "min.u32",  "min.s32",  "min.u64", "min.s64", "max.u32",
    "max.s32", "max.u64", "max.s64", "and.b32",  "and.b64",  "or.b32",  "or.b64",  "xor.b32",
    "xor.b64", "inc.u32", "dec.u32", "exch.b32", "exch.b64", "cas.b32", "cas.b64",
};
enum { ATOMICS = sizeof atomics / sizeof *atomics, ONLY_ATOM = 4 };

static uint64_t extended(const struct ptx_case *test, uint64_t value)
{
    return test->to.bits == 64     ? value
           : test->to.class == 's' ? (uint64_t)(int32_t)value
                                   : (uint32_t)value;
}

/* What the operation leaves in a word with `old`. */
static uint64_t updated(const struct ptx_case *test, uint64_t old, uint64_t b, uint64_t c)
{
    uint64_t x = extended(test, old), y = extended(test, b);
    bool less = test->to.class == 's' ? (int64_t)x < (int64_t)y : x < y;
    uint64_t result = ptx_has(test, "add")    ? x + y
                      : ptx_has(test, "min")  ? less ? x : y
                      : ptx_has(test, "max")  ? less ? y : x
                      : ptx_has(test, "and")  ? x & y
                      : ptx_has(test, "or")   ? x | y
                      : ptx_has(test, "xor")  ? x ^ y
                      : ptx_has(test, "inc")  ? x >= y ? 0 : x + 1
                      : ptx_has(test, "dec")  ? x == 0 || x > y ? y : x - 1
                      : ptx_has(test, "exch") ? y
                      : x == y                ? extended(test, c)
                                              : x;
    return test->to.bits == 64 ? result : (uint32_t)result;
}

/* The word had a; both what was returned and what is there now count. */
static void update_own(const struct ptx_case *test, const uint64_t *a, const uint64_t *b,
                       const uint64_t *c, uint64_t *d)
{
    uint64_t mask = test->to.bits == 64 ? UINT64_MAX : UINT32_MAX;
    for (int i = 0; i < PTX_THREADS; i++) {
        uint64_t now = updated(test, a[i] & mask, b[i] & mask, c[i] & mask);
        d[i] = ptx_is(test, "red") ? now : now * 3 + (a[i] & mask);
    }
}

static void add_own(const char *name, bool returns, bool global)
{
    bool wide = strstr(name, "64"), two = strstr(name, "cas");
    const char *space = global ? "global" : "shared", *at = global ? "%at4" : "%t2";
    const char *b = wide ? "%b" : "%t3", *old = wide ? "%x1" : "%t0", *bits = wide ? "64" : "32";
    const char *c = !two ? "" : wide ? ", %c" : ", %t1";
    const char *fetch_old = wide ? "" : "cvt.u64.u32 %x1, %t0;\n";
    const char *narrow = wide ? "" : "cvt.u32.u64 %t3, %b;\ncvt.u32.u64 %t1, %c;\n";
    const char *widen = wide ? "" : "and.b64 %d, %d, 0xffffffff;\n";
    const char *place = global ? ptx_print(OWN_GLOBAL) : ptx_print(OWN_PLACE);
    const char *call =
        returns ? ptx_print("atom.%s.%s %s, [%s], %s%s;\n%s", space, name, old, at, b, c, fetch_old)
                : ptx_print("red.%s.%s [%s], %s;\n", space, name, at, b);
    ptx_add_case("llll", update_own, 0,
                 ptx_print("%s.%s.%s", returns ? "atom" : "red", space, name),
                 ptx_print("%sst.%s.b64 [%s], %%a;\n%s%sld.%s.b%s %s, [%s];\n%s%s%s", place, space,
                           at, narrow, call, space, bits, wide ? "%d" : "%t0", at,
                           wide ? "" : "cvt.u64.u32 %d, %t0;\n", widen,
                           returns ? "mad.lo.u64 %d, %d, 3, %x1;" : ""));
}

/* All threads of a block change eight words, which begin as 0 (or all bits, for and and min). */
static void update_shared(const struct ptx_case *test, const uint64_t *a, const uint64_t *b,
                          const uint64_t *c, uint64_t *d)
{
    (void)b, (void)c;
    uint64_t word[8];
    for (int i = 0; i < 8; i++)
        word[i] = ptx_has(test, "and") ? UINT32_MAX : 0;
    for (int i = 0; i < PTX_THREADS; i++)
        word[a[i] & 7] = updated(test, word[a[i] & 7], ptx_has(test, "inc") ? 20 : b[i], 0);
    for (int i = 0; i < PTX_THREADS; i++)
        d[i] = (uint32_t)word[i & 7];
}

static void add_contended(const char *name)
{
    bool is_inc = strstr(name, "inc");
    ptx_add_case(
        "www", update_shared, 0, ptx_print("red.contended.%s", name),
        ptx_print(".shared .align 4 .b32 s[8];\nmov.u32 %%t1, s;\nand.b32 %%t2, %%i3, 7;\n"
                  "shl.b32 %%t2, %%t2, 2;\nadd.u32 %%t2, %%t2, %%t1;\n"
                  "setp.lt.u32 %%p1, %%i3, 8;\n@%%p1 st.shared.u32 [%%t2], %d;\nbar.sync 0;\n"
                  "and.b32 %%t3, %%a, 7;\nshl.b32 %%t3, %%t3, 2;\nadd.u32 %%t3, %%t3, %%t1;\n"
                  "red.shared.%s [%%t3], %s;\nbar.sync 0;\nld.shared.u32 %%d, [%%t2];",
                  strstr(name, "and") ? -1 : 0, name, is_inc ? "20" : "%b"));
}

/* Compare-and-swap of 16 bits: the word had a's low half. What is returned and what is there then
   both count; the other half of the word stays. */
static void swap_short(const struct ptx_case *test, const uint64_t *a, const uint64_t *b,
                       const uint64_t *c, uint64_t *d)
{
    (void)test;
    for (int i = 0; i < PTX_THREADS; i++) {
        uint64_t old = a[i] & 0xffff, wanted = b[i] & 1 ? b[i] & 0xffff : old;
        uint64_t now = old == wanted ? c[i] & 0xffff : old;
        d[i] = (a[i] & 0xffff0000u) | now;
        d[i] = (uint32_t)(d[i] * 3 + old);
    }
}

static void add_short_swap(void)
{
    ptx_add_case(
        "wwww", swap_short, 0, "atom.shared.cas.b16",
        ptx_print(OWN_PLACE
                  ".reg .b16 %%v<4>;\nst.shared.b32 [%%t2], %%a;\nand.b32 %%t3, %%b, 1;\n"
                  "setp.ne.u32 %%p1, %%t3, 0;\nselp.b32 %%t3, %%b, %%a, %%p1;\n"
                  "cvt.u16.u32 %%v0, %%t3;\ncvt.u16.u32 %%v1, %%c;\n"
                  "atom.shared.cas.b16 %%v2, [%%t2], %%v0, %%v1;\ncvt.u32.u16 %%t0, %%v2;\n"
                  "ld.shared.u32 %%d, [%%t2];\nmad.lo.u32 %%d, %%d, 3, %%t0;"));
}

/* A word with a, to which b is added, once as one half and once as two. Whole numbers from -8 to 7,
   of which every sum is exact; their bits are from a table. */
static uint64_t half_of(bool is_bfloat, int value)
{
    float wide = (float)value;
    uint32_t bits;
    memcpy(&bits, &wide, sizeof bits);
    if (is_bfloat || value == 0)
        return bits >> 16;
    return (bits >> 16 & 0x8000) | ((bits >> 13 & 0x3ffff) - (112u << 10));
}

static int small_of(uint64_t bits)
{
    return (int)(bits & 15) - 8;
}

/* What is returned counts three times what is there then. */
static void add_halves(const struct ptx_case *test, const uint64_t *a, const uint64_t *b,
                       const uint64_t *c, uint64_t *d)
{
    (void)c;
    for (int i = 0; i < PTX_THREADS; i++) {
        uint64_t old = 0, now = 0;
        for (unsigned n = 0; n < test->number; n++) {
            int x = small_of(a[i] >> 4 * n), y = small_of(b[i] >> 4 * n);
            old |= half_of(ptx_has(test, "bfloat"), x) << 16 * n;
            now |= half_of(ptx_has(test, "bfloat"), x + y) << 16 * n;
        }
        d[i] = ptx_is(test, "red") ? now : (uint32_t)(now * 3 + old);
    }
}

/* Converts the n-th four bits of `from`, and leaves them in the 16-bit register. */
static const char *small_half(const char *type, const char *from, unsigned n, const char *to)
{
    return ptx_print("shr.u32 %%t3, %s, %u;\nand.b32 %%t3, %%t3, 15;\nsub.s32 %%t3, %%t3, 8;\n"
                     "cvt.rn.f32.s32 %%f, %%t3;\ncvt.rn.%s.f32 %s, %%f;\n",
                     from, 4 * n, type, to);
}

static void add_half_sum(bool is_bfloat, bool is_pair, bool returns, bool global)
{
    const char *type = is_bfloat ? "bf16" : "f16", *suffix = is_pair ? "x2" : "";
    const char *space = global ? "global" : "shared", *at = global ? "%at4" : "%t2";
    const char *operand = is_pair ? "%t1" : "%v2", *old = is_pair ? "%t0" : "%v3";
    char text[2048] = ".reg .b16 %v<4>;\n.reg .f32 %f;\n";
    strcat(text, global ? ptx_print(OWN_GLOBAL) : ptx_print(OWN_PLACE));
    strcat(text, small_half(type, "%a", 0, "%v0"));
    strcat(text, is_pair ? small_half(type, "%a", 1, "%v1") : "mov.u16 %v1, 0;\n");
    strcat(text, ptx_print("mov.b32 %%t0, {%%v0, %%v1};\nst.%s.b32 [%s], %%t0;\n", space, at));
    strcat(text, small_half(type, "%b", 0, "%v2"));
    strcat(text, is_pair ? small_half(type, "%b", 1, "%v1") : "mov.u16 %v1, 0;\n");
    strcat(text, "mov.b32 %t1, {%v2, %v1};\n");
    strcat(text, returns ? ptx_print("atom.%s.add.noftz.%s%s %s, [%s], %s;\n", space, type, suffix,
                                     old, at, operand)
                         : ptx_print("red.%s.add.noftz.%s%s [%s], %s;\n", space, type, suffix, at,
                                     operand));
    if (returns && !is_pair)
        strcat(text, "cvt.u32.u16 %t0, %v3;\n");
    strcat(text, ptx_print("ld.%s.u32 %%d, [%s];\n%s", space, at,
                           returns ? "mad.lo.u32 %d, %d, 3, %t0;" : ""));
    ptx_add_case("www", add_halves, is_pair ? 2 : 1,
                 ptx_print("%s.%s.add.noftz%s%s", returns ? "atom" : "red", space,
                           is_bfloat ? ".bfloat" : "", is_pair ? ".pair" : ""),
                 ptx_print("%s", text));
}

static void add_half_sums(void)
{
    for (unsigned i = 0; i < 16; i++)
        add_half_sum(i & 1, i & 2, i & 4, i & 8);
}

/* Whole numbers, so that every order of additions gives the same. */
static void add_up(const struct ptx_case *test, const uint64_t *a, const uint64_t *b,
                   const uint64_t *c, uint64_t *d)
{
    (void)b, (void)c;
    double sum = 0;
    for (int i = 0; i < PTX_THREADS; i++)
        sum += (double)(a[i] & 0xfff) - 2048;
    float single = (float)sum;
    uint64_t bits = 0;
    if (test->to.bits == 32)
        memcpy(&bits, &single, sizeof single);
    else
        memcpy(&bits, &sum, sizeof sum);
    for (int i = 0; i < PTX_THREADS; i++)
        d[i] = bits;
}

static void add_float_sums(void)
{
    for (unsigned bits = 32; bits <= 64; bits *= 2) {
        const char *value = bits == 32 ? "%t3" : "%x1";
        ptx_add_case(
            bits == 32 ? "ww" : "lw", add_up, 0, ptx_print("red.shared.add.f%u", bits),
            ptx_print(".shared .align 8 .b64 s;\nmov.u32 %%t1, s;\nsetp.eq.u32 %%p1, %%i3, 0;\n"
                      "@%%p1 st.shared.b64 [%%t1], 0;\nbar.sync 0;\nand.b32 %%t2, %%a, 0xfff;\n"
                      "sub.s32 %%t2, %%t2, 2048;\ncvt.rn.f%u.s32 %s, %%t2;\n"
                      "red.shared.add.f%u [%%t1], %s;\nbar.sync 0;\nld.shared.b%u %%d, [%%t1];",
                      bits, value, bits, value, bits));
    }
}

static void add_atomics(void)
{
    for (size_t i = 0; i < ATOMICS; i++)
        for (int global = 0; global < 2; global++) {
            add_own(atomics[i], true, global);
            if (i + ONLY_ATOM < ATOMICS)
                add_own(atomics[i], false, global);
        }
    for (size_t i = 0; i < ATOMICS; i++)
        if (strstr(atomics[i], "32") && !strstr(atomics[i], "dec") && i + ONLY_ATOM < ATOMICS)
            add_contended(atomics[i]);
    add_float_sums();
    add_half_sums();
    add_short_swap();
}

/* --- Vectors and narrow words ----------------------------------------------------------------- */

/* The elements of `bits` in a and b, sign-extended where the type says so, as one number. */
static void load_elements(const struct ptx_case *test, const uint64_t *a, const uint64_t *b,
                          const uint64_t *c, uint64_t *d)
{
    (void)c;
    unsigned bits = test->to.bits;
    for (int i = 0; i < PTX_THREADS; i++) {
        const uint64_t bytes[] = {a[i], b[i]};
        d[i] = 0;
        for (unsigned n = 0; n < test->number; n++) {
            uint64_t value = bytes[n * bits / 64] >> n * bits % 64;
            value = bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;
            if (test->to.class == 's' && bits < 64 && value >> (bits - 1))
                value |= UINT64_MAX << bits;
            d[i] = d[i] * 5 + value;
        }
    }
}

/* The first bytes of the place become a's elements; the rest stays b. */
static void store_elements(const struct ptx_case *test, const uint64_t *a, const uint64_t *b,
                           const uint64_t *c, uint64_t *d)
{
    (void)c;
    unsigned bits = test->to.bits, bytes = bits / 8;
    for (int i = 0; i < PTX_THREADS; i++) {
        uint64_t place[2] = {b[i], b[i]};
        for (unsigned n = 0; n < test->number; n++) {
            uint64_t value = a[i] + n; /* the low bytes come first */
            memcpy((char *)place + (size_t)n * bytes, &value, bytes);
        }
        d[i] = place[0] * 3 + place[1];
    }
}

static const char *list(unsigned count)
{
    return count == 1 ? "%v0" : count == 2 ? "{%v0, %v1}" : "{%v0, %v1, %v2, %v3}";
}

static void add_vector(const char *type, unsigned count, bool local)
{
    const char *space = local ? "local" : "shared", *at = local ? "m" : "%t2";
    const char *place = local ? ".local .align 16 .b8 m[16];\n" : ptx_print(OWN_PLACE);
    const char *vector = count == 1 ? "" : ptx_print(".v%u", count);
    const char *declare = ptx_print(".reg .b64 %%v<4>;\n");
    char sum[256] = "mov.u64 %d, 0;\n", values[256] = "";
    for (unsigned n = 0; n < count; n++) {
        strcat(sum, ptx_print("mad.lo.u64 %%d, %%d, 5, %%v%u;\n", n));
        strcat(values, ptx_print("add.u64 %%v%u, %%a, %u;\n", n, n));
    }
    ptx_add_case(
        "lll", load_elements, count, ptx_print("ld.%s.%s.v%u", space, type, count),
        ptx_print("%s%sst.%s.b64 [%s], %%a;\nst.%s.b64 [%s+8], %%b;\nld.%s%s.%s %s, [%s];\n%s",
                  place, declare, space, at, space, at, space, vector, type, list(count), at,
                  ptx_print("%s", sum)));
    ptx_add_case(
        "lll", store_elements, count, ptx_print("st.%s.%s.v%u", space, type, count),
        ptx_print("%s%s%sst.%s.b64 [%s], %%b;\nst.%s.b64 [%s+8], %%b;\nst.%s%s.%s [%s], %s;\n"
                  "ld.%s.b64 %%x1, [%s];\nld.%s.b64 %%x2, [%s+8];\n"
                  "mad.lo.u64 %%d, %%x1, 3, %%x2;",
                  place, declare, ptx_print("%s", values), space, at, space, at, space, vector,
                  type, at, list(count), space, at, space, at));
}

static void add_vectors(void)
{
    static const char classes[] = "bus";
    for (size_t class = 0; class < 3; class ++)
        for (unsigned bits = 8; bits <= 64; bits *= 2)
            for (unsigned count = 1; count <= 4 && count * bits <= 128; count *= 2)
                for (int local = 0; local < 2; local++)
                    add_vector(ptx_print("%c%u", classes[class], bits), count, local);
}

/* --- Asynchronous copies ---------------------------------------------------------------------- */

/* `number` bytes, of which only the first few are read where b says so; the rest is 0. */
static void copy(const struct ptx_case *test, const uint64_t *a, const uint64_t *b,
                 const uint64_t *c, uint64_t *d)
{
    (void)c;
    for (int i = 0; i < PTX_THREADS; i++) {
        unsigned bytes = test->number;
        uint64_t place[2] = {~UINT64_C(0), ~UINT64_C(0)};
        const uint64_t *from = bytes == 16 ? a + (i & ~1) : a + i;
        unsigned read = ptx_has(test, "part") ? (unsigned)(b[i] % (bytes + 1)) : bytes;
        memset(place, 0, bytes);
        memcpy(place, from, read);
        d[i] = place[0] * 3 + place[1];
    }
}

static void add_copy(const char *cache, unsigned bytes, bool part, const char *wait)
{
    ptx_add_case("lll", copy, bytes,
                 ptx_print("cp.async.%s.b64.of%u.%s", cache, bytes, part ? "part" : wait),
                 ptx_print(OWN_PLACE "st.shared.b64 [%%t2], -1;\nst.shared.b64 [%%t2+8], -1;\n"
                                     "ld.param.u64 %%at4, [pa];\ncvta.to.global.u64 %%at4, %%at4;\n"
                                     "and.b64 %%at5, %%at0, %d;\nadd.u64 %%at4, %%at4, %%at5;\n"
                                     "rem.u64 %%x1, %%b, %u;\ncvt.u32.u64 %%t3, %%x1;\n"
                                     "cp.async.%s.shared.global [%%t2], [%%at4], %u%s;\n%s\n"
                                     "ld.shared.b64 %%x1, [%%t2];\nld.shared.b64 %%x2, [%%t2+8];\n"
                                     "mad.lo.u64 %%d, %%x1, 3, %%x2;",
                           bytes == 16 ? -16 : -8, bytes + 1, cache, bytes, part ? ", %t3" : "",
                           strcmp(wait, "all") == 0
                               ? "cp.async.wait_all;"
                               : "cp.async.commit_group;\ncp.async.wait_group 0;"));
}

/* Two groups: the older one has arrived when one may be on its way. */
static void copy_groups(const struct ptx_case *test, const uint64_t *a, const uint64_t *b,
                        const uint64_t *c, uint64_t *d)
{
    (void)test, (void)c;
    for (int i = 0; i < PTX_THREADS; i++)
        d[i] = a[i] * 3 + b[i];
}

static void add_groups(void)
{
    ptx_add_case(
        "lll", copy_groups, 0, "cp.async.b64.groups",
        ptx_print(OWN_PLACE
                  "ld.param.u64 %%at4, [pa];\ncvta.to.global.u64 %%at4, %%at4;\n"
                  "add.u64 %%at4, %%at4, %%at0;\nld.param.u64 %%at5, [pb];\n"
                  "cvta.to.global.u64 %%at5, %%at5;\nadd.u64 %%at5, %%at5, %%at0;\n"
                  "cp.async.ca.shared.global [%%t2], [%%at4], 8;\ncp.async.commit_group;\n"
                  "cp.async.ca.shared.global [%%t2+8], [%%at5], 8;\ncp.async.commit_group;\n"
                  "cp.async.wait_group 1;\nld.shared.b64 %%x1, [%%t2];\n"
                  "cp.async.wait_group 0;\nld.shared.b64 %%x2, [%%t2+8];\n"
                  "mad.lo.u64 %%d, %%x1, 3, %%x2;"));
}

void ptx_add_memory_cases(void)
{
    add_atomics();
    add_vectors();
    for (unsigned bytes = 4; bytes <= 16; bytes *= 2) {
        add_copy("ca", bytes, false, "group");
        add_copy("ca", bytes, false, "all");
        add_copy("ca", bytes, true, "group");
    }
    add_copy("cg", 16, false, "group");
    add_copy("cg", 16, true, "group");
    add_groups();
}
