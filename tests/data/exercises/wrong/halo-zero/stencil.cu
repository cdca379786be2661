// launch: smem = 4*(bx + 2*radius)
__global__ void stencil(const float *in, float *out, int n, int radius)
{
    extern __shared__ float s[];
    int first = blockIdx.x * blockDim.x - radius, width = blockDim.x + 2 * radius;
    for (int j = threadIdx.x; j < width; j += blockDim.x) {
        int at = first + j;
        s[j] = j >= radius && j < radius + blockDim.x && at < n ? in[at] : 0;
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = 0;
        for (int j = 0; j <= 2 * radius; j++)
            sum += s[threadIdx.x + j];
        out[i] = sum;
    }
}
