/* How the operands of instructions come from the banks of registers. */
#ifndef SMC_MACHINE_OPERANDS_H
#define SMC_MACHINE_OPERANDS_H

#include "machine/timing/sm_state.h"

/* The operand cache: the register that was kept last for each place of an operand and each bank;
   double precision has one of its own: DFMA and FFMA in turn that keep an operand each take 2.1
   clocks a pair (one warp of a sub-partition; H200, CUDA 13.0, driver 580.159.04, 2026-11-29). */
struct smc_kept_operands {
    uint8_t number[2][3][2]; /* SMC_ZERO_REGISTER: none */
};

/* Nothing is kept. */
void smc_operands_start(struct smc_kept_operands *kept);

/* Counts what an instruction reads from each bank, into `step`, and keeps what it says. */
void smc_operands_count(struct smc_kept_operands *kept, const struct smc_sass_instruction *in,
                        struct smc_sm_step *step);

/* Until when a step that issues at a clock is at dispatch, where the next instruction of the
   sub-partition follows a clock later. `goes_on`: its warp also issued the instruction before.
   `bank_free`: when each bank has read all operands so far; those of the step are added. */
double smc_operands_dispatch(double bank_free[2], const struct smc_sm_step *step, bool goes_on,
                             double clock);

/* The clocks for which a step occupies its pipe longer since operands share a bank. */
double smc_operands_clocks(const struct smc_rates *rates, const struct smc_sm_step *step);

#endif
