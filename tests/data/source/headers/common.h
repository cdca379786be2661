#pragma once
#include <cstdio>
#include <cstdlib>
#include <string>
#include <stdexcept>
#include <cuda_runtime.h>

#define CUDA_CHECK(x) cudaCheck((x), __FILE__, __LINE__)

inline void cudaCheck(cudaError_t error, const char *file, int line)
{
    if (error != cudaSuccess)
        throw std::runtime_error(std::string(file) + ":" + std::to_string(line));
}

constexpr int divUp(int a, int b) { return (a + b - 1) / b; }
template <typename T> __host__ __device__ constexpr T square(T x) { return x * x; }
