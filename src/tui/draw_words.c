/* What the first screen says in words: the next steps, the work, and why there is no answer. */
#include <string.h>

#include "report/text_parts.h"
#include "report/words.h"
#include "tui/explore_draw.h"

enum { BULLET = 0x2022, ELLIPSIS = 0x2026 };

static struct smc_rect margins(struct smc_rect rect)
{
    return (struct smc_rect){rect.row, rect.col + 1, rect.rows, rect.cols - 2};
}

/* What did not fit goes on, unseen. */
static void mark_cut(struct smc_rect rect, int rows, struct smc_frame *frame)
{
    if (rows > rect.rows)
        smc_frame_glyph(frame, rect, rect.rows - 1, rect.cols - 1, SMC_STYLE_DIM, ELLIPSIS);
}

static void draw_paragraph(const char *text, struct smc_rect rect, enum smc_style style,
                           struct smc_frame *frame)
{
    mark_cut(rect, smc_frame_paragraph(frame, margins(rect), 0, style, text), frame);
}

/* Words joined by "; ", each on a line of its own behind a dot. Takes them apart. */
static void draw_items(struct smc_text *words, struct smc_rect rect, struct smc_frame *frame)
{
    struct smc_rect room = margins(rect);
    struct smc_rect beside = {room.row, room.col + 2, room.rows, room.cols - 2};
    int row = 0;
    for (char *item = words->data; item && row < rect.rows;) {
        char *next = strstr(item, "; ");
        if (next) {
            *next = '\0';
            next += 2;
        }
        smc_frame_glyph(frame, room, row, 0, SMC_STYLE_DIM, BULLET);
        row = smc_frame_paragraph(frame, beside, row, SMC_STYLE_NORMAL, item);
        row += next && row >= rect.rows; /* that much did not fit either */
        item = next;
    }
    mark_cut(rect, row, frame);
    smc_text_free(words);
}

void smc_draw_steps(const struct smc_explore *explore, struct smc_rect rect,
                    struct smc_frame *frame)
{
    struct smc_text words = {0};
    if (!explore->answered) {
        if (explore->undo_count > 0)
            draw_paragraph("u takes the last change back", rect, SMC_STYLE_NORMAL, frame);
        return;
    }
    if (explore->compile_failure[0]) {
        draw_paragraph(explore->compile_failure, rect, SMC_STYLE_BAD, frame);
        return;
    }
    smc_text_next_steps(&explore->answer, &words);
    draw_items(&words, rect, frame);
}

void smc_draw_work(const struct smc_answer *answer, struct smc_rect rect, struct smc_frame *frame)
{
    struct smc_text words = {0};
    if (answer->has_work)
        smc_text_append_work(answer, &words);
    if (answer->has_waves)
        smc_text_printf(&words, "%s%llu blocks in %llu wave%s, the last of %llu",
                        words.length ? "; " : "", (unsigned long long)answer->waves.grid_blocks,
                        (unsigned long long)answer->waves.waves,
                        answer->waves.waves == 1 ? "" : "s",
                        (unsigned long long)answer->waves.last_wave_blocks);
    if (words.length == 0)
        smc_text_append(&words, "the number of waves needs a grid and a board");
    draw_items(&words, rect, frame);
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
