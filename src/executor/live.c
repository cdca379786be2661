/* The residency probe with the registers of another kernel.

   The compiler decides how many registers a number of live values takes: nearly one each, plus a
   few. So the search first steps by the difference seen, which mostly lands at once, and bisects
   only where that fails. Every compilation is cached. */
#include "executor/live.h"

enum {
    FIRST_GUESS_OVERHEAD = 10, /* registers that the probe takes besides its live values */
    DIRECT_STEPS = 3,
};

struct search {
    const struct smc_kernel *probe;
    uint16_t cc;
    const struct smc_compile_options *options;
    struct smc_params *params;
    struct smc_resources *resources;
    struct smc_binary *binary;
    struct smc_text *warnings;
    struct smc_error *error;
};

static int64_t clamp(int64_t live)
{
    const struct smc_param_info *info = &smc_param_info[SMC_PARAM_LIVE];
    return live < info->lowest ? info->lowest : live > info->highest ? info->highest : live;
}

/* Compiles with `live` values in place of what the search held before. */
static enum smc_status try_live(struct search *search, int64_t live)
{
    smc_binary_free(search->binary);
    *search->binary = (struct smc_binary){0};
    search->params->value[SMC_PARAM_LIVE] = live;
    return smc_compile(search->probe, search->params, search->cc, search->options,
                       search->resources, search->binary, search->warnings, search->error);
}

static enum smc_status step_directly(struct search *search, int64_t wanted)
{
    int64_t live = clamp(wanted - FIRST_GUESS_OVERHEAD);
    for (int i = 0; i < DIRECT_STEPS; i++) {
        enum smc_status status = try_live(search, live);
        int64_t difference = wanted - search->resources->regs_per_thread;
        int64_t next = clamp(live + difference);
        if (status != SMC_OK || difference == 0 || next == live)
            return status;
        live = next;
    }
    return SMC_OK;
}

/* No number of live values comes nearer. */
static bool is_out_of_reach(const struct search *search, int64_t wanted)
{
    const struct smc_param_info *info = &smc_param_info[SMC_PARAM_LIVE];
    int64_t live = search->params->value[SMC_PARAM_LIVE];
    int64_t regs = search->resources->regs_per_thread;
    return (live == info->lowest && regs > wanted) || (live == info->highest && regs < wanted);
}

/* Ends at the fewest live values with at least `wanted` registers. */
static enum smc_status bisect(struct search *search, int64_t wanted)
{
    int64_t low = smc_param_info[SMC_PARAM_LIVE].lowest;
    int64_t high = smc_param_info[SMC_PARAM_LIVE].highest;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        enum smc_status status = try_live(search, middle);
        if (status != SMC_OK)
            return status;
        if (search->resources->regs_per_thread >= wanted)
            high = middle;
        else
            low = middle + 1;
    }
    return try_live(search, low);
}

enum smc_status smc_live_find(const struct smc_kernel *probe, uint32_t regs_per_thread, uint16_t cc,
                              const struct smc_compile_options *options, struct smc_params *params,
                              struct smc_resources *resources, struct smc_binary *binary,
                              struct smc_text *warnings, struct smc_error *error)
{
    struct search search = {probe, cc, options, params, resources, binary, warnings, error};
    enum smc_status status = step_directly(&search, regs_per_thread);
    bool found = status == SMC_OK && resources->regs_per_thread == regs_per_thread;
    if (status == SMC_OK && !found && !is_out_of_reach(&search, regs_per_thread))
        status = bisect(&search, regs_per_thread);
    if (status != SMC_OK) {
        smc_binary_free(binary);
        *binary = (struct smc_binary){0};
    }
    return status;
}
