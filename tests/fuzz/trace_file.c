/* Fuzzes the readers of traces that read files: tables of Nsight Compute, of nsys stats and of
   nvprof, and exports of Nsight Systems. */
#include "fuzz.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answers/trace_answer.h"

static void check(const struct smc_trace *trace)
{
    for (size_t i = 0; i < trace->launch_count; i++)
        if (trace->launches[i].launches == 0 || trace->launches[i].regs_per_thread < -1 ||
            trace->launches[i].static_smem_bytes < -1 ||
            strpbrk(trace->launches[i].shown, "\033\n"))
            abort();
    if (strchr(smc_text_string(&trace->notes), '\033'))
        abort();
}

/* SQLite finds the real name of what it opens, so that a file without one would not do. */
static char path[] = "/tmp/smemcalc-fuzz-XXXXXX";

static void remove_file(void)
{
    unlink(path);
}

static void put(const uint8_t *data, size_t size)
{
    static bool is_made;
    const int file = is_made ? open(path, O_WRONLY | O_TRUNC) : mkstemp(path);
    if (file < 0 || write(file, data, size) != (ssize_t)size)
        abort();
    close(file);
    if (!is_made)
        atexit(remove_file);
    is_made = true;
}

static int read_with(const struct smc_trace_reader *reader, const uint8_t *data, size_t size)
{
    static struct smc_trace trace;
    struct smc_error error = {""};
    struct smc_trace_input input;
    put(data, size);
    memset(&trace, 0, sizeof trace);
    trace.file = strdup("fuzz");
    enum smc_status status = smc_trace_input_open(&input, path, &error);
    if (status == SMC_OK)
        status = reader->read(&input, &trace, &error);
    smc_trace_input_close(&input);
    if ((status != SMC_OK && status != SMC_USAGE && status != SMC_UNAVAILABLE) ||
        (status == SMC_OK) != !error.message[0])
        abort();
    check(&trace);
    smc_trace_free(&trace);
    return 0;
}

int fuzz_trace_ncu(const uint8_t *data, size_t size)
{
    return read_with(&smc_trace_reader_ncu, data, size);
}

int fuzz_trace_tables(const uint8_t *data, size_t size)
{
    return read_with(&smc_trace_reader_tables, data, size);
}

int fuzz_trace_nsys(const uint8_t *data, size_t size)
{
    return read_with(&smc_trace_reader_nsys, data, size);
}
