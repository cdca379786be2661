/* Why a walk did not end. */
#include "base/text.h"
#include "machine/timing/traces.h"

/* The first branch from `from` on that closes a loop with step `at`; program->count: none does. */
static uint32_t end_of_loop(const struct smc_machine_program *program, uint32_t at, uint32_t from)
{
    for (; from < program->count; from++) {
        const struct smc_sass_instruction *in = &program->step[from].in;
        if (in->operation == SMC_OP_BRA && in->target >= 0 &&
            in->target / SMC_INSTRUCTION_BYTES <= at)
            break;
    }
    return from;
}

/* The last access of the loop that a branch closes whose result decides which instructions follow:
   an atomic in global memory. UINT32_MAX: none. */
static uint32_t atomic_in_loop(const struct smc_machine_program *program, uint32_t branch)
{
    const int64_t target = program->step[branch].in.target;
    for (int64_t i = (int64_t)branch; i >= target / SMC_INSTRUCTION_BYTES; i--)
        if (program->step[i].purpose == SMC_PURPOSE_CONTROL &&
            smc_is_global_atomic(&program->step[i].in))
            return (uint32_t)i;
    return UINT32_MAX;
}

/* Names the atomic of the innermost loop that has one, as that of blocks that take their work from
   a counter; else the branch that closes the innermost loop. */
static enum smc_status fail_to_end_loop(const struct smc_walk *walk, struct smc_error *error)
{
    const struct smc_machine_program *program = walk->program;
    const uint32_t first = end_of_loop(program, walk->end_at, walk->end_at);
    uint32_t atomic = UINT32_MAX;
    smc_auto_text place = {0};
    for (uint32_t end = first; end < program->count && atomic == UINT32_MAX;
         end = end_of_loop(program, walk->end_at, end + 1))
        atomic = atomic_in_loop(program, end);
    const uint32_t closing = first < program->count ? first : walk->end_at;
    smc_machine_program_append_place(program, atomic != UINT32_MAX ? atomic : closing, &place);
    if (atomic != UINT32_MAX)
        return smc_fail(
            error, SMC_USAGE,
            "what a loop executes depends on what the atomic at %s returns, which other "
            "blocks change, for more instructions than are followed; if it counts out "
            "work, give fewer items, or let blocks take them by blockIdx.x and "
            "gridDim.x",
            smc_text_string(&place));
    return smc_fail(error, SMC_USAGE,
                    "the loop that the branch at %s closes has more instructions than are followed",
                    smc_text_string(&place));
}

enum smc_status smc_traces_fail(const struct smc_walk *walk, struct smc_error *error)
{
    smc_auto_text place = {0};
    smc_machine_program_append_place(walk->program, walk->end_at, &place);
    if (walk->end == SMC_WALK_STUCK)
        return smc_fail(error, SMC_USAGE, "the wait at %s cannot be followed",
                        smc_text_string(&place));
    if (walk->end == SMC_WALK_CALLS_ELSEWHERE)
        return smc_fail(error, SMC_USAGE,
                        "the call at %s is of a function pointer or a function of the system, such "
                        "as malloc or printf, and is not followed",
                        smc_text_string(&place));
    if (walk->end == SMC_WALK_TOO_DEEP)
        return smc_fail(error, SMC_USAGE, "the calls at %s are nested deeper than is followed",
                        smc_text_string(&place));
    if (walk->end != SMC_WALK_WAITS)
        return fail_to_end_loop(walk, error);
    return smc_fail(error, SMC_USAGE,
                    "a warp waits in a loop for others to store what it reads at %s, and in which "
                    "order they run is not known",
                    smc_text_string(&place));
}
