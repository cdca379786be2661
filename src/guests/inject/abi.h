/* What the injected library calls in CUDA's driver and in CUPTI, and how they lay out what they
   pass. Declared here so that neither is needed to build; tests/trace/abi.c compares it with the
   headers where those are installed. */
#ifndef SMC_GUESTS_ABI_H
#define SMC_GUESTS_ABI_H

#include <stddef.h>
#include <stdint.h>

/* --- The driver ------------------------------------------------------------------------------- */

enum { DRIVER_SUCCESS = 0, DRIVER_INVALID_HANDLE = 400 };

#define DRIVER_STREAM_PER_THREAD ((void *)2) /* a stream that has no handle of its own */

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
    union {
        struct driver_kernel_node kernel; /* where the type is NODE_KERNEL */
        void *graph;                      /* NODE_CHILD_GRAPH */
    };
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

/* CUPTI's numbers of the driver's calls: CALL_cuLaunchKernel and so on. */
enum cupti_call {
#define LAUNCH_CALL(name, number, stream)      CALL_##name = (number),
#define COOPERATIVE_CALL(name, number, stream) CALL_##name = (number),
#define OTHER_CALL(name, number, kind, stream) CALL_##name = (number),
#include "guests/inject/driver_calls.def"
    CALL_NUMBERS = 1024 /* more than the largest */
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
