/* Sorts each 2 x BLOCK integers in shared memory by Batcher's bitonic network. Compile with
   -DBLOCK=256. */

enum { COUNT = 2 * BLOCK };

extern "C" __global__ void bitonic_sort(const int *in, int *out)
{
    __shared__ int value[COUNT];
    const size_t first = (size_t)blockIdx.x * COUNT;
    value[threadIdx.x] = in[first + threadIdx.x];
    value[threadIdx.x + BLOCK] = in[first + threadIdx.x + BLOCK];
    for (int size = 2; size <= COUNT; size *= 2)
        for (int distance = size / 2; distance > 0; distance /= 2) {
            __syncthreads();
            const int low = 2 * threadIdx.x - (threadIdx.x & (distance - 1));
            const int a = value[low], b = value[low + distance];
            const bool ascends = (low & size) == 0;
            if ((a > b) == ascends) {
                value[low] = b;
                value[low + distance] = a;
            }
        }
    __syncthreads();
    out[first + threadIdx.x] = value[threadIdx.x];
    out[first + threadIdx.x + BLOCK] = value[threadIdx.x + BLOCK];
}
