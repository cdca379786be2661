/* devices: the tables are complete, and a look-up finds the device that the user means. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "rules/devices.h"
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

/* The rules as the sources state them, by generation. */
static void check_rules(const struct smc_capability *c)
{
    const struct smc_sm *sm = &c->sm;
    uint16_t cc = sm->cc;
    CU_ASSERT_EQUAL(sm->carveout_by_cache_config, cc < 70);
    CU_ASSERT_EQUAL(sm->barriers_not_counted, cc < 90);
    CU_ASSERT_EQUAL(sm->has_partitioned_caching, cc == 52 || cc == 53 || cc == 61 || cc == 62);
    CU_ASSERT_EQUAL(sm->reg_alloc_unit_varies, cc / 10 == 2);
    CU_ASSERT_EQUAL(sm->launch_check_subpartitions, cc == 60 ? 4 : 0);
    CU_ASSERT_EQUAL(sm->smem_holds_arguments, cc < 20);
    CU_ASSERT_EQUAL(sm->global_sector_bytes, cc < 20 ? 0 : 32);
    CU_ASSERT_EQUAL(sm->has_async_copies, cc >= 80);
    CU_ASSERT_EQUAL(sm->has_matrix_loads, cc >= 75);
    CU_ASSERT_EQUAL(sm->has_matrix_stores, cc >= 90);
    CU_ASSERT_EQUAL(sm->smem_wavefronts_per_clock, cc < 50 ? 0 : 1);
    CU_ASSERT_EQUAL(c->last_cuda_major == 0, cc >= 75 && cc != 101);
    CU_ASSERT_EQUAL(smc_capability_is_current(cc), cc >= 75);
    CU_ASSERT_EQUAL(c->cubin_smem_has_reserve, cc >= 90);
    CU_ASSERT_EQUAL(c->cubin_for_itself_only, cc == 101);
    CU_ASSERT_EQUAL(c->ptxas_writes_properties, cc >= 20);
    CU_ASSERT_EQUAL(c->machine_code_format, cc < 70 ? 0 : cc < 90 ? 1 : cc < 100 ? 2 : 3);
}

static void test_rules(void)
{
    struct smc_capability c;
    for (size_t i = 0; i < smc_capability_count(); i++) {
        smc_capability_at(i, &c);
        check_rules(&c);
    }
}

/* A compute capability that is not in the table has the rules of the newest one before it. */
static void test_nearest(void)
{
    static const uint16_t pairs[][2] = {{9, 10},  {10, 10},   {19, 13},   {40, 37},
                                        {85, 80}, {121, 121}, {130, 121}, {999, 121}};
    struct smc_capability c;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        smc_capability_nearest(pairs[i][0], &c);
        CU_ASSERT_EQUAL(c.sm.cc, pairs[i][1]);
    }
    CU_ASSERT(smc_capability_is_current(130) && !smc_capability_is_current(74));
}

static void test_capability_forms(void)
{
    static const struct {
        const char *text;
        uint16_t cc;
    } good[] = {{"9.0", 90},    {"12.1", 121},    {"1.0", 10},     {"sm_90", 90},
                {"sm_90a", 90}, {"sm_120f", 120}, {"sm_121", 121}, {"compute_103", 103},
                {"9.0a", 90},   {"12.0f", 120}};
    static const char *const bad[] = {
        "",       "9",     "90",   "9.",      ".0",   "9.00",
        "9.0x",   "9.0af", "x9.0", "sm_",     "sm_9", "sm90",
        "sm_90b", "-9.0",  "9.-1", "sm_90aa", "0.0",  "sm_99999999999999999999"};
    uint16_t cc;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        CU_ASSERT(smc_capability_parse(good[i].text, &cc) && cc == good[i].cc);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CU_ASSERT(!smc_capability_parse(bad[i], &cc));
}

static void test_boards(void)
{
    struct smc_device d;
    for (size_t i = 0; i < smc_device_count(); i++) {
        smc_device_at(i, &d);
        CU_ASSERT(d.name[0] && d.chip[0] && d.sources[0] && d.family[0]);
        CU_ASSERT(d.sm_count > 0 && d.sm_clock_khz > 0 && d.global_mem_bytes > 0);
        CU_ASSERT(d.sm.max_threads_per_block >= 512);
        /* The table's peak is 2 x lanes x SMs x clock, printed to three figures. */
        double peak = 2e-9 * d.sm.fp32_lanes_per_sm * d.sm_count * d.sm_clock_khz;
        CU_ASSERT_DOUBLE_EQUAL(d.fp32_peak_tflops, peak, 0.01 * peak);
        /* DDR3 transfers 1.6 Gbit/s over each pin, HBM2 1.4 to 2.3, GDDR7 up to 30. */
        double gbits_per_pin = d.memory_bytes_per_s * 8e-9 / (d.memory_bus_bits + 1e-9);
        CU_ASSERT(d.memory_bus_bits == 0 || (gbits_per_pin > 1.4 && gbits_per_pin < 32));
        CU_ASSERT(d.memory_bus_bits % 32 == 0);
        CU_ASSERT(d.l2_bytes < d.global_mem_bytes && d.l2_bytes % 1024 == 0);
    }
}

/* The common series; some boards are compared with published figures, so that a shifted column is
   noticed. */
static void test_common_boards(void)
{
    static const struct {
        const char *name;
        uint16_t cc;
        uint32_t sm_count;
        double gbytes_per_s, gbytes;
    } boards[] = {
        {"GTX 1080", 61, 20, 320, 8},
        {"GTX 1660 Ti", 75, 24, 288, 6},
        {"RTX 2070", 75, 36, 448, 8},
        {"RTX 3060 Ti", 86, 38, 448, 8},
        {"RTX 4080", 89, 76, 717, 16},
        {"RTX 4070 Ti SUPER", 89, 66, 672, 16},
        {"RTX 5060", 120, 30, 448, 8},
        {"RTX 5070 Ti", 120, 70, 896, 16},
        {"RTX A4000", 86, 48, 448, 16},
        {"RTX 4000 Ada Generation", 89, 48, 360, 20},
        {"L40", 89, 142, 864, 48},
        {"A10G", 86, 80, 600, 24},
        {"A100 80GB PCIe", 80, 108, 1935, 80},
        {"H20", 90, 78, 4000, 96},
        {"H100 NVL", 90, 132, 3938, 94},
        {"P40", 61, 30, 347, 24},
        {"V100-PCIE-32GB", 70, 80, 898, 32},
        {"Jetson Orin Nano 8GB", 87, 8, 68, 8},
        {"RTX PRO 5000 Blackwell", 120, 110, 1344, 48},
        {"GTX 970", 52, 13, 224, 4},
        {"GTX 780", 35, 12, 288, 3},
        {"GTX 750", 50, 4, 80, 1},
        {"Tesla M60", 52, 16, 160, 8},
        {"Quadro K4200", 30, 7, 173, 4},
        {"Quadro M4000", 52, 13, 192, 8},
        {"Quadro P620", 61, 4, 80, 2},
        {"MX150", 61, 3, 48, 2},
        {"GT 710", 35, 1, 14.4, 2},
        {"Tesla M2090", 20, 16, 177, 6},
    };
    for (size_t i = 0; i < sizeof boards / sizeof *boards; i++) {
        struct smc_device d = {0};
        char note[256];
        CU_ASSERT_EQUAL(smc_device_find(boards[i].name, &d, note, NULL), SMC_OK);
        CU_ASSERT_EQUAL(d.sm.cc, boards[i].cc);
        CU_ASSERT_EQUAL(d.sm_count, boards[i].sm_count);
        CU_ASSERT_DOUBLE_EQUAL(d.memory_bytes_per_s / 1e9, boards[i].gbytes_per_s,
                               0.01 * boards[i].gbytes_per_s);
        /* A driver reports slightly less memory than is marketed; a Jetson shares it with the CPU.
         */
        double gbytes = (double)d.global_mem_bytes / (1 << 30);
        CU_ASSERT(gbytes > 0.85 * boards[i].gbytes && gbytes < 1.01 * boards[i].gbytes);
    }
}

/* Each name finds its own board: with and without brand, in lower case, without spaces. */
static void test_names_find_themselves(void)
{
    struct smc_device board, found;
    for (size_t i = 0; i < smc_device_count(); i++) {
        smc_device_at(i, &board);
        char squeezed[sizeof board.name];
        size_t n = 0;
        for (const char *c = smc_device_model(&board); *c; c++)
            if (*c != ' ')
                squeezed[n++] = (char)tolower((unsigned char)*c);
        squeezed[n] = '\0';
        const char *const typed[] = {board.name, smc_device_model(&board), squeezed};
        for (size_t k = 0; k < sizeof typed / sizeof *typed; k++) {
            char note[256];
            bool is_quadro = strncmp(board.name, "Quadro", 6) == 0;
            CU_ASSERT_EQUAL_FATAL(smc_device_find(typed[k], &found, note, NULL), SMC_OK);
            CU_ASSERT_STRING_EQUAL(found.name, board.name);
            /* "GeForce GT 730" is the name of two chips. */
            bool is_shared = smc_device_limits_vary(typed[k], &found);
            CU_ASSERT(note[0] == '\0' || (k > 0 && is_quadro) || is_shared);
        }
        CU_ASSERT(smc_board_is_called(i, board.name));
        for (size_t k = i + 1; k < smc_device_count(); k++) {
            smc_device_at(k, &found);
            CU_ASSERT(!smc_device_has_name(&found, board.name, SMC_NAME_WHOLE));
        }
    }
}

/* `note` begins the note; NULL: there is none, because the name is exact. */
static void check_found(const char *typed, const char *name, const char *note_begins)
{
    struct smc_device d = {0};
    struct smc_error error = {""};
    char note[256];
    CU_ASSERT_EQUAL(smc_device_find(typed, &d, note, &error), SMC_OK);
    CU_ASSERT_STRING_EQUAL(d.name, name);
    if (note_begins)
        CU_ASSERT_EQUAL(strncmp(note, note_begins, strlen(note_begins)), 0);
    CU_ASSERT_EQUAL(note[0] != '\0', note_begins != NULL);
}

static void test_exact_names(void)
{
    check_found("NVIDIA H200", "NVIDIA H200", NULL);
    check_found("h200", "NVIDIA H200", NULL); /* not GH200 */
    check_found("H20", "NVIDIA H20", NULL);   /* nor H200 */
    check_found("L40", "NVIDIA L40", NULL);   /* not L40S */
    check_found("GTX 1080", "GeForce GTX 1080", NULL);
    check_found("NVIDIA GeForce GTX 1080 Ti", "GeForce GTX 1080 Ti", NULL);
    check_found("GeForce 8800 GTX", "GeForce 8800 GTX", NULL);
    check_found("rtx4090", "NVIDIA GeForce RTX 4090", NULL);
    check_found("geforce rtx 4090", "NVIDIA GeForce RTX 4090", NULL);
    check_found("RTX-4070-Ti-SUPER", "NVIDIA GeForce RTX 4070 Ti SUPER", NULL);
    check_found("rtx 4090 laptop gpu", "NVIDIA GeForce RTX 4090 Laptop GPU", NULL);
    check_found("T4", "Tesla T4", NULL);
    check_found("A10", "NVIDIA A10", NULL);
    check_found("h100 pcie", "NVIDIA H100 PCIe", NULL);
    check_found("GTX 1060 6 GB", "GeForce GTX 1060 6GB", NULL);
}

static bool varies(const char *typed)
{
    struct smc_device device;
    char note[256];
    CU_ASSERT_EQUAL_FATAL(smc_device_find(typed, &device, note, NULL), SMC_OK);
    return smc_device_limits_vary(typed, &device);
}

static void test_limits_vary(void)
{
    CU_ASSERT_FALSE(varies("H100"));
    CU_ASSERT_FALSE(varies("A100 80GB"));
    CU_ASSERT_FALSE(varies("9.0"));
    CU_ASSERT(varies("RTX 6000"));
}

static void test_closest_matches(void)
{
    check_found("H100", "NVIDIA H100 80GB HBM3",
                "closest match for 'H100': NVIDIA H100 80GB HBM3 (132 SMs); also NVIDIA H100 PCIe");
    check_found("A100", "NVIDIA A100-SXM4-40GB",
                "closest match for 'A100': NVIDIA A100-SXM4-40GB (108 SMs); also ");
    check_found("A100 80GB", "NVIDIA A100-SXM4-80GB",
                "closest match for 'A100 80GB': NVIDIA A100-SXM4-80GB (108 SMs); also NVIDIA A100 "
                "80GB PCIe");
    check_found("RTX 3070 Laptop", "NVIDIA GeForce RTX 3070 Laptop GPU", "closest match for ");
    check_found("4070 laptop", "NVIDIA GeForce RTX 4070 Laptop GPU", "closest match for ");
    check_found("a100-80gb", "NVIDIA A100-SXM4-80GB", "closest match for 'a100-80gb': ");
    check_found("tesla a100 80 gb", "NVIDIA A100-SXM4-80GB", "closest match for ");
    check_found("8800", "GeForce 8800 GTX", "closest match for '8800': GeForce 8800 GTX (16 SMs)");
    check_found("4090", "NVIDIA GeForce RTX 4090",
                "closest match for '4090': NVIDIA GeForce RTX 4090 (128 SMs); also NVIDIA GeForce "
                "RTX 4090 D, NVIDIA GeForce RTX 4090 Laptop GPU");
    check_found("RTX 3060 12GB", "NVIDIA GeForce RTX 3060", "closest match for 'RTX 3060 12GB': ");
    check_found(
        "RTX 6000", "Quadro RTX 6000",
        "closest match for 'RTX 6000': Quadro RTX 6000 (72 SMs); also Quadro RTX 6000 Mobile");
    check_found("RTX PRO 6000", "NVIDIA RTX PRO 6000 Blackwell Server Edition",
                "closest match for 'RTX PRO 6000': ");
    check_found("Jetson Orin Nano", "Jetson Orin Nano 8GB",
                "closest match for 'Jetson Orin Nano': Jetson Orin Nano 8GB (8 SMs); also ");
    check_found("Orin", "Jetson AGX Orin 64GB", "closest match for 'Orin': ");
    check_found("NVIDIA Tegra X1", "Jetson TX1",
                "closest match for 'NVIDIA Tegra X1': Jetson TX1 (2 SMs); also Jetson Nano");
    check_found("DGX Spark", "NVIDIA GB10", "closest match for 'DGX Spark': NVIDIA GB10 (48 SMs)");
}

/* The plainest board of that name, whatever has more SMs. */
static void test_bare_numbers(void)
{
    check_found("3060", "NVIDIA GeForce RTX 3060",
                "closest match for '3060': NVIDIA GeForce RTX 3060 (28 SMs); also ");
    check_found("2060", "NVIDIA GeForce RTX 2060",
                "closest match for '2060': NVIDIA GeForce RTX 2060 (30 SMs); also ");
    check_found("1650", "NVIDIA GeForce GTX 1650", "closest match for ");
    check_found("3050", "NVIDIA GeForce RTX 3050", "closest match for ");
    check_found("3080", "NVIDIA GeForce RTX 3080", "closest match for ");
    check_found("4070 Ti", "NVIDIA GeForce RTX 4070 Ti", "closest match for ");
    check_found("1060", "GeForce GTX 1060 6GB", "closest match for ");
    check_found("3080 desktop", "NVIDIA GeForce RTX 3080", "closest match for ");
    check_found("3060 12G", "NVIDIA GeForce RTX 3060", "closest match for ");
    check_found("GeForce 3060 8 GB", "NVIDIA GeForce RTX 3060 8GB", "closest match for ");
    check_found("970", "GeForce GTX 970", "closest match for ");
    check_found("730", "GeForce GT 730",
                "closest match for '730': GeForce GT 730 (2 SMs); also GeForce GT 730 GF108");
}

/* SXM, PCIe, NVL, Mobile, Max-Q and memory sizes are true of a board, or it is not meant. */
static void test_variants(void)
{
    check_found("H100 SXM", "NVIDIA H100 80GB HBM3", "closest match for ");
    check_found("H100 SXM5 80G", "NVIDIA H100 80GB HBM3", "closest match for ");
    check_found("NVIDIA H100 SXM5 80GB HBM3", "NVIDIA H100 80GB HBM3", "closest match for ");
    check_found("H200 141GB HBM3e", "NVIDIA H200", "closest match for ");
    check_found("710 2GB", "GeForce GT 710", "closest match for '710 2GB': GeForce GT 710 (1 SM)");
    check_found("H200 SXM", "NVIDIA H200", "closest match for ");
    check_found("A100 SXM", "NVIDIA A100-SXM4-40GB", "closest match for ");
    check_found("A100 PCIe", "NVIDIA A100-PCIE-40GB", "closest match for ");
    check_found("V100 SXM", "Tesla V100-SXM2-16GB", "closest match for ");
    check_found("v100_sxm3", "Tesla V100-SXM3-32GB", "closest match for ");
    check_found("A100-80G", "NVIDIA A100-SXM4-80GB", "closest match for ");
    check_found("A100 80 GiB", "NVIDIA A100-SXM4-80GB", "closest match for ");
    check_found("a100pcie 80gb", "NVIDIA A100 80GB PCIe", "closest match for ");
    check_found("L40S PCIe", "NVIDIA L40S", "closest match for ");
    check_found("GB200 NVL72", "NVIDIA GB200", "closest match for ");
    check_found("NVIDIA A100 GPU", "NVIDIA A100-SXM4-40GB", "closest match for ");
    check_found("RTX 3070 Mobile", "NVIDIA GeForce RTX 3070 Laptop GPU", "closest match for ");
    check_found("RTX 5070 Ti Mobile", "NVIDIA GeForce RTX 5070 Ti Laptop GPU",
                "closest match for ");
    check_found("RTX 4070 Max-Q", "NVIDIA GeForce RTX 4070 Laptop GPU", "closest match for ");
    check_found("rtx4070maxq", "NVIDIA GeForce RTX 4070 Laptop GPU", "closest match for ");
    check_found("3070ti laptop", "NVIDIA GeForce RTX 3070 Ti Laptop GPU", "closest match for ");
    check_found("4070S", "NVIDIA GeForce RTX 4070 SUPER", "closest match for ");
    check_found("RTX 2060S", "NVIDIA GeForce RTX 2060 SUPER", NULL);
    check_found("gtx1660s", "NVIDIA GeForce GTX 1660 SUPER", NULL);
    check_found("4070 TiS", "NVIDIA GeForce RTX 4070 Ti SUPER", "closest match for ");
    check_found("4070tisuper", "NVIDIA GeForce RTX 4070 Ti SUPER", "closest match for ");
    check_found("GTX 1080 Laptop", "GeForce GTX 1080 Mobile", "closest match for ");
    check_found("RTX 2070 Max-Q", "NVIDIA GeForce RTX 2070 with Max-Q Design",
                "closest match for ");
    check_found("GTX 960M mobile", "GeForce GTX 960M", "closest match for ");
}

static void test_capability_names(void)
{
    static const char *const typed[] = {"9.0",   "9.0a",   "90",         "90a",
                                        "sm_90", "sm_90a", "compute_90", "compute capability 9.0"};
    for (size_t i = 0; i < sizeof typed / sizeof *typed; i++)
        check_found(typed[i], "compute capability 9.0", NULL);
    check_found("sm_100f", "compute capability 10.0", NULL);
    check_found("sm_121", "compute capability 12.1", NULL);
    check_found("110", "compute capability 11.0", NULL);
    check_found("480", "GeForce GTX 480", "closest match for '480': "); /* 48.0 does not exist */
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
    check_refused("", "unknown device ''");
    check_refused("!!", "unknown device '!!'");
    check_refused("Voodoo 2", "unknown device 'Voodoo 2'");
    check_refused("0", "unknown device"); /* a substring of many names, but a word of none */
    check_refused("9.1", "compute capability 9.1 is newer than this table; ");
    check_refused("10.5", "compute capability 10.5 is not in this table; ");
    check_refused("10.9", "compute capability 10.9 is newer than this table; ");
    check_refused("sm_130", "compute capability 13.0 is newer than this table; ");
    check_refused("4.0", "compute capability 4.0 is not in this table; ");
    check_refused("9.0x", "'9.0x' is not a compute capability; write it as 9.0, 9.0a, 90");
    check_refused("90x", "'90x' is not a compute capability");
    check_refused("sm_90b", "'sm_90b' is not a compute capability");
    check_refused("sm99", "'sm99' is not a compute capability");
    check_refused("sm90", "unknown device 'sm90'; did you mean '9.0'?");
    check_refused("SM_90a", "unknown device 'SM_90a'; did you mean '9.0'?");
    check_refused("cc 8.6", "unknown device 'cc 8.6'; did you mean '8.6'?");
    check_refused("hopper", "'hopper' is an architecture, not a device; choose 9.0 (");
    check_refused("Ampere", "'Ampere' is an architecture, not a device; choose one of 8.0 (A100");
    check_refused("ada", "choose 8.9 (");
    check_refused("blackwell", "choose one of 10.0 (B200), 10.1, 10.3 (");
    check_refused("Blackwell Ultra", "choose 10.3 (");
    check_refused("9.0.1", "'9.0.1' is not a compute capability");
    check_refused("RTX", "matches several devices");
    check_refused("GT 730M",
                  "matches several devices: GeForce GT 730M GK107, GeForce GT 730M GK208");
    check_refused("RTX 3090 SXM", "unknown device 'RTX 3090 SXM'");
    check_refused("A100 SXM5", "unknown device 'A100 SXM5'");
    check_refused("H200 PCIe", "unknown device 'H200 PCIe'");
    check_refused("RTX 3090 Laptop", "unknown device 'RTX 3090 Laptop'");
    check_refused("GTX 1080 SUPER", "unknown device 'GTX 1080 SUPER'");
    check_refused("RTX 3090 Max-Q", "unknown device 'RTX 3090 Max-Q'");
    check_refused("RTX 4090 80GB", "unknown device 'RTX 4090 80GB'");
    check_refused("Tesla K20m laptop", "unknown device 'Tesla K20m laptop'");
    check_refused("geforce", "and ");
    check_refused("\x1b[31m", "'?[31m'");
}

static void check_not_suggested(const char *typed)
{
    struct smc_device d;
    struct smc_error error = {""};
    char note[256];
    CU_ASSERT_EQUAL(smc_device_find(typed, &d, note, &error), SMC_USAGE);
    CU_ASSERT_PTR_NULL(strstr(error.message, "did you mean"));
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "'smemcalc devices' lists them"));
}

static void test_suggestions(void)
{
    check_refused("RTX 4009", "did you mean 'NVIDIA GeForce RTX 4090'?");
    check_refused("RTX 4085", "did you mean 'NVIDIA GeForce RTX 4080'?"); /* not RTX 2080 Ti */
    check_refused("RXT 4090", "did you mean 'NVIDIA GeForce RTX 4090'?");
    check_refused("RTX 40", "did you mean 'NVIDIA GeForce RTX 40");
    check_refused("geforce gtx 1090 ti", "did you mean 'GeForce GTX 1080 Ti'?");
    check_refused("A10O", "did you mean 'NVIDIA A100-SXM4-40GB'?");
    check_refused("A100 96GB", "did you mean 'NVIDIA A100 80GB PCIe'?"); /* not an H100 */
    check_refused("B100", "did you mean 'NVIDIA B200'?");
    check_refused("h2o0", "did you mean 'NVIDIA H200'?");
    check_refused("Quadro RTX 8008", "did you mean 'Quadro RTX 8000'?");
    check_not_suggested("Voodoo 2");
    check_not_suggested("RTX 6090"); /* not of that series; the RTX 6000 Ada is a different board */
    check_not_suggested("MI300");
    check_refused("GTX 785", "did you mean 'GeForce GTX 780'?");
    check_refused("GTX 990", "did you mean 'GeForce GTX 980'?");
    check_refused("GTX 4090", "did you mean 'NVIDIA GeForce RTX 4090'?");
    check_refused("Quadro K4400", "did you mean 'Quadro K4000'?"); /* not Quadro RTX 4000 */
    check_refused("RTX 2085",
                  "did you mean 'NVIDIA GeForce RTX 2080'? 'smemcalc devices' lists them, "
                  "or give a compute capability such as 9.0");
    check_refused("RTX 3090 SXM", "did you mean 'NVIDIA GeForce RTX 3090'?");
    check_refused("RTX 3070 Super", "did you mean 'NVIDIA GeForce RTX 3070'?");
    check_refused("Quadro K2200 Max-Q", "did you mean 'Quadro K2200'?");
    check_not_suggested("GTX 735"); /* of the 7xx, some are Kepler and some are Maxwell */
    check_not_suggested("MX140");
}

static void check_model(const char *name, const char *model)
{
    struct smc_device device;
    snprintf(device.name, sizeof device.name, "%s", name);
    CU_ASSERT_STRING_EQUAL(smc_device_model(&device), model);
    CU_ASSERT(smc_device_has_name(&device, model, SMC_NAME_WHOLE));
}

static void test_models(void)
{
    struct smc_device device = {.name = "NVIDIA GH200 480GB"};
    check_model("NVIDIA GeForce RTX 4090", "RTX 4090");
    check_model("Tesla T4", "T4");
    check_model("Orin", "Orin");
    CU_ASSERT(!smc_device_has_name(&device, "GH200", SMC_NAME_WHOLE));
    CU_ASSERT(smc_device_has_name(&device, "gh200", SMC_NAME_WORDS));
    CU_ASSERT(!smc_device_has_name(&device, "H200", SMC_NAME_WORDS));
    CU_ASSERT(smc_device_has_name(&device, "h200", SMC_NAME_PART));
    CU_ASSERT(smc_device_has_name(&device, "h200 48", SMC_NAME_PART));
    CU_ASSERT(!smc_device_has_name(&device, "", SMC_NAME_PART));
}

CU_TestInfo tests_devices[] = {
    {"every compute capability is consistent", test_capabilities},
    {"every compute capability has the rules of its generation", test_rules},
    {"an unknown compute capability has the rules before it", test_nearest},
    {"a compute capability has several spellings", test_capability_forms},
    {"every board is consistent", test_boards},
    {"common boards have their published figures", test_common_boards},
    {"each name finds its own board", test_names_find_themselves},
    {"an exact name is found without a note", test_exact_names},
    {"any other match says so", test_closest_matches},
    {"a bare number is the desktop board of that name", test_bare_numbers},
    {"SXM, Mobile, Max-Q and memory sizes tell boards apart", test_variants},
    {"a name of boards with different limits", test_limits_vary},
    {"a compute capability is found in each spelling", test_capability_names},
    {"unknown and ambiguous names are refused", test_refusals},
    {"a suggestion has the architecture of what was typed", test_suggestions},
    {"a model is the name without its brand", test_models},
    CU_TEST_INFO_NULL,
};
