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

struct smc_writer {
    const char *name; /* "text", "json", "csv" */

    /* One answer, or several compared. */
    void (*answers)(const struct smc_answer *answers, size_t count,
                    const struct smc_report_style *style, struct smc_text *out);

    /* The requested run, then those that confirm what else its answer claims. An annotation is
       added; in CSV it replaces the rows. */
    void (*runs)(const struct smc_confirmed_run *runs, size_t count,
                 const struct smc_report_style *style, struct smc_text *out);

    /* Runs compared. */
    void (*series)(const struct smc_series *series, const struct smc_report_style *style,
                   struct smc_text *out);

    /* The requested run on every GPU of the machine; a GPU that failed has its error instead of
       its runs. */
    void (*all_gpus)(const struct smc_all_gpus *all, const struct smc_report_style *style,
                     struct smc_text *out);

    /* The reports of many GPUs, combined: of runs, and of checks. Either may be NULL; CSV has one
       of them. */
    void (*merge)(const struct smc_merged *merged, const struct smc_fleet *fleet,
                  const struct smc_report_style *style, struct smc_text *out);

    /* The user's own kernel, launched. */
    void (*own)(const struct smc_user_run *run, const struct smc_confirmation *confirmation,
                const struct smc_report_style *style, struct smc_text *out);

    /* One device in full, or several in a table. `ceilings` of each, or NULL; they are shown of one
       device, as text alone: JSON is what device files are. */
    void (*devices)(const struct smc_device *devices, const struct smc_ceilings *ceilings,
                    size_t count, const struct smc_report_style *style, struct smc_text *out);

    /* What a GPU was measured to reach; `kept_in`: the file that has it now, or NULL. */
    void (*calibration)(const struct smc_calibration *calibration, const char *kept_in,
                        const struct smc_report_style *style, struct smc_text *out);

    /* smemcalc limits, carveout and best: one device, or several compared. An answer of
       carveout without a launch (0 threads) has only the sizes. */
    void (*headroom)(const struct smc_answer *answers, const struct smc_headroom *headroom,
                     size_t count, const struct smc_report_style *style, struct smc_text *out);
    void (*carveouts)(const struct smc_answer *answers, const struct smc_carveouts *carveouts,
                      size_t count, const struct smc_report_style *style, struct smc_text *out);
    void (*best)(const struct smc_best *best, size_t count, const struct smc_report_style *style,
                 struct smc_text *out);

    /* Of each kernel of a file on each device, in this order, only the proposal. */
    void (*best_of_kernels)(const struct smc_best_proposal *proposals, size_t count,
                            const struct smc_report_style *style, struct smc_text *out);

    /* The user's kernels, each on its devices: appends the report from row `first` on, and returns
       the row to go on with, or rows->count at its end. `out` may be emptied between the calls:
       the JSON of a library takes hundreds of megabytes. */
    size_t (*inspection)(const struct smc_inspect_rows *rows, size_t first,
                         const struct smc_report_style *style, struct smc_text *out);

    /* What the launch bounds of the user's kernels promise. */
    void (*promises)(const struct smc_inspect_promises *promises,
                     const struct smc_report_style *style, struct smc_text *out);

    /* Two builds compared. */
    void (*diff)(const struct smc_diff *diff, const struct smc_report_style *style,
                 struct smc_text *out);

    /* The shapes of a kernel, ranked and measured; style->most_kernels: lines of the table. */
    void (*tune)(const struct smc_tune *tune, const struct smc_report_style *style,
                 struct smc_text *out);

    /* Every kernel that a program launched; style->most_kernels: of the table. */
    void (*trace)(const struct smc_trace_answer *answer, const struct smc_report_style *style,
                  struct smc_text *out);

    void (*kernels)(const struct smc_report_style *style, struct smc_text *out);

    /* What was found on this machine. */
    void (*doctor)(const struct smc_doctor *doctor, const struct smc_report_style *style,
                   struct smc_text *out);

    void (*banks)(const struct smc_banks_answer *answer, const struct smc_report_style *style,
                  struct smc_text *out);

    void (*kernel_banks)(const struct smc_kernel_banks *banks, const struct smc_report_style *style,
                         struct smc_text *out);

    /* A sweep, a point at a time: before the first, each answer in order (`why` as for
       smc_sweep_visitor), after the last. `out` may be emptied between the calls. */
    void (*sweep_begin)(const struct smc_sweep *sweep, struct smc_text *out);
    void (*sweep_point)(const struct smc_sweep *sweep, uint64_t point,
                        const struct smc_answer *answer, const char *why, struct smc_text *out);
    void (*sweep_end)(const struct smc_sweep_result *result, const struct smc_report_style *style,
                      struct smc_text *out);
    bool sweep_needs_points;        /* sweep_end reads result->point */
    bool sweep_needs_whole_answers; /* sweep_point reads the answer's work and next steps */
};

/* NULL: no writer has that name. */
const struct smc_writer *smc_writer_find(const char *name);

extern const struct smc_writer smc_writer_text;
extern const struct smc_writer smc_writer_json;
extern const struct smc_writer smc_writer_csv;

#endif
