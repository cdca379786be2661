/* What helps against bank conflicts, in words. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/banks_words.h"
#include "tui/banks_draw.h"

/* The expression only where there is room for it: `most` characters for all. */
static void append_layout(const struct smc_rearrangement *layout, const char *expression,
                          const char *name, size_t most, struct smc_text *out)
{
    size_t begun = out->length;
    smc_text_append(out, name);
    smc_words_rearrangement(layout, out);
    if (*expression && out->length - begun + strlen(expression) + 2 <= most)
        smc_text_printf(out, ": %s", expression);
}

static void append_proposals(const struct smc_banks_pattern *pattern, size_t most,
                             struct smc_text *out)
{
    char name[32];
    snprintf(name, sizeof name, "padding %" PRIu32 ": ",
             pattern->padding.rearrangement.padding_elements);
    if (pattern->padding.found)
        append_layout(&pattern->padding.rearrangement, pattern->padding.expression, name, most,
                      out);
    if (pattern->padding.found && pattern->swizzle.found)
        smc_text_append(out, "\n");
    if (pattern->swizzle.found)
        append_layout(&pattern->swizzle.rearrangement, pattern->swizzle.expression,
                      "swizzle: ", most, out);
    if (!pattern->padding.found && !pattern->swizzle.found)
        smc_text_printf(out,
                        "no padding of up to %d elements and no XOR swizzle removes all "
                        "conflicts",
                        SMC_MOST_PADDING);
}

/* What was done to the array, in words. */
static void append_change(const struct smc_banks_state *banks, size_t most, struct smc_text *out)
{
    struct smc_rearrangement layout = banks->change.array[smc_banks_shown(banks)->array];
    if (layout.padding_elements)
        append_layout(&layout, banks->expression, "", most, out);
    if (layout.padding_elements && layout.swizzle_span)
        smc_text_append(out, "\n");
    layout.padding_elements = 0;
    if (layout.swizzle_span)
        append_layout(&layout, banks->expression, "", most, out);
}

static void append_remedy(const struct smc_banks_state *banks, size_t most, struct smc_text *out)
{
    const struct smc_banks_pattern *pattern = smc_banks_shown(banks);
    struct smc_bank_cost now = banks->total[banks->pattern];
    uint32_t was = pattern->total.wavefronts - pattern->total.least;
    uint32_t left = now.wavefronts - now.least;
    if (was == 0 && left == 0) {
        smc_text_append(out, "no conflict: all warps are served in the fewest wavefronts");
    } else if (was == 0) {
        smc_text_printf(out, "%" PRIu32 " conflict%s with this layout, none as written", left,
                        left == 1 ? "" : "s");
    } else if (left == 0) {
        smc_text_printf(out, "none of %" PRIu32 " conflict%s is left: ", was, was == 1 ? "" : "s");
        append_change(banks, most, out);
    } else {
        append_proposals(pattern, most, out);
    }
}

/* Where the panel has room to spare. */
static void draw_explanation(struct smc_rect rect, struct smc_frame *frame)
{
    static const char text[] =
        "A wavefront takes one word from each bank. Lanes that want different words of one bank "
        "collide: they are served one after the other. Lanes that want the same word are served "
        "together. A padding moves each row of the array to other banks; a swizzle does so without "
        "more memory.";
    enum { LEAST_ROWS = 8 };
    if (rect.rows >= LEAST_ROWS)
        smc_frame_paragraph(frame, rect, 0, SMC_STYLE_DIM, text);
}

void smc_draw_bank_remedy(const struct smc_banks_state *banks, struct smc_rect rect,
                          struct smc_frame *frame)
{
    enum { TALL = 7, LINES = 4 };
    struct smc_rect room = {rect.row, rect.col + 1, rect.rows, rect.cols - 2};
    struct smc_text words = {0};
    enum smc_style style = SMC_STYLE_BAD;
    size_t most = (size_t)room.cols * (rect.rows >= TALL ? LINES : 1);
    if (banks->answered) {
        struct smc_bank_cost now = banks->total[banks->pattern];
        style = now.wavefronts > now.least ? SMC_STYLE_WARN : SMC_STYLE_GOOD;
        append_remedy(banks, most, &words);
    } else {
        smc_text_append(&words, banks->why);
    }
    int row = smc_frame_paragraph(frame, room, 0, style, smc_text_string(&words));
    smc_text_free(&words);
    bool as_told = banks->answer.layout.row_words == banks->answer.layout.banks; /* not on CC 3.x */
    smc_rect_cut_top(&room, row + 1);
    if (banks->answered && as_told)
        draw_explanation(room, frame);
}
