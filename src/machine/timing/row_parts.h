/* How much of an array the blocks that run at a time can access, as it is a part of each row. */
#ifndef SMC_MACHINE_ROW_PARTS_H
#define SMC_MACHINE_ROW_PARTS_H

#include "machine/timing/arguments.h"
#include "machine/timing/traces.h"

/* By the traces of blocks that were drawn from those that run at a time: sets `share`, one value
   for each of `arrays`, to the share of all places in rows that these blocks access, wherever the
   rows are: of rows of 512 bytes of which half of a grid reads the first half, 0.5. 1: they access
   all of rows, or too few places to tell, or warps go from one part of rows to the next. The
   program has so many `steps`. False: memory. */
bool smc_row_parts_find(const struct smc_traces *traces, uint32_t steps,
                        const struct smc_time_array *array, size_t arrays, double *share);

#endif
