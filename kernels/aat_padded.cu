/* C = A A^T by square tiles, as in aat_conflict.cu, with the rows of the transposed tile padded:
   TILE x PAD elements of shared memory remove the conflict.

   After each row of t_tile come PAD unused elements, so the step down a column is TILE + PAD
   elements. With TILE 32 and PAD 1 that is 33, which has no divisor in common with the 32 banks:
   the 32 threads of a warp store into 32 different ones. With a smaller TILE a warp stores parts of
   several columns, and another PAD may be needed: 2 for TILE 16, and 0 for TILE 31, where PAD 1
   would make rows of 32. See

     smemcalc banks --kernel aat-padded --tile 16

   -DTILE=n        1 to 32; a block is n x n threads
   -DELEMENT=type  float or double
   -DPAD=n         elements added to each row of t_tile; 0 is aat_conflict
   Grid: x counts the tiles along a row of C; y, and z beyond 65535 of them, the tiles down C. */

extern "C" __global__ void __launch_bounds__(TILE * TILE)
    aat_padded(const ELEMENT *A, ELEMENT *C, int M, int K, int lda, int ldc)
{
    __shared__ ELEMENT a_tile[TILE][TILE];
    __shared__ ELEMENT t_tile[TILE][TILE + PAD];
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
