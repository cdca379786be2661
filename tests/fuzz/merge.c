/* Fuzzes merge: whatever the file holds, problems name it, reports are compared, and no form of the
   answer has anything that a terminal obeys. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "confirm/merge.h"
#include "report/csv_parts.h"
#include "report/json_parts.h"
#include "report/text_parts.h"

static void check_safe(const struct smc_text *text)
{
    for (size_t i = 0; i < text->length; i++)
        if ((unsigned char)text->data[i] < ' ' && text->data[i] != '\n')
            abort();
}

static void print(const struct smc_merged *merged)
{
    struct smc_report_style style = {.columns = 80};
    struct smc_text text = {0}, csv = {0};
    smc_text_merge(merged, &style, &text);
    smc_csv_merge(merged, &style, &csv);
    check_safe(&text);
    check_safe(&csv);
    json_t *object = json_object();
    smc_json_merge(object, merged);
    char *printed = json_dumps(object, JSON_REAL_PRECISION(15));
    if (!printed)
        abort();
    free(printed);
    json_decref(object);
    smc_text_free(&text);
    smc_text_free(&csv);
}

int fuzz_merge(const uint8_t *data, size_t size)
{
    struct smc_merge merge = {0};
    struct smc_merged merged;
    struct smc_text problems = {0};
    enum smc_status status = smc_merge_read(&merge, "input", (const char *)data, size, &problems);
    if ((status != SMC_OK && problems.length == 0) || (status == SMC_OK && merge.count == 0))
        abort();
    if (problems.length > 0 && strncmp(problems.data, "input:", 6) != 0)
        abort();
    check_safe(&problems);
    status = smc_merge_compare(&merge, &merged, NULL);
    size_t bad = merged.disagreeing + merged.differing;
    if (bad + merged.alone > merged.quantities ||
        (status == SMC_OK) != (bad + merged.failed_count == 0))
        abort();
    print(&merged);
    smc_merged_free(&merged);
    smc_merge_free(&merge);
    smc_text_free(&problems);
    return 0;
}
