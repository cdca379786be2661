/* A box of text above a screen, such as the help, a command line or a compiler's messages. */
#include "config.h"

#include "show/tui/widgets.h"

#include <stdio.h>
#include <string.h>

#include "show/words/layout.h"
#include "show/words/words.h"

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
    int by = smc_list_rows_of(action, popup->page);
    if (by != 0)
        popup->top = smc_list_scrolled(popup->top, by, popup->rows - popup->page);
    else
        smc_popup_close(popup);
}

/* Where a row ends: at the end of the line, else at its last blank that fits, else anywhere. */
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

/* Lays the text out in rows of the rectangle's width and draws those from `top` on; returns how
   many there are. Without a frame they are only counted. */
static int lay_rows(const struct smc_popup *popup, struct smc_rect rect, struct smc_frame *frame)
{
    int rows = 0, indent = 0;
    for (const char *text = smc_text_string(&popup->text); *text; rows++) {
        const char *end = row_end(text, rect.cols - indent);
        struct smc_rect line = {rect.row + rows - popup->top, rect.col + indent, 1,
                                rect.cols - indent};
        if (frame && smc_rect_holds(rect, line.row, line.col))
            draw_row(text, end, line, frame);
        bool continued = *end && *end != '\n';
        indent = continued ? popup->indent : 0;
        text = continued ? end + strspn(end, " ") : end + (*end == '\n');
    }
    return rows;
}

/* Walks the rows as they are laid out. */
static int popup_find_row(const struct smc_popup *popup, const char *wanted, int from)
{
    int rows = 0, indent = 0;
    for (const char *text = smc_text_string(&popup->text); *text; rows++) {
        char row[4096];
        const char *end = row_end(text, popup->cols - indent);
        snprintf(row, sizeof row, "%.*s", (int)(end - text), text);
        if (rows >= from && strcasestr(row, wanted))
            return rows;
        bool continued = *end && *end != '\n';
        indent = continued ? popup->indent : 0;
        text = continued ? end + strspn(end, " ") : end + (*end == '\n');
    }
    return -1;
}

bool smc_popup_find(struct smc_popup *popup, const char *text)
{
    int row = popup_find_row(popup, text, popup->found > 0 ? popup->found : 0);
    row = row < 0 ? popup_find_row(popup, text, 0) : row;
    if (row < 0)
        return false;
    popup->found = row + 1;
    popup->top = smc_list_scrolled(0, row, popup->rows - popup->page);
    return true;
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

void smc_popup_draw(struct smc_popup *popup, struct smc_rect body, struct smc_frame *frame)
{
    int widest = widest_line(smc_text_string(&popup->text));
    int title = smc_utf8_string_columns(popup->title) + 2;
    int cols = (widest > title ? widest : title) + SMC_BOX_EDGES;
    struct smc_rect text = {0, 0, 0, (cols < body.cols ? cols : body.cols) - SMC_BOX_EDGES};
    popup->rows = lay_rows(popup, text, NULL);
    struct smc_rect box = smc_rect_middle(body, popup->rows + 2, text.cols + SMC_BOX_EDGES);
    struct smc_rect inside = smc_rect_inside(box);
    text = (struct smc_rect){inside.row, inside.col + 1, inside.rows, text.cols};
    popup->cols = text.cols;
    popup->page = inside.rows > 0 ? inside.rows : 1;
    if (popup->top > popup->rows - popup->page) /* the screen has grown */
        popup->top = popup->rows > popup->page ? popup->rows - popup->page : 0;
    smc_frame_fill(frame, box, SMC_STYLE_NORMAL, ' ');
    smc_frame_box(frame, box, popup->title);
    lay_rows(popup, text, frame);
    smc_list_draw_arrows(popup->top, popup->rows, inside, frame);
}

enum { KEYS_COLUMNS = 18 };

/* The legend: the view's signs, the letters of limits, lanes and blocks. */
static void append_signs(struct smc_text *text, enum smc_view_id view)
{
    smc_text_append(text, "\nsigns of this screen\n");
    for (size_t i = 0; i < smc_sign_count; i++) {
        if (!(smc_sign_info[i].views & 1u << view))
            continue;
        smc_glyph_append(smc_sign_info[i].glyph, true, text);
        smc_text_printf(text, "%*s%s\n", KEYS_COLUMNS - 1, "", smc_sign_info[i].meaning);
    }
    if (view == SMC_VIEW_EXPLORE)
        smc_text_printf(text, "%-*s%s\n", KEYS_COLUMNS, "A-Z", "a resident block");
    if (view == SMC_VIEW_BANKS)
        smc_text_printf(text, "%-*s%s\n", KEYS_COLUMNS, "0-9 a-v", "a lane; a-v are 10-31");
    for (int i = 0; view == SMC_VIEW_EXPLORE && i < SMC_LIMIT_COUNT; i++)
        smc_text_printf(text, "%-*c%s limit, below the chart\n", KEYS_COLUMNS,
                        smc_words_limit_letter((enum smc_limit)i),
                        smc_words_short_label((enum smc_limit)i));
}

void smc_help_open(struct smc_popup *popup, enum smc_view_id view)
{
    smc_popup_open(popup, "keys and signs of this screen");
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
    if (view == SMC_VIEW_EXPLORE || view == SMC_VIEW_BANKS)
        smc_text_printf(&popup->text, "%-*s%s\n", KEYS_COLUMNS, "digits",
                        "type a value; a click selects, the wheel changes it");
    else
        smc_text_printf(&popup->text, "%-*s%s\n", KEYS_COLUMNS, "mouse",
                        "a click selects, the wheel scrolls");
    append_signs(&popup->text, view);
}

/* --- Commands --- */

struct line_end {
    size_t at; /* after a blank or a comma; 0: there is none */
    bool quoted;
};

/* The last place where a line of at most that many columns may end. */
static struct line_end find_line_end(const char *text, int columns, char *quote)
{
    struct line_end end = {0, false};
    char last_quote = *quote, within = *quote;
    for (int i = 0; i < columns && text[i]; i++) {
        if (text[i] == '\\' && within != '\'') { /* the next character is not a quote */
            i += text[i + 1] != '\0';
            continue;
        }
        if (text[i] == within)
            within = 0;
        else if (!within && (text[i] == '\'' || text[i] == '"'))
            within = text[i];
        bool blank = text[i] == ' ' || text[i] == *SMC_TIE;
        if (within == '"' || !(blank || (text[i] == ',' && !within)))
            continue;
        end = (struct line_end){(size_t)i + 1, within == '\''};
        last_quote = within;
    }
    *quote = last_quote;
    return end;
}

void smc_command_wrap(const char *command, int columns, struct smc_text *out)
{
    char quote = 0;
    size_t rest = strlen(command);
    while (*command) {
        struct line_end end = {rest, true};
        if (rest > (size_t)columns)
            end = find_line_end(command, columns - 1, &quote);
        if (end.at == 0)
            end = (struct line_end){rest, true};
        for (size_t i = 0; i < end.at; i++)
            smc_text_append_char(out, command[i] == *SMC_TIE ? ' ' : command[i], 1);
        smc_text_append(out, end.quoted ? "" : "\\");
        command += end.at;
        rest -= end.at;
        smc_text_append(out, rest ? "\n" : "");
    }
}
