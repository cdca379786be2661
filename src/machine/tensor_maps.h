/* Tensor maps: what cuTensorMapEncodeTiled writes into the 128 bytes that a kernel gets. NVIDIA
   does not document its layout; this is the emulator's own. */
#ifndef SMC_MACHINE_TENSOR_MAPS_H
#define SMC_MACHINE_TENSOR_MAPS_H

#include <stdbool.h>
#include <stdint.h>

enum { SMC_TENSOR_MAP_BYTES = 128, SMC_TENSOR_MAP_ALIGN = 64, SMC_TENSOR_DIMENSIONS = 5 };

/* As CUtensorMapDataType numbers them. */
enum smc_tensor_type {
    SMC_TENSOR_U8,
    SMC_TENSOR_U16,
    SMC_TENSOR_U32,
    SMC_TENSOR_S32,
    SMC_TENSOR_U64,
    SMC_TENSOR_S64,
    SMC_TENSOR_F16,
    SMC_TENSOR_F32,
    SMC_TENSOR_F64,
    SMC_TENSOR_BF16,
    SMC_TENSOR_F32_FTZ,
    SMC_TENSOR_TF32,
    SMC_TENSOR_TF32_FTZ,
    SMC_TENSOR_TYPES
};

struct smc_tensor_map {
    uint64_t mark; /* set by smc_tensor_map_finish, and known from no other bytes */
    uint64_t address;
    uint64_t size[SMC_TENSOR_DIMENSIONS];       /* in elements; the first dimension is contiguous */
    uint64_t stride[SMC_TENSOR_DIMENSIONS - 1]; /* in bytes, of the second and further ones */
    uint16_t box[SMC_TENSOR_DIMENSIONS];        /* what one copy spans, in elements: 1 to 256 */
    uint8_t step[SMC_TENSOR_DIMENSIONS]; /* copies every step-th of them: 1 to 8; the first is 1 */
    uint8_t rank, type;                  /* enum smc_tensor_type */
    uint8_t span;      /* of the swizzle of shared memory in bytes: 32, 64 or 128; 16: none */
    uint8_t fills_nan; /* outside the tensor, instead of 0 */
};

/* The bytes of an element; 0: no such type. */
uint32_t smc_tensor_bytes(enum smc_tensor_type type);

/* Marks the map as one; false if the driver would refuse it, or the emulator does: elements of
   SMC_TENSOR_F32_FTZ and above. */
bool smc_tensor_map_finish(struct smc_tensor_map *map);

/* Reads one from a kernel's 128 bytes; false if they are none. */
bool smc_tensor_map_read(const char bytes[SMC_TENSOR_MAP_BYTES], struct smc_tensor_map *map);

#endif
