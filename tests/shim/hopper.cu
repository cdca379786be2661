// A program for compute capability 9.0: d = a * b^T by a producer warp, which loads tiles by tensor
// copies, and a warpgroup, which multiplies them by wgmma and stores the result by a tensor copy.
// The exit status is the number of elements that are wrong. With an argument the warpgroup does not
// wait for the tiles.
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cuda_bf16.h>

enum { M = 128, N = 128, K = 256, TILE = 64, STAGES = 2, THREADS = 128 + 32 };

struct __align__(1024) stages {
    __nv_bfloat16 a[STAGES][TILE][TILE], b[STAGES][TILE][TILE];
    float d[TILE][TILE];
};

__device__ unsigned shared(const void *at)
{
    return (unsigned)__cvta_generic_to_shared(at);
}

__device__ void wait(const uint64_t *bar, unsigned parity)
{
    unsigned done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(shared(bar)), "r"(parity) : "memory");
}

__device__ void load(void *to, const CUtensorMap *map, int x, int y, const uint64_t *bar)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 :: "r"(shared(to)), "l"(map), "r"(x), "r"(y), "r"(shared(bar)) : "memory");
}

__device__ uint64_t descriptor(const void *at)
{
    return (shared(at) & 0x3ffff) >> 4 | (uint64_t)1 << 16 | (uint64_t)64 << 32 | (uint64_t)1 << 62;
}

// 64 x 64 more products; x has 32 of the 4096 sums.
__device__ void multiply(float (&x)[32], uint64_t a, uint64_t b)
{
    asm volatile(
        "{ .reg .pred p; setp.eq.u32 p, 1, 1;\n"
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, "
        "%10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, "
        "%29, %30, %31}, %32, %33, p, 1, 1, 0, 0; }"
        : "+f"(x[0]), "+f"(x[1]), "+f"(x[2]), "+f"(x[3]), "+f"(x[4]), "+f"(x[5]), "+f"(x[6]), "+f"(x[7]),
          "+f"(x[8]), "+f"(x[9]), "+f"(x[10]), "+f"(x[11]), "+f"(x[12]), "+f"(x[13]), "+f"(x[14]),
          "+f"(x[15]), "+f"(x[16]), "+f"(x[17]), "+f"(x[18]), "+f"(x[19]), "+f"(x[20]), "+f"(x[21]),
          "+f"(x[22]), "+f"(x[23]), "+f"(x[24]), "+f"(x[25]), "+f"(x[26]), "+f"(x[27]), "+f"(x[28]),
          "+f"(x[29]), "+f"(x[30]), "+f"(x[31])
        : "l"(a), "l"(b));
}

__global__ void __launch_bounds__(THREADS) product(const __grid_constant__ CUtensorMap a,
                                                   const __grid_constant__ CUtensorMap b,
                                                   const __grid_constant__ CUtensorMap d, bool waits)
{
    extern __shared__ __align__(1024) char room[];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    stages &s = *(stages *)((size_t)(room + 1023) / 1024 * 1024);
    if (threadIdx.x == 0)
        for (int i = 0; i < STAGES; i++) {
            asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(shared(&full[i])) : "memory");
            asm volatile("mbarrier.init.shared.b64 [%0], 128;" :: "r"(shared(&empty[i])) : "memory");
        }
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x >= 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        unsigned is_chosen;
        asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }" : "=r"(is_chosen));
        for (int i = 0; i < K / TILE && is_chosen; i++) {
            const int stage = i % STAGES;
            wait(&empty[stage], (i / STAGES & 1) ^ 1);
            asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;"
                         :: "r"(shared(&full[stage])), "r"(2 * (unsigned)sizeof s.a[0]) : "memory");
            load(s.a[stage], &a, i * TILE, blockIdx.y * TILE, &full[stage]);
            load(s.b[stage], &b, i * TILE, blockIdx.x * TILE, &full[stage]);
        }
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    float x[32] = {};
    for (int i = 0; i < K / TILE; i++) {
        const int stage = i % STAGES;
        if (waits)
            wait(&full[stage], i / STAGES & 1);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int k = 0; k < TILE; k += 16)
            multiply(x, descriptor(&s.a[stage][0][k]), descriptor(&s.b[stage][0][k]));
        asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
        asm volatile("mbarrier.arrive.shared.b64 _, [%0];" :: "r"(shared(&empty[stage])) : "memory");
    }
    const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4;
    for (int i = 0; i < 32; i++)
        s.d[row + i / 2 % 2 * 8][i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2] = x[i];
    asm volatile("fence.proxy.async;\nbar.sync 1, 128;" ::: "memory");
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];"
                     :: "l"(&d), "r"(blockIdx.x * TILE), "r"(blockIdx.y * TILE), "r"(shared(s.d)) : "memory");
        asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
    }
}

typedef CUresult encode_tiled(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                              const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                              const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                              CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

static CUtensorMap map_of(void *at, CUtensorMapDataType type, unsigned bytes, unsigned columns,
                          unsigned rows, CUtensorMapSwizzle swizzle)
{
    void *function = NULL;
    cudaDriverEntryPointQueryResult found;
    CUtensorMap map;
    const cuuint64_t size[] = {columns, rows}, stride[] = {columns * bytes};
    const cuuint32_t box[] = {TILE, TILE}, step[] = {1, 1};
    if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                         cudaEnableDefault, &found) != cudaSuccess ||
        ((encode_tiled *)function)(&map, type, 2, at, size, stride, box, step,
                                   CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                                   CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                   CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS) {
        puts("no tensor map");
        exit(99);
    }
    return map;
}

int main(int argc, char **)
{
    __nv_bfloat16 *a, *b;
    float *d;
    cudaMallocManaged(&a, M * K * sizeof *a);
    cudaMallocManaged(&b, N * K * sizeof *b);
    cudaMallocManaged(&d, M * N * sizeof *d);
    for (int i = 0; i < M * K; i++)
        a[i] = __float2bfloat16(i * 7 % 13 - 6.0f);
    for (int i = 0; i < N * K; i++)
        b[i] = __float2bfloat16(i * 5 % 11 - 5.0f);
    const int bytes = sizeof(stages) + 1024;
    cudaFuncSetAttribute(product, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    product<<<dim3(N / TILE, M / TILE), THREADS, bytes>>>(
        map_of(a, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, K, M, CU_TENSOR_MAP_SWIZZLE_128B),
        map_of(b, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, K, N, CU_TENSOR_MAP_SWIZZLE_128B),
        map_of(d, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, N, M, CU_TENSOR_MAP_SWIZZLE_NONE), argc == 1);
    const cudaError_t error = cudaDeviceSynchronize();
    int wrong = error != cudaSuccess;
    for (int row = 0; row < M && argc == 1; row++)
        for (int column = 0; column < N; column++) {
            float sum = 0;
            for (int k = 0; k < K; k++)
                sum += __bfloat162float(a[row * K + k]) * __bfloat162float(b[column * K + k]);
            wrong += d[row * N + column] != sum;
        }
    printf("%s, %d wrong\n", cudaGetErrorString(error), wrong);
    return wrong > 98 ? 98 : wrong;
}
