/* One NVRTC library, opened at run time: building needs none of its headers, and the program starts
   without it. */
#ifndef SMC_COMPILE_NVRTC_H
#define SMC_COMPILE_NVRTC_H

#include "config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "compile/cache.h"
#include "compile/resources.h"

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

#endif
