// Kernels as values: attributes, occupancy, arrays of function pointers.
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
template <int N> __global__ void work(float *x) { extern __shared__ float s[]; s[threadIdx.x] = x[threadIdx.x] * N; __syncthreads(); x[threadIdx.x] = s[threadIdx.x ^ 1]; }
typedef void (*kernel_t)(float *);
kernel_t table[] = {work<1>, work<2>, &work<3>};
static const std::map<std::string, kernel_t> names = {{"four", work<4>}};
int main()
{
    cudaFuncSetAttribute(work<5>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
    int blocks;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, work<5>, 256, 65536);
    for (auto k : table) k<<<1, 256, 1024>>>(nullptr);
    float *x = nullptr;
    void *args[] = {&x};
    cudaLaunchKernel((const void *)work<6>, 1, 32, args, 0, 0);
    printf("%d\n", std::max(blocks, 1));
}
