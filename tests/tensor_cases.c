/* The list of tensor copies, and running them on the emulator. */
#include "tensor_cases.h"

#include <string.h>

#include "machine/narrow.h"

const struct tensor_case tensor_cases[] = {
    {"load_1", SMC_TENSOR_U8, {1000}, {256}, .at = {48}},
    {"load_1", SMC_TENSOR_F64, {500}, {16}, .at = {490}},
    {"load_1", SMC_TENSOR_U32, {500}, {16}, .at = {-8}},
    {"load_1", SMC_TENSOR_U32, {500}, {16}, .at = {-16}},
    {"load_2", SMC_TENSOR_U32, {50, 40}, {16, 8}, .at = {4, 5}},
    {"load_2", SMC_TENSOR_U16, {50, 40}, {16, 8}, .at = {40, 36}, .offset = 256},
    {"load_2", SMC_TENSOR_S32, {50, 40}, {16, 8}, .at = {-8, -3}},
    {"load_2", SMC_TENSOR_S64, {50, 40}, {4, 32}, {0, 3}, .at = {10, 2}},
    {"load_2", SMC_TENSOR_U32, {50, 40}, {16, 8}, {2, 2}, .at = {12, 2}},
    {"load_2", SMC_TENSOR_F16, {60, 60}, {16, 32}, .at = {8, 4}, .span = 32},
    {"load_2", SMC_TENSOR_F32, {60, 60}, {16, 32}, .at = {8, 4}, .span = 64},
    {"load_2", SMC_TENSOR_BF16, {80, 60}, {64, 32}, .at = {8, 4}, .span = 128},
    {"load_2", SMC_TENSOR_BF16, {80, 60}, {64, 20}, .at = {32, 50}, .span = 128, .offset = 1024},
    {"load_2", SMC_TENSOR_F32, {60, 60}, {16, 32}, .at = {8, 4}, .span = 64, .offset = 128},
    {"load_2", SMC_TENSOR_F32, {60, 60}, {32, 32}, .at = {8, 4}, .span = 128, .offset = 384},
    {"load_2", SMC_TENSOR_U8, {120, 60}, {32, 16}, .at = {16, 4}, .span = 128},
    {"load_2", SMC_TENSOR_U8, {120, 60}, {16, 24}, .at = {16, 4}, .span = 64},
    {"load_2", SMC_TENSOR_F16, {50, 40}, {16, 8}, .at = {40, 36}, .fills_nan = true},
    {"load_2", SMC_TENSOR_BF16, {50, 40}, {16, 8}, .at = {40, 36}, .fills_nan = true},
    {"load_2", SMC_TENSOR_F32, {50, 40}, {16, 8}, .at = {-4, 36}, .fills_nan = true},
    {"load_2", SMC_TENSOR_F64, {50, 40}, {16, 8}, .at = {44, 36}, .fills_nan = true},
    {"load_3", SMC_TENSOR_U32, {20, 20, 20}, {8, 4, 6}, .at = {4, 18, 5}},
    {"load_3", SMC_TENSOR_U16, {20, 20, 20}, {8, 8, 6}, {1, 2, 3}, .at = {16, -1, 4}},
    {"load_4", SMC_TENSOR_U32, {9, 10, 11, 8}, {8, 3, 4, 5}, .at = {4, 8, -2, 5}},
    {"load_5", SMC_TENSOR_U16, {9, 8, 7, 6, 3}, {8, 3, 4, 5, 2}, .at = {8, 7, -2, 2, 2}},
    {"load_5",
     SMC_TENSOR_F16,
     {40, 8, 3, 3, 3},
     {32, 3, 2, 2, 2},
     .at = {8, 7, 1, 2, -1},
     .span = 64},
    {"store_1", SMC_TENSOR_U8, {1000}, {256}, .at = {48}},
    {"store_1", SMC_TENSOR_U32, {500}, {16}, .at = {492}},
    {"store_2", SMC_TENSOR_U32, {50, 40}, {16, 8}, .at = {4, 5}},
    {"store_2", SMC_TENSOR_U16, {50, 40}, {16, 8}, .at = {40, 36}, .offset = 256},
    {"store_2", SMC_TENSOR_BF16, {80, 60}, {64, 20}, .at = {32, 50}, .span = 128, .offset = 1024},
    {"store_2", SMC_TENSOR_F32, {60, 60}, {16, 32}, .at = {8, 4}, .span = 64, .offset = 128},
    {"store_2", SMC_TENSOR_F16, {60, 60}, {16, 32}, .at = {8, 4}, .span = 32},
    {"store_2", SMC_TENSOR_U8, {120, 60}, {32, 16}, .at = {16, 4}, .span = 128},
    {"store_3", SMC_TENSOR_U16, {20, 20, 20}, {8, 8, 6}, {1, 2, 3}, .at = {16, 15, 4}},
    {"store_4", SMC_TENSOR_U32, {9, 10, 11, 8}, {8, 3, 4, 5}, .at = {4, 8, 9, 5}},
    {"store_5", SMC_TENSOR_U16, {9, 8, 7, 6, 3}, {8, 3, 4, 5, 2}, .at = {8, 7, 5, 2, 2}},
    {"reduce_add", SMC_TENSOR_U32, {50, 40}, {16, 8}, .at = {40, 36}},
    {"reduce_add", SMC_TENSOR_S32, {50, 40}, {16, 8}, .at = {4, 36}},
    {"reduce_add", SMC_TENSOR_U64, {50, 40}, {16, 8}, .at = {4, 36}},
    {"reduce_add", SMC_TENSOR_F16, {50, 40}, {16, 8}, .at = {8, 36}},
    {"reduce_add", SMC_TENSOR_BF16, {50, 40}, {16, 8}, .at = {8, 36}},
    {"reduce_add", SMC_TENSOR_F32, {50, 40}, {16, 8}, .at = {4, 36}, .span = 64},
    {"reduce_min", SMC_TENSOR_U32, {50, 40}, {16, 8}, .at = {4, 36}},
    {"reduce_min", SMC_TENSOR_S64, {50, 40}, {16, 8}, .at = {4, 36}},
    {"reduce_min", SMC_TENSOR_F16, {50, 40}, {16, 8}, .at = {8, 36}},
    {"reduce_max", SMC_TENSOR_S32, {50, 40}, {16, 8}, .at = {4, 36}},
    {"reduce_max", SMC_TENSOR_U64, {50, 40}, {16, 8}, .at = {4, 36}},
    {"reduce_max", SMC_TENSOR_BF16, {50, 40}, {16, 8}, .at = {8, 36}},
    {"reduce_inc", SMC_TENSOR_U32, {50, 40}, {16, 8}, .at = {4, 36}},
    {"reduce_dec", SMC_TENSOR_U32, {50, 40}, {16, 8}, .at = {4, 36}},
    {"reduce_and", SMC_TENSOR_U32, {50, 40}, {16, 8}, .at = {4, 36}},
    {"reduce_or", SMC_TENSOR_U64, {50, 40}, {16, 8}, .at = {4, 36}},
    {"reduce_xor", SMC_TENSOR_S32, {50, 40}, {16, 8}, .at = {4, 36}},
    {"load_several", SMC_TENSOR_U32, {50, 40}, {16, 8}, .at = {44, 5}, .blocks = 13},
    {"load_several", SMC_TENSOR_BF16, {80, 60}, {64, 20}, .at = {8, 5}, .span = 128, .blocks = 6},
};
const size_t tensor_case_count = sizeof tensor_cases / sizeof *tensor_cases;

static uint8_t rank_of(const struct tensor_case *test)
{
    uint8_t rank = 0;
    while (rank < SMC_TENSOR_DIMENSIONS && test->size[rank])
        rank++;
    return rank;
}

bool tensor_case_map(const struct tensor_case *test, uint64_t address, struct smc_tensor_map *map)
{
    *map = (struct smc_tensor_map){.address = address,
                                   .rank = rank_of(test),
                                   .type = (uint8_t)test->type,
                                   .span = test->span ? test->span : 16,
                                   .fills_nan = test->fills_nan};
    for (int i = 0; i < map->rank; i++) {
        map->size[i] = test->size[i];
        map->box[i] = test->box[i];
        map->step[i] = test->step[i] ? test->step[i] : 1;
    }
    uint64_t bytes = test->size[0] * smc_tensor_bytes(test->type);
    for (int i = 1; i < map->rank; i++) { /* with gaps */
        map->stride[i - 1] = (bytes + 15) / 16 * 16 + 16;
        bytes = map->stride[i - 1] * test->size[i];
    }
    return bytes <= TENSOR_BYTES && smc_tensor_map_finish(map);
}

struct tensor_place tensor_case_place(const struct tensor_case *test)
{
    struct tensor_place place = {
        .bytes = smc_tensor_bytes(test->type), .offset = test->offset, .blocks = test->blocks};
    memcpy(place.at, test->at, sizeof place.at);
    for (int i = 0; i < rank_of(test); i++) {
        const uint32_t step = i && test->step[i] ? test->step[i] : 1;
        place.bytes *= (test->box[i] + step - 1) / step;
    }
    return place;
}

uint32_t tensor_case_blocks(const struct tensor_case *test)
{
    return test->blocks ? TENSOR_BLOCKS : 1;
}

static uint64_t bits_of(enum smc_tensor_type type, uint64_t i)
{
    const uint64_t hash = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    const double number = (double)(hash >> 40 & 0xff) / 8 - 16;
    switch (type) {
    case SMC_TENSOR_F16:
        return smc_to_narrow(&smc_half, number);
    case SMC_TENSOR_BF16:
        return smc_to_narrow(&smc_bfloat, number);
    case SMC_TENSOR_F32:
        return smc_bits_of_float((float)number / 3);
    case SMC_TENSOR_F64:
        return smc_bits_of_double(number / 3);
    default:
        return hash ^ hash >> 32;
    }
}

void tensor_case_fill(const struct tensor_case *test, struct tensor_memory *memory)
{
    const uint32_t width = smc_tensor_bytes(test->type);
    memset(memory->out, 0x11, sizeof memory->out);
    for (uint32_t i = 0; i < TENSOR_BYTES / width; i++) {
        const uint64_t bits = bits_of(test->type, i);
        memcpy(memory->tensor + i * width, &bits, width);
    }
    for (uint32_t i = 0; i < TENSOR_IMAGE_BYTES / width; i++) {
        const uint64_t bits = bits_of(test->type, i + 1000003);
        memcpy((char *)memory->in + i * width, &bits, width);
    }
}

enum smc_status tensor_case_emulate(const struct tensor_case *test,
                                    const struct smc_program *program, struct tensor_memory *memory,
                                    struct smc_emulation *emulation, struct smc_error *error)
{
    struct smc_emulated_array arrays[] = {
        {.name = "out", .data = memory->out, .bytes = sizeof memory->out},
        {.name = "in", .data = memory->in, .bytes = sizeof memory->in},
        {.name = "tensor", .data = memory->tensor, .bytes = sizeof memory->tensor}};
    uint64_t address[3];
    char bytes[SMC_TENSOR_MAP_BYTES] = "";
    struct smc_tensor_map map;
    const struct tensor_place place = tensor_case_place(test);
    smc_emulated_addresses(arrays, 3, address);
    if (!tensor_case_map(test, address[2], &map))
        return smc_fail(error, SMC_USAGE, "the tensor map is refused");
    memcpy(bytes, &map, sizeof map);
    const struct smc_emulated_argument arguments[] = {{.is_array = true, .array = 0},
                                                      {.is_array = true, .array = 1},
                                                      {.value = bytes},
                                                      {.value = &place}};
    const struct smc_emulation_request request = {.program = program,
                                                  .grid = {tensor_case_blocks(test), 1, 1},
                                                  .block = {TENSOR_THREADS, 1, 1},
                                                  .arrays = arrays,
                                                  .array_count = 3,
                                                  .arguments = arguments,
                                                  .argument_count = 4,
                                                  .banks = {32, 32, 1, false, true}};
    return smc_emulate(&request, emulation, error);
}
