/* C = A B by square tiles, as in matmul_tiled.cu, fetched one step ahead: while the threads
   multiply one pair of tiles, cp.async copies the next pair into a second one.

   cp.async (CC 8.0 and newer) copies from global to shared memory without registers, and the thread
   that issued it continues at once. The copies that a thread has issued up to a commit are a group.
   The thread waits until at most a given number of its groups are in flight; after a barrier, the
   copies of all threads have arrived. The cost is twice the shared memory of matmul_tiled, which
   the occupancy shows. Before CC 8.0 the same source loads and stores, and nothing overlaps.

   The idea: CUDA C++ Programming Guide, "Asynchronous Data Copies"; PTX ISA, cp.async.

   -DTILE=n        1 to 32; a block is n x n threads
   -DELEMENT=type  float or double
   -DPAD=n         elements added to each row of the tiles
   Grid: x counts the tiles along a row of C; y, and z beyond 65535 of them, the tiles down C. */

/* Elements outside a matrix are not read; they count as 0 and change no sum. */
static __device__ __forceinline__ void copy(ELEMENT *to, const ELEMENT *from, bool inside)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(
                     (unsigned)__cvta_generic_to_shared(to)),
                 "l"(from), "n"(sizeof(ELEMENT)), "r"(inside ? (int)sizeof(ELEMENT) : 0)
                 : "memory");
#else
    *to = inside ? *from : 0;
#endif
}

static __device__ __forceinline__ void end_group()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* All of this thread's groups but the newest have arrived. */
static __device__ __forceinline__ void wait_for_all_but_one()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group 1;" ::: "memory");
#endif
}

extern "C" __global__ void __launch_bounds__(TILE *TILE)
    matmul_async(const ELEMENT *A, const ELEMENT *B, ELEMENT *C, int M, int N, int K, int lda,
                 int ldb, int ldc)
{
    __shared__ ELEMENT a_tile[2][TILE][TILE + PAD];
    __shared__ ELEMENT b_tile[2][TILE][TILE + PAD];
    const unsigned x = threadIdx.x;
    const unsigned y = threadIdx.y;
    const unsigned row = (blockIdx.z * gridDim.y + blockIdx.y) * TILE + y;
    const unsigned column = blockIdx.x * TILE + x;

    /* Offsets are 64 bits wide: a matrix may have more than 2^31 elements. */
    auto fetch = [&](unsigned k, unsigned stage) {
        const bool in_a = row < M && k + x < K, in_b = column < N && k + y < K;
        copy(&a_tile[stage][y][x], in_a ? &A[(long long)row * lda + (k + x)] : A, in_a);
        copy(&b_tile[stage][y][x], in_b ? &B[(long long)(k + y) * ldb + column] : B, in_b);
    };

    ELEMENT sum = 0;
    unsigned stage = 0;
    fetch(0, stage);
    end_group();
    for (unsigned k = 0; k < K; k += TILE, stage ^= 1) {
        if (k + TILE < K)
            fetch(k + TILE, stage ^ 1);
        end_group(); /* empty in the last step, so that the group before is always waited for */
        wait_for_all_but_one();
        __syncthreads(); /* both tiles are complete */

        for (int i = 0; i < TILE; i++)
            sum += a_tile[stage][y][i] * b_tile[stage][i][x];
        __syncthreads(); /* no thread still reads what the next step overwrites */
    }
    if (row < M && column < N)
        C[(long long)row * ldc + column] = sum;
}
