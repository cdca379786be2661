/* How many multiply-adds the tensor cores of an SM complete in a clock, for one type at a time.

   One block runs on one SM. Each of its warps has several accumulators, so that no instruction waits
   for the one before it. The rates depend on neither the shape nor the values of the operands once
   the shape is large enough, as these are.

     ceiling_mma_fp16, _bf16, _tf32, _int8, _fp64            mma.sync, from 8.0 on
     ceiling_wgmma_fp16, _bf16, _tf32, _int8, _fp8           wgmma of one warpgroup, with both
                                                             operands in shared memory; 9.0 alone

   Sums have 32 bits, those of FP64 64 bits. Elsewhere a kernel reports no clocks: the rate is not
   measured.

   Arguments:
     sight  receives the clocks of the block
     steps  of each warp, 131072 multiply-adds each
     a, b   operands that the compiler does not know */

enum { STEP_FMAS = 131072, CHAINS = 4, WARPS_OF_GROUP = 4 };

struct sight {
    unsigned long long clocks, ns, address;
};

/* --- mma.sync --------------------------------------------------------------------------------- */

#if __CUDA_ARCH__ >= 800
#define MMA_BODY(type, fmas, operation)                                                            \
    type d[CHAINS][4];                                                                             \
    for (int i = 0; i < CHAINS; i++)                                                               \
        for (int k = 0; k < 4; k++)                                                                \
            d[i][k] = 0;                                                                           \
    type sum = 0;                                                                                  \
    __syncthreads();                                                                               \
    const unsigned long long start = clock64();                                                    \
    for (unsigned step = 0; step < steps; step++)                                                  \
        _Pragma("unroll 8") for (int turn = 0; turn < STEP_FMAS / (fmas) / CHAINS; turn++)         \
            _Pragma("unroll") for (int i = 0; i < CHAINS; i++)                                     \
        {                                                                                          \
            operation(d[i]);                                                                       \
        }                                                                                          \
    __syncthreads();                                                                               \
    const unsigned long long end = clock64();                                                      \
    for (int i = 0; i < CHAINS; i++)                                                               \
        sum += d[i][0] + d[i][3];                                                                  \
    if (sum == (type)12345) /* hardly ever, and harmless */                                        \
        sight->address = 1;                                                                        \
    if (threadIdx.x == 0)                                                                          \
        sight->clocks = end - start;
#else
#define MMA_BODY(type, fmas, operation)
#endif

#define MMA(name, type, fmas, operation)                                                           \
    extern "C" __global__ void __launch_bounds__(1024)                                             \
        ceiling_mma_##name(struct sight *sight, unsigned steps, unsigned a, unsigned b)            \
    {                                                                                              \
        MMA_BODY(type, fmas, operation)                                                            \
    }

#define PRODUCT(shape, add, d)                                                                     \
    asm volatile("mma.sync.aligned." shape " {%0, %1, %2, %3}, {%4, %5, %4, %5}, {%4, %5}, "       \
                 "{%0, %1, %2, %3};"                                                               \
                 : add(d[0]), add(d[1]), add(d[2]), add(d[3])                                      \
                 : "r"(a), "r"(b))
#define FP16(d) PRODUCT("m16n8k16.row.col.f32.f16.f16.f32", "+f", d)
#define BF16(d) PRODUCT("m16n8k16.row.col.f32.bf16.bf16.f32", "+f", d)
#define TF32(d) PRODUCT("m16n8k8.row.col.f32.tf32.tf32.f32", "+f", d)
#define INT8(d) PRODUCT("m16n8k32.row.col.s32.s8.s8.s32", "+r", d)
#if __CUDA_ARCH__ >= 900
enum { FP64_FMAS = 16 * 8 * 4 };
#define FP64(d)                                                                                    \
    asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, "   \
                 "{%4}, {%0, %1, %2, %3};"                                                         \
                 : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])                                  \
                 : "d"((double)a), "d"((double)b))
#else
enum { FP64_FMAS = 8 * 8 * 4 };
#define FP64(d)                                                                                    \
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, "          \
                 "{%0, %1};"                                                                       \
                 : "+d"(d[0]), "+d"(d[1])                                                          \
                 : "d"((double)a), "d"((double)b))
#endif

MMA(fp16, float, 16 * 8 * 16, FP16)
MMA(bf16, float, 16 * 8 * 16, BF16)
MMA(tf32, float, 16 * 8 * 8, TF32)
MMA(int8, int, 16 * 8 * 32, INT8)
MMA(fp64, double, FP64_FMAS, FP64)

/* --- wgmma ------------------------------------------------------------------------------------ */

/* Tiles of 64 and of 128 rows of 128 bytes, swizzled by 128 bytes, and their descriptors. */
#define ROW_BYTES  128
#define A_BYTES    (64 * ROW_BYTES)
#define B_BYTES    (128 * ROW_BYTES)
#define DESCRIPTOR 0x4000004000010000ull

/* Sixty-four accumulators, and a wgmma of 64 x 128 with them. */
#define TEN(d)   d "0, " d "1, " d "2, " d "3, " d "4, " d "5, " d "6, " d "7, " d "8, " d "9, "
#define ALL      TEN("d1") TEN("d2") TEN("d3") TEN("d4") TEN("d5") TEN("d6") "d70, d71, d72, d73"
#define ONE(how) "wgmma.mma_async.sync.aligned.m64n128" how ";\n"
#define FLOATS   " {" ALL "}, %3, %4, 1, 1, 1, 0, 0"
#define OTHERS   " {" ALL "}, %3, %4, 1, 1, 1"
#define NUMBERS  " {" ALL "}, %3, %4, 1"

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
#define WGMMA_BODY(type, products)                                                                 \
    __shared__ __align__(1024) unsigned char operands[A_BYTES + B_BYTES];                          \
    for (unsigned i = threadIdx.x; i < (A_BYTES + B_BYTES) / sizeof(unsigned); i += blockDim.x)    \
        ((unsigned *)operands)[i] = a;                                                             \
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");                                 \
    __syncthreads();                                                                               \
    const unsigned at = (unsigned)__cvta_generic_to_shared(operands);                              \
    const unsigned long long from = DESCRIPTOR | at >> 4, other = from + (A_BYTES >> 4);           \
    unsigned some;                                                                                 \
    const unsigned long long start = clock64();                                                    \
    asm volatile("{\n.reg .pred p;\n.reg .u32 i;\n.reg ." type " d<74>;\n"                         \
                 "mov.u32 i, %2;\nagain:\nwgmma.fence.sync.aligned;\n" products                    \
                 "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 1;\n"            \
                 "sub.u32 i, i, 1;\nsetp.ne.u32 p, i, 0;\n@p bra again;\n"                         \
                 "wgmma.wait_group.sync.aligned 0;\nmov.b32 %0, d10;\n}"                           \
                 : "=r"(some)                                                                      \
                 : "r"(b), "r"(steps), "l"(from), "l"(other)                                       \
                 : "memory");                                                                      \
    const unsigned long long end = clock64();                                                      \
    if (some == b + 12345)                                                                         \
        sight->address = some;                                                                     \
    if (threadIdx.x == 0)                                                                          \
        sight->clocks = end - start;
#else
#define WGMMA_BODY(type, products)
#endif

/* A warp has a quarter of the rows of its warpgroup. */
#define WGMMA(name, type, products)                                                                \
    extern "C" __global__ void __launch_bounds__(128)                                              \
        ceiling_wgmma_##name(struct sight *sight, unsigned steps, unsigned a, unsigned b)          \
    {                                                                                              \
        WGMMA_BODY(type, products)                                                                 \
    }

#define FOUR(x) x x x x
WGMMA(fp16, "f32", FOUR(ONE("k16.f32.f16.f16" FLOATS)))
WGMMA(bf16, "f32", FOUR(ONE("k16.f32.bf16.bf16" FLOATS)))
WGMMA(tf32, "f32", FOUR(ONE("k8.f32.tf32.tf32" OTHERS) ONE("k8.f32.tf32.tf32" OTHERS)))
WGMMA(int8, "s32", ONE("k32.s32.s8.s8" NUMBERS) ONE("k32.s32.s8.s8" NUMBERS))
WGMMA(fp8, "f32", ONE("k32.f32.e4m3.e4m3" OTHERS) ONE("k32.f32.e4m3.e4m3" OTHERS))
