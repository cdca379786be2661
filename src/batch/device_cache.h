/* Devices looked up once: a column repeats few of them, and looking one up takes longer than a
   thousand rows. */
#ifndef SMC_BATCH_DEVICE_CACHE_H
#define SMC_BATCH_DEVICE_CACHE_H

#include "base/csv_reader.h"
#include "base/status.h"
#include "devices/devices.h"

/* Who knows devices by their names. `find` fails with a message without a prefix. */
struct smc_device_finder {
    enum smc_status (*find)(void *context, const char *name, struct smc_device *device,
                            struct smc_error *error);
    void *context;
};

struct smc_device_cache;

/* NULL: out of memory. */
struct smc_device_cache *smc_device_cache_create(const struct smc_device_finder *finder);
void smc_device_cache_free(struct smc_device_cache *cache);

/* The limits of the device that the field names, by its text as it stands; or NULL, and `error`
   says why as the finder does. The result lasts until the next call. */
const struct smc_sm *smc_device_cache_find(struct smc_device_cache *cache,
                                           const struct smc_csv_field *field,
                                           struct smc_error *error);

#endif
