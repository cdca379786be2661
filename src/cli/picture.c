/* --plot: where a picture goes. */
#include "cli/picture.h"

#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "cli/ask.h"

enum smc_status smc_picture_target(const struct smc_arguments *arguments,
                                   enum smc_plot_target *target, struct smc_error *error)
{
    const char *path = arguments->text[SMC_OPTION_PLOT];
    enum smc_plot_format format;
    struct smc_error reason;
    *target = SMC_PLOT_NOWHERE;
    if (!path)
        return SMC_OK;
    if (strcmp(path, "-") == 0) {
        *target = SMC_PLOT_TERMINAL;
        if (smc_ask_writer(arguments) == &smc_writer_text)
            return SMC_OK;
        return smc_fail(
            error, SMC_USAGE,
            "option --plot: '-' draws in place of the text report, not with --format %s",
            arguments->text[SMC_OPTION_FORMAT]);
    }
    *target = SMC_PLOT_FILE;
    enum smc_status status = smc_plot_format_of(path, &format, &reason);
    return status == SMC_OK ? SMC_OK : smc_fail(error, status, "option --plot: %s", reason.message);
}

struct smc_canvas smc_picture_canvas(enum smc_plot_target target,
                                     const struct smc_report_style *style)
{
    return target == SMC_PLOT_TERMINAL ? smc_canvas_cells(style->columns) : smc_canvas_paper();
}

static enum smc_status paint_file(const char *path, const struct smc_picture *picture,
                                  struct smc_error *error)
{
    struct smc_text bytes = {0};
    struct smc_error reason = {""};
    enum smc_plot_format format;
    enum smc_status status = smc_plot_format_of(path, &format, error);
    if (status == SMC_OK)
        status = smc_plot_paint(picture, format, &bytes, error);
    if (status == SMC_OK && (status = smc_file_write(path, true, &bytes, &reason)) != SMC_OK)
        smc_fail(error, status, "option --plot: %s", reason.message);
    smc_text_free(&bytes);
    return status;
}

enum smc_status smc_picture_finish(const struct smc_arguments *arguments,
                                   enum smc_plot_target target, struct smc_picture *picture,
                                   const struct smc_report_style *style, struct smc_text *out,
                                   struct smc_error *error)
{
    enum smc_status status = SMC_OK;
    if (picture->failed)
        status = smc_out_of_memory(error);
    else if (target == SMC_PLOT_TERMINAL)
        smc_plot_paint_cells(picture, style->utf8, style->colour, out);
    else
        status = paint_file(arguments->text[SMC_OPTION_PLOT], picture, error);
    smc_picture_free(picture);
    return status;
}
