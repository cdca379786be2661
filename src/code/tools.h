/* The tools of the CUDA Toolkit, run as child processes in a folder of their own. */
#ifndef SMC_CODE_TOOLS_H
#define SMC_CODE_TOOLS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "base/text.h"

enum { SMC_TOOL_PATH = 1024 };

/* Looks on PATH, in $CUDA_HOME/bin and $CUDA_PATH/bin; if neither is set, in
   /usr/local/cuda/bin. */
bool smc_tool_find(const char *name, char path[SMC_TOOL_PATH]);

/* Looks in the folders of a list like PATH, which has `length` bytes. */
bool smc_tool_find_in(const char *list, size_t length, const char *name, char path[SMC_TOOL_PATH]);

/* Appends a line with the program's path, inode, size and time of change. */
void smc_tool_write_identity(const char *path, struct smc_text *line);

/* Makes a temporary folder in $TMPDIR or /tmp, and removes it with the files in it. While it
   exists, signals that would end the program end the tool instead; they take effect when the folder
   is removed. */
enum smc_status smc_tool_folder_make(char folder[SMC_TOOL_PATH], struct smc_error *error);
void smc_tool_folder_remove(const char *folder);

/* Runs argv[0] and appends its standard output and error to `output`. Its temporary files go to
   `folder`. `succeeded`: it ended with status 0. SMC_MACHINE if it cannot be run, a signal
   ends it or what it prints cannot be read; SMC_INTERRUPTED. */
enum smc_status smc_tool_run(const char *const *argv, const char *folder, struct smc_text *output,
                             bool *succeeded, struct smc_error *error);

/* `file` as an argument that no tool mistakes for an option. SMC_USAGE: too long. */
enum { SMC_TOOL_FILE = SMC_TOOL_PATH + 16 };
enum smc_status smc_tool_file(const char *file, char argument[SMC_TOOL_FILE],
                              struct smc_error *error);

#endif
