/* One row of a confirmation, from its witnesses to its verdict. */
#include "confirm/rows.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

struct smc_witness smc_witness_of(double value)
{
    return (struct smc_witness){.present = true, .value = value};
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
    va_list args;
    va_start(args, format);
    vsnprintf(row->note, sizeof row->note, format, args);
    va_end(args);
}

/* Quantities are not negative: whole numbers or made from whole numbers by the same formula: equal
   but for the last bit. */
static bool equal(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(a, b);
}

void smc_row_judge(struct smc_row *row)
{
    const struct smc_witness *const witnesses[] = {&row->api, &row->emulated, &row->measured};
    bool any = false;
    row->verdict = SMC_CONFIRMED;
    for (size_t i = 0; i < sizeof witnesses / sizeof *witnesses; i++) {
        if (!witnesses[i]->present)
            continue;
        any = true;
        if (!equal(witnesses[i]->value, row->predicted.value))
            row->verdict = SMC_DIFFERS;
    }
    if (!any)
        row->verdict = SMC_NOT_MEASURED;
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
