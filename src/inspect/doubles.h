/* Inputs that stand for the same kernels: one file under several names, and sources of which a
   folder has the compiled code. */
#ifndef SMC_INSPECT_DOUBLES_H
#define SMC_INSPECT_DOUBLES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "inspect/inputs.h"

/* Files and folders by their place on disk, each with an index. Start from {0}. */
struct smc_places {
    struct smc_place *slot;
    size_t count, capacity;
};

/* False: not among them. `index` may be NULL. */
bool smc_places_find(const struct smc_places *places, dev_t device, ino_t number, size_t *index);

/* The place must not be among them. False: out of memory. */
bool smc_places_add(struct smc_places *places, dev_t device, ino_t number, size_t index);

void smc_places_free(struct smc_places *places);

/* From `begin` on, sets the content of what another of these inputs replaces to SMC_CONTENT_NONE:
   source and PTX whose compiled code is there ("scan.o" for "scan.cu"), and headers if anything
   else is. `count`: how many. False: out of memory. */
bool smc_inputs_leave_out(struct smc_inputs *inputs, size_t begin, size_t *count);

#endif
