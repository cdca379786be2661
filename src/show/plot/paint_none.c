/* Replaces paint_cairo.c in a program built without cairo. */
#include "show/plot/paint.h"

enum smc_status smc_plot_open_files(struct smc_error *error)
{
    return smc_fail(error, SMC_UNAVAILABLE,
                    "this program was built without cairo; install libcairo2-dev and build it "
                    "again, or draw in the terminal with --plot -");
}

enum smc_status smc_plot_paint_file(const struct smc_picture *picture, enum smc_plot_format format,
                                    struct smc_text *bytes, struct smc_text *warnings,
                                    struct smc_error *error)
{
    (void)picture;
    (void)format;
    (void)bytes;
    (void)warnings;
    return smc_plot_open_files(error);
}

const bool smc_plot_has_files = false;

bool smc_plot_has_font(void)
{
    return false;
}
