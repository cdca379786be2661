/* Decoding floating point, for the instructions that integers have too. Only decode*.c include
   it. */
#ifndef SMC_EMULATOR_DECODE_FLOAT_H
#define SMC_EMULATOR_DECODE_FLOAT_H

#include "emulator/decode.h"
#include "emulator/ops.h"

/* d = f(a, b...) with the rounding, .ftz and .sat that the statement asks for. */
bool smc_decode_float(struct smc_decoder *decoder, smc_alu_by_type by_type, unsigned sources);

/* .rn .rz .rm .rp, or to whole numbers .rni .rzi .rmi .rpi (then `integral` is set). */
enum smc_rounding smc_decode_rounding(const struct smc_decoder *decoder, bool *integral);

#endif
