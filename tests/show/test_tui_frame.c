/* tui/frame, tui/rect and tui/ansi: drawing never writes outside its rectangle. */
#include <stdlib.h>
#include <string.h>

#include "show/tui/frame.h"
#include "tui_support.h"
#include "unit.h"

static struct smc_frame frame;

static const char *write_frame(bool utf8)
{
    static struct smc_text text;
    smc_text_free(&text);
    smc_frame_write(&frame, utf8, &text);
    return smc_text_string(&text);
}

static void begin(int rows, int cols)
{
    CU_ASSERT_FATAL(smc_frame_resize(&frame, rows, cols));
}

static struct smc_rect whole(void)
{
    return (struct smc_rect){0, 0, frame.rows, frame.cols};
}

/* Each wide character has its right half, and no half is alone. */
static bool halves_match(void)
{
    for (int row = 0; row < frame.rows; row++) {
        const struct smc_cell *cell = &frame.cell[row * frame.cols];
        for (int col = 0; col < frame.cols; col++) {
            bool wide = cell[col].glyph && smc_utf8_columns(cell[col].glyph) == 2;
            if (wide && (col + 1 == frame.cols || cell[col + 1].glyph != 0))
                return false;
            if (cell[col].glyph == 0 && (col == 0 || smc_utf8_columns(cell[col - 1].glyph) != 2))
                return false;
        }
    }
    return true;
}

static void test_wide_at_edges(void)
{
    static const char han[] = "\xe6\xbc\xa2\xe5\xad\x97";
    begin(1, 5);
    CU_ASSERT_EQUAL(smc_frame_text(&frame, whole(), 0, 0, SMC_STYLE_NORMAL, han), 4);
    CU_ASSERT_STRING_EQUAL(write_frame(true), "\xe6\xbc\xa2\xe5\xad\x97\n");
    CU_ASSERT_STRING_EQUAL(write_frame(false), "????\n");
    begin(1, 5); /* the second would be cut */
    CU_ASSERT_EQUAL(smc_frame_text(&frame, whole(), 0, 2, SMC_STYLE_NORMAL, han), 5);
    CU_ASSERT_STRING_EQUAL(write_frame(true), "  \xe6\xbc\xa2\n");
    begin(1, 5); /* a rectangle that extends beyond the frame */
    smc_frame_text(&frame, (struct smc_rect){0, 4, 1, 9}, 0, 0, SMC_STYLE_NORMAL, han);
    CU_ASSERT_STRING_EQUAL(write_frame(true), "\n");
    CU_ASSERT(halves_match());
}

static void test_overwritten_halves(void)
{
    static const char han[] = "\xe6\xbc\xa2";
    for (int at = 0; at < 2; at++) {
        begin(1, 4);
        smc_frame_text(&frame, whole(), 0, 1, SMC_STYLE_NORMAL, han);
        smc_frame_text(&frame, whole(), 0, 1 + at, SMC_STYLE_NORMAL, "x");
        CU_ASSERT_STRING_EQUAL(write_frame(true), at ? "  x\n" : " x\n");
        CU_ASSERT(halves_match());
    }
    begin(1, 4); /* shifted by one, both ways */
    smc_frame_text(&frame, whole(), 0, 1, SMC_STYLE_NORMAL, han);
    smc_frame_text(&frame, whole(), 0, 2, SMC_STYLE_NORMAL, han);
    CU_ASSERT_STRING_EQUAL(write_frame(true), "  \xe6\xbc\xa2\n");
    smc_frame_text(&frame, whole(), 0, 1, SMC_STYLE_NORMAL, han);
    CU_ASSERT_STRING_EQUAL(write_frame(true), " \xe6\xbc\xa2\n");
    CU_ASSERT(halves_match());
}

static void draw_something(const struct smc_rect *rect)
{
    static const char *const texts[] = {"plain", "", "\xe6\xbc\xa2\xe5\xad\x97 \xf0\x9f\x9a\x80 a",
                                        "e\xcc\x81\xcc\x81 \xff\x1b[m",
                                        "a longer text of many words"};
    const char *text = texts[random_below(5)];
    int row = (int)random_below(6) - 1, col = (int)random_below(9);
    switch (random_below(9)) {
    case 0:
        smc_frame_text(&frame, *rect, row, col, SMC_STYLE_GOOD, text);
        return;
    case 1:
        smc_frame_text_within(&frame, *rect, row, col, (int)random_below(12), SMC_STYLE_BAD, text);
        return;
    case 2:
        smc_frame_text_right(&frame, *rect, row, SMC_STYLE_DIM, text);
        return;
    case 3:
        smc_frame_paragraph(&frame, *rect, row, SMC_STYLE_WARN, text);
        return;
    case 4:
        smc_frame_bar(&frame, *rect, row, col, (int)random_below(12), SMC_STYLE_CURVE,
                      random_below(150) / 100.0 - 0.2);
        return;
    case 5:
        smc_frame_box(&frame, *rect, text);
        return;
    case 6:
        smc_frame_fill(&frame, *rect, SMC_STYLE_BAR, '.');
        return;
    case 7:
        smc_frame_restyle(&frame, *rect, row, SMC_STYLE_SELECTED);
        return;
    default:
        smc_frame_printf(&frame, *rect, row, col, SMC_STYLE_NORMAL, "%d of %s", 3, text);
    }
}

/* Only the half of a wide character may change outside the rectangle, to a blank. */
static size_t changes_outside(const struct smc_cell *before, const struct smc_rect *rect)
{
    size_t changes = 0;
    for (int i = 0; i < frame.rows * frame.cols; i++) {
        const struct smc_cell *now = &frame.cell[i], *was = &before[i];
        bool same = now->glyph == was->glyph && now->style == was->style;
        bool half = now->glyph == ' ' && (was->glyph == 0 || smc_utf8_columns(was->glyph) == 2);
        if (!same && !half && !smc_rect_holds(*rect, i / frame.cols, i % frame.cols))
            changes++;
    }
    return changes;
}

static void test_inside_only(void)
{
    enum { ROWS = 5, COLS = 12 };
    struct smc_cell before[ROWS * COLS];
    size_t failures = 0, alone = 0;
    random_begin(1);
    begin(ROWS, COLS);
    for (int i = 0; i < 200000; i++) {
        struct smc_rect rect = {(int)random_below(8) - 2, (int)random_below(16) - 2,
                                (int)random_below(7), (int)random_below(15)};
        memcpy(before, frame.cell, sizeof before);
        draw_something(&rect);
        failures += changes_outside(before, &rect);
        alone += !halves_match();
    }
    CU_ASSERT_EQUAL(failures, 0);
    CU_ASSERT_EQUAL(alone, 0);
}

static void test_long_text(void)
{
    begin(1, 6);
    smc_frame_text_within(&frame, whole(), 0, 1, 5, SMC_STYLE_NORMAL, "abcde");
    CU_ASSERT_STRING_EQUAL(write_frame(true), " abcde\n");
    smc_frame_text_within(&frame, whole(), 0, 1, 9, SMC_STYLE_NORMAL, "abcdef");
    CU_ASSERT_STRING_EQUAL(write_frame(true), " abcd\xe2\x80\xa6\n");
    begin(3, 6);
    CU_ASSERT_EQUAL(smc_frame_paragraph(&frame, whole(), 0, SMC_STYLE_NORMAL, "to be or not"), 2);
    CU_ASSERT_STRING_EQUAL(write_frame(true), "to be\nor not\n\n");
}

static void test_paragraphs(void)
{
    begin(4, 7);
    CU_ASSERT_EQUAL(smc_frame_paragraph(&frame, whole(), 0, SMC_STYLE_NORMAL, "a 9\x1fKB unit"), 2);
    CU_ASSERT_STRING_EQUAL(write_frame(true), "a 9 KB\nunit\n\n\n");
    begin(4, 7);
    CU_ASSERT_EQUAL(smc_frame_paragraph(&frame, whole(), 1, SMC_STYLE_NORMAL, "at /a/long/path"),
                    4);
    CU_ASSERT_STRING_EQUAL(write_frame(true), "\nat\n/a/long\n/path\n");
    begin(4, 7); /* a tie gives way before a word is cut */
    CU_ASSERT_EQUAL(smc_frame_paragraph(&frame, whole(), 0, SMC_STYLE_NORMAL,
                                        "a (256,\x1f"
                                        "8) b"),
                    2);
    CU_ASSERT_STRING_EQUAL(write_frame(true), "a (256,\n8) b\n\n\n");
    begin(2, 7); /* the total is returned even if not all of it fits */
    CU_ASSERT_EQUAL(smc_frame_paragraph(&frame, whole(), 0, SMC_STYLE_NORMAL, "one\ntwo\nthree"),
                    3);
}

static void test_joined_boxes(void)
{
    begin(5, 9);
    smc_frame_box(&frame, (struct smc_rect){0, 0, 5, 5}, "");
    smc_frame_box(&frame, (struct smc_rect){0, 4, 3, 5}, "");
    smc_frame_box(&frame, (struct smc_rect){2, 4, 3, 5}, "");
    CU_ASSERT_STRING_EQUAL(write_frame(false),
                           "+---+---+\n|   |   |\n|   +---+\n|   |   |\n+---+---+\n");
    const struct smc_cell *cell = frame.cell;
    CU_ASSERT_EQUAL(cell[4].glyph, 0x252c);
    CU_ASSERT_EQUAL(cell[2 * 9 + 4].glyph, 0x251c);
    CU_ASSERT_EQUAL(cell[2 * 9 + 8].glyph, 0x2524);
    CU_ASSERT_EQUAL(cell[4 * 9 + 4].glyph, 0x2534);
}

/* A longer bar never has fewer cells, and any share above 0 is visible. */
static void test_bars(void)
{
    int last = 0;
    for (int share = 0; share <= 1000; share++) {
        int eighths = 0;
        begin(1, 20);
        smc_frame_bar(&frame, whole(), 0, 0, 20, SMC_STYLE_CURVE, share / 1000.0);
        for (int i = 0; i < 20 && frame.cell[i].glyph != ' '; i++)
            eighths += (int)(0x2590 - frame.cell[i].glyph);
        CU_ASSERT(eighths >= last && (eighths > 0) == (share > 0));
        last = eighths;
    }
    CU_ASSERT_EQUAL(last, 160);
    begin(1, 4);
    smc_frame_bar(&frame, (struct smc_rect){0, 0, 1, 4}, 0, 0, 4, SMC_STYLE_CURVE, 1.01);
    CU_ASSERT_EQUAL(frame.cell[2].glyph, 0x2588);
    CU_ASSERT_EQUAL(frame.cell[3].glyph, SMC_SIGN_BEYOND); /* it is clipped and shows so */
}

static void test_ansi(void)
{
    struct smc_text text = {0};
    begin(1, 4);
    smc_frame_text(&frame, whole(), 0, 0, SMC_STYLE_BAD, "\xe6\xbc\xa2");
    smc_frame_write_colours(&frame, SMC_THEME_AUTO, true, &text);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(smc_text_string(&text), "\x1b[0;1;38;5;203m\xe6\xbc\xa2\x1b[0m  "));
    smc_text_free(&text);
    smc_frame_write_colours(&frame, SMC_THEME_AUTO, false, &text);
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&text), "m??\x1b[0m  "));
    smc_text_free(&text);
    smc_frame_free(&frame);
}

CU_TestInfo tests_tui_frame[] = {
    {"wide characters at the edges", test_wide_at_edges},
    {"halves that are overwritten", test_overwritten_halves},
    {"nothing outside the rectangle", test_inside_only},
    {"text that is too long", test_long_text},
    {"paragraphs", test_paragraphs},
    {"boxes join", test_joined_boxes},
    {"bars", test_bars},
    {"escape sequences", test_ansi},
    CU_TEST_INFO_NULL,
};
