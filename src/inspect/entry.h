/* The kernels of a file that a command is about: chosen by name, and as one device would load
   them. */
#ifndef SMC_INSPECT_ENTRY_H
#define SMC_INSPECT_ENTRY_H

#include "inspect/inspect.h"

/* One kernel each, whatever the number of its versions; in the order of the file. Start from
   {0}. The kernels are those of the list that it was chosen from. */
struct smc_entries {
    const struct smc_inspect_kernel **item;
    size_t count;
};

/* Those that `entry` names: exactly if one has that name (smc_inspect_is_named), else as a pattern
   (smc_inspect_matches), or as a report shortens it ("k<..>"); NULL: all. SMC_USAGE: there is none;
   the message suggests the nearest name, or lists some. SMC_MACHINE: out of memory. */
enum smc_status smc_entries_choose(const struct smc_inspect_kernels *kernels, const char *file,
                                   const char *entry, struct smc_entries *entries,
                                   struct smc_error *error);

/* SMC_USAGE with a list of their names unless there is exactly one. */
enum smc_status smc_entries_need_one(const struct smc_entries *entries, const char *file,
                                     const char *entry, struct smc_error *error);

/* Appends the first names of the kernels: "a, b and 9 more". False: out of memory. */
bool smc_entries_list(const struct smc_inspect_kernels *kernels, struct smc_text *list);

void smc_entries_free(struct smc_entries *entries);

/* A kernel as the device would load it: of its versions the one of smc_inspect_best_version. The
   names are the caller's to set: `short_name` is NULL. */
void smc_entry_on_device(const struct smc_inspect_kernels *kernels,
                         const struct smc_inspect_kernel *entry, const struct smc_device *device,
                         struct smc_file_kernel *loaded);

/* Whether a version of the kernel loads on the compute capability without recompilation. */
bool smc_entry_loads(const struct smc_inspect_kernels *kernels,
                     const struct smc_inspect_kernel *entry, uint16_t cc);

/* The name without return type and parameters; free it. NULL: out of memory. */
char *smc_entry_short_name(const struct smc_inspect_kernel *kernel);

#endif
