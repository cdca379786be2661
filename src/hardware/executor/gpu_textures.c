/* Texture and surface objects among the arguments of a user's kernel. */
#include <string.h>

#include "code/ptx_facts.h"
#include "hardware/executor/gpu.h"
#include "hardware/user.h"

/* tex1Dfetch: CUDA reads linear memory only by integers, and arrays of one dimension by floats. */
static bool fetches_by_integers(const char *ptx)
{
    static const char fetch[] = "tex.1d.", integers[] = ".s32";
    const size_t end = strlen(integers);
    size_t length;
    for (const char *word; *(word = smc_ptx_token(&ptx, &length)) && length > 0;)
        if (length > end && strncmp(word, fetch, strlen(fetch)) == 0 &&
            strncmp(word + length - end, integers, end) == 0)
            return true;
    return false;
}

bool smc_gpu_texture_is_linear(const struct smc_user_argument *argument, const char *ptx)
{
    const struct smc_emulated_texture *texture = &argument->texture;
    return argument->dimensions == 1 && !argument->is_surface && !texture->linear &&
           !texture->normalized && ptx && fetches_by_integers(ptx);
}

static struct cudaChannelFormatDesc texture_format(const struct smc_emulated_texture *texture)
{
    static const enum cudaChannelFormatKind kinds[] = {
        [SMC_TEXEL_UNSIGNED] = cudaChannelFormatKindUnsigned,
        [SMC_TEXEL_SIGNED] = cudaChannelFormatKindSigned,
        [SMC_TEXEL_FLOAT] = cudaChannelFormatKindFloat,
    };
    const int bits = 8 * texture->channel_bytes;
    return (struct cudaChannelFormatDesc){
        .x = bits,
        .y = texture->channels > 1 ? bits : 0,
        .z = texture->channels > 2 ? bits : 0,
        .w = texture->channels > 2 ? bits : 0,
        .f = kinds[texture->kind],
    };
}

static struct cudaTextureDesc texture_reading(const struct smc_emulated_texture *texture)
{
    static const enum cudaTextureAddressMode addresses[] = {
        [SMC_ADDRESS_CLAMP] = cudaAddressModeClamp,
        [SMC_ADDRESS_WRAP] = cudaAddressModeWrap,
        [SMC_ADDRESS_MIRROR] = cudaAddressModeMirror,
        [SMC_ADDRESS_BORDER] = cudaAddressModeBorder,
    };
    const enum cudaTextureAddressMode address = addresses[texture->address];
    return (struct cudaTextureDesc){
        .addressMode = {address, address, address},
        .filterMode = texture->linear ? cudaFilterModeLinear : cudaFilterModePoint,
        .readMode = texture->as_float ? cudaReadModeNormalizedFloat : cudaReadModeElementType,
        .normalizedCoords = texture->normalized,
    };
}

static cudaError_t texture_make_array(const struct smc_user_argument *argument, cudaArray_t *array)
{
    const struct smc_emulated_texture *texture = &argument->texture;
    const struct cudaChannelFormatDesc format = texture_format(texture);
    const unsigned flags = (argument->is_layered ? cudaArrayLayered : 0) |
                           (argument->is_surface ? cudaArraySurfaceLoadStore : 0);
    const unsigned own = argument->dimensions; /* without layers */
    const struct cudaExtent extent = {texture->extent[0], own > 1 ? texture->extent[1] : 0,
                                      own > 2 || argument->is_layered ? texture->extent[2] : 0};
    return cudaMalloc3DArray(array, &format, extent, flags);
}

/* Between linear memory and the array. Waits for nothing. */
static cudaError_t texture_copy(const struct smc_gpu_texture *made, void *memory, bool into_array)
{
    const struct smc_emulated_texture *texture = &made->argument->texture;
    const size_t texel = (size_t)texture->channels * texture->channel_bytes;
    const struct cudaPitchedPtr linear = {memory, texture->extent[0] * texel, texture->extent[0],
                                          texture->extent[1]};
    struct cudaMemcpy3DParms what = {
        .extent = {texture->extent[0], texture->extent[1], texture->extent[2]},
        .kind = cudaMemcpyDeviceToDevice,
    };
    if (into_array) {
        what.srcPtr = linear;
        what.dstArray = made->array;
    } else {
        what.srcArray = made->array;
        what.dstPtr = linear;
    }
    return cudaMemcpy3DAsync(&what, NULL);
}

enum smc_status smc_gpu_texture_make(const struct smc_user_argument *argument, void *memory,
                                     bool is_linear, struct smc_gpu_texture *made,
                                     struct smc_error *error)
{
    const struct cudaTextureDesc reading = texture_reading(&argument->texture);
    struct cudaResourceDesc over = {.resType = cudaResourceTypeArray};
    const char *call = "cudaMalloc3DArray";
    cudaTextureObject_t object = 0;
    *made = (struct smc_gpu_texture){.argument = argument};
    cudaError_t code = is_linear ? cudaSuccess : texture_make_array(argument, &made->array);
    if (is_linear) {
        over.resType = cudaResourceTypeLinear;
        over.res.linear.devPtr = memory;
        over.res.linear.desc = texture_format(&argument->texture);
        over.res.linear.sizeInBytes = smc_user_argument_bytes(argument);
    } else {
        over.res.array.array = made->array;
    }
    if (code == cudaSuccess) {
        call = argument->is_surface ? "cudaCreateSurfaceObject" : "cudaCreateTextureObject";
        code = argument->is_surface ? cudaCreateSurfaceObject(&object, &over)
                                    : cudaCreateTextureObject(&object, &over, &reading, NULL);
    }
    made->object = object;
    if (code != cudaErrorInvalidValue)
        return code == cudaSuccess ? SMC_OK : smc_gpu_fail(error, code, call);
    cudaGetLastError();
    return smc_fail(error, SMC_USAGE, "option --arg: '%.64s': %s refuses it on this GPU",
                    argument->typed, call);
}

cudaError_t smc_gpu_texture_fill(const struct smc_gpu_texture *made, void *memory)
{
    return made->array ? texture_copy(made, memory, true) : cudaSuccess;
}

cudaError_t smc_gpu_texture_fetch(const struct smc_gpu_texture *made, void *memory)
{
    return made->array && made->argument->is_surface ? texture_copy(made, memory, false)
                                                     : cudaSuccess;
}

void smc_gpu_texture_free(struct smc_gpu_texture *made)
{
    cudaError_t code = cudaSuccess;
    if (made->object && made->argument->is_surface)
        code = cudaDestroySurfaceObject(made->object);
    else if (made->object)
        code = cudaDestroyTextureObject(made->object);
    if (code != cudaSuccess || (made->array && cudaFreeArray(made->array) != cudaSuccess))
        cudaGetLastError(); /* the process is about to end */
    *made = (struct smc_gpu_texture){.argument = NULL};
}
