/* The picture of the banks: a column a bank, a row a wavefront, in each place the lane served. */
#include "report/layout.h"
#include "report/text_parts.h"

enum {
    COLUMNS_SHOWN = 16, /* banks side by side; the others stand below */
    LABEL_WIDTH = 13,
    MOST_ROWS = 7,  /* more wavefronts are left out in the middle */
    FIRST_ROWS = 4, /* of those shown then, the ones before the gap */
};

/* The first of the lanes; "+" where others get their words at the same time. */
static void append_cell(uint32_t lanes, struct smc_text *out)
{
    bool more = lanes & (lanes - 1);
    if (lanes)
        smc_text_printf(out, "%3d%s", __builtin_ctz(lanes), more ? "+" : "");
    else
        smc_text_append(out, "  .");
}

static void append_row(const struct smc_bank_map *map, uint32_t row, uint32_t first_bank,
                       struct smc_text *out)
{
    const struct smc_wavefront *wavefront = &map->wavefront[row];
    uint32_t first = (uint32_t)__builtin_ctz(wavefront->set);
    uint32_t last = 31 - (uint32_t)__builtin_clz(wavefront->set);
    smc_text_printf(out, "%3u of %2u-%-2u ", row + 1, first, last);
    for (uint32_t bank = first_bank; bank < first_bank + COLUMNS_SHOWN; bank++) {
        uint32_t lanes = wavefront->lanes[bank];
        bool marked = lanes & (lanes - 1), last_bank = bank + 1 == first_bank + COLUMNS_SHOWN;
        append_cell(lanes, out);
        smc_text_append(out, marked || last_bank ? "" : " ");
    }
    smc_text_append(out, "\n");
}

static void append_rows(const struct smc_bank_map *map, uint32_t first_bank, struct smc_text *out)
{
    uint32_t rows = map->cost.wavefronts;
    bool whole = rows <= MOST_ROWS;
    uint32_t before = whole ? rows : FIRST_ROWS;
    uint32_t after = whole ? rows : rows - (MOST_ROWS - FIRST_ROWS - 1);
    for (uint32_t row = 0; row < before; row++)
        append_row(map, row, first_bank, out);
    if (!whole)
        smc_text_printf(out, "    ... %u more\n", after - before);
    for (uint32_t row = after; row < rows; row++)
        append_row(map, row, first_bank, out);
}

void smc_text_bank_grid(const struct smc_bank_layout *layout, const struct smc_bank_map *map,
                        const struct smc_report_style *style, struct smc_text *out)
{
    for (uint32_t first = 0; first < layout->banks; first += COLUMNS_SHOWN) {
        if (smc_banks_idle(map, first, COLUMNS_SHOWN)) {
            smc_text_printf(out, "banks %u to %u are idle\n", first, first + COLUMNS_SHOWN - 1);
            continue;
        }
        smc_layout_begin(out, style, SMC_STRONG);
        smc_text_printf(out, "%*s", -LABEL_WIDTH, "lanes   bank");
        for (uint32_t bank = first; bank < first + COLUMNS_SHOWN; bank++)
            smc_text_printf(out, "%3u%s", bank, bank + 1 < first + COLUMNS_SHOWN ? " " : "");
        smc_layout_end(out, style);
        smc_text_append(out, "\n");
        append_rows(map, first, out);
    }
}
