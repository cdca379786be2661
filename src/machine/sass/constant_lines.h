/* Constants that the lanes of a warp read at an index. */
#ifndef SMC_MACHINE_CONSTANT_LINES_H
#define SMC_MACHINE_CONSTANT_LINES_H

#include "machine/sass/sass_warp.h"
#include "machine/sass/warp_trace.h"

/* Keeps what a trace needs of an instruction that indexes constants: its lines, and as its
   wavefronts the different words, which are read one after the other. */
void smc_trace_constants(const struct smc_sass_warp *warp, const struct smc_sass_instruction *in,
                         uint32_t mask, struct smc_warp_trace *trace,
                         struct smc_warp_trace_entry *entry);

#endif
