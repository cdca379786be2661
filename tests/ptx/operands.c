/* What the cases are tried with: values at the borders, and random ones. */
#include <string.h>

#include "cases.h"

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
