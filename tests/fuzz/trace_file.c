/* Fuzzes a reader of traces that reads files: READER is ncu (tables of Nsight Compute) or nsys
   (exports of Nsight Systems). Build and run: see README.md. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/read.h"

#define JOIN(a, b)    a##b
#define NAMED(reader) JOIN(smc_trace_reader_, reader)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct smc_trace trace;
    struct smc_error error = {""};
    char path[] = "/dev/shm/fuzz-trace-XXXXXX";
    const int file = mkstemp(path);
    if (file < 0 || write(file, data, size) != (ssize_t)size)
        abort();
    close(file);
    memset(&trace, 0, sizeof trace);
    trace.file = strdup("fuzz");
    struct smc_trace_input input;
    enum smc_status status = smc_trace_input_open(&input, path, &error);
    if (status == SMC_OK)
        status = NAMED(READER).read(&input, &trace, &error);
    smc_trace_input_close(&input);
    unlink(path);
    if ((status != SMC_OK && status != SMC_USAGE) || (status == SMC_OK) != !error.message[0])
        abort();
    for (size_t i = 0; i < trace.launch_count; i++)
        if (trace.launches[i].launches == 0 || trace.launches[i].regs_per_thread < -1 ||
            trace.launches[i].static_smem_bytes < -1 || strpbrk(trace.launches[i].shown, "\033\n"))
            abort();
    if (strchr(smc_text_string(&trace.notes), '\033'))
        abort();
    smc_trace_free(&trace);
    return 0;
}
