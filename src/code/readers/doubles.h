/* Inputs that stand for the same kernels: one file under several names, and sources of which a
   folder has the compiled code. */
#ifndef SMC_CODE_DOUBLES_H
#define SMC_CODE_DOUBLES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "code/inputs.h"

/* Files and folders, identified by device and inode number, each with an index. Start from {0}. */
struct smc_double_places {
    struct smc_double_place *slot;
    size_t count, capacity;
};

/* Returns whether the place is known. `index` may be NULL. */
bool smc_double_places_find(const struct smc_double_places *places, dev_t device, ino_t number,
                            size_t *index);

/* The place must not be known yet. False: out of memory. */
bool smc_double_places_add(struct smc_double_places *places, dev_t device, ino_t number,
                           size_t index);

void smc_double_places_free(struct smc_double_places *places);

/* Sets the content of inputs from `begin` on to SMC_CONTENT_NONE if another of them replaces them:
   source and PTX with compiled code ("scan.o" for "scan.cu"), and headers if there is any other
   input. `count`: the number of these inputs. False: out of memory. */
bool smc_inputs_leave_out(struct smc_inputs *inputs, size_t begin, size_t *count);

#endif
