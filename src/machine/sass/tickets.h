/* The word of global memory that blocks count themselves in: each adds the same to it, and looks at
   what was there. */
#ifndef SMC_MACHINE_TICKETS_H
#define SMC_MACHINE_TICKETS_H

#include <stdbool.h>
#include <stdint.h>

/* Start from {0}. */
struct smc_ticket {
    uint64_t address, by, drawn; /* by: of each block; drawn: of the one that is executed */
    uint32_t start;              /* when that was */
    uint32_t ended, drew;        /* blocks, and those that added to the word */
    unsigned bytes;
    bool differs; /* they did not all do the same */
    bool late;    /* one had stored to global memory before; else they number themselves */
};

/* The block of this start adds to a word of so many bytes; `late`: after it stored. */
void smc_ticket_draw(struct smc_ticket *ticket, uint32_t start, bool late, uint64_t address,
                     unsigned bytes, uint64_t added);

/* It has ended. */
void smc_ticket_end(struct smc_ticket *ticket, uint32_t start);

/* Adds the ticket of a block that has ended, on its own memory. */
void smc_ticket_join(struct smc_ticket *to, const struct smc_ticket *of_block);

/* Whether all blocks that ended drew one. */
bool smc_ticket_is_drawn(const struct smc_ticket *ticket);

#endif
