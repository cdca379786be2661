/* Cases of wgmma: two warpgroups of a block, each with its matrices in shared memory. The threads'
   operands a and b become images of shared memory, word by word; the reference reads the elements
   from them by the canonical layouts of the PTX ISA ("Shared Memory Matrix Layout"), whose unit is
   16 bytes. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "block_cases.h"
#include "matrix.h"

enum { GROUP = 128, M = 64, MOST_K = 256, GROUP_BYTES = 24576, ATOM = 1024 };

/* How a matrix lies in shared memory. */
struct layout {
    unsigned span; /* of the swizzle in bytes; 16, or 0 in the list: none */
    bool is_transposed;
    unsigned start; /* from the beginning of its image */
};

struct variant {
    unsigned n;
    const char *d, *a, *b;
    struct layout a_layout, b_layout;
    bool a_in_registers, any, ignores_c;
    int a_sign, b_sign;
    const char *more, *name;
};

static struct variant variants[] = {
    {.n = 8, .d = "f32", .a = "f16", .b = "f16"},
    {.n = 8, .d = "f32", .a = "f16", .b = "f16", .any = true},
    {.n = 256, .d = "f32", .a = "f16", .b = "f16", .any = true},
    {.n = 24, .d = "f16", .a = "f16", .b = "f16"},
    {.n = 24, .d = "f16", .a = "f16", .b = "f16", .any = true},
    {.n = 16, .d = "f32", .a = "bf16", .b = "bf16", .any = true},
    {.n = 16, .d = "f32", .a = "tf32", .b = "tf32", .any = true},
    {.n = 16, .d = "f32", .a = "tf32", .b = "tf32", .a_in_registers = true},
    {.n = 16, .d = "f32", .a = "bf16", .b = "bf16", .a_in_registers = true},
    {.n = 16, .d = "f32", .a = "f16", .b = "f16", .a_sign = -1, .name = "negated_a"},
    {.n = 16, .d = "f32", .a = "f16", .b = "f16", .b_sign = -1, .name = "negated_b"},
    {.n = 16, .d = "f32", .a = "f16", .b = "f16", .ignores_c = true, .name = "alone"},
    {.n = 16, .d = "f32", .a = "f16", .b = "f16", .ignores_c = true, .any = true, .name = "alone"},
    {.n = 32,
     .d = "f32",
     .a = "f16",
     .b = "f16",
     .a_layout = {.span = 32},
     .b_layout = {.span = 64}},
    {.n = 32,
     .d = "f32",
     .a = "f16",
     .b = "f16",
     .a_layout = {.span = 64},
     .b_layout = {.span = 128}},
    {.n = 64,
     .d = "f32",
     .a = "bf16",
     .b = "bf16",
     .a_layout = {.span = 128},
     .b_layout = {.span = 32}},
    {.n = 40,
     .d = "f32",
     .a = "tf32",
     .b = "tf32",
     .a_layout = {.span = 128},
     .b_layout = {.span = 128}},
    {.n = 16,
     .d = "f32",
     .a = "f16",
     .b = "f16",
     .a_layout = {.span = 128, .start = 32},
     .b_layout = {.span = 128, .start = 96},
     .name = "from_within"},
    {.n = 16,
     .d = "f32",
     .a = "f16",
     .b = "f16",
     .a_layout = {.span = 64, .start = 32},
     .b_layout = {.span = 64},
     .name = "from_within"},
    {.n = 16,
     .d = "f32",
     .a = "f16",
     .b = "f16",
     .a_layout = {.span = 16, .is_transposed = true},
     .b_layout = {.span = 16, .is_transposed = true}},
    {.n = 32,
     .d = "f32",
     .a = "f16",
     .b = "f16",
     .a_layout = {.span = 32, .is_transposed = true},
     .b_layout = {.span = 32, .is_transposed = true}},
    {.n = 64,
     .d = "f32",
     .a = "f16",
     .b = "f16",
     .a_layout = {.span = 64, .is_transposed = true},
     .b_layout = {.span = 64, .is_transposed = true}},
    {.n = 128,
     .d = "f32",
     .a = "bf16",
     .b = "bf16",
     .a_layout = {.span = 128, .is_transposed = true},
     .b_layout = {.span = 128, .is_transposed = true}},
    {.n = 64,
     .d = "f16",
     .a = "f16",
     .b = "f16",
     .a_in_registers = true,
     .b_layout = {.span = 128, .is_transposed = true}},
    {.n = 16, .d = "s32", .a = "s8", .b = "s8"},
    {.n = 96,
     .d = "s32",
     .a = "u8",
     .b = "s8",
     .a_layout = {.span = 128},
     .b_layout = {.span = 64}},
    {.n = 24, .d = "s32", .a = "s8", .b = "u8", .more = ".satfinite"},
    {.n = 8, .d = "s32", .a = "u8", .b = "u8", .a_in_registers = true},
    {.n = 16, .d = "s32", .a = "b1", .b = "b1", .more = ".and.popc"},
    {.n = 16, .d = "f32", .a = "e4m3", .b = "e4m3"},
    {.n = 16, .d = "f32", .a = "e4m3", .b = "e5m2", .any = true},
    {.n = 16, .d = "f32", .a = "e5m2", .b = "e5m2", .any = true},
    {.n = 16, .d = "f32", .a = "e4m3", .b = "e4m3", .any = true, .a_in_registers = true},
    {.n = 16, .d = "f16", .a = "e5m2", .b = "e4m3"},
    {.n = 16, .d = "f16", .a = "e4m3", .b = "e4m3", .any = true},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

static struct product products[VARIANTS];

/* --- Layouts ---------------------------------------------------------------------------------- */

/* The offsets that a descriptor gives, in units of 16 bytes. */
struct offsets {
    unsigned leading, stride;
};

static struct offsets offsets_of(const struct layout *layout)
{
    const unsigned units = layout->span / 16;
    if (units == 1)
        return (struct offsets){8, 16};
    return layout->is_transposed ? (struct offsets){16 * units, 8 * units}
                                 : (struct offsets){1, 8 * units};
}

static unsigned bytes_of(const struct layout *layout, unsigned rows)
{
    const unsigned per_row = layout->is_transposed || layout->span < 32 ? 32 : layout->span;
    return (rows * per_row + ATOM - 1) / ATOM * ATOM;
}

/* The unit with the elements of row `row` (a column of b) from `k` on, or, transposed, with those
   of k of rows from `row` on; `each` elements fill a unit. */
static unsigned unit_of(const struct layout *layout, unsigned row, unsigned k, unsigned each)
{
    const struct offsets by = offsets_of(layout);
    const unsigned units = layout->span / 16, chunk = (layout->is_transposed ? row : k) / each;
    unsigned unit = layout->start / 16;
    if (!layout->is_transposed)
        unit += row % 8 * units + row / 8 * by.stride + (units == 1 ? chunk * by.leading : chunk);
    else if (units == 1)
        unit += chunk * by.stride + k % 8 + k / 8 * by.leading;
    else
        unit += chunk % units + chunk / units * by.leading + k % 8 * units + k / 8 * by.stride;
    return unit ^ (unit / 8 % units);
}

/* --- Expected results ------------------------------------------------------------------------- */

/* Element (row, k) of an image that thread t of the group writes words t, 128 + t, ... of. */
static double in_image(const struct product *product, const struct format *format,
                       const uint64_t *operands, const struct layout *layout, unsigned row,
                       unsigned k)
{
    const unsigned each = 128 / format->bits;
    const unsigned bit = unit_of(layout, row, k, each) * 128 +
                         (layout->is_transposed ? row : k) % each * format->bits;
    const unsigned word = bit / 32;
    return element_of(format, register_of(product, format, operands[word % GROUP], word / GROUP),
                      bit % 32 / format->bits);
}

static void multiply_group(const struct ptx_case *test, const uint64_t *a, const uint64_t *b,
                           const uint64_t *c, uint64_t *d)
{
    static double x[M][MOST_K], y[256][MOST_K];
    const struct variant *variant = &variants[test->number];
    const struct product *product = &products[test->number];
    const unsigned width = 32 / product->d->bits;
    for (unsigned row = 0; row < M; row++)
        for (unsigned k = 0; k < product->k; k++)
            x[row][k] = (variant->a_sign < 0 ? -1 : 1) *
                        (variant->a_in_registers
                             ? from_a(product, a + row / 16 * 32, row % 16, k)
                             : in_image(product, product->a, a, &variant->a_layout, row, k));
    for (unsigned column = 0; column < product->n; column++)
        for (unsigned k = 0; k < product->k; k++)
            y[column][k] = (variant->b_sign < 0 ? -1 : 1) *
                           in_image(product, product->b, b, &variant->b_layout, column, k);
    for (unsigned thread = 0; thread < GROUP; thread++) {
        d[thread] = 0;
        for (unsigned i = 0; i < product->n / 2; i++) {
            const unsigned lane = thread % 32, column = i / 4 * 8 + lane % 4 * 2 + i % 2;
            const unsigned row = thread / 32 * 16 + lane / 4 + i / 2 % 2 * 8;
            const double old =
                variant->ignores_c ? 0 : number_in(product, product->c, c, thread, i);
            const uint64_t bits = rounded_product(test, product, x[row], y[column], old);
            d[thread] += (bits << i % width * product->d->bits) * (2 * (i / width) + 1);
        }
    }
}

static void multiply(const struct ptx_case *test, const uint64_t *a, const uint64_t *b,
                     const uint64_t *c, uint64_t *d)
{
    for (unsigned first = 0; first < PTX_THREADS; first += GROUP)
        multiply_group(test, a + first, b + first, c + first, d + first);
}

/* --- Modules ---------------------------------------------------------------------------------- */

static char text[PTX_TEXT_BYTES / 2];
static size_t used;

static void add(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void add(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int bytes = vsnprintf(text + used, sizeof text - used, format, arguments);
    va_end(arguments);
    if (bytes < 0 || (size_t)bytes >= sizeof text - used)
        abort();
    used += (size_t)bytes;
}

static uint64_t kept(const struct product *product, const struct format *format)
{
    return product->any ? format->any_kept : format->kept;
}

static uint64_t set(const struct product *product, const struct format *format)
{
    return product->any ? format->any_set : format->set;
}

/* Writes an image of the thread's operand at %w1 + from. */
static void add_image(const struct product *product, const struct format *format, char name,
                      unsigned from, unsigned bytes)
{
    add("mov.b64 {%%w3, %%w4}, %%%c;\nmov.u32 %%w5, 0;\n%c:\nmul.lo.u32 %%w6, %%w5, 7;\n"
        "shf.l.wrap.b32 %%w7, %%w3, %%w4, %%w6;\nand.b32 %%w7, %%w7, 0x%llx;\n"
        "or.b32 %%w7, %%w7, 0x%llx;\nshl.b32 %%w8, %%w5, 9;\nadd.u32 %%w8, %%w8, %%w2;\n"
        "st.shared.b32 [%%w8+%u], %%w7;\nadd.u32 %%w5, %%w5, 1;\nsetp.lt.u32 %%p1, %%w5, %u;\n"
        "@%%p1 bra %c;\n",
        name, name - 32, (unsigned long long)kept(product, format),
        (unsigned long long)set(product, format), from, bytes / 4 / GROUP, name - 32);
}

static void add_registers(const struct product *product, const struct format *format, char name,
                          unsigned count)
{
    add("mov.b64 {%%w3, %%w4}, %%%c;\n", name);
    for (unsigned i = 0; i < count; i++)
        add("shf.l.wrap.b32 %%m%c%u, %%w3, %%w4, %u;\nand.b32 %%m%c%u, %%m%c%u, 0x%llx;\n"
            "or.b32 %%m%c%u, %%m%c%u, 0x%llx;\n",
            name, i, 7 * i % 32, name, i, name, i, (unsigned long long)kept(product, format), name,
            i, name, i, (unsigned long long)set(product, format));
}

static void add_descriptor(const struct layout *layout, char name, unsigned from)
{
    static const unsigned mode[] = {[1] = 0, [2] = 3, [4] = 2, [8] = 1};
    const struct offsets by = offsets_of(layout);
    const unsigned long long bits = (unsigned long long)mode[layout->span / 16] << 62 |
                                    (unsigned long long)by.stride << 32 |
                                    (unsigned long long)by.leading << 16;
    add("add.u32 %%w3, %%w1, %u;\nand.b32 %%w3, %%w3, 0x3ffff;\nshr.u32 %%w3, %%w3, 4;\n"
        "cvt.u64.u32 %%at_%c, %%w3;\nor.b64 %%at_%c, %%at_%c, 0x%llx;\n",
        from + layout->start, name, name, name, bits);
}

static void add_list(char name, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        add("%s%%m%c%u", i ? ", " : "{", name, i);
    add("}");
}

static void add_module(const struct variant *variant, const struct product *product)
{
    const unsigned registers = product->n / 2 * product->d->bits / 32;
    const unsigned a_bytes = bytes_of(&variant->a_layout, M);
    const unsigned b_bytes = bytes_of(&variant->b_layout, product->n);
    if (a_bytes + b_bytes > GROUP_BYTES)
        abort();
    used = 0;
    add(".shared .align 1024 .b8 s[%d];\n.reg .b32 %%w<9>;\n.reg .b64 %%at_a, %%at_b;\n"
        ".reg .b32 %%ma<4>, %%mc<%u>;\n.reg .pred %%keeps;\n"
        "mov.u32 %%w1, s;\nshr.u32 %%w0, %%i3, 7;\nmad.lo.u32 %%w1, %%w0, %d, %%w1;\n"
        "and.b32 %%w2, %%i3, 127;\nmad.lo.u32 %%w2, %%w2, 4, %%w1;\n",
        2 * GROUP_BYTES, registers, GROUP_BYTES);
    if (!variant->a_in_registers)
        add_image(product, product->a, 'a', 0, a_bytes);
    add_image(product, product->b, 'b', a_bytes, b_bytes);
    add("fence.proxy.async;\nbar.sync 0;\n");
    add_descriptor(&variant->a_layout, 'a', 0);
    add_descriptor(&variant->b_layout, 'b', a_bytes);
    if (variant->a_in_registers)
        add_registers(product, product->a, 'a', 4);
    add_registers(product, product->c, 'c', registers);
    add("setp.ne.u32 %%keeps, %d, 0;\nwgmma.fence.sync.aligned;\n"
        "wgmma.mma_async.sync.aligned.m64n%uk%u.%s.%s.%s%s ",
        !variant->ignores_c, product->n, product->k, variant->d, variant->a, variant->b,
        variant->more ? variant->more : "");
    add_list('c', registers);
    add(", ");
    if (variant->a_in_registers)
        add_list('a', 4);
    else
        add("%%at_a");
    add(", %%at_b, %%keeps");
    if (product->d->type.class == 'f')
        add(", %d, %d", variant->a_sign ? variant->a_sign : 1,
            variant->b_sign ? variant->b_sign : 1);
    if (product->a->bits == 16 && !variant->a_in_registers)
        add(", %d", variant->a_layout.is_transposed);
    if (product->a->bits == 16)
        add(", %d", variant->b_layout.is_transposed);
    add(";\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\nmov.b64 %%d, 0;\n");
    for (unsigned i = 0; i < registers; i++)
        add("cvt.u64.u32 %%x1, %%mc%u;\nmad.lo.u64 %%d, %%x1, %u, %%d;\n", i, 2 * i + 1);
}

static const char *layout_name(const struct layout *layout)
{
    return layout->span == 16 ? layout->is_transposed ? "t" : ""
                              : ptx_print("%s%u", layout->is_transposed ? "t" : "", layout->span);
}

void ptx_add_wgmma_cases(void)
{
    for (unsigned i = 0; i < VARIANTS; i++) {
        struct variant *variant = &variants[i];
        struct product *product = &products[i];
        struct layout *const layouts[] = {&variant->a_layout, &variant->b_layout};
        for (unsigned k = 0; k < 2; k++)
            layouts[k]->span = layouts[k]->span ? layouts[k]->span : 16;
        *product = (struct product){.m = 16,
                                    .n = variant->n,
                                    .d = format_of(variant->d),
                                    .a = format_of(variant->a),
                                    .b = format_of(variant->b),
                                    .c = format_of(variant->d),
                                    .any = variant->any};
        product->k = 256 / product->a->bits;
        add_module(variant, product);
        ptx_add_case("llll", multiply, i,
                     ptx_print("wgmma.m64n%uk%u.%s.%s%s.%s%s%s%s%s%s%s", variant->n, product->k,
                               variant->d, variant->a_in_registers ? "r" : "", variant->a,
                               variant->b, variant->more ? variant->more : "",
                               variant->any ? ".any" : "", variant->name ? "." : "",
                               variant->name ? variant->name : "",
                               ptx_print(".%s", layout_name(&variant->a_layout)),
                               ptx_print(".%s", layout_name(&variant->b_layout))),
                     ptx_print("%s", text));
    }
}
