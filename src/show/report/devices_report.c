/* Devices: a table, or one in full with its sources; JSON and CSV by the table of keys that device
   files are read by. */
#include <stdio.h>
#include <string.h>

#include "rules/device_file.h"
#include "show/report/writers.h"

enum { NAME_WIDTH = 44, FACT_WIDTH = 32 };

/* --- Values ----------------------------------------------------------------------------------- */

static struct smc_value carveouts_of(const struct smc_sm *sm)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < sm->smem_carveout_count; i++)
        json_array_append_new(list, json_integer(sm->smem_carveout_bytes[i]));
    return smc_value_json(list);
}

static struct smc_value groups_of(const struct smc_sm_groups *groups)
{
    json_t *list = groups->count > 0 ? json_array() : json_null();
    for (uint32_t i = 0; i < groups->count; i++)
        json_array_append_new(list, json_integer(groups->sms[i]));
    return smc_value_json(list);
}

static struct smc_value devices_value_of(const struct smc_device_key *key,
                                         const struct smc_device *device)
{
    const void *member = smc_device_key_member(key, device);
    switch (key->kind) {
    case SMC_KEY_NAME:
        return smc_value_string(member);
    case SMC_KEY_TEXT:
        return smc_value_text(*(const char *const *)member);
    case SMC_KEY_CAPABILITY:
        return smc_value_capability(device->sm.cc);
    case SMC_KEY_COUNT:
    case SMC_KEY_POWER:
        return smc_value_integer(smc_device_key_integer(key, device));
    case SMC_KEY_KNOWN:
        return smc_value_known(smc_device_key_integer(key, device));
    case SMC_KEY_REAL:
        return SMC_VALUE_IF(*(const double *)member != 0, smc_value_real(*(const double *)member));
    case SMC_KEY_GRANULARITY:
        return smc_value_string(device->sm.regs_allocated_per_block ? "block" : "warp");
    case SMC_KEY_CARVEOUTS:
        return carveouts_of(&device->sm);
    case SMC_KEY_GROUPS:
        return groups_of(&device->sm_groups);
    case SMC_KEY_SOURCE:
        return smc_value_string(smc_device_source_name(device->source));
    case SMC_KEY_GPU_INDEX:
        return SMC_VALUE_IF(device->gpu_index >= 0, smc_value_integer((uint64_t)device->gpu_index));
    case SMC_KEY_ASSUMED:
        break;
    }
    return (struct smc_value){.kind = SMC_VALUE_ABSENT};
}

static struct smc_value value_named(const char *name, const struct smc_device *device)
{
    for (size_t i = 0; i < smc_device_key_count; i++)
        if (strcmp(smc_device_keys[i].name, name) == 0)
            return devices_value_of(&smc_device_keys[i], device);
    return (struct smc_value){.kind = SMC_VALUE_UNKNOWN};
}

/* --- Text ------------------------------------------------------------------------------------- */

static void devices_append_number(struct smc_text *out, int width, double value)
{
    if (value > 0)
        smc_text_printf(out, " %*.0f", width, value);
    else
        smc_text_printf(out, " %*s", width, "-");
}

static void devices_append_row(const struct smc_device *device, struct smc_text *out)
{
    smc_text_cell(out, device->name, -NAME_WIDTH);
    smc_text_printf(out, " %2d.%d", device->sm.cc / 10, device->sm.cc % 10);
    devices_append_number(out, 4, device->sm_count);
    devices_append_number(out, 5, device->sm_clock_khz / 1e3);
    devices_append_number(out, 5, device->memory_bytes_per_s / 1e9);
    devices_append_number(out, 5, device->sm.smem_per_sm_bytes / 1024.0);
    devices_append_number(out, 6, (double)device->l2_bytes / 1024);
    smc_text_append_char(out, '\n', 1);
}

/* Boards of the built-in table are grouped by architecture. */
static void devices_append_table(const struct smc_device *devices, size_t count,
                                 struct smc_text *out)
{
    smc_text_printf(out, "%-*s %4s %4s %5s %5s %5s %6s\n", NAME_WIDTH, "device", "CC", "SMs", "MHz",
                    "GB/s", "smem", "L2");
    smc_text_printf(out, "%-*s %4s %4s %5s %5s %5s %6s\n", NAME_WIDTH, "", "", "", "", "", "KB/SM",
                    "KB");
    for (size_t i = 0; i < count; i++) {
        bool listed = devices[i].source == SMC_DEVICE_TABLE && devices[i].sm_count > 0;
        if (listed && (i == 0 || strcmp(devices[i].family, devices[i - 1].family) != 0))
            smc_text_printf(out, "\n%s\n", devices[i].family);
        if (devices[i].source == SMC_DEVICE_LIVE)
            smc_text_printf(out, "gpu%d, in this machine:\n", devices[i].gpu_index);
        devices_append_row(&devices[i], out);
    }
}

enum fact_kind { NUMBER, IF_KNOWN, REGISTER_UNIT, CARVEOUTS };

#define FACT(key, heading, unit)                                                                   \
    {                                                                                              \
        key, heading, unit, 1, NUMBER                                                              \
    }

/* The lines of one device in full: a key of the JSON, the line's heading, and its unit. */
static const struct devices_fact {
    const char *key, *heading, *unit;
    double divisor; /* of the key's value */
    enum fact_kind kind;
} facts[] = {
    FACT("sm_count", "SMs", ""),
    {"sm_clock_khz", "SM clock", "MHz", 1e3, NUMBER},
    FACT("memory_bus_bits", "memory bus", "bits"),
    {"memory_bytes_per_s", "memory bandwidth", "GB/s", 1e9, NUMBER},
    FACT("l2_bytes", "L2 cache", "B"),
    FACT("global_mem_bytes", "global memory", "B"),
    FACT("fp32_peak_tflops", "theoretical float peak", "TFLOP/s"),
    FACT("max_threads_per_block", "threads per block", ""),
    FACT("max_threads_per_sm", "threads per SM", ""),
    FACT("max_warps_per_sm", "warps per SM", ""),
    FACT("max_blocks_per_sm", "blocks per SM", ""),
    FACT("regs_per_sm", "registers per SM", ""),
    FACT("max_regs_per_block", "registers per block", ""),
    FACT("max_regs_per_thread", "registers per thread", ""),
    {"reg_alloc_unit", "register allocation unit", "", 1, REGISTER_UNIT},
    FACT("sm_subpartitions", "sub-partitions per SM", ""),
    FACT("smem_per_sm_bytes", "shared memory per SM", "B"),
    FACT("smem_per_block_default_bytes", "shared memory per block", "B"),
    FACT("smem_per_block_optin_bytes", "shared memory per block, opt-in", "B"),
    {"smem_oversized_per_sm_bytes", "shared memory per SM, oversized", "B", 1, IF_KNOWN},
    {"smem_oversized_per_block_bytes", "shared mem. per block, oversized", "B", 1, IF_KNOWN},
    FACT("smem_reserved_per_block_bytes", "shared memory reserved per block", "B"),
    FACT("smem_alloc_unit_bytes", "shared memory allocation unit", "B"),
    {"smem_carveouts_bytes", "shared memory sizes of an SM", "KB", 1, CARVEOUTS},
    FACT("smem_banks", "shared memory banks", ""),
    FACT("bank_width_bytes", "bank width", "B"),
    FACT("named_barriers_per_block", "barriers per block", ""),
    FACT("barriers_per_sm", "barriers per SM", ""),
    FACT("virtual_resources_per_sm", "virtual resources per SM", ""),
    FACT("cluster_max_portable", "blocks per cluster, portable", ""),
    FACT("cluster_max_nonportable", "blocks per cluster, most", ""),
    {"tmem_columns_per_sm", "columns of Tensor Memory per SM", "", 1, IF_KNOWN},
    FACT("fp32_lanes_per_sm", "float lanes per SM", ""),
    FACT("max_grid_x", "blocks of a grid in x", ""),
    FACT("max_grid_y", "blocks of a grid in y", ""),
    FACT("max_grid_z", "blocks of a grid in z", ""),
    FACT("max_block_z", "threads of a block in z", ""),
    FACT("max_parameter_bytes", "arguments of a kernel", "B"),
};

static void append_carveouts(const struct devices_fact *fact, const struct smc_sm *sm,
                             struct smc_text *out)
{
    smc_auto_text list = {0};
    for (uint32_t i = 0; i < sm->smem_carveout_count; i++)
        smc_text_printf(&list, "%s%u", i ? ", " : "", sm->smem_carveout_bytes[i] / 1024);
    smc_text_printf(&list, " %s", fact->unit);
    smc_layout_paragraph(out, fact->heading, FACT_WIDTH + 1, smc_text_string(&list),
                         out->style->columns);
}

static void append_fact(const struct devices_fact *fact, const struct smc_device *device,
                        struct smc_text *out)
{
    if (fact->kind == CARVEOUTS) {
        append_carveouts(fact, &device->sm, out);
        return;
    }
    const struct smc_value value = value_named(fact->key, device);
    double number = value.kind == SMC_VALUE_REAL ? value.real : (double)value.integer;
    const char *unit = fact->unit;
    if (fact->kind == REGISTER_UNIT)
        unit = device->sm.regs_allocated_per_block ? "per block" : "per warp";
    if (number > 0)
        smc_text_printf(out, "%-*s %14.12g%s%s\n", FACT_WIDTH, fact->heading,
                        number / fact->divisor, *unit ? " " : "", unit);
    else if (fact->kind != IF_KNOWN)
        smc_text_printf(out, "%-*s %14s\n", FACT_WIDTH, fact->heading, "-");
}

static void append_groups(const struct smc_sm_groups *groups, struct smc_text *out)
{
    smc_auto_text list = {0};
    smc_words_sm_groups(groups, &list);
    if (list.length > 0)
        smc_layout_paragraph(out, "SMs by groups", FACT_WIDTH + 1, smc_text_string(&list),
                             out->style->columns);
}

static void append_in_full(const struct smc_device *device, const struct smc_ceilings *ceilings,
                           struct smc_text *out)
{
    smc_layout_begin(out, SMC_STRONG);
    smc_text_append(out, device->name);
    if (device->sm_count)
        smc_text_printf(out, ", compute capability %d.%d", device->sm.cc / 10, device->sm.cc % 10);
    smc_text_printf(out, ", %s\n", device->family);
    smc_layout_end(out);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        append_fact(&facts[i], device, out);
    append_groups(&device->sm_groups, out);
    if (ceilings)
        smc_text_ceilings(ceilings, device, out);
    const char *uncertain = device->uncertain[0] ? device->uncertain : "none";
    smc_layout_paragraph(out, "uncertain", SMC_TEXT_INDENT, uncertain, out->style->columns);
    smc_layout_paragraph(out, "sources", SMC_TEXT_INDENT, device->sources, out->style->columns);
}

void smc_text_devices(const struct smc_device *devices, const struct smc_ceilings *ceilings,
                      size_t count, struct smc_text *out)
{
    if (count == 1)
        append_in_full(devices, ceilings, out);
    else
        devices_append_table(devices, count, out);
}

/* --- JSON ------------------------------------------------------------------------------------- */

json_t *smc_json_device(const struct smc_device *device)
{
    json_t *object = json_object();
    for (size_t i = 0; i < smc_device_key_count; i++) {
        const struct smc_value value = devices_value_of(&smc_device_keys[i], device);
        smc_value_to_json(&value, smc_device_keys[i].name, object);
    }
    return object;
}

/* --- CSV -------------------------------------------------------------------------------------- */

void smc_csv_devices(const struct smc_device *devices, const struct smc_ceilings *ceilings,
                     size_t count, struct smc_text *out)
{
    static const char *const columns[] = {
        "name",
        "compute_capability",
        "source",
        "sm_count",
        "sm_clock_khz",
        "memory_bytes_per_s",
        "smem_per_sm_bytes",
        "l2_bytes",
        "global_mem_bytes",
        "fp32_peak_tflops",
    };
    const size_t last = sizeof columns / sizeof *columns - 1;
    (void)ceilings;
    for (size_t c = 0; c <= last; c++)
        smc_text_printf(out, "%s%s", columns[c], c < last ? "," : "\n");
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c <= last; c++) {
            const struct smc_value value = value_named(columns[c], &devices[i]);
            smc_value_to_csv(&value, out);
            smc_text_append(out, c < last ? "," : "\n");
        }
}
