/* The bytes of a recorded file, which may be compressed, or a pipe that can be read only once. */
#include "config.h"

#include "answers/trace/trace_input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/csv_reader.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/signals.h"
#include "base/text.h"

enum { CHUNK = 1 << 16 };

static enum smc_status fail_to_read(const struct smc_trace_input *input, struct smc_error *error)
{
    const int reason = errno;
    return smc_fail(error, smc_memory_status(reason, SMC_USAGE), "%s: %s", input->shown,
                    strerror(reason));
}

/* --- Reading ---------------------------------------------------------------------------------- */

static enum smc_status trace_input_read_stored(void *context, char *bytes, size_t capacity,
                                               size_t *count, struct smc_error *error)
{
    const struct smc_trace_input *input = context;
    *count = fread(bytes, 1, capacity, input->stream);
    return ferror(input->stream) ? fail_to_read(input, error) : SMC_OK;
}

static enum smc_status trace_input_read_bytes(struct smc_trace_input *input, char *bytes,
                                              size_t capacity, size_t *count,
                                              struct smc_error *error)
{
    if (input->gzip)
        return smc_gzip_read(input->gzip, bytes, capacity, count, error);
    return trace_input_read_stored(input, bytes, capacity, count, error);
}

static enum smc_status read_beginning(struct smc_trace_input *input, struct smc_error *error)
{
    enum smc_status status = trace_input_read_bytes(input, input->beginning, SMC_TRACE_BEGINNING,
                                                    &input->beginning_count, error);
    if (status == SMC_OK && smc_gzip_begins(input->beginning, input->beginning_count)) {
        const struct smc_csv_source source = {trace_input_read_stored, input};
        status = smc_gzip_open(&input->gzip, input->shown, &source, input->beginning,
                               input->beginning_count, error);
        if (status == SMC_OK)
            status = trace_input_read_bytes(input, input->beginning, SMC_TRACE_BEGINNING,
                                            &input->beginning_count, error);
    }
    input->beginning[status == SMC_OK ? input->beginning_count : 0] = '\0';
    return status;
}

enum smc_status smc_trace_input_open(struct smc_trace_input *input, const char *path,
                                     struct smc_error *error)
{
    *input = (struct smc_trace_input){.path = path};
    input->shown = smc_strdup(smc_file_name(path));
    if (!input->shown)
        return smc_out_of_memory(error);
    smc_utf8_make_safe(input->shown);
    input->stream = smc_file_is_standard_input(path) ? stdin : fopen(path, "rb");
    return input->stream ? read_beginning(input, error) : fail_to_read(input, error);
}

void smc_trace_input_close(struct smc_trace_input *input)
{
    smc_gzip_close(input->gzip);
    smc_trace_input_unlink(input);
    if (input->stream && input->stream != stdin)
        fclose(input->stream);
    free(input->copy);
    free(input->shown);
    input->stream = NULL;
    input->gzip = NULL;
    input->copy = input->shown = NULL;
}

enum smc_status smc_trace_input_read(struct smc_trace_input *input, char *bytes, size_t capacity,
                                     size_t *count, struct smc_error *error)
{
    const size_t left = input->beginning_count - input->given;
    const size_t first = left < capacity ? left : capacity;
    memcpy(bytes, input->beginning + input->given, first);
    input->given += first;
    *count = 0;
    enum smc_status status =
        first < capacity
            ? trace_input_read_bytes(input, bytes + first, capacity - first, count, error)
            : SMC_OK;
    *count += first;
    return status;
}

enum smc_status smc_trace_input_text(struct smc_trace_input *input, const char *kind, size_t most,
                                     struct smc_text *text, struct smc_error *error)
{
    char bytes[CHUNK];
    size_t count = sizeof bytes;
    while (count == sizeof bytes) {
        SMC_TRY(smc_trace_input_read(input, bytes, sizeof bytes, &count, error));
        smc_text_append_bytes(text, bytes, count);
        if (text->length > most)
            return smc_fail(error, SMC_USAGE, "%s: larger than %zu bytes; no %s is", input->shown,
                            most, kind);
    }
    return text->failed ? smc_out_of_memory(error) : SMC_OK;
}

/* --- A copy ----------------------------------------------------------------------------------- */

static enum smc_status trace_input_copy_bytes(struct smc_trace_input *input, FILE *to,
                                              struct smc_error *error)
{
    char bytes[CHUNK];
    size_t count = sizeof bytes;
    while (count == sizeof bytes) {
        SMC_TRY(smc_trace_input_read(input, bytes, sizeof bytes, &count, error));
        if (input->watches && smc_signals_seen())
            return smc_fail(error, SMC_INTERRUPTED, "%s: interrupted", input->shown);
        if (fwrite(bytes, 1, count, to) != count)
            break;
    }
    if (fflush(to) == 0 && !ferror(to))
        return SMC_OK;
    return smc_fail(error, SMC_USAGE, "%s: cannot be copied to '%s': %s", input->shown, input->copy,
                    strerror(errno));
}

static enum smc_status make_copy(struct smc_trace_input *input, struct smc_error *error)
{
    struct smc_text path = {0};
    const char *folder = smc_folder_variable("TMPDIR");
    smc_text_printf(&path, "%s/smemcalc-trace-XXXXXX", folder ? folder : "/tmp");
    if (path.failed)
        return smc_out_of_memory(error);
    input->watches = smc_signals_watch(false) >= 0;
    const int descriptor = mkstemp(path.data);
    FILE *to = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    if (descriptor >= 0)
        input->copy = path.data;
    enum smc_status status =
        to ? trace_input_copy_bytes(input, to, error)
           : smc_fail(error, smc_memory_status(errno, SMC_USAGE),
                      "%s: cannot be copied to '%s': %s", input->shown, path.data, strerror(errno));
    if (to)
        fclose(to);
    else if (descriptor >= 0)
        close(descriptor);
    if (!input->copy)
        smc_text_free(&path);
    return status;
}

enum smc_status smc_trace_input_file(struct smc_trace_input *input, const char **path,
                                     struct smc_error *error)
{
    struct stat about;
    const bool is_regular = !smc_file_is_standard_input(input->path) && !input->gzip &&
                            fstat(fileno(input->stream), &about) == 0 && S_ISREG(about.st_mode);
    enum smc_status status = is_regular ? SMC_OK : make_copy(input, error);
    *path = is_regular ? input->path : input->copy;
    return status;
}

void smc_trace_input_unlink(struct smc_trace_input *input)
{
    if (input->copy && *input->copy) {
        unlink(input->copy);
        *input->copy = '\0';
    }
    if (input->watches)
        smc_signals_release();
    input->watches = false;
}

enum smc_status smc_trace_input_stream(struct smc_trace_input *input, FILE **stream,
                                       struct smc_error *error)
{
    const char *path;
    enum smc_status status = smc_trace_input_file(input, &path, error);
    *stream = status == SMC_OK ? fopen(path, "rb") : NULL;
    if (status == SMC_OK && !*stream)
        status = fail_to_read(input, error);
    smc_trace_input_unlink(input);
    return status;
}
