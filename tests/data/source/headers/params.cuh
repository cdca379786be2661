#ifndef PARAMS_CUH
#define PARAMS_CUH
#include "common.h"
#include <map>

enum { RADIUS = 4 };
constexpr int kBlock = divUp(1000, 256) * 64;

struct Params {
    float weight[2 * RADIUS + 1];
    float bias;
};

struct Config {
    Params params;
    int n;
    std::map<std::string, int> options;
};

static __device__ __forceinline__ int globalIndex()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

template <typename T> __global__ void normalize(T *x, int n)
{
    for (int i = globalIndex(); i < n; i += gridDim.x * blockDim.x)
        x[i] = x[i] / T(n);
}
#endif
