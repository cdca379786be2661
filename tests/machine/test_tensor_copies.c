/* tensor_copies: cp.async.bulk.tensor and its reductions. The kernels are those of
   tests/data/emulator/tensor_copies.cu, compiled by nvcc; each element of the box is expected where
   the PTX ISA and the driver's documentation of tensor maps put it. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "machine/narrow.h"
#include "tensor_cases.h"
#include "unit.h"

#define PTX SMC_SOURCE_DIR "/tests/data/emulator/tensor_copies.ptx"

static char ptx[1 << 18];
static size_t ptx_bytes;
static struct tensor_memory memory, expected;

static void load(const char *entry, struct smc_program **program)
{
    struct smc_error error = {""};
    FILE *file = ptx_bytes ? NULL : fopen(PTX, "rb");
    if (file) {
        ptx_bytes = fread(ptx, 1, sizeof ptx, file);
        fclose(file);
    }
    CU_ASSERT_FATAL(ptx_bytes > 0);
    const enum smc_status status = smc_program_read(ptx, ptx_bytes, entry, program, &error);
    if (status != SMC_OK)
        printf("%s: %s\n", entry, error.message);
    CU_ASSERT_EQUAL_FATAL(status, SMC_OK);
}

/* --- What each case must do ------------------------------------------------------------------- */

static double number_of(enum smc_tensor_type type, uint64_t bits)
{
    return type == SMC_TENSOR_F16    ? smc_of_narrow(&smc_half, (uint32_t)bits)
           : type == SMC_TENSOR_BF16 ? smc_of_narrow(&smc_bfloat, (uint32_t)bits)
                                     : (double)smc_float_of_bits((uint32_t)bits);
}

static uint64_t combined(const struct tensor_case *test, uint64_t old, uint64_t value)
{
    const char *operation = strchr(test->entry, '_') + 1;
    const bool is_wide = smc_tensor_bytes(test->type) == 8;
    const bool is_float = test->type >= SMC_TENSOR_F16;
    const double x = number_of(test->type, old), y = number_of(test->type, value), sum = x + y;
    const int64_t i = is_wide ? (int64_t)old : (int32_t)old;
    const int64_t k = is_wide ? (int64_t)value : (int32_t)value;
    const bool is_signed = test->type == SMC_TENSOR_S32 || test->type == SMC_TENSOR_S64;
    const bool is_less = is_float ? y < x : is_signed ? k < i : value < old;
    if (strcmp(operation, "min") == 0)
        return is_less ? value : old;
    if (strcmp(operation, "max") == 0)
        return is_less ? old : value;
    if (strcmp(operation, "and") == 0)
        return old & value;
    if (strcmp(operation, "or") == 0)
        return old | value;
    if (strcmp(operation, "xor") == 0)
        return old ^ value;
    if (strcmp(operation, "inc") == 0)
        return old >= value ? 0 : old + 1;
    if (strcmp(operation, "dec") == 0)
        return old == 0 || old > value ? value : old - 1;
    return test->type == SMC_TENSOR_F16    ? smc_to_narrow(&smc_half, sum)
           : test->type == SMC_TENSOR_BF16 ? smc_to_narrow(&smc_bfloat, sum)
           : is_float                      ? smc_bits_of_float((float)sum)
                                           : old + value;
}

/* Element n of the box: its place in the image, and in the tensor or outside it. */
static bool find(const struct tensor_case *test, const struct smc_tensor_map *map, uint32_t n,
                 uint32_t *in_image, uint64_t *in_tensor)
{
    const uint32_t width = smc_tensor_bytes(test->type);
    const uint32_t across = map->box[0] * width; /* a swizzled row has the whole span */
    const uint32_t pitch = test->span > across ? test->span : across;
    const uint32_t byte = test->offset + n * width / across * pitch + n * width % across;
    const uint32_t unit = byte / 16, line = byte / 128;
    const uint32_t exchanged = test->span == 128  ? unit ^ line % 8
                               : test->span == 64 ? unit ^ line % 4
                               : test->span == 32 ? unit ^ line % 2
                                                  : unit;
    bool is_inside = true;
    *in_image = exchanged * 16 + byte % 16;
    *in_tensor = 0;
    for (int i = 0; i < map->rank; i++) {
        const uint32_t step = i ? map->step[i] : 1, count = (map->box[i] + step - 1) / step;
        const int64_t at = test->at[i] + (int64_t)(n % count * step);
        n /= count;
        uint64_t size = map->size[i];
        if (i == 0 && test->entry[0] != 'l') /* the whole 16 bytes in which the tensor ends */
            size = (size * width + 15) / 16 * 16 / width;
        is_inside &= at >= 0 && at < (int64_t)size;
        *in_tensor += (uint64_t)at * (i ? map->stride[i - 1] : width);
    }
    return is_inside;
}

static void move(const struct tensor_case *test, const struct smc_tensor_map *map, uint32_t n)
{
    const uint32_t width = smc_tensor_bytes(test->type);
    uint32_t in_image;
    uint64_t in_tensor;
    const bool is_inside = find(test, map, n, &in_image, &in_tensor);
    const uint32_t mask = test->blocks ? test->blocks : 1;
    for (uint32_t block = 0; block < TENSOR_BLOCKS && test->entry[0] == 'l'; block++) {
        char *to = (char *)expected.out + block * TENSOR_IMAGE_BYTES + in_image;
        if (!(mask >> block & 1))
            continue;
        memset(to, 0, width);
        for (uint32_t i = 0; test->fills_nan && i < width; i += 2)
            memcpy(to + i, &(uint16_t){0x7ff7}, 2);
        if (is_inside)
            memcpy(to, expected.tensor + in_tensor, width);
    }
    if (test->entry[0] == 'l' || !is_inside)
        return;
    uint64_t old = 0, value = 0;
    memcpy(&old, expected.tensor + in_tensor, width);
    memcpy(&value, (const char *)expected.in + in_image, width);
    value = test->entry[0] == 'r' ? combined(test, old, value) : value;
    memcpy(expected.tensor + in_tensor, &value, width);
}

static void expect(const struct tensor_case *test)
{
    struct smc_tensor_map map;
    CU_ASSERT_FATAL(tensor_case_map(test, 0, &map));
    tensor_case_fill(test, &expected);
    if (test->entry[0] == 'l')
        memset(expected.out, 0x5a, tensor_case_blocks(test) * TENSOR_IMAGE_BYTES);
    const uint32_t bytes = tensor_case_place(test).bytes;
    for (uint32_t n = 0; n < bytes / smc_tensor_bytes(test->type); n++)
        move(test, &map, n);
}

static void run(const struct tensor_case *test, struct smc_emulation *emulation)
{
    struct smc_program *program;
    struct smc_error error = {""};
    load(test->entry, &program);
    tensor_case_fill(test, &memory);
    const enum smc_status status = tensor_case_emulate(test, program, &memory, emulation, &error);
    if (status != SMC_OK)
        printf("%s: %s\n", test->entry, error.message);
    CU_ASSERT_EQUAL_FATAL(status, SMC_OK);
    smc_program_free(program);
}

static void test_copies(void)
{
    for (size_t i = 0; i < tensor_case_count; i++) {
        struct smc_emulation emulation = {0};
        run(&tensor_cases[i], &emulation);
        expect(&tensor_cases[i]);
        CU_ASSERT(emulation.completed);
        CU_ASSERT_EQUAL(emulation.findings_total, 0);
        const bool is_equal = memcmp(&memory, &expected, sizeof memory) == 0;
        if (!is_equal)
            printf("case %zu, %s\n", i, tensor_cases[i].entry);
        CU_ASSERT(is_equal);
        smc_emulation_free(&emulation);
    }
}

/* --- Boxes that reach beyond the tensor ------------------------------------------------------- */

static const uint32_t hole = 0xdeadbeef;

/* Whether element n is in the tensor itself: not only in the 16 bytes in which that ends. */
static bool is_in_tensor(const struct tensor_case *test, const struct smc_tensor_map *map,
                         uint32_t n)
{
    uint32_t in_image;
    uint64_t in_tensor;
    return find(test, map, n, &in_image, &in_tensor) &&
           (uint64_t)test->at[0] + n % map->box[0] < map->size[0];
}

/* The kernel writes no word of the image that holds nothing of the tensor. */
static void try_partly(const struct tensor_case *test)
{
    static bool is_kept[TENSOR_IMAGE_BYTES / 4];
    const uint32_t width = smc_tensor_bytes(test->type);
    struct smc_emulation emulation = {0};
    struct smc_program *program;
    struct smc_tensor_map map;
    struct smc_error error = {""};
    char kernel[32];
    CU_ASSERT_FATAL(tensor_case_map(test, 0, &map));
    tensor_case_fill(test, &memory);
    tensor_case_fill(test, &expected);
    memset(is_kept, 0, sizeof is_kept);
    for (uint32_t n = 0; n < tensor_case_place(test).bytes / width; n++) {
        uint32_t in_image;
        uint64_t in_tensor;
        (void)find(test, &map, n, &in_image, &in_tensor);
        for (uint32_t i = 0; i < (width + 3) / 4; i++)
            is_kept[in_image / 4 + i] |= is_in_tensor(test, &map, n);
    }
    for (uint32_t i = 0; i < TENSOR_IMAGE_BYTES / 4; i++) {
        memory.in[i] = is_kept[i] ? memory.in[i] : hole;
        expected.in[i] = is_kept[i] ? expected.in[i] : 0; /* as unwritten memory of the emulator */
    }
    for (uint32_t n = 0; n < tensor_case_place(test).bytes / width; n++)
        move(test, &map, n);
    snprintf(kernel, sizeof kernel, "partly_%s", test->entry);
    load(kernel, &program);
    const enum smc_status status = tensor_case_emulate(test, program, &memory, &emulation, &error);
    CU_ASSERT_EQUAL_FATAL(status, SMC_OK);
    CU_ASSERT(emulation.completed);
    CU_ASSERT_EQUAL(emulation.findings_total, 0);
    CU_ASSERT_EQUAL(memcmp(memory.tensor, expected.tensor, sizeof memory.tensor), 0);
    smc_emulation_free(&emulation);
    smc_program_free(program);
}

static void test_clipped_stores(void)
{
    static const struct tensor_case cases[] = {
        {"store_2", SMC_TENSOR_U16, {64, 4}, {72, 4}, .at = {0}},
        {"store_2", SMC_TENSOR_F32, {50, 20}, {32, 16}, .at = {32, 10}},
        {"store_2", SMC_TENSOR_F16, {40, 9}, {64, 8}, .at = {0, 4}, .span = 128},
        {"store_2", SMC_TENSOR_BF16, {36, 20}, {32, 8}, .at = {16, 16}, .span = 64},
        {"store_2", SMC_TENSOR_U8, {104, 20}, {16, 8}, .at = {96, 16}, .span = 32},
        {"store_2", SMC_TENSOR_U32, {16, 8}, {16, 8}, .at = {16, 0}},
        {"store_3", SMC_TENSOR_U64, {20, 6, 3}, {8, 4, 2}, .at = {16, 4, 2}},
        {"store_1", SMC_TENSOR_S32, {90}, {64}, .at = {64}},
        {"reduce_add", SMC_TENSOR_U32, {20, 6}, {16, 8}, .at = {16, 2}},
        {"reduce_add", SMC_TENSOR_F32, {60, 30}, {32, 16}, .at = {32, 20}, .span = 128},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        try_partly(&cases[i]);
}

/* --- Faults ----------------------------------------------------------------------------------- */

static void expect_finding(const struct tensor_case *test, enum smc_finding_kind kind)
{
    struct smc_emulation emulation = {0};
    bool is_found = false;
    run(test, &emulation);
    for (size_t i = 0; i < emulation.finding_count; i++)
        is_found |= emulation.finding[i].kind == kind;
    CU_ASSERT(is_found);
    smc_emulation_free(&emulation);
}

static void test_faults(void)
{
    const struct tensor_case good = {"load_2", SMC_TENSOR_U32, {50, 40}, {16, 8}, .at = {0}};
    struct tensor_case test = good;
    test.entry = "without_wait";
    expect_finding(&test, SMC_FINDING_RACE_WRITE_READ);
    test = good;
    test.offset = 64;
    expect_finding(&test, SMC_FINDING_MISALIGNED);
    test.offset = TENSOR_IMAGE_BYTES - 128;
    expect_finding(&test, SMC_FINDING_OUT_OF_BOUNDS);
    test = good;
    test.at[0] = 3; /* 12 bytes */
    expect_finding(&test, SMC_FINDING_MISALIGNED);
    test = good;
    test.entry = "store_2";
    test.at[1] = -3;
    expect_finding(&test, SMC_FINDING_OUT_OF_BOUNDS);
    test = good;
    test.entry = "load_3"; /* other dimensions than the map's */
    expect_finding(&test, SMC_FINDING_BAD_TENSOR_MAP);
}

static void test_refused_maps(void)
{
    const struct tensor_case good = {"load_2", SMC_TENSOR_U32, {50, 40}, {16, 8}, .at = {0}};
    struct tensor_case test = good;
    struct smc_tensor_map map;
    CU_ASSERT(tensor_case_map(&good, 0x7000, &map));
    CU_ASSERT_FALSE(tensor_case_map(&good, 0x7008, &map));
    test.box[0] = 10;
    CU_ASSERT_FALSE(tensor_case_map(&test, 0, &map));
    test.box[0] = 260;
    CU_ASSERT_FALSE(tensor_case_map(&test, 0, &map));
    test = good;
    test.box[1] = 0;
    CU_ASSERT_FALSE(tensor_case_map(&test, 0, &map));
    test = good;
    test.span = 32;
    CU_ASSERT_FALSE(tensor_case_map(&test, 0, &map));
    test = good;
    test.step[1] = 9;
    CU_ASSERT_FALSE(tensor_case_map(&test, 0, &map));
    test = good;
    test.fills_nan = true;
    CU_ASSERT_FALSE(tensor_case_map(&test, 0, &map));
    test = good;
    test.type = SMC_TENSOR_TF32;
    CU_ASSERT_FALSE(tensor_case_map(&test, 0, &map));
}

CU_TestInfo tests_tensor_copies[] = {
    {"copies and reductions", test_copies},
    {"stores of boxes that reach beyond the tensor", test_clipped_stores},
    {"faults", test_faults},
    {"maps that the driver refuses", test_refused_maps},
    CU_TEST_INFO_NULL};
