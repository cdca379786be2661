/* The health of a machine's GPUs as text, as one line of JSON, and as metrics. */

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "show/report/writers.h"

/* --- Text ------------------------------------------------------------------------------------- */

/* "132 of 132 SMs; ", "65.2 TFLOP/s, expected 65; ". */
static void health_append_seen(const struct smc_health_test_info *info,
                               const struct smc_health_result *result, struct smc_text *out)
{
    double seen = result->seen / info->per_shown_unit;
    double expected = result->expected / info->per_shown_unit;
    if (info->is_measured)
        smc_text_printf(out, "%.4g %s, expected %.4g; ", seen, info->shown_unit, expected);
    else
        smc_text_printf(out, "%.4g of %.4g %s; ", seen, expected, info->shown_unit);
}

static void append_tests(const struct smc_health *health, struct smc_text *out)
{
    for (int i = 0; i < SMC_HEALTH_TESTS; i++) {
        const struct smc_health_result *result = &health->test[i];
        struct smc_text line = {0};
        smc_text_printf(&line, "%s: ", smc_health_outcome_name(result->outcome));
        if (!isnan(result->seen))
            health_append_seen(&smc_health_test_info[i], result, &line);
        smc_text_append(&line, result->detail);
        smc_layout_line(out, smc_health_test_info[i].name, &line);
    }
}

static void health_append_gpu(const struct smc_health *health, struct smc_text *out)
{
    struct smc_text line = {0};
    bool is_healthy = health->verdict == SMC_HEALTHY;
    smc_text_printf(&line, "GPU %d %s: %s", health->gpu_index,
                    smc_health_verdict_name(health->verdict),
                    health->name[0] ? health->name : "a GPU that could not be read");
    if (health->uuid[0])
        smc_text_printf(&line, ", %s", health->uuid);
    if (health->mode != SMC_MODE_WHOLE)
        smc_text_printf(&line, " (%s)", smc_health_mode_name(health->mode));
    smc_text_printf(&line, ", %.1f s", health->elapsed_s);
    smc_layout_verdict(out, is_healthy ? SMC_GOOD : SMC_BAD, &line);
    smc_layout_say(out, "error", "%s", health->error);
    for (uint32_t i = 0; i < health->fault_count; i++)
        smc_layout_say(out, smc_fault_kind_name(health->fault[i].kind), "%s",
                       health->fault[i].detail);
    if (health->faults_total > health->fault_count)
        smc_text_printf(out, "and %" PRIu64 " more\n", health->faults_total - health->fault_count);
    append_tests(health, out);
}

static void health_write_text(const struct smc_host_health *host, struct smc_text *out)
{
    struct smc_text line = {0};
    size_t healthy = 0;
    if (host->count == 0) {
        smc_text_printf(&line, "%s: %s", smc_health_verdict_name(host->verdict), host->error);
        smc_layout_verdict(out, SMC_BAD, &line);
        return;
    }
    for (size_t i = 0; i < host->count; i++)
        healthy += host->gpu[i].verdict == SMC_HEALTHY;
    smc_text_printf(&line, "%s: %zu of %zu GPU%s of %s in %.1f s",
                    smc_health_verdict_name(host->verdict), healthy, host->count,
                    smc_text_plural(host->count), host->node[0] ? host->node : host->host_name,
                    host->elapsed_s);
    smc_layout_verdict(out, host->verdict == SMC_HEALTHY ? SMC_GOOD : SMC_BAD, &line);
    for (size_t i = 0; i < host->count; i++) {
        smc_text_append(out, "\n");
        health_append_gpu(&host->gpu[i], out);
    }
}

/* --- JSON ------------------------------------------------------------------------------------- */

#define FAULT_FIELDS(FIELD)                                                                        \
    FIELD("kind", NULL, "", "lane, sm, memory, residency, rate or result",                         \
          smc_value_text(smc_fault_kind_name(item->kind)))                                         \
    FIELD("sm", NULL, "", "the SM's number (%smid)",                                               \
          SMC_VALUE_IF(item->sm >= 0, (uint64_t)item->sm))                                         \
    FIELD("subpartition", NULL, "", "of the SM",                                                   \
          SMC_VALUE_IF(item->part >= 0, (uint64_t)item->part))                                     \
    FIELD("lane", NULL, "", "of the warps of that sub-partition",                                  \
          SMC_VALUE_IF(item->lane >= 0, (uint64_t)item->lane))                                     \
    FIELD("address", NULL, "",                                                                     \
          "of the wrong word, in hex: in global memory, or with an SM in its shared memory",       \
          health_address_of(item))                                                                 \
    FIELD("bit", NULL, "", "the lowest wrong bit of the word",                                     \
          SMC_VALUE_IF(item->bit >= 0, (uint64_t)item->bit))                                       \
    FIELD("detail", NULL, "", "the fault in words", smc_value_text(item->detail))

static struct smc_value health_address_of(const struct smc_fault *fault)
{
    char text[24];
    snprintf(text, sizeof text, "0x%" PRIx64, fault->address);
    return fault->has_address ? smc_value_copy(text) : smc_value_string(NULL);
}

SMC_FIELD_TABLE(fault_fields, struct smc_fault, FAULT_FIELDS)

struct test {
    const struct smc_health_test_info *info;
    const struct smc_health_result *result;
};

#define TEST_FIELDS(FIELD)                                                                         \
    FIELD("name", NULL, "", "sms, results, residency, bandwidth, fma, time or memory",             \
          smc_value_text(item->info->name))                                                        \
    FIELD("verdict", NULL, "", "pass, fail or skip",                                               \
          smc_value_text(smc_health_outcome_name(item->result->outcome)))                          \
    FIELD("expected", NULL, "", "what was expected, in the unit",                                  \
          smc_value_number(item->result->expected))                                                \
    FIELD("seen", NULL, "", "what was seen", smc_value_number(item->result->seen))                 \
    FIELD("unit", NULL, "", "of both", smc_value_text(item->info->unit))                           \
    FIELD("detail", NULL, "", "how, or why it was skipped", smc_value_text(item->result->detail))

SMC_FIELD_TABLE(test_fields, struct test, TEST_FIELDS)

static json_t *tests_of(const struct smc_health *health)
{
    json_t *list = json_array();
    for (int i = 0; i < SMC_HEALTH_TESTS; i++) {
        const struct test test = {&smc_health_test_info[i], &health->test[i]};
        json_array_append_new(list, smc_fields_object(&test_fields, &test));
    }
    return list;
}

static json_t *figures_of(const struct smc_health *health)
{
    json_t *object = json_object();
    for (int i = 0; i < SMC_HEALTH_FIGURES; i++)
        if (health->figure[i] > 0)
            smc_json_set(object, smc_health_figure_info[i].key, smc_json_number(health->figure[i]));
    return object;
}

static json_t *health_faults_of(const struct smc_health *health)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < health->fault_count; i++)
        json_array_append_new(list, smc_fields_object(&fault_fields, &health->fault[i]));
    return list;
}

#define GPU_FIELDS(FIELD)                                                                          \
    FIELD("gpu_index", NULL, "", "its index on the machine", (uint64_t)item->gpu_index)            \
    FIELD("gpu_uuid", NULL, "", "as nvidia-smi prints it", item->uuid)                             \
    FIELD("pci_bus_id", NULL, "", "such as 0000:1a:00.0", item->pci_bus_id)                        \
    FIELD("name", NULL, "", "of the board", item->name)                                            \
    FIELD("compute_capability", NULL, "", "such as 9.0", smc_value_capability(item->cc))           \
    FIELD("driver", NULL, "", "the driver's release", item->driver)                                \
    FIELD("mode", NULL, "", "whole, mig (a slice of a GPU) or exclusive (process mode)",           \
          smc_value_text(smc_health_mode_name(item->mode)))                                        \
    FIELD("verdict", NULL, "", "healthy, differs, or failed: it could not be checked",             \
          smc_value_text(smc_health_verdict_name(item->verdict)))                                  \
    FIELD("error", NULL, "", "why it could not be checked", item->error)                           \
    FIELD("elapsed_s", NULL, "s", "the time that the check took", item->elapsed_s)                 \
    FIELD("tests", NULL, "", "a list of the tests", tests_of(item))                                \
    FIELD("figures", NULL, "", "what was measured", figures_of(item))                              \
    FIELD("faults", NULL, "", "a list of what is wrong, at most 32", health_faults_of(item))       \
    FIELD("faults_total", NULL, "", "how many there are", item->faults_total)

SMC_FIELD_TABLE(gpu_fields, struct smc_health, GPU_FIELDS)

static json_t *gpus_of(const struct smc_host_health *host)
{
    json_t *list = json_array();
    for (size_t i = 0; i < host->count; i++)
        json_array_append_new(list, smc_fields_object(&gpu_fields, &host->gpu[i]));
    return list;
}

#define HOST_FIELDS(FIELD)                                                                         \
    FIELD("command", NULL, "", "check", smc_value_text(item ? "check" : ""))                       \
    FIELD("host", NULL, "", "the host's name", item->host_name)                                    \
    FIELD("node", NULL, "", "SLURMD_NODENAME", item->node)                                         \
    FIELD("rank", NULL, "", "PMIX_RANK, OMPI_COMM_WORLD_RANK or SLURM_PROCID",                     \
          SMC_VALUE_IF(item->rank >= 0, (uint64_t)item->rank))                                     \
    FIELD("time", NULL, "", "when the check began, in UTC", item->time)                            \
    FIELD("verdict", NULL, "", "of all GPUs: differs if one does, else failed if one did",         \
          smc_value_text(smc_health_verdict_name(item->verdict)))                                  \
    FIELD("error", NULL, "", "why no GPU was checked", item->error)                                \
    FIELD("elapsed_s", NULL, "s", "the time that all took", item->elapsed_s)                       \
    FIELD("gpus", NULL, "", "a list of the GPUs", gpus_of(item))

SMC_FIELD_TABLE(host_fields, struct smc_host_health, HOST_FIELDS)

const struct smc_field_table smc_health_tables[] = {
    {"check", &host_fields},
    {"check-gpu", &gpu_fields},
    {"check-test", &test_fields},
    {"check-fault", &fault_fields},
    {NULL, NULL},
};

static void write_json(const struct smc_host_health *host, struct smc_text *out)
{
    json_t *root = smc_json_begin();
    smc_fields_json(&host_fields, host, root);
    smc_json_finish_lines(root, NULL, out);
}

/* --- Metrics ---------------------------------------------------------------------------------- */

/* "name{host=...,gpu=...,uuid=...,", without the end of the labels. */
static void begin_sample(const char *name, const struct smc_host_health *host,
                         const struct smc_health *health, struct smc_text *out)
{
    char index[16];
    smc_text_append(out, name);
    smc_openmetrics_label("host", host->node[0] ? host->node : host->host_name, true, out);
    if (!health)
        return;
    snprintf(index, sizeof index, "%d", health->gpu_index);
    smc_openmetrics_label("gpu", index, false, out);
    smc_openmetrics_label("uuid", health->uuid, false, out);
}

static void end_sample(double value, struct smc_text *out)
{
    smc_text_printf(out, "} %.15g\n", value);
}

static void append_outcomes(const struct smc_host_health *host, struct smc_text *out)
{
    static const char name[] = "smemcalc_gpu_test_passed";
    smc_openmetrics_family(name, NULL,
                           "1 if the GPU passed the test, 0 if not; none if it was skipped.", out);
    for (size_t i = 0; i < host->count; i++)
        for (int t = 0; t < SMC_HEALTH_TESTS; t++) {
            const struct smc_health_result *result = &host->gpu[i].test[t];
            if (result->outcome == SMC_HEALTH_SKIPPED)
                continue;
            begin_sample(name, host, &host->gpu[i], out);
            smc_openmetrics_label("test", smc_health_test_info[t].name, false, out);
            end_sample(result->outcome == SMC_HEALTH_PASSED, out);
        }
}

static void append_verdicts(const struct smc_host_health *host, struct smc_text *out)
{
    static const char healthy[] = "smemcalc_gpu_healthy", state[] = "smemcalc_gpu_faults",
                      seconds[] = "smemcalc_gpu_check_seconds";
    smc_openmetrics_family(
        healthy, NULL, "1 if the GPU is healthy, 0 if it differs or could not be checked.", out);
    for (size_t i = 0; i < host->count; i++) {
        begin_sample(healthy, host, &host->gpu[i], out);
        smc_openmetrics_label("name", host->gpu[i].name, false, out);
        smc_openmetrics_label("verdict", smc_health_verdict_name(host->gpu[i].verdict), false, out);
        end_sample(host->gpu[i].verdict == SMC_HEALTHY, out);
    }
    smc_openmetrics_family(state, NULL, "Wrong lanes, SMs, words of memory, rates and results.",
                           out);
    for (size_t i = 0; i < host->count; i++) {
        begin_sample(state, host, &host->gpu[i], out);
        end_sample((double)host->gpu[i].faults_total, out);
    }
    smc_openmetrics_family(seconds, "seconds", "How long the check took.", out);
    for (size_t i = 0; i < host->count; i++) {
        begin_sample(seconds, host, &host->gpu[i], out);
        end_sample(host->gpu[i].elapsed_s, out);
    }
}

/* The figures as metrics, in base units as Prometheus names them. */
static const struct {
    enum smc_health_figure figure;
    const char *name, *unit, *help;
    double factor;
} metrics[] = {
    {SMC_HEALTH_FIGURE_COPY, "smemcalc_gpu_copy_bytes_per_second", "bytes_per_second",
     "Copy in global memory, read and written bytes.", 1},
    {SMC_HEALTH_FIGURE_READ, "smemcalc_gpu_read_bytes_per_second", "bytes_per_second",
     "Reads of global memory.", 1},
    {SMC_HEALTH_FIGURE_FMA, "smemcalc_gpu_fma_flops_per_second", "flops_per_second",
     "Float multiplications and additions.", 1},
    {SMC_HEALTH_FIGURE_CLOCK, "smemcalc_gpu_sm_clock_hertz", "hertz", "SM clock under float FMA.",
     1e3},
    {SMC_HEALTH_FIGURE_LAUNCH, "smemcalc_gpu_kernel_seconds", "seconds",
     "The time of a launch of matmul-tiled.", 1e-3},
    {SMC_HEALTH_FIGURE_MEMORY, "smemcalc_gpu_checked_memory_bytes", "bytes",
     "Memory that was written and read back.", 1},
};

static void health_append_figures(const struct smc_host_health *host, struct smc_text *out)
{
    for (size_t m = 0; m < sizeof metrics / sizeof *metrics; m++) {
        smc_openmetrics_family(metrics[m].name, metrics[m].unit, metrics[m].help, out);
        for (size_t i = 0; i < host->count; i++) {
            double value = host->gpu[i].figure[metrics[m].figure];
            if (value <= 0)
                continue;
            begin_sample(metrics[m].name, host, &host->gpu[i], out);
            end_sample(value * metrics[m].factor, out);
        }
    }
}

static void write_metrics(const struct smc_host_health *host, struct smc_text *out)
{
    static const char healthy[] = "smemcalc_host_healthy", gpus[] = "smemcalc_host_gpus";
    smc_openmetrics_family(healthy, NULL, "1 if every GPU of the host is healthy.", out);
    begin_sample(healthy, host, NULL, out);
    end_sample(host->verdict == SMC_HEALTHY, out);
    smc_openmetrics_family(gpus, NULL, "GPUs that were checked.", out);
    begin_sample(gpus, host, NULL, out);
    end_sample((double)host->count, out);
    append_verdicts(host, out);
    append_outcomes(host, out);
    health_append_figures(host, out);
    smc_text_append(out, "# EOF\n");
}

void smc_health_write(const struct smc_host_health *host, enum smc_health_format format,
                      struct smc_text *out)
{
    if (format == SMC_HEALTH_JSON)
        write_json(host, out);
    else if (format == SMC_HEALTH_OPENMETRICS)
        write_metrics(host, out);
    else
        health_write_text(host, out);
}
