/* Instructions as text, in the notation of nvdisasm. */
#ifndef SMC_TESTS_MACHINE_TEXT_H
#define SMC_TESTS_MACHINE_TEXT_H

#include "base/text.h"
#include "machine/sass/sass_instruction.h"

/* Appends "@!P0 IADD3.X R7, RZ, R12, RZ, P1, !PT"; immediates as 32 bits, without ".reuse". False:
   the operation or one of its modifiers is not known in detail; then only the guard and the
   operation's name are appended. */
bool smc_instruction_write(const struct smc_sass_instruction *in, struct smc_text *text);

#endif
