/* The driver API on the emulator: CUDA arrays, copies of two and three dimensions, and the texture
   and surface objects that kernels read arrays or linear memory through. An array's elements are in
   row-major order in memory of its own. */
#include <stdlib.h>

#include "base/memory.h"
#include "guests/shim/driver.h"

struct shim_array {
    struct shim_array *next;
    uint64_t address;
    struct shim_array_3d shape; /* as it was asked for: 0 where there is no dimension */
};

struct object {
    struct smc_emulated_texture texture; /* its array is found at each launch */
    uint64_t address, bytes;             /* 0: the object was destroyed */
    bool is_surface;
    struct shim_resource resource;
    struct shim_texture description;
};

static struct shim_array *arrays;
static struct object *objects;
static size_t object_count;

/* --- Formats ---------------------------------------------------------------------------------- */

static const struct {
    uint32_t format;
    uint8_t bytes;
    enum smc_texel_kind kind;
} formats[] = {
    {SHIM_FORMAT_U8, 1, SMC_TEXEL_UNSIGNED},  {SHIM_FORMAT_U16, 2, SMC_TEXEL_UNSIGNED},
    {SHIM_FORMAT_U32, 4, SMC_TEXEL_UNSIGNED}, {SHIM_FORMAT_S8, 1, SMC_TEXEL_SIGNED},
    {SHIM_FORMAT_S16, 2, SMC_TEXEL_SIGNED},   {SHIM_FORMAT_S32, 4, SMC_TEXEL_SIGNED},
    {SHIM_FORMAT_F16, 2, SMC_TEXEL_FLOAT},    {SHIM_FORMAT_F32, 4, SMC_TEXEL_FLOAT},
};

static bool driver_arrays_set_format(uint32_t format, uint32_t channels,
                                     struct smc_emulated_texture *texture)
{
    if (channels != 1 && channels != 2 && channels != 4)
        return false;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].format == format) {
            texture->channels = (uint8_t)channels;
            texture->channel_bytes = formats[i].bytes;
            texture->kind = formats[i].kind;
            return true;
        }
    return false;
}

/* 0: no such format. */
static size_t texel_bytes(const struct shim_array_3d *shape)
{
    struct smc_emulated_texture texture;
    return driver_arrays_set_format(shape->format, shape->channels, &texture)
               ? (size_t)texture.channels * texture.channel_bytes
               : 0;
}

static size_t at_least_1(size_t extent)
{
    return extent > 0 ? extent : 1;
}

/* --- Arrays ----------------------------------------------------------------------------------- */

static bool is_array(const struct shim_array *array)
{
    const struct shim_array *item = arrays;
    while (item && item != array)
        item = item->next;
    return item != NULL;
}

API cuArray3DCreate_v2(struct shim_array **out, const struct shim_array_3d *shape)
{
    BEGIN;
    UNLESS_CAPTURED(UNSAFE, NULL);
    uint64_t bytes = shape ? texel_bytes(shape) : 0;
    const bool needs_depth = shape && (shape->flags & (SHIM_ARRAY_LAYERED | SHIM_ARRAY_CUBEMAP));
    if (!out || bytes == 0 || shape->width == 0 || (needs_depth && shape->depth == 0) ||
        (!needs_depth && shape->depth > 0 && shape->height == 0))
        return SHIM_INVALID_VALUE;
    if (__builtin_mul_overflow(bytes, shape->width, &bytes) ||
        __builtin_mul_overflow(bytes, at_least_1(shape->height), &bytes) ||
        __builtin_mul_overflow(bytes, at_least_1(shape->depth), &bytes))
        return SHIM_OUT_OF_MEMORY;
    struct shim_array *array = smc_calloc(1, sizeof *array);
    if (!array)
        return SHIM_OUT_OF_MEMORY;
    *array = (struct shim_array){.next = arrays,
                                 .address = shim_memory_allocate(bytes, SHIM_MEMORY_ARRAY, NULL),
                                 .shape = *shape};
    if (!array->address) {
        free(array);
        return SHIM_OUT_OF_MEMORY;
    }
    *out = arrays = array;
    return SHIM_SUCCESS;
}

API cuArrayCreate_v2(struct shim_array **out, const struct shim_array_2d *shape)
{
    const struct shim_array_3d full = {.width = shape->width,
                                       .height = shape->height,
                                       .format = shape->format,
                                       .channels = shape->channels};
    return cuArray3DCreate_v2(out, &full);
}

API cuArray3DGetDescriptor_v2(struct shim_array_3d *shape, const struct shim_array *array)
{
    BEGIN;
    if (!is_array(array))
        return SHIM_INVALID_HANDLE;
    *shape = array->shape;
    return SHIM_SUCCESS;
}

API cuArrayGetDescriptor_v2(struct shim_array_2d *shape, const struct shim_array *array)
{
    BEGIN;
    if (!is_array(array))
        return SHIM_INVALID_HANDLE;
    *shape = (struct shim_array_2d){array->shape.width, array->shape.height, array->shape.format,
                                    array->shape.channels};
    return SHIM_SUCCESS;
}

API cuArrayDestroy(struct shim_array *array)
{
    BEGIN;
    UNLESS_CAPTURED(UNSAFE, NULL);
    struct shim_array **item = &arrays;
    while (*item && *item != array)
        item = &(*item)->next;
    if (!*item)
        return SHIM_INVALID_HANDLE;
    *item = array->next;
    shim_memory_free(array->address);
    free(array);
    return SHIM_SUCCESS;
}

/* --- Copies ----------------------------------------------------------------------------------- */

/* One end of a copy. */
struct end {
    uint64_t address;
    size_t pitch, rows; /* of a slice */
    bool of_device;
};

static int find_end(const struct shim_copy_end *end, const struct shim_copy_3d *plan,
                    struct end *out)
{
    if (end->type != SHIM_MEMORY_TYPE_ARRAY) {
        const uint64_t base =
            end->type == SHIM_MEMORY_TYPE_HOST ? (uint64_t)(uintptr_t)end->at_host : end->at_device;
        const size_t pitch = end->pitch > 0 ? end->pitch : end->x_bytes + plan->width_bytes;
        const size_t rows = end->height > 0 ? end->height : end->y + plan->height;
        if (pitch < end->x_bytes + plan->width_bytes)
            return SHIM_INVALID_VALUE;
        *out = (struct end){base + (end->z * rows + end->y) * pitch + end->x_bytes, pitch, rows,
                            end->type == SHIM_MEMORY_TYPE_DEVICE};
        return SHIM_SUCCESS;
    }
    const struct shim_array *array = end->array;
    if (!is_array(array))
        return SHIM_INVALID_HANDLE;
    const size_t pitch = array->shape.width * texel_bytes(&array->shape);
    const size_t rows = at_least_1(array->shape.height), slices = at_least_1(array->shape.depth);
    if (end->x_bytes > pitch || plan->width_bytes > pitch - end->x_bytes || end->y > rows ||
        plan->height > rows - end->y || end->z > slices || plan->depth > slices - end->z)
        return SHIM_INVALID_VALUE;
    *out = (struct end){array->address + (end->z * rows + end->y) * pitch + end->x_bytes, pitch,
                        rows, true};
    return SHIM_SUCCESS;
}

int shim_copy_3d(const struct shim_copy_3d *plan)
{
    struct end to, from;
    int result = find_end(&plan->to, plan, &to);
    if (result == SHIM_SUCCESS)
        result = find_end(&plan->from, plan, &from);
    for (size_t z = 0; z < plan->depth; z++)
        for (size_t y = 0; y < plan->height && result == SHIM_SUCCESS; y++)
            result = shim_copy(to.address + (z * to.rows + y) * to.pitch, to.of_device,
                               from.address + (z * from.rows + y) * from.pitch, from.of_device,
                               plan->width_bytes);
    return result;
}

API_UNLESS_CAPTURED(cuMemcpy3D_v2, (const struct shim_copy_3d *plan), WORK, NULL,
                    shim_copy_3d(plan))

API cuMemcpy3DAsync_v2(const struct shim_copy_3d *plan, void *stream)
{
    BEGIN;
    struct shim_captured *captured = shim_capturing(stream);
    UNLESS_CAPTURED(WORK, stream);
    return captured ? shim_capture_copy(captured, plan) : shim_copy_3d(plan);
}

static struct shim_copy_3d in_3d(const struct shim_copy_2d *plan)
{
    return (struct shim_copy_3d){
        .from = {.x_bytes = plan->from_x,
                 .y = plan->from_y,
                 .type = plan->from_type,
                 .at_host = plan->from_host,
                 .at_device = plan->from_device,
                 .array = plan->from_array,
                 .pitch = plan->from_pitch},
        .to = {.x_bytes = plan->to_x,
               .y = plan->to_y,
               .type = plan->to_type,
               .at_host = plan->to_host,
               .at_device = plan->to_device,
               .array = plan->to_array,
               .pitch = plan->to_pitch},
        .width_bytes = plan->width_bytes,
        .height = plan->height,
        .depth = 1,
    };
}

API cuMemcpy2D_v2(const struct shim_copy_2d *plan)
{
    const struct shim_copy_3d full = in_3d(plan);
    return cuMemcpy3D_v2(&full);
}

API_RETURNS(cuMemcpy2DUnaligned_v2, (const struct shim_copy_2d *plan), cuMemcpy2D_v2(plan))

API cuMemcpy2DAsync_v2(const struct shim_copy_2d *plan, void *stream)
{
    const struct shim_copy_3d full = in_3d(plan);
    return cuMemcpy3DAsync_v2(&full, stream);
}

/* A copy of bytes between memory and an array's first slice, where it may go on in the next row. */
static int driver_arrays_copy_bytes(struct shim_array *array, size_t offset, uint64_t address,
                                    bool of_device, size_t bytes, bool to_array)
{
    UNLESS_CAPTURED(WORK, NULL);
    if (!is_array(array))
        return SHIM_INVALID_HANDLE;
    const size_t all =
        array->shape.width * texel_bytes(&array->shape) * at_least_1(array->shape.height);
    if (offset > all || bytes > all - offset)
        return SHIM_INVALID_VALUE;
    return to_array ? shim_copy(array->address + offset, true, address, of_device, bytes)
                    : shim_copy(address, of_device, array->address + offset, true, bytes);
}

API_LOCKED(cuMemcpyHtoA_v2,
           (struct shim_array * array, size_t offset, const void *from, size_t bytes),
           driver_arrays_copy_bytes(array, offset, (uint64_t)(uintptr_t)from, false, bytes, true))
API_LOCKED(cuMemcpyAtoH_v2, (void *to, struct shim_array *array, size_t offset, size_t bytes),
           driver_arrays_copy_bytes(array, offset, (uint64_t)(uintptr_t)to, false, bytes, false))
API_LOCKED(cuMemcpyDtoA_v2, (struct shim_array * array, size_t offset, uint64_t from, size_t bytes),
           driver_arrays_copy_bytes(array, offset, from, true, bytes, true))
API_LOCKED(cuMemcpyAtoD_v2, (uint64_t to, struct shim_array *array, size_t offset, size_t bytes),
           driver_arrays_copy_bytes(array, offset, to, true, bytes, false))

/* --- Textures and surfaces -------------------------------------------------------------------- */

/* The allocation that all of the object's bytes are in; NULL: none. */
static const struct shim_allocation *memory_of(const struct object *object)
{
    const struct shim_allocation *found = shim_memory_find(object->address);
    if (!found || object->bytes > found->bytes - (object->address - found->address))
        return NULL;
    return found;
}

/* Where an object's texels are, and of which shape. */
static int driver_arrays_set_resource(const struct shim_resource *resource, struct object *object)
{
    struct smc_emulated_texture *texture = &object->texture;
    const struct shim_array *array = resource->of.array;
    size_t width = 0, height = 1, depth = 1;
    bool has_format = false;
    switch (resource->type) {
    case SHIM_RESOURCE_ARRAY:
        if (!is_array(array))
            return SHIM_INVALID_HANDLE;
        has_format = driver_arrays_set_format(array->shape.format, array->shape.channels, texture);
        width = array->shape.width;
        height = at_least_1(array->shape.height);
        depth = at_least_1(array->shape.depth);
        object->address = array->address;
        break;
    case SHIM_RESOURCE_LINEAR:
    case SHIM_RESOURCE_PITCH:
        has_format = driver_arrays_set_format(resource->of.memory.format,
                                              resource->of.memory.channels, texture);
        object->address = resource->of.memory.address;
        width = resource->of.memory.width;
        if (resource->type == SHIM_RESOURCE_LINEAR && has_format) {
            width /= (size_t)texture->channels * texture->channel_bytes;
            break;
        }
        height = resource->of.memory.height;
        texture->pitch_bytes = resource->of.memory.pitch;
        break;
    default:
        shim_tell("mipmapped textures are not emulated");
        return SHIM_NOT_SUPPORTED;
    }
    if (!has_format || width == 0 || height == 0 || width > UINT32_MAX || height > UINT32_MAX ||
        depth > UINT32_MAX)
        return SHIM_INVALID_VALUE;
    texture->extent[0] = (uint32_t)width;
    texture->extent[1] = (uint32_t)height;
    texture->extent[2] = (uint32_t)depth;
    object->bytes = smc_emulated_texture_bytes(texture);
    return memory_of(object) ? SHIM_SUCCESS : SHIM_INVALID_VALUE;
}

/* The emulator has one address mode for all dimensions, and a border of zeros. */
static bool set_sampler(const struct shim_texture *description,
                        struct smc_emulated_texture *texture)
{
    static const enum smc_address_mode modes[] = {SMC_ADDRESS_WRAP, SMC_ADDRESS_CLAMP,
                                                  SMC_ADDRESS_MIRROR, SMC_ADDRESS_BORDER};
    const uint32_t mode = description->address[0];
    if (mode >= sizeof modes / sizeof *modes)
        return false;
    for (int i = 0; i < 4; i++)
        if (modes[mode] == SMC_ADDRESS_BORDER &&
            (description->border[i] < 0 || description->border[i] > 0)) {
            shim_tell("textures with a border that is not 0 are not emulated");
            return false;
        }
    if (texture->extent[1] > 1 && description->address[1] != mode) {
        shim_tell("textures with several address modes are not emulated");
        return false;
    }
    if (description->flags & SHIM_TEXTURE_SRGB) {
        shim_tell("textures that convert from sRGB are not emulated");
        return false;
    }
    texture->address = modes[mode];
    texture->linear = description->filter == SHIM_FILTER_LINEAR;
    texture->normalized = description->flags & SHIM_TEXTURE_NORMALIZED;
    texture->as_float = texture->kind != SMC_TEXEL_FLOAT && texture->channel_bytes < 4 &&
                        !(description->flags & SHIM_TEXTURE_AS_INTEGER);
    return true;
}

/* Puts the object into the first free place. */
static int driver_arrays_keep(const struct object *object, uint64_t *handle)
{
    size_t i = 0;
    while (i < object_count && objects[i].address)
        i++;
    if (i == object_count) {
        if (!smc_make_room(&objects, object_count, NULL, sizeof *objects))
            return SHIM_OUT_OF_MEMORY;
        object_count++;
    }
    objects[i] = *object;
    *handle = smc_emulated_texture_handle(i);
    return SHIM_SUCCESS;
}

static struct object *find_object(uint64_t handle, bool is_surface)
{
    for (size_t i = 0; i < object_count; i++)
        if (objects[i].address && objects[i].is_surface == is_surface &&
            handle == smc_emulated_texture_handle(i))
            return &objects[i];
    return NULL;
}

API cuTexObjectCreate(uint64_t *handle, const struct shim_resource *resource,
                      const struct shim_texture *description, const void *view)
{
    BEGIN;
    UNLESS_CAPTURED(UNSAFE, NULL);
    struct object object = {.is_surface = false};
    if (!handle || !resource || !description)
        return SHIM_INVALID_VALUE;
    if (view) {
        shim_tell("views of a texture's resource are not emulated");
        return SHIM_NOT_SUPPORTED;
    }
    const int result = driver_arrays_set_resource(resource, &object);
    if (result != SHIM_SUCCESS)
        return result;
    if (!set_sampler(description, &object.texture))
        return SHIM_NOT_SUPPORTED;
    object.resource = *resource;
    object.description = *description;
    return driver_arrays_keep(&object, handle);
}

API cuSurfObjectCreate(uint64_t *handle, const struct shim_resource *resource)
{
    BEGIN;
    struct object object = {.is_surface = true};
    if (!handle || !resource || resource->type != SHIM_RESOURCE_ARRAY)
        return SHIM_INVALID_VALUE;
    const int result = driver_arrays_set_resource(resource, &object);
    object.resource = *resource;
    return result == SHIM_SUCCESS ? driver_arrays_keep(&object, handle) : result;
}

static int destroy(uint64_t handle, bool is_surface)
{
    struct object *object = find_object(handle, is_surface);
    if (!object)
        return SHIM_INVALID_VALUE;
    *object = (struct object){.address = 0};
    return SHIM_SUCCESS;
}

API_LOCKED(cuTexObjectDestroy, (uint64_t handle), destroy(handle, false))
API_LOCKED(cuSurfObjectDestroy, (uint64_t handle), destroy(handle, true))

API cuTexObjectGetResourceDesc(struct shim_resource *resource, uint64_t handle)
{
    BEGIN;
    const struct object *object = find_object(handle, false);
    if (object)
        *resource = object->resource;
    return object ? SHIM_SUCCESS : SHIM_INVALID_VALUE;
}

API cuTexObjectGetTextureDesc(struct shim_texture *description, uint64_t handle)
{
    BEGIN;
    const struct object *object = find_object(handle, false);
    if (object)
        *description = object->description;
    return object ? SHIM_SUCCESS : SHIM_INVALID_VALUE;
}

API cuSurfObjectGetResourceDesc(struct shim_resource *resource, uint64_t handle)
{
    BEGIN;
    const struct object *object = find_object(handle, true);
    if (object)
        *resource = object->resource;
    return object ? SHIM_SUCCESS : SHIM_INVALID_VALUE;
}

/* Those whose memory was freed are none for a kernel. */
struct smc_emulated_texture *shim_textures(size_t *count)
{
    size_t allocations;
    const struct shim_allocation *all = shim_memory_all(&allocations);
    struct smc_emulated_texture *list = smc_calloc(object_count + 1, sizeof *list);
    *count = list ? object_count : 0;
    for (size_t i = 0; i < *count; i++) {
        const struct shim_allocation *memory = memory_of(&objects[i]);
        if (!memory)
            continue;
        list[i] = objects[i].texture;
        list[i].array = (size_t)(memory - all);
        list[i].offset = objects[i].address - memory->address;
    }
    return list;
}
