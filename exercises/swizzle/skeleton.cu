/* out[c][r] = in[r][c], of 32 x 32 elements. */
__global__ void transpose_tile(const float *in, float *out)
{
    __shared__ float tile[32][32];
    int x = threadIdx.x, y = threadIdx.y;

    tile[y][x] = in[y * 32 + x];
    __syncthreads();
    out[y * 32 + x] = tile[x][y];
}
