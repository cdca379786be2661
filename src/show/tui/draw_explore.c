/* The first screen's panels: where they are on any size of the screen, and what they show. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "show/report/writers.h"
#include "show/tui/explore.h"

enum { LABEL_COLUMNS = 15 };

/* --- Layout --- */

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
    LEAST_LAUNCH = 7,
    LEAST_WORK = 4,
    MOST_BAR_ROWS = 4,
    LEAST_CHART = 7,
    TIME_FROM = 18, /* rows of the time and the chart together; with fewer the time is a line */
    LEAST_TIME = 8,
    MOST_TIME = SMC_TIME_TERM_COUNT + 5,
};

/* A tall screen leaves at least half to the chart. */
static int bar_rows(int rows)
{
    int fit = (rows / 2 - 2) / RESOURCES;
    return fit < 1 ? 1 : fit > MOST_BAR_ROWS ? MOST_BAR_ROWS : fit;
}

static int launch_cols(int cols)
{
    return cols < MIDDLE_FROM ? NARROW : cols < WIDE_FROM ? MIDDLE : WIDE;
}

/* The rows wanted, but at least the usual ones and at most what is left. */
static int draw_explore_between(int usual, int wanted, int left)
{
    int rows = wanted < left ? wanted : left;
    return rows > usual ? rows : usual;
}

/* The launch, the next steps and, on a tall screen, the work. */
static void left_column(struct smc_rect left, int steps_rows, struct smc_explore_layout *layout)
{
    int usual = left.rows * 3 / 8 > LEAST_STEPS ? left.rows * 3 / 8 : LEAST_STEPS;
    int steps = draw_explore_between(usual, steps_rows + 2, left.rows + 1 - LEAST_LAUNCH);
    if (left.rows < LAUNCH_ROWS + 2 * STEPS_ROWS) {
        layout->frame[SMC_PANEL_LAUNCH] = smc_rect_share_top(&left, left.rows - steps + 1);
        layout->frame[SMC_PANEL_STEPS] = left;
    } else {
        layout->frame[SMC_PANEL_LAUNCH] = smc_rect_share_top(&left, LAUNCH_ROWS);
        layout->frame[SMC_PANEL_STEPS] =
            smc_rect_share_top(&left, draw_explore_between((left.rows + 1) / 2, steps_rows + 2,
                                                           left.rows + 1 - LEAST_WORK));
        layout->frame[SMC_PANEL_WORK] = left;
    }
}

static bool is_wide(struct smc_rect body)
{
    return body.cols >= THREE_COLUMNS_FROM && body.rows >= 3 * STEPS_ROWS;
}

static int sm_bar_rows(struct smc_rect body)
{
    return bar_rows(is_wide(body) ? body.rows : body.rows - RESOURCES - 1);
}

/* The rows of the time's panel, with its edges; 0 where it is a line. */
static int time_rows(struct smc_rect body)
{
    int above = sm_bar_rows(body) * RESOURCES + 1 + (is_wide(body) ? 0 : RESOURCES + 1);
    int left = body.rows - above, rows = left * 2 / 5;
    return left < TIME_FROM    ? 0
           : rows < LEAST_TIME ? LEAST_TIME
           : rows > MOST_TIME  ? MOST_TIME
                               : rows;
}

/* The time, where it has a panel, is above the chart. */
static void time_and_chart(struct smc_rect rect, int time_rows, struct smc_explore_layout *layout)
{
    if (time_rows > 0)
        layout->frame[SMC_PANEL_TIME] = smc_rect_share_top(&rect, time_rows);
    layout->frame[SMC_PANEL_CHART] = rect;
}

static void two_columns(struct smc_rect body, int steps_rows, int time_rows,
                        struct smc_explore_layout *layout)
{
    layout->sm_rows = sm_bar_rows(body);
    left_column(smc_rect_share_left(&body, launch_cols(body.cols)), steps_rows, layout);
    layout->frame[SMC_PANEL_SM] = smc_rect_share_top(&body, layout->sm_rows * RESOURCES + 2);
    if (body.rows > RESOURCES + LEAST_CHART) /* a chart of fewer rows shows less than the limits */
        layout->frame[SMC_PANEL_LIMITS] = smc_rect_share_top(&body, RESOURCES + 2);
    time_and_chart(body, time_rows, layout);
}

static void three_columns(struct smc_rect body, int steps_rows, int time_rows,
                          struct smc_explore_layout *layout)
{
    layout->sm_rows = sm_bar_rows(body);
    layout->frame[SMC_PANEL_LAUNCH] = smc_rect_share_left(&body, WIDE);
    struct smc_rect middle = smc_rect_share_left(&body, body.cols - SIDE + 1);
    layout->frame[SMC_PANEL_SM] = smc_rect_share_top(&middle, layout->sm_rows * RESOURCES + 2);
    time_and_chart(middle, time_rows, layout);
    layout->frame[SMC_PANEL_LIMITS] = smc_rect_share_top(&body, RESOURCES + 2);
    layout->frame[SMC_PANEL_STEPS] = smc_rect_share_top(
        &body, draw_explore_between(body.rows / 2, steps_rows + 2, body.rows + 1 - LEAST_WORK));
    layout->frame[SMC_PANEL_WORK] = body;
}

void smc_explore_lay_out(struct smc_rect body, int steps_rows, enum smc_time_form time,
                         struct smc_explore_layout *layout)
{
    int rows = time == SMC_TIME_PANEL ? time_rows(body) : 0;
    *layout = (struct smc_explore_layout){.sm_rows = 1};
    if (time != SMC_TIME_HIDDEN && rows == 0)
        layout->time_line = smc_rect_cut_top(&body, 1);
    if (is_wide(body))
        three_columns(body, steps_rows, rows, layout);
    else
        two_columns(body, steps_rows, rows, layout);
    for (int i = 0; i < SMC_PANEL_COUNT; i++)
        layout->inside[i] = smc_rect_inside(layout->frame[i]);
}

/* --- The launch --- */

static int draw_explore_list_fields(const struct smc_explore *explore, int rows,
                                    enum smc_field fields[SMC_FIELD_COUNT], int *count)
{
    int at = 0;
    *count = (int)smc_fields_shown(&explore->query, fields);
    for (int i = 0; i < *count; i++)
        if (fields[i] == explore->field)
            at = i;
    return smc_list_first(at, *count, rows);
}

static void draw_field(const struct smc_explore *explore, enum smc_field field,
                       struct smc_rect line, struct smc_frame *frame)
{
    struct smc_field_view view;
    smc_explore_show(explore, field, &view);
    if (field == SMC_FIELD_DEVICE)
        snprintf(view.value, sizeof view.value, "%s", smc_device_model(&explore->query.device));
    view.awaited = field == SMC_FIELD_REGS && explore->wants_compile;
    if (view.awaited)
        snprintf(view.source, sizeof view.source, "compiling\xe2\x80\xa6");
    smc_list_draw_field(&view, field == explore->field, line, frame);
}

static void explore_draw_launch(const struct smc_explore *explore, struct smc_rect rect,
                                struct smc_frame *frame)
{
    enum smc_field fields[SMC_FIELD_COUNT];
    int count, first = draw_explore_list_fields(explore, rect.rows, fields, &count);
    for (int row = 0; row < rect.rows && first + row < count; row++) {
        struct smc_rect line = {rect.row + row, rect.col, 1, rect.cols};
        draw_field(explore, fields[first + row], line, frame);
    }
    smc_list_draw_arrows(first, count, rect, frame);
}

bool smc_explore_field_at(const struct smc_explore *explore, struct smc_rect rect, int row,
                          enum smc_field *field)
{
    enum smc_field fields[SMC_FIELD_COUNT];
    int count, first = draw_explore_list_fields(explore, rect.rows, fields, &count);
    if (row < 0 || row >= rect.rows || first + row >= count)
        return false;
    *field = fields[first + row];
    return true;
}

/* --- One SM, to scale --- */

static struct smc_share threads_share(const struct smc_answer *answer)
{
    const struct smc_sm *sm = &answer->query.device.sm;
    uint64_t lanes = (uint64_t)answer->occupancy.warps_per_block * sm->warp_size;
    uint64_t threads = answer->launch.threads_per_block;
    return (struct smc_share){
        .total = (uint64_t)sm->max_warps_per_sm * sm->warp_size,
        .allocated = lanes,
        .used = threads,
        .rounding = lanes - threads,
    };
}

static struct smc_share registers_share(const struct smc_answer *answer)
{
    const struct smc_sm *sm = &answer->query.device.sm;
    uint64_t allocated = answer->occupancy.regs_allocated_per_block;
    uint64_t used = (uint64_t)answer->launch.regs_per_thread * answer->launch.threads_per_block;
    return (struct smc_share){
        .total = sm->regs_per_sm,
        .allocated = allocated,
        .used = used < allocated ? used : allocated,
        .rounding = used < allocated ? allocated - used : 0,
    };
}

static struct smc_share shared_memory_share(const struct smc_answer *answer)
{
    const struct smc_launch *launch = &answer->launch;
    uint64_t allocated = answer->occupancy.smem_allocated_per_block_bytes;
    uint64_t used = (uint64_t)launch->static_smem_bytes + launch->dynamic_smem_bytes;
    uint64_t reserved = answer->query.device.sm.smem_reserved_per_block_bytes;
    if (used + reserved > allocated) /* refused: nothing is allocated */
        used = reserved = allocated = 0;
    return (struct smc_share){
        .total = answer->occupancy.smem_configured_bytes,
        .allocated = allocated,
        .used = used,
        .reserved = reserved,
        .rounding = allocated - used - reserved,
    };
}

static struct smc_share slots_share(const struct smc_answer *answer)
{
    return (struct smc_share){
        .total = answer->query.device.sm.max_blocks_per_sm, .allocated = 1, .used = 1};
}

/* Barriers of an SM are a limit only where the model counts them. */
static struct smc_share barriers_share(const struct smc_answer *answer)
{
    bool counted = answer->occupancy.limit[SMC_LIMIT_BARRIERS] != SMC_UNLIMITED;
    return (struct smc_share){
        .total = counted ? answer->query.device.sm.barriers_per_sm : 0,
        .allocated = answer->launch.barriers_per_block,
        .used = answer->launch.barriers_per_block,
    };
}

size_t smc_sm_shares(const struct smc_answer *answer, struct smc_share share[SMC_LIMIT_COUNT])
{
    static struct smc_share (*const shares[SMC_LIMIT_COUNT])(const struct smc_answer *) = {
        [SMC_LIMIT_WARPS] = threads_share,
        [SMC_LIMIT_REGISTERS] = registers_share,
        [SMC_LIMIT_SHARED_MEMORY] = shared_memory_share,
        [SMC_LIMIT_BLOCKS] = slots_share,
        [SMC_LIMIT_BARRIERS] = barriers_share,
    };
    size_t count = 0;
    for (int limit = 0; limit < SMC_LIMIT_COUNT; limit++) {
        if (!shares[limit])
            continue;
        struct smc_share *next = &share[count];
        *next = shares[limit](answer);
        if (next->total == 0)
            continue;
        next->limit = (enum smc_limit)limit;
        next->unit = limit == SMC_LIMIT_WARPS ? answer->query.device.sm.warp_size : 1;
        next->label = smc_words_short_label(next->limit);
        next->blocks = answer->occupancy.blocks_per_sm;
        next->binds = answer->occupancy.limit[limit] <= next->blocks;
        count++;
    }
    return count;
}

static uint64_t draw_explore_rounded(uint64_t numerator, uint64_t denominator)
{
    return (2 * numerator + denominator) / (2 * denominator);
}

/* The cell at which a block begins. */
static uint64_t edge(const struct smc_share *share, uint64_t block, uint32_t cells)
{
    return draw_explore_rounded(block * share->allocated * cells, share->total);
}

/* Within a block of several cells: what it asked for comes first, in at least one cell. */
static enum smc_part_kind kind_within(const struct smc_share *share, uint64_t cell, uint64_t cells)
{
    uint64_t used = draw_explore_rounded(cells * share->used, share->allocated);
    uint64_t reserved =
        draw_explore_rounded(cells * (share->used + share->reserved), share->allocated);
    if (cell < used || (cell == 0 && share->used > 0))
        return SMC_PART_USED;
    return cell < reserved ? SMC_PART_RESERVED : SMC_PART_ROUNDING;
}

struct smc_part smc_sm_part(const struct smc_share *share, uint32_t cell, uint32_t cells)
{
    uint64_t filled = edge(share, share->blocks, cells), width = share->allocated * cells;
    bool some = share->allocated > 0 && share->blocks > 0;
    if (cell >= filled + (some && filled == 0))
        return (struct smc_part){share->binds ? SMC_PART_UNREACHABLE : SMC_PART_FREE, 0};
    if (width < share->total) { /* several blocks share a cell: the one at its beginning */
        uint64_t block = cell * share->total / width;
        return (struct smc_part){kind_within(share, 0, 1), (uint32_t)block};
    }
    uint64_t block = (2 * (uint64_t)cell + 1) * share->total / (2 * width);
    if (edge(share, block, cells) > cell)
        block--;
    uint64_t first = edge(share, block, cells), end = edge(share, block + 1, cells);
    return (struct smc_part){kind_within(share, cell - first, end - first), (uint32_t)block};
}

static const struct {
    uint32_t glyph;
    enum smc_style style;
    const char *meaning;
} looks[SMC_PART_COUNT] = {
    [SMC_PART_USED] = {'A', SMC_STYLE_BLOCK_0, "blocks"},
    [SMC_PART_ROUNDING] = {SMC_SIGN_ROUNDING, SMC_STYLE_WASTE, "rounding"},
    [SMC_PART_RESERVED] = {SMC_SIGN_RESERVED, SMC_STYLE_RESERVED, "driver's"},
    [SMC_PART_FREE] = {SMC_SIGN_FREE, SMC_STYLE_DIM, "free"},
    [SMC_PART_UNREACHABLE] = {SMC_SIGN_UNREACHABLE, SMC_STYLE_WASTE, "unreachable"},
};

/* Returns the kinds of parts drawn. */
static unsigned explore_draw_bar(const struct smc_share *share, struct smc_rect bar,
                                 struct smc_frame *frame)
{
    unsigned kinds = 0;
    int cells = bar.rows * bar.cols;
    for (int cell = 0; cell < cells; cell++) {
        struct smc_part part = smc_sm_part(share, (uint32_t)cell, (uint32_t)cells);
        kinds |= 1u << part.kind;
        bool used = part.kind == SMC_PART_USED;
        smc_frame_glyph(frame, bar, cell / bar.cols, cell % bar.cols,
                        used ? SMC_STYLE_BLOCK_0 + part.block % SMC_BLOCK_STYLES
                             : looks[part.kind].style,
                        used ? 'A' + part.block % 26 : looks[part.kind].glyph);
    }
    return kinds;
}

/* On the frame's top edge: what the kinds of parts mean. */
static void explore_draw_legend(unsigned kinds, struct smc_rect rect, struct smc_frame *frame)
{
    enum { TITLE_COLUMNS = 12 };
    struct smc_rect edge = {rect.row - 1, rect.col, 1, rect.cols};
    int col = rect.cols;
    for (int kind = SMC_PART_COUNT - 1; kind >= SMC_PART_USED; kind--) {
        bool used = kind == SMC_PART_USED;
        if (!(kinds & 1u << kind))
            continue;
        int columns = 4 + used * 2 + (int)strlen(looks[kind].meaning);
        if (col - columns < TITLE_COLUMNS)
            return;
        col -= columns;
        smc_frame_printf(frame, edge, 0, col, SMC_STYLE_DIM, used ? " A-Z %s " : "   %s ",
                         looks[kind].meaning);
        if (!used)
            smc_frame_glyph(frame, edge, 0, col + 1, looks[kind].style, looks[kind].glyph);
    }
}

/* Warps, registers, "48 KB", slots. */
static void write_amount(const struct smc_share *share, uint64_t amount, char text[24])
{
    amount /= share->unit;
    bool memory = share->limit == SMC_LIMIT_SHARED_MEMORY;
    bool whole = amount % 1024 == 0;
    snprintf(text, 24, "%" PRIu64 "%s", memory && whole ? amount / 1024 : amount,
             !memory ? ""
             : whole ? " KB"
                     : " B");
}

/* Beside the bar, as far as its rows allow: what is used, and by each block. */
static void draw_amounts(const struct smc_share *share, struct smc_rect rect, bool wide,
                         struct smc_frame *frame)
{
    char taken[24], total[24], each[24], percent[32], text[64];
    uint64_t amount = share->allocated * share->blocks;
    bool counted = share->limit != SMC_LIMIT_REGISTERS && share->limit != SMC_LIMIT_SHARED_MEMORY;
    write_amount(share, amount, taken);
    write_amount(share, share->total, total);
    write_amount(share, share->allocated, each);
    smc_words_percent(100.0 * (double)amount / (double)share->total, percent);
    if (wide)
        snprintf(text, sizeof text, "%s of %s", taken, total);
    else if (counted)
        snprintf(text, sizeof text, "%s/%s", taken, total);
    else
        snprintf(text, sizeof text, "%s", percent);
    smc_frame_text_right(frame, rect, 0, SMC_STYLE_NORMAL, text);
    if (wide) {
        smc_frame_text_right(frame, rect, 1, SMC_STYLE_DIM, percent);
        snprintf(text, sizeof text, "%s per block", each);
        smc_frame_text_right(frame, rect, 2, SMC_STYLE_DIM, text);
    }
}

static void draw_sm(const struct smc_answer *answer, struct smc_rect rect, int rows,
                    struct smc_frame *frame)
{
    enum {
        SHORT_AMOUNT = 8,
        WIDE_AMOUNT = 20,
        ALL_AMOUNTS_FROM = 75,
        LEAST_BAR = 16,
        GAP_FROM = 3
    };
    struct smc_share share[SMC_LIMIT_COUNT];
    size_t count = smc_sm_shares(answer, share);
    unsigned kinds = 0;
    int width = rect.cols - LABEL_COLUMNS - 1, drawn = rows < GAP_FROM ? rows : rows - 1;
    int amount = width + LABEL_COLUMNS >= ALL_AMOUNTS_FROM ? WIDE_AMOUNT
                 : width - SHORT_AMOUNT >= LEAST_BAR       ? SHORT_AMOUNT
                                                           : 0;
    for (int i = 0; i < (int)count && (i + 1) * rows <= rect.rows; i++) {
        struct smc_rect line = {rect.row + i * rows, rect.col, drawn, rect.cols - 1};
        struct smc_rect bar = {line.row, rect.col + LABEL_COLUMNS, drawn, width - amount};
        struct smc_rect right = {line.row, bar.col + bar.cols, drawn, amount};
        smc_frame_text(frame, line, 0, 1, share[i].binds ? SMC_STYLE_BINDS : SMC_STYLE_LABEL,
                       share[i].label);
        kinds |= explore_draw_bar(&share[i], bar, frame);
        if (amount)
            draw_amounts(&share[i], right, amount == WIDE_AMOUNT, frame);
    }
    explore_draw_legend(kinds, rect, frame);
}

/* On the frame's top edge: the bars end at the SM's number of block slots. */
static void explore_draw_scale(uint32_t scale, struct smc_rect rect, struct smc_frame *frame)
{
    char text[48];
    struct smc_rect edge = {rect.row - 1, rect.col, 1, rect.cols};
    smc_frame_printf(frame, edge, 0,
                     rect.cols - snprintf(text, sizeof text, "   above %" PRIu32 " ", scale),
                     SMC_STYLE_DIM, "%s", text);
    smc_frame_glyph(frame, edge, 0, rect.cols - (int)strlen(text) + 1, SMC_STYLE_CURVE,
                    SMC_SIGN_BEYOND);
}

static void draw_limits(const struct smc_answer *answer, struct smc_rect rect,
                        struct smc_frame *frame)
{
    enum { NUMBER_COLUMNS = 5, BINDS_COLUMNS = 7 };
    const struct smc_occupancy *occupancy = &answer->occupancy;
    uint32_t scale = answer->query.device.sm.max_blocks_per_sm;
    bool clipped = false;
    int others =
        rect.rows - __builtin_popcount(occupancy->limiters); /* limits that bind are always shown */
    int width = rect.cols - LABEL_COLUMNS - NUMBER_COLUMNS - BINDS_COLUMNS - 1, row = 0;
    for (int limit = 0; limit < SMC_LIMIT_COUNT; limit++) {
        uint32_t blocks = occupancy->limit[limit];
        bool binds = occupancy->limiters & 1u << limit;
        if (blocks == SMC_UNLIMITED || (!binds && others-- <= 0))
            continue;
        enum smc_style style = binds ? SMC_STYLE_BINDS : SMC_STYLE_LABEL;
        smc_frame_text(frame, rect, row, 1, style, smc_words_short_label((enum smc_limit)limit));
        smc_frame_printf(frame, rect, row, LABEL_COLUMNS, binds ? style : SMC_STYLE_NORMAL, "%4u",
                         blocks);
        smc_frame_bar(frame, rect, row, LABEL_COLUMNS + NUMBER_COLUMNS, width,
                      binds ? SMC_STYLE_BINDS : SMC_STYLE_CURVE, (double)blocks / scale);
        if (binds)
            smc_frame_text(frame, rect, row, rect.cols - BINDS_COLUMNS, style, "binds");
        clipped |= blocks > scale;
        row++;
    }
    if (clipped && rect.rows > 0)
        explore_draw_scale(scale, rect, frame);
}

/* --- Words: the next steps, the work, and why there is no answer --- */

static struct smc_rect margins(struct smc_rect rect)
{
    return (struct smc_rect){rect.row, rect.col + 1, rect.rows, rect.cols - 2};
}

/* Items are lines; ends this one. Returns the next, NULL after the last. */
static char *end_item(char *item)
{
    char *end = strchr(item, '\n');
    if (end)
        *end = '\0';
    return end ? end + 1 : NULL;
}

static int draw_paragraph(const char *text, struct smc_rect rect, enum smc_style style,
                          struct smc_frame *frame)
{
    int rows = smc_frame_paragraph(frame, margins(rect), 0, style, text);
    smc_list_mark_cut(rect, rows, SMC_ACTION_STEPS, frame);
    return rows;
}

/* Each item on a line of its own after a dot. Frees the items. */
static int draw_items(struct smc_text *items, struct smc_rect rect, struct smc_frame *frame)
{
    struct smc_rect lines = margins(rect);
    struct smc_rect beside = {lines.row, lines.col + 2, lines.rows, lines.cols - 2};
    char *item = items->data;
    int row = 0;
    while (item) {
        char *next = end_item(item);
        smc_frame_glyph(frame, lines, row, 0, SMC_STYLE_DIM, SMC_SIGN_ITEM);
        row = smc_frame_paragraph(frame, beside, row, SMC_STYLE_NORMAL, item);
        item = next;
    }
    smc_list_mark_cut(rect, row, SMC_ACTION_STEPS, frame);
    smc_text_free(items);
    return row;
}

int smc_draw_steps(const struct smc_explore *explore, struct smc_rect rect, struct smc_frame *frame)
{
    struct smc_text words = {0};
    if (!explore->answered)
        return explore->undo_count == 0
                   ? 0
                   : draw_paragraph("u undoes the last change", rect, SMC_STYLE_NORMAL, frame);
    if (explore->compile_failure[0])
        return draw_paragraph(explore->compile_failure, rect, SMC_STYLE_BAD, frame);
    smc_text_next_steps(&explore->answer, &words);
    return draw_items(&words, rect, frame);
}

/* Why nothing is predicted needs no panel. */
static enum smc_time_form time_form(const struct smc_explore *explore)
{
    if (!smc_explore_has_time(explore))
        return SMC_TIME_HIDDEN;
    return explore->answer.time.reason[0] ? SMC_TIME_LINE : SMC_TIME_PANEL;
}

void smc_explore_place(const struct smc_explore *explore, struct smc_rect body,
                       struct smc_explore_layout *layout)
{
    struct smc_frame nothing = {0};
    enum smc_time_form time = time_form(explore);
    smc_explore_lay_out(body, 0, time, layout);
    int rows = smc_draw_steps(explore, layout->inside[SMC_PANEL_STEPS], &nothing);
    if (rows > layout->inside[SMC_PANEL_STEPS].rows)
        smc_explore_lay_out(body, rows, time, layout);
}

static void append_work(const struct smc_answer *answer, struct smc_text *words)
{
    if (answer->has_work)
        smc_text_append_work(answer, words);
    const struct smc_waves *waves = &answer->waves;
    if (answer->has_waves)
        smc_text_printf(words, "%s%" PRIu64 " block%s in ", words->length ? "\n" : "",
                        waves->grid_blocks, smc_text_plural(waves->grid_blocks));
    if (answer->has_waves && waves->waves == 1)
        smc_text_printf(words, "1 wave (%" PRIu64 " fit at a time)", waves->resident_blocks);
    else if (answer->has_waves)
        smc_text_printf(words, "%" PRIu64 " waves, the last of %" PRIu64, waves->waves,
                        waves->last_wave_blocks);
    if (words->length == 0)
        smc_text_printf(words, "the number of waves needs %s",
                        answer->query.device.sm_count == 0 ? "a grid and a board" : "a grid");
}

static void draw_work(const struct smc_answer *answer, struct smc_rect rect,
                      struct smc_frame *frame)
{
    struct smc_text items = {0};
    if (rect.rows == 0)
        return;
    append_work(answer, &items);
    draw_items(&items, rect, frame);
}

static void append_items(struct smc_text *items, struct smc_text *out)
{
    char *item = items->data;
    while (item) {
        char *next = end_item(item);
        for (char *tie = item; (tie = strchr(tie, *SMC_TIE));)
            *tie = ' ';
        smc_glyph_append(SMC_SIGN_ITEM, true, out);
        smc_text_printf(out, " %s\n", item);
        item = next;
    }
    smc_text_free(items);
}

void smc_explore_write_steps(const struct smc_explore *explore, int columns, struct smc_text *out)
{
    struct smc_text steps = {0}, work = {0};
    if (!explore->answered) {
        smc_text_printf(out, "%s\n", explore->why);
        return;
    }
    if (explore->compile_failure[0])
        smc_text_printf(out, "%s\n", explore->compile_failure);
    smc_text_next_steps(&explore->answer, &steps);
    append_items(&steps, out);
    append_work(&explore->answer, &work);
    smc_text_append(out, "\n");
    append_items(&work, out);
    if (smc_explore_has_time(explore)) {
        smc_text_append(out, "\n");
        smc_explore_write_time(explore, columns, out);
    }
}

/* Drawn instead of the SM if no block is resident. */
static void explore_draw_why(const struct smc_explore *explore, struct smc_rect rect,
                             struct smc_frame *frame)
{
    smc_auto_text words = {0};
    if (!explore->answered) {
        draw_paragraph(explore->why, rect, SMC_STYLE_BAD, frame);
        return;
    }
    smc_words_failure(&explore->answer, &words);
    draw_paragraph(smc_text_string(&words), rect, SMC_STYLE_WARN, frame);
}

/* --- The screen --- */

static void draw_frames(const struct smc_explore *explore, const struct smc_explore_layout *layout,
                        struct smc_frame *frame)
{
    char chart[96];
    snprintf(chart, sizeof chart, "occupancy by %s", explore->chart.label);
    const char *const titles[SMC_PANEL_COUNT] = {
        [SMC_PANEL_LAUNCH] = "launch",
        [SMC_PANEL_SM] = "one SM",
        [SMC_PANEL_LIMITS] = layout->inside[SMC_PANEL_LIMITS].cols < 44
                                 ? "blocks allowed"
                                 : "blocks each resource allows",
        [SMC_PANEL_TIME] = "predicted time",
        [SMC_PANEL_CHART] = chart,
        [SMC_PANEL_STEPS] = explore->compile_failure[0] ? "what NVRTC says" : "next steps",
        [SMC_PANEL_WORK] = "work",
    };
    for (int i = 0; i < SMC_PANEL_COUNT; i++)
        if (layout->frame[i].rows > 1)
            smc_frame_box(frame, layout->frame[i], titles[i]);
    struct smc_rect edge = layout->inside[SMC_PANEL_LAUNCH];
    edge.row--;
    smc_frame_text_right(frame, edge, 0, SMC_STYLE_DIM, " \xe2\x86\x90\xe2\x86\x92 change ");
}

void smc_draw_explore(const struct smc_explore *explore, struct smc_rect body,
                      struct smc_frame *frame)
{
    struct smc_explore_layout layout;
    smc_explore_place(explore, body, &layout);
    draw_frames(explore, &layout, frame);
    explore_draw_launch(explore, layout.inside[SMC_PANEL_LAUNCH], frame);
    smc_draw_time_line(explore, layout.time_line, frame);
    smc_draw_time(explore, layout.inside[SMC_PANEL_TIME], frame);
    if (explore->answered && explore->answer.outcome == SMC_LAUNCHES)
        draw_sm(&explore->answer, layout.inside[SMC_PANEL_SM], layout.sm_rows, frame);
    else
        explore_draw_why(explore, layout.inside[SMC_PANEL_SM], frame);
    smc_draw_chart(&explore->chart, layout.inside[SMC_PANEL_CHART], frame);
    smc_draw_steps(explore, layout.inside[SMC_PANEL_STEPS], frame);
    if (!explore->answered)
        return;
    draw_limits(&explore->answer, layout.inside[SMC_PANEL_LIMITS], frame);
    draw_work(&explore->answer, layout.inside[SMC_PANEL_WORK], frame);
}
