/* The highest rates and lowest latencies measured on a device. The built-in table is
   data/ceilings.csv; `smemcalc calibrate` measures the GPUs of a machine. */
#ifndef SMC_DEVICES_CEILINGS_H
#define SMC_DEVICES_CEILINGS_H

#include "base/machine.h"
#include "devices/devices.h"

enum smc_ceiling {
#define CEILING(id, key, label, unit, per_unit) SMC_CEILING_##id,
#include "devices/ceilings.def"
#undef CEILING
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

#endif
