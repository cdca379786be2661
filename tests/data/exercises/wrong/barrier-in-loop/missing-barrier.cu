#define GROUP 128
__global__ void reverse_groups(const float *in, float *out, int n)
{
    __shared__ float group[GROUP];
    int t = threadIdx.x;
    for (int base = blockIdx.x * GROUP; base < n; base += gridDim.x * GROUP) {
        group[t] = in[base + t];
        __syncthreads();
        out[base + t] = group[GROUP - 1 - t];
    }
}
