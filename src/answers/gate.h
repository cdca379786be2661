/* A gate: limits for kernels by pattern and device, violations that are allowed with a reason and
   until a day, and what a comparison of two builds tolerates. Read from a gate file, or made from
   options. */
#ifndef SMC_ANSWERS_GATE_H
#define SMC_ANSWERS_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "answers/diff.h"
#include "answers/inspect.h"
#include "answers/judge_findings.h"
#include "base/status.h"

enum smc_gate_key {
#define LIMIT(id, ...) SMC_GATE_##id,
#include "answers/judge/gate_limits.def"
    SMC_GATE_KEY_COUNT
};

/* An entry of [[limit]]. If two with the same key apply to a kernel, the later one counts. */
struct smc_gate_limit {
    char *kernel; /* pattern as for smc_name_matches_kernel, or NULL: all */
    char *device; /* "9.0", or part of a board's name, or NULL: all */
    bool has[SMC_GATE_KEY_COUNT];
    double value[SMC_GATE_KEY_COUNT]; /* in the unit of the key's name; true: 1 */
    uint32_t line;                    /* in the file, from 1; 0: made from options */
    bool optional;                    /* `kernel` may name none */
};

/* An entry of [[allow]]. */
struct smc_gate_allowance {
    char *kernel; /* pattern */
    char *device; /* or NULL: all */
    char *reason;
    bool has_key;
    enum smc_gate_key key; /* if has_key: the only limit that it is about; else all */
    uint32_t expires;      /* the last day, as YYYYMMDD; 0: never */
    uint32_t line;
};

/* [diff]: by how much a kernel may be worse than before. */
struct smc_gate_growth {
    uint32_t registers, spill_bytes, stack_bytes, static_smem_bytes, barriers, blocks;
    double occupancy_percent; /* percentage points */
};

/* Start from {0}. */
struct smc_gate {
    char *path; /* for messages; NULL: made from options */
    char **device;
    size_t device_count;
    uint32_t assumed_threads_per_block; /* 0: none */
    uint32_t assumed_block[3];
    struct smc_stated_list stated[SMC_STATED_KINDS]; /* [threads], [dynamic_smem] */
    struct smc_gate_limit *limit;
    size_t limit_count;
    struct smc_gate_allowance *allowance;
    size_t allowance_count;
    struct smc_gate_growth growth;
    bool partial; /* not all kernels are judged, so a pattern that names none is only noted */
};

/* SMC_USAGE with "FILE:LINE: ..." if it is not a valid gate file; SMC_UNAVAILABLE in a build
   without toml++. After a failure there is nothing to free. */
enum smc_status smc_gate_read(const char *path, struct smc_gate *gate, struct smc_error *error);
/* The same for a text that was read from `path`. */
enum smc_status smc_gate_parse(const char *text, size_t length, const char *path,
                               struct smc_gate *gate, struct smc_error *error);
void smc_gate_free(struct smc_gate *gate);

/* Today in UTC as YYYYMMDD: from SOURCE_DATE_EPOCH if that is set, else from the clock. */
uint32_t smc_gate_today(void);

/* What was found. Start from {0}. */
struct smc_gate_verdict {
    struct smc_findings findings;     /* violations are errors; allowed ones and hints are notes */
    struct smc_judgements judgements; /* the rows, which must outlive it */
    size_t kernels, violating;        /* kernels that were checked; those with a violation */
    size_t violations, allowed;
    size_t unsettled; /* kernels with a limit that needs a block size, which is unknown, or its
                         dynamic shared memory */
    size_t unnamed;   /* limits whose pattern names no kernel */
};

/* Judges every row; of a comparison with an older build, or NULL, sets what is excused.
   SMC_SHORTFALL: there is a violation; SMC_USAGE: none, but a limit names no kernel, or a kernel
   was not judged because its block size or dynamic shared memory is unknown, of which a gate of
   options has the message, one of a file a finding for each; SMC_MACHINE: memory. */
enum smc_status smc_gate_judge(const struct smc_gate *gate, const struct smc_inspect_rows *rows,
                               uint32_t today, struct smc_diff *diff,
                               struct smc_gate_verdict *verdict, struct smc_error *error);

/* Whether there is a violation in the row that counts today. */
bool smc_gate_fails(const struct smc_gate *gate, const struct smc_inspect_row *row);

void smc_gate_verdict_free(struct smc_gate_verdict *verdict);

/* --- Parts of judging ------------------------------------------------------------------------- */

/* Whether the entry is about this key, or about none in particular if it is SMC_GATE_KEY_COUNT. */
bool smc_gate_covers(const struct smc_gate_allowance *allowance,
                     const struct smc_inspect_kernel *kernel, const struct smc_device *device,
                     enum smc_gate_key key);

/* Whether the pattern, or NULL for any, names the kernel; whether the name, or NULL, is the
   device's. */
bool smc_gate_names_kernel(const char *pattern, const struct smc_inspect_kernel *kernel);
bool smc_gate_names_device(const char *name, const struct smc_device *device);

bool smc_gate_has_expired(const struct smc_gate_allowance *allowance, uint32_t today);

/* "allowed: REASON, until DATE", or "allowed until DATE (FILE:LINE)" of one that has expired. */
void smc_gate_append_allowance(const struct smc_gate *gate,
                               const struct smc_gate_allowance *allowance, uint32_t today,
                               struct smc_text *text);

/* Sets `excused` and `excuse` of each pair, and used[i] for the allowances that were needed or have
   expired. False: out of memory. */
bool smc_gate_excuse(const struct smc_gate *gate, uint32_t today, struct smc_diff *diff,
                     bool *used);

/* "2 of 40 kernels violate 3 limits; 2 violations are allowed" */
void smc_gate_summary(const struct smc_gate_verdict *verdict, struct smc_text *out);

/* "max_registers" ... */
const char *smc_gate_key_name(enum smc_gate_key key);

#endif
