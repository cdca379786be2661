/* Which loads of shared memory ptxas has joined. It joins neighboring loads of a thread, at
   constant offsets from one register, into loads of 8 or 16 bytes if it can prove the alignment.
   The PTX does not show that alignment, but the machine code shows the number of loads of each
   width. So the possible widths of each register are tried until the number of loads matches the
   machine code. If no combination matches, or several do, the result is unknown. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "machine/emulator/emulator_steps.h"

enum { WIDTHS = SMC_EMULATOR_WIDTHS, WIDEST = 16, MOST_GROUPS = 48 };
enum { MOST_TRIES = 1 << 20 }; /* limit of the search, in widths of a group */

/* Loads from one register, sorted by offset, in one run of ops without a branch or a barrier. */
struct load_group {
    uint32_t base, guard;
    bool guard_negated;
    uint8_t bytes;
    struct smc_op **op;
    size_t count;
};

struct join_search {
    struct load_group *group;
    size_t groups;
    const uint64_t *wanted; /* loads of each width in the machine code */
    uint64_t count[WIDTHS];
    unsigned widest[MOST_GROUPS], found[MOST_GROUPS];
    unsigned solutions, tries;
};

static bool is_shared_load(const struct smc_op *op)
{
    return op->step == smc_step_load && op->space == SMC_SPACE_SHARED;
}

/* --- Groups ----------------------------------------------------------------------------------- */

/* Whether the op writes the register, so that later loads have another address. */
static bool joins_writes(const struct smc_op *op, uint32_t slot)
{
    if (op->d_kind != SMC_SLOT_NONE && op->d == slot)
        return true;
    for (unsigned i = 0; i < op->vector; i++)
        if (op->step == smc_step_load && op->v[i] == slot)
            return true;
    return false;
}

static bool ends_run(const struct smc_op *op)
{
    return op->step && op->step != smc_step_load;
}

static int by_offset(const void *a, const void *b)
{
    const struct smc_op *const *left = a, *const *right = b;
    uint64_t x = (*left)->immediate, y = (*right)->immediate;
    return (int32_t)(uint32_t)x < (int32_t)(uint32_t)y   ? -1
           : (int32_t)(uint32_t)x > (int32_t)(uint32_t)y ? 1
                                                         : 0;
}

static struct load_group *group_for(struct join_search *search, const struct smc_op *op,
                                    size_t first)
{
    uint8_t bytes = (uint8_t)(op->width_bytes * op->vector);
    for (size_t i = first; i < search->groups; i++) {
        struct load_group *group = &search->group[i];
        if (group->base == op->a && group->bytes == bytes && group->guard == op->guard &&
            group->guard_negated == op->guard_negated)
            return group;
    }
    return NULL;
}

/* Returns false if there are too many groups to search, or if out of memory. */
static bool add_load(struct join_search *search, struct smc_op *op, size_t first, size_t most)
{
    struct load_group *group = group_for(search, op, first);
    if (!group) {
        if (search->groups == MOST_GROUPS)
            return false;
        group = &search->group[search->groups];
        *group = (struct load_group){
            op->a, op->guard, op->guard_negated, (uint8_t)(op->width_bytes * op->vector), NULL, 0};
        group->op = smc_calloc(most, sizeof(struct smc_op *));
        if (!group->op)
            return false;
        search->groups++;
    }
    group->op[group->count++] = op;
    return true;
}

/* The number of branches to each op; NULL if out of memory. */
static uint32_t *joins_find_targets(const struct smc_program *program)
{
    uint32_t *leads = smc_calloc(program->ops, sizeof *leads);
    for (size_t i = 0; leads && i < program->ops; i++) {
        const struct smc_op *op = &program->op[i];
        if (op->step == smc_step_branch)
            leads[op->target]++;
        for (uint32_t k = 0; k < op->target_count; k++)
            leads[op->targets[k]]++;
    }
    return leads;
}

/* Whether this is a forward branch over only arithmetic and loads from other spaces. ptxas turns
   these ops into guarded instructions, so the run continues across them. */
static bool is_skip(const struct smc_program *program, const uint32_t *leads, size_t at)
{
    const struct smc_op *op = &program->op[at];
    if (op->step != smc_step_branch || op->target <= at)
        return false;
    for (size_t i = at + 1; i < op->target; i++)
        if (leads[i] || ends_run(&program->op[i]) || is_shared_load(&program->op[i]))
            return false;
    return true;
}

/* Such skips do not end a run, and their target does not begin one if nothing else branches to
   it. */
static void forget_skips(const struct smc_program *program, uint32_t *leads, uint8_t *skips)
{
    for (size_t i = 0; i < program->ops; i++)
        skips[i] = is_skip(program, leads, i);
    for (size_t i = 0; i < program->ops; i++)
        if (skips[i])
            leads[program->op[i].target]--;
}

static bool joins_find_groups(struct smc_program *program, const uint32_t *leads,
                              const uint8_t *skips, struct join_search *search)
{
    size_t first = 0, loads = 0; /* groups before `first` belong to earlier runs */
    for (size_t i = 0; i < program->ops; i++)
        loads += is_shared_load(&program->op[i]);
    for (size_t i = 0; i < program->ops; i++) {
        struct smc_op *op = &program->op[i];
        if (leads[i])
            first = search->groups;
        if (is_shared_load(op) && !add_load(search, op, first, loads))
            return false;
        if (ends_run(op) && !skips[i])
            first = search->groups;
        for (size_t g = first; g < search->groups; g++)
            if (joins_writes(op, search->group[g].base))
                search->group[g].base = SMC_NO_SLOT; /* closed */
    }
    for (size_t g = 0; g < search->groups; g++)
        qsort(search->group[g].op, search->group[g].count, sizeof(struct smc_op *), by_offset);
    return true;
}

/* --- Joining ---------------------------------------------------------------------------------- */

/* How many loads from `at` on can be joined into one of `bytes`; 0 if they cannot. */
static size_t chunk_at(const struct load_group *group, size_t at, uint32_t bytes)
{
    size_t each = bytes / group->bytes;
    uint64_t offset = group->op[at]->immediate;
    if (offset % bytes != 0 || at + each > group->count)
        return 0;
    for (size_t i = 1; i < each; i++)
        if (group->op[at + i]->immediate != offset + i * group->bytes)
            return 0;
    return each;
}

/* Joins the loads of a group into loads of at most `widest` bytes. Counts them, and with `apply`
   sets the ops. */
static void join_group(const struct load_group *group, unsigned widest, bool apply,
                       uint64_t count[WIDTHS])
{
    for (size_t at = 0; at < group->count;) {
        uint32_t bytes = widest > group->bytes ? widest : group->bytes;
        size_t taken = 0;
        while (!(taken = chunk_at(group, at, bytes)) && bytes > group->bytes)
            bytes /= 2;
        taken = taken ? taken : 1;
        count[__builtin_ctz(bytes)]++;
        for (size_t i = 0; apply && i < taken; i++)
            group->op[at + i]->machine_bytes = i == 0 ? (uint8_t)bytes : 0;
        at += taken;
    }
}

static bool exceeds(const struct join_search *search)
{
    for (unsigned i = 0; i < WIDTHS; i++)
        if (search->count[i] > search->wanted[i])
            return true;
    return false;
}

static void search_from(struct join_search *search, size_t at)
{
    if (search->solutions > 1 || exceeds(search))
        return;
    if (search->tries++ == MOST_TRIES)
        search->solutions = 2;
    if (at == search->groups) {
        if (memcmp(search->count, search->wanted, sizeof search->count) == 0 &&
            search->solutions++ == 0)
            memcpy(search->found, search->widest, sizeof search->found);
        return;
    }
    const struct load_group *group = &search->group[at];
    uint64_t before[WIDTHS], last[WIDTHS] = {0};
    memcpy(before, search->count, sizeof before);
    for (unsigned widest = group->bytes; widest <= WIDEST; widest *= 2) {
        uint64_t now[WIDTHS] = {0};
        join_group(group, widest, false, now);
        if (memcmp(now, last, sizeof now) == 0)
            continue; /* no further loads to join */
        memcpy(last, now, sizeof last);
        for (unsigned i = 0; i < WIDTHS; i++)
            search->count[i] = before[i] + now[i];
        search->widest[at] = widest;
        search_from(search, at + 1);
    }
    memcpy(search->count, before, sizeof before);
}

enum smc_following smc_program_follow(struct smc_program *program,
                                      const uint64_t loads_of_width[SMC_EMULATOR_WIDTHS])
{
    struct load_group groups[MOST_GROUPS];
    struct join_search search = {.group = groups, .wanted = loads_of_width};
    enum smc_following following = SMC_FOLLOWING_UNKNOWN;
    smc_auto_free uint32_t *leads = joins_find_targets(program);
    smc_auto_free uint8_t *skips = smc_calloc(program->ops ? program->ops : 1, 1);
    if (leads && skips) {
        forget_skips(program, leads, skips);
        if (joins_find_groups(program, leads, skips, &search))
            search_from(&search, 0);
    }
    if (search.solutions == 1) {
        uint64_t ignored[WIDTHS] = {0};
        following = SMC_FOLLOWING_SAME;
        for (size_t g = 0; g < search.groups; g++) {
            join_group(&groups[g], search.found[g], true, ignored);
            if (search.found[g] > groups[g].bytes)
                following = SMC_FOLLOWING_JOINED;
        }
    }
    for (size_t g = 0; g < search.groups; g++)
        free(groups[g].op);
    program->follows = following != SMC_FOLLOWING_UNKNOWN;
    return following;
}
