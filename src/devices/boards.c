/* The table of boards. */
#include "devices/boards.h"

#include <stdio.h>

#include "devices/devices.h"

/* The columns of data/devices.csv. */
struct row {
    const char *name;
    const char *other_names; /* joined by ';' */
    const char *chip, *compute_capability;
    uint32_t sm_count;
    double boost_sm_clock_mhz, reported_clock_mhz;
    uint32_t memory_bus_bits;
    double memory_bandwidth_gbs;
    uint64_t l2_bytes, global_mem_bytes, global_mem_reported_bytes;
    uint32_t fp32_lanes_per_sm;
    double fp32_peak_tflops;
    const char *uncertain_cells, *source;
};

static const struct row rows[] = {
#include "devices/boards.inc"
};

size_t smc_device_count(void)
{
    return sizeof rows / sizeof *rows;
}

const char *smc_board_name(size_t index)
{
    return rows[index].name;
}

const char *smc_board_other_names(size_t index)
{
    return rows[index].other_names;
}

uint64_t smc_board_memory_bytes(size_t index)
{
    return rows[index].global_mem_bytes;
}

uint16_t smc_device_cc_at(size_t index)
{
    uint16_t cc = 0;
    smc_capability_parse(rows[index].compute_capability, &cc);
    return cc;
}

void smc_device_at(size_t index, struct smc_device *out)
{
    const struct row *row = &rows[index];
    struct smc_capability capability = {0};
    smc_capability_find(smc_device_cc_at(index), &capability);
    smc_device_of_capability(&capability, out);
    snprintf(out->name, sizeof out->name, "%s", row->name);
    snprintf(out->chip, sizeof out->chip, "%s", row->chip);
    out->sm_count = row->sm_count;
    out->sm_clock_khz = (uint32_t)(row->boost_sm_clock_mhz * 1000);
    out->memory_bus_bits = row->memory_bus_bits;
    out->memory_bytes_per_s = (double)(uint64_t)(row->memory_bandwidth_gbs * 1e9 + 0.5);
    out->l2_bytes = row->l2_bytes;
    out->global_mem_bytes =
        row->global_mem_reported_bytes ? row->global_mem_reported_bytes : row->global_mem_bytes;
    out->sm.fp32_lanes_per_sm = row->fp32_lanes_per_sm;
    out->fp32_peak_tflops = row->fp32_peak_tflops;
    out->uncertain = row->uncertain_cells;
    out->sources = row->source;
}

void smc_device_of_capability(const struct smc_capability *capability, struct smc_device *out)
{
    *out = (struct smc_device){
        .sm = capability->sm,
        .source = SMC_DEVICE_TABLE,
        .gpu_index = -1,
        .family = capability->family,
        .uncertain = capability->uncertain,
        .sources = capability->sources,
    };
    snprintf(out->name, sizeof out->name, "compute capability %d.%d", capability->sm.cc / 10,
             capability->sm.cc % 10);
}
