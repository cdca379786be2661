/* The table of compute capabilities. */
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "rules/devices.h"

static const struct smc_capability rows[] = {
#include "rules/devices/capabilities.inc"
};

bool smc_capability_parse(const char *text, uint16_t *cc)
{
    static const char *const prefixes[] = {"sm_", "compute_"};
    static const char in_reports[] = "compute capability ";
    char digits[8];
    int64_t n, minor;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t length = strlen(prefixes[i]);
        if (strncmp(text, prefixes[i], length) != 0)
            continue;
        size_t count = strspn(text + length, "0123456789");
        const char *suffix = text + length + count;
        bool known_suffix = !*suffix || ((*suffix == 'a' || *suffix == 'f') && !suffix[1]);
        if (count < 2 || count >= sizeof digits || !known_suffix)
            return false;
        snprintf(digits, sizeof digits, "%.*s", (int)count, text + length);
        if (!smc_parse_integer(digits, SMC_MIN_CC, SMC_MAX_CC, &n))
            return false;
        *cc = (uint16_t)n;
        return true;
    }
    if (strncmp(text, in_reports, sizeof in_reports - 1) == 0)
        text += sizeof in_reports - 1;
    const char *dot = strchr(text, '.');
    bool suffixed = dot && dot[1] && (dot[2] == 'a' || dot[2] == 'f') && !dot[3];
    bool one_digit = dot && dot[1] && (!dot[2] || suffixed);
    if (!one_digit || (size_t)(dot - text) >= sizeof digits)
        return false;
    snprintf(digits, sizeof digits, "%.*s", (int)(dot - text), text);
    char last[2] = {dot[1], '\0'};
    if (!smc_parse_integer(digits, 1, 99, &n) || !smc_parse_integer(last, 0, 9, &minor))
        return false;
    *cc = (uint16_t)(10 * n + minor);
    return true;
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
