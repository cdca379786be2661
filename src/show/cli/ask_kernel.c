/* From arguments to a launch: a kernel of the catalog and its parameters, or the numbers of your
   own kernel. */

#include "show/cli/ask.h"

const struct smc_writer *smc_ask_writer(const struct smc_arguments *arguments)
{
    const char *format = arguments->text[SMC_OPTION_FORMAT];
    if (!format)
        format = arguments->text[SMC_OPTION_FINDINGS_FORMAT];
    if (!format)
        format = arguments->text[SMC_OPTION_FLEET_FORMAT];
    const struct smc_writer *writer = smc_writer_find(format ? format : "text");
    return writer ? writer : &smc_writer_text;
}

static const char kernel_of_tile[] = "matmul-tiled";

static bool param_given(const struct smc_arguments *arguments, int param)
{
    return arguments->given[SMC_OPTION_FIRST_PARAM + param];
}

static void ask_list_kernels(uint32_t params, struct smc_text *list)
{
    for (size_t i = 0; i < smc_kernel_count(); i++) {
        const struct smc_kernel *kernel = smc_kernel_at(i);
        if (kernel->params & params)
            smc_text_printf(list, "%s%s", list->length ? ", " : "", kernel->name);
    }
}

static enum smc_status fail_not_accepted(const char *option, const struct smc_kernel *kernel,
                                         uint32_t params, struct smc_error *error)
{
    smc_auto_text list = {0};
    ask_list_kernels(params, &list);
    if (kernel)
        smc_fail(error, SMC_USAGE, "option --%s: %s does not accept it; these kernels do: %s",
                 option, kernel->name, smc_text_string(&list));
    else
        smc_fail(error, SMC_USAGE, "option --%s: name a kernel with --kernel; these accept it: %s",
                 option, smc_text_string(&list));
    return SMC_USAGE;
}

static const uint32_t array_sizes = 1u << SMC_PARAM_LENGTH;

static enum smc_status fail_no_kernel(const struct smc_arguments *arguments,
                                      struct smc_error *error)
{
    for (int i = 0; i < SMC_PARAM_COUNT; i++)
        if (param_given(arguments, i))
            return fail_not_accepted(smc_param_info[i].option, NULL, 1u << i, error);
    if (arguments->given[SMC_OPTION_SIZE])
        return fail_not_accepted("size", NULL, SMC_MATRIX_SIZES | array_sizes, error);
    if (arguments->given[SMC_OPTION_COMPARE])
        return smc_fail(error, SMC_USAGE,
                        "option --compare: name a family of kernels, such as --kernel matmul");
    return smc_fail(error, SMC_USAGE, "no kernel: give --tile N, --kernel NAME, or %s",
                    arguments->command == SMC_COMMAND_RUN || arguments->command == SMC_COMMAND_TUNE
                        ? "--source FILE with your own"
                        : "--threads N for your own");
}

static enum smc_status fail_family(const struct smc_arguments *arguments, const char *family,
                                   const struct smc_kernel *const *member, size_t count,
                                   struct smc_error *error)
{
    smc_auto_text list = {0};
    for (size_t i = 0; i < count; i++)
        smc_text_printf(&list, "%s%s", i ? ", " : "", member[i]->name);
    return smc_fail(error, SMC_USAGE, "option --kernel: '%s' is a family: %sname one of %s", family,
                    arguments->command == SMC_COMMAND_RUN ? "add --compare, or " : "",
                    smc_text_string(&list));
}

enum smc_status smc_ask_named_kernel(const struct smc_arguments *arguments,
                                     const struct smc_kernel **kernel, struct smc_error *error)
{
    const struct smc_kernel *member[SMC_SERIES_MOST_MEMBERS];
    const char *name = arguments->text[SMC_OPTION_KERNEL];
    if (!name && !param_given(arguments, SMC_PARAM_TILE))
        return fail_no_kernel(arguments, error);
    *kernel = smc_kernel_find(name ? name : kernel_of_tile);
    if (*kernel)
        return SMC_OK;
    size_t members = smc_series_members(name ? name : kernel_of_tile, member);
    if (members > 0)
        return fail_family(arguments, member[0]->family, member, members, error);
    struct smc_suggestion suggestion = {.typed = name ? name : kernel_of_tile};
    for (size_t i = 0; i < smc_kernel_count(); i++)
        smc_suggest_consider(&suggestion, smc_kernel_at(i)->name);
    return smc_suggest_fail(&suggestion, "option --kernel", "kernel",
                            "'smemcalc kernels' lists them", error);
}

static void ask_kernel_set_param(struct smc_params *params, enum smc_param param, int64_t value)
{
    params->value[param] = value;
    params->given |= 1u << param;
}

/* One number stands for all sizes of a product. */
static bool read_matrix_sizes(const char *text, const struct smc_kernel *kernel,
                              struct smc_params *params)
{
    int64_t size[3];
    uint32_t taken = kernel->params & SMC_MATRIX_SIZES;
    size_t count = smc_parse_dimensions(text, smc_param_info[SMC_PARAM_M].highest, size, 3);
    if (count != 1 && count != (size_t)__builtin_popcount(taken))
        return false;
    for (int i = 0, next = 0; i < SMC_PARAM_COUNT; i++)
        if (taken & 1u << i)
            ask_kernel_set_param(params, (enum smc_param)i, size[count == 1 ? 0 : next++]);
    return true;
}

static enum smc_status ask_kernel_read_size(const char *text, const struct smc_kernel *kernel,
                                            struct smc_params *params, struct smc_error *error)
{
    const struct smc_param_info *m = &smc_param_info[SMC_PARAM_M];
    const struct smc_param_info *length = &smc_param_info[SMC_PARAM_LENGTH];
    uint64_t elements;
    if (kernel->params & SMC_MATRIX_SIZES) {
        if (read_matrix_sizes(text, kernel, params))
            return SMC_OK;
        return smc_fail(error, SMC_USAGE,
                        "option --size: '%.64s' is neither %s nor one number, each between %lld "
                        "and %lld",
                        text, kernel->params & 1u << SMC_PARAM_N ? "MxNxK" : "MxK",
                        (long long)m->lowest, (long long)m->highest);
    }
    if (!(kernel->params & array_sizes))
        return fail_not_accepted("size", kernel, SMC_MATRIX_SIZES | array_sizes, error);
    if (!smc_parse_count(text, (uint64_t)length->highest, &elements) || elements == 0)
        return smc_fail(error, SMC_USAGE,
                        "option --size: '%.64s' is not a number of elements between 1 and %lld",
                        text, (long long)length->highest);
    ask_kernel_set_param(params, SMC_PARAM_LENGTH, (int64_t)elements);
    return SMC_OK;
}

/* The parameters given, except those of the mask `ignored`. */
static enum smc_status read_params(const struct smc_arguments *arguments,
                                   const struct smc_kernel *kernel, uint32_t ignored,
                                   struct smc_params *params, struct smc_error *error)
{
    char first[32]; /* of a range */
    const char *size = arguments->text[SMC_OPTION_SIZE];
    if (arguments->range[SMC_OPTION_SIZE].step > 0) {
        snprintf(first, sizeof first, "%lld", (long long)arguments->range[SMC_OPTION_SIZE].first);
        size = first;
    }
    const uint32_t sizes = SMC_MATRIX_SIZES | array_sizes;
    smc_params_init(kernel, params);
    for (int i = 0; i < SMC_PARAM_COUNT; i++) {
        if (!param_given(arguments, i) || ignored & 1u << i)
            continue;
        if (!(kernel->params & 1u << i))
            return fail_not_accepted(smc_param_info[i].option, kernel, 1u << i, error);
        if (size && sizes & 1u << i)
            return smc_fail(error, SMC_USAGE,
                            "option --%s: not together with --size, which sets it",
                            smc_param_info[i].option);
        ask_kernel_set_param(params, (enum smc_param)i,
                             arguments->number[SMC_OPTION_FIRST_PARAM + i]);
    }
    return size ? ask_kernel_read_size(size, kernel, params, error) : SMC_OK;
}

enum smc_status smc_ask_kernel(const struct smc_arguments *arguments, struct smc_query *query,
                               struct smc_error *error)
{
    SMC_TRY(smc_ask_named_kernel(arguments, &query->kernel, error));
    return read_params(arguments, query->kernel, 0, &query->params, error);
}

static enum smc_status read_grid(const char *text, struct smc_query *query, struct smc_error *error)
{
    int64_t edge[3] = {1, 1, 1}, blocks = 0;
    size_t count = smc_parse_dimensions(text, INT32_MAX, edge, 3);
    if (count == 0 || __builtin_mul_overflow(edge[0] * edge[1], edge[2], &blocks))
        return smc_fail(
            error, SMC_USAGE,
            "option --grid: '%.64s' is not a shape such as 4096, 512x512 or 64x64x8, with "
            "1 to %d blocks in each dimension",
            text, INT32_MAX);
    query->grid_blocks = blocks;
    query->grid_y = (uint32_t)edge[1];
    query->grid_z = (uint32_t)edge[2];
    return SMC_OK;
}

enum smc_status smc_ask_grid(const struct smc_arguments *arguments, struct smc_query *query,
                             struct smc_error *error)
{
    const char *grid = arguments->text[SMC_OPTION_GRID];
    return grid ? read_grid(grid, query, error) : SMC_OK;
}

static enum smc_status fail_with_kernel(const struct smc_arguments *arguments, const char *option,
                                        struct smc_error *error)
{
    const struct smc_kernel *kernel;
    SMC_TRY(smc_ask_named_kernel(arguments, &kernel, error));
    const char *remedy =
        *option == 'g'                           ? "--size sets the grid of a kernel"
        : kernel->params & 1u << SMC_PARAM_TILE  ? "--tile sets the threads of a block"
        : kernel->params & 1u << SMC_PARAM_BLOCK ? "--block sets the threads of a block"
                                                 : "the kernel sets the threads of a block";
    return smc_fail(error, SMC_USAGE, "option --%s: not with the kernel %s: %s", option,
                    kernel->name, remedy);
}

/* Your own kernel, described by --threads and the launch options. */
static enum smc_status ask_own_kernel(const struct smc_arguments *arguments,
                                      struct smc_query *query, struct smc_error *error)
{
    const char *option = arguments->given[SMC_OPTION_THREADS] ? "threads" : "grid";
    if (arguments->given[SMC_OPTION_KERNEL] || param_given(arguments, SMC_PARAM_TILE))
        return fail_with_kernel(arguments, option, error);
    for (int i = 0; i < SMC_PARAM_COUNT; i++)
        if (param_given(arguments, i))
            return smc_fail(error, SMC_USAGE,
                            "option --%s: a kernel's parameter, not with --%s; name the kernel "
                            "with --kernel instead",
                            smc_param_info[i].option, option);
    if (arguments->given[SMC_OPTION_SIZE])
        return smc_fail(error, SMC_USAGE,
                        "option --size: not with --%s; --grid sets the number of blocks", option);
    if (arguments->given[SMC_OPTION_KERNEL_DIR])
        return smc_fail(error, SMC_USAGE,
                        "option --kernel-dir: not with --%s; your own kernel is not compiled",
                        option);
    if (!arguments->given[SMC_OPTION_THREADS])
        return smc_fail(error, SMC_USAGE, "option --grid: only with --threads, your own kernel");
    query->threads_per_block = arguments->number[SMC_OPTION_THREADS];
    smc_ask_shape(arguments, SMC_OPTION_THREADS, query->block);
    if (arguments->given[SMC_OPTION_COOPERATIVE] && !arguments->text[SMC_OPTION_GRID])
        return smc_fail(error, SMC_USAGE,
                        "option --cooperative: needs --grid, the blocks of the launch");
    return smc_ask_grid(arguments, query, error);
}

/* A range is of plain numbers. */
void smc_ask_shape(const struct smc_arguments *arguments, int option, uint32_t shape[3])
{
    uint32_t product;
    if (arguments->given[option] && arguments->range[option].step == 0)
        smc_parse_block(arguments->text[option], INT32_MAX, &product, shape);
}

void smc_ask_settings(const struct smc_arguments *arguments, struct smc_launch *settings)
{
    const int64_t *number = arguments->number;
    settings->carveout_percent = (int32_t)number[SMC_OPTION_CARVEOUT];
    settings->cache_config = (enum smc_cache_config)number[SMC_OPTION_CACHE_CONFIG];
    settings->smem_mode = (enum smc_smem_mode)number[SMC_OPTION_SMEM_MODE];
    if (arguments->given[SMC_OPTION_CLUSTER])
        settings->blocks_per_cluster = (uint32_t)number[SMC_OPTION_CLUSTER];
    smc_ask_shape(arguments, SMC_OPTION_CLUSTER, settings->cluster);
    settings->is_cooperative = arguments->given[SMC_OPTION_COOPERATIVE];
    settings->virtual_resources = (uint32_t)number[SMC_OPTION_VIRTUAL_RESOURCES];
    const int64_t columns = number[SMC_OPTION_TMEM_COLUMNS]; /* the word of the option */
    settings->tmem_columns_per_block = columns > 0 ? 16u << columns : 0;
    settings->partitioned_caching =
        (enum smc_partitioned_caching)number[SMC_OPTION_PARTITIONED_CACHING];
}

void smc_ask_launch(const struct smc_arguments *arguments, struct smc_query *query)
{
    const int64_t *number = arguments->number;
    query->regs_per_thread = number[SMC_OPTION_REGS];
    query->static_smem_bytes = number[SMC_OPTION_SMEM];
    query->dynamic_smem_bytes = number[SMC_OPTION_DYNAMIC_SMEM];
    query->smem_per_thread_bytes = number[SMC_OPTION_SMEM_PER_THREAD];
    query->barriers_per_block = number[SMC_OPTION_BARRIERS];
    smc_ask_settings(arguments, &query->settings);
    query->compile = (struct smc_compile_options){
        .no_cache = arguments->given[SMC_OPTION_NO_CACHE],
        .no_nvrtc = arguments->given[SMC_OPTION_NO_NVRTC],
        .kernel_dir = arguments->text[SMC_OPTION_KERNEL_DIR],
        .builds = arguments->builds,
    };
}

static enum smc_status ask_kernel_begin(const struct smc_arguments *arguments,
                                        struct smc_query *query, struct smc_error *error)
{
    smc_query_init(query);
    smc_ask_launch(arguments, query);
    if (arguments->given[SMC_OPTION_NO_NVRTC] && arguments->given[SMC_OPTION_KERNEL_DIR])
        return smc_fail(error, SMC_USAGE,
                        "option --kernel-dir: not with --no-nvrtc, which compiles nothing");
    return SMC_OK;
}

enum smc_status smc_ask_query(const struct smc_arguments *arguments, struct smc_query *query,
                              struct smc_error *error)
{
    SMC_TRY(ask_kernel_begin(arguments, query, error));
    if (arguments->given[SMC_OPTION_THREADS] || arguments->given[SMC_OPTION_GRID])
        return ask_own_kernel(arguments, query, error);
    if (arguments->given[SMC_OPTION_SMEM_PER_THREAD])
        return smc_fail(error, SMC_USAGE,
                        "option --smem-per-thread: only for your own kernel, not for one of the "
                        "catalog");
    return smc_ask_kernel(arguments, query, error);
}

enum smc_status smc_ask_query_of(const struct smc_arguments *arguments,
                                 const struct smc_kernel *kernel, uint32_t ignored,
                                 struct smc_query *query, struct smc_error *error)
{
    SMC_TRY(ask_kernel_begin(arguments, query, error));
    query->kernel = kernel;
    return read_params(arguments, kernel, ignored, &query->params, error);
}
