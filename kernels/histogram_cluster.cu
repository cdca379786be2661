/* The joint histogram of histogram_block.cu, with the bins spread over the blocks of a cluster.

   The blocks of a cluster (CC 9.0 and newer) run at the same time, and each can access the shared
   memory of the others: distributed shared memory, which cooperative groups reach through
   cluster.map_shared_rank(). Every block holds an equal part of the bins and adds to those of all
   blocks. A block thus needs less shared memory, more blocks fit on an SM, and a histogram may be
   larger than the shared memory of one block; but most additions go to another SM.

   No block may access another one's bins before that has started and cleared them, nor may it end
   while others still add to its own: the cluster waits for all of its blocks before the first
   addition and after the last.

   Before CC 9.0 the same source runs without a cluster, with all bins in one block.

   -DBINS=n   of each array, a power of two; there are n x n in all
   -DBLOCK=n  threads per block
   Grid: one block for every 64 pairs per thread, in whole clusters of a power of two. */

enum { PAIRS = 64 };

#if __CUDA_ARCH__ >= 900
static __device__ __forceinline__ unsigned blocks_of_cluster()
{
    unsigned blocks;
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
    return blocks;
}

static __device__ __forceinline__ unsigned rank_in_cluster()
{
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

static __device__ __forceinline__ void sync_cluster()
{
    asm volatile("barrier.cluster.arrive.release.aligned;\n\t"
                 "barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

/* Adds 1 to `bin` of the block with that rank, whose shared memory is laid out as this block's. */
static __device__ __forceinline__ void count_at(int *bin, unsigned rank)
{
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(there)
        : "r"((unsigned)__cvta_generic_to_shared(bin)), "r"(rank));
    asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], 1;" ::"r"(there) : "memory");
}
#else
static __device__ __forceinline__ unsigned blocks_of_cluster()
{
    return 1;
}

static __device__ __forceinline__ unsigned rank_in_cluster()
{
    return 0;
}

static __device__ __forceinline__ void sync_cluster()
{
    __syncthreads();
}

static __device__ __forceinline__ void count_at(int *bin, unsigned)
{
    atomicAdd(bin, 1);
}
#endif

extern "C" __global__ void __launch_bounds__(BLOCK)
    histogram_cluster(const int *x, const int *y, int *counts, long long length)
{
    extern __shared__ int bins[];
    const unsigned blocks = blocks_of_cluster();
    const unsigned part = BINS * BINS / blocks; /* of the bins, in each block */
    const unsigned bits = __ffs(part) - 1;

    /* Not unrolled: see reverse_static.cu. */
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < part; i += BLOCK)
        bins[i] = 0;
    sync_cluster();

    const long long first = (long long)blockIdx.x * PAIRS * BLOCK + threadIdx.x;
    for (int pair = 0; pair < PAIRS; pair++) {
        const long long i = first + pair * BLOCK;
        if (i < length) {
            const unsigned bin = (x[i] & (BINS - 1)) * BINS + (y[i] & (BINS - 1));
            count_at(&bins[bin & (part - 1)], bin >> bits);
        }
    }
    sync_cluster();

    int *const mine = counts + (long long)(blockIdx.x / blocks) * BINS * BINS +
                      rank_in_cluster() * part;
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < part; i += BLOCK)
        mine[i] = bins[i];
}
