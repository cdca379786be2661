/* The devices' screen: the present launch on every device as a table, and some side by side. */
#include <stdio.h>

#include "show/tui/tui_state.h"
#include "show/words/words.h"

/* --- Layout --- */

enum {
    SIDE_BY_SIDE_FROM = 170, /* columns; with fewer the comparison is below the table */
    SIDE = 76,
    BELOW_FROM = 20, /* rows; with fewer there is none */
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
    static const struct smc_split split = {
        .beside_from = SIDE_BY_SIDE_FROM,
        .beside_cols = SIDE,
        .below_from = BELOW_FROM,
        .least_below = BELOW_ROWS,
        .most_below = MOST_BELOW_ROWS,
    };
    *layout = (struct smc_devices_layout){.table = body};
    layout->compare = smc_rect_split(&layout->table, &split);
    layout->table_inside = smc_rect_inside(layout->table);
    layout->compare_inside = smc_rect_inside(layout->compare);
}

/* The name and the limiters share what the other columns leave. */
void smc_devices_spans(int table_columns, struct smc_span span[SMC_DEVICE_COLUMN_COUNT])
{
    int left = table_columns - MARKS - ARROWS;
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
    smc_spans_place(span, SMC_DEVICE_COLUMN_COUNT, MARKS);
}

/* --- The table --- */

/* The letter of the source, after the registers if the table has no column for the source. */
static const struct {
    char letter;
    const char *meaning;
} sources[] = {
    [SMC_RESOURCES_NVRTC] = {'n', "n NVRTC"},     [SMC_RESOURCES_TABLE] = {'t', "t table"},
    [SMC_RESOURCES_ASSUMED] = {'?', "? assumed"}, [SMC_RESOURCES_GIVEN] = {' ', "as on F2"},
    [SMC_RESOURCES_FILE] = {' ', "as on F2"},
};
enum { SOURCES = sizeof sources / sizeof *sources };

static struct smc_rect cell_of(enum smc_device_column column, const struct smc_span *span,
                               struct smc_rect line)
{
    return smc_span_cell(span[column], column != SMC_DEVICE_COLUMN_NAME, line);
}

static void view_devices_draw_row(const struct smc_device_row *row, const char *searched,
                                  const struct smc_span *span, struct smc_rect line,
                                  struct smc_frame *frame)
{
    for (enum smc_device_column i = 0; i < SMC_DEVICE_COLUMN_COUNT; i++) {
        const struct smc_device_column_info *column = &smc_device_column_info[i];
        enum smc_style style = column->style ? column->style(row) : SMC_STYLE_NORMAL;
        char text[SMC_CELL_CHARS] = "";
        if (!span[i].cols)
            continue;
        column->write(row, span[i].cols - 1, text);
        smc_list_draw_cell(*text ? text : "-", column->is_text, style, cell_of(i, span, line),
                           frame);
        if (column->is_text)
            smc_list_mark_match(text, searched, cell_of(i, span, line), frame);
        if (i == SMC_DEVICE_COLUMN_REGS && *text && !span[SMC_DEVICE_COLUMN_SOURCE].cols)
            smc_frame_glyph(frame, line, 0, span[i].col + span[i].cols - 1, style,
                            (uint32_t)sources[row->answer.resources.source].letter);
    }
    if (row->marked)
        smc_frame_glyph(frame, line, 0, 1, SMC_STYLE_GIVEN, SMC_SIGN_MARKED);
}

static int view_devices_first_shown(const struct smc_devices_state *devices, int rows)
{
    return smc_list_first((int)smc_devices_place(devices), (int)devices->listed, rows);
}

static void view_devices_draw_legend(const struct smc_devices_state *devices, struct smc_rect rect,
                                     struct smc_frame *frame)
{
    bool occurs[SOURCES] = {false};
    struct smc_text legend = {0};
    for (size_t i = 0; i < devices->count; i++)
        if (devices->row[i].answered)
            occurs[devices->row[i].answer.resources.source] = true;
    for (size_t i = 0; i < SOURCES; i++)
        if (occurs[i])
            smc_text_printf(&legend, "%s%s",
                            legend.length ? ", " : " registers: ", sources[i].meaning);
    smc_list_draw_legend(&legend, rect, frame);
}

/* A line for each device, the one under the cursor visible. */
static void view_devices_draw_table(const struct smc_devices_state *devices,
                                    const struct smc_device *present, struct smc_rect rect,
                                    struct smc_frame *frame)
{
    struct smc_span span[SMC_DEVICE_COLUMN_COUNT];
    struct smc_rect rows = rect, heading = smc_rect_cut_top(&rows, 1);
    int count = (int)devices->listed, first = view_devices_first_shown(devices, rows.rows);
    smc_devices_spans(rect.cols, span);
    for (enum smc_device_column i = 0; i < SMC_DEVICE_COLUMN_COUNT; i++)
        if (span[i].cols)
            smc_list_draw_cell(smc_device_column_info[i].heading, smc_device_column_info[i].is_text,
                               i == devices->sort ? SMC_STYLE_TITLE : SMC_STYLE_DIM,
                               cell_of(i, span, heading), frame);
    for (int i = 0; i < rows.rows && first + i < count; i++) {
        const struct smc_device_row *row = smc_devices_at(devices, (size_t)first + (size_t)i);
        struct smc_rect line = {rows.row + i, rows.col, 1, rows.cols};
        view_devices_draw_row(row, devices->filter, span, line, frame);
        if (row == &devices->row[devices->cursor])
            smc_frame_restyle(frame, line, 0, SMC_STYLE_CURSOR);
        if (smc_field_is_device(&row->answer.query.device, present))
            smc_frame_glyph(frame, line, 0, 0, SMC_STYLE_STRONG, SMC_SIGN_SHOWN);
    }
    smc_list_draw_arrows(first, count, rows, frame);
    if (span[SMC_DEVICE_COLUMN_SOURCE].cols == 0)
        view_devices_draw_legend(devices, rect, frame);
}

/* --- The comparison: a column per device --- */

enum { LABEL_COLUMNS = 14, DEVICE_COLUMNS = 16, MOST_DEVICES = 32 };

enum view_devices_fact {
#define DEVICE_FACT(id, label, value, decimals, unit, better, of_launch) FACT_##id,
#include "show/tui/device_facts.def"
    FACTS
};

static const struct {
    const char *label;
    int decimals;
    const char *unit;
    int better;
    bool of_launch;
} facts[FACTS] = {
#define DEVICE_FACT(id, label, value, decimals, unit, better, of_launch)                           \
    [FACT_##id] = {label, decimals, unit, better, of_launch},
#include "show/tui/device_facts.def"
};

/* With a fraction for the last wave. */
static double view_devices_waves_of(const struct smc_answer *answer)
{
    const struct smc_waves *waves = &answer->waves;
    return answer->has_waves ? (double)waves->grid_blocks / (double)waves->resident_blocks : 0;
}

static double view_devices_value_of(enum view_devices_fact fact, const struct smc_device_row *row)
{
    const struct smc_answer *a = &row->answer;
    const struct smc_device *d = &a->query.device;
    if (facts[fact].of_launch && !(row->answered && a->outcome == SMC_LAUNCHES))
        return 0;
    switch (fact) {
#define DEVICE_FACT(id, label, value, decimals, unit, better, of_launch)                           \
    case FACT_##id:                                                                                \
        return (double)(value);
#include "show/tui/device_facts.def"
    default:
        return 0;
    }
}

static void write_fact(enum view_devices_fact fact, const struct smc_answer *answer, double value,
                       char text[64])
{
    smc_auto_text words = {0};
    char short_text[40];
    switch (fact) {
    case FACT_OCCUPANCY:
        smc_words_percent(value, short_text);
        smc_text_append(&words, short_text);
        break;
    case FACT_LIMITERS:
        smc_words_limiter_names(&answer->occupancy, &words);
        break;
    case FACT_REGS:
        smc_devices_source(&answer->resources, short_text);
        smc_text_printf(&words, "%.0f %s", value, short_text);
        break;
    default:
        smc_text_printf(&words, "%.*f%s", facts[fact].decimals, value, facts[fact].unit);
    }
    snprintf(text, 64, "%.63s", value > 0 ? smc_text_string(&words) : "-");
}

/* The best value; 0 where the devices do not differ. */
static double best_of(enum view_devices_fact fact, const struct smc_device_row *const *list,
                      size_t count)
{
    double best = 0, worst = 0;
    for (size_t i = 0; i < count && facts[fact].better; i++) {
        double value = view_devices_value_of(fact, list[i]);
        bool better = facts[fact].better > 0 ? value > best : value < best;
        bool worse = facts[fact].better > 0 ? value < worst : value > worst;
        if (value > 0 && (best == 0 || better))
            best = value;
        if (value > 0 && (worst == 0 || worse))
            worst = value;
    }
    return best == worst ? 0 : best;
}

static void draw_fact(enum view_devices_fact fact, const struct smc_device_row *const *list,
                      size_t count, struct smc_rect line, struct smc_frame *frame)
{
    double best = best_of(fact, list, count);
    smc_frame_text(frame, line, 0, 1, SMC_STYLE_LABEL, facts[fact].label);
    for (size_t i = 0; i < count; i++) {
        char text[64];
        double value = view_devices_value_of(fact, list[i]);
        write_fact(fact, &list[i]->answer, value, text);
        smc_frame_text_within(frame, line, 0, LABEL_COLUMNS + (int)i * DEVICE_COLUMNS,
                              DEVICE_COLUMNS - 1,
                              best > 0 && value == best ? SMC_STYLE_GOOD : SMC_STYLE_NORMAL, text);
    }
}

static void draw_device_names(const struct smc_device_row *const *list, size_t count,
                              struct smc_rect line, struct smc_frame *frame)
{
    for (size_t i = 0; i < count; i++) {
        const struct smc_device *device = &list[i]->answer.query.device;
        char text[160];
        if (smc_devices_is_bare(device))
            snprintf(text, sizeof text, "CC %d.%d", device->sm.cc / 10, device->sm.cc % 10);
        else
            snprintf(text, sizeof text, "%s", smc_device_model(device));
        smc_frame_text_within(frame, line, 0, LABEL_COLUMNS + (int)i * DEVICE_COLUMNS,
                              DEVICE_COLUMNS - 1, i ? SMC_STYLE_GIVEN : SMC_STYLE_STRONG, text);
    }
}

/* In the last lines: why the launch fails on the device under the cursor. */
static void view_devices_draw_why(const struct smc_device_row *row, struct smc_rect *rect,
                                  struct smc_frame *frame)
{
    enum { TALL = 12 };
    smc_auto_text words = {0};
    if (row->answered && row->answer.outcome == SMC_LAUNCHES)
        return;
    if (row->answered)
        smc_words_failure(&row->answer, &words);
    else
        smc_text_append(&words, row->why);
    struct smc_rect lines = smc_rect_cut_bottom(rect, rect->rows < TALL ? 2 : 3);
    struct smc_rect inner = {lines.row, lines.col + 1, lines.rows, lines.cols - 2};
    smc_frame_paragraph(frame, inner, 0, SMC_STYLE_BAD, smc_text_string(&words));
}

/* Where the numbers of the device under the cursor come from. */
static void draw_sources(const struct smc_device *device, struct smc_rect rect,
                         struct smc_frame *frame)
{
    enum { LEAST_ROWS = 8 };
    smc_auto_text words = {0};
    struct smc_rect inner = {rect.row, rect.col + 1, rect.rows, rect.cols - 2};
    if (rect.rows < LEAST_ROWS)
        return;
    smc_text_printf(&words, "%s%s%s, %s", device->family, *device->chip ? ", " : "", device->chip,
                    smc_device_source_name(device->source));
    smc_text_printf(&words, "\nuncertain: %s\nsources: %s",
                    *device->uncertain ? device->uncertain : "none", device->sources);
    smc_frame_paragraph(frame, inner, 1, SMC_STYLE_DIM, smc_text_string(&words));
}

/* How many devices fit in the panel. */
static size_t devices_that_fit(struct smc_rect rect)
{
    int fit = (rect.cols - LABEL_COLUMNS) / DEVICE_COLUMNS;
    return fit < 0 ? 0 : fit > MOST_DEVICES ? MOST_DEVICES : (size_t)fit;
}

/* The device under the cursor, then the marked ones. */
static void draw_comparison(const struct smc_devices_state *devices, struct smc_rect rect,
                            struct smc_frame *frame)
{
    const struct smc_device_row *list[MOST_DEVICES];
    size_t most = devices_that_fit(rect), count = smc_devices_compared(devices, list, most);
    count = count < most ? count : most;
    if (count == 0)
        return;
    view_devices_draw_why(list[0], &rect, frame);
    draw_device_names(list, count, smc_rect_cut_top(&rect, 1), frame);
    for (int i = 0; i < FACTS && rect.rows > 0; i++)
        draw_fact((enum view_devices_fact)i, list, count, smc_rect_cut_top(&rect, 1), frame);
    draw_sources(&list[0]->answer.query.device, rect, frame);
}

/* --- The view --- */

/* "97 devices by CC, falling". */
static void view_devices_write_title(const struct smc_devices_state *devices, char title[96])
{
    const struct smc_device_column_info *info = &smc_device_column_info[devices->sort];
    if (devices->filter[0])
        snprintf(title, 96, "%zu of %zu devices with '%.40s'; Esc shows all", devices->listed,
                 devices->count, devices->filter);
    else
        snprintf(title, 96, "%zu devices by %s, %s", devices->count, info->heading,
                 info->rises != devices->reversed ? "rising" : "falling");
}

static void view_devices_draw(const struct smc_tui *tui, struct smc_rect body,
                              struct smc_frame *frame)
{
    const struct smc_devices_state *devices = &tui->devices;
    struct smc_devices_layout layout;
    char title[96];
    smc_devices_lay_out(body, &layout);
    view_devices_write_title(devices, title);
    smc_frame_box(frame, layout.table, title);
    size_t compared = smc_devices_compared(devices, NULL, 0);
    size_t fit = devices_that_fit(layout.compare_inside);
    snprintf(title, sizeof title, compared > fit ? "%zu of %zu side by side" : "side by side", fit,
             compared);
    smc_frame_box(frame, layout.compare, title);
    if (devices->count == 0)
        return;
    view_devices_draw_table(devices, &tui->explore.query.device, layout.table_inside, frame);
    draw_comparison(devices, layout.compare_inside, frame);
}

/* --- Keys --- */

static void view_devices_open(struct smc_tui *tui)
{
    smc_devices_open(&tui->devices, &tui->explore.query, &tui->explore.memo, tui->gpu,
                     tui->gpu_count);
}

static struct smc_rect table_of(struct smc_rect body)
{
    struct smc_devices_layout layout;
    smc_devices_lay_out(body, &layout);
    return layout.table_inside;
}

/* The next of the columns shown. */
static void view_devices_sort_by_next(struct smc_tui *tui, int direction)
{
    struct smc_devices_state *devices = &tui->devices;
    struct smc_span span[SMC_DEVICE_COLUMN_COUNT];
    smc_devices_spans(table_of(smc_tui_body(tui)).cols, span);
    int column = smc_spans_next(span, SMC_DEVICE_COLUMN_COUNT, (int)devices->sort, direction);
    smc_devices_sort(devices, (enum smc_device_column)column, false);
}

/* Shows the first screen for this device; undo there restores the device before. */
static void view_devices_choose(struct smc_tui *tui)
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
    smc_tui_say(tui, SMC_STYLE_GOOD, "on %s; u undoes it", explore->query.device.name);
}

static bool view_devices_search(struct smc_tui *tui, int direction)
{
    if (!smc_devices_search(&tui->devices, tui->searched, direction))
        smc_tui_say(tui, SMC_STYLE_WARN, "no device has '%s' in its name, chip, family or limiters",
                    tui->searched);
    return true;
}

/* The same launch on the devices that are compared. */
static bool view_devices_show_command(struct smc_tui *tui)
{
    enum { MOST = 32 };
    const struct smc_device_row *list[MOST] = {NULL};
    struct smc_query query = tui->explore.query;
    smc_auto_text words = {0};
    size_t count = smc_devices_compared(&tui->devices, list, MOST);
    query.device = list[0]->answer.query.device;
    query.device_assumed = true;
    query.device.file = NULL;
    smc_tui_command(&query, &words);
    for (size_t i = 0; i < count && i < MOST; i++)
        smc_words_device_option(&list[i]->answer.query, &words);
    smc_tui_show_command(tui, smc_text_string(&words));
    return true;
}

static bool view_devices_filter(struct smc_tui *tui, const char *text)
{
    return smc_devices_filter(&tui->devices, text);
}

static bool view_devices_act(struct smc_tui *tui, enum smc_action action)
{
    struct smc_devices_state *devices = &tui->devices;
    int by = smc_list_rows_of(action, table_of(smc_tui_body(tui)).rows - 2);
    if (by != 0) {
        smc_devices_move(devices, by);
        return true;
    }
    switch (action) {
    case SMC_ACTION_LESS:
        view_devices_sort_by_next(tui, -1);
        return true;
    case SMC_ACTION_MORE:
    case SMC_ACTION_SORT:
        view_devices_sort_by_next(tui, 1);
        return true;
    case SMC_ACTION_REVERSE:
        smc_devices_sort(devices, devices->sort, !devices->reversed);
        return true;
    case SMC_ACTION_MARK:
        devices->row[devices->cursor].marked = !devices->row[devices->cursor].marked;
        smc_devices_move(devices, 1);
        return true;
    case SMC_ACTION_ENTER:
        view_devices_choose(tui);
        return true;
    case SMC_ACTION_AGAIN:
    case SMC_ACTION_BEFORE:
        return view_devices_search(tui, action == SMC_ACTION_AGAIN ? 1 : -1);
    case SMC_ACTION_CANCEL:
        return smc_devices_filter(devices, "");
    case SMC_ACTION_COMMAND:
        return view_devices_show_command(tui);
    default:
        return false;
    }
}

/* --- Clicks --- */

/* The place in the table of what a row of the panel shows; -1: nothing. */
static int place_at(const struct smc_devices_state *devices, struct smc_rect rect, int row)
{
    int place = view_devices_first_shown(devices, rect.rows - 1) + row - 1;
    return row > 0 && place < (int)devices->listed ? place : -1;
}

/* A click on a line moves the cursor there, and there marks it; one on a heading sorts. */
static void view_devices_click(struct smc_tui *tui, struct smc_rect body, int row, int col,
                               int direction)
{
    enum { WHEEL_STEP = 3 };
    struct smc_devices_state *devices = &tui->devices;
    struct smc_rect table = table_of(body);
    if (direction != 0) {
        smc_devices_move(devices, direction * WHEEL_STEP);
        return;
    }
    if (!smc_rect_holds(table, row, col))
        return;
    struct smc_span span[SMC_DEVICE_COLUMN_COUNT];
    smc_devices_spans(table.cols, span);
    const enum smc_device_column column =
        (enum smc_device_column)smc_spans_at(span, SMC_DEVICE_COLUMN_COUNT, col - table.col);
    int place = place_at(devices, table, row - table.row);
    if (row == table.row && column < SMC_DEVICE_COLUMN_COUNT)
        smc_devices_sort(devices, column, column == devices->sort && !devices->reversed);
    else if (place >= 0 && smc_devices_at(devices, (size_t)place) == &devices->row[devices->cursor])
        devices->row[devices->cursor].marked = !devices->row[devices->cursor].marked;
    else if (place >= 0)
        devices->cursor = devices->order[place];
}

const struct smc_view smc_view_devices = {
    .title = "devices",
    .open = view_devices_open,
    .refresh = view_devices_open,
    .draw = view_devices_draw,
    .act = view_devices_act,
    .filter = view_devices_filter,
    .click = view_devices_click,
};
