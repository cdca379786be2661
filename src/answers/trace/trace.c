/* The records of a trace: launches with one configuration are one record, whatever their number. */
#include "config.h"

#include "answers/trace/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "code/names.h"
#include "code/user_kernels.h"
#include "rules/headroom.h"

void smc_trace_launch_init(struct smc_trace_launch *launch)
{
    *launch = (struct smc_trace_launch){
        .device = SMC_TRACE_UNKNOWN,
        .process = SMC_TRACE_UNKNOWN,
        .module = SMC_TRACE_UNKNOWN,
        .regs_per_thread = SMC_TRACE_UNKNOWN,
        .static_smem_bytes = SMC_TRACE_UNKNOWN,
        .dynamic_smem_bytes = SMC_TRACE_UNKNOWN,
        .carveout_percent = SMC_CARVEOUT_DEFAULT,
        .cache_config = SMC_TRACE_UNKNOWN,
        .smem_configured_bytes = SMC_TRACE_UNKNOWN,
        .resident_clusters = SMC_TRACE_UNKNOWN,
        .launches = 1,
        .api_blocks_per_sm = SMC_TRACE_UNKNOWN,
        .recorded_occupancy_percent = SMC_TRACE_UNKNOWN,
        .achieved_occupancy_percent = SMC_TRACE_UNKNOWN,
        .smem_bytes = SMC_TRACE_UNKNOWN,
    };
}

int32_t smc_trace_cache_config(const char *words)
{
    static const char *const names[SMC_CACHE_CONFIGS] = {
        [SMC_CACHE_PREFER_NONE] = "none",
        [SMC_CACHE_PREFER_SHARED] = "shared",
        [SMC_CACHE_PREFER_L1] = "l1",
        [SMC_CACHE_PREFER_EQUAL] = "equal",
    };
    for (int32_t i = 0; i < SMC_CACHE_CONFIGS; i++)
        if (strcasestr(words, names[i]))
            return i;
    return SMC_TRACE_UNKNOWN;
}

int64_t smc_trace_smem_bytes(const struct smc_trace_launch *launch, const struct smc_device *device)
{
    if (launch->smem_has_reserve && !device)
        return SMC_TRACE_UNKNOWN;
    if (launch->smem_has_reserve) {
        const int64_t reserve = device->sm.smem_reserved_per_block_bytes;
        return launch->smem_bytes > reserve ? launch->smem_bytes - reserve : 0;
    }
    if (launch->smem_bytes != SMC_TRACE_UNKNOWN)
        return launch->smem_bytes;
    if (launch->static_smem_bytes == SMC_TRACE_UNKNOWN ||
        launch->dynamic_smem_bytes == SMC_TRACE_UNKNOWN)
        return SMC_TRACE_UNKNOWN;
    return launch->static_smem_bytes + launch->dynamic_smem_bytes;
}

/* --- Finding a record ------------------------------------------------------------------------- */

static uint64_t trace_hash_key(const struct smc_trace_launch *launch)
{
    const int64_t key[] = {launch->device,
                           launch->process,
                           launch->module,
                           launch->grid[0],
                           launch->grid[1],
                           launch->grid[2],
                           launch->block[0],
                           launch->block[1],
                           launch->block[2],
                           launch->cluster[0],
                           launch->cluster[1],
                           launch->cluster[2],
                           launch->regs_per_thread,
                           launch->static_smem_bytes,
                           launch->dynamic_smem_bytes,
                           launch->carveout_percent,
                           launch->cache_config,
                           launch->smem_bytes,
                           launch->smem_has_reserve,
                           (int64_t)(1000 * launch->recorded_occupancy_percent)};
    uint64_t hash = smc_hash(SMC_HASH_START, launch->name, strlen(launch->name));
    return smc_hash(hash, key, sizeof key);
}

static bool trace_is_same(const struct smc_trace_launch *a, const struct smc_trace_launch *b)
{
    return a->key_hash == b->key_hash && a->device == b->device && a->process == b->process &&
           a->module == b->module && memcmp(a->grid, b->grid, sizeof a->grid) == 0 &&
           memcmp(a->block, b->block, sizeof a->block) == 0 &&
           memcmp(a->cluster, b->cluster, sizeof a->cluster) == 0 &&
           a->regs_per_thread == b->regs_per_thread &&
           a->static_smem_bytes == b->static_smem_bytes &&
           a->dynamic_smem_bytes == b->dynamic_smem_bytes &&
           a->carveout_percent == b->carveout_percent && a->cache_config == b->cache_config &&
           a->smem_bytes == b->smem_bytes && a->smem_has_reserve == b->smem_has_reserve &&
           a->recorded_occupancy_percent == b->recorded_occupancy_percent &&
           strcmp(a->name, b->name) == 0;
}

/* The place of the record in the index, or the empty one where it belongs. */
static size_t *trace_find_place(const struct smc_trace *trace,
                                const struct smc_trace_launch *launch)
{
    const size_t mask = trace->index_size - 1;
    size_t at = launch->key_hash & mask;
    while (trace->index[at] != SIZE_MAX &&
           !trace_is_same(&trace->launches[trace->index[at]], launch))
        at = (at + 1) & mask;
    return &trace->index[at];
}

static bool grow_index(struct smc_trace *trace)
{
    if (2 * (trace->launch_count + 1) <= trace->index_size)
        return true;
    const size_t size = trace->index_size ? 2 * trace->index_size : 64;
    size_t *index = smc_malloc(size * sizeof *index);
    if (!index)
        return false;
    memset(index, 0xff, size * sizeof *index);
    free(trace->index);
    trace->index = index;
    trace->index_size = size;
    for (size_t i = 0; i < trace->launch_count; i++)
        *trace_find_place(trace, &trace->launches[i]) = i;
    return true;
}

static char *safe_copy(const char *text)
{
    char *copy = smc_strdup(text);
    if (copy)
        smc_utf8_make_safe(copy);
    return copy;
}

/* The patterns are compared with the name as it is shown. */
static bool trace_is_wanted(const struct smc_trace *trace, const struct smc_trace_launch *launch)
{
    for (size_t i = 0; i < trace->filter.pattern_count; i++)
        if (smc_name_matches(trace->filter.patterns[i], launch->shown, launch->name))
            return true;
    return trace->filter.pattern_count == 0;
}

/* The record with the key of `wanted`, which is made without launches if it is new. NULL: memory.
 */
static struct smc_trace_launch *find_or_add(struct smc_trace *trace,
                                            const struct smc_trace_launch *wanted)
{
    struct smc_trace_launch added = *wanted;
    if (!grow_index(trace) || !smc_make_room(&trace->launches, trace->launch_count,
                                             &trace->launch_capacity, sizeof *trace->launches))
        return NULL;
    added.key_hash = trace_hash_key(wanted);
    size_t *place = trace_find_place(trace, &added);
    if (*place != SIZE_MAX)
        return &trace->launches[*place];
    added.name = smc_strdup(wanted->name);
    added.shown = added.name ? smc_demangle(added.name) : NULL;
    if (!added.shown) {
        free(added.name);
        return NULL;
    }
    smc_utf8_make_safe(added.shown);
    added.launches = added.graph_launches = added.timed_launches = added.total_ns = 0;
    added.achieved_occupancy_percent = SMC_TRACE_UNKNOWN;
    added.wanted = trace_is_wanted(trace, &added);
    *place = trace->launch_count;
    trace->launches[trace->launch_count] = added;
    return &trace->launches[trace->launch_count++];
}

/* --- Adding launches -------------------------------------------------------------------------- */

/* How many of the next `launches` the filter lets through. */
static uint64_t pass_filter(struct smc_trace *trace, uint64_t launches)
{
    const uint64_t first = trace->filter.skip;
    const uint64_t end = trace->filter.count ? first + trace->filter.count : UINT64_MAX;
    const uint64_t before = trace->wanted, after = before + launches;
    trace->wanted = after;
    const uint64_t from = before > first ? before : first, to = after < end ? after : end;
    const uint64_t passed = to > from ? to - from : 0;
    trace->skipped += launches - passed;
    return passed;
}

/* `part` of `whole`, of a sum. */
static uint64_t scale(uint64_t sum, uint64_t part, uint64_t whole)
{
    return part == whole ? sum : (uint64_t)((double)sum * ((double)part / (double)whole));
}

/* One that is unknown is below 0. */
static double mean(double a, uint64_t a_weight, double b, uint64_t b_weight)
{
    if (a < 0)
        return b;
    if (b < 0)
        return a;
    const double weights = (double)a_weight + (double)b_weight;
    return (a * (double)a_weight + b * (double)b_weight) / weights;
}

static void trace_add_counts(struct smc_trace_launch *record, const struct smc_trace_launch *launch,
                             uint64_t passed)
{
    const uint64_t whole = launch->launches;
    const uint64_t timed = scale(launch->timed_launches, passed, whole);
    record->achieved_occupancy_percent = mean(record->achieved_occupancy_percent, record->launches,
                                              launch->achieved_occupancy_percent, passed);
    record->launches += passed;
    record->graph_launches += scale(launch->graph_launches, passed, whole);
    if (timed > 0) {
        if (record->timed_launches == 0 || launch->least_ns < record->least_ns)
            record->least_ns = launch->least_ns;
        if (record->timed_launches == 0 || launch->greatest_ns > record->greatest_ns)
            record->greatest_ns = launch->greatest_ns;
        record->timed_launches += timed;
        record->total_ns += scale(launch->total_ns, passed, whole);
    }
    if (launch->smem_configured_bytes > record->smem_configured_bytes)
        record->smem_configured_bytes = launch->smem_configured_bytes;
    if (launch->resident_clusters != SMC_TRACE_UNKNOWN)
        record->resident_clusters = launch->resident_clusters;
    if (launch->api_blocks_per_sm != SMC_TRACE_UNKNOWN)
        record->api_blocks_per_sm = launch->api_blocks_per_sm;
}

enum smc_status smc_trace_add_launches(struct smc_trace *trace,
                                       const struct smc_trace_launch *launch, size_t *index,
                                       struct smc_error *error)
{
    if (index)
        *index = SIZE_MAX;
    if (launch->launches == 0)
        return SMC_OK;
    struct smc_trace_launch *record = find_or_add(trace, launch);
    if (!record)
        return smc_out_of_memory(error);
    const uint64_t passed = record->wanted ? pass_filter(trace, launch->launches) : 0;
    if (passed == 0)
        return SMC_OK;
    trace_add_counts(record, launch, passed);
    if (index)
        *index = (size_t)(record - trace->launches);
    return SMC_OK;
}

/* --- The course of the program ---------------------------------------------------------------- */

static bool trace_append_share(struct smc_trace_slice *slice, struct smc_trace_share share)
{
    if (!smc_make_room(&slice->share, slice->count, &slice->capacity, sizeof *slice->share))
        return false;
    slice->share[slice->count++] = share;
    return true;
}

/* Whether the launch's share in the slice is where the last one was that was added. */
static bool is_in_place(const struct smc_trace_slice *slice, uint32_t launch, size_t place)
{
    return place < slice->count && slice->share[place].launch == launch;
}

static bool add_share(struct smc_trace *trace, struct smc_trace_slice *slice, uint32_t launch,
                      uint64_t ns)
{
    size_t *place = &trace->launches[launch].place;
    if (!is_in_place(slice, launch, *place))
        for (*place = 0; *place < slice->count; ++*place)
            if (slice->share[*place].launch == launch)
                break;
    if (*place == slice->count)
        return trace_append_share(slice, (struct smc_trace_share){.launch = launch, .ns = ns});
    slice->share[*place].ns += ns;
    return true;
}

/* Moves the shares of a slice into another one, to which only this function has added any since it
   was empty: every share there is in its place. */
static bool merge_slices(struct smc_trace *trace, struct smc_trace_slice *to,
                         const struct smc_trace_slice *from)
{
    for (size_t i = 0; i < from->count; i++) {
        const struct smc_trace_share *share = &from->share[i];
        size_t *place = &trace->launches[share->launch].place;
        if (is_in_place(to, share->launch, *place)) {
            to->share[*place].ns += share->ns;
            continue;
        }
        *place = to->count;
        if (!trace_append_share(to, *share))
            return false;
    }
    return true;
}

/* Makes each slice twice as long, so that the course covers twice the time. */
static bool trace_double_slices(struct smc_trace *trace)
{
    struct smc_trace_course *course = &trace->course;
    for (size_t i = 0; i < SMC_TRACE_SLICES; i++) {
        struct smc_trace_slice old = course->slice[i];
        course->slice[i] = (struct smc_trace_slice){0};
        const bool ok = merge_slices(trace, &course->slice[i / 2], &old);
        free(old.share);
        if (!ok)
            return false;
    }
    course->slice_ns *= 2;
    return true;
}

/* Moves the slices to later places, so that the course begins at `begin_ns` or before. */
static bool begin_earlier(struct smc_trace *trace, uint64_t begin_ns)
{
    struct smc_trace_course *course = &trace->course;
    while (course->begin_ns - begin_ns > SMC_TRACE_SLICES / 2 * course->slice_ns)
        if (!trace_double_slices(trace))
            return false;
    const uint64_t missing = course->begin_ns - begin_ns;
    const size_t shift = (size_t)((missing + course->slice_ns - 1) / course->slice_ns);
    for (size_t i = SMC_TRACE_SLICES - shift; i < SMC_TRACE_SLICES; i++)
        if (course->slice[i].count > 0)
            return trace_double_slices(trace) && begin_earlier(trace, begin_ns);
    memmove(course->slice + shift, course->slice,
            (SMC_TRACE_SLICES - shift) * sizeof *course->slice);
    memset(course->slice, 0, shift * sizeof *course->slice);
    const uint64_t moved = shift * course->slice_ns;
    course->begin_ns = course->begin_ns > moved ? course->begin_ns - moved : 0;
    return true;
}

enum smc_status smc_trace_add_span(struct smc_trace *trace, size_t index, uint64_t begin_ns,
                                   uint64_t end_ns, struct smc_error *error)
{
    struct smc_trace_course *course = &trace->course;
    bool ok = true;
    if (index == SIZE_MAX || end_ns <= begin_ns)
        return SMC_OK;
    if (!course->begun) {
        course->begun = true;
        course->begin_ns = begin_ns;
        course->slice_ns = 1000;
    }
    if (begin_ns < course->begin_ns)
        ok = begin_earlier(trace, begin_ns);
    while (ok && (end_ns - 1 - course->begin_ns) / course->slice_ns >= SMC_TRACE_SLICES)
        ok = trace_double_slices(trace);
    while (ok && begin_ns < end_ns) {
        const uint64_t slice = (begin_ns - course->begin_ns) / course->slice_ns;
        const uint64_t next = course->begin_ns + (slice + 1) * course->slice_ns;
        const uint64_t until = next < end_ns ? next : end_ns;
        ok = add_share(trace, &course->slice[slice], (uint32_t)index, until - begin_ns);
        begin_ns = until;
    }
    return ok ? SMC_OK : smc_out_of_memory(error);
}

void smc_trace_begin_course(struct smc_trace *trace, uint64_t begin_ns, uint64_t slice_ns)
{
    trace->course.begun = true;
    trace->course.begin_ns = begin_ns;
    trace->course.slice_ns = slice_ns;
}

enum smc_status smc_trace_add_share(struct smc_trace *trace, size_t slice, size_t index,
                                    uint64_t ns, struct smc_error *error)
{
    if (index == SIZE_MAX || ns == 0)
        return SMC_OK;
    return add_share(trace, &trace->course.slice[slice], (uint32_t)index, ns)
               ? SMC_OK
               : smc_out_of_memory(error);
}

/* --- GPUs, processes, modules, notes ---------------------------------------------------------- */

/* MIG and boards with fewer SMs: the recorded number counts. Limits of an SM are the table's. */
static void take_recorded(struct smc_trace *trace, const struct smc_trace_gpu *gpu,
                          struct smc_device *device)
{
    const struct {
        uint32_t recorded, known;
        const char *what;
    } limits[] = {
        {gpu->regs_per_sm, device->sm.regs_per_sm, "registers per SM"},
        {gpu->max_threads_per_sm, device->sm.max_threads_per_sm, "threads per SM"},
        {gpu->smem_per_sm_bytes, device->sm.smem_per_sm_bytes, "bytes of shared memory per SM"},
    };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (limits[i].recorded != 0 && limits[i].recorded != limits[i].known)
            smc_trace_note(trace, "%s: %u %s were recorded, but compute capability %u.%u has %u",
                           device->name, limits[i].recorded, limits[i].what, device->sm.cc / 10u,
                           device->sm.cc % 10u, limits[i].known);
    if (gpu->sm_count)
        device->sm_count = gpu->sm_count;
    if (gpu->clock_khz)
        device->sm_clock_khz = gpu->clock_khz;
    if (gpu->global_mem_bytes)
        device->global_mem_bytes = gpu->global_mem_bytes;
    if (gpu->l2_bytes)
        device->l2_bytes = gpu->l2_bytes;
}

/* The board of that name, if it has the recorded compute capability; else the capability alone. */
static void trace_find_device(struct smc_trace *trace, const struct smc_trace_gpu *gpu,
                              struct smc_trace_device *out)
{
    char note[256];
    struct smc_capability capability;
    out->known = gpu->name && smc_device_find(gpu->name, &out->device, note, NULL) == SMC_OK &&
                 (gpu->cc == 0 || out->device.sm.cc == gpu->cc);
    if (!out->known && gpu->cc != 0) {
        out->known = smc_capability_find(gpu->cc, &capability);
        if (!out->known)
            smc_trace_note(
                trace,
                "compute capability %u.%u is not in the table: occupancy on that GPU is unknown",
                gpu->cc / 10u, gpu->cc % 10u);
        else
            smc_device_of_capability(&capability, &out->device);
    }
    if (gpu->name) {
        smc_auto_text name = {0};
        smc_text_append(&name, gpu->name);
        if (name.data)
            smc_utf8_make_safe(name.data);
        snprintf(out->device.name, sizeof out->device.name, "%.127s", smc_text_string(&name));
    }
    if (out->known)
        take_recorded(trace, gpu, &out->device);
    else
        out->device.sm_count = gpu->sm_count;
}

int32_t smc_trace_device(struct smc_trace *trace, const struct smc_trace_gpu *gpu)
{
    for (size_t i = 0; i < trace->device_count; i++)
        if (trace->devices[i].id == gpu->id) {
            if (!trace->devices[i].known)
                trace_find_device(trace, gpu, &trace->devices[i]);
            return (int32_t)i;
        }
    if (!smc_make_room(&trace->devices, trace->device_count, NULL, sizeof *trace->devices))
        return SMC_TRACE_UNKNOWN;
    struct smc_trace_device *added = &trace->devices[trace->device_count];
    *added = (struct smc_trace_device){.id = gpu->id};
    trace_find_device(trace, gpu, added);
    return (int32_t)trace->device_count++;
}

static bool is_equal_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

int32_t smc_trace_process(struct smc_trace *trace, int64_t id, const char *command)
{
    return smc_trace_process_of_file(trace, id, command, NULL);
}

int32_t smc_trace_process_of_file(struct smc_trace *trace, int64_t id, const char *command,
                                  const char *file)
{
    for (size_t i = 0; i < trace->process_count; i++)
        if (trace->processes[i].id == id && is_equal_text(trace->processes[i].file, file))
            return (int32_t)i;
    if (!smc_make_room(&trace->processes, trace->process_count, NULL, sizeof *trace->processes))
        return SMC_TRACE_UNKNOWN;
    const struct smc_trace_process added = {
        .id = id,
        .command = command ? safe_copy(command) : NULL,
        .file = file ? safe_copy(file) : NULL,
    };
    if ((command && !added.command) || (file && !added.file)) {
        free(added.command);
        free(added.file);
        return SMC_TRACE_UNKNOWN;
    }
    trace->processes[trace->process_count] = added;
    return (int32_t)trace->process_count++;
}

int32_t smc_trace_module(struct smc_trace *trace, const char *file)
{
    for (size_t i = 0; i < trace->module_count; i++)
        if (strcmp(trace->modules[i].file, file) == 0)
            return (int32_t)i;
    if (!smc_make_room(&trace->modules, trace->module_count, NULL, sizeof *trace->modules))
        return SMC_TRACE_UNKNOWN;
    struct smc_trace_module *added = &trace->modules[trace->module_count];
    *added = (struct smc_trace_module){.file = smc_strdup(file), .shown = safe_copy(file)};
    if (!added->file || !added->shown) {
        free(added->file);
        free(added->shown);
        return SMC_TRACE_UNKNOWN;
    }
    return (int32_t)trace->module_count++;
}

static bool holds_line(const char *text, const char *line)
{
    const size_t length = strlen(line);
    for (const char *at = text; (at = strstr(at, line)); at += length)
        if (at == text || at[-1] == '\n')
            return true;
    return false;
}

/* "cp_async" for the mangled name of an instance of a template; other names as they are. */
static void append_function(const char *mangled, struct smc_text *out)
{
    smc_auto_free char *shown = smc_demangle(mangled);
    struct smc_name name;
    smc_name_parse(shown ? shown : mangled, &name);
    if (shown && strstr(shown, "{lambda"))
        smc_text_append(out, "a lambda");
    else
        smc_text_append_bytes(out, name.begin + name.last, name.arguments - name.last);
}

/* Copies a text with the names of functions as a reader knows them. */
static void trace_append_plain(const char *text, struct smc_text *out)
{
    static const char of_names[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    for (const char *mangled; (mangled = strstr(text, "_Z"));) {
        const size_t length = strspn(mangled, of_names);
        smc_auto_free char *name = smc_strndup(mangled, length);
        smc_text_append_bytes(out, text, (size_t)(mangled - text));
        if (name)
            append_function(name, out);
        out->failed |= !name;
        text = mangled + length;
    }
    smc_text_append(out, text);
}

enum smc_status smc_trace_finding(struct smc_trace *trace, const char *kernel, const char *text,
                                  struct smc_error *error)
{
    enum { MOST_NAME = 60 };
    smc_auto_free char *shown = smc_demangle(kernel);
    struct smc_name name;
    smc_auto_text plain = {0};
    trace_append_plain(text, &plain);
    smc_name_parse(shown ? shown : kernel, &name);
    const bool is_long = name.length > MOST_NAME && name.arguments < name.length;
    smc_text_safe_line(&trace->findings, "%.*s%s: %s",
                       (int)(is_long             ? name.arguments
                             : name.length < 400 ? name.length
                                                 : 400),
                       name.begin, is_long ? "<..>" : "", smc_text_string(&plain));
    trace->finding_count++;
    trace->findings.failed |= plain.failed;
    return trace->findings.failed ? smc_out_of_memory(error) : SMC_OK;
}

void smc_trace_note(struct smc_trace *trace, const char *format, ...)
{
    char text[1024];
    smc_auto_text line = {0};
    SMC_PRINT_TO(text, format);
    smc_text_safe_line(&line, "%s", text);
    if (!holds_line(smc_text_string(&trace->notes), smc_text_string(&line)))
        smc_text_append(&trace->notes, smc_text_string(&line));
}

void smc_trace_told(struct smc_trace *trace, const char *text)
{
    smc_auto_text plain = {0};
    trace_append_plain(text, &plain);
    smc_trace_note(trace, "%s", smc_text_string(&plain));
}

void smc_trace_free(struct smc_trace *trace)
{
    for (size_t i = 0; i < trace->launch_count; i++) {
        free(trace->launches[i].name);
        free(trace->launches[i].shown);
    }
    for (size_t i = 0; i < trace->process_count; i++) {
        free(trace->processes[i].command);
        free(trace->processes[i].file);
    }
    for (size_t i = 0; i < trace->module_count; i++) {
        free(trace->modules[i].file);
        free(trace->modules[i].shown);
    }
    for (size_t i = 0; i < SMC_TRACE_SLICES; i++)
        free(trace->course.slice[i].share);
    free(trace->launches);
    free(trace->processes);
    free(trace->modules);
    free(trace->devices);
    free(trace->index);
    free(trace->file);
    free(trace->program);
    free(trace->tool);
    smc_text_free(&trace->notes);
    smc_text_free(&trace->findings);
    *trace = (struct smc_trace){0};
}

/* --- Names ------------------------------------------------------------------------------------ */

const struct smc_trace_source_words smc_trace_sources[SMC_TRACE_SOURCE_COUNT] = {
#define TRACE_SOURCE(id, name, words) [SMC_TRACE_##id] = {name, words},
#include "answers/trace/trace_sources.def"
};
