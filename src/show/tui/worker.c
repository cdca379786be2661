/* Jobs that take too long for a key press, and the process beside the screen that does them. Parent
   and child are one program, so structs are sent as they are: a pointer in them is to a constant of
   the program, or is set again by the receiver. */
#include "config.h"

#include "show/tui/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/signals.h"
#include "hardware/measured_ceilings.h"
#include "show/tui/restore.h"

/* --- Jobs --- */

void smc_job_init(struct smc_job *job, enum smc_job_kind kind, const struct smc_query *query)
{
    const char *folder = query->compile.kernel_dir;
    *job = (struct smc_job){.kind = kind, .query = *query};
    snprintf(job->kernel_dir, sizeof job->kernel_dir, "%s", folder ? folder : "");
}

/* In the worker's process, which ends when a source is edited: another size of the problem is
   predicted without compiling. */
static struct smc_builds builds = SMC_BUILDS_INIT;

/* Without an NVRTC there is no machine code, but there may be resources. The code of an
   architecture that cannot be read is not predicted, but another one's in its place. */
static enum smc_status compile_query(const struct smc_query *query, struct smc_text *log,
                                     struct smc_compiled *compiled, struct smc_text *warnings,
                                     struct smc_error *error)
{
    struct smc_compile_options options = query->compile;
    struct smc_resources others;
    uint16_t cc = query->device.sm.cc, code_cc = smc_time_code_cc(cc);
    bool is_own = cc == code_cc;
    options.log = log;
    enum smc_status status =
        smc_compile(&(struct smc_compile_request){query->kernel, &query->params, cc, &options},
                    &compiled->resources, is_own ? &compiled->binary : NULL, warnings, error);
    options.log = NULL;
    if (status == SMC_UNAVAILABLE && is_own) {
        *error = (struct smc_error){""};
        status =
            smc_compile(&(struct smc_compile_request){query->kernel, &query->params, cc, &options},
                        &compiled->resources, NULL, warnings, error);
    } else if (status == SMC_OK && !is_own) {
        smc_compile(&(struct smc_compile_request){query->kernel, &query->params, code_cc, &options},
                    &others, &compiled->binary, NULL, NULL);
    }
    return status;
}

static void worker_predict(struct smc_job_result *result, const struct smc_compiled *compiled,
                           struct smc_text *warnings)
{
    struct smc_answer answer = {0};
    struct smc_error why = {""};
    struct smc_query *query = &result->job.query;
    smc_known_ceilings(query, 1, warnings);
    if (smc_query_evaluate(query, &compiled->resources, &answer, warnings, &why) == SMC_OK)
        smc_query_find_time_of(&answer, &compiled->binary, &why);
    result->time = answer.time;
    if (result->time.basis == SMC_TIME_UNKNOWN && !result->time.reason[0])
        snprintf(result->time.reason, sizeof result->time.reason, "%.199s", why.message);
}

static void worker_compile(struct smc_job_result *result, struct smc_text *warnings)
{
    struct smc_query *query = &result->job.query;
    smc_auto_text log = {0};
    struct smc_compiled compiled = {0};
    result->status = query->kernel->complete(query->kernel, &query->params, &result->error);
    if (result->status == SMC_OK)
        result->status = compile_query(query, &log, &compiled, warnings, &result->error);
    if (result->status == SMC_OK)
        result->resources = compiled.resources;
    if (result->status == SMC_OK && !result->job.of_chart)
        worker_predict(result, &compiled, warnings);
    smc_binary_free(&compiled.binary);
    snprintf(result->log, sizeof result->log, "%s", smc_text_string(&log));
}

static void find_gpus(struct smc_job_result *result)
{
    const struct smc_executor *executor = smc_executor_default();
    int count = executor->device_count(&result->error);
    for (int i = 0; i < count && i < SMC_MOST_GPUS; i++)
        if (executor->device(i, &result->gpu[result->gpu_count], &result->error) == SMC_OK)
            result->gpu_count++;
    result->status = result->gpu_count ? SMC_OK : SMC_UNAVAILABLE;
}

/* A launch on a GPU is predicted for that GPU, whatever device the screen shows. */
static void worker_run(struct smc_job_result *result, struct smc_text *warnings)
{
    const struct smc_run_settings *settings = &result->job.settings;
    struct smc_query *query = &result->job.query;
    const struct smc_executor *executor = smc_place_executor(settings->place);
    if (settings->place == SMC_ON_GPU) {
        result->status = executor->device(settings->gpu_index, &query->device, &result->error);
        query->device_assumed = false;
        query->device_note[0] = '\0';
    }
    smc_known_ceilings(query, 1, warnings);
    if (result->status == SMC_OK && result->job.open.kernel[0])
        smc_open_run(result, &builds, warnings);
    else if (result->status == SMC_OK)
        result->status = smc_confirm_launch(query, settings, result->run, &result->run_count,
                                            warnings, &result->error);
}

static void worker_predict_own(struct smc_job_result *result, struct smc_text *warnings)
{
    smc_known_ceilings(&result->job.query, 1, warnings);
    smc_open_predict(result, &builds, warnings);
}

static void worker_read(struct smc_job_result *result)
{
    smc_auto_text notes = {0};
    result->status = smc_open_read(&result->job.open, &result->job.query, &result->kernels,
                                   &result->kernel_count, &notes, &result->error);
    snprintf(result->log, sizeof result->log, "%s", smc_text_string(&notes));
}

static void worker_find_accesses(struct smc_job_result *result)
{
    result->accesses = smc_malloc(sizeof *result->accesses);
    if (result->accesses)
        smc_open_find_accesses(&result->job.open, &result->job.query, result->accesses);
}

/* Does the job in this process, as the worker's process does. An emulation keeps `progress` up to
   date; or NULL. */
static void do_job(const struct smc_job *job, struct smc_emulation_progress *progress,
                   struct smc_job_result *result)
{
    smc_auto_text warnings = {0};
    *result = (struct smc_job_result){.job = *job};
    struct smc_compile_options *compiling = &result->job.query.compile;
    result->job.settings.progress = progress;
    compiling->kernel_dir = result->job.kernel_dir[0] ? result->job.kernel_dir : NULL;
    compiling->builds = &builds;
    switch (job->kind) {
    case SMC_JOB_COMPILE:
        if (job->open.kernel[0])
            worker_predict_own(result, &warnings);
        else
            worker_compile(result, &warnings);
        break;
    case SMC_JOB_READ:
        worker_read(result);
        break;
    case SMC_JOB_ACCESSES:
        worker_find_accesses(result);
        break;
    case SMC_JOB_GPUS:
        find_gpus(result);
        break;
    case SMC_JOB_RUN:
        worker_run(result, &warnings);
        smc_builds_free(&builds); /* the process goes on after an edit */
        break;
    case SMC_JOB_NONE:
        break;
    }
}

/* --- The worker --- */

/* Keys have priority where cores are few, and a busy machine does not starve it. */
enum { COMPILER_NICENESS = 4 };

static bool send_all(int to, const void *data, size_t bytes)
{
    for (const char *at = data; bytes > 0;) {
        ssize_t sent = send(to, at, bytes, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        at += sent;
        bytes -= (size_t)sent;
    }
    return true;
}

static bool receive_all(int from, void *data, size_t bytes)
{
    for (char *at = data; bytes > 0;) {
        ssize_t received = recv(from, at, bytes, 0);
        if (received < 0 && errno == EINTR)
            continue;
        if (received <= 0)
            return false;
        at += received;
        bytes -= (size_t)received;
    }
    return true;
}

/* What is sent of a result: far less of a prediction, which follows each key, than of a launch. */
static size_t worker_bytes_of(enum smc_job_kind kind)
{
    return kind == SMC_JOB_RUN ? sizeof(struct smc_job_result)
                               : offsetof(struct smc_job_result, run_count);
}

/* What a result owns follows it: only a reading has kernels, whose number it says. */
static bool send_owned(int to, const struct smc_job_result *result)
{
    bool sent = send_all(to, result->kernels, result->kernel_count * sizeof *result->kernels);
    return sent && (!result->accesses || send_all(to, result->accesses, sizeof *result->accesses));
}

static bool receive_one(int from, void **out, size_t bytes)
{
    *out = smc_malloc(bytes);
    return *out && receive_all(from, *out, bytes);
}

/* The pointers of the result are the other process's. */
static bool receive_owned(int from, struct smc_job_result *result)
{
    const size_t kernels = result->kernel_count;
    const bool has_accesses = result->accesses;
    void *owned = NULL;
    result->kernels = NULL;
    result->accesses = NULL;
    result->kernel_count = 0;
    bool ok = kernels == 0 || receive_one(from, &owned, kernels * sizeof *result->kernels);
    result->kernels = owned;
    result->kernel_count = ok ? kernels : 0;
    owned = NULL;
    ok = ok && (!has_accesses || receive_one(from, &owned, sizeof *result->accesses));
    result->accesses = owned;
    return ok;
}

void smc_job_result_free(struct smc_job_result *result)
{
    free(result->kernels);
    free(result->accesses);
    result->kernels = NULL;
    result->accesses = NULL;
    result->kernel_count = 0;
}

/* The terminal belongs to the other process: a library must neither print to it nor read its
   keys. */
static void leave_terminal(void)
{
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
        dup2(nothing, i);
    static const int signals[] = {SIGTERM, SIGHUP, SIGTSTP, SIGWINCH};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], SIG_DFL);
    signal(SIGINT, SIG_IGN); /* may go to the whole group; the screen decides */
    smc_restore_done();
}

static void worker_serve(int socket, pid_t screen, const sigset_t *mask,
                         struct smc_emulation_progress *progress)
{
    struct smc_job job;
    struct smc_job_result *result = smc_malloc(sizeof *result);
    leave_terminal();
    smc_signals_unblock(mask);
    smc_platform_end_with_parent();
    bool alone = getppid() != screen; /* it ended before that took effect */
    while (result && !alone && receive_all(socket, &job, sizeof job)) {
        if (job.kind != SMC_JOB_RUN && job.kind != SMC_JOB_GPUS)
            setpriority(PRIO_PROCESS, 0, COMPILER_NICENESS);
        do_job(&job, progress, result);
        if (smc_memory_failed())
            _exit(SMC_MACHINE); /* the result may lack parts */
        if (!send_all(socket, result, worker_bytes_of(job.kind)) || !send_owned(socket, result))
            break;
        smc_job_result_free(result);
    }
    _exit(result ? SMC_OK : SMC_MACHINE);
}

/* Each process has its own, so that one that is still ending does not write the next one's. */
static struct smc_emulation_progress *share_progress(void)
{
    void *page = mmap(NULL, sizeof(struct smc_emulation_progress), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return page == MAP_FAILED ? NULL : page; /* then only the time is shown */
}

static void unshare_progress(struct smc_emulation_progress *progress)
{
    if (progress)
        munmap(progress, sizeof *progress);
}

static enum smc_status worker_start(struct smc_tui_worker *worker, struct smc_error *error)
{
    int ends[2];
    struct smc_emulation_progress *progress = share_progress();
    if (smc_platform_socket_pair(ends) != 0) {
        unshare_progress(progress);
        return smc_fail(error, SMC_MACHINE, "no worker process could be started: %s",
                        strerror(errno));
    }
    sigset_t mask;
    smc_signals_block(&mask); /* the screen's handlers are not the worker's */
    pid_t screen = getpid(), process = fork();
    if (process == 0) {
        close(ends[0]);
        worker_serve(ends[1], screen, &mask, progress);
    }
    smc_signals_unblock(&mask);
    close(ends[1]);
    if (process < 0) {
        close(ends[0]);
        unshare_progress(progress);
        return smc_fail(error, SMC_MACHINE, "no worker process could be started: %s",
                        strerror(errno));
    }
    worker->progress = progress;
    worker->process = process;
    worker->socket = ends[0];
    return SMC_OK;
}

/* While it is idle, so that the last job's counts are not shown for the next. */
static void reset_progress(struct smc_tui_worker *worker)
{
    if (worker->progress) {
        atomic_store(&worker->progress->blocks, 0);
        atomic_store(&worker->progress->done, 0);
    }
}

enum smc_status smc_worker_give(struct smc_tui_worker *worker, const struct smc_job *job,
                                struct smc_error *error)
{
    reset_progress(worker);
    if (worker->process && !send_all(worker->socket, job, sizeof *job))
        smc_worker_stop(worker); /* it died while idle */
    if (!worker->process) {
        SMC_TRY(worker_start(worker, error));
        if (!send_all(worker->socket, job, sizeof *job)) {
            smc_worker_stop(worker);
            return smc_fail(error, SMC_MACHINE, "the worker process has ended");
        }
    }
    worker->job = *job;
    worker->busy = true;
    clock_gettime(CLOCK_MONOTONIC, &worker->given);
    return SMC_OK;
}

void smc_worker_progress(const struct smc_tui_worker *worker, uint64_t *done, uint64_t *blocks)
{
    *blocks = worker->busy && worker->progress ? atomic_load(&worker->progress->blocks) : 0;
    uint64_t seen = *blocks ? atomic_load(&worker->progress->done) : 0;
    *done = seen < *blocks ? seen : *blocks;
}

long smc_worker_busy_ms(const struct smc_tui_worker *worker)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec - worker->given.tv_sec) * 1000 +
           (now.tv_nsec - worker->given.tv_nsec) / 1000000;
}

static void wait_for_dying(struct smc_tui_worker *worker, int how)
{
    pid_t ended = 0;
    while (worker->dying && (ended = waitpid(worker->dying, NULL, how)) < 0 && errno == EINTR) {
    }
    if (ended != 0)
        worker->dying = 0;
}

static void worker_report_end(struct smc_tui_worker *worker, struct smc_job_result *result)
{
    static const char *const names[] = {
        [SMC_JOB_COMPILE] = "the compiler",
        [SMC_JOB_GPUS] = "the launch",
        [SMC_JOB_RUN] = "the launch",
        [SMC_JOB_READ] = "reading the file",
        [SMC_JOB_ACCESSES] = "following its accesses",
    };
    const char *what = names[worker->job.kind];
    int how = 0;
    *result = (struct smc_job_result){.job = worker->job};
    smc_fail(&result->error, SMC_MACHINE, "%s ended without an answer", what);
    result->status = SMC_MACHINE;
    if (waitpid(worker->process, &how, 0) == worker->process) {
        worker->process = 0;
        result->out_of_memory = WIFEXITED(how) && WEXITSTATUS(how) == SMC_MACHINE;
        if (result->out_of_memory)
            smc_out_of_memory(&result->error);
        if (WIFSIGNALED(how))
            smc_fail(&result->error, SMC_MACHINE, "%s was ended by signal %d (%s)", what,
                     WTERMSIG(how), strsignal(WTERMSIG(how)));
    }
}

bool smc_worker_take(struct smc_tui_worker *worker, struct smc_job_result *result)
{
    bool expected = worker->busy;
    result->run_count = result->kernel_count = 0;
    result->kernels = NULL;
    result->accesses = NULL;
    if (!receive_all(worker->socket, result, worker_bytes_of(worker->job.kind)) ||
        !receive_owned(worker->socket, result)) {
        smc_job_result_free(result);
        worker_report_end(worker, result);
        smc_worker_stop(worker);
    } else if (result->status == SMC_MACHINE) {
        smc_worker_stop(worker); /* a kernel may still be running, or have broken the context */
    }
    worker->busy = false;
    return expected;
}

/* SIGTERM waits while a file of the cache is written. False: the process is stopped or hangs, or
   takes long to end. */
static bool ends_by_itself(pid_t process)
{
    enum { LONGEST_MS = 50 };
    const struct timespec step = {.tv_nsec = 1000000};
    kill(process, SIGTERM);
    for (int ms = 0; ms < LONGEST_MS; ms++) {
        if (waitpid(process, NULL, WNOHANG) == process)
            return true;
        nanosleep(&step, NULL);
    }
    return false;
}

/* At most one process is dying at a time: an earlier one is waited for. */
void smc_worker_stop(struct smc_tui_worker *worker)
{
    pid_t process = worker->process;
    if (process) {
        wait_for_dying(worker, 0);
        if (ends_by_itself(process))
            process = 0;
        else
            kill(process, SIGKILL);
    }
    if (worker->socket >= 0)
        close(worker->socket);
    unshare_progress(worker->progress);
    pid_t dying = process ? process : worker->dying;
    *worker = (struct smc_tui_worker)SMC_WORKER_INIT;
    worker->dying = dying;
}

bool smc_worker_bury(struct smc_tui_worker *worker)
{
    wait_for_dying(worker, WNOHANG);
    return worker->dying == 0;
}

void smc_worker_close(struct smc_tui_worker *worker)
{
    smc_worker_stop(worker);
    wait_for_dying(worker, 0);
}
