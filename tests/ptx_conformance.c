/* Compares every PTX instruction that the emulator supports with independently computed results:
   edge values against edge values, then random ones. Of instructions with one operand of 16 bits a
   share of all values is tried; with TEST_WHOLE=1 every value, and of all instructions more random
   operands.

     ptx_conformance [PREFIX]    only instructions that begin with it

   SMEMCALC_PTX_LIST=FOLDER writes each case's module to the folder, for ptxas to check. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/cases.h"
#include "share.h"

enum { MORE_ROUNDS = 8, VALUE_ROUNDS = 65536 / PTX_ELEMENTS, VALUE_SHARE = 4 };

static struct ptx_values values;
static uint64_t expected[PTX_ELEMENTS];

static bool write_module(const char *folder, size_t number, const struct ptx_case *test)
{
    static char text[PTX_TEXT_BYTES];
    char path[512];
    snprintf(path, sizeof path, "%s/%zu-%s.ptx", folder, number, test->mnemonic);
    FILE *file = fopen(path, "we");
    if (!file)
        return false;
    ptx_module(test, text, sizeof text);
    fputs(text, file);
    return fclose(file) == 0;
}

/* Returns how many elements are wrong and prints the first. */
static unsigned compare(const struct ptx_case *test)
{
    unsigned wrong = 0;
    for (size_t i = 0; i < PTX_ELEMENTS; i++) {
        uint64_t a = values.a[i], b = values.b[i], c = values.c[i];
        if (!ptx_same(test, a, b, values.d[i], expected[i]) && wrong++ == 0)
            printf("FAIL: %s of a %" PRIx64 ", b %" PRIx64 ", c %" PRIx64 ": %" PRIx64
                   " expected, %" PRIx64 " emulated\n",
                   test->mnemonic, a, b, c, expected[i], values.d[i]);
    }
    if (wrong)
        printf("      %u of %d wrong\n", wrong, PTX_ELEMENTS);
    return wrong;
}

static bool holds_round(const struct ptx_case *test)
{
    struct smc_error error = {""};
    ptx_expect(test, &values, expected);
    if (ptx_emulate(test, &values, &error) == SMC_OK)
        return compare(test) == 0;
    printf("FAIL: %s: %s\n", test->mnemonic, error.message);
    return false;
}

/* Of one operand of 16 bits, every value, or those of a share of the rounds. */
static bool holds_for_values(const struct ptx_case *test, size_t number)
{
    bool holds = true;
    for (size_t round = 0; holds && round < VALUE_ROUNDS; round++) {
        if (!share_has(number + round, VALUE_SHARE))
            continue;
        ptx_fill(test, round, &values);
        for (size_t i = 0; i < PTX_ELEMENTS; i++)
            values.a[i] = round * PTX_ELEMENTS + i;
        holds = holds_round(test);
    }
    return holds;
}

static bool holds(const struct ptx_case *test, size_t number)
{
    const unsigned rounds = share_is_whole() ? 1 + MORE_ROUNDS : 1;
    const bool has_one_halfword =
        test->reference && strlen(test->shape) == 2 && test->shape[1] == 'h';
    for (unsigned round = 0; round < rounds; round++) {
        ptx_fill(test, round, &values);
        if (!holds_round(test))
            return false;
    }
    return !has_one_halfword || holds_for_values(test, number);
}

/* Whether a case's module has the instruction. */
static bool is_tried(const char *name, const struct ptx_case *cases, size_t count)
{
    static char text[PTX_TEXT_BYTES];
    size_t length = strlen(name);
    for (size_t i = 0; i < count; i++) {
        ptx_module(&cases[i], text, sizeof text);
        for (const char *at = strstr(text, name); at; at = strstr(at + 1, name))
            if (at > text && strchr(" \t\n;{", at[-1]) && strchr(". ;", at[length]))
                return true;
    }
    return false;
}

/* Every instruction of the emulator has a case, except those without a result of their own: control
   flow, what the emulator ignores, createpolicy, whose result is opaque, textures, which are not in
   PTX, and what threads or blocks do together (tests/machine/test_emulator.c,
   tests/machine/test_calls.c, tests/machine/test_textures.c, tests/machine/test_mbarrier.c,
   tests/machine/test_clusters.c). */
static size_t count_untried(const struct ptx_case *cases, size_t count)
{
    static const struct {
        const char *name, *decoder;
    } rows[] = {
#define MNEMONIC(name, decoder, flags) {name, #decoder},
#include "machine/emulator/mnemonics.def"
    };
    static const char *const without_result[] = {
        "bra",          "brx",      "exit",   "trap",       "nothing",   "fence",
        "createpolicy", "call",     "alloca", "tex",        "tld4",      "txq",
        "surface",      "mbarrier", "mapa",   "getctarank", "setmaxnreg"};
    size_t untried = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool has_result = true;
        for (size_t k = 0; k < sizeof without_result / sizeof *without_result; k++)
            has_result &= strcmp(rows[i].decoder, without_result[k]) != 0;
        if (!has_result || is_tried(rows[i].name, cases, count))
            continue;
        printf("FAIL: %s: no case in tests/ptx/cases.def\n", rows[i].name);
        untried++;
    }
    return untried;
}

int main(int argc, char **argv)
{
    size_t count, tried = 0, passed = 0;
    const char *prefix = argc > 1 ? argv[1] : "";
    const struct ptx_case *cases = ptx_cases(&count);
    const char *folder = getenv("SMEMCALC_PTX_LIST");
    for (size_t i = 0; i < count; i++) {
        if (strncmp(cases[i].mnemonic, prefix, strlen(prefix)) != 0)
            continue;
        tried++;
        passed += holds(&cases[i], i) && (!folder || write_module(folder, i, &cases[i]));
    }
    printf("%zu instructions, %d sets of operands each\n", tried,
           PTX_ELEMENTS * (share_is_whole() ? 1 + MORE_ROUNDS : 1));
    share_print("rounds of 4096 values of an operand of 16 bits");
    size_t failed = tried - passed + count_untried(cases, count);
    printf("%zu passed, %zu failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
