/* Blocks of a grid walk at the same time. */
#include "machine/sass/walk_grid.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/numbers.h"

/* A block that runs, and its place for the next one. */
struct runner {
    struct smc_walk_block *walked;
    struct smc_machine_place *place; /* of its warps */
    struct smc_warp_memory memory;   /* shared and local; what is global is in `others` */
    struct smc_loaded_sectors l1;    /* of SM number n, the one of runner n */
    uint64_t block;
    bool runs;
};

/* What blocks find of the arrays that they access. */
static void hand_over(struct smc_warp_memory *to, const struct smc_warp_memory *from)
{
    to->decides = from->decides;
    to->changed = from->changed;
    to->meets = from->meets;
}

static void start_runner(const struct smc_grid_walk *grid, struct runner *runner, uint64_t block)
{
    const struct smc_machine_launch *launch = grid->launch;
    uint32_t index[3];
    smc_index_to_place(block, launch->grid, index);
    for (uint32_t w = 0; w < grid->warps; w++)
        smc_launch_place(launch, index, w, &runner->place[w]);
    runner->block = block;
    runner->runs = true;
    struct smc_warp_memory *shared = grid->walk->memory;
    runner->memory.start = shared->start;
    runner->memory.ticket = (struct smc_ticket){0};
    runner->memory.returned.first = (size_t)block * grid->warps;
    grid->walk->memory = &runner->memory;
    smc_walk_block_start(grid->walk, runner->walked, runner->place);
    grid->walk->memory = shared;
    shared->start = runner->memory.start;
}

/* Whether the block goes on. */
static bool run_runner(const struct smc_grid_walk *grid, struct runner *runner)
{
    struct smc_walk *walk = grid->walk;
    struct smc_warp_memory *shared = walk->memory;
    hand_over(&runner->memory, shared);
    walk->memory = &runner->memory;
    const bool goes_on = smc_walk_block_turn(walk, runner->walked, NULL);
    if (!goes_on) {
        smc_walk_block_end(walk, runner->walked, NULL);
        grid->ended(grid->context, runner->block, runner->walked);
        smc_warp_memory_end(&runner->memory);
        smc_ticket_join(&shared->ticket, &runner->memory.ticket);
    }
    walk->memory = shared;
    hand_over(shared, &runner->memory);
    return goes_on;
}

static void free_runners(struct runner *runner, uint64_t count)
{
    for (uint64_t i = 0; runner && i < count; i++) {
        smc_walk_block_free(runner[i].walked);
        free(runner[i].place);
        smc_warp_memory_free(&runner[i].l1.kept);
        runner[i].memory.touched = NULL; /* all have the same */
        smc_warp_memory_free(&runner[i].memory);
    }
    free(runner);
}

static struct runner *make_runners(const struct smc_grid_walk *grid, uint64_t count)
{
    const struct smc_machine_launch *launch = grid->launch;
    struct runner *runner = smc_calloc(count, sizeof *runner);
    bool made = runner;
    for (uint64_t i = 0; i < count && made; i++) {
        const struct smc_warp_memory *shared = grid->walk->memory;
        runner[i].walked = smc_walk_block_new(grid->warps);
        runner[i].place = smc_malloc(grid->warps * sizeof *runner[i].place);
        runner[i].memory = (struct smc_warp_memory){.contents = shared->contents,
                                                    .touched = shared->touched,
                                                    .values = shared->values,
                                                    .others = shared->others,
                                                    .sees_others = true,
                                                    .at_once = true,
                                                    .returned.all = grid->returned,
                                                    .l1 = &runner[i % launch->sms].l1};
        runner[i].l1.kept.block = 1;
        runner[i].l1.most_lines = launch->l1_bytes / SMC_LINE_BYTES;
        made = runner[i].walked && runner[i].place;
    }
    if (made)
        return runner;
    free_runners(runner, count);
    return NULL;
}

/* Whether a block that had its turn leaves the walk within what it may take: steps, and lines of
   local memory, if all blocks store to as many. */
static bool is_within(const struct smc_grid_walk *grid, const struct runner *runner, uint64_t count)
{
    enum { MOST_LINES = 1 << 18 };
    return grid->walk->end < SMC_WALK_STUCK && grid->walk->steps <= grid->most_steps &&
           !grid->returned->full && runner->memory.local.lines <= MOST_LINES / count;
}

enum smc_status smc_walk_grid(const struct smc_grid_walk *grid, struct smc_error *error)
{
    const struct smc_machine_launch *launch = grid->launch;
    const uint64_t blocks = grid->blocks;
    const uint64_t most = blocks < launch->resident ? blocks : launch->resident;
    struct smc_walk *walk = grid->walk;
    struct runner *runner = make_runners(grid, most);
    uint64_t next = 0, running = most;
    if (!runner)
        return smc_out_of_memory(error);
    walk->by_turns = true;
    while (next < most)
        start_runner(grid, &runner[next], next), next++;
    bool within = true;
    while (running > 0 && within)
        for (uint64_t i = 0; i < most && within; i++) {
            const bool goes_on = runner[i].runs && run_runner(grid, &runner[i]);
            within = is_within(grid, &runner[i], most);
            if (!runner[i].runs || goes_on)
                continue;
            runner[i].runs = next < blocks;
            if (runner[i].runs)
                start_runner(grid, &runner[i], next++);
            else
                running--;
        }
    walk->by_turns = false;
    free_runners(runner, most);
    return running > 0 ? smc_fail(error, SMC_USAGE, "%s", "blocks that race take too many steps")
                       : SMC_OK;
}
