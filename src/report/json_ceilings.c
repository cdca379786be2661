/* Measured ceilings in JSON. */
#include "ceilings/entry.h"
#include "report/json_parts.h"

json_t *smc_json_ceilings(const struct smc_ceilings *ceilings)
{
    if (ceilings->source == SMC_CEILINGS_UNKNOWN)
        return json_null();
    json_t *object = smc_ceilings_entry(ceilings);
    smc_json_string(object, "source", smc_ceilings_source_name(ceilings->source));
    return object;
}

void smc_json_calibration(json_t *object, const struct smc_calibration *calibration,
                          const char *kept_in)
{
    json_t *spread = json_object();
    smc_json_set(object, "device", smc_json_device(&calibration->device));
    smc_json_set(object, "ceilings", smc_json_ceilings(&calibration->ceilings));
    for (int i = 0; i < SMC_CEILING_COUNT; i++) {
        const struct smc_spread *seen = &calibration->spread[i];
        json_t *one = json_object();
        smc_json_integer(one, "samples", seen->samples);
        smc_json_known_real(one, "lowest", seen->lowest);
        smc_json_known_real(one, "highest", seen->highest);
        smc_json_known_real(one, "theoretical_peak",
                            smc_ceiling_peak((enum smc_ceiling)i, &calibration->device));
        smc_json_set(spread, smc_ceiling_info[i].key, one);
    }
    smc_json_set(object, "spread", spread);
    smc_json_real(object, "elapsed_ms", calibration->elapsed_ms);
    if (kept_in)
        smc_json_string(object, "kept_in", kept_in);
    else
        smc_json_set(object, "kept_in", json_null());
}
