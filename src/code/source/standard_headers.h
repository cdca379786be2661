/* Short versions of the C and C++ standard headers, with the declarations that kernels use, for
   NVRTC, which has none. */
#ifndef SMC_CODE_STANDARD_HEADERS_H
#define SMC_CODE_STANDARD_HEADERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* Headers of what nvcc has without any header: macros of the compiler, and all of these. */
#define SMC_HEADER_PREDEFINED "smemcalc/predefined.h"
#define SMC_HEADER_IMPLICIT   "smemcalc/implicit.h"

enum smc_header_use {
    SMC_HEADER_ALWAYS,
    SMC_HEADER_WITHOUT_TOOLKIT, /* where the CUDA Toolkit's own is not installed */
    SMC_HEADER_WITH_TOOLKIT,    /* where it is: shortens it */
};

struct smc_standard_header {
    const char *name, *text;
    enum smc_header_use use;
};

extern const struct smc_standard_header smc_standard_headers[];
extern const size_t smc_standard_header_count;

/* Whether the header is used. `is_found`: the CUDA Toolkit's header of that name is installed. */
bool smc_standard_header_applies(const struct smc_standard_header *header, bool is_found);

/* The header of that name; NULL if there is none. */
const struct smc_standard_header *smc_standard_header_find(const char *name, size_t length);

/* Headers of the toolkit that are adapted for NVRTC, by which <cstdint> declares the same types as
   for nvcc: their names, and the text of one made from the toolkit's. */
extern const char *const smc_adapted_headers[];
extern const size_t smc_adapted_header_count;
void smc_adapted_header_write(const char *text, struct smc_text *out);

#endif
