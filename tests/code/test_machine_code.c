/* machine_code: loads from shared memory are found among instructions as ptxas encodes them. The
   encodings are from kernels of our own; nvdisasm provided their meaning. */
#include <stdio.h>
#include <string.h>

#include "code/machine_code.h"
#include "unit.h"

struct instruction {
    uint64_t low, high;
};

struct example {
    uint16_t cc;
    const char *text;
    struct instruction code;
    uint8_t width_bytes; /* of a load from shared memory; 0: it is something else */
};

/* clang-format off */
static const struct example examples[] = {
    {75, "LDS.U.128 R12, [R5]",
     {0x00000000050c7984, 0x0002620000001c00}, 16},
    {75, "LDS.U.U16 R22, [R22+0x5400]",
     {0x0054000016167984, 0x000f620000001400}, 2},
    {75, "STG.E.64.SYS [R4], R10",
     {0x0000000a04007386, 0x000fe8000010eb00}, 0},
    {75, "LDG.E.S8.SYS R0, [R20]",
     {0x0000000014007381, 0x0000a200001ee300}, 0},
    {80, "STS.64 [R29+0x960], R16",
     {0x000960101d007388, 0x0011e80000000a00}, 0},
    {80, "LDS R7, [R9+-0xc]",
     {0xfffff40009077984, 0x000ea40000000800}, 4},
    {80, "@!PT LDS RZ, [RZ]",
     {0x00000000fffff984, 0x000fe20000000800}, 0},
    {80, "LDGSTS.E.128 [R9], [R4.64]",
     {0x0000000004097fae, 0x000fe8000b921c44}, 0},
    {80, "LDGSTS.E [R9], [R4.64]",
     {0x0000000004097fae, 0x000fe8000b921844}, 0},
    {90, "LDG.E R0, desc[UR4][R2.64+-0x1c]",
     {0xffffe40402007981, 0x002ea8000c1e1900}, 0},
    {90, "STS.U8 [R2+UR6], R15",
     {0x0000000f02007988, 0x0005e80008000006}, 0},
    {90, "@P0 ATOMS.ADD RZ, [R19], R20",
     {0x0000001413ff038c, 0x0009e20000000000}, 0},
    {90, "BAR.SYNC.DEFER_BLOCKING 0x0",
     {0x0000000000007b1d, 0x000fe20000010000}, 0},
    {90, "IMAD.WIDE R8, R2.reuse, 0x8, RZ",
     {0x0000000802087825, 0x041fe200078e02ff}, 0},
    {100, "@!P3 LDG.E R22, desc[UR8][R4.64]",
     {0x000000080416b981, 0x000ea2000c1e1900}, 0},
    {120, "LDGSTS.E.64 [R7], desc[UR6][R4.64]",
     {0x0000000004077fae, 0x000fe8000b9a1406}, 0},
    {120, "LDGSTS.E [R7], desc[UR6][R4.64]",
     {0x0000000004077fae, 0x000fe8000b9a1006}, 0},
    {120, "STG.E.128 desc[UR10][R8.64], R4",
     {0x0000000408007986, 0x000fe6000c101d0a}, 0},
};
/* clang-format on */

enum { EXAMPLES = sizeof examples / sizeof *examples };

static void put(uint64_t word, unsigned char *bytes)
{
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(word >> 8 * i);
}

static void put_example(const struct example *example, unsigned char *bytes)
{
    put(example->code.low, bytes);
    put(example->code.high, bytes + 8);
}

static void test_each_instruction(void)
{
    for (size_t i = 0; i < EXAMPLES; i++) {
        const struct example *example = &examples[i];
        unsigned char bytes[16];
        uint64_t loads[SMC_LOAD_WIDTHS];
        put_example(example, bytes);
        CU_ASSERT_EQUAL_FATAL(smc_machine_code_count(bytes, sizeof bytes, example->cc, loads, NULL),
                              SMC_OK);
        for (unsigned n = 0; n < SMC_LOAD_WIDTHS; n++) {
            const uint64_t expected = example->width_bytes == 1u << n;
            CU_ASSERT_EQUAL(loads[n], expected);
            if (loads[n] != expected)
                printf("%s: %llu loads of %u bytes\n", example->text, (unsigned long long)loads[n],
                       1u << n);
        }
    }
}

/* Consecutive instructions of sm_80: stores, copies and loads that never execute do not count. */
static void test_all_are_counted(void)
{
    unsigned char bytes[2 * 16 * EXAMPLES];
    size_t used = 0;
    uint64_t loads[SMC_LOAD_WIDTHS];
    for (size_t i = 0; i < 2 * EXAMPLES; i++) {
        if (examples[i % EXAMPLES].cc != 80)
            continue;
        put_example(&examples[i % EXAMPLES], bytes + used);
        used += 16;
    }
    CU_ASSERT_EQUAL_FATAL(smc_machine_code_count(bytes, used, 80, loads, NULL), SMC_OK);
    for (unsigned n = 0; n < SMC_LOAD_WIDTHS; n++)
        CU_ASSERT_EQUAL(loads[n], n == 2 ? 2 : 0);
}

static void test_what_is_no_machine_code(void)
{
    unsigned char bytes[24] = {0};
    uint64_t loads[SMC_LOAD_WIDTHS];
    struct smc_error error;
    CU_ASSERT_EQUAL(smc_machine_code_count(bytes, sizeof bytes, 90, loads, &error), SMC_USAGE);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "24 bytes"));
    CU_ASSERT_EQUAL(smc_machine_code_count(bytes, 16, 61, loads, &error), SMC_USAGE);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "sm_61"));
    CU_ASSERT_EQUAL(smc_machine_code_count(bytes, 0, 90, loads, &error), SMC_OK);
    CU_ASSERT_EQUAL(loads[0] + loads[1] + loads[2] + loads[3] + loads[4], 0);
}

CU_TestInfo tests_machine_code[] = {
    {"each instruction", test_each_instruction},
    {"all are counted", test_all_are_counted},
    {"what is no machine code", test_what_is_no_machine_code},
    CU_TEST_INFO_NULL,
};
