// launch: block = 32,8; grid = (rows+7)/8
__global__ void row_sums(const float *a, float *sums, int rows, int columns)
{
    int row = blockIdx.x * 8 + threadIdx.y;
    if (row >= rows)
        return;
    float sum = 0;
    for (int i = threadIdx.x; i < columns; i += 32)
        sum += a[row * columns + i];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (threadIdx.x == 0)
        sums[row] = sum;
}
