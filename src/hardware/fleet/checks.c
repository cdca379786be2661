/* Check reports of many GPUs combined: what to drain, and why. */
#include "hardware/checks.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/numbers.h"

const char *const smc_checked_names[SMC_CHECKED_COUNT] = {
    [SMC_CHECKED_HEALTHY] = "healthy",
    [SMC_CHECKED_DIFFERS] = "differs",
    [SMC_CHECKED_FAILED] = "failed",
};

const struct smc_check_figure_kind smc_check_figures[SMC_CHECK_FIGURE_COUNT] = {
#define COMPARED(id, ...) [SMC_CHECK_##id] = {__VA_ARGS__},
#include "hardware/fleet/health_figures.def"
};

/* --- Nodes, GPUs and texts -------------------------------------------------------------------- */

const char *smc_checks_text(const struct smc_checks *checks, uint32_t offset)
{
    return offset ? checks->texts.data + offset : "";
}

uint32_t smc_checks_keep(struct smc_checks *checks, const char *text)
{
    if (!*text)
        return 0;
    if (checks->texts.length == 0)
        smc_text_append_char(&checks->texts, '\0', 1);
    size_t offset = checks->texts.length;
    if (offset + strlen(text) >= UINT32_MAX)
        checks->texts.failed = true;
    smc_text_append_bytes(&checks->texts, text, strlen(text) + 1);
    return checks->texts.failed ? 0 : (uint32_t)offset;
}

/* Where the node is in the hash table, or would be. */
static uint32_t *checks_find_slot(const struct smc_checks *checks, const char *name)
{
    size_t at = (size_t)smc_hash(SMC_HASH_START, name, strlen(name));
    for (;; at++) {
        uint32_t *slot = &checks->slot[at & (checks->slot_count - 1)];
        if (!*slot || strcmp(smc_checks_text(checks, checks->node[*slot - 1].name), name) == 0)
            return slot;
    }
}

/* Keeps at least half of the table empty. */
static bool grow_slots(struct smc_checks *checks)
{
    if (2 * checks->node_count < checks->slot_count)
        return true;
    free(checks->slot);
    checks->slot_count = checks->slot_count ? 2 * checks->slot_count : 64;
    checks->slot = smc_calloc(checks->slot_count, sizeof *checks->slot);
    for (size_t i = 0; checks->slot && i < checks->node_count; i++)
        *checks_find_slot(checks, smc_checks_text(checks, checks->node[i].name)) = (uint32_t)i + 1;
    return checks->slot != NULL;
}

size_t smc_checks_node(struct smc_checks *checks, const char *name)
{
    if (!grow_slots(checks))
        return SIZE_MAX;
    uint32_t *slot = checks_find_slot(checks, name);
    if (*slot)
        return *slot - 1;
    bool has_room = smc_make_room(&checks->node, checks->node_count, &checks->node_capacity,
                                  sizeof *checks->node);
    uint32_t kept = has_room ? smc_checks_keep(checks, name) : 0;
    if (!kept)
        return SIZE_MAX;
    checks->node[checks->node_count] = (struct smc_checked_node){.name = kept};
    *slot = (uint32_t)++checks->node_count;
    return checks->node_count - 1;
}

struct smc_checked_gpu *smc_checks_add_gpu(struct smc_checks *checks)
{
    if (!smc_make_room(&checks->gpu, checks->gpu_count, &checks->gpu_capacity, sizeof *checks->gpu))
        return NULL;
    struct smc_checked_gpu *gpu = &checks->gpu[checks->gpu_count++];
    *gpu = (struct smc_checked_gpu){0};
    return gpu;
}

void smc_checks_free(struct smc_checks *checks)
{
    free(checks->gpu);
    free(checks->node);
    free(checks->slot);
    smc_text_free(&checks->texts);
    *checks = (struct smc_checks){0};
}

/* --- Reports of the same GPU ------------------------------------------------------------------ */

static int checks_compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_gpu(const void *a, const void *b)
{
    const struct smc_checked_gpu *s = a, *t = b;
    int order = checks_compare(s->node, t->node);
    if (order == 0)
        order = checks_compare(s->identity, t->identity);
    return order ? order : checks_compare(s->line, t->line);
}

/* By their numbers in the node, as far as they are known. */
static int as_shown(const void *a, const void *b)
{
    const struct smc_checked_gpu *s = a, *t = b;
    int order = checks_compare(s->node, t->node);
    if (order == 0)
        order = (s->gpu_index > t->gpu_index) - (s->gpu_index < t->gpu_index);
    return order ? order : by_gpu(a, b);
}

enum { MOST_SAMPLES = 64 };

/* The median of a figure over the reports of one GPU. */
static float median_of(const struct smc_checked_gpu *gpus, size_t count, int figure)
{
    double values[MOST_SAMPLES];
    size_t known = 0;
    for (size_t i = 0; i < count && known < MOST_SAMPLES; i++)
        if (!isnan(gpus[i].figure[figure]))
            values[known++] = (double)gpus[i].figure[figure];
    smc_numbers_sort(values, known);
    return known ? (float)smc_numbers_median(values, known) : NAN;
}

static struct smc_checked_gpu checks_combine(const struct smc_checked_gpu *gpus, size_t count)
{
    struct smc_checked_gpu worst = *gpus;
    for (size_t i = 1; i < count; i++)
        if (gpus[i].health > worst.health)
            worst = gpus[i];
    for (int figure = 0; figure < SMC_CHECK_FIGURE_COUNT; figure++)
        worst.figure[figure] = median_of(gpus, count, figure);
    return worst;
}

static void combine_repeated(struct smc_checks *checks)
{
    size_t kept = 0;
    if (checks->gpu_count == 0)
        return; /* there is no array yet */
    qsort(checks->gpu, checks->gpu_count, sizeof *checks->gpu, by_gpu);
    for (size_t i = 0, end; i < checks->gpu_count; i = end) {
        const struct smc_checked_gpu *first = &checks->gpu[i];
        for (end = i + 1; end < checks->gpu_count && checks->gpu[end].node == first->node &&
                          checks->gpu[end].identity == first->identity;)
            end++;
        checks->repeated += end - i - 1;
        checks->gpu[kept++] = checks_combine(first, end - i);
    }
    checks->gpu_count = kept;
    qsort(checks->gpu, kept, sizeof *checks->gpu, as_shown);
}

/* --- Stragglers ------------------------------------------------------------------------------- */

static int slowest_first(const void *a, const void *b)
{
    const struct smc_fleet_straggler *s = a, *t = b;
    int order = (s->slower < t->slower) - (s->slower > t->slower);
    if (order == 0)
        order = checks_compare((uintptr_t)s->gpu, (uintptr_t)t->gpu);
    return order ? order : (int)s->figure - (int)t->figure;
}

static bool add_straggler(struct smc_fleet *fleet, size_t *capacity,
                          struct smc_fleet_straggler straggler)
{
    if (!smc_make_room(&fleet->straggler, fleet->straggler_count, capacity, sizeof straggler))
        return false;
    fleet->straggler[fleet->straggler_count++] = straggler;
    return true;
}

/* A GPU that is not healthy is named with its fault instead. */
static bool find_stragglers(struct smc_fleet *fleet, struct smc_fleet_spread *spread,
                            uint32_t board, size_t *capacity)
{
    bool higher = smc_check_figures[spread->figure].higher_is_better;
    for (size_t i = 0; i < fleet->gpus; i++) {
        const struct smc_checked_gpu *gpu = &fleet->checks->gpu[i];
        double value = (double)gpu->figure[spread->figure];
        if (gpu->board != board || gpu->health != SMC_CHECKED_HEALTHY || isnan(value) ||
            !smc_peer_straggles(&spread->peers, value, higher))
            continue;
        struct smc_fleet_straggler straggler = {
            .gpu = gpu,
            .figure = spread->figure,
            .value = value,
            .median = spread->peers.median,
            .slower = smc_peer_slowness(&spread->peers, value, higher),
        };
        if (!add_straggler(fleet, capacity, straggler))
            return false;
        spread->stragglers++;
    }
    return true;
}

/* `values` has space for one of each GPU. */
static bool compare_figure(struct smc_fleet *fleet, uint32_t board, enum smc_check_figure figure,
                           double *values, size_t *capacity)
{
    size_t count = 0;
    for (size_t i = 0; i < fleet->gpus; i++) {
        const struct smc_checked_gpu *gpu = &fleet->checks->gpu[i];
        if (gpu->board == board && !isnan(gpu->figure[figure]))
            values[count++] = (double)gpu->figure[figure];
    }
    if (count == 0)
        return true;
    struct smc_fleet_spread *spread = &fleet->spread[fleet->spread_count++];
    *spread = (struct smc_fleet_spread){
        .board = &fleet->checks->board[board],
        .figure = figure,
        .peers = smc_peer_spread_of(values, count, smc_check_figures[figure].higher_is_better),
    };
    return spread->peers.limit <= 0 || find_stragglers(fleet, spread, board, capacity);
}

static int by_address(const void *a, const void *b)
{
    return checks_compare((uintptr_t)((const struct smc_fleet_straggler *)a)->gpu,
                          (uintptr_t)((const struct smc_fleet_straggler *)b)->gpu);
}

static bool compare_all(struct smc_fleet *fleet)
{
    const struct smc_checks *checks = fleet->checks;
    size_t capacity = 0;
    smc_auto_free double *values = smc_calloc(fleet->gpus + 1, sizeof *values);
    fleet->spread =
        smc_calloc(checks->board_count * SMC_CHECK_FIGURE_COUNT + 1, sizeof *fleet->spread);
    bool whole = values && fleet->spread;
    for (uint32_t board = 0; whole && board < checks->board_count; board++)
        for (int i = 0; whole && i < SMC_CHECK_FIGURE_COUNT; i++)
            whole = compare_figure(fleet, board, (enum smc_check_figure)i, values, &capacity);
    struct smc_fleet_straggler *list = fleet->straggler;
    if (!list)
        return whole;
    qsort(list, fleet->straggler_count, sizeof *list, by_address);
    for (size_t i = 0; i < fleet->straggler_count; i++)
        fleet->straggling_gpus += i == 0 || list[i].gpu != list[i - 1].gpu;
    qsort(list, fleet->straggler_count, sizeof *list, slowest_first);
    return whole;
}

/* --- Nodes to drain --------------------------------------------------------------------------- */

/* Keeps what is safe between double quotes in a shell and in Slurm's own syntax. */
static void make_reason_safe(char *reason)
{
    for (; *reason; reason++)
        if (!isalnum((unsigned char)*reason) && !strchr(" .,:;()%+/_=-", *reason))
            *reason = *reason == '"' || *reason == '\'' ? ' ' : '?';
}

static bool add_drain(struct smc_fleet *fleet, const char *node, struct smc_text *reason)
{
    bool whole = !reason->failed && reason->data;
    if (whole) {
        make_reason_safe(reason->data);
        fleet->drain[fleet->drain_count++] = (struct smc_fleet_drain){node, reason->data};
    } else {
        smc_text_free(reason);
    }
    return whole;
}

static void append_gpu(const struct smc_checks *checks, const struct smc_checked_gpu *gpu,
                       struct smc_text *out)
{
    const char *uuid = smc_checks_text(checks, gpu->uuid);
    if (gpu->gpu_index >= 0)
        smc_text_printf(out, "GPU %d", (int)gpu->gpu_index);
    else
        smc_text_append(out, uuid[0] ? uuid : "a GPU");
}

static void append_straggling(const struct smc_fleet *fleet, uint32_t node, struct smc_text *out)
{
    for (size_t i = 0; i < fleet->straggler_count; i++) {
        const struct smc_fleet_straggler *straggler = &fleet->straggler[i];
        if (straggler->gpu->node != node)
            continue;
        append_gpu(fleet->checks, straggler->gpu, out);
        smc_text_printf(out, " is slow: %s %.1f %% slower than the median",
                        smc_check_figures[straggler->figure].label, 100 * straggler->slower);
        return;
    }
}

/* "2 of 8 GPUs: GPU 3 differs: SM 17 computes ...". Empty if nothing is wrong. */
static void checks_append_reason(const struct smc_fleet *fleet, const struct smc_checked_node *node,
                                 struct smc_text *out)
{
    const struct smc_checks *checks = fleet->checks;
    if (node->error)
        smc_text_append(out, smc_checks_text(checks, node->error));
    if (node->bad == 0)
        return;
    const struct smc_checked_gpu *worst = &checks->gpu[node->worst];
    smc_text_append(out, out->length ? "; " : "");
    if (node->bad > 1)
        smc_text_printf(out, "%u of %u GPUs: ", (unsigned)node->bad, (unsigned)node->gpus);
    append_gpu(checks, worst, out);
    smc_text_printf(out, " %s: %s", smc_checked_names[worst->health],
                    smc_checks_text(checks, worst->fault));
}

static void count_gpus(struct smc_checks *checks, struct smc_fleet *fleet)
{
    for (size_t i = 0; i < checks->node_count; i++)
        checks->node[i].gpus = checks->node[i].bad = 0;
    for (size_t i = 0; i < checks->gpu_count; i++) {
        const struct smc_checked_gpu *gpu = &checks->gpu[i];
        struct smc_checked_node *node = &checks->node[gpu->node];
        fleet->health[gpu->health]++;
        node->gpus++;
        if (gpu->health == SMC_CHECKED_HEALTHY)
            continue;
        if (node->bad++ == 0 || gpu->health > checks->gpu[node->worst].health)
            node->worst = i;
    }
}

static int by_node_name(const void *a, const void *b)
{
    return smc_host_name_compare(((const struct smc_fleet_drain *)a)->node,
                                 ((const struct smc_fleet_drain *)b)->node);
}

/* Marks the nodes that have stragglers in `slow`, by index. */
static bool drain_reported(struct smc_fleet *fleet, const bool *slow)
{
    const struct smc_checks *checks = fleet->checks;
    for (size_t i = 0; i < fleet->nodes; i++) {
        struct smc_text reason = {0};
        checks_append_reason(fleet, &checks->node[i], &reason);
        if (slow[i] && reason.length == 0)
            append_straggling(fleet, (uint32_t)i, &reason);
        fleet->failed_nodes += checks->node[i].error != 0;
        if (reason.failed ||
            (reason.length > 0 &&
             !add_drain(fleet, smc_checks_text(checks, checks->node[i].name), &reason)))
            return false;
    }
    if (fleet->drain_count > 0)
        qsort(fleet->drain, fleet->drain_count, sizeof *fleet->drain, by_node_name);
    return true;
}

/* Those that are new have reported nothing: they follow the others. */
static bool checks_expect(struct smc_checks *checks, const struct smc_hostlist *names)
{
    for (size_t i = 0; i < names->count; i++) {
        size_t node = smc_checks_node(checks, names->name[i]);
        if (node == SIZE_MAX)
            return false;
        checks->node[node].expected = true;
    }
    return true;
}

static bool drain_silent(struct smc_fleet *fleet)
{
    const struct smc_checks *checks = fleet->checks;
    for (size_t i = fleet->nodes; i < checks->node_count; i++) {
        struct smc_text reason = {0};
        smc_text_append(&reason, "no report");
        if (!add_drain(fleet, smc_checks_text(checks, checks->node[i].name), &reason))
            return false;
    }
    fleet->silent = fleet->missing = checks->node_count - fleet->nodes;
    if (fleet->silent > 0)
        qsort(fleet->drain + fleet->drain_count - fleet->silent, fleet->silent,
              sizeof *fleet->drain, by_node_name);
    return true;
}

static bool find_drains(struct smc_fleet *fleet, struct smc_checks *checks,
                        const struct smc_fleet_expected *expected, bool drain_stragglers)
{
    if (!checks_expect(checks, &expected->names))
        return false;
    for (size_t i = 0; i < fleet->nodes; i++)
        fleet->unexpected += expected->names.count > 0 && !checks->node[i].expected;
    smc_auto_free bool *slow = smc_calloc(fleet->nodes + 1, sizeof *slow);
    fleet->drain = smc_calloc(checks->node_count + 1, sizeof *fleet->drain);
    for (size_t i = 0; slow && drain_stragglers && i < fleet->straggler_count; i++)
        slow[fleet->straggler[i].gpu->node] = true;
    return slow && fleet->drain && drain_reported(fleet, slow) && drain_silent(fleet);
}

/* --- All together ----------------------------------------------------------------------------- */

enum smc_status smc_fleet_judge(struct smc_checks *checks,
                                const struct smc_fleet_expected *expected, bool drain_stragglers,
                                struct smc_fleet *out, struct smc_error *error)
{
    *out = (struct smc_fleet){.checks = checks, .nodes = checks->node_count};
    combine_repeated(checks);
    out->gpus = checks->gpu_count;
    count_gpus(checks, out);
    if (!compare_all(out) || !find_drains(out, checks, expected, drain_stragglers))
        return smc_out_of_memory(error);
    if (expected->given && expected->names.count == 0 && expected->count > out->nodes)
        out->missing = expected->count - out->nodes;
    bool bad =
        out->health[SMC_CHECKED_HEALTHY] < out->gpus || out->drain_count > 0 || out->missing > 0;
    return bad ? SMC_SHORTFALL : SMC_OK;
}

const char *smc_fleet_verdict_name(const struct smc_fleet *fleet)
{
    if (fleet->health[SMC_CHECKED_FAILED] + fleet->failed_nodes > 0)
        return smc_checked_names[SMC_CHECKED_FAILED];
    if (fleet->health[SMC_CHECKED_DIFFERS] > 0)
        return smc_checked_names[SMC_CHECKED_DIFFERS];
    if (fleet->missing > 0)
        return "incomplete";
    return fleet->drain_count > 0 ? "slow" : smc_checked_names[SMC_CHECKED_HEALTHY];
}

void smc_fleet_free(struct smc_fleet *fleet)
{
    for (size_t i = 0; i < fleet->drain_count; i++)
        free(fleet->drain[i].reason);
    free(fleet->drain);
    free(fleet->straggler);
    free(fleet->spread);
    *fleet = (struct smc_fleet){0};
}
