/* The built-in table of resources, data/resources.csv: the resources of the kernels when it was
   generated. */
#ifndef SMC_CODE_RESOURCE_TABLE_H
#define SMC_CODE_RESOURCE_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "code/compile/resources.h"

/* The columns of data/resources.csv; strings are stored inside the rows, so that the table needs no
   initialization. */
struct smc_table_row {
    char kernel[32];
    char defines[72]; /* the compiler options joined by ' ' */
    uint16_t cc;
    char nvrtc[8]; /* "13.0" */
    uint16_t registers;
    uint32_t static_smem, stack, spill_stores, spill_loads;
    uint16_t barriers;
};

/* In order of kernel, defines (both as bytes) and cc. */
size_t smc_table_count(void);
const struct smc_table_row *smc_table_row_at(size_t index);

enum smc_table_match {
    SMC_TABLE_NOTHING, /* the kernel is not in the table */
    SMC_TABLE_EXACT,
    SMC_TABLE_OTHER_CC,         /* these defines, the nearest compute capability */
    SMC_TABLE_OTHER_PARAMETERS, /* the nearest defines, then the nearest compute capability */
};

/* Between compute capabilities. */
unsigned smc_table_distance(uint16_t a, uint16_t b);

/* `defines` as smc_kernel.defines writes them. */
enum smc_table_match smc_table_find(const char *kernel, const char *defines, uint16_t cc,
                                    const struct smc_table_row **row);

/* Sets the numbers, the NVRTC and the architecture. */
void smc_table_fill(const struct smc_table_row *row, struct smc_resources *resources);

#endif
