/* The kernels of the catalog, their parameters and what they show. */
#include "report/layout.h"
#include "report/text_parts.h"

enum { NAME_WIDTH = 20 };

void smc_text_kernels(const struct smc_report_style *style, struct smc_text *out)
{
    for (size_t i = 0; i < smc_kernel_count(); i++) {
        const struct smc_kernel *kernel = smc_kernel_at(i);
        struct smc_text options = {0};
        for (int p = 0; p < SMC_PARAM_COUNT; p++)
            if (kernel->params & 1u << p)
                smc_text_printf(&options, "%s--%s", options.length ? " " : "",
                                smc_param_info[p].option);
        smc_layout_begin(out, style, SMC_STRONG);
        smc_layout_paragraph(out, kernel->name, NAME_WIDTH, kernel->summary, style->columns);
        smc_layout_end(out, style);
        smc_layout_paragraph(out, "", NAME_WIDTH, smc_text_string(&options), style->columns);
        smc_text_free(&options);
    }
}
