/* A trace of a program that never ran, for tests of reports: some kernels of a training step. */
#ifndef SMC_TESTS_TRACE_SAMPLE_H
#define SMC_TESTS_TRACE_SAMPLE_H

#include "answers/trace/trace.h"

/* A launch of 256 threads with 32 registers and no shared memory, on the GPU and by the process
 * with index 0. */
struct smc_trace_launch trace_sample_launch(const char *name, uint32_t blocks);

/* Adds launches that took so long together; 0: no time is known. */
void trace_sample_add(struct smc_trace *trace, struct smc_trace_launch launch, uint64_t ns);

/* Two H100s, two processes, and kernels that are limited by everything; what is unknown, too. Free
   it with smc_trace_free. */
void trace_sample_make(struct smc_trace *trace);

#endif
