/* Sequences of ops: loads that follow one with the same address register, loads that poll, and
   stretches, which a group of lanes runs without interruption. */
#include "base/memory.h"
#include "machine/emulator/emulator_steps.h"

/* --- Loads with the same address register ----------------------------------------------------- */

struct leaders {
    uint32_t op[SMC_LEADERS]; /* SMC_NO_PC: none */
    uint32_t next;
};

static void forget_leaders(struct leaders *leaders, const struct smc_program *program,
                           uint32_t written)
{
    for (uint32_t i = 0; i < SMC_LEADERS; i++)
        if (leaders->op[i] != SMC_NO_PC &&
            (written == SMC_NO_SLOT || program->op[leaders->op[i]].a == written))
            leaders->op[i] = SMC_NO_PC;
}

static bool loads_alike(const struct smc_op *a, const struct smc_op *b)
{
    return a->a == b->a && a->space == b->space && a->width_bytes == b->width_bytes &&
           a->vector == b->vector;
}

/* The load follows one that is known, or becomes one. */
static void sequences_follow(struct leaders *leaders, struct smc_program *program, uint32_t at)
{
    struct smc_op *op = &program->op[at];
    uint32_t i = 0;
    while (i < SMC_LEADERS &&
           (leaders->op[i] == SMC_NO_PC || !loads_alike(&program->op[leaders->op[i]], op)))
        i++;
    if (i == SMC_LEADERS) {
        i = leaders->next++ % SMC_LEADERS;
        leaders->op[i] = at;
        op->leader_slot = (uint8_t)i;
        return;
    }
    struct smc_op *leader = &program->op[leaders->op[i]];
    leader->leads = true;
    op->leader = leader->leader = leaders->op[i];
    op->leader_slot = leader->leader_slot;
}

/* Finds loads whose address register holds what it did at an earlier load that the same lanes have
   just executed: only arithmetic, loads and stores are between them, and no op that others branch
   to. */
static void find_leaders(struct smc_program *program, const bool *is_target)
{
    struct leaders leaders = {.next = 0};
    forget_leaders(&leaders, program, SMC_NO_SLOT);
    for (uint32_t at = 0; at < program->ops; at++) {
        struct smc_op *op = &program->op[at];
        const bool loads = op->step == smc_step_load;
        op->leader = SMC_NO_PC;
        if (is_target[at] || (!op->alu && !loads && op->step != smc_step_store))
            forget_leaders(&leaders, program, SMC_NO_SLOT);
        if (loads && op->guard == SMC_NO_SLOT)
            sequences_follow(&leaders, program, at);
        if (op->alu)
            forget_leaders(&leaders, program, op->d);
        for (uint32_t i = 0; loads && i < op->vector; i++)
            if (op->v[i] != SMC_NO_SLOT)
                forget_leaders(&leaders, program, op->v[i]);
    }
}

/* --- Stretches -------------------------------------------------------------------------------- */

/* Whether an op of a loop has an effect that others can see, or waits for others. */
static bool has_effect(const struct smc_op *op)
{
    return op->step && op->step != smc_step_load && op->step != smc_step_branch &&
           op->step != smc_step_fence && op->step != smc_step_clock;
}

/* Volatile loads that poll: the innermost loop around them has no effect, and does not change their
   address. */
static void find_polls(struct smc_program *program)
{
    for (uint32_t end = 0; end < program->ops; end++) {
        const struct smc_op *branch = &program->op[end];
        bool only_loads = branch->step == smc_step_branch;
        for (uint32_t i = branch->target; only_loads && i < end; i++)
            only_loads = !has_effect(&program->op[i]);
        for (uint32_t i = branch->target; only_loads && i < end; i++) {
            struct smc_op *load = &program->op[i];
            bool polls = load->is_volatile && load->step == smc_step_load;
            for (uint32_t k = branch->target; polls && k < end; k++)
                polls = !program->op[k].alu || program->op[k].d != load->a;
            load->polls |= polls;
        }
    }
}

/* A stretch is a sequence of ops that all lanes of a group run one after the other, as none of them
   has a guard, moves the lanes or lets them wait, and none but the first is where lanes arrive from
   elsewhere. */
static void find_stretches(struct smc_program *program, bool *arrives)
{
    for (size_t i = 0; i < program->ops; i++)
        if (program->op[i].reconverge_at != SMC_NO_PC)
            arrives[program->op[i].reconverge_at] = true;
    for (size_t i = program->ops; i > 0; i--) {
        struct smc_op *op = &program->op[i - 1];
        const bool goes_on =
            op->alu || !op->step || op->step == smc_step_load || op->step == smc_step_store;
        if (goes_on && op->guard == SMC_NO_SLOT)
            op->stretch = i == program->ops || arrives[i] ? 1 : op[1].stretch + 1;
    }
}

bool smc_find_sequences(struct smc_program *program)
{
    smc_auto_free bool *is_target = smc_calloc(program->ops + 1, sizeof *is_target);
    if (!is_target)
        return false;
    smc_mark_targets(program, is_target);
    find_leaders(program, is_target);
    find_polls(program);
    find_stretches(program, is_target);
    return true;
}
