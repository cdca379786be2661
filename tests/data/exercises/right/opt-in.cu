// launch: smem = 4*n
__global__ void reverse(int *d, int n)
{
    extern __shared__ int s[];
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        s[i] = d[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        d[i] = s[n - 1 - i];
}
