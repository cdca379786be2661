/* The table of compute capabilities. */
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "base/text.h"
#include "rules/devices.h"

static const struct smc_capability rows[] = {
#include "rules/devices/capabilities.inc"
};

/* The letter of an architecture with features of its own, as in "90a", or nothing. */
static bool is_feature_suffix(const char *text)
{
    return !*text || ((*text == 'a' || *text == 'f') && !text[1]);
}

/* "90", "103a". */
static bool capability_parse_digits(const char *text, uint16_t *cc)
{
    char digits[8];
    int64_t number;
    const size_t count = strspn(text, "0123456789");
    if (count < 2 || count >= sizeof digits || !is_feature_suffix(text + count))
        return false;
    snprintf(digits, sizeof digits, "%.*s", (int)count, text);
    if (!smc_parse_integer(digits, SMC_MIN_CC, SMC_MAX_CC, &number))
        return false;
    *cc = (uint16_t)number;
    return true;
}

/* "9.0", "10.3a". */
static bool capability_parse_version(const char *text, uint16_t *cc)
{
    char digits[8];
    int64_t major, minor;
    const char *dot = strchr(text, '.');
    if (!dot || !dot[1] || !is_feature_suffix(dot + 2) || (size_t)(dot - text) >= sizeof digits)
        return false;
    snprintf(digits, sizeof digits, "%.*s", (int)(dot - text), text);
    const char last[2] = {dot[1], '\0'};
    if (!smc_parse_integer(digits, 1, 99, &major) || !smc_parse_integer(last, 0, 9, &minor))
        return false;
    *cc = (uint16_t)(10 * major + minor);
    return true;
}

bool smc_capability_parse(const char *text, uint16_t *cc)
{
    static const char *const prefixes[] = {"sm_", "compute_"};
    static const char in_reports[] = "compute capability ";
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (smc_begins(text, prefixes[i]))
            return capability_parse_digits(text + strlen(prefixes[i]), cc);
    return capability_parse_version(smc_begins(text, in_reports) ? text + strlen(in_reports) : text,
                                    cc);
}

size_t smc_capability_count(void)
{
    return sizeof rows / sizeof *rows;
}

void smc_capability_at(size_t index, struct smc_capability *out)
{
    *out = rows[index];
}

/* The last row that is not above `cc`, or the first of all. */
static const struct smc_capability *capabilities_nearest(uint16_t cc)
{
    size_t i = 0;
    while (i + 1 < smc_capability_count() && rows[i + 1].sm.cc <= cc)
        i++;
    return &rows[i];
}

bool smc_capability_find(uint16_t cc, struct smc_capability *out)
{
    *out = *capabilities_nearest(cc);
    return out->sm.cc == cc;
}

void smc_capability_nearest(uint16_t cc, struct smc_capability *out)
{
    *out = *capabilities_nearest(cc);
}

bool smc_capability_is_current(uint16_t cc)
{
    size_t oldest = 0;
    while (oldest + 1 < smc_capability_count() && rows[oldest].last_cuda_major != 0)
        oldest++;
    return cc >= rows[oldest].sm.cc;
}

/* Whether it is above every row of its generation, or of the whole table if that has none of it. */
static bool is_newer_than_table(uint16_t cc)
{
    bool newer = true, generation_known = false;
    for (size_t i = 0; i < smc_capability_count(); i++) {
        uint16_t known = rows[i].sm.cc;
        bool same = known / 10 == cc / 10;
        if (same && !generation_known)
            newer = true;
        generation_known |= same;
        if (known > cc && (same || !generation_known))
            newer = false;
    }
    return newer;
}

enum smc_status smc_capability_fail(uint16_t cc, const char *more, enum smc_status status,
                                    struct smc_error *error)
{
    return smc_fail(error, status, "compute capability %u.%u is %s this table; %s", cc / 10,
                    cc % 10, is_newer_than_table(cc) ? "newer than" : "not in", more);
}
