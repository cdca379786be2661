/* The functions that a GPU's special-function unit computes (MUFU), bit for bit, and what ptxas
   makes of the PTX instructions .approx with them. Floats are given and returned as their bits.
   `flushes`: the instruction has .ftz; then subnormal operands and results count as 0. */
#ifndef SMC_MACHINE_SPECIAL_FUNCTIONS_H
#define SMC_MACHINE_SPECIAL_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/narrow.h"

uint32_t smc_special_rcp(uint32_t x, bool flushes);
uint32_t smc_special_rsqrt(uint32_t x, bool flushes);
uint32_t smc_special_sqrt(uint32_t x, bool flushes);
uint32_t smc_special_lg2(uint32_t x, bool flushes);
uint32_t smc_special_ex2(uint32_t x, bool flushes);
uint32_t smc_special_sin(uint32_t x);
uint32_t smc_special_cos(uint32_t x);
uint32_t smc_special_tanh(uint32_t x);
/* x / y: div.approx and div.full. */
uint32_t smc_special_div_approx(uint32_t x, uint32_t y, bool flushes);
uint32_t smc_special_div_full(uint32_t x, uint32_t y, bool flushes);
/* rcp.approx.ftz.f64, and rsqrt.approx.f64 with and without .ftz. */
uint64_t smc_special_rcp_f64(uint64_t x);
uint64_t smc_special_rsqrt_f64(uint64_t x, bool flushes);
/* What the functions of halves do with the digits that single precision has more: a number of the
   format, towards zero. */
double smc_special_cut_off(const struct smc_narrow *format, uint32_t bits);

#endif
