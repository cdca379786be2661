/* A GPU's measured ceilings: the values, the range of their samples and the share of the
   theoretical peak, as text, JSON and CSV. */
#include <stdio.h>

#include "rules/ceilings.h"
#include "show/report/csv_parts.h"
#include "show/report/json_parts.h"
#include "show/report/text_parts.h"
#include "show/words/layout.h"
#include "show/words/words.h"

/* --- Text ------------------------------------------------------------------------------------- */

/* A line has at most 80 columns; FACTS_EDGE is where the values of a device's other facts end. */
enum { LABEL_WIDTH = 28, VALUE_WIDTH = 14, SPREAD_WIDTH = 17, FACTS_EDGE = 47 };

/* At least four significant digits, and all before the point. */
static void print_number(double value, char text[24])
{
    snprintf(text, 24, value >= 1000 ? "%.0f" : "%.4g", value);
}

static void append_value(const struct smc_ceiling_info *info, double value, struct smc_text *out)
{
    char number[24], text[48] = "-";
    print_number(value / info->per_unit, number);
    if (value > 0)
        snprintf(text, sizeof text, "%s %s", number, info->unit);
    smc_text_printf(out, " %*s", VALUE_WIDTH, text);
}

static void append_spread(const struct smc_ceiling_info *info, const struct smc_spread *spread,
                          struct smc_text *out)
{
    char lowest[24], highest[24], text[64] = "not measured";
    print_number(spread->lowest / info->per_unit, lowest);
    print_number(spread->highest / info->per_unit, highest);
    if (spread->samples > 0)
        snprintf(text, sizeof text, "%s .. %s", lowest, highest);
    smc_text_printf(out, "  %*s", SPREAD_WIDTH, text);
}

static void append_share(const struct smc_ceiling_info *info, double value, double peak,
                         struct smc_text *out)
{
    char number[24];
    if (value <= 0 || peak <= 0)
        return;
    print_number(peak / info->per_unit, number);
    smc_text_printf(out, "  %5.1f %% of %s", 100 * value / peak, number);
}

/* `width`: of the label. */
static void ceilings_append_groups(const struct smc_sm_groups *groups, int width,
                                   struct smc_text *out)
{
    if (groups->count == 0)
        return;
    smc_text_printf(out, "%-*s", width, "SMs by groups");
    smc_words_sm_groups(groups, out);
    smc_text_append_char(out, '\n', 1);
}

static void ceilings_append_head(const struct smc_calibration *calibration,
                                 const struct smc_report_style *style, struct smc_text *out)
{
    const struct smc_device *device = &calibration->device;
    smc_layout_begin(out, style, SMC_STRONG);
    smc_text_append(out, device->name);
    smc_layout_end(out, style);
    smc_text_printf(out, "  CC %d.%d  %u SMs  driver %s\n\n", device->sm.cc / 10,
                    device->sm.cc % 10, device->sm_count, calibration->ceilings.driver);
    smc_text_printf(out, "%-*s %*s  %*s  %s\n", LABEL_WIDTH, "", VALUE_WIDTH, "median",
                    SPREAD_WIDTH, "lowest .. highest", "theoretical peak");
}

void smc_text_ceilings(const struct smc_ceilings *ceilings, const struct smc_device *device,
                       struct smc_text *out)
{
    if (ceilings->source == SMC_CEILINGS_UNKNOWN)
        return;
    smc_text_safe_line(out, "measured, driver %s, %s (%s):", ceilings->driver, ceilings->date,
                       ceilings->source == SMC_CEILINGS_TABLE ? "built-in table" : "calibrated");
    for (int i = 0; i < SMC_CEILING_COUNT; i++) {
        const struct smc_ceiling_info *info = &smc_ceiling_info[i];
        if (ceilings->value[i] <= 0)
            continue;
        smc_text_printf(out, "%-*s", FACTS_EDGE - 1 - VALUE_WIDTH, info->label);
        append_value(info, ceilings->value[i], out);
        append_share(info, ceilings->value[i], smc_ceiling_peak((enum smc_ceiling)i, device), out);
        smc_text_append_char(out, '\n', 1);
    }
}

void smc_text_calibration(const struct smc_calibration *calibration, const char *kept_in,
                          const struct smc_report_style *style, struct smc_text *out)
{
    ceilings_append_head(calibration, style, out);
    for (int i = 0; i < SMC_CEILING_COUNT; i++) {
        const struct smc_ceiling_info *info = &smc_ceiling_info[i];
        double value = calibration->ceilings.value[i];
        smc_text_printf(out, "%-*s", LABEL_WIDTH, info->label);
        append_value(info, value, out);
        append_spread(info, &calibration->spread[i], out);
        append_share(info, value, smc_ceiling_peak((enum smc_ceiling)i, &calibration->device), out);
        smc_text_append_char(out, '\n', 1);
    }
    ceilings_append_groups(&calibration->ceilings.sm_groups, LABEL_WIDTH + 1, out);
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
