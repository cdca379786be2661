/* What a program launched: every kernel with every configuration it was launched with, on which
   GPU, how often and for how long. Filled by the library that is injected into a program
   (collect.c) or from a file that another tool recorded (trace_read.c). Memory grows with the
   number of configurations, never with the number of launches. */
#ifndef SMC_ANSWERS_TRACE_H
#define SMC_ANSWERS_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "rules/devices.h"
#include "rules/launch.h"

/* What the source of a trace did not record. Nothing is assumed instead. */
#define SMC_TRACE_UNKNOWN (-1)

/* Where a trace is from. */
enum smc_trace_source {
#define TRACE_SOURCE(id, name, words) SMC_TRACE_##id,
#include "answers/trace/trace_sources.def"
    SMC_TRACE_SOURCE_COUNT
};

/* A GPU of the trace. */
struct smc_trace_device {
    int64_t id; /* as the source numbers it; unique within the trace */
    struct smc_device
        device; /* of the table, by its name or compute capability, with what was recorded */
    bool known; /* false: the source says neither name nor compute capability; `device` has at most
                   a name and a number of SMs */
    bool sms_differ; /* launches give different numbers of SMs, so that none is known */
};

/* A module that kernels were loaded from. */
struct smc_trace_module {
    char *file;  /* its machine code, kept for inspection; or NULL: not kept */
    char *shown; /* the same, safe for a terminal; or NULL */
};

/* All launches of one kernel with one configuration on one device by one process. Numbers are
   SMC_TRACE_UNKNOWN if they were not recorded. */
struct smc_trace_launch {
    /* The key: launches that are equal in all of these are one record. */
    char *name;                 /* as recorded, mangled or not; owned by the trace */
    int32_t device;             /* index in trace->devices, or SMC_TRACE_UNKNOWN */
    int32_t process;            /* index in trace->processes, or SMC_TRACE_UNKNOWN */
    int32_t module;             /* index in trace->modules, or SMC_TRACE_UNKNOWN */
    uint32_t grid[3], block[3]; /* {0}: unknown */
    uint32_t cluster[3];        /* {0}: unknown or none */
    int32_t regs_per_thread;
    int64_t static_smem_bytes, dynamic_smem_bytes; /* per block */
    int32_t carveout_percent; /* requested; SMC_CARVEOUT_DEFAULT: left to the driver, or unknown */
    int32_t cache_config;     /* requested, an enum smc_cache_config, or SMC_TRACE_UNKNOWN */
    int64_t smem_configured_bytes; /* of the SM, as executed; the largest if it varied, and
                                      no occupancy was recorded */

    /* What was counted and measured. */
    uint64_t launches;       /* 1 or more, those from graphs included */
    uint64_t graph_launches; /* of these, nodes of CUDA graphs */
    uint64_t timed_launches; /* launches that have a time; 0: the next three are unknown */
    uint64_t total_ns, least_ns, greatest_ns;
    int64_t resident_clusters; /* on the GPU at a time, as the driver reported them */
    int32_t api_blocks_per_sm; /* of cuOccupancyMaxActiveBlocksPerMultiprocessor, in the process */
    double achieved_occupancy_percent; /* measured, the mean over the timed launches */

    char *shown; /* the name demangled if possible, safe for a terminal; owned by the trace */
    uint64_t key_hash;
    bool wanted;  /* matches the filter's patterns */
    size_t place; /* of its share, in the slice of the course that it was last added to */

    /* Also of the key: the sum of static and dynamic shared memory per block, of sources that
       record nothing else (PyTorch); with the driver's reserve and rounding if `smem_has_reserve`
       (Nsight Compute). SMC_TRACE_UNKNOWN: see those two. The occupancy needs only the sum:
       smc_trace_smem_bytes. */
    int64_t smem_bytes;
    bool smem_has_reserve;

    /* Also of the key: theoretical, as the recording tool computed it. It differs between launches
       that the driver gave different sizes of shared memory. */
    double recorded_occupancy_percent;
};

/* A process of the program. */
struct smc_trace_process {
    int64_t id;    /* SMC_TRACE_UNKNOWN: not recorded */
    char *command; /* safe for a terminal; or NULL */
    char *file;    /* likewise: the one of several that were read that it is from; or NULL */
};

/* The launches that ran within one slice of time; for pictures of the course of the program. */
struct smc_trace_share {
    uint32_t launch; /* index in trace->launches */
    uint64_t ns;     /* that it ran within the slice; may exceed the slice if launches overlap */
};

struct smc_trace_slice {
    struct smc_trace_share *share;
    size_t count, capacity;
};

enum { SMC_TRACE_SLICES = 512 };

/* Slices of equal length that cover the time from the first launch to the last; their length is
   doubled when a launch ends after the last one. */
struct smc_trace_course {
    bool begun;
    uint64_t begin_ns, slice_ns;
    struct smc_trace_slice slice[SMC_TRACE_SLICES];
};

/* Which launches are wanted; {0}: all. */
struct smc_trace_filter {
    const char *const *patterns; /* only kernels that match one; see smc_name_matches */
    size_t pattern_count;
    uint64_t skip;  /* the first launches of wanted kernels, which are left out */
    uint64_t count; /* the launches after them that are counted; 0: all */
};

/* Start from {0}, or with `filter` set; all else is private to trace.c or read only. */
struct smc_trace {
    struct smc_trace_filter filter; /* the patterns are not owned */
    enum smc_trace_source source;
    char *file;    /* that was read, safe for a terminal; NULL: the program was run here */
    char *program; /* the command line that was traced, or the one recorded; or NULL */
    char *tool;    /* "Nsight Systems 2024.5", "CUPTI 13.0"; or NULL */

    struct smc_trace_device *devices;
    size_t device_count;
    struct smc_trace_process *processes;
    size_t process_count;
    struct smc_trace_module *modules;
    size_t module_count;
    struct smc_trace_launch *launches;
    size_t launch_count, launch_capacity;
    struct smc_trace_course course;

    bool has_exit;                /* the program was run here and ended: */
    int exit_status, exit_signal; /* signal 0: it exited */
    uint64_t skipped;             /* launches left out by filter.skip and filter.count */
    struct smc_text notes;    /* one line each, safe for a terminal: what is unknown or was lost */
    struct smc_text findings; /* likewise: what kernels did wrong on the emulator */
    size_t finding_count;

    size_t *index; /* by key_hash */
    size_t index_size;
    uint64_t wanted; /* launches of wanted kernels so far */

    int64_t rank, world_size; /* of the file in a distributed job; world_size 0: it is of none */

    bool launches_unknown; /* the source lists compiled kernels (Triton's cache) and says neither
                              whether nor how often they were launched: `launches` of each record is
                              1, is no count, and is not shown */
};

/* The enum smc_cache_config that is named in words such as "cudaFuncCachePreferL1", "PREFER_SHARED"
   or "equal"; SMC_TRACE_UNKNOWN: none is. */
int32_t smc_trace_cache_config(const char *words);

/* A launch about which nothing is known. */
void smc_trace_launch_init(struct smc_trace_launch *launch);

/* Static and dynamic shared memory together, per block; SMC_TRACE_UNKNOWN if the source recorded
   neither the sum nor both, or only what the driver allocates on a GPU that is not known (`device`
   is NULL). */
int64_t smc_trace_smem_bytes(const struct smc_trace_launch *launch,
                             const struct smc_device *device);

/* Adds launches that happened one after another with one configuration: counts and times are added
   to the record with the same key, or begin one. `launch`: name, key and counts (launches is 1 for
   a single one); its strings are copied and may hold anything; `shown` and `key_hash` are ignored.
   `index` (or NULL) receives the index of the record, or SIZE_MAX if the filter leaves it out.
   The filter counts in the order of the calls; of several launches added at once it takes a part,
   and of their times the same part. SMC_MACHINE: memory. */
enum smc_status smc_trace_add_launches(struct smc_trace *trace,
                                       const struct smc_trace_launch *launch, size_t *index,
                                       struct smc_error *error);

/* Notes when launches of a record ran, for the course. Times are of any one clock for the whole
   trace. Nothing happens if `index` is SIZE_MAX or `end_ns` is not after `begin_ns`. */
enum smc_status smc_trace_add_span(struct smc_trace *trace, size_t index, uint64_t begin_ns,
                                   uint64_t end_ns, struct smc_error *error);

/* The same for sources that recorded the course itself: first its beginning and the length of a
   slice, both below 2^62 together with all slices, then what ran within each slice, whose index is
   below SMC_TRACE_SLICES. Nothing happens if `index` is SIZE_MAX. */
void smc_trace_begin_course(struct smc_trace *trace, uint64_t begin_ns, uint64_t slice_ns);
enum smc_status smc_trace_add_share(struct smc_trace *trace, size_t slice, size_t index,
                                    uint64_t ns, struct smc_error *error);

/* What a source recorded about a GPU; unknown members are NULL or 0. */
struct smc_trace_gpu {
    int64_t id;
    const char *name;
    uint16_t cc; /* 10 x major + minor */
    uint32_t sm_count, clock_khz;
    uint32_t regs_per_sm, max_threads_per_sm, smem_per_sm_bytes; /* only compared */
    uint64_t global_mem_bytes, l2_bytes;
};

/* Adds a GPU, or completes the one with this id, and returns its index; SMC_TRACE_UNKNOWN: memory.
   The limits of an SM are the table's, by name or else by compute capability; recorded ones that
   differ are noted. */
int32_t smc_trace_device(struct smc_trace *trace, const struct smc_trace_gpu *gpu);

/* The index of the process with this id, which is added if it is new; SMC_TRACE_UNKNOWN: memory.
   `command` may be NULL. */
int32_t smc_trace_process(struct smc_trace *trace, int64_t id, const char *command);

/* The same, of one of several files; the same id in another file is another process. */
int32_t smc_trace_process_of_file(struct smc_trace *trace, int64_t id, const char *command,
                                  const char *file);

/* The index of the module whose machine code is in `file`; SMC_TRACE_UNKNOWN: memory. */
int32_t smc_trace_module(struct smc_trace *trace, const char *file);

/* Appends a line to trace->notes, once, however often it is called with the same text. */
void smc_trace_note(struct smc_trace *trace, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same for what an emulated program was told; the text may hold mangled names. */
void smc_trace_told(struct smc_trace *trace, const char *text);

/* Appends what the emulator found in a kernel. Both texts may hold anything. SMC_MACHINE: memory.
 */
enum smc_status smc_trace_finding(struct smc_trace *trace, const char *kernel, const char *text,
                                  struct smc_error *error);

void smc_trace_free(struct smc_trace *trace);

struct smc_trace_source_words {
    const char *name;  /* "injection", "nsight_systems" */
    const char *words; /* "Nsight Systems" */
};
extern const struct smc_trace_source_words smc_trace_sources[SMC_TRACE_SOURCE_COUNT];

#endif
