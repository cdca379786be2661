/* The launch bounds that PTX declares: ptxas respects them, but machine code records only some of
   them. */
#ifndef SMC_CODE_PTX_FACTS_H
#define SMC_CODE_PTX_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct smc_ptx_kernel {
    const char *name; /* in the text, not ended by '\0' */
    size_t name_length;
    uint32_t max_threads_per_block;      /* .maxntid or .reqntid; 0: none */
    uint32_t min_blocks_per_sm;          /* .minnctapersm; 0: none */
    uint32_t required_threads_per_block; /* .reqntid; 0: none */
    uint32_t block[3]; /* the shape that either states; {0}: none, or only a number */
};

/* The next word, or a single other character, past blanks, comments and strings; `length` is 0 at
   the end of the text. */
const char *smc_ptx_token(const char **cursor, size_t *length);

/* `cursor` starts at the beginning of the text. */
bool smc_ptx_next(const char **cursor, struct smc_ptx_kernel *kernel);

/* A parameter of a kernel, or a variable of the module in global or constant memory. */
struct smc_ptx_variable {
    const char *name; /* in the text, not ended by '\0' */
    size_t name_length;
    char type[8];     /* "u64", "f32", "b8" */
    uint64_t bytes;   /* the whole size; 0: it is not known here */
    bool is_array;    /* of a parameter: a structure passed by value */
    uint32_t align;   /* 0: that of the type */
    bool is_constant; /* of a variable of the module: in constant memory */
};

/* Fills up to `capacity` of the kernel's parameters, in order. Returns how many it has. */
size_t smc_ptx_params(const struct smc_ptx_kernel *kernel, struct smc_ptx_variable *params,
                      size_t capacity);

/* `cursor` starts at the beginning of the text. */
bool smc_ptx_next_variable(const char **cursor, struct smc_ptx_variable *variable);

/* The bytes of a kernel's parameters, which are laid out as the members of a structure. */
uint64_t smc_ptx_parameter_bytes(const struct smc_ptx_kernel *kernel);

/* What a kernel's PTX says of memory beside registers and shared memory. */
struct smc_ptx_memory {
    bool is_known;            /* there is PTX */
    uint64_t parameter_bytes; /* of the kernel */
    /* Of the module: all __constant__ and __device__ variables that the compiler kept, with the
       texts of printf; of unsized ones that other modules define 0. */
    uint64_t constant_bytes, global_bytes;
};

/* Sets the module's members. */
void smc_ptx_module_memory(const char *ptx, struct smc_ptx_memory *memory);

/* The architecture that the text is written for: 90 and 'a' for sm_90a, else 0 for the letter.
   False if it names none: then it is not PTX. */
bool smc_ptx_target(const char *text, uint16_t *cc, char *suffix);

#endif
