/* Cases of matrices: mma with fragments made of each thread's operands, wmma, ldmatrix, stmatrix
   and movmatrix by way of shared memory. Expected results are computed from whole matrices, which
   are put together by the PTX ISA's tables of fragments. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "block_cases.h"
#include "exact.h"
#include "matrix.h"

enum { LANES = 32, MOST = 256 };

/* --- The types of elements -------------------------------------------------------------------- */

static const struct format formats[] = {
    {"f16", 16, {'f', 16}, 0x83c083c0, 0x4c004c00, 0x9fff9fff, 0},
    {"bf16", 16, {'x', 16}, 0x80788078, 0x41804180, 0x83ff83ff, 0x3c003c00},
    {"tf32", 32, {'f', 32}, 0x80780000, 0x41800000, 0x83ffe000, 0x3c000000},
    {"f32", 32, {'f', 32}, 0x80780000, 0x41800000, 0x83ffffff, 0x3c000000},
    {"f64",
     64,
     {'f', 64},
     0x801fffffffffffff,
     0x3fe0000000000000,
     0x801fffffffffffff,
     0x3fe0000000000000},
    {"s32", 32, {'s', 32}, UINT32_MAX, 0, 0, 0},
    {"s8", 8, {'s', 8}, UINT32_MAX, 0, 0, 0},
    {"u8", 8, {'u', 8}, UINT32_MAX, 0, 0, 0},
    {"s4", 4, {'s', 4}, UINT32_MAX, 0, 0, 0},
    {"u4", 4, {'u', 4}, UINT32_MAX, 0, 0, 0},
    {"b1", 1, {'u', 1}, UINT32_MAX, 0, 0, 0},
    {"e4m3", 8, {'e', 8}, 0x8e8e8e8e, 0x30303030, 0xbfbfbfbf, 0},
    {"e5m2", 8, {'m', 8}, 0x87878787, 0x38383838, 0xbfbfbfbf, 0},
};

const struct format *format_of(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    return NULL;
}

unsigned register_bits(const struct format *format)
{
    return format->bits == 64 ? 64 : 32;
}

double element_of(const struct format *format, uint64_t bits, unsigned place)
{
    uint64_t value = bits >> (place * format->bits);
    if (format->bits < 64)
        value &= (UINT64_C(1) << format->bits) - 1;
    if (format->type.class == 'u')
        return (double)value;
    if (format->type.class == 's') {
        uint64_t sign = UINT64_C(1) << (format->bits - 1);
        return value & sign ? (double)value - 2 * (double)sign : (double)value;
    }
    struct number x = number_of(format->type, value);
    double size = ldexp((double)x.significand, x.exponent);
    return x.negative ? -size : size;
}

/* --- mma -------------------------------------------------------------------------------------- */

static struct product products[64];
static unsigned product_count;

uint64_t register_of(const struct product *product, const struct format *format, uint64_t operand,
                     unsigned i)
{
    uint64_t mixed = register_bits(format) == 64 ? operand * (2 * i + 1)
                                                 : (operand << (7 * i % 32) >> 32) & UINT32_MAX;
    return product->any ? (mixed & format->any_kept) | format->any_set
                        : (mixed & format->kept) | format->set;
}

double number_in(const struct product *product, const struct format *format,
                 const uint64_t *operands, unsigned lane, unsigned element)
{
    unsigned width = register_bits(format) / format->bits;
    return element_of(format, register_of(product, format, operands[lane], element / width),
                      element % width);
}

double from_a(const struct product *product, const uint64_t *a, unsigned row, unsigned k)
{
    unsigned width = register_bits(product->a) / product->a->bits;
    unsigned lane = row % 8 * 4 + k / width % 4, pieces = product->m / 8;
    unsigned number = row / 8 + pieces * (k / (4 * width));
    return number_in(product, product->a, a, lane, number * width + k % width);
}

static double from_b(const struct product *product, const uint64_t *b, unsigned k, unsigned column)
{
    unsigned width = register_bits(product->b) / product->b->bits;
    return number_in(product, product->b, b, column * 4 + k / width % 4,
                     k / (4 * width) * width + k % width);
}

/* The exponent of the smallest normal number. */
static int least_exponent(struct ptx_type type)
{
    return type.class == 'e'                                             ? -6
           : type.class == 'm' || (type.class == 'f' && type.bits == 16) ? -14
                                                                         : -126;
}

/* What tensor cores do with floats: see the emulator's; here in integers of 128 bits. */
static double summed(const struct product *product, const double *x, const double *y, double c)
{
    int most = -1000, kept = product->a->bits == 8 ? 13 : 25, exponent, other;
    __int128 sum = 0;
    for (unsigned i = 0; i <= product->k; i++) {
        double left = i < product->k ? x[i] : c, right = i < product->k ? y[i] : 1;
        if (left == 0 || right == 0)
            continue;
        frexp(left, &exponent);
        frexp(right, &other);
        exponent--;
        other--;
        const struct format *of_left = i < product->k ? product->a : product->c;
        if (exponent < least_exponent(of_left->type))
            exponent = least_exponent(of_left->type);
        if (i < product->k && other < least_exponent(product->b->type))
            other = least_exponent(product->b->type);
        most = exponent + other > most ? exponent + other : most;
    }
    for (unsigned i = 0; i <= product->k; i++) {
        double term = i < product->k ? x[i] * y[i] : c;
        uint64_t bits;
        memcpy(&bits, &term, sizeof bits);
        int place = (int)(bits >> 52 & 0x7ff) - 1075 - (most - kept);
        uint64_t significand = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
        if (term == 0)
            continue;
        uint64_t aligned = place >= 0    ? significand << place
                           : place < -63 ? 0
                                         : significand >> -place;
        sum += bits >> 63 ? -(__int128)aligned : (__int128)aligned;
    }
    struct exact exact = exact_place(sum < 0, (uint128)(sum < 0 ? -sum : sum), most - kept);
    bool half = product->d->bits == 16;
    if (product->a->bits == 8 && !half) /* wgmma: 13 bits after the leading one */
        return element_of(product->d,
                          exact_round(&exact, product->d->type, ZERO) & ~UINT64_C(0x3ff), 0);
    return element_of(product->d, exact_round(&exact, product->d->type, half ? NEAREST : ZERO), 0);
}

uint64_t rounded_product(const struct ptx_case *test, const struct product *product,
                         const double *x, const double *y, double c)
{
    double sum = c;
    int64_t whole = product->d->type.class == 's' ? (int64_t)c : 0;
    const bool differ = ptx_has(test, "xor");
    for (unsigned k = 0; k < product->k; k++) {
        whole += product->a->bits == 1 ? differ ? x[k] != y[k] : x[k] * y[k] > 0
                                       : (int64_t)(x[k] * y[k]);
        sum = fma(x[k], y[k], sum);
    }
    if (product->d->type.class == 's' && ptx_has(test, "satfinite"))
        whole = whole > INT32_MAX ? INT32_MAX : whole < INT32_MIN ? INT32_MIN : whole;
    if (product->d->type.class == 's')
        return (uint64_t)whole & UINT32_MAX;
    uint64_t bits;
    if (product->d->bits == 64) {
        memcpy(&bits, &sum, sizeof bits);
        return bits;
    }
    double number = summed(product, x, y, c);
    float single = (float)number;
    uint32_t word;
    memcpy(&word, &single, sizeof word);
    struct ptx_case narrow = {.mnemonic = "cvt", .to = {'f', 16}, .from = {'f', 32}};
    return product->d->bits == 16 ? ptx_convert(&narrow, word, 0, 0) : word;
}

static uint64_t result_of(const struct ptx_case *test, const struct product *product,
                          const uint64_t *a, const uint64_t *b, double c, unsigned row,
                          unsigned column)
{
    double x[MOST], y[MOST];
    for (unsigned k = 0; k < product->k; k++) {
        x[k] = from_a(product, a, row, k);
        y[k] = from_b(product, b, k, column);
    }
    return rounded_product(test, product, x, y, c);
}

static void multiply(const struct ptx_case *test, const uint64_t *a, const uint64_t *b,
                     const uint64_t *c, uint64_t *d)
{
    const struct product *product = &products[test->number];
    unsigned width = register_bits(product->d) / product->d->bits;
    for (unsigned thread = 0; thread < PTX_THREADS; thread++) {
        unsigned first = thread / LANES * LANES, lane = thread % LANES;
        d[thread] = 0;
        for (unsigned i = 0; i < product->m / 4; i++) {
            unsigned row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
            double old = number_in(product, product->c, c + first, lane, i);
            uint64_t bits = result_of(test, product, a + first, b + first, old, row, column);
            uint64_t factor = 2 * (i / width) + 1;
            d[thread] += (bits << i % width * product->d->bits) * factor;
        }
    }
}

/* Text that makes the registers of one fragment. */
static const char *fragment(const struct product *product, const struct format *format, char name,
                            unsigned count)
{
    const char *text = "";
    uint64_t kept = product->any ? format->any_kept : format->kept;
    uint64_t set = product->any ? format->any_set : format->set;
    bool wide = register_bits(format) == 64;
    text =
        ptx_print(".reg .b%d %%m%c<8>;\nmov.b64 {%%t1, %%t2}, %%%c;\n", wide ? 64 : 32, name, name);
    for (unsigned i = 0; i < count; i++) {
        text = wide ? ptx_print("%smul.lo.u64 %%m%c%u, %%%c, %u;\n", text, name, i, name, 2 * i + 1)
                    : ptx_print("%sshf.l.wrap.b32 %%m%c%u, %%t1, %%t2, %u;\n", text, name, i,
                                7 * i % 32);
        text = ptx_print("%sand.b%d %%m%c%u, %%m%c%u, 0x%llx;\nor.b%d %%m%c%u, %%m%c%u, 0x%llx;\n",
                         text, wide ? 64 : 32, name, i, name, i, (unsigned long long)kept,
                         wide ? 64 : 32, name, i, name, i, (unsigned long long)set);
    }
    return text;
}

static const char *list_of(char name, unsigned count)
{
    const char *text = ptx_print("%%m%c0", name);
    for (unsigned i = 1; i < count; i++)
        text = ptx_print("%s, %%m%c%u", text, name, i);
    return ptx_print("{%s}", text);
}

static unsigned registers(unsigned rows, unsigned columns, const struct format *format)
{
    return rows * columns * format->bits / LANES / register_bits(format);
}

static void add_product(unsigned m, unsigned k, const char *d, const char *a, const char *b,
                        bool any, const char *more)
{
    struct product *product = &products[product_count];
    *product = (struct product){.m = m,
                                .n = 8,
                                .k = k,
                                .d = format_of(d),
                                .a = format_of(a),
                                .b = format_of(b),
                                .any = any};
    product->c = product->d;
    unsigned d_count = registers(m, 8, product->d), a_count = registers(m, k, product->a);
    unsigned b_count = registers(k, 8, product->b);
    bool wide = register_bits(product->d) == 64;
    const char *satfinite = strstr(more, "satfinite") ? more : "";
    const char *end = *satfinite ? "" : more;
    const char *text =
        ptx_print("%s%s%s.reg .b%d %%md<8>;\n", fragment(product, product->a, 'a', a_count),
                  fragment(product, product->b, 'b', b_count),
                  fragment(product, product->c, 'c', d_count), wide ? 64 : 32);
    text = ptx_print("%smma.sync.aligned.m%un8k%u.row.col%s.%s.%s.%s.%s%s %s, %s, %s, %s;\n"
                     "mov.b64 %%d, 0;\n",
                     text, m, k, satfinite, d, a, b, d, end, list_of('d', d_count),
                     list_of('a', a_count), list_of('b', b_count), list_of('c', d_count));
    for (unsigned i = 0; i < d_count; i++)
        text = wide ? ptx_print("%smad.lo.u64 %%d, %%md%u, %u, %%d;\n", text, i, 2 * i + 1)
                    : ptx_print("%scvt.u64.u32 %%x1, %%md%u;\nmad.lo.u64 %%d, %%x1, %u, %%d;\n",
                                text, i, 2 * i + 1);
    product->mnemonic =
        ptx_print("mma.m%un8k%u.%s.%s.%s%s%s", m, k, d, a, b, more, any ? ".any" : "");
    ptx_add_case("llll", multiply, product_count++, product->mnemonic, text);
}

static void add_products(void)
{
    static const struct {
        unsigned m, k;
        const char *d, *a, *b, *more;
    } list[] = {
        {16, 8, "f32", "f16", "f16", ""},
        {16, 16, "f32", "f16", "f16", ""},
        {16, 8, "f16", "f16", "f16", ""},
        {16, 16, "f16", "f16", "f16", ""},
        {16, 8, "f32", "bf16", "bf16", ""},
        {16, 16, "f32", "bf16", "bf16", ""},
        {16, 4, "f32", "tf32", "tf32", ""},
        {16, 8, "f32", "tf32", "tf32", ""},
        {8, 4, "f64", "f64", "f64", ""},
        {16, 4, "f64", "f64", "f64", ""},
        {16, 8, "f64", "f64", "f64", ""},
        {16, 16, "f64", "f64", "f64", ""},
        {8, 16, "s32", "s8", "s8", ""},
        {8, 16, "s32", "u8", "s8", ".satfinite"},
        {16, 16, "s32", "s8", "u8", ""},
        {16, 32, "s32", "u8", "u8", ""},
        {16, 32, "s32", "s8", "s8", ".satfinite"},
        {8, 32, "s32", "s4", "u4", ""},
        {16, 32, "s32", "u4", "s4", ""},
        {16, 64, "s32", "s4", "s4", ".satfinite"},
        {8, 128, "s32", "b1", "b1", ".xor.popc"},
        {16, 128, "s32", "b1", "b1", ".and.popc"},
        {16, 256, "s32", "b1", "b1", ".xor.popc"},
        {16, 256, "s32", "b1", "b1", ".and.popc"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        bool approximates =
            format_of(list[i].d)->type.class == 'f' && format_of(list[i].d)->bits < 64;
        add_product(list[i].m, list[i].k, list[i].d, list[i].a, list[i].b, false, list[i].more);
        if (approximates)
            add_product(list[i].m, list[i].k, list[i].d, list[i].a, list[i].b, true, list[i].more);
    }
}

/* --- Rows, transposed ------------------------------------------------------------------------- */

/* 512 bytes of shared memory for each warp, at %t3; this thread's 16 bytes of it at %t2. */
#define WARPS_PLACE                                                                                \
    ".shared .align 16 .b8 s[4096];\nmov.u32 %%t1, s;\nshl.b32 %%t2, %%i3, 4;\n"                   \
    "and.b32 %%t3, %%t2, 0xfe00;\nadd.u32 %%t2, %%t2, %%t1;\nadd.u32 %%t3, %%t3, %%t1;\n"

/* Matrix n of 8 x 8, by rows: each lane's a, then its b, are 8 elements of 16 bits. */
static uint64_t halfword(const uint64_t *a, const uint64_t *b, unsigned n, unsigned row,
                         unsigned column)
{
    unsigned lane = 8 * n + row;
    return (column < 4 ? a[lane] : b[lane]) >> (16 * (column % 4)) & 0xffff;
}

static uint64_t pair_of(const struct ptx_case *test, const uint64_t *a, const uint64_t *b,
                        unsigned n, unsigned lane)
{
    unsigned row = lane / 4, column = lane % 4 * 2;
    if (ptx_has(test, "trans"))
        return halfword(a, b, n, column, row) | halfword(a, b, n, column + 1, row) << 16;
    return halfword(a, b, n, row, column) | halfword(a, b, n, row, column + 1) << 16;
}

static void load_rows(const struct ptx_case *test, const uint64_t *a, const uint64_t *b,
                      const uint64_t *c, uint64_t *d)
{
    (void)c;
    for (unsigned i = 0; i < PTX_THREADS; i++) {
        const uint64_t *at = a + i / LANES * LANES, *bt = b + i / LANES * LANES;
        d[i] = 0;
        for (unsigned n = 0; n < test->number; n++)
            d[i] += pair_of(test, at, bt, n, i % LANES) * (2 * n + 1);
    }
}

static void add_rows(void)
{
    for (unsigned n = 1; n <= 4; n *= 2)
        for (unsigned t = 0; t < 2; t++) {
            const char *trans = t ? ".trans" : "";
            const char *text =
                ptx_print(WARPS_PLACE ".reg .b32 %%ma<4>;\nst.shared.v2.u64 [%%t2], {%%a, %%b};\n"
                                      "bar.warp.sync -1;\n"
                                      "ldmatrix.sync.aligned.m8n8.x%u%s.shared.b16 %s, [%%t2];\n"
                                      "mov.b64 %%d, 0;\n",
                          n, trans, list_of('a', n));
            for (unsigned i = 0; i < n; i++)
                text = ptx_print("%scvt.u64.u32 %%x1, %%ma%u;\nmad.lo.u64 %%d, %%x1, %u, %%d;\n",
                                 text, i, 2 * i + 1);
            ptx_add_case("lll", load_rows, n, ptx_print("ldmatrix.x%u.b16%s", n, trans), text);
        }
}

/* stmatrix writes what ldmatrix reads: then each thread reads 8 bytes back. */
static void store_rows(const struct ptx_case *test, const uint64_t *a, const uint64_t *b,
                       const uint64_t *c, uint64_t *d)
{
    (void)c;
    for (unsigned i = 0; i < PTX_THREADS; i++) {
        const uint64_t *at = a + i / LANES * LANES, *bt = b + i / LANES * LANES;
        unsigned lane = i % LANES, n = lane / 8, row = lane % 8;
        d[i] = 0;
        for (unsigned column = 0; column < 4 && n < test->number; column++) {
            unsigned from_row = ptx_has(test, "trans") ? column : row;
            unsigned from_column = ptx_has(test, "trans") ? row : column;
            unsigned from = from_row * 4 + from_column / 2;
            const uint64_t *operand = n < 2 ? at : bt;
            d[i] |= (operand[from] >> (32 * (n % 2) + 16 * (from_column % 2)) & 0xffff)
                    << (16 * column);
        }
    }
}

static void add_stored_rows(void)
{
    for (unsigned n = 1; n <= 4; n *= 2)
        for (unsigned t = 0; t < 2; t++) {
            const char *trans = t ? ".trans" : "";
            ptx_add_case("lll", store_rows, n, ptx_print("stmatrix.x%u.b16%s", n, trans),
                         ptx_print(WARPS_PLACE
                                   ".reg .b32 %%ma<4>;\nmov.b64 {%%ma0, %%ma1}, %%a;\n"
                                   "mov.b64 {%%ma2, %%ma3}, %%b;\nmov.u64 %%x1, 0;\n"
                                   "st.shared.v2.u64 [%%t2], {%%x1, %%x1};\nbar.warp.sync -1;\n"
                                   "stmatrix.sync.aligned.m8n8.x%u%s.shared.b16 [%%t2], %s;\n"
                                   "bar.warp.sync -1;\nld.shared.u64 %%d, [%%t2];",
                                   n, trans, list_of('a', n)));
        }
}

static void transpose(const struct ptx_case *test, const uint64_t *a, const uint64_t *b,
                      const uint64_t *c, uint64_t *d)
{
    (void)test, (void)b, (void)c;
    for (unsigned i = 0; i < PTX_THREADS; i++) {
        d[i] = 0;
        for (unsigned k = 0; k < 2; k++) {
            unsigned row = i % LANES / 4, column = i % 4 * 2 + k;
            d[i] |= (a[i / LANES * LANES + column * 4 + row / 2] >> (16 * (row % 2)) & 0xffff)
                    << (16 * k);
        }
    }
}

/* --- wmma ------------------------------------------------------------------------------------- */

/* d = a * b + c of small integers, whose matrices are in shared memory. */
struct whole {
    unsigned m, n, k, d_registers, a_registers, b_registers;
    const char *d, *a, *a_layout, *b_layout, *more;
};
static const struct whole wholes[] = {
    {16, 16, 16, 8, 8, 8, "f32", "f16", "row", "col", ""},
    {16, 16, 16, 8, 8, 8, "f32", "f16", "col", "row", ""},
    {16, 16, 16, 4, 8, 8, "f16", "f16", "row", "row", ""},
    {32, 8, 16, 8, 8, 8, "f32", "f16", "col", "col", ""},
    {8, 32, 16, 8, 8, 8, "f32", "f16", "row", "row", ""},
    {16, 16, 16, 8, 4, 4, "f32", "bf16", "row", "col", ""},
    {16, 16, 8, 8, 4, 4, "f32", "tf32", "row", "row", ""},
    {8, 8, 4, 2, 1, 1, "f64", "f64", "row", "col", ""},
    {16, 16, 16, 8, 2, 2, "s32", "s8", "row", "col", ""},
    {32, 8, 16, 8, 4, 1, "s32", "u8", "row", "row", ""},
    {8, 32, 16, 8, 1, 4, "s32", "s8", "col", "col", ".satfinite"},
    {8, 8, 32, 2, 1, 1, "s32", "s4", "row", "col", ""},
    {8, 8, 128, 2, 1, 1, "s32", "b1", "row", "col", ".xor.popc"},
};

/* The value at a place of an operand of the block's first warp: stored as the registers of lane
   `place` % 32. Matrices are words of 32 bits, 64 for each lane. */
static double stored(const struct format *format, const uint64_t *operands, unsigned place)
{
    struct product plain = {0};
    unsigned width = register_bits(format) / format->bits, word = place / width;
    uint64_t bits = register_of(&plain, format, operands[word % LANES], word / LANES);
    return element_of(format, bits, place % width);
}

static unsigned place_in(const char *layout, unsigned rows, unsigned columns, unsigned row,
                         unsigned column)
{
    return strcmp(layout, "row") == 0 ? row * columns + column : column * rows + row;
}

static void multiply_whole(const struct ptx_case *test, const uint64_t *a, const uint64_t *b,
                           const uint64_t *c, uint64_t *d)
{
    const struct whole *whole = &wholes[test->number];
    const struct format *of_d = format_of(whole->d), *of_a = format_of(whole->a);
    unsigned width = register_bits(of_d) / of_d->bits;
    for (unsigned i = 0; i < PTX_THREADS; i++)
        d[i] = 0;
    for (unsigned place = 0; place < whole->m * whole->n; place++) {
        unsigned row = place / whole->n, column = place % whole->n;
        double sum = stored(of_d, c, place);
        for (unsigned k = 0; k < whole->k; k++) {
            double x = stored(of_a, a, place_in(whole->a_layout, whole->m, whole->k, row, k));
            double y = stored(of_a, b, place_in(whole->b_layout, whole->k, whole->n, k, column));
            sum = of_a->bits == 1 ? sum + (x != y) : fma(x, y, sum);
        }
        float single = (float)sum;
        if (*whole->more && of_a->bits == 8)
            sum = fmin(fmax(sum, INT32_MIN), INT32_MAX);
        uint64_t bits = (uint64_t)(int64_t)sum & UINT32_MAX;
        uint32_t word;
        struct ptx_case narrow = {.mnemonic = "cvt", .to = {'f', 16}, .from = {'f', 32}};
        memcpy(&word, &single, sizeof word);
        if (of_d->bits == 64)
            memcpy(&bits, &sum, sizeof bits);
        else if (of_d->type.class == 'f')
            bits = of_d->bits == 16 ? ptx_convert(&narrow, word, 0, 0) : word;
        unsigned number = place / width;
        d[number % LANES] += (bits << place % width * of_d->bits) * (2 * (number / LANES) + 1);
    }
    for (unsigned i = LANES; i < PTX_THREADS; i++)
        d[i] = d[i % LANES];
}

/* Stores a matrix's registers at `at`: register i of lane l is word 32 * i + l. */
static const char *stored_text(const char *name, const struct format *format, unsigned words)
{
    struct product plain = {0};
    bool wide = register_bits(format) == 64;
    const char *text = fragment(&plain, format, *name, (words + LANES - 1) / LANES);
    text = ptx_print("%sshl.b32 %%t3, %%t0, %d;\nadd.u32 %%t3, %%t3, %%at_%s;\n", text,
                     wide ? 3 : 2, name);
    for (unsigned i = 0; i < (words + LANES - 1) / LANES; i++)
        text = ptx_print("%sst.shared.b%d [%%t3+%u], %%m%c%u;\n", text, wide ? 64 : 32,
                         i * LANES * (wide ? 8 : 4), *name, i);
    return text;
}

/* Only the first warp has distinct operands: all warps do the same with those of lane %laneid of
   the first, which they read from global memory. */
static void add_whole(unsigned number)
{
    const struct whole *whole = &wholes[number];
    const struct format *of_d = format_of(whole->d), *of_a = format_of(whole->a);
    const char *a = whole->a_layout, *b = whole->b_layout;
    bool wide = register_bits(of_d) == 64, half = !strcmp(whole->a, "f16");
    unsigned d_words = whole->m * whole->n * of_d->bits / register_bits(of_d);
    const char *shape = ptx_print("m%un%uk%u", whole->m, whole->n, whole->k);
    const char *text = ptx_print(
        ".shared .align 32 .b8 s[32768];\n.reg .b32 %%at_a, %%at_b, %%at_c;\n"
        "mov.u32 %%t0, %%laneid;\nmov.u32 %%t1, s;\nmov.u32 %%t2, %%i3;\nshr.u32 %%t2, %%t2, 5;\n"
        "mad.lo.u32 %%at_a, %%t2, 4096, %%t1;\nadd.u32 %%at_b, %%at_a, 1024;\n"
        "add.u32 %%at_c, %%at_a, 2048;\nsub.u32 %%i1, %%i3, %%t0;\nmul.wide.u32 %%at4, %%i1, 8;\n"
        "sub.u64 %%at0, %%at0, %%at4;\n");
    for (unsigned i = 0; i < 3; i++)
        text = ptx_print("%sld.param.u64 %%at4, [p%c];\ncvta.to.global.u64 %%at4, %%at4;\n"
                         "add.u64 %%at4, %%at4, %%at0;\nld.global.u64 %%%c, [%%at4];\n",
                         text, "abc"[i], "abc"[i]);
    text = ptx_print(
        "%smul.wide.u32 %%at4, %%i1, 8;\nadd.u64 %%at0, %%at0, %%at4;\n%s%s%s"
        "bar.warp.sync -1;\n.reg .b%d %%wa<8>, %%wb<8>;\n.reg .b%d %%wc<8>, %%wd<8>;\n",
        text, stored_text("a", of_a, whole->m * whole->k * of_a->bits / register_bits(of_a)),
        stored_text("b", of_a, whole->k * whole->n * of_a->bits / register_bits(of_a)),
        stored_text("c", of_d, d_words), wide ? 64 : 32, wide ? 64 : 32);
    const char *lists[4] = {"a", "b", "c", "d"};
    const unsigned counts[] = {whole->a_registers, whole->b_registers, whole->d_registers,
                               whole->d_registers};
    for (unsigned i = 0; i < 4; i++) {
        const char *list = ptx_print("%%w%c0", *lists[i]);
        for (unsigned n = 1; n < counts[i]; n++)
            list = ptx_print("%s, %%w%c%u", list, "abcd"[i], n);
        lists[i] = ptx_print("{%s}", list);
    }
    const char *types = half ? ptx_print("%s.%s", whole->d, whole->d)
                             : ptx_print("%s.%s.%s.%s", whole->d, whole->a, whole->a, whole->d);
    const char *before = !strcmp(whole->more, ".satfinite") ? "" : whole->more;
    const char *after = *before ? "" : whole->more;
    text = ptx_print(
        "%swmma.load.a.sync.aligned.%s.%s.shared.%s %s, [%%at_a], %u;\n"
        "wmma.load.b.sync.aligned.%s.%s.shared.%s %s, [%%at_b];\n"
        "wmma.load.c.sync.aligned.row.%s.shared.%s %s, [%%at_c], %u;\n"
        "wmma.mma%s.sync.aligned.%s.%s.%s.%s%s %s, %s, %s, %s;\nbar.warp.sync -1;\n"
        "wmma.store.d.sync.aligned.row.%s.shared.%s [%%at_c], %s, %u;\nbar.warp.sync -1;\n",
        text, a, shape, whole->a, lists[0], !strcmp(a, "row") ? whole->k : whole->m, b, shape,
        whole->a, lists[1], shape, whole->d, lists[2], whole->n, before, a, b, shape, types, after,
        lists[3], lists[0], lists[1], lists[2], shape, whole->d, lists[3], whole->n);
    text = ptx_print("%smov.b64 %%d, 0;\nshl.b32 %%t3, %%t0, %d;\nadd.u32 %%t3, %%t3, %%at_c;\n",
                     text, wide ? 3 : 2);
    for (unsigned i = 0; i < (d_words + LANES - 1) / LANES; i++)
        text = ptx_print("%sld.shared.b%d %s, [%%t3+%u];\n%smad.lo.u64 %%d, %%x1, %u, %%d;\n", text,
                         wide ? 64 : 32, wide ? "%x1" : "%t1", i * LANES * (wide ? 8 : 4),
                         wide ? "" : "cvt.u64.u32 %x1, %t1;\n", 2 * i + 1);
    ptx_add_case("llll", multiply_whole, number,
                 ptx_print("wmma.%s.%s.%s.%s.%s%s", shape, whole->d, whole->a, a, b, whole->more),
                 text);
}

void ptx_add_matrix_cases(void)
{
    add_products();
    add_rows();
    add_stored_rows();
    ptx_add_case("ww", transpose, 0, "movmatrix.b16",
                 "movmatrix.sync.aligned.m8n8.trans.b16 %d, %a;");
    for (unsigned i = 0; i < sizeof wholes / sizeof *wholes; i++)
        add_whole(i);
}
