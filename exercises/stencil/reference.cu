__global__ void stencil(const float *in, float *out, int n, int radius)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int j = i - radius; j <= i + radius; j++)
        if (j >= 0 && j < n)
            sum += in[j];
    out[i] = sum;
}
