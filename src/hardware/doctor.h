/* What smemcalc finds on this machine: each thing that it needs or can use is one row, with the
   command that fixes it. */
#ifndef SMC_HARDWARE_DOCTOR_H
#define SMC_HARDWARE_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum smc_doctor_state {
    SMC_DOCTOR_OK,
    SMC_DOCTOR_NOTE,   /* something optional is missing */
    SMC_DOCTOR_BROKEN, /* something is there that does not work */
    SMC_DOCTOR_COUNT
};

extern const char *const smc_doctor_state_names[SMC_DOCTOR_COUNT];

/* A row. It holds no pointers: a child process writes it to a pipe. */
struct smc_doctor_row {
    uint32_t health; /* an enum smc_doctor_state */
    char subject[24];
    char found[360];
    char mend[280]; /* a command that works when pasted, with "smemcalc" for the program; or "" */
};

enum { SMC_DOCTOR_ROWS = 64 };

struct smc_doctor {
    struct smc_doctor_row row[SMC_DOCTOR_ROWS];
    size_t count;
    int sink; /* in a child process: the pipe to its parent; else 0 */
    size_t sent;
};

/* What only the caller knows. */
struct smc_doctor_request {
    uint32_t timeout_ms; /* for each subject that other people's code is run for */
    bool is_terminal;    /* standard output */
    unsigned columns, rows;
    bool colour;
    bool locale_is_utf8;
    bool (*has_cairo)(void); /* whether it can be loaded; NULL: built without cairo */
    bool (*has_font)(void);  /* whether the text of pictures has one */
};

/* Examines everything, or only what a bug report needs. What crashes or exceeds the time is a row:
   drivers and libraries are tried in child processes. Call it before the process uses CUDA. */
void smc_doctor_examine(const struct smc_doctor_request *request, bool only_versions,
                        struct smc_doctor *doctor);

/* Whether nothing is broken. */
bool smc_doctor_is_healthy(const struct smc_doctor *doctor);

/* Lines "label  text" about this build: commit, compiler, hardening, libraries. */
void smc_doctor_build(struct smc_text *out);

#endif
