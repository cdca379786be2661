/* A device in JSON: every limit, and where it comes from. */
#include <stdio.h>

#include "report/json_parts.h"

static void add_sm(json_t *object, const struct smc_sm *sm)
{
    smc_json_integer(object, "warp_size", sm->warp_size);
    smc_json_integer(object, "max_threads_per_block", sm->max_threads_per_block);
    smc_json_integer(object, "max_threads_per_sm", sm->max_threads_per_sm);
    smc_json_integer(object, "max_warps_per_sm", sm->max_warps_per_sm);
    smc_json_integer(object, "max_blocks_per_sm", sm->max_blocks_per_sm);
    smc_json_integer(object, "regs_per_sm", sm->regs_per_sm);
    smc_json_integer(object, "max_regs_per_block", sm->max_regs_per_block);
    smc_json_integer(object, "max_regs_per_thread", sm->max_regs_per_thread);
    smc_json_integer(object, "reg_alloc_unit", sm->reg_alloc_unit);
    smc_json_string(object, "reg_alloc_granularity",
                    sm->regs_allocated_per_block ? "block" : "warp");
    smc_json_integer(object, "warp_alloc_granularity", sm->warp_alloc_granularity);
    smc_json_integer(object, "sm_subpartitions", sm->subpartitions);
    smc_json_integer(object, "smem_per_sm_bytes", sm->smem_per_sm_bytes);
    smc_json_integer(object, "smem_per_block_default_bytes", sm->smem_per_block_default_bytes);
    smc_json_integer(object, "smem_per_block_optin_bytes", sm->smem_per_block_optin_bytes);
    smc_json_integer(object, "smem_alloc_unit_bytes", sm->smem_alloc_unit_bytes);
    smc_json_integer(object, "smem_reserved_per_block_bytes", sm->smem_reserved_per_block_bytes);
    json_t *carveouts = json_array();
    for (uint32_t i = 0; i < sm->smem_carveout_count; i++)
        json_array_append_new(carveouts, json_integer(sm->smem_carveout_bytes[i]));
    smc_json_set(object, "smem_carveouts_bytes", carveouts);
    smc_json_known_integer(object, "l1_smem_unified_bytes", sm->l1_smem_unified_bytes);
    smc_json_known_integer(object, "l1_tex_separate_bytes", sm->l1_tex_separate_bytes);
    smc_json_integer(object, "smem_banks", sm->smem_banks);
    smc_json_integer(object, "bank_width_bytes", sm->bank_width_bytes);
    smc_json_integer(object, "named_barriers_per_block", sm->named_barriers_per_block);
    smc_json_known_integer(object, "barriers_per_sm", sm->barriers_per_sm);
    smc_json_known_integer(object, "virtual_resources_per_sm", sm->virtual_resources_per_sm);
    smc_json_known_integer(object, "cluster_max_portable", sm->cluster_max_portable);
    smc_json_known_integer(object, "cluster_max_nonportable", sm->cluster_max_nonportable);
    smc_json_known_integer(object, "fp32_lanes_per_sm", sm->fp32_lanes_per_sm);
}

json_t *smc_json_device(const struct smc_device *device)
{
    char cc[16];
    snprintf(cc, sizeof cc, "%d.%d", device->sm.cc / 10, device->sm.cc % 10);
    json_t *object = json_object();
    smc_json_string(object, "name", device->name);
    smc_json_string(object, "compute_capability", cc);
    smc_json_known_integer(object, "sm_count", device->sm_count);
    smc_json_string(object, "source", smc_device_source_name(device->source));
    smc_json_set(object, "gpu_index",
                 device->gpu_index >= 0 ? json_integer(device->gpu_index) : json_null());
    smc_json_string(object, "family", device->family);
    smc_json_set(object, "chip", device->chip[0] ? json_string(device->chip) : json_null());
    smc_json_known_integer(object, "sm_clock_khz", device->sm_clock_khz);
    smc_json_known_integer(object, "memory_bus_bits", device->memory_bus_bits);
    smc_json_known_real(object, "memory_bytes_per_s", device->memory_bytes_per_s);
    smc_json_known_integer(object, "l2_bytes", device->l2_bytes);
    smc_json_known_integer(object, "global_mem_bytes", device->global_mem_bytes);
    smc_json_known_real(object, "fp32_peak_tflops", device->fp32_peak_tflops);
    add_sm(object, &device->sm);
    smc_json_string(object, "uncertain", device->uncertain);
    smc_json_string(object, "sources", device->sources);
    return object;
}
