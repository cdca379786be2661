/* Facts about this machine. */
#include "config.h"

#include "base/machine.h"

#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/utf8.h"

uint64_t smc_machine_memory_bytes(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes : UINT64_MAX;
}

void smc_machine_host_name(char name[SMC_HOST_NAME_CHARS])
{
    memset(name, 0, SMC_HOST_NAME_CHARS);
    if (gethostname(name, SMC_HOST_NAME_CHARS - 1) != 0)
        name[0] = '\0';
    smc_utf8_make_safe(name);
}
