/* What the tests of pictures share. */
#ifndef SMC_TESTS_PLOT_SUPPORT_H
#define SMC_TESTS_PLOT_SUPPORT_H

#include "show/plot/picture.h"

/* Paper, and terminals of 80 and 120 columns. */
enum { TEST_CANVASES = 3 };
struct smc_canvas test_canvas(int index);

/* Counts texts that overlap and shapes that leave the page, and prints them. */
size_t test_picture_flaws(const struct smc_picture *picture, const struct smc_canvas *canvas);

#endif
