/* Which module each kernel is from: modules that were loaded have no other bond with launches than
   the kernels' names. */
#include "answers/trace/trace_modules.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "code/machine_code.h"

enum { AMBIGUOUS = -2, MOST_MODULE_BYTES = 1 << 30 };

/* The cubin's shared memory may include what the driver reserves, up to this. */
enum { RESERVED_SMEM_BYTES = 1024 };

static bool trace_modules_is_same_kernel(const struct smc_trace_launch *launch,
                                         const struct smc_cubin_kernel *kernel)
{
    const int64_t more = (int64_t)kernel->smem_bytes - launch->static_smem_bytes;
    return strcmp(launch->name, kernel->name) == 0 &&
           (launch->regs_per_thread < 0 ||
            (uint32_t)launch->regs_per_thread == kernel->regs_per_thread) &&
           (launch->static_smem_bytes < 0 || more == 0 || more == RESERVED_SMEM_BYTES);
}

static void match_launches(struct smc_trace *trace, size_t module, const struct smc_cubin *cubin,
                           int32_t *found)
{
    for (size_t i = 0; i < trace->launch_count; i++)
        for (size_t k = 0; k < cubin->kernel_count; k++)
            if (trace_modules_is_same_kernel(&trace->launches[i], &cubin->kernel[k]))
                found[i] = found[i] == SMC_TRACE_UNKNOWN || found[i] == (int32_t)module
                               ? (int32_t)module
                               : AMBIGUOUS;
}

static enum smc_status match_module(struct smc_trace *trace, size_t module, int32_t *found,
                                    struct smc_error *error)
{
    struct smc_cubin cubin;
    smc_auto_text file = {0};
    const struct smc_trace_module *read = &trace->modules[module];
    enum smc_status status = smc_file_read(read->file, "module", MOST_MODULE_BYTES, &file, error);
    if (status == SMC_OK)
        status = smc_cubin_open(file.data, file.length, &cubin, error);
    if (status == SMC_OK) {
        match_launches(trace, module, &cubin, found);
        smc_cubin_close(&cubin);
    } else if (status == SMC_USAGE) {
        smc_trace_note(trace, "%s: %s", read->shown, error->message);
        status = SMC_OK;
    }
    return status;
}

enum smc_status smc_trace_match_modules(struct smc_trace *trace, struct smc_error *error)
{
    if (trace->module_count == 0 || trace->launch_count == 0)
        return SMC_OK;
    smc_auto_free int32_t *found = smc_malloc(trace->launch_count * sizeof *found);
    if (!found)
        return smc_out_of_memory(error);
    for (size_t i = 0; i < trace->launch_count; i++)
        found[i] = SMC_TRACE_UNKNOWN;
    for (size_t i = 0; i < trace->module_count; i++)
        SMC_TRY(match_module(trace, i, found, error));
    for (size_t i = 0; i < trace->launch_count; i++)
        if (found[i] >= 0)
            trace->launches[i].module = found[i];
    return SMC_OK;
}
