/* From arguments to questions: which launch, which writer. */
#include "cli/ask.h"

#include "cli/ask_kernel.h"

const struct smc_writer *smc_ask_writer(const struct smc_arguments *arguments)
{
    const char *format = arguments->text[SMC_OPTION_FORMAT];
    const struct smc_writer *writer = smc_writer_find(format ? format : "text");
    return writer ? writer : &smc_writer_text;
}

void smc_ask_launch(const struct smc_arguments *arguments, struct smc_query *query)
{
    const int64_t *number = arguments->number;
    query->regs_per_thread = number[SMC_OPTION_REGS];
    query->static_smem_bytes = number[SMC_OPTION_SMEM];
    query->dynamic_smem_bytes = number[SMC_OPTION_DYNAMIC_SMEM];
    query->smem_per_thread_bytes = number[SMC_OPTION_SMEM_PER_THREAD];
    query->barriers_per_block = number[SMC_OPTION_BARRIERS];
    query->settings.carveout_percent = (int32_t)number[SMC_OPTION_CARVEOUT];
    query->settings.cache_config = (enum smc_cache_config)number[SMC_OPTION_CACHE_CONFIG];
    query->settings.smem_mode = (enum smc_smem_mode)number[SMC_OPTION_SMEM_MODE];
    query->settings.blocks_per_cluster = (uint32_t)number[SMC_OPTION_CLUSTER];
    query->settings.virtual_resources = (uint32_t)number[SMC_OPTION_VIRTUAL_RESOURCES];
    query->settings.partitioned_caching =
        (enum smc_partitioned_caching)number[SMC_OPTION_PARTITIONED_CACHING];
    query->compile = (struct smc_compile_options){
        .no_cache = arguments->given[SMC_OPTION_NO_CACHE],
        .no_nvrtc = arguments->given[SMC_OPTION_NO_NVRTC],
        .kernel_dir = arguments->text[SMC_OPTION_KERNEL_DIR],
    };
}

enum smc_status smc_ask_query(const struct smc_arguments *arguments, struct smc_query *query,
                              struct smc_error *error)
{
    smc_query_init(query);
    smc_ask_launch(arguments, query);
    if (arguments->given[SMC_OPTION_NO_NVRTC] && arguments->given[SMC_OPTION_KERNEL_DIR])
        return smc_fail(error, SMC_USAGE,
                        "option --kernel-dir: not with --no-nvrtc, for nothing is compiled");
    if (arguments->given[SMC_OPTION_THREADS] || arguments->given[SMC_OPTION_GRID])
        return smc_ask_own_kernel(arguments, query, error);
    if (arguments->given[SMC_OPTION_SMEM_PER_THREAD])
        return smc_fail(error, SMC_USAGE,
                        "option --smem-per-thread: only for your own kernel, not for one of the "
                        "catalog");
    return smc_ask_kernel(arguments, query, error);
}
