// launch: block = 32,32; grid = (columns+31)/32,(rows+31)/32
__global__ void transpose(const float *in, float *out, int rows, int columns)
{
    __shared__ float t[32][33];
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
    if (r < rows && c < columns) t[threadIdx.y][threadIdx.x] = in[r * columns + c];
    __syncthreads();
    int oc = blockIdx.y * 32 + threadIdx.x, orow = blockIdx.x * 32 + threadIdx.y;
    if (orow < columns && oc < rows) out[orow * rows + oc] = t[threadIdx.x][threadIdx.y];
}
