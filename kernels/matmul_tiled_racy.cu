/* C = A B by square tiles, with a classic mistake: the second barrier is missing. For race
   detection only; its result is undefined, and it is never timed.

   The same as matmul_tiled.cu except for one line. A thread that has finished its part of a step
   stores the next step's elements into the tiles at once, while a slower warp still reads this
   step's. Whether that gives a wrong sum depends on how the warps are scheduled: small launches are
   usually correct, which makes the mistake hard to find by testing.

   -DTILE=n        1 to 32; a block is n x n threads. With n <= 5 a block is one warp
   -DELEMENT=type  float or double
   Grid: x counts the tiles along a row of C; y, and z beyond 65535 of them, the tiles down C. */

extern "C" __global__ void __launch_bounds__(TILE * TILE)
    matmul_tiled_racy(const ELEMENT *A, const ELEMENT *B, ELEMENT *C, int M, int N, int K, int lda,
                      int ldb, int ldc)
{
    __shared__ ELEMENT a_tile[TILE][TILE];
    __shared__ ELEMENT b_tile[TILE][TILE];
    const unsigned x = threadIdx.x;
    const unsigned y = threadIdx.y;
    const unsigned row = (blockIdx.z * gridDim.y + blockIdx.y) * TILE + y;
    const unsigned column = blockIdx.x * TILE + x;

    ELEMENT sum = 0;
    for (unsigned k = 0; k < K; k += TILE) {
        a_tile[y][x] = row < M && k + x < K ? A[(long long)row * lda + (k + x)] : 0;
        b_tile[y][x] = column < N && k + y < K ? B[(long long)(k + y) * ldb + column] : 0;
        __syncthreads(); /* both tiles are complete */

        for (int i = 0; i < TILE; i++)
            sum += a_tile[y][i] * b_tile[i][x];
        /* Here matmul_tiled waits until no thread still reads what the next step overwrites. */
    }
    if (row < M && column < N)
        C[(long long)row * ldc + column] = sum;
}
