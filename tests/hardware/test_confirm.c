/* confirm: every verdict, from constructed results. */
#include <stdio.h>
#include <string.h>

#include "hardware/confirm/confirm.h"
#include "unit.h"

/* A kernel of 256 threads and 40 registers with 8 KB of static shared memory on CC 9.0: 6 blocks.
   The functions below change one thing each. */
static void make_answer(struct smc_answer *answer)
{
    struct smc_capability capability;
    *answer = (struct smc_answer){.query.settings = SMC_LAUNCH_INIT};
    CU_ASSERT_FATAL(smc_capability_find(90, &capability));
    smc_device_of_capability(&capability, &answer->query.device);
    answer->launch = answer->query.settings;
    answer->launch.threads_per_block = 256;
    answer->launch.regs_per_thread = 40;
    answer->launch.static_smem_bytes = 8192;
    answer->outcome = SMC_LAUNCHES;
    answer->has_work = true;
    answer->work = (struct smc_work){.flops = 4e9, .minimum_bytes = 2e9};
    smc_occupancy_compute(&answer->query.device.sm, &answer->launch, &answer->occupancy);
    CU_ASSERT_EQUAL_FATAL(answer->occupancy.blocks_per_sm, 6);
}

static const struct smc_attempt good = {.made = true, .succeeded = true};

static struct smc_attempt refused_with(const char *message)
{
    struct smc_attempt attempt = {.made = true};
    snprintf(attempt.message, sizeof attempt.message, "%s", message);
    return attempt;
}

static struct smc_attempt not_made(const char *why)
{
    struct smc_attempt attempt = refused_with(why);
    attempt.made = false;
    return attempt;
}

/* Everything as predicted. */
static void make_result(const struct smc_answer *answer, struct smc_run_result *result)
{
    *result = (struct smc_run_result){
        .compile = good,
        .load = good,
        .opt_in = not_made("not needed"),
        .launch = good,
        .api_regs_per_thread = answer->launch.regs_per_thread,
        .api_static_smem_bytes = answer->launch.static_smem_bytes,
        .api_occupancy = good,
        .api_blocks_per_sm = answer->occupancy.blocks_per_sm,
        .probe = good,
        .probe_blocks_per_sm = answer->occupancy.blocks_per_sm,
        .check = good,
        .comparison = {.checked = 1000, .worst = 0.25},
        .timing = good,
        .timed_launches = 20,
        .median_ms = 2,
        .fastest_ms = 1,
        .slowest_ms = 3,
    };
}

/* As the executor leaves it after a refused launch. */
static void refuse_launch(struct smc_run_result *result)
{
    struct smc_attempt why = not_made("the launch was refused");
    result->launch = refused_with("cudaErrorInvalidValue: invalid argument");
    result->probe = result->check = result->timing = why;
    result->probe_blocks_per_sm = 0;
    result->comparison = (struct smc_comparison){0};
}

static void refuse_compilation(struct smc_run_result *result, uint32_t bytes)
{
    struct smc_attempt why = not_made("the kernel did not compile");
    *result = (struct smc_run_result){
        .compile = refused_with("ptxas: too much"),
        .compiled = {.refused = true,
                     .refused_smem_bytes = bytes,
                     .refused_smem_limit_bytes = 49152},
    };
    result->load = result->opt_in = result->launch = result->api_occupancy = why;
    result->probe = result->check = result->timing = why;
}

static const struct smc_row *find(const struct smc_confirmation *confirmation, const char *quantity)
{
    for (size_t i = 0; i < confirmation->row_count; i++)
        if (strcmp(confirmation->row[i].quantity, quantity) == 0)
            return &confirmation->row[i];
    return NULL;
}

static bool verdict_is(const struct smc_confirmation *confirmation, const char *quantity,
                       enum smc_verdict verdict)
{
    const struct smc_row *row = find(confirmation, quantity);
    return row && row->verdict == verdict;
}

static bool note_has(const struct smc_confirmation *confirmation, const char *quantity,
                     const char *words)
{
    const struct smc_row *row = find(confirmation, quantity);
    return row && strstr(row->note, words);
}

/* The counts must agree with the rows in every case. */
static void confirm(const struct smc_answer *answer, const struct smc_run_result *result,
                    struct smc_confirmation *out)
{
    size_t count[SMC_INFORMATION + 1] = {0};
    smc_confirm(answer, result, out);
    for (size_t i = 0; i < out->row_count; i++)
        count[out->row[i].verdict]++;
    CU_ASSERT_EQUAL(out->confirmed, count[SMC_CONFIRMED]);
    CU_ASSERT_EQUAL(out->differing, count[SMC_DIFFERS]);
    CU_ASSERT_EQUAL(out->not_measured, count[SMC_NOT_MEASURED]);
    CU_ASSERT_EQUAL(smc_confirmation_status(out), out->differing ? SMC_SHORTFALL : SMC_OK);
}

static void test_all_confirmed(void)
{
    struct smc_answer answer;
    struct smc_run_result result;
    struct smc_confirmation c;
    make_answer(&answer);
    make_result(&answer, &result);
    confirm(&answer, &result, &c);
    CU_ASSERT_EQUAL(c.confirmed, 8);
    CU_ASSERT_EQUAL(c.differing, 0);
    CU_ASSERT_EQUAL(c.not_measured, 0);
    /* Dynamic and allocated bytes, limits, time, GFLOP/s and GB/s have no verdict. */
    CU_ASSERT_EQUAL(c.row_count, 14);
    CU_ASSERT_EQUAL(find(&c, "allocated_smem_bytes")->predicted.value, 9216);
    CU_ASSERT_STRING_EQUAL(find(&c, "binding_limits")->words, "registers");
    CU_ASSERT_EQUAL(find(&c, "warps_per_sm")->measured.value, 48);
    CU_ASSERT_EQUAL(find(&c, "occupancy_percent")->predicted.value, 75);
    CU_ASSERT_EQUAL(find(&c, "gflops")->measured.value, 2000);
    CU_ASSERT_EQUAL(find(&c, "gb_per_s")->measured.value, 1000);
    CU_ASSERT(verdict_is(&c, "time_ms", SMC_INFORMATION));
    CU_ASSERT(note_has(&c, "wrong_elements", "1000 elements"));
}

static void test_predicted_time(void)
{
    struct smc_answer answer;
    struct smc_run_result result;
    struct smc_confirmation c;
    make_answer(&answer);
    make_result(&answer, &result);
    answer.time = (struct smc_time){
        .basis = SMC_TIME_TABLE,
        .predicted_ms = 1.25 * result.median_ms,
        .low_ms = result.median_ms,
        .high_ms = 2 * result.median_ms,
        .bound_by = SMC_TIME_DRAM,
    };
    confirm(&answer, &result, &c);
    CU_ASSERT_EQUAL(c.differing, 0);
    CU_ASSERT_EQUAL(c.confirmed, 8);
    CU_ASSERT(verdict_is(&c, "time_ms", SMC_INFORMATION));
    CU_ASSERT_EQUAL(find(&c, "time_ms")->predicted.value, 1.25 * result.median_ms);
    CU_ASSERT_EQUAL(find(&c, "time_ms")->measured.value, result.median_ms);
    CU_ASSERT(note_has(&c, "time_ms", "predicted 25.0 % too long, bound by DRAM"));

    answer.time.predicted_ms = 0.9 * result.median_ms;
    confirm(&answer, &result, &c);
    CU_ASSERT(note_has(&c, "time_ms", "predicted 10.0 % too short"));

    result.timing = (struct smc_attempt){.message = "no clock"};
    confirm(&answer, &result, &c);
    CU_ASSERT(verdict_is(&c, "time_ms", SMC_INFORMATION));
    CU_ASSERT(!find(&c, "time_ms")->measured.present);
    CU_ASSERT(note_has(&c, "time_ms", "no clock"));
}

static void test_each_difference(void)
{
    struct smc_answer answer;
    struct smc_run_result result;
    struct smc_confirmation c;
    make_answer(&answer);

    make_result(&answer, &result);
    result.api_regs_per_thread = 41;
    confirm(&answer, &result, &c);
    CU_ASSERT(verdict_is(&c, "registers_per_thread", SMC_DIFFERS));
    CU_ASSERT_EQUAL(c.differing, 1);
    CU_ASSERT(!find(&c, "blocks_per_sm")->api.present);
    CU_ASSERT(note_has(&c, "blocks_per_sm", "41 registers"));

    make_result(&answer, &result);
    result.api_static_smem_bytes = 9216;
    confirm(&answer, &result, &c);
    CU_ASSERT(verdict_is(&c, "static_smem_bytes", SMC_DIFFERS));

    make_result(&answer, &result);
    result.api_blocks_per_sm = 7;
    confirm(&answer, &result, &c);
    CU_ASSERT(verdict_is(&c, "blocks_per_sm", SMC_DIFFERS));
    CU_ASSERT(verdict_is(&c, "occupancy_percent", SMC_DIFFERS));

    for (uint32_t seen = 5; seen <= 7; seen += 2) {
        make_result(&answer, &result);
        result.probe_blocks_per_sm = seen;
        confirm(&answer, &result, &c);
        CU_ASSERT(verdict_is(&c, "blocks_per_sm", SMC_DIFFERS));
        CU_ASSERT(verdict_is(&c, "warps_per_sm", SMC_DIFFERS));
    }
}

static void test_wrong_results(void)
{
    struct smc_answer answer;
    struct smc_run_result result;
    struct smc_confirmation c;
    make_answer(&answer);
    make_result(&answer, &result);
    result.check.succeeded = false;
    result.comparison =
        (struct smc_comparison){.checked = 1000, .wrong = 2, .first_wrong = 77, .expected = 1.5};
    confirm(&answer, &result, &c);
    CU_ASSERT(verdict_is(&c, "wrong_elements", SMC_DIFFERS));
    CU_ASSERT(note_has(&c, "wrong_elements", "element 77: expected 1.5, got 0"));

    make_result(&answer, &result);
    result.comparison.checked = 0;
    confirm(&answer, &result, &c);
    CU_ASSERT(verdict_is(&c, "wrong_elements", SMC_NOT_MEASURED));
    CU_ASSERT(note_has(&c, "wrong_elements", "no element"));
}

static void test_predicted_refusal_to_launch(void)
{
    struct smc_answer answer;
    struct smc_run_result result;
    struct smc_confirmation c;
    make_answer(&answer);
    answer.launch.dynamic_smem_bytes = 300000;
    smc_occupancy_compute(&answer.query.device.sm, &answer.launch, &answer.occupancy);
    answer.outcome = SMC_CANNOT_LAUNCH;

    make_result(&answer, &result);
    result.opt_in = refused_with("cudaErrorInvalidValue: invalid argument");
    refuse_launch(&result);
    confirm(&answer, &result, &c);
    CU_ASSERT_EQUAL(c.differing, 0);
    CU_ASSERT_EQUAL(c.not_measured, 0);
    CU_ASSERT(verdict_is(&c, "launches", SMC_CONFIRMED));
    CU_ASSERT(note_has(&c, "launches", "cudaErrorInvalidValue"));
    CU_ASSERT(verdict_is(&c, "blocks_per_sm", SMC_CONFIRMED));
    CU_ASSERT(find(&c, "blocks_per_sm")->measured.present);
    CU_ASSERT(note_has(&c, "dynamic_smem_bytes", "refused"));
    CU_ASSERT_PTR_NULL(find(&c, "time_ms"));

    make_result(&answer, &result); /* it launches nevertheless, with 3 blocks resident */
    result.api_blocks_per_sm = result.probe_blocks_per_sm = 3;
    confirm(&answer, &result, &c);
    CU_ASSERT(verdict_is(&c, "launches", SMC_DIFFERS));
    CU_ASSERT(verdict_is(&c, "blocks_per_sm", SMC_DIFFERS));
    CU_ASSERT(verdict_is(&c, "wrong_elements", SMC_CONFIRMED));
}

static void test_predicted_refusal_to_compile(void)
{
    struct smc_answer answer;
    struct smc_run_result result;
    struct smc_confirmation c;
    make_answer(&answer);
    answer.launch.static_smem_bytes = 52096;
    smc_occupancy_compute(&answer.query.device.sm, &answer.launch, &answer.occupancy);
    answer.outcome = SMC_CANNOT_COMPILE;

    refuse_compilation(&result, 52096);
    confirm(&answer, &result, &c);
    CU_ASSERT_EQUAL(c.row_count, 2);
    CU_ASSERT_EQUAL(c.confirmed, 2);
    CU_ASSERT(note_has(&c, "compiles", "ptxas"));

    refuse_compilation(&result, 52100);
    confirm(&answer, &result, &c);
    CU_ASSERT(verdict_is(&c, "compiles", SMC_CONFIRMED));
    CU_ASSERT(verdict_is(&c, "static_smem_bytes", SMC_DIFFERS));

    make_result(&answer, &result); /* it compiles and launches nevertheless */
    confirm(&answer, &result, &c);
    CU_ASSERT(verdict_is(&c, "compiles", SMC_DIFFERS));
    CU_ASSERT(verdict_is(&c, "launches", SMC_DIFFERS));
}

static void test_unpredicted_failures(void)
{
    struct smc_answer answer;
    struct smc_run_result result;
    struct smc_confirmation c;
    make_answer(&answer);

    refuse_compilation(&result, 8192);
    confirm(&answer, &result, &c);
    CU_ASSERT(verdict_is(&c, "compiles", SMC_DIFFERS));
    CU_ASSERT(verdict_is(&c, "launches", SMC_NOT_MEASURED));
    CU_ASSERT(note_has(&c, "launches", "did not compile"));
    CU_ASSERT(verdict_is(&c, "registers_per_thread", SMC_NOT_MEASURED));
    CU_ASSERT(verdict_is(&c, "blocks_per_sm", SMC_NOT_MEASURED));
    CU_ASSERT(verdict_is(&c, "time_ms", SMC_NOT_MEASURED));

    make_result(&answer, &result);
    refuse_launch(&result);
    result.launch = refused_with("cudaErrorLaunchOutOfResources: too many resources");
    confirm(&answer, &result, &c);
    CU_ASSERT(verdict_is(&c, "launches", SMC_DIFFERS));
    CU_ASSERT(note_has(&c, "launches", "OutOfResources"));
    CU_ASSERT(verdict_is(&c, "blocks_per_sm", SMC_DIFFERS));
    CU_ASSERT(verdict_is(&c, "wrong_elements", SMC_NOT_MEASURED));

    make_result(&answer, &result);
    refuse_launch(&result);
    result.load = refused_with("cudaErrorNoKernelImageForDevice: no kernel image");
    result.launch = result.api_occupancy = not_made("the driver did not take the machine code");
    confirm(&answer, &result, &c);
    CU_ASSERT(verdict_is(&c, "launches", SMC_DIFFERS));
    CU_ASSERT(note_has(&c, "launches", "NoKernelImage"));
    CU_ASSERT(verdict_is(&c, "registers_per_thread", SMC_NOT_MEASURED));
}

/* Earlier observations are kept. */
static void test_no_end(void)
{
    struct smc_answer answer;
    struct smc_run_result result;
    struct smc_confirmation c;
    make_answer(&answer);
    make_result(&answer, &result);
    result.finish = refused_with("the timed launches: not finished after 5 ms on the GPU");
    result.timing = not_made("the timed launches: not finished after 5 ms on the GPU");
    confirm(&answer, &result, &c);
    CU_ASSERT(verdict_is(&c, "launches", SMC_DIFFERS));
    CU_ASSERT(note_has(&c, "launches", "not finished"));
    CU_ASSERT(verdict_is(&c, "blocks_per_sm", SMC_CONFIRMED));
    CU_ASSERT(verdict_is(&c, "wrong_elements", SMC_CONFIRMED));
    CU_ASSERT(verdict_is(&c, "time_ms", SMC_NOT_MEASURED));
    CU_ASSERT_EQUAL(c.differing, 1);
}

static void test_missing_sources(void)
{
    struct smc_answer answer;
    struct smc_run_result result;
    struct smc_confirmation c;
    make_answer(&answer);

    make_result(&answer, &result);
    result.probe = not_made("no time was left for it");
    confirm(&answer, &result, &c);
    CU_ASSERT(verdict_is(&c, "blocks_per_sm", SMC_CONFIRMED)); /* by the API */
    CU_ASSERT(!find(&c, "blocks_per_sm")->measured.present);
    CU_ASSERT(note_has(&c, "blocks_per_sm", "no time was left"));

    result.api_occupancy = refused_with("cudaErrorUnknown: unknown");
    confirm(&answer, &result, &c);
    CU_ASSERT(verdict_is(&c, "blocks_per_sm", SMC_NOT_MEASURED));

    make_result(&answer, &result);
    result.timing = not_made("no clock");
    confirm(&answer, &result, &c);
    CU_ASSERT(verdict_is(&c, "time_ms", SMC_NOT_MEASURED));
    CU_ASSERT(note_has(&c, "time_ms", "no clock"));
    CU_ASSERT_PTR_NULL(find(&c, "gflops"));

    struct smc_run_result nothing = {.compile = not_made("no NVRTC")};
    confirm(&answer, &nothing, &c);
    CU_ASSERT_EQUAL(c.confirmed + c.differing, 0);
    CU_ASSERT(note_has(&c, "compiles", "no NVRTC"));
}

static void test_carveout_is_a_hint(void)
{
    struct smc_answer answer;
    struct smc_run_result result;
    struct smc_confirmation c;
    make_answer(&answer);
    answer.launch.static_smem_bytes = 0;
    answer.launch.carveout_percent = 0;
    smc_occupancy_compute(&answer.query.device.sm, &answer.launch, &answer.occupancy);
    make_result(&answer, &result);
    uint32_t predicted = answer.occupancy.blocks_per_sm;

    result.probe_blocks_per_sm = predicted + 2;
    confirm(&answer, &result, &c);
    CU_ASSERT(verdict_is(&c, "blocks_per_sm", SMC_INFORMATION));
    CU_ASSERT(verdict_is(&c, "warps_per_sm", SMC_INFORMATION));
    CU_ASSERT(note_has(&c, "blocks_per_sm", "hint"));

    result.api_blocks_per_sm = predicted + 2; /* the API ignores hints, so the model is wrong */
    confirm(&answer, &result, &c);
    CU_ASSERT(verdict_is(&c, "blocks_per_sm", SMC_DIFFERS));

    make_result(&answer, &result);
    result.probe_blocks_per_sm = predicted - 1;
    confirm(&answer, &result, &c);
    CU_ASSERT(verdict_is(&c, "blocks_per_sm", SMC_DIFFERS));
}

/* --- Hardware counters ------------------------------------------------------------------------ */

/* A launch of 256 threads with loads that ptxas joins, stores of which a quarter are copies, and
   2 GB in and out. */
static void make_counted(struct smc_answer *answer, struct smc_run_result *result)
{
    make_answer(answer);
    make_result(answer, result);
    answer->query.kernel = smc_kernel_find("stencil-dynamic");
    CU_ASSERT_PTR_NOT_NULL_FATAL(answer->query.kernel);
    answer->query.device.l2_bytes = 60 << 20;
    answer->plan.threads_per_block = 256;
    answer->plan.buffer[0].dtype = SMC_INT32;
    answer->workload.has_shared = true;
    answer->workload.shared = (struct smc_shared_work){
        .loads = {1000, 1500, 1000},
        .written_loads = {1000, 1500, 1000},
        .stores = {400, 800, 400},
    };
    answer->work.access_count = 2;
    for (int i = 0; i < 2; i++)
        answer->work.access[i] = (struct smc_global_access){
            .name = i ? "output" : "input",
            .store = i == 1,
            .array_elements = 5e8,
            .elements = 5e8,
            .requests = 2e7,
            .sectors = 7e7,
        };
    result->counting = good;
    smc_counted_expect(answer, result->counted);
}

static void copy_a_quarter(struct smc_answer *answer, struct smc_run_result *result)
{
    answer->workload.shared.copies = (struct smc_shared_count){100, 200, 100};
    smc_counted_expect(answer, result->counted);
}

static void test_counted_as_predicted(void)
{
    struct smc_answer answer;
    struct smc_run_result result;
    struct smc_confirmation c;
    make_counted(&answer, &result);
    confirm(&answer, &result, &c);
    CU_ASSERT_EQUAL(c.differing, 0);
    CU_ASSERT_EQUAL(c.not_measured, 0);
    for (int i = 0; i < SMC_METRIC_COUNT; i++) {
        CU_ASSERT(verdict_is(&c, smc_metric_info[i].quantity, SMC_CONFIRMED));
        CU_ASSERT_EQUAL(find(&c, smc_metric_info[i].quantity)->measured.value, result.counted[i]);
    }
    CU_ASSERT(verdict_is(&c, "bank_conflicts", SMC_CONFIRMED));
    CU_ASSERT_EQUAL(find(&c, "bank_conflicts")->measured.value, 900);
    CU_ASSERT_PTR_NULL(find(&c, "machine_shared_loads"));
    CU_ASSERT_PTR_NULL(find(&c, "global_load_bytes")); /* no counter measures it */
}

static void test_counters_beyond(void)
{
    static const struct {
        enum smc_metric metric;
        double share;
        enum smc_verdict verdict;
    } cases[] = {
        {SMC_METRIC_SHARED_LOADS, 1.01, SMC_CONFIRMED},
        {SMC_METRIC_SHARED_LOADS, 1.021, SMC_DIFFERS},
        {SMC_METRIC_SHARED_LOAD_WAVEFRONTS, 1.02, SMC_CONFIRMED},
        {SMC_METRIC_SHARED_LOAD_WAVEFRONTS, 1.05, SMC_DIFFERS}, /* of words none is repeated */
        {SMC_METRIC_SHARED_LOAD_WAVEFRONTS, 1.07, SMC_DIFFERS},
        {SMC_METRIC_SHARED_LOAD_WAVEFRONTS, 0.97, SMC_DIFFERS},
        {SMC_METRIC_SHARED_STORES, 0.97, SMC_DIFFERS},
        {SMC_METRIC_SHARED_STORES, 1.1, SMC_DIFFERS},
        {SMC_METRIC_SHARED_STORE_WAVEFRONTS, 0.97, SMC_DIFFERS},
        {SMC_METRIC_GLOBAL_LOAD_REQUESTS, 1.019, SMC_CONFIRMED},
        {SMC_METRIC_GLOBAL_LOAD_SECTORS, 1.021, SMC_DIFFERS},
        {SMC_METRIC_GLOBAL_STORE_REQUESTS, 0.979, SMC_DIFFERS},
        {SMC_METRIC_GLOBAL_STORE_SECTORS, 0.981, SMC_CONFIRMED},
        {SMC_METRIC_DRAM_READ_BYTES, 1.08, SMC_CONFIRMED}, /* 5 % and 60 MB of 2 GB */
        {SMC_METRIC_DRAM_READ_BYTES, 1.09, SMC_DIFFERS},
        {SMC_METRIC_DRAM_WRITTEN_BYTES, 0.92, SMC_CONFIRMED},
        {SMC_METRIC_DRAM_WRITTEN_BYTES, 0.91, SMC_DIFFERS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_answer answer;
        struct smc_run_result result;
        struct smc_confirmation c;
        make_counted(&answer, &result);
        result.counted[cases[i].metric] *= cases[i].share;
        confirm(&answer, &result, &c);
        CU_ASSERT(verdict_is(&c, smc_metric_info[cases[i].metric].quantity, cases[i].verdict));
    }
}

/* The counter of wider loads has those that wait beside other traffic. */
static void test_repeated_loads(void)
{
    static const double shares[] = {1.02, 1.05, 1.07, 0.97};
    static const enum smc_verdict verdicts[] = {SMC_CONFIRMED, SMC_INFORMATION, SMC_DIFFERS,
                                                SMC_DIFFERS};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        struct smc_answer answer;
        struct smc_run_result result;
        struct smc_confirmation c;
        make_counted(&answer, &result);
        answer.query.params.value[SMC_PARAM_DTYPE] = SMC_DOUBLE;
        result.counted[SMC_METRIC_SHARED_LOAD_WAVEFRONTS] *= shares[i];
        confirm(&answer, &result, &c);
        CU_ASSERT(verdict_is(&c, "shared_load_wavefronts", verdicts[i]));
    }
}

static void test_conflicts_within_the_wavefronts(void)
{
    struct smc_answer answer;
    struct smc_run_result result;
    struct smc_confirmation c;
    make_counted(&answer, &result);
    answer.query.params.value[SMC_PARAM_DTYPE] = SMC_DOUBLE;
    answer.workload.shared.loads.least = answer.workload.shared.written_loads.least = 1500;
    answer.workload.shared.stores.least = 800; /* no conflict */
    result.counted[SMC_METRIC_SHARED_LOAD_WAVEFRONTS] += 30;
    confirm(&answer, &result, &c);
    CU_ASSERT(verdict_is(&c, "bank_conflicts", SMC_CONFIRMED));
    CU_ASSERT_EQUAL(find(&c, "bank_conflicts")->measured.value, 30);
    CU_ASSERT(note_has(&c, "bank_conflicts", "2 % of the wavefronts"));
    CU_ASSERT(note_has(&c, "shared_load_wavefronts", "within 2 %"));
    result.counted[SMC_METRIC_SHARED_LOAD_WAVEFRONTS] += 20;
    confirm(&answer, &result, &c);
    CU_ASSERT(verdict_is(&c, "bank_conflicts", SMC_INFORMATION));
    CU_ASSERT(note_has(&c, "bank_conflicts", "repeated"));
    result.counted[SMC_METRIC_SHARED_LOAD_WAVEFRONTS] += 60;
    confirm(&answer, &result, &c);
    CU_ASSERT(verdict_is(&c, "bank_conflicts", SMC_DIFFERS));
}

/* Counters see the machine code, not the PTX. */
static void test_joined_loads(void)
{
    struct smc_answer answer;
    struct smc_run_result result;
    struct smc_confirmation c;
    make_counted(&answer, &result);
    answer.workload.shared.loads = (struct smc_shared_count){600, 1200, 900};
    smc_counted_expect(&answer, result.counted);
    confirm(&answer, &result, &c);
    CU_ASSERT_EQUAL(c.differing, 0);
    CU_ASSERT_PTR_NULL(find(&c, "shared_loads"));
    CU_ASSERT_PTR_NULL(find(&c, "bank_conflicts"));
    CU_ASSERT(verdict_is(&c, "machine_shared_loads", SMC_CONFIRMED));
    CU_ASSERT(verdict_is(&c, "machine_shared_load_wavefronts", SMC_CONFIRMED));
    CU_ASSERT(verdict_is(&c, "machine_bank_conflicts", SMC_CONFIRMED));
    CU_ASSERT_EQUAL(find(&c, "machine_bank_conflicts")->measured.value, 700);

    result.emulation = good; /* with an emulation, both are shown */
    result.emulated = (struct smc_emulated_run){
        .loads = answer.workload.shared.written_loads,
        .stores = answer.workload.shared.stores,
        .conflicts = 900,
        .follows_machine_code = true,
        .machine_loads = answer.workload.shared.loads,
        .access_count = 2,
        .access = {answer.work.access[0], answer.work.access[1]},
    };
    confirm(&answer, &result, &c);
    CU_ASSERT_EQUAL(c.differing, 0);
    CU_ASSERT(verdict_is(&c, "shared_loads", SMC_CONFIRMED));
    CU_ASSERT(!find(&c, "shared_loads")->measured.present);
    CU_ASSERT(!find(&c, "bank_conflicts")->measured.present);
    CU_ASSERT(find(&c, "machine_shared_loads")->emulated.present);
    CU_ASSERT(find(&c, "machine_shared_loads")->measured.present);
    CU_ASSERT(c.row_count <= SMC_MAX_ROWS - 8); /* headroom for other rows */

    result.emulated.machine_loads.instructions++; /* one source is enough to refute */
    confirm(&answer, &result, &c);
    CU_ASSERT(verdict_is(&c, "machine_shared_loads", SMC_DIFFERS));
}

/* The counters omit copies; the other stores are still judged. */
static void test_copies(void)
{
    struct smc_answer answer;
    struct smc_run_result result;
    struct smc_confirmation c;
    make_counted(&answer, &result);
    copy_a_quarter(&answer, &result);
    confirm(&answer, &result, &c);
    CU_ASSERT_EQUAL(c.differing, 0);
    CU_ASSERT(verdict_is(&c, "shared_stores", SMC_CONFIRMED));
    CU_ASSERT_EQUAL(find(&c, "shared_stores")->predicted.value, 400);
    CU_ASSERT_EQUAL(find(&c, "shared_stores")->measured.value, 300);
    CU_ASSERT(note_has(&c, "shared_stores", "cp.async stores, 100 of them"));
    CU_ASSERT(verdict_is(&c, "bank_conflicts", SMC_CONFIRMED));

    result.counted[SMC_METRIC_SHARED_LOADS] *= 1.1; /* also beside copies */
    confirm(&answer, &result, &c);
    CU_ASSERT(verdict_is(&c, "shared_loads", SMC_DIFFERS));
    result.counted[SMC_METRIC_SHARED_STORE_WAVEFRONTS] = 800; /* a count that includes the copies */
    confirm(&answer, &result, &c);
    CU_ASSERT(verdict_is(&c, "shared_store_wavefronts", SMC_DIFFERS));

    answer.workload.shared.copies = answer.workload.shared.stores; /* nothing else is stored */
    smc_counted_expect(&answer, result.counted);
    confirm(&answer, &result, &c);
    CU_ASSERT(verdict_is(&c, "shared_stores", SMC_INFORMATION));
    CU_ASSERT_EQUAL(c.differing, 0);
}

static void test_dram_is_judged_where_it_is_certain(void)
{
    struct smc_answer answer;
    struct smc_run_result result;
    struct smc_confirmation c;
    make_counted(&answer, &result);
    result.counted[SMC_METRIC_DRAM_READ_BYTES] *= 3;
    confirm(&answer, &result, &c);
    CU_ASSERT(verdict_is(&c, "dram_read_bytes", SMC_DIFFERS));

    answer.query.device.l2_bytes = 500000000; /* a quarter of it */
    confirm(&answer, &result, &c);
    CU_ASSERT(verdict_is(&c, "dram_read_bytes", SMC_INFORMATION));
    CU_ASSERT(note_has(&c, "dram_read_bytes", "may hold it"));
    answer.query.device.l2_bytes = 0;
    confirm(&answer, &result, &c);
    CU_ASSERT(note_has(&c, "dram_read_bytes", "not known"));
    answer.query.kernel = smc_kernel_find("matmul-tiled");
    confirm(&answer, &result, &c);
    CU_ASSERT(verdict_is(&c, "dram_read_bytes", SMC_INFORMATION));
    CU_ASSERT(note_has(&c, "dram_read_bytes", "3 times the least"));
}

static void test_why_nothing_is_counted(void)
{
    struct smc_answer answer;
    struct smc_run_result result;
    struct smc_confirmation c;
    make_counted(&answer, &result);
    result.counting = not_made("profiling is not permitted: run as root");
    confirm(&answer, &result, &c);
    CU_ASSERT_EQUAL(c.differing, 0);
    CU_ASSERT_EQUAL(c.not_measured, SMC_METRIC_COUNT + 1); /* and of bank conflicts */
    for (int i = 0; i < SMC_METRIC_COUNT; i++)
        CU_ASSERT(note_has(&c, smc_metric_info[i].quantity, "not permitted"));

    result.counting = not_made(""); /* not requested */
    confirm(&answer, &result, &c);
    CU_ASSERT_EQUAL(c.not_measured, 0);
    CU_ASSERT_PTR_NULL(find(&c, "shared_loads"));
    CU_ASSERT_PTR_NULL(find(&c, "dram_read_bytes"));
}

static void test_reserved_memory(void)
{
    struct smc_answer answer;
    struct smc_run_result result;
    struct smc_confirmation c;
    make_answer(&answer);
    make_result(&answer, &result);
    result.api_reserved_smem = good;
    result.api_reserved_smem_bytes = 1024;
    answer.query.device.sm.smem_reserved_per_block_bytes = 2048; /* only the table is used */
    confirm(&answer, &result, &c);
    CU_ASSERT(verdict_is(&c, "reserved_smem_bytes", SMC_CONFIRMED));
    result.api_reserved_smem_bytes = 2048;
    confirm(&answer, &result, &c);
    CU_ASSERT(verdict_is(&c, "reserved_smem_bytes", SMC_DIFFERS));
    result.api_reserved_smem = refused_with("cudaErrorInvalidValue: invalid argument");
    confirm(&answer, &result, &c);
    CU_ASSERT(verdict_is(&c, "reserved_smem_bytes", SMC_NOT_MEASURED));
}

/* Only measured values of the device are ceilings: here 2000 GFLOP/s and 1000 GB/s. */
static void test_shares_of_ceilings(void)
{
    struct smc_answer answer;
    struct smc_run_result result;
    struct smc_confirmation c;
    make_answer(&answer);
    make_result(&answer, &result);
    struct smc_ceilings *ceilings = &answer.query.ceilings;
    *ceilings = (struct smc_ceilings){.source = SMC_CEILINGS_CALIBRATED, .date = "2026-11-21"};
    confirm(&answer, &result, &c);
    CU_ASSERT_PTR_NULL(find(&c, "share_of_copy_ceiling"));

    ceilings->value[SMC_CEILING_COPY] = 4e12;
    ceilings->value[SMC_CEILING_FLOAT] = 8e12;
    ceilings->value[SMC_CEILING_DOUBLE] = 5e12;
    confirm(&answer, &result, &c);
    CU_ASSERT_DOUBLE_EQUAL(find(&c, "share_of_copy_ceiling")->measured.value, 25, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(find(&c, "share_of_flops_ceiling")->measured.value, 25, 1e-9);
    CU_ASSERT(verdict_is(&c, "share_of_flops_ceiling", SMC_INFORMATION));
    CU_ASSERT(note_has(&c, "share_of_copy_ceiling", "calibrated 2026-11-21"));

    answer.query.params.value[SMC_PARAM_DTYPE] = SMC_DOUBLE;
    ceilings->source = SMC_CEILINGS_TABLE;
    confirm(&answer, &result, &c);
    CU_ASSERT_DOUBLE_EQUAL(find(&c, "share_of_flops_ceiling")->measured.value, 40, 1e-9);
    CU_ASSERT(note_has(&c, "share_of_flops_ceiling", "built-in table"));

    answer.query.params.value[SMC_PARAM_DTYPE] = SMC_INT32;
    confirm(&answer, &result, &c);
    CU_ASSERT_PTR_NULL(find(&c, "share_of_flops_ceiling"));
    CU_ASSERT_PTR_NOT_NULL(find(&c, "share_of_copy_ceiling"));
}

static void test_names(void)
{
    CU_ASSERT_STRING_EQUAL(smc_verdict_name(SMC_CONFIRMED), "confirmed");
    CU_ASSERT_STRING_EQUAL(smc_verdict_name(SMC_DIFFERS), "differs");
    CU_ASSERT_STRING_EQUAL(smc_verdict_name(SMC_NOT_MEASURED), "not measured");
    CU_ASSERT_STRING_EQUAL(smc_verdict_name(SMC_INFORMATION), "information");
}

CU_TestInfo tests_confirm[] = {
    {"a run as predicted is confirmed", test_all_confirmed},
    {"a predicted time is information, beside the measured one", test_predicted_time},
    {"every difference is found", test_each_difference},
    {"wrong results", test_wrong_results},
    {"a predicted refusal to launch", test_predicted_refusal_to_launch},
    {"a predicted refusal to compile", test_predicted_refusal_to_compile},
    {"failures that were not predicted", test_unpredicted_failures},
    {"a launch without an end", test_no_end},
    {"missing sources", test_missing_sources},
    {"a carve-out is a hint", test_carveout_is_a_hint},
    {"shares of what was measured", test_shares_of_ceilings},
    {"counters as predicted", test_counted_as_predicted},
    {"counters within and beyond their tolerance", test_counters_beyond},
    {"loads of 8 bytes that are counted again", test_repeated_loads},
    {"conflicts within 2 % of the wavefronts", test_conflicts_within_the_wavefronts},
    {"loads that ptxas joined", test_joined_loads},
    {"stores by cp.async", test_copies},
    {"DRAM is judged where it is certain", test_dram_is_judged_where_it_is_certain},
    {"why nothing is counted", test_why_nothing_is_counted},
    {"the driver's reserve of shared memory", test_reserved_memory},
    {"names of verdicts", test_names},
    CU_TEST_INFO_NULL,
};
