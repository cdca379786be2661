/* From the names on the command line to the list of files to read: single files, the files in
   folders, and the entries of a compile_commands.json. */
#ifndef SMC_INSPECT_INPUTS_H
#define SMC_INSPECT_INPUTS_H

#include <stdbool.h>
#include <stddef.h>

#include "inspect/kernels.h"

enum smc_input_content {
    SMC_CONTENT_UNKNOWN, /* named by the user: its reader decides */
    SMC_CONTENT_NONE,
    SMC_CONTENT_CODE, /* machine code, alone or in another file */
    SMC_CONTENT_LOG,
    SMC_CONTENT_PTX,
    SMC_CONTENT_SOURCE,
    SMC_CONTENT_HEADER, /* CUDA source to be included */
};

/* One file to read. */
struct smc_input {
    char *file; /* kernels point to it */
    enum smc_input_content content;
    const char *folder; /* in which it was found, as the user named it; NULL: named itself */

    /* Of a compile_commands.json: the options of its entry, and its architectures (0: none). */
    char **argument;
    size_t argument_count;
    struct smc_inspect_target *target;
    size_t target_count;
    char *output;      /* that the entry writes; NULL: it does not say */
    size_t number;     /* of the entry, from 1 */
    char *label;       /* shown instead of the file's name, which other entries share; NULL: none */
    bool may_be_empty; /* an entry of such a file, or a member of an archive: one without kernels
                          is no fault */
};

/* Start from {0}. */
struct smc_inputs {
    struct smc_input *item;
    size_t count, capacity;
};

/* Appends an input with a copy of the name, and zeros. NULL: out of memory. */
struct smc_input *smc_inputs_add(struct smc_inputs *inputs, const char *file);

/* Reads everything named: a FILE is a file, "-", a folder or a compile_commands.json. Whatever
   cannot be read is a line of notes->faults, and the rest is added. SMC_USAGE or SMC_UNAVAILABLE
   if there is such a line; SMC_MACHINE: memory. The kernels point into `inputs`. */
enum smc_status smc_inputs_read(char *const *file, size_t count,
                                const struct smc_inspect_request *request,
                                struct smc_inputs *inputs, struct smc_inspect_kernels *kernels,
                                struct smc_inspect_notes *notes);

void smc_inputs_free(struct smc_inputs *inputs);

#endif
