/* Asynchronous work of a warp: bulk copies (TMA), barriers in shared memory (mbarrier), and named
   barriers whose number is in a register. What one instruction does is kept as a line of the trace.
   Encodings: sass_instruction.h. */
#ifndef SMC_MACHINE_ASYNC_H
#define SMC_MACHINE_ASYNC_H

#include "machine/sass/sass_warp.h"
#include "machine/sass/warp_trace.h"

struct smc_contents; /* machine/sass/warp_memory.h */

enum smc_async_kind {
    SMC_ASYNC_NOTHING,       /* or its operands are unknown */
    SMC_ASYNC_INIT,          /* a barrier expects `count` arrivals in each phase */
    SMC_ASYNC_ARRIVE,        /* `count` arrivals, and `bytes` more that are expected */
    SMC_ASYNC_COPIES_ARRIVE, /* `count` arrivals once the warp's cp.async so far are there */
    SMC_ASYNC_WAIT_EVEN,     /* for the end of a phase of even number, from 0 */
    SMC_ASYNC_WAIT_ODD,
    SMC_ASYNC_WAIT_ARRIVED, /* of the phase in which the warp arrived last: its parity is in what
                               that arrival returned, or is unknown */
    SMC_ASYNC_LOAD,   /* `bytes`, 0: unknown, from `address` into shared memory of `count` blocks of
                         the cluster, and to a barrier */
    SMC_ASYNC_STORE,  /* `bytes`, 0: unknown, from shared memory to `address` */
    SMC_ASYNC_NUMBER, /* of a named barrier: `count` */
    SMC_ASYNC_SLEEP   /* for so many nanoseconds: `bytes`, 2^20 - 1 at most */
};

struct smc_async {
    enum smc_async_kind kind;
    uint32_t barrier; /* its address in the shared memory of the block */
    uint32_t count, bytes;
    uint64_t address; /* in global memory, of which 32 bytes count; 0: unknown */
    uint64_t pitch;   /* bytes from one row of a tensor copy to the next, a multiple of 16 */
    uint32_t rows;    /* of a tensor copy whose place is known, 1 of a plain one; 0: unknown */
};

/* What an instruction that is `asynchronous` does for the lanes of `mask`. Tensor maps are those of
   the emulator (machine/tensor_maps.h) among the parameters or in global memory, whose `contents`
   may be NULL. */
struct smc_async smc_async_of(const struct smc_sass_warp *warp,
                              const struct smc_sass_instruction *in, uint32_t mask,
                              const struct smc_contents *contents);

/* Whether a bulk copy goes into shared memory. */
bool smc_loads_in_bulk(const struct smc_sass_instruction *in);

/* The lines of a trace that hold it: one, or three of a copy whose address is known. */
enum { SMC_ASYNC_LINES = 3 };
unsigned smc_async_pack(const struct smc_async *async,
                        struct smc_warp_trace_line line[SMC_ASYNC_LINES]);
struct smc_async smc_async_unpack(const struct smc_warp_trace_line *line, unsigned lines);

#endif
