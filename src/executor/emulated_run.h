/* What a launch on the emulator came to, for every kind of kernel. */
#ifndef SMC_EXECUTOR_EMULATED_RUN_H
#define SMC_EXECUTOR_EMULATED_RUN_H

#include "executor/executor.h"

/* The PTX is what runs; what ptxas made of its loads is found in the machine code. From then on
   launches count at that level too, or `run` says why not. */
void smc_emulated_follow(struct smc_program *program, const struct smc_binary *binary,
                         const char *entry, struct smc_emulated_run *run);

/* Stores to shared memory by cp.async: the emulator counts them with the others, the GPU's counters
   leave them out. */
void smc_emulated_copies(const struct smc_program *program, const struct smc_emulation *emulation,
                         struct smc_shared_count *copies);

/* Copies the counts and the findings; `file` names the source in messages, NULL: as the line table
   does. */
void smc_emulated_take(const struct smc_program *program, const struct smc_emulation *emulation,
                       const char *file, struct smc_emulated_run *run);

/* The line with the most bank conflicts, and what removes them. SMC_MACHINE: memory. */
enum smc_status smc_emulated_find_conflicts(const struct smc_program *program,
                                            const struct smc_emulation *emulation,
                                            const struct smc_bank_layout *banks,
                                            struct smc_conflict_site *site,
                                            struct smc_error *error);

#endif
