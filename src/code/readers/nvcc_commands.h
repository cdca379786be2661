/* What nvcc would do: the commands of its dry run, and the headers that its preprocessor read. */
#ifndef SMC_CODE_NVCC_COMMANDS_H
#define SMC_CODE_NVCC_COMMANDS_H

#include <stdbool.h>

#include "base/text.h"

/* Appends the commands and variables in the output of `nvcc --dryrun`, and the identity of each
   program that they run (smc_tool_write_identity). They follow from the options, nvcc's own
   variables of the environment and its profile; what the host's preprocessor reads of the
   environment is appended as well. `folder`, the folder of the run, is left out. False: this is no
   dry run. */
bool smc_nvcc_write_commands(const char *dry_run, const char *folder, struct smc_text *key);

/* Appends the path of each file that preprocessed text names as included, a line each. A path is
   preceded by 's' if the file belongs to the system or the toolkit, else by 'u'. False if they
   cannot be told, or if there is not enough memory. */
bool smc_nvcc_write_included(const char *preprocessed, struct smc_text *files);

#endif
