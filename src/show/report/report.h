/* Results as text, JSON or CSV. A writer is a table of functions, one for each kind of result, that
   append to a text buffer; only the commands print. */
#ifndef SMC_SHOW_REPORT_H
#define SMC_SHOW_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "answers/banks_query.h"
#include "answers/best.h"
#include "answers/diff.h"
#include "answers/inspect.h"
#include "answers/query.h"
#include "answers/sweep.h"
#include "answers/trace_answer.h"
#include "answers/tune.h"
#include "base/text.h"
#include "hardware/all_gpus.h"
#include "hardware/checks.h"
#include "hardware/confirmed_launch.h"
#include "hardware/doctor.h"
#include "hardware/exercise.h"
#include "hardware/host_health.h"
#include "hardware/measured_ceilings.h"
#include "hardware/merge.h"
#include "hardware/series.h"
#include "hardware/user.h"
#include "machine/bank_accesses.h"
#include "rules/allocation.h"
#include "rules/headroom.h"

struct smc_report_style {
    unsigned columns; /* width to fill: the terminal's, or 80 */
    bool utf8;        /* the locale can show it */
    bool colour;      /* a terminal, and NO_COLOR is not set; a second cue, never the only one */
    bool explain;     /* the arithmetic line by line (text only) */
    bool verbose; /* every report that was merged, not only the first few; every kernel of files in
                     full (text only) */
    bool instances;      /* each instance of a template (text only) */
    bool all_kernels;    /* a line for each kernel, however many these are (text only) */
    size_t most_kernels; /* of `best`, the first of its order; 0: all (text only) */
};

/* The accesses of a file's kernel to shared memory; query->file_kernel is set. */
struct smc_kernel_banks {
    const struct smc_query *query;
    const struct smc_bank_accesses *accesses;
    const char *block_source; /* words after the block: ", of its launch bounds", or "" */
};

/* Reports that may be long are written in parts of about so many bytes. */
enum { SMC_REPORT_PART = 1 << 20 };

/* The parameters and the arguments of a row of writers.def, without their parentheses. */
#define SMC_WRITER_LIST(...) __VA_ARGS__
/* A declaration that has them: cppcheck expands them only if they are an argument. */
#define SMC_WRITER_DECLARE(...) __VA_ARGS__

struct smc_writer {
    const char *name; /* "text", "json", "jsonl", "csv" */
    bool has_notes;   /* its reports have notes that others leave to standard error */
    bool is_by_line;  /* each line can be used before the next one is written */

#define WRITER(kind, list, parameters, arguments)                                                  \
    void (*kind)(SMC_WRITER_LIST parameters, struct smc_text * out);
#include "show/report/writers.def"

    /* The user's kernels, each on its devices: appends the report from row `first` on, and returns
       the row to go on with, or rows->count at its end. `out` may be emptied between the calls:
       the JSON of a library takes hundreds of megabytes. */
    size_t (*inspection)(const struct smc_inspect_rows *rows, size_t first, struct smc_text *out);

    /* Every kernel that a program launched; style->most_kernels: of the table. */
    void (*trace)(const struct smc_trace_answer *answer, struct smc_text *out);

    void (*kernels)(struct smc_text *out);

    /* A sweep, a point at a time: before the first, each answer in order (`why` as for
       smc_sweep_visitor), after the last; NULL: nothing is written then. `out` may be emptied
       between the calls. */
    void (*sweep_begin)(const struct smc_sweep *sweep, struct smc_text *out);
    void (*sweep_point)(const struct smc_sweep *sweep, uint64_t point,
                        const struct smc_answer *answer, const char *why, struct smc_text *out);
    void (*sweep_end)(const struct smc_sweep_result *result, struct smc_text *out);
    bool sweep_needs_points;        /* sweep_end reads result->point */
    bool sweep_needs_whole_answers; /* sweep_point reads the answer's work and next steps */
};

/* The health of this machine's GPUs as text, as one line of JSON, and as metrics; in the order of
   the choices of --format. */
enum smc_health_format { SMC_HEALTH_TEXT, SMC_HEALTH_JSON, SMC_HEALTH_OPENMETRICS };

void smc_health_write(const struct smc_host_health *host, enum smc_health_format format,
                      struct smc_text *out);

/* The check reports of many GPUs for other programs, such as Slurm. */

/* "n3,n7" and a newline, as `sbatch --exclude` takes it; nothing if no node should be drained. */
void smc_fleet_exclude(const struct smc_fleet *fleet, struct smc_text *out);

/* A line `scontrol update nodename=n3 state=drain reason="..."` for each node. */
void smc_fleet_drain_commands(const struct smc_fleet *fleet, struct smc_text *out);

/* For a Prometheus exporter. Either may be NULL. */
void smc_openmetrics_merge(const struct smc_merged *merged, const struct smc_fleet *fleet,
                           struct smc_text *out);

/* NULL: no writer has that name. */
const struct smc_writer *smc_writer_find(const char *name);

extern const struct smc_writer smc_writer_text;
extern const struct smc_writer smc_writer_json;
extern const struct smc_writer smc_writer_lines; /* JSON Lines */
extern const struct smc_writer smc_writer_csv;

#endif
