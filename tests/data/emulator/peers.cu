// Kernels of tests/machine/test_peers.c: blocks of a cluster in each other's shared memory. Those that begin
// with "bad" have one fault. peers.ptx is made of this file:
//   nvcc -gencode arch=compute_90a,code=compute_90a -std=c++17 -ptx -lineinfo peers.cu
//
// Where nothing else is said, thread t of block b returns what thread t of the next block of its
// cluster has: value(b + 1, t).
#include <cstdint>

enum { THREADS = 64, BLOCKS = 4 };

#define KERNEL extern "C" __global__ void __cluster_dims__(BLOCKS, 1, 1)

__device__ uint32_t value(uint32_t block, uint32_t thread)
{
    return block % BLOCKS * 1000 + thread;
}

__device__ uint32_t rank_here()
{
    uint32_t rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

__device__ uint32_t address_of(const void *at)
{
    return (uint32_t)__cvta_generic_to_shared(at);
}

__device__ uint32_t remote(const void *at, uint32_t rank)
{
    uint32_t to;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(to) : "r"(address_of(at)), "r"(rank % BLOCKS));
    return to;
}

__device__ uint32_t load(const uint32_t *at, uint32_t rank)
{
    uint32_t got;
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(got) : "r"(remote(at, rank)) : "memory");
    return got;
}

__device__ void store(uint32_t *at, uint32_t rank, uint32_t what)
{
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(remote(at, rank)), "r"(what) : "memory");
}

__device__ void sync_cluster()
{
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}

__device__ void begin(uint64_t *object, uint32_t count)
{
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address_of(object)), "r"(count)
                     : "memory");
}

__device__ void arrive(uint64_t *object, uint32_t rank)
{
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(
                     remote(object, rank))
                 : "memory");
}

__device__ void expect(uint64_t *object, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address_of(object)),
                 "r"(bytes)
                 : "memory");
}

__device__ void wait(uint64_t *object, uint32_t parity)
{
    asm volatile("{ .reg .pred p; L: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, "
                 "[%0], %1; @!p bra L; }" ::"r"(address_of(object)),
                 "r"(parity)
                 : "memory");
}

__device__ uint32_t me()
{
    return blockIdx.x * THREADS + threadIdx.x;
}

// --- The barrier of the cluster ----------------------------------------------------------------

KERNEL synced(uint32_t *out, const uint32_t *)
{
    __shared__ uint32_t s[THREADS];
    s[threadIdx.x] = value(rank_here(), threadIdx.x);
    sync_cluster();
    out[me()] = load(&s[threadIdx.x], rank_here() + 1);
    sync_cluster();
}

KERNEL split(uint32_t *out, const uint32_t *)
{
    __shared__ uint32_t s[THREADS];
    s[threadIdx.x] = value(rank_here(), threadIdx.x);
    asm volatile("barrier.cluster.arrive.release;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
    out[me()] = load(&s[threadIdx.x], rank_here() + 1);
    asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
    asm volatile("barrier.cluster.wait;" ::: "memory");
}

KERNEL fenced(uint32_t *out, const uint32_t *)
{
    __shared__ uint32_t s[THREADS];
    s[threadIdx.x] = value(rank_here(), threadIdx.x);
    asm volatile("fence.acq_rel.cluster;" ::: "memory");
    asm volatile("barrier.cluster.arrive.relaxed; barrier.cluster.wait;" ::: "memory");
    out[me()] = load(&s[threadIdx.x], rank_here() + 1);
    sync_cluster();
}

KERNEL rounds(uint32_t *out, const uint32_t *)
{
    __shared__ uint32_t s[THREADS];
    uint32_t sum = 0;
    for (uint32_t round = 0; round < 3; round++) {
        s[threadIdx.x] = value(rank_here(), threadIdx.x) * (round == 0);
        sync_cluster();
        sum += load(&s[threadIdx.x], rank_here() + 1);
        sync_cluster();
    }
    out[me()] = sum;
}

KERNEL bad_no_first_sync(uint32_t *out, const uint32_t *)
{
    __shared__ uint32_t s[THREADS];
    s[threadIdx.x] = value(rank_here(), threadIdx.x);
    __syncthreads();
    out[me()] = load(&s[threadIdx.x], rank_here() + 1);
    sync_cluster();
}

KERNEL bad_relaxed(uint32_t *out, const uint32_t *)
{
    __shared__ uint32_t s[THREADS];
    s[threadIdx.x] = value(rank_here(), threadIdx.x);
    asm volatile("barrier.cluster.arrive.relaxed; barrier.cluster.wait;" ::: "memory");
    out[me()] = load(&s[threadIdx.x], rank_here() + 1);
    sync_cluster();
}

KERNEL bad_before_wait(uint32_t *out, const uint32_t *)
{
    __shared__ uint32_t s[THREADS];
    s[threadIdx.x] = value(rank_here(), threadIdx.x);
    asm volatile("barrier.cluster.arrive;" ::: "memory");
    out[me()] = load(&s[threadIdx.x], rank_here() + 1);
    asm volatile("barrier.cluster.wait;" ::: "memory");
    sync_cluster();
}

KERNEL bad_one_sync_a_round(uint32_t *out, const uint32_t *)
{
    __shared__ uint32_t s[THREADS];
    uint32_t sum = 0;
    for (uint32_t round = 0; round < 3; round++) {
        s[threadIdx.x] = value(rank_here(), threadIdx.x) + round;
        sync_cluster();
        sum += load(&s[threadIdx.x], rank_here() + 1);
    }
    sync_cluster();
    out[me()] = sum;
}

KERNEL bad_stored(uint32_t *out, const uint32_t *)
{
    __shared__ uint32_t s[THREADS];
    s[threadIdx.x] = 0;
    sync_cluster();
    store(&s[threadIdx.x], rank_here() + 3, value(rank_here(), threadIdx.x));
    __syncthreads();
    out[me()] = s[threadIdx.x];
    sync_cluster();
}

KERNEL bad_two_writers(uint32_t *out, const uint32_t *)
{
    __shared__ uint64_t s[THREADS];
    s[threadIdx.x] = 0;
    sync_cluster();
    if (rank_here() > 1)
        asm volatile("st.shared::cluster.u64 [%0], %1;" ::"r"(remote(&s[threadIdx.x], 0)),
                     "l"((uint64_t)rank_here())
                     : "memory");
    sync_cluster();
    out[me()] = (uint32_t)s[threadIdx.x];
}

// --- mbarrier objects --------------------------------------------------------------------------

// The next block is read when it says so, and may go when this one says so.
KERNEL by_objects(uint32_t *out, const uint32_t *)
{
    __shared__ uint32_t s[THREADS];
    __shared__ uint64_t ready, done;
    const uint32_t rank = rank_here();
    begin(&ready, THREADS);
    begin(&done, THREADS);
    sync_cluster();
    s[threadIdx.x] = value(rank, threadIdx.x);
    arrive(&ready, rank + 3);
    wait(&ready, 0);
    out[me()] = load(&s[threadIdx.x], rank + 1);
    arrive(&done, rank + 1);
    wait(&done, 0);
}

// What one block writes the next but one reads: told to the next, within it, and from there.
KERNEL passed_on(uint32_t *out, const uint32_t *)
{
    __shared__ uint32_t s[THREADS];
    __shared__ uint64_t first, second;
    const uint32_t rank = rank_here();
    begin(&first, THREADS);
    begin(&second, 32);
    sync_cluster();
    s[threadIdx.x] = value(rank, threadIdx.x);
    arrive(&first, rank + 3);
    if (threadIdx.x < 32)
        wait(&first, 0);
    __syncthreads();
    if (threadIdx.x >= 32)
        arrive(&second, rank + 3);
    wait(&second, 0);
    out[me()] = load(&s[threadIdx.x], rank + 2) - value(rank + 2, 0) + value(rank + 1, 0);
    sync_cluster();
}

KERNEL async_stores(uint32_t *out, const uint32_t *)
{
    __shared__ uint32_t s[THREADS];
    __shared__ uint64_t object;
    const uint32_t rank = rank_here();
    begin(&object, 1);
    if (threadIdx.x == 0)
        expect(&object, THREADS * 4);
    sync_cluster();
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(
                     remote(&s[threadIdx.x], rank + 3)),
                 "r"(value(rank, threadIdx.x)), "r"(remote(&object, rank + 3))
                 : "memory");
    wait(&object, 0);
    out[me()] = s[threadIdx.x];
    sync_cluster();
}

KERNEL bad_async_stores(uint32_t *out, const uint32_t *)
{
    __shared__ uint32_t s[THREADS];
    __shared__ uint64_t object;
    const uint32_t rank = rank_here();
    s[threadIdx.x] = 7;
    begin(&object, 1);
    if (threadIdx.x == 0)
        expect(&object, THREADS * 4);
    sync_cluster();
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(
                     remote(&s[threadIdx.x], rank + 3)),
                 "r"(value(rank, threadIdx.x)), "r"(remote(&object, rank + 3))
                 : "memory");
    out[me()] = s[threadIdx.x];
    wait(&object, 0);
    sync_cluster();
}

// Block 0 copies for all blocks, in two stages that all give back.
template <bool GIVES_BACK> __device__ void multicast(uint32_t *out, const uint32_t *in)
{
    __shared__ __align__(128) uint32_t s[2][THREADS];
    __shared__ uint64_t full[2], empty[2];
    const uint32_t rank = rank_here(), bytes = THREADS * 4;
    uint32_t sum = 0;
    for (int i = 0; i < 2; i++) {
        begin(&full[i], 1);
        begin(&empty[i], BLOCKS);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("barrier.cluster.arrive.relaxed; barrier.cluster.wait;" ::: "memory");
    for (int step = 0; step < 6; step++) {
        const int stage = step % 2, parity = step / 2 % 2;
        if (threadIdx.x == 0) {
            expect(&full[stage], bytes);
            if (rank == 0) {
                if (GIVES_BACK)
                    wait(&empty[stage], parity ^ 1);
                asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                             ".multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(
                                 address_of(s[stage])),
                             "l"(in + step * THREADS), "r"(bytes), "r"(address_of(&full[stage])),
                             "h"((uint16_t)((1 << BLOCKS) - 1))
                             : "memory");
            }
        }
        wait(&full[stage], parity);
        sum += s[stage][threadIdx.x];
        __syncthreads();
        if (threadIdx.x == 0)
            arrive(&empty[stage], 0);
    }
    out[me()] = sum;
    sync_cluster();
}

// Returns the sum of in[threadIdx.x + THREADS * step] for 6 steps.
KERNEL stages(uint32_t *out, const uint32_t *in)
{
    multicast<true>(out, in);
}

KERNEL bad_stages(uint32_t *out, const uint32_t *in)
{
    multicast<false>(out, in);
}

// --- Flags -------------------------------------------------------------------------------------

KERNEL flags(uint32_t *out, const uint32_t *)
{
    __shared__ uint32_t s[THREADS], flag;
    const uint32_t rank = rank_here();
    uint32_t seen = 0;
    s[threadIdx.x] = value(rank, threadIdx.x);
    flag = 0;
    sync_cluster();
    s[threadIdx.x] += 1;
    __syncthreads();
    if (threadIdx.x == 0)
        asm volatile("st.release.cluster.shared::cluster.u32 [%0], 1;" ::"r"(remote(&flag, rank + 3))
                     : "memory");
    while (!seen)
        asm volatile("ld.acquire.cluster.shared::cta.u32 %0, [%1];"
                     : "=r"(seen)
                     : "r"(address_of(&flag))
                     : "memory");
    out[me()] = load(&s[threadIdx.x], rank + 1) - 1;
    sync_cluster();
}

KERNEL fences(uint32_t *out, const uint32_t *)
{
    __shared__ uint32_t s[THREADS];
    __shared__ volatile uint32_t flag;
    const uint32_t rank = rank_here();
    s[threadIdx.x] = value(rank, threadIdx.x);
    flag = 0;
    sync_cluster();
    s[threadIdx.x] += 1;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        asm volatile("st.volatile.shared::cluster.u32 [%0], 1;" ::"r"(remote((void *)&flag, rank + 3))
                     : "memory");
    while (!flag)
        ;
    __threadfence();
    out[me()] = load(&s[threadIdx.x], rank + 1) - 1;
    sync_cluster();
}

// Counts in the memory of all blocks; each returns BLOCKS * THREADS / THREADS * 2.
KERNEL counts(uint32_t *out, const uint32_t *)
{
    __shared__ uint32_t s[THREADS];
    s[threadIdx.x] = 0;
    sync_cluster();
    for (uint32_t rank = 0; rank < BLOCKS; rank++) {
        asm volatile("red.shared::cluster.add.u32 [%0], 1;" ::"r"(
                         remote(&s[(threadIdx.x * 7 + rank) % THREADS], rank))
                     : "memory");
        atomicAdd(&s[threadIdx.x], 1u);
    }
    sync_cluster();
    out[me()] = s[threadIdx.x];
}

// --- The end -----------------------------------------------------------------------------------

KERNEL bad_first_reads(uint32_t *out, const uint32_t *)
{
    __shared__ uint32_t s[THREADS];
    s[threadIdx.x] = value(rank_here(), threadIdx.x);
    sync_cluster();
    if (rank_here() == 0)
        out[me()] = load(&s[threadIdx.x], 1) + load(&s[threadIdx.x], 3);
}

KERNEL bad_last_writes(uint32_t *out, const uint32_t *)
{
    __shared__ uint32_t s[THREADS];
    s[threadIdx.x] = 1;
    sync_cluster();
    out[me()] = s[threadIdx.x];
    if (rank_here() == BLOCKS - 1)
        store(&s[threadIdx.x], 0, 5);
}

// Nobody waits for the last arrivals.
KERNEL bad_arrives(uint32_t *out, const uint32_t *)
{
    __shared__ uint64_t object;
    begin(&object, 1);
    sync_cluster();
    if (threadIdx.x == 0)
        arrive(&object, rank_here() + 1);
    out[me()] = 1;
}

KERNEL bad_no_sync_after_init(uint32_t *out, const uint32_t *)
{
    __shared__ uint64_t object;
    begin(&object, 1);
    __syncthreads();
    if (threadIdx.x == 0)
        arrive(&object, rank_here() + 1);
    sync_cluster();
    wait(&object, 0);
    out[me()] = 1;
}
