/* C = A A^T by square tiles, as in aat_conflict.cu, with the columns of the transposed tile
   swapped by XOR (a swizzle), which removes the conflict without more shared memory.

   Element c of row r of t_tile is kept in column c ^ r. Down a column of the tile r changes, and
   with it the column of the array, hence the bank; along a row the elements only change places. For
   a TILE that is no power of two the rows are rounded up to one, which has room for every c ^ r.

   The cost is one more instruction for each load, or one more register for each i, since x ^ i is
   the same at every step along K. How many of them the compiler keeps in registers depends on the
   architecture, and it may cost an SM half of its blocks. Compare:

     smemcalc --kernel aat-swizzled
     smemcalc --kernel aat-padded

   -DTILE=n        1 to 32; a block is n x n threads
   -DELEMENT=type  float or double
   Grid: x counts the tiles along a row of C; y, and z beyond 65535 of them, the tiles down C. */

enum { ROW = TILE > 16 ? 32 : TILE > 8 ? 16 : TILE > 4 ? 8 : TILE > 2 ? 4 : TILE };

extern "C" __global__ void __launch_bounds__(TILE * TILE)
    aat_swizzled(const ELEMENT *A, ELEMENT *C, int M, int K, int lda, int ldc)
{
    __shared__ ELEMENT a_tile[TILE][TILE];
    __shared__ ELEMENT t_tile[TILE][ROW];
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
        t_tile[x][y ^ x] = fetched < M && k + x < K ? A[(long long)fetched * lda + (k + x)] : 0;
        __syncthreads(); /* both tiles are complete */

        for (int i = 0; i < TILE; i++)
            sum += a_tile[y][i] * t_tile[i][x ^ i];
        __syncthreads(); /* no thread still reads what the next step overwrites */
    }
    if (row < M && column < M)
        C[(long long)row * ldc + column] = sum;
}
