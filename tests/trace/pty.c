/* Runs a program on a terminal of its own and types Ctrl-C there, as a person does:
     pty READY PROGRAM [ARGUMENT]...
   Ctrl-C is typed once the file READY is there. What the program writes to the terminal is copied
   to standard output; the exit status is the program's, 128 + N after signal N, and 77 where no
   terminal can be opened. Signals have their defaults in the program. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LONGEST_MS = 300000 };

/* A shell ignores some in what it runs in the background, nohup others. */
static void reset_signals(void)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
}

static void run(int side, char **command)
{
    setsid();
    if (ioctl(side, TIOCSCTTY, 0) != 0)
        _exit(126);
    for (int i = 0; i < 3; i++)
        dup2(side, i);
    reset_signals();
    execvp(command[0], command);
    _exit(127);
}

/* Until the program has left the terminal, or the time is over. */
static void converse(int terminal, const char *ready)
{
    int typed = 0;
    char text[4096];
    for (int waited = 0; waited < LONGEST_MS;) {
        struct pollfd input = {.fd = terminal, .events = POLLIN};
        if (!typed && access(ready, F_OK) == 0)
            typed = write(terminal, "\003", 1) == 1;
        if (poll(&input, 1, 10) <= 0) {
            waited += 10;
            continue;
        }
        const ssize_t got = read(terminal, text, sizeof text);
        if (got <= 0)
            return;
        fwrite(text, 1, (size_t)got, stdout);
    }
}

int main(int argc, char **argv)
{
    int status = 0;
    if (argc < 3)
        return 99;
    signal(SIGCHLD, SIG_DFL); /* ignored, the child's status would be lost */
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0)
        return 77;
    const char *name = ptsname(terminal);
    const int side = name ? open(name, O_RDWR | O_NOCTTY) : -1;
    if (side < 0)
        return 77;
    const pid_t child = fork();
    if (child == 0)
        run(side, argv + 2);
    close(side);
    converse(terminal, argv[1]);
    close(terminal); /* hangs up on a program that is still there */
    waitpid(child, &status, 0);
    fflush(stdout);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
