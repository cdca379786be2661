/* Runs a program, unmodified, with the library that records its launches, and gathers what the
   library of each of its processes wrote. */
#ifndef SMC_TRACE_COLLECT_H
#define SMC_TRACE_COLLECT_H

#include "trace/trace.h"

struct smc_trace_request {
    char *const *command;    /* the program and its arguments, NULL after them */
    uint64_t duration_ms;    /* record only so long after its start; 0: until it ends */
    const char *keep_folder; /* where the machine code of its modules is kept; NULL: nowhere */
    bool without_cupti;      /* use the driver's launch calls even if CUPTI is there */
    const char *emulated;    /* run its kernels on the emulator, as this device; NULL: on the GPU */
};

/* A program that goes on although all that is wanted of it was recorded. */
struct smc_trace_program;

/* Runs the program to its end, or until `duration_ms` is over: then `*program` is the one that goes
   on, to be awaited after the report; else NULL. Its standard input, output and error are its own.
   The filter of `trace` applies. SMC_USAGE if the program cannot be started, with its name and the
   reason; SMC_UNAVAILABLE if the library is missing or this build is without it; SMC_MACHINE:
   memory, no space for the records. A program that fails is no failure of this: see
   trace->exit_status. */
enum smc_status smc_trace_collect(const struct smc_trace_request *request, struct smc_trace *trace,
                                  struct smc_trace_program **program, struct smc_error *error);

/* Waits for the end of the program and notes its exit status in `trace`. NULL: does nothing. */
void smc_trace_await(struct smc_trace_program *program, struct smc_trace *trace);

#endif
