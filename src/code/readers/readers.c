/* The readers of kernels: compilers' logs, machine code, and machine code within other files. */
#include "code/inputs.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "code/compile/ptx_memory.h"
#include "code/machine_code.h"
#include "code/ptx_facts.h"
#include "code/ptxas_log.h"
#include "code/user_kernels.h"
#include "rules/devices.h"

/* --- What an architecture can have ------------------------------------------------------------ */

/* Whether the architecture has this many registers and barriers; otherwise the file is damaged. */
static bool readers_are_possible(uint32_t regs_per_thread, uint32_t barriers, uint16_t cc)
{
    struct smc_capability capability;
    return !smc_capability_find(cc, &capability) ||
           (regs_per_thread <= capability.sm.max_regs_per_thread &&
            barriers <= capability.sm.named_barriers_per_block);
}

/* --- Logs of ptxas, nvlink and cuobjdump ------------------------------------------------------ */

/* The linker may not name the architecture; its first entry for a kernel then belongs to the first
   version that ptxas compiled. */
static struct smc_inspect_kernel *find_unlinked(struct smc_inspect_kernels *kernels, size_t begin,
                                                const struct smc_log_kernel *read)
{
    for (;;) {
        struct smc_inspect_kernel *kernel =
            smc_user_kernels_find(kernels, begin, read->name, read->name_length);
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
        smc_architecture_without_reserve(linked->static_smem_bytes, kernel->cc);
    if (read->has_stack) {
        kernel->has_stack = true;
        kernel->resources.stack_bytes = linked->stack_bytes;
    }
    if (read->has_barriers) {
        kernel->has_barriers = true;
        kernel->resources.barriers = linked->barriers;
    }
}

static void copy_refusal(const struct smc_resources *from, struct smc_resources *to)
{
    to->refused = from->refused;
    to->refused_smem_bytes = from->refused_smem_bytes;
    to->refused_smem_limit_bytes = from->refused_smem_limit_bytes;
}

/* A refusal that follows the kernel's registers. */
static bool refuse_known(const struct smc_log_kernel *read, size_t begin,
                         struct smc_inspect_kernels *kernels)
{
    for (;; begin++) {
        struct smc_inspect_kernel *kernel =
            smc_user_kernels_find(kernels, begin, read->name, read->name_length);
        if (!kernel)
            return false;
        begin = (size_t)(kernel - kernels->item);
        if (kernel->cc != read->cc || kernel->suffix != read->suffix)
            continue;
        copy_refusal(&read->resources, &kernel->resources);
        return true;
    }
}

/* The kernel whose refusal precedes its registers: ptxas then does not name the architecture. */
static struct smc_inspect_kernel *find_refused(struct smc_inspect_kernels *kernels, size_t begin,
                                               const struct smc_log_kernel *read)
{
    struct smc_inspect_kernel *kernel =
        smc_user_kernels_find(kernels, begin, read->name, read->name_length);
    bool is_open = kernel && kernel->resources.refused && kernel->resources.regs_per_thread == 0;
    return is_open && kernel->cc == read->cc ? kernel : NULL;
}

static void set_figures(const struct smc_log_kernel *read, struct smc_inspect_kernel *kernel)
{
    kernel->suffix = read->suffix;
    kernel->has_spills = read->has_spills;
    kernel->spills_are_negative = read->spills_are_negative;
    kernel->has_stack = read->has_stack;
    kernel->has_barriers = read->has_barriers;
    kernel->bounds_ignored = read->bounds_ignored;
    kernel->smem_has_reserve = read->smem_has_reserve;
    kernel->resources = read->resources;
}

static enum smc_inspect_source readers_source_of(const struct smc_log_kernel *read,
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

/* What is wrong with the log's entry for a kernel; NULL: nothing. */
static const char *fault_of(const struct smc_log_kernel *read)
{
    const struct smc_resources *resources = &read->resources;
    if (read->is_incomplete && read->is_damaged)
        return "a number of its resources cannot be read: the log is damaged";
    if (read->is_incomplete)
        return "its registers are missing: the log is cut off, or several compilations wrote it "
               "at once";
    if (!readers_are_possible(resources->regs_per_thread, resources->barriers, read->cc))
        return "more registers or barriers than the architecture has: the log is damaged";
    return NULL;
}

static void append_fault(const struct smc_log_kernel *read, const char *fault, const char *file,
                         struct smc_text *faults)
{
    char target[24] = "";
    if (read->cc != 0)
        snprintf(target, sizeof target, " for sm_%u%.1s", read->cc, &read->suffix);
    smc_text_safe_line(faults, "%s: %.*s%s: %s", file, (int)read->name_length, read->name, target,
                       fault);
}

bool smc_read_log(const char *log, const struct smc_inspect_kernel *kind,
                  struct smc_inspect_kernels *kernels, struct smc_text *faults)
{
    struct smc_log_reader reader = {.cursor = log};
    struct smc_log_kernel read;
    const size_t begin = kernels->count;
    while (smc_log_next(&reader, &read)) {
        struct smc_inspect_kernel kernel = *kind, *known;
        const char *fault = fault_of(&read);
        if (fault) {
            append_fault(&read, fault, kind->file, faults);
            continue;
        }
        if (read.cc == 0 && read.form == SMC_LOG_PTXAS) {
            read.cc = kind->cc;
            read.suffix = kind->suffix;
        }
        if (read.resources.refused && refuse_known(&read, begin, kernels))
            continue;
        if (read.form == SMC_LOG_PTXAS && (known = find_refused(kernels, begin, &read))) {
            const struct smc_resources refusal = known->resources;
            set_figures(&read, known);
            copy_refusal(&refusal, &known->resources);
            known->resources.cc = refusal.cc;
            continue;
        }
        if (read.form == SMC_LOG_NVLINK && (known = find_unlinked(kernels, begin, &read))) {
            link_kernel(&read, known);
            continue;
        }
        kernel.source = readers_source_of(&read, kind);
        kernel.cc = read.cc;
        kernel.is_linked = read.form == SMC_LOG_NVLINK;
        set_figures(&read, &kernel);
        if (!smc_user_kernels_add(kernels, read.name, read.name_length, &kernel))
            return false;
    }
    return true;
}

/* --- Machine code ----------------------------------------------------------------------------- */

static bool is_possible(const struct smc_cubin_kernel *read, uint16_t cc)
{
    struct smc_capability capability;
    uint32_t smem_bytes = smc_architecture_without_reserve(read->smem_bytes, cc);
    return readers_are_possible(read->regs_per_thread, read->barriers, cc) &&
           (!smc_capability_find(cc, &capability) ||
            smem_bytes <= capability.sm.smem_per_block_optin_bytes);
}

static enum smc_status readers_check(const struct smc_cubin *cubin, uint16_t wanted_cc,
                                     struct smc_error *error)
{
    if (wanted_cc != 0 && wanted_cc != cubin->cc)
        return smc_fail(error, SMC_USAGE, "it is for sm_%u, where code for sm_%u should be",
                        cubin->cc, wanted_cc);
    for (size_t i = 0; i < cubin->kernel_count; i++)
        if (!is_possible(&cubin->kernel[i], cubin->cc))
            return smc_fail(error, SMC_USAGE,
                            "kernel %.200s uses more registers, barriers or shared memory than "
                            "sm_%u has",
                            cubin->kernel[i].name, cubin->cc);
    return SMC_OK;
}

static void take_set_regs(const struct smc_cubin_kernel *read, struct smc_inspect_kernel *kernel)
{
    kernel->resources.fewest_set_regs = read->fewest_set_regs;
    kernel->resources.most_set_regs = read->most_set_regs;
}

static bool readers_take(const struct smc_cubin *cubin, const struct smc_cubin_kernel *read,
                         const struct smc_inspect_kernel *kind, struct smc_inspect_kernel *kernel)
{
    *kernel = *kind;
    kernel->cc = cubin->cc;
    kernel->suffix = cubin->suffix;
    kernel->has_stack = true;
    kernel->has_barriers = true;
    kernel->smem_has_reserve = true;
    kernel->resources.regs_per_thread = read->regs_per_thread;
    kernel->resources.static_smem_bytes = read->smem_bytes;
    kernel->resources.stack_bytes = read->stack_bytes;
    kernel->resources.barriers = read->barriers;
    take_set_regs(read, kernel);
    kernel->max_threads_per_block = read->max_threads_per_block;
    kernel->required_threads_per_block = read->required_threads_per_block;
    memcpy(kernel->block, read->block, sizeof kernel->block);
    kernel->blocks_per_cluster = read->blocks_per_cluster;
    kernel->build = cubin->build;
    kernel->calls_unlinked = read->calls_unlinked;
    return smc_user_kernel_set_name(kernel, read->name, strlen(read->name));
}

enum smc_status smc_read_cubin_apart(const void *file, size_t bytes,
                                     const struct smc_inspect_kernel *kind,
                                     struct smc_inspect_found *found, struct smc_error *error)
{
    SMC_AUTO(smc_cubin_close) struct smc_cubin cubin = {0};
    *found = (struct smc_inspect_found){0};
    SMC_TRY(smc_cubin_open(file, bytes, &cubin, error));
    enum smc_status status = readers_check(&cubin, kind->cc, error);
    found->is_linked = cubin.is_linked;
    found->is_empty = !cubin.has_functions;
    if (status == SMC_OK && cubin.kernel_count > 0) {
        found->kernel = smc_calloc(cubin.kernel_count, sizeof *found->kernel);
        status = found->kernel ? SMC_OK : smc_out_of_memory(error);
    }
    for (size_t i = 0; i < cubin.kernel_count && status == SMC_OK; i++)
        if (!readers_take(&cubin, &cubin.kernel[i], kind, &found->kernel[found->count++]))
            status = smc_out_of_memory(error);
    if (status != SMC_OK)
        smc_inspect_found_free(found);
    return status;
}

void smc_inspect_found_free(struct smc_inspect_found *found)
{
    for (size_t i = 0; i < found->count; i++)
        smc_user_kernel_free(&found->kernel[i]);
    free(found->kernel);
    *found = (struct smc_inspect_found){0};
}

enum smc_status smc_read_cubin(const void *file, size_t bytes,
                               const struct smc_inspect_kernel *kind,
                               struct smc_inspect_kernels *kernels, struct smc_error *error)
{
    SMC_AUTO(smc_inspect_found_free) struct smc_inspect_found found;
    SMC_TRY(smc_read_cubin_apart(file, bytes, kind, &found, error));
    for (size_t i = 0; i < found.count; i++)
        if (!smc_user_kernels_take(kernels, &found.kernel[i]))
            return smc_out_of_memory(error);
    return SMC_OK;
}

static enum smc_status complete_from_cubin(const struct smc_binary *binary, size_t begin,
                                           struct smc_inspect_kernels *kernels,
                                           struct smc_error *error)
{
    SMC_AUTO(smc_cubin_close) struct smc_cubin cubin = {0};
    SMC_TRY(smc_cubin_open(binary->cubin, binary->cubin_bytes, &cubin, error));
    for (size_t i = 0; i < cubin.kernel_count; i++) {
        const struct smc_cubin_kernel *read = &cubin.kernel[i];
        struct smc_inspect_kernel *kernel =
            smc_user_kernels_find(kernels, begin, read->name, strlen(read->name));
        if (!kernel)
            continue;
        kernel->max_threads_per_block = read->max_threads_per_block;
        kernel->required_threads_per_block = read->required_threads_per_block;
        memcpy(kernel->block, read->block, sizeof kernel->block);
        kernel->blocks_per_cluster = read->blocks_per_cluster;
        kernel->build = cubin.build;
        kernel->calls_unlinked = read->calls_unlinked;
        take_set_regs(read, kernel);
        if (!kernel->has_barriers)
            kernel->resources.barriers = read->barriers;
        kernel->has_barriers = true;
    }
    return SMC_OK;
}

static void complete_from_ptx(const char *ptx, size_t begin, struct smc_inspect_kernels *kernels)
{
    struct smc_ptx_kernel read;
    struct smc_ptx_memory memory = {.is_known = false};
    smc_ptx_module_memory(ptx, &memory);
    while (smc_ptx_next(&ptx, &read)) {
        struct smc_inspect_kernel *kernel =
            smc_user_kernels_find(kernels, begin, read.name, read.name_length);
        if (!kernel)
            continue;
        kernel->max_threads_per_block = read.max_threads_per_block;
        kernel->required_threads_per_block = read.required_threads_per_block;
        memcpy(kernel->block, read.block, sizeof kernel->block);
        kernel->min_blocks_known = true;
        kernel->min_blocks_per_sm = read.min_blocks_per_sm;
        kernel->memory = memory;
        kernel->memory.parameter_bytes = smc_ptx_parameter_bytes(&read);
    }
}

/* Of the kernels from `begin` on. */
struct completing {
    size_t begin;
    struct smc_inspect_kernels *kernels;
};

static void complete_dynamic_smem(void *context, const char *name, size_t name_length,
                                  bool is_known, bool uses)
{
    const struct completing *completing = context;
    struct smc_inspect_kernel *kernel =
        smc_user_kernels_find(completing->kernels, completing->begin, name, name_length);
    if (kernel) {
        kernel->dynamic_smem_known = is_known;
        kernel->uses_dynamic_smem = uses;
    }
}

static void complete_tmem(void *context, const char *name, size_t name_length, uint32_t columns)
{
    const struct completing *completing = context;
    struct smc_inspect_kernel *kernel =
        smc_user_kernels_find(completing->kernels, completing->begin, name, name_length);
    if (kernel) {
        kernel->allocates_tmem = true;
        kernel->tmem_columns = columns;
    }
}

/* Bank conflicts are found in it. */
static bool keep_ptx(const struct smc_text *text, size_t begin, struct smc_inspect_kernels *kernels)
{
    struct smc_shared_ptx *ptx = smc_shared_ptx_new(smc_text_string(text), text->length);
    if (!ptx)
        return false;
    for (size_t i = begin; i < kernels->count; i++) {
        kernels->item[i].ptx = ptx;
        ptx->references++;
    }
    smc_shared_ptx_release(ptx);
    return true;
}

enum smc_status smc_read_nvrtc_output(const struct smc_nvrtc_output *output,
                                      const struct smc_inspect_kernel *kind,
                                      struct smc_inspect_kernels *kernels, struct smc_text *faults,
                                      struct smc_error *error)
{
    const size_t begin = kernels->count;
    if (!smc_read_log(smc_text_string(&output->log), kind, kernels, faults))
        return smc_out_of_memory(error);
    enum smc_status status = SMC_OK;
    if (output->binary.cubin)
        status = complete_from_cubin(&output->binary, begin, kernels, error);
    complete_from_ptx(smc_text_string(&output->ptx), begin, kernels);
    struct completing completing = {begin, kernels};
    if (!smc_ptx_dynamic_smem(smc_text_string(&output->ptx), complete_dynamic_smem, &completing))
        status = smc_out_of_memory(error);
    smc_ptx_tmem(smc_text_string(&output->ptx), complete_tmem, &completing);
    if (status == SMC_OK && output->ptx.length > 0 && !keep_ptx(&output->ptx, begin, kernels))
        status = smc_out_of_memory(error);
    for (size_t i = begin; i < kernels->count; i++) {
        kernels->item[i].resources.nvrtc_major = output->nvrtc_major;
        kernels->item[i].resources.nvrtc_minor = output->nvrtc_minor;
    }
    return status;
}
