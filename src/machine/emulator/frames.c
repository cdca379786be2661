/* The frames of calls that have not returned, and the values that are passed in them. */
#include "machine/emulator/frames.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* --- Frames ----------------------------------------------------------------------------------- */

struct smc_call_frame *smc_frame_new(struct smc_warp *warp)
{
    struct smc_frames *frames = &warp->frames;
    struct smc_call_frame *frame = frames->unused;
    if (frame) {
        frames->unused = frame->next;
        return frame;
    }
    if (!smc_make_room(&frames->all, frames->count, &frames->room, sizeof *frames->all))
        return NULL;
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
    EACH_LANE(i)
        frames->top[i] = program->kernel_frame_bytes;
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
    struct smc_call_frame *frame = group->frame;
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

uint32_t smc_frame_function(const struct smc_call_frame *frame)
{
    return frame ? frame->number : 0;
}

uint32_t smc_frame_next(const struct smc_call_frame **frame)
{
    uint32_t call = (*frame)->op->instruction;
    *frame = (*frame)->below;
    return call;
}

/* --- Lanes that go on alone ------------------------------------------------------------------- */

uint32_t smc_frames_lanes(const struct smc_warp *warp, int index)
{
    uint32_t lanes = warp->group[index].active;
    for (const struct smc_call_frame *f = warp->group[index].frame; f && f->group == index;
         f = f->below)
        lanes |= f->active;
    return lanes;
}

void smc_frames_hand_over(struct smc_warp *warp, int index, int child)
{
    const struct smc_group *parent = &warp->group[index];
    uint32_t *reconverge_at = &warp->group[child].reconverge_at;
    struct smc_call_frame *frame = warp->group[child].frame;
    for (; frame != parent->frame; frame = frame->below) /* the functions that the child called */
        reconverge_at = &frame->reconverge_at;
    *reconverge_at = parent->reconverge_at;
    for (; frame && frame->group == index; frame = frame->below)
        frame->group = child;
}

static struct smc_call_frame *copy_frame(struct smc_warp *warp, const struct smc_call_frame *from,
                                         uint32_t lanes)
{
    struct smc_call_frame *copy = smc_frame_new(warp);
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

bool smc_frames_split(struct smc_warp *warp, int index, struct smc_call_frame *frame,
                      bool are_in_it, int alone)
{
    uint32_t lanes = warp->group[alone].active;
    struct smc_call_frame *from = are_in_it ? frame : frame->below,
                          **to = &warp->group[alone].frame;
    for (*to = from; from && from->group == index; from = from->below) {
        struct smc_call_frame *copy = copy_frame(warp, from, lanes);
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

struct smc_call_frame *smc_frames_waiting(const struct smc_warp *warp, int index, uint32_t wanted,
                                          struct smc_group *alone)
{
    uint32_t inside = warp->group[index].active;
    for (struct smc_call_frame *frame = warp->group[index].frame; frame && frame->group == index;
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

uint64_t smc_passed_value(const struct smc_warp *warp, const struct smc_passed *passed,
                          uint32_t lane)
{
    const char *file = warp->file + passed->slot;
    return passed->kind == SMC_SLOT_64 ? ((const lane_u64 *)file)[lane]
                                       : ((const lane_u32 *)file)[lane];
}

void smc_passed_set(struct smc_warp *warp, const struct smc_passed *passed, uint32_t lane,
                    uint64_t value)
{
    char *file = warp->file + passed->slot;
    if (passed->kind == SMC_SLOT_64)
        ((lane_u64 *)file)[lane] = value;
    else
        ((lane_u32 *)file)[lane] = (uint32_t)value;
}

void smc_passed_fetch(const struct smc_warp *warp, const struct smc_passed *from, const char *frame,
                      uint32_t lane, char *to, uint32_t bytes)
{
    if (from->slot == SMC_NO_SLOT) {
        memmove(to, frame + from->place, bytes);
        return;
    }
    uint64_t value = smc_passed_value(warp, from, lane);
    memcpy(to, &value, bytes < sizeof value ? bytes : sizeof value);
}

uint64_t smc_call_argument(const struct smc_worker *worker, const struct smc_warp *warp,
                           const struct smc_op *op, uint32_t index, uint32_t lane)
{
    const struct smc_passed *from = &op->call->argument[index];
    uint64_t value = 0;
    const char *frame = smc_frame_memory(worker, warp, lane) + smc_frame_bases(worker, warp)[lane];
    smc_passed_fetch(warp, from, frame, lane, (char *)&value,
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
        smc_passed_set(warp, to, lane, value);
        return;
    }
    char *place =
        smc_frame_memory(worker, warp, lane) + smc_frame_bases(worker, warp)[lane] + to->place;
    memcpy(place, &value, to->bytes < sizeof value ? to->bytes : sizeof value);
    smc_frame_mark(worker, place, to->bytes, true);
}
