__global__ void reverse(int *d, int n)
{
    for (int i = threadIdx.x; i < n / 2; i += blockDim.x) {
        int left = d[i];
        d[i] = d[n - 1 - i];
        d[n - 1 - i] = left;
    }
}
