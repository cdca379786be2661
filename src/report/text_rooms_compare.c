/* What each of so many blocks per SM may have at most, on several devices side by side. */
#include "report/layout.h"
#include "report/text_parts.h"
#include "report/text_side_by_side.h"
#include "report/words.h"

struct compared {
    const struct smc_answer *answers;
    const struct smc_rooms *rooms;
};

static const struct smc_device *device_of(const void *context, size_t device)
{
    const struct compared *compared = context;
    return &compared->answers[device].query.device;
}

static void append_label(const void *context, size_t row, struct smc_text *text)
{
    (void)context;
    smc_text_printf(text, "%zu", row + 1);
}

static void append_cell(const void *context, size_t device, size_t row, struct smc_text *text)
{
    const struct compared *compared = context;
    const struct smc_answer *answer = &compared->answers[device];
    const struct smc_rooms *rooms = &compared->rooms[device];
    if (row >= rooms->count)
        return;
    const struct smc_room *room = &rooms->room[row];
    bool here =
        smc_text_has_present(answer) && answer->occupancy.blocks_per_sm == room->blocks_per_sm;
    smc_text_printf(text, "%s%u %9u", here ? "> " : "", room->regs_per_thread,
                    room->dynamic_smem_bytes);
}

static void append_verdict(const struct smc_answer *answer, const struct smc_rooms *rooms,
                           const struct smc_report_style *style, struct smc_text *out)
{
    struct smc_text line = {0};
    smc_text_append_fixed(answer, rooms, &line);
    smc_layout_paragraph(out, "", 0, smc_text_string(&line), style->columns);
    smc_text_free(&line);
    smc_text_append_char(out, '\n', 1);
    smc_text_kernel_line(answer, style, out);
}

static void append_ends(const struct compared *compared, size_t count,
                        const struct smc_report_style *style, struct smc_text *out)
{
    struct smc_text line = {0};
    for (size_t i = 0; i < count; i++) {
        const struct smc_rooms *rooms = &compared->rooms[i];
        smc_text_printf(&line, "%s%s: ", i ? "; " : "",
                        smc_device_model(&compared->answers[i].query.device));
        if (rooms->count == 0) {
            smc_text_append_no_room(&compared->answers[i], rooms, &line);
            continue;
        }
        smc_text_printf(&line, "no more than %u, limited by ", rooms->most.blocks_per_sm);
        smc_words_limiters(&rooms->most, &line);
    }
    smc_text_line(out, style, "further", &line);
    smc_text_free(&line);
}

static void append_reading(const struct smc_answer *answer, const struct smc_report_style *style,
                           struct smc_text *out)
{
    struct smc_text line = {0};
    smc_text_printf(&line,
                    "the most registers a thread and bytes of dynamic shared memory a block with "
                    "which so many blocks reside on an SM; to write: __launch_bounds__(%u," SMC_TIE
                    "BLOCKS)",
                    answer->launch.threads_per_block);
    if (smc_text_has_present(answer))
        smc_text_append(&line, "; > is the kernel now");
    smc_text_line(out, style, "reading", &line);
    smc_text_free(&line);
}

void smc_text_compare_rooms(const struct smc_answer *answers, const struct smc_rooms *rooms,
                            size_t count, const struct smc_report_style *style,
                            struct smc_text *out)
{
    const struct compared compared = {answers, rooms};
    struct smc_side_by_side table = {
        .context = &compared,
        .devices = count,
        .device = device_of,
        .row_head = "blocks",
        .cell_head = "regs dynamic B",
        .label = append_label,
        .cell = append_cell,
    };
    for (size_t i = 0; i < count; i++)
        table.rows = rooms[i].count > table.rows ? rooms[i].count : table.rows;
    append_verdict(answers, rooms, style, out);
    if (table.rows)
        smc_text_side_by_side(&table, style, out);
    append_ends(&compared, count, style, out);
    append_reading(answers, style, out);
}
