/* What the loads of a warp, or of all warps of a block, return: the contents of global memory
   before the launch and what the block itself stored since, in global, local and shared memory.
   What other blocks store is what those did that were executed before, where that is kept. */
#ifndef SMC_MACHINE_WARP_MEMORY_H
#define SMC_MACHINE_WARP_MEMORY_H

#include "machine/sass/local_memory.h"
#include "machine/sass/returned.h"
#include "machine/sass/tickets.h"

/* Global memory before the launch. */
struct smc_contents {
    /* Copies bytes at an address, at most 512. False: they are not known, or none were asked for.
       `array` receives the number of the array that has the address, or SMC_NO_ARRAY. Bytes beyond
       the array are 0. */
    bool (*read)(void *context, uint64_t address, size_t bytes, void *to, unsigned *array);
    void *context;
};

enum { SMC_NO_ARRAY = 64 };

enum { SMC_STORED_LINE_BYTES = 16 };

/* A piece of global memory that was stored to. */
struct smc_stored_line {
    uint64_t key;
    uint32_t start;          /* the entry is free for other starts than this one; of what others
                                stored: the number of the block that did so last, from 1 */
    uint16_t written, known; /* bit n: byte n */
    unsigned char byte[SMC_STORED_LINE_BYTES];
};

/* Who touched a word of global memory last. */
struct smc_touched_word {
    uint64_t key;
    uint32_t start;
    uint8_t how;   /* bit 0: a load that decides, bit 1: a store */
    uint8_t bytes; /* bit n: of its byte n */
};

enum { SMC_TOUCHED_WORDS = 1 << 16 };

/* Start from {0}, with `contents`. Owns all but `contents` and `others`. */
struct smc_warp_memory {
    const struct smc_contents *contents;
    uint64_t decides; /* bit n: loads from array n decide which instructions are executed */
    uint64_t changed; /* bit n: array n is stored to */
    uint64_t meets;   /* bit n: after one start bytes of array n decided, after another they were
                         stored to */
    struct smc_touched_word *touched; /* SMC_TOUCHED_WORDS, for `meets`; NULL: it is not found */
    bool values;                      /* what is stored to global memory is evaluated */
    bool loads_stored;                /* if it is not: a load returned what its block stored */
    struct smc_warp_memory *others;   /* what was stored to global memory after earlier starts, and
                                         not yet by all at a time, with `start` 0; NULL: it is
                                         not kept */
    bool sees_others;
    bool at_once; /* blocks run at the same time: `others` has what any of them stored */
    struct smc_loaded_sectors *l1;      /* then: what loads that L1 serves return */
    struct smc_returned_block returned; /* then: what global memory returns; where it does so again,
                                           nothing is accessed there */
    bool sees_earlier;    /* of what others stored, only what blocks of lower numbers did */
    uint32_t block;       /* the number of the block, from 1, modulo 2^32; of `others`: 1 */
    uint64_t overwritten; /* bit n: of array n, only what was stored since the launch is known */
    struct smc_ticket ticket;
    bool full;    /* not all that was stored since the start could be kept */
    bool changes; /* the last access may have changed memory */
    uint32_t start, warp;
    struct smc_stored_line *line;
    size_t room, count;       /* of lines: a power of two, or 0; kept since the start */
    uint64_t lowest, highest; /* keys of lines that were ever added */
    struct smc_local_memory local;
    unsigned char *shared, *shared_known; /* by byte; known: 1 */
    size_t shared_bytes;
};

/* Sectors of global memory as they were when an SM loaded them, which others may have changed. */
struct smc_loaded_sectors {
    struct smc_warp_memory kept; /* with `start` 0 and `block` 1 */
    size_t lines, most_lines;    /* of 128 bytes that have any of them; that L1 has */
};

/* A warp or a block begins: nothing is stored. */
void smc_warp_memory_start(struct smc_warp_memory *memory);

/* Adds what was stored to global memory since the start to what others see. */
void smc_warp_memory_end(struct smc_warp_memory *memory);

/* Sets what others stored so that the next block draws the ticket after so many. False: the blocks
   that ended draw none. */
bool smc_warp_memory_draw_after(struct smc_warp_memory *others, const struct smc_contents *contents,
                                const struct smc_ticket *ticket, uint64_t drawn);

void smc_warp_memory_free(struct smc_warp_memory *memory);

/* Executes an access to memory for the lanes of `mask`, of warp `memory->warp`. False: the
   instruction is none that is executed here. `decides`: its result decides which instructions
   follow. */
bool smc_warp_memory_execute(struct smc_warp_memory *memory, struct smc_sass_warp *warp,
                             const struct smc_sass_instruction *in, uint32_t mask, bool decides);

#endif
