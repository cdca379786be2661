/* The answer to a query: the verdict, what was asked, the table of limits; several devices
   compared; and every field of it in JSON and CSV. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "show/report/writers.h"

/* --- Fields ----------------------------------------------------------------------------------- */

#define WAVES_FIELDS(FIELD)                                                                        \
    FIELD("grid_blocks", NULL, "blocks", "blocks of the grid", item->waves.grid_blocks)            \
    FIELD("resident_blocks", NULL, "blocks", "blocks that the whole device holds at a time",       \
          item->waves.resident_blocks)                                                             \
    FIELD("waves", NULL, "waves", "waves, the last one included", item->waves.waves)               \
    FIELD("last_wave_blocks", NULL, "blocks", "blocks of the last wave",                           \
          item->waves.last_wave_blocks)                                                            \
    FIELD("last_wave_percent", NULL, "percent",                                                    \
          "blocks of the last wave, of what can be resident",                                      \
          100.0 * (double)item->waves.last_wave_blocks / (double)item->waves.resident_blocks)      \
    FIELD("idle_sms", NULL, "SMs", "SMs without a block in the last wave", item->waves.idle_sms)   \
    FIELD("resident_clusters", NULL, "clusters",                                                   \
          "the clusters that the device holds at a time; absent without clusters",                 \
          item->occupancy.resident_clusters ? smc_value_integer(item->occupancy.resident_clusters) \
                                            : (struct smc_value){.kind = SMC_VALUE_ABSENT})
SMC_FIELD_TABLE(waves_fields, struct smc_answer, WAVES_FIELDS)

#define BETTER_BLOCK_FIELDS(FIELD)                                                                 \
    FIELD("option", NULL, "", "tile or block", item->option)                                       \
    FIELD("size", NULL, "", "the proposed value", item->size)                                      \
    FIELD("threads_per_block", NULL, "threads", "threads per block", item->threads_per_block)      \
    FIELD("blocks_per_sm", NULL, "blocks", "resident blocks per SM", item->blocks_per_sm)          \
    FIELD("percent", NULL, "percent", "occupancy", item->percent)
SMC_FIELD_TABLE(better_block_fields, struct smc_best_block, BETTER_BLOCK_FIELDS)

struct answer_step {
    const struct smc_answer *answer;
    const struct smc_next_step *next;
};

#define STEP_FIELDS(FIELD)                                                                         \
    FIELD("resource", NULL, "", "the resource that changes",                                       \
          smc_step_resource_name(item->next->resource))                                            \
    FIELD("change", NULL, "", "by how much; negative: fewer", item->next->change)                  \
    FIELD("blocks_per_sm", NULL, "blocks", "resident blocks per SM after it",                      \
          item->next->blocks_per_sm)                                                               \
    FIELD("percent", NULL, "percent", "occupancy after it",                                        \
          smc_query_percent_after(item->answer, item->next))
SMC_FIELD_TABLE(step_fields, struct answer_step, STEP_FIELDS)

/* An answer, or why there is none: then only what was asked is known. */
struct answered {
    const struct smc_answer *answer;
    const char *why; /* NULL: there is an answer */
};

static struct smc_value answer_device_of(const struct smc_query *query)
{
    json_t *device = smc_json_device(&query->device);
    smc_json_set(device, "assumed", json_boolean(query->device_assumed));
    return smc_value_json(device);
}

static struct smc_value regs_source(const struct smc_answer *answer)
{
    const struct smc_file_kernel *kernel = answer->query.file_kernel;
    char source[96] = "given";
    if (!answer->regs_given && kernel)
        snprintf(source, sizeof source, "%s", kernel->origin_name);
    else if (!answer->regs_given)
        smc_resources_source_name(&answer->resources, source);
    return smc_value_json(smc_words_regs_known(answer) ? json_string(source) : json_null());
}

static struct smc_value smem_source(bool given, const struct smc_answer *answer)
{
    return smc_value_string(given ? "given" : smc_words_is_compiled(answer) ? "kernel" : NULL);
}

/* A file does not say how much a launch requests. */
static struct smc_value dynamic_source_of(const struct smc_answer *answer)
{
    bool given = answer->dynamic_smem_given;
    return !given && answer->query.file_kernel ? smc_value_string(NULL)
                                               : smem_source(given, answer);
}

static struct smc_value answer_compiled(const struct smc_answer *answer, uint32_t bytes)
{
    const struct smc_resources *resources = &answer->resources;
    const struct smc_file_kernel *kernel = answer->query.file_kernel;
    bool is_here = kernel ? kernel->spills_known : resources->source == SMC_RESOURCES_NVRTC;
    bool known = is_here && !resources->refused;
    return SMC_VALUE_IF(known, bytes);
}

static struct smc_value limit_of(const struct answered *item, enum smc_limit limit)
{
    uint32_t blocks = item->answer->occupancy.limit[limit];
    return SMC_VALUE_IF(!item->why && blocks != SMC_UNLIMITED, blocks);
}

static struct smc_value answer_reason_of(const struct smc_answer *answer)
{
    smc_auto_text reason = {0};
    if (answer->outcome != SMC_LAUNCHES)
        smc_words_failure(answer, &reason);
    struct smc_value value = smc_value_json(reason.length ? json_string(reason.data) : json_null());
    return value;
}

static const char *partitioned_caching_name(enum smc_partitioned_caching caching)
{
    static const char *const names[] = {
        [SMC_PARTITIONED_CACHING_OFF] = "off",
        [SMC_PARTITIONED_CACHING_ON] = "on",
        [SMC_PARTITIONED_CACHING_STRICT] = "strict",
    };
    return names[caching];
}

static struct smc_value steps_of(const struct smc_answer *answer)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < answer->next_steps.count; i++) {
        const struct answer_step step = {answer, &answer->next_steps.step[i]};
        json_array_append_new(list, smc_fields_object(&step_fields, &step));
    }
    return smc_value_json(list);
}

/* 0 where there is no launch, as the other values then. */
static uint32_t cluster_of(const struct smc_launch *launch)
{
    if (launch->threads_per_block == 0)
        return 0;
    return launch->blocks_per_cluster ? launch->blocks_per_cluster : 1;
}

static bool answer_has_time(const struct answered *item)
{
    return !item->why && smc_time_is_known(&item->answer->time);
}

static struct smc_value time_if(const struct answered *item, double ms)
{
    return SMC_VALUE_IF(answer_has_time(item), ms);
}

static struct smc_value answer_bound_by(const struct answered *item)
{
    const char *key = smc_time_term_info[item->answer->time.bound_by].key;
    return SMC_VALUE_IF(answer_has_time(item), key);
}

static struct smc_value cooperative_excess(const struct smc_answer *answer)
{
    uint64_t excess = 0;
    bool known = smc_cooperative_excess(answer, &excess);
    return SMC_VALUE_IF(known, excess);
}

static struct smc_value bins_of(const struct smc_query *query)
{
    bool has_bins = query->kernel && query->kernel->params & 1u << SMC_PARAM_BINS;
    return SMC_VALUE_IF(has_bins, query->params.value[SMC_PARAM_BINS]);
}

static struct smc_value opt_in_of(const struct smc_answer *answer)
{
    uint32_t bytes = smc_smem_to_opt_in(&answer->query.device.sm, &answer->launch);
    return SMC_VALUE_IF(bytes > 0 && answer->outcome == SMC_LAUNCHES, bytes);
}

/* The probe's are those of the run. */
static bool has_arrays(const struct smc_answer *answer)
{
    return answer->query.kernel && !answer->query.kernel->is_probe;
}

/* What follows from the launch: unknown where there is no answer. */
#define RESULT(value) SMC_VALUE_IF(!item->why, value)

#define ANSWER_FIELDS(FIELD)                                                                       \
    FIELD("device", NULL, "", "the device", answer_device_of(&item->answer->query))                \
    FIELD(NULL, "device", "", "the device's name",                                                 \
          smc_value_text(item->answer->query.device.name))                                         \
    FIELD("note", NULL, "", "how the device's name was understood",                                \
          item->answer->query.device_note)                                                         \
    FIELD("kernel.name", "kernel", "", "the kernel's name, null if only numbers are given",        \
          smc_words_kernel_name(&item->answer->query))                                             \
    FIELD("kernel." SMC_FIELD_PARAMS, SMC_FIELD_PARAMS, "",                                        \
          "the parameters that the kernel accepts", smc_value_params(&item->answer->query))        \
    FIELD("kernel.threads_per_block", "threads", "threads", "threads per block",                   \
          item->answer->launch.threads_per_block)                                                  \
    FIELD("kernel.registers_per_thread", "regs", "registers", "registers per thread",              \
          SMC_VALUE_IF(smc_words_regs_known(item->answer), item->answer->launch.regs_per_thread))  \
    FIELD("kernel.registers_source", NULL, "",                                                     \
          "such as given, nvrtc 13.0 sm_90, table nvrtc 13.0 sm_90 or assumed nvrtc 13.0 sm_75",   \
          regs_source(item->answer))                                                               \
    FIELD("kernel.registers_reason", NULL, "", "why the kernel was not compiled for this device",  \
          item->answer->resources.reason)                                                          \
    FIELD("kernel.static_smem_bytes", "static_smem", "bytes", "static shared memory per block",    \
          item->answer->launch.static_smem_bytes)                                                  \
    FIELD("kernel.static_smem_source", NULL, "", "kernel or given",                                \
          smem_source(item->answer->static_smem_given, item->answer))                              \
    FIELD("kernel.dynamic_smem_bytes", "dynamic_smem", "bytes", "dynamic shared memory per block", \
          item->answer->launch.dynamic_smem_bytes)                                                 \
    FIELD("kernel.dynamic_smem_source", NULL, "", "kernel or given",                               \
          dynamic_source_of(item->answer))                                                         \
    FIELD("launch.carveout_percent", "carveout", "percent",                                        \
          "the preferred carve-out; -1: the driver's default",                                     \
          item->answer->launch.carveout_percent)                                                   \
    FIELD("kernel.barriers_per_block", "barriers", "barriers", "barriers per block",               \
          item->answer->launch.barriers_per_block)                                                 \
    FIELD("kernel.stack_bytes", NULL, "bytes", "stack frame per thread",                           \
          answer_compiled(item->answer, item->answer->resources.stack_bytes))                      \
    FIELD("kernel.spill_store_bytes", NULL, "bytes", "spill stores per thread",                    \
          answer_compiled(item->answer, item->answer->resources.spill_store_bytes))                \
    FIELD("kernel.spill_load_bytes", NULL, "bytes", "spill loads per thread",                      \
          answer_compiled(item->answer, item->answer->resources.spill_load_bytes))                 \
    FIELD("kernel.parameter_bytes", NULL, "bytes", "the kernel's parameters together",             \
          SMC_VALUE_IF(has_arrays(item->answer), smc_plan_parameter_bytes(&item->answer->plan)))   \
    FIELD("kernel.array_bytes", NULL, "bytes", "the launch's arrays in global memory together",    \
          SMC_VALUE_IF(has_arrays(item->answer), smc_plan_array_bytes(&item->answer->plan)))       \
    FIELD("kernel.block_dim", NULL, "threads", "x, y and z of a block",                            \
          smc_value_extent(item->answer->plan.block))                                              \
    FIELD("kernel.grid_dim", NULL, "blocks", "x, y and z of the grid",                             \
          smc_value_extent(item->answer->plan.grid))                                               \
    FIELD("kernel.grid_blocks", NULL, "blocks", "blocks of the grid",                              \
          smc_value_known(item->answer->plan.grid_blocks))                                         \
    FIELD("launch.cache_config", NULL, "", "the cache preference: none, shared, l1 or equal",      \
          smc_words_cache_config(item->answer->launch.cache_config))                               \
    FIELD("launch.blocks_per_cluster", "cluster", "blocks", "blocks per cluster",                  \
          cluster_of(&item->answer->launch))                                                       \
    FIELD("launch.smem_mode", "smem_mode", "", "the shared-memory mode, as of --smem-mode",        \
          smc_smem_mode_name(item->answer->launch.smem_mode))                                      \
    FIELD("launch.virtual_resources", NULL, "", "virtual resources per block",                     \
          item->answer->launch.virtual_resources)                                                  \
    FIELD("occupancy.outcome", NULL, "", "launches, cannot_compile or cannot_launch",              \
          smc_outcome_name(item->answer->outcome))                                                 \
    FIELD("occupancy.blocks_per_sm", "blocks_per_sm", "blocks", "resident blocks per SM",          \
          RESULT(item->answer->occupancy.blocks_per_sm))                                           \
    FIELD("occupancy.warps_per_sm", "warps_per_sm", "warps", "resident warps per SM",              \
          RESULT(item->answer->occupancy.warps_per_sm))                                            \
    FIELD("occupancy.percent", "occupancy_percent", "percent", "occupancy",                        \
          RESULT(item->answer->occupancy_percent))                                                 \
    FIELD("occupancy.limiters", "limiters", "", "the limits that bind",                            \
          RESULT(smc_value_limiters(item->answer->occupancy.limiters)))                            \
    FIELD("occupancy.limits.warps", "limit_warps", "blocks", "blocks per SM that the warps allow", \
          limit_of(item, SMC_LIMIT_WARPS))                                                         \
    FIELD("occupancy.limits.blocks", "limit_blocks", "blocks", "block slots of an SM",             \
          limit_of(item, SMC_LIMIT_BLOCKS))                                                        \
    FIELD("occupancy.limits.registers", "limit_registers", "blocks",                               \
          "blocks per SM that the registers allow", limit_of(item, SMC_LIMIT_REGISTERS))           \
    FIELD("occupancy.limits.shared_memory", "limit_shared_memory", "blocks",                       \
          "blocks per SM that shared memory allows", limit_of(item, SMC_LIMIT_SHARED_MEMORY))      \
    FIELD("occupancy.limits.barriers", "limit_barriers", "blocks",                                 \
          "blocks per SM that the barriers allow", limit_of(item, SMC_LIMIT_BARRIERS))             \
    FIELD("occupancy.limits.virtual_resources", NULL, "blocks",                                    \
          "blocks per SM that virtual resources allow",                                            \
          limit_of(item, SMC_LIMIT_VIRTUAL_RESOURCES))                                             \
    FIELD("occupancy.limits.cluster", NULL, "blocks", "blocks per SM that the cluster allows",     \
          limit_of(item, SMC_LIMIT_CLUSTER))                                                       \
    FIELD("occupancy.refusals", NULL, "", "the rules that are broken",                             \
          smc_json_refusals(item->answer->occupancy.refusals))                                     \
    FIELD("occupancy.refusal_reason", NULL, "", "the same as a sentence; null if it launches",     \
          answer_reason_of(item->answer))                                                          \
    FIELD("occupancy.allocated.registers_per_block", "allocated_registers", "registers",           \
          "allocated per block, with rounding",                                                    \
          RESULT(item->answer->occupancy.regs_allocated_per_block))                                \
    FIELD("occupancy.allocated.smem_bytes_per_block", "allocated_smem", "bytes",                   \
          "allocated per block, with rounding and the driver's reserve",                           \
          RESULT(item->answer->occupancy.smem_allocated_per_block_bytes))                          \
    FIELD("occupancy.carveout_bytes", NULL, "bytes",                                               \
          "the shared memory that the SM is configured with",                                      \
          item->answer->occupancy.smem_configured_bytes)                                           \
    FIELD("occupancy.partitioned_caching", NULL, "",                                               \
          "partitioned global caching in effect: off, on or strict",                               \
          partitioned_caching_name(item->answer->occupancy.partitioned_caching))                   \
    FIELD("next_steps", NULL, "", "the nearest changes that gain or lose a block",                 \
          steps_of(item->answer))                                                                  \
    FIELD("better_block", NULL, "", "the tile or block that best proposes",                        \
          SMC_VALUE_IF(item->answer->better_block.option,                                          \
                       smc_fields_object(&better_block_fields, &item->answer->better_block)))      \
    FIELD("waves", NULL, "", "the waves of the grid",                                              \
          SMC_VALUE_IF(item->answer->has_waves, smc_fields_object(&waves_fields, item->answer)))   \
    FIELD("workload", NULL, "", "the work of the launch", smc_json_workload(item->answer))         \
    FIELD("time", NULL, "", "the predicted time of the launch; null if there is none",             \
          smc_json_time(item->answer, 0))                                                          \
    FIELD("time_reason", NULL, "", "why no time is predicted; null if one is",                     \
          item->answer->time.reason)                                                               \
    FIELD(NULL, "error", "", "why there is no answer", item->why)                                  \
    FIELD(NULL, "predicted_ms", "ms", "the predicted time of one launch",                          \
          time_if(item, item->answer->time.predicted_ms))                                          \
    FIELD(NULL, "low_ms", "ms", "the low end of its range",                                        \
          time_if(item, item->answer->time.low_ms))                                                \
    FIELD(NULL, "high_ms", "ms", "the high end", time_if(item, item->answer->time.high_ms))        \
    FIELD(NULL, "bound_by", "", "what bounds it", answer_bound_by(item))                           \
    FIELD(                                                                                         \
        "launch.opt_in_bytes", NULL, "bytes",                                                      \
        "what cudaFuncAttributeMaxDynamicSharedMemorySize must be set to before the launch; null " \
        "if nothing",                                                                              \
        opt_in_of(item->answer))                                                                   \
    FIELD("occupancy.cooperative_excess_blocks", "cooperative_excess", "blocks",                   \
          "blocks that a cooperative grid has too many; 0: it fits; null without --cooperative, "  \
          "or where the device's SMs are not known",                                               \
          cooperative_excess(item->answer))                                                        \
    FIELD("occupancy.resident_clusters", "resident_clusters", "clusters",                          \
          "clusters that the whole device holds at a time; null without clusters, or where its "   \
          "SMs are not known",                                                                     \
          smc_value_known(item->answer->occupancy.resident_clusters))                              \
    FIELD("occupancy.clusters_are_bound", "clusters_are_bound", "",                                \
          "whether they may be fewer, since the groups of its SMs are not known",                  \
          RESULT(item->answer->occupancy.clusters_are_bound))                                      \
    FIELD("launch.tmem_columns_per_block", NULL, "columns",                                        \
          "columns of Tensor Memory per block; 0: none",                                           \
          item->answer->launch.tmem_columns_per_block)                                             \
    FIELD("occupancy.tmem_blocks_per_sm", NULL, "blocks",                                          \
          "resident blocks per SM that have their Tensor Memory at a time, while the others wait " \
          "for it; null without any",                                                              \
          smc_value_known(item->answer->occupancy.tmem_blocks_per_sm))                             \
    FIELD(NULL, "bins", "bins", "--bins, of a kernel that accepts it",                             \
          bins_of(&item->answer->query))
SMC_FIELD_TABLE(answer_fields, struct answered, ANSWER_FIELDS)

const struct smc_field_table smc_answer_tables[] = {
    {"query", &answer_fields},
    {"next_steps", &step_fields},
    {"better_block", &better_block_fields},
    {"waves", &waves_fields},
    {NULL, NULL},
};

/* --- Text: one answer ------------------------------------------------------------------------- */

static void append_clustered_verdict(const struct smc_answer *answer, struct smc_text *verdict)
{
    const struct smc_occupancy *occupancy = &answer->occupancy;
    const struct smc_sm *sm = &answer->query.device.sm;
    const struct smc_occupancy clustered = {.warps_per_sm = SMC_MOST_CLUSTERED_BLOCKS *
                                                            occupancy->warps_per_block};
    smc_words_blocks(SMC_MOST_CLUSTERED_BLOCKS, verdict);
    smc_text_append(verdict, " per SM in clusters, occupancy ");
    smc_layout_percent(verdict, smc_occupancy_percent(sm, &clustered));
    smc_text_printf(verdict, " (%u/%u warps); without clusters %u, limited by ",
                    clustered.warps_per_sm, sm->max_warps_per_sm, occupancy->blocks_per_sm);
    smc_words_limiters(occupancy, verdict);
    smc_words_estimated(answer, verdict);
}

static void answer_append_verdict(const struct smc_answer *answer, struct smc_text *out)
{
    struct smc_text verdict = {0};
    const struct smc_occupancy *occupancy = &answer->occupancy;
    bool launches = answer->outcome == SMC_LAUNCHES;
    if (launches && smc_words_is_clustered(answer)) {
        append_clustered_verdict(answer, &verdict);
    } else if (launches) {
        smc_words_blocks(occupancy->blocks_per_sm, &verdict);
        smc_text_append(&verdict, " per SM, occupancy ");
        smc_layout_percent(&verdict, answer->occupancy_percent);
        smc_text_printf(&verdict, " (%u/%u warps), limited by ", occupancy->warps_per_sm,
                        answer->query.device.sm.max_warps_per_sm);
        smc_words_limiters(occupancy, &verdict);
        smc_words_estimated(answer, &verdict);
    } else {
        smc_words_failure(answer, &verdict);
    }
    smc_layout_verdict(out, launches ? SMC_GOOD : SMC_BAD, &verdict);
    smc_text_append_char(out, '\n', 1);
}

void smc_text_kernel_line(const struct smc_answer *answer, struct smc_text *out)
{
    struct smc_text line = {0};
    if (answer->query.kernel) {
        smc_text_printf(&line, "%s: ", answer->query.kernel->name);
        smc_words_params(answer, &line);
    } else if (answer->query.file_kernel) {
        smc_words_file_kernel(answer->query.file_kernel, &line);
    } else {
        smc_text_append(&line, "your own (threads and shared memory as given)");
    }
    smc_layout_line(out, "kernel", &line);
}

void smc_text_device_line(const struct smc_answer *answer, struct smc_text *out)
{
    static const char *const sources[] = {
        [SMC_DEVICE_TABLE] = "built-in table",
        [SMC_DEVICE_LIVE] = "this machine's",
        [SMC_DEVICE_FILE] = "from a file",
    };
    struct smc_text line = {0};
    const struct smc_device *device = &answer->query.device;
    smc_text_append(&line, device->name);
    if (device->sm_count)
        smc_text_printf(&line, ", CC %d.%d, %u SM%s", device->sm.cc / 10, device->sm.cc % 10,
                        device->sm_count, smc_text_plural(device->sm_count));
    smc_text_printf(&line, " (%s)", sources[device->source]);
    smc_words_assumed(&answer->query, &line);
    smc_layout_line(out, "device", &line);
}

void smc_text_block_line(const struct smc_answer *answer, struct smc_text *out)
{
    struct smc_text line = {0};
    const uint32_t *block = answer->plan.block;
    if (block[2] > 1)
        smc_text_printf(&line, "%u x %u x %u = ", block[0], block[1], block[2]);
    else if (block[1] > 1)
        smc_text_printf(&line, "%u x %u = ", block[0], block[1]);
    smc_text_printf(&line, "%u thread%s, %u warp%s; ", answer->launch.threads_per_block,
                    smc_text_plural(answer->launch.threads_per_block),
                    answer->occupancy.warps_per_block,
                    smc_text_plural(answer->occupancy.warps_per_block));
    if (!smc_words_regs_known(answer)) {
        smc_text_append(&line, smc_words_is_compiled(answer)
                                   ? "registers unknown, as it does not compile"
                                   : "registers not given (--regs), so not counted");
    } else {
        char source[SMC_REGS_SOURCE_CHARS];
        smc_words_regs_source(answer, source);
        smc_text_printf(&line, "%u register%s per thread (%s)", answer->launch.regs_per_thread,
                        smc_text_plural(answer->launch.regs_per_thread), source);
        smc_words_set_regs(&answer->resources, "; after the launch ", &line);
    }
    if (answer->resources.spill_store_bytes || answer->resources.spill_load_bytes)
        smc_text_printf(&line, "; spills %u B stored, %u B loaded",
                        answer->resources.spill_store_bytes, answer->resources.spill_load_bytes);
    if (answer->launch.smem_mode != SMC_SMEM_MODE_DEFAULT)
        smc_text_printf(&line, "; shared-memory mode %s",
                        smc_smem_mode_name(answer->launch.smem_mode));
    smc_layout_line(out, "block", &line);
}

/* "4 x 2", "8": without the dimensions that are 1. */
static void append_cluster_shape(const struct smc_launch *launch, struct smc_text *line)
{
    const uint32_t *shape = launch->cluster;
    if (shape[0] == 0)
        smc_text_printf(line, "%u", launch->blocks_per_cluster);
    else
        smc_words_extent(shape, " x ", line);
}

/* "15 of 4 x 2 blocks at a time, 120 blocks". */
static void append_clusters(const struct smc_answer *answer, struct smc_text *out)
{
    const struct smc_occupancy *occupancy = &answer->occupancy;
    const struct smc_launch *launch = &answer->launch;
    struct smc_text line = {0};
    if (launch->blocks_per_cluster <= 1 || answer->outcome != SMC_LAUNCHES)
        return;
    if (occupancy->resident_clusters > 0)
        smc_text_printf(&line, "%s%" PRIu64 " ", occupancy->clusters_are_bound ? "at most " : "",
                        occupancy->resident_clusters);
    smc_text_append(&line, "of ");
    append_cluster_shape(launch, &line);
    if (occupancy->resident_clusters > 0)
        smc_text_printf(&line, " blocks at a time, %" PRIu64 " blocks", occupancy->resident_blocks);
    else
        smc_text_append(&line, " blocks; name a board for how many at a time");
    if (occupancy->clusters_are_bound)
        smc_text_append(&line, "; fewer where groups of SMs are no multiples of it, which "
                               "'smemcalc calibrate' finds out");
    else if (smc_words_is_clustered(answer))
        smc_text_printf(&line, ": of clusters an SM holds %d blocks, not %u",
                        SMC_MOST_CLUSTERED_BLOCKS, occupancy->blocks_per_sm);
    if (launch->blocks_per_cluster > answer->query.device.sm.cluster_max_portable)
        smc_text_append(&line, "; needs cudaFuncAttributeNonPortableClusterSizeAllowed");
    smc_layout_line(out, "clusters", &line);
}

static void append_tensor_memory(const struct smc_answer *answer, struct smc_text *out)
{
    struct smc_text line = {0};
    smc_words_tensor_memory(answer, &line);
    if (line.length > 0)
        smc_layout_line(out, "tensor mem.", &line);
}

static void answer_append_grid(const struct smc_answer *answer, struct smc_text *out)
{
    if (!answer->has_waves)
        return;
    struct smc_text line = {0};
    const struct smc_waves *waves = &answer->waves;
    smc_text_printf(&line, "%" PRIu64 " block%s", waves->grid_blocks,
                    smc_text_plural(waves->grid_blocks));
    if (answer->occupancy.resident_clusters > 0)
        smc_text_printf(&line, " in %" PRIu64 " clusters",
                        waves->grid_blocks / answer->launch.blocks_per_cluster);
    smc_text_printf(&line, " on %u SM%s: ", answer->query.device.sm_count,
                    smc_text_plural(answer->query.device.sm_count));
    if (waves->waves == 1)
        smc_text_printf(&line, "1 wave (%" PRIu64 " blocks fit at a time)", waves->resident_blocks);
    else
        smc_text_printf(&line, "%" PRIu64 " waves of %" PRIu64 ", the last of %" PRIu64,
                        waves->waves, waves->resident_blocks, waves->last_wave_blocks);
    if (waves->idle_sms)
        smc_text_printf(&line, "; %u SM%s idle%s", waves->idle_sms,
                        smc_text_plural(waves->idle_sms), waves->waves == 1 ? "" : " in the last");
    smc_layout_line(out, "grid", &line);
}

/* --- Text: the table of limits ---------------------------------------------------------------- */

enum { HOW_WIDTH = 24, FIXED_WIDTH = 65, SHARE_WIDTH = 7 };

/* What one block uses of a resource, and what the SM has. */
struct demand {
    uint64_t amount, capacity;
    const char *unit;
    char how[64];
};

static void describe_registers(const struct smc_answer *answer, struct demand *demand)
{
    const struct smc_occupancy *occupancy = &answer->occupancy;
    const struct smc_sm *sm = &answer->query.device.sm;
    uint32_t regs = answer->launch.regs_per_thread;
    demand->amount = occupancy->regs_allocated_per_block;
    demand->capacity = sm->regs_per_sm;
    if (!smc_words_regs_known(answer)) {
        snprintf(demand->how, sizeof demand->how, "not known");
        return;
    }
    if (sm->regs_allocated_per_block) {
        snprintf(demand->how, sizeof demand->how, "%u per thread, unit %u", regs,
                 sm->reg_alloc_unit);
        return;
    }
    uint32_t each = occupancy->regs_allocated_per_warp / sm->warp_size;
    if (each == regs)
        snprintf(demand->how, sizeof demand->how, "%u per thread", regs);
    else
        snprintf(demand->how, sizeof demand->how, "%u -> %u per thread", regs, each);
}

static void describe_smem(const struct smc_answer *answer, struct demand *demand)
{
    const struct smc_launch *launch = &answer->launch;
    const struct smc_sm *sm = &answer->query.device.sm;
    uint32_t reserved = sm->smem_reserved_per_block_bytes;
    uint64_t sum = (uint64_t)launch->static_smem_bytes + launch->dynamic_smem_bytes + reserved;
    demand->amount = answer->occupancy.smem_allocated_per_block_bytes;
    demand->capacity = answer->occupancy.smem_configured_bytes;
    demand->unit = " B";
    bool rounded = demand->amount != sum;
    smc_auto_text how = {0};
    if (launch->dynamic_smem_bytes == 0 || launch->static_smem_bytes)
        smc_text_printf(&how, "%u%s", launch->static_smem_bytes,
                        reserved || rounded || launch->dynamic_smem_bytes ? "" : " static");
    if (launch->dynamic_smem_bytes)
        smc_text_printf(&how, "%s%u%s", how.length ? " + " : "", launch->dynamic_smem_bytes,
                        how.length || rounded ? "" : " dynamic");
    if (reserved)
        smc_text_printf(&how, " + %u%s", reserved,
                        rounded || launch->dynamic_smem_bytes ? "" : " reserved");
    if (rounded)
        smc_text_printf(&how, ", unit %u", sm->smem_alloc_unit_bytes);
    if (how.length <= HOW_WIDTH) /* --explain has the sum in full */
        snprintf(demand->how, sizeof demand->how, "%s", smc_text_string(&how));
}

static void answer_describe(const struct smc_answer *answer, enum smc_limit limit,
                            struct demand *demand)
{
    const struct smc_sm *sm = &answer->query.device.sm;
    *demand = (struct demand){.unit = ""};
    switch (limit) {
    case SMC_LIMIT_WARPS:
        demand->amount = answer->occupancy.warps_per_block;
        demand->capacity = sm->max_warps_per_sm;
        snprintf(demand->how, sizeof demand->how, "%u threads / %u",
                 answer->launch.threads_per_block, sm->warp_size);
        return;
    case SMC_LIMIT_REGISTERS:
        describe_registers(answer, demand);
        return;
    case SMC_LIMIT_SHARED_MEMORY:
        describe_smem(answer, demand);
        return;
    case SMC_LIMIT_BLOCKS:
        demand->amount = 1;
        demand->capacity = sm->max_blocks_per_sm;
        return;
    case SMC_LIMIT_BARRIERS:
        demand->amount = answer->launch.barriers_per_block;
        demand->capacity = sm->barriers_per_sm;
        return;
    case SMC_LIMIT_VIRTUAL_RESOURCES:
        demand->amount = answer->launch.virtual_resources;
        demand->capacity = sm->virtual_resources_per_sm;
        return;
    case SMC_LIMIT_CLUSTER:
    case SMC_LIMIT_COUNT:
        return;
    }
}

/* How much of the resource the resident blocks use; bars only where there is something to see. */
static void answer_append_share(const struct demand *demand, uint32_t blocks, struct smc_text *out)
{
    if (blocks == 0 || demand->amount == 0 || demand->capacity == 0)
        return;
    double share = (double)demand->amount * blocks / (double)demand->capacity;
    unsigned width = out->style->columns - FIXED_WIDTH - SHARE_WIDTH;
    width = width > 24 ? 24 : width;
    smc_text_append_char(out, ' ', 1);
    smc_layout_bar(out, share, width, out->style->utf8);
    smc_text_printf(out, " %3.0f %%", 100 * share);
}

static void answer_append_row(const struct smc_answer *answer, enum smc_limit limit,
                              struct smc_text *out)
{
    const struct smc_occupancy *occupancy = &answer->occupancy;
    struct demand demand;
    answer_describe(answer, limit, &demand);
    bool binds = occupancy->limiters & 1u << limit;
    char blocks[16] = "-", amount[32] = "", capacity[32] = "";
    if (occupancy->limit[limit] != SMC_UNLIMITED)
        snprintf(blocks, sizeof blocks, "%u", occupancy->limit[limit]);
    if (demand.amount)
        snprintf(amount, sizeof amount, "%" PRIu64 "%s", demand.amount, demand.unit);
    if (demand.capacity)
        snprintf(capacity, sizeof capacity, "%" PRIu64 "%s", demand.capacity, demand.unit);
    struct smc_text line = {.style = out->style};
    smc_text_printf(&line, "%-13s %c%5s %9s  %-*s %8s", smc_words_short_label(limit),
                    binds ? '>' : ' ', blocks, amount, HOW_WIDTH, demand.how, capacity);
    answer_append_share(&demand, occupancy->blocks_per_sm, &line);
    if (binds)
        smc_layout_begin(out, SMC_STRONG);
    smc_layout_row(out, &line);
    if (binds)
        smc_layout_end(out);
}

void smc_text_answer_limits(const struct smc_answer *answer, struct smc_text *out)
{
    bool resident = answer->occupancy.blocks_per_sm > 0;
    smc_text_printf(out, "%-13s %6s %9s  %-*s %8s%s\n", "", "blocks", "a block", HOW_WIDTH, "takes",
                    "of an SM", resident ? " in use" : "");
    for (int i = 0; i < SMC_LIMIT_COUNT; i++) {
        bool always = i == SMC_LIMIT_REGISTERS || i == SMC_LIMIT_SHARED_MEMORY;
        if (always || answer->occupancy.limit[i] != SMC_UNLIMITED)
            answer_append_row(answer, (enum smc_limit)i, out);
    }
}

/* What the registers that were given cost the kernel. */
static void append_regs_cost(const struct smc_answer *answer, struct smc_text *out)
{
    struct smc_text line = {0};
    const struct smc_bound_cost *cost = &answer->regs_cost;
    if (!cost->is_known)
        return;
    smc_text_printf(&line, "compiled with %s: %u registers per thread, ", cost->with,
                    cost->regs_per_thread);
    if (cost->spill_store_bytes + cost->spill_load_bytes == 0)
        smc_text_append(&line, "nothing spilled");
    else
        smc_text_printf(&line, "spills %u" SMC_TIE "B stored, %u" SMC_TIE "B loaded per thread",
                        cost->spill_store_bytes, cost->spill_load_bytes);
    if (cost->predicted_ms > 0)
        smc_text_printf(&line, "; %.3g" SMC_TIE "ms predicted", cost->predicted_ms);
    smc_layout_line(out, "bound", &line);
}

static void answer_write_one(const struct smc_answer *answer, struct smc_text *out)
{
    answer_append_verdict(answer, out);
    smc_text_kernel_line(answer, out);
    smc_text_device_line(answer, out);
    smc_text_block_line(answer, out);
    append_clusters(answer, out);
    append_tensor_memory(answer, out);
    answer_append_grid(answer, out);
    smc_text_opt_in_line(answer, NULL, out);
    smc_text_cooperative_line(answer, out);
    smc_text_time_line(answer, out);
    append_regs_cost(answer, out);
    smc_text_append_char(out, '\n', 1);
    smc_text_answer_limits(answer, out);
    smc_text_append_char(out, '\n', 1);
    smc_text_advice(answer, out);
}

/* --- Text: devices compared ------------------------------------------------------------------- */

enum { NAME_WIDTH = 26, LEFT_WIDTH = 31, TIME_WIDTH = 9 };

struct answer_compared {
    int name_width;
    bool times; /* one device or more has a predicted time */
};

static const char *short_name(const char *name)
{
    static const char brand[] = "NVIDIA ";
    size_t length = sizeof brand - 1;
    return strncmp(name, brand, length) == 0 ? name + length : name;
}

static struct answer_compared answer_find_columns(const struct smc_answer *answers, size_t count)
{
    struct answer_compared columns = {.name_width = NAME_WIDTH};
    int longest = (int)strlen("device");
    for (size_t i = 0; i < count; i++) {
        int length = smc_utf8_string_columns(short_name(answers[i].query.device.name));
        longest = length > longest ? length : longest;
        columns.times |= smc_time_is_known(&answers[i].time);
    }
    if (columns.times && longest < NAME_WIDTH)
        columns.name_width = longest;
    return columns;
}

static void answer_append_device(const struct smc_answer *answer,
                                 const struct answer_compared *columns, struct smc_text *out)
{
    const struct smc_device *device = &answer->query.device;
    smc_auto_text left = {0}, right = {0};
    char percent[32], regs[16] = "-", time[24];
    smc_words_percent(answer->occupancy_percent, percent);
    if (smc_words_regs_known(answer))
        snprintf(regs, sizeof regs, "%s%u", smc_words_estimated_mark(answer),
                 answer->launch.regs_per_thread);
    smc_text_cell(&left, short_name(device->name), -columns->name_width);
    smc_text_printf(&left, " %2d.%d %4s %6u %6u %7s", device->sm.cc / 10, device->sm.cc % 10, regs,
                    answer->launch.static_smem_bytes + answer->launch.dynamic_smem_bytes,
                    answer->occupancy.blocks_per_sm, percent);
    smc_words_time_cell(answer->time.predicted_ms, time);
    if (columns->times)
        smc_text_printf(&left, " %*s", TIME_WIDTH - 1, time);
    if (answer->outcome == SMC_LAUNCHES)
        smc_words_limiters(&answer->occupancy, &right);
    else
        smc_words_failure(answer, &right);
    smc_layout_paragraph(out, smc_text_string(&left),
                         LEFT_WIDTH + 3 + (size_t)columns->name_width +
                             (columns->times ? TIME_WIDTH : 0),
                         smc_text_string(&right), out->style->columns);
}

/* Where each register count comes from. */
static void answer_append_sources(const struct smc_answer *answers, size_t count,
                                  struct smc_text *out)
{
    struct smc_text line = {0};
    for (size_t i = 0; i < count; i++) {
        char source[SMC_REGS_SOURCE_CHARS];
        if (answers[i].regs_given || !smc_words_regs_known(&answers[i]))
            continue;
        smc_words_regs_source(&answers[i], source);
        smc_text_printf(&line, "%s%s %s", line.length ? "; " : "",
                        short_name(answers[i].query.device.name), source);
    }
    if (line.length == 0)
        smc_text_append(&line, answers->regs_given ? "given" : "not known, not counted");
    for (size_t i = 0; i < count; i++)
        if (smc_words_estimated_mark(&answers[i])[0]) {
            smc_text_append(&line, "; ~ is an estimate");
            break;
        }
    smc_text_append_char(out, '\n', 1);
    smc_layout_line(out, "registers", &line);
}

/* "of 8 blocks at a time: H200 15, H100 NVL at most 16". */
static void answer_append_all_clusters(const struct smc_answer *answers, size_t count,
                                       struct smc_text *out)
{
    struct smc_text line = {0};
    for (size_t i = 0; i < count; i++) {
        const struct smc_occupancy *occupancy = &answers[i].occupancy;
        if (occupancy->resident_clusters == 0)
            continue;
        if (line.length == 0)
            smc_text_printf(&line,
                            "of %u blocks at a time: ", answers[i].launch.blocks_per_cluster);
        else
            smc_text_append(&line, ", ");
        smc_text_printf(&line, "%s %s%" PRIu64, short_name(answers[i].query.device.name),
                        occupancy->clusters_are_bound ? "at most " : "",
                        occupancy->resident_clusters);
    }
    smc_layout_line(out, "clusters", &line);
}

static void answer_write_comparison(const struct smc_answer *answers, size_t count,
                                    struct smc_text *out)
{
    struct smc_text line = {0};
    const struct answer_compared columns = answer_find_columns(answers, count);
    if (answers->query.kernel) {
        smc_text_printf(&line, "%s: ", answers->query.kernel->name);
        smc_words_params(answers, &line);
        smc_text_append(&line, "; ");
    }
    smc_text_printf(&line, "%u threads per block", answers->launch.threads_per_block);
    smc_layout_text(out, 0, &line);
    smc_text_printf(out, "\n%-*s %4s %4s %6s %6s %7s%*s  %s\n", columns.name_width, "device", "CC",
                    "regs", "smem B", "blocks", "occup.", columns.times ? TIME_WIDTH : 0,
                    columns.times ? "time ms" : "", "limited by");
    for (size_t i = 0; i < count; i++)
        answer_append_device(&answers[i], &columns, out);
    answer_append_sources(answers, count, out);
    answer_append_all_clusters(answers, count, out);
}

void smc_text_answers(const struct smc_answer *answers, size_t count, struct smc_text *out)
{
    if (count > 1)
        answer_write_comparison(answers, count, out);
    else
        answer_write_one(answers, out);
    for (size_t i = 0; i < count && out->style->explain; i++)
        smc_text_explain(&answers[i], out);
}

/* --- JSON and CSV ----------------------------------------------------------------------------- */

void smc_json_answer(json_t *object, const struct smc_answer *answer)
{
    const struct answered answered = {answer, NULL};
    smc_fields_json(&answer_fields, &answered, object);
}

void smc_json_occupancy(json_t *object, const struct smc_answer *answer)
{
    const struct answered answered = {answer, NULL};
    for (const struct smc_report_field *field = answer_fields.row; field->meaning; field++) {
        const char *key = field->key ? field->key : "";
        if (strncmp(key, "occupancy.", 10) != 0 && strcmp(key, "next_steps") != 0 &&
            strcmp(key, "waves") != 0)
            continue;
        const struct smc_value value =
            answer_fields.read((size_t)(field - answer_fields.row), &answered);
        smc_value_to_json(&value, key, object);
    }
}

void smc_csv_answers(const struct smc_answer *answers, size_t count, struct smc_text *out)
{
    smc_csv_answer_head(out);
    for (size_t i = 0; i < count; i++)
        smc_csv_answer(&answers[i], NULL, out);
}

void smc_csv_answer_head(struct smc_text *out)
{
    smc_fields_csv_head(&answer_fields, out);
}

void smc_csv_answer(const struct smc_answer *answer, const char *why, struct smc_text *out)
{
    const struct answered answered = {answer, why};
    smc_fields_csv_row(&answer_fields, &answered, out);
}
