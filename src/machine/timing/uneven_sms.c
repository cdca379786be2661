/* The SM that gets the most to execute. */
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

/* The variance of the mean lengths of blocks. Of warps that were walked alone it is what their
   variance is more than that in a block, and more than it may be by chance. */
static double variance_of_blocks(const struct smc_survey *survey, const struct smc_traces *traces)
{
    const double all = survey->spread * survey->spread, warps = (double)survey->warps;
    if (survey->blocks > 0)
        return survey->block_spread * survey->block_spread;
    return fmax(0, all * (1 - sqrt(2 / warps)) - variance_in_blocks(traces));
}

/* The mean of the largest of so many numbers of a normal distribution, in standard deviations: the
   limit of large numbers (Gumbel's). */
static double largest_of(double numbers)
{
    static const double euler = 0.5772156649015329, four_pi = 12.566370614359172;
    const double root = sqrt(2 * log(numbers));
    return numbers < 2 ? 0 : root + (euler - log(four_pi * log(numbers)) / 2) / root;
}

/* How many instructions that SM has: the mean of the largest sum, of SMs that get blocks of the
   survey at random. */
static double most_of_sm(const struct model *model)
{
    const struct smc_survey *survey = &model->survey;
    const double most = (double)smc_most_blocks(model);
    const double with_most = (double)model->blocks - (most - 1) * (double)model->sms;
    const double more =
        largest_of(with_most) * sqrt(most * variance_of_blocks(survey, &model->traces));
    return model->traces.warps_per_block *
           fmin(most * survey->length + more, most * survey->longest);
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
