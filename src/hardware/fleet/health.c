/* The health of a GPU: what is expected, and which faults wrong values stand for. Nothing here
   needs a GPU. */
#include "config.h"

#include "hardware/fleet/health.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "hardware/executor.h"

/* --- Names ------------------------------------------------------------------------------------ */

const struct smc_health_test_info smc_health_test_info[SMC_HEALTH_TESTS] = {
#define TEST(id, ...) [SMC_HEALTH_##id] = {__VA_ARGS__},
#include "hardware/fleet/health_tests.def"
};

const struct smc_health_figure_info smc_health_figure_info[SMC_HEALTH_FIGURES] = {
#define FIGURE(id, key, label, unit, per_unit)                                                     \
    [SMC_HEALTH_FIGURE_##id] = {key, label, unit, per_unit},
#include "hardware/fleet/health_figures.def"
};

const char *smc_health_outcome_name(enum smc_health_outcome outcome)
{
    static const char *const names[] = {
        [SMC_HEALTH_SKIPPED] = "skip",
        [SMC_HEALTH_PASSED] = "pass",
        [SMC_HEALTH_WRONG] = "fail",
    };
    return names[outcome];
}

const char *smc_health_verdict_name(enum smc_health_verdict verdict)
{
    static const char *const names[] = {
        [SMC_HEALTH_FAILED] = "failed",
        [SMC_HEALTH_DIFFERS] = "differs",
        [SMC_HEALTHY] = "healthy",
    };
    return names[verdict];
}

const char *smc_fault_kind_name(enum smc_fault_kind kind)
{
    static const char *const names[] = {
        [SMC_FAULT_LANE] = "lane",     [SMC_FAULT_SM] = "sm",
        [SMC_FAULT_MEMORY] = "memory", [SMC_FAULT_RESIDENCY] = "residency",
        [SMC_FAULT_RATE] = "rate",     [SMC_FAULT_RESULT] = "result",
    };
    return names[kind];
}

const char *smc_health_mode_name(enum smc_health_mode mode)
{
    static const char *const names[] = {
        [SMC_MODE_WHOLE] = "whole",
        [SMC_MODE_MIG] = "mig",
        [SMC_MODE_EXCLUSIVE] = "exclusive",
    };
    return names[mode];
}

static const struct {
    const char *label;
    uint16_t first_cc, last_cc; /* of which the bits are known */
    const char *why;            /* others are not */
} units[SMC_UNITS] = {
#define UNIT(id, label, first_cc, last_cc, why) [SMC_UNIT_##id] = {label, first_cc, last_cc, why},
#include "hardware/fleet/health_units.def"
};

/* --- Outcomes --------------------------------------------------------------------------------- */

void smc_health_begin(int gpu_index, struct smc_health *health)
{
    *health = (struct smc_health){.gpu_index = gpu_index, .current = SMC_HEALTH_TESTS};
    for (int i = 0; i < SMC_HEALTH_TESTS; i++)
        smc_health_skip(health, (enum smc_health_test)i, "not reached");
}

void smc_health_skip(struct smc_health *health, enum smc_health_test test, const char *format, ...)
{
    struct smc_health_result *result = &health->test[test];
    result->outcome = SMC_HEALTH_SKIPPED;
    result->expected = result->seen = NAN;
    SMC_PRINT_TO(result->detail, format);
}

void smc_health_conclude(struct smc_health *health, enum smc_health_test test, bool passed,
                         double expected, double seen, const char *format, ...)
{
    struct smc_health_result *result = &health->test[test];
    result->outcome = passed ? SMC_HEALTH_PASSED : SMC_HEALTH_WRONG;
    result->expected = expected;
    result->seen = seen;
    SMC_PRINT_TO(result->detail, format);
}

struct smc_fault *smc_health_add(struct smc_health *health, enum smc_health_test test,
                                 enum smc_fault_kind kind, const char *format, ...)
{
    health->faults_total++;
    if (health->fault_count == SMC_MOST_FAULTS)
        return NULL;
    struct smc_fault *fault = &health->fault[health->fault_count++];
    *fault = (struct smc_fault){
        .kind = kind,
        .test = test,
        .sm = SMC_NOWHERE,
        .part = SMC_NOWHERE,
        .lane = SMC_NOWHERE,
        .bit = SMC_NOWHERE,
    };
    SMC_PRINT_TO(fault->detail, format);
    return fault;
}

void smc_health_judge(struct smc_health *health)
{
    health->verdict = health->error[0] ? SMC_HEALTH_FAILED : SMC_HEALTHY;
    for (int i = 0; i < SMC_HEALTH_TESTS; i++)
        if (health->test[i].outcome == SMC_HEALTH_WRONG)
            health->verdict = SMC_HEALTH_DIFFERS;
    if (health->faults_total > 0)
        health->verdict = SMC_HEALTH_DIFFERS;
}

static int lowest_bit(uint32_t bits)
{
    return bits ? __builtin_ctz(bits) : SMC_NOWHERE;
}

/* --- What the emulator computed --------------------------------------------------------------- */

struct lane_row {
    uint32_t lane, integer, fp32, fp64, half, special, exchange, matrix;
};

static const struct lane_row lane_rows[] = {
#include "hardware/fleet/health_lanes.inc"
};

uint32_t smc_health_lane(enum smc_health_unit unit, unsigned lane)
{
    const struct lane_row *row = &lane_rows[lane];
    const uint32_t values[SMC_UNITS] = {
        [SMC_UNIT_INTEGER] = row->integer, [SMC_UNIT_FLOAT] = row->fp32,
        [SMC_UNIT_DOUBLE] = row->fp64,     [SMC_UNIT_HALF] = row->half,
        [SMC_UNIT_SPECIAL] = row->special, [SMC_UNIT_EXCHANGE] = row->exchange,
        [SMC_UNIT_MATRIX] = row->matrix,
    };
    return values[unit];
}

bool smc_health_is_known(enum smc_health_unit unit, uint16_t cc, const char **reason)
{
    bool is_known = cc >= units[unit].first_cc && cc <= units[unit].last_cc;
    *reason = is_known ? "" : units[unit].why;
    return is_known;
}

const struct smc_health_case smc_health_cases[] = {
#include "hardware/fleet/health_results.inc"
    {.kernel = NULL},
};

/* "tile=16": a parameter by its option's name. */
static bool health_set_param(char *word, struct smc_query *query)
{
    char *value = strchr(word, '=');
    if (!value)
        return false;
    *value++ = '\0';
    for (int i = 0; i < SMC_PARAM_COUNT; i++) {
        enum smc_dtype dtype;
        if (strcmp(smc_param_info[i].option, word) != 0)
            continue;
        bool is_type = i == SMC_PARAM_DTYPE && smc_dtype_parse(value, &dtype);
        query->params.value[i] = is_type ? (int64_t)dtype : strtoll(value, NULL, 10);
        query->params.given |= 1u << i;
        return true;
    }
    return false;
}

bool smc_health_read_case(const char *kernel, const char *options, struct smc_query *query)
{
    char words[128], *rest = words;
    smc_query_init(query);
    query->kernel = smc_kernel_find(kernel);
    if (!query->kernel || snprintf(words, sizeof words, "%s", options) >= (int)sizeof words)
        return false;
    smc_params_init(query->kernel, &query->params);
    for (char *word; (word = strtok_r(rest, " ", &rest));)
        if (!health_set_param(word, query))
            return false;
    return true;
}

uint64_t smc_health_hash(const struct smc_plan *plan, const void *const *buffers)
{
    uint64_t hash = SMC_HASH_START;
    for (size_t i = 0; i < plan->buffer_count; i++)
        if (plan->buffer[i].output)
            hash = smc_hash(hash, buffers[i],
                            plan->buffer[i].elements * smc_dtype_bytes(plan->buffer[i].dtype));
    return hash;
}

/* --- SMs -------------------------------------------------------------------------------------- */

/* The chains of one block: [warp][lane][value]. */
typedef uint32_t lane_chains[SMC_HEALTH_VALUES];

static const lane_chains *block_chains(const uint32_t *chains, uint32_t block)
{
    return (const lane_chains *)(chains + (size_t)block * SMC_HEALTH_THREADS * SMC_HEALTH_VALUES);
}

/* Boyer and Moore's majority of all threads in this lane. */
static uint32_t most_common(const uint32_t *chains, uint32_t blocks, enum smc_health_unit unit,
                            unsigned lane)
{
    uint32_t candidate = 0;
    uint64_t votes = 0;
    for (uint32_t b = 0; b < blocks; b++)
        for (unsigned t = lane; t < SMC_HEALTH_THREADS; t += SMC_HEALTH_LANES) {
            uint32_t value = block_chains(chains, b)[t][unit];
            if (votes == 0)
                candidate = value;
            votes += value == candidate ? 1 : -1;
        }
    return candidate;
}

typedef uint32_t expected_lanes[SMC_UNITS][SMC_HEALTH_LANES];

static void health_expect(const uint32_t *chains, uint32_t blocks, uint16_t cc,
                          expected_lanes expected)
{
    const char *reason;
    for (int unit = 0; unit < SMC_UNITS; unit++)
        for (unsigned lane = 0; lane < SMC_HEALTH_LANES; lane++)
            expected[unit][lane] =
                smc_health_is_known((enum smc_health_unit)unit, cc, &reason)
                    ? smc_health_lane((enum smc_health_unit)unit, lane)
                    : most_common(chains, blocks, (enum smc_health_unit)unit, lane);
}

/* What is wrong in one block, by sub-partition and lane. */
struct wrong {
    uint32_t threads; /* with a wrong chain */
    uint32_t of_unit[SMC_UNITS];
    struct {
        uint32_t warps; /* of the sub-partition, with a wrong chain in this lane */
        uint32_t units; /* bit n: unit n */
        uint32_t got, expected;
    } at[SMC_HEALTH_PARTS][SMC_HEALTH_LANES];
};

static void compare_thread(const lane_chains *values, unsigned lane, expected_lanes expected,
                           struct wrong *wrong)
{
    unsigned part = (*values)[SMC_UNITS] % SMC_HEALTH_PARTS;
    uint32_t wrong_units = 0;
    for (int unit = 0; unit < SMC_UNITS; unit++) {
        if ((*values)[unit] == expected[unit][lane])
            continue;
        if (!wrong_units && !wrong->at[part][lane].units) {
            wrong->at[part][lane].got = (*values)[unit];
            wrong->at[part][lane].expected = expected[unit][lane];
        }
        wrong_units |= 1u << unit;
        wrong->of_unit[unit]++;
    }
    wrong->threads += wrong_units != 0;
    wrong->at[part][lane].warps += wrong_units != 0;
    wrong->at[part][lane].units |= wrong_units;
}

/* "integer arithmetic and special functions" */
static void list_units(uint32_t mask, char *text, size_t room)
{
    size_t used = 0;
    text[0] = '\0';
    for (int unit = 0; unit < SMC_UNITS; unit++) {
        if (!(mask & 1u << unit))
            continue;
        mask &= ~(1u << unit);
        const char *joint = used == 0 ? "" : mask ? ", " : " and ";
        int length = snprintf(text + used, room - used, "%s%s", joint, units[unit].label);
        if (length < 0 || (size_t)length >= room - used)
            return;
        used += (size_t)length;
    }
}

static bool is_known_fault(const struct smc_health *health, enum smc_fault_kind kind, int32_t sm,
                           int32_t part, int32_t lane)
{
    for (uint32_t i = 0; i < health->fault_count; i++) {
        const struct smc_fault *fault = &health->fault[i];
        if (fault->kind == kind && fault->sm == sm && fault->part == part && fault->lane == lane)
            return true;
    }
    return false;
}

/* Whether a fault of this word is kept: of an SM's shared memory, or with SMC_NOWHERE of global
   memory. */
static bool is_known_word(const struct smc_health *health, int32_t sm, uint64_t address)
{
    for (uint32_t i = 0; i < health->fault_count; i++) {
        const struct smc_fault *fault = &health->fault[i];
        if (fault->kind == SMC_FAULT_MEMORY && fault->has_address && fault->sm == sm &&
            fault->address == address)
            return true;
    }
    return false;
}

static void report_sm(const struct wrong *wrong, int32_t sm, struct smc_health *health)
{
    char list[120];
    uint32_t mask = 0;
    for (int unit = 0; unit < SMC_UNITS; unit++)
        mask |= wrong->of_unit[unit] ? 1u << unit : 0;
    list_units(mask, list, sizeof list);
    if (is_known_fault(health, SMC_FAULT_SM, sm, SMC_NOWHERE, SMC_NOWHERE))
        return;
    struct smc_fault *fault = smc_health_add(health, SMC_HEALTH_SMS, SMC_FAULT_SM,
                                             "SM %d: %u of %d threads have wrong %s", sm,
                                             wrong->threads, SMC_HEALTH_THREADS, list);
    if (fault)
        fault->sm = sm;
}

static void report_lane(const struct wrong *wrong, int32_t sm, unsigned part, unsigned lane,
                        struct smc_health *health)
{
    char list[120];
    uint32_t got = wrong->at[part][lane].got, expected = wrong->at[part][lane].expected;
    list_units(wrong->at[part][lane].units, list, sizeof list);
    if (is_known_fault(health, SMC_FAULT_LANE, sm, (int32_t)part, (int32_t)lane))
        return;
    struct smc_fault *fault =
        smc_health_add(health, SMC_HEALTH_SMS, SMC_FAULT_LANE,
                       "SM %d, sub-partition %u, lane %u: wrong %s in %u warp%s, 0x%08" PRIx32
                       " instead of 0x%08" PRIx32,
                       sm, part, lane, list, wrong->at[part][lane].warps,
                       smc_text_plural(wrong->at[part][lane].warps), got, expected);
    if (!fault)
        return;
    fault->sm = sm;
    fault->part = (int32_t)part;
    fault->lane = (int32_t)lane;
}

/* If more lanes of an SM are wrong, the fault is the SM's, and is reported once. */
enum { MOST_WRONG_LANES = 16 };

static void report_block(const struct wrong *wrong, int32_t sm, struct smc_health *health)
{
    unsigned lanes = 0;
    for (unsigned part = 0; part < SMC_HEALTH_PARTS; part++)
        for (unsigned lane = 0; lane < SMC_HEALTH_LANES; lane++)
            lanes += wrong->at[part][lane].warps > 0;
    if (lanes > MOST_WRONG_LANES) {
        report_sm(wrong, sm, health);
        return;
    }
    for (unsigned part = 0; part < SMC_HEALTH_PARTS; part++)
        for (unsigned lane = 0; lane < SMC_HEALTH_LANES; lane++)
            if (wrong->at[part][lane].warps > 0)
                report_lane(wrong, sm, part, lane, health);
}

static void report_shared(const struct smc_health_seen *seen, struct smc_health *health)
{
    uint32_t kept = seen->wrong < SMC_SEEN_FAULTS ? seen->wrong : SMC_SEEN_FAULTS;
    for (uint32_t i = 0; i < kept; i++) {
        uint32_t byte = seen->fault[i].word * (uint32_t)sizeof(uint32_t);
        int bit = lowest_bit(seen->fault[i].bits);
        if (is_known_word(health, (int32_t)seen->sm, byte))
            continue;
        struct smc_fault *fault = smc_health_add(
            health, SMC_HEALTH_SMS, SMC_FAULT_MEMORY,
            "SM %u: shared memory does not keep bit %d of the word at byte 0x%" PRIx32
            " (wrong bits 0x%08" PRIx32 ", %u wrong word%s)",
            seen->sm, bit, byte, seen->fault[i].bits, seen->wrong, smc_text_plural(seen->wrong));
        if (!fault)
            return;
        fault->sm = (int32_t)seen->sm;
        fault->bit = bit;
        fault->has_address = true;
        fault->address = byte;
    }
}

void smc_health_examine_sms(const struct smc_health_seen *seen, const uint32_t *chains,
                            uint32_t blocks, struct smc_health_sms *sms, struct smc_health *health)
{
    static const size_t most_sms = sizeof sms->seen;
    expected_lanes expected;
    health_expect(chains, blocks, health->cc, expected);
    for (uint32_t b = 0; b < blocks; b++) {
        struct wrong wrong = {0};
        const lane_chains *values = block_chains(chains, b);
        for (unsigned t = 0; t < SMC_HEALTH_THREADS; t++)
            compare_thread(&values[t], t % SMC_HEALTH_LANES, expected, &wrong);
        if (seen[b].sm < most_sms && !sms->seen[seen[b].sm]) {
            sms->seen[seen[b].sm] = 1;
            sms->count++;
        }
        if (wrong.threads > 0)
            report_block(&wrong, (int32_t)seen[b].sm, health);
        if (seen[b].wrong > 0)
            report_shared(&seen[b], health);
    }
}

/* --- Memory ----------------------------------------------------------------------------------- */

static int by_word(const void *a, const void *b)
{
    const uint64_t *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

void smc_health_examine_memory(const struct smc_health_found *found, uint64_t base,
                               const char *where, struct smc_health *health)
{
    struct smc_health_found sorted = *found;
    size_t kept = found->wrong < SMC_FOUND_FAULTS ? (size_t)found->wrong : SMC_FOUND_FAULTS;
    qsort(sorted.fault, kept, sizeof *sorted.fault, by_word);
    for (size_t i = 0; i < kept; i++) {
        uint64_t address = base + sorted.fault[i].word * sizeof(uint32_t);
        int bit = lowest_bit(sorted.fault[i].bits);
        if (is_known_word(health, SMC_NOWHERE, address))
            continue;
        struct smc_fault *fault = smc_health_add(
            health, SMC_HEALTH_MEMORY, SMC_FAULT_MEMORY,
            "%s does not keep bit %d of the word at 0x%" PRIx64 " (wrong bits 0x%08" PRIx32
            ", %" PRIu64 " wrong word%s)",
            where, bit, address, sorted.fault[i].bits, found->wrong, smc_text_plural(found->wrong));
        if (!fault)
            return;
        fault->bit = bit;
        fault->has_address = true;
        fault->address = address;
    }
}

#ifndef HAVE_CUDA

enum smc_status smc_health_check(const struct smc_health_request *request,
                                 struct smc_health *health, struct smc_text *warnings,
                                 struct smc_error *error)
{
    struct smc_device device;
    (void)health, (void)warnings;
    return smc_executor_none.device(request->gpu_index, &device, error);
}

#endif
