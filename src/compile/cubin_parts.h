/* The steps of reading machine code. Each is SMC_OK, or SMC_USAGE with what is damaged. */
#ifndef SMC_COMPILE_CUBIN_PARTS_H
#define SMC_COMPILE_CUBIN_PARTS_H

#include <gelf.h>

#include "compile/cubin.h"

/* What is told of a kernel besides its figures, to be held against them. */
struct smc_cubin_claims {
    uint32_t code_regs; /* beside the code: without what it calls */
    bool has_frame, has_least_stack;
    uint32_t least_stack;    /* with what it calls */
    uint32_t constant_bytes; /* of the bank that holds its parameters at the end */
    bool has_attributes, has_bank, has_parameters;
    uint32_t bank_end, bank_bytes; /* the parameters within that bank */
    uint32_t parameter_bytes;
    uint32_t parameters_end; /* of the last one */
};

struct smc_cubin_section {
    GElf_Shdr header;
    Elf_Scn *content;
    const char *name;
    bool is_function;                /* code that a symbol names */
    struct smc_cubin_kernel *kernel; /* whose code it is; NULL: no kernel's */
};

struct smc_cubin_reading {
    size_t bytes; /* of the file */
    GElf_Ehdr header;
    struct smc_cubin_section *section; /* by their index */
    size_t section_count;
    Elf_Data *symbols, *far_sections;  /* the second may be NULL */
    size_t symbol_count, symbol_names; /* the section of their names */
    struct smc_cubin *cubin;
    struct smc_cubin_claims *claims; /* as cubin->kernel */
    struct smc_error *error;
};

/* The header, and the sections: each within the file. Allocates `section`. */
enum smc_status smc_cubin_read_sections(struct smc_cubin_reading *reading);

/* The segments: within the file, and as much memory as the sections ask for. */
enum smc_status smc_cubin_check_segments(const struct smc_cubin_reading *reading);

/* The architecture, from the header and the compiler's note. */
enum smc_status smc_cubin_read_target(const struct smc_cubin_reading *reading);

/* The symbols of kernels, each with its code. Allocates the kernels. */
enum smc_status smc_cubin_find_kernels(struct smc_cubin_reading *reading);

/* What the other sections tell of each kernel, then whether that agrees. */
enum smc_status smc_cubin_read_kernels(const struct smc_cubin_reading *reading);

/* The attributes in a section .nv.info or .nv.info.KERNEL; `kernel` is NULL where they are not one
   kernel's. */
enum smc_status smc_cubin_read_attributes(const struct smc_cubin_reading *reading,
                                          const struct smc_cubin_section *section,
                                          struct smc_cubin_kernel *kernel);

struct smc_cubin_claims *smc_cubin_claims_of(const struct smc_cubin_reading *reading,
                                             const struct smc_cubin_kernel *kernel);

/* The kernel whose code the symbol names; NULL where it names none. False: no such symbol. */
bool smc_cubin_kernel_of(const struct smc_cubin_reading *reading, uint32_t symbol,
                         struct smc_cubin_kernel **kernel);

/* What stands behind the prefix, or NULL where the name begins otherwise. */
const char *smc_cubin_behind(const char *name, const char *prefix);

#endif
