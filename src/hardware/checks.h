/* Check reports of many GPUs combined: which of them are healthy, which nodes to drain and why,
   which GPUs are slower than their peers. Per GPU only what is compared is kept, so that a hundred
   thousand GPUs fit in little memory.

     smc_checks_read_line, smc_checks_read_object    reports of `smemcalc check` -> GPUs and nodes
     smc_fleet_judge                                 -> what to drain, stragglers, missing nodes */
#ifndef SMC_HARDWARE_CHECKS_H
#define SMC_HARDWARE_CHECKS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "hardware/fleet/hostlist.h"
#include "hardware/fleet/stragglers.h"

/* --- Reports ---------------------------------------------------------------------------------- */

enum smc_checked {
    SMC_CHECKED_HEALTHY,
    SMC_CHECKED_DIFFERS,
    SMC_CHECKED_FAILED,
    SMC_CHECKED_COUNT
};

extern const char *const smc_checked_names[SMC_CHECKED_COUNT]; /* "healthy", "differs", "failed" */

enum smc_check_figure {
#define COMPARED(id, ...) SMC_CHECK_##id,
#include "hardware/fleet/health_figures.def"
    SMC_CHECK_FIGURE_COUNT
};

struct smc_check_figure_kind {
    const char *key, *label, *unit;
    double scale; /* units of the key per unit for people */
    bool higher_is_better;
};

extern const struct smc_check_figure_kind smc_check_figures[SMC_CHECK_FIGURE_COUNT];

enum {
    SMC_MOST_CHECKED_GPUS = 2000000, /* of all reports */
    SMC_MOST_GPUS_OF_A_REPORT = 1024,
    SMC_MOST_BOARDS = 256,
    SMC_LONGEST_FAULT = 160, /* characters that are kept of why a GPU is not healthy */
};

/* Texts are offsets in smc_checks.texts; 0 is "". */
struct smc_checked_gpu {
    uint32_t node, board;    /* indices */
    uint32_t uuid, fault;    /* texts */
    uint32_t line;           /* of the report, from 1 */
    int32_t rank, gpu_index; /* -1: unknown */
    enum smc_checked health;
    uint64_t identity;                    /* equal for reports of one GPU of a node */
    float figure[SMC_CHECK_FIGURE_COUNT]; /* NaN: not reported */
};

struct smc_checked_node {
    uint32_t name, error; /* texts; an error of the whole host */
    bool expected;
    uint32_t gpus, bad; /* set by smc_fleet_judge */
    size_t worst;       /* index of a GPU, likewise */
};

struct smc_board {
    uint32_t name; /* a text */
    bool mig;
};

/* Start from {0}; free in any case. */
struct smc_checks {
    struct smc_checked_gpu *gpu;
    struct smc_checked_node *node;
    struct smc_board board[SMC_MOST_BOARDS];
    size_t gpu_count, gpu_capacity, node_count, node_capacity, board_count;
    uint32_t *slot; /* a hash table of node indices + 1; its size is a power of two */
    size_t slot_count;
    struct smc_text texts;
    size_t reports, repeated; /* GPUs that were reported before; set by smc_fleet_judge */
};

const char *smc_checks_text(const struct smc_checks *checks, uint32_t offset);

/* The index of the node of that name, which is added if it is new; SIZE_MAX: out of memory. */
size_t smc_checks_node(struct smc_checks *checks, const char *name);

/* A new text. 0 if it is empty, or out of memory (then texts.failed). */
uint32_t smc_checks_keep(struct smc_checks *checks, const char *text);

/* A zeroed GPU at the end; NULL: out of memory. */
struct smc_checked_gpu *smc_checks_add_gpu(struct smc_checks *checks);

void smc_checks_free(struct smc_checks *checks);

/* Where reports come from, and what is wrong with them. */
struct smc_check_reader {
    struct smc_checks *checks;
    const char *file;          /* safe for a terminal */
    size_t line;               /* of the report */
    struct smc_text *problems; /* receives lines "all.json:12: ..." */
    size_t found;              /* reports, usable or not */
    size_t problem_count;      /* reports that could not be used */
    size_t cut;                /* reports that were cut off, but named their node */
    bool out_of_memory;
};

/* Whether the line contains a report of a check, or the beginning of one. Tools put the name of a
   node or rank before it ("3: ", "node1: ", "[1,3]<stdout>:"): `start` receives its first bracket.
 */
bool smc_checks_find(const char *line, size_t length, size_t *start);

/* Adds the reports in a line for which smc_checks_find is true: usually one. A report that was cut
   off fails its node. */
void smc_checks_read_line(struct smc_check_reader *reader, const char *line, size_t length);

/* Adds one report. `prefix` names the node if the report does not; NULL: unknown. */
void smc_checks_read_object(struct smc_check_reader *reader, const json_t *object,
                            const char *prefix);

/* --- Judgement -------------------------------------------------------------------------------- */

/* Which nodes should have reported; {0}: unknown. */
struct smc_fleet_expected {
    bool given;
    struct smc_hostlist names; /* or else only */
    size_t count;              /* how many */
};

struct smc_fleet_drain {
    const char *node;
    char *reason; /* one line without quotes, '$', '`' or '\': safe between double quotes */
};

struct smc_fleet_straggler {
    const struct smc_checked_gpu *gpu;
    enum smc_check_figure figure;
    double value, median, slower; /* by which share */
};

/* One figure of all GPUs of a board. */
struct smc_fleet_spread {
    const struct smc_board *board;
    enum smc_check_figure figure;
    struct smc_peer_spread peers;
    size_t stragglers;
};

struct smc_fleet {
    const struct smc_checks *checks;
    size_t gpus, health[SMC_CHECKED_COUNT], nodes;
    struct smc_fleet_drain *drain; /* by name; nodes without a report last */
    size_t drain_count, silent;    /* of these, nodes without a report */
    size_t missing;    /* nodes without a report: `silent`, or as many as are short of the count */
    size_t unexpected; /* nodes that reported, though not in the list */
    size_t failed_nodes; /* whose check failed as a whole, or whose report is cut off */
    struct smc_fleet_straggler *straggler; /* the slowest first */
    size_t straggler_count, straggling_gpus;
    struct smc_fleet_spread *spread;
    size_t spread_count;
};

/* Reports of the same GPU become one: with the worst verdict and the median of each figure.
   `drain_stragglers`: drain their nodes, too. SMC_SHORTFALL: a GPU is not healthy, or a
   node should be drained or is missing. SMC_MACHINE: out of memory. `checks` must outlive `out`;
   free `out` in any case. */
enum smc_status smc_fleet_judge(struct smc_checks *checks,
                                const struct smc_fleet_expected *expected, bool drain_stragglers,
                                struct smc_fleet *out, struct smc_error *error);

/* The worst that was seen: "failed", "differs", "incomplete" (nodes are missing), "slow" (a node is
   to be drained because of a straggler), or "healthy". */
const char *smc_fleet_verdict_name(const struct smc_fleet *fleet);

void smc_fleet_free(struct smc_fleet *fleet);

#endif
