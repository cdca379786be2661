/* A file that was recorded, given to the reader of its kind. */
#include "trace/read.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/utf8.h"

/* In this order: each but the last kinds is recognised by what nothing else begins with. */
static const struct smc_trace_reader *const readers[] = {
    &smc_trace_reader_nsys,   &smc_trace_reader_own, &smc_trace_reader_triton,
    &smc_trace_reader_chrome, &smc_trace_reader_ncu,
};

static enum smc_status read_beginning(const char *file, char *bytes, size_t *count,
                                      struct smc_error *error)
{
    FILE *stream = fopen(file, "rb");
    if (!stream)
        return smc_fail(error, smc_memory_status(errno, SMC_USAGE), "%s: %s", file,
                        strerror(errno));
    *count = fread(bytes, 1, SMC_TRACE_BEGINNING, stream);
    const int reason = ferror(stream) ? errno : 0;
    fclose(stream);
    bytes[*count] = '\0';
    return reason ? smc_fail(error, SMC_USAGE, "%s: %s", file, strerror(reason)) : SMC_OK;
}

/* Reports that only their own tool reads: by which command it writes them so that they are read
   here. */
static enum smc_status refuse_report(const char *file, struct smc_error *error)
{
    static const struct {
        const char *ending, *tool, *command, *after;
    } reports[] = {
        {".nsys-rep", "Nsight Systems", "nsys export --type sqlite", ""},
        {".qdrep", "Nsight Systems", "nsys export --type sqlite", ""},
        {".ncu-rep", "Nsight Compute", "ncu --csv --page raw --import", " >trace.csv"},
        {".nsight-cuprof-report", "Nsight Compute", "ncu --csv --page raw --import", " >trace.csv"},
    };
    const size_t length = strlen(file);
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
        const size_t end = strlen(reports[i].ending);
        if (length > end && strcmp(file + length - end, reports[i].ending) == 0)
            return smc_fail(error, SMC_USAGE,
                            "%s: a report that only %s reads; export it: %s '%s'%s", file,
                            reports[i].tool, reports[i].command, file, reports[i].after);
    }
    return SMC_OK;
}

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

enum smc_status smc_trace_read(const char *file, struct smc_trace *trace, struct smc_error *error)
{
    char bytes[SMC_TRACE_BEGINNING + 1];
    size_t count = 0;
    trace->file = smc_strdup(file);
    if (!trace->file)
        return smc_out_of_memory(error);
    smc_utf8_make_safe(trace->file);
    if (is_folder(file))
        return smc_trace_read_triton_cache(file, trace, error);
    enum smc_status status = read_beginning(file, bytes, &count, error);
    if (status != SMC_OK)
        return status;
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (readers[i]->begins(bytes, count))
            return readers[i]->read(file, trace, error);
    status = refuse_report(file, error);
    if (status != SMC_OK)
        return status;
    return smc_fail(error, SMC_USAGE,
                    "%s: not a trace: neither an export of Nsight Systems (.sqlite), 'ncu --csv', "
                    "a Chrome trace, JSON of Triton's cache, nor of 'smemcalc trace'",
                    file);
}
