/* The health of a machine's GPUs as text, as one line of JSON, and as metrics. */
#ifndef SMC_SHOW_HEALTH_REPORT_H
#define SMC_SHOW_HEALTH_REPORT_H

#include "hardware/host_health.h"
#include "show/report/report.h"

/* In the order of the choices of --format. */
enum smc_health_format { SMC_HEALTH_TEXT, SMC_HEALTH_JSON, SMC_HEALTH_OPENMETRICS };

void smc_health_write(const struct smc_host_health *host, enum smc_health_format format,
                      struct smc_text *out);

#endif
