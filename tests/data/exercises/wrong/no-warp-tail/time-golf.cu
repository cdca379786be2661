// launch: block = 256; grid = (rows + 7) / 8
__global__ void row_sums(const float *a, float *sums, int rows, int columns)
{
    int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float s = 0;
    for (int i = 0; i < columns / 32; i++)
        s += a[row * columns + i * 32 + lane];
    for (int d = 16; d > 0; d /= 2)
        s += __shfl_down_sync(~0u, s, d);
    if (lane == 0)
        sums[row] = s;
}
