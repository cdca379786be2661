/* The SM that gets the most work. */
#include <math.h>

#include "machine/timing/launch_model.h"

/* The variance of the lengths of the warps of a block, by the blocks of the sample. */
static double variance_in_blocks(const struct smc_traces *traces)
{
    const double warps = traces->warps_per_block;
    double squares = 0;
    for (uint32_t b = 0; b < traces->blocks; b++) {
        double sum = 0, of_block = 0;
        for (uint32_t w = 0; w < traces->warps_per_block; w++) {
            const double length = (double)traces->block[b].trace[w]->length;
            sum += length;
            of_block += length * length;
        }
        squares += of_block - sum * sum / warps;
    }
    return squares / warps / traces->blocks;
}

/* The variance of the mean lengths of blocks. If warps were walked alone: the excess of their
   variance over that within a block, and over what chance explains. */
static double variance_of_blocks(const struct smc_survey *survey, const struct smc_traces *traces)
{
    const double all = survey->spread * survey->spread, warps = (double)survey->warps;
    if (survey->blocks > 0)
        return survey->block_spread * survey->block_spread;
    return fmax(0, all * (1 - sqrt(2 / warps)) - variance_in_blocks(traces));
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* How much warps differ from the nearest ones of other blocks, relative to any two warps: 0 where
   the work of blocks rises or falls steadily along the grid, 1 where it is in no order. */
static double disorder(const struct smc_survey *survey, uint64_t warps)
{
    const size_t count = (size_t)fmin((double)survey->warps, SMC_SURVEYED_WARPS);
    const struct smc_surveyed_warp *warp = survey->first;
    double squares = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t least = UINT64_MAX;
        double more = 0;
        for (size_t k = 0; k < count; k++) {
            const uint64_t apart = distance(warp[i].place, warp[k].place);
            if (warp[i].place / warps == warp[k].place / warps || apart >= least)
                continue;
            least = apart;
            more = warp[k].length - warp[i].length;
        }
        squares += more * more;
    }
    return fmin(1, squares / (double)count / (2 * survey->spread * survey->spread));
}

/* The mean of the largest of so many numbers of a normal distribution, in standard deviations: the
   limit of large numbers (Gumbel's). */
static double largest_of(double numbers)
{
    static const double euler = 0.5772156649015329, four_pi = 12.566370614359172;
    const double root = sqrt(2 * log(numbers));
    return numbers < 2 ? 0 : root + (euler - log(four_pi * log(numbers)) / 2) / root;
}

/* How many instructions that SM has: the mean of the largest sum. SMs get every block that is as
   many further as there are SMs, or 8 more or less (H200, CUDA 13.0, driver 580.159.04,
   2026-11-30). The sums of their blocks spread as those of blocks that are drawn at random do, but
   no more than a single block where neighbours are alike. */
static double most_of_sm(const struct model *model)
{
    const struct smc_survey *survey = &model->survey;
    const uint64_t warps = model->traces.warps_per_block;
    const double most = (double)smc_most_blocks(model);
    const double with_most = (double)model->blocks - (most - 1) * (double)model->sms;
    const double times = 1 + (most - 1) * disorder(survey, warps);
    const double more =
        largest_of(with_most) * sqrt(times * variance_of_blocks(survey, &model->traces));
    return (double)warps * fmin(most * survey->length + more, most * survey->longest);
}

void smc_model_wait_for_longest(struct model *model)
{
    const struct smc_traces *traces = &model->traces;
    struct work *work = &model->work;
    const double beyond = (double)smc_most_blocks(model) - model->sample.blocks;
    const double followed =
        traces->length + beyond * model->survey.length * traces->warps_per_block;
    if (!traces->scattered || model->blocks <= model->sms ||
        model->blocks > model->machine.resident)
        return;
    const double busy = fmax(smc_model_busy(model), work->data_wavefronts / work->clocks);
    work->clocks *= 1 + fmin(busy, 1) * fmax(0, most_of_sm(model) / followed - 1);
}
