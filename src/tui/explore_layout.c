/* Where the first screen's panels stand, for any size of the screen. */
#include "tui/explore_layout.h"

enum {
    RESOURCES = 5, /* rows of the SM and of the limits */
    NARROW = 27,   /* columns of the launch, edges included */
    MIDDLE = 30,
    MIDDLE_FROM = 76,
    WIDE = 36,
    WIDE_FROM = 100,
    THREE_COLUMNS_FROM = 140,
    SIDE = 48,        /* the third column */
    LAUNCH_ROWS = 20, /* every kernel's fields */
    STEPS_ROWS = 8,
    LEAST_STEPS = 6,
    LEAST_LAUNCH = 8,
    LEAST_WORK = 4,
    MOST_BAR_ROWS = 4,
    LEAST_CHART = 7,
};

/* The chart gets at least half of a tall screen. */
static int bar_rows(int rows)
{
    int fit = (rows / 2 - 2) / RESOURCES;
    return fit < 1 ? 1 : fit > MOST_BAR_ROWS ? MOST_BAR_ROWS : fit;
}

static int launch_cols(int cols)
{
    return cols < MIDDLE_FROM ? NARROW : cols < WIDE_FROM ? MIDDLE : WIDE;
}

/* As many rows as are wanted, at least the usual ones, at most what is left. */
static int between(int usual, int wanted, int left)
{
    int rows = wanted < left ? wanted : left;
    return rows > usual ? rows : usual;
}

/* The launch, the next steps and, where there is room, the work. */
static void left_column(struct smc_rect left, int steps_rows, struct smc_explore_layout *layout)
{
    int usual = left.rows * 3 / 8 > LEAST_STEPS ? left.rows * 3 / 8 : LEAST_STEPS;
    int steps = between(usual, steps_rows + 2, left.rows + 1 - LEAST_LAUNCH);
    if (left.rows < LAUNCH_ROWS + 2 * STEPS_ROWS) {
        layout->frame[SMC_PANEL_LAUNCH] = smc_rect_share_top(&left, left.rows - steps + 1);
        layout->frame[SMC_PANEL_STEPS] = left;
    } else {
        layout->frame[SMC_PANEL_LAUNCH] = smc_rect_share_top(&left, LAUNCH_ROWS);
        layout->frame[SMC_PANEL_STEPS] = smc_rect_share_top(
            &left, between((left.rows + 1) / 2, steps_rows + 2, left.rows + 1 - LEAST_WORK));
        layout->frame[SMC_PANEL_WORK] = left;
    }
}

static void two_columns(struct smc_rect body, int steps_rows, struct smc_explore_layout *layout)
{
    left_column(smc_rect_share_left(&body, launch_cols(body.cols)), steps_rows, layout);
    layout->sm_rows = bar_rows(body.rows - RESOURCES - 1);
    layout->frame[SMC_PANEL_SM] = smc_rect_share_top(&body, layout->sm_rows * RESOURCES + 2);
    if (body.rows > RESOURCES + LEAST_CHART) /* a chart of fewer rows tells less than the limits */
        layout->frame[SMC_PANEL_LIMITS] = smc_rect_share_top(&body, RESOURCES + 2);
    layout->frame[SMC_PANEL_CHART] = body;
}

static void three_columns(struct smc_rect body, int steps_rows, struct smc_explore_layout *layout)
{
    layout->frame[SMC_PANEL_LAUNCH] = smc_rect_share_left(&body, WIDE);
    struct smc_rect middle = smc_rect_share_left(&body, body.cols - SIDE + 1);
    layout->sm_rows = bar_rows(middle.rows);
    layout->frame[SMC_PANEL_SM] = smc_rect_share_top(&middle, layout->sm_rows * RESOURCES + 2);
    layout->frame[SMC_PANEL_CHART] = middle;
    layout->frame[SMC_PANEL_LIMITS] = smc_rect_share_top(&body, RESOURCES + 2);
    layout->frame[SMC_PANEL_STEPS] = smc_rect_share_top(
        &body, between(body.rows / 2, steps_rows + 2, body.rows + 1 - LEAST_WORK));
    layout->frame[SMC_PANEL_WORK] = body;
}

void smc_explore_lay_out(struct smc_rect body, int steps_rows, struct smc_explore_layout *layout)
{
    *layout = (struct smc_explore_layout){.sm_rows = 1};
    if (body.cols < THREE_COLUMNS_FROM || body.rows < 3 * STEPS_ROWS)
        two_columns(body, steps_rows, layout);
    else
        three_columns(body, steps_rows, layout);
    for (int i = 0; i < SMC_PANEL_COUNT; i++)
        layout->inside[i] = smc_rect_inside(layout->frame[i]);
}
