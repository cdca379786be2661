/* The bank conflicts of the user's kernels, from the PTX that they were compiled from. */
#include "answers/inspect.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static struct smc_bank_layout bank_conflicts_layout_of(const struct smc_device *device)
{
    struct smc_bank_layout layout;
    smc_bank_layout_of(&device->sm, SMC_BANK_MODE_4_BYTES, &layout);
    return layout;
}

/* The kernel in a block of this shape on the device. Start `accesses` from {0}, and free it also
   after a failure. SMC_UNAVAILABLE: the kernel's file has no PTX; SMC_USAGE: the PTX is not
   understood, or the block is impossible; SMC_MACHINE: memory. */
static enum smc_status find_bank_accesses(const struct smc_inspect_kernel *kernel,
                                          const struct smc_device *device, const uint32_t block[3],
                                          uint32_t dynamic_smem_bytes,
                                          struct smc_bank_accesses *accesses,
                                          struct smc_error *error)
{
    if (!kernel->ptx)
        return smc_fail(error, SMC_UNAVAILABLE,
                        "%s: machine code alone; bank conflicts are found in source and PTX",
                        kernel->file);
    struct smc_bank_accesses_request request = {
        .ptx = kernel->ptx->text,
        .ptx_bytes = kernel->ptx->bytes,
        .entry = kernel->name,
        .dynamic_smem_bytes = dynamic_smem_bytes,
        .banks = bank_conflicts_layout_of(device),
        .declared = kernel->array,
        .declared_count = kernel->arrays,
    };
    memcpy(request.block, block, sizeof request.block);
    return smc_bank_accesses_find(&request, accesses, error);
}

/* --- Rows ------------------------------------------------------------------------------------- */

/* The answer of an earlier row with the same kernel, block and banks; NULL: none. */
static const struct smc_inspect_row *find_same(const struct smc_inspect_rows *rows, size_t i)
{
    const struct smc_inspect_row *row = &rows->item[i];
    struct smc_bank_layout layout = bank_conflicts_layout_of(row->device);
    for (size_t k = i; k > 0 && rows->item[k - 1].kernel->ptx == row->kernel->ptx; k--) {
        const struct smc_inspect_row *other = &rows->item[k - 1];
        struct smc_bank_layout theirs = bank_conflicts_layout_of(other->device);
        if (other->kernel == row->kernel && other->banks &&
            other->launch.threads_per_block == row->launch.threads_per_block &&
            memcmp(other->block, row->block, sizeof row->block) == 0 &&
            theirs.banks == layout.banks && theirs.row_words == layout.row_words &&
            theirs.half_warps == layout.half_warps && theirs.loads_join == layout.loads_join)
            return other;
    }
    return NULL;
}

void smc_inspect_banks_release(struct smc_inspect_banks *banks)
{
    if (!banks || --banks->references > 0)
        return;
    smc_bank_accesses_free(&banks->accesses);
    free(banks);
}

static enum smc_status find_banks(struct smc_inspect_row *row, const uint32_t *block,
                                  struct smc_error *error)
{
    const uint32_t line[3] = {row->launch.threads_per_block, 1, 1};
    struct smc_inspect_banks *banks = smc_calloc(1, sizeof *banks);
    struct smc_error ignored;
    if (!banks)
        return smc_out_of_memory(error);
    banks->references = 1;
    enum smc_status status =
        find_bank_accesses(row->kernel, row->device, block ? block : line,
                           row->launch.dynamic_smem_bytes, &banks->accesses, &ignored);
    bool depends = !block && (banks->accesses.uses_y || banks->accesses.uses_z);
    row->needs_shape = status == SMC_OK && depends && banks->accesses.count > 0;
    if (status == SMC_OK && !depends) {
        row->banks = banks;
        return SMC_OK;
    }
    smc_inspect_banks_release(banks);
    return status == SMC_MACHINE ? smc_out_of_memory(error) : SMC_OK;
}

enum smc_status smc_inspect_find_banks(struct smc_inspect_rows *rows, const uint32_t *block,
                                       struct smc_error *error)
{
    for (size_t i = 0; i < rows->count; i++) {
        struct smc_inspect_row *row = &rows->item[i];
        uint32_t threads = row->launch.threads_per_block;
        bool has_block = block || row->threads_source != SMC_THREADS_UNKNOWN;
        if (row->banks || !row->kernel->ptx || !has_block || threads < 1 || threads > 1024)
            continue;
        const struct smc_inspect_row *same = find_same(rows, i);
        if (same) {
            row->banks = same->banks;
            row->banks->references++;
        } else {
            const uint32_t *own = row->block[0] > 0 ? row->block : NULL;
            SMC_TRY(find_banks(row, block ? block : own, error));
        }
    }
    return SMC_OK;
}
