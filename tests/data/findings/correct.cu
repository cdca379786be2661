// Correct kernels in which nothing may be found. Each is preceded by a line
//   //@ KERNEL GRID BLOCK ARGUMENTS
// with the launch.
typedef unsigned long long word;

//@ atomic_add_of_doubles 4 64 f64x2,f64x256:random
extern "C" __global__ void atomic_add_of_doubles(double *sum, const double *in)
{
    word *at = (word *)&sum[threadIdx.x % 2];
    word old = *at, assumed;
    do {
        assumed = old;
        old = atomicCAS(at, assumed,
                        __double_as_longlong(in[blockIdx.x * blockDim.x + threadIdx.x] +
                                             __longlong_as_double(assumed)));
    } while (assumed != old);
}

//@ atomic_max_of_floats 4 64 f32x1,f32x256:random
extern "C" __global__ void atomic_max_of_floats(float *most, const float *in)
{
    int *at = (int *)most, old = *at, assumed;
    do {
        assumed = old;
        old = atomicCAS(at, assumed,
                        __float_as_int(fmaxf(in[blockIdx.x * blockDim.x + threadIdx.x],
                                             __int_as_float(assumed))));
    } while (assumed != old);
}

//@ shared_add_of_doubles 1 64 f64x1,f64x64:random
extern "C" __global__ void shared_add_of_doubles(double *out, const double *in)
{
    __shared__ double sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    word *at = (word *)&sum, old = *at, assumed;
    do {
        assumed = old;
        old = atomicCAS(at, assumed,
                        __double_as_longlong(in[threadIdx.x] + __longlong_as_double(assumed)));
    } while (assumed != old);
    __syncthreads();
    if (threadIdx.x == 0)
        out[0] = sum;
}

//@ shared_max_of_second_member 1 64 i32x1,i32x64:random
extern "C" __global__ void shared_max_of_second_member(int *out, const int *in)
{
    struct pair {
        int least, most;
    };
    __shared__ pair found[3];
    if (threadIdx.x < 3)
        found[threadIdx.x].most = -2147483647;
    __syncthreads();
    int *at = &found[1].most, old = found[1].most, assumed;
    do {
        assumed = old;
        old = atomicCAS(at, assumed, max(in[threadIdx.x], assumed));
    } while (assumed != old);
    __syncthreads();
    if (threadIdx.x == 0)
        out[0] = found[1].most;
}

//@ spin_lock 8 64 i32x1,i32x1
extern "C" __global__ void spin_lock(int *sum, int *lock)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0)
            ;
        __threadfence();
        *sum += 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}

//@ spin_lock_of_lanes 2 64 i32x1,i32x1
extern "C" __global__ void spin_lock_of_lanes(int *sum, int *lock)
{
    while (atomicCAS(lock, 0, 1) != 0)
        ;
    __threadfence();
    *sum += 1;
    __threadfence();
    atomicExch(lock, 0);
}

//@ spin_lock_with_flag 2 64 i32x1,i32x1
extern "C" __global__ void spin_lock_with_flag(int *sum, int *lock)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            *sum += 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

//@ lock_of_shared_memory 1 128 i32x1
extern "C" __global__ void lock_of_shared_memory(int *out)
{
    __shared__ int lock, sum;
    if (threadIdx.x == 0)
        lock = sum = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(&lock, 0, 1) != 0)
            ;
        __threadfence_block();
        sum += threadIdx.x;
        __threadfence_block();
        atomicExch(&lock, 0);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        out[0] = sum;
}

//@ volatile_flag 1 64 i32x1,i32x1,i32x1
extern "C" __global__ void volatile_flag(int *out, volatile int *flag, int *data)
{
    if (threadIdx.x == 0) {
        *data = 5;
        __threadfence();
        *flag = 1;
    }
    if (threadIdx.x == 32) {
        while (*flag == 0)
            ;
        __threadfence();
        out[0] = *data;
    }
}

//@ volatile_flag_waited_first 1 64 i32x1,i32x1,i32x1
extern "C" __global__ void volatile_flag_waited_first(int *out, volatile int *flag, int *data)
{
    if (threadIdx.x == 32) {
        *data = 5;
        __threadfence();
        *flag = 1;
    }
    if (threadIdx.x == 0) {
        while (*flag == 0)
            ;
        __threadfence();
        out[0] = *data;
    }
}

//@ flag_between_blocks 4 32 i32x4,i32x4,i32x4
extern "C" __global__ void flag_between_blocks(int *out, volatile int *flag, int *data)
{
    if (threadIdx.x)
        return;
    int before = 0;
    if (blockIdx.x > 0) {
        while (flag[blockIdx.x - 1] == 0)
            ;
        __threadfence();
        before = data[blockIdx.x - 1];
    }
    data[blockIdx.x] = before + 1;
    __threadfence();
    flag[blockIdx.x] = 1;
    out[blockIdx.x] = before;
}

//@ release_and_acquire 1 64 i32x2,i32x1
extern "C" __global__ void release_and_acquire(int *out, int *flag)
{
    int seen = 0;
    if (threadIdx.x == 0) {
        out[1] = 5;
        asm volatile("st.release.gpu.u32 [%0], 1;" ::"l"(flag) : "memory");
    }
    if (threadIdx.x == 32) {
        while (!seen)
            asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
        out[0] = out[1];
    }
}

//@ release_and_acquire_of_block 1 64 i32x2
extern "C" __global__ void release_and_acquire_of_block(int *out)
{
    __shared__ int flag, data;
    int seen = 0;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    unsigned at = (unsigned)__cvta_generic_to_shared(&flag);
    if (threadIdx.x == 0) {
        data = 5;
        asm volatile("st.release.cta.shared.u32 [%0], 1;" ::"r"(at) : "memory");
    }
    if (threadIdx.x == 32) {
        while (!seen)
            asm volatile("ld.acquire.cta.shared.u32 %0, [%1];" : "=r"(seen) : "r"(at) : "memory");
        out[0] = data;
    }
}

//@ atomics_that_acquire_and_release 8 32 i32x1,i32x1,i32x9
extern "C" __global__ void atomics_that_acquire_and_release(int *out, unsigned *count, int *partial)
{
    if (threadIdx.x)
        return;
    unsigned ticket;
    partial[blockIdx.x] = blockIdx.x;
    asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;" : "=r"(ticket) : "l"(count) : "memory");
    if (ticket == gridDim.x - 1)
        for (int i = 0; i < gridDim.x; i++)
            out[0] += partial[i];
}

//@ fence_of_the_model 8 32 i32x1,i32x1,i32x9
extern "C" __global__ void fence_of_the_model(int *out, unsigned *count, int *partial)
{
    if (threadIdx.x)
        return;
    unsigned ticket;
    partial[blockIdx.x] = blockIdx.x;
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
    asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], 1;" : "=r"(ticket) : "l"(count) : "memory");
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
    if (ticket == gridDim.x - 1)
        for (int i = 0; i < gridDim.x; i++)
            out[0] += partial[i];
}

//@ fence_and_exchange 1 64 i32x1,i32x1,i32x1
extern "C" __global__ void fence_and_exchange(int *out, int *flag, int *data)
{
    if (threadIdx.x == 0) {
        *data = 5;
        __threadfence();
        atomicExch(flag, 1);
    }
    if (threadIdx.x == 32) {
        while (atomicAdd(flag, 0) == 0)
            ;
        __threadfence();
        out[0] = *data;
    }
}

//@ ticket 16 64 i32x17,i32x1,i32x1
extern "C" __global__ void ticket(int *partial, unsigned *count, int *out)
{
    __shared__ bool last;
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x + blockIdx.x;
    __syncthreads();
    for (int n = 32; n > 0; n /= 2) {
        if (threadIdx.x < n)
            s[threadIdx.x] += s[threadIdx.x + n];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = s[0];
        __threadfence();
        last = atomicInc(count, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        __threadfence();
        s[threadIdx.x] = threadIdx.x < gridDim.x ? partial[threadIdx.x] : 0;
        __syncthreads();
        if (threadIdx.x == 0) {
            int sum = 0;
            for (int i = 0; i < 64; i++)
                sum += s[i];
            out[0] = sum;
            *count = 0;
        }
    }
}

// The Programming Guide's: the last block has a barrier, but no fence of its own.
//@ ticket_then_barrier 16 64 i32x16,i32x1,i32x1
extern "C" __global__ void ticket_then_barrier(int *partial, unsigned *count, int *out)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = blockIdx.x;
        __threadfence();
        last = atomicInc(count, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < gridDim.x; i++)
            sum += partial[i];
        partial[0] = out[0] = sum;
        *count = 0;
    }
}

//@ ticket_of_all_threads 8 64 i32x512,i32x1,i32x64
extern "C" __global__ void ticket_of_all_threads(int *partial, unsigned *count, int *out)
{
    __shared__ bool last;
    partial[blockIdx.x * 64 + threadIdx.x] = threadIdx.x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(count, 1) == gridDim.x - 1;
    __syncthreads();
    if (last) {
        int sum = 0;
        __threadfence();
        for (int i = 0; i < gridDim.x; i++)
            sum += partial[i * 64 + threadIdx.x];
        out[threadIdx.x] = sum;
    }
}

//@ decoupled_look_back 8 64 i32x512,i32x512:ramp,i32x16,i32x8,i32x1
extern "C" __global__ void decoupled_look_back(int *out, const int *in, volatile int *sum, volatile int *state,
                                               unsigned *tickets)
{
    __shared__ int s[64], before, tile;
    if (threadIdx.x == 0)
        tile = atomicAdd(tickets, 1);
    __syncthreads();
    int t = threadIdx.x, b = tile;
    s[t] = in[b * 64 + t];
    __syncthreads();
    for (int n = 1; n < 64; n *= 2) {
        int v = t >= n ? s[t - n] : 0;
        __syncthreads();
        s[t] += v;
        __syncthreads();
    }
    if (t == 0) {
        sum[2 * b] = s[63];
        __threadfence();
        state[b] = 1;
        int total = 0;
        for (int i = b - 1; i >= 0; i--) {
            int now;
            while ((now = state[i]) == 0)
                ;
            __threadfence();
            total += sum[2 * i + (now == 2)];
            if (now == 2)
                break;
        }
        sum[2 * b + 1] = total + s[63];
        __threadfence();
        state[b] = 2;
        before = total;
    }
    __syncthreads();
    out[b * 64 + t] = before + s[t];
}

//@ lanes_that_end_while_others_vote 1 32 i32x32
extern "C" __global__ void lanes_that_end_while_others_vote(int *out)
{
    int n = 0;
    while (true) {
        unsigned votes = __ballot_sync(0xffffffff, n >= (int)threadIdx.x);
        n++;
        if (n > (int)threadIdx.x)
            break;
        out[threadIdx.x] = votes;
    }
    out[threadIdx.x] += n;
}

//@ early_return 1 64 i32x64,i32:40
extern "C" __global__ void early_return(int *out, int n)
{
    int i = threadIdx.x;
    if (i >= n)
        return;
    out[i] = __any_sync(0xffffffff, i > 20);
}

//@ warp_reduction 1 64 i32x2,i32x64:ramp
extern "C" __global__ void warp_reduction(int *out, const int *in)
{
    int v = in[threadIdx.x];
    for (int i = 16; i > 0; i /= 2)
        v += __shfl_down_sync(0xffffffff, v, i);
    if (threadIdx.x % 32 == 0)
        out[threadIdx.x / 32] = v;
}

//@ half_warp_with_its_mask 1 32 i32x32
extern "C" __global__ void half_warp_with_its_mask(int *out)
{
    int v = threadIdx.x;
    unsigned mask = __ballot_sync(0xffffffff, threadIdx.x < 16);
    if (threadIdx.x < 16) {
        v += __shfl_down_sync(mask, v, 8);
        __syncwarp(mask);
    }
    out[threadIdx.x] = v;
}

//@ tiles_that_overlap 1 32 i32x32
extern "C" __global__ void tiles_that_overlap(int *out)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t;
    __syncwarp(0xffu << t / 8 * 8);
    out[t] = s[t ^ 7];
    if (t >= 4 && t < 12)
        __syncwarp(0xff0);
    if (t >= 8 && t < 12)
        out[t] += s[t - 8] + s[t + 4]; // what other lanes of 4 to 11 have synchronized with
    __syncwarp();
    out[t] += s[31 - t];
}

//@ warp_synchronous 1 64 i32x2
extern "C" __global__ void warp_synchronous(int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x, lane = t % 32;
    s[t] = t;
    __syncwarp();
    for (int n = 16; n > 0; n /= 2) {
        int v = lane < n ? s[t + n] : 0;
        __syncwarp();
        if (lane < n)
            s[t] += v;
        __syncwarp();
    }
    if (lane == 0)
        out[t / 32] = s[t];
}

//@ syncwarp_in_both_branches 1 32 i32x32
extern "C" __global__ void syncwarp_in_both_branches(int *out)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t;
    if (t < 16) {
        __syncwarp();
        out[t] = s[t + 16];
    } else {
        __syncwarp();
        out[t] = s[t - 16] + 1;
    }
}

//@ double_buffer 1 64 i32x64,i32x256:ramp
extern "C" __global__ void double_buffer(int *out, const int *in)
{
    __shared__ int s[2][64];
    int t = threadIdx.x, sum = 0;
    unsigned at[2] = {(unsigned)__cvta_generic_to_shared(&s[0][t]), (unsigned)__cvta_generic_to_shared(&s[1][t])};
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\ncp.async.commit_group;" ::"r"(at[0]), "l"(in + t) : "memory");
    for (int i = 0; i < 4; i++) {
        if (i < 3)
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at[(i + 1) % 2]), "l"(in + 64 * (i + 1) + t) : "memory");
        asm volatile("cp.async.commit_group;\ncp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        sum += s[i % 2][t ^ 32];
        __syncthreads();
    }
    out[t] = sum;
}

//@ producer_and_consumer 1 64 i32x32
extern "C" __global__ void producer_and_consumer(int *out)
{
    __shared__ int s[32];
    if (threadIdx.x >= 32) {
        s[threadIdx.x - 32] = threadIdx.x;
        asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[threadIdx.x] = s[threadIdx.x];
    }
}

//@ barrier_of_four_warps 1 160 i32x128
extern "C" __global__ void barrier_of_four_warps(int *out)
{
    __shared__ int s[128];
    if (threadIdx.x >= 128)
        return;
    s[threadIdx.x] = threadIdx.x;
    asm volatile("bar.sync 1, 128;" ::: "memory");
    int sum = 0;
    for (int i = 0; i < 128; i++)
        sum += s[(threadIdx.x + i) % 128];
    out[threadIdx.x] = sum;
}

//@ histogram 4 64 i32x16,i32x256:ramp
extern "C" __global__ void histogram(int *bins, const int *in)
{
    __shared__ int s[16];
    if (threadIdx.x < 16)
        s[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&s[in[blockIdx.x * 64 + threadIdx.x] % 16], 1);
    __syncthreads();
    if (threadIdx.x < 16)
        atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}

//@ block_atomics_of_one_block 4 64 i32x4
extern "C" __global__ void block_atomics_of_one_block(int *out)
{
    atomicAdd_block(&out[blockIdx.x], 1);
    __syncthreads();
    if (threadIdx.x == 40)
        out[blockIdx.x] += 1;
}

//@ same_value_of_all_blocks 8 64 i32x1,i32x512:ramp
extern "C" __global__ void same_value_of_all_blocks(int *found, const int *in)
{
    if (in[blockIdx.x * 64 + threadIdx.x] % 5 == 0)
        *found = 1;
}

//@ own_part_of_a_line 32 4 i32x128,i32x128:ramp
extern "C" __global__ void own_part_of_a_line(int *out, const int *in)
{
    int i = blockIdx.x * 4 + threadIdx.x;
    out[i] = in[i] + in[(i + 77) % 128];
    __syncthreads();
    int other = out[i ^ 1];
    __syncthreads();
    out[i] += other;
}

//@ bytes_of_a_word 8 32 u8x256
extern "C" __global__ void bytes_of_a_word(unsigned char *out)
{
    out[threadIdx.x * 8 + blockIdx.x] = threadIdx.x;
}

//@ local_array 1 32 i32x32,i32x32:ramp,i32:32
extern "C" __global__ void local_array(int *out, const int *in, int n)
{
    int a[32], sum = 0;
    for (int i = 0; i < n; i++)
        a[in[i]] = in[i] + threadIdx.x;
    for (int i = 0; i < n; i++)
        sum += a[in[n - 1 - i]];
    out[threadIdx.x] = sum;
}

//@ set_where_it_is_used 1 32 i32x32,i32x32:ramp,i32:20
extern "C" __global__ void set_where_it_is_used(int *out, const int *in, int n)
{
    int v;
    if (in[threadIdx.x] < n)
        v = in[threadIdx.x] * 3;
    for (int i = 0; i < 4; i++) {
        __syncwarp();
        if (in[threadIdx.x] < n)
            out[threadIdx.x] += v + i;
    }
}

//@ set_by_the_first_turn 1 32 f32x32,f32x320:random,i32:10
extern "C" __global__ void set_by_the_first_turn(float *out, const float *in, int n)
{
    float best;
    for (int i = 0; i < n; i++) {
        float v = in[32 * i + threadIdx.x];
        best = i == 0 || v > best ? v : best;
    }
    out[threadIdx.x] = best;
}

//@ semaphore_of_blocks 6 64 i32x64,i32x1
extern "C" __global__ void semaphore_of_blocks(int *out, int *turn)
{
    if (threadIdx.x == 0)
        while (*(volatile int *)turn != blockIdx.x)
            ;
    __syncthreads();
    __threadfence();
    out[threadIdx.x] = out[threadIdx.x] * 3 + blockIdx.x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        atomicExch(turn, blockIdx.x + 1);
}

//@ uniform_barrier_in_loop 1 64 i32x64,i32:5
extern "C" __global__ void uniform_barrier_in_loop(int *out, int n)
{
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    for (int i = 0; i < n; i++) {
        __syncthreads();
        int v = s[(threadIdx.x + 33) % 64];
        __syncthreads();
        s[threadIdx.x] = v + 1;
    }
    out[threadIdx.x] = s[threadIdx.x];
}

__noinline__ __device__ void take(int *lock)
{
    for (;;)
        if (atomicCAS(lock, 0, 1) == 0)
            return;
}

__noinline__ __device__ void take_at_depth(int *lock, int depth)
{
    if (depth > 0)
        take_at_depth(lock, depth - 1);
    else
        take(lock);
}

//@ lock_in_function 2 64 i32x1,i32x1
extern "C" __global__ void lock_in_function(int *sum, int *lock)
{
    take(lock);
    __threadfence();
    *sum += 1;
    __threadfence();
    atomicExch(lock, 0);
}

//@ lock_in_recursion 2 64 i32x1,i32x1
extern "C" __global__ void lock_in_recursion(int *sum, int *lock)
{
    if (threadIdx.x % 3)
        take_at_depth(lock, threadIdx.x % 4);
    else
        take(lock);
    __threadfence();
    *sum += 1;
    __threadfence();
    atomicExch(lock, 0);
}

struct packed {
    char tag;
    double value;
    int rest[5];
};

__noinline__ __device__ struct packed make(int i)
{
    struct packed p;
    p.tag = 1;
    p.value = i;
    for (int k = 0; k <= i % 5; k++)
        p.rest[k] = i;
    return p;
}

//@ structure_of_function 1 32 f64x32
extern "C" __global__ void structure_of_function(double *out)
{
    struct packed p = make(threadIdx.x);
    out[threadIdx.x] = p.value + p.tag + p.rest[threadIdx.x % 5];
}

__noinline__ __device__ int sum_of(int n, const int *in)
{
    int local[4], v;
    if (n == 0)
        return in[0];
    for (int i = 0; i < 4; i++)
        local[i] = in[n + i];
    if (n > 2)
        v = local[n % 4];
    int below = sum_of(n - 1, in);
    if (n > 2)
        below += v;
    return below + local[(n + 1) % 4];
}

//@ recursion_with_variables 2 64 i32x128,i32x64:ramp
extern "C" __global__ void recursion_with_variables(int *out, const int *in)
{
    out[blockIdx.x * 64 + threadIdx.x] = sum_of(threadIdx.x % 7, in);
}

struct node {
    struct node *next;
    int value;
};

//@ lists_of_malloc 3 64 i32x192
extern "C" __global__ void lists_of_malloc(int *out)
{
    __shared__ struct node *first[64];
    struct node *list = NULL;
    for (unsigned i = 0; i < threadIdx.x % 5 + 1; i++) {
        struct node *node = (struct node *)malloc(sizeof *node);
        node->next = list;
        node->value = i;
        list = node;
    }
    first[threadIdx.x] = list;
    __syncthreads();
    int sum = 0;
    for (struct node *node = first[63 - threadIdx.x]; node; node = node->next)
        sum += node->value;
    out[blockIdx.x * 64 + threadIdx.x] = sum;
    __syncthreads();
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
}

typedef int function(int a, int b);
__device__ int larger(int a, int b)
{
    return max(a, b);
}
__device__ int smaller(int a, int b)
{
    return min(a, b);
}

//@ function_by_lane 1 64 i32x64,i32x64:random
extern "C" __global__ void function_by_lane(int *out, const int *in)
{
    __shared__ function *choice[2];
    if (threadIdx.x == 0) {
        choice[0] = larger;
        choice[1] = smaller;
    }
    __syncthreads();
    int v = in[threadIdx.x];
    for (int i = 0; i < 3; i++)
        v = choice[(threadIdx.x + i) % 2](v, in[(threadIdx.x + i) % 64]);
    out[threadIdx.x] = v;
}

__noinline__ __device__ void copy(struct packed *to, const struct packed *from)
{
    *to = *from;
}

//@ structure_copied_by_function 1 32 f64x32,i32:2
extern "C" __global__ void structure_copied_by_function(double *out, int n)
{
    struct packed p[2], all[2];
    p[1].tag = 1;
    for (int i = 0; i < n; i++)
        p[1].rest[i] = i;
    copy(&all[n / 2], &p[n - 1]);
    out[threadIdx.x] = all[1].rest[1];
}

//@ textures 2 64 f32x128,tex.linear.wrap.normalized:f32x16x8:random,surf:u32x64x2
extern "C" __global__ void textures(float *out, cudaTextureObject_t image,
                                    cudaSurfaceObject_t target)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = tex2D<float>(image, i * 0.3f - 5, i * -0.7f);
    surf2Dwrite(i, target, 4 * threadIdx.x, blockIdx.x);
    if (surf2Dread<int>(target, 4 * threadIdx.x, blockIdx.x) != i)
        __trap();
    surf2Dwrite(i, target, 256 + 4 * threadIdx.x, blockIdx.x, cudaBoundaryModeZero);
}

//@ cluster_neighbours 2 32 i32x64
extern "C" __cluster_dims__(2, 1, 1) __global__ void cluster_neighbours(int *out)
{
    __shared__ int s[32];
    unsigned rank, to;
    int other;
    s[threadIdx.x] = threadIdx.x;
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(to) : "r"((unsigned)__cvta_generic_to_shared(s + threadIdx.x)), "r"(rank ^ 1));
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(other) : "r"(to) : "memory");
    out[blockIdx.x * 32 + threadIdx.x] = other;
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
}

//@ shuffles_in_two_branches 1 32 i32x32
extern "C" __global__ void shuffles_in_two_branches(int *out)
{
    int t = threadIdx.x, got;
    if (t % 3 == 0) {
        out[t] = 1;
        got = __shfl_sync(0xffffffff, 10 * t, (t + 1) % 32);
    } else if (t % 3 == 1) {
        out[t] = 2;
        got = __shfl_sync(0xffffffff, 20 * t, (t + 1) % 32) + 1;
    } else {
        got = __shfl_sync(0xffffffff, 30 * t, (t + 1) % 32) + 2;
    }
    if (got != (t + 1) % 32 * 10 * ((t + 1) % 32 % 3 + 1) + t % 3)
        __trap();
    out[t] = got;
}

//@ downs_in_two_branches 1 64 i32x64
extern "C" __global__ void downs_in_two_branches(int *out)
{
    int t = threadIdx.x % 32, got;
    if (t < 16)
        got = __shfl_down_sync(0xffffffff, t + 100, 16);
    else
        got = __shfl_down_sync(0xffffffff, t + 200, 16);
    if (got != (t < 16 ? t + 16 + 200 : t + 200))
        __trap();
    out[threadIdx.x] = got;
}

//@ votes_in_two_branches 1 32 i32x32
extern "C" __global__ void votes_in_two_branches(int *out)
{
    int t = threadIdx.x, any, all;
    unsigned same;
    if (t & 4) {
        out[t] = 0;
        any = __any_sync(0xffffffff, t == 4);
        all = __all_sync(0xffffffff, 1);
        same = __match_any_sync(0xffffffff, t & 8);
    } else {
        any = __any_sync(0xffffffff, 0);
        all = __all_sync(0xffffffff, t != 3);
        same = __match_any_sync(0xffffffff, t & 8);
    }
    if (!any || all || same != (t & 8 ? 0xff00ff00 : 0x00ff00ff))
        __trap();
    out[t] = 1;
}

//@ sums_in_two_branches 1 32 i32x32
extern "C" __global__ void sums_in_two_branches(int *out)
{
    int t = threadIdx.x;
    unsigned sum;
    if (t < 7)
        sum = __reduce_add_sync(0xffffffff, t);
    else
        sum = __reduce_add_sync(0xffffffff, 1000 * t);
    if (sum != 21 + 1000 * (496 - 21))
        __trap();
    out[t] = sum;
}

__device__ __noinline__ int neighbour(int value)
{
    return __shfl_xor_sync(0xffffffff, value, 1);
}

//@ called_in_two_branches 1 32 i32x32
extern "C" __global__ void called_in_two_branches(int *out)
{
    int t = threadIdx.x, got;
    if (t & 1)
        got = neighbour(t);
    else
        got = neighbour(t + 50);
    out[t] = got;
    if (got != (t & 1 ? t - 1 + 50 : t + 1))
        __trap();
}

//@ some_lanes_left 1 32 i32x32
extern "C" __global__ void some_lanes_left(int *out)
{
    int t = threadIdx.x;
    if (t >= 20)
        return;
    int sum = __shfl_up_sync(0xffffffff, t, 1) + __shfl_sync(0xffffffff, t, 3);
    int below = __shfl_down_sync(0x000fffff, t, 16); // of no lane in the mask for some: not used
    out[t] = t + 16 < 20 ? sum + below : sum;
}

//@ warps_return_early 1 128 i32x128,i32:64
extern "C" __global__ void warps_return_early(int *out, int n)
{
    __shared__ int s[128];
    s[threadIdx.x] = threadIdx.x;
    if (threadIdx.x >= n) {
        out[threadIdx.x] = 0;
        return;
    }
    __syncthreads();
    for (int i = 0; i < 3; i++) {
        s[threadIdx.x] += 1;
        __syncthreads();
    }
    out[threadIdx.x] = s[threadIdx.x ^ 32];
}

//@ barrier_within_bounds 1 128 i32x128,i32:96
extern "C" __global__ void barrier_within_bounds(int *out, int n)
{
    __shared__ int s[128];
    if (threadIdx.x < n) {
        s[threadIdx.x] = threadIdx.x;
        __syncthreads();
        out[threadIdx.x] = s[95 - threadIdx.x];
    }
}

//@ counted_barriers_in_two_branches 1 96 i32x96
extern "C" __global__ void counted_barriers_in_two_branches(int *out)
{
    __shared__ int s[96];
    s[threadIdx.x] = threadIdx.x;
    if (threadIdx.x < 32)
        asm volatile("bar.sync 1, 96;" ::: "memory");
    else
        asm volatile("bar.sync 1, 96;" ::: "memory");
    out[threadIdx.x] = s[95 - threadIdx.x];
}

//@ volatile_with_syncwarp 1 64 i32x2
extern "C" __global__ void volatile_with_syncwarp(int *out)
{
    __shared__ volatile int s[64];
    int t = threadIdx.x;
    s[t] = t;
    __syncwarp();
    for (int n = 16; n > 0; n /= 2) {
        int v = s[t] + s[t ^ n];
        __syncwarp();
        s[t] = v;
        __syncwarp();
    }
    if (t % 32 == 0)
        out[t / 32] = s[t];
}

//@ volatile_flag_in_warp 1 32 i32x32
extern "C" __global__ void volatile_flag_in_warp(int *out)
{
    __shared__ volatile int flag, data;
    if (threadIdx.x == 0)
        flag = 0;
    __syncwarp();
    if (threadIdx.x == 5) {
        data = 7;
        __threadfence_block();
        flag = 1;
    }
    while (flag == 0)
        ;
    __threadfence_block();
    out[threadIdx.x] = data;
}

//@ volatile_lock_in_warp 1 32 i32x1
extern "C" __global__ void volatile_lock_in_warp(int *out)
{
    __shared__ int lock;
    __shared__ volatile int count;
    if (threadIdx.x == 0)
        lock = count = 0;
    __syncthreads();
    for (bool done = false; !done;)
        if (atomicCAS(&lock, 0, 1) == 0) {
            __threadfence_block();
            count = count + 1;
            __threadfence_block();
            atomicExch(&lock, 0);
            done = true;
        }
    __syncthreads();
    if (threadIdx.x == 0)
        out[0] = count;
}

//@ volatile_of_one_thread 1 32 i32x32
extern "C" __global__ void volatile_of_one_thread(int *out)
{
    __shared__ volatile int s[32];
    for (int i = 0; i < 4; i++)
        s[threadIdx.x] = i ? s[threadIdx.x] + i : 1;
    out[threadIdx.x] = s[threadIdx.x];
}

// Copies that nobody waits for, and whose places are written again by the next block.
//@ copies_left_behind 4 32 i32x128,i32x128:ramp
extern "C" __global__ void copies_left_behind(int *out, const int *in)
{
    __shared__ int s[2][32];
    int t = threadIdx.x;
    unsigned at = (unsigned)__cvta_generic_to_shared(&s[1][t]);
    s[0][t] = in[blockIdx.x * 32 + t];
    s[1][t] = t;
    __syncthreads();
    out[blockIdx.x * 32 + t] = s[0][31 - t] + s[1][31 - t];
    __syncthreads();
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\ncp.async.commit_group;" ::"r"(at), "l"(in + t) : "memory");
}

//@ polls_before_a_barrier 1 64 i32x64
extern "C" __global__ void polls_before_a_barrier(int *out)
{
    __shared__ volatile int ready;
    if (threadIdx.x == 0)
        ready = 0;
    __syncthreads();
    if (threadIdx.x == 32) {
        int x = 1;
        for (int i = 0; i < 30000; i++)
            x = x * 3 + out[i & 7];
        out[63] = x;
        __threadfence_block();
        ready = 1;
    }
    if (threadIdx.x == 0)
        while (!ready)
            ;
    __syncthreads(); // lanes 1 to 31 wait for lane 0
    out[threadIdx.x] += 1;
}

//@ leaves_an_unrolled_loop 1 256 i32x256,i32:5
extern "C" __global__ void leaves_an_unrolled_loop(int *out, int n)
{
    __shared__ int s[256];
    for (int i = 0;; i++) {
        if (threadIdx.x / 32 + i >= n) // in another copy of the body for each warp
            return;
        s[threadIdx.x] = i;
        __syncthreads();
        out[threadIdx.x] = s[threadIdx.x];
    }
}

// Bulk copies in two stages; one thread waits for each, and the others for it.
//@ bulk_copies_of_stages 1 64 i32x64,i32x384:ramp,i32:6
extern "C" __global__ void bulk_copies_of_stages(int *out, const int *in, int n)
{
    __shared__ __align__(16) int s[2][64];
    __shared__ unsigned long long full[2];
    int sum = 0;
    for (int i = threadIdx.x; i < 2; i += 64)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" : : "r"((unsigned)__cvta_generic_to_shared(&full[i])) : "memory");
    __syncthreads();
    for (int i = 0; i <= n; i++) {
        if (threadIdx.x == 0 && i < n)
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%2], 256;\n"
                         "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" : : "r"((unsigned)__cvta_generic_to_shared(s[i % 2])), "l"(in + i * 64), "r"((unsigned)__cvta_generic_to_shared(&full[i % 2])) : "memory");
        if (threadIdx.x == 63 && i > 0)
            asm volatile("{.reg .pred p;\nL: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra L;}" : : "r"((unsigned)__cvta_generic_to_shared(&full[(i - 1) % 2])), "r"((i - 1) / 2 & 1) : "memory");
        __syncthreads();
        sum += i > 0 ? s[(i - 1) % 2][63 - threadIdx.x] : 0;
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

// Of compute capability 9.0 the number of SMs is unknown: the grid counts as one that fits.
//@ asks_for_a_grid 4 32 i32x4
extern "C" __global__ void asks_for_a_grid(int *out)
{
    unsigned high, low;
    asm volatile("mov.u32 %0, %%envreg1;\nmov.u32 %1, %%envreg2;" : "=r"(high), "=r"(low));
    if (!(high | low))
        __trap();
    out[blockIdx.x] = 1;
}

// The compiler reads by ld.global.nc what the same thread overwrites afterwards.
//@ overwrites_what_was_read_only 4 64 i32x256,@1
extern "C" __global__ void overwrites_what_was_read_only(int *out, const int *__restrict__ in)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 3 * in[i];
}

// The other half of the array is read-only.
//@ read_only_half 4 64 i32x512,@1+256
extern "C" __global__ void read_only_half(int *out, const int *__restrict__ in)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 1;
    __syncthreads();
    out[i] = in[255 - i];
}

// What lies beyond the end is copied along, as blocks of a library do, and never used.
//@ unset_values_are_only_copied 1 64 i32x64,i32x64:ramp,i32:50
extern "C" __global__ void unset_values_are_only_copied(int *out, const int *in, int n)
{
    __shared__ int s[64], t[64];
    int value;
    if (threadIdx.x < n)
        value = in[threadIdx.x];
    s[threadIdx.x] = value;
    __syncthreads();
    value = s[63 - threadIdx.x];
    t[63 - threadIdx.x] = value;
    __syncthreads();
    if (threadIdx.x < n)
        out[threadIdx.x] = t[threadIdx.x] + 1;
}

// A merge compares what lies beyond an end, but the end decides.
//@ unset_values_are_compared 1 32 i32x32,i32:7,i32:9
extern "C" __global__ void unset_values_are_compared(int *out, int a_end, int b_end)
{
    __shared__ int s[32], t[32];
    if (threadIdx.x < a_end)
        s[threadIdx.x] = 2 * threadIdx.x;
    if (threadIdx.x < b_end)
        t[threadIdx.x] = 3 * threadIdx.x;
    __syncwarp();
    if (threadIdx.x == 0)
        for (int a = 0, b = 0; a + b < a_end + b_end;) {
            const int from_a = s[a], from_b = t[b];
            const bool takes_a = b >= b_end | (a < a_end & from_a <= from_b);
            out[a + b] = takes_a ? from_a : from_b;
            a += takes_a;
            b += !takes_a;
        }
}

// The scan of a warp of which only some lanes have a value.
//@ unset_values_are_shuffled 1 32 i32x32,i32:20
extern "C" __global__ void unset_values_are_shuffled(int *out, int n)
{
    __shared__ int s[32];
    if (threadIdx.x < n)
        s[threadIdx.x] = threadIdx.x;
    __syncwarp();
    int sum = s[threadIdx.x];
    for (int i = 1; i < 32; i *= 2) {
        int before = __shfl_up_sync(0xffffffff, sum, i);
        sum += threadIdx.x >= i ? before : 0;
    }
    if (threadIdx.x < n)
        out[threadIdx.x] = sum;
}

// What was stored unset is written before it is read.
//@ unset_value_is_overwritten 1 64 i32x64
extern "C" __global__ void unset_value_is_overwritten(int *out)
{
    __shared__ int s[64], t[64];
    t[threadIdx.x] = s[threadIdx.x];
    __syncthreads();
    t[63 - threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = t[threadIdx.x];
}
