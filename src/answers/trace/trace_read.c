/* A file that was recorded, given to the reader of its kind. */
#include "answers/trace_answer.h"

#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

/* In this order: each but the last kinds is recognised by what nothing else begins with. */
static const struct smc_trace_reader *const readers[] = {
    &smc_trace_reader_nsys,   &smc_trace_reader_own,    &smc_trace_reader_triton,
    &smc_trace_reader_chrome, &smc_trace_reader_tables, &smc_trace_reader_ncu,
};

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

static enum smc_status trace_read_input(struct smc_trace_input *input, struct smc_trace *trace,
                                        struct smc_error *error)
{
    const char *bytes = input->beginning;
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (readers[i]->begins(bytes, input->beginning_count))
            return readers[i]->read(input, trace, error);
    SMC_TRY(refuse_report(input->shown, error));
    if (input->beginning_count == 0)
        return smc_fail(error, SMC_USAGE, "%s: not a trace: the file is empty", input->shown);
    return smc_fail(error, SMC_USAGE,
                    "%s: not a trace: neither an export of Nsight Systems (.sqlite), a table of "
                    "'nsys stats --report cuda_gpu_trace', 'nvprof --print-gpu-trace' or 'ncu', a "
                    "Chrome trace, JSON of Triton's cache, nor of 'smemcalc trace'",
                    input->shown);
}

enum smc_status smc_trace_read(const char *file, struct smc_trace *trace, struct smc_error *error)
{
    SMC_AUTO(smc_trace_input_close) struct smc_trace_input input = {0};
    const bool folder = smc_file_is_folder(file);
    enum smc_status status = folder ? SMC_OK : smc_trace_input_open(&input, file, error);
    trace->file = smc_strdup(input.shown ? input.shown : file);
    if (!trace->file)
        status = smc_out_of_memory(error);
    else
        smc_utf8_make_safe(trace->file);
    if (status == SMC_OK)
        status = folder ? smc_trace_read_triton_cache(file, trace, error)
                        : trace_read_input(&input, trace, error);
    return status;
}
