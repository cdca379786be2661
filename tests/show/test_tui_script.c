/* tui/terminal_script: a script's events, and the message about a line that cannot be read. */
#include <stdio.h>
#include <string.h>

#include "show/tui/keys.h"
#include "show/tui/terminal.h"
#include "unit.h"

static struct smc_script script;
static char script_text[1024];
static struct smc_text printed;

static void begin(const char *text)
{
    int rows, cols;
    snprintf(script_text, sizeof script_text, "%s", text);
    smc_text_free(&printed);
    script = (struct smc_script){.name = "keys.txt", .text = script_text, .out = &printed};
    CU_ASSERT_EQUAL(smc_terminal_script.open(&script, &rows, &cols, NULL), SMC_OK);
    CU_ASSERT(rows == 24 && cols == 80);
}

static struct smc_event next(void)
{
    struct smc_event event;
    smc_terminal_script.next(&event);
    return event;
}

static void expect_key(uint32_t key)
{
    struct smc_event event = next();
    CU_ASSERT_EQUAL(event.kind, SMC_EVENT_KEY);
    CU_ASSERT_EQUAL(event.key, key);
}

static void test_events(void)
{
    begin("# a comment\n\n  size 200x60\nkey Down 2\ntype a \xe6\xbc\xa2\nkey Ctrl-Z\n"
          "click 3 4\nwheel 5 6 down\nwheel 0 0 up\nwait\nsize 1000x500\nscreen");
    struct smc_event event = next();
    CU_ASSERT(event.kind == SMC_EVENT_RESIZE && event.rows == 60 && event.cols == 200);
    expect_key(SMC_KEY_DOWN);
    expect_key(SMC_KEY_DOWN);
    expect_key('a');
    expect_key(' ');
    expect_key(0x6f22);
    expect_key(SMC_KEY_CONTROL('z'));
    event = next();
    CU_ASSERT(event.kind == SMC_EVENT_CLICK && event.row == 3 && event.col == 4);
    CU_ASSERT_EQUAL(event.direction, 0);
    event = next();
    CU_ASSERT(event.kind == SMC_EVENT_CLICK && event.row == 5 && event.direction == 1);
    event = next();
    CU_ASSERT(event.kind == SMC_EVENT_CLICK && event.direction == -1);
    CU_ASSERT_EQUAL(next().kind, SMC_EVENT_SETTLE);
    event = next();
    CU_ASSERT(event.kind == SMC_EVENT_RESIZE && event.rows == 500 && event.cols == 1000);
    CU_ASSERT_EQUAL(next().kind, SMC_EVENT_SHOW);
    CU_ASSERT_EQUAL(next().kind, SMC_EVENT_END);
    CU_ASSERT_EQUAL(next().kind, SMC_EVENT_END);
    CU_ASSERT_EQUAL(script.status, SMC_OK);
    smc_terminal_script.close();
}

static void test_empty(void)
{
    static const char *const empty[] = {"", "\n", "# no more", "type \n", "   "};
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
        begin(empty[i]);
        CU_ASSERT_EQUAL(next().kind, SMC_EVENT_END);
        CU_ASSERT_EQUAL(script.status, SMC_OK);
        smc_terminal_script.close();
    }
}

/* The line is named, and nothing after it is played. */
static void test_errors(void)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"key", "keys.txt:1: unknown key ''"},
        {"\nkey Foo", "keys.txt:2: unknown key 'Foo'"},
        {"# one\n\nkey Up 0\nkey q", "keys.txt:3: COUNT is not a number from 1 to 100000: '0'"},
        {"key Up 1 2", "keys.txt:1: COUNT is not a number from 1 to 100000: '1 2'"},
        {"key Up 100001", "keys.txt:1: COUNT is not a number from 1 to 100000: '100001'"},
        {"size 80", "keys.txt:1: not COLUMNSxROWS up to 1000x500: '80'"},
        {"size 0x24", "keys.txt:1: not COLUMNSxROWS up to 1000x500: '0x24'"},
        {"size 80x501", "keys.txt:1: not COLUMNSxROWS up to 1000x500: '80x501'"},
        {"size 1001x24", "keys.txt:1: not COLUMNSxROWS up to 1000x500: '1001x24'"},
        {"click 1", "keys.txt:1: the place is not of the form 'ROW COLUMN'"},
        {"click 1 -1", "keys.txt:1: the place is not of the form 'ROW COLUMN'"},
        {"click 1 2 up", "keys.txt:1: the place is not of the form 'ROW COLUMN'"},
        {"click 99999999999999999999 2", "keys.txt:1: the place is not of the form 'ROW COLUMN'"},
        {"wheel 1 2", "keys.txt:1: the place is not of the form 'ROW COLUMN up|down'"},
        {"wheel 1 2 left", "keys.txt:1: the place is not of the form 'ROW COLUMN up|down'"},
        {"Screen", "keys.txt:1: unknown command 'Screen'"},
        {"\x1b[31mred", "keys.txt:1: unknown command '?[31mred'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin(cases[i].text);
        CU_ASSERT_EQUAL(next().kind, SMC_EVENT_END);
        CU_ASSERT_EQUAL(script.status, SMC_USAGE);
        CU_ASSERT_STRING_EQUAL(script.error.message, cases[i].message);
        smc_terminal_script.close();
    }
}

static void test_printing(void)
{
    struct smc_frame frame = {0};
    CU_ASSERT_FATAL(smc_frame_resize(&frame, 2, 6));
    smc_frame_text(&frame, (struct smc_rect){0, 0, 2, 6}, 1, 0, SMC_STYLE_GOOD, "a\xe2\x86\x92");
    begin("screen\ncolours\n");
    next();
    smc_terminal_script.print(&frame);
    CU_ASSERT_STRING_EQUAL(smc_text_string(&printed), "------\n\na>\n");
    smc_text_free(&printed);
    next();
    smc_terminal_script.print(&frame);
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&printed), "\x1b[0;1;38;5;114ma>\x1b[0m"));
    smc_terminal_script.close();
    smc_text_free(&printed);
    smc_frame_free(&frame);
}

CU_TestInfo tests_tui_script[] = {
    {"events", test_events},
    {"nothing to play", test_empty},
    {"lines that cannot be read", test_errors},
    {"screens", test_printing},
    CU_TEST_INFO_NULL,
};
