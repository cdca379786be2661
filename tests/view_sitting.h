/* A sitting at the explorer without a terminal: keys go in, the screen comes out as text. */
#ifndef SMC_TESTS_VIEW_SITTING_H
#define SMC_TESTS_VIEW_SITTING_H

#include "show/tui/tui_state.h"

struct sitting {
    struct smc_tui *tui;
    struct smc_frame frame;
    struct smc_text screen; /* as drawn last */
};

/* `kernel` NULL: a person's own, of 256 threads and 32 registers. Nothing is compiled. */
void sitting_open(struct sitting *sitting, const char *kernel, const char *device, int rows,
                  int cols);
void sitting_close(struct sitting *sitting);

/* Keys by name, blanks between them: "F3 Down Down Space". */
void sitting_keys(struct sitting *sitting, const char *names);

/* Characters, then Enter. */
void sitting_type(struct sitting *sitting, const char *text);

/* The screen, drawn now. */
const char *sitting_screen(struct sitting *sitting);
void sitting_resize(struct sitting *sitting, int rows, int cols);

/* Whether the screen, drawn now, shows the text. */
bool sitting_shows(struct sitting *sitting, const char *text);

/* Draws the present view alone into `body` of a frame full of another character; whether a cell
   outside was touched. */
bool sitting_spills(struct sitting *sitting, struct smc_rect body);

#endif
