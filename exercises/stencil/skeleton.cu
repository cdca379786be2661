// launch: smem = 0

__global__ void stencil(const float *in, float *out, int n, int radius)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;

    if (i >= n)
        return;
    for (int j = i - radius; j <= i + radius; j++)
        if (j >= 0 && j < n)
            sum += in[j];
    out[i] = sum;
}
