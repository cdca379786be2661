/* Measures the explorer's speed on a pseudo-terminal that is read at once: the time from a key
   press until the loop has drawn it and waits again, with and without compilers running at the same
   time, and the time from the start of ./smemcalc until its first frame is complete. In the build
   folder:

     tui_speed SITTING                                  the keys of a script
     tui_speed random SEED KEYS COLUMNSxROWS [FILE]     random ones, the slowest listed; on the
                                                        kernels of FILE if there is one

   Random keys include all but those that launch, save or edit. What leaves the explorer starts it
   again. */
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
#include "base/parse.h"
#include "base/text.h"
#include "rules/devices.h"
#include "show/tui/keys.h"
#include "show/tui/tui.h"

enum {
    MOST_KEYS = 20000,
    MOST_SITTING_BYTES = 1 << 18,
    STARTS = 20,
    PATIENCE_MS = 10000,
    MOST_SLOW = 10,
    HEADING_CHARS = 48,
};

/* No key should take longer until it is drawn. */
static const double LONGEST_MS = 16;

struct program {
    pid_t process;
    int screen; /* the terminal's other end */
    int frames; /* receives a struct shown for each frame */
};

struct shown { /* written by the loop when it begins to wait */
    size_t keys;
    double at_s, cpu_s;
    char heading[HEADING_CHARS]; /* of the screen, which names the view */
};

struct times {
    double ms[MOST_KEYS];
    size_t count;
};

struct slow_key {
    uint32_t key;
    size_t index;
    double ms, cpu_ms;
    char before[HEADING_CHARS], after[HEADING_CHARS];
};

static uint32_t sitting[MOST_KEYS];
static size_t key_count;
static int rows = 100, cols = 300;
static const char *opened; /* a file, or NULL */

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
    for (int i = 0; i + 1 < HEADING_CHARS; i++)
        shown.heading[i] = i < frame->cols ? smc_glyph_ascii(frame->cell[i].glyph) : '\0';
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
    struct smc_open_question file = {.threads_per_block = SMC_NOT_GIVEN,
                                     .grid_blocks = SMC_NOT_GIVEN,
                                     .dynamic_smem_bytes = SMC_NOT_GIVEN};
    snprintf(file.file, sizeof file.file, "%s", opened ? opened : "");
    const struct smc_tui_start start = {.query = &query, .file = opened ? &file : NULL};
    enum smc_status status =
        smc_device_find("NVIDIA H200", &query.device, query.device_note, &error);
    if (status == SMC_OK)
        status = smc_tui_run(&start, &seen, NULL, &kept, &error);
    smc_text_free(&kept);
    return status == SMC_OK ? 0 : 1;
}

/* --- The user's side -------------------------------------------------------------------------- */

/* Returns 0 in the new process. */
static pid_t open_program(struct program *program)
{
    struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};
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

/* Reads from the screen until the loop has handled that many keys. False: it has ended. */
static bool wait_for_keys(const struct program *program, size_t keys, struct shown *last)
{
    struct pollfd waiting[] = {
        {.fd = program->screen, .events = POLLIN},
        {.fd = program->frames, .events = POLLIN},
    };
    bool any = false;
    while (!any || last->keys < keys) {
        char bytes[65536];
        if (poll(waiting, 2, PATIENCE_MS) <= 0)
            give_up("the explorer does not answer");
        if (waiting[0].revents && read(program->screen, bytes, sizeof bytes) < 0)
            return false;
        if (waiting[1].revents & POLLIN)
            any = read(program->frames, last, sizeof *last) == (ssize_t)sizeof *last;
    }
    return true;
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
        {SMC_KEY_F8, "\x1b[19~"},
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

/* The slowest ones, in order. */
static struct slow_key slowest[MOST_SLOW];

static void note_slow(const struct slow_key *key)
{
    for (int at = MOST_SLOW - 1; at >= 0 && slowest[at].ms < key->ms; at--) {
        if (at < MOST_SLOW - 1)
            slowest[at + 1] = slowest[at];
        slowest[at] = *key;
    }
}

static void tell_slowest(const struct times *times)
{
    size_t over = 0;
    for (size_t i = 0; i < times->count; i++)
        over += times->ms[i] > LONGEST_MS;
    printf("    over %.0f ms: %zu; the slowest, wall and CPU time:\n", LONGEST_MS, over);
    for (int i = 0; i < MOST_SLOW && slowest[i].ms > 0; i++) {
        char name[16];
        smc_key_name(slowest[i].key, name);
        printf("    %8.2f %8.2f ms, key %zu, %s, at '%.40s', then '%.40s'\n", slowest[i].ms,
               slowest[i].cpu_ms, slowest[i].index, name, slowest[i].before, slowest[i].after);
    }
}

static struct shown start_program(struct program *program, bool compiles)
{
    struct shown first = {0};
    if (open_program(program) == 0)
        _exit(explore(compiles));
    if (!wait_for_keys(program, 0, &first))
        give_up("the explorer has ended");
    return first;
}

/* And the CPU time of the screen's process from frame to frame, which other programs that load the
   machine do not change: with frames for results that arrived between two keys, without the process
   beside it. */
static void time_keys(const char *what, bool compiles)
{
    static struct times keys, cpu;
    struct program program;
    keys.count = cpu.count = 0;
    memset(slowest, 0, sizeof slowest);
    struct shown before = start_program(&program, compiles);
    for (size_t i = 0; i < key_count; i++) {
        char bytes[8];
        size_t length = bytes_of_key(sitting[i], bytes);
        double begin_s = now_s();
        struct shown after = before;
        if (write(program.screen, bytes, length) != (ssize_t)length)
            give_up("a key cannot be written");
        if (!wait_for_keys(&program, before.keys + 1, &after)) {
            close_program(&program);
            before = start_program(&program, compiles);
            continue;
        }
        struct slow_key key = {.key = sitting[i],
                               .index = i,
                               .ms = 1e3 * (after.at_s - begin_s),
                               .cpu_ms = 1e3 * (after.cpu_s - before.cpu_s)};
        memcpy(key.before, before.heading, HEADING_CHARS);
        memcpy(key.after, after.heading, HEADING_CHARS);
        note_slow(&key);
        add(&keys, key.ms);
        add(&cpu, key.cpu_ms);
        before = after;
    }
    close_program(&program);
    tell(what, &keys);
    tell("    CPU time for it", &cpu);
    tell_slowest(&keys);
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
    static char text[MOST_SITTING_BYTES];
    struct smc_text out = {0};
    struct smc_script script = {.name = path, .text = text, .out = &out};
    struct smc_event event = {.kind = SMC_EVENT_NONE};
    struct smc_error error = {""};
    int first_rows, first_cols;
    FILE *file = fopen(path, "r");
    if (!file || fread(text, 1, sizeof text - 1, file) == 0)
        give_up("the sitting cannot be read");
    fclose(file);
    smc_terminal_script.open(&script, &first_rows, &first_cols, &error);
    while (event.kind != SMC_EVENT_END && key_count < MOST_KEYS) {
        smc_terminal_script.next(&event);
        if (event.kind == SMC_EVENT_KEY)
            sitting[key_count++] = event.key;
        if (event.kind == SMC_EVENT_RESIZE) {
            rows = event.rows;
            cols = event.cols;
        }
    }
    smc_terminal_script.close();
    if (script.status != SMC_OK)
        give_up(script.error.message);
}

/* Half of them move and choose, a tenth changes the view, the others are any character. */
static uint32_t random_key(uint64_t *state)
{
    static const uint32_t moves[] = {
        SMC_KEY_UP,         SMC_KEY_DOWN,        SMC_KEY_LEFT,      SMC_KEY_RIGHT,   SMC_KEY_UP,
        SMC_KEY_DOWN,       SMC_KEY_LEFT,        SMC_KEY_RIGHT,     SMC_KEY_PAGE_UP, SMC_KEY_HOME,
        SMC_KEY_SHIFT_LEFT, SMC_KEY_SHIFT_RIGHT, SMC_KEY_PAGE_DOWN, SMC_KEY_END,     SMC_KEY_ENTER,
        SMC_KEY_ESCAPE,     SMC_KEY_TAB,         SMC_KEY_BACK_TAB};
    static const char left_out[] = "ers";
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    const uint32_t chance = (uint32_t)(*state >> 33) % 10, choice = (uint32_t)(*state >> 40);
    if (chance < 5)
        return moves[choice % (sizeof moves / sizeof *moves)];
    if (chance == 5)
        return (uint32_t)SMC_KEY_F1 + choice % 8;
    const uint32_t character = ' ' + choice % ('~' - ' ' + 2);
    return character > '~'                    ? SMC_KEY_CONTROL('p')
           : strchr(left_out, (int)character) ? '0' + choice % 10
                                              : character;
}

static void make_sitting(char **arguments)
{
    int64_t size[2], seed = 0, keys = 0;
    if (!smc_parse_integer(arguments[0], 0, INT32_MAX, &seed) ||
        !smc_parse_integer(arguments[1], 1, MOST_KEYS, &keys) ||
        smc_parse_dimensions(arguments[2], 1000, size, 2) != 2)
        give_up("usage: tui_speed random SEED KEYS COLUMNSxROWS [FILE]");
    uint64_t state = (uint64_t)seed;
    cols = (int)size[0];
    rows = (int)size[1];
    opened = arguments[3];
    while (key_count < (size_t)keys)
        sitting[key_count++] = random_key(&state);
}

int main(int argc, char **argv)
{
    const bool is_random = (argc == 5 || argc == 6) && strcmp(argv[1], "random") == 0;
    char title[48];
    if (argc != 2 && !is_random)
        give_up("usage: tui_speed SITTING | random SEED KEYS COLUMNSxROWS [FILE]");
#ifndef HAVE_CURSES
    puts("tui_speed: this program was built without curses");
    return 0;
#endif
    if (is_random)
        make_sitting(argv + 2);
    else
        read_sitting(argv[1]);
    setenv("TERM", "xterm-256color", 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    unsetenv("NO_COLOR");
    setenv("VISUAL", "true", 1);
    snprintf(title, sizeof title, "explorer, %dx%d", cols, rows);
    printf("%-34s%6s%9s%9s%9s\n", title, "", "median", "99 %", "worst");
    time_keys("key to frame, --no-nvrtc", false);
    time_keys("key to frame, NVRTC beside it", true);
    if (!is_random)
        time_starts();
    return 0;
}
