/* What `smemcalc trace --format json` wrote: the same trace again. */
#include "config.h"

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
    const char *list; /* that is read, and the index in it */
    size_t index;
    /* The indices in the trace of what the file has at each index of its lists. */
    size_t *launch;
    int32_t *device, *process, *module;
    size_t launch_count, device_count, process_count, module_count;
};

/* --- Values ----------------------------------------------------------------------------------- */

static enum smc_status own_fail(const struct own_reading *reading, const char *key,
                                const json_t *value, const char *allowed)
{
    char *written = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    smc_fail(reading->error, SMC_USAGE, "%s: %s, element %zu: \"%s\" is %.60s, not %s",
             reading->file, reading->list, reading->index, key, written ? written : "missing",
             allowed);
    free(written);
    return SMC_USAGE;
}

/* `absent` if the object has no such key, or null. */
static enum smc_status own_read_whole(const struct own_reading *reading, const json_t *object,
                                      const char *key, int64_t least, int64_t most, int64_t absent,
                                      int64_t *number)
{
    const json_t *value = json_object_get(object, key);
    char allowed[96];
    *number = absent;
    if (!value || json_is_null(value))
        return SMC_OK;
    if (json_is_integer(value))
        *number = json_integer_value(value);
    if (json_is_integer(value) && *number >= least && *number <= most)
        return SMC_OK;
    snprintf(allowed, sizeof allowed, "a whole number from %lld to %lld", (long long)least,
             (long long)most);
    return own_fail(reading, key, value, allowed);
}

static enum smc_status own_read_real(const struct own_reading *reading, const json_t *object,
                                     const char *key, double most, double absent, double *number)
{
    const json_t *value = json_object_get(object, key);
    char allowed[96];
    *number = absent;
    if (!value || json_is_null(value))
        return SMC_OK;
    *number = json_is_number(value) ? json_number_value(value) : -1;
    if (*number >= 0 && *number <= most)
        return SMC_OK;
    snprintf(allowed, sizeof allowed, "a number from 0 to %g", most);
    return own_fail(reading, key, value, allowed);
}

/* Milliseconds with 15 digits hold the nanoseconds of ten days exactly. No program takes three
   years, so that sums do not overflow. */
static enum smc_status read_time(const struct own_reading *reading, const json_t *object,
                                 const char *key, uint64_t *ns)
{
    double ms;
    enum smc_status status = own_read_real(reading, object, key, 1e11, 0, &ms);
    if (status == SMC_OK)
        *ns = (uint64_t)llround(ms * 1e6);
    return status;
}

/* Copies the text; NULL if the object has none. */
static enum smc_status own_read_text(const struct own_reading *reading, const json_t *object,
                                     const char *key, char **text)
{
    const char *value = json_string_value(json_object_get(object, key));
    struct smc_text safe = {0};
    *text = NULL;
    if (!value)
        return SMC_OK;
    smc_text_safe_line(&safe, "%s", value);
    if (safe.failed)
        return smc_out_of_memory(reading->error);
    safe.data[safe.length - 1] = '\0'; /* the end of the line */
    *text = safe.data;
    return SMC_OK;
}

/* {0} for null. */
static enum smc_status own_read_extent(const struct own_reading *reading, const json_t *object,
                                       const char *key, uint32_t extent[3])
{
    const json_t *list = json_object_get(object, key);
    if (!list || json_is_null(list))
        return SMC_OK;
    for (size_t i = 0; i < 3; i++) {
        const json_t *value = json_array_get(list, i);
        const json_int_t number = json_integer_value(value);
        if (json_array_size(list) != 3 || !json_is_integer(value) || number < 1 ||
            number > UINT32_MAX)
            return own_fail(reading, key, list, "three whole numbers from 1 to 4294967295");
        extent[i] = (uint32_t)number;
    }
    return SMC_OK;
}

/* --- Lists besides the kernels ---------------------------------------------------------------- */

static enum smc_status own_read_device(struct own_reading *reading, const json_t *object,
                                       int32_t *index)
{
    int64_t id, sms, clock, memory, l2;
    const char *cc = json_string_value(json_object_get(object, "compute_capability"));
    const char *name = json_string_value(json_object_get(object, "name"));
    struct smc_trace_gpu gpu = {.name = name && *name ? name : NULL};
    enum smc_status status;
    if ((status = own_read_whole(reading, object, "id", INT64_MIN, INT64_MAX, 0, &id)) != SMC_OK ||
        (status = own_read_whole(reading, object, "sm_count", 0, UINT32_MAX, 0, &sms)) != SMC_OK ||
        (status = own_read_whole(reading, object, "sm_clock_khz", 0, UINT32_MAX, 0, &clock)) !=
            SMC_OK ||
        (status = own_read_whole(reading, object, "global_mem_bytes", 0, INT64_MAX, 0, &memory)) !=
            SMC_OK ||
        (status = own_read_whole(reading, object, "l2_bytes", 0, INT64_MAX, 0, &l2)) != SMC_OK)
        return status;
    if (cc && !smc_capability_parse(cc, &gpu.cc))
        return own_fail(reading, "compute_capability",
                        json_object_get(object, "compute_capability"),
                        "a compute capability such as \"9.0\"");
    gpu.id = id;
    gpu.sm_count = (uint32_t)sms;
    gpu.clock_khz = (uint32_t)clock;
    gpu.global_mem_bytes = (uint64_t)memory;
    gpu.l2_bytes = (uint64_t)l2;
    *index = smc_trace_device(reading->trace, &gpu);
    return *index == SMC_TRACE_UNKNOWN ? smc_out_of_memory(reading->error) : SMC_OK;
}

static enum smc_status own_read_process(struct own_reading *reading, const json_t *object,
                                        int32_t *index)
{
    int64_t id;
    enum smc_status status =
        own_read_whole(reading, object, "id", 0, INT64_MAX, SMC_TRACE_UNKNOWN, &id);
    if (status != SMC_OK)
        return status;
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
static enum smc_status read_reference(const struct own_reading *reading, const json_t *object,
                                      const char *key, const int32_t *indices, size_t count,
                                      int32_t *index)
{
    int64_t at;
    enum smc_status status =
        own_read_whole(reading, object, key, 0, (int64_t)count - 1, SMC_TRACE_UNKNOWN, &at);
    *index = status == SMC_OK && at >= 0 ? indices[at] : SMC_TRACE_UNKNOWN;
    return status;
}

/* Members that are whole numbers, of 32 or 64 bits. */
#define MEMBER(member)                                                                             \
    offsetof(struct smc_trace_launch, member), sizeof((struct smc_trace_launch){0}.member)
static const struct {
    const char *key;
    size_t offset, bytes;
    int64_t least, most, absent;
} wholes[] = {
    {"launches", MEMBER(launches), 1, INT64_MAX, 1},
    {"graph_launches", MEMBER(graph_launches), 0, INT64_MAX, 0},
    {"timed_launches", MEMBER(timed_launches), 0, INT64_MAX, 0},
    {"registers_per_thread", MEMBER(regs_per_thread), 0, UINT16_MAX, SMC_TRACE_UNKNOWN},
    {"static_smem_bytes", MEMBER(static_smem_bytes), 0, UINT32_MAX, SMC_TRACE_UNKNOWN},
    {"dynamic_smem_bytes", MEMBER(dynamic_smem_bytes), 0, UINT32_MAX, SMC_TRACE_UNKNOWN},
    {"smem_bytes", MEMBER(smem_bytes), 0, INT64_MAX, SMC_TRACE_UNKNOWN},
    {"carveout_percent", MEMBER(carveout_percent), -1, 100, SMC_CARVEOUT_DEFAULT},
    {"smem_configured_bytes", MEMBER(smem_configured_bytes), 0, UINT32_MAX, SMC_TRACE_UNKNOWN},
    {"recorded_clusters", MEMBER(resident_clusters), 1, 1000000, SMC_TRACE_UNKNOWN},
    {"api_blocks_per_sm", MEMBER(api_blocks_per_sm), 0, UINT16_MAX, SMC_TRACE_UNKNOWN},
};
#undef MEMBER

static enum smc_status read_wholes(const struct own_reading *reading, const json_t *object,
                                   struct smc_trace_launch *launch)
{
    for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++) {
        int64_t number;
        enum smc_status status = own_read_whole(reading, object, wholes[i].key, wholes[i].least,
                                                wholes[i].most, wholes[i].absent, &number);
        if (status != SMC_OK)
            return status;
        void *member = (char *)launch + wholes[i].offset;
        if (wholes[i].bytes == sizeof(int32_t))
            *(int32_t *)member = (int32_t)number;
        else
            *(int64_t *)member = number;
    }
    if (launch->graph_launches > launch->launches || launch->timed_launches > launch->launches)
        return own_fail(reading, "launches", json_object_get(object, "launches"),
                        "at least as many as those of graphs, and as those with a time");
    if (launch->static_smem_bytes >= 0 && launch->dynamic_smem_bytes >= 0)
        launch->smem_bytes = SMC_TRACE_UNKNOWN; /* the sum of both, not recorded */
    return SMC_OK;
}

static enum smc_status read_cache_config(const struct own_reading *reading, const json_t *object,
                                         int32_t *config)
{
    const json_t *value = json_object_get(object, "cache_config");
    if (!value || json_is_null(value))
        return SMC_OK;
    *config = json_is_string(value) ? smc_trace_cache_config(json_string_value(value))
                                    : SMC_TRACE_UNKNOWN;
    if (*config != SMC_TRACE_UNKNOWN)
        return SMC_OK;
    return own_fail(reading, "cache_config", value, "none, shared, l1 or equal");
}

static enum smc_status own_read_launch(const struct own_reading *reading, const json_t *object,
                                       struct smc_trace_launch *launch)
{
    const double unknown = SMC_TRACE_UNKNOWN;
    const char *name = json_string_value(json_object_get(object, "mangled_name"));
    enum smc_status status;
    if (!name)
        name = json_string_value(json_object_get(object, "name"));
    if (!name || !*name)
        return own_fail(reading, "name", json_object_get(object, "name"), "the name of a kernel");
    launch->name = (char *)(uintptr_t)name; /* it is copied */
    if ((status = read_reference(reading, object, "device", reading->device, reading->device_count,
                                 &launch->device)) != SMC_OK ||
        (status = read_reference(reading, object, "process", reading->process,
                                 reading->process_count, &launch->process)) != SMC_OK ||
        (status = read_reference(reading, object, "module", reading->module, reading->module_count,
                                 &launch->module)) != SMC_OK ||
        (status = own_read_extent(reading, object, "grid_dim", launch->grid)) != SMC_OK ||
        (status = own_read_extent(reading, object, "block_dim", launch->block)) != SMC_OK ||
        (status = own_read_extent(reading, object, "cluster_dim", launch->cluster)) != SMC_OK ||
        (status = read_wholes(reading, object, launch)) != SMC_OK ||
        (status = read_cache_config(reading, object, &launch->cache_config)) != SMC_OK ||
        (status = read_time(reading, object, "total_ms", &launch->total_ns)) != SMC_OK ||
        (status = read_time(reading, object, "least_ms", &launch->least_ns)) != SMC_OK ||
        (status = read_time(reading, object, "greatest_ms", &launch->greatest_ns)) != SMC_OK ||
        (status = own_read_real(reading, object, "recorded_occupancy_percent", 100, unknown,
                                &launch->recorded_occupancy_percent)) != SMC_OK)
        return status;
    return own_read_real(reading, object, "achieved_occupancy_percent", 100, unknown,
                         &launch->achieved_occupancy_percent);
}

static enum smc_status own_read_kernels(struct own_reading *reading, const json_t *root)
{
    const json_t *list = json_object_get(root, "kernels");
    const size_t count = json_array_size(list);
    enum smc_status status = SMC_OK;
    reading->launch = smc_calloc(count + 1, sizeof *reading->launch);
    if (!reading->launch)
        return smc_out_of_memory(reading->error);
    reading->launch_count = count;
    reading->list = "kernels";
    for (size_t i = 0; i < count && status == SMC_OK; i++) {
        struct smc_trace_launch launch;
        smc_trace_launch_init(&launch);
        reading->index = i;
        status = own_read_launch(reading, json_array_get(list, i), &launch);
        if (status == SMC_OK)
            status = smc_trace_add_launches(reading->trace, &launch, &reading->launch[i],
                                            reading->error);
    }
    const json_int_t all =
        json_integer_value(json_object_get(json_object_get(root, "summary"), "configurations"));
    if (status == SMC_OK && all > (json_int_t)count)
        smc_trace_note(reading->trace, "only %zu of %lld configurations are in this file", count,
                       (long long)all);
    return status;
}

/* --- The course ------------------------------------------------------------------------------- */

/* [kernel, ns, kernel, ns, ...] */
static enum smc_status read_slice(const struct own_reading *reading, size_t slice,
                                  const json_t *list)
{
    enum smc_status status = SMC_OK;
    for (size_t i = 0; i + 1 < json_array_size(list) && status == SMC_OK; i += 2) {
        const json_t *kernel = json_array_get(list, i), *ns = json_array_get(list, i + 1);
        const json_int_t index = json_integer_value(kernel);
        if (!json_is_integer(kernel) || index < 0 || (size_t)index >= reading->launch_count ||
            !json_is_integer(ns) || json_integer_value(ns) < 0)
            return own_fail(reading, "slices", list, "pairs of a kernel's index and nanoseconds");
        status = smc_trace_add_share(reading->trace, slice, reading->launch[index],
                                     (uint64_t)json_integer_value(ns), reading->error);
    }
    return status;
}

static enum smc_status read_course(struct own_reading *reading, const json_t *root)
{
    const json_t *course = json_object_get(root, "course");
    const json_t *slices = json_object_get(course, "slices");
    int64_t begin_ns, slice_ns;
    enum smc_status status;
    reading->list = "course";
    reading->index = 0;
    if (!json_is_object(course))
        return SMC_OK;
    if ((status = own_read_whole(reading, course, "begin_ns", 0, INT64_MAX / 2, 0, &begin_ns)) !=
            SMC_OK ||
        (status = own_read_whole(reading, course, "slice_ns", 1, INT64_MAX / 2 / SMC_TRACE_SLICES,
                                 1, &slice_ns)) != SMC_OK)
        return status;
    if (json_array_size(slices) > SMC_TRACE_SLICES)
        return smc_fail(reading->error, SMC_USAGE, "%s: course: %zu slices; %d are the most",
                        reading->file, json_array_size(slices), SMC_TRACE_SLICES);
    smc_trace_begin_course(reading->trace, (uint64_t)begin_ns, (uint64_t)slice_ns);
    for (size_t i = 0; i < json_array_size(slices) && status == SMC_OK; i++)
        status = read_slice(reading, i, json_array_get(slices, i));
    return status;
}

/* --- The trace as a whole --------------------------------------------------------------------- */

static enum smc_trace_source find_source(const char *name)
{
    for (int i = 0; i < SMC_TRACE_SOURCE_COUNT && name; i++)
        if (strcmp(smc_trace_source_name((enum smc_trace_source)i), name) == 0)
            return (enum smc_trace_source)i;
    return SMC_TRACE_SMEMCALC;
}

static enum smc_status own_read_header(struct own_reading *reading, const json_t *object)
{
    struct smc_trace *trace = reading->trace;
    const json_t *notes = json_object_get(object, "notes");
    const json_t *findings = json_object_get(object, "findings");
    int64_t exit_status, exit_signal, skipped;
    enum smc_status status;
    reading->list = "trace";
    if ((status = own_read_text(reading, object, "program", &trace->program)) != SMC_OK ||
        (status = own_read_text(reading, object, "tool", &trace->tool)) != SMC_OK ||
        (status = own_read_whole(reading, object, "exit_status", 0, 255, -1, &exit_status)) !=
            SMC_OK ||
        (status = own_read_whole(reading, object, "exit_signal", 1, 255, -1, &exit_signal)) !=
            SMC_OK ||
        (status = own_read_whole(reading, object, "skipped_launches", 0, INT64_MAX, 0, &skipped)) !=
            SMC_OK)
        return status;
    trace->source = find_source(json_string_value(json_object_get(object, "source")));
    trace->has_exit = exit_status >= 0 || exit_signal >= 0;
    trace->exit_status = exit_status >= 0 ? (int)exit_status : 0;
    trace->exit_signal = exit_signal >= 0 ? (int)exit_signal : 0;
    trace->skipped = (uint64_t)skipped;
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
    struct smc_text bytes = {0};
    struct own_reading reading = {.file = input->shown, .trace = trace, .error = error};
    json_error_t why;
    enum smc_status status =
        smc_trace_input_text(input, "report of a trace", MOST_BYTES, &bytes, error);
    json_t *root = status == SMC_OK
                       ? json_loadb(bytes.data, bytes.length, JSON_REJECT_DUPLICATES, &why)
                       : NULL;
    smc_text_free(&bytes);
    if (root)
        status = own_read_root(&reading, root);
    else if (status == SMC_OK)
        status =
            smc_fail(error, SMC_USAGE, "%s:%d: damaged JSON: %s", reading.file, why.line, why.text);
    json_decref(root);
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
