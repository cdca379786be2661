/* Prints a line for each kernel in the files: its architecture, its name as the compiler writes it,
   registers, stack and static shared memory. For bench/libraries.sh. */
#include "config.h"

#include <stdio.h>

#include "answers/inspect.h"

int main(int argc, char **argv)
{
    const struct smc_inspect_target target = {90, '\0'};
    const struct smc_inspect_request request = {.targets = &target, .target_count = 1};
    struct smc_inspect_kernels kernels = {0};
    struct smc_inspect_notes notes = {0};
    struct smc_error error;
    enum smc_status status = SMC_OK;
    for (int i = 1; i < argc && status == SMC_OK; i++)
        status = smc_read_kernels(argv[i], &request, &kernels, &notes, &error);
    fprintf(stderr, "%s%s%s", smc_text_string(&notes.remarks), smc_text_string(&notes.faults),
            status == SMC_OK ? "" : error.message);
    for (size_t i = 0; i < kernels.count; i++) {
        const struct smc_inspect_kernel *kernel = &kernels.item[i];
        char architecture[SMC_INSPECT_ARCHITECTURE];
        printf("%s %s %u %u %u\n", smc_architecture_name(kernel, architecture), kernel->name,
               kernel->resources.regs_per_thread, kernel->resources.stack_bytes,
               kernel->resources.static_smem_bytes);
    }
    if (notes.faults.length > 0)
        status = SMC_USAGE;
    smc_user_kernels_free(&kernels);
    smc_text_free(&notes.remarks);
    smc_text_free(&notes.faults);
    return (int)status;
}
