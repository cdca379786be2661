__global__ void row_sums(const float *a, float *sums, int rows, int columns)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;

    if (row >= rows)
        return;
    for (int i = 0; i < columns; i++)
        sum += a[row * columns + i];
    sums[row] = sum;
}
