/* Counts from a sample of warps. */
#include "machine/sampling.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum {
    MOST_SAMPLES = 192,
    STEPS_OF_START = 40, /* what it costs to begin a walk */
    LEAST_CLASSES = 3,   /* unless they take so many times the steps that there should be: */
    MOST_EXCESS = 8,
    LEAST_SAMPLES = 16, /* that begin to walk */
    WHOLE_WALKS = 32,   /* if so many fit into the steps, beginnings are not compared */
    DECISIONS = 64,     /* that a warp's beginning has */
    FEATURES = 64       /* parts of the code whose executions are compared */
};

struct sample {
    uint32_t index[3], warp;
    uint32_t feature[FEATURES]; /* instructions executed in the beginning, by part of the code */
    uint32_t distance;          /* to its class */
    uint8_t of_class;
    bool walked; /* to its end */
};

struct sample_class {
    uint32_t members; /* samples */
    uint32_t walked;
    double *executions; /* of those that walked, by step */
    struct smc_memory_counts memory;
};

struct sampling {
    const struct smc_machine_launch *launch;
    struct smc_walk *walk;
    struct smc_warp *warp;
    struct sample sample[MOST_SAMPLES];
    uint32_t samples;
    struct sample_class of_class[MOST_SAMPLES];
    uint32_t classes;
    uint64_t steps, most_steps; /* evaluated */
    uint32_t walks;
};

/* --- Places ----------------------------------------------------------------------------------- */

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Multiples of it, taken modulo `range`, cover the range evenly (it is near the golden section),
   and so do their remainders modulo small numbers: blocks at the edge of a matrix are often every
   third, or every fifth, and warps of a block differ. */
static uint64_t even_step(uint64_t range)
{
    enum { SMALL_PRIMES = 2 * 3 * 5 * 7 * 11 * 13 };
    uint64_t step = (uint64_t)((double)range * 0.61803398875) | 1;
    while (common_divisor(step, SMALL_PRIMES) != 1 || common_divisor(step, range) != 1)
        step += 2;
    return step % range ? step % range : 1;
}

static void choose_places(struct sampling *sampling, uint32_t warps_per_block, uint64_t blocks)
{
    const uint32_t *grid = sampling->launch->grid;
    uint64_t warps = blocks * warps_per_block, step = even_step(warps);
    sampling->samples = warps < MOST_SAMPLES ? (uint32_t)warps : MOST_SAMPLES;
    for (uint32_t i = 0; i < sampling->samples; i++) {
        struct sample *sample = &sampling->sample[i];
        uint64_t number = (warps / 2 + i * step) % warps, block = number / warps_per_block;
        sample->warp = (uint32_t)(number % warps_per_block);
        sample->index[0] = (uint32_t)(block % grid[0]);
        sample->index[1] = (uint32_t)(block / grid[0] % grid[1]);
        sample->index[2] = (uint32_t)(block / grid[0] / grid[1]);
    }
}

/* --- Walks ------------------------------------------------------------------------------------ */

static void walk_sample(struct sampling *sampling, const struct sample *sample, uint32_t decisions)
{
    struct smc_walk *walk = sampling->walk;
    struct smc_machine_place place;
    memset(walk->change, 0, (walk->program->count + (size_t)1) * sizeof *walk->change);
    walk->memory = (struct smc_memory_counts){0};
    walk->most_decisions = decisions;
    walk->follow_addresses = decisions == 0 && sampling->launch->count_memory;
    smc_launch_place(sampling->launch, sample->index, sample->warp, &place);
    smc_walk_warp(walk, &place, sampling->warp);
    walk->most_decisions = 0;
    sampling->walks++;
    sampling->steps += smc_launch_steps(walk) + STEPS_OF_START;
}

static void begin_sample(struct sampling *sampling, struct sample *sample)
{
    const struct smc_walk *walk = sampling->walk;
    uint32_t count = walk->program->count, part = count / FEATURES + 1;
    uint64_t times = 0;
    walk_sample(sampling, sample, DECISIONS);
    for (uint32_t i = 0; i < count; i++) {
        times += walk->change[i];
        sample->feature[i / part] += (uint32_t)times;
    }
}

static void add_memory(struct smc_memory_counts *to, const struct smc_memory_counts *from)
{
    to->shared_loads += from->shared_loads;
    to->shared_load_wavefronts += from->shared_load_wavefronts;
    to->shared_stores += from->shared_stores;
    to->shared_store_wavefronts += from->shared_store_wavefronts;
    to->global_loads += from->global_loads;
    to->global_load_sectors += from->global_load_sectors;
    to->global_stores += from->global_stores;
    to->global_store_sectors += from->global_store_sectors;
    to->copies += from->copies;
    to->copy_sectors += from->copy_sectors;
    to->unknown_addresses += from->unknown_addresses;
}

static void finish_sample(struct sampling *sampling, struct sample *sample)
{
    struct sample_class *of_class = &sampling->of_class[sample->of_class];
    const struct smc_walk *walk = sampling->walk;
    uint64_t times = 0;
    walk_sample(sampling, sample, 0);
    for (uint32_t i = 0; i < walk->program->count; i++) {
        times += walk->change[i];
        of_class->executions[i] += (double)times;
    }
    add_memory(&of_class->memory, &walk->memory);
    of_class->walked++;
    sample->walked = true;
}

/* --- Classes ---------------------------------------------------------------------------------- */

static uint32_t distance(const struct sample *a, const struct sample *b)
{
    uint32_t sum = 0;
    for (int i = 0; i < FEATURES; i++)
        sum += a->feature[i] > b->feature[i] ? a->feature[i] - b->feature[i]
                                             : b->feature[i] - a->feature[i];
    return sum;
}

/* A class whose first member walks; samples that are closer to it than to theirs join it. False:
   memory. */
static bool add_class(struct sampling *sampling, struct sample *first)
{
    uint32_t steps = sampling->walk->program->count;
    struct sample_class *added = &sampling->of_class[sampling->classes];
    added->executions = smc_calloc(steps ? steps : 1, sizeof *added->executions);
    if (!added->executions)
        return false;
    for (uint32_t i = 0; i < sampling->samples; i++) {
        struct sample *sample = &sampling->sample[i];
        uint32_t far = distance(sample, first);
        if (sampling->classes > 0 && (sample->walked || far >= sample->distance))
            continue;
        if (sampling->classes > 0)
            sampling->of_class[sample->of_class].members--;
        sample->of_class = (uint8_t)sampling->classes;
        sample->distance = far;
        added->members++;
    }
    sampling->classes++;
    finish_sample(sampling, first);
    return true;
}

static struct sample *farthest(struct sampling *sampling)
{
    struct sample *found = sampling->sample;
    for (uint32_t i = 1; i < sampling->samples; i++)
        if (sampling->sample[i].distance > found->distance)
            found = &sampling->sample[i];
    return found;
}

/* Finds classes, the most different ones first. False: memory. */
static bool divide(struct sampling *sampling)
{
    uint32_t begun = 0;
    for (; begun < sampling->samples &&
           (begun < LEAST_SAMPLES || sampling->steps < sampling->most_steps / 2);
         begun++)
        begin_sample(sampling, &sampling->sample[begun]);
    sampling->samples = begun;
    while (sampling->classes == 0 ||
           (sampling->classes < LEAST_CLASSES &&
            sampling->steps < MOST_EXCESS * sampling->most_steps) ||
           sampling->steps < sampling->most_steps) {
        struct sample *next =
            sampling->classes ? farthest(sampling) : &sampling->sample[sampling->samples / 2];
        if (sampling->classes > 0 && next->distance == 0)
            break;
        if (!add_class(sampling, next))
            return false;
    }
    return true;
}

/* Walks samples in their order, all of one class. False: memory. */
static bool walk_whole(struct sampling *sampling)
{
    uint32_t samples = sampling->samples;
    if (!add_class(sampling, sampling->sample))
        return false;
    if (sampling->steps * WHOLE_WALKS > sampling->most_steps)
        return true;
    uint32_t i = 1;
    for (; i < samples && sampling->steps < sampling->most_steps; i++)
        finish_sample(sampling, &sampling->sample[i]);
    sampling->samples = sampling->of_class[0].members = i;
    return true;
}

static void forget_classes(struct sampling *sampling)
{
    for (uint32_t i = 0; i < sampling->classes; i++)
        free(sampling->of_class[i].executions);
    memset(sampling->of_class, 0, sizeof sampling->of_class);
    sampling->classes = 0;
    for (uint32_t i = 0; i < sampling->samples; i++)
        sampling->sample[i].walked = false;
}

/* False: memory. */
static bool walk_classes(struct sampling *sampling)
{
    if (!walk_whole(sampling))
        return false;
    if (sampling->of_class[0].walked == sampling->samples)
        return true;
    forget_classes(sampling);
    if (!divide(sampling))
        return false;
    for (uint32_t i = 0; i < sampling->samples && sampling->steps < sampling->most_steps; i++)
        if (!sampling->sample[i].walked)
            finish_sample(sampling, &sampling->sample[i]);
    return true;
}

static void add_up(const struct sampling *sampling, double warps, struct smc_machine_counts *counts)
{
    uint32_t steps = sampling->walk->program->count;
    double per_sample = warps / sampling->samples;
    for (uint32_t step = 0; step < steps; step++) {
        double sum = 0.5;
        for (uint32_t i = 0; i < sampling->classes; i++) {
            const struct sample_class *of_class = &sampling->of_class[i];
            sum += per_sample * of_class->members * of_class->executions[step] / of_class->walked;
        }
        counts->executions[step] = (uint64_t)sum;
    }
    for (uint32_t i = 0; i < sampling->classes; i++) {
        const struct sample_class *of_class = &sampling->of_class[i];
        smc_launch_add_memory(&of_class->memory, per_sample * of_class->members / of_class->walked,
                              counts);
    }
}

bool smc_sampling_count(const struct smc_machine_launch *launch, struct smc_walk *walk,
                        struct smc_warp *warp, uint64_t most_steps,
                        struct smc_machine_counts *counts, uint32_t *walked)
{
    struct sampling *sampling = smc_calloc(1, sizeof *sampling);
    if (!sampling)
        return false;
    uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
    uint32_t warps_per_block = (threads + SMC_LANES - 1) / SMC_LANES;
    uint64_t blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    sampling->launch = launch;
    sampling->walk = walk;
    sampling->warp = warp;
    sampling->most_steps = most_steps;
    choose_places(sampling, warps_per_block, blocks);
    bool done = walk_classes(sampling);
    if (done)
        add_up(sampling, (double)blocks * warps_per_block, counts);
    *walked += sampling->walks;
    forget_classes(sampling);
    free(sampling);
    return done;
}
