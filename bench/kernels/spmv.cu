/* A sparse matrix times a vector. Each of the m rows has k entries (ELLPACK): entry j of row i is
   element j * m + i of `columns` and `values`, so that a warp reads neighbouring elements. One
   thread computes one row. */

extern "C" __global__ void spmv(const int *columns, const float *values, const float *x, float *y,
                                int m, int k)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    if (row >= m)
        return;
    for (int j = 0; j < k; j++) {
        const size_t entry = (size_t)j * m + row;
        sum += values[entry] * x[columns[entry]];
    }
    y[row] = sum;
}
