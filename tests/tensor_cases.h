/* Tensor copies to try: of tests/data/emulator/tensor_copies.cu, on the emulator and on a GPU. */
#ifndef SMC_TESTS_TENSOR_CASES_H
#define SMC_TESTS_TENSOR_CASES_H

#include "machine/emulator.h"
#include "machine/tensor_maps.h"

enum { TENSOR_IMAGE_BYTES = 16384, TENSOR_BLOCKS = 4, TENSOR_BYTES = 1 << 16, TENSOR_THREADS = 64 };

struct tensor_case {
    const char *entry;
    enum smc_tensor_type type;
    uint64_t size[SMC_TENSOR_DIMENSIONS]; /* 0 ends the dimensions */
    uint16_t box[SMC_TENSOR_DIMENSIONS];
    uint8_t step[SMC_TENSOR_DIMENSIONS]; /* 0: 1 */
    int32_t at[SMC_TENSOR_DIMENSIONS];
    uint8_t span; /* of the swizzle; 0: none */
    bool fills_nan;
    uint32_t offset; /* of the box in the image */
    uint32_t blocks; /* of load_several */
};

extern const struct tensor_case tensor_cases[];
extern const size_t tensor_case_count;

/* What the kernels are given. */
struct tensor_place {
    int32_t at[SMC_TENSOR_DIMENSIONS];
    uint32_t bytes, offset, blocks;
};

struct tensor_memory {
    uint32_t out[TENSOR_BLOCKS * TENSOR_IMAGE_BYTES / 4]; /* of a load: an image for each block */
    uint32_t in[TENSOR_IMAGE_BYTES / 4];                  /* of a store: the image */
    uint8_t tensor[TENSOR_BYTES];
};

/* The map of a case with the tensor at this address; it is finished, unless that is refused. */
bool tensor_case_map(const struct tensor_case *test, uint64_t address, struct smc_tensor_map *map);
struct tensor_place tensor_case_place(const struct tensor_case *test);
uint32_t tensor_case_blocks(const struct tensor_case *test);
void tensor_case_fill(const struct tensor_case *test, struct tensor_memory *memory);

/* Runs it on the emulator. With status SMC_OK the emulation is to be freed. */
enum smc_status tensor_case_emulate(const struct tensor_case *test,
                                    const struct smc_program *program, struct tensor_memory *memory,
                                    struct smc_emulation *emulation, struct smc_error *error);

#endif
