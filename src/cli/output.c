/* Standard output and standard error: what the terminal can show, and printing that is checked. */
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/program.h"

enum { NARROWEST = 80, WIDEST = 120 };

static bool is_open(int descriptor)
{
    return fcntl(descriptor, F_GETFD) != -1;
}

enum smc_status smc_output_open(struct smc_error *error)
{
    if (!is_open(STDOUT_FILENO))
        return smc_fail(error, SMC_MACHINE, "standard output: it is closed");
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor += 2)
        if (!is_open(descriptor) && open("/dev/null", O_RDWR) != descriptor)
            return smc_fail(error, SMC_MACHINE, "/dev/null: %s", strerror(errno));
    return SMC_OK;
}

static enum smc_status write_all(const struct smc_text *text, struct smc_error *error)
{
    errno = 0;
    bool written = fwrite(smc_text_string(text), 1, text->length, stdout) == text->length;
    written = fflush(stdout) == 0 && written;
    int reason = errno;
    if (fclose(stdout) != 0 && written) {
        written = false;
        reason = errno;
    }
    return written ? SMC_OK : smc_fail(error, SMC_MACHINE, "standard output: %s", strerror(reason));
}

static FILE *held; /* parts of a report that is not yet known to be whole */

enum smc_status smc_output_hold(struct smc_text *text, struct smc_error *error)
{
    errno = 0;
    if (!held && !(held = tmpfile()))
        return smc_fail(error, smc_memory_status(errno, SMC_MACHINE), "temporary file: %s",
                        strerror(errno));
    if (fwrite(smc_text_string(text), 1, text->length, held) != text->length)
        return smc_fail(error, SMC_MACHINE, "temporary file: %s", strerror(errno));
    text->length = 0;
    return SMC_OK;
}

static enum smc_status write_held(struct smc_error *error)
{
    char bytes[65536];
    size_t count;
    if (!held)
        return SMC_OK;
    errno = 0;
    if (fflush(held) != 0 || fseek(held, 0, SEEK_SET) != 0)
        return smc_fail(error, SMC_MACHINE, "temporary file: %s", strerror(errno));
    while ((count = fread(bytes, 1, sizeof bytes, held)) > 0)
        if (fwrite(bytes, 1, count, stdout) != count)
            return smc_fail(error, SMC_MACHINE, "standard output: %s", strerror(errno));
    return ferror(held) ? smc_fail(error, SMC_MACHINE, "temporary file: %s", strerror(errno))
                        : SMC_OK;
}

enum smc_status smc_output_flush(struct smc_text *text, struct smc_error *error)
{
    errno = 0;
    if (fwrite(smc_text_string(text), 1, text->length, stdout) != text->length)
        return smc_fail(error, SMC_MACHINE, "standard output: %s", strerror(errno));
    text->length = 0;
    return SMC_OK;
}

/* The commands that a message names begin as this program was called. */
static void tell_line(const char *kind, const char *line)
{
    struct smc_text text = {0};
    smc_program_append(&text, line);
    fprintf(stderr, "smemcalc: %s%s\n", kind, text.failed ? line : smc_text_string(&text));
    smc_text_free(&text);
}

static void tell(const char *kind, const char *text)
{
    while (*text) {
        char line[1024];
        size_t length = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        smc_text_make_safe(line);
        if (*line)
            tell_line(kind, line);
        text += length + (text[length] == '\n');
    }
}

void smc_output_tell(const char *kind, const char *text)
{
    if (!smc_memory_failed())
        tell(kind, text);
}

enum smc_status smc_output_end(const struct smc_text *report, enum smc_status status,
                               struct smc_error *error)
{
    struct smc_error reason;
    bool out_of_memory = report->failed || smc_memory_failed();
    if (out_of_memory && (status != SMC_MACHINE || !error->message[0]))
        status = smc_out_of_memory(error);
    if (!out_of_memory && (write_held(&reason) != SMC_OK || write_all(report, &reason) != SMC_OK)) {
        status = SMC_MACHINE;
        *error = reason;
    }
    if (held)
        fclose(held);
    held = NULL;
    tell("", error->message);
    return status;
}

static unsigned terminal_columns(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < NARROWEST)
        return NARROWEST;
    return size.ws_col > WIDEST ? WIDEST : size.ws_col;
}

static bool wants_colour(void)
{
    const char *no_colour = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    if (no_colour && *no_colour)
        return false;
    return terminal && *terminal && strcmp(terminal, "dumb") != 0;
}

bool smc_output_locale(void)
{
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    if (setlocale(LC_CTYPE, ""))
        return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    const char *name = NULL;
    for (size_t i = 0; i < sizeof variables / sizeof *variables && !(name && *name); i++)
        name = getenv(variables[i]);
    const char *dot = name ? strchr(name, '.') : NULL;
    return dot && (strncasecmp(dot, ".UTF-8", 6) == 0 || strncasecmp(dot, ".utf8", 5) == 0);
}

void smc_output_style(struct smc_report_style *style)
{
    bool terminal = isatty(STDOUT_FILENO);
    *style = (struct smc_report_style){
        .columns = terminal ? terminal_columns() : NARROWEST,
        .utf8 = smc_output_locale(),
        .colour = terminal && wants_colour(),
    };
}
