/* What the injected library of one process wrote, read into a trace. */
#ifndef SMC_ANSWERS_RECORDS_READ_H
#define SMC_ANSWERS_RECORDS_READ_H

#include "answers/trace/trace.h"

/* Adds the launches of a file of answers/trace_records.h. Nothing in it is trusted: the process may
   have crashed while it wrote. What cannot be used is noted. `filter.skip` and `filter.count` of
   the trace apply; set them to 0 if the library applied them. SMC_USAGE: this is no such file.
   SMC_MACHINE: memory. */
enum smc_status smc_trace_add_records(struct smc_trace *trace, const void *bytes, size_t count,
                                      struct smc_error *error);

#endif
