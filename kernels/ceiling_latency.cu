/* The latency of one load: a single thread follows a chain of addresses. Each load returns the
   address of the next one, which therefore cannot begin earlier.

   The chain visits the nodes of an array in a random order, which no prefetcher can guess. The
   place of the nodes decides what is measured: shared memory, an array that fits in the L1 cache,
   one that fits only in the L2 cache, or one that fits only in DRAM. Loads of the last two bypass
   L1.

   Arguments:
     sight  address: where to begin; replaced by where the walk ended, so that the next launch
            continues with nodes not yet visited; receives clocks and nanoseconds
     steps  loads, a multiple of 16
     first  for shared memory: nodes of 8 bytes, each holding the number of the next */

enum { UNROLLED = 16, SHARED_NODES = 1024 };

struct sight {
    unsigned long long clocks, ns, address;
};

static __device__ unsigned long long now_ns()
{
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}

/* The walk, for one kind of load. */
#define WALK(load)                                                                                 \
    unsigned long long at = sight->address;                                                        \
    const unsigned long long start_ns = now_ns(), start = clock64();                               \
    for (unsigned step = 0; step < steps; step += UNROLLED)                                        \
        _Pragma("unroll") for (int i = 0; i < UNROLLED; i++)                                       \
            asm volatile(load " %0, [%0];" : "+l"(at) : : "memory");                               \
    const unsigned long long end = clock64(), end_ns = now_ns();                                   \
    sight->address = at;                                                                           \
    sight->clocks = end - start;                                                                   \
    sight->ns = end_ns - start_ns;

extern "C" __global__ void ceiling_latency_l1(struct sight *sight, unsigned steps)
{
    WALK("ld.global.u64")
}

extern "C" __global__ void ceiling_latency_l2(struct sight *sight, unsigned steps)
{
    WALK("ld.global.cg.u64")
}

extern "C" __global__ void ceiling_latency_shared(struct sight *sight, unsigned steps,
                                                  const unsigned long long *first)
{
    __shared__ unsigned long long node[SHARED_NODES];
    const unsigned long long base = __cvta_generic_to_shared(node);
    for (int i = 0; i < SHARED_NODES; i++)
        node[i] = base + 8 * first[i];
    sight->address = base;
    WALK("ld.shared.u64")
}
