/* Cases out of cases.def and all conversions; their modules and inputs. */
#include "block_cases.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/emulator.h"

/* --- The list --------------------------------------------------------------------------------- */

static const struct ptx_case listed[] = {
#define OP(reference, shape, mnemonic) TEXT(reference, shape, mnemonic, NULL)
#define TEXT(reference_, shape_, mnemonic_, text_)                                                 \
    {.mnemonic = mnemonic_, .text = text_, .shape = shape_, .reference = ptx_##reference_},
#include "cases.def"
#undef OP
#undef TEXT
};

enum { LISTED = sizeof listed / sizeof *listed, MOST = LISTED + 1600, NAME_BYTES = 32 };

static struct ptx_case all[MOST];
static char names[MOST][NAME_BYTES]; /* of conversions */
static size_t all_count;

static bool type_of(const char *part, size_t bytes, struct ptx_type *type)
{
    if (bytes == 4 && memcmp(part, "bf16", 4) == 0) {
        *type = (struct ptx_type){'x', 16};
        return true;
    }
    if (bytes == 4 && memcmp(part, "pred", 4) == 0) {
        *type = (struct ptx_type){'p', 1};
        return true;
    }
    if (bytes < 2 || bytes > 3 || !strchr("usbf", part[0]) || part[1] < '0' || part[1] > '9')
        return false;
    unsigned bits = (unsigned)(part[1] - '0');
    if (bytes == 3)
        bits = bits * 10 + (unsigned)(part[2] - '0');
    *type = (struct ptx_type){part[0], bits};
    return bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

static void find_types(struct ptx_case *test)
{
    struct ptx_type found[2], type;
    size_t count = 0;
    for (const char *part = strchr(test->mnemonic, '.'); part && count < 2;
         part = strchr(part, '.')) {
        part++;
        if (type_of(part, strcspn(part, "."), &type))
            found[count++] = type;
    }
    test->to = found[0];
    test->from = found[count - 1];
}

static void add(const struct ptx_case *test)
{
    if (all_count == MOST)
        abort();
    all[all_count] = *test;
    find_types(&all[all_count++]);
}

static const char *const types[] = {"u8",  "s8",  "u16", "s16",  "u32", "s32",
                                    "u64", "s64", "f16", "bf16", "f32", "f64"};
enum { TYPES = sizeof types / sizeof *types, F16 = 8, BF16, F32, F64 };

static char letter_of(size_t type)
{
    return type < 4 || type == F16 || type == BF16 ? 'h' : type < 6 || type == F32 ? 'w' : 'l';
}

static void add_conversion(size_t to, size_t from, const char *modifiers)
{
    static char shapes[3][3][3];
    char *name = names[all_count], d = letter_of(to), a = letter_of(from);
    char *shape = shapes[strchr("hwl", d) - "hwl"][strchr("hwl", a) - "hwl"];
    shape[0] = d;
    shape[1] = a;
    snprintf(name, NAME_BYTES, "cvt%s.%s.%s", modifiers, types[to], types[from]);
    add(&(struct ptx_case){.mnemonic = name, .shape = shape, .reference = ptx_convert});
}

/* With every rounding; and flushed where one is of single precision. */
static void add_rounded(size_t to, size_t from, const char *whole, bool flushes)
{
    static const char modes[] = "nzmp";
    char modifiers[16];
    bool two = to == BF16 && from == F32; /* PTX knows two modes here */
    for (size_t i = 0; i < (two ? 2 : 4); i++) {
        snprintf(modifiers, sizeof modifiers, ".r%c%s", modes[i], whole);
        add_conversion(to, from, modifiers);
    }
    snprintf(modifiers, sizeof modifiers, ".rn%s.ftz", whole);
    if (flushes)
        add_conversion(to, from, modifiers);
}

/* Integers that all fit: PTX has no .sat for these. */
static bool contains(size_t to, size_t from)
{
    bool to_signed = to % 2, from_signed = from % 2;
    return to_signed == from_signed ? to / 2 >= from / 2 : to_signed && to / 2 > from / 2;
}

static void add_pair(size_t to, size_t from)
{
    bool to_float = to >= F16, from_float = from >= F16;
    bool has_bf16 = to == BF16 || from == BF16;
    bool flushes = (to == F32 || from == F32) && from_float && !has_bf16;
    bool narrows = to < from || (to == BF16 && from == F16);
    if (to_float && from_float && to != from && !narrows && !(to == BF16 || from == to)) {
        add_conversion(to, from, "");
        if (flushes)
            add_conversion(to, from, ".ftz");
    } else if (!to_float && !from_float) {
        add_conversion(to, from, "");
        if (!contains(to, from))
            add_conversion(to, from, ".sat");
    } else if (!has_bf16 || (to > 1 && from > 1)) { /* bf16 has no pair of 8 bits */
        add_rounded(to, from, from_float && (!to_float || to == from) ? "i" : "", flushes);
    }
    if (to == F32 && from == F32) {
        add_conversion(to, from, ".sat");
        add_conversion(to, from, ".ftz.sat");
    }
    if (to_float && !has_bf16 && narrows && from_float)
        add_conversion(to, from, ".rn.sat");
}

const struct ptx_case *ptx_cases(size_t *count)
{
    static bool all_added;
    for (size_t i = 0; all_count < LISTED; i++)
        add(&listed[i]);
    for (size_t i = 0; !all_added && i < TYPES * TYPES; i++)
        add_pair(i / TYPES, i % TYPES);
    if (!all_added) {
        ptx_add_lane_cases();
        ptx_add_memory_cases();
    }
    all_added = true;
    *count = all_count;
    return all;
}

void ptx_add_case(const char *shape, ptx_block_reference *reference, uint32_t number,
                  const char *mnemonic, const char *text)
{
    add(&(struct ptx_case){.mnemonic = mnemonic,
                           .text = text,
                           .shape = shape,
                           .block_reference = reference,
                           .number = number});
}

const char *ptx_print(const char *format, ...)
{
    static char pool[1 << 19];
    static size_t used;
    char *text = pool + used;
    va_list arguments;
    va_start(arguments, format);
    int bytes = vsnprintf(text, sizeof pool - used, format, arguments);
    va_end(arguments);
    if (bytes < 0 || (size_t)bytes >= sizeof pool - used)
        abort();
    used += (size_t)bytes + 1;
    return text;
}

bool ptx_has(const struct ptx_case *test, const char *name)
{
    size_t bytes = strlen(name);
    for (const char *part = strchr(test->mnemonic, '.'); part; part = strchr(part, '.')) {
        part++;
        if (strcspn(part, ".") == bytes && memcmp(part, name, bytes) == 0)
            return true;
    }
    return false;
}

bool ptx_is(const struct ptx_case *test, const char *name)
{
    return strcspn(test->mnemonic, ".") == strlen(name) &&
           memcmp(test->mnemonic, name, strlen(name)) == 0;
}

/* --- Modules ---------------------------------------------------------------------------------- */

static const char head[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd)\n{\n"
    ".reg .pred %p<4>;\n.reg .b16 %h<4>;\n.reg .b32 %t<4>;\n.reg .b64 %x<4>;\n.reg .b32 %i<4>;\n"
    ".reg .b64 %at<8>;\n"
    "mov.u32 %i1, %ctaid.x;\nmov.u32 %i2, %ntid.x;\nmov.u32 %i3, %tid.x;\n"
    "mad.lo.u32 %i1, %i1, %i2, %i3;\nmul.wide.u32 %at0, %i1, 8;\n";

/* The format may name the operand up to twice. */
static size_t append(char *text, size_t room, size_t used, const char *format, char name)
{
    int bytes = snprintf(text + used, room - used, format, name, name);
    if (bytes < 0 || (size_t)bytes >= room - used)
        abort();
    return used + (size_t)bytes;
}

void ptx_module(const struct ptx_case *test, char *text, size_t room)
{
    static const char *const declare[] = {['h'] = ".reg .b16 %%%c;\n",
                                          ['w'] = ".reg .b32 %%%c;\n",
                                          ['l'] = ".reg .b64 %%%c;\n",
                                          ['p'] = ".reg .pred %%%c;\n"};
    static const char *const fetch[] = {
        ['h'] = "ld.global.u64 %%at2, [%%at1];\ncvt.u16.u64 %%%c, %%at2;\n",
        ['w'] = "ld.global.u64 %%at2, [%%at1];\ncvt.u32.u64 %%%c, %%at2;\n",
        ['l'] = "ld.global.u64 %%%c, [%%at1];\n",
        ['p'] = "ld.global.u64 %%at2, [%%at1];\nand.b64 %%at2, %%at2, 1;\n"
                "setp.ne.u64 %%%c, %%at2, 0;\n"};
    static const char *const store[] = {
        ['h'] = "cvt.u64.u16 %%at2, %%%c;\nst.global.u64 [%%at1], %%at2;\nret;\n}\n",
        ['w'] = "cvt.u64.u32 %%at2, %%%c;\nst.global.u64 [%%at1], %%at2;\nret;\n}\n",
        ['l'] = "st.global.u64 [%%at1], %%%c;\nret;\n}\n",
        ['p'] = "selp.b64 %%at2, 1, 0, %%%c;\nst.global.u64 [%%at1], %%at2;\nret;\n}\n"};
    static const char address[] = "ld.param.u64 %%at1, [p%c];\ncvta.to.global.u64 %%at1, %%at1;\n"
                                  "add.u64 %%at1, %%at1, %%at0;\n";
    static const char *const operands[] = {"", "", " %d, %a;\n", " %d, %a, %b;\n",
                                           " %d, %a, %b, %c;\n"};
    size_t count = strlen(test->shape);
    size_t used = (size_t)snprintf(text, room, "%s", head);
    for (size_t i = 0; i < count; i++)
        used = append(text, room, used, declare[(unsigned char)test->shape[i]], "dabc"[i]);
    for (size_t i = 1; i < count; i++) {
        used = append(text, room, used, address, "dabc"[i]);
        used = append(text, room, used, fetch[(unsigned char)test->shape[i]], "dabc"[i]);
    }
    used +=
        (size_t)snprintf(text + used, room - used, "%s%s", test->text ? test->text : test->mnemonic,
                         test->text ? "\n" : operands[count]);
    used = append(text, room, used, address, 'd');
    append(text, room, used, store[(unsigned char)test->shape[0]], 'd');
}

/* --- Inputs ----------------------------------------------------------------------------------- */

/* Integers and floats at the borders of what each instruction tells apart. */
static const uint64_t edges_16[] = {
    0,      1,      2,      7,      8,      15,     16,     17,     0x3c00, 0xbc00, 0x03ff,
    0x0400, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x7fff, 0x8000, 0x8001, 0xffff,
    0xfffe, 0x3800, 0x3e00, 0x4100, 0x00ff, 0x0080, 0x007f, 0x3f80, 0x7f80, 0xff80, 0x4f00};
static const uint64_t edges_32[] = {
    0,          1,          2,          31,         32,         33,         0x7fffffff, 0x80000000,
    0x80000001, 0xffffffff, 0xfffffffe, 0x3f800000, 0xbf800000, 0x007fffff, 0x00800000, 0x80800000,
    0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x3effffff, 0x3f000000,
    0x3fc00000, 0x40200000, 0xc0200000, 0x4b000001, 0x4effffff, 0x4f000000, 0xcf000000, 0x4f7fffff,
    0x4f800000, 0x5effffff, 0x5f000000, 0xdf000000, 0x5f800000, 0x477fefff, 0x477ff000, 0x33800000,
    0x33000001, 0x0000ffff, 0x00010000, 0x00000080, 0x0000007f, 0x437f8000};
static const uint64_t edges_64[] = {
    0,
    1,
    2,
    63,
    64,
    65,
    0x7fffffff,
    0x80000000,
    0xffffffff,
    0x100000000,
    0x7fffffffffffffff,
    0x8000000000000000,
    0x8000000000000001,
    0xffffffffffffffff,
    0xfffffffffffffffe,
    0xffffffff80000000,
    0xffffffff7fffffff,
    0x3ff0000000000000,
    0xbff0000000000000,
    0x000fffffffffffff,
    0x0010000000000000,
    0x7fefffffffffffff,
    0xffefffffffffffff,
    0x7ff0000000000000,
    0xfff0000000000000,
    0x7ff8000000000000,
    0xfff8000000000001,
    0x3fe0000000000000,
    0x3fdfffffffffffff,
    0x3ff8000000000000,
    0x4004000000000000,
    0xc004000000000000,
    0x41dfffffffc00000,
    0x41e0000000000000,
    0xc1e0000000200000,
    0x41efffffffe00000,
    0x43dfffffffffffff,
    0x43e0000000000000,
    0xc3e0000000000000,
    0x43f0000000000000,
    0x3690000000000001,
    0x36a0000000000000,
    0x380fffffffffffff,
    0x47efffffefffffff,
    0x47effffff0000000,
    0x3e6fffffffffffff,
    0x40effdffffffffff,
    0x40effe0000000000,
};

static uint64_t next(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *state;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Random: bits; a small integer of either sign; a float within 2^+-8 of 1. */
static uint64_t random_value(char letter, uint64_t *state)
{
    uint64_t x = next(state), kind = next(state) % 4;
    if (kind == 0) {
        uint64_t small = x >> (next(state) % 64);
        return next(state) % 2 ? small : 0 - small;
    }
    if (kind > 1)
        return x;
    switch (letter) {
    case 'l':
        return (x & 0x800fffffffffffff) | (1015 + next(state) % 16) << 52;
    case 'w':
        return (x & 0x807fffff) | (119 + next(state) % 16) << 23;
    default:
        return (x & 0x83ff) | (11 + next(state) % 8) << 10;
    }
}

static uint64_t cut(char letter, uint64_t value)
{
    return letter == 'l'   ? value
           : letter == 'w' ? value & 0xffffffff
           : letter == 'h' ? value & 0xffff
                           : value & 1;
}

static uint64_t edge(char letter, size_t n, size_t *of)
{
    *of = letter == 'l'   ? sizeof edges_64 / sizeof *edges_64
          : letter == 'w' ? sizeof edges_32 / sizeof *edges_32
          : letter == 'h' ? sizeof edges_16 / sizeof *edges_16
                          : 2;
    n %= *of;
    return letter == 'l'   ? edges_64[n]
           : letter == 'w' ? edges_32[n]
           : letter == 'h' ? edges_16[n]
                           : n;
}

void ptx_fill(const struct ptx_case *test, uint64_t seed, struct ptx_values *values)
{
    uint64_t *const arrays[] = {values->a, values->b, values->c};
    uint64_t state = seed;
    size_t operands = strlen(test->shape) - 1;
    for (size_t i = 0; i < PTX_ELEMENTS; i++) {
        size_t place = i, of = 1;
        for (size_t n = 0; n < 3; n++) {
            char letter = n < operands ? test->shape[1 + n] : 'l';
            uint64_t value = random_value(letter, &state);
            if (seed == 0 && n < 2) {
                uint64_t corner = edge(letter, place, &of);
                bool within = place < of || n == 0;
                place /= of;
                value = within && (n == 1 || i < of * of) ? corner : value;
            } else if (next(&state) % 2 == 0) {
                value = edge(letter, next(&state) % 97, &of);
            }
            arrays[n][i] = cut(letter, value);
        }
    }
    memset(values->d, 0xee, sizeof values->d);
}

void ptx_expect(const struct ptx_case *test, const struct ptx_values *values,
                uint64_t expected[PTX_ELEMENTS])
{
    const uint64_t *a = values->a, *b = values->b, *c = values->c;
    for (size_t i = 0; i < PTX_ELEMENTS && test->reference; i++)
        expected[i] = test->reference(test, a[i], b[i], c[i]);
    for (size_t i = 0; i < PTX_ELEMENTS && !test->reference; i += PTX_THREADS)
        test->block_reference(test, a + i, b + i, c + i, expected + i);
}

/* --- On the emulator -------------------------------------------------------------------------- */

enum smc_status ptx_emulate(const struct ptx_case *test, struct ptx_values *values,
                            struct smc_error *error)
{
    static char text[8192];
    struct smc_program *program;
    struct smc_emulation emulation = {0};
    struct smc_emulated_array arrays[] = {{"a", values->a, sizeof values->a},
                                          {"b", values->b, sizeof values->b},
                                          {"c", values->c, sizeof values->c},
                                          {"d", values->d, sizeof values->d}};
    struct smc_emulated_argument arguments[4];
    for (size_t i = 0; i < 4; i++)
        arguments[i] = (struct smc_emulated_argument){.is_array = true, .array = i};
    ptx_module(test, text, sizeof text);
    enum smc_status status = smc_program_read(text, strlen(text), NULL, &program, error);
    if (status != SMC_OK)
        return status;
    struct smc_emulation_request request = {.program = program,
                                            .grid = {PTX_BLOCKS, 1, 1},
                                            .block = {PTX_THREADS, 1, 1},
                                            .arrays = arrays,
                                            .array_count = 4,
                                            .arguments = arguments,
                                            .argument_count = 4,
                                            .banks = {32, 32, 1, false, true},
                                            .budget = 1000};
    status = smc_emulate(&request, &emulation, error);
    if (status == SMC_OK && (emulation.findings_total || !emulation.completed))
        status =
            smc_fail(error, SMC_MACHINE, "%s: the emulator finds fault with it", test->mnemonic);
    smc_emulation_free(&emulation);
    smc_program_free(program);
    return status;
}

/* --- Equality --------------------------------------------------------------------------------- */

bool ptx_is_nan(struct ptx_type type, uint64_t bits)
{
    uint64_t infinity = type.class == 'x' ? 0x7f80
                        : type.bits == 16 ? 0x7c00
                        : type.bits == 32 ? 0x7f800000
                                          : UINT64_C(0x7ff0000000000000);
    uint64_t sign = UINT64_C(1) << (type.bits - 1);
    return (type.class == 'f' || type.class == 'x') && (bits & (sign - 1)) > infinity;
}

static double as_double(struct ptx_type type, uint64_t bits)
{
    float single;
    double number;
    memcpy(&single, &bits, sizeof single);
    memcpy(&number, &bits, sizeof number);
    return type.bits == 32 ? (double)single : number;
}

bool ptx_same(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t x, uint64_t y)
{
    double relative, absolute;
    if (x == y || (ptx_is_nan(test->to, x) && ptx_is_nan(test->to, y)))
        return true;
    if (test->reference != ptx_approximate)
        return false;
    if (!ptx_error_of(test, a, b, &relative, &absolute))
        return true;
    double seen = as_double(test->to, x), expected = as_double(test->to, y);
    double size = expected < 0 ? -expected : expected, off = seen - expected;
    return (off < 0 ? -off : off) <= relative * size + absolute;
}
