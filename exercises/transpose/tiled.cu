__global__ void transpose(const float *in, float *out, int rows, int columns)
{
    __shared__ float tile[32][33];
    int x = threadIdx.x, y = threadIdx.y;
    int top = blockIdx.y * 32, left = blockIdx.x * 32;

    for (int i = y; i < 32; i += 8)
        if (top + i < rows && left + x < columns)
            tile[i][x] = in[(top + i) * columns + left + x];
    __syncthreads();
    for (int i = y; i < 32; i += 8)
        if (left + i < columns && top + x < rows)
            out[(left + i) * rows + top + x] = tile[x][i];
}
