/* Runs the catalog's kernels on the GPU and on the emulator: the results must be bit-identical, and
   the GPU's memory counters are compared with the emulated counts.

   ptxas joins neighbouring loads of shared memory that the PTX has apart. Loads are therefore
   counted as the machine code has them: by the emulator where it is known which were joined, else
   by the model. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/platform.h"
#include "code/machine_code.h"
#include "counted.h"
#include "gpu_tests.h"
#include "hardware/confirm/confirm.h"
#include "hardware/executor.h"
#include "hardware/executor/counters.h"
#include "hardware/executor/gpu.h"
#include "launches.h"
#include "results.h"

enum { TURNS = 64, AT_A_TIME = 16 };

/* All but DRAM's: that traffic depends on the cache's earlier contents. */
enum { METRICS = SMC_METRIC_DRAM_READ_BYTES };

static const char *label(int metric)
{
    const char *indented = smc_metric_info[metric].label;
    return indented + strspn(indented, " ");
}

/* One launch, on the GPU and on the emulator. */
struct launch {
    struct smc_answer answer;
    struct smc_binary binary;
    struct smc_gpu_kernel kernel;
    struct smc_gpu_buffers buffers;
    struct smc_emulation emulation;
    void *emulated[SMC_MAX_BUFFERS];
    bool followed; /* the loads of the machine code */
    struct smc_shared_count copies;
    double expected[SMC_METRIC_COUNT], seen[SMC_METRIC_COUNT];
};

struct bench {
    struct smc_counters *counters; /* NULL: not available; results are compared nevertheless */
    struct launch *launch;
    size_t launches; /* the number that are ready */
    size_t tried, followed, equal_results, other_results, racy, model_differs;
    size_t counted, equal[METRICS], residues[METRICS], known, beyond;
    double worst[METRICS];
};

static bool say(const struct smc_error *error, enum smc_status status)
{
    if (status != SMC_OK)
        printf("    %s\n", error->message);
    return status == SMC_OK;
}

static void print_launch(const struct launch *launch)
{
    const struct smc_query *query = &launch->answer.query;
    char text[LAUNCHES_TEXT];
    launches_describe(query->kernel, &query->params, text);
    printf("    %s", text);
}

/* --- The emulator's side ---------------------------------------------------------------------- */

static bool copy_inputs(struct launch *launch, struct smc_emulated_array *arrays)
{
    const struct smc_plan *plan = &launch->answer.plan;
    for (size_t i = 0; i < plan->buffer_count; i++) {
        size_t bytes = launch->buffers.bytes[i];
        void *copy = launch->emulated[i] = malloc(bytes ? bytes : 1);
        if (!copy)
            return false;
        if (plan->buffer[i].output)
            memset(copy, smc_dtype_poison(plan->buffer[i].dtype), bytes);
        else
            memcpy(copy, launch->buffers.host[i], bytes);
        arrays[i] =
            (struct smc_emulated_array){.name = plan->buffer[i].name, .data = copy, .bytes = bytes};
    }
    return true;
}

static bool follow(struct launch *launch, struct smc_program *program)
{
    struct smc_error error = {""};
    uint64_t loads[SMC_LOAD_WIDTHS];
    if (!say(&error, smc_machine_code_loads(launch->binary.cubin, launch->binary.cubin_bytes,
                                            launch->answer.query.kernel->entry, loads, &error)))
        return false;
    return smc_program_follow(program, loads) != SMC_FOLLOWING_UNKNOWN;
}

static bool emulate(struct launch *launch)
{
    const struct smc_plan *plan = &launch->answer.plan;
    const struct smc_query *query = &launch->answer.query;
    struct smc_emulated_array arrays[SMC_MAX_BUFFERS];
    struct smc_emulated_argument arguments[SMC_MAX_ARGUMENTS] = {{0}};
    struct smc_program *program = NULL;
    struct smc_error error = {""};
    for (size_t i = 0; i < plan->argument_count; i++) {
        bool is_array = plan->argument[i].kind == SMC_ARGUMENT_BUFFER;
        arguments[i] = (struct smc_emulated_argument){
            .is_array = is_array,
            .array = is_array ? (size_t)plan->argument[i].value : 0,
            .value = &plan->argument[i].value,
        };
    }
    if (!copy_inputs(launch, arrays) ||
        !say(&error, smc_program_read(launch->binary.ptx, launch->binary.ptx_bytes,
                                      query->kernel->entry, &program, &error)))
        return false;
    launch->followed = follow(launch, program);
    struct smc_emulation_request request = {
        .program = program,
        .grid = {plan->grid[0], plan->grid[1], plan->grid[2]},
        .block = {plan->block[0], plan->block[1], plan->block[2]},
        .dynamic_smem_bytes = launch->answer.launch.dynamic_smem_bytes,
        .arrays = arrays,
        .array_count = plan->buffer_count,
        .arguments = arguments,
        .argument_count = plan->argument_count,
        .sm_count = query->device.sm_count,
        .ignores_sources = true, /* as the formulas of the catalog */
    };
    memcpy(request.cluster, launch->kernel.cluster, sizeof request.cluster);
    smc_bank_layout_of(&query->device.sm, SMC_BANK_MODE_4_BYTES, &request.banks);
    bool emulated = say(&error, smc_emulate(&request, &launch->emulation, &error));
    smc_emulated_copies(program, &launch->emulation, &launch->copies);
    smc_program_free(program);
    return emulated;
}

static void fill_expected(struct launch *launch)
{
    const struct smc_emulated_count *total = &launch->emulation.total;
    const struct smc_shared_work *shared = &launch->answer.workload.shared;
    double *expected = launch->expected;
    smc_counted_expect(&launch->answer, expected);
    expected[SMC_METRIC_SHARED_LOADS] =
        launch->followed ? (double)total->machine_loads : shared->loads.instructions;
    expected[SMC_METRIC_SHARED_LOAD_WAVEFRONTS] =
        launch->followed ? (double)total->machine_load_wavefronts : shared->loads.wavefronts;
    expected[SMC_METRIC_SHARED_STORES] = (double)total->shared_stores - launch->copies.instructions;
    expected[SMC_METRIC_SHARED_STORE_WAVEFRONTS] =
        (double)total->store_wavefronts - launch->copies.wavefronts;
    for (int m = SMC_METRIC_GLOBAL_LOAD_REQUESTS; m <= SMC_METRIC_GLOBAL_STORE_SECTORS; m++)
        expected[m] = 0;
    for (size_t i = 0; i < launch->emulation.array_count; i++) {
        const struct smc_emulated_traffic *kind = launch->emulation.array[i].kind;
        expected[SMC_METRIC_GLOBAL_LOAD_REQUESTS] += (double)kind[SMC_EMULATED_LOAD].requests;
        expected[SMC_METRIC_GLOBAL_LOAD_SECTORS] += (double)kind[SMC_EMULATED_LOAD].sectors;
        expected[SMC_METRIC_GLOBAL_STORE_REQUESTS] += (double)kind[SMC_EMULATED_STORE].requests;
        expected[SMC_METRIC_GLOBAL_STORE_SECTORS] += (double)kind[SMC_EMULATED_STORE].sectors;
    }
}

/* --- Both sides ------------------------------------------------------------------------------- */

static bool prepare(const struct smc_kernel *kernel, const struct smc_params *params,
                    struct launch *launch)
{
    struct smc_query query;
    struct smc_error error = {""};
    struct smc_attempt attempt = {0}, opt_in = {0};
    struct smc_resources resources;
    static uint64_t seed = 1;
    smc_query_init(&query);
    query.device = *gpu_device();
    query.kernel = kernel;
    query.params = *params;
    if (!say(&error, smc_query_answer(&query, &launch->answer, NULL, &error)) ||
        launch->answer.outcome != SMC_LAUNCHES)
        return false;
    const struct smc_query *whole = &launch->answer.query;
    enum smc_status status = smc_compile(
        &(struct smc_compile_request){kernel, &whole->params, query.device.sm.cc, &query.compile},
        &resources, &launch->binary, NULL, &error);
    if (!say(&error, status))
        return false;
    if (!smc_gpu_load(&launch->binary, kernel->entry, &launch->kernel, &attempt)) {
        printf("    %s: %s\n", kernel->name, attempt.message);
        return false;
    }
    if (launch->answer.launch.blocks_per_cluster > 1)
        memcpy(launch->kernel.cluster,
               (const uint32_t[3]){launch->answer.launch.blocks_per_cluster, 1, 1},
               sizeof launch->kernel.cluster);
    status = smc_gpu_buffers_create(&launch->answer.plan, seed++, &launch->buffers, &error);
    if (status == SMC_OK)
        status = smc_gpu_configure(&launch->kernel, &launch->answer.launch, &opt_in, &error);
    return say(&error, status) && emulate(launch);
}

static void release(struct launch *launch)
{
    for (size_t i = 0; i < SMC_MAX_BUFFERS; i++)
        free(launch->emulated[i]);
    smc_emulation_free(&launch->emulation);
    smc_gpu_buffers_free(&launch->buffers);
    smc_gpu_unload(&launch->kernel);
    smc_binary_free(&launch->binary);
    *launch = (struct launch){0};
}

/* Of two counters of the loads' wavefronts the one that is exact for this kernel. */
static enum smc_status read_counters(const struct bench *bench, size_t i, struct launch *launch,
                                     struct smc_error *error)
{
    double values[METRICS + 1];
    enum smc_status status = smc_counters_read(bench->counters, i, values, error);
    memcpy(launch->seen, values, sizeof *values * METRICS);
    if (smc_loads_are_words(&launch->answer))
        launch->seen[SMC_METRIC_SHARED_LOAD_WAVEFRONTS] = values[METRICS];
    return status;
}

/* Launches all that are ready; counts them if there are counters. */
static bool run_on_gpu(struct bench *bench)
{
    struct smc_error error = {""};
    size_t launches = 0;
    cudaError_t code = cudaSuccess;
    if (bench->counters && !say(&error, smc_counters_begin(bench->counters, &error)))
        return false;
    for (size_t i = 0; i < bench->launches && code == cudaSuccess; i++)
        code = smc_gpu_launch(&bench->launch[i].kernel, &bench->launch[i].answer.plan,
                              bench->launch[i].answer.launch.dynamic_smem_bytes,
                              &bench->launch[i].buffers);
    enum smc_status status =
        bench->counters ? smc_counters_end(bench->counters, &launches, &error) : SMC_OK;
    if (code != cudaSuccess)
        status = smc_gpu_fail(&error, code, "the launch");
    if (status == SMC_OK && bench->counters && launches != bench->launches)
        status = smc_fail(&error, SMC_MACHINE, "%zu launches were measured, not %zu", launches,
                          bench->launches);
    for (size_t i = 0; i < bench->launches && status == SMC_OK; i++) {
        struct launch *launch = &bench->launch[i];
        if (bench->counters)
            status = read_counters(bench, i, launch, &error);
        if (status == SMC_OK)
            status = smc_gpu_buffers_fetch_outputs(&launch->answer.plan, &launch->buffers, &error);
    }
    return say(&error, status);
}

/* --- Verdicts --------------------------------------------------------------------------------- */

static void compare_results(struct bench *bench, const struct launch *launch)
{
    const struct smc_plan *plan = &launch->answer.plan;
    bool equal = true;
    if (launch->answer.query.kernel->is_racy) {
        bench->racy++;
        return;
    }
    for (size_t i = 0; i < plan->buffer_count; i++)
        equal &=
            memcmp(launch->buffers.host[i], launch->emulated[i], launch->buffers.bytes[i]) == 0;
    bench->equal_results += equal;
    bench->other_results += !equal;
    if (equal)
        return;
    print_launch(launch);
    printf(": results are not bit for bit the emulator's\n");
}

/* The emulator and the model count the same, both for the PTX and for the machine code. */
static void compare_model(struct bench *bench, const struct launch *launch)
{
    const struct smc_shared_work *work = &launch->answer.workload.shared;
    const struct smc_emulated_count *total = &launch->emulation.total;
    const double model[] = {work->written_loads.instructions, work->written_loads.wavefronts,
                            work->loads.instructions,         work->loads.wavefronts,
                            work->copies.instructions,        work->copies.wavefronts};
    const double emulated[] = {(double)total->shared_loads,
                               (double)total->load_wavefronts,
                               launch->expected[SMC_METRIC_SHARED_LOADS],
                               launch->expected[SMC_METRIC_SHARED_LOAD_WAVEFRONTS],
                               launch->copies.instructions,
                               launch->copies.wavefronts};
    bench->followed += launch->followed;
    if (memcmp(model, emulated, sizeof model) == 0)
        return;
    bench->model_differs++;
    print_launch(launch);
    printf(": shared loads, model/emulator: of the PTX %.0f/%.0f, wavefronts %.0f/%.0f; of the "
           "machine code %.0f/%.0f, wavefronts %.0f/%.0f; copies %.0f/%.0f, wavefronts %.0f/%.0f\n",
           model[0], emulated[0], model[1], emulated[1], model[2], emulated[2], model[3],
           emulated[3], model[4], emulated[4], model[5], emulated[5]);
}

static void print_counts(const struct launch *launch, const char *verdict)
{
    print_launch(launch);
    printf(": %s; GPU/expected:", verdict);
    for (int m = 0; m < METRICS; m++)
        printf(" %s %.0f/%.0f%s", label(m), launch->seen[m], launch->expected[m],
               launch->seen[m] == launch->expected[m] ? "" : " (!)");
    printf("\n");
}

static void compare_counts(struct bench *bench, const struct launch *launch)
{
    bool differs = false, beyond = false;
    const char *known = NULL;
    double model[SMC_METRIC_COUNT];
    smc_counted_expect(&launch->answer, model);
    bench->counted++;
    for (int m = 0; m < METRICS; m++) {
        double seen = launch->seen[m], expected = launch->expected[m];
        double off = seen == expected ? 0 : fabs(seen - expected) / fmax(expected, 1);
        const char *residue =
            smc_counted_residue(&launch->answer, (enum smc_metric)m, seen - expected);
        bench->equal[m] += off == 0;
        bench->residues[m] += off > 0;
        bench->worst[m] = fmax(bench->worst[m], off);
        differs |= off > 0;
        if (off > 0 && residue)
            known = residue;
        else
            beyond |= off > 0; /* stricter than a verdict */
        gpu_count(&(struct gpu_counted){launch->answer.query.kernel->name, smc_metric_info[m].name,
                                        label(m), model[m], expected, seen,
                                        off == 0  ? NULL
                                        : residue ? residue
                                                  : "not explained"});
    }
    bench->beyond += beyond;
    bench->known += known && !beyond;
    if (differs)
        print_counts(launch, beyond ? "BEYOND" : known);
}

static bool finish_some(struct bench *bench)
{
    bool done = run_on_gpu(bench);
    for (size_t i = 0; i < bench->launches; i++) {
        struct launch *launch = &bench->launch[i];
        if (done) {
            bench->tried++;
            compare_results(bench, launch);
            fill_expected(launch);
            compare_model(bench, launch);
            if (bench->counters)
                compare_counts(bench, launch);
        }
        release(launch);
    }
    bench->launches = 0;
    return done;
}

static bool try_all(struct bench *bench)
{
    uint64_t state = 2026;
    for (uint32_t turn = 0; turn < TURNS; turn++)
        for (size_t i = 0; i < smc_kernel_count(); i++) {
            const struct smc_kernel *kernel = smc_kernel_at(i);
            struct smc_params params;
            if (kernel->is_probe)
                continue;
            launches_draw(kernel, turn, &state, &params);
            struct launch *launch = &bench->launch[bench->launches];
            if (prepare(kernel, &params, launch))
                bench->launches++;
            else if (launch->answer.outcome == SMC_LAUNCHES)
                return false;
            else
                release(launch); /* no launch of this size is possible */
            if (bench->launches == AT_A_TIME && !finish_some(bench))
                return false;
        }
    return finish_some(bench);
}

static void open_counters(struct bench *bench)
{
    static const char *names[METRICS + 1];
    struct smc_error error = {""};
    for (int m = 0; m < METRICS; m++)
        names[m] = smc_metric_info[m].name;
    names[METRICS] = SMC_INSTRUMENTED_LOADS;
    enum smc_status status =
        smc_counters_open(0, names, METRICS + 1, AT_A_TIME, &bench->counters, &error);
    if (status != SMC_OK)
        gpu_skip(error.message); /* only the counters */
}

static void test_kernels(void)
{
    static struct bench bench;
    double begun = smc_clock_ms();
    open_counters(&bench);
    bench.launch = calloc(AT_A_TIME, sizeof *bench.launch);
    CU_ASSERT_PTR_NOT_NULL_FATAL(bench.launch);
    CU_ASSERT(try_all(&bench));
    for (size_t i = 0; i < AT_A_TIME; i++)
        release(&bench.launch[i]);
    free(bench.launch);
    smc_counters_close(bench.counters);
    printf(
        "    %zu launches: results of %zu bit for bit, of %zu not, %zu racy; machine code followed "
        "in %zu; model and emulator differ in %zu; %.1f s\n",
        bench.tried, bench.equal_results, bench.other_results, bench.racy, bench.followed,
        bench.model_differs, (smc_clock_ms() - begun) / 1000);
    for (int m = 0; m < METRICS && bench.counters; m++)
        printf("      %-62s %zu equal, %zu not, at most %.2f %% off\n", smc_metric_info[m].name,
               bench.equal[m], bench.residues[m], 100 * bench.worst[m]);
    printf("    %zu launches counted: %zu beyond what is allowed, %zu with a known residue\n",
           bench.counted, bench.beyond, bench.known);
    gpu_result_number("emulator", "launches", (double)bench.tried);
    gpu_result_number("emulator", "equal_results", (double)bench.equal_results);
    gpu_result_number("emulator", "other_results", (double)bench.other_results);
    gpu_result_number("emulator", "racy", (double)bench.racy);
    gpu_result_number("emulator", "model_differs", (double)bench.model_differs);
    CU_ASSERT(bench.tried >= 200);
    CU_ASSERT_EQUAL(bench.other_results, 0);
    CU_ASSERT_EQUAL(bench.model_differs, 0);
    CU_ASSERT_EQUAL(bench.beyond, 0);
}

CU_TestInfo gpu_tests_emulator[] = {
    {"kernels: results and counters", test_kernels},
    CU_TEST_INFO_NULL,
};
