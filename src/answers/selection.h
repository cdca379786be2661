/* Which of many kernels to look at, and in which order: the worst first, only those that spill. */
#ifndef SMC_ANSWERS_SELECTION_H
#define SMC_ANSWERS_SELECTION_H

#include "answers/gate.h"

/* Kernels with equal values are in the order of SMC_ORDER_OCCUPANCY. */
enum smc_inspect_order {
    SMC_ORDER_FILE,      /* as read */
    SMC_ORDER_OCCUPANCY, /* the worst first: what cannot be launched, then the lowest occupancy,
                            then the most spilled bytes, then the most registers */
    SMC_ORDER_REGISTERS, /* the most first */
    SMC_ORDER_SPILLS,
    SMC_ORDER_SMEM,
    SMC_ORDER_THREADS,
    SMC_ORDER_NAME,
    SMC_ORDER_COUNT
};

/* A row is kept if it meets every condition that is set. If the block size is unknown, occupancy
   and limits are those of the best block size. What cannot be launched is limited by what refuses
   it. */
struct smc_inspect_filter {
    bool failing;         /* cannot be compiled or launched, or violates the gate */
    bool spilling;        /* has spills */
    bool unknown;         /* its block size is unknown */
    uint32_t limited_by;  /* a set of enum smc_limit: all of them bind */
    double below_percent; /* occupancy; of an unknown block size also exactly this, except 100, as
                             no size has more; 0: any */
};

/* Adds a condition: "failing", "spilling", "unknown", "limited-by=registers", "below=50"; several
   are joined by commas. SMC_USAGE names the option --only. */
enum smc_status smc_selection_filter_add(struct smc_inspect_filter *filter, const char *text,
                                         struct smc_error *error);

struct smc_inspect_selection {
    enum smc_inspect_order order;
    size_t top; /* the number of kernels kept; 0: all */
    struct smc_inspect_filter only;
    const struct smc_gate *gate; /* for `only.failing`; NULL: none */
    bool without_strays; /* without rows whose machine code does not load on the device, if other
                            code of their file does */
};

/* Sets rows->summary, removes the rows that the filter does not keep, sorts the kernels, each by
   the worst of its rows, and removes those after the first `top`. SMC_MACHINE: memory; nothing is
   changed. */
enum smc_status smc_selection_apply(struct smc_inspect_rows *rows,
                                    const struct smc_inspect_selection *selection,
                                    struct smc_error *error);

/* Whether `a` is worse than `b` in the order of the rows. */
bool smc_selection_is_worse(const struct smc_inspect_rows *rows, const struct smc_inspect_row *a,
                            const struct smc_inspect_row *b);

/* Whether the kernel's machine code loads on the device; true if its architecture is unknown. */
bool smc_selection_row_loads(const struct smc_inspect_row *row);

/* The highest occupancy of all block sizes, which the best one may miss by a little. */
double smc_selection_highest_percent(const struct smc_inspect_row *row);

/* Occupancy at the block size, or the highest if that is unknown. */
double smc_selection_percent(const struct smc_inspect_row *row);

/* Bytes that a thread spills: stores and loads; 0 if the input does not say. */
uint64_t smc_selection_spilled_bytes(const struct smc_inspect_row *row);

#endif
