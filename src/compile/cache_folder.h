/* The cache's folder: where it is, and keeping it small. */
#ifndef SMC_COMPILE_CACHE_FOLDER_H
#define SMC_COMPILE_CACHE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

/* Names in the folder: 16 hexadecimal digits and the suffix; files being written. */
#define SMC_CACHE_SUFFIX    ".smc"
#define SMC_CACHE_TEMPORARY "tmp-"

/* False where the environment names no folder. */
bool smc_cache_folder_name(char *folder, size_t capacity);

/* Above 4096 files or 64 MiB: removes the oldest until a quarter is free; and files that a
   stopped run left half written. Touches nothing that the cache did not name. */
void smc_cache_folder_trim(const char *folder);

#endif
