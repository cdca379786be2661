/* A child process for each GPU writes what it finds into memory that it shares with this process.
   The end of its pipe is the end of the child. This process never calls CUDA, so that a driver that
   hangs cannot hold it up. */
#include "config.h"

#include "hardware/host_health.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/platform.h"
#include "hardware/measured_ceilings.h"

/* A check stops itself a little before the time limit, so that it can still report what it found.
 */
enum { MOST_GPUS = 128, STOP_EARLIER_MS = 300 };

/* Shared with the child processes. */
struct board {
    int gpu_count; /* of the machine; below 0: not known yet */
    struct smc_error why;
    struct {
        bool done;
        struct smc_health health;
    } gpu[MOST_GPUS];
};

struct process {
    pid_t id;
    int end; /* of its pipe: readable when it has ended; below 0: no process */
};

struct host_health_run {
    const struct smc_host_check *check;
    struct board *board;
    struct process process[MOST_GPUS];
    double start_ms, deadline_ms;
};

/* --- In a child process ----------------------------------------------------------------------- */

static void host_health_find_ceilings(int gpu_index, struct smc_ceilings *ceilings,
                                      struct smc_text *warnings)
{
    struct smc_device device;
    struct smc_error error = {""};
    *ceilings = (struct smc_ceilings){0};
    if (smc_executor_default()->device(gpu_index, &device, &error) == SMC_OK)
        smc_known_device_ceilings(&device, ceilings, warnings);
}

static void check_gpu(const struct host_health_run *run, int gpu_index, int told)
{
    struct board *board = run->board;
    struct smc_health *health = &board->gpu[gpu_index].health;
    struct smc_text warnings = {0};
    struct smc_error error = {""};
    struct smc_health_request request = {.gpu_index = gpu_index, .compile = run->check->compile};
    if (board->gpu_count < 0) {
        board->gpu_count = smc_executor_default()->device_count(&board->why);
        if (write(told, "n", 1) != 1) /* the others can start */
            _exit(SMC_MACHINE);
    }
    if (board->gpu_count > 0) {
        double left_ms = run->deadline_ms - smc_clock_ms() - STOP_EARLIER_MS;
        request.timeout_ms = left_ms > 1 ? (uint32_t)left_ms : 1;
        host_health_find_ceilings(gpu_index, &request.ceilings, &warnings);
        smc_health_check(&request, health, &warnings, &error);
    }
    board->gpu[gpu_index].done = true;
    _exit(SMC_OK);
}

/* --- Starting and waiting --------------------------------------------------------------------- */

static void host_health_note_failure(struct smc_health *health, enum smc_status status,
                                     const char *error)
{
    health->status = status;
    snprintf(health->error, sizeof health->error, "%s", error);
    smc_health_judge(health);
}

static void host_health_start(struct host_health_run *run, int gpu_index)
{
    char error[200];
    int ends[2] = {-1, -1};
    struct process *process = &run->process[gpu_index];
    pid_t parent = getpid();
    pid_t id = smc_platform_pipe(ends) == 0 ? fork() : -1;
    if (id == 0) {
        close(ends[0]);
        smc_platform_end_with_parent(); /* which Slurm ends if it takes too long */
        if (getppid() != parent)
            _exit(SMC_MACHINE);
        check_gpu(run, gpu_index, ends[1]);
    }
    if (id < 0) {
        snprintf(error, sizeof error, "its process could not be started: %s", strerror(errno));
        host_health_note_failure(&run->board->gpu[gpu_index].health, SMC_MACHINE, error);
        if (ends[0] >= 0)
            close(ends[0]);
    }
    if (ends[1] >= 0)
        close(ends[1]);
    *process = (struct process){.id = id, .end = id < 0 ? -1 : ends[0]};
}

/* Notes how a child ended. One that is late is killed, but not waited for: a driver may hold it. */
static void host_health_finish(struct host_health_run *run, int gpu_index, bool is_late)
{
    char error[300];
    struct process *process = &run->process[gpu_index];
    struct smc_health *health = &run->board->gpu[gpu_index].health;
    int status = 0;
    if (is_late)
        kill(process->id, SIGKILL);
    bool is_gone = waitpid(process->id, &status, is_late ? WNOHANG : 0) == process->id;
    close(process->end);
    process->end = -1;
    if (run->board->gpu[gpu_index].done)
        return;
    bool has_begun = health->current < SMC_HEALTH_TESTS;
    const char *in = has_begun ? "in the test " : "while CUDA starts";
    const char *test = has_begun ? smc_health_test_info[health->current].name : "";
    if (is_late)
        snprintf(error, sizeof error, "not finished after %u ms (--timeout), %s%s",
                 run->check->timeout_ms, in, test);
    else if (is_gone && WIFSIGNALED(status))
        snprintf(error, sizeof error, "its process was ended by signal %d (%s), %s%s",
                 WTERMSIG(status), strsignal(WTERMSIG(status)), in, test);
    else
        snprintf(error, sizeof error, "its process ended early, %s%s", in, test);
    health->elapsed_s = (smc_clock_ms() - run->start_ms) / 1e3;
    host_health_note_failure(health, SMC_MACHINE, error);
}

/* Waits for the first `count` children until each has ended; with `for_number` only until the first
   one has counted the GPUs. */
static void host_health_wait_for(struct host_health_run *run, int count, bool for_number)
{
    struct pollfd ends[MOST_GPUS];
    for (;;) {
        int open = 0;
        for (int i = 0; i < count; i++) {
            ends[i] = (struct pollfd){.fd = run->process[i].end, .events = POLLIN};
            open += run->process[i].end >= 0;
        }
        if (open == 0)
            return;
        double left_ms = run->deadline_ms - smc_clock_ms();
        int ready = poll(ends, (nfds_t)count, left_ms > 0 ? (int)left_ms + 1 : 0);
        bool is_late = ready <= 0 && smc_clock_ms() >= run->deadline_ms;
        for (int i = 0; i < count; i++) {
            char told;
            bool is_ready = ready > 0 && ends[i].fd >= 0 && ends[i].revents;
            if (is_ready && read(ends[i].fd, &told, 1) == 1) {
                if (for_number)
                    return;
            } else if (is_ready || (is_late && ends[i].fd >= 0)) {
                host_health_finish(run, i, is_late);
            }
        }
    }
}

/* --- The host --------------------------------------------------------------------------------- */

static void host_health_describe(struct smc_host_health *out)
{
    time_t now = time(NULL);
    struct tm utc;
    smc_machine_host_name(out->host_name);
    smc_machine_node_name(out->node);
    out->rank = smc_machine_rank();
    if (!gmtime_r(&now, &utc) ||
        strftime(out->time, sizeof out->time, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0)
        out->time[0] = 0;
}

static struct board *create_board(void)
{
    struct board *board =
        mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (board == MAP_FAILED)
        return NULL;
    board->gpu_count = -1;
    for (int i = 0; i < MOST_GPUS; i++)
        smc_health_begin(i, &board->gpu[i].health);
    return board;
}

/* Starts a child for each GPU and waits for all. The first one also counts the GPUs, since it is
   the start of CUDA that takes longest. Returns how many GPUs were checked. */
static int run_processes(struct host_health_run *run)
{
    int first = run->check->gpu_index == SMC_ALL_GPUS ? 0 : run->check->gpu_index;
    int last = first;
    for (int i = 0; i < MOST_GPUS; i++)
        run->process[i].end = -1;
    host_health_start(run, first);
    if (run->check->gpu_index == SMC_ALL_GPUS) {
        host_health_wait_for(run, 1, true);
        int count = run->board->gpu_count < MOST_GPUS ? run->board->gpu_count : MOST_GPUS;
        for (last = 0; last + 1 < count; last++)
            host_health_start(run, last + 1);
    }
    host_health_wait_for(run, last + 1, false);
    return last + 1 - first;
}

/* A GPU that differs is worse than one that could not be checked. */
static enum smc_status host_health_judge(struct smc_host_health *out)
{
    out->verdict = SMC_HEALTHY;
    for (size_t i = 0; i < out->count; i++) {
        enum smc_health_verdict verdict = out->gpu[i].verdict;
        if (verdict == SMC_HEALTH_DIFFERS ||
            (verdict == SMC_HEALTH_FAILED && out->verdict == SMC_HEALTHY))
            out->verdict = verdict;
    }
    return out->verdict == SMC_HEALTHY          ? SMC_OK
           : out->verdict == SMC_HEALTH_DIFFERS ? SMC_SHORTFALL
                                                : SMC_MACHINE;
}

static enum smc_status fail_host(struct smc_host_health *out, enum smc_status status,
                                 const char *message, struct smc_error *error)
{
    out->verdict = SMC_HEALTH_FAILED;
    out->count = 0;
    snprintf(out->error, sizeof out->error, "%.399s", message);
    return smc_fail(error, status, "%s", message);
}

static enum smc_status host_health_conclude(const struct host_health_run *run, int count,
                                            struct smc_host_health *out, struct smc_error *error)
{
    const struct board *board = run->board;
    int first = run->check->gpu_index == SMC_ALL_GPUS ? 0 : run->check->gpu_index;
    const struct smc_health *only = &board->gpu[first].health;
    if (board->gpu_count == 0)
        return fail_host(out, SMC_UNAVAILABLE, board->why.message, error);
    if (board->gpu_count < 0)
        return fail_host(out, SMC_MACHINE, only->error, error);
    if (first >= board->gpu_count)
        return fail_host(out, SMC_UNAVAILABLE, only->error, error);
    out->gpu = smc_calloc((size_t)count, sizeof *out->gpu);
    if (!out->gpu)
        return smc_out_of_memory(error);
    out->count = (size_t)count;
    for (int i = 0; i < count; i++)
        out->gpu[i] = board->gpu[first + i].health;
    return host_health_judge(out);
}

enum smc_status smc_host_health_check(const struct smc_host_check *check,
                                      struct smc_host_health *out, struct smc_error *error)
{
    struct host_health_run run = {.check = check, .start_ms = smc_clock_ms()};
    run.deadline_ms = run.start_ms + check->timeout_ms;
    *out = (struct smc_host_health){0};
    host_health_describe(out);
    if (check->gpu_index >= MOST_GPUS) {
        char why[80];
        snprintf(why, sizeof why, "there is no GPU %d: the highest number is %d", check->gpu_index,
                 MOST_GPUS - 1);
        return fail_host(out, SMC_UNAVAILABLE, why, error);
    }
    run.board = create_board();
    if (!run.board)
        return smc_out_of_memory(error);
    int count = run_processes(&run);
    enum smc_status status = host_health_conclude(&run, count, out, error);
    munmap(run.board, sizeof *run.board);
    out->elapsed_s = (smc_clock_ms() - run.start_ms) / 1e3;
    return status;
}

void smc_host_health_free(struct smc_host_health *health)
{
    free(health->gpu);
    health->gpu = NULL;
    health->count = 0;
}
