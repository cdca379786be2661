/* From arguments to a question about shared-memory accesses. */
#include "cli/ask_banks.h"

#include <string.h>

#include "base/parse.h"
#include "cli/ask_kernel.h"
#include "cli/output.h"

/* From CC 5.0 on all are alike. */
static const char usual_device[] = "9.0";

enum { MOST_THREADS = 1024 };

static enum smc_status read_block(const char *text, struct smc_banks_query *query,
                                  struct smc_error *error)
{
    int64_t edge[3] = {1, 1, 1};
    size_t count = smc_parse_dimensions(text, MOST_THREADS, edge, 3);
    if (count == 0 || edge[0] * edge[1] * edge[2] > MOST_THREADS)
        return smc_fail(error, SMC_USAGE,
                        "option --block: '%s' is no shape such as 256, 32x8 or 8x8x4 of 1 to %d "
                        "threads",
                        text, MOST_THREADS);
    for (size_t i = 0; i < 3; i++)
        query->block[i] = (uint32_t)edge[i];
    return SMC_OK;
}

static enum smc_status read_mask(const char *text, uint32_t *mask, struct smc_error *error)
{
    uint64_t value = 0;
    if (smc_parse_hexadecimal(text, UINT32_MAX, &value)) {
        *mask = (uint32_t)value;
        return SMC_OK;
    }
    return smc_fail(error, SMC_USAGE,
                    "option --mask: '%s' is not a hexadecimal number between 0 and ffffffff", text);
}

static enum smc_status find_device(const struct smc_arguments *arguments,
                                   struct smc_chosen_devices *devices,
                                   struct smc_banks_query *query, struct smc_error *error)
{
    char note[256];
    enum smc_status status = smc_ask_named_device(arguments, devices, error);
    if (status != SMC_OK)
        return status;
    query->device_assumed = devices->count == 0;
    if (query->device_assumed && devices->file_count > 0)
        return smc_fail(error, SMC_USAGE,
                        "option --device-file: banks is about one device; name it with --device");
    if (query->device_assumed)
        return smc_device_find(usual_device, &query->device, note, error);
    query->device = devices->chosen->device;
    smc_output_tell("note: ", devices->chosen->note);
    return SMC_OK;
}

static enum smc_status read_device(const struct smc_arguments *arguments,
                                   struct smc_chosen_devices *devices,
                                   struct smc_banks_query *query, struct smc_error *error)
{
    enum smc_status status = find_device(arguments, devices, query, error);
    if (status != SMC_OK)
        return status;
    query->mode = (enum smc_bank_mode)arguments->number[SMC_OPTION_BANK_WIDTH];
    if (arguments->given[SMC_OPTION_BANK_WIDTH] && query->device.sm.bank_width_bytes != 8)
        return smc_fail(error, SMC_USAGE,
                        "option --bank-width: only on compute capability 3.x, not %u.%u",
                        query->device.sm.cc / 10, query->device.sm.cc % 10);
    return SMC_OK;
}

static enum smc_status read_kernel(const struct smc_arguments *arguments,
                                   struct smc_banks_query *query, struct smc_error *error)
{
    static const enum smc_option_id not_taken[] = {SMC_OPTION_WIDTH, SMC_OPTION_STORE};
    struct smc_arguments with_block;
    struct smc_query launch;
    for (size_t i = 0; i < sizeof not_taken / sizeof *not_taken; i++)
        if (arguments->given[not_taken[i]])
            return smc_fail(error, SMC_USAGE, "option --%s: not with a kernel, which says itself",
                            smc_options[not_taken[i]].name);
    enum smc_status status = smc_ask_block_param(arguments, &with_block, error);
    if (status != SMC_OK)
        return status;
    smc_query_init(&launch);
    status = smc_ask_kernel(&with_block, &launch, error);
    query->kernel = launch.kernel;
    query->params = launch.params;
    return status;
}

/* Exactly one of --expr, --stride and a kernel says what is accessed. */
static enum smc_status read_pattern(const struct smc_arguments *arguments,
                                    struct smc_banks_query *query, struct smc_error *error)
{
    bool expression = arguments->given[SMC_OPTION_EXPR],
         stride = arguments->given[SMC_OPTION_STRIDE];
    const char *param = NULL;
    for (int i = 0; i < SMC_PARAM_COUNT && !param; i++)
        if (arguments->given[SMC_OPTION_FIRST_PARAM + i])
            param = smc_param_info[i].option;
    if (arguments->given[SMC_OPTION_KERNEL])
        param = "kernel";
    if (expression && stride)
        return smc_fail(error, SMC_USAGE, "option --stride: not with --expr");
    if (param && (expression || stride))
        return smc_fail(error, SMC_USAGE, "option --%s: not with --%s", param,
                        expression ? "expr" : "stride");
    if (param)
        return read_kernel(arguments, query, error);
    if (!expression && !stride)
        return smc_fail(error, SMC_USAGE,
                        "no pattern: give --expr TEXT, --stride N, --kernel NAME or --csv FILE");
    query->expression = arguments->text[SMC_OPTION_EXPR];
    query->stride = stride ? arguments->number[SMC_OPTION_STRIDE] : -1;
    query->width_bytes = 1u << arguments->number[SMC_OPTION_WIDTH];
    query->op = arguments->given[SMC_OPTION_STORE] ? SMC_BANK_STORE : SMC_BANK_LOAD;
    const char *block = arguments->text[SMC_OPTION_BLOCK_SHAPE];
    if (block && stride)
        return smc_fail(error, SMC_USAGE,
                        "option --block: not with --stride, which is of one warp");
    return block ? read_block(block, query, error) : SMC_OK;
}

enum smc_status smc_ask_banks(const struct smc_arguments *arguments,
                              struct smc_chosen_devices *devices, struct smc_banks_query *query,
                              struct smc_error *error)
{
    smc_banks_query_init(query);
    query->warp = (int32_t)arguments->number[SMC_OPTION_WARP];
    query->row_elements = (uint32_t)arguments->number[SMC_OPTION_ROW];
    enum smc_status status = read_pattern(arguments, query, error);
    const char *mask = arguments->text[SMC_OPTION_MASK];
    if (status == SMC_OK && mask)
        status = read_mask(mask, &query->mask, error);
    return status == SMC_OK ? read_device(arguments, devices, query, error) : status;
}

enum smc_status smc_ask_banks_rows(const struct smc_arguments *arguments,
                                   struct smc_chosen_devices *devices,
                                   struct smc_banks_query *query, struct smc_error *error)
{
    static const bool taken[SMC_OPTION_COUNT] = {
        [SMC_OPTION_CSV] = true,
        [SMC_OPTION_DEVICE] = true,
        [SMC_OPTION_DEVICE_FILE] = true,
        [SMC_OPTION_BANK_WIDTH] = true,
    };
    for (int i = 0; i < SMC_OPTION_COUNT; i++) {
        if (arguments->given[i] && !taken[i])
            return smc_fail(error, SMC_USAGE, "option --%s: not with --csv, whose rows say all",
                            smc_options[i].name);
    }
    smc_banks_query_init(query);
    enum smc_status status =
        smc_ask_standard_input(arguments, arguments->text[SMC_OPTION_CSV], error);
    return status == SMC_OK ? read_device(arguments, devices, query, error) : status;
}
