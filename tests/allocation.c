/* Runs every command with its n-th allocation failing, for one n after another. Either the failure
   has no effect on the output, or the command ends with exit status 4, a one-line message and
   nothing on standard output. A stream of rows may have written whole rows before the failure.

     allocation [NAME...]    all commands, or those with these names

   A share of the n: each place that allocates, a function with the two that called it, fails
   once, and so do the first and the last allocations of each command; at an eighth of the places
   all later allocations fail as well. Where one compiler replaces another, a place includes four
   callers. With TEST_WHOLE=1 each call stack that allocates is such a place, and fails several
   times in both ways.

   The program is part of this one, so that malloc and its relatives here are those of the program
   and of the libraries that it calls. Each run is a process of its own. */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/status.h"
#include "share.h"
#include "show/cli/cli.h"

#ifdef __SANITIZE_ADDRESS__

int main(void)
{
    puts("skipped failing allocations: AddressSanitizer has a malloc of its own");
    puts("0 passed, 0 failed, 1 skipped");
    return 77;
}

#else

/* --- Allocations that fail ---------------------------------------------------------------------*/

enum { MOST_FRAMES = 16, FEW_FRAMES = 3, MORE_FRAMES = 5, MOST_ALLOCATIONS = 1 << 20 };
enum mode { ONCE, FROM_THEN_ON, MODES };

static atomic_long allocations; /* counted while `armed` */
static long failing;            /* the first that fails; 0: none fails */
static enum mode mode;
static atomic_bool armed;
static int place_frames; /* the innermost calls that make a place */
static int trace;        /* a file that gets the call stack of the first failing allocation */

/* Memory for dlsym itself, which allocates before the functions below are found. */
static char early[8192];
static size_t early_used;

static void *take_early(size_t bytes)
{
    char *memory = early + early_used;
    early_used += (bytes + 15) / 16 * 16;
    return early_used <= sizeof early ? memory : NULL;
}

static bool is_early(const void *memory)
{
    return (const char *)memory >= early && (const char *)memory < early + sizeof early;
}

static struct {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void *(*aligned_alloc)(size_t, size_t);
    int (*posix_memalign)(void **, size_t, size_t);
    void (*free)(void *);
} next;

static bool finding;

static void find(const char *name, void *function)
{
    void *address = dlsym(RTLD_NEXT, name);
    memcpy(function, &address, sizeof address);
}

static bool find_functions(void)
{
    if (next.free || finding)
        return !finding;
    finding = true;
    find("malloc", &next.malloc);
    find("calloc", &next.calloc);
    find("realloc", &next.realloc);
    find("aligned_alloc", &next.aligned_alloc);
    find("posix_memalign", &next.posix_memalign);
    find("free", &next.free);
    finding = false;
    return true;
}

static bool is_in(const void *address, const char *library)
{
    struct dl_find_object object;
    return _dl_find_object((void *)address, &object) == 0 && object.dlfo_link_map &&
           strstr(object.dlfo_link_map->l_name, library);
}

/* Out of memory, NVRTC and the dynamic linker end the process, and their callers cannot prevent it.
   (So does cairo, which is why pictures in files are not among the commands.) */
static const char *const beyond_help[] = {"libnvrtc", "/ld-"};

static bool is_beyond_help(void *const *frames, int count)
{
    for (int i = 0; i < count; i++)
        for (size_t k = 0; k < sizeof beyond_help / sizeof *beyond_help; k++)
            if (is_in(frames[i], beyond_help[k]))
                return true;
    return false;
}

/* What a run leaves for the test. */
static struct shared {
    long allocations;
    uint64_t place[MOST_ALLOCATIONS]; /* that allocated n; 0: where it must not fail */
} * shared;

static void note_place(const void *caller, long n)
{
    void *frames[MOST_FRAMES];
    uint64_t place = 1;
    int count = backtrace(frames, MOST_FRAMES), first = 0;
    while (first < count && frames[first] != caller)
        first++;
    const int end = share_is_whole() || count < first + place_frames ? count : first + place_frames;
    for (int i = first; i < end; i++)
        place = ((place ^ (uintptr_t)frames[i]) * UINT64_C(0x9E3779B97F4A7C15)) >> 1 | 1;
    if (n < MOST_ALLOCATIONS)
        shared->place[n] = is_beyond_help(frames, count) ? 0 : place;
}

static bool fails(const void *caller)
{
    void *frames[MOST_FRAMES];
    if (!atomic_load(&armed) || is_in(caller, "libnvrtc"))
        return false;
    long n = atomic_fetch_add(&allocations, 1) + 1;
    if (!failing)
        note_place(caller, n);
    if (!failing || (mode == ONCE ? n != failing : n < failing))
        return false;
    int count = backtrace(frames, MOST_FRAMES);
    if (is_beyond_help(frames, count))
        return false;
    if (n == failing)
        backtrace_symbols_fd(frames, count, trace);
    errno = ENOMEM;
    return true;
}

void *malloc(size_t bytes)
{
    if (!find_functions())
        return take_early(bytes);
    return fails(__builtin_return_address(0)) ? NULL : next.malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    if (!find_functions())
        return take_early(count * bytes);
    return fails(__builtin_return_address(0)) ? NULL : next.calloc(count, bytes);
}

void *realloc(void *memory, size_t bytes)
{
    if (!find_functions())
        return NULL;
    return fails(__builtin_return_address(0)) ? NULL : next.realloc(memory, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return !find_functions() || fails(__builtin_return_address(0))
               ? NULL
               : next.aligned_alloc(alignment, bytes);
}

int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    return !find_functions() || fails(__builtin_return_address(0))
               ? ENOMEM
               : next.posix_memalign(memory, alignment, bytes);
}

void free(void *memory)
{
    if (memory && !is_early(memory) && find_functions())
        next.free(memory);
}

/* --- One run -----------------------------------------------------------------------------------*/

enum { MOST_WORDS = 24, LATE_SECONDS = 600 };

struct command {
    const char *name;
    const char *words; /* split at blanks */
    const char *input; /* standard input; NULL: none */
    bool needs_nvrtc;
    bool falls_back;    /* on another compiler, but not because of a failed allocation */
    bool streams;       /* writes whole rows before its end */
    const char *varies; /* lines that contain this are not compared, since they hold times */
};

struct seen {
    int status; /* as returned by wait */
    long allocations;
    char *out, *err, *trace;
    size_t out_bytes, err_bytes, trace_bytes;
};

static char folder[] = "/tmp/smemcalc-allocation-XXXXXX";

static int split(const char *words, char *copy, char **list)
{
    int count = 0;
    list[count++] = (char *)"smemcalc";
    strcpy(copy, words);
    for (char *word = strtok(copy, " "); word && count < MOST_WORDS; word = strtok(NULL, " "))
        list[count++] = word;
    list[count] = NULL;
    return count;
}

static void note_allocations(void)
{
    atomic_store(&armed, false);
    shared->allocations = atomic_load(&allocations);
}

static _Noreturn void be_command(const struct command *command, const int *files)
{
    static char copy[1024];
    char *list[MOST_WORDS + 1];
    int count = split(command->words, copy, list);
    int in = open(command->input ? command->input : "/dev/null", O_RDONLY | O_CLOEXEC);
    if (in < 0 || dup2(in, 0) < 0 || dup2(files[0], 1) < 0 || dup2(files[1], 2) < 0)
        _exit(99);
    alarm(LATE_SECONDS);
    atexit(note_allocations);
    atomic_store(&armed, true);
    int status = smc_cli_main(count, list);
    exit(status);
}

static char *read_back(int file, size_t *bytes)
{
    struct stat status;
    if (fstat(file, &status) != 0)
        exit(99);
    *bytes = (size_t)status.st_size;
    char *text = malloc(*bytes + 1);
    if (!text || pread(file, text, *bytes, 0) != (ssize_t)*bytes)
        exit(99);
    text[*bytes] = '\0';
    close(file);
    return text;
}

static void drop_lines(char *text, const char *with, size_t *bytes)
{
    for (char *found; with && (found = strstr(text, with));) {
        while (found > text && found[-1] != '\n')
            found--;
        size_t length = strcspn(found, "\n");
        length += found[length] == '\n';
        memmove(found, found + length, strlen(found + length) + 1);
        *bytes -= length;
    }
}

static void run(const struct command *command, enum mode how, long n, struct seen *seen)
{
    int files[] = {memfd_create("out", MFD_CLOEXEC), memfd_create("err", MFD_CLOEXEC)};
    trace = memfd_create("trace", MFD_CLOEXEC);
    failing = n;
    mode = how;
    place_frames = command->falls_back ? MORE_FRAMES : FEW_FRAMES;
    shared->allocations = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        be_command(command, files);
    if (child < 0 || waitpid(child, &seen->status, 0) != child)
        exit(99);
    seen->allocations = shared->allocations;
    seen->out = read_back(files[0], &seen->out_bytes);
    seen->err = read_back(files[1], &seen->err_bytes);
    seen->trace = read_back(trace, &seen->trace_bytes);
    drop_lines(seen->out, command->varies, &seen->out_bytes);
}

static void forget(struct seen *seen)
{
    free(seen->out);
    free(seen->err);
    free(seen->trace);
}

/* --- What may come of it -----------------------------------------------------------------------*/

enum outcome { UNTOUCHED, REFUSED, WRONG, OUTCOMES };

static size_t count_lines(const char *text)
{
    size_t count = 0;
    for (; (text = strchr(text, '\n')); text++)
        count++;
    return count;
}

/* Every line but the last is also printed by an unmodified run. */
static bool adds_one_line(const struct seen *usual, const struct seen *seen)
{
    const char *line = seen->err;
    for (size_t left = count_lines(line); left > 1; left--) {
        size_t length = strcspn(line, "\n") + 1;
        char *copy = strndup(line, length);
        bool known = strstr(usual->err, copy) != NULL;
        free(copy);
        if (!known)
            return false;
        line += length;
    }
    return strncmp(line, "smemcalc: ", 10) == 0 && strchr(line, '\n') == strrchr(line, '\n') &&
           seen->err[seen->err_bytes - 1] == '\n';
}

static bool is_whole_rows(const struct seen *usual, const struct seen *seen)
{
    return seen->out_bytes <= usual->out_bytes &&
           memcmp(seen->out, usual->out, seen->out_bytes) == 0 &&
           (seen->out_bytes == 0 || seen->out[seen->out_bytes - 1] == '\n');
}

static enum outcome judge(const struct command *command, const struct seen *usual,
                          const struct seen *seen)
{
    if (seen->status == usual->status && seen->out_bytes == usual->out_bytes &&
        memcmp(seen->out, usual->out, usual->out_bytes) == 0)
        return strcmp(seen->err, usual->err) == 0 ? UNTOUCHED : WRONG;
    if (!WIFEXITED(seen->status) || WEXITSTATUS(seen->status) != 4 || seen->err_bytes == 0 ||
        !adds_one_line(usual, seen))
        return WRONG;
    bool allowed = command->streams ? is_whole_rows(usual, seen) : seen->out_bytes == 0;
    return allowed ? REFUSED : WRONG;
}

/* --- All of a command's allocations ------------------------------------------------------------*/

struct tally {
    long tried, outcome[OUTCOMES];
};

enum { MOST_SHOWN = 5, AT_ENDS = 2, MOST_PLACES = 1 << 16, LASTING_SHARE = 8, WHOLE_TIMES = 4 };

/* The first line that differs. */
static void show_difference(const char *usual, const char *text)
{
    size_t start = 0;
    while (text[start] && text[start] == usual[start])
        start++;
    while (start > 0 && text[start - 1] != '\n')
        start--;
    printf("        expected: %.*s\n        seen:     %.*s\n", (int)strcspn(usual + start, "\n"),
           usual + start, (int)strcspn(text + start, "\n"), text + start);
}

static void show(const struct command *command, enum mode how, long n, const struct seen *usual,
                 const struct seen *seen)
{
    char which[64] = "after all failures";
    if (n > 0)
        snprintf(which, sizeof which, "allocation %ld%s", n, how == ONCE ? "" : " and later");
    printf("        %s: %s: %s %d, %zu bytes on standard output\n", command->name, which,
           WIFSIGNALED(seen->status) ? "signal" : "exit status",
           WIFSIGNALED(seen->status) ? WTERMSIG(seen->status) : WEXITSTATUS(seen->status),
           seen->out_bytes);
    if (seen->status == usual->status)
        show_difference(usual->out, seen->out);
    printf("%.400s%s", seen->err, seen->trace);
}

/* Places that were met so far, and how often. */
static struct {
    uint64_t place[MOST_PLACES];
    unsigned times[MOST_PLACES];
    size_t count;
} known[MODES];

static unsigned times_met(enum mode how, uint64_t place)
{
    size_t slot = place % MOST_PLACES;
    while (known[how].place[slot] && known[how].place[slot] != place)
        slot = (slot + 1) % MOST_PLACES;
    if (!known[how].place[slot] && ++known[how].count == MOST_PLACES)
        exit(99);
    known[how].place[slot] = place;
    return ++known[how].times[slot];
}

static bool is_tried(enum mode how, long n, long total)
{
    const uint64_t place = n < MOST_ALLOCATIONS ? shared->place[n] : 0;
    if (!place)
        return false;
    const bool is_whole = share_is_whole(), at_end = n <= AT_ENDS || n > total - AT_ENDS;
    const bool is_met_enough = times_met(how, place) > (is_whole ? WHOLE_TIMES : 1);
    return at_end ||
           (!is_met_enough && (how == ONCE || is_whole || known[how].count % LASTING_SHARE == 0));
}

static void count_outcome(const struct command *command, enum mode how, long n,
                          const struct seen *usual, struct tally *tally)
{
    struct seen seen;
    run(command, how, n, &seen);
    enum outcome outcome = judge(command, usual, &seen);
    tally->tried += n > 0;
    tally->outcome[outcome] += n > 0 || outcome == WRONG;
    if (outcome == WRONG && (n == 0 || tally->outcome[WRONG] <= MOST_SHOWN))
        show(command, how, n, usual, &seen);
    forget(&seen);
}

/* The first run fills the cache for all others. The last one has no failure again: it shows that
   the failures left no trace. False: NVRTC is needed, and not found. */
static bool try_all(const struct command *command, struct tally *tally)
{
    struct seen usual;
    run(command, ONCE, 0, &usual);
    forget(&usual);
    run(command, ONCE, 0, &usual);
    const bool can_run = !command->needs_nvrtc ||
                         (WIFEXITED(usual.status) && WEXITSTATUS(usual.status) != SMC_UNAVAILABLE);
    for (int how = ONCE; can_run && how < MODES; how++)
        for (long n = 1; n <= usual.allocations; n++)
            if (is_tried((enum mode)how, n, usual.allocations))
                count_outcome(command, (enum mode)how, n, &usual, tally);
    count_outcome(command, ONCE, 0, &usual, tally);
    forget(&usual);
    return can_run;
}

/* --- The commands ------------------------------------------------------------------------------*/

static const struct command commands[] = {
    {.name = "query", .words = "--tile 16 --device H200"},
    {.name = "query-json", .words = "--tile 16 --device H200 --format json"},
    {.name = "query-csv", .words = "--tile 16 --device H200 --device 9.0 --format csv"},
    {.name = "explain", .words = "--threads 256 --regs 40 --device 9.0 --explain"},
    {.name = "plot", .words = "--tile 16 --device H200 --plot -"},
    {.name = "sweep", .words = "sweep --threads 64:512:64 --regs 32 --device H200"},
    {.name = "sweep-json",
     .words = "sweep --threads 64:256:64 --regs 32:128:8 --device H200 --format json"},
    {.name = "sweep-csv",
     .words = "sweep --threads 64:512:64 --regs 32 --device H200 --format csv",
     .streams = true},
    {.name = "limits", .words = "limits --threads 256 --device H200"},
    {.name = "limits-json", .words = "limits --threads 256 --device H200 --format json"},
    {.name = "best", .words = "best --kernel matmul-tiled --device H200"},
    {.name = "best-json", .words = "best --regs 40 --smem 4K --device H200 --format json"},
    {.name = "banks", .words = "banks --expr (ty*33+tx)*4 --block 32x8 --device H200"},
    {.name = "banks-json",
     .words = "banks --kernel matmul-tiled --tile 16 --device H200 --format json"},
    {.name = "banks-csv", .words = "banks --csv -", .input = "accesses.csv", .streams = true},
    {.name = "kernels", .words = "kernels"},
    {.name = "kernels-json", .words = "kernels --format json"},
    {.name = "devices", .words = "devices"},
    {.name = "devices-json", .words = "devices --format json"},
    {.name = "device-file", .words = "--threads 256 --device-file data/devices/several.json"},
    {.name = "help", .words = "help"},
    {.name = "help-command", .words = "help inspect"},
    {.name = "lesson", .words = "lesson occupancy"},
    {.name = "lesson-list", .words = "lesson"},
    {.name = "completion", .words = "completion bash"},
    {.name = "carveout", .words = "carveout --threads 256 --smem 8K --device H200"},
    {.name = "carveout-json",
     .words = "carveout --threads 256 --smem 8K --device H200 --format json"},
    {.name = "batch", .words = "batch --pass all", .input = "data/launches.csv", .streams = true},
    {.name = "inspect-log", .words = "inspect data/inspect/own-sm90.ptxas --threads 256"},
    {.name = "inspect-cubin", .words = "inspect data/inspect/own-sm90.cubin --format json"},
#if defined HAVE_LZ4 && defined HAVE_ZSTD
    {.name = "inspect-fatbin", .words = "inspect data/inspect/own.fatbin --format csv"},
#endif
    {.name = "inspect-cubin-text", .words = "inspect data/inspect/own-sm90.cubin"},
    {.name = "inspect-overview", .words = "inspect many.ptxas --top all"},
    {.name = "inspect-parts", .words = "inspect parts.ptxas --format json"},
    {.name = "trace-ncu", .words = "trace --read data/trace/ncu_raw.csv --format json"},
    {.name = "inspect-save",
     .words = "inspect data/inspect/own-sm90.cubin --threads 256 --save saved.json"},
    {.name = "inspect-folder", .words = "inspect folder --threads 256 --only spilling"},
    {.name = "inspect-folder-json", .words = "inspect folder --format json"},
    {.name = "inspect-gate",
     .words = "inspect data/inspect/own-sm90.ptxas --max-regs 20 --require-blocks 2 --threads 256"},
#ifdef HAVE_TOML
    {.name = "inspect-gate-file",
     .words = "inspect data/inspect/own-sm90.ptxas --gate gate.toml --threads 256"},
    {.name = "inspect-gate-sarif",
     .words = "inspect folder --gate gate.toml --threads 256 --format sarif"},
    {.name = "inspect-gate-junit",
     .words = "inspect folder --gate gate.toml --threads 256 --format junit"},
#endif
    {.name = "diff",
     .words = "diff data/inspect/own-sm90.ptxas data/inspect/own-sm75.ptxas -d H200"},
    {.name = "diff-json",
     .words = "diff data/inspect/own-sm90.ptxas many.ptxas -d H200 --format json"},
    {.name = "diff-folder", .words = "diff folder data/inspect/own-sm90.cubin -d H200 -d 12.0"},
    {.name = "inspect-lint", .words = "inspect data/inspect/own-sm90.ptxas --lint --device H200"},
    {.name = "merge",
     .words = "merge data/merge/node1.json data/merge/node2.json data/merge/node3.json"},
    {.name = "merge-json",
     .words = "merge data/merge/node1.json data/merge/node2.json --format json"},
    {.name = "explorer", .words = "tui --no-nvrtc --tile 16 --device H200 --script keys.txt"},
    {.name = "explorer-run",
     .words = "tui --tile 8 --device H200 --script run.txt",
     .needs_nvrtc = true},
    {.name = "run",
     .words = "run --tile 8 --size 32 --on emulator --device H200",
     .needs_nvrtc = true},
    {.name = "run-json",
     .words = "run --tile 8 --size 32 --on emulator --device H200 --format json",
     .needs_nvrtc = true,
     .varies = "elapsed_ms"},
    {.name = "run-compare",
     .words = "run --tile 4:8:4 --size 16 --on emulator --device H200",
     .needs_nvrtc = true},
    {.name = "run-source",
     .words = "run --source own.cu --grid 4 --block 64 -a f32x256 --on emulator --device H200",
     .needs_nvrtc = true,
     .falls_back = true},
    {.name = "run-sanitize",
     .words = "run --source stacks.cu --entry one_caller --grid 1 --block 64 -a i32x64 "
              "--device H200 --sanitize sarif",
     .needs_nvrtc = true},
    {.name = "run-sanitize-json",
     .words = "run --source stacks.cu --entry header --grid 1 --block 64 -a i32x64 --device H200 "
              "--sanitize json",
     .needs_nvrtc = true},
    {.name = "run-structures",
     .words = "run --source structures.cu --grid 1 --block 32 -a {32,f32x32:ramp} -a "
              "[f32x32,@1.1+0] --set scale=2.0f --on emulator --device H200",
     .needs_nvrtc = true},
    {.name = "trace-pytorch", .words = "trace --read data/trace/pytorch.json"},
    {.name = "trace-pytorch-json", .words = "trace --read data/trace/pytorch.json --format json"},
#ifdef HAVE_ZLIB
    {.name = "trace-pytorch-gzip", .words = "trace --read pytorch.json.gz --format csv"},
    {.name = "trace-merged",
     .words = "trace --read data/trace/pytorch.json pytorch.json.gz --format json"},
#endif
    {.name = "trace-triton", .words = "trace --read triton"},
    {.name = "trace-pipe", .words = "trace --read -", .input = "data/trace/ncu_raw.csv"},
    {.name = "trace-own", .words = "trace --read data/trace/step.json"},
    {.name = "trace-own-json", .words = "trace --read data/trace/step.json --format json"},
    {.name = "unknown", .words = "--tile 16 --device H2000"},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

/* --- Files that the commands read, in a folder of the test's own
 * ---------------------------------*/

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        exit(99);
}

static void write_accesses(void)
{
    FILE *file = fopen("accesses.csv", "w");
    if (!file)
        exit(99);
    fputs("id,op,width,mask", file);
    for (int i = 0; i < 32; i++)
        fprintf(file, ",a%d", i);
    for (int row = 0; row < 20; row++) {
        fprintf(file, "\nr%d,ld,4,ffffffff", row);
        for (int i = 0; i < 32; i++)
            fprintf(file, ",%d", i * 4 * row);
    }
    fputs("\n", file);
    fclose(file);
}

/* The log of a compiler, with the given number of kernels. */
static void write_log(const char *name, int kernels)
{
    FILE *file = fopen(name, "w");
    if (!file)
        exit(99);
    for (int i = 0; i < kernels; i++)
        fprintf(file,
                "ptxas info    : Compiling entry function '_ZN5space4k%04dIfLi%dEEEvPf' for "
                "'sm_90'\nptxas info    : Used %d registers, %d bytes smem, used 1 barriers\n",
                i, i, 16 + i % 200, i);
    fclose(file);
}

static void copy_file(const char *from, const char *to)
{
    char bytes[65536];
    FILE *in = fopen(from, "r"), *out = fopen(to, "w");
    if (!in || !out)
        exit(99);
    for (size_t count; (count = fread(bytes, 1, sizeof bytes, in)) > 0;)
        fwrite(bytes, 1, count, out);
    fclose(in);
    fclose(out);
}

static void write_folder(void)
{
    if (mkdir("folder", 0700) != 0 || mkdir("folder/deeper", 0700) != 0)
        exit(99);
    copy_file("data/inspect/own-sm120.cubin", "folder/own.cubin");
    copy_file("data/inspect/own-sm90.ptxas", "folder/deeper/build.log");
    write_file("folder/notes.txt", "nothing\n");
    write_file("gate.toml", "[[limit]]\nmax_registers = 20\nmin_blocks = 2\n"
                            "[[allow]]\nkernel = \"spilling\"\nreason = \"known\"\n");
}

/* A trace that is compressed, and a cache of Triton. */
static void write_traces(void)
{
    if (mkdir("triton", 0700) != 0 || mkdir("triton/HASH", 0700) != 0 ||
        system("gzip -c data/trace/pytorch.json >pytorch.json.gz") != 0)
        exit(99);
    copy_file("data/inspect/own-sm90.cubin", "triton/HASH/spilling.cubin");
    write_file("triton/HASH/spilling.json", "{\"num_warps\": 8, \"shared\": 1024}");
    write_file("triton/HASH/missing.json", "{\"num_warps\": 4, \"shared\": 0, \"cc\": 80}");
}

static void leave_folder(void)
{
    char command[sizeof folder + 16];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (chdir("/") != 0 || system(command) != 0)
        fprintf(stderr, "allocation: %s is left\n", folder);
}

static void enter_folder(void)
{
    if (!mkdtemp(folder) || chdir(folder) != 0 ||
        symlink(SMC_SOURCE_DIR "/tests/data", "data") != 0)
        exit(99);
    setenv("LC_ALL", "C.UTF-8", 1);
    setenv("NO_COLOR", "1", 1);
    setenv("SMEMCALC_CACHE_DIR", "cache", 1);
    setenv("SMEMCALC_CEILINGS", "ceilings.json", 1);
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    write_file("keys.txt", "screen\nkey Down 3\nkey Right\nkey F2\nscreen\nkey F3\nscreen\n"
                           "key F4\nscreen\nkey F5\nwait\nscreen\nkey F6\nscreen\nkey F7\nscreen\n"
                           "key F2\nsize 120x40\nscreen\n");
    write_file("run.txt", "wait\nscreen\nkey F2\nkey r\nwait\n");
    write_file("structures.cu", "struct whole { int n; float *p; };\n__constant__ float scale;\n"
                                "__global__ void own(whole s, float **rows)\n{\n"
                                "    if (threadIdx.x < s.n)\n"
                                "        rows[0][threadIdx.x] = scale * s.p[threadIdx.x];\n}\n");
    write_file("own.cu", "__global__ void own(float *a)\n{\n    int i = blockIdx.x * blockDim.x + "
                         "threadIdx.x;\n    a[i] = 2 * a[i];\n}\n");
    copy_file("data/findings/stacks.cu", "stacks.cu");
    copy_file("data/findings/stacks.h", "stacks.h");
    write_accesses();
    write_log("many.ptxas", 30);
    write_log("parts.ptxas", 270);
    write_folder();
    write_traces();
}

/* --- All commands ------------------------------------------------------------------------------*/

static bool is_named(const struct command *command, int count, char **names)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], command->name) == 0)
            return true;
    return count == 0;
}

int main(int argc, char **argv)
{
    void *frames[MOST_FRAMES];
    backtrace(frames, MOST_FRAMES); /* loads its library while memory is available */
    int passed = 0, failed = 0, skipped = 0;
    struct tally sum = {0};
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    enter_folder();
    for (int i = 0; i < COMMANDS; i++) {
        struct tally tally = {0};
        if (!is_named(&commands[i], argc - 1, argv + 1))
            continue;
        if (!try_all(&commands[i], &tally)) {
            printf("skipped %s: no NVRTC was found\n", commands[i].name);
            skipped++;
            continue;
        }
        bool well = tally.outcome[WRONG] == 0;
        printf("%s %s: %ld allocations failed: %ld without harm, %ld with exit status 4, %ld "
               "wrongly\n",
               well ? "ok     " : "FAILED ", commands[i].name, tally.tried,
               tally.outcome[UNTOUCHED], tally.outcome[REFUSED], tally.outcome[WRONG]);
        fflush(stdout);
        passed += well;
        failed += !well;
        sum.tried += tally.tried;
        for (int k = 0; k < OUTCOMES; k++)
            sum.outcome[k] += tally.outcome[k];
    }
    leave_folder();
    printf("%zu places that allocate%s\n", known[ONCE].count,
           share_is_whole() ? ", by their whole call stacks"
                            : "; TEST_WHOLE=1 distinguishes them by their whole call stacks");
    printf("%ld allocations failed: %ld without harm, %ld with exit status 4, %ld wrongly\n",
           sum.tried, sum.outcome[UNTOUCHED], sum.outcome[REFUSED], sum.outcome[WRONG]);
    printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
    return failed || !passed;
}

#endif
