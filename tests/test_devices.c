/* devices: the tables are whole, and looking up finds what a person means. */
#include <stdio.h>
#include <string.h>

#include "devices/devices.h"
#include "unit.h"

static bool is_power_of_two(uint32_t n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

static void test_capabilities(void)
{
    struct smc_capability c;
    uint16_t last = 0;
    CU_ASSERT_EQUAL(smc_capability_count(), 32);
    for (size_t i = 0; i < smc_capability_count(); i++) {
        smc_capability_at(i, &c);
        CU_ASSERT(c.sm.cc > last);
        last = c.sm.cc;
        CU_ASSERT_EQUAL(c.sm.max_warps_per_sm * c.sm.warp_size, c.sm.max_threads_per_sm);
        CU_ASSERT(c.sm.smem_carveout_count >= 1);
        CU_ASSERT_EQUAL(c.sm.smem_carveout_bytes[c.sm.smem_carveout_count - 1],
                        c.sm.smem_per_sm_bytes);
        for (uint32_t k = 1; k < c.sm.smem_carveout_count; k++)
            CU_ASSERT(c.sm.smem_carveout_bytes[k] > c.sm.smem_carveout_bytes[k - 1]);
        CU_ASSERT(c.sm.smem_per_block_optin_bytes + c.sm.smem_reserved_per_block_bytes <=
                  c.sm.smem_per_sm_bytes);
        CU_ASSERT_EQUAL(c.sm.regs_per_sm % c.sm.subpartitions, 0);
        CU_ASSERT_EQUAL(c.sm.smem_reserved_per_block_bytes % c.sm.smem_alloc_unit_bytes, 0);
        CU_ASSERT_EQUAL(c.sm.regs_allocated_per_block, c.sm.cc < 20);
        CU_ASSERT(is_power_of_two(c.sm.reg_alloc_unit) && is_power_of_two(c.sm.warp_size) &&
                  is_power_of_two(c.sm.smem_alloc_unit_bytes) &&
                  is_power_of_two(c.sm.subpartitions) &&
                  is_power_of_two(c.sm.warp_alloc_granularity));
        CU_ASSERT(c.family[0] && c.sources[0]);
    }
    CU_ASSERT(smc_capability_find(10, &c) && smc_capability_find(121, &c));
    CU_ASSERT(!smc_capability_find(40, &c));
}

static void test_capability_forms(void)
{
    static const struct {
        const char *text;
        uint16_t cc;
    } good[] = {{"9.0", 90},    {"12.1", 121},    {"1.0", 10},     {"sm_90", 90},
                {"sm_90a", 90}, {"sm_120f", 120}, {"sm_121", 121}, {"compute_103", 103}};
    static const char *const bad[] = {"",
                                      "9",
                                      "90",
                                      "9.",
                                      ".0",
                                      "9.00",
                                      "9.0x",
                                      "x9.0",
                                      "sm_",
                                      "sm_9",
                                      "sm90",
                                      "sm_90b",
                                      "-9.0",
                                      "9.-1",
                                      "sm_90aa",
                                      "0.0",
                                      "sm_99999999999999999999"};
    uint16_t cc;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        CU_ASSERT(smc_capability_parse(good[i].text, &cc) && cc == good[i].cc);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CU_ASSERT(!smc_capability_parse(bad[i], &cc));
}

static void test_boards(void)
{
    struct smc_device d;
    CU_ASSERT_EQUAL(smc_device_count(), 66);
    for (size_t i = 0; i < smc_device_count(); i++) {
        smc_device_at(i, &d);
        CU_ASSERT(d.name[0] && d.chip[0] && d.sources[0] && d.family[0]);
        CU_ASSERT(d.sm_count > 0 && d.sm_clock_khz > 0 && d.global_mem_bytes > 0);
        CU_ASSERT(d.sm.max_threads_per_block >= 512);
        /* The table's peak is 2 x lanes x SMs x clock, printed to three figures. */
        double peak = 2e-9 * d.sm.fp32_lanes_per_sm * d.sm_count * d.sm_clock_khz;
        CU_ASSERT_DOUBLE_EQUAL(d.fp32_peak_tflops, peak, 0.01 * peak);
    }
}

static void check_found(const char *typed, const char *name, bool noted)
{
    struct smc_device d = {0};
    struct smc_error error = {""};
    char note[256];
    CU_ASSERT_EQUAL(smc_device_find(typed, &d, note, &error), SMC_OK);
    CU_ASSERT_STRING_EQUAL(d.name, name);
    CU_ASSERT_EQUAL(note[0] != '\0', noted);
}

static void test_lookup(void)
{
    check_found("NVIDIA H200", "NVIDIA H200", false);
    check_found("h200", "NVIDIA H200", false); /* not GH200 */
    check_found("GeForce 8800 GTX", "GeForce 8800 GTX", false);
    check_found("8800", "GeForce 8800 GTX", false);
    check_found("rtx4090", "NVIDIA GeForce RTX 4090", false);
    check_found("geforce rtx 4090", "NVIDIA GeForce RTX 4090", false);
    check_found("T4", "Tesla T4", false);
    check_found("H100", "NVIDIA H100 80GB HBM3", true);
    check_found("h100 pcie", "NVIDIA H100 PCIe", false);
    check_found("A100", "NVIDIA A100-SXM4-40GB", true);
    check_found("9.0", "compute capability 9.0", false);
    check_found("sm_121", "compute capability 12.1", false);
}

static void check_refused(const char *typed, const char *part_of_message)
{
    struct smc_device d;
    struct smc_error error = {""};
    char note[256];
    CU_ASSERT_EQUAL(smc_device_find(typed, &d, note, &error), SMC_USAGE);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message, part_of_message));
}

static void test_refusals(void)
{
    check_refused("", "is no device");
    check_refused("!!", "is no device");
    check_refused("Voodoo 2", "is no device");
    check_refused("9.1", "compute capability 9.1 is newer than this table; ");
    check_refused("10.5", "compute capability 10.5 is not in this table; ");
    check_refused("10.9", "compute capability 10.9 is newer than this table; ");
    check_refused("sm_130", "compute capability 13.0 is newer than this table; ");
    check_refused("4.0", "compute capability 4.0 is not in this table; ");
    check_refused("RTX", "fits several devices");
    check_refused("geforce", "and ");
    check_refused("\x1b[31m", "'?[31m'");
}

static void test_suggestions(void)
{
    check_refused("RTX 4009", "did you mean 'NVIDIA GeForce RTX 4090'?");
    check_refused("geforce gtx 1090 ti", "did you mean 'GeForce GTX 1080 Ti'?");
    check_refused("A10O", "did you mean 'NVIDIA A100-SXM4-40GB'?");
    check_refused("h2o0", "did you mean 'NVIDIA H200'?");
    check_refused("Quadro RTX 8008", "did you mean 'Quadro RTX 8000'?");
    check_refused("Voodoo 2", "'smemcalc devices' lists them");
}

static void check_model(const char *name, const char *model)
{
    struct smc_device device;
    snprintf(device.name, sizeof device.name, "%s", name);
    CU_ASSERT_STRING_EQUAL(smc_device_model(&device), model);
    CU_ASSERT(smc_device_has_name(&device, model, true));
}

static void test_models(void)
{
    struct smc_device device = {.name = "NVIDIA GH200 480GB"};
    check_model("NVIDIA GeForce RTX 4090", "RTX 4090");
    check_model("Tesla T4", "T4");
    check_model("Orin", "Orin");
    CU_ASSERT(!smc_device_has_name(&device, "H200", true));
    CU_ASSERT(smc_device_has_name(&device, "h200", false));
    CU_ASSERT(!smc_device_has_name(&device, "", false));
}

CU_TestInfo tests_devices[] = {
    {"every compute capability is consistent", test_capabilities},
    {"a compute capability has several spellings", test_capability_forms},
    {"every board is consistent", test_boards},
    {"a unique part of a name suffices", test_lookup},
    {"unknown and ambiguous names are refused", test_refusals},
    {"a name with a slip is answered with the nearest", test_suggestions},
    {"a model is the name without its brand", test_models},
    CU_TEST_INFO_NULL,
};
