/* Which module each kernel of a trace is from. */
#ifndef SMC_ANSWERS_TRACE_MODULES_H
#define SMC_ANSWERS_TRACE_MODULES_H

#include "answers/trace/trace.h"

/* Reads the machine code of the trace's modules and finds each kernel there, by its name, registers
   and static shared memory. A kernel that several modules have in the same way has none. Call it
   after all launches were added. SMC_MACHINE: memory; a damaged file is noted. */
enum smc_status smc_trace_match_modules(struct smc_trace *trace, struct smc_error *error);

#endif
