/* The picture of a sweep: which kind it is, and its heading. */
#include <inttypes.h>

#include "base/memory.h"
#include "plot/sweep_parts.h"
#include "report/words.h"

enum { MOST_VALUES = 512 }; /* of each axis of a heat map */

bool smc_plot_point_ink(const struct smc_sweep_point *point, enum smc_ink *ink)
{
    switch (point->state) {
    case SMC_POINT_LAUNCHES:
        *ink = smc_ink_of_limit(smc_words_first_limiter(point->limiters));
        return true;
    case SMC_POINT_REFUSED:
        *ink = SMC_INK_REFUSED;
        return true;
    case SMC_POINT_UNASKED:
    case SMC_POINT_NO_ANSWER:
        break;
    }
    return false;
}

enum smc_tick_kind smc_plot_tick_kind(enum smc_axis_id id)
{
    return id == SMC_AXIS_CARVEOUT || id == SMC_AXIS_RADIUS ? SMC_TICKS_DECIMAL : SMC_TICKS_BINARY;
}

/* Both axes by name, the best, and how far the sweep came. */
static void append_verdict(const struct smc_sweep_result *result, struct smc_text *line)
{
    const struct smc_sweep *sweep = result->sweep;
    double best = smc_sweep_best(result);
    uint64_t points = smc_sweep_points(sweep);
    char percent[32];
    smc_text_append(line, "Occupancy by ");
    for (size_t i = 0; i < sweep->axis_count; i++)
        smc_text_printf(line, "%s%s", i ? " and " : "", smc_axis_info[sweep->axis[i].id].label);
    smc_words_percent(best, percent);
    if (best < 0)
        smc_text_append(line, ": no point can be launched");
    else
        smc_text_printf(line, ": %s at best", percent);
    if (result->answered < points)
        smc_text_printf(line, "; interrupted after %" PRIu64 " of %" PRIu64 " points",
                        result->answered, points);
}

void smc_plot_sweep_heading(struct smc_page *page, const struct smc_sweep_result *result)
{
    const struct smc_kernel *kernel = result->sweep->query.kernel;
    struct smc_text title = {0}, verdict = {0}, subject = {0};
    smc_text_printf(&title, "%s on ", kernel ? kernel->name : "Your kernel");
    smc_words_sweep_device(result->sweep, &title);
    append_verdict(result, &verdict);
    smc_words_sweep_subject(result->sweep, &subject);
    if (kernel) {
        smc_text_append(&subject, "; registers: ");
        smc_words_sweep_sources(result, &subject);
    }
    smc_page_heading(page, SMC_FACE_TITLE, SMC_INK_TEXT, smc_text_string(&title));
    page->y += page->canvas.cells ? 0 : 4;
    smc_page_heading(page, SMC_FACE_STRONG, SMC_INK_TEXT, smc_text_string(&verdict));
    smc_page_heading(page, SMC_FACE_NORMAL, SMC_INK_MUTED, smc_text_string(&subject));
    page->y += page->canvas.cells ? 1 : 8;
    page->picture->failed |= title.failed || verdict.failed || subject.failed;
    smc_text_free(&title);
    smc_text_free(&verdict);
    smc_text_free(&subject);
}

enum smc_status smc_plot_check(const struct smc_sweep *sweep, struct smc_error *error)
{
    for (size_t i = 0; i < sweep->axis_count && sweep->axis_count == 2; i++) {
        uint64_t values = smc_axis_values(&sweep->axis[i]);
        if (values > MOST_VALUES)
            return smc_fail(error, SMC_USAGE,
                            "option --plot: a heat map shows %d values of an axis, and --%s has "
                            "%" PRIu64 "; give it a step, FIRST:LAST:STEP",
                            MOST_VALUES, smc_axis_info[sweep->axis[i].id].option, values);
    }
    return SMC_OK;
}

enum smc_status smc_plot_sweep(const struct smc_sweep_result *result,
                               const struct smc_canvas *canvas, struct smc_picture *picture,
                               struct smc_error *error)
{
    enum smc_status status = smc_plot_check(result->sweep, error);
    if (status != SMC_OK)
        return status;
    struct smc_page page = smc_page_begin(picture, canvas);
    smc_plot_sweep_heading(&page, result);
    if (result->sweep->axis_count == 2)
        smc_plot_sweep_heat(result, &page);
    else if (result->sweep->axis[0].id == SMC_AXIS_DEVICE)
        smc_plot_sweep_devices(result, &page);
    else
        smc_plot_sweep_line(result, &page);
    smc_page_end(&page);
    return picture->failed ? smc_out_of_memory(error) : SMC_OK;
}
