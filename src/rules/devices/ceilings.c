/* Measured ceilings: the built-in table, and the theoretical peaks. */
#include "rules/ceilings.h"

#include <stdio.h>
#include <string.h>

const struct smc_ceiling_info smc_ceiling_info[SMC_CEILING_COUNT] = {
#define CEILING(id, key, label, unit, per_unit) [SMC_CEILING_##id] = {#key, label, unit, per_unit},
#include "rules/devices/ceilings.def"
};

/* The columns of data/ceilings.csv. */
struct ceilings_row {
    const char *device, *driver, *date;
#define CEILING(id, key, label, unit, per_unit) double key;
#include "rules/devices/ceilings.def"
};

/* The last row has no device. It ends the table, which may otherwise be empty. */
static const struct ceilings_row rows[] = {
#include "rules/devices/ceilings.inc"
    {.device = NULL},
};

static void ceilings_take(const struct ceilings_row *row, struct smc_ceilings *out)
{
    out->source = SMC_CEILINGS_TABLE;
    snprintf(out->device, sizeof out->device, "%s", row->device);
    snprintf(out->driver, sizeof out->driver, "%s", row->driver);
    snprintf(out->date, sizeof out->date, "%s", row->date);
#define CEILING(id, key, label, unit, per_unit) out->value[SMC_CEILING_##id] = row->key;
#include "rules/devices/ceilings.def"
}

bool smc_ceilings_of_board(const char *name, struct smc_ceilings *out)
{
    *out = (struct smc_ceilings){0};
    for (const struct ceilings_row *row = rows; row->device; row++)
        if (strcmp(row->device, name) == 0) {
            ceilings_take(row, out);
            return true;
        }
    return false;
}

double smc_ceiling_peak(enum smc_ceiling ceiling, const struct smc_device *device)
{
    switch (ceiling) {
    case SMC_CEILING_COPY:
    case SMC_CEILING_READ:
        return device->memory_bytes_per_s;
    case SMC_CEILING_SHARED:
        return (double)device->sm.smem_banks * device->sm.bank_width_bytes;
    case SMC_CEILING_FLOAT:
        return device->fp32_peak_tflops * 1e12;
    case SMC_CEILING_CLOCK:
        return device->sm_clock_khz;
    default:
        return 0;
    }
}

double smc_ceiling_or_peak(enum smc_ceiling ceiling, const struct smc_ceilings *measured,
                           const struct smc_device *device)
{
    double value = measured->value[ceiling];
    return value > 0 ? value : smc_ceiling_peak(ceiling, device);
}

const char *smc_ceilings_source_name(enum smc_ceilings_source source)
{
    static const char *const names[] = {
        [SMC_CEILINGS_UNKNOWN] = NULL,
        [SMC_CEILINGS_TABLE] = "table",
        [SMC_CEILINGS_CALIBRATED] = "calibrated",
    };
    return names[source];
}
