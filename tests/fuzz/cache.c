/* Fuzzes the reading of files in the compile cache: the input takes the place of a file, as it is
   and with the checksum mended, so that it gets past it. */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "code/nvrtc.h"

enum { SIZES_AT = 8, CHECKSUM_AT = 24, HEADER_BYTES = 32 };

static char path[600];
static const char key_bytes[] = "the key";

static char folder[] = "/tmp/smemcalc-fuzz-XXXXXX";

static void remove_folder(void)
{
    unlink(path);
    rmdir(folder);
}

static void find_path(struct smc_cache *cache, const struct smc_text *key)
{
    if (!mkdtemp(folder) || atexit(remove_folder) != 0)
        abort();
    setenv("SMEMCALC_CACHE_DIR", folder, 1);
    smc_cache_open(cache, false, NULL);
    smc_cache_write(cache, key, "value", 5);
    DIR *list = opendir(folder);
    for (const struct dirent *item; list && (item = readdir(list));)
        if (strstr(item->d_name, ".smc"))
            snprintf(path, sizeof path, "%s/%s", folder, item->d_name);
    if (list)
        closedir(list);
    if (!path[0])
        abort();
}

static void put(const uint8_t *data, size_t size)
{
    FILE *file = fopen(path, "w");
    if (!file || (size && fwrite(data, 1, size, file) != size) || fclose(file) != 0)
        abort();
}

static void look(const struct smc_text *key)
{
    struct smc_cache cache;
    struct smc_text value = {0};
    smc_cache_open(&cache, false, NULL);
    if (smc_cache_read(&cache, key, &value) && !value.data)
        abort();
    smc_text_free(&value);
}

static void mend(uint8_t *bytes, size_t size)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    uint64_t sizes[2] = {sizeof key_bytes - 1, size - HEADER_BYTES - (sizeof key_bytes - 1)};
    memcpy(bytes, "smcache1", 8);
    if (bytes[HEADER_BYTES] & 1) /* half of the inputs keep their own sizes */
        memcpy(bytes + SIZES_AT, sizes, sizeof sizes);
    memcpy(bytes + HEADER_BYTES, key_bytes, sizeof key_bytes - 1);
    memset(bytes + CHECKSUM_AT, 0, 8);
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ bytes[i]) * UINT64_C(0x100000001b3);
    memcpy(bytes + CHECKSUM_AT, &sum, 8);
}

int fuzz_cache(const uint8_t *data, size_t size)
{
    struct smc_text key = {0};
    struct smc_cache cache;
    smc_text_append(&key, key_bytes);
    if (!path[0])
        find_path(&cache, &key);
    put(data, size);
    look(&key);
    uint8_t *copy = malloc(size + 1);
    if (copy && size >= HEADER_BYTES + sizeof key_bytes) {
        memcpy(copy, data, size);
        mend(copy, size);
        put(copy, size);
        look(&key);
    }
    free(copy);
    smc_text_free(&key);
    return 0;
}
