/* "Did you mean": the known name nearest to what was typed. */
#include "base/parse.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { LONGEST = 63 };

static char suggest_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

static size_t suggest_least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* How many letters are inserted, dropped, replaced or swapped with their neighbour; a value above
   `most` if there are more than that. */
static size_t edit_distance(const char *a, const char *b, size_t most)
{
    size_t rows[3][LONGEST + 1];
    size_t *before = rows[0], *above = rows[1], *row = rows[2];
    size_t a_length = strlen(a), b_length = strlen(b);
    if (a_length > b_length + most || b_length > a_length + most)
        return most + 1;
    for (size_t j = 0; j <= b_length; j++)
        above[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t least_here = row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t replaced = above[j - 1] + (suggest_lower(a[i - 1]) != suggest_lower(b[j - 1]));
            row[j] = suggest_least(replaced, suggest_least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && suggest_lower(a[i - 1]) == suggest_lower(b[j - 2]) &&
                suggest_lower(a[i - 2]) == suggest_lower(b[j - 1]))
                row[j] = suggest_least(row[j], before[j - 2] + 1);
            least_here = suggest_least(least_here, row[j]);
        }
        if (least_here > most) /* the row above has at least `most`, and a swap adds one to it */
            return most + 1;
        size_t *oldest = before;
        before = above;
        above = row;
        row = oldest;
    }
    return above[b_length];
}

void smc_suggest_consider(struct smc_suggestion *suggestion, const char *candidate)
{
    const char *typed = suggestion->typed;
    size_t length = strlen(typed), candidate_length = strlen(candidate);
    bool done = suggestion->best && suggestion->distance == 0;
    if (length == 0 || length > LONGEST || candidate_length > LONGEST || done)
        return;
    size_t most = suggest_least(length < 3 ? 1 : (length + 2) / 3, length - 1);
    if (suggestion->best)
        most = suggest_least(most, suggestion->distance - 1);
    bool begins = length >= 2 && strncasecmp(typed, candidate, length) == 0;
    size_t distance = begins ? candidate_length > length : edit_distance(typed, candidate, most);
    if (distance > most)
        return;
    suggestion->best = candidate;
    suggestion->distance = distance;
}

enum smc_status smc_suggest_fail(const struct smc_suggestion *suggestion, const char *where,
                                 const char *what, const char *hint, struct smc_error *error)
{
    size_t length = strlen(what);
    bool option = length >= 2 && strcmp(what + length - 2, "--") == 0;
    const char *open = option ? "" : " '", *close = option ? "" : "'";
    char rest[256] = "";
    if (suggestion->best)
        snprintf(rest, sizeof rest, "; did you mean %s%s%s?", option ? "--" : "'", suggestion->best,
                 close);
    else if (hint)
        snprintf(rest, sizeof rest, "; %s", hint);
    return smc_fail(error, SMC_USAGE, "%s%sunknown %s%s%.64s%s%s", where ? where : "",
                    where ? ": " : "", what, open, suggestion->typed, close, rest);
}
