/* A gate: limits for kernels by pattern and device, violations that are allowed for a reason and a
   time, and what a comparison of two builds tolerates. Read from a gate file, or made of options.
 */
#ifndef SMC_INSPECT_GATE_H
#define SMC_INSPECT_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "inspect/findings.h"
#include "inspect/inspect.h"

enum smc_gate_key {
#define LIMIT(id, ...) SMC_GATE_##id,
#include "inspect/gate_limits.def"
#undef LIMIT
    SMC_GATE_KEY_COUNT
};

/* An entry of [[limit]]. Of two that name a kernel and have the same key, the later counts. */
struct smc_gate_limit {
    char *kernel; /* pattern as for smc_inspect_matches, or NULL: all */
    char *device; /* "9.0", or part of a board's name, or NULL: all */
    bool has[SMC_GATE_KEY_COUNT];
    double value[SMC_GATE_KEY_COUNT];
    uint32_t line; /* 0: of options */
};

/* An entry of [[allow]]. */
struct smc_gate_allowance {
    char *kernel; /* pattern */
    char *device; /* or NULL: all */
    char *reason;
    bool has_key;
    enum smc_gate_key key; /* the one limit; else all */
    uint32_t expires;      /* the last day, as YYYYMMDD; 0: never */
    uint32_t line;
};

/* A row of [threads]. */
struct smc_gate_threads {
    char *pattern;
    uint32_t threads_per_block;
    uint32_t line;
};

/* A row of [dynamic_smem]. */
struct smc_gate_dynamic_smem {
    char *pattern;
    uint32_t bytes;
    uint32_t line;
};

/* [diff]: by how much a kernel may be worse than before. */
struct smc_gate_growth {
    uint32_t registers, spill_bytes, stack_bytes, static_smem_bytes, barriers, blocks;
    double occupancy_percent; /* percentage points */
    double time_percent;
};

/* Start from {0}. */
struct smc_gate {
    char *path; /* for messages; NULL: made of options */
    char **device;
    size_t device_count;
    uint32_t assumed_threads_per_block; /* 0: none */
    struct smc_gate_threads *threads;
    size_t threads_count;
    struct smc_gate_limit *limit;
    size_t limit_count;
    struct smc_gate_allowance *allowance;
    size_t allowance_count;
    struct smc_gate_growth growth;
    struct smc_gate_dynamic_smem *dynamic_smem;
    size_t dynamic_smem_count;
};

/* SMC_USAGE with "FILE:LINE: ..." for what is no gate file; SMC_UNAVAILABLE in a build without
   toml++. After a failure there is nothing to free. */
enum smc_status smc_gate_read(const char *path, struct smc_gate *gate, struct smc_error *error);
/* The same of a text, which came from `path`. */
enum smc_status smc_gate_parse(const char *text, size_t length, const char *path,
                               struct smc_gate *gate, struct smc_error *error);
void smc_gate_free(struct smc_gate *gate);

/* Today as YYYYMMDD: of SOURCE_DATE_EPOCH if that is set, else of the clock; in UTC. */
uint32_t smc_gate_today(void);

/* What was found. Start from {0}. */
struct smc_gate_verdict {
    struct smc_findings findings;     /* violations are errors; allowed ones and hints are notes */
    struct smc_judgements judgements; /* the rows, which must outlive it */
    size_t kernels, violating;        /* kernels that were judged; with a violation */
    size_t violations, allowed;
    size_t unsettled; /* kernels with a limit that needs a block size, which is unknown, or its
                         dynamic shared memory */
};

/* Judges every row. SMC_SHORTFALL: there is a violation; SMC_USAGE: none, but a kernel was not
   judged because its block size or dynamic shared memory is unknown; SMC_MACHINE: memory. */
enum smc_status smc_gate_judge(const struct smc_gate *gate, const struct smc_inspect_rows *rows,
                               uint32_t today, struct smc_gate_verdict *verdict,
                               struct smc_error *error);

void smc_gate_verdict_free(struct smc_gate_verdict *verdict);

/* Whether an allowance that has not expired covers the kernel and key; for comparisons, whose
   findings are about a key, too. NULL: none. */
const struct smc_gate_allowance *smc_gate_allows(const struct smc_gate *gate,
                                                 const struct smc_inspect_row *row,
                                                 enum smc_gate_key key, uint32_t today);

/* "2 of 40 kernels violate 3 limits; 2 violations are allowed" */
void smc_gate_summary(const struct smc_gate_verdict *verdict, struct smc_text *out);

/* "max_registers" ... */
const char *smc_gate_key_name(enum smc_gate_key key);

#endif
