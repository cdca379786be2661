/* What a program may do wrong with the library: each is an error with a message in the library's
   own words, and none a crash. Prints what is not. Compiled by tests/library.sh, whose user has
   macros of the names below. */
#define LIMIT     5
#define REFUSAL   LIMIT
#define SMEM_MODE LIMIT
#define OPERATION LIMIT
#define ROW       LIMIT
#define STRUCT    LIMIT
#include <smemcalc.h>
#include <stdio.h>
#include <string.h>

#if LIMIT != 5 || REFUSAL != 5 || SMEM_MODE != 5 || OPERATION != 5 || ROW != 5 || STRUCT != 5
#error "the header changes a macro of the program"
#endif

static struct smc_device h200;

static void expect(bool holds, const char *what)
{
    if (!holds)
        printf("%s\n", what);
}

/* Of the program, or of anything that only it has. */
static void expect_library_words(const struct smc_error *error)
{
    expect(error->message[0] != '\0', "a message is empty");
    expect(!strstr(error->message, "--") && !strstr(error->message, "'smemcalc "), error->message);
}

static void compute_from_zeros(void)
{
    struct smc_sm none;
    struct smc_launch launch;
    struct smc_occupancy occupancy;
    struct smc_next_steps steps;
    struct smc_error error;
    memset(&none, 0, sizeof none);
    memset(&occupancy, 1, sizeof occupancy);
    smc_launch_init(&launch);
    expect(smc_occupancy_compute(&none, &launch, &occupancy) == SMC_USAGE, "an SM of zeros");
    expect(occupancy.blocks_per_sm == 0 && occupancy.limiters == 0, "an answer of zeros");
    expect(smc_occupancy_percent(&none, &occupancy) == 0, "a percentage of zeros");
    expect(smc_launch_check(&none, 0, NULL, &launch, &occupancy) == SMC_USAGE, "a GPU of zeros");
    expect(smc_next_steps_find(&none, &launch, &steps) == SMC_USAGE && steps.count == 0,
           "steps from zeros");
    expect(smc_launch_validate(&none, &launch, &error) == SMC_USAGE, "zeros are not valid");
    expect_library_words(&error);
    expect(smc_sm_check(&none, &error) == SMC_USAGE, "zeros pass smc_sm_check");
    expect_library_words(&error);
    memset(&launch, 0, sizeof launch);
    expect(smc_occupancy_compute(&h200.sm, &launch, &occupancy) == SMC_OK &&
               occupancy.warps_per_block == 1 && occupancy.blocks_per_sm > 0,
           "a launch of zeros is one of a thread with a carve-out of 0 %");
}

static void compute_contradictions(void)
{
    struct smc_launch launch;
    struct smc_occupancy occupancy;
    struct smc_error error;
    smc_launch_init(&launch);
    launch.threads_per_block = 256;
    launch.smem_bytes_per_thread = 100;
    launch.dynamic_smem_bytes = 25599;
    expect(smc_occupancy_compute(&h200.sm, &launch, &occupancy) == SMC_USAGE,
           "too little memory for the threads");
    expect(smc_launch_validate(&h200.sm, &launch, &error) == SMC_USAGE, "the same, validated");
    expect_library_words(&error);
    launch.dynamic_smem_bytes = 25600;
    expect(smc_occupancy_compute(&h200.sm, &launch, &occupancy) == SMC_OK, "enough memory");
    launch.carveout_percent = 101;
    expect(smc_occupancy_compute(&h200.sm, &launch, &occupancy) == SMC_USAGE, "a carve-out of 101");
    launch.carveout_percent = 100;
    launch.cache_config = (enum smc_cache_config)77;
    expect(smc_occupancy_compute(&h200.sm, &launch, &occupancy) == SMC_USAGE, "no enumerator");
    expect(smc_launch_validate(&h200.sm, &launch, &error) == SMC_USAGE, "the same, validated");
    expect_library_words(&error);
}

static void check_arrays(void)
{
    struct smc_launch launch[3];
    struct smc_occupancy occupancy[3];
    struct smc_launches launches;
    struct smc_error error;
    memset(&launches, 0, sizeof launches);
    expect(smc_launches_check(&launches, &error) == SMC_USAGE, "launches of zeros");
    expect_library_words(&error);
    for (int i = 0; i < 3; i++)
        smc_launch_init(&launch[i]);
    launch[1].carveout_percent = -2;
    launch[2].threads_per_block = 1024;
    launches.size = sizeof launches;
    launches.sm = &h200.sm;
    launches.count = 3;
    launches.launch = launch;
    launches.occupancy = occupancy;
    expect(smc_launches_check(&launches, &error) == SMC_USAGE, "one launch that is not valid");
    expect(strncmp(error.message, "launch 1: ", 10) == 0, error.message);
    expect(occupancy[0].blocks_per_sm == 32 && occupancy[1].blocks_per_sm == 0 &&
               occupancy[2].blocks_per_sm == 2,
           "the others are answered");
}

static void access_banks(void)
{
    struct smc_bank_layout banks, none;
    struct smc_access access;
    struct smc_bank_map map;
    struct smc_bank_array array;
    struct smc_bank_remedy remedy;
    struct smc_error error;
    memset(&access, 0, sizeof access);
    memset(&none, 0, sizeof none);
    memset(&array, 0, sizeof array);
    smc_bank_layout_of(&h200.sm, SMC_BANK_MODE_4_BYTES, &banks);
    access.mask = SMC_ALL_LANES;
    expect(smc_access_validate(&banks, &access, &error) == SMC_USAGE, "no width");
    expect_library_words(&error);
    expect(smc_access_misaligned(&access) == SMC_ALL_LANES, "no address is a multiple of 0");
    for (uint32_t width = 0; width < 4096; width += 3) {
        access.width_bytes = width;
        expect(smc_banks_count(&banks, &access).wavefronts == 0, "a width that does not exist");
        expect(!smc_banks_are_known(&banks, &access), "the same, known");
        expect(smc_banks_are_free(&banks, &access), "the same, free");
        smc_banks_map(&banks, &access, &map);
        expect(map.cost.wavefronts == 0, "the same, mapped");
    }
    access.width_bytes = 4;
    expect(smc_access_validate(&banks, &access, &error) == SMC_OK, "an access");
    expect(smc_access_validate(&none, &access, &error) == SMC_USAGE, "banks of zeros");
    expect_library_words(&error);
    expect(smc_banks_count(&none, &access).wavefronts == 0, "banks of zeros, counted");
    access.op = (enum smc_bank_op)99;
    expect(smc_access_validate(&banks, &access, &error) == SMC_USAGE, "no operation");
    expect_library_words(&error);
    expect(smc_banks_count(&banks, &access).wavefronts == 0, "no operation, counted");
    access.op = SMC_BANK_LOAD;
    expect(smc_bank_remedy_find(&array, &remedy, &error) == SMC_USAGE, "an array of zeros");
    expect_library_words(&error);
    array.size = sizeof array;
    array.layout = &banks;
    array.access = &access;
    array.access_count = 1;
    array.element_bytes = 4;
    expect(smc_bank_remedy_find(&array, &remedy, &error) == SMC_USAGE, "rows of nothing");
    expect_library_words(&error);
    array.row_elements = 32;
    array.first_byte = 4;
    expect(smc_bank_remedy_find(&array, &remedy, &error) == SMC_USAGE, "before the array");
    expect(strncmp(error.message, "access 0: ", 10) == 0, error.message);
    array.first_byte = 0;
    expect(smc_bank_remedy_find(&array, &remedy, &error) == SMC_OK && !remedy.has_padding &&
               !remedy.has_swizzle && remedy.cost.wavefronts == 1,
           "nothing to remove");
}

static void count_nothing(void)
{
    struct smc_launch launch;
    struct smc_occupancy occupancy;
    struct smc_waves waves;
    struct smc_carveouts carveouts;
    struct smc_sm none;
    memset(&occupancy, 0, sizeof occupancy);
    memset(&none, 0, sizeof none);
    smc_launch_init(&launch);
    expect(!smc_waves_find(132, &occupancy, 1000, &waves) && waves.waves == 0, "waves of nothing");
    expect(smc_carveouts_find(&none, &launch, &carveouts) == SMC_USAGE && carveouts.count == 0,
           "carve-outs of zeros");
    expect(!smc_carveouts_smallest(&carveouts, 1), "the smallest of none");
}

static void find_unknown_devices(void)
{
    static const char *const names[] = {"", "H20 Ultra", "9.9", "sm90", "rtx", "9.", "hopper"};
    struct smc_device device;
    struct smc_error error;
    char note[256];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        expect(smc_device_find(names[i], &device, note, &error) == SMC_USAGE, names[i]);
        expect_library_words(&error);
    }
}

static void make_devices(void)
{
    struct smc_device_properties properties;
    struct smc_device device;
    struct smc_error error;
    memset(&properties, 0, sizeof properties);
    expect(smc_device_of_properties(&properties, &device, &error) == SMC_USAGE, "no size");
    expect_library_words(&error);
    properties.size = sizeof properties;
    properties.name = "none";
    expect(smc_device_of_properties(&properties, &device, &error) == SMC_USAGE, "no capability");
    expect_library_words(&error);
    properties.major = 9;
    expect(smc_device_of_properties(&properties, &device, &error) == SMC_USAGE, "no limits");
    expect_library_words(&error);
}

int main(void)
{
    char note[256];
    expect(smc_version() == SMEMCALC_VERSION, "the version of the header is the library's");
    expect(smc_device_find("H200", &h200, note, NULL) == SMC_OK, "H200");
    compute_from_zeros();
    compute_contradictions();
    check_arrays();
    access_banks();
    count_nothing();
    find_unknown_devices();
    make_devices();
    printf("version %d.%d.%d\n", SMEMCALC_VERSION_MAJOR, SMEMCALC_VERSION_MINOR,
           SMEMCALC_VERSION_PATCH);
    return 0;
}
