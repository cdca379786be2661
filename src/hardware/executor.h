/* Runs a kernel and reports the results. Each back end is one table of functions: the GPU, through
   the CUDA runtime; the emulator, on the CPU; both of them, compared; and `none`, which reports
   what is missing. */
#ifndef SMC_HARDWARE_EXECUTOR_H
#define SMC_HARDWARE_EXECUTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "answers/query.h"
#include "base/platform.h"
#include "base/status.h"
#include "base/text.h"
#include "code/compile.h"
#include "machine/array_advice.h"
#include "machine/emulator.h"
#include "rules/banks.h"
#include "rules/devices.h"

/* What keeps the GPUs of this machine from being used, if anything does. */
enum smc_driver_state {
    SMC_DRIVER_NOT_BUILT, /* this program has no CUDA runtime */
    SMC_DRIVER_ABSENT,
    SMC_DRIVER_OUTDATED,
    SMC_DRIVER_FAILING,
    SMC_DRIVER_NO_GPU,
    SMC_DRIVER_WORKS,
};

struct smc_driver {
    enum smc_driver_state state;
    int gpus;
    char cuda[SMC_GPU_VERSION_CHARS];    /* "13.0", that the driver supports; "": unknown */
    char runtime[SMC_GPU_VERSION_CHARS]; /* that this program was built with */
    struct smc_error why;
};

/* For a diagnosis: asks the driver, which may take long. */
void smc_gpu_examine_driver(struct smc_driver *driver);

/* The same for one GPU, which it makes the current one and allocates on: SMC_UNAVAILABLE or
   SMC_MACHINE if it cannot be used. */
enum smc_status smc_gpu_examine(int index, struct smc_device *device, struct smc_error *error);

/* SMC_UNAVAILABLE: its hardware counters cannot be read; `found`: at least CUPTI is there. */
enum smc_status smc_gpu_examine_counters(int index, bool *found, struct smc_error *error);

/* "GPU-" and 32 digits in groups, as nvidia-smi prints it; "" if there is no such GPU. */
void smc_gpu_uuid(int index, char text[SMC_GPU_UUID_CHARS]);

/* Where a kernel runs, in the order of the values of option --on. */
enum smc_place {
    SMC_ON_GPU,
    SMC_ON_EMULATOR,
    SMC_ON_BOTH, /* a GPU and its emulation */
};

enum { SMC_ALL_GPUS = -1 }; /* a value of gpu_index: all GPUs (hardware/all_gpus.h) */

enum { SMC_RUN_SEED = 1, SMC_RUN_TIMEOUT_MS = 10000 };

struct smc_run_settings {
    enum smc_place place;
    int gpu_index;
    uint64_t seed;       /* of the inputs */
    uint32_t timeout_ms; /* for the residency probe and the timed launches together, and for any one
                            launch; the emulator heeds it for a user's kernel */
    bool no_counters;    /* do not read the GPU's hardware counters */
    bool (*stop)(void);  /* returns whether to stop early; called by several threads; or NULL */
    struct smc_emulation_progress *progress; /* filled by the emulator; or NULL */
    enum smc_strictness strictness;          /* of the emulator */
    unsigned threads;                        /* of the emulator; 0: one for each processor */
    struct smc_annotation *annotation;       /* filled by the emulator; or NULL */
    /* For many runs, each as short as possible: */
    bool no_probe;      /* do not measure the residency */
    uint32_t check_ms;  /* for comparing the result; elements beyond it stay unchecked; 0: 20 s */
    uint32_t timing_ms; /* for the timed launches together; 0: what timeout_ms leaves */
    bool cold;          /* flush the L2 cache before each timed launch */
    bool only_predicts; /* launch nothing: a run has the predictions alone */
};

#define SMC_RUN_SETTINGS_INIT                                                                      \
    {                                                                                              \
        .seed = SMC_RUN_SEED, .timeout_ms = SMC_RUN_TIMEOUT_MS                                     \
    }

struct smc_user_run;

/* One launch. The caller owns everything. */
struct smc_run_request {
    const struct smc_answer *answer;     /* kernel, launch, plan and device */
    const struct smc_compiled *compiled; /* for the answer's device */
    const struct smc_run_settings *settings;
    struct smc_user_run *user; /* the user's kernel (hardware/user.h); NULL: one of the catalog */
    void *const *outputs; /* of the catalog: NULL, or a copy of each output goes to outputs[i] */
};

/* --- The quantities that hardware counters report of a launch --------------------------------- */

enum smc_metric {
#define METRIC(id, name, quantity, label, tolerance) SMC_METRIC_##id,
#include "hardware/executor/metrics.def"
    SMC_METRIC_COUNT
};

struct smc_metric_info {
    const char *name;     /* CUPTI's: "dram__bytes_read.sum" */
    const char *quantity; /* in scripts */
    const char *label;    /* heading for reports; indented if it is a part of the metric before */
    double tolerance;     /* as a share of the prediction */
};

extern const struct smc_metric_info smc_metric_info[SMC_METRIC_COUNT];

/* Counts the loads that smc_metric_info's SHARED_LOAD_WAVEFRONTS counts, exactly where
   smc_loads_are_words. */
#define SMC_INSTRUMENTED_LOADS "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"

/* Whether every load of shared memory of the catalog's kernel, as ptxas joins them, has 4 bytes a
   lane. */
bool smc_loads_are_words(const struct smc_answer *answer);

/* --- Results ---------------------------------------------------------------------------------- */

/* One attempt: whether it was made, whether it succeeded, and the error message of the other
   side. */
struct smc_attempt {
    bool made;
    bool succeeded;
    char message[256]; /* "CUDA_ERROR_INVALID_VALUE: invalid argument", or why it was not made */
};

/* Marks an attempt as not made, with the reason. */
void smc_not_made(struct smc_attempt *attempt, const char *why);

/* Whether a kernel still runs or has destroyed the GPU's context, given the result of waiting for
   it. */
static inline bool smc_is_lost(const struct smc_attempt *finish)
{
    return finish->made && !finish->succeeded;
}

/* The source line with the most bank conflicts, and the change that removes all conflicts from its
   array: it was applied to all accesses of the launch. */
struct smc_conflict_site {
    uint64_t conflicts;       /* of the line, in the whole launch; 0: none */
    uint64_t all, wavefronts; /* of the launch */
    uint32_t line;            /* 0: unknown */
    char file[96];            /* of the line, without folders; "": the kernel's */
    struct smc_array_advice advice;
};

/* A place on the way from an access to the kernel. */
struct smc_run_frame {
    uint32_t line;           /* 0: unknown */
    uint16_t file, function; /* where the names begin in smc_emulated_run.names; 0: unknown */
    bool is_inlined;         /* the function was inlined into that of the next frame */
};

/* From the access itself to the kernel. */
struct smc_run_stack {
    struct smc_run_frame frame[SMC_MAX_FRAMES];
    size_t frames;
    bool is_complete; /* otherwise the callers of the last frame's function are unknown */
};

enum { SMC_RUN_NAMES_BYTES = 8192 };

/* What the emulator counted. An instruction of the PTX is counted if its warp has an active
   lane. */
struct smc_emulated_run {
    struct smc_attempt finish; /* ended in time; otherwise the counts cover the part until then */
    bool stopped;              /* by the settings' `stop` */
    struct smc_conflict_site site;
    struct smc_emulated_count total;
    uint64_t float_adds; /* as in struct smc_emulation */
    double shared_bound;
    struct smc_shared_count loads, stores;
    struct smc_shared_count copies; /* of the stores, those by cp.async */
    double conflicts;               /* wavefronts beyond the minimum */
    /* Loads as in the machine code, if it is known which of them ptxas joined. */
    bool follows_machine_code;
    struct smc_shared_count machine_loads;
    char not_followed[160]; /* why not */
    size_t access_count;
    struct smc_global_access access[SMC_MAX_BUFFERS]; /* in the order of smc_work, without sizes */
    const struct smc_annotation *annotation;          /* that of the request, if it was filled */
    double warp_instructions, thread_instructions;
    struct smc_fidelity fidelity;
    double elapsed_ms; /* of the emulation, not of any GPU */
    unsigned threads;  /* of the CPU */
    uint64_t findings_total;
    size_t finding_count;
    struct smc_run_finding {
        struct smc_finding finding;
        struct smc_run_stack stack, other_stack;
        char text[512]; /* the message for users */
    } finding[SMC_MAX_FINDINGS];
    /* Of the stacks: files, and functions without parameters; each ends in '\0' and is safe for a
       terminal. The first one is "". */
    char names[SMC_RUN_NAMES_BYTES];
    size_t names_bytes;
};

/* Compares the outputs of the GPU and the emulator bit for bit. */
struct smc_agreement {
    bool compared;
    uint64_t elements, differing;
    uint64_t first; /* first differing element: its index in its output */
    /* The differing elements whose difference the order of atomic additions can explain. */
    uint64_t by_order;
    /* Of the others, those that the order of threads can explain: where the emulator's own result
       is another one if blocks, warps and lanes take turns in the opposite order; and all, if those
       and the rest hold the same values in other places. */
    uint64_t by_turns;
    uint64_t first_left; /* the first that neither explains, once another order was tried */
};

struct smc_run_result {
    struct smc_attempt compile; /* NVRTC and ptxas */
    struct smc_resources compiled;
    struct smc_attempt load;   /* the driver accepted the machine code */
    struct smc_attempt opt_in; /* cudaFuncAttributeMaxDynamicSharedMemorySize, if needed, or the
                                  shared-memory mode */
    struct smc_attempt launch;
    /* Whether every launch ended in time. If not, the GPU was not used any further, and the process
       should end soon, because only its end stops a kernel that does not terminate. */
    struct smc_attempt finish;

    uint64_t device_memory_bytes; /* that the launch's buffers occupied on the GPU */
    bool worked_on;               /* the GPU, after it refused the launch */
    bool stopped;                 /* by the settings' `stop`; `finish` has the details */
    double first_launch_ms;       /* with waiting for it: not a measurement of speed */

    /* cudaFuncGetAttributes */
    uint32_t api_regs_per_thread;
    uint32_t api_static_smem_bytes;
    uint32_t api_max_threads_per_block;
    /* cudaOccupancyMaxActiveBlocksPerMultiprocessor */
    struct smc_attempt api_occupancy;
    uint32_t api_blocks_per_sm;
    /* cudaOccupancyMaxActiveClusters, of a launch with clusters */
    struct smc_attempt api_cluster_occupancy;
    uint32_t api_clusters;
    /* cudaOccupancyAvailableDynamicSMemPerBlock for that many blocks. The result is at most the
       kernel's own limit, `dynamic_smem_cap_bytes`. */
    struct smc_attempt api_available_smem;
    uint32_t api_available_smem_bytes, dynamic_smem_cap_bytes;
    int driver_version; /* 13050 for CUDA 13.5; 0: unknown */
    /* cudaDevAttrReservedSharedMemoryPerBlock */
    struct smc_attempt api_reserved_smem;
    uint32_t api_reserved_smem_bytes;

    /* The residency probe, compiled for the same registers and launched with the same threads,
       shared memory and carve-out. */
    struct smc_attempt probe;
    uint32_t probe_regs_per_thread;
    uint32_t probe_blocks_per_sm;   /* the most blocks resident on one SM at a time */
    uint32_t probe_sms;             /* SMs that reached this maximum */
    uint32_t probe_resident_blocks; /* on all SMs together */

    /* The emulator's attempt; it succeeds if the kernel ran, whatever the findings. */
    struct smc_attempt emulation;
    struct smc_emulated_run emulated;

    struct smc_attempt check; /* the comparison of the result with the CPU reference */
    struct smc_comparison comparison;

    /* If a GPU and the emulator ran, `comparison` is the GPU's. */
    struct smc_comparison emulated_comparison;
    struct smc_agreement agreement;

    struct smc_attempt timing;
    uint32_t timed_launches;
    double median_ms, fastest_ms, slowest_ms;
    double median_low_ms, median_high_ms; /* 95 % confidence interval of the median */
    bool cold;                            /* with the L2 cache flushed before each */
    uint32_t sm_clock_khz;                /* observed while timing; 0: unknown */
    double empty_launch_ms;               /* likewise of an empty launch; 0: not measured */

    /* Hardware counters of one more launch. If they were not requested, the attempt is not made and
       has no message. */
    struct smc_attempt counting;
    double counted[SMC_METRIC_COUNT];

    /* "13.0": the CUDA version that the driver supports, and the runtime's; "" if not available */
    char driver[SMC_GPU_VERSION_CHARS], runtime[SMC_GPU_VERSION_CHARS];
    char gpu_uuid[SMC_GPU_UUID_CHARS]; /* "GPU-...", as nvidia-smi prints it; "" if not available */

    /* Identifies this run; the caller fills it. */
    char host_name[SMC_HOST_NAME_CHARS];
    uint64_t seed; /* of the inputs */
};

struct smc_executor {
    const char *name; /* "gpu" */

    /* The number of usable GPUs. If it is 0, `why` says what is missing. */
    int (*device_count)(struct smc_error *why);

    /* Reads one device; SMC_UNAVAILABLE if there is no such index. */
    enum smc_status (*device)(int index, struct smc_device *device, struct smc_error *error);

    /* Runs the launch. A refusal by ptxas, the driver or the launch is a result (SMC_OK with the
       attempt's `succeeded` false), after which the device still works. SMC_MACHINE: out of memory,
       or a CUDA error that is not such a refusal. SMC_UNAVAILABLE: no device, or PTX that the
       emulator does not support. SMC_INTERRUPTED: `stop` requested it; the message says how far the
       run came. A user's kernel is launched with the same contents of memory each time; its
       errors, and a failure to end in time, are results as well. */
    enum smc_status (*run)(const struct smc_run_request *request, struct smc_run_result *result,
                           struct smc_text *warnings, struct smc_error *error);
};

const struct smc_executor *smc_place_executor(enum smc_place place);

/* As smc_query_answer, but also returns the machine code that a run at `place` needs; the kernel is
   compiled only once. Always free compiled->binary, even after a failure. */
enum smc_status smc_run_answer(const struct smc_query *query, enum smc_place place,
                               struct smc_answer *answer, struct smc_compiled *compiled,
                               struct smc_text *warnings, struct smc_error *error);

/* The predicted time with the empty launch that was timed on the GPU, if one was. */
void smc_run_set_empty_launch(const struct smc_run_result *result, struct smc_time *time);

/* For back ends: initializes the result with the outcome of compiling; and the kernel's name in the
   machine code. */
void smc_run_begin(const struct smc_run_request *request, struct smc_run_result *result);
const char *smc_run_entry(const struct smc_run_request *request);

/* The shape of the clusters that the launch asks for, which divides the grid if any does. False,
   and {0}: no clusters, or those that the kernel was compiled for. */
bool smc_run_cluster(const struct smc_run_request *request, uint32_t cluster[3]);

/* Whether it is a cooperative launch: by --cooperative, or as the code `asks` about the grid's
   barrier, and then if all blocks can be resident at a time. Of a compute capability, whose number
   of SMs is unknown, as many are resident as the emulator runs. */
bool smc_run_is_cooperative(const struct smc_run_request *request, bool asks);

/* Emulates a user's kernel again, with blocks, warps and lanes in the opposite order: its memory's
   `after_emulated` then holds that result. As the emulator's `run`, but without counts and
   findings; SMC_SHORTFALL: it did not end in time, or not without findings. */
enum smc_status smc_emulate_reversed(const struct smc_run_request *request,
                                     struct smc_error *error);

/* Stores to shared memory by cp.async: the emulator counts them with the other stores, the GPU's
   counters do not. */
void smc_emulated_copies(const struct smc_program *program, const struct smc_emulation *emulation,
                         struct smc_shared_count *copies);

/* The GPU back end in a build with CUDA, otherwise `none`. Never NULL. */
const struct smc_executor *smc_executor_default(void);

extern const struct smc_executor smc_executor_emulator; /* emulates any device of the request */
extern const struct smc_executor
    smc_executor_both; /* devices of the default back end, also emulated */
extern const struct smc_executor smc_executor_none;
extern const struct smc_executor smc_executor_gpu; /* only in a build with CUDA */

#endif
