// Transposes: plain, padded, swizzled, of other types and shapes.
// @ plain block 32 8 1 grid 2 2 1 args 64
extern "C" __global__ void plain(float *out, const float *in, int n)
{
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

// @ padded block 32 8 1 grid 2 2 1 args 64
extern "C" __global__ void padded(float *out, const float *in, int n)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < n && y + j < n)
            tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < n && y + j < n)
            out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

// @ swizzled block 16 16 1 grid 2 2 1 args 64
extern "C" __global__ void swizzled(double *out, const double *in, int n)
{
    __shared__ double tile[16 * 16];
    int tx = threadIdx.x, ty = threadIdx.y;
    tile[ty * 16 + (tx ^ ty)] = in[(blockIdx.y * 16 + ty) * n + blockIdx.x * 16 + tx];
    __syncthreads();
    out[(blockIdx.x * 16 + ty) * n + blockIdx.y * 16 + tx] = tile[tx * 16 + (tx ^ ty)];
}

// @ bytes block 64 2 1 grid 1 1 1 args 64
extern "C" __global__ void bytes(unsigned char *out, const unsigned char *in, int n)
{
    __shared__ unsigned char tile[64][64];
    for (int y = threadIdx.y; y < 64; y += blockDim.y)
        tile[y][threadIdx.x] = in[y * n + threadIdx.x];
    __syncthreads();
    for (int y = threadIdx.y; y < 64; y += blockDim.y)
        out[y * n + threadIdx.x] = tile[threadIdx.x][y];
}

// @ halves block 8 32 1 grid 1 1 1 args 32
extern "C" __global__ void halves(unsigned short *out, const unsigned short *in, int n)
{
    __shared__ unsigned short tile[32][34];
    for (int x = threadIdx.x; x < 32; x += 8)
        tile[threadIdx.y][x] = in[threadIdx.y * n + x];
    __syncthreads();
    for (int x = threadIdx.x; x < 32; x += 8)
        out[threadIdx.y * n + x] = tile[x][threadIdx.y];
}

template <int W, int P, class T> __device__ void any_transpose(T *out, const T *in)
{
    __shared__ T tile[W][W + P];
    for (int i = threadIdx.x; i < W * W; i += blockDim.x)
        tile[i / W][i % W] = in[i];
    __syncthreads();
    for (int i = threadIdx.x; i < W * W; i += blockDim.x)
        out[i] = tile[i % W][i / W];
}
// @ any24 block 96 1 1 grid 1 1 1
extern "C" __global__ void any24(int *out, const int *in) { any_transpose<24, 0>(out, in); }
// @ any20 block 64 1 1 grid 1 1 1
extern "C" __global__ void any20(double *out, const double *in) { any_transpose<20, 1>(out, in); }
// @ any64 block 256 1 1 grid 1 1 1
extern "C" __global__ void any64(short *out, const short *in) { any_transpose<64, 2>(out, in); }
