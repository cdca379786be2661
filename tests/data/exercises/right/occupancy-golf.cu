// launch: block = 128
__global__ void filter(const float *in, float *out, int n)
{
    __shared__ float s[128 + 8];
    int t = threadIdx.x, first = blockIdx.x * 128 - 4;
    for (int j = t; j < 128 + 7; j += 128)
        s[j] = first + j >= 0 && first + j < n ? in[first + j] : 0;
    __syncthreads();
    float sum = 0;
    for (int j = 0; j < 8; j++) sum += s[t + j];
    if (blockIdx.x * 128 + t < n) out[blockIdx.x * 128 + t] = sum;
}
