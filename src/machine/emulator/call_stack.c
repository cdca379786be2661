/* Call stacks of findings: the functions that were inlined, from the line table, and the calls that
   were made. The calls of the access that completes a finding are those of its lanes. Of an earlier
   access only the instruction is kept: its calls are known as far as each function is called at one
   place only. */
#include <string.h>

#include "machine/emulator/emulator_state.h"

/* --- While a block runs ----------------------------------------------------------------------- */

/* The group that runs the lane; NULL: it has ended. */
static const struct smc_group *call_stack_group_of(const struct smc_warp *warp, uint32_t lane)
{
    for (uint64_t left = warp->used; left; left &= left - 1) {
        const struct smc_group *group = &warp->group[__builtin_ctzll(left)];
        if (group->state != SMC_GROUP_DIVERGED && group->active >> lane & 1)
            return group;
    }
    return NULL;
}

void smc_finding_set_calls(const struct smc_worker *worker, struct smc_finding *finding,
                           uint32_t thread)
{
    const struct smc_program *program = worker->launch->program;
    if (!program->has_calls)
        return;
    const struct smc_group *group =
        call_stack_group_of(&worker->warp[thread / SMC_LANES], thread % SMC_LANES);
    if (!group ||
        smc_frame_function(group->frame) != program->instruction[finding->instruction].function)
        return;
    finding->has_calls = true;
    for (const struct smc_call_frame *frame = group->frame; frame;) {
        uint32_t call = smc_frame_next(&frame), i = 0;
        while (i < finding->calls && finding->call[i] != call) /* a recursion appears once */
            i++;
        if (i < finding->calls)
            continue;
        if (finding->calls == SMC_MAX_CALLS) {
            finding->has_more_calls = true;
            break;
        }
        finding->call[finding->calls++] = call;
    }
}

/* --- Afterwards ------------------------------------------------------------------------------- */

/* The only instruction that calls the function; false if there are several, or calls through
   addresses. */
static bool only_call(const struct smc_program *program, uint32_t function, uint32_t *call)
{
    bool found = false;
    for (size_t i = 0; i < program->ops; i++) {
        const struct smc_op *op = &program->op[i];
        if (op->kind != SMC_OP_CALL)
            continue;
        if (found && op->call->callee == function)
            return false;
        if (op->call->callee == 0)
            return false;
        if (op->call->callee == function) {
            found = true;
            *call = op->instruction;
        }
    }
    return found;
}

/* Adds the place, and those where it was inlined. False: there are more. */
static bool call_stack_add_place(const struct smc_program *program, uint32_t index,
                                 struct smc_stack *stack)
{
    const struct smc_instruction *instruction = &program->instruction[index];
    uint32_t number = instruction->loc;
    do {
        const struct smc_ptx_loc *loc = number ? &program->module.loc[number - 1] : NULL;
        if (stack->frames == SMC_MAX_FRAMES)
            return false;
        stack->frame[stack->frames++] = (struct smc_stack_frame){
            .file = loc ? smc_program_file(program, loc->file) : NULL,
            .line = loc ? loc->line : 0,
            .is_inlined = loc && loc->caller,
            .function = instruction->function,
            .loc = number,
        };
        number = loc ? loc->caller : 0;
    } while (number);
    return true;
}

void smc_finding_stack(const struct smc_program *program, const struct smc_finding *finding,
                       bool of_other, struct smc_stack *stack)
{
    uint32_t at = of_other ? finding->other_instruction : finding->instruction;
    bool knows_calls = !of_other && finding->has_calls;
    *stack = (struct smc_stack){.frames = 0};
    bool fits = call_stack_add_place(program, at, stack);
    for (uint32_t i = 0; knows_calls && fits && i < finding->calls; i++)
        fits = call_stack_add_place(program, finding->call[i], stack);
    if (knows_calls) {
        stack->is_complete = fits && !finding->has_more_calls;
        return;
    }
    uint32_t function = program->instruction[at].function;
    while (fits && function && only_call(program, function, &at)) {
        fits = call_stack_add_place(program, at, stack);
        function = program->instruction[at].function;
    }
    stack->is_complete = fits && !function;
}

void smc_stack_function(const struct smc_program *program, const struct smc_stack_frame *frame,
                        struct smc_text *name)
{
    if (frame->is_inlined)
        smc_ptx_inlined_name(&program->module, &program->module.loc[frame->loc - 1], name);
    else if (frame->function)
        smc_text_append_bytes(name, program->function[frame->function - 1].name.at,
                              program->function[frame->function - 1].name.bytes);
    else
        smc_text_append(name, program->entry);
}

bool smc_same_lines(const struct smc_program *program, uint32_t a, uint32_t b)
{
    const struct smc_instruction *x = &program->instruction[a], *y = &program->instruction[b];
    if (a == b)
        return true;
    if (x->line == 0 || x->function != y->function)
        return false;
    uint32_t m = x->loc, n = y->loc;
    while (m != n) {
        if (!m || !n)
            return false;
        const struct smc_ptx_loc *p = &program->module.loc[m - 1], *q = &program->module.loc[n - 1];
        if (p->line != q->line || p->file != q->file)
            return false;
        m = p->caller;
        n = q->caller;
    }
    return true;
}
