#define T 16
__global__ void matmul(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float as[T][T], bs[T][T];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * T + ty, col = blockIdx.x * T + tx;
    float sum = 0;
    for (int p = 0; p < (k + T - 1) / T; p++) {
        as[ty][tx] = row < m && p * T + tx < n ? a[row * k + p * T + tx] : 0;
        bs[ty][tx] = col < n && p * T + ty < m ? b[(p * T + ty) * n + col] : 0;
        __syncthreads();
        for (int i = 0; i < T; i++)
            sum += as[ty][i] * bs[i][tx];
        __syncthreads();
    }
    if (row < m && col < n)
        c[row * n + col] = sum;
}
