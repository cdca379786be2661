/* What is drawn above or within a screen and handles its own keys: a line to type into, a list to
   choose from, a box of text; and the lines of values in panels. Pure. */
#ifndef SMC_SHOW_WIDGETS_H
#define SMC_SHOW_WIDGETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "show/tui/frame.h"
#include "show/tui/keys.h"

/* --- Panels with lists (lists.c) --- */

/* The first entry shown in that many rows, so that `at` is visible. */
int smc_list_first(int at, int count, int rows);

/* By how many rows the arrows, the page keys, Home and End move, upward below 0; 0: another action.
   A page is at least a row. */
enum { SMC_LIST_ALL = 1000000 };
int smc_list_rows_of(enum smc_action action, int page);

/* The first row shown, `by` rows after `first`: from 0 to `last`, or 0 if all fits (last below 0).
 */
int smc_list_scrolled(int first, int by, int last);

/* Where a column of a table begins, and its width; 0: it is not shown. */
struct smc_span {
    int col, cols;
};

/* Places each column after the one before, the first at `col`. */
void smc_spans_place(struct smc_span *span, int count, int col);

/* The column at a place of the table; `count`: none. */
int smc_spans_at(const struct smc_span *span, int count, int col);

/* The next of the columns shown, or with `direction` -1 the one before; at least one is. */
int smc_spans_next(const struct smc_span *span, int count, int column, int direction);

/* The cell of a column after `gap` blanks, and what it shows: text begins where the cell does,
   numbers end where it does. */
struct smc_rect smc_span_cell(struct smc_span span, int gap, struct smc_rect line);
void smc_list_draw_cell(const char *text, bool is_text, enum smc_style style, struct smc_rect cell,
                        struct smc_frame *frame);

/* Marks in a cell what of its text was searched. */
void smc_list_mark_match(const char *cell_text, const char *searched, struct smc_rect cell,
                         struct smc_frame *frame);

/* Arrows at the right edge where there are entries above or below. */
void smc_list_draw_arrows(int first, int count, struct smc_rect rect, struct smc_frame *frame);

/* If not all rows fit, the panel's lower edge names the key of the action that shows all. */
void smc_list_mark_cut(struct smc_rect rect, int rows, enum smc_action action,
                       struct smc_frame *frame);

struct smc_field_view {
    const char *label;
    char value[128];
    char source[40]; /* "NVRTC 13.0", "kernel", "given", or "" */
    bool given;      /* by the user */
    bool awaited;    /* a better value is being computed; `source` says so */
    bool changed;    /* since the file was read before; `source` says so */
};

/* Label, value and source; under the cursor the value is shown in < >. */
void smc_list_draw_field(const struct smc_field_view *view, bool here, struct smc_rect line,
                         struct smc_frame *frame);

/* A legend of the signs that occur, drawn on the lower edge of the panel around `rect`; frees it.
 */
void smc_list_add_sign(bool occurs, const char *sign, struct smc_text *legend);
void smc_list_draw_legend(struct smc_text *legend, struct smc_rect rect, struct smc_frame *frame);

enum { SMC_BOX_EDGES = 4 }; /* columns of a box: its frame, and a blank beside each side */

/* --- The prompt: one line typed at the bottom of the screen --- */

enum { SMC_PROMPT_CHARS = 512 };

struct smc_prompt {
    bool open;
    char question[64];
    char hint[128];               /* what may be typed; shown after the line */
    char typed[SMC_PROMPT_CHARS]; /* UTF-8 */
    bool is_fresh; /* the text is the one before: the first character typed replaces it */
};

enum smc_prompt_end { SMC_PROMPT_GOES_ON, SMC_PROMPT_DONE, SMC_PROMPT_GIVEN_UP };

/* `typed` begins the line; see also is_fresh, which the caller may set. */
void smc_prompt_open(struct smc_prompt *prompt, const char *question, const char *hint,
                     const char *typed);
enum smc_prompt_end smc_prompt_key(struct smc_prompt *prompt, uint32_t key);
void smc_prompt_draw(const struct smc_prompt *prompt, struct smc_rect line,
                     struct smc_frame *frame);

/* --- The list to choose from: typed text finds the entries that contain it --- */

struct smc_pick_entry {
    char text[96]; /* the value of choosing it */
    char note[96]; /* beside it; is searched as well */
};

/* Start from {0}. */
struct smc_pick {
    bool open;
    char title[64];
    char typed[96]; /* UTF-8 */
    struct smc_pick_entry *entry;
    size_t *match; /* entries that contain what was typed, the best first */
    size_t count, capacity, match_count;
    size_t at; /* of the matches, under the cursor */
};

/* Opens it without entries. */
void smc_pick_open(struct smc_pick *pick, const char *title);
void smc_pick_close(struct smc_pick *pick);

/* Appends an entry; when out of memory, it is left out. */
void smc_pick_add(struct smc_pick *pick, const char *text, const char *note);

/* Call after the last entry: all of them match, and the cursor is on `present` if it is one. */
void smc_pick_show(struct smc_pick *pick, const char *present);

/* A key. Once it is DONE, smc_pick_chosen is valid until the list is closed. */
enum smc_prompt_end smc_pick_key(struct smc_pick *pick, uint32_t key);

/* The wheel, or a click, which chooses an entry (DONE) or closes the list. */
enum smc_prompt_end smc_pick_click(struct smc_pick *pick, struct smc_rect body, int row, int col,
                                   int direction);

/* The entry under the cursor, or what was typed if no entry contains it. */
const char *smc_pick_chosen(const struct smc_pick *pick);

void smc_pick_draw(const struct smc_pick *pick, struct smc_rect body, struct smc_frame *frame);

/* --- The popup: a box of text such as the help, a command line, a compiler's messages --- */

struct smc_popup {
    bool open;
    char title[64];
    struct smc_text text; /* lines, wrapped when drawn; owned */
    int indent;           /* columns before the continued rows of a line */
    int top;              /* first row shown */
    int rows, page, cols; /* all rows, the rows shown and their width, when it was drawn last */
    int found;            /* the row after the one that was found last */
};

/* Opens it, empty; the caller appends to `text`. */
void smc_popup_open(struct smc_popup *popup, const char *title);
void smc_popup_close(struct smc_popup *popup);

/* Scrolls to the next row with the text, after the last to the first. False: none has it. */
bool smc_popup_find(struct smc_popup *popup, const char *text);

/* Scrolls or closes. */
void smc_popup_act(struct smc_popup *popup, enum smc_action action);

void smc_popup_draw(struct smc_popup *popup, struct smc_rect body, struct smc_frame *frame);

/* Opens it with the keys and signs of a view. */
void smc_help_open(struct smc_popup *popup, enum smc_view_id view);

/* A command in lines that a shell joins again when they are pasted: breaks at blanks and commas
   with a backslash; within single quotes (an expression) at blanks without one; within double
   quotes not at all. SMC_TIE (show/words/paragraphs.h) counts as a blank. */
void smc_command_wrap(const char *command, int columns, struct smc_text *out);

#endif
