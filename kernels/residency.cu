/* A probe: how many blocks of a given shape reside on one SM at the same time.

   It stands in for a kernel with the same threads per block, registers per thread and shared
   memory. Every block counts itself alive on its SM and then stays until no further block can
   arrive; the largest count seen on an SM is what the hardware really fits. The idea: a block that
   is resident can be seen by the others, so the truth needs no profiler.

   Compile with
     -DLIVE=n          values that each thread keeps in registers while its block stays, with
                       --maxrregcount=(n + 10): so close a cap that ptxas uses exactly n + 10
                       registers, from 24 (the least it can be capped to) to 255. It may spill a
                       word or two, which takes no registers. Below 24 the count is even.
     -DSTATIC_BYTES=n  static shared memory, exactly
   Dynamic shared memory is a matter of the launch: it belongs to the block, touched or not.

   Arguments, all buffers set to 0 before the launch:
     alive  blocks on each SM at this moment, by SM number (%smid); 0 again at the end
     peak   the most ever alive on each SM: the result
     hold   three words: [0] blocks arrived, [1] %globaltimer_lo at the last arrival, [2] "over"
     quiet_ns  a stay is over when no block has arrived anywhere for this long
     limit_ns  a stay is over at the latest when its block is this old
   Both times are nanoseconds below 2^31. SM numbers are below %nsmid, which may be above the number
   of SMs: give alive and peak 4096 elements.

   The protocol: thread 0 of a block raises alive and peak, then notes its arrival, then waits until
   "over" is set, all other threads waiting at a barrier. Whichever block first sees that the whole
   grid has arrived, or that all was quiet for quiet_ns, or that it is limit_ns old, sets "over".
   Blocks that start after that leave at once and count nowhere, so the launch ends about limit_ns
   after its first block at the latest, however large the grid. Launch more blocks than can reside:
   then peak shows that one more did not fit. */

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
    occupied[0] = 0; /* volatile: the array cannot be left out */
#endif
    /* Volatile: each is fetched once, here, and cannot be made again later. */
    const volatile unsigned *source = alive + (blockIdx.x + threadIdx.x) % SM_NUMBERS;
    unsigned value[LIVE + 1];
#pragma unroll
    for (int i = 0; i < LIVE; i++)
        value[i] = *source;

    if (threadIdx.x == 0 && !hold[OVER]) {
        const unsigned sm = sm_number();
        atomicMax(&peak[sm], atomicAdd(&alive[sm], 1) + 1);
        __threadfence(); /* counted before arrived */
        wait_until_over(hold, quiet_ns, limit_ns);
        atomicSub(&alive[sm], 1);
    }
    __syncthreads();

    /* Each value is needed now, on its own: the factor, always 1, is not known before. */
    const unsigned factor = hold[OVER];
    unsigned sum = 0;
#pragma unroll
    for (int i = 0; i < LIVE; i++)
        sum = sum * factor + value[i];
    if (sum == ~0u)
        hold[OVER] = 1; /* as it is already */
}
