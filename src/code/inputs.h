/* From the names on the command line to the list of files to read: single files, the files in
   folders, and the entries of a compile_commands.json. */
#ifndef SMC_CODE_INPUTS_H
#define SMC_CODE_INPUTS_H

#include <stdbool.h>
#include <stddef.h>

#include "code/nvrtc.h"
#include "code/user_kernels.h"

enum smc_input_content {
    SMC_CONTENT_UNKNOWN, /* named by the user: its reader decides */
    SMC_CONTENT_NONE,
    SMC_CONTENT_CODE, /* machine code, alone or in another file */
    SMC_CONTENT_LOG,
    SMC_CONTENT_PTX,
    SMC_CONTENT_SOURCE,
    SMC_CONTENT_HEADER, /* CUDA source to be included */
};

/* One file to read. */
struct smc_input {
    char *file; /* kernels point to it */
    enum smc_input_content content;
    const char *folder; /* in which it was found, as the user named it; NULL: named itself */

    /* Of a compile_commands.json: the options of its entry, and its architectures (0: none). */
    char **argument;
    size_t argument_count;
    struct smc_inspect_target *target;
    size_t target_count;
    char *output;      /* that the entry writes; NULL: it does not say */
    size_t number;     /* of the entry, from 1 */
    char *label;       /* shown instead of the file's name, which other entries share; NULL: none */
    bool may_be_empty; /* an entry of such a file, or a member of an archive: one without kernels
                          is no fault */
};

/* Start from {0}. */
struct smc_inputs {
    struct smc_input *item;
    size_t count, capacity;
};

/* Appends an input with a copy of the name, and zeros. NULL: out of memory. */
struct smc_input *smc_inputs_add(struct smc_inputs *inputs, const char *file);

/* Reads everything named: a FILE is a file, "-", a folder or a compile_commands.json. Whatever
   cannot be read is a line of notes->faults, and the rest is added. SMC_USAGE or SMC_UNAVAILABLE
   if there is such a line; SMC_MACHINE: memory. The kernels point into `inputs`. */
enum smc_status smc_inputs_read(char *const *file, size_t count,
                                const struct smc_inspect_request *request,
                                struct smc_inputs *inputs, struct smc_inspect_kernels *kernels,
                                struct smc_inspect_notes *notes);

void smc_inputs_free(struct smc_inputs *inputs);

/* --- One file --------------------------------------------------------------------------------- */

/* One input file: reading it, recognizing its kind, and a reader for each kind. A reader adds
   copies of `kind`, changed only by what it read. */

enum smc_input_kind {
    SMC_INPUT_UNKNOWN,
    SMC_INPUT_LOG,      /* ptxas, nvlink, cuobjdump */
    SMC_INPUT_SOURCE,   /* CUDA C++ */
    SMC_INPUT_PTX,      /* the compiler's assembly text */
    SMC_INPUT_CUBIN,    /* machine code alone */
    SMC_INPUT_SAVED,    /* figures that inspect --save or --format json wrote */
    SMC_INPUT_EMBEDDED, /* a program, an object, a library, a container of machine code */
    SMC_INPUT_ERRORS,   /* what a compiler that failed printed */
};

/* Reads all of a file, or of standard input for "-". SMC_USAGE: it cannot be read. */
enum smc_status smc_input_read(const char *file, struct smc_text *bytes, struct smc_error *error);

/* Determined by the content, or by the file name if the content is ambiguous. */
enum smc_input_kind smc_input_kind(const char *file, const struct smc_text *bytes);

/* The bytes of a program or library with device code, which are large, and so are mapped instead of
   copied: munmap frees them. NULL: another kind of file. */
void *smc_input_map_code(const char *file, size_t *length);

/* Whether a file of this name is only included by others: in a folder it may well have no kernel.
 */
bool smc_input_is_header(const char *file);

/* Replaces binary zeros and carriage returns by line ends, so that the whole text is read. */
void smc_input_make_text(struct smc_text *bytes);

/* Reads a log of ptxas, nvlink or cuobjdump. The `source` of kernels from ptxas is kind->source.
   `faults` receives the kernels whose figures are missing. False: out of memory. */
bool smc_read_log(const char *log, const struct smc_inspect_kernel *kind,
                  struct smc_inspect_kernels *kernels, struct smc_text *faults);

/* Reads machine code. If kind->cc is not 0, it must match. SMC_USAGE: damaged, and nothing is
   added; SMC_MACHINE: out of memory. */
enum smc_status smc_read_cubin(const void *file, size_t bytes,
                               const struct smc_inspect_kernel *kind,
                               struct smc_inspect_kernels *kernels, struct smc_error *error);

/* The same without a list: can be called by several threads at once. Free what was found. */
struct smc_inspect_found {
    struct smc_inspect_kernel *kernel;
    size_t count;
    bool is_linked; /* by nvlink, or complete without it */
    bool is_empty;  /* neither kernels nor functions that kernels call */
};
enum smc_status smc_read_cubin_apart(const void *file, size_t bytes,
                                     const struct smc_inspect_kernel *kind,
                                     struct smc_inspect_found *found, struct smc_error *error);
void smc_inspect_found_free(struct smc_inspect_found *found);

/* Reads a compiler's output: the log, plus what only machine code and PTX contain. Errors as
   above. */
enum smc_status smc_read_nvrtc_output(const struct smc_nvrtc_output *output,
                                      const struct smc_inspect_kernel *kind,
                                      struct smc_inspect_kernels *kernels, struct smc_text *faults,
                                      struct smc_error *error);

/* --- Saved figures ---------------------------------------------------------------------------- */

/* The figures of kernels in a file, to be compared with later builds: what the compiler recorded,
   without any device. JSON, one kernel a line, in a fixed order, so that the file may be kept under
   version control. The schema is "smemcalc-inspect/1"; smemcalc-formats(5) lists the members. */

/* Appends the file's text: the kernels that the request's patterns name, each with its block size
   of `threads` unless that is 0 (smc_inspect_given_threads); NULL: none. SMC_MACHINE: out of
   memory. */
enum smc_status smc_saved_write(const struct smc_inspect_kernels *kernels,
                                const struct smc_inspect_request *request, const uint32_t *threads,
                                struct smc_text *out, struct smc_error *error);

/* Whether this may be such a file: it begins like a JSON object. */
bool smc_saved_is(const struct smc_text *bytes);

/* Adds the kernels of such a file, or of what `inspect --format json` prints. SMC_USAGE: it is
   damaged or something else; the message says where and what is wrong. After a failure the kernels
   added so far are the caller's to cut. */
enum smc_status smc_saved_read(const char *file, const struct smc_text *bytes,
                               struct smc_inspect_kernels *kernels, struct smc_error *error);

#endif
