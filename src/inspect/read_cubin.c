/* Kernels out of machine code, and out of everything that a compiler gives back. */
#include <string.h>

#include "base/memory.h"
#include "compile/cubin.h"
#include "compile/ptx.h"
#include "devices/devices.h"
#include "inspect/kernels.h"
#include "inspect/readers.h"

/* What no kernel of that architecture can have was not written by a compiler. */
static bool is_possible(const struct smc_cubin_kernel *read, uint16_t cc)
{
    struct smc_capability capability;
    if (!smc_capability_find(cc, &capability))
        return true;
    const struct smc_sm *sm = &capability.sm;
    return read->regs_per_thread <= sm->max_regs_per_thread &&
           read->barriers <= sm->named_barriers_per_block &&
           smc_inspect_without_reserve(read->smem_bytes, cc) <= sm->smem_per_block_optin_bytes;
}

static enum smc_status check(const struct smc_cubin *cubin, uint16_t wanted_cc,
                             struct smc_error *error)
{
    if (wanted_cc != 0 && wanted_cc != cubin->cc)
        return smc_fail(error, SMC_USAGE, "it is for sm_%u, where code for sm_%u should be",
                        cubin->cc, wanted_cc);
    for (size_t i = 0; i < cubin->kernel_count; i++)
        if (!is_possible(&cubin->kernel[i], cubin->cc))
            return smc_fail(error, SMC_USAGE,
                            "kernel %.200s takes more registers, barriers or shared memory than "
                            "sm_%u has",
                            cubin->kernel[i].name, cubin->cc);
    return SMC_OK;
}

static bool add(const struct smc_cubin *cubin, const struct smc_cubin_kernel *read,
                const struct smc_inspect_kernel *kind, struct smc_inspect_kernels *kernels)
{
    struct smc_inspect_kernel kernel = *kind;
    kernel.cc = cubin->cc;
    kernel.suffix = cubin->suffix;
    kernel.has_stack = true;
    kernel.has_barriers = true;
    kernel.smem_has_reserve = true;
    kernel.resources.regs_per_thread = read->regs_per_thread;
    kernel.resources.static_smem_bytes = read->smem_bytes;
    kernel.resources.stack_bytes = read->stack_bytes;
    kernel.resources.barriers = read->barriers;
    kernel.max_threads_per_block = read->max_threads_per_block;
    kernel.blocks_per_cluster = read->blocks_per_cluster;
    return smc_inspect_add(kernels, read->name, strlen(read->name), &kernel);
}

enum smc_status smc_inspect_cubin(const void *file, size_t bytes,
                                  const struct smc_inspect_kernel *kind,
                                  struct smc_inspect_kernels *kernels, struct smc_error *error)
{
    struct smc_cubin cubin;
    enum smc_status status = smc_cubin_open(file, bytes, &cubin, error);
    if (status != SMC_OK)
        return status;
    status = check(&cubin, kind->cc, error);
    for (size_t i = 0; i < cubin.kernel_count && status == SMC_OK; i++)
        if (!add(&cubin, &cubin.kernel[i], kind, kernels))
            status = smc_out_of_memory(error);
    smc_cubin_close(&cubin);
    return status;
}

static enum smc_status complete_from_cubin(const struct smc_binary *binary, size_t begin,
                                           struct smc_inspect_kernels *kernels,
                                           struct smc_error *error)
{
    struct smc_cubin cubin;
    enum smc_status status = smc_cubin_open(binary->cubin, binary->cubin_bytes, &cubin, error);
    for (size_t i = 0; i < cubin.kernel_count; i++) {
        const struct smc_cubin_kernel *read = &cubin.kernel[i];
        struct smc_inspect_kernel *kernel =
            smc_inspect_find(kernels, begin, read->name, strlen(read->name));
        if (!kernel)
            continue;
        kernel->max_threads_per_block = read->max_threads_per_block;
        kernel->blocks_per_cluster = read->blocks_per_cluster;
        if (!kernel->has_barriers)
            kernel->resources.barriers = read->barriers;
        kernel->has_barriers = true;
    }
    if (status == SMC_OK)
        smc_cubin_close(&cubin);
    return status;
}

static void complete_from_ptx(const char *ptx, size_t begin, struct smc_inspect_kernels *kernels)
{
    struct smc_ptx_kernel read;
    while (smc_ptx_next(&ptx, &read)) {
        struct smc_inspect_kernel *kernel =
            smc_inspect_find(kernels, begin, read.name, read.name_length);
        if (!kernel)
            continue;
        kernel->max_threads_per_block = read.max_threads_per_block;
        kernel->min_blocks_known = true;
        kernel->min_blocks_per_sm = read.min_blocks_per_sm;
    }
}

enum smc_status smc_inspect_output(const struct smc_nvrtc_output *output,
                                   const struct smc_inspect_kernel *kind,
                                   struct smc_inspect_kernels *kernels, struct smc_text *faults,
                                   struct smc_error *error)
{
    const size_t begin = kernels->count;
    if (!smc_inspect_log(smc_text_string(&output->log), kind, kernels, faults))
        return smc_out_of_memory(error);
    enum smc_status status = SMC_OK;
    if (output->binary.cubin)
        status = complete_from_cubin(&output->binary, begin, kernels, error);
    complete_from_ptx(smc_text_string(&output->ptx), begin, kernels);
    return status;
}
