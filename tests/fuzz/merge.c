/* Fuzzes merge: whatever the file holds, problems name it, reports are compared, and no form of the
   answer has anything that a terminal obeys. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "hardware/merge.h"
#include "show/report/report.h"
#include "show/report/writers.h"

static void check_safe(const struct smc_text *text)
{
    for (size_t i = 0; i < text->length; i++)
        if ((unsigned char)text->data[i] < ' ' && text->data[i] != '\n')
            abort();
}

/* Between double quotes nothing may end them, or be more than text to a shell. */
static void check_commands(const struct smc_fleet *fleet)
{
    struct smc_text list = {0}, commands = {0};
    smc_fleet_exclude(fleet, &list);
    smc_fleet_drain_commands(fleet, &commands);
    check_safe(&list);
    check_safe(&commands);
    size_t quotes = 0, lines = 0;
    for (size_t i = 0; i < commands.length; i++) {
        quotes += commands.data[i] == '"';
        lines += commands.data[i] == '\n';
        if (strchr("$`\\'!;&|<>*", commands.data[i]) && quotes % 2 == 0)
            abort();
        if (strchr("$`\\!", commands.data[i]))
            abort();
    }
    if (quotes != 2 * lines || lines != fleet->drain_count)
        abort();
    if (list.data &&
        strspn(list.data, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                          "-_.,\n") != list.length)
        abort();
    smc_text_free(&list);
    smc_text_free(&commands);
}

static void print(const struct smc_merged *merged, const struct smc_fleet *fleet)
{
    struct smc_report_style style = {.columns = 80};
    struct smc_text text = {.style = &style}, csv = {0}, metrics = {0};
    smc_text_merge(merged, fleet, &text);
    smc_csv_merge(merged, NULL, &csv);
    smc_csv_merge(NULL, fleet, &csv);
    smc_openmetrics_merge(merged, fleet, &metrics);
    check_safe(&text);
    check_safe(&csv);
    check_safe(&metrics);
    check_commands(fleet);
    json_t *object = json_object();
    smc_json_merge(object, merged, fleet);
    char *printed = json_dumps(object, JSON_REAL_PRECISION(15));
    if (!printed)
        abort();
    free(printed);
    json_decref(object);
    smc_text_free(&text);
    smc_text_free(&csv);
    smc_text_free(&metrics);
}

static enum smc_status read_reports(struct smc_merge *merge, const char *text, size_t length,
                                    struct smc_text *problems)
{
    struct smc_merge_input input = {.merge = merge, .file = "input", .problems = problems};
    enum smc_status status = smc_merge_feed(&input, text, length, NULL);
    if (status == SMC_OK)
        status = smc_merge_finish(&input);
    smc_merge_input_free(&input);
    return status;
}

int fuzz_merge(const uint8_t *data, size_t size)
{
    struct smc_merge merge = {0};
    struct smc_merged merged;
    struct smc_text problems = {0};
    enum smc_status status = read_reports(&merge, (const char *)data, size, &problems);
    if ((status != SMC_OK && problems.length == 0) ||
        (status == SMC_OK && merge.count + merge.checks.node_count == 0))
        abort();
    if (problems.length > 0 && strncmp(problems.data, "input:", 6) != 0)
        abort();
    check_safe(&problems);
    status = smc_merge_compare(&merge, &merged, NULL);
    size_t bad = merged.disagreeing + merged.differing;
    if (bad + merged.alone > merged.quantities ||
        (status == SMC_OK) != (bad + merged.failed_count == 0))
        abort();
    struct smc_fleet fleet;
    const struct smc_fleet_expected expected = {0};
    status = smc_fleet_judge(&merge.checks, &expected, true, &fleet, NULL);
    if (fleet.health[SMC_CHECKED_HEALTHY] > fleet.gpus ||
        (status == SMC_OK && fleet.drain_count > 0))
        abort();
    print(&merged, &fleet);
    smc_fleet_free(&fleet);
    smc_merged_free(&merged);
    smc_merge_free(&merge);
    smc_text_free(&problems);
    return 0;
}
