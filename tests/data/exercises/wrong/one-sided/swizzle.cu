__global__ void transpose_tile(const float *in, float *out)
{
    __shared__ float s[32][32];
    int x = threadIdx.x, y = threadIdx.y;
    s[y][x ^ y] = in[y * 32 + x];
    __syncthreads();
    out[y * 32 + x] = s[x][y];
}
