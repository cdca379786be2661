/* The query's picture: occupancy over the block size, the registers and the shared memory. */
#include <inttypes.h>

#include "base/memory.h"
#include "show/plot/page.h"
#include "show/plot/plot.h"
#include "show/words/words.h"

enum { MOST_RUNS = 2048, PAPER_TICKS = 17, CELL_TICKS = 9 };

/* The quantity that a curve varies. */
enum query_plot_quantity { THREADS, REGISTERS, SHARED_MEMORY, QUANTITY_COUNT };

static const struct {
    const char *title, *unit, *now;
} texts[QUANTITY_COUNT] = {
    [THREADS] = {"Block size", "threads per block", "threads"},
    [REGISTERS] = {"Registers", "registers per thread", "registers"},
    [SHARED_MEMORY] = {"Shared memory",
                       "bytes of shared memory per block, static and dynamic (K = 1024)", "bytes"},
};

static const uint32_t refused = 1u << SMC_INK_REFUSED;

struct curve {
    enum query_plot_quantity quantity;
    const struct smc_answer *answer;
    int64_t now;
    bool now_known;
    int64_t limit; /* of the device */
    int64_t high, step;
    struct smc_value_run run[MOST_RUNS];
    size_t run_count;
};

/* Sets one quantity. Additional shared memory is dynamic, and a reduction first reduces dynamic
   memory. */
static void query_vary(enum query_plot_quantity quantity, int64_t value, struct smc_launch *launch)
{
    uint32_t number = (uint32_t)value;
    switch (quantity) {
    case THREADS:
        smc_launch_set_threads(launch, number);
        return;
    case REGISTERS:
        launch->regs_per_thread = number;
        return;
    case SHARED_MEMORY:
        if (number < launch->static_smem_bytes)
            launch->static_smem_bytes = number;
        launch->dynamic_smem_bytes = number - launch->static_smem_bytes;
        launch->smem_bytes_per_thread = 0;
        return;
    case QUANTITY_COUNT:
        return;
    }
}

static struct smc_value_run query_evaluate(const struct curve *curve, int64_t value)
{
    const struct smc_sm *sm = &curve->answer->query.device.sm;
    struct smc_launch launch = curve->answer->launch;
    struct smc_occupancy occupancy;
    query_vary(curve->quantity, value, &launch);
    smc_occupancy_compute(sm, &launch, &occupancy);
    bool launches = occupancy.refusals == 0;
    return (struct smc_value_run){
        .percent = launches ? smc_occupancy_percent(sm, &occupancy) : 0,
        .inks = launches && occupancy.limiters ? smc_inks_of_limits(occupancy.limiters) : refused,
    };
}

/* Adds the values above `from` up to `to`, with the answer for `to`. */
static void query_add(struct curve *curve, int64_t from, int64_t to)
{
    struct smc_value_run run = query_evaluate(curve, to);
    struct smc_value_run *last = curve->run_count ? &curve->run[curve->run_count - 1] : NULL;
    if (last && last->percent == run.percent && last->inks == run.inks) {
        last->to = (double)to;
        return;
    }
    if (curve->run_count == MOST_RUNS)
        return;
    run.from = (double)from;
    run.to = (double)to;
    curve->run[curve->run_count++] = run;
}

static void query_set_range(struct curve *curve)
{
    const struct smc_answer *answer = curve->answer;
    const struct smc_launch *launch = &answer->launch;
    const struct smc_sm *sm = &answer->query.device.sm;
    curve->now_known = true;
    switch (curve->quantity) {
    case THREADS:
        curve->now = launch->threads_per_block;
        curve->high = sm->max_threads_per_block;
        curve->step = launch->smem_bytes_per_thread ? 1 : sm->warp_size;
        return;
    case REGISTERS:
        curve->now = launch->regs_per_thread;
        curve->now_known = smc_words_regs_known(answer);
        curve->high = sm->max_regs_per_thread;
        curve->step = 1;
        return;
    case SHARED_MEMORY:
        curve->now = (int64_t)launch->static_smem_bytes + launch->dynamic_smem_bytes;
        curve->high = smc_smem_most_per_block(sm, launch);
        curve->step = sm->smem_alloc_unit_bytes;
        return;
    case QUANTITY_COUNT:
        return;
    }
}

/* A launch beyond the device's limit is drawn in a strip at the right. */
static void query_compute(struct curve *curve)
{
    query_set_range(curve);
    int64_t limit = curve->limit = curve->high;
    for (int64_t from = 0, to; from < limit; from = to) {
        to = from + curve->step < limit ? from + curve->step : limit;
        query_add(curve, from, to);
    }
    if (curve->now <= limit)
        return;
    curve->high = limit + limit / 8;
    query_add(curve, limit, curve->high);
}

/* "next cliff: more than 32 registers, 50 %": the nearest above the present value. */
static void append_cliff(const struct curve *curve, struct smc_text *remark)
{
    const char *unit = texts[curve->quantity].now;
    struct smc_value_run now = query_evaluate(curve, curve->now);
    if (!curve->now_known) {
        smc_text_printf(remark, "%s not known, not counted elsewhere", unit);
        return;
    }
    if (curve->now > curve->limit) {
        smc_text_printf(remark, "the device allows %" PRId64 " %s", curve->limit, unit);
        return;
    }
    if (now.inks == refused)
        return;
    for (size_t i = 0; i < curve->run_count; i++) {
        const struct smc_value_run *run = &curve->run[i];
        if (run->from < (double)curve->now || run->percent >= now.percent)
            continue;
        char text[32];
        smc_words_percent(run->percent, text);
        smc_text_printf(remark, "next cliff: more than %.0f %s, %s", run->from, unit,
                        run->inks == refused ? "no launch" : text);
        return;
    }
    smc_text_append(remark, "no cliff above");
}

static void append_now(const struct curve *curve, struct smc_text *text)
{
    struct smc_value_run now = query_evaluate(curve, curve->now);
    char percent[32];
    smc_words_percent(now.percent, percent);
    smc_text_printf(text, "%" PRId64 " %s: %s", curve->now, texts[curve->quantity].now,
                    now.inks == refused ? "no launch" : percent);
}

static void query_draw(struct smc_page *page, struct curve *curve)
{
    smc_auto_text remark = {0}, now = {0};
    const struct smc_sm *sm = &curve->answer->query.device.sm;
    double place = curve->now < curve->high ? (double)curve->now : (double)curve->high;
    append_cliff(curve, &remark);
    append_now(curve, &now);
    struct smc_diagram diagram = {
        .title = texts[curve->quantity].title,
        .remark = smc_text_string(&remark),
        .unit = texts[curve->quantity].unit,
        .low = 0,
        .high = (double)curve->high,
        .ticks = smc_ticks_between(0, curve->high, SMC_TICKS_BINARY,
                                   page->canvas.cells ? CELL_TICKS : PAPER_TICKS),
        .last_tick = (double)curve->limit,
        .in_k = curve->quantity == SHARED_MEMORY,
        .max_warps = sm->max_warps_per_sm,
        .runs = curve->run,
        .run_count = curve->run_count,
        .has_now = curve->now_known,
        .now = place,
        .now_percent = query_evaluate(curve, curve->now).percent,
        .now_text = smc_text_string(&now),
    };
    smc_page_diagram(page, &diagram);
}

static void query_append_verdict(const struct smc_answer *answer, struct smc_text *line)
{
    char percent[32];
    smc_words_percent(answer->occupancy_percent, percent);
    if (answer->outcome != SMC_LAUNCHES) {
        smc_words_failure(answer, line);
    } else {
        smc_words_blocks(answer->occupancy.blocks_per_sm, line);
        smc_text_printf(line, " per SM, occupancy %s (%u of %u warps), limited by ", percent,
                        answer->occupancy.warps_per_sm, answer->query.device.sm.max_warps_per_sm);
        smc_words_limiters(&answer->occupancy, line);
    }
}

static void query_append_launch(const struct smc_answer *answer, struct smc_text *line)
{
    const struct smc_launch *launch = &answer->launch;
    char source[SMC_REGS_SOURCE_CHARS];
    if (answer->query.kernel) {
        smc_words_params(answer, line);
        smc_text_append(line, "; ");
    }
    smc_text_printf(line, "%u threads per block, ", launch->threads_per_block);
    if (!smc_words_regs_known(answer))
        smc_text_append(line, "registers not known");
    else
        smc_text_printf(line, "%u registers per thread", launch->regs_per_thread);
    if (smc_words_regs_known(answer) && !answer->regs_given) {
        smc_words_regs_source(answer, source);
        smc_text_printf(line, " (%s)", source);
    }
    smc_text_printf(line, ", %u B static", launch->static_smem_bytes);
    if (launch->dynamic_smem_bytes)
        smc_text_printf(line, " and %u B dynamic", launch->dynamic_smem_bytes);
    smc_text_append(line, " shared memory");
    if (launch->carveout_percent != SMC_CARVEOUT_DEFAULT)
        smc_text_printf(line, ", carve-out %d %%", launch->carveout_percent);
    if (launch->smem_mode != SMC_SMEM_MODE_DEFAULT)
        smc_text_printf(line, ", mode %s", smc_smem_mode_name(launch->smem_mode));
}

static void add_head(struct smc_page *page, const struct smc_answer *answer)
{
    const struct smc_device *device = &answer->query.device;
    SMC_AUTO(smc_heading_free) struct smc_heading heading = {0};
    smc_text_printf(&heading.title, "%s on %s",
                    answer->query.kernel ? answer->query.kernel->name : "Your kernel",
                    device->name);
    if (device->sm_count)
        smc_text_printf(&heading.title, ", CC %d.%d", device->sm.cc / 10, device->sm.cc % 10);
    if (answer->query.device_assumed)
        smc_text_append(&heading.title, " (assumed)");
    query_append_verdict(answer, &heading.verdict);
    query_append_launch(answer, &heading.subject);
    smc_page_put_heading(page, &heading);
    page->y += page->canvas.metrics->after_heading;
}

void smc_plot_query(const struct smc_answer *answer, const struct smc_canvas *canvas,
                    struct smc_picture *picture)
{
    struct smc_page page = smc_page_begin(picture, canvas);
    struct curve curve[QUANTITY_COUNT];
    struct smc_legend legend = {.now = "the present launch"};
    for (int q = 0; q < QUANTITY_COUNT; q++) {
        curve[q] = (struct curve){.quantity = (enum query_plot_quantity)q, .answer = answer};
        query_compute(&curve[q]);
        for (size_t i = 0; i < curve[q].run_count; i++)
            legend.inks |= curve[q].run[i].inks;
    }
    add_head(&page, answer);
    smc_page_heading(&page, SMC_FACE_NORMAL, SMC_INK_MUTED,
                     "Areas: the limits that bind there, all else as it is.");
    smc_page_legend(&page, &legend);
    page.y += canvas->cells ? 1 : 6;
    for (int q = 0; q < QUANTITY_COUNT; q++)
        query_draw(&page, &curve[q]);
    smc_page_end(&page);
}
