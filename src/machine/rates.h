/* The physical quantities of a GPU that the model of an SM uses, in clocks of the SM. */
#ifndef SMC_MACHINE_RATES_H
#define SMC_MACHINE_RATES_H

#include "machine/sass/sass_instruction.h"
#include "rules/ceilings.h"
#include "rules/devices.h"

struct smc_rates {
    double clock_hz;
    uint32_t subpartitions;       /* each issues an instruction a clock */
    double issue[SMC_PIPE_COUNT]; /* clocks for which an instruction occupies the pipe of its
                                     sub-partition */
    double fma_halves;            /* halves of the FMA pipe that FMAs may use: 2 or 1 */
    /* Multiply-adds of FP16 in a clock and SM that mma.sync reaches, 0 where there are no tensor
       cores; how much of the peak that is; how much longer FP32 accumulators take. */
    double tensor_fmas, tensor_share, tensor_wide;
    double wide_multiply; /* clocks of an integer multiplication with a result of 64 bits */
    double operand_cache; /* the share of reads that operands kept in the operand cache save */
    /* Latencies: clocks from the issue to the result. */
    double shared_latency, l1_latency, l2_latency, dram_latency, special_latency, constant_latency;
    double barrier_latency, branch_latency;
    double branch_issue; /* clocks without issue after a branch that is taken */
    /* Clocks for a sector that one SM loads from or stores to L2, with so many busy, and DRAM. */
    double l2_load_clocks, l2_store_clocks;
    double dram_load_clocks, dram_store_clocks;
    double dram_bytes_per_clock; /* of all, read and written */
    /* Clocks for 64 bytes that one SM loads from or stores to a random place of DRAM. */
    double dram_scattered_load_clocks, dram_scattered_store_clocks;
    /* Clocks for an atomic of one SM, without and with a result; for one of the whole GPU in a
       piece of 512 bytes, and for a floating-point one at one address. */
    double atomic_clocks, atomic_result_clocks, atomic_piece_clocks, atomic_float_clocks;
    double block_start;    /* clocks from the end of a block to the first instruction of the next */
    double block_interval; /* clocks from one such start to the next on an SM, at least */
    double launch_ms;      /* of an empty launch */
};

/* `busy_sms`: how many of the device's SMs execute blocks and share its L2 cache and DRAM. */
void smc_rates_of(const struct smc_device *device, const struct smc_ceilings *ceilings,
                  uint32_t busy_sms, struct smc_rates *rates);

/* What an instruction of the tensor pipe computes, in multiply-adds of FP16 that take as long. 0:
   its rate is not in the model. */
double smc_rates_tensor_fmas(const struct smc_rates *rates, const struct smc_sass_instruction *in);

/* How long an instruction occupies its pipe. */
double smc_rates_clocks(const struct smc_rates *rates, const struct smc_sass_instruction *in);

#endif
