/* Global memory: the 32-byte sectors that one access of a warp touches, four to a line of L1. */
#ifndef SMC_MODEL_SECTORS_H
#define SMC_MODEL_SECTORS_H

#include <stdint.h>

enum { SMC_SECTOR_BYTES = 32, SMC_LINE_BYTES = 128 };

/* Distinct sectors of the active lanes; bit n of `mask`: lane n is active. Addresses are multiples
   of the width, which is at most a sector. */
uint32_t smc_sectors_count(const uint64_t address[32], uint32_t mask);

/* The same for an asynchronous copy that bypasses L1 (cp.async.cg, 16 bytes a lane) from global to
   shared-memory addresses. For each line that is read, counts the 32-byte pieces of shared memory
   that it is written to: a copy whose source and destination have different offsets within a sector
   takes a quarter more sectors. Measured on an H200
   (l1tex__t_sectors_pipe_lsu_mem_global_op_ld). */
uint32_t smc_sectors_count_copied(const uint64_t from[32], const uint64_t to[32], uint32_t mask);

#endif
