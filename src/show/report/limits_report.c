/* The headroom of a block: for each number of resident blocks per SM, the most registers and
   dynamic shared memory that a block may use; as text, JSON and CSV. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "show/report/writers.h"

/* --- Fields ----------------------------------------------------------------------------------- */

/* Whether the row is what the kernel, with its own registers and shared memory, uses now. */
static bool is_current(const struct smc_answer *answer, const struct smc_headroom_level *level)
{
    return smc_words_is_compiled(answer) && answer->outcome == SMC_LAUNCHES &&
           answer->occupancy.blocks_per_sm == level->blocks_per_sm;
}

/* The predicted time as the kernel is now; 0: not known. */
static double present_ms(const struct smc_answer *answer, const struct smc_headroom *headroom)
{
    if (!smc_words_is_compiled(answer))
        return 0;
    for (uint32_t i = 0; i < headroom->count; i++)
        if (is_current(answer, &headroom->level[i]) && headroom->level[i].cost.predicted_ms > 0)
            return headroom->level[i].cost.predicted_ms;
    return answer->time.basis != SMC_TIME_UNKNOWN ? answer->time.predicted_ms : 0;
}

struct row {
    const struct smc_answer *answer;
    const struct smc_headroom *headroom;
    const struct smc_headroom_level *level;
    double present_ms;
    char launch_bounds[48];
};

static struct row make_row(const struct smc_answer *answer, const struct smc_headroom *headroom,
                           uint32_t i)
{
    const struct smc_headroom_level *level = &headroom->level[i];
    struct row row = {.answer = answer,
                      .headroom = headroom,
                      .level = level,
                      .present_ms = present_ms(answer, headroom)};
    snprintf(row.launch_bounds, sizeof row.launch_bounds, "__launch_bounds__(%u, %u)",
             answer->launch.threads_per_block, level->blocks_per_sm);
    return row;
}

/* How much longer than now the compiled kernel takes: 0.12 is 12 % slower. NAN: not known. */
static double change_of(const struct row *row)
{
    const double ms = row->level->cost.predicted_ms;
    return ms > 0 && row->present_ms > 0 ? ms / row->present_ms - 1 : NAN;
}

static struct smc_value cost_of(const struct row *row, uint32_t amount)
{
    return SMC_VALUE_IF(row->level->cost.is_known, amount);
}

#define ROW_FIELDS(FIELD)                                                                          \
    FIELD(NULL, "device", "", "the device", smc_value_text(item->answer->query.device.name))       \
    FIELD(NULL, "threads", "threads", "the block size", item->answer->launch.threads_per_block)    \
    FIELD(NULL, "static_smem", "bytes", "static shared memory per block",                          \
          item->answer->launch.static_smem_bytes)                                                  \
    FIELD("blocks_per_sm", "blocks_per_sm", "blocks", "resident blocks per SM",                    \
          item->level->blocks_per_sm)                                                              \
    FIELD("warps_per_sm", "warps_per_sm", "warps", "resident warps per SM",                        \
          item->level->warps_per_sm)                                                               \
    FIELD("percent", "occupancy_percent", "percent", "occupancy", item->level->percent)            \
    FIELD("most_registers_per_thread", "most_regs", "registers", "the most registers per thread",  \
          item->level->regs_per_thread)                                                            \
    FIELD("most_dynamic_smem_bytes", "most_dynamic_smem", "bytes",                                 \
          "the most dynamic shared memory per block", item->level->dynamic_smem_bytes)             \
    FIELD("launch_bounds", "launch_bounds", "", "what to write in the source",                     \
          smc_value_text(item->launch_bounds))                                                     \
    FIELD("compiled_registers_per_thread", "compiled_regs", "registers",                           \
          "what the kernel has when compiled with that bound; null where it has no more anyway, "  \
          "except as it is now with --grid",                                                       \
          cost_of(item, item->level->cost.regs_per_thread))                                        \
    FIELD("compiled_spill_store_bytes", "compiled_spill_stores", "bytes",                          \
          "its spill stores per thread then", cost_of(item, item->level->cost.spill_store_bytes))  \
    FIELD("compiled_spill_load_bytes", "compiled_spill_loads", "bytes",                            \
          "its spill loads per thread then", cost_of(item, item->level->cost.spill_load_bytes))    \
    FIELD("compiled_predicted_ms", "compiled_predicted_ms", "ms", "its predicted time then",       \
          SMC_VALUE_IF(item->level->cost.predicted_ms > 0, item->level->cost.predicted_ms))        \
    FIELD("compiled_change_percent", "compiled_change_percent", "percent",                         \
          "that time compared with the kernel as it is now; positive: slower",                     \
          SMC_VALUE_IF(!isnan(change_of(item)), 100 * change_of(item)))                            \
    FIELD("resident_clusters", "resident_clusters", "clusters",                                    \
          "with --cluster: clusters resident on the GPU at a time",                                \
          SMC_VALUE_IF(item->headroom->has_clusters, item->level->resident_clusters))              \
    FIELD("clusters_are_bound", "clusters_are_bound", "",                                          \
          "whether they may be fewer, because the groups of SMs are not known",                    \
          SMC_VALUE_IF(item->headroom->has_clusters, item->headroom->clusters_are_bound))
SMC_FIELD_TABLE(row_fields, struct row, ROW_FIELDS)

/* --- Words ------------------------------------------------------------------------------------ */

/* "saxpy: " of a kernel of a file. */
static void append_name(const struct smc_answer *answer, struct smc_text *line)
{
    if (answer->query.file_kernel)
        smc_text_printf(line, "%s: ", answer->query.file_kernel->short_name);
}

/* "256 threads, 8 warps per block; 40 registers per thread": what the search leaves as it is. */
static void limits_append_fixed(const struct smc_answer *answer,
                                const struct smc_headroom *headroom, struct smc_text *line)
{
    const struct smc_launch *launch = &answer->launch;
    smc_text_printf(line, "%u thread%s, %u warp%s per block", launch->threads_per_block,
                    smc_text_plural(launch->threads_per_block), headroom->most.warps_per_block,
                    smc_text_plural(headroom->most.warps_per_block));
    if (headroom->fixed.regs)
        smc_text_printf(line, "; %u registers per thread", launch->regs_per_thread);
    if (launch->static_smem_bytes)
        smc_text_printf(line, "; %u" SMC_TIE "B static shared memory", launch->static_smem_bytes);
    if (headroom->fixed.dynamic_smem)
        smc_text_printf(line, "; %u" SMC_TIE "B dynamic shared memory", launch->dynamic_smem_bytes);
}

/* Why not even one block can be resident. */
static void append_refusal(const struct smc_answer *answer, const struct smc_headroom *headroom,
                           struct smc_text *line)
{
    struct smc_answer refused = *answer;
    refused.occupancy = headroom->most;
    smc_words_failure(&refused, line);
}

/* "15", "<=16" */
static void append_level_clusters(const struct smc_headroom *headroom,
                                  const struct smc_headroom_level *level, struct smc_text *text)
{
    smc_text_printf(text, "%s%" PRIu64, headroom->clusters_are_bound ? "<=" : "",
                    level->resident_clusters);
}

/* --- Text: one device ------------------------------------------------------------------------- */

static void limits_append_rows(const struct smc_answer *answer, const struct smc_headroom *headroom,
                               struct smc_text *out)
{
    const bool has_clusters = headroom->has_clusters;
    smc_text_printf(out,
                    "\n  blocks   warps  occup.  registers   dynamic B%s\n"
                    "  per SM  per SM         per thread  per block%s\n",
                    has_clusters ? "  clusters  to write" : "  to write",
                    has_clusters ? "    per GPU  __launch_bounds__" : "");
    for (uint32_t i = 0; i < headroom->count; i++) {
        const struct row row = make_row(answer, headroom, i);
        bool current = is_current(answer, row.level);
        char percent[32];
        smc_auto_text line = {0}, clusters = {0};
        smc_words_percent(row.level->percent, percent);
        smc_text_printf(&line, "%c %6u %7u %7s %10u %11u", current ? '>' : ' ',
                        row.level->blocks_per_sm, row.level->warps_per_sm, percent,
                        row.level->regs_per_thread, row.level->dynamic_smem_bytes);
        if (has_clusters) {
            append_level_clusters(headroom, row.level, &clusters);
            smc_text_printf(&line, "%10s", smc_text_string(&clusters));
        }
        smc_text_printf(&line, "  %s",
                        has_clusters ? strchr(row.launch_bounds, '(') : row.launch_bounds);
        smc_layout_begin(out, current ? SMC_STRONG : SMC_PLAIN);
        smc_layout_row(out, &line);
        smc_layout_end(out);
    }
    smc_text_append_char(out, '\n', 1);
}

/* The rows with fewer registers than the kernel has, compiled so. */
static void append_costs(const struct smc_answer *answer, const struct smc_headroom *headroom,
                         struct smc_text *out)
{
    bool any = false;
    for (uint32_t i = 0; i < headroom->count; i++) {
        const struct row row = make_row(answer, headroom, i);
        const struct smc_bound_cost *cost = &row.level->cost;
        struct smc_text line = {0};
        char spills[32] = "0", time[24] = "-", change[24] = "-";
        bool repeats = i > 0 && strcmp(cost->with, row.level[-1].cost.with) == 0;
        if (!cost->is_known || repeats)
            continue;
        smc_text_append(out, any ? ""
                                 : "  blocks  registers   spills B        time   change  "
                                   "compiled with\n  per SM  per thread\n");
        any = true;
        if (cost->spill_store_bytes + cost->spill_load_bytes > 0)
            snprintf(spills, sizeof spills, "%u+%u", cost->spill_store_bytes,
                     cost->spill_load_bytes);
        if (cost->predicted_ms > 0)
            snprintf(time, sizeof time, "%.3g ms", cost->predicted_ms);
        if (!isnan(change_of(&row)) && !is_current(answer, row.level))
            snprintf(change, sizeof change, "%+.0f %%", 100 * change_of(&row));
        smc_text_printf(&line, "  %6u %11u %10s %11s %8s  %s", row.level->blocks_per_sm,
                        cost->regs_per_thread, spills, time, change, cost->with);
        smc_layout_row(out, &line);
    }
    if (any)
        smc_text_append_char(out, '\n', 1);
}

/* "216 B of spills, 8 % slower" */
static void append_price(const struct row *row, struct smc_text *line)
{
    const struct smc_bound_cost *cost = &row->level->cost;
    const uint32_t spills = cost->spill_store_bytes + cost->spill_load_bytes;
    const double percent = 100 * change_of(row);
    if (spills)
        smc_text_printf(line, "%u" SMC_TIE "B of spills, ", spills);
    else
        smc_text_append(line, "no spills, ");
    if (fabs(percent) < 0.5)
        smc_text_append(line, "as fast");
    else
        smc_text_printf(line, "%.0f" SMC_TIE "%% %s", fabs(percent),
                        percent > 0 ? "slower" : "faster");
}

/* What more blocks would buy: the fastest number of them, by the predicted times. */
static void append_fastest(const struct smc_answer *answer, const struct smc_headroom *headroom,
                           struct smc_text *out)
{
    const uint32_t now = answer->occupancy.blocks_per_sm;
    struct row next = {0}, best = {0};
    struct smc_text line = {0};
    for (uint32_t i = 0; i < headroom->count; i++) {
        const struct row row = make_row(answer, headroom, i);
        if (isnan(change_of(&row)) || row.level->blocks_per_sm <= now)
            continue;
        next = next.level ? next : row;
        best = !best.level || change_of(&row) < change_of(&best) ? row : best;
    }
    if (!next.level)
        return;
    const bool gains = 100 * change_of(&best) <= -0.5;
    if (gains)
        smc_text_printf(&line, "%u blocks per SM, %s: ", best.level->blocks_per_sm,
                        best.launch_bounds);
    else
        smc_text_printf(&line, "as it is; %u -> %u blocks: ", now, next.level->blocks_per_sm);
    append_price(gains ? &best : &next, &line);
    smc_text_append(&line, " (predicted)");
    smc_layout_line(out, "fastest", &line);
}

/* What prevents one block more, even with the least of everything that is not fixed. */
static void append_maximum(const struct smc_headroom *headroom, struct smc_text *out)
{
    struct smc_text line = {0};
    smc_words_blocks(headroom->most.blocks_per_sm, &line);
    smc_text_append(&line, " per SM");
    if (!headroom->fixed.regs && !headroom->fixed.dynamic_smem)
        smc_text_append(&line, ", however few registers and however little shared memory");
    else if (!headroom->fixed.regs)
        smc_text_append(&line, ", however few registers");
    else if (!headroom->fixed.dynamic_smem)
        smc_text_append(&line, ", however little dynamic shared memory");
    smc_text_append(&line, ": limited by ");
    smc_words_limiters(&headroom->most, &line);
    smc_layout_line(out, "maximum", &line);
}

/* The call of the first row that needs one. */
static void append_opt_in(const struct smc_answer *answer, const struct smc_headroom *headroom,
                          struct smc_text *out)
{
    struct smc_text line = {0};
    for (uint32_t i = 0; i < headroom->count && line.length == 0; i++) {
        struct smc_answer row = *answer;
        row.outcome = SMC_LAUNCHES;
        row.launch.dynamic_smem_bytes = headroom->level[i].dynamic_smem_bytes;
        if (smc_words_opt_in(&row, NULL, &line))
            smc_text_printf(&line,
                            "; in a row with more than %u" SMC_TIE "B, here that of %u per SM",
                            answer->query.device.sm.smem_per_block_default_bytes,
                            headroom->level[i].blocks_per_sm);
    }
    if (line.length > 0)
        smc_layout_line(out, "call first", &line);
}

/* Whether rows have spills, but no time. */
static bool lacks_times(const struct smc_headroom *headroom)
{
    bool has_costs = false;
    for (uint32_t i = 0; i < headroom->count; i++) {
        has_costs |= headroom->level[i].cost.is_known;
        if (headroom->level[i].cost.predicted_ms > 0)
            return false;
    }
    return has_costs;
}

static void limits_append_legend(const struct smc_answer *answer,
                                 const struct smc_headroom *headroom, struct smc_text *out)
{
    const struct smc_sm *sm = &answer->query.device.sm;
    struct smc_text line = {0};
    smc_text_append(&line, "the most with which that many blocks are resident; both columns can be "
                           "used at once");
    if (smc_words_is_compiled(answer) && answer->outcome == SMC_LAUNCHES)
        smc_text_printf(&line, "; > is the kernel now: %u registers, %u" SMC_TIE "B dynamic",
                        answer->launch.regs_per_thread, answer->launch.dynamic_smem_bytes);
    if (headroom->has_clusters)
        smc_text_printf(&line, "; clusters of %u blocks%s", answer->launch.blocks_per_cluster,
                        headroom->clusters_are_bound
                            ? " at most: 'smemcalc calibrate' finds how the SMs are grouped"
                            : "");
    if (headroom->has_clusters && answer->launch.blocks_per_cluster > sm->cluster_max_portable)
        smc_text_append(&line, ", which need cudaFuncAttributeNonPortableClusterSizeAllowed");
    if (headroom->most.limiters & 1u << SMC_LIMIT_CLUSTER)
        smc_text_printf(&line, ": an SM holds at most %d blocks of clusters",
                        SMC_MOST_CLUSTERED_BLOCKS);
    if (answer->query.file_kernel && lacks_times(headroom))
        smc_text_append(&line, "; with --grid and --arg, the launch, times are predicted");
    if (!smc_words_is_compiled(answer))
        smc_text_append(&line, "; 'limits FILE' compiles a kernel and says what fewer registers "
                               "cost it in spills");
    smc_layout_line(out, "legend", &line);
    smc_words_set_regs(&answer->resources, "after the launch ", &line);
    if (line.length) {
        smc_text_append(&line, ", of all that the block has at the launch: it waits forever if "
                               "those are too few");
        smc_layout_line(out, "registers", &line);
    }
    if (headroom->fixed.dynamic_smem || sm->smem_reserved_per_block_bytes == 0 ||
        headroom->count < 2)
        return;
    smc_layout_say(
        out, "caution",
        "before CUDA 13.5, cudaOccupancyAvailableDynamicSMemPerBlock does not count the driver's "
        "%u" SMC_TIE "B per block: for 2 or more blocks its answer is too large by that much, "
        "and fewer blocks are resident",
        sm->smem_reserved_per_block_bytes);
}

static void limits_write_verdict(const struct smc_answer *answer,
                                 const struct smc_headroom *headroom, struct smc_text *out)
{
    struct smc_text verdict = {0};
    append_name(answer, &verdict);
    if (headroom->count) {
        smc_text_append(&verdict, "up to ");
        smc_words_blocks(headroom->most.blocks_per_sm, &verdict);
        smc_text_append(&verdict, " per SM: ");
        limits_append_fixed(answer, headroom, &verdict);
    } else {
        append_refusal(answer, headroom, &verdict);
    }
    smc_layout_verdict(out, headroom->count ? SMC_GOOD : SMC_BAD, &verdict);
    smc_text_append_char(out, '\n', 1);
}

static void limits_write_one(const struct smc_answer *answer, const struct smc_headroom *headroom,
                             struct smc_text *out)
{
    limits_write_verdict(answer, headroom, out);
    smc_text_kernel_line(answer, out);
    smc_text_device_line(answer, out);
    if (smc_words_is_compiled(answer))
        smc_text_block_line(answer, out);
    if (headroom->count == 0)
        return;
    limits_append_rows(answer, headroom, out);
    append_costs(answer, headroom, out);
    append_fastest(answer, headroom, out);
    append_maximum(headroom, out);
    limits_append_legend(answer, headroom, out);
    append_opt_in(answer, headroom, out);
}

/* --- Text: several devices -------------------------------------------------------------------- */

struct compared {
    const struct smc_answer *answers;
    const struct smc_headroom *headroom;
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

static void limits_append_cell(const void *context, size_t device, size_t row,
                               struct smc_text *text)
{
    const struct compared *compared = context;
    const struct smc_headroom *headroom = &compared->headroom[device];
    if (row >= headroom->count)
        return;
    const struct smc_headroom_level *level = &headroom->level[row];
    smc_text_printf(text, "%s%u %9u", is_current(&compared->answers[device], level) ? "> " : "",
                    level->regs_per_thread, level->dynamic_smem_bytes);
}

static void limits_append_clusters_cell(const void *context, size_t device, size_t row,
                                        struct smc_text *text)
{
    const struct compared *compared = context;
    const struct smc_headroom *headroom = &compared->headroom[device];
    if (row < headroom->count && headroom->has_clusters)
        append_level_clusters(headroom, &headroom->level[row], text);
}

static void compare_maxima(const struct compared *compared, size_t count, struct smc_text *out)
{
    struct smc_text line = {0};
    for (size_t i = 0; i < count; i++) {
        const struct smc_answer *answer = &compared->answers[i];
        const struct smc_headroom *headroom = &compared->headroom[i];
        smc_text_printf(&line, "%s%s: ", i ? "; " : "", smc_device_model(&answer->query.device));
        if (headroom->count == 0) {
            append_refusal(answer, headroom, &line);
            continue;
        }
        smc_words_blocks(headroom->most.blocks_per_sm, &line);
        smc_text_append(&line, ", limited by ");
        smc_words_limiters(&headroom->most, &line);
    }
    smc_layout_line(out, "maximum", &line);
}

static void compare_legend(const struct smc_answer *answer, struct smc_text *out)
{
    struct smc_text line = {0};
    smc_text_printf(
        &line,
        "the most registers per thread and bytes of dynamic shared memory per block with "
        "which that many blocks are resident per SM; to write: __launch_bounds__(%u," SMC_TIE
        "BLOCKS)",
        answer->launch.threads_per_block);
    if (smc_words_is_compiled(answer) && answer->outcome == SMC_LAUNCHES)
        smc_text_append(&line, "; > is the kernel now");
    smc_layout_line(out, "legend", &line);
}

static void limits_write_several(const struct smc_answer *answers,
                                 const struct smc_headroom *headroom, size_t count,
                                 struct smc_text *out)
{
    const struct compared compared = {answers, headroom};
    struct smc_device_table table = {
        .context = &compared,
        .devices = count,
        .device = device_of,
        .row_head = "blocks",
        .cell_head = "regs dynamic B",
        .label = append_label,
        .cell = limits_append_cell,
    };
    bool any_clusters = false;
    for (size_t i = 0; i < count; i++) {
        table.rows = headroom[i].count > table.rows ? headroom[i].count : table.rows;
        any_clusters |= headroom[i].has_clusters;
    }
    struct smc_text fixed = {0};
    append_name(answers, &fixed);
    limits_append_fixed(answers, headroom, &fixed);
    smc_layout_verdict(out, SMC_PLAIN, &fixed);
    smc_text_append_char(out, '\n', 1);
    smc_text_kernel_line(answers, out);
    if (table.rows)
        smc_device_table(&table, out);
    table.cell_head = "clusters per GPU";
    table.cell = limits_append_clusters_cell;
    if (any_clusters) {
        smc_text_cut(out, out->length - 1); /* one empty line between the tables */
        smc_device_table(&table, out);
    }
    compare_maxima(&compared, count, out);
    compare_legend(answers, out);
}

void smc_text_limits(const struct smc_answer *answers, const struct smc_headroom *headroom,
                     size_t count, struct smc_text *out)
{
    if (count > 1)
        limits_write_several(answers, headroom, count, out);
    else
        limits_write_one(answers, headroom, out);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *headroom_object(const struct smc_answer *answer, const struct smc_headroom *headroom)
{
    json_t *object = json_object(), *fixed = json_array(), *list = json_array();
    if (headroom->fixed.regs)
        json_array_append_new(fixed, json_string("registers"));
    if (headroom->fixed.dynamic_smem)
        json_array_append_new(fixed, json_string("dynamic_smem"));
    for (uint32_t i = 0; i < headroom->count; i++) {
        const struct row row = make_row(answer, headroom, i);
        json_array_append_new(list, smc_fields_object(&row_fields, &row));
    }
    smc_json_set(object, "fixed", fixed);
    smc_json_set(object, "by_blocks", list);
    smc_json_set(object, "no_further_block", smc_json_limiters(headroom->most.limiters));
    smc_json_set(object, "refusals", smc_json_refusals(headroom->most.refusals));
    return object;
}

/* "rooms" is the older name. */
void smc_json_limits(json_t *root, const struct smc_answer *answers,
                     const struct smc_headroom *headroom, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *object = smc_json_add_object(list);
        json_t *made = headroom_object(&answers[i], &headroom[i]);
        smc_json_answer(object, &answers[i]);
        json_object_set(object, "headroom", made);
        smc_json_set(object, "rooms", made);
    }
    smc_json_set_answers(root, list);
}

/* --- CSV -------------------------------------------------------------------------------------- */

void smc_csv_limits(const struct smc_answer *answers, const struct smc_headroom *headroom,
                    size_t count, struct smc_text *out)
{
    smc_fields_csv_head(&row_fields, out);
    for (size_t i = 0; i < count; i++)
        for (uint32_t n = 0; n < headroom[i].count; n++) {
            const struct row row = make_row(&answers[i], &headroom[i], n);
            smc_fields_csv_row(&row_fields, &row, out);
        }
}
