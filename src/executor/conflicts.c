/* Bank conflicts of an emulated launch: the line with the most of them, and the padding or the
   swizzle of its array that leaves none. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "executor/emulated_run.h"

enum { MOST_ROWS = 8, BANKS_BYTES = 128 };

/* A variable in shared memory. */
struct array {
    char name[96];
    uint64_t first_byte, bytes; /* bytes 0: dynamic */
};

/* Accesses of one array, one for each instruction. */
struct accesses {
    struct smc_access *access;
    size_t count;
};

static uint32_t line_of(const struct smc_program *program, size_t instruction)
{
    return smc_program_instruction(program, instruction)->line;
}

/* The instruction with the most conflicts; its line may have others. */
static size_t find_worst(const struct smc_emulation *emulation)
{
    size_t worst = 0;
    for (size_t i = 1; i < emulation->count_length; i++)
        if (smc_emulated_conflicts(&emulation->count[i]) >
            smc_emulated_conflicts(&emulation->count[worst]))
            worst = i;
    return worst;
}

static void add_row(int64_t bytes, uint32_t width_bytes, const struct array *array,
                    uint32_t rows[MOST_ROWS], size_t *count)
{
    uint64_t row_bytes = (uint64_t)(bytes < 0 ? -bytes : bytes);
    if (row_bytes % width_bytes || row_bytes / width_bytes < 2 || array->bytes % row_bytes)
        return;
    for (size_t i = 0; i < *count; i++)
        if (rows[i] == row_bytes / width_bytes)
            return;
    if (*count < MOST_ROWS)
        rows[(*count)++] = (uint32_t)(row_bytes / width_bytes);
}

/* How far lanes at powers of two are from the first one: a row where they walk down a column. Last
   a row as long as the banks. */
static size_t find_rows(const struct smc_access *access, const struct array *array,
                        uint32_t rows[MOST_ROWS])
{
    size_t count = 0;
    uint32_t first = (uint32_t)__builtin_ctz(access->mask);
    for (uint32_t lane = first + 1; lane < SMC_WARP_LANES; lane = first + 2 * (lane - first))
        if (access->mask >> lane & 1)
            add_row((int64_t)access->address[lane] - access->address[first], access->width_bytes,
                    array, rows, &count);
    add_row(BANKS_BYTES, access->width_bytes, array, rows, &count);
    return count;
}

static bool find_array(const struct smc_program *program, const struct smc_conflict_sample *sample,
                       struct array *array)
{
    return sample->taken && smc_program_shared_array(
                                program, sample->access.address[__builtin_ctz(sample->access.mask)],
                                array->name, sizeof array->name, &array->first_byte, &array->bytes);
}

/* False where an instruction accesses the array in another width: its rows would be others. */
static bool collect(const struct smc_program *program, const struct smc_emulation *emulation,
                    const struct array *array, uint32_t width_bytes, struct accesses *accesses)
{
    for (size_t i = 0; i < emulation->count_length; i++) {
        const struct smc_conflict_sample *sample = &emulation->sample[i];
        struct array other;
        if (!find_array(program, sample, &other) || other.first_byte != array->first_byte)
            continue;
        if (sample->access.width_bytes != width_bytes)
            return false;
        accesses->access[accesses->count++] = sample->access;
    }
    return true;
}

static enum smc_status find_remedy(const struct smc_program *program,
                                   const struct smc_emulation *emulation,
                                   const struct smc_bank_layout *banks, size_t worst,
                                   struct smc_conflict_site *site)
{
    const struct smc_conflict_sample *sample = &emulation->sample[worst];
    struct array array;
    uint32_t rows[MOST_ROWS];
    if (!find_array(program, sample, &array))
        return SMC_OK;
    memcpy(site->array, array.name, sizeof site->array);
    struct accesses accesses = {smc_calloc(emulation->count_length, sizeof *accesses.access), 0};
    if (!accesses.access)
        return SMC_MACHINE;
    if (collect(program, emulation, &array, sample->access.width_bytes, &accesses)) {
        const struct smc_conflict_search search = {
            .layout = banks,
            .access = accesses.access,
            .access_count = accesses.count,
            .row_elements = rows,
            .row_count = find_rows(&sample->access, &array, rows),
            .first_byte = (uint32_t)array.first_byte,
        };
        site->has_padding = smc_find_padding(&search, &site->padding);
        site->has_swizzle = smc_find_swizzle(&search, &site->swizzle);
    }
    free(accesses.access);
    return SMC_OK;
}

enum smc_status smc_emulated_find_conflicts(const struct smc_program *program,
                                            const struct smc_emulation *emulation,
                                            const struct smc_bank_layout *banks,
                                            struct smc_conflict_site *site, struct smc_error *error)
{
    const struct smc_emulated_count *total = &emulation->total;
    *site = (struct smc_conflict_site){
        .all = smc_emulated_conflicts(total),
        .wavefronts = smc_emulated_wavefronts(total),
    };
    if (site->all == 0)
        return SMC_OK;
    size_t worst = find_worst(emulation);
    site->line = line_of(program, worst);
    for (size_t i = 0; i < emulation->count_length; i++)
        if (i == worst || (site->line && line_of(program, i) == site->line))
            site->conflicts += smc_emulated_conflicts(&emulation->count[i]);
    if (find_remedy(program, emulation, banks, worst, site) != SMC_OK)
        return smc_out_of_memory(error);
    return SMC_OK;
}
