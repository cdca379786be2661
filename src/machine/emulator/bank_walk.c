/* Follows the warps of one block through a kernel: see bank_walk.h.

   A branch whose outcome is known is taken as a warp takes it: by all lanes, or by one divergent
   group after the other until they reconverge. Of another branch all paths are followed, and their
   states are joined where they reconverge. If a path returns to the branch, it is a loop: the
   states at the branch are joined, and the paths are followed again until nothing changes; the
   result holds in every iteration. */
#include "machine/emulator/bank_walk.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "machine/emulator/matrix.h"

enum {
    MOST_DEPTH = 200,
    TRUSTED_VISITS = 4,
    BITS_OF_ADDRESS = 18,
    BITS_OF_BANKS = 8,
    HARD_FACTOR = 8,
    STEPS_OF_A_BRANCH = 8, /* whose outcome is unknown */
    CHANGES_OF_A_STEP = 4  /* registers joined in the time of a step */
};

/* A branch of which all paths are being followed. */
struct frame {
    struct smc_lane_mark mark;    /* the state when it was first reached */
    struct smc_lane_changes head; /* at the branch, joined so far */
    bool changed;                 /* a path returned with a new state */
    size_t tallies;               /* that had changed before it */
    uint32_t outer_mark;          /* of the tallies */
};

/* A tally as it was before it changed, since the paths from a branch may be followed again. */
struct tally_change {
    uint32_t instruction, mark;
    struct smc_bank_tally before;
};

struct walker {
    struct smc_bank_walk *walk;
    const struct smc_program *program;
    struct smc_lane_values values;
    struct frame **open; /* by op */
    uint8_t *visits;     /* of branches since the budget was used up */
    uint32_t warp;
    uint32_t depth;
    uint64_t steps, budget;
    uint64_t ended; /* how many times lanes exited */
    struct tally_change *change;
    size_t changes, room;
    uint32_t *changed_at;       /* by instruction: the mark after which its tally changed last */
    uint32_t tally_mark, marks; /* as in struct smc_lane_state */
};

static bool bank_walk_run(struct walker *walker, struct smc_lane_state *state, uint32_t pc,
                          uint32_t stop);

static bool fail(struct walker *walker)
{
    walker->walk->out_of_memory = true;
    return false;
}

static bool stopped(const struct walker *walker)
{
    return walker->walk->out_of_memory || walker->walk->gave_up;
}

/* --- Accesses --------------------------------------------------------------------------------- */

static void bank_walk_refuse(struct smc_bank_tally *tally, const struct smc_known *known)
{
    if (tally->not_followed)
        return;
    tally->not_followed = true;
    tally->cause = known->cause;
    tally->cause_instruction = known->instruction;
}

/* The tally of an instruction, to be changed. */
static struct smc_bank_tally *tally_of(struct walker *walker, uint32_t instruction)
{
    struct smc_bank_tally *tally = &walker->walk->tally[instruction];
    if (walker->changed_at[instruction] >= walker->tally_mark)
        return tally;
    if (walker->changes == walker->room) {
        size_t room = walker->room ? 2 * walker->room : 64;
        struct tally_change *larger = smc_realloc(walker->change, room * sizeof *larger);
        if (!larger) {
            fail(walker);
            return tally;
        }
        walker->change = larger;
        walker->room = room;
    }
    walker->change[walker->changes++] =
        (struct tally_change){instruction, walker->changed_at[instruction], *tally};
    walker->changed_at[instruction] = walker->tally_mark;
    return tally;
}

static void revert_tallies(struct walker *walker, size_t changes)
{
    while (walker->changes > changes) {
        const struct tally_change *change = &walker->change[--walker->changes];
        walker->walk->tally[change->instruction] = change->before;
        walker->changed_at[change->instruction] = change->mark;
    }
}

/* What one execution of an instruction costs: the sum of its accesses, of which a matrix has
   several. */
struct cost {
    struct smc_bank_cost most; /* at the unknown place with the most conflicts */
    uint32_t fewest;           /* conflicts */
    struct smc_access worst;
    uint32_t worst_conflicts;
    bool is_counted, is_refused;
};

static void bank_walk_count(struct walker *walker, struct smc_bank_tally *tally,
                            const struct cost *cost, bool assumed)
{
    uint32_t conflicts = cost->most.wavefronts - cost->most.least;
    if (tally->executions == 0 || cost->fewest < tally->fewest_conflicts)
        tally->fewest_conflicts = cost->fewest;
    if (tally->executions == 0 || conflicts > tally->most_conflicts) {
        tally->most_conflicts = conflicts;
        tally->worst = cost->worst;
        tally->worst_warp = walker->warp;
    }
    tally->executions++;
    tally->wavefronts += cost->most.wavefronts;
    tally->least += cost->most.least;
    tally->assumed |= assumed;
}

static void bank_walk_add_cost(struct smc_bank_cost most, uint32_t fewest,
                               const struct smc_access *worst, struct cost *cost)
{
    uint32_t conflicts = most.wavefronts - most.least;
    if (!cost->is_counted || conflicts > cost->worst_conflicts) {
        cost->worst = *worst;
        cost->worst_conflicts = conflicts;
    }
    cost->is_counted = true;
    cost->most.wavefronts += most.wavefronts;
    cost->most.least += most.least;
    cost->fewest += fewest;
}

/* An instruction that accesses shared memory, as it is executed. */
struct execution {
    const struct smc_op *op;
    struct smc_bank_tally *tally;
    const struct smc_known *known; /* of its address */
    const uint64_t *from;          /* of cp.async: what its lanes read, or NULL */
};

static struct smc_bank_cost cost_of(const struct walker *walker, const struct execution *execution,
                                    const struct smc_access *access)
{
    return smc_banks_count_copy(&walker->walk->request->banks, access, execution->from);
}

static bool is_aligned(const struct smc_access *access)
{
    return smc_access_misaligned(access) == 0;
}

/* Moves the addresses so that the first active lane accesses `first`. */
static void bank_walk_place(const uint64_t address[SMC_LANES], unsigned bits, uint32_t first,
                            struct smc_access *access)
{
    uint64_t base = address[__builtin_ctz(access->mask)];
    unsigned unused = bits < 32 ? 32 - bits : 0;
    EACH_ACTIVE(lane, access->mask) {
        uint32_t apart = (uint32_t)(address[lane] - base) << unused;
        access->address[lane] = first + (uint32_t)((int32_t)apart >> unused);
    }
}

/* Near the array's start, so that it can be named. */
static void place_in_array(uint64_t at, uint32_t unit, struct smc_access *worst)
{
    uint32_t first = (uint32_t)__builtin_ctz(worst->mask);
    uint32_t down = worst->address[first] - (uint32_t)at;
    bool fits = true;
    EACH_ACTIVE(lane, worst->mask)
        fits &= worst->address[lane] >= down;
    if (fits && down % (unit < 128 ? 128 : unit) == worst->address[first] % unit - at % unit)
        EACH_ACTIVE(lane, worst->mask)
            worst->address[lane] -= down;
}

/* The shared term is unknown: tries all addresses of the first lane that are multiples of the
   width, up to the distance after which the costs repeat. */
static void cost_everywhere(struct walker *walker, const struct execution *execution,
                            const uint64_t address[SMC_LANES], struct smc_access *access,
                            struct cost *cost)
{
    const struct smc_bank_layout *layout = &walker->walk->request->banks;
    const struct smc_known *known = execution->known;
    struct smc_bank_tally *tally = execution->tally;
    uint32_t unit = layout->row_words == layout->banks ? 4 : layout->row_words * 4, tried = 0;
    uint32_t fewest = 0, width = access->width_bytes;
    uint64_t at = address[__builtin_ctz(access->mask)];
    struct smc_bank_cost most = {0};
    struct smc_access worst = *access;
    unit = unit < width ? width : unit;
    uint64_t granule = known->align < 32 ? UINT64_C(1) << known->align : UINT64_C(1) << 32;
    for (uint32_t rest = 0; rest < unit; rest += width) {
        if ((rest - at) % (granule < unit ? granule : unit))
            continue;
        bank_walk_place(address, known->bits, (1u << 24) + rest, access);
        if (!is_aligned(access))
            continue;
        struct smc_bank_cost here = cost_of(walker, execution, access);
        uint32_t conflicts = here.wavefronts - here.least;
        if (!tried || conflicts < fewest)
            fewest = conflicts;
        tally->depends |= tried && (here.wavefronts != most.wavefronts || here.least != most.least);
        if (!tried || conflicts > most.wavefronts - most.least) {
            most = here;
            worst = *access;
        }
        tried++;
    }
    cost->is_refused = !tried;
    if (tally->depends && !tally->cause) {
        tally->cause = known->cause;
        tally->cause_instruction = known->instruction;
    }
    if (tried) {
        place_in_array(at, unit, &worst);
        bank_walk_add_cost(most, fewest, &worst, cost);
    }
}

/* Keeps the access for remedies: by its exact addresses, or by those without the shared term. */
static void bank_walk_keep(struct walker *walker, const struct execution *execution,
                           const uint64_t address[SMC_LANES], const struct smc_access *access,
                           struct smc_access_bound bound)
{
    const struct smc_known *known = execution->known;
    struct smc_logged_access logged = {
        .instruction = execution->op->instruction, .access = *access, .bound = bound};
    if (known->align < 32 && known->wraps) { /* some lanes may be at the start of the array again */
        execution->tally->is_not_logged = true;
        return;
    }
    logged.bound.unknown_step = known->align < 32 ? 1u << known->align : 0;
    if (known->align != SMC_EXACT)
        bank_walk_place(address, known->bits, (uint32_t)address[__builtin_ctz(access->mask)],
                        &logged.access);
    smc_access_log_add(walker->walk->log, &logged);
    walker->walk->out_of_memory |= walker->walk->log->failed;
}

/* One access of all active lanes. */
static void bank_walk_access_once(struct walker *walker, const struct execution *execution,
                                  const uint64_t address[SMC_LANES], struct smc_access *access,
                                  struct smc_access_bound bound, struct cost *cost)
{
    if (!access->mask)
        return;
    if (execution->known->align != SMC_EXACT) {
        cost_everywhere(walker, execution, address, access, cost);
    } else {
        EACH_ACTIVE(lane, access->mask)
            access->address[lane] = (uint32_t)address[lane];
        cost->is_refused = !is_aligned(access);
        if (!cost->is_refused) {
            struct smc_bank_cost here = cost_of(walker, execution, access);
            bank_walk_add_cost(here, here.wavefronts - here.least, access, cost);
        }
    }
    if (!cost->is_refused)
        bank_walk_keep(walker, execution, address, access, bound);
}

static void addresses_of(const struct smc_lane_state *state, const struct smc_op *op,
                         uint64_t address[SMC_LANES])
{
    const char *at = state->file + op->a;
    for (uint32_t lane = 0; lane < SMC_LANES; lane++)
        address[lane] = op->address_is_32
                            ? (uint32_t)(((const lane_u32 *)at)[lane] + (uint32_t)op->immediate)
                            : ((const lane_u64 *)at)[lane] + op->immediate;
}

static bool is_rows(const struct smc_op *op)
{
    return op->step == smc_step_load_rows || op->step == smc_step_store_rows;
}

static bool is_fragment(const struct smc_op *op)
{
    return op->step == smc_step_load_fragment || op->step == smc_step_store_fragment;
}

/* Whether a generic address is, or may be, in shared memory. Pointers that are parameters or were
   loaded are not: compilers name the state space of the shared arrays that they know. */
static bool bank_walk_is_shared(struct walker *walker, const struct smc_lane_state *state,
                                const struct smc_op *op, const uint64_t address[SMC_LANES],
                                uint32_t mask)
{
    const struct smc_known *known = smc_known_of(state, op->a);
    const bool is_known = known->align == SMC_EXACT && (known->lanes & mask) == mask;
    bool all = !(known->points & SMC_ELSEWHERE), any = known->points & SMC_INTO_SHARED;
    if (op->space != SMC_SPACE_GENERIC)
        return op->space == SMC_SPACE_SHARED;
    if (is_known) {
        all = true;
        any = false;
    }
    EACH_ACTIVE(lane, is_known ? mask : 0) {
        bool here = smc_space_of(address[lane]) == SMC_SPACE_SHARED;
        all &= here;
        any |= here;
    }
    if (any && !all) {
        struct smc_bank_tally *tally = tally_of(walker, op->instruction);
        tally->elsewhere = true;
        bank_walk_refuse(tally, known);
    }
    return any;
}

/* wmma: all lanes have one address and one distance of lines, which must be known. */
static void bank_walk_access_fragment(struct walker *walker, const struct smc_lane_state *state,
                                      const struct execution *execution,
                                      const uint64_t address[SMC_LANES], struct cost *cost)
{
    const struct smc_op *op = execution->op;
    const struct smc_known *stride = smc_known_of(state, op->b);
    const bool in_shared = op->space == SMC_SPACE_SHARED;
    const uint32_t mask = state->mask;
    unsigned bits, elements = smc_fragment_line(op, &bits);
    uint64_t lines = ((const lane_u32 *)(state->file + op->b))[__builtin_ctz(mask)];
    if (stride->align != SMC_EXACT ||
        !smc_lane_values_uniform(&walker->values, state, op->b, mask)) {
        bank_walk_refuse(execution->tally, stride);
        return;
    }
    for (unsigned i = 0; i < smc_fragment_accesses(op, in_shared) && !cost->is_refused; i++) {
        struct smc_fragment_access fragment;
        uint64_t to[SMC_LANES];
        smc_fragment_access_at(op, in_shared, i, &fragment);
        for (unsigned lane = 0; lane < SMC_LANES; lane++)
            to[lane] =
                address[lane] + (fragment.line[lane] * lines + fragment.along[lane]) * bits / 8;
        struct smc_access access = {.mask = mask & fragment.mask,
                                    .width_bytes = fragment.bytes,
                                    .op = smc_fragment_bank_op(&fragment, execution->tally->op)};
        const struct smc_access_bound bound = {.line_bytes = (uint32_t)(lines * bits / 8),
                                               .line_width = elements * bits / 8,
                                               .first = (uint32_t)address[__builtin_ctz(mask)]};
        bank_walk_access_once(walker, execution, to, &access, bound, cost);
    }
}

static uint32_t width_of_op(const struct smc_op *op)
{
    struct smc_fragment_access fragment;
    if (!is_fragment(op))
        return (uint32_t)op->width_bytes * (is_rows(op) ? 1 : op->vector);
    smc_fragment_access_at(op, op->space == SMC_SPACE_SHARED, 0, &fragment);
    return fragment.bytes;
}

bool smc_bank_describe(const struct smc_bank_walk *walk, const struct smc_op *op,
                       struct smc_bank_tally *tally)
{
    const bool loads = op->step == smc_step_load || op->step == smc_step_load_rows ||
                       op->step == smc_step_load_fragment;
    const bool stores = op->step == smc_step_store || op->step == smc_step_store_rows ||
                        op->step == smc_step_store_fragment || op->step == smc_step_copy ||
                        op->step == smc_step_atomic;
    tally->kind = walk->kind[op - walk->program->op];
    if (tally->kind == SMC_BANK_BY_LANES && !loads && !stores)
        return false;
    tally->is_access = true;
    const enum smc_bank_op plain = loads ? SMC_BANK_LOAD : SMC_BANK_STORE;
    const enum smc_bank_op served = smc_op_bank_op(op, plain, SMC_ALL_LANES);
    tally->is_loop = served == SMC_BANK_OPS;
    const bool is_other = op->step == smc_step_atomic || op->step == smc_step_copy;
    tally->op = is_other && !tally->is_loop ? served : plain;
    tally->width_bytes = loads || stores ? width_of_op(op) : 0;
    return true;
}

/* Where the lanes of a copy read, as if what is not known of all were the beginning of an array.
   False: not even how far they are apart. */
static bool bank_walk_sources(const struct smc_lane_state *state, const struct smc_op *op,
                              uint32_t mask, uint64_t from[SMC_LANES])
{
    struct smc_op read = {.a = op->b, .immediate = op->source_offset};
    if (op->step != smc_step_copy)
        return false;
    const struct smc_known *known = smc_known_of(state, op->b);
    addresses_of(state, &read, from);
    return (known->lanes & mask) == mask && known->bits >= BITS_OF_ADDRESS && !known->wraps;
}

static void access_memory(struct walker *walker, const struct smc_lane_state *state,
                          const struct smc_op *op, uint32_t mask, bool assumed)
{
    const struct smc_known *known = smc_known_of(state, op->a);
    struct cost cost = {.is_refused = false};
    uint64_t address[SMC_LANES];
    addresses_of(state, op, address);
    if (!bank_walk_is_shared(walker, state, op, address, mask))
        return;
    struct smc_bank_tally *tally = tally_of(walker, op->instruction);
    uint64_t from[SMC_LANES];
    const struct execution execution = {op, tally, known,
                                        bank_walk_sources(state, op, mask, from) ? from : NULL};
    smc_bank_describe(walker->walk, op, tally);
    if (tally->is_loop)
        return;
    struct smc_access access = {.mask = mask, .width_bytes = tally->width_bytes};
    if (is_rows(op))
        access.mask &= op->vector == 4 ? SMC_ALL_LANES : (1u << 8 * op->vector) - 1;
    access.op = smc_op_bank_op(op, tally->op, access.mask);
    bool has_bits = known->bits >= (known->wraps ? BITS_OF_BANKS : BITS_OF_ADDRESS);
    if ((known->lanes & access.mask) != access.mask || !has_bits) {
        bank_walk_refuse(tally, known);
    } else if (tally->width_bytes > 16) {
        tally->beyond = true;
        bank_walk_refuse(tally, known);
    } else if (is_fragment(op)) {
        bank_walk_access_fragment(walker, state, &execution, address, &cost);
    } else {
        bank_walk_access_once(walker, &execution, address, &access, (struct smc_access_bound){0},
                              &cost);
    }
    if (cost.is_refused) {
        tally->misaligned = true;
        bank_walk_refuse(tally, known);
    } else if (cost.is_counted) {
        bank_walk_count(walker, tally, &cost, assumed);
    }
}

/* --- Decisions -------------------------------------------------------------------------------- */

/* The active lanes that run a guarded op. */
struct decision {
    uint32_t yes, maybe;
    bool together; /* of `maybe`, all lanes or none */
};

static struct decision bank_walk_decide(const struct walker *walker,
                                        const struct smc_lane_state *state, const struct smc_op *op)
{
    uint32_t mask = state->mask;
    if (op->guard == SMC_NO_SLOT)
        return (struct decision){mask, 0, true};
    const struct smc_known *known = smc_known_of(state, op->guard);
    uint32_t holds = *(const lane_u32 *)(state->file + op->guard);
    if (known->align != SMC_EXACT)
        return (struct decision){0, mask,
                                 smc_lane_values_uniform(&walker->values, state, op->guard, mask)};
    holds = op->guard_negated ? ~holds : holds;
    return (struct decision){mask & known->lanes & holds, mask & ~known->lanes, false};
}

/* --- Ops -------------------------------------------------------------------------------------- */

static void forget(struct walker *walker, struct smc_lane_state *state, uint32_t slot,
                   struct smc_lane_loss loss)
{
    if (slot != SMC_NO_SLOT && slot != 0)
        smc_lane_values_forget(&walker->values, state, slot, &loss);
}

static void load(struct walker *walker, struct smc_lane_state *state, const struct smc_op *op,
                 uint32_t mask, bool together)
{
    bool uniform = together && smc_lane_values_uniform(&walker->values, state, op->a, mask);
    enum smc_cause cause = op->space == SMC_SPACE_PARAM ? SMC_CAUSE_PARAMETER : SMC_CAUSE_LOADED;
    for (uint32_t i = 0; i < op->vector; i++)
        forget(walker, state, op->v[i],
               (struct smc_lane_loss){mask, uniform, cause, op->instruction});
}

/* Ops with one result for all lanes. */
static bool is_collective(const struct smc_op *op)
{
    return op->step == smc_step_vote || op->step == smc_step_reduce ||
           op->step == smc_step_active_mask ||
           (op->step == smc_step_barrier && op->reduction != SMC_REDUCE_NONE);
}

/* Ops whose result depends on other lanes, or on nothing that is known. */
static void exchange(struct walker *walker, struct smc_lane_state *state, const struct smc_op *op,
                     uint32_t mask, bool together)
{
    const bool shuffles = op->step == smc_step_shuffle, is_one = is_collective(op);
    const bool has_second = shuffles || op->step == smc_step_match || op->step == smc_step_elect;
    const bool uniform =
        together &&
        (is_one || (shuffles && smc_lane_values_uniform(&walker->values, state, op->a, mask)));
    struct smc_lane_loss loss = {mask, uniform, SMC_CAUSE_LANES, op->instruction};
    if (is_one || has_second || op->step == smc_step_clock || op->d_kind != SMC_SLOT_NONE)
        forget(walker, state, op->d, loss);
    loss.uniform = false;
    if (has_second)
        forget(walker, state, op->v[1], loss);
}

static bool accesses_memory(const struct smc_op *op)
{
    return op->step == smc_step_load || op->step == smc_step_store || op->step == smc_step_copy ||
           op->step == smc_step_atomic || is_rows(op) || is_fragment(op);
}

/* Every op that is neither arithmetic nor a branch. */
static void bank_walk_step(struct walker *walker, struct smc_lane_state *state,
                           const struct smc_op *op, const struct decision *decision)
{
    uint32_t mask = decision->yes | decision->maybe;
    bool assumed = state->diverged || state->reduced || (decision->maybe && !decision->together);
    bool together = !decision->maybe || decision->together;
    if (accesses_memory(op))
        access_memory(walker, state, op, mask, assumed);
    if (op->step == smc_step_load)
        load(walker, state, op, mask, together);
    else if (op->step == smc_step_atomic && op->d_kind != SMC_SLOT_NONE)
        forget(walker, state, op->d,
               (struct smc_lane_loss){mask, false, SMC_CAUSE_ATOMIC, op->instruction});
    else if (op->step == smc_step_opaque)
        forget(walker, state, op->d,
               (struct smc_lane_loss){mask, false, SMC_CAUSE_OPAQUE, op->instruction});
    else if (!accesses_memory(op))
        exchange(walker, state, op, mask, together);
    for (uint32_t i = 0; i < op->written; i++)
        forget(walker, state, op->list[i],
               (struct smc_lane_loss){mask, false, SMC_CAUSE_LOADED, op->instruction});
}

/* Lanes exit; false if none is left. */
static bool end_lanes(struct walker *walker, struct smc_lane_state *state,
                      const struct decision *decision)
{
    walker->ended++;
    state->mask &= ~decision->yes;
    if (decision->maybe) {
        walker->walk->chose = true;
        state->reduced |= !decision->together;
    }
    return state->mask != 0;
}

/* --- Branches --------------------------------------------------------------------------------- */

struct branch_way {
    uint32_t pc, mask;
};

enum { MOST_WAYS = 256 };

struct choice {
    struct branch_way way[MOST_WAYS];
    uint32_t ways;
    bool is_known;
    bool together; /* if it is not: all lanes take the same path */
};

static void add_way(struct choice *choice, uint32_t pc, uint32_t mask)
{
    if (!mask)
        return;
    for (uint32_t i = 0; i < choice->ways; i++)
        if (choice->way[i].pc == pc) {
            choice->way[i].mask |= mask;
            return;
        }
    if (choice->ways < MOST_WAYS)
        choice->way[choice->ways++] = (struct branch_way){pc, mask};
}

static void choose_target(struct walker *walker, const struct smc_lane_state *state,
                          const struct smc_op *op, const struct decision *decision,
                          struct choice *choice)
{
    uint32_t mask = decision->yes | decision->maybe;
    const struct smc_known *known = smc_known_of(state, op->a);
    bool exact = known->align == SMC_EXACT && (known->lanes & mask) == mask;
    if (op->step == smc_step_branch) {
        add_way(choice, op->target, mask);
        return;
    }
    choice->is_known &= exact;
    choice->together &= smc_lane_values_uniform(&walker->values, state, op->a, mask);
    if (op->target_count > MOST_WAYS - 1)
        walker->walk->gave_up = true;
    for (uint32_t i = 0; i < op->target_count && !exact; i++)
        add_way(choice, op->targets[i], mask);
    EACH_ACTIVE(lane, exact ? mask : 0) {
        uint32_t index = ((const lane_u32 *)(state->file + op->a))[lane];
        if (index < op->target_count)
            add_way(choice, op->targets[index], 1u << lane);
    }
}

static void bank_walk_choose(struct walker *walker, const struct smc_lane_state *state,
                             const struct smc_op *op, uint32_t pc, struct choice *choice)
{
    struct decision decision = bank_walk_decide(walker, state, op);
    uint32_t no = state->mask & ~decision.yes;
    choice->ways = 0;
    choice->is_known = decision.maybe == 0;
    choice->together = decision.maybe == 0 || decision.together;
    choose_target(walker, state, op, &decision, choice);
    add_way(choice, pc + 1, no);
    /* Beyond the budget, the iterations of a loop are no longer followed one by one. */
    if (walker->steps < walker->budget || op->guard == SMC_NO_SLOT || !choice->is_known)
        return;
    if (walker->visits[pc] < TRUSTED_VISITS) {
        walker->visits[pc]++;
        return;
    }
    choice->is_known = false;
    choice->together = choice->ways == 1;
    choice->ways = 0;
    choose_target(walker, state, op, &(struct decision){state->mask, 0, true}, choice);
    add_way(choice, pc + 1, state->mask);
}

/* Follows one divergent group after the other until they reconverge. */
static bool follow_known(struct walker *walker, struct smc_lane_state *state,
                         const struct choice *choice, uint32_t meeting)
{
    uint32_t arrived = 0;
    bool diverged = state->diverged;
    for (uint32_t i = 0; i < choice->ways; i++) {
        state->mask = choice->way[i].mask;
        state->diverged = diverged;
        if (choice->way[i].pc == meeting ||
            bank_walk_run(walker, state, choice->way[i].pc, meeting))
            arrived |= state->mask;
    }
    state->mask = arrived;
    state->diverged = diverged;
    return arrived && !stopped(walker);
}

/* Follows all paths from the frame's state; `out` is their joined state where they reconverge. */
static bool follow_each(struct walker *walker, struct smc_lane_state *state,
                        const struct frame *frame, const struct choice *choice,
                        const struct smc_op *op, struct smc_lane_changes *out)
{
    SMC_AUTO(smc_lane_changes_free) struct smc_lane_changes way = {0};
    const struct smc_lane_join join = {
        .state = state, .from = &way, .apart = !choice->together, .instruction = op->instruction};
    bool arrived = false, kept = true, ignored = false;
    for (uint32_t i = 0; i < choice->ways && !stopped(walker) && kept; i++) {
        smc_lane_state_revert(&walker->values, &frame->mark, state);
        smc_lane_changes_apply(&walker->values, &frame->head, state);
        state->mask = choice->way[i].mask;
        state->diverged |= !choice->together;
        if (choice->way[i].pc != op->reconverge_at &&
            !bank_walk_run(walker, state, choice->way[i].pc, op->reconverge_at))
            continue;
        kept =
            smc_lane_changes_take(&walker->values, state, &frame->mark, arrived ? &way : out, NULL);
        smc_lane_state_revert(&walker->values, &frame->mark, state);
        if (arrived && kept)
            kept = smc_lane_changes_join(&walker->values, &join, out, &ignored);
        arrived = true;
    }
    walker->steps += STEPS_OF_A_BRANCH + out->count / CHANGES_OF_A_STEP;
    return (kept || fail(walker)) && arrived && !stopped(walker);
}

/* Follows all paths until the states at the branch no longer change. The counts are those of the
   last time, which has the most general states. */
static bool follow_frame(struct walker *walker, struct smc_lane_state *state, struct frame *frame,
                         uint32_t pc, struct smc_lane_changes *out)
{
    const struct smc_op *op = &walker->program->op[pc];
    struct choice choice; /* its paths are set before they are read */
    uint64_t ended = walker->ended;
    bool arrived = false, looped = false, apart = false;
    do {
        frame->changed = false;
        revert_tallies(walker, frame->tallies);
        smc_lane_state_revert(&walker->values, &frame->mark, state);
        smc_lane_changes_apply(&walker->values, &frame->head, state);
        bank_walk_choose(walker, state, op, pc, &choice);
        apart |= !choice.together;
        arrived = follow_each(walker, state, frame, &choice, op, out);
        looped |= frame->changed;
    } while (frame->changed && !stopped(walker));
    smc_lane_state_revert(&walker->values, &frame->mark, state);
    if (arrived) {
        out->diverged = frame->mark.diverged;
        out->reduced |= apart && walker->ended != ended;
        if (looped && apart)
            smc_lane_changes_part(state, op->instruction, out);
    }
    return arrived;
}

/* A path returns to a branch whose paths are being followed. */
static bool return_to(struct walker *walker, const struct smc_lane_state *state,
                      const struct smc_op *op, struct frame *frame)
{
    SMC_AUTO(smc_lane_changes_free) struct smc_lane_changes here = {0}, before = {0};
    const struct smc_lane_join join = {
        .before = &before, .from = &here, .instruction = op->instruction};
    if (!smc_lane_changes_take(&walker->values, state, &frame->mark, &here, &before) ||
        !smc_lane_changes_join(&walker->values, &join, &frame->head, &frame->changed))
        fail(walker);
    walker->steps += here.count / CHANGES_OF_A_STEP;
    return false;
}

/* A branch whose outcome is not known. */
static bool follow_unknown(struct walker *walker, struct smc_lane_state *state,
                           const struct smc_op *op, uint32_t pc)
{
    SMC_AUTO(smc_lane_changes_free) struct smc_lane_changes out = {0};
    walker->walk->chose = true;
    if (walker->open[pc])
        return return_to(walker, state, op, walker->open[pc]);
    struct frame frame = {
        .mark = smc_lane_state_mark(state),
        .head = {.mask = state->mask, .diverged = state->diverged, .reduced = state->reduced},
        .tallies = walker->changes,
        .outer_mark = walker->tally_mark};
    walker->tally_mark = ++walker->marks;
    walker->open[pc] = &frame;
    bool arrived = follow_frame(walker, state, &frame, pc, &out);
    walker->open[pc] = NULL;
    walker->tally_mark = frame.outer_mark;
    smc_lane_state_unmark(&frame.mark, state);
    if (arrived)
        smc_lane_changes_apply(&walker->values, &out, state);
    smc_lane_changes_free(&frame.head);
    walker->walk->out_of_memory |= state->failed;
    return arrived;
}

/* Sets the next pc; false if no lane continues. */
static bool bank_walk_branch(struct walker *walker, struct smc_lane_state *state,
                             const struct smc_op *op, uint32_t *pc)
{
    struct choice choice; /* its paths are set before they are read */
    bank_walk_choose(walker, state, op, *pc, &choice);
    if (choice.is_known && choice.ways == 1) {
        *pc = choice.way[0].pc;
        return true;
    }
    uint32_t meeting = op->reconverge_at;
    bool goes_on = choice.is_known ? follow_known(walker, state, &choice, meeting)
                                   : follow_unknown(walker, state, op, *pc);
    *pc = meeting;
    return goes_on;
}

/* --- Running ---------------------------------------------------------------------------------- */

/* Runs the op at `*pc`; false if no lane continues. */
static bool run_op(struct walker *walker, struct smc_lane_state *state, uint32_t *pc)
{
    const struct smc_op *op = &walker->program->op[*pc];
    if (op->step == smc_step_branch || op->step == smc_step_indexed_branch)
        return bank_walk_branch(walker, state, op, pc);
    struct decision decision = bank_walk_decide(walker, state, op);
    ++*pc;
    if (!(decision.yes | decision.maybe))
        return true;
    walker->walk->chose |= decision.maybe != 0;
    if (walker->walk->kind[op - walker->program->op] != SMC_BANK_BY_LANES) {
        struct smc_bank_tally *tally = tally_of(walker, op->instruction);
        smc_bank_describe(walker->walk, op, tally);
        tally->not_followed = true;
    }
    if (op->step == smc_step_exit || op->step == smc_step_trap)
        return end_lanes(walker, state, &decision);
    if (op->alu)
        smc_lane_values_compute(&walker->values, state, op, decision.yes, decision.maybe,
                                decision.together);
    else if (op->step)
        bank_walk_step(walker, state, op, &decision);
    return true;
}

/* Runs the state's lanes from `pc` until `stop`; false if none of them arrives there. */
static bool bank_walk_run(struct walker *walker, struct smc_lane_state *state, uint32_t pc,
                          uint32_t stop)
{
    bool goes_on = true;
    if (++walker->depth > MOST_DEPTH)
        walker->walk->gave_up = true;
    while (goes_on && pc != stop && !stopped(walker)) {
        if (++walker->steps > HARD_FACTOR * walker->budget || pc >= walker->program->ops)
            walker->walk->gave_up = true;
        else
            goes_on = run_op(walker, state, &pc);
    }
    walker->depth--;
    return goes_on && !stopped(walker);
}

/* --- Warps ------------------------------------------------------------------------------------ */

/* The value of a special register, if it is known. */
static bool bank_walk_special_value(const struct smc_bank_accesses_request *request,
                                    enum smc_special special, uint32_t warp, uint32_t lane,
                                    uint64_t *value)
{
    uint32_t thread = warp * SMC_LANES + lane, x = request->block[0], y = request->block[1];
    uint32_t threads = x * y * request->block[2], bit = 1u << lane;
    const uint64_t values[SMC_SPECIAL_COUNT] = {
        [SMC_SPECIAL_TID_X] = thread % x,
        [SMC_SPECIAL_TID_Y] = thread / x % y,
        [SMC_SPECIAL_TID_Z] = thread / x / y,
        [SMC_SPECIAL_NTID_X] = x,
        [SMC_SPECIAL_NTID_Y] = y,
        [SMC_SPECIAL_NTID_Z] = request->block[2],
        [SMC_SPECIAL_LANEID] = lane,
        [SMC_SPECIAL_WARPID] = warp,
        [SMC_SPECIAL_NWARPID] = (threads + SMC_LANES - 1) / SMC_LANES,
        [SMC_SPECIAL_LANEMASK_EQ] = bit,
        [SMC_SPECIAL_LANEMASK_LT] = bit - 1,
        [SMC_SPECIAL_LANEMASK_LE] = bit | (bit - 1),
        [SMC_SPECIAL_LANEMASK_GT] = ~(bit | (bit - 1)),
        [SMC_SPECIAL_LANEMASK_GE] = ~(bit - 1),
    };
    *value = values[special];
    return (special >= SMC_SPECIAL_TID_X && special <= SMC_SPECIAL_NTID_Z) ||
           (special >= SMC_SPECIAL_LANEID && special <= SMC_SPECIAL_NWARPID) ||
           (special >= SMC_SPECIAL_LANEMASK_EQ && special <= SMC_SPECIAL_LANEMASK_GE);
}

static void set_fixed(struct walker *walker, const struct smc_fixed_slot *fixed,
                      struct smc_lane_state *state)
{
    char *d = state->file + fixed->offset;
    struct smc_known *known = smc_known_of(state, fixed->offset);
    bool exact = true;
    for (uint32_t lane = 0; lane < SMC_LANES; lane++) {
        uint64_t bits = fixed->bits;
        if (fixed->special != SMC_SPECIAL_CONSTANT)
            exact &= bank_walk_special_value(walker->walk->request, fixed->special, walker->warp,
                                             lane, &bits);
        if (fixed->kind == SMC_SLOT_64)
            ((lane_u64 *)d)[lane] = bits;
        else if (fixed->kind == SMC_SLOT_32)
            ((lane_u32 *)d)[lane] = (uint32_t)bits;
        else
            *(lane_u32 *)d = (uint32_t)bits;
    }
    *known = (struct smc_known){.lanes = SMC_ALL_LANES, .align = SMC_EXACT, .bits = 64};
    if (!exact)
        smc_lane_values_forget(&walker->values, state, fixed->offset,
                               &(struct smc_lane_loss){SMC_ALL_LANES, true, SMC_CAUSE_GRID, 0});
}

static void begin_warp(struct walker *walker, struct smc_lane_state *state)
{
    const struct smc_bank_accesses_request *request = walker->walk->request;
    uint32_t threads = request->block[0] * request->block[1] * request->block[2];
    uint32_t left = threads - walker->warp * SMC_LANES;
    const struct smc_program *program = walker->program;
    memset(state->file, 0, walker->values.slots * SMC_SLOT_UNIT);
    for (size_t i = 0; i < walker->values.slots; i++)
        state->known[i] = (struct smc_known){.align = SMC_EXACT, .cause = SMC_CAUSE_UNWRITTEN};
    state->known[0].lanes = SMC_ALL_LANES; /* the slot of sources that an op does not have */
    for (size_t i = 0; i < program->slots; i++)
        smc_known_of(state, program->slot[i].offset)->bits =
            program->slot[i].kind == SMC_SLOT_64   ? 64
            : program->slot[i].kind == SMC_SLOT_32 ? 32
                                                   : 1;
    for (size_t i = 0; i < program->fixed_count; i++)
        set_fixed(walker, &program->fixed[i], state);
    state->mask = left >= SMC_LANES ? SMC_ALL_LANES : (1u << left) - 1;
    state->diverged = state->reduced = false;
    smc_lane_state_begin(&walker->values, state);
    memset(walker->changed_at, 0, program->instructions * sizeof *walker->changed_at);
    walker->changes = 0;
    walker->tally_mark = walker->marks = 0;
}

bool smc_bank_walk(struct smc_bank_walk *walk)
{
    const struct smc_program *program = walk->program;
    const struct smc_bank_accesses_request *request = walk->request;
    uint32_t threads = request->block[0] * request->block[1] * request->block[2];
    struct walker walker = {
        .walk = walk,
        .program = program,
        .open = smc_calloc(program->ops + 1, sizeof *walker.open),
        .visits = smc_calloc(program->ops + 1, 1),
        .changed_at = smc_calloc(program->instructions + 1, sizeof *walker.changed_at),
        .budget = request->budget ? request->budget : SMC_BANK_ACCESSES_BUDGET,
    };
    SMC_AUTO(smc_lane_state_free) struct smc_lane_state state = {0};
    bool opened = walker.open && walker.visits && walker.changed_at &&
                  smc_lane_values_open(program, &walker.values) &&
                  smc_lane_state_new(&walker.values, &state);
    walk->out_of_memory = !opened;
    uint32_t warps = (threads + SMC_LANES - 1) / SMC_LANES;
    walker.budget = walker.budget / warps + 1;
    for (walker.warp = 0; walker.warp < warps && !stopped(&walker); walker.warp++) {
        walker.steps = 0;
        memset(walker.visits, 0, program->ops);
        begin_warp(&walker, &state);
        bank_walk_run(&walker, &state, 0, SMC_NO_PC);
    }
    smc_lane_values_close(&walker.values);
    free(walker.open);
    free(walker.visits);
    free(walker.changed_at);
    free(walker.change);
    return !walk->out_of_memory;
}
