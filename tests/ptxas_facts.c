/* Checks the model's assumptions about ptxas against the output of this machine's NVRTC:
   __launch_bounds__(threads, blocks) limits a kernel to the registers that `limits` shows for that
   number of blocks, and the tiles of the products use as much shared memory and as many loads from
   it as the catalog counts. A share of the bounds and tiles, other ones for each architecture; with
   TEST_WHOLE=1 all. Without an NVRTC: exit status 77. */
#include <stdio.h>
#include <string.h>

#include "answers/query.h"
#include "code/nvrtc.h"
#include "code/ptxas_log.h"
#include "rules/devices.h"
#include "rules/headroom.h"
#include "share.h"

enum { MOST_ARCHITECTURES = 4, BOUNDS_SHARE = 3, TILES_SHARE = 5 };

/* Uses as many registers as it is allowed. */
static const char greedy_text[] =
    "extern \"C\" __global__ void __launch_bounds__(THREADS, BLOCKS)\n"
    "    greedy(const volatile float *in, float *out, int n)\n"
    "{\n"
    "    float v[240], sum = 0;\n"
    "    #pragma unroll\n"
    "    for (int i = 0; i < 240; i++) v[i] = in[32 * i + threadIdx.x];\n"
    "    for (int j = 0; j < n; j++)\n"
    "        #pragma unroll\n"
    "        for (int i = 0; i < 240; i++) v[i] = v[i] * v[(i + 1) % 240] + j;\n"
    "    #pragma unroll\n"
    "    for (int i = 0; i < 240; i++) sum = sum * 3 + v[i];\n"
    "    out[threadIdx.x] = sum;\n"
    "}\n";

static bool compile(const struct smc_nvrtc *nvrtc, uint16_t cc, const char *text,
                    const char *defines, struct smc_nvrtc_output *output)
{
    struct smc_text options = {0};
    smc_text_printf(&options, "--gpu-architecture=sm_%u\n--ptxas-options=-v\n%s", cc, defines);
    *output = (struct smc_nvrtc_output){0};
    enum smc_nvrtc_outcome outcome =
        smc_nvrtc_compile(nvrtc, text, "fact.cu", smc_text_string(&options), output);
    if (outcome != SMC_NVRTC_COMPILED)
        printf("sm_%u: %s\n", cc, smc_text_string(&output->log));
    smc_text_free(&options);
    return outcome == SMC_NVRTC_COMPILED;
}

/* Registers of the greedy kernel under these bounds; 0 if it could not be compiled. */
static uint32_t capped_regs(const struct smc_nvrtc *nvrtc, uint16_t cc, uint32_t threads,
                            uint32_t blocks)
{
    struct smc_nvrtc_output output;
    struct smc_resources resources = {0};
    char defines[64];
    bool has_barriers;
    snprintf(defines, sizeof defines, "-DTHREADS=%u\n-DBLOCKS=%u\n", threads, blocks);
    if (compile(nvrtc, cc, greedy_text, defines, &output))
        smc_ptxas_log_read(smc_text_string(&output.log), "greedy", &resources, &has_barriers);
    smc_nvrtc_output_free(&output);
    return resources.regs_per_thread;
}

static unsigned check_bounds(const struct smc_nvrtc *nvrtc, uint16_t cc, size_t number,
                             unsigned *checked)
{
    static const struct {
        uint32_t threads, blocks;
    } cases[] = {{160, 2}, {160, 5}, {192, 3}, {256, 4}, {100, 7}, {1000, 1}, {800, 1}, {96, 9}};
    unsigned wrong = 0;
    struct smc_capability capability;
    if (!smc_capability_find(cc, &capability))
        return 1;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_launch launch = SMC_LAUNCH_INIT;
        struct smc_headroom headroom;
        launch.threads_per_block = cases[i].threads;
        smc_headroom_find(&capability.sm, &launch, (struct smc_fixed){0}, &headroom);
        if (cases[i].blocks > headroom.count || !share_has(i + number, BOUNDS_SHARE))
            continue;
        uint32_t ours = headroom.level[cases[i].blocks - 1].regs_per_thread;
        uint32_t seen = capped_regs(nvrtc, cc, cases[i].threads, cases[i].blocks);
        if (seen != ours)
            printf("sm_%u, __launch_bounds__(%u, %u): ours %u, ptxas's %u\n", cc, cases[i].threads,
                   cases[i].blocks, ours, seen);
        wrong += seen != ours;
        ++*checked;
    }
    return wrong;
}

static uint64_t read_bytes(const unsigned char *bytes, int count)
{
    uint64_t value = 0;
    for (int i = count - 1; i >= 0; i--)
        value = value << 8 | bytes[i];
    return value;
}

/* Counts the loads of 4, 8 and 16 bytes from shared memory in the machine code of CC 7.0 and later.
   Instructions have 128 bits: LDS is in the lowest 12, the guard in the next 4 (ptxas puts loads
   that never execute before some copies), the size in bits 73 to 75. The code is in the section
   that the ELF section headers mark as holding instructions. */
static bool count_loads(const struct smc_binary *binary, unsigned loads[17])
{
    enum { EXECUTABLE = 4, LDS = 0x984, NEVER = 0xf, SIZE_32 = 4 };
    const unsigned char *file = binary->cubin;
    uint64_t headers = read_bytes(file + 0x28, 8);
    uint64_t header_bytes = read_bytes(file + 0x3a, 2), count = read_bytes(file + 0x3c, 2);
    bool found = false;
    if (headers + header_bytes * count > binary->cubin_bytes)
        return false;
    for (uint64_t i = 0; i < count; i++) {
        const unsigned char *header = file + headers + i * header_bytes;
        uint64_t offset = read_bytes(header + 0x18, 8), bytes = read_bytes(header + 0x20, 8);
        if (!(read_bytes(header + 0x08, 8) & EXECUTABLE) || offset + bytes > binary->cubin_bytes)
            continue;
        for (uint64_t at = offset; at + 16 <= offset + bytes; at += 16) {
            uint64_t low = read_bytes(file + at, 8), high = read_bytes(file + at + 8, 8);
            uint64_t size = high >> 9 & 7;
            if ((low & 0xfff) == LDS && (low >> 12 & 0xf) != NEVER && size >= SIZE_32 &&
                size <= SIZE_32 + 2)
                loads[4u << (size - SIZE_32)]++;
        }
        found = true;
    }
    return found;
}

/* A product's tiles: `params` of one block and one step. */
struct tiles {
    const struct smc_kernel *kernel;
    struct smc_params params;
};

static bool set_tiles(const char *name, int64_t tile, int64_t pad, enum smc_dtype dtype,
                      struct tiles *tiles)
{
    struct smc_params *params = &tiles->params;
    tiles->kernel = smc_kernel_find(name);
    smc_params_init(tiles->kernel, params);
    params->value[SMC_PARAM_TILE] = tile;
    params->value[SMC_PARAM_PAD] = pad;
    params->value[SMC_PARAM_DTYPE] = dtype;
    params->value[SMC_PARAM_M] = params->value[SMC_PARAM_N] = params->value[SMC_PARAM_K] = tile;
    return tiles->kernel->complete(tiles->kernel, params, NULL) == SMC_OK;
}

/* The workload counts the loads that were compiled. */
static bool joins_as_counted(const struct tiles *tiles, const unsigned loads[17])
{
    const struct smc_bank_layout layout = {.banks = 32, .row_words = 32, .neighbouring_words = 1};
    struct smc_shared_work work = {0};
    struct smc_plan plan;
    tiles->kernel->shared_work(tiles->kernel, &tiles->params, &layout, &work);
    tiles->kernel->plan(tiles->kernel, &tiles->params, &plan);
    double warps = (plan.threads_per_block + 31) / 32;
    unsigned seen = loads[4] + loads[8] + loads[16], turns;
    double counted = work.loads.instructions / warps;
    /* The outer loop may be unrolled: then the loads are a whole multiple of those counted. */
    turns = (unsigned)(seen / counted + 0.5);
    return turns > 0 && seen == turns * counted;
}

static bool tiles_hold(const struct smc_nvrtc *nvrtc, uint16_t cc, const struct tiles *tiles)
{
    struct smc_nvrtc_output output;
    struct smc_text defines = {0};
    struct smc_plan plan;
    struct smc_resources resources = {0};
    unsigned loads[17] = {0};
    size_t length;
    bool has_barriers;
    tiles->kernel->defines(tiles->kernel, &tiles->params, &defines);
    tiles->kernel->plan(tiles->kernel, &tiles->params, &plan);
    bool good = compile(nvrtc, cc, smc_kernel_text(tiles->kernel->file, &length),
                        smc_text_string(&defines), &output) &&
                smc_ptxas_log_read(smc_text_string(&output.log), tiles->kernel->entry, &resources,
                                   &has_barriers) == SMC_PTXAS_READ &&
                resources.static_smem_bytes == plan.static_smem_bytes &&
                count_loads(&output.binary, loads) && joins_as_counted(tiles, loads);
    if (!good)
        printf("sm_%u, %s, %s: %u, %u and %u loads of 4, 8 and 16 bytes\n", cc, tiles->kernel->name,
               smc_text_string(&defines), loads[4], loads[8], loads[16]);
    smc_text_free(&defines);
    smc_nvrtc_output_free(&output);
    return good;
}

/* Checks the size and the loads of tiles in shared memory. With tile 1, the loads of both tiles are
   joined from CC 10.0 on, which is not counted. */
static unsigned check_tiles(const struct smc_nvrtc *nvrtc, uint16_t cc, size_t number,
                            unsigned *checked)
{
    static const int64_t sizes[] = {2, 3, 6, 7, 8, 13, 16, 30, 31, 32};
    static const struct {
        const char *name;
        int64_t pad;
    } kernels[] = {
        {"matmul-tiled", 0}, {"matmul-tiled", 1}, {"matmul-tiled", 2},  {"matmul-tiled", 4},
        {"aat-conflict", 0}, {"aat-padded", 1},   {"aat-padded", 3},    {"aat-swizzled", 0},
        {"matmul-async", 0}, {"matmul-async", 4}, {"matmul-a-tile", 0}, {"matmul-a-tile", 4},
    };
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
            struct tiles tiles;
            enum smc_dtype dtype = (i + k) % 2 ? SMC_FLOAT : SMC_DOUBLE; /* each tile in both */
            if (!share_has(i + k + number, TILES_SHARE))
                continue;
            wrong += !set_tiles(kernels[k].name, sizes[i], kernels[k].pad, dtype, &tiles) ||
                     !tiles_hold(nvrtc, cc, &tiles);
            ++*checked;
        }
    return wrong;
}

/* The oldest and newest architecture, and the first of each generation between them. */
static size_t choose_architectures(const struct smc_nvrtc_info *info, uint16_t *chosen)
{
    size_t count = 0;
    for (size_t i = 0; i < info->cc_count && count < MOST_ARCHITECTURES; i++) {
        struct smc_capability capability;
        bool encoded_alike = info->cc[i] >= 70 && smc_capability_find(info->cc[i], &capability);
        bool generation = count == 0 || info->cc[i] / 10 != chosen[count - 1] / 10;
        if (encoded_alike && generation)
            chosen[count++] = info->cc[i];
    }
    return count;
}

int main(void)
{
    struct smc_nvrtc_info info, opened;
    struct smc_nvrtc nvrtc;
    struct smc_error why = {""};
    if (smc_nvrtc_describe(&info, &why) != SMC_OK ||
        smc_nvrtc_open(info.path, &nvrtc, &opened, &why) != SMC_OK) {
        printf("no NVRTC: %s\n0 passed, 0 failed, 2 skipped\n", why.message);
        return 77;
    }
    uint16_t ccs[MOST_ARCHITECTURES];
    size_t count = choose_architectures(&info, ccs);
    unsigned bounds = 0, joined = 0, wrong_bounds = 0, wrong_joined = 0;
    for (size_t i = 0; i < count; i++) {
        wrong_bounds += check_bounds(&nvrtc, ccs[i], i, &bounds);
        wrong_joined += check_tiles(&nvrtc, ccs[i], i, &joined);
    }
    printf("%u launch bounds on %zu architectures, %u differ; %u tiles, %u differ\n", bounds, count,
           wrong_bounds, joined, wrong_joined);
    share_print("launch bounds and tiles");
    unsigned failed = (wrong_bounds > 0 || bounds == 0) + (wrong_joined > 0 || joined == 0);
    printf("%u passed, %u failed, 0 skipped\n", 2 - failed, failed);
    return failed > 0;
}
