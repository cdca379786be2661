/* Traces that other tools recorded. Each reader streams: memory does not grow with the number of
   launches. What a file does not record stays unknown and is noted. */
#ifndef SMC_TRACE_READ_H
#define SMC_TRACE_READ_H

#include "trace/input.h"
#include "trace/trace.h"

/* Reads a file of any kind below, recognised by its content: an export of Nsight Systems (SQLite),
   the table of `nsys stats --report cuda_gpu_trace` or `nvprof --print-gpu-trace`, `ncu --csv`, a
   Chrome trace of PyTorch, the JSON that Triton's cache has for a kernel, a folder of those, or
   `smemcalc trace --format json`. It may be compressed by gzip, and a pipe; "-" is standard input.
   SMC_USAGE with "FILE: ..." or "FILE:LINE: ..." if it is none of these or damaged; SMC_UNAVAILABLE
   if this build lacks the library for it; SMC_MACHINE: memory. The trace is then incomplete and may
   only be freed. */
enum smc_status smc_trace_read(const char *file, struct smc_trace *trace, struct smc_error *error);

/* Reads one file or several of one program, such as one of each rank; their GPUs and processes are
   all different ones. With several, the filter may have patterns only. SMC_USAGE also: two of them
   cannot be merged. */
enum smc_status smc_trace_read_files(const char *const *files, size_t count,
                                     struct smc_trace *trace, struct smc_error *error);

/* Reads the metadata of all kernels in a folder, such as ~/.triton/cache, and in folders within it.
   SMC_USAGE: there are none. */
enum smc_status smc_trace_read_triton_cache(const char *folder, struct smc_trace *trace,
                                            struct smc_error *error);

/* One reader. `begins`: whether a file that begins with these bytes (at most
   SMC_TRACE_BEGINNING, '\0' after them) is its kind. `read`: of an input that was just opened. */
struct smc_trace_reader {
    bool (*begins)(const char *bytes, size_t count);
    enum smc_status (*read)(struct smc_trace_input *input, struct smc_trace *trace,
                            struct smc_error *error);
};

/* Reads the tables of nsys stats and nvprof from a file's beginning on, whatever is before them.
   `found`: whether it has such a table; without one it is refused. */
enum smc_status smc_trace_read_tables(FILE *stream, struct smc_trace *trace, bool *found,
                                      struct smc_error *error);

extern const struct smc_trace_reader smc_trace_reader_nsys, smc_trace_reader_ncu,
    smc_trace_reader_tables, smc_trace_reader_chrome, smc_trace_reader_triton, smc_trace_reader_own;

#endif
