/* Names of hosts, and lists of them as Slurm writes them. */
#include "hardware/fleet/hostlist.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static bool is_name_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
}

bool smc_host_name_is_valid(const char *name)
{
    size_t length = 0;
    while (is_name_character(name[length]))
        length++;
    bool begins = length > 0 && *name != '-' && *name != '_' && *name != '.';
    return begins && name[length] == '\0' && length <= SMC_LONGEST_HOST_NAME;
}

/* Compares the numbers that two texts begin with, and moves past them. */
static int hostlist_compare_numbers(const char **a, const char **b)
{
    *a += strspn(*a, "0");
    *b += strspn(*b, "0");
    size_t digits_a = strspn(*a, "0123456789"), digits_b = strspn(*b, "0123456789");
    int order = digits_a != digits_b ? (digits_a > digits_b) - (digits_a < digits_b)
                                     : strncmp(*a, *b, digits_a);
    *a += digits_a;
    *b += digits_b;
    return order;
}

int smc_host_name_compare(const char *a, const char *b)
{
    const char *whole_a = a, *whole_b = b;
    int order = 0;
    while (order == 0 && *a && *b) {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b))
            order = hostlist_compare_numbers(&a, &b);
        else
            order = (unsigned char)*a++ - (unsigned char)*b++;
    }
    if (order == 0)
        order = (*a != '\0') - (*b != '\0');
    return order ? order : strcmp(whole_a, whole_b);
}

enum { LONGEST_SHOWN = 60 }; /* characters of a wrong list in a message */

/* One element of a list is expanded from left to right: `name` holds what was read so far. */
struct expansion {
    struct smc_hostlist *out;
    struct smc_error *error;
    char name[SMC_LONGEST_HOST_NAME + 1];
};

static enum smc_status add_name(struct expansion *at, size_t length)
{
    struct smc_hostlist *out = at->out;
    at->name[length] = '\0';
    if (!smc_host_name_is_valid(at->name))
        return smc_fail(at->error, SMC_USAGE, "'%s' is not a host name", at->name);
    if (out->count == SMC_MOST_LISTED_HOSTS)
        return smc_fail(at->error, SMC_USAGE, "more than %d hosts", SMC_MOST_LISTED_HOSTS);
    if (!smc_make_room(&out->name, out->count, &out->capacity, sizeof *out->name))
        return smc_out_of_memory(at->error);
    out->name[out->count] = smc_strdup(at->name);
    if (!out->name[out->count])
        return smc_out_of_memory(at->error);
    out->count++;
    return SMC_OK;
}

/* Digits at `*text`, of which there are at most 9; false if there are none or more. */
static bool hostlist_read_number(const char **text, uint32_t *number, int *digits)
{
    *number = 0;
    for (*digits = 0; isdigit((unsigned char)**text) && *digits < 10; (*text)++, (*digits)++)
        *number = 10 * *number + (uint32_t)(**text - '0');
    return *digits > 0 && *digits < 10;
}

static enum smc_status hostlist_expand(struct expansion *at, size_t length, const char *text,
                                       const char *end);

/* One range of the brackets: "7", "1-4", or "001-128", whose numbers have as many digits. */
static enum smc_status expand_range(struct expansion *at, size_t length, const char **text,
                                    const char *rest, const char *end)
{
    uint32_t first, last;
    int digits, ignored;
    const char *start = *text;
    bool sound = hostlist_read_number(text, &first, &digits);
    last = first;
    if (sound && **text == '-') {
        (*text)++;
        sound = hostlist_read_number(text, &last, &ignored);
    }
    size_t shown = strcspn(start, ",]");
    if (!sound || last < first || (**text != ',' && **text != ']'))
        return smc_fail(at->error, SMC_USAGE, "'%.*s' is not a range of numbers such as 1-4",
                        (int)(shown < LONGEST_SHOWN ? shown : LONGEST_SHOWN), start);
    for (uint32_t number = first; number <= last; number++) {
        int added =
            snprintf(at->name + length, sizeof at->name - length, "%0*" PRIu32, digits, number);
        if (added < 0 || length + (size_t)added >= sizeof at->name)
            return smc_fail(at->error, SMC_USAGE, "a host name is longer than %d characters",
                            SMC_LONGEST_HOST_NAME);
        SMC_TRY(hostlist_expand(at, length + (size_t)added, rest, end));
    }
    return SMC_OK;
}

/* The recursion is as deep as the element has brackets, each of which adds a character. */
static enum smc_status hostlist_expand(struct expansion *at, size_t length, const char *text,
                                       const char *end)
{
    for (; text < end && *text != '['; text++) {
        if (length == SMC_LONGEST_HOST_NAME)
            return smc_fail(at->error, SMC_USAGE, "a host name is longer than %d characters",
                            SMC_LONGEST_HOST_NAME);
        at->name[length++] = *text;
    }
    if (text == end)
        return add_name(at, length);
    const char *closing = memchr(text, ']', (size_t)(end - text));
    enum smc_status status = SMC_OK;
    do {
        text++; /* the bracket, or a comma */
        status = expand_range(at, length, &text, closing + 1, end);
    } while (status == SMC_OK && *text == ',');
    return status;
}

/* The end of the element that begins at `text`: a comma outside brackets; NULL if a bracket does
   not close. */
static const char *element_end(const char *text)
{
    bool open = false;
    for (; *text && (open || *text != ','); text++) {
        if ((*text == '[' && open) || (*text == ']' && !open))
            return NULL;
        open = *text == '[' || (open && *text != ']');
    }
    return open ? NULL : text;
}

enum smc_status smc_hostlist_parse(const char *text, struct smc_hostlist *out,
                                   struct smc_error *error)
{
    enum smc_status status = SMC_OK;
    do {
        struct expansion at = {.out = out, .error = error};
        const char *end = element_end(text);
        if (!end)
            return smc_fail(error, SMC_USAGE, "a bracket is missing in '%.*s'", LONGEST_SHOWN,
                            text);
        status = hostlist_expand(&at, 0, text, end);
        text = end + (*end == ',');
        if (status == SMC_OK && *end == ',' && !*text)
            status = smc_fail(error, SMC_USAGE, "there is no name after the last comma");
    } while (status == SMC_OK && *text);
    return status;
}

void smc_hostlist_free(struct smc_hostlist *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->name[i]);
    free(list->name);
    *list = (struct smc_hostlist){0};
}
