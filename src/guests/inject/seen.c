/* Launches as the program calls for them. A configuration that was launched before is found in a
   table that is read without locks, and its count is increased: that is all that most launches
   cost. Locks are held only while the memory of this file is changed, never while the driver or the
   loader is called: either may wait for a thread that waits for such a lock. */
#include "guests/inject/seen.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "guests/inject/inject.h"
#include "guests/inject/inject_table.h"

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

struct driver {
#define FUNCTION(name, parameters) int(*name) parameters;
    DRIVER_FUNCTIONS(FUNCTION)
#undef FUNCTION
};

static struct driver *driver; /* published whole, and never changed after that */

static struct driver *found_driver(void)
{
    return __atomic_load_n(&driver, __ATOMIC_ACQUIRE);
}

/* Whether the driver has the function, and its call succeeds; only after seen_find_driver. */
#define ASK(function, ...)                                                                         \
    (found_driver()->function && found_driver()->function(__VA_ARGS__) == DRIVER_SUCCESS)

/* Two threads may both come here first. Each looks the functions up for itself and the first one
   publishes them: a lock around dlopen would wait for the loader's own lock, whose holder may be
   in a constructor that launches kernels and waits for ours. */
bool seen_find_driver(void)
{
    static const struct {
        const char *name;
        size_t place;
    } functions[] = {
#define FUNCTION(name, parameters) {#name, offsetof(struct driver, name)},
        DRIVER_FUNCTIONS(FUNCTION)
#undef FUNCTION
    };
    if (found_driver())
        return true;
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    struct driver *made = library ? inject_allocate(sizeof *made) : NULL;
    if (!made)
        return false;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *address = seen_symbol(library, functions[i].name);
        memcpy((char *)made + functions[i].place, &address, sizeof address);
    }
    struct driver *none = NULL;
    if (!__atomic_compare_exchange_n(&driver, &none, made, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE)) {
        inject_release(made, sizeof *made);
        return true;
    }
    int version = 0;
    struct record_header *header = table_header();
    if (header && ASK(cuDriverGetVersion, &version))
        __atomic_store_n(&header->driver_version, version, __ATOMIC_RELAXED);
    return true;
}

static uint32_t device_attribute(int32_t ordinal, enum driver_device_attribute attribute)
{
    int value = 0;
    return ASK(cuDeviceGetAttribute, &value, attribute, ordinal) && value > 0 ? (uint32_t)value : 0;
}

static void seen_ask_device(int32_t ordinal)
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

static uint64_t executing_devices; /* a bit for each ordinal that the driver is still asked about */

void seen_execution_on(int32_t ordinal)
{
    if (!table_has_device(ordinal))
        __atomic_fetch_or(&executing_devices, UINT64_C(1) << ordinal, __ATOMIC_RELAXED);
}

void seen_ask_devices(void)
{
    if (__atomic_load_n(&executing_devices, __ATOMIC_RELAXED) == 0)
        return;
    uint64_t ordinals = __atomic_exchange_n(&executing_devices, 0, __ATOMIC_RELAXED);
    for (int32_t i = 0; ordinals != 0; i++, ordinals >>= 1)
        if (ordinals & 1)
            seen_ask_device(i);
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

static void seen_find_cluster(const struct call *call, int32_t device, uint32_t cluster[3])
{
    memcpy(cluster, call->cluster, sizeof call->cluster);
    for (int i = 0; i < 3 && call->cluster[0] == 0; i++) {
        const int32_t size = function_attribute(
            call, device, (enum driver_function_attribute)(FUNCTION_CLUSTER_WIDTH + i));
        cluster[i] = size > 0 ? (uint32_t)size : 0;
    }
}

/* Two threads may ask about a configuration at the same time, and get the same answers. */
static void set_answer(int32_t *answer, int32_t value)
{
    __atomic_store_n(answer, value, __ATOMIC_RELAXED);
}

static void ask_occupancy(const struct call *call, struct record_launch *launch)
{
    int blocks = 0, clusters = 0;
    const uint32_t *block = call->block, *cluster = launch->key.cluster;
    const uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    void *function = (void *)(uintptr_t)call->function;
    if (ASK(cuOccupancyMaxActiveBlocksPerMultiprocessor, &blocks, function, (int)threads,
            call->smem_bytes))
        set_answer(&launch->api_blocks_per_sm, blocks);
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
        set_answer(&launch->api_clusters, clusters);
}

/* The launch of the file for a call; asks the driver if nobody has asked for this configuration. */
static struct record_launch *seen_resolve(const struct call *call, const char *name)
{
    int32_t device = RECORD_UNKNOWN;
    struct record_header *header = table_header();
    if (!header || !seen_find_driver())
        return NULL;
    if (!ASK(cuCtxGetDevice, &device))
        device = RECORD_UNKNOWN;
    seen_ask_device(device);
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
    seen_find_cluster(call, device, key.cluster);
    struct record_launch *launch = table_launch(&key, name);
    if (launch && __atomic_load_n(&launch->api_blocks_per_sm, __ATOMIC_RELAXED) == RECORD_UNKNOWN) {
        set_answer(&launch->api_carveout_percent, carveout);
        set_answer(&launch->local_bytes, function_attribute(call, device, FUNCTION_LOCAL_BYTES));
        ask_occupancy(call, launch);
    }
    return launch;
}

/* --- Calls seen before ------------------------------------------------------------------------ */

/* What is known of a call. A node is never moved or released, and is complete before the table
   shows it, so that readers need no lock. */
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

/* Held while nodes are added to the table or changed. */
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

static uint64_t hash_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

static uint64_t hash_call(const struct call *call)
{
    uint64_t hash =
        hash_mix((uint64_t)(uintptr_t)call->function, (uint64_t)(uintptr_t)call->context);
    hash = hash_mix(hash, (uint64_t)call->grid[0] << 32 | call->block[0]);
    hash = hash_mix(hash, (uint64_t)call->grid[1] << 32 | call->block[1]);
    hash = hash_mix(hash, (uint64_t)call->grid[2] << 32 | call->block[2]);
    return hash_mix(hash, (uint64_t)call->smem_bytes << 32 | call->cluster[0]);
}

static bool is_same_call(const struct call *a, const struct call *b)
{
    return a->function == b->function && a->context == b->context &&
           memcmp(a->grid, b->grid, sizeof a->grid) == 0 &&
           memcmp(a->block, b->block, sizeof a->block) == 0 &&
           memcmp(a->cluster, b->cluster, sizeof a->cluster) == 0 &&
           a->smem_bytes == b->smem_bytes && a->carveout == b->carveout;
}

/* The node of the call, or NULL; `place` receives where it is or belongs. */
static struct node *seen_find(struct node_table *in, const struct call *call, size_t *place)
{
    size_t at = hash_call(call) & in->mask;
    struct node *node;
    while ((node = __atomic_load_n(&in->node[at], __ATOMIC_ACQUIRE)) &&
           !is_same_call(&node->call, call))
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
    const size_t larger = size ? 2 * size : (size_t)2 * FIRST_NODES;
    struct node_table *grown = inject_allocate(sizeof *grown + larger * sizeof *grown->node);
    if (!grown)
        return false;
    grown->mask = larger - 1;
    for (size_t i = 0; i < size; i++)
        if (table->node[i]) {
            size_t place;
            seen_find(grown, &table->node[i]->call, &place);
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
    seen_find(table, call, &place);
    __atomic_store_n(&table->node[place], node, __ATOMIC_RELEASE);
    node_count++;
    return node;
}

/* The driver was asked without the lock, so that another thread may have put a newer answer into
   the node meanwhile: that one stays. A reader that finds the current generation in a node thus
   finds the launch of that generation, too. */
static struct record_launch *seen_remember(const struct call *call, const char *name, uint32_t now)
{
    size_t place;
    struct record_launch *launch = seen_resolve(call, name);
    if (!launch)
        return NULL;
    pthread_mutex_lock(&lock);
    struct node *node = table ? seen_find(table, call, &place) : NULL;
    if (node && (int32_t)(now - node->generation) >= 0) {
        __atomic_store_n(&node->launch, launch, __ATOMIC_RELEASE);
        __atomic_store_n(&node->generation, now, __ATOMIC_RELEASE);
    } else if (!node) {
        add_node(call, launch, now);
    }
    pthread_mutex_unlock(&lock);
    return launch;
}

static struct record_launch *seen_look_up(const struct call *call, const char *name)
{
    size_t place;
    const uint32_t now = __atomic_load_n(&generation, __ATOMIC_ACQUIRE);
    struct node_table *current = __atomic_load_n(&table, __ATOMIC_ACQUIRE);
    const struct node *node = current ? seen_find(current, call, &place) : NULL;
    if (node && __atomic_load_n(&node->generation, __ATOMIC_ACQUIRE) == now)
        return __atomic_load_n(&node->launch, __ATOMIC_ACQUIRE);
    return seen_remember(call, name, now);
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
static bool seen_is_counted(uint64_t launches, uint32_t correlation)
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

/* How many captures of streams have begun and not ended. A capture that ends with an error stays
   counted, as the error does not say whether it ended: launches then cost one question more. */
static int captures;

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

static void seen_count(struct record_launch *launch, uint64_t launches, uint64_t graph_launches)
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

static void launch_ex(const struct driver_launch_config *config, void *function,
                      const struct seen_caller *caller)
{
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
    void *const stream =
        config->stream || !caller->per_thread_stream ? config->stream : DRIVER_STREAM_PER_THREAD;
    if (is_captured(stream))
        seen_look_up(&call, caller->name);
    else if (seen_is_counted(1, caller->correlation))
        seen_count(seen_look_up(&call, caller->name), caller->is_one_of_many ? 0 : 1, 0);
}

void seen_launch(const struct driver_launch_params *params, const struct seen_caller *caller)
{
    if (!inject_records())
        return;
    struct driver_launch_config config = {.smem_bytes = params->smem_bytes,
                                          .stream = params->stream};
    memcpy(config.grid, params->grid, sizeof config.grid);
    memcpy(config.block, params->block, sizeof config.block);
    launch_ex(&config, params->function, caller);
}

static void launch_multi_device(const struct driver_multi_device_launch *list, uint32_t launches,
                                const struct seen_caller *caller)
{
    const bool is_executed = caller->correlation != 0; /* CUPTI counts each on its own device */
    const struct seen_caller of_many = {.correlation = caller->correlation,
                                        .is_one_of_many = is_executed};
    for (uint32_t i = 0; i < launches; i++) {
        struct driver_launch_config config = {.smem_bytes = list[i].smem_bytes,
                                              .stream = list[i].stream};
        memcpy(config.grid, list[i].grid, sizeof config.grid);
        memcpy(config.block, list[i].block, sizeof config.block);
        launch_ex(&config, list[i].function, &of_many);
    }
}

/* --- Graphs ----------------------------------------------------------------------------------- */

struct graph_node {
    void *node;
    void *child; /* the node of the executable graph itself that holds it in a graph; or NULL */
    struct record_launch *launch;
    bool disabled;
};

/* An executable graph. Its kernels are in memory of their own. */
struct graph {
    void *executable;
    struct graph_node *nodes;
    size_t count, capacity;
};

/* Held only while the list is used: the driver is asked before. */
static pthread_mutex_t graph_lock = PTHREAD_MUTEX_INITIALIZER;
static struct graph *graphs;
static size_t graph_count, graph_capacity;

/* Makes an array of `count` larger. */
static bool seen_grow_array(void **array, size_t item, size_t count_now, size_t *capacity)
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
    return seen_look_up(&call, NULL);
}

static void note_inexact(void)
{
    struct record_header *header = table_header();
    if (header)
        __atomic_fetch_or(&header->flags, RECORD_FLAG_GRAPHS_INEXACT, __ATOMIC_RELAXED);
}

static bool append_node(struct graph *graph, const struct graph_node *node)
{
    void *array = graph->nodes;
    if (!seen_grow_array(&array, sizeof *graph->nodes, graph->count, &graph->capacity))
        return false;
    graph->nodes = array;
    graph->nodes[graph->count++] = *node;
    return true;
}

static void seen_add_kernel(struct graph *graph, void *node, void *child)
{
    struct driver_kernel_node params = {0};
    struct graph_node added = {.node = node, .child = child};
    if (!ASK(cuGraphKernelNodeGetParams_v2, node, &params) &&
        !ASK(cuGraphKernelNodeGetParams, node, &params)) {
        note_inexact();
        return;
    }
    added.launch = launch_of_node(node, &params);
    if (!append_node(graph, &added))
        note_inexact();
}

enum { MOST_GRAPH_DEPTH = 16 };

/* `child` is the outermost node that holds `of`; NULL: it is the graph itself. */
static void add_kernels(struct graph *graph, void *of, void *child, int depth)
{
    size_t nodes = 0;
    if (depth > MOST_GRAPH_DEPTH || !ASK(cuGraphGetNodes, of, NULL, &nodes)) {
        note_inexact();
        return;
    }
    const size_t bytes = nodes * sizeof(void *);
    void **node = nodes > 0 ? inject_allocate(bytes) : NULL;
    if (nodes > 0 && (!node || !ASK(cuGraphGetNodes, of, node, &nodes))) {
        note_inexact();
        nodes = 0;
    }
    for (size_t i = 0; i < nodes; i++) {
        int type = -1;
        void *inner = NULL;
        if (!ASK(cuGraphNodeGetType, node[i], &type))
            continue;
        if (type == NODE_KERNEL)
            seen_add_kernel(graph, node[i], child);
        else if (type == NODE_CHILD_GRAPH && ASK(cuGraphChildGraphNodeGetGraph, node[i], &inner))
            add_kernels(graph, inner, child ? child : node[i], depth + 1);
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

/* Programs go on to name the nodes of an executable graph by those of the graph that it was made
   from, also after it was updated from another, which has the same nodes in the same order. */
static void keep_nodes(struct graph *updated, const struct graph *before)
{
    for (size_t i = 0; i < updated->count && updated->count == before->count; i++) {
        updated->nodes[i].node = before->nodes[i].node;
        updated->nodes[i].child = before->nodes[i].child;
        updated->nodes[i].disabled = before->nodes[i].disabled;
    }
}

/* An executable graph was made or updated from `graph`. */
static void graph_made(void *executable, void *graph, bool updates)
{
    struct graph made = {.executable = executable};
    add_kernels(&made, graph, NULL, 0);
    pthread_mutex_lock(&graph_lock);
    struct graph *old = find_graph(executable);
    void *array = graphs;
    if (old) {
        if (updates)
            keep_nodes(&made, old);
        free_nodes(old);
        *old = made;
    } else if (seen_grow_array(&array, sizeof *graphs, graph_count, &graph_capacity)) {
        graphs = array;
        graphs[graph_count++] = made;
    } else {
        free_nodes(&made);
    }
    pthread_mutex_unlock(&graph_lock);
}

/* Calls `change` with each kernel of the executable graph that is or is within `node`. */
static void change_nodes(void *executable, const void *node,
                         void change(struct graph_node *kernel, const void *how), const void *how)
{
    bool known = false;
    pthread_mutex_lock(&graph_lock);
    struct graph *graph = find_graph(executable);
    for (size_t i = 0; graph && i < graph->count; i++)
        if (graph->nodes[i].node == node || graph->nodes[i].child == node) {
            change(&graph->nodes[i], how);
            known = true;
        }
    pthread_mutex_unlock(&graph_lock);
    if (!known)
        note_inexact();
}

static void set_launch(struct graph_node *kernel, const void *launch)
{
    kernel->launch = (struct record_launch *)(uintptr_t)launch;
}

static void set_disabled(struct graph_node *kernel, const void *disabled)
{
    kernel->disabled = *(const bool *)disabled;
}

/* `newer`: the parameters are those of version 2. */
static void kernel_set(void *executable, void *node, bool newer, const void *params)
{
    struct driver_kernel_node copy = {0};
    memcpy(&copy, params, newer ? sizeof copy : offsetof(struct driver_kernel_node, kernel));
    change_nodes(executable, node, set_launch, launch_of_node(node, &copy));
}

/* The kernels of a child graph were replaced by those of another. */
static void child_set(void *executable, void *node, void *graph)
{
    struct graph made = {.executable = executable};
    add_kernels(&made, graph, node, 1);
    pthread_mutex_lock(&graph_lock);
    struct graph *old = find_graph(executable);
    size_t taken = 0;
    for (size_t i = 0; old && i < old->count; i++)
        if (old->nodes[i].child == node && taken < made.count)
            old->nodes[i].launch = made.nodes[taken++].launch;
    pthread_mutex_unlock(&graph_lock);
    if (taken != made.count)
        note_inexact();
    free_nodes(&made);
}

static void graph_launched(const void *executable, uint32_t correlation)
{
    uint64_t launches = 0;
    pthread_mutex_lock(&graph_lock);
    const struct graph *graph = find_graph(executable);
    if (!graph)
        note_inexact();
    for (size_t i = 0; graph && i < graph->count; i++)
        launches += graph->nodes[i].disabled ? 0 : 1;
    if (launches > 0 && seen_is_counted(launches, correlation))
        for (size_t i = 0; i < graph->count; i++)
            if (!graph->nodes[i].disabled)
                seen_count(graph->nodes[i].launch, 1, 1);
    pthread_mutex_unlock(&graph_lock);
}

static void graph_destroyed(const void *executable)
{
    pthread_mutex_lock(&graph_lock);
    struct graph *graph = find_graph(executable);
    if (graph) {
        free_nodes(graph);
        *graph = graphs[--graph_count];
    }
    pthread_mutex_unlock(&graph_lock);
}

/* --- Every call ------------------------------------------------------------------------------- */

/* After the call another thread may already have received the same handle for something new, which
   must not be forgotten then. */
void seen_before(enum seen_kind kind, void *const *words)
{
    if (kind == SEEN_UNLOAD)
        seen_changed();
    else if (kind == SEEN_EXEC_DESTROY)
        graph_destroyed(words[0]);
}

static void after_graph_call(enum seen_kind kind, void *const *words, uint32_t correlation)
{
    const struct driver_graph_node *node;
    bool disabled;
    switch (kind) {
    case SEEN_INSTANTIATE:
        graph_made(*(void **)words[0], words[1], false);
        break;
    case SEEN_EXEC_UPDATE:
        graph_made(words[0], words[1], true);
        break;
    case SEEN_GRAPH_LAUNCH:
        graph_launched(words[0], correlation);
        break;
    case SEEN_EXEC_SET_KERNEL:
    case SEEN_EXEC_SET_KERNEL_2:
        kernel_set(words[0], words[1], kind == SEEN_EXEC_SET_KERNEL_2, words[2]);
        break;
    case SEEN_EXEC_SET_NODE:
        node = words[2];
        if (node->type == NODE_KERNEL)
            kernel_set(words[0], words[1], true, &node->kernel);
        else if (node->type == NODE_CHILD_GRAPH)
            child_set(words[0], words[1], node->graph);
        break;
    case SEEN_EXEC_SET_CHILD:
        child_set(words[0], words[1], words[2]);
        break;
    case SEEN_EXEC_ENABLE_NODE:
        disabled = (uint32_t)(uintptr_t)words[2] == 0;
        change_nodes(words[0], words[1], set_disabled, &disabled);
        break;
    default:
        break;
    }
}

void seen_after(enum seen_kind kind, void *const *words, const struct seen_caller *caller)
{
    if (!inject_records())
        return;
    switch (kind) {
    case SEEN_LAUNCH_EX:
        launch_ex(words[0], words[1], caller);
        break;
    case SEEN_MULTI_DEVICE:
        launch_multi_device(words[0], (uint32_t)(uintptr_t)words[1], caller);
        break;
    case SEEN_BEGIN_CAPTURE:
        __atomic_fetch_add(&captures, 1, __ATOMIC_RELAXED);
        break;
    case SEEN_END_CAPTURE:
        __atomic_fetch_sub(&captures, 1, __ATOMIC_RELAXED);
        break;
    case SEEN_SET_PREFERENCE:
    case SEEN_SET_KERNEL_ATTRIBUTE:
        seen_changed();
        break;
    case SEEN_SET_ATTRIBUTE:
        if ((int32_t)(uintptr_t)words[1] != FUNCTION_MAX_DYNAMIC_SMEM)
            seen_changed();
        break;
    default:
        if (table_header() && seen_find_driver())
            after_graph_call(kind, words, caller->correlation);
    }
}

/* Nothing is released: another thread of the parent may have been changing any of it. The pages are
   shared with the parent until they are written. */
void seen_forget(void)
{
    table = NULL;
    chunk = NULL;
    node_count = chunk_used = 0;
    graphs = NULL;
    graph_count = graph_capacity = 0;
    captures = 0;
    executing_devices = 0;
    last_skipped = last_counted = 0;
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    graph_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}
