/* A CUDA runtime made of host memory. The real calls are specified in the CUDA Runtime API manual;
   the values are an H200's. */
#include "config.h"

#include "fake_cuda.h"

#include <elf.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "code/machine_code.h"
#include "rules/devices.h"
#include "rules/occupancy.h"

enum { SM_COUNT = 132, DEFAULT_SMEM = 49152, OPT_IN_SMEM = 232448, REGISTERS = 65536, HELD = 256 };

struct fake_cuda fake_cuda;
_Thread_local cudaError_t fake_cuda_last_error;
_Atomic uint64_t fake_cuda_busy_us;
static _Thread_local int current_device;

struct CUkern_st {
    char variable[4096];
    char name[64];
    int max_dynamic_smem_bytes;
    int regs_per_thread;
    bool has_large_clusters; /* above the portable size */
};

size_t fake_cuda_kernel_bytes(void)
{
    return sizeof(struct CUkern_st);
}

/* Objects that exist, to distinguish those that a program leaves to the end of its process from
   those that it leaks. */
static struct {
    void *object;
    _Atomic unsigned *count;
    size_t bytes;
} held[HELD];
static pthread_mutex_t holding = PTHREAD_MUTEX_INITIALIZER;

/* The system is asked for large pages: most of the time would be spent on getting small ones. */
enum { LARGE_BYTES = 4 << 20 };

static void *get_memory(size_t bytes)
{
    if (bytes < LARGE_BYTES)
        return calloc(1, bytes ? bytes : 1);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
#ifdef MADV_HUGEPAGE
    madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    return memory;
}

static void give_back(void *memory, size_t bytes)
{
    if (bytes < LARGE_BYTES)
        free(memory);
    else
        munmap(memory, bytes);
}

static void *hold(size_t bytes, _Atomic unsigned *count)
{
    void *object = get_memory(bytes);
    size_t i = 0;
    pthread_mutex_lock(&holding);
    while (i < HELD && held[i].object)
        i++;
    if (object && i < HELD) {
        held[i].object = object;
        held[i].count = count;
        held[i].bytes = bytes;
        ++*count;
    } else if (object) {
        give_back(object, bytes);
        object = NULL;
    }
    pthread_mutex_unlock(&holding);
    return object;
}

static void let_go(void *object)
{
    pthread_mutex_lock(&holding);
    for (size_t i = 0; object && i < HELD; i++) {
        if (held[i].object != object)
            continue;
        held[i].object = NULL;
        --*held[i].count;
        give_back(object, held[i].bytes);
        break;
    }
    pthread_mutex_unlock(&holding);
}

static size_t bytes_of_held(const void *object)
{
    size_t bytes = 0;
    pthread_mutex_lock(&holding);
    for (size_t i = 0; i < HELD; i++)
        if (held[i].object == object)
            bytes = held[i].bytes;
    pthread_mutex_unlock(&holding);
    return bytes;
}

/* Also happens when a process ends. */
void fake_cuda_reset(void)
{
    for (size_t i = 0; i < HELD; i++)
        let_go(held[i].object);
    fake_cuda_last_error = cudaSuccess;
    current_device = 0;
    fake_cuda = (struct fake_cuda){
        .device_count = 1,
        .driver_version = 12040,
        .runtime_version = 13000,
        .name = "NVIDIA H200",
        .at = FAKE_CUDA_EVERY,
        .major = 9,
        .threads_per_sm = 2048,
        .blocks_per_sm = 32,
        .regs_per_thread = 16,
        .api_blocks_per_sm = 8,
        .resident_blocks = 8,
        .free_bytes = (size_t)1 << 30,
        .l2_bytes = 62914560,
        .launch_ms = 2, /* copies, too */
        .carveout_percent = -2,
        .smem_mode = -1,
        .reserved_smem_bytes = 1024,
        .counters_refused = "profiling is not permitted",
        .sm_groups = {12, {16, 16, 16, 16, 16, 18, 18, 8, 2, 2, 2, 2}},
    };
}

static bool happens_here(void)
{
    return fake_cuda.at == FAKE_CUDA_EVERY || fake_cuda.at == current_device;
}

/* Returns `code` on the device where it happens. */
static cudaError_t here(cudaError_t code)
{
    return happens_here() ? code : cudaSuccess;
}

static cudaError_t ends(cudaError_t code)
{
    if (code != cudaSuccess)
        fake_cuda_last_error = code;
    return code;
}

/* --- Devices ---------------------------------------------------------------------------------- */

/* Nothing crashes before a kernel is launched. */
static cudaError_t crash(void)
{
    return fake_cuda.launched_on & 1u << current_device ? here(fake_cuda.crash) : cudaSuccess;
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t code = fake_cuda_last_error;
    fake_cuda_last_error = crash(); /* a crash is never cleared */
    return code;
}

const char *cudaGetErrorName(cudaError_t code)
{
    return code == cudaErrorInvalidValue           ? "cudaErrorInvalidValue"
           : code == cudaErrorInvalidConfiguration ? "cudaErrorInvalidConfiguration"
           : code == cudaErrorLaunchOutOfResources ? "cudaErrorLaunchOutOfResources"
                                                   : "cudaErrorOther";
}

const char *cudaGetErrorString(cudaError_t code)
{
    return code == cudaErrorInvalidValue ? "invalid argument" : "as the test wants it";
}

cudaError_t cudaGetDeviceCount(int *count)
{
    while (fake_cuda.start_hangs)
        pause();
    if (fake_cuda.start_crashes)
        raise(SIGSEGV);
    *count = fake_cuda.device_count;
    return ends(fake_cuda.device_count_error);
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = fake_cuda.driver_version;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = fake_cuda.runtime_version;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    if (device >= fake_cuda.device_count)
        return ends(cudaErrorInvalidDevice);
    current_device = device;
    return ends(here(fake_cuda.use_error));
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    if (fake_cuda.unreadable && (fake_cuda.at == FAKE_CUDA_EVERY || fake_cuda.at == device))
        return ends(cudaErrorUnknown);
    *properties = (struct cudaDeviceProp){
        .uuid.bytes = {(char)device, 0x1e, 0x2d, 0x3c, 0x4b, 0x5a, 0x69, 0x78, 0x07, 0x16, 0x25,
                       0x34, 0x43, 0x52, 0x61, 0x70},
        .totalGlobalMem = 150109945856,
        .sharedMemPerBlock = DEFAULT_SMEM,
        .regsPerBlock = REGISTERS,
        .warpSize = 32,
        .maxThreadsPerBlock = 1024,
        .maxGridSize = {INT_MAX, 65535, 65535},
        .maxThreadsDim = {1024, 1024, 64},
        .major = fake_cuda.major,
        .minor = fake_cuda.minor,
        .multiProcessorCount = SM_COUNT,
        .l2CacheSize = fake_cuda.l2_bytes,
        .maxThreadsPerMultiProcessor = fake_cuda.threads_per_sm,
        .sharedMemPerMultiprocessor = 233472,
        .regsPerMultiprocessor = REGISTERS,
        .sharedMemPerBlockOptin = OPT_IN_SMEM,
        .maxBlocksPerMultiProcessor = fake_cuda.blocks_per_sm,
        .reservedSharedMemPerBlock = 1024,
    };
    snprintf(properties->name, sizeof properties->name, "%s", fake_cuda.name);
    return cudaSuccess;
}

/* Values from driver_types.h of CUDA 13.5, for which older toolkits have no names. */
enum { SMEM_MODE_ATTRIBUTE = 16, OVERSIZED_SMEM_ATTRIBUTE = 150, FIRST_WITH_MODES = 13050 };

static bool knows_modes(void)
{
    return fake_cuda.driver_version >= FIRST_WITH_MODES &&
           fake_cuda.runtime_version >= FIRST_WITH_MODES;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    (void)device;
    if ((int)attribute == OVERSIZED_SMEM_ATTRIBUTE && !knows_modes())
        return ends(cudaErrorInvalidValue);
    *value = (int)attribute == OVERSIZED_SMEM_ATTRIBUTE             ? fake_cuda.oversized_smem_bytes
             : attribute == cudaDevAttrClockRate                    ? 1980000
             : attribute == cudaDevAttrMemoryClockRate              ? 3201000
             : attribute == cudaDevAttrGlobalMemoryBusWidth         ? 6016
             : attribute == cudaDevAttrComputeMode                  ? fake_cuda.compute_mode
             : attribute == cudaDevAttrReservedSharedMemoryPerBlock ? fake_cuda.reserved_smem_bytes
                                                                    : 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *id, int length, int device)
{
    snprintf(id, (size_t)length, "0000:00:%02x.0", device);
    return cudaSuccess;
}

static bool runs_for_ever(void)
{
    return fake_cuda.endless_from > 0 && fake_cuda.launches >= fake_cuda.endless_from;
}

/* Calls that wait for the GPU would never return after an endless kernel. */
static void wait_for_gpu(const char *call)
{
    if (!runs_for_ever())
        return;
    fprintf(stderr, "fake_cuda: %s waits for ever\n", call);
    abort();
}

cudaError_t cudaDeviceSynchronize(void)
{
    wait_for_gpu("cudaDeviceSynchronize");
    return ends(here(fake_cuda.crash));
}

/* Functions for the host that the queue has not come to: it does when it is asked. */
static _Thread_local struct {
    cudaHostFn_t function;
    void *data;
} pending[4];
static _Thread_local int pending_count;

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data)
{
    (void)stream;
    if (fake_cuda.queue_is_full) {
        function(data);
        return cudaSuccess;
    }
    if (pending_count == (int)(sizeof pending / sizeof *pending))
        return ends(cudaErrorMemoryAllocation);
    pending[pending_count].function = function;
    pending[pending_count++].data = data;
    return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    (void)stream;
    if (runs_for_ever()) {
        fake_cuda_busy_us += 1000;
        return ends(cudaErrorNotReady);
    }
    while (pending_count > 0) {
        pending_count--;
        pending[pending_count].function(pending[pending_count].data);
    }
    return ends(crash());
}

/* --- Memory ----------------------------------------------------------------------------------- */

cudaError_t cudaMemGetInfo(size_t *available, size_t *installed)
{
    *available = *installed = fake_cuda.free_bytes;
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    wait_for_gpu("cudaMalloc");
    *memory = hold(bytes, &fake_cuda.allocations);
    return *memory ? cudaSuccess : ends(cudaErrorMemoryAllocation);
}

cudaError_t cudaFree(void *memory)
{
    wait_for_gpu("cudaFree");
    let_go(memory);
    return cudaSuccess;
}

cudaError_t cudaMemset(void *memory, int value, size_t bytes)
{
    wait_for_gpu("cudaMemset");
    memset(memory, value, bytes);
    return ends(crash());
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    wait_for_gpu("cudaMemcpy");
    if (kind == cudaMemcpyDeviceToDevice)
        fake_cuda.launch_ms = fake_cuda.fault.kind == FAKE_SLOW && happens_here() ? 4 : 2;
    memcpy(to, from, bytes);
    return ends(crash());
}

cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t stream)
{
    (void)stream;
    fake_cuda.is_cold = true;
    memset(memory, value, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    (void)kind, (void)stream;
    memcpy(to, from, bytes);
    return cudaSuccess;
}

/* --- Textures and surfaces -------------------------------------------------------------------- */

/* Texels in row-major order follow. */
struct cudaArray {
    size_t texel_bytes;
    struct cudaExtent extent; /* at least 1 each */
    unsigned flags;
};

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format,
                              struct cudaExtent extent, unsigned flags)
{
    enum { MOST_WIDTH = 131072 }; /* of one dimension, on an H200 */
    const size_t texel = (size_t)(format->x + format->y + format->z + format->w) / 8;
    const struct cudaExtent whole = {extent.width, extent.height ? extent.height : 1,
                                     extent.depth ? extent.depth : 1};
    wait_for_gpu("cudaMalloc3DArray");
    if (extent.width > MOST_WIDTH)
        return ends(cudaErrorInvalidValue);
    *array = hold(sizeof **array + whole.width * whole.height * whole.depth * texel,
                  &fake_cuda.allocations);
    if (!*array)
        return ends(cudaErrorMemoryAllocation);
    **array = (struct cudaArray){texel, whole, flags};
    return cudaSuccess;
}

cudaError_t cudaFreeArray(cudaArray_t array)
{
    return cudaFree(array);
}

/* Whole arrays, from and to linear memory without gaps. */
cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *copy, cudaStream_t stream)
{
    (void)stream;
    const struct cudaArray *array = copy->srcArray ? copy->srcArray : copy->dstArray;
    const struct cudaPitchedPtr *linear = copy->srcArray ? &copy->dstPtr : &copy->srcPtr;
    const struct cudaExtent *extent = &array->extent;
    if (copy->extent.width != extent->width || copy->extent.height != extent->height ||
        copy->extent.depth != extent->depth || linear->ysize != extent->height ||
        linear->pitch != extent->width * array->texel_bytes)
        return ends(cudaErrorInvalidValue);
    const size_t bytes = linear->pitch * extent->height * extent->depth;
    if (copy->srcArray)
        memcpy(linear->ptr, copy->srcArray + 1, bytes);
    else
        memcpy(copy->dstArray + 1, linear->ptr, bytes);
    return cudaSuccess;
}

/* An object is the address of its texels. */
static cudaError_t make_object(unsigned long long *object, const struct cudaResourceDesc *over)
{
    const bool is_array = over->resType == cudaResourceTypeArray;
    *object =
        is_array ? (uintptr_t)(over->res.array.array + 1) : (uintptr_t)over->res.linear.devPtr;
    return cudaSuccess;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object,
                                    const struct cudaResourceDesc *over,
                                    const struct cudaTextureDesc *reading,
                                    const struct cudaResourceViewDesc *view)
{
    const bool repeats = reading->addressMode[0] == cudaAddressModeWrap ||
                         reading->addressMode[0] == cudaAddressModeMirror;
    if (view || (repeats && !reading->normalizedCoords))
        return ends(cudaErrorInvalidValue);
    return make_object(object, over);
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object)
{
    (void)object;
    return cudaSuccess;
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object,
                                    const struct cudaResourceDesc *over)
{
    if (over->resType != cudaResourceTypeArray ||
        !(over->res.array.array->flags & cudaArraySurfaceLoadStore))
        return ends(cudaErrorInvalidValue);
    return make_object(object, over);
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object)
{
    (void)object;
    return cudaSuccess;
}

/* --- Kernels ---------------------------------------------------------------------------------- */

/* The runtime does not receive the length of machine code. */
static size_t bytes_of(const char *code)
{
    Elf64_Ehdr file;
    memcpy(&file, code, sizeof file);
    size_t end = file.e_shoff + (size_t)file.e_shnum * file.e_shentsize;
    size_t behind = file.e_phoff + (size_t)file.e_phnum * file.e_phentsize;
    end = behind > end ? behind : end;
    for (size_t i = 0; i < file.e_shnum; i++) {
        Elf64_Shdr section;
        memcpy(&section, code + file.e_shoff + i * file.e_shentsize, sizeof section);
        behind = section.sh_type == SHT_NOBITS ? 0 : section.sh_offset + section.sh_size;
        end = behind > end ? behind : end;
    }
    return end;
}

static int regs_of(const void *code)
{
    struct smc_cubin cubin;
    if (smc_cubin_open(code, bytes_of(code), &cubin, NULL) != SMC_OK)
        return 0;
    int regs = cubin.kernel_count > 0 ? (int)cubin.kernel[0].regs_per_thread : 0;
    smc_cubin_close(&cubin);
    return regs;
}

/* PTX of an ISA that the driver knows: of CUDA 12.4, as its version says. */
static bool is_known_ptx(const char *code)
{
    double version;
    return sscanf(code, ".version %lf", &version) == 1 && version <= 8.4;
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code,
                                enum cudaJitOption *jit_options, void **jit_values,
                                unsigned jit_count, enum cudaLibraryOption *options, void **values,
                                unsigned count)
{
    (void)jit_options, (void)jit_values, (void)jit_count, (void)options, (void)values, (void)count;
    if (here(fake_cuda.load_error) != cudaSuccess)
        return ends(fake_cuda.load_error);
    if (memcmp(code, "\177ELF", 4) != 0 && !is_known_ptx(code))
        return ends(cudaErrorInvalidSource);
    struct CUkern_st *kernel = hold(sizeof *kernel, &fake_cuda.libraries);
    if (!kernel)
        return ends(cudaErrorMemoryAllocation);
    kernel->regs_per_thread =
        fake_cuda.regs_per_thread > 0 ? fake_cuda.regs_per_thread : regs_of(code);
    *library = (cudaLibrary_t)kernel;
    return cudaSuccess;
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library)
{
    wait_for_gpu("cudaLibraryUnload");
    let_go(library);
    return cudaSuccess;
}

/* A library holds one kernel and is that kernel. */
cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name)
{
    *kernel = (cudaKernel_t)library;
    snprintf((*kernel)->name, sizeof(*kernel)->name, "%s", name);
    (*kernel)->max_dynamic_smem_bytes = DEFAULT_SMEM - fake_cuda.static_smem_bytes;
    return cudaSuccess;
}

/* And it has one variable, of any name. */
cudaError_t cudaLibraryGetGlobal(void **place, size_t *bytes, cudaLibrary_t library,
                                 const char *name)
{
    struct CUkern_st *kernel = (struct CUkern_st *)library;
    (void)name;
    *place = kernel->variable;
    *bytes = sizeof kernel->variable;
    return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function)
{
    const struct CUkern_st *kernel = function;
    *attributes = (struct cudaFuncAttributes){
        .numRegs = kernel->regs_per_thread,
        .sharedSizeBytes = (size_t)fake_cuda.static_smem_bytes,
        .maxThreadsPerBlock = 1024,
        .maxDynamicSharedSizeBytes = kernel->max_dynamic_smem_bytes,
    };
    return cudaSuccess;
}

static cudaError_t set_smem_mode(struct CUkern_st *kernel, int mode)
{
    int oversized = fake_cuda.oversized_smem_bytes ? fake_cuda.oversized_smem_bytes : OPT_IN_SMEM;
    const int most[] = {DEFAULT_SMEM, DEFAULT_SMEM, OPT_IN_SMEM, oversized, oversized};
    if (!knows_modes() || mode < 0 || mode >= (int)(sizeof most / sizeof *most))
        return ends(cudaErrorInvalidValue);
    fake_cuda.smem_mode = mode;
    kernel->max_dynamic_smem_bytes = most[mode] - fake_cuda.static_smem_bytes;
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value)
{
    struct CUkern_st *kernel = (struct CUkern_st *)(uintptr_t)function;
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) {
        fake_cuda.carveout_percent = value;
        return cudaSuccess;
    }
    if (attribute == cudaFuncAttributeNonPortableClusterSizeAllowed) {
        kernel->has_large_clusters = value != 0;
        return cudaSuccess;
    }
    if ((int)attribute == SMEM_MODE_ATTRIBUTE)
        return set_smem_mode(kernel, value);
    if (value + fake_cuda.static_smem_bytes > OPT_IN_SMEM)
        return ends(cudaErrorInvalidValue);
    kernel->max_dynamic_smem_bytes = value;
    return cudaSuccess;
}

/* As many blocks as the model predicts. */
static uint32_t predicted_blocks(const struct CUkern_st *kernel, uint32_t threads,
                                 uint32_t smem_bytes)
{
    struct smc_capability capability;
    struct smc_device device;
    struct smc_occupancy occupancy;
    struct smc_launch launch = SMC_LAUNCH_INIT;
    smc_capability_find(90, &capability);
    smc_device_of_capability(&capability, &device);
    launch.threads_per_block = threads;
    launch.regs_per_thread = (uint32_t)kernel->regs_per_thread;
    launch.dynamic_smem_bytes = smem_bytes;
    smc_occupancy_compute(&device.sm, &launch, &occupancy);
    return occupancy.blocks_per_sm;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function,
                                                          int threads, size_t dynamic_smem_bytes)
{
    const struct CUkern_st *kernel = function;
    bool fits = dynamic_smem_bytes <= (size_t)kernel->max_dynamic_smem_bytes && threads <= 1024 &&
                threads * kernel->regs_per_thread <= REGISTERS;
    *blocks = !fits ? 0
              : strcmp(kernel->name, "ceiling_launch") == 0
                  ? (int)predicted_blocks(kernel, (uint32_t)threads, (uint32_t)dynamic_smem_bytes)
                  : fake_cuda.api_blocks_per_sm;
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *function,
                                           const cudaLaunchConfig_t *config)
{
    enum { PORTABLE = 8, LARGEST = 16 };
    const struct CUkern_st *kernel = function;
    const dim3 block = config->blockDim;
    uint32_t size = 1;
    for (unsigned i = 0; i < config->numAttrs; i++)
        if (config->attrs[i].id == cudaLaunchAttributeClusterDimension)
            size = config->attrs[i].val.clusterDim.x * config->attrs[i].val.clusterDim.y *
                   config->attrs[i].val.clusterDim.z;
    if (size > (kernel->has_large_clusters ? LARGEST : PORTABLE))
        return ends(cudaErrorInvalidClusterSize);
    *clusters = (int)smc_resident_clusters(
        SM_COUNT, &fake_cuda.sm_groups, size,
        predicted_blocks(kernel, block.x * block.y * block.z, (uint32_t)config->dynamicSmemBytes));
    *clusters += fake_cuda.clusters_are_odd && size == 3;
    return cudaSuccess;
}

/* An H200's value according to NVIDIA's header: before CUDA 13.5 without the driver's reserve. */
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function,
                                                      int blocks, int threads)
{
    enum { PER_SM = 233472, UNIT = 128 };
    const struct CUkern_st *kernel = function;
    (void)threads;
    int reserve = fake_cuda.driver_version < FIRST_WITH_MODES ? 0 : fake_cuda.reserved_smem_bytes;
    int most = PER_SM / blocks / UNIT * UNIT - fake_cuda.static_smem_bytes - reserve;
    if (fake_cuda.available_smem_is_wrong)
        most -= UNIT;
    *bytes =
        (size_t)(most < kernel->max_dynamic_smem_bytes ? most : kernel->max_dynamic_smem_bytes);
    return cudaSuccess;
}

static void run_stencil(void **arguments)
{
    const int *input = *(int **)arguments[0];
    int *output = *(int **)arguments[1];
    long long outputs = *(long long *)arguments[2];
    int radius = *(int *)arguments[3];
    for (long long i = 0; i < outputs; i++) {
        output[i] = 0;
        for (int k = 0; k <= 2 * radius; k++)
            output[i] += input[i + k];
    }
    if (fake_cuda.wrong_result && happens_here())
        output[outputs / 2]++;
}

/* A user's own kernel. It takes 48 ms longer if its input is not that of the first launch, and 1 ms
   longer with a cold cache, so that the time tells what was done before the launch. */
static void run_twice(void **arguments)
{
    int *values = *(int **)arguments[0];
    int count = *(int *)arguments[1];
    if (fake_cuda.first_input == 0)
        fake_cuda.first_input = values[count - 1];
    float restored = values[count - 1] == fake_cuda.first_input ? 0 : 48;
    fake_cuda.launch_ms = fake_cuda.launch_ms + restored + (float)fake_cuda.is_cold;
    fake_cuda.is_cold = false;
    for (int i = 0; i < count; i++)
        values[i] = (int)(2u * (unsigned)values[i]); /* as on a GPU, without overflow */
    if (fake_cuda.wrong_result && happens_here())
        values[count / 2]++;
}

/* Another one: its threads add in the opposite order. */
static void run_add(void **arguments)
{
    float *sum = *(float **)arguments[0];
    const float *values = *(float **)arguments[1];
    int count = *(int *)arguments[2];
    for (int i = count; i-- > 0;)
        *sum += values[i];
    if (fake_cuda.wrong_result && happens_here())
        *sum += 1;
}

/* Adds a texture to a surface. It takes 48 ms longer if that does not begin as in the first launch.
 */
static void run_paint(void **arguments)
{
    const int *texture = *(int **)arguments[0];
    int *surface = *(int **)arguments[1];
    int count = *(int *)arguments[2];
    if (fake_cuda.first_input == 0)
        fake_cuda.first_input = surface[count - 1];
    const float restored = surface[count - 1] == fake_cuda.first_input ? 0 : 48;
    fake_cuda.launch_ms = fake_cuda.launch_ms + restored;
    for (int i = 0; i < count; i++)
        surface[i] += texture[i];
}

/* All SMs but one reach the number of blocks. */
static void run_residency(const struct CUkern_st *kernel, uint32_t threads, uint32_t smem_bytes,
                          void **arguments)
{
    uint32_t *peak = *(uint32_t **)arguments[1];
    uint32_t blocks = fake_cuda.computes ? predicted_blocks(kernel, threads, smem_bytes)
                                         : fake_cuda.resident_blocks;
    if (fake_cuda.fault.kind == FAKE_RESIDENT && happens_here())
        blocks--;
    for (int i = 0; i < SM_COUNT; i++)
        peak[i] = blocks - (i == 0);
    if (fake_cuda.cluster_blocks > 1) { /* as many as the driver says, on the first SMs */
        uint64_t left = smc_resident_clusters(SM_COUNT, &fake_cuda.sm_groups,
                                              fake_cuda.cluster_blocks, blocks) *
                        fake_cuda.cluster_blocks;
        for (int i = 0; i < SM_COUNT; i++) {
            peak[i] = (uint32_t)(left < blocks ? left : blocks);
            left -= peak[i];
        }
    }
    fake_cuda.probe_launches++;
}

static bool run_check(const struct CUkern_st *kernel, uint32_t blocks, void **arguments)
{
    static const struct fake_fault none = {FAKE_NO_FAULT, {0}};
    if (fake_cuda.fault.kind == FAKE_DIES && happens_here())
        raise(SIGKILL);
    return fake_cuda.computes &&
           fake_health_run(kernel->name, blocks, SM_COUNT, arguments,
                           happens_here() ? &fake_cuda.fault : &none, bytes_of_held);
}

/* clocks, nanoseconds, address: a million nanoseconds at 1500 MHz, whatever the work. */
static void run_ceiling(void **arguments)
{
    uint64_t *sight = *(uint64_t **)arguments[0];
    sight[0] = 1500000;
    sight[1] = 1000000;
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                             size_t dynamic_smem_bytes, cudaStream_t stream)
{
    const struct CUkern_st *kernel = function;
    (void)stream;
    fake_cuda.launches++;
    fake_cuda.last_dynamic_smem_bytes = (unsigned)dynamic_smem_bytes;
    fake_cuda.launch_ms = strcmp(kernel->name, "stencil_naive") == 0 ? 6 : 2;
    if (fake_cuda.block_matters)
        fake_cuda.launch_ms = (float)(1 + abs((int)block.x - 256) / 1024.0);
    if (fake_cuda.wrong_block)
        fake_cuda.wrong_result = block.x == fake_cuda.wrong_block;
    if (fake_cuda.launches == fake_cuda.interrupted_at)
        raise(SIGINT);
    fake_cuda.launched_on |= 1u << current_device;
    while (fake_cuda.waits_for_all && fake_cuda.launched_on + 1 != 1u << fake_cuda.device_count)
        sched_yield();
    while (fake_cuda.hangs)
        pause();
    if (here(fake_cuda.launch_error) != cudaSuccess)
        return ends(fake_cuda.launch_error);
    if (block.x * block.y * block.z > 1024)
        return ends(cudaErrorInvalidConfiguration);
    if ((int)(block.x * block.y * block.z) * kernel->regs_per_thread > REGISTERS)
        return ends(cudaErrorLaunchOutOfResources);
    if (dynamic_smem_bytes > (size_t)kernel->max_dynamic_smem_bytes)
        return ends(cudaErrorInvalidValue);
    if (fake_cuda.product_ms > 0 && strcmp(kernel->name, "matmul_tiled") == 0)
        fake_cuda.launch_ms = fake_cuda.product_ms;
    if (fake_cuda.is_quick)
        fake_cuda.launch_ms = strcmp(kernel->name, "ceiling_launch") == 0 ? 0.004F : 0.02F;
    fake_cuda_busy_us += (uint64_t)(1000 * fake_cuda.launch_ms);
    if (run_check(kernel, grid.x, arguments))
        return cudaSuccess;
    if (strcmp(kernel->name, "residency") == 0)
        run_residency(kernel, block.x, (uint32_t)dynamic_smem_bytes, arguments);
    else if (strcmp(kernel->name, "stencil_naive") == 0 ||
             strcmp(kernel->name, "stencil_dynamic") == 0 ||
             strcmp(kernel->name, "stencil_window") == 0)
        run_stencil(arguments);
    else if (strcmp(kernel->name, "twice") == 0)
        run_twice(arguments);
    else if (strcmp(kernel->name, "add") == 0)
        run_add(arguments);
    else if (strcmp(kernel->name, "paint") == 0)
        run_paint(arguments);
    else if (strncmp(kernel->name, "ceiling_", 8) == 0 && arguments)
        run_ceiling(arguments);
    return cudaSuccess;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function,
                                void **arguments)
{
    const dim3 grid = config->gridDim;
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const dim3 cluster = {config->attrs[i].val.clusterDim.x, config->attrs[i].val.clusterDim.y,
                              config->attrs[i].val.clusterDim.z};
        if (config->attrs[i].id != cudaLaunchAttributeClusterDimension)
            continue;
        if (cluster.x == 0 || grid.x % cluster.x || grid.y % cluster.y || grid.z % cluster.z)
            return ends(cudaErrorInvalidClusterSize);
        fake_cuda.cluster_x = cluster.x;
        fake_cuda.cluster_blocks = cluster.x * cluster.y * cluster.z;
    }
    cudaError_t code = cudaLaunchKernel(function, grid, config->blockDim, arguments,
                                        config->dynamicSmemBytes, config->stream);
    fake_cuda.cluster_blocks = 0;
    return code;
}

cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block,
                                        void **arguments, size_t dynamic_smem_bytes,
                                        cudaStream_t stream)
{
    return cudaLaunchKernel(function, grid, block, arguments, dynamic_smem_bytes, stream);
}

/* --- Events: nothing waits; a launch takes what its kernel is said to ------------------------ */

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    *event = hold(1, &fake_cuda.events);
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    wait_for_gpu("cudaEventDestroy");
    let_go(event);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    (void)event, (void)stream;
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to)
{
    (void)from, (void)to;
    *ms = fake_cuda.launch_ms;
    return cudaSuccess;
}
