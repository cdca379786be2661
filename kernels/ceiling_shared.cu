/* How many bytes a clock an SM loads from its shared memory without bank conflicts.

   Each lane loads the 16 bytes next to its neighbour's: a warp loads 512 bytes in four wavefronts
   of 128, and every bank serves one word in each. One block is enough, since every SM has its own
   shared memory; its 16 warps take turns, so that the loads of some hide the latency of others.

   The memory holds zeros, which the compiler cannot know. The next address depends on what was
   loaded, so that no load can be hoisted out of the loop.

   Arguments:
     sight  receives the clocks of the block
     steps  of each thread, 4 loads of 16 bytes each; launch one block of 512 threads */

enum { THREADS = 512, LOADS = 4 };

struct sight {
    unsigned long long clocks, ns, address;
};

extern "C" __global__ void ceiling_shared(struct sight *sight, unsigned steps)
{
    __shared__ uint4 memory[THREADS * LOADS];
    for (int i = 0; i < LOADS; i++)
        memory[i * THREADS + threadIdx.x] = make_uint4(0, 0, 0, sight->address != 0);
    unsigned at = threadIdx.x;
    __syncthreads();
    const unsigned long long start = clock64();
    for (unsigned step = 0; step < steps; step++) {
        unsigned sum = 0;
#pragma unroll
        for (int i = 0; i < LOADS; i++) {
            const uint4 value = memory[i * THREADS + at];
            sum |= value.x | value.y | value.z | value.w;
        }
        at ^= sum; /* the sum is 0 */
    }
    __syncthreads();
    const unsigned long long end = clock64();
    if (at != threadIdx.x)
        sight->address = at;
    if (threadIdx.x == 0)
        sight->clocks = end - start;
}
