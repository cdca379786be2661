/* Which arrays decide what is executed, which are stored to, and whether bytes that decide after
   one start are stored to after another. */
#ifndef SMC_MACHINE_MEETINGS_H
#define SMC_MACHINE_MEETINGS_H

#include "machine/sass/warp_memory.h"

enum { SMC_DECIDES = 1, SMC_STORES = 2 };

/* Notes that lanes of `mask` access so many bytes at addresses in arrays; `how`: SMC_DECIDES,
   SMC_STORES or both. */
void smc_meetings_note(struct smc_warp_memory *memory, const unsigned array[SMC_LANES],
                       const uint64_t address[SMC_LANES], unsigned bytes, uint32_t mask,
                       unsigned how);

/* Asks the contents of `memory`, which note what lies in no array, for the arrays of the first and
   the last address that the lanes of `mask` access by LDG, STG or LDGSTS. NULL: nothing. */
void smc_meetings_look(const struct smc_warp_memory *memory, const struct smc_sass_instruction *in,
                       uint32_t mask, const uint64_t address[SMC_LANES]);

#endif
