/* What the first screen says in words: the next steps, the work, and why there is no answer. */
#include <stdio.h>
#include <string.h>

#include "report/layout.h"
#include "report/text_parts.h"
#include "report/words.h"
#include "tui/explore_draw.h"
#include "tui/frame.h"
#include "tui/keys.h"

static struct smc_rect margins(struct smc_rect rect)
{
    return (struct smc_rect){rect.row, rect.col + 1, rect.rows, rect.cols - 2};
}

/* What did not fit goes on below: the key that shows it stands on the panel's lower edge. */
static void mark_cut(struct smc_rect rect, int rows, struct smc_frame *frame)
{
    char name[16], text[64];
    struct smc_rect edge = {rect.row + rect.rows, rect.col, 1, rect.cols};
    if (rows <= rect.rows || rect.rows == 0)
        return;
    smc_frame_glyph(frame, rect, rect.rows - 1, rect.cols - 1, SMC_STYLE_DIM, SMC_SIGN_BELOW);
    smc_key_name(smc_action_key(SMC_ACTION_STEPS, 0), name);
    snprintf(text, sizeof text, " %s shows all ", name);
    smc_frame_text_right(frame, edge, 0, SMC_STYLE_WARN, text);
}

static int draw_paragraph(const char *text, struct smc_rect rect, enum smc_style style,
                          struct smc_frame *frame)
{
    int rows = smc_frame_paragraph(frame, margins(rect), 0, style, text);
    mark_cut(rect, rows, frame);
    return rows;
}

/* The next of what is joined by "; ", taken off the text; NULL behind the last. */
static char *next_item(char **rest)
{
    char *item = *rest;
    char *end = item ? strstr(item, "; ") : NULL;
    *rest = end ? end + 2 : NULL;
    if (end)
        *end = '\0';
    return item;
}

/* Each on a line of its own behind a dot. Frees the words. */
static int draw_items(struct smc_text *words, struct smc_rect rect, struct smc_frame *frame)
{
    struct smc_rect room = margins(rect);
    struct smc_rect beside = {room.row, room.col + 2, room.rows, room.cols - 2};
    char *rest = words->data, *item;
    int row = 0;
    while ((item = next_item(&rest))) {
        smc_frame_glyph(frame, room, row, 0, SMC_STYLE_DIM, SMC_SIGN_ITEM);
        row = smc_frame_paragraph(frame, beside, row, SMC_STYLE_NORMAL, item);
    }
    mark_cut(rect, row, frame);
    smc_text_free(words);
    return row;
}

int smc_draw_steps(const struct smc_explore *explore, struct smc_rect rect, struct smc_frame *frame)
{
    struct smc_text words = {0};
    if (!explore->answered)
        return explore->undo_count == 0
                   ? 0
                   : draw_paragraph("u takes the last change back", rect, SMC_STYLE_NORMAL, frame);
    if (explore->compile_failure[0])
        return draw_paragraph(explore->compile_failure, rect, SMC_STYLE_BAD, frame);
    smc_text_next_steps(&explore->answer, &words);
    return draw_items(&words, rect, frame);
}

void smc_explore_place(const struct smc_explore *explore, struct smc_rect body,
                       struct smc_explore_layout *layout)
{
    struct smc_frame nothing = {0};
    smc_explore_lay_out(body, 0, layout);
    int rows = smc_draw_steps(explore, layout->inside[SMC_PANEL_STEPS], &nothing);
    if (rows > layout->inside[SMC_PANEL_STEPS].rows)
        smc_explore_lay_out(body, rows, layout);
}

static void append_work(const struct smc_answer *answer, struct smc_text *words)
{
    if (answer->has_work)
        smc_text_append_work(answer, words);
    if (answer->has_waves)
        smc_text_printf(words, "%s%llu blocks in %llu wave%s, the last of %llu",
                        words->length ? "; " : "", (unsigned long long)answer->waves.grid_blocks,
                        (unsigned long long)answer->waves.waves,
                        answer->waves.waves == 1 ? "" : "s",
                        (unsigned long long)answer->waves.last_wave_blocks);
    if (words->length == 0)
        smc_text_append(words, "the number of waves needs a grid and a board");
}

void smc_draw_work(const struct smc_answer *answer, struct smc_rect rect, struct smc_frame *frame)
{
    struct smc_text words = {0};
    if (rect.rows == 0)
        return;
    append_work(answer, &words);
    draw_items(&words, rect, frame);
}

static void append_items(struct smc_text *words, struct smc_text *out)
{
    char *rest = words->data, *item;
    while ((item = next_item(&rest))) {
        for (char *tie = item; (tie = strchr(tie, *SMC_TIE));)
            *tie = ' ';
        smc_glyph_append(SMC_SIGN_ITEM, true, out);
        smc_text_printf(out, " %s\n", item);
    }
    smc_text_free(words);
}

void smc_explore_write_steps(const struct smc_explore *explore, struct smc_text *out)
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
}

void smc_draw_why(const struct smc_explore *explore, struct smc_rect rect, struct smc_frame *frame)
{
    struct smc_text words = {0};
    if (!explore->answered) {
        draw_paragraph(explore->why, rect, SMC_STYLE_BAD, frame);
        return;
    }
    smc_words_failure(&explore->answer, &words);
    draw_paragraph(smc_text_string(&words), rect, SMC_STYLE_WARN, frame);
    smc_text_free(&words);
}
