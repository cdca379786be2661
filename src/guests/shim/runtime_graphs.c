/* The runtime API: graphs, and the capture of streams. */

#include "guests/shim/shim_runtime.h"

/* --- Graphs ----------------------------------------------------------------------------------- */

API_FORWARDS(cudaGraphCreate, (void **graph, unsigned flags), cuGraphCreate(graph, flags))
API_RETURNS(cudaGraphDestroy, (void *graph), shim_noted(cuGraphDestroy(graph)))
API_FORWARDS(cudaGraphClone, (void **clone, void *graph), cuGraphClone(clone, graph))
API_FORWARDS(cudaGraphInstantiate, (void **exec, void *graph, unsigned long long flags),
             cuGraphInstantiateWithFlags(exec, graph, flags))
API_RETURNS(cudaGraphInstantiateWithFlags, (void **exec, void *graph, unsigned long long flags),
            cudaGraphInstantiate(exec, graph, flags))
API_RETURNS(cudaGraphExecDestroy, (void *exec), shim_noted(cuGraphExecDestroy(exec)))
API_FORWARDS(cudaGraphLaunch, (void *exec, void *stream), cuGraphLaunch(exec, stream))
API_RETURNS(cudaGraphUpload, (void *exec, void *stream), shim_noted(cuGraphUpload(exec, stream)))
API_RETURNS(cudaGraphGetNodes, (void *graph, void **nodes, size_t *count),
            shim_noted(cuGraphGetNodes(graph, nodes, count)))
API_RETURNS(cudaGraphGetRootNodes, (void *graph, void **nodes, size_t *count),
            shim_noted(cuGraphGetRootNodes(graph, nodes, count)))
API_RETURNS(cudaGraphNodeGetType, (void *node, int *type),
            shim_noted(cuGraphNodeGetType(node, type)))
API_FORWARDS(cudaGraphExecUpdate, (void *exec, void *graph, struct shim_graph_update *report),
             cuGraphExecUpdate_v2(exec, graph, report))

#if SHIM_RUNTIME < 13
API_RETURNS(cudaGraphAddDependencies,
            (void *graph, void *const *from, void *const *to, size_t count),
            shim_noted(cuGraphAddDependencies(graph, from, to, count)))
API_RETURNS(cudaGraphAddDependencies_v2,
            (void *graph, void *const *from, void *const *to, const void *edges, size_t count),
            cudaGraphAddDependencies(graph, from, to, count))
#else
API_RETURNS(cudaGraphAddDependencies,
            (void *graph, void *const *from, void *const *to, const void *edges, size_t count),
            shim_noted(cuGraphAddDependencies(graph, from, to, count)))
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

API_IN_DRIVER(cudaGraphAddKernelNode,
              (void **node, void *graph, void *const *needed, size_t count,
               const struct shim_kernel_node *what),
              shim_kernel_node, in_driver(what, &full),
              cuGraphAddKernelNode_v2(node, graph, needed, count, &full))
API_IN_DRIVER(cudaGraphExecKernelNodeSetParams,
              (void *exec, void *node, const struct shim_kernel_node *what), shim_kernel_node,
              in_driver(what, &full), cuGraphExecKernelNodeSetParams_v2(exec, node, &full))
API_IN_DRIVER(cudaGraphAddMemcpyNode,
              (void **node, void *graph, void *const *needed, size_t count,
               const struct shim_runtime_copy *plan),
              shim_copy_3d, shim_copy_in_driver(plan, &full),
              cuGraphAddMemcpyNode(node, graph, needed, count, &full, NULL))

API cudaGraphAddMemcpyNode1D(void **node, void *graph, void *const *needed, size_t count, void *to,
                             const void *from, size_t bytes, int kind)
{
    const struct shim_runtime_copy plan = {.from = {(void *)(uintptr_t)from, bytes, bytes, 1},
                                           .to = {to, bytes, bytes, 1},
                                           .extent = {bytes, 1, 1},
                                           .kind = kind};
    return cudaGraphAddMemcpyNode(node, graph, needed, count, &plan);
}

API_FORWARDS(cudaGraphAddMemsetNode,
             (void **node, void *graph, void *const *needed, size_t count,
              const struct shim_fill *plan),
             cuGraphAddMemsetNode(node, graph, needed, count, plan, NULL))
API_FORWARDS(cudaGraphAddHostNode,
             (void **node, void *graph, void *const *needed, size_t count,
              const struct shim_host_call *call),
             cuGraphAddHostNode(node, graph, needed, count, call))
API_FORWARDS(cudaGraphAddEmptyNode, (void **node, void *graph, void *const *needed, size_t count),
             cuGraphAddEmptyNode(node, graph, needed, count))
API_FORWARDS(cudaGraphAddChildGraphNode,
             (void **node, void *graph, void *const *needed, size_t count, void *child),
             cuGraphAddChildGraphNode(node, graph, needed, count, child))

/* --- Capture ---------------------------------------------------------------------------------- */

API_FORWARDS(cudaStreamBeginCapture, (void *stream, int mode),
             cuStreamBeginCapture_v2(stream, mode))
API_FORWARDS(cudaStreamEndCapture, (void *stream, void **graph), cuStreamEndCapture(stream, graph))
API_FORWARDS(cudaStreamIsCapturing, (void *stream, int *status),
             cuStreamIsCapturing(stream, status))
API_FORWARDS(cudaThreadExchangeStreamCaptureMode, (int *mode),
             cuThreadExchangeStreamCaptureMode(mode))
