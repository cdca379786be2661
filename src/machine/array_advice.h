/* What removes the bank conflicts of a shared array, from all accesses to it. */
#ifndef SMC_MACHINE_ARRAY_ADVICE_H
#define SMC_MACHINE_ARRAY_ADVICE_H

#include "base/status.h"
#include "machine/emulator.h"
#include "machine/emulator/access_log.h"

struct smc_array_advice {
    char array[96];                     /* its name; "": unknown */
    uint64_t first_byte, bytes;         /* bytes 0: dynamic shared memory */
    struct smc_declared_array declared; /* dimensions 0: the declaration is not known */
    bool has_members; /* its elements are, or it is, of a type that is not built in: structs, arrays
                       */
    bool has_fragments; /* wmma accesses it, given the distance of its rows */
    struct smc_layout_advice layout;
};

struct smc_array_question {
    const struct smc_program *program;
    const struct smc_access_log *log; /* of all accesses to the array */
    const struct smc_bank_layout *banks;
    const struct smc_declared_array *declared; /* the arrays of the source */
    size_t declared_count;
    uint32_t address; /* in the array */
};

/* Names the array and finds its declaration. */
void smc_array_describe(const struct smc_array_question *question, struct smc_array_advice *advice);
/* Fills `layout` for the described array. SMC_MACHINE: out of memory. */
enum smc_status smc_array_advise(const struct smc_array_question *question,
                                 struct smc_array_advice *advice);

#endif
