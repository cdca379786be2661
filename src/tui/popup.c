/* A box of text above the screen. */
#include "tui/popup.h"

#include <stdio.h>
#include <string.h>

#include "tui/glyph.h"

enum { UP_MARK = 0x25b2, DOWN_MARK = 0x25bc, KEYS_COLUMNS = 18 };

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

void smc_popup_act(struct smc_popup *popup, enum smc_action action)
{
    int last = popup->rows - popup->page;
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

/* The end of what fits into a row: of a line that is too long, at a blank where it has one. */
static const char *row_end(const char *text, int columns)
{
    const char *blank = NULL, *at = text;
    for (int used = 0; *at && *at != '\n';) {
        const char *next = at;
        used += smc_utf8_columns(smc_utf8_next(&next));
        if (used > columns && at > text)
            return blank ? blank : at;
        if (*at == ' ' && at > text)
            blank = at;
        at = next;
    }
    return at;
}

static void draw_row(const char *text, const char *end, struct smc_rect line,
                     struct smc_frame *frame)
{
    char row[4096];
    snprintf(row, sizeof row, "%.*s", (int)(end - text), text);
    smc_frame_text(frame, line, 0, 0, SMC_STYLE_NORMAL, row);
}

/* The whole text in rows of the rectangle's width, of which those from `top` on are drawn; how many
   there are. Without a frame they are only counted. */
static int lay_rows(const struct smc_popup *popup, struct smc_rect rect, struct smc_frame *frame)
{
    int rows = 0, indent = 0;
    for (const char *text = smc_text_string(&popup->text); *text; rows++) {
        const char *end = row_end(text, rect.cols - indent);
        struct smc_rect line = {rect.row + rows - popup->top, rect.col + indent, 1,
                                rect.cols - indent};
        if (frame && smc_rect_holds(rect, line.row, line.col))
            draw_row(text, end, line, frame);
        bool goes_on = *end && *end != '\n';
        indent = goes_on ? popup->indent : 0;
        text = goes_on ? end + strspn(end, " ") : end + (*end == '\n');
    }
    return rows;
}

static int widest_line(const char *text)
{
    int widest = 0, columns = 0;
    while (*text) {
        if (*text == '\n') {
            columns = 0;
            text++;
            continue;
        }
        columns += smc_utf8_columns(smc_utf8_next(&text));
        widest = columns > widest ? columns : widest;
    }
    return widest;
}

static struct smc_rect middle_of(struct smc_rect body, int rows, int cols)
{
    rows = rows > body.rows ? body.rows : rows;
    return (struct smc_rect){body.row + (body.rows - rows) / 2, body.col + (body.cols - cols) / 2,
                             rows, cols};
}

void smc_popup_draw(struct smc_popup *popup, struct smc_rect body, struct smc_frame *frame)
{
    enum { EDGES = 4 }; /* the frame's, and a blank beside each */
    int widest = widest_line(smc_text_string(&popup->text));
    int title = smc_utf8_string_columns(popup->title) + 2;
    int cols = (widest > title ? widest : title) + EDGES;
    struct smc_rect text = {0, 0, 0, (cols < body.cols ? cols : body.cols) - EDGES};
    popup->rows = lay_rows(popup, text, NULL);
    struct smc_rect box = middle_of(body, popup->rows + 2, text.cols + EDGES);
    struct smc_rect inside = smc_rect_inside(box);
    text = (struct smc_rect){inside.row, inside.col + 1, inside.rows, text.cols};
    popup->page = inside.rows > 0 ? inside.rows : 1;
    if (popup->top > popup->rows - popup->page) /* the screen has grown */
        popup->top = popup->rows > popup->page ? popup->rows - popup->page : 0;
    smc_frame_fill(frame, box, SMC_STYLE_NORMAL, ' ');
    smc_frame_box(frame, box, popup->title);
    lay_rows(popup, text, frame);
    if (popup->top > 0)
        smc_frame_glyph(frame, inside, 0, inside.cols - 1, SMC_STYLE_DIM, UP_MARK);
    if (popup->top + inside.rows < popup->rows)
        smc_frame_glyph(frame, inside, inside.rows - 1, inside.cols - 1, SMC_STYLE_DIM, DOWN_MARK);
}

void smc_help_open(struct smc_popup *popup, enum smc_view_id view)
{
    smc_popup_open(popup, "keys of this screen");
    popup->indent = KEYS_COLUMNS;
    for (int i = SMC_ACTION_NONE + 1; i < SMC_ACTION_COUNT; i++) {
        enum smc_action action = (enum smc_action)i;
        if (!(smc_action_info[i].views & 1u << view))
            continue;
        size_t before = popup->text.length;
        for (size_t n = 0; smc_action_key(action, n); n++) {
            char name[16];
            smc_key_name(smc_action_key(action, n), name);
            smc_text_printf(&popup->text, "%s%s", n ? " " : "", name);
        }
        size_t used = popup->text.length - before;
        smc_text_append_char(&popup->text, ' ', used < KEYS_COLUMNS ? KEYS_COLUMNS - used : 1);
        smc_text_printf(&popup->text, "%s\n", smc_action_info[i].help);
    }
    smc_text_printf(&popup->text, "%-*s%s\n", KEYS_COLUMNS, "digits",
                    "type a value; the mouse selects and turns");
}
