/* The user's own devices, read from JSON: what `smemcalc devices --format json` prints. */
#ifndef SMC_RULES_DEVICE_FILE_H
#define SMC_RULES_DEVICE_FILE_H

#include "rules/devices.h"

struct smc_device_file {
    struct smc_device *devices; /* their strings belong to the file as well */
    size_t count;               /* 1 or more once read */
    void *document;
};

/* Reads a file that holds one device object, or {"devices": [...]}; "-" is standard input. An
   omitted key has the value of the built-in table for the compute capability; name and
   compute_capability are required. Every device passes smc_sm_check. `path` must outlive the file:
   devices point to it. SMC_USAGE with a message that names the file and the line or the key; then
   there is nothing to free. */
enum smc_status smc_device_file_read(const char *path, struct smc_device_file *out,
                                     struct smc_error *error);

/* The same from memory; `path` is only what messages call it. */
enum smc_status smc_device_file_parse(const char *path, const char *text, size_t length,
                                      struct smc_device_file *out, struct smc_error *error);

/* Frees the devices and empties `file`; it may already be empty. */
void smc_device_file_free(struct smc_device_file *file);

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
    SMC_KEY_GROUPS,      /* a list of numbers of SMs; null: not known */
    SMC_KEY_SOURCE,      /* where the device is from: written, skipped when read */
    SMC_KEY_GPU_INDEX,   /* likewise */
    SMC_KEY_ASSUMED,     /* written in answers only, skipped when read */
};

struct smc_device_key {
    const char *name;
    enum smc_key_kind kind;
    size_t offset, size;      /* of the member of struct smc_device */
    uint64_t lowest, highest; /* of a number, or of a string's length in bytes */
};

/* In the order of reports. */
extern const struct smc_device_key smc_device_keys[];
extern const size_t smc_device_key_count;

/* The value of a key that is a whole number. */
uint64_t smc_device_key_integer(const struct smc_device_key *key, const struct smc_device *device);

/* The address of the key's member. */
const void *smc_device_key_member(const struct smc_device_key *key,
                                  const struct smc_device *device);

#endif
