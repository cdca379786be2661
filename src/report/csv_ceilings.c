/* Measured ceilings in CSV: a row of data/ceilings.csv, under its header. */
#include "report/csv_parts.h"

void smc_csv_calibration(const struct smc_calibration *calibration, const char *kept_in,
                         const struct smc_report_style *style, struct smc_text *out)
{
    (void)kept_in, (void)style;
    const struct smc_ceilings *ceilings = &calibration->ceilings;
    smc_text_append(out, "device,driver,date");
    for (int i = 0; i < SMC_CEILING_COUNT; i++)
        smc_text_printf(out, ",%s", smc_ceiling_info[i].key);
    smc_text_append_char(out, '\n', 1);
    smc_csv_field(out, ceilings->device);
    smc_text_append_char(out, ',', 1);
    smc_csv_field(out, ceilings->driver);
    smc_text_printf(out, ",%s", ceilings->date);
    for (int i = 0; i < SMC_CEILING_COUNT; i++) {
        smc_text_append_char(out, ',', 1);
        if (ceilings->value[i] > 0)
            smc_text_printf(out, "%.6g", ceilings->value[i]);
    }
    smc_text_append_char(out, '\n', 1);
}
