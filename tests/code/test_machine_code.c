/* machine_code: accesses are found in instructions as ptxas encodes them. The encodings are from
   kernels of our own; nvdisasm provided their meaning. */
#include <stdio.h>
#include <string.h>

#include "code/machine_code.h"
#include "unit.h"

struct instruction {
    uint64_t low, high;
};

/* Of the access that is found. */
enum { NOTHING, FOUND = 1, SHARED = 2, STORE = 4, COPY = 8, GUARDED = 16 };

struct example {
    uint16_t cc;
    const char *text;
    struct instruction code;
    uint8_t facts, width_bytes, address_register;
    int32_t offset;
};

/* clang-format off */
static const struct example examples[] = {
    {75, "LDS.U.128 R12, [R5]",
     {0x00000000050c7984, 0x0002620000001c00}, FOUND | SHARED, 16, 5, 0},
    {75, "LDS.U.U16 R22, [R22+0x5400]",
     {0x0054000016167984, 0x000f620000001400}, FOUND | SHARED, 2, 22, 0x5400},
    {75, "STG.E.64.SYS [R4], R10",
     {0x0000000a04007386, 0x000fe8000010eb00}, FOUND | STORE, 8, 4, 0},
    {75, "LDG.E.S8.SYS R0, [R20]",
     {0x0000000014007381, 0x0000a200001ee300}, FOUND, 1, 20, 0},
    {80, "STS.64 [R29+0x960], R16",
     {0x000960101d007388, 0x0011e80000000a00}, FOUND | SHARED | STORE, 8, 29, 0x960},
    {80, "LDS R7, [R9+-0xc]",
     {0xfffff40009077984, 0x000ea40000000800}, FOUND | SHARED, 4, 9, -0xc},
    {80, "@!PT LDS RZ, [RZ]",
     {0x00000000fffff984, 0x000fe20000000800}, NOTHING, 0, 0, 0},
    {80, "LDGSTS.E.128 [R9], [R4.64]",
     {0x0000000004097fae, 0x000fe8000b921c44}, FOUND | COPY, 16, 4, 0},
    {80, "LDGSTS.E [R9], [R4.64]",
     {0x0000000004097fae, 0x000fe8000b921844}, FOUND | COPY, 4, 4, 0},
    {90, "LDG.E R0, desc[UR4][R2.64+-0x1c]",
     {0xffffe40402007981, 0x002ea8000c1e1900}, FOUND, 4, 2, -0x1c},
    {90, "STS.U8 [R2+UR6], R15",
     {0x0000000f02007988, 0x0005e80008000006}, FOUND | SHARED | STORE, 1, 2, 0},
    {90, "@P0 ATOMS.ADD RZ, [R19], R20",
     {0x0000001413ff038c, 0x0009e20000000000}, NOTHING, 0, 0, 0},
    {90, "BAR.SYNC.DEFER_BLOCKING 0x0",
     {0x0000000000007b1d, 0x000fe20000010000}, NOTHING, 0, 0, 0},
    {90, "IMAD.WIDE R8, R2.reuse, 0x8, RZ",
     {0x0000000802087825, 0x041fe200078e02ff}, NOTHING, 0, 0, 0},
    {100, "@!P3 LDG.E R22, desc[UR8][R4.64]",
     {0x000000080416b981, 0x000ea2000c1e1900}, FOUND | GUARDED, 4, 4, 0},
    {120, "LDGSTS.E.64 [R7], desc[UR6][R4.64]",
     {0x0000000004077fae, 0x000fe8000b9a1406}, FOUND | COPY, 8, 4, 0},
    {120, "LDGSTS.E [R7], desc[UR6][R4.64]",
     {0x0000000004077fae, 0x000fe8000b9a1006}, FOUND | COPY, 4, 4, 0},
    {120, "STG.E.128 desc[UR10][R8.64], R4",
     {0x0000000408007986, 0x000fe6000c101d0a}, FOUND | STORE, 16, 8, 0},
};
/* clang-format on */

enum { EXAMPLES = sizeof examples / sizeof *examples };

static void put(uint64_t word, unsigned char *bytes)
{
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(word >> 8 * i);
}

static void test_each_instruction(void)
{
    for (size_t i = 0; i < EXAMPLES; i++) {
        const struct example *example = &examples[i];
        unsigned char bytes[16];
        struct smc_machine_code code;
        put(example->code.low, bytes);
        put(example->code.high, bytes + 8);
        CU_ASSERT_EQUAL_FATAL(smc_machine_code_read(bytes, sizeof bytes, example->cc, &code, NULL),
                              SMC_OK);
        const size_t count = example->facts != NOTHING;
        CU_ASSERT_EQUAL(code.count, count);
        if (code.count != count)
            printf("%s: %zu accesses\n", example->text, code.count);
        if (code.count == 1 && count == 1) {
            const struct smc_machine_access *access = &code.access[0];
            CU_ASSERT_EQUAL(FOUND | access->is_shared * SHARED | access->is_store * STORE |
                                access->is_copy * COPY | access->is_guarded * GUARDED,
                            example->facts);
            CU_ASSERT_EQUAL(access->width_bytes, example->width_bytes);
            CU_ASSERT_EQUAL(access->address_register, example->address_register);
            CU_ASSERT_EQUAL(access->offset, example->offset);
        }
        smc_machine_code_free(&code);
    }
}

/* Consecutive instructions of sm_80. */
static void test_in_order_and_counted(void)
{
    unsigned char bytes[16 * EXAMPLES];
    size_t used = 0;
    struct smc_machine_code code;
    for (size_t i = 0; i < EXAMPLES; i++) {
        if (examples[i].cc != 80)
            continue;
        put(examples[i].code.low, bytes + used);
        put(examples[i].code.high, bytes + used + 8);
        used += 16;
    }
    CU_ASSERT_EQUAL_FATAL(smc_machine_code_read(bytes, used, 80, &code, NULL), SMC_OK);
    CU_ASSERT_EQUAL_FATAL(code.count, 4);
    CU_ASSERT_EQUAL(code.access[0].at, 0);
    CU_ASSERT_EQUAL(code.access[1].at, 16);
    CU_ASSERT_EQUAL(code.access[2].at, 48);
    CU_ASSERT_EQUAL(code.access[3].at, 64);
    CU_ASSERT_EQUAL(smc_machine_code_count(&code, true, true, 8), 1);
    CU_ASSERT_EQUAL(smc_machine_code_count(&code, true, false, 4), 1);
    CU_ASSERT_EQUAL(smc_machine_code_count(&code, false, false, 16), 0); /* a copy is not a load */
    smc_machine_code_free(&code);
}

static void test_what_is_no_machine_code(void)
{
    unsigned char bytes[24] = {0};
    struct smc_machine_code code;
    struct smc_error error;
    CU_ASSERT_EQUAL(smc_machine_code_read(bytes, sizeof bytes, 90, &code, &error), SMC_USAGE);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "24 bytes"));
    CU_ASSERT_EQUAL(smc_machine_code_read(bytes, 16, 61, &code, &error), SMC_USAGE);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "sm_61"));
    CU_ASSERT_EQUAL(smc_machine_code_read(bytes, 0, 90, &code, &error), SMC_OK);
    CU_ASSERT_EQUAL(code.count, 0);
    smc_machine_code_free(&code);
}

CU_TestInfo tests_machine_code[] = {
    {"each instruction", test_each_instruction},
    {"in order and counted", test_in_order_and_counted},
    {"what is no machine code", test_what_is_no_machine_code},
    CU_TEST_INFO_NULL,
};
