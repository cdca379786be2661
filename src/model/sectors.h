/* Global memory: the 32-byte sectors that one access of a warp touches, four to a line of L1. */
#ifndef SMC_MODEL_SECTORS_H
#define SMC_MODEL_SECTORS_H

#include <stdint.h>

enum { SMC_SECTOR_BYTES = 32, SMC_LINE_BYTES = 128 };

/* Distinct sectors of the active lanes; bit n of `mask`: lane n is active. Addresses are multiples
   of the width, which is at most a sector. */
uint32_t smc_sectors_count(const uint64_t address[32], uint32_t mask);

/* The same of an asynchronous copy past L1 (cp.async.cg, 16 bytes a lane) from global addresses to
   those of shared memory. Of each line that is read it counts the pieces of 32 bytes of
   shared memory that it goes to: a copy whose two sides begin at unlike places of a sector takes a
   quarter more. Measured on an H200 (l1tex__t_sectors_pipe_lsu_mem_global_op_ld). */
uint32_t smc_sectors_count_copied(const uint64_t from[32], const uint64_t to[32], uint32_t mask);

#endif
