/* The runtime API: CUDA arrays, copies of three dimensions, texture and surface objects. */
#include <string.h>

#include "guests/shim/shim_runtime.h"

struct channels {
    int x, y, z, w, kind;
};

enum { KIND_SIGNED, KIND_UNSIGNED, KIND_FLOAT };

API_OF(struct channels) cudaCreateChannelDesc(int x, int y, int z, int w, int kind)
{
    return (struct channels){x, y, z, w, kind};
}

/* --- Formats ---------------------------------------------------------------------------------- */

/* The driver's formats, by kind and bits. */
static const struct {
    int kind, bits;
    uint32_t format;
} formats[] = {
    {KIND_UNSIGNED, 8, SHIM_FORMAT_U8},   {KIND_UNSIGNED, 16, SHIM_FORMAT_U16},
    {KIND_UNSIGNED, 32, SHIM_FORMAT_U32}, {KIND_SIGNED, 8, SHIM_FORMAT_S8},
    {KIND_SIGNED, 16, SHIM_FORMAT_S16},   {KIND_SIGNED, 32, SHIM_FORMAT_S32},
    {KIND_FLOAT, 16, SHIM_FORMAT_F16},    {KIND_FLOAT, 32, SHIM_FORMAT_F32},
};

/* Format and number of channels; false: CUDA has no such channels. */
static bool runtime_arrays_set_format(const struct channels *channels, uint32_t *format,
                                      uint32_t *count)
{
    const int bits[] = {channels->x, channels->y, channels->z, channels->w};
    *count = 0;
    while (*count < 4 && bits[*count] > 0)
        ++*count;
    for (uint32_t i = 0; i < 4; i++)
        if (bits[i] != (i < *count ? bits[0] : 0))
            return false;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].kind == channels->kind && formats[i].bits == bits[0]) {
            *format = formats[i].format;
            return *count != 3;
        }
    return false;
}

static struct channels channels_of(uint32_t format, uint32_t count)
{
    size_t i = 0;
    while (i + 1 < sizeof formats / sizeof *formats && formats[i].format != format)
        i++;
    const int bits = formats[i].bits;
    return (struct channels){bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 3 ? bits : 0,
                             formats[i].kind};
}

/* --- Arrays ----------------------------------------------------------------------------------- */

API cudaMalloc3DArray(void **array, const struct channels *channels, struct shim_extent extent,
                      unsigned flags)
{
    struct shim_array_3d shape = {
        .width = extent.width, .height = extent.height, .depth = extent.depth, .flags = flags};
    START();
    if (!array || !channels || !runtime_arrays_set_format(channels, &shape.format, &shape.channels))
        return shim_noted(SHIM_INVALID_VALUE);
    return shim_noted(cuArray3DCreate_v2(array, &shape));
}

API_RETURNS(cudaMallocArray,
            (void **array, const struct channels *channels, size_t width, size_t height,
             unsigned flags),
            cudaMalloc3DArray(array, channels, (struct shim_extent){width, height, 0}, flags))
API_FORWARDS(cudaFreeArray, (void *array), array ? cuArrayDestroy(array) : SHIM_SUCCESS)

/* What a call says of an array that is none. */
static int shape_of(const void *array, struct shim_array_3d *shape)
{
    const int error = cuArray3DGetDescriptor_v2(shape, array);
    return error == SHIM_INVALID_HANDLE ? SHIM_INVALID_VALUE : error;
}

API cudaArrayGetInfo(struct channels *channels, struct shim_extent *extent, unsigned *flags,
                     const void *array)
{
    struct shim_array_3d shape;
    START();
    const int error = shape_of(array, &shape);
    if (error != SHIM_SUCCESS)
        return shim_noted(error);
    if (channels)
        *channels = channels_of(shape.format, shape.channels);
    if (extent)
        *extent = (struct shim_extent){shape.width, shape.height, shape.depth};
    if (flags)
        *flags = shape.flags;
    return SHIM_SUCCESS;
}

API_RETURNS(cudaGetChannelDesc, (struct channels * channels, const void *array),
            cudaArrayGetInfo(channels, NULL, NULL, array))

static size_t element_bytes(const struct shim_array_3d *shape)
{
    const struct channels channels = channels_of(shape->format, shape->channels);
    return (size_t)(channels.x + channels.y + channels.z + channels.w) / 8;
}

/* --- Copies ----------------------------------------------------------------------------------- */

/* Memory without a pitch has rows as long as the copy. */
static struct shim_copy_end memory_end(const void *at, size_t pitch, int kind, bool is_to)
{
    const bool of_device =
        kind == DEVICE_TO_DEVICE || kind == (is_to ? HOST_TO_DEVICE : DEVICE_TO_HOST);
    return (struct shim_copy_end){.type = kind == BY_ADDRESS ? SHIM_MEMORY_TYPE_UNIFIED
                                          : of_device        ? SHIM_MEMORY_TYPE_DEVICE
                                                             : SHIM_MEMORY_TYPE_HOST,
                                  .at_host = at,
                                  .at_device = shim_address(at),
                                  .pitch = pitch};
}

static struct shim_copy_end array_end(const void *array, size_t x_bytes, size_t y)
{
    return (struct shim_copy_end){.type = SHIM_MEMORY_TYPE_ARRAY,
                                  .array = (void *)(uintptr_t)array,
                                  .x_bytes = x_bytes,
                                  .y = y};
}

static int copy_rows(struct shim_copy_end to, struct shim_copy_end from, size_t width,
                     size_t height, void *stream)
{
    START();
    const struct shim_copy_3d plan = {
        .to = to, .from = from, .width_bytes = width, .height = height, .depth = 1};
    return shim_noted(cuMemcpy3DAsync_v2(&plan, stream));
}

API_RETURNS(cudaMemcpy2DToArray,
            (void *to, size_t x_bytes, size_t y, const void *from, size_t pitch, size_t width,
             size_t height, int kind),
            copy_rows(array_end(to, x_bytes, y), memory_end(from, pitch, kind, false), width,
                      height, NULL))
API_RETURNS(cudaMemcpy2DToArrayAsync,
            (void *to, size_t x_bytes, size_t y, const void *from, size_t pitch, size_t width,
             size_t height, int kind, void *stream),
            copy_rows(array_end(to, x_bytes, y), memory_end(from, pitch, kind, false), width,
                      height, stream))
API_RETURNS(cudaMemcpy2DFromArray,
            (void *to, size_t pitch, const void *from, size_t x_bytes, size_t y, size_t width,
             size_t height, int kind),
            copy_rows(memory_end(to, pitch, kind, true), array_end(from, x_bytes, y), width, height,
                      NULL))
API_RETURNS(cudaMemcpy2DFromArrayAsync,
            (void *to, size_t pitch, const void *from, size_t x_bytes, size_t y, size_t width,
             size_t height, int kind, void *stream),
            copy_rows(memory_end(to, pitch, kind, true), array_end(from, x_bytes, y), width, height,
                      stream))
API_RETURNS(cudaMemcpy2DArrayToArray,
            (void *to, size_t to_x, size_t to_y, const void *from, size_t from_x, size_t from_y,
             size_t width, size_t height, int kind),
            copy_rows(array_end(to, to_x, to_y), array_end(from, from_x, from_y), width, height,
                      NULL))

/* Bytes that go on in the next row of the array. */
static int runtime_arrays_copy_bytes(const void *array, size_t x_bytes, size_t y, void *memory,
                                     size_t bytes, int kind, bool to_array)
{
    struct shim_array_3d shape;
    START();
    const int error = shape_of(array, &shape);
    if (error != SHIM_SUCCESS)
        return shim_noted(error);
    void *at = (void *)(uintptr_t)array;
    const size_t offset = y * shape.width * element_bytes(&shape) + x_bytes;
    const bool of_device = kind == DEVICE_TO_DEVICE;
    if (to_array)
        return shim_noted(of_device ? cuMemcpyDtoA_v2(at, offset, shim_address(memory), bytes)
                                    : cuMemcpyHtoA_v2(at, offset, memory, bytes));
    return shim_noted(of_device ? cuMemcpyAtoD_v2(shim_address(memory), at, offset, bytes)
                                : cuMemcpyAtoH_v2(memory, at, offset, bytes));
}

API_RETURNS(cudaMemcpyToArray,
            (void *to, size_t x_bytes, size_t y, const void *from, size_t bytes, int kind),
            runtime_arrays_copy_bytes(to, x_bytes, y, (void *)(uintptr_t)from, bytes, kind, true))
API_RETURNS(cudaMemcpyToArrayAsync,
            (void *to, size_t x_bytes, size_t y, const void *from, size_t bytes, int kind,
             void *stream),
            cudaMemcpyToArray(to, x_bytes, y, from, bytes, kind))
API_RETURNS(cudaMemcpyFromArray,
            (void *to, const void *from, size_t x_bytes, size_t y, size_t bytes, int kind),
            runtime_arrays_copy_bytes(from, x_bytes, y, to, bytes, kind, false))
API_RETURNS(cudaMemcpyFromArrayAsync,
            (void *to, const void *from, size_t x_bytes, size_t y, size_t bytes, int kind,
             void *stream),
            cudaMemcpyFromArray(to, from, x_bytes, y, bytes, kind))

/* --- Three dimensions ------------------------------------------------------------------------- */

API cudaMalloc3D(struct shim_pitched *out, struct shim_extent extent)
{
    uint64_t address = 0;
    START();
    *out = (struct shim_pitched){.width = extent.width, .height = extent.height};
    const int error =
        cuMemAllocPitch_v2(&address, &out->pitch, extent.width, extent.height * extent.depth, 4);
    out->at = (void *)(uintptr_t)address;
    return shim_noted(error);
}

/* Of arrays the first coordinate and the width are in elements. */
int shim_copy_in_driver(const struct shim_runtime_copy *plan, struct shim_copy_3d *out)
{
    struct shim_array_3d to = {.width = 0}, from = {.width = 0};
    int error = plan->to_array ? shape_of(plan->to_array, &to) : SHIM_SUCCESS;
    if (error == SHIM_SUCCESS && plan->from_array)
        error = shape_of(plan->from_array, &from);
    if (error != SHIM_SUCCESS)
        return error;
    const size_t to_element = plan->to_array ? element_bytes(&to) : 1;
    const size_t from_element = plan->from_array ? element_bytes(&from) : 1;
    *out = (struct shim_copy_3d){
        .to = plan->to_array ? array_end(plan->to_array, 0, 0)
                             : memory_end(plan->to.at, plan->to.pitch, plan->kind, true),
        .from = plan->from_array ? array_end(plan->from_array, 0, 0)
                                 : memory_end(plan->from.at, plan->from.pitch, plan->kind, false),
        .width_bytes = plan->extent.width * (plan->to_array ? to_element : from_element),
        .height = plan->extent.height,
        .depth = plan->extent.depth};
    out->to.x_bytes = plan->to_x * to_element;
    out->to.y = plan->to_y;
    out->to.z = plan->to_z;
    out->to.height = plan->to.height;
    out->from.x_bytes = plan->from_x * from_element;
    out->from.y = plan->from_y;
    out->from.z = plan->from_z;
    out->from.height = plan->from.height;
    return SHIM_SUCCESS;
}

API_IN_DRIVER(cudaMemcpy3D, (const struct shim_runtime_copy *plan), shim_copy_3d,
              shim_copy_in_driver(plan, &full), cuMemcpy3D_v2(&full))
API_IN_DRIVER(cudaMemcpy3DAsync, (const struct shim_runtime_copy *plan, void *stream), shim_copy_3d,
              shim_copy_in_driver(plan, &full), cuMemcpy3DAsync_v2(&full, stream))

API cudaMemset3D(struct shim_pitched to, int value, struct shim_extent extent)
{
    START();
    int error = SHIM_SUCCESS;
    for (size_t z = 0; z < extent.depth && error == SHIM_SUCCESS; z++)
        error = cuMemsetD2D8_v2(shim_address(to.at) + z * to.height * to.pitch, to.pitch,
                                (uint8_t)value, extent.width, extent.height);
    return shim_noted(error);
}

API_RETURNS(cudaMemset3DAsync,
            (struct shim_pitched to, int value, struct shim_extent extent, void *stream),
            cudaMemset3D(to, value, extent))

/* --- Textures and surfaces -------------------------------------------------------------------- */

struct resource {
    int type;
    union {
        void *array;
        struct {
            void *at;
            struct channels channels;
            size_t width, height, pitch;
        } memory;
        int all[32];
    } of;
    unsigned flags;
};

struct texture {
    int address[3], filter, as_float, srgb;
    float border[4];
    int normalized;
    unsigned anisotropy;
    int level_filter;
    float level_bias, least_level, greatest_level;
};

static bool runtime_arrays_set_resource(const struct resource *from, struct shim_resource *to)
{
    *to = (struct shim_resource){.type = (uint32_t)from->type};
    if (from->type != SHIM_RESOURCE_LINEAR && from->type != SHIM_RESOURCE_PITCH) {
        to->of.array = from->of.array;
        return true;
    }
    to->of.memory.address = shim_address(from->of.memory.at);
    to->of.memory.width = from->of.memory.width;
    if (from->type == SHIM_RESOURCE_PITCH) {
        to->of.memory.height = from->of.memory.height;
        to->of.memory.pitch = from->of.memory.pitch;
    }
    return runtime_arrays_set_format(&from->of.memory.channels, &to->of.memory.format,
                                     &to->of.memory.channels);
}

static int noted_object(int error)
{
    return shim_noted(error == SHIM_INVALID_HANDLE ? SHIM_INVALID_VALUE : error);
}

API cudaCreateTextureObject(uint64_t *handle, const struct resource *resource,
                            const struct texture *texture, const void *view)
{
    struct shim_resource place;
    struct shim_texture description = {.flags = 0};
    START();
    if (!handle || !resource || !texture || !runtime_arrays_set_resource(resource, &place))
        return shim_noted(SHIM_INVALID_VALUE);
    for (int i = 0; i < 3; i++)
        description.address[i] = (uint32_t)texture->address[i];
    memcpy(description.border, texture->border, sizeof description.border);
    description.filter = (uint32_t)texture->filter;
    description.flags = (texture->as_float ? 0 : SHIM_TEXTURE_AS_INTEGER) |
                        (texture->normalized ? SHIM_TEXTURE_NORMALIZED : 0) |
                        (texture->srgb ? SHIM_TEXTURE_SRGB : 0);
    return noted_object(cuTexObjectCreate(handle, &place, &description, view));
}

API_FORWARDS(cudaDestroyTextureObject, (uint64_t handle),
             handle ? cuTexObjectDestroy(handle) : SHIM_SUCCESS)

API cudaCreateSurfaceObject(uint64_t *handle, const struct resource *resource)
{
    struct shim_resource place;
    START();
    if (!handle || !resource || !runtime_arrays_set_resource(resource, &place))
        return shim_noted(SHIM_INVALID_VALUE);
    return noted_object(cuSurfObjectCreate(handle, &place));
}

API_FORWARDS(cudaDestroySurfaceObject, (uint64_t handle),
             handle ? cuSurfObjectDestroy(handle) : SHIM_SUCCESS)
