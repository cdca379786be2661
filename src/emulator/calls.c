/* Calls and returns. A group of lanes that calls a function goes on in it with a frame of its own,
   and continues after the call when all of its lanes have returned or exited. Lanes that call
   different functions diverge first. Each function has its own registers; a lane that enters a
   function that it has not left yet has them saved until it returns. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "emulator/operations.h"
#include "emulator/runtime.h"

/* A call that has not returned. */
struct smc_frame {
    struct smc_frame *below; /* that of the caller; NULL: the kernel */
    struct smc_frame *next;  /* of the unused ones */
    const struct smc_op *op; /* the call */
    int group;               /* that called */
    uint32_t number;         /* of the function */
    uint32_t active;         /* lanes of the group that called; some of them may not have called */
    uint32_t pc, reconverge_at; /* where they continue */
    uint64_t base[SMC_LANES];   /* the caller's frame and the top of the stack, by lane */
    uint64_t top[SMC_LANES];
    uint32_t saved; /* lanes whose registers are saved, */
    char *registers;
    uint32_t *marks; /* and their marks, behind them */
    size_t register_bytes;
};

/* --- Frames ----------------------------------------------------------------------------------- */

static struct smc_frame *new_frame(struct smc_warp *warp)
{
    struct smc_frames *frames = &warp->frames;
    struct smc_frame *frame = frames->unused;
    if (frame) {
        frames->unused = frame->next;
        return frame;
    }
    if (frames->count == frames->room) {
        size_t room = frames->room ? 2 * frames->room : 16;
        struct smc_frame **all = smc_realloc(frames->all, room * sizeof(struct smc_frame *));
        if (!all)
            return NULL;
        frames->all = all;
        frames->room = room;
    }
    frame = smc_calloc(1, sizeof *frame);
    if (frame)
        frames->all[frames->count++] = frame;
    return frame;
}

void smc_frames_begin(const struct smc_program *program, struct smc_warp *warp)
{
    struct smc_frames *frames = &warp->frames;
    frames->unused = NULL;
    for (size_t i = 0; i < frames->count; i++) {
        frames->all[i]->next = frames->unused;
        frames->unused = frames->all[i];
    }
    if (frames->entered)
        memset(frames->entered, 0, program->functions * sizeof *frames->entered);
    EACH_LANE(i) frames->top[i] = program->kernel_frame_bytes;
}

void smc_frames_free(struct smc_warp *warp)
{
    for (size_t i = 0; i < warp->frames.count; i++) {
        free(warp->frames.all[i]->registers);
        free(warp->frames.all[i]);
    }
    free(warp->frames.all);
    free(warp->frames.entered);
    warp->frames = (struct smc_frames){0};
}

bool smc_frame_leave(struct smc_warp *warp, int index)
{
    struct smc_group *group = &warp->group[index];
    struct smc_frame *frame = group->frame;
    if (!frame || frame->group != index)
        return false;
    group->pc = frame->pc;
    group->reconverge_at = frame->reconverge_at;
    group->active = frame->active & warp->live;
    group->state = SMC_GROUP_READY;
    group->frame = frame->below;
    frame->next = warp->frames.unused;
    warp->frames.unused = frame;
    warp->current = index;
    return true;
}

uint32_t smc_frame_function(const struct smc_frame *frame)
{
    return frame ? frame->number : 0;
}

uint32_t smc_frame_next(const struct smc_frame **frame)
{
    uint32_t call = (*frame)->op->instruction;
    *frame = (*frame)->below;
    return call;
}

/* --- Lanes that go on alone ------------------------------------------------------------------- */

uint32_t smc_frames_lanes(const struct smc_warp *warp, int index)
{
    uint32_t lanes = warp->group[index].active;
    for (const struct smc_frame *f = warp->group[index].frame; f && f->group == index; f = f->below)
        lanes |= f->active;
    return lanes;
}

void smc_frames_hand_over(struct smc_warp *warp, int index, int child)
{
    const struct smc_group *parent = &warp->group[index];
    uint32_t *reconverge_at = &warp->group[child].reconverge_at;
    struct smc_frame *frame = warp->group[child].frame;
    for (; frame != parent->frame; frame = frame->below) /* the functions that the child called */
        reconverge_at = &frame->reconverge_at;
    *reconverge_at = parent->reconverge_at;
    for (; frame && frame->group == index; frame = frame->below)
        frame->group = child;
}

static struct smc_frame *copy_frame(struct smc_warp *warp, const struct smc_frame *from,
                                    uint32_t lanes)
{
    struct smc_frame *copy = new_frame(warp);
    if (!copy)
        return NULL;
    char *registers = copy->registers;
    size_t room = copy->register_bytes;
    if ((from->saved & lanes) && room < from->register_bytes) {
        registers = smc_realloc(registers, from->register_bytes);
        if (!registers)
            return NULL;
        room = from->register_bytes;
    }
    *copy = *from;
    copy->registers = registers;
    copy->register_bytes = room;
    copy->active &= lanes;
    copy->saved &= lanes;
    if (copy->saved) {
        memcpy(registers, from->registers, from->register_bytes);
        if (from->marks)
            copy->marks = (uint32_t *)(void *)(registers + ((char *)from->marks - from->registers));
    }
    return copy;
}

bool smc_frames_split(struct smc_warp *warp, int index, struct smc_frame *frame, bool are_in_it,
                      int alone)
{
    uint32_t lanes = warp->group[alone].active;
    struct smc_frame *from = are_in_it ? frame : frame->below, **to = &warp->group[alone].frame;
    for (*to = from; from && from->group == index; from = from->below) {
        struct smc_frame *copy = copy_frame(warp, from, lanes);
        if (!copy)
            return false;
        copy->group = alone;
        *to = copy;
        to = &copy->below;
    }
    for (; frame && frame->group == index; frame = frame->below)
        frame->active &= ~lanes;
    return true;
}

struct smc_frame *smc_frames_waiting(const struct smc_warp *warp, int index, uint32_t wanted,
                                     struct smc_group *alone)
{
    uint32_t inside = warp->group[index].active;
    for (struct smc_frame *frame = warp->group[index].frame; frame && frame->group == index;
         frame = frame->below) {
        uint32_t lanes = frame->active & warp->live & ~inside;
        if (lanes & wanted) {
            *alone = (struct smc_group){
                .pc = frame->pc, .reconverge_at = frame->reconverge_at, .active = lanes};
            return frame;
        }
        inside |= frame->active;
    }
    return NULL;
}

/* --- Values ----------------------------------------------------------------------------------- */

static char *local_of(const struct smc_worker *worker, const struct smc_warp *warp, uint32_t lane)
{
    return worker->local + (size_t)worker->launch->program->local_bytes * smc_thread_of(warp, lane);
}

/* A place in local memory begins a new life, or is written by a call. */
static void mark_local(const struct smc_worker *worker, const char *place, uint64_t bytes,
                       bool is_written)
{
    if (worker->local_written)
        memset(worker->local_written + (place - worker->local), is_written, bytes);
}

static lane_u64 *bases(const struct smc_worker *worker, const struct smc_warp *warp)
{
    return (lane_u64 *)(warp->file + worker->launch->program->frame_slot);
}

static uint64_t slot_value(const struct smc_warp *warp, const struct smc_passed *passed,
                           uint32_t lane)
{
    const char *file = warp->file + passed->slot;
    return passed->kind == SMC_SLOT_64 ? ((const lane_u64 *)file)[lane]
                                       : ((const lane_u32 *)file)[lane];
}

static void set_slot(struct smc_warp *warp, const struct smc_passed *passed, uint32_t lane,
                     uint64_t value)
{
    char *file = warp->file + passed->slot;
    if (passed->kind == SMC_SLOT_64)
        ((lane_u64 *)file)[lane] = value;
    else
        ((lane_u32 *)file)[lane] = (uint32_t)value;
}

/* Copies `bytes` to a lane's memory from what was passed by the frame at `base`. */
static void fetch(const struct smc_warp *warp, const struct smc_passed *from, const char *local,
                  uint64_t base, uint32_t lane, char *to, uint32_t bytes)
{
    if (from->slot == SMC_NO_SLOT) {
        memmove(to, local + base + from->place, bytes);
        return;
    }
    uint64_t value = slot_value(warp, from, lane);
    memcpy(to, &value, bytes < sizeof value ? bytes : sizeof value);
}

uint64_t smc_call_argument(const struct smc_worker *worker, const struct smc_warp *warp,
                           const struct smc_op *op, uint32_t index, uint32_t lane)
{
    const struct smc_passed *from = &op->call->argument[index];
    uint64_t value = 0;
    fetch(warp, from, local_of(worker, warp, lane), bases(worker, warp)[lane], lane, (char *)&value,
          from->bytes && from->bytes < sizeof value ? from->bytes : sizeof value);
    return value;
}

void smc_call_result(const struct smc_worker *worker, struct smc_warp *warp,
                     const struct smc_op *op, uint32_t lane, uint64_t value)
{
    const struct smc_passed *to = op->call->result;
    if (op->call->results == 0)
        return;
    if (to->slot != SMC_NO_SLOT) {
        set_slot(warp, to, lane, value);
        return;
    }
    char *place = local_of(worker, warp, lane) + bases(worker, warp)[lane] + to->place;
    memcpy(place, &value, to->bytes < sizeof value ? to->bytes : sizeof value);
    mark_local(worker, place, to->bytes, true);
}

/* --- Registers of functions that are entered again -------------------------------------------- */

static size_t registers_of(const struct smc_program *program, const struct smc_function *function,
                           size_t *begin)
{
    if (function->first_slot == function->end_slot)
        return 0;
    *begin = program->slot[function->first_slot].offset;
    size_t end = function->end_slot < program->slots ? program->slot[function->end_slot].offset
                                                     : program->file_bytes;
    return end - *begin;
}

static bool save_registers(const struct smc_program *program, const struct smc_function *function,
                           const struct smc_warp *warp, struct smc_frame *frame)
{
    size_t begin = 0, bytes = registers_of(program, function, &begin);
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
                              const struct smc_frame *frame, uint32_t mask)
{
    size_t begin = 0;
    if (!registers_of(program, function, &begin))
        return;
    for (uint32_t i = function->first_slot; i < function->end_slot; i++) {
        const struct smc_slot *slot = &program->slot[i];
        char *to = warp->file + slot->offset;
        const char *from = frame->registers + (slot->offset - begin);
        if (slot->kind == SMC_SLOT_PREDICATE)
            *(lane_u32 *)to = (*(lane_u32 *)to & ~mask) | (*(const lane_u32 *)from & mask);
        else if (slot->kind == SMC_SLOT_32)
            EACH_ACTIVE(n, mask)((lane_u32 *)to)[n] = ((const lane_u32 *)from)[n];
        else
            EACH_ACTIVE(m, mask)((lane_u64 *)to)[m] = ((const lane_u64 *)from)[m];
    }
}

/* --- Calls ------------------------------------------------------------------------------------ */

static enum smc_next fail(struct smc_worker *worker, const struct smc_warp *warp,
                          const struct smc_op *op, enum smc_finding_kind kind, uint32_t mask)
{
    EACH_ACTIVE(lane, mask)
    {
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
    EACH_ACTIVE(lane, mask)
    {
        uint64_t top = warp->frames.top[lane];
        base[lane] = (top + SMC_FRAME_ALIGN - 1) / SMC_FRAME_ALIGN * SMC_FRAME_ALIGN;
        overflows |= (uint32_t)(base[lane] > most || frame_bytes > most - base[lane]) << lane;
    }
    return overflows;
}

/* Writes the parameters into the new frames. */
static void pass(const struct smc_worker *worker, const struct smc_warp *warp,
                 const struct smc_op *op, const struct smc_function *function,
                 const uint64_t base[SMC_LANES], uint32_t mask)
{
    const lane_u64 *from = bases(worker, warp);
    EACH_ACTIVE(lane, mask)
    {
        char *local = local_of(worker, warp, lane), *frame = local + base[lane];
        memset(frame, 0, function->frame_bytes);
        mark_local(worker, frame, function->frame_bytes, false);
        for (uint32_t i = 0; i < function->parameters; i++) {
            const struct smc_passed *to = &function->parameter[i];
            fetch(warp, &op->call->argument[i], local, from[lane], lane, frame + to->place,
                  to->bytes);
            mark_local(worker, frame + to->place, to->bytes, true);
        }
    }
}

/* Parameters that the function has in registers. */
static void load_parameters(const struct smc_worker *worker, struct smc_warp *warp,
                            const struct smc_function *function, uint32_t mask)
{
    const lane_u64 *base = bases(worker, warp);
    for (uint32_t i = 0; i < function->parameters; i++)
        for (uint32_t left = function->parameter[i].slot != SMC_NO_SLOT ? mask : 0; left;
             left &= left - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(left);
            uint64_t value = 0;
            memcpy(&value, local_of(worker, warp, lane) + base[lane] + function->parameter[i].place,
                   function->parameter[i].bytes);
            set_slot(warp, &function->parameter[i], lane, value);
        }
}

static enum smc_next enter(struct smc_worker *worker, struct smc_warp *warp,
                           const struct smc_op *op, uint32_t number, uint32_t mask)
{
    const struct smc_program *program = worker->launch->program;
    const struct smc_function *function = &program->function[number - 1];
    struct smc_group *group = &warp->group[warp->current];
    uint64_t base[SMC_LANES];
    uint32_t overflows = find_bases(worker, warp, function->frame_bytes, mask, base);
    if (overflows)
        return fail(worker, warp, op, SMC_FINDING_STACK_OVERFLOW, overflows);
    struct smc_frame *frame = new_frame(warp);
    if (!frame)
        return out_of_memory(worker);
    uint32_t *entered = &warp->frames.entered[number - 1];
    frame->saved = *entered & mask;
    if (frame->saved && !save_registers(program, function, warp, frame))
        return out_of_memory(worker);
    if (function->marks)
        smc_marks_begin(function, warp, mask, frame->saved ? frame->marks : NULL);
    pass(worker, warp, op, function, base, mask);
    frame->below = group->frame;
    frame->op = op;
    frame->group = warp->current;
    frame->number = number;
    frame->active = group->active;
    frame->pc = group->pc + 1;
    frame->reconverge_at = group->reconverge_at;
    EACH_ACTIVE(lane, mask)
    {
        frame->base[lane] = bases(worker, warp)[lane];
        frame->top[lane] = warp->frames.top[lane];
        bases(worker, warp)[lane] = base[lane];
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

static enum smc_next call(struct smc_worker *worker, struct smc_warp *warp, const struct smc_op *op,
                          uint32_t number, uint32_t mask)
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
        return enter(worker, warp, op, number, mask);
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
        EACH_ACTIVE(lane, left) masks[count] |= (uint32_t)(address[lane] == first) << lane;
        number = smc_function_at(program, first);
        const struct smc_function *function = number ? &program->function[number - 1] : NULL;
        if (!function || (!function->is_defined && function->library == SMC_LIBRARY_NONE) ||
            !smc_call_matches(op->call, function))
            return fail(worker, warp, op, SMC_FINDING_BAD_CALL, masks[count]);
        place[count] = warp->group[warp->current].pc;
    }
    if (count == 1)
        return call(worker, warp, op, number, mask);
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
    return op->call->callee ? call(worker, warp, op, op->call->callee, mask)
                            : call_indirectly(worker, warp, op, mask);
}

/* --- Returns ---------------------------------------------------------------------------------- */

/* Copies what the function returns from its registers into its frame. */
static void store_results(const struct smc_worker *worker, const struct smc_warp *warp,
                          const struct smc_function *function, uint32_t mask)
{
    const lane_u64 *base = bases(worker, warp);
    for (uint32_t i = 0; i < function->results; i++)
        for (uint32_t left = function->result[i].slot != SMC_NO_SLOT ? mask : 0; left;
             left &= left - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(left);
            uint64_t value = slot_value(warp, &function->result[i], lane);
            memcpy(local_of(worker, warp, lane) + base[lane] + function->result[i].place, &value,
                   function->result[i].bytes);
        }
}

/* Copies what the function returned from its frame to the caller's. */
static void take_results(const struct smc_worker *worker, struct smc_warp *warp,
                         const struct smc_function *function, const struct smc_frame *frame,
                         const uint64_t base[SMC_LANES], uint32_t mask)
{
    const struct smc_call *made = frame->op->call;
    for (uint32_t i = 0; i < made->results; i++)
        EACH_ACTIVE(lane, mask)
        {
            const struct smc_passed *to = &made->result[i];
            char *local = local_of(worker, warp, lane);
            const char *from = local + base[lane] + function->result[i].place;
            uint64_t value = 0;
            if (to->slot == SMC_NO_SLOT) {
                char *place = local + frame->base[lane] + to->place;
                memmove(place, from, function->result[i].bytes);
                mark_local(worker, place, function->result[i].bytes, true);
                continue;
            }
            memcpy(&value, from, function->result[i].bytes);
            set_slot(warp, to, lane, value);
        }
}

enum smc_next smc_step_return(struct smc_worker *worker, struct smc_warp *warp,
                              const struct smc_op *op, uint32_t mask)
{
    const struct smc_program *program = worker->launch->program;
    int index = warp->current;
    struct smc_frame *frame = warp->group[index].frame;
    const struct smc_function *function = &program->function[frame->number - 1];
    uint64_t base[SMC_LANES];
    (void)op;
    store_results(worker, warp, function, mask);
    EACH_ACTIVE(lane, mask)
    {
        base[lane] = bases(worker, warp)[lane];
        bases(worker, warp)[lane] = frame->base[lane];
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
    EACH_ACTIVE(lane, mask)
    {
        uint64_t wanted = bytes[lane];
        uint64_t begin = (warp->frames.top[lane] + op->immediate - 1) & ~(op->immediate - 1);
        if (begin > most || wanted > most - begin)
            return fail(worker, warp, op, SMC_FINDING_STACK_OVERFLOW, 1u << lane);
        char *place = local_of(worker, warp, lane) + begin;
        memset(place, 0, wanted);
        mark_local(worker, place, wanted, false);
        warp->frames.top[lane] = begin + wanted;
        d[lane] = begin;
    }
    return SMC_GO_ON;
}

enum smc_next smc_step_save_stack(struct smc_worker *worker, struct smc_warp *warp,
                                  const struct smc_op *op, uint32_t mask)
{
    (void)worker;
    EACH_ACTIVE(lane, mask)((lane_u64 *)(warp->file + op->d))[lane] = warp->frames.top[lane];
    return SMC_GO_ON;
}

enum smc_next smc_step_restore_stack(struct smc_worker *worker, struct smc_warp *warp,
                                     const struct smc_op *op, uint32_t mask)
{
    uint64_t most = worker->launch->program->local_bytes;
    EACH_ACTIVE(lane, mask)
    {
        uint64_t top = ((const lane_u64 *)(warp->file + op->a))[lane];
        warp->frames.top[lane] = top < most ? top : most;
    }
    return SMC_GO_ON;
}
