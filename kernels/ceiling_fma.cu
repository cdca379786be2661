/* How many fused multiply-adds all SMs together complete in a second.

   An FMA has a latency of a few clocks, so a thread with one chain of dependent operations would
   mostly wait. Eight chains in each thread, and as many warps as an SM holds, keep the lanes busy.
   Nothing is loaded or stored; only registers are used.

   Compile with -DELEMENT=float or double. Each step is 8 x 16 multiply-adds of a thread.

   Arguments:
     sight           receives clocks and nanoseconds of one block: together the SM clock seen
     steps           of each thread
     factor, addend  of x = x * factor + addend; with |factor| < 1 the values stay finite */

enum { CHAINS = 8, UNROLLED = 16 };

struct sight {
    unsigned long long clocks, ns, address;
};

static __device__ unsigned long long now_ns()
{
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}

extern "C" __global__ void ceiling_fma(struct sight *sight, unsigned steps, ELEMENT factor,
                                       ELEMENT addend)
{
    ELEMENT x[CHAINS];
#pragma unroll
    for (int i = 0; i < CHAINS; i++)
        x[i] = (ELEMENT)(threadIdx.x + i);
    const unsigned long long start_ns = now_ns(), start = clock64();
    for (unsigned step = 0; step < steps; step++)
#pragma unroll
        for (int turn = 0; turn < UNROLLED; turn++)
#pragma unroll
            for (int i = 0; i < CHAINS; i++)
                x[i] = x[i] * factor + addend;
    const unsigned long long end = clock64(), end_ns = now_ns();
    ELEMENT sum = 0;
#pragma unroll
    for (int i = 0; i < CHAINS; i++)
        sum += x[i];
    if (sum == (ELEMENT)-1) /* never true; keeps the chains from being optimized away */
        sight->address = 1;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        sight->clocks = end - start;
        sight->ns = end_ns - start_ns;
    }
}
