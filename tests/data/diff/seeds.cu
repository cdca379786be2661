/* Kernels for tests/diff.sh. Each macro makes one of them worse. */
#ifndef LIVE
#define LIVE 24
#endif
#ifdef SPILL
#define PRESSED __launch_bounds__(1024, 2)
#else
#define PRESSED
#endif
#ifndef BOUND
#define BOUND __launch_bounds__(128)
#endif
#ifndef PROMISE
#define PROMISE __launch_bounds__(256, 2)
#endif
#ifndef TILE
#define TILE 1024
#endif
#ifndef BARRIERS
#define BARRIERS 1
#endif
#ifndef DEPTH
#define DEPTH 4
#endif
#ifndef WIDTH
#define WIDTH 4
#endif
#ifndef UNROLL
#define UNROLL 1
#endif
#ifndef REAL
#define REAL float
#endif
#ifndef SPACE
#define SPACE first
#endif
#ifndef SCALE
#define SCALE scale
#endif
#ifndef HIDDEN
#define HIDDEN 4
#endif
#ifndef INLINE
#define INLINE __forceinline__
#endif

/* N values stay in registers. */
template <int N> __device__ __forceinline__ void hold(float *p, int n)
{
    float v[N];
#pragma unroll
    for (int i = 0; i < N; i++)
        v[i] = p[i * n + threadIdx.x];
    for (int k = 0; k < n; k++) {
#pragma unroll
        for (int i = 0; i < N; i++)
            v[i] = v[i] * v[(i + 1) % N] + v[(i + 7) % N];
    }
#pragma unroll
    for (int i = 0; i < N; i++)
        p[i * n + threadIdx.x] = v[i];
}

__global__ void __launch_bounds__(256) live(float *p, int n) { hold<LIVE>(p, n); }

__global__ void PRESSED pressed(float *p, int n) { hold<40>(p, n); }

__global__ void BOUND bounded(float *p) { p[threadIdx.x] *= 2; }

__global__ void PROMISE promised(float *p) { p[threadIdx.x] *= 3; }

__global__ void tile(float *p)
{
    __shared__ float s[TILE];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[(threadIdx.x * 7) % TILE];
}

__global__ void meet(float *p)
{
    __shared__ float s[256];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 64)
        asm volatile("bar.sync %0, 64;" ::"n"(BARRIERS - 1) : "memory");
    p[threadIdx.x] = s[255 - threadIdx.x];
}

__global__ void stacked(int *p, int n)
{
    int a[DEPTH];
    for (int i = 0; i < DEPTH; i++)
        a[i] = p[i];
    for (int i = 0; i < n; i++)
        a[p[i] & (DEPTH - 1)] += i;
    for (int i = 0; i < DEPTH; i++)
        p[i] = a[p[i + n] & (DEPTH - 1)];
}

template <class T, int N> __global__ void wide(T *p, int n)
{
    T v[N];
#pragma unroll
    for (int i = 0; i < N; i++)
        v[i] = p[i * n];
    for (int k = 0; k < n; k++)
#pragma unroll
        for (int i = 0; i < N; i++)
            v[i] = v[i] * v[(i + 1) % N] + 1;
#pragma unroll
    for (int i = 0; i < N; i++)
        p[i * n] = v[i];
}
template __global__ void wide<REAL, WIDTH>(REAL *, int);

__global__ void rolled(const float *p, float *q, int n)
{
    float s = 0;
    constexpr int factor = UNROLL;
#pragma unroll(factor)
    for (int i = 0; i < n; i++)
        s += p[i * 33] * q[i * 17];
    q[threadIdx.x] = s;
}

__global__ void curved(float *p)
{
    float x = p[threadIdx.x];
    p[threadIdx.x] = sinf(x) / cosf(x + 1) + expf(x) / (1 + x) + powf(x, 3.3f);
}

namespace SPACE {
#ifdef MORE
__global__ void SCALE(float *p, int n) { hold<3>(p, n); }
#else
__global__ void SCALE(float *p, int n) { p[threadIdx.x] *= n; }
#endif
}

namespace {
__global__ void hidden(float *p, int n) { hold<HIDDEN>(p, n); }
}
static __global__ void kept(float *p, int n) { hold<HIDDEN + 2>(p, n); }

__device__ INLINE float helped(float x, float *p) { return x * p[1] + p[2] * p[(int)x]; }
__global__ void helper(float *p) { p[threadIdx.x] = helped(p[threadIdx.x], p) + helped(p[9], p); }

__global__ void heavy(float *p, int n) { hold<96>(p, n); }

#ifndef WITHOUT
__global__ void leaving(float *p) { p[0] = p[1]; }
#endif

void launch(float *p)
{
    hidden<<<1, 64>>>(p, 1);
    kept<<<1, 64>>>(p, 1);
}
