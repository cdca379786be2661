__global__ void reverse(int *d, int n)
{
    int i = threadIdx.x;
    if (i < n / 2) {
        int left = d[i];
        d[i] = d[n - 1 - i];
        d[n - 1 - i] = left;
    }
}
