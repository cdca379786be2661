/* Searching a padding or a swizzle that leaves no bank conflict. */
#include "model/conflict_free.h"

enum { MOST_SHIFT = 4 };

uint64_t smc_rearrange(const struct smc_rearrangement *rearrangement, uint32_t address)
{
    address -= rearrangement->first_byte;
    uint64_t element = address / rearrangement->element_bytes;
    uint64_t row = element / rearrangement->row_elements;
    if (rearrangement->swizzle_span)
        element ^= (row >> rearrangement->swizzle_shift) % rearrangement->swizzle_span;
    element += row * rearrangement->padding_elements;
    element -= row * rearrangement->dropped_elements;
    uint64_t moved = rearrangement->first_byte + element * rearrangement->element_bytes +
                     address % rearrangement->element_bytes;
    return moved <= UINT32_MAX ? moved : UINT64_MAX;
}

bool smc_rearrange_access(const struct smc_rearrangement *rearrangement, struct smc_access *access)
{
    for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++) {
        if (!(access->mask >> lane & 1))
            continue;
        uint64_t moved = smc_rearrange(rearrangement, access->address[lane]);
        if (moved == UINT64_MAX)
            return false;
        access->address[lane] = (uint32_t)moved;
    }
    return true;
}

bool smc_conflicts_of(const struct smc_conflict_search *search,
                      const struct smc_rearrangement *rearrangement, struct smc_bank_cost *cost)
{
    *cost = (struct smc_bank_cost){0, 0};
    for (size_t i = 0; i < search->access_count; i++) {
        struct smc_access access = search->access[i];
        if (rearrangement && !smc_rearrange_access(rearrangement, &access))
            return false;
        struct smc_bank_cost one = smc_banks_count(search->layout, &access);
        cost->wavefronts += one.wavefronts;
        cost->least += one.least;
    }
    return true;
}

/* Stops at the first access with a conflict. */
static bool is_free(const struct smc_conflict_search *search,
                    const struct smc_rearrangement *rearrangement)
{
    for (size_t i = 0; i < search->access_count; i++) {
        struct smc_access access = search->access[i];
        if (!smc_rearrange_access(rearrangement, &access))
            return false;
        struct smc_bank_cost cost = smc_banks_count(search->layout, &access);
        if (cost.wavefronts > cost.least)
            return false;
    }
    return search->access_count > 0;
}

bool smc_find_padding(const struct smc_conflict_search *search, struct smc_rearrangement *found)
{
    for (uint32_t padding = 1; padding <= SMC_MOST_PADDING; padding++)
        for (size_t r = 0; r < search->row_count; r++) {
            struct smc_rearrangement tried = {
                .first_byte = search->first_byte,
                .element_bytes = search->access->width_bytes,
                .row_elements = search->row_elements[r],
                .padding_elements = padding,
            };
            if (!is_free(search, &tried))
                continue;
            *found = tried;
            return true;
        }
    return false;
}

bool smc_find_narrower(const struct smc_conflict_search *search, uint32_t columns,
                       struct smc_rearrangement *found)
{
    uint32_t row = search->row_elements[0];
    for (uint32_t width = columns; width < row; width++) {
        struct smc_rearrangement tried = {
            .first_byte = search->first_byte,
            .element_bytes = search->access->width_bytes,
            .row_elements = row,
            .dropped_elements = row - width,
        };
        if (!is_free(search, &tried))
            continue;
        *found = tried;
        return true;
    }
    return false;
}

bool smc_find_swizzle(const struct smc_conflict_search *search, struct smc_rearrangement *found)
{
    for (uint32_t span = 2; span <= SMC_MAX_BANKS; span *= 2)
        for (uint32_t shift = 0; shift <= MOST_SHIFT; shift++)
            for (size_t r = 0; r < search->row_count; r++) {
                struct smc_rearrangement tried = {
                    .first_byte = search->first_byte,
                    .element_bytes = search->access->width_bytes,
                    .row_elements = search->row_elements[r],
                    .swizzle_span = span,
                    .swizzle_shift = shift,
                };
                if (tried.row_elements % span || !is_free(search, &tried))
                    continue;
                *found = tried;
                return true;
            }
    return false;
}
