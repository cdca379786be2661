/* What the parts of the GPU back end share. Inside src/executor, the GPU tests and the
   benchmarks only. */
#ifndef SMC_EXECUTOR_GPU_H
#define SMC_EXECUTOR_GPU_H

#include <cuda_runtime_api.h>

#include "executor/executor.h"

/* What CUDA 13.5 added, by the numbers of its headers, so that a program built with an older
   toolkit can ask a newer driver for it: cudaFuncAttributeSharedMemoryMode, whose values are those
   of enum smc_smem_mode, and cudaDevAttrOversizedSharedMemoryPerBlock. */
enum {
    SMC_GPU_ATTRIBUTE_SMEM_MODE = 16,
    SMC_GPU_ATTRIBUTE_OVERSIZED_SMEM = 150,
    SMC_GPU_FIRST_WITH_SMEM_MODE = 13050,
};

/* --- Errors ------------------------------------------------------------------------------- */

/* "CALL: cudaErrorName: text", with what to do about it where that is known; SMC_UNAVAILABLE where
   the GPU cannot be used at all, else SMC_MACHINE. The runtime's last error is cleared. */
enum smc_status smc_gpu_fail(struct smc_error *error, cudaError_t code, const char *call);

/* Notes in `attempt` how a call ended that may well be refused, and clears the last error.
   Returns whether it succeeded. */
bool smc_gpu_attempt(struct smc_attempt *attempt, cudaError_t code);

/* Writes device memory and reads it back: false, with an error, after a failure that the context
   did not survive. */
enum smc_status smc_gpu_check_context(struct smc_error *error);

/* --- Devices ------------------------------------------------------------------------------ */

int smc_gpu_device_count(struct smc_error *why);
enum smc_status smc_gpu_device(int index, struct smc_device *device, struct smc_error *error);
uint32_t smc_gpu_sm_clock_khz(int gpu_index);

/* Makes it the one that the calls after this are about. SMC_UNAVAILABLE, with how to change that,
   where its compute mode keeps this process out. */
enum smc_status smc_gpu_use(int index, struct smc_error *error);

/* A slice of a GPU (MIG): its properties are the slice's. */
bool smc_gpu_is_slice(const struct smc_device *device);

/* "580.159.03"; false, and "", where NVML is not there to tell. */
bool smc_gpu_driver_release(char release[SMC_GPU_VERSION_CHARS]);

/* Shared memory that the driver reserves in each block, as the API reports it. */
void smc_gpu_reserved_smem(int gpu_index, struct smc_attempt *attempt, uint32_t *bytes);

/* Replaces the limits of the table's row by those of a live device. */
void smc_gpu_lay_over(const struct cudaDeviceProp *properties, struct smc_sm *sm);

/* "13.0": of CUDA that the driver supports, and of the runtime. */
void smc_gpu_versions(char driver_text[SMC_GPU_VERSION_CHARS],
                      char runtime_text[SMC_GPU_VERSION_CHARS]);

/* --- Kernels ------------------------------------------------------------------------------ */

struct smc_gpu_kernel {
    cudaLibrary_t library;
    cudaKernel_t handle;
    struct cudaFuncAttributes attributes;
};

/* Loads machine code; a refusal stands in `attempt`. */
bool smc_gpu_load(const struct smc_binary *binary, const char *entry, struct smc_gpu_kernel *kernel,
                  struct smc_attempt *attempt);
void smc_gpu_unload(struct smc_gpu_kernel *kernel);

/* Carve-out (or cache preference) and, where `launch` wants more dynamic shared memory than the
   default and may opt in, the opt-in, whose refusal stands in `opt_in`. */
enum smc_status smc_gpu_configure(const struct smc_gpu_kernel *kernel,
                                  const struct smc_launch *launch, struct smc_attempt *opt_in,
                                  struct smc_error *error);

/* cudaOccupancyMaxActiveBlocksPerMultiprocessor, after smc_gpu_configure. */
void smc_gpu_occupancy(const struct smc_gpu_kernel *kernel, const struct smc_launch *launch,
                       struct smc_attempt *attempt, uint32_t *blocks_per_sm);

/* cudaOccupancyAvailableDynamicSMemPerBlock for as many blocks as `result` says the API found. */
void smc_gpu_available_smem(const struct smc_gpu_kernel *kernel, const struct smc_launch *launch,
                            struct smc_run_result *result);

struct smc_gpu_buffers {
    size_t count;
    void *host[SMC_MAX_BUFFERS];
    void *device[SMC_MAX_BUFFERS];
    size_t bytes[SMC_MAX_BUFFERS];
};

/* Launches without waiting; `arguments` as cudaLaunchKernel takes them. */
cudaError_t smc_gpu_start(const struct smc_gpu_kernel *kernel, const uint32_t grid[3],
                          const uint32_t block[3], uint32_t dynamic_smem_bytes, void **arguments);

/* Starts what a plan says. */
cudaError_t smc_gpu_launch(const struct smc_gpu_kernel *kernel, const struct smc_plan *plan,
                           uint32_t dynamic_smem_bytes, struct smc_gpu_buffers *buffers);

/* --- Waiting ------------------------------------------------------------------------------ */

/* Waits, at most `timeout_ms` or until `stop` (or NULL) asks for it, for all that was launched to
   come to its end: cudaSuccess; cudaErrorNotReady where it has not; else the error of a crash.
   `finish` notes it, after `what`
   ("" or "the residency probe: "). After a failure every call that waits for the GPU, and such are
   those that free, copy and unload, may block for ever: what the GPU holds is left to the end of
   the process (smc_is_lost). */
cudaError_t smc_gpu_wait(uint32_t timeout_ms, bool (*stop)(void), const char *what,
                         struct smc_attempt *finish);

/* --- Buffers ------------------------------------------------------------------------------ */

/* Of the GPU's memory; NULL is nothing. That it fails loses no more than a process about to end. */
void smc_gpu_free(void *memory);

/* Allocates on both sides, fills the inputs with random values and the outputs with poison.
   SMC_MACHINE where the memory is not there. Free in any case. */
enum smc_status smc_gpu_buffers_create(const struct smc_plan *plan, uint64_t seed,
                                       struct smc_gpu_buffers *buffers, struct smc_error *error);
enum smc_status smc_gpu_buffers_fetch_outputs(const struct smc_plan *plan,
                                              struct smc_gpu_buffers *buffers,
                                              struct smc_error *error);
void smc_gpu_buffers_free(struct smc_gpu_buffers *buffers);
/* Of a GPU that is lost: only the host's memory. */
void smc_gpu_buffers_leave(struct smc_gpu_buffers *buffers);

/* Megabytes, rounded up, for messages. */
unsigned long long smc_gpu_megabytes(uint64_t bytes);

/* SMC_MACHINE where less of the GPU's memory is free; `option` asks for less. */
enum smc_status smc_gpu_check_memory(uint64_t bytes, const char *option, struct smc_error *error);

/* --- Times on the GPU --------------------------------------------------------------------- */

/* Start from {0}, and destroy in any case but that of a GPU that is lost. */
struct smc_gpu_stopwatch {
    cudaEvent_t before, after;
};

cudaError_t smc_gpu_stopwatch_create(struct smc_gpu_stopwatch *watch);
void smc_gpu_stopwatch_destroy(struct smc_gpu_stopwatch *watch);

/* What is launched between the two is timed. None of them waits; `code` is how things went so far:
   after a failure it is returned, and nothing is done. */
cudaError_t smc_gpu_stopwatch_start(const struct smc_gpu_stopwatch *watch);
cudaError_t smc_gpu_stopwatch_stop(const struct smc_gpu_stopwatch *watch, cudaError_t code);

/* Once the work has ended; 0 after a failure. */
cudaError_t smc_gpu_stopwatch_read(const struct smc_gpu_stopwatch *watch, cudaError_t code,
                                   double *ms);

/* --- Measurements ------------------------------------------------------------------------- */

/* Fills the timing fields of `result`; launches that do not end in `timeout_ms` are noted there. */
enum smc_status smc_gpu_time(const struct smc_gpu_kernel *kernel, const struct smc_plan *plan,
                             uint32_t dynamic_smem_bytes, struct smc_gpu_buffers *buffers,
                             int gpu_index, uint32_t timeout_ms, double budget_ms,
                             struct smc_run_result *result, struct smc_error *error);

/* What the residency probe is to look like. */
struct smc_gpu_probe {
    uint32_t regs_per_thread;
    struct smc_launch launch; /* static and dynamic bytes are added and given as dynamic ones */
    uint32_t expected_blocks; /* per SM; the grid is more than twice as large */
    double budget_ms;
    uint32_t timeout_ms; /* for each of its launches, should one have no end */
};

/* Finds the number of live values (parameter LIVE, written into `params`) at which `probe` compiles
   to `regs_per_thread` registers, and fills `compiled` (owned by the caller) for it. Where no
   number gives exactly that count, the nearest count above it that exists is taken, or else the
   nearest below: compare compiled->resources.regs_per_thread. Fails as smc_compile does. */
enum smc_status smc_live_find(const struct smc_kernel *probe, uint32_t regs_per_thread, uint16_t cc,
                              const struct smc_compile_options *options, struct smc_params *params,
                              struct smc_compiled *compiled, struct smc_text *warnings,
                              struct smc_error *error);

/* Fills the probe fields of `result`. */
enum smc_status smc_gpu_probe(const struct smc_device *device, const struct smc_gpu_probe *probe,
                              const struct smc_compile_options *options,
                              struct smc_run_result *result, struct smc_text *warnings,
                              struct smc_error *error);

/* Fills the counters' fields of `result`, unless the request wants none. Fails only where the
   context did not survive. */
enum smc_status smc_gpu_count(const struct smc_gpu_kernel *kernel,
                              const struct smc_run_request *request,
                              const struct smc_device *device, struct smc_gpu_buffers *buffers,
                              struct smc_run_result *result, struct smc_error *error);

#endif
