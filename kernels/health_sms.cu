/* Does every lane of every SM compute correctly, and does its shared memory keep what it is given?

   Each block takes a whole SM: the launch gives it as much shared memory as a block may have, so
   that as many blocks as there are SMs run at the same time, each on an SM of its own. A thread
   computes one long chain for each unit of its SM: integers, floats, doubles, halves, special
   functions, exchanges within the warp, products of matrices. Every chain begins with the number
   of the lane and is made only of instructions whose result is defined to the last bit, so that its
   end is known: all warps of all SMs must arrive at the same 32 values, which the emulator computed
   (data/health_lanes.csv). A wrong value names the SM, the warp's sub-partition and the lane.

   Then all of the dynamic shared memory is filled with values that depend on the address, and each
   word is read back by another thread; and the same again with every bit the opposite.

   Arguments:
     seen    for each block, by its number: the SM (%smid), wrong words of shared memory, and then
             FAULTS times the number of a wrong word and its wrong bits
     chains  for each block, for each thread: the end of each unit's chain, and the number of its
             warp on the SM (%warpid), which determines the sub-partition
     words   of dynamic shared memory
     fault   for tests: what is to go wrong. A chain's value has the bits `mask` changed after step
             `step`, or word `step` of shared memory after it was written

   `fault.lane` and `fault.part` may be ALL. The chains of matrices are 0 before CC 8.0. */

enum { STEPS = 512, FAULTS = 7, THREADS = 1024, WARP = 32, PARTS = 4 };
enum { INTEGER, FLOAT, DOUBLE, HALF, SPECIAL, EXCHANGE, MATRIX, WARP_NUMBER, VALUES };
enum { SHARED = VALUES, NOTHING }; /* further units of a fault */
enum { ALL = ~0u };

struct seen {
    unsigned sm, wrong;
    struct {
        unsigned word, bits;
    } fault[FAULTS];
};

struct fault {
    unsigned unit, sm, part, lane, step, mask;
};

static __device__ unsigned sm_number()
{
    unsigned number;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
    return number;
}

static __device__ unsigned warp_number()
{
    unsigned number;
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(number));
    return number;
}

static __device__ unsigned rotate(unsigned x, unsigned bits)
{
    return __funnelshift_l(x, x, bits);
}

/* The bits to change in this thread after this step; 0 in all others. */
struct change {
    unsigned step, mask;
};

static __device__ unsigned at(const struct change &change, unsigned step)
{
    return step == change.step ? change.mask : 0;
}

/* --- One chain for each unit ---------------------------------------------------------------------- */

static __device__ unsigned integers(unsigned lane, const struct change &change)
{
    unsigned x = lane * 0x9e3779b9u + 1, sum = 0;
    for (unsigned step = 0; step < STEPS; step++) {
        x = x * 1664525u + 1013904223u;
        sum += __umulhi(x, 0xcafebabeu) ^ rotate(x, sum & 31);
        sum ^= (x >> 7) + __popc(x) * 0x01010101u + (__clz(x | 1) << 20);
        sum = max(sum, x) - min(sum >> 3, x >> 5) + __byte_perm(sum, x, 0x6314);
        sum = ((sum & x) | (~sum & rotate(x, 11))) + __brev(x) + (unsigned)__dp4a((int)x, (int)sum, 7);
        x ^= at(change, step);
    }
    return sum;
}

/* Values stay between 1 and 2, and every product and sum is rounded. */
static __device__ unsigned floats(unsigned lane, const struct change &change)
{
    float x = 1.0f + lane * 0.03f, factor = 0.61803399f, addend = 0.55f + lane * 0.005f;
    unsigned sum = 0;
    for (unsigned step = 0; step < STEPS; step++) {
        x = __fmaf_rn(x, factor, addend);
        float y = __fmul_rn(x, 1.1920929f), z = __fadd_rn(y, -0.3f);
        x = fminf(fmaxf(__fmaf_rn(z, -0.37f, x), 0.25f), 1.75f);
        unsigned bits = __float_as_uint(x) ^ at(change, step);
        x = __uint_as_float((bits & 0x007fffffu) | 0x3f800000u);
        sum = rotate(sum, 5) ^ bits ^ __float_as_uint(z);
    }
    return sum;
}

static __device__ unsigned doubles(unsigned lane, const struct change &change)
{
    double x = 1.0 + lane * 0.03, factor = 0.6180339887498949, addend = 0.55 + lane * 0.005;
    unsigned sum = 0;
    for (unsigned step = 0; step < STEPS; step++) {
        x = __fma_rn(x, factor, addend);
        double y = __dmul_rn(x, 1.19209289550781), z = __dadd_rn(y, -0.3);
        x = __fma_rn(z, -0.37, x);
        unsigned low = (unsigned)__double2loint(x) ^ at(change, step);
        unsigned high = (unsigned)__double2hiint(x);
        x = __hiloint2double((int)((high & 0x000fffffu) | 0x3ff00000u), (int)low);
        sum = rotate(sum, 5) ^ low ^ rotate(high, 9) ^ (unsigned)__double2hiint(z);
    }
    return sum;
}

/* Two halves at a time, between 1 and 2. */
static __device__ unsigned halves(unsigned lane, const struct change &change)
{
    unsigned x = 0x3c003c00u + lane * 0x00110007u, sum = 0;
    const unsigned factor = 0x38f138e2u, addend = 0x39123a01u;
    for (unsigned step = 0; step < STEPS; step++) {
        asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(x) : "r"(factor), "r"(addend));
        unsigned y;
        asm volatile("mul.rn.f16x2 %0, %1, %2;" : "=r"(y) : "r"(x), "r"(addend));
        asm volatile("add.rn.f16x2 %0, %0, %1;" : "+r"(y) : "r"(x));
        x ^= at(change, step) ^ (step * 0x00210013u & 0x03ff03ffu);
        sum = rotate(sum, 7) ^ x ^ rotate(y, 3);
        x = (x & 0x03ff03ffu) | 0x3c003c00u;
    }
    return sum;
}

static __device__ unsigned specials(unsigned lane, const struct change &change)
{
    unsigned x = lane * 0x85ebca6bu + 0x1234567u, sum = 0;
    for (unsigned step = 0; step < STEPS / 4; step++) {
        x = x * 1664525u + 1013904223u;
        const float from = __uint_as_float((x >> 9) | 0x3f800000u); /* 1 to 2 */
        float ex2, lg2, sin, cos, rcp, rsqrt;
        asm volatile("ex2.approx.ftz.f32 %0, %1;" : "=f"(ex2) : "f"(from));
        asm volatile("lg2.approx.ftz.f32 %0, %1;" : "=f"(lg2) : "f"(from));
        asm volatile("sin.approx.ftz.f32 %0, %1;" : "=f"(sin) : "f"(from));
        asm volatile("cos.approx.ftz.f32 %0, %1;" : "=f"(cos) : "f"(from));
        asm volatile("rcp.approx.ftz.f32 %0, %1;" : "=f"(rcp) : "f"(from));
        asm volatile("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(rsqrt) : "f"(from));
        sum = rotate(sum, 5) ^ __float_as_uint(ex2) ^ rotate(__float_as_uint(lg2), 3);
        sum += __float_as_uint(sin) ^ rotate(__float_as_uint(cos), 7);
        sum ^= __float_as_uint(rcp) + rotate(__float_as_uint(rsqrt), 11);
        sum ^= at(change, step);
    }
    return sum;
}

/* The values of other lanes are computed anew, so that a wrong lane spoils few results of others. */
static __device__ unsigned exchanges(unsigned lane, const struct change &change)
{
    unsigned sum = 0;
    for (unsigned step = 0; step < STEPS; step++) {
        const unsigned own = (lane + 32 * step) * 0x9e3779b9u;
        sum = rotate(sum, 5) ^ __shfl_xor_sync(ALL, own, step % WARP);
        sum += __shfl_sync(ALL, own, (lane * 5 + step) % WARP);
        sum ^= __shfl_up_sync(ALL, own, 1 + step % 7) ^ __shfl_down_sync(ALL, own, 1 + step % 5);
        sum += __ballot_sync(ALL, own >> 31);
        sum ^= at(change, step);
    }
    return sum;
}

/* Integers exactly; the floats are whole numbers so small that every sum is exact. */
static __device__ unsigned matrices(unsigned lane, const struct change &change)
{
    unsigned sum = 0;
#if __CUDA_ARCH__ >= 800
    for (unsigned step = 0; step < STEPS / 8; step++) {
        unsigned a[4], b[2], h[4], g[2];
        int c[4];
        float f[4];
        for (unsigned i = 0; i < 4; i++) {
            a[i] = (lane * 4 + i + step * 128) * 0x9e3779b9u;
            h[i] = 0x3c003c00u + (a[i] & 0x03000300u); /* 1, 1.25, 1.5, 1.75 */
            c[i] = (int)(lane + i);
            f[i] = (float)(lane + i);
        }
        for (unsigned i = 0; i < 2; i++) {
            b[i] = (lane * 2 + i + step * 64) * 0x85ebca6bu;
            g[i] = 0x3c003c00u + (b[i] & 0x03000300u);
        }
        asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, "
                     "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                     "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3])
                     : "r"(h[0]), "r"(h[1]), "r"(h[2]), "r"(h[3]), "r"(g[0]), "r"(g[1]));
        for (unsigned i = 0; i < 4; i++)
            sum = rotate(sum, 5) ^ (unsigned)c[i] ^ rotate(__float_as_uint(f[i]), 9);
        sum ^= at(change, step);
    }
#endif
    return sum;
}

/* --- Shared memory -------------------------------------------------------------------------------- */

static __device__ unsigned pattern(unsigned word, unsigned inverse)
{
    return (word * 0x9e3779b9u ^ word >> 3) ^ inverse;
}

static __device__ void try_words(unsigned *shared, unsigned words, unsigned inverse,
                                 struct seen *seen, const struct change &change)
{
    for (unsigned i = threadIdx.x; i < words; i += THREADS)
        shared[i] = pattern(i, inverse);
    __syncthreads();
    if (threadIdx.x == 0 && change.mask && change.step < words)
        shared[change.step] ^= change.mask;
    __syncthreads();
    for (unsigned i = threadIdx.x; i < words; i += THREADS) {
        const unsigned other = words - 1 - i;
        const unsigned bits = shared[other] ^ pattern(other, inverse);
        if (bits) {
            const unsigned place = atomicAdd(&seen->wrong, 1);
            if (place < FAULTS) {
                seen->fault[place].word = other;
                seen->fault[place].bits = bits;
            }
        }
    }
    __syncthreads();
}

extern "C" __global__ void __launch_bounds__(THREADS)
    health_sms(struct seen *seen, unsigned *chains, unsigned words, struct fault fault)
{
    extern __shared__ unsigned shared[];
    const unsigned sm = sm_number(), warp = warp_number();
    const unsigned lane = threadIdx.x % WARP;
    const bool here = sm == fault.sm;
    const bool hurt = here && (fault.lane == ALL || fault.lane == lane) &&
                      (fault.part == ALL || fault.part == warp % PARTS);
    unsigned *value = chains + (blockIdx.x * (size_t)THREADS + threadIdx.x) * VALUES;
    struct change change = {fault.step, 0};
#define CHANGE(UNIT) (change.mask = hurt && fault.unit == UNIT ? fault.mask : 0, change)
    value[INTEGER] = integers(lane, CHANGE(INTEGER));
    value[FLOAT] = floats(lane, CHANGE(FLOAT));
    value[DOUBLE] = doubles(lane, CHANGE(DOUBLE));
    value[HALF] = halves(lane, CHANGE(HALF));
    value[SPECIAL] = specials(lane, CHANGE(SPECIAL));
    value[EXCHANGE] = exchanges(lane, CHANGE(EXCHANGE));
    value[MATRIX] = matrices(lane, CHANGE(MATRIX));
    value[WARP_NUMBER] = warp;
    if (threadIdx.x == 0) {
        seen[blockIdx.x].sm = sm;
        seen[blockIdx.x].wrong = 0;
    }
    change.mask = here && fault.unit == SHARED ? fault.mask : 0;
    __syncthreads();
    try_words(shared, words, 0, &seen[blockIdx.x], change);
    try_words(shared, words, ~0u, &seen[blockIdx.x], change);
}
