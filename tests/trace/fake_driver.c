/* The fake driver: modules, functions, launches, streams that capture, graphs. */
#include <dlfcn.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guests/inject/abi.h"
#include "tests/trace/fake.h"

#define API __attribute__((visibility("default")))

API struct fake_observer fake_observer;

/* A kernel: its name says what it is, "name,REGS,STATIC". */
struct function {
    uint64_t kind; /* FUNCTION or KERNEL */
    char name[64];
    int regs, static_smem, carveout, max_dynamic;
};
enum { FUNCTION = 0x46, KERNEL = 0x4b };

struct stream {
    struct graph *captures;
};

struct node {
    int type;
    struct driver_kernel_node params;
    struct graph *child;
};

struct graph {
    struct node *node[64];
    size_t count;
};

static uint64_t clock_ns = 1000000;
static uint32_t correlations;
static _Thread_local int current_device;

static uint32_t next_correlation(void)
{
    return __atomic_add_fetch(&correlations, 1, __ATOMIC_RELAXED);
}

static int enter(uint32_t call, const void *params, const char *symbol, uint32_t *correlation)
{
    *correlation = next_correlation();
    if (fake_observer.call)
        fake_observer.call(CUPTI_SITE_ENTER, call, params, NULL, symbol, *correlation);
    return 0;
}

static int leave(uint32_t call, const void *params, const char *symbol, uint32_t correlation,
                 int32_t result)
{
    if (fake_observer.call)
        fake_observer.call(CUPTI_SITE_EXIT, call, params, &result, symbol, correlation);
    return result;
}

/* --- Start, devices --------------------------------------------------------------------------- */

API int cuInit(unsigned flags);
API int cuDriverGetVersion(int *version);
API int cuDeviceGetCount(int *count);
API int cuCtxSetDevice(int device);
API int cuCtxGetCurrent(void **context);
API int cuCtxGetDevice(int *device);
API int cuDeviceGetName(char *name, int capacity, int device);
API int cuDeviceGetUuid(uint8_t *uuid, int device);
API int cuDeviceTotalMem_v2(size_t *bytes, int device);
API int cuDeviceGetAttribute(int *value, int attribute, int device);

int cuInit(unsigned flags)
{
    static bool started;
    const char *path = getenv("CUDA_INJECTION64_PATH");
    if (started || !path)
        return 0;
    started = true;
    void *library = dlopen(path, RTLD_NOW);
    int (*initialize)(void) = NULL;
    void *address = library ? dlsym(library, "InitializeInjection") : NULL;
    if (!address) {
        fprintf(stderr, "fake driver: %s\n", dlerror());
        return (int)flags;
    }
    memcpy(&initialize, &address, sizeof address);
    initialize();
    return 0;
}

int cuDriverGetVersion(int *version)
{
    *version = 13000;
    return 0;
}

int cuDeviceGetCount(int *count)
{
    *count = 2;
    return 0;
}

int cuCtxSetDevice(int device)
{
    current_device = device;
    return 0;
}

int cuCtxGetCurrent(void **context)
{
    *context = (void *)(uintptr_t)(0x1000 + current_device);
    return 0;
}

int cuCtxGetDevice(int *device)
{
    *device = current_device;
    return 0;
}

int cuDeviceGetName(char *name, int capacity, int device)
{
    snprintf(name, (size_t)capacity, "%s", device == 0 ? "NVIDIA H100 80GB HBM3" : "NVIDIA L4");
    return 0;
}

int cuDeviceGetUuid(uint8_t *uuid, int device)
{
    memset(uuid, 0x40 + device, 16);
    return 0;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    *bytes = (size_t)(device == 0 ? 80 : 24) << 30;
    return 0;
}

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    switch (attribute) {
    case DEVICE_SM_COUNT:
        *value = device == 0 ? 132 : 58;
        return 0;
    case DEVICE_CC_MAJOR:
        *value = device == 0 ? 9 : 8;
        return 0;
    case DEVICE_CC_MINOR:
        *value = device == 0 ? 0 : 9;
        return 0;
    default:
        *value = 0;
        return 1;
    }
}

/* --- Modules and functions -------------------------------------------------------------------- */

API int cuModuleLoadData(void **module, const void *image);
API int cuModuleUnload(void *module);
API int cuModuleGetFunction(void **function, void *module, const char *name);
API int cuLibraryGetKernel(void **kernel, void *library, const char *name);
API int cuFuncGetName(const char **name, void *function);
API int cuKernelGetName(const char **name, void *kernel);
API int cuFuncGetAttribute(int *value, int attribute, void *function);
API int cuKernelGetAttribute(int *value, int attribute, void *kernel, int device);
API int cuFuncSetAttribute(void *function, int attribute, int value);
API int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int threads,
                                                    size_t dynamic);

static char module_code[1 << 20] = "\177ELF fake machine code"; /* zeros follow */

int cuModuleLoadData(void **module, const void *image)
{
    *module = (void *)(uintptr_t)image;
    memset(module_code, 0, 64);
    snprintf(module_code, 64, "\177ELF fake machine code of %s", (const char *)image);
    if (fake_observer.module)
        fake_observer.module(1, module_code,
                             strncmp(image, "large", 5) == 0 ? sizeof module_code : 64);
    return 0;
}

int cuModuleUnload(void *module)
{
    (void)module;
    if (fake_observer.module)
        fake_observer.module(0, NULL, 0);
    return 0;
}

static int make_function(void **function, const char *name, uint64_t kind)
{
    struct function *made = calloc(1, sizeof *made);
    made->kind = kind;
    made->regs = 32;
    made->carveout = -1;
    sscanf(name, "%63[^,],%d,%d", made->name, &made->regs, &made->static_smem);
    *function = made;
    return 0;
}

int cuModuleGetFunction(void **function, void *module, const char *name)
{
    (void)module;
    return make_function(function, name, FUNCTION);
}

int cuLibraryGetKernel(void **kernel, void *library, const char *name)
{
    (void)library;
    return make_function(kernel, name, KERNEL);
}

static int name_of(const char **name, void *handle, uint64_t kind)
{
    const struct function *function = handle;
    if (function->kind != kind)
        return DRIVER_INVALID_HANDLE;
    *name = function->name;
    return 0;
}

int cuFuncGetName(const char **name, void *function)
{
    return name_of(name, function, FUNCTION);
}

int cuKernelGetName(const char **name, void *kernel)
{
    return name_of(name, kernel, KERNEL);
}

static int attribute_of(int *value, int attribute, void *handle, uint64_t kind)
{
    const struct function *function = handle;
    if (function->kind != kind)
        return DRIVER_INVALID_HANDLE;
    switch (attribute) {
    case FUNCTION_REGS:
        *value = function->regs;
        return 0;
    case FUNCTION_STATIC_SMEM:
        *value = function->static_smem;
        return 0;
    case FUNCTION_CARVEOUT:
        *value = function->carveout;
        return 0;
    default:
        *value = 0;
        return 0;
    }
}

int cuFuncGetAttribute(int *value, int attribute, void *function)
{
    return attribute_of(value, attribute, function, FUNCTION);
}

int cuKernelGetAttribute(int *value, int attribute, void *kernel, int device)
{
    (void)device;
    return attribute_of(value, attribute, kernel, KERNEL);
}

int cuFuncSetAttribute(void *handle, int attribute, int value)
{
    struct function *function = handle;
    const struct {
        void *function;
        int attribute, value;
    } params = {handle, attribute, value};
    uint32_t correlation;
    enter(CALL_cuFuncSetAttribute, &params, NULL, &correlation);
    if (attribute == FUNCTION_CARVEOUT)
        function->carveout = value;
    return leave(CALL_cuFuncSetAttribute, &params, NULL, correlation, 0);
}

/* By threads and registers, as on the two GPUs, with as much shared memory as wanted. */
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *handle, int threads,
                                                size_t dynamic)
{
    const struct function *function = handle;
    const char *forced = getenv("FAKE_API_BLOCKS");
    const int warps = (threads + 31) / 32;
    const int regs_per_warp = (function->regs * 32 + 255) / 256 * 256;
    const int by_regs = regs_per_warp ? 65536 / regs_per_warp / 4 * 4 / warps : 64;
    const int by_warps = (current_device == 0 ? 64 : 48) / warps;
    const int most = current_device == 0 ? 32 : 24;
    *blocks = by_regs < by_warps ? by_regs : by_warps;
    if (*blocks > most)
        *blocks = most;
    if (forced)
        *blocks = atoi(forced);
    return dynamic > 227 * 1024 ? 1 : 0;
}

/* --- Launches --------------------------------------------------------------------------------- */

static void execute(const struct driver_kernel_node *launch, const uint32_t *cluster,
                    uint32_t correlation, uint64_t graph_node)
{
    static const uint32_t none[3];
    const struct function *function = launch->function ? launch->function : launch->kernel;
    const uint64_t ns = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    const uint64_t end = __atomic_add_fetch(&clock_ns, ns, __ATOMIC_RELAXED);
    if (fake_observer.kernel)
        fake_observer.kernel(function->name, current_device, launch->grid, launch->block,
                             cluster ? cluster : none, function->regs, function->static_smem,
                             launch->smem_bytes, end - ns, end, correlation, graph_node);
}

/* The stream that NULL stands for in calls whose names end in _ptsz. */
static struct stream of_thread;

static struct stream *stream_of(void *stream, bool per_thread)
{
    return stream == DRIVER_STREAM_PER_THREAD || (!stream && per_thread) ? &of_thread : stream;
}

static struct node *add_node(struct graph *graph, int type)
{
    struct node *node = calloc(1, sizeof *node);
    node->type = type;
    graph->node[graph->count++] = node;
    return node;
}

/* Recorded if the stream is captured. Like NVIDIA's, CUPTI has a record of a launch that is refused
   because its blocks have more registers than an SM. */
static int launch(uint32_t call, const void *params, const struct driver_kernel_node *what,
                  void *stream, const uint32_t *cluster)
{
    uint32_t correlation;
    const struct function *function = what->function;
    struct stream *on =
        stream_of(stream, call == CALL_cuLaunchKernel_ptsz || call == CALL_cuLaunchKernelEx_ptsz);
    const uint32_t regs = ((uint32_t)function->regs + 7) / 8 * 8,
                   warps = (what->block[0] + 31) / 32;
    const bool fits = regs * 32 * warps <= 65536;
    if (what->block[0] == 0 || what->block[0] > 1024)
        return 1;
    enter(call, params, function->name, &correlation);
    if (on && on->captures)
        add_node(on->captures, NODE_KERNEL)->params = *what;
    else
        execute(what, cluster, correlation, 0);
    return leave(call, params, function->name, correlation, fits ? 0 : 701);
}

#define LAUNCH_PARAMETERS                                                                          \
    void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,  \
        unsigned smem, void *stream, void **params
API int cuLaunchKernel(LAUNCH_PARAMETERS, void **extra);
API int cuLaunchKernel_ptsz(LAUNCH_PARAMETERS, void **extra);
API int cuLaunchCooperativeKernel(LAUNCH_PARAMETERS);
API int cuLaunchKernelEx(const struct driver_launch_config *config, void *function, void **params,
                         void **extra);

static int launch_plain(uint32_t call, LAUNCH_PARAMETERS)
{
    const struct driver_launch_params passed = {function, {gx, gy, gz}, {bx, by, bz}, smem, stream};
    const struct driver_kernel_node node = {
        .function = function, .grid = {gx, gy, gz}, .block = {bx, by, bz}, .smem_bytes = smem};
    (void)params;
    return launch(call, &passed, &node, stream, NULL);
}

int cuLaunchKernel(LAUNCH_PARAMETERS, void **extra)
{
    (void)extra;
    return launch_plain(CALL_cuLaunchKernel, function, gx, gy, gz, bx, by, bz, smem, stream,
                        params);
}

int cuLaunchKernel_ptsz(LAUNCH_PARAMETERS, void **extra)
{
    (void)extra;
    return launch_plain(CALL_cuLaunchKernel_ptsz, function, gx, gy, gz, bx, by, bz, smem, stream,
                        params);
}

int cuLaunchCooperativeKernel(LAUNCH_PARAMETERS)
{
    return launch_plain(CALL_cuLaunchCooperativeKernel, function, gx, gy, gz, bx, by, bz, smem,
                        stream, params);
}

int cuLaunchKernelEx(const struct driver_launch_config *config, void *function, void **params,
                     void **extra)
{
    const struct driver_launch_ex_params passed = {config, function};
    struct driver_kernel_node node = {.function = function, .smem_bytes = config->smem_bytes};
    const uint32_t *cluster = NULL;
    (void)params, (void)extra;
    memcpy(node.grid, config->grid, sizeof node.grid);
    memcpy(node.block, config->block, sizeof node.block);
    for (uint32_t i = 0; i < config->attribute_count; i++)
        if (config->attributes[i].id == LAUNCH_CLUSTER_DIMENSION)
            cluster = config->attributes[i].value.cluster;
    return launch(CALL_cuLaunchKernelEx, &passed, &node, config->stream, cluster);
}

/* --- Streams and graphs ----------------------------------------------------------------------- */

API int cuStreamCreate(void **stream, unsigned flags);
API int cuStreamIsCapturing(void *stream, int *status);
API int cuStreamBeginCapture_v2(void *stream, int mode);
API int cuStreamEndCapture(void *stream, void **graph);
API int cuGraphCreate(void **graph, unsigned flags);
API int cuGraphAddKernelNode_v2(void **node, void *graph, const void **dependencies, size_t count,
                                const struct driver_kernel_node *params);
API int cuGraphAddChildGraphNode(void **node, void *graph, const void **dependencies, size_t count,
                                 void *child);
API int cuGraphGetNodes(void *graph, void **nodes, size_t *count);
API int cuGraphNodeGetType(void *node, int *type);
API int cuGraphKernelNodeGetParams_v2(void *node, struct driver_kernel_node *params);
API int cuGraphChildGraphNodeGetGraph(void *node, void **graph);
API int cuGraphInstantiateWithFlags(void **executable, void *graph, unsigned long long flags);
API int cuGraphExecKernelNodeSetParams_v2(void *executable, void *node,
                                          const struct driver_kernel_node *params);
API int cuGraphLaunch(void *executable, void *stream);
API int cuGraphExecDestroy(void *executable);
API int cuGraphNodeSetEnabled(void *executable, void *node, unsigned enabled);
API int cuGraphExecUpdate_v2(void *executable, void *graph, void *result);
API int cuStreamBeginCapture_v2_ptsz(void *stream, int mode);
API int cuStreamEndCapture_ptsz(void *stream, void **graph);

int cuStreamCreate(void **stream, unsigned flags)
{
    (void)flags;
    *stream = calloc(1, sizeof(struct stream));
    return 0;
}

int cuStreamIsCapturing(void *stream, int *status)
{
    const struct stream *on = stream_of(stream, false);
    *status = on && on->captures;
    return 0;
}

int cuStreamBeginCapture_v2(void *stream, int mode)
{
    const struct {
        void *stream;
        int mode;
    } params = {stream, mode};
    uint32_t correlation;
    enter(CALL_cuStreamBeginCapture_v2, &params, NULL, &correlation);
    ((struct stream *)stream)->captures = calloc(1, sizeof(struct graph));
    return leave(CALL_cuStreamBeginCapture_v2, &params, NULL, correlation, 0);
}

int cuStreamEndCapture(void *stream, void **graph)
{
    const struct {
        void *stream;
        void **graph;
    } params = {stream, graph};
    uint32_t correlation;
    enter(CALL_cuStreamEndCapture, &params, NULL, &correlation);
    *graph = ((struct stream *)stream)->captures;
    ((struct stream *)stream)->captures = NULL;
    return leave(CALL_cuStreamEndCapture, &params, NULL, correlation, 0);
}

int cuStreamBeginCapture_v2_ptsz(void *stream, int mode)
{
    const struct {
        void *stream;
        int mode;
    } params = {stream, mode};
    uint32_t correlation;
    enter(CALL_cuStreamBeginCapture_v2_ptsz, &params, NULL, &correlation);
    stream_of(stream, true)->captures = calloc(1, sizeof(struct graph));
    return leave(CALL_cuStreamBeginCapture_v2_ptsz, &params, NULL, correlation, 0);
}

int cuStreamEndCapture_ptsz(void *stream, void **graph)
{
    const struct {
        void *stream;
        void **graph;
    } params = {stream, graph};
    uint32_t correlation;
    enter(CALL_cuStreamEndCapture_ptsz, &params, NULL, &correlation);
    *graph = stream_of(stream, true)->captures;
    stream_of(stream, true)->captures = NULL;
    return leave(CALL_cuStreamEndCapture_ptsz, &params, NULL, correlation, 0);
}

int cuGraphCreate(void **graph, unsigned flags)
{
    (void)flags;
    *graph = calloc(1, sizeof(struct graph));
    return 0;
}

int cuGraphAddKernelNode_v2(void **node, void *graph, const void **dependencies, size_t count,
                            const struct driver_kernel_node *params)
{
    (void)dependencies, (void)count;
    struct node *added = add_node(graph, NODE_KERNEL);
    added->params = *params;
    *node = added;
    return 0;
}

int cuGraphAddChildGraphNode(void **node, void *graph, const void **dependencies, size_t count,
                             void *child)
{
    (void)dependencies, (void)count;
    struct node *added = add_node(graph, NODE_CHILD_GRAPH);
    added->child = child;
    *node = added;
    return 0;
}

int cuGraphGetNodes(void *graph, void **nodes, size_t *count)
{
    const struct graph *of = graph;
    for (size_t i = 0; nodes && i < of->count; i++)
        nodes[i] = of->node[i];
    *count = of->count;
    return 0;
}

int cuGraphNodeGetType(void *node, int *type)
{
    *type = ((struct node *)node)->type;
    return 0;
}

int cuGraphKernelNodeGetParams_v2(void *node, struct driver_kernel_node *params)
{
    *params = ((struct node *)node)->params;
    return 0;
}

int cuGraphChildGraphNodeGetGraph(void *node, void **graph)
{
    *graph = ((struct node *)node)->child;
    return 0;
}

/* An executable graph has nodes of its own, which are found by those of the graph. */
struct executable {
    const struct node *of[64];
    struct driver_kernel_node kernel[64];
    bool disabled[64];
    size_t count;
};

/* The handle of the graph that was destroyed last is the next one's; FAKE_REUSES_AT_ONCE: the call
   that destroys it returns only after another thread has received it. */
static struct executable *unused;
static unsigned made;

static void copy_kernels(struct executable *executable, const struct graph *graph)
{
    for (size_t i = 0; i < graph->count; i++) {
        const struct node *node = graph->node[i];
        if (node->type == NODE_CHILD_GRAPH) {
            copy_kernels(executable, node->child);
        } else {
            executable->of[executable->count] = node;
            executable->kernel[executable->count++] = node->params;
        }
    }
}

int cuGraphInstantiateWithFlags(void **executable, void *graph, unsigned long long flags)
{
    const struct {
        void **executable, *graph;
        unsigned long long flags;
    } params = {executable, graph, flags};
    uint32_t correlation;
    enter(CALL_cuGraphInstantiateWithFlags, &params, NULL, &correlation);
    struct executable *exec = __atomic_exchange_n(&unused, NULL, __ATOMIC_ACQ_REL);
    if (!exec)
        exec = calloc(1, sizeof *exec);
    memset(exec, 0, sizeof *exec);
    copy_kernels(exec, graph);
    *executable = exec;
    __atomic_fetch_add(&made, 1, __ATOMIC_RELEASE);
    return leave(CALL_cuGraphInstantiateWithFlags, &params, NULL, correlation, 0);
}

int cuGraphExecKernelNodeSetParams_v2(void *executable, void *node,
                                      const struct driver_kernel_node *changed)
{
    const struct {
        void *executable, *node;
        const struct driver_kernel_node *changed;
    } params = {executable, node, changed};
    uint32_t correlation;
    struct executable *in = executable;
    enter(CALL_cuGraphExecKernelNodeSetParams_v2, &params, NULL, &correlation);
    for (size_t i = 0; i < in->count; i++)
        if (in->of[i] == node)
            in->kernel[i] = *changed;
    return leave(CALL_cuGraphExecKernelNodeSetParams_v2, &params, NULL, correlation, 0);
}

int cuGraphNodeSetEnabled(void *executable, void *node, unsigned enabled)
{
    const struct {
        void *executable, *node;
        unsigned enabled;
    } params = {executable, node, enabled};
    uint32_t correlation;
    struct executable *in = executable;
    enter(CALL_cuGraphNodeSetEnabled, &params, NULL, &correlation);
    for (size_t i = 0; i < in->count; i++)
        if (in->of[i] == node)
            in->disabled[i] = !enabled;
    return leave(CALL_cuGraphNodeSetEnabled, &params, NULL, correlation, 0);
}

/* The nodes keep the handles of the graph that was made executable. */
int cuGraphExecUpdate_v2(void *executable, void *graph, void *result)
{
    const struct {
        void *executable, *graph, *result;
    } params = {executable, graph, result};
    uint32_t correlation;
    struct executable *in = executable, *updated = calloc(1, sizeof *updated);
    enter(CALL_cuGraphExecUpdate_v2, &params, NULL, &correlation);
    copy_kernels(updated, graph);
    memcpy(in->kernel, updated->kernel, sizeof in->kernel);
    free(updated);
    return leave(CALL_cuGraphExecUpdate_v2, &params, NULL, correlation, 0);
}

int cuGraphLaunch(void *executable, void *stream)
{
    const struct {
        void *executable, *stream;
    } params = {executable, stream};
    uint32_t correlation;
    const struct executable *graph = executable;
    enter(CALL_cuGraphLaunch, &params, NULL, &correlation);
    for (size_t i = 0; i < graph->count; i++)
        if (!graph->disabled[i])
            execute(&graph->kernel[i], NULL, correlation, i + 1);
    return leave(CALL_cuGraphLaunch, &params, NULL, correlation, 0);
}

int cuGraphExecDestroy(void *executable)
{
    uint32_t correlation;
    enter(CALL_cuGraphExecDestroy, &executable, NULL, &correlation);
    const unsigned before = __atomic_load_n(&made, __ATOMIC_ACQUIRE);
    free(__atomic_exchange_n(&unused, executable, __ATOMIC_ACQ_REL));
    for (int i = 0; getenv("FAKE_REUSES_AT_ONCE") && i < 300000; i++)
        if (__atomic_load_n(&made, __ATOMIC_ACQUIRE) != before)
            break;
        else
            poll(NULL, 0, 1);
    return leave(CALL_cuGraphExecDestroy, &executable, NULL, correlation, 0);
}

/* --- As the runtime finds the driver's functions ---------------------------------------------- */

API int cuGetProcAddress_v2(const char *name, void **address, int version, uint64_t flags,
                            int *status);

int cuGetProcAddress_v2(const char *name, void **address, int version, uint64_t flags, int *status)
{
    static void *self;
    char newer[128];
    (void)version;
    if (!self)
        self = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    *address = NULL;
    static const char *const suffixes[] = {"_ptsz", "_v2", "WithFlags", ""};
    for (size_t i = flags & 2 ? 0 : 1; i < 4 && !*address; i++) {
        snprintf(newer, sizeof newer, "%s%s", name, suffixes[i]);
        *address = dlsym(self, newer);
    }
    if (status)
        *status = *address ? 0 : 1;
    return *address ? 0 : 500;
}
