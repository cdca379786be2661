/* The softmax of each row of m x n floats, one block a row: the largest value, the sum of the
   exponentials, the quotients. Compile with -DBLOCK=256. */

enum { WARPS = BLOCK / 32 };

/* The sum or the maximum of all threads of the block, for all of them. */
static __device__ float combine(float value, bool adds, float *of_warp)
{
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
        const float other = __shfl_xor_sync(0xffffffff, value, distance);
        value = adds ? value + other : fmaxf(value, other);
    }
    __syncthreads(); /* nobody still reads what the call before left */
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    value = of_warp[0];
    for (int i = 1; i < WARPS; i++)
        value = adds ? value + of_warp[i] : fmaxf(value, of_warp[i]);
    return value;
}

extern "C" __global__ void softmax(const float *in, float *out, int n)
{
    __shared__ float of_warp[WARPS];
    const float *row = in + (size_t)blockIdx.x * n;
    float largest = row[0], sum = 0;
    for (int i = threadIdx.x; i < n; i += BLOCK)
        largest = fmaxf(largest, row[i]);
    largest = combine(largest, false, of_warp);
    for (int i = threadIdx.x; i < n; i += BLOCK)
        sum += __expf(row[i] - largest);
    sum = combine(sum, true, of_warp);
    for (int i = threadIdx.x; i < n; i += BLOCK)
        out[(size_t)blockIdx.x * n + i] = __expf(row[i] - largest) / sum;
}
