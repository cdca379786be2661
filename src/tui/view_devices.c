/* The present launch on every device: a table to search and sort, some of them side by side. */
#include <stdio.h>

#include "report/words.h"
#include "tui/devices_draw.h"
#include "tui/state.h"

enum { WHEEL_STEP = 3 };

static void open(struct smc_tui *tui)
{
    smc_devices_open(&tui->devices, &tui->explore.query, &tui->explore.memo, tui->gpu,
                     tui->gpu_count);
}

/* "97 devices by CC, falling". */
static void write_title(const struct smc_devices_state *devices, char title[64])
{
    const struct smc_device_column_info *info = &smc_device_column_info[devices->sort];
    snprintf(title, 64, "%zu devices by %s, %s", devices->count, info->heading,
             info->rises != devices->reversed ? "rising" : "falling");
}

static void draw(const struct smc_tui *tui, struct smc_rect body, struct smc_frame *frame)
{
    const struct smc_devices_state *devices = &tui->devices;
    struct smc_devices_layout layout;
    char title[64];
    smc_devices_lay_out(body, &layout);
    write_title(devices, title);
    smc_frame_box(frame, layout.table, title);
    size_t compared = smc_devices_compared(devices, NULL, 0);
    size_t room = smc_comparison_room(layout.compare_inside);
    snprintf(title, sizeof title, compared > room ? "%zu of %zu side by side" : "side by side",
             room, compared);
    smc_frame_box(frame, layout.compare, title);
    if (devices->count == 0)
        return;
    smc_draw_devices(devices, &tui->explore.query.device, layout.table_inside, frame);
    smc_draw_comparison(devices, layout.compare_inside, frame);
}

static struct smc_rect table_of(struct smc_rect body)
{
    struct smc_devices_layout layout;
    smc_devices_lay_out(body, &layout);
    return layout.table_inside;
}

/* Of the columns that are shown. */
static void sort_by_next(struct smc_tui *tui, int direction)
{
    struct smc_devices_state *devices = &tui->devices;
    struct smc_device_span span[SMC_DEVICE_COLUMN_COUNT];
    int column = (int)devices->sort;
    smc_devices_spans(table_of(smc_tui_body(tui)).cols, span);
    do
        column = (column + direction + SMC_DEVICE_COLUMN_COUNT) % SMC_DEVICE_COLUMN_COUNT;
    while (!span[column].cols);
    smc_devices_sort(devices, (enum smc_device_column)column, false);
}

/* The first screen, on this device; that screen takes it back. */
static void take(struct smc_tui *tui)
{
    struct smc_explore *explore = &tui->explore;
    struct smc_query before = explore->query;
    if (tui->devices.count == 0)
        return;
    explore->query.device = tui->devices.row[tui->devices.cursor].answer.query.device;
    explore->query.device_assumed = false;
    explore->query.device_note[0] = '\0';
    smc_explore_brought(explore, &before);
    smc_tui_show_view(tui, SMC_VIEW_EXPLORE);
    smc_tui_say(tui, SMC_STYLE_GOOD, "on %s; u takes it back", explore->query.device.name);
}

static bool search(struct smc_tui *tui)
{
    if (!smc_devices_search(&tui->devices, tui->searched))
        smc_tui_say(tui, SMC_STYLE_WARN, "'%s' is in no device's name, family or limiters",
                    tui->searched);
    return true;
}

/* The same launch on the devices that stand side by side. */
static bool show_command(struct smc_tui *tui)
{
    enum { MOST = 32 };
    const struct smc_device_row *list[MOST];
    struct smc_query query = tui->explore.query;
    struct smc_text words = {0};
    size_t count = smc_devices_compared(&tui->devices, list, MOST);
    query.device = list[0]->answer.query.device;
    query.device_assumed = true;
    query.device.file = NULL;
    smc_tui_command(&query, &words);
    for (size_t i = 0; i < count && i < MOST; i++)
        smc_words_device_option(&list[i]->answer.query, &words);
    smc_tui_show_command(tui, smc_text_string(&words));
    smc_text_free(&words);
    return true;
}

static bool act(struct smc_tui *tui, enum smc_action action)
{
    struct smc_devices_state *devices = &tui->devices;
    int page = table_of(smc_tui_body(tui)).rows - 2;
    switch (action) {
    case SMC_ACTION_UP:
    case SMC_ACTION_DOWN:
        smc_devices_move(devices, action == SMC_ACTION_DOWN ? 1 : -1);
        return true;
    case SMC_ACTION_PAGE_UP:
    case SMC_ACTION_PAGE_DOWN:
        smc_devices_move(devices, action == SMC_ACTION_PAGE_DOWN ? page : -page);
        return true;
    case SMC_ACTION_FIRST:
    case SMC_ACTION_LAST:
        smc_devices_move(devices, (action == SMC_ACTION_LAST ? 1 : -1) * (int)devices->count);
        return true;
    case SMC_ACTION_LESS:
        sort_by_next(tui, -1);
        return true;
    case SMC_ACTION_MORE:
    case SMC_ACTION_SORT:
        sort_by_next(tui, 1);
        return true;
    case SMC_ACTION_REVERSE:
        smc_devices_sort(devices, devices->sort, !devices->reversed);
        return true;
    case SMC_ACTION_MARK:
        devices->row[devices->cursor].marked = !devices->row[devices->cursor].marked;
        smc_devices_move(devices, 1);
        return true;
    case SMC_ACTION_ENTER:
        take(tui);
        return true;
    case SMC_ACTION_AGAIN:
        return search(tui);
    case SMC_ACTION_COMMAND:
        return show_command(tui);
    default:
        return false;
    }
}

/* Of the line under the cursor a click is the mark, of a heading the order. */
static void click(struct smc_tui *tui, struct smc_rect body, int row, int col, int direction)
{
    struct smc_devices_state *devices = &tui->devices;
    struct smc_rect table = table_of(body);
    enum smc_device_column column;
    if (direction != 0) {
        smc_devices_move(devices, direction * WHEEL_STEP);
        return;
    }
    if (!smc_rect_holds(table, row, col))
        return;
    int place = smc_devices_place_at(devices, table, row - table.row);
    if (row == table.row && smc_devices_heading_at(table, col - table.col, &column))
        smc_devices_sort(devices, column, column == devices->sort && !devices->reversed);
    else if (place >= 0 && smc_devices_at(devices, (size_t)place) == &devices->row[devices->cursor])
        devices->row[devices->cursor].marked = !devices->row[devices->cursor].marked;
    else if (place >= 0)
        devices->cursor = devices->order[place];
}

const struct smc_view smc_view_devices = {
    .title = "devices",
    .open = open,
    .refresh = open,
    .draw = draw,
    .act = act,
    .click = click,
};
