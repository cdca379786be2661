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
    return (double)warps * fmin(most * survey->length + more, most * survey->longest[0].length);
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

/* --- The longest blocks ----------------------------------------------------------------------- */

static double end_of(const struct smc_survey_times *times, double place, double length)
{
    return fmax(0, place - times->resident) / times->blocks * times->clocks +
           length * times->clocks_per_instruction;
}

/* Of so many blocks drawn from the longest ones of a survey, the place of the last one in the grid
   on average, from 0. */
static double last_of(const struct smc_survey *survey, size_t count, double drawn)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        double before = 0;
        for (size_t k = 0; k < count; k++)
            before += survey->longest[k].place < survey->longest[i].place;
        sum += (double)survey->longest[i].place *
               (pow((before + 1) / (double)count, drawn) - pow(before / (double)count, drawn));
    }
    return sum;
}

double smc_survey_end(const struct smc_survey *survey, const struct smc_survey_times *times)
{
    const struct smc_surveyed_warp *longest = survey->longest;
    const double as_long = times->blocks * times->warps_per_block / (double)survey->warps;
    double end = 0;
    size_t count = 0;
    for (; count < SMC_LONGEST_BLOCKS && longest[count].length > 0; count++)
        end = fmax(end, end_of(times, (double)longest[count].place, longest[count].length));
    return survey->whole
               ? end
               : fmax(end, end_of(times, last_of(survey, count, as_long), longest[0].length));
}

enum smc_status smc_model_run_alone(const struct model *model, uint64_t block, uint64_t overwritten,
                                    struct smc_alone *ran, struct smc_error *error)
{
    const uint64_t warps = smc_traces_warps(&model->machine);
    struct model alone = *model;
    struct work work = {0};
    const struct smc_traced traced = {.first = block,
                                      .stride = 1,
                                      .blocks = 1,
                                      .each_apart = true,
                                      .entries = (size_t)2 * SMC_SAMPLE_BUDGET / warps,
                                      .loop_entries = SMC_SAMPLE_BUDGET / warps,
                                      .others = model->survey.others,
                                      .overwritten = overwritten,
                                      .sees_all = true};
    alone.traces = (struct smc_traces){0};
    enum smc_status status = smc_traces_make(&model->machine, &traced, &alone.traces, error);
    *ran = (struct smc_alone){.whole = true};
    if (status != SMC_OK)
        return status == SMC_USAGE ? SMC_OK : status;
    status = smc_model_run_sample(&alone, smc_sm_run, &work, error);
    for (uint64_t w = 0; w < warps && status == SMC_OK; w++)
        ran->whole &= alone.traces.trace[w].skip_count == 0;
    smc_traces_free(&alone.traces);
    ran->clocks = work.clocks;
    return status;
}

enum smc_status smc_model_end_with_longest(struct model *model, struct smc_error *error)
{
    enum { MUCH = 4 };
    const struct smc_survey *survey = &model->survey;
    const bool is_part = survey->at_once > 0 && survey->at_once < model->blocks;
    const double blocks = (double)model->blocks, resident = (double)model->machine.resident;
    struct work *work = &model->work;
    struct smc_survey_times times = {.blocks = blocks,
                                     .warps_per_block = model->traces.warps_per_block,
                                     .resident = resident,
                                     .clocks = work->clocks};
    struct smc_alone alone;
    if (!model->traces.scattered || blocks <= resident || is_part)
        return SMC_OK;
    const double usual = work->clocks * resident / blocks / survey->length;
    times.clocks_per_instruction = MUCH * usual;
    if (smc_survey_end(survey, &times) <= work->clocks)
        return SMC_OK;
    const enum smc_status status =
        smc_model_run_alone(model, survey->longest[0].place, 0, &alone, error);
    times.clocks_per_instruction = alone.clocks / survey->longest[0].length;
    /* the first iterations wait for what later ones find in L1 */
    if (!alone.whole)
        times.clocks_per_instruction = fmin(times.clocks_per_instruction, usual);
    work->clocks = fmax(work->clocks, smc_survey_end(survey, &times));
    return status;
}
