/* --plot: where a picture goes. */
#ifndef SMC_CLI_PICTURE_H
#define SMC_CLI_PICTURE_H

#include <stdbool.h>

#include "cli/options.h"
#include "plot/plot.h"
#include "report/report.h"

enum smc_plot_target {
    SMC_PLOT_NOWHERE,
    SMC_PLOT_TERMINAL, /* in place of the text report */
    SMC_PLOT_FILE,     /* besides the report */
};

/* Before anything is computed: SMC_USAGE for an unknown format, or where a picture in the terminal
   would mix with JSON or CSV; SMC_UNAVAILABLE without cairo. */
enum smc_status smc_picture_target(const struct smc_arguments *arguments,
                                   enum smc_plot_target *target, struct smc_error *error);

struct smc_canvas smc_picture_canvas(enum smc_plot_target target,
                                     const struct smc_report_style *style);

/* Paints the picture to `out` or to the file, and frees it. */
enum smc_status smc_picture_finish(const struct smc_arguments *arguments,
                                   enum smc_plot_target target, struct smc_picture *picture,
                                   const struct smc_report_style *style, struct smc_text *out,
                                   struct smc_error *error);

#endif
