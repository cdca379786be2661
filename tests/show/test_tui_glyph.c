/* tui/glyph: UTF-8 with errors, columns, and ASCII replacements of characters. */
#include "config.h" /* for wcwidth */

#include <locale.h>
#include <string.h>
#include <wchar.h>

#include "show/tui/frame.h"
#include "unit.h"

enum { REPLACEMENT = 0xfffd };

/* Every character is returned as it was written, and no further byte is read. */
static void test_all_characters(void)
{
    size_t failures = 0;
    for (uint32_t glyph = 0x20; glyph <= 0x10ffff; glyph++) {
        bool refused = (glyph >= 0xd800 && glyph <= 0xdfff) || (glyph >= 0x7f && glyph < 0xa0);
        char text[6] = "";
        size_t bytes = smc_utf8_encode(glyph, text);
        size_t expected = glyph < 0x80 ? 1 : glyph < 0x800 ? 2 : glyph < 0x10000 ? 3 : 4;
        text[bytes] = 'x';
        const char *at = text;
        uint32_t read = smc_utf8_next(&at);
        failures += bytes != expected || read != (refused ? REPLACEMENT : glyph);
        failures += !refused && at != text + bytes;
    }
    CU_ASSERT_EQUAL(failures, 0);
}

/* Invalid bytes: each is one replacement, and the bytes after it are read again. */
static void check_broken(const char *text, size_t replacements, const char *rest)
{
    for (size_t i = 0; i < replacements; i++)
        CU_ASSERT_EQUAL(smc_utf8_next(&text), REPLACEMENT);
    CU_ASSERT_STRING_EQUAL(text, rest);
}

static void test_broken(void)
{
    check_broken("\x80z", 1, "z");
    check_broken("\xbf\xbfz", 2, "z");
    check_broken("\xc3(", 1, "(");         /* cut short */
    check_broken("\xe2\x82", 2, "");       /* at the end of the string */
    check_broken("\xf0\x9f\x98z", 3, "z"); /* one byte too few */
    check_broken("\xc0\xafz", 2, "z");     /* "/" in two bytes */
    check_broken("\xc1\xbfz", 2, "z");     /* and DEL */
    check_broken("\xe0\x80\xafz", 3, "z"); /* in three */
    check_broken("\xe0\x9f\xbfz", 3, "z"); /* the last that two bytes hold */
    check_broken("\xf0\x8f\xbf\xbfz", 4, "z");
    check_broken("\xed\xa0\x80z", 3, "z"); /* surrogates */
    check_broken("\xed\xbf\xbfz", 3, "z");
    check_broken("\xf4\x90\x80\x80z", 4, "z"); /* above Unicode */
    check_broken("\xf8\x88\x80\x80\x80z", 5, "z");
    check_broken("\xfe\xffz", 2, "z");
    check_broken("\x1b[31m", 1, "[31m"); /* terminal controls */
    check_broken("\n\t\x7f", 3, "");
    check_broken("\xc2\x9b"
                 "31m",
                 2, "31m"); /* CSI in one character */
    const char *end = "";
    CU_ASSERT_EQUAL(smc_utf8_next(&end), 0);
    CU_ASSERT_EQUAL(smc_utf8_next(&end), 0);
}

static void test_columns(void)
{
    CU_ASSERT_EQUAL(smc_utf8_string_columns("H200"), 4);
    CU_ASSERT_EQUAL(smc_utf8_string_columns("\xe6\xbc\xa2\xe5\xad\x97"), 4); /* Han */
    CU_ASSERT_EQUAL(smc_utf8_string_columns("\xed\x95\x9c\xea\xb8\x80"), 4); /* Hangul */
    CU_ASSERT_EQUAL(smc_utf8_string_columns("\xef\xbc\xa1\xef\xbd\xb1"), 3); /* full, half */
    CU_ASSERT_EQUAL(smc_utf8_string_columns("e\xcc\x81x"), 2);               /* combining */
    CU_ASSERT_EQUAL(smc_utf8_string_columns("\xf0\x9f\x9a\x80"), 2);         /* a rocket */
    CU_ASSERT_EQUAL(smc_utf8_string_columns("\xf0\x9f\x96\xa5"), 1);         /* a desktop */
    CU_ASSERT_EQUAL(smc_utf8_string_columns("\xe2\x9a\xa1"), 2);             /* high voltage */
    CU_ASSERT_EQUAL(smc_utf8_string_columns("a\xe2\x80\x8b"
                                            "b\xe2\x80\xae"
                                            "c"),
                    3);                                                      /* unseen */
    CU_ASSERT_EQUAL(smc_utf8_string_columns("\xe2\x94\x80\xe2\x96\x88"), 2); /* our lines */
    CU_ASSERT_EQUAL(smc_utf8_string_columns("\xff\xfe"), 2);
}

/* Blocks of Unicode that have not changed for long, so that every C library agrees. */
static void test_columns_of_libc(void)
{
    static const struct {
        uint32_t first, last;
    } blocks[] = {{0xa1, 0x36f},    {0x1100, 0x11ff},   {0x2010, 0x2027},  {0x2190, 0x22ff},
                  {0x2500, 0x25ff}, {0x3041, 0x3096},   {0x4e00, 0x9fa5},  {0xac00, 0xd7a3},
                  {0xff01, 0xff60}, {0x1f300, 0x1f5ff}, {0x20000, 0x2a6d6}};
    size_t failures = 0, compared = 0;
    if (!setlocale(LC_CTYPE, "C.UTF-8"))
        return;
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        for (uint32_t glyph = blocks[i].first; glyph <= blocks[i].last; glyph++) {
            int columns = wcwidth((wchar_t)glyph);
            compared += columns >= 0;
            failures += columns >= 0 && columns != smc_utf8_columns(glyph);
        }
    }
    setlocale(LC_CTYPE, "C");
    CU_ASSERT_EQUAL(failures, 0);
    CU_ASSERT(compared > 40000);
}

/* One printable character for each column, whatever the cell contains. */
static void test_ascii(void)
{
    size_t failures = 0;
    for (uint32_t glyph = 0; glyph <= 0x10ffff; glyph++) {
        char ascii = smc_glyph_ascii(glyph);
        failures +=
            ascii < ' ' || ascii > '~' || (glyph > 0x20 && glyph < 0x7f && ascii != (char)glyph);
        glyph += glyph == 0 ? 0x1f : glyph == 0x7e ? 0x21 : 0; /* without control characters */
    }
    CU_ASSERT_EQUAL(failures, 0);
    CU_ASSERT_EQUAL(smc_glyph_ascii(0x2502), '|');
    CU_ASSERT_EQUAL(smc_glyph_ascii(0x253c), '+');
    CU_ASSERT_EQUAL(smc_glyph_ascii(0x2584), '#');
    CU_ASSERT_EQUAL(smc_glyph_ascii(0x6f22), '?');
}

CU_TestInfo tests_tui_glyph[] = {
    {"every character is read and written", test_all_characters},
    {"broken sequences and control characters", test_broken},
    {"columns", test_columns},
    {"columns agree with the C library", test_columns_of_libc},
    {"ASCII in their place", test_ascii},
    CU_TEST_INFO_NULL,
};
