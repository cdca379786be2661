/* The table of compute capabilities. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "devices/devices.h"

/* The columns of data/compute_capabilities.csv. */
struct row {
    const char *compute_capability, *family;
    uint32_t warp_size, max_threads_per_block, max_warps_per_sm, max_threads_per_sm;
    uint32_t max_blocks_per_sm, regs_per_sm, max_regs_per_block, max_regs_per_thread;
    uint32_t reg_alloc_unit;
    const char *reg_alloc_granularity; /* "block" or "warp" */
    uint32_t warp_alloc_granularity, sm_subpartitions;
    uint32_t smem_per_sm_bytes, smem_per_block_default_bytes, smem_per_block_optin_bytes;
    uint32_t smem_alloc_unit_bytes, smem_reserved_per_block_bytes;
    const char *smem_carveouts_kb; /* ascending, joined by ';' */
    uint32_t smem_oversized_per_sm_bytes, smem_oversized_per_block_bytes;
    uint32_t l1_smem_unified_bytes, l1_tex_separate_bytes, smem_banks, bank_width_bytes;
    uint32_t named_barriers_per_block, occ_barriers_per_sm, virtual_resources_per_sm;
    uint32_t cluster_max_portable, cluster_max_nonportable, fp32_lanes_per_sm;
    uint32_t max_grid_x, max_grid_y, max_grid_z;
    const char *uncertain_cells, *source;
};

static const struct row rows[] = {
#include "devices/capabilities.inc"
};

/* Of the table's own text, which is always "major.minor". */
static uint16_t cc_of(const struct row *row)
{
    char *end;
    unsigned long major = strtoul(row->compute_capability, &end, 10);
    return (uint16_t)(10 * major + strtoul(end + 1, NULL, 10));
}

static uint32_t read_carveouts(const char *list, uint32_t *bytes)
{
    uint32_t count = 0;
    while (*list && count < SMC_MAX_CARVEOUTS) {
        char *end;
        bytes[count++] = (uint32_t)strtoul(list, &end, 10) * 1024;
        list = *end == ';' ? end + 1 : end;
    }
    return count;
}

bool smc_capability_parse(const char *text, uint16_t *cc)
{
    static const char *const prefixes[] = {"sm_", "compute_"};
    static const char in_reports[] = "compute capability ";
    char digits[8];
    int64_t n, minor;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t length = strlen(prefixes[i]);
        if (strncmp(text, prefixes[i], length) != 0)
            continue;
        size_t count = strspn(text + length, "0123456789");
        const char *suffix = text + length + count;
        bool known_suffix = !*suffix || ((*suffix == 'a' || *suffix == 'f') && !suffix[1]);
        if (count < 2 || count >= sizeof digits || !known_suffix)
            return false;
        snprintf(digits, sizeof digits, "%.*s", (int)count, text + length);
        if (!smc_parse_integer(digits, 10, 999, &n))
            return false;
        *cc = (uint16_t)n;
        return true;
    }
    if (strncmp(text, in_reports, sizeof in_reports - 1) == 0)
        text += sizeof in_reports - 1;
    const char *dot = strchr(text, '.');
    bool suffixed = dot && dot[1] && (dot[2] == 'a' || dot[2] == 'f') && !dot[3];
    bool one_digit = dot && dot[1] && (!dot[2] || suffixed);
    if (!one_digit || (size_t)(dot - text) >= sizeof digits)
        return false;
    snprintf(digits, sizeof digits, "%.*s", (int)(dot - text), text);
    char last[2] = {dot[1], '\0'};
    if (!smc_parse_integer(digits, 1, 99, &n) || !smc_parse_integer(last, 0, 9, &minor))
        return false;
    *cc = (uint16_t)(10 * n + minor);
    return true;
}

size_t smc_capability_count(void)
{
    return sizeof rows / sizeof *rows;
}

void smc_capability_at(size_t index, struct smc_capability *out)
{
    const struct row *row = &rows[index];
    *out = (struct smc_capability){
        .sm =
            {
                .cc = cc_of(row),
                .warp_size = (uint16_t)row->warp_size,
                .max_threads_per_block = row->max_threads_per_block,
                .max_warps_per_sm = row->max_warps_per_sm,
                .max_threads_per_sm = row->max_threads_per_sm,
                .max_blocks_per_sm = row->max_blocks_per_sm,
                .regs_per_sm = row->regs_per_sm,
                .max_regs_per_block = row->max_regs_per_block,
                .max_regs_per_thread = row->max_regs_per_thread,
                .reg_alloc_unit = row->reg_alloc_unit,
                .regs_allocated_per_block = strcmp(row->reg_alloc_granularity, "block") == 0,
                .warp_alloc_granularity = row->warp_alloc_granularity,
                .subpartitions = row->sm_subpartitions,
                .smem_per_sm_bytes = row->smem_per_sm_bytes,
                .smem_per_block_default_bytes = row->smem_per_block_default_bytes,
                .smem_per_block_optin_bytes = row->smem_per_block_optin_bytes,
                .smem_alloc_unit_bytes = row->smem_alloc_unit_bytes,
                .smem_reserved_per_block_bytes = row->smem_reserved_per_block_bytes,
                .smem_oversized_per_sm_bytes = row->smem_oversized_per_sm_bytes,
                .smem_oversized_per_block_bytes = row->smem_oversized_per_block_bytes,
                .l1_smem_unified_bytes = row->l1_smem_unified_bytes,
                .l1_tex_separate_bytes = row->l1_tex_separate_bytes,
                .smem_banks = row->smem_banks,
                .bank_width_bytes = row->bank_width_bytes,
                .named_barriers_per_block = row->named_barriers_per_block,
                .barriers_per_sm = row->occ_barriers_per_sm,
                .virtual_resources_per_sm = row->virtual_resources_per_sm,
                .cluster_max_portable = row->cluster_max_portable,
                .cluster_max_nonportable = row->cluster_max_nonportable,
                .fp32_lanes_per_sm = row->fp32_lanes_per_sm,
                .max_grid_x = row->max_grid_x,
                .max_grid_y = row->max_grid_y,
                .max_grid_z = row->max_grid_z,
            },
        .family = row->family,
        .uncertain = row->uncertain_cells,
        .sources = row->source,
    };
    out->sm.smem_carveout_count =
        read_carveouts(row->smem_carveouts_kb, out->sm.smem_carveout_bytes);
}

bool smc_capability_find(uint16_t cc, struct smc_capability *out)
{
    for (size_t i = 0; i < smc_capability_count(); i++)
        if (cc_of(&rows[i]) == cc) {
            smc_capability_at(i, out);
            return true;
        }
    return false;
}

/* Above every row of its generation, or of the whole table where it begins a generation. */
static bool is_newer_than_table(uint16_t cc)
{
    bool newer = true, generation_known = false;
    for (size_t i = 0; i < smc_capability_count(); i++) {
        uint16_t row = cc_of(&rows[i]);
        bool same = row / 10 == cc / 10;
        if (same && !generation_known)
            newer = true;
        generation_known |= same;
        if (row > cc && (same || !generation_known))
            newer = false;
    }
    return newer;
}

enum smc_status smc_capability_fail(uint16_t cc, const char *more, enum smc_status status,
                                    struct smc_error *error)
{
    return smc_fail(error, status, "compute capability %u.%u is %s this table; %s", cc / 10,
                    cc % 10, is_newer_than_table(cc) ? "newer than" : "not in", more);
}
