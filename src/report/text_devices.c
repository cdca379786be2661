/* Devices: a table, or one in full with its sources. */
#include <inttypes.h>

#include "report/layout.h"
#include "report/text_parts.h"

enum { NAME_WIDTH = 44 };

static void append_number(struct smc_text *out, int width, double value)
{
    if (value > 0)
        smc_text_printf(out, " %*.0f", width, value);
    else
        smc_text_printf(out, " %*s", width, "-");
}

static void append_row(const struct smc_device *device, struct smc_text *out)
{
    smc_text_cell(out, device->name, -NAME_WIDTH);
    smc_text_printf(out, " %2d.%d", device->sm.cc / 10, device->sm.cc % 10);
    append_number(out, 4, device->sm_count);
    append_number(out, 5, device->sm_clock_khz / 1e3);
    append_number(out, 5, device->memory_bytes_per_s / 1e9);
    append_number(out, 5, device->sm.smem_per_sm_bytes / 1024.0);
    append_number(out, 6, (double)device->l2_bytes / 1024);
    smc_text_append_char(out, '\n', 1);
}

static void append_table(const struct smc_device *devices, size_t count, struct smc_text *out)
{
    smc_text_printf(out, "%-*s %4s %4s %5s %5s %5s %6s\n", NAME_WIDTH, "device", "CC", "SMs", "MHz",
                    "GB/s", "smem", "L2");
    smc_text_printf(out, "%-*s %4s %4s %5s %5s %5s %6s\n", NAME_WIDTH, "", "", "", "", "", "KB/SM",
                    "KB");
    for (size_t i = 0; i < count; i++) {
        if (devices[i].source == SMC_DEVICE_LIVE)
            smc_text_printf(out, "gpu%d, in this machine:\n", devices[i].gpu_index);
        append_row(&devices[i], out);
    }
}

static void append_fact(struct smc_text *out, const char *label, double value, const char *unit)
{
    smc_text_printf(out, "%-32s ", label);
    if (value > 0)
        smc_text_printf(out, "%14.12g%s%s\n", value, *unit ? " " : "", unit);
    else
        smc_text_printf(out, "%14s\n", "-");
}

static void append_board(const struct smc_device *device, struct smc_text *out)
{
    append_fact(out, "SMs", device->sm_count, "");
    append_fact(out, "SM clock", device->sm_clock_khz / 1e3, "MHz");
    append_fact(out, "memory bus", device->memory_bus_bits, "bits");
    append_fact(out, "memory bandwidth", device->memory_bytes_per_s / 1e9, "GB/s");
    append_fact(out, "L2 cache", (double)device->l2_bytes, "B");
    append_fact(out, "global memory", (double)device->global_mem_bytes, "B");
    append_fact(out, "float peak", device->fp32_peak_tflops, "TFLOP/s");
}

static void append_carveouts(const struct smc_sm *sm, const struct smc_report_style *style,
                             struct smc_text *out)
{
    struct smc_text list = {0};
    for (uint32_t i = 0; i < sm->smem_carveout_count; i++)
        smc_text_printf(&list, "%s%u", i ? ", " : "", sm->smem_carveout_bytes[i] / 1024);
    smc_text_append(&list, " KB");
    smc_layout_paragraph(out, "shared memory an SM can have", 33, smc_text_string(&list),
                         style->columns);
    smc_text_free(&list);
}

static void append_sm(const struct smc_sm *sm, const struct smc_report_style *style,
                      struct smc_text *out)
{
    append_fact(out, "threads per block", sm->max_threads_per_block, "");
    append_fact(out, "threads per SM", sm->max_threads_per_sm, "");
    append_fact(out, "warps per SM", sm->max_warps_per_sm, "");
    append_fact(out, "blocks per SM", sm->max_blocks_per_sm, "");
    append_fact(out, "registers per SM", sm->regs_per_sm, "");
    append_fact(out, "registers per block", sm->max_regs_per_block, "");
    append_fact(out, "registers per thread", sm->max_regs_per_thread, "");
    append_fact(out, "register allocation unit", sm->reg_alloc_unit,
                sm->regs_allocated_per_block ? "a block" : "a warp");
    append_fact(out, "sub-partitions per SM", sm->subpartitions, "");
    append_fact(out, "shared memory per SM", sm->smem_per_sm_bytes, "B");
    append_fact(out, "shared memory per block", sm->smem_per_block_default_bytes, "B");
    append_fact(out, "shared memory per block, opt-in", sm->smem_per_block_optin_bytes, "B");
    append_fact(out, "shared memory reserved per block", sm->smem_reserved_per_block_bytes, "B");
    append_fact(out, "shared memory allocation unit", sm->smem_alloc_unit_bytes, "B");
    append_carveouts(sm, style, out);
    append_fact(out, "shared memory banks", sm->smem_banks, "");
    append_fact(out, "bank width", sm->bank_width_bytes, "B");
    append_fact(out, "barriers per block", sm->named_barriers_per_block, "");
    append_fact(out, "barriers per SM", sm->barriers_per_sm, "");
    append_fact(out, "virtual resources per SM", sm->virtual_resources_per_sm, "");
    append_fact(out, "blocks per cluster, portable", sm->cluster_max_portable, "");
    append_fact(out, "blocks per cluster, most", sm->cluster_max_nonportable, "");
    append_fact(out, "float lanes per SM", sm->fp32_lanes_per_sm, "");
    append_fact(out, "blocks of a grid in x", sm->max_grid_x, "");
    append_fact(out, "blocks of a grid in y", sm->max_grid_y, "");
    append_fact(out, "blocks of a grid in z", sm->max_grid_z, "");
}

static void append_in_full(const struct smc_device *device, const struct smc_ceilings *ceilings,
                           const struct smc_report_style *style, struct smc_text *out)
{
    smc_layout_begin(out, style, SMC_STRONG);
    smc_text_append(out, device->name);
    if (device->sm_count)
        smc_text_printf(out, ", compute capability %d.%d", device->sm.cc / 10, device->sm.cc % 10);
    smc_text_printf(out, ", %s\n", device->family);
    smc_layout_end(out, style);
    append_board(device, out);
    append_sm(&device->sm, style, out);
    if (ceilings)
        smc_text_ceilings(ceilings, device, out);
    const char *settled = device->uncertain[0] ? device->uncertain : "none";
    smc_layout_paragraph(out, "uncertain", SMC_TEXT_INDENT, settled, style->columns);
    smc_layout_paragraph(out, "sources", SMC_TEXT_INDENT, device->sources, style->columns);
}

void smc_text_devices(const struct smc_device *devices, const struct smc_ceilings *ceilings,
                      size_t count, const struct smc_report_style *style, struct smc_text *out)
{
    if (count == 1)
        append_in_full(devices, ceilings, style, out);
    else
        append_table(devices, count, out);
}
