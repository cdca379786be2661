/* The CSV report: one header, a row an answer; the results have the names of the batch format. */
#include <string.h>

#include "base/numbers.h"
#include "show/report/writers.h"

void smc_csv_field(struct smc_text *out, const char *value)
{
    size_t start = out->length;
    if (value[strcspn(value, ",\"\r\n")])
        smc_text_append_quoted(out, value, strlen(value));
    else
        smc_text_append(out, value);
    if (!out->failed)
        smc_utf8_make_safe(out->data + start);
}

/* Parameters of later versions have columns of their own after all others. */
static bool is_later(int param)
{
    return param == SMC_PARAM_BINS;
}

void smc_csv_params_head(struct smc_text *out)
{
    char key[SMC_PARAM_KEY_CHARS];
    for (int i = 0; i < SMC_PARAM_COUNT; i++)
        if (!is_later(i))
            smc_text_printf(out, ",%s", smc_words_param_key((enum smc_param)i, key));
}

/* Without snprintf, which would take most of a long sweep's time. */
void smc_csv_integer(int64_t integer, struct smc_text *out)
{
    char digits[24];
    size_t at = sizeof digits;
    uint64_t left = integer < 0 ? -(uint64_t)integer : (uint64_t)integer;
    do
        digits[--at] = (char)('0' + left % 10);
    while (left /= 10);
    if (integer < 0)
        digits[--at] = '-';
    smc_text_append_bytes(out, digits + at, sizeof digits - at);
}

void smc_csv_params(const struct smc_query *query, struct smc_text *out)
{
    const struct smc_kernel *kernel = query->kernel;
    for (int i = 0; i < SMC_PARAM_COUNT; i++) {
        int64_t value = query->params.value[i];
        if (is_later(i))
            continue;
        smc_text_append_bytes(out, ",", 1);
        if (!kernel || !(kernel->params & 1u << i))
            continue;
        if (i == SMC_PARAM_DTYPE)
            smc_text_append(out, smc_dtype_name((enum smc_dtype)value));
        else
            smc_csv_integer(value, out);
    }
}

void smc_csv_number(double value, struct smc_text *out)
{
    if (smc_number_is_whole(value))
        smc_csv_integer((int64_t)value, out);
    else
        smc_text_printf(out, "%.10g", value);
}
