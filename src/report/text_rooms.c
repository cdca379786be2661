/* What each of so many blocks per SM may have at most: a row for each number of blocks. */
#include "report/layout.h"
#include "report/text_parts.h"
#include "report/words.h"

/* "12 registers a thread", "8192 static + 0 dynamic B": what was given and stays. */
void smc_text_append_fixed(const struct smc_answer *answer, const struct smc_rooms *rooms,
                           struct smc_text *line)
{
    const struct smc_launch *launch = &answer->launch;
    smc_text_printf(line, "%u thread%s, %u warp%s a block", launch->threads_per_block,
                    launch->threads_per_block == 1 ? "" : "s", rooms->most.warps_per_block,
                    rooms->most.warps_per_block == 1 ? "" : "s");
    if (rooms->fixed.regs)
        smc_text_printf(line, "; %u registers a thread", launch->regs_per_thread);
    if (launch->static_smem_bytes)
        smc_text_printf(line, "; %u" SMC_TIE "B static shared memory", launch->static_smem_bytes);
    if (rooms->fixed.dynamic_smem)
        smc_text_printf(line, "; %u" SMC_TIE "B dynamic shared memory", launch->dynamic_smem_bytes);
}

/* Where a kernel stands now, of its own registers and shared memory. */
bool smc_text_has_present(const struct smc_answer *answer)
{
    return answer->query.kernel && answer->outcome == SMC_LAUNCHES;
}

static void append_rows(const struct smc_answer *answer, const struct smc_rooms *rooms,
                        const struct smc_report_style *style, struct smc_text *out)
{
    uint32_t present = smc_text_has_present(answer) ? answer->occupancy.blocks_per_sm : 0;
    smc_text_append(out, "\n  blocks   warps  occup.  registers   dynamic B  to write\n"
                         "  per SM  per SM          a thread    a block\n");
    for (uint32_t i = 0; i < rooms->count; i++) {
        const struct smc_room *room = &rooms->room[i];
        struct smc_text percent = {0};
        bool here = room->blocks_per_sm == present;
        smc_layout_percent(&percent, room->percent);
        smc_layout_begin(out, style, here ? SMC_STRONG : SMC_PLAIN);
        struct smc_text row = {0};
        smc_text_printf(&row, "%c %6u %7u %7s %10u %11u  __launch_bounds__(%u, %u)",
                        here ? '>' : ' ', room->blocks_per_sm, room->warps_per_sm,
                        smc_text_string(&percent), room->regs_per_thread, room->dynamic_smem_bytes,
                        answer->launch.threads_per_block, room->blocks_per_sm);
        smc_layout_paragraph(out, smc_text_string(&row), 0, "", style->columns);
        smc_layout_end(out, style);
        smc_text_free(&percent);
        smc_text_free(&row);
    }
    smc_text_append_char(out, '\n', 1);
}

void smc_text_append_no_room(const struct smc_answer *answer, const struct smc_rooms *rooms,
                             struct smc_text *line)
{
    struct smc_answer refused = *answer;
    refused.occupancy = rooms->most;
    smc_words_failure(&refused, line);
}

/* What makes one block more impossible, with all that is not fixed as small as can be. */
static void append_end(const struct smc_rooms *rooms, const struct smc_report_style *style,
                       struct smc_text *out)
{
    struct smc_text line = {0};
    smc_text_printf(&line, "no more than %u", rooms->most.blocks_per_sm);
    if (!rooms->fixed.regs && !rooms->fixed.dynamic_smem)
        smc_text_append(&line, ", however few registers and however little shared memory");
    else if (!rooms->fixed.regs)
        smc_text_append(&line, ", however few registers");
    else if (!rooms->fixed.dynamic_smem)
        smc_text_append(&line, ", however little dynamic shared memory");
    smc_text_append(&line, ": limited by ");
    smc_words_limiters(&rooms->most, &line);
    smc_text_line(out, style, "further", &line);
    smc_text_free(&line);
}

static void append_reading(const struct smc_answer *answer, const struct smc_rooms *rooms,
                           const struct smc_report_style *style, struct smc_text *out)
{
    const struct smc_sm *sm = &answer->query.device.sm;
    struct smc_text line = {0};
    smc_text_append(&line, "the most with which so many blocks reside; both columns hold together");
    if (smc_text_has_present(answer)) {
        smc_text_printf(&line, "; > is the kernel now: %u registers, %u" SMC_TIE "B dynamic",
                        answer->launch.regs_per_thread, answer->launch.dynamic_smem_bytes);
    }
    smc_text_line(out, style, "reading", &line);
    smc_text_free(&line);
    if (rooms->fixed.dynamic_smem || sm->smem_reserved_per_block_bytes == 0 || rooms->count < 2)
        return;
    smc_text_printf(
        &line,
        "before CUDA 13.5 cudaOccupancyAvailableDynamicSMemPerBlock forgets the driver's "
        "%u" SMC_TIE "B a block: for 2 blocks and more it answers that much too much, "
        "at which fewer blocks fit",
        sm->smem_reserved_per_block_bytes);
    smc_text_line(out, style, "beware", &line);
    smc_text_free(&line);
}

static void append_verdict(const struct smc_answer *answer, const struct smc_rooms *rooms,
                           const struct smc_report_style *style, struct smc_text *out)
{
    struct smc_text verdict = {0};
    if (rooms->count) {
        smc_text_append(&verdict, "up to ");
        smc_words_blocks(rooms->most.blocks_per_sm, &verdict);
        smc_text_append(&verdict, " per SM: ");
        smc_text_append_fixed(answer, rooms, &verdict);
    } else {
        smc_text_append_no_room(answer, rooms, &verdict);
    }
    smc_layout_begin(out, style, rooms->count ? SMC_GOOD : SMC_BAD);
    smc_layout_paragraph(out, "", 0, smc_text_string(&verdict), style->columns);
    smc_layout_end(out, style);
    smc_text_append_char(out, '\n', 1);
    smc_text_free(&verdict);
}

void smc_text_rooms(const struct smc_answer *answer, const struct smc_rooms *rooms,
                    const struct smc_report_style *style, struct smc_text *out)
{
    append_verdict(answer, rooms, style, out);
    smc_text_kernel_line(answer, style, out);
    smc_text_device_line(answer, style, out);
    if (answer->query.kernel)
        smc_text_block_line(answer, style, out);
    if (rooms->count == 0)
        return;
    append_rows(answer, rooms, style, out);
    append_end(rooms, style, out);
    append_reading(answer, rooms, style, out);
}
