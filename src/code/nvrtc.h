/* A per-user cache folder: values are stored and found by a key of bytes. Each file holds its whole
   key, so that hash collisions do no harm, and a checksum: a damaged, truncated or foreign file
   counts as absent. Safe for concurrent runs. A failure here is never an error, only one line of
   warning. */
#ifndef SMC_CODE_NVRTC_H
#define SMC_CODE_NVRTC_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "code/compile/resources.h"
#include "config.h"

struct smc_cache {
    char folder[1024];
    bool usable;
    struct smc_text *warnings; /* may be NULL */
};

/* $SMEMCALC_CACHE_DIR, else $XDG_CACHE_HOME/smemcalc, else ~/.cache/smemcalc; made on the first
   write. A disabled cache finds and stores nothing, without a warning. */
void smc_cache_open(struct smc_cache *cache, bool disabled, struct smc_text *warnings);

struct smc_cache_size {
    size_t entries;
    int64_t bytes, most_bytes;
};

/* What the folder holds; nothing where it cannot be read. */
void smc_cache_measure(const struct smc_cache *cache, struct smc_cache_size *size);

/* Appends the value to an empty buffer; false if there is none. */
bool smc_cache_read(struct smc_cache *cache, const struct smc_text *key, struct smc_text *value);

/* Stores a value, and removes the oldest files if there are too many. */
void smc_cache_write(struct smc_cache *cache, const struct smc_text *key, const void *value,
                     size_t value_bytes);

/* Appends a line to `warnings` (which may be NULL) unless it is there already; made safe. */
void smc_warn(struct smc_text *warnings, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* --- NVRTC ------------------------------------------------------------------------------------ */

/* One NVRTC library, opened at run time: building needs none of its headers, and the program starts
   without it. */

/* Why there is none. A static program would need the very C library it was linked with. */
#if SMC_STATIC_PROGRAM
#define SMC_NVRTC_ABSENT "this program is linked statically and can load no NVRTC"
#else
#define SMC_NVRTC_ABSENT "no NVRTC was found"
#endif

/* name, symbol, parameters; each returns nvrtcResult, 0 for success. */
#define SMC_NVRTC_FUNCTIONS(F)                                                                     \
    F(version, "nvrtcVersion", (int *major, int *minor))                                           \
    F(count_archs, "nvrtcGetNumSupportedArchs", (int *count))                                      \
    F(list_archs, "nvrtcGetSupportedArchs", (int *archs))                                          \
    F(create, "nvrtcCreateProgram",                                                                \
      (void **program, const char *text, const char *name, int header_count,                       \
       const char *const *headers, const char *const *header_names))                               \
    F(destroy, "nvrtcDestroyProgram", (void **program))                                            \
    F(compile, "nvrtcCompileProgram", (void *program, int count, const char *const *options))      \
    F(log_size, "nvrtcGetProgramLogSize", (void *program, size_t *bytes))                          \
    F(log, "nvrtcGetProgramLog", (void *program, char *log))                                       \
    F(cubin_size, "nvrtcGetCUBINSize", (void *program, size_t *bytes))                             \
    F(cubin, "nvrtcGetCUBIN", (void *program, char *cubin))                                        \
    F(ptx_size, "nvrtcGetPTXSize", (void *program, size_t *bytes))                                 \
    F(ptx, "nvrtcGetPTX", (void *program, char *ptx))

struct smc_nvrtc {
#define FUNCTION(name, symbol, parameters) int(*name) parameters;
    SMC_NVRTC_FUNCTIONS(FUNCTION)
#undef FUNCTION
    int (*add_name)(void *program, const char *name); /* NULL: this library has none */
};

/* Opens a path or a bare name, and fills `info`. SMC_USAGE: there is no NVRTC of that name; this
   stays true until a file changes. SMC_UNAVAILABLE: it cannot be opened now. SMC_MACHINE: there is
   not enough memory for it. `why` says more. The library stays loaded until the program ends:
   opening it again costs nothing. */
enum smc_status smc_nvrtc_open(const char *name, struct smc_nvrtc *nvrtc,
                               struct smc_nvrtc_info *info, struct smc_error *why);

bool smc_nvrtc_supports(const struct smc_nvrtc_info *info, uint16_t cc);

enum smc_nvrtc_outcome {
    SMC_NVRTC_COMPILED,
    SMC_NVRTC_REJECTED, /* the source has errors; the log says where */
    SMC_NVRTC_FAILED,   /* the library failed: missing files, memory */
};

struct smc_nvrtc_output {
    struct smc_text log;
    struct smc_text ptx; /* empty if the library provides none */
    struct smc_binary binary;
    int nvrtc_major, nvrtc_minor; /* of the compiler; 0.0: not noted */
    bool option_refused;          /* an option is unknown; the source was not read */
    bool lacks_header;            /* no kernel, but a header was not found, which may hold them */
    bool target_unsupported;      /* the compiler is there, but not for this architecture */
};

/* The options with which ptxas writes a kernel's resources into the log. From 12.9 on NVRTC has its
   own cache if a driver is installed; cached results come without a log, so the cache is
   disabled. */
void smc_nvrtc_write_log_options(const struct smc_nvrtc_info *info, struct smc_text *options);

/* Every option is followed by '\n'. `file` is the source's name in messages. Free the output. */
enum smc_nvrtc_outcome smc_nvrtc_compile(const struct smc_nvrtc *nvrtc, const char *text,
                                         const char *file, const char *options,
                                         struct smc_nvrtc_output *output);

/* What else a program consists of. */
struct smc_nvrtc_extras {
    const char *const *header, *const *header_name; /* texts that #include finds by name */
    size_t header_count;
    const char *const *instance; /* "kernel<float, 4>": templates to instantiate */
    size_t instance_count;
};

/* The same with extras. */
enum smc_nvrtc_outcome smc_nvrtc_compile_with(const struct smc_nvrtc *nvrtc, const char *text,
                                              const char *file, const char *options,
                                              const struct smc_nvrtc_extras *extras,
                                              struct smc_nvrtc_output *output);

void smc_nvrtc_output_free(struct smc_nvrtc_output *output);

/* --- Which libraries this machine has --------------------------------------------------------- */

/* Opening a library takes 10 ms or more, so the outcome of a search is cached until something that
   it depends on changes. */

enum { SMC_MAX_NVRTC = 8 };

/* What identifies a file's content without reading it. */
struct smc_file_identity {
    uint64_t device, inode;
    int64_t bytes, seconds, nanoseconds;
};

struct smc_nvrtc_place {
    struct smc_nvrtc_info info;
    struct smc_file_identity file;
};

/* Stored in the cache as bytes: it holds no pointers, and its padding is zero. */
struct smc_nvrtc_search {
    uint64_t count;
    struct smc_nvrtc_place place[SMC_MAX_NVRTC]; /* in order of preference */
    char problem[512];                           /* why $SMEMCALC_NVRTC cannot be used, or "" */
    uint64_t is_complete;                        /* every candidate was opened */
    uint64_t is_final; /* the candidates left out stay unusable until their files change */
    uint64_t failure;  /* an errno value: the machine failed at one of them, see `problem`; 0 */
};

/* Searches until a library is found that compiles for `cc`, or any library if it is 0. Returns NULL
   if there is none; `search` then holds those found. */
const struct smc_nvrtc_place *smc_nvrtc_find(struct smc_cache *cache, uint16_t cc,
                                             struct smc_nvrtc_search *search);

/* --- What was compiled so far ----------------------------------------------------------------- */

/* What one question has compiled so far, so that it compiles no kernel twice, even without the
   cache. */

/* How a build ended. */
struct smc_built {
    enum smc_status status;
    struct smc_error error;
    struct smc_resources resources; /* of a kernel of the catalog */
    struct smc_nvrtc_output output; /* a compiler's */
};

void smc_built_free(struct smc_built *built);

struct smc_builds_entry;

/* Start from SMC_BUILDS_INIT; free it. Threads may share it. */
struct smc_builds {
    pthread_mutex_t lock;
    pthread_cond_t ended; /* a build */
    struct smc_builds_entry *first;
    size_t bytes; /* of all entries; the oldest are forgotten above 64 MiB */
};

#define SMC_BUILDS_INIT                                                                            \
    {                                                                                              \
        .lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER                       \
    }

/* Copies the outcome for a key, waiting while another thread builds it. False: the caller must
   build it and then call smc_builds_keep. `builds` may be NULL: nothing is found or kept. */
bool smc_builds_find(struct smc_builds *builds, const struct smc_text *key,
                     struct smc_built *built);

/* Keeps a copy, unless it failed for lack of memory or was interrupted. */
void smc_builds_keep(struct smc_builds *builds, const struct smc_text *key,
                     const struct smc_built *built);

void smc_builds_free(struct smc_builds *builds);

#endif
