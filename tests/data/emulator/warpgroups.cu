// Kernels of tests/machine/test_warpgroups.c: products of wgmma whose operands one thread replaces.
// warpgroups.ptx is made of this file:
//   nvcc -gencode arch=compute_90a,code=compute_90a -std=c++17 -ptx -lineinfo warpgroups.cu
//
// A step is 64 x 32 bytes of a and 8 x 32 bytes of b, both as two halves of 16 columns each.
#include <cstdint>

enum { STEPS = 7, STAGES = 3, A_BYTES = 64 * 32, B_BYTES = 8 * 32, STEP_BYTES = A_BYTES + B_BYTES };

struct Stages {
    alignas(128) uint8_t data[STAGES][STEP_BYTES];
    uint64_t full[STAGES], empty[STAGES];
};

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

__device__ void wait(uint64_t *object, uint32_t parity)
{
    asm volatile("{ .reg .pred p; L: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;"
                 "@!p bra L; }" ::"r"(address_of(object)),
                 "r"(parity)
                 : "memory");
}

__device__ void copy(void *to, const void *from, uint32_t bytes, uint64_t *object)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address_of(object)),
                 "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
                 "[%3];" ::"r"(address_of(to)),
                 "l"(from), "r"(bytes), "r"(address_of(object))
                 : "memory");
}

__device__ uint64_t descriptor(const uint8_t *at, uint32_t leading)
{
    return address_of(at) >> 4 | (uint64_t)(leading >> 4) << 16 | (uint64_t)(128 >> 4) << 32;
}

__device__ void multiply(int (&d)[4], const uint8_t *step)
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {%0, %1, %2, %3}, %4, %5, 1;"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                 : "l"(descriptor(step, 1024)), "l"(descriptor(step + A_BYTES, 128))
                 : "memory");
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

template <int LEFT> __device__ void wait_products()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory");
}

__device__ void store(int *out, const int (&d)[4])
{
    const int t = threadIdx.x % 128, row = t / 32 * 16 + t % 32 / 4, column = t % 4 * 2;
    for (int i = 0; i < 4; i++)
        out[(row + i / 2 * 8) * 8 + column + i % 2] = d[i];
}

// The last warp copies; `who` of each warpgroup tells it that a stage is free, `behind` steps later.
template <int WARPGROUPS, int BEHIND, bool EARLY>
__device__ void pipeline(int *out, const uint8_t *in, int who)
{
    __shared__ Stages s;
    const int t = threadIdx.x;
    int d[4] = {0, 0, 0, 0};
    if (t == 0)
        for (int i = 0; i < STAGES; i++) {
            begin(&s.full[i], 1);
            begin(&s.empty[i], WARPGROUPS);
        }
    __syncthreads();
    if (t >= WARPGROUPS * 128) {
        for (int step = 0; t == WARPGROUPS * 128 && step < STEPS; step++) {
            wait(&s.empty[step % STAGES], step / STAGES % 2 ^ 1);
            copy(s.data[step % STAGES], in + step * STEP_BYTES, STEP_BYTES, &s.full[step % STAGES]);
        }
        return;
    }
    for (int step = 0; step < STEPS; step++) {
        wait(&s.full[step % STAGES], step / STAGES % 2);
        multiply(d, s.data[step % STAGES]);
        if (EARLY && t % 128 == who)
            arrive(&s.empty[step % STAGES]);
        wait_products<BEHIND>();
        if (!EARLY && t % 128 == who && step >= BEHIND)
            arrive(&s.empty[(step - BEHIND) % STAGES]);
    }
    wait_products<0>();
    store(out, d);
}

extern "C" __global__ void first_arrives(int *out, const uint8_t *in)
{
    pipeline<1, 0, false>(out, in, 0);
}

extern "C" __global__ void last_arrives(int *out, const uint8_t *in)
{
    pipeline<1, 0, false>(out, in, 127);
}

extern "C" __global__ void one_behind(int *out, const uint8_t *in)
{
    pipeline<1, 1, false>(out, in, 69);
}

extern "C" __global__ void two_warpgroups(int *out, const uint8_t *in)
{
    pipeline<2, 0, false>(out, in, 37);
}

// Arrives before the product is complete.
extern "C" __global__ void too_early(int *out, const uint8_t *in)
{
    pipeline<1, 0, true>(out, in, 0);
}

// The stage that the product before last read is given back: one is still pending.
extern "C" __global__ void one_too_early(int *out, const uint8_t *in)
{
    __shared__ Stages s;
    int d[4] = {0, 0, 0, 0};
    if (threadIdx.x == 0)
        for (int i = 0; i < STAGES; i++)
            begin(&s.full[i], 1);
    __syncthreads();
    for (int step = 0; step < STEPS; step++) {
        if (threadIdx.x == 0)
            copy(s.data[step % 2], in + step * STEP_BYTES, STEP_BYTES, &s.full[step % 2]);
        wait(&s.full[step % 2], step / 2 % 2);
        multiply(d, s.data[step % 2]);
        wait_products<2>();
    }
    wait_products<0>();
    store(out, d);
}

// No other warp copies, and no barrier is needed: the first thread has waited for the product.
extern "C" __global__ void alone(int *out, const uint8_t *in)
{
    __shared__ Stages s;
    int d[4] = {0, 0, 0, 0};
    if (threadIdx.x == 0)
        begin(&s.full[0], 1);
    __syncthreads();
    for (int step = 0; step < STEPS; step++) {
        if (threadIdx.x == 0)
            copy(s.data[0], in + step * STEP_BYTES, STEP_BYTES, &s.full[0]);
        wait(&s.full[0], step % 2);
        multiply(d, s.data[0]);
        wait_products<0>();
    }
    store(out, d);
}

// A thread stores to what the product may still read.
extern "C" __global__ void stored_over(int *out, const uint8_t *in)
{
    __shared__ Stages s;
    int d[4] = {0, 0, 0, 0};
    if (threadIdx.x == 0) {
        begin(&s.full[0], 1);
        copy(s.data[0], in, STEP_BYTES, &s.full[0]);
    }
    __syncthreads();
    wait(&s.full[0], 0);
    multiply(d, s.data[0]);
    if (threadIdx.x == 64)
        *(volatile uint8_t *)&s.data[0][100] = 1;
    wait_products<0>();
    store(out, d);
}

// No barrier between what one warp stores and what its warpgroup multiplies.
extern "C" __global__ void stored_before(int *out, const uint8_t *in)
{
    __shared__ Stages s;
    int d[4] = {0, 0, 0, 0};
    if (threadIdx.x == 64)
        for (int i = 0; i < STEP_BYTES; i++)
            s.data[0][i] = in[i];
    asm volatile("fence.proxy.async;" : : : "memory");
    multiply(d, s.data[0]);
    wait_products<0>();
    store(out, d);
}

// What all warps have before they multiply: one warp is late by many instructions.
extern "C" __global__ void late(int *out, const uint8_t *in)
{
    __shared__ Stages s;
    int d[4] = {0, 0, 0, 0};
    if (threadIdx.x == 0)
        begin(&s.full[0], 1);
    __syncthreads();
    for (int step = 0; step < STEPS; step++) {
        if (threadIdx.x / 32 == step % 4)
            for (volatile int i = 0; i < 20000; i++)
                ;
        if (threadIdx.x == 0)
            copy(s.data[0], in + step * STEP_BYTES, STEP_BYTES, &s.full[0]);
        wait(&s.full[0], step % 2);
        multiply(d, s.data[0]);
        wait_products<0>();
    }
    store(out, d);
}

// One warp of the warpgroup leaves.
extern "C" __global__ void one_leaves(int *out, const uint8_t *in)
{
    __shared__ Stages s;
    int d[4] = {0, 0, 0, 0};
    if (threadIdx.x == 0) {
        begin(&s.full[0], 1);
        copy(s.data[0], in, STEP_BYTES, &s.full[0]);
    }
    __syncthreads();
    if (threadIdx.x / 32 == 2)
        return;
    wait(&s.full[0], 0);
    multiply(d, s.data[0]);
    wait_products<0>();
    store(out, d);
}

// When each warp leaves wgmma.mma_async, of which the second one is late.
extern "C" __global__ void clocks(int *out, const uint8_t *in)
{
    __shared__ Stages s;
    int d[4] = {0, 0, 0, 0};
    const long long began = clock64();
    if (threadIdx.x == 0) {
        begin(&s.full[0], 1);
        copy(s.data[0], in, STEP_BYTES, &s.full[0]);
    }
    __syncthreads();
    wait(&s.full[0], 0);
    while (threadIdx.x / 32 == 1 && clock64() - began < 5000)
        ;
    multiply(d, s.data[0]);
    if (threadIdx.x % 32 == 0)
        out[threadIdx.x / 32] = (int)(clock64() - began);
    wait_products<0>();
}

// --- setmaxnreg ---------------------------------------------------------------------------------

// The first warpgroup has `less` registers from then on, the others `more`.
template <int LESS, int MORE> __device__ void exchange(int *out)
{
    if (threadIdx.x < 128)
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(LESS));
    else
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(MORE));
    __syncthreads();
    out[threadIdx.x] = 1;
}

// 128 registers each: 13,312 are given back, and 12,288 or 14,336 are needed.
extern "C" __global__ void __launch_bounds__(256, 2) enough_registers(int *out, const uint8_t *)
{
    exchange<24, 224>(out);
}

extern "C" __global__ void __launch_bounds__(256, 2) too_few_registers(int *out, const uint8_t *)
{
    exchange<24, 240>(out);
}

// 168 registers each: as many are given back as are needed.
extern "C" __global__ void __launch_bounds__(384, 1) all_registers(int *out, const uint8_t *)
{
    exchange<40, 232>(out);
}

extern "C" __global__ void __launch_bounds__(384, 1) one_step_more(int *out, const uint8_t *)
{
    exchange<40, 240>(out);
}

// ptxas ignores it where it does not know how many registers there are.
extern "C" __global__ void without_bounds(int *out, const uint8_t *)
{
    exchange<24, 240>(out);
}

// The registers are given back after they are asked for.
extern "C" __global__ void __launch_bounds__(256, 2) given_back_later(int *out, const uint8_t *)
{
    if (threadIdx.x >= 128)
        for (volatile int i = 0; i < 50000; i++)
            ;
    if (threadIdx.x >= 128)
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    else
        asm volatile("setmaxnreg.inc.sync.aligned.u32 216;");
    __syncthreads();
    out[threadIdx.x] = 1;
}
