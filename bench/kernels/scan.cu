/* Prefix sums of integers within each block's elements: by shuffles within a warp, then over the
   sums of the warps. Compile with -DBLOCK=256. */

enum { WARPS = BLOCK / 32 };

static __device__ int scan_of_warp(int value)
{
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
        const int before = __shfl_up_sync(0xffffffff, value, distance);
        if (lane >= distance)
            value += before;
    }
    return value;
}

extern "C" __global__ void scan(const int *in, int *out, int length)
{
    __shared__ int of_warp[32];
    const int i = blockIdx.x * BLOCK + threadIdx.x, warp = threadIdx.x / 32;
    int sum = scan_of_warp(i < length ? in[i] : 0);
    if (threadIdx.x % 32 == 31)
        of_warp[warp] = sum;
    __syncthreads();
    if (warp == 0)
        of_warp[threadIdx.x] = scan_of_warp(threadIdx.x < WARPS ? of_warp[threadIdx.x] : 0);
    __syncthreads();
    if (warp > 0)
        sum += of_warp[warp - 1];
    if (i < length)
        out[i] = sum;
}
