// What nvcc has in device code without a header: GCC's predefined macros, and the toolkit's version.
#include <cuda.h>
#include <driver_functions.h>
#include <device_functions.h>
#include <cuda_runtime_api.h>
#include <math_constants.h>

#if CUDA_VERSION < 9000 || CUDART_VERSION < 9000 || !defined(__linux__) || __SIZEOF_POINTER__ != 8
#error old
#endif

__global__ void limits(const float *x, float *y, double *z, int n)
{
    float m = -__FLT_MAX__;
    for (int i = threadIdx.x; i < n && i < __INT_MAX__; i += blockDim.x)
        m = fmaxf(m, x[i] * CUDART_PI_F);
    y[threadIdx.x] = m + __FLT_EPSILON__;
    z[threadIdx.x] = __DBL_MAX__ / (1 << __CHAR_BIT__) + __DBL_MIN__;
}

__global__ void widths(__SIZE_TYPE__ *sizes, __INT64_TYPE__ *most, __uint128_t *product)
{
    sizes[threadIdx.x] = __SIZEOF_LONG__ + __SIZEOF_INT__ * blockDim.x;
    most[threadIdx.x] = __LONG_LONG_MAX__ - __SHRT_MAX__ - __UINT32_MAX__;
#ifdef __SIZEOF_INT128__
    product[threadIdx.x] = (__uint128_t)sizes[threadIdx.x] * most[threadIdx.x];
#endif
}

__global__ void implicit(uint *a, ulong *b, int64_t *c, float *x)
{
    a[threadIdx.x] = INT_MAX + CHAR_BIT;
    b[threadIdx.x] = sizeof(std::size_t) + sizeof(u_int16_t) + RAND_MAX;
    c[threadIdx.x] = std::is_same<int64_t, long>::value;
    x[threadIdx.x] = M_PI * std::sqrt(x[0]) + (std::isnan(x[1]) ? INFINITY : NAN);
}

int main()
{
    cudaExtent extent = make_cudaExtent(1, 1, 1);
    limits<<<extent.width, 128>>>(nullptr, nullptr, nullptr, 0);
}
