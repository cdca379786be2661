/* What removes the bank conflicts of a shared array: see array_advice.h. */
#include "machine/array_advice.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "machine/emulator/emulator_program.h"

enum { MOST_ROWS = 16, MOST_STATIC_BYTES = 48 << 10 };

/* --- The declaration -------------------------------------------------------------------------- */

/* One extent, or the element's size, follows from the array's size. */
static bool array_advice_complete(uint64_t bytes, struct smc_declared_array *declared)
{
    uint64_t known = declared->element_bytes ? declared->element_bytes : 1;
    uint32_t missing = declared->element_bytes == 0, *last = &declared->element_bytes;
    for (uint32_t i = 0; i < declared->dimensions; i++) {
        if (!declared->extent[i]) {
            last = &declared->extent[i];
            missing++;
        }
        known *= declared->extent[i] ? declared->extent[i] : 1;
        if (known > UINT32_MAX)
            return false;
    }
    if (missing == 1 && known && bytes % known == 0) {
        *last = (uint32_t)(bytes / known);
        return *last > 0;
    }
    return missing == 0 && known == bytes;
}

/* Dynamic shared memory, whose outermost extent the launch gives. */
static bool is_dynamic(const struct smc_declared_array *declared)
{
    for (uint32_t i = 1; i < declared->dimensions; i++)
        if (!declared->extent[i])
            return false;
    return declared->dimensions > 0 && !declared->extent[0] && declared->element_bytes > 0;
}

void smc_array_describe(const struct smc_array_question *question, struct smc_array_advice *advice)
{
    *advice = (struct smc_array_advice){.array = ""};
    if (!smc_program_shared_array(question->program, question->address, advice->array,
                                  sizeof advice->array, &advice->first_byte, &advice->bytes))
        return;
    for (size_t i = 0; i < question->declared_count; i++) {
        struct smc_declared_array declared = question->declared[i];
        if (strcmp(declared.name, advice->array) != 0)
            continue;
        if (declared.dimensions == 0) {
            advice->has_members |= declared.element_bytes == 0;
            continue;
        }
        if (advice->bytes ? !array_advice_complete(advice->bytes, &declared)
                          : !is_dynamic(&declared))
            continue;
        advice->declared = declared;
        advice->has_members = question->declared[i].element_bytes == 0;
        return;
    }
}

/* --- Rows ------------------------------------------------------------------------------------- */

struct array_rows {
    uint32_t length[MOST_ROWS];
    size_t count;
    uint32_t element_bytes;
};

static void array_advice_add_row(struct array_rows *rows, uint64_t elements)
{
    if (elements < 2 || elements > UINT32_MAX / 256 || rows->count == MOST_ROWS)
        return;
    for (size_t i = 0; i < rows->count; i++)
        if (rows->length[i] == elements)
            return;
    rows->length[rows->count++] = (uint32_t)elements;
}

static void add_bytes(struct array_rows *rows, uint64_t bytes)
{
    if (bytes % rows->element_bytes == 0)
        array_advice_add_row(rows, bytes / rows->element_bytes);
}

/* The rows that the declaration has, the innermost first. */
static void add_declared(const struct smc_declared_array *declared, struct array_rows *rows)
{
    uint64_t elements = 1;
    for (uint32_t i = declared->dimensions; i > 1 && declared->extent[i - 1]; i--) {
        elements *= declared->extent[i - 1];
        array_advice_add_row(rows, elements);
    }
}

/* Likely lengths of a row: distances of lanes, and the largest power of two that divides them. */
static void add_distances(const struct smc_logged_access *logged, struct array_rows *rows)
{
    const struct smc_access *access = &logged->access;
    if (logged->bound.line_bytes)
        add_bytes(rows, logged->bound.line_bytes);
    for (uint32_t lane = 1; lane < SMC_WARP_LANES; lane++) {
        int64_t apart = (int64_t)access->address[lane] - (int64_t)access->address[lane - 1];
        uint64_t bytes = (uint64_t)(apart < 0 ? -apart : apart);
        if (!(access->mask >> (lane - 1) & access->mask >> lane & 1) ||
            bytes <= access->width_bytes)
            continue;
        add_bytes(rows, bytes);
        add_bytes(rows, bytes & -bytes);
    }
}

/* --- Accesses --------------------------------------------------------------------------------- */

struct accesses {
    struct smc_access *access;
    struct smc_access_bound *bound;
    size_t count;
    uint32_t narrowest;
    uint64_t end; /* of what is accessed */
};

/* How many active lanes access the array. */
static uint32_t array_advice_lanes_within(const struct smc_array_advice *advice,
                                          const struct smc_access *access)
{
    uint32_t within = 0;
    for (uint32_t left = access->mask; left; left &= left - 1) {
        uint64_t at = access->address[__builtin_ctz(left)];
        within +=
            at >= advice->first_byte &&
            (!advice->bytes || at + access->width_bytes <= advice->first_byte + advice->bytes);
    }
    return within;
}

/* False if an access is partly to the array, or its cost is not known. */
static bool array_advice_collect(const struct smc_array_question *question,
                                 const struct smc_array_advice *advice, struct accesses *accesses)
{
    for (size_t i = 0; i < question->log->count; i++) {
        const struct smc_logged_access *logged = &question->log->item[i];
        uint32_t within = array_advice_lanes_within(advice, &logged->access);
        if (within == 0)
            continue;
        if (logged->is_uncounted || within != (uint32_t)__builtin_popcount(logged->access.mask))
            return false;
        for (uint32_t left = logged->access.mask; left; left &= left - 1) {
            uint64_t end =
                logged->access.address[__builtin_ctz(left)] + (uint64_t)logged->access.width_bytes;
            accesses->end = end > accesses->end ? end : accesses->end;
        }
        if (!accesses->count || logged->access.width_bytes < accesses->narrowest)
            accesses->narrowest = logged->access.width_bytes;
        accesses->access[accesses->count] = logged->access;
        accesses->bound[accesses->count++] = logged->bound;
    }
    return accesses->count > 0;
}

/* A static array may not grow so that a block has more than 48 KB. */
static bool still_fits(const struct smc_array_question *question,
                       const struct smc_array_advice *advice)
{
    const struct smc_rearrangement *padding = &advice->layout.padding;
    uint64_t row_bytes = (uint64_t)padding->row_elements * padding->element_bytes;
    uint64_t rows = (advice->bytes + row_bytes - 1) / row_bytes;
    return !advice->bytes || question->program->static_smem_bytes +
                                     rows * padding->padding_elements * padding->element_bytes <=
                                 MOST_STATIC_BYTES;
}

/* Unused bytes after each element, where no whole elements do it: a larger struct. */
static void pad_elements(const struct accesses *accesses, const struct smc_conflict_search *search,
                         struct smc_array_advice *advice)
{
    struct smc_conflict_search by_element = *search;
    struct smc_layout_advice *layout = &advice->layout;
    const uint32_t unit = accesses->narrowest, row = advice->declared.element_bytes / unit;
    layout->is_hopeless = false; /* members may be moved in other ways */
    if (layout->has_padding || layout->has_swizzle || row < 2 ||
        advice->declared.element_bytes % unit)
        return;
    by_element.element_bytes = unit;
    by_element.row_elements = &row;
    by_element.row_count = 1;
    layout->has_padding = layout->pads_rows =
        smc_conflict_free_padding(&by_element, &layout->padding);
}

static void advise(const struct smc_array_question *question, const struct accesses *accesses,
                   struct smc_array_advice *advice)
{
    struct array_rows rows = {.element_bytes = advice->declared.element_bytes};
    if (!rows.element_bytes)
        rows.element_bytes = accesses->narrowest;
    add_declared(&advice->declared, &rows);
    const size_t own = rows.count;
    for (size_t i = 0; i < question->log->count; i++)
        if (array_advice_lanes_within(advice, &question->log->item[i].access))
            add_distances(&question->log->item[i], &rows);
    struct smc_conflict_search search = {
        .layout = question->banks,
        .access = accesses->access,
        .access_count = accesses->count,
        .row_elements = rows.length,
        .row_count = rows.count,
        .first_byte = (uint32_t)advice->first_byte,
        .element_bytes = rows.element_bytes,
        .bound = accesses->bound,
    };
    smc_conflict_free_advise(&search, own ? own : rows.count,
                             advice->bytes ? advice->bytes : accesses->end - advice->first_byte,
                             &advice->layout);
    for (size_t i = 0; i < accesses->count; i++)
        advice->has_fragments |= accesses->bound[i].line_bytes > 0;
    if (advice->has_members)
        pad_elements(accesses, &search, advice);
    if (advice->layout.has_padding && !still_fits(question, advice))
        advice->layout.has_padding = false;
}

enum smc_status smc_array_advise(const struct smc_array_question *question,
                                 struct smc_array_advice *advice)
{
    const struct smc_access_log *log = question->log;
    if (!advice->array[0] || log->is_full || log->count == 0)
        return SMC_OK;
    struct accesses accesses = {.access = smc_calloc(log->count, sizeof *accesses.access),
                                .bound = smc_calloc(log->count, sizeof *accesses.bound)};
    enum smc_status status = accesses.access && accesses.bound ? SMC_OK : SMC_MACHINE;
    if (status == SMC_OK && array_advice_collect(question, advice, &accesses))
        advise(question, &accesses, advice);
    free(accesses.access);
    free(accesses.bound);
    return status;
}
