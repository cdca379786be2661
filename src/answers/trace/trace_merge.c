/* Several recorded files as one trace: those of the processes or ranks of one program. */
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "answers/trace_answer.h"
#include "base/file.h"
#include "base/memory.h"

/* --- What cannot be merged -------------------------------------------------------------------- */

static enum smc_status refuse_repeated(const char *const *files, size_t count,
                                       struct smc_error *error)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(files[i], files[k]) == 0 || smc_file_is_same(files[i], files[k]))
                return smc_fail(error, SMC_USAGE, "%s: given twice: its launches would count twice",
                                files[i]);
    return SMC_OK;
}

static bool has_times(const struct smc_trace *trace)
{
    for (size_t i = 0; i < trace->launch_count; i++)
        if (trace->launches[i].timed_launches > 0)
            return true;
    return false;
}

static bool trace_merge_has_launches(const struct smc_trace *trace)
{
    for (size_t i = 0; i < trace->launch_count; i++)
        if (trace->launches[i].launches > 0)
            return true;
    return false;
}

/* Whether the launches of both can be added. */
static enum smc_status check_pair(const struct smc_trace *part, const struct smc_trace *other,
                                  struct smc_error *error)
{
    if (part->source != other->source)
        return smc_fail(
            error, SMC_USAGE,
            "%s: recorded by %s, but %s by %s; only files of one tool are read together",
            part->file, smc_trace_sources[part->source].words, other->file,
            smc_trace_sources[other->source].words);
    if (trace_merge_has_launches(part) && trace_merge_has_launches(other) &&
        has_times(part) != has_times(other))
        return smc_fail(error, SMC_USAGE,
                        "%s has no times, but %s has: shares of the time cannot be computed for "
                        "both together",
                        has_times(part) ? other->file : part->file,
                        has_times(part) ? part->file : other->file);
    if (part->world_size > 1 && other->world_size > 1 && part->world_size != other->world_size)
        return smc_fail(error, SMC_USAGE, "%s: of a job of %" PRId64 " ranks, but %s of %" PRId64,
                        part->file, part->world_size, other->file, other->world_size);
    if (part->world_size > 1 && other->world_size > 1 && part->rank == other->rank)
        return smc_fail(error, SMC_USAGE,
                        "%s: rank %" PRId64 ", as %s; one file of each rank is read", part->file,
                        part->rank, other->file);
    return SMC_OK;
}

/* --- Adding a file ---------------------------------------------------------------------------- */

/* A file's GPUs, processes and modules have these indices in the merged trace. */
struct indices {
    int32_t *device, *process, *module;
    size_t *launch;
    int32_t of_file; /* the process of launches without one */
};

static bool is_id_free(const struct smc_trace *trace, int64_t id)
{
    for (size_t i = 0; i < trace->device_count; i++)
        if (trace->devices[i].id == id)
            return false;
    return true;
}

/* No file says whether its GPU 0 is that of another one. Ranks have GPUs of their own. */
static bool add_devices(struct smc_trace *trace, const struct smc_trace *part,
                        struct indices *indices)
{
    if (part->device_count == 0)
        return true;
    const size_t all = trace->device_count + part->device_count;
    struct smc_trace_device *grown = smc_realloc(trace->devices, all * sizeof *grown);
    if (!grown)
        return false;
    trace->devices = grown;
    for (size_t i = 0; i < part->device_count; i++) {
        struct smc_trace_device added = part->devices[i];
        for (int64_t id = 0; !is_id_free(trace, added.id); id++)
            added.id = id;
        indices->device[i] = (int32_t)trace->device_count;
        trace->devices[trace->device_count++] = added;
    }
    return true;
}

static bool add_processes(struct smc_trace *trace, const struct smc_trace *part,
                          struct indices *indices)
{
    for (size_t i = 0; i < part->process_count; i++) {
        const struct smc_trace_process *process = &part->processes[i];
        indices->process[i] =
            smc_trace_process_of_file(trace, process->id, process->command, part->file);
        if (indices->process[i] == SMC_TRACE_UNKNOWN)
            return false;
    }
    return true;
}

static bool add_modules(struct smc_trace *trace, const struct smc_trace *part,
                        struct indices *indices)
{
    for (size_t i = 0; i < part->module_count; i++) {
        indices->module[i] = smc_trace_module(trace, part->modules[i].file);
        if (indices->module[i] == SMC_TRACE_UNKNOWN)
            return false;
    }
    return true;
}

/* The file stands for the process of launches whose process it does not name. */
static bool add_process_of_file(struct smc_trace *trace, const struct smc_trace *part,
                                struct indices *indices)
{
    size_t i = 0;
    while (i < part->launch_count && part->launches[i].process >= 0)
        i++;
    indices->of_file = SMC_TRACE_UNKNOWN;
    if (i == part->launch_count)
        return true;
    indices->of_file = smc_trace_process_of_file(trace, SMC_TRACE_UNKNOWN, NULL, part->file);
    return indices->of_file != SMC_TRACE_UNKNOWN;
}

static enum smc_status add_launches(struct smc_trace *trace, const struct smc_trace *part,
                                    struct indices *indices, struct smc_error *error)
{
    for (size_t i = 0; i < part->launch_count; i++) {
        struct smc_trace_launch launch = part->launches[i];
        if (launch.device >= 0)
            launch.device = indices->device[launch.device];
        if (launch.module >= 0)
            launch.module = indices->module[launch.module];
        launch.process = launch.process >= 0 ? indices->process[launch.process] : indices->of_file;
        SMC_TRY(smc_trace_add_launches(trace, &launch, &indices->launch[i], error));
    }
    return SMC_OK;
}

/* The files have different clocks, so each course begins with the first launch of its file. */
static enum smc_status trace_merge_add_course(struct smc_trace *trace, const struct smc_trace *part,
                                              const struct indices *indices,
                                              struct smc_error *error)
{
    enum smc_status status = SMC_OK;
    for (size_t i = 0; i < SMC_TRACE_SLICES && part->course.begun; i++) {
        const struct smc_trace_slice *slice = &part->course.slice[i];
        const size_t at = (size_t)(i * part->course.slice_ns / trace->course.slice_ns);
        for (size_t k = 0; k < slice->count && status == SMC_OK; k++)
            status = smc_trace_add_share(trace, at, indices->launch[slice->share[k].launch],
                                         slice->share[k].ns, error);
    }
    return status;
}

static enum smc_status trace_merge_add_part(struct smc_trace *trace, const struct smc_trace *part,
                                            struct smc_error *error)
{
    struct indices indices = {
        .device = smc_calloc(part->device_count + 1, sizeof *indices.device),
        .process = smc_calloc(part->process_count + 1, sizeof *indices.process),
        .module = smc_calloc(part->module_count + 1, sizeof *indices.module),
        .launch = smc_calloc(part->launch_count + 1, sizeof *indices.launch),
    };
    const bool ok = indices.device && indices.process && indices.module && indices.launch &&
                    add_devices(trace, part, &indices) && add_processes(trace, part, &indices) &&
                    add_modules(trace, part, &indices) &&
                    add_process_of_file(trace, part, &indices);
    enum smc_status status =
        ok ? add_launches(trace, part, &indices, error) : smc_out_of_memory(error);
    if (status == SMC_OK)
        status = trace_merge_add_course(trace, part, &indices, error);
    free(indices.device);
    free(indices.process);
    free(indices.module);
    free(indices.launch);
    return status;
}

/* --- The trace as a whole --------------------------------------------------------------------- */

static bool has_note(const struct smc_trace *trace, const char *line, size_t length)
{
    for (const char *at = smc_text_string(&trace->notes); *at;) {
        const size_t other = strcspn(at, "\n");
        if (other == length && memcmp(at, line, length) == 0)
            return true;
        at += other + (at[other] == '\n');
    }
    return false;
}

/* What is true of all files is noted once, anything else with the file's name. */
static void add_notes(struct smc_trace *trace, struct smc_trace *const *parts, size_t count,
                      const struct smc_trace *part)
{
    for (const char *at = smc_text_string(&part->notes); *at;) {
        const size_t length = strcspn(at, "\n");
        bool common = true;
        for (size_t i = 0; i < count; i++)
            common = common && has_note(parts[i], at, length);
        smc_trace_note(trace, "%s%s%.*s", common ? "" : part->file, common ? "" : ": ", (int)length,
                       at);
        at += length + (at[length] == '\n');
    }
    if (part->has_exit && part->exit_signal)
        smc_trace_note(trace, "%s: the program was ended by signal %d", part->file,
                       part->exit_signal);
    else if (part->has_exit && part->exit_status)
        smc_trace_note(trace, "%s: the program ended with exit status %d", part->file,
                       part->exit_status);
}

/* Whether all parts have the same text in the member at this offset. */
static bool trace_merge_is_common(struct smc_trace *const *parts, size_t count, size_t offset)
{
    const char *first = *(char *const *)((const char *)parts[0] + offset);
    for (size_t i = 0; i < count; i++) {
        const char *text = *(char *const *)((const char *)parts[i] + offset);
        if (!first || !text || strcmp(first, text) != 0)
            return false;
    }
    return true;
}

/* "rank0.json, rank1.json", "rank0.json and 7 more". */
static enum smc_status name_files(struct smc_trace *trace, struct smc_trace *const *parts,
                                  size_t count, struct smc_error *error)
{
    enum { MOST_NAMED = 3 };
    struct smc_text names = {0};
    for (size_t i = 0; i < count && count <= MOST_NAMED; i++)
        smc_text_printf(&names, "%s%s", i ? ", " : "", parts[i]->file);
    if (count > MOST_NAMED)
        smc_text_printf(&names, "%s and %zu more", parts[0]->file, count - 1);
    if (names.failed)
        return smc_out_of_memory(error);
    trace->file = names.data;
    return SMC_OK;
}

static void copy_common_names(struct smc_trace *trace, struct smc_trace *const *parts, size_t count)
{
    if (trace_merge_is_common(parts, count, offsetof(struct smc_trace, program)))
        trace->program = smc_strdup(parts[0]->program);
    if (trace_merge_is_common(parts, count, offsetof(struct smc_trace, tool)))
        trace->tool = smc_strdup(parts[0]->tool);
}

static void note_ranks(struct smc_trace *trace, struct smc_trace *const *parts, size_t count)
{
    size_t ranks = 0;
    int64_t all = 0;
    for (size_t i = 0; i < count; i++)
        if (parts[i]->world_size > 1) {
            ranks++;
            all = parts[i]->world_size;
        }
    if (ranks > 0 && (int64_t)ranks < all)
        smc_trace_note(trace, "only %zu of %" PRId64 " ranks are in these files", ranks, all);
}

static enum smc_status trace_merge(struct smc_trace *const *parts, size_t count,
                                   struct smc_trace *trace, struct smc_error *error)
{
    uint64_t slice_ns = 0;
    bool begun = false;
    trace->source = parts[0]->source;
    trace->launches_unknown = parts[0]->launches_unknown;
    for (size_t i = 0; i < count; i++) {
        const struct smc_trace_course *course = &parts[i]->course;
        begun |= course->begun;
        slice_ns = course->slice_ns > slice_ns ? course->slice_ns : slice_ns;
    }
    if (begun)
        smc_trace_begin_course(trace, 0, slice_ns);
    copy_common_names(trace, parts, count);
    SMC_TRY(name_files(trace, parts, count, error));
    for (size_t i = 0; i < count; i++) {
        trace->skipped += parts[i]->skipped;
        add_notes(trace, parts, count, parts[i]);
        SMC_TRY(trace_merge_add_part(trace, parts[i], error));
    }
    note_ranks(trace, parts, count);
    return SMC_OK;
}

static enum smc_status trace_merge_read_part(const char *file,
                                             const struct smc_trace_filter *filter,
                                             struct smc_trace **part, struct smc_error *error)
{
    *part = smc_calloc(1, sizeof **part);
    if (!*part)
        return smc_out_of_memory(error);
    (*part)->filter = *filter;
    return smc_trace_read(file, *part, error);
}

enum smc_status smc_trace_read_files(const char *const *files, size_t count,
                                     struct smc_trace *trace, struct smc_error *error)
{
    if (count == 1) {
        enum smc_status status = smc_trace_read(files[0], trace, error);
        if (status == SMC_OK && trace->world_size > 1)
            smc_trace_note(trace, "only rank %" PRId64 " of %" PRId64 " is in this file",
                           trace->rank, trace->world_size);
        return status;
    }
    enum smc_status status = refuse_repeated(files, count, error);
    struct smc_trace **parts = smc_calloc(count, sizeof *parts);
    if (!parts)
        return smc_out_of_memory(error);
    for (size_t i = 0; i < count && status == SMC_OK; i++) {
        status = trace_merge_read_part(files[i], &trace->filter, &parts[i], error);
        for (size_t k = 0; k < i && status == SMC_OK; k++)
            status = check_pair(parts[i], parts[k], error);
    }
    if (status == SMC_OK)
        status = trace_merge(parts, count, trace, error);
    for (size_t i = 0; i < count && parts[i]; i++) {
        smc_trace_free(parts[i]);
        free(parts[i]);
    }
    free(parts);
    return status;
}
