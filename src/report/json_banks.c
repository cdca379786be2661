/* Bank conflicts in JSON. */
#include "report/banks_words.h"
#include "report/json_parts.h"

static json_t *lanes_list(uint32_t lanes)
{
    json_t *list = json_array();
    for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++)
        if (lanes >> lane & 1)
            json_array_append_new(list, json_integer(lane));
    return list;
}

static json_t *addresses_list(const struct smc_access *access)
{
    json_t *list = json_array();
    for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++) {
        bool active = access->mask >> lane & 1;
        json_array_append_new(list, active ? json_integer(access->address[lane]) : json_null());
    }
    return list;
}

static json_t *wavefront_object(const struct smc_bank_layout *layout,
                                const struct smc_wavefront *wavefront)
{
    json_t *object = json_object(), *banks = json_array();
    smc_json_set(object, "served_together", lanes_list(wavefront->set));
    for (uint32_t bank = 0; bank < layout->banks; bank++) {
        if (!wavefront->lanes[bank])
            continue;
        json_t *one = json_object();
        smc_json_integer(one, "bank", bank);
        smc_json_integer(one, "word", wavefront->word[bank]);
        smc_json_set(one, "lanes", lanes_list(wavefront->lanes[bank]));
        json_array_append_new(banks, one);
    }
    smc_json_set(object, "banks", banks);
    return object;
}

static json_t *worst_object(const struct smc_bank_layout *layout,
                            const struct smc_banks_pattern *pattern)
{
    if (!pattern->accesses)
        return json_null();
    json_t *object = json_object(), *list = json_array();
    smc_json_integer(object, "warp", pattern->worst_warp);
    smc_json_integer(object, "step", pattern->worst_step);
    smc_json_integer(object, "mask", pattern->worst.mask);
    smc_json_set(object, "addresses", addresses_list(&pattern->worst));
    smc_json_integer(object, "least_wavefronts", pattern->map.cost.least);
    for (uint32_t i = 0; i < pattern->map.cost.wavefronts; i++)
        json_array_append_new(list, wavefront_object(layout, &pattern->map.wavefront[i]));
    smc_json_set(object, "wavefronts", list);
    return object;
}

static json_t *rearrangement_object(bool found, const struct smc_rearrangement *change)
{
    if (!found)
        return json_null();
    json_t *object = json_object();
    smc_json_integer(object, "row_elements", change->row_elements);
    smc_json_integer(object, "padding_elements", change->padding_elements);
    smc_json_integer(object, "swizzle_span", change->swizzle_span);
    smc_json_integer(object, "swizzle_shift", change->swizzle_shift);
    return object;
}

static json_t *narrower_object(const struct smc_remedy *remedy)
{
    const struct smc_rearrangement *change = &remedy->rearrangement;
    if (!remedy->found)
        return json_null();
    json_t *object = json_object();
    smc_json_integer(object, "row_elements", change->row_elements - change->dropped_elements);
    smc_json_set(object, "expression",
                 remedy->expression[0] ? json_string(remedy->expression) : json_null());
    return object;
}

static json_t *remedy_object(const struct smc_remedy *remedy)
{
    json_t *object = rearrangement_object(remedy->found, &remedy->rearrangement);
    if (remedy->found)
        smc_json_set(object, "expression",
                     remedy->expression[0] ? json_string(remedy->expression) : json_null());
    return object;
}

json_t *smc_json_conflicts(const struct smc_conflict_fix *fix)
{
    if (fix->conflicts <= 0)
        return json_null();
    json_t *object = json_object(), *variants = json_array();
    smc_json_set(object, "count", smc_json_number(fix->conflicts));
    smc_json_real(object, "percent_of_wavefronts", 100 * fix->conflicts / fix->wavefronts);
    smc_json_known_integer(object, "line", fix->line);
    smc_json_known_string(object, "access", fix->access);
    smc_json_set(object, "padding", rearrangement_object(fix->has_padding, &fix->padding));
    smc_json_set(object, "swizzle", rearrangement_object(fix->has_swizzle, &fix->swizzle));
    for (size_t i = 0; i < fix->variant_count; i++)
        json_array_append_new(variants, json_string(fix->variant[i]));
    smc_json_set(object, "kernels_without", variants);
    return object;
}

static json_t *access_object(const struct smc_bank_layout *layout,
                             const struct smc_banks_pattern *pattern)
{
    json_t *object = json_object();
    smc_json_string(object, "access", pattern->label);
    smc_json_string(object, "op", smc_words_bank_op(pattern->op));
    smc_json_integer(object, "width_bytes", pattern->width_bytes);
    smc_json_integer(object, "warps_counted", pattern->warps_counted);
    smc_json_integer(object, "row_elements", pattern->row_elements);
    smc_json_integer(object, "steps", pattern->steps);
    smc_json_integer(object, "steps_counted", pattern->steps_counted);
    smc_json_integer(object, "accesses", pattern->accesses);
    smc_json_integer(object, "wavefronts", pattern->total.wavefronts);
    smc_json_integer(object, "least_wavefronts", pattern->total.least);
    smc_json_integer(object, "conflicts", pattern->total.wavefronts - pattern->total.least);
    smc_json_set(object, "worst", worst_object(layout, pattern));
    smc_json_set(object, "padding", remedy_object(&pattern->padding));
    smc_json_set(object, "narrower", narrower_object(&pattern->narrower));
    smc_json_set(object, "swizzle", remedy_object(&pattern->swizzle));
    return object;
}

void smc_json_banks(json_t *object, const struct smc_banks_answer *answer)
{
    const struct smc_banks_query *query = &answer->query;
    json_t *banks = json_object(), *block = json_array(), *list = json_array();
    smc_json_set(object, "device", smc_json_device(&query->device));
    for (int i = 0; i < 3; i++)
        json_array_append_new(block, json_integer(query->block[i]));
    smc_json_set(banks, "kernel", query->kernel ? json_string(query->kernel->name) : json_null());
    smc_json_set(banks, "block", block);
    smc_json_integer(banks, "warps_per_block", answer->warps_per_block);
    smc_json_integer(banks, "count", answer->layout.banks);
    smc_json_integer(banks, "width_bytes", answer->layout.neighbouring_words * 4);
    smc_json_set(object, "banks", banks);
    for (uint32_t i = 0; i < answer->pattern_count; i++)
        json_array_append_new(list, access_object(&answer->layout, &answer->pattern[i]));
    smc_json_set(object, "accesses", list);
}
