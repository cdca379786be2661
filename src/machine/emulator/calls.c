/* Calls and returns. A group of lanes that calls a function runs it with a frame of its own, and
   continues after the call when all of its lanes have returned or exited. Lanes that call
   different functions diverge first. Each function has its own registers; a lane that enters a
   function that it has not left yet has them saved until it returns. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "machine/emulator/emulator_state.h"
#include "machine/emulator/emulator_steps.h"
#include "machine/emulator/frames.h"

/* --- Registers of functions that are entered again -------------------------------------------- */

static size_t calls_registers_of(const struct smc_program *program,
                                 const struct smc_function *function, size_t *begin)
{
    if (function->first_slot == function->end_slot)
        return 0;
    *begin = program->slot[function->first_slot].offset;
    size_t end = function->end_slot < program->slots ? program->slot[function->end_slot].offset
                                                     : program->file_bytes;
    return end - *begin;
}

static bool save_registers(const struct smc_program *program, const struct smc_function *function,
                           const struct smc_warp *warp, struct smc_call_frame *frame)
{
    size_t begin = 0, bytes = calls_registers_of(program, function, &begin);
    size_t all = function->marks * sizeof *frame->marks + bytes;
    if (all > frame->register_bytes) {
        free(frame->registers);
        frame->registers = smc_malloc(all);
        frame->register_bytes = frame->registers ? all : 0;
        if (!frame->registers)
            return false;
    }
    if (bytes)
        memcpy(frame->registers, warp->file + begin, bytes);
    frame->marks = function->marks ? (uint32_t *)(void *)(frame->registers + bytes) : NULL;
    return true;
}

static void restore_registers(const struct smc_program *program,
                              const struct smc_function *function, struct smc_warp *warp,
                              const struct smc_call_frame *frame, uint32_t mask)
{
    size_t begin = 0;
    if (!calls_registers_of(program, function, &begin))
        return;
    for (uint32_t i = function->first_slot; i < function->end_slot; i++) {
        const struct smc_slot *slot = &program->slot[i];
        char *to = warp->file + slot->offset;
        const char *from = frame->registers + (slot->offset - begin);
        if (slot->kind == SMC_SLOT_PREDICATE)
            *(lane_u32 *)to = (*(lane_u32 *)to & ~mask) | (*(const lane_u32 *)from & mask);
        else if (slot->kind == SMC_SLOT_32)
            EACH_ACTIVE(n, mask)
                ((lane_u32 *)to)[n] = ((const lane_u32 *)from)[n];
        else
            EACH_ACTIVE(m, mask)
                ((lane_u64 *)to)[m] = ((const lane_u64 *)from)[m];
    }
}

/* --- Calls ------------------------------------------------------------------------------------ */

static enum smc_next calls_fail(struct smc_worker *worker, const struct smc_warp *warp,
                                const struct smc_op *op, enum smc_finding_kind kind, uint32_t mask)
{
    EACH_ACTIVE(lane, mask) {
        struct smc_finding finding =
            smc_finding_at(worker, kind, op->instruction, smc_thread_of(warp, lane));
        smc_find(worker, &finding);
    }
    smc_end_launch(worker);
    return SMC_GIVES_UP;
}

static enum smc_next out_of_memory(struct smc_worker *worker)
{
    worker->out_of_memory = true;
    return SMC_GIVES_UP;
}

/* Where each lane's new frame begins; the lanes without enough memory left. */
static uint32_t find_bases(const struct smc_worker *worker, const struct smc_warp *warp,
                           uint32_t frame_bytes, uint32_t mask, uint64_t base[SMC_LANES])
{
    uint64_t most = worker->launch->program->local_bytes;
    uint32_t overflows = 0;
    EACH_ACTIVE(lane, mask) {
        uint64_t top = warp->frames.top[lane];
        base[lane] = (top + SMC_FRAME_ALIGN - 1) / SMC_FRAME_ALIGN * SMC_FRAME_ALIGN;
        overflows |= (uint32_t)(base[lane] > most || frame_bytes > most - base[lane]) << lane;
    }
    return overflows;
}

/* Writes the parameters into the new frames. */
static void calls_pass(const struct smc_worker *worker, const struct smc_warp *warp,
                       const struct smc_op *op, const struct smc_function *function,
                       const uint64_t base[SMC_LANES], uint32_t mask)
{
    const lane_u64 *from = smc_frame_bases(worker, warp);
    EACH_ACTIVE(lane, mask) {
        char *local = smc_frame_memory(worker, warp, lane), *frame = local + base[lane];
        memset(frame, 0, function->frame_bytes);
        smc_frame_mark(worker, frame, function->frame_bytes, false);
        for (uint32_t i = 0; i < function->parameters; i++) {
            const struct smc_passed *to = &function->parameter[i];
            smc_passed_fetch(warp, &op->call->argument[i], local + from[lane], lane,
                             frame + to->place, to->bytes);
            smc_frame_mark(worker, frame + to->place, to->bytes, true);
        }
    }
}

/* Parameters that the function has in registers. */
static void load_parameters(const struct smc_worker *worker, struct smc_warp *warp,
                            const struct smc_function *function, uint32_t mask)
{
    const lane_u64 *base = smc_frame_bases(worker, warp);
    for (uint32_t i = 0; i < function->parameters; i++)
        for (uint32_t left = function->parameter[i].slot != SMC_NO_SLOT ? mask : 0; left;
             left &= left - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(left);
            uint64_t value = 0;
            memcpy(&value,
                   smc_frame_memory(worker, warp, lane) + base[lane] + function->parameter[i].place,
                   function->parameter[i].bytes);
            smc_passed_set(warp, &function->parameter[i], lane, value);
        }
}

static enum smc_next calls_enter(struct smc_worker *worker, struct smc_warp *warp,
                                 const struct smc_op *op, uint32_t number, uint32_t mask)
{
    const struct smc_program *program = worker->launch->program;
    const struct smc_function *function = &program->function[number - 1];
    struct smc_group *group = &warp->group[warp->current];
    uint64_t base[SMC_LANES];
    uint32_t overflows = find_bases(worker, warp, function->frame_bytes, mask, base);
    if (overflows)
        return calls_fail(worker, warp, op, SMC_FINDING_STACK_OVERFLOW, overflows);
    struct smc_call_frame *frame = smc_frame_new(warp);
    if (!frame)
        return out_of_memory(worker);
    uint32_t *entered = &warp->frames.entered[number - 1];
    frame->saved = *entered & mask;
    if (frame->saved && !save_registers(program, function, warp, frame))
        return out_of_memory(worker);
    if (function->marks)
        smc_marks_begin(function, warp, mask, frame->saved ? frame->marks : NULL);
    calls_pass(worker, warp, op, function, base, mask);
    frame->below = group->frame;
    frame->op = op;
    frame->group = warp->current;
    frame->number = number;
    frame->active = group->active;
    frame->pc = group->pc + 1;
    frame->reconverge_at = group->reconverge_at;
    EACH_ACTIVE(lane, mask) {
        frame->base[lane] = smc_frame_bases(worker, warp)[lane];
        frame->top[lane] = warp->frames.top[lane];
        smc_frame_bases(worker, warp)[lane] = base[lane];
        warp->frames.top[lane] = base[lane] + function->frame_bytes;
    }
    load_parameters(worker, warp, function, mask);
    *entered |= mask;
    group->frame = frame;
    group->active = mask;
    group->pc = function->first_op;
    group->reconverge_at = SMC_NO_PC;
    return SMC_MOVED;
}

static enum smc_next call_function(struct smc_worker *worker, struct smc_warp *warp,
                                   const struct smc_op *op, uint32_t number, uint32_t mask)
{
    switch (worker->launch->program->function[number - 1].library) {
    case SMC_LIBRARY_VPRINTF:
        return smc_library_print(worker, warp, op, mask);
    case SMC_LIBRARY_ASSERTFAIL:
        return smc_library_assert(worker, warp, op, mask);
    case SMC_LIBRARY_MALLOC:
        return smc_library_allocate(worker, warp, op, mask);
    case SMC_LIBRARY_FREE:
        return smc_library_free(worker, warp, op, mask);
    default:
        return calls_enter(worker, warp, op, number, mask);
    }
}

/* Calls through addresses. Lanes with different addresses diverge at the call, and reconverge after
   it: each group comes here again with one address. */
static enum smc_next call_indirectly(struct smc_worker *worker, struct smc_warp *warp,
                                     const struct smc_op *op, uint32_t mask)
{
    const struct smc_program *program = worker->launch->program;
    const lane_u64 *address = (const lane_u64 *)(warp->file + op->a);
    uint32_t place[SMC_LANES], masks[SMC_LANES], count = 0, number = 0;
    for (uint32_t left = mask; left; left &= ~masks[count++]) {
        uint64_t first = address[__builtin_ctz(left)];
        masks[count] = 0;
        EACH_ACTIVE(lane, left)
            masks[count] |= (uint32_t)(address[lane] == first) << lane;
        number = smc_function_at(program, first);
        const struct smc_function *function = number ? &program->function[number - 1] : NULL;
        if (!function || (!function->is_defined && function->library == SMC_LIBRARY_NONE) ||
            !smc_call_matches(op->call, function))
            return calls_fail(worker, warp, op, SMC_FINDING_BAD_CALL, masks[count]);
        place[count] = warp->group[warp->current].pc;
    }
    if (count == 1)
        return call_function(worker, warp, op, number, mask);
    struct smc_emulated_count *counted = &worker->count[op->instruction];
    counted->executions--; /* each group will be counted */
    counted->lanes -= smc_lane_count(mask);
    counted->divergent++;
    smc_warp_diverge(warp, op, place, masks, count);
    return SMC_MOVED;
}

enum smc_next smc_step_call(struct smc_worker *worker, struct smc_warp *warp,
                            const struct smc_op *op, uint32_t mask)
{
    return op->call->callee ? call_function(worker, warp, op, op->call->callee, mask)
                            : call_indirectly(worker, warp, op, mask);
}

/* --- Returns ---------------------------------------------------------------------------------- */

/* Copies what the function returns from its registers into its frame. */
static void store_results(const struct smc_worker *worker, const struct smc_warp *warp,
                          const struct smc_function *function, uint32_t mask)
{
    const lane_u64 *base = smc_frame_bases(worker, warp);
    for (uint32_t i = 0; i < function->results; i++)
        for (uint32_t left = function->result[i].slot != SMC_NO_SLOT ? mask : 0; left;
             left &= left - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(left);
            uint64_t value = smc_passed_value(warp, &function->result[i], lane);
            memcpy(smc_frame_memory(worker, warp, lane) + base[lane] + function->result[i].place,
                   &value, function->result[i].bytes);
        }
}

/* Copies what the function returned from its frame to the caller's. */
static void take_results(const struct smc_worker *worker, struct smc_warp *warp,
                         const struct smc_function *function, const struct smc_call_frame *frame,
                         const uint64_t base[SMC_LANES], uint32_t mask)
{
    const struct smc_call *made = frame->op->call;
    for (uint32_t i = 0; i < made->results; i++)
        EACH_ACTIVE(lane, mask) {
            const struct smc_passed *to = &made->result[i];
            char *local = smc_frame_memory(worker, warp, lane);
            const char *from = local + base[lane] + function->result[i].place;
            uint64_t value = 0;
            if (to->slot == SMC_NO_SLOT) {
                char *place = local + frame->base[lane] + to->place;
                memmove(place, from, function->result[i].bytes);
                smc_frame_mark(worker, place, function->result[i].bytes, true);
                continue;
            }
            memcpy(&value, from, function->result[i].bytes);
            smc_passed_set(warp, to, lane, value);
        }
}

enum smc_next smc_step_return(struct smc_worker *worker, struct smc_warp *warp,
                              const struct smc_op *op, uint32_t mask)
{
    const struct smc_program *program = worker->launch->program;
    int index = warp->current;
    struct smc_call_frame *frame = warp->group[index].frame;
    const struct smc_function *function = &program->function[frame->number - 1];
    uint64_t base[SMC_LANES];
    (void)op;
    store_results(worker, warp, function, mask);
    EACH_ACTIVE(lane, mask) {
        base[lane] = smc_frame_bases(worker, warp)[lane];
        smc_frame_bases(worker, warp)[lane] = frame->base[lane];
        warp->frames.top[lane] = frame->top[lane];
    }
    if (frame->saved & mask) {
        restore_registers(program, function, warp, frame, frame->saved & mask);
        smc_marks_restore(function, warp, frame->saved & mask, frame->marks);
    }
    warp->frames.entered[frame->number - 1] &= ~(mask & ~frame->saved);
    take_results(worker, warp, function, frame, base, mask);
    return smc_warp_return(warp, mask, frame->group) ? SMC_MOVED : SMC_GO_ON;
}

/* --- Memory of the stack ---------------------------------------------------------------------- */

enum smc_next smc_step_allocate(struct smc_worker *worker, struct smc_warp *warp,
                                const struct smc_op *op, uint32_t mask)
{
    uint64_t most = worker->launch->program->local_bytes;
    const lane_u64 *bytes = (const lane_u64 *)(warp->file + op->a);
    lane_u64 *d = (lane_u64 *)(warp->file + op->d);
    EACH_ACTIVE(lane, mask) {
        uint64_t wanted = bytes[lane];
        uint64_t begin = (warp->frames.top[lane] + op->immediate - 1) & ~(op->immediate - 1);
        if (begin > most || wanted > most - begin)
            return calls_fail(worker, warp, op, SMC_FINDING_STACK_OVERFLOW, 1u << lane);
        char *place = smc_frame_memory(worker, warp, lane) + begin;
        memset(place, 0, wanted);
        smc_frame_mark(worker, place, wanted, false);
        warp->frames.top[lane] = begin + wanted;
        d[lane] = begin;
    }
    return SMC_GO_ON;
}

enum smc_next smc_step_save_stack(struct smc_worker *worker, struct smc_warp *warp,
                                  const struct smc_op *op, uint32_t mask)
{
    (void)worker;
    EACH_ACTIVE(lane, mask)
        ((lane_u64 *)(warp->file + op->d))[lane] = warp->frames.top[lane];
    return SMC_GO_ON;
}

enum smc_next smc_step_restore_stack(struct smc_worker *worker, struct smc_warp *warp,
                                     const struct smc_op *op, uint32_t mask)
{
    uint64_t most = worker->launch->program->local_bytes;
    EACH_ACTIVE(lane, mask) {
        uint64_t top = ((const lane_u64 *)(warp->file + op->a))[lane];
        warp->frames.top[lane] = top < most ? top : most;
    }
    return SMC_GO_ON;
}
