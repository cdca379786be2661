/* What is drawn above a screen and receives what is typed: a line to type into, and a list to
   choose from. */
#include "config.h"

#include "show/tui/widgets.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "show/words/layout.h"

/* --- Typing and boxes --- */

/* Backspace, Ctrl-U or a character; false where the text stays as it is. */
static bool prompts_type(char *typed, size_t size, uint32_t key)
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
        prompts_type(prompt->typed, sizeof prompt->typed, key);
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

static bool prompts_has_room(struct smc_pick *pick)
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
    if (!prompts_has_room(pick))
        return;
    struct smc_pick_entry *entry = &pick->entry[pick->count++];
    snprintf(entry->text, sizeof entry->text, "%s", text);
    snprintf(entry->note, sizeof entry->note, "%s", note);
}

/* How well an entry matches: as a whole, at its beginning, its last words ("5090" is the RTX 5090
   rather than its laptop variant), at the beginning of a word, anywhere, in its note. */
enum { WHOLE, BEGINNING, LAST_WORDS, WORD, PART, NOTE, NO_MATCH };

static int prompts_rank_of(const struct smc_pick_entry *entry, const char *typed)
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
            if (prompts_rank_of(&pick->entry[i], pick->typed) == rank)
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

static void prompts_move(struct smc_pick *pick, long by)
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
            prompts_move(pick, moves[i].by);
    if (prompts_type(pick->typed, sizeof pick->typed, key))
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
    return smc_rect_middle(body, (int)pick->count + FIND_ROWS + 2, cols + SMC_BOX_EDGES);
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
        prompts_move(pick, direction);
        return SMC_PROMPT_GOES_ON;
    }
    size_t at = (size_t)(first + row - list.row);
    if (!smc_rect_holds(list, row, col) || at >= pick->match_count)
        return SMC_PROMPT_GIVEN_UP;
    pick->at = at;
    return SMC_PROMPT_DONE;
}
