/* Reverses d[0] to d[n-1] in place; n is a multiple of the block's 1024 threads. */

// launch: smem = 0

__global__ void reverse(int *d, int n)
{
    __shared__ int s[16384]; /* 64 KB: too much */

    for (int i = threadIdx.x; i < n; i += blockDim.x)
        s[i] = d[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        d[i] = s[n - 1 - i];
}
