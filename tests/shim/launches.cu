// Random launches of kernels that differ in registers, shared memory and parameters: shapes, sizes,
// clusters and cooperative grids, many of them just within or beyond a limit. Prints the runtime's
// answers, so that those of a GPU and of the emulator can be compared line by line.
//   launches SEED COUNT
// launches.h100.txt.gz is what `launches 1 1000` printed on an H100 80GB HBM3 with driver 580.159.04,
// compiled by CUDA 13.0, on 28 November 2026.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

template <int BYTES> struct parameters {
    int runs;
    char rest[BYTES - 4];
};

// `LIVE` values are needed at the same time; `runs` is 0, so that none is computed.
template <int LIVE, int STATIC, int BYTES, int OPT_IN>
__global__ void kernel(const parameters<BYTES> given)
{
    __shared__ volatile int kept[STATIC / 4 + 1];
    extern __shared__ volatile int more[];
    if (!given.runs)
        return;
    float value[LIVE];
#pragma unroll
    for (int i = 0; i < LIVE; i++)
        value[i] = more[threadIdx.x + 32 * i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < LIVE; i++)
        more[threadIdx.x * 3 + i] = value[i] * value[(i * 7 + 3) % LIVE] + given.rest[BYTES - 8];
    kept[threadIdx.x % (STATIC / 4 + 1)] = more[threadIdx.x];
}

__global__ void __launch_bounds__(200) bounded(const parameters<8> given) {}
__global__ void __cluster_dims__(2, 1, 1) pairs(const parameters<8> given) {}
__global__ void __cluster_dims__(3, 2, 2) twelve(const parameters<8> given) {}

enum { DEFAULT, SOME, ALL, OPT_INS }; // of dynamic shared memory and large clusters
enum { SOME_BYTES = 60000 };

struct variant {
    const void *kernel;
    int opt_in, fixed_bytes, regs;
};

#define OF_OPT_IN(live, fixed, bytes)                                                              \
    {(const void *)kernel<live, fixed, bytes, DEFAULT>, DEFAULT},                                  \
        {(const void *)kernel<live, fixed, bytes, SOME>, SOME},                                    \
        {(const void *)kernel<live, fixed, bytes, ALL>, ALL},
static variant variants[] = {
    OF_OPT_IN(1, 0, 8)        //
    OF_OPT_IN(16, 16, 64)     //
    OF_OPT_IN(20, 1000, 4096) //
    OF_OPT_IN(30, 0, 20000)   //
    OF_OPT_IN(40, 20000, 16)  //
    OF_OPT_IN(52, 40000, 16)  //
    OF_OPT_IN(64, 0, 32764)   //
    OF_OPT_IN(80, 49000, 8)   //
    OF_OPT_IN(110, 4000, 16)  //
    OF_OPT_IN(140, 0, 16)     //
    OF_OPT_IN(170, 100, 16)   //
    OF_OPT_IN(230, 0, 16)     //
    {(const void *)bounded, DEFAULT},
    {(const void *)bounded, DEFAULT},
    {(const void *)pairs, DEFAULT},
    {(const void *)twelve, ALL},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

static uint64_t state;

static uint32_t below(uint32_t limit)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % limit);
}

static uint32_t near(uint32_t value) // the value, or one or two beside it
{
    return value + below(5) - 2;
}

static void draw_block(unsigned block[3])
{
    block[0] = block[1] = block[2] = 1;
    switch (below(6)) {
    case 0:
        block[0] = 1 + below(1100);
        break;
    case 1:
        block[0] = 1 + below(40);
        block[1] = 1 + below(32);
        break;
    case 2:
        block[0] = 1 + below(4);
        block[1] = 1 + below(6);
        block[2] = near(60 + below(8));
        break;
    case 3:
        block[below(2)] = near(1024);
        break;
    default:
        block[0] = 32 * (1 + below(33));
    }
}

static void draw_grid(unsigned grid[3], const unsigned cluster[3], bool cooperative)
{
    grid[0] = grid[1] = grid[2] = 1;
    if (cooperative) {
        grid[0] = near(132 * (1 + below(below(2) ? 4 : 32)));
        if (cluster[0])
            grid[0] = (grid[0] + 15) / 16 * 16;
        if (below(4) == 0 && !cluster[0])
            grid[1 + below(2)] = 1 + below(4);
        return;
    }
    for (int i = 0; i < 3; i++)
        grid[i] = (cluster[i] ? cluster[i] : 1) * (1 + below(i ? 3 : 40));
    if (below(6) == 0)
        grid[below(3)] += 1; // often no multiple of the cluster
    if (below(40) == 0)
        grid[1 + below(2)] = 65536 + below(3);
    if (below(200) == 0)
        grid[1 + below(2)] = 65535, grid[0] = 1;
    if (below(40) == 0)
        grid[0] = 0x80000000u + below(3);
    if (below(100) == 0)
        grid[below(3)] = 0;
}

static void draw_cluster(unsigned cluster[3])
{
    cluster[0] = cluster[1] = cluster[2] = 1;
    switch (below(4)) {
    case 0:
        cluster[0] = 1 + below(18);
        break;
    case 1:
        cluster[below(3)] = 1u << below(5);
        break;
    default:
        for (int i = 0; i < 3; i++)
            cluster[i] = 1 + below(4);
    }
}

static unsigned draw_dynamic(const variant *of, unsigned most)
{
    const unsigned fixed = of->fixed_bytes;
    switch (below(7)) {
    case 0:
        return 0;
    case 1:
        return below(48 << 10);
    case 2:
        return near((48 << 10) - fixed);
    case 3:
        return near(SOME_BYTES);
    case 4:
        return near(most - fixed);
    default:
        return below(most - fixed + 2000) / (1 + below(8));
    }
}

static void launch(const variant *of, unsigned most)
{
    static char given[40000];
    unsigned block[3], grid[3], cluster[3] = {0};
    const unsigned kind = below(10);
    const bool cooperative = kind >= 7;
    if (kind >= 4 && kind != 7 && kind != 8)
        draw_cluster(cluster);
    draw_block(block);
    draw_grid(grid, cluster, cooperative);
    cudaLaunchAttribute attribute[2];
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(grid[0], grid[1], grid[2]);
    config.blockDim = dim3(block[0], block[1], block[2]);
    config.dynamicSmemBytes = draw_dynamic(of, most);
    config.attrs = attribute;
    if (cluster[0]) {
        attribute[config.numAttrs].id = cudaLaunchAttributeClusterDimension;
        attribute[config.numAttrs].val.clusterDim.x = cluster[0];
        attribute[config.numAttrs].val.clusterDim.y = cluster[1];
        attribute[config.numAttrs++].val.clusterDim.z = cluster[2];
    }
    if (cooperative) {
        attribute[config.numAttrs].id = cudaLaunchAttributeCooperative;
        attribute[config.numAttrs++].val.cooperative = 1;
    }
    void *arguments[] = {given};
    const bool old = !cluster[0] && below(2);
    cudaError_t code =
        !old ? cudaLaunchKernelExC(&config, of->kernel, arguments)
        : cooperative
            ? cudaLaunchCooperativeKernel(of->kernel, config.gridDim, config.blockDim, arguments,
                                          config.dynamicSmemBytes, 0)
            : cudaLaunchKernel(of->kernel, config.gridDim, config.blockDim, arguments,
                               config.dynamicSmemBytes, 0);
    cudaError_t last = cudaGetLastError();
    printf("%d", (int)(of - variants));
    printf(" block %ux%ux%u grid %ux%ux%u", block[0], block[1], block[2], grid[0], grid[1], grid[2]);
    printf(" dynamic %u", (unsigned)config.dynamicSmemBytes);
    if (cluster[0])
        printf(" cluster %ux%ux%u", cluster[0], cluster[1], cluster[2]);
    printf("%s%s: %s", cooperative ? " cooperative" : "", old ? " by name" : "", cudaGetErrorName(code));
    if (last != code)
        printf(", last %s", cudaGetErrorName(last));
    int blocks = -1, clusters = -1;
    code = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &blocks, of->kernel, block[0] * block[1] * block[2], config.dynamicSmemBytes);
    printf(", %d blocks", code == cudaSuccess ? blocks : -(int)code);
    if (cluster[0] || of->kernel == (const void *)pairs || of->kernel == (const void *)twelve) {
        code = cudaOccupancyMaxActiveClusters(&clusters, of->kernel, &config);
        printf(", %d clusters", code == cudaSuccess ? clusters : -(int)code);
    }
    cudaGetLastError();
    printf("\n");
}

int main(int argc, char **argv)
{
    int most = 0, count = argc > 2 ? atoi(argv[2]) : 1000;
    state = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
    for (int i = 0; i < VARIANTS; i++) {
        variant *of = &variants[i];
        cudaFuncAttributes attributes;
        cudaFuncGetAttributes(&attributes, of->kernel);
        of->fixed_bytes = (int)attributes.sharedSizeBytes;
        printf("%d: %d registers, %d static, %d threads\n", i, attributes.numRegs, of->fixed_bytes,
               attributes.maxThreadsPerBlock);
        const int bytes = of->opt_in == SOME ? SOME_BYTES : most - of->fixed_bytes;
        if (of->opt_in)
            cudaFuncSetAttribute(of->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
        if (of->opt_in == ALL)
            cudaFuncSetAttribute(of->kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    }
    printf("set-up: %s\n", cudaGetErrorName(cudaGetLastError()));
    for (int i = 0; i < count; i++) {
        launch(&variants[below(3) ? below(VARIANTS) : VARIANTS - 1 - below(4)], (unsigned)most);
        if (i % 50 == 49 && cudaDeviceSynchronize() != cudaSuccess)
            printf("after %d: %s\n", i, cudaGetErrorName(cudaGetLastError()));
    }
    return 0;
}
