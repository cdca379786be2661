/* One case of the GPU tests: from a line of text to a verdict. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "gpu_tests.h"

static bool set_parameter(const char *name, const char *value, struct smc_query *query)
{
    struct smc_params *params = &query->params;
    enum smc_dtype dtype;
    for (int i = 0; i < SMC_PARAM_COUNT; i++) {
        const struct smc_param_info *info = &smc_param_info[i];
        if (strcmp(info->option, name) != 0)
            continue;
        params->given |= 1u << i;
        if (i != SMC_PARAM_DTYPE)
            return smc_parse_integer(value, info->lowest, info->highest, &params->value[i]);
        bool known = smc_dtype_parse(value, &dtype);
        params->value[i] = known ? (int64_t)dtype : 0;
        return known;
    }
    return false;
}

static bool set_launch(const char *name, int64_t value, struct smc_query *query)
{
    if (strcmp(name, "regs") == 0)
        query->regs_per_thread = value;
    else if (strcmp(name, "dynamic-smem") == 0)
        query->dynamic_smem_bytes = value;
    else if (strcmp(name, "carveout") == 0)
        query->settings.carveout_percent = (int32_t)value;
    else if (strcmp(name, "no-opt-in") == 0)
        query->settings.smem_not_opted_in = value != 0;
    else
        return false;
    return true;
}

static bool set(char *word, struct smc_query *query)
{
    int64_t number;
    char *value = strchr(word, '=');
    if (!value)
        return false;
    *value++ = '\0';
    return set_parameter(word, value, query) ||
           (smc_parse_integer(value, -1, UINT32_MAX, &number) && set_launch(word, number, query));
}

void gpu_read_case(const char *text, struct smc_query *query)
{
    char words[256];
    snprintf(words, sizeof words, "%s", text);
    smc_query_init(query);
    query->device = *gpu_device();
    char *word = strtok(words, " ");
    query->kernel = smc_kernel_find(word);
    bool understood = query->kernel != NULL;
    if (understood)
        smc_params_init(query->kernel, &query->params);
    while (understood && (word = strtok(NULL, " ")))
        understood = set(word, query);
    if (!understood)
        printf("    the test has a wrong case: %s\n", text);
    CU_ASSERT_FATAL(understood);
}

/* Any further call may never return. */
static void give_up(const struct smc_attempt *finish)
{
    printf("    %s: the GPU is given up\n", finish->message);
    fflush(stdout);
    _Exit(1);
}

bool gpu_confirm(const struct smc_answer *answer, uint32_t timeout_ms,
                 struct smc_run_result *result, struct smc_confirmation *confirmation)
{
    const struct smc_query *query = &answer->query;
    struct smc_text warnings = {0};
    struct smc_error error = {""};
    static uint64_t seed = 1; /* other inputs in every run */
    const struct smc_run_settings settings = {
        .gpu_index = query->device.gpu_index,
        .seed = seed++,
        .timeout_ms = timeout_ms,
        .no_counters = true, /* opening them for each of thousands of cases would take hours */
    };
    struct smc_compiled compiled = {0};
    const struct smc_run_request request = {
        .answer = answer, .compiled = &compiled, .settings = &settings};
    enum smc_status status =
        smc_compile(&(struct smc_compile_request){query->kernel, &query->params,
                                                  query->device.sm.cc, &query->compile},
                    &compiled.resources, &compiled.binary, &warnings, &error);
    if (status == SMC_OK)
        status = smc_executor_default()->run(&request, result, &warnings, &error);
    smc_binary_free(&compiled.binary);
    if (status == SMC_OK && smc_is_lost(&result->finish))
        give_up(&result->finish);
    if (status == SMC_OK)
        smc_confirm(answer, result, confirmation);
    else
        printf("    %s\n", error.message);
    smc_text_free(&warnings);
    return status == SMC_OK;
}

static void print_witness(const char *name, const struct smc_reading *reading)
{
    if (reading->present)
        printf("  %s %.6g", name, reading->value);
}

void gpu_print_rows(const char *text, const struct smc_confirmation *confirmation)
{
    printf("    %s\n", text);
    for (size_t i = 0; i < confirmation->row_count; i++) {
        const struct smc_row *row = &confirmation->row[i];
        if (row->verdict == SMC_CONFIRMED || row->verdict == SMC_INFORMATION)
            continue;
        printf("      %s: %s", row->label, smc_verdict_name(row->verdict));
        print_witness("predicted", &row->predicted);
        print_witness("API", &row->api);
        print_witness("measured", &row->measured);
        printf("  (%s)\n", row->note);
    }
}

bool gpu_case_holds(const char *text, enum smc_outcome expected)
{
    struct smc_query query;
    struct smc_answer answer;
    struct smc_run_result result;
    struct smc_confirmation confirmation;
    struct smc_error error = {""};
    struct smc_text warnings = {0};
    gpu_read_case(text, &query);
    enum smc_status status = smc_query_answer(&query, &answer, &warnings, &error);
    smc_text_free(&warnings);
    if (status != SMC_OK || answer.outcome != expected) {
        printf("    %s: %s\n", text,
               status == SMC_OK ? smc_outcome_name(answer.outcome) : error.message);
        return false;
    }
    if (!gpu_confirm(&answer, GPU_TIMEOUT_MS, &result, &confirmation))
        return false;
    bool measured = expected != SMC_LAUNCHES || confirmation.not_measured == 0;
    bool holds = confirmation.differing == 0 && confirmation.confirmed > 0 && measured;
    if (!holds)
        gpu_print_rows(text, &confirmation);
    return holds;
}

uint32_t gpu_random(uint64_t *state, uint32_t limit)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*state >> 33) % limit);
}
