/* Standard input, output and error: input in pieces, checked output, and what a terminal can show.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "show/cli/ask.h"
#include "show/cli/output.h"

enum { NARROWEST = 80, WIDEST = 120 };

static bool is_open(int descriptor)
{
    return fcntl(descriptor, F_GETFD) != -1;
}

/* With a handler a write beyond the limit fails with EFBIG; programs that are started from here
   still end by the signal. */
static void ignore_size_limit(int number)
{
    (void)number;
}

enum smc_status smc_output_open(struct smc_error *error)
{
    struct sigaction action = {.sa_handler = ignore_size_limit};
    sigemptyset(&action.sa_mask);
    sigaction(SIGXFSZ, &action, NULL);
    if (!is_open(STDOUT_FILENO))
        return smc_fail(error, SMC_MACHINE, "standard output: it is closed");
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor += 2)
        if (!is_open(descriptor) && open("/dev/null", O_RDWR) != descriptor)
            return smc_fail(error, SMC_MACHINE, "/dev/null: %s", strerror(errno));
    return SMC_OK;
}

/* --- Messages --- */

static struct smc_text notes; /* to be printed before the report */

/* The commands that a message names begin as this program was called. */
static void tell_line(const char *kind, const char *line)
{
    smc_auto_text text = {0};
    smc_program_append(&text, line);
    fprintf(stderr, "smemcalc: %s%s\n", kind, text.failed ? line : smc_text_string(&text));
}

static void output_tell(const char *kind, const char *text)
{
    while (*text) {
        char line[1024];
        size_t length = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        smc_utf8_make_safe(line);
        if (*line)
            tell_line(kind, line);
        text += length + (text[length] == '\n');
    }
}

void smc_output_tell(const char *kind, const char *text)
{
    if (!smc_memory_failed())
        output_tell(kind, text);
}

/* Each line of the text after its kind, to be printed before the report. */
static void output_keep(const char *kind, const char *text)
{
    while (*text && !smc_memory_failed()) {
        size_t length = strcspn(text, "\n");
        if (length > 0)
            smc_text_printf(&notes, "%s%.*s\n", kind, (int)length, text);
        text += length + (text[length] == '\n');
    }
}

void smc_output_note(const char *text)
{
    output_keep("note: ", text);
}

void smc_output_warn(struct smc_text *warnings)
{
    output_keep("warning: ", smc_text_string(warnings));
    smc_text_free(warnings);
}

static void tell_notes(void)
{
    smc_output_tell("", smc_text_string(&notes));
    smc_text_free(&notes);
}

/* --- Reports --- */

static FILE *held;       /* parts of a report that is not yet known to be whole */
static bool cut;         /* a part is lost: nothing can be written */
static bool streamed;    /* rows are written, which stay */
static off_t unfinished; /* bytes written of the report, or of the rows that are being written */

static int program_status; /* of the program that was run */

void smc_output_exit_with(int status)
{
    program_status = status;
}

/* After a call that moved nothing: waits until it is worth repeating, if it was interrupted or made
   on a pipe that does not block; else false. `events` as for poll. */
static bool stream_retry(int descriptor, short events)
{
    struct pollfd ready = {.fd = descriptor, .events = events};
    if (errno == EAGAIN || errno == EWOULDBLOCK)
        return poll(&ready, 1, -1) >= 0 || errno == EINTR;
    return errno == EINTR;
}

static enum smc_status write_standard_output(const char *bytes, size_t count,
                                             struct smc_error *error)
{
    while (count > 0) {
        ssize_t written = write(STDOUT_FILENO, bytes, count);
        if (written < 0 && !stream_retry(STDOUT_FILENO, POLLOUT))
            return smc_fail(error, SMC_MACHINE, "standard output: %s", strerror(errno));
        if (written > 0) {
            bytes += written;
            count -= (size_t)written;
            unfinished += written;
        }
    }
    return SMC_OK;
}

static enum smc_status fail_held(struct smc_error *error)
{
    cut = true;
    return smc_fail(error, smc_memory_status(errno, SMC_MACHINE), "temporary file: %s",
                    strerror(errno));
}

enum smc_status smc_output_hold(struct smc_text *text, struct smc_error *error)
{
    errno = 0;
    if (!held && !(held = tmpfile()))
        return fail_held(error);
    if (fwrite(smc_text_string(text), 1, text->length, held) != text->length)
        return fail_held(error);
    text->length = 0;
    return SMC_OK;
}

static enum smc_status write_held(struct smc_error *error)
{
    char bytes[65536];
    size_t count;
    errno = 0;
    if (!held)
        return SMC_OK;
    if (fflush(held) != 0 || fseek(held, 0, SEEK_SET) != 0)
        return fail_held(error);
    while ((count = fread(bytes, 1, sizeof bytes, held)) > 0)
        SMC_TRY(write_standard_output(bytes, count, error));
    return ferror(held) ? fail_held(error) : SMC_OK;
}

/* Half a report is worse than none: a file that cannot hold all of it ends where it began. Not if
   others may have written to it, too. */
static void take_back(void)
{
    struct stat file;
    int flags = fcntl(STDOUT_FILENO, F_GETFL);
    off_t end = lseek(STDOUT_FILENO, 0, SEEK_CUR);
    bool own = flags >= 0 && !(flags & O_APPEND) && fstat(STDOUT_FILENO, &file) == 0 &&
               S_ISREG(file.st_mode) && file.st_size == end && end >= unfinished;
    if (own && ftruncate(STDOUT_FILENO, end - unfinished) == 0)
        lseek(STDOUT_FILENO, end - unfinished, SEEK_SET);
}

enum smc_status smc_output_write(const char *bytes, size_t count, struct smc_error *error)
{
    if (count > 0 && !streamed)
        tell_notes();
    streamed = streamed || count > 0;
    unfinished = 0;
    enum smc_status status = write_standard_output(bytes, count, error);
    if (status != SMC_OK)
        take_back();
    cut = cut || status != SMC_OK;
    return status;
}

enum smc_status smc_output_flush(struct smc_text *text, struct smc_error *error)
{
    enum smc_status status = smc_output_write(smc_text_string(text), text->length, error);
    text->length = 0;
    return status;
}

static enum smc_status output_write_report(const struct smc_text *report, struct smc_error *error)
{
    unfinished = 0;
    enum smc_status status = write_held(error);
    if (status == SMC_OK)
        status = write_standard_output(smc_text_string(report), report->length, error);
    if (status != SMC_OK)
        take_back();
    else if (close(STDOUT_FILENO) != 0)
        return smc_fail(error, SMC_MACHINE, "standard output: %s", strerror(errno));
    return status;
}

enum smc_status smc_output_end(const struct smc_text *report, enum smc_status status,
                               struct smc_error *error)
{
    struct smc_error reason;
    bool out_of_memory = report->failed || notes.failed || smc_memory_failed();
    bool failed = status == SMC_USAGE || status == SMC_UNAVAILABLE || status == SMC_MACHINE;
    if (out_of_memory && (status != SMC_MACHINE || !error->message[0]))
        status = smc_out_of_memory(error);
    if (!failed || report->length || held || streamed)
        tell_notes();
    if (!out_of_memory && !cut && output_write_report(report, &reason) != SMC_OK) {
        status = SMC_MACHINE;
        *error = reason;
    }
    if (held)
        fclose(held);
    held = NULL;
    smc_text_free(&notes);
    output_tell("", error->message);
    return status == SMC_OK ? (enum smc_status)program_status : status;
}

/* --- The terminal --- */

static unsigned terminal_columns(int descriptor)
{
    struct winsize size;
    if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col < NARROWEST)
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

struct smc_report_style *smc_output_style_of(int descriptor, struct smc_text *out)
{
    static struct smc_report_style style;
    bool terminal = isatty(descriptor);
    style = (struct smc_report_style){
        .columns = terminal ? terminal_columns(descriptor) : NARROWEST,
        .utf8 = smc_output_locale(),
        .colour = terminal && wants_colour(),
    };
    out->style = &style;
    return &style;
}

struct smc_report_style *smc_output_style(struct smc_text *out)
{
    return smc_output_style_of(STDOUT_FILENO, out);
}

/* --- Input --- */

enum smc_status smc_stream_open(const char *path, struct smc_stream *stream,
                                struct smc_error *error)
{
    *stream = (struct smc_stream){.name = smc_file_name(path), .descriptor = STDIN_FILENO};
    if (smc_file_is_standard_input(path))
        return SMC_OK;
    do
        stream->descriptor = open(path, O_RDONLY | O_CLOEXEC);
    while (stream->descriptor < 0 && errno == EINTR);
    if (stream->descriptor < 0)
        return smc_fail(error, SMC_USAGE, "%s: %s", path[0] ? path : "''", strerror(errno));
    return SMC_OK;
}

void smc_stream_close(struct smc_stream *stream)
{
    smc_gzip_close(stream->gzip);
    stream->gzip = NULL;
    if (stream->descriptor != STDIN_FILENO)
        close(stream->descriptor);
}

static enum smc_status stream_read_stored(void *context, char *bytes, size_t capacity,
                                          size_t *count, struct smc_error *error)
{
    const struct smc_stream *stream = context;
    ssize_t got;
    do
        got = read(stream->descriptor, bytes, capacity);
    while (got < 0 && stream_retry(stream->descriptor, POLLIN));
    if (got < 0)
        return smc_fail(error, errno == EISDIR ? SMC_USAGE : SMC_MACHINE, "%s: %s", stream->name,
                        strerror(errno));
    *count = (size_t)got;
    return SMC_OK;
}

/* The first bytes, and whether they are compressed. */
static enum smc_status stream_begin(struct smc_stream *stream, char *bytes, size_t capacity,
                                    size_t *count, struct smc_error *error)
{
    enum smc_status status = stream_read_stored(stream, bytes, capacity, count, error);
    if (status == SMC_OK && *count == 1 && bytes[0] == SMC_GZIP_MAGIC[0]) {
        size_t second = 0;
        status = stream_read_stored(stream, bytes + 1, 1, &second, error);
        *count += second;
    }
    stream->has_begun = true;
    if (status != SMC_OK || !smc_gzip_begins(bytes, *count))
        return status;
    const struct smc_csv_source source = {stream_read_stored, stream};
    return smc_gzip_open(&stream->gzip, stream->name, &source, bytes, *count, error);
}

enum smc_status smc_stream_read(struct smc_stream *stream, char *bytes, size_t capacity,
                                size_t *count, struct smc_error *error)
{
    if (!stream->has_begun) {
        const size_t most = capacity < SMC_GZIP_CHUNK ? capacity : SMC_GZIP_CHUNK;
        enum smc_status status = stream_begin(stream, bytes, most, count, error);
        if (status != SMC_OK || !stream->gzip)
            return status;
    }
    return stream->gzip ? smc_gzip_read(stream->gzip, bytes, capacity, count, error)
                        : stream_read_stored(stream, bytes, capacity, count, error);
}

/* --- Pictures --- */

enum smc_status smc_picture_target(const struct smc_arguments *arguments,
                                   enum smc_plot_target *target, struct smc_error *error)
{
    const char *path = arguments->text[SMC_OPTION_PLOT];
    enum smc_plot_format format;
    *target = SMC_PLOT_NOWHERE;
    if (!path)
        return SMC_OK;
    if (strcmp(path, "-") == 0) {
        *target = SMC_PLOT_TERMINAL;
        if (smc_ask_writer(arguments) == &smc_writer_text)
            return SMC_OK;
        return smc_fail(error, SMC_USAGE,
                        "option --plot: '-' draws instead of the text report; not with --format %s",
                        smc_ask_writer(arguments)->name);
    }
    *target = SMC_PLOT_FILE;
    return smc_fail_in(error, smc_plot_format_of(path, &format, error), "option --plot");
}

/* Without --plot a roofline is drawn in the terminal. */
static enum smc_status output_check_roofline(const struct smc_arguments *arguments,
                                             enum smc_plot_target *target, struct smc_error *error)
{
    const bool roofline = arguments->given[SMC_OPTION_ROOFLINE];
    if (!roofline && arguments->given[SMC_OPTION_FAMILY])
        return smc_fail(error, SMC_USAGE, "option --family: only with --roofline");
    if (!roofline || *target != SMC_PLOT_NOWHERE)
        return SMC_OK;
    *target = SMC_PLOT_TERMINAL;
    if (smc_ask_writer(arguments) == &smc_writer_text)
        return SMC_OK;
    return smc_fail(error, SMC_USAGE,
                    "option --roofline: draws instead of the text report; with --format %s give it "
                    "a file, --plot FILE",
                    arguments->text[SMC_OPTION_FORMAT]);
}

/* Only the text report has the arithmetic. */
static enum smc_status check_explain(const struct smc_arguments *arguments,
                                     enum smc_plot_target target, struct smc_error *error)
{
    if (!arguments->given[SMC_OPTION_EXPLAIN])
        return SMC_OK;
    if (smc_ask_writer(arguments) != &smc_writer_text)
        return smc_fail(error, SMC_USAGE, "option --explain: not with --format %s, only with text",
                        arguments->text[SMC_OPTION_FORMAT]);
    if (target == SMC_PLOT_TERMINAL)
        return smc_fail(error, SMC_USAGE,
                        "option --explain: not with %s, which draws instead of the text",
                        arguments->given[SMC_OPTION_PLOT] ? "--plot -" : "--roofline");
    return SMC_OK;
}

enum smc_status smc_roofline_target(const struct smc_arguments *arguments,
                                    enum smc_plot_target *target, struct smc_error *error)
{
    SMC_TRY(smc_picture_target(arguments, target, error));
    SMC_TRY(output_check_roofline(arguments, target, error));
    return check_explain(arguments, *target, error);
}

enum smc_status smc_roofline_check(const struct smc_answer *answers, size_t count,
                                   struct smc_error *error)
{
    for (size_t i = 0; i < count; i++)
        if (answers[i].time.basis != SMC_TIME_UNKNOWN)
            return SMC_OK;
    const char *reason = answers[0].time.reason;
    return smc_fail(error, SMC_UNAVAILABLE, "option --roofline: there is no predicted time: %s",
                    *reason ? reason : "the ceilings of the device are not known");
}

struct smc_canvas smc_picture_canvas(enum smc_plot_target target,
                                     const struct smc_report_style *style)
{
    return target == SMC_PLOT_TERMINAL ? smc_canvas_cells(style->columns) : smc_canvas_paper();
}

static enum smc_status paint_file(const char *path, const struct smc_picture *picture,
                                  struct smc_error *error)
{
    smc_auto_text bytes = {0}, warnings = {0};
    enum smc_plot_format format;
    enum smc_status status = smc_plot_format_of(path, &format, error);
    if (status == SMC_OK)
        status = smc_plot_paint(picture, format, &bytes, &warnings, error);
    smc_output_warn(&warnings);
    if (status == SMC_OK)
        status = smc_fail_in(error, smc_file_write(path, true, &bytes, error), "option --plot");
    return status;
}

enum smc_status smc_picture_finish(const struct smc_arguments *arguments,
                                   enum smc_plot_target target, struct smc_picture *picture,
                                   struct smc_text *out, struct smc_error *error)
{
    enum smc_status status = SMC_OK;
    if (picture->failed)
        status = smc_out_of_memory(error);
    else if (target == SMC_PLOT_TERMINAL)
        smc_plot_paint_cells(picture, out->style->utf8, out->style->colour, out);
    else if (target == SMC_PLOT_FILE)
        status = paint_file(arguments->text[SMC_OPTION_PLOT], picture, error);
    smc_picture_free(picture);
    return status;
}
