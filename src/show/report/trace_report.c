/* A trace: every kernel that a program launched, with the model's answer for each configuration; as
   text, JSON and CSV. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "show/report/writers.h"
#include "show/words/kernel_names.h"

/* --- Fields ----------------------------------------------------------------------------------- */

/* 16x16x1 */
static struct smc_value shape(const uint32_t size[3])
{
    char text[40];
    snprintf(text, sizeof text, "%ux%ux%u", size[0], size[1], size[2]);
    return SMC_VALUE_IF(size[0] > 0, smc_value_copy(text));
}

/* Unknown where it is negative. */
static struct smc_value recorded(int64_t number)
{
    return SMC_VALUE_IF(number >= 0, (uint64_t)number);
}

static struct smc_value recorded_real(double number)
{
    return SMC_VALUE_IF(number >= 0, number);
}

static struct smc_value milliseconds(const struct smc_trace_launch *launch, double ns)
{
    return SMC_VALUE_IF(launch->timed_launches > 0, ns / 1e6);
}

static struct smc_value cache_config(int32_t config)
{
    const bool known = config >= SMC_CACHE_PREFER_NONE && config <= SMC_CACHE_PREFER_EQUAL;
    return smc_value_string(known ? smc_words_cache_config((enum smc_cache_config)config) : NULL);
}

static struct smc_value answered(const struct smc_trace_row *row, struct smc_value value)
{
    return SMC_VALUE_IF(!row->unknown, value);
}

static struct smc_value process_id(const struct smc_trace *trace,
                                   const struct smc_trace_launch *launch)
{
    return launch->process < 0 ? recorded(-1) : recorded(trace->processes[launch->process].id);
}

static struct smc_value file_name(const struct smc_trace *trace,
                                  const struct smc_trace_launch *launch)
{
    return smc_value_string(launch->process < 0 ? NULL : trace->processes[launch->process].file);
}

static struct smc_value device_name(const struct smc_trace *trace,
                                    const struct smc_trace_launch *launch)
{
    return smc_value_string(launch->device < 0 ? NULL : trace->devices[launch->device].device.name);
}

struct item {
    const struct smc_trace *trace;
    const struct smc_trace_row *row;
    const struct smc_trace_launch *launch;
};

#define ROW_FIELDS(FIELD)                                                                          \
    FIELD("name", "kernel", "", "its name, demangled", item->launch->shown)                        \
    FIELD("mangled_name", NULL, "", "its name as recorded", item->launch->name)                    \
    FIELD("device", NULL, "", "its GPU, the index in devices", recorded(item->launch->device))     \
    FIELD(NULL, "device", "", "its GPU", device_name(item->trace, item->launch))                   \
    FIELD("process", NULL, "", "the index in processes", recorded(item->launch->process))          \
    FIELD(NULL, "process", "", "the number of its process", process_id(item->trace, item->launch)) \
    FIELD(NULL, "file", "", "the one of several that were read that it is from",                   \
          file_name(item->trace, item->launch))                                                    \
    FIELD("module", NULL, "", "the file in modules that has its machine code, its index",          \
          recorded(item->launch->module))                                                          \
    FIELD("launches", "launches", "launches", "how often it was launched", item->launch->launches) \
    FIELD("graph_launches", "graph_launches", "launches", "of these, by CUDA graphs",              \
          item->launch->graph_launches)                                                            \
    FIELD("timed_launches", "timed_launches", "launches", "of these, with a recorded time",        \
          item->launch->timed_launches)                                                            \
    FIELD("total_ms", "total_ms", "ms", "the time of all of them",                                 \
          milliseconds(item->launch, (double)item->launch->total_ns))                              \
    FIELD("mean_ms", "mean_ms", "ms", "the mean", milliseconds(item->launch, item->row->mean_ns))  \
    FIELD("least_ms", "least_ms", "ms", "the shortest",                                            \
          milliseconds(item->launch, (double)item->launch->least_ns))                              \
    FIELD("greatest_ms", "greatest_ms", "ms", "the longest",                                       \
          milliseconds(item->launch, (double)item->launch->greatest_ns))                           \
    FIELD("share_percent", "share_percent", "percent",                                             \
          "of the time of all launches; of their number if no time was recorded",                  \
          100 * item->row->share)                                                                  \
    FIELD("grid_dim", NULL, "blocks", "x, y and z of the grid",                                    \
          smc_value_extent(item->launch->grid))                                                    \
    FIELD(NULL, "grid", "blocks", "16x16x1", shape(item->launch->grid))                            \
    FIELD("block_dim", NULL, "threads", "x, y and z of a block",                                   \
          smc_value_extent(item->launch->block))                                                   \
    FIELD(NULL, "block", "threads", "256x1x1", shape(item->launch->block))                         \
    FIELD("cluster_dim", NULL, "blocks", "x, y and z of a cluster; null: none recorded",           \
          smc_value_extent(item->launch->cluster))                                                 \
    FIELD(NULL, "cluster", "blocks", "2x1x1", shape(item->launch->cluster))                        \
    FIELD("registers_per_thread", "registers", "registers", "registers per thread",                \
          recorded(item->launch->regs_per_thread))                                                 \
    FIELD("static_smem_bytes", "static_smem", "bytes", "static shared memory per block",           \
          recorded(item->launch->static_smem_bytes))                                               \
    FIELD("dynamic_smem_bytes", "dynamic_smem", "bytes", "dynamic shared memory per block",        \
          recorded(item->launch->dynamic_smem_bytes))                                              \
    FIELD("smem_bytes", "smem", "bytes", "both together",                                          \
          recorded(smc_trace_smem_bytes(item->launch, item->row->device)))                         \
    FIELD("carveout_percent", "carveout", "percent",                                               \
          "the preferred carve-out; -1: left to the driver, or not recorded",                      \
          (uint64_t)(int64_t)item->launch->carveout_percent)                                       \
    FIELD("cache_config", NULL, "", "the cache preference: none, shared, l1 or equal",             \
          cache_config(item->launch->cache_config))                                                \
    FIELD("smem_configured_bytes", NULL, "bytes",                                                  \
          "the shared memory that the SM was configured with, the most",                           \
          recorded(item->launch->smem_configured_bytes))                                           \
    FIELD(NULL, "blocks_per_sm", "blocks", "resident blocks per SM",                               \
          answered(item->row, smc_value_integer(item->row->occupancy.blocks_per_sm)))              \
    FIELD(NULL, "occupancy_percent", "percent", "occupancy",                                       \
          recorded_real(item->row->occupancy_percent))                                             \
    FIELD(NULL, "limiters", "", "the limits that bind",                                            \
          answered(item->row, smc_value_limiters(item->row->occupancy.limiters)))                  \
    FIELD("bound_by", "bound_by", "",                                                              \
          "what keeps the GPU from being full: none, grid, unknown, or the limit that binds",      \
          smc_trace_bounds[item->row->bound].name)                                                 \
    FIELD(NULL, "waves", "waves", "waves, the last one included",                                  \
          SMC_VALUE_IF(item->row->has_waves, item->row->waves.waves))                              \
    FIELD("tail_percent", "tail_percent", "percent", "of the block slots of the last wave, empty", \
          SMC_VALUE_IF(item->row->has_waves, item->row->tail_percent))                             \
    FIELD("resident_percent", "resident_percent", "percent",                                       \
          "warps resident on average over the waves, of the most that the GPU holds",              \
          recorded_real(item->row->resident_percent))                                              \
    FIELD("api_blocks_per_sm", "api_blocks_per_sm", "blocks",                                      \
          "resident blocks per SM that the driver answered",                                       \
          recorded(item->launch->api_blocks_per_sm))                                               \
    FIELD("agrees", "agrees", "", "whether the model says the same",                               \
          SMC_VALUE_IF(item->row->agreement != SMC_TRACE_NOT_ASKED,                                \
                       smc_value_boolean(item->row->agreement == SMC_TRACE_AGREES)))               \
    FIELD("recorded_clusters", NULL, "clusters",                                                   \
          "clusters on the GPU at a time, as the driver told the recording tool",                  \
          recorded(item->launch->resident_clusters))                                               \
    FIELD("recorded_occupancy_percent", "recorded_occupancy_percent", "percent",                   \
          "occupancy as the recording tool computed it",                                           \
          recorded_real(item->launch->recorded_occupancy_percent))                                 \
    FIELD("achieved_occupancy_percent", "achieved_occupancy_percent", "percent",                   \
          "occupancy as measured", recorded_real(item->launch->achieved_occupancy_percent))        \
    FIELD("unknown_reason", "unknown_reason", "", "why there is no occupancy", item->row->unknown)
SMC_FIELD_TABLE(row_fields, struct item, ROW_FIELDS)

static json_t *lines_of(const struct smc_text *text)
{
    json_t *list = json_array();
    for (const char *at = smc_text_string(text); *at;) {
        const size_t length = strcspn(at, "\n");
        json_array_append_new(list, json_stringn(at, length));
        at += length + (at[length] == '\n');
    }
    return list;
}

/* Of the trace as a whole. */
#define TRACE_FIELDS(FIELD)                                                                        \
    FIELD(                                                                                         \
        "source", NULL, "",                                                                        \
        "cupti, hooks, emulator, nsight_systems, nvprof, nsight_compute, chrome_trace, triton or " \
        "smemcalc",                                                                                \
        smc_trace_sources[item->source].name)                                                      \
    FIELD("file", NULL, "", "that was read; null: the program was run", item->file)                \
    FIELD("program", NULL, "", "its command line", item->program)                                  \
    FIELD("tool", NULL, "", "what recorded it, with its version", item->tool)                      \
    FIELD("exit_status", NULL, "", "of the program, if it was run and exited",                     \
          SMC_VALUE_IF(item->has_exit && item->exit_signal == 0, (uint64_t)item->exit_status))     \
    FIELD("exit_signal", NULL, "", "the signal that ended it",                                     \
          SMC_VALUE_IF(item->has_exit && item->exit_signal != 0, (uint64_t)item->exit_signal))     \
    FIELD("skipped_launches", NULL, "launches", "left out by --skip and --count", item->skipped)   \
    FIELD("launches_unknown", NULL, "",                                                            \
          "whether launches are no counts: it lists kernels, launched or not",                     \
          item->launches_unknown)                                                                  \
    FIELD("findings", NULL, "", "what kernels did wrong on the emulator",                          \
          lines_of(&item->findings))                                                               \
    FIELD("notes", NULL, "", "what was not recorded, or was lost", lines_of(&item->notes))
SMC_FIELD_TABLE(trace_fields, struct smc_trace, TRACE_FIELDS)

static struct smc_value bound_shares(const struct smc_trace_answer *answer)
{
    json_t *object = json_object();
    for (int i = 0; i < SMC_TRACE_BOUND_COUNT; i++)
        smc_json_real(object, smc_trace_bounds[i].name, 100 * answer->bound_share[i]);
    return smc_value_json(object);
}

static struct smc_value short_launches(const struct smc_trace_answer *answer,
                                       struct smc_value value)
{
    return SMC_VALUE_IF(answer->short_us > 0, value);
}

#define SUMMARY_FIELDS(FIELD)                                                                      \
    FIELD("launches", NULL, "launches", "how many", item->launches)                                \
    FIELD("timed_launches", NULL, "launches", "of these, with a recorded time",                    \
          item->timed_launches)                                                                    \
    FIELD("total_ms", NULL, "ms", "their time",                                                    \
          SMC_VALUE_IF(item->timed_launches > 0, (double)item->total_ns / 1e6))                    \
    FIELD("kernels", NULL, "kernels", "how many, by name", item->kernel_count)                     \
    FIELD("configurations", NULL, "", "how many, the elements of kernels", item->row_count)        \
    FIELD("occupancy_percent", NULL, "percent",                                                    \
          "the mean, weighted by time, over those that have one",                                  \
          recorded_real(item->occupancy_percent))                                                  \
    FIELD("resident_percent", NULL, "percent", "warps resident on average, likewise",              \
          recorded_real(item->resident_percent))                                                   \
    FIELD("bound_share_percent", NULL, "percent", "of the time, under each value of bound_by",     \
          bound_shares(item))                                                                      \
    FIELD("api_asked", NULL, "", "configurations that the driver answered", item->asked)           \
    FIELD("api_differing", NULL, "", "of these, otherwise than the model", item->differing)        \
    FIELD("refused", NULL, "", "configurations that the model says cannot be launched",            \
          item->refused)                                                                           \
    FIELD("launch_us", NULL, "us", "how long a launch takes, where that is known",                 \
          short_launches(item, smc_value_real(item->short_us)))                                    \
    FIELD("short_launches", NULL, "launches",                                                      \
          "of configurations that on average run for less, CUDA graphs left out",                  \
          short_launches(item, smc_value_integer(item->short_launches)))                           \
    FIELD("short_share_percent", NULL, "percent", "of the time, those",                            \
          short_launches(item, smc_value_real(100 * item->short_share)))                           \
    FIELD("answered_for", NULL, "",                                                                \
          "the GPU of --device that is answered for instead of those of the trace",                \
          item->instead ? smc_json_device(item->instead) : json_null())
SMC_FIELD_TABLE(summary_fields, struct smc_trace_answer, SUMMARY_FIELDS)

const struct smc_field_table smc_trace_tables[] = {
    {"trace", &row_fields},
    {"traced", &trace_fields},
    {"trace_summary", &summary_fields},
    {NULL, NULL},
};

/* The rows of the first `most_kernels`, or all for 0. */
static size_t trace_rows_of(const struct smc_trace_answer *answer, size_t most_kernels)
{
    if (most_kernels == 0 || most_kernels >= answer->kernel_count)
        return answer->row_count;
    return answer->kernels[most_kernels].first;
}

/* --- Text: the headline ----------------------------------------------------------------------- */

static void append_launches(uint64_t number, struct smc_text *out)
{
    smc_words_number(number, out);
    smc_text_append(out, number == 1 ? SMC_TIE "launch" : SMC_TIE "launches");
}

/* "41 %": whole, but "under 1 %". */
static void trace_report_append_share(double share, struct smc_text *out)
{
    if (share > 0 && share < 0.005)
        smc_text_append(out, "under 1" SMC_TIE "%");
    else
        smc_text_printf(out, "%.0f" SMC_TIE "%%", 100 * share);
}

static bool trace_is_used(const struct smc_trace_answer *answer, size_t device)
{
    for (size_t i = 0; i < answer->row_count; i++)
        if (answer->rows[i].launch->device == (int32_t)device)
            return true;
    return false;
}

/* "NVIDIA H100 80GB HBM3"; "8 x NVIDIA H100 80GB HBM3, NVIDIA A100": of the GPUs that ran a kernel;
   nothing if the source names none. */
static void append_gpus(const struct smc_trace_answer *answer, struct smc_text *out)
{
    const struct smc_trace *trace = answer->trace;
    const char *before = " on ";
    for (size_t i = 0; i < trace->device_count; i++) {
        const char *name = trace->devices[i].device.name;
        size_t earlier = 0, count = 0;
        for (size_t k = 0; k < trace->device_count; k++)
            if (strcmp(trace->devices[k].device.name, name) == 0 && trace_is_used(answer, k)) {
                earlier += k < i;
                count++;
            }
        if (earlier > 0 || !trace_is_used(answer, i))
            continue;
        smc_text_append(out, before);
        if (count > 1)
            smc_text_printf(out, "%zu" SMC_TIE "x" SMC_TIE, count);
        smc_text_append(out, *name ? name : "a GPU of unknown name");
        before = ", ";
    }
}

/* Whether the source says on which GPU any of them ran. */
static bool knows_gpu(const struct smc_trace_answer *answer)
{
    for (size_t i = 0; i < answer->trace->device_count; i++)
        if (answer->trace->devices[i].known && trace_is_used(answer, i))
            return true;
    return false;
}

static size_t count_processes(const struct smc_trace_answer *answer)
{
    size_t count = 0;
    for (size_t process = 0; process < answer->trace->process_count; process++)
        for (size_t i = 0; i < answer->row_count; i++)
            if (answer->rows[i].launch->process == (int32_t)process) {
                count++;
                break;
            }
    return count;
}

/* Whether all that is known about the processes is which file each is from. */
static bool are_files(const struct smc_trace *trace)
{
    for (size_t i = 0; i < trace->process_count; i++)
        if (!trace->processes[i].file || trace->processes[i].id >= 0)
            return false;
    return true;
}

static void append_took(const struct smc_trace_answer *answer, struct smc_text *line)
{
    const struct smc_trace *trace = answer->trace;
    if (!trace->launches_unknown) {
        append_launches(answer->launches, line);
        smc_text_append(line, " of ");
    }
    smc_words_number(answer->kernel_count, line);
    smc_text_printf(line, SMC_TIE "kernel%s", smc_text_plural(answer->kernel_count));
    if (answer->has_times) {
        smc_text_append(line, " took ");
        smc_words_time((double)answer->total_ns / 1e6, line);
    }
    append_gpus(answer, line);
    if (count_processes(answer) > 1)
        smc_text_printf(line, ", in %zu %s", count_processes(answer),
                        are_files(trace) ? "files" : "processes");
    if (answer->instead && knows_gpu(answer))
        smc_text_printf(line, "; answered for %s instead", answer->instead->name);
    else if (answer->instead)
        smc_text_printf(line, "; answered for %s, as option --device says", answer->instead->name);
}

/* "41 % of the time limited by registers, 38 % in launches too small to fill the GPU". Without
   times it is the launches that are too small. */
static void trace_report_append_bounds(const struct smc_trace_answer *answer, struct smc_text *line)
{
    bool used[SMC_TRACE_BOUND_COUNT] = {false};
    const char *what = answer->trace->launches_unknown ? " of the kernels"
                       : answer->has_times             ? " of the time"
                                                       : " of the launches";
    for (int n = 0; n < SMC_TRACE_BOUND_COUNT; n++) {
        int next = -1;
        for (int i = 0; i < SMC_TRACE_BOUND_COUNT; i++)
            if (!used[i] && answer->bound_share[i] > 0 &&
                (next < 0 || answer->bound_share[i] > answer->bound_share[next]))
                next = i;
        if (next < 0)
            return;
        used[next] = true;
        smc_text_append(line, n > 0 ? ", " : "");
        trace_report_append_share(answer->bound_share[next], line);
        bool launches = !answer->has_times && !answer->trace->launches_unknown;
        smc_text_printf(line, "%s %s", n > 0 ? "" : what,
                        launches && next == SMC_TRACE_BOUND_GRID ? "too small to fill the GPU"
                                                                 : smc_trace_bounds[next].words);
    }
}

static void append_means(const struct smc_trace_answer *answer, struct smc_text *line)
{
    if (answer->occupancy_percent < 0)
        return;
    smc_text_append(line, "occupancy on average ");
    trace_report_append_share(answer->occupancy_percent / 100, line);
    if (answer->resident_percent < 0)
        return;
    smc_text_append(line, "; resident warps on average ");
    trace_report_append_share(answer->resident_percent / 100, line);
    smc_text_append(line, " of what the GPU holds");
}

static void trace_append_short(const struct smc_trace_answer *answer, struct smc_text *line)
{
    if (answer->short_launches == 0)
        return;
    append_launches(answer->short_launches, line);
    smc_text_append(line, " (");
    trace_report_append_share(answer->short_share, line);
    smc_text_printf(line,
                    " of the time) ran for less than the %.1f" SMC_TIE
                    "us that a launch takes: fuse these kernels, or launch them by a CUDA graph",
                    answer->short_us);
}

static void trace_append_headline(const struct smc_trace_answer *answer, struct smc_text *out)
{
    static void (*const parts[])(const struct smc_trace_answer *, struct smc_text *) = {
        append_took, trace_report_append_bounds, append_means, trace_append_short};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct smc_text line = {0};
        parts[i](answer, &line);
        smc_layout_verdict(out, SMC_STRONG, &line);
    }
}

/* A configuration that the model is wrong about: "saxpy, 256 threads, 40 registers, 0 B of shared
   memory: 6 blocks per SM; the driver says 5". */
static void append_wrong(const struct smc_trace_row *row, struct smc_text *out)
{
    smc_auto_text line = {0};
    smc_kernel_name_brief(row->launch->shown, &line);
    smc_text_printf(&line, ", %u threads, %u registers, %u" SMC_TIE "B of shared memory",
                    row->request.threads_per_block, row->request.regs_per_thread,
                    row->request.static_smem_bytes + row->request.dynamic_smem_bytes);
    smc_text_printf(&line, ": %u blocks per SM", row->occupancy.blocks_per_sm);
    if (row->agreement == SMC_TRACE_DIFFERS)
        smc_text_printf(&line, "; the driver says %d", row->launch->api_blocks_per_sm);
    smc_layout_paragraph(out, " ", 2, smc_text_string(&line), out->style->columns);
}

/* What the model is wrong about, or another GPU cannot do: with the first few of them. */
static void append_contradictions(const struct smc_trace_answer *answer, struct smc_text *out)
{
    enum { MOST_WRONG = 10 };
    struct smc_text line = {0};
    size_t listed = 0;
    if (answer->differing > 0)
        smc_text_printf(&line,
                        "%zu of %zu configurations differ from what the driver says: the "
                        "model is wrong there; please report it",
                        answer->differing, answer->asked);
    smc_layout_verdict(out, SMC_BAD, &line);
    if (answer->refused > 0 && answer->instead)
        smc_text_printf(&line, "%zu configuration%s cannot be launched on %s", answer->refused,
                        smc_text_plural(answer->refused), answer->instead->name);
    else if (answer->refused > 0)
        smc_text_printf(&line,
                        "the model says that %zu configuration%s cannot be launched, and "
                        "they were: please report it",
                        answer->refused, smc_text_plural(answer->refused));
    smc_layout_verdict(out, SMC_BAD, &line);
    for (size_t i = 0; i < answer->row_count && listed < MOST_WRONG; i++) {
        const struct smc_trace_row *row = &answer->rows[i];
        if (row->unknown ||
            (row->agreement != SMC_TRACE_DIFFERS && row->occupancy.blocks_per_sm > 0))
            continue;
        append_wrong(row, out);
        listed++;
    }
}

/* --- Text: notes ------------------------------------------------------------------------------ */

/* What the model cannot know. */
static void append_unknown(const struct smc_trace_answer *answer, struct smc_text *line)
{
    size_t unknown = 0, barriers = 0;
    for (size_t i = 0; i < answer->row_count; i++) {
        unknown += answer->rows[i].unknown != NULL;
        barriers +=
            answer->rows[i].barriers_matter && answer->rows[i].agreement != SMC_TRACE_AGREES;
    }
    if (unknown > 0)
        smc_text_printf(line, "?: not recorded, or not computed from what is (%zu configuration%s)",
                        unknown, smc_text_plural(unknown));
    if (barriers > 0)
        smc_text_printf(line,
                        "%snamed barriers are not recorded: 1 per block is assumed, and many more "
                        "would lower the occupancy of %zu configuration%s",
                        unknown > 0 ? "\n" : "", barriers, smc_text_plural(barriers));
}

/* How far the model may be from a percentage that a tool rounded. */
static bool differs_from_tool(const struct smc_trace_row *row)
{
    const double recorded = row->launch->recorded_occupancy_percent;
    return row->ran_there && !row->unknown && recorded >= 0 &&
           fabs(recorded - row->occupancy_percent) > 1;
}

/* What the recording tool computed itself. */
static void append_tool(const struct smc_trace_answer *answer, struct smc_text *line)
{
    size_t count = 0;
    const struct smc_trace_row *first = NULL;
    for (size_t i = 0; i < answer->row_count; i++)
        if (differs_from_tool(&answer->rows[i])) {
            first = first ? first : &answer->rows[i];
            count++;
        }
    if (!first)
        return;
    smc_text_printf(line, "the recorded occupancy of %zu configuration%s differs, first of ", count,
                    smc_text_plural(count));
    smc_kernel_name_brief(first->launch->shown, line);
    smc_text_printf(line, ": %.1f" SMC_TIE "%% recorded, %.1f" SMC_TIE "%% computed",
                    first->launch->recorded_occupancy_percent, first->occupancy_percent);
}

/* The lines of a text, each as a paragraph. */
static void append_paragraphs(const struct smc_text *lines, struct smc_text *out)
{
    for (const char *at = smc_text_string(lines); *at;) {
        struct smc_text line = {0};
        const size_t length = strcspn(at, "\n");
        smc_text_append_bytes(&line, at, length);
        smc_layout_text(out, 0, &line);
        at += length + (at[length] == '\n');
    }
}

/* The launches of a file, and of all files with the same name. */
static void trace_append_file(const struct smc_trace_answer *answer, const char *file,
                              struct smc_text *line)
{
    uint64_t launches = 0, ns = 0;
    double share = 0, occupancy = 0;
    for (size_t i = 0; i < answer->row_count; i++) {
        const struct smc_trace_row *row = &answer->rows[i];
        const int32_t process = row->launch->process;
        if (process < 0 || !answer->trace->processes[process].file ||
            strcmp(answer->trace->processes[process].file, file) != 0)
            continue;
        launches += row->launch->launches;
        ns += row->launch->total_ns;
        share += row->occupancy_percent >= 0 ? row->share : 0;
        occupancy += row->occupancy_percent >= 0 ? row->share * row->occupancy_percent : 0;
    }
    smc_text_printf(line, "%s: ", file);
    append_launches(launches, line);
    if (answer->has_times) {
        smc_text_append(line, ", ");
        smc_words_time((double)ns / 1e6, line);
    }
    if (share > 0)
        smc_text_printf(line, ", occupancy on average %.0f" SMC_TIE "%%", occupancy / share);
}

/* What each of several files has: a rank that has much more or less than the others is seen. */
static void append_files(const struct smc_trace_answer *answer, struct smc_text *out)
{
    enum { MOST_FILES = 16 };
    const struct smc_trace *trace = answer->trace;
    size_t listed = 0;
    for (size_t i = 0; i < trace->process_count && !trace->launches_unknown; i++) {
        const char *file = trace->processes[i].file;
        bool seen = !file;
        for (size_t k = 0; k < i && !seen; k++)
            seen = trace->processes[k].file && strcmp(trace->processes[k].file, file) == 0;
        if (seen || listed++ >= MOST_FILES)
            continue;
        struct smc_text line = {0};
        trace_append_file(answer, file, &line);
        smc_layout_text(out, 0, &line);
    }
    if (listed > MOST_FILES) {
        struct smc_text line = {0};
        smc_text_printf(&line, "and %zu more files", listed - MOST_FILES);
        smc_layout_text(out, 0, &line);
    }
}

static void trace_append_notes(const struct smc_trace_answer *answer, struct smc_text *out)
{
    const struct smc_trace *trace = answer->trace;
    struct smc_text line = {0};
    smc_text_append(out, "\n");
    append_files(answer, out);
    if (answer->row_count > 0 && !answer->has_times && !trace->launches_unknown)
        smc_text_append(&line, "no times were recorded: shares are those of the launches");
    smc_layout_text(out, 0, &line);
    if (answer->row_count > 0)
        smc_text_append(&line, "blk: resident blocks per SM; res%: occ% less what a small grid or "
                               "the last wave leaves empty");
    smc_layout_text(out, 0, &line);
    if (answer->asked > 0 && answer->differing == 0)
        smc_text_printf(&line, "%zu configuration%s, all as the driver says", answer->asked,
                        smc_text_plural(answer->asked));
    if (answer->asked > 0 && answer->differing == 0 && answer->asked < answer->row_count)
        smc_text_printf(&line, "; it was not asked about %zu", answer->row_count - answer->asked);
    smc_layout_text(out, 0, &line);
    append_tool(answer, &line);
    smc_layout_text(out, 0, &line);
    append_unknown(answer, &line);
    append_paragraphs(&line, out);
    smc_text_free(&line);
    if (trace->skipped > 0) {
        append_launches(trace->skipped, &line);
        smc_text_append(&line, " left out by --skip or --count");
    }
    smc_layout_text(out, 0, &line);
    append_paragraphs(&trace->notes, out);
    smc_text_printf(&line, "recorded by %s%s%s",
                    trace->tool ? trace->tool : smc_trace_sources[trace->source].words,
                    trace->file ? ": " : "", trace->file ? trace->file : "");
    smc_layout_text(out, 0, &line);
}

static void append_exit(const struct smc_trace *trace, struct smc_text *out)
{
    struct smc_text line = {0};
    if (trace->has_exit && trace->exit_signal)
        smc_text_printf(&line, "the program was ended by signal %d", trace->exit_signal);
    else if (trace->has_exit && trace->exit_status)
        smc_text_printf(&line, "the program ended with exit status %d", trace->exit_status);
    smc_layout_verdict(out, SMC_BAD, &line);
}

static void append_findings(const struct smc_trace *trace, struct smc_text *out)
{
    struct smc_text line = {0};
    if (trace->finding_count == 0)
        return;
    smc_text_printf(&line, "the emulator has %zu finding%s:", trace->finding_count,
                    smc_text_plural(trace->finding_count));
    smc_layout_verdict(out, SMC_BAD, &line);
    append_paragraphs(&trace->findings, out);
    smc_text_append(out, "\n");
}

void smc_text_trace(const struct smc_trace_answer *answer, struct smc_text *out)
{
    struct smc_text line = {0};
    append_exit(answer->trace, out);
    append_findings(answer->trace, out);
    if (answer->row_count > 0) {
        trace_append_headline(answer, out);
        append_contradictions(answer, out);
        smc_trace_table(answer, out);
        trace_append_notes(answer, out);
        return;
    }
    smc_text_append(&line, answer->trace->filter.pattern_count > 0 || answer->trace->skipped > 0
                               ? "no kernel was launched that the options choose"
                           : answer->trace->launches_unknown ? "no kernels"
                                                             : "no kernel was launched");
    smc_layout_verdict(out, SMC_STRONG, &line);
    append_paragraphs(&answer->trace->notes, out);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *row_object(const struct smc_trace *trace, const struct smc_trace_row *row)
{
    json_t *object = json_object();
    const struct item item = {trace, row, row->launch};
    struct smc_answer answer;
    smc_fields_json(&row_fields, &item, object);
    if (row->unknown) {
        smc_json_set(object, "occupancy", json_null());
        smc_json_set(object, "next_steps", json_array());
        smc_json_set(object, "waves", json_null());
        return object;
    }
    smc_trace_complete(row, &answer);
    smc_json_occupancy(object, &answer);
    return object;
}

static json_t *device_list(const struct smc_trace *trace)
{
    json_t *list = json_array();
    for (size_t i = 0; i < trace->device_count; i++) {
        const struct smc_trace_device *device = &trace->devices[i];
        json_t *object = device->known ? smc_json_device(&device->device) : json_object();
        if (!device->known)
            smc_json_known_string(object, "name", device->device.name);
        smc_json_set(object, "id", json_integer((json_int_t)device->id));
        smc_json_set(object, "known", json_boolean(device->known));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *process_list(const struct smc_trace *trace)
{
    json_t *list = json_array();
    for (size_t i = 0; i < trace->process_count; i++) {
        const struct smc_trace_process *process = &trace->processes[i];
        json_t *object = smc_json_add_object(list);
        smc_json_set(object, "id",
                     process->id < 0 ? json_null() : json_integer((json_int_t)process->id));
        smc_json_known_string(object, "command", process->command);
        smc_json_set(object, "file", process->file ? json_string(process->file) : json_null());
    }
    return list;
}

static json_t *module_list(const struct smc_trace *trace)
{
    json_t *list = json_array();
    for (size_t i = 0; i < trace->module_count; i++) {
        json_t *object = smc_json_add_object(list);
        smc_json_string(object, "file", trace->modules[i].file);
    }
    return list;
}

/* [kernel, ns, kernel, ns, ...] of one slice; `place`: the index in "kernels" of each launch. */
static json_t *slice_list(const struct smc_trace_slice *slice, const size_t *place)
{
    json_t *list = json_array();
    for (size_t i = 0; i < slice->count; i++) {
        if (place[slice->share[i].launch] == SIZE_MAX)
            continue;
        json_array_append_new(list, json_integer((json_int_t)place[slice->share[i].launch]));
        json_array_append_new(list, json_integer((json_int_t)slice->share[i].ns));
    }
    return list;
}

/* null where no launch has a time of its own. */
static json_t *course_object(const struct smc_trace_answer *answer, size_t rows)
{
    const struct smc_trace *trace = answer->trace;
    const struct smc_trace_course *course = &trace->course;
    smc_auto_free size_t *place = smc_malloc((trace->launch_count + 1) * sizeof *place);
    size_t count = course->begun ? SMC_TRACE_SLICES : 0;
    if (!place)
        return NULL;
    memset(place, 0xff, (trace->launch_count + 1) * sizeof *place);
    for (size_t i = 0; i < rows; i++)
        place[answer->rows[i].launch - trace->launches] = i;
    while (count > 0 && course->slice[count - 1].count == 0)
        count--;
    if (count == 0)
        return json_null();
    json_t *object = json_object(), *slices = json_array();
    smc_json_integer(object, "begin_ns", course->begin_ns);
    smc_json_integer(object, "slice_ns", course->slice_ns);
    for (size_t i = 0; i < count; i++)
        json_array_append_new(slices, slice_list(&course->slice[i], place));
    smc_json_set(object, "slices", slices);
    return object;
}

void smc_json_trace(json_t *object, const struct smc_trace_answer *answer, size_t most_kernels)
{
    const struct smc_trace *trace = answer->trace;
    const size_t rows = trace_rows_of(answer, most_kernels);
    json_t *kernels = json_array();
    smc_json_set(object, "trace", smc_fields_object(&trace_fields, trace));
    smc_json_set(object, "summary", smc_fields_object(&summary_fields, answer));
    smc_json_set(object, "devices", device_list(trace));
    smc_json_set(object, "processes", process_list(trace));
    smc_json_set(object, "modules", module_list(trace));
    for (size_t i = 0; i < rows; i++)
        json_array_append_new(kernels, row_object(trace, &answer->rows[i]));
    smc_json_set(object, "kernels", kernels);
    smc_json_set(object, "course", course_object(answer, rows));
}

/* --- CSV -------------------------------------------------------------------------------------- */

void smc_csv_trace(const struct smc_trace_answer *answer, struct smc_text *out)
{
    const size_t rows = trace_rows_of(answer, out->style->most_kernels);
    smc_fields_csv_head(&row_fields, out);
    for (size_t i = 0; i < rows; i++) {
        const struct item item = {answer->trace, &answer->rows[i], answer->rows[i].launch};
        smc_fields_csv_row(&row_fields, &item, out);
    }
}
