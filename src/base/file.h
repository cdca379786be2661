/* A text as a file. */
#ifndef SMC_BASE_FILE_H
#define SMC_BASE_FILE_H

#include "base/status.h"
#include "base/text.h"

/* Writes all of it. Without `over` a file that is there stays as it is: SMC_SHORTFALL. SMC_USAGE:
   it cannot be opened. SMC_MACHINE: it cannot be written to the end; a new one is then removed. The
   message names the path. */
enum smc_status smc_file_write(const char *path, bool over, const struct smc_text *text,
                               struct smc_error *error);

#endif
