// launch: block = 256; grid = rows
__global__ void row_sums(const float *a, float *sums, int rows, int columns)
{
    for (int i = threadIdx.x; i < columns; i += 256)
        atomicAdd(&sums[blockIdx.x], a[blockIdx.x * columns + i]);
}
