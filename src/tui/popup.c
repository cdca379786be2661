/* A box of text above the screen. */
#include "tui/popup.h"

#include <stdio.h>
#include <string.h>

#include "tui/glyph.h"

enum { MOST_COLUMNS = 96, LINE_CHARS = 1024 };

void smc_popup_open(struct smc_popup *popup, const char *title)
{
    smc_text_free(&popup->text);
    *popup = (struct smc_popup){.open = true};
    snprintf(popup->title, sizeof popup->title, "%s", title);
}

void smc_popup_close(struct smc_popup *popup)
{
    smc_text_free(&popup->text);
    *popup = (struct smc_popup){0};
}

static int count_lines(const char *text)
{
    int lines = 0;
    for (; *text; text++)
        lines += *text == '\n' || text[1] == '\0';
    return lines;
}

static int widest_line(const char *text)
{
    int widest = 0;
    while (*text) {
        char line[LINE_CHARS];
        size_t length = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        int columns = smc_glyph_string_columns(line);
        widest = columns > widest ? columns : widest;
        text += length + (text[length] == '\n');
    }
    return widest;
}

void smc_popup_act(struct smc_popup *popup, enum smc_action action)
{
    int last = count_lines(smc_text_string(&popup->text)) - popup->page;
    switch (action) {
    case SMC_ACTION_UP:
        popup->top--;
        break;
    case SMC_ACTION_DOWN:
        popup->top++;
        break;
    case SMC_ACTION_PAGE_UP:
        popup->top -= popup->page;
        break;
    case SMC_ACTION_PAGE_DOWN:
        popup->top += popup->page;
        break;
    case SMC_ACTION_FIRST:
        popup->top = 0;
        break;
    case SMC_ACTION_LAST:
        popup->top = last;
        break;
    default:
        smc_popup_close(popup);
        return;
    }
    popup->top = popup->top > last ? last : popup->top;
    popup->top = popup->top < 0 ? 0 : popup->top;
}

static struct smc_rect middle_of(struct smc_rect body, int rows, int cols)
{
    rows = rows > body.rows ? body.rows : rows;
    cols = cols > body.cols ? body.cols : cols;
    return (struct smc_rect){body.row + (body.rows - rows) / 2, body.col + (body.cols - cols) / 2,
                             rows, cols};
}

void smc_popup_draw(struct smc_popup *popup, struct smc_rect body, struct smc_frame *frame)
{
    const char *text = smc_text_string(&popup->text);
    int lines = count_lines(text), widest = widest_line(text), title = (int)strlen(popup->title);
    int cols = (widest > title ? widest : title) + 4;
    struct smc_rect box = middle_of(body, lines + 2, cols < MOST_COLUMNS ? cols : MOST_COLUMNS);
    struct smc_rect inside = smc_rect_inside(box);
    smc_frame_fill(frame, box, SMC_STYLE_NORMAL, ' ');
    smc_frame_box(frame, box, popup->title);
    popup->page = inside.rows > 0 ? inside.rows : 1;
    for (int line = 0; *text; line++) {
        char copy[LINE_CHARS];
        size_t length = strcspn(text, "\n");
        snprintf(copy, sizeof copy, "%.*s", (int)length, text);
        if (line >= popup->top)
            smc_frame_text(frame, inside, line - popup->top, 1, SMC_STYLE_NORMAL, copy);
        text += length + (text[length] == '\n');
    }
    if (popup->top > 0)
        smc_frame_glyph(frame, inside, 0, inside.cols - 1, SMC_STYLE_DIM, 0x25b2);
    if (popup->top + inside.rows < lines)
        smc_frame_glyph(frame, inside, inside.rows - 1, inside.cols - 1, SMC_STYLE_DIM, 0x25bc);
}

void smc_help_write(enum smc_view_id view, struct smc_text *out)
{
    enum { KEYS_COLUMNS = 24 };
    for (int i = SMC_ACTION_NONE + 1; i < SMC_ACTION_COUNT; i++) {
        enum smc_action action = (enum smc_action)i;
        if (!(smc_action_info[i].views & 1u << view))
            continue;
        size_t before = out->length;
        for (size_t n = 0; smc_action_key(action, n); n++) {
            char name[16];
            smc_key_name(smc_action_key(action, n), name);
            smc_text_printf(out, "%s%s", n ? " " : "", name);
        }
        size_t used = out->length - before;
        smc_text_append_char(out, ' ', used < KEYS_COLUMNS ? KEYS_COLUMNS - used : 1);
        smc_text_printf(out, "%s\n", smc_action_info[i].help);
    }
    smc_text_append(out, "digits                  type a value; the mouse selects and turns\n");
}
