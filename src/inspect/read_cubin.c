/* Kernels out of machine code, and out of everything that a compiler gives back. */
#include <string.h>

#include "compile/cubin.h"
#include "compile/ptx.h"
#include "inspect/kernels.h"
#include "inspect/readers.h"

bool smc_inspect_cubin(const void *file, size_t bytes, const struct smc_inspect_kernel *kind,
                       struct smc_inspect_kernels *kernels)
{
    struct smc_cubin cubin;
    struct smc_cubin_kernel read;
    if (!smc_cubin_open(file, bytes, &cubin))
        return true;
    while (smc_cubin_next(&cubin, &read)) {
        struct smc_inspect_kernel kernel = *kind;
        kernel.cc = cubin.cc;
        kernel.has_barriers = true;
        kernel.smem_has_reserve = true;
        kernel.resources.regs_per_thread = read.regs_per_thread;
        kernel.resources.static_smem_bytes = read.smem_bytes;
        kernel.resources.stack_bytes = read.stack_bytes;
        kernel.resources.barriers = read.barriers;
        kernel.max_threads_per_block = read.max_threads_per_block;
        kernel.blocks_per_cluster = read.blocks_per_cluster;
        if (!smc_inspect_add(kernels, read.name, strlen(read.name), &kernel))
            return false;
    }
    return true;
}

static void complete_from_cubin(const struct smc_binary *binary, size_t begin,
                                struct smc_inspect_kernels *kernels)
{
    struct smc_cubin cubin;
    struct smc_cubin_kernel read;
    if (!smc_cubin_open(binary->cubin, binary->cubin_bytes, &cubin))
        return;
    while (smc_cubin_next(&cubin, &read)) {
        struct smc_inspect_kernel *kernel =
            smc_inspect_find(kernels, begin, read.name, strlen(read.name));
        if (!kernel)
            continue;
        kernel->max_threads_per_block = read.max_threads_per_block;
        kernel->blocks_per_cluster = read.blocks_per_cluster;
        if (!kernel->has_barriers)
            kernel->resources.barriers = read.barriers;
        kernel->has_barriers = true;
    }
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
        kernel->min_blocks_per_sm = read.min_blocks_per_sm;
    }
}

bool smc_inspect_output(const struct smc_nvrtc_output *output,
                        const struct smc_inspect_kernel *kind, struct smc_inspect_kernels *kernels)
{
    const size_t begin = kernels->count;
    if (!smc_inspect_log(smc_text_string(&output->log), kind, kernels))
        return false;
    if (output->binary.cubin)
        complete_from_cubin(&output->binary, begin, kernels);
    complete_from_ptx(smc_text_string(&output->ptx), begin, kernels);
    return true;
}
