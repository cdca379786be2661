/* The quantities of a GPU, from what was measured on it or from its specifications. */
#include "timing/rates.h"

#include <string.h>

static double value(const struct smc_ceilings *ceilings, enum smc_ceiling id)
{
    return ceilings ? ceilings->value[id] : 0;
}

static void set_pipes(struct smc_rates *rates, const struct smc_device *device)
{
    double lanes = device->sm.fp32_lanes_per_sm ? device->sm.fp32_lanes_per_sm : 128;
    double all = device->sm.warp_size * 4.0; /* lanes of four sub-partitions */
    double *issue = rates->issue;
    issue[SMC_PIPE_NONE] = 1;
    issue[SMC_PIPE_FMA] = 2 * all / lanes; /* of one half */
    issue[SMC_PIPE_FMA_HEAVY] = 2;
    issue[SMC_PIPE_ALU] = 2;
    issue[SMC_PIPE_FP64] = 2;
    issue[SMC_PIPE_HALF] = 1;
    issue[SMC_PIPE_XU] = 8;
    issue[SMC_PIPE_LSU] = 2;
    issue[SMC_PIPE_UNIFORM] = 2;
    issue[SMC_PIPE_UNIFORM_MOVE] = 2;
    issue[SMC_PIPE_BRANCH] = 2;
    issue[SMC_PIPE_CBU] = 2;
    issue[SMC_PIPE_ADU] = 8;
    issue[SMC_PIPE_UNKNOWN] = 2;
    rates->wide_multiply = 4;
}

void smc_rates_of(const struct smc_device *device, const struct smc_ceilings *ceilings,
                  uint32_t busy_sms, struct smc_rates *rates)
{
    *rates = (struct smc_rates){.clock_hz = device->sm_clock_khz * 1e3};
    set_pipes(rates, device);
    rates->shared_latency = value(ceilings, SMC_CEILING_SHARED_CLOCKS);
    rates->l1_latency = value(ceilings, SMC_CEILING_L1_CLOCKS);
    rates->l2_latency = value(ceilings, SMC_CEILING_L2_CLOCKS);
    rates->dram_latency = value(ceilings, SMC_CEILING_DRAM_CLOCKS);
    rates->special_latency = 24;
    rates->constant_latency = 30;
    rates->barrier_latency = 20;
    rates->branch_latency = 8;
    rates->l1_requests = 1;
    rates->l2_port_sectors = 2;
    rates->block_start = 60;
    rates->launch_ms = value(ceilings, SMC_CEILING_LAUNCH) * 1e-3;
    double per_sm = rates->clock_hz * 32 * busy_sms;
    rates->l2_sectors_per_clock = value(ceilings, SMC_CEILING_L2) / per_sm;
    if (rates->l2_sectors_per_clock > rates->l2_port_sectors)
        rates->l2_sectors_per_clock = rates->l2_port_sectors;
    rates->dram_bytes_per_clock = value(ceilings, SMC_CEILING_COPY) / rates->clock_hz;
    rates->dram_sectors_per_clock = value(ceilings, SMC_CEILING_READ) / per_sm;
}
