/* PTX that several kernels share, with a count of references. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "code/user_kernels.h"

struct smc_shared_ptx *smc_shared_ptx_new(const char *text, size_t bytes)
{
    struct smc_shared_ptx *ptx = smc_malloc(sizeof *ptx + bytes + 1);
    if (!ptx)
        return NULL;
    ptx->references = 1;
    ptx->bytes = bytes;
    memcpy(ptx->text, text, bytes);
    ptx->text[bytes] = '\0';
    return ptx;
}

void smc_shared_ptx_release(struct smc_shared_ptx *ptx)
{
    if (ptx && --ptx->references == 0)
        free(ptx);
}
