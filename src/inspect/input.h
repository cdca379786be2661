/* One input: its bytes, and what they are. */
#ifndef SMC_INSPECT_INPUT_H
#define SMC_INSPECT_INPUT_H

#include "base/status.h"
#include "base/text.h"

enum smc_input_kind {
    SMC_INPUT_UNKNOWN,
    SMC_INPUT_LOG,      /* ptxas, nvlink, cuobjdump */
    SMC_INPUT_SOURCE,   /* CUDA C++ */
    SMC_INPUT_PTX,      /* the compiler's assembly text */
    SMC_INPUT_CUBIN,    /* machine code alone */
    SMC_INPUT_EMBEDDED, /* a program, an object, a library, a container of machine code */
};

/* Reads all of a file, or of standard input for "-". SMC_USAGE: it cannot be read. */
enum smc_status smc_input_read(const char *file, struct smc_text *bytes, struct smc_error *error);

/* From the content; where that leaves a choice, from the name. */
enum smc_input_kind smc_input_kind(const char *file, const struct smc_text *bytes);

/* Makes binary zeros and carriage returns line ends, so that all of a text is read. */
void smc_input_make_text(struct smc_text *bytes);

#endif
