/* What each of so many blocks per SM may have at most, in CSV. */
#include "report/csv_parts.h"

static void append_rows(const struct smc_answer *answer, const struct smc_rooms *rooms,
                        struct smc_text *out)
{
    for (uint32_t i = 0; i < rooms->count; i++) {
        const struct smc_room *room = &rooms->room[i];
        smc_csv_field(out, answer->query.device.name);
        smc_text_printf(out, ",%u,%u,%u,%u,%.10g,%u,%u,\"__launch_bounds__(%u, %u)\"\n",
                        answer->launch.threads_per_block, answer->launch.static_smem_bytes,
                        room->blocks_per_sm, room->warps_per_sm, room->percent,
                        room->regs_per_thread, room->dynamic_smem_bytes,
                        answer->launch.threads_per_block, room->blocks_per_sm);
    }
}

void smc_csv_rooms(const struct smc_answer *answers, const struct smc_rooms *rooms, size_t count,
                   const struct smc_report_style *style, struct smc_text *out)
{
    (void)style;
    smc_text_append(out, "device,threads,static_smem,blocks_per_sm,warps_per_sm,occupancy_percent,"
                         "most_regs,most_dynamic_smem,launch_bounds\n");
    for (size_t i = 0; i < count; i++)
        append_rows(&answers[i], &rooms[i], out);
}
