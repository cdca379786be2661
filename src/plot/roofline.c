/* The roofline: what the ceilings of a device allow, and the kernels under them. */
#include "plot/page.h"
#include "plot/plot.h"

void smc_plot_roofline(const struct smc_answer *answers, size_t count,
                       const struct smc_canvas *canvas, struct smc_picture *picture)
{
    struct smc_page page = smc_page_begin(picture, canvas);
    smc_page_heading(&page, SMC_FACE_TITLE, SMC_INK_TEXT, "Roofline");
    for (size_t i = 0; i < count; i++)
        smc_page_heading(&page, SMC_FACE_NORMAL, SMC_INK_MUTED,
                         answers[i].query.kernel ? answers[i].query.kernel->name : "Your kernel");
    smc_page_end(&page);
}
