/* After how much else the blocks of an SM access a place again. */
#include "machine/timing/reuse.h"

#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"

/* Of an SM: classes begin at NEAR pieces, 32 KiB. FAR, 128 KiB: pieces that traces leave out pass,
   unless they were accessed more recently. After MOST_ACCESSES, all count as the first ones. */
enum {
    LEAST_BITS = 12,
    NEAR = 512,
    FAR = 2048,
    FOR_EACH_POWER = 4,
    LEAST_ACCESSES = 1 << 14,
    MOST_ACCESSES = 1 << 20
};

double smc_reuse_distance(unsigned reuse_class)
{
    return reuse_class < 2 ? 0 : NEAR * exp2((reuse_class - 1.5) / FOR_EACH_POWER);
}

static unsigned class_of(double distance)
{
    if (distance < NEAR)
        return 1;
    return (unsigned)fmin(2 + log2(distance / NEAR) * FOR_EACH_POWER, SMC_REUSE_CLASSES - 1);
}

double smc_reuse_sum(const struct smc_reuse_counts *counts)
{
    double sum = 0;
    for (int i = 0; i < SMC_REUSE_CLASSES; i++)
        sum += counts->of_class[i];
    return sum;
}

bool smc_reuse_open(struct smc_reuse *reuse)
{
    *reuse = (struct smc_reuse){.bits = LEAST_BITS};
    reuse->piece = smc_calloc((size_t)1 << reuse->bits, sizeof *reuse->piece);
    return reuse->piece != NULL;
}

void smc_reuse_close(struct smc_reuse *reuse)
{
    free(reuse->piece);
    free(reuse->latest);
    free(reuse->passed);
    *reuse = (struct smc_reuse){0};
}

static struct smc_reuse_piece *find_piece(struct smc_reuse_piece *pieces, unsigned bits,
                                          uint64_t number)
{
    const uint32_t mask = (UINT32_C(1) << bits) - 1;
    uint32_t at = smc_hash_slot(number, bits);
    while (pieces[at].number && pieces[at].number != number)
        at = (at + 1) & mask;
    return &pieces[at];
}

/* Room for another piece. False: memory. */
static bool has_place(struct smc_reuse *reuse)
{
    const uint32_t places = UINT32_C(1) << reuse->bits;
    if (reuse->used < places / 4 * 3)
        return true;
    struct smc_reuse_piece *more = smc_calloc((size_t)2 * places, sizeof *more);
    if (!more)
        return false;
    for (uint32_t i = 0; i < places; i++)
        if (reuse->piece[i].number)
            *find_piece(more, reuse->bits + 1, reuse->piece[i].number) = reuse->piece[i];
    free(reuse->piece);
    reuse->piece = more;
    reuse->bits++;
    return true;
}

/* --- The last accesses to pieces -------------------------------------------------------------- */

static void add_latest(struct smc_reuse *reuse, uint32_t at, int by)
{
    for (; at < reuse->room; at += at & -at)
        reuse->latest[at] += (uint32_t)by;
}

static uint32_t latest_up_to(const struct smc_reuse *reuse, uint32_t at)
{
    uint32_t sum = 0;
    for (; at > 0; at -= at & -at)
        sum += reuse->latest[at];
    return sum;
}

/* Room for another access. False: no more. */
static bool has_room(struct smc_reuse *reuse)
{
    if (reuse->accesses + 1 < reuse->room)
        return true;
    const uint32_t room = reuse->room ? 2 * reuse->room : LEAST_ACCESSES;
    if (room > MOST_ACCESSES)
        return false;
    uint32_t *latest = smc_calloc(room, sizeof *latest);
    double *passed = latest ? smc_realloc(reuse->passed, room * sizeof *passed) : NULL;
    if (!passed) {
        free(latest);
        return false;
    }
    free(reuse->latest);
    reuse->latest = latest;
    reuse->passed = passed;
    reuse->room = room;
    for (uint32_t i = 0; i < UINT32_C(1) << reuse->bits; i++)
        if (reuse->piece[i].number)
            add_latest(reuse, reuse->piece[i].at, 1);
    return true;
}

/* Notes that the block loads or stores a piece; `by`: the blocks that did so before. */
static void note_block(const struct smc_reuse *reuse, uint32_t *by, double weight,
                       struct smc_reuse_counts *counts)
{
    const uint32_t block = UINT32_C(1) << reuse->block % 32;
    counts->different += *by ? 0 : weight;
    counts->of_blocks += *by & block ? 0 : weight;
    *by |= block;
}

/* The class of an access. */
static unsigned see_piece(struct smc_reuse *reuse, uint64_t number, bool stores, double weight,
                          struct smc_reuse_counts *counts)
{
    if (!has_room(reuse) || !has_place(reuse))
        return 0;
    struct smc_reuse_piece *piece = find_piece(reuse->piece, reuse->bits, number);
    const uint32_t at = ++reuse->accesses;
    unsigned reuse_class = 0;
    reuse->passed[at] = reuse->passed_now;
    if (piece->number) {
        const double left_out = reuse->passed_now - reuse->passed[piece->at];
        const uint32_t since = at - 1 - piece->at;
        reuse_class = class_of(since + left_out < NEAR
                                   ? since + left_out
                                   : reuse->used - latest_up_to(reuse, piece->at) + left_out);
        add_latest(reuse, piece->at, -1);
    } else {
        reuse->used++;
    }
    const bool was_stored = piece->stored_by;
    piece->number = number;
    piece->at = at;
    note_block(reuse, stores ? &piece->stored_by : &piece->loaded_by, weight, counts);
    add_latest(reuse, at, 1);
    return stores && !was_stored ? 0 : reuse_class;
}

double smc_reuse_access(struct smc_reuse *reuse, uint64_t piece, bool stores, double weight,
                        struct smc_reuse_counts *counts)
{
    const unsigned reuse_class = see_piece(reuse, piece + 1, stores, weight, counts);
    counts->of_class[reuse_class] += weight;
    return reuse_class == 0 || smc_reuse_distance(reuse_class) >= FAR ? fmax(0, weight - 1) : 0;
}

bool smc_reuse_page(struct smc_reuse *reuse, uint64_t piece)
{
    enum { BLOCK_BITS = 20 };
    const uint64_t page = (piece / SMC_REUSE_PAGE_PIECES << BLOCK_BITS | reuse->block) + 1;
    uint64_t *seen = &reuse->page[smc_hash_slot(page, SMC_REUSE_PAGE_BITS)];
    const bool is_new = *seen != page;
    *seen = page;
    return is_new;
}

/* --- What entries of traces stand for --------------------------------------------------------- */

static bool is_instruction(const struct smc_warp_trace_entry *entry)
{
    return entry->step < SMC_WARP_TRACE_SKIP;
}

/* Where the last quarter of a loop's entries [from, to) begins: with an iteration. */
static size_t last_quarter(const struct smc_warp_trace_entry *entry, size_t from, size_t to)
{
    enum { PARTS = 4 };
    size_t last = to;
    while (last > from && !is_instruction(&entry[last - 1]))
        last--;
    for (size_t i = last; i > from + 1; i--)
        if (entry[i - 2].step == entry[last - 1].step && PARTS * (to - i + 1) >= to - from)
            return i - 1;
    return from;
}

void smc_reuse_weigh(const struct smc_warp_trace *trace, float *weight)
{
    size_t mark[SMC_WARP_TRACE_DEPTH + 1] = {0};
    for (size_t i = 0; i < trace->count; i++) {
        const struct smc_warp_trace_entry *entry = &trace->entry[i];
        weight[i] = is_instruction(entry);
        if (entry->step == SMC_WARP_TRACE_LOOP)
            mark[entry->line] = i + 1;
        if (entry->step != SMC_WARP_TRACE_SKIP)
            continue;
        const struct smc_warp_trace_skip *skip = &trace->skip[entry->line];
        const size_t from = last_quarter(trace->entry, mark[skip->depth], i);
        double sum = 0;
        for (size_t k = from; k < i; k++)
            sum += weight[k];
        for (size_t k = from; k < i && sum > 0; k++)
            weight[k] *= (float)(1 + (double)skip->executed / sum);
    }
}

/* Whether clearly fewer lanes execute entries [from, to) than those before them. */
static bool lanes_have_left(const struct smc_warp_trace_entry *entry, size_t first, size_t from,
                            size_t to)
{
    static const double clearly = 0.75;
    double lanes[2] = {0}, count[2] = {0};
    for (size_t i = first; i < to; i++) {
        lanes[i >= from] += is_instruction(&entry[i]) ? entry[i].active_lanes : 0;
        count[i >= from] += is_instruction(&entry[i]);
    }
    return lanes[1] * count[0] < clearly * lanes[0] * count[1];
}

void smc_reuse_find_late(const struct smc_warp_trace *trace, uint16_t *late)
{
    size_t mark[SMC_WARP_TRACE_DEPTH + 1] = {0};
    for (size_t i = 0; i < trace->count; i++) {
        const struct smc_warp_trace_entry *entry = &trace->entry[i];
        late[i] = 0;
        if (entry->step == SMC_WARP_TRACE_LOOP)
            mark[entry->line] = i + 1;
        if (entry->step != SMC_WARP_TRACE_SKIP)
            continue;
        const struct smc_warp_trace_skip *skip = &trace->skip[entry->line];
        const size_t first = mark[skip->depth];
        size_t from = last_quarter(trace->entry, first, i);
        while (from < i && !is_instruction(&trace->entry[from]))
            from++;
        if (from > first && from < i && skip->depth < SMC_WARP_TRACE_DEPTH &&
            (skip->rounds || lanes_have_left(trace->entry, first, from, i)))
            late[from] |= (uint16_t)(1u << skip->depth);
    }
}
