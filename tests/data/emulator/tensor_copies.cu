// Kernels of tests/machine/test_tensor_copies.c and of the GPU's tests. tensor_copies.ptx is made of this
// file:
//   nvcc -arch=sm_90 -std=c++17 -ptx -lineinfo tensor_copies.cu
#include <cstdint>
#include <cuda.h>

enum { IMAGE_BYTES = 16384, PATTERN = 0x5a5a5a5a };
constexpr unsigned HOLE = 0xdeadbeef;

struct place {
    int x, y, z, u, v;      // coordinates
    unsigned bytes;         // of the box in shared memory
    unsigned offset;        // of the box in the image
    unsigned blocks;        // that a copy is for
};

struct __align__(1024) image {
    unsigned word[IMAGE_BYTES / 4];
};

__device__ unsigned shared(const void *at)
{
    return (unsigned)__cvta_generic_to_shared(at);
}

__device__ void begin(uint64_t *bar, unsigned bytes)
{
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared(bar)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared(bar)), "r"(bytes) : "memory");
    }
}

__device__ void wait(uint64_t *bar)
{
    unsigned done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(shared(bar)) : "memory");
}

// The image begins as a pattern, then as `in`.
__device__ void fill(image &tile, const unsigned *in)
{
    for (unsigned i = threadIdx.x; i < IMAGE_BYTES / 4; i += blockDim.x)
        tile.word[i] = in ? in[i] : PATTERN;
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
}

__device__ void save(const image &tile, unsigned *out)
{
    for (unsigned i = threadIdx.x; i < IMAGE_BYTES / 4; i += blockDim.x)
        out[i] = tile.word[i];
}

#define COORDINATES_1 "{%2}"
#define COORDINATES_2 "{%2, %3}"
#define COORDINATES_3 "{%2, %3, %4}"
#define COORDINATES_4 "{%2, %3, %4, %5}"
#define COORDINATES_5 "{%2, %3, %4, %5, %6}"
#define OPERANDS(at, map, bar) ::"r"(at), "l"(&map), "r"(to.x), "r"(to.y), "r"(to.z), "r"(to.u), "r"(to.v), "r"(bar) : "memory"

#define LOAD(n)                                                                                    \
    extern "C" __global__ void load_##n(unsigned *out, const unsigned *,                            \
                                        const __grid_constant__ CUtensorMap map,                    \
                                        const __grid_constant__ place to)                           \
    {                                                                                              \
        __shared__ image tile;                                                                     \
        __shared__ uint64_t bar;                                                                   \
        begin(&bar, to.bytes);                                                                     \
        fill(tile, nullptr);                                                                       \
        if (threadIdx.x == 0)                                                                      \
            asm volatile("cp.async.bulk.tensor." #n "d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, " COORDINATES_##n "], [%7];" OPERANDS(shared(&tile) + to.offset, map, shared(&bar))); \
        wait(&bar);                                                                                \
        save(tile, out);                                                                           \
    }

#define STORE(n)                                                                                   \
    extern "C" __global__ void store_##n(unsigned *, const unsigned *in,                            \
                                         const __grid_constant__ CUtensorMap map,                   \
                                         const __grid_constant__ place to)                          \
    {                                                                                              \
        __shared__ image tile;                                                                     \
        fill(tile, in);                                                                            \
        if (threadIdx.x == 0) {                                                                    \
            asm volatile("cp.async.bulk.tensor." #n "d.global.shared::cta.bulk_group [%1, " COORDINATES_##n "], [%0];" OPERANDS(shared(&tile) + to.offset, map, 0)); \
            asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");   \
        }                                                                                          \
    }

LOAD(1)
LOAD(2)
LOAD(3)
LOAD(4)
LOAD(5)
STORE(1)
STORE(2)
STORE(3)
STORE(4)
STORE(5)

// Words of `in` that are HOLE are not written to the image.
#define PARTLY(name, instruction)                                                                  \
    extern "C" __global__ void name(unsigned *, const unsigned *in,                                 \
                                    const __grid_constant__ CUtensorMap map,                        \
                                    const __grid_constant__ place to)                               \
    {                                                                                              \
        __shared__ image tile;                                                                     \
        for (unsigned i = threadIdx.x; i < IMAGE_BYTES / 4; i += blockDim.x)                       \
            if (in[i] != HOLE)                                                                     \
                tile.word[i] = in[i];                                                              \
        asm volatile("fence.proxy.async;" ::: "memory");                                           \
        __syncthreads();                                                                           \
        if (threadIdx.x == 0) {                                                                    \
            asm volatile(instruction OPERANDS(shared(&tile) + to.offset, map, 0));                 \
            asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");  \
        }                                                                                          \
    }

PARTLY(partly_store_1, "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%1, {%2}], [%0];")
PARTLY(partly_store_2, "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%1, {%2, %3}], [%0];")
PARTLY(partly_store_3,
       "cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%1, {%2, %3, %4}], [%0];")
PARTLY(partly_reduce_add,
       "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%1, {%2, %3}], [%0];")

#define REDUCE(operation)                                                                          \
    extern "C" __global__ void reduce_##operation(unsigned *, const unsigned *in,                   \
                                                  const __grid_constant__ CUtensorMap map,          \
                                                  const __grid_constant__ place to)                 \
    {                                                                                              \
        __shared__ image tile;                                                                     \
        fill(tile, in);                                                                            \
        if (threadIdx.x == 0) {                                                                    \
            asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta." #operation ".bulk_group [%1, {%2, %3}], [%0];" OPERANDS(shared(&tile) + to.offset, map, 0)); \
            asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");   \
        }                                                                                          \
    }

REDUCE(add)
REDUCE(min)
REDUCE(max)
REDUCE(inc)
REDUCE(dec)
REDUCE(and)
REDUCE(or)
REDUCE(xor)

// The first block of a cluster copies a box to the blocks of to.blocks.
extern "C" __global__ void __cluster_dims__(4, 1, 1)
    load_several(unsigned *out, const unsigned *, const __grid_constant__ CUtensorMap map,
                 const __grid_constant__ place to)
{
    __shared__ image tile;
    __shared__ uint64_t bar;
    const bool gets = to.blocks >> blockIdx.x & 1;
    begin(&bar, gets ? to.bytes : 0);
    fill(tile, nullptr);
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        const unsigned short blocks = to.blocks;
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared(&tile) + to.offset), "l"(&map), "r"(to.x), "r"(to.y), "r"(shared(&bar)), "h"(blocks) : "memory");
    }
    wait(&bar);
    save(tile, out + blockIdx.x * (IMAGE_BYTES / 4));
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
}

// Threads read what a tensor copy brings, without a wait.
extern "C" __global__ void without_wait(unsigned *out, const unsigned *,
                                        const __grid_constant__ CUtensorMap map,
                                        const __grid_constant__ place to)
{
    __shared__ image tile;
    __shared__ uint64_t bar;
    begin(&bar, to.bytes);
    fill(tile, nullptr);
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(shared(&tile) + to.offset), "l"(&map), "r"(to.x), "r"(to.y), "r"(shared(&bar)) : "memory");
    save(tile, out);
}
