__global__ void reverse_groups(const float *in, float *out, int n)
{
    __shared__ float group[2][128];
    int t = threadIdx.x, which = 0;
    for (int base = blockIdx.x * 128; base < n; base += gridDim.x * 128, which ^= 1) {
        group[which][t] = in[base + t];
        __syncthreads();
        out[base + t] = group[which][127 - t];
    }
}
