/* Where the panels of the devices' screen stand, for any size of the screen. */
#include "tui/devices_layout.h"

enum {
    SIDE_BY_SIDE_FROM = 170, /* columns; fewer have the comparison below the table */
    SIDE = 76,
    BELOW_FROM = 20, /* rows; fewer have none */
    BELOW_ROWS = 9,
    MOST_BELOW_ROWS = 16,
    MARKS = 3,
    ARROWS = 1, /* at the right edge */
    LEAST_NAME = 14,
    MOST_NAME = 46,
    LEAST_LIMITERS = 16,
};

void smc_devices_lay_out(struct smc_rect body, struct smc_devices_layout *layout)
{
    struct smc_rect rest = body;
    *layout = (struct smc_devices_layout){.table = body};
    if (body.cols >= SIDE_BY_SIDE_FROM) {
        layout->table = smc_rect_share_left(&rest, body.cols - SIDE + 1);
        layout->compare = rest;
    } else if (body.rows >= BELOW_FROM) {
        int rows = body.rows * 2 / 5;
        rows = rows < BELOW_ROWS ? BELOW_ROWS : rows > MOST_BELOW_ROWS ? MOST_BELOW_ROWS : rows;
        layout->table = smc_rect_share_top(&rest, body.rows - rows + 1);
        layout->compare = rest;
    }
    layout->table_inside = smc_rect_inside(layout->table);
    layout->compare_inside = smc_rect_inside(layout->compare);
}

/* The name and the limiters share what the others leave. */
void smc_devices_spans(int table_columns, struct smc_device_span span[SMC_DEVICE_COLUMN_COUNT])
{
    int left = table_columns - MARKS - ARROWS, col = MARKS;
    for (int i = 0; i < SMC_DEVICE_COLUMN_COUNT; i++) {
        const struct smc_device_column_info *info = &smc_device_column_info[i];
        span[i].cols = table_columns >= info->from ? info->columns : 0;
        left -= span[i].cols;
    }
    int name = left * 11 / 20;
    name = name > left - LEAST_LIMITERS ? left - LEAST_LIMITERS : name;
    name = name < LEAST_NAME ? LEAST_NAME : name > MOST_NAME ? MOST_NAME : name;
    span[SMC_DEVICE_COLUMN_NAME].cols = name;
    span[SMC_DEVICE_COLUMN_LIMITERS].cols = left - name;
    for (int i = 0; i < SMC_DEVICE_COLUMN_COUNT; i++) {
        span[i].col = col;
        col += span[i].cols;
    }
}
