/* What a launch must call or fit besides the resources of its blocks: the call that allows more
   than 48 KB of shared memory, and the size of a cooperative grid. */
#include <inttypes.h>

#include "code/names.h"
#include "show/report/writers.h"

static const char *launch_calls_name_of(const struct smc_answer *answer)
{
    return answer->query.kernel        ? answer->query.kernel->entry
           : answer->query.file_kernel ? answer->query.file_kernel->name
                                       : NULL;
}

bool smc_words_opt_in(const struct smc_answer *answer, const char *shown, struct smc_text *line)
{
    uint32_t bytes = smc_smem_to_opt_in(&answer->query.device.sm, &answer->launch);
    if (bytes == 0 || answer->outcome != SMC_LAUNCHES)
        return false;
    struct smc_name name = {.begin = "kernel", .length = 6};
    if (shown || launch_calls_name_of(answer))
        smc_name_parse(shown ? shown : launch_calls_name_of(answer), &name);
    smc_text_printf(line,
                    "cudaFuncSetAttribute(%.*s, cudaFuncAttributeMaxDynamicSharedMemorySize, "
                    "%" PRIu32 ")",
                    (int)name.length, name.begin, bytes);
    return true;
}

void smc_text_opt_in_line(const struct smc_answer *answer, const char *shown, struct smc_text *out)
{
    struct smc_text line = {0};
    if (smc_words_opt_in(answer, shown, &line))
        smc_layout_line(out, "call first", &line);
}

bool smc_cooperative_excess(const struct smc_answer *answer, uint64_t *excess)
{
    const uint32_t *grid = answer->launch.grid;
    uint64_t blocks = (uint64_t)grid[0] * grid[1] * grid[2];
    uint64_t most = answer->occupancy.resident_blocks;
    if (!answer->launch.is_cooperative || grid[0] == 0 || most == 0)
        return false;
    *excess = blocks > most ? blocks - most : 0;
    return true;
}

void smc_text_cooperative_line(const struct smc_answer *answer, struct smc_text *out)
{
    struct smc_text line = {0};
    const struct smc_occupancy *occupancy = &answer->occupancy;
    const uint32_t sms = answer->query.device.sm_count;
    uint64_t excess;
    if (!answer->launch.is_cooperative)
        return;
    if (!smc_cooperative_excess(answer, &excess)) {
        smc_layout_say(out, "cooperative", "%s",
                       sms == 0 ? "name a board: what fits depends on its SMs"
                                : "no block is resident");
        return;
    }
    if (excess > 0)
        smc_text_printf(&line, "too large by %" PRIu64 " block%s: ", excess,
                        smc_text_plural(excess));
    else
        smc_text_append(&line, "fits: ");
    smc_text_printf(&line, "%s%" PRIu64 " block%s at a time",
                    occupancy->clusters_are_bound ? "at most " : "", occupancy->resident_blocks,
                    smc_text_plural(occupancy->resident_blocks));
    if (occupancy->resident_clusters == 0)
        smc_text_printf(&line, ", %" PRIu64 " on each of %" PRIu32 " SMs",
                        occupancy->resident_blocks / sms, sms);
    if (excess > 0)
        smc_text_append(&line,
                        "; cudaLaunchCooperativeKernel returns cudaErrorCooperativeLaunchTooLarge");
    smc_layout_line(out, "cooperative", &line);
}
