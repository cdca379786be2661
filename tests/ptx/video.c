/* The video instructions, by the PTX ISA's definition: operands as numbers of any size. */
#include <stdlib.h>
#include <string.h>

#include "cases.h"

typedef __int128 number;

/* What comes after the n-th register of the text: "%a.h1" has "h1". */
static const char *selector(const struct ptx_case *test, char name)
{
    static char out[8];
    char wanted[] = {'%', name, '.', '\0'};
    const char *at = strstr(test->text, wanted);
    size_t bytes = 0;
    if (at)
        bytes = strcspn(at + 3, ",;");
    memcpy(out, at ? at + 3 : "", bytes);
    out[bytes] = '\0';
    return out;
}

/* The n-th type of the mnemonic has a sign. */
static bool has_sign(const struct ptx_case *test, int n)
{
    const char *at = test->mnemonic;
    for (; n >= 0; n--)
        at = strchr(at, '.') + 1;
    return *at == 's';
}

static number part(uint64_t word, unsigned shift, unsigned bits, bool is_signed)
{
    number value = word >> shift & ((UINT64_C(1) << bits) - 1), all = (number)1 << bits;
    return is_signed && value >= all / 2 ? value - all : value;
}

static number clamp(number x, unsigned bits, bool is_signed)
{
    number all = (number)1 << bits, least = is_signed ? -all / 2 : 0;
    number most = is_signed ? all / 2 - 1 : all - 1;
    return x < least ? least : x > most ? most : x;
}

static number operate(const struct ptx_case *test, number x, number y)
{
    const char *name = test->mnemonic;
    number shift = ptx_has(test, "wrap") ? y % 32 : y > 32 ? 32 : y;
    if (!strncmp(name, "vadd", 4))
        return x + y;
    if (!strncmp(name, "vsub", 4))
        return x - y;
    if (!strncmp(name, "vavrg", 5)) /* rounds halves away from zero */
        return x + y >= 0 ? (x + y + 1) / 2 : -((-(x + y) + 1) / 2);
    if (!strncmp(name, "vabsdiff", 8))
        return x > y ? x - y : y - x;
    if (!strncmp(name, "vmin", 4))
        return x < y ? x : y;
    if (!strncmp(name, "vmax", 4))
        return x > y ? x : y;
    if (!strncmp(name, "vshl", 4))
        return x * ((number)1 << shift);
    if (!strncmp(name, "vshr", 4))
        return x >> shift;
    return ptx_has(test, "eq")   ? x == y
           : ptx_has(test, "ne") ? x != y
           : ptx_has(test, "lt") ? x < y
           : ptx_has(test, "le") ? x <= y
           : ptx_has(test, "gt") ? x > y
                                 : x >= y;
}

static void place_of(const char *selector_, unsigned *shift, unsigned *bits)
{
    unsigned number_ = *selector_ ? (unsigned)selector_[1] - '0' : 0;
    *bits = *selector_ == 'b' ? 8 : *selector_ == 'h' ? 16 : 32;
    *shift = *bits * number_;
}

static uint64_t scalar(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    bool sets = ptx_is(test, "vset"), multiplies = ptx_is(test, "vmad");
    unsigned shift, bits;
    place_of(selector(test, 'a'), &shift, &bits);
    number x = part(a, shift, bits, has_sign(test, !sets));
    place_of(selector(test, 'b'), &shift, &bits);
    number y = part(b, shift, bits, has_sign(test, 1 + !sets));
    place_of(selector(test, 'd'), &shift, &bits);
    bool is_signed = !sets && has_sign(test, 0);
    if (multiplies) {
        is_signed = has_sign(test, 1) || has_sign(test, 2);
        number sum = x * y + part(c, 0, 32, is_signed) + ptx_has(test, "po");
        sum >>= ptx_has(test, "shr7") ? 7 : ptx_has(test, "shr15") ? 15 : 0;
        return (uint64_t)(ptx_has(test, "sat") ? clamp(sum, 32, is_signed) : sum) & UINT32_MAX;
    }
    number value = operate(test, x, y), other = part(c, 0, 32, is_signed);
    if (ptx_has(test, "sat"))
        value = clamp(value, bits, is_signed);
    value = ptx_has(test, "add")   ? value + other
            : ptx_has(test, "min") ? value < other ? value : other
            : ptx_has(test, "max") ? value > other ? value : other
                                   : value;
    if (bits == 32)
        return (uint64_t)value & UINT32_MAX;
    uint64_t ones = ((UINT64_C(1) << bits) - 1) << shift;
    return (((uint64_t)value << shift) & ones) | (c & ~ones);
}

static bool is_masked(const char *mask, unsigned n)
{
    return !*mask || strchr(mask + 1, (int)('0' + n));
}

static uint64_t elements(const struct ptx_case *test, unsigned count, uint64_t a, uint64_t b,
                         uint64_t c)
{
    bool sets = !strncmp(test->mnemonic, "vset", 4), is_signed = !sets && has_sign(test, 0);
    unsigned bits = 32 / count;
    uint64_t ones = (UINT64_C(1) << bits) - 1, both = b << 32 | a, out = c;
    char first[8], second[8];
    strcpy(first, selector(test, 'a'));
    strcpy(second, selector(test, 'b'));
    if (!*first)
        strcpy(first, count == 2 ? "h10" : "b3210");
    if (!*second)
        strcpy(second, count == 2 ? "h32" : "b7654");
    for (unsigned n = 0; n < count; n++) {
        unsigned i = (unsigned)first[count - n] - '0', k = (unsigned)second[count - n] - '0';
        number value = operate(test, part(both, i * bits, bits, has_sign(test, !sets)),
                               part(both, k * bits, bits, has_sign(test, 1 + !sets)));
        if (!is_masked(selector(test, 'd'), n))
            continue;
        if (ptx_has(test, "sat"))
            value = clamp(value, bits, is_signed);
        if (ptx_has(test, "add"))
            out += (uint64_t)value;
        else
            out = (out & ~(ones << n * bits)) | ((uint64_t)value & ones) << n * bits;
    }
    return out & UINT32_MAX;
}

uint64_t ptx_video(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    size_t bytes = strcspn(test->mnemonic, ".");
    char last = test->mnemonic[bytes - 1];
    if (last == '2' || last == '4')
        return elements(test, (unsigned)last - '0', a, b, c);
    return scalar(test, a, b, c);
}
