/* The driver API on the emulator: graphs, also those that streams are captured into. The nodes of a
   graph run one after another, each after those that it depends on. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "guests/shim/driver.h"

enum node_type { NODE_KERNEL, NODE_COPY, NODE_FILL, NODE_HOST, NODE_GRAPH, NODE_EMPTY };

struct shim_node {
    enum node_type type;
    struct shim_node *origin; /* of a clone: the node that it is one of */
    struct shim_node **needed;
    size_t needed_count;
    struct shim_launch launch; /* its arguments are in `packed` */
    void *packed;
    struct shim_copy_3d copy;
    struct shim_fill fill;
    struct shim_host_call host;
    struct shim_graph *child;
};

/* What was instantiated is a clone whose nodes are in the order in which they run. */
struct shim_graph {
    struct shim_node **node;
    size_t count;
};

static void free_graph(struct shim_graph *graph);
static int clone_graph(const struct shim_graph *graph, struct shim_graph **out);
static int run_node(const struct shim_node *node);

/* --- Nodes ------------------------------------------------------------------------------------ */

static void free_node(struct shim_node *node)
{
    if (!node)
        return;
    free_graph(node->child);
    free(node->packed);
    free(node->needed);
    free(node);
}

static void free_graph(struct shim_graph *graph)
{
    for (size_t i = 0; graph && i < graph->count; i++)
        free_node(graph->node[i]);
    if (graph)
        free(graph->node);
    free(graph);
}

static bool is_node_of(const struct shim_graph *graph, const struct shim_node *node)
{
    size_t i = 0;
    while (i < graph->count && graph->node[i] != node)
        i++;
    return i < graph->count;
}

static bool add_needed(struct shim_node *node, struct shim_node *const *needed, size_t count)
{
    const size_t all = node->needed_count + count;
    struct shim_node **grown =
        count > 0 ? smc_realloc(node->needed, all * sizeof *grown) : node->needed;
    if (count > 0 && !grown)
        return false;
    node->needed = grown;
    for (size_t i = 0; i < count; i++)
        grown[node->needed_count + i] = needed[i];
    node->needed_count = all;
    return true;
}

/* Appends a copy of the node, which owns what it points to from now on, or frees that. */
static int graphs_append(struct shim_graph *graph, const struct shim_node *what,
                         struct shim_node *const *needed, size_t count, struct shim_node **out)
{
    struct shim_node *node = smc_calloc(1, sizeof *node);
    struct shim_node **grown =
        node ? smc_realloc(graph->node, (graph->count + 1) * sizeof *grown) : NULL;
    int result = grown ? SHIM_SUCCESS : SHIM_OUT_OF_MEMORY;
    if (grown)
        graph->node = grown;
    for (size_t i = 0; i < count && result == SHIM_SUCCESS; i++)
        if (!is_node_of(graph, needed[i]))
            result = SHIM_INVALID_VALUE;
    if (result == SHIM_SUCCESS && !add_needed(node, needed, count))
        result = SHIM_OUT_OF_MEMORY;
    if (result != SHIM_SUCCESS) {
        free(what->packed);
        free_graph(what->child);
        free_node(node);
        return result;
    }
    struct shim_node **const list = node->needed;
    *node = *what;
    node->needed = list;
    node->needed_count = count;
    graph->node[graph->count++] = node;
    if (out)
        *out = node;
    return SHIM_SUCCESS;
}

/* Copies a kernel's arguments, which the program may change afterwards. */
static int keep_launch(const struct shim_launch *launch, struct shim_node *node)
{
    *node = (struct shim_node){.type = NODE_KERNEL, .launch = *launch};
    if (!launch->function)
        return SHIM_INVALID_HANDLE;
    const int result = shim_check_launch(launch);
    if (result != SHIM_SUCCESS)
        return result;
    const struct smc_program *program = launch->function->program;
    const size_t count = smc_program_parameter_count(program);
    const size_t bytes = count == 0 ? 0
                                    : smc_program_parameter_offset(program, count - 1) +
                                          smc_program_parameter_bytes(program, count - 1);
    if ((launch->packed && launch->packed_bytes < bytes) ||
        (count > 0 && !launch->packed && !launch->parameters))
        return SHIM_INVALID_VALUE;
    char *packed = smc_calloc(1, bytes + 1);
    if (!packed)
        return SHIM_OUT_OF_MEMORY;
    if (launch->packed)
        memcpy(packed, launch->packed, bytes);
    for (size_t i = 0; i < count && !launch->packed; i++)
        memcpy(packed + smc_program_parameter_offset(program, i), launch->parameters[i],
               smc_program_parameter_bytes(program, i));
    node->packed = packed;
    node->launch.packed = packed;
    node->launch.packed_bytes = bytes;
    node->launch.parameters = NULL;
    return SHIM_SUCCESS;
}

/* --- The order of nodes, and clones ----------------------------------------------------------- */

static struct shim_node *clone_of(const struct shim_graph *clone, const struct shim_node *origin)
{
    for (size_t i = 0; i < clone->count; i++)
        if (clone->node[i]->origin == origin)
            return clone->node[i];
    return NULL;
}

static bool clone_node(struct shim_node *from, struct shim_graph *to)
{
    struct shim_node node = *from;
    node.origin = from;
    node.needed = NULL;
    node.needed_count = 0;
    if (from->packed) {
        node.packed = smc_malloc(from->launch.packed_bytes + 1);
        if (!node.packed)
            return false;
        memcpy(node.packed, from->packed, from->launch.packed_bytes);
        node.launch.packed = node.packed;
    }
    if (from->child && clone_graph(from->child, &node.child) != SHIM_SUCCESS)
        return false;
    struct shim_node *added;
    if (graphs_append(to, &node, NULL, 0, &added) != SHIM_SUCCESS)
        return false;
    for (size_t i = 0; i < from->needed_count; i++) {
        struct shim_node *needed = clone_of(to, from->needed[i]);
        if (!needed || !add_needed(added, &needed, 1))
            return false;
    }
    return true;
}

static bool is_ready(const struct shim_node *node, const struct shim_graph *before)
{
    for (size_t i = 0; i < node->needed_count; i++)
        if (!clone_of(before, node->needed[i]))
            return false;
    return true;
}

/* With nodes after those that they depend on; fails if they depend on one another. */
static int clone_graph(const struct shim_graph *graph, struct shim_graph **out)
{
    struct shim_graph *clone = smc_calloc(1, sizeof *clone);
    int result = clone ? SHIM_SUCCESS : SHIM_OUT_OF_MEMORY;
    bool grows = true;
    while (result == SHIM_SUCCESS && grows) {
        grows = false;
        for (size_t i = 0; i < graph->count && result == SHIM_SUCCESS; i++) {
            if (clone_of(clone, graph->node[i]) || !is_ready(graph->node[i], clone))
                continue;
            grows = true;
            result = clone_node(graph->node[i], clone) ? SHIM_SUCCESS : SHIM_OUT_OF_MEMORY;
        }
    }
    if (result == SHIM_SUCCESS && clone->count < graph->count)
        result = SHIM_INVALID_VALUE;
    if (result != SHIM_SUCCESS) {
        free_graph(clone);
        return result;
    }
    *out = clone;
    return SHIM_SUCCESS;
}

/* --- Graphs ----------------------------------------------------------------------------------- */

API cuGraphCreate(struct shim_graph **graph, uint32_t flags)
{
    BEGIN;
    if (flags != 0)
        return SHIM_INVALID_VALUE;
    *graph = smc_calloc(1, sizeof **graph);
    return *graph ? SHIM_SUCCESS : SHIM_OUT_OF_MEMORY;
}

API cuGraphDestroy(struct shim_graph *graph)
{
    BEGIN;
    free_graph(graph);
    return graph ? SHIM_SUCCESS : SHIM_INVALID_VALUE;
}

API_LOCKED(cuGraphClone, (struct shim_graph * *clone, const struct shim_graph *graph),
           graph ? clone_graph(graph, clone) : SHIM_INVALID_VALUE)

static struct shim_launch graphs_launch_of(const struct shim_kernel_node *what)
{
    struct shim_launch launch = {.function = what->function ? what->function : what->kernel,
                                 .dynamic_smem_bytes = what->smem_bytes,
                                 .parameters = what->parameters};
    memcpy(launch.grid, what->grid, sizeof launch.grid);
    memcpy(launch.block, what->block, sizeof launch.block);
    if (!what->parameters)
        shim_read_extra(what->extra, &launch);
    return launch;
}

API cuGraphAddKernelNode_v2(struct shim_node **out, struct shim_graph *graph,
                            struct shim_node *const *needed, size_t count,
                            const struct shim_kernel_node *what)
{
    BEGIN;
    struct shim_node node;
    const struct shim_launch launch = graphs_launch_of(what);
    const int result = keep_launch(&launch, &node);
    return result == SHIM_SUCCESS ? graphs_append(graph, &node, needed, count, out) : result;
}

API cuGraphAddMemcpyNode(struct shim_node **out, struct shim_graph *graph,
                         struct shim_node *const *needed, size_t count,
                         const struct shim_copy_3d *plan, void *context)
{
    BEGIN;
    const struct shim_node node = {.type = NODE_COPY, .copy = *plan};
    return graphs_append(graph, &node, needed, count, out);
}

API cuGraphAddMemsetNode(struct shim_node **out, struct shim_graph *graph,
                         struct shim_node *const *needed, size_t count,
                         const struct shim_fill *plan, void *context)
{
    BEGIN;
    const struct shim_node node = {.type = NODE_FILL, .fill = *plan};
    return graphs_append(graph, &node, needed, count, out);
}

API cuGraphAddHostNode(struct shim_node **out, struct shim_graph *graph,
                       struct shim_node *const *needed, size_t count,
                       const struct shim_host_call *call)
{
    BEGIN;
    const struct shim_node node = {.type = NODE_HOST, .host = *call};
    return graphs_append(graph, &node, needed, count, out);
}

API cuGraphAddEmptyNode(struct shim_node **out, struct shim_graph *graph,
                        struct shim_node *const *needed, size_t count)
{
    BEGIN;
    const struct shim_node node = {.type = NODE_EMPTY};
    return graphs_append(graph, &node, needed, count, out);
}

API cuGraphAddChildGraphNode(struct shim_node **out, struct shim_graph *graph,
                             struct shim_node *const *needed, size_t count,
                             const struct shim_graph *child)
{
    BEGIN;
    struct shim_node node = {.type = NODE_GRAPH};
    const int result = child ? clone_graph(child, &node.child) : SHIM_INVALID_VALUE;
    return result == SHIM_SUCCESS ? graphs_append(graph, &node, needed, count, out) : result;
}

API cuGraphAddDependencies(struct shim_graph *graph, struct shim_node *const *from,
                           struct shim_node *const *to, size_t count)
{
    BEGIN;
    for (size_t i = 0; i < count; i++) {
        if (!is_node_of(graph, from[i]) || !is_node_of(graph, to[i]))
            return SHIM_INVALID_VALUE;
        if (!add_needed(to[i], &from[i], 1))
            return SHIM_OUT_OF_MEMORY;
    }
    return SHIM_SUCCESS;
}

API_RETURNS(cuGraphAddDependencies_v2,
            (struct shim_graph * graph, struct shim_node *const *from, struct shim_node *const *to,
             const void *edges, size_t count),
            cuGraphAddDependencies(graph, from, to, count))

static int list_nodes(const struct shim_graph *graph, bool only_roots, struct shim_node **out,
                      size_t *count)
{
    size_t found = 0;
    for (size_t i = 0; i < graph->count; i++) {
        if (only_roots && graph->node[i]->needed_count > 0)
            continue;
        if (out && found < *count)
            out[found] = graph->node[i];
        found++;
    }
    *count = out && found > *count ? *count : found;
    return SHIM_SUCCESS;
}

API_LOCKED(cuGraphGetNodes, (const struct shim_graph *graph, struct shim_node **out, size_t *count),
           list_nodes(graph, false, out, count))
API_LOCKED(cuGraphGetRootNodes,
           (const struct shim_graph *graph, struct shim_node **out, size_t *count),
           list_nodes(graph, true, out, count))
API_ANSWERS(cuGraphNodeGetType, (const struct shim_node *node, int *type), *type, (int)node->type)

/* --- Running ---------------------------------------------------------------------------------- */

API_UNLESS_CAPTURED(cuGraphInstantiateWithFlags,
                    (struct shim_graph * *exec, const struct shim_graph *graph, uint64_t flags),
                    UNSAFE, NULL, graph ? clone_graph(graph, exec) : SHIM_INVALID_VALUE)

API cuGraphExecDestroy(struct shim_graph *exec)
{
    UNLESS_CAPTURED(UNSAFE, NULL);
    return cuGraphDestroy(exec);
}

API cuGraphUpload(struct shim_graph *exec, void *stream)
{
    UNLESS_CAPTURED(OUTSIDE, stream);
    return exec ? SHIM_SUCCESS : SHIM_INVALID_VALUE;
}

static int run(const struct shim_graph *graph)
{
    int result = SHIM_SUCCESS;
    for (size_t i = 0; i < graph->count && result == SHIM_SUCCESS; i++)
        result = run_node(graph->node[i]);
    return result;
}

static int run_node(const struct shim_node *node)
{
    switch (node->type) {
    case NODE_KERNEL:
        return shim_launch(&node->launch);
    case NODE_COPY:
        return shim_copy_3d(&node->copy);
    case NODE_FILL:
        return shim_fill(&node->fill);
    case NODE_HOST:
        shim_flush_output();
        node->host.function(node->host.data);
        return SHIM_SUCCESS;
    case NODE_GRAPH:
        return run(node->child);
    case NODE_EMPTY:
        break;
    }
    return SHIM_SUCCESS;
}

API_UNLESS_CAPTURED(cuGraphLaunch, (const struct shim_graph *exec, void *stream), OUTSIDE, stream,
                    exec ? run(exec) : SHIM_INVALID_VALUE)

API cuGraphExecKernelNodeSetParams_v2(struct shim_graph *exec, const struct shim_node *node,
                                      const struct shim_kernel_node *what)
{
    BEGIN;
    struct shim_node *own = clone_of(exec, node), changed;
    const struct shim_launch launch = graphs_launch_of(what);
    if (!own || own->type != NODE_KERNEL)
        return SHIM_INVALID_VALUE;
    const int result = keep_launch(&launch, &changed);
    if (result != SHIM_SUCCESS)
        return result;
    free(own->packed);
    own->packed = changed.packed;
    own->launch = changed.launch;
    return SHIM_SUCCESS;
}

/* The nodes must be of the same types; else the program has to instantiate the graph again. */
API cuGraphExecUpdate_v2(struct shim_graph *exec, const struct shim_graph *graph,
                         struct shim_graph_update *report)
{
    BEGIN;
    struct shim_graph *clone;
    const int result = clone_graph(graph, &clone);
    if (result != SHIM_SUCCESS)
        return result;
    bool is_same = clone->count == exec->count;
    for (size_t i = 0; is_same && i < clone->count; i++)
        is_same = clone->node[i]->type == exec->node[i]->type;
    if (report)
        *report = (struct shim_graph_update){is_same ? 0 : SHIM_UPDATE_TOPOLOGY, NULL, NULL};
    if (is_same) {
        const struct shim_graph old = *exec;
        *exec = *clone;
        *clone = old;
        for (size_t i = 0; i < exec->count; i++) /* the handles of the first graph stay */
            exec->node[i]->origin = old.node[i]->origin;
    }
    free_graph(clone);
    return is_same ? SHIM_SUCCESS : SHIM_GRAPH_UPDATE;
}

/* --- Capture ---------------------------------------------------------------------------------- */

/* Each node depends on the one before it, since it ran after that in the program's order. */
static int capture(struct shim_captured *stream, const struct shim_node *node)
{
    struct shim_graph *graph = shim_captured_graph(stream);
    if (!graph)
        return SHIM_CAPTURE_INVALIDATED;
    struct shim_node *const last = graph->count > 0 ? graph->node[graph->count - 1] : NULL;
    return graphs_append(graph, node, &last, last ? 1 : 0, NULL);
}

/* A refused launch invalidates the capture; a refused copy does not (seen on an H200, CUDA 13.0).
 */
int shim_capture_launch(struct shim_captured *stream, const struct shim_launch *launch)
{
    struct shim_node node;
    const int result = keep_launch(launch, &node);
    if (result == SHIM_SUCCESS) {
        const int captured = capture(stream, &node);
        if (captured == SHIM_CAPTURE_INVALIDATED)
            free(node.packed);
        return captured;
    }
    shim_captured_invalidate(stream);
    return result;
}

int shim_capture_copy(struct shim_captured *stream, const struct shim_copy_3d *plan)
{
    const struct shim_node node = {.type = NODE_COPY, .copy = *plan};
    return capture(stream, &node);
}

int shim_capture_fill(struct shim_captured *stream, const struct shim_fill *plan)
{
    const struct shim_node node = {.type = NODE_FILL, .fill = *plan};
    return capture(stream, &node);
}

int shim_capture_host(struct shim_captured *stream, const struct shim_host_call *call)
{
    const struct shim_node node = {.type = NODE_HOST, .host = *call};
    return capture(stream, &node);
}

API cuStreamBeginCapture_v2(const void *stream, int mode)
{
    BEGIN;
    struct shim_graph *graph;
    if (mode < 0 || mode > SHIM_CAPTURE_MODE_RELAXED)
        return SHIM_INVALID_VALUE;
    UNLESS_CAPTURED(WORK, stream);
    if ((uintptr_t)stream <= SHIM_STREAM_LEGACY)
        return SHIM_CAPTURE_UNSUPPORTED;
    if (shim_capturing(stream))
        return SHIM_ILLEGAL_STATE;
    graph = smc_calloc(1, sizeof *graph);
    const int result = graph ? shim_capture_begin(stream, mode, graph) : SHIM_OUT_OF_MEMORY;
    if (result != SHIM_SUCCESS)
        free_graph(graph);
    return result;
}

API cuStreamEndCapture(const void *stream, struct shim_graph **graph)
{
    BEGIN;
    UNLESS_CAPTURED(WORK, stream);
    const int result = shim_capture_end(stream, graph);
    if (result != SHIM_SUCCESS) {
        free_graph(*graph);
        *graph = NULL;
    }
    return result;
}
