/* out[c][r] = in[r][c]; a block has 32 x 8 threads for 32 x 32 elements. */
__global__ void transpose(const float *in, float *out, int rows, int columns)
{
    int column = blockIdx.x * 32 + threadIdx.x;

    for (int i = threadIdx.y; i < 32; i += 8) {
        int row = blockIdx.y * 32 + i;
        if (row < rows && column < columns)
            out[column * rows + row] = in[row * columns + column];
    }
}
