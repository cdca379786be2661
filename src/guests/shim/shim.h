/* CUDA's driver on the emulator: the state of the process that the calls of the driver API
   (driver*.c) work on. The runtime API (shim_runtime.c) is a library of its own above that API, as
   it is where there is a GPU.

   Device memory is memory of the process, at the same addresses: what a program stores as a device
   pointer, also within structures, is what its kernels get. Everything runs in the order of the
   calls and is over when they return; streams and events are only names. */
#ifndef SMC_GUESTS_SHIM_H
#define SMC_GUESTS_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "guests/shim/api.h"
#include "machine/emulator.h"
#include "rules/devices.h"
#include "rules/launch.h"

/* One lock for all state; a thread may take it again. */
void shim_lock(void);
void shim_unlock(void);

/* The device that --device asked for. */
const struct smc_device *shim_device(void);
enum smc_strictness shim_strictness(void);

/* A line on standard error, and a note in the trace's report; each text once. */
void shim_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* --- shim_memory.c ---------------------------------------------------------------------------- */

enum shim_memory_kind {
    SHIM_MEMORY_DEVICE,
    SHIM_MEMORY_MANAGED,
    SHIM_MEMORY_HOST,       /* pinned, allocated by CUDA */
    SHIM_MEMORY_REGISTERED, /* pinned, the program's own */
    SHIM_MEMORY_VARIABLE,   /* of a module */
    SHIM_MEMORY_ARRAY,      /* of a CUDA array */
    SHIM_MEMORY_KINDS
};

struct shim_allocation {
    uint64_t address, bytes;
    enum shim_memory_kind kind;
    char name[64];    /* for findings */
    uint8_t *written; /* of device memory, as in struct smc_emulated_array; NULL: all of it */
    uint64_t known;   /* the first elements of `written` that are complete */
};

/* Zeroed the first time it is used. 0: out of memory. */
uint64_t shim_memory_allocate(uint64_t bytes, enum shim_memory_kind kind, const char *name);
/* False: no such allocation begins there. */
bool shim_memory_free(uint64_t address);
bool shim_memory_register(void *memory, uint64_t bytes);
bool shim_memory_unregister(const void *memory);
/* Bytes of it have been written. */
void shim_memory_write(uint64_t address, uint64_t bytes);
/* After a launch: forgets which bytes were written where all are. */
void shim_memory_settle(void);
/* What was freed, and not given out again since. */
const struct shim_allocation *shim_memory_freed(size_t *count);
/* The allocation that holds the address; NULL: none. */
const struct shim_allocation *shim_memory_find(uint64_t address);
/* All of them, by address. */
const struct shim_allocation *shim_memory_all(size_t *count);
uint64_t shim_memory_used(void);

/* --- driver_arrays.c -------------------------------------------------------------------------- */

/* The texture and surface objects, for the emulator, whose arrays are shim_memory_all. Freed by the
   caller; NULL: out of memory. */
struct smc_emulated_texture *shim_textures(size_t *count);

/* --- shim_modules.c --------------------------------------------------------------------------- */

struct shim_module;

struct shim_function {
    struct shim_function *next;
    struct shim_module *module;
    char *name;
    struct smc_program *program; /* NULL: not yet read, or refused */
    bool is_read;
    char refusal[256];
    int32_t regs; /* per thread, from machine code of the same container; -1: unknown */
    uint32_t max_threads, required_block[3]; /* 0: none */
    uint32_t max_dynamic_smem;               /* opted in to */
    bool allows_large_clusters;              /* above the portable size */
    int32_t carveout_percent, cache_config;
};

struct shim_variable {
    char *name;
    uint64_t address, bytes;
};

/* `image`: PTX text, a container, or a structure of nvcc that points to one. */
int shim_module_load(const void *image, struct shim_module **module);
void shim_module_unload(struct shim_module *module);
struct shim_function *shim_module_function(struct shim_module *module, const char *name);
const struct shim_variable *shim_module_variable(struct shim_module *module, const char *name);
size_t shim_module_variables(const struct shim_module *module,
                             const struct shim_variable **variables);
/* Whether it is one that was loaded and not unloaded. */
bool shim_module_is(const struct shim_module *module);
/* Decodes the kernel, the first time. False: it is refused, for function->refusal. */
bool shim_function_read(struct shim_function *function);

/* --- shim_launch.c ---------------------------------------------------------------------------- */

struct shim_launch {
    struct shim_function *function;
    uint32_t grid[3], block[3], cluster[3], dynamic_smem_bytes;
    void **parameters;  /* a pointer for each; or NULL */
    const void *packed; /* all of them, laid out as the kernel has them; or NULL */
    size_t packed_bytes;
    bool cooperative;
};

int shim_launch(const struct shim_launch *launch);

/* Whether a driver accepts the launch, which it checks when a graph gets it, too. */
int shim_check_launch(const struct shim_launch *launch);
/* Whether the model lets it launch, and what the GPU then holds. The function must be read. */
void shim_model(const struct shim_launch *launch, struct smc_occupancy *occupancy);
/* Whether the grid is one that a launch may have. */
bool shim_has_grid(const struct shim_launch *launch);
/* Whether its cluster, if it has one, is the one that the kernel was compiled for, divides the
   grid, and is portable or allowed. */
bool shim_has_cluster(const struct shim_launch *launch);
/* As cudaOccupancyMaxActiveClusters counts them: of any size; 0: none. */
uint64_t shim_resident_clusters(const struct shim_launch *launch);
/* Resident blocks per SM; 0: it cannot be launched. */
uint32_t shim_occupancy(const struct shim_function *function, uint32_t threads,
                        uint32_t dynamic_smem_bytes);
/* Writes what kernels printed so far, as a synchronization does. */
void shim_flush_output(void);
/* What a launch did wrong; every later call returns it. 0: nothing. */
int shim_sticky_error(void);
/* Forgets that, and what kernels allocated. */
void shim_reset_context(void);

/* --- shim_records.c: what `smemcalc trace` reads ---------------------------------------------- */

void shim_record_start(void);
void shim_record_launch(const struct shim_launch *launch);
void shim_record_finding(const char *kernel, const char *kind, const char *text);
/* Why the last launch was refused. */
void shim_note_refusal(const char *kernel, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
