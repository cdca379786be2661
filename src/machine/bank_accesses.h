/* The bank conflicts of a kernel without running it: every access to shared memory in its PTX, with
   the wavefronts that it takes in each warp of a block.

   Each warp of one block is followed through the PTX. A register is known for each lane, exactly or
   up to a term that is the same for all lanes and whose alignment is known: a parameter, blockIdx,
   a loop counter. Such a term moves all addresses by the same distance, which changes no conflict.
   A branch whose outcome is known is taken as the warp takes it; of another branch all paths are
   followed. The wavefronts of an access are those of rules/banks.h. An access that cannot be
   followed has a reason, and is never estimated. What else may access shared memory, such as a call
   that was not inlined, is listed as an access that was not followed.

   The accesses are those of the PTX: ptxas may combine neighbouring scalar loads into wider ones.
   wmma.load and wmma.store count as the accesses that ptxas makes of them. */
#ifndef SMC_MACHINE_BANK_ACCESSES_H
#define SMC_MACHINE_BANK_ACCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "machine/array_advice.h"
#include "machine/emulator/arena.h"
#include "rules/banks.h"

enum smc_bank_verdict {
#define VERDICT(id, name, words) SMC_BANK_##id,
#include "machine/emulator/bank_verdicts.def"
    SMC_BANK_VERDICT_COUNT
};

/* "known" ...; the same for people. */
const char *smc_bank_verdict_name(enum smc_bank_verdict verdict);
const char *smc_bank_verdict_words(enum smc_bank_verdict verdict);

enum smc_bank_access_kind {
    SMC_BANK_BY_LANES,
    SMC_BANK_BY_CALL,       /* of a function that was not inlined */
    SMC_BANK_BY_DESCRIPTOR, /* wgmma */
    SMC_BANK_BY_ENGINE,     /* bulk copies */
    SMC_BANK_BY_UNKNOWN,    /* an instruction that is not decoded */
};

/* One instruction that accesses shared memory, or may. Text belongs to struct smc_bank_accesses and
   is safe for a terminal. */
struct smc_bank_access {
    enum smc_bank_verdict verdict;
    enum smc_bank_access_kind kind;
    const char *callee;    /* of a call: the function's name; NULL: unknown */
    const char *reason;    /* with NOT_FOLLOWED and DEPENDS: why, such as "index loaded from memory
                              at k.cu:12"; else NULL */
    const char *operation; /* "ld.shared.v4.f32" */
    uint32_t ptx_line;     /* from 1 */
    const char *file;      /* of the source; NULL: the PTX has no line table */
    uint32_t line;         /* in the file, from 1; 0: unknown */
    enum smc_bank_op op;   /* of verdict ATOMIC: SMC_BANK_STORE */
    uint32_t width_bytes;  /* of one lane */
    const char *array;     /* the shared variable; NULL: unknown */
    uint64_t array_bytes;  /* 0: dynamic shared memory, or unknown */

    /* With KNOWN, IF_ALL_ACTIVE and DEPENDS, summed over the executions that were followed: every
       warp of the block, and each iteration of a loop whose count is known; of other loops the
       first iteration and one that stands for all others. */
    uint64_t executions;
    uint64_t wavefronts, least; /* conflicts: wavefronts - least; see rules/banks.h */
    uint32_t fewest_conflicts;  /* of one execution */
    uint32_t most_conflicts;
    uint32_t worst_warp;     /* the first warp with the most conflicts */
    struct smc_access worst; /* what its lanes access, except for the unknown shared term */

    /* The distance between neighbouring lanes, if all of `worst` have the same. */
    bool has_stride;
    int64_t stride_bytes;

    /* What removes the conflicts of all accesses to the array; NULL: nothing can be said. */
    const struct smc_array_advice *advice;
};

struct smc_bank_accesses {
    struct smc_arena arena;
    struct smc_bank_access *item; /* in the order of the PTX */
    size_t count;
    uint32_t block[3];
    uint32_t warps;        /* of the block */
    bool uses_y, uses_z;   /* the kernel reads threadIdx.y, threadIdx.z or the block's sizes: its
                              conflicts depend on the block's shape */
    bool counts_are_exact; /* everything that decides which instructions run is known: the sums
                              are those of one block */
    size_t followed;       /* with verdict KNOWN, IF_ALL_ACTIVE, DEPENDS or NOT_REACHED */
    size_t counted;        /* all but those of verdict ATOMIC */
    size_t calls;          /* of these, calls that were not followed */
    uint64_t executions, wavefronts, least; /* sums of the items */
    size_t worst; /* the item with the most conflicts in one execution; `count`: none */
};

struct smc_bank_accesses_request {
    const char *ptx;
    size_t ptx_bytes;
    const char *entry;           /* the kernel's name in the PTX; NULL: the only one */
    uint32_t block[3];           /* threads, each at least 1, together at most 1024 */
    uint32_t dynamic_smem_bytes; /* what %dynamic_smem_size returns; 0 if the kernel does not ask */
    struct smc_bank_layout banks;              /* of the device: smc_bank_layout_of */
    const struct smc_declared_array *declared; /* the arrays of the source, for advice */
    size_t declared_count;
    uint64_t budget; /* instructions of warps, after which loops are no longer followed iteration by
                        iteration; 0: SMC_BANK_ACCESSES_BUDGET */
};

#define SMC_BANK_ACCESSES_BUDGET (UINT64_C(1) << 20)

/* Start from {0}, and free the result also after a failure. SMC_USAGE: not PTX, no such kernel, or
   an impossible block; SMC_MACHINE: memory. A kernel without accesses has a count of 0. */
enum smc_status smc_bank_accesses_find(const struct smc_bank_accesses_request *request,
                                       struct smc_bank_accesses *accesses, struct smc_error *error);
void smc_bank_accesses_free(struct smc_bank_accesses *accesses);

#endif
