/* The rows of a confirmation: their readings, and whether these agree. */
#include "hardware/confirm/confirm.h"

#include <assert.h>
#include <math.h>

struct smc_reading smc_reading_of(double value)
{
    return (struct smc_reading){.present = true, .value = value};
}

struct smc_row *smc_row_add(struct smc_confirmation *confirmation, const char *quantity,
                            const char *label, const char *unit)
{
    assert(confirmation->row_count < SMC_MAX_ROWS);
    struct smc_row *row = &confirmation->row[confirmation->row_count++];
    *row = (struct smc_row){.quantity = quantity, .label = label, .unit = unit};
    return row;
}

void smc_row_note(struct smc_row *row, const char *format, ...)
{
    SMC_PRINT_TO(row->note, format);
}

/* Quantities are not negative. They are whole numbers, or computed from whole numbers by the same
   formula, so they may only differ in the last bit. */
static bool equal(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(a, b);
}

static bool confirm_rows_agrees(const struct smc_row *row, const struct smc_reading *reading)
{
    return !reading->present || equal(reading->value, row->predicted.value);
}

bool smc_row_agrees(const struct smc_row *row)
{
    return confirm_rows_agrees(row, &row->api) && confirm_rows_agrees(row, &row->emulated) &&
           confirm_rows_agrees(row, &row->measured);
}

void smc_row_judge(struct smc_row *row)
{
    bool any = row->api.present || row->emulated.present || row->measured.present;
    row->verdict = !any ? SMC_NOT_MEASURED : smc_row_agrees(row) ? SMC_CONFIRMED : SMC_DIFFERS;
}

void smc_rows_count(struct smc_confirmation *confirmation)
{
    for (size_t i = 0; i < confirmation->row_count; i++) {
        enum smc_verdict verdict = confirmation->row[i].verdict;
        confirmation->confirmed += verdict == SMC_CONFIRMED;
        confirmation->differing += verdict == SMC_DIFFERS;
        confirmation->not_measured += verdict == SMC_NOT_MEASURED;
    }
}
