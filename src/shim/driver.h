/* What the files of the driver API share. */
#ifndef SMC_SHIM_DRIVER_H
#define SMC_SHIM_DRIVER_H

#include "shim/shim.h"

/* The declarations of the calls are in CUDA's headers, which are not included. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#define API __attribute__((visibility("default"))) int

enum { GPU_PITCH = 512 };

struct shim_context;

struct shim_context *shim_primary(void);
int shim_call_error(void);
void shim_leave(const int *held);

/* Takes the lock until the call returns. Calls that can fail asynchronously return what an earlier
   launch did wrong. */
#define BEGIN                                                                                      \
    __attribute__((cleanup(shim_leave))) int held = 1;                                             \
    shim_lock();                                                                                   \
    (void)held;                                                                                    \
    if (shim_call_error() != 0)                                                                    \
    return shim_call_error()

int cuCtxSynchronize(void);

/* Copies bytes. An end of the device must be within an allocation. */
int shim_copy(uint64_t to, bool to_device, uint64_t from, bool from_device, size_t bytes);

#endif
