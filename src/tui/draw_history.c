/* The launches of this session as a list. */
#include <stdio.h>
#include <string.h>

#include "report/words.h"
#include "report/words_run.h"
#include "tui/confirm_draw.h"
#include "tui/frame.h"
#include "tui/widgets.h"

enum { NARROW_RIGHT = 46, DEVICE_COLS = 9 }; /* behind the kernel in a list of single rows */

static size_t index_of(const struct smc_confirm_state *state, int place)
{
    return state->count - 1 - (size_t)place;
}

static int first_place(const struct smc_confirm_state *state, struct smc_rect rect,
                       int rows_per_launch)
{
    int count = (int)state->count;
    return smc_list_first(count - 1 - (int)state->chosen, count, rect.rows / rows_per_launch);
}

enum smc_style smc_confirm_count(const struct smc_launched *launched, char text[64])
{
    size_t confirmed = 0, differing = 0;
    for (size_t i = 0; i < launched->run_count; i++) {
        confirmed += launched->run[i].confirmation.confirmed;
        differing += launched->run[i].confirmation.differing;
    }
    snprintf(text, 64, "%zu confirmed, %zu differ%s", confirmed, differing,
             differing == 1 ? "s" : "");
    return differing ? SMC_STYLE_BAD : confirmed ? SMC_STYLE_GOOD : SMC_STYLE_WARN;
}

/* The kernel's time; the sibling's where only that was launched. */
static void find_time(const struct smc_launched *launched, char text[SMC_ROW_WORDS])
{
    bool emulated = launched->run[0].result.emulation.made;
    snprintf(text, SMC_ROW_WORDS, "%s", emulated ? "emulated" : "-");
    for (size_t i = 0; i < launched->run_count; i++) {
        const struct smc_confirmation *confirmation = &launched->run[i].confirmation;
        for (size_t k = 0; k < confirmation->row_count; k++)
            if (strcmp(confirmation->row[k].quantity, "time_ms") == 0 && !emulated)
                smc_words_witness(&confirmation->row[k], &confirmation->row[k].measured, text);
    }
}

static void draw_launch(const struct smc_launched *launched, bool chosen, struct smc_rect rect,
                        struct smc_frame *frame)
{
    char counts[64], time[SMC_ROW_WORDS];
    struct smc_text params = {0};
    const struct smc_answer *answer = &launched->run[0].answer;
    const char *kernel = answer->query.kernel ? answer->query.kernel->name : "";
    const char *device = smc_device_model(&answer->query.device);
    enum smc_style style = smc_confirm_count(launched, counts);
    find_time(launched, time);
    smc_words_params(answer, &params);
    int col = smc_frame_printf(frame, rect, 0, 0, chosen ? SMC_STYLE_STRONG : SMC_STYLE_DIM,
                               " %2u ", launched->number);
    if (chosen)
        smc_frame_glyph(frame, rect, 0, 0, SMC_STYLE_STRONG, SMC_SIGN_SHOWN);
    if (rect.rows > 1) {
        int end = smc_frame_text(frame, rect, 0, col, SMC_STYLE_STRONG, kernel) + 1;
        struct smc_rect rest = {rect.row, rect.col + end, 1, rect.cols - end};
        smc_frame_text_right(frame, rest, 0, SMC_STYLE_LABEL, device);
        smc_frame_text(frame, rect, 1, col, SMC_STYLE_NORMAL, smc_text_string(&params));
        smc_frame_text(frame, rect, 2, col, style, counts);
        smc_frame_text_right(frame, rect, 2, SMC_STYLE_NORMAL, time);
    } else {
        struct smc_rect left = {rect.row, rect.col, 1, rect.cols - NARROW_RIGHT};
        struct smc_rect right = {rect.row, left.col + left.cols + 1, 1, NARROW_RIGHT - 1};
        struct smc_rect narrow = smc_rect_cut_left(&right, DEVICE_COLS);
        col = smc_frame_text(frame, left, 0, col, SMC_STYLE_STRONG, kernel);
        smc_frame_text(frame, left, 0, col + 1, SMC_STYLE_NORMAL, smc_text_string(&params));
        smc_frame_text(frame, narrow, 0, 0, SMC_STYLE_LABEL, device);
        smc_frame_text(frame, right, 0, 1, style, counts);
        smc_frame_text_right(frame, right, 0, SMC_STYLE_NORMAL, time);
    }
    smc_text_free(&params);
}

void smc_draw_history(const struct smc_confirm_state *state, struct smc_rect rect,
                      int rows_per_launch, struct smc_frame *frame)
{
    int first = first_place(state, rect, rows_per_launch);
    int shown = rect.rows / rows_per_launch;
    if (state->count == 0)
        smc_frame_text(frame, rect, 0, 1, SMC_STYLE_DIM, "no launch yet");
    for (int i = 0; i < shown && first + i < (int)state->count; i++) {
        size_t index = index_of(state, first + i);
        struct smc_rect room = {rect.row + i * rows_per_launch, rect.col, rows_per_launch,
                                rect.cols - 1};
        draw_launch(state->launched[index], index == state->chosen, room, frame);
    }
    smc_list_draw_arrows(first * rows_per_launch, (int)state->count * rows_per_launch, rect, frame);
}

bool smc_history_at(const struct smc_confirm_state *state, struct smc_rect rect,
                    int rows_per_launch, int row, int *by)
{
    int place = first_place(state, rect, rows_per_launch) + row / rows_per_launch;
    if (row < 0 || row >= rect.rows || place >= (int)state->count)
        return false;
    *by = place - ((int)state->count - 1 - (int)state->chosen);
    return true;
}
