/* The list of kernels, which the readers fill. */
#ifndef SMC_INSPECT_KERNELS_H
#define SMC_INSPECT_KERNELS_H

#include "inspect/inspect.h"
#include "source/source_tree.h"

/* Adds a copy of `kernel` with the given name, unless the same file already has it. Sets the
   members that follow from name and cc. False: out of memory. */
bool smc_inspect_add(struct smc_inspect_kernels *kernels, const char *name, size_t name_length,
                     const struct smc_inspect_kernel *kernel);

/* The two steps of smc_inspect_add. The first needs no list: it sets name, shown and the members
   that follow from name and cc, and copies source_file; false: out of memory. The second adds the
   kernel and takes over its strings; it frees them if the same file already has the kernel, or if
   it fails. */
bool smc_inspect_name(struct smc_inspect_kernel *kernel, const char *name, size_t name_length);
bool smc_inspect_take(struct smc_inspect_kernels *kernels, struct smc_inspect_kernel *kernel);

/* Frees the strings of a kernel that is in no list. */
void smc_inspect_kernel_free(struct smc_inspect_kernel *kernel);

/* The first kernel of that name from `begin` on; NULL if there is none. */
struct smc_inspect_kernel *smc_inspect_find(struct smc_inspect_kernels *kernels, size_t begin,
                                            const char *name, size_t name_length);

/* Without the driver's reserve, which machine code contains from CC 9.0 on. */
uint32_t smc_inspect_without_reserve(uint32_t smem_bytes, uint16_t cc);

/* Whether the kernel is the first of its file with its name: those that follow are versions of it
   for other architectures. */
bool smc_inspect_is_first(const struct smc_inspect_kernels *kernels, size_t index);

/* The version that follows in the list, or NULL. */
const struct smc_inspect_kernel *smc_inspect_next_version(const struct smc_inspect_kernels *kernels,
                                                          const struct smc_inspect_kernel *kernel);

/* The version of `first` (or `first` itself) that a driver would load on `cc`; if none loads, the
   nearest. */
const struct smc_inspect_kernel *smc_inspect_best_version(const struct smc_inspect_kernels *kernels,
                                                          const struct smc_inspect_kernel *first,
                                                          uint16_t cc);

/* One kernel on one device, which the row points to. */
void smc_inspect_answer_one(const struct smc_inspect_kernel *kernel,
                            const struct smc_device *device,
                            const struct smc_inspect_request *request, struct smc_inspect_row *row);

/* How many kernels, by name, have figures from before linking: see calls_unlinked. */
size_t smc_inspect_count_unlinked(const struct smc_inspect_kernels *kernels);

/* Removes all kernels from index `count` on. */
void smc_inspect_cut(struct smc_inspect_kernels *kernels, size_t count);

/* The demangled name, or a copy if it is not a mangled name, is too long, or this build has no
   demangler. NULL: out of memory. Free it. */
char *smc_demangle(const char *name);

/* Sets source_file and source_line of the kernels from index `begin` on that the tree defines.
   False: out of memory. */
bool smc_inspect_kernels_locate(struct smc_inspect_kernels *kernels, size_t begin,
                                const struct smc_source_tree *tree);

#endif
