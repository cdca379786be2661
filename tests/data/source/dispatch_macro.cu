// Launches through macros with parameters, as dispatch code is often written.
#include <stdexcept>
#include <string>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#define DIVUP(a, b) (((a) + (b)-1) / (b))
#define LAUNCH_CASE(T, N)                                                            \
    case N:                                                                          \
        scale<T, N><<<DIVUP(n, N * 128), 128, 0, stream>>>((T *)x, n);                \
        break;
#define DISPATCH(T, width)                                                           \
    switch (width) {                                                                 \
        LAUNCH_CASE(T, 1)                                                            \
        LAUNCH_CASE(T, 2)                                                            \
        LAUNCH_CASE(T, 4)                                                            \
    default:                                                                         \
        throw std::invalid_argument("width " + std::to_string(width));               \
    }
enum class Type { Half, Float };
template <typename T, int N> __global__ void scale(T *x, int n)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * N;
#pragma unroll
    for (int k = 0; k < N; ++k)
        if (i + k < n) x[i + k] = x[i + k] * T(2.0f);
}
void run(Type type, void *x, int n, int width, cudaStream_t stream)
{
    if (type == Type::Half) {
        DISPATCH(__half, width)
    } else {
        DISPATCH(float, width)
    }
}
