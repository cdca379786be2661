/* Counts what accesses cost, by the model's own rules. What a pattern of addresses costs in shared
   memory is remembered: a kernel has few patterns, apart from where they begin. */
#include <stdlib.h>
#include <string.h>

#include "emulator/runtime.h"
#include "model/sectors.h"

enum { MEMO_BITS = 10, MEMO_SIZE = 1 << MEMO_BITS };

/* One pattern: addresses relative to where it begins. */
struct pattern {
    struct smc_access access;
    struct smc_bank_cost cost;
    bool known;
};

struct smc_bank_memo {
    struct pattern pattern[MEMO_SIZE];
};

struct smc_bank_memo *smc_bank_memo_new(void)
{
    return calloc(1, sizeof(struct smc_bank_memo));
}

static uint32_t hash_of(const struct smc_access *access)
{
    static const uint32_t factor[SMC_LANES] = {
#define FOUR(n) (n) * 2654435761u + 1, (n)*2246822519u + 3, (n)*3266489917u + 5, (n)*668265263u + 7
        FOUR(1), FOUR(3), FOUR(5), FOUR(7), FOUR(9), FOUR(11), FOUR(13), FOUR(15)};
    uint32_t sum = access->mask * 2654435761u + access->width_bytes * 31 + (uint32_t)access->op;
    EACH_LANE(i) sum += access->address[i] * factor[i];
    return (sum ^ sum >> 15) * 2246822519u >> (32 - MEMO_BITS);
}

/* Moved by whole rows of banks, or, where a row is as long as there are banks, by words, a pattern
   costs the same. Inactive lanes count as address 0. */
static void make_relative(const struct smc_bank_layout *layout, const uint64_t address[SMC_LANES],
                          struct smc_access *access)
{
    uint32_t unit = layout->row_words == layout->banks ? 4 : layout->row_words * 4;
    if (access->width_bytes > unit)
        unit = access->width_bytes;
    uint32_t first = (uint32_t)address[__builtin_ctz(access->mask)];
    uint32_t base = first - first % unit, mask = access->mask;
    /* Wraps for lanes below the first one; brought back by adding all of the window. */
    EACH_LANE(i)
    access->address[i] = mask & smc_lane_bit[i] ? (uint32_t)address[i] - base : 0;
}

static struct smc_bank_cost cost_of(const struct smc_bank_layout *layout,
                                    const struct smc_access *relative, uint32_t base)
{
    struct smc_access access = *relative;
    EACH_LANE(i) access.address[i] = access.mask & smc_lane_bit[i] ? access.address[i] + base : 0;
    return smc_banks_count(layout, &access);
}

/* What one access costs: known from before, or computed. */
static struct smc_bank_cost find_cost(struct smc_worker *worker, enum smc_bank_op kind,
                                      const uint64_t address[SMC_LANES], uint32_t mask,
                                      uint32_t bytes)
{
    const struct smc_bank_layout *layout = &worker->launch->request->banks;
    struct smc_access access = {.mask = mask, .width_bytes = bytes, .op = kind};
    make_relative(layout, address, &access);
    uint32_t lane = (uint32_t)__builtin_ctz(mask);
    struct pattern *pattern = &worker->memo->pattern[hash_of(&access)];
    if (!pattern->known || memcmp(&pattern->access, &access, sizeof access) != 0) {
        pattern->known = true;
        pattern->access = access;
        pattern->cost = cost_of(layout, &access, (uint32_t)address[lane] - access.address[lane]);
    }
    return pattern->cost;
}

static void take_sample(struct smc_worker *worker, const struct smc_op *op, enum smc_bank_op kind,
                        uint32_t conflicts, const uint64_t address[SMC_LANES], uint32_t mask,
                        uint32_t bytes)
{
    struct smc_conflict_sample *sample = &worker->sample[op->instruction];
    *sample = (struct smc_conflict_sample){
        .taken = true,
        .conflicts = conflicts,
        .block = worker->block,
        .access = {.mask = mask, .width_bytes = bytes, .op = kind},
    };
    EACH_LANE(i) sample->access.address[i] = mask & smc_lane_bit[i] ? (uint32_t)address[i] : 0;
}

void smc_count_shared(struct smc_worker *worker, const struct smc_op *op, enum smc_bank_op kind,
                      bool is_atomic, const uint64_t address[SMC_LANES], uint32_t mask,
                      uint32_t bytes)
{
    struct smc_emulated_count *count = &worker->count[op->instruction];
    if (is_atomic) {
        count->shared_atomics++;
        return;
    }
    struct smc_bank_cost cost = find_cost(worker, kind, address, mask, bytes);
    count->least_wavefronts += cost.least;
    const struct smc_conflict_sample *kept = &worker->sample[op->instruction];
    if (!kept->taken || cost.wavefronts - cost.least > kept->conflicts)
        take_sample(worker, op, kind, cost.wavefronts - cost.least, address, mask, bytes);
    if (kind == SMC_BANK_STORE) {
        count->shared_stores++;
        count->store_wavefronts += cost.wavefronts;
        return;
    }
    count->shared_loads++;
    count->load_wavefronts += cost.wavefronts;
    if (!worker->launch->program->follows || op->machine_bytes == 0)
        return;
    if (op->machine_bytes != bytes)
        cost = find_cost(worker, kind, address, mask, op->machine_bytes);
    count->machine_loads++;
    count->machine_load_wavefronts += cost.wavefronts;
}

void smc_count_global(struct smc_worker *worker, const struct smc_op *op, unsigned kind,
                      const uint64_t address[SMC_LANES], uint32_t mask, uint32_t bytes,
                      const struct smc_allocation *allocation)
{
    struct smc_emulated_count *count = &worker->count[op->instruction];
    uint64_t lanes = smc_lane_count(mask);
    uint64_t sectors = smc_sectors_count(address, mask);
    count->global_requests++;
    count->global_sectors += sectors;
    count->global_bytes += lanes * bytes;
    if (allocation->array == SIZE_MAX)
        return;
    struct smc_emulated_traffic *traffic = &worker->array_count[allocation->array].kind[kind];
    traffic->requests++;
    traffic->sectors += sectors;
    traffic->elements += lanes * op->vector;
    traffic->bytes += lanes * bytes;
}

void smc_count_copy(struct smc_worker *worker, const struct smc_op *op,
                    const uint64_t from[SMC_LANES], const uint64_t to[SMC_LANES], uint32_t mask)
{
    const struct smc_allocation *allocation = &worker->launch->allocation[worker->last_allocation];
    uint64_t as_load = smc_sectors_count(from, mask);
    uint64_t sectors = smc_sectors_count_copied(from, to, mask);
    struct smc_emulated_count *count = &worker->count[op->instruction];
    count->global_sectors = count->global_sectors - as_load + sectors;
    if (allocation->array == SIZE_MAX)
        return;
    struct smc_emulated_traffic *loads =
        &worker->array_count[allocation->array].kind[SMC_EMULATED_LOAD];
    loads->sectors = loads->sectors - as_load + sectors;
}

void smc_emulated_count_add(const struct smc_emulated_count *from, struct smc_emulated_count *to)
{
    to->executions += from->executions;
    to->lanes += from->lanes;
    to->divergent += from->divergent;
    to->shared_loads += from->shared_loads;
    to->shared_stores += from->shared_stores;
    to->shared_atomics += from->shared_atomics;
    to->load_wavefronts += from->load_wavefronts;
    to->machine_loads += from->machine_loads;
    to->machine_load_wavefronts += from->machine_load_wavefronts;
    to->store_wavefronts += from->store_wavefronts;
    to->least_wavefronts += from->least_wavefronts;
    to->global_requests += from->global_requests;
    to->global_sectors += from->global_sectors;
    to->global_bytes += from->global_bytes;
}

uint64_t smc_emulated_wavefronts(const struct smc_emulated_count *count)
{
    return count->load_wavefronts + count->store_wavefronts;
}

uint64_t smc_emulated_conflicts(const struct smc_emulated_count *count)
{
    return smc_emulated_wavefronts(count) - count->least_wavefronts;
}
