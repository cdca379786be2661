/* Fuzzes the explorer with scripts: whatever keys, lines and sizes come, its state stays sound, and
   every screen is made of whole characters. The first two bytes choose the kernel and the device.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "show/tui/frame.h"
#include "show/tui/terminal.h"
#include "show/tui/tui_state.h"

enum { MOST_EVENTS = 400, MOST_CELLS = 300 * 100 };

static void check_cells(const struct smc_frame *frame)
{
    for (int i = 0; i < frame->rows * frame->cols; i++) {
        const struct smc_cell *cell = &frame->cell[i];
        bool right = cell->glyph == 0;
        if (cell->style >= SMC_STYLE_COUNT || (right && i % frame->cols == 0) ||
            (right && smc_utf8_columns(cell[-1].glyph) != 2) ||
            (!right && smc_utf8_columns(cell->glyph) == 0))
            abort();
    }
}

static void show(struct smc_tui *tui, struct smc_frame *frame)
{
    if (tui->rows * tui->cols > MOST_CELLS || !smc_frame_resize(frame, tui->rows, tui->cols))
        return;
    smc_tui_draw(tui, frame);
    check_cells(frame);
    smc_terminal_script.print(frame);
}

static void check_state(const struct smc_tui *tui)
{
    const struct smc_explore *explore = &tui->explore;
    struct smc_text command = {0};
    if (explore->answer.query.kernel != explore->query.kernel ||
        explore->answered == (explore->why[0] != '\0') || explore->undo_count > SMC_UNDO_STEPS)
        abort();
    smc_tui_command(&explore->query, &command);
    if (strncmp(smc_text_string(&command), "smemcalc ", 9) != 0)
        abort();
    smc_text_free(&command);
}

/* The loop's part, without a compiler, a GPU or an editor. False: the script is over. */
static bool handle(struct smc_tui *tui, struct smc_frame *frame, const struct smc_event *event)
{
    switch (event->kind) {
    case SMC_EVENT_KEY:
        smc_tui_key(tui, event->key);
        break;
    case SMC_EVENT_CLICK:
        smc_tui_click(tui, event->row, event->col, event->direction);
        break;
    case SMC_EVENT_RESIZE:
        smc_tui_resize(tui, event->rows, event->cols);
        break;
    case SMC_EVENT_SHOW:
        show(tui, frame);
        break;
    case SMC_EVENT_END:
        return false;
    default:
        break;
    }
    check_state(tui);
    return tui->effect != SMC_EFFECT_QUIT;
}

static void play(struct smc_script *script, const struct smc_query *query)
{
    struct smc_frame frame = {0};
    struct smc_event event;
    struct smc_tui *tui = calloc(1, sizeof *tui);
    int rows, cols, events = 0;
    if (!tui)
        abort();
    smc_terminal_script.open(script, &rows, &cols, NULL);
    smc_tui_open(tui, query, rows, cols);
    do
        smc_terminal_script.next(&event);
    while (handle(tui, &frame, &event) && ++events < MOST_EVENTS);
    if (script->status != SMC_OK && strncmp(script->error.message, "input:", 6) != 0)
        abort();
    show(tui, &frame);
    smc_terminal_script.close();
    smc_tui_close(tui);
    smc_frame_free(&frame);
    free(tui);
}

int fuzz_tui_script(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    struct smc_query query;
    smc_query_init(&query);
    size_t kernel = data[0] % (smc_kernel_count() + 1);
    query.compile = (struct smc_compile_options){.no_nvrtc = true, .no_cache = true};
    query.threads_per_block = 256;
    smc_device_at(data[1] % smc_device_count(), &query.device);
    if (kernel < smc_kernel_count()) {
        query.kernel = smc_kernel_at(kernel);
        smc_params_init(query.kernel, &query.params);
    }
    struct smc_text text = {0}, out = {0};
    smc_text_append_bytes(&text, (const char *)data + 2, size - 2);
    smc_text_append(&text, ""); /* an empty one as well */
    if (strlen(smc_text_string(&text)) == text.length && text.data) {
        struct smc_script script = {
            .name = "input", .text = text.data, .utf8 = data[0] & 1, .out = &out};
        play(&script, &query);
    }
    smc_text_free(&text);
    smc_text_free(&out);
    return 0;
}
