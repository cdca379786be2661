__global__ void histogram(const int *data, int *bins, int n)
{
    __shared__ int h[256];
    int t = threadIdx.x;
    h[t] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += blockDim.x)
        atomicAdd(&h[data[i]], 1);
    __syncthreads();
    atomicAdd(&bins[t], h[t]);
}
