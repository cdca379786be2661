/* Typical commands as processes, and what they leave. */
#include "config.h"

#include "trial.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_WORDS = 32, LATE_SECONDS = 600, SEED = 28 };

const char *const fault_names[] = {
#define FAULT(id, name, number) [FAULT_##id] = name,
    FAULTS
#undef FAULT
};

const char trial_old[] = "the old report\n";

const struct trial_command trial_commands[] = {
    {.name = "query", .words = "--tile 32 --device 9.0 --format json", .starts_cold = true},
    {.name = "query-warm", .words = "--tile 32 --device 9.0 --explain"},
    {.name = "batch", .words = "batch", .input = "data/launches.csv", .streams = true},
    {.name = "inspect-cubin",
     .words = "inspect data/inspect/own-sm90.cubin --threads 256 --save out/saved.json",
     .output = "out/saved.json"},
    {.name = "inspect-log", .words = "inspect data/inspect/own-sm90.ptxas --threads 256"},
    {.name = "inspect-source",
     .words = "inspect own.cu --device 9.0 --threads 256 --format json",
     .starts_cold = true},
    {.name = "inspect-folder",
     .words = "inspect folder --threads 256 --format json",
     .leaves_out = true},
    {.name = "diff",
     .words = "diff data/inspect/own-sm90.cubin folder -d H200",
     .leaves_out = true},
    {.name = "merge",
     .words = "merge data/merge/node1.json data/merge/node2.json data/merge/node3.json",
     .leaves_out = true},
    {.name = "run",
     .words = "run --tile 8 --size 32 --on emulator --device 9.0 --format json",
     .starts_cold = true,
     .varies = "elapsed_ms"},
    {.name = "sweep",
     .words = "sweep --threads 64:512:64 --regs 32 --device H200 --plot out/sweep.svg",
     .output = "out/sweep.svg"},
    {.name = "trace-read",
     .words = "trace --read pytorch.json.gz --format json --output out/report.json",
     .output = "out/report.json"},
    {.name = "trace-copy",
     .words = "trace --read ncu.csv.gz --format json --output out/report.json",
     .output = "out/report.json"},
    {.name = "trace-emulator",
     .words = "trace --on emulator --format json --output out/report.json -- APP/shim/app good",
     .output = "out/report.json",
     .runs_program = true,
     .varies = "\"id\": "},
    {.name = "trace-app",
     .words =
         "trace --without-cupti --output out/report.txt -- APP/trace/app launch k,24,16 3 32 0 7",
     .output = "out/report.txt",
     .runs_program = true,
     .on_fake_gpu = true},
    {.name = "device-file", .words = "--threads 256 --device-file data/devices/several.json"},
    {.name = "best", .words = "best own.cu --device 9.0", .starts_cold = true},
    {.name = "explorer",
     .words = "tui --tile 16 --device H200 --script keys.txt",
     .shows_sources = true},
};
const size_t trial_command_count = sizeof trial_commands / sizeof *trial_commands;

static char folder[] = "/tmp/smemcalc-faults-XXXXXX";
static char smemcalc[PATH_MAX], libraries[PATH_MAX], sanitizer[PATH_MAX];
static struct fault_plan *plan;

static _Noreturn void give_up(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    exit(99);
}

double trial_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static unsigned long random_state;

unsigned long trial_seed(int argc, char **argv)
{
    random_state = SEED;
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], "--seed") == 0)
            random_state = strtoul(argv[i + 1], NULL, 10);
    printf("seed %lu\n", random_state);
    return random_state;
}

double trial_random(void)
{
    random_state = random_state * 6364136223846793005ul + 1442695040888963407ul;
    return (double)(random_state >> 11) * 0x1p-53;
}

/* --- The folder ------------------------------------------------------------------------------- */

static void write_file(const char *name, const char *text, mode_t mode)
{
    FILE *file = fopen(name, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0 || chmod(name, mode) != 0)
        give_up(name);
}

static void shell(const char *format, ...)
{
    char command[4 * PATH_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(command, sizeof command, format, args);
    va_end(args);
    if (system(command) != 0)
        give_up(command);
}

/* A compiler that answers with what nvcc once made of the same source. */
static const char nvcc[] =
    "#!/bin/sh\n"
    "case \" $* \" in *' --dryrun '*) echo '#$ cicc own.cu'; exit 0 ;; esac\n"
    "while [ $# -gt 0 ]; do [ \"$1\" = -o ] && out=$2; shift; done\n"
    "cat data/inspect/own-sm90.cubin >\"$out\" && cat data/inspect/own-sm90.ptxas >&2\n";

static void write_inputs(void)
{
    if (symlink(SMC_SOURCE_DIR "/tests/data", "data") != 0)
        give_up("data");
    shell("mkdir out tmp home bin lib folder folder/deeper && "
          "gzip -c data/trace/pytorch.json >pytorch.json.gz && "
          "gzip -c data/trace/ncu_raw.csv >ncu.csv.gz && "
          "cp data/inspect/own.cu own.cu && cp data/inspect/own-sm120.cubin folder/own.cubin && "
          "cp data/inspect/own-sm90.ptxas folder/deeper/build.log");
    /* LeakSanitizer knows the dynamic linker's memory by malloc's caller, which is the library
       here. glibc's setlocale does not free all where memory runs out. */
    shell("{ cat '" SMC_SOURCE_DIR "/tests/lsan.supp'; echo leak:ld-linux; echo leak:setlocale; } "
          ">leaks");
    write_file("bin/nvcc", nvcc, 0755);
    write_file("keys.txt",
               "screen\nkey Down 3\nkey Right\nkey F2\nscreen\nkey F3\nscreen\nkey F4\nscreen\n"
               "key F5\nwait\nscreen\nkey F6\nscreen\nkey F7\nscreen\n",
               0644);
}

static void set_environment(void)
{
    static const struct {
        const char *name, *below;
    } places[] = {{"SMEMCALC_CACHE_DIR", "cache"},
                  {"SMEMCALC_CEILINGS", "ceilings.json"},
                  {"TMPDIR", "tmp"},
                  {"HOME", "home"}};
    char value[PATH_MAX];
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(value, sizeof value, "%s/%s", folder, places[i].below);
        setenv(places[i].name, value, 1);
    }
    snprintf(value, sizeof value,
             "suppressions=%s/leaks:print_suppressions=0:intercept_tls_get_addr=0", folder);
    setenv("LSAN_OPTIONS", value, 1);
    snprintf(value, sizeof value, "%s/bin:/usr/bin:/bin", folder);
    setenv("PATH", value, 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    setenv("NO_COLOR", "1", 1);
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    setenv("SMEMCALC_PROGRAM", "smemcalc", 1);
    unsetenv("XDG_CACHE_HOME");
    unsetenv("SMEMCALC_NVRTC");
    unsetenv("MAKEFLAGS");
}

/* AddressSanitizer's library, which must be preloaded too. */
static void find_sanitizer(void)
{
    char command[PATH_MAX + 64];
    snprintf(command, sizeof command, "ldd '%s' | sed -n 's/.*=> \\(.*libasan[^ ]*\\).*/\\1/p'",
             smemcalc);
    FILE *lines = popen(command, "r");
    if (lines && fgets(sanitizer, sizeof sanitizer, lines))
        sanitizer[strcspn(sanitizer, "\n")] = '\0';
    if (lines)
        pclose(lines);
}

static void make_plan(void)
{
    int file = open("plan", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || ftruncate(file, sizeof *plan) != 0)
        give_up("plan");
    plan = mmap(NULL, sizeof *plan, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (plan == MAP_FAILED)
        give_up("plan");
}

void trial_begin(const char *program, const char *build)
{
    if (!realpath(program, smemcalc) || !realpath(build, libraries) || !mkdtemp(folder) ||
        chdir(folder) != 0)
        give_up(program);
    write_inputs();
    find_sanitizer();
    shell("ln -s '%s/tests/trace/.libs/libfake_cuda.so' lib/libcuda.so.1", libraries);
    set_environment();
    make_plan();
}

void trial_end(void)
{
    if (chdir("/") == 0)
        shell("rm -rf '%s'", folder);
}

struct fault_plan *trial_plan(void)
{
    return plan;
}

bool trial_can_run(const struct trial_command *command)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/.libs/%s", libraries,
             command->on_fake_gpu ? "libsmemcalc_trace.so" : "libsmemcalc_cuda.so");
    return !command->runs_program || access(path, R_OK) == 0;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *at)
{
    (void)status, (void)kind;
    return at->level > 0 ? remove(path) : 0;
}

/* What a run that was killed may leave. */
static void remove_temporary_files(const char *path)
{
    DIR *files = opendir(path);
    struct dirent *file;
    while (files && (file = readdir(files)))
        if (strncmp(file->d_name, "tmp-", 4) == 0)
            unlinkat(dirfd(files), file->d_name, 0);
    if (files)
        closedir(files);
}

static void empty_folder(const char *path)
{
    nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

void trial_prepare(const struct trial_command *command, bool old)
{
    empty_folder("out");
    empty_folder("tmp");
    unlink("ceilings.json");
    if (command->starts_cold)
        empty_folder("cache");
    else
        remove_temporary_files("cache");
    if (old && command->output)
        write_file(command->output, trial_old, 0644);
}

/* --- One run ---------------------------------------------------------------------------------- */

static void split(const char *words, char *copy, char **list)
{
    int count = 0;
    list[count++] = (char *)"smemcalc";
    strcpy(copy, words);
    for (char *word = strtok(copy, " "); word && count < MOST_WORDS; word = strtok(NULL, " ")) {
        if (strncmp(word, "APP/", 4) == 0) {
            char path[2 * PATH_MAX];
            snprintf(path, sizeof path, "%s/tests/%s", libraries, word + 4);
            word = strdup(path);
        }
        list[count++] = word;
    }
    list[count] = NULL;
}

static void preload(const struct trial_command *command)
{
    char value[2 * PATH_MAX + 64], path[PATH_MAX];
    snprintf(value, sizeof value, "%s/tests/faults/.libs/libfaulty.so%s%s", libraries,
             *sanitizer ? ":" : "", sanitizer);
    setenv("LD_PRELOAD", value, 1);
    /* Without frame pointers of other libraries their leaks are known by the whole stack only. In a
       program without AddressSanitizer, LeakSanitizer ends by a signal. */
    snprintf(value, sizeof value,
             "verify_asan_link_order=0:allocator_may_return_null=1:fast_unwind_on_malloc=0:"
             "detect_leaks=%d",
             !command->runs_program);
    setenv("ASAN_OPTIONS", value, 1);
    snprintf(path, sizeof path, "%s/plan", folder);
    setenv(FAULT_ENV_PLAN, path, 1);
    setenv(FAULT_ENV_PROGRAM, smemcalc, 1);
}

static _Noreturn void be_command(const struct trial_command *command, struct trial_start how,
                                 const struct trial_process *process)
{
    /* A shell may have ignored them, and so does nohup. */
    static const int restored[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM};
    char copy[2048], path[PATH_MAX];
    char *list[MOST_WORDS + 1];
    int in = open(command->input ? command->input : "/dev/null", O_RDONLY | O_CLOEXEC);
    if (in < 0 || dup2(in, 0) < 0 || dup2(process->out, 1) < 0 || dup2(process->err, 2) < 0)
        _exit(99);
    if (how.own_group)
        setpgid(0, 0);
    split(command->words, copy, list);
    if (command->on_fake_gpu) {
        snprintf(path, sizeof path, "%s/lib", folder);
        setenv("LD_LIBRARY_PATH", path, 1);
    }
    if (how.faulty)
        preload(command);
    for (size_t i = 0; i < sizeof restored / sizeof *restored; i++)
        signal(restored[i], SIG_DFL);
    alarm(LATE_SECONDS);
    if (how.limit)
        how.limit();
    execv(smemcalc, list);
    _exit(98);
}

struct trial_process trial_start(const struct trial_command *command, struct trial_start how)
{
    struct trial_process process = {.out = memfd_create("out", MFD_CLOEXEC),
                                    .err = memfd_create("err", MFD_CLOEXEC),
                                    .started = trial_now()};
    fflush(NULL);
    plan->open_at_end = plan->first_process = 0;
    process.child = fork();
    if (process.child == 0)
        be_command(command, how, &process);
    if (process.child < 0 || process.out < 0 || process.err < 0)
        give_up("fork");
    return process;
}

static struct trial_bytes read_back(int file)
{
    struct stat status;
    struct trial_bytes bytes = {0};
    if (fstat(file, &status) != 0 || !(bytes.text = malloc((size_t)status.st_size + 1)))
        give_up("output");
    bytes.count = (size_t)status.st_size;
    if (pread(file, bytes.text, bytes.count, 0) != (ssize_t)bytes.count)
        give_up("output");
    bytes.text[bytes.count] = '\0';
    close(file);
    return bytes;
}

static void drop_lines(struct trial_bytes *bytes, const char *with)
{
    for (char *found; with && bytes->text && (found = strstr(bytes->text, with));) {
        while (found > bytes->text && found[-1] != '\n')
            found--;
        size_t length = strcspn(found, "\n");
        length += found[length] == '\n';
        memmove(found, found + length, strlen(found + length) + 1);
        bytes->count -= length;
    }
}

static void add_stray(struct trial *trial, const char *where, const char *name)
{
    const size_t used = strlen(trial->strays);
    snprintf(trial->strays + used, sizeof trial->strays - used, " %s/%s", where, name);
}

/* The names in a folder, but for one that is expected; of the cache, its temporary files. */
static void look_for_strays(const char *where, const char *expected, const char *begin,
                            struct trial *trial)
{
    DIR *files = opendir(where);
    struct dirent *file;
    while (files && (file = readdir(files)))
        if (strcmp(file->d_name, ".") != 0 && strcmp(file->d_name, "..") != 0 &&
            strncmp(file->d_name, begin, strlen(begin)) == 0 &&
            (!expected || strcmp(file->d_name, expected) != 0))
            add_stray(trial, where, file->d_name);
    if (files)
        closedir(files);
}

void trial_finish(const struct trial_command *command, struct trial_process *process,
                  struct trial *trial)
{
    *trial = (struct trial){0};
    if (process->child > 0 && waitpid(process->child, &trial->status, 0) != process->child)
        give_up("wait");
    trial->seconds = trial_now() - process->started;
    trial->out = read_back(process->out);
    trial->err = read_back(process->err);
    trial->open_at_end = plan->open_at_end;
    if (command->output) {
        int file = open(command->output, O_RDONLY | O_CLOEXEC);
        if (file >= 0)
            trial->output = read_back(file);
    }
    drop_lines(&trial->out, command->varies);
    drop_lines(&trial->output, command->varies);
    look_for_strays("out", command->output ? strrchr(command->output, '/') + 1 : NULL, "", trial);
    look_for_strays("tmp", NULL, "", trial);
    look_for_strays("cache", NULL, "tmp-", trial);
}

void trial_run(const struct trial_command *command, struct trial_start how, struct trial *trial)
{
    struct trial_process process = trial_start(command, how);
    trial_finish(command, &process, trial);
}

void trial_free(struct trial *trial)
{
    free(trial->out.text);
    free(trial->err.text);
    free(trial->output.text);
}

/* --- Comparing -------------------------------------------------------------------------------- */

bool trial_equal(const struct trial_bytes *a, const struct trial_bytes *b)
{
    return !a->text == !b->text && a->count == b->count &&
           (!a->text || memcmp(a->text, b->text, a->count) == 0);
}

bool trial_same(const struct trial *usual, const struct trial *trial)
{
    return trial->status == usual->status && trial_equal(&trial->out, &usual->out) &&
           trial_equal(&trial->output, &usual->output);
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Lines that an undisturbed run does not print: notes and warnings, and others. False: a line
   without an end. */
static bool count_added(const struct trial *usual, const struct trial *trial, int *notes,
                        int *reasons)
{
    *notes = *reasons = 0;
    for (const char *line = trial->err.text; *line;) {
        const size_t length = strcspn(line, "\n");
        if (line[length] != '\n')
            return false;
        char *copy = strndup(line, length + 1);
        if (!copy)
            give_up("line");
        if (begins(copy, "smemcalc: warning: ") || begins(copy, "smemcalc: note: "))
            ++*notes;
        else if (!strstr(usual->err.text, copy))
            *reasons += begins(copy, "smemcalc: ") ? 1 : 100;
        free(copy);
        line += length + 1;
    }
    return true;
}

bool trial_adds_notes(const struct trial *usual, const struct trial *trial)
{
    int notes, reasons;
    return count_added(usual, trial, &notes, &reasons) && reasons == 0;
}

bool trial_adds_reason(const struct trial_command *command, const struct trial *usual,
                       const struct trial *trial)
{
    int notes, reasons;
    return count_added(usual, trial, &notes, &reasons) &&
           (command->leaves_out ? reasons >= 1 && reasons < 100 : reasons == 1);
}

bool trial_out_uncut(const struct trial_command *command, const struct trial *usual,
                     const struct trial *trial)
{
    const struct trial_bytes *out = &trial->out;
    if (out->count == 0 || trial_equal(out, &usual->out) || command->leaves_out)
        return true;
    return command->streams && out->count <= usual->out.count &&
           memcmp(out->text, usual->out.text, out->count) == 0 && out->text[out->count - 1] == '\n';
}

bool trial_output_uncut(const struct trial *usual, const struct trial *trial)
{
    return !trial->output.text || trial_equal(&trial->output, &usual->output) ||
           strcmp(trial->output.text, trial_old) == 0;
}

bool trial_reports_loss(const struct trial *usual, const struct trial *trial)
{
    static const char *const words[] = {"cannot be read", "lost",      "no process of the program",
                                        "no space",       "cannot be", "no execution"};
    bool says = false;
    for (size_t i = 0; i < sizeof words / sizeof *words && trial->output.text; i++)
        says = says ||
               (strstr(trial->output.text, words[i]) && !strstr(usual->output.text, words[i])) ||
               (strstr(trial->err.text, words[i]) && !strstr(usual->err.text, words[i]));
    return says && trial->status == usual->status && trial_equal(&trial->out, &usual->out) &&
           trial_ends(&trial->output);
}

bool trial_ends(const struct trial_bytes *bytes)
{
    return bytes->text && bytes->count > 0 && bytes->text[bytes->count - 1] == '\n';
}

const char *trial_ending(const struct trial *trial)
{
    static char words[64];
    if (WIFSIGNALED(trial->status))
        snprintf(words, sizeof words, "signal %d", WTERMSIG(trial->status));
    else
        snprintf(words, sizeof words, "exit status %d", WEXITSTATUS(trial->status));
    return words;
}
