// Cooperative groups.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
namespace cg = cooperative_groups;
__device__ float tileSum(const cg::thread_block_tile<32> &tile, float v)
{
    return cg::reduce(tile, v, cg::plus<float>());
}
__global__ void dot(const float *a, const float *b, float *out, int n)
{
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    float v = 0;
    for (int i = block.group_index().x * block.size() + block.thread_rank(); i < n; i += gridDim.x * block.size())
        v += a[i] * b[i];
    v = tileSum(tile, v);
    if (tile.thread_rank() == 0) atomicAdd(out, v);
}
int main()
{
    int n = 1024, blocks = 0;
    float *a = nullptr;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, dot, 256, 0);
    void *args[] = {&a, &a, &a, &n};
    cudaLaunchCooperativeKernel((void *)dot, dim3(blocks), dim3(256), args);
    printf("%d\n", blocks);
}
