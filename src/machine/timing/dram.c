/* What a launch loads from DRAM and stores to it. */
#include <math.h>
#include <string.h>

#include "machine/timing/l2.h"
#include "machine/timing/launch_model.h"
#include "machine/timing/panels.h"

/* --- Accesses to arrays ----------------------------------------------------------------------- */

/* What the whole launch accesses for what the sample does. */
struct scale {
    double times;
    double passed;                   /* bytes that pass L2 while a piece passes on the SM */
    double bytes;                    /* of all memory */
    double most_passed;              /* between two accesses: all that the SM's blocks access */
    double loaded_part, stored_part; /* of the arrays that are loaded and stored, all together */
    bool is_exact;                   /* the shares of arrays; not those of blocks that were drawn */
    struct smc_touched all, kept; /* what is accessed; of it, what is in order, and local memory */
    double share, stored_share;   /* of what L2 has lost since the launch before: of arrays that are
                                     not restored, and of what is stored, which goes to DRAM */
    double at_a_time;             /* bytes that the blocks access that run at a time */
};

/* For a piece that passes on each of so many SMs for the first time, how many different ones pass
   L2: fewer than SMs where these access the same at a time. */
static double pieces_at_a_time(const struct model *model, double times, double sms)
{
    double all = 0, different = 0;
    for (size_t i = 0; i < model->arguments->array_count; i++) {
        const struct smc_sm_traffic *traffic = &model->traffic[i];
        const double first = traffic->loads.of_class[0] + traffic->stores.of_class[0];
        const double share =
            first / fmax(smc_reuse_sum(&traffic->loads) + smc_reuse_sum(&traffic->stores), 1);
        const double once = (traffic->loaded + traffic->stored) * times * share;
        all += once;
        different += fmin(once, (double)model->arguments->array[i].bytes / SMC_L2_PIECE_BYTES);
    }
    return all > 0 ? sms * different / all : sms;
}

/* How many pieces an SM's blocks access. As much as that passes between two accesses at most: what
   traces leave out of loops counts as it passes, but is often the same again. */
static double different_pieces(const struct model *model)
{
    double pieces = 0;
    for (size_t i = 0; i < model->arguments->array_count; i++) {
        const struct smc_sm_traffic *traffic = &model->traffic[i];
        pieces += fmin(traffic->loads.of_class[0] + traffic->stores.of_class[0],
                       (double)model->arguments->array[i].bytes / SMC_L2_PIECE_BYTES);
    }
    return pieces;
}

static struct scale find_scale(const struct model *model, bool drawn)
{
    const double sms = smc_busy_sms(model);
    struct scale scale = {.times = (double)model->blocks / model->sample.blocks,
                          .bytes = model->local_bytes,
                          .is_exact = !drawn};
    double loaded = 1, stored = 1;
    for (size_t i = 0; i < model->arguments->array_count; i++) {
        const double bytes = (double)model->arguments->array[i].bytes;
        scale.bytes += bytes;
        loaded += model->traffic[i].loaded > 0 ? bytes : 0;
        stored += model->traffic[i].stored > 0 ? bytes : 0;
    }
    scale.loaded_part = sms * model->work.load_pieces * SMC_L2_PIECE_BYTES / loaded;
    scale.stored_part = sms * model->work.store_pieces * SMC_L2_PIECE_BYTES / stored;
    scale.passed = pieces_at_a_time(model, scale.times, sms) * SMC_L2_PIECE_BYTES;
    scale.most_passed =
        fmin(different_pieces(model) * scale.passed + model->local_bytes, scale.bytes);
    return scale;
}

#define CLEARLY 0.8 /* less than all */

/* As much of an array as was asked for, and `most` at most, which is all of it unless that is
   clearly less. */
static double part_of(double bytes, double asked, double most)
{
    return asked <= 0 ? 0 : most < CLEARLY * bytes ? most : bytes;
}

/* A block's atomics, which alone change the array, fill most of the pages that they are in, as at
   the maximum of each window of rows: DRAM gives and takes them in order. 18.5 million sectors in
   411 MB take 0.44 ms with 0.5 GB of loads, all of which would take DRAM 0.49 ms in no order (H200,
   CUDA 13.0, driver 580.159.04, 2026-11-30). */
static bool atomics_fill_pages(const struct smc_sm_traffic *traffic)
{
    enum { FAR_APART = 4 };
    return traffic->stored > 0 && traffic->stored_bytes <= 0 && traffic->loaded <= 0 &&
           traffic->pages * SMC_REUSE_PAGE_PIECES <= FAR_APART * traffic->stored;
}

/* Half of what is accessed of the array is at places in no order. */
static bool array_is_scattered(const struct smc_sm_traffic *traffic)
{
    return 2 * (traffic->loaded_scattered + traffic->stored_scattered) >
               traffic->loaded + traffic->stored &&
           !atomics_fill_pages(traffic);
}

/* Warps load from all over the array, as rows that indices in memory name: most of their places are
   at no distance from one another at which others were, and a block's are far apart. */
static bool array_is_gathered(const struct model *model, size_t i)
{
    enum { FAR_APART = 4 };
    const struct smc_sm_traffic *traffic = &model->traffic[i];
    return 2 * traffic->loaded_astray > traffic->loaded + traffic->stored &&
           traffic->block_span * model->sample.blocks >
               FAR_APART * traffic->loaded * SMC_L2_PIECE_BYTES;
}

static bool is_in_no_order(const struct model *model, size_t i)
{
    return array_is_scattered(&model->traffic[i]) || array_is_gathered(model, i);
}

/* The bytes that pass L2 until a place is accessed again. */
static double passed_between(const struct scale *scale, unsigned reuse_class)
{
    return fmin(smc_reuse_distance(reuse_class) * scale->passed, scale->most_passed);
}

/* The share of accesses to places that L2 has had before, and keeps of any order. */
static double share_again(const struct smc_reuse_counts *counts, const struct scale *scale,
                          double kept)
{
    double again = 0;
    for (unsigned i = 1; i < SMC_REUSE_CLASSES; i++)
        if (passed_between(scale, i) <= kept)
            again += counts->of_class[i];
    return again / fmax(smc_reuse_sum(counts), 1);
}

/* The share of accesses to places that are counted already: those that this SM accessed before, or
   that requests share, as in rows that begin anywhere; of one SM both are the same. */
static double share_known(const struct smc_reuse_counts *counts, double shared,
                          const struct scale *scale, double kept)
{
    return fmin(1, fmax(shared, share_again(counts, scale, kept)));
}

/* As much of array `i` as all blocks load or store, if they do so at places all over it: the more
   places the blocks of the sample have in common, the fewer there are. Of planes through the middle
   of a volume, 2000 blocks access 61 % of the volume's pieces, and by twelve of them it is 62 %. */
static double bytes_of_blocks(const struct model *model, size_t i,
                              const struct smc_reuse_counts *counts, const struct scale *scale)
{
    const double bytes = (double)model->arguments->array[i].bytes;
    const double sampled = model->sample.blocks;
    if (!scale->is_exact || counts->of_blocks <= 0 || !array_is_scattered(&model->traffic[i]) ||
        2 * model->traffic[i].span < bytes)
        return bytes;
    const double panels = smc_panels_of(counts->different / counts->of_blocks * sampled, sampled);
    return fmin(bytes, panels * counts->of_blocks / sampled * SMC_L2_PIECE_BYTES);
}

/* What array `i` is accessed for in the whole launch. */
static struct smc_touched touched_of(const struct model *model, size_t i, const struct scale *scale)
{
    const struct smc_sm_traffic *traffic = &model->traffic[i];
    double bytes = (double)model->arguments->array[i].bytes;
    struct smc_touched touched = {.asked_read = traffic->loaded * scale->times * SMC_L2_PIECE_BYTES,
                                  .asked_written =
                                      traffic->stored * scale->times * SMC_L2_PIECE_BYTES};
    double most_read = scale->is_exact ? touched.asked_read : bytes * scale->loaded_part;
    double most_written = scale->is_exact ? touched.asked_written : bytes * scale->stored_part;
    const double kept = SMC_L2_KEEPS_SCATTERED_STORES * (double)model->launch->device->l2_bytes;
    most_read *= 1 - share_known(&traffic->loads, traffic->loaded_shared / fmax(traffic->loaded, 1),
                                 scale, kept);
    most_written *= 1 - share_known(&traffic->stores,
                                    traffic->stored_shared / fmax(traffic->stored, 1), scale, kept);
    touched.read =
        part_of(bytes_of_blocks(model, i, &traffic->loads, scale), touched.asked_read, most_read);
    touched.written = part_of(bytes_of_blocks(model, i, &traffic->stores, scale),
                              touched.asked_written, most_written);
    touched.both = fmax(touched.read, touched.written);
    touched.copied = model->launch->restored && traffic->stored > 0 ? bytes : 0;
    touched.beside = touched.copied > 0 ? fmax(bytes - touched.both, 0) : 0;
    const double sectors = fmin(fmin(most_written, touched.written),
                                traffic->stored_sectors * scale->times * SMC_SECTOR_BYTES);
    if (traffic->loaded <= 0 && traffic->stored_bytes * scale->times < CLEARLY * sectors)
        touched.filled = sectors;
    return touched;
}

/* How often each byte of an array is accessed in a launch. */
static double repeats_of(const struct smc_touched *touched)
{
    return (touched->asked_read + touched->asked_written) / fmax(touched->both, 1);
}

/* The share of what is accessed of an array that the blocks access that run at a time: a part of
   each row. Of two halves of a grid that gather 24 rows of 512 bytes for each one of 131072, each
   reads half of every row: 295 MB come from DRAM, where 700 would if 67 MB were accessed at a time,
   of 1.67 GB that L2 is asked for (dram__bytes_read, H200, CUDA 13.0, driver 580.159.04,
   2026-11-30).
 */
static double part_at_a_time(const struct model *model, size_t i)
{
    return model->part[i] > 0 ? model->part[i] : 1;
}

/* The bytes that pass through L2 between two accesses to the same place of an array, by all blocks
   or by those that run at a time. */
static double bytes_between(const struct model *model, const struct smc_touched *touched,
                            const struct scale *scale, bool at_a_time)
{
    double bytes = 0, repeats = repeats_of(touched);
    for (size_t i = 0; i < model->arguments->array_count; i++) {
        const struct smc_touched other = touched_of(model, i, scale);
        bytes += other.both * (at_a_time ? part_at_a_time(model, i) : 1) *
                 fmin(1, repeats_of(&other) / fmax(repeats, 1e-9));
    }
    return fmax(bytes, 1);
}

/* The share of what is accessed of an array in which the blocks that run at a time access it. */
static double share_at_a_time(const struct model *model, size_t i,
                              const struct smc_touched *touched)
{
    const struct smc_sm_traffic *traffic = &model->traffic[i];
    const uint64_t started = model->sms * (uint64_t)model->launch->blocks_per_sm;
    const double blocks = (double)(model->blocks < started ? model->blocks : started);
    const double bytes = model->traces.scattered ? traffic->block_span * blocks : traffic->span;
    return fmin(1, bytes / fmax(touched->both, 1));
}

/* The share of accesses at places in no order to those that this SM accessed so shortly before that
   L2 has them yet. All SMs access as much meanwhile, each at any of so many bytes. */
static double share_soon(const struct model *model, const struct smc_reuse_counts *counts,
                         double bytes, double kept)
{
    double soon = 0;
    for (unsigned i = 1; i < SMC_REUSE_CLASSES; i++) {
        const double passed = smc_reuse_distance(i) * smc_busy_sms(model) * SMC_L2_PIECE_BYTES;
        if (-bytes * expm1(-passed / bytes) <= kept)
            soon += counts->of_class[i];
    }
    return soon / fmax(smc_reuse_sum(counts), 1);
}

/* The share of accesses at any of so many bytes to those that L2, which keeps some of them, has
   lost. */
static double share_lost(const struct model *model, const struct smc_reuse_counts *counts,
                         double bytes, double kept)
{
    return fmax(0, 1 - kept / bytes) * (1 - share_soon(model, counts, bytes, kept));
}

/* The different bytes that pass L2 from a launch to the next one: what it accesses, and all of the
   arrays that are restored, with the copies that these come from. */
static double passed_between_launches(const struct model *model, const struct smc_touched *all)
{
    return all->both + all->copied + all->beside + model->local_bytes;
}

/* The share of array `i` that comes from DRAM once in each launch. Arrays are restored one after
   the other. */
static double share_once(const struct model *model, size_t i, const struct scale *scale)
{
    double later = 0;
    if (!model->launch->restored || model->traffic[i].stored <= 0)
        return scale->share;
    for (size_t k = i + 1; k < model->arguments->array_count; k++)
        later += model->traffic[k].stored > 0 ? (double)model->arguments->array[k].bytes : 0;
    const double most = passed_between_launches(model, &scale->all);
    const double first = 2 * (later + (double)model->arguments->array[i].bytes);
    const double last = 2 * later + scale->all.both + model->local_bytes;
    return smc_l2_share_of_copied(fmin(first, most), fmin(last, most),
                                  (double)model->launch->device->l2_bytes);
}

/* The number of arrays that are loaded plus that of arrays that are stored; at least 1. */
static double streams_of(const struct model *model)
{
    double streams = 0;
    for (size_t i = 0; i < model->arguments->array_count; i++)
        streams += (model->traffic[i].loaded > 0) + (model->traffic[i].stored > 0);
    return fmax(streams, 1);
}

/* Bytes that DRAM gives and takes in order. It is slower only where it does both: 4.47 TB/s for
   loads, 4.7 for stores, 4.24 for copies (268 MB); and the slower, the more arrays there are: 4.13
   from one array to another, 4.08, 4.06, 3.95, 3.87 and 3.73 from 2, 4, 8, 16 and 32 to as many,
   4.35 from 8 to one, 4.2 from 16 to 4 (512 MiB; H200, CUDA 13.0, driver 580.159.04, 2026-11-30).
 */
static void add_moved(struct model *model, double read, double written)
{
    static const double for_each_doubling = 0.45;
    const double turns = 1 + for_each_doubling * log2(streams_of(model));
    model->time->dram_bytes += read + written;
    model->dram_clocks += (read + written) * model->rates.dram_byte_clocks +
                          fmin(read, written) * model->rates.dram_turn_clocks * turns;
}

/* How long L2 takes for stores to pieces that it lacks: 4 million stores of words all over 24 to
   512 MiB take 54 to 258 us (H200, CUDA 13.0, driver 580.159.04, 2026-11-30). */
static void set_fills(struct smc_sm_dram *dram)
{
    static const double scattered_stores = 8;
    dram->store_fills = dram->scattered ? scattered_stores * dram->store_share : 0;
}

/* L2 keeps a part of all bytes that are accessed between two accesses to a place; where it keeps
   what the blocks access that run at a time, each place comes once, and from places near each
   other: windows of 64 KiB to 16 MiB in 256 MiB take no longer than what L2 and DRAM take in order
   (H200, CUDA 13.0, driver 580.159.04, 2026-11-29). What is accessed first comes from DRAM as far
   as L2 has lost it, however little passes: 261,120 lanes that each load, store or add to ten
   floats of a row of their own, of 251 MB, take 20.5, 79 and 58 us after the array was copied, and
   13.3, 47 and 55 after another launch of the same (2026-11-30). Atomics were not measured. */
static void set_scattered(struct model *model, size_t i, const struct scale *scale)
{
    enum { OFTEN = 2 };
    const double share = share_once(model, i, scale);
    const struct smc_touched touched = touched_of(model, i, scale);
    const struct smc_rates *rates = &model->rates;
    const double l2_bytes = (double)model->launch->device->l2_bytes;
    const double all = bytes_between(model, &touched, scale, false);
    const double bytes = bytes_between(model, &touched, scale, true);
    const double near_bytes = bytes * share_at_a_time(model, i, &touched);
    const double kept_loads = SMC_L2_KEEPS_SCATTERED_LOADS * l2_bytes;
    const double kept_stores = SMC_L2_KEEPS_SCATTERED_STORES * l2_bytes;
    const double kept_filled =
        repeats_of(&touched) < OFTEN ? kept_stores : SMC_L2_KEEPS_FILLED * l2_bytes;
    const bool near = near_bytes <= (touched.asked_written > 0 ? kept_stores : kept_loads);
    struct smc_sm_dram *dram = &model->dram[i];
    const struct smc_sm_traffic *traffic = &model->traffic[i];
    *dram = (struct smc_sm_dram){
        .load_share = share_lost(model, &traffic->loads, near ? all : bytes, kept_loads),
        .store_share = share_lost(model, &traffic->stores, near ? all : bytes, kept_filled),
        .scattered = !near && array_is_scattered(traffic),
        .in_no_order = true};
    const double first_loads = share * touched.read / fmax(touched.asked_read, 1);
    const double first_stores = share * touched.written / fmax(touched.asked_written, 1);
    if (near)
        dram->store_share = fmin(dram->store_share, first_stores);
    dram->fill_share = dram->store_share;
    dram->load_share =
        near ? fmin(dram->load_share, first_loads) : fmax(dram->load_share, first_loads);
    if (!near && traffic->stored_bytes > 0)
        dram->store_share = fmax(dram->store_share, first_stores);
    const double loads = dram->load_share * touched.asked_read;
    const double stores = dram->store_share * touched.asked_written;
    if (!dram->scattered) {
        add_moved(model, loads + stores, stores);
        return;
    }
    model->time->dram_bytes += loads + 2 * stores;
    model->dram_clocks +=
        (loads * rates->dram_scattered_load_clocks + stores * rates->dram_scattered_store_clocks) /
        SMC_L2_PIECE_BYTES / smc_busy_sms(model);
}

/* After a flush everything that is loaded comes from DRAM, and each line that enters L2 makes one
   of those that the flush stored go there. */
static void set_cold(struct model *model, const struct smc_touched *all, double l2_bytes)
{
    const double asked = fmax(all->asked_read, 1), bytes = all->read + all->written;
    for (size_t i = 0; i < model->arguments->array_count; i++)
        model->dram[i] = (struct smc_sm_dram){.load_share = fmin(1, all->read / asked)};
    add_moved(model, all->read, bytes < l2_bytes ? bytes : fmax(all->written, l2_bytes));
}

/* Local memory that L2 does not hold. Warps access theirs again and again, in no common order, so
   that L2 keeps what it keeps of places at random: spills of 55 to 92 MB take 0.35 to 0.56 of the
   time in which all of them would come from DRAM (H200, driver 580.159.04, 2026-11-29). What a warp
   accesses again at once L2 has: of arrays of 2.2 GB that are written byte by byte, 2.2 GB go to
   DRAM, not 8.9 (likewise, 2026-11-30). */
static void set_local(struct model *model, double l2_bytes)
{
    const size_t local = model->arguments->array_count + 1;
    if (model->local_bytes <= 0)
        return;
    struct smc_sm_dram *dram = &model->dram[local];
    dram->in_no_order = array_is_scattered(&model->traffic[local]);
    dram->scattered = array_is_scattered(&model->traffic[local]);
    const struct smc_sm_traffic *traffic = &model->traffic[local];
    const struct scale scale = {.passed = smc_busy_sms(model) * SMC_L2_PIECE_BYTES,
                                .most_passed = model->local_bytes};
    const double kept_loads = SMC_L2_KEEPS_SCATTERED_LOADS * l2_bytes;
    const double kept_stores = SMC_L2_KEEPS_SCATTERED_STORES * l2_bytes;
    dram->load_share = fmax(0, 1 - kept_loads / model->local_bytes) *
                       (1 - share_again(&traffic->loads, &scale, kept_loads));
    dram->store_share = fmax(0, 1 - kept_stores / model->local_bytes) *
                        (1 - share_again(&traffic->stores, &scale, kept_stores));
    const double pieces = model->work.local_pieces / fmax(traffic->loaded + traffic->stored, 1);
    const double loads = dram->load_share * traffic->loaded * pieces;
    const double stores = dram->store_share * traffic->stored * pieces;
    const double bytes = smc_busy_sms(model) * SMC_L2_PIECE_BYTES;
    if (!dram->scattered) {
        add_moved(model, loads * bytes, stores * bytes);
        return;
    }
    model->time->dram_bytes += (loads + stores) * bytes;
    model->dram_clocks += loads * model->rates.dram_scattered_load_clocks +
                          stores * model->rates.dram_scattered_store_clocks;
}

/* How often a place comes from or goes to DRAM again, for each one that is accessed first: where
   more than what L2 keeps has passed since it was accessed. */
static double moved_again(const struct smc_reuse_counts *counts, const struct scale *scale,
                          const struct smc_touched *kept, double l2_bytes)
{
    double again = 0;
    for (unsigned i = 2; i < SMC_REUSE_CLASSES; i++)
        if (counts->of_class[i] > 0)
            again += counts->of_class[i] *
                     smc_l2_share_of_dram(kept, passed_between(scale, i), l2_bytes);
    return counts->of_class[0] > 0 ? again / counts->of_class[0] : 0;
}

/* Whether the blocks that reside on an SM and those between them in the grid have parts of array
   `i` to themselves: their loads fill all that lies between the first and the last. Then what is
   loaded more than once is not loaded at about the same time. Not of all such blocks: where passes
   of the grid meet, some are at the end of the array and others at its beginning. */
static bool blocks_have_parts(const struct model *model, size_t i)
{
    const double most_of = 0.9;
    const struct smc_sm_traffic *traffic = &model->traffic[i];
    const double resident = fmin(model->sample.blocks, model->launch->blocks_per_sm);
    const double blocks = (resident - 1) * (double)model->sms + 1;
    const double loaded = traffic->loads.of_class[0] * SMC_L2_PIECE_BYTES / model->sample.blocks;
    return !model->traces.scattered && resident > 1 &&
           traffic->least_span >= most_of * blocks * loaded &&
           traffic->least_span * most_of <= blocks * loaded;
}

/* The bytes of array `i` that come from DRAM again where other blocks load them long after the
   first ones: in passes of the grid over an array. */
static double loaded_by_others(const struct model *model, size_t i, const struct scale *scale,
                               const struct smc_touched *kept)
{
    const struct smc_touched touched = touched_of(model, i, scale);
    const struct smc_reuse_counts *loads = &model->traffic[i].loads;
    const double firsts = loads->of_class[0] / fmax(smc_reuse_sum(loads), 1) * touched.asked_read;
    if (firsts <= touched.read || !blocks_have_parts(model, i))
        return 0;
    return (firsts - touched.read) *
           smc_l2_share_of_dram(kept, bytes_between(model, &touched, scale, false),
                                (double)model->launch->device->l2_bytes);
}

/* The bytes of an array that the blocks access that run at a time; 0: not known. Each SM's blocks
   of the sample access some places for the first time; other blocks access these, too, if all of
   them lie closer together, as where one loads in its second turn what another did in its first: of
   16 rows that blocks load from each of 256 rows on, 285 MB come from DRAM, which are once all of
   them (dram__bytes_read, H200, CUDA 13.0, driver 580.159.04, 2026-12-01). */
static double bytes_at_a_time(const struct model *model, size_t i, const struct scale *scale)
{
    const struct smc_sm_traffic *traffic = &model->traffic[i];
    const double first =
        (traffic->loads.of_class[0] + traffic->stores.of_class[0]) * SMC_L2_PIECE_BYTES;
    const double all = first / model->sample.blocks * model->panels[i].different;
    const double span = model->sample.is_whole && model->panels[i].span > 0
                            ? model->panels[i].span + traffic->block_span
                            : INFINITY;
    return fmin(fmin(all, span), touched_of(model, i, scale).both);
}

/* How often each byte of an array comes from DRAM again since blocks read it that run later than
   those that read it before: panels of matrices. `passed`: bytes between. */
static double moved_for_others(const struct model *model, size_t i, const struct scale *scale,
                               double passed, double read)
{
    const double run = (double)(model->sms * model->launch->blocks_per_sm);
    const double times = (double)model->blocks / run * bytes_at_a_time(model, i, scale);
    if (read <= 0 || model->panels[i].different <= 0)
        return 0;
    return fmax(0, times / read - 1) *
           smc_l2_share_of_shared(passed, (double)model->launch->device->l2_bytes);
}

/* Sets what goes to DRAM of array `i`, which is accessed in order, and adds what is moved: each
   place once, as far as L2 has lost it since the launch before, and again in passes that are too
   far apart for L2. */
static void set_ordered(struct model *model, size_t i, const struct scale *scale,
                        struct smc_touched *moved)
{
    const double l2_bytes = (double)model->launch->device->l2_bytes;
    const struct smc_sm_traffic *traffic = &model->traffic[i];
    const struct smc_touched touched = touched_of(model, i, scale);
    const double once_share = share_once(model, i, scale), once = once_share * touched.read;
    const double loads = moved_again(&traffic->loads, scale, &scale->kept, l2_bytes);
    const double stores = moved_again(&traffic->stores, scale, &scale->kept, l2_bytes);
    const double again = touched.read * loads + loaded_by_others(model, i, scale, &scale->kept);
    const double panels =
        touched.read * moved_for_others(model, i, scale, scale->at_a_time, touched.read);
    const double read = fmin(once + fmax(again, panels), fmax(touched.asked_read, once));
    const double written = fmin(touched.written * (scale->stored_share + stores),
                                fmax(touched.asked_written, scale->stored_share * touched.written));
    const double stored = fmax(touched.asked_written, 1);
    model->dram[i] = (struct smc_sm_dram){
        .store_share = fmin(1, written / stored),
        .fill_share = fmin(1, touched.written * (once_share + stores) / stored)};
    model->dram[i].part_share = touched.filled > 0 ? model->dram[i].fill_share : 0;
    moved->read += read;
    moved->written += written;
    moved->filled += once_share * touched.filled;
}

bool smc_model_needs_dram(const struct model *model)
{
    const struct smc_time_arguments *arguments = model->arguments;
    double bytes = model->local_bytes;
    for (size_t i = 0; i < arguments->array_count; i++)
        bytes += (model->launch->restored ? 2 : 1) * (double)arguments->array[i].bytes;
    return model->launch->cold ||
           bytes > SMC_L2_KEEPS_STORED * (double)model->launch->device->l2_bytes;
}

bool smc_model_exceeds_l2_in_no_order(const struct model *model)
{
    const double kept = SMC_L2_KEEPS_SCATTERED_STORES * (double)model->launch->device->l2_bytes;
    bool any = false;
    for (size_t i = 0; i < model->arguments->array_count; i++)
        any |= (double)model->arguments->array[i].bytes > kept && is_in_no_order(model, i);
    return any;
}

/* Of all arrays, what of them L2 has lost since the launch before. */
static void find_shares(const struct model *model, struct scale *scale)
{
    const double l2_bytes = (double)model->launch->device->l2_bytes;
    scale->kept = (struct smc_touched){.read = model->local_bytes, .written = model->local_bytes};
    for (size_t i = 0; i < model->arguments->array_count; i++) {
        const struct smc_touched touched = touched_of(model, i, scale);
        smc_touched_add(&scale->all, &touched);
        if (!is_in_no_order(model, i))
            smc_touched_add(&scale->kept, &touched);
        scale->at_a_time += bytes_at_a_time(model, i, scale);
    }
    const double both = scale->all.both + model->local_bytes;
    scale->share =
        smc_l2_share_of_dram(&scale->kept, passed_between_launches(model, &scale->all), l2_bytes);
    scale->stored_share =
        fmax(smc_l2_share_of_dram(&scale->kept, both, l2_bytes),
             smc_l2_share_of_stored(fmax(scale->kept.written, scale->all.copied), l2_bytes));
}

/* Arrays that L2 keeps are still there from the launch before; others come from DRAM once, unless
   they are accessed at places in no order. */
void smc_model_find_dram(struct model *model, bool drawn)
{
    struct scale scale = find_scale(model, drawn);
    struct smc_touched moved = {0};
    find_shares(model, &scale);
    if (model->launch->cold) {
        set_cold(model, &scale.all, (double)model->launch->device->l2_bytes);
        return;
    }
    const double ordered = scale.kept.read - model->local_bytes;
    model->sms_share = scale.share > 0 && scale.kept.asked_read > 2 * ordered;
    for (size_t i = 0; i < model->arguments->array_count; i++) {
        if (is_in_no_order(model, i))
            set_scattered(model, i, &scale);
        else
            set_ordered(model, i, &scale, &moved);
    }
    for (size_t i = 0; i < model->arguments->array_count; i++) {
        if (!model->dram[i].in_no_order)
            model->dram[i].load_share = fmin(1, moved.read / fmax(scale.kept.asked_read, 1));
        set_fills(&model->dram[i]);
    }
    set_local(model, (double)model->launch->device->l2_bytes);
    add_moved(model, moved.read + moved.filled, moved.written);
}
