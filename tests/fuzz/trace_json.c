/* Fuzzes recorded traces that are JSON, plain or gzip, through to every report, and what was
   written as JSON back again. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "answers/trace_answer.h"
#include "show/report/report.h"

static void check(const struct smc_text *out)
{
    if (out->failed || (out->data && strchr(out->data, '\033')))
        abort();
}

/* NULL if it is refused. */
static struct smc_trace *read_bytes(const void *data, size_t size, struct smc_error *error)
{
    char path[64];
    const int file = memfd_create("trace", 0);
    struct smc_trace *trace = calloc(1, sizeof *trace);
    if (file < 0 || !trace || write(file, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    error->message[0] = '\0';
    const enum smc_status status = smc_trace_read(path, trace, error);
    close(file);
    if (status == SMC_OK)
        return trace;
    if (strncmp(error->message, path, strlen(path)) != 0 || strchr(error->message, '\n'))
        abort();
    smc_trace_free(trace);
    free(trace);
    return NULL;
}

/* `again` (or NULL) receives the JSON. */
static void report(const struct smc_trace *trace, struct smc_text *again)
{
    static const struct smc_writer *const writers[] = {&smc_writer_text, &smc_writer_csv,
                                                       &smc_writer_json};
    const struct smc_report_style style = {.columns = 80};
    struct smc_trace_answer answer;
    struct smc_text out = {.style = &style};
    struct smc_error error;
    if (smc_trace_answer_on(trace, NULL, &answer, &error) != SMC_OK)
        abort();
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
        smc_text_free(&out);
        writers[i]->trace(&answer, &out);
        check(&out);
    }
    if (again)
        *again = out;
    else
        smc_text_free(&out);
    smc_trace_answer_free(&answer);
}

int fuzz_trace_json(const uint8_t *data, size_t size)
{
    struct smc_error error;
    struct smc_text written = {0};
    struct smc_trace *trace = read_bytes(data, size, &error), *again;
    if (!trace)
        return 0;
    report(trace, &written);
    again = read_bytes(written.data, written.length, &error);
    if (!again || again->launch_count > trace->launch_count)
        abort();
    report(again, NULL);
    smc_text_free(&written);
    smc_trace_free(trace);
    smc_trace_free(again);
    free(trace);
    free(again);
    return 0;
}
