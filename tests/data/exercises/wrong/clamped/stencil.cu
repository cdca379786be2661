// launch: smem = 4*(bx + 2*radius)
__global__ void stencil(const float *in, float *out, int n, int radius)
{
    extern __shared__ float s[];
    int t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
    for (int j = t; j < blockDim.x + 2 * radius; j += blockDim.x) {
        int i = blockIdx.x * (int)blockDim.x - radius + j;
        s[j] = in[min(max(i, 0), n - 1)];
    }
    __syncthreads();
    float sum = 0;
    for (int j = 0; j <= 2 * radius; j++)
        sum += s[t + j];
    if (g < n)
        out[g] = sum;
}
