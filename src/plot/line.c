/* A sweep over one axis of numbers: bars where they are few, else a curve. */
#include <stdlib.h>

#include "base/memory.h"
#include "plot/sweep_parts.h"

/* Fewer values than this leave room at the sides. */
enum { FEWEST_VALUES = 6 };

/* Bars from this width on. */
static double bar_width(const struct smc_canvas *canvas)
{
    return canvas->cells ? 3 : 16;
}

static bool goes_on(const struct smc_run *last, const struct smc_run *run)
{
    return last->percent == run->percent && last->ink == run->ink && last->to == run->from;
}

static size_t make_runs(const struct smc_sweep_result *result, bool bars, struct smc_run *runs)
{
    const struct smc_range *range = &result->sweep->axis[0].range;
    size_t count = 0;
    for (uint64_t i = 0; i < result->answered; i++) {
        struct smc_run run = {.percent = result->point[i].percent};
        if (!smc_plot_point_ink(&result->point[i], &run.ink))
            continue;
        double value = (double)smc_range_value(range, i), half = (double)range->step / 2;
        run.from = value - half;
        run.to = value + half;
        if (!bars && count && goes_on(&runs[count - 1], &run))
            runs[count - 1].to = run.to;
        else
            runs[count++] = run;
    }
    return count;
}

void smc_plot_sweep_line(const struct smc_sweep_result *result, struct smc_page *page)
{
    const struct smc_axis *axis = &result->sweep->axis[0];
    const struct smc_axis_info *info = &smc_axis_info[axis->id];
    uint64_t values = smc_axis_values(axis);
    struct smc_run *runs = smc_calloc(values, sizeof *runs);
    if (!runs) {
        page->picture->failed = true;
        return;
    }
    double step = (double)axis->range.step;
    double room = values < FEWEST_VALUES ? (double)(FEWEST_VALUES - values) / 2 * step : 0;
    double low = (double)axis->range.first - step / 2 - room;
    double high = (double)smc_range_value(&axis->range, values - 1) + step / 2 + room;
    struct smc_legend legend = {0};
    struct smc_diagram diagram = {
        .title = "",
        .remark = "",
        .low = low,
        .high = high,
        .ticks = smc_ticks_among(axis->range.first, axis->range.step, values,
                                 smc_plot_tick_kind(axis->id), page->canvas.cells ? 9 : 17),
        .last_tick = (double)axis->range.last,
        .in_k = axis->id == SMC_AXIS_SMEM || axis->id == SMC_AXIS_DYNAMIC_SMEM,
        .max_warps = result->sweep->query.device.sm.max_warps_per_sm,
        .runs = runs,
        .bars = (page->canvas.width - 2 * page->canvas.gap) * step / (high - low) >=
                bar_width(&page->canvas),
    };
    struct smc_text unit = {0};
    smc_text_printf(&unit, "%s%s%s%s", info->label, *info->unit ? " (" : "", info->unit,
                    *info->unit ? ")" : "");
    diagram.unit = smc_text_string(&unit);
    diagram.run_count = make_runs(result, diagram.bars, runs);
    for (size_t i = 0; i < diagram.run_count; i++)
        legend.inks |= 1u << runs[i].ink;
    page->canvas.plot_height *= page->canvas.cells ? 1.5 : 1.9;
    smc_page_legend(page, &legend);
    smc_page_diagram(page, &diagram);
    smc_text_free(&unit);
    free(runs);
}
