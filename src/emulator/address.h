/* Where the spaces lie among generic addresses. */
#ifndef SMC_EMULATOR_ADDRESS_H
#define SMC_EMULATOR_ADDRESS_H

#include <stdint.h>

#include "emulator/ptx_module.h"

/* Shared, local and parameter addresses are offsets below 2^32; their windows begin here. */
#define SMC_SHARED_WINDOW UINT64_C(0x100000000)
#define SMC_LOCAL_WINDOW  UINT64_C(0x200000000)
#define SMC_PARAM_WINDOW  UINT64_C(0x300000000)
#define SMC_WINDOW_BYTES  UINT64_C(0x100000000)

/* Global addresses: the module's variables (constants among them), then the arrays of a launch.
   Between any two of them lies a gap that belongs to neither. */
#define SMC_VARIABLES_BASE UINT64_C(0x40000000000)
#define SMC_ARRAYS_BASE    UINT64_C(0x7f0000000000)
enum { SMC_ALLOCATION_ALIGN = 512, SMC_ALLOCATION_GAP = 4096 };

/* What is added to an address of the space to make it generic. */
static inline uint64_t smc_window_of(enum smc_ptx_space space)
{
    return space == SMC_SPACE_SHARED  ? SMC_SHARED_WINDOW
           : space == SMC_SPACE_LOCAL ? SMC_LOCAL_WINDOW
           : space == SMC_SPACE_PARAM ? SMC_PARAM_WINDOW
                                      : 0;
}

/* Global stands for constant as well. */
static inline enum smc_ptx_space smc_space_of(uint64_t generic)
{
    switch (generic / SMC_WINDOW_BYTES) {
    case SMC_SHARED_WINDOW / SMC_WINDOW_BYTES:
        return SMC_SPACE_SHARED;
    case SMC_LOCAL_WINDOW / SMC_WINDOW_BYTES:
        return SMC_SPACE_LOCAL;
    case SMC_PARAM_WINDOW / SMC_WINDOW_BYTES:
        return SMC_SPACE_PARAM;
    default:
        return SMC_SPACE_GLOBAL;
    }
}

#endif
