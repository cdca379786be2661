/* The first screen: one launch, its answer, its limits and the launches around it. Pure but for the
   built-in table of resources; it asks for compilations and is given their results. */
#ifndef SMC_SHOW_EXPLORE_H
#define SMC_SHOW_EXPLORE_H

#include <stdbool.h>
#include <stddef.h>

#include "answers/query.h"
#include "show/tui/chart_view.h"
#include "show/tui/frame.h"
#include "show/tui/memo.h"
#include "show/tui/open_file.h"
#include "show/tui/tui_fields.h"

enum { SMC_UNDO_STEPS = 100 };

struct smc_explore {
    const struct smc_open_file *file; /* the user's, or NULL; not owned */
    struct smc_query query;
    struct smc_answer answer; /* to the query; if there is none, what was found of it: the
                                 parameters, and the launch if it has threads */
    bool answered;            /* false: `why` says what is wrong with the query */
    char why[1024];
    bool wants_compile; /* the answer's registers are the table's until NVRTC has answered */
    char compile_failure[1024]; /* what NVRTC said of this query, or "" */
    uint64_t serial;            /* of the answer: each has another */
    bool wants_time;            /* the answer's time is an earlier answer's, or unknown */
    enum smc_field field;       /* under the cursor */
    struct smc_tui_chart chart; /* along that field */
    struct smc_memo memo;
    uint64_t carried; /* bit n: field n has a value that the user did not give it: it came with a
                         lesson, or from the kernel before */
    struct smc_query undo[SMC_UNDO_STEPS]; /* the last one at the end */
    uint64_t undo_carried[SMC_UNDO_STEPS];
    size_t undo_count;
};

void smc_explore_open(struct smc_explore *explore, const struct smc_query *query);
void smc_explore_close(struct smc_explore *explore);

/* Call after the field under the cursor was changed, and perhaps others with it; undo restores
   `before`. */
void smc_explore_changed(struct smc_explore *explore, const struct smc_query *before);

/* The field under the cursor one step up or down, as a key does it. */
void smc_explore_step(struct smc_explore *explore, int direction, bool far);

/* The same as smc_explore_changed for a query from another screen: none of its values was given
 * here. */
void smc_explore_brought(struct smc_explore *explore, const struct smc_query *before);

/* What a field shows. */
void smc_explore_show(const struct smc_explore *explore, enum smc_field field,
                      struct smc_field_view *view);

/* False if there is nothing to undo. */
bool smc_explore_undo(struct smc_explore *explore);

/* Moves the cursor to a field. */
void smc_explore_go(struct smc_explore *explore, enum smc_field field);

/* Moves it by that many places; stops at the ends. */
void smc_explore_move(struct smc_explore *explore, int by);

/* What NVRTC found for a query: kept, and used if the query is still the present one. `failure`:
   NULL, or why it could not compile. */
void smc_explore_compiled(struct smc_explore *explore, const struct smc_query *query,
                          const struct smc_resources *resources, const char *failure);

/* The kernel of a point of the chart that should be compiled next; false: none. */
bool smc_explore_wants_around(const struct smc_explore *explore, struct smc_query *query);

/* What NVRTC found for it; NULL: it does not compile. */
void smc_explore_compiled_around(struct smc_explore *explore, const struct smc_query *query,
                                 const struct smc_resources *resources);

/* The time predicted for the answer with that serial number, and the ceilings of its device; any
   other than the present one is too late. */
void smc_explore_timed(struct smc_explore *explore, uint64_t serial, const struct smc_time *time,
                       const struct smc_ceilings *ceilings);

/* Whether launches of its kernel have a predicted time. */
bool smc_explore_has_time(const struct smc_explore *explore);

/* A GPU was found: it replaces a device that was only assumed. */
void smc_explore_find_device(struct smc_explore *explore, const struct smc_device *device);

/* The numbers of a kernel of the user's file, or the arguments of its launch, are others now. */
void smc_explore_reread(struct smc_explore *explore);

/* The source was edited: what was compiled before is no longer valid. */
void smc_explore_recompile(struct smc_explore *explore);

/* --- Layout --- */

enum smc_explore_panel {
    SMC_PANEL_LAUNCH,
    SMC_PANEL_SM,
    SMC_PANEL_LIMITS,
    SMC_PANEL_TIME, /* only on tall screens; on others a line */
    SMC_PANEL_CHART,
    SMC_PANEL_STEPS,
    SMC_PANEL_WORK, /* only on large screens */
    SMC_PANEL_COUNT
};

struct smc_explore_layout {
    struct smc_rect frame[SMC_PANEL_COUNT]; /* with the edges, which neighbours share; or empty */
    struct smc_rect inside[SMC_PANEL_COUNT];
    int sm_rows;               /* of each resource's bar */
    struct smc_rect time_line; /* without edges; empty where there is a panel, or no time */
};

/* `steps_rows`: what the next steps need; they get it as long as enough is left for the launch.
   The time is a panel if that is wanted and there is enough space, else a line. */
enum smc_time_form { SMC_TIME_HIDDEN, SMC_TIME_LINE, SMC_TIME_PANEL };
void smc_explore_lay_out(struct smc_rect body, int steps_rows, enum smc_time_form time,
                         struct smc_explore_layout *layout);

/* For the present state. */
void smc_explore_place(const struct smc_explore *explore, struct smc_rect body,
                       struct smc_explore_layout *layout);

/* The field at a row of the launch panel; false if there is none. */
bool smc_explore_field_at(const struct smc_explore *explore, struct smc_rect rect, int row,
                          enum smc_field *field);

/* --- One SM's resources as they are filled, block by block, to scale --- */

enum smc_part_kind {
    SMC_PART_USED,        /* what a block asked for */
    SMC_PART_ROUNDING,    /* what rounding to allocation units adds */
    SMC_PART_RESERVED,    /* the driver's shared memory in each block */
    SMC_PART_FREE,        /* free, but another resource prevents the next block */
    SMC_PART_UNREACHABLE, /* free, but no further block fits into it */
    SMC_PART_COUNT
};

struct smc_part {
    enum smc_part_kind kind;
    uint32_t block; /* from 0, of the first three kinds */
};

/* How much of one resource of an SM a block takes, and how much there is. */
struct smc_share {
    enum smc_limit limit;
    const char *label;
    uint64_t total;     /* of the SM; never 0 */
    uint64_t allocated; /* of each block, of which */
    uint64_t used, rounding, reserved;
    uint32_t blocks; /* resident */
    uint32_t unit;   /* in which amounts are shown: 32 for threads shown as warps */
    bool binds;      /* no further block would fit for this resource alone */
};

/* The resources that are drawn, in the order of the limits: warps (in threads), registers, shared
   memory (bytes, under the carve-out), block slots, barriers. */
size_t smc_sm_shares(const struct smc_answer *answer, struct smc_share share[SMC_LIMIT_COUNT]);

/* What a cell shows if the resource is spread over `cells` of them: an edge between blocks is at
   the nearest cell, and a block's parts share its cells in proportion, what it asked for at least
   one. A cell with several blocks shows the first of them; resident blocks take at least one cell.
 */
struct smc_part smc_sm_part(const struct smc_share *share, uint32_t cell, uint32_t cells);

/* --- Drawing --- */

void smc_draw_explore(const struct smc_explore *explore, struct smc_rect body,
                      struct smc_frame *frame);

/* Draws the next steps; returns the rows that they need. */
int smc_draw_steps(const struct smc_explore *explore, struct smc_rect rect,
                   struct smc_frame *frame);

/* The predicted time as one line, or as a panel: its range, and a bar for each term. */
void smc_draw_time_line(const struct smc_explore *explore, struct smc_rect line,
                        struct smc_frame *frame);
void smc_draw_time(const struct smc_explore *explore, struct smc_rect rect,
                   struct smc_frame *frame);

/* The time with all of its terms, in lines of at most that many columns. */
void smc_explore_write_time(const struct smc_explore *explore, int columns, struct smc_text *out);

/* The next steps, or why there are none, the time and the work, each on a line. */
void smc_explore_write_steps(const struct smc_explore *explore, int columns, struct smc_text *out);

#endif
