__global__ void reverse(int *d, int n)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = d[t];
    __syncthreads();
    d[t] = s[t];
}
