/* The order of an examination, and the child processes in which drivers and libraries are tried:
   one that hangs or crashes is a row like any other. */
#include "config.h"

#include "hardware/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/platform.h"
#include "hardware/doctor/subjects.h"

const char *const smc_doctor_state_names[SMC_DOCTOR_COUNT] = {
    [SMC_DOCTOR_OK] = "ok",
    [SMC_DOCTOR_NOTE] = "note",
    [SMC_DOCTOR_BROKEN] = "broken",
};

static const struct {
    const char *name;
    smc_doctor_subject *examine;
    bool bounded;    /* runs other people's code: in a child process, with a time limit */
    bool of_version; /* also for a bug report */
} subjects[] = {
    {"system", smc_doctor_system, false, true},
    {"driver", smc_doctor_gpus, true, true},
    {"NVRTC", smc_doctor_nvrtc, true, true},
    {"nvcc", smc_doctor_compilers, true, false},
    {"sandbox", smc_doctor_sandbox, true, true},
    {"cache", smc_doctor_cache, false, false},
    {"ceilings", smc_doctor_ceilings, false, false},
    {"temporary files", smc_doctor_temporary, false, false},
    {"terminal", smc_doctor_terminal, false, false},
    {"locale", smc_doctor_locale, false, false},
    {"fonts", smc_doctor_fonts, true, false},
    {"libraries", smc_doctor_libraries, false, false},
};

/* --- Child processes -------------------------------------------------------------------------- */

enum { GRACE_MS = 500 };

/* In the child: nothing that a library prints or reads is this program's. */
static _Noreturn void examine_and_end(smc_doctor_subject *examine,
                                      const struct smc_doctor_request *request, int end)
{
    static struct smc_doctor doctor;
    int nowhere = open("/dev/null", O_RDWR);
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++)
        dup2(nowhere, descriptor);
    doctor.sink = end;
    examine(request, &doctor);
    smc_doctor_send_rows(&doctor);
    _exit(0);
}

/* Rows until the child closes its end. False after `timeout_ms`. */
static bool read_rows(int end, uint32_t timeout_ms, struct smc_doctor *doctor)
{
    const double until_ms = smc_clock_ms() + timeout_ms;
    struct smc_doctor_row row;
    size_t bytes = 0;
    for (;;) {
        double left_ms = until_ms - smc_clock_ms();
        struct pollfd ready = {.fd = end, .events = POLLIN};
        int count = left_ms > 0 ? poll(&ready, 1, (int)left_ms + 1) : 0;
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        ssize_t got = read(end, (char *)&row + bytes, sizeof row - bytes);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return true;
        bytes += (size_t)got;
        if (bytes == sizeof row && doctor->count < SMC_DOCTOR_ROWS)
            doctor->row[doctor->count++] = row;
        bytes %= sizeof row;
    }
}

/* A child that a driver holds in the kernel does not end: it is not waited for without limit. */
static bool has_ended(pid_t child, int timeout_ms, int *ending)
{
    const struct timespec pause = {.tv_nsec = 2000000};
    const double until_ms = smc_clock_ms() + timeout_ms;
    for (;;) {
        pid_t ended = waitpid(child, ending, WNOHANG);
        if (ended == child || (ended < 0 && errno != EINTR))
            return ended == child;
        if (smc_clock_ms() >= until_ms)
            return false;
        nanosleep(&pause, NULL);
    }
}

static void examine_in_child(const char *name, smc_doctor_subject *examine,
                             const struct smc_doctor_request *request, struct smc_doctor *doctor)
{
    int ends[2], ending = 0;
    if (smc_platform_pipe(ends) != 0) {
        smc_doctor_add(doctor, SMC_DOCTOR_BROKEN, name, "a pipe: %s", strerror(errno));
        return;
    }
    pid_t child = fork();
    if (child == 0)
        examine_and_end(examine, request, ends[1]);
    close(ends[1]);
    if (child < 0) {
        smc_doctor_add(doctor, SMC_DOCTOR_BROKEN, name, "a child process: %s", strerror(errno));
        close(ends[0]);
        return;
    }
    bool in_time = read_rows(ends[0], request->timeout_ms, doctor);
    if (!in_time) {
        smc_doctor_add(doctor, SMC_DOCTOR_BROKEN, name, "no answer within %u ms (--timeout)",
                       request->timeout_ms);
        kill(child, SIGTERM); /* a tool that it runs is ended then */
    }
    if (!has_ended(child, GRACE_MS, &ending)) {
        kill(child, SIGKILL);
        has_ended(child, GRACE_MS, &ending);
    } else if (in_time && WIFSIGNALED(ending))
        smc_doctor_add(doctor, SMC_DOCTOR_BROKEN, name, "crashed while it was tried: %s",
                       strsignal(WTERMSIG(ending)));
    close(ends[0]);
}

void smc_doctor_examine(const struct smc_doctor_request *request, bool only_versions,
                        struct smc_doctor *doctor)
{
    memset(doctor, 0, sizeof *doctor);
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        if (only_versions && !subjects[i].of_version)
            continue;
        if (subjects[i].bounded)
            examine_in_child(subjects[i].name, subjects[i].examine, request, doctor);
        else
            subjects[i].examine(request, doctor);
    }
}
