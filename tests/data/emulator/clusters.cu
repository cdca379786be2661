// Kernels of tests/machine/test_clusters.c. clusters.ptx is made of this file:
//   nvcc -arch=sm_90 -std=c++17 -ptx -lineinfo clusters.cu
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/ptx>

namespace cg = cooperative_groups;

enum { THREADS = 64 };

// Each block writes a part that other blocks read after the grid's barrier, several times.
extern "C" __global__ void grid_rounds(unsigned *out, unsigned *between)
{
    cg::grid_group grid = cg::this_grid();
    const unsigned me = grid.thread_rank(), last = grid.size() - 1;
    unsigned value = me + 1;
    for (int round = 0; round < 4; round++) {
        between[me] = value;
        grid.sync();
        value += 3 * between[last - me];
        grid.sync();
    }
    out[me] = value;
}

// A sum over the grid: shared memory, then atomics, then a barrier.
extern "C" __global__ void grid_sum(unsigned *out, unsigned *between)
{
    __shared__ unsigned sum;
    cg::grid_group grid = cg::this_grid();
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, between[grid.thread_rank()]);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(&out[0], sum);
    grid.sync();
    out[1 + grid.thread_rank()] = out[0] + threadIdx.x;
}

// One block does not come to the grid's barrier.
extern "C" __global__ void grid_without_one(unsigned *out, unsigned *between)
{
    if (blockIdx.x == 1)
        return;
    cg::this_grid().sync();
    out[blockIdx.x] = between[0];
}

// Where a block is in its cluster and in the grid.
extern "C" __global__ void __cluster_dims__(2, 2, 1) where(unsigned *out, unsigned *)
{
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned block = blockIdx.x + gridDim.x * blockIdx.y;
    unsigned x, y, clusters_x, clusters_y, is_explicit;
    asm("mov.u32 %0, %%clusterid.x;" : "=r"(x));
    asm("mov.u32 %0, %%clusterid.y;" : "=r"(y));
    asm("mov.u32 %0, %%nclusterid.x;" : "=r"(clusters_x));
    asm("mov.u32 %0, %%nclusterid.y;" : "=r"(clusters_y));
    asm("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }"
        : "=r"(is_explicit));
    if (threadIdx.x == 0) {
        out[block * 8] = cluster.block_rank();
        out[block * 8 + 1] = cluster.num_blocks();
        out[block * 8 + 2] = cluster.block_index().x;
        out[block * 8 + 3] = cluster.block_index().y;
        out[block * 8 + 4] = x + 100 * clusters_x;
        out[block * 8 + 5] = y + 100 * clusters_y;
        out[block * 8 + 6] = is_explicit;
        out[block * 8 + 7] = cluster.thread_rank();
    }
}

// The same questions in a kernel that may be launched without clusters.
extern "C" __global__ void alone(unsigned *out, unsigned *)
{
    __shared__ unsigned mine[THREADS];
    cg::cluster_group cluster = cg::this_cluster();
    mine[threadIdx.x] = threadIdx.x + cluster.block_rank();
    cluster.sync();
    unsigned *other = cluster.map_shared_rank(mine, cluster.num_blocks() - 1);
    out[blockIdx.x * THREADS + threadIdx.x] =
        other[THREADS - 1 - threadIdx.x] + 1000 * cluster.num_blocks();
    cluster.sync();
}

// A histogram over a cluster: atomics, loads and stores in the next block's shared memory.
extern "C" __global__ void __cluster_dims__(4, 1, 1) shared_of_others(unsigned *out, unsigned *in)
{
    __shared__ unsigned bins[THREADS], copy[THREADS];
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank(), next = (rank + 1) % 4;
    bins[threadIdx.x] = 0;
    cluster.sync();
    for (unsigned r = 0; r < 4; r++)
        atomicAdd(cluster.map_shared_rank(&bins[(threadIdx.x * 7 + r) % THREADS], r),
                  in[blockIdx.x * THREADS + threadIdx.x]);
    cluster.sync();
    cluster.map_shared_rank(copy, next)[THREADS - 1 - threadIdx.x] = bins[threadIdx.x];
    cluster.sync();
    out[blockIdx.x * THREADS + threadIdx.x] =
        copy[threadIdx.x] + 100 * cluster.query_shared_rank(cluster.map_shared_rank(copy, next));
    cluster.sync();
}

// Arrival and wait of the cluster's barrier apart, with global memory between the blocks.
extern "C" __global__ void __cluster_dims__(2, 1, 1) apart(unsigned *out, unsigned *between)
{
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned me = blockIdx.x * THREADS + threadIdx.x;
    between[me] = 5 * me;
    auto token = cluster.barrier_arrive();
    unsigned own = me * me;
    cluster.barrier_wait(std::move(token));
    out[me] = own + between[me ^ THREADS];
}

// Each block arrives at a barrier in the shared memory of block 0, which waits for all.
extern "C" __global__ void __cluster_dims__(4, 1, 1) remote_arrivals(unsigned *out, unsigned *in)
{
    __shared__ alignas(8) uint64_t bar;
    __shared__ unsigned values[4];
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        cuda::ptx::mbarrier_init(&bar, 4);
    cluster.sync();
    if (threadIdx.x == 0) {
        cluster.map_shared_rank(values, 0)[cluster.block_rank()] = in[blockIdx.x];
        cuda::ptx::mbarrier_arrive(cuda::ptx::sem_release, cuda::ptx::scope_cluster,
                                   cuda::ptx::space_cluster, cluster.map_shared_rank(&bar, 0));
    }
    if (cluster.block_rank() == 0) {
        while (!cuda::ptx::mbarrier_try_wait_parity(cuda::ptx::sem_acquire,
                                                    cuda::ptx::scope_cluster, &bar, 0))
            ;
        if (threadIdx.x < 4)
            out[blockIdx.x + threadIdx.x] = 2 * values[threadIdx.x];
    }
    cluster.sync();
}

// Block 0 waits for an arrival that does not come, the other for block 0.
extern "C" __global__ void __cluster_dims__(2, 1, 1) one_waits(unsigned *out, unsigned *)
{
    __shared__ alignas(8) uint64_t bar;
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        cuda::ptx::mbarrier_init(&bar, 1);
    cluster.sync();
    if (cluster.block_rank() == 0)
        while (!cuda::ptx::mbarrier_try_wait_parity(&bar, 0))
            ;
    cluster.sync();
    out[blockIdx.x] = 1;
}

// A read beyond the shared memory of another block.
extern "C" __global__ void __cluster_dims__(2, 1, 1) beyond(unsigned *out, unsigned *)
{
    __shared__ unsigned mine[THREADS];
    cg::cluster_group cluster = cg::this_cluster();
    mine[threadIdx.x] = 1;
    cluster.sync();
    out[threadIdx.x] = cluster.map_shared_rank(mine, 1 - cluster.block_rank())[threadIdx.x + 1];
    cluster.sync();
}

// The second warp does not wait yet when the barrier is complete.
extern "C" __global__ void __cluster_dims__(2, 1, 1) late_wait(unsigned *out, unsigned *)
{
    __shared__ unsigned values[THREADS];
    values[threadIdx.x] = threadIdx.x + 7;
    asm volatile("barrier.cluster.arrive;" ::: "memory");
    if (threadIdx.x >= 32)
        asm volatile("bar.sync 1, 32;" ::: "memory");
    asm volatile("barrier.cluster.wait;" ::: "memory");
    out[blockIdx.x * THREADS + threadIdx.x] = values[THREADS - 1 - threadIdx.x];
}
