/* C = A B with only A's panel in shared memory, and no barrier of the block.

   Each warp stores the rows of A's tile that it alone reads. If TILE divides 32, a warp has whole
   rows, and __syncwarp, which costs almost nothing, replaces __syncthreads. B is read straight from
   global memory, a row of it by neighbouring threads; every warp of the block reads the same rows,
   mostly from the L1 cache. So the kernel saves as much traffic for A as matmul_tiled does; for B,
   the caches save some. If TILE does not divide 32, a row is shared by two warps, and a barrier of
   the block is needed.

   The idea: CUDA C++ Best Practices Guide, "Shared Memory in Matrix Multiplication (C=AB)".

   -DTILE=n        1 to 32; a block is n x n threads
   -DELEMENT=type  float or double
   -DPAD=n         elements added to each row of the tile
   Grid: x counts the tiles along a row of C; y, and z beyond 65535 of them, the tiles down C. */

static __device__ __forceinline__ void wait_for_rows()
{
#if 32 % TILE == 0
    __syncwarp();
#else
    __syncthreads();
#endif
}

extern "C" __global__ void __launch_bounds__(TILE *TILE)
    matmul_a_tile(const ELEMENT *A, const ELEMENT *B, ELEMENT *C, int M, int N, int K, int lda,
                  int ldb, int ldc)
{
    __shared__ ELEMENT a_tile[TILE][TILE + PAD];
    const unsigned x = threadIdx.x;
    const unsigned y = threadIdx.y;
    const unsigned row = (blockIdx.z * gridDim.y + blockIdx.y) * TILE + y;
    const unsigned column = blockIdx.x * TILE + x;
    const bool inside = row < M && column < N;

    ELEMENT sum = 0;
    for (unsigned k = 0; k < K; k += TILE) {
        /* Elements outside A or B count as 0 and change no sum. Offsets are 64 bits wide: a
           matrix may have more than 2^31 elements. */
        a_tile[y][x] = row < M && k + x < K ? A[(long long)row * lda + (k + x)] : 0;
        wait_for_rows(); /* they are complete */

#pragma unroll
        for (int i = 0; i < TILE; i++) {
            const ELEMENT b = inside && k + i < K ? B[(long long)(k + i) * ldb + column] : 0;
            sum += a_tile[y][i] * b;
        }
        wait_for_rows(); /* no thread still reads what the next step overwrites */
    }
    if (inside)
        C[(long long)row * ldc + column] = sum;
}
