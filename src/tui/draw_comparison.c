/* Devices side by side. */
#include <stdio.h>

#include "report/words.h"
#include "tui/devices.h"
#include "tui/fields.h"

enum { LABEL_COLUMNS = 14, DEVICE_COLUMNS = 16, MOST_DEVICES = 32 };

/* --- What is compared --- */

enum fact {
#define DEVICE_FACT(id, label, value, decimals, unit, better, of_launch) FACT_##id,
#include "tui/device_facts.def"
#undef DEVICE_FACT
    FACTS
};

static const struct {
    const char *label;
    int decimals;
    const char *unit;
    int better;
    bool of_launch;
} facts[FACTS] = {
#define DEVICE_FACT(id, label, value, decimals, unit, better, of_launch)                           \
    [FACT_##id] = {label, decimals, unit, better, of_launch},
#include "tui/device_facts.def"
#undef DEVICE_FACT
};

/* The last one counts by its part. */
static double waves_of(const struct smc_answer *answer)
{
    const struct smc_waves *waves = &answer->waves;
    return answer->has_waves ? (double)waves->grid_blocks / (double)waves->resident_blocks : 0;
}

static double value_of(enum fact fact, const struct smc_device_row *row)
{
    const struct smc_answer *a = &row->answer;
    const struct smc_device *d = &a->query.device;
    if (facts[fact].of_launch && !(row->answered && a->outcome == SMC_LAUNCHES))
        return 0;
    switch (fact) {
#define DEVICE_FACT(id, label, value, decimals, unit, better, of_launch)                           \
    case FACT_##id:                                                                                \
        return (double)(value);
#include "tui/device_facts.def"
#undef DEVICE_FACT
    default:
        return 0;
    }
}

static void write_fact(enum fact fact, const struct smc_answer *answer, double value, char text[64])
{
    struct smc_text words = {0};
    char short_text[40];
    switch (fact) {
    case FACT_OCCUPANCY:
        smc_words_percent(value, short_text);
        smc_text_append(&words, short_text);
        break;
    case FACT_LIMITERS:
        smc_words_limiter_names(&answer->occupancy, "+", &words);
        break;
    case FACT_REGS:
        smc_devices_source(&answer->resources, short_text);
        smc_text_printf(&words, "%.0f %s", value, short_text);
        break;
    default:
        smc_text_printf(&words, "%.*f%s", facts[fact].decimals, value, facts[fact].unit);
    }
    snprintf(text, 64, "%.63s", value > 0 ? smc_text_string(&words) : "-");
    smc_text_free(&words);
}

/* --- Drawing --- */

/* 0 where devices do not differ. */
static double best_of(enum fact fact, const struct smc_device_row *const *list, size_t count)
{
    double best = 0, worst = 0;
    for (size_t i = 0; i < count && facts[fact].better; i++) {
        double value = value_of(fact, list[i]);
        bool better = facts[fact].better > 0 ? value > best : value < best;
        bool worse = facts[fact].better > 0 ? value < worst : value > worst;
        if (value > 0 && (best == 0 || better))
            best = value;
        if (value > 0 && (worst == 0 || worse))
            worst = value;
    }
    return best == worst ? 0 : best;
}

static void draw_fact(enum fact fact, const struct smc_device_row *const *list, size_t count,
                      struct smc_rect line, struct smc_frame *frame)
{
    double best = best_of(fact, list, count);
    smc_frame_text(frame, line, 0, 1, SMC_STYLE_LABEL, facts[fact].label);
    for (size_t i = 0; i < count; i++) {
        char text[64];
        double value = value_of(fact, list[i]);
        write_fact(fact, &list[i]->answer, value, text);
        smc_frame_text_within(frame, line, 0, LABEL_COLUMNS + (int)i * DEVICE_COLUMNS,
                              DEVICE_COLUMNS - 1,
                              best > 0 && value == best ? SMC_STYLE_GOOD : SMC_STYLE_NORMAL, text);
    }
}

static void draw_names(const struct smc_device_row *const *list, size_t count, struct smc_rect line,
                       struct smc_frame *frame)
{
    for (size_t i = 0; i < count; i++) {
        const struct smc_device *device = &list[i]->answer.query.device;
        char text[160];
        if (smc_devices_is_bare(device))
            snprintf(text, sizeof text, "CC %d.%d", device->sm.cc / 10, device->sm.cc % 10);
        else
            snprintf(text, sizeof text, "%s", smc_device_model(device));
        smc_frame_text_within(frame, line, 0, LABEL_COLUMNS + (int)i * DEVICE_COLUMNS,
                              DEVICE_COLUMNS - 1, i ? SMC_STYLE_GIVEN : SMC_STYLE_STRONG, text);
    }
}

/* Why the device under the cursor has no launch to compare, in the last lines. */
static void draw_why(const struct smc_device_row *row, struct smc_rect *rect,
                     struct smc_frame *frame)
{
    enum { TALL = 12 };
    struct smc_text words = {0};
    if (row->answered && row->answer.outcome == SMC_LAUNCHES)
        return;
    if (row->answered)
        smc_words_failure(&row->answer, &words);
    else
        smc_text_append(&words, row->why);
    struct smc_rect lines = smc_rect_cut_bottom(rect, rect->rows < TALL ? 2 : 3);
    struct smc_rect room = {lines.row, lines.col + 1, lines.rows, lines.cols - 2};
    smc_frame_paragraph(frame, room, 0, SMC_STYLE_BAD, smc_text_string(&words));
    smc_text_free(&words);
}

/* Where the numbers of the device under the cursor come from. */
static void draw_sources(const struct smc_device *device, struct smc_rect rect,
                         struct smc_frame *frame)
{
    enum { LEAST_ROWS = 8 };
    struct smc_text words = {0};
    struct smc_rect room = {rect.row, rect.col + 1, rect.rows, rect.cols - 2};
    if (rect.rows < LEAST_ROWS)
        return;
    smc_text_printf(&words, "%s%s%s, %s", device->family, *device->chip ? ", " : "", device->chip,
                    smc_device_source_name(device->source));
    smc_text_printf(&words, "\nuncertain: %s\nsources: %s",
                    *device->uncertain ? device->uncertain : "none", device->sources);
    smc_frame_paragraph(frame, room, 1, SMC_STYLE_DIM, smc_text_string(&words));
    smc_text_free(&words);
}

size_t smc_comparison_room(struct smc_rect rect)
{
    int room = (rect.cols - LABEL_COLUMNS) / DEVICE_COLUMNS;
    return room < 0 ? 0 : room > MOST_DEVICES ? MOST_DEVICES : (size_t)room;
}

void smc_draw_comparison(const struct smc_devices_state *devices, struct smc_rect rect,
                         struct smc_frame *frame)
{
    const struct smc_device_row *list[MOST_DEVICES];
    size_t room = smc_comparison_room(rect), count = smc_devices_compared(devices, list, room);
    count = count < room ? count : room;
    if (count == 0)
        return;
    draw_why(list[0], &rect, frame);
    draw_names(list, count, smc_rect_cut_top(&rect, 1), frame);
    for (int i = 0; i < FACTS && rect.rows > 0; i++)
        draw_fact((enum fact)i, list, count, smc_rect_cut_top(&rect, 1), frame);
    draw_sources(&list[0]->answer.query.device, rect, frame);
}
