/* Ranges as a person types them. */
#include "base/range.h"

#include <string.h>

#include "base/parse.h"

enum { PARTS = 3, LONGEST = 24 };

static bool parse_number(const char *text, size_t length, bool sizes, int64_t *value)
{
    char part[LONGEST + 1];
    uint64_t bytes;
    if (length > LONGEST)
        return false;
    memcpy(part, text, length);
    part[length] = '\0';
    if (!sizes)
        return smc_parse_integer(part, -INT64_MAX, INT64_MAX, value);
    if (!smc_parse_size(part, INT64_MAX, &bytes))
        return false;
    *value = (int64_t)bytes;
    return true;
}

/* How many numbers there are; 0 where the text is malformed. */
static int split(const char *text, bool sizes, int64_t part[PARTS])
{
    for (int count = 0; count < PARTS; text++) {
        size_t length = strcspn(text, ":");
        if (!parse_number(text, length, sizes, &part[count++]))
            return 0;
        text += length;
        if (!*text)
            return count;
    }
    return 0;
}

enum smc_range_fault smc_range_parse(const char *text, int64_t min, int64_t max, bool sizes,
                                     struct smc_range *range)
{
    int64_t part[PARTS] = {0, 0, 1};
    if (split(text, sizes, part) < 2)
        return SMC_RANGE_MALFORMED;
    if (part[0] < min || part[0] > max || part[1] < min || part[1] > max)
        return SMC_RANGE_OUTSIDE;
    if (part[2] < 1)
        return SMC_RANGE_NO_STEP;
    if (part[0] > part[1])
        return SMC_RANGE_EMPTY;
    *range = (struct smc_range){part[0], part[1], part[2]};
    return SMC_RANGE_SOUND;
}

uint64_t smc_range_count(const struct smc_range *range)
{
    return ((uint64_t)range->last - (uint64_t)range->first) / (uint64_t)range->step + 1;
}

int64_t smc_range_value(const struct smc_range *range, uint64_t index)
{
    return range->first + (int64_t)index * range->step;
}
