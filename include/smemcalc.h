/* libsmemcalc: how many blocks of a CUDA kernel fit on one SM, what stops the next one, and which
   change gains or loses a block. For C11 and C++11; smemcalc(3) has an example.

   struct smc_sm         the limits of an SM                      smemcalc/model/sm.h
   struct smc_launch     the resources that a launch requests     smemcalc/model/launch.h
   struct smc_occupancy  the blocks that fit and their limits     smemcalc/model/launch.h
   struct smc_next_steps the nearest changes that matter          smemcalc/model/next_steps.h
   struct smc_device     a board or a compute capability          smemcalc/devices/devices.h
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

#include "smemcalc/devices/devices.h"
#include "smemcalc/model/launch.h"
#include "smemcalc/model/next_steps.h"
#include "smemcalc/model/occupancy.h"
#include "smemcalc/model/sm.h"

#ifdef __cplusplus
}
#endif

#endif
