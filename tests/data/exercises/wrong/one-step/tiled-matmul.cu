#define T 16
__global__ void matmul(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float as[T][T], bs[T][T];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * T + ty, col = blockIdx.x * T + tx;
    float sum = 0;
    for (int p = 0; p < k / T; p++) {
        sum = 0;
        as[ty][tx] = a[row * k + p * T + tx];
        bs[ty][tx] = b[(p * T + ty) * n + col];
        __syncthreads();
        for (int i = 0; i < T; i++)
            sum += as[ty][i] * bs[i][tx];
        __syncthreads();
    }
    c[row * n + col] = sum;
}
