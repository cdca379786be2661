/* The different accesses of a kernel to shared memory: a layout that removes conflicts must do so
   for each of them. */
#ifndef SMC_MACHINE_ACCESS_LOG_H
#define SMC_MACHINE_ACCESS_LOG_H

#include "rules/banks.h"

enum { SMC_MOST_LOGGED = 1 << 16 };

struct smc_logged_access {
    uint32_t instruction;
    bool is_uncounted;        /* an atomic, of which only the addresses are known */
    struct smc_access access; /* addresses of inactive lanes are 0 */
    struct smc_access_bound bound;
};

/* Start from {0}. */
struct smc_access_log {
    struct smc_logged_access *item;
    size_t count, room;
    uint32_t *slot; /* a hash table of 1 + the place of an item; 0: free */
    size_t slots;
    bool is_full; /* there were more than SMC_MOST_LOGGED */
    bool failed;  /* out of memory: some are missing */
};

/* Adds the access unless it is there. */
void smc_access_log_add(struct smc_access_log *log, const struct smc_logged_access *access);
/* Adds those of another log. */
void smc_access_log_merge(const struct smc_access_log *from, struct smc_access_log *into);
void smc_access_log_free(struct smc_access_log *log);

#endif
