/* Fuzzes rows of shared-memory accesses, and what the model and the search make of those that can
   be read. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "answers/banks_query.h"
#include "rules/banks.h"

/* CC 9.0, 3.5 (both modes) and 1.1. */
static const struct smc_bank_layout layouts[] = {
    {32, 32, 1, false, true},
    {32, 64, 1, false, false},
    {32, 64, 2, false, false},
    {16, 16, 1, true, false},
};

static bool is_free_after(const struct smc_rearrangement *found,
                          const struct smc_bank_layout *layout, struct smc_access access)
{
    if (!smc_rearrange_access(found, &access))
        return false;
    const struct smc_bank_cost cost = smc_banks_count(layout, &access);
    return cost.wavefronts == cost.least;
}

static void try_layout(const struct smc_bank_layout *layout, const struct smc_access *access)
{
    static struct smc_bank_map map;
    const uint32_t rows[] = {32, 1 + access->mask % 100};
    struct smc_bank_cost cost = smc_banks_count(layout, access);
    struct smc_conflict_search search = {.layout = layout,
                                         .access = access,
                                         .access_count = 1,
                                         .row_elements = rows,
                                         .row_count = 2};
    struct smc_rearrangement found;
    /* Copies past L1 take no wavefront. */
    const bool takes_some = access->mask && access->op != SMC_BANK_CP_ASYNC_CG;
    smc_banks_map(layout, access, &map);
    if (map.cost.wavefronts != cost.wavefronts || cost.wavefronts > SMC_MAX_WAVEFRONTS ||
        cost.least > cost.wavefronts || (cost.wavefronts > 0) != takes_some)
        abort();
    if (smc_banks_are_free(layout, access) != (cost.wavefronts == cost.least))
        abort();
    if (smc_conflict_free_padding(&search, &found) && !is_free_after(&found, layout, *access))
        abort();
}

/* The bytes, once. */
struct stream {
    const uint8_t *bytes;
    size_t left;
};

static enum smc_status read_piece(void *context, char *bytes, size_t capacity, size_t *count,
                                  struct smc_error *error)
{
    struct stream *stream = context;
    (void)error;
    *count = stream->left < capacity ? stream->left : capacity;
    if (*count)
        memcpy(bytes, stream->bytes, *count);
    stream->bytes += *count;
    stream->left -= *count;
    return SMC_OK;
}

static void try_row(const struct smc_csv_record *record)
{
    struct smc_capability newest;
    struct smc_banks_row row;
    struct smc_error error = {""};
    smc_capability_find(90, &newest);
    enum smc_status status = smc_banks_row_read(record, &newest.sm, &row, &error);
    if ((status == SMC_OK) != !error.message[0])
        abort();
    for (size_t i = 0; i < 4 && status == SMC_OK; i++) {
        if (smc_access_misaligned(&row.access))
            abort();
        try_layout(&layouts[i], &row.access);
        if (row.has_sources &&
            smc_banks_count_copy(&layouts[i], &row.access, row.source).wavefronts > SMC_WARP_LANES)
            abort();
    }
    smc_banks_row_is_header(record);
}

int fuzz_banks_csv(const uint8_t *data, size_t size)
{
    static struct smc_csv_record record;
    struct stream stream = {data, size};
    const struct smc_csv_source source = {read_piece, &stream};
    struct smc_csv_reader reader;
    bool found;
    if (smc_csv_open(&reader, &source, NULL) == SMC_OK)
        while (smc_csv_read(&reader, &record, &found, NULL) == SMC_OK && found)
            try_row(&record);
    smc_csv_close(&reader);
    return 0;
}
