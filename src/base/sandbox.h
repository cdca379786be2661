/* Fewer rights for the rest of the process, before it parses what others wrote or runs their
   kernels on the emulator: a limit on memory, no core dumps and, on Linux for x86-64 and AArch64,
   a filter that refuses system calls that no reader needs. A bug in a reader then cannot start
   programs, open connections or look into other processes. */
#ifndef SMC_BASE_SANDBOX_H
#define SMC_BASE_SANDBOX_H

#include <stdint.h>

enum smc_sandbox {
    SMC_SANDBOX_NONE,
    SMC_SANDBOX_COMPILERS, /* the tools of the CUDA Toolkit may still be started */
    SMC_SANDBOX_READING,   /* memory, files and threads */
};

/* Holds for all threads, and for programs started later; a weaker one than before changes nothing.
   Not in a process that has opened NVIDIA's driver, which needs more; not with AddressSanitizer,
   whose own calls would be refused. A kernel that has no filters is no error. SMEMCALC_SANDBOX=off
   leaves all of it out. */
void smc_sandbox_enter(enum smc_sandbox kind);

enum smc_sandbox_state {
    SMC_SANDBOX_WORKS,
    SMC_SANDBOX_NOT_BUILT, /* no filter for this system or architecture */
    SMC_SANDBOX_OFF,       /* by SMEMCALC_SANDBOX or with AddressSanitizer */
    SMC_SANDBOX_REFUSED,   /* by this kernel */
};

/* Enters the strictest one and tries a forbidden call: for a child process. `limit_bytes`: of
   address space; 0: none. */
enum smc_sandbox_state smc_sandbox_try(uint64_t *limit_bytes);

#endif
