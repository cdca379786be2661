__global__ void reverse_groups(const float *in, float *out, int n)
{
    __shared__ float group[128];
    int t = threadIdx.x;
    for (int base = blockIdx.x * 128; base < n; base += gridDim.x * 128) {
        group[t] = in[base + t];
        if (t < 64) __syncthreads();
        out[base + t] = group[127 - t];
        __syncthreads();
    }
}
