/* What the files of the GPU back end share. Only src/hardware/executor, the GPU tests and the
   benchmarks include it. */
#ifndef SMC_HARDWARE_GPU_H
#define SMC_HARDWARE_GPU_H

#include <cuda_runtime_api.h>

#include "hardware/executor.h"
#include "hardware/executor/user_argument.h"

/* Additions of CUDA 13.5, as the numbers from its headers, so that a program built with an older
   toolkit can use them with a newer driver: cudaFuncAttributeSharedMemoryMode, whose values are
   those of enum smc_smem_mode, and cudaDevAttrOversizedSharedMemoryPerBlock. */
enum {
    SMC_GPU_ATTRIBUTE_SMEM_MODE = 16,
    SMC_GPU_ATTRIBUTE_OVERSIZED_SMEM = 150,
    SMC_GPU_FIRST_WITH_SMEM_MODE = 13050,
};

/* --- Errors ------------------------------------------------------------------------------- */

/* Reports "CALL: cudaErrorName: text", with a remedy if one is known. Returns SMC_UNAVAILABLE if
   the GPU cannot be used at all, otherwise SMC_MACHINE. Clears the runtime's last error. */
enum smc_status smc_gpu_fail(struct smc_error *error, cudaError_t code, const char *call);

/* Notes in `attempt` the outcome of a call that may be refused, and clears the last error. Returns
   whether it succeeded. */
bool smc_gpu_attempt(struct smc_attempt *attempt, cudaError_t code);

/* Writes device memory and reads it back. Returns false, with an error, if an earlier failure
   destroyed the context. */
enum smc_status smc_gpu_check_context(struct smc_error *error);

/* --- Devices ------------------------------------------------------------------------------ */

int smc_gpu_device_count(struct smc_error *why);
enum smc_status smc_gpu_device(int index, struct smc_device *device, struct smc_error *error);
uint32_t smc_gpu_sm_clock_khz(int gpu_index);

/* Makes this the current device. SMC_UNAVAILABLE if its compute mode excludes this process; the
   message says how to change that. */
enum smc_status smc_gpu_use(int index, struct smc_error *error);

/* Whether this is a slice of a GPU (MIG); its properties are then those of the slice. */
bool smc_gpu_is_slice(const struct smc_device *device);

/* "580.159.03"; returns false and "" if NVML is not available. */
bool smc_gpu_driver_release(char release[SMC_GPU_VERSION_CHARS]);

/* Shared memory that the driver reserves in each block, as reported by the API. */
void smc_gpu_reserved_smem(int gpu_index, struct smc_attempt *attempt, uint32_t *bytes);

/* "13.0": the CUDA versions that the driver supports, and of the runtime. */
void smc_gpu_versions(char driver_text[SMC_GPU_VERSION_CHARS],
                      char runtime_text[SMC_GPU_VERSION_CHARS]);

/* --- Kernels ------------------------------------------------------------------------------ */

struct smc_gpu_kernel {
    cudaLibrary_t library;
    cudaKernel_t handle;
    struct cudaFuncAttributes attributes;
    bool is_cooperative;  /* launched so that its blocks can wait for each other */
    bool stores_matrices; /* by stmatrix */
    uint32_t cluster[3];  /* of its launches; {0}: none, or as it was compiled */
};

/* Loads machine code, or PTX if there is none; a refusal is noted in `attempt`. */
bool smc_gpu_load(const struct smc_binary *binary, const char *entry, struct smc_gpu_kernel *kernel,
                  struct smc_attempt *attempt);
void smc_gpu_unload(struct smc_gpu_kernel *kernel);

/* Sets the carve-out (or cache preference). If `launch` needs more dynamic shared memory than the
   default limit and may opt in, also makes the opt-in, whose outcome is in `opt_in`. */
enum smc_status smc_gpu_configure(const struct smc_gpu_kernel *kernel,
                                  const struct smc_launch *launch, struct smc_attempt *opt_in,
                                  struct smc_error *error);

/* cudaOccupancyMaxActiveBlocksPerMultiprocessor; call after smc_gpu_configure. */
void smc_gpu_occupancy(const struct smc_gpu_kernel *kernel, const struct smc_launch *launch,
                       struct smc_attempt *attempt, uint32_t *blocks_per_sm);

/* cudaOccupancyMaxActiveClusters; call after smc_gpu_configure. */
void smc_gpu_clusters(const struct smc_gpu_kernel *kernel, const uint32_t grid[3],
                      const struct smc_launch *launch, struct smc_attempt *attempt,
                      uint32_t *clusters);

/* Finds the groups of SMs by asking for clusters of each size of a kernel without static shared
   memory. None without clusters, or, with a warning, if the driver's answers follow another rule
   than smc_resident_clusters. */
enum smc_status smc_gpu_find_groups(const struct smc_gpu_kernel *kernel,
                                    const struct smc_device *device, struct smc_sm_groups *groups,
                                    struct smc_text *warnings, struct smc_error *error);

/* cudaOccupancyAvailableDynamicSMemPerBlock for the number of blocks that the API reported in
   `result`. */
void smc_gpu_available_smem(const struct smc_gpu_kernel *kernel, const struct smc_launch *launch,
                            struct smc_run_result *result);

struct smc_gpu_buffers {
    size_t count;
    void *host[SMC_MAX_BUFFERS];
    void *device[SMC_MAX_BUFFERS];
    size_t bytes[SMC_MAX_BUFFERS];
};

/* Has the driver encode the tensor map of an argument whose memory is at `memory`. */
enum smc_status smc_gpu_tensor_map(const struct smc_user_argument *argument, void *memory,
                                   unsigned char bytes[SMC_TENSOR_MAP_BYTES],
                                   struct smc_error *error);

/* A texture or surface object over an array, which has a copy of linear memory, or over the linear
   memory itself. Start from {0}. */
struct smc_gpu_texture {
    const struct smc_user_argument *argument; /* the caller's */
    cudaArray_t array;                        /* NULL: linear memory */
    uint64_t object;                          /* what the kernel receives */
};

/* Whether a texture is over linear memory: it has one dimension, is neither filtered nor
   normalized, and the kernel's PTX (or NULL) fetches from linear memory. CUDA has another call for
   such fetches. */
bool smc_gpu_texture_is_linear(const struct smc_user_argument *argument, const char *ptx);

/* `memory`: the texels in row-major order, on the GPU; it outlives the object. SMC_USAGE: the GPU
   refuses it. Free `made` even then. */
enum smc_status smc_gpu_texture_make(const struct smc_user_argument *argument, void *memory,
                                     bool is_linear, struct smc_gpu_texture *made,
                                     struct smc_error *error);
void smc_gpu_texture_free(struct smc_gpu_texture *made);

/* Enqueue a copy of the memory into the array, and of a surface's array into the memory; nothing
   where there is no array. */
cudaError_t smc_gpu_texture_fill(const struct smc_gpu_texture *made, void *memory);
cudaError_t smc_gpu_texture_fetch(const struct smc_gpu_texture *made, void *memory);

/* Launches without waiting; `arguments` as for cudaLaunchKernel. */
cudaError_t smc_gpu_start(const struct smc_gpu_kernel *kernel, const uint32_t grid[3],
                          const uint32_t block[3], uint32_t dynamic_smem_bytes, void **arguments);

/* Launches according to a plan. */
cudaError_t smc_gpu_launch(const struct smc_gpu_kernel *kernel, const struct smc_plan *plan,
                           uint32_t dynamic_smem_bytes, struct smc_gpu_buffers *buffers);

/* --- Waiting ------------------------------------------------------------------------------ */

/* Waits until all launches have ended, at most `timeout_ms` or until `stop` (or NULL) requests an
   end. Returns cudaSuccess, cudaErrorNotReady if they have not ended, or the error of a crash.
   `finish` notes the outcome, after `what` ("" or "the residency probe: "). After a failure every
   call that waits for the GPU, including those that free, copy and unload, may block forever:
   whatever the GPU holds is left until the process ends (smc_is_lost). */
cudaError_t smc_gpu_wait(uint32_t timeout_ms, bool (*stop)(void), const char *what,
                         struct smc_attempt *finish);

/* --- Buffers ------------------------------------------------------------------------------ */

/* Frees GPU memory; NULL is allowed. Errors are ignored, because the process is about to end. */
void smc_gpu_free(void *memory);

/* Allocates buffers on host and GPU, fills the inputs with random values and the outputs with
   poison. SMC_MACHINE if there is not enough memory. Always free them, even after a failure. */
enum smc_status smc_gpu_buffers_create(const struct smc_plan *plan, uint64_t seed,
                                       struct smc_gpu_buffers *buffers, struct smc_error *error);
enum smc_status smc_gpu_buffers_fetch_outputs(const struct smc_plan *plan,
                                              struct smc_gpu_buffers *buffers,
                                              struct smc_error *error);
void smc_gpu_buffers_free(struct smc_gpu_buffers *buffers);
/* For a lost GPU: frees only the host's memory. */
void smc_gpu_buffers_leave(struct smc_gpu_buffers *buffers);

/* Bytes in megabytes, rounded up, for messages. */
unsigned long long smc_gpu_megabytes(uint64_t bytes);

/* SMC_MACHINE if the GPU has less free memory; `option` is the option that reduces the need. */
enum smc_status smc_gpu_check_memory(uint64_t bytes, const char *option, struct smc_error *error);

/* --- Times on the GPU --------------------------------------------------------------------- */

/* Initialize with {0}. Always destroy, unless the GPU is lost. */
struct smc_gpu_stopwatch {
    cudaEvent_t before, after;
};

cudaError_t smc_gpu_stopwatch_create(struct smc_gpu_stopwatch *watch);
void smc_gpu_stopwatch_destroy(struct smc_gpu_stopwatch *watch);

/* Times the launches between start and stop. Neither waits. `code` is the result of the calls so
   far: if it is a failure, it is returned and nothing is done. */
cudaError_t smc_gpu_stopwatch_start(const struct smc_gpu_stopwatch *watch);
cudaError_t smc_gpu_stopwatch_stop(const struct smc_gpu_stopwatch *watch, cudaError_t code);

/* Call when the work has ended; 0 after a failure. */
cudaError_t smc_gpu_stopwatch_read(const struct smc_gpu_stopwatch *watch, cudaError_t code,
                                   double *ms);

/* Launches once without waiting. */
typedef cudaError_t smc_gpu_launch_function(void *context);

/* A launch that is repeated. */
struct smc_gpu_work {
    smc_gpu_launch_function *launch;
    smc_gpu_launch_function *prepare; /* enqueued before each launch, outside its time; or NULL */
    void *context;                    /* of both */
    bool stores_matrices;             /* by stmatrix */
};

/* Evicts what is in the L2 cache, by writing twice as much; `memory` NULL: does nothing. */
struct smc_gpu_flush {
    void *memory;
    size_t bytes;
};

enum smc_status smc_gpu_flush_create(const struct smc_device *device, struct smc_gpu_flush *flush,
                                     struct smc_error *error);
cudaError_t smc_gpu_flush_enqueue(const struct smc_gpu_flush *flush);

/* A launch according to a plan, as work whose context is this struct. */
struct smc_gpu_planned {
    const struct smc_gpu_kernel *kernel;
    const struct smc_plan *plan;
    uint32_t dynamic_smem_bytes;
    struct smc_gpu_buffers *buffers;
    const struct smc_gpu_flush *flush; /* before each launch; or NULL */
};

struct smc_gpu_work smc_gpu_planned_work(struct smc_gpu_planned *planned);

/* Enqueues so many launches, at most a batch, each between the events of its own stopwatch, behind
   a gate that opens when all of them are enqueued: the GPU does not wait for the host between two
   calls. If the gate is left shut, it opens by itself after 100 ms. In a batch an empty launch
   takes 2.7 us on an H200 and 3.1 us on an H100; among 50 behind a gate 3.4 and 3.8 us
   (2026-11-23). */
enum { SMC_GPU_BATCH = 10 };
cudaError_t smc_gpu_time_batch(const struct smc_gpu_stopwatch *watch, int launches,
                               const struct smc_gpu_work *work);

/* --- Measurements ------------------------------------------------------------------------- */

/* Fills the timing fields of `result`, and notes there if launches do not end in `timeout_ms`. */
enum smc_status smc_gpu_time(const struct smc_gpu_work *work, int gpu_index, uint32_t timeout_ms,
                             double budget_ms, struct smc_run_result *result,
                             struct smc_error *error);

/* How long one of short launches takes, in ms: the median of three batches, after a first launch.
   cudaErrorNotReady: they did not end in `timeout_ms`, as `finish` then says. */
cudaError_t smc_gpu_median_launch(const struct smc_gpu_work *work, int gpu_index,
                                  uint32_t timeout_ms, struct smc_attempt *finish, double *ms);

/* A kernel that does nothing. */
extern const struct smc_kernel smc_gpu_empty_kernel;

/* Times empty launches, of at most a block on each SM, as those of `work` were: `empty_launch_ms`
   of the result. Does nothing where these take so long that it does not matter, were not timed, or
   where the empty kernel cannot be compiled. */
enum smc_status smc_gpu_time_empty(const struct smc_gpu_work *work,
                                   const struct smc_run_request *request,
                                   const struct smc_device *device, struct smc_run_result *result,
                                   struct smc_error *error);

/* The registers and the launch that the residency probe must have. */
struct smc_gpu_probe {
    uint32_t regs_per_thread;
    struct smc_launch launch; /* the sum of static and dynamic bytes is passed as dynamic bytes */
    uint32_t expected_blocks; /* per SM; the grid is more than twice as large */
    double budget_ms;
    uint32_t timeout_ms; /* for each of its launches, in case one does not end */
};

/* What is compiled to find a number of live values. */
struct smc_live_search {
    const struct smc_kernel *probe;
    uint16_t cc;
    const struct smc_compile_options *options;
    struct smc_params *params;     /* LIVE is written */
    struct smc_compiled *compiled; /* filled; owned by the caller */
    struct smc_text *warnings;
    struct smc_error *error;
};

/* Finds the number of live values at which the probe compiles to `regs_per_thread` registers. If no
   number gives exactly that count, the nearest possible count above it is used, or else the nearest
   below: compare compiled->resources.regs_per_thread. Fails as smc_compile does. */
enum smc_status smc_live_find(const struct smc_live_search *search, uint32_t regs_per_thread);

/* Fills the probe fields of `result`. */
enum smc_status smc_gpu_probe(const struct smc_device *device, const struct smc_gpu_probe *probe,
                              const struct smc_compile_options *options,
                              struct smc_run_result *result, struct smc_text *warnings,
                              struct smc_error *error);

/* The same with a probe that is loaded, as result->probe says, and whose registers are those of
   `probe`. */
enum smc_status smc_gpu_probe_loaded(const struct smc_device *device,
                                     const struct smc_gpu_probe *probe,
                                     const struct smc_gpu_kernel *kernel,
                                     struct smc_run_result *result, struct smc_error *error);

/* Fills the counters' fields of `result`, unless the request disables them. Fails only if the
   context was destroyed. */
enum smc_status smc_gpu_count(const struct smc_gpu_work *work,
                              const struct smc_run_request *request,
                              const struct smc_device *device, struct smc_run_result *result,
                              struct smc_error *error);

#endif
