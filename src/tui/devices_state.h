/* The state of the devices' screen: the present launch on every board and compute capability. Pure
   but for the built-in table of resources; nothing is compiled. */
#ifndef SMC_TUI_DEVICES_STATE_H
#define SMC_TUI_DEVICES_STATE_H

#include <stdbool.h>
#include <stddef.h>

#include "query/query.h"
#include "tui/memo.h"

enum smc_device_column {
#define DEVICE_COLUMN(id, heading, columns, from, rises) SMC_DEVICE_COLUMN_##id,
#include "tui/device_columns.def"
#undef DEVICE_COLUMN
    SMC_DEVICE_COLUMN_COUNT
};

struct smc_device_column_info {
    const char *heading;
    int columns; /* with a blank before it; 0: what is left */
    int from;    /* how wide a table shows it */
    bool rises;  /* sorting begins with the least */
};

extern const struct smc_device_column_info smc_device_column_info[SMC_DEVICE_COLUMN_COUNT];

struct smc_device_row {
    struct smc_answer answer; /* its query has the device, also without an answer */
    bool answered;            /* false: `why` */
    char why[256];
    bool marked;
};

/* Start from {0}. */
struct smc_devices_state {
    struct smc_device_row *row; /* GPUs of this machine, the present device where the table has it
                                   not, then by compute capability: itself, and its boards */
    size_t *order;              /* the rows as they are sorted */
    size_t count, gpu_count;
    size_t cursor; /* a row */
    enum smc_device_column sort;
    bool reversed;
};

/* Answers the launch on every device; marks, cursor and order stay. Out of memory leaves none. */
void smc_devices_open(struct smc_devices_state *devices, const struct smc_query *query,
                      const struct smc_memo *memo, const struct smc_device *gpu, size_t gpu_count);
void smc_devices_close(struct smc_devices_state *devices);

/* Whether a row is that of a device. */
bool smc_devices_is(const struct smc_device_row *row, const struct smc_device *device);

/* A compute capability of the table, no board. */
bool smc_devices_is_bare(const struct smc_device *device);

/* The row at a place of the sorted table, and the place of the row under the cursor. */
struct smc_device_row *smc_devices_at(const struct smc_devices_state *devices, size_t place);
size_t smc_devices_place(const struct smc_devices_state *devices);

/* The cursor by so many places; stays at the ends. */
void smc_devices_move(struct smc_devices_state *devices, int by);

void smc_devices_sort(struct smc_devices_state *devices, enum smc_device_column column,
                      bool reversed);

/* The next row below the cursor that a text fits: a part of its name, chip or family, its compute
   capability, its limiters. False where there is none. */
bool smc_devices_search(struct smc_devices_state *devices, const char *text);

/* The devices to compare: the one under the cursor, then the marked ones as sorted. `list` has room
   for `most`; returns how many there are. */
size_t smc_devices_compared(const struct smc_devices_state *devices,
                            const struct smc_device_row **list, size_t most);

#endif
