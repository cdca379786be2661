/* A run in words. */
#include "report/words_run.h"

#include <stdio.h>
#include <string.h>

#include "base/numbers.h"
#include "report/layout.h"
#include "report/words.h"

void smc_words_run_kernel(const struct smc_answer *answer, struct smc_text *out)
{
    if (!answer->query.kernel)
        return;
    smc_text_printf(out, "%s: ", answer->query.kernel->name);
    smc_words_params(answer, out);
}

void smc_words_run_device(const struct smc_device *device, struct smc_text *out)
{
    smc_text_append(out, device->name);
    if (device->sm_count == 0) /* a compute capability */
        return;
    smc_text_printf(out, ", CC %d.%d, %u SMs", device->sm.cc / 10, device->sm.cc % 10,
                    device->sm_count);
}

void smc_words_run_driver(const struct smc_run_result *result, struct smc_text *out)
{
    if (result->driver[0])
        smc_text_printf(out, "driver for CUDA %s, runtime %s", result->driver, result->runtime);
}

void smc_words_verdicts(const struct smc_confirmation *confirmation, struct smc_text *out)
{
    const char *verdict = confirmation->differing   ? "differs"
                          : confirmation->confirmed ? "confirmed"
                                                    : "nothing was measured";
    smc_text_printf(out, "%s: %zu confirmed, %zu differ%s, %zu not measured", verdict,
                    confirmation->confirmed, confirmation->differing,
                    confirmation->differing == 1 ? "s" : "", confirmation->not_measured);
}

const char *const smc_witness_headings[SMC_WITNESSES] = {
    [SMC_PREDICTED] = "predicted",
    [SMC_BY_API] = "API",
    [SMC_EMULATED] = "emulated",
    [SMC_MEASURED] = "measured",
};

const struct smc_reading *smc_row_witness(const struct smc_row *row, int column)
{
    const struct smc_reading *const witnesses[SMC_WITNESSES] = {
        [SMC_PREDICTED] = &row->predicted,
        [SMC_BY_API] = &row->api,
        [SMC_EMULATED] = &row->emulated,
        [SMC_MEASURED] = &row->measured,
    };
    return witnesses[column];
}

/* Rows that say whether something happens hold 0 or 1. */
static bool is_yes_or_no(const struct smc_row *row)
{
    return strcmp(row->quantity, "compiles") == 0 || strcmp(row->quantity, "launches") == 0;
}

void smc_words_witness(const struct smc_row *row, const struct smc_reading *witness,
                       char text[SMC_ROW_WORDS])
{
    double value = witness->value;
    const char *gap = row->unit[0] ? " " : "";
    bool long_enough = value >= 1000 && value < 1e15; /* four digits that count */
    if (witness == &row->predicted && row->words[0])
        snprintf(text, SMC_ROW_WORDS, "%s", row->words);
    else if (!witness->present)
        snprintf(text, SMC_ROW_WORDS, "-");
    else if (is_yes_or_no(row))
        snprintf(text, SMC_ROW_WORDS, "%s", value != 0 ? "yes" : "no");
    else
        snprintf(text, SMC_ROW_WORDS,
                 smc_number_is_whole(value) || long_enough ? "%.0f%s%s" : "%.4g%s%s", value, gap,
                 row->unit);
}

bool smc_words_any_emulated(const struct smc_confirmation *confirmation)
{
    for (size_t i = 0; i < confirmation->row_count; i++)
        if (confirmation->row[i].emulated.present)
            return true;
    return false;
}
