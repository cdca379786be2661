// Code that depends on which compiler reads it: NVRTC must compile what nvcc does.
#include "headers/alignment.h"

#ifndef __NVCC__
#error another compiler
#endif

struct ALIGNED(32) packet {
    float x;
};

__global__ void aligned(packet *p)
{
    __shared__ packet s[8];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[threadIdx.x ^ 1];
}

__global__ void tile(float *x)
{
#if defined(__CUDACC_RTC__)
    __shared__ float s[32];
#else
    __shared__ float s[128];
#endif
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = s[threadIdx.x ^ 1];
}
