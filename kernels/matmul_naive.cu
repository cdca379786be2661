/* C = A B straight from global memory: the baseline for the kernels with tiles.

   A is M x K, B is K x N, C is M x N, all row-major. Rows lie lda, ldb and ldc elements apart, so
   that each matrix may be a part of a larger one. One thread computes one element of C: it walks
   along a row of A and down a column of B, so all of A is read N times and all of B M times.

   The textbook starting point: CUDA C++ Programming Guide, "Shared Memory", first listing.

   -DTILE=n        a block is n x n threads and makes n x n elements of C
   -DELEMENT=type  float or double
   Grid: x counts the tiles along a row of C; y, and z beyond 65535 of them, the tiles down C. */

extern "C" __global__ void __launch_bounds__(TILE * TILE)
    matmul_naive(const ELEMENT *A, const ELEMENT *B, ELEMENT *C, int M, int N, int K, int lda,
                 int ldb, int ldc)
{
    const unsigned row = (blockIdx.z * gridDim.y + blockIdx.y) * TILE + threadIdx.y;
    const unsigned column = blockIdx.x * TILE + threadIdx.x;
    if (row >= M || column >= N)
        return;

    /* 64-bit offsets: a matrix may have more than 2^31 elements. */
    const ELEMENT *a = A + (long long)row * lda;
    const ELEMENT *b = B + column;
    ELEMENT sum = 0;
    for (int k = 0; k < K; k++, b += ldb)
        sum += a[k] * *b;
    C[(long long)row * ldc + column] = sum;
}
