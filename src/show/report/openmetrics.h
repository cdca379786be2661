/* Metrics in the format of OpenMetrics, which is also that of Prometheus' text files. */
#ifndef SMC_SHOW_OPENMETRICS_H
#define SMC_SHOW_OPENMETRICS_H

#include "base/text.h"

/* The lines that describe a gauge. `unit` is NULL, or what the name ends in. */
void smc_openmetrics_family(const char *name, const char *unit, const char *help,
                            struct smc_text *out);

/* `{name="value"`, or with a comma if it is not the first label of the sample. */
void smc_openmetrics_label(const char *name, const char *value, bool first, struct smc_text *out);

#endif
