/* A sweep over one axis as a table, a line a point; around it what is fixed, the best values and
   where the registers come from. */
#include <inttypes.h>
#include <string.h>

#include "report/layout.h"
#include "report/text_parts.h"
#include "report/words.h"

enum { LABEL_MOST = 26, RUNS_SHOWN = 6 };

static const char *value_name(enum smc_axis_id id)
{
    static const char *const names[SMC_AXIS_COUNT] = {
        [SMC_AXIS_DEVICE] = "device",        [SMC_AXIS_TILE] = "tile",
        [SMC_AXIS_BLOCK] = "threads",        [SMC_AXIS_RADIUS] = "radius",
        [SMC_AXIS_THREADS] = "threads",      [SMC_AXIS_REGS] = "regs",
        [SMC_AXIS_SMEM] = "static B",        [SMC_AXIS_DYNAMIC_SMEM] = "dynamic B",
        [SMC_AXIS_CARVEOUT] = "carve-out %",
    };
    return names[id];
}

/* What all points of one device axis share is told once, above the table. */
static bool shows_block(enum smc_axis_id id)
{
    return id != SMC_AXIS_DEVICE;
}

static int label_width(const struct smc_sweep *sweep)
{
    size_t width = strlen(value_name(sweep->axis[0].id));
    uint64_t count = smc_axis_values(&sweep->axis[0]);
    for (uint64_t i = 0; i < count; i++) {
        struct smc_text label = {0};
        smc_sweep_label(sweep, 0, i, &label);
        width = label.length > width ? label.length : width;
        smc_text_free(&label);
    }
    return width > LABEL_MOST ? LABEL_MOST : (int)width;
}

static void append_head(enum smc_axis_id id, int width, struct smc_text *out)
{
    smc_text_printf(out, "\n  %*s", id == SMC_AXIS_DEVICE ? -width : width, value_name(id));
    if (shows_block(id))
        smc_text_append(out, "  threads   regs  smem B");
    else
        smc_text_append(out, "   regs");
    smc_text_append(out, "  blocks  warps  occup.  limited by\n");
}

static void append_counts(enum smc_axis_id id, const struct smc_sweep_point *point,
                          struct smc_text *left)
{
    if (shows_block(id))
        smc_text_printf(left, "  %7" PRIu32, point->threads_per_block);
    if (point->regs_per_thread == SMC_UNLIMITED)
        smc_text_printf(left, " %6s", "-");
    else
        smc_text_printf(left, " %6" PRIu32, point->regs_per_thread);
    if (shows_block(id))
        smc_text_printf(left, "  %6" PRIu64, point->smem_bytes_per_block);
    char percent[32];
    smc_words_percent(point->percent, percent);
    smc_text_printf(left, "  %6" PRIu32 " %6" PRIu32 " %7s", point->blocks_per_sm,
                    point->warps_per_sm, percent);
}

static void append_point(const struct smc_sweep_result *result, uint64_t index, int width,
                         const struct smc_report_style *style, struct smc_text *out)
{
    const struct smc_sweep_point *point = &result->point[index];
    enum smc_axis_id id = result->sweep->axis[0].id;
    struct smc_text label = {0}, left = {0}, right = {0};
    smc_sweep_label(result->sweep, 0, index, &label);
    smc_text_printf(&left, "  %*.*s", id == SMC_AXIS_DEVICE ? -width : width, width,
                    smc_text_string(&label));
    if (point->state == SMC_POINT_NO_ANSWER)
        smc_text_append(&right, "no such launch on this device");
    else
        append_counts(id, point, &left);
    if (point->state == SMC_POINT_REFUSED)
        smc_text_append(&right, "cannot launch");
    if (point->state == SMC_POINT_LAUNCHES)
        smc_words_limiters(&(struct smc_occupancy){.limiters = point->limiters}, &right);
    smc_layout_paragraph(out, smc_text_string(&left), left.length + 2, smc_text_string(&right),
                         style->columns);
    smc_text_free(&label);
    smc_text_free(&left);
    smc_text_free(&right);
}

/* "16 to 32": neighbouring values that are as good. */
static void append_run(const struct smc_sweep *sweep, uint64_t first, uint64_t last,
                       struct smc_text *line)
{
    smc_sweep_label(sweep, 0, first, line);
    if (last == first)
        return;
    smc_text_append(line, sweep->axis[0].id == SMC_AXIS_DEVICE ? " ... " : " to ");
    smc_sweep_label(sweep, 0, last, line);
}

static void append_runs(const struct smc_sweep_result *result, double best, struct smc_text *line)
{
    unsigned runs = 0;
    for (uint64_t i = 0, end; i < result->answered; i = end) {
        end = i + 1;
        if (result->point[i].state != SMC_POINT_LAUNCHES || result->point[i].percent < best)
            continue;
        while (end < result->answered && result->point[end].state == SMC_POINT_LAUNCHES &&
               result->point[end].percent >= best)
            end++;
        if (runs++ == RUNS_SHOWN) {
            smc_text_append(line, ", ...");
            return;
        }
        smc_text_append(line, runs > 1 ? ", " : "");
        append_run(result->sweep, i, end - 1, line);
    }
}

static void append_best(const struct smc_sweep_result *result, const struct smc_report_style *style,
                        struct smc_text *out)
{
    struct smc_text line = {0};
    char percent[32];
    double best = smc_sweep_best(result);
    uint64_t count = 0;
    for (uint64_t i = 0; i < result->answered; i++)
        count += result->point[i].state == SMC_POINT_LAUNCHES && result->point[i].percent >= best;
    smc_words_percent(best, percent);
    if (best < 0)
        smc_text_append(&line, "no point can be launched");
    else if (result->sweep->axis_count == 1) {
        smc_text_printf(&line, "%s at %s ", percent, value_name(result->sweep->axis[0].id));
        append_runs(result, best, &line);
    } else
        smc_text_printf(&line, "%s at %" PRIu64 " of %" PRIu64 " points", percent, count,
                        result->answered);
    smc_text_line(out, style, "best", &line);
    smc_text_free(&line);
}

/* A number without its source is worth nothing. */
static void append_sources(const struct smc_sweep_result *result,
                           const struct smc_report_style *style, struct smc_text *out)
{
    struct smc_text line = {0};
    smc_words_sweep_sources(result, &line);
    smc_text_line(out, style, "registers", &line);
    smc_text_free(&line);
}

static void append_ended(const struct smc_sweep_result *result, struct smc_text *out)
{
    uint64_t points = smc_sweep_points(result->sweep);
    if (result->answered < points)
        smc_text_printf(out, "interrupted after %" PRIu64 " of %" PRIu64 " points\n",
                        result->answered, points);
}

void smc_text_sweep(const struct smc_sweep_result *result, const struct smc_report_style *style,
                    struct smc_text *out)
{
    struct smc_text line = {0};
    smc_words_sweep_subject(result->sweep, &line);
    smc_text_append(&line, "; ");
    smc_words_sweep_device(result->sweep, &line);
    smc_layout_paragraph(out, "", 0, smc_text_string(&line), style->columns);
    smc_text_free(&line);
    if (result->sweep->axis_count == 1) {
        int width = label_width(result->sweep);
        append_head(result->sweep->axis[0].id, width, out);
        for (uint64_t i = 0; i < result->answered; i++)
            append_point(result, i, width, style, out);
    } else {
        smc_text_sweep_grid(result, style, out);
    }
    smc_text_append(out, "\n");
    append_best(result, style, out);
    append_sources(result, style, out);
    append_ended(result, out);
}
