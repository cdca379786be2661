// Kernels for the tests of inspect: launch bounds, spills, barriers, clusters, a C++ name. Compile
// with nvcc -cubin -Xptxas -v; the .cubin and .ptxas files beside it were made of it so.
extern "C" __global__ void __launch_bounds__(128, 3) bounded(float *p)
{
    __shared__ float s[500];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[threadIdx.x ^ 1];
}

extern "C" __global__ void __launch_bounds__(1024, 2) spilling(float *p, int n)
{
    float a[48];
    for (int i = 0; i < 48; i++)
        a[i] = p[i * 1024 + threadIdx.x];
    for (int k = 0; k < n; k++)
#pragma unroll
        for (int i = 0; i < 48; i++)
            a[i] = a[i] * a[(i + 7) % 48] + a[(i + 3) % 48];
    for (int i = 0; i < 48; i++)
        p[i] = a[i];
}

template <typename T, int N> __global__ void six_barriers(T *p)
{
    extern __shared__ T dynamic[];
    dynamic[threadIdx.x] = p[threadIdx.x * N];
    asm volatile("bar.sync 5;");
    p[threadIdx.x] = dynamic[threadIdx.x ^ 1];
}
template __global__ void six_barriers<float, 4>(float *);
