/* What each of so many blocks per SM may have at most, in JSON. */
#include "report/json_parts.h"

static json_t *room_object(const struct smc_answer *answer, const struct smc_room *room)
{
    struct smc_text bounds = {0};
    json_t *object = json_object();
    smc_json_integer(object, "blocks_per_sm", room->blocks_per_sm);
    smc_json_integer(object, "warps_per_sm", room->warps_per_sm);
    smc_json_real(object, "percent", room->percent);
    smc_json_integer(object, "most_registers_per_thread", room->regs_per_thread);
    smc_json_integer(object, "most_dynamic_smem_bytes", room->dynamic_smem_bytes);
    smc_text_printf(&bounds, "__launch_bounds__(%u, %u)", answer->launch.threads_per_block,
                    room->blocks_per_sm);
    smc_json_string(object, "launch_bounds", smc_text_string(&bounds));
    smc_text_free(&bounds);
    return object;
}

json_t *smc_json_rooms(const struct smc_answer *answer, const struct smc_rooms *rooms)
{
    json_t *object = json_object(), *fixed = json_array(), *list = json_array();
    json_t *end = json_array(), *refusals = json_array();
    if (rooms->fixed.regs)
        json_array_append_new(fixed, json_string("registers"));
    if (rooms->fixed.dynamic_smem)
        json_array_append_new(fixed, json_string("dynamic_smem"));
    for (uint32_t i = 0; i < rooms->count; i++)
        json_array_append_new(list, room_object(answer, &rooms->room[i]));
    for (int i = 0; i < SMC_LIMIT_COUNT; i++)
        if (rooms->most.limiters & 1u << i)
            json_array_append_new(end, json_string(smc_limit_name((enum smc_limit)i)));
    for (int i = 0; i < SMC_REFUSAL_COUNT; i++)
        if (rooms->most.refusals & 1u << i)
            json_array_append_new(refusals, json_string(smc_refusal_name((enum smc_refusal)i)));
    smc_json_set(object, "fixed", fixed);
    smc_json_set(object, "by_blocks", list);
    smc_json_set(object, "no_further_block", end);
    smc_json_set(object, "refusals", refusals);
    return object;
}
