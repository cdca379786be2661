/* One query and its complete answer: device, kernel, resources, occupancy, next steps, work. All
   reports, the explorer and the tests read this result struct. */
#ifndef SMC_ANSWERS_QUERY_H
#define SMC_ANSWERS_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "code/compile.h"
#include "machine/timing.h"
#include "rules/catalog.h"
#include "rules/ceilings.h"
#include "rules/headroom.h"
#include "rules/next_steps.h"
#include "rules/occupancy.h"

/* "Not given": the kernel's own value is used. */
#define SMC_NOT_GIVEN (-1)

/* A kernel that was read from a file, as compiled for one device. */
struct smc_file_kernel {
    const char *name;       /* demangled if possible; safe for a terminal */
    const char *short_name; /* the same without return type and parameters */
    const char *file;       /* as given by the user, but safe for a terminal */
    char origin[96];        /* of its numbers: "NVRTC 13.0, sm_90", "machine code, sm_80" */
    char origin_name[96];   /* the same for scripts: "nvrtc 13.0 sm_90", "cubin sm_80" */
    struct smc_resources resources;
    bool spills_known;                   /* resources has them, and the stack frame */
    uint32_t max_threads_per_block;      /* of its launch bounds; 0: none or unknown */
    uint32_t required_threads_per_block; /* the only block size that launches; 0: any */
    uint32_t blocks_per_cluster;         /* __cluster_dims__; 0: none or unknown */
    uint32_t tmem_columns;               /* of Tensor Memory, of a block; 0: none or unknown */
};

/* Whether its launch bounds allow the block size. */
bool smc_file_kernel_allows(const struct smc_file_kernel *kernel, uint32_t threads_per_block);

struct smc_query {
    const struct smc_kernel *kernel; /* NULL: no kernel of the catalog, only the numbers below */
    struct smc_params params;        /* for a kernel; completed by smc_query_answer */
    struct smc_device device;
    struct smc_ceilings ceilings;  /* of the device, or unknown */
    char device_note[256];         /* how the device name was interpreted, or "" */
    bool device_assumed;           /* not named by the user, and no GPU was found */
    int64_t threads_per_block;     /* without a kernel: 1 or more */
    int64_t regs_per_thread;       /* SMC_NOT_GIVEN, or 0 and more */
    int64_t static_smem_bytes;     /* SMC_NOT_GIVEN, or 0 and more */
    int64_t dynamic_smem_bytes;    /* SMC_NOT_GIVEN, or 0 and more */
    int64_t smem_per_thread_bytes; /* SMC_NOT_GIVEN, or dynamic bytes that each thread adds */
    int64_t barriers_per_block;    /* SMC_NOT_GIVEN, or 0 and more */
    int64_t grid_blocks;           /* without a kernel: SMC_NOT_GIVEN, or 1 and more */
    uint32_t grid_y, grid_z;       /* y and z of the grid, x follows from grid_blocks; 0: unknown
                                      shape */
    uint32_t block[3];             /* without a kernel: the shape of threads_per_block; {0}: only
                                      the number is known */
    struct smc_launch settings;    /* carve-out, cache configuration, cluster, partitioned caching,
                                      opt-in, virtual resources; the rest is filled in */
    struct smc_compile_options compile;
    bool cold;       /* the time is that of a launch after L2 was flushed */
    bool try_bounds; /* also compile with the launch bounds that the next steps name: takes 50 %
                        longer if not cached */
    const struct smc_file_kernel *file_kernel; /* without a kernel of the catalog, the source of
                                                  numbers that are not given; or NULL; not owned */
};

/* Nothing given: SMC_NOT_GIVEN throughout, settings as SMC_LAUNCH_INIT. */
void smc_query_init(struct smc_query *query);

/* The work of a launch on the device. A ratio of 0 means unknown: nothing is loaded or computed. */
struct smc_workload {
    double flops_per_load;       /* CGMA: per element that a thread loads from global memory */
    double flops_per_load_byte;  /* without stores: 8 with tiles of 32 floats */
    double flops_per_moved_byte; /* loads and stores */
    bool has_shared;
    struct smc_shared_work shared;

    /* The shared-memory wall: clocks of an SM that one warp needs for one step of the inner
       product, in the FMA lanes and in the banks. The larger one bounds the rate. */
    bool has_wall;
    double fma_cycles_per_step;
    double shared_cycles_per_step;
};

/* Another tile or block that the rules of `best` prefer. */
struct smc_best_block {
    const char *option; /* "tile" or "block"; NULL: none, or already the current one */
    int64_t size;
    uint32_t threads_per_block, blocks_per_sm;
    double percent; /* occupancy */
};

/* The kernel compiled with the __launch_bounds__ that gain a block, and the cost of that. */
struct smc_bounds_trial {
    uint32_t min_blocks; /* 0: not tried, because not requested, nothing to gain, or no NVRTC for
                            it */
    struct smc_resources resources;
    uint32_t blocks_per_sm; /* with these */
};

enum smc_outcome {
    SMC_LAUNCHES,
    SMC_CANNOT_COMPILE, /* static shared memory above what a block may declare */
    SMC_CANNOT_LAUNCH,  /* occupancy.refusals says why */
};

struct smc_answer {
    struct smc_query query; /* completed */
    struct smc_plan plan;   /* zero without a kernel, except threads_per_block, block and grid */
    struct smc_resources resources;
    bool regs_given, static_smem_given, dynamic_smem_given, barriers_given;
    struct smc_launch launch;
    struct smc_occupancy occupancy;
    double occupancy_percent;
    enum smc_outcome outcome;
    struct smc_next_steps next_steps;
    struct smc_best_block better_block; /* set if it raises occupancy, or if the launch fails */
    struct smc_bounds_trial bounds_trial;
    struct smc_bound_cost regs_cost; /* of the registers that were given; for the caller to set */
    bool has_work;
    struct smc_work work;
    struct smc_workload workload; /* valid if there is work */
    bool has_waves;
    struct smc_waves waves;
    struct smc_time time; /* unknown unless smc_query_find_time was called */
};

static inline bool smc_time_is_known(const struct smc_time *time)
{
    return time->basis != SMC_TIME_UNKNOWN;
}

/* Answers. `warnings` as for smc_compile. SMC_USAGE, naming the option, if a value is meaningless
   on the device (more registers per thread than the architecture has). */
enum smc_status smc_query_answer(const struct smc_query *query, struct smc_answer *answer,
                                 struct smc_text *warnings, struct smc_error *error);

/* The same in steps, for many queries: first everything except the work and the next steps, which
   take far longer than the rest. `known`: resources found earlier for the same kernel, parameters
   and compute capability, to avoid compiling; or NULL. */
enum smc_status smc_query_evaluate(const struct smc_query *query, const struct smc_resources *known,
                                   struct smc_answer *answer, struct smc_text *warnings,
                                   struct smc_error *error);
void smc_query_find_work(struct smc_answer *answer);

/* The next steps; false: they are not wanted, or occupancy is at its maximum. The second also
   finds the better block or tile of a kernel of the catalog, without compiling (best.c). */
bool smc_query_find_steps(struct smc_answer *answer);
void smc_query_find_next_steps(struct smc_answer *answer);

/* Predicts the time of an evaluated answer; smc_query_answer does so too. Needs the machine code,
   and takes some milliseconds: sweeps ask for it only where it is shown. If there is no prediction,
   answer->time.reason says why. SMC_MACHINE: memory. */
enum smc_status smc_query_find_time(struct smc_answer *answer, struct smc_error *error);

/* The same with what the kernel was compiled to for smc_time_code_cc, if there is machine code of
   it. */
enum smc_status smc_query_find_time_of(struct smc_answer *answer, const struct smc_binary *binary,
                                       struct smc_error *error);

/* The buffers of a plan, whose contents are not known, and the arguments of its launch. */
void smc_query_add_arguments(const struct smc_plan *plan, struct smc_time_arguments *arguments);

/* The same as smc_query_find_time for any kernel: its machine code, and its name and arguments
   there. */
enum smc_status smc_query_predict_time(struct smc_answer *answer, const struct smc_binary *binary,
                                       const char *entry,
                                       const struct smc_time_arguments *arguments,
                                       struct smc_error *error);

/* Copies the device's SM, on which a block that the launch bounds of the kernel do not allow is too
   large. */
void smc_query_bounded_sm(const struct smc_answer *answer, struct smc_sm *sm);

/* Caps the answer's occupancy at the blocks of clusters that an SM holds
   (SMC_MOST_CLUSTERED_BLOCKS), for comparing launches. The API reports the occupancy without this
   cap. */
void smc_query_cap_clustered_blocks(struct smc_answer *answer);

/* Whether every warp slot of an SM is in use, so that no change can raise occupancy. */
bool smc_query_at_maximum(const struct smc_answer *answer);

/* The answer's next step that gains a block by less of the resource; NULL: there is none. */
const struct smc_next_step *smc_query_gain(const struct smc_answer *answer,
                                           enum smc_step_resource resource);

/* Occupancy after one of the answer's next steps. */
double smc_query_percent_after(const struct smc_answer *answer, const struct smc_next_step *step);

/* Computes what follows from device, launch and resources, for answers that are not from
   smc_query_answer, such as a kernel read from a file. Values beyond the device's are refusals, not
   errors. */
void smc_query_conclude(struct smc_answer *answer);

/* The same without the next steps, which take most of the time. */
void smc_query_count_blocks(struct smc_answer *answer);

/* Replaces the number of clusters that are resident at a time by one that is known from elsewhere,
   and the waves that follow. */
void smc_query_set_resident_clusters(struct smc_answer *answer, uint64_t clusters);

enum smc_outcome smc_outcome_of(const struct smc_resources *resources,
                                const struct smc_occupancy *occupancy);

/* "launches", "cannot_compile", "cannot_launch". */
const char *smc_outcome_name(enum smc_outcome outcome);

/* Operations of the launch: the algorithm's, else those counted in the machine code of a predicted
   one. */
double smc_query_flops(const struct smc_answer *answer);

/* The type of most operations: of a user's kernel, that whose pipe has more to do. */
enum smc_dtype smc_query_dtype(const struct smc_answer *answer);

/* The share of the FMA peak, 0 to 1, that shared memory leaves. For a workload with a wall. */
double smc_workload_peak_share(const struct smc_workload *workload);

/* --- The kernels of a family ------------------------------------------------------------------ */

/* The kernels of a family, asked the same question: what a kernel is compared with. */

enum { SMC_MOST_RELATIVES = 16 };

/* Answers for the other kernels of the family of `asked`, which has a kernel of the catalog: with
   its problem, element type and parameters as far as they accept them. Kernels that are never timed
   (probes, and those with a race) are left out. A kernel that cannot be asked has no predicted
   time, with the reason. `out` has room for SMC_MOST_RELATIVES. SMC_MACHINE:
   memory. */
enum smc_status smc_family_answer(const struct smc_answer *asked, struct smc_answer *out,
                                  size_t *count, struct smc_text *warnings,
                                  struct smc_error *error);

/* One after another: whether a kernel is another one of the family that is timed, and the question
   for it; its element type may be none of the kernel's. */
bool smc_family_has(const struct smc_kernel *asked, const struct smc_kernel *kernel);
void smc_family_ask(const struct smc_answer *asked, const struct smc_kernel *kernel,
                    struct smc_query *query);

/* --- The cost of fewer registers -------------------------------------------------------------- */

/* What it costs a kernel to use fewer registers: what the compiler then spills, and the time. */

/* From a compilation. */
void smc_bound_cost_set(const struct smc_resources *resources, struct smc_bound_cost *cost);

/* Compiles the answer's kernel of the catalog with __launch_bounds__(threads, blocks), where that
   many blocks with these registers fit into the register file. Without NVRTC for it the cost stays
   unknown. SMC_MACHINE: memory. */
enum smc_status smc_bound_cost_find(const struct smc_answer *answer, uint32_t regs,
                                    struct smc_bound_cost *cost, struct smc_error *error);

#endif
