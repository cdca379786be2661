/* libsmemcalc: how many blocks of a CUDA kernel fit on one SM, what stops the next one, and which
   change gains or loses a block. For C11 and C++11; smemcalc(3) has an example.

   struct smc_sm         the limits of an SM                      smemcalc/rules/sm.h
   struct smc_launch     the resources that a launch requests     smemcalc/rules/launch.h
   struct smc_occupancy  the blocks that fit and their limits     smemcalc/rules/launch.h
   struct smc_next_steps the nearest changes that matter          smemcalc/rules/next_steps.h
   struct smc_waves      how often a grid fills the GPU           smemcalc/rules/occupancy.h
   struct smc_headroom   the most resources for each number       smemcalc/rules/headroom.h
                         of blocks
   struct smc_carveouts  the sizes of the SM's shared memory      smemcalc/rules/headroom.h
   struct smc_access     one instruction of a warp that accesses
                         shared memory, and its bank conflicts    smemcalc/rules/banks.h
   struct smc_bank_remedy  the padding and the swizzle that
                         remove them                              smemcalc/rules/banks.h
   struct smc_cute_layout  a layout of CuTe, struct smc_swizzle   smemcalc/rules/banks.h
   struct smc_device     a board or a compute capability          smemcalc/rules/devices.h
   enum smc_status       how a call ended, struct smc_error why   smemcalc/base/status.h

   Nothing here allocates memory that a caller must free, keeps state, reads a file or needs a GPU.
   Every function may be called from any thread at any time, as long as no other thread writes to
   what it reads. Pointers may not be NULL, except a struct smc_error *, if the message is not
   needed. Strings that a struct points to are constants of the library. Sizes are in bytes, and
   every name contains its unit. Include this header, not those that it includes. */
#ifndef SMEMCALC_H
#define SMEMCALC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "smemcalc/rules/banks.h"
#include "smemcalc/rules/devices.h"
#include "smemcalc/rules/headroom.h"
#include "smemcalc/rules/launch.h"
#include "smemcalc/rules/next_steps.h"
#include "smemcalc/rules/occupancy.h"
#include "smemcalc/rules/sm.h"

#ifdef __cplusplus
}
#endif

#endif
