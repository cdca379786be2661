#define TILE 32

/* c = a * a^T; a has m rows of 32 elements, m is a multiple of 32. */
__global__ void aat(const float *a, float *c, int m)
{
    __shared__ float rows[TILE][TILE], columns[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0;

    rows[y][x] = a[row * TILE + x];
    columns[y][x] = a[(blockIdx.x * TILE + y) * TILE + x];
    __syncthreads();
    for (int i = 0; i < TILE; i++)
        sum += rows[y][i] * columns[x][i];
    c[row * m + column] = sum;
}
