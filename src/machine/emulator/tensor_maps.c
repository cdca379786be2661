/* Tensor maps: the checks that cuTensorMapEncodeTiled makes (CUDA Driver API, "Tensor Map Object
   Management"). */
#include "machine/tensor_maps.h"

#include <string.h>

static const uint64_t mark = UINT64_C(0x736d635f74656e73); /* "smc_tens" */

enum { ALIGN = 16 /* bytes */, MOST_BOX = 256, MOST_STEP = 8 /* elements */ };

uint32_t smc_tensor_bytes(enum smc_tensor_type type)
{
    static const uint8_t bytes[SMC_TENSOR_TYPES] = {
        [SMC_TENSOR_U8] = 1,      [SMC_TENSOR_U16] = 2,     [SMC_TENSOR_U32] = 4,
        [SMC_TENSOR_S32] = 4,     [SMC_TENSOR_U64] = 8,     [SMC_TENSOR_S64] = 8,
        [SMC_TENSOR_F16] = 2,     [SMC_TENSOR_F32] = 4,     [SMC_TENSOR_F64] = 8,
        [SMC_TENSOR_BF16] = 2,    [SMC_TENSOR_F32_FTZ] = 4, [SMC_TENSOR_TF32] = 4,
        [SMC_TENSOR_TF32_FTZ] = 4};
    return type < SMC_TENSOR_TYPES ? bytes[type] : 0;
}

static bool has_good_dimension(const struct smc_tensor_map *map, int i)
{
    return map->size[i] > 0 && map->size[i] <= UINT64_C(1) << 32 && map->box[i] > 0 &&
           map->box[i] <= MOST_BOX && map->step[i] > 0 && map->step[i] <= MOST_STEP &&
           (i == 0 || (map->stride[i - 1] % ALIGN == 0 && map->stride[i - 1] < UINT64_C(1) << 40));
}

bool smc_tensor_map_finish(struct smc_tensor_map *map)
{
    const uint32_t row = map->box[0] * smc_tensor_bytes((enum smc_tensor_type)map->type);
    const bool has_span = map->span == 16 || map->span == 32 || map->span == 64 || map->span == 128;
    const bool is_integer = map->type < SMC_TENSOR_F16;
    if (!has_span || map->type >= SMC_TENSOR_F32_FTZ || map->rank < 1 ||
        map->rank > SMC_TENSOR_DIMENSIONS || map->address % ALIGN || row % ALIGN ||
        (map->span > ALIGN && row > map->span) || (map->fills_nan && is_integer))
        return false;
    for (int i = 0; i < map->rank; i++)
        if (!has_good_dimension(map, i))
            return false;
    map->step[0] = 1; /* of the contiguous dimension it is ignored */
    map->mark = mark;
    return true;
}

bool smc_tensor_map_read(const char bytes[SMC_TENSOR_MAP_BYTES], struct smc_tensor_map *map)
{
    _Static_assert(sizeof *map <= SMC_TENSOR_MAP_BYTES, "it fits");
    memcpy(map, bytes, sizeof *map);
    return map->mark == mark && smc_tensor_map_finish(map); /* the kernel may have changed it */
}
