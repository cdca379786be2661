/* The kernels of the catalog, their parameters and what they show, as text, JSON and CSV. */
#include "show/report/writers.h"

/* --- Text ------------------------------------------------------------------------------------- */

enum { NAME_WIDTH = 20 };

/* The options of a kernel's parameters, such as "--tile --dtype". */
static void kernels_append_options(const struct smc_kernel *kernel, const char *before,
                                   const char *separator, struct smc_text *out)
{
    const char *gap = "";
    for (int i = 0; i < SMC_PARAM_COUNT; i++) {
        if (!(kernel->params & 1u << i))
            continue;
        smc_text_printf(out, "%s%s%s", gap, before, smc_param_info[i].option);
        gap = separator;
    }
}

void smc_text_kernels(struct smc_text *out)
{
    for (size_t i = 0; i < smc_kernel_count(); i++) {
        const struct smc_kernel *kernel = smc_kernel_at(i);
        struct smc_text options = {0};
        kernels_append_options(kernel, "--", " ", &options);
        smc_layout_begin(out, SMC_STRONG);
        smc_layout_paragraph(out, kernel->name, NAME_WIDTH, kernel->summary, out->style->columns);
        smc_layout_end(out);
        smc_layout_text(out, NAME_WIDTH, &options);
    }
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *params_list(const struct smc_kernel *kernel)
{
    struct smc_params defaults;
    smc_params_init(kernel, &defaults);
    json_t *list = json_array();
    for (int i = 0; i < SMC_PARAM_COUNT; i++) {
        if (!(kernel->params & 1u << i) || i == SMC_PARAM_DTYPE)
            continue;
        const struct smc_param_info *info = &smc_param_info[i];
        json_t *object = smc_json_add_object(list);
        smc_json_string(object, "name", info->option);
        smc_json_set(object, "lowest", json_integer(info->lowest));
        smc_json_set(object, "highest", json_integer(info->highest));
        smc_json_set(object, "default", json_integer(defaults.value[i]));
        smc_json_string(object, "unit", info->unit);
        smc_json_string(object, "help", info->help);
    }
    return list;
}

static json_t *dtypes_list(const struct smc_kernel *kernel)
{
    json_t *list = json_array();
    for (int i = 0; i < SMC_DTYPE_COUNT; i++)
        if (kernel->dtypes & 1u << i)
            json_array_append_new(list, json_string(smc_dtype_name((enum smc_dtype)i)));
    return list;
}

json_t *smc_json_kernels(void)
{
    json_t *list = json_array();
    for (size_t i = 0; i < smc_kernel_count(); i++) {
        const struct smc_kernel *kernel = smc_kernel_at(i);
        json_t *object = smc_json_add_object(list);
        smc_json_string(object, "name", kernel->name);
        smc_json_string(object, "family", kernel->family);
        smc_json_string(object, "summary", kernel->summary);
        smc_json_string(object, "file", kernel->file);
        smc_json_known_string(object, "sibling", kernel->sibling);
        smc_json_set(object, "dtypes", dtypes_list(kernel));
        smc_json_string(object, "default_dtype", smc_dtype_name(kernel->default_dtype));
        smc_json_set(object, "parameters", params_list(kernel));
    }
    return list;
}

/* --- CSV -------------------------------------------------------------------------------------- */

void smc_csv_kernels(struct smc_text *out)
{
    smc_text_append(out, "name,family,parameters,summary\n");
    for (size_t i = 0; i < smc_kernel_count(); i++) {
        const struct smc_kernel *kernel = smc_kernel_at(i);
        smc_text_printf(out, "%s,%s,", kernel->name, kernel->family);
        kernels_append_options(kernel, "", "+", out);
        smc_text_append(out, ",");
        smc_csv_field(out, kernel->summary);
        smc_text_append(out, "\n");
    }
}
