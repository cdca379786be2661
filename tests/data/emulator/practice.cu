// Kernels of tests/machine/test_async.c, in the manner of real ones: GEMM, attention, split k, scans,
// queues, histograms of clusters, rings between blocks. Each is correct as NAME_0, and where the comment
// says so; the others have one fault each. practice.ptx is made of this file:
//   nvcc -gencode arch=compute_90a,code=compute_90a -std=c++17 -ptx -lineinfo tests/data/emulator/practice.cu
//
// A comment "//: mark" names the line for the tests.
#include "async.cuh"

enum { WORDS = 128, BYTES = 4 * WORDS };

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
#define ADD_ASYNC(to, value, object, rank)                                                          \
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.s32 "  \
                 "[%0], %1, [%2];" ::"r"(in_block(to, rank)),                                       \
                 "r"(value), "r"(in_block(object, rank))                                            \
                 : "memory")

// --- Sources in global memory that are written again ---------------------------------------------

// Tiles are cleared when they have been copied, each element by the thread that copied it or by
// another one: sums of what was there.
template <int F> __device__ void cleared(int *out, int *in)
{
    __shared__ int s[2][WORDS];
    const int t = threadIdx.x;
    int sum = 0;
    COPY(&s[0][t], in + t); //: cleared first
    COPY_COMMIT();
    for (int k = 0; k < 6; k++) {
        if (k + 1 < 6)
            COPY(&s[(k + 1) % 2][t], in + (k + 1) * WORDS + t); //: cleared copied
        COPY_COMMIT();
        if (F == 2)
            COPY_WAIT(2);
        else if (F != 1)
            COPY_WAIT(1);
        if (F != 4)
            __syncthreads();
        in[k * WORDS + (F == 3 || F == 4 ? t : 127 - t)] = 0; //: cleared written
        COPY_WAIT(1);
        __syncthreads();
        sum += s[k % 2][t];
        __syncthreads();
    }
    out[t] = sum;
}
KERNEL(cleared, 0)
KERNEL(cleared, 1) // the copies are not waited for
KERNEL(cleared, 2) // one group too many may be pending
KERNEL(cleared, 3) // correct: each thread writes what it has copied itself,
KERNEL(cleared, 4) // which needs no barrier

// The same with one tile, whose copies arrive at an object.
template <int F> __device__ void cleared_arrived(int *out, int *in)
{
    __shared__ __align__(128) int s[WORDS];
    __shared__ uint64_t full;
    const int t = threadIdx.x;
    if (t == 0) {
        INIT(&full, F < 2 ? 128 : 1);
        FENCE_SHARED();
    }
    __syncthreads();
    if (F < 2) {
        COPY(&s[t], in + t); //: arrived copied
        COPY_ARRIVE(&full);
    } else if (t == 0) {
        EXPECT(&full, BYTES);
        LOAD(s, in, BYTES, &full); //: arrived loaded
    }
    if (F >= 2)
        __syncthreads();
    if (F == 0 || F == 2)
        WAIT(&full, 0);
    in[F < 2 ? t : 127 - t] = 0; //: arrived written
    WAIT(&full, 0);
    out[t] = s[127 - t];
}
KERNEL(cleared_arrived, 0)
KERNEL(cleared_arrived, 1) // no wait
KERNEL(cleared_arrived, 2) // correct, in bulk
KERNEL(cleared_arrived, 3) // no wait, in bulk

// --- Destinations that are written before the copy has arrived -------------------------------------

// The tile's end is filled up with zeros.
template <int F> __device__ void filled(int *out, int *in)
{
    __shared__ __align__(128) int s[WORDS];
    __shared__ uint64_t full;
    const int t = threadIdx.x, length = in[10];
    if (t == 0) {
        INIT(&full, 1);
        FENCE_SHARED();
    }
    __syncthreads();
    if (F == 2 || F == 3) {
        if (t == 0) {
            EXPECT(&full, BYTES);
            LOAD(s, in, BYTES, &full); //: filled loaded
        }
        if (F == 2)
            WAIT(&full, 0);
        __syncthreads();
    } else {
        COPY(&s[t], in + t); //: filled copied
        COPY_COMMIT();
        if (F != 1)
            COPY_WAIT(0);
    }
    if (t >= length)
        s[t] = 0; //: filled written
    COPY_WAIT(0);
    if (F == 3)
        WAIT(&full, 0);
    __syncthreads();
    out[t] = s[127 - t];
}
KERNEL(filled, 0)
KERNEL(filled, 1) // the thread's own copy may arrive later
KERNEL(filled, 2) // correct, in bulk
KERNEL(filled, 3) // no wait, in bulk

// A result in global memory that is corrected behind a bulk store.
template <int F> __device__ void corrected(int *out, int *in)
{
    __shared__ __align__(128) int s[WORDS];
    const int t = threadIdx.x;
    s[t] = in[t];
    FENCE_SHARED();
    __syncthreads();
    if (t == 0) {
        STORE(out, s, BYTES); //: corrected stored
        COMMIT();
        if (F == 0)
            WAIT_STORE(0);
        else
            WAIT_READ(0);
        out[0] = -1; //: corrected written
        WAIT_STORE(0);
    }
}
KERNEL(corrected, 0)
KERNEL(corrected, 1) // only the reads of the copy are waited for

// --- Stores that another block reads -------------------------------------------------------------

// One block stores a tile in bulk, the other one reads it when the flag is set.
template <int F> __device__ void given(int *out, int *in)
{
    __shared__ __align__(128) int s[WORDS];
    const int t = threadIdx.x;
    int *const tile = in + 4096, *const flag = in + 8192;
    if (blockIdx.x == 0) {
        s[t] = in[t];
        FENCE_SHARED();
        __syncthreads();
        if (t == 0) {
            STORE(tile, s, BYTES); //: given stored
            COMMIT();
            if (F == 0)
                WAIT_STORE(0);
            if (F == 1)
                WAIT_READ(0);
            if (F == 2)
                WAIT_STORE(1);
            __threadfence();
            atomicExch(flag, 1);
        }
        for (int i = 0; F == 3 && t == 0 && i < 1000; i++)
            asm volatile("nanosleep.u32 0;");
        if (t == 0)
            WAIT_STORE(0);
        return;
    }
    if (t == 0) {
        while (*(volatile int *)flag == 0)
            ;
        __threadfence();
    }
    __syncthreads();
    out[t] = tile[127 - t]; //: given read
}
KERNEL(given, 0)
KERNEL(given, 1) // only the reads of the copy are waited for
KERNEL(given, 2) // one group may still be pending
KERNEL(given, 3) // the flag is set before the wait

// --- GEMM: stages filled by cp.async -------------------------------------------------------------

#define COPY16(to, from) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at(to)), "l"(from) : "memory")

// c = a b, of 32 x 32 results a block: 128 threads, tiles of 8 along k, STAGES of them in flight.
template <int STAGES, int F> __device__ void staged_gemm(int *out, int *in)
{
    enum { N = 32, K = 64, STEP = 8, STEPS = K / STEP };
    __shared__ __align__(16) int a[STAGES][STEP][N], b[STAGES][STEP][N];
    const int t = threadIdx.x, row = t / 32, col = t % 32;
    const int *b_in = in + K * N;
    int sum[8] = {0};
    auto fetch = [&](int k) {
        int *to = t < 64 ? &a[k % STAGES][t / 8][t % 8 * 4] : &b[k % STAGES][t / 8 - 8][t % 8 * 4];
        const int *from = (t < 64 ? in : b_in) + k * STEP * N + t % 64 * 4;
        COPY16(to, from); //: gemm copied
    };
    for (int k = 0; k < STAGES - 1; k++) {
        fetch(k);
        COPY_COMMIT();
    }
    for (int k = 0; k < STEPS; k++) {
        if (F == 1)
            COPY_WAIT(STAGES - 1);
        else
            COPY_WAIT(STAGES - 2);
        if (F != 2)
            __syncthreads();
        if (k + STAGES - 1 < STEPS)
            fetch(k + STAGES - 1);
        if (F != 3)
            COPY_COMMIT();
        for (int i = 0; i < STEP; i++)
            for (int r = 0; r < 8; r++)
                sum[r] += a[k % STAGES][i][row * 8 + r] * b[k % STAGES][i][col]; //: gemm read
    }
    for (int r = 0; r < 8; r++)
        out[(row * 8 + r) * N + col] = sum[r];
}
#define STAGED(stages)                                                                              \
    template <int F> __device__ void staged_##stages(int *out, int *in) { staged_gemm<stages, F>(out, in); }
STAGED(2)
STAGED(3)
STAGED(4)
STAGED(5)
KERNEL(staged_2, 0)
KERNEL(staged_3, 0)
KERNEL(staged_4, 0)
KERNEL(staged_5, 0)
KERNEL(staged_2, 1) // one group too many may be pending
KERNEL(staged_4, 1)
KERNEL(staged_2, 2) // no barrier
KERNEL(staged_3, 2)
KERNEL(staged_4, 3) // groups are not committed in the loop

// --- GEMM: stages filled in bulk by a warp of its own --------------------------------------------

// Sums of products by the threads of four warps; the fifth one loads.
template <int STAGES, int F> __device__ void fed_gemm(int *out, int *in)
{
    enum { STEPS = 8 };
    __shared__ __align__(128) int a[STAGES][WORDS], b[STAGES][WORDS];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    const int t = threadIdx.x;
    if (t == 0) {
        for (int i = 0; i < STAGES; i++) {
            INIT(&full[i], 1);
            INIT(&empty[i], F == 1 ? 3 : 4);
        }
        FENCE_SHARED();
    }
    __syncthreads();
    if (t >= 128) {
        if (t > 128)
            return;
        for (int k = 0; k < STEPS; k++) {
            WAIT(&empty[k % STAGES], k / STAGES & 1 ^ (F != 2));
            EXPECT(&full[k % STAGES], 2 * BYTES); //: fed expects
            LOAD(a[k % STAGES], in + k * WORDS, BYTES, &full[k % STAGES]); //: fed loaded
            LOAD(b[k % STAGES], in + 1024 + k * WORDS, BYTES, &full[k % STAGES]);
        }
        return;
    }
    int sum = 0;
    for (int k = 0; k < STEPS; k++) {
        if (F == 4)
            WAIT(&full[0], k / STAGES & 1);
        else
            WAIT(&full[k % STAGES], k / STAGES & 1); //: fed waits
        if (F == 3) {
            __syncwarp();
            if (t % 32 == 0)
                ARRIVE(&empty[k % STAGES]);
        }
        for (int i = 0; i < 4; i++)
            sum += a[k % STAGES][(t + i) % WORDS] * b[k % STAGES][i]; //: fed read
        __syncwarp();
        if (F != 3 && t % 32 == 0)
            ARRIVE(&empty[k % STAGES]); //: fed arrives
    }
    out[t] = sum;
}
#define FED(stages)                                                                                 \
    template <int F> __device__ void fed_##stages(int *out, int *in) { fed_gemm<stages, F>(out, in); }
FED(2)
FED(3)
FED(4)
KERNEL(fed_2, 0)
KERNEL(fed_3, 0)
KERNEL(fed_4, 0)
KERNEL(fed_3, 1) // one warp fewer completes the phase
KERNEL(fed_3, 2) // the loads wait for the other parity
KERNEL(fed_3, 3) // a stage is given back before it is read
KERNEL(fed_2, 3)
KERNEL(fed_4, 4) // the object of another stage

// --- Attention -----------------------------------------------------------------------------------

// Each warp has 4 rows of q and walks along tiles of 32 keys: scores to shared memory, then p v.
template <int F> __device__ void attend(int *out, int *in)
{
    enum { DIM = 16, KEYS = 32, TILES = 4 };
    __shared__ __align__(16) int k[2][KEYS][DIM], v[2][KEYS][DIM];
    __shared__ int p[4][4][KEYS];
    const int t = threadIdx.x, warp = t / 32, lane = t % 32;
    const int *k_in = in + 256, *v_in = in + 256 + TILES * KEYS * DIM / 2;
    auto fetch = [&](int n) {
        COPY16(&k[n % 2][t / 4][t % 4 * 4], k_in + n * 256 + t * 4); //: attend k
        if (F == 1)
            COPY_COMMIT();
        COPY16(&v[n % 2][t / 4][t % 4 * 4], v_in + n * 256 + t * 4); //: attend v
        COPY_COMMIT();
    };
    int sum[2] = {0, 0};
    fetch(0);
    for (int n = 0; n < TILES; n++) {
        if (n + 1 < TILES)
            fetch(n + 1);
        else
            COPY_COMMIT();
        if (F == 1)
            COPY_WAIT(3);
        else
            COPY_WAIT(1);
        __syncthreads();
        for (int r = 0; r < 4; r++) {
            int score = 0;
            for (int i = 0; i < DIM; i++)
                score += in[(warp * 4 + r) * DIM + i] * k[n % 2][lane][i]; //: attend k read
            p[warp][r][lane] = score % 7; //: attend p written
        }
        if (F != 2)
            __syncwarp();
        for (int r = 0; r < 2; r++)
            for (int i = 0; i < KEYS; i++)
                sum[r] += p[warp][lane / 16 + 2 * r][i] * v[n % 2][i][lane % 16]; //: attend read
        if (F != 3)
            __syncthreads();
    }
    for (int r = 0; r < 2; r++)
        out[(warp * 4 + lane / 16 + 2 * r) * DIM + lane % 16] = sum[r];
}
KERNEL(attend, 0)
KERNEL(attend, 1) // k and v are groups of their own, of which v may be pending
KERNEL(attend, 2) // no __syncwarp() between the scores and their use
KERNEL(attend, 3) // no barrier before the next tile is fetched

// --- Ping-pong ------------------------------------------------------------------------------------

// Two warpgroups take turns at the stores of their tiles through one buffer.
template <int F> __device__ void turns(int *out, int *in)
{
    __shared__ __align__(128) int s[WORDS];
    const int t = threadIdx.x % 128, group = threadIdx.x / 128;
    for (int n = group; n < 6; n += 2) {
        if (group == 0 && n > 0)
            asm volatile("bar.sync 1, 256;" ::: "memory");
        if (group == 1 && F != 1)
            asm volatile("bar.sync 2, 256;" ::: "memory");
        s[t] = in[n * WORDS + t] + 1; //: turns written
        if (F != 3)
            FENCE_SHARED();
        if (group == 0)
            asm volatile("bar.sync 3, 128;" ::: "memory");
        else
            asm volatile("bar.sync 4, 128;" ::: "memory");
        if (t == 0) {
            STORE(out + n * WORDS, s, BYTES); //: turns stored
            COMMIT();
            if (F != 2)
                WAIT_READ(0);
        }
        if (group == 0)
            asm volatile("bar.sync 3, 128;" ::: "memory");
        else
            asm volatile("bar.sync 4, 128;" ::: "memory");
        if (group == 0 && F != 1)
            asm volatile("bar.arrive 2, 256;" ::: "memory");
        if (group == 1 && n < 5)
            asm volatile("bar.arrive 1, 256;" ::: "memory");
    }
    if (t == 0)
        WAIT_READ(0);
}
KERNEL(turns, 0)
KERNEL(turns, 1) // the second group does not wait for its turn
KERNEL(turns, 2) // the copy may still read when the turn is passed on
KERNEL(turns, 3) // no fence

// --- Split k ---------------------------------------------------------------------------------------

// Partial sums in a workspace; the block that comes last adds them.
template <int F> __device__ void split(int *out, int *in)
{
    __shared__ int ticket;
    const int t = threadIdx.x;
    int *const part = in + 8192, *const count = in + 6000;
    int sum = 0;
    for (int i = 0; i < 4; i++)
        sum += in[(blockIdx.x * 4 + i) * WORDS % 2048 + t];
    part[blockIdx.x * WORDS + t] = sum; //: split written
    if (F != 1)
        __threadfence();
    if (F != 2)
        __syncthreads();
    if (t == 0)
        ticket = atomicAdd(count, 1);
    __syncthreads();
    if (ticket + 1 != gridDim.x)
        return;
    sum = 0;
    for (int i = 0; i < gridDim.x; i++)
        sum += ((volatile int *)part)[i * WORDS + t]; //: split read
    out[t] = sum;
}
KERNEL(split, 0)
KERNEL(split, 1) // no fence before the ticket
KERNEL(split, 2) // the ticket is taken before other warps have written

// --- All blocks together ----------------------------------------------------------------------------

// A barrier of all blocks whose count goes up.
template <int F> __device__ void everyone(int *count, int round)
{
    if (F != 2)
        __syncthreads();
    if (threadIdx.x == 0) {
        if (F != 1)
            __threadfence();
        atomicAdd(count, 1);
        while (*(volatile int *)count < (int)gridDim.x * round)
            ;
        if (F != 3)
            __threadfence();
    }
    __syncthreads();
}
// Steps of a stencil with two buffers.
template <int F> __device__ void relax(int *out, int *in)
{
    const int n = gridDim.x * WORDS, i = blockIdx.x * WORDS + threadIdx.x;
    int *from = in, *to = in + 8192, *const count = in + 6000;
    for (int k = 1; k <= 4; k++) {
        to[i] = from[i] + from[(i + 1) % n] + from[(i + n - 1) % n]; //: relax step
        everyone<F>(count, k);
        int *const kept = from;
        from = to;
        to = F == 4 ? to : kept;
    }
    out[i] = from[i];
}
KERNEL(relax, 0)
KERNEL(relax, 1) // no fence before the arrival
KERNEL(relax, 3) // no fence behind the wait
KERNEL(relax, 2) // the thread arrives before the others of its block have written
KERNEL(relax, 4) // one buffer

// A ring in global memory: one block gives, the other one takes.
template <int F> __device__ void channel(int *out, int *in)
{
    enum { SLOTS = 2, ITEMS = 6 };
    const int t = threadIdx.x;
    int *const slot = in + 8192, *const head = in + 6000, *const tail = in + 6032;
    int sum = 0;
    for (int k = 0; k < ITEMS; k++) {
        int seen = 0;
        if (blockIdx.x == 0) {
            if (t == 0) {
                do
                    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(tail) : "memory");
                while (k - seen >= SLOTS && F != 3);
            }
            __syncthreads();
            slot[k % SLOTS * WORDS + t] = in[k * WORDS + t]; //: channel written
            __syncthreads();
            if (t == 0 && F == 1)
                asm volatile("st.relaxed.gpu.global.s32 [%0], %1;" ::"l"(head), "r"(k + 1) : "memory");
            else if (t == 0)
                asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(head), "r"(k + 1) : "memory");
        } else {
            if (t == 0) {
                do
                    if (F == 4)
                        asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(head) : "memory");
                    else
                        asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(head) : "memory");
                while (seen <= k);
            }
            __syncthreads();
            if (F == 2 && t == 0)
                asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(tail), "r"(k + 1) : "memory");
            sum += slot[k % SLOTS * WORDS + 127 - t]; //: channel read
            __syncthreads();
            if (F != 2 && t == 0)
                asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(tail), "r"(k + 1) : "memory");
        }
    }
    if (blockIdx.x == 1)
        out[t] = sum;
}
KERNEL(channel, 0)
KERNEL(channel, 1) // the head is not released
KERNEL(channel, 2) // a slot is given back before it is read
KERNEL(channel, 3) // slots are not waited for
KERNEL(channel, 4) // the head is not acquired

// --- Scans ---------------------------------------------------------------------------------------------

// Each block looks back along the sums of those before it.
template <int F> __device__ void lookback(int *out, int *in)
{
    __shared__ int warps[4], before;
    const int t = threadIdx.x, lane = t % 32, i = blockIdx.x * WORDS + t;
    int *const own = in + 8192, *const whole = in + 8256, *const state = in + 8320;
    int sum = in[i];
    for (int d = 1; d < 32; d *= 2) {
        const int left = __shfl_up_sync(~0u, sum, d);
        sum += lane >= d ? left : 0;
    }
    if (lane == 31)
        warps[t / 32] = sum; //: look written
    if (F != 2)
        __syncthreads();
    for (int w = 0; w < t / 32; w++)
        sum += warps[w]; //: look read
    if (t == 127) {
        own[blockIdx.x] = sum; //: look own
        if (F != 1)
            __threadfence();
        atomicExch(&state[blockIdx.x], 1);
        int total = 0;
        for (int b = (int)blockIdx.x - 1; b >= 0; b--) {
            int found;
            do
                found = *(volatile int *)&state[b];
            while (found == 0);
            __threadfence();
            total += found == 2 ? ((volatile int *)whole)[b] : ((volatile int *)own)[b]; //: look seen
            if (found == 2)
                break;
        }
        before = total;
        whole[blockIdx.x] = total + sum;
        __threadfence();
        atomicExch(&state[blockIdx.x], 2);
    }
    __syncthreads();
    out[i] = before + sum;
}
KERNEL(lookback, 0)
KERNEL(lookback, 1) // no fence before the state
KERNEL(lookback, 2) // no barrier between the warps' sums and their use

// --- Queues ----------------------------------------------------------------------------------------------

// Persistent blocks take tiles from a counter.
template <int F> __device__ void taking(int *out, int *in)
{
    __shared__ int next;
    const int t = threadIdx.x;
    int *const count = in + 6000;
    for (;;) {
        if (t == 0)
            next = F == 2 ? (*count)++ : atomicAdd(count, 1); //: taking written
        __syncthreads();
        const int tile = next; //: taking read
        if (F != 1)
            __syncthreads();
        if (tile >= 12)
            break;
        out[tile * WORDS + t] = in[tile * WORDS + t] + 1;
    }
}
KERNEL(taking, 0)
KERNEL(taking, 1) // the next tile may be taken while others read the last one
KERNEL(taking, 2) // no atomic operation

// Each warp takes places for all of its lanes at once.
template <int F> __device__ void append(int *out, int *in)
{
    const int t = threadIdx.x, i = blockIdx.x * WORDS + t, lane = t % 32;
    int *const count = in + 6000;
    if (in[i] % 3 != 1)
        return;
    const unsigned mask = F == 2 ? ~0u : __activemask();
    int first = 0;
    if (lane == __ffs(mask & __activemask()) - 1)
        first = F == 1 ? atomicAdd(count, 1) : atomicAdd(count, __popc(mask));
    asm volatile("shfl.sync.idx.b32 %0, %1, %2, 31, %3;" : "=r"(first) : "r"(first), "r"(__ffs(mask) - 1), "r"(mask)); //: append shuffled
    out[first + __popc(mask & ((1u << lane) - 1))] = in[i]; //: append written
}
KERNEL(append, 0)
KERNEL(append, 1) // places for one lane only
KERNEL(append, 2) // the mask names lanes that have left

// --- Clusters --------------------------------------------------------------------------------------------

// A histogram whose bins are spread over the shared memory of both blocks.
template <int F> __device__ void bins(int *out, int *in)
{
    __shared__ int s[WORDS];
    const int t = threadIdx.x;
    s[t] = 0; //: bins cleared
    if (F == 1)
        __syncthreads();
    else
        CLUSTER_SYNC();
    for (int i = 0; i < 4; i++) {
        const int bin = in[(rank_here() * 4 + i) * WORDS + t] * 7 % 256;
        const uint32_t to = in_block(&s[bin % WORDS], bin / WORDS);
        if (F == 2)
            asm volatile("{ .reg .s32 v; ld.shared::cluster.s32 v, [%0]; add.s32 v, v, 1;"
                         "st.shared::cluster.s32 [%0], v; }" ::"r"(to) : "memory"); //: bins added
        else
            asm volatile("red.shared::cluster.add.s32 [%0], 1;" ::"r"(to) : "memory"); //: bins counted
    }
    if (F != 3)
        CLUSTER_SYNC();
    out[t] = s[t]; //: bins read
}
CLUSTER_KERNEL(bins, 0)
CLUSTER_KERNEL(bins, 1) // the other block's bins may not be cleared
CLUSTER_KERNEL(bins, 2) // no atomic operation
CLUSTER_KERNEL(bins, 3) // no barrier before the result is read

// Sums of both blocks meet in the first one: red.async completes transactions.
template <int F> __device__ void meet(int *out, int *in)
{
    __shared__ int s[WORDS];
    __shared__ uint64_t full;
    const int t = threadIdx.x;
    s[t] = 0; //: meet cleared
    if (t == 0) {
        INIT(&full, 1);
        EXPECT(&full, F == 2 ? BYTES : 2 * BYTES);
    }
    CLUSTER_SYNC();
    ADD_ASYNC(&s[t], in[rank_here() * WORDS + t], &full, 0); //: meet sent
    if (rank_here() == 0) {
        if (F != 1)
            WAIT_CLUSTER(&full, 0); //: meet waits
        out[t] = s[127 - t]; //: meet read
    }
    CLUSTER_SYNC();
}
CLUSTER_KERNEL(meet, 0)
CLUSTER_KERNEL(meet, 1) // no wait
CLUSTER_KERNEL(meet, 2) // half of the bytes are expected

// Each block loads half of a tile for both.
template <int F> __device__ void halves(int *out, int *in)
{
    __shared__ __align__(128) int s[2][WORDS];
    __shared__ uint64_t full[2], empty[2];
    const int t = threadIdx.x, rank = rank_here();
    int sum = 0;
    if (t == 0) {
        for (int i = 0; i < 2; i++) {
            INIT(&full[i], 1);
            INIT(&empty[i], 2);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    CLUSTER_SYNC();
    for (int k = 0; k < 6; k++) {
        if (t == 0) {
            WAIT_CLUSTER(&empty[k % 2], k / 2 % 2 ^ 1);
            EXPECT(&full[k % 2], F == 1 ? BYTES / 2 : BYTES);
            MULTICAST(s[k % 2] + rank * 64, in + k * WORDS + rank * 64, BYTES / 2, &full[k % 2]); //: halves loaded
        }
        WAIT_CLUSTER(&full[k % 2], k / 2 % 2); //: halves waits
        sum += s[k % 2][127 - t]; //: halves read
        if (F != 3)
            __syncthreads();
        if (t < 2)
            ARRIVE_IN(&empty[k % 2], t); //: halves arrives
    }
    out[t] = sum;
    if (F != 4)
        CLUSTER_SYNC();
}
CLUSTER_KERNEL(halves, 0)
CLUSTER_KERNEL(halves, 1) // half of the bytes are expected
CLUSTER_KERNEL(halves, 3) // a stage is given back before all have read it
CLUSTER_KERNEL(halves, 4) // a block may end while the other one arrives in it

// --- Loads of what other blocks have written -----------------------------------------------------------

// One block writes a tile, which the other one loads in bulk.
template <int F> __device__ void fetched(int *out, int *in)
{
    __shared__ __align__(128) int s[WORDS];
    __shared__ uint64_t full;
    const int t = threadIdx.x;
    int *const tile = in + 4096, *const flag = in + 8192;
    if (blockIdx.x == 0) {
        tile[t] = in[t] + 1; //: fetched written
        if (F != 2 && F != 3)
            FENCE_GLOBAL();
        __syncthreads();
        if (t == 0) {
            if (F != 1)
                __threadfence();
            atomicExch(flag, 1);
        }
        return;
    }
    if (t == 0) {
        INIT(&full, 1);
        FENCE_SHARED();
        while (*(volatile int *)flag == 0)
            ;
        __threadfence();
        if (F != 2)
            FENCE_GLOBAL();
        EXPECT(&full, BYTES);
        LOAD(s, tile, BYTES, &full); //: fetched loaded
    }
    __syncthreads();
    WAIT(&full, 0);
    out[t] = s[127 - t];
}
KERNEL(fetched, 0)
KERNEL(fetched, 1) // no fence before the flag
KERNEL(fetched, 2) // no fence.proxy.async
KERNEL(fetched, 3) // correct: the one of the thread that loads is enough
