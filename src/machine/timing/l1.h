/* The L1 cache of one SM: lines of 128 bytes in sets, least recently used first out, filled by
   sector. */
#ifndef SMC_MACHINE_L1_H
#define SMC_MACHINE_L1_H

#include <stdbool.h>
#include <stdint.h>

enum { SMC_L1_WAYS = 16 };

struct smc_l1_line {
    uint64_t number;
    uint64_t used;
    double when[4]; /* the clock at which each of its sectors arrives */
    uint8_t sectors;
};

/* Owns `line`. */
struct smc_l1 {
    struct smc_l1_line *line;
    uint32_t sets; /* 0: there is no cache */
    uint64_t now;
    uint64_t filled; /* lines so far */
    double passed;   /* lines of smc_l1_pass that are not yet in every set */
};

/* False: memory. */
bool smc_l1_open(struct smc_l1 *cache, uint64_t bytes);
void smc_l1_close(struct smc_l1 *cache);

/* Returns the sectors that are missing; `when` receives the clock at which the others arrive, or
   0. */
uint32_t smc_l1_look(struct smc_l1 *cache, uint64_t number, uint32_t sectors, double *when);

/* Those of so many sectors of a line that are not missing, but arrive after `clock`. */
uint32_t smc_l1_late(const struct smc_l1 *cache, uint64_t number, uint32_t sectors, double clock);

/* Adds sectors that arrive at the clock `when`. */
void smc_l1_fill(struct smc_l1 *cache, uint64_t number, uint32_t sectors, double when);

/* So many lines that are not followed were filled: they take the places of the least recently used
   ones. */
void smc_l1_pass(struct smc_l1 *cache, double lines);

/* The clocks for which the tags of a request's lines are looked up: each bank (smc_tag_bank) looks
   up a line a clock. */
uint32_t smc_l1_tag_clocks(const uint64_t *number, uint32_t lines);

/* The clocks of an SM for copies past L1 of so many sectors in so many turns (smc_copy_turns), 16
   bytes a lane: 5.7, 5.9, 6.5, 7.3, 10.4, 13.5 and 17.4 for 1, 2, 4, 5, 9, 12 and 16 turns, and 5.3
   for one among loads from shared memory (H200, CUDA 13.0, driver 580.159.04, 2026-11-29 and 30).
 */
double smc_l1_copy_clocks(unsigned turns, uint32_t sectors);

#endif
