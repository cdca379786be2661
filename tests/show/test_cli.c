/* cli: the option rows are consistent, the help has them all, arguments are parsed strictly. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "show/cli/command.h"
#include "show/cli/options.h"
#include "unit.h"

static void test_rows(void)
{
    size_t twice = 0, unnamed = 0;
    for (int i = 0; i < SMC_OPTION_COUNT; i++) {
        const struct smc_option *option = &smc_options[i];
        unnamed += !option->name || !option->help || !option->commands;
        unnamed += option->type == SMC_OPTION_CHOICE && !option->choices;
        unnamed += (option->type == SMC_OPTION_FLAG) != (option->value == NULL);
        for (int j = 0; j < i; j++) {
            bool together = option->commands & smc_options[j].commands;
            bool namesakes = strcmp(option->name, smc_options[j].name) == 0;
            bool same_letter = option->letter && option->letter == smc_options[j].letter;
            twice += namesakes && (together || option->letter != smc_options[j].letter);
            twice += same_letter && !namesakes;
        }
    }
    CU_ASSERT_EQUAL(unnamed, 0);
    CU_ASSERT_EQUAL(twice, 0);
    CU_ASSERT_EQUAL(smc_options[SMC_OPTION_DEVICE].commands,
                    smc_options[SMC_OPTION_DEVICE_FILE].commands);
    CU_ASSERT_STRING_EQUAL(smc_options[SMC_OPTION_FIRST_PARAM + SMC_PARAM_TILE].name, "tile");
    CU_ASSERT_EQUAL(smc_options[SMC_OPTION_FIRST_PARAM + SMC_PARAM_TILE].highest, 32);
}

static size_t longest_line(const char *text)
{
    size_t longest = 0;
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        longest = length > longest ? length : longest;
    }
    return longest;
}

static void test_help(void)
{
    struct smc_text all = {0};
    smc_help_all(&all);
    size_t missing = 0;
    for (int i = 0; i < SMC_OPTION_COUNT; i++) {
        char row[64];
        snprintf(row, sizeof row, " --%s%s", smc_options[i].name, smc_options[i].value ? " " : "");
        missing += !strstr(smc_text_string(&all), row);
    }
    CU_ASSERT_EQUAL(missing, 0);
    CU_ASSERT(longest_line(smc_text_string(&all)) <= 80);
    CU_ASSERT_EQUAL(strncmp(smc_text_string(&all), "  smemcalc --tile 32 ", 21), 0);
    for (int i = 0; i < SMC_COMMAND_COUNT; i++) {
        struct smc_text one = {0};
        smc_help_command((enum smc_command_id)i, &one);
        CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&one), smc_commands[i].name));
        CU_ASSERT(longest_line(smc_text_string(&one)) <= 80);
        smc_text_free(&one);
    }
    smc_text_free(&all);
}

enum { MAX_WORDS = 8 };

static enum smc_status read_line(const char *line, struct smc_arguments *arguments,
                                 struct smc_error *error)
{
    static char copy[256]; /* the arguments point into it */
    char *words[MAX_WORDS];
    int count = 0;
    snprintf(copy, sizeof copy, "%s", line);
    for (char *word = strtok(copy, " "); word && count < MAX_WORDS; word = strtok(NULL, " "))
        words[count++] = word;
    return smc_arguments_read(SMC_COMMAND_QUERY, count, words, arguments, error);
}

static void test_spellings(void)
{
    static const char *const lines[] = {"--tile 16", "--tile=16", "-t 16", "-t16",
                                        "--tile 8 --tile 16"};
    struct smc_arguments arguments;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        CU_ASSERT_EQUAL(read_line(lines[i], &arguments, NULL), SMC_OK);
        CU_ASSERT(arguments.given[SMC_OPTION_FIRST_PARAM + SMC_PARAM_TILE]);
        CU_ASSERT_EQUAL(arguments.number[SMC_OPTION_FIRST_PARAM + SMC_PARAM_TILE], 16);
        CU_ASSERT(!arguments.given[SMC_OPTION_REGS]);
    }
    CU_ASSERT_EQUAL(read_line("--carveout -1 --smem 48K --cache-config equal", &arguments, NULL),
                    SMC_OK);
    CU_ASSERT_EQUAL(arguments.number[SMC_OPTION_CARVEOUT], -1);
    CU_ASSERT_EQUAL(arguments.number[SMC_OPTION_SMEM], 49152);
    CU_ASSERT_EQUAL(arguments.number[SMC_OPTION_CACHE_CONFIG], SMC_CACHE_PREFER_EQUAL);
    CU_ASSERT_EQUAL(read_line("--device a --device b", &arguments, NULL), SMC_OK);
    CU_ASSERT_EQUAL(arguments.device.count, 2);
    CU_ASSERT_STRING_EQUAL(arguments.device.item[1], "b");
}

static void test_suggestions(void)
{
    static const struct {
        const char *typed, *meant; /* NULL: nothing is similar enough */
    } cases[] = {{"tiel", "tile"},     {"til", "tile"},     {"device", "device"}, {"dev", "device"},
                 {"devcie", "device"}, {"TILE", "tile"},    {"zzz", NULL},        {"", NULL},
                 {"x", NULL},          {"radios", "radius"}};
    static const char *const known[] = {"tile", "device", "radius", "timeout"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_suggestion suggestion = {.typed = cases[i].typed};
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            smc_suggest_consider(&suggestion, known[k]);
        if (cases[i].meant)
            CU_ASSERT(suggestion.best && strcmp(suggestion.best, cases[i].meant) == 0)
        else
            CU_ASSERT_PTR_NULL(suggestion.best);
    }
}

static void check_message(const char *typed, const char *where, const char *what, const char *hint,
                          const char *message)
{
    struct smc_error error = {""};
    struct smc_suggestion suggestion = {.typed = typed};
    smc_suggest_consider(&suggestion, "tile");
    CU_ASSERT_EQUAL(smc_suggest_fail(&suggestion, where, what, hint, &error), SMC_USAGE);
    CU_ASSERT_STRING_EQUAL(error.message, message);
}

static void test_unknown(void)
{
    check_message("tiel", NULL, "command", "hint", "unknown command 'tiel'; did you mean 'tile'?");
    check_message("tiel", "a.json", "key", NULL,
                  "a.json: unknown key 'tiel'; did you mean 'tile'?");
    check_message("tiel", NULL, "option --", "hint", "unknown option --tiel; did you mean --tile?");
    check_message("xyz", NULL, "option --", "'help' lists them",
                  "unknown option --xyz; 'help' lists them");
    check_message("xyz", NULL, "key", NULL, "unknown key 'xyz'");
    CU_ASSERT_STRING_EQUAL(smc_text_plural(0), "s");
    CU_ASSERT_STRING_EQUAL(smc_text_plural(1), "");
    CU_ASSERT_STRING_EQUAL(smc_text_plural(2), "s");
}

/* By the definition, letter by letter from both ends. */
static size_t plain_distance(const char *a, size_t m, const char *b, size_t n)
{
    if (m == 0 || n == 0)
        return m + n;
    size_t replaced = plain_distance(a, m - 1, b, n - 1) + (a[m - 1] != b[n - 1]);
    size_t dropped = plain_distance(a, m - 1, b, n) + 1;
    size_t inserted = plain_distance(a, m, b, n - 1) + 1;
    size_t least = replaced < dropped ? replaced : dropped;
    least = least < inserted ? least : inserted;
    if (m > 1 && n > 1 && a[m - 1] == b[n - 2] && a[m - 2] == b[n - 1]) {
        size_t swapped = plain_distance(a, m - 2, b, n - 2) + 1;
        least = least < swapped ? least : swapped;
    }
    return least;
}

static void random_word(char word[8])
{
    size_t length = 1 + (size_t)rand() % 6;
    for (size_t i = 0; i < length; i++)
        word[i] = (char)('a' + rand() % 3);
    word[length] = '\0';
}

/* A word that the search rejects early is never the nearest. */
static void test_nearest(void)
{
    unsigned wrong = 0, found = 0;
    srand(1);
    for (int i = 0; i < 3000; i++) {
        char typed[8], known[6][8];
        random_word(typed);
        size_t length = strlen(typed), least = SIZE_MAX;
        size_t most = length < 3 ? 1 : (length + 2) / 3;
        struct smc_suggestion suggestion = {.typed = typed};
        for (size_t k = 0; k < 6; k++) {
            random_word(known[k]);
            smc_suggest_consider(&suggestion, known[k]);
            size_t distance = plain_distance(typed, length, known[k], strlen(known[k]));
            if (length >= 2 && strncmp(typed, known[k], length) == 0 && distance > 1)
                distance = 1;
            if (distance <= most && distance < length && distance < least)
                least = distance;
        }
        found += least != SIZE_MAX;
        wrong += (suggestion.best != NULL) != (least != SIZE_MAX) ||
                 (suggestion.best && suggestion.distance != least);
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(found > 1000 && found < 3000);
}

CU_TestInfo tests_cli[] = {
    {"every option row is whole, and none hides another", test_rows},
    {"the help has every option, 80 columns wide", test_help},
    {"an option has several spellings, and the last one counts", test_spellings},
    {"the nearest name is suggested, or none", test_suggestions},
    {"an unknown name has one message", test_unknown},
    {"the nearest name by the definition", test_nearest},
    CU_TEST_INFO_NULL,
};
