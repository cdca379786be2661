/* C = A B by square tiles in shared memory.

   A is M x K, B is K x N, C is M x N, all row-major. Rows lie lda, ldb and ldc elements apart, so
   that each matrix may be a part of a larger one. A block computes one TILE x TILE tile of C. It
   walks along a row of tiles of A and down a column of tiles of B; at each step every thread
   fetches one element of each into shared memory, and all threads use all of them. Global memory is
   read 1/TILE as often as by matmul_naive. The cost is shared memory: 2 TILE^2 elements a block,
   and PAD more for each row of the tiles. TILE 32 needs no padding: a warp reads along a row of
   b_tile, and one element of a_tile. PAD is there to try: it moves the rows to other banks, and
   decides which neighbouring loads ptxas can join into one of 8 or 16 bytes.

   The idea is the textbook's: Kirk and Hwu, "Programming Massively Parallel Processors", chapter on
   tiling; CUDA C++ Programming Guide, "Shared Memory".

   -DTILE=n        1 to 32; a block is n x n threads
   -DELEMENT=type  float or double
   -DPAD=n         elements added to each row of both tiles
   Grid: x counts the tiles along a row of C; y, and z beyond 65535 of them, the tiles down C. */

extern "C" __global__ void __launch_bounds__(TILE * TILE)
    matmul_tiled(const ELEMENT *A, const ELEMENT *B, ELEMENT *C, int M, int N, int K, int lda,
                 int ldb, int ldc)
{
    __shared__ ELEMENT a_tile[TILE][TILE + PAD];
    __shared__ ELEMENT b_tile[TILE][TILE + PAD];
    const unsigned x = threadIdx.x;
    const unsigned y = threadIdx.y;
    const unsigned row = (blockIdx.z * gridDim.y + blockIdx.y) * TILE + y;
    const unsigned column = blockIdx.x * TILE + x;

    ELEMENT sum = 0;
    for (unsigned k = 0; k < K; k += TILE) {
        /* Elements outside A or B count as 0 and change no sum. Offsets are 64 bits wide: a
           matrix may have more than 2^31 elements. */
        a_tile[y][x] = row < M && k + x < K ? A[(long long)row * lda + (k + x)] : 0;
        b_tile[y][x] = column < N && k + y < K ? B[(long long)(k + y) * ldb + column] : 0;
        __syncthreads(); /* both tiles are complete */

        for (int i = 0; i < TILE; i++)
            sum += a_tile[y][i] * b_tile[i][x];
        __syncthreads(); /* no thread still reads what the next step overwrites */
    }
    if (row < M && column < N)
        C[(long long)row * ldc + column] = sum;
}
