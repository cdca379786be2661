__global__ void transpose_tile(const float *in, float *out)
{
    out[threadIdx.x * 32 + threadIdx.y] = in[threadIdx.y * 32 + threadIdx.x];
}
