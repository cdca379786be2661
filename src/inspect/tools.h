/* The tools of the CUDA Toolkit, run as child processes in a folder of their own. */
#ifndef SMC_INSPECT_TOOLS_H
#define SMC_INSPECT_TOOLS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "base/text.h"

enum { SMC_TOOL_PATH = 1024 };

/* Looks on PATH, in $CUDA_HOME/bin, $CUDA_PATH/bin and /usr/local/cuda/bin. */
bool smc_tool_find(const char *name, char path[SMC_TOOL_PATH]);

/* Runs argv[0] and appends its standard output and error to `output`. Its temporary files go to
   `folder`; NULL: where they always go. `succeeded`: it ended with status 0. SMC_MACHINE where it
   cannot be run. */
enum smc_status smc_tool_run(const char *const *argv, const char *folder, struct smc_text *output,
                             bool *succeeded, struct smc_error *error);

/* A new folder below $TMPDIR or /tmp, and its removal with the files in it. */
enum smc_status smc_tool_folder_make(char folder[SMC_TOOL_PATH], struct smc_error *error);
void smc_tool_folder_remove(const char *folder);

#endif
