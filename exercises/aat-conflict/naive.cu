__global__ void aat(const float *a, float *c, int m)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int i = 0; i < 32; i++)
        sum += a[row * 32 + i] * a[column * 32 + i];
    c[row * m + column] = sum;
}
