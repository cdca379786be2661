/* The machine instructions that a launch executes, by pipe, counted without a GPU: a few warps walk
   through the code, and the others are extrapolated from those that behave alike (same executions
   of every instruction). Two ways, which both assume more than they prove:

   Boxes: all warps of a block in the middle of the grid walk; then the corners, the middle and a
   few others of boxes of warps and blocks, which are divided where these differ. Classes, if the
   control flow depends on a quotient (a block's number divided into the row and column of a tile,
   so that blocks at the edge of a matrix are scattered) and there are not too many warps: every
   warp walks a little, and warps with the same first decisions are a class, of which some walk to
   the end. */
#ifndef SMC_MACHINE_LAUNCH_H
#define SMC_MACHINE_LAUNCH_H

#include "machine/walk.h"

/* How carefully a launch is counted. */
enum smc_precision {
    SMC_PRECISION_EXACT, /* as above; may take seconds */
    SMC_PRECISION_QUICK  /* a few milliseconds; may be an estimate (`is_estimate`) */
};

struct smc_machine_launch {
    const struct smc_machine_program *program;
    uint32_t block[3], grid[3];
    const unsigned char *constants; /* bank 0, with the parameters: smc_machine_constants */
    size_t constant_bytes;
    const struct smc_bank_layout *layout;
    bool count_memory;
    bool every_warp; /* walk them all instead of extrapolating: slow */
    enum smc_precision precision;
};

/* Owns `executions`. Start from {0}. */
struct smc_machine_counts {
    uint64_t instructions; /* of warps, all that are issued, also if no lane is active */
    uint64_t pipe[SMC_PIPE_COUNT];
    uint64_t *executions; /* by step of the program */
    double shared_loads, shared_load_wavefronts;
    double shared_stores, shared_store_wavefronts;
    double global_loads, global_load_sectors; /* with copies */
    double global_stores, global_store_sectors;
    double unknown_addresses;
    bool exact; /* in every warp that was walked all operations and branches were known, and the
                   search ended by itself; that the others behave alike is not proven by it */
    enum smc_walk_end end; /* if not exact: why, and at which step */
    uint32_t end_at, end_operation;
    bool extrapolation_cut; /* too many different warps: the rest was assumed to be as a corner */
    bool is_estimate;       /* from a sample of warps (sampling.h); then not exact either */
    uint32_t warps_walked;
    uint32_t boxes;
};

/* SMC_USAGE: a block or grid of no threads. SMC_MACHINE: memory. */
enum smc_status smc_machine_count(const struct smc_machine_launch *launch,
                                  struct smc_machine_counts *counts, struct smc_error *error);
void smc_machine_counts_free(struct smc_machine_counts *counts);

/* Room for constant bank 0: the sizes of block and grid; parameters begin at `parameters_at`. */
enum { SMC_MACHINE_CONSTANT_BYTES = 0x210 + 4096 };

void smc_machine_constants(unsigned char bank[SMC_MACHINE_CONSTANT_BYTES], const uint32_t block[3],
                           const uint32_t grid[3], uint32_t parameters_at, const void *parameters,
                           size_t parameter_bytes);

/* Traces one warp, from its first to its last instruction. */
enum smc_status smc_machine_trace(const struct smc_machine_launch *launch, const uint32_t index[3],
                                  uint32_t warp, struct smc_trace *trace, struct smc_error *error);

#endif
