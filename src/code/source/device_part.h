/* The device part of a CUDA source: the source and its headers without the host's functions, types
   and headers, so that NVRTC, which compiles no host code, can compile it. Lines keep their
   numbers. */
#ifndef SMC_CODE_DEVICE_PART_H
#define SMC_CODE_DEVICE_PART_H

#include "code/source/instantiations.h"
#include "code/source_tree.h"

/* Start from {0}. */
struct smc_device_part {
    struct smc_source_tree tree;
    struct smc_instantiations instances;
    struct smc_name_set used; /* the names in what is kept */
    struct smc_text missing;  /* "file:line: #include <header>": not found, a line each */
    struct smc_text rejected; /* the first error because of which a declaration was omitted */
    bool as_nvrtc;            /* macros that name the compiler are NVRTC's, instead of nvcc's */
};

/* Reads the source and decides what to keep. Arguments as for smc_source_tree_read. Always free
   it. */
enum smc_status smc_device_part_read(const char *file, const char *text, const char *options,
                                     const char *toolkit, struct smc_device_part *part,
                                     struct smc_error *error);
void smc_device_part_free(struct smc_device_part *part);

/* Whether the part is the whole source: nothing of its own files is left out. */
bool smc_device_part_is_whole(const struct smc_device_part *part);

/* The first macro of the tree's files that names the compiler and differs between nvcc and NVRTC,
   such as __NVCC__; "" if there is none. What they write in conditions must be compiled as nvcc
   does. */
void smc_device_part_compiler_macro(const struct smc_source_tree *tree, struct smc_text *shown);

/* Appends the text of file `index` of the tree for the compiler. */
void smc_device_part_write(const struct smc_device_part *part, size_t index, struct smc_text *text);

/* Lists in `missing` the headers in active branches that were not found, by the compiler's log, and
   removes its warnings of them. */
void smc_device_part_note_missing(struct smc_device_part *part, struct smc_text *log);

/* Corrects the part by the compiler's errors: omits declarations that turn out to be host code, and
   keeps those that turn out to be missing. True if the part has changed: compile again. */
bool smc_device_part_correct(struct smc_device_part *part, const char *log);

#endif
