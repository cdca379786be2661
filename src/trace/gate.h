/* A requirement for the kernels of a trace: those that take much of the time have at least so much
   occupancy, except for those that a file allows to have less. */
#ifndef SMC_TRACE_GATE_H
#define SMC_TRACE_GATE_H

#include "judge/findings.h"
#include "trace/answer.h"

/* A line of the file: a kernel that may have less. */
struct smc_trace_allowance {
    char *pattern; /* as for smc_name_matches */
    uint32_t line; /* from 1 */
    bool used;     /* a kernel that matches has less: set by smc_trace_gate_judge */
};

/* Start from {0}, with `least_percent` and `above_share` set. */
struct smc_trace_gate {
    double least_percent; /* required occupancy; 0: nothing is required */
    double above_share;   /* 0 to 1: only of kernels that take more of the time */
    char *path;           /* of the file, safe for a terminal; NULL: none */
    struct smc_trace_allowance *allowance;
    size_t count;
};

/* Adds the patterns of a file, one in a line; what follows a '#' at the begin of a line or after a
   blank is a comment. SMC_USAGE: "FILE: ..." if it cannot be read; SMC_MACHINE: memory. */
enum smc_status smc_trace_gate_allow(const char *path, struct smc_trace_gate *gate,
                                     struct smc_error *error);
void smc_trace_gate_free(struct smc_trace_gate *gate);

/* Start from {0}. Its strings belong to the answer, the trace and itself. */
struct smc_trace_verdict {
    struct smc_findings findings;     /* errors: less than required, or unknown; notes: allowed */
    struct smc_judgements judgements; /* the kernels that take that much of the time */
    size_t low, allowed, unknown;     /* kernels */
};

/* Judges each kernel that takes more than the share of the time by the mean occupancy of its
   configurations, weighted by their time. SMC_SHORTFALL: one has less; SMC_USAGE: none has, but of
   one the occupancy is unknown, or a share is given for a trace without times; SMC_MACHINE:
   memory. Free the verdict in any case. */
enum smc_status smc_trace_gate_judge(struct smc_trace_gate *gate,
                                     const struct smc_trace_answer *answer,
                                     struct smc_trace_verdict *verdict, struct smc_error *error);
void smc_trace_verdict_free(struct smc_trace_verdict *verdict);

#endif
