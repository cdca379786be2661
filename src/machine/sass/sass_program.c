/* Decoded code, and the backward slice of what decides control flow and addresses. */
#include "machine/sass/sass_program.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "code/machine_code.h"
#include "rules/devices.h"

/* Registers and predicates, one bit each. */
enum {
    WORDS = 6,
    FIRST_UNIFORM = 256,
    FIRST_PREDICATE = 320,
    FIRST_UNIFORM_PREDICATE = 328,
    BARRIER_RESULT = 336 /* of BAR.RED, for B2R */
};

struct names {
    uint64_t word[WORDS];
};

static void add(struct names *names, unsigned name)
{
    names->word[name / 64] |= UINT64_C(1) << name % 64;
}

static void add_operand(struct names *names, const struct smc_sass_operand *operand)
{
    for (unsigned i = 0; i < operand->registers; i++) {
        unsigned number = operand->number + i;
        if (operand->kind == SMC_OPERAND_REGISTER && number < SMC_ZERO_REGISTER)
            add(names, number);
        if (operand->kind == SMC_OPERAND_UNIFORM && number < SMC_ZERO_UNIFORM)
            add(names, FIRST_UNIFORM + number);
    }
}

static void add_result_predicate(struct names *names, unsigned number, bool uniform)
{
    if (number != SMC_TRUE_PREDICATE)
        add(names, (uniform ? FIRST_UNIFORM_PREDICATE : FIRST_PREDICATE) + number);
}

static void add_predicate(struct names *names, struct smc_predicate predicate)
{
    add_result_predicate(names, predicate.number, predicate.uniform);
}

static void add_results(struct names *names, const struct smc_sass_instruction *in)
{
    add_operand(names, &in->to);
    add_operand(names, &in->to_rest);
    for (int i = 0; i < 2; i++)
        add_result_predicate(names, in->to_predicate[i], in->uniform);
    names->word[FIRST_PREDICATE / 64] |= (uint64_t)in->predicates_written << FIRST_PREDICATE % 64;
    if (smc_barrier_reduces(in))
        add(names, BARRIER_RESULT);
}

static void add_guard(struct names *names, const struct smc_sass_instruction *in)
{
    add_predicate(names, in->guard);
}

static void sass_program_add_sources(struct names *names, const struct smc_sass_instruction *in)
{
    add_guard(names, in);
    for (int i = 0; i < 3; i++) {
        add_operand(names, &in->from[i]);
        add_predicate(names, in->predicate[i]);
    }
    names->word[FIRST_PREDICATE / 64] |= (uint64_t)in->predicates_read << FIRST_PREDICATE % 64;
    add_operand(names, &in->copy_to);
    if (in->operation == SMC_OP_B2R)
        add(names, BARRIER_RESULT);
}

/* What decides which addresses an access touches: of a copy past L1, also where it copies to. */
static void add_address(struct names *names, const struct smc_sass_instruction *in)
{
    struct smc_sass_operand added =
        in->from[1].kind == SMC_OPERAND_UNIFORM ? in->from[1] : in->from[2];
    add_guard(names, in);
    add_operand(names, &in->from[0]);
    if (added.kind == SMC_OPERAND_UNIFORM)
        add_operand(names, &added);
    if (smc_copies_past_l1(in))
        add_operand(names, &in->copy_to);
    add_predicate(names, in->predicate[0]);
}

static bool overlap(const struct names *a, const struct names *b)
{
    uint64_t common = 0;
    for (int i = 0; i < WORDS; i++)
        common |= a->word[i] & b->word[i];
    return common != 0;
}

/* Whether any of them is new. */
static bool join_names(struct names *names, const struct names *more)
{
    uint64_t added = 0;
    for (int i = 0; i < WORDS; i++) {
        added |= more->word[i] & ~names->word[i];
        names->word[i] |= more->word[i];
    }
    return added != 0;
}

static void drop(struct names *names, const struct names *dropped)
{
    for (int i = 0; i < WORDS; i++)
        names->word[i] &= ~dropped->word[i];
}

/* What is needed before a step: by all lanes, and by those for which a predicate is true or false.
 */
enum { GUARDS = 14, NO_GUARD = GUARDS };
struct needs {
    struct names always, under[GUARDS];
    uint32_t guards; /* bit n: there is under[n]; others are not initialized */
};

#define EACH_GUARD(i, needs)                                                                       \
    for (uint32_t rest = (needs)->guards, i; rest && (i = (uint32_t)__builtin_ctz(rest), 1);       \
         rest &= rest - 1)

static unsigned guard_place(const struct smc_sass_instruction *in)
{
    return in->guard.uniform || in->guard.number == SMC_TRUE_PREDICATE
               ? NO_GUARD
               : 2 * in->guard.number + in->guard.negated;
}

static struct names all_needed(const struct needs *needs)
{
    struct names all = needs->always;
    EACH_GUARD(i, needs)
        join_names(&all, &needs->under[i]);
    return all;
}

static bool join_under(struct needs *needs, unsigned guard, const struct names *more)
{
    if (!(needs->guards >> guard & 1))
        needs->under[guard] = (struct names){{0}};
    needs->guards |= UINT32_C(1) << guard;
    return join_names(&needs->under[guard], more);
}

/* Whether any of them is new. */
static bool join_needs(struct needs *needs, const struct needs *more)
{
    bool is_new = join_names(&needs->always, &more->always);
    EACH_GUARD(i, more)
        is_new |= join_under(needs, i, &more->under[i]);
    return is_new;
}

/* The lanes that execute an instruction need its sources, and all its guard. */
static void need(struct needs *needs, const struct smc_sass_instruction *in,
                 const struct names *sources)
{
    const unsigned guard = guard_place(in);
    if (guard == NO_GUARD)
        join_names(&needs->always, sources);
    else
        join_under(needs, guard, sources);
    add_guard(&needs->always, in);
}

/* Before an instruction that has these results: under a predicate that it writes, anything may have
   been needed; what it writes is needed no more by the lanes that execute it. */
static void provide(struct needs *needs, const struct smc_sass_instruction *in,
                    const struct names *results)
{
    const unsigned guard = guard_place(in);
    const bool by_all = guard == NO_GUARD && !in->guard.negated && !in->guard.uniform;
    EACH_GUARD(i, needs)
        if (results->word[FIRST_PREDICATE / 64] >> (FIRST_PREDICATE % 64 + i / 2) & 1) {
            join_names(&needs->always, &needs->under[i]);
            needs->guards &= ~(UINT32_C(1) << i);
        }
    EACH_GUARD(i, needs)
        if (by_all || i == guard)
            drop(&needs->under[i], results);
    if (by_all)
        drop(&needs->always, results);
}

static bool has_no_condition(const struct smc_sass_instruction *in)
{
    return in->guard.number == SMC_TRUE_PREDICATE && !in->guard.negated &&
           in->predicate[0].number == SMC_TRUE_PREDICATE && !in->predicate[0].negated;
}

static bool is_unconditional(const struct smc_program_step *step)
{
    return step->is_taken || has_no_condition(&step->in);
}

static uint32_t target_of(const struct smc_machine_program *program, uint32_t at)
{
    int64_t target = program->step[at].in.target / SMC_INSTRUCTION_BYTES;
    return target >= 0 && target < program->count ? (uint32_t)target : program->count;
}

/* What is needed where an instruction may lead that does not say where. */
struct elsewhere {
    struct needs returned; /* after any of the calls */
    struct needs any;      /* anywhere, if there is a BRX */
};

static bool jumps(const struct smc_sass_instruction *in)
{
    return in->operation == SMC_OP_BRA || in->operation == SMC_OP_CALL;
}

/* Whether the next instruction may follow. */
static bool goes_on(const struct smc_machine_program *program, uint32_t at)
{
    const struct smc_sass_instruction *in = &program->step[at].in;
    const bool leaves = jumps(in) || in->operation == SMC_OP_EXIT || in->operation == SMC_OP_RET;
    return at + 1 < program->count && !(leaves && is_unconditional(&program->step[at]));
}

/* What is needed after an instruction: what its successors need before them. */
static struct needs needed_after(const struct smc_machine_program *program,
                                 const struct needs *before, const struct elsewhere *elsewhere,
                                 uint32_t at)
{
    const struct smc_sass_instruction *in = &program->step[at].in;
    struct needs after;
    after.always = (struct names){{0}};
    after.guards = 0;
    if (goes_on(program, at))
        join_needs(&after, &before[at + 1]);
    if (jumps(in) && target_of(program, at) < program->count)
        join_needs(&after, &before[target_of(program, at)]);
    if (in->operation == SMC_OP_RET)
        join_needs(&after, &elsewhere->returned);
    if (in->operation == SMC_OP_BRX)
        join_needs(&after, &elsewhere->any);
    return after;
}

static struct elsewhere needed_elsewhere(const struct smc_machine_program *program,
                                         const struct needs *before)
{
    struct elsewhere needed = {0};
    bool is_indirect = false;
    for (uint32_t at = 0; at + 1 < program->count; at++) {
        if (program->step[at].calls)
            join_needs(&needed.returned, &before[at + 1]);
        is_indirect |= program->step[at].in.operation == SMC_OP_BRX;
    }
    for (uint32_t at = 0; at < program->count && is_indirect; at++)
        join_needs(&needed.any, &before[at]);
    return needed;
}

enum { GLOBAL_SPACE = 1, LOCAL_SPACE = 2, SHARED_SPACE = 4 };

/* The space that an instruction loads from; atomics load, too. */
static uint8_t space_loaded(const struct smc_sass_instruction *in)
{
    switch (in->operation) {
    case SMC_OP_LD:
    case SMC_OP_LDG:
    case SMC_OP_LDGSTS:
    case SMC_OP_ATOM:
    case SMC_OP_ATOM_CAS:
    case SMC_OP_ATOM_FLOAT:
    case SMC_OP_ATOMG:
    case SMC_OP_ATOMG_CAS:
    case SMC_OP_ATOMG_FLOAT:
        return GLOBAL_SPACE;
    case SMC_OP_LDL:
        return LOCAL_SPACE;
    case SMC_OP_LDS:
    case SMC_OP_LDSM:
    case SMC_OP_ATOMS:
    case SMC_OP_ATOMS_CAS:
        return SHARED_SPACE;
    default:
        return 0;
    }
}

/* A generic one is taken to be. */
static bool is_global_store(const struct smc_sass_instruction *in)
{
    return in->operation == SMC_OP_STG || in->operation == SMC_OP_ST;
}

static uint8_t space_stored(const struct smc_sass_instruction *in)
{
    switch (in->operation) {
    case SMC_OP_STL:
        return LOCAL_SPACE;
    case SMC_OP_STS:
    case SMC_OP_STSM:
    case SMC_OP_LDGSTS:
    case SMC_OP_ATOMS:
    case SMC_OP_ATOMS_CAS:
        return SHARED_SPACE;
    default:
        return is_global_store(in) || smc_is_global_atomic(in) ? GLOBAL_SPACE : 0;
    }
}

/* Local memory of which each access is at a constant from the stack pointer, as of registers that
   were spilled: what is needed there before each step. One bit: 4 bytes. */
enum { FRAME_SLOTS = 4096, FRAME_WORDS = FRAME_SLOTS / 64, STACK_POINTER = 1 };
struct frame {
    uint64_t *before; /* FRAME_WORDS a step; NULL: it is not such memory, or none */
    bool failed;      /* no memory */
};

/* Sets the first slot that an access touches, and returns their number; 0: not one of the frame. */
static uint32_t frame_slots(const struct smc_sass_instruction *in, uint32_t *first)
{
    const int32_t end = in->offset + in->access_bytes;
    if (in->from[0].kind != SMC_OPERAND_REGISTER || in->from[0].number != STACK_POINTER ||
        in->offset < 0 || end > 4 * FRAME_SLOTS)
        return 0;
    *first = (uint32_t)in->offset / 4;
    return ((uint32_t)end + 3) / 4 - *first;
}

static bool is_local(const struct smc_sass_instruction *in)
{
    return in->operation == SMC_OP_LDL || in->operation == SMC_OP_STL;
}

static bool sets_stack_pointer(const struct smc_sass_instruction *in)
{
    return in->to.kind == SMC_OPERAND_REGISTER && in->to.number <= STACK_POINTER &&
           in->to.number + in->to.registers > STACK_POINTER;
}

/* The stack pointer is set where the kernel begins: its first value, and that less the frame. */
static struct frame frame_of(const struct smc_machine_program *program)
{
    struct frame frame = {NULL, false};
    bool accesses = false;
    for (uint32_t at = 0; at < program->count; at++) {
        const struct smc_sass_instruction *in = &program->step[at].in;
        uint32_t first;
        if (program->step[at].calls || in->operation == SMC_OP_BRX ||
            (is_local(in) && frame_slots(in, &first) == 0) || (accesses && sets_stack_pointer(in)))
            return frame;
        accesses |= is_local(in);
    }
    if (accesses) {
        frame.before = smc_calloc(program->count, FRAME_WORDS * sizeof *frame.before);
        frame.failed = !frame.before;
    }
    return frame;
}

static void join_slots(uint64_t *slots, const uint64_t *more)
{
    for (int i = 0; i < FRAME_WORDS; i++)
        slots[i] |= more[i];
}

static void slots_after(const struct smc_machine_program *program, const struct frame *frame,
                        uint32_t at, uint64_t *slots)
{
    const struct smc_sass_instruction *in = &program->step[at].in;
    memset(slots, 0, FRAME_WORDS * sizeof *slots);
    if (goes_on(program, at))
        join_slots(slots, &frame->before[(size_t)(at + 1) * FRAME_WORDS]);
    if (jumps(in) && target_of(program, at) < program->count)
        join_slots(slots, &frame->before[(size_t)target_of(program, at) * FRAME_WORDS]);
}

/* Whether a store goes where a load that decides something may read. */
static bool is_followed(const struct smc_machine_program *program, const struct frame *frame,
                        const uint64_t *slots, const struct smc_sass_instruction *in)
{
    uint32_t first = 0;
    if (in->operation != SMC_OP_STL || !frame->before)
        return (space_stored(in) & program->followed_spaces) != 0;
    for (uint32_t count = frame_slots(in, &first); count > 0; count--, first++)
        if (slots[first / 64] >> first % 64 & 1)
            return true;
    return false;
}

/* Notes what is needed of the frame before a step, which is evaluated or not; whether that is new.
 */
static bool note_slots(const struct smc_machine_program *program, const struct frame *frame,
                       uint32_t at, bool is_evaluated, uint64_t *slots)
{
    const struct smc_sass_instruction *in = &program->step[at].in;
    uint64_t *before = &frame->before[(size_t)at * FRAME_WORDS];
    const bool loads = in->operation == SMC_OP_LDL && is_evaluated && program->follows_memory;
    const bool stores = in->operation == SMC_OP_STL && has_no_condition(in) &&
                        in->offset % 4 == 0 && in->access_bytes % 4 == 0; /* whole slots */
    uint32_t first = 0;
    for (uint32_t count = loads || stores ? frame_slots(in, &first) : 0; count > 0;
         count--, first++)
        if (loads)
            slots[first / 64] |= UINT64_C(1) << first % 64;
        else
            slots[first / 64] &= ~(UINT64_C(1) << first % 64);
    if (memcmp(before, slots, FRAME_WORDS * sizeof *slots) == 0)
        return false;
    join_slots(before, slots);
    return true;
}

/* The load's result is needed, so that what is stored there is, too; whether that is new. */
static bool follow_space(struct smc_machine_program *program, const struct smc_sass_instruction *in)
{
    uint8_t space = program->follows_memory ? space_loaded(in) : 0;
    bool is_new = (space & ~program->followed_spaces) != 0;
    program->followed_spaces |= space;
    if (program->follows_memory && in->operation == SMC_OP_B2R)
        program->shares = true;
    return is_new;
}

/* What is needed before each step, as far as it is found. */
struct slice {
    struct needs *before;
    struct frame frame;
    uint32_t *grew; /* the last pass in which a step's grew */
    uint32_t pass;
    bool spaces_grew; /* of the program, in this pass */
};

/* Whether what a step's successors need may have grown since the last pass came to it. */
static bool is_stale(const struct smc_machine_program *program, const struct slice *slice,
                     uint32_t at)
{
    const struct smc_sass_instruction *in = &program->step[at].in;
    const uint32_t target = target_of(program, at), last = slice->pass - 1;
    return slice->spaces_grew || in->operation == SMC_OP_RET || in->operation == SMC_OP_BRX ||
           (at + 1 < program->count && slice->grew[at + 1] >= last) ||
           (jumps(in) && target < program->count && slice->grew[target] >= last);
}

/* Whether anything more is needed before a step than was known. */
static bool find_needed_before(struct smc_machine_program *program, struct slice *slice,
                               const struct elsewhere *elsewhere, uint32_t at,
                               enum smc_purpose purpose)
{
    const struct frame *frame = &slice->frame;
    struct smc_program_step *step = &program->step[at];
    const struct smc_sass_instruction *in = &step->in;
    struct needs needed = needed_after(program, slice->before, elsewhere, at);
    const struct names all = all_needed(&needed);
    struct names results = {{0}}, sources = {{0}};
    uint64_t slots[FRAME_WORDS];
    add_results(&results, in);
    provide(&needed, in, &results);
    if (frame->before)
        slots_after(program, frame, at, slots);
    const bool follows = is_followed(program, frame, slots, in);
    const bool is_evaluated = in->branches || overlap(&all, &results) || follows;
    if (is_evaluated) {
        slice->spaces_grew |= follow_space(program, in);
        if (follows && is_global_store(in) && !program->follows_stores)
            add_address(&sources, in);
        else if (!step->is_taken)
            sass_program_add_sources(&sources, in);
        if (step->purpose < purpose)
            step->purpose = (uint8_t)purpose;
    } else if (purpose == SMC_PURPOSE_ADDRESS && in->asynchronous) {
        sass_program_add_sources(&sources, in);
    } else if (purpose == SMC_PURPOSE_ADDRESS &&
               (in->access_bytes || smc_indexes_constants(in) ||
                (program->follows_memory && smc_is_global_atomic(in)))) {
        add_address(&sources, in);
    }
    if (overlap(&sources, &sources)) /* any */
        need(&needed, in, &sources);
    const bool slots_grew = frame->before && note_slots(program, frame, at, is_evaluated, slots);
    return join_needs(&slice->before[at], &needed) || slots_grew;
}

/* Passes from the end to the beginning until nothing is added. Sets only grow, and there are
   finitely many names. */
static void find_needed(struct smc_machine_program *program, struct slice *slice,
                        enum smc_purpose purpose)
{
    bool grew = true, spaces_grew = true;
    while (grew || spaces_grew) {
        const struct elsewhere elsewhere = needed_elsewhere(program, slice->before);
        const bool all = spaces_grew;
        grew = slice->spaces_grew = false;
        slice->pass++;
        for (uint32_t at = program->count; at-- > 0;) {
            if (!all && !is_stale(program, slice, at))
                continue;
            if (!find_needed_before(program, slice, &elsewhere, at, purpose))
                continue;
            slice->grew[at] = slice->pass;
            grew = true;
        }
        spaces_grew = slice->spaces_grew;
    }
}

static void link_steps(struct smc_machine_program *program)
{
    uint32_t control = program->count, address = program->count;
    for (uint32_t at = program->count; at-- > 0;) {
        struct smc_program_step *step = &program->step[at];
        bool stops = step->in.operation == SMC_OP_UNKNOWN || step->in.operation == SMC_OP_YIELD ||
                     (program->by_block && step->in.operation == SMC_OP_BAR);
        if (step->purpose == SMC_PURPOSE_CONTROL || step->in.branches || stops)
            control = at;
        bool accesses = step->in.access_bytes || step->in.asynchronous ||
                        smc_indexes_constants(&step->in) ||
                        (program->follows_memory && smc_is_global_atomic(&step->in));
        if (step->purpose != SMC_PURPOSE_DATA || accesses || control == at)
            address = at;
        step->next_control = control;
        step->next_address = address;
    }
}

/* Whether code from a step on returns before it ends. */
static bool returns(const struct smc_machine_program *program, uint32_t from)
{
    uint32_t reached = from; /* the last step that a branch before it leads to */
    for (uint32_t at = from; at < program->count; at++) {
        const struct smc_sass_instruction *in = &program->step[at].in;
        if (in->operation == SMC_OP_RET)
            return true;
        bool branches = in->operation == SMC_OP_BRA, ends = in->operation == SMC_OP_EXIT;
        if (branches && target_of(program, at) > reached)
            reached = target_of(program, at);
        if ((branches || ends) && is_unconditional(&program->step[at]) && at >= reached)
            return false;
    }
    return false;
}

/* Calls that leave the code are not followed and count as unknown. */
static void forget_call(struct smc_machine_program *program, uint32_t at)
{
    struct smc_sass_instruction *in = &program->step[at].in;
    *in = (struct smc_sass_instruction){.low = in->low, .high = in->high, .guard = in->guard};
    in->pipe = SMC_PIPE_UNKNOWN;
    for (int i = 0; i < 3; i++)
        in->predicate[i].number = SMC_TRUE_PREDICATE;
    in->to_predicate[0] = in->to_predicate[1] = SMC_TRUE_PREDICATE;
    program->unknown++;
    program->first_unknown = at;
}

/* The call that a branch forward jumps over and nothing else decides about; program->count: there
   is none. */
static uint32_t avoided_call(const struct smc_machine_program *program, uint32_t at)
{
    if (program->step[at].in.operation != SMC_OP_BRA || is_unconditional(&program->step[at]))
        return program->count;
    for (uint32_t next = at + 1; next < target_of(program, at); next++)
        if (program->step[next].in.branches && program->step[next].in.operation != SMC_OP_BSSY)
            return program->step[next].calls ? next : program->count;
    return program->count;
}

/* ptxas also leaves loops with a call that nothing returns from: that is a branch. */
static void find_calls(struct smc_machine_program *program)
{
    for (uint32_t at = program->count; at-- > 0;) {
        uint32_t target = target_of(program, at);
        if (program->step[at].in.operation != SMC_OP_CALL)
            continue;
        if (target == program->count)
            forget_call(program, at);
        else
            program->step[at].calls = returns(program, target);
    }
    for (uint32_t at = 0; at < program->count; at++)
        program->step[at].avoids_call = avoided_call(program, at) < program->count;
}

static bool start_slice(const struct smc_machine_program *program, struct slice *slice)
{
    const size_t count = program->count ? program->count : 1;
    *slice = (struct slice){.before = smc_calloc(count, sizeof *slice->before),
                            .frame = frame_of(program),
                            .grew = smc_calloc(count, sizeof *slice->grew)};
    return slice->before && slice->grew && !slice->frame.failed;
}

enum smc_status smc_machine_program_follow(struct smc_machine_program *program, bool memory,
                                           bool stores, struct smc_error *error)
{
    struct slice slice;
    const bool starts = start_slice(program, &slice);
    for (uint32_t i = 0; i < program->count; i++)
        program->step[i].purpose = SMC_PURPOSE_DATA;
    program->follows_memory = memory;
    program->follows_stores = stores;
    program->followed_spaces = 0;
    program->shares = false;
    if (starts) {
        find_needed(program, &slice, SMC_PURPOSE_CONTROL);
        find_needed(program, &slice, SMC_PURPOSE_ADDRESS); /* in addition */
    }
    free(slice.before);
    free(slice.frame.before);
    free(slice.grew);
    program->shares |= (program->followed_spaces & SHARED_SPACE) != 0;
    program->by_block =
        program->shares || (program->follows_stores && program->followed_spaces & GLOBAL_SPACE);
    link_steps(program);
    return starts ? SMC_OK : smc_out_of_memory(error);
}

/* One more than the highest register that an instruction accesses. */
static uint32_t registers_accessed(const struct smc_sass_instruction *in)
{
    enum { LONGEST = 4 /* words of an access */ };
    const struct smc_sass_operand *operand[] = {&in->to,      &in->to_rest, &in->copy_to,
                                                &in->from[0], &in->from[1], &in->from[2]};
    /* Of atomics, what is not among the operands. */
    const uint64_t more[] = {smc_bits(in, 32, 8), smc_bits(in, 64, 8)};
    uint32_t most = 0;
    for (size_t i = 0; i < sizeof operand / sizeof *operand; i++) {
        const uint32_t words = operand[i]->registers > LONGEST ? operand[i]->registers : LONGEST;
        const uint32_t end = operand[i]->number + words;
        if (operand[i]->kind == SMC_OPERAND_REGISTER && operand[i]->number != SMC_ZERO_REGISTER)
            most = end > most ? end : most;
    }
    for (int i = 0; i < 2 && in->pipe == SMC_PIPE_LSU; i++)
        if (more[i] != SMC_ZERO_REGISTER && more[i] + LONGEST > most)
            most = (uint32_t)more[i] + LONGEST;
    return most < SMC_ZERO_REGISTER ? most : SMC_ZERO_REGISTER;
}

enum smc_status smc_machine_program_read(const void *code, size_t bytes, uint16_t cc,
                                         struct smc_machine_program *program,
                                         struct smc_error *error)
{
    struct smc_capability capability;
    *program = (struct smc_machine_program){0};
    smc_capability_nearest(cc, &capability);
    if (capability.machine_code_format == 0 ||
        capability.machine_code_format > SMC_NEWEST_CODE_FORMAT ||
        bytes % SMC_INSTRUCTION_BYTES != 0)
        return smc_fail(error, SMC_USAGE, "machine code of sm_%u is not read", cc);
    uint32_t count = (uint32_t)(bytes / SMC_INSTRUCTION_BYTES);
    program->step = smc_calloc(count ? count : 1, sizeof *program->step);
    if (!program->step)
        return smc_out_of_memory(error);
    program->count = count;
    for (uint32_t i = count; i-- > 0;) {
        uint64_t at = (uint64_t)i * SMC_INSTRUCTION_BYTES;
        if (!smc_instruction_decode((const char *)code + at, at, capability.machine_code_format,
                                    &program->step[i].in)) {
            program->unknown++;
            program->first_unknown = i;
        }
        const enum smc_operation operation = program->step[i].in.operation;
        program->step[i].is_plain = operation >= SMC_OP_IADD3 && operation <= SMC_OP_DSETP;
        const uint32_t registers = registers_accessed(&program->step[i].in);
        program->registers = registers > program->registers ? registers : program->registers;
    }
    find_calls(program);
    return SMC_OK;
}

bool smc_machine_program_leave_out(struct smc_machine_program *program, const uint64_t *offset,
                                   size_t count)
{
    bool any = false;
    for (uint32_t at = 0; at < program->count; at++) {
        struct smc_program_step *step = &program->step[at];
        uint32_t call = step->avoids_call ? avoided_call(program, at) : program->count;
        for (size_t i = 0; i < count && call < program->count; i++)
            step->is_taken |= offset[i] / SMC_INSTRUCTION_BYTES == target_of(program, call);
        any |= step->is_taken;
    }
    return any;
}

bool smc_machine_program_depends_on_data(const struct smc_machine_program *program)
{
    for (uint32_t i = 0; i < program->count; i++) {
        const struct smc_program_step *step = &program->step[i];
        enum smc_operation operation = step->in.operation;
        if (step->purpose != SMC_PURPOSE_CONTROL)
            continue;
        if (space_loaded(&step->in) || operation == SMC_OP_FSETP || operation == SMC_OP_DSETP)
            return true;
    }
    return false;
}

void smc_machine_program_append_place(const struct smc_machine_program *program, uint32_t step,
                                      struct smc_text *text)
{
    const uint64_t offset = (uint64_t)step * SMC_INSTRUCTION_BYTES;
    if (!program->cubin || !smc_cubin_append_line(program->cubin, program->entry, offset, text))
        smc_text_printf(text, "0x%" PRIx64 " of the machine code", offset);
}

void smc_machine_program_free(struct smc_machine_program *program)
{
    free(program->step);
    *program = (struct smc_machine_program){0};
}
