/* Names of hosts, and lists of them as Slurm writes them: "n[1-4,7],gpu-[001-128]-ib,login". */
#ifndef SMC_HARDWARE_HOSTLIST_H
#define SMC_HARDWARE_HOSTLIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

enum { SMC_MOST_LISTED_HOSTS = 200000, SMC_LONGEST_HOST_NAME = 64 };

/* Letters, digits, '-', '_' and '.', beginning with a letter or a digit: safe in a shell and in
   Slurm's lists. At most SMC_LONGEST_HOST_NAME characters. */
bool smc_host_name_is_valid(const char *name);

/* As people sort them: n2 is before n10. */
int smc_host_name_compare(const char *a, const char *b);

struct smc_hostlist {
    char **name; /* in the order written */
    size_t count, capacity;
};

/* Adds the names that a list stands for. SMC_USAGE: the message says what is wrong with it. Free
   the list whatever the status. */
enum smc_status smc_hostlist_parse(const char *text, struct smc_hostlist *out,
                                   struct smc_error *error);

void smc_hostlist_free(struct smc_hostlist *list);

#endif
