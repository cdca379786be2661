/* Reads the kernels in a compiler's log: `ptxas -v`, `nvlink -v` and `cuobjdump -res-usage`, of
   every version and for several architectures in one text; and the first error in it. */
#ifndef SMC_CODE_PTXAS_LOG_H
#define SMC_CODE_PTXAS_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "code/compile/resources.h"

enum smc_log_form {
    SMC_LOG_PTXAS,     /* one architecture's compilation */
    SMC_LOG_NVLINK,    /* the same kernel after linking: may name no architecture */
    SMC_LOG_CUOBJDUMP, /* read from machine code: no spills */
};

/* One kernel on one architecture. */
struct smc_log_kernel {
    const char *name; /* in the log, not ended by '\0' */
    size_t name_length;
    enum smc_log_form form;
    uint16_t cc; /* 0: the log does not say */
    char suffix; /* 'a' of sm_90a, 'f' of sm_100f, or 0 */
    bool has_spills, has_stack, has_barriers;
    bool spills_are_negative; /* not a number of bytes: they are unknown */
    bool bounds_ignored;      /* ptxas ignores the kernel's launch bounds, at least the blocks */
    bool smem_has_reserve;    /* from CC 9.0 on static_smem_bytes contains the driver's reserve */

    /* `is_incomplete`: the log names the kernel, but not its registers, because it was truncated or
       the lines of several compilations are interleaved. `is_damaged`: a number is malformed. */
    bool is_incomplete, is_damaged;
    bool is_function; /* of cuobjdump, called by kernels: smc_log_next passes over it */

    /* The numbers, or only the refusal if there is one. Source and compiler are not set. */
    struct smc_resources resources;
};

/* Start from {.cursor = log}. */
struct smc_log_reader {
    const char *cursor;
    uint16_t cc; /* of the part being read */
    char suffix;
};

/* The next kernel that the log names. */
bool smc_log_next(struct smc_log_reader *reader, struct smc_log_kernel *kernel);

/* Whether the log's last line, if it has no line end, stops in the middle of an item. */
bool smc_log_is_cut(const char *start, const char *end);

enum smc_ptxas_reading {
    SMC_PTXAS_NO_ENTRY, /* the log does not mention this kernel */
    SMC_PTXAS_READ,     /* registers, shared memory, stack, spills and barriers are set */
    SMC_PTXAS_REFUSED,  /* too much static shared memory: the refusal's fields are set */
};

/* What ptxas reports about `entry`. `has_barriers`: whether the log counts barriers. Logs of CUDA
   12 and older may not; `barriers` is then 0. */
enum smc_ptxas_reading smc_ptxas_log_read(const char *log, const char *entry,
                                          struct smc_resources *out, bool *has_barriers);

/* Whether the line is a compiler's message of an error, such as "FILE(3): error: ..." or "nvcc
   fatal : ...". A file's name may contain these words. */
bool smc_log_is_error(const char *line, size_t length);

/* The first error, as "file:line: error: message" if the log, of ptxas too, names a line of `file`,
   else unchanged, and with the lines that continue it; "" if the log has none. `shown` replaces the
   file's name. */
void smc_log_first_error(const char *log, const char *file, const char *shown, char *text,
                         size_t capacity);

/* Whether ptxas refused an instruction or a modifier that another target may have, such as sm_90a
   instead of sm_90. */
bool smc_log_needs_features(const char *log);

/* Adds the warnings about lines of `file`, as "file:line: message". */
void smc_log_tell_warnings(const char *log, const char *file, struct smc_text *warnings);

#endif
