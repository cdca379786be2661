/* How many instructions of warps an SM completes in a clock, for one kind of instruction at a time,
   and what a barrier costs.

   One block of 32 warps runs on one SM. Each thread has eight chains of dependent instructions, so
   that eight warps of a sub-partition hide the latency of one another. The operations are written
   as PTX, because the compiler would combine them, and such that the assembler cannot join two.

     ceiling_pipe_issue     float FMA and logic: neither pipe is busier than the issue
     ceiling_pipe_fma       float FMA of three registers that no neighbouring one reads
     ceiling_pipe_imad      integer multiply-add of 32 bits
     ceiling_pipe_wide      the same with a sum of 64 bits, as addresses need
     ceiling_pipe_alu       logic on integers
     ceiling_pipe_special   exponential function (MUFU)
     ceiling_pipe_convert   float to integer
     ceiling_pipe_barrier   barriers of the block

   The FMA of three registers shows the ports of the register file. After each sum of 64 bits an
   exclusive or of its halves, in another pipe, keeps the assembler from dropping one of them.

   With one warp and one chain the same is a latency: ceiling_chain_float, _double, _special and
   _constant, where each load from constant memory gives the offset of the next.

   Arguments:
     sight  receives the clocks of the block
     steps  of each thread, 256 instructions each (barriers: 16)
     a, b   operands that the compiler does not know; odd */

enum { CHAINS = 8, UNROLLED = 32, BARRIERS = 16, CHAIN_UNROLLED = 256 };

/* Every fourth instruction is one of logic, or every second where FMA have half of the lanes. */
#if __CUDA_ARCH__ > 800
enum { EACH = 4 };
#else
enum { EACH = 2 };
#endif

struct sight {
    unsigned long long clocks, ns, address;
};

/* A kernel that begins with DECLARE and repeats OPERATIONS, which use `turn` and `i`. RESULT of
   chain i keeps it from being optimized away. */
#define PIPE(name, declare, operation, result)                                                     \
    extern "C" __global__ void __launch_bounds__(1024)                                             \
        ceiling_pipe_##name(struct sight *sight, unsigned steps, unsigned a, unsigned b)           \
    {                                                                                              \
        unsigned sum = 0;                                                                          \
        declare;                                                                                   \
        __syncthreads();                                                                           \
        const unsigned long long start = clock64();                                                \
        for (unsigned step = 0; step < steps; step++)                                              \
            _Pragma("unroll") for (int turn = 0; turn < UNROLLED; turn++)                          \
                _Pragma("unroll") for (int i = 0; i < CHAINS; i++)                                 \
            {                                                                                      \
                operation;                                                                         \
            }                                                                                      \
        __syncthreads();                                                                           \
        const unsigned long long end = clock64();                                                  \
        _Pragma("unroll") for (int i = 0; i < CHAINS; i++) sum += result;                          \
        if (sum == a + b + 12345) /* hardly ever, and harmless */                                  \
            sight->address = sum;                                                                  \
        if (threadIdx.x == 0)                                                                      \
            sight->clocks = end - start;                                                           \
    }

/* Bits of one operand or of the other. The operands alternate, so that no two can be joined. */
#define SELECT_BITS(x)                                                                             \
    if (turn % 2)                                                                                  \
        asm volatile("lop3.b32 %0, %0, %1, %2, 0xca;" : "+r"(x) : "r"(a), "r"(b));                 \
    else                                                                                           \
        asm volatile("lop3.b32 %0, %0, %1, %2, 0xca;" : "+r"(x) : "r"(c), "r"(d));

#define INTEGERS                                                                                   \
    unsigned x[CHAINS];                                                                            \
    for (int i = 0; i < CHAINS; i++)                                                               \
    x[i] = threadIdx.x + i

#define FLOATS                                                                                     \
    float f[CHAINS];                                                                               \
    for (int i = 0; i < CHAINS; i++)                                                               \
    f[i] = (float)(threadIdx.x + i)

#define WIDE                                                                                       \
    unsigned long long w[CHAINS];                                                                  \
    for (int i = 0; i < CHAINS; i++)                                                               \
    w[i] = (unsigned long long)(threadIdx.x + i) << 32

/* Each chain has factors of its own. */
#define THREE_FLOATS                                                                               \
    float f[CHAINS], y[CHAINS], z[CHAINS];                                                         \
    for (int i = 0; i < CHAINS; i++)                                                               \
    f[i] = (float)i, y[i] = (float)(threadIdx.x * a + i), z[i] = (float)(threadIdx.x * b + i)

#define ISSUE(i)                                                                                   \
    if (i % EACH == EACH - 1) {                                                                    \
        SELECT_BITS(x[i])                                                                          \
    } else {                                                                                       \
        asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(f[i]) : "f"(__uint_as_float(a)));         \
    }
#define FOUR_INTEGERS                                                                              \
    INTEGERS;                                                                                      \
    const unsigned c = a + threadIdx.x, d = b + threadIdx.x

PIPE(issue, FOUR_INTEGERS; FLOATS, ISSUE(i), x[i] + __float_as_uint(f[i]))
PIPE(fma, THREE_FLOATS,
     asm volatile("fma.rn.f32 %0, %1, %2, %0;"
                  : "+f"(f[i])
                  : "f"(y[i]), "f"(z[i])),
     __float_as_uint(f[i]))
PIPE(imad, INTEGERS, asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x[i]) : "r"(a), "r"(b)), x[i])
PIPE(wide, WIDE; const unsigned long long base = (unsigned long long)b << 32 | threadIdx.x;
     , unsigned long long product;
     asm volatile("mul.wide.s32 %0, %1, %2;"
                  : "=l"(product)
                  : "r"((unsigned)w[i] ^ (unsigned)(w[i] >> 32)), "r"(a));
     asm volatile("add.s64 %0, %1, %2;"
                  : "=l"(w[i])
                  : "l"(product), "l"(base)),
     (unsigned)w[i] ^ (unsigned)(w[i] >> 32))
PIPE(alu, FOUR_INTEGERS, SELECT_BITS(x[i]), x[i])
PIPE(special, FLOATS,
     asm volatile("ex2.approx.ftz.f32 %0, %0;"
                  : "+f"(f[i])),
     __float_as_uint(f[i]))
PIPE(convert, FLOATS, int n; asm volatile("cvt.rzi.s32.f32 %0, %1;"
                                          : "=r"(n)
                                          : "f"(f[i]));
     f[i] = __int_as_float(n), __float_as_uint(f[i]))

extern "C" __global__ void ceiling_pipe_barrier(struct sight *sight, unsigned steps)
{
    __syncthreads();
    const unsigned long long start = clock64();
    for (unsigned step = 0; step < steps; step++)
#pragma unroll
        for (int i = 0; i < BARRIERS; i++)
            asm volatile("bar.sync 0;" : : : "memory");
    const unsigned long long end = clock64();
    if (threadIdx.x == 0)
        sight->clocks = end - start;
}

#define CHAIN(name, type, operation)                                                               \
    extern "C" __global__ void ceiling_chain_##name(struct sight *sight, unsigned steps,           \
                                                    unsigned a, unsigned b)                        \
    {                                                                                              \
        type x = (type)(4 * threadIdx.x);                                                          \
        const type factor = (type)1 / (type)(a + 2), addend = (type)b;                             \
        (void)factor, (void)addend;                                                                \
        const unsigned long long start = clock64();                                                \
        for (unsigned step = 0; step < steps; step++)                                              \
            _Pragma("unroll") for (int i = 0; i < CHAIN_UNROLLED; i++)                             \
                operation(x, factor, addend);                                                      \
        const unsigned long long end = clock64();                                                  \
        if (x == (type)-1)                                                                         \
            sight->address = 1;                                                                    \
        if (threadIdx.x == 0)                                                                      \
            sight->clocks = end - start;                                                           \
    }
#define FLOAT_FMA(x, factor, addend)                                                               \
    asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(factor), "f"(addend))
#define DOUBLE_FMA(x, factor, addend)                                                              \
    asm volatile("fma.rn.f64 %0, %0, %1, %2;" : "+d"(x) : "d"(factor), "d"(addend))
#define EXPONENTIAL(x, factor, addend) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x))
#define CONSTANT(x, factor, addend)    x = *(const unsigned *)((const char *)next + x)
static __constant__ unsigned next[64]; /* zeros, which the compiler cannot know */

CHAIN(float, float, FLOAT_FMA)
CHAIN(special, float, EXPONENTIAL)
CHAIN(constant, unsigned, CONSTANT)
CHAIN(double, double, DOUBLE_FMA)
