/* Sums of integers, one for each block: every thread adds up its elements, a warp adds up its
   threads by shuffles, and the first warp adds up the warps. Compile with -DBLOCK=256. */

enum { WARPS = BLOCK / 32 };

static __device__ int sum_of_warp(int value)
{
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2)
        value += __shfl_down_sync(0xffffffff, value, distance);
    return value;
}

extern "C" __global__ void reduction(const int *in, int *sums, int length)
{
    __shared__ int of_warp[WARPS];
    int sum = 0;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < length; i += gridDim.x * BLOCK)
        sum += in[i];
    sum = sum_of_warp(sum);
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = sum_of_warp(threadIdx.x < WARPS ? of_warp[threadIdx.x] : 0);
        if (threadIdx.x == 0)
            sums[blockIdx.x] = sum;
    }
}
