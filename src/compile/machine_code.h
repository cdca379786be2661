/* Accesses to memory in machine code: what the GPU actually executes, after ptxas has joined or
   split the accesses of the PTX. Supports CC 7.0 and newer, with instructions of 16 bytes.

   The encoding is not published. These fields are used: bits 0 to 8 of an instruction are its
   operation (bits 9 to 11 the form of its operands), 12 to 15 the guard predicate, 24 to 31 the
   register of the address, 40 to 63 the signed offset, 73 to 75 the width (of copies, from sm_100
   on, 74 and 75). They were derived from the output of nvdisasm (13.5) for sm_75, 80, 86, 87, 88,
   89, 90, 100, 103, 110, 120 and 121. */
#ifndef SMC_COMPILE_MACHINE_CODE_H
#define SMC_COMPILE_MACHINE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct smc_machine_access {
    uint32_t at;    /* bytes into the kernel's code */
    bool is_shared; /* else global */
    bool is_store;
    bool is_copy;    /* LDGSTS: from global to shared memory */
    bool is_guarded; /* by a predicate */
    uint8_t width_bytes;
    uint8_t address_register; /* 255: none, the offset alone; a uniform register may be added */
    int32_t offset;
};

/* Owns `access`. Start from {0}. */
struct smc_machine_code {
    struct smc_machine_access *access; /* in the order of the code */
    size_t count;
};

/* Finds the loads, stores and copies of one kernel; atomics, local memory, constants and
   instructions that never execute are skipped. SMC_USAGE: the code does not consist of whole
   instructions, or is for an older architecture; SMC_MACHINE: memory. */
enum smc_status smc_machine_code_read(const void *code, size_t bytes, uint16_t cc,
                                      struct smc_machine_code *out, struct smc_error *error);

/* The same for the kernel `entry` in a cubin. SMC_USAGE also if the cubin is damaged or has no such
   kernel. */
enum smc_status smc_machine_code_of(const void *cubin, size_t bytes, const char *entry,
                                    struct smc_machine_code *out, struct smc_error *error);

void smc_machine_code_free(struct smc_machine_code *code);

/* How many accesses of one kind and width there are. */
size_t smc_machine_code_count(const struct smc_machine_code *code, bool is_shared, bool is_store,
                              uint32_t width_bytes);

#endif
