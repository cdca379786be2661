/* base: strict parsing, the text buffer, text made safe, medians, paths by a pattern, signals. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/numbers.h"
#include "base/parse.h"
#include "base/signals.h"
#include "base/status.h"
#include "base/text.h"
#include "unit.h"

static void test_integers(void)
{
    int64_t n = 77;
    CU_ASSERT(smc_parse_integer("32", 1, 32, &n) && n == 32);
    CU_ASSERT(smc_parse_integer("-1", -1, 100, &n) && n == -1);
    CU_ASSERT(smc_parse_integer("9223372036854775807", 0, INT64_MAX, &n) && n == INT64_MAX);
    n = 77;
    static const char *const bad[] = {"",
                                      " 1",
                                      "1 ",
                                      "0x10",
                                      "1e9",
                                      "abc",
                                      "12abc",
                                      "-",
                                      "-2",
                                      "+1",
                                      "--1",
                                      "33",
                                      "0",
                                      "1.0",
                                      "9223372036854775808",
                                      "99999999999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CU_ASSERT(!smc_parse_integer(bad[i], 1, 32, &n));
    CU_ASSERT(!smc_parse_integer("-1", 0, 32, &n));
    CU_ASSERT_EQUAL(n, 77);
}

static void test_hexadecimal(void)
{
    uint64_t n = 77;
    CU_ASSERT(smc_parse_hexadecimal("0xfF", 255, &n) && n == 255);
    CU_ASSERT(smc_parse_hexadecimal("ffffffffffffffff", UINT64_MAX, &n) && n == UINT64_MAX);
    n = 77;
    static const char *const bad[] = {
        "", "0x", "-1", "1g", " 1", "10000000000000000", "0x1ffffffffffffffff"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CU_ASSERT(!smc_parse_hexadecimal(bad[i], UINT64_MAX, &n));
    CU_ASSERT(!smc_parse_hexadecimal("100", 255, &n));
    CU_ASSERT_EQUAL(n, 77);
}

static void test_sizes(void)
{
    static const struct {
        const char *text;
        uint64_t bytes;
    } good[] = {{"0", 0},
                {"48", 48},
                {"48K", 49152},
                {"48k", 49152},
                {"48KB", 49152},
                {"48KiB", 49152},
                {"48kib", 49152},
                {"1M", 1 << 20},
                {"3G", 3ull << 30},
                {"232448", 232448},
                {"1B", 1},
                {"0xc400", 50176},
                {"0XC400", 50176},
                {"0xc400 bytes", 50176},
                {"0x10", 16},
                {"50176B", 50176},
                {"48 KB", 49152},
                {"48 KiB", 49152},
                {" 48K ", 49152},
                {"48.5K", 49664},
                {"1.5 KB", 1536},
                {"0.5M", 524288},
                {"1.50K", 1536},
                {"48.0", 48},
                {"101376 bytes", 101376},
                {"1 byte", 1},
                {"49,152", 49152},
                {"1,048,576", 1 << 20},
                {"66,560 byte/block", 66560},
                {"1,024K", 1 << 20},
                {"18446744073709551615", UINT64_MAX},
                {"99.609375K", 102000}};
    uint64_t bytes;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        CU_ASSERT(smc_parse_size(good[i].text, UINT64_MAX, &bytes) && bytes == good[i].bytes);
    static const char *const bad[] = {"",
                                      " ",
                                      "K",
                                      "-1",
                                      "- 1",
                                      "+1",
                                      "48KK",
                                      "48Q",
                                      "48@",
                                      "48\x7f",
                                      "99999999999G",
                                      "48.3K",
                                      "48.5",
                                      "48.",
                                      "48.K",
                                      ".5K",
                                      "1.5B",
                                      "4,91",
                                      "4,9152",
                                      "49152,000",
                                      "49,15",
                                      "49,",
                                      ",491",
                                      "49,152,",
                                      "1,,024",
                                      "1.024,5",
                                      "0x",
                                      "0xg",
                                      "0x-1",
                                      "0xc400B",
                                      "0xc400K",
                                      "0x10000000000000000",
                                      "0xc4.5",
                                      "12 XB",
                                      "12 K B",
                                      "12KBs",
                                      "12 bytesx",
                                      "12 Kbyte",
                                      "12 Kbytes",
                                      "1 2",
                                      "48K48",
                                      "0x 12",
                                      "12e3",
                                      "18446744073709551616",
                                      "18,446,744,073,709,551,616",
                                      "16777216.5T",
                                      "1.0000000000001K",
                                      "\t48"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CU_ASSERT(!smc_parse_size(bad[i], UINT64_MAX, &bytes));
    CU_ASSERT(!smc_parse_size("5", 4, &bytes));
}

/* Numbers of elements have no other unit than K, M and G. */
static void test_counts(void)
{
    static const char *const bad[] = {"", "K", "48 K", "1.5K", "0x8", "1,024", "48B", "48 bytes"};
    uint64_t count;
    CU_ASSERT(smc_parse_count("64K", 65536, &count) && count == 65536);
    CU_ASSERT(smc_parse_count("7", 7, &count) && count == 7);
    CU_ASSERT(!smc_parse_count("64K", 65535, &count));
    CU_ASSERT(!smc_parse_count("17179869184G", UINT64_MAX, &count));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CU_ASSERT(!smc_parse_count(bad[i], UINT64_MAX, &count));
}

static void test_dimensions(void)
{
    int64_t v[3];
    CU_ASSERT_EQUAL(smc_parse_dimensions("64", 1024, v, 3), 1);
    CU_ASSERT_EQUAL(v[0], 64);
    CU_ASSERT_EQUAL(smc_parse_dimensions("32x8", 1024, v, 3), 2);
    CU_ASSERT(v[0] == 32 && v[1] == 8);
    CU_ASSERT_EQUAL(smc_parse_dimensions("1000,777X513", 1024, v, 3), 3);
    CU_ASSERT(v[0] == 1000 && v[1] == 777 && v[2] == 513);
    static const char *const bad[] = {"",   "x",    "1x",      "x1",     "1xx1", "0x1",
                                      "-1", "1x-1", "1x1x1x1", "2000x1", "1 x1", "1x1 "};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CU_ASSERT_EQUAL(smc_parse_dimensions(bad[i], 1024, v, 3), 0);
}

static void test_block(void)
{
    uint32_t threads, shape[3];
    CU_ASSERT_TRUE(smc_parse_block("256", 1024, &threads, shape) && threads == 256);
    CU_ASSERT_TRUE(shape[0] == 0 && shape[1] == 0 && shape[2] == 0);
    CU_ASSERT_TRUE(smc_parse_block("32x8", 1024, &threads, shape) && threads == 256);
    CU_ASSERT_TRUE(shape[0] == 32 && shape[1] == 8 && shape[2] == 1);
    CU_ASSERT_TRUE(smc_parse_block("256x1", 1024, &threads, shape) && shape[0] == 256);
    static const char *const bad[] = {"", "0", "1025", "64x32", "x", "32x", "2x2x2x2"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CU_ASSERT_FALSE(smc_parse_block(bad[i], 1024, &threads, shape));
    CU_ASSERT_FALSE(
        smc_parse_block("4294967295x4294967295x4294967295", UINT32_MAX, &threads, shape));
}

static void test_text(void)
{
    struct smc_text text = {0};
    CU_ASSERT_STRING_EQUAL(smc_text_string(&text), "");
    for (int i = 0; i < 1000; i++)
        smc_text_printf(&text, "%d,", i);
    smc_text_append_char(&text, '#', 3);
    CU_ASSERT_EQUAL(text.length, 10 * 2 + 90 * 3 + 900 * 4 + 3);
    CU_ASSERT_STRING_EQUAL(smc_text_string(&text) + text.length - 7, "999,###");
    CU_ASSERT(!text.failed);
    smc_text_free(&text);
    CU_ASSERT_EQUAL(text.length, 0);
    smc_text_append_shell_word(&text, "it's $here");
    CU_ASSERT_STRING_EQUAL(smc_text_string(&text), "'it'\\''s $here'");
    smc_text_free(&text);
}

static void test_safe_text(void)
{
    static const struct {
        const char *from, *to;
    } cases[] = {
        {"plain", "plain"},
        {"H\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "H\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"},
        {"a\x1b[31mb\n\t\x7f", "a?[31mb???"},
        {"\xc2\x9b"
         "31m",
         "??31m"},                         /* CSI as a C1 control */
        {"\xc0\xaf\xe0\x80\xaf", "?????"}, /* overlong */
        {"\xed\xa0\x80", "???"},           /* surrogate */
        {"\xf4\x90\x80\x80", "????"},      /* above U+10FFFF */
        {"cut \xe2\x82", "cut ??"},
        {"long enough, then \x1b and \x7f", "long enough, then ? and ?"},
        {"a\xe2\x80\xaa.\xe2\x80\xae.\xe2\x81\xa6.\xe2\x81\xa9z", "a???.???.???.???z"},
        /* U+2029, U+202F, U+2065 and U+206A: their neighbours */
        {"\xe2\x80\xa9\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa",
         "\xe2\x80\xa9\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char s[64];
        snprintf(s, sizeof s, "%s", cases[i].from);
        smc_utf8_make_safe(s);
        CU_ASSERT_STRING_EQUAL(s, cases[i].to);
    }
}

static void test_safe_csv(void)
{
    char bytes[] = "\"two\r\nlines\t\", a\rb \x1b[2J \xc2\x9b \0 \xe2\x82\xac \xe2\x82";
    smc_utf8_make_safe_csv(bytes, sizeof bytes - 1);
    CU_ASSERT_EQUAL(
        memcmp(bytes, "\"two\r\nlines\t\", a?b ?[2J ?? ? \xe2\x82\xac ??", sizeof bytes), 0);
    char part[] = "\xe2\x82\xac";
    smc_utf8_make_safe_csv(part, 2); /* what follows the end is not read */
    CU_ASSERT_STRING_EQUAL(part, "??\xac");
}

/* Han characters take two columns and three bytes; a combining mark stays with its letter. */
static void test_cells(void)
{
    static const struct {
        const char *string;
        int width;
        const char *cell;
    } cases[] = {
        {"H200", 6, "  H200"},
        {"H200", -6, "H200  "},
        {"H200", 2, "H2"},
        {"\xe6\xbc\xa2\xe5\xad\x97", -5, "\xe6\xbc\xa2\xe5\xad\x97 "},
        {"\xe6\xbc\xa2\xe5\xad\x97", -3, "\xe6\xbc\xa2 "},
        {"\xe6\xbc\xa2\xe5\xad\x97", 3, " \xe6\xbc\xa2"},
        {"\xe6\xbc\xa2", 1, " "},
        {"e\xcc\x81x", -1, "e\xcc\x81"},
        {"", 2, "  "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_text text = {0};
        smc_text_append(&text, "|");
        smc_text_cell(&text, cases[i].string, cases[i].width);
        CU_ASSERT_STRING_EQUAL(smc_text_string(&text) + 1, cases[i].cell);
        smc_text_free(&text);
    }
}

static void test_errors(void)
{
    struct smc_error error;
    CU_ASSERT_EQUAL(smc_fail(&error, SMC_USAGE, "option --%s: '%s'", "tile", "\x1b[2J"), SMC_USAGE);
    CU_ASSERT_STRING_EQUAL(error.message, "option --tile: '?[2J'");
    CU_ASSERT_EQUAL(smc_fail(NULL, SMC_MACHINE, "lost"), SMC_MACHINE);
}

static void test_numbers(void)
{
    double odd[] = {1e300, -1, 0.5}, even[] = {4, 1, 3, 1};
    smc_numbers_sort(odd, 3);
    CU_ASSERT(odd[0] == -1 && odd[1] == 0.5 && odd[2] == 1e300);
    CU_ASSERT_EQUAL(smc_numbers_median(odd, 3), 0.5);
    smc_numbers_sort(even, 4);
    CU_ASSERT(even[0] == 1 && even[1] == 1 && even[2] == 3 && even[3] == 4);
    CU_ASSERT_EQUAL(smc_numbers_median(even, 4), 2);
    CU_ASSERT_EQUAL(smc_numbers_median(even + 3, 1), 4);
    CU_ASSERT_EQUAL(smc_numbers_median(even, 0), 0);
    CU_ASSERT(smc_number_is_whole(0) && smc_number_is_whole(-3) &&
              smc_number_is_whole(999999999999999));
    CU_ASSERT(!smc_number_is_whole(0.5) && !smc_number_is_whole(1e15) &&
              !smc_number_is_whole(-1e15));
    CU_ASSERT(!smc_number_is_whole(INFINITY) && !smc_number_is_whole(NAN));
}

/* A folder that cannot be opened is no folder without matches, but one that is absent is. */
static void test_names_of_inputs(void)
{
    CU_ASSERT(smc_file_is_standard_input("-"));
    CU_ASSERT_STRING_EQUAL(smc_file_name("-"), "standard input");
    static const char *const files[] = {"", "--", "./-", "/dev/stdin", "stdin", "standard input"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        CU_ASSERT(!smc_file_is_standard_input(files[i]));
        CU_ASSERT_PTR_EQUAL(smc_file_name(files[i]), files[i]);
    }
}

static void test_matches(void)
{
    struct smc_folder_matches some = {0}, none = {0}, unread = {0};
    struct rlimit before, limit;
    smc_folder_match(SMC_SOURCE_DIR "/test*/suites.def", &some);
    CU_ASSERT(some.count >= 1 && some.failed == 0);
    smc_folder_match("/no-such-folder/*.c", &none);
    CU_ASSERT(none.count == 0 && none.failed == 0);
    const int next = open("/dev/null", O_RDONLY | O_CLOEXEC);
    close(next);
    CU_ASSERT_EQUAL_FATAL(getrlimit(RLIMIT_NOFILE, &before), 0);
    limit = before;
    limit.rlim_cur = (rlim_t)next;
    setrlimit(RLIMIT_NOFILE, &limit);
    smc_folder_match(SMC_SOURCE_DIR "/test*/suites.def", &unread);
    setrlimit(RLIMIT_NOFILE, &before);
    CU_ASSERT(unread.count == 0 && unread.failed == EMFILE);
    smc_folder_matches_free(&some);
    smc_folder_matches_free(&none);
    smc_folder_matches_free(&unread);
}

/* --- Signals, in a process of their own ------------------------------------------------------- */

static volatile sig_atomic_t noted;

static void note(int number)
{
    noted = number;
}

/* As a library's, which ends the program. */
static void end_as_library(int number)
{
    _exit(number + 100);
}

static void wait_for_note(void)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    for (int i = 0; i < 20000 && !noted; i++)
        nanosleep(&moment, NULL);
}

static void (*handler_of(int number))(int)
{
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 ? action.sa_handler : SIG_ERR;
}

/* Returns how the process ended. */
static int run_apart(void (*process)(void))
{
    int status = 0;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        process();
        _exit(0);
    }
    CU_ASSERT_FATAL(child > 0);
    CU_ASSERT_EQUAL(waitpid(child, &status, 0), child);
    return status;
}

static void receive_by_default(void)
{
    sigset_t mask;
    noted = 0;
    signal(SIGTERM, SIG_DFL);
    smc_signals_divert(&mask);
    signal(SIGTERM, end_as_library);
    kill(getpid(), SIGTERM);
    wait_for_note();
}

/* One handler for two calls, the second of which ends first; afterwards it is there again. */
static void receive_by_handler(void)
{
    sigset_t outer, inner, now;
    noted = 0;
    signal(SIGTERM, note);
    smc_signals_divert(&outer);
    smc_signals_divert(&inner);
    signal(SIGTERM, end_as_library);
    kill(getpid(), SIGTERM);
    wait_for_note();
    signal(SIGTERM, end_as_library); /* for threads that do not block it */
    for (int i = 0; i < 20000 && handler_of(SIGTERM) != note; i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    if (handler_of(SIGTERM) != note)
        _exit(3);
    smc_signals_undivert(&inner);
    if (noted != SIGTERM || sigismember(&inner, SIGTERM) != 1)
        _exit(1);
    smc_signals_undivert(&outer);
    sigprocmask(SIG_SETMASK, NULL, &now);
    if (handler_of(SIGTERM) != note || sigismember(&now, SIGTERM) != 0)
        _exit(2);
}

static void receive_ignored(void)
{
    sigset_t mask;
    signal(SIGHUP, SIG_IGN);
    smc_signals_divert(&mask);
    kill(getpid(), SIGHUP);
    smc_signals_undivert(&mask);
}

static void block_for_a_while(void)
{
    sigset_t mask;
    noted = 0;
    signal(SIGINT, note);
    smc_signals_block(&mask);
    raise(SIGINT);
    if (noted)
        _exit(1);
    smc_signals_unblock(&mask);
    if (noted != SIGINT)
        _exit(2);
}

static void test_signals(void)
{
    const int status = run_apart(receive_by_default);
    CU_ASSERT(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    CU_ASSERT_EQUAL(run_apart(receive_by_handler), 0);
    CU_ASSERT_EQUAL(run_apart(receive_ignored), 0);
    CU_ASSERT_EQUAL(run_apart(block_for_a_while), 0);
}

CU_TestInfo tests_base[] = {
    {"integers are strict", test_integers},
    {"hexadecimal numbers fit in 64 bits", test_hexadecimal},
    {"sizes in bytes in every form that is read", test_sizes},
    {"numbers of elements have no unit but K, M and G", test_counts},
    {"dimensions", test_dimensions},
    {"block", test_block},
    {"the text buffer grows", test_text},
    {"control characters and broken UTF-8 are replaced", test_safe_text},
    {"in CSV too, but for line ends and tabs", test_safe_csv},
    {"a cell is cut and padded in columns", test_cells},
    {"an error keeps its message on one safe line", test_errors},
    {"numbers in order, and their median", test_numbers},
    {"standard input is '-', and has one name", test_names_of_inputs},
    {"paths by a pattern, and a folder that cannot be opened", test_matches},
    {"signals wait, or are received by a thread", test_signals},
    CU_TEST_INFO_NULL,
};
