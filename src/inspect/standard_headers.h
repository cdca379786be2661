/* Short versions of the C and C++ standard headers, with the declarations that kernels use, for
   NVRTC, which has none. */
#ifndef SMC_INSPECT_STANDARD_HEADERS_H
#define SMC_INSPECT_STANDARD_HEADERS_H

#include <stdbool.h>
#include <stddef.h>

struct smc_standard_header {
    const char *name, *text;
    bool is_toolkit; /* only where the CUDA Toolkit's own is not installed */
};

extern const struct smc_standard_header smc_standard_headers[];
extern const size_t smc_standard_header_count;

/* The header of that name; NULL if there is none. */
const struct smc_standard_header *smc_standard_header_find(const char *name, size_t length);

#endif
