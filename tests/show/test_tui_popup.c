/* tui/popup and tui/prompt: text above the screen, and the line that the user types. */
#include <stdio.h>
#include <string.h>

#include "show/tui/frame.h"
#include "show/tui/keys.h"
#include "show/tui/widgets.h"
#include "unit.h"

static struct smc_text draw_popup(struct smc_popup *popup, int rows, int cols, bool utf8)
{
    struct smc_text text = {0};
    struct smc_frame frame = {0};
    CU_ASSERT_FATAL(smc_frame_resize(&frame, rows, cols));
    smc_popup_draw(popup, (struct smc_rect){0, 0, rows, cols}, &frame);
    smc_frame_write(&frame, utf8, &text);
    smc_frame_free(&frame);
    return text;
}

static void test_wrapping(void)
{
    struct smc_popup popup = {0};
    smc_popup_open(&popup, "title");
    smc_text_append(&popup.text, "smemcalc --kernel stencil-static\n\nx");
    popup.indent = 2;
    struct smc_text text = draw_popup(&popup, 9, 26, false);
    CU_ASSERT_STRING_EQUAL(smc_text_string(&text), "\n"
                                                   "+- title ----------------+\n"
                                                   "| smemcalc --kernel      |\n"
                                                   "|   stencil-static       |\n"
                                                   "|                        |\n"
                                                   "| x                      |\n"
                                                   "+------------------------+\n"
                                                   "\n\n");
    CU_ASSERT_EQUAL(popup.rows, 4);
    smc_text_free(&text);
    smc_popup_close(&popup);
}

static void append_letters(const char *text, struct smc_text *letters)
{
    for (; *text; text++)
        if (*text >= 'a' && *text <= 'z')
            smc_text_append_char(letters, *text, 1);
}

/* Scrolled through one row, at every width, the text is unchanged. */
static void test_nothing_lost(void)
{
    static const char words[] = "alpha beta gammagammagammagamma\ndelta\n\nepsilon zeta eta theta";
    struct smc_text expected = {0};
    append_letters(words, &expected);
    for (int cols = 7; cols < 60; cols++) {
        struct smc_popup popup = {0};
        struct smc_text seen = {0};
        int top;
        smc_popup_open(&popup, "");
        smc_text_append(&popup.text, words);
        do {
            struct smc_text text = draw_popup(&popup, 3, cols, true);
            append_letters(smc_text_string(&text), &seen);
            smc_text_free(&text);
            top = popup.top;
            smc_popup_act(&popup, SMC_ACTION_DOWN);
        } while (popup.top > top);
        CU_ASSERT_STRING_EQUAL(smc_text_string(&seen), smc_text_string(&expected));
        smc_text_free(&seen);
        smc_popup_close(&popup);
    }
    smc_text_free(&expected);
}

static void test_scrolling(void)
{
    struct smc_popup popup = {0};
    smc_popup_open(&popup, "t");
    for (int i = 0; i < 30; i++)
        smc_text_printf(&popup.text, "line %d\n", i);
    struct smc_text text = draw_popup(&popup, 12, 40, false);
    smc_text_free(&text);
    CU_ASSERT_EQUAL(popup.rows, 30);
    CU_ASSERT_EQUAL(popup.page, 10);
    static const struct {
        enum smc_action action;
        int top;
    } steps[] = {{SMC_ACTION_UP, 0},    {SMC_ACTION_DOWN, 1},    {SMC_ACTION_PAGE_DOWN, 11},
                 {SMC_ACTION_LAST, 20}, {SMC_ACTION_DOWN, 20},   {SMC_ACTION_PAGE_UP, 10},
                 {SMC_ACTION_FIRST, 0}, {SMC_ACTION_PAGE_UP, 0}, {SMC_ACTION_LAST, 20}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        smc_popup_act(&popup, steps[i].action);
        CU_ASSERT_EQUAL(popup.top, steps[i].top);
    }
    text = draw_popup(&popup, 25, 40, false); /* a larger screen leaves no blank rows */
    CU_ASSERT_EQUAL(popup.top, 7);
    smc_text_free(&text);
    smc_popup_act(&popup, SMC_ACTION_CANCEL);
    CU_ASSERT_FALSE(popup.open);
}

static void test_rows_of_actions(void)
{
    CU_ASSERT_EQUAL(smc_list_rows_of(SMC_ACTION_UP, 10), -1);
    CU_ASSERT_EQUAL(smc_list_rows_of(SMC_ACTION_PAGE_DOWN, 10), 10);
    CU_ASSERT_EQUAL(smc_list_rows_of(SMC_ACTION_PAGE_UP, -3), -1); /* on a screen too low for it */
    CU_ASSERT_EQUAL(smc_list_rows_of(SMC_ACTION_ENTER, 10), 0);
    CU_ASSERT_EQUAL(smc_list_scrolled(5, SMC_LIST_ALL, 20), 20);
    CU_ASSERT_EQUAL(smc_list_scrolled(25, -1, 20), 19); /* the screen has grown */
    CU_ASSERT_EQUAL(smc_list_scrolled(0, 3, -7), 0);
}

static void type(struct smc_prompt *prompt, const char *text)
{
    for (uint32_t glyph; (glyph = smc_utf8_next(&text)) != 0;)
        CU_ASSERT_EQUAL(smc_prompt_key(prompt, glyph), SMC_PROMPT_GOES_ON);
}

static void test_typing(void)
{
    struct smc_prompt prompt;
    smc_prompt_open(&prompt, "device", "a board", "");
    type(&prompt, "H\xc3\xa9\xe6\xbc\xa2\xf0\x9f\x9a\x80");
    CU_ASSERT_STRING_EQUAL(prompt.typed, "H\xc3\xa9\xe6\xbc\xa2\xf0\x9f\x9a\x80");
    static const char *const left[] = {"H\xc3\xa9\xe6\xbc\xa2", "H\xc3\xa9", "H", "", ""};
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
        smc_prompt_key(&prompt, SMC_KEY_BACKSPACE);
        CU_ASSERT_STRING_EQUAL(prompt.typed, left[i]);
    }
    type(&prompt, "abc");
    smc_prompt_key(&prompt, SMC_KEY_LEFT); /* not a character */
    smc_prompt_key(&prompt, SMC_KEY_F1);
    smc_prompt_key(&prompt, 1);
    CU_ASSERT_STRING_EQUAL(prompt.typed, "abc");
    smc_prompt_key(&prompt, SMC_KEY_CONTROL('u'));
    CU_ASSERT_STRING_EQUAL(prompt.typed, "");
    CU_ASSERT_EQUAL(smc_prompt_key(&prompt, SMC_KEY_ENTER), SMC_PROMPT_DONE);
    CU_ASSERT_FALSE(prompt.open);
    smc_prompt_open(&prompt, "device", "", "begun");
    CU_ASSERT_EQUAL(smc_prompt_key(&prompt, SMC_KEY_ESCAPE), SMC_PROMPT_GIVEN_UP);
    CU_ASSERT_FALSE(prompt.open);
}

/* The longest possible line stays valid text, and its end is visible. */
static void test_long_line(void)
{
    struct smc_prompt prompt;
    struct smc_frame frame = {0};
    struct smc_text text = {0};
    smc_prompt_open(&prompt, "search", "hint", "");
    for (int i = 0; i < 2 * SMC_PROMPT_CHARS; i++)
        smc_prompt_key(&prompt, 0x6f22);
    CU_ASSERT(strlen(prompt.typed) < SMC_PROMPT_CHARS);
    smc_prompt_key(&prompt, SMC_KEY_BACKSPACE);
    smc_prompt_key(&prompt, 'z');
    CU_ASSERT_FATAL(smc_frame_resize(&frame, 1, 40));
    smc_prompt_draw(&prompt, (struct smc_rect){0, 0, 1, 40}, &frame);
    smc_frame_write(&frame, true, &text);
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&text), "\xe6\xbc\xa2z"));
    smc_text_free(&text);
    smc_frame_free(&frame);
}

static void pick_type(struct smc_pick *pick, const char *text)
{
    while (*text)
        CU_ASSERT_EQUAL(smc_pick_key(pick, (unsigned char)*text++), SMC_PROMPT_GOES_ON);
}

/* Typed text finds entries: complete matches first, then beginnings, words, parts, and notes. */
static void test_finding(void)
{
    struct smc_pick pick = {0};
    static const char *const kernels[] = {"aat-tile", "tile", "tiled", "reptile", "other"};
    static const char *const order[] = {"tile", "tiled", "aat-tile", "reptile", "other"};
    smc_pick_open(&pick, "kernel");
    for (size_t i = 0; i < 5; i++)
        smc_pick_add(&pick, kernels[i], i == 4 ? "with a tile" : "");
    smc_pick_show(&pick, "reptile");
    CU_ASSERT_STRING_EQUAL(smc_pick_chosen(&pick), "reptile");
    pick_type(&pick, "TILE");
    CU_ASSERT_EQUAL_FATAL(pick.match_count, 5);
    for (size_t i = 0; i < 5; i++) {
        CU_ASSERT_STRING_EQUAL(smc_pick_chosen(&pick), order[i]);
        smc_pick_key(&pick, SMC_KEY_DOWN);
    }
    pick_type(&pick, "d");
    CU_ASSERT_EQUAL(pick.match_count, 1);
    pick_type(&pick, "x");
    CU_ASSERT_EQUAL(pick.match_count, 0);
    CU_ASSERT_STRING_EQUAL(smc_pick_chosen(&pick), "TILEdx");
    smc_pick_key(&pick, SMC_KEY_DOWN);
    smc_pick_key(&pick, SMC_KEY_BACKSPACE);
    CU_ASSERT_STRING_EQUAL(smc_pick_chosen(&pick), "tiled");
    smc_pick_key(&pick, SMC_KEY_CONTROL('u'));
    CU_ASSERT_STRING_EQUAL(pick.typed, "");
    CU_ASSERT_EQUAL(pick.match_count, 5);
    CU_ASSERT_EQUAL(smc_pick_key(&pick, SMC_KEY_ENTER), SMC_PROMPT_DONE);
    CU_ASSERT_EQUAL(smc_pick_key(&pick, SMC_KEY_ESCAPE), SMC_PROMPT_GIVEN_UP);
    smc_pick_close(&pick);
    CU_ASSERT_FALSE(pick.open);
}

/* Hundreds of entries, any size of screen: the chosen entry is visible, and a click on it chooses
   it. */
static void test_long_lists(void)
{
    struct smc_pick pick = {0};
    struct smc_frame frame = {0};
    smc_pick_open(&pick, "device");
    for (int i = 0; i < 300; i++) {
        char name[32];
        snprintf(name, sizeof name, "entry %03d.", i);
        smc_pick_add(&pick, name, "note");
    }
    smc_pick_show(&pick, "entry 150.");
    for (int rows = 14; rows < 60; rows += 3) {
        struct smc_rect body = {1, 0, rows, 60};
        struct smc_text text = {0};
        smc_pick_key(&pick, rows % 2 ? SMC_KEY_PAGE_DOWN : SMC_KEY_UP);
        CU_ASSERT_FATAL(smc_frame_resize(&frame, rows + 2, 60));
        smc_pick_draw(&pick, body, &frame);
        smc_frame_write(&frame, true, &text);
        CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&text), smc_pick_chosen(&pick)));
        smc_text_free(&text);
    }
    struct smc_rect body = {1, 0, 22, 60};
    CU_ASSERT_EQUAL(smc_pick_click(&pick, body, 1, 1, 0), SMC_PROMPT_GIVEN_UP);
    CU_ASSERT_EQUAL(smc_pick_click(&pick, body, 10, 30, 1), SMC_PROMPT_GOES_ON);
    CU_ASSERT_EQUAL(smc_pick_click(&pick, body, 10, 30, 0), SMC_PROMPT_DONE);
    smc_frame_free(&frame);
    smc_pick_close(&pick);
}

CU_TestInfo tests_tui_popup[] = {
    {"a list finds what is typed", test_finding},
    {"long lists", test_long_lists},
    {"lines are wrapped", test_wrapping},
    {"no character is lost", test_nothing_lost},
    {"scrolling", test_scrolling},
    {"the rows of an action", test_rows_of_actions},
    {"typing", test_typing},
    {"a line as long as can be", test_long_line},
    CU_TEST_INFO_NULL,
};
