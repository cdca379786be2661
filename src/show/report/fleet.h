/* The check reports of many GPUs for other programs, such as Slurm. The reports for
   people and JSON are in report.h. */
#ifndef SMC_SHOW_FLEET_H
#define SMC_SHOW_FLEET_H

#include "show/report/report.h"

/* "n3,n7" and a newline, as `sbatch --exclude` takes it; nothing if no node should be drained. */
void smc_fleet_exclude(const struct smc_fleet *fleet, struct smc_text *out);

/* A line `scontrol update nodename=n3 state=drain reason="..."` for each node. */
void smc_fleet_drain_commands(const struct smc_fleet *fleet, struct smc_text *out);

/* For a Prometheus exporter. Either may be NULL. */
void smc_openmetrics_merge(const struct smc_merged *merged, const struct smc_fleet *fleet,
                           struct smc_text *out);

#endif
