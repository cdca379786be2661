/* Layouts without bank conflicts: see rules/banks.h. */
#include "rules/banks.h"

#include <inttypes.h>

#include "base/numbers.h"

enum { MOST_SHIFT = 4, WORD_BYTES = 4, MATRIX_STEP = 16, MATRIX_ALIGN = 32 };

/* --- Moving ----------------------------------------------------------------------------------- */

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

/* --- Whether a layout is without conflicts ---------------------------------------------------- */

static uint32_t row_bytes_of(const struct smc_rearrangement *tried)
{
    return tried->row_elements * tried->element_bytes;
}

/* The bytes from `address` on stay together. */
static bool stays_whole(const struct smc_rearrangement *tried, uint32_t address, uint32_t bytes)
{
    uint32_t offset = address - tried->first_byte;
    uint32_t unit = tried->swizzle_span ? tried->element_bytes : row_bytes_of(tried);
    return offset % unit + bytes <= unit;
}

/* A matrix keeps one distance between its lines, which is legal, if each begins at the same place
   of a row. */
static bool keeps_matrix(const struct smc_rearrangement *tried,
                         const struct smc_access_bound *bound, uint32_t moved_by)
{
    uint32_t row_bytes = row_bytes_of(tried), first = bound->first + moved_by;
    if (tried->swizzle_span || bound->line_bytes % row_bytes ||
        !stays_whole(tried, first, bound->line_width))
        return false;
    uint64_t rows = bound->line_bytes / row_bytes;
    uint64_t line = bound->line_bytes + rows * tried->padding_elements * tried->element_bytes;
    return line % MATRIX_STEP == 0 && smc_rearrange(tried, first) % MATRIX_ALIGN == 0;
}

/* With all addresses `moved_by` bytes higher. */
static bool is_free_at(const struct smc_conflict_search *search,
                       const struct smc_rearrangement *tried, size_t i, uint32_t moved_by)
{
    struct smc_access access = search->access[i];
    if (search->bound && search->bound[i].line_bytes &&
        !keeps_matrix(tried, &search->bound[i], moved_by))
        return false;
    for (uint32_t left = access.mask & smc_bank_op_lanes(access.op); left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left), address = access.address[lane] + moved_by;
        uint64_t moved = smc_rearrange(tried, address);
        if (moved == UINT64_MAX || moved % access.width_bytes ||
            !stays_whole(tried, address, access.width_bytes))
            return false;
        access.address[lane] = (uint32_t)moved;
    }
    return smc_banks_are_free(search->layout, &access);
}

/* The distance after which all addresses, moved together, are rearranged in the same way and keep
   their alignment: rows enough that the bytes added to them, or dropped, are a multiple of the
   largest alignment. */
static uint64_t period_of(const struct smc_rearrangement *tried)
{
    const uint64_t row_bytes = row_bytes_of(tried);
    const uint64_t distance = row_bytes + (uint64_t)tried->padding_elements * tried->element_bytes -
                              (uint64_t)tried->dropped_elements * tried->element_bytes;
    return tried->swizzle_span
               ? row_bytes * tried->swizzle_span << tried->swizzle_shift
               : row_bytes * (MATRIX_ALIGN / smc_common_divisor(MATRIX_ALIGN, distance));
}

enum { MOST_PLACES = 1 << 14 };

static bool is_access_free(const struct smc_conflict_search *search,
                           const struct smc_rearrangement *tried, size_t i)
{
    uint32_t step = search->bound ? search->bound[i].unknown_step : 0;
    uint64_t places = step ? period_of(tried) / smc_common_divisor(period_of(tried), step) : 1;
    if (places > MOST_PLACES)
        return false;
    for (uint64_t place = 0; place < places; place++) {
        uint64_t moved_by = place * step;
        if (moved_by > UINT32_MAX / 2 || !is_free_at(search, tried, i, (uint32_t)moved_by))
            return false;
    }
    return true;
}

/* Stops at the first access with a conflict, which is tried first the next time. */
static bool conflict_is_free(const struct smc_conflict_search *search,
                             const struct smc_rearrangement *tried, size_t *hardest)
{
    if (search->access_count == 0 || !is_access_free(search, tried, *hardest))
        return false;
    for (size_t i = 0; i < search->access_count; i++)
        if (i != *hardest && !is_access_free(search, tried, i)) {
            *hardest = i;
            return false;
        }
    return true;
}

/* --- Searching -------------------------------------------------------------------------------- */

static uint32_t element_of(const struct smc_conflict_search *search)
{
    return search->element_bytes ? search->element_bytes : search->access->width_bytes;
}

/* Paddings that differ by whole rows of the banks have the same conflicts. */
static uint32_t paddings_of(const struct smc_conflict_search *search)
{
    uint32_t banks_bytes = search->layout->row_words * WORD_BYTES;
    return banks_bytes / (uint32_t)smc_common_divisor(banks_bytes, element_of(search));
}

static bool try_padding(const struct smc_conflict_search *search, uint32_t row, uint32_t padding,
                        size_t *hardest, struct smc_rearrangement *found)
{
    const struct smc_rearrangement tried = {
        .first_byte = search->first_byte,
        .element_bytes = element_of(search),
        .row_elements = row,
        .padding_elements = padding,
    };
    if (!conflict_is_free(search, &tried, hardest))
        return false;
    *found = tried;
    return true;
}

bool smc_conflict_free_padding(const struct smc_conflict_search *search,
                               struct smc_rearrangement *found)
{
    size_t hardest = 0;
    for (uint32_t padding = 1; padding < paddings_of(search); padding++)
        for (size_t r = 0; r < search->row_count; r++)
            if (try_padding(search, search->row_elements[r], padding, &hardest, found))
                return true;
    return false;
}

bool smc_conflict_free_narrower(const struct smc_conflict_search *search, uint32_t columns,
                                struct smc_rearrangement *found)
{
    uint32_t row = search->row_elements[0];
    size_t hardest = 0;
    for (uint32_t width = columns; width < row; width++) {
        struct smc_rearrangement tried = {
            .first_byte = search->first_byte,
            .element_bytes = element_of(search),
            .row_elements = row,
            .dropped_elements = row - width,
        };
        if (!conflict_is_free(search, &tried, &hardest))
            continue;
        *found = tried;
        return true;
    }
    return false;
}

/* The elements that a swizzle swaps: as wide as the widest access, and of a user's array at least a
   word, since a bank is not divided. 0: none fits. */
static uint32_t swapped_bytes(const struct smc_conflict_search *search)
{
    uint32_t bytes = element_of(search);
    if (search->element_bytes && bytes < WORD_BYTES)
        bytes = WORD_BYTES;
    for (size_t i = 0; i < search->access_count; i++)
        if (search->access[i].width_bytes > bytes)
            bytes = search->access[i].width_bytes;
    return bytes % element_of(search) ? 0 : bytes;
}

static bool try_swizzle(const struct smc_conflict_search *search, uint32_t row_bytes, uint32_t span,
                        uint32_t shift, size_t *hardest, struct smc_rearrangement *found)
{
    uint32_t bytes = swapped_bytes(search);
    if (!bytes || row_bytes % (bytes * span))
        return false;
    const struct smc_rearrangement tried = {
        .first_byte = search->first_byte,
        .element_bytes = bytes,
        .row_elements = row_bytes / bytes,
        .swizzle_span = span,
        .swizzle_shift = shift,
    };
    if (!conflict_is_free(search, &tried, hardest))
        return false;
    *found = tried;
    return true;
}

bool smc_conflict_free_swizzle(const struct smc_conflict_search *search,
                               struct smc_rearrangement *found)
{
    size_t hardest = 0;
    for (uint32_t span = 2; span <= SMC_MAX_BANKS; span *= 2)
        for (uint32_t shift = 0; shift <= MOST_SHIFT; shift++)
            for (size_t r = 0; r < search->row_count; r++)
                if (try_swizzle(search, search->row_elements[r] * element_of(search), span, shift,
                                &hardest, found))
                    return true;
    return false;
}

/* --- A user's array --------------------------------------------------------------------------- */

/* How many layouts are tried at most: half a second. Banks of other kinds take longer. */
enum { MOST_TRIED = 1 << 21, MOST_TRIED_SLOWLY = 1 << 17 };

static bool find_any_padding(const struct smc_conflict_search *search, uint32_t elements,
                             struct smc_rearrangement *found)
{
    size_t hardest = 0;
    for (uint32_t row = 1; row < elements; row++)
        for (uint32_t padding = 1; padding < paddings_of(search); padding++)
            if (try_padding(search, row, padding, &hardest, found))
                return true;
    return false;
}

static bool find_any_swizzle(const struct smc_conflict_search *search, uint32_t elements,
                             struct smc_rearrangement *found)
{
    uint32_t bytes = swapped_bytes(search), unit = element_of(search);
    size_t hardest = 0;
    if (!bytes)
        return false;
    for (uint32_t row = bytes / unit; row < elements; row += bytes / unit)
        for (uint32_t span = 2; span <= SMC_MAX_BANKS; span *= 2)
            for (uint32_t shift = 0; elements / row >> shift; shift++)
                if (try_swizzle(search, row * unit, span, shift, &hardest, found))
                    return true;
    return false;
}

static bool conflict_free_is_exact(const struct smc_conflict_search *search)
{
    for (size_t i = 0; i < search->access_count && search->bound; i++)
        if (search->bound[i].unknown_step)
            return false;
    return true;
}

/* Each row length by itself, in their order. */
static void advise_rows(const struct smc_conflict_search *search, const uint32_t *rows,
                        size_t count, struct smc_layout_advice *advice)
{
    struct smc_conflict_search one = *search;
    one.row_count = 1;
    for (size_t r = 0; r < count; r++) {
        one.row_elements = &rows[r];
        if (!advice->has_padding)
            advice->has_padding = smc_conflict_free_padding(&one, &advice->padding);
        if (!advice->has_swizzle)
            advice->has_swizzle = smc_conflict_free_swizzle(&one, &advice->swizzle);
    }
}

void smc_conflict_free_advise(const struct smc_conflict_search *search, size_t own,
                              uint64_t array_bytes, struct smc_layout_advice *advice)
{
    const uint32_t unit = element_of(search);
    const uint32_t banks_row = search->layout->row_words * WORD_BYTES / unit;
    *advice = (struct smc_layout_advice){0};
    advise_rows(search, search->row_elements, own, advice);
    advice->pads_rows = advice->has_padding;
    if (!advice->has_padding && !advice->has_swizzle) {
        advise_rows(search, search->row_elements + own, search->row_count - own, advice);
        advise_rows(search, &banks_row, banks_row > 1, advice);
    }
    const uint64_t elements = array_bytes / unit;
    if (advice->has_padding || advice->has_swizzle || !conflict_free_is_exact(search) ||
        elements * paddings_of(search) >
            (search->layout->loads_join ? MOST_TRIED : MOST_TRIED_SLOWLY))
        return;
    advice->has_swizzle = find_any_swizzle(search, (uint32_t)elements, &advice->swizzle);
    if (!advice->has_swizzle)
        advice->has_padding = find_any_padding(search, (uint32_t)elements, &advice->padding);
    advice->is_hopeless = !advice->has_padding && !advice->has_swizzle;
}

/* --- For other programs ----------------------------------------------------------------------- */

static enum smc_status check_bank_access(const struct smc_bank_array *array, size_t i,
                                         struct smc_error *error)
{
    const struct smc_access *access = &array->access[i];
    if (smc_access_validate(array->layout, access, error) != SMC_OK)
        return smc_fail_in(error, SMC_USAGE, "access %zu", i);
    for (uint32_t left = access->mask & smc_bank_op_lanes(access->op); left; left &= left - 1)
        if (access->address[__builtin_ctz(left)] < array->first_byte)
            return smc_fail(error, SMC_USAGE, "access %zu: lane %d is before the array", i,
                            __builtin_ctz(left));
    return SMC_OK;
}

enum smc_status smc_bank_remedy_find(const struct smc_bank_array *array,
                                     struct smc_bank_remedy *out, struct smc_error *error)
{
    enum { MOST_ELEMENT = 1024, MOST_ROW = 65536 };
    *out = (struct smc_bank_remedy){0};
    if (array->size < sizeof *array)
        return smc_fail(error, SMC_USAGE, "size of a struct smc_bank_array is not set");
    if (array->access_count == 0)
        return smc_fail(error, SMC_USAGE, "there is no access");
    if (array->element_bytes < 1 || array->element_bytes > MOST_ELEMENT)
        return smc_fail(error, SMC_USAGE, "element_bytes: '%" PRIu32 "' is not between 1 and %d",
                        array->element_bytes, MOST_ELEMENT);
    if (array->row_elements < 1 || array->row_elements > MOST_ROW)
        return smc_fail(error, SMC_USAGE, "row_elements: '%" PRIu32 "' is not between 1 and %d",
                        array->row_elements, MOST_ROW);
    for (size_t i = 0; i < array->access_count; i++)
        SMC_TRY(check_bank_access(array, i, error));
    for (size_t i = 0; i < array->access_count; i++) {
        const struct smc_bank_cost cost = smc_banks_count(array->layout, &array->access[i]);
        out->cost.wavefronts += cost.wavefronts;
        out->cost.least += cost.least;
        out->cost.phases += cost.phases;
    }
    const struct smc_conflict_search search = {
        .layout = array->layout,
        .access = array->access,
        .access_count = array->access_count,
        .row_elements = &array->row_elements,
        .row_count = 1,
        .first_byte = array->first_byte,
        .element_bytes = array->element_bytes,
    };
    if (out->cost.wavefronts == out->cost.least)
        return SMC_OK;
    out->has_padding = smc_conflict_free_padding(&search, &out->padding);
    out->has_swizzle = smc_conflict_free_swizzle(&search, &out->swizzle);
    return SMC_OK;
}
