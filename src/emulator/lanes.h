/* Arrays of 32 lanes, in terms that the compiler turns into vector instructions. */
#ifndef SMC_EMULATOR_LANES_H
#define SMC_EMULATOR_LANES_H

#include <stdint.h>

enum { SMC_LANES = 32 };

/* A register is written as one type and read as another. */
typedef uint32_t __attribute__((may_alias)) lane_u32;
typedef uint64_t __attribute__((may_alias)) lane_u64;
typedef int32_t __attribute__((may_alias)) lane_s32;
typedef int64_t __attribute__((may_alias)) lane_s64;
typedef float __attribute__((may_alias)) lane_f32;
typedef double __attribute__((may_alias)) lane_f64;

/* A loop over the lanes, none of which depends on another. */
#ifdef __clang__ /* finds that out when it runs */
#define EACH_LANE(i) for (unsigned i = 0; i < SMC_LANES; i++)
#else
#define EACH_LANE(i) _Pragma("GCC ivdep") for (unsigned i = 0; i < SMC_LANES; i++)
#endif

/* A loop over the lanes whose bit is set. */
#define EACH_ACTIVE(i, mask)                                                                       \
    for (uint32_t left_##i = (mask), i; left_##i && (i = (uint32_t)__builtin_ctz(left_##i), 1);    \
         left_##i &= left_##i - 1)

extern const uint32_t smc_lane_bit[SMC_LANES]; /* 1 << lane: no shift by a variable */

static inline uint32_t smc_lane_count(uint32_t mask)
{
    return mask == UINT32_MAX ? SMC_LANES : (uint32_t)__builtin_popcount(mask);
}

/* 32 bytes, each 0 or 1, into a mask. */
static inline uint32_t smc_mask_of(const uint8_t flag[SMC_LANES])
{
    uint32_t mask = 0;
    for (unsigned i = 0; i < SMC_LANES / 8; i++) {
        uint64_t eight;
        __builtin_memcpy(&eight, flag + 8 * i, sizeof eight);
        mask |= (uint32_t)(eight * UINT64_C(0x0102040810204080) >> 56) << (8 * i);
    }
    return mask;
}

#endif
