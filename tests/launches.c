/* Launches, drawn from a fixed seed. */
#include <stdio.h>
#include <string.h>

#include "launches.h"

int64_t launches_number(uint64_t *state, int64_t lowest, int64_t highest)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return lowest + (int64_t)(*state % (uint64_t)(highest - lowest + 1));
}

void launches_set(const struct smc_kernel *kernel, enum smc_param param, int64_t value,
                  struct smc_params *params)
{
    if (!(kernel->params & 1u << param))
        return;
    params->value[param] = value;
    params->given |= 1u << param;
}

/* Selects the kernel's types in rotation. */
static void set_dtype(const struct smc_kernel *kernel, uint32_t turn, struct smc_params *params)
{
    uint32_t left = kernel->dtypes;
    for (uint32_t i = turn % (uint32_t)__builtin_popcount(left); i > 0; i--)
        left &= left - 1;
    launches_set(kernel, SMC_PARAM_DTYPE, __builtin_ctz(left), params);
}

static void set_sizes(const struct smc_kernel *kernel, uint32_t turn, uint64_t *state, int64_t m,
                      int64_t n, int64_t k, struct smc_params *params)
{
    bool has_n = kernel->params & 1u << SMC_PARAM_N; /* else C is m x m */
    launches_set(kernel, SMC_PARAM_M, m, params);
    launches_set(kernel, SMC_PARAM_N, n, params);
    launches_set(kernel, SMC_PARAM_K, k, params);
    if (turn % 3 == 0) {
        launches_set(kernel, SMC_PARAM_LDA, k + launches_number(state, 0, 9), params);
        launches_set(kernel, SMC_PARAM_LDB, n + launches_number(state, 0, 9), params);
        launches_set(kernel, SMC_PARAM_LDC, (has_n ? n : m) + launches_number(state, 0, 9), params);
    }
}

static void draw_tiled(const struct smc_kernel *kernel, uint32_t turn, uint64_t *state,
                       struct smc_params *params)
{
    int64_t tile = turn % 32 + 1, most = kernel->is_racy ? 40 : 70;
    int64_t m = launches_number(state, 1, most), n = launches_number(state, 1, most);
    int64_t k = launches_number(state, kernel->is_racy ? 2 * tile : 1, 70);
    set_dtype(kernel, turn / 32, params);
    launches_set(kernel, SMC_PARAM_TILE, tile, params);
    launches_set(kernel, SMC_PARAM_PAD, turn % 5, params);
    set_sizes(kernel, turn, state, m, n, k, params);
}

/* Whole tiles, one less or one more, or any size. */
static int64_t draw_size(uint64_t *state, int64_t tile)
{
    int64_t kind = launches_number(state, 0, 4), tiles = launches_number(state, 1, 3);
    return kind == 0 ? launches_number(state, 1, 3 * tile)
                     : tile * tiles + launches_number(state, -1, kind / 2);
}

static void draw_register(const struct smc_kernel *kernel, uint32_t turn, uint64_t *state,
                          struct smc_params *params)
{
    static const enum smc_param shape[] = {SMC_PARAM_BLOCK_M,  SMC_PARAM_BLOCK_N,
                                           SMC_PARAM_BLOCK_K,  SMC_PARAM_THREAD_M,
                                           SMC_PARAM_THREAD_N, SMC_PARAM_STAGES};
    static const int64_t shapes[][6] = {
        {32, 16, 2, 4, 4, 2},  {64, 32, 8, 8, 8, 3},  {32, 64, 16, 4, 4, 4},
        {96, 48, 6, 4, 12, 2}, {64, 64, 32, 8, 4, 2}, {128, 32, 10, 16, 4, 3},
        {64, 96, 12, 8, 8, 4}, {0, 0, 0, 0, 0, 0},
    };
    const int64_t *chosen = shapes[turn % 8];
    set_dtype(kernel, turn / 32, params);
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++)
        launches_set(kernel, shape[i], chosen[i], params);
    int64_t m = draw_size(state, chosen[0] ? chosen[0] : 128);
    int64_t n = draw_size(state, chosen[1] ? chosen[1] : 256);
    int64_t k = draw_size(state, chosen[2] ? chosen[2] : 16);
    set_sizes(kernel, turn, state, m, n, k, params);
}

/* Few compilations, but many sizes. */
static void draw_arrays(const struct smc_kernel *kernel, uint32_t turn, uint64_t *state,
                        struct smc_params *params)
{
    static const int64_t blocks[] = {1, 31, 32, 100, 256, 1024}, radii[] = {0, 1, 3, 40, 300};
    int64_t block = blocks[turn % 6], radius = radii[turn / 6 % 5];
    bool compiled_for = strstr(kernel->name, "static") != NULL;
    bool has_radius = kernel->params & 1u << SMC_PARAM_RADIUS;
    bool has_tiles = strcmp(kernel->name, "stencil-window") == 0; /* made of whole warps */
    set_dtype(kernel, turn / 6, params);
    launches_set(kernel, SMC_PARAM_BLOCK, has_tiles ? (block + 31) / 32 * 32 : block, params);
    if (has_radius)
        launches_set(kernel, SMC_PARAM_RADIUS,
                     compiled_for ? radius : launches_number(state, 0, 400), params);
    if (has_radius)
        launches_set(kernel, SMC_PARAM_LENGTH,
                     2 * params->value[SMC_PARAM_RADIUS] +
                         launches_number(state, 1, has_tiles ? 9000 : 3000),
                     params);
    else
        launches_set(kernel, SMC_PARAM_LENGTH,
                     compiled_for ? 1 + radius * 30 : launches_number(state, 1, 9000), params);
}

static void set_histogram(const struct smc_kernel *kernel, uint32_t turn, struct smc_params *params)
{
    launches_set(kernel, SMC_PARAM_BINS, 4 << turn % 6, params);
    if (kernel->has_clusters)
        params->blocks_per_cluster = 1u << turn % 4;
}

void launches_draw(const struct smc_kernel *kernel, uint32_t turn, uint64_t *state,
                   struct smc_params *params)
{
    smc_params_init(kernel, params);
    if (kernel->params & 1u << SMC_PARAM_TILE)
        draw_tiled(kernel, turn, state, params);
    else if (kernel->params & 1u << SMC_PARAM_BLOCK_M)
        draw_register(kernel, turn, state, params);
    else
        draw_arrays(kernel, turn, state, params);
    set_histogram(kernel, turn, params);
}

void launches_describe(const struct smc_kernel *kernel, const struct smc_params *params,
                       char text[LAUNCHES_TEXT])
{
    int used = snprintf(text, LAUNCHES_TEXT, "%s", kernel->name);
    for (int i = 0; i < SMC_PARAM_COUNT && used < LAUNCHES_TEXT; i++) {
        const char *option = smc_param_info[i].option;
        size_t room = (size_t)(LAUNCHES_TEXT - used);
        if (!(kernel->params >> i & 1))
            continue;
        used += i == SMC_PARAM_DTYPE
                    ? snprintf(text + used, room, " %s=%s", option,
                               smc_dtype_name((enum smc_dtype)params->value[i]))
                    : snprintf(text + used, room, " %s=%lld", option, (long long)params->value[i]);
    }
}
