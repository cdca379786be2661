__global__ void reverse(int *d, int n)
{
    int t = threadIdx.x;
    int v = d[n - 1 - t];
    __syncthreads();
    d[t] = v;
}
