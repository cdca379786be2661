/* Pictures as files: which format a name asks for. */
#include "plot/files.h"

#include <string.h>

#include "base/memory.h"
#include "base/parse.h"

static const char *const endings[SMC_PLOT_FORMAT_COUNT] = {
    [SMC_PLOT_SVG] = ".svg",
    [SMC_PLOT_PNG] = ".png",
    [SMC_PLOT_PDF] = ".pdf",
};

enum smc_status smc_plot_format_of(const char *path, enum smc_plot_format *format,
                                   struct smc_error *error)
{
    size_t length = strlen(path);
    for (int i = 0; i < SMC_PLOT_FORMAT_COUNT; i++) {
        size_t ending = strlen(endings[i]);
        if (length <= ending || !smc_equal_ignoring_case(path + length - ending, endings[i]))
            continue;
        *format = (enum smc_plot_format)i;
        if (smc_plot_has_files)
            return SMC_OK;
        return smc_fail(error, SMC_UNAVAILABLE,
                        "this program was built without cairo; install libcairo2-dev and build it "
                        "again, or draw in the terminal with --plot -");
    }
    return smc_fail(error, SMC_USAGE,
                    "'%s' does not end in .svg, .png or .pdf; '-' draws in the terminal", path);
}

enum smc_status smc_plot_paint(const struct smc_picture *picture, enum smc_plot_format format,
                               struct smc_text *bytes, struct smc_error *error)
{
    if (picture->failed)
        return smc_out_of_memory(error);
    return smc_plot_paint_file(picture, format, bytes, error);
}
