/* Launches, drawn from a fixed seed. */
#include <string.h>

#include "launches.h"

static int64_t draw(uint64_t *state, int64_t lowest, int64_t highest)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return lowest + (int64_t)(*state % (uint64_t)(highest - lowest + 1));
}

static void set(struct smc_params *params, enum smc_param param, int64_t value)
{
    params->value[param] = value;
    params->given |= 1u << param;
}

/* Without an N of its own, C is M x M. */
static void draw_matrices(const struct smc_kernel *kernel, uint32_t turn, uint64_t *state,
                          struct smc_params *params)
{
    bool has_n = kernel->params & 1u << SMC_PARAM_N;
    int64_t tile = turn % 32 + 1, most = kernel->is_racy ? 40 : 70;
    int64_t m = draw(state, 1, most), n = draw(state, 1, most);
    int64_t k = draw(state, kernel->is_racy ? 2 * tile : 1, 70);
    set(params, SMC_PARAM_TILE, tile);
    set(params, SMC_PARAM_M, m);
    set(params, SMC_PARAM_K, k);
    if (has_n)
        set(params, SMC_PARAM_N, n);
    if (kernel->params & 1u << SMC_PARAM_PAD && turn % 4)
        set(params, SMC_PARAM_PAD, draw(state, 0, turn % 4 == 1 ? 32 : 5));
    if (turn % 3 != 0)
        return;
    set(params, SMC_PARAM_LDA, k + draw(state, 0, 9));
    if (has_n)
        set(params, SMC_PARAM_LDB, n + draw(state, 0, 9));
    set(params, SMC_PARAM_LDC, (has_n ? n : m) + draw(state, 0, 9));
}

/* A few compilations, many sizes. */
static void draw_arrays(const struct smc_kernel *kernel, uint32_t turn, uint64_t *state,
                        struct smc_params *params)
{
    static const int64_t blocks[] = {1, 31, 32, 100, 256, 1024}, radii[] = {0, 1, 3, 40, 300};
    int64_t block = blocks[turn % 6], radius = radii[turn / 6 % 5];
    bool compiled_for = strstr(kernel->name, "static") != NULL;
    bool has_radius = kernel->params & 1u << SMC_PARAM_RADIUS;
    set(params, SMC_PARAM_BLOCK, block);
    if (has_radius)
        set(params, SMC_PARAM_RADIUS, compiled_for ? radius : draw(state, 0, 400));
    if (has_radius)
        set(params, SMC_PARAM_LENGTH, 2 * params->value[SMC_PARAM_RADIUS] + draw(state, 1, 3000));
    else
        set(params, SMC_PARAM_LENGTH, compiled_for ? 1 + radius * 30 : draw(state, 1, 9000));
}

void launches_draw(const struct smc_kernel *kernel, uint32_t turn, uint64_t *state,
                   struct smc_params *params)
{
    smc_params_init(kernel, params);
    for (int64_t d = turn / 32 % 2; d >= 0; d--)
        if (kernel->dtypes >> d & 1 && kernel->params >> SMC_PARAM_DTYPE & 1) {
            set(params, SMC_PARAM_DTYPE, d);
            break;
        }
    if (kernel->params & 1u << SMC_PARAM_TILE)
        draw_matrices(kernel, turn, state, params);
    else
        draw_arrays(kernel, turn, state, params);
}
