// Kernels with one fault each, which the emulator must find. Each is preceded by a line
//   //@ KERNEL GRID BLOCK ARGUMENTS -> KIND
// with the launch and the kind of finding, and the line it must name ends in "// <-".

__device__ unsigned in_next_block(const void *at)
{
    unsigned rank, to;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(to) : "r"((unsigned)__cvta_generic_to_shared(at)), "r"(rank ^ 1));
    return to;
}

// Bulk copies to shared memory, which arrive at an object.
__device__ void make_object(unsigned object, int arrivals = 1)
{
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" : : "r"(object), "r"(arrivals) : "memory");
    __syncthreads();
}
__device__ void begin_copy(int *to, const int *from, unsigned object)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%2], 256;\n"
                 "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" : : "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from), "r"(object) : "memory");
}
__device__ void arrive(unsigned object)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" : : "r"(object) : "memory");
}
__device__ void await_phase(unsigned object, int parity)
{
    asm volatile("{.reg .pred p;\nL: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra L;}" : : "r"(object), "r"(parity) : "memory");
}

//@ no_barrier 1 64 i32x64 -> race_write_read
extern "C" __global__ void no_barrier(int *out)
{
    __shared__ int s[64];
    s[63 - threadIdx.x] = threadIdx.x;
    if (threadIdx.x >= 32)
        out[threadIdx.x] = s[threadIdx.x]; // <-
}

//@ no_second_barrier 1 128 i32x128 -> race_read_write
extern "C" __global__ void no_second_barrier(int *out)
{
    __shared__ int s[128];
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        s[threadIdx.x] = threadIdx.x + i; // <-
        __syncthreads();
        sum += s[(threadIdx.x + 32) % 128];
    }
    out[threadIdx.x] = sum;
}

//@ barrier_too_late 1 64 i32x64 -> unwritten
extern "C" __global__ void barrier_too_late(int *out)
{
    __shared__ int s[64];
    int v = s[threadIdx.x ^ 1]; // <-
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = v + s[threadIdx.x];
}

//@ reduce_without_barrier 1 128 i32x1 -> race_write_read
extern "C" __global__ void reduce_without_barrier(int *out)
{
    __shared__ int s[128];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    for (int n = 64; n > 0; n /= 2) {
        if (threadIdx.x < n)
            s[threadIdx.x] += s[threadIdx.x + n]; // <-
        if (n > 64)
            __syncthreads();
    }
    if (threadIdx.x == 0)
        out[0] = s[0];
}

//@ no_syncwarp 1 32 i32x32 -> race_write_read
extern "C" __global__ void no_syncwarp(int *out)
{
    __shared__ int s[32];
    s[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = s[threadIdx.x ^ 1]; // <-
}

//@ syncwarp_between_warps 1 64 i32x64 -> race_write_read
extern "C" __global__ void syncwarp_between_warps(int *out)
{
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    __syncwarp();
    if (threadIdx.x >= 32)
        out[threadIdx.x] = s[threadIdx.x ^ 32]; // <-
}

//@ syncwarp_of_half 1 32 i32x32 -> race_write_read
extern "C" __global__ void syncwarp_of_half(int *out)
{
    __shared__ int s[32];
    s[threadIdx.x] = threadIdx.x;
    if (threadIdx.x < 16)
        __syncwarp(0xffff);
    out[threadIdx.x] = s[threadIdx.x ^ 16]; // <-
}

//@ volatile_read_of_plain_write 1 32 i32x32 -> race_write_read
extern "C" __global__ void volatile_read_of_plain_write(int *out)
{
    __shared__ int s[32];
    s[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = *(volatile int *)&s[threadIdx.x ^ 1]; // <-
}

//@ syncwarp_of_tiles 1 32 i32x32 -> race_write_read
extern "C" __global__ void syncwarp_of_tiles(int *out)
{
    __shared__ int s[32];
    s[threadIdx.x] = threadIdx.x;
    __syncwarp(0xffu << threadIdx.x / 8 * 8);
    out[threadIdx.x] = s[threadIdx.x ^ 8]; // <-
}

//@ wrong_named_barrier 1 96 i32x32 -> race_write_read
extern "C" __global__ void wrong_named_barrier(int *out)
{
    __shared__ int s[64];
    if (threadIdx.x >= 32)
        s[threadIdx.x - 32] = threadIdx.x;
    if (threadIdx.x >= 64)
        asm volatile("bar.arrive 1, 64;" ::: "memory");
    if (threadIdx.x < 32) {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[threadIdx.x] = s[threadIdx.x]; // <-
    }
}

//@ divergent_barrier 1 64 i32x64 -> divergent_barrier
extern "C" __global__ void divergent_barrier(int *out)
{
    if (threadIdx.x < 40)
        __syncthreads(); // <-
    out[threadIdx.x] = 1;
}

//@ barrier_in_loop 1 64 i32x64 -> divergent_barrier
extern "C" __global__ void barrier_in_loop(int *out)
{
    int sum = 0;
    for (int i = 0; i < threadIdx.x; i++) {
        sum += i;
        __syncthreads(); // <-
    }
    out[threadIdx.x] = sum;
}

//@ barrier_never_reached 1 64 i32x64 -> deadlock
extern "C" __global__ void barrier_never_reached(int *out)
{
    if (threadIdx.x < 32)
        asm volatile("bar.sync 1, 64;" ::: "memory"); // <-
    out[threadIdx.x] = 1;
}

//@ one_too_many 1 64 i32x64 -> out_of_bounds
extern "C" __global__ void one_too_many(int *out)
{
    if (threadIdx.x <= 64)
        out[threadIdx.x + 1] = 1; // <-
}

//@ negative_index 1 32 i32x32,i32x32 -> out_of_bounds
extern "C" __global__ void negative_index(int *out, const int *in)
{
    out[threadIdx.x] = in[(int)threadIdx.x - 1]; // <-
}

//@ shared_overrun 1 64 i32x64 -> out_of_bounds
extern "C" __global__ void shared_overrun(int *out)
{
    __shared__ int s[63];
    s[threadIdx.x] = threadIdx.x; // <-
    __syncthreads();
    out[threadIdx.x] = s[0];
}

//@ null_pointer 1 32 i64:0 -> out_of_bounds
extern "C" __global__ void null_pointer(int *out)
{
    out[threadIdx.x] = 1; // <-
}

//@ misaligned_vector 1 32 f32x200 -> misaligned
extern "C" __global__ void misaligned_vector(float *out)
{
    *(float4 *)(out + threadIdx.x + 1) = make_float4(1, 2, 3, 4); // <-
}

//@ misaligned_shared 1 32 i32x32 -> misaligned
extern "C" __global__ void misaligned_shared(int *out)
{
    __shared__ __align__(16) char s[256];
    *(volatile int *)(s + 5 * threadIdx.x) = 1; // <-
    out[threadIdx.x] = s[0];
}

//@ wrong_stride 1 64 i32x64 -> race_write_write
extern "C" __global__ void wrong_stride(int *out)
{
    __shared__ int s[64];
    s[threadIdx.x / 2] = threadIdx.x; // <-
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x / 2];
}

//@ lost_atomic_shared 1 64 i32x1 -> race_write_write
extern "C" __global__ void lost_atomic_shared(int *out)
{
    __shared__ int count;
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    count += threadIdx.x; // <-
    __syncthreads();
    if (threadIdx.x == 0)
        out[0] = count;
}

//@ histogram_without_atomics 1 64 i32x8,i32x64:ramp -> race_write_write
extern "C" __global__ void histogram_without_atomics(int *bins, const int *in)
{
    bins[in[threadIdx.x] % 8] += in[threadIdx.x]; // <-
}

//@ not_zeroed 1 32 i32x32 -> unwritten
extern "C" __global__ void not_zeroed(int *out)
{
    __shared__ int s[32];
    atomicAdd(&s[threadIdx.x], 1); // <-
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
}

//@ halo_not_loaded 1 32 f32x32,f32x32 -> unwritten
extern "C" __global__ void halo_not_loaded(float *out, const float *in)
{
    __shared__ float s[34];
    s[threadIdx.x + 1] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + 2]; // <-
}

//@ atomic_against_store 1 64 i32x1 -> race_write_write
extern "C" __global__ void atomic_against_store(int *out)
{
    if (threadIdx.x == 40)
        out[0] = 5; // <-
    else if (threadIdx.x < 32)
        atomicAdd(out, 1);
}

//@ shuffle_outside_mask 1 32 i32x32 -> not_in_mask
extern "C" __global__ void shuffle_outside_mask(int *out)
{
    out[threadIdx.x] = __shfl_sync(0xffff, threadIdx.x, 0); // <-
}

//@ vote_outside_mask 1 32 i32x32 -> not_in_mask
extern "C" __global__ void vote_outside_mask(int *out)
{
    out[threadIdx.x] = __ballot_sync(0xfffffffe, threadIdx.x > 3); // <-
}

//@ syncwarp_outside_mask 1 32 i32x32 -> not_in_mask
extern "C" __global__ void syncwarp_outside_mask(int *out)
{
    out[threadIdx.x] = 1;
    __syncwarp(0x7fffffff); // <-
    out[threadIdx.x] = 2;
}

//@ shuffle_of_half 1 32 i32x32 -> absent_lanes
extern "C" __global__ void shuffle_of_half(int *out)
{
    int v = threadIdx.x;
    if (threadIdx.x < 16)
        v = __shfl_xor_sync(0xffffffff, v, 1); // <-
    out[threadIdx.x] = v;
}

//@ vote_of_half 1 32 i32x32 -> absent_lanes
extern "C" __global__ void vote_of_half(int *out)
{
    int v = threadIdx.x;
    if (threadIdx.x % 2)
        v = __any_sync(0xffffffff, v > 20); // <-
    out[threadIdx.x] = v;
}

//@ syncwarp_of_some 1 32 i32x32 -> absent_lanes
extern "C" __global__ void syncwarp_of_some(int *out)
{
    if (threadIdx.x < 8) {
        out[threadIdx.x] = 1;
        __syncwarp(); // <-
    }
    out[threadIdx.x] += 2;
}

//@ reduction_in_branch 1 64 i32x64,i32:50 -> absent_lanes
extern "C" __global__ void reduction_in_branch(int *out, int n)
{
    int v = 0;
    if (threadIdx.x < n) {
        v = threadIdx.x;
        for (int i = 16; i > 0; i /= 2)
            v += __shfl_down_sync(0xffffffff, v, i); // <-
    }
    out[threadIdx.x] = v;
}

//@ match_of_half 1 32 i32x32 -> absent_lanes
extern "C" __global__ void match_of_half(int *out)
{
    int v = 0;
    if (threadIdx.x >= 16)
        v = __match_any_sync(0xffffffff, threadIdx.x / 4); // <-
    out[threadIdx.x] = v;
}

//@ accumulator_not_set 1 32 f32x32,f32x1K:random,i32:7 -> unwritten_register
extern "C" __global__ void accumulator_not_set(float *out, const float *in, int n)
{
    float sum;
    for (int i = 0; i < n; i++)
        sum += in[i * blockDim.x + threadIdx.x]; // <-
    out[threadIdx.x] = sum;
}

//@ maximum_not_set 1 32 i32x32,i32x1K:ramp,i32:3 -> unwritten_register
extern "C" __global__ void maximum_not_set(int *out, const int *in, int n)
{
    int best;
    if (n > 3)
        best = in[0];
    for (int i = 0; i < n; i++)
        best = max(best, in[i] + (int)threadIdx.x); // <-
    out[threadIdx.x] = best;
}

//@ local_not_set 1 32 i32x32,i32x32:ramp,i32:5 -> unwritten_local
extern "C" __global__ void local_not_set(int *out, const int *in, int n)
{
    int a[32];
    for (int i = 0; i < n; i++)
        a[in[i]] = i;
    out[threadIdx.x] = a[in[threadIdx.x]]; // <-
}

//@ local_one_short 1 32 i32x32,i32x64:ramp,i32:16 -> unwritten_local
extern "C" __global__ void local_one_short(int *out, const int *in, int n)
{
    int a[40], sum = 0;
    for (int i = 0; i < n - 1; i++)
        a[in[i]] = in[i + threadIdx.x];
    for (int i = 0; i < n; i++)
        sum += a[in[i]]; // <-
    out[threadIdx.x] = sum;
}

//@ ticket_without_fence 8 64 i32x9,i32x1,i32x1 -> race_write_read
extern "C" __global__ void ticket_without_fence(int *partial, unsigned *count, int *out)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = blockIdx.x;
        last = atomicAdd(count, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x < gridDim.x)
        atomicAdd(out, partial[threadIdx.x]); // <-
}

//@ ticket_with_fence_too_early 8 64 i32x9,i32x1,i32x1 -> race_write_read
extern "C" __global__ void ticket_with_fence_too_early(int *partial, unsigned *count, int *out)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        __threadfence();
        partial[blockIdx.x] = blockIdx.x;
        last = atomicAdd(count, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x < gridDim.x)
        atomicAdd(out, partial[threadIdx.x]); // <-
}

//@ ticket_with_block_fence 8 64 i32x9,i32x1,i32x1 -> race_write_read
extern "C" __global__ void ticket_with_block_fence(int *partial, unsigned *count, int *out)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = blockIdx.x;
        __threadfence_block();
        last = atomicAdd(count, 1) == gridDim.x - 1;
        __threadfence_block();
    }
    __syncthreads();
    if (last && threadIdx.x < gridDim.x)
        atomicAdd(out, partial[threadIdx.x]); // <-
}

//@ ticket_before_barrier 4 64 i32x256,i32x1,i32x64 -> race_write_read
extern "C" __global__ void ticket_before_barrier(int *partial, unsigned *count, int *out)
{
    __shared__ bool last;
    partial[blockIdx.x * 64 + threadIdx.x] = threadIdx.x;
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(count, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last) {
        int sum = 0;
        for (int i = 0; i < gridDim.x; i++)
            sum += partial[i * 64 + threadIdx.x]; // <-
        out[threadIdx.x] = sum;
    }
}

//@ same_element_of_all_blocks 16 32 i32x32 -> race_write_write
extern "C" __global__ void same_element_of_all_blocks(int *out)
{
    out[threadIdx.x] = blockIdx.x; // <-
}

//@ sum_without_atomics 16 32 f32x32,f32x512:random -> race_write_write
extern "C" __global__ void sum_without_atomics(float *out, const float *in)
{
    out[threadIdx.x] += in[blockIdx.x * blockDim.x + threadIdx.x]; // <-
}

//@ overlapping_blocks 4 64 i32x300 -> race_write_write
extern "C" __global__ void overlapping_blocks(int *out)
{
    out[blockIdx.x * 60 + threadIdx.x] = blockIdx.x; // <-
}

//@ in_place_stencil 4 64 f32x257:random -> race_read_write
extern "C" __global__ void in_place_stencil(float *a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float next = a[i + 1];
    __syncthreads();
    a[i] = next; // <-
}

//@ neighbours_result 4 64 i32x256 -> race_write_read
extern "C" __global__ void neighbours_result(int *a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = i;
    __syncthreads();
    if (threadIdx.x == 0 && blockIdx.x > 0)
        a[i] += a[i - 64]; // <-
}

//@ block_atomics_between_blocks 4 64 i32x1 -> race_write_write
extern "C" __global__ void block_atomics_between_blocks(int *out)
{
    atomicAdd_block(out, 1); // <-
}

//@ init_against_atomics 4 64 i32x1 -> race_write_write
extern "C" __global__ void init_against_atomics(int *out)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        out[0] = 7;
    __syncthreads();
    atomicAdd(out, 1); // <-
}

//@ flag_without_fence 1 64 i32x64,i32x1 -> race_write_read
extern "C" __global__ void flag_without_fence(int *out, volatile int *flag)
{
    if (threadIdx.x == 0) {
        out[1] = 5;
        *flag = 1;
    }
    if (threadIdx.x == 32) {
        while (*flag == 0)
            ;
        out[0] = out[1]; // <-
    }
}

//@ flag_without_acquire 1 64 i32x64,i32x1 -> race_write_read
extern "C" __global__ void flag_without_acquire(int *out, volatile int *flag)
{
    if (threadIdx.x == 0) {
        out[1] = 5;
        __threadfence();
        *flag = 1;
    }
    if (threadIdx.x == 32) {
        while (*flag == 0)
            ;
        out[0] = out[1]; // <-
    }
}

//@ lock_without_fences 4 32 i32x1,i32x1 -> race_write_read
extern "C" __global__ void lock_without_fences(int *sum, int *lock)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0)
            ;
        *sum += 1; // <-
        atomicExch(lock, 0);
    }
}

//@ other_lock 4 32 i32x1,i32x4 -> race_write_read
extern "C" __global__ void other_lock(int *sum, int *lock)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock[blockIdx.x], 0, 1) != 0)
            ;
        __threadfence();
        *sum += 1; // <-
        __threadfence();
        atomicExch(&lock[blockIdx.x], 0);
    }
}

//@ relaxed_flag 1 64 i32x64,i32x1 -> race_write_read
extern "C" __global__ void relaxed_flag(int *out, int *flag)
{
    int seen = 0;
    if (threadIdx.x == 0) {
        out[1] = 5;
        asm volatile("st.relaxed.gpu.u32 [%0], 1;" ::"l"(flag) : "memory");
    }
    if (threadIdx.x == 32) {
        while (!seen)
            asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
        out[0] = out[1]; // <-
    }
}

//@ copy_not_waited 1 64 i32x64,i32x64:ramp -> race_write_read
extern "C" __global__ void copy_not_waited(int *out, const int *in)
{
    __shared__ int s[64];
    unsigned at = (unsigned)__cvta_generic_to_shared(&s[threadIdx.x]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(in + threadIdx.x) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    if (threadIdx.x >= 32)
        out[threadIdx.x] = s[threadIdx.x ^ 32]; // <-
}

//@ copy_waited_too_late 1 64 i32x64,i32x64:ramp -> pending_copy
extern "C" __global__ void copy_waited_too_late(int *out, const int *in)
{
    __shared__ int s[64];
    unsigned at = (unsigned)__cvta_generic_to_shared(&s[threadIdx.x]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(in + threadIdx.x) : "memory");
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x ^ 1]; // <-
    asm volatile("cp.async.wait_all;" ::: "memory");
}

//@ local_of_function_entered_again 1 32 i32x32,i32x64:ramp -> unwritten_local
extern "C" __global__ void local_of_function_entered_again(int *out, const int *in);

__noinline__ __device__ int sum_of_local(const int *in, int n, int sets)
{
    int a[8], sum = 0;
    for (int i = 0; i < sets; i++)
        a[in[i]] = i;
    for (int i = 0; i < n; i++)
        sum += a[in[i]]; // <-
    return sum;
}

extern "C" __global__ void local_of_function_entered_again(int *out, const int *in)
{
    int all = sum_of_local(in, 8, 8);
    out[threadIdx.x] = all + sum_of_local(in, 8, 4);
}

//@ variable_of_function_entered_again 1 32 i32x32,i32x64:ramp -> unwritten_register
extern "C" __global__ void variable_of_function_entered_again(int *out, const int *in);

__noinline__ __device__ void store_largest(int *out, const int *in, int n, int from)
{
    int best;
    if (from)
        best = in[from];
    for (int i = 0; i < n; i++)
        best = max(best, in[i]); // <-
    out[threadIdx.x] += best;
}

extern "C" __global__ void variable_of_function_entered_again(int *out, const int *in)
{
    store_largest(out, in, 8, 3);
    store_largest(out, in, 8, 0);
}

//@ variable_of_recursion 1 32 i32x32,i32x64:ramp,i32:6 -> unwritten_register
extern "C" __global__ void variable_of_recursion(int *out, const int *in, int n);

__noinline__ __device__ void store_levels(int *out, const int *in, int n)
{
    int v;
    if (n > 2)
        v = in[n];
    if (n > 0)
        store_levels(out, in, n - 1);
    out[n] += v + in[n]; // <-
}

extern "C" __global__ void variable_of_recursion(int *out, const int *in, int n)
{
    if (threadIdx.x == 0)
        store_levels(out, in, n);
}

//@ race_in_function 1 64 i32x64 -> race_write_read
extern "C" __global__ void race_in_function(int *out);

__noinline__ __device__ int exchange(int *s, int v)
{
    s[threadIdx.x] = v;
    return s[(threadIdx.x + 32) % 64]; // <-
}

extern "C" __global__ void race_in_function(int *out)
{
    __shared__ int s[64];
    out[threadIdx.x] = exchange(s, threadIdx.x);
}

//@ bad_texture 1 32 f32x32,u64:5 -> bad_texture
extern "C" __global__ void bad_texture(float *out, unsigned long long image)
{
    float x, y, z, w;
    unsigned at = threadIdx.x;
    // on one line, as NVRTC names either the first or the last one
    asm volatile("tex.1d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5}];" : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "l"(image), "r"(at)); // <-
    out[threadIdx.x] = x + y + z + w;
}

//@ outside_surface 1 32 surf:u32x31 -> out_of_bounds
extern "C" __global__ void outside_surface(unsigned long long image)
{
    unsigned at = threadIdx.x;
    asm volatile("sust.b.1d.b32.trap [%0, {%1}], {%2};" : : "l"(image), "r"(4 * at), "r"(at)); // <-
}

//@ bad_tensor_map 1 32 u8x128:zero -> bad_tensor_map
extern "C" __global__ void bad_tensor_map(const char *map)
{
    __shared__ __align__(128) char tile[128];
    __shared__ unsigned long long bar;
    const unsigned to = (unsigned)__cvta_generic_to_shared(tile), at = (unsigned)__cvta_generic_to_shared(&bar);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" : : "r"(at) : "memory");
        asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2}], [%3];" : : "r"(to), "l"(map), "r"(0), "r"(at) : "memory"); // <-
    }
}

//@ cluster_without_sync 2 32 i32x64 -> race_write_read
extern "C" __cluster_dims__(2, 1, 1) __global__ void cluster_without_sync(int *out)
{
    __shared__ int s[32];
    int other;
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(other) : "r"(in_next_block(s + threadIdx.x))); // <-
    out[blockIdx.x * 32 + threadIdx.x] = other;
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
}

//@ cluster_left_early 2 32 i32x64 -> block_ended
extern "C" __cluster_dims__(2, 1, 1) __global__ void cluster_left_early(int *out)
{
    __shared__ int s[32];
    int other;
    s[threadIdx.x] = threadIdx.x;
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(other) : "r"(in_next_block(s + threadIdx.x))); // <-
    out[blockIdx.x * 32 + threadIdx.x] = other;
}

//@ other_shuffle_in_branch 1 32 i32x32 -> absent_lanes
extern "C" __global__ void other_shuffle_in_branch(int *out)
{
    int got;
    if (threadIdx.x & 1)
        got = __shfl_xor_sync(0xffffffff, threadIdx.x, 1);
    else
        got = __shfl_down_sync(0xffffffff, threadIdx.x, 1); // <-
    out[threadIdx.x] = got;
}

//@ shuffle_before_another 1 32 i32x32 -> absent_lanes
extern "C" __global__ void shuffle_before_another(int *out)
{
    int got = threadIdx.x;
    if (threadIdx.x < 16)
        got = __shfl_xor_sync(0xffffffff, got, 1); // <-
    out[threadIdx.x] = __shfl_xor_sync(0xffffffff, got, 2);
}

//@ reads_lane_that_left 1 64 i32x64 -> absent_lanes
extern "C" __global__ void reads_lane_that_left(int *out)
{
    if (threadIdx.x >= 50)
        return;
    double sum = threadIdx.x;
    for (int k = 16; k > 0; k /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, k); // <-
    out[threadIdx.x] = sum;
}

//@ reads_last_lane 1 32 i32x32 -> absent_lanes
extern "C" __global__ void reads_last_lane(int *out)
{
    if (threadIdx.x == 31)
        return;
    out[threadIdx.x] = __shfl_sync(0xffffffff, threadIdx.x, 31); // <-
}

//@ barriers_in_two_branches 1 128 i32x128 -> split_barrier
extern "C" __global__ void barriers_in_two_branches(int *out)
{
    __shared__ int s[128];
    if (threadIdx.x < 64) {
        s[threadIdx.x] = threadIdx.x;
        __syncthreads();
        out[threadIdx.x] = s[threadIdx.x + 64];
    } else {
        s[threadIdx.x] = 2 * threadIdx.x;
        __syncthreads(); // <-
        out[threadIdx.x] = s[threadIdx.x - 64];
    }
}

//@ counting_barriers_in_two_branches 1 96 i32x96 -> split_barrier
extern "C" __global__ void counting_barriers_in_two_branches(int *out)
{
    int count;
    if (threadIdx.x >= 32)
        count = __syncthreads_count(threadIdx.x & 1); // <-
    else
        count = __syncthreads_count(1);
    out[threadIdx.x] = count;
}

//@ one_round_more 1 64 i32x64 -> split_barrier
extern "C" __global__ void one_round_more(int *out)
{
    __shared__ int s[64];
    s[threadIdx.x] = 0;
    for (int i = 0; i < 2 + threadIdx.x / 32; i++) {
        __syncthreads(); // <-
        s[threadIdx.x] += i;
    }
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] += s[threadIdx.x ^ 1];
}

//@ barrier_of_half_the_block 1 128 i32x128 -> skipped_barrier
extern "C" __global__ void barrier_of_half_the_block(int *out)
{
    __shared__ int s[128];
    s[threadIdx.x] = threadIdx.x;
    if (threadIdx.x < 64)
        __syncthreads(); // <-
    out[threadIdx.x] = s[threadIdx.x];
}

//@ fewer_rounds 1 96 i32x96,i32:224 -> skipped_barrier
extern "C" __global__ void fewer_rounds(int *out, int n)
{
    int sum = 0;
    for (int i = threadIdx.x; i < n; i += 96) {
        sum += i;
        __syncthreads(); // <-
    }
    out[threadIdx.x] = sum;
}

//@ volatile_warp_synchronous 1 64 i32x2 -> race_write_read
extern "C" __global__ void volatile_warp_synchronous(int *out)
{
    __shared__ volatile int s[64];
    int t = threadIdx.x, lane = t % 32;
    s[t] = t;
    for (int n = 16; n > 0; n /= 2) {
        int v = s[t] + s[t ^ n]; // <-
        s[t] = v;
    }
    if (lane == 0)
        out[t / 32] = s[t];
}

//@ volatile_doubles 1 32 f64x32:1,f64x1 -> race_write_read
extern "C" __global__ void volatile_doubles(double *in, double *out)
{
    __shared__ double s[64];
    volatile double *v = s;
    int t = threadIdx.x;
    s[t] = in[t];
    s[t + 32] = 0;
    __syncthreads();
    v[t] += v[t + 16];
    v[t] += v[t + 8]; // <-
    v[t] += v[t + 4];
    v[t] += v[t + 2];
    v[t] += v[t + 1];
    if (t == 0)
        *out = s[0];
}

//@ volatile_scan 1 32 i32x32 -> race_read_write
extern "C" __global__ void volatile_scan(int *out)
{
    __shared__ volatile short s[64];
    int t = threadIdx.x;
    s[t] = 0;
    s[t + 32] = t;
    __syncthreads();
    for (int n = 1; n < 32; n *= 2)
        s[t + 32] += s[t + 32 - n]; // <-
    out[t] = s[t + 32];
}

//@ volatile_in_global_memory 1 32 i32x64:1 -> race_write_read
extern "C" __global__ void volatile_in_global_memory(volatile unsigned *data)
{
    int t = threadIdx.x;
    data[t] = data[t] < data[t + 16] ? data[t + 16] + t : data[t] + t;
    data[t] = max(data[t], data[t + 8]); // <-
}

// A group that is not waited for: there is no newer one, as in the last round of a pipeline.
//@ copy_over_old_contents 2 32 i32x64,i32x64:ramp -> pending_copy
extern "C" __global__ void copy_over_old_contents(int *out, const int *in)
{
    __shared__ int s[32];
    unsigned at = (unsigned)__cvta_generic_to_shared(&s[threadIdx.x]);
    s[threadIdx.x] = 7;
    __syncthreads();
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(in + threadIdx.x) : "memory");
    asm volatile("cp.async.commit_group;\ncp.async.wait_group 1;" ::: "memory");
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x]; // <-
}

//@ copy_of_another_warp_over_old_contents 1 64 i32x64,i32x256:ramp -> pending_copy
extern "C" __global__ void copy_of_another_warp_over_old_contents(int *out, const int *in)
{
    __shared__ int4 s[64];
    unsigned at = (unsigned)__cvta_generic_to_shared(&s[threadIdx.x]);
    s[threadIdx.x] = make_int4(1, 2, 3, 4);
    __syncthreads();
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(in + 4 * threadIdx.x) : "memory");
    __syncthreads();
    out[threadIdx.x] = s[63 - threadIdx.x].y; // <-
    asm volatile("cp.async.wait_all;" ::: "memory");
}

//@ bulk_copy_only_synchronized 1 64 i32x64,i32x64:ramp -> pending_copy
extern "C" __global__ void bulk_copy_only_synchronized(int *out, const int *in)
{
    __shared__ __align__(16) int s[64];
    __shared__ unsigned long long arrived;
    unsigned at = (unsigned)__cvta_generic_to_shared(&arrived);
    make_object(at);
    if (threadIdx.x == 0)
        begin_copy(s, in, at);
    __syncthreads(); // it does not wait for the copy
    out[threadIdx.x] = s[63 - threadIdx.x]; // <-
}

//@ bulk_copy_read_by_its_thread 1 32 i32x64,i32x64:ramp -> pending_copy
extern "C" __global__ void bulk_copy_read_by_its_thread(int *out, const int *in)
{
    __shared__ __align__(16) int s[64];
    __shared__ unsigned long long arrived;
    unsigned at = (unsigned)__cvta_generic_to_shared(&arrived);
    make_object(at);
    if (threadIdx.x == 0) {
        begin_copy(s, in, at);
        out[0] = s[5]; // <-
        await_phase(at, 0);
        out[1] = s[5];
    }
}

//@ bulk_copy_of_another_stage 1 64 i32x64,i32x128:ramp -> pending_copy
extern "C" __global__ void bulk_copy_of_another_stage(int *out, const int *in)
{
    __shared__ __align__(16) int s[2][64];
    __shared__ unsigned long long arrived[2];
    unsigned at = (unsigned)__cvta_generic_to_shared(arrived);
    make_object(at);
    make_object(at + 8);
    if (threadIdx.x == 0) {
        begin_copy(s[0], in, at);
        begin_copy(s[1], in + 64, at + 8);
    }
    await_phase(at + 8, 0);
    out[threadIdx.x] = s[0][threadIdx.x]; // <-
    await_phase(at, 0);
}

//@ bulk_copy_of_the_next_phase 1 64 i32x64,i32x128:ramp -> pending_copy
extern "C" __global__ void bulk_copy_of_the_next_phase(int *out, const int *in)
{
    __shared__ __align__(16) int s[64];
    __shared__ unsigned long long arrived;
    unsigned at = (unsigned)__cvta_generic_to_shared(&arrived);
    make_object(at, 2);
    if (threadIdx.x == 0)
        begin_copy(s, in, at);
    if (threadIdx.x == 32)
        arrive(at);
    await_phase(at, 0);
    __syncthreads();
    if (threadIdx.x == 0)
        begin_copy(s, in + 64, at);
    __syncthreads();
    await_phase(at, 0); // it has completed, unlike the phase of the second copy
    out[threadIdx.x] = s[threadIdx.x]; // <-
    __syncthreads();
    if (threadIdx.x == 32)
        arrive(at);
    await_phase(at, 1);
}

//@ barriers_in_two_branches_of_a_line 1 64 i32x64 -> split_barrier
extern "C" __global__ void barriers_in_two_branches_of_a_line(int *out)
{
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    if (threadIdx.x < 32) { __syncthreads(); s[threadIdx.x] += 1; } else { s[threadIdx.x] += 2; __syncthreads(); } // <-
    out[threadIdx.x] = s[threadIdx.x];
}

//@ reads_its_writes_as_read_only 1 64 i32x64,@1 -> noncoherent_read
extern "C" __global__ void reads_its_writes_as_read_only(int *out, const int *in)
{
    int read;
    out[threadIdx.x] = threadIdx.x;
    asm volatile("ld.global.nc.s32 %0, [%1];" : "=r"(read) : "l"(in + threadIdx.x)); // <-
    out[threadIdx.x] = read + 1;
}

//@ const_restrict_of_what_is_written 1 64 i32x128,@1 -> noncoherent_read
extern "C" __global__ void const_restrict_of_what_is_written(int *out, const int *__restrict__ in)
{
    out[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x + 64] = in[63 - threadIdx.x]; // <-
}

//@ last_block_reads_as_read_only 4 32 i32x160,@1,i32x1 -> noncoherent_read
extern "C" __global__ void last_block_reads_as_read_only(int *out, const int *in, int *arrived)
{
    __shared__ bool is_last;
    out[blockIdx.x * 32 + threadIdx.x] = threadIdx.x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        is_last = atomicAdd(arrived, 1) == gridDim.x - 1;
    __syncthreads();
    if (!is_last)
        return;
    __threadfence();
    int read;
    asm volatile("ld.global.nc.s32 %0, [%1];" : "=r"(read) : "l"(in + threadIdx.x)); // <-
    out[128 + threadIdx.x] = read;
}

// What nothing has written is copied within shared memory, and then stored where the host reads it.
//@ unset_value_is_copied_twice 1 64 i32x64 -> unwritten
extern "C" __global__ void unset_value_is_copied_twice(int *out)
{
    __shared__ int s[64], t[64];
    if (threadIdx.x < 50)
        s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    t[threadIdx.x] = s[threadIdx.x]; // <-
    __syncthreads();
    out[threadIdx.x] = t[63 - threadIdx.x] + 1;
}

//@ unset_value_decides 1 64 i32x64 -> unwritten
extern "C" __global__ void unset_value_decides(int *out)
{
    __shared__ int s[64];
    if (threadIdx.x > 0)
        s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (s[63 - threadIdx.x] > 3) // <-
        out[threadIdx.x] = 1;
}

//@ unset_value_is_shuffled 1 32 i32x32 -> unwritten
extern "C" __global__ void unset_value_is_shuffled(int *out)
{
    __shared__ int s[32];
    if (threadIdx.x < 31)
        s[threadIdx.x] = threadIdx.x;
    __syncwarp();
    int next = __shfl_sync(0xffffffff, s[threadIdx.x], threadIdx.x + 1); // <-
    if (threadIdx.x == 30)
        out[threadIdx.x] = next;
}

//@ unset_value_is_copied_by_matrix 1 32 i32x32 -> unwritten
extern "C" __global__ void unset_value_is_copied_by_matrix(int *out)
{
    __shared__ __align__(16) int s[32], t[32];
    int row;
    if (threadIdx.x < 31)
        s[threadIdx.x] = threadIdx.x;
    __syncwarp();
    t[threadIdx.x] = s[threadIdx.x]; // <-
    __syncwarp();
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                 : "=r"(row) : "r"((unsigned)__cvta_generic_to_shared(t + threadIdx.x % 8 * 4)));
    out[threadIdx.x] = row;
}

//@ unset_variable_through_shared_memory 1 64 i32x64,i32x64:ramp,i32:50 -> unwritten_register
extern "C" __global__ void unset_variable_through_shared_memory(int *out, const int *in, int n)
{
    __shared__ int s[64];
    int value;
    if (threadIdx.x < n)
        value = in[threadIdx.x];
    s[threadIdx.x] = value; // <-
    __syncthreads();
    out[threadIdx.x] = s[63 - threadIdx.x];
}
