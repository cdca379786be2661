/* One SM, drawn to scale, and what each resource allows. */
#include <inttypes.h>
#include <stdio.h>

#include "report/words.h"
#include "tui/explore_draw.h"
#include "tui/sm_drawing.h"

enum { LABEL_COLUMNS = 15, AMOUNT_COLUMNS = 16, LEAST_BAR = 16 };

static void draw_part(struct smc_part part, struct smc_rect rect, int row, int col,
                      struct smc_frame *frame)
{
    static const struct {
        uint32_t glyph;
        enum smc_style style;
    } looks[] = {
        [SMC_PART_ROUNDING] = {0x2592, SMC_STYLE_WASTE},
        [SMC_PART_RESERVED] = {0x2591, SMC_STYLE_RESERVED},
        [SMC_PART_FREE] = {0x00b7, SMC_STYLE_DIM},
        [SMC_PART_UNREACHABLE] = {0x2571, SMC_STYLE_WASTE},
    };
    if (part.kind != SMC_PART_USED) {
        smc_frame_glyph(frame, rect, row, col, looks[part.kind].style, looks[part.kind].glyph);
        return;
    }
    enum smc_style style =
        (enum smc_style)(SMC_STYLE_BLOCK_0 + (int)(part.block % SMC_BLOCK_STYLES));
    smc_frame_glyph(frame, rect, row, col, style, 'A' + part.block % 26);
}

/* "48/64", "62.5 %": what is taken, as people count it. */
static void describe(const struct smc_share *share, const struct smc_sm *sm, char text[32])
{
    uint64_t taken = share->allocated * share->blocks;
    char percent[32];
    smc_words_percent(100.0 * (double)taken / (double)share->total, percent);
    switch (share->limit) {
    case SMC_LIMIT_WARPS:
        snprintf(text, 32, "%" PRIu64 "/%" PRIu64, taken / sm->warp_size,
                 share->total / sm->warp_size);
        return;
    case SMC_LIMIT_BLOCKS:
    case SMC_LIMIT_BARRIERS:
        snprintf(text, 32, "%" PRIu64 "/%" PRIu64, taken, share->total);
        return;
    default:
        snprintf(text, 32, "%.31s", percent);
    }
}

/* A cell shows its middle; where several blocks share it, the first of them. */
static double place_of(const struct smc_share *share, int cell, int cells)
{
    double per_cell = (double)share->total / cells;
    double within = (double)share->allocated < per_cell ? 0.001 : 0.5;
    return (cell + within) / cells;
}

void smc_draw_sm(const struct smc_answer *answer, struct smc_rect rect, int rows,
                 struct smc_frame *frame)
{
    struct smc_share share[SMC_LIMIT_COUNT];
    size_t count = smc_sm_shares(answer, share);
    int amount = rect.cols - LABEL_COLUMNS - AMOUNT_COLUMNS / 2 >= LEAST_BAR ? 8 : 0;
    int width = rect.cols - LABEL_COLUMNS - amount - 1;
    for (size_t i = 0; i < count; i++) {
        int top = (int)i * rows;
        struct smc_rect bar = {rect.row + top, rect.col + LABEL_COLUMNS, rows, width};
        smc_frame_text(frame, rect, top, 1, share[i].binds ? SMC_STYLE_BINDS : SMC_STYLE_LABEL,
                       share[i].label);
        for (int cell = 0; cell < rows * width; cell++) {
            double place = place_of(&share[i], cell, rows * width);
            if (top + cell / width < rect.rows)
                draw_part(smc_sm_part(&share[i], place), bar, cell / width, cell % width, frame);
        }
        char text[32];
        describe(&share[i], &answer->query.device.sm, text);
        struct smc_rect line = {rect.row + top, rect.col, top < rect.rows, rect.cols - 1};
        if (amount)
            smc_frame_text_right(frame, line, 0, SMC_STYLE_NORMAL, text);
    }
}

void smc_draw_limits(const struct smc_answer *answer, struct smc_rect rect, struct smc_frame *frame)
{
    enum { NUMBER_COLUMNS = 5, BINDS_COLUMNS = 7 };
    const struct smc_occupancy *occupancy = &answer->occupancy;
    uint32_t scale = answer->query.device.sm.max_blocks_per_sm;
    int width = rect.cols - LABEL_COLUMNS - NUMBER_COLUMNS - BINDS_COLUMNS - 1, row = 0;
    for (int limit = 0; limit < SMC_LIMIT_COUNT; limit++) {
        uint32_t blocks = occupancy->limit[limit];
        if (blocks == SMC_UNLIMITED)
            continue;
        bool binds = occupancy->limiters & 1u << limit;
        enum smc_style style = binds ? SMC_STYLE_BINDS : SMC_STYLE_LABEL;
        smc_frame_text(frame, rect, row, 1, style, smc_words_short_label((enum smc_limit)limit));
        smc_frame_printf(frame, rect, row, LABEL_COLUMNS, binds ? style : SMC_STYLE_NORMAL, "%4u",
                         blocks);
        smc_frame_bar(frame, rect, row, LABEL_COLUMNS + NUMBER_COLUMNS, width,
                      binds ? SMC_STYLE_BINDS : SMC_STYLE_CURVE, (double)blocks / scale);
        if (binds)
            smc_frame_text(frame, rect, row, rect.cols - BINDS_COLUMNS, style, "binds");
        row++;
    }
}
