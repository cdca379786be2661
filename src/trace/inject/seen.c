/* Launches as the program calls for them. A call that has been seen before costs a look into a
   table without locks and one addition. */
#include "config.h"

#include "trace/inject/seen.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "trace/inject/inject.h"
#include "trace/inject/table.h"

/* --- The driver ------------------------------------------------------------------------------- */

/* Optional are those that older drivers lack. */
#define DRIVER_FUNCTIONS(F)                                                                        \
    F(cuDriverGetVersion, (int *))                                                                 \
    F(cuCtxGetCurrent, (void **))                                                                  \
    F(cuCtxGetDevice, (int32_t *))                                                                 \
    F(cuDeviceGetName, (char *, int, int32_t))                                                     \
    F(cuDeviceGetUuid, (uint8_t *, int32_t))                                                       \
    F(cuDeviceGetAttribute, (int *, int, int32_t))                                                 \
    F(cuDeviceTotalMem_v2, (size_t *, int32_t))                                                    \
    F(cuFuncGetAttribute, (int *, int, void *))                                                    \
    F(cuKernelGetAttribute, (int *, int, void *, int32_t))                                         \
    F(cuFuncGetName, (const char **, void *))                                                      \
    F(cuKernelGetName, (const char **, void *))                                                    \
    F(cuOccupancyMaxActiveBlocksPerMultiprocessor, (int *, void *, int, size_t))                   \
    F(cuOccupancyMaxActiveClusters, (int *, void *, const struct driver_launch_config *))          \
    F(cuStreamIsCapturing, (void *, int *))                                                        \
    F(cuGraphGetNodes, (void *, void **, size_t *))                                                \
    F(cuGraphNodeGetType, (void *, int *))                                                         \
    F(cuGraphKernelNodeGetParams, (void *, struct driver_kernel_node *))                           \
    F(cuGraphKernelNodeGetParams_v2, (void *, struct driver_kernel_node *))                        \
    F(cuGraphKernelNodeGetAttribute, (void *, int, union driver_attribute_value *))                \
    F(cuGraphChildGraphNodeGetGraph, (void *, void **))

static struct {
#define FUNCTION(name, parameters) int(*name) parameters;
    DRIVER_FUNCTIONS(FUNCTION)
#undef FUNCTION
    bool found;
} driver;

/* Whether the driver has the function, and its call succeeds. */
#define ASK(function, ...) (driver.function && driver.function(__VA_ARGS__) == DRIVER_SUCCESS)

bool seen_find_driver(void)
{
    static const struct {
        const char *name;
        void *function;
    } functions[] = {
#define FUNCTION(name, parameters) {#name, &driver.name},
        DRIVER_FUNCTIONS(FUNCTION)
#undef FUNCTION
    };
    if (driver.found)
        return true;
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (!library)
        return false;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *address = seen_symbol(library, functions[i].name);
        memcpy(functions[i].function, &address, sizeof address);
    }
    driver.found = true;
    int version = 0;
    struct record_header *header = table_header();
    if (header && ASK(cuDriverGetVersion, &version))
        header->driver_version = version;
    return true;
}

static uint32_t device_attribute(int32_t ordinal, enum driver_device_attribute attribute)
{
    int value = 0;
    return ASK(cuDeviceGetAttribute, &value, attribute, ordinal) && value > 0 ? (uint32_t)value : 0;
}

void seen_device(int32_t ordinal)
{
    size_t memory = 0;
    if (table_has_device(ordinal) || !seen_find_driver())
        return;
    struct record_device device = {
        .ordinal = ordinal,
        .cc = 10 * device_attribute(ordinal, DEVICE_CC_MAJOR) +
              device_attribute(ordinal, DEVICE_CC_MINOR),
        .sm_count = device_attribute(ordinal, DEVICE_SM_COUNT),
        .clock_khz = device_attribute(ordinal, DEVICE_CLOCK_KHZ),
        .regs_per_sm = device_attribute(ordinal, DEVICE_REGS_PER_SM),
        .max_threads_per_sm = device_attribute(ordinal, DEVICE_THREADS_PER_SM),
        .smem_per_sm_bytes = device_attribute(ordinal, DEVICE_SMEM_PER_SM),
        .l2_bytes = device_attribute(ordinal, DEVICE_L2_BYTES),
    };
    if (ASK(cuDeviceTotalMem_v2, &memory, ordinal))
        device.global_mem_bytes = memory;
    if (!ASK(cuDeviceGetUuid, device.uuid, ordinal))
        memset(device.uuid, 0, sizeof device.uuid);
    if (!ASK(cuDeviceGetName, device.name, (int)sizeof device.name - 1, ordinal))
        device.name[0] = '\0';
    device.name[sizeof device.name - 1] = '\0';
    table_device(&device);
}

/* --- A configuration that is new -------------------------------------------------------------- */

/* What a call shows of a launch: function handles are unique in their context while they live. */
struct call {
    const void *function, *context;
    uint32_t grid[3], block[3], cluster[3], smem_bytes;
    int32_t carveout; /* of the launch; -1: none */
};

static int32_t function_attribute(const struct call *call, int32_t device,
                                  enum driver_function_attribute attribute)
{
    int value = 0;
    void *function = (void *)(uintptr_t)call->function;
    if (ASK(cuFuncGetAttribute, &value, attribute, function) ||
        ASK(cuKernelGetAttribute, &value, attribute, function, device))
        return value;
    return RECORD_UNKNOWN;
}

static const char *function_name(const struct call *call)
{
    const char *name = NULL;
    void *function = (void *)(uintptr_t)call->function;
    if ((ASK(cuFuncGetName, &name, function) || ASK(cuKernelGetName, &name, function)) && name)
        return name;
    return NULL;
}

static void find_cluster(const struct call *call, int32_t device, uint32_t cluster[3])
{
    memcpy(cluster, call->cluster, sizeof call->cluster);
    for (int i = 0; i < 3 && call->cluster[0] == 0; i++) {
        const int32_t size = function_attribute(
            call, device, (enum driver_function_attribute)(FUNCTION_CLUSTER_WIDTH + i));
        cluster[i] = size > 0 ? (uint32_t)size : 0;
    }
}

static void ask_occupancy(const struct call *call, struct record_launch *launch)
{
    int blocks = 0, clusters = 0;
    const uint32_t *block = call->block, *cluster = launch->key.cluster;
    const uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    void *function = (void *)(uintptr_t)call->function;
    if (ASK(cuOccupancyMaxActiveBlocksPerMultiprocessor, &blocks, function, (int)threads,
            call->smem_bytes))
        launch->api_blocks_per_sm = blocks;
    if (cluster[0] == 0)
        return;
    const struct driver_attribute attribute = {
        .id = LAUNCH_CLUSTER_DIMENSION,
        .value.cluster = {cluster[0], cluster[1], cluster[2]},
    };
    const struct driver_launch_config config = {
        .grid = {call->grid[0], call->grid[1], call->grid[2]},
        .block = {block[0], block[1], block[2]},
        .smem_bytes = call->smem_bytes,
        .attributes = &attribute,
        .attribute_count = 1,
    };
    if (ASK(cuOccupancyMaxActiveClusters, &clusters, function, &config))
        launch->api_clusters = clusters;
}

/* The launch of the file for a call; asks the driver if nobody has asked for this configuration. */
static struct record_launch *resolve(const struct call *call, const char *name)
{
    int32_t device = RECORD_UNKNOWN;
    struct record_header *header = table_header();
    if (!header || !seen_find_driver())
        return NULL;
    if (!ASK(cuCtxGetDevice, &device))
        device = RECORD_UNKNOWN;
    seen_device(device);
    if (!name || !*name)
        name = function_name(call);
    if (!name)
        name = "(unknown kernel)";
    struct record_key key = {
        .origin = RECORD_CALLED,
        .device = device,
        .grid = {call->grid[0], call->grid[1], call->grid[2]},
        .block = {call->block[0], call->block[1], call->block[2]},
        .regs_per_thread = function_attribute(call, device, FUNCTION_REGS),
        .static_smem_bytes = function_attribute(call, device, FUNCTION_STATIC_SMEM),
        .dynamic_smem_bytes = call->smem_bytes,
        .carveout_percent = call->carveout,
        .cache_config = RECORD_UNKNOWN,
    };
    const int32_t carveout = function_attribute(call, device, FUNCTION_CARVEOUT);
    if (key.carveout_percent < 0)
        key.carveout_percent = carveout;
    find_cluster(call, device, key.cluster);
    struct record_launch *launch = table_launch(&key, name);
    if (launch && launch->api_blocks_per_sm == RECORD_UNKNOWN) {
        launch->api_carveout_percent = carveout;
        launch->local_bytes = function_attribute(call, device, FUNCTION_LOCAL_BYTES);
        ask_occupancy(call, launch);
    }
    return launch;
}

/* --- Calls seen before ------------------------------------------------------------------------ */

/* Nodes are made once and stay; readers need no lock. */
struct node {
    struct call call;
    uint32_t generation; /* of the function handles, when `launch` was found */
    struct record_launch *launch;
};

struct node_table {
    size_t mask;
    struct node *node[];
};

enum { FIRST_NODES = 1024, MOST_NODES = 1 << 20, NODES_PER_CHUNK = 512 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node_table *table; /* the newest; older ones stay for those who still read them */
static size_t node_count;
static struct node *chunk; /* of nodes, the first `chunk_used` of which are in the table */
static size_t chunk_used;
static uint32_t generation = 1;

void seen_changed(void)
{
    __atomic_fetch_add(&generation, 1, __ATOMIC_RELEASE);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

static uint64_t hash_call(const struct call *call)
{
    uint64_t hash = mix((uint64_t)(uintptr_t)call->function, (uint64_t)(uintptr_t)call->context);
    hash = mix(hash, (uint64_t)call->grid[0] << 32 | call->block[0]);
    hash = mix(hash, (uint64_t)call->grid[1] << 32 | call->block[1]);
    hash = mix(hash, (uint64_t)call->grid[2] << 32 | call->block[2]);
    return mix(hash, (uint64_t)call->smem_bytes << 32 | call->cluster[0]);
}

static bool is_same(const struct call *a, const struct call *b)
{
    return a->function == b->function && a->context == b->context &&
           memcmp(a->grid, b->grid, sizeof a->grid) == 0 &&
           memcmp(a->block, b->block, sizeof a->block) == 0 &&
           memcmp(a->cluster, b->cluster, sizeof a->cluster) == 0 &&
           a->smem_bytes == b->smem_bytes && a->carveout == b->carveout;
}

/* The node of the call, or NULL; `place` receives where it is or belongs. */
static struct node *find(struct node_table *in, const struct call *call, size_t *place)
{
    size_t at = hash_call(call) & in->mask;
    struct node *node;
    while ((node = __atomic_load_n(&in->node[at], __ATOMIC_ACQUIRE)) && !is_same(&node->call, call))
        at = (at + 1) & in->mask;
    *place = at;
    return node;
}

/* Under the lock. */
static bool grow_nodes(void)
{
    const size_t size = table ? table->mask + 1 : 0;
    if (2 * (node_count + 1) <= size)
        return true;
    const size_t larger = size ? 2 * size : 2 * FIRST_NODES;
    struct node_table *grown = inject_allocate(sizeof *grown + larger * sizeof *grown->node);
    if (!grown)
        return false;
    grown->mask = larger - 1;
    for (size_t i = 0; i < size; i++)
        if (table->node[i]) {
            size_t place;
            find(grown, &table->node[i]->call, &place);
            grown->node[place] = table->node[i];
        }
    __atomic_store_n(&table, grown, __ATOMIC_RELEASE);
    return true;
}

/* Under the lock. */
static struct node *add_node(const struct call *call, struct record_launch *launch, uint32_t now)
{
    size_t place;
    if (node_count >= MOST_NODES || !grow_nodes())
        return NULL;
    if (!chunk || chunk_used == NODES_PER_CHUNK) {
        chunk = inject_allocate(NODES_PER_CHUNK * sizeof *chunk);
        chunk_used = 0;
    }
    if (!chunk)
        return NULL;
    struct node *node = &chunk[chunk_used++];
    *node = (struct node){.call = *call, .generation = now, .launch = launch};
    find(table, call, &place);
    __atomic_store_n(&table->node[place], node, __ATOMIC_RELEASE);
    node_count++;
    return node;
}

static struct record_launch *remember(const struct call *call, const char *name, uint32_t now)
{
    size_t place;
    struct record_launch *launch = resolve(call, name);
    if (!launch)
        return NULL;
    pthread_mutex_lock(&lock);
    struct node *node = table ? find(table, call, &place) : NULL;
    if (node) {
        __atomic_store_n(&node->launch, launch, __ATOMIC_RELEASE);
        __atomic_store_n(&node->generation, now, __ATOMIC_RELEASE);
    } else {
        add_node(call, launch, now);
    }
    pthread_mutex_unlock(&lock);
    return launch;
}

static struct record_launch *look_up(const struct call *call, const char *name)
{
    size_t place;
    const uint32_t now = __atomic_load_n(&generation, __ATOMIC_ACQUIRE);
    struct node_table *current = __atomic_load_n(&table, __ATOMIC_ACQUIRE);
    const struct node *node = current ? find(current, call, &place) : NULL;
    if (node && __atomic_load_n(&node->generation, __ATOMIC_ACQUIRE) == now)
        return __atomic_load_n(&node->launch, __ATOMIC_ACQUIRE);
    return remember(call, name, now);
}

/* --- --skip and --count ----------------------------------------------------------------------- */

/* The correlation ids of the last launch that is skipped, and of the last one that is counted once
   that is known. */
static uint32_t last_skipped, last_counted;

static void raise_to(uint32_t *value, uint32_t least)
{
    uint32_t now = __atomic_load_n(value, __ATOMIC_RELAXED);
    while (now < least && !__atomic_compare_exchange_n(value, &now, least, true, __ATOMIC_RELAXED,
                                                       __ATOMIC_RELAXED))
        continue;
}

/* Whether the next launch, or `launches` of a graph, are counted. */
static bool is_counted(uint64_t launches, uint32_t correlation)
{
    static uint32_t newest;
    const struct inject_settings *settings = inject_settings();
    if (!settings->launches_so_far)
        return true;
    const uint64_t before =
        __atomic_fetch_add(settings->launches_so_far, launches, __ATOMIC_RELAXED);
    const bool skipped = before < settings->skip;
    const bool over = settings->count != 0 && before >= settings->skip + settings->count;
    if (skipped)
        raise_to(&last_skipped, correlation);
    else if (!over)
        raise_to(&newest, correlation);
    else
        raise_to(&last_counted, __atomic_load_n(&newest, __ATOMIC_RELAXED));
    if ((skipped || over) && table_header())
        table_add(&table_header()->skipped, launches);
    return !skipped && !over;
}

bool seen_is_within(uint32_t correlation)
{
    const struct inject_settings *settings = inject_settings();
    if (!settings->launches_so_far)
        return true;
    const uint32_t last = __atomic_load_n(&last_counted, __ATOMIC_RELAXED);
    return correlation > __atomic_load_n(&last_skipped, __ATOMIC_RELAXED) &&
           (last == 0 || correlation <= last);
}

/* --- Launches --------------------------------------------------------------------------------- */

static int captures; /* that have begun and not ended */

void seen_capture(bool begins)
{
    __atomic_fetch_add(&captures, begins ? 1 : -1, __ATOMIC_RELAXED);
}

static bool is_captured(void *stream)
{
    int status = 0;
    return __atomic_load_n(&captures, __ATOMIC_RELAXED) > 0 && seen_find_driver() &&
           ASK(cuStreamIsCapturing, stream, &status) && status != 0;
}

static void *current_context(void)
{
    void *context = NULL;
    return seen_find_driver() && ASK(cuCtxGetCurrent, &context) ? context : NULL;
}

static void count(struct record_launch *launch, uint64_t launches, uint64_t graph_launches)
{
    if (!launch) {
        struct record_header *header = table_header();
        if (header)
            table_add(&header->lost_launches, launches);
        return;
    }
    table_add(&launch->launches, launches);
    if (graph_launches > 0)
        table_add(&launch->graph_launches, graph_launches);
}

void seen_launch_ex(const struct driver_launch_config *config, void *function,
                    const struct seen_caller *caller)
{
    if (!inject_records())
        return;
    struct call call = {
        .function = function,
        .context = caller->context ? caller->context : current_context(),
        .smem_bytes = config->smem_bytes,
        .carveout = RECORD_UNKNOWN,
    };
    memcpy(call.grid, config->grid, sizeof call.grid);
    memcpy(call.block, config->block, sizeof call.block);
    for (uint32_t i = 0; config->attributes && i < config->attribute_count; i++) {
        const struct driver_attribute *attribute = &config->attributes[i];
        if (attribute->id == LAUNCH_CLUSTER_DIMENSION)
            memcpy(call.cluster, attribute->value.cluster, sizeof call.cluster);
        else if (attribute->id == LAUNCH_CARVEOUT)
            call.carveout = (int32_t)attribute->value.carveout;
    }
    if (is_captured(config->stream))
        look_up(&call, caller->name);
    else if (is_counted(1, caller->correlation))
        count(look_up(&call, caller->name), 1, 0);
}

void seen_launch(const struct driver_launch_params *params, const struct seen_caller *caller)
{
    struct driver_launch_config config = {.smem_bytes = params->smem_bytes,
                                          .stream = params->stream};
    memcpy(config.grid, params->grid, sizeof config.grid);
    memcpy(config.block, params->block, sizeof config.block);
    seen_launch_ex(&config, params->function, caller);
}

void seen_launch_multi_device(const struct driver_multi_device_launch *list, uint32_t count,
                              const struct seen_caller *caller)
{
    for (uint32_t i = 0; i < count; i++) {
        struct driver_launch_config config = {.smem_bytes = list[i].smem_bytes,
                                              .stream = list[i].stream};
        memcpy(config.grid, list[i].grid, sizeof config.grid);
        memcpy(config.block, list[i].block, sizeof config.block);
        seen_launch_ex(&config, list[i].function, caller);
    }
}

/* --- Graphs ----------------------------------------------------------------------------------- */

struct graph_node {
    void *node;
    struct record_launch *launch;
};

/* An executable graph. Its kernels are in memory of their own. */
struct graph {
    void *executable;
    struct graph_node *nodes;
    size_t count, capacity;
};

static pthread_mutex_t graph_lock = PTHREAD_MUTEX_INITIALIZER;
static struct graph *graphs;
static size_t graph_count, graph_capacity;

/* Makes an array of `count` larger. */
static bool grow_array(void **array, size_t item, size_t count_now, size_t *capacity)
{
    if (count_now < *capacity)
        return true;
    const size_t larger = *capacity ? 2 * *capacity : 4096 / item;
    void *grown = inject_allocate(larger * item);
    if (!grown)
        return false;
    if (*array)
        memcpy(grown, *array, count_now * item);
    inject_release(*array, *capacity * item);
    *array = grown;
    *capacity = larger;
    return true;
}

static struct record_launch *launch_of_node(void *node, const struct driver_kernel_node *params)
{
    union driver_attribute_value value;
    struct call call = {
        .function = params->function ? params->function : params->kernel,
        .context = current_context(),
        .grid = {params->grid[0], params->grid[1], params->grid[2]},
        .block = {params->block[0], params->block[1], params->block[2]},
        .smem_bytes = params->smem_bytes,
        .carveout = RECORD_UNKNOWN,
    };
    if (node && ASK(cuGraphKernelNodeGetAttribute, node, LAUNCH_CLUSTER_DIMENSION, &value))
        memcpy(call.cluster, value.cluster, sizeof call.cluster);
    return look_up(&call, NULL);
}

static void add_kernel(struct graph *graph, void *node)
{
    struct driver_kernel_node params = {0};
    void *array = graph->nodes;
    if (!ASK(cuGraphKernelNodeGetParams_v2, node, &params) &&
        !ASK(cuGraphKernelNodeGetParams, node, &params))
        return;
    if (!grow_array(&array, sizeof *graph->nodes, graph->count, &graph->capacity))
        return;
    graph->nodes = array;
    graph->nodes[graph->count++] =
        (struct graph_node){.node = node, .launch = launch_of_node(node, &params)};
}

static void note_inexact(void)
{
    struct record_header *header = table_header();
    if (header)
        __atomic_fetch_or(&header->flags, RECORD_FLAG_GRAPHS_INEXACT, __ATOMIC_RELAXED);
}

static void add_kernels(struct graph *graph, void *of, int depth)
{
    size_t nodes = 0;
    if (depth > 16 || !ASK(cuGraphGetNodes, of, NULL, &nodes) || nodes == 0)
        return;
    const size_t bytes = nodes * sizeof(void *);
    void **node = inject_allocate(bytes);
    if (!node || !ASK(cuGraphGetNodes, of, node, &nodes)) {
        inject_release(node, bytes);
        return;
    }
    for (size_t i = 0; i < nodes; i++) {
        int type = -1;
        void *child = NULL;
        if (!ASK(cuGraphNodeGetType, node[i], &type))
            continue;
        if (type == NODE_KERNEL)
            add_kernel(graph, node[i]);
        else if (type == NODE_CHILD_GRAPH && ASK(cuGraphChildGraphNodeGetGraph, node[i], &child))
            add_kernels(graph, child, depth + 1);
        else if (type == NODE_CONDITIONAL)
            note_inexact();
    }
    inject_release(node, bytes);
}

/* Under graph_lock. */
static struct graph *find_graph(const void *executable)
{
    for (size_t i = graph_count; i-- > 0;)
        if (graphs[i].executable == executable)
            return &graphs[i];
    return NULL;
}

static void free_nodes(struct graph *graph)
{
    inject_release(graph->nodes, graph->capacity * sizeof *graph->nodes);
}

void seen_graph(void *executable, void *graph)
{
    if (!inject_records() || !table_header() || !seen_find_driver())
        return;
    struct graph made = {.executable = executable};
    add_kernels(&made, graph, 0);
    pthread_mutex_lock(&graph_lock);
    struct graph *old = find_graph(executable);
    void *array = graphs;
    if (old) {
        free_nodes(old);
        *old = made;
    } else if (grow_array(&array, sizeof *graphs, graph_count, &graph_capacity)) {
        graphs = array;
        graphs[graph_count++] = made;
    } else {
        free_nodes(&made);
    }
    pthread_mutex_unlock(&graph_lock);
}

void seen_graph_node(void *executable, void *node, bool newer, const void *params)
{
    struct driver_kernel_node copy = {0};
    if (!inject_records() || !table_header() || !seen_find_driver())
        return;
    memcpy(&copy, params, newer ? sizeof copy : offsetof(struct driver_kernel_node, kernel));
    struct record_launch *launch = launch_of_node(node, &copy);
    pthread_mutex_lock(&graph_lock);
    struct graph *graph = find_graph(executable);
    bool known = false;
    for (size_t i = 0; graph && i < graph->count; i++)
        if (graph->nodes[i].node == node) {
            graph->nodes[i].launch = launch;
            known = true;
        }
    pthread_mutex_unlock(&graph_lock);
    if (!known)
        note_inexact();
}

void seen_graph_launch(void *executable, uint32_t correlation)
{
    if (!inject_records())
        return;
    pthread_mutex_lock(&graph_lock);
    const struct graph *graph = find_graph(executable);
    if (!graph)
        note_inexact();
    else if (graph->count > 0 && is_counted(graph->count, correlation))
        for (size_t i = 0; i < graph->count; i++)
            count(graph->nodes[i].launch, 1, 1);
    pthread_mutex_unlock(&graph_lock);
}

void seen_graph_destroyed(void *executable)
{
    pthread_mutex_lock(&graph_lock);
    struct graph *graph = find_graph(executable);
    if (graph) {
        free_nodes(graph);
        *graph = graphs[--graph_count];
    }
    pthread_mutex_unlock(&graph_lock);
}

/* What was allocated stays allocated: the parent's pages are shared until they are written. */
void seen_forget(void)
{
    table = NULL;
    chunk = NULL;
    node_count = chunk_used = 0;
    graphs = NULL;
    graph_count = graph_capacity = 0;
    captures = 0;
    last_skipped = last_counted = 0;
    pthread_mutex_init(&lock, NULL);
    pthread_mutex_init(&graph_lock, NULL);
}
