// Products of matrices, as they are usually written.
// @ tiled block 16 16 1 grid 2 2 1 args 64
extern "C" __global__ void tiled(float *c, const float *a, const float *b, int n)
{
    __shared__ float as[16][16], bs[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
    float sum = 0;
    for (int t = 0; t < n / 16; t++) {
        as[ty][tx] = a[row * n + t * 16 + tx];
        bs[ty][tx] = b[(t * 16 + ty) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum += as[ty][k] * bs[k][tx];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

// @ transposed_b block 32 32 1 grid 1 1 1 args 32
extern "C" __global__ void transposed_b(float *c, const float *a, const float *b, int n)
{
    __shared__ float as[32][32], bs[32][32];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 32 + ty, column = blockIdx.x * 32 + tx;
    float sum = 0;
    for (int t = 0; t < n; t += 32) {
        as[ty][tx] = row < n && t + tx < n ? a[row * n + t + tx] : 0;
        bs[ty][tx] = column < n && t + ty < n ? b[(blockIdx.x * 32 + ty) * n + t + tx] : 0;
        __syncthreads();
#pragma unroll 1
        for (int k = 0; k < 32; k++)
            sum += as[ty][k] * bs[tx][k];
        __syncthreads();
    }
    if (row < n && column < n)
        c[row * n + column] = sum;
}

// Each thread computes 4 by 4 elements and loads float4.
// @ blocked block 16 16 1 grid 1 1 1 args 64
extern "C" __global__ void blocked(float *c, const float *a, const float *b, int n)
{
    __shared__ float4 as[8][16];
    __shared__ float4 bs[8][16];
    int t = threadIdx.y * 16 + threadIdx.x;
    float sum[4][4] = {};
    for (int k0 = 0; k0 < n; k0 += 8) {
        if (t < 128) {
            as[t / 16][t % 16] = ((const float4 *)a)[k0 * 16 + t];
            bs[t / 16][t % 16] = ((const float4 *)b)[k0 * 16 + t];
        }
        __syncthreads();
        for (int k = 0; k < 8; k++) {
            float4 x = as[k][threadIdx.y], y = bs[k][threadIdx.x];
            sum[0][0] += x.x * y.x; sum[0][1] += x.x * y.y; sum[0][2] += x.x * y.z; sum[0][3] += x.x * y.w;
            sum[1][0] += x.y * y.x; sum[1][1] += x.y * y.y; sum[1][2] += x.y * y.z; sum[1][3] += x.y * y.w;
            sum[2][0] += x.z * y.x; sum[2][1] += x.z * y.y; sum[2][2] += x.z * y.z; sum[2][3] += x.z * y.w;
            sum[3][0] += x.w * y.x; sum[3][1] += x.w * y.y; sum[3][2] += x.w * y.z; sum[3][3] += x.w * y.w;
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            c[(threadIdx.y * 4 + i) * n + threadIdx.x * 4 + j] = sum[i][j];
}

// Two buffers, which take turns.
// @ two_buffers block 16 16 1 grid 1 1 1 args 64
extern "C" __global__ void two_buffers(float *c, const float *a, const float *b, int n)
{
    __shared__ float as[2][16][17], bs[2][16][17];
    int tx = threadIdx.x, ty = threadIdx.y;
    float sum = 0;
    int buffer = 0;
    as[0][ty][tx] = a[ty * n + tx];
    bs[0][ty][tx] = b[ty * n + tx];
    __syncthreads();
    for (int t = 16; t <= n; t += 16) {
        if (t < n) {
            as[buffer ^ 1][ty][tx] = a[ty * n + t + tx];
            bs[buffer ^ 1][ty][tx] = b[(t + ty) * n + tx];
        }
        for (int k = 0; k < 16; k++)
            sum += as[buffer][ty][k] * bs[buffer][k][tx];
        __syncthreads();
        buffer ^= 1;
    }
    c[ty * n + tx] = sum;
}

// Dynamic shared memory, divided by pointers.
// @ pointers block 16 8 1 grid 1 1 1 smem 4096 args 32
extern "C" __global__ void pointers(float *c, const float *a, const float *b, int n)
{
    extern __shared__ float pool[];
    float *as = pool, *bs = pool + 8 * 16;
    int tx = threadIdx.x, ty = threadIdx.y;
    float sum = 0;
    for (int t = 0; t < n; t += 16) {
        as[ty * 16 + tx] = a[ty * n + t + tx];
        for (int y = ty; y < 16; y += 8)
            bs[y * 16 + tx] = b[(t + y) * n + tx];
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum += as[ty * 16 + k] * bs[k * 16 + tx];
        __syncthreads();
    }
    c[ty * n + tx] = sum;
}
