/* The accesses to an array that a layout places: what they cost, and the smallest padding and
   swizzle after which none has a conflict. */
#include "answers/banks_query.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* --- The question ----------------------------------------------------------------------------- */

static const char op_name[] = "option --op", layout_name[] = "option --layout",
                  threads_name[] = "option --threads-values", swizzle_name[] = "option --swizzle",
                  usual_element[] = "f16";

static enum smc_status read_accesses(const struct smc_tile_texts *texts,
                                     struct smc_tile_question *question, struct smc_error *error)
{
    struct smc_cute_layout threads;
    const char *at = texts->accesses;
    if (texts->threads_values)
        SMC_TRY(smc_cute_parse(texts->threads_values, threads_name, &threads, NULL, error));
    for (; at[strspn(at, " ;\t\r\n")]; question->access_count++) {
        if (question->access_count == SMC_TILE_ACCESSES)
            return smc_fail(error, SMC_USAGE, "%s: more than %d accesses", op_name,
                            SMC_TILE_ACCESSES);
        SMC_TRY(smc_tile_parse_access(&at, op_name, &question->tile,
                                      texts->threads_values ? &threads : NULL,
                                      &question->access[question->access_count], error));
    }
    if (question->access_count == 0)
        return smc_fail(error, SMC_USAGE, "%s: no access; such as 'st.16 rows; ldmatrix.x4'",
                        op_name);
    return SMC_OK;
}

/* The type before a declaration, "half t[16][64]", or the one given. `layout` moves past it. */
static enum smc_status read_element(const struct smc_tile_texts *texts, const char **layout,
                                    struct smc_tile_question *question, struct smc_error *error)
{
    const char *begun = texts->layout + strspn(texts->layout, " ");
    const size_t length = strcspn(begun, " ([");
    const bool is_typed = begun[length] == ' ' && isalpha((unsigned char)begun[0]) &&
                          isalpha((unsigned char)begun[length + strspn(begun + length, " ")]) &&
                          strchr(begun, '[');
    const char *given = texts->element ? texts->element : usual_element;
    if (is_typed && texts->element)
        return smc_fail(error, SMC_USAGE, "option --element: the declaration has a type already");
    snprintf(question->element, sizeof question->element, "%.*s",
             is_typed ? (int)(length < 15 ? length : 15) : 15, is_typed ? begun : given);
    *layout = is_typed ? begun + length + strspn(begun + length, " ") : begun;
    if (smc_element_bits(question->element))
        return SMC_OK;
    return smc_fail(error, SMC_USAGE,
                    "%s: '%s' is not a type such as f16, bf16, f32, f64, i8 or e4m3",
                    is_typed ? layout_name : "option --element", question->element);
}

enum smc_status smc_tile_question_read(const struct smc_tile_texts *texts,
                                       struct smc_tile_question *question, struct smc_error *error)
{
    const char *layout = texts->layout;
    *question = (struct smc_tile_question){0};
    SMC_TRY(read_element(texts, &layout, question, error));
    SMC_TRY(smc_tile_parse(layout, layout_name, smc_element_bits(question->element),
                           &question->tile, error));
    if (texts->swizzle)
        SMC_TRY(smc_tile_parse_swizzle(texts->swizzle, swizzle_name, &question->tile, error));
    return read_accesses(texts, question, error);
}

/* --- The answer ------------------------------------------------------------------------------- */

/* Counts one access; its first instruction with the most conflicts is the worst. */
static void count_pattern(const struct smc_tile *tile, const struct smc_tile_walked *walked,
                          const struct smc_tile_access *access, struct smc_banks_answer *answer,
                          struct smc_banks_pattern *pattern)
{
    *pattern = (struct smc_banks_pattern){
        .op = walked->op,
        .width_bytes = walked->width_bytes,
        .row_elements = tile->layout.leaf[0].stride,
        .steps = (uint32_t)walked->count,
        .steps_counted = (uint32_t)walked->count,
        .accesses = (uint32_t)walked->count,
        .warps_counted = 1,
    };
    snprintf(pattern->label, sizeof pattern->label, "%s", access->label);
    for (uint32_t i = 0; i < walked->count; i++) {
        struct smc_access one;
        smc_tile_access_of(tile, walked, i, &one);
        const struct smc_bank_cost cost = smc_banks_count(&answer->layout, &one),
                                   *worst = &pattern->map.cost;
        smc_bank_cost_add(&pattern->total, cost);
        if (i && cost.wavefronts - cost.least <= worst->wavefronts - worst->least)
            continue;
        pattern->worst = one;
        pattern->worst_step = i;
        smc_banks_map(&answer->layout, &one, &pattern->map);
    }
}

static enum smc_status check_known(const struct smc_banks_answer *answer,
                                   const struct smc_tile_access *access, struct smc_error *error)
{
    const struct smc_access one = {.op = access->op, .width_bytes = access->width_bytes};
    const uint16_t cc = answer->query.device.sm.cc;
    if (smc_banks_are_known(&answer->layout, &one))
        return SMC_OK;
    return smc_fail(error, SMC_USAGE,
                    "%s: '%.100s': its wavefronts are not known on compute capability %u.%u",
                    op_name, access->label, cc / 10, cc % 10);
}

static uint32_t conflicts_of(struct smc_bank_cost cost)
{
    return cost.wavefronts - cost.least;
}

enum smc_status smc_tile_answer(const struct smc_banks_query *query,
                                struct smc_banks_answer *answer, struct smc_error *error)
{
    const struct smc_tile_question *question = query->tile;
    const struct smc_tile *tile = &question->tile;
    struct smc_tile_walked walked[SMC_TILE_ACCESSES] = {{0}};
    enum smc_status status = SMC_OK;
    uint32_t conflicts = 0;
    *answer = (struct smc_banks_answer){.query = *query, .warps_per_block = 1};
    smc_bank_layout_of(&query->device.sm, query->mode, &answer->layout);
    for (uint32_t i = 0; i < question->access_count && status == SMC_OK; i++) {
        status = check_known(answer, &question->access[i], error);
        if (status == SMC_OK)
            status = smc_tile_walk(tile, &question->access[i], op_name, &walked[i], error);
        if (status != SMC_OK)
            break;
        struct smc_banks_pattern *pattern = &answer->pattern[answer->pattern_count++];
        count_pattern(tile, &walked[i], &question->access[i], answer, pattern);
        conflicts += conflicts_of(pattern->total);
        if (conflicts_of(pattern->map.cost) > conflicts_of(answer->pattern[answer->worst].map.cost))
            answer->worst = i;
    }
    if (status == SMC_OK && conflicts) {
        smc_tile_find_padding(&answer->layout, tile, walked, question->access_count,
                              &answer->tile_padding);
        smc_tile_find_swizzle(&answer->layout, tile, walked, question->access_count,
                              &answer->tile_swizzle);
    }
    for (uint32_t i = 0; i < question->access_count; i++)
        smc_tile_walked_free(&walked[i]);
    return status;
}

enum smc_status smc_tile_answer_access(const struct smc_tile_question *question,
                                       const struct smc_tile *tile, uint32_t pattern, uint32_t step,
                                       struct smc_access *access, struct smc_error *error)
{
    SMC_AUTO(smc_tile_walked_free) struct smc_tile_walked walked;
    SMC_TRY(smc_tile_walk(tile, &question->access[pattern], op_name, &walked, error));
    smc_tile_access_of(tile, &walked, step < walked.count ? step : walked.count - 1, access);
    return SMC_OK;
}
