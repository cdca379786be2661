// Types that headers of host libraries bring along, and integers that names of kernels show.
#include <cublas_v2.h>
#include <cusparse.h>
#include <cuda/std/cstdint>
#include <cuda_pipeline.h>
#include <cstdint>

struct __align__(8) half_quad { half x, y, z, w; };

__device__ int overloaded(unsigned long) { return 1; }
__device__ int overloaded(unsigned long long) { return 2; }

__global__ void scale(half_quad *p, half f, __nv_bfloat16 *q, cuComplex *c)
{
    p[threadIdx.x].x = p[threadIdx.x].x * f;
    q[threadIdx.x] = q[threadIdx.x] + q[0];
    c[threadIdx.x] = cuCmulf(c[threadIdx.x], c[0]);
}

__global__ void integers(int *o, uint64_t s, cuda::std::int64_t t, uint_fast16_t u, intmax_t v)
{
    *o = overloaded(s) + overloaded(UINT64_C(1)) + overloaded(sizeof t) + (u > UINT32_MAX) + (v < 0);
}

template <class T> __global__ void fill(T *x) { x[threadIdx.x] = T(1); }

void host(cublasHandle_t handle, uint64_t *x) { fill<uint64_t><<<1, 32>>>(x); }
