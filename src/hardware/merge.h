/* Run reports of many GPUs combined: what each observed for the same question, and where they
   disagree. Below, a machine is a GPU of a host, or an emulator on it.

     smc_merge_feed, smc_merge_finish
                          JSON reports (`smemcalc run --format json`) -> reports
     smc_merge_compare    -> questions, their quantities, the machines' values and verdicts */
#ifndef SMC_HARDWARE_MERGE_H
#define SMC_HARDWARE_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/platform.h"
#include "base/status.h"
#include "base/text.h"
#include "hardware/checks.h"
#include "hardware/confirm/confirm.h"

enum { SMC_MOST_MERGED_REPORTS = 10000, SMC_MOST_MERGED_ROWS = 64 };

struct smc_merge_row {
    char quantity[64], unit[16];
    struct smc_reading seen[SMC_SOURCE_COUNT];
    char words[96];          /* the prediction if it is not a number */
    bool confirmed, differs; /* compared with its own machine's prediction, according to the
                                report */
};

/* One report of one machine. Its strings are safe for a terminal; "" if unknown. */
struct smc_merge_report {
    const char *file;
    size_t line; /* where its document begins */
    char host[SMC_HOST_NAME_CHARS], gpu_uuid[SMC_GPU_UUID_CHARS], device[128], cc[16];
    char node[SMC_HOST_NAME_CHARS]; /* Slurm's name, which tells apart nodes of one host */
    int32_t rank;                   /* of the process in its job; -1: none */
    char driver[SMC_GPU_VERSION_CHARS];
    char error[256]; /* of a GPU that failed */
    char *question;  /* "matmul-tiled: tile 32, seed 1"; NULL, without rows, if it failed early */
    struct smc_merge_row *row;
    size_t row_count;
    uint64_t contents;  /* a hash of the contents that ignores white space */
    size_t index;       /* in the order read */
    size_t original;    /* index of the first report with the same contents; set by
                           smc_merge_compare */
    size_t machine;     /* the same number for the same host and GPU; set likewise */
    size_t question_id; /* set likewise */
};

/* Start from {0}; free in any case. */
struct smc_merge {
    struct smc_merge_report *report;
    size_t count, capacity;
    struct smc_checks checks; /* reports of `smemcalc check`, which are compared by themselves */
    bool only_checks;         /* a file need not have a report, and its other lines are notes */
};

/* A line that a tool put a label before, to name the process that printed it. */
struct smc_labelled_line {
    uint64_t label; /* its hash */
    size_t label_length, at, length;
    size_t line, first; /* its number, and that of the first with the same label */
};

/* A file with one document or several, each a report, what `--gpu all` printed, or a list of such,
   that is read in pieces. Each line with the report of a check is used at once, so that memory does
   not grow with them; everything else is kept to its end. Tools that start a program on many nodes
   may have put a label before each line; lines of several processes may then be mixed. Set the
   first three members, of which `file` must outlive the reports; free in any case. */
struct smc_merge_input {
    struct smc_merge *merge;
    const char *file;
    struct smc_text *problems;
    struct smc_text line; /* the beginning of one that is not whole yet */
    struct smc_text rest;
    struct smc_text lines_text; /* of the labelled lines */
    struct smc_labelled_line *labelled;
    size_t labelled_count, labelled_capacity;
    size_t lines;
    bool has_checks; /* a line with the report of a check, or with its beginning */
    struct smc_check_reader checks;
};

enum { SMC_LARGEST_INPUT_BYTES = 256 << 20 };

/* SMC_USAGE: too large, with a message. SMC_MACHINE: out of memory. */
enum smc_status smc_merge_feed(struct smc_merge_input *input, const char *bytes, size_t count,
                               struct smc_error *error);

/* Adds the reports. Unusable documents are skipped and listed in `problems`, one line each
   ("all.json:12: ..."): SMC_USAGE. SMC_MACHINE: out of memory. Reports that do not state their
   machine or seed are accepted, with one line in `problems` for the first of them ("all.json:12:
   warning: ..."). */
enum smc_status smc_merge_finish(struct smc_merge_input *input);

void smc_merge_input_free(struct smc_merge_input *input);

void smc_merge_free(struct smc_merge *merge);

/* One machine's value of a quantity. */
struct smc_merged_value {
    const struct smc_merge_report *report;
    const struct smc_merge_row *row;
    size_t place; /* position of its quantity among those of the question */
    bool odd;     /* unlike its peers, or unlike its own prediction */
};

/* Values that are compared with each other. For counts, the machines have the same compute
   capability and the same prediction; for times and rates, the same device. */
struct smc_merged_peers {
    struct smc_merged_value *value;
    size_t count;
    struct smc_reading common; /* the most frequent value; for times and rates the median */
    double least, most;
};

enum smc_merge_verdict {
    SMC_MERGE_AGREE,
    SMC_MERGE_DISAGREE,
    SMC_MERGE_DIFFERS, /* from its own prediction, but machines with the same question agree */
    SMC_MERGE_OUTLIER,
    SMC_MERGE_ALONE, /* there is no other machine to compare with */
    SMC_MERGE_UNSEEN,
    SMC_MERGE_NOT_COMPARED, /* observed, but machines may differ in it */
};

struct smc_merged_quantity {
    const char *name, *unit;
    bool is_rate; /* a time, a rate or traffic that depends on caches: compared within a range */
    struct smc_merged_peers *peers;
    size_t peers_count;
    enum smc_merge_verdict verdict;
};

struct smc_merged_question {
    const char *text;
    const struct smc_merge_report **report; /* the reports of one machine are together */
    size_t report_count, machines;
    struct smc_merged_quantity *quantity;
    size_t quantity_count;
};

struct smc_merged {
    struct smc_merged_question *question;
    size_t question_count;
    const struct smc_merge_report **failed; /* GPUs that failed */
    size_t failed_count;
    const struct smc_merge_report **copy; /* duplicates of reports that are already counted */
    size_t copy_count;
    const struct smc_merge_report *all; /* by index, including copies */
    size_t machines, quantities;        /* compared quantities, over all questions */
    size_t emulators;                   /* of the machines */
    size_t disagreeing, differing, alone, outliers, unseen, not_compared;
    size_t uuid_chars; /* how many characters of a UUID distinguish the machines */

    const struct smc_merge_report **reports; /* the array that the members above point into */
    struct smc_merged_value *values;
    struct smc_merged_peers *peers;
    struct smc_merged_quantity *quantity_list;
};

/* A time or rate more than this from the median of its peers is an outlier. Hardware counters are
   noisy: a count is compared with its prediction, as in the report, and without a prediction it may
   deviate this much from its peers. Bytes of DRAM depend on caches and are only compared with their
   prediction, if the report does so. */
#define SMC_MERGE_OUTLIER_SHARE 0.10
#define SMC_MERGE_COUNTER_SHARE 0.02

/* SMC_SHORTFALL: machines disagree, or differ from their prediction, or a GPU failed; outliers are
   shown but do not affect the status. SMC_MACHINE: out of memory. `merge` must outlive `out`. Free
   `out` in any case. */
enum smc_status smc_merge_compare(struct smc_merge *merge, struct smc_merged *out,
                                  struct smc_error *error);

void smc_merged_free(struct smc_merged *merged);

/* "agree", "disagree", "differs", "outlier", "alone", "not measured", "not compared". */
const char *smc_merge_verdict_name(enum smc_merge_verdict verdict);

/* The worst verdict of all: "agree", "failed", "differs", "disagree"; "alone" if no values were
   compared. */
const char *smc_merged_verdict_name(const struct smc_merged *merged);

/* Slurm's name of the node, else that of the host; "" if unknown. */
const char *smc_merge_host(const struct smc_merge_report *report);

/* Whether the report names its host, but neither a GPU nor a driver. */
bool smc_merge_is_emulator(const struct smc_merge_report *report);

/* The value a machine observed: measured, else the API's answer, else emulated. */
struct smc_reading smc_merge_seen(const struct smc_merge_row *row);

/* --- Documents -------------------------------------------------------------------------------- */

/* A text of several JSON documents, one after the other, is split without parsing any: an error in
   one does not hide the others. */

enum { SMC_DEEPEST_DOCUMENT = 32, SMC_LARGEST_DOCUMENT_MIB = 16 };

/* The position of the search for the next document. Start from {.text, .length, .line = 1}; a byte
   order mark is skipped. */
struct smc_documents {
    const char *text;
    size_t length;
    size_t at, line;
    size_t unclosed; /* documents so far whose brackets do not close */
};

struct smc_document {
    const char *text;
    size_t length;
    size_t line;   /* where it begins, from 1 */
    bool too_deep; /* brackets are nested deeper than SMC_DEEPEST_DOCUMENT */
};

/* "compressed by zstd", "UTF-16", ...: what the bytes are if they cannot be JSON at all; else
   NULL. */
const char *smc_documents_foreign(const char *text, size_t length);

/* False if there are no more. Text that does not begin with a bracket is a document up to the end
   of its line. A document whose brackets do not close ends before the next line that begins with a
   brace. */
bool smc_documents_next(struct smc_documents *documents, struct smc_document *out);

#endif
