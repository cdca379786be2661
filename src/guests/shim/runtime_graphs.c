/* The runtime API: graphs, and the capture of streams. */
#include <stdlib.h>

#include "guests/shim/shim_runtime.h"

/* Their declarations are in CUDA's headers, which are not included. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* --- Graphs ----------------------------------------------------------------------------------- */

API cudaGraphCreate(void **graph, unsigned flags)
{
    START();
    return shim_noted(cuGraphCreate(graph, flags));
}

API cudaGraphDestroy(void *graph)
{
    return shim_noted(cuGraphDestroy(graph));
}

API cudaGraphClone(void **clone, void *graph)
{
    START();
    return shim_noted(cuGraphClone(clone, graph));
}

API cudaGraphInstantiate(void **exec, void *graph, unsigned long long flags)
{
    START();
    return shim_noted(cuGraphInstantiateWithFlags(exec, graph, flags));
}

API cudaGraphInstantiateWithFlags(void **exec, void *graph, unsigned long long flags)
{
    return cudaGraphInstantiate(exec, graph, flags);
}

API cudaGraphExecDestroy(void *exec)
{
    return shim_noted(cuGraphExecDestroy(exec));
}

API cudaGraphLaunch(void *exec, void *stream)
{
    START();
    return shim_noted(cuGraphLaunch(exec, stream));
}

API cudaGraphUpload(void *exec, void *stream)
{
    return shim_noted(cuGraphUpload(exec, stream));
}

API cudaGraphGetNodes(void *graph, void **nodes, size_t *count)
{
    return shim_noted(cuGraphGetNodes(graph, nodes, count));
}

API cudaGraphGetRootNodes(void *graph, void **nodes, size_t *count)
{
    return shim_noted(cuGraphGetRootNodes(graph, nodes, count));
}

API cudaGraphNodeGetType(void *node, int *type)
{
    return shim_noted(cuGraphNodeGetType(node, type));
}

API cudaGraphExecUpdate(void *exec, void *graph, struct shim_graph_update *report)
{
    START();
    return shim_noted(cuGraphExecUpdate_v2(exec, graph, report));
}

#if SHIM_RUNTIME < 13
API cudaGraphAddDependencies(void *graph, void *const *from, void *const *to, size_t count)
{
    return shim_noted(cuGraphAddDependencies(graph, from, to, count));
}

API cudaGraphAddDependencies_v2(void *graph, void *const *from, void *const *to, const void *edges,
                                size_t count)
{
    return cudaGraphAddDependencies(graph, from, to, count);
}
#else
API cudaGraphAddDependencies(void *graph, void *const *from, void *const *to, const void *edges,
                             size_t count)
{
    return shim_noted(cuGraphAddDependencies(graph, from, to, count));
}
#endif

/* --- Nodes ------------------------------------------------------------------------------------ */

/* A kernel node as the driver has it: with the function for its stub. */
static int in_driver(const struct shim_kernel_node *what, struct shim_kernel_node *out)
{
    *out = (struct shim_kernel_node){
        .smem_bytes = what->smem_bytes, .parameters = what->parameters, .extra = what->extra};
    for (int i = 0; i < 3; i++) {
        out->grid[i] = what->grid[i];
        out->block[i] = what->block[i];
    }
    return shim_find_function(what->function, &out->function);
}

API cudaGraphAddKernelNode(void **node, void *graph, void *const *needed, size_t count,
                           const struct shim_kernel_node *what)
{
    struct shim_kernel_node full;
    START();
    const int error = in_driver(what, &full);
    return shim_noted(
        error != SHIM_SUCCESS ? error : cuGraphAddKernelNode_v2(node, graph, needed, count, &full));
}

API cudaGraphExecKernelNodeSetParams(void *exec, void *node, const struct shim_kernel_node *what)
{
    struct shim_kernel_node full;
    START();
    const int error = in_driver(what, &full);
    return shim_noted(error != SHIM_SUCCESS ? error
                                            : cuGraphExecKernelNodeSetParams_v2(exec, node, &full));
}

API cudaGraphAddMemcpyNode(void **node, void *graph, void *const *needed, size_t count,
                           const struct shim_runtime_copy *plan)
{
    struct shim_copy_3d full;
    START();
    const int error = shim_copy_in_driver(plan, &full);
    return shim_noted(error != SHIM_SUCCESS
                          ? error
                          : cuGraphAddMemcpyNode(node, graph, needed, count, &full, NULL));
}

API cudaGraphAddMemcpyNode1D(void **node, void *graph, void *const *needed, size_t count, void *to,
                             const void *from, size_t bytes, int kind)
{
    const struct shim_runtime_copy plan = {.from = {(void *)(uintptr_t)from, bytes, bytes, 1},
                                           .to = {to, bytes, bytes, 1},
                                           .extent = {bytes, 1, 1},
                                           .kind = kind};
    return cudaGraphAddMemcpyNode(node, graph, needed, count, &plan);
}

API cudaGraphAddMemsetNode(void **node, void *graph, void *const *needed, size_t count,
                           const struct shim_fill *plan)
{
    START();
    return shim_noted(cuGraphAddMemsetNode(node, graph, needed, count, plan, NULL));
}

API cudaGraphAddHostNode(void **node, void *graph, void *const *needed, size_t count,
                         const struct shim_host_call *call)
{
    START();
    return shim_noted(cuGraphAddHostNode(node, graph, needed, count, call));
}

API cudaGraphAddEmptyNode(void **node, void *graph, void *const *needed, size_t count)
{
    START();
    return shim_noted(cuGraphAddEmptyNode(node, graph, needed, count));
}

API cudaGraphAddChildGraphNode(void **node, void *graph, void *const *needed, size_t count,
                               void *child)
{
    START();
    return shim_noted(cuGraphAddChildGraphNode(node, graph, needed, count, child));
}

/* --- Capture ---------------------------------------------------------------------------------- */

API cudaStreamBeginCapture(void *stream, int mode)
{
    START();
    return shim_noted(cuStreamBeginCapture_v2(stream, mode));
}

API cudaStreamEndCapture(void *stream, void **graph)
{
    START();
    return shim_noted(cuStreamEndCapture(stream, graph));
}

API cudaStreamIsCapturing(void *stream, int *status)
{
    START();
    return shim_noted(cuStreamIsCapturing(stream, status));
}

API cudaThreadExchangeStreamCaptureMode(int *mode)
{
    START();
    return shim_noted(cuThreadExchangeStreamCaptureMode(mode));
}
