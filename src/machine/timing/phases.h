/* Barriers of a block in the model of an SM: those in shared memory (mbarrier), whose phases end
   when all arrivals and bytes are there, and groups of asynchronous work that a warp waits for. All
   times are clocks of the SM. */
#ifndef SMC_MACHINE_PHASES_H
#define SMC_MACHINE_PHASES_H

#include <stdbool.h>
#include <stdint.h>

/* --- Groups of one warp: cp.async, bulk stores, wgmma ------------------------------------------
 */

/* A wait names at most so many groups less one: its field has 6 bits. */
enum { SMC_MOST_GROUPS = 64 };

struct smc_groups {
    double last;                   /* when all work so far is done */
    double group[SMC_MOST_GROUPS]; /* when a group and those before it are done, the newest at
                                     (count - 1) % SMC_MOST_GROUPS */
    uint32_t count;
};

/* The work so far becomes a group. */
void smc_groups_commit(struct smc_groups *groups);

/* When all groups but the newest `missing` are done; 0: there are none. */
double smc_groups_wait(const struct smc_groups *groups, uint32_t missing);

/* --- Barriers in shared memory -----------------------------------------------------------------
 */

enum { SMC_MOST_PHASED_BARRIERS = 32 };

struct smc_phased_barrier {
    uint32_t address;
    uint32_t expected; /* arrivals in each phase; 0: not known */
    int64_t arrivals;  /* that the phase still lacks */
    int64_t bytes;     /* the same; below 0 if they arrive before they are expected */
    double when;       /* the latest of what has arrived in the phase */
    uint32_t phases;   /* that have ended */
    double ended;      /* when the last of them did */
    /* A bit for each warp of the block: whether it has arrived, and last in an odd phase. */
    uint32_t arrived, arrived_odd;
};

struct smc_phased_barriers {
    struct smc_phased_barrier barrier[SMC_MOST_PHASED_BARRIERS];
    uint32_t count;
};

/* The barrier at an address, a new one if there is none yet; NULL: too many. */
struct smc_phased_barrier *smc_phases_find(struct smc_phased_barriers *barriers, uint32_t address);

void smc_phases_init(struct smc_phased_barrier *barrier, uint32_t count);

/* `count` arrivals at a clock, which may be in the future, and `bytes` more that are expected.
   True: this ends the phase. */
bool smc_phases_arrive(struct smc_phased_barrier *barrier, uint32_t count, uint32_t bytes,
                       double clock);

/* Bytes arrive; 0: as many as the phase lacks. True: this ends the phase. */
bool smc_phases_receive(struct smc_phased_barrier *barrier, uint32_t bytes, double clock);

/* The phase ends at a clock, whatever it lacks. */
void smc_phases_end(struct smc_phased_barrier *barrier, double clock);

/* Whether the phase of this parity has ended. Of a barrier that is not known, it has. */
bool smc_phases_passes(const struct smc_phased_barrier *barrier, bool odd);

#endif
