/* The driver API on the emulator: tensor maps. Their 128 bytes are the emulator's own: CUDA does
   not document what its driver writes. */
#include <string.h>

#include "guests/shim/driver.h"
#include "machine/tensor_maps.h"

enum { SPANS = 4 };

API cuTensorMapEncodeTiled(char *out, int type, uint32_t rank, uint64_t address,
                           const uint64_t *size, const uint64_t *stride, const uint32_t *box,
                           const uint32_t *step, int interleave, int swizzle, int promotion,
                           int fill)
{
    static const uint8_t span[SPANS] = {16, 32, 64, 128};
    struct smc_tensor_map map = {.address = address,
                                 .rank = (uint8_t)(rank <= SMC_TENSOR_DIMENSIONS ? rank : 0),
                                 .type = (uint8_t)type,
                                 .fills_nan = fill != 0};
    if (!out || !size || !box || !step || (rank > 1 && !stride))
        return SHIM_INVALID_VALUE;
    if (interleave != 0 || swizzle < 0 || swizzle >= SPANS || type >= SMC_TENSOR_F32_FTZ) {
        shim_tell("tensor maps that are interleaved, of swizzles beyond 128B or of types that are "
                  "rounded are not emulated");
        return SHIM_NOT_SUPPORTED;
    }
    map.span = span[swizzle];
    for (int i = 0; i < map.rank; i++) {
        if (box[i] > UINT16_MAX || step[i] > UINT8_MAX)
            return SHIM_INVALID_VALUE;
        map.size[i] = size[i];
        map.box[i] = (uint16_t)box[i];
        map.step[i] = (uint8_t)step[i];
        if (i > 0)
            map.stride[i - 1] = stride[i - 1];
    }
    if (!smc_tensor_map_finish(&map))
        return SHIM_INVALID_VALUE;
    memset(out, 0, SMC_TENSOR_MAP_BYTES);
    memcpy(out, &map, sizeof map);
    return SHIM_SUCCESS;
}

API cuTensorMapReplaceAddress(char *out, uint64_t address)
{
    struct smc_tensor_map map;
    if (!out || !smc_tensor_map_read(out, &map))
        return SHIM_INVALID_VALUE;
    map.address = address;
    if (!smc_tensor_map_finish(&map))
        return SHIM_INVALID_VALUE;
    memcpy(out, &map, sizeof map);
    return SHIM_SUCCESS;
}
