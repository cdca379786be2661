/* Metrics in the format of OpenMetrics. */
#include "show/report/writers.h"

void smc_openmetrics_family(const char *name, const char *unit, const char *help,
                            struct smc_text *out)
{
    smc_text_printf(out, "# TYPE %s gauge\n", name);
    if (unit)
        smc_text_printf(out, "# UNIT %s %s\n", name, unit);
    smc_text_printf(out, "# HELP %s %s\n", name, help);
}

/* A backslash, a quotation mark and the end of a line are escaped. */
void smc_openmetrics_label(const char *name, const char *value, bool first, struct smc_text *out)
{
    smc_text_printf(out, "%s%s=\"", first ? "{" : ",", name);
    for (const char *c = value; *c; c++) {
        if (*c == '\\' || *c == '"')
            smc_text_append_char(out, '\\', 1);
        if (*c == '\n')
            smc_text_append(out, "\\n");
        else
            smc_text_append_char(out, *c, 1);
    }
    smc_text_append_char(out, '"', 1);
}
