/* Replaces paint_cairo.c in a program built without cairo. */
#include "show/plot/paint.h"

enum smc_status smc_plot_paint_file(const struct smc_picture *picture, enum smc_plot_format format,
                                    struct smc_text *bytes, struct smc_text *warnings,
                                    struct smc_error *error)
{
    (void)picture;
    (void)format;
    (void)bytes;
    (void)warnings;
    return smc_fail(error, SMC_UNAVAILABLE, "this program was built without cairo");
}

const bool smc_plot_has_files = false;

bool smc_plot_has_font(void)
{
    return false;
}
