/* Which NVRTC libraries this machine has. To open one takes 10 ms and more, so that the outcome of
   a search is kept in the cache, for as long as nothing that it depends on has changed. */
#ifndef SMC_COMPILE_FIND_NVRTC_H
#define SMC_COMPILE_FIND_NVRTC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compile/cache.h"
#include "compile/compile.h"

enum { SMC_MAX_NVRTC = 8 };

/* What identifies a file's content without reading it. */
struct smc_file_identity {
    uint64_t device, inode;
    int64_t bytes, seconds, nanoseconds;
};

struct smc_nvrtc_place {
    struct smc_nvrtc_info info;
    struct smc_file_identity file;
};

/* Bytes in the cache: holds no pointers, and padding is zero. */
struct smc_nvrtc_search {
    uint64_t count;
    struct smc_nvrtc_place place[SMC_MAX_NVRTC]; /* in order of preference */
    char problem[512];                           /* why $SMEMCALC_NVRTC cannot be used, or "" */
    uint64_t is_complete;                        /* every candidate was opened */
    uint64_t is_final;      /* those that are left out will not do before their files change */
    uint64_t out_of_memory; /* for opening one of them */
};

/* Looks until a library is found that compiles for `cc`; 0 is any. Returns NULL where there is
   none; `search` then holds those found. */
const struct smc_nvrtc_place *smc_nvrtc_find(struct smc_cache *cache, uint16_t cc,
                                             struct smc_nvrtc_search *search);

#endif
