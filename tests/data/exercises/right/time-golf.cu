// launch: block = 256; grid = rows
__global__ void row_sums(const float *a, float *sums, int rows, int columns)
{
    __shared__ float s[256];
    float sum = 0;
    for (int i = threadIdx.x; i < columns; i += 256) sum += a[blockIdx.x * columns + i];
    s[threadIdx.x] = sum;
    for (int d = 128; d; d /= 2) {
        __syncthreads();
        if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = s[0];
}
