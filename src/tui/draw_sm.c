/* One SM, drawn to scale, and what each resource allows. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/words.h"
#include "tui/explore_draw.h"
#include "tui/frame.h"
#include "tui/sm_drawing.h"

enum { LABEL_COLUMNS = 15 };

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

static void draw_part(struct smc_part part, struct smc_rect bar, int cell, struct smc_frame *frame)
{
    bool used = part.kind == SMC_PART_USED;
    smc_frame_glyph(frame, bar, cell / bar.cols, cell % bar.cols,
                    used ? SMC_STYLE_BLOCK_0 + part.block % SMC_BLOCK_STYLES
                         : looks[part.kind].style,
                    used ? 'A' + part.block % 26 : looks[part.kind].glyph);
}

/* The kinds of parts that are seen. */
static unsigned draw_bar(const struct smc_share *share, struct smc_rect bar,
                         struct smc_frame *frame)
{
    unsigned kinds = 0;
    int cells = bar.rows * bar.cols;
    for (int cell = 0; cell < cells; cell++) {
        struct smc_part part = smc_sm_part(share, (uint32_t)cell, (uint32_t)cells);
        kinds |= 1u << part.kind;
        draw_part(part, bar, cell, frame);
    }
    return kinds;
}

/* On the frame's top edge: what the kinds of parts mean. */
static void draw_legend(unsigned kinds, struct smc_rect rect, struct smc_frame *frame)
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

/* What an amount counts: warps, registers, "48 KB", slots. */
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

/* Beside the bar, as far as its rows go: what is taken, and by each block. */
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
        snprintf(text, sizeof text, "%s a block", each);
        smc_frame_text_right(frame, rect, 2, SMC_STYLE_DIM, text);
    }
}

void smc_draw_sm(const struct smc_answer *answer, struct smc_rect rect, int rows,
                 struct smc_frame *frame)
{
    enum { SHORT_AMOUNT = 8, WIDE_AMOUNT = 20, WIDE_FROM = 75, LEAST_BAR = 16, GAP_FROM = 3 };
    struct smc_share share[SMC_LIMIT_COUNT];
    size_t count = smc_sm_shares(answer, share);
    unsigned kinds = 0;
    int room = rect.cols - LABEL_COLUMNS - 1, drawn = rows < GAP_FROM ? rows : rows - 1;
    int amount = room + LABEL_COLUMNS >= WIDE_FROM  ? WIDE_AMOUNT
                 : room - SHORT_AMOUNT >= LEAST_BAR ? SHORT_AMOUNT
                                                    : 0;
    for (int i = 0; i < (int)count && (i + 1) * rows <= rect.rows; i++) {
        struct smc_rect line = {rect.row + i * rows, rect.col, drawn, rect.cols - 1};
        struct smc_rect bar = {line.row, rect.col + LABEL_COLUMNS, drawn, room - amount};
        struct smc_rect right = {line.row, bar.col + bar.cols, drawn, amount};
        smc_frame_text(frame, line, 0, 1, share[i].binds ? SMC_STYLE_BINDS : SMC_STYLE_LABEL,
                       share[i].label);
        kinds |= draw_bar(&share[i], bar, frame);
        if (amount)
            draw_amounts(&share[i], right, amount == WIDE_AMOUNT, frame);
    }
    draw_legend(kinds, rect, frame);
}

/* On the frame's top edge: the bars end at the SM's block slots. */
static void draw_scale(uint32_t scale, struct smc_rect rect, struct smc_frame *frame)
{
    char text[48];
    struct smc_rect edge = {rect.row - 1, rect.col, 1, rect.cols};
    smc_frame_printf(frame, edge, 0,
                     rect.cols - snprintf(text, sizeof text, "   above %" PRIu32 " ", scale),
                     SMC_STYLE_DIM, "%s", text);
    smc_frame_glyph(frame, edge, 0, rect.cols - (int)strlen(text) + 1, SMC_STYLE_CURVE,
                    SMC_SIGN_BEYOND);
}

void smc_draw_limits(const struct smc_answer *answer, struct smc_rect rect, struct smc_frame *frame)
{
    enum { NUMBER_COLUMNS = 5, BINDS_COLUMNS = 7 };
    const struct smc_occupancy *occupancy = &answer->occupancy;
    uint32_t scale = answer->query.device.sm.max_blocks_per_sm;
    bool clipped = false;
    int others =
        rect.rows - __builtin_popcount(occupancy->limiters); /* those that bind come first */
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
        draw_scale(scale, rect, frame);
}
