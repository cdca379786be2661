/* What `smemcalc trace --format json` wrote: the same trace again. */
#include <jansson.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers/trace/json_stream.h"
#include "answers/trace_answer.h"
#include "base/memory.h"
#include "base/text.h"
#include "rules/devices.h"
#include "rules/launch.h"

enum { MOST_BYTES = 512 << 20 };

struct own_reading {
    const char *file;
    struct smc_trace *trace;
    struct smc_error *error;
    enum smc_status status; /* of the whole numbers */
    const char *list;       /* that is read, and the index in it */
    size_t index;
    /* The indices in the trace of what the file has at each index of its lists. */
    size_t *launch;
    int32_t *device, *process, *module;
    size_t launch_count, device_count, process_count, module_count;
};

/* --- Values ----------------------------------------------------------------------------------- */

/* Sets reading->status, at the first fault. */
static void own_fail(struct own_reading *reading, const char *key, const json_t *value,
                     const char *allowed)
{
    if (reading->status != SMC_OK)
        return;
    smc_auto_free char *written = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    reading->status = smc_fail(
        reading->error, SMC_USAGE, "%s: %s, element %zu: \"%s\" is %.60s, not %s", reading->file,
        reading->list, reading->index, key, written ? written : "missing", allowed);
}

struct own_range {
    int64_t least, most, absent; /* absent: if there is no such member, or null */
};

static int64_t own_whole(struct own_reading *reading, const json_t *object, const char *key,
                         struct own_range range)
{
    const json_t *value = json_object_get(object, key);
    const int64_t number = json_integer_value(value);
    char allowed[96];
    if (!value || json_is_null(value))
        return range.absent;
    if (json_is_integer(value) && number >= range.least && number <= range.most)
        return number;
    snprintf(allowed, sizeof allowed, "a whole number from %lld to %lld", (long long)range.least,
             (long long)range.most);
    own_fail(reading, key, value, allowed);
    return range.absent;
}

static double own_real(struct own_reading *reading, const json_t *object, const char *key,
                       double most, double absent)
{
    const json_t *value = json_object_get(object, key);
    const double number = json_is_number(value) ? json_number_value(value) : -1;
    char allowed[96];
    if (!value || json_is_null(value))
        return absent;
    if (number >= 0 && number <= most)
        return number;
    snprintf(allowed, sizeof allowed, "a number from 0 to %g", most);
    own_fail(reading, key, value, allowed);
    return absent;
}

/* Milliseconds with 15 digits hold the nanoseconds of ten days exactly. No program takes three
   years, so that sums do not overflow. */
static uint64_t own_time(struct own_reading *reading, const json_t *object, const char *key)
{
    return (uint64_t)llround(own_real(reading, object, key, 1e11, 0) * 1e6);
}

/* A copy of the text; NULL if the object has none. */
static char *own_text(struct own_reading *reading, const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    struct smc_text safe = {0};
    if (!value)
        return NULL;
    smc_text_safe_line(&safe, "%s", value);
    if (safe.failed)
        reading->status = smc_out_of_memory(reading->error);
    else
        safe.data[safe.length - 1] = '\0'; /* the end of the line */
    return safe.data;
}

/* {0} for null. */
static void own_extent(struct own_reading *reading, const json_t *object, const char *key,
                       uint32_t extent[3])
{
    const json_t *list = json_object_get(object, key);
    for (size_t i = 0; list && !json_is_null(list) && i < 3; i++) {
        const json_t *value = json_array_get(list, i);
        const json_int_t number = json_integer_value(value);
        if (json_array_size(list) != 3 || !json_is_integer(value) || number < 1 ||
            number > UINT32_MAX)
            own_fail(reading, key, list, "three whole numbers from 1 to 4294967295");
        extent[i] = (uint32_t)number;
    }
}

/* --- Lists besides the kernels ---------------------------------------------------------------- */

static enum smc_status own_read_device(struct own_reading *reading, const json_t *object,
                                       int32_t *index)
{
    const char *cc = json_string_value(json_object_get(object, "compute_capability"));
    const char *name = json_string_value(json_object_get(object, "name"));
    const struct own_range count = {0, UINT32_MAX, 0}, bytes = {0, INT64_MAX, 0};
    struct smc_trace_gpu gpu = {
        .name = name && *name ? name : NULL,
        .id = own_whole(reading, object, "id", (struct own_range){INT64_MIN, INT64_MAX, 0}),
        .sm_count = (uint32_t)own_whole(reading, object, "sm_count", count),
        .clock_khz = (uint32_t)own_whole(reading, object, "sm_clock_khz", count),
        .global_mem_bytes = (uint64_t)own_whole(reading, object, "global_mem_bytes", bytes),
        .l2_bytes = (uint64_t)own_whole(reading, object, "l2_bytes", bytes),
    };
    if (cc && !smc_capability_parse(cc, &gpu.cc))
        own_fail(reading, "compute_capability", json_object_get(object, "compute_capability"),
                 "a compute capability such as \"9.0\"");
    if (reading->status != SMC_OK)
        return reading->status;
    *index = smc_trace_device(reading->trace, &gpu);
    return *index == SMC_TRACE_UNKNOWN ? smc_out_of_memory(reading->error) : SMC_OK;
}

static enum smc_status own_read_process(struct own_reading *reading, const json_t *object,
                                        int32_t *index)
{
    const struct own_range any = {0, INT64_MAX, SMC_TRACE_UNKNOWN};
    const int64_t id = own_whole(reading, object, "id", any);
    if (reading->status != SMC_OK)
        return reading->status;
    *index = smc_trace_process_of_file(reading->trace, id,
                                       json_string_value(json_object_get(object, "command")),
                                       json_string_value(json_object_get(object, "file")));
    return *index == SMC_TRACE_UNKNOWN ? smc_out_of_memory(reading->error) : SMC_OK;
}

static enum smc_status read_module(struct own_reading *reading, const json_t *object,
                                   int32_t *index)
{
    const char *file = json_string_value(json_object_get(object, "file"));
    *index = smc_trace_module(reading->trace, file ? file : "");
    return *index == SMC_TRACE_UNKNOWN ? smc_out_of_memory(reading->error) : SMC_OK;
}

/* Reads each element of a list, which may be absent. */
static enum smc_status
own_read_list(struct own_reading *reading, const json_t *root, const char *key,
              enum smc_status (*read)(struct own_reading *, const json_t *, int32_t *),
              int32_t **indices, size_t *count)
{
    const json_t *list = json_object_get(root, key);
    enum smc_status status = SMC_OK;
    *indices = smc_calloc(json_array_size(list) + 1, sizeof **indices);
    if (!*indices)
        return smc_out_of_memory(reading->error);
    reading->list = key;
    for (size_t i = 0; i < json_array_size(list) && status == SMC_OK; i++) {
        reading->index = i;
        status = json_is_object(json_array_get(list, i))
                     ? read(reading, json_array_get(list, i), &(*indices)[i])
                     : smc_fail(reading->error, SMC_USAGE, "%s: %s, element %zu: not an object",
                                reading->file, key, i);
    }
    *count = json_array_size(list);
    return status;
}

/* --- Kernels ---------------------------------------------------------------------------------- */

/* The index in the trace of the element that `key` names; SMC_TRACE_UNKNOWN for null. */
static int32_t own_reference(struct own_reading *reading, const json_t *object, const char *key,
                             const int32_t *indices, size_t count)
{
    const struct own_range range = {0, (int64_t)count - 1, SMC_TRACE_UNKNOWN};
    const int64_t at = own_whole(reading, object, key, range);
    return at >= 0 ? indices[at] : SMC_TRACE_UNKNOWN;
}

/* Members that are whole numbers, of 32 or 64 bits. */
#define MEMBER(member)                                                                             \
    offsetof(struct smc_trace_launch, member), sizeof((struct smc_trace_launch){0}.member)
static const struct {
    const char *key;
    size_t offset, bytes;
    struct own_range range;
} wholes[] = {
    {"launches", MEMBER(launches), {1, INT64_MAX, 1}},
    {"graph_launches", MEMBER(graph_launches), {0, INT64_MAX, 0}},
    {"timed_launches", MEMBER(timed_launches), {0, INT64_MAX, 0}},
    {"registers_per_thread", MEMBER(regs_per_thread), {0, UINT16_MAX, SMC_TRACE_UNKNOWN}},
    {"static_smem_bytes", MEMBER(static_smem_bytes), {0, UINT32_MAX, SMC_TRACE_UNKNOWN}},
    {"dynamic_smem_bytes", MEMBER(dynamic_smem_bytes), {0, UINT32_MAX, SMC_TRACE_UNKNOWN}},
    {"smem_bytes", MEMBER(smem_bytes), {0, INT64_MAX, SMC_TRACE_UNKNOWN}},
    {"carveout_percent", MEMBER(carveout_percent), {-1, 100, SMC_CARVEOUT_DEFAULT}},
    {"smem_configured_bytes", MEMBER(smem_configured_bytes), {0, UINT32_MAX, SMC_TRACE_UNKNOWN}},
    {"recorded_clusters", MEMBER(resident_clusters), {1, 1000000, SMC_TRACE_UNKNOWN}},
    {"api_blocks_per_sm", MEMBER(api_blocks_per_sm), {0, UINT16_MAX, SMC_TRACE_UNKNOWN}},
};
#undef MEMBER

static void read_wholes(struct own_reading *reading, const json_t *object,
                        struct smc_trace_launch *launch)
{
    for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++) {
        const int64_t number = own_whole(reading, object, wholes[i].key, wholes[i].range);
        void *member = (char *)launch + wholes[i].offset;
        if (wholes[i].bytes == sizeof(int32_t))
            *(int32_t *)member = (int32_t)number;
        else
            *(int64_t *)member = number;
    }
    if (launch->graph_launches > launch->launches || launch->timed_launches > launch->launches)
        own_fail(reading, "launches", json_object_get(object, "launches"),
                 "at least as many as those of graphs, and as those with a time");
    if (launch->static_smem_bytes >= 0 && launch->dynamic_smem_bytes >= 0)
        launch->smem_bytes = SMC_TRACE_UNKNOWN; /* the sum of both, not recorded */
}

static void read_cache_config(struct own_reading *reading, const json_t *object, int32_t *config)
{
    const json_t *value = json_object_get(object, "cache_config");
    if (!value || json_is_null(value))
        return;
    *config = json_is_string(value) ? smc_trace_cache_config(json_string_value(value))
                                    : SMC_TRACE_UNKNOWN;
    if (*config == SMC_TRACE_UNKNOWN)
        own_fail(reading, "cache_config", value, "none, shared, l1 or equal");
}

static enum smc_status own_read_launch(struct own_reading *reading, const json_t *object,
                                       struct smc_trace_launch *launch)
{
    const double unknown = SMC_TRACE_UNKNOWN;
    const char *name = json_string_value(json_object_get(object, "mangled_name"));
    if (!name)
        name = json_string_value(json_object_get(object, "name"));
    if (!name || !*name)
        own_fail(reading, "name", json_object_get(object, "name"), "the name of a kernel");
    launch->name = (char *)(uintptr_t)name; /* it is copied */
    launch->device =
        own_reference(reading, object, "device", reading->device, reading->device_count);
    launch->process =
        own_reference(reading, object, "process", reading->process, reading->process_count);
    launch->module =
        own_reference(reading, object, "module", reading->module, reading->module_count);
    own_extent(reading, object, "grid_dim", launch->grid);
    own_extent(reading, object, "block_dim", launch->block);
    own_extent(reading, object, "cluster_dim", launch->cluster);
    read_wholes(reading, object, launch);
    read_cache_config(reading, object, &launch->cache_config);
    launch->total_ns = own_time(reading, object, "total_ms");
    launch->least_ns = own_time(reading, object, "least_ms");
    launch->greatest_ns = own_time(reading, object, "greatest_ms");
    launch->recorded_occupancy_percent =
        own_real(reading, object, "recorded_occupancy_percent", 100, unknown);
    launch->achieved_occupancy_percent =
        own_real(reading, object, "achieved_occupancy_percent", 100, unknown);
    return reading->status;
}

static enum smc_status own_read_kernels(struct own_reading *reading, const json_t *root)
{
    const json_t *list = json_object_get(root, "kernels");
    const size_t count = json_array_size(list);
    reading->launch = smc_calloc(count + 1, sizeof *reading->launch);
    if (!reading->launch)
        return smc_out_of_memory(reading->error);
    reading->launch_count = count;
    reading->list = "kernels";
    for (size_t i = 0; i < count; i++) {
        struct smc_trace_launch launch;
        smc_trace_launch_init(&launch);
        reading->index = i;
        SMC_TRY(own_read_launch(reading, json_array_get(list, i), &launch));
        SMC_TRY(
            smc_trace_add_launches(reading->trace, &launch, &reading->launch[i], reading->error));
    }
    const json_int_t all =
        json_integer_value(json_object_get(json_object_get(root, "summary"), "configurations"));
    if (all > (json_int_t)count)
        smc_trace_note(reading->trace, "only %zu of %lld configurations are in this file", count,
                       (long long)all);
    return SMC_OK;
}

/* --- The course ------------------------------------------------------------------------------- */

/* [kernel, ns, kernel, ns, ...] */
static enum smc_status read_slice(struct own_reading *reading, size_t slice, const json_t *list)
{
    for (size_t i = 0; i + 1 < json_array_size(list) && reading->status == SMC_OK; i += 2) {
        const json_t *kernel = json_array_get(list, i), *ns = json_array_get(list, i + 1);
        const json_int_t index = json_integer_value(kernel);
        if (!json_is_integer(kernel) || index < 0 || (size_t)index >= reading->launch_count ||
            !json_is_integer(ns) || json_integer_value(ns) < 0)
            own_fail(reading, "slices", list, "pairs of a kernel's index and nanoseconds");
        else
            reading->status = smc_trace_add_share(reading->trace, slice, reading->launch[index],
                                                  (uint64_t)json_integer_value(ns), reading->error);
    }
    return reading->status;
}

static enum smc_status read_course(struct own_reading *reading, const json_t *root)
{
    const json_t *course = json_object_get(root, "course");
    const json_t *slices = json_object_get(course, "slices");
    const struct own_range begin = {0, INT64_MAX / 2, 0};
    const struct own_range slice = {1, INT64_MAX / 2 / SMC_TRACE_SLICES, 1};
    reading->list = "course";
    reading->index = 0;
    if (!json_is_object(course))
        return SMC_OK;
    const int64_t begin_ns = own_whole(reading, course, "begin_ns", begin);
    const int64_t slice_ns = own_whole(reading, course, "slice_ns", slice);
    if (reading->status != SMC_OK)
        return reading->status;
    if (json_array_size(slices) > SMC_TRACE_SLICES)
        return smc_fail(reading->error, SMC_USAGE, "%s: course: %zu slices; %d are the most",
                        reading->file, json_array_size(slices), SMC_TRACE_SLICES);
    smc_trace_begin_course(reading->trace, (uint64_t)begin_ns, (uint64_t)slice_ns);
    for (size_t i = 0; i < json_array_size(slices); i++)
        SMC_TRY(read_slice(reading, i, json_array_get(slices, i)));
    return SMC_OK;
}

/* --- The trace as a whole --------------------------------------------------------------------- */

static enum smc_trace_source find_source(const char *name)
{
    for (int i = 0; i < SMC_TRACE_SOURCE_COUNT && name; i++)
        if (strcmp(smc_trace_sources[i].name, name) == 0)
            return (enum smc_trace_source)i;
    return SMC_TRACE_SMEMCALC;
}

static enum smc_status own_read_header(struct own_reading *reading, const json_t *object)
{
    struct smc_trace *trace = reading->trace;
    const json_t *notes = json_object_get(object, "notes");
    const json_t *findings = json_object_get(object, "findings");
    reading->list = "trace";
    trace->program = own_text(reading, object, "program");
    trace->tool = own_text(reading, object, "tool");
    const int64_t exit_status =
        own_whole(reading, object, "exit_status", (struct own_range){0, 255, -1});
    const int64_t exit_signal =
        own_whole(reading, object, "exit_signal", (struct own_range){1, 255, -1});
    trace->skipped = (uint64_t)own_whole(reading, object, "skipped_launches",
                                         (struct own_range){0, INT64_MAX, 0});
    if (reading->status != SMC_OK)
        return reading->status;
    trace->source = find_source(json_string_value(json_object_get(object, "source")));
    trace->has_exit = exit_status >= 0 || exit_signal >= 0;
    trace->exit_status = exit_status >= 0 ? (int)exit_status : 0;
    trace->exit_signal = exit_signal >= 0 ? (int)exit_signal : 0;
    trace->launches_unknown = json_is_true(json_object_get(object, "launches_unknown"));
    for (size_t i = 0; i < json_array_size(notes); i++)
        if (json_is_string(json_array_get(notes, i)))
            smc_trace_note(trace, "%s", json_string_value(json_array_get(notes, i)));
    for (size_t i = 0; i < json_array_size(findings); i++)
        if (json_is_string(json_array_get(findings, i))) {
            smc_text_safe_line(&trace->findings, "%s",
                               json_string_value(json_array_get(findings, i)));
            trace->finding_count++;
        }
    return SMC_OK;
}

static enum smc_status own_read_root(struct own_reading *reading, const json_t *root)
{
    const json_t *header = json_object_get(root, "trace");
    enum smc_status status;
    if (!json_is_object(header) || !json_is_array(json_object_get(root, "kernels")))
        return smc_fail(reading->error, SMC_USAGE,
                        "%s: a report of smemcalc, but of another command than trace",
                        reading->file);
    if ((status = own_read_header(reading, header)) != SMC_OK ||
        (status = own_read_list(reading, root, "devices", own_read_device, &reading->device,
                                &reading->device_count)) != SMC_OK ||
        (status = own_read_list(reading, root, "processes", own_read_process, &reading->process,
                                &reading->process_count)) != SMC_OK ||
        (status = own_read_list(reading, root, "modules", read_module, &reading->module,
                                &reading->module_count)) != SMC_OK ||
        (status = own_read_kernels(reading, root)) != SMC_OK)
        return status;
    return read_course(reading, root);
}

static enum smc_status own_read(struct smc_trace_input *input, struct smc_trace *trace,
                                struct smc_error *error)
{
    smc_auto_text bytes = {0};
    struct own_reading reading = {.file = input->shown, .trace = trace, .error = error};
    json_error_t why;
    enum smc_status status =
        smc_trace_input_text(input, "report of a trace", MOST_BYTES, &bytes, error);
    json_auto_t *root = status == SMC_OK
                            ? json_loadb(bytes.data, bytes.length, JSON_REJECT_DUPLICATES, &why)
                            : NULL;
    if (root)
        status = own_read_root(&reading, root);
    else if (status == SMC_OK)
        status =
            smc_fail(error, SMC_USAGE, "%s:%d: damaged JSON: %s", reading.file, why.line, why.text);
    free(reading.launch);
    free(reading.device);
    free(reading.process);
    free(reading.module);
    return status;
}

static bool own_begins(const char *bytes, size_t count)
{
    return smc_json_begins_with_key(bytes, count, "schema") && strstr(bytes, "\"smemcalc");
}

const struct smc_trace_reader smc_trace_reader_own = {.begins = own_begins, .read = own_read};
