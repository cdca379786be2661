// Thrust on the host's side, and a kernel of one's own.
#include <thrust/device_vector.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <iostream>
__global__ void histogram(const int *x, int *bins, int n)
{
    __shared__ int local[64];
    if (threadIdx.x < 64) local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&local[x[i] & 63], 1);
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}
struct is_even { bool operator()(int x) const { return x % 2 == 0; } };
int main()
{
    thrust::device_vector<int> x(1000, 3), bins(64);
    histogram<<<1, 256>>>(thrust::raw_pointer_cast(x.data()), thrust::raw_pointer_cast(bins.data()), 1000);
    std::cout << bins[0] << is_even()(2) << std::endl;
}
