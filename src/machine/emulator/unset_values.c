/* Follows values that were read from unwritten shared memory, and variables that were not set and
   then stored in shared memory, until they are used. */
#include "machine/emulator/unset_values.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "machine/emulator/emulator_steps.h"
#include "machine/emulator/shadow.h"

enum { SLOT_UNIT = 64 };

/* Values of one origin: of each lane the last one. */
struct unset_source {
    uint32_t instruction, bytes; /* bytes: of the load, 0: the value was stored since */
    bool is_register;
    uint32_t thread[SMC_LANES];
    uint64_t address[SMC_LANES];
};

/* Of a warp. */
struct smc_unset {
    uint32_t *lanes;               /* by register: those that hold an unset value, */
    uint32_t (*source)[SMC_LANES]; /* of this source and lane: number * SMC_LANES + lane */
    struct unset_source *item;
    size_t count, room;
};

static uint32_t *unset_lanes_at(const struct smc_warp *warp, uint32_t slot)
{
    return &warp->unset->lanes[slot / SLOT_UNIT];
}

static uint32_t unset_lanes(const struct smc_warp *warp, uint32_t slot, uint32_t mask)
{
    return slot == SMC_NO_SLOT ? 0 : *unset_lanes_at(warp, slot) & mask;
}

static uint32_t *source_at(const struct smc_warp *warp, uint32_t slot, uint32_t lane)
{
    return &warp->unset->source[slot / SLOT_UNIT][lane];
}

static struct smc_unset_origin origin_at(const struct smc_warp *warp, uint32_t slot, uint32_t lane)
{
    const uint32_t number = *source_at(warp, slot, lane);
    const struct unset_source *source = &warp->unset->item[number / SMC_LANES];
    return (struct smc_unset_origin){source->instruction, source->thread[number % SMC_LANES],
                                     source->is_register};
}

/* --- Uses ------------------------------------------------------------------------------------- */

/* The lanes of `mask` for which the register is unset; each is reported once. */
static void report_use(struct smc_worker *worker, const struct smc_warp *warp, uint32_t slot,
                       uint32_t mask)
{
    const uint32_t lanes = unset_lanes(warp, slot, mask);
    EACH_ACTIVE(lane, lanes) {
        const uint32_t number = *source_at(warp, slot, lane);
        const struct unset_source *source = &warp->unset->item[number / SMC_LANES];
        const struct smc_unset_origin origin = origin_at(warp, slot, lane);
        smc_shadow_report_unset(worker, &origin, source->address[number % SMC_LANES],
                                source->bytes);
    }
    if (lanes)
        *unset_lanes_at(warp, slot) &= ~lanes;
}

struct unset_use {
    struct smc_worker *worker;
    const struct smc_warp *warp;
    uint32_t mask;
};

static bool use_slot(void *context, uint32_t slot)
{
    const struct unset_use *use = context;
    report_use(use->worker, use->warp, slot, use->mask);
    return false;
}

static bool set_slot(void *context, uint32_t slot)
{
    const struct unset_use *use = context;
    *unset_lanes_at(use->warp, slot) &= ~use->mask;
    return false;
}

/* --- Sources ---------------------------------------------------------------------------------- */

enum { MOST_SOURCES = UINT16_MAX };

/* The number of the source with this origin; a new one where there is none yet. `bytes` as in
   struct unset_source. SIZE_MAX: out of memory. */
static size_t unset_source_of(struct smc_unset *unset, const struct smc_unset_origin *origin,
                              uint32_t bytes)
{
    for (size_t i = 0; i < unset->count; i++)
        if (unset->item[i].instruction == origin->instruction && unset->item[i].bytes == bytes &&
            unset->item[i].is_register == origin->is_register)
            return i;
    if (unset->count == MOST_SOURCES ||
        !smc_make_room(&unset->item, unset->count, &unset->room, sizeof *unset->item))
        return SIZE_MAX;
    unset->item[unset->count] = (struct unset_source){
        .instruction = origin->instruction, .bytes = bytes, .is_register = origin->is_register};
    return unset->count++;
}

/* The lane's register is unset from now on. */
static void unset_set(struct smc_worker *worker, const struct smc_warp *warp, uint32_t slot,
                      uint32_t lane, const struct smc_unset_origin *origin, uint32_t bytes)
{
    const size_t number = unset_source_of(warp->unset, origin, bytes);
    worker->out_of_memory |= number == SIZE_MAX;
    if (number == SIZE_MAX)
        return;
    warp->unset->item[number].thread[lane] = origin->thread;
    warp->unset->item[number].address[lane] = worker->unset.address[lane];
    *source_at(warp, slot, lane) = (uint32_t)number * SMC_LANES + lane;
    *unset_lanes_at(warp, slot) |= 1u << lane;
}

/* --- Ops -------------------------------------------------------------------------------------- */

static uint32_t predicate_at(const struct smc_warp *warp, uint32_t offset)
{
    return *(const lane_u32 *)(warp->file + offset);
}

void smc_chosen_lanes(const struct smc_warp *warp, const struct smc_op *op, uint32_t *a,
                      uint32_t *b)
{
    if (op->alu != smc_select_32 && op->alu != smc_select_64)
        return;
    const uint32_t chosen = predicate_at(warp, op->c);
    *a &= chosen;
    *b &= ~chosen;
}

bool smc_joins_parts(const struct smc_op *op)
{
    return op->alu == smc_pack_32 || op->alu == smc_pack_16;
}

uint32_t smc_spoilt_lanes(const struct smc_warp *warp, const struct smc_op *op, uint32_t a,
                          uint32_t b, uint32_t c)
{
    if (smc_joins_parts(op)) /* the other half may be unused */
        return a & b;
    if (op->alu == smc_bits_and[SMC_PTX_PRED] || op->alu == smc_bits_or[SMC_PTX_PRED]) {
        uint32_t flip = op->alu == smc_bits_and[SMC_PTX_PRED] ? UINT32_MAX : 0;
        uint32_t decides_a = ~a & (predicate_at(warp, op->a) ^ flip);
        uint32_t decides_b = ~b & (predicate_at(warp, op->b) ^ flip);
        return (a | b) & ~decides_a & ~decides_b;
    }
    if (op->d_kind == SMC_SLOT_PREDICATE && op->immediate & (SMC_COMBINE_AND | SMC_COMBINE_OR)) {
        uint32_t flip = op->immediate & SMC_COMBINE_AND ? UINT32_MAX : 0;
        a &= ~(~c & (predicate_at(warp, op->c) ^ flip));
        b &= ~(~c & (predicate_at(warp, op->c) ^ flip));
    }
    return a | b | c;
}

/* The result of these lanes is unset, as an operand is. */
static void pass_on(const struct smc_warp *warp, const struct smc_op *op, uint32_t mask,
                    uint32_t lanes)
{
    const uint32_t from[] = {op->a, op->b, op->c};
    uint32_t source[SMC_LANES] = {0};
    if (op->d == SMC_NO_SLOT || op->d == 0)
        return;
    for (size_t i = 0; lanes && i < sizeof from / sizeof *from; i++)
        EACH_ACTIVE(lane, unset_lanes(warp, from[i], lanes))
            source[lane] = *source_at(warp, from[i], lane);
    *unset_lanes_at(warp, op->d) = (*unset_lanes_at(warp, op->d) & ~mask) | lanes;
    EACH_ACTIVE(lane, lanes)
        *source_at(warp, op->d, lane) = source[lane];
}

/* A result is unset if it depends on an operand that is. */
static void unset_compute(const struct smc_warp *warp, const struct smc_op *op, uint32_t mask)
{
    uint32_t a_mask = mask, b_mask = mask;
    smc_chosen_lanes(warp, op, &a_mask, &b_mask);
    const uint32_t a = unset_lanes(warp, op->a, a_mask), b = unset_lanes(warp, op->b, b_mask);
    const uint32_t c = unset_lanes(warp, op->c, mask);
    pass_on(warp, op, mask, smc_joins_parts(op) ? a | b | c : smc_spoilt_lanes(warp, op, a, b, c));
}

void smc_unset_move(const struct smc_warp *warp, uint32_t lanes,
                    const struct smc_unset_move move[SMC_LANES])
{
    uint32_t unset = 0;
    uint32_t source[SMC_LANES] = {0};
    EACH_ACTIVE(lane, lanes) {
        const struct smc_unset_move *from = &move[lane];
        unset |= (unset_lanes(warp, from->slot, UINT32_MAX) >> from->lane & 1) << lane;
        source[lane] = *source_at(warp, from->slot, from->lane);
    }
    EACH_ACTIVE(lane, lanes) {
        uint32_t *to = unset_lanes_at(warp, move[lane].to);
        *to = (*to & ~(1u << lane)) | (unset & 1u << lane);
        *source_at(warp, move[lane].to, lane) = source[lane];
    }
}

void smc_unset_find_stores(const struct smc_worker *worker, const struct smc_warp *warp,
                           const struct smc_op *op, uint32_t mask, struct smc_unset_stores *stores)
{
    const bool is_generic = op->space == SMC_SPACE_GENERIC;
    stores->lanes = 0;
    if (!worker->shadow || (!is_generic && op->space != SMC_SPACE_SHARED))
        return;
    smc_memory_addresses(warp, op, stores->address);
    EACH_ACTIVE(lane, mask) {
        uint64_t *address = &stores->address[lane];
        const bool is_shared = !is_generic || smc_space_of(*address) == SMC_SPACE_SHARED;
        *address -= is_generic && is_shared ? SMC_SHARED_WINDOW : 0;
        if (is_shared && *address < worker->launch->smem_bytes)
            stores->lanes |= 1u << lane;
    }
}

static const struct smc_op *original_of(const struct smc_worker *worker, const struct smc_op *op)
{
    return &worker->launch->request->program->op[op - worker->launch->program->op];
}

void smc_unset_before(struct smc_worker *worker, struct smc_warp *warp, const struct smc_op *op,
                      uint32_t mask, struct smc_unset_stores *stores)
{
    const struct smc_op *plain = original_of(worker, op);
    struct unset_use use = {worker, warp, mask};
    stores->lanes = 0;
    if (plain->guard != SMC_NO_SLOT)
        report_use(worker, warp, plain->guard, warp->group[warp->current].active);
    if (plain->kind == SMC_OP_STORE) {
        smc_unset_find_stores(worker, warp, plain, mask, stores);
        report_use(worker, warp, plain->a, mask);
        for (uint32_t i = 0; i < plain->vector; i++)
            report_use(worker, warp, plain->v[i], mask & ~stores->lanes);
    } else if (plain->alu) {
        unset_compute(warp, plain, mask);
    } else if (plain->kind == SMC_OP_SHUFFLE) {
        report_use(worker, warp, plain->b, mask); /* the step itself calls smc_unset_move */
        report_use(worker, warp, plain->c, mask);
        if (plain->v[1] != SMC_NO_SLOT)
            set_slot(&use, plain->v[1]);
    } else {
        smc_op_sources(plain, use_slot, &use);
        smc_op_targets(plain, set_slot, &use);
    }
}

void smc_unset_after(struct smc_worker *worker, const struct smc_warp *warp,
                     const struct smc_op *op, const struct smc_unset_stores *stores)
{
    const struct smc_op *plain = original_of(worker, op);
    for (uint32_t i = 0; stores->lanes && i < plain->vector; i++)
        EACH_ACTIVE(lane, unset_lanes(warp, plain->v[i], stores->lanes)) {
            const struct smc_unset_origin origin = origin_at(warp, plain->v[i], lane);
            smc_shadow_leave_unset(worker, warp, plain, lane,
                                   stores->address[lane] + (uint64_t)i * plain->width_bytes,
                                   &origin);
        }
}

/* --- Where it begins -------------------------------------------------------------------------- */

static struct smc_unset *unset_new(const struct smc_program *program)
{
    const size_t slots = program->file_bytes / SLOT_UNIT + 1;
    struct smc_unset *unset = smc_calloc(1, sizeof *unset);
    if (!unset)
        return NULL;
    unset->lanes = smc_calloc(slots, sizeof *unset->lanes);
    unset->source = smc_calloc(slots, sizeof *unset->source);
    return unset;
}

void smc_unset_begin(struct smc_worker *worker, struct smc_warp *warp, const struct smc_op *op)
{
    const struct smc_program *program = worker->launch->program;
    struct smc_unset_note *note = &worker->unset;
    if (!warp->unset)
        warp->unset = unset_new(program);
    const bool has_room = warp->unset && warp->unset->lanes && warp->unset->source;
    worker->out_of_memory |= !has_room;
    if (has_room && !warp->has_unset) {
        memset(warp->unset->lanes, 0,
               (program->file_bytes / SLOT_UNIT + 1) * sizeof *warp->unset->lanes);
        warp->unset->count = 0;
    }
    for (uint32_t i = 0; has_room && i < op->vector; i++)
        EACH_ACTIVE(lane, op->v[i] == SMC_NO_SLOT ? 0 : note->lanes[i]) {
            const bool is_stored = note->stored >> lane & 1;
            const struct smc_unset_origin own = {op->instruction, smc_thread_of(warp, lane), false};
            unset_set(worker, warp, op->v[i], lane, is_stored ? &note->origin[lane] : &own,
                      is_stored ? 0 : smc_op_bytes(op));
        }
    warp->has_unset = has_room;
    memset(note, 0, sizeof *note);
}

void smc_unset_give_up(struct smc_worker *worker, const struct smc_warp *warp)
{
    const uint32_t slots = worker->launch->program->file_bytes / SLOT_UNIT;
    for (size_t n = 0; warp->has_unset && n < warp->unset->count; n++) {
        const struct unset_source *source = &warp->unset->item[n];
        uint32_t lanes = 0;
        for (uint32_t i = 0; i < slots; i++)
            EACH_ACTIVE(lane, warp->unset->lanes[i])
                if (warp->unset->source[i][lane] / SMC_LANES == n)
                    lanes |= 1u << warp->unset->source[i][lane] % SMC_LANES;
        EACH_ACTIVE(lane, lanes) {
            const struct smc_unset_origin origin = {source->instruction, source->thread[lane],
                                                    source->is_register};
            smc_shadow_report_unset(worker, &origin, source->address[lane], source->bytes);
        }
    }
}

void smc_unset_free(struct smc_warp *warp)
{
    if (warp->unset) {
        free(warp->unset->lanes);
        free(warp->unset->source);
        free(warp->unset->item);
    }
    free(warp->unset);
}
