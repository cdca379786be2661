/* Chooses a block size or tile: evaluates every possible one, and chooses among them with
   reasons. */
#ifndef SMC_ANSWERS_BEST_H
#define SMC_ANSWERS_BEST_H

#include <stddef.h>
#include <stdint.h>

#include "answers/query.h"
#include "rules/allocation.h"

enum {
    SMC_MAX_CANDIDATES = 64,
};

struct smc_candidate {
    int64_t size; /* the tile's edge, or the threads of a block */
    struct smc_choice choice;
    struct smc_answer answer;
    double use;             /* share of the SMs' thread slots, on average over the launch */
    uint32_t architectures; /* that can launch it, of smc_best.architectures */
};

struct smc_best {
    const char *option; /* what is chosen: "tile", "block" or "threads" */
    uint32_t architectures;
    int64_t total_threads; /* of the whole launch, or SMC_NOT_GIVEN */
    bool quick;            /* only the proposal is needed: sizes that cannot win are skipped */
    bool by_time;          /* every size that launches has a predicted time, by which they rank */
    char no_time[200];     /* why one has none, if it was asked for; or "" */
    size_t count;
    struct smc_candidate candidate[SMC_MAX_CANDIDATES]; /* by size, ascending */
    size_t order[SMC_MAX_CANDIDATES]; /* candidates in order: the proposal first, then by how late a
                                         rule dropped them and how close to the best they were by
                                         that rule */
};

/* What remains of a choice when only its result is needed. */
struct smc_best_proposal {
    const char *option;
    uint32_t architectures;
    int64_t total_threads;
    bool by_time;
    struct smc_candidate candidate; /* the proposal, or the first size if none launches */
};

/* Whether the kernel of the catalog has a tile or a block size. */
bool smc_best_has_choice(const struct smc_kernel *kernel);

/* Evaluates `query` for each size: tiles from 1 upwards for a kernel with a tile, else blocks of
   whole warps. A kernel is compiled for each size. Problem sizes that are not given are those of
   the kernel's default block. Errors as for smc_query_answer; SMC_USAGE if the kernel has neither a
   tile nor a block size. */
enum smc_status smc_best_find(const struct smc_query *query, int64_t total_threads,
                              struct smc_best *best, struct smc_text *warnings,
                              struct smc_error *error);

/* Predicts the time of each size that launches, which takes some milliseconds for each, and ranks
   them by it, on `count` devices; as before if one has no prediction. For kernels of the catalog;
   others stay as they are. SMC_MACHINE: memory. */
enum smc_status smc_best_rank_by_time(struct smc_best *best, size_t count, struct smc_error *error);

/* The number of lanes without a thread in a block's last warp. */
uint32_t smc_best_idle_lanes(const struct smc_answer *answer);

/* Bytes of global memory that a row of a block's threads (along x) accesses, with one element per
   thread; 0 without a kernel of the catalog. */
uint64_t smc_best_row_bytes(const struct smc_answer *answer);

/* Whether a file's kernel can have no other block size, or its launch bounds allow no larger one,
   with which the occupancy could be higher. */
bool smc_best_is_forced(const struct smc_answer *answer);

/* How full the waves are on average, 0 to 1. */
double smc_best_fill(const struct smc_answer *answer);

/* Bytes that the threads load from and store to global memory; 0 if unknown. */
double smc_best_moved_bytes(const struct smc_answer *answer);

/* The proposal; NULL if nothing can be launched. */
const struct smc_candidate *smc_best_proposal(const struct smc_best *best);

/* Keeps the result; and makes of it a choice with one candidate, in memory of the caller. */
void smc_best_keep(const struct smc_best *best, struct smc_best_proposal *kept);
void smc_best_restore(const struct smc_best_proposal *kept, struct smc_best *best);

/* --- Candidates ------------------------------------------------------------------------------- */

/* The launches among which `best` chooses, each with its predicted time: what occupancy costs and
   buys. */

struct smc_candidates {
    const char *option; /* "tile", "block" or "threads" */
    size_t count;       /* all launch */
    struct smc_answer answer[SMC_MAX_CANDIDATES];
    int64_t size[SMC_MAX_CANDIDATES];                    /* of the option */
    size_t predicted;                                    /* how many have a time */
    char reason[sizeof(((struct smc_time *)0)->reason)]; /* why no time is predicted, or "" */
};

/* From the result of smc_best_find. SMC_MACHINE: memory. */
enum smc_status smc_candidates_find(const struct smc_best *best, struct smc_candidates *out,
                                    struct smc_error *error);

#endif
