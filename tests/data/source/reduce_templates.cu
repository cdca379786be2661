// Templates that only the host's launches instantiate, through a switch and a host template.
#include <algorithm>
#include <iostream>
#include <vector>
#include "cuda_runtime.h"
#include "device_launch_parameters.h"

using namespace std;

template <typename T, unsigned int blockSize, bool nIsPow2>
__global__ void reduce(const T *__restrict__ g_in, T *g_out, unsigned int n)
{
    __shared__ T sdata[blockSize];
    T sum = 0;
    for (unsigned i = blockIdx.x * blockSize + threadIdx.x; i < n; i += blockSize * gridDim.x) {
        sum += g_in[i];
        if (nIsPow2 || i + blockSize < n)
            sum = max(sum, g_in[i]);
    }
    sdata[threadIdx.x] = sum;
    __syncthreads();
#pragma unroll
    for (unsigned s = blockSize / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s)
            sdata[threadIdx.x] += sdata[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        g_out[blockIdx.x] = sdata[0];
}

inline bool isPow2(unsigned int x) { return (x & (x - 1)) == 0; }

template <class T> void launch(int threads, int blocks, T *in, T *out, unsigned n)
{
    if (isPow2(n)) {
        switch (threads) {
        case 512: reduce<T, 512, true><<<blocks, threads>>>(in, out, n); break;
        case 256: reduce<T, 256, true><<<blocks, threads>>>(in, out, n); break;
        }
    } else {
        switch (threads) {
        case 512: reduce<T, 512, false><<<blocks, threads>>>(in, out, n); break;
        case 256: reduce<T, 256, false><<<blocks, threads>>>(in, out, n); break;
        }
    }
}

int main()
{
    std::vector<float> h(1 << 20, 1.0f);
    std::sort(h.begin(), h.end(), [](float a, float b) { return a < b; });
    float *in, *out;
    cudaMalloc(&in, h.size() * 4);
    cudaMalloc(&out, 4096);
    launch<float>(256, 64, in, out, h.size());
    launch<double>(512, 64, nullptr, nullptr, 12);
    cout << "done" << endl;
}
