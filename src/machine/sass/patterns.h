/* Patterns of accesses that were seen before. A loop repeats the same pattern at other addresses,
   and counting the wavefronts of one is slow. */
#ifndef SMC_MACHINE_PATTERNS_H
#define SMC_MACHINE_PATTERNS_H

#include "machine/sass/sass_instruction.h"
#include "rules/banks.h"

/* Part of an access to global memory. */
struct smc_pattern_line {
    int64_t number;  /* address / 128, relative to that of the first active lane */
    uint8_t sectors; /* bit n: sector n of 32 bytes */
    uint8_t sets;    /* bit n: set n of the lanes that are served together reads it */
};

struct smc_pattern {
    uint64_t key;
    uint8_t wavefronts; /* through the banks of shared memory and of L1 */
    uint8_t idle_banks; /* on average in each of them */
    uint8_t sectors, lines;
    struct smc_pattern_line line[32];
};

enum { SMC_PATTERNS = 256 };

struct smc_patterns {
    struct smc_pattern pattern[SMC_PATTERNS];
};

/* The pattern of an access with at least one active lane. Valid until the next call. */
const struct smc_pattern *smc_patterns_find(struct smc_patterns *patterns,
                                            const struct smc_bank_layout *layout,
                                            const struct smc_sass_instruction *in, uint32_t mask,
                                            const uint64_t address[32]);

/* How many sectors of 32 bytes the lanes of `mask` access, each so many bytes. */
unsigned smc_count_sectors(uint32_t mask, const uint64_t address[32], unsigned bytes);

/* The turns in which L1 requests what the lanes of `mask` copy past it to shared memory, 16 bytes
   each (LDGSTS.BYPASS). */
unsigned smc_copy_turns(uint32_t mask, const uint64_t from[32], const uint64_t to[32]);

/* How many sectors such a copy asks L2 for a second time: each sector of shared memory asks for
   what it receives, so that one of global memory whose halves go to two of them comes twice, but
   not one whose halves are exchanged. Rows of 128 to 512 bytes at a pitch of 16 bytes more, every
   second one of which is 16 bytes off, take 1.5 times as many sectors from L2 and 1.45 times as
   long as dense ones or those at a pitch of 32 or 64 bytes more; rows that are all 16 bytes off
   twice as many and 1.92 times as long; so do 16 patterns of rows of 16 to 256 bytes, exactly as
   computed here (l1tex__m_xbar2l1tex_read_sectors). Copies through L1 take none of that (H200,
   CUDA 13.0, driver 580.159.04, 2026-12-01). */
unsigned smc_copy_sectors_again(uint32_t mask, const uint64_t from[32], const uint64_t to[32]);

/* How many of the lanes access each sector's busiest address, added up: L2 executes atomics of one
   address one after the other. */
unsigned smc_count_atomics(uint32_t mask, const uint64_t address[32]);

#endif
