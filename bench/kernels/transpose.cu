/* The transpose of a matrix of m x n floats, 32 x 32 elements a block through shared memory. A row
   of the tile has one more element, so that its columns lie in different banks. */

enum { TILE = 32, ROWS = 8 };

extern "C" __global__ void transpose(const float *in, float *out, int m, int n)
{
    __shared__ float tile[TILE][TILE + 1];
    int column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
#pragma unroll
    for (int i = 0; i < TILE; i += ROWS)
        if (row + i < m && column < n)
            tile[threadIdx.y + i][threadIdx.x] = in[(size_t)(row + i) * n + column];
    __syncthreads();
    column = blockIdx.y * TILE + threadIdx.x;
    row = blockIdx.x * TILE + threadIdx.y;
#pragma unroll
    for (int i = 0; i < TILE; i += ROWS)
        if (row + i < n && column < m)
            out[(size_t)(row + i) * m + column] = tile[threadIdx.x][threadIdx.y + i];
}
