/* Runs every suite, or those that are named, each in a process of its own and as many at a time as
   there are processors, and prints a line that counts the cases; fails if any case failed. A suite
   that is named alone runs in this process, for a debugger. Usage: tests/unit [SUITE...], with the
   suites of suites.def. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CUnit/CUnit.h>

#include "share.h"
#include "unit.h"

static const CU_SuiteInfo all[] = {
#define SUITE(name) {#name, NULL, NULL, NULL, NULL, tests_##name},
#include "suites.def"
#undef SUITE
};

enum { SUITES = sizeof all / sizeof *all };

static const CU_SuiteInfo *find(const char *name)
{
    for (size_t i = 0; i < SUITES; i++)
        if (strcmp(all[i].pName, name) == 0)
            return &all[i];
    return NULL;
}

/* --- One suite -------------------------------------------------------------------------------- */

struct result {
    unsigned ran, failed;
    struct share share;
};

/* The name of a test begins with its suite's: a line with the name alone tells what failed. */
static CU_ErrorCode add(const CU_SuiteInfo *suite)
{
    char name[256];
    CU_ErrorCode code = CU_initialize_registry();
    CU_pSuite added = code == CUE_SUCCESS ? CU_add_suite(suite->pName, NULL, NULL) : NULL;
    for (const CU_TestInfo *test = suite->pTests; added && test->pName; test++) {
        snprintf(name, sizeof name, "%s: %s", suite->pName, test->pName);
        if (!CU_add_test(added, name, test->pTestFunc) || CU_get_error() != CUE_SUCCESS)
            break;
    }
    return CU_get_error();
}

static void print_start(const CU_pTest test, const CU_pSuite suite)
{
    (void)suite;
    printf("  Test: %s ...", test->pName);
    fflush(stdout);
}

static void print_end(const CU_pTest test, const CU_pSuite suite, const CU_pFailureRecord failures)
{
    (void)test, (void)suite;
    puts(failures ? "FAILED" : "passed");
    for (const CU_FailureRecord *failure = failures; failure; failure = failure->pNext)
        printf("    %s:%u  - %s\n", failure->strFileName, failure->uiLineNumber,
               failure->strCondition);
    fflush(stdout);
}

static void run(const CU_SuiteInfo *suite, struct result *result)
{
    printf("\nSuite: %s\n", suite->pName);
    if (add(suite) != CUE_SUCCESS) {
        printf("FAILED  %s: %s\n", suite->pName, CU_get_error_msg());
        result->ran++;
        result->failed++;
        return;
    }
    CU_set_test_start_handler(print_start);
    CU_set_test_complete_handler(print_end);
    CU_run_all_tests();
    result->ran += CU_get_number_of_tests_run();
    result->failed += CU_get_number_of_tests_failed();
    CU_cleanup_registry();
}

/* --- Processes -------------------------------------------------------------------------------- */

struct job {
    const CU_SuiteInfo *suite;
    pid_t process;
    FILE *output;
};

static void start(struct job *job, struct result *result)
{
    job->output = tmpfile();
    fflush(NULL);
    job->process = job->output ? fork() : -1;
    if (job->process < 0) {
        perror("unit: process");
        exit(99);
    }
    if (job->process > 0)
        return;
    dup2(fileno(job->output), STDOUT_FILENO);
    dup2(fileno(job->output), STDERR_FILENO);
    run(job->suite, result);
    result->share = share_so_far();
    exit(result->failed > 0);
}

/* Waits for the end of any job, with what it printed still unread. */
static void wait_for_one(struct job *jobs, struct result *results, size_t count)
{
    int status;
    const pid_t process = wait(&status);
    if (process < 0) {
        perror("unit: wait");
        exit(99);
    }
    for (size_t i = 0; i < count; i++) {
        if (jobs[i].process != process)
            continue;
        jobs[i].process = 0;
        fseek(jobs[i].output, 0, SEEK_END);
        if (WIFSIGNALED(status))
            fprintf(jobs[i].output, "\nFAILED  %s: ended by signal %d\n", jobs[i].suite->pName,
                    WTERMSIG(status));
        else if (WEXITSTATUS(status) != (results[i].failed > 0))
            fprintf(jobs[i].output, "\nFAILED  %s: ended with exit status %d\n",
                    jobs[i].suite->pName, WEXITSTATUS(status));
        else
            return;
        results[i].ran++;
        results[i].failed++;
    }
}

static void show(struct job *job)
{
    char text[4096];
    rewind(job->output);
    for (size_t count; (count = fread(text, 1, sizeof text, job->output)) > 0;)
        fwrite(text, 1, count, stdout);
    fclose(job->output);
    fflush(stdout);
}

/* In the order of the list, whichever ends first. */
static void run_jobs(struct job *jobs, struct result *results, size_t count)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t started = 0, ended = 0, shown = 0;
    signal(SIGCHLD, SIG_DFL); /* whatever the caller ignores */
    while (shown < count) {
        while (started < count && (long)(started - ended) < (processors > 1 ? processors : 1)) {
            start(&jobs[started], &results[started]);
            started++;
        }
        wait_for_one(jobs, results, started);
        ended++;
        while (shown < started && jobs[shown].process == 0)
            show(&jobs[shown++]);
    }
}

int main(int argc, char **argv)
{
    static struct job jobs[SUITES];
    const size_t count = argc > 1 ? (size_t)argc - 1 : SUITES;
    struct result *results = mmap(NULL, SUITES * sizeof *results, PROT_READ | PROT_WRITE,
                                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct result sum = {0};
    for (size_t i = 0; i < count; i++) {
        const CU_SuiteInfo *suite = argc > 1 ? find(argv[i + 1]) : &all[i];
        if (!suite || i == SUITES || results == MAP_FAILED) {
            fprintf(stderr, "unit: unknown suite '%s'; suites.def lists them\n", argv[i + 1]);
            return 99;
        }
        jobs[i].suite = suite;
    }
    if (count == 1)
        run(jobs[0].suite, results);
    else
        run_jobs(jobs, results, count);
    for (size_t i = 0; i < count; i++) {
        sum.ran += results[i].ran;
        sum.failed += results[i].failed;
        share_add(results[i].share);
    }
    putchar('\n');
    share_print("cases of the suites that go through all kernels, devices or seeds");
    printf("%u passed, %u failed, 0 skipped\n", sum.ran - sum.failed, sum.failed);
    return sum.failed || !sum.ran;
}
