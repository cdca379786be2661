/* The highest rates and lowest latencies measured on a device. The built-in table is
   data/ceilings.csv; `smemcalc calibrate` measures the GPUs of a machine. */
#ifndef SMC_RULES_CEILINGS_H
#define SMC_RULES_CEILINGS_H

#include <jansson.h>
#include <stddef.h>

#include "base/platform.h"
#include "base/status.h"
#include "rules/devices.h"

enum smc_ceiling {
#define CEILING(id, key, label, unit, per_unit) SMC_CEILING_##id,
#include "rules/devices/ceilings.def"
    SMC_CEILING_COUNT
};

struct smc_ceiling_info {
    const char *key;   /* "copy_bytes_per_s" */
    const char *label; /* for people; "": the same quantity as the one before, in another unit */
    const char *unit;
    double per_unit; /* how many of the key's unit make one `unit` */
};

extern const struct smc_ceiling_info smc_ceiling_info[SMC_CEILING_COUNT];

enum smc_ceilings_source {
    SMC_CEILINGS_UNKNOWN,
    SMC_CEILINGS_TABLE,
    SMC_CEILINGS_CALIBRATED, /* on a GPU of this user */
};

struct smc_ceilings {
    enum smc_ceilings_source source;
    double value[SMC_CEILING_COUNT];    /* in the key's unit; 0: unknown */
    struct smc_sm_groups sm_groups;     /* of a calibrated GPU; not in the table, see devices.csv */
    char device[128];                   /* its name */
    char gpu_uuid[SMC_GPU_UUID_CHARS];  /* "GPU-..."; "" if unknown */
    char driver[SMC_GPU_VERSION_CHARS]; /* "580.159.03" */
    char date[16];                      /* "2026-11-21" */
};

/* The ceilings of the board with exactly this name. Returns false, with all of them unknown, if the
   table has none. */
bool smc_ceilings_of_board(const char *name, struct smc_ceilings *out);

/* The device's theoretical peak, in the key's unit; 0: unknown. */
double smc_ceiling_peak(enum smc_ceiling ceiling, const struct smc_device *device);

/* What was measured, else the theoretical peak; in the key's unit, 0: unknown. */
double smc_ceiling_or_peak(enum smc_ceiling ceiling, const struct smc_ceilings *measured,
                           const struct smc_device *device);

/* "table", "calibrated"; NULL if unknown. */
const char *smc_ceilings_source_name(enum smc_ceilings_source source);

/* --- Groups of SMs ---------------------------------------------------------------------------- */

enum { SMC_MOST_COUNTED_SIZE = 16, SMC_MOST_COUNTED_BLOCKS = 8 };

/* How many clusters are resident according to the driver (cudaOccupancyMaxActiveClusters), for each
   number of blocks per SM and each size of a cluster, from 1. */
struct smc_cluster_counts {
    uint32_t largest_size;                    /* sizes up to this one are counted */
    bool is_counted[SMC_MOST_COUNTED_BLOCKS]; /* at least with one block per SM */
    uint32_t clusters[SMC_MOST_COUNTED_BLOCKS][SMC_MOST_COUNTED_SIZE];
};

/* Finds groups of `sm_count` SMs in all with which smc_resident_clusters gives these counts.
   Several answers are possible only where they make no difference to a cluster of up to the largest
   size. False, and none, if there are no such groups: the rule does not hold for this GPU. */
bool smc_sm_groups_find(uint32_t sm_count, const struct smc_cluster_counts *counts,
                        struct smc_sm_groups *groups);

/* Replaces a device's groups by those that were measured on it or on another board of its name; a
   file's own stay. */
void smc_ceilings_set_groups(const struct smc_ceilings *ceilings, struct smc_device *device);

/* --- Ceilings of this machine ----------------------------------------------------------------- */

/* The measured ceilings of this user's GPUs: one file with one entry per GPU. */

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
