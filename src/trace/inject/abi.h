/* What the injected library calls in CUDA's driver and in CUPTI, and how they lay out what they
   pass. Declared here so that neither is needed to build; tests/trace/abi.c compares it with the
   headers where those are installed. */
#ifndef SMC_TRACE_INJECT_ABI_H
#define SMC_TRACE_INJECT_ABI_H

#include <stddef.h>
#include <stdint.h>

/* --- The driver ------------------------------------------------------------------------------- */

enum { DRIVER_SUCCESS = 0, DRIVER_INVALID_HANDLE = 400 };

enum driver_function_attribute {
    FUNCTION_STATIC_SMEM = 1,
    FUNCTION_LOCAL_BYTES = 3,
    FUNCTION_REGS = 4,
    FUNCTION_MAX_DYNAMIC_SMEM = 8,
    FUNCTION_CARVEOUT = 9,
    FUNCTION_CLUSTER_WIDTH = 11, /* then height and depth */
};

enum driver_device_attribute {
    DEVICE_CLOCK_KHZ = 13,
    DEVICE_SM_COUNT = 16,
    DEVICE_L2_BYTES = 38,
    DEVICE_THREADS_PER_SM = 39,
    DEVICE_CC_MAJOR = 75,
    DEVICE_CC_MINOR = 76,
    DEVICE_SMEM_PER_SM = 81,
    DEVICE_REGS_PER_SM = 82,
};

enum { NODE_KERNEL = 0, NODE_CHILD_GRAPH = 4, NODE_CONDITIONAL = 13 };
enum { LAUNCH_CLUSTER_DIMENSION = 4, LAUNCH_CARVEOUT = 14 };

union driver_attribute_value {
    uint32_t cluster[3];
    uint32_t carveout;
    uint64_t size[8];
};

struct driver_attribute {
    int32_t id, pad;
    union driver_attribute_value value;
};

struct driver_launch_config {
    uint32_t grid[3], block[3], smem_bytes;
    void *stream;
    const struct driver_attribute *attributes;
    uint32_t attribute_count;
};

/* Of cuLaunchKernel and cuLaunchCooperativeKernel, as CUPTI passes them. */
struct driver_launch_params {
    void *function;
    uint32_t grid[3], block[3], smem_bytes;
    void *stream;
};

struct driver_launch_ex_params {
    const struct driver_launch_config *config;
    void *function;
};

/* An element of what cuLaunchCooperativeKernelMultiDevice receives. */
struct driver_multi_device_launch {
    void *function;
    uint32_t grid[3], block[3], smem_bytes;
    void *stream;
    void **params;
};

/* Of a graph's kernel node; the last two only in version 2. */
struct driver_kernel_node {
    void *function;
    uint32_t grid[3], block[3], smem_bytes;
    void **params, **extra;
    void *kernel, *context;
};

/* What cuGraphExecNodeSetParams receives. */
struct driver_graph_node {
    int32_t type, reserved[3];
    struct driver_kernel_node kernel; /* where the type is NODE_KERNEL */
};

/* The version of CUDA whose cuGraphExecKernelNodeSetParams has version 2 of the parameters. */
enum { VERSION_KERNEL_NODE_2 = 12000 };

/* --- CUPTI ------------------------------------------------------------------------------------ */

enum { CUPTI_OK = 0, CUPTI_MAX_LIMIT_REACHED = 12, CUPTI_MULTIPLE_SUBSCRIBERS = 39 };
enum { CUPTI_DOMAIN_DRIVER = 1, CUPTI_DOMAIN_RESOURCE = 3 };
enum { CUPTI_SITE_ENTER = 0, CUPTI_SITE_EXIT = 1 };
enum { CUPTI_MODULE_LOADED = 6, CUPTI_MODULE_UNLOADS = 7 };
enum { CUPTI_KIND_CONCURRENT_KERNEL = 10 };
enum { CUPTI_FLUSH_FORCED = 1 };

/* The driver's functions whose calls are watched. */
enum cupti_call {
    CALL_LAUNCH = 307,
    CALL_LAUNCH_PTSZ = 442,
    CALL_LAUNCH_COOPERATIVE = 477,
    CALL_LAUNCH_COOPERATIVE_PTSZ = 478,
    CALL_LAUNCH_MULTI_DEVICE = 480,
    CALL_LAUNCH_EX = 652,
    CALL_LAUNCH_EX_PTSZ = 653,
    CALL_SET_CACHE_CONFIG = 86,
    CALL_SET_ATTRIBUTE = 481,
    CALL_KERNEL_SET_ATTRIBUTE = 687,
    CALL_KERNEL_SET_CACHE_CONFIG = 688,
    CALL_BEGIN_CAPTURE = 495,
    CALL_BEGIN_CAPTURE_PTSZ = 496,
    CALL_END_CAPTURE = 497,
    CALL_END_CAPTURE_PTSZ = 498,
    CALL_BEGIN_CAPTURE_2 = 539,
    CALL_BEGIN_CAPTURE_2_PTSZ = 540,
    CALL_BEGIN_CAPTURE_TO_GRAPH = 720,
    CALL_BEGIN_CAPTURE_TO_GRAPH_PTSZ = 721,
    CALL_INSTANTIATE = 513,
    CALL_INSTANTIATE_2 = 578,
    CALL_INSTANTIATE_FLAGS = 643,
    CALL_INSTANTIATE_PARAMS = 656,
    CALL_INSTANTIATE_PARAMS_PTSZ = 657,
    CALL_GRAPH_LAUNCH = 514,
    CALL_GRAPH_LAUNCH_PTSZ = 515,
    CALL_EXEC_DESTROY = 516,
    CALL_EXEC_SET_KERNEL = 538,
    CALL_EXEC_SET_KERNEL_2 = 692,
    CALL_EXEC_SET_NODE = 714,
    CALL_EXEC_UPDATE = 561,
    CALL_EXEC_UPDATE_2 = 696,
};

struct cupti_callback_data {
    int32_t site;
    const char *function_name;
    const void *params;
    const void *result; /* an int32_t; set on exit */
    const char *symbol_name;
    void *context;
    uint32_t context_id;
    uint64_t *data;
    uint32_t correlation;
};

struct cupti_resource_data {
    void *context, *handle, *descriptor;
};

struct cupti_module_data {
    uint32_t id;
    size_t bytes;
    const char *code;
};

/* The kernel records of CUDA 11.0 and later: each release only appended to the one before. */
struct cupti_kernel {
    uint32_t kind;
    uint8_t cache_config; /* requested in the low half */
    uint8_t smem_config;
    uint16_t regs;
    uint32_t partitioned_requested, partitioned_executed;
    uint64_t start_ns, end_ns, completed_ns;
    uint32_t device, context, stream;
    int32_t grid[3], block[3];
    int32_t static_smem, dynamic_smem;
    uint32_t local_per_thread, local_total;
    uint32_t correlation;
    int64_t grid_id;
    const char *name;
    void *reserved;
    uint64_t queued_ns, submitted_ns;
    uint8_t launch_type, carveout_requested, carveout_percent, padding;
    uint32_t smem_configured;
    uint64_t graph_node;
    uint32_t smem_limit_config, graph;
    void *access_policy; /* from CUDA 11.2 */
    uint32_t channel;    /* from CUDA 11.6 */
    uint32_t channel_type;
    uint32_t cluster[3]; /* from CUDA 11.8 */
};

/* The version of CUPTI that first has the cluster in its records. */
enum { CUPTI_VERSION_OLDEST = 13, CUPTI_VERSION_CLUSTER = 18 };

typedef void cupti_callback(void *data, int domain, uint32_t call, const void *details);
typedef void cupti_buffer_requested(uint8_t **buffer, size_t *size, size_t *most_records);
typedef void cupti_buffer_completed(void *context, uint32_t stream, uint8_t *buffer, size_t size,
                                    size_t valid);

#endif
