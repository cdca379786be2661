/* One step of the heat equation on m x n floats: each inner cell moves a quarter of the way towards
   its four neighbours; the border stays. A block has 32 x 8 cells, with their neighbours in shared
   memory. */

enum { COLUMNS = 32, ROWS = 8 };

extern "C" __global__ void stencil_2d(const float *in, float *out, int m, int n)
{
    __shared__ float cell[ROWS + 2][COLUMNS + 2];
    const int column = blockIdx.x * COLUMNS + threadIdx.x, row = blockIdx.y * ROWS + threadIdx.y;
    const int first_column = blockIdx.x * COLUMNS - 1, first_row = blockIdx.y * ROWS - 1;
    const int thread = threadIdx.y * COLUMNS + threadIdx.x;
    for (int i = thread; i < (ROWS + 2) * (COLUMNS + 2); i += ROWS * COLUMNS) {
        const int y = first_row + i / (COLUMNS + 2), x = first_column + i % (COLUMNS + 2);
        cell[i / (COLUMNS + 2)][i % (COLUMNS + 2)] =
            y >= 0 && y < m && x >= 0 && x < n ? in[(size_t)y * n + x] : 0;
    }
    __syncthreads();
    if (row >= m || column >= n)
        return;
    const int y = threadIdx.y + 1, x = threadIdx.x + 1;
    float value = cell[y][x];
    if (row > 0 && row < m - 1 && column > 0 && column < n - 1)
        value +=
            0.25f *
            (0.25f * (cell[y - 1][x] + cell[y + 1][x] + cell[y][x - 1] + cell[y][x + 1]) - value);
    out[(size_t)row * n + column] = value;
}
