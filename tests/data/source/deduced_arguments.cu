// Kernel templates whose arguments the compiler deduces from the launch.
#include <vector>
#include <cstdint>
#include <cuda_runtime.h>
template <typename T> __global__ void fill(T *p, T value, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) p[i] = value;
}
template <typename In, typename Out> __global__ void convert(const In *in, Out *out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = static_cast<Out>(in[i]);
}
template <int N = 4, typename T> __global__ void unrolled(T *x)
{
#pragma unroll
    for (int k = 0; k < N; k++) x[threadIdx.x * N + k] *= T(2);
}
struct Buffers { std::vector<float> host; };
void go(float *d_f, int count)
{
    uint8_t *d_b = nullptr;
    double *d_d, *d_e;
    float zero = 0.f;
    cudaMalloc(&d_d, 8 * count);
    fill<<<count / 256, 256>>>(d_f, zero, (size_t)count);
    convert<<<12, 128>>>(d_f, d_b, count);
    convert<<<12, 128>>>(d_d, d_f, count);
    unrolled<8><<<1, 32>>>(d_e);
}
int main() { Buffers b; go(nullptr, 12); }
