/* Typical commands on a hostile machine: signals, a full disk, a HOME that is missing or read-only,
   limits of address space, descriptors and file size, many processes on one cache. Nothing is cut
   with exit status 0, output files are whole, old or absent, no process and no temporary file
   stays, and the cache keeps its answers right.

   A share: every command gets each signal once, at another call of another kind, and a third of the
   commands meet each of some limits. With TEST_WHOLE=1 each kind of call, every limit, and 500
   signals at random moments, the same ones each time; `hostile --seed N` has others. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "share.h"
#include "trial.h"

enum { MOST_COMMANDS = 64, MOST_SHOWN = 40, PROCESSES = 50 };
enum { LATE_SECONDS = 600, RANDOM_SIGNALS = 500, LEAST_KINDS = 5 };

static struct trial usual[MOST_COMMANDS];
static int passed, failed, skipped;
static long wrong, shown;

static void count(const char *what, long tried)
{
    printf("%s %s: %ld tried, %ld wrong\n", wrong ? "FAILED " : "ok     ", what, tried, wrong);
    fflush(stdout);
    wrong ? failed++ : passed++;
    wrong = 0;
}

static void skip(const char *what, const char *why)
{
    printf("skipped %s: %s\n", what, why);
    skipped++;
}

static void blame(const struct trial_command *command, const char *what, const char *why,
                  const struct trial *trial)
{
    wrong++;
    if (++shown > MOST_SHOWN)
        return;
    printf("        %s: %s: %s: %s; %zu bytes on standard output%s%s\n%.600s", command->name, what,
           why, trial_ending(trial), trial->out.count, *trial->strays ? ";" : "", trial->strays,
           trial->err.text);
    fflush(stdout);
}

/* A share of a limit has each third command: other ones for the next limit. */
static bool is_meant(size_t i, size_t limit)
{
    return usual[i].out.text && share_has(i + limit, 3);
}

static void run_usual(void)
{
    for (size_t i = 0; i < trial_command_count; i++) {
        const struct trial_command *command = &trial_commands[i];
        if (!trial_can_run(command))
            continue;
        trial_prepare(command, false);
        trial_run(command, (struct trial_start){0}, &usual[i]);
    }
}

static void check_next(size_t i, const char *what)
{
    struct trial next;
    trial_run(&trial_commands[i], (struct trial_start){0}, &next);
    if (!trial_same(&usual[i], &next) || !trial_equal(&usual[i].err, &next.err))
        blame(&trial_commands[i], what, "the next run is disturbed", &next);
    trial_free(&next);
}

/* --- Signals ---------------------------------------------------------------------------------- */

static void pause_for(double seconds)
{
    struct timespec left = {.tv_sec = (time_t)seconds,
                            .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        continue;
}

/* This process inherits those that lost their parent. Waits for their end. */
static bool are_children_gone(double seconds)
{
    const double end = trial_now() + seconds;
    for (;;) {
        const pid_t ended = waitpid(-1, NULL, WNOHANG);
        if (ended < 0 && errno == ECHILD)
            return true;
        if (ended == 0) {
            if (trial_now() > end)
                return false;
            pause_for(0.005);
        }
    }
}

/* The report of a program that was disturbed is another one. */
static bool is_uncut(size_t i, const struct trial *trial)
{
    return trial_output_uncut(&usual[i], trial) ||
           (trial_commands[i].runs_program && trial_ends(&trial->output));
}

static const char *complain_of_signal(size_t i, int number, const struct trial *trial)
{
    const struct trial_command *command = &trial_commands[i];
    const bool by_signal = (WIFSIGNALED(trial->status) && WTERMSIG(trial->status) == number) ||
                           (WIFEXITED(trial->status) && WEXITSTATUS(trial->status) == 128 + number);
    if (!is_uncut(i, trial) && !(trial->output.text && !trial->output.count))
        return "the output file is cut";
    if (number != SIGKILL && *trial->strays)
        return "files are left";
    if (trial_same(&usual[i], trial) || by_signal)
        return NULL;
    if (command->runs_program && trial_reports_loss(&usual[i], trial))
        return NULL;
    return WIFEXITED(trial->status) && WEXITSTATUS(trial->status) == 0
               ? "another output with exit status 0"
               : "neither the signal's exit status nor an undisturbed run";
}

/* Starts the command and waits for the moment, or until it ends; then sends the signal to it alone:
   a terminal would reach its children, too. */
struct moment {
    enum fault call; /* the kind; FAULT_COUNT: after `seconds` */
    long number;
    double seconds;
};

static bool has_ended(pid_t child)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0;
}

static void send_one(size_t i, int number, const struct moment *moment, bool old)
{
    const struct trial_command *command = &trial_commands[i];
    const bool at_call = moment->call != FAULT_COUNT;
    struct fault_plan *plan = trial_plan();
    struct trial trial;
    char what[64];
    trial_prepare(command, old);
    *plan =
        (struct fault_plan){.fault = (int)moment->call, .first = moment->number, .pauses = true};
    struct trial_process process =
        trial_start(command, (struct trial_start){.own_group = true, .faulty = at_call});
    pause_for(moment->seconds);
    while (at_call && !atomic_load(&plan->paused) && !has_ended(process.child))
        pause_for(0.0005);
    kill(process.child, number);
    atomic_store(&plan->resumed, true);
    trial_finish(command, &process, &trial);
    if (at_call)
        snprintf(what, sizeof what, "signal %d at %s %ld", number, fault_names[moment->call],
                 moment->number);
    else
        snprintf(what, sizeof what, "signal %d after %.1f ms", number, moment->seconds * 1e3);
    const char *why = complain_of_signal(i, number, &trial);
    if (!why && !are_children_gone(LATE_SECONDS))
        why = "processes are left";
    if (why)
        blame(command, what, why, &trial);
    trial_free(&trial);
    if (command->starts_cold)
        check_next(i, what);
}

static const int signals[] = {SIGINT, SIGTERM, SIGKILL};

/* How many calls of each kind the command's own process makes. */
static void count_calls(size_t i, long calls[FAULT_COUNT])
{
    struct fault_plan *plan = trial_plan();
    struct trial trial;
    trial_prepare(&trial_commands[i], false);
    *plan = (struct fault_plan){.fault = FAULT_COUNT, .pauses = true};
    trial_run(&trial_commands[i], (struct trial_start){.faulty = true}, &trial);
    trial_free(&trial);
    for (int k = 0; k < FAULT_COUNT; k++)
        calls[k] = plan->calls[k];
}

/* Each signal at the first, the middle or the last call of a kind: of another one in the next
   command, and for the next signal. */
static long send_at_calls(size_t i)
{
    enum { PLACES = 3 };
    long calls[FAULT_COUNT], sent = 0;
    size_t kind = 0;
    count_calls(i, calls);
    for (int call = 0; call < FAULT_COUNT; call++) {
        const long places[PLACES] = {1, (calls[call] + 1) / 2, calls[call]};
        if (calls[call] == 0)
            continue;
        for (size_t s = 0; s < sizeof signals / sizeof *signals; s++)
            for (size_t place = 0; place < PLACES; place++) {
                const struct moment moment = {(enum fault)call, places[place], 0};
                if (!share_takes((i + s) % LEAST_KINDS == kind && (i + 2 * s) % PLACES == place))
                    continue;
                send_one(i, signals[s], &moment, sent % 2 == 1);
                sent++;
            }
        kind++;
    }
    return sent;
}

static long send_at_random(void)
{
    long sent = 0;
    for (; sent < RANDOM_SIGNALS; sent++) {
        const size_t i = (size_t)sent % trial_command_count;
        const struct moment moment = {FAULT_COUNT, 0, trial_random() * usual[i].seconds * 1.1};
        if (usual[i].out.text)
            send_one(i, signals[(size_t)(trial_random() * 3)], &moment, trial_random() < 0.5);
    }
    return sent;
}

static void send_signals(int argc, char **argv)
{
    long sent = 0;
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) {
        skip("signals", "orphans cannot be inherited here");
        return;
    }
    for (size_t i = 0; i < trial_command_count; i++)
        if (usual[i].out.text)
            sent += send_at_calls(i);
    count("signals at calls", sent);
    if (!share_is_whole())
        return;
    trial_seed(argc, argv);
    count("signals at random moments", send_at_random());
}

/* --- Limits ----------------------------------------------------------------------------------- */

static struct {
    int which;
    rlim_t limit;
} wanted;

static void set_limit(void)
{
    const struct rlimit limit = {wanted.limit, wanted.limit};
    setrlimit((__rlimit_resource_t)wanted.which, &limit);
}

/* Whole, or refused in one line. The dynamic linker speaks for itself where libraries cannot be
   loaded: status 127. */
static void check_refusal(size_t i, const char *what, const struct trial *trial)
{
    const struct trial_command *command = &trial_commands[i];
    const char *why = NULL;
    const int status = WIFEXITED(trial->status) ? WEXITSTATUS(trial->status) : -1;
    if (!is_uncut(i, trial))
        why = "the output file is cut";
    else if (*trial->strays)
        why = "files are left";
    else if (command->runs_program && trial_reports_loss(&usual[i], trial))
        why = NULL;
    else if (trial->status == usual[i].status && trial_adds_notes(&usual[i], trial) &&
             (command->shows_sources || !trial_equal(&trial->err, &usual[i].err)))
        why = NULL; /* another source, which is named */
    else if (trial_same(&usual[i], trial))
        why = trial_adds_notes(&usual[i], trial) ? NULL : "a failure without its status";
    else if (status == 127 && trial->out.count == 0)
        why = NULL;
    else if (command->runs_program && status >= 0)
        why = NULL; /* the program has the same limit, and its own exit status */
    else if (status < 1 || status > 4)
        why = status < 0    ? "ended by a signal"
              : status == 0 ? "another output with exit status 0"
                            : "an exit status that does not exist";
    else if (!trial_out_uncut(command, &usual[i], trial))
        why = "cut standard output";
    else if (!trial_adds_reason(command, &usual[i], trial))
        why = "not exactly one line that says why";
    if (why)
        blame(command, what, why, trial);
}

static void try_limit(const char *name, int which, rlim_t limit, long *tried)
{
    static size_t turn;
    char what[64];
    snprintf(what, sizeof what, "%s %llu", name, (unsigned long long)limit);
    wanted.which = which;
    wanted.limit = limit;
    turn++;
    for (size_t i = 0; i < trial_command_count; i++) {
        struct trial trial;
        if (!is_meant(i, turn))
            continue;
        trial_prepare(&trial_commands[i], false);
        trial_run(&trial_commands[i], (struct trial_start){.limit = set_limit}, &trial);
        check_refusal(i, what, &trial);
        trial_free(&trial);
        if (trial_commands[i].starts_cold)
            check_next(i, what);
        ++*tried;
    }
}

static void try_limits(void)
{
    static const rlim_t spaces[] = {40, 60, 80, 120, 160, 240, 320, 480, 640, 1000};
    static const rlim_t files[] = {3, 4, 5, 6, 7, 8, 9, 10, 12, 16};
    static const rlim_t sizes[] = {300, 1000, 4096, 10000, 100000}; /* a message has space */
    long tried = 0;
    struct trial version;
    const struct trial_command alone = {.name = "version", .words = "--version"};
    wanted.which = RLIMIT_AS;
    wanted.limit = (rlim_t)1000 << 20;
    trial_run(&alone, (struct trial_start){.limit = set_limit}, &version);
    const bool fits = WIFEXITED(version.status) && WEXITSTATUS(version.status) == 0;
    trial_free(&version);
    for (size_t i = 0; fits && i < sizeof spaces / sizeof *spaces; i++)
        if (share_has(i, 4))
            try_limit("MiB of address space", RLIMIT_AS, spaces[i] << 20, &tried);
    if (fits)
        count("limits of the address space", tried);
    else
        skip("limits of the address space", "this build does not run in 1000 MiB");
    tried = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (share_has(i, 4))
            try_limit("descriptors", RLIMIT_NOFILE, files[i], &tried);
    count("limits of open files", tried);
    tried = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (share_has(i, 3))
            try_limit("bytes a file", RLIMIT_FSIZE, sizes[i], &tried);
    count("limits of the size of files", tried);
}

/* --- Disks and HOME --------------------------------------------------------------------------- */

static bool can_mount(void)
{
    return geteuid() == 0 && unshare(CLONE_NEWNS) == 0 &&
           mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

/* All that is written to `out`, `tmp` and `cache` meets a disk with so many bytes free. */
static void try_full_disk(unsigned long bytes, size_t turn, long *tried)
{
    static const char *const places[] = {"out", "tmp", "cache"};
    char what[64], size[64];
    for (size_t i = 0; i < trial_command_count; i++) {
        const struct trial_command *command = &trial_commands[i];
        struct trial trial;
        if (!is_meant(i, turn))
            continue;
        trial_prepare(command, false);
        if (mkdir("cache", 0700) != 0 && errno != EEXIST)
            exit(99);
        snprintf(size, sizeof size, "size=%lu,mode=700", bytes);
        for (size_t k = 0; k < sizeof places / sizeof *places; k++)
            if (mount("small", places[k], "tmpfs", 0, size) != 0)
                exit(99);
        trial_run(command, (struct trial_start){0}, &trial);
        snprintf(what, sizeof what, "a disk of %lu bytes", bytes);
        check_refusal(i, what, &trial);
        trial_free(&trial);
        for (size_t k = 0; k < sizeof places / sizeof *places; k++)
            umount2(places[k], MNT_DETACH);
        ++*tried;
    }
}

/* The answer is the usual one, with a warning at most; nothing can be kept. */
static void try_home(const char *what, const char *home, long *tried)
{
    static size_t turn;
    char cache[1100], usual_home[1100], usual_cache[1100];
    snprintf(usual_home, sizeof usual_home, "%s", getenv("HOME"));
    snprintf(usual_cache, sizeof usual_cache, "%s", getenv("SMEMCALC_CACHE_DIR"));
    snprintf(cache, sizeof cache, "%s", getenv("SMEMCALC_CEILINGS"));
    unsetenv("SMEMCALC_CACHE_DIR");
    unsetenv("SMEMCALC_CEILINGS");
    if (home)
        setenv("HOME", home, 1);
    else
        unsetenv("HOME");
    turn++;
    for (size_t i = 0; i < trial_command_count; i++) {
        struct trial trial;
        if (!is_meant(i, turn))
            continue;
        trial_prepare(&trial_commands[i], false);
        trial_run(&trial_commands[i], (struct trial_start){0}, &trial);
        if (!trial_same(&usual[i], &trial) || !trial_adds_notes(&usual[i], &trial))
            blame(&trial_commands[i], what, "not the usual answer", &trial);
        trial_free(&trial);
        ++*tried;
    }
    setenv("HOME", usual_home, 1);
    setenv("SMEMCALC_CACHE_DIR", usual_cache, 1);
    setenv("SMEMCALC_CEILINGS", cache, 1);
}

static void try_disks(void)
{
    static const unsigned long sizes[] = {4096, 8192, 16384, 65536};
    long tried = 0;
    char home[1100], missing[1200];
    snprintf(home, sizeof home, "%s", getenv("HOME"));
    snprintf(missing, sizeof missing, "%s/no/such/folder", home); /* root makes it */
    try_home("no HOME", NULL, &tried);
    try_home("a HOME that is missing", missing, &tried);
    try_home("a HOME that is no folder", "/dev/null", &tried);
    count("a missing HOME", tried);
    if (!can_mount()) {
        skip("a full disk, a read-only HOME", "file systems cannot be mounted here");
        return;
    }
    tried = 0;
    if (mount(home, home, NULL, MS_BIND, NULL) != 0 ||
        mount(NULL, home, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL) != 0) {
        skip("a read-only HOME", strerror(errno));
    } else {
        try_home("a read-only HOME", home, &tried);
        count("a read-only HOME", tried);
        umount2(home, MNT_DETACH);
    }
    tried = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (share_has(i, 2))
            try_full_disk(sizes[i], i / 2, &tried);
    count("a full disk", tried);
}

/* --- Many at once ----------------------------------------------------------------------------- */

static void crowd(void)
{
    static struct trial_process process[PROCESSES];
    long tried = 0;
    for (size_t i = 0; i < trial_command_count; i++) {
        const struct trial_command *command = &trial_commands[i];
        if (!usual[i].out.text || !command->starts_cold || command->output ||
            !share_takes(strcmp(command->name, "inspect-source") == 0))
            continue;
        trial_prepare(command, false);
        for (int k = 0; k < PROCESSES; k++)
            process[k] = trial_start(command, (struct trial_start){0});
        for (int k = 0; k < PROCESSES; k++) {
            struct trial trial;
            int status;
            const pid_t child = process[k].child;
            while (waitpid(child, &status, 0) < 0 && errno == EINTR)
                continue;
            process[k].child = 0;
            trial_finish(command, &process[k], &trial);
            trial.status = status;
            trial.strays[0] = '\0'; /* those of the others */
            if (!trial_same(&usual[i], &trial) || !trial_equal(&usual[i].err, &trial.err))
                blame(command, "one of 50", "not the usual answer", &trial);
            trial_free(&trial);
            tried++;
        }
        check_next(i, "after 50");
    }
    count("50 processes on one cache", tried);
}

int main(int argc, char **argv)
{
    trial_begin("./smemcalc", ".");
    run_usual();
    run_usual(); /* its durations with libraries that were read before */
    send_signals(argc, argv);
    crowd();
    try_limits();
    try_disks();
    trial_end();
    share_print("pairs of a command and a signal or limit");
    printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
    return failed > 0;
}
