// Kernels that macros define, one for each type.
#include <cstdint>
#include <iostream>
#define DEFINE_SCALE(type, name)                                                     \
    __global__ void scale_##name(type *x, type f, int n)                             \
    {                                                                                \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                               \
        if (i < n)                                                                   \
            x[i] = op_##name(x[i], f);                                               \
    }
#define DEFINE_OP(type, name) static __device__ type op_##name(type a, type b) { return a * b; }
#define FOR_ALL(F) F(float, f32) F(double, f64) F(int32_t, i32)
DEFINE_OP(float, f32)
DEFINE_OP(double, f64)
DEFINE_OP(int32_t, i32)
DEFINE_SCALE(float, f32)
DEFINE_SCALE(double, f64)
DEFINE_SCALE(int32_t, i32)
#define KERNEL extern "C" __global__ void
KERNEL plain(float *x) { x[threadIdx.x] = __expf(x[threadIdx.x]); }
#define PRINT(x) std::cout << #x << " = " << (x) << std::endl
int main() { scale_f32<<<1, 32>>>(nullptr, 2.f, 4); PRINT(1 + 1); return 0; }
