/* How many of the warps that run at a time have their atomics in the same unit of L2, and how long
   they wait for each other there. */
#include "machine/timing/crowds.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "machine/timing/sm_state.h"
#include "rules/banks.h"

enum { TIMES_AS_MANY = 3 /* atomics in each part as in the one before */ };

/* Atomics of a block in a unit of L2: two pieces of a kilobyte. */
struct crowd_access {
    uint64_t unit;
    uint32_t block;
    struct smc_sm_hot_piece piece;
};

struct crowd_accesses {
    struct crowd_access *access;
    size_t count, room;
    double warps;   /* that have any in this part */
    double atomics; /* instructions */
};

static int by_unit_and_block(const void *a, const void *b)
{
    const struct crowd_access *x = a, *y = b;
    if (x->unit != y->unit)
        return x->unit < y->unit ? -1 : 1;
    return x->block < y->block ? -1 : x->block > y->block;
}

/* What an instruction adds in a line. */
static void add_access(struct crowd_accesses *all, const struct smc_crowd_sample *sample,
                       uint32_t block, const struct smc_warp_trace_entry *entry,
                       const struct smc_warp_trace_line *line)
{
    enum { KILOBYTE = 1024 / SMC_LINE_BYTES, SECTORS = SMC_LINE_BYTES / SMC_SECTOR_BYTES };
    struct smc_sm_step step = {0};
    const uint64_t number = smc_sm_atomic_line(sample->array, sample->arrays, line->number);
    const uint64_t in_kilobyte = number % KILOBYTE;
    const uint32_t half = in_kilobyte / SMC_SM_ATOMIC_LINES % SMC_ATOMIC_UNIT_PIECES;
    const uint64_t before = in_kilobyte / SMC_SM_ATOMIC_LINES / SMC_ATOMIC_UNIT_PIECES;
    const uint32_t place =
        (uint32_t)(before * SMC_SM_ATOMIC_LINES + in_kilobyte % SMC_SM_ATOMIC_LINES);
    const double atomics =
        entry->atomics * (double)__builtin_popcount(line->sectors) / fmax(entry->sectors, 1);
    if (all->count == all->room)
        return;
    smc_sm_read_atomic(&sample->program->step[entry->step].in, &step);
    struct crowd_access *access = &all->access[all->count++];
    *access = (struct crowd_access){
        .unit = number / KILOBYTE * SMC_ATOMIC_UNIT_PIECES + half,
        .block = block,
        .piece = {.accesses = atomics,
                  .clocks = atomics * smc_sm_atomic_clocks(sample->rates, &step, entry),
                  .is_float = step.is_float,
                  .together = entry->sectors > 1}};
    smc_sm_count_in_sectors(&access->piece, (uint32_t)line->sectors << SECTORS * place, atomics);
}

/* The atomics of a warp from its number `from` on up to `to`, as far as its trace leaves out none:
   iterations of a loop that has had some since its mark. */
static void add_atomics_of(struct crowd_accesses *all, const struct smc_crowd_sample *sample,
                           uint32_t block, const struct smc_warp_trace *trace, uint32_t from,
                           uint32_t to)
{
    uint32_t number = 0;
    bool in_loop = false;
    const double before = all->atomics;
    for (size_t i = 0; i < trace->count && number < to; i++) {
        const struct smc_warp_trace_entry *entry = &trace->entry[i];
        if (entry->step == SMC_WARP_TRACE_SKIP && in_loop)
            break;
        in_loop &= entry->step != SMC_WARP_TRACE_LOOP;
        if (entry->step >= SMC_WARP_TRACE_SKIP || entry->atomics == 0)
            continue;
        in_loop = true;
        if (number++ < from)
            continue;
        all->atomics++;
        for (uint32_t k = 0; k < entry->lines; k++)
            add_access(all, sample, block, entry, &trace->line[entry->line + k]);
    }
    all->warps += all->atomics > before;
}

/* How long a unit of L2 is busy with the atomics of all blocks that run at a time, the mean over
   atomics: those of other blocks of the sample stand for all others. */
static double crowd_clocks(struct crowd_accesses *all, const struct smc_crowd_sample *sample)
{
    const double others = (sample->running - 1) / (sample->traces->blocks - 1);
    double busy = 0, sum = 0;
    qsort(all->access, all->count, sizeof *all->access, by_unit_and_block);
    for (size_t i = 0, end; i < all->count; i = end) {
        struct smc_sm_hot_piece unit = {0};
        for (end = i; end < all->count && all->access[end].unit == all->access[i].unit; end++)
            smc_sm_join_in_unit(&unit, &all->access[end].piece, 0);
        const double each = smc_sm_clocks_of_atomic(sample->rates, &unit);
        for (size_t k = i, next; k < end; k = next) {
            double own = 0;
            for (next = k; next < end && all->access[next].block == all->access[k].block; next++)
                own += all->access[next].piece.accesses;
            busy += own * each * (own + (unit.accesses - own) * others) * each;
        }
        sum += unit.accesses * each;
    }
    return sum > 0 ? busy / sum : 0;
}

bool smc_crowds_find(const struct smc_crowd_sample *sample, struct smc_crowds *crowds)
{
    enum { MOST = 1 << 17 };
    const struct smc_traces *traces = sample->traces;
    const size_t warps = (size_t)traces->blocks * traces->warps_per_block;
    struct crowd_accesses all = {.access = smc_calloc(MOST, sizeof *all.access), .room = MOST};
    *crowds = (struct smc_crowds){0};
    if (!all.access)
        return false;
    for (uint32_t from = 0, to = 1; crowds->parts < SMC_CROWD_PARTS && traces->blocks > 1;
         from = to, to *= TIMES_AS_MANY) {
        all.count = 0;
        all.warps = all.atomics = 0;
        for (size_t i = 0; i < warps && all.count < all.room; i++)
            add_atomics_of(&all, sample, (uint32_t)(i / traces->warps_per_block),
                           traces->pointer[i], from, to);
        if (all.count == 0 || all.count == all.room)
            break;
        const double each = all.atomics / all.warps / (to - from);
        crowds->clocks[crowds->parts++] = crowd_clocks(&all, sample);
        crowds->seen += all.atomics / (double)warps;
        crowds->last = each;
        if (each < 1)
            break;
    }
    free(all.access);
    return true;
}

/* How many times as long as the part before one takes that was not seen: as the last part is to the
   one before, of which that may be cut off. Three times as long if warps return to the same places.
 */
static double growth(const struct smc_crowds *crowds, uint32_t whole)
{
    enum { KNOWN = 4 };
    const uint32_t last = crowds->parts - 1;
    const double wider = TIMES_AS_MANY * crowds->last, enough = 1.5;
    if (whole < KNOWN || crowds->clocks[last - 1] <= 0 || wider < enough)
        return 1;
    const double times = crowds->clocks[last] / crowds->clocks[last - 1];
    return fmin(fmax(pow(times, log(TIMES_AS_MANY) / log(wider)), 1), TIMES_AS_MANY);
}

double smc_crowds_clocks(const struct smc_crowds *crowds, double atomics, double usual)
{
    const double seen = crowds->seen + 0.5;
    double longer = 0, from = 0, to = 1, clocks = 0;
    uint32_t whole = 0;
    for (double all = 1; whole < crowds->parts && (all <= seen || atomics <= seen);
         all *= TIMES_AS_MANY)
        whole++; /* and the last one if no more follow */
    const double grows = whole > 0 ? growth(crowds, whole) : 1;
    for (uint32_t i = 0; whole > 0 && from < atomics; i++, from = to, to *= TIMES_AS_MANY) {
        const double share = fmin((atomics - from) / (to - from), 1);
        clocks = i < whole ? crowds->clocks[i] : clocks * grows;
        longer += fmax(0, clocks - usual * (to - from) / atomics) * share;
    }
    return longer;
}
