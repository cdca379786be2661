/* The parameters that kernels take: their ranges, defaults and first checks. */
#include <inttypes.h>

#include "catalog/families.h"

const struct smc_param_info smc_param_info[SMC_PARAM_COUNT] = {
#define PARAM(id, option, lowest, highest, initial, unit, help)                                    \
    [SMC_PARAM_##id] = {option, lowest, highest, initial, unit, help},
#include "catalog/params.def"
#undef PARAM
};

_Static_assert(SMC_PARAM_COUNT <= 32, "a parameter is one bit of 32");

void smc_params_init(const struct smc_kernel *kernel, struct smc_params *params)
{
    params->given = 0;
    for (int i = 0; i < SMC_PARAM_COUNT; i++)
        params->value[i] = smc_param_info[i].initial;
    params->value[SMC_PARAM_DTYPE] = kernel->default_dtype;
    params->value[SMC_PARAM_PAD] = kernel->default_pad;
}

/* "float or double" */
static void list_dtypes(uint32_t dtypes, struct smc_text *list)
{
    for (int i = 0; i < SMC_DTYPE_COUNT; i++)
        if (dtypes >> i & 1)
            smc_text_printf(list, "%s%s", list->length ? " or " : "",
                            smc_dtype_name((enum smc_dtype)i));
}

static enum smc_status check_dtype(const struct smc_kernel *kernel, int64_t dtype,
                                   struct smc_error *error)
{
    if (dtype >= 0 && dtype < SMC_DTYPE_COUNT && kernel->dtypes >> dtype & 1)
        return SMC_OK;
    bool known = dtype >= 0 && dtype < SMC_DTYPE_COUNT;
    struct smc_text list = {0};
    list_dtypes(kernel->dtypes, &list);
    smc_fail(error, SMC_USAGE, "option --dtype: '%s' is not what %s computes with: %s",
             known ? smc_dtype_name((enum smc_dtype)dtype) : "?", kernel->name,
             smc_text_string(&list));
    smc_text_free(&list);
    return SMC_USAGE;
}

enum smc_status smc_params_check(const struct smc_kernel *kernel, const struct smc_params *params,
                                 struct smc_error *error)
{
    for (int i = 0; i < SMC_PARAM_COUNT; i++) {
        const struct smc_param_info *info = &smc_param_info[i];
        int64_t value = params->value[i];
        if (!(kernel->params >> i & 1)) {
            if (params->given >> i & 1)
                return smc_fail(error, SMC_USAGE, "option --%s: %s does not take it", info->option,
                                kernel->name);
            continue;
        }
        if (i == SMC_PARAM_DTYPE) {
            if (check_dtype(kernel, value, error) != SMC_OK)
                return SMC_USAGE;
        } else if (value < info->lowest || value > info->highest) {
            return smc_fail(error, SMC_USAGE,
                            "option --%s: '%" PRId64 "' is not between %" PRId64 " and %" PRId64,
                            info->option, value, info->lowest, info->highest);
        }
    }
    return SMC_OK;
}

void smc_defines_nothing(const struct smc_params *params, struct smc_text *options)
{
    (void)params, (void)options;
}
