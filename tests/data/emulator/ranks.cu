// Kernels of tests/machine/test_ranks.c: the lanes of one instruction access the shared memory of different
// blocks of their cluster, their own among them. ranks.ptx is made of this file:
//   nvcc -arch=sm_90 -std=c++17 -ptx -lineinfo ranks.cu
//
// For each thread, `in` has a word: the rank in its lowest bits, then an index, and in its highest
// bit whether the thread takes part.
#include <cstdint>

enum { BLOCKS = 4, THREADS = 64, WORDS = 64 };

__device__ uint32_t address_of(const void *at)
{
    return (uint32_t)__cvta_generic_to_shared(at);
}

// Where block `rank` has what this block has at `at`.
template <class T> __device__ T *generic_at(T *at, uint32_t rank)
{
    T *to;
    asm("mapa.u64 %0, %1, %2;" : "=l"(to) : "l"(at), "r"(rank));
    return to;
}

__device__ uint32_t cluster_at(const void *at, uint32_t rank)
{
    uint32_t to;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(to) : "r"(address_of(at)), "r"(rank));
    return to;
}

__device__ void sync_cluster()
{
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
}

__device__ uint32_t rank_here()
{
    uint32_t rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

// The contents of word i of block `rank` (test_ranks.c: contents).
__device__ uint32_t contents(uint32_t rank, uint32_t i)
{
    return (rank * 1000 + i) * 2654435761u;
}

#define PART(word) ((word) >> 31)
#define RANK(word) ((word) % BLOCKS)
#define INDEX(word) ((word) / BLOCKS % WORDS)

extern "C" __global__ void __cluster_dims__(BLOCKS, 1, 1) loads(uint32_t *out, const uint32_t *in)
{
    __shared__ __align__(16) uint32_t s[WORDS];
    const uint32_t word = in[blockIdx.x * THREADS + threadIdx.x], at = INDEX(word);
    s[threadIdx.x] = contents(rank_here(), threadIdx.x);
    sync_cluster();
    if (PART(word)) {
        uint32_t *to = out + (blockIdx.x * THREADS + threadIdx.x) * 16;
        const uint32_t *mine = s + at;
        const uint32_t near = cluster_at(mine, RANK(word));
        uint32_t a, b, c, d;
        uint64_t wide;
        to[0] = *generic_at(mine, RANK(word));
        to[1] = *(volatile uint32_t *)generic_at(mine, RANK(word));
        asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(to[2]) : "r"(near));
        asm volatile("ld.shared::cluster.u8 %0, [%1+1];" : "=r"(to[3]) : "r"(near));
        asm volatile("ld.shared::cluster.s16 %0, [%1+2];" : "=r"(to[4]) : "r"(near));
        asm volatile("ld.shared::cluster.u64 %0, [%1];" : "=l"(wide) : "r"(near / 8 * 8));
        to[5] = wide, to[6] = wide >> 32;
        const uint2 two = *(const uint2 *)generic_at(s + at / 2 * 2, RANK(word));
        to[7] = two.x, to[8] = two.y;
        asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                     : "r"(near / 16 * 16));
        to[9] = a, to[10] = b, to[11] = c, to[12] = d;
        // Global memory in some lanes: those whose index is a multiple of 3.
        const uint32_t *other = at % 3 == 0 ? in + at : generic_at(mine, RANK(word));
        to[13] = *other;
        uint32_t local[4] = {word, word + 1, word + 2, word + 3};
        const uint32_t *third = at % 3 == 1 ? local + at % 4 : other;
        to[14] = *(volatile const uint32_t *)third;
    }
    sync_cluster();
}

// The threads that take part have different ranks or indexes.
extern "C" __global__ void __cluster_dims__(BLOCKS, 1, 1) stores(uint32_t *out, const uint32_t *in)
{
    __shared__ uint32_t words[WORDS], more[WORDS];
    __shared__ uint8_t bytes[WORDS];
    __shared__ uint16_t halves[WORDS];
    __shared__ uint64_t wides[WORDS];
    __shared__ uint4 fours[WORDS];
    const uint32_t t = threadIdx.x, me = blockIdx.x * THREADS + t, word = in[me];
    const uint32_t rank = RANK(word), at = INDEX(word);
    words[t] = bytes[t] = halves[t] = wides[t] = more[t] = 0;
    fours[t] = make_uint4(0, 0, 0, 0);
    sync_cluster();
    if (PART(word)) {
        *generic_at(words + at, rank) = me + 1;
        asm volatile("st.shared::cluster.u8 [%0], %1;" ::"r"(cluster_at(bytes + at, rank)),
                     "r"(me + 2)
                     : "memory");
        *(volatile uint16_t *)generic_at(halves + at, rank) = me + 3;
        asm volatile("st.shared::cluster.u64 [%0], %1;" ::"r"(cluster_at(wides + at, rank)),
                     "l"((uint64_t)me << 32 | 4)
                     : "memory");
        *generic_at(fours + at, rank) = make_uint4(me, me + 5, me + 6, me + 7);
        // Global memory in some lanes.
        uint32_t *other = at % 3 == 0 ? out + 4096 + me : generic_at(more + at, rank);
        *(volatile uint32_t *)other = me + 8;
    }
    sync_cluster();
    uint32_t *to = out + me * 16;
    to[0] = words[t], to[1] = bytes[t], to[2] = halves[t];
    to[3] = wides[t], to[4] = wides[t] >> 32;
    to[5] = fours[t].x, to[6] = fours[t].y, to[7] = fours[t].z, to[8] = fours[t].w;
    to[9] = more[t];
}

extern "C" __global__ void __cluster_dims__(BLOCKS, 1, 1) atomics(uint32_t *out, const uint32_t *in)
{
    __shared__ uint32_t sums[WORDS], most[WORDS], bits[WORDS], swapped[WORDS];
    __shared__ unsigned long long wides[WORDS];
    __shared__ float floats[WORDS];
    const uint32_t t = threadIdx.x, me = blockIdx.x * THREADS + t, word = in[me];
    const uint32_t rank = RANK(word), at = INDEX(word);
    uint32_t old = 0;
    sums[t] = most[t] = bits[t] = wides[t] = floats[t] = 0;
    swapped[t] = t;
    sync_cluster();
    if (PART(word)) {
        atomicAdd(generic_at(sums + at, rank), me + 1);
        atomicMax(generic_at(most + at, rank), me);
        asm volatile("red.shared::cluster.or.b32 [%0], %1;" ::"r"(cluster_at(bits + at, rank)),
                     "r"(1u << me % 32)
                     : "memory");
        asm volatile("atom.shared::cluster.add.u64 %0, [%1], %2;"
                     : "=l"(*(uint64_t *)(out + me * 16))
                     : "r"(cluster_at(wides + at, rank)), "l"((uint64_t)me << 20)
                     : "memory");
        atomicAdd(generic_at(floats + at, rank), (float)me);
        // The first lane that comes finds the index.
        old = atomicCAS(generic_at(swapped + at, rank), at, 1000u) == at;
    }
    sync_cluster();
    uint32_t *to = out + me * 16;
    to[0] = sums[t], to[1] = most[t], to[2] = bits[t], to[3] = swapped[t];
    to[4] = wides[t] >> 20, to[5] = (uint32_t)floats[t], to[6] = old;
}

// in[BLOCKS * THREADS + b]: how many arrivals block b expects at each of its objects.
extern "C" __global__ void __cluster_dims__(BLOCKS, 1, 1) arrivals(uint32_t *out,
                                                                   const uint32_t *in)
{
    __shared__ uint64_t one, many, missing, remote;
    const uint32_t me = blockIdx.x * THREADS + threadIdx.x, word = in[me];
    const uint32_t rank = RANK(word), expected = in[BLOCKS * THREADS + blockIdx.x];
    if (threadIdx.x == 0 && expected > 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address_of(&one)),
                     "r"(expected));
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address_of(&many)),
                     "r"(3 * expected));
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address_of(&missing)),
                     "r"(expected + 1));
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address_of(&remote)),
                     "r"(expected));
    }
    sync_cluster();
    if (PART(word)) {
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(
                         cluster_at(&one, rank))
                     : "memory");
        asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0], 3;" ::"r"(
                         cluster_at(&many, rank))
                     : "memory");
        asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(
                         cluster_at(&missing, rank))
                     : "memory");
        asm volatile("mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%0], 16;" ::
                         "r"(cluster_at(&remote, rank))
                     : "memory");
    }
    sync_cluster();
    uint32_t done[4] = {1, 1, 0, 0};
    if (expected > 0) {
        const uint64_t *all[4] = {&one, &many, &missing, &remote};
        for (int i = 0; i < 4; i++)
            asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], 0;"
                         "selp.u32 %0, 1, 0, p; }"
                         : "=r"(done[i])
                         : "r"(address_of(all[i]))
                         : "memory");
    }
    for (int i = 0; i < 4; i++)
        out[me * 4 + i] = done[i];
}

// st.async and red.async: the threads that take part have different ranks or indexes, and in[...]
// has, as above, how many of them reach block b.
extern "C" __global__ void __cluster_dims__(BLOCKS, 1, 1) async_stores(uint32_t *out,
                                                                       const uint32_t *in)
{
    __shared__ uint32_t words[WORDS], sums[WORDS];
    __shared__ uint64_t object;
    const uint32_t t = threadIdx.x, me = blockIdx.x * THREADS + t, word = in[me];
    const uint32_t rank = RANK(word), at = INDEX(word), expected = in[BLOCKS * THREADS + blockIdx.x];
    words[t] = sums[t] = 0;
    if (t == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address_of(&object)));
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                         address_of(&object)),
                     "r"(8 * expected)
                     : "memory");
    }
    sync_cluster();
    if (PART(word)) {
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(
                         cluster_at(words + at, rank)),
                     "r"(me + 1), "r"(cluster_at(&object, rank))
                     : "memory");
        asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 "
                     "[%0], %1, [%2];" ::"r"(cluster_at(sums + at, rank)),
                     "r"(me + 2), "r"(cluster_at(&object, rank))
                     : "memory");
    }
    asm volatile("{ .reg .pred p; L: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, "
                 "[%0], 0; @!p bra L; }" ::"r"(address_of(&object))
                 : "memory");
    out[me * 2] = words[t];
    out[me * 2 + 1] = sums[t];
    sync_cluster();
}
