/* How often each of 256 values occurs. A block counts in shared memory and then adds its counts to
   those of the others. Compile with -DBLOCK=256. */

enum { BINS = 256 };

extern "C" __global__ void histogram(const int *in, int *bins, int length)
{
    __shared__ int count[BINS];
    for (int i = threadIdx.x; i < BINS; i += BLOCK)
        count[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < length; i += gridDim.x * BLOCK)
        atomicAdd(&count[in[i]], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < BINS; i += BLOCK)
        if (count[i] > 0)
            atomicAdd(&bins[i], count[i]);
}
