/* Numbers and units of Nsight Compute. */
#include "answers/trace/ncu_numbers.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum {
    MOST_DIGITS = 40,
    MOST_EXPONENT = 400,
};

static bool ncu_numbers_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The bytes of a sign between thousands: the other one of point and comma, a blank, an apostrophe;
   0: there is none. */
static size_t separator_length(const char *at, char fraction)
{
    static const char *const wide[] = {"\xC2\xA0", "\xE2\x80\xAF", "\xE2\x80\x89", "\xE2\x80\x99"};
    if (*at == (fraction == '.' ? ',' : '.') || *at == ' ' || *at == '\'')
        return 1;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (strncmp(at, wide[i], strlen(wide[i])) == 0)
            return strlen(wide[i]);
    return 0;
}

struct number_scan {
    const char *at;
    double value; /* of the digits so far, without a point */
    int digits;
};

static int scan_digits(struct number_scan *scan)
{
    int count = 0;
    for (; ncu_numbers_is_digit(*scan->at); scan->at++, count++)
        scan->value = 10 * scan->value + (*scan->at - '0');
    scan->digits += count;
    return count;
}

/* Groups of three digits after the first one, all separated alike. */
static bool scan_thousands(struct number_scan *scan, const char *first, char fraction)
{
    const char *sign = NULL;
    size_t length;
    while ((length = separator_length(scan->at, fraction)) > 0 &&
           ncu_numbers_is_digit(scan->at[length])) {
        if (!sign && (scan->digits > 3 || *first == '0'))
            return false;
        if (sign && strncmp(sign, scan->at, length) != 0)
            return false;
        sign = scan->at;
        scan->at += length;
        if (scan_digits(scan) != 3)
            return false;
    }
    return true;
}

static bool scan_exponent(struct number_scan *scan, int *exponent)
{
    int value = 0;
    const bool negative = scan->at[1] == '-';
    const char *at = scan->at + 1 + (negative || scan->at[1] == '+');
    if (!ncu_numbers_is_digit(*at))
        return false;
    for (; ncu_numbers_is_digit(*at) && value <= MOST_EXPONENT; at++)
        value = 10 * value + (*at - '0');
    scan->at = at;
    *exponent = negative ? -value : value;
    return value <= MOST_EXPONENT;
}

bool smc_ncu_number(const char *text, unsigned sign, double *value, int *decimals)
{
    const char fraction = sign == SMC_NCU_COMMA ? ',' : '.';
    const bool negative = *text == '-';
    struct number_scan scan = {.at = text + negative};
    const char *first = scan.at;
    int exponent = 0;
    *decimals = 0;
    if (scan_digits(&scan) == 0 || !scan_thousands(&scan, first, fraction))
        return false;
    const bool whole_thousands = scan.digits == scan.at - first;
    if (*scan.at == fraction) {
        scan.at++;
        *decimals = scan_digits(&scan);
        if (*decimals == 0)
            return false;
    }
    if ((*scan.at == 'e' || *scan.at == 'E') &&
        (!whole_thousands || !scan_exponent(&scan, &exponent)))
        return false;
    while (*scan.at == ' ')
        scan.at++;
    if ((*scan.at != '\0' && *scan.at != '(') || scan.digits > MOST_DIGITS)
        return false;
    *value = scan.value / pow(10, *decimals);
    if (exponent)
        *value *= pow(10, exponent);
    if (negative)
        *value = -*value;
    return isfinite(*value);
}

unsigned smc_ncu_signs(const char *text)
{
    double value;
    int decimals;
    return (smc_ncu_number(text, SMC_NCU_POINT, &value, &decimals) ? SMC_NCU_POINT : 0u) |
           (smc_ncu_number(text, SMC_NCU_COMMA, &value, &decimals) ? SMC_NCU_COMMA : 0u);
}

bool smc_ncu_is_ambiguous(const char *text)
{
    double with_point, with_comma;
    int decimals;
    return smc_ncu_number(text, SMC_NCU_POINT, &with_point, &decimals) &&
           smc_ncu_number(text, SMC_NCU_COMMA, &with_comma, &decimals) && with_point != with_comma;
}

double smc_ncu_scale(enum smc_ncu_unit unit, const char *written)
{
    static const struct {
        enum smc_ncu_unit unit;
        const char *name;
        double scale;
    } units[] = {
        {SMC_NCU_TIME, "ns", 1},
        {SMC_NCU_TIME, "nsecond", 1},
        {SMC_NCU_TIME, "us", 1e3},
        {SMC_NCU_TIME, "usecond", 1e3},
        {SMC_NCU_TIME, "\xC2\xB5s", 1e3},
        {SMC_NCU_TIME, "\xCE\xBCs", 1e3},
        {SMC_NCU_TIME, "ms", 1e6},
        {SMC_NCU_TIME, "msecond", 1e6},
        {SMC_NCU_TIME, "s", 1e9},
        {SMC_NCU_TIME, "second", 1e9},
        {SMC_NCU_BYTES, "byte", 1},
        {SMC_NCU_BYTES, "Kbyte", 1e3},
        {SMC_NCU_BYTES, "Mbyte", 1e6},
        {SMC_NCU_BYTES, "B", 1},
        {SMC_NCU_BYTES, "KB", 1e3},
        {SMC_NCU_BYTES, "KiB", 1024},
        {SMC_NCU_BYTES, "MB", 1e6},
        {SMC_NCU_BYTES, "MiB", 1 << 20},
        {SMC_NCU_KHZ, "", 1},
        {SMC_NCU_KHZ, "Khz", 1},
        {SMC_NCU_KHZ, "KHz", 1},
        {SMC_NCU_KHZ, "Mhz", 1e3},
        {SMC_NCU_KHZ, "MHz", 1e3},
        {SMC_NCU_KHZ, "Ghz", 1e6},
        {SMC_NCU_KHZ, "GHz", 1e6},
        {SMC_NCU_KHZ, "hz", 1e-3},
        {SMC_NCU_KHZ, "Hz", 1e-3},
        {SMC_NCU_KHZ, "kHz", 1},
    };
    const size_t length = strcspn(written, "/");
    if (unit == SMC_NCU_COUNT || unit == SMC_NCU_PERCENT || unit == SMC_NCU_TEXT)
        return 1;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (units[i].unit == unit && strlen(units[i].name) == length &&
            strncmp(units[i].name, written, length) == 0)
            return units[i].scale;
    return 0;
}
