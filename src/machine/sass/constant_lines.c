/* The lines of constants that an instruction reads. */
#include "machine/sass/constant_lines.h"

enum { CONSTANT_WORD = 4 };

/* Adds a word of constants, and its line unless it has it, to an access. */
static void add_constant(struct smc_warp_trace *trace, struct smc_warp_trace_entry *entry,
                         uint64_t address)
{
    const uint64_t number = SMC_WARP_TRACE_CONSTANTS + address / SMC_CONSTANT_LINE_BYTES;
    const uint32_t word = 1u << address % SMC_CONSTANT_LINE_BYTES / CONSTANT_WORD;
    uint32_t i = 0;
    while (i < entry->lines && trace->line[entry->line + i].number != number)
        i++;
    if (i == entry->lines && trace->line_count == trace->line_capacity)
        return;
    struct smc_warp_trace_line *line = &trace->line[entry->line + i];
    if (i == entry->lines) {
        *line = (struct smc_warp_trace_line){.number = number};
        trace->line_count++;
        entry->lines++;
    }
    line->sectors |= (uint8_t)word;
    line->sets |= (uint8_t)(word >> 8);
}

void smc_trace_constants(const struct smc_sass_warp *warp, const struct smc_sass_instruction *in,
                         uint32_t mask, struct smc_warp_trace *trace,
                         struct smc_warp_trace_entry *entry)
{
    enum { BANK_SHIFT = 16 };
    uint64_t address[SMC_LANES];
    struct smc_sass_instruction access = *in;
    access.offset = (int32_t)in->from[1].value;
    if (in->uniform) { /* at an index that all lanes share */
        const struct smc_lanes *index = &warp->uniform[in->from[0].number];
        entry->unknown_addresses = index->unknown != 0;
        mask &= -mask;
        address[__builtin_ctz(mask)] = index->value[0] + in->from[1].value;
    } else if (!smc_warp_addresses(warp, &access, mask, address)) {
        entry->unknown_addresses = true;
    }
    if (entry->unknown_addresses)
        return;
    entry->line = (uint32_t)trace->line_count;
    for (uint32_t rest = mask; rest; entry->wavefronts++) {
        const uint64_t first = address[__builtin_ctz(rest)] / CONSTANT_WORD;
        add_constant(trace, entry,
                     (uint64_t)in->from[1].number << BANK_SHIFT | (first * CONSTANT_WORD));
        for (uint32_t lanes = rest; lanes; lanes &= lanes - 1)
            if (address[__builtin_ctz(lanes)] / CONSTANT_WORD == first)
                rest &= ~(lanes & -lanes);
    }
}
