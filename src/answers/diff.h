/* Two builds compared, kernel by kernel and device by device. */
#ifndef SMC_ANSWERS_DIFF_H
#define SMC_ANSWERS_DIFF_H

#include "answers/inspect.h"

enum smc_diff_change {
#define CHANGE(id, ...) SMC_DIFF_##id,
#include "answers/judge/changes.def"
    SMC_DIFF_CHANGE_COUNT
};

/* The gravest change of a kernel, on one device or on all. */
enum smc_diff_verdict {
    SMC_DIFF_CLIFF,   /* fewer resident blocks, less occupancy, or no launch at all */
    SMC_DIFF_SPILLED, /* more spills, but as many blocks */
    SMC_DIFF_WORSE,   /* more of another resource, or a launch bound lost */
    SMC_DIFF_CHANGED, /* other launch bounds or another limiter: neither worse nor better */
    SMC_DIFF_BETTER,
    SMC_DIFF_SAME,
    SMC_DIFF_REMOVED, /* only in the old build */
    SMC_DIFF_ADDED,   /* only in the new build */
    SMC_DIFF_VERDICT_COUNT
};

struct smc_diff_pair {
    const struct smc_device *device;
    /* The kernel in each build; `kernel` is NULL in a build that does not have it. If the block
       size is unknown, launch.threads_per_block is 0, `sizes` are compared, and `occupancy` is the
       one at the best size. `device`, `banks` and `bounded` are not set. */
    struct smc_inspect_row before, after;
    enum smc_diff_verdict verdict;
    uint32_t worse, better;            /* bit n: enum smc_diff_change n */
    uint32_t lost_sizes, gained_sizes; /* bit n: at 32 (n + 1) threads fewer or more blocks; 0 where
                                          the block size is known */
    double loss;       /* of occupancy, in percentage points; for unknown block sizes the average */
    size_t group;      /* equal for the pairs of one kernel */
    bool is_renamed;   /* matched by similarity */
    bool is_ambiguous; /* one of several kernels with this name, matched in order */
    bool is_undecided; /* blocks and occupancy are not compared: they depend on dynamic shared
                          memory that is unknown */
    uint32_t excused;  /* of `worse`: what a gate tolerates or allows */
    char *excuse;      /* in words: "registers tolerated by [diff]"; NULL: nothing to say */
};

/* How the builds differ as a whole. */
enum smc_diff_note_kind {
    SMC_DIFF_NOTE_TOOLKIT,      /* `before`, `after`: the toolkits */
    SMC_DIFF_NOTE_OPTIONS,      /* ... the compiler's options, "" for none */
    SMC_DIFF_NOTE_ARCHITECTURE, /* ... the architectures compiled for */
    SMC_DIFF_NOTE_ONLY_OLD,     /* `before`: a device that no new kernel was compiled for */
    SMC_DIFF_NOTE_ONLY_NEW,
    SMC_DIFF_NOTE_SPILLS_UNKNOWN,       /* in one build or in both */
    SMC_DIFF_NOTE_BARRIERS_UNKNOWN,     /* ... those of the other build are assumed */
    SMC_DIFF_NOTE_DYNAMIC_SMEM_UNKNOWN, /* pairs that are undecided */
    SMC_DIFF_NOTE_RESEMBLING, /* removed kernels that several added ones resemble equally */
    SMC_DIFF_NOTE_KIND_COUNT
};

struct smc_diff_note {
    enum smc_diff_note_kind kind;
    char before[64], after[64];
    size_t count; /* pairs of a kernel and a device that it is about */
};

enum { SMC_DIFF_MOST_NOTES = 24 };

/* Start from {0}. The kernels belong to the two lists, which must outlive it. */
struct smc_diff {
    struct smc_diff_pair *pair; /* gravest first; of one kernel adjacent */
    size_t count, capacity;
    struct smc_device *device;
    size_t device_count;
    size_t kernels[SMC_DIFF_VERDICT_COUNT]; /* by their gravest verdict */
    size_t renamed;                         /* kernels; also counted in `kernels` */
    size_t compared;                        /* kernels in both builds */
    size_t compared_pairs;                  /* pairs of such a kernel and a device */
    struct smc_diff_note note[SMC_DIFF_MOST_NOTES];
    size_t note_count;
    size_t excused; /* kernels that are worse only in what a gate excuses; in `kernels`, too */
};

/* Compares at the block size that the request, the kernel or its counterpart states, else at every
   one. SMC_USAGE as smc_inspect_answer, or if the builds have no architecture in common;
   SMC_MACHINE: memory. To be freed whatever the status. */
enum smc_status smc_diff_compare(const struct smc_inspect_kernels *before,
                                 const struct smc_inspect_kernels *after,
                                 const struct smc_inspect_request *request, struct smc_diff *diff,
                                 struct smc_error *error);

void smc_diff_free(struct smc_diff *diff);

/* The number of kernels that are worse in any respect. */
size_t smc_diff_worse(const struct smc_diff *diff);

/* "registers", "cliff": names in scripts. */
const char *smc_diff_change_name(enum smc_diff_change change);
const char *smc_diff_verdict_name(enum smc_diff_verdict verdict);

#endif
