/* The user's kernels as files hold them: read from CUDA source, PTX, machine code, programs that
   contain it and compilers' logs. */
#ifndef SMC_CODE_USER_KERNELS_H
#define SMC_CODE_USER_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "code/compile/build_note.h"
#include "code/compile/resources.h"
#include "code/ptx_facts.h"
#include "code/source_tree.h"
#include "rules/banks.h"
#include "rules/devices.h"
#include "rules/launch.h"

/* PTX that several kernels share; each holds a reference. */
struct smc_shared_ptx {
    size_t references;
    size_t bytes;
    char text[];
};

/* A copy with one reference; NULL: out of memory. */
struct smc_shared_ptx *smc_shared_ptx_new(const char *text, size_t bytes);
/* NULL is allowed. The last release frees it. */
void smc_shared_ptx_release(struct smc_shared_ptx *ptx);

enum smc_inspect_source {
#define SOURCE(id, name, words) SMC_INSPECT_##id,
#include "code/readers/kernel_sources.def"
    SMC_INSPECT_SOURCE_COUNT
};

/* A kernel as compiled for one architecture. */
struct smc_inspect_kernel {
    const char *file; /* as given by the user, or "standard input" */
    char *name;       /* as the compiler writes it */
    char *shown;      /* demangled if possible; safe for a terminal */
    uint64_t name_hash;
    uint64_t version_hash; /* the same for one kernel on every architecture */
    enum smc_inspect_source source;
    uint16_t cc;                              /* 0: the input does not say */
    char suffix;                              /* 'a' of sm_90a, 'f' of sm_100f, or 0 */
    bool has_spills, has_stack, has_barriers; /* the input records them */
    bool spills_are_negative;                 /* in the log, and so unknown */
    bool smem_has_reserve; /* static_smem_bytes may include the driver's reserve, because cc is
                              unknown */
    bool is_linked;        /* the numbers are the linker's */
    struct smc_resources resources;
    uint32_t max_threads_per_block;      /* __launch_bounds__; 0: none or unknown */
    uint32_t required_threads_per_block; /* .reqntid: the only block size that launches; 0: none */
    bool min_blocks_known;       /* false for machine code and logs, which do not record it */
    uint32_t min_blocks_per_sm;  /* of the same bounds; 0: none */
    bool bounds_ignored;         /* the compiler's log says that it ignores them */
    uint32_t blocks_per_cluster; /* __cluster_dims__; 0: none or unknown */
    bool allocates_tmem;         /* Tensor Memory, as PTX and source tell */
    uint32_t tmem_columns;       /* of a block then; 0: not known */
    char *source_file;    /* the source that defines it, as the input names it, or NULL: unknown */
    uint32_t source_line; /* the line of its definition; 0: unknown */
    struct smc_build_note build;         /* unknown for logs */
    uint32_t recorded_threads_per_block; /* a block size saved with the figures; 0: none */
    struct smc_declared_array *array;    /* that the source declares in shared memory */
    size_t arrays;
    struct smc_shared_ptx *ptx; /* that it was compiled from, shared; NULL: unknown */
    struct smc_ptx_memory memory;
    bool dynamic_smem_known; /* whether uses_dynamic_smem is known: it is of PTX and source */
    bool uses_dynamic_smem;  /* it has arrays whose size the launch gives */
    uint32_t block[3];   /* the shape of its bounds or required size; {0}: none, or only a number */
    bool calls_unlinked; /* figures before linking: it calls functions whose registers and stack
                            nvlink adds, so that no gate may judge it */
};

/* Start from {0}. Kernels are added with smc_user_kernels_add alone, and their names
   and files do not change: the index finds them by these. */
struct smc_inspect_kernels {
    struct smc_inspect_kernel *item;
    size_t count, capacity;
    struct smc_inspect_index *index;
    char **owned_file; /* names of files that other files mention */
    size_t owned_file_count;
    size_t left_out; /* kernels, and launches of kernels, that were not compiled because the
                        compiler could not learn their template arguments: a gate is incomplete */
};

enum { SMC_INSPECT_MAX_TARGETS = 64 };

/* An architecture to compile source for. */
struct smc_inspect_target {
    uint16_t cc;
    char suffix; /* 'a' of sm_90a, 'f' of sm_100f, or 0 */
};

/* Called often, and only by the calling thread, when `done` of `total` parts are read; done ==
   total once at the end. Returns false to stop reading. */
typedef bool smc_inspect_progress(void *context, uint64_t done, uint64_t total);

/* What is stated of the launches of the kernels that a pattern names. */
enum smc_stated_kind { SMC_STATED_THREADS, SMC_STATED_DYNAMIC_SMEM, SMC_STATED_KINDS };

struct smc_stated {
    char *pattern;     /* as for smc_name_matches_kernel */
    uint32_t number;   /* threads per block, or bytes of dynamic shared memory */
    uint32_t block[3]; /* the shape of the threads; {0}: only the number is known */
    uint32_t line;     /* in a gate file */
};

/* The first that matches a kernel counts. Start from {0}. */
struct smc_stated_list {
    struct smc_stated *item;
    size_t count, capacity;
};

/* Takes over the pattern. False: out of memory; then it is freed. */
bool smc_stated_add(struct smc_stated_list *list, const struct smc_stated *stated);
void smc_stated_free(struct smc_stated_list lists[SMC_STATED_KINDS]);

struct smc_inspect_request {
    const struct smc_inspect_target *targets; /* at least one */
    size_t target_count;
    bool targets_assumed;         /* none were named: PTX is compiled for its own architecture */
    bool skip_unsupported;        /* skip targets that no installed compiler supports */
    const char *compiler_options; /* separated by blanks, or NULL */
    bool no_cache;                /* neither read nor write the compile cache */
    const struct smc_device *devices;
    size_t device_count;       /* 0: each kernel on what it was compiled for */
    int64_t threads_per_block; /* of every kernel, or SMC_NOT_GIVEN */
    struct smc_stated_list stated[SMC_STATED_KINDS]; /* of kernels by name */
    uint32_t assumed_threads_per_block;              /* if it is not known otherwise; 0: none */
    uint32_t dynamic_smem_bytes;
    struct smc_launch settings; /* carve-out, cache configuration, cluster */
    const char *const
        *patterns;        /* only kernels that match one of these; see smc_name_matches_kernel */
    size_t pattern_count; /* 0: all */

    /* More options for the compiler, one each, without the architecture. */
    const char *const *compiler_arguments;
    size_t compiler_argument_count;

    /* Called before each of several files is read; NULL: none. Returns false to stop. */
    bool (*progress)(void *context, size_t done, size_t total);
    void *progress_context;

    struct smc_text *ptx; /* receives the PTX of what is compiled; or NULL */
    /* Called while one file with machine code is read. */
    smc_inspect_progress *part_progress; /* NULL: none */
    void *part_context;
    uint32_t reading_threads; /* 0: as many as are useful */

    /* dynamic_smem_bytes is stated: it applies to kernels not known to use none. */
    bool dynamic_smem_given;
    uint32_t block[3];         /* the shape of threads_per_block; {0}: only the number is known */
    uint32_t assumed_block[3]; /* of assumed_threads_per_block */

    const char *label;    /* of kernels of source instead of the file's name; NULL: none */
    bool targets_present; /* targets_assumed, but of a GPU in this machine */
};

/* An architecture that no installed compiler supports. */
struct smc_inspect_unsupported {
    uint16_t cc;
    char reason[300]; /* "x.cu: nvcc does not compile for ..." */
};

/* Messages besides kernels and errors, one line each. */
struct smc_inspect_notes {
    struct smc_text warnings; /* problems that do not prevent an answer */
    struct smc_text faults;   /* "file: ...": damaged or truncated parts of it; the rest is added */
    bool holds_none;          /* the last file is sound, but has no kernel */
    struct smc_text remarks;  /* what was left out or assumed on purpose */
    /* Named targets that source was not compiled for, though it was for others; each once. */
    struct smc_inspect_unsupported unsupported[SMC_INSPECT_MAX_TARGETS];
    size_t unsupported_count;
};

/* Frees the texts; the targets remain. */
void smc_inspect_notes_free(struct smc_inspect_notes *notes);

/* Adds the kernels of a file, or of standard input. SMC_USAGE with "file: ..." or "file:line: ..."
   if it cannot be read or compiled; SMC_UNAVAILABLE if a tool of the CUDA Toolkit is missing, or
   code is compressed in a way that this build does not read; SMC_INTERRUPTED if
   request->part_progress stopped it; SMC_MACHINE: memory. After a failure nothing is added. SMC_OK
   also if source was compiled for some of the targets, and the notes have the others. */
enum smc_status smc_read_kernels(const char *file, const struct smc_inspect_request *request,
                                 struct smc_inspect_kernels *kernels,
                                 struct smc_inspect_notes *notes, struct smc_error *error);

void smc_user_kernels_free(struct smc_inspect_kernels *kernels);

/* --- Names ------------------------------------------------------------------------------------ */

/* Whether the pattern matches the kernel: a glob ('*', '?', '[...]') of its demangled name, of its
   name without template arguments and parameters, or of its mangled name; without a special
   character, any part of the demangled name. */
bool smc_name_matches_kernel(const struct smc_inspect_kernel *kernel, const char *pattern);

/* Whether one of request->patterns matches the kernel, or there is none. */
bool smc_user_kernel_is_requested(const struct smc_inspect_kernel *kernel,
                                  const struct smc_inspect_request *request);

/* Whether this is exactly the kernel's name: demangled, the same without return type and
   parameters, that without template arguments, or mangled. */
bool smc_name_is_of_kernel(const struct smc_inspect_kernel *kernel, const char *name);

/* Appends the demangled name without return type and parameters, and without template arguments
   unless they are wanted: "scale<float>" of "void scale<float>(float*)". */
void smc_name_append_bare(const struct smc_inspect_kernel *kernel, bool template_arguments,
                          struct smc_text *bare);

/* --- Architectures ---------------------------------------------------------------------------- */

/* "sm_90a" -> 90 and 'a'; other ways to name a device give no suffix. */
struct smc_inspect_target smc_architecture_target(const char *typed, uint16_t cc);

/* Every compute capability of the table. Returns how many. */
size_t smc_architectures_all(struct smc_inspect_target targets[SMC_INSPECT_MAX_TARGETS]);

/* Writes "sm_90a" and returns `text`. The kernel's architecture must be known. */
enum { SMC_INSPECT_ARCHITECTURE = 16 };
const char *smc_architecture_name(const struct smc_inspect_kernel *kernel,
                                  char text[SMC_INSPECT_ARCHITECTURE]);

/* Whether a device of this compute capability runs the machine code without recompilation: it needs
   the same major version and the same or a later minor version, or with the suffix "a" exactly the
   same version. True if the code's architecture is unknown. */
bool smc_architecture_loads(const struct smc_inspect_kernel *kernel, uint16_t cc);

/* "ptxas", "cubin" ...; the same for people. */
const char *smc_user_kernel_source_name(enum smc_inspect_source source);
const char *smc_user_kernel_source_words(enum smc_inspect_source source);

/* --- The list, which the readers fill --------------------------------------------------------- */

/* Adds a copy of `kernel` with the given name, unless the same file already has it. Sets the
   members that follow from name and cc. False: out of memory. */
bool smc_user_kernels_add(struct smc_inspect_kernels *kernels, const char *name, size_t name_length,
                          const struct smc_inspect_kernel *kernel);

/* The two steps of smc_user_kernels_add. The first needs no list: it sets name, shown and the
   members that follow from name and cc, and copies source_file; false: out of memory. The second
   adds the kernel and takes over its strings; it frees them if the same file already has the
   kernel, or if it fails. */
bool smc_user_kernel_set_name(struct smc_inspect_kernel *kernel, const char *name,
                              size_t name_length);
bool smc_user_kernels_take(struct smc_inspect_kernels *kernels, struct smc_inspect_kernel *kernel);

/* Frees the strings of a kernel that is in no list. */
void smc_user_kernel_free(struct smc_inspect_kernel *kernel);

/* The first kernel of that name from `begin` on; NULL if there is none. */
struct smc_inspect_kernel *smc_user_kernels_find(struct smc_inspect_kernels *kernels, size_t begin,
                                                 const char *name, size_t name_length);

/* Without the driver's reserve, which machine code contains from CC 9.0 on. */
uint32_t smc_architecture_without_reserve(uint32_t smem_bytes, uint16_t cc);

/* Whether the kernel is the first of its file with its name: those that follow are versions of it
   for other architectures. Of kernels that no reader has numbered each is the first. */
bool smc_user_kernels_is_first(const struct smc_inspect_kernels *kernels, size_t index);

/* The version that follows in the list, or NULL. */
const struct smc_inspect_kernel *
smc_user_kernels_next_version(const struct smc_inspect_kernels *kernels,
                              const struct smc_inspect_kernel *kernel);

/* The version of `first` (or `first` itself) that a driver would load on `cc`; if none loads, the
   nearest. */
const struct smc_inspect_kernel *
smc_user_kernels_best_version(const struct smc_inspect_kernels *kernels,
                              const struct smc_inspect_kernel *first, uint16_t cc);

/* How many kernels, by name, have figures from before linking: see calls_unlinked. */
size_t smc_user_kernels_count_unlinked(const struct smc_inspect_kernels *kernels);

/* Removes all kernels from index `count` on. */
void smc_user_kernels_cut(struct smc_inspect_kernels *kernels, size_t count);

/* The demangled name, or a copy if it is not a mangled name, is too long, or this build has no
   demangler. NULL: out of memory. Free it. */
char *smc_demangle(const char *name);

/* Sets source_file and source_line of the kernels from index `begin` on that the tree defines.
   False: out of memory. */
bool smc_user_kernels_locate(struct smc_inspect_kernels *kernels, size_t begin,
                             const struct smc_source_tree *tree);

#endif
