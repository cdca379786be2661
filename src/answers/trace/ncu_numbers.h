/* Numbers and units as Nsight Compute writes them: with the point or the comma before the fraction,
   with signs between thousands or none, all by the locale of the machine that recorded. */
#ifndef SMC_ANSWERS_NCU_NUMBERS_H
#define SMC_ANSWERS_NCU_NUMBERS_H

#include <stdbool.h>

/* Which sign may be before the fraction of a number. */
enum {
    SMC_NCU_POINT = 1,
    SMC_NCU_COMMA = 2,
};

/* The signs with which the text is a number; 0 if it is none. "1,234.5" is one only with the point,
   "12,5" only with the comma, "7" with both, and "1,234" with both too, but another one. */
unsigned smc_ncu_signs(const char *text);

/* Whether it is not the same number with both. */
bool smc_ncu_is_ambiguous(const char *text);

/* The number, with that one of the signs; false if it is none. `decimals` are the digits of the
   fraction. What follows in parentheses, values of instances, is ignored. */
bool smc_ncu_number(const char *text, unsigned sign, double *value, int *decimals);

enum smc_ncu_unit {
    SMC_NCU_COUNT, /* whatever is counted */
    SMC_NCU_PERCENT,
    SMC_NCU_TIME, /* in ns */
    SMC_NCU_BYTES,
    SMC_NCU_KHZ,
    SMC_NCU_TEXT, /* not a number */
};

/* By what a value with the unit `written` ("usecond", "us", "Kbyte/block") is multiplied. 0: it is
   no such unit. */
double smc_ncu_scale(enum smc_ncu_unit unit, const char *written);

#endif
