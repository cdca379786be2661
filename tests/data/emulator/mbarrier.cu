// Kernels of tests/machine/test_mbarrier.c. mbarrier.ptx is made of this file:
//   nvcc -arch=sm_90 -std=c++17 -ptx -lineinfo mbarrier.cu
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/ptx>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;
#pragma nv_diag_suppress static_var_with_dynamic_init

enum { THREADS = 128, ROUNDS = 5, STAGES = 3 };

// Each thread reads its neighbor's element of each round, between two phases.
extern "C" __global__ void neighbors(unsigned *out, const unsigned *in)
{
    __shared__ block_barrier bar;
    __shared__ unsigned tile[THREADS];
    if (threadIdx.x == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    unsigned sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
        tile[threadIdx.x] = in[round * THREADS + threadIdx.x];
        auto token = bar.arrive();
        bar.wait(std::move(token));
        sum += (round + 1) * tile[(threadIdx.x + 33) % THREADS];
        bar.arrive_and_wait();
    }
    out[blockIdx.x * THREADS + threadIdx.x] = sum;
}

// The same without the second wait: the next round overwrites what others still read.
extern "C" __global__ void no_second_wait(unsigned *out, const unsigned *in)
{
    __shared__ block_barrier bar;
    __shared__ unsigned tile[THREADS];
    if (threadIdx.x == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    unsigned sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
        tile[threadIdx.x] = in[round * THREADS + threadIdx.x];
        bar.arrive_and_wait();
        sum += tile[(threadIdx.x + 33) % THREADS];
    }
    out[threadIdx.x] = sum;
}

// Threads read what others stored, after an arrival but without a wait.
extern "C" __global__ void no_wait(unsigned *out, const unsigned *in)
{
    __shared__ block_barrier bar;
    __shared__ unsigned tile[THREADS];
    if (threadIdx.x == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    tile[threadIdx.x] = in[threadIdx.x];
    (void)bar.arrive();
    out[threadIdx.x] = tile[(threadIdx.x + 33) % THREADS];
}

// Fewer threads arrive than the barrier expects.
extern "C" __global__ void one_is_missing(unsigned *out, const unsigned *in)
{
    __shared__ block_barrier bar;
    if (threadIdx.x == 0)
        init(&bar, blockDim.x + 1);
    __syncthreads();
    bar.arrive_and_wait();
    out[threadIdx.x] = in[threadIdx.x];
}

// Half of the threads leave after each round, and the barrier no longer counts them.
extern "C" __global__ void leave(unsigned *out, const unsigned *in)
{
    __shared__ block_barrier bar;
    __shared__ unsigned sum[THREADS];
    if (threadIdx.x == 0)
        init(&bar, blockDim.x);
    sum[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    for (unsigned half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x >= half) {
            bar.arrive_and_drop();
            return;
        }
        bar.arrive_and_wait();
        sum[threadIdx.x] += sum[threadIdx.x + half];
    }
    out[0] = sum[0];
}

// One warp fills a ring of buffers, three empty them: two barriers for each buffer, and waits for
// the parity of a phase.
extern "C" __global__ void ring(unsigned *out, const unsigned *in)
{
    __shared__ alignas(8) uint64_t full[STAGES], empty[STAGES];
    __shared__ unsigned buffer[STAGES][32];
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x < STAGES) {
        cuda::ptx::mbarrier_init(&full[threadIdx.x], 32);
        cuda::ptx::mbarrier_init(&empty[threadIdx.x], 96);
    }
    __syncthreads();
    unsigned sum = 0;
    for (unsigned i = 0; i < 20; i++) {
        const unsigned stage = i % STAGES, phase = i / STAGES & 1;
        if (warp == 0) {
            while (!cuda::ptx::mbarrier_try_wait_parity(&empty[stage], phase ^ 1))
                ;
            buffer[stage][lane] = in[i * 32 + lane];
            cuda::ptx::mbarrier_arrive(&full[stage]);
        } else {
            while (!cuda::ptx::mbarrier_test_wait_parity(&full[stage], phase))
                ;
            sum += warp * buffer[stage][31 - lane];
            cuda::ptx::mbarrier_arrive(&empty[stage]);
        }
    }
    out[threadIdx.x] = sum;
}

// A lane waits for another lane of its warp, both before the warp reconverges.
extern "C" __global__ void within_a_warp(unsigned *out, const unsigned *in)
{
    __shared__ alignas(8) uint64_t bar;
    __shared__ unsigned value;
    if (threadIdx.x == 0)
        cuda::ptx::mbarrier_init(&bar, 1);
    __syncwarp();
    if (threadIdx.x == 1) {
        while (!cuda::ptx::mbarrier_try_wait_parity(&bar, 0))
            ;
        out[0] = value;
    } else if (threadIdx.x == 7) {
        value = in[3];
        cuda::ptx::mbarrier_arrive(&bar);
    }
}

// Transactions keep a phase from completing; they may be completed before they are expected.
extern "C" __global__ void transactions(unsigned *out, const unsigned *in)
{
    __shared__ alignas(8) uint64_t bar;
    if (threadIdx.x > 0)
        return;
    cuda::ptx::mbarrier_init(&bar, 2);
    const uint64_t first = cuda::ptx::mbarrier_arrive_expect_tx(
        cuda::ptx::sem_release, cuda::ptx::scope_cta, cuda::ptx::space_shared, &bar, 100);
    uint32_t pending;
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(first));
    out[0] = pending;
    const uint64_t second = cuda::ptx::mbarrier_arrive(&bar);
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(second));
    out[1] = pending;
    out[2] = cuda::ptx::mbarrier_test_wait(&bar, second);
    const uint32_t at = (uint32_t)__cvta_generic_to_shared(&bar);
    asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(at), "r"(60u)
                 : "memory");
    out[3] = cuda::ptx::mbarrier_test_wait(&bar, first);
    asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(at), "r"(40u)
                 : "memory");
    out[4] = cuda::ptx::mbarrier_test_wait(&bar, first);
    asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(at), "r"(8u)
                 : "memory");
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(at), "r"(8u)
                 : "memory");
    const uint64_t third = cuda::ptx::mbarrier_arrive(&bar, 2u);
    out[5] = cuda::ptx::mbarrier_test_wait(&bar, third);
    asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(at) : "memory");
    out[6] = in[0];
}

// A bulk copy in, one out, and the phase that completes with the last byte that arrived.
extern "C" __global__ void bulk(unsigned *out, const unsigned *in)
{
    __shared__ alignas(16) unsigned tile[1024];
    __shared__ block_barrier bar;
    if (threadIdx.x == 0) {
        init(&bar, blockDim.x);
        cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
    }
    __syncthreads();
    block_barrier::arrival_token token;
    if (threadIdx.x == 0) {
        cuda::memcpy_async(tile, in + 1024 * blockIdx.x, cuda::aligned_size_t<16>(sizeof tile),
                           bar);
        token = cuda::device::barrier_arrive_tx(bar, 1, 0);
    } else {
        token = bar.arrive();
    }
    bar.wait(std::move(token));
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        tile[i] = 3 * tile[i] + 1;
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        cuda::ptx::cp_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared,
                                 out + 1024 * blockIdx.x, tile, sizeof tile);
        cuda::ptx::cp_async_bulk_commit_group();
        cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<0>());
    }
}

// As many bytes from one place to another as out says: how many, from where, to where.
extern "C" __global__ void any_bulk(unsigned *out, const unsigned *in)
{
    __shared__ alignas(16) char tile[1024];
    __shared__ alignas(8) uint64_t bar;
    if (threadIdx.x > 0)
        return;
    cuda::ptx::mbarrier_init(&bar, 1);
    cuda::ptx::cp_async_bulk(cuda::ptx::space_shared, cuda::ptx::space_global, tile + out[2],
                             (const char *)in + out[1], out[0], &bar);
    cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta,
                                         cuda::ptx::space_shared, &bar, out[0]);
    while (!cuda::ptx::mbarrier_try_wait_parity(&bar, 0))
        ;
    out[3] = *(unsigned *)(tile + out[2]);
}

// Threads read what a bulk copy brings, without a wait.
extern "C" __global__ void bulk_without_wait(unsigned *out, const unsigned *in)
{
    __shared__ alignas(16) unsigned tile[THREADS];
    __shared__ alignas(8) uint64_t bar;
    if (threadIdx.x == 0)
        cuda::ptx::mbarrier_init(&bar, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        cuda::ptx::cp_async_bulk(cuda::ptx::space_shared, cuda::ptx::space_global, tile, in,
                                 sizeof tile, &bar);
        cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta,
                                             cuda::ptx::space_shared, &bar, sizeof tile);
    }
    out[threadIdx.x] = tile[threadIdx.x];
}

// Each thread copies an element with cp.async; its arrival is that of the copy.
extern "C" __global__ void copies(unsigned *out, const unsigned *in)
{
    __shared__ alignas(16) unsigned tile[THREADS];
    __shared__ block_barrier bar;
    if (threadIdx.x == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], cuda::aligned_size_t<4>(4), bar);
    bar.arrive_and_wait();
    out[threadIdx.x] = tile[THREADS - 1 - threadIdx.x];
}

// A pipeline of two stages, which all threads fill and empty.
extern "C" __global__ void stages(unsigned *out, const unsigned *in)
{
    auto block = cooperative_groups::this_thread_block();
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ unsigned tile[2][THREADS];
    auto pipeline = cuda::make_pipeline(block, &state);
    unsigned sum = 0;
    for (unsigned next = 0, i = 0; i < ROUNDS; i++) {
        for (; next < ROUNDS && next < i + 2; next++) {
            pipeline.producer_acquire();
            cuda::memcpy_async(block, tile[next % 2], in + next * THREADS, sizeof tile[0],
                               pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        sum += (i + 1) * tile[i % 2][THREADS - 1 - threadIdx.x];
        pipeline.consumer_release();
    }
    out[threadIdx.x] = sum;
}
