// Kernels of tests/machine/test_deadlocks.c, which wait for ever. deadlocks.ptx is made of this file:
//   nvcc -arch=sm_90 -std=c++17 -ptx -lineinfo deadlocks.cu
#include <cstdint>

__device__ uint32_t address_of(const void *at)
{
    return (uint32_t)__cvta_generic_to_shared(at);
}

__device__ void begin(uint64_t *object, uint32_t count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address_of(object)), "r"(count));
}

__device__ void arrive(uint64_t *object)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address_of(object)) : "memory");
}

__device__ void expect(uint64_t *object, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address_of(object)),
                 "r"(bytes)
                 : "memory");
}

__device__ void wait(uint64_t *object, uint32_t parity)
{
    asm volatile("{ .reg .pred p; L: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;"
                 "@!p bra L; }" ::"r"(address_of(object)),
                 "r"(parity)
                 : "memory");
}

// The second phase of the third object lacks two arrivals.
extern "C" __global__ void array(unsigned *out)
{
    __shared__ uint64_t full[4];
    if (threadIdx.x == 0)
        for (int i = 0; i < 4; i++)
            begin(&full[i], 64);
    __syncthreads();
    for (int phase = 0; phase < 2; phase++) {
        if (phase == 0 || threadIdx.x > 1)
            arrive(&full[2]);
        wait(&full[2], phase);
    }
    out[threadIdx.x] = 1;
}

// 48 of 64 bytes come.
extern "C" __global__ void bytes(unsigned *out)
{
    __shared__ __align__(16) unsigned data[32];
    __shared__ uint64_t ready;
    if (threadIdx.x == 0) {
        begin(&ready, 1);
        expect(&ready, 64);
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                     "[%0], [%1], 48, [%2];" ::"r"(address_of(data)),
                     "l"(out), "r"(address_of(&ready))
                     : "memory");
    }
    __syncthreads();
    wait(&ready, 0);
    out[threadIdx.x] = data[threadIdx.x % 12];
}

struct Pipe {
    unsigned data[64];
    uint64_t full[3], empty[3], done;
};

// Two sides that wait for each other, in a structure in dynamic shared memory.
extern "C" __global__ void structure(unsigned *out)
{
    extern __shared__ __align__(16) uint8_t raw[];
    Pipe &pipe = *(Pipe *)(raw + 128);
    if (threadIdx.x == 0) {
        for (int i = 0; i < 3; i++) {
            begin(&pipe.full[i], 1);
            begin(&pipe.empty[i], 1);
        }
        begin(&pipe.done, 32);
    }
    __syncthreads();
    if (threadIdx.x < 32)
        wait(&pipe.full[1], 0);
    else if (threadIdx.x < 64)
        wait(&pipe.empty[2], 0);
    else
        wait(&pipe.done, 0);
    out[threadIdx.x] = pipe.data[threadIdx.x];
}

// Half of the block comes to a barrier of all.
extern "C" __global__ void named(unsigned *out)
{
    if (threadIdx.x < 32)
        asm volatile("bar.sync 5, 64;" ::: "memory");
    else
        asm volatile("bar.sync 6, 64;" ::: "memory");
    out[threadIdx.x] = 1;
}

// Both blocks wait for an arrival of the other one, which arrives after that.
extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster(unsigned *out)
{
    __shared__ uint64_t mine;
    uint32_t rank, other;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0)
        begin(&mine, 1);
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
    wait(&mine, 0);
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(other) : "r"(address_of(&mine)), "r"(rank ^ 1));
    if (threadIdx.x == 0)
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(other)
                     : "memory");
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
    out[threadIdx.x] = 1;
}
