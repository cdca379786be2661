/* Runs every fuzzer over its kept inputs, the files of corpus/NAME and the seeds in fuzzers.def:
   each found or nearly found a fault once. A fuzzer without inputs is one that fails.
     tests/fuzz/run_corpus [NAME...]   only these fuzzers
     tests/fuzz/run_corpus NAME FILE   one input, for a debugger: nothing is forked */
#include "fuzz.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_SECONDS = 120, PATH_BYTES = 4096 }; /* of one input, also under valgrind */

static const struct fuzzer {
    const char *name;
    int (*function)(const uint8_t *data, size_t size);
    const char *seeds;
} fuzzers[] = {
#define FUZZER(name, file, when, longest, dictionary, seeds) {#name, fuzz_##name, seeds},
#include "fuzzers.def"
#undef FUZZER
};
enum { FUZZERS = sizeof fuzzers / sizeof *fuzzers };

/* Shared with the child that runs a fuzzer, so that the input that ends it is known. */
static struct progress {
    char path[PATH_BYTES];
    size_t inputs;
} * progress;

static void fail(const char *path)
{
    fprintf(stderr, "%s: %s\n", path, strerror(errno));
    exit(1);
}

/* The input is as large as its memory, so that a byte too many is seen. */
static void run_file(const struct fuzzer *fuzzer, const char *path)
{
    struct stat status;
    FILE *file = fopen(path, "rb");
    if (!file || fstat(fileno(file), &status) != 0)
        fail(path);
    const size_t size = (size_t)status.st_size;
    uint8_t *data = malloc(size ? size : 1);
    if (!data || fread(data, 1, size, file) != size)
        fail(path);
    fclose(file);
    alarm(MOST_SECONDS);
    fuzzer->function(data, size);
    alarm(0);
    free(data);
}

static void run_matching(const struct fuzzer *fuzzer, const char *pattern)
{
    glob_t found;
    if (glob(pattern, 0, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        snprintf(progress->path, PATH_BYTES, "%s", found.gl_pathv[i]);
        run_file(fuzzer, found.gl_pathv[i]);
        progress->inputs++;
    }
    globfree(&found);
}

static void run_inputs(const struct fuzzer *fuzzer, const char *tree)
{
    char pattern[PATH_BYTES];
    snprintf(pattern, sizeof pattern, "%s/tests/fuzz/corpus/%s/*", tree, fuzzer->name);
    run_matching(fuzzer, pattern);
    for (const char *seeds = fuzzer->seeds; *seeds; seeds += strspn(seeds, " ")) {
        const size_t length = strcspn(seeds, " ");
        snprintf(pattern, sizeof pattern, "%s/%.*s", tree, (int)length, seeds);
        run_matching(fuzzer, pattern);
        seeds += length;
    }
}

/* In a process of its own, so that a crash is one failed case. */
static bool run(const struct fuzzer *fuzzer, const char *tree)
{
    int status = 0;
    *progress = (struct progress){.inputs = 0};
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        run_inputs(fuzzer, tree);
        exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        fail(fuzzer->name);
    const bool passed = status == 0 && progress->inputs > 0;
    printf("%s %s: %zu inputs", passed ? "ok     " : "FAILED ", fuzzer->name, progress->inputs);
    if (WIFSIGNALED(status))
        printf("; %s: %s", progress->path, strsignal(WTERMSIG(status)));
    else if (status != 0)
        printf("; %s: exit status %d", progress->path, WEXITSTATUS(status));
    printf("\n");
    return passed;
}

static const struct fuzzer *find(const char *name)
{
    for (size_t i = 0; i < FUZZERS; i++)
        if (strcmp(fuzzers[i].name, name) == 0)
            return &fuzzers[i];
    fprintf(stderr, "unknown fuzzer '%s'\n", name);
    exit(2);
}

/* Whether the words after the program's name are a fuzzer and one input. */
static bool is_one_input(int count, char **words)
{
    return count == 3 && (strchr(words[2], '/') || access(words[2], R_OK) == 0);
}

int main(int count, char **words)
{
    const char *tree = getenv("srcdir");
    size_t passed = 0, failed = 0;
    tree = tree ? tree : SMC_SOURCE_DIR;
    if (is_one_input(count, words)) {
        run_file(find(words[1]), words[2]);
        return 0;
    }
    progress =
        mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (progress == MAP_FAILED)
        fail("mmap");
    for (size_t i = 0; i < FUZZERS; i++) {
        bool chosen = count == 1;
        for (int k = 1; k < count; k++)
            chosen |= find(words[k]) == &fuzzers[i];
        if (chosen && run(&fuzzers[i], tree))
            passed++;
        else if (chosen)
            failed++;
    }
    printf("%zu passed, %zu failed, 0 skipped\n", passed, failed);
    return failed > 0;
}
