/* What src/guests/inject/abi.h declares is what the headers of CUDA and CUPTI declare, where
   those are installed. All is checked when this is compiled. */
#include "config.h"

#include <stdio.h>

#include "guests/inject/abi.h"

#ifdef HAVE_CUPTI_HEADERS
#include <cuda.h>
#include <cupti.h>

#define SAME(ours, member, theirs, their_member)                                                   \
    _Static_assert(offsetof(ours, member) == offsetof(theirs, their_member), #member)
#define EQUAL(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #ours)

SAME(struct cupti_kernel, cache_config, CUpti_ActivityKernel10, cacheConfig);
SAME(struct cupti_kernel, regs, CUpti_ActivityKernel10, registersPerThread);
SAME(struct cupti_kernel, start_ns, CUpti_ActivityKernel10, start);
SAME(struct cupti_kernel, end_ns, CUpti_ActivityKernel10, end);
SAME(struct cupti_kernel, device, CUpti_ActivityKernel10, deviceId);
SAME(struct cupti_kernel, grid, CUpti_ActivityKernel10, gridX);
SAME(struct cupti_kernel, block, CUpti_ActivityKernel10, blockX);
SAME(struct cupti_kernel, static_smem, CUpti_ActivityKernel10, staticSharedMemory);
SAME(struct cupti_kernel, dynamic_smem, CUpti_ActivityKernel10, dynamicSharedMemory);
SAME(struct cupti_kernel, correlation, CUpti_ActivityKernel10, correlationId);
SAME(struct cupti_kernel, name, CUpti_ActivityKernel10, name);
SAME(struct cupti_kernel, carveout_requested, CUpti_ActivityKernel10,
     isSharedMemoryCarveoutRequested);
SAME(struct cupti_kernel, carveout_percent, CUpti_ActivityKernel10, sharedMemoryCarveoutRequested);
SAME(struct cupti_kernel, smem_configured, CUpti_ActivityKernel10, sharedMemoryExecuted);
SAME(struct cupti_kernel, graph_node, CUpti_ActivityKernel10, graphNodeId);
SAME(struct cupti_kernel, cluster, CUpti_ActivityKernel10, clusterX);
SAME(struct cupti_callback_data, params, CUpti_CallbackData, functionParams);
SAME(struct cupti_callback_data, result, CUpti_CallbackData, functionReturnValue);
SAME(struct cupti_callback_data, symbol_name, CUpti_CallbackData, symbolName);
SAME(struct cupti_callback_data, context, CUpti_CallbackData, context);
SAME(struct cupti_callback_data, correlation, CUpti_CallbackData, correlationId);
SAME(struct cupti_resource_data, descriptor, CUpti_ResourceData, resourceDescriptor);
SAME(struct cupti_module_data, bytes, CUpti_ModuleResourceData, cubinSize);
SAME(struct cupti_module_data, code, CUpti_ModuleResourceData, pCubin);
SAME(struct driver_launch_params, block, cuLaunchKernel_params, blockDimX);
SAME(struct driver_launch_params, smem_bytes, cuLaunchKernel_params, sharedMemBytes);
SAME(struct driver_launch_params, stream, cuLaunchKernel_params, hStream);
SAME(struct driver_launch_params, stream, cuLaunchCooperativeKernel_params, hStream);
SAME(struct driver_launch_ex_params, function, cuLaunchKernelEx_params, f);
SAME(struct driver_launch_config, stream, CUlaunchConfig, hStream);
SAME(struct driver_launch_config, attributes, CUlaunchConfig, attrs);
SAME(struct driver_launch_config, attribute_count, CUlaunchConfig, numAttrs);
SAME(struct driver_attribute, value, CUlaunchAttribute, value);
_Static_assert(sizeof(struct driver_attribute) == sizeof(CUlaunchAttribute), "attribute");
_Static_assert(sizeof(union driver_attribute_value) == sizeof(CUlaunchAttributeValue), "value");
_Static_assert(sizeof(struct driver_kernel_node) == sizeof(CUDA_KERNEL_NODE_PARAMS_v2), "node");
_Static_assert(sizeof(struct driver_multi_device_launch) == sizeof(CUDA_LAUNCH_PARAMS), "launch");
SAME(struct driver_kernel_node, kernel, CUDA_KERNEL_NODE_PARAMS_v2, kern);
SAME(struct driver_graph_node, kernel, CUgraphNodeParams, kernel);
SAME(struct driver_graph_node, graph, CUgraphNodeParams, graph.graph);
#define LAUNCH_CALL(name, number, stream)      EQUAL(number, CUPTI_DRIVER_TRACE_CBID_##name);
#define COOPERATIVE_CALL(name, number, stream) EQUAL(number, CUPTI_DRIVER_TRACE_CBID_##name);
#define OTHER_CALL(name, number, kind, stream) EQUAL(number, CUPTI_DRIVER_TRACE_CBID_##name);
#include "guests/inject/driver_calls.def"
EQUAL(CUPTI_DOMAIN_DRIVER, CUPTI_CB_DOMAIN_DRIVER_API);
EQUAL(CUPTI_DOMAIN_RESOURCE, CUPTI_CB_DOMAIN_RESOURCE);
EQUAL(CUPTI_MODULE_LOADED, CUPTI_CBID_RESOURCE_MODULE_LOADED);
EQUAL(CUPTI_MODULE_UNLOADS, CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING);
EQUAL(CUPTI_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
EQUAL(CUPTI_SITE_EXIT, CUPTI_API_EXIT);
EQUAL(CUPTI_FLUSH_FORCED, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
EQUAL(FUNCTION_CARVEOUT, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
EQUAL(FUNCTION_CLUSTER_WIDTH, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH);
EQUAL(DEVICE_SMEM_PER_SM, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
EQUAL(DEVICE_REGS_PER_SM, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
EQUAL(DEVICE_THREADS_PER_SM, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
EQUAL(DEVICE_L2_BYTES, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
EQUAL(DEVICE_CLOCK_KHZ, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
EQUAL(DEVICE_SM_COUNT, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
EQUAL(NODE_CHILD_GRAPH, CU_GRAPH_NODE_TYPE_GRAPH);
EQUAL(NODE_CONDITIONAL, CU_GRAPH_NODE_TYPE_CONDITIONAL);
EQUAL(LAUNCH_CARVEOUT, CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);

int main(void)
{
    puts("ok      the layouts are those of the headers\n1 passed, 0 failed, 0 skipped");
    return 0;
}
#else
int main(void)
{
    puts("skipped the layouts: no headers of CUPTI\n0 passed, 0 failed, 1 skipped");
    return 77;
}
#endif
