/* Accesses of many bytes that one thread begins and another unit performs: places in global memory,
   or in shared memory of any block of the cluster. */
#ifndef SMC_MACHINE_BULK_COPIES_H
#define SMC_MACHINE_BULK_COPIES_H

#include "machine/emulator/pending.h"

struct smc_copy_place {
    struct smc_bulk bulk;
    struct smc_worker *owner; /* of the block whose shared memory it is in */
};

/* Finds `bytes` at an address of shared or global memory. False, after a finding where accesses are
   checked: they are not in one array. */
bool smc_place_find(const struct smc_issuer *by, enum smc_access_kind kind,
                    enum smc_ptx_space space, uint64_t address, uint32_t bytes,
                    struct smc_copy_place *place);
/* False, after a finding: the address or the number of bytes is no multiple of `align`. */
bool smc_place_is_aligned(const struct smc_issuer *by, enum smc_ptx_space space, uint64_t address,
                          uint32_t bytes, uint32_t align);

/* Reads and writes bytes from `at` on, or checks that as accesses of the lane: by->step. What is
   read is in `out` in each step. */
void smc_place_read(const struct smc_issuer *by, const struct smc_copy_place *place, uint32_t at,
                    uint32_t bytes, char *out);
void smc_place_write(const struct smc_issuer *by, const struct smc_copy_place *place, uint32_t at,
                     uint32_t bytes, const char *from);
/* What is read need not be written yet, and may be anything. */
void smc_place_read_any(const struct smc_issuer *by, const struct smc_copy_place *place,
                        uint32_t at, uint32_t bytes, char *out);
/* Combines elements of op->type with those that are there, atomically, by op->reduction. */
void smc_place_reduce(const struct smc_issuer *by, const struct smc_copy_place *place, uint32_t at,
                      uint32_t bytes, const char *from);

/* The blocks of the cluster that a lane's bulk or tensor copy to shared memory writes to, as a mask
   of their ranks; 1 if it is not a multicast, and the address alone says where. A cluster has at
   most SMC_BULK_BLOCKS blocks (.ctaMask has 16 bits: PTX ISA, cp.async.bulk). */
enum { SMC_BULK_BLOCKS = 16 };
uint32_t smc_bulk_blocks(const struct smc_warp *warp, const struct smc_op *op, uint32_t lane);

/* An operand of such a copy in block `rank` of smc_bulk_blocks: of a multicast, the same place as
   `address` in that block; else `address` itself. */
uint64_t smc_bulk_address(const struct smc_worker *worker, const struct smc_op *op,
                          uint64_t address, uint32_t rank);

/* A copy that has been checked. One with a finding writes to shared memory at once, and again
   later: what may still be read there is then lost. */
struct smc_begun_copy {
    smc_walk *walk;
    const void *operands;
    size_t operand_bytes;
    uint64_t object;       /* whose transactions it completes, or a group's */
    uint32_t bytes;        /* that it copies */
    uint64_t shared;       /* where it writes to shared memory, */
    uint32_t shared_bytes; /* at most */
};
/* Its data move later: see pending.h. */
void smc_copy_begin(const struct smc_issuer *by, const struct smc_begun_copy *copy);

#endif
