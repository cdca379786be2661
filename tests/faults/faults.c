/* Fault injection: ten typical commands and more, in each of which the n-th call of a kind fails
   (once, or from then on), for n = 1, 2, 3 ... until none is left. A command is not disturbed, or
   ends with one line that says why: no crash, no cut output with exit status 0, no damaged file or
   cache, no temporary file or descriptor left. In a build with AddressSanitizer: no leak, either.

     faults [NAME...] [--verbose]    all commands and kinds, or those with these names

   A share of the calls: of each command and kind two of the first, the middle and the last, and one
   allocation; with TEST_WHOLE=1 every call, once and from then on, and a hundred allocations: the
   others fail in tests/allocation. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "share.h"
#include "trial.h"

enum { ALLOCATIONS = 100 };

enum verdict { UNTOUCHED, TOLD, REFUSED, FELL_BACK, WRONG, VERDICTS };

static struct tally {
    long tried, of[VERDICTS], shown;
} tally;

/* Without a library or a process an answer may have another source, which the report names. */
static bool may_fall_back(enum fault fault)
{
    return fault == FAULT_LIBRARY || fault == FAULT_PROCESS;
}

static bool names_another_source(const struct trial_command *command, const struct trial *usual,
                                 const struct trial *trial)
{
    return command->shows_sources ||
           (strstr(usual->out.text, "\"nvrtc") && !strstr(trial->out.text, "\"nvrtc")) ||
           !trial_equal(&trial->err, &usual->err);
}

/* The explorer goes on, and shows which number is missing and why. */
static bool screen_tells(const struct trial_command *command, const struct trial *usual,
                         const struct trial *trial)
{
    static const char *const words[] = {"cannot look for", "left out:"};
    bool tells = false;
    for (size_t i = 0; command->shows_sources && i < sizeof words / sizeof *words; i++)
        tells = tells || (strstr(trial->out.text, words[i]) && !strstr(usual->out.text, words[i]));
    return tells && trial_adds_notes(usual, trial);
}

static bool must_not_matter(enum fault fault)
{
    return fault == FAULT_INTERRUPT || fault == FAULT_SHORT;
}

static const char *complain(const struct trial_command *command, enum fault fault,
                            const struct trial *usual, const struct trial *trial,
                            enum verdict *verdict)
{
    const int status = WIFEXITED(trial->status) ? WEXITSTATUS(trial->status) : -1;
    *verdict = WRONG;
    if (status < 0)
        return "ended by a signal";
    if (status > 4)
        return "an exit status that does not exist";
    if (*trial->strays)
        return "files are left";
    if (trial->open_at_end > usual->open_at_end)
        return "descriptors are left";
    if (command->runs_program && trial_reports_loss(usual, trial)) {
        *verdict = TOLD;
        return NULL;
    }
    if (!trial_output_uncut(usual, trial))
        return "the output file is cut";
    if (trial_same(usual, trial)) {
        *verdict = trial_equal(&trial->err, &usual->err) ? UNTOUCHED : TOLD;
        return trial_adds_notes(usual, trial) ? NULL : "a failure without its status";
    }
    if (must_not_matter(fault))
        return "an interruption or a short transfer changes the outcome";
    if (trial->status == usual->status && may_fall_back(fault) &&
        names_another_source(command, usual, trial) && trial_adds_notes(usual, trial)) {
        *verdict = FELL_BACK;
        return NULL;
    }
    if (trial->status == usual->status && screen_tells(command, usual, trial)) {
        *verdict = TOLD;
        return NULL;
    }
    if (trial->status == usual->status)
        return "another output with the usual status";
    if (status == 0)
        return "exit status 0";
    if (!trial_out_uncut(command, usual, trial))
        return "cut standard output";
    *verdict = REFUSED;
    return trial_adds_reason(command, usual, trial) ? NULL : "not exactly one line that says why";
}

enum { MOST_SHOWN = 60 };

static void show(const struct trial_command *command, const char *why, const struct trial *trial)
{
    const struct fault_plan *plan = trial_plan();
    if (++tally.shown > MOST_SHOWN)
        return;
    printf("        %s: %s %ld%s: %s: %s; %zu bytes on standard output%s%s\n", command->name,
           fault_names[plan->fault], plan->first, plan->lasting ? " and later" : "", why,
           trial_ending(trial), trial->out.count, *trial->strays ? ";" : "", trial->strays);
    printf("%.600s%.500s", trial->err.text, plan->place);
    fflush(stdout);
}

/* What a disturbed run left in the cache must not disturb the next one. */
static const char *check_next(const struct trial_command *command, const struct trial *usual)
{
    struct trial next;
    trial_run(command, (struct trial_start){0}, &next);
    const char *why = trial_same(usual, &next) && trial_equal(&usual->err, &next.err)
                          ? NULL
                          : "the next run is disturbed";
    if (why)
        show(command, why, &next);
    trial_free(&next);
    return why;
}

static void try_one(const struct trial_command *command, enum fault fault, long n, bool lasting,
                    const struct trial *usual)
{
    struct fault_plan *plan = trial_plan();
    struct trial trial;
    enum verdict verdict;
    memset(plan, 0, sizeof *plan);
    *plan = (struct fault_plan){.fault = (int)fault, .first = n, .lasting = lasting};
    trial_prepare(command, n % 2 == 1);
    trial_run(command, (struct trial_start){.faulty = true}, &trial);
    const char *why = complain(command, fault, usual, &trial, &verdict);
    if (why)
        show(command, why, &trial);
    else if (command->starts_cold || command->output)
        why = check_next(command, usual);
    tally.tried++;
    tally.of[why ? WRONG : verdict]++;
    trial_free(&trial);
}

static bool is_named(int argc, char **argv, const char *name)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return true;
    return false;
}

/* Any command of the arguments; without one all are meant. */
static bool is_meant_command(int argc, char **argv, const char *name)
{
    bool any = false;
    for (size_t i = 0; i < trial_command_count; i++)
        any = any || is_named(argc, argv, trial_commands[i].name);
    return !any || is_named(argc, argv, name);
}

static bool is_meant_fault(int argc, char **argv, enum fault fault)
{
    bool any = false;
    for (int i = 0; i < FAULT_COUNT; i++)
        any = any || is_named(argc, argv, fault_names[i]);
    return !any || is_named(argc, argv, fault_names[fault]);
}

/* A folder that can never be listed cannot be emptied, either. */
static bool may_last(enum fault fault)
{
    return !must_not_matter(fault) && fault != FAULT_LIST;
}

/* Two of the first, the middle and the last call: one alone, the next with all later ones. Of
   allocations the middle one. */
static bool is_chosen(const struct trial_command *command, enum fault fault, long n, long calls,
                      bool lasting)
{
    const long place = n == 1 ? 0 : n == calls ? 2 : 1;
    const long turn = command - trial_commands + (long)fault + place;
    const bool is_middle = n == (calls + 1) / 2;
    if (fault == FAULT_MEMORY ? !is_middle
                              : (place == 1 && !is_middle) || (turn % 3 == 0 && calls > 2))
        return false;
    return !may_last(fault) || turn % 2 == lasting;
}

static void try_kind(const struct trial_command *command, enum fault fault, long calls,
                     const struct trial *usual)
{
    const long step = fault == FAULT_MEMORY && share_is_whole() ? calls / ALLOCATIONS + 1 : 1;
    for (long n = 1; n <= calls; n += step)
        for (int lasting = 0; lasting < 1 + may_last(fault); lasting++)
            if (share_takes(is_chosen(command, fault, n, calls, lasting)))
                try_one(command, fault, n, lasting, usual);
}

static void try_command(const struct trial_command *command, int argc, char **argv)
{
    struct fault_plan *plan = trial_plan();
    struct trial usual, first;
    long calls[FAULT_COUNT];
    memset(plan, 0, sizeof *plan);
    plan->fault = FAULT_COUNT;
    trial_prepare(command, false);
    trial_run(command, (struct trial_start){.faulty = true}, &first); /* fills the cache */
    memset(plan, 0, sizeof *plan);
    plan->fault = FAULT_COUNT;
    trial_prepare(command, false);
    trial_run(command, (struct trial_start){.faulty = true}, &usual);
    for (int i = 0; i < FAULT_COUNT; i++)
        calls[i] = plan->calls[i];
    if (!trial_same(&first, &usual) || *usual.strays || !WIFEXITED(usual.status)) {
        printf("FAILED  %s: an undisturbed run: %s%s\n%s%s", command->name, trial_ending(&usual),
               usual.strays, usual.err.text, first.err.text);
        tally.of[WRONG]++;
    }
    for (int fault = 0; fault < FAULT_COUNT; fault++) {
        if (calls[fault] == 0 || !is_meant_fault(argc, argv, (enum fault)fault))
            continue;
        const struct tally before = tally;
        try_kind(command, (enum fault)fault, calls[fault], &usual);
        if (is_named(argc, argv, "--verbose"))
            printf("%-16s %-9s %6ld calls %5ld tried %5ld untouched %4ld told %4ld refused %4ld "
                   "fell back %4ld wrong\n",
                   command->name, fault_names[fault], calls[fault], tally.tried - before.tried,
                   tally.of[UNTOUCHED] - before.of[UNTOUCHED], tally.of[TOLD] - before.of[TOLD],
                   tally.of[REFUSED] - before.of[REFUSED],
                   tally.of[FELL_BACK] - before.of[FELL_BACK], tally.of[WRONG] - before.of[WRONG]);
        fflush(stdout);
    }
    trial_free(&usual);
    trial_free(&first);
}

int main(int argc, char **argv)
{
    int failed = 0, passed = 0, skipped = 0;
    trial_begin("./smemcalc", ".");
    for (size_t i = 0; i < trial_command_count; i++) {
        const struct trial_command *command = &trial_commands[i];
        const struct tally before = tally;
        if (!is_meant_command(argc, argv, command->name))
            continue;
        if (!trial_can_run(command)) {
            printf("skipped %s: no shared libraries are built\n", command->name);
            skipped++;
            continue;
        }
        try_command(command, argc, argv);
        const long wrong = tally.of[WRONG] - before.of[WRONG];
        printf("%s %s: %ld faults, %ld wrong\n", wrong ? "FAILED " : "ok     ", command->name,
               tally.tried - before.tried, wrong);
        fflush(stdout);
        wrong ? failed++ : passed++;
    }
    printf("%ld faults injected over %d commands: %ld had no effect, %ld were noted, %ld refused "
           "in one line, %ld answered from another source, %ld wrong\n",
           tally.tried, passed + failed, tally.of[UNTOUCHED], tally.of[TOLD], tally.of[REFUSED],
           tally.of[FELL_BACK], tally.of[WRONG]);
    share_print("faults");
    trial_end();
    printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
    return failed > 0;
}
