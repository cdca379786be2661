/* The banks view: the accesses to shared memory, the lanes that conflict in a bank, and what a
   padding or a swizzle does about it. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "show/report/banks_report.h"
#include "show/tui/tui_state.h"
#include "show/words/words.h"

/* --- The list of instructions --- */

enum { MARKS = 3 };

struct view_banks_columns {
    int op, bytes, wavefronts, conflicts; /* widths; 0: not shown */
    int label;
};

static struct view_banks_columns columns_for(int cols)
{
    struct view_banks_columns columns = {.wavefronts = 8, .conflicts = 7};
    if (cols >= 56)
        columns = (struct view_banks_columns){6, 6, 11, 10, 0};
    else if (cols >= 40)
        columns.op = columns.bytes = 3;
    columns.label =
        cols - MARKS - columns.op - columns.bytes - columns.wavefronts - columns.conflicts - 1;
    return columns;
}

/* A right-aligned number; returns where the next column begins. */
static int view_banks_put_number(struct smc_frame *frame, struct smc_rect line, int col, int width,
                                 enum smc_style style, uint32_t number)
{
    if (width)
        smc_frame_printf(frame, line, 0, col, style, "%*" PRIu32, width, number);
    return col + width;
}

static void draw_list_heading(const struct view_banks_columns *columns, struct smc_rect line,
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

static void view_banks_draw_pattern(const struct smc_banks_state *banks, uint32_t index,
                                    const struct view_banks_columns *columns, struct smc_rect line,
                                    struct smc_frame *frame)
{
    const struct smc_banks_pattern *pattern = &banks->answer.pattern[index];
    struct smc_bank_cost total = banks->total[index];
    uint32_t conflicts = total.wavefronts - total.least;
    const bool counted = !(smc_banks_is_found(banks) && pattern->unknown);
    int col = MARKS + columns->label;
    smc_frame_text_within(frame, line, 0, MARKS, columns->label, SMC_STYLE_NORMAL, pattern->label);
    if (columns->op && !banks->answer.query.tile)
        smc_frame_printf(frame, line, 0, col + 1, SMC_STYLE_NORMAL, "%.*s", columns->op - 1,
                         columns->op > 5                ? smc_words_bank_op(pattern->op)
                         : pattern->op == SMC_BANK_LOAD ? "ld"
                                                        : "st");
    col = view_banks_put_number(frame, line, col + columns->op, columns->bytes, SMC_STYLE_NORMAL,
                                pattern->width_bytes);
    if (counted) {
        col = view_banks_put_number(frame, line, col, columns->wavefronts, SMC_STYLE_NORMAL,
                                    total.wavefronts);
        view_banks_put_number(frame, line, col, columns->conflicts,
                              conflicts ? SMC_STYLE_BAD : SMC_STYLE_GOOD, conflicts);
    } else {
        smc_frame_printf(frame, line, 0, col, SMC_STYLE_DIM, "%*s%*s", columns->wavefronts, "-",
                         columns->conflicts, "-");
    }
    if (index == banks->pattern) {
        smc_frame_restyle(frame, line, 0, banks->on_field ? SMC_STYLE_SELECTED : SMC_STYLE_CURSOR);
        smc_frame_glyph(frame, line, 0, 0, SMC_STYLE_STRONG, SMC_SIGN_SHOWN);
    }
    if (conflicts > 0)
        smc_frame_glyph(frame, line, 0, 1, SMC_STYLE_BAD, SMC_SIGN_CONFLICT);
}

static int first_pattern(const struct smc_banks_state *banks, struct smc_rect rect)
{
    return smc_list_first((int)banks->pattern, (int)banks->answer.pattern_count, rect.rows - 1);
}

static void view_banks_draw_list(const struct smc_banks_state *banks, struct smc_rect rect,
                                 struct smc_frame *frame)
{
    int count = (int)banks->answer.pattern_count, first = first_pattern(banks, rect);
    struct view_banks_columns columns = columns_for(rect.cols);
    struct smc_rect rows = rect, heading = smc_rect_cut_top(&rows, 1);
    if (count == 0)
        return;
    draw_list_heading(&columns, heading, frame);
    for (int row = 0; row < rows.rows && first + row < count; row++) {
        struct smc_rect line = {rows.row + row, rows.col, 1, rows.cols};
        view_banks_draw_pattern(banks, (uint32_t)(first + row), &columns, line, frame);
    }
    smc_list_draw_arrows(first, count, rows, frame);
}

/* The place at a row of the list; -1 where there is none. */
static int pattern_at(const struct smc_banks_state *banks, struct smc_rect rect, int row)
{
    int index = first_pattern(banks, rect) + row - 1;
    return row > 0 && index < (int)banks->answer.pattern_count ? index : -1;
}

/* --- The fields --- */

/* The fields shown; returns the first one that fits with the cursor in `rows`. */
static int list_fields(const struct smc_banks_state *banks, int rows,
                       enum smc_bank_field fields[SMC_BANK_FIELD_COUNT], int *count)
{
    *count = (int)smc_bank_fields_shown(banks, fields);
    int at = smc_banks_place(banks) - (int)banks->answer.pattern_count;
    return smc_list_first(at < 0 ? 0 : at, *count, rows);
}

static void draw_fields(const struct smc_banks_state *banks, struct smc_rect rect,
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

/* The place at a row of the fields; -1 where there is none. */
static int field_at(const struct smc_banks_state *banks, struct smc_rect rect, int row)
{
    enum smc_bank_field fields[SMC_BANK_FIELD_COUNT];
    int count, first = list_fields(banks, rect.rows, fields, &count);
    return first + row < count ? (int)banks->answer.pattern_count + first + row : -1;
}

/* --- The grid: a column per bank, a row per wavefront, in each cell the lane served --- */

enum { LABEL = SMC_BANKS_LABEL_COLUMNS, DECIMAL_CELL = 3, BOTH_MARKS_CELL = 4 };

/* What the drawing needs to know about an access, found once. */
struct view_banks_grid {
    const struct smc_bank_map *map;
    uint32_t banks;
    int cell;                               /* columns of a bank */
    uint32_t longest[SMC_MAX_BANKS];        /* the bank's longest queue for one set of lanes */
    uint32_t conflicts[SMC_MAX_WAVEFRONTS]; /* bit n: lanes of this set conflict in bank n */
    uint32_t lanes;                         /* bit n: lane n conflicts */
    bool several_sets, has_shared, has_idle;
};

static bool view_banks_is_shared(uint32_t lanes)
{
    return (lanes & (lanes - 1)) != 0;
}

/* Whether lanes share a bank of one row of memory, in whichever wavefronts. */
static bool has_shared_bank(const struct smc_bank_memory *memory)
{
    for (size_t row = 0; row < memory->count; row++)
        for (int bank = 0; bank < SMC_MAX_BANKS; bank++)
            if (view_banks_is_shared(memory->lanes[row][bank]))
                return true;
    return false;
}

/* The wavefronts of one set of lanes are consecutive; a bank is busy in the first of them. */
static void find_queues(struct view_banks_grid *grid)
{
    const struct smc_wavefront *wavefront = grid->map->wavefront;
    uint32_t count = grid->map->cost.wavefronts;
    for (uint32_t first = 0, end; first < count; first = end) {
        for (end = first; end < count && wavefront[end].set == wavefront[first].set;)
            end++;
        grid->several_sets = grid->several_sets || end < count;
        for (uint32_t bank = 0; bank < grid->banks; bank++) {
            uint32_t length = 0;
            while (first + length < end && wavefront[first + length].lanes[bank])
                length++;
            for (uint32_t i = first; i < first + length; i++) {
                uint32_t lanes = wavefront[i].lanes[bank];
                grid->conflicts[i] |= (uint32_t)(length > 1) << bank;
                grid->lanes |= length > 1 ? lanes : 0;
            }
            if (length > grid->longest[bank])
                grid->longest[bank] = length;
        }
    }
}

static bool has_idle_bank(const struct view_banks_grid *grid)
{
    for (uint32_t i = 0; i < grid->map->cost.wavefronts; i++)
        for (uint32_t bank = 0; bank < grid->banks; bank++)
            if (!grid->map->wavefront[i].lanes[bank])
                return true;
    return false;
}

static int column_of(const struct view_banks_grid *grid, uint32_t bank)
{
    return LABEL + (int)bank * grid->cell;
}

/* The number of every bank, or of every fourth where cells are narrow. */
static void draw_headings(const struct view_banks_grid *grid, struct smc_rect rect,
                          struct smc_frame *frame)
{
    uint32_t every = grid->cell < DECIMAL_CELL ? 4 : 1;
    int right = grid->cell < DECIMAL_CELL ? 1 : 2;
    smc_frame_text(frame, rect, 0, 1, SMC_STYLE_LABEL, "bank");
    smc_frame_text(frame, rect, 1, 1, SMC_STYLE_LABEL, "queue");
    for (uint32_t bank = 0; bank < grid->banks; bank++) {
        int col = column_of(grid, bank);
        if (bank % every == 0)
            smc_frame_printf(frame, rect, 0, col, SMC_STYLE_DIM, "%*u", right, bank);
        if (grid->longest[bank] <= 1)
            continue;
        if (grid->cell == 1)
            smc_frame_glyph(frame, rect, 1, col, SMC_STYLE_BAD, '!');
        else
            smc_frame_printf(frame, rect, 1, col, SMC_STYLE_BAD, "%*u", right, grid->longest[bank]);
    }
}

/* The first lane, in base 32 where a cell is narrow; beside it '!' where it conflicts and '+' where
   other lanes are served with it. */
static void view_banks_draw_cell(const struct view_banks_grid *grid, uint32_t lanes, bool conflicts,
                                 uint32_t bank, struct smc_rect rect, int line,
                                 struct smc_frame *frame)
{
    int col = column_of(grid, bank);
    bool decimal = grid->cell >= DECIMAL_CELL;
    if (!lanes) {
        smc_frame_glyph(frame, rect, line, col + decimal, SMC_STYLE_DIM, SMC_SIGN_FREE);
        return;
    }
    unsigned lane = (unsigned)__builtin_ctz(lanes);
    enum smc_style style = conflicts ? SMC_STYLE_BAD : SMC_STYLE_CURVE;
    if (decimal)
        smc_frame_printf(frame, rect, line, col, style, "%2u", lane);
    else
        smc_frame_glyph(frame, rect, line, col, style, lane < 10 ? '0' + lane : 'a' + lane - 10);
    const char *marks = !view_banks_is_shared(lanes)    ? (conflicts ? "!" : "")
                        : !conflicts                    ? "+"
                        : grid->cell >= BOTH_MARKS_CELL ? "!+"
                                                        : "*";
    if (grid->cell > 1)
        smc_frame_text(frame, rect, line, col + 1 + decimal, style, marks);
}

static void draw_wavefront(const struct view_banks_grid *grid, uint32_t row, struct smc_rect rect,
                           int line, struct smc_frame *frame)
{
    uint32_t set = grid->map->wavefront[row].set;
    if (grid->several_sets)
        smc_frame_printf(frame, rect, line, 0, SMC_STYLE_LABEL, "%2u %2d-%d", row + 1,
                         __builtin_ctz(set), 31 - __builtin_clz(set));
    else
        smc_frame_printf(frame, rect, line, 0, SMC_STYLE_LABEL, "%5u", row + 1);
    for (uint32_t bank = 0; bank < grid->banks; bank++)
        view_banks_draw_cell(grid, grid->map->wavefront[row].lanes[bank],
                             grid->conflicts[row] >> bank & 1, bank, rect, line, frame);
}

/* The same lanes at the place of their words, below the wavefronts and a blank line. Returns the
   lines taken. */
static int draw_memory(const struct view_banks_grid *grid, const struct smc_bank_memory *memory,
                       struct smc_rect rect, struct smc_frame *frame)
{
    int count = (int)memory->count, rows = rect.rows - 2;
    int shown = count <= rows ? count : rows - 1;
    if (shown < 1)
        return rect.rows;
    smc_frame_printf(frame, rect, 1, 1, SMC_STYLE_DIM,
                     "in memory, rows of %u bytes:", memory->row_bytes);
    if (shown < count)
        smc_frame_printf(frame, rect, rect.rows - 1, LABEL, SMC_STYLE_DIM, "%d more rows",
                         count - shown);
    for (int i = 0; i < shown; i++) {
        smc_frame_printf(frame, rect, 2 + i, 0, SMC_STYLE_LABEL, "%8u", memory->row[i]);
        for (uint32_t bank = 0; bank < grid->banks; bank++)
            view_banks_draw_cell(grid, memory->lanes[i][bank], memory->lanes[i][bank] & grid->lanes,
                                 bank, rect, 2 + i, frame);
    }
    return 2 + shown;
}

/* --- The arithmetic of two lanes --- */

/* Of the lanes that conflict, the first one that the bank of `lane` serves in another wavefront;
   else the next one that is active; `lane` if there is none. */
static uint32_t lane_beside(const struct smc_access *access, const struct smc_bank_layout *layout,
                            uint32_t conflicting, uint32_t lane)
{
    const uint32_t *address = access->address;
    for (uint32_t i = lane + 1; i < SMC_WARP_LANES; i++)
        if (conflicting >> i & 1 && address[i] / 4 != address[lane] / 4 &&
            smc_bank_at(layout, address[i]) == smc_bank_at(layout, address[lane]))
            return i;
    const uint32_t after = access->mask & ~(uint32_t)((UINT64_C(2) << lane) - 1);
    return after ? (uint32_t)__builtin_ctz(after) : lane;
}

/* "lane 1: byte 128; 128 / 4 = word 32; 32 mod 32 = bank 0". */
static void draw_lane(const struct smc_access *access, const struct smc_bank_layout *layout,
                      uint32_t lane, struct smc_rect rect, int row, struct smc_frame *frame)
{
    const uint32_t byte = access->address[lane], word_bytes = smc_bank_bytes(layout);
    smc_frame_printf(frame, rect, row, 1, SMC_STYLE_NORMAL,
                     "lane %2u: byte %u;  %u / %u = word %u;  %u mod %u = bank %u", lane, byte,
                     byte, word_bytes, byte / word_bytes, byte / word_bytes, layout->banks,
                     smc_bank_at(layout, byte));
}

/* Below a blank line, if there is room. */
static void draw_arithmetic(const struct view_banks_grid *grid, const struct smc_access *access,
                            const struct smc_bank_layout *layout, struct smc_rect rect,
                            struct smc_frame *frame)
{
    const uint32_t conflicting = grid->lanes & access->mask;
    if (rect.rows < 5 || !access->mask)
        return;
    const uint32_t lane = (uint32_t)__builtin_ctz(conflicting ? conflicting : access->mask);
    const uint32_t other = lane_beside(access, layout, conflicting, lane);
    smc_frame_printf(frame, rect, 1, 1, SMC_STYLE_DIM, "from address to bank:");
    draw_lane(access, layout, lane, rect, 2, frame);
    if (other != lane)
        draw_lane(access, layout, other, rect, 3, frame);
    if (other != lane && conflicting &&
        smc_bank_at(layout, access->address[lane]) == smc_bank_at(layout, access->address[other]))
        smc_frame_text(frame, rect, 4, 1, SMC_STYLE_BAD,
                       "two words of one bank: one waits for the other");
}

/* On the top edge, beside the title. */
static void draw_verdict(const struct smc_bank_map *map, struct smc_rect rect,
                         struct smc_frame *frame)
{
    struct smc_rect edge = {rect.row - 1, rect.col, 1, rect.cols - 1};
    uint32_t wavefronts = map->cost.wavefronts, conflicts = wavefronts - map->cost.least;
    char text[64], count[16];
    snprintf(count, sizeof count, "%u", conflicts);
    snprintf(text, sizeof text, " %u wavefront%s, %s conflict%s ", wavefronts,
             smc_text_plural(wavefronts), conflicts ? count : "no", conflicts > 1 ? "s" : "");
    smc_frame_text_right(frame, edge, 0, conflicts ? SMC_STYLE_BAD : SMC_STYLE_GOOD, text);
}

static void view_banks_draw_legend(const struct view_banks_grid *grid, struct smc_rect rect,
                                   struct smc_frame *frame)
{
    struct smc_text legend = {0};
    bool shared = grid->cell > 1 && grid->has_shared;
    smc_list_add_sign(grid->cell < DECIMAL_CELL, "a-v: lanes 10-31", &legend);
    smc_list_add_sign(grid->lanes, "! conflicts", &legend);
    smc_list_add_sign(shared, "+ and others", &legend);
    smc_list_add_sign(shared && grid->lanes && grid->cell < BOTH_MARKS_CELL, "* both", &legend);
    smc_list_add_sign(grid->has_idle, "\xc2\xb7 free", &legend);
    smc_list_draw_legend(&legend, rect, frame);
}

static void draw_grid(const struct smc_banks_state *banks, struct smc_rect rect,
                      struct smc_frame *frame)
{
    uint32_t count = banks->answer.layout.banks;
    struct view_banks_grid grid = {
        .map = &banks->map,
        .banks = count,
        .cell = smc_banks_cell_columns(rect, count),
        .has_shared = has_shared_bank(&banks->memory),
    };
    int wavefronts = (int)banks->map.cost.wavefronts;
    struct smc_rect rows = rect;
    smc_rect_cut_top(&rows, SMC_BANKS_HEADINGS);
    int last = wavefronts - rows.rows, first = banks->top < last ? banks->top : last;
    first = first < 0 ? 0 : first;
    if (wavefronts == 0) {
        smc_frame_text(frame, rect, 0, 1, SMC_STYLE_DIM,
                       smc_banks_is_found(banks) ? "the lanes' addresses are not known here"
                                                 : "no lane of this warp is active here");
        return;
    }
    find_queues(&grid);
    grid.has_idle = has_idle_bank(&grid);
    draw_headings(&grid, rect, frame);
    for (int row = first; row < wavefronts && row - first < rows.rows; row++)
        draw_wavefront(&grid, (uint32_t)row, rows, row - first, frame);
    smc_list_draw_arrows(first, wavefronts, rows, frame);
    draw_verdict(&banks->map, rect, frame);
    smc_rect_cut_top(&rows, wavefronts);
    smc_rect_cut_top(&rows, draw_memory(&grid, &banks->memory, rows, frame));
    draw_arithmetic(&grid, &banks->access, &banks->answer.layout, rows, frame);
    view_banks_draw_legend(&grid, rect, frame);
}

/* --- What removes the conflicts --- */

/* The expression follows if it fits in `most` characters with the text from `begun` on. */
static void view_banks_append_expression(const char *expression, size_t begun, size_t most,
                                         struct smc_text *out)
{
    if (*expression && out->length - begun + strlen(expression) + 2 <= most)
        smc_text_printf(out, ": %s", expression);
}

static void append_proposal(const struct smc_banks_pattern *pattern,
                            const struct smc_remedy *remedy, const char *name, size_t most,
                            struct smc_text *out)
{
    size_t begun = out->length;
    smc_text_append(out, name);
    smc_words_remedy(pattern, remedy, out);
    view_banks_append_expression(remedy->expression, begun, most, out);
}

/* A padding is named by the value of its field. */
static void append_proposals(const struct smc_banks_pattern *pattern, size_t most,
                             struct smc_text *out)
{
    char name[32];
    const struct smc_remedy *padding =
        pattern->narrower.found ? &pattern->narrower : &pattern->padding;
    const struct smc_rearrangement *layout = &padding->rearrangement;
    snprintf(name, sizeof name,
             "padding %d: ", (int)layout->padding_elements - (int)layout->dropped_elements);
    if (padding->found)
        append_proposal(pattern, padding, name, most, out);
    if (padding->found && pattern->swizzle.found)
        smc_text_append(out, "\n");
    if (pattern->swizzle.found)
        append_proposal(pattern, &pattern->swizzle, "swizzle: ", most, out);
    if (!padding->found && !pattern->swizzle.found)
        smc_text_printf(
            out,
            "no padding of up to %d elements and no swizzle c ^ (r >> s & m) removes all conflicts",
            SMC_MOST_PADDING);
}

static void append_layout(const struct smc_banks_state *banks,
                          const struct smc_rearrangement *layout, size_t most, struct smc_text *out)
{
    size_t begun = out->length;
    smc_words_rearrangement(layout, out);
    view_banks_append_expression(banks->expression, begun, most, out);
}

/* The chosen layout of the array shown. */
static void view_banks_append_change(const struct smc_banks_state *banks, size_t most,
                                     struct smc_text *out)
{
    struct smc_rearrangement layout = banks->change.array[smc_banks_shown(banks)->array];
    bool padded = layout.padding_elements || layout.dropped_elements;
    if (padded)
        append_layout(banks, &layout, most, out);
    if (padded && layout.swizzle_span)
        smc_text_append(out, "\n");
    layout.padding_elements = 0;
    if (layout.swizzle_span)
        append_layout(banks, &layout, most, out);
}

/* Of an array that a layout places: its layout, or the smallest changes. */
static void append_tile_remedy(const struct smc_banks_state *banks, struct smc_text *out)
{
    const struct smc_banks_answer *answer = &banks->answer;
    const struct smc_banks_pattern *worst = &answer->pattern[answer->worst];
    if (worst->total.wavefronts == worst->total.least) {
        smc_text_append(out, "no conflict: ");
        smc_words_tile(&banks->question.tile, out);
        return;
    }
    if (!answer->tile_padding.found && !answer->tile_swizzle.found)
        smc_words_tile_hopeless(answer, out);
    smc_words_tile_swizzle(&answer->tile_swizzle, out);
    if (answer->tile_padding.found && answer->tile_swizzle.found)
        smc_text_append(out, "\n");
    smc_words_tile_padding(&answer->tile_padding, out);
}

/* Of an access of the user's kernel. */
static void append_found_remedy(const struct smc_banks_state *banks, struct smc_text *out)
{
    const struct smc_open_accesses *found = banks->found;
    const struct smc_open_access *access = &found->item[banks->pattern];
    if (access->remark[0])
        smc_text_append(out, access->remark);
    else if (access->total.wavefronts == access->total.least)
        smc_text_append(out, "no conflict: each warp takes the fewest wavefronts");
    else
        smc_text_append(out, "nothing is known that removes these conflicts");
    if (found->all > found->count)
        smc_text_printf(out, "\n%zu more accesses have no more conflicts than these",
                        found->all - found->count);
}

static void view_banks_append_remedy(const struct smc_banks_state *banks, size_t most,
                                     struct smc_text *out)
{
    if (banks->answer.query.tile) {
        append_tile_remedy(banks, out);
        return;
    }
    if (smc_banks_is_found(banks)) {
        append_found_remedy(banks, out);
        return;
    }
    const struct smc_banks_pattern *pattern = smc_banks_shown(banks);
    struct smc_bank_cost now = banks->total[banks->pattern];
    uint32_t was = pattern->total.wavefronts - pattern->total.least;
    uint32_t left = now.wavefronts - now.least;
    if (was == 0 && left == 0) {
        smc_text_append(out, "no conflict: each warp takes the fewest wavefronts");
    } else if (was == 0) {
        smc_text_printf(out, "%" PRIu32 " conflict%s with this layout, none as written", left,
                        smc_text_plural(left));
    } else if (left == 0) {
        smc_text_printf(out, "none of %" PRIu32 " conflict%s is left: ", was, smc_text_plural(was));
        view_banks_append_change(banks, most, out);
    } else {
        append_proposals(pattern, most, out);
    }
}

/* Where the panel has space left. */
static void draw_explanation(struct smc_rect rect, struct smc_frame *frame)
{
    static const char text[] =
        "A wavefront reads or writes one word of each bank. Lanes that access different words of "
        "one bank conflict: they are served one after the other. Lanes that access the same word "
        "are served together. Padding moves each row of the array to other banks; a swizzle does "
        "the same without using more memory.";
    enum { LEAST_ROWS = 8 };
    if (rect.rows >= LEAST_ROWS)
        smc_frame_paragraph(frame, rect, 0, SMC_STYLE_DIM, text);
}

static void draw_remedy(const struct smc_banks_state *banks, struct smc_rect rect,
                        struct smc_frame *frame)
{
    enum { TALL = 7, LINES = 4 };
    struct smc_rect text = {rect.row, rect.col + 1, rect.rows, rect.cols - 2};
    smc_auto_text words = {0};
    enum smc_style style = SMC_STYLE_BAD;
    size_t most = (size_t)text.cols * (rect.rows >= TALL ? LINES : 1);
    if (banks->answered) {
        struct smc_bank_cost now = banks->total[banks->pattern];
        style = now.wavefronts > now.least ? SMC_STYLE_WARN : SMC_STYLE_GOOD;
        view_banks_append_remedy(banks, most, &words);
    } else {
        smc_text_append(&words, banks->why);
    }
    int row = smc_frame_paragraph(frame, text, 0, style, smc_text_string(&words));
    smc_rect_cut_top(&text, row + 1);
    bool one_word_banks = banks->answer.layout.row_words == banks->answer.layout.banks;
    if (banks->answered && one_word_banks) /* not on CC 3.x */
        draw_explanation(text, frame);
}

/* --- The view --- */

static void view_banks_write_title(const struct smc_banks_state *banks, int cols, char title[256])
{
    enum { VERDICT = 32, EDGES = 8, LEAST_LABEL = 16 };
    const struct smc_banks_pattern *pattern = smc_banks_shown(banks);
    const bool is_tile = banks->answer.query.tile;
    char place[48];
    int used = is_tile ? snprintf(place, sizeof place, "instruction %u", banks->iteration)
                       : snprintf(place, sizeof place, "warp %u", banks->warp);
    if (pattern->steps > 1 && !is_tile)
        used +=
            snprintf(place + used, sizeof place - (size_t)used, ", iteration %u", banks->iteration);
    const int room = cols - used - VERDICT - EDGES - 2;
    const bool fits = smc_utf8_string_columns(pattern->label) <= room;
    const size_t bytes =
        smc_utf8_fit(pattern->label, room > LEAST_LABEL && !fits ? room - 1 : room);
    if (fits || room > LEAST_LABEL)
        snprintf(title, 256, "%.*s%s, %s", (int)(bytes < 180 ? bytes : 180), pattern->label,
                 fits ? "" : "\xe2\x80\xa6", place);
    else
        snprintf(title, 256, "%s", place);
}

/* What the list is about. */
static const char *view_banks_subject(const struct smc_tui *tui)
{
    const struct smc_banks_state *banks = &tui->banks;
    const struct smc_file_kernel *kernel = tui->explore.query.file_kernel;
    return smc_banks_is_tile(banks)    ? "array"
           : smc_banks_is_own(banks)   ? "expression"
           : smc_banks_is_found(banks) ? kernel ? kernel->short_name : "kernel"
                                       : banks->launch.kernel->name;
}

static void view_banks_draw(const struct smc_tui *tui, struct smc_rect body,
                            struct smc_frame *frame)
{
    const struct smc_banks_state *banks = &tui->banks;
    struct smc_banks_layout layout;
    char title[256] = "banks";
    smc_banks_lay_out(body, &layout);
    if (banks->answered)
        view_banks_write_title(banks, layout.frame[SMC_BANKS_GRID].cols, title);
    smc_frame_box(frame, layout.frame[SMC_BANKS_LIST], view_banks_subject(tui));
    smc_frame_box(frame, layout.frame[SMC_BANKS_FIELDS], "layout");
    smc_frame_box(frame, layout.frame[SMC_BANKS_GRID], title);
    smc_frame_box(frame, layout.frame[SMC_BANKS_REMEDY],
                  banks->answered             ? "what helps"
                  : smc_banks_is_found(banks) ? "nothing to show"
                                              : "no answer");
    draw_fields(banks, layout.inside[SMC_BANKS_FIELDS], frame);
    draw_remedy(banks, layout.inside[SMC_BANKS_REMEDY], frame);
    if (!banks->answered)
        return;
    view_banks_draw_list(banks, layout.inside[SMC_BANKS_LIST], frame);
    draw_grid(banks, layout.inside[SMC_BANKS_GRID], frame);
}

/* --- Changing --- */

static void view_banks_open(struct smc_tui *tui)
{
    const struct smc_open_kernel *kernel = smc_tui_open_kernel(tui);
    const struct smc_open_accesses *accesses = &tui->file.accesses;
    static const struct smc_open_accesses none;
    if (kernel)
        smc_banks_open_found(&tui->banks, &tui->explore.query,
                             strcmp(accesses->kernel, kernel->symbol) == 0 ? accesses : &none);
    else
        smc_banks_open(&tui->banks, &tui->explore.query);
}

/* On an instruction the arrows pad its array. */
static void view_banks_step(struct smc_banks_state *banks, int direction, bool far)
{
    if (smc_banks_is_found(banks) && !banks->on_field)
        return; /* its array is changed in the source */
    struct smc_banks_choice choice = banks->choice;
    enum smc_bank_field field = banks->on_field            ? banks->field
                                : smc_banks_is_tile(banks) ? SMC_BANK_FIELD_ITERATION
                                                           : SMC_BANK_FIELD_PADDING;
    smc_bank_field_step(banks, field, direction, far, &choice);
    smc_banks_choose(banks, &choice);
}

/* On an instruction, resets its array and its place. */
static void view_banks_reset(struct smc_banks_state *banks)
{
    static const enum smc_bank_field all[] = {SMC_BANK_FIELD_PADDING, SMC_BANK_FIELD_SWIZZLE,
                                              SMC_BANK_FIELD_WARP, SMC_BANK_FIELD_BITS};
    struct smc_banks_choice choice = banks->choice;
    if (smc_banks_is_found(banks) && !banks->on_field)
        return;
    if (banks->on_field)
        smc_bank_field_reset(banks, banks->field, &choice);
    else
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            smc_bank_field_reset(banks, all[i], &choice);
    smc_banks_choose(banks, &choice);
}

static void view_banks_ask(struct smc_tui *tui, const char *begun)
{
    char hint[128];
    struct smc_field_view view;
    enum smc_bank_field field = tui->banks.field;
    smc_bank_field_show(&tui->banks, field, &view);
    smc_bank_field_hint(&tui->banks, field, hint);
    smc_tui_ask(tui, view.label, hint, begun);
}

/* The text as it is, which typing replaces. */
static void ask_again(struct smc_tui *tui, const char *text)
{
    view_banks_ask(tui, text);
    tui->prompt.is_fresh = true;
}

/* From an instruction to its layout; a switch is flipped; any other field asks for a value. */
static void view_banks_enter(struct smc_tui *tui)
{
    struct smc_banks_state *banks = &tui->banks;
    struct smc_banks_choice choice = banks->choice;
    const char *text = smc_bank_field_text(&choice, banks->field);
    if (!banks->on_field)
        smc_banks_go(banks, (int)banks->answer.pattern_count);
    else if (smc_bank_field_flip(banks, banks->field, &choice))
        smc_banks_choose(banks, &choice);
    else
        ask_again(tui, text ? text : "");
}

/* A value without an answer is not kept. */
static void view_banks_typed(struct smc_tui *tui, const char *text)
{
    struct smc_banks_state *banks = &tui->banks;
    struct smc_banks_choice choice = banks->choice;
    struct smc_error error = {""};
    if (text[0] == '\0')
        return;
    enum smc_status status = smc_bank_field_type(banks, banks->field, text, &choice, &error);
    if (status == SMC_OK)
        smc_banks_choose(banks, &choice);
    if (status == SMC_OK && banks->answered)
        return;
    smc_tui_say(tui, SMC_STYLE_BAD, "%s", status == SMC_OK ? banks->why : error.message);
    if (status == SMC_OK)
        smc_banks_undo(banks);
}

static void view_banks_type(struct smc_tui *tui, uint32_t character)
{
    struct smc_banks_state *banks = &tui->banks;
    struct smc_banks_choice choice = banks->choice;
    char begun[5] = "";
    bool digit = character >= '0' && character <= '9';
    bool expression = banks->on_field && smc_bank_field_text(&choice, banks->field);
    bool is_switch = banks->on_field && smc_bank_field_flip(banks, banks->field, &choice);
    if (!banks->on_field || is_switch || !(digit || (expression && character == '(')))
        return;
    begun[smc_utf8_encode(character, begun)] = '\0';
    view_banks_ask(tui, begun);
}

static bool view_banks_search(struct smc_tui *tui)
{
    struct smc_banks_state *banks = &tui->banks;
    enum smc_bank_field fields[SMC_BANK_FIELD_COUNT];
    int patterns = (int)banks->answer.pattern_count, here = smc_banks_place(banks);
    int count = patterns + (int)smc_bank_fields_shown(banks, fields);
    for (int i = 1; i <= count; i++) {
        int place = (here + i) % count;
        struct smc_field_view view = {.label = ""};
        if (place < patterns)
            view.label = banks->answer.pattern[place].label;
        else
            smc_bank_field_show(banks, fields[place - patterns], &view);
        if (strcasestr(view.label, tui->searched) || strcasestr(view.value, tui->searched)) {
            smc_banks_go(banks, place);
            return true;
        }
    }
    smc_tui_say(tui, SMC_STYLE_WARN, "'%s' is not on this screen", tui->searched);
    return true;
}

static void show_found_command(struct smc_tui *tui)
{
    struct smc_query query = tui->explore.query;
    smc_auto_text words = {0};
    query.device_assumed = false;
    smc_text_printf(&words, "%s banks ", smc_program_name());
    smc_words_quote(tui->file.question.file, &words);
    smc_text_append(&words, " --entry ");
    smc_words_quote(query.file_kernel->short_name, &words);
    smc_text_printf(&words, " --block %lld", (long long)query.threads_per_block);
    smc_words_device_option(&query, &words);
    smc_tui_show_command(tui, smc_text_string(&words));
}

/* A command with the same answer. For a kernel with a changed layout that is possible only for the
   access shown. */
static void view_banks_show_command(struct smc_tui *tui)
{
    const struct smc_banks_state *banks = &tui->banks;
    struct smc_banks_query query = banks->answer.query;
    smc_auto_text words = {0};
    bool changed = banks->change.array[smc_banks_shown(banks)->array].row_elements;
    if (smc_banks_is_found(banks)) {
        show_found_command(tui);
        return;
    }
    query.device_assumed = false; /* named as well: whoever copies it may have another GPU */
    if (banks->choice.placed)
        query.warp = (int32_t)banks->warp;
    if (query.tile)
        smc_words_tile_command(&query, &banks->question.tile, &words);
    else if (query.kernel ? !changed : banks->expression[0] != '\0')
        smc_words_banks_command(&query, query.kernel ? NULL : banks->expression, &words);
    else
        smc_words_banks_row_command(&query, &banks->access, &words);
    smc_tui_show_command(tui, smc_text_string(&words));
}

static void view_banks_scroll(struct smc_tui *tui, int pages)
{
    struct smc_banks_layout layout;
    smc_banks_lay_out(smc_tui_body(tui), &layout);
    int rows = layout.inside[SMC_BANKS_GRID].rows - SMC_BANKS_HEADINGS;
    int last = (int)tui->banks.map.cost.wavefronts - rows;
    tui->banks.top = smc_list_scrolled(tui->banks.top, pages * rows, last);
}

static bool view_banks_act(struct smc_tui *tui, enum smc_action action)
{
    struct smc_banks_state *banks = &tui->banks;
    switch (action) {
    case SMC_ACTION_UP:
    case SMC_ACTION_DOWN:
        smc_banks_move(banks, action == SMC_ACTION_DOWN ? 1 : -1);
        return true;
    case SMC_ACTION_FIRST:
        smc_banks_go(banks, 0);
        return true;
    case SMC_ACTION_LAST:
        smc_banks_go(banks, SMC_MAX_SHARED_ACCESSES + SMC_BANK_FIELD_COUNT);
        return true;
    case SMC_ACTION_PAGE_UP:
    case SMC_ACTION_PAGE_DOWN:
        view_banks_scroll(tui, action == SMC_ACTION_PAGE_DOWN ? 1 : -1);
        return true;
    case SMC_ACTION_LESS:
    case SMC_ACTION_MORE:
        view_banks_step(banks, action == SMC_ACTION_MORE ? 1 : -1, false);
        return true;
    case SMC_ACTION_MUCH_LESS:
    case SMC_ACTION_MUCH_MORE:
        view_banks_step(banks, action == SMC_ACTION_MUCH_MORE ? 1 : -1, true);
        return true;
    case SMC_ACTION_ENTER:
        view_banks_enter(tui);
        return true;
    case SMC_ACTION_RESET:
        view_banks_reset(banks);
        return true;
    case SMC_ACTION_UNDO:
        if (!smc_banks_undo(banks))
            smc_tui_say(tui, SMC_STYLE_WARN, "nothing to undo");
        return true;
    case SMC_ACTION_AGAIN:
        return view_banks_search(tui);
    case SMC_ACTION_COMMAND:
        if (banks->answered)
            view_banks_show_command(tui);
        return banks->answered;
    default:
        return false;
    }
}

static void view_banks_click(struct smc_tui *tui, struct smc_rect body, int row, int col,
                             int direction)
{
    struct smc_banks_state *banks = &tui->banks;
    struct smc_banks_layout layout;
    smc_banks_lay_out(body, &layout);
    struct smc_rect list = layout.inside[SMC_BANKS_LIST];
    struct smc_rect fields = layout.inside[SMC_BANKS_FIELDS];
    int place = smc_rect_holds(list, row, col)     ? pattern_at(banks, list, row - list.row)
                : smc_rect_holds(fields, row, col) ? field_at(banks, fields, row - fields.row)
                                                   : -1;
    if (direction != 0 && smc_rect_holds(layout.inside[SMC_BANKS_GRID], row, col))
        view_banks_scroll(tui, direction);
    else if (direction != 0)
        view_banks_step(banks, -direction, false);
    else if (place >= 0 && place == smc_banks_place(banks) && banks->on_field)
        view_banks_step(banks, col < fields.col + fields.cols / 2 ? -1 : 1, false);
    else if (place >= 0)
        smc_banks_go(banks, place);
}

const struct smc_view smc_view_banks = {
    .title = "banks",
    .open = view_banks_open,
    .refresh = view_banks_open,
    .draw = view_banks_draw,
    .act = view_banks_act,
    .character = view_banks_type,
    .answered = view_banks_typed,
    .click = view_banks_click,
};
