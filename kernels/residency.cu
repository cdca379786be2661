/* A probe: how many blocks of a given shape are resident on one SM at the same time.

   It stands in for a kernel with the same threads per block, registers per thread and shared
   memory. Every block adds itself to the count of its SM and then stays until no further block can
   arrive; the largest count on an SM is what the hardware really fits. Resident blocks can see each
   other, so no profiler is needed.

   Compile with
     -DLIVE=n          values that each thread keeps in registers while its block stays, with
                       --maxrregcount=(n + 10): a cap so tight that ptxas uses exactly n + 10
                       registers, from 24 (the lowest possible cap) to 255. It may spill a word or
                       two, which takes no registers. Below 24 the count is even.
     -DSTATIC_BYTES=n  static shared memory, exactly
   Dynamic shared memory is set by the launch; the block has it whether it uses it or not.

   Arguments, all buffers set to 0 before the launch:
     alive  blocks on each SM at this moment, by SM number (%smid); 0 again at the end
     peak   the most ever alive on each SM: the result
     hold   three words: [0] blocks arrived, [1] %globaltimer_lo at the last arrival, [2] "over"
     quiet_ns  a stay is over when no block has arrived anywhere for this long
     limit_ns  a stay is over at the latest when its block is this old
   Both times are nanoseconds below 2^31. SM numbers are below %nsmid, which may be above the number
   of SMs: give alive and peak 4096 elements.

   The protocol: thread 0 of a block raises alive and peak, then notes its arrival, then waits until
   "over" is set, while all other threads wait at a barrier. Whichever block first sees that the
   whole grid has arrived, or that all was quiet for quiet_ns, or that it is limit_ns old, sets
   "over". Blocks that start after that leave at once and count nowhere, so the launch ends about
   limit_ns after its first block at the latest, however large the grid. Launch more blocks than can
   reside: then peak shows that one more did not fit. */

enum { ARRIVED, LAST_ARRIVAL_NS, OVER };
enum { SM_NUMBERS = 4096 };

static __device__ unsigned now_ns()
{
    unsigned ns;
    asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(ns));
    return ns;
}

static __device__ unsigned sm_number()
{
    unsigned number;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
    return number;
}

static __device__ void wait_until_over(volatile unsigned *hold, unsigned quiet_ns,
                                       unsigned limit_ns)
{
    const unsigned start_ns = now_ns();
    hold[LAST_ARRIVAL_NS] = start_ns;
    atomicAdd((unsigned *)&hold[ARRIVED], 1);
    while (!hold[OVER]) {
        const unsigned last_ns = hold[LAST_ARRIVAL_NS];
        const unsigned ns = now_ns();
        /* Signed: another SM's clock may run slightly ahead. The counter wraps every 4.3 s. */
        if (hold[ARRIVED] == gridDim.x || (int)(ns - last_ns) > (int)quiet_ns ||
            ns - start_ns > limit_ns)
            hold[OVER] = 1;
    }
}

extern "C" __global__ void residency(unsigned *alive, unsigned *peak, volatile unsigned *hold,
                                     unsigned quiet_ns, unsigned limit_ns)
{
#if STATIC_BYTES > 0
    __shared__ volatile char occupied[STATIC_BYTES];
    occupied[0] = 0; /* volatile: the array must not be optimized away */
#endif
    /* Volatile: each is loaded once, here, and cannot be loaded again later. */
    const volatile unsigned *source = alive + (blockIdx.x + threadIdx.x) % SM_NUMBERS;
    unsigned value[LIVE + 1];
#pragma unroll
    for (int i = 0; i < LIVE; i++)
        value[i] = *source;

    if (threadIdx.x == 0 && !hold[OVER]) {
        const unsigned sm = sm_number();
        atomicMax(&peak[sm], atomicAdd(&alive[sm], 1) + 1);
        __threadfence(); /* the count is visible before the arrival */
        wait_until_over(hold, quiet_ns, limit_ns);
        atomicSub(&alive[sm], 1);
    }
    __syncthreads();

    /* Each value is needed separately: the compiler does not know that the factor is 1. */
    const unsigned factor = hold[OVER];
    unsigned sum = 0;
#pragma unroll
    for (int i = 0; i < LIVE; i++)
        sum = sum * factor + value[i];
    if (sum == ~0u)
        hold[OVER] = 1; /* it is 1 already */
}
