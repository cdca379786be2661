// Kernels of tests/machine/test_async.c: pipelines of asynchronous copies and wgmma. Each is correct
// as NAME_0; NAME_1 and so on have one fault each. async.ptx is made of this file:
//   nvcc -gencode arch=compute_90a,code=compute_90a -std=c++17 -ptx -lineinfo tests/data/emulator/async.cu
//
// A comment "//: mark" names the line for the tests. What may be pending or is seen by another proxy
// is in macros, so that their lines are those of the kernels.
#include "async.cuh"

enum { STEPS = 5, WORDS = 128, BYTES = 512, A_BYTES = 64 * 32, B_BYTES = 8 * 32, STEP_BYTES = A_BYTES + B_BYTES };

#define FENCE()        asm volatile("fence.proxy.async;" ::: "memory")
#define ADD(to, from, bytes)                                                                        \
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], %2;" ::    \
                     "l"(to),                                                                       \
                 "r"(at(from)), "r"(bytes)                                                          \
                 : "memory")

__device__ uint64_t descriptor(const uint8_t *p, uint32_t leading)
{
    return at(p) >> 4 | (uint64_t)(leading >> 4) << 16 | (uint64_t)(128 >> 4) << 32;
}

__device__ void put(int *out, const int (&d)[4])
{
    for (int i = 0; i < 4; i++)
        out[threadIdx.x % 128 * 4 + i] = d[i];
}

// --- Stores from shared memory -------------------------------------------------------------------

// One tile: out[i] = in[i] + 1.
template <int F> __device__ void tile(int *out, int *in)
{
    __shared__ __align__(128) int s[WORDS];
    const int t = threadIdx.x;
    if (F == 4)
        FENCE();
    s[t] = in[t] + 1; //: tile written
    if (F == 2 && t == 0)
        FENCE();
    if (F == 3)
        FENCE_GLOBAL();
    if (F == 0 || F > 4)
        FENCE_SHARED();
    __syncthreads();
    if (t == 0) {
        STORE(out, s, BYTES); //: tile stored
        if (F != 6)
            COMMIT();
        if (F != 5)
            WAIT_READ(0);
    }
}
KERNEL(tile, 0)
KERNEL(tile, 1) // no fence
KERNEL(tile, 2) // one thread fences
KERNEL(tile, 3) // a fence for another space
KERNEL(tile, 4) // a fence before the write
KERNEL(tile, 5) // the block ends before the copy has read
KERNEL(tile, 6) // a group that was not committed

// The thread that copies fences behind the barrier.
template <int F> __device__ void late_fence(int *out, int *in)
{
    __shared__ __align__(128) int s[WORDS];
    const int t = threadIdx.x;
    s[t] = in[t] + 1; //: late written
    __syncthreads();
    if (F == 1 && t == 32)
        FENCE();
    if (t == 0) {
        if (F == 0)
            FENCE();
        STORE(out, s, BYTES); //: late stored
        COMMIT();
        WAIT_READ(0);
    }
}
KERNEL(late_fence, 0)
KERNEL(late_fence, 1) // another thread fences, which the copying one does not synchronize with

// Tiles one after the other from one buffer: out[i] = in[i] + 1.
template <int F> __device__ void tiles(int *out, int *in)
{
    __shared__ __align__(128) int s[WORDS];
    const int t = threadIdx.x;
    for (int k = 0; k < STEPS; k++) {
        s[t] = in[k * WORDS + t] + 1; //: tiles written
        if (F != 5 || k == 0)
            FENCE_SHARED();
        __syncthreads();
        if (t == 0) {
            STORE(out + k * WORDS, s, BYTES); //: tiles stored
            if (F != 3)
                COMMIT();
            if (F == 0 || F == 3 || F == 5)
                WAIT_READ(0);
            if (F == 2)
                WAIT_READ(1);
        }
        if (F != 4)
            __syncthreads();
        if (F == 4 && t == 0)
            WAIT_READ(0);
    }
    if (t == 0) {
        COMMIT();
        WAIT_STORE(0);
    }
}
KERNEL(tiles, 0)
KERNEL(tiles, 1) // no wait before the buffer is written again
KERNEL(tiles, 2) // one group may still read
KERNEL(tiles, 3) // no commit: there is no group to wait for
KERNEL(tiles, 4) // one thread waits, and the others do not synchronize with it
KERNEL(tiles, 5) // a fence in the first step only

// The same from two buffers.
template <int F> __device__ void two_tiles(int *out, int *in)
{
    __shared__ __align__(128) int s[2][WORDS];
    const int t = threadIdx.x;
    for (int k = 0; k < STEPS; k++) {
        if (t == 0 && F != 1)
            WAIT_READ(F == 2 ? 2 : 1);
        __syncthreads();
        s[k % 2][t] = in[k * WORDS + t] + 1; //: two written
        if (F != 3 || k % 2 == 0)
            FENCE_SHARED();
        __syncthreads();
        if (t == 0) {
            STORE(out + k * WORDS, s[k % 2], BYTES); //: two stored
            COMMIT();
        }
    }
    if (t == 0)
        WAIT_READ(0);
}
KERNEL(two_tiles, 0)
KERNEL(two_tiles, 1) // no wait
KERNEL(two_tiles, 2) // a group too many may still read
KERNEL(two_tiles, 3) // the second buffer is not fenced

// Each warp stores a part of its own: out[i] = in[i] + 1.
template <int F> __device__ void by_warps(int *out, int *in)
{
    __shared__ __align__(128) int s[WORDS];
    const int t = threadIdx.x, w = t / 32;
    for (int k = 0; k < STEPS; k++) {
        s[t] = in[k * WORDS + t] + 1; //: warps written
        if (F == 0 || F == 3)
            FENCE_SHARED();
        if (F == 1 && t % 32 == 0)
            FENCE_SHARED();
        __syncwarp();
        if (t % 32 == 0) {
            STORE(out + k * WORDS + w * 32, s + w * 32, BYTES / 4); //: warps stored
            COMMIT();
            if (F != 3)
                WAIT_READ(0);
        }
        __syncwarp();
    }
    if (t % 32 == 0)
        WAIT_READ(0);
}
KERNEL(by_warps, 0)
KERNEL(by_warps, 1) // one lane fences, before the lanes synchronize
KERNEL(by_warps, 2) // no fence
KERNEL(by_warps, 3) // no wait

// Sums of all steps, added in global memory.
template <int F> __device__ void add_tiles(int *out, int *in)
{
    __shared__ __align__(128) int s[WORDS];
    const int t = threadIdx.x;
    for (int k = 0; k < STEPS; k++) {
        s[t] = in[k * WORDS + t]; //: add written
        if (F != 1)
            FENCE_SHARED();
        __syncthreads();
        if (t == 0) {
            ADD(out, s, BYTES); //: add added
            COMMIT();
            if (F != 2)
                WAIT_READ(0);
        }
        __syncthreads();
    }
    if (t == 0)
        WAIT_READ(0);
}
KERNEL(add_tiles, 0)
KERNEL(add_tiles, 1) // no fence
KERNEL(add_tiles, 2) // no wait

// --- Copies to shared memory -------------------------------------------------------------------

// out[i] = in[i], with a first use of the buffer by stores.
template <int F> __device__ void load_over(int *out, int *in)
{
    __shared__ __align__(128) int s[WORDS];
    __shared__ uint64_t full;
    const int t = threadIdx.x;
    if (t == 0)
        INIT(&full, 1);
    s[t] = t; //: over written
    if (F != 1)
        FENCE();
    __syncthreads();
    if (t == 0) {
        EXPECT(&full, F == 3 ? BYTES + 16 : F == 4 ? BYTES - 16 : BYTES);
        LOAD(s, in, BYTES, &full); //: over loaded
    }
    if (F != 2)
        WAIT(&full, F == 5); //: over waits
    out[t] = s[127 - t]; //: over read
    if (F == 2 || F == 5)
        WAIT(&full, 0);
}
KERNEL(load_over, 0)
KERNEL(load_over, 1) // no fence between the stores and the copy
KERNEL(load_over, 2) // read before it has arrived
KERNEL(load_over, 3) // too many bytes are expected
KERNEL(load_over, 4) // too few
KERNEL(load_over, 5) // the parity of the phase before

// What the block has written to global memory is copied: out[i] = in[i] + 1, by way of in.
template <int F> __device__ void through_global(int *out, int *in)
{
    __shared__ __align__(128) int s[WORDS];
    __shared__ uint64_t full;
    const int t = threadIdx.x;
    if (t == 0)
        INIT(&full, 1);
    in[t] += 1; //: global written
    if (F == 0)
        FENCE_GLOBAL();
    if (F == 2)
        FENCE_SHARED();
    __syncthreads();
    if (t == 0) {
        EXPECT(&full, BYTES);
        LOAD(s, in, BYTES, &full); //: global loaded
    }
    WAIT(&full, 0);
    out[t] = s[t];
}
KERNEL(through_global, 0)
KERNEL(through_global, 1) // no fence
KERNEL(through_global, 2) // a fence for shared memory

// A ring of stages: one warp copies, four warps add up.
template <int STAGES, int F> __device__ void ring(int *out, int *in)
{
    __shared__ __align__(128) int s[STAGES][WORDS];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    const int t = threadIdx.x;
    if (t == 0)
        for (int i = 0; i < STAGES; i++) {
            INIT(&full[i], 1);
            INIT(&empty[i], F == 1 ? 127 : F == 2 ? 129 : 128); //: ring init
        }
    __syncthreads();
    if (t >= 128) {
        for (int k = 0; t == 128 && k < 3 * STAGES; k++) {
            if (F != 3)
                WAIT(&empty[k % STAGES], k / STAGES % 2 ^ 1); //: ring producer waits
            EXPECT(&full[k % STAGES], BYTES);
            LOAD(s[k % STAGES], in + k * WORDS, BYTES, &full[k % STAGES]); //: ring loaded
        }
        return;
    }
    int sum = 0;
    for (int k = 0; k < 3 * STAGES; k++) {
        if (F == 4)
            ARRIVE(&empty[k % STAGES]);
        WAIT(&full[k % STAGES], F == 5 ? 0 : k / STAGES % 2); //: ring consumer waits
        sum += s[F == 6 ? (k + 1) % STAGES : k % STAGES][127 - t]; //: ring read
        if (F != 4)
            ARRIVE(&empty[k % STAGES]); //: ring arrives
    }
    out[t] = sum;
}
template <int F> __device__ void ring_2(int *out, int *in) { ring<2, F>(out, in); }
template <int F> __device__ void ring_3(int *out, int *in) { ring<3, F>(out, in); }
template <int F> __device__ void ring_5(int *out, int *in) { ring<5, F>(out, in); }
KERNEL(ring_2, 0)
KERNEL(ring_3, 0)
KERNEL(ring_5, 0)
KERNEL(ring_3, 1) // 127 arrivals complete a phase, and 128 threads arrive
KERNEL(ring_3, 2) // 129 do
KERNEL(ring_3, 3) // the copies do not wait
KERNEL(ring_3, 4) // a stage is given back before it is read
KERNEL(ring_3, 5) // always the parity of the first phase
KERNEL(ring_3, 6) // a stage too far
KERNEL(ring_2, 1)
KERNEL(ring_2, 3)
KERNEL(ring_5, 1)
KERNEL(ring_5, 4)

// --- wgmma --------------------------------------------------------------------------------------

// Operands that threads store.
template <int F> __device__ void product(int *out, int *in)
{
    __shared__ __align__(128) uint8_t s[STEP_BYTES];
    const int t = threadIdx.x;
    int d[4] = {0, 0, 0, 0};
    if (F == 2)
        FENCE();
    for (int i = t; i < STEP_BYTES / 4; i += 128)
        ((int *)s)[i] = in[i % 512] & 0x01010101; //: product written
    if (F == 0 || F > 3)
        FENCE_SHARED();
    if (F == 3 && t < 32)
        FENCE_SHARED();
    __syncthreads();
    WGMMA_FENCE();
    WGMMA(d, s); //: product issued
    if (F != 6)
        WGMMA_COMMIT();
    if (F == 5)
        WGMMA_WAIT(1);
    if (F == 4 || F == 5 || F == 6)
        KEEP(d);
    if (F == 4)
        out[t] = d[0] * 3; //: product early
    if (F != 5)
        WGMMA_WAIT(0);
    KEEP(d);
    out[t + 128] = d[0] * 5 + d[3]; //: product used
}
KERNEL(product, 0)
KERNEL(product, 1) // no fence
KERNEL(product, 2) // a fence before the writes
KERNEL(product, 3) // one warp fences
KERNEL(product, 4) // a sum is used before the wait
KERNEL(product, 5) // one group may still be pending
KERNEL(product, 6) // the product is in no group

// The same in steps with one buffer.
template <int F> __device__ void products(int *out, int *in)
{
    __shared__ __align__(128) uint8_t s[STEP_BYTES];
    const int t = threadIdx.x;
    int d[4] = {0, 0, 0, 0};
    for (int k = 0; k < STEPS; k++) {
        for (int i = t; i < STEP_BYTES / 4; i += 128)
            ((int *)s)[i] = in[(i + k) % 512] & 0x01010101; //: products written
        if (F != 1 || k == 0)
            FENCE_SHARED();
        __syncthreads();
        WGMMA_FENCE();
        WGMMA(d, s); //: products issued
        WGMMA_COMMIT();
        if (F == 0 || F == 1)
            WGMMA_WAIT(0);
        if (F == 3)
            WGMMA_WAIT(1);
        __syncthreads();
    }
    WGMMA_WAIT(0);
    KEEP(d);
    put(out, d);
}
KERNEL(products, 0)
KERNEL(products, 1) // a fence in the first step only
KERNEL(products, 2) // no wait
KERNEL(products, 3) // the last product may still read

// A ring of stages, whose products are pending for one step, then results stored in bulk.
template <int STAGES, int F> __device__ void gemm(int *out, int *in)
{
    __shared__ __align__(128) uint8_t s[STAGES][STEP_BYTES];
    __shared__ __align__(128) int c[512];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    const int t = threadIdx.x;
    if (t == 0)
        for (int i = 0; i < STAGES; i++) {
            INIT(&full[i], 1);
            INIT(&empty[i], F == 1 ? 127 : 128);
        }
    __syncthreads();
    if (t >= 128) {
        for (int k = 0; t == 128 && k < 2 * STAGES + 1; k++) {
            WAIT(&empty[k % STAGES], k / STAGES % 2 ^ 1);
            EXPECT(&full[k % STAGES], F == 2 ? A_BYTES : STEP_BYTES);
            LOAD(s[k % STAGES], (uint8_t *)in + k % 2 * 1024, STEP_BYTES, &full[k % STAGES]); //: gemm loaded
        }
        return;
    }
    int d[4] = {0, 0, 0, 0};
    for (int k = 0; k < 2 * STAGES + 1; k++) {
        WAIT(&full[k % STAGES], k / STAGES % 2); //: gemm waits
        WGMMA_FENCE();
        WGMMA(d, s[k % STAGES]); //: gemm issued
        WGMMA_COMMIT();
        if (F == 3)
            ARRIVE(&empty[k % STAGES]);
        WGMMA_WAIT(1);
        if (F == 4)
            ARRIVE(&empty[k % STAGES]);
        if (F != 3 && F != 4 && k > 0)
            ARRIVE(&empty[(k - 1) % STAGES]); //: gemm arrives
    }
    if (F != 5)
        WGMMA_WAIT(0);
    KEEP(d);
    for (int i = 0; i < 4; i++)
        c[t * 4 + i] = d[i] + 1; //: gemm written
    if (F != 6)
        FENCE_SHARED();
    if (F != 7)
        NAMED(1, 128);
    if (t == 0) {
        STORE(out, c, 2048); //: gemm stored
        COMMIT();
        if (F != 8)
            WAIT_READ(0);
    }
}
template <int F> __device__ void gemm_2(int *out, int *in) { gemm<2, F>(out, in); }
template <int F> __device__ void gemm_3(int *out, int *in) { gemm<3, F>(out, in); }
template <int F> __device__ void gemm_4(int *out, int *in) { gemm<4, F>(out, in); }
template <int F> __device__ void gemm_5(int *out, int *in) { gemm<5, F>(out, in); }
KERNEL(gemm_2, 0)
KERNEL(gemm_3, 0)
KERNEL(gemm_4, 0)
KERNEL(gemm_5, 0)
KERNEL(gemm_3, 1) // 127 arrivals complete a phase
KERNEL(gemm_3, 2) // too few bytes are expected
KERNEL(gemm_3, 3) // a stage is given back before the wait
KERNEL(gemm_3, 4) // a stage is given back that the last product may still read
KERNEL(gemm_3, 5) // sums are used before the last wait
KERNEL(gemm_3, 6) // no fence before the results are stored
KERNEL(gemm_3, 7) // no barrier
KERNEL(gemm_3, 8) // no wait for the store
KERNEL(gemm_2, 4)
KERNEL(gemm_5, 1)
KERNEL(gemm_4, 6)

// --- Clusters -----------------------------------------------------------------------------------

#define CLUSTER_RELAXED() asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory")

__device__ uint32_t rank_here()
{
    uint32_t rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
__device__ uint32_t remote(const void *p)
{
    uint32_t to;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(to) : "r"(at(p)), "r"(rank_here() ^ 1));
    return to;
}
#define REMOTE_LOAD(to, from)                                                                       \
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(to) : "r"(remote(from)) : "memory")
#define REMOTE_STORE(to, value)                                                                     \
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(remote(to)), "r"(value) : "memory")
#define REMOTE_ARRIVE(object)                                                                       \
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(remote(object)) : "memory")
#define REMOTE_COPY(to, from, bytes, object)                                                        \
    asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], "    \
                 "[%1], %2, [%3];" ::"r"(remote(to)),                                               \
                 "r"(at(from)), "r"(bytes), "r"(remote(object))                                     \
                 : "memory")

// Reads of the other block's memory.
template <int F> __device__ void peer_read(int *out, int *in)
{
    __shared__ int s[WORDS];
    const int t = threadIdx.x;
    int v;
    s[t] = in[t] + rank_here(); //: peer written
    if (F == 0 || F == 2)
        CLUSTER_SYNC();
    if (F == 1)
        __syncthreads();
    if (F == 3) {
        CLUSTER_RELAXED();
        CLUSTER_WAIT();
    }
    REMOTE_LOAD(v, &s[127 - t]); //: peer read
    out[t] = v;
    if (F != 2)
        CLUSTER_SYNC();
}
CLUSTER_KERNEL(peer_read, 0)
CLUSTER_KERNEL(peer_read, 1) // no barrier of the cluster before the first read
CLUSTER_KERNEL(peer_read, 2) // none before the end
CLUSTER_KERNEL(peer_read, 3) // one that orders no memory

// Stores to the other block's memory.
template <int F> __device__ void peer_write(int *out, int *in)
{
    __shared__ int s[WORDS];
    const int t = threadIdx.x;
    if (F != 1)
        CLUSTER_SYNC();
    REMOTE_STORE(&s[t], in[t] + rank_here()); //: peer stored
    if (F == 2)
        __syncthreads();
    else
        CLUSTER_SYNC();
    out[t] = s[127 - t]; //: peer loaded
    if (F == 2)
        CLUSTER_SYNC();
}
CLUSTER_KERNEL(peer_write, 0)
CLUSTER_KERNEL(peer_write, 1) // the other block may not have begun
CLUSTER_KERNEL(peer_write, 2) // only the block synchronizes before it reads

// Bulk copies to the other block.
template <int F> __device__ void peer_copy(int *out, int *in)
{
    __shared__ __align__(128) int from[WORDS], to[WORDS];
    __shared__ uint64_t full;
    const int t = threadIdx.x;
    if (t == 0) {
        INIT(&full, 1); //: copy init
        EXPECT(&full, BYTES);
    }
    from[t] = in[t] + rank_here(); //: copy written
    if (F != 1)
        FENCE_SHARED();
    if (F == 2)
        __syncthreads();
    else
        CLUSTER_SYNC();
    if (t == 0)
        REMOTE_COPY(to, from, BYTES, &full); //: copy begun
    if (F != 3)
        WAIT_CLUSTER(&full, 0);
    out[t] = to[127 - t]; //: copy read
    if (F == 3)
        WAIT_CLUSTER(&full, 0);
    CLUSTER_SYNC();
}
CLUSTER_KERNEL(peer_copy, 0)
CLUSTER_KERNEL(peer_copy, 1) // no fence
CLUSTER_KERNEL(peer_copy, 2) // no barrier of the cluster before the first copy
CLUSTER_KERNEL(peer_copy, 3) // read before it has arrived

// The first block copies to both, over what their threads have stored.
template <int F> __device__ void multicast(int *out, int *in)
{
    __shared__ __align__(128) int s[WORDS];
    __shared__ uint64_t full;
    const int t = threadIdx.x;
    s[t] = t; //: cast written
    if (F != 1)
        FENCE_SHARED();
    if (t == 0) {
        INIT(&full, 1);
        EXPECT(&full, BYTES);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    if (F == 2)
        __syncthreads();
    else
        CLUSTER_SYNC();
    if (t == 0 && rank_here() == 0)
        MULTICAST(s, in, BYTES, &full); //: cast begun
    if (F != 3)
        WAIT_CLUSTER(&full, 0);
    out[t] = s[127 - t]; //: cast read
    if (F == 3)
        WAIT_CLUSTER(&full, 0);
    CLUSTER_SYNC();
}
CLUSTER_KERNEL(multicast, 0)
CLUSTER_KERNEL(multicast, 1) // no fence
CLUSTER_KERNEL(multicast, 2) // no barrier of the cluster
CLUSTER_KERNEL(multicast, 3) // read before it has arrived

// Objects of the other block: who arrives first has to know that they are initialized.
template <int F> __device__ void peer_arrive(int *out, int *in)
{
    __shared__ int s[WORDS];
    __shared__ uint64_t full;
    const int t = threadIdx.x;
    if (t == 0) {
        INIT(&full, 128); //: arrive init
        if (F != 2)
            asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    if (F != 1) {
        CLUSTER_RELAXED();
        CLUSTER_WAIT();
    } else {
        __syncthreads();
    }
    REMOTE_STORE(&s[t], in[t] + rank_here()); //: arrive stored
    REMOTE_ARRIVE(&full); //: arrive arrives
    if (F != 3)
        WAIT_CLUSTER(&full, 0);
    out[t] = s[127 - t]; //: arrive read
    CLUSTER_SYNC();
}
CLUSTER_KERNEL(peer_arrive, 0)
CLUSTER_KERNEL(peer_arrive, 1) // no barrier of the cluster before the first arrival
CLUSTER_KERNEL(peer_arrive, 2) // the initialization is not fenced
CLUSTER_KERNEL(peer_arrive, 3) // no wait

// --- Blocks that hand over in global memory -----------------------------------------------------

// By the barrier of their cluster: out[i] = the other block's in[127 - i] + 1.
template <int F> __device__ void peer_global(int *out, int *in)
{
    const int t = threadIdx.x, other = (blockIdx.x ^ 1) * WORDS;
    in[blockIdx.x * WORDS + t] += 1; //: peers written
    if (F == 1)
        __syncthreads();
    else
        CLUSTER_SYNC();
    out[t] = in[other + 127 - t]; //: peers read
    if (F != 2)
        CLUSTER_SYNC();
    in[blockIdx.x * WORDS + t] = 0; //: peers cleared
    if (F == 1)
        CLUSTER_SYNC();
}
CLUSTER_KERNEL(peer_global, 0)
CLUSTER_KERNEL(peer_global, 1) // only the block synchronizes
CLUSTER_KERNEL(peer_global, 2) // what the other block reads is cleared without a barrier

// By a flag, in a cooperative launch of two blocks: out[i] = in[127 - i] + 1.
template <int F> __device__ void handover(int *out, int *in)
{
    int *flag = in + 4096;
    const int t = threadIdx.x;
    if (blockIdx.x == 0) {
        in[t] += 1; //: hand written
        if (F != 3)
            __syncthreads();
        if (t == 0) {
            if (F != 1 && F != 4)
                __threadfence();
            if (F == 4)
                __threadfence_block();
            atomicExch(flag, 1);
        }
        return;
    }
    if (t == 0 && F != 2)
        while (atomicAdd(flag, 0) != 1)
            ;
    if (F != 5)
        __threadfence();
    __syncthreads();
    out[t] = in[127 - t]; //: hand read
}
KERNEL(handover, 0)
KERNEL(handover, 1) // no fence before the flag
KERNEL(handover, 2) // no wait
KERNEL(handover, 4) // a fence of the block only
KERNEL(handover, 5) // no fence behind the wait

// Two flags: out[i] = what in[127 - i] was, and then was plus one.
template <int F> __device__ void refresh(int *out, int *in)
{
    int *flag = in + 4096, *answer = flag + 1, seen = 0;
    const int t = threadIdx.x;
    if (blockIdx.x == 0) {
        do
            asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
        while (t == 0 && !seen);
        __syncthreads();
        in[t] += 1; //: fresh written
        __syncthreads();
        if (t == 0) {
            __threadfence();
            atomicExch(answer, 1);
        }
        return;
    }
    const int before = in[127 - t];
    __syncthreads();
    if (t == 0) {
        asm volatile("red.release.gpu.global.add.s32 [%0], 1;" : : "l"(flag) : "memory");
        do
            asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(answer) : "memory");
        while (!seen);
        if (F == 0)
            __threadfence();
    }
    __syncthreads();
    if (F == 2)
        asm volatile("ld.global.cg.s32 %0, [%1];" : "=r"(seen) : "l"(in + 127 - t) : "memory");
    else
        seen = in[127 - t]; //: fresh read
    out[t] = before + seen;
}
KERNEL(refresh, 0)
KERNEL(refresh, 1) // no fence behind the wait
KERNEL(refresh, 2) // nor here, but L1 is passed by

// By a barrier of all blocks: sums of what the other blocks have written.
__device__ void grid_barrier(int *count, int round)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(count, 1);
        while (*(volatile int *)count < (int)gridDim.x * round)
            ;
        __threadfence();
    }
    __syncthreads();
}
template <int F> __device__ void rounds(int *out, int *in)
{
    const int t = threadIdx.x, me = blockIdx.x * WORDS + t, blocks = gridDim.x;
    int sum = 0, round = 0;
    for (int k = 0; k < 3; k++) {
        in[me] = k * 1000 + me; //: rounds written
        if (F != 1)
            grid_barrier(in + 4096, ++round);
        sum += in[(me + WORDS) % (blocks * WORDS)]; //: rounds read
        if (F != 2)
            grid_barrier(in + 4096, ++round);
    }
    out[me] = sum;
}
KERNEL(rounds, 0)
KERNEL(rounds, 1) // no barrier before the read
KERNEL(rounds, 2) // no barrier before the next round writes

// --- Many fences ---------------------------------------------------------------------------------

// What others fence behind the barrier takes nothing away from the fences before it.
extern "C" __global__ void many_fences_0(int *out, int *in)
{
    __shared__ __align__(128) int s[WORDS];
    const int t = threadIdx.x;
    s[t] = in[t] + 1;
    FENCE_SHARED();
    __syncthreads();
    if (t < 96)
        for (int i = 0; i < 9; i++)
            FENCE_SHARED();
    if (t == 127) {
        STORE(out, s, BYTES);
        COMMIT();
        WAIT_READ(0);
    }
}
