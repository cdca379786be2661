/* A session of the explorer without a terminal: keys are the input, the screen as text is the
   output. */
#include "view_sitting.h"

#include <stdlib.h>
#include <string.h>

#include <CUnit/CUnit.h>

#include "show/tui/frame.h"

void sitting_open(struct sitting *sitting, const char *kernel, const char *device, int rows,
                  int cols)
{
    struct smc_query query;
    *sitting = (struct sitting){.tui = calloc(1, sizeof *sitting->tui)};
    CU_ASSERT_PTR_NOT_NULL_FATAL(sitting->tui);
    smc_query_init(&query);
    CU_ASSERT_EQUAL_FATAL(smc_device_find(device, &query.device, query.device_note, NULL), SMC_OK);
    query.kernel = kernel ? smc_kernel_find(kernel) : NULL;
    CU_ASSERT_FATAL(!kernel || query.kernel);
    if (kernel)
        smc_params_init(query.kernel, &query.params);
    else
        query.threads_per_block = 256;
    query.regs_per_thread = kernel ? SMC_NOT_GIVEN : 32;
    query.compile.no_nvrtc = true;
    smc_tui_open(sitting->tui, &query, rows, cols);
}

void sitting_close(struct sitting *sitting)
{
    smc_tui_close(sitting->tui);
    free(sitting->tui);
    smc_frame_free(&sitting->frame);
    smc_text_free(&sitting->screen);
}

void sitting_keys(struct sitting *sitting, const char *names)
{
    while (*names) {
        char name[16] = "";
        uint32_t key = 0;
        size_t length = strcspn(names, " ");
        CU_ASSERT_FATAL(length < sizeof name);
        memcpy(name, names, length);
        CU_ASSERT_FATAL(smc_key_of_name(name, &key));
        smc_tui_key(sitting->tui, key);
        smc_tui_catch_up(sitting->tui);
        names += length + (names[length] == ' ');
    }
}

void sitting_type(struct sitting *sitting, const char *text)
{
    while (*text)
        smc_tui_key(sitting->tui, smc_utf8_next(&text));
    smc_tui_key(sitting->tui, SMC_KEY_ENTER);
}

const char *sitting_screen(struct sitting *sitting)
{
    const struct smc_tui *tui = sitting->tui;
    CU_ASSERT_FATAL(smc_frame_resize(&sitting->frame, tui->rows, tui->cols));
    smc_tui_catch_up(sitting->tui);
    smc_tui_draw(sitting->tui, &sitting->frame);
    smc_text_free(&sitting->screen);
    smc_frame_write(&sitting->frame, true, &sitting->screen);
    return smc_text_string(&sitting->screen);
}

void sitting_resize(struct sitting *sitting, int rows, int cols)
{
    sitting->tui->rows = rows;
    sitting->tui->cols = cols;
}

bool sitting_shows(struct sitting *sitting, const char *text)
{
    return strstr(sitting_screen(sitting), text) != NULL;
}

bool sitting_spills(struct sitting *sitting, struct smc_rect body)
{
    enum { MARGIN = 3, OTHER = 0x2603 };
    struct smc_frame *frame = &sitting->frame;
    int rows = body.row + body.rows + MARGIN, cols = body.col + body.cols + MARGIN;
    CU_ASSERT_FATAL(smc_frame_resize(frame, rows, cols));
    smc_frame_fill(frame, (struct smc_rect){0, 0, rows, cols}, SMC_STYLE_NORMAL, OTHER);
    smc_views[sitting->tui->view]->draw(sitting->tui, body, frame);
    for (int row = 0; row < rows; row++)
        for (int col = 0; col < cols; col++)
            if (!smc_rect_holds(body, row, col) &&
                frame->cell[(size_t)row * (size_t)cols + (size_t)col].glyph != OTHER)
                return true;
    return false;
}
