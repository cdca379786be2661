/* Tensor maps among the arguments of a user's kernel, encoded by the driver. */
#include <cuda.h>
#include <dlfcn.h>
#include <string.h>

#include "hardware/executor/gpu.h"
#include "hardware/user.h"

static CUtensorMapSwizzle swizzle_of(const struct smc_tensor_map *map)
{
    switch (map->span) {
    case 32:
        return CU_TENSOR_MAP_SWIZZLE_32B;
    case 64:
        return CU_TENSOR_MAP_SWIZZLE_64B;
    case 128:
        return CU_TENSOR_MAP_SWIZZLE_128B;
    default:
        return CU_TENSOR_MAP_SWIZZLE_NONE;
    }
}

/* The runtime has loaded the driver's library already. */
static enum smc_status find_encoder(__typeof__(cuTensorMapEncodeTiled) **encode,
                                    struct smc_error *error)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    void *address = driver ? dlsym(driver, "cuTensorMapEncodeTiled") : NULL;
    memcpy(encode, &address, sizeof address);
    return address ? SMC_OK
                   : smc_fail(error, SMC_UNAVAILABLE,
                              "option --arg: this driver has no tensor maps (CUDA 12.0 or newer)");
}

enum smc_status smc_gpu_tensor_map(const struct smc_user_argument *argument, void *memory,
                                   unsigned char bytes[SMC_TENSOR_MAP_BYTES],
                                   struct smc_error *error)
{
    const struct smc_tensor_map *map = &argument->map;
    __typeof__(cuTensorMapEncodeTiled) *encode;
    CUtensorMap encoded; /* aligned as the driver wants it */
    cuuint64_t size[SMC_TENSOR_DIMENSIONS], stride[SMC_TENSOR_DIMENSIONS];
    cuuint32_t box[SMC_TENSOR_DIMENSIONS], step[SMC_TENSOR_DIMENSIONS];
    for (int i = 0; i < map->rank; i++) {
        size[i] = map->size[i];
        box[i] = map->box[i];
        step[i] = map->step[i];
        stride[i] = i + 1 < map->rank ? map->stride[i] : 0;
    }
    SMC_TRY(find_encoder(&encode, error));
    CUresult code = encode(&encoded, (CUtensorMapDataType)map->type, map->rank, memory, size,
                           stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle_of(map),
                           CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (code != CUDA_SUCCESS)
        return smc_fail(error, SMC_USAGE,
                        "option --arg: '%.64s': cuTensorMapEncodeTiled refuses it (error %d)",
                        argument->typed, (int)code);
    memcpy(bytes, &encoded, sizeof encoded);
    return SMC_OK;
}
