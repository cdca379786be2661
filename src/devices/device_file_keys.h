/* The keys of a device in JSON, once for reading and for writing. */
#ifndef SMC_DEVICEFILE_KEYS_H
#define SMC_DEVICEFILE_KEYS_H

#include "devices/devices.h"

enum smc_key_kind {
    SMC_KEY_NAME,        /* a char array in the device */
    SMC_KEY_TEXT,        /* a const char * */
    SMC_KEY_CAPABILITY,  /* "9.0" */
    SMC_KEY_COUNT,       /* a whole number of `size` bytes */
    SMC_KEY_POWER,       /* a power of two */
    SMC_KEY_KNOWN,       /* a whole number; 0 is null: unknown, or there is none */
    SMC_KEY_REAL,        /* a double; 0 is null */
    SMC_KEY_GRANULARITY, /* a bool: "block" or "warp" */
    SMC_KEY_CARVEOUTS,   /* a list of ascending sizes */
    SMC_KEY_SOURCE,      /* where the device is from: written, skipped when read */
    SMC_KEY_GPU_INDEX,   /* likewise */
    SMC_KEY_ASSUMED,     /* written in answers only, skipped when read */
};

struct smc_device_key {
    const char *name;
    enum smc_key_kind kind;
    size_t offset, size;      /* of the member of struct smc_device */
    uint64_t lowest, highest; /* of a number; of a text's bytes */
};

/* In the order of reports. */
extern const struct smc_device_key smc_device_keys[];
extern const size_t smc_device_key_count;

/* A whole number's member. */
uint64_t smc_device_key_integer(const struct smc_device_key *key, const struct smc_device *device);
void smc_device_key_set_integer(const struct smc_device_key *key, uint64_t value,
                                struct smc_device *device);

/* The address of the key's member. */
const void *smc_device_key_member(const struct smc_device_key *key,
                                  const struct smc_device *device);

#endif
