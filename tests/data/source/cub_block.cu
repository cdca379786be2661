// CUB's block collectives, with the header of everything.
#include <cub/cub.cuh>
#include <cstdio>
#include <vector>
template <int BLOCK, int ITEMS>
__global__ void blockSum(const int *in, int *out)
{
    using Load = cub::BlockLoad<int, BLOCK, ITEMS, cub::BLOCK_LOAD_TRANSPOSE>;
    using Reduce = cub::BlockReduce<int, BLOCK>;
    __shared__ union { typename Load::TempStorage load; typename Reduce::TempStorage reduce; } s;
    int items[ITEMS];
    Load(s.load).Load(in + blockIdx.x * BLOCK * ITEMS, items);
    __syncthreads();
    int sum = Reduce(s.reduce).Sum(items);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
int main()
{
    std::vector<int> h(4096);
    int *d = nullptr;
    blockSum<128, 4><<<8, 128>>>(d, d);
    blockSum<256, 2><<<8, 256>>>(d, d);
}
