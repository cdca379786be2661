/* Facts about this machine. */
#include "config.h"

#include "base/platform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/parse.h"
#include "base/text.h"

uint64_t smc_machine_memory_bytes(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes : UINT64_MAX;
}

unsigned smc_machine_processors(void)
{
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 1 ? (unsigned)count : 1;
}

void smc_machine_host_name(char name[SMC_HOST_NAME_CHARS])
{
    memset(name, 0, SMC_HOST_NAME_CHARS);
    if (gethostname(name, SMC_HOST_NAME_CHARS - 1) != 0)
        name[0] = '\0';
    smc_utf8_make_safe(name);
}

void smc_machine_node_name(char name[SMC_HOST_NAME_CHARS])
{
    const char *node = getenv("SLURMD_NODENAME");
    snprintf(name, SMC_HOST_NAME_CHARS, "%s", node ? node : "");
    smc_utf8_make_safe(name);
}

int32_t smc_machine_rank(void)
{
    static const char *const variables[] = {"PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *text = getenv(variables[i]);
        int64_t rank;
        if (text && smc_parse_integer(text, 0, INT32_MAX - 1, &rank))
            return (int32_t)rank;
    }
    return -1;
}
