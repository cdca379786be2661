/* The panels beside the banks: the instructions, and what can be set. */
#include <inttypes.h>
#include <stdio.h>

#include "report/banks_words.h"
#include "tui/bank_fields.h"
#include "tui/banks_draw.h"
#include "tui/frame.h"
#include "tui/widgets.h"

/* --- Instructions --- */

enum { MARKS = 3 };

struct columns {
    int op, bytes, wavefronts, conflicts; /* their widths; 0: not shown */
    int label;
};

static struct columns columns_for(int cols)
{
    struct columns columns = {.wavefronts = 8, .conflicts = 7};
    if (cols >= 56)
        columns = (struct columns){6, 6, 11, 10, 0};
    else if (cols >= 40)
        columns.op = columns.bytes = 3;
    columns.label =
        cols - MARKS - columns.op - columns.bytes - columns.wavefronts - columns.conflicts - 1;
    return columns;
}

/* A number at the right of its column; returns where the next one begins. */
static int put_number(struct smc_frame *frame, struct smc_rect line, int col, int width,
                      enum smc_style style, uint32_t number)
{
    if (width)
        smc_frame_printf(frame, line, 0, col, style, "%*" PRIu32, width, number);
    return col + width;
}

static void draw_list_heading(const struct columns *columns, struct smc_rect line,
                              struct smc_frame *frame)
{
    bool wide = columns->conflicts > 8;
    int col = MARKS + columns->label + columns->op;
    smc_frame_text(frame, line, 0, MARKS, SMC_STYLE_DIM, "access");
    if (columns->bytes)
        smc_frame_printf(frame, line, 0, col, SMC_STYLE_DIM, "%*s", columns->bytes,
                         wide ? "bytes" : "B");
    smc_frame_printf(frame, line, 0, col + columns->bytes, SMC_STYLE_DIM, "%*s%*s",
                     columns->wavefronts, wide ? "wavefronts" : "wavefr.", columns->conflicts,
                     wide ? "conflicts" : "confl.");
}

static void draw_pattern(const struct smc_banks_state *banks, uint32_t index,
                         const struct columns *columns, struct smc_rect line,
                         struct smc_frame *frame)
{
    const struct smc_banks_pattern *pattern = &banks->answer.pattern[index];
    struct smc_bank_cost total = banks->total[index];
    uint32_t conflicts = total.wavefronts - total.least;
    bool here = index == banks->pattern;
    int col = MARKS + columns->label;
    smc_frame_text_within(frame, line, 0, MARKS, columns->label, SMC_STYLE_NORMAL, pattern->label);
    if (columns->op)
        smc_frame_printf(frame, line, 0, col + 1, SMC_STYLE_NORMAL, "%.*s", columns->op - 1,
                         columns->op > 5                ? smc_words_bank_op(pattern->op)
                         : pattern->op == SMC_BANK_LOAD ? "ld"
                                                        : "st");
    col = put_number(frame, line, col + columns->op, columns->bytes, SMC_STYLE_NORMAL,
                     pattern->width_bytes);
    col = put_number(frame, line, col, columns->wavefronts, SMC_STYLE_NORMAL, total.wavefronts);
    put_number(frame, line, col, columns->conflicts, conflicts ? SMC_STYLE_BAD : SMC_STYLE_GOOD,
               conflicts);
    if (here)
        smc_frame_restyle(frame, line, 0, banks->on_field ? SMC_STYLE_SELECTED : SMC_STYLE_CURSOR);
    if (here)
        smc_frame_glyph(frame, line, 0, 0, SMC_STYLE_STRONG, SMC_SIGN_SHOWN);
    if (conflicts > 0)
        smc_frame_glyph(frame, line, 0, 1, SMC_STYLE_BAD, SMC_SIGN_CONFLICT);
}

static int first_pattern(const struct smc_banks_state *banks, struct smc_rect rect)
{
    return smc_list_first((int)banks->pattern, (int)banks->answer.pattern_count, rect.rows - 1);
}

void smc_draw_bank_list(const struct smc_banks_state *banks, struct smc_rect rect,
                        struct smc_frame *frame)
{
    int count = (int)banks->answer.pattern_count, first = first_pattern(banks, rect);
    struct columns columns = columns_for(rect.cols);
    struct smc_rect rows = rect, heading = smc_rect_cut_top(&rows, 1);
    if (count == 0)
        return;
    draw_list_heading(&columns, heading, frame);
    for (int row = 0; row < rows.rows && first + row < count; row++) {
        struct smc_rect line = {rows.row + row, rows.col, 1, rows.cols};
        draw_pattern(banks, (uint32_t)(first + row), &columns, line, frame);
    }
    smc_list_draw_arrows(first, count, rows, frame);
}

int smc_bank_list_at(const struct smc_banks_state *banks, struct smc_rect rect, int row)
{
    int index = first_pattern(banks, rect) + row - 1;
    return row > 0 && index < (int)banks->answer.pattern_count ? index : -1;
}

/* --- Fields --- */

static int list_fields(const struct smc_banks_state *banks, int rows,
                       enum smc_bank_field fields[SMC_BANK_FIELD_COUNT], int *count)
{
    *count = (int)smc_bank_fields_shown(banks, fields);
    int at = smc_banks_place(banks) - (int)banks->answer.pattern_count;
    return smc_list_first(at < 0 ? 0 : at, *count, rows);
}

void smc_draw_bank_fields(const struct smc_banks_state *banks, struct smc_rect rect,
                          struct smc_frame *frame)
{
    enum smc_bank_field fields[SMC_BANK_FIELD_COUNT];
    int count, first = list_fields(banks, rect.rows, fields, &count);
    for (int row = 0; row < rect.rows && first + row < count; row++) {
        struct smc_rect line = {rect.row + row, rect.col, 1, rect.cols};
        struct smc_field_view view;
        enum smc_bank_field field = fields[first + row];
        smc_bank_field_show(banks, field, &view);
        int place = (int)banks->answer.pattern_count + first + row;
        smc_list_draw_field(&view, place == smc_banks_place(banks), line, frame);
    }
    smc_list_draw_arrows(first, count, rect, frame);
}

int smc_bank_field_at(const struct smc_banks_state *banks, struct smc_rect rect, int row)
{
    enum smc_bank_field fields[SMC_BANK_FIELD_COUNT];
    int count, first = list_fields(banks, rect.rows, fields, &count);
    return first + row < count ? (int)banks->answer.pattern_count + first + row : -1;
}
