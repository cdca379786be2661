/* How long a launch takes, predicted without a GPU: the kernel's machine code is executed warp by
   warp in a model of one SM, and its work is set against the ceilings of the device. No constant
   belongs to a kernel. */
#ifndef SMC_MACHINE_TIMING_H
#define SMC_MACHINE_TIMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "machine/timing/arguments.h"
#include "rules/ceilings.h"
#include "rules/devices.h"

enum smc_time_term {
#define TERM(id, key, label, relief) SMC_TIME_##id,
#include "machine/timing/terms.def"
    SMC_TIME_TERM_COUNT
};

struct smc_time_term_info {
    const char *key;    /* "shared_memory" */
    const char *label;  /* "shared memory" */
    const char *relief; /* what would make it smaller */
};

extern const struct smc_time_term_info smc_time_term_info[SMC_TIME_TERM_COUNT];

/* Where the rates of a device are from. */
enum smc_time_basis {
    SMC_TIME_UNKNOWN, /* nothing is predicted; `reason` says why */
    SMC_TIME_TABLE,
    SMC_TIME_CALIBRATED,
    SMC_TIME_SPECIFICATIONS, /* estimated: clocks, widths and bandwidths as published */
};

/* "table", "calibrated", "specifications"; NULL if unknown. */
const char *smc_time_basis_name(enum smc_time_basis basis);

struct smc_time {
    enum smc_time_basis basis;
    char reason[400];     /* why nothing is predicted, or "" */
    bool lacks_rate;      /* nothing is, since instructions of the kernel are not in the model */
    bool contents_change; /* what decides what blocks execute is stored by other blocks */
    bool outside_arrays;  /* accesses lie outside the arguments and the module's variables */
    char unfollowed[240]; /* the first branch that warps could not follow, and why, or "": "the
                             branch at scan.cu:31 depends on LDG at scan.cu:30"; without source
                             lines "at 0x300 of the machine code" */
    double predicted_ms, low_ms, high_ms;
    double empty_launch_ms;     /* of which an empty launch takes */
    bool empty_launch_measured; /* on the machine where the launch was timed */
    /* How long the launch would take if nothing but this bounded it: the work divided by the rate,
       on the SM with the most blocks. LATENCY: warps that wait for each other or for memory while
       no unit is busy. LAUNCH: an empty launch. */
    double term_ms[SMC_TIME_TERM_COUNT];
    enum smc_time_term bound_by, next; /* the largest term and the second largest */
    double instructions;               /* of warps */
    double fma_flops;                  /* of FFMA, DFMA and the like */
    double shared_wavefronts;          /* of the whole launch */
    double l1_sectors, l2_sectors;     /* requested from L1, from L2: 32 bytes each */
    double dram_bytes;
    double atomics; /* in global memory, that L2 executes one by one */
    /* Tensor cores: operations, two of a multiply-add; the type that takes most of their time, as
       in "FP16", NULL: none; their roof for these types on the whole device; how long the busiest
       SM would take at that rate. */
    double tensor_flops;
    const char *tensor_type;
    bool tensor_is_integer; /* that type is */
    double tensor_roof_flops_per_s, tensor_peak_ms;
    char code[64]; /* what the instructions were counted in: "sm_90 machine code" */
};

struct smc_time_launch {
    const struct smc_device *device;
    const struct smc_ceilings *ceilings;
    uint32_t blocks_per_sm; /* that reside at a time; 0: the launch is refused */
    uint32_t warp_room;     /* warps that fit into an SM, by their registers and places */
    uint32_t block_room;    /* blocks that do, by all else, if some of their warps have ended */
    const void *cubin;      /* the machine code of the kernel `entry`; NULL: there is none */
    size_t cubin_bytes;
    const char *entry;
    const struct smc_time_arguments *arguments;
    uint32_t block[3], grid[3];
    uint32_t blocks_per_cluster; /* 0 or 1: there are no clusters */
    uint32_t cluster[3];         /* of so many; 0: not known, in x where the grid allows it */
    uint64_t l1_bytes;           /* that the carve-out leaves */
    bool restored; /* before each launch, the arrays that it changes are copied from others, as
                      `run` does for a user's kernel */
    bool cold;     /* L2 holds other lines, which were stored to and have to go to DRAM first;
                      otherwise what the same launch left there */
};

/* The architecture whose machine code is executed for a device: its own, or the newest one that is
   known. */
uint16_t smc_time_code_cc(uint16_t cc);

/* The time is unknown, for a reason; of a long one the beginning is kept. */
void smc_time_unknown(struct smc_time *time, const char *reason);

/* Whether the device and the launch allow a prediction, whatever the machine code is; otherwise
   `time` is unknown with the reason. */
bool smc_time_is_possible(const struct smc_time_launch *launch, struct smc_time *time);

/* Predicts. If it cannot, `time` is unknown with a reason. SMC_MACHINE: memory. */
enum smc_status smc_time_predict(const struct smc_time_launch *launch, struct smc_time *time,
                                 struct smc_error *error);

/* Replaces the time of an empty launch, in a time that is known, by what was measured: the machines
   that boards of one name are in differ in it. */
void smc_time_set_empty_launch(struct smc_time *time, double measured_ms);

#endif
