/* The file that the injected library writes, read. It has two kinds of launches: those that the GPU
   executed, as CUPTI reported them, and those that the program called for. Both are joined here:
   executions have the times, calls have the driver's answers, and calls without an execution are
   launches whose records did not arrive. */
#include "answers/trace/records_read.h"

#include <stdlib.h>
#include <string.h>

#include "answers/trace_records.h"
#include "base/memory.h"

/* A launch of the file that is sound. */
struct found_records {
    struct record_launch record;
    const char *name;
};

struct records_reading {
    struct smc_trace *trace;
    const char *bytes;
    size_t count; /* up to the end of the last entry */
    struct record_header header;
    int32_t process;
    int32_t device[64]; /* indices in the trace by the process's ordinals */
    const char *command;
    struct found_records *launches;
    size_t launch_count, launch_capacity;
    uint64_t broken; /* entries that make no sense */
    uint64_t untimed;
    uint64_t missing_graph_launches; /* at most this many calls were not reported */
};

/* --- Entries ---------------------------------------------------------------------------------- */

static bool records_read_entry(const struct records_reading *reading, uint64_t offset,
                               struct record_entry *entry)
{
    if (offset % 8 != 0 || offset < sizeof reading->header || offset > reading->count ||
        reading->count - offset < sizeof *entry)
        return false;
    memcpy(entry, reading->bytes + offset, sizeof *entry);
    return entry->bytes >= sizeof *entry && entry->bytes % 8 == 0 &&
           entry->bytes <= reading->count - offset;
}

/* The text of the entry at `offset`, or NULL. */
static const char *text_at(const struct records_reading *reading, uint64_t offset,
                           enum record_kind kind)
{
    struct record_entry entry;
    if (!records_read_entry(reading, offset, &entry) || entry.kind != kind || entry.ready != 1)
        return NULL;
    const char *text = reading->bytes + offset + sizeof entry;
    return memchr(text, '\0', entry.bytes - sizeof entry) ? text : NULL;
}

static bool records_read_is_zero(const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i])
            return false;
    return true;
}

/* One GPU has one id in the trace, whatever each process calls it. */
static int64_t device_id(const struct record_device *device)
{
    uint64_t id = 0;
    if (records_read_is_zero(device->uuid, sizeof device->uuid))
        return device->ordinal;
    for (size_t i = 0; i < sizeof device->uuid; i++)
        id = id * 0x100000001b3u + device->uuid[i];
    return (int64_t)(id & INT64_MAX) | 64; /* no ordinal */
}

static bool records_read_take_device(struct records_reading *reading, const void *bytes,
                                     size_t size)
{
    struct record_device device;
    if (size < sizeof device)
        return false;
    memcpy(&device, bytes, sizeof device);
    if (device.ordinal < 0 || device.ordinal >= 64 || device.cc >> 16 != 0 ||
        !memchr(device.name, '\0', sizeof device.name))
        return false;
    const struct smc_trace_gpu gpu = {
        .id = device_id(&device),
        .name = device.name[0] ? device.name : NULL,
        .cc = (uint16_t)device.cc,
        .sm_count = device.sm_count,
        .clock_khz = device.clock_khz,
        .regs_per_sm = device.regs_per_sm,
        .max_threads_per_sm = device.max_threads_per_sm,
        .smem_per_sm_bytes = device.smem_per_sm_bytes,
        .global_mem_bytes = device.global_mem_bytes,
        .l2_bytes = device.l2_bytes,
    };
    reading->device[device.ordinal] = smc_trace_device(reading->trace, &gpu);
    return true;
}

static bool records_read_is_possible(const struct record_key *key)
{
    for (int i = 0; i < 3; i++)
        if (key->grid[i] > INT32_MAX || key->block[i] > INT32_MAX || key->cluster[i] > INT32_MAX)
            return false;
    return (key->origin == RECORD_CALLED || key->origin == RECORD_EXECUTED) &&
           key->regs_per_thread >= -1 && key->regs_per_thread <= UINT16_MAX &&
           key->static_smem_bytes >= -1 && key->static_smem_bytes <= INT32_MAX &&
           key->dynamic_smem_bytes >= -1 && key->dynamic_smem_bytes <= INT32_MAX &&
           key->carveout_percent >= -1 && key->carveout_percent <= 100;
}

static bool records_read_are_possible(const struct record_launch *launch)
{
    return records_read_is_possible(&launch->key) && launch->launches <= INT64_MAX &&
           launch->graph_launches <= launch->launches &&
           launch->timed_launches <= launch->launches && launch->total_ns <= INT64_MAX &&
           launch->least_ns <= launch->greatest_ns && launch->greatest_ns <= launch->total_ns &&
           launch->smem_configured_bytes <= INT32_MAX;
}

static void limit(uint64_t *value, uint64_t most)
{
    if (*value > most)
        *value = most;
}

/* Counts are changed one after another: the process may have ended between two of them, and a
   survivor keeps counting while the file is read. */
static void repair(struct record_launch *launch)
{
    limit(&launch->graph_launches, launch->launches);
    limit(&launch->timed_launches, launch->launches);
    if (launch->timed_launches == 0)
        launch->total_ns = launch->least_ns = launch->greatest_ns = 0;
    limit(&launch->greatest_ns, launch->total_ns);
    limit(&launch->least_ns, launch->greatest_ns);
}

static bool records_read_take_launch(struct records_reading *reading, const void *bytes,
                                     size_t size)
{
    struct found_records found = {.name = NULL};
    if (size < sizeof found.record)
        return false;
    memcpy(&found.record, bytes, sizeof found.record);
    repair(&found.record);
    found.name = text_at(reading, found.record.key.name, RECORD_TEXT);
    if (!found.name || !records_read_are_possible(&found.record))
        return false;
    if (!smc_make_room(&reading->launches, reading->launch_count, &reading->launch_capacity,
                       sizeof *reading->launches))
        return true; /* the failure is remembered */
    reading->launches[reading->launch_count++] = found;
    return true;
}

/* "kind\tkernel\tdescription" */
static bool take_finding(struct records_reading *reading, const char *text)
{
    const char *kernel = strchr(text, '\t'), *end = kernel ? strchr(kernel + 1, '\t') : NULL;
    struct smc_error error;
    if (!end)
        return false;
    smc_auto_free char *name = smc_strndup(kernel + 1, (size_t)(end - kernel) - 1);
    if (name) /* a failure is remembered */
        smc_trace_finding(reading->trace, name, end + 1, &error);
    return true;
}

/* False: the entry makes no sense. */
static bool take_entry(struct records_reading *reading, uint64_t offset,
                       const struct record_entry *entry)
{
    const char *bytes = reading->bytes + offset, *text;
    switch (entry->kind) {
    case RECORD_DEVICE:
        return records_read_take_device(reading, bytes, entry->bytes);
    case RECORD_LAUNCH:
        return records_read_take_launch(reading, bytes, entry->bytes);
    case RECORD_COMMAND:
        reading->command = text_at(reading, offset, RECORD_COMMAND);
        return reading->command != NULL;
    case RECORD_MODULE:
        text = text_at(reading, offset, RECORD_MODULE);
        return text && smc_trace_module(reading->trace, text) != SMC_TRACE_UNKNOWN;
    case RECORD_FINDING:
        text = text_at(reading, offset, RECORD_FINDING);
        return text && take_finding(reading, text);
    case RECORD_NOTE:
        text = text_at(reading, offset, RECORD_NOTE);
        if (text)
            smc_trace_told(reading->trace, text);
        return text != NULL;
    case RECORD_TEXT:
    case RECORD_SLICE_TABLE:
        return true;
    default:
        return false;
    }
}

static void take_entries(struct records_reading *reading)
{
    struct record_entry entry;
    uint64_t offset = sizeof reading->header;
    while (offset < reading->count) {
        if (!records_read_entry(reading, offset, &entry)) {
            reading->broken++;
            break;
        }
        if (entry.ready == 1 && !take_entry(reading, offset, &entry))
            reading->broken++;
        offset += entry.bytes;
    }
}

/* --- Calls and executions, joined ------------------------------------------------------------- */

/* Launches of one kernel with one grid, block and dynamic shared memory on one device are a group;
   executions come before calls in it. */
static int compare_group(const struct found_records *a, const struct found_records *b)
{
    const struct record_key *x = &a->record.key, *y = &b->record.key;
    const int64_t pairs[][2] = {
        {x->device, y->device},     {x->grid[0], y->grid[0]},
        {x->grid[1], y->grid[1]},   {x->grid[2], y->grid[2]},
        {x->block[0], y->block[0]}, {x->block[1], y->block[1]},
        {x->block[2], y->block[2]}, {x->dynamic_smem_bytes, y->dynamic_smem_bytes},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i][0] != pairs[i][1])
            return pairs[i][0] < pairs[i][1] ? -1 : 1;
    return strcmp(a->name, b->name);
}

static int records_read_compare(const void *a, const void *b)
{
    const struct found_records *x = a, *y = b;
    const int group = compare_group(x, y);
    if (group != 0)
        return group;
    return y->record.key.origin - x->record.key.origin;
}

/* CUPTI's records have the registers that are reserved: at least 16 per thread, and at least 32 for
   kernels with calls. Kernels whose attribute was 4 and 8 had 16, those of 24, 28 and 30 had 32,
   all others their attribute (H100 and H200, CUPTI 13.0, driver 580.159.04, 2026-11-23). */
static bool has_registers(const struct record_key *executed, const struct record_key *called)
{
    const int32_t reserved = executed->regs_per_thread, regs = called->regs_per_thread;
    return reserved == regs || ((reserved == 16 || reserved == 32) && regs >= 0 && regs < reserved);
}

/* The driver's answer for an execution is that for a call of the same function: one with the same
   registers, static shared memory and carve-out. CUPTI does not report every carve-out; where the
   functions differ in nothing else, the answer counts if it is the same for all. */
static int32_t answer_for(const struct found_records *executed, const struct found_records *calls,
                          size_t count)
{
    const struct record_key *wanted = &executed->record.key;
    int32_t answer = RECORD_UNKNOWN;
    bool differs = false;
    for (size_t i = 0; i < count; i++) {
        const struct record_key *key = &calls[i].record.key;
        const int32_t blocks = calls[i].record.api_blocks_per_sm;
        if (!has_registers(wanted, key) || key->static_smem_bytes != wanted->static_smem_bytes ||
            blocks < 0)
            continue;
        if (key->carveout_percent == wanted->carveout_percent)
            return blocks;
        differs = differs || (answer >= 0 && answer != blocks);
        answer = blocks;
    }
    return differs ? RECORD_UNKNOWN : answer;
}

static void fill_key(struct records_reading *reading, const struct found_records *found,
                     struct smc_trace_launch *launch)
{
    const struct record_key *key = &found->record.key;
    smc_trace_launch_init(launch);
    launch->name = (char *)(uintptr_t)found->name;
    launch->process = reading->process;
    launch->device =
        key->device >= 0 && key->device < 64 ? reading->device[key->device] : SMC_TRACE_UNKNOWN;
    memcpy(launch->grid, key->grid, sizeof launch->grid);
    memcpy(launch->block, key->block, sizeof launch->block);
    memcpy(launch->cluster, key->cluster, sizeof launch->cluster);
    launch->regs_per_thread = key->regs_per_thread;
    launch->static_smem_bytes = key->static_smem_bytes;
    launch->dynamic_smem_bytes = key->dynamic_smem_bytes;
    if (key->carveout_percent >= 0)
        launch->carveout_percent = key->carveout_percent;
    if (key->cache_config >= SMC_CACHE_PREFER_NONE && key->cache_config <= SMC_CACHE_PREFER_EQUAL)
        launch->cache_config = key->cache_config;
}

static enum smc_status records_read_add_course(struct records_reading *reading,
                                               const struct found_records *found, size_t index,
                                               struct smc_error *error)
{
    struct record_slices slices;
    struct record_entry entry;
    const uint64_t offset = found->record.slices, length = reading->header.slice_ns;
    const uint64_t begin = reading->header.slice_begin_ns;
    uint64_t left = found->record.total_ns;
    if (offset == 0)
        return SMC_OK;
    if (!records_read_entry(reading, offset, &entry) || entry.kind != RECORD_SLICE_TABLE ||
        entry.bytes < sizeof slices || length == 0 || length > (UINT64_C(1) << 53) ||
        begin > INT64_MAX) {
        reading->broken++;
        return SMC_OK;
    }
    memcpy(&slices, reading->bytes + offset, sizeof slices);
    for (size_t i = 0; i < RECORD_SLICES; i++) {
        uint64_t ns = slices.ns[i] < left ? slices.ns[i] : left;
        left -= ns;
        const uint64_t from = begin + i * length;
        /* Launches that overlapped add up to more than the slice. */
        for (int times = 0; ns > 0 && times < 64; times++) {
            const uint64_t part = ns < length ? ns : length;
            SMC_TRY(smc_trace_add_span(reading->trace, index, from, from + part, error));
            ns -= part;
        }
    }
    return SMC_OK;
}

/* Launches by calls and launches by graphs. */
struct counts {
    uint64_t direct, graph;
};

static enum smc_status add_executed(struct records_reading *reading,
                                    const struct found_records *found, int32_t api_blocks,
                                    const struct counts *more, struct smc_error *error)
{
    struct smc_trace_launch launch;
    const struct record_launch *record = &found->record;
    size_t index;
    fill_key(reading, found, &launch);
    if (record->smem_configured_bytes > 0)
        launch.smem_configured_bytes = (int64_t)record->smem_configured_bytes;
    launch.launches = record->launches + more->direct + more->graph;
    launch.graph_launches = record->graph_launches + more->graph;
    launch.timed_launches = record->timed_launches;
    launch.total_ns = record->total_ns;
    launch.least_ns = record->least_ns;
    launch.greatest_ns = record->greatest_ns;
    if (api_blocks >= 0)
        launch.api_blocks_per_sm = api_blocks;
    reading->untimed += launch.launches - launch.timed_launches;
    SMC_TRY(smc_trace_add_launches(reading->trace, &launch, &index, error));
    return records_read_add_course(reading, found, index, error);
}

static enum smc_status add_called(struct records_reading *reading,
                                  const struct found_records *found, const struct counts *counts,
                                  struct smc_error *error)
{
    struct smc_trace_launch launch;
    if (counts->direct + counts->graph == 0)
        return SMC_OK;
    fill_key(reading, found, &launch);
    launch.launches = counts->direct + counts->graph;
    launch.graph_launches = counts->graph;
    if (found->record.api_blocks_per_sm >= 0)
        launch.api_blocks_per_sm = found->record.api_blocks_per_sm;
    reading->untimed += launch.launches;
    return smc_trace_add_launches(reading->trace, &launch, NULL, error);
}

static struct counts counts_of(const struct found_records *found)
{
    const struct record_launch *record = &found->record;
    return (struct counts){record->launches - record->graph_launches, record->graph_launches};
}

static uint64_t beyond(uint64_t called, uint64_t executed)
{
    return called > executed ? called - executed : 0;
}

/* Of `launches` that graphs were called to do and no execution shows, those that are believed. */
static uint64_t take_missing(struct records_reading *reading, uint64_t launches)
{
    limit(&launches, reading->missing_graph_launches);
    reading->missing_graph_launches -= launches;
    return launches;
}

/* Calls beyond the executions were not seen on the GPU: they have no time. */
static enum smc_status add_group(struct records_reading *reading, const struct found_records *group,
                                 size_t count, struct smc_error *error)
{
    size_t executions = 0;
    struct counts executed = {0, 0}, called = {0, 0};
    for (size_t i = 0; i < count; i++) {
        const bool is_executed = group[i].record.key.origin == RECORD_EXECUTED;
        const struct counts counts = counts_of(&group[i]);
        struct counts *sum = is_executed ? &executed : &called;
        sum->direct += counts.direct;
        sum->graph += counts.graph;
        executions += is_executed;
    }
    struct counts missing = {beyond(called.direct, executed.direct), 0};
    if (executions > 0)
        missing.graph = take_missing(reading, beyond(called.graph, executed.graph));
    for (size_t i = 0; i < executions; i++) {
        const int32_t answer = answer_for(&group[i], group + executions, count - executions);
        SMC_TRY(add_executed(reading, &group[i], answer, &missing, error));
        missing = (struct counts){0, 0};
    }
    for (size_t i = 0; executions == 0 && i < count; i++) {
        struct counts counts = counts_of(&group[i]);
        counts.graph = take_missing(reading, counts.graph);
        SMC_TRY(add_called(reading, &group[i], &counts, error));
    }
    return SMC_OK;
}

/* A call of cuLaunchKernel is one launch. Which kernels a graph launches is only what was known of
   it: an update or a disabled node may have escaped the library. So where every record of CUPTI
   arrived, graphs launched what these say; where some are missing, at most as many are added as
   graphs were called to launch beyond all that arrived. */
static void find_missing(struct records_reading *reading)
{
    const struct record_header *header = &reading->header;
    uint64_t called = 0, executed = 0, executions = 0;
    for (size_t i = 0; i < reading->launch_count; i++) {
        const struct record_launch *record = &reading->launches[i].record;
        if (record->key.origin == RECORD_EXECUTED) {
            executed += record->graph_launches;
            executions += record->launches;
        } else {
            called += record->graph_launches;
        }
    }
    const bool is_complete = header->mode == RECORD_MODE_CUPTI && header->end != RECORD_RUNS &&
                             header->dropped == 0 && header->lost_times == 0 && executions > 0;
    reading->missing_graph_launches = is_complete ? 0 : beyond(called, executed);
}

static enum smc_status add_groups(struct records_reading *reading, struct smc_error *error)
{
    if (reading->launch_count > 0)
        qsort(reading->launches, reading->launch_count, sizeof *reading->launches,
              records_read_compare);
    find_missing(reading);
    for (size_t begin = 0, end; begin < reading->launch_count; begin = end) {
        for (end = begin + 1; end < reading->launch_count; end++)
            if (compare_group(&reading->launches[begin], &reading->launches[end]) != 0)
                break;
        SMC_TRY(add_group(reading, &reading->launches[begin], end - begin, error));
    }
    return SMC_OK;
}

/* --- The file --------------------------------------------------------------------------------- */

static enum smc_status records_read_header(struct records_reading *reading, size_t count,
                                           struct smc_error *error)
{
    struct record_header *header = &reading->header;
    if (count < sizeof *header)
        return smc_fail(error, SMC_USAGE, "there was no space for its records");
    memcpy(header, reading->bytes, sizeof *header);
    if (header->magic != RECORD_MAGIC || header->version != RECORD_VERSION ||
        header->header_bytes != sizeof *header)
        return smc_fail(error, SMC_USAGE, "its records are of another version, or were not begun");
    if (!memchr(header->message, '\0', sizeof header->message))
        header->message[0] = '\0';
    reading->count = header->used < count ? (size_t)header->used : count;
    return SMC_OK;
}

/* The newest CUPTI of the processes, as releases of CUDA number it. */
static void name_tool(struct smc_trace *trace, const struct record_header *header)
{
    static const struct {
        int32_t from;
        const char *cuda;
    } versions[] = {{13, "11.0"}, {14, "11.1"}, {15, "11.2"}, {16, "11.5"}, {17, "11.6"},
                    {18, "11.8"}, {19, "12.0"}, {20, "12.2"}, {21, "12.3"}, {22, "12.4"},
                    {23, "12.5"}, {24, "12.6"}, {26, "12.8"}, {27, "12.9"}};
    smc_auto_text tool = {0};
    if (trace->tool || header->mode != RECORD_MODE_CUPTI)
        return;
    if (header->cupti_version >= 130000)
        smc_text_printf(&tool, "CUPTI %d.%d", header->cupti_version / 10000,
                        header->cupti_version / 100 % 100);
    for (size_t i = sizeof versions / sizeof *versions; i-- > 0 && tool.length == 0;)
        if (header->cupti_version >= versions[i].from)
            smc_text_printf(&tool, "CUPTI %s", versions[i].cuda);
    trace->tool = tool.length > 0 ? smc_strdup(smc_text_string(&tool)) : NULL;
}

static const char *why_untimed(const struct record_header *header)
{
    if (header->lost_times > 0)
        return ": there was no space for them in the file of records";
    if (header->end == RECORD_RUNS)
        return header->is_over ? ": they ran when the recording ended"
                               : ": it ended before the GPU reported them";
    return "";
}

static void note_losses(const struct records_reading *reading)
{
    struct smc_trace *trace = reading->trace;
    const struct record_header *header = &reading->header;
    const long long id = header->process;
    if (header->mode == RECORD_MODE_CUPTI && reading->untimed > 0)
        smc_trace_note(trace, "process %lld: %llu launch%s no time%s", id,
                       (unsigned long long)reading->untimed,
                       reading->untimed == 1 ? " has" : "es have", why_untimed(header));
    if (header->mode == RECORD_MODE_NONE && header->flags & RECORD_FLAG_FORKED &&
        reading->untimed > 0)
        smc_trace_note(trace,
                       "process %lld: %llu launch%s no time: CUPTI does not work in a child of "
                       "a process that used CUDA",
                       id, (unsigned long long)reading->untimed,
                       reading->untimed == 1 ? " has" : "es have");
    if (header->dropped > 0)
        smc_trace_note(trace, "process %lld: CUPTI dropped %llu record%s", id,
                       (unsigned long long)header->dropped, smc_text_plural(header->dropped));
    if (header->lost_launches > 0)
        smc_trace_note(trace, "process %lld: %llu launch%s found no space in the file of records",
                       id, (unsigned long long)header->lost_launches,
                       header->lost_launches == 1 ? "" : "es");
    if (header->failed_modules > 0)
        smc_trace_note(trace, "process %lld: the machine code of %llu module%s could not be kept",
                       id, (unsigned long long)header->failed_modules,
                       smc_text_plural(header->failed_modules));
    if (header->flags & RECORD_FLAG_GRAPHS_INEXACT && header->mode != RECORD_MODE_CUPTI)
        smc_trace_note(
            trace, "process %lld: kernels of some graphs could not be counted without CUPTI", id);
    if (header->mode == RECORD_MODE_NONE && !(header->flags & RECORD_FLAG_FORKED))
        smc_trace_note(trace, "process %lld was not recorded: %s", id,
                       header->message[0] ? header->message : "no reason is known");
    if (reading->broken > 0)
        smc_trace_note(trace, "process %lld: %llu records make no sense and were left out", id,
                       (unsigned long long)reading->broken);
}

enum smc_status smc_trace_add_records(struct smc_trace *trace, const void *bytes, size_t count,
                                      struct smc_error *error)
{
    struct records_reading reading = {.trace = trace, .bytes = bytes};
    enum smc_status status = records_read_header(&reading, count, error);
    if (status != SMC_OK)
        return status;
    for (size_t i = 0; i < sizeof reading.device / sizeof *reading.device; i++)
        reading.device[i] = SMC_TRACE_UNKNOWN;
    take_entries(&reading);
    reading.process = smc_trace_process(trace, reading.header.process, reading.command);
    if (reading.header.mode == RECORD_MODE_HOOKS) {
        trace->source = SMC_TRACE_HOOKS;
        const char *reason = reading.header.message;
        smc_trace_note(trace,
                       "without CUPTI%s%.*s%s: launches were counted by the program's calls and "
                       "have no times",
                       reason[0] ? " (" : "", (int)sizeof reading.header.message, reason,
                       reason[0] ? ")" : "");
    }
    name_tool(trace, &reading.header);
    if (smc_memory_failed())
        status = smc_out_of_memory(error);
    if (status == SMC_OK)
        status = add_groups(&reading, error);
    if (reading.header.skipped <= INT64_MAX)
        trace->skipped += reading.header.skipped;
    note_losses(&reading);
    free(reading.launches);
    return status;
}
