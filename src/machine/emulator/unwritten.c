/* Registers that are read before they are written: variables that the program did not set on the
   path that a thread took. Which registers may be is known from the flow of control, and is usually
   none. For those, the lanes that have written them are kept while the kernel runs. What is
   computed from an unwritten register counts as unwritten, too: compilers also compute what is not
   used. Only a use that others can see is a finding: in an address, a branch, or a value that is
   stored outside local memory. It names the instruction that read the register first.

   Each function is followed by itself: where it begins, only its parameters are written. A call
   writes its results. calls.c clears the marks of a function's registers when lanes enter it, and
   keeps those of the caller if it is the same function. */
#include "machine/emulator/emulator_state.h"
#include "machine/emulator/emulator_steps.h"
#include "machine/emulator/shadow.h"
#include "machine/emulator/unset_values.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { MOST_WORDS = 1 << 23, SLOT_UNIT = 64, MOST_RESULTS = SMC_MAX_VECTOR, MOST_TURNS = 16 };

/* --- Which ops -------------------------------------------------------------------------------- */

struct marked_block {
    uint32_t first, end;
};

/* Sets of slots: bit n is the slot at offset n * SLOT_UNIT. */
struct marked_flow {
    struct smc_program *program;
    uint32_t words;
    struct marked_block *block;
    uint32_t blocks;
    uint32_t *block_of; /* by op */
    uint64_t *in;       /* by block: may be unwritten where it begins */
    uint64_t *now, *tracked;
    bool *is_due;
    bool *is_of_product; /* by op; NULL: none */
};

static bool is_in(const uint64_t *set, uint32_t slot)
{
    return slot != SMC_NO_SLOT && set[slot / SLOT_UNIT / 64] >> (slot / SLOT_UNIT % 64) & 1;
}

static void put(uint64_t *set, uint32_t slot, bool holds)
{
    uint64_t bit = UINT64_C(1) << (slot / SLOT_UNIT % 64), *word = &set[slot / SLOT_UNIT / 64];
    *word = holds ? *word | bit : *word & ~bit;
}

static bool loads(const struct smc_op *op)
{
    return op->kind == SMC_OP_LOAD;
}

static bool stores(const struct smc_op *op)
{
    return op->kind == SMC_OP_STORE;
}

static bool accesses(const struct smc_op *op)
{
    return loads(op) || stores(op) || op->kind == SMC_OP_ATOMIC;
}

/* Whether the op passes on what its sources are: arithmetic, but also shuffles and others, whose
   results count as written. */
static bool reads_sources(const struct smc_op *op)
{
    return op->alu || op->kind == SMC_OP_ATOMIC;
}

static bool calls_address(const struct smc_op *op)
{
    return op->kind == SMC_OP_CALL && op->call->callee == 0;
}

/* The op's register a, if what it holds matters. */
static bool reads_a(const struct smc_op *op)
{
    return op->alu || accesses(op) || calls_address(op);
}

static bool has_second_target(const struct smc_op *op)
{
    return op->kind == SMC_OP_SHUFFLE || op->kind == SMC_OP_MATCH || op->kind == SMC_OP_ELECT;
}

static bool writes_d(const struct smc_op *op)
{
    return op->alu || op->d_kind != SMC_SLOT_NONE || has_second_target(op) ||
           op->kind == SMC_OP_VOTE || op->kind == SMC_OP_ACTIVE_MASK || op->kind == SMC_OP_REDUCE;
}

/* The n-th register that a matrix instruction or a call writes; SMC_NO_SLOT: there are fewer. */
static uint32_t listed_target(const struct smc_op *op, uint32_t n)
{
    if (op->kind != SMC_OP_CALL)
        return n < op->written ? op->list[n] : SMC_NO_SLOT;
    uint32_t i = 0;
    for (; i < op->call->results; i++)
        if (op->call->result[i].slot != SMC_NO_SLOT && n-- == 0)
            break;
    return i < op->call->results ? op->call->result[i].slot : SMC_NO_SLOT;
}

/* The slots that the op reads and that matter. */
static uint32_t sources(const struct smc_op *op, uint32_t slot[SMC_MAX_VECTOR + 4])
{
    uint32_t count = 0;
    if (op->guard != SMC_NO_SLOT)
        slot[count++] = op->guard;
    if (reads_a(op))
        slot[count++] = op->a;
    if (reads_sources(op)) {
        slot[count++] = op->b;
        slot[count++] = op->c;
    }
    for (uint32_t i = 0; stores(op) && i < op->vector; i++)
        slot[count++] = op->v[i];
    return count;
}

static void write_slot(const struct marked_flow *flow, const struct smc_op *op, uint32_t slot,
                       bool unwritten)
{
    if (slot != SMC_NO_SLOT && slot != 0)
        put(flow->now, slot, unwritten || (op->guard != SMC_NO_SLOT && is_in(flow->now, slot)));
}

/* The effect of an op on the set `now`; notes the slots that are read while they are in it. */
static void unwritten_pass(const struct marked_flow *flow, const struct smc_op *op)
{
    uint32_t slot[SMC_MAX_VECTOR + 4], count = sources(op, slot);
    bool unwritten = false;
    for (uint32_t i = 0; i < count; i++)
        if (is_in(flow->now, slot[i])) {
            put(flow->tracked, slot[i], true);
            unwritten |= op->alu && (slot[i] != op->guard);
        }
    if (writes_d(op))
        write_slot(flow, op, op->d, unwritten);
    for (uint32_t i = 0; loads(op) && i < op->vector; i++)
        write_slot(flow, op, op->v[i], false);
    if (has_second_target(op))
        write_slot(flow, op, op->v[1], false);
    for (uint32_t i = 0; listed_target(op, i) != SMC_NO_SLOT; i++)
        write_slot(flow, op, listed_target(op, i), false);
    if (unwritten)
        put(flow->tracked, op->d, true);
}

static void flow_to(const struct marked_flow *flow, uint32_t op)
{
    if (op >= flow->program->ops)
        return;
    uint32_t block = flow->block_of[op];
    uint64_t *in = flow->in + (size_t)block * flow->words;
    for (uint32_t i = 0; i < flow->words; i++) {
        flow->is_due[block] |= (flow->now[i] & ~in[i]) != 0;
        in[i] |= flow->now[i];
    }
}

static void pass_block(const struct marked_flow *flow, uint32_t b)
{
    const struct smc_op *ops = flow->program->op, *last = &ops[flow->block[b].end - 1];
    memcpy(flow->now, flow->in + (size_t)b * flow->words, flow->words * sizeof *flow->now);
    for (uint32_t i = flow->block[b].first; i < flow->block[b].end; i++)
        unwritten_pass(flow, &ops[i]);
    if (!smc_op_ends_flow(last) || last->guard != SMC_NO_SLOT)
        flow_to(flow, flow->block[b].end);
    if (last->kind == SMC_OP_BRANCH)
        flow_to(flow, last->target);
    for (uint32_t i = 0; i < last->target_count; i++)
        flow_to(flow, last->targets[i]);
}

static void unwritten_cut_blocks(struct marked_flow *flow)
{
    const struct smc_program *program = flow->program;
    bool *leads = flow->is_due; /* not needed yet */
    smc_mark_leaders(program, leads);
    for (uint32_t i = 0; i < program->ops; i++) {
        if (leads[i])
            flow->block[flow->blocks++] = (struct marked_block){i, i};
        flow->block[flow->blocks - 1].end = i + 1;
        flow->block_of[i] = flow->blocks - 1;
    }
    memset(flow->is_due, 0, program->ops + 1);
}

/* Where the kernel or a function begins, nothing is written but the fixed slots and parameters. */
static void begin_at(const struct marked_flow *flow, uint32_t op, size_t first_slot,
                     size_t end_slot)
{
    const struct smc_program *program = flow->program;
    uint64_t *in = flow->in + (size_t)flow->block_of[op] * flow->words;
    for (size_t i = first_slot; i < end_slot; i++)
        put(in, program->slot[i].offset, true);
    for (size_t i = 0; i < program->fixed_count; i++)
        put(in, program->fixed[i].offset, false);
    put(in, 0, false);
    put(in, program->frame_slot, false);
    flow->is_due[flow->block_of[op]] = true;
}

static void begin_flow(const struct marked_flow *flow)
{
    const struct smc_program *program = flow->program;
    begin_at(flow, 0, 0, program->slots);
    for (size_t n = 0; n < program->functions; n++) {
        const struct smc_function *function = &program->function[n];
        if (!function->is_defined)
            continue;
        begin_at(flow, function->first_op, function->first_slot, function->end_slot);
        uint64_t *in = flow->in + (size_t)flow->block_of[function->first_op] * flow->words;
        for (uint32_t i = 0; i < function->parameters; i++)
            if (function->parameter[i].slot != SMC_NO_SLOT)
                put(in, function->parameter[i].slot, false);
    }
}

static void run_flow(const struct marked_flow *flow)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = 0; b < flow->blocks; b++) {
            if (!flow->is_due[b])
                continue;
            flow->is_due[b] = false;
            changed = true;
            pass_block(flow, b);
        }
    }
}

/* --- The tracks ------------------------------------------------------------------------------- */

/* The slots of a tracked register's lanes are found by the register's slot. */
static uint32_t lanes_of(const struct marked_flow *flow, const uint32_t *lanes, uint32_t slot)
{
    return is_in(flow->tracked, slot) ? lanes[slot / SLOT_UNIT] : 0;
}

static bool add_track(const struct marked_flow *flow, uint32_t index, const uint32_t *lanes)
{
    struct smc_program *program = flow->program;
    const struct smc_op *op = &program->op[index];
    struct smc_track track = {.op = index,
                              .is_of_product = flow->is_of_product && flow->is_of_product[index]};
    track.guard = lanes_of(flow, lanes, op->guard);
    if (reads_a(op))
        track.a = lanes_of(flow, lanes, op->a);
    if (reads_sources(op)) {
        track.b = lanes_of(flow, lanes, op->b);
        track.c = lanes_of(flow, lanes, op->c);
    }
    if (writes_d(op))
        track.d = lanes_of(flow, lanes, op->d);
    bool has_vector = loads(op) || stores(op);
    for (uint32_t i = 0; has_vector && i < op->vector; i++)
        track.v[i] = lanes_of(flow, lanes, op->v[i]);
    if (has_second_target(op))
        track.v[1] = lanes_of(flow, lanes, op->v[1]);
    for (uint32_t i = 0; i < MOST_RESULTS && listed_target(op, i) != SMC_NO_SLOT; i++)
        track.listed[i] = lanes_of(flow, lanes, listed_target(op, i));
    static const struct smc_track none;
    struct smc_track rest = track;
    rest.op = 0;
    if (memcmp(&rest, &none, sizeof none) == 0)
        return true;
    program->track = smc_arena_grow(&program->arena, program->track, program->tracks,
                                    &program->track_room, sizeof *program->track);
    if (program->track)
        program->track[program->tracks++] = track;
    return program->track != NULL;
}

/* The marks of the function's registers; of parameters, `is_parameter`. */
static bool list_marks(const struct marked_flow *flow, const uint32_t *lanes,
                       struct smc_function *function)
{
    const struct smc_program *program = flow->program;
    uint32_t room = function->end_slot - function->first_slot;
    if (!function->is_defined || !room)
        return true;
    function->mark = smc_arena_take(&flow->program->arena, room * sizeof *function->mark);
    for (uint32_t i = function->first_slot; function->mark && i < function->end_slot; i++) {
        uint32_t slot = program->slot[i].offset, offset = lanes_of(flow, lanes, slot);
        bool is_parameter = false;
        for (uint32_t p = 0; p < function->parameters; p++)
            is_parameter |= function->parameter[p].slot == slot;
        if (offset)
            function->mark[function->marks++] = (struct smc_mark){offset, is_parameter};
    }
    return function->mark != NULL;
}

static uint32_t new_slot(struct smc_program *program)
{
    uint32_t offset = program->file_bytes;
    program->file_bytes += SLOT_UNIT;
    return offset;
}

static bool add_tracks(const struct marked_flow *flow)
{
    struct smc_program *program = flow->program;
    smc_auto_free uint32_t *lanes = smc_calloc(program->file_bytes / SLOT_UNIT + 1, sizeof *lanes);
    bool worked = lanes != NULL;
    for (size_t i = 0; worked && i < program->slots; i++)
        if (is_in(flow->tracked, program->slot[i].offset))
            lanes[program->slot[i].offset / SLOT_UNIT] = new_slot(program);
    for (size_t i = 0; worked && i < program->functions; i++)
        worked = list_marks(flow, lanes, &program->function[i]);
    for (uint32_t i = 0; worked && i < program->ops; i++)
        worked = add_track(flow, i, lanes);
    return worked;
}

/* --- Copies within local memory --------------------------------------------------------------- */

static bool may_be_local(const struct smc_op *op)
{
    return op->space == SMC_SPACE_LOCAL || op->space == SMC_SPACE_GENERIC;
}

/* What is no use of a value: nothing; a move, and a store to what may be local memory; or a move
   and any store. */
enum copying { NO_COPIES, LOCAL_COPIES, ALL_COPIES };

static bool is_copy(const struct smc_op *op, enum copying copying)
{
    return copying != NO_COPIES &&
           (smc_op_is_move(op) || (stores(op) && (copying == ALL_COPIES || may_be_local(op))));
}

/* Adds the slots whose values the op uses. */
static void add_uses(uint64_t *used, const struct smc_op *op, enum copying copying)
{
    const uint32_t slot[] = {op->a, op->b, op->c, op->guard};
    bool is_call = op->kind == SMC_OP_CALL;
    const bool copies = is_copy(op, copying);
    for (size_t i = copies && smc_op_is_move(op) ? 3 : 0; i < sizeof slot / sizeof *slot; i++)
        if (slot[i] != SMC_NO_SLOT)
            put(used, slot[i], true);
    for (uint32_t i = 0; i < SMC_MAX_VECTOR; i++)
        if (!loads(op) && !copies && op->v[i] != SMC_NO_SLOT)
            put(used, op->v[i], true);
    for (uint32_t i = op->written; i < op->listed; i++)
        put(used, op->list[i], true);
    for (uint32_t i = 0; is_call && i < op->call->arguments; i++)
        if (op->call->argument[i].slot != SMC_NO_SLOT)
            put(used, op->call->argument[i].slot, true);
}

/* The slots whose values are used, also after moves. After MOST_TURNS a use after many moves may
   be missed, and so is what it finds. */
static void unwritten_find_uses(const struct smc_program *program, uint64_t *used,
                                enum copying copying)
{
    for (size_t i = 0; i < program->ops; i++)
        add_uses(used, &program->op[i], copying);
    bool changed = true;
    for (int turn = 0; changed && turn < MOST_TURNS; turn++) {
        changed = false;
        for (size_t i = program->ops; i-- > 0;) {
            const struct smc_op *op = &program->op[i];
            bool passes = smc_op_is_move(op) && is_in(used, op->d) && !is_in(used, op->a);
            if (passes)
                put(used, op->a, true);
            changed |= passes;
        }
    }
}

/* A structure of which not all was set may be copied, such as when a function returns it. */
static void find_copies(struct smc_program *program, uint64_t *used)
{
    unwritten_find_uses(program, used, LOCAL_COPIES);
    for (size_t i = 0; i < program->ops; i++) {
        struct smc_op *op = &program->op[i];
        op->only_copies = loads(op) && may_be_local(op);
        for (uint32_t n = 0; n < op->vector; n++)
            op->only_copies &= !is_in(used, op->v[n]);
    }
}

/* Copies of structures carry the padding between members along. */
static void find_computed(struct smc_program *program, uint64_t *used)
{
    unwritten_find_uses(program, used, ALL_COPIES);
    for (size_t i = 0; i < program->ops; i++) {
        struct smc_op *op = &program->op[i];
        for (uint32_t n = 0; loads(op) && n < op->vector; n++)
            op->computed |= (uint8_t)(is_in(used, op->v[n]) << n);
    }
}

/* --- Vectors that are loaded, but not used up to their end ------------------------------------ */

/* Compilers load four elements at once where three are used: an aligned vector that begins in an
   allocation does not fault on a GPU, even if the allocation ends within it. */
static void find_padding(struct smc_program *program, uint64_t *used)
{
    for (size_t i = 0; i < program->ops; i++)
        add_uses(used, &program->op[i], NO_COPIES);
    for (size_t i = 0; i < program->ops; i++) {
        struct smc_op *op = &program->op[i];
        if (!loads(op))
            continue;
        uint32_t elements = op->vector;
        while (elements > 1 && !is_in(used, op->v[elements - 1]))
            elements--;
        op->used_bytes = (uint8_t)(elements * op->width_bytes);
    }
}

bool smc_find_tracks(struct smc_program *program)
{
    size_t ops = program->ops;
    struct marked_flow flow = {.program = program,
                               .words = program->file_bytes / SLOT_UNIT / 64 + 1};
    flow.block = smc_calloc(ops + 1, sizeof *flow.block);
    flow.block_of = smc_calloc(ops + 1, sizeof *flow.block_of);
    flow.is_due = smc_calloc(ops + 1, sizeof *flow.is_due);
    flow.now = smc_calloc(flow.words, sizeof *flow.now);
    flow.tracked = smc_calloc(flow.words, sizeof *flow.tracked);
    bool worked = flow.block && flow.block_of && flow.is_due && flow.now && flow.tracked;
    if (worked) {
        unwritten_cut_blocks(&flow);
        find_copies(program, flow.now);
        memset(flow.now, 0, flow.words * sizeof *flow.now);
        find_computed(program, flow.now);
        memset(flow.now, 0, flow.words * sizeof *flow.now);
        find_padding(program, flow.now);
    }
    /* A kernel beyond this size is not tracked, nor one with functions of very many results. */
    bool fits = worked && (uint64_t)flow.blocks * flow.words <= MOST_WORDS;
    for (size_t i = 0; fits && i < ops; i++)
        fits = listed_target(&program->op[i], MOST_RESULTS) == SMC_NO_SLOT;
    if (fits)
        flow.in = smc_calloc((size_t)flow.blocks * flow.words, sizeof *flow.in);
    worked = worked && (flow.in || !fits);
    if (worked && fits) {
        begin_flow(&flow);
        run_flow(&flow);
        if (program->has_products)
            flow.is_of_product = smc_wgmma_registers_find_ops(program);
        worked = add_tracks(&flow) && (flow.is_of_product || !program->has_products);
    }
    free(flow.block);
    free(flow.block_of);
    free(flow.is_of_product);
    free(flow.is_due);
    free(flow.now);
    free(flow.tracked);
    free(flow.in);
    return worked;
}

struct smc_op *smc_tracked_ops(const struct smc_program *program)
{
    struct smc_op *ops = smc_malloc(program->ops * sizeof *ops);
    if (!ops)
        return NULL;
    memcpy(ops, program->op, program->ops * sizeof *ops);
    for (size_t i = 0; i < program->tracks; i++) {
        struct smc_op *op = &ops[program->track[i].op];
        op->alu = NULL;
        op->step = smc_step_tracked;
        op->track = (uint32_t)i;
    }
    return ops;
}

/* --- While the kernel runs -------------------------------------------------------------------- */

/* The lanes that have written a register, and the instruction that read it before that, plus one.
 */
struct written {
    uint32_t lanes, reader;
};

static struct written *written_at(const struct smc_warp *warp, uint32_t offset)
{
    return (struct written *)(warp->file + offset);
}

/* The lanes of `mask` for which a source is unwritten. */
static uint32_t missing(const struct smc_warp *warp, uint32_t offset, uint32_t mask,
                        const struct smc_op *op, uint32_t *reader)
{
    if (!offset)
        return 0;
    struct written *written = written_at(warp, offset);
    uint32_t lanes = mask & ~written->lanes;
    if (lanes && !written->reader)
        written->reader = op->instruction + 1;
    if (lanes && !*reader)
        *reader = written->reader;
    return lanes;
}

/* The lanes whose result is computed from something unwritten that it depends on. */
static uint32_t spoilt(const struct smc_warp *warp, const struct smc_op *op,
                       const struct smc_track *track, uint32_t mask, uint32_t *reader)
{
    uint32_t a_mask = mask, b_mask = mask;
    smc_chosen_lanes(warp, op, &a_mask, &b_mask);
    const uint32_t a = missing(warp, track->a, a_mask, op, reader);
    const uint32_t b = missing(warp, track->b, b_mask, op, reader);
    const uint32_t c = missing(warp, track->c, mask, op, reader);
    return smc_spoilt_lanes(warp, op, a, b, c);
}

/* A use that shows: each lane of a register is reported once. */
static void check(struct smc_worker *worker, const struct smc_warp *warp, const struct smc_op *op,
                  uint32_t offset, uint32_t mask)
{
    uint32_t reader = 0, lanes = missing(warp, offset, mask, op, &reader);
    if (!lanes)
        return;
    struct smc_finding finding =
        smc_finding_at(worker, SMC_FINDING_UNWRITTEN_REGISTER, reader - 1,
                       smc_thread_of(warp, (uint32_t)__builtin_ctz(lanes)));
    finding.times = smc_lane_count(lanes);
    smc_find(worker, &finding);
    written_at(warp, offset)->lanes |= lanes;
}

static void check_uses(struct smc_worker *worker, const struct smc_warp *warp,
                       const struct smc_op *op, const struct smc_track *track, uint32_t mask)
{
    if (track->guard)
        check(worker, warp, op, track->guard,
              op->step_without_lanes ? warp->group[warp->current].active : mask);
    if (!accesses(op) && !calls_address(op))
        return;
    check(worker, warp, op, track->a, mask);
    check(worker, warp, op, track->b, mask);
    check(worker, warp, op, track->c, mask);
}

/* What is stored to shared memory is followed: see unset_values.h. */
static enum smc_next store_tracked(struct smc_worker *worker, struct smc_warp *warp,
                                   const struct smc_op *op, const struct smc_track *track,
                                   uint32_t mask)
{
    struct smc_unset_stores shared = {.lanes = 0};
    uint32_t reader[SMC_MAX_VECTOR] = {0}, lanes[SMC_MAX_VECTOR] = {0}, any = 0;
    for (uint32_t i = 0; i < op->vector && op->space != SMC_SPACE_LOCAL; i++)
        any |= lanes[i] = missing(warp, track->v[i], mask, op, &reader[i]);
    if (any)
        smc_unset_find_stores(worker, warp, op, any, &shared);
    for (uint32_t i = 0; any && i < op->vector; i++)
        check(worker, warp, op, track->v[i], lanes[i] & ~shared.lanes);
    const enum smc_next next = op->step(worker, warp, op, mask);
    for (uint32_t i = 0; any && i < op->vector; i++)
        EACH_ACTIVE(lane, lanes[i] & shared.lanes) {
            const struct smc_unset_origin origin = {reader[i] - 1, smc_thread_of(warp, lane), true};
            smc_shadow_leave_unset(worker, warp, op, lane,
                                   shared.address[lane] + (uint64_t)i * op->width_bytes, &origin);
        }
    return next;
}

static void unwritten_note(const struct smc_warp *warp, uint32_t offset, uint32_t mask,
                           uint32_t unwritten, uint32_t reader)
{
    if (!offset)
        return;
    struct written *written = written_at(warp, offset);
    written->lanes = (written->lanes | mask) & ~unwritten;
    if (unwritten)
        written->reader = reader;
}

void smc_marks_begin(const struct smc_function *function, const struct smc_warp *warp,
                     uint32_t mask, uint32_t *kept)
{
    for (uint32_t i = 0; i < function->marks; i++) {
        struct written *written = written_at(warp, function->mark[i].offset);
        if (kept)
            kept[i] = written->lanes;
        written->lanes &= ~mask;
        if (function->mark[i].is_parameter)
            written->lanes |= mask;
    }
}

void smc_marks_restore(const struct smc_function *function, const struct smc_warp *warp,
                       uint32_t mask, const uint32_t *kept)
{
    for (uint32_t i = 0; i < function->marks; i++) {
        struct written *written = written_at(warp, function->mark[i].offset);
        written->lanes = (written->lanes & ~mask) | (kept[i] & mask);
    }
}

enum smc_next smc_step_tracked(struct smc_worker *worker, struct smc_warp *warp,
                               const struct smc_op *op, uint32_t mask)
{
    const struct smc_program *original = worker->launch->request->program;
    const struct smc_track *track = &original->track[op->track];
    const struct smc_op *plain = &original->op[track->op];
    uint32_t reader = 0;
    const bool is_now =
        !track->is_of_product || smc_wgmma_registers_check(worker, warp, plain, mask);
    check_uses(worker, warp, plain, track, mask);
    if (plain->alu) {
        uint32_t unwritten = spoilt(warp, plain, track, mask, &reader);
        if (is_now)
            smc_warp_compute(warp, plain, mask);
        unwritten_note(warp, track->d, mask, unwritten, reader);
        return SMC_GO_ON;
    }
    if (stores(plain))
        return store_tracked(worker, warp, plain, track, mask);
    /* Operations across lanes also write for lanes that came before. */
    uint32_t writers = accesses(plain) || plain->kind == SMC_OP_CALL ? mask : UINT32_MAX;
    unwritten_note(warp, track->d, writers, 0, 0);
    for (uint32_t i = 0; i < SMC_MAX_VECTOR; i++)
        unwritten_note(warp, track->v[i], writers, 0, 0);
    for (uint32_t i = 0; i < MOST_RESULTS; i++)
        unwritten_note(warp, track->listed[i], writers, 0, 0);
    return plain->step ? plain->step(worker, warp, plain, mask) : SMC_GO_ON;
}
