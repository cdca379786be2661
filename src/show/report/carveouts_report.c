/* Carve-outs: the sizes that an SM's shared memory can be set to with their percentages and
   resident blocks, the smallest size for each number of blocks, and the sizes of the older cache
   preferences; as text, JSON and CSV. */
#include <stdio.h>

#include "show/report/writers.h"

static bool has_launch(const struct smc_answer *answer)
{
    return answer->launch.threads_per_block > 0;
}

/* --- Fields ----------------------------------------------------------------------------------- */

struct carveouts_row {
    const struct smc_answer *answer;
    const struct smc_carveouts *carveouts;
    const struct smc_carveout *size;
};

static struct smc_value carveouts_percent(const struct smc_carveouts *carveouts, int32_t percent)
{
    bool is_known = carveouts->by_percent && percent != SMC_CARVEOUT_DEFAULT;
    return SMC_VALUE_IF(is_known, (uint64_t)percent);
}

static struct smc_value of_launch(const struct carveouts_row *row, uint32_t value)
{
    return SMC_VALUE_IF(has_launch(row->answer), value);
}

#define SIZE_FIELDS(FIELD)                                                                         \
    FIELD("smem_bytes", "smem_bytes", "bytes", "shared memory of the SM", item->size->smem_bytes)  \
    FIELD("l1_bytes", "l1_bytes", "bytes", "what is left for the L1 cache",                        \
          SMC_VALUE_IF(item->answer->query.device.sm.l1_smem_unified_bytes > 0,                    \
                       item->size->l1_bytes))                                                      \
    FIELD("configured_smem_bytes", "configured_smem_bytes", "bytes",                               \
          "the size raised to what one block needs",                                               \
          of_launch(item, item->size->configured_bytes))                                           \
    FIELD("blocks_per_sm", "blocks_per_sm", "blocks", "resident blocks per SM",                    \
          of_launch(item, item->size->blocks_per_sm))
#define ROW_FIELDS(FIELD)                                                                          \
    FIELD(NULL, "device", "", "the device", smc_value_text(item->answer->query.device.name))       \
    FIELD("percent_from", "percent_from", "percent", "the lowest percentage of the size",          \
          carveouts_percent(item->carveouts, item->size->percent_from))                            \
    FIELD("percent_to", "percent_to", "percent", "the highest percentage of the size",             \
          carveouts_percent(item->carveouts, item->size->percent_to))                              \
    SIZE_FIELDS(FIELD)
SMC_FIELD_TABLE(row_fields, struct carveouts_row, ROW_FIELDS)
/* A cache preference has no percentages. */
SMC_FIELD_TABLE(preference_fields, struct carveouts_row, SIZE_FIELDS)

struct smallest {
    uint32_t blocks_per_sm;
    const struct smc_carveouts *carveouts;
    const struct smc_carveout *size;
};

#define SMALLEST_FIELDS(FIELD)                                                                     \
    FIELD("blocks_per_sm", NULL, "blocks", "resident blocks per SM", item->blocks_per_sm)          \
    FIELD("smem_bytes", NULL, "bytes", "the smallest size with that many blocks",                  \
          item->size->smem_bytes)                                                                  \
    FIELD("percent", NULL, "percent", "its lowest percentage",                                     \
          carveouts_percent(item->carveouts, item->size->percent_from))
SMC_FIELD_TABLE(smallest_fields, struct smallest, SMALLEST_FIELDS)

/* --- Text ------------------------------------------------------------------------------------- */

/* "228 KB". */
static void append_kb(uint32_t bytes, struct smc_text *out)
{
    smc_text_printf(out, bytes % 1024 ? "%.1f KB" : "%.0f KB", bytes / 1024.0);
}

/* The columns that a size and a preference share: size, L1, blocks. */
static void append_columns(const struct smc_answer *answer, const struct smc_carveout *carveout,
                           struct smc_text *row)
{
    smc_auto_text smem = {0}, l1 = {0};
    append_kb(carveout->smem_bytes, &smem);
    if (answer->query.device.sm.l1_smem_unified_bytes)
        append_kb(carveout->l1_bytes, &l1);
    else
        smc_text_append(&l1, "-");
    smc_text_printf(row, " %10s %10s", smc_text_string(&smem), smc_text_string(&l1));
    if (has_launch(answer)) {
        smc_text_printf(row, " %7u", carveout->blocks_per_sm);
        if (carveout->configured_bytes > carveout->smem_bytes && carveout->blocks_per_sm) {
            smc_text_append(row, "  raised to ");
            append_kb(carveout->configured_bytes, row);
        }
    }
    smc_text_append_char(row, '\n', 1);
}

static void carveouts_append_head(const struct smc_answer *answer, const char *label,
                                  struct smc_text *out)
{
    smc_text_printf(out, "\n%-25s %10s %10s%s\n", label, "shared", "L1 left",
                    has_launch(answer) ? "  blocks" : "");
}

static void append_percentages(const struct smc_answer *answer,
                               const struct smc_carveouts *carveouts, struct smc_text *out)
{
    carveouts_append_head(answer, "carve-out, percent", out);
    for (uint32_t i = 0; i < carveouts->count; i++) {
        const struct smc_carveout *size = &carveouts->size[i];
        char range[32];
        if (size->percent_from == SMC_CARVEOUT_DEFAULT)
            snprintf(range, sizeof range, "%s", smc_smem_mode_name(size->smem_mode));
        else if (size->percent_from == size->percent_to)
            snprintf(range, sizeof range, "%d", size->percent_from);
        else
            snprintf(range, sizeof range, "%d to %d", size->percent_from, size->percent_to);
        smc_text_printf(out, "%-25s", range);
        append_columns(answer, size, out);
    }
}

static void append_preferences(const struct smc_answer *answer,
                               const struct smc_carveouts *carveouts, struct smc_text *out)
{
    carveouts_append_head(answer, "cudaFuncSetCacheConfig", out);
    for (int config = 0; config < SMC_CACHE_CONFIGS; config++) {
        smc_text_printf(out, "%-25s", smc_cache_config_name((enum smc_cache_config)config));
        append_columns(answer, &carveouts->preference[config], out);
    }
    smc_text_append_char(out, '\n', 1);
}

/* "1 block: 1 %, 8 KB; 2 to 3 blocks: 4 %, 16 KB": numbers of blocks with the same smallest size
   share an entry. */
static void append_smallest(const struct smc_answer *answer, const struct smc_carveouts *carveouts,
                            struct smc_text *out)
{
    struct smc_text line = {0};
    for (uint32_t from = 1, to; from <= carveouts->most_blocks; from = to + 1) {
        const struct smc_carveout *least = smc_carveouts_smallest(carveouts, from);
        for (to = from; to < carveouts->most_blocks; to++)
            if (smc_carveouts_smallest(carveouts, to + 1) != least)
                break;
        smc_text_append(&line, line.length ? "; " : "");
        if (to > from)
            smc_text_printf(&line, "%u to ", from);
        smc_words_blocks(to, &line);
        smc_text_append(&line, ": ");
        if (least->percent_from != SMC_CARVEOUT_DEFAULT)
            smc_text_printf(&line, "%d" SMC_TIE "%%, ", least->percent_from);
        else if (least->smem_mode == SMC_SMEM_MODE_PREFER_OVERSIZED)
            smc_text_printf(&line, "%s, ", smc_smem_mode_name(least->smem_mode));
        smc_text_printf(&line, "%.0f" SMC_TIE "KB", least->smem_bytes / 1024.0);
    }
    if (line.length == 0)
        smc_words_failure(answer, &line);
    smc_layout_line(out, "smallest", &line);
}

/* What a program can choose on this architecture. */
static const char *choice(const struct smc_answer *answer, const struct smc_carveouts *carveouts)
{
    const struct smc_sm *sm = &answer->query.device.sm;
    if (carveouts->by_percent)
        return "cudaFuncAttributePreferredSharedMemoryCarveout is a percentage, rounded up to a "
               "size that the SM has, and overrides a cache preference; cudaFuncCachePreferNone "
               "leaves the size to the driver (here the largest is assumed)";
    if (sm->l1_smem_unified_bytes > 0)
        return "only the cache preference has an effect, and it is a hint; percentages exist since "
               "CC 7.0";
    if (sm->l1_tex_separate_bytes > 0)
        return "shared memory is separate from the L1 cache: there is nothing to choose, and a "
               "cache preference has no effect";
    return "there is no L1 cache, and nothing to choose";
}

static void append_sizes(const struct smc_answer *answer, const struct smc_carveouts *carveouts,
                         struct smc_text *out)
{
    if (carveouts->by_percent)
        append_percentages(answer, carveouts, out);
    append_preferences(answer, carveouts, out);
    if (has_launch(answer))
        append_smallest(answer, carveouts, out);
}

static void append_choice(const struct smc_answer *answer, const struct smc_carveouts *carveouts,
                          struct smc_text *out)
{
    struct smc_text line = {0};
    const struct smc_sm *sm = &answer->query.device.sm;
    smc_layout_say(out, "choice", "%s", choice(answer, carveouts));
    if (sm->smem_oversized_per_sm_bytes == 0)
        return;
    smc_text_append(&line, "cudaFuncAttributeSharedMemoryMode (CUDA 13.5; --smem-mode oversized or "
                           "prefer-oversized) also allows ");
    append_kb(sm->smem_oversized_per_sm_bytes, &line);
    smc_text_printf(&line, " per SM and %u bytes per block; ", sm->smem_oversized_per_block_bytes);
    append_kb(sm->l1_smem_unified_bytes - sm->smem_oversized_per_sm_bytes, &line);
    smc_text_append(&line, " are left for L1");
    smc_layout_line(out, "oversized", &line);
}

/* Several devices each begin with their name. */
static void carveouts_append_heading(const struct smc_answer *answer, bool alone,
                                     struct smc_text *out)
{
    if (!alone) {
        smc_layout_begin(out, SMC_STRONG);
        smc_text_device_line(answer, out);
        smc_layout_end(out);
    }
    if (has_launch(answer))
        smc_text_block_line(answer, out);
    if (alone)
        smc_text_device_line(answer, out);
}

/* Devices follow one another: each has other sizes. */
void smc_text_carveouts(const struct smc_answer *answers, const struct smc_carveouts *carveouts,
                        size_t count, struct smc_text *out)
{
    bool by_percent = false;
    if (has_launch(answers)) {
        smc_text_kernel_line(answers, out);
        smc_text_append(out, count > 1 ? "\n" : "");
    }
    for (size_t i = 0; i < count; i++) {
        const struct smc_answer *answer = &answers[i], *next = i + 1 < count ? answer + 1 : NULL;
        carveouts_append_heading(answer, count == 1, out);
        append_sizes(answer, &carveouts[i], out);
        if (!next || choice(next, &carveouts[i + 1]) != choice(answer, &carveouts[i])) {
            append_choice(answer, &carveouts[i], out);
            smc_text_append(out, next ? "\n" : "");
        }
        by_percent |= carveouts[i].by_percent;
    }
    if (by_percent)
        smc_layout_say(out, "a hint",
                       "the driver may set another size: on an H200 with carve-out 0 and no shared "
                       "memory the API reported 8 blocks while 16 were resident");
}

/* --- JSON ------------------------------------------------------------------------------------- */

/* Empty without a launch: then there are no blocks. */
static json_t *smallest_list(const struct smc_answer *answer, const struct smc_carveouts *carveouts)
{
    json_t *list = json_array();
    uint32_t most = has_launch(answer) ? carveouts->most_blocks : 0;
    for (uint32_t blocks = 1; blocks <= most; blocks++) {
        const struct smallest smallest = {blocks, carveouts,
                                          smc_carveouts_smallest(carveouts, blocks)};
        json_array_append_new(list, smc_fields_object(&smallest_fields, &smallest));
    }
    return list;
}

static json_t *carveouts_object(const struct smc_answer *answer,
                                const struct smc_carveouts *carveouts)
{
    json_t *root = json_object(), *sizes = json_array(), *preferences = json_array();
    for (uint32_t i = 0; i < carveouts->count; i++) {
        const struct carveouts_row row = {answer, carveouts, &carveouts->size[i]};
        json_array_append_new(sizes, smc_fields_object(&row_fields, &row));
    }
    for (int config = 0; config < SMC_CACHE_CONFIGS; config++) {
        const struct carveouts_row row = {answer, carveouts, &carveouts->preference[config]};
        json_t *object = smc_json_add_object(preferences);
        smc_json_string(object, "name", smc_cache_config_name((enum smc_cache_config)config));
        smc_fields_json(&preference_fields, &row, object);
    }
    smc_json_set(root, "is_a_hint", json_true()); /* the driver may set another size */
    smc_json_set(root, "sizes", sizes);
    smc_json_set(root, "smallest_for_blocks", smallest_list(answer, carveouts));
    smc_json_set(root, "cache_configs", preferences);
    return root;
}

void smc_json_carveouts(json_t *root, const struct smc_answer *answers,
                        const struct smc_carveouts *carveouts, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *object = smc_json_add_object(list);
        if (has_launch(&answers[i]))
            smc_json_answer(object, &answers[i]);
        else
            smc_json_set(object, "device", smc_json_device(&answers[i].query.device));
        smc_json_set(object, "carveouts", carveouts_object(&answers[i], &carveouts[i]));
    }
    smc_json_set_answers(root, list);
}

/* --- CSV -------------------------------------------------------------------------------------- */

void smc_csv_carveouts(const struct smc_answer *answers, const struct smc_carveouts *carveouts,
                       size_t count, struct smc_text *out)
{
    smc_fields_csv_head(&row_fields, out);
    for (size_t i = 0; i < count; i++)
        for (uint32_t n = 0; n < carveouts[i].count; n++) {
            const struct carveouts_row row = {&answers[i], &carveouts[i], &carveouts[i].size[n]};
            smc_fields_csv_row(&row_fields, &row, out);
        }
}
