/* devicefile: printed devices are read back unchanged; every wrong value is reported with its key.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "rules/device_file.h"
#include "show/report/report.h"
#include "unit.h"

static enum smc_status parse(const char *text, struct smc_device_file *file,
                             struct smc_error *error)
{
    return smc_device_file_parse("my.json", text, strlen(text), file, error);
}

/* --- Round trip --------------------------------------------------------------------------------*/

/* Member by member, without the table of keys that both directions use. */
static bool same_sm(const struct smc_sm *a, const struct smc_sm *b)
{
#define SAME(member) (a->member == b->member)
    return SAME(cc) && SAME(warp_size) && SAME(max_threads_per_block) && SAME(max_warps_per_sm) &&
           SAME(max_threads_per_sm) && SAME(max_blocks_per_sm) && SAME(regs_per_sm) &&
           SAME(max_regs_per_block) && SAME(max_regs_per_thread) && SAME(reg_alloc_unit) &&
           SAME(regs_allocated_per_block) && SAME(warp_alloc_granularity) && SAME(subpartitions) &&
           SAME(smem_per_sm_bytes) && SAME(smem_per_block_default_bytes) &&
           SAME(smem_per_block_optin_bytes) && SAME(smem_alloc_unit_bytes) &&
           SAME(smem_reserved_per_block_bytes) && SAME(smem_carveout_count) &&
           SAME(smem_oversized_per_sm_bytes) && SAME(smem_oversized_per_block_bytes) &&
           memcmp(a->smem_carveout_bytes, b->smem_carveout_bytes, sizeof a->smem_carveout_bytes) ==
               0 &&
           SAME(l1_smem_unified_bytes) && SAME(l1_tex_separate_bytes) && SAME(smem_banks) &&
           SAME(bank_width_bytes) && SAME(named_barriers_per_block) && SAME(barriers_per_sm) &&
           SAME(virtual_resources_per_sm) && SAME(cluster_max_portable) &&
           SAME(cluster_max_nonportable) && SAME(fp32_lanes_per_sm);
#undef SAME
}

static bool same_device(const struct smc_device *a, const struct smc_device *b)
{
#define SAME(member)      (a->member == b->member)
#define SAME_TEXT(member) (strcmp(a->member, b->member) == 0)
    return same_sm(&a->sm, &b->sm) && SAME_TEXT(name) && SAME_TEXT(chip) && SAME(sm_count) &&
           SAME(sm_clock_khz) && SAME(memory_bus_bits) && SAME(memory_bytes_per_s) &&
           SAME(l2_bytes) && SAME(global_mem_bytes) && SAME(fp32_peak_tflops) &&
           SAME_TEXT(family) && SAME_TEXT(uncertain) && SAME_TEXT(sources);
#undef SAME
#undef SAME_TEXT
}

static void print(const struct smc_device *device, struct smc_text *out)
{
    smc_writer_json.devices(device, NULL, 1, out);
}

static bool comes_back(const struct smc_device *device)
{
    struct smc_text text = {0};
    struct smc_device_file file;
    struct smc_error error = {""};
    print(device, &text);
    enum smc_status status = parse(smc_text_string(&text), &file, &error);
    smc_text_free(&text);
    if (status != SMC_OK) {
        printf("%s\n", error.message);
        return false;
    }
    bool same = file.count == 1 && same_device(device, file.devices) &&
                file.devices->source == SMC_DEVICE_FILE && file.devices->gpu_index == -1;
    smc_device_file_free(&file);
    return same;
}

static void test_boards_come_back(void)
{
    struct smc_device device;
    size_t failures = 0;
    for (size_t i = 0; i < smc_device_count(); i++) {
        smc_device_at(i, &device);
        failures += !comes_back(&device);
    }
    CU_ASSERT_EQUAL(failures, 0);
}

static void test_capabilities_come_back(void)
{
    struct smc_capability capability;
    struct smc_device device;
    size_t failures = 0;
    for (size_t i = 0; i < smc_capability_count(); i++) {
        smc_capability_at(i, &capability);
        smc_device_of_capability(&capability, &device);
        failures += !comes_back(&device);
    }
    CU_ASSERT_EQUAL(failures, 0);
}

/* A live GPU has a number and no chip name; an edited device may differ from its compute capability
   in everything. */
static void test_other_devices_come_back(void)
{
    struct smc_device device;
    smc_device_at(smc_device_count() - 1, &device);
    device.chip[0] = '\0';
    device.source = SMC_DEVICE_LIVE;
    device.gpu_index = 3;
    device.sm.regs_allocated_per_block = true;
    device.sm.subpartitions = 2;
    device.sm.reg_alloc_unit *= 2;
    device.sm.barriers_per_sm = 0;
    device.sm.smem_banks = 64;
    device.sm.smem_carveout_bytes[0] = device.sm.smem_per_sm_bytes;
    device.sm.smem_carveout_count = 1;
    memset(device.sm.smem_carveout_bytes + 1, 0, sizeof(uint32_t) * (SMC_MAX_CARVEOUTS - 1));
    device.global_mem_bytes = UINT64_C(1) << 50;
    device.memory_bytes_per_s = 1234567890123.5;
    CU_ASSERT(comes_back(&device));
}

/* Every limit is in the list of fields; the rules after the limits have no keys. */
static void test_fields_are_complete(void)
{
    static const struct smc_sm sm;
    size_t bytes = sizeof sm.cc;
#define INTEGER(member, name, form, lowest, highest) bytes += sizeof sm.member;
#define GRANULARITY(member, name)                    bytes += sizeof(uint32_t); /* padded */
#define CARVEOUTS(count, member, name)               bytes += sizeof sm.count + sizeof sm.member;
#include "rules/model/sm_fields.def"
    CU_ASSERT_EQUAL(bytes, offsetof(struct smc_sm, carveout_by_cache_config));
}

/* --- What may be left out ----------------------------------------------------------------------*/

static void test_defaults(void)
{
    static const char text[] = "{\"name\": \"Mine\", \"compute_capability\": \"9.0\", "
                               "\"smem_banks\": 64, \"l1_smem_unified_bytes\": null}";
    struct smc_device_file file;
    struct smc_error error = {""};
    struct smc_capability hopper;
    CU_ASSERT_FATAL(smc_capability_find(90, &hopper));
    CU_ASSERT_EQUAL_FATAL(parse(text, &file, &error), SMC_OK);
    hopper.sm.smem_banks = 64;
    hopper.sm.l1_smem_unified_bytes = 0;
    CU_ASSERT(same_sm(&file.devices->sm, &hopper.sm));
    CU_ASSERT_STRING_EQUAL(file.devices->name, "Mine");
    CU_ASSERT_STRING_EQUAL(file.devices->family, hopper.family);
    CU_ASSERT_EQUAL(file.devices->sm_count, 0);
    smc_device_file_free(&file);
    CU_ASSERT_EQUAL(file.count, 0);
}

/* For a compute capability that is not in the table, all limits must be given, and the rules are
   those of the newest generation before it. */
static void test_unknown_capability(void)
{
    struct smc_device device;
    struct smc_device_file file;
    struct smc_error error = {""};
    struct smc_text text = {0};
    smc_device_at(0, &device);
    device.sm.cc = 999;
    CU_ASSERT(comes_back(&device));
    print(&device, &text);
    CU_ASSERT_EQUAL_FATAL(parse(smc_text_string(&text), &file, &error), SMC_OK);
    CU_ASSERT(!file.devices->sm.carveout_by_cache_config && file.devices->sm.has_async_copies);
    smc_text_free(&text);
    smc_device_file_free(&file);
    CU_ASSERT_EQUAL(parse("{\"name\": \"X\", \"compute_capability\": \"99.9\"}", &file, &error),
                    SMC_USAGE);
    CU_ASSERT_STRING_EQUAL(error.message,
                           "my.json: key 'warp_size' is missing; compute capability 99.9 is not in "
                           "the table, so every limit of an SM must be given");
    CU_ASSERT_EQUAL(parse("{\"compute_capability\": \"99.9\"}", &file, &error), SMC_USAGE);
    CU_ASSERT_STRING_EQUAL(error.message, "my.json: key 'name' is missing");
}

/* --- Wrong input -------------------------------------------------------------------------------*/

struct wrong {
    const char *text, *message; /* its beginning */
};

static void check_refused(const struct wrong *wrong, size_t count)
{
    size_t failures = 0;
    for (size_t i = 0; i < count; i++) {
        struct smc_device_file file;
        struct smc_error error = {""};
        bool refused = parse(wrong[i].text, &file, &error) == SMC_USAGE;
        if (refused && file.count == 0 &&
            strncmp(error.message, wrong[i].message, strlen(wrong[i].message)) == 0)
            continue;
        failures++;
        printf("%s\n  said:     %s\n  expected: %s\n", wrong[i].text, error.message,
               wrong[i].message);
        if (!refused)
            smc_device_file_free(&file);
    }
    CU_ASSERT_EQUAL(failures, 0);
}

#define DEVICE(rest) "{\"name\": \"X\", \"compute_capability\": \"9.0\", " rest "}"

static void test_wrong_values(void)
{
    static const struct wrong wrong[] = {
        {DEVICE("\"regs_per_sm\": -1"),
         "my.json: key 'regs_per_sm': -1 is not between 1 and 16777216"},
        {DEVICE("\"regs_per_sm\": 0"),
         "my.json: key 'regs_per_sm': 0 is not between 1 and 16777216"},
        {DEVICE("\"regs_per_sm\": 65536.5"),
         "my.json: key 'regs_per_sm': 65536.5 is not a whole number between 1 and 16777216"},
        {DEVICE("\"regs_per_sm\": \"64K\""),
         "my.json: key 'regs_per_sm': \"64K\" is not a whole number between 1 and 16777216"},
        {DEVICE("\"regs_per_sm\": null"),
         "my.json: key 'regs_per_sm': null is not a whole number between 1 and 16777216"},
        {DEVICE("\"regs_per_sm\": [65536]"),
         "my.json: key 'regs_per_sm': [65536] is not a whole number between 1 and 16777216"},
        {DEVICE("\"global_mem_bytes\": 9223372036854775807"),
         "my.json: key 'global_mem_bytes': 9223372036854775807 is not between 0 and "
         "1152921504606846976"},
        {DEVICE("\"reg_alloc_unit\": 192"),
         "my.json: key 'reg_alloc_unit': 192 is not a power of two between 1 and 65536"},
        {DEVICE("\"warp_size\": 0"),
         "my.json: key 'warp_size': 0 is not a power of two between 1 and 1024"},
        {DEVICE("\"reg_alloc_granularity\": \"thread\""),
         "my.json: key 'reg_alloc_granularity': \"thread\" is not \"block\" or \"warp\""},
        {DEVICE("\"fp32_peak_tflops\": -0.5"),
         "my.json: key 'fp32_peak_tflops': -0.5 is not between 0 and 1000000"},
        {DEVICE("\"fp32_peak_tflops\": true"),
         "my.json: key 'fp32_peak_tflops': true is not between 0 and 1000000"},
        {DEVICE("\"smem_carveouts_bytes\": []"),
         "my.json: key 'smem_carveouts_bytes': [] is not a list of 1 to 12 sizes"},
        {DEVICE("\"smem_carveouts_bytes\": 233472"),
         "my.json: key 'smem_carveouts_bytes': 233472 is not a list of 1 to 12 sizes"},
        {DEVICE("\"smem_carveouts_bytes\": [1,2,3,4,5,6,7,8,9,10,11,12,13]"),
         "my.json: key 'smem_carveouts_bytes': [1,2,3,4,5,6,7,8,9,10,11,12,13] is not a list of 1 "
         "to 12 sizes"},
        {DEVICE("\"smem_carveouts_bytes\": [-8192]"),
         "my.json: key 'smem_carveouts_bytes': -8192 is not between 0 and 4294967295"},
        {DEVICE("\"chip\": 5"),
         "my.json: key 'chip': 5 is not a text of 0 to 63 bytes without control characters"},
        {DEVICE("\"family\": \"a\\u007fb\""),
         "my.json: key 'family': \"a?b\" is not a text of 0 to 1000 bytes without control "
         "characters"},
        {"{\"name\": \"\", \"compute_capability\": \"9.0\"}",
         "my.json: key 'name': \"\" is not a text of 1 to 127 bytes without control characters"},
        {"{\"name\": \"X\", \"compute_capability\": 9.0}",
         "my.json: key 'compute_capability': 9.0 is not a compute capability such as \"9.0\""},
        {"{\"name\": \"X\", \"compute_capability\": \"nine\"}",
         "my.json: key 'compute_capability': \"nine\" is not a compute capability such as \"9.0\""},
        {"{\"name\": \"X\"}", "my.json: key 'compute_capability' is missing"},
        {"{\"compute_capability\": \"9.0\"}", "my.json: key 'name' is missing"},
    };
    check_refused(wrong, sizeof wrong / sizeof *wrong);
}

static void test_values_that_do_not_fit(void)
{
    static const struct wrong wrong[] = {
        {DEVICE("\"max_threads_per_sm\": 1024"),
         "my.json: key 'max_threads_per_sm': 1024 is not max_warps_per_sm x warp_size, 2048"},
        {DEVICE("\"max_threads_per_block\": 4096"),
         "my.json: key 'max_threads_per_block': 4096 is above max_threads_per_sm, 2048"},
        {DEVICE("\"max_regs_per_block\": 65537"),
         "my.json: key 'max_regs_per_block': 65537 is above regs_per_sm, 65536"},
        {DEVICE("\"regs_per_sm\": 65538"),
         "my.json: key 'regs_per_sm': 65538 cannot be shared equally by sm_subpartitions, 4"},
        {DEVICE("\"smem_reserved_per_block_bytes\": 1000"),
         "my.json: key 'smem_reserved_per_block_bytes': 1000 is not a multiple of "
         "smem_alloc_unit_bytes, 128"},
        {DEVICE("\"smem_per_block_optin_bytes\": 232449"),
         "my.json: key 'smem_per_block_optin_bytes': 232449, with 1024 reserved, is above "
         "smem_per_sm_bytes, 233472"},
        {DEVICE("\"smem_per_block_default_bytes\": 232449"),
         "my.json: key 'smem_per_block_default_bytes': 232449 is above "
         "smem_per_block_optin_bytes, 232448"},
        {DEVICE("\"smem_carveouts_bytes\": [0, 8192, 8192, 233472]"),
         "my.json: key 'smem_carveouts_bytes': 8192 after 8192; sizes ascend"},
        {DEVICE("\"smem_carveouts_bytes\": [0, 8192]"),
         "my.json: key 'smem_carveouts_bytes': the last size, 8192, is not smem_per_sm_bytes, "
         "233472"},
        {DEVICE("\"barriers_per_sm\": 15"),
         "my.json: key 'named_barriers_per_block': 16 is above barriers_per_sm, 15"},
        {DEVICE("\"cluster_max_nonportable\": 4"),
         "my.json: key 'cluster_max_portable': 8 is above cluster_max_nonportable, 4"},
    };
    check_refused(wrong, sizeof wrong / sizeof *wrong);
}

static void test_wrong_structure(void)
{
    static const struct wrong wrong[] = {
        {DEVICE("\"reg_per_sm\": 1"),
         "my.json: unknown key 'reg_per_sm'; did you mean 'regs_per_sm'?"},
        {DEVICE("\"colour\": 1"),
         "my.json: unknown key 'colour'; 'smemcalc devices --device 9.0 --format json' shows "
         "them all"},
        {DEVICE("\"name\": \"Y\""), "my.json:1:"},
        {"", "my.json:1:0: '[' or '{' expected"},
        {"{\n \"name\": \"X\",\n \"compute_capability\" \"9.0\"\n}",
         "my.json:3:27: ':' expected near '\"9.0\"'"},
        {"[]", "my.json: neither a device, {\"name\": ...}, nor {\"devices\": [...]}"},
        {"{\"devices\": []}", "my.json: key 'devices': not a list of one device or more"},
        {"{\"devices\": {}}", "my.json: key 'devices': not a list of one device or more"},
        {"{\"devices\": [5]}", "my.json: device 1: not an object"},
        {"{\"devices\": [" DEVICE("\"sm_count\": 4") ", " DEVICE("\"sm_count\": -4") "]}",
         "my.json: device 2 ('X'): key 'sm_count': -4 is not between 0 and 1000000"},
        {"{\"devices\": [], \"schema\": \"smemcalc/2\"}",
         "my.json: key 'schema': only \"smemcalc/1\" can be read"},
        {"{\"devices\": [], \"shema\": \"smemcalc/1\"}",
         "my.json: unknown key 'shema'; did you mean 'schema'?"},
        {"{\"devices\": [], \"name\": \"X\"}",
         "my.json: unknown key 'name'; only 'devices' and 'schema' are read"},
    };
    check_refused(wrong, sizeof wrong / sizeof *wrong);
}

/* Every key with a value of each kind of JSON: accepted, or refused with a message. */
static void test_every_key_with_anything(void)
{
    static const char *const values[] = {
        "null", "true", "0",  "-1",  "3",    "18446744073709551616",
        "1e99", "\"\"", "[]", "[0]", "[{}]", "{}"};
    size_t failures = 0, refused = 0;
    for (size_t k = 0; k < smc_device_key_count; k++)
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
            const char *key = smc_device_keys[k].name;
            const char *name = strcmp(key, "name") == 0 ? "chip" : "name";
            const char *cc = strcmp(key, "compute_capability") == 0 ? "chip" : "compute_capability";
            char text[256];
            snprintf(text, sizeof text, "{\"%s\": \"X\", \"%s\": \"9.0\", \"%s\": %s}", name, cc,
                     key, values[v]);
            struct smc_device_file file;
            struct smc_error error = {""};
            enum smc_status status = parse(text, &file, &error);
            if (status == SMC_OK) {
                failures += smc_sm_check(&file.devices->sm, NULL) != SMC_OK;
                smc_device_file_free(&file);
            } else {
                refused++;
                failures += strncmp(error.message, "my.json:", 8) != 0;
            }
        }
    CU_ASSERT_EQUAL(failures, 0);
    CU_ASSERT(refused > smc_device_key_count * 5);
}

CU_TestInfo tests_device_file[] = {
    {"every board comes back as it was printed", test_boards_come_back},
    {"every compute capability does", test_capabilities_come_back},
    {"live and edited devices do", test_other_devices_come_back},
    {"the list of fields is complete", test_fields_are_complete},
    {"what is left out is the table's", test_defaults},
    {"an unknown compute capability needs every limit", test_unknown_capability},
    {"wrong values are named with their key", test_wrong_values},
    {"values that do not fit one another are refused", test_values_that_do_not_fit},
    {"syntax, keys and lists are checked", test_wrong_structure},
    {"every key takes or refuses anything", test_every_key_with_anything},
    CU_TEST_INFO_NULL,
};
