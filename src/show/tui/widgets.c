/* What is drawn above or within a screen and handles its own keys: a line to type into, a list to
   choose from, a box of text. */
#include "config.h"

#include "show/tui/widgets.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "show/words/layout.h"
#include "show/words/words.h"

/* --- Typing and boxes --- */

/* Backspace, Ctrl-U or a character; false where the text stays as it is. */
static bool widgets_type(char *typed, size_t size, uint32_t key)
{
    size_t length = strlen(typed);
    if (key == SMC_KEY_BACKSPACE) {
        while (length > 0 && (typed[--length] & 0xc0) == 0x80) { /* the rest of a character */
        }
        typed[length] = '\0';
    } else if (key == SMC_KEY_CONTROL('u')) {
        typed[0] = '\0';
    } else if (key >= ' ' && key < SMC_KEY_FIRST && length + 5 <= size) {
        typed[length + smc_utf8_encode(key, typed + length)] = '\0';
    } else {
        return false;
    }
    return true;
}

enum { EDGES = 4 }; /* columns of a box: its frame, and a blank beside each side */

static struct smc_rect middle_of(struct smc_rect body, int rows, int cols)
{
    rows = rows < body.rows ? rows : body.rows;
    cols = cols < body.cols ? cols : body.cols;
    return (struct smc_rect){body.row + (body.rows - rows) / 2, body.col + (body.cols - cols) / 2,
                             rows, cols};
}

/* --- The prompt --- */

void smc_prompt_open(struct smc_prompt *prompt, const char *question, const char *hint,
                     const char *typed)
{
    *prompt = (struct smc_prompt){.open = true};
    snprintf(prompt->question, sizeof prompt->question, "%s", question);
    snprintf(prompt->hint, sizeof prompt->hint, "%s", hint);
    snprintf(prompt->typed, sizeof prompt->typed, "%s", typed);
}

enum smc_prompt_end smc_prompt_key(struct smc_prompt *prompt, uint32_t key)
{
    switch (key) {
    case SMC_KEY_ESCAPE:
    case SMC_KEY_CONTROL('c'):
        prompt->open = false;
        return SMC_PROMPT_GIVEN_UP;
    case SMC_KEY_ENTER:
        prompt->open = false;
        return SMC_PROMPT_DONE;
    default:
        if (prompt->is_fresh && key >= ' ' && key < SMC_KEY_FIRST)
            prompt->typed[0] = '\0';
        prompt->is_fresh = false;
        widgets_type(prompt->typed, sizeof prompt->typed, key);
        return SMC_PROMPT_GOES_ON;
    }
}

void smc_prompt_draw(const struct smc_prompt *prompt, struct smc_rect line, struct smc_frame *frame)
{
    smc_frame_fill(frame, line, SMC_STYLE_NORMAL, ' ');
    int col = smc_frame_printf(frame, line, 0, 0, SMC_STYLE_STRONG, " %s ", prompt->question);
    const char *typed = prompt->typed;
    while (*typed && smc_utf8_string_columns(typed) > line.cols - col - 2)
        smc_utf8_next(&typed); /* the end of a long line stays visible */
    col = smc_frame_text(frame, line, 0, col,
                         prompt->is_fresh && *typed ? SMC_STYLE_SELECTED : SMC_STYLE_GIVEN, typed);
    smc_frame_glyph(frame, line, 0, col, SMC_STYLE_CURSOR, ' ');
    smc_frame_text(frame, line, 0, col + 3, SMC_STYLE_DIM, prompt->hint);
}

/* --- The list to choose from --- */

void smc_pick_open(struct smc_pick *pick, const char *title)
{
    smc_pick_close(pick);
    pick->open = true;
    snprintf(pick->title, sizeof pick->title, "%s", title);
}

void smc_pick_close(struct smc_pick *pick)
{
    free(pick->entry);
    free(pick->match);
    *pick = (struct smc_pick){0};
}

static bool widgets_has_room(struct smc_pick *pick)
{
    if (pick->count < pick->capacity)
        return true;
    size_t capacity = pick->capacity ? 2 * pick->capacity : 64;
    struct smc_pick_entry *entry = smc_realloc(pick->entry, capacity * sizeof *entry);
    if (entry)
        pick->entry = entry;
    size_t *match = entry ? smc_realloc(pick->match, capacity * sizeof *match) : NULL;
    if (!match)
        return false;
    pick->match = match;
    pick->capacity = capacity;
    return true;
}

void smc_pick_add(struct smc_pick *pick, const char *text, const char *note)
{
    if (!widgets_has_room(pick))
        return;
    struct smc_pick_entry *entry = &pick->entry[pick->count++];
    snprintf(entry->text, sizeof entry->text, "%s", text);
    snprintf(entry->note, sizeof entry->note, "%s", note);
}

/* How well an entry matches: as a whole, at its beginning, its last words ("5090" is the RTX 5090
   rather than its laptop variant), at the beginning of a word, anywhere, in its note. */
enum { WHOLE, BEGINNING, LAST_WORDS, WORD, PART, NOTE, NO_MATCH };

static int widgets_rank_of(const struct smc_pick_entry *entry, const char *typed)
{
    const char *at = strcasestr(entry->text, typed);
    if (strcasecmp(entry->text, typed) == 0)
        return WHOLE;
    if (at == entry->text)
        return BEGINNING;
    for (const char *next = at; next; next = strcasestr(next + 1, typed))
        if (!isalnum((unsigned char)next[-1]))
            return next[strlen(typed)] == '\0' ? LAST_WORDS : WORD;
    if (at)
        return PART;
    return strcasestr(entry->note, typed) ? NOTE : NO_MATCH;
}

static void find_matches(struct smc_pick *pick)
{
    pick->match_count = pick->at = 0;
    for (int rank = WHOLE; rank < NO_MATCH; rank++)
        for (size_t i = 0; i < pick->count; i++)
            if (widgets_rank_of(&pick->entry[i], pick->typed) == rank)
                pick->match[pick->match_count++] = i;
}

void smc_pick_show(struct smc_pick *pick, const char *present)
{
    pick->typed[0] = '\0';
    find_matches(pick);
    for (size_t i = 0; i < pick->match_count; i++)
        if (strcmp(pick->entry[pick->match[i]].text, present) == 0)
            pick->at = i;
}

const char *smc_pick_chosen(const struct smc_pick *pick)
{
    return pick->match_count ? pick->entry[pick->match[pick->at]].text : pick->typed;
}

static void widgets_move(struct smc_pick *pick, long by)
{
    long at = (long)pick->at + by, last = (long)pick->match_count - 1;
    at = at > last ? last : at;
    pick->at = (size_t)(at < 0 ? 0 : at);
}

enum smc_prompt_end smc_pick_key(struct smc_pick *pick, uint32_t key)
{
    enum { PAGE = 10, ALL = 1 << 20 };
    static const struct {
        uint32_t key;
        long by;
    } moves[] = {
        {SMC_KEY_UP, -1},   {SMC_KEY_BACK_TAB, -1},    {SMC_KEY_DOWN, 1},
        {SMC_KEY_TAB, 1},   {SMC_KEY_PAGE_UP, -PAGE},  {SMC_KEY_HOME, -ALL},
        {SMC_KEY_END, ALL}, {SMC_KEY_PAGE_DOWN, PAGE},
    };
    if (key == SMC_KEY_ESCAPE || key == SMC_KEY_CONTROL('c'))
        return SMC_PROMPT_GIVEN_UP;
    if (key == SMC_KEY_ENTER)
        return SMC_PROMPT_DONE;
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++)
        if (moves[i].key == key)
            widgets_move(pick, moves[i].by);
    if (widgets_type(pick->typed, sizeof pick->typed, key))
        find_matches(pick);
    return SMC_PROMPT_GOES_ON;
}

enum { GAP = 2, FIND_ROWS = 2 };

static int widest(const struct smc_pick *pick, bool notes)
{
    int columns = 0;
    for (size_t i = 0; i < pick->count; i++) {
        const struct smc_pick_entry *entry = &pick->entry[i];
        int wide = smc_utf8_string_columns(notes ? entry->note : entry->text);
        columns = wide > columns ? wide : columns;
    }
    return columns;
}

/* Sized for all entries, so that it stays while typing narrows them down. */
static struct smc_rect box_of(const struct smc_pick *pick, struct smc_rect body)
{
    enum { FIND_COLUMNS = 30 };
    int cols = widest(pick, false) + GAP + widest(pick, true);
    cols = cols < FIND_COLUMNS ? FIND_COLUMNS : cols;
    return middle_of(body, (int)pick->count + FIND_ROWS + 2, cols + EDGES);
}

static struct smc_rect list_of(const struct smc_pick *pick, struct smc_rect body)
{
    struct smc_rect list = smc_rect_inside(box_of(pick, body));
    smc_rect_cut_top(&list, FIND_ROWS);
    return list;
}

static void draw_entry(const struct smc_pick_entry *entry, int text_columns, struct smc_rect line,
                       struct smc_frame *frame)
{
    int note = 1 + text_columns + GAP;
    smc_frame_text_within(frame, line, 0, 1, line.cols - 2, SMC_STYLE_NORMAL, entry->text);
    if (note < line.cols - 2)
        smc_frame_text_within(frame, line, 0, note, line.cols - 1 - note, SMC_STYLE_DIM,
                              entry->note);
}

void smc_pick_draw(const struct smc_pick *pick, struct smc_rect body, struct smc_frame *frame)
{
    struct smc_rect box = box_of(pick, body), inside = smc_rect_inside(box);
    struct smc_rect list = list_of(pick, body);
    int first = smc_list_first((int)pick->at, (int)pick->match_count, list.rows);
    int text_columns = widest(pick, false);
    smc_frame_fill(frame, box, SMC_STYLE_NORMAL, ' ');
    smc_frame_box(frame, box, pick->title);
    int col = smc_frame_text(frame, inside, 0, 1, SMC_STYLE_STRONG, "find: ");
    col = smc_frame_text_within(frame, inside, 0, col, inside.cols - col - 2, SMC_STYLE_GIVEN,
                                pick->typed);
    smc_frame_glyph(frame, inside, 0, col, SMC_STYLE_CURSOR, ' ');
    if (pick->match_count == 0)
        smc_frame_text_within(frame, list, 0, 1, list.cols - 2, SMC_STYLE_WARN,
                              "no match; Enter accepts what you typed");
    for (int row = 0; row < list.rows && first + row < (int)pick->match_count; row++) {
        struct smc_rect line = {list.row + row, list.col, 1, list.cols};
        draw_entry(&pick->entry[pick->match[first + row]], text_columns, line, frame);
        if (first + row == (int)pick->at)
            smc_frame_restyle(frame, line, 0, SMC_STYLE_CURSOR);
    }
    smc_list_draw_arrows(first, (int)pick->match_count, list, frame);
}

enum smc_prompt_end smc_pick_click(struct smc_pick *pick, struct smc_rect body, int row, int col,
                                   int direction)
{
    struct smc_rect list = list_of(pick, body);
    int first = smc_list_first((int)pick->at, (int)pick->match_count, list.rows);
    if (direction != 0) {
        widgets_move(pick, direction);
        return SMC_PROMPT_GOES_ON;
    }
    size_t at = (size_t)(first + row - list.row);
    if (!smc_rect_holds(list, row, col) || at >= pick->match_count)
        return SMC_PROMPT_GIVEN_UP;
    pick->at = at;
    return SMC_PROMPT_DONE;
}

/* --- The popup --- */

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
    int cols = (widest > title ? widest : title) + EDGES;
    struct smc_rect text = {0, 0, 0, (cols < body.cols ? cols : body.cols) - EDGES};
    popup->rows = lay_rows(popup, text, NULL);
    struct smc_rect box = middle_of(body, popup->rows + 2, text.cols + EDGES);
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
