/* From arguments to the launch of a person's own source: all but the device. */
#include "cli/ask_own.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/parse.h"

/* Of an extent; what the device takes of it is known later. */
enum { MOST_IN_BLOCK = 1024, MOST_IN_Z = 64 };

static enum smc_status check_others(const struct smc_arguments *arguments, struct smc_error *error)
{
    for (int i = 0; i < SMC_OPTION_COUNT; i++) {
        bool of_catalog = smc_options[i].group == SMC_GROUP_KERNEL || i == SMC_OPTION_REGS ||
                          i == SMC_OPTION_KERNEL_DIR || i == SMC_OPTION_NO_COUNTERS;
        if (of_catalog && arguments->given[i])
            return smc_fail(error, SMC_USAGE,
                            "option --%s: not with --source, only with kernels of the catalog",
                            smc_options[i].name);
    }
    return SMC_OK;
}

enum smc_status smc_ask_no_source(const struct smc_arguments *arguments, struct smc_error *error)
{
    static const int of_source[] = {SMC_OPTION_ENTRY, SMC_OPTION_ARG, SMC_OPTION_DUMP,
                                    SMC_OPTION_GRID, SMC_OPTION_COMPILER_OPTIONS};
    for (size_t i = 0; i < sizeof of_source / sizeof *of_source; i++)
        if (arguments->given[of_source[i]])
            return smc_fail(error, SMC_USAGE, "option --%s: only with --source FILE",
                            smc_options[of_source[i]].name);
    return SMC_OK;
}

static enum smc_status read_extent(const struct smc_arguments *arguments, int option, int64_t most,
                                   const char *what, uint32_t extent[3], struct smc_error *error)
{
    const char *typed = arguments->text[option];
    int64_t edge[3] = {1, 1, 1};
    if (!typed)
        return smc_fail(error, SMC_USAGE,
                        "option --%s: needed with --source: a number, or a shape such as 32x8",
                        smc_options[option].name);
    if (smc_parse_dimensions(typed, most, edge, 3) == 0)
        return smc_fail(error, SMC_USAGE,
                        "option --%s: '%.64s' is no shape such as 256, 32x8 or 8x8x4, with 1 to "
                        "%lld %s in each dimension",
                        smc_options[option].name, typed, (long long)most, what);
    for (int i = 0; i < 3; i++)
        extent[i] = (uint32_t)edge[i];
    return SMC_OK;
}

enum smc_status smc_ask_own_block(const struct smc_arguments *arguments,
                                  const struct smc_user_request *request, struct smc_error *error)
{
    const uint32_t *block = request->block;
    uint32_t most = request->device.sm.max_threads_per_block;
    uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    if (threads > most)
        return smc_fail(error, SMC_USAGE,
                        "option --block: '%.64s' has %llu threads, more than the %u of a block on "
                        "%s",
                        arguments->text[SMC_OPTION_BLOCK_SHAPE], (unsigned long long)threads, most,
                        request->device.name);
    if (block[2] > MOST_IN_Z)
        return smc_fail(error, SMC_USAGE,
                        "option --block: '%.64s' has %u threads in z, more than %d",
                        arguments->text[SMC_OPTION_BLOCK_SHAPE], block[2], MOST_IN_Z);
    return SMC_OK;
}

static bool is_same_file(const char *path, const char *other)
{
    struct stat a, b;
    return other && stat(path, &a) == 0 && stat(other, &b) == 0 && S_ISREG(a.st_mode) &&
           a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* What is read must not be lost by a slip. */
static bool is_read(const struct smc_user_request *request, const char *path)
{
    bool read = is_same_file(path, request->file);
    for (size_t i = 0; i < request->argument_count; i++)
        read = read || is_same_file(path, request->argument[i].path);
    return read;
}

enum smc_status smc_ask_dump(const char *typed, const struct smc_user_request *request,
                             size_t *argument, const char **path, struct smc_error *error)
{
    char number[16];
    int64_t n;
    size_t length = strcspn(typed, ":");
    snprintf(number, sizeof number, "%.*s", (int)(length < sizeof number ? length : 0), typed);
    if (!typed[length] || !typed[length + 1] || !smc_parse_integer(number, 1, INT32_MAX, &n))
        return smc_fail(error, SMC_USAGE,
                        "option --dump: '%.64s' is not of the form N:FILE, such as 1:out.bin",
                        typed);
    if ((uint64_t)n > request->argument_count || !request->argument[n - 1].is_buffer)
        return smc_fail(error, SMC_USAGE, "option --dump: '%.64s': argument %lld is no memory",
                        typed, (long long)n);
    *argument = (size_t)n - 1;
    *path = typed + length + 1;
    if (is_read(request, *path))
        return smc_fail(error, SMC_USAGE,
                        "option --dump: '%.64s' would overwrite what --source or --arg reads",
                        typed);
    return SMC_OK;
}

static enum smc_status read_arguments(const struct smc_arguments *arguments,
                                      struct smc_user_request *request, struct smc_error *error)
{
    request->argument_count = arguments->arg_count;
    for (size_t i = 0; i < arguments->arg_count; i++) {
        struct smc_error reason = {""};
        if (smc_user_argument_parse(arguments->arg[i], &request->argument[i], &reason) != SMC_OK)
            return smc_fail(error, SMC_USAGE, "option --arg: %.900s", reason.message);
    }
    for (size_t i = 0; i < arguments->dump_count; i++) {
        size_t argument;
        const char *path;
        enum smc_status status = smc_ask_dump(arguments->dump[i], request, &argument, &path, error);
        if (status != SMC_OK)
            return status;
    }
    return SMC_OK;
}

enum smc_status smc_ask_own(const struct smc_arguments *arguments, struct smc_user_request *request,
                            struct smc_error *error)
{
    const int64_t *number = arguments->number;
    *request = (struct smc_user_request){
        .file = arguments->text[SMC_OPTION_SOURCE],
        .entry = arguments->text[SMC_OPTION_ENTRY],
        .compiler_options = arguments->text[SMC_OPTION_COMPILER_OPTIONS],
        .no_cache = arguments->given[SMC_OPTION_NO_CACHE],
        .launch = SMC_LAUNCH_INIT,
    };
    if (arguments->given[SMC_OPTION_DYNAMIC_SMEM])
        request->dynamic_smem_bytes = (uint32_t)number[SMC_OPTION_DYNAMIC_SMEM];
    request->launch.carveout_percent = (int32_t)number[SMC_OPTION_CARVEOUT];
    request->launch.cache_config = (enum smc_cache_config)number[SMC_OPTION_CACHE_CONFIG];
    request->launch.smem_mode = (enum smc_smem_mode)number[SMC_OPTION_SMEM_MODE];
    enum smc_status status = check_others(arguments, error);
    if (status == SMC_OK)
        status = read_extent(arguments, SMC_OPTION_GRID, INT32_MAX, "blocks", request->grid, error);
    if (status == SMC_OK)
        status = read_extent(arguments, SMC_OPTION_BLOCK_SHAPE, MOST_IN_BLOCK, "threads",
                             request->block, error);
    return status == SMC_OK ? read_arguments(arguments, request, error) : status;
}
