/* A person's own devices, read from JSON: what `smemcalc devices --format json` prints. */
#ifndef SMC_DEVICEFILE_DEVICE_FILE_H
#define SMC_DEVICEFILE_DEVICE_FILE_H

#include "devices/devices.h"

struct smc_device_file {
    struct smc_device *devices; /* their texts belong to the file as well */
    size_t count;               /* 1 or more once read */
    void *document;
};

/* Reads a file that holds one device object, or {"devices": [...]}; "-" is standard input. A key
   that is left out has the value of the table's compute capability; name and compute_capability
   may not be left out. Every device passes smc_sm_check. `path` must outlive the file: devices
   point at it. SMC_USAGE with a message that names the file and the line or the key; then nothing
   is to be freed. */
enum smc_status smc_device_file_read(const char *path, struct smc_device_file *out,
                                     struct smc_error *error);

/* The same from memory; `path` is only what messages call it. */
enum smc_status smc_device_file_parse(const char *path, const char *text, size_t length,
                                      struct smc_device_file *out, struct smc_error *error);

/* Frees what was read and empties it; an empty one may be freed too. */
void smc_device_file_free(struct smc_device_file *file);

#endif
