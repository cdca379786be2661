/* The interface of a back end for files. */
#ifndef SMC_SHOW_PAINT_H
#define SMC_SHOW_PAINT_H

#include "show/plot/plot.h"

/* Whether the program was built with cairo. */
extern const bool smc_plot_has_files;

/* Loads cairo, unless it is loaded. SMC_UNAVAILABLE, with what to install, where that is not
   possible. */
enum smc_status smc_plot_open_files(struct smc_error *error);

/* Whether the text of pictures in files has a font; false without cairo. */
bool smc_plot_has_font(void);

/* Appends the file's bytes. */
enum smc_status smc_plot_paint_file(const struct smc_picture *picture, enum smc_plot_format format,
                                    struct smc_text *bytes, struct smc_text *warnings,
                                    struct smc_error *error);

#endif
