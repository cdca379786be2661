// Tensor cores and pipelines.
#include <mma.h>
#include <cuda_bf16.h>
#include <cuda_pipeline.h>
#include <iostream>
using namespace nvcuda;
constexpr int M = 16, K = 16;
const int kTiles = 4;
static const char *kName = "gemm";
__global__ void gemm(const half *a, const half *b, float *c, int n)
{
    wmma::fragment<wmma::matrix_a, M, M, K, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, M, M, K, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, M, M, K, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    for (int k = 0; k < kTiles; k++) {
        wmma::load_matrix_sync(fa, a + k * K, n);
        wmma::load_matrix_sync(fb, b + k * K, n);
        wmma::mma_sync(fc, fa, fb, fc);
    }
    wmma::store_matrix_sync(c, fc, n, wmma::mem_row_major);
}
__global__ void prefetch(const int4 *in, int4 *out)
{
    __shared__ int4 s[128];
    __pipeline_memcpy_async(&s[threadIdx.x], &in[threadIdx.x], 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[threadIdx.x] = s[threadIdx.x];
}
__global__ void bf(__nv_bfloat16 *x) { x[threadIdx.x] = __hmul(x[threadIdx.x], x[threadIdx.x]); }
int main() { std::cout << kName; gemm<<<1, 32>>>(0, 0, 0, 16); prefetch<<<1, 128>>>(0, 0); bf<<<1, 32>>>(0); }
