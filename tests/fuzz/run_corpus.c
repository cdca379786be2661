/* Runs every fuzzer over its kept inputs, those in corpus/NAME.tar.gz, and over the seeds in
   fuzzers.def: each found or nearly found a fault once. A fuzzer without kept inputs fails.
     tests/fuzz/run_corpus [NAME...]    only these fuzzers
     tests/fuzz/run_corpus NAME INPUT   one file or kept input, for a debugger: it is not forked */
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

#include "base/file.h"

enum { MOST_SECONDS = 120, PATH_BYTES = 4096 }; /* of one input, also under valgrind */
enum { MOST_ARCHIVE_BYTES = 1 << 26 };

/* Where the header of a file in a tar archive (POSIX ustar) has its fields. */
enum { TAR_BLOCK = 512, TAR_SIZE = 124, TAR_MAGIC = 257 };

static const struct fuzzer {
    const char *name;
    int (*function)(const uint8_t *data, size_t size);
    const char *seeds;
} fuzzers[] = {
#define FUZZER(name, file, longest, dictionary, seeds) {#name, fuzz_##name, seeds},
#include "fuzzers.def"
#undef FUZZER
};
enum { FUZZERS = sizeof fuzzers / sizeof *fuzzers };

/* Shared with the child that runs a fuzzer, so that the input that ends it is known. */
static struct progress {
    char path[PATH_BYTES];
    size_t inputs;
} * progress;

static _Noreturn void end(const char *path, const char *why)
{
    fprintf(stderr, "%s: %s\n", path, why);
    exit(1);
}

static _Noreturn void fail(const char *path)
{
    end(path, strerror(errno));
}

/* The input is as large as its memory, so that a byte too many is seen. */
static void run_input(const struct fuzzer *fuzzer, const void *bytes, size_t size)
{
    uint8_t *data = malloc(size ? size : 1);
    if (!data)
        fail(fuzzer->name);
    memcpy(data, bytes, size);
    alarm(MOST_SECONDS);
    fuzzer->function(data, size);
    alarm(0);
    free(data);
}

static void run_file(const struct fuzzer *fuzzer, const char *path)
{
    struct smc_text input = {0};
    struct smc_error error;
    if (smc_file_read(path, "input", MOST_ARCHIVE_BYTES, &input, &error) != SMC_OK)
        end(fuzzer->name, error.message);
    run_input(fuzzer, smc_text_string(&input), input.length);
    smc_text_free(&input);
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

/* The archive of a fuzzer, unpacked by gzip, which reads this process's standard input. */
static void read_kept(const char *path, struct smc_text *archive)
{
    struct smc_error error = {""};
    FILE *gzip = freopen(path, "rb", stdin) ? popen("gzip -dc", "r") : NULL;
    if (!gzip)
        fail(path);
    enum smc_status status =
        smc_file_read_stream(gzip, path, "archive", MOST_ARCHIVE_BYTES, archive, &error);
    if (status != SMC_OK)
        end(path, error.message);
    if (pclose(gzip) != 0)
        end(path, "gzip cannot unpack it");
}

/* Runs all of them, or only the one that is called `wanted`. */
static void run_kept(const struct fuzzer *fuzzer, const char *tree, const char *wanted)
{
    char path[PATH_BYTES];
    struct smc_text archive = {0};
    size_t at = 0;
    snprintf(path, sizeof path, "%s/tests/fuzz/corpus/%s.tar.gz", tree, fuzzer->name);
    snprintf(progress->path, PATH_BYTES, "%s", path);
    read_kept(path, &archive);
    while (at + TAR_BLOCK <= archive.length && archive.data[at]) {
        const char *header = archive.data + at, *input = header + TAR_BLOCK;
        const size_t size = strtoul(header + TAR_SIZE, NULL, 8);
        if (strncmp(header + TAR_MAGIC, "ustar", 5) != 0 || at + TAR_BLOCK + size > archive.length)
            break;
        if (!wanted || strcmp(header, wanted) == 0) {
            snprintf(progress->path, PATH_BYTES, "%s", header);
            run_input(fuzzer, input, size);
            progress->inputs++;
        }
        at += TAR_BLOCK + (size + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
    }
    if (at + TAR_BLOCK > archive.length || archive.data[at])
        end(path, "is no tar archive, or is incomplete");
    if (progress->inputs == 0)
        end(path, wanted ? "has no input of that name" : "has no input");
    smc_text_free(&archive);
}

static void run_inputs(const struct fuzzer *fuzzer, const char *tree)
{
    char pattern[PATH_BYTES];
    run_kept(fuzzer, tree, NULL);
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
    const bool passed = status == 0;
    printf("%s %s: %zu inputs", passed ? "ok     " : "FAILED ", fuzzer->name, progress->inputs);
    if (WIFSIGNALED(status))
        printf("; %s: %s", progress->path, strsignal(WTERMSIG(status)));
    else if (status != 0)
        printf("; %s: exit status %d", progress->path, WEXITSTATUS(status));
    printf("\n");
    return passed;
}

/* NULL: there is none. */
static const struct fuzzer *find(const char *name)
{
    for (size_t i = 0; i < FUZZERS; i++)
        if (strcmp(fuzzers[i].name, name) == 0)
            return &fuzzers[i];
    return NULL;
}

static const struct fuzzer *find_named(const char *name)
{
    const struct fuzzer *found = find(name);
    if (found)
        return found;
    fprintf(stderr, "unknown fuzzer '%s'\n", name);
    exit(2);
}

int main(int count, char **words)
{
    const char *tree = getenv("srcdir");
    size_t passed = 0, failed = 0;
    tree = tree ? tree : SMC_SOURCE_DIR;
    progress =
        mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (progress == MAP_FAILED)
        fail("mmap");
    if (count == 3 && (strchr(words[2], '/') || access(words[2], R_OK) == 0)) {
        run_file(find_named(words[1]), words[2]);
        return 0;
    }
    if (count == 3 && !find(words[2])) {
        run_kept(find_named(words[1]), tree, words[2]);
        return 0;
    }
    for (size_t i = 0; i < FUZZERS; i++) {
        bool chosen = count == 1;
        for (int k = 1; k < count; k++)
            chosen |= find_named(words[k]) == &fuzzers[i];
        if (chosen && run(&fuzzers[i], tree))
            passed++;
        else if (chosen)
            failed++;
    }
    printf("%zu passed, %zu failed, 0 skipped\n", passed, failed);
    return failed > 0;
}
