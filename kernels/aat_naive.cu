/* C = A A^T straight from global memory: the baseline for the three kernels with tiles.

   A is M x K, C is M x M, both row-major. Rows lie lda and ldc elements apart, so that each matrix
   may be a part of a larger one. Each element of C is the inner product of two rows of A, and one
   thread computes it. Neighbouring threads compute neighbouring columns of C, so their stores are
   adjacent; but each walks along another row of A, so a warp's 32 elements lie lda elements apart,
   and a sector of 32 bytes is fetched for each. No order of the threads avoids that, since both
   factors are rows. Tiles do: what is fetched along rows is used down columns (aat_conflict.cu).

   The example is that of the CUDA C++ Best Practices Guide, "Shared Memory in Matrix
   Multiplication (C=AAT)".

   -DTILE=n        a block is n x n threads and makes n x n elements of C
   -DELEMENT=type  float or double
   Grid: x counts the tiles along a row of C; y, and z beyond 65535 of them, the tiles down C. */

extern "C" __global__ void __launch_bounds__(TILE * TILE)
    aat_naive(const ELEMENT *A, ELEMENT *C, int M, int K, int lda, int ldc)
{
    const unsigned row = (blockIdx.z * gridDim.y + blockIdx.y) * TILE + threadIdx.y;
    const unsigned column = blockIdx.x * TILE + threadIdx.x;
    if (row >= M || column >= M)
        return;

    /* 64-bit offsets: a matrix may have more than 2^31 elements. */
    const ELEMENT *a = A + (long long)row * lda;
    const ELEMENT *b = A + (long long)column * lda;
    ELEMENT sum = 0;
    for (int k = 0; k < K; k++)
        sum += a[k] * b[k];
    C[(long long)row * ldc + column] = sum;
}
