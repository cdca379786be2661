/* C = A A^T by square tiles, one of them transposed on its way into shared memory: a bank conflict.

   A is M x K, C is M x M, both row-major. Rows lie lda and ldc elements apart, so that each matrix
   may be a part of a larger one. A block computes one TILE x TILE tile of C. At each step it
   fetches two tiles of A: one holds the rows of A for the rows of C's tile, the other those for its
   columns. Both are fetched along A's rows, where a warp's elements are adjacent. The second is
   needed as a tile of A^T and is therefore stored transposed, as t_tile[x][y]: the threads of a
   warp store TILE elements apart. With TILE 32 that is the same bank for all 32 of them, and the
   store takes 32 wavefronts instead of one. See

     smemcalc banks --kernel aat-conflict --tile 32

   aat_padded.cu and aat_swizzled.cu are two ways out. Loads do not conflict with TILE 32: they go
   along a row of t_tile, and to one element of a_tile.

   The example is that of the CUDA C++ Best Practices Guide, "Shared Memory in Matrix
   Multiplication (C=AAT)".

   -DTILE=n        1 to 32; a block is n x n threads
   -DELEMENT=type  float or double
   Grid: x counts the tiles along a row of C; y, and z beyond 65535 of them, the tiles down C. */

extern "C" __global__ void __launch_bounds__(TILE * TILE)
    aat_conflict(const ELEMENT *A, ELEMENT *C, int M, int K, int lda, int ldc)
{
    __shared__ ELEMENT a_tile[TILE][TILE];
    __shared__ ELEMENT t_tile[TILE][TILE];
    const unsigned x = threadIdx.x;
    const unsigned y = threadIdx.y;
    const unsigned row = (blockIdx.z * gridDim.y + blockIdx.y) * TILE + y;
    const unsigned column = blockIdx.x * TILE + x;
    const unsigned fetched = blockIdx.x * TILE + y; /* the row of A that becomes a column here */

    ELEMENT sum = 0;
    for (unsigned k = 0; k < K; k += TILE) {
        /* Elements outside A count as 0 and change no sum. Offsets are 64 bits wide: a matrix
           may have more than 2^31 elements. */
        a_tile[y][x] = row < M && k + x < K ? A[(long long)row * lda + (k + x)] : 0;
        t_tile[x][y] = fetched < M && k + x < K ? A[(long long)fetched * lda + (k + x)] : 0;
        __syncthreads(); /* both tiles are complete */

        for (int i = 0; i < TILE; i++)
            sum += a_tile[y][i] * t_tile[i][x];
        __syncthreads(); /* no thread still reads what the next step overwrites */
    }
    if (row < M && column < M)
        C[(long long)row * ldc + column] = sum;
}
