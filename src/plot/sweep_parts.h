/* What the pictures of a sweep share. */
#ifndef SMC_PLOT_SWEEP_PARTS_H
#define SMC_PLOT_SWEEP_PARTS_H

#include "plot/page.h"
#include "plot/plot.h"

/* False where a point has nothing to show. */
bool smc_plot_point_ink(const struct smc_sweep_point *point, enum smc_ink *ink);

enum smc_tick_kind smc_plot_tick_kind(enum smc_axis_id id);

/* Kernel and device, what varies and where it is best, what is fixed. */
void smc_plot_sweep_heading(struct smc_page *page, const struct smc_sweep_result *result);

/* One axis of numbers, one axis of devices, two axes. */
void smc_plot_sweep_line(const struct smc_sweep_result *result, struct smc_page *page);
void smc_plot_sweep_devices(const struct smc_sweep_result *result, struct smc_page *page);
void smc_plot_sweep_heat(const struct smc_sweep_result *result, struct smc_page *page);

#endif
