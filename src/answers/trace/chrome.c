/* Chrome traces of kernels: PyTorch's profiler (Kineto) and the profiler of JAX and TensorFlow
   (XLA). Other events of the trace are skipped.

   Kineto writes how a kernel was launched as members of `args`, and the properties of all GPUs
   once. XLA writes one text: "regs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:256,1,1".
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers/trace/json_stream.h"
#include "answers/trace_answer.h"
#include "base/memory.h"
#include "base/text.h"

/* The names ending in _OLD are those of older releases of Kineto. */
#define KEYS(KEY)                                                                                  \
    KEY(ACTIVE_BLOCKS, "activeBlocksPerMultiprocessor")                                            \
    KEY(ARGS, "args")                                                                              \
    KEY(BLOCK, "block")                                                                            \
    KEY(BLOCKS_SM, "blocks per SM")                                                                \
    KEY(CAT, "cat")                                                                                \
    KEY(COMPUTE_PROPERTIES, "computeProperties")                                                   \
    KEY(CUDA_RUNTIME, "cuda_runtime_version")                                                      \
    KEY(DEVICE, "device")                                                                          \
    KEY(DEVICE_PROPERTIES, "deviceProperties")                                                     \
    KEY(DISTRIBUTED, "distributedInfo")                                                            \
    KEY(DUR, "dur")                                                                                \
    KEY(GRAPH, "graph id")                                                                         \
    KEY(GRAPH_NODE, "graph node id")                                                               \
    KEY(GRAPH_XLA, "cuda_graph_id")                                                                \
    KEY(GRID, "grid")                                                                              \
    KEY(ID, "id")                                                                                  \
    KEY(KERNEL_DETAILS, "kernel_details")                                                          \
    KEY(MAJOR, "computeMajor")                                                                     \
    KEY(MAJOR_OLD, "major")                                                                        \
    KEY(MEMORY, "totalGlobalMem")                                                                  \
    KEY(MINOR, "computeMinor")                                                                     \
    KEY(MINOR_OLD, "minor")                                                                        \
    KEY(NAME, "name")                                                                              \
    KEY(OCCUPANCY, "occupancy")                                                                    \
    KEY(OCCUPANCY_PERCENT, "est. achieved occupancy %")                                            \
    KEY(PH, "ph")                                                                                  \
    KEY(PID, "pid")                                                                                \
    KEY(RANK, "rank")                                                                              \
    KEY(REGISTERS, "registers per thread")                                                         \
    KEY(REGISTERS_SM, "regsPerMultiprocessor")                                                     \
    KEY(SCHEMA, "schemaVersion")                                                                   \
    KEY(SHARED, "shared memory")                                                                   \
    KEY(SHARED_SM, "sharedMemPerMultiprocessor")                                                   \
    KEY(SHARED_SM_AMD, "maxSharedMemoryPerMultiProcessor")                                         \
    KEY(SMS, "numSms")                                                                             \
    KEY(SMS_OLD, "multiProcessorCount")                                                            \
    KEY(THREADS_SM, "maxThreadsPerMultiprocessor")                                                 \
    KEY(THREADS_SM_OLD, "maxThreadsPerMultiProcessor")                                             \
    KEY(TRACE_EVENTS, "traceEvents")                                                               \
    KEY(TS, "ts")                                                                                  \
    KEY(WARPS_SM, "warps per SM")                                                                  \
    KEY(WORLD_SIZE, "world_size")

enum chrome_key {
#define KEY(id, name) KEY_##id,
    KEYS(KEY)
#undef KEY
        KEY_COUNT
};

static const char *const keys[] = {
#define KEY(id, name) [KEY_##id] = (name),
    KEYS(KEY)
#undef KEY
};

enum {
    MOST_GPUS = 1024,
    MOST_THREADS = 1024, /* of a block, in any direction, on any GPU */
};

#define LONGEST_NS (INT64_C(1) << 53) /* of a launch: 104 days; sums of them do not overflow */

/* A GPU of deviceProperties. */
struct properties {
    int64_t id;
    char name[128];
    int64_t major, minor, sms, memory, registers, threads, shared;
    bool is_amd;
};

/* The event that is read. Numbers are SMC_TRACE_UNKNOWN if they are absent. */
struct event {
    bool is_kernel, is_other; /* by its category; both false: it has none so far */
    bool is_xla;
    bool is_complete; /* it has a duration of its own: "ph" is "X" */
    bool has_name;
    bool has_ts;
    int64_t ts_ns, dur_ns, device, pid;
    int64_t registers, shared, static_shared, dynamic_shared, graph, graph_node;
    int64_t active_blocks, occupancy_percent, warps_per_sm_milli, blocks_per_sm_nano;
    double occupancy_xla;
    int64_t grid[3], block[3];
    int grid_count, block_count;
    char label[128]; /* the name among its arguments; of a row if that is what the event names */
    char fault[160]; /* what is wrong with it, which only matters if it is a kernel */
};

/* A row of an XLA trace, "/device:GPU:0", which the `pid` of a kernel refers to. */
struct chrome_row {
    int64_t pid, gpu;
};

struct chrome_reader {
    struct smc_trace *trace;
    struct smc_error *error;

    bool has_events;
    size_t event_depth; /* of the members of an event; 0: no event is read */
    struct event event;
    char *name; /* of the event */
    size_t name_capacity;

    struct properties *gpu;
    size_t gpu_count;
    size_t gpu_depth; /* of the members of a GPU; 0: none is read */
    struct chrome_row *row;
    size_t row_count;
    int32_t last_index;
    int64_t last_id; /* of the device of the last kernel; its index, or SMC_TRACE_UNKNOWN */

    int64_t schema, cuda_runtime, rank, world_size;
    uint64_t kernels, incomplete, untimed, with_sum, fractions;
};

/* --- Values ----------------------------------------------------------------------------------- */

static bool chrome_is_text(const struct smc_json_value *value, const char *text)
{
    return value->kind == SMC_JSON_STRING && smc_equals(value->text, value->length, text);
}

static void chrome_copy_text(const struct smc_json_value *value, char *text, size_t capacity)
{
    if (value->kind == SMC_JSON_STRING)
        snprintf(text, capacity, "%.*s",
                 (int)(value->length < capacity ? value->length : capacity - 1), value->text);
}

static void set_fault(struct event *event, enum chrome_key key, const struct smc_json_value *value,
                      const char *allowed)
{
    static const char *const kinds[] = {
        [SMC_JSON_OBJECT] = "an object",
        [SMC_JSON_ARRAY] = "an array",
    };
    if (event->fault[0])
        return;
    if (value->kind >= SMC_JSON_OBJECT)
        snprintf(event->fault, sizeof event->fault, "'%s' of a kernel is %s, not %s", keys[key],
                 kinds[value->kind], allowed);
    else
        snprintf(event->fault, sizeof event->fault, "'%s' of a kernel is '%.*s', not %s", keys[key],
                 (int)(value->length < 40 ? value->length : 40), value->text, allowed);
}

/* A whole number from `least` to `most`; null is none. */
static void chrome_read_whole(struct event *event, enum chrome_key key,
                              const struct smc_json_value *value, int64_t least, int64_t most,
                              int64_t *number)
{
    char allowed[64];
    int64_t milli;
    if (value->kind == SMC_JSON_NULL)
        *number = SMC_TRACE_UNKNOWN;
    else if (smc_json_decimal(value, 0, number) && *number >= least && *number <= most &&
             (*number > INT64_MAX / 1000 ||
              (smc_json_decimal(value, 3, &milli) && milli == *number * 1000)))
        return;
    else {
        snprintf(allowed, sizeof allowed, "a whole number from %lld to %lld", (long long)least,
                 (long long)most);
        set_fault(event, key, value, allowed);
    }
}

/* --- GPUs ------------------------------------------------------------------------------------- */

static const struct properties *find_gpu(const struct chrome_reader *reader, int64_t id)
{
    for (size_t i = reader->gpu_count; i-- > 0;)
        if (reader->gpu[i].id == id)
            return &reader->gpu[i];
    return NULL;
}

static uint32_t within_32_bits(int64_t number)
{
    return number > 0 && number <= UINT32_MAX ? (uint32_t)number : 0;
}

/* The index of the device with this id, with what is known about it so far. */
static int32_t device_index(const struct chrome_reader *reader, int64_t id)
{
    const struct properties *gpu = find_gpu(reader, id);
    struct smc_trace_gpu recorded = {.id = id};
    if (gpu && gpu->name[0])
        recorded.name = gpu->name;
    if (gpu && !gpu->is_amd) {
        if (gpu->major > 0 && gpu->major < 1000 && gpu->minor >= 0 && gpu->minor < 10)
            recorded.cc = (uint16_t)(10 * gpu->major + gpu->minor);
        recorded.sm_count = within_32_bits(gpu->sms);
        recorded.regs_per_sm = within_32_bits(gpu->registers);
        recorded.max_threads_per_sm = within_32_bits(gpu->threads);
        recorded.smem_per_sm_bytes = within_32_bits(gpu->shared);
        recorded.global_mem_bytes = gpu->memory > 0 ? (uint64_t)gpu->memory : 0;
    }
    return smc_trace_device(reader->trace, &recorded);
}

static bool begin_gpu(struct smc_json_stream *stream, struct chrome_reader *reader)
{
    if (reader->gpu_count == MOST_GPUS)
        return smc_json_fail(stream, "more than %d GPUs", MOST_GPUS);
    if (!smc_make_room(&reader->gpu, reader->gpu_count, NULL, sizeof *reader->gpu))
        return smc_json_stop(stream, smc_out_of_memory(reader->error));
    reader->gpu[reader->gpu_count++] = (struct properties){.id = SMC_TRACE_UNKNOWN, .minor = -1};
    reader->gpu_depth = stream->depth + 1;
    return true;
}

static void chrome_read_gpu(struct chrome_reader *reader, int key,
                            const struct smc_json_value *value)
{
    struct properties *gpu = &reader->gpu[reader->gpu_count - 1];
    const struct {
        enum chrome_key key;
        int64_t *number;
    } numbers[] = {
        {KEY_ID, &gpu->id},
        {KEY_MAJOR, &gpu->major},
        {KEY_MAJOR_OLD, &gpu->major},
        {KEY_MEMORY, &gpu->memory},
        {KEY_MINOR, &gpu->minor},
        {KEY_MINOR_OLD, &gpu->minor},
        {KEY_REGISTERS_SM, &gpu->registers},
        {KEY_SHARED_SM, &gpu->shared},
        {KEY_SMS, &gpu->sms},
        {KEY_SMS_OLD, &gpu->sms},
        {KEY_THREADS_SM, &gpu->threads},
        {KEY_THREADS_SM_OLD, &gpu->threads},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if ((int)numbers[i].key == key)
            smc_json_decimal(value, 0, numbers[i].number);
    if (key == KEY_NAME)
        chrome_copy_text(value, gpu->name, sizeof gpu->name);
    gpu->is_amd |= key == KEY_SHARED_SM_AMD;
}

/* The properties of a GPU may follow its kernels. */
static bool end_gpu(struct chrome_reader *reader)
{
    const int64_t id = reader->gpu[reader->gpu_count - 1].id;
    reader->gpu_depth = 0;
    for (size_t i = 0; i < reader->trace->device_count; i++)
        if (reader->trace->devices[i].id == id)
            device_index(reader, id);
    return true;
}

/* --- Kernels ---------------------------------------------------------------------------------- */

static void begin_event(struct smc_json_stream *stream, struct chrome_reader *reader)
{
    enum { UNKNOWN = SMC_TRACE_UNKNOWN };
    reader->event_depth = stream->depth + 1;
    reader->event = (struct event){
        .dur_ns = UNKNOWN,
        .device = UNKNOWN,
        .pid = UNKNOWN,
        .registers = UNKNOWN,
        .shared = UNKNOWN,
        .static_shared = UNKNOWN,
        .dynamic_shared = UNKNOWN,
        .active_blocks = UNKNOWN,
        .occupancy_percent = UNKNOWN,
        .warps_per_sm_milli = UNKNOWN,
        .blocks_per_sm_nano = UNKNOWN,
    };
}

static bool chrome_keep_name(struct chrome_reader *reader, const struct smc_json_value *value)
{
    if (value->length + 1 > reader->name_capacity) {
        char *grown = smc_realloc(reader->name, 2 * value->length + 1);
        if (!grown)
            return false;
        reader->name = grown;
        reader->name_capacity = 2 * value->length + 1;
    }
    memcpy(reader->name, value->text, value->length);
    reader->name[value->length] = '\0';
    for (char *at; (at = memchr(reader->name, '\0', value->length));)
        *at = '?';
    reader->event.has_name = value->length > 0;
    return true;
}

static bool chrome_read_member(struct smc_json_stream *stream, struct chrome_reader *reader,
                               int key, const struct smc_json_value *value)
{
    struct event *event = &reader->event;
    if (event->is_other)
        return true;
    if (key == KEY_CAT) {
        event->is_kernel = chrome_is_text(value, "kernel") || chrome_is_text(value, "Kernel");
        event->is_other = !event->is_kernel;
    } else if (key == KEY_PH)
        event->is_complete = chrome_is_text(value, "X");
    else if (key == KEY_NAME && value->kind == SMC_JSON_STRING) {
        if (!chrome_keep_name(reader, value))
            return smc_json_stop(stream, smc_out_of_memory(reader->error));
    } else if (key == KEY_TS) {
        event->has_ts = smc_json_decimal(value, 3, &event->ts_ns);
        if (!event->has_ts)
            set_fault(event, KEY_TS, value, "a time in us");
    } else if (key == KEY_DUR) {
        if (!smc_json_decimal(value, 3, &event->dur_ns) || event->dur_ns > LONGEST_NS)
            set_fault(event, KEY_DUR, value, "a time in us of at most 104 days");
    } else if (key == KEY_PID)
        smc_json_decimal(value, 0, &event->pid);
    return true;
}

/* "regs:32 static_shared:0 grid:1,1,1", separated by any white space. */
static void read_details(struct event *event, const struct smc_json_value *value)
{
    char text[512];
    unsigned long long a, b, c;
    double percent;
    snprintf(text, sizeof text, "%.*s", (int)(value->length < 511 ? value->length : 511),
             value->text);
    event->is_kernel = event->is_xla = true;
    char *rest = text;
    for (const char *word; (word = strtok_r(rest, " \t\r\n", &rest));) {
        if (sscanf(word, "regs:%9llu", &a) == 1)
            event->registers = (int64_t)a;
        else if (sscanf(word, "static_shared:%9llu", &a) == 1)
            event->static_shared = (int64_t)a;
        else if (sscanf(word, "dynamic_shared:%9llu", &a) == 1)
            event->dynamic_shared = (int64_t)a;
        else if (sscanf(word, "occ_pct:%lf", &percent) == 1 && percent > 0 && percent <= 100)
            event->occupancy_xla = percent;
        else if (sscanf(word, "grid:%10llu,%10llu,%10llu", &a, &b, &c) == 3) {
            event->grid[0] = (int64_t)a, event->grid[1] = (int64_t)b, event->grid[2] = (int64_t)c;
            event->grid_count = 3;
        } else if (sscanf(word, "block:%10llu,%10llu,%10llu", &a, &b, &c) == 3) {
            event->block[0] = (int64_t)a, event->block[1] = (int64_t)b,
            event->block[2] = (int64_t)c;
            event->block_count = 3;
        }
    }
}

static void chrome_read_argument(struct event *event, int key, const struct smc_json_value *value)
{
    switch (key) {
    case KEY_BLOCK:
    case KEY_GRID:
        if (value->kind != SMC_JSON_ARRAY && value->kind != SMC_JSON_NULL && !event->fault[0])
            snprintf(event->fault, sizeof event->fault,
                     "'%s' of a kernel is not an array of three numbers", keys[key]);
        *(key == KEY_GRID ? &event->grid_count : &event->block_count) = 0;
        break;
    case KEY_BLOCKS_SM:
        smc_json_decimal(value, 9, &event->blocks_per_sm_nano);
        break;
    case KEY_DEVICE:
        chrome_read_whole(event, key, value, -1, INT64_MAX, &event->device);
        break;
    case KEY_GRAPH:
    case KEY_GRAPH_XLA:
        chrome_read_whole(event, key, value, 0, INT64_MAX, &event->graph);
        break;
    case KEY_GRAPH_NODE:
        chrome_read_whole(event, key, value, 0, INT64_MAX, &event->graph_node);
        break;
    case KEY_KERNEL_DETAILS:
        if (value->kind == SMC_JSON_STRING)
            read_details(event, value);
        break;
    case KEY_NAME:
        chrome_copy_text(value, event->label, sizeof event->label);
        break;
    case KEY_OCCUPANCY_PERCENT:
        smc_json_decimal(value, 0, &event->occupancy_percent);
        break;
    case KEY_REGISTERS:
        chrome_read_whole(event, key, value, 0, UINT16_MAX, &event->registers);
        break;
    case KEY_SHARED:
        chrome_read_whole(event, key, value, 0, INT32_MAX, &event->shared);
        break;
    case KEY_WARPS_SM:
        smc_json_decimal(value, 3, &event->warps_per_sm_milli);
        break;
    default:
        break;
    }
}

static void read_dimension(struct event *event, enum chrome_key key,
                           const struct smc_json_value *value)
{
    int64_t *const dim = key == KEY_GRID ? event->grid : event->block;
    int *const count = key == KEY_GRID ? &event->grid_count : &event->block_count;
    if (*count < 3)
        chrome_read_whole(event, key, value, 0, key == KEY_GRID ? INT32_MAX : MOST_THREADS,
                          &dim[*count]);
    else if (!event->fault[0])
        snprintf(event->fault, sizeof event->fault, "'%s' of a kernel has more than three numbers",
                 keys[key]);
    (*count)++;
}

/* {0} unless all three are there, from 1 to `most`. */
static void copy_dimensions(const int64_t from[3], int count, int64_t most, uint32_t to[3])
{
    bool sound = count == 3;
    for (int i = 0; i < 3; i++)
        sound = sound && from[i] >= 1 && from[i] <= most;
    for (int i = 0; i < 3 && sound; i++)
        to[i] = (uint32_t)from[i];
}

/* Kineto's occupancy is the least of two: what the kernel's resources allow, by cuda_occupancy.h,
   and what its grid fills on average. Only the first is comparable. 0: its rules without the
   opt-in refused a launch that did take place. */
static double theoretical_percent(const struct chrome_reader *reader, const struct event *event,
                                  const struct smc_trace_launch *launch)
{
    const struct properties *gpu = find_gpu(reader, event->device);
    const double threads = (double)launch->block[0] * launch->block[1] * launch->block[2];
    if (event->occupancy_xla > 0)
        return event->occupancy_xla;
    if (!gpu || gpu->threads <= 0 || gpu->is_amd)
        return SMC_TRACE_UNKNOWN;
    if (event->active_blocks > 0 && threads > 0)
        return 100.0 * (double)event->active_blocks * threads / (double)gpu->threads;
    const double of_grid =
        100.0 * 32 * (double)event->warps_per_sm_milli / 1000 / (double)gpu->threads;
    if (event->occupancy_percent > 0 && of_grid > (double)event->occupancy_percent + 1)
        return (double)event->occupancy_percent;
    return SMC_TRACE_UNKNOWN;
}

/* Remembers the row of a GPU. */
static bool chrome_add_row(struct chrome_reader *reader, const struct event *event)
{
    const char *gpu = strstr(event->label, "GPU:");
    if (event->pid < 0 || reader->row_count == MOST_GPUS || !gpu || gpu[4] < '0' || gpu[4] > '9')
        return true;
    if (!smc_make_room(&reader->row, reader->row_count, NULL, sizeof *reader->row))
        return false;
    reader->row[reader->row_count++] = (struct chrome_row){event->pid, strtol(gpu + 4, NULL, 10)};
    return true;
}

static int64_t gpu_of_row(const struct chrome_reader *reader, int64_t pid)
{
    for (size_t i = reader->row_count; i-- > 0;)
        if (reader->row[i].pid == pid)
            return reader->row[i].gpu;
    return SMC_TRACE_UNKNOWN;
}

static int32_t chrome_find_device(struct chrome_reader *reader, struct event *event)
{
    if (event->is_xla)
        event->device = gpu_of_row(reader, event->pid);
    else if (event->device < 0)
        event->device = event->pid;
    if (event->device < 0)
        return SMC_TRACE_UNKNOWN;
    if (event->device != reader->last_id || reader->last_index < 0) {
        reader->last_id = event->device;
        reader->last_index = device_index(reader, event->device);
    }
    return reader->last_index;
}

/* The SMs of a GPU that is not described: the blocks of a grid over its blocks per SM. Launches
   that say otherwise leave the number unknown. */
static void find_sms(const struct event *event, const struct smc_trace_launch *launch,
                     struct smc_trace *trace)
{
    const double nano = (double)event->blocks_per_sm_nano;
    const double blocks = (double)launch->grid[0] * launch->grid[1] * launch->grid[2];
    const double sms = nano > 0 ? 1e9 * blocks / nano : 0;
    struct smc_trace_device *device = launch->device < 0 ? NULL : &trace->devices[launch->device];
    const bool is_whole = sms >= 1 && sms < 10000 && fabs(sms - round(sms)) < 0.01;
    if (!device || device->known || !is_whole)
        return;
    const uint32_t count = (uint32_t)round(sms);
    device->sms_differ |= device->device.sm_count != 0 && device->device.sm_count != count;
    device->device.sm_count = device->sms_differ ? 0 : count;
}

static enum smc_status chrome_add_kernel(struct chrome_reader *reader, struct event *event)
{
    struct smc_trace_launch launch;
    size_t index;
    smc_trace_launch_init(&launch);
    launch.name = reader->name;
    launch.device = chrome_find_device(reader, event);
    copy_dimensions(event->grid, event->grid_count, INT32_MAX, launch.grid);
    copy_dimensions(event->block, event->block_count, MOST_THREADS, launch.block);
    find_sms(event, &launch, reader->trace);
    launch.regs_per_thread = (int32_t)event->registers;
    launch.static_smem_bytes = event->static_shared;
    launch.dynamic_smem_bytes = event->dynamic_shared;
    launch.smem_bytes = event->shared;
    launch.graph_launches = event->graph > 0 || event->graph_node > 0;
    launch.recorded_occupancy_percent = theoretical_percent(reader, event, &launch);
    if (event->dur_ns >= 0) {
        launch.timed_launches = 1;
        launch.total_ns = launch.least_ns = launch.greatest_ns = (uint64_t)event->dur_ns;
    }
    enum smc_status status = smc_trace_add_launches(reader->trace, &launch, &index, reader->error);
    if (status == SMC_OK && event->has_ts && event->ts_ns >= 0 && event->dur_ns > 0 &&
        event->ts_ns <= INT64_MAX - event->dur_ns)
        status =
            smc_trace_add_span(reader->trace, index, (uint64_t)event->ts_ns,
                               (uint64_t)event->ts_ns + (uint64_t)event->dur_ns, reader->error);
    return status;
}

static bool end_event(struct smc_json_stream *stream, struct chrome_reader *reader)
{
    struct event *event = &reader->event;
    reader->event_depth = 0;
    if (event->is_other)
        return true;
    if (!event->is_kernel && event->has_name && strcmp(reader->name, "process_name") == 0 &&
        !chrome_add_row(reader, event))
        return smc_json_stop(stream, smc_out_of_memory(reader->error));
    if (!event->is_kernel)
        return true;
    if (!event->is_complete) {
        reader->incomplete++;
        return true;
    }
    if (event->fault[0])
        return smc_json_fail(stream, "%s", event->fault);
    if (!event->has_name)
        return smc_json_fail(stream, "a kernel without a name");
    reader->kernels++;
    reader->untimed += event->dur_ns < 0;
    reader->with_sum += event->shared >= 0;
    if (reader->trace->device_count > MOST_GPUS)
        return smc_json_fail(stream, "kernels of more than %d GPUs", MOST_GPUS);
    reader->fractions += event->dur_ns % 1000 != 0 || event->ts_ns % 1000 != 0;
    enum smc_status status = chrome_add_kernel(reader, event);
    return status == SMC_OK || smc_json_stop(stream, status);
}

/* --- The structure of the file ---------------------------------------------------------------- */

/* Whether the place is directly in the array of events. */
static bool is_in_events(const struct smc_json_stream *stream)
{
    if (stream->depth == 1)
        return stream->level[0].is_array;
    return stream->depth == 2 && !stream->level[0].is_array &&
           stream->level[0].key == KEY_TRACE_EVENTS && stream->level[1].is_array;
}

static bool is_in_gpus(const struct smc_json_stream *stream)
{
    return stream->depth == 2 && stream->level[1].is_array &&
           (stream->level[0].key == KEY_DEVICE_PROPERTIES ||
            stream->level[0].key == KEY_COMPUTE_PROPERTIES);
}

static bool read_in_event(struct smc_json_stream *stream, struct chrome_reader *reader,
                          const struct smc_json_value *value)
{
    const size_t event = reader->event_depth;
    const struct smc_json_level *level = stream->level;
    if (stream->depth == event)
        return chrome_read_member(stream, reader, level[event - 1].key, value);
    if (reader->event.is_other || level[event - 1].key != KEY_ARGS || level[event].is_array)
        return true;
    const int key = level[event].key;
    if (stream->depth == event + 1)
        chrome_read_argument(&reader->event, key, value);
    else if (stream->depth == event + 2 && level[event + 1].is_array &&
             (key == KEY_GRID || key == KEY_BLOCK))
        read_dimension(&reader->event, (enum chrome_key)key, value);
    else if (stream->depth == event + 2 && key == KEY_OCCUPANCY &&
             level[event + 1].key == KEY_ACTIVE_BLOCKS)
        smc_json_decimal(value, 0, &reader->event.active_blocks);
    return true;
}

static void chrome_read_header(const struct smc_json_stream *stream, struct chrome_reader *reader,
                               const struct smc_json_value *value)
{
    const int key = stream->level[0].key;
    if (stream->depth == 1 && key == KEY_TRACE_EVENTS)
        reader->has_events |= value->kind == SMC_JSON_ARRAY;
    else if (stream->depth == 1 && key == KEY_SCHEMA)
        smc_json_decimal(value, 0, &reader->schema);
    else if (stream->depth == 1 && key == KEY_CUDA_RUNTIME)
        smc_json_decimal(value, 0, &reader->cuda_runtime);
    else if (stream->depth == 2 && key == KEY_DISTRIBUTED && stream->level[1].key == KEY_RANK)
        smc_json_decimal(value, 0, &reader->rank);
    else if (stream->depth == 2 && key == KEY_DISTRIBUTED && stream->level[1].key == KEY_WORLD_SIZE)
        smc_json_decimal(value, 0, &reader->world_size);
}

static bool on_value(struct smc_json_stream *stream, const struct smc_json_value *value)
{
    struct chrome_reader *reader = stream->context;
    if (reader->event_depth > 0)
        return read_in_event(stream, reader, value);
    if (reader->gpu_depth > 0) {
        if (stream->depth == reader->gpu_depth)
            chrome_read_gpu(reader, smc_json_key(stream), value);
        return true;
    }
    if (stream->depth == 0) {
        reader->has_events = value->kind == SMC_JSON_ARRAY;
        return true;
    }
    if (value->kind == SMC_JSON_OBJECT && is_in_events(stream))
        begin_event(stream, reader);
    else if (value->kind == SMC_JSON_OBJECT && is_in_gpus(stream))
        return begin_gpu(stream, reader);
    else
        chrome_read_header(stream, reader, value);
    return true;
}

static bool chrome_on_end(struct smc_json_stream *stream)
{
    struct chrome_reader *reader = stream->context;
    if (reader->event_depth > 0 && stream->depth == reader->event_depth - 1)
        return end_event(stream, reader);
    if (reader->gpu_depth > 0 && stream->depth == reader->gpu_depth - 1)
        return end_gpu(reader);
    return true;
}

/* --- The whole file --------------------------------------------------------------------------- */

static void note_what_is_unknown(struct chrome_reader *reader, bool unclosed)
{
    struct smc_trace *trace = reader->trace;
    if (unclosed)
        smc_trace_note(trace, "the array of events is not closed: events may be missing");
    if (reader->incomplete)
        smc_trace_note(trace, "%llu kernel events without a duration of their own are left out",
                       (unsigned long long)reader->incomplete);
    if (reader->untimed)
        smc_trace_note(trace, "%llu launch%s recorded without a valid duration",
                       (unsigned long long)reader->untimed,
                       reader->untimed == 1 ? " was" : "es were");
    if (reader->with_sum)
        smc_trace_note(trace, "shared memory was recorded as the sum of static and dynamic");
    if (reader->kernels > 1 && reader->fractions == 0)
        smc_trace_note(trace, "times were recorded in whole microseconds");
    trace->rank = reader->rank;
    trace->world_size = reader->world_size;
    for (size_t i = 0; i < reader->gpu_count; i++)
        if (reader->gpu[i].is_amd) {
            smc_trace_note(trace, "GPUs of AMD: their occupancy is unknown");
            break;
        }
}

static enum smc_status chrome_describe(struct chrome_reader *reader, struct smc_error *error)
{
    struct smc_text tool = {0};
    smc_text_append(&tool, reader->schema > 0      ? "PyTorch profiler"
                           : reader->row_count > 0 ? "XLA profiler"
                                                   : "a Chrome trace");
    if (reader->cuda_runtime > 0 && reader->cuda_runtime < 1000000)
        smc_text_printf(&tool, ", CUDA %lld.%lld", (long long)reader->cuda_runtime / 1000,
                        (long long)reader->cuda_runtime % 1000 / 10);
    reader->trace->source = SMC_TRACE_CHROME;
    reader->trace->tool = tool.failed ? NULL : tool.data;
    if (tool.failed)
        smc_text_free(&tool);
    return reader->trace->tool ? SMC_OK : smc_out_of_memory(error);
}

static enum smc_status chrome_read_all(struct chrome_reader *reader, struct smc_trace_input *input,
                                       struct smc_error *error)
{
    static const struct smc_json_reader handlers = {
        .keys = keys, .key_count = KEY_COUNT, .value = on_value, .end = chrome_on_end};
    bool unclosed = false;
    SMC_TRY(smc_json_read(input, &handlers, reader, &unclosed, error));
    if (!reader->has_events)
        return smc_fail(error, SMC_USAGE, "%s: JSON, but no trace: it has no array 'traceEvents'",
                        input->shown);
    if (reader->kernels == 0)
        return smc_fail(error, SMC_USAGE,
                        "%s: no kernels in this trace: PyTorch records them with "
                        "activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]",
                        input->shown);
    note_what_is_unknown(reader, unclosed);
    return chrome_describe(reader, error);
}

static enum smc_status chrome_read(struct smc_trace_input *input, struct smc_trace *trace,
                                   struct smc_error *error)
{
    struct chrome_reader reader = {.trace = trace, .error = error, .last_index = SMC_TRACE_UNKNOWN};
    enum smc_status status = chrome_read_all(&reader, input, error);
    free(reader.name);
    free(reader.gpu);
    free(reader.row);
    return status;
}

/* Any JSON that no other reader reads. */
static bool chrome_begins(const char *bytes, size_t count)
{
    const size_t bom = count >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    const char *first = bytes + bom + strspn(bytes + bom, " \t\r\n");
    return *first == '{' || *first == '[';
}

const struct smc_trace_reader smc_trace_reader_chrome = {.begins = chrome_begins,
                                                         .read = chrome_read};
