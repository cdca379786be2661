/* A list above the screen to choose from: what is typed finds the entries that hold it. Pure. */
#ifndef SMC_TUI_PICK_H
#define SMC_TUI_PICK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tui/frame.h"
#include "tui/prompt.h"

struct smc_pick_entry {
    char text[96]; /* what choosing it gives */
    char note[64]; /* beside it; is searched as well */
};

/* Start from {0}. */
struct smc_pick {
    bool open;
    char title[64];
    char typed[96]; /* UTF-8 */
    struct smc_pick_entry *entry;
    size_t *match; /* entries that hold what was typed, the best first */
    size_t count, capacity, match_count;
    size_t at; /* of the matches, under the cursor */
};

/* Opens it without entries. */
void smc_pick_open(struct smc_pick *pick, const char *title);
void smc_pick_close(struct smc_pick *pick);

/* Appends an entry; out of memory leaves it out. */
void smc_pick_add(struct smc_pick *pick, const char *text, const char *note);

/* After the last entry: all of them match, the cursor is on `present` where it is among them. */
void smc_pick_show(struct smc_pick *pick, const char *present);

/* A key. Once it is DONE, smc_pick_chosen holds until the list is closed. */
enum smc_prompt_end smc_pick_key(struct smc_pick *pick, uint32_t key);

/* The wheel, or a click, which chooses an entry (DONE) or closes the list. */
enum smc_prompt_end smc_pick_click(struct smc_pick *pick, struct smc_rect body, int row, int col,
                                   int direction);

/* The entry under the cursor, or what was typed where no entry holds it. */
const char *smc_pick_chosen(const struct smc_pick *pick);

void smc_pick_draw(const struct smc_pick *pick, struct smc_rect body, struct smc_frame *frame);

#endif
