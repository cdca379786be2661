__global__ void reverse(int *d, int n)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = d[t];
    d[t] = s[n - 1 - t];
}
