// launch: block = 128; grid = n/128
__global__ void reverse_groups(const float *in, float *out, int n)
{
    int base = blockIdx.x * blockDim.x;
    if (base + threadIdx.x < n)
        out[base + threadIdx.x] = in[base + blockDim.x - 1 - threadIdx.x];
}
