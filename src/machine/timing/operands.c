/* How operands come from registers. */
#include "machine/timing/operands.h"

#include <string.h>

static bool reads(const struct smc_sass_instruction *in, int operand)
{
    const struct smc_sass_operand *from = &in->from[operand];
    return from->kind == SMC_OPERAND_REGISTER && from->number != SMC_ZERO_REGISTER;
}

void smc_operands_start(struct smc_kept_operands *kept)
{
    memset(kept->number, SMC_ZERO_REGISTER, sizeof kept->number);
}

/* Two banks, by the register's number, each with one read a clock. Bits 122 to 124 keep an operand
   in the cache: the next instruction with the same register in that place does not read it again,
   until an operand of the same place and bank is not kept. This gives the measured clocks of FFMA
   with all orders and flags, for one and two warps of a sub-partition (1.0, 1.5, 2 and 3; H200,
   CUDA 13.0, driver 580.159.04, 2026-11-29). IMAD.WIDE holds dispatch for two clocks more: with two
   LOP3 it takes 6 clocks, with two and two FFMA 7 (the same, 2026-11-30). */
void smc_operands_count(struct smc_kept_operands *kept, const struct smc_sass_instruction *in,
                        struct smc_sm_step *step)
{
    for (int i = 0; i < 3; i++) {
        const unsigned number = in->from[i].number, bank = number & 1;
        bool again = false;
        for (int k = 0; k < i; k++)
            again |= reads(in, k) && in->from[k].number == number;
        if (!reads(in, i))
            continue;
        uint8_t *place = &kept->number[in->pipe == SMC_PIPE_FP64][i][bank];
        const bool is_there = *place == number;
        *place = smc_bit(in, 122 + (unsigned)i) ? (uint8_t)number : SMC_ZERO_REGISTER;
        unsigned count = in->from[i].registers ? in->from[i].registers : 1;
        for (unsigned r = 0; r < count && !again; r++) {
            step->all_reads[(number + r) & 1]++;
            step->reads[(number + r) & 1] += is_there ? 0 : 1;
        }
    }
    step->holds = in->operation == SMC_OP_IMAD_WIDE ? 2 : 0;
    if (in->branches)
        smc_operands_start(kept);
}

/* An instruction stays at dispatch, and holds all others of its sub-partition, until its operands
   can be read in two clocks, those of the instructions before included, or until its bank is idle,
   if it reads three of it: one operand of a bank in a clock. Of k FFMA with two operands of a bank
   and then k with none, 2 k take 5, 8 and 11 clocks for k = 2, 3 and 4; of one with three and two
   with none 3; of two with three and four with none 8. What is kept is lost when another warp
   issues. Loops of patched machine code by 1, 2, 4 and 8 warps of a sub-partition, all alike (H200,
   CUDA 13.0, driver 580.159.04, 2026-11-30). Of products (tensor cores) it is not known. */
double smc_operands_dispatch(double bank_free[2], const struct smc_sm_step *step, bool goes_on,
                             double clock)
{
    enum { WINDOW = 2 };
    const float *reads = goes_on ? step->reads : step->all_reads;
    double dispatch = clock;
    for (int bank = 0; bank < 2 && step->pipe != SMC_PIPE_TENSOR; bank++) {
        if (reads[bank] <= 0)
            continue;
        bank_free[bank] = smc_later(bank_free[bank], clock) + reads[bank];
        dispatch = smc_later(dispatch, bank_free[bank] - smc_later(WINDOW, reads[bank]));
    }
    return dispatch + step->holds;
}

/* Pipes that take two clocks take in an instruction whose operands come from one bank later: with
   two such operands 2.7 to 3.0 clocks, with three 3.1 (IMAD, FP16; FP64 2.9 and 3.3), each by one
   to eight warps of a sub-partition (H200, CUDA 13.0, driver 580.159.04, 2026-11-30). So do loops
   of one operation of the ALU, but not the mixtures of hash functions: with this rule SHA-256, MD5,
   Keccak and AES would take 10 to 16 % longer than they do. */
double smc_operands_clocks(const struct smc_rates *rates, const struct smc_sm_step *step)
{
    static const double two = 0.7, three = 1.1;
    const double reads = step->reads[0] > step->reads[1] ? step->reads[0] : step->reads[1];
    if (reads < 2 || (step->pipe != SMC_PIPE_FMA_HEAVY && step->pipe != SMC_PIPE_HALF &&
                      step->pipe != SMC_PIPE_FP64))
        return 0;
    return step->occupies > rates->issue[SMC_PIPE_ALU] ? 0 : reads < 3 ? two : three;
}
