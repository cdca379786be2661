/* The subjects of an examination: a function for each, which adds rows. */
#ifndef SMC_HARDWARE_SUBJECTS_H
#define SMC_HARDWARE_SUBJECTS_H

#include "hardware/doctor.h"

typedef void smc_doctor_subject(const struct smc_doctor_request *request,
                                struct smc_doctor *doctor);

/* doctor_cuda.c */
smc_doctor_subject smc_doctor_gpus, smc_doctor_nvrtc, smc_doctor_compilers;
/* doctor_surroundings.c */
smc_doctor_subject smc_doctor_system, smc_doctor_sandbox, smc_doctor_cache, smc_doctor_ceilings,
    smc_doctor_temporary, smc_doctor_terminal, smc_doctor_locale, smc_doctor_fonts,
    smc_doctor_libraries;

/* Adds a row and returns it, for smc_doctor_mend. The text is made safe for a terminal. */
struct smc_doctor_row *smc_doctor_add(struct smc_doctor *doctor, enum smc_doctor_state health,
                                      const char *subject, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Sends what was added so far to the examining process, if this is its child. A row is shorter than
   PIPE_BUF, so it is written whole. */
void smc_doctor_send_rows(struct smc_doctor *doctor);
void smc_doctor_mend(struct smc_doctor_row *row, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The command that installs a package of Debian; nothing where there is no apt-get. */
void smc_doctor_mend_package(struct smc_doctor_row *row, const char *package);
/* The command that installs a package of Python where the program finds it. */
void smc_doctor_mend_wheel(struct smc_doctor_row *row, const char *package);

#endif
