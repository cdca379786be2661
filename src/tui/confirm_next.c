/* What the confirm screen launches next: the kernel, where it runs, and how far it is. */
#include "tui/confirm_next.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/words.h"
#include "report/words_run.h"

struct smc_query smc_confirm_query(const struct smc_tui *tui)
{
    struct smc_query query = tui->explore.query;
    query.static_smem_bytes = query.barriers_per_block = SMC_NOT_GIVEN;
    query.settings.blocks_per_cluster = 1;
    query.settings.virtual_resources = 0;
    return query;
}

const char *smc_confirm_obstacle(const struct smc_tui *tui)
{
    bool own = !tui->explore.query.kernel;
    return own ? "your own kernel has no source here; on F2 choose one of the catalog" : NULL;
}

/* The emulator stands behind the GPUs. */
static int place_index(const struct smc_tui *tui)
{
    const struct smc_run_settings *settings = &tui->confirm.settings;
    return settings->place == SMC_ON_EMULATOR ? (int)tui->gpu_count : settings->gpu_index;
}

void smc_confirm_choose_place(struct smc_tui *tui, int by)
{
    struct smc_run_settings *settings = &tui->confirm.settings;
    int gpus = (int)tui->gpu_count, index = place_index(tui) + by;
    if (smc_confirm_in_hand(tui) || index < 0 || index > gpus)
        return;
    settings->place = index == gpus ? SMC_ON_EMULATOR : SMC_ON_GPU;
    settings->gpu_index = index == gpus ? 0 : index;
}

bool smc_confirm_in_hand(const struct smc_tui *tui)
{
    return tui->running || tui->run_job.kind == SMC_JOB_RUN;
}

static void draw_kernel(const struct smc_tui *tui, struct smc_rect line, struct smc_frame *frame)
{
    struct smc_query query = smc_confirm_query(tui);
    struct smc_text words = {0};
    if (!query.kernel) {
        smc_frame_text(frame, line, 0, 1, SMC_STYLE_BAD, smc_confirm_obstacle(tui));
        return;
    }
    smc_words_some_params(&tui->explore.answer.query, 0, &words);
    smc_words_settings(&query, true, &words);
    int col = smc_frame_text(frame, line, 0, 1, SMC_STYLE_STRONG, query.kernel->name);
    smc_frame_text(frame, line, 0, col + 1, SMC_STYLE_NORMAL, smc_text_string(&words));
    smc_text_free(&words);
}

static void draw_place(const struct smc_tui *tui, struct smc_rect line, struct smc_frame *frame)
{
    const struct smc_run_settings *settings = &tui->confirm.settings;
    bool emulated = settings->place == SMC_ON_EMULATOR;
    bool found = emulated || tui->gpu_count > 0;
    struct smc_text words = {0};
    if (emulated)
        smc_text_append(&words, "on the emulator, as ");
    else
        smc_text_printf(&words, "on GPU %d: ", settings->gpu_index);
    if (found)
        smc_words_run_device(emulated ? &tui->explore.query.device : &tui->gpu[settings->gpu_index],
                             &words);
    else
        smc_text_append(&words, "looking for it\xe2\x80\xa6");
    if (tui->gpu_count > 0)
        smc_text_printf(&words, "  < %d of %zu >", place_index(tui) + 1, tui->gpu_count + 1);
    smc_frame_text(frame, line, 0, 1, found ? SMC_STYLE_NORMAL : SMC_STYLE_WARN,
                   smc_text_string(&words));
    smc_text_free(&words);
}

void smc_confirm_write_progress(const struct smc_tui *tui, char text[64])
{
    if (tui->blocks == 0)
        snprintf(text, 64, "preparing");
    else if (tui->blocks_done < tui->blocks)
        snprintf(text, 64, "%" PRIu64 " of %" PRIu64 " blocks", tui->blocks_done, tui->blocks);
    else
        snprintf(text, 64, "checking the result");
}

/* Of an emulation the blocks done; of a GPU's launch the time against the timeout, which is for the
   measurements: compiling and checking come on top. */
static void draw_progress(const struct smc_tui *tui, struct smc_rect line, struct smc_frame *frame)
{
    bool emulated = tui->confirm.settings.place == SMC_ON_EMULATOR;
    double ms = (double)tui->running_ms, timeout_ms = tui->confirm.settings.timeout_ms;
    double share = emulated ? (double)tui->blocks_done / (double)(tui->blocks ? tui->blocks : 1)
                            : ms / timeout_ms;
    char progress[64], words[128];
    smc_confirm_write_progress(tui, progress);
    if (emulated)
        snprintf(words, sizeof words, "%s, %.1f s; Esc stops it", progress, ms / 1000);
    else
        snprintf(words, sizeof words, "%.1f s of %g s; Esc stops it", ms / 1000, timeout_ms / 1000);
    int col = smc_frame_printf(frame, line, 0, 1, SMC_STYLE_STRONG, "%s ",
                               emulated ? "emulating" : "launching");
    int width = line.cols - col - (int)strlen(words) - 4;
    struct smc_rect bar = {line.row, line.col + col + 1, 1, width > 0 ? width : 0};
    smc_frame_glyph(frame, line, 0, col, SMC_STYLE_DIM, '[');
    smc_frame_bar(frame, bar, 0, 0, bar.cols, SMC_STYLE_CURVE, share);
    smc_frame_printf(frame, line, 0, col + 1 + bar.cols, SMC_STYLE_DIM, "] ");
    smc_frame_text_right(frame, (struct smc_rect){line.row, line.col, 1, line.cols - 1}, 0,
                         SMC_STYLE_NORMAL, words);
}

/* What can be done now, as narrow screens have no room for it in the bar. */
static void draw_keys(const struct smc_tui *tui, struct smc_rect line, struct smc_frame *frame)
{
    char launch[16], save[16];
    bool emulated = tui->confirm.settings.place == SMC_ON_EMULATOR;
    smc_key_name(smc_action_key(SMC_ACTION_LAUNCH, 0), launch);
    smc_key_name(smc_action_key(SMC_ACTION_SAVE, 0), save);
    int col = smc_frame_printf(frame, line, 0, 1, SMC_STYLE_DIM, "%s or Enter %s it", launch,
                               emulated ? "emulates" : "launches");
    if (tui->confirm.count > 0)
        smc_frame_printf(frame, line, 0, col, SMC_STYLE_DIM, "; %s saves the table", save);
    else if (emulated)
        smc_frame_text(frame, line, 0, col, SMC_STYLE_DIM, "; a small size takes little time");
}

void smc_draw_next_launch(const struct smc_tui *tui, struct smc_rect rect, struct smc_frame *frame)
{
    draw_kernel(tui, smc_rect_cut_top(&rect, 1), frame);
    draw_place(tui, smc_rect_cut_top(&rect, 1), frame);
    if (smc_confirm_in_hand(tui))
        draw_progress(tui, rect, frame);
    else if (!smc_confirm_obstacle(tui))
        draw_keys(tui, rect, frame);
}
