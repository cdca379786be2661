/* The video instructions, over the 32 lanes of a warp: on parts of a word (vadd, vmad), and on two
   or four elements of it (vadd2, vadd4). As the PTX ISA defines them: operands are extended to
   numbers, results are saturated to the destination's type or truncated. */
#include "machine/emulator/emulator_steps.h"

/* The number of `bits` bits at `shift`. */
static int64_t part(uint64_t word, unsigned shift, unsigned bits, bool is_signed)
{
    uint64_t value = word >> shift & ((UINT64_C(1) << bits) - 1);
    bool negative = is_signed && value >> (bits - 1) & 1;
    return negative ? (int64_t)value - (INT64_C(1) << bits) : (int64_t)value;
}

static int64_t clamped(int64_t value, unsigned bits, bool is_signed)
{
    int64_t least = is_signed ? -(INT64_C(1) << (bits - 1)) : 0;
    int64_t most = (INT64_C(1) << (is_signed ? bits - 1 : bits)) - 1;
    return value < least ? least : value > most ? most : value;
}

static bool ops_video_holds(enum smc_video_comparison comparison, int64_t x, int64_t y)
{
    switch (comparison) {
    case SMC_VIDEO_EQ:
        return x == y;
    case SMC_VIDEO_NE:
        return x != y;
    case SMC_VIDEO_LT:
        return x < y;
    case SMC_VIDEO_LE:
        return x <= y;
    case SMC_VIDEO_GT:
        return x > y;
    default:
        return x >= y;
    }
}

/* A left shift by up to 32 that keeps what saturation must know. */
static int64_t shifted_left(int64_t x, uint32_t n)
{
    __int128 wide = (__int128)x * ((__int128)1 << n), limit = INT64_MAX;
    return wide > limit    ? INT64_MAX - UINT32_MAX + (int64_t)(wide & UINT32_MAX)
           : wide < -limit ? INT64_MIN + (int64_t)(wide & UINT32_MAX)
                           : (int64_t)wide;
}

static int64_t computed(const struct smc_video *video, int64_t x, int64_t y)
{
    uint32_t shift = video->wraps ? (uint32_t)y & 31 : y > 32 ? 32 : (uint32_t)y;
    switch ((enum smc_video_function)video->function) {
    case SMC_VIDEO_ADD:
        return x + y;
    case SMC_VIDEO_SUB:
        return x - y;
    case SMC_VIDEO_AVERAGE: /* rounded away from 0 where halves are */
        return x + y >= 0 ? (x + y + 1) >> 1 : (x + y) >> 1;
    case SMC_VIDEO_ABSDIFF:
        return x < y ? y - x : x - y;
    case SMC_VIDEO_MIN:
        return x < y ? x : y;
    case SMC_VIDEO_MAX:
        return x > y ? x : y;
    case SMC_VIDEO_SHL:
        return shifted_left(x, shift);
    case SMC_VIDEO_SHR:
        return x >> shift;
    default:
        return ops_video_holds((enum smc_video_comparison)video->comparison, x, y);
    }
}

/* --- Parts of a word -------------------------------------------------------------------------- */

/* Selectors: 0: the word, 1 to 4: b0 to b3, 5 and 6: h0 and h1. */
static unsigned bits_of(unsigned selector)
{
    return selector == 0 ? 32 : selector < 5 ? 8 : 16;
}

static unsigned shift_of(unsigned selector)
{
    return selector == 0 ? 0 : selector < 5 ? 8 * (selector - 1) : 16 * (selector - 5);
}

static uint32_t ops_video_finished(const struct smc_video *video, const struct smc_op *op,
                                   int64_t value, uint32_t c)
{
    bool is_signed = video->d_signed;
    unsigned bits = bits_of(video->d_select), shift = shift_of(video->d_select);
    int64_t other = is_signed ? (int32_t)c : (int64_t)c;
    if (op->saturates)
        value = clamped(value, bits, is_signed);
    switch ((enum smc_video_second)video->second) {
    case SMC_VIDEO_THEN_ADD:
        return (uint32_t)(value + other);
    case SMC_VIDEO_THEN_MIN:
        return (uint32_t)(value < other ? value : other);
    case SMC_VIDEO_THEN_MAX:
        return (uint32_t)(value > other ? value : other);
    default:
        break;
    }
    if (bits == 32)
        return (uint32_t)value;
    uint32_t mask = ((1u << bits) - 1) << shift;
    return ((uint32_t)value << shift & mask) | (c & ~mask);
}

void smc_video_scalar(SMC_ALU_PARAMETERS)
{
    const lane_u32 *x = a, *y = b, *z = c;
    lane_u32 *result = d;
    struct smc_video video;
    __builtin_memcpy(&video, &op->immediate, sizeof video);
    const unsigned a_shift = shift_of(video.a_select), a_bits = bits_of(video.a_select);
    const unsigned b_shift = shift_of(video.b_select), b_bits = bits_of(video.b_select);
    for (unsigned i = 0; i < SMC_LANES; i++) {
        int64_t value = computed(&video, part(x[i], a_shift, a_bits, video.a_signed),
                                 part(y[i], b_shift, b_bits, video.b_signed));
        result[i] = ops_video_finished(&video, op, value, z[i]);
    }
}

/* vmad: a * b + c, plus one with .po, then shifted; comparison: by how much. */
void smc_video_mad(SMC_ALU_PARAMETERS)
{
    const lane_u32 *x = a, *y = b, *z = c;
    lane_u32 *result = d;
    struct smc_video video;
    __builtin_memcpy(&video, &op->immediate, sizeof video);
    const bool is_signed = video.a_signed || video.b_signed;
    for (unsigned i = 0; i < SMC_LANES; i++) {
        __int128 first =
            part(x[i], shift_of(video.a_select), bits_of(video.a_select), video.a_signed);
        int64_t second =
            part(y[i], shift_of(video.b_select), bits_of(video.b_select), video.b_signed);
        __int128 sum = first * second + (is_signed ? (int32_t)z[i] : (int64_t)z[i]);
        sum = (sum + video.second) >> video.comparison;
        const __int128 most = is_signed ? INT32_MAX : UINT32_MAX, least = is_signed ? INT32_MIN : 0;
        if (op->saturates)
            sum = sum > most ? most : sum < least ? least : sum;
        result[i] = (uint32_t)sum;
    }
}

/* --- Two or four elements --------------------------------------------------------------------- */

/* Element n is that of a and b, taken as one word of 64 bits, which its nibble of `select` names.
 */
static int64_t element(uint64_t both, unsigned select, unsigned n, unsigned bits, bool is_signed)
{
    return part(both, (select >> (4 * n) & 7) * bits, bits, is_signed);
}

void smc_video_elements(SMC_ALU_PARAMETERS)
{
    const lane_u32 *x = a, *y = b, *z = c;
    lane_u32 *result = d;
    struct smc_video video;
    __builtin_memcpy(&video, &op->immediate, sizeof video);
    const unsigned count = op->vector, bits = 32 / count;
    const uint32_t ones = (1u << bits) - 1;
    for (unsigned i = 0; i < SMC_LANES; i++) {
        const uint64_t both = (uint64_t)y[i] << 32 | x[i];
        uint32_t out = z[i];
        for (unsigned n = 0; n < count; n++) {
            int64_t value = computed(&video, element(both, video.a_select, n, bits, video.a_signed),
                                     element(both, video.b_select, n, bits, video.b_signed));
            if (!(video.d_select >> n & 1))
                continue;
            if (op->saturates)
                value = clamped(value, bits, video.d_signed);
            if (video.second == SMC_VIDEO_THEN_ADD)
                out += (uint32_t)value;
            else
                out = (out & ~(ones << (n * bits))) | ((uint32_t)value & ones) << (n * bits);
        }
        result[i] = out;
    }
}
