/* The table of devices. */
#include <inttypes.h>
#include <stdio.h>

#include "report/words.h"
#include "tui/devices_draw.h"
#include "tui/fields.h"
#include "tui/frame.h"
#include "tui/widgets.h"

/* --- Cells --- */

static bool launches(const struct smc_device_row *row)
{
    return row->answered && row->answer.outcome == SMC_LAUNCHES;
}

static void name_of(const struct smc_device *device, char text[160])
{
    if (device->source == SMC_DEVICE_LIVE)
        snprintf(text, 160, "gpu%d %s", device->gpu_index, smc_device_model(device));
    else if (smc_devices_is_bare(device))
        snprintf(text, 160, "%s", device->family);
    else
        snprintf(text, 160, "%s", smc_device_model(device));
}

/* The longest form that the column has room for: "warps and registers", "warps+registers", "w+r".
   Or that it does not launch. */
static void limiters_of(const struct smc_device_row *row, int columns, char text[160])
{
    const struct smc_occupancy *occupancy = &row->answer.occupancy;
    struct smc_text words = {0};
    if (!launches(row)) {
        snprintf(text, 160, "%s",
                 !row->answered                              ? "no answer"
                 : row->answer.outcome == SMC_CANNOT_COMPILE ? "cannot compile"
                                                             : "cannot launch");
        return;
    }
    smc_words_limiters(occupancy, &words);
    if (smc_utf8_string_columns(smc_text_string(&words)) > columns) {
        smc_text_free(&words);
        smc_words_limiter_names(occupancy, "+", &words);
    }
    if (smc_utf8_string_columns(smc_text_string(&words)) > columns) {
        smc_text_free(&words);
        for (int limit = 0; limit < SMC_LIMIT_COUNT; limit++)
            if (occupancy->limiters >> limit & 1)
                smc_text_printf(&words, "%s%c", words.length ? "+" : "",
                                smc_words_limit_letter((enum smc_limit)limit));
    }
    snprintf(text, 160, "%.159s", smc_text_string(&words));
    smc_text_free(&words);
}

void smc_devices_source(const struct smc_resources *resources, char text[40])
{
    smc_field_source(resources, text);
    if (resources->source == SMC_RESOURCES_GIVEN) /* on the first screen, for its device */
        snprintf(text, 40, "as on F2");
}

/* Beside the registers where the table has no column for the source. */
static char source_letter(enum smc_resource_source source)
{
    static const char letters[] = {
        [SMC_RESOURCES_NVRTC] = 'n',
        [SMC_RESOURCES_TABLE] = 't',
        [SMC_RESOURCES_ASSUMED] = '?',
        [SMC_RESOURCES_GIVEN] = ' ',
    };
    return letters[source];
}

/* What a column says of a row, or "". `columns` is what words have room for; `with_letter`: the
   source stands beside the registers. */
static void text_of(const struct smc_device_row *row, enum smc_device_column column, int columns,
                    bool with_letter, char text[160])
{
    const struct smc_answer *answer = &row->answer;
    const struct smc_device *device = &answer->query.device;
    char short_text[40];
    text[0] = '\0';
    switch (column) {
    case SMC_DEVICE_COLUMN_NAME:
        name_of(device, text);
        return;
    case SMC_DEVICE_COLUMN_CC:
        snprintf(text, 160, "%d.%d", device->sm.cc / 10, device->sm.cc % 10);
        return;
    case SMC_DEVICE_COLUMN_SMS:
        if (device->sm_count)
            snprintf(text, 160, "%" PRIu32, device->sm_count);
        return;
    case SMC_DEVICE_COLUMN_SMEM:
        snprintf(text, 160, "%" PRIu32 "K", device->sm.smem_per_sm_bytes / 1024);
        return;
    case SMC_DEVICE_COLUMN_REGS:
        if (row->answered && smc_words_regs_known(answer))
            snprintf(text, 160, "%" PRIu32 "%c", answer->launch.regs_per_thread,
                     with_letter ? source_letter(answer->resources.source) : ' ');
        return;
    case SMC_DEVICE_COLUMN_SOURCE:
        smc_devices_source(&answer->resources, short_text);
        if (row->answered)
            snprintf(text, 160, "%s", short_text);
        return;
    case SMC_DEVICE_COLUMN_BLOCKS:
        if (row->answered)
            snprintf(text, 160, "%" PRIu32, answer->occupancy.blocks_per_sm);
        return;
    case SMC_DEVICE_COLUMN_OCCUPANCY:
        smc_words_percent(answer->occupancy_percent, short_text);
        if (launches(row))
            snprintf(text, 160, "%s", short_text);
        return;
    case SMC_DEVICE_COLUMN_WAVES:
        if (launches(row) && answer->has_waves)
            snprintf(text, 160, answer->waves.waves < 1000000 ? "%.0f" : "%.1e",
                     (double)answer->waves.waves);
        return;
    default:
        limiters_of(row, columns, text);
    }
}

static enum smc_style style_of(const struct smc_device_row *row, enum smc_device_column column)
{
    const struct smc_device *device = &row->answer.query.device;
    bool full = launches(row) && row->answer.occupancy_percent > 99.99;
    switch (column) {
    case SMC_DEVICE_COLUMN_NAME:
        return device->source == SMC_DEVICE_LIVE ? SMC_STYLE_GOOD
               : smc_devices_is_bare(device)     ? SMC_STYLE_TITLE
                                                 : SMC_STYLE_NORMAL;
    case SMC_DEVICE_COLUMN_OCCUPANCY:
        return full ? SMC_STYLE_GOOD : SMC_STYLE_NORMAL;
    case SMC_DEVICE_COLUMN_LIMITERS:
        return launches(row) ? SMC_STYLE_NORMAL : SMC_STYLE_BAD;
    case SMC_DEVICE_COLUMN_REGS:
        return row->answer.resources.source == SMC_RESOURCES_ASSUMED ? SMC_STYLE_WARN
                                                                     : SMC_STYLE_NORMAL;
    case SMC_DEVICE_COLUMN_SOURCE:
        return SMC_STYLE_DIM;
    default:
        return SMC_STYLE_NORMAL;
    }
}

/* Words begin where their column does, numbers end where it does. */
static bool is_words(enum smc_device_column column)
{
    return column == SMC_DEVICE_COLUMN_NAME || column == SMC_DEVICE_COLUMN_LIMITERS ||
           column == SMC_DEVICE_COLUMN_SOURCE;
}

static void put(const char *text, enum smc_device_column column, struct smc_device_span span,
                enum smc_style style, struct smc_rect line, struct smc_frame *frame)
{
    bool leads = column == SMC_DEVICE_COLUMN_NAME;
    struct smc_rect cell = {line.row, line.col + span.col + !leads, 1, span.cols - !leads};
    if (is_words(column))
        smc_frame_text_within(frame, cell, 0, 0, cell.cols, style, text);
    else
        smc_frame_text_right(frame, cell, 0, style, text);
}

/* --- Lines --- */

static void draw_heading(const struct smc_devices_state *devices,
                         const struct smc_device_span *span, struct smc_rect line,
                         struct smc_frame *frame)
{
    for (int i = 0; i < SMC_DEVICE_COLUMN_COUNT; i++) {
        enum smc_device_column column = (enum smc_device_column)i;
        const struct smc_device_column_info *info = &smc_device_column_info[i];
        bool sorted = column == devices->sort;
        if (span[i].cols)
            put(info->heading, column, span[i], sorted ? SMC_STYLE_TITLE : SMC_STYLE_DIM, line,
                frame);
    }
}

static void draw_row(const struct smc_device_row *row, const struct smc_device_span *span,
                     struct smc_rect line, struct smc_frame *frame)
{
    bool with_letter = span[SMC_DEVICE_COLUMN_SOURCE].cols == 0;
    for (int i = 0; i < SMC_DEVICE_COLUMN_COUNT; i++) {
        enum smc_device_column column = (enum smc_device_column)i;
        char text[160];
        if (!span[i].cols)
            continue;
        text_of(row, column, span[i].cols - 1, with_letter, text);
        put(*text ? text : "-", column, span[i], style_of(row, column), line, frame);
    }
    if (row->marked)
        smc_frame_glyph(frame, line, 0, 1, SMC_STYLE_GIVEN, SMC_SIGN_MARKED);
}

static int first_shown(const struct smc_devices_state *devices, int rows)
{
    return smc_list_first((int)smc_devices_place(devices), (int)devices->count, rows);
}

/* Which letters there are beside the registers. */
static void draw_legend(const struct smc_devices_state *devices, struct smc_rect rect,
                        struct smc_frame *frame)
{
    static const char *const signs[] = {
        [SMC_RESOURCES_NVRTC] = "n NVRTC",
        [SMC_RESOURCES_TABLE] = "t table",
        [SMC_RESOURCES_ASSUMED] = "? assumed",
        [SMC_RESOURCES_GIVEN] = "as on F2",
    };
    bool occurs[sizeof signs / sizeof *signs] = {false};
    struct smc_text legend = {0};
    for (size_t i = 0; i < devices->count; i++)
        if (devices->row[i].answered)
            occurs[devices->row[i].answer.resources.source] = true;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (occurs[i])
            smc_text_printf(&legend, "%s%s", legend.length ? ", " : " registers: ", signs[i]);
    smc_list_draw_legend(&legend, rect, frame);
}

void smc_draw_devices(const struct smc_devices_state *devices, const struct smc_device *present,
                      struct smc_rect rect, struct smc_frame *frame)
{
    struct smc_device_span span[SMC_DEVICE_COLUMN_COUNT];
    struct smc_rect rows = rect, heading = smc_rect_cut_top(&rows, 1);
    int count = (int)devices->count, first = first_shown(devices, rows.rows);
    smc_devices_spans(rect.cols, span);
    draw_heading(devices, span, heading, frame);
    for (int i = 0; i < rows.rows && first + i < count; i++) {
        const struct smc_device_row *row = smc_devices_at(devices, (size_t)(first + i));
        struct smc_rect line = {rows.row + i, rows.col, 1, rows.cols};
        draw_row(row, span, line, frame);
        if (row == &devices->row[devices->cursor])
            smc_frame_restyle(frame, line, 0, SMC_STYLE_CURSOR);
        if (smc_devices_is(row, present))
            smc_frame_glyph(frame, line, 0, 0, SMC_STYLE_STRONG, SMC_SIGN_SHOWN);
    }
    smc_list_draw_arrows(first, count, rows, frame);
    if (span[SMC_DEVICE_COLUMN_SOURCE].cols == 0)
        draw_legend(devices, rect, frame);
}

/* --- Clicks --- */

int smc_devices_place_at(const struct smc_devices_state *devices, struct smc_rect rect, int row)
{
    int place = first_shown(devices, rect.rows - 1) + row - 1;
    return row > 0 && place < (int)devices->count ? place : -1;
}

bool smc_devices_heading_at(struct smc_rect rect, int col, enum smc_device_column *column)
{
    struct smc_device_span span[SMC_DEVICE_COLUMN_COUNT];
    smc_devices_spans(rect.cols, span);
    for (int i = 0; i < SMC_DEVICE_COLUMN_COUNT; i++) {
        *column = (enum smc_device_column)i;
        if (col >= span[i].col && col < span[i].col + span[i].cols)
            return true;
    }
    return false;
}
