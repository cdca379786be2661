/* The devices' screen: the present launch on every board and compute capability, as a table to sort
   and search. Pure but for the built-in table of resources; nothing is compiled. */
#ifndef SMC_SHOW_DEVICES_STATE_H
#define SMC_SHOW_DEVICES_STATE_H

#include <stdbool.h>
#include <stddef.h>

#include "answers/query.h"
#include "show/tui/memo.h"
#include "show/tui/widgets.h"

enum smc_device_column {
    SMC_DEVICE_COLUMN_NAME,
    SMC_DEVICE_COLUMN_CC,
    SMC_DEVICE_COLUMN_SMS,
    SMC_DEVICE_COLUMN_SMEM,
    SMC_DEVICE_COLUMN_REGS,
    SMC_DEVICE_COLUMN_SOURCE,
    SMC_DEVICE_COLUMN_BLOCKS,
    SMC_DEVICE_COLUMN_OCCUPANCY,
    SMC_DEVICE_COLUMN_WAVES,
    SMC_DEVICE_COLUMN_LIMITERS,
    SMC_DEVICE_COLUMN_COUNT
};

struct smc_device_row {
    struct smc_answer answer; /* its query has the device, even if there is no answer */
    bool answered;            /* false: `why` says why not */
    bool is_uncompiled;       /* because its registers are not known yet */
    char why[256];
    bool marked;
    bool is_listed; /* it matches the filter */
};

enum { SMC_CELL_CHARS = 160 };

struct smc_device_column_info {
    const char *heading;
    int columns;  /* with a blank before them; 0: shares the rest of the line */
    int from;     /* a table of at least that many columns shows it */
    bool rises;   /* sorting begins with the least */
    bool is_text; /* aligned left; numbers are aligned right */
    double (*number)(const struct smc_device_row *row); /* to sort by; NULL: the device's name */
    bool (*is_known)(const struct smc_device_row *row); /* others sort last; NULL: every row */
    /* What a cell of that many columns shows, or "". */
    void (*write)(const struct smc_device_row *row, int columns, char text[SMC_CELL_CHARS]);
    enum smc_style (*style)(const struct smc_device_row *row); /* NULL: SMC_STYLE_NORMAL */
};

extern const struct smc_device_column_info smc_device_column_info[SMC_DEVICE_COLUMN_COUNT];

/* Start from {0}. */
struct smc_devices_state {
    struct smc_device_row *row; /* this machine's GPUs, the present device if it is not in the
                                   table, then each compute capability and its boards */
    size_t *order;              /* the rows as they are sorted: those that are listed, the others */
    size_t count, gpu_count, listed;
    char filter[128]; /* only devices that match are listed; "": all */
    size_t cursor;    /* a row */
    enum smc_device_column sort;
    bool reversed;
};

/* Answers the launch for every device; marks, cursor and order stay. When out of memory, there are
   no rows. */
void smc_devices_open(struct smc_devices_state *devices, const struct smc_query *query,
                      const struct smc_memo *memo, const struct smc_device *gpu, size_t gpu_count);
void smc_devices_close(struct smc_devices_state *devices);

/* Whether a device is a compute capability of the table rather than a board. */
bool smc_devices_is_bare(const struct smc_device *device);

/* Where a register count comes from; "as on F2" if it was given on the first screen. */
void smc_devices_source(const struct smc_resources *resources, char text[40]);

/* Lists only rows that match the text, as smc_devices_search finds them; "": all. The cursor goes
   to the device of just that name, or leaves a row that is not listed. False, and nothing changes,
   if no row matches. */
bool smc_devices_filter(struct smc_devices_state *devices, const char *text);

/* The row at a place of the sorted table, and the place of the row under the cursor. */
struct smc_device_row *smc_devices_at(const struct smc_devices_state *devices, size_t place);
size_t smc_devices_place(const struct smc_devices_state *devices);

/* Moves the cursor by that many places; stops at the ends. */
void smc_devices_move(struct smc_devices_state *devices, int by);

void smc_devices_sort(struct smc_devices_state *devices, enum smc_device_column column,
                      bool reversed);

/* Moves the cursor to the next row that matches: a part of its name, chip, family or limiters, or
   its compute capability. False if there is none. */
bool smc_devices_search(struct smc_devices_state *devices, const char *text, int direction);

/* The devices to compare: the one under the cursor, then the marked ones as sorted. `list` holds
   `most`; returns how many there are. */
size_t smc_devices_compared(const struct smc_devices_state *devices,
                            const struct smc_device_row **list, size_t most);

/* --- Layout --- */

struct smc_devices_layout {
    struct smc_rect table, compare; /* with the edges, which they share; or empty */
    struct smc_rect table_inside, compare_inside;
};

void smc_devices_lay_out(struct smc_rect body, struct smc_devices_layout *layout);

void smc_devices_spans(int table_columns, struct smc_span span[SMC_DEVICE_COLUMN_COUNT]);

#endif
