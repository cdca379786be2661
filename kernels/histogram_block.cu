/* The joint histogram of two arrays: how often each pair of values occurs. Every block counts the
   pairs of its part of the arrays, with all bins in its shared memory.

   A value belongs to the bin that its low bits number. Additions to bins are atomic, as several
   threads may meet at one; they are integers, so that their order does not matter. The bins of all
   pairs may be more than fits beside other blocks on an SM, or at all: see histogram_cluster.cu.

   The idea: CUDA C++ Programming Guide, "Distributed Shared Memory".

   -DBINS=n   of each array, a power of two; there are n x n in all
   -DBLOCK=n  threads per block
   Grid: one block for every 64 pairs per thread. */

enum { PAIRS = 64 };

extern "C" __global__ void __launch_bounds__(BLOCK)
    histogram_block(const int *x, const int *y, int *counts, long long length)
{
    extern __shared__ int bins[];

    /* Not unrolled: see reverse_static.cu. */
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < BINS * BINS; i += BLOCK)
        bins[i] = 0;
    __syncthreads();

    const long long first = (long long)blockIdx.x * PAIRS * BLOCK + threadIdx.x;
    for (int pair = 0; pair < PAIRS; pair++) {
        const long long i = first + pair * BLOCK;
        if (i < length)
            atomicAdd(&bins[(x[i] & (BINS - 1)) * BINS + (y[i] & (BINS - 1))], 1);
    }
    __syncthreads();

    int *const mine = counts + (long long)blockIdx.x * BINS * BINS;
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < BINS * BINS; i += BLOCK)
        mine[i] = bins[i];
}
