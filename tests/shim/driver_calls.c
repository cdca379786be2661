/* The calls of CUDA's driver for devices, contexts, modules, functions and launches: what they do,
   and each error of cuda.h that a program can get from them. The exit status is 99 if anything is
   otherwise.
     driver_calls FOLDER   FOLDER: for files */
#include "tests/shim/calls.h"

static const char ptx[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".global .align 4 .u32 value = 5;\n"
    ".extern .shared .align 4 .b8 dynamic[];\n"
    ".visible .entry store(.param .u64 p, .param .u32 v) {\n"
    ".reg .b32 %r<2>; .reg .b64 %d<2>; ld.param.u64 %d1, [p]; ld.param.u32 %r1, [v];\n"
    "st.global.u32 [%d1], %r1; ret; }\n"
    ".visible .entry fail() { trap; ret; }\n"
    ".visible .entry limited() .maxntid 64, 1, 1 { ret; }\n"
    ".visible .entry required() .reqntid 8, 4, 1 { ret; }\n"
    ".visible .entry shared() { .reg .b32 %r<2>; .shared .align 4 .b8 own[1024];\n"
    "mov.u32 %r1, 1; st.shared.u32 [own], %r1; st.shared.u32 [dynamic], %r1; ret; }\n"
    ".visible .entry unknown() { no.such.instruction; ret; }\n";

/* Calls that return what an earlier launch did wrong, or that the driver is not initialized: before
   they look at any argument. */
/* clang-format off */
static const char *const waiting_calls[] = {
    "cuArray3DCreate_v2", "cuArray3DGetDescriptor_v2", "cuArrayGetDescriptor_v2",
    "cuArrayDestroy", "cuMemcpy3D_v2", "cuMemcpy3DAsync_v2", "cuMemcpyHtoA_v2",
    "cuMemcpyAtoH_v2", "cuMemcpyDtoA_v2", "cuMemcpyAtoD_v2", "cuTexObjectCreate",
    "cuSurfObjectCreate", "cuTexObjectDestroy", "cuSurfObjectDestroy",
    "cuTexObjectGetResourceDesc", "cuTexObjectGetTextureDesc", "cuSurfObjectGetResourceDesc",
    "cuModuleLoadData", "cuModuleLoad", "cuModuleUnload", "cuModuleGetFunction",
    "cuModuleGetGlobal_v2", "cuLinkCreate_v2", "cuLinkAddData_v2", "cuLinkAddFile_v2",
    "cuLinkComplete", "cuLinkDestroy", "cuFuncGetAttribute", "cuFuncSetAttribute",
    "cuFuncGetParamInfo", "cuLaunchKernel", "cuLaunchKernelEx", "cuLaunchCooperativeKernel",
    "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", "cuOccupancyMaxPotentialBlockSize",
    "cuOccupancyAvailableDynamicSMemPerBlock", "cuMemAlloc_v2", "cuMemAllocManaged",
    "cuMemAllocPitch_v2", "cuMemAllocAsync", "cuMemFree_v2", "cuMemFreeAsync", "cuMemHostAlloc",
    "cuMemFreeHost", "cuMemHostGetDevicePointer_v2", "cuMemHostGetFlags",
    "cuMemHostRegister_v2", "cuMemHostUnregister", "cuMemGetInfo_v2", "cuMemGetAddressRange_v2",
    "cuMemcpy", "cuMemcpyAsync", "cuMemcpyHtoD_v2", "cuMemcpyHtoDAsync_v2", "cuMemcpyDtoH_v2",
    "cuMemcpyDtoHAsync_v2", "cuMemcpyDtoD_v2", "cuMemcpyDtoDAsync_v2", "cuMemsetD8_v2",
    "cuMemsetD16_v2", "cuMemsetD32_v2", "cuMemsetD8Async", "cuMemsetD16Async",
    "cuMemsetD32Async", "cuMemsetD2D8_v2", "cuMemsetD2D16_v2", "cuMemsetD2D32_v2",
    "cuMemsetD2D8Async", "cuMemsetD2D16Async", "cuMemsetD2D32Async", "cuPointerGetAttribute",
    "cuStreamCreateWithPriority", "cuStreamSynchronize", "cuStreamWaitEvent", "cuEventCreate",
    "cuEventRecord", "cuEventElapsedTime", "cuCtxSynchronize", "cuGraphCreate",
    "cuGraphDestroy", "cuGraphClone", "cuGraphAddMemcpyNode", "cuGraphAddMemsetNode",
    "cuGraphAddHostNode", "cuGraphAddEmptyNode", "cuGraphAddChildGraphNode",
    "cuGraphAddDependencies", "cuGraphGetNodes", "cuGraphGetRootNodes",
    "cuGraphInstantiateWithFlags", "cuGraphLaunch", "cuGraphExecUpdate_v2",
    "cuStreamBeginCapture_v2", "cuStreamEndCapture", "cuStreamIsCapturing"};
/* clang-format on */

static void all_return(int error)
{
    for (size_t i = 0; i < sizeof waiting_calls / sizeof *waiting_calls; i++)
        expect(__LINE__, waiting_calls[i], error,
               find(waiting_calls[i])(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                                      NULL));
}

static void *function_of(void *module, const char *name)
{
    void *function = NULL;
    CALL(CUDA_SUCCESS, cuModuleGetFunction, &function, module, name);
    return function;
}

static int launch(void *function, unsigned x, unsigned y, unsigned z, unsigned smem, void **values)
{
    return find("cuLaunchKernel")(function, 1u, 1u, 1u, x, y, z, smem, NULL, values, NULL);
}

/* --- The device and contexts ------------------------------------------------------------------ */

static void check_start(void)
{
    int number = -1;
    all_return(CUDA_ERROR_NOT_INITIALIZED);
    CALL(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGetCount, &number);
    CALL(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGet, &number, 0);
    CALL(CUDA_ERROR_INVALID_VALUE, cuInit, 1u);
    CALL(CUDA_SUCCESS, cuInit, 0u);
    CALL(CUDA_SUCCESS, cuDeviceGetCount, &number);
    IS(1, number);
    CALL(CUDA_SUCCESS, cuDeviceGet, &number, 0);
    IS(0, number);
}

/* Of the default device, NVIDIA's H200. */
static void check_attributes(void)
{
    static const struct {
        int attribute, value;
    } known[] = {{1, 1024},    {2, 1024},  {3, 1024},    {4, 64},        {5, INT32_MAX},
                 {6, 65535},   {7, 65535}, {8, 49152},   {9, 65536},     {10, 32},
                 {12, 65536},  {16, 132},  {37, 6016},   {38, 62914560}, {39, 2048},
                 {75, 9},      {76, 0},    {81, 233472}, {82, 65536},    {95, 1},
                 {97, 232448}, {106, 32},  {111, 1024},  {120, 1},       {200, 0}};
    int value = 0, major = 0, minor = -1;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        CALL(CUDA_SUCCESS, cuDeviceGetAttribute, &value, known[i].attribute, 0);
        expect(known[i].attribute, "attribute", known[i].value, value);
    }
    CALL(CUDA_SUCCESS, cuDeviceGetAttribute, &value, 13, 0); /* of the clock, of the memory's */
    IS(1, value > 0);
    CALL(CUDA_SUCCESS, cuDeviceGetAttribute, &value, 36, 0);
    IS(1, value > 0);
    CALL(CUDA_ERROR_INVALID_VALUE, cuDeviceGetAttribute, &value, 0, 0);
    CALL(CUDA_SUCCESS, cuDeviceComputeCapability, &major, &minor, 0);
    IS(90, major * 10 + minor);
}

static void check_device(void)
{
    char text[32], uuid[2][16];
    int value = -1;
    uint32_t mask = 1;
    size_t bytes[2] = {0, 0}, left;
    CALL(CUDA_SUCCESS, cuDeviceGetName, text, 4, 0);
    IS(0, strcmp(text, "NVI"));
    CALL(CUDA_SUCCESS, cuDeviceGetUuid, uuid[0], 0);
    CALL(CUDA_SUCCESS, cuDeviceGetUuid_v2, uuid[1], 0);
    IS(0, memcmp(uuid[0], uuid[1], sizeof uuid[0]));
    CALL(CUDA_SUCCESS, cuDeviceGetLuid, text, &mask, 0);
    IS(0, mask);
    CALL(CUDA_SUCCESS, cuDeviceTotalMem_v2, &bytes[0], 0);
    CALL(CUDA_SUCCESS, cuMemGetInfo_v2, &left, &bytes[1]);
    IS(bytes[0], bytes[1]);
    CALL(CUDA_SUCCESS, cuDeviceGetPCIBusId, text, (int)sizeof text, 0);
    IS(0, strcmp(text, "0000:00:00.0"));
    CALL(CUDA_SUCCESS, cuDeviceGetByPCIBusId, &value, text);
    IS(0, value);
    CALL(CUDA_SUCCESS, cuDeviceCanAccessPeer, &value, 0, 0);
    IS(0, value);
}

static void check_absent_device(void)
{
    char text[32];
    int value, other;
    uint32_t flags;
    size_t bytes;
    void *handle;
    CALL(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet, &value, 1);
    CALL(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetName, text, 8, 1);
    CALL(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetUuid, text, 1);
    CALL(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetUuid_v2, text, 1);
    CALL(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetLuid, text, &flags, 1);
    CALL(CUDA_ERROR_INVALID_DEVICE, cuDeviceTotalMem_v2, &bytes, 1);
    CALL(CUDA_ERROR_INVALID_DEVICE, cuDeviceComputeCapability, &value, &other, 1);
    CALL(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetAttribute, &value, 10, 1);
    CALL(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetPCIBusId, text, 8, 1);
    CALL(CUDA_ERROR_INVALID_DEVICE, cuDeviceCanAccessPeer, &value, 0, 1);
    CALL(CUDA_ERROR_INVALID_DEVICE, cuDeviceCanAccessPeer, &value, 1, 0);
    CALL(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetP2PAttribute, &value, 1, 0, 1);
    CALL(CUDA_ERROR_INVALID_DEVICE, cuDevicePrimaryCtxRetain, &handle, 1);
    CALL(CUDA_ERROR_INVALID_DEVICE, cuDevicePrimaryCtxRelease_v2, 1);
    CALL(CUDA_ERROR_INVALID_DEVICE, cuDevicePrimaryCtxSetFlags_v2, 1, 3u);
    CALL(CUDA_ERROR_INVALID_DEVICE, cuDevicePrimaryCtxGetState, 1, &flags, &value);
    CALL(CUDA_ERROR_INVALID_DEVICE, cuCtxCreate_v2, &handle, 0u, 1);
    CALL(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetDefaultMemPool, &handle, 1);
}

static void check_contexts(void)
{
    void *primary, *made, *seen = &seen;
    uint32_t flags = 9, version = 0;
    int active = -1, device = -1;
    CALL(CUDA_SUCCESS, cuDevicePrimaryCtxSetFlags_v2, 0, 4u);
    CALL(CUDA_SUCCESS, cuDevicePrimaryCtxGetState, 0, &flags, &active);
    IS(4, flags);
    IS(0, active);
    CALL(CUDA_SUCCESS, cuCtxGetCurrent, &seen);
    IS(1, seen == NULL);
    CALL(CUDA_SUCCESS, cuCtxCreate_v2, &made, 1u, 0);
    CALL(CUDA_SUCCESS, cuCtxGetCurrent, &seen);
    IS(1, seen == made);
    CALL(CUDA_SUCCESS, cuCtxGetFlags, &flags);
    IS(1, flags);
    CALL(CUDA_SUCCESS, cuCtxPopCurrent_v2, &seen);
    IS(1, seen == made);
    CALL(CUDA_SUCCESS, cuCtxPushCurrent_v2, made);
    CALL(CUDA_SUCCESS, cuCtxGetApiVersion, made, &version);
    IS(1, version > 0);
    CALL(CUDA_SUCCESS, cuCtxDestroy_v2, made);
    CALL(CUDA_SUCCESS, cuCtxCreate_v3, &made, NULL, 0, 2u, 0);
    CALL(CUDA_SUCCESS, cuCtxDestroy_v2, made);
    CALL(CUDA_SUCCESS, cuCtxCreate_v4, &made, NULL, 2u, 0);
    CALL(CUDA_SUCCESS, cuDevicePrimaryCtxRetain, &primary, 0);
    CALL(CUDA_SUCCESS, cuCtxSetCurrent, primary);
    CALL(CUDA_SUCCESS, cuCtxDestroy_v2, made);
    CALL(CUDA_SUCCESS, cuCtxGetCurrent, &seen); /* another one was destroyed */
    IS(1, seen == primary);
    CALL(CUDA_SUCCESS, cuDevicePrimaryCtxGetState, 0, &flags, &active);
    IS(1, active);
    CALL(CUDA_SUCCESS, cuCtxGetDevice, &device);
    IS(0, device);
    CALL(CUDA_SUCCESS, cuCtxPopCurrent_v2, NULL);
    CALL(CUDA_SUCCESS, cuCtxSetCurrent, primary);
    CALL(CUDA_SUCCESS, cuDevicePrimaryCtxRelease_v2, 0);
}

static void check_settings(void)
{
    size_t value = 0;
    int config = -1, least = 1, greatest = 1;
    for (int limit = 0; limit < 8; limit++) {
        CALL(CUDA_SUCCESS, cuCtxSetLimit, limit, SIZE(4096 + limit));
        CALL(CUDA_SUCCESS, cuCtxGetLimit, &value, limit);
        IS(4096 + limit, value);
    }
    CALL(CUDA_ERROR_INVALID_VALUE, cuCtxSetLimit, -1, SIZE(1));
    CALL(CUDA_ERROR_INVALID_VALUE, cuCtxSetLimit, 99, SIZE(1));
    CALL(CUDA_ERROR_INVALID_VALUE, cuCtxGetLimit, &value, -1);
    CALL(CUDA_ERROR_INVALID_VALUE, cuCtxGetLimit, &value, 99);
    for (int i = -1; i <= 4; i++)
        CALL(i < 0 || i > 3 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS, cuCtxSetCacheConfig, i);
    for (int i = -1; i <= 3; i++)
        CALL(i < 0 || i > 2 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS, cuCtxSetSharedMemConfig, i);
    CALL(CUDA_SUCCESS, cuCtxGetCacheConfig, &config);
    IS(0, config);
    CALL(CUDA_SUCCESS, cuCtxGetSharedMemConfig, &config);
    IS(1, config); /* banks of 4 bytes */
    CALL(CUDA_SUCCESS, cuCtxGetStreamPriorityRange, &least, &greatest);
    IS(0, least);
    IS(1, greatest < 0);
    CALL(CUDA_SUCCESS, cuCtxGetStreamPriorityRange, NULL, NULL);
}

static void check_error_names(void)
{
#define ERROR(driver, runtime, number) {number, #driver},
    static const struct {
        int number;
        const char *name;
    } errors[] = {CUDA_ERRORS(ERROR)};
#undef ERROR
    const char *text;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        CALL(CUDA_SUCCESS, cuGetErrorName, errors[i].number, &text);
        expect(__LINE__, errors[i].name, 0, strcmp(text, errors[i].name));
        CALL(CUDA_SUCCESS, cuGetErrorString, errors[i].number, &text);
        expect(__LINE__, errors[i].name, 1, text && text[0]);
    }
    CALL(CUDA_ERROR_INVALID_VALUE, cuGetErrorName, 12345, &text);
    IS(1, text == NULL);
    CALL(CUDA_ERROR_INVALID_VALUE, cuGetErrorString, 12345, &text);
    IS(1, text == NULL);
}

static void check_finding(void)
{
    void *found = NULL;
    int status = -1;
    const void *table = &table;
    const uint8_t unknown[16] = {1};
    CALL(CUDA_SUCCESS, cuGetProcAddress, "cuInit", &found, 12000, (uint64_t)0);
    IS(1, found == dlsym(library, "cuInit"));
    CALL(CUDA_SUCCESS, cuGetProcAddress_v2, "cuCtxCreate", &found, 12000, (uint64_t)0, &status);
    IS(1, found == dlsym(library, "cuCtxCreate_v2"));
    IS(0, status);
    CALL(CUDA_SUCCESS, cuGetProcAddress_v2, "cuCtxCreate", &found, 13000, (uint64_t)0, &status);
    IS(1, found == dlsym(library, "cuCtxCreate_v4"));
    CALL(CUDA_ERROR_NOT_FOUND, cuGetProcAddress, "cuNoCall", &found, 12000, (uint64_t)0);
    CALL(CUDA_ERROR_INVALID_VALUE, cuGetExportTable, &table, unknown);
    IS(1, table == NULL);
}

/* --- Modules and functions -------------------------------------------------------------------- */

static void *pointer_to(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0) {
        perror(path);
        exit(99);
    }
}

static void check_modules(const char *folder)
{
    struct {
        uint32_t magic, version;
        const void *image, *file;
    } const wrapper = {0x466243b1, 1, ptx, NULL}; /* as nvcc makes them */
    char path[4096], absent[4096];
    void *module = NULL, *same, *kernel, *function;
    uint64_t address = 0;
    size_t bytes = 0;
    int mode = 0;
    snprintf(path, sizeof path, "%s/module.ptx", folder);
    snprintf(absent, sizeof absent, "%s/absent.ptx", folder);
    CALL(CUDA_ERROR_INVALID_VALUE, cuModuleLoadData, &module, NULL);
    CALL(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadData, &module, "this is no text of PTX");
    CALL(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadData, &module, ".version 8.0\n.address_size 64\n");
    CALL(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadData, &module, ".version 8.0\n.target cm_90\n");
    CALL(CUDA_ERROR_NO_BINARY_FOR_GPU, cuModuleLoadData, &module,
         ".version 8.7\n.target sm_120\n.address_size 64\n");
    CALL(CUDA_SUCCESS, cuModuleLoadFatBinary, &module, &wrapper);
    CALL(CUDA_SUCCESS, cuModuleUnload, module);
    CALL(CUDA_ERROR_INVALID_HANDLE, cuModuleUnload, module);
    CALL(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction, &function, module, "store");
    CALL(CUDA_ERROR_FILE_NOT_FOUND, cuModuleLoad, &module, absent);
    write_file(path, "short");
    CALL(CUDA_ERROR_INVALID_IMAGE, cuModuleLoad, &module, path);
    write_file(path, ptx);
    CALL(CUDA_SUCCESS, cuModuleLoad, &module, path);
    CALL(CUDA_SUCCESS, cuModuleGetGlobal_v2, &address, &bytes, module, "value");
    IS(4, bytes);
    IS(5, *(const int *)pointer_to(address)); /* its initial value */
    CALL(CUDA_SUCCESS, cuModuleGetGlobal_v2, NULL, NULL, module, "value");
    CALL(CUDA_ERROR_NOT_FOUND, cuModuleGetGlobal_v2, &address, &bytes, module, "absent");
    CALL(CUDA_SUCCESS, cuModuleUnload, module);
    CALL(CUDA_ERROR_NOT_FOUND, cuModuleGetGlobal_v2, &address, &bytes, module, "value");
    CALL(CUDA_SUCCESS, cuModuleGetLoadingMode, &mode);
    IS(1, mode); /* eager */
    CALL(CUDA_SUCCESS, cuLibraryLoadFromFile, &module, path, NULL, NULL, 0u, NULL, NULL, 0u);
    CALL(CUDA_SUCCESS, cuLibraryGetModule, &same, module);
    CALL(CUDA_SUCCESS, cuLibraryGetKernel, &kernel, module, "store");
    CALL(CUDA_SUCCESS, cuKernelGetFunction, &function, kernel);
    IS(1, function == function_of(same, "store"));
    CALL(CUDA_SUCCESS, cuLibraryGetGlobal, &address, &bytes, module, "value");
    CALL(CUDA_ERROR_NOT_FOUND, cuLibraryGetManaged, &address, &bytes, module, "absent");
    CALL(CUDA_SUCCESS, cuLibraryUnload, module);
    CALL(CUDA_ERROR_INVALID_HANDLE, cuLibraryUnload, module);
    CALL(CUDA_SUCCESS, cuLibraryLoadData, &module, ptx, NULL, NULL, 0u, NULL, NULL, 0u);
    CALL(CUDA_SUCCESS, cuLibraryUnload, module);
    void *link, *image;
    CALL(CUDA_SUCCESS, cuLinkCreate_v2, 0u, NULL, NULL, &link);
    CALL(CUDA_ERROR_INVALID_VALUE, cuLinkComplete, link, &image, &bytes);
    CALL(CUDA_ERROR_NOT_SUPPORTED, cuLinkAddData_v2, link, 0, "cubin", SIZE(5), "cubin", 0u, NULL,
         NULL);
    CALL(CUDA_ERROR_NOT_SUPPORTED, cuLinkAddFile_v2, link, 0, path, 0u, NULL, NULL);
    CALL(CUDA_ERROR_FILE_NOT_FOUND, cuLinkAddFile_v2, link, 1, absent, 0u, NULL, NULL);
    CALL(CUDA_SUCCESS, cuLinkAddFile_v2, link, 1, path, 0u, NULL, NULL);
    CALL(CUDA_SUCCESS, cuLinkComplete, link, &image, NULL);
    CALL(CUDA_SUCCESS, cuModuleLoadDataEx, &module, image, 0u, NULL, NULL);
    CALL(CUDA_SUCCESS, cuModuleUnload, module);
    CALL(CUDA_SUCCESS, cuLinkDestroy, link);
}

static void attribute_is(int line, void *function, int attribute, int expected)
{
    int value = -1;
    CALL(CUDA_SUCCESS, cuFuncGetAttribute, &value, attribute, function);
    expect(line, "attribute of a function", expected, value);
}

static void check_functions(void *module)
{
    void *shared = function_of(module, "shared"), *limited = function_of(module, "limited");
    void *store = function_of(module, "store"), *unknown = function_of(module, "unknown"), *owner;
    int value = 0;
    size_t offset = 9, bytes = 9;
    const char *name = NULL;
    attribute_is(__LINE__, shared, 0, 1024);
    attribute_is(__LINE__, limited, 0, 64);
    attribute_is(__LINE__, shared, 1, 1024);
    attribute_is(__LINE__, shared, 2, 0);
    attribute_is(__LINE__, shared, 3, 0);
    attribute_is(__LINE__, shared, 4, 0); /* registers: not known without machine code */
    attribute_is(__LINE__, shared, 5, 90);
    attribute_is(__LINE__, shared, 6, 90);
    attribute_is(__LINE__, shared, 8, 49152 - 1024);
    attribute_is(__LINE__, shared, 9, -1);
    CALL(CUDA_SUCCESS, cuFuncSetAttribute, shared, 8, 65536);
    attribute_is(__LINE__, shared, 8, 65536);
    CALL(CUDA_ERROR_INVALID_VALUE, cuFuncSetAttribute, shared, 8, -1);
    CALL(CUDA_ERROR_INVALID_VALUE, cuFuncSetAttribute, shared, 8, 232448); /* with its own */
    CALL(CUDA_SUCCESS, cuKernelSetAttribute, 9, 50, shared, 0);
    CALL(CUDA_SUCCESS, cuKernelGetAttribute, &value, 9, shared, 0);
    IS(50, value);
    CALL(CUDA_ERROR_INVALID_VALUE, cuFuncSetAttribute, shared, 9, -2);
    CALL(CUDA_ERROR_INVALID_VALUE, cuFuncSetAttribute, shared, 9, 101);
    CALL(CUDA_ERROR_INVALID_HANDLE, cuFuncGetAttribute, &value, 0, NULL);
    CALL(CUDA_ERROR_INVALID_HANDLE, cuFuncSetAttribute, NULL, 9, 0);
    CALL(CUDA_SUCCESS, cuFuncSetCacheConfig, shared, 1);
    CALL(CUDA_ERROR_INVALID_VALUE, cuFuncSetCacheConfig, shared, -1);
    CALL(CUDA_ERROR_INVALID_VALUE, cuFuncSetCacheConfig, shared, 4);
    CALL(CUDA_SUCCESS, cuFuncSetSharedMemConfig, shared, 2);
    CALL(CUDA_ERROR_INVALID_VALUE, cuFuncSetSharedMemConfig, shared, 3);
    CALL(CUDA_SUCCESS, cuFuncGetModule, &owner, shared);
    IS(1, owner == module);
    CALL(CUDA_SUCCESS, cuFuncGetName, &name, shared);
    IS(0, strcmp(name, "shared"));
    CALL(CUDA_SUCCESS, cuFuncLoad, shared);
    CALL(CUDA_SUCCESS, cuFuncIsLoaded, &value, shared);
    IS(1, value);
    CALL(CUDA_SUCCESS, cuFuncGetParamInfo, store, SIZE(1), &offset, &bytes);
    IS(8, offset);
    IS(4, bytes);
    CALL(CUDA_SUCCESS, cuFuncGetParamInfo, store, SIZE(0), &offset, NULL);
    IS(0, offset);
    CALL(CUDA_ERROR_INVALID_VALUE, cuFuncGetParamInfo, store, SIZE(2), &offset, &bytes);
    /* A kernel that cannot be emulated is refused by whatever looks into it. */
    CALL(CUDA_ERROR_NOT_SUPPORTED, cuFuncGetAttribute, &value, 1, unknown);
    CALL(CUDA_ERROR_NOT_SUPPORTED, cuFuncSetAttribute, unknown, 8, 1024);
    CALL(CUDA_ERROR_NOT_SUPPORTED, cuFuncGetParamInfo, unknown, SIZE(0), &offset, &bytes);
    CALL(CUDA_ERROR_NOT_SUPPORTED, cuOccupancyMaxActiveBlocksPerMultiprocessor, &value, unknown, 32,
         SIZE(0));
    CALL(CUDA_ERROR_NOT_SUPPORTED, cuOccupancyMaxPotentialBlockSize, &value, &value, unknown, NULL,
         SIZE(0), 0);
    CALL(CUDA_ERROR_NOT_SUPPORTED, cuOccupancyAvailableDynamicSMemPerBlock, &bytes, unknown, 1, 32);
    IS(CUDA_ERROR_NOT_SUPPORTED, launch(unknown, 1, 1, 1, 0, NULL));
}

static size_t smem_of(int threads)
{
    return 200 * SIZE(threads);
}

static void check_occupancy(void *module)
{
    void *limited = function_of(module, "limited"), *shared = function_of(module, "shared");
    void *store = function_of(module, "store");
    int blocks = 0, grid = 0, block = 0;
    size_t bytes = 0;
    CALL(CUDA_SUCCESS, cuOccupancyMaxActiveBlocksPerMultiprocessor, &blocks, store, 256, SIZE(0));
    IS(8, blocks);
    CALL(CUDA_SUCCESS, cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, &blocks, store, 32,
         SIZE(0), 1u);
    IS(32, blocks);
    CALL(CUDA_ERROR_INVALID_VALUE, cuOccupancyMaxActiveBlocksPerMultiprocessor, &blocks, NULL, 32,
         SIZE(0));
    CALL(CUDA_ERROR_INVALID_VALUE, cuOccupancyMaxActiveBlocksPerMultiprocessor, &blocks, store, 0,
         SIZE(0));
    CALL(CUDA_SUCCESS, cuOccupancyMaxPotentialBlockSize, &grid, &block, store, NULL, SIZE(0), 0);
    IS(1024, block);
    IS(2 * 132, grid);
    CALL(CUDA_SUCCESS, cuOccupancyMaxPotentialBlockSizeWithFlags, &grid, &block, store, NULL,
         SIZE(0), 100, 0u);
    IS(1, block <= 100 && block * (grid / 132) <= 2048);
    CALL(CUDA_SUCCESS, cuOccupancyMaxPotentialBlockSize, &grid, &block, limited, NULL, SIZE(0), 0);
    IS(64, block);
    CALL(CUDA_SUCCESS, cuOccupancyMaxPotentialBlockSize, &grid, &block, store, smem_of, SIZE(0), 0);
    IS(1, smem_of(block) <= 233472 && block * (grid / 132) >= 1024);
    CALL(CUDA_ERROR_INVALID_VALUE, cuOccupancyMaxPotentialBlockSize, &grid, &block, NULL, NULL,
         SIZE(0), 0);
    CALL(CUDA_ERROR_INVALID_VALUE, cuOccupancyMaxPotentialBlockSize, &grid, &block, shared, NULL,
         SIZE(1 << 20), 0); /* no block has so much */
    CALL(CUDA_SUCCESS, cuOccupancyAvailableDynamicSMemPerBlock, &bytes, store, 2, 1024);
    IS(48 << 10, bytes); /* what the kernel may have without opting in */
    CALL(CUDA_ERROR_INVALID_VALUE, cuOccupancyAvailableDynamicSMemPerBlock, &bytes, NULL, 2, 1024);
    CALL(CUDA_ERROR_INVALID_VALUE, cuOccupancyAvailableDynamicSMemPerBlock, &bytes, store, 0, 32);
    CALL(CUDA_ERROR_INVALID_VALUE, cuOccupancyAvailableDynamicSMemPerBlock, &bytes, store, 1, 0);
}

struct config {
    unsigned grid[3], block[3], smem_bytes;
    void *stream;
    const void *attributes;
    unsigned attribute_count;
};

static void check_launches(void *module)
{
    void *limited = function_of(module, "limited"), *required = function_of(module, "required");
    void *store = function_of(module, "store"), *shared = function_of(module, "shared");
    const struct config config = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    uint64_t address;
    uint32_t value = 7, seen = 0;
    size_t bytes = 4;
    char packed[12];
    CALL(CUDA_SUCCESS, cuMemAlloc_v2, &address, SIZE(4));
    void *arguments[] = {&address, &value}, *half[] = {&address, NULL};
    void *extra[] = {(void *)1, packed, (void *)2, &bytes, NULL};
    memcpy(packed, &address, 8);
    memcpy(packed + 8, &value, 4);
    IS(CUDA_ERROR_INVALID_HANDLE, launch(NULL, 1, 1, 1, 0, arguments));
    CALL(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernelEx, &config, NULL, arguments, NULL);
    CALL(CUDA_ERROR_INVALID_HANDLE, cuLaunchCooperativeKernel, NULL, 1u, 1u, 1u, 1u, 1u, 1u, 0u,
         NULL, arguments);
    IS(CUDA_ERROR_INVALID_VALUE, launch(store, 1, 1, 1, 0, NULL));
    IS(CUDA_ERROR_INVALID_VALUE, launch(store, 1, 1, 1, 0, half));
    CALL(CUDA_ERROR_INVALID_VALUE, cuLaunchKernelEx, &config, store, NULL, extra); /* too short */
    bytes = sizeof packed;
    CALL(CUDA_SUCCESS, cuLaunchKernelEx, &config, store, NULL, extra);
    CALL(CUDA_SUCCESS, cuMemcpyDtoH_v2, &seen, address, SIZE(4));
    IS(7, seen);
    IS(CUDA_SUCCESS, launch(limited, 64, 1, 1, 0, NULL));
    IS(CUDA_ERROR_INVALID_VALUE, launch(limited, 65, 1, 1, 0, NULL));
    IS(CUDA_SUCCESS, launch(required, 8, 4, 1, 0, NULL));
    IS(CUDA_ERROR_INVALID_VALUE, launch(required, 4, 8, 1, 0, NULL));
    IS(CUDA_ERROR_INVALID_VALUE, launch(limited, 1, 1, 65, 0, NULL));
    CALL(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel, limited, 1u, 65536u, 1u, 1u, 1u, 1u, 0u, NULL,
         NULL, NULL);
    CALL(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel, limited, 1u, 1u, 0u, 1u, 1u, 1u, 0u, NULL, NULL,
         NULL);
    IS(CUDA_SUCCESS, launch(shared, 1, 1, 1, 1024, NULL));
    IS(CUDA_ERROR_INVALID_VALUE, launch(shared, 1, 1, 1, 232448, NULL));
    CALL(CUDA_SUCCESS, cuMemFree_v2, address);
}

static void called(void *stream, int status, void *data)
{
    (void)stream;
    *(int *)data = status;
}

/* What a kernel did wrong stays until the context is reset, and every call returns it. */
static void check_sticky(void *module)
{
    void *fail = function_of(module, "fail"), *store = function_of(module, "store"), *stream;
    uint64_t address;
    uint32_t value = 1;
    void *arguments[] = {&address, &value};
    int status = -1;
    const struct {
        void *function;
        uint64_t address;
        int error;
    } wrong[] = {{fail, 0, CUDA_ERROR_LAUNCH_FAILED},
                 {store, 64, CUDA_ERROR_ILLEGAL_ADDRESS},
                 {store, 1, CUDA_ERROR_MISALIGNED_ADDRESS}};
    CALL(CUDA_SUCCESS, cuStreamCreate, &stream, 0u);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        uint64_t memory;
        CALL(CUDA_SUCCESS, cuMemAlloc_v2, &memory, SIZE(64));
        address = wrong[i].address == 1 ? memory + 1 : wrong[i].address;
        IS(CUDA_SUCCESS, launch(wrong[i].function, 1, 1, 1, 0, arguments));
        all_return(wrong[i].error);
        CALL(wrong[i].error, cuStreamQuery, stream);
        CALL(CUDA_SUCCESS, cuStreamAddCallback, stream, called, &status, 0u);
        IS(wrong[i].error, status);
        CALL(CUDA_ERROR_INVALID_DEVICE, cuDevicePrimaryCtxReset_v2, 1); /* another device's */
        CALL(wrong[i].error, cuCtxSynchronize, );
        CALL(CUDA_SUCCESS, cuDevicePrimaryCtxReset_v2, 0);
        CALL(CUDA_SUCCESS, cuCtxSynchronize, );
        CALL(CUDA_SUCCESS, cuMemFree_v2, memory);
    }
    CALL(CUDA_SUCCESS, cuStreamDestroy_v2, stream);
}

int main(int argc, char **argv)
{
    void *module = NULL;
    library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library || argc != 2) {
        puts(library ? "usage: driver_calls FOLDER" : dlerror());
        return 99;
    }
    check_start();
    check_attributes();
    check_device();
    check_absent_device();
    check_contexts();
    check_settings();
    check_error_names();
    check_finding();
    check_modules(argv[1]);
    CALL(CUDA_SUCCESS, cuModuleLoadData, &module, ptx);
    check_functions(module);
    check_occupancy(module);
    check_launches(module);
    check_sticky(module);
    CALL(CUDA_SUCCESS, cuModuleUnload, module);
    return failures > 0 ? 99 : 0;
}
