/* Exports of Nsight Systems (SQLite). Their tables and columns differ from version to version, so
   that each is looked up by its name; what is missing is unknown. */
#include "config.h"

#include <string.h>

#include "answers/trace_answer.h"

static bool nsys_begins(const char *bytes, size_t count)
{
    static const char magic[] = "SQLite format 3"; /* with its '\0' */
    return count >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

#ifndef HAVE_SQLITE

static enum smc_status nsys_read(struct smc_trace_input *input, struct smc_trace *trace,
                                 struct smc_error *error)
{
    (void)trace;
    return smc_fail(error, SMC_UNAVAILABLE,
                    "%s: an export of Nsight Systems; this build cannot read SQLite "
                    "(libsqlite3-dev was not found)",
                    input->shown);
}

#else

#include <stdlib.h>

#include "answers/trace/sqlite.h"
#include "base/memory.h"
#include "base/text.h"

/* --- What is read of a launch ----------------------------------------------------------------- */

/* Columns of CUPTI_ACTIVITY_KIND_KERNEL; those from DEVICE on are the key of a record. */
enum nsys_column {
    START,
    END,
    GRAPH_NODE,
    EXECUTED,
    DEVICE,
    PROCESS,
    MANGLED,
    DEMANGLED,
    SHORT,
    CACHE_CONFIG,
    CARVEOUT,
    REGISTERS,
    STATIC_SMEM,
    DYNAMIC_SMEM,
    GRID,
    BLOCK = GRID + 3,
    CLUSTER = BLOCK + 3,
    COLUMNS = CLUSTER + 3,
    KEY = DEVICE,
};

static const char kernel_table[] = "CUPTI_ACTIVITY_KIND_KERNEL";

static const char *const names[COLUMNS] = {
    [START] = "start",
    [END] = "end",
    [GRAPH_NODE] = "graphNodeId",
    [EXECUTED] = "sharedMemoryExecuted",
    [DEVICE] = "deviceId",
    [PROCESS] = "globalPid",
    [MANGLED] = "mangledName",
    [DEMANGLED] = "demangledName",
    [SHORT] = "shortName",
    [CACHE_CONFIG] = "cacheConfig",
    [CARVEOUT] = "sharedMemoryRequestedPercentage",
    [REGISTERS] = "registersPerThread",
    [STATIC_SMEM] = "staticSharedMemory",
    [DYNAMIC_SMEM] = "dynamicSharedMemory",
    [GRID] = "gridX",
    [GRID + 1] = "gridY",
    [GRID + 2] = "gridZ",
    [BLOCK] = "blockX",
    [BLOCK + 1] = "blockY",
    [BLOCK + 2] = "blockZ",
    [CLUSTER] = "clusterX",
    [CLUSTER + 1] = "clusterY",
    [CLUSTER + 2] = "clusterZ",
};

/* Numbers that a note mentions if they are missing or impossible. */
static const struct number {
    enum nsys_column first;
    int count;
    int64_t least, greatest;
    const char *what;
} numbers[] = {
    {REGISTERS, 1, 1, 1024, "numbers of registers"},
    {STATIC_SMEM, 1, 0, INT32_MAX, "sizes of static shared memory"},
    {DYNAMIC_SMEM, 1, 0, INT32_MAX, "sizes of dynamic shared memory"},
    {GRID, 3, 1, INT32_MAX, "grid sizes"},
    {BLOCK, 3, 1, 1024, "block sizes"},
};

enum { NUMBERS = sizeof numbers / sizeof *numbers };

/* No value: the column is missing, its value is NULL or no integer. */
#define NONE        INT64_MIN

/* Times are moved so that they are positive, whatever the clock's zero. */
#define EARLIEST_NS (-(INT64_C(1) << 62))
#define LONGEST_NS  (INT64_C(1) << 53) /* of a launch: 104 days */

/* Launches with equal keys that are close to each other in the file. They are added to the trace
   together, so that the record is looked up once for all of them. */
struct batch {
    int64_t key[COLUMNS - KEY];
    bool used;
    struct smc_trace_launch launch; /* not added yet; its name is not owned */
    size_t index;                   /* in the trace, or SIZE_MAX */
};

enum { BATCHES = 1 << 14 };

/* A name of StringIds. */
struct name {
    int64_t id;
    char *text; /* NULL: an empty place of the table */
};

/* A GPU of the file. */
struct gpu {
    int64_t id;
    struct smc_trace_gpu recorded;
    char *name;
};

struct ordinal {
    int64_t pid, ordinal, gpu;
    uint32_t sm_count; /* 0: unknown; less than the GPU's if it is a part of one (MIG) */
    char *uuid;        /* NULL: unknown */
};

/* The index in the trace of the GPU that has this number in this process. */
struct resolved {
    int64_t pid, ordinal;
    int32_t device;
};

struct export
{
    struct smc_sqlite sqlite;
    struct smc_trace *trace;
    struct batch *batches;
    sqlite3_stmt *strings; /* NULL: the table is missing */
    struct name *name;     /* a hash table by their numbers */
    size_t name_count, name_capacity;
    struct gpu *gpu;
    size_t gpu_count;
    struct ordinal *ordinal;
    size_t ordinal_count;
    struct resolved *resolved;
    size_t resolved_count;
    int64_t cache_config[4]; /* the file's number of each enum smc_cache_config, or NONE */
    bool in_order;           /* the filter counts launches: each is added by itself */
    bool has[COLUMNS];
    uint64_t launches, without[NUMBERS], without_time;
    bool guessed_gpu;
};

/* --- The file's program and tool -------------------------------------------------------------- */

static void nsys_keep_text(char **kept, struct smc_text *text)
{
    if (!*kept && text->length > 0 && (*kept = smc_strdup(smc_text_string(text))))
        smc_utf8_make_safe(*kept);
    smc_text_free(text);
}

typedef enum smc_status take_row(struct export *export, sqlite3_stmt *row, void *context,
                                 struct smc_error *error);

/* Calls `take` with each row of a table; with none if there is no such table. */
static enum smc_status each_row(struct export *export, const struct smc_sqlite_columns *columns,
                                take_row *take, void *context, struct smc_error *error)
{
    sqlite3_stmt *query;
    bool found = true;
    enum smc_status status = smc_sqlite_select(&export->sqlite, columns, "", NULL, &query, error);
    while (status == SMC_OK && query && found) {
        status = smc_sqlite_step(&export->sqlite, query, &found, error);
        if (status == SMC_OK && found)
            status = take(export, query, context, error);
    }
    sqlite3_finalize(query);
    return status;
}

/* Columns of a table, for one call. */
#define COLUMNS_OF(table, ...)                                                                     \
    (&(const struct smc_sqlite_columns){table, (const char *const[]){__VA_ARGS__},                 \
                                        sizeof((const char *const[]){__VA_ARGS__}) /               \
                                            sizeof(const char *)})

static const char *nsys_text_of(sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    return text ? text : "";
}

static enum smc_status take_tool(struct export *export, sqlite3_stmt *row, void *context,
                                 struct smc_error *error)
{
    struct smc_text *tool = context;
    (void)export, (void)error;
    if (strcmp(nsys_text_of(row, 0), "EXPORT_PRODUCT_VERSION") == 0 && tool->length == 0)
        smc_text_printf(tool, "Nsight Systems %s", nsys_text_of(row, 1));
    return SMC_OK;
}

/* PROCESS_0:COMMAND, then PROCESS_0:ARGUMENT_0 and so on, each a row. */
static enum smc_status take_program(struct export *export, sqlite3_stmt *row, void *context,
                                    struct smc_error *error)
{
    static const char command[] = "PROCESS_0:COMMAND", argument[] = "PROCESS_0:ARGUMENT_";
    struct smc_text *program = context;
    const char *name = nsys_text_of(row, 0);
    (void)export, (void)error;
    if (strcmp(name, command) == 0 || strncmp(name, argument, sizeof argument - 1) == 0)
        smc_text_printf(program, "%s%s", program->length ? " " : "", nsys_text_of(row, 1));
    return SMC_OK;
}

/* Warnings and errors of the recording about CUDA: launches may be missing. */
static enum smc_status take_diagnostic(struct export *export, sqlite3_stmt *row, void *context,
                                       struct smc_error *error)
{
    enum { WARNING = 2, MOST = 4 };
    int *count = context;
    int64_t severity;
    (void)error;
    if (smc_sqlite_integer(row, 0, &severity) && severity >= WARNING &&
        strstr(nsys_text_of(row, 1), "CUDA") && (*count)++ < MOST)
        smc_trace_note(export->trace, "Nsight Systems: %s", nsys_text_of(row, 1));
    return SMC_OK;
}

static enum smc_status read_about(struct export *export, struct smc_error *error)
{
    struct smc_text tool = {0}, program = {0};
    int count = 0;
    enum smc_status status =
        each_row(export, COLUMNS_OF("META_DATA_EXPORT", "name", "value"), take_tool, &tool, error);
    if (status == SMC_OK)
        status = each_row(export, COLUMNS_OF("META_DATA_CAPTURE", "name", "value"), take_program,
                          &program, error);
    if (status == SMC_OK)
        status = each_row(export, COLUMNS_OF("DIAGNOSTIC_EVENT", "severity", "text"),
                          take_diagnostic, &count, error);
    if (tool.length == 0)
        smc_text_append(&tool, "Nsight Systems");
    const bool failed = tool.failed || program.failed;
    nsys_keep_text(&export->trace->tool, &tool);
    nsys_keep_text(&export->trace->program, &program);
    return status == SMC_OK && failed ? smc_out_of_memory(error) : status;
}

/* --- GPUs ------------------------------------------------------------------------------------- */

/* Columns of TARGET_INFO_GPU, and of TARGET_INFO_CUDA_GPU before 2021.3. */
static const char *const gpu_columns[] = {
    "id",        "name",        "computeMajor", "computeMinor",      "smCount",
    "clockRate", "totalMemory", "l2CacheSize",  "maxRegistersPerSm", "maxShmemPerSm",
};
static const char *const old_gpu_columns[] = {
    "deviceId",
    "name",
    "computeCapabilityMajor",
    "computeCapabilityMinor",
    "numMultiprocessors",
    "coreClockRate",
    "globalMemorySize",
    "l2CacheSize",
    "maxRegistersPerMultiprocessor",
    "maxSharedMemoryPerMultiprocessor",
};

enum {
    GPU_COLUMNS = sizeof gpu_columns / sizeof *gpu_columns,
    MOST_GPUS = 1024, /* of a file, and ordinals of its processes */
};

static int64_t nsys_within(sqlite3_stmt *row, int column, int64_t least, int64_t greatest)
{
    int64_t value;
    const bool is = smc_sqlite_integer(row, column, &value) && value >= least && value <= greatest;
    return is ? value : 0;
}

/* Recorded in Hz, and in kHz before 2021.3; no GPU's clock is plausible in both units. */
static uint32_t clock_khz(int64_t clock)
{
    if (clock >= 100000000)
        clock /= 1000;
    return clock >= 100000 && clock <= 10000000 ? (uint32_t)clock : 0;
}

static enum smc_status take_gpu(struct export *export, sqlite3_stmt *row, void *context,
                                struct smc_error *error)
{
    enum smc_status status = SMC_OK;
    struct gpu gpu = {0};
    (void)context;
    if (!smc_sqlite_integer(row, 0, &gpu.id) || export->gpu_count == MOST_GPUS)
        return SMC_OK;
    if (!smc_make_room(&export->gpu, export->gpu_count, NULL, sizeof *export->gpu))
        return smc_out_of_memory(error);
    gpu.name = smc_sqlite_text(row, 1, &status, error);
    const int64_t major = nsys_within(row, 2, 1, 99);
    gpu.recorded = (struct smc_trace_gpu){
        .id = gpu.id,
        .name = gpu.name,
        .cc = major > 0 ? (uint16_t)(10 * major + nsys_within(row, 3, 0, 9)) : 0,
        .sm_count = (uint32_t)nsys_within(row, 4, 1, 10000),
        .clock_khz = clock_khz(nsys_within(row, 5, 1, INT64_MAX)),
        .global_mem_bytes = (uint64_t)nsys_within(row, 6, 1, INT64_MAX),
        .l2_bytes = (uint64_t)nsys_within(row, 7, 1, INT64_MAX),
        .regs_per_sm = (uint32_t)nsys_within(row, 8, 1, INT32_MAX),
        .smem_per_sm_bytes = (uint32_t)nsys_within(row, 9, 1, INT32_MAX),
    };
    export->gpu[export->gpu_count++] = gpu;
    return status;
}

static enum smc_status take_ordinal(struct export *export, sqlite3_stmt *row, void *context,
                                    struct smc_error *error)
{
    struct ordinal ordinal = {.sm_count = (uint32_t)nsys_within(row, 3, 1, 10000)};
    enum smc_status status = SMC_OK;
    (void)context;
    if (!smc_sqlite_integer(row, 0, &ordinal.pid) ||
        !smc_sqlite_integer(row, 1, &ordinal.ordinal) ||
        !smc_sqlite_integer(row, 2, &ordinal.gpu) || export->ordinal_count == MOST_GPUS)
        return SMC_OK;
    if (!smc_make_room(&export->ordinal, export->ordinal_count, NULL, sizeof *export->ordinal))
        return smc_out_of_memory(error);
    ordinal.uuid = smc_sqlite_text(row, 4, &status, error);
    export->ordinal[export->ordinal_count++] = ordinal;
    return status;
}

static enum smc_status read_gpus(struct export *export, struct smc_error *error)
{
    static const struct smc_sqlite_columns gpus = {"TARGET_INFO_GPU", gpu_columns, GPU_COLUMNS},
                                           old_gpus = {"TARGET_INFO_CUDA_GPU", old_gpu_columns,
                                                       GPU_COLUMNS};
    SMC_TRY(each_row(export, &gpus, take_gpu, NULL, error));
    if (export->gpu_count == 0)
        SMC_TRY(each_row(export, &old_gpus, take_gpu, NULL, error));
    return each_row(export,
                    COLUMNS_OF("TARGET_INFO_CUDA_DEVICE", "pid", "cudaId", "gpuId",
                               "numMultiprocessors", "uuid"),
                    take_ordinal, NULL, error);
}

static const struct ordinal *find_ordinal(const struct export *export, int64_t pid, int64_t device)
{
    for (size_t i = 0; i < export->ordinal_count; i++)
        if (export->ordinal[i].pid == pid && export->ordinal[i].ordinal == device)
            return &export->ordinal[i];
    return NULL;
}

/* Each MIG instance of a GPU counts as a GPU; the first one keeps the GPU's number. */
static int64_t nsys_number_of(const struct export *export, const struct ordinal *ordinal)
{
    enum { PARTS_FROM = 1000 };
    int64_t part = 0;
    for (const struct ordinal *other = export->ordinal; other < ordinal; other++)
        if (other->gpu == ordinal->gpu && other->uuid && ordinal->uuid) {
            if (strcmp(other->uuid, ordinal->uuid) == 0)
                return nsys_number_of(export, other);
            part = PARTS_FROM + (ordinal - export->ordinal);
        }
    return ordinal->gpu + part;
}

/* The GPU that a process calls `device`. A process may see only some GPUs, in any order; where the
   file does not say which, the numbers are taken to be those of the machine. */
static int32_t nsys_find_device(struct export *export, int64_t pid, int64_t device)
{
    const struct ordinal *ordinal = find_ordinal(export, pid, device);
    const int64_t id = ordinal ? ordinal->gpu : device;
    struct smc_trace_gpu gpu = {0};
    export->guessed_gpu |= !ordinal && export->gpu_count > 1;
    for (size_t i = 0; i < export->gpu_count; i++)
        if (export->gpu[i].id == id)
            gpu = export->gpu[i].recorded;
    gpu.id = ordinal ? nsys_number_of(export, ordinal) : id;
    if (ordinal && ordinal->sm_count != 0)
        gpu.sm_count = ordinal->sm_count;
    return smc_trace_device(export->trace, &gpu);
}

static enum smc_status resolve_device(struct export *export, int64_t pid, int64_t device,
                                      int32_t *index, struct smc_error *error)
{
    *index = SMC_TRACE_UNKNOWN;
    if (device == NONE)
        return SMC_OK;
    for (size_t i = 0; i < export->resolved_count; i++)
        if (export->resolved[i].pid == pid && export->resolved[i].ordinal == device) {
            *index = export->resolved[i].device;
            return SMC_OK;
        }
    if (!smc_make_room(&export->resolved, export->resolved_count, NULL, sizeof *export->resolved))
        return smc_out_of_memory(error);
    *index = nsys_find_device(export, pid, device);
    if (*index < 0)
        return smc_out_of_memory(error);
    export->resolved[export->resolved_count++] = (struct resolved){pid, device, *index};
    return SMC_OK;
}

/* --- Names ------------------------------------------------------------------------------------ */

static enum smc_status nsys_read_name(struct export *export, int64_t id, char **text,
                                      struct smc_error *error)
{
    enum smc_status status = SMC_OK;
    bool found = false;
    *text = NULL;
    if (export->strings) {
        sqlite3_bind_int64(export->strings, 1, id);
        status = smc_sqlite_step(&export->sqlite, export->strings, &found, error);
        if (status == SMC_OK && found)
            *text = smc_sqlite_text(export->strings, 0, &status, error);
        sqlite3_reset(export->strings);
    }
    if (status == SMC_OK && !*text && !(*text = smc_strdup("")))
        return smc_out_of_memory(error);
    return status;
}

static uint64_t nsys_mix(uint64_t hash, int64_t value)
{
    hash = (hash ^ (uint64_t)value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static struct name *nsys_find_place(struct name *table, size_t capacity, int64_t id)
{
    size_t at = nsys_mix(0, id) & (capacity - 1);
    while (table[at].text && table[at].id != id)
        at = (at + 1) & (capacity - 1);
    return &table[at];
}

static enum smc_status grow_names(struct export *export, struct smc_error *error)
{
    const size_t capacity = export->name_capacity ? 2 * export->name_capacity : 256;
    struct name *grown = smc_calloc(capacity, sizeof *grown);
    if (!grown)
        return smc_out_of_memory(error);
    for (size_t i = 0; i < export->name_capacity; i++)
        if (export->name[i].text)
            *nsys_find_place(grown, capacity, export->name[i].id) = export->name[i];
    free(export->name);
    export->name = grown;
    export->name_capacity = capacity;
    return SMC_OK;
}

/* The text with this number, "" if there is none. It lasts as long as `export`. */
static enum smc_status nsys_find_name(struct export *export, int64_t id, const char **text,
                                      struct smc_error *error)
{
    enum smc_status status = SMC_OK;
    *text = "";
    if (id == NONE)
        return SMC_OK;
    if (2 * (export->name_count + 1) > export->name_capacity)
        status = grow_names(export, error);
    if (status != SMC_OK)
        return status;
    struct name *place = nsys_find_place(export->name, export->name_capacity, id);
    if (!place->text) {
        status = nsys_read_name(export, id, &place->text, error);
        place->id = id;
        export->name_count++;
    }
    *text = place->text ? place->text : "";
    return status;
}

/* The mangled name, which other tools record too; else the best there is. */
static enum smc_status find_kernel_name(struct export *export, const int64_t *value,
                                        const char **name, struct smc_error *error)
{
    static const enum nsys_column order[] = {MANGLED, DEMANGLED, SHORT};
    *name = "";
    for (size_t i = 0; i < sizeof order / sizeof *order && !**name; i++)
        SMC_TRY(nsys_find_name(export, value[order[i]], name, error));
    if (!**name) {
        *name = "(unnamed)";
        smc_trace_note(export->trace, "some kernels have no name in the file: '(unnamed)'");
    }
    return SMC_OK;
}

/* --- Enumerations ----------------------------------------------------------------------------- */

static enum smc_status take_cache_config(struct export *export, sqlite3_stmt *row, void *context,
                                         struct smc_error *error)
{
    const int32_t config = smc_trace_cache_config(nsys_text_of(row, 1));
    int64_t id;
    (void)context, (void)error;
    if (config != SMC_TRACE_UNKNOWN && smc_sqlite_integer(row, 0, &id))
        export->cache_config[config] = id;
    return SMC_OK;
}

static int32_t find_cache_config(const struct export *export, int64_t value)
{
    for (size_t i = 0; i < sizeof export->cache_config / sizeof *export->cache_config; i++)
        if (value != NONE && export->cache_config[i] == value)
            return (int32_t)i;
    return SMC_TRACE_UNKNOWN;
}

/* --- Launches --------------------------------------------------------------------------------- */

static void nsys_read_row(struct export *export, sqlite3_stmt *row, int64_t value[COLUMNS])
{
    for (int i = 0; i < COLUMNS; i++)
        if (!export->has[i] || !smc_sqlite_integer(row, i, &value[i]))
            value[i] = NONE;
    for (size_t i = 0; i < NUMBERS; i++) {
        const struct number *number = &numbers[i];
        bool is_sound = true;
        for (int k = number->first; k < (int)number->first + number->count; k++)
            is_sound = is_sound && value[k] >= number->least && value[k] <= number->greatest;
        for (int k = number->first; k < (int)number->first + number->count && !is_sound; k++)
            value[k] = NONE;
        export->without[i] += !is_sound;
    }
    export->launches++;
}

static size_t nsys_hash_key(const int64_t *key)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < COLUMNS - KEY; i++)
        hash = nsys_mix(hash, key[i]);
    return (size_t)(hash ^ hash >> 32);
}

static void take_dimensions(uint32_t out[3], const int64_t *value, int64_t greatest)
{
    for (int i = 0; i < 3; i++)
        if (value[i] < 1 || value[i] > greatest)
            return;
    for (int i = 0; i < 3; i++)
        out[i] = (uint32_t)value[i];
}

static int32_t at_least(int64_t value, int64_t least)
{
    return value >= least && value <= INT32_MAX ? (int32_t)value : SMC_TRACE_UNKNOWN;
}

/* Bits 24 to 47 of a global id are the number of the process. */
static int64_t pid_of(int64_t global)
{
    return global == NONE ? SMC_TRACE_UNKNOWN : (int64_t)((uint64_t)global >> 24 & 0xffffff);
}

/* Older releases record 0 if no carve-out was requested. */
static int32_t nsys_carveout(int64_t percent)
{
    return percent >= 1 && percent <= 100 ? (int32_t)percent : SMC_CARVEOUT_DEFAULT;
}

static enum smc_status begin_batch(struct export *export, struct batch *batch, const int64_t *value,
                                   struct smc_error *error)
{
    struct smc_trace_launch *launch = &batch->launch;
    const char *name;
    SMC_TRY(find_kernel_name(export, value, &name, error));
    memcpy(batch->key, value + KEY, sizeof batch->key);
    smc_trace_launch_init(launch);
    launch->launches = 0;
    launch->name = (char *)(uintptr_t)name;
    enum smc_status status =
        resolve_device(export, pid_of(value[PROCESS]), value[DEVICE], &launch->device, error);
    if (value[PROCESS] != NONE)
        launch->process = smc_trace_process(export->trace, pid_of(value[PROCESS]), NULL);
    if (status != SMC_OK || (value[PROCESS] != NONE && launch->process < 0))
        return smc_out_of_memory(error);
    launch->cache_config = find_cache_config(export, value[CACHE_CONFIG]);
    launch->carveout_percent = nsys_carveout(value[CARVEOUT]);
    launch->regs_per_thread = at_least(value[REGISTERS], 1);
    launch->static_smem_bytes = at_least(value[STATIC_SMEM], 0);
    launch->dynamic_smem_bytes = at_least(value[DYNAMIC_SMEM], 0);
    take_dimensions(launch->grid, value + GRID, INT32_MAX);
    take_dimensions(launch->block, value + BLOCK, 1024);
    take_dimensions(launch->cluster, value + CLUSTER, 1024);
    batch->used = true;
    batch->index = SIZE_MAX;
    return SMC_OK;
}

/* Adds the launches that were only counted so far. */
static enum smc_status flush(struct export *export, struct batch *batch, struct smc_error *error)
{
    struct smc_trace_launch *launch = &batch->launch;
    if (!batch->used || launch->launches == 0)
        return SMC_OK;
    SMC_TRY(smc_trace_add_launches(export->trace, launch, &batch->index, error));
    launch->launches = launch->graph_launches = launch->timed_launches = launch->total_ns = 0;
    return SMC_OK;
}

static void count_launch(struct smc_trace_launch *launch, const int64_t *value, bool is_timed)
{
    launch->launches++;
    launch->graph_launches += value[GRAPH_NODE] != NONE && value[GRAPH_NODE] != 0;
    if (value[EXECUTED] > launch->smem_configured_bytes && value[EXECUTED] <= INT32_MAX)
        launch->smem_configured_bytes = value[EXECUTED];
    if (!is_timed)
        return;
    const uint64_t ns = (uint64_t)(value[END] - value[START]);
    if (launch->timed_launches == 0 || ns < launch->least_ns)
        launch->least_ns = ns;
    if (launch->timed_launches == 0 || ns > launch->greatest_ns)
        launch->greatest_ns = ns;
    launch->timed_launches++;
    launch->total_ns += ns;
}

/* Both times are 0 if they could not be measured. */
static bool is_timed(const int64_t *value)
{
    const int64_t start = value[START], end = value[END];
    return start >= EARLIEST_NS && end <= -EARLIEST_NS && end >= start && end != 0 &&
           end - LONGEST_NS <= start;
}

static enum smc_status nsys_take_launch(struct export *export, sqlite3_stmt *row,
                                        struct smc_error *error)
{
    int64_t value[COLUMNS];
    nsys_read_row(export, row, value);
    struct batch *batch = &export->batches[nsys_hash_key(value + KEY) % BATCHES];
    const bool is_new = !batch->used || memcmp(batch->key, value + KEY, sizeof batch->key) != 0;
    if (is_new) {
        SMC_TRY(flush(export, batch, error));
        SMC_TRY(begin_batch(export, batch, value, error));
    }
    const bool timed = is_timed(value);
    export->without_time += !timed;
    count_launch(&batch->launch, value, timed);
    if (is_new || export->in_order)
        SMC_TRY(flush(export, batch, error));
    if (!timed)
        return SMC_OK;
    return smc_trace_add_span(export->trace, batch->index, (uint64_t)(value[START] - EARLIEST_NS),
                              (uint64_t)(value[END] - EARLIEST_NS), error);
}

/* Whether the rows are in the order of their start, as most exports have them: sorting takes longer
   than reading. */
static enum smc_status find_order(struct export *export, bool *is_sorted, struct smc_error *error)
{
    sqlite3_stmt *query;
    bool found = true;
    int64_t last = INT64_MIN, start;
    *is_sorted = true;
    const struct smc_sqlite_columns first = {kernel_table, names, 1};
    enum smc_status status = smc_sqlite_select(&export->sqlite, &first, "", NULL, &query, error);
    while (status == SMC_OK && query && found && *is_sorted) {
        status = smc_sqlite_step(&export->sqlite, query, &found, error);
        if (status != SMC_OK || !found)
            break;
        *is_sorted = smc_sqlite_integer(query, 0, &start) && start >= last;
        last = start;
    }
    sqlite3_finalize(query);
    return status;
}

static enum smc_status nsys_read_launches(struct export *export, struct smc_error *error)
{
    sqlite3_stmt *query;
    bool found = true, is_sorted = true;
    SMC_TRY(export->in_order ? find_order(export, &is_sorted, error) : SMC_OK);
    enum smc_status status = smc_sqlite_select(
        &export->sqlite, &(const struct smc_sqlite_columns){kernel_table, names, COLUMNS},
        is_sorted ? "" : "ORDER BY 1", export->has, &query, error);
    if (status == SMC_OK && !query)
        return smc_fail(error, SMC_USAGE,
                        "%s: no kernels: table %s is missing; record with "
                        "'nsys profile --trace cuda --cuda-graph-trace node'",
                        export->trace->file, kernel_table);
    while (status == SMC_OK && found) {
        status = smc_sqlite_step(&export->sqlite, query, &found, error);
        if (status == SMC_OK && found)
            status = nsys_take_launch(export, query, error);
    }
    sqlite3_finalize(query);
    for (size_t i = 0; i < BATCHES && status == SMC_OK; i++)
        status = flush(export, &export->batches[i], error);
    return status;
}

/* --- Notes ------------------------------------------------------------------------------------ */

static enum smc_status take_process(struct export *export, sqlite3_stmt *row, void *context,
                                    struct smc_error *error)
{
    enum smc_status status = SMC_OK;
    int64_t id;
    (void)context;
    if (!smc_sqlite_integer(row, 0, &id))
        return SMC_OK;
    smc_auto_free char *command = smc_sqlite_text(row, 1, &status, error);
    if (command)
        smc_utf8_make_safe(command);
    for (size_t i = 0; i < export->trace->process_count && command; i++) {
        struct smc_trace_process *process = &export->trace->processes[i];
        if (process->id == pid_of(id) && !process->command) {
            process->command = command;
            command = NULL;
        }
    }
    return status;
}

/* Graphs that were recorded as a whole: their kernels are not in the file. */
static enum smc_status take_graph(struct export *export, sqlite3_stmt *row, void *context,
                                  struct smc_error *error)
{
    uint64_t *count = context;
    (void)export, (void)row, (void)error;
    (*count)++;
    return SMC_OK;
}

static void nsys_note_unknown(struct export *export)
{
    const unsigned long long all = export->launches;
    for (size_t i = 0; i < NUMBERS; i++)
        if (export->without[i] > 0 && export->without[i] == all)
            smc_trace_note(export->trace, "%s were not recorded", numbers[i].what);
        else if (export->without[i] > 0)
            smc_trace_note(export->trace, "%s are unknown for %llu of %llu launches",
                           numbers[i].what, (unsigned long long)export->without[i], all);
    if (export->without_time > 0)
        smc_trace_note(export->trace, "times are unknown for %llu of %llu launches",
                       (unsigned long long)export->without_time, all);
    bool may_have_clusters = export->trace->device_count == 0;
    for (size_t i = 0; i < export->trace->device_count; i++)
        may_have_clusters |= !export->trace->devices[i].known ||
                             export->trace->devices[i].device.sm.cluster_max_portable > 0;
    if (!export->has[CLUSTER] && may_have_clusters && all > 0)
        smc_trace_note(export->trace, "clusters were not recorded (Nsight Systems 2025 and newer "
                                      "do)");
    if (export->guessed_gpu)
        smc_trace_note(export->trace, "which GPUs a process could see was not recorded: its GPU 0 "
                                      "is taken to be GPU 0 of the machine");
    if (all == 0)
        smc_trace_note(export->trace, "no kernels were recorded");
}

static enum smc_status nsys_read_rest(struct export *export, struct smc_error *error)
{
    uint64_t graphs = 0;
    enum smc_status status =
        each_row(export, COLUMNS_OF("PROCESSES", "globalPid", "name"), take_process, NULL, error);
    if (status == SMC_OK)
        status = each_row(export, COLUMNS_OF("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "start"),
                          take_graph, &graphs, error);
    if (graphs > 0)
        smc_trace_note(export->trace,
                       "%llu launch%s of CUDA graphs %s recorded without their kernels; 'nsys "
                       "profile --cuda-graph-trace node' records them",
                       (unsigned long long)graphs, graphs == 1 ? "" : "es",
                       graphs == 1 ? "was" : "were");
    nsys_note_unknown(export);
    return status;
}

/* --- The whole file --------------------------------------------------------------------------- */

static enum smc_status nsys_read_all(struct export *export, struct smc_error *error)
{
    export->batches = smc_calloc(BATCHES, sizeof *export->batches);
    if (!export->batches)
        return smc_out_of_memory(error);
    SMC_TRY(read_about(export, error));
    SMC_TRY(read_gpus(export, error));
    SMC_TRY(each_row(export, COLUMNS_OF("ENUM_CUDA_FUNC_CACHE_CONFIG", "id", "name"),
                     take_cache_config, NULL, error));
    SMC_TRY(smc_sqlite_select(&export->sqlite, COLUMNS_OF("StringIds", "value"), "WHERE \"id\" = ?",
                              NULL, &export->strings, error));
    SMC_TRY(nsys_read_launches(export, error));
    return nsys_read_rest(export, error);
}

static enum smc_status nsys_read(struct smc_trace_input *input, struct smc_trace *trace,
                                 struct smc_error *error)
{
    const char *path;
    struct export export = {
        .trace = trace,
        .in_order = trace->filter.skip > 0 || trace->filter.count > 0,
        .cache_config = {NONE, NONE, NONE, NONE},
    };
    trace->source = SMC_TRACE_NSIGHT_SYSTEMS;
    enum smc_status status = smc_trace_input_file(input, &path, error);
    if (status == SMC_OK)
        status = smc_sqlite_open(&export.sqlite, path, trace->file, error);
    smc_trace_input_unlink(input);
    if (status == SMC_OK)
        status = nsys_read_all(&export, error);
    sqlite3_finalize(export.strings);
    smc_sqlite_close(&export.sqlite);
    for (size_t i = 0; i < export.name_capacity; i++)
        free(export.name[i].text);
    for (size_t i = 0; i < export.gpu_count; i++)
        free(export.gpu[i].name);
    for (size_t i = 0; i < export.ordinal_count; i++)
        free(export.ordinal[i].uuid);
    free(export.name);
    free(export.gpu);
    free(export.ordinal);
    free(export.resolved);
    free(export.batches);
    return status;
}

#endif

const struct smc_trace_reader smc_trace_reader_nsys = {.begins = nsys_begins, .read = nsys_read};
