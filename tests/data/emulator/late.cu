// Kernels of tests/machine/test_async.c in which asynchronous operations are waited for too little:
// each is correct as NAME_0, and NAME_1 and so on have one fault each. late.ptx is made of this file:
//   nvcc -gencode arch=compute_90a,code=compute_90a -std=c++17 -ptx -lineinfo tests/data/emulator/late.cu
//
// A comment "//: mark" names the line for the tests.
#include "async.cuh"

enum { WORDS = 128, BYTES = 4 * WORDS, A_BYTES = 64 * 32, B_BYTES = 8 * 32, STEP_BYTES = A_BYTES + B_BYTES };

__device__ uint64_t descriptor(const uint8_t *p, uint32_t leading)
{
    return at(p) >> 4 | (uint64_t)(leading >> 4) << 16 | (uint64_t)(128 >> 4) << 32;
}

// --- Through stages in shared memory -------------------------------------------------------------

// out[i] = 3 * in[i], tile after tile. One thread copies to and from the stages, ahead of the work.
template <int STAGES, int F> __device__ void scale(int *out, int *in)
{
    enum { TILES = 4 * STAGES };
    __shared__ __align__(128) int s[STAGES][WORDS];
    __shared__ uint64_t full[STAGES];
    const int t = threadIdx.x;
    if (t == 0) {
        for (int i = 0; i < STAGES; i++)
            INIT(&full[i], 1);
        FENCE_SHARED();
    }
    __syncthreads();
    for (int k = 0; t == 0 && k < STAGES - 1; k++) {
        EXPECT(&full[k], BYTES);
        LOAD(s[k], in + k * WORDS, BYTES, &full[k]); //: scale first
    }
    for (int k = 0; k < TILES; k++) {
        const int next = k + STAGES - 1;
        if (t == 0 && next < TILES) {
            if (F == 6)
                WAIT_READ(1);
            else if (F != 5)
                WAIT_READ(0);
            EXPECT(&full[next % STAGES], F == 9 ? BYTES / 2 : BYTES);
            if (F == 9) {
                LOAD(s[next % STAGES], in + next * WORDS, BYTES / 2, &full[next % STAGES]);
                LOAD(s[next % STAGES] + WORDS / 2, in + next * WORDS + WORDS / 2, BYTES / 2, &full[next % STAGES]); //: scale half
            } else {
                LOAD(s[next % STAGES], in + next * WORDS, BYTES, &full[F == 8 ? 0 : next % STAGES]); //: scale loaded
            }
        }
        if (F == 2)
            WAIT(&full[k % STAGES], k / STAGES % 2 ^ 1);
        else if (F == 3)
            WAIT(&full[k % STAGES], 0);
        else if (F != 1)
            WAIT(&full[k % STAGES], k / STAGES % 2); //: scale waits
        const int old = s[k % STAGES][t]; //: scale read
        if (F == 7)
            FENCE_SHARED();
        s[k % STAGES][t] = 3 * old; //: scale written
        if (F != 4 && F != 7)
            FENCE_SHARED();
        __syncthreads();
        if (t == 0) {
            STORE(out + k * WORDS, s[k % STAGES], BYTES); //: scale stored
            COMMIT();
        }
    }
    if (t == 0)
        WAIT_READ(0);
}
template <int F> __device__ void scale_2(int *out, int *in) { scale<2, F>(out, in); }
template <int F> __device__ void scale_3(int *out, int *in) { scale<3, F>(out, in); }
template <int F> __device__ void scale_5(int *out, int *in) { scale<5, F>(out, in); }
KERNEL(scale_2, 0)
KERNEL(scale_3, 0)
KERNEL(scale_5, 0)
KERNEL(scale_3, 1) // no wait for the load
KERNEL(scale_3, 2) // the other parity
KERNEL(scale_3, 3) // always the parity of the first phase
KERNEL(scale_3, 4) // no fence
KERNEL(scale_3, 5) // a stage is loaded while its store may read
KERNEL(scale_2, 6) // the last store may still read
KERNEL(scale_3, 7) // a fence before the write
KERNEL(scale_3, 8) // the object of another stage
KERNEL(scale_3, 9) // only half of the bytes are expected
KERNEL(scale_5, 2)

// The result in global memory is read again by the block: out[i] = 2 * in[127 - i].
template <int F> __device__ void reread(int *out, int *in)
{
    __shared__ __align__(128) int s[WORDS];
    const int t = threadIdx.x;
    s[t] = in[t];
    FENCE_SHARED();
    __syncthreads();
    if (t == 0) {
        STORE(out + WORDS, s, BYTES); //: reread stored
        COMMIT();
        if (F == 1)
            WAIT_READ(0);
        if (F == 2)
            WAIT_STORE(1);
        if (F == 0)
            WAIT_STORE(0);
    }
    __syncthreads();
    out[t] = 2 * out[WORDS + 127 - t]; //: reread read
    if (t == 0)
        WAIT_STORE(0);
}
KERNEL(reread, 0)
KERNEL(reread, 1) // only the reads of the copy are waited for
KERNEL(reread, 2) // one group may still be pending

// --- cp.async ------------------------------------------------------------------------------------

// Sums of what each thread has copied itself, two tiles ahead.
template <int F> __device__ void own_copies(int *out, int *in)
{
    __shared__ int s[3][WORDS];
    const int t = threadIdx.x;
    int sum = 0;
    for (int k = 0; k < 2; k++) {
        COPY(&s[k][t], in + k * WORDS + t); //: own first
        COPY_COMMIT();
    }
    for (int k = 0; k < 6; k++) {
        if (k + 2 < 6)
            COPY(&s[(k + 2) % 3][t], in + (k + 2) * WORDS + t); //: own copied
        COPY_COMMIT();
        if (F == 1)
            COPY_WAIT(3);
        else
            COPY_WAIT(2);
        sum += s[k % 3][t]; //: own read
    }
    out[t] = sum;
}
KERNEL(own_copies, 0)
KERNEL(own_copies, 1) // one group too many may be pending

// Copies that arrive at an object: two warps copy, two add up.
template <int F> __device__ void copied_ring(int *out, int *in)
{
    __shared__ int s[2][64];
    __shared__ uint64_t full[2], empty[2];
    const int t = threadIdx.x;
    if (t == 0)
        for (int i = 0; i < 2; i++) {
            INIT(&full[i], 64);
            INIT(&empty[i], 64);
        }
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < 8; k++) {
        if (t >= 64) {
            WAIT(&empty[k % 2], k / 2 % 2 ^ 1);
            COPY(&s[k % 2][t - 64], in + k * 64 + t - 64); //: copied begun
            if (F == 3)
                ARRIVE(&full[k % 2]);
            else
                COPY_ARRIVE(&full[k % 2]); //: copied arrives
        } else {
            if (F == 2)
                WAIT(&full[k % 2], k / 2 % 2 ^ 1);
            else if (F != 1)
                WAIT(&full[k % 2], k / 2 % 2);
            sum += s[k % 2][63 - t]; //: copied read
            ARRIVE(&empty[k % 2]);
        }
    }
    if (t < 64)
        out[t] = sum;
}
KERNEL(copied_ring, 0)
KERNEL(copied_ring, 1) // no wait
KERNEL(copied_ring, 2) // the other parity
KERNEL(copied_ring, 3) // the arrival does not wait for the copies

// The same for what the thread itself has copied.
template <int F> __device__ void copied_alone(int *out, int *in)
{
    __shared__ int s[WORDS];
    __shared__ uint64_t full;
    const int t = threadIdx.x;
    if (t == 0)
        INIT(&full, 128);
    __syncthreads();
    COPY(&s[t], in + t); //: alone copied
    COPY_ARRIVE(&full);
    if (F == 0)
        WAIT(&full, 0);
    out[t] = s[t] + 1; //: alone read
}
KERNEL(copied_alone, 0)
KERNEL(copied_alone, 1) // no wait

// --- Warp-specialised products -------------------------------------------------------------------

// One warp loads a and b, four warps multiply, with one product in flight, and store through shared
// memory.
template <int STAGES, int F> __device__ void pipeline(int *out, int *in)
{
    enum { TILES = 3 * STAGES };
    __shared__ __align__(128) uint8_t s[STAGES][STEP_BYTES];
    __shared__ __align__(128) int result[512];
    __shared__ uint64_t full[STAGES + 1], empty[STAGES];
    const int t = threadIdx.x;
    if (t == 0) {
        for (int i = 0; i < STAGES; i++) {
            INIT(&full[i], 1);
            INIT(&empty[i], 1);
        }
        INIT(&full[STAGES], 1);
        FENCE_SHARED();
    }
    __syncthreads();
    if (t >= 128) {
        for (int k = 0; t == 128 && k < TILES; k++) {
            const int i = k % STAGES;
            if (F != 9)
                WAIT(&empty[i], k / STAGES % 2 ^ 1);
            EXPECT(&full[i], F == 3 || F == 5 ? A_BYTES : STEP_BYTES); //: pipeline expects
            LOAD(s[i], in + k * 32, A_BYTES, &full[i]); //: pipeline a
            LOAD(s[i] + A_BYTES, in + 1024 + k * 32, B_BYTES, &full[F == 5 ? STAGES : i]); //: pipeline b
        }
        return;
    }
    int d[4] = {0, 0, 0, 0};
    for (int k = 0; k < TILES; k++) {
        const int i = k % STAGES;
        if (F == 4)
            WAIT(&full[i], k / STAGES % 2 ^ 1);
        else
            WAIT(&full[i], k / STAGES % 2); //: pipeline waits
        WGMMA_FENCE();
        WGMMA(d, s[i]); //: pipeline issued
        WGMMA_COMMIT();
        if (F == 10)
            WGMMA_WAIT(2);
        else
            WGMMA_WAIT(1);
        if (t == 0 && (k > 0 || F == 1))
            ARRIVE(&empty[F == 1 ? i : (k - 1) % STAGES]);
    }
    if (F != 2)
        WGMMA_WAIT(0);
    KEEP(d);
    for (int i = 0; i < 4; i++)
        result[4 * t + i] = d[i]; //: pipeline written
    if (F != 6)
        FENCE_SHARED();
    NAMED(1, 128);
    if (t == 0) {
        STORE(out, result, 2048); //: pipeline stored
        COMMIT();
        if (F != 7)
            WAIT_READ(0);
    }
    if (F == 8)
        result[4 * t] = 0; //: pipeline cleared
}
template <int F> __device__ void pipeline_2(int *out, int *in) { pipeline<2, F>(out, in); }
template <int F> __device__ void pipeline_3(int *out, int *in) { pipeline<3, F>(out, in); }
template <int F> __device__ void pipeline_4(int *out, int *in) { pipeline<4, F>(out, in); }
template <int F> __device__ void pipeline_5(int *out, int *in) { pipeline<5, F>(out, in); }
KERNEL(pipeline_2, 0)
KERNEL(pipeline_3, 0)
KERNEL(pipeline_4, 0)
KERNEL(pipeline_5, 0)
KERNEL(pipeline_3, 1) // the stage is given back whose product is in flight
KERNEL(pipeline_3, 2) // the sums are not waited for
KERNEL(pipeline_3, 3) // only the bytes of a are expected
KERNEL(pipeline_3, 4) // the other parity
KERNEL(pipeline_3, 5) // b arrives at another object
KERNEL(pipeline_3, 6) // no fence
KERNEL(pipeline_3, 7) // the block ends before the copy has read
KERNEL(pipeline_3, 8) // the result is overwritten by threads that nothing orders after the wait
KERNEL(pipeline_3, 9) // stages are not waited for
KERNEL(pipeline_3, 10) // two products may be in flight
KERNEL(pipeline_5, 4)

// Two chains of products whose registers a loop exchanges while one is in flight.
template <int F> __device__ void exchanged(int *out, int *in)
{
    __shared__ __align__(128) uint8_t s[2][STEP_BYTES];
    const int t = threadIdx.x;
    int d[4] = {1, 2, 3, 4}, e[4] = {5, 6, 7, 8};
    for (int i = t; i < 2 * STEP_BYTES / 4; i += 128)
        ((int *)s)[i] = in[i % 512] & 0x01010101;
    FENCE_SHARED();
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < in[4]; k++) {
        WGMMA_FENCE();
        WGMMA(d, s[0]);
        WGMMA_COMMIT();
        WGMMA(e, s[1]); //: exchanged second
        WGMMA_COMMIT();
        WGMMA_WAIT(1);
        for (int i = 0; i < 4; i++) {
            const int kept = d[i];
            d[i] = e[i];
            e[i] = kept;
        }
    }
    if (F == 0)
        WGMMA_WAIT(0);
    KEEP(d);
    KEEP(e);
    for (int i = 0; i < 4; i++)
        out[t * 4 + i] = 3 * d[i] + e[i]; //: exchanged used
}
KERNEL(exchanged, 0)
KERNEL(exchanged, 1) // the last product is not waited for

// --- Clusters ------------------------------------------------------------------------------------

__device__ uint32_t rank_here()
{
    uint32_t rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
__device__ uint32_t in_block(const void *p, uint32_t rank)
{
    uint32_t to;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(to) : "r"(at(p)), "r"(rank));
    return to;
}
#define STORE_ASYNC(to, value, object, rank)                                                        \
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" :: \
                     "r"(in_block(to, rank)),                                                       \
                 "r"(value), "r"(in_block(object, rank))                                            \
                 : "memory")

// Each block stores its tile to the other one: out[i] = in[127 - i] + 1 or + 0.
template <int F> __device__ void sent(int *out, int *in)
{
    __shared__ int s[WORDS];
    __shared__ uint64_t full;
    const int t = threadIdx.x;
    if (t == 0) {
        INIT(&full, 1);
        EXPECT(&full, BYTES);
    }
    if (F == 3)
        __syncthreads();
    else
        CLUSTER_SYNC();
    STORE_ASYNC(&s[t], in[t] + (int)rank_here(), &full, rank_here() ^ 1); //: sent stored
    if (F == 2)
        WAIT_CLUSTER(&full, 1);
    else if (F != 1)
        WAIT_CLUSTER(&full, 0);
    out[t] = s[127 - t]; //: sent read
    CLUSTER_SYNC();
}
CLUSTER_KERNEL(sent, 0)
CLUSTER_KERNEL(sent, 1) // no wait
CLUSTER_KERNEL(sent, 2) // the other parity
CLUSTER_KERNEL(sent, 3) // the other block may not have begun

// One block loads for both, in a ring of two stages: sums of eight tiles.
template <int F> __device__ void shared_ring(int *out, int *in)
{
    __shared__ __align__(128) int s[2][WORDS];
    __shared__ uint64_t full[2], empty[2];
    const int t = threadIdx.x;
    int sum = 0;
    if (t == 0)
        for (int i = 0; i < 2; i++) {
            INIT(&full[i], 1);
            INIT(&empty[i], F == 1 ? 128 : 256);
        }
    CLUSTER_SYNC();
    for (int k = 0; k < 8; k++) {
        if (t == 0)
            EXPECT(&full[k % 2], BYTES);
        if (t == 0 && rank_here() == 0) {
            if (F != 4)
                WAIT_CLUSTER(&empty[k % 2], k / 2 % 2 ^ 1);
            MULTICAST(s[k % 2], in + k * WORDS, BYTES, &full[k % 2]); //: shared loaded
        }
        if (F == 2)
            WAIT_CLUSTER(&full[k % 2], k / 2 % 2 ^ 1);
        else if (F != 3)
            WAIT_CLUSTER(&full[k % 2], k / 2 % 2); //: shared waits
        sum += s[k % 2][127 - t]; //: shared read
        ARRIVE_IN(&empty[k % 2], 0);
    }
    out[t] = sum;
    CLUSTER_SYNC();
}
CLUSTER_KERNEL(shared_ring, 0)
CLUSTER_KERNEL(shared_ring, 1) // half of the arrivals complete a phase
CLUSTER_KERNEL(shared_ring, 2) // the other parity
CLUSTER_KERNEL(shared_ring, 3) // no wait
CLUSTER_KERNEL(shared_ring, 4) // the loads do not wait for the other block
