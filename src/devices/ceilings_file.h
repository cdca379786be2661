/* The measured ceilings of this user's GPUs: one file with one entry per GPU. */
#ifndef SMC_DEVICES_CEILINGS_FILE_H
#define SMC_DEVICES_CEILINGS_FILE_H

#include <jansson.h>
#include <stddef.h>

#include "base/status.h"
#include "devices/ceilings.h"

/* A new object: device, gpu_uuid, driver, date, then one member per ceiling; null if unknown. */
json_t *smc_ceilings_entry(const struct smc_ceilings *ceilings);

/* Reads such an object. SMC_USAGE with a message that begins with `where` and names the key. */
enum smc_status smc_ceilings_entry_read(const json_t *entry, const char *where,
                                        struct smc_ceilings *out, struct smc_error *error);

enum { SMC_CEILINGS_PATH = 1024 };

/* $SMEMCALC_CEILINGS, else smemcalc/ceilings.json in $XDG_CONFIG_HOME or ~/.config. SMC_USAGE if
   the environment gives no location for it. */
enum smc_status smc_ceilings_path(char path[SMC_CEILINGS_PATH], struct smc_error *error);

/* Starts from {0}. */
struct smc_ceilings_file {
    struct smc_ceilings *entry;
    size_t count;
};

/* A missing file counts as empty. SMC_USAGE: it cannot be read, or is damaged; the message names it
   and the line or the key, and there is nothing to free. */
enum smc_status smc_ceilings_file_read(const char *path, struct smc_ceilings_file *out,
                                       struct smc_error *error);

/* The same from memory; `path` is only what messages call it. */
enum smc_status smc_ceilings_file_parse(const char *path, const char *text, size_t length,
                                        struct smc_ceilings_file *out, struct smc_error *error);

void smc_ceilings_file_free(struct smc_ceilings_file *file);

/* Writes `ceilings` to the file, replacing the entry for the same GPU. Creates the file and its
   folder if they are missing; a symbolic link remains one. A damaged file is left unchanged:
   SMC_USAGE. */
enum smc_status smc_ceilings_keep(const char *path, const struct smc_ceilings *ceilings,
                                  struct smc_error *error);

/* Finds the ceilings of the GPU with this UUID ("" if unknown); else the newest ones of a GPU with
   the device's name; else those of the built-in table; else they are unknown. */
void smc_ceilings_find(const struct smc_ceilings_file *file, const char *device, const char *uuid,
                       struct smc_ceilings *out);

#endif
