/* Measures the explorer's speed on a pseudo-terminal that is read at once: the time from a key
   press until the loop has drawn it and waits again, with and without compilers running at the same
   time, and the time from the start of ./smemcalc until its first frame is complete. Usage:
   tui_speed SITTING, in the build folder. */
#define _GNU_SOURCE
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/numbers.h"
#include "base/text.h"
#include "rules/devices.h"
#include "show/tui/keys.h"
#include "show/tui/tui.h"

enum { ROWS = 100, COLS = 300, MOST_KEYS = 10000, STARTS = 20, PATIENCE_MS = 10000 };

struct program {
    pid_t process;
    int screen; /* the terminal's other end */
    int frames; /* receives a struct shown for each frame */
};

struct shown { /* written by the loop when it begins to wait */
    size_t keys;
    double at_s, cpu_s;
};

struct times {
    double ms[MOST_KEYS];
    size_t count;
};

static uint32_t sitting[MOST_KEYS];
static size_t key_count;

static void give_up(const char *what)
{
    fprintf(stderr, "tui_speed: %s\n", what);
    exit(1);
}

static double read_clock_s(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double now_s(void)
{
    return read_clock_s(CLOCK_MONOTONIC);
}

/* --- The program's side: the loop on curses, seen through ------------------------------------- */

static struct shown shown;
static bool is_drawn;
static int frames_out;

static void next_seen(struct smc_event *event)
{
    smc_terminal_curses.next(event);
    shown.keys += event->kind == SMC_EVENT_KEY;
}

static void show_seen(const struct smc_frame *frame, bool everything)
{
    smc_terminal_curses.show(frame, everything);
    is_drawn = true;
}

/* The loop asks for the descriptor after a frame, when only waiting is left to do. */
static int descriptor_seen(void)
{
    if (is_drawn) {
        shown.at_s = now_s();
        shown.cpu_s = read_clock_s(CLOCK_PROCESS_CPUTIME_ID);
        is_drawn = write(frames_out, &shown, sizeof shown) < 0;
    }
    return smc_terminal_curses.descriptor();
}

static int explore(bool compiles)
{
    struct smc_terminal seen = smc_terminal_curses;
    struct smc_query query;
    struct smc_error error = {""};
    struct smc_text kept = {0};
    smc_query_init(&query);
    query.kernel = smc_kernel_find("matmul-tiled");
    smc_params_init(query.kernel, &query.params);
    query.compile.no_nvrtc = !compiles;
    query.compile.no_cache = true;
    seen.next = next_seen;
    seen.show = show_seen;
    seen.descriptor = descriptor_seen;
    enum smc_status status =
        smc_device_find("NVIDIA H200", &query.device, query.device_note, &error);
    if (status == SMC_OK)
        status = smc_tui_run(&(struct smc_tui_start){.query = &query}, &seen, NULL, &kept, &error);
    smc_text_free(&kept);
    return status == SMC_OK ? 0 : 1;
}

/* --- The user's side -------------------------------------------------------------------------- */

/* Returns 0 in the new process. */
static pid_t open_program(struct program *program)
{
    struct winsize size = {.ws_row = ROWS, .ws_col = COLS};
    int frames[2];
    if (pipe(frames) != 0)
        give_up(strerror(errno));
    program->frames = frames[0];
    program->process = forkpty(&program->screen, NULL, NULL, &size);
    if (program->process < 0)
        give_up(strerror(errno));
    if (program->process == 0) {
        close(frames[0]);
        frames_out = frames[1];
    } else {
        close(frames[1]);
    }
    return program->process;
}

static void close_program(const struct program *program)
{
    close(program->screen); /* its terminal is gone, so it ends */
    close(program->frames);
    waitpid(program->process, NULL, 0);
}

/* Reads from the screen until the loop has handled that many keys. */
static struct shown wait_for_keys(const struct program *program, size_t keys)
{
    struct pollfd waiting[] = {
        {.fd = program->screen, .events = POLLIN},
        {.fd = program->frames, .events = POLLIN},
    };
    struct shown last = {0};
    bool any = false;
    while (!any || last.keys < keys) {
        char bytes[65536];
        if (poll(waiting, 2, PATIENCE_MS) <= 0)
            give_up("the explorer does not answer");
        if (waiting[0].revents && read(program->screen, bytes, sizeof bytes) < 0)
            give_up("the explorer has ended");
        if (waiting[1].revents)
            any = read(program->frames, &last, sizeof last) == (ssize_t)sizeof last;
    }
    return last;
}

/* The sequences that xterm sends. */
static size_t bytes_of_key(uint32_t key, char bytes[8])
{
    static const struct {
        uint32_t key;
        const char *bytes;
    } sequences[] = {
        {SMC_KEY_UP, "\x1bOA"},
        {SMC_KEY_DOWN, "\x1bOB"},
        {SMC_KEY_RIGHT, "\x1bOC"},
        {SMC_KEY_LEFT, "\x1bOD"},
        {SMC_KEY_HOME, "\x1bOH"},
        {SMC_KEY_END, "\x1bOF"},
        {SMC_KEY_PAGE_UP, "\x1b[5~"},
        {SMC_KEY_PAGE_DOWN, "\x1b[6~"},
        {SMC_KEY_DELETE, "\x1b[3~"},
        {SMC_KEY_BACKSPACE, "\x7f"},
        {SMC_KEY_ENTER, "\r"},
        {SMC_KEY_BACK_TAB, "\x1b[Z"},
        {SMC_KEY_SHIFT_LEFT, "\x1b[1;2D"},
        {SMC_KEY_SHIFT_RIGHT, "\x1b[1;2C"},
        {SMC_KEY_F1, "\x1bOP"},
        {SMC_KEY_F2, "\x1bOQ"},
        {SMC_KEY_F3, "\x1bOR"},
        {SMC_KEY_F4, "\x1bOS"},
        {SMC_KEY_F5, "\x1b[15~"},
        {SMC_KEY_F6, "\x1b[17~"},
        {SMC_KEY_F7, "\x1b[18~"},
    };
    for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++)
        if (sequences[i].key == key)
            return (size_t)(stpcpy(bytes, sequences[i].bytes) - bytes);
    return smc_utf8_encode(key, bytes);
}

static void add(struct times *times, double ms)
{
    times->ms[times->count++] = ms;
}

static void tell(const char *what, struct times *times)
{
    size_t count = times->count;
    smc_numbers_sort(times->ms, count);
    printf("%-34s%6zu%9.2f%9.2f%9.2f ms\n", what, count, smc_numbers_median(times->ms, count),
           times->ms[count * 99 / 100], times->ms[count - 1]);
}

/* And the CPU time of the screen's process from frame to frame, which other programs that load the
   machine do not change: with frames for results that arrived between two keys, without the process
   beside it. */
static void time_keys(const char *what, bool compiles)
{
    static struct times keys, cpu;
    struct program program;
    keys.count = cpu.count = 0;
    if (open_program(&program) == 0)
        _exit(explore(compiles));
    struct shown before = wait_for_keys(&program, 0);
    for (size_t i = 0; i < key_count; i++) {
        char bytes[8];
        size_t length = bytes_of_key(sitting[i], bytes);
        double begin_s = now_s();
        if (write(program.screen, bytes, length) != (ssize_t)length)
            give_up("a key cannot be written");
        struct shown after = wait_for_keys(&program, i + 1);
        add(&keys, 1e3 * (after.at_s - begin_s));
        add(&cpu, 1e3 * (after.cpu_s - before.cpu_s));
        before = after;
    }
    close_program(&program);
    tell(what, &keys);
    tell("    CPU time for it", &cpu);
}

/* The first frame's output ends with the end of the bottom bar. */
static void wait_for_frame(const struct program *program)
{
    static char output[1 << 20];
    size_t length = 0;
    do {
        struct pollfd waiting = {.fd = program->screen, .events = POLLIN};
        ssize_t bytes = poll(&waiting, 1, PATIENCE_MS) > 0
                            ? read(program->screen, output + length, sizeof output - length)
                            : 0;
        if (bytes <= 0)
            give_up("no first frame of ./smemcalc");
        length += (size_t)bytes;
    } while (!memmem(output, length, "q quit", 6));
}

static void time_starts(void)
{
    static struct times times;
    for (int i = 0; i < STARTS; i++) {
        struct program program;
        double begin_s = now_s();
        if (open_program(&program) == 0) {
            execl("./smemcalc", "smemcalc", "tui", "--no-cache", (char *)NULL);
            _exit(127);
        }
        wait_for_frame(&program);
        add(&times, 1e3 * (now_s() - begin_s));
        close_program(&program);
    }
    tell("start to first frame", &times);
}

static void read_sitting(const char *path)
{
    static char text[1 << 16];
    struct smc_text out = {0};
    struct smc_script script = {.name = path, .text = text, .out = &out};
    struct smc_event event = {.kind = SMC_EVENT_NONE};
    struct smc_error error = {""};
    int rows, cols;
    FILE *file = fopen(path, "r");
    if (!file || fread(text, 1, sizeof text - 1, file) == 0)
        give_up("the sitting cannot be read");
    fclose(file);
    smc_terminal_script.open(&script, &rows, &cols, &error);
    while (event.kind != SMC_EVENT_END && key_count < MOST_KEYS) {
        smc_terminal_script.next(&event);
        if (event.kind == SMC_EVENT_KEY)
            sitting[key_count++] = event.key;
    }
    smc_terminal_script.close();
    if (script.status != SMC_OK)
        give_up(script.error.message);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        give_up("usage: tui_speed SITTING");
#ifndef HAVE_CURSES
    puts("tui_speed: this program was built without curses");
    return 0;
#endif
    read_sitting(argv[1]);
    setenv("TERM", "xterm-256color", 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    unsetenv("NO_COLOR");
    printf("%-34s%6s%9s%9s%9s\n", "explorer, 300x100", "", "median", "99 %", "worst");
    time_keys("key to frame, --no-nvrtc", false);
    time_keys("key to frame, NVRTC beside it", true);
    time_starts();
    return 0;
}
