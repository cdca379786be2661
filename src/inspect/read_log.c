/* Kernels out of a compiler's log. */
#include <stdio.h>
#include <string.h>

#include "compile/ptxas_log.h"
#include "inspect/kernels.h"
#include "inspect/readers.h"

/* The linker may not name the architecture; its first word on a kernel then belongs to the first
   that ptxas compiled. */
static struct smc_inspect_kernel *find_unlinked(struct smc_inspect_kernels *kernels, size_t begin,
                                                const struct smc_log_kernel *read)
{
    for (;;) {
        struct smc_inspect_kernel *kernel =
            smc_inspect_find(kernels, begin, read->name, read->name_length);
        bool same = kernel && read->cc == kernel->cc && read->suffix == kernel->suffix;
        if (!kernel || (!kernel->is_linked && (read->cc == 0 || same)))
            return kernel;
        begin = (size_t)(kernel - kernels->item) + 1;
    }
}

static void link_kernel(const struct smc_log_kernel *read, struct smc_inspect_kernel *kernel)
{
    const struct smc_resources *linked = &read->resources;
    kernel->is_linked = true;
    kernel->resources.regs_per_thread = linked->regs_per_thread;
    kernel->resources.static_smem_bytes =
        smc_inspect_without_reserve(linked->static_smem_bytes, kernel->cc);
    if (read->has_stack) {
        kernel->has_stack = true;
        kernel->resources.stack_bytes = linked->stack_bytes;
    }
    if (read->has_barriers) {
        kernel->has_barriers = true;
        kernel->resources.barriers = linked->barriers;
    }
}

/* ptxas refuses a kernel after it has counted its registers. */
static bool refuse_known(const struct smc_log_kernel *read, size_t begin,
                         struct smc_inspect_kernels *kernels)
{
    for (;; begin++) {
        struct smc_inspect_kernel *kernel =
            smc_inspect_find(kernels, begin, read->name, read->name_length);
        if (!kernel)
            return false;
        begin = (size_t)(kernel - kernels->item);
        if (kernel->cc != read->cc || kernel->suffix != read->suffix)
            continue;
        kernel->resources.refused = true;
        kernel->resources.refused_smem_bytes = read->resources.refused_smem_bytes;
        kernel->resources.refused_smem_limit_bytes = read->resources.refused_smem_limit_bytes;
        return true;
    }
}

static enum smc_inspect_source source_of(const struct smc_log_kernel *read,
                                         const struct smc_inspect_kernel *kind)
{
    switch (read->form) {
    case SMC_LOG_NVLINK:
        return SMC_INSPECT_NVLINK_LOG;
    case SMC_LOG_CUOBJDUMP:
        return SMC_INSPECT_RES_USAGE;
    case SMC_LOG_PTXAS:
        break;
    }
    return kind->source;
}

static void append_incomplete(const struct smc_log_kernel *read, const char *file,
                              struct smc_text *faults)
{
    char target[24] = "";
    if (read->cc != 0)
        snprintf(target, sizeof target, " for sm_%u%.1s", read->cc, &read->suffix);
    smc_text_safe_line(faults,
                       read->is_damaged
                           ? "%s: %.*s%s: a number of its resources cannot be read: the log is "
                             "damaged"
                           : "%s: %.*s%s: its registers are missing: the log is cut off, or "
                             "several compilations wrote it at once",
                       file, (int)read->name_length, read->name, target);
}

bool smc_inspect_log(const char *log, const struct smc_inspect_kernel *kind,
                     struct smc_inspect_kernels *kernels, struct smc_text *faults)
{
    struct smc_log_reader reader = {.cursor = log};
    struct smc_log_kernel read;
    const size_t begin = kernels->count;
    while (smc_log_next(&reader, &read)) {
        struct smc_inspect_kernel kernel = *kind, *known;
        if (read.is_incomplete) {
            append_incomplete(&read, kind->file, faults);
            continue;
        }
        if (read.resources.refused && refuse_known(&read, begin, kernels))
            continue;
        if (read.form == SMC_LOG_NVLINK && (known = find_unlinked(kernels, begin, &read))) {
            link_kernel(&read, known);
            continue;
        }
        kernel.source = source_of(&read, kind);
        kernel.cc = read.cc;
        kernel.suffix = read.suffix;
        kernel.is_linked = read.form == SMC_LOG_NVLINK;
        kernel.has_spills = read.has_spills;
        kernel.has_stack = read.has_stack;
        kernel.has_barriers = read.has_barriers;
        kernel.smem_has_reserve = read.smem_has_reserve;
        kernel.resources = read.resources;
        if (!smc_inspect_add(kernels, read.name, read.name_length, &kernel))
            return false;
    }
    return true;
}
