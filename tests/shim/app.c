/* A program that calls CUDA's driver, which it finds as any other program does, and checks what it
   gets: the exit status is the number of things that are not as on a GPU. Needs neither CUDA nor a
   compiler for it.
     app good | bounds | wild | unacquired | refused */
#include "tests/shim/calls.h"

static const char ptx[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".global .align 4 .u32 factor = 3;\n"
    ".const .align 4 .b8 offsets[8];\n"
    /* struct { const int *from; int *to; int n; } by value: to[i] = from[i] * factor + offsets[1]
     */
    ".visible .entry scale(.param .align 8 .b8 p[24]) {\n"
    ".reg .pred %q; .reg .b32 %r<9>; .reg .b64 %d<6>;\n"
    "ld.param.u64 %d1, [p]; ld.param.u64 %d2, [p+8]; ld.param.u32 %r1, [p+16];\n"
    "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
    "mad.lo.s32 %r5, %r2, %r3, %r4; setp.ge.s32 %q, %r5, %r1; @%q bra END;\n"
    "mul.wide.s32 %d3, %r5, 4; add.s64 %d4, %d1, %d3; add.s64 %d5, %d2, %d3;\n"
    "ld.global.u32 %r6, [%d4]; ld.global.u32 %r7, [factor]; mul.lo.s32 %r6, %r6, %r7;\n"
    "ld.const.u32 %r8, [offsets+4]; add.s32 %r6, %r6, %r8; st.global.u32 [%d5], %r6;\n"
    "END: ret; }\n"
    ".visible .entry store(.param .u64 p) {\n"
    ".reg .b32 %r<2>; .reg .b64 %d<2>; ld.param.u64 %d1, [p]; mov.u32 %r1, 7;\n"
    "st.global.u32 [%d1], %r1; ret; }\n"
    ".extern .shared .align 4 .b8 dynamic[];\n"
    ".visible .entry shared() { .reg .b32 %r<3>; mov.u32 %r1, dynamic; mov.u32 %r2, 1;\n"
    "st.shared.u32 [%r1], %r2; ret; }\n"
    /* result = texture(1.5, 2.5); surface(3, 0) = 77 */
    ".visible .entry texel(.param .u64 t, .param .u64 s, .param .u64 result) {\n"
    ".reg .b32 %r<6>; .reg .f32 %f<3>; .reg .b64 %d<4>;\n"
    "ld.param.u64 %d1, [t]; ld.param.u64 %d2, [s]; ld.param.u64 %d3, [result];\n"
    "mov.f32 %f1, 0f3FC00000; mov.f32 %f2, 0f40200000;\n"
    "tex.2d.v4.s32.f32 {%r1, %r2, %r3, %r4}, [%d1, {%f1, %f2}]; st.global.u32 [%d3], %r1;\n"
    "mov.u32 %r1, 12; mov.u32 %r2, 0; mov.u32 %r5, 77;\n"
    "sust.b.2d.b32.trap [%d2, {%r1, %r2}], {%r5}; ret; }\n"
    /* to[b] = b + 5; the grid's barrier, which is not in CUDA's headers here; to[16 + b] is what
       the last block but b wrote */
    ".visible .entry meet(.param .u64 to) {\n"
    ".reg .pred %q; .reg .b32 %r<8>; .reg .b64 %d<6>;\n"
    "ld.param.u64 %d1, [to]; mov.u32 %r1, %envreg2; mov.u32 %r2, %envreg1;\n"
    "mov.b64 %d2, {%r1, %r2}; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %nctaid.x;\n"
    "mul.wide.u32 %d3, %r3, 4; add.u64 %d3, %d3, %d1; add.u32 %r5, %r3, 5;\n"
    "st.global.u32 [%d3], %r5; atom.add.release.gpu.u32 %r6, [%d2+4], 1;\n"
    "AGAIN: ld.acquire.gpu.u32 %r6, [%d2+4]; setp.ne.u32 %q, %r6, %r4; @%q bra AGAIN;\n"
    "sub.u32 %r7, %r4, %r3; sub.u32 %r7, %r7, 1; mul.wide.u32 %d4, %r7, 4;\n"
    "add.u64 %d4, %d4, %d1; ld.global.u32 %r7, [%d4]; st.global.u32 [%d3+64], %r7; ret; }\n"
    ".visible .entry rank(.param .u64 to) {\n"
    ".reg .b32 %r<5>; .reg .b64 %d<3>; ld.param.u64 %d1, [to]; mov.u32 %r1, %ctaid.x;\n"
    "mov.u32 %r2, %cluster_ctarank; mov.u32 %r3, %cluster_nctarank;\n"
    "barrier.cluster.arrive; barrier.cluster.wait; mad.lo.u32 %r4, %r3, 10, %r2;\n"
    "mul.wide.u32 %d2, %r1, 4; add.u64 %d2, %d2, %d1; st.global.u32 [%d2], %r4; ret; }\n";

#define is(what, expected, seen) expect(__LINE__, what, expected, seen)
#define CU(name, ...)            is(#name, 0, find(#name)(__VA_ARGS__))

struct pointers {
    uint64_t from, to;
    int n;
};

/* As in cuda.h. */
struct array_shape {
    size_t width, height;
    uint32_t format, channels;
};

struct resource {
    uint32_t type;
    void *array;
    int32_t rest[30];
    uint32_t flags;
};

struct texture {
    uint32_t address[3], filter, flags, rest[22];
};

static void *start(const char *image)
{
    void *context, *module = NULL;
    int version = 0;
    CU(cuInit, 0);
    CU(cuDriverGetVersion, &version);
    CU(cuDevicePrimaryCtxRetain, &context, 0);
    CU(cuCtxSetCurrent, context);
    if (image)
        CU(cuModuleLoadData, &module, image);
    return module;
}

static void *kernel(void *module, const char *name)
{
    void *function = NULL;
    CU(cuModuleGetFunction, &function, module, name);
    return function;
}

static int launch(void *function, unsigned blocks, unsigned threads, unsigned smem,
                  void **arguments)
{
    return find("cuLaunchKernel")(function, blocks, 1u, 1u, threads, 1u, 1u, smem, NULL, arguments,
                                  NULL);
}

static void check_device(void)
{
    int value = 0;
    size_t left = 0, total = 0;
    char name[64] = "";
    CU(cuDeviceGetCount, &value);
    is("devices", 1, value);
    CU(cuDeviceGetName, name, (int)sizeof name, 0);
    printf("%s\n", name);
    CU(cuDeviceGetAttribute, &value, 10, 0);
    is("warp size", 32, value);
    is("device 1", 101, find("cuDeviceGetName")(name, (int)sizeof name, 1));
    CU(cuMemGetInfo_v2, &left, &total);
    is("all memory is free", 1, left == total && total > 0);
}

static void check_launches(void *module)
{
    enum { N = 100 };
    int host[N], result[N];
    uint64_t address, second;
    size_t bytes;
    struct pointers pointers = {0, 0, N};
    void *scale = kernel(module, "scale"), *arguments[] = {&pointers}, *begin, *end;
    const int offsets[2] = {0, 1000};
    float ms = -1;
    for (int i = 0; i < N; i++)
        host[i] = i;
    CU(cuMemAlloc_v2, &pointers.from, sizeof host);
    CU(cuMemAlloc_v2, &pointers.to, sizeof host);
    CU(cuMemcpyHtoD_v2, pointers.from, host, sizeof host);
    CU(cuMemsetD32_v2, pointers.to, 5, (size_t)N);
    CU(cuModuleGetGlobal_v2, &address, &bytes, module, "offsets");
    is("a variable's size", 8, (long)bytes);
    CU(cuMemcpyHtoD_v2, address, offsets, sizeof offsets);
    CU(cuEventCreate, &begin, 0);
    CU(cuEventCreate, &end, 0);
    CU(cuEventRecord, begin, NULL);
    is("a launch", 0, launch(scale, 4, 32, 0, arguments));
    CU(cuEventRecord, end, NULL);
    CU(cuEventSynchronize, end);
    CU(cuEventElapsedTime, &ms, begin, end);
    is("time passed", 1, ms > 0);
    CU(cuMemcpyDtoH_v2, result, pointers.to, sizeof result);
    for (int i = 0; i < N; i++)
        is("an element", 3 * i + 1000, result[i]);
    const int seven = 7; /* variables keep their contents between launches */
    CU(cuModuleGetGlobal_v2, &second, &bytes, module, "factor");
    CU(cuMemcpyHtoD_v2, second, &seven, sizeof seven);
    is("a second launch", 0, launch(scale, 4, 32, 0, arguments));
    CU(cuMemcpyDtoH_v2, result, pointers.to, sizeof result);
    is("with a changed variable", 7 * 99 + 1000, result[99]);
    void *packed[] = {(void *)1, &pointers, (void *)2, &bytes, NULL};
    bytes = sizeof pointers;
    is("packed arguments", 0,
       find("cuLaunchKernel")(scale, 1u, 1u, 1u, 32u, 1u, 1u, 0u, NULL, NULL, packed));
    CU(cuMemFree_v2, pointers.from);
    is("freed twice", 1, find("cuMemFree_v2")(pointers.from));
}

static void check_arrays(void *module)
{
    enum { SIGNED_32 = 0x0a, BYTES = 4 * 3 * 4 };
    int host[12], back[12], value = 0;
    void *array = NULL;
    uint64_t handles[2] = {0, 0}, result;
    struct array_shape shape = {4, 3, SIGNED_32, 1};
    struct resource resource = {0, NULL, {0}, 0};
    const struct texture texture = {{1, 1, 1}, 0, 1, {0}}; /* clamp, nearest, as integers */
    for (int i = 0; i < 12; i++)
        host[i] = 100 + i;
    CU(cuArrayCreate_v2, &array, &shape);
    resource.array = array;
    CU(cuMemcpyHtoA_v2, array, (size_t)0, host, (size_t)BYTES);
    is("a copy beyond an array", 1, find("cuMemcpyHtoA_v2")(array, (size_t)4, host, (size_t)BYTES));
    CU(cuTexObjectCreate, &handles[0], &resource, &texture, NULL);
    CU(cuSurfObjectCreate, &handles[1], &resource);
    CU(cuMemAlloc_v2, &result, sizeof value);
    void *arguments[] = {&handles[0], &handles[1], &result};
    is("a launch with a texture", 0, launch(kernel(module, "texel"), 1, 1, 0, arguments));
    CU(cuMemcpyDtoH_v2, &value, result, sizeof value);
    is("a texel", 100 + 2 * 4 + 1, value);
    CU(cuMemcpyAtoH_v2, back, array, (size_t)0, (size_t)BYTES);
    is("a stored texel", 77, back[3]);
    is("the texel before it", 102, back[2]);
    CU(cuTexObjectDestroy, handles[0]);
    CU(cuSurfObjectDestroy, handles[1]);
    is("destroyed twice", 1, find("cuTexObjectDestroy")(handles[0]));
    CU(cuArrayDestroy, array);
    is("an array that is gone", 400, find("cuArrayDestroy")(array));
    CU(cuMemFree_v2, result);
}

static void check_graphs(void *module)
{
    uint64_t address;
    uint32_t value = 0;
    void *stream = NULL, *graph = NULL, *exec = NULL, *arguments[] = {&address};
    int status = 0;
    CU(cuMemAlloc_v2, &address, sizeof value);
    CU(cuStreamCreate, &stream, 0);
    is("the default stream", 900, find("cuStreamBeginCapture_v2")(NULL, 0));
    CU(cuStreamBeginCapture_v2, stream, 0);
    is("a wait in a capture", 900, find("cuStreamSynchronize")(stream));
    is("a capture after a wait", 901, find("cuStreamEndCapture")(stream, &graph));
    CU(cuStreamBeginCapture_v2, stream, 0);
    CU(cuStreamIsCapturing, stream, &status);
    is("a captured stream", 1, status);
    CU(cuMemsetD32Async, address, 1, (size_t)1, stream);
    is("a captured launch", 0,
       find("cuLaunchKernel")(kernel(module, "store"), 1u, 1u, 1u, 1u, 1u, 1u, 0u, stream,
                              arguments, NULL));
    CU(cuStreamEndCapture, stream, &graph);
    CU(cuMemsetD32_v2, address, 5, (size_t)1);
    CU(cuGraphInstantiateWithFlags, &exec, graph, (uint64_t)0);
    CU(cuMemcpyDtoH_v2, &value, address, sizeof value);
    is("nothing ran yet", 5, value);
    CU(cuGraphLaunch, exec, stream);
    CU(cuMemcpyDtoH_v2, &value, address, sizeof value);
    is("the graph ran", 7, value);
    CU(cuGraphExecDestroy, exec);
    CU(cuGraphDestroy, graph);
    CU(cuStreamDestroy_v2, stream);
    CU(cuMemFree_v2, address);
}

static void check_linking(void)
{
    void *link = NULL, *image = NULL, *module = NULL;
    size_t bytes = 0;
    char log[8] = "kept";
    int options[] = {3};
    void *values[] = {log};
    CU(cuLinkCreate_v2, 1, options, values, &link);
    is("an empty log", 0, log[0]);
    CU(cuLinkAddData_v2, link, 1, ptx, sizeof ptx, "ptx", 0, NULL, NULL);
    is("a second text", 801,
       find("cuLinkAddData_v2")(link, 1, ptx, sizeof ptx, "ptx", 0, NULL, NULL));
    CU(cuLinkComplete, link, &image, &bytes);
    CU(cuModuleLoadData, &module, image);
    CU(cuLinkDestroy, link);
    kernel(module, "scale");
    CU(cuModuleUnload, module);
}

/* The attributes of cuLaunchKernelEx, as cuda.h has them. */
struct attribute {
    int id, pad;
    union {
        unsigned cluster[3];
        char all[64];
    } value;
};
struct config {
    unsigned grid[3], block[3], smem_bytes;
    void *stream;
    const struct attribute *attributes;
    unsigned attribute_count;
};

static int launch_clusters(void *function, unsigned blocks, unsigned cluster, void **arguments)
{
    const struct attribute attribute = {.id = 4, .value = {.cluster = {cluster, 1, 1}}};
    const struct config config = {.grid = {blocks, 1, 1},
                                  .block = {32, 1, 1},
                                  .attributes = &attribute,
                                  .attribute_count = 1};
    return find("cuLaunchKernelEx")(&config, function, arguments, NULL);
}

/* Above 8 blocks a cluster needs an attribute of the kernel. */
static void check_large_clusters(void *rank, int has_clusters, void **arguments)
{
    enum { ALLOWED = 14 };
    const struct attribute attribute = {.id = 4, .value = {.cluster = {16, 1, 1}}};
    const struct config config = {
        .grid = {16, 1, 1}, .block = {32, 1, 1}, .attributes = &attribute, .attribute_count = 1};
    int clusters = -1, size = -1, allowed = -1;
    is("16 without the attribute", 912, launch_clusters(rank, 16, 16, arguments));
    if (!has_clusters)
        return;
    CU(cuOccupancyMaxPotentialClusterSize, &size, rank, &config);
    is("the largest portable cluster", 8, size);
    CU(cuFuncSetAttribute, rank, ALLOWED, 1);
    CU(cuFuncGetAttribute, &allowed, ALLOWED, rank);
    is("the attribute", 1, allowed);
    is("16 with the attribute", 0, launch_clusters(rank, 16, 16, arguments));
    CU(cuOccupancyMaxActiveClusters, &clusters, rank, &config);
    is("clusters of 16", 58, clusters);
    CU(cuOccupancyMaxPotentialClusterSize, &size, rank, &config);
    is("the largest cluster", 16, size);
    CU(cuFuncSetAttribute, rank, ALLOWED, 0);
    const struct config part = {
        .grid = {17, 1, 1}, .block = {32, 1, 1}, .attributes = &attribute, .attribute_count = 1};
    const struct config none = {.block = {32, 1, 1}};
    is("resident clusters of a part of a grid", 912,
       find("cuOccupancyMaxActiveClusters")(&clusters, rank, &part));
    is("resident clusters without a grid", 1,
       find("cuOccupancyMaxActiveClusters")(&clusters, rank, &none));
}

/* Launches with several faults get the error of the one that the driver looks at first; the errors
   are those of an H100 (driver 580). */
static void check_order(void *rank, void **arguments)
{
    static const struct {
        const char *name;
        unsigned grid, threads, cluster, smem_bytes, is_cooperative;
        int error;
    } wrong[] = {
        {"too many threads before a cluster that does not divide the grid", 3, 1025, 2, 0, 0, 1},
        {"no grid before a cooperative launch", 0, 32, 2, 0, 1, 1},
        {"a cluster that does not divide the grid before shared memory", 3, 32, 2, 60000, 0, 912},
        {"a large cluster that is not allowed before shared memory", 32, 32, 16, 60000, 0, 912},
        {"a cooperative grid that is too large", 132 * 64 + 1, 32, 1, 0, 1, 720},
        {"a cooperative grid of no resident block before shared memory", 1, 32, 1, 60000, 1, 720},
        {"shared memory without opting in", 2, 32, 2, 60000, 0, 1},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const struct attribute attributes[] = {
            {.id = 4, .value = {.cluster = {wrong[i].cluster, 1, 1}}},
            {.id = 2, .value = {.cluster = {wrong[i].is_cooperative}}},
        };
        const struct config config = {.grid = {wrong[i].grid, 1, 1},
                                      .block = {wrong[i].threads, 1, 1},
                                      .smem_bytes = wrong[i].smem_bytes,
                                      .attributes = attributes,
                                      .attribute_count = 2};
        is(wrong[i].name, wrong[i].error, find("cuLaunchKernelEx")(&config, rank, arguments, NULL));
    }
}

/* Blocks that make progress together. */
static void check_together(void *module)
{
    enum { BLOCKS = 6 };
    int host[32];
    uint64_t address = 0;
    int has_clusters = 0;
    void *arguments[] = {&address}, *rank = kernel(module, "rank");
    CU(cuDeviceGetAttribute, &has_clusters, 120, 0);
    CU(cuMemAlloc_v2, &address, sizeof host);
    CU(cuLaunchCooperativeKernel, kernel(module, "meet"), BLOCKS, 1u, 1u, 1u, 1u, 1u, 0u, NULL,
       arguments);
    CU(cuMemcpyDtoH_v2, host, address, sizeof host);
    for (int i = 0; i < BLOCKS; i++)
        is("what another block wrote", BLOCKS - 1 - i + 5, host[16 + i]);
    is("clusters", has_clusters ? 0 : 912, launch_clusters(rank, BLOCKS, 3, arguments));
    CU(cuMemcpyDtoH_v2, host, address, sizeof host);
    for (int i = 0; has_clusters && i < BLOCKS; i++)
        is("rank", 30 + i % 3, host[i]);
    is("no multiple of a cluster", 912, launch_clusters(rank, BLOCKS, 4, arguments));
    is("a cluster that is too large", 912, launch_clusters(rank, 64, 32, arguments));
    check_large_clusters(rank, has_clusters, arguments);
    if (has_clusters)
        check_order(rank, arguments);
    is("no clusters", 0, launch(rank, BLOCKS, 32, 0, arguments));
    CU(cuMemcpyDtoH_v2, host, address, sizeof host);
    is("the only block of a cluster", 10, host[BLOCKS - 1]);
    CU(cuMemFree_v2, address);
}

static void check_errors(void *module)
{
    uint64_t address;
    int value = 0;
    const char *name = NULL;
    void *function, *shared = kernel(module, "shared");
    is("too many threads", 1, launch(shared, 1, 2048, 4, NULL));
    is("no threads", 1, launch(shared, 1, 0, 4, NULL));
    is("too much shared memory", 1, launch(shared, 1, 32, 64 << 10, NULL));
    CU(cuFuncSetAttribute, shared, 8, 64 << 10);
    is("opted in", 0, launch(shared, 1, 32, 64 << 10, NULL));
    is("more than there is", 1, find("cuFuncSetAttribute")(shared, 8, 1 << 20));
    is("out of memory", 2, find("cuMemAlloc_v2")(&address, (size_t)1 << 50));
    is("no such kernel", 500, find("cuModuleGetFunction")(&function, module, "absent"));
    is("a copy beyond the end", 1, find("cuMemcpyDtoH_v2")(&value, (uint64_t)4096, (size_t)4));
    is("a cooperative launch that is too large", 720,
       find("cuLaunchCooperativeKernel")(shared, 1u << 20, 1u, 1u, 32u, 1u, 1u, 4u, NULL, NULL));
    CU(cuOccupancyMaxActiveBlocksPerMultiprocessor, &value, shared, 1024, (size_t)0);
    is("resident blocks", 2, value);
    CU(cuGetErrorName, 700, &name);
    is("the name of an error", 0, strcmp(name, "CUDA_ERROR_ILLEGAL_ADDRESS"));
    is("nothing stays wrong", 0, find("cuCtxSynchronize")());
}

static void check_proc_address(void)
{
    void *found = NULL;
    int status = -1;
    CU(cuGetProcAddress_v2, "cuMemAlloc", &found, 12000, (uint64_t)0, &status);
    is("cuMemAlloc is its newest version", 1, found == dlsym(library, "cuMemAlloc_v2"));
    is("no such call", 500,
       find("cuGetProcAddress_v2")("cuAbsent", &found, 12000, (uint64_t)0, &status));
    is("its status", 1, status);
}

/* The grid's barrier with a wait that acquires nothing. */
static void check_unacquired(void)
{
    static const char acquire[] = "ld.acquire.gpu", relaxed[] = "ld.relaxed.gpu";
    char text[sizeof ptx];
    uint64_t address = 0;
    void *arguments[] = {&address};
    memcpy(text, ptx, sizeof text);
    memcpy(strstr(text, acquire), relaxed, strlen(relaxed));
    void *module = start(text);
    CU(cuMemAlloc_v2, &address, (size_t)128);
    CU(cuLaunchCooperativeKernel, kernel(module, "meet"), 6u, 1u, 1u, 1u, 1u, 1u, 0u, NULL,
       arguments);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "good";
    uint64_t address = 64;
    void *arguments[] = {&address};
    library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library) {
        puts(dlerror());
        return 99;
    }
    if (strcmp(what, "good") == 0) {
        void *module = start(ptx);
        check_device();
        check_launches(module);
        check_arrays(module);
        check_graphs(module);
        check_linking();
        check_together(module);
        check_errors(module);
        check_proc_address();
        CU(cuModuleUnload, module);
    } else if (strcmp(what, "bounds") == 0) { /* a GPU does not notice */
        void *module = start(ptx);
        CU(cuMemAlloc_v2, &address, (size_t)256);
        address += 256;
        is("a launch", 0, launch(kernel(module, "store"), 1, 1, 0, arguments));
        is("synchronized", 0, find("cuCtxSynchronize")());
        uint64_t next = 0; /* what follows is not hit */
        CU(cuMemAlloc_v2, &address, (size_t)4);
        CU(cuMemAlloc_v2, &next, (size_t)4096);
        address += 1024;
        is("a launch", 0, launch(kernel(module, "store"), 1, 1, 0, arguments));
        is("synchronized", 0, find("cuCtxSynchronize")());
    } else if (strcmp(what, "wild") == 0) {
        void *module = start(ptx);
        void *store = kernel(module, "store");
        is("a launch", 0, launch(store, 1, 1, 0, arguments));
        is("synchronized", 700, find("cuCtxSynchronize")());
        is("it stays", 700, launch(store, 1, 1, 0, arguments));
    } else if (strcmp(what, "unacquired") == 0) {
        check_unacquired();
    } else if (strcmp(what, "refused") == 0) {
        static const char code[64] = "\177ELF\2\1\1"; /* a header */
        void *module;
        start(NULL);
        is("machine code", 209, find("cuModuleLoadData")(&module, code));
    }
    return failures;
}
