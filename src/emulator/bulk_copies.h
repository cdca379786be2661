/* Accesses of many bytes that one thread begins and another unit performs: places in global memory,
   or in shared memory of any block of the cluster. */
#ifndef SMC_EMULATOR_BULK_COPIES_H
#define SMC_EMULATOR_BULK_COPIES_H

#include "emulator/runtime.h"

struct smc_place {
    struct smc_bulk bulk;
    struct smc_worker *owner; /* the block whose shared memory it is in */
};

/* Finds `bytes` at an address of shared or global memory. False, after a finding: they are not in
   one array. */
bool smc_place_find(struct smc_worker *worker, struct smc_warp *warp, const struct smc_op *op,
                    enum smc_access_kind kind, enum smc_ptx_space space, uint64_t address,
                    uint32_t bytes, uint32_t lane, struct smc_place *place);
/* False, after a finding: the address or the number of bytes is no multiple of `align`. */
bool smc_place_is_aligned(struct smc_worker *worker, const struct smc_warp *warp,
                          const struct smc_op *op, enum smc_ptx_space space, uint64_t address,
                          uint32_t bytes, uint32_t align, uint32_t lane);

/* Reads and writes bytes from `at` on as accesses of the lane. */
void smc_place_read(struct smc_worker *worker, struct smc_warp *warp, const struct smc_op *op,
                    const struct smc_place *place, uint32_t at, uint32_t bytes, uint32_t lane,
                    char *out);
void smc_place_write(struct smc_worker *worker, struct smc_warp *warp, const struct smc_op *op,
                     const struct smc_place *place, uint32_t at, uint32_t bytes, uint32_t lane,
                     const char *from);
/* Combines elements of op->type with those that are there, atomically, by op->reduction. */
void smc_place_reduce(struct smc_worker *worker, struct smc_warp *warp, const struct smc_op *op,
                      const struct smc_place *place, uint32_t at, uint32_t bytes, uint32_t lane,
                      const char *from);

/* The same place in block `rank` of the cluster, of an address in any of its blocks. */
uint64_t smc_address_in_block(const struct smc_worker *worker, uint64_t address, uint32_t rank);

#endif
