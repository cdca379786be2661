/* How styles look. */
#include "tui/looks.h"

/* The words of styles.def. */
enum { RED = 1, GREEN, YELLOW, BLUE, MAGENTA, CYAN, WHITE };
enum { DIM = SMC_DIM, BOLD = SMC_BOLD, UNDERLINE = SMC_UNDERLINE, REVERSE = SMC_REVERSE };

const struct smc_look smc_looks[SMC_STYLE_COUNT] = {
#define STYLE(id, foreground, background, basic, attributes)                                       \
    [SMC_STYLE_##id] = {foreground, background, basic, attributes},
#include "tui/styles.def"
#undef STYLE
};
