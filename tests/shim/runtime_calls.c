/* The calls of CUDA's runtime: what they do, and each error of driver_types.h that a program can
   get from them. It registers a kernel and variables as nvcc's code does, but needs no nvcc. The
   exit status is 99 if anything is otherwise.
     runtime_calls 12 | 13   the version of the runtime */
#include "tests/shim/calls.h"

static const char ptx[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".global .align 4 .b8 table[16];\n"
    ".global .align 4 .u32 common = 11;\n"
    ".visible .entry add(.param .u64 p, .param .u32 v) {\n"
    ".reg .b32 %r<4>; .reg .b64 %d<2>; ld.param.u64 %d1, [p]; ld.param.u32 %r1, [v];\n"
    "ld.global.u32 %r2, [%d1]; add.u32 %r2, %r2, %r1; st.global.u32 [%d1], %r2; ret; }\n";

/* Errors that only the runtime has. */
enum {
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInvalidPitchValue = 12,
    cudaErrorInvalidSymbol = 13,
    cudaErrorInvalidMemcpyDirection = 21,
    cudaErrorInvalidDeviceFunction = 98
};

enum { HOST_TO_HOST, TO_DEVICE, TO_HOST, ON_DEVICE, DEFAULT };

/* Stubs and shadows: only their addresses matter. */
static char add_stub, absent_stub, no_stub, table_shadow, absent_shadow, no_shadow;
static int *common; /* managed */
static int version;

struct dim {
    uint32_t x, y, z;
};
static const struct dim one = {1, 1, 1};

/* What the call returns is also noted until it is asked for. */
#define FAILS(error, name, ...)                                                                    \
    do {                                                                                           \
        CALL(error, name, __VA_ARGS__);                                                            \
        CALL(error, cudaPeekAtLastError, );                                                        \
        CALL(error, cudaGetLastError, );                                                           \
        CALL(cudaSuccess, cudaGetLastError, );                                                     \
    } while (0)

static void register_module(void)
{
    void **(*register_binary)(const void *);
    void *symbol = dlsym(library, "__cudaRegisterFatBinary");
    memcpy(&register_binary, &symbol, sizeof symbol);
    void **handle = register_binary(ptx);
    find("__cudaRegisterFunction")(handle, &add_stub, &add_stub, "add", -1, NULL, NULL, NULL, NULL,
                                   NULL);
    find("__cudaRegisterFunction")(handle, &absent_stub, &absent_stub, "absent", -1, NULL, NULL,
                                   NULL, NULL, NULL);
    find("__cudaRegisterVar")(handle, &table_shadow, "table", "table", 0, SIZE(16), 0, 0);
    find("__cudaRegisterVar")(handle, &absent_shadow, "absent", "absent", 0, SIZE(4), 0, 0);
    find("__cudaRegisterManagedVar")(handle, &common, "common", "common", 0, SIZE(4), 0, 0);
    find("__cudaRegisterTexture")(handle, NULL, NULL, "texture", 2, 0, 0);
    find("__cudaRegisterSurface")(handle, NULL, NULL, "surface", 2, 0);
    find("__cudaInitModule")(handle);
    find("__cudaRegisterFatBinaryEnd")(handle);
    IS(11, common ? *common : -1);
}

/* --- Errors and the device -------------------------------------------------------------------- */

static void check_names(void)
{
#define ERROR(driver, runtime, number) {number, #runtime},
    static const struct {
        int number;
        const char *name;
    } errors[] = {CUDA_ERRORS(ERROR){9, "cudaErrorInvalidConfiguration"},
                  {12, "cudaErrorInvalidPitchValue"},
                  {13, "cudaErrorInvalidSymbol"},
                  {21, "cudaErrorInvalidMemcpyDirection"},
                  {98, "cudaErrorInvalidDeviceFunction"},
                  {12345, "unrecognized error code"}};
#undef ERROR
    const char *(*name_of)(int), *(*text_of)(int);
    void *symbol = dlsym(library, "cudaGetErrorName");
    memcpy(&name_of, &symbol, sizeof symbol);
    symbol = dlsym(library, "cudaGetErrorString");
    memcpy(&text_of, &symbol, sizeof symbol);
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        expect(__LINE__, errors[i].name, 0, strcmp(name_of(errors[i].number), errors[i].name));
        IS(1, text_of(errors[i].number)[0] != '\0');
    }
    IS(0, strcmp(text_of(cudaErrorMemoryAllocation), "out of memory"));
    IS(0, strcmp(text_of(12345), "unrecognized error code"));
}

static void check_unsupported(void)
{
#define UNSUPPORTED(name) #name,
    static const char *const calls[] = {
#include "guests/shim/unsupported.def"
    };
#undef UNSUPPORTED
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        expect(__LINE__, calls[i], cudaErrorNotSupported, find(calls[i])());
        expect(__LINE__, calls[i], cudaErrorNotSupported, find("cudaGetLastError")());
    }
}

static void check_device(void)
{
    _Alignas(16) char properties[2048], other[2048];
    char id[16];
    int value = -1, least = 1, greatest = 1;
    unsigned flags = 9;
    size_t bytes = 0;
    void *entry = NULL;
    CALL(cudaSuccess, cudaRuntimeGetVersion, &value);
    IS(version * 1000, value);
    CALL(cudaSuccess, cudaDriverGetVersion, &value);
    IS(13000, value);
    CALL(cudaSuccess, cudaGetDeviceCount, &value);
    IS(1, value);
    CALL(cudaSuccess, cudaSetDevice, 0);
    FAILS(cudaErrorInvalidDevice, cudaSetDevice, 1);
    CALL(cudaSuccess, cudaInitDevice, 0, 0u, 0u);
    CALL(cudaSuccess, cudaGetDevice, &value);
    IS(0, value);
    CALL(cudaSuccess, cudaSetDeviceFlags, 0u);
    CALL(cudaSuccess, cudaGetDeviceFlags, &flags);
    IS(0, flags);
    CALL(cudaSuccess, cudaSetValidDevices, &value, 1);
    CALL(cudaSuccess, cudaDeviceSetLimit, 2, SIZE(1 << 24));
    CALL(cudaSuccess, cudaDeviceGetLimit, &bytes, 2);
    IS(1 << 24, bytes);
    FAILS(cudaErrorInvalidValue, cudaDeviceGetLimit, &bytes, 99);
    CALL(cudaSuccess, cudaDeviceSetCacheConfig, 1);
    CALL(cudaSuccess, cudaDeviceGetCacheConfig, &value);
    IS(0, value);
    CALL(cudaSuccess, cudaDeviceSetSharedMemConfig, 1);
    CALL(cudaSuccess, cudaDeviceGetSharedMemConfig, &value);
    IS(1, value);
    CALL(cudaSuccess, cudaDeviceGetStreamPriorityRange, &least, &greatest);
    IS(1, least == 0 && greatest < 0);
    CALL(cudaSuccess, cudaDeviceGetAttribute, &value, 16, 0);
    IS(132, value);
    FAILS(cudaErrorInvalidDevice, cudaDeviceGetAttribute, &value, 16, 1);
    CALL(cudaSuccess, cudaDeviceCanAccessPeer, &value, 0, 0);
    FAILS(cudaErrorInvalidDevice, cudaDeviceCanAccessPeer, &value, 0, 1);
    FAILS(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess, 0, 0u);
    FAILS(cudaErrorInvalidDevice, cudaDeviceDisablePeerAccess, 0);
    CALL(cudaSuccess, cudaDeviceGetPCIBusId, id, (int)sizeof id, 0);
    IS(0, strcmp(id, "0000:00:00.0"));
    FAILS(cudaErrorInvalidDevice, cudaDeviceGetPCIBusId, id, (int)sizeof id, 1);
    CALL(cudaSuccess, cudaGetDeviceProperties, properties, 0);
    CALL(cudaSuccess, cudaGetDeviceProperties_v2, other, 0);
    IS(0, strcmp(properties, "NVIDIA H200"));
    IS(0, strcmp(properties, other));
    FAILS(cudaErrorInvalidDevice, cudaGetDeviceProperties, properties, 1);
    CALL(cudaSuccess, cudaChooseDevice, &value, properties);
    IS(0, value);
    CALL(cudaSuccess, cudaGetDriverEntryPoint, "cuInit", &entry, 0ull, &value);
    IS(0, value);
    IS(1, entry != NULL);
    CALL(cudaSuccess, cudaGetDriverEntryPointByVersion, "cuNoCall", &entry, 12000u, 0ull, &value);
    IS(1, value);
    FAILS(cudaErrorInvalidValue, cudaGetDriverEntryPoint, NULL, &entry, 0ull, &value);
    CALL(cudaSuccess, cudaThreadSynchronize, );
    CALL(cudaSuccess, cudaProfilerStart, );
    CALL(cudaSuccess, cudaProfilerStop, );
}

/* --- Kernels and symbols ---------------------------------------------------------------------- */

static void check_functions(void)
{
    void *function = NULL, *kernel = NULL, *memory;
    char attributes[256];
    int blocks = 0, amount = 5, seen = 0;
    size_t bytes = 0, smem = 0;
    struct dim grid, block;
    void *arguments[] = {&memory, &amount}, *stream;
    const int wrong_shape = version == 12 ? cudaErrorInvalidConfiguration : cudaErrorInvalidValue;
    CALL(cudaSuccess, cudaMalloc, &memory, SIZE(4));
    CALL(cudaSuccess, cudaMemset, memory, 0, SIZE(4));
    CALL(cudaSuccess, cudaGetFuncBySymbol, &function, &add_stub);
    IS(1, function != NULL);
    CALL(cudaSuccess, __cudaGetKernel, &kernel, &add_stub);
    CALL(cudaSuccess, cudaFuncGetAttributes, attributes, &add_stub);
    CALL(cudaSuccess, cudaFuncSetAttribute, &add_stub, 8, 65536);
    FAILS(cudaErrorInvalidValue, cudaFuncSetAttribute, &add_stub, 8, 1 << 20);
    CALL(cudaSuccess, cudaFuncSetCacheConfig, &add_stub, 2);
    FAILS(cudaErrorInvalidValue, cudaFuncSetCacheConfig, &add_stub, 7);
    CALL(cudaSuccess, cudaFuncSetSharedMemConfig, &add_stub, 1);
    CALL(cudaSuccess, cudaOccupancyMaxActiveBlocksPerMultiprocessor, &blocks, &add_stub, 512,
         SIZE(0));
    IS(4, blocks);
    CALL(cudaSuccess, cudaOccupancyAvailableDynamicSMemPerBlock, &bytes, &add_stub, 1, 512);
    IS(65536, bytes); /* opted in to above */
    CALL(cudaSuccess, cudaLaunchKernel, &add_stub, one, one, arguments, SIZE(0), NULL);
    CALL(cudaSuccess, __cudaLaunchKernel, kernel, one, one, arguments, SIZE(0), NULL);
    CALL(cudaSuccess, cudaLaunchCooperativeKernel, &add_stub, one, one, arguments, SIZE(0), NULL);
    CALL(cudaSuccess, cudaMemcpy, &seen, memory, SIZE(4), TO_HOST);
    IS(15, seen);
    FAILS(wrong_shape, cudaLaunchKernel, &add_stub, one, ((struct dim){1, 0, 1}), arguments,
          SIZE(0), NULL);
    FAILS(wrong_shape, cudaLaunchKernel, &add_stub, ((struct dim){1, 65536, 1}), one, arguments,
          SIZE(0), NULL);
    FAILS(wrong_shape, cudaLaunchKernel, &add_stub, one, ((struct dim){64, 32, 1}), arguments,
          SIZE(0), NULL);
    FAILS(cudaErrorInvalidValue, cudaLaunchKernel, &add_stub, one, one, arguments, SIZE(1) << 31,
          NULL);
    FAILS(cudaErrorInvalidValue, cudaLaunchKernel, &add_stub, one, one, NULL, SIZE(0), NULL);
    void *const wrong[] = {&no_stub, &absent_stub}; /* not registered, not in the module */
    for (int i = 0; i < 2; i++) {
        const int error = cudaErrorInvalidDeviceFunction;
        FAILS(error, cudaGetFuncBySymbol, &function, wrong[i]);
        FAILS(error, cudaFuncGetAttributes, attributes, wrong[i]);
        FAILS(error, cudaFuncSetAttribute, wrong[i], 8, 0);
        FAILS(error, cudaFuncSetCacheConfig, wrong[i], 0);
        FAILS(error, cudaOccupancyMaxActiveBlocksPerMultiprocessor, &blocks, wrong[i], 32, SIZE(0));
        FAILS(error, cudaOccupancyAvailableDynamicSMemPerBlock, &bytes, wrong[i], 1, 32);
        FAILS(error, cudaLaunchKernel, wrong[i], one, one, arguments, SIZE(0), NULL);
    }
    FAILS(cudaErrorInvalidDeviceFunction, __cudaGetKernel, &kernel, &no_stub);
    /* What <<<...>>> leaves for the stub. */
    for (int i = 0; i < 16; i++)
        CALL(0, __cudaPushCallConfiguration, ((struct dim){(uint32_t)i, 1, 1}), one, SIZE(i), NULL);
    CALL(1, __cudaPushCallConfiguration, one, one, SIZE(0), NULL);
    for (int i = 15; i >= 0; i--) {
        CALL(cudaSuccess, __cudaPopCallConfiguration, &grid, &block, &smem, &stream);
        IS(i, grid.x);
        IS(i, smem);
    }
    CALL(cudaErrorInvalidConfiguration, __cudaPopCallConfiguration, &grid, &block, &smem, &stream);
    CALL(cudaSuccess, cudaFree, memory);
}

static void check_symbols(void)
{
    const int error = cudaErrorInvalidSymbol;
    int values[4] = {1, 2, 3, 4}, back[4] = {0};
    void *address = NULL;
    size_t bytes = 0;
    CALL(cudaSuccess, cudaGetSymbolSize, &bytes, &table_shadow);
    IS(16, bytes);
    CALL(cudaSuccess, cudaGetSymbolAddress, &address, &table_shadow);
    CALL(cudaSuccess, cudaMemcpyToSymbol, &table_shadow, values, SIZE(16), SIZE(0), TO_DEVICE);
    CALL(cudaSuccess, cudaMemcpyToSymbolAsync, &table_shadow, values, SIZE(4), SIZE(12), TO_DEVICE,
         NULL);
    CALL(cudaSuccess, cudaMemcpyFromSymbol, back, &table_shadow, SIZE(8), SIZE(8), TO_HOST);
    IS(3, back[0]);
    IS(1, back[1]);
    CALL(cudaSuccess, cudaMemcpyFromSymbolAsync, back, &table_shadow, SIZE(4), SIZE(4), TO_HOST,
         NULL);
    IS(2, back[0]);
    CALL(cudaSuccess, cudaMemcpy, back, address, SIZE(16), TO_HOST);
    IS(1, back[3]);
    FAILS(cudaErrorInvalidValue, cudaMemcpyToSymbol, &table_shadow, values, SIZE(16), SIZE(4),
          TO_DEVICE);
    FAILS(cudaErrorInvalidValue, cudaMemcpyFromSymbol, back, &table_shadow, SIZE(1), SIZE(17),
          TO_HOST);
    char *const wrong[] = {&no_shadow, &absent_shadow};
    for (int i = 0; i < 2; i++) {
        FAILS(error, cudaGetSymbolSize, &bytes, wrong[i]);
        FAILS(error, cudaGetSymbolAddress, &address, wrong[i]);
        FAILS(error, cudaMemcpyToSymbol, wrong[i], values, SIZE(4), SIZE(0), TO_DEVICE);
        FAILS(error, cudaMemcpyToSymbolAsync, wrong[i], values, SIZE(4), SIZE(0), TO_DEVICE, NULL);
        FAILS(error, cudaMemcpyFromSymbol, back, wrong[i], SIZE(4), SIZE(0), TO_HOST);
        FAILS(error, cudaMemcpyFromSymbolAsync, back, wrong[i], SIZE(4), SIZE(0), TO_HOST, NULL);
    }
}

/* --- Memory ----------------------------------------------------------------------------------- */

struct pointer_attributes {
    int type, device;
    void *at_device, *at_host;
    long reserved[8];
};

static void pointer_is(int line, const void *pointer, int type)
{
    struct pointer_attributes seen;
    CALL(cudaSuccess, cudaPointerGetAttributes, &seen, pointer);
    expect(line, "type of memory", type, seen.type);
    expect(line, "device", type == 0 ? -2 : 0, seen.device);
    expect(line, "host pointer", type != 2, seen.at_host == pointer);
    expect(line, "device pointer", type != 0, seen.at_device == pointer);
}

struct location {
    int type, id;
};

static void advise(const void *memory, int error)
{
    const struct location place = {1, 0};
    if (version >= 13) {
        FAILS(error, cudaMemPrefetchAsync, memory, SIZE(4), place, 0u, NULL);
        FAILS(error, cudaMemAdvise, memory, SIZE(4), 1, place);
        return;
    }
    FAILS(error, cudaMemPrefetchAsync, memory, SIZE(4), 0, NULL);
    FAILS(error, cudaMemAdvise, memory, SIZE(4), 1, 0);
    FAILS(error, cudaMemPrefetchAsync_v2, memory, SIZE(4), place, 0u, NULL);
    FAILS(error, cudaMemAdvise_v2, memory, SIZE(4), 1, place);
}

static void check_allocations(void)
{
    char own[256];
    void *device, *managed, *pitched, *pinned, *pooled, *pool, *seen = NULL;
    unsigned flags = 9;
    size_t pitch = 0, left = 0, total = 0;
    CALL(cudaSuccess, cudaMemGetInfo, &left, &total);
    CALL(cudaSuccess, cudaMalloc, &device, SIZE(256));
    CALL(cudaSuccess, cudaMallocManaged, &managed, SIZE(256), 1u);
    CALL(cudaSuccess, cudaMallocPitch, &pitched, &pitch, SIZE(10), SIZE(4));
    IS(1, pitch >= 10 && pitch % 256 == 0);
    CALL(cudaSuccess, cudaMallocHost, &pinned, SIZE(256));
    CALL(cudaSuccess, cudaDeviceGetMemPool, &pool, 0);
    FAILS(cudaErrorInvalidDevice, cudaDeviceGetDefaultMemPool, &pool, 1);
    CALL(cudaSuccess, cudaMemPoolSetAttribute, pool, 4, &total);
    CALL(cudaSuccess, cudaMallocFromPoolAsync, &pooled, SIZE(256), pool, NULL);
    CALL(cudaSuccess, cudaMemPoolTrimTo, pool, SIZE(0));
    FAILS(cudaErrorInvalidValue, cudaMalloc, NULL, SIZE(4));
    CALL(cudaSuccess, cudaMalloc, &seen, SIZE(0));
    IS(1, seen == NULL);
    FAILS(cudaErrorMemoryAllocation, cudaMalloc, &seen, SIZE(1) << 50);
    FAILS(cudaErrorMemoryAllocation, cudaMallocAsync, &seen, SIZE(1) << 50, NULL);
    CALL(cudaSuccess, cudaMallocAsync, &seen, SIZE(0), NULL);
    FAILS(cudaErrorMemoryAllocation, cudaMallocManaged, &seen, SIZE(1) << 50, 1u);
    FAILS(cudaErrorInvalidValue, cudaMallocManaged, &seen, SIZE(0), 1u);
    FAILS(cudaErrorMemoryAllocation, cudaMallocPitch, &seen, &pitch, SIZE(1) << 50, SIZE(1));
    CALL(cudaSuccess, cudaHostRegister, own, sizeof own, 0u);
    FAILS(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister, own, sizeof own, 0u);
    pointer_is(__LINE__, &seen, 0);
    pointer_is(__LINE__, pinned, 1);
    pointer_is(__LINE__, own, 1);
    pointer_is(__LINE__, device, 2);
    pointer_is(__LINE__, managed, 3);
    CALL(cudaSuccess, cudaHostGetDevicePointer, &seen, pinned, 0u);
    IS(1, seen == pinned);
    FAILS(cudaErrorInvalidValue, cudaHostGetDevicePointer, &seen, &seen, 0u);
    CALL(cudaSuccess, cudaHostGetFlags, &flags, pinned);
    IS(0, flags);
    FAILS(cudaErrorInvalidValue, cudaHostGetFlags, &flags, &flags);
    advise(managed, cudaSuccess);
    advise(&seen, cudaErrorInvalidValue);
    CALL(cudaSuccess, cudaHostUnregister, own);
    FAILS(cudaErrorHostMemoryNotRegistered, cudaHostUnregister, own);
    FAILS(cudaErrorInvalidValue, cudaFree, pinned);
    FAILS(cudaErrorInvalidValue, cudaFreeHost, device);
    CALL(cudaSuccess, cudaFree, NULL);
    CALL(cudaSuccess, cudaFree, device);
    CALL(cudaSuccess, cudaFree, managed);
    CALL(cudaSuccess, cudaFree, pitched);
    CALL(cudaSuccess, cudaFreeHost, pinned);
    CALL(cudaSuccess, cudaFreeAsync, pooled, NULL);
    FAILS(cudaErrorInvalidValue, cudaFreeAsync, pooled, NULL);
}

static void check_copies(void)
{
    char host[64], back[64] = {0};
    char *a, *b;
    for (int i = 0; i < 64; i++)
        host[i] = (char)i;
    CALL(cudaSuccess, cudaMalloc, &a, SIZE(64));
    CALL(cudaSuccess, cudaMalloc, &b, SIZE(64));
    CALL(cudaSuccess, cudaMemcpy, a, host, SIZE(64), TO_DEVICE);
    CALL(cudaSuccess, cudaMemcpyAsync, b, a, SIZE(64), ON_DEVICE, NULL);
    CALL(cudaSuccess, cudaMemcpyPeer, b, 0, a + 32, 0, SIZE(8));
    CALL(cudaSuccess, cudaMemcpyPeerAsync, b + 8, 0, a + 48, 0, SIZE(8), NULL);
    CALL(cudaSuccess, cudaMemsetAsync, b + 16, 99, SIZE(8), NULL);
    CALL(cudaSuccess, cudaMemset2D, b + 24, SIZE(16), 98, SIZE(2), SIZE(2));
    CALL(cudaSuccess, cudaMemset2DAsync, b + 28, SIZE(16), 97, SIZE(1), SIZE(2), NULL);
    CALL(cudaSuccess, cudaMemcpy, back, b, SIZE(64), DEFAULT);
    IS(32, back[0]);
    IS(48, back[8]);
    IS(99, back[23]);
    IS(98, back[41]);
    IS(97, back[44]);
    IS(45, back[45]);
    CALL(cudaSuccess, cudaMemcpy2D, back, SIZE(4), a, SIZE(8), SIZE(4), SIZE(8), TO_HOST);
    IS(59, back[31]);
    CALL(cudaSuccess, cudaMemcpy2DAsync, a, SIZE(8), host, SIZE(8), SIZE(8), SIZE(8), TO_DEVICE,
         NULL);
    CALL(cudaSuccess, cudaMemcpy, back, host, SIZE(64), HOST_TO_HOST);
    IS(0, memcmp(host, back, sizeof host));
    FAILS(cudaErrorInvalidMemcpyDirection, cudaMemcpy, a, host, SIZE(4), 9);
    FAILS(cudaErrorInvalidMemcpyDirection, cudaMemcpyAsync, a, host, SIZE(4), -1, NULL);
    FAILS(cudaErrorInvalidPitchValue, cudaMemcpy2D, a, SIZE(4), host, SIZE(8), SIZE(8), SIZE(1),
          TO_DEVICE);
    FAILS(cudaErrorInvalidPitchValue, cudaMemcpy2D, a, SIZE(8), host, SIZE(4), SIZE(8), SIZE(1),
          TO_DEVICE);
    FAILS(cudaErrorInvalidValue, cudaMemcpy2D, a, SIZE(16), host, SIZE(8), SIZE(8), SIZE(5),
          TO_DEVICE);
    FAILS(cudaErrorInvalidValue, cudaMemcpy, a + 4, host, SIZE(64), TO_DEVICE);
    FAILS(cudaErrorInvalidValue, cudaMemset, a, 0, SIZE(65));
    CALL(cudaSuccess, cudaFree, a);
    CALL(cudaSuccess, cudaFree, b);
}

/* --- Arrays ----------------------------------------------------------------------------------- */

struct channels {
    int x, y, z, w, kind;
};

struct extent {
    size_t width, height, depth;
};

struct pitched {
    void *at;
    size_t pitch, width, height;
};

struct copy {
    void *from_array;
    size_t from_x, from_y, from_z;
    struct pitched from;
    void *to_array;
    size_t to_x, to_y, to_z;
    struct pitched to;
    struct extent extent;
    int kind;
};

static void check_arrays(void)
{
    static const struct channels good[] = {{8, 0, 0, 0, 1},  {16, 16, 0, 0, 1}, {32, 32, 32, 32, 0},
                                           {16, 0, 0, 0, 2}, {8, 8, 8, 8, 0},   {16, 16, 0, 0, 0},
                                           {32, 0, 0, 0, 1}, {32, 32, 0, 0, 2}};
    static const struct channels wrong[] = {
        {8, 8, 8, 0, 1}, {8, 16, 0, 0, 1}, {8, 0, 8, 0, 1}, {64, 0, 0, 0, 1}, {8, 0, 0, 0, 2}};
    struct channels seen;
    struct extent extent;
    unsigned flags = 9;
    void *array = NULL;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        CALL(cudaSuccess, cudaMallocArray, &array, &good[i], SIZE(4), SIZE(2), 0u);
        CALL(cudaSuccess, cudaGetChannelDesc, &seen, array);
        IS(0, memcmp(&seen, &good[i], sizeof seen));
        CALL(cudaSuccess, cudaArrayGetInfo, NULL, &extent, &flags, array);
        IS(1, extent.width == 4 && extent.height == 2 && extent.depth == 0 && flags == 0);
        CALL(cudaSuccess, cudaFreeArray, array);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        FAILS(cudaErrorInvalidValue, cudaMallocArray, &array, &wrong[i], SIZE(4), SIZE(2), 0u);
    FAILS(cudaErrorInvalidValue, cudaMallocArray, &array, NULL, SIZE(4), SIZE(2), 0u);
    FAILS(cudaErrorInvalidValue, cudaMallocArray, NULL, &good[0], SIZE(4), SIZE(2), 0u);
    FAILS(cudaErrorInvalidValue, cudaArrayGetInfo, &seen, NULL, NULL, array); /* freed */
    FAILS(cudaErrorInvalidResourceHandle, cudaFreeArray, array);
    CALL(cudaSuccess, cudaFreeArray, NULL);
}

static void check_array_copies(void)
{
    const struct channels integer = {32, 0, 0, 0, 0};
    int host[24], back[24] = {0}, *memory;
    void *array, *other;
    struct pitched pitched;
    for (int i = 0; i < 24; i++)
        host[i] = i;
    CALL(cudaSuccess, cudaMalloc, &memory, sizeof host);
    CALL(cudaSuccess, cudaMemset, memory, 0, sizeof host);
    CALL(cudaSuccess, cudaMallocArray, &array, &integer, SIZE(4), SIZE(3), 0u);
    CALL(cudaSuccess, cudaMalloc3DArray, &other, &integer, ((struct extent){4, 3, 2}), 0u);
    CALL(cudaSuccess, cudaMemcpyToArray, array, SIZE(0), SIZE(0), host, SIZE(48), TO_DEVICE);
    CALL(cudaSuccess, cudaMemcpyFromArrayAsync, memory, array, SIZE(4), SIZE(1), SIZE(8), ON_DEVICE,
         NULL);
    CALL(cudaSuccess, cudaMemcpy, back, memory, SIZE(16), TO_HOST);
    IS(5, back[0]);
    CALL(cudaSuccess, cudaMemcpyToArrayAsync, array, SIZE(0), SIZE(0), memory, SIZE(4), ON_DEVICE,
         NULL);
    CALL(cudaSuccess, cudaMemcpy2DArrayToArray, other, SIZE(0), SIZE(1), array, SIZE(0), SIZE(0),
         SIZE(16), SIZE(2), ON_DEVICE);
    CALL(cudaSuccess, cudaMemcpy2DFromArrayAsync, back, SIZE(16), other, SIZE(0), SIZE(1), SIZE(16),
         SIZE(2), TO_HOST, NULL);
    IS(5, back[0]);
    IS(7, back[7]);
    CALL(cudaSuccess, cudaMemcpy2DToArrayAsync, array, SIZE(8), SIZE(2), host, SIZE(8), SIZE(8),
         SIZE(1), DEFAULT, NULL);
    CALL(cudaSuccess, cudaMemcpyFromArray, back, array, SIZE(8), SIZE(2), SIZE(8), TO_HOST);
    IS(1, back[1]);
    FAILS(cudaErrorInvalidValue, cudaMemcpyFromArray, back, array, SIZE(8), SIZE(2), SIZE(12),
          TO_HOST);
    FAILS(cudaErrorInvalidValue, cudaMemcpyToArray, host, SIZE(0), SIZE(0), host, SIZE(4),
          TO_DEVICE);
    FAILS(cudaErrorInvalidResourceHandle, cudaMemcpy2DToArray, host, SIZE(0), SIZE(0), host,
          SIZE(4), SIZE(4), SIZE(1), TO_DEVICE);
    /* Three dimensions: an array's first coordinate is in elements. */
    CALL(cudaSuccess, cudaMalloc3D, &pitched, ((struct extent){16, 3, 2}));
    CALL(cudaSuccess, cudaMemset3D, pitched, 7, ((struct extent){16, 3, 2}));
    CALL(cudaSuccess, cudaMemset3DAsync, pitched, 1, ((struct extent){4, 1, 2}), NULL);
    struct copy plan = {
        .from = pitched, .to_array = other, .to_x = 1, .extent = {3, 3, 2}, .kind = ON_DEVICE};
    CALL(cudaSuccess, cudaMemcpy3D, &plan);
    const struct copy out = {
        .from_array = other, .to = {back, 16, 4, 3}, .extent = {4, 3, 2}, .kind = TO_HOST};
    CALL(cudaSuccess, cudaMemcpy3DAsync, &out, NULL);
    IS(0x01010101, back[1]);
    IS(0x07070707, back[2]);
    IS(0x01010101, back[13]);
    FAILS(cudaErrorInvalidValue, cudaMemset3D, pitched, 7, ((struct extent){16, 3, 3}));
    plan.extent.width = 4;
    FAILS(cudaErrorInvalidValue, cudaMemcpy3D, &plan);
    plan.to_array = host;
    FAILS(cudaErrorInvalidValue, cudaMemcpy3D, &plan);
    plan.from_array = host;
    FAILS(cudaErrorInvalidValue, cudaMemcpy3DAsync, &plan, NULL);
    FAILS(cudaErrorMemoryAllocation, cudaMalloc3D, &pitched,
          ((struct extent){SIZE(1) << 40, 8, 8}));
    CALL(cudaSuccess, cudaFreeArray, array);
    CALL(cudaSuccess, cudaFreeArray, other);
    CALL(cudaSuccess, cudaFree, memory);
}

static void check_objects(void)
{
    struct {
        int type;
        union {
            void *array;
            int all[32];
        } of;
        unsigned flags;
    } resource = {.type = 0};
    const int texture[32] = {0};
    const struct channels integer = {32, 0, 0, 0, 0};
    uint64_t handle = 0;
    CALL(cudaSuccess, cudaMallocArray, &resource.of.array, &integer, SIZE(4), SIZE(0), 0u);
    CALL(cudaSuccess, cudaCreateTextureObject, &handle, &resource, texture, NULL);
    CALL(cudaSuccess, cudaDestroyTextureObject, handle);
    FAILS(cudaErrorInvalidValue, cudaDestroyTextureObject, handle);
    CALL(cudaSuccess, cudaDestroyTextureObject, (uint64_t)0);
    CALL(cudaSuccess, cudaCreateSurfaceObject, &handle, &resource);
    CALL(cudaSuccess, cudaDestroySurfaceObject, handle);
    FAILS(cudaErrorInvalidValue, cudaDestroySurfaceObject, handle);
    CALL(cudaSuccess, cudaDestroySurfaceObject, (uint64_t)0);
    FAILS(cudaErrorInvalidValue, cudaCreateTextureObject, NULL, &resource, texture, NULL);
    FAILS(cudaErrorInvalidValue, cudaCreateTextureObject, &handle, NULL, texture, NULL);
    FAILS(cudaErrorInvalidValue, cudaCreateTextureObject, &handle, &resource, NULL, NULL);
    FAILS(cudaErrorNotSupported, cudaCreateTextureObject, &handle, &resource, texture, texture);
    FAILS(cudaErrorInvalidValue, cudaCreateSurfaceObject, NULL, &resource);
    FAILS(cudaErrorInvalidValue, cudaCreateSurfaceObject, &handle, NULL);
    CALL(cudaSuccess, cudaFreeArray, resource.of.array);
    FAILS(cudaErrorInvalidValue, cudaCreateTextureObject, &handle, &resource, texture, NULL);
    FAILS(cudaErrorInvalidValue, cudaCreateSurfaceObject, &handle, &resource);
    resource.type = 2; /* linear, of channels that there are not */
    FAILS(cudaErrorInvalidValue, cudaCreateTextureObject, &handle, &resource, texture, NULL);
    FAILS(cudaErrorInvalidValue, cudaCreateSurfaceObject, &handle, &resource);
}

/* --- Streams, events and graphs --------------------------------------------------------------- */

static void called(void *stream, int status, void *data)
{
    (void)stream;
    *(int *)data = status;
}

static void count(void *data)
{
    ++*(int *)data;
}

static void check_streams(void)
{
    void *stream, *event, *second;
    unsigned flags = 9;
    int priority = 9, status = -1, calls = 0;
    float ms = -1;
    CALL(cudaSuccess, cudaStreamCreate, &stream);
    CALL(cudaSuccess, cudaStreamDestroy, stream);
    CALL(cudaSuccess, cudaStreamCreateWithFlags, &stream, 1u);
    CALL(cudaSuccess, cudaStreamGetFlags, stream, &flags);
    IS(1, flags);
    CALL(cudaSuccess, cudaStreamGetPriority, stream, &priority);
    IS(0, priority);
    CALL(cudaSuccess, cudaStreamQuery, stream);
    CALL(cudaSuccess, cudaStreamAddCallback, stream, called, &status, 0u);
    IS(cudaSuccess, status);
    CALL(cudaSuccess, cudaLaunchHostFunc, stream, count, &calls);
    IS(1, calls);
    CALL(cudaSuccess, cudaStreamAttachMemAsync, stream, NULL, SIZE(0), 1u);
    CALL(cudaSuccess, cudaEventCreate, &event);
    CALL(cudaSuccess, cudaEventCreateWithFlags, &second, 2u);
    FAILS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime, &ms, event, second);
    CALL(cudaSuccess, cudaEventRecord, event, stream);
    CALL(cudaSuccess, cudaEventRecordWithFlags, second, stream, 0u);
    CALL(cudaSuccess, cudaEventQuery, event);
    CALL(cudaSuccess, cudaEventSynchronize, event);
    CALL(cudaSuccess, cudaEventElapsedTime_v2, &ms, event, second);
    IS(1, ms >= 0);
    CALL(cudaSuccess, cudaStreamWaitEvent, stream, event, 0u);
    FAILS(cudaErrorInvalidResourceHandle, cudaStreamWaitEvent, stream, NULL, 0u);
    FAILS(cudaErrorInvalidResourceHandle, cudaEventRecord, NULL, stream);
    FAILS(cudaErrorInvalidResourceHandle, cudaEventQuery, NULL);
    FAILS(cudaErrorInvalidResourceHandle, cudaEventSynchronize, NULL);
    FAILS(cudaErrorInvalidResourceHandle, cudaEventDestroy, NULL);
    FAILS(cudaErrorInvalidResourceHandle, cudaStreamDestroy, NULL);
    CALL(cudaSuccess, cudaEventDestroy, event);
    CALL(cudaSuccess, cudaEventDestroy, second);
    CALL(cudaSuccess, cudaStreamDestroy, stream);
}

struct kernel_node {
    void *function;
    uint32_t grid[3], block[3], smem_bytes;
    void **parameters, **extra;
};

static void check_graphs(void)
{
    int *memory, amount = 2, seen = 0, type = -1, status = -1, report[6], mode = 2;
    void *graph, *clone, *exec, *stream, *nodes[4];
    void *arguments[] = {&memory, &amount};
    size_t many = 4;
    struct kernel_node kernel = {
        .function = &add_stub, .grid = {1, 1, 1}, .block = {1, 1, 1}, .parameters = arguments};
    const struct copy wrong = {.from_array = &seen, .kind = TO_HOST};
    CALL(cudaSuccess, cudaMalloc, &memory, SIZE(4));
    CALL(cudaSuccess, cudaMemset, memory, 0, SIZE(4));
    FAILS(cudaErrorInvalidValue, cudaGraphCreate, &graph, 1u);
    CALL(cudaSuccess, cudaGraphCreate, &graph, 0u);
    CALL(cudaSuccess, cudaGraphAddEmptyNode, &nodes[0], graph, NULL, SIZE(0));
    CALL(cudaSuccess, cudaGraphAddKernelNode, &nodes[1], graph, nodes, SIZE(1), &kernel);
    if (version < 13)
        CALL(cudaSuccess, cudaGraphAddDependencies_v2, graph, &nodes[0], &nodes[1], NULL, SIZE(1));
    FAILS(cudaErrorInvalidValue, cudaGraphAddMemcpyNode, &nodes[2], graph, NULL, SIZE(0), &wrong);
    kernel.function = &no_stub;
    FAILS(cudaErrorInvalidDeviceFunction, cudaGraphAddKernelNode, &nodes[2], graph, NULL, SIZE(0),
          &kernel);
    CALL(cudaSuccess, cudaGraphGetRootNodes, graph, nodes, &many);
    IS(1, many);
    CALL(cudaSuccess, cudaGraphNodeGetType, nodes[1], &type);
    IS(0, type);
    CALL(cudaSuccess, cudaGraphClone, &clone, graph);
    CALL(cudaSuccess, cudaGraphInstantiateWithFlags, &exec, clone, 0ull);
    CALL(cudaSuccess, cudaGraphUpload, exec, NULL);
    CALL(cudaSuccess, cudaGraphExecUpdate, exec, graph, report);
    FAILS(cudaErrorInvalidDeviceFunction, cudaGraphExecKernelNodeSetParams, exec, nodes[1],
          &kernel);
    CALL(cudaSuccess, cudaGraphLaunch, exec, NULL);
    CALL(cudaSuccess, cudaMemcpy, &seen, memory, SIZE(4), TO_HOST);
    IS(2, seen);
    CALL(cudaSuccess, cudaGraphExecDestroy, exec);
    CALL(cudaSuccess, cudaGraphDestroy, clone);
    CALL(cudaSuccess, cudaGraphDestroy, graph);
    FAILS(cudaErrorInvalidValue, cudaGraphInstantiate, &exec, NULL, 0ull);
    FAILS(cudaErrorInvalidValue, cudaGraphClone, &clone, NULL);
    FAILS(cudaErrorInvalidValue, cudaGraphDestroy, NULL);
    FAILS(cudaErrorInvalidValue, cudaGraphLaunch, NULL, NULL);
    CALL(cudaSuccess, cudaThreadExchangeStreamCaptureMode, &mode);
    IS(0, mode);
    mode = 0;
    CALL(cudaSuccess, cudaThreadExchangeStreamCaptureMode, &mode);
    IS(2, mode);
    CALL(cudaSuccess, cudaStreamCreate, &stream);
    CALL(cudaSuccess, cudaStreamBeginCapture, stream, 0);
    FAILS(cudaErrorIllegalState, cudaStreamBeginCapture, stream, 0);
    CALL(cudaSuccess, cudaStreamIsCapturing, stream, &status);
    IS(1, status);
    FAILS(cudaErrorNotSupported, cudaMallocAsync, &nodes[0], SIZE(4), stream);
    CALL(cudaSuccess, cudaStreamEndCapture, stream, &graph);
    CALL(cudaSuccess, cudaGraphDestroy, graph);
    CALL(cudaSuccess, cudaStreamBeginCapture, stream, 0);
    FAILS(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize, stream);
    FAILS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture, stream, &graph);
    CALL(cudaSuccess, cudaStreamBeginCapture, stream, 0);
    FAILS(cudaErrorInvalidValue, cudaLaunchKernel, &add_stub, one, one, NULL, SIZE(0), stream);
    FAILS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture, stream, &graph);
    CALL(cudaSuccess, cudaStreamDestroy, stream);
    CALL(cudaSuccess, cudaFree, memory);
}

/* Each kind of node, once in a graph. */
static void check_nodes(void)
{
    int *memory, host = 5, back[2] = {0}, amount = 2, calls = 0;
    void *graph, *child, *exec, *inner, *nodes[4];
    void *arguments[] = {&memory, &amount};
    size_t many = 9;
    const struct kernel_node kernel = {
        .function = &add_stub, .grid = {1, 1, 1}, .block = {1, 1, 1}, .parameters = arguments};
    struct {
        int *to;
        size_t pitch;
        uint32_t value, element_bytes;
        size_t width, height;
    } fill = {.value = 9, .element_bytes = 4, .width = 1, .height = 1};
    const struct {
        void (*function)(void *);
        void *data;
    } call = {count, &calls};
    CALL(cudaSuccess, cudaMalloc, &memory, sizeof back);
    fill.to = memory + 1;
    CALL(cudaSuccess, cudaGraphCreate, &graph, 0u);
    CALL(cudaSuccess, cudaGraphCreate, &child, 0u);
    CALL(cudaSuccess, cudaGraphAddKernelNode, &inner, child, NULL, SIZE(0), &kernel);
    CALL(cudaSuccess, cudaGraphAddMemcpyNode1D, &nodes[0], graph, NULL, SIZE(0), memory, &host,
         sizeof host, TO_DEVICE);
    CALL(cudaSuccess, cudaGraphAddMemsetNode, &nodes[1], graph, NULL, SIZE(0), &fill);
    CALL(cudaSuccess, cudaGraphAddHostNode, &nodes[2], graph, nodes, SIZE(1), &call);
    CALL(cudaSuccess, cudaGraphAddChildGraphNode, &nodes[3], graph, nodes, SIZE(1), child);
    if (version < 13)
        CALL(cudaSuccess, cudaGraphAddDependencies, graph, &nodes[1], &nodes[3], SIZE(1));
    else
        CALL(cudaSuccess, cudaGraphAddDependencies, graph, &nodes[1], &nodes[3], NULL, SIZE(1));
    CALL(cudaSuccess, cudaGraphGetNodes, graph, NULL, &many);
    IS(4, many);
    many = 4;
    CALL(cudaSuccess, cudaGraphGetRootNodes, graph, nodes, &many);
    IS(2, many);
    CALL(cudaSuccess, cudaGraphInstantiate, &exec, graph, 0ull);
    CALL(cudaSuccess, cudaGraphLaunch, exec, NULL);
    CALL(cudaSuccess, cudaMemcpy, back, memory, sizeof back, TO_HOST);
    IS(7, back[0]);
    IS(9, back[1]);
    IS(1, calls);
    CALL(cudaSuccess, cudaGraphExecDestroy, exec);
    CALL(cudaSuccess, cudaGraphDestroy, child);
    CALL(cudaSuccess, cudaGraphDestroy, graph);
    CALL(cudaSuccess, cudaFree, memory);
}

int main(int argc, char **argv)
{
    char name[32];
    version = argc == 2 ? atoi(argv[1]) : 0;
    snprintf(name, sizeof name, "libcudart.so.%d", version);
    library = dlopen(name, RTLD_NOW);
    if (!library) {
        puts(argc == 2 ? dlerror() : "usage: runtime_calls 12 | 13");
        return 99;
    }
    register_module();
    check_names();
    check_unsupported();
    check_device();
    check_functions();
    check_symbols();
    check_allocations();
    check_copies();
    check_arrays();
    check_array_copies();
    check_objects();
    check_streams();
    check_graphs();
    check_nodes();
    CALL(cudaSuccess, cudaThreadExit, );
    return failures > 0 ? 99 : 0;
}
