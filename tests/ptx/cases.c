/* Cases out of cases.def, all conversions, and those of blocks; their modules. */
#include "block_cases.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/emulator.h"

/* --- The list --------------------------------------------------------------------------------- */

static const struct ptx_case listed[] = {
#define OP(reference, shape, mnemonic) TEXT(reference, shape, mnemonic, NULL)
#define TEXT(reference_, shape_, mnemonic_, text_)                                                 \
    {.mnemonic = mnemonic_, .text = text_, .shape = shape_, .reference = ptx_##reference_},
#include "cases.def"
#undef OP
#undef TEXT
};

enum { LISTED = sizeof listed / sizeof *listed, MOST = LISTED + 1800, NAME_BYTES = 32 };

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
    struct ptx_type found[2] = {0}, type;
    size_t count = 0;
    for (const char *part = strchr(test->mnemonic, '.'); part && count < 2;
         part = strchr(part, '.')) {
        part++;
        if (type_of(part, strcspn(part, "."), &type))
            found[count++] = type;
    }
    test->to = found[0];
    test->from = found[count > 1];
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
        ptx_add_matrix_cases();
        ptx_add_wgmma_cases();
        ptx_add_cluster_cases();
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

size_t ptx_case_count(void)
{
    return all_count;
}

void ptx_set_cluster(size_t first, unsigned blocks)
{
    for (size_t i = first; i < all_count; i++)
        all[i].blocks = blocks;
}

const char *ptx_print(const char *format, ...)
{
    static char pool[1 << 22];
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
    for (const char *at = test->mnemonic; *at;) {
        const char *wanted = name;
        if (*at++ != '.') /* the references ask for each element: no library's functions here */
            continue;
        while (*wanted && *at == *wanted)
            at++, wanted++;
        if (!*wanted && (!*at || *at == '.'))
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

/* The oldest that has the instruction, but at least 9.0. */
static const char *preamble_of(const struct ptx_case *test)
{
    bool halves = ptx_has(test, "f16") || ptx_has(test, "bf16"), adds = ptx_is(test, "add");
    bool mixed = (adds || ptx_is(test, "sub") || ptx_is(test, "fma")) && test->to.bits == 32 &&
                 test->to.class == 'f' && halves;
    bool three = (ptx_is(test, "min") || ptx_is(test, "max")) && strlen(test->shape) == 4;
    if (ptx_is(test, "wgmma"))
        return ".version 8.4\n.target sm_90a\n";
    if (ptx_has(test, "async"))
        return ".version 8.1\n.target sm_90\n";
    if (ptx_is(test, "redux") && ptx_has(test, "f32"))
        return ".version 8.8\n.target sm_100a\n";
    bool tf32 = ptx_has(test, "tf32") && ptx_has(test, "satfinite");
    if (mixed || three || tf32 || ptx_has(test, "f32x2"))
        return ".version 8.8\n.target sm_100\n";
    return ptx_has(test, "e4m3x2") || ptx_has(test, "e5m2x2") || ptx_has(test, "satfinite") ||
                   ptx_has(test, "tf32") || (ptx_is(test, "lop3") && *test->shape == 'p')
               ? ".version 8.6\n.target sm_90\n"
               : ".version 8.0\n.target sm_90\n";
}

const char *ptx_known_difference(const struct ptx_case *test)
{
    static const char *const known[][2] = {
        {"vadd.u32.u32.s32.sat", "the sum of operands of different signs is not saturated"},
        {"vsub.s32.s32.s32.sat", "a byte is saturated as if the difference had no sign"},
        {"vsub.u32.u32.u32", "%d.h1 gets the upper half of the difference"},
        {"vshl.s32.s32.u32.sat.wrap", "what is shifted out does not saturate"},
        {"vmad.u32.u32.u32.sat", "saturated by another rule"},
        {"vmad.u32.u32.u32.sat.shr15", "saturated by another rule"},
        {"mma.m16n8k8.f16.f16.f16.any", "sums in half precision: some results by a last bit"},
        {"mma.m16n8k16.f16.f16.f16.any", "sums in half precision: some results by a last bit"},
        {"wgmma.m64n24k16.f16.f16.f16.any..", "sums in half precision: some results by a last bit"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(test->mnemonic, known[i][0]) == 0)
            return known[i][1];
    return NULL;
}

bool ptx_is_measured(const struct ptx_case *test, unsigned capability)
{
    static const unsigned h100 = 90;
    return capability == h100 &&
           (test->reference == ptx_approximate || test->reference == ptx_function ||
            test->reference == ptx_function_pair);
}

bool ptx_runs_on(const struct ptx_case *test, unsigned capability)
{
    const char *preamble = preamble_of(test);
    const unsigned target = strstr(preamble, "sm_100") ? 100 : 90;
    const bool is_specific = strstr(preamble, "0a\n");
    return is_specific ? capability == target : capability >= target;
}

static const char head[] =
    ".address_size 64\n"
    ".visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd)\n";
static const char clustered[] = ".explicitcluster\n.reqnctapercluster 2, 1, 1\n";
static const char begin[] =
    "{\n"
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
    size_t used = (size_t)snprintf(text, room, "%s%s%s%s", preamble_of(test), head,
                                   test->blocks == 2 ? clustered : "", begin);
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

/* --- On the emulator -------------------------------------------------------------------------- */

void ptx_expect(const struct ptx_case *test, const struct ptx_values *values,
                uint64_t expected[PTX_ELEMENTS])
{
    const uint64_t *a = values->a, *b = values->b, *c = values->c;
    for (size_t i = 0; i < PTX_ELEMENTS && test->reference; i++)
        expected[i] = test->reference(test, a[i], b[i], c[i]);
    const size_t together = PTX_THREADS * (test->blocks ? test->blocks : 1);
    for (size_t i = 0; i < PTX_ELEMENTS && !test->reference; i += together)
        test->block_reference(test, a + i, b + i, c + i, expected + i);
}

enum smc_status ptx_emulate(const struct ptx_case *test, struct ptx_values *values,
                            struct smc_error *error)
{
    static char text[PTX_TEXT_BYTES];
    struct smc_program *program;
    struct smc_emulation emulation = {0};
    struct smc_emulated_array arrays[] = {
        {.name = "a", .data = values->a, .bytes = sizeof values->a},
        {.name = "b", .data = values->b, .bytes = sizeof values->b},
        {.name = "c", .data = values->c, .bytes = sizeof values->c},
        {.name = "d", .data = values->d, .bytes = sizeof values->d}};
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
                                            .threads = 1,
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

/* ex2 and tanh of halves are documented to less than a unit of the last place. */
static bool is_next(uint64_t x, uint64_t y)
{
    for (int shift = 0; shift < 32; shift += 16) {
        int64_t off = (int64_t)(x >> shift & 0xffff) - (int64_t)(y >> shift & 0xffff);
        if (off < -1 || off > 1)
            return false;
    }
    return true;
}

bool ptx_same(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t x, uint64_t y)
{
    double relative, absolute;
    if (test->reference == ptx_function || test->reference == ptx_function_pair)
        return is_next(x, y);
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
