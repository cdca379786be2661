/* A GPU's measured ceilings: the values, the range of their samples and the share of the
   theoretical peak, as text, JSON and CSV. */
#include <stdio.h>

#include "show/report/text_table.h"
#include "show/report/writers.h"

/* --- Text ------------------------------------------------------------------------------------- */

/* A line has at most 80 columns. */
static const struct smc_text_column calibration_columns[] = {
    {"", 0, -28, false},
    {"median", 1, 14, false},
    {"lowest .. highest", 2, 17, false},
    {"theoretical peak", 2, 0, false},
    {0},
};
/* Beside a device's other facts, whose values end at the same edge. */
static const struct smc_text_column fact_columns[] = {
    {"", 0, -32, false}, {"", 1, 14, false}, {"", 2, 0, true}, {"", 2, 0, false}, {0}};

/* At least four significant digits, and all before the point. */
static void print_number(double value, char text[24])
{
    snprintf(text, 24, value >= 1000 ? "%.0f" : "%.4g", value);
}

static void add_ceiling(enum smc_ceiling id, const struct smc_ceilings *ceilings,
                        const struct smc_spread *spread, const struct smc_device *device,
                        struct smc_cells cells)
{
    const struct smc_ceiling_info *info = &smc_ceiling_info[id];
    const double value = ceilings->value[id], peak = smc_ceiling_peak(id, device);
    char number[24], highest[24];
    smc_cells_add(&cells, info->label);
    print_number(value / info->per_unit, number);
    if (value > 0)
        smc_cells_printf(&cells, "%s %s", number, info->unit);
    else
        smc_cells_add(&cells, "-");
    print_number(spread->lowest / info->per_unit, number);
    print_number(spread->highest / info->per_unit, highest);
    if (spread->samples > 0)
        smc_cells_printf(&cells, "%s .. %s", number, highest);
    else
        smc_cells_add(&cells, "not measured");
    print_number(peak / info->per_unit, number);
    if (value > 0 && peak > 0)
        smc_cells_printf(&cells, "%5.1f %% of %s", 100 * value / peak, number);
    smc_text_append_char(cells.out, '\n', 1);
}

void smc_text_ceilings(const struct smc_ceilings *ceilings, const struct smc_device *device,
                       struct smc_text *out)
{
    if (ceilings->source == SMC_CEILINGS_UNKNOWN)
        return;
    smc_text_safe_line(out, "measured, driver %s, %s (%s):", ceilings->driver, ceilings->date,
                       ceilings->source == SMC_CEILINGS_TABLE ? "built-in table" : "calibrated");
    for (int i = 0; i < SMC_CEILING_COUNT; i++)
        if (ceilings->value[i] > 0)
            add_ceiling((enum smc_ceiling)i, ceilings, &(struct smc_spread){0}, device,
                        (struct smc_cells){fact_columns, out});
}

void smc_text_calibration(const struct smc_calibration *calibration, const char *kept_in,
                          struct smc_text *out)
{
    const struct smc_device *device = &calibration->device;
    smc_layout_words(out, SMC_STRONG, device->name);
    smc_text_printf(out, "  CC %d.%d  %u SMs  driver %s\n\n", device->sm.cc / 10,
                    device->sm.cc % 10, device->sm_count, calibration->ceilings.driver);
    smc_cells_headings((struct smc_cells){calibration_columns, out});
    for (int i = 0; i < SMC_CEILING_COUNT; i++)
        add_ceiling((enum smc_ceiling)i, &calibration->ceilings, &calibration->spread[i],
                    &calibration->device, (struct smc_cells){calibration_columns, out});
    if (calibration->ceilings.sm_groups.count > 0) {
        struct smc_cells cells = {calibration_columns, out};
        smc_cells_add(&cells, "SMs by groups");
        smc_text_append_char(out, ' ', 1);
        smc_words_sm_groups(&calibration->ceilings.sm_groups, out);
        smc_text_append_char(out, '\n', 1);
    }
    smc_text_printf(out, "\nmeasured in %.1f s; ", calibration->elapsed_ms / 1e3);
    if (kept_in)
        smc_text_safe_line(out, "kept in %s", kept_in);
    else
        smc_text_append(out, "not kept\n");
}

/* --- JSON ------------------------------------------------------------------------------------- */

json_t *smc_json_ceilings(const struct smc_ceilings *ceilings)
{
    if (ceilings->source == SMC_CEILINGS_UNKNOWN)
        return json_null();
    json_t *object = smc_ceilings_entry(ceilings);
    smc_json_string(object, "source", smc_ceilings_source_name(ceilings->source));
    return object;
}

/* --- CSV -------------------------------------------------------------------------------------- */

void smc_csv_calibration(const struct smc_calibration *calibration, const char *kept_in,
                         struct smc_text *out)
{
    (void)kept_in;
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
