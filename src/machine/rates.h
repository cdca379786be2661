/* The physical quantities of a GPU that the model of an SM uses, in clocks of the SM. */
#ifndef SMC_MACHINE_RATES_H
#define SMC_MACHINE_RATES_H

#include "machine/sass/sass_instruction.h"
#include "rules/ceilings.h"
#include "rules/devices.h"

/* Types of what tensor cores multiply. */
enum smc_product_type {
#define PRODUCT(id, key, label, bits, relief) SMC_PRODUCT_##id,
#include "machine/timing/products.def"
    SMC_PRODUCT_TYPES
};

struct smc_product_info {
    const char *key;    /* "fp16" */
    const char *label;  /* "FP16" */
    uint8_t bits;       /* of an element in memory */
    const char *relief; /* what takes less time; "": nothing */
};

extern const struct smc_product_info smc_product_info[SMC_PRODUCT_TYPES];

/* Of atomics of single lanes, as many as a line takes, and each of its sectors. */
struct smc_atomic_slots {
    double line, sector;
};

struct smc_rates {
    double clock_hz;
    uint32_t subpartitions;       /* each issues an instruction a clock */
    double issue[SMC_PIPE_COUNT]; /* clocks for which an instruction occupies the pipe of its
                                     sub-partition */
    double fma_halves;            /* halves of the FMA pipe that FMAs may use: 2 or 1 */
    /* Tensor cores: multiply-adds in a clock and SM, by type, as published; 0: the device has none.
       How much of that mma.sync [0] and wgmma [1] reach; how much longer FP32 accumulators take. */
    double product_peak[SMC_PRODUCT_TYPES], product_share[2][SMC_PRODUCT_TYPES], wide_products;
    double tensor_slowdown;       /* of the clock, while all tensor cores are busy at that rate */
    double l2_slowdown;           /* likewise, while L2 gives all that it can */
    double least_tensor_slowdown; /* of the clock, where any are used but of FP64 */
    /* Of wgmma: clocks from the end of the work in the pipe until a wait returns, with A in shared
       memory and in registers [1]; how many may be issued before the pipe is free. */
    double product_latency[2], product_queue;
    /* Fetches of textures: clocks of the texture unit for a pass, of CUDA arrays and of linear
       memory [1]; from L1's data to the result, beyond another such time, likewise, and how much
       longer with a filter; how many of the unit's clocks may be asked for before it is free. */
    double texture_pass[2], texture_latency[2], texture_filter, texture_queue;
    /* Barriers in shared memory: clocks of a try_wait of a phase that has ended, and from the end
       of a phase until a warp that waits goes on. */
    double phase_check, phase_latency;
    /* Bulk copies: clocks for a sector that one SM loads, and for a row of a box, at least; from
       when L2 has taken a store until a wait for it returns. */
    double bulk_sector_clocks, bulk_row_clocks, bulk_store_latency;
    double bulk_slots; /* sectors of loads that L2 gives in the time of one of a bulk copy */
    /* Constants by lane: clocks of the SM for a word and for a line that the cache lacks, and how
       much later the result is there for each, and for a word that is there while a line is not. */
    double constant_clocks, constant_miss_clocks, constant_word_latency, constant_miss_latency,
        constant_delayed_latency;
    /* Likewise at an index that all lanes share, for a line that is missing. */
    double uniform_miss_clocks, uniform_miss_latency;
    double wide_multiply; /* clocks of an integer multiplication with a result of 64 bits */
    /* Latencies: clocks from the issue to the result. */
    double shared_latency, l1_latency, l2_latency, dram_latency, special_latency, constant_latency;
    double l2_spread, far_latency; /* of lines of L2: between the nearest and the farthest; more of
                                      those beyond its half */
    double barrier_latency, branch_latency;
    double indirect_latency; /* of branches to an address in a register */
    double sync_latency;     /* of BSYNC */
    double branch_issue;     /* clocks without issue after a branch that is taken */
    /* Clocks for a sector that one SM loads from or stores to L2, with so many busy, and DRAM. */
    double l2_load_clocks, l2_store_clocks;
    double dram_load_clocks, dram_store_clocks;
    /* For a byte of the whole GPU that comes from DRAM or goes there, and how many more for one
       that goes among such that come. */
    double dram_byte_clocks, dram_turn_clocks;
    /* Clocks for 64 bytes that one SM loads from or stores to a random place of DRAM. */
    double dram_scattered_load_clocks, dram_scattered_store_clocks;
    /* Clocks for an atomic of one SM, without and with a result, and how many of them a line takes
       where lanes access several words of its sectors; for one of the whole GPU in one unit of L2,
       of some and of all words of a sector, and for a floating-point one at one address. */
    double atomic_clocks, atomic_result_clocks;
    struct smc_atomic_slots atomic_slots, atomic_result_slots;
    double atomic_unit_clocks, atomic_whole_clocks, atomic_float_clocks;
    /* Of the whole GPU, for a warp's store to a line, or a load that L1 does not serve, in a piece
       of 512 bytes. */
    double piece_clocks;
    double atomic_latency; /* to the result of one that L2 executes */
    double swap_clocks;    /* from one compare-and-swap of a shared word to that of another warp */
    double block_start;    /* clocks from the end of a block to the first instruction of the next */
    double block_interval; /* clocks from one such start to the next on an SM, at least */
    double launch_ms;      /* of an empty launch */
};

/* `blocks`: of the launch; the SMs that execute them share L2 cache and DRAM. */
void smc_rates_of(const struct smc_device *device, const struct smc_ceilings *ceilings,
                  uint64_t blocks, struct smc_rates *rates);

/* How much longer a launch takes after so many copies, or other kernels, than after one of the same
   kernel. */
double smc_rates_after_copies_ms(unsigned copies);

/* Sets those of L2, DRAM and atomics again, which so many blocks share. */
void smc_rates_set_memory(struct smc_rates *rates, const struct smc_device *device,
                          const struct smc_ceilings *ceilings, uint64_t blocks);

/* What an instruction of the tensor pipe computes: D (m x n) = A (m x k) B (k x n) + D. */
struct smc_mma {
    enum smc_product_type type;
    uint16_t m, n, k;    /* k: that is multiplied, of sparse matrices half of the shape's */
    bool is_group;       /* of a warpgroup: each of four warps has a quarter of the rows */
    bool a_in_registers; /* of a warpgroup, whose B is in shared memory */
    bool is_wide;        /* accumulators of 32 bits */
    bool is_sparse;      /* A; B has twice as many rows as k */
};

/* False: it is none, or its rate is not in the model. */
bool smc_mma_of(const struct smc_sass_instruction *in, struct smc_mma *product);

void smc_rates_set_products(struct smc_rates *rates, const struct smc_device *device,
                            const struct smc_capability *capability,
                            const struct smc_ceilings *ceilings);

/* Whether the rate of a type, by its label, was measured, of mma.sync or wgmma. */
bool smc_product_is_measured(const char *label, const struct smc_ceilings *ceilings);

/* Of one warp: multiply-adds; how long its sub-partition's tensor core takes, and would take at the
   published peak; wavefronts of its share of the operands in shared memory. 0 for what
   smc_mma_of does not know. */
double smc_rates_product_fmas(const struct smc_sass_instruction *in);
double smc_rates_product_clocks(const struct smc_rates *rates,
                                const struct smc_sass_instruction *in);
double smc_rates_product_peak_clocks(const struct smc_rates *rates,
                                     const struct smc_sass_instruction *in);
double smc_rates_product_wavefronts(const struct smc_sass_instruction *in);

/* What the model has no rate for, in words, so that a prediction could be faster than the device;
   NULL: the instruction has one. */
const char *smc_rates_unknown(const struct smc_rates *rates, const struct smc_sass_instruction *in);

/* When a __nanosleep(ns) that begins at `clock` ends, if the launch began in the middle of an
   interval of the timer. */
double smc_rates_sleep_end(const struct smc_rates *rates, uint32_t ns, double clock);

/* The interval of the timer whose end it waits for, in clocks; 0: none. */
double smc_rates_sleep_interval(const struct smc_rates *rates, uint32_t ns);

/* How long an instruction occupies its pipe. */
double smc_rates_clocks(const struct smc_rates *rates, const struct smc_sass_instruction *in);

#endif
