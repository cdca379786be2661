/* One row of accesses in CSV. */
#include "query/banks_row.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"

enum { LONGEST_FIELD = 32 }; /* of those that are read; an id may be longer */

struct cursor {
    const char *next, *end;
    bool ended; /* behind the last field */
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Behind the quote that closes; NULL where none does. Two quotes stand for one. */
static const char *skip_quoted(const char *c, const char *end)
{
    for (c++; c < end; c++) {
        if (*c != '"')
            continue;
        if (c + 1 == end || c[1] != '"')
            return c + 1;
        c++;
    }
    return NULL;
}

/* The next field, with its quotes. False where a quote is not closed or text follows it. */
static bool take_field(struct cursor *cursor, const char **field, size_t *length)
{
    const char *c = cursor->next;
    bool sound = true;
    *field = c;
    if (c < cursor->end && *c == '"') {
        c = skip_quoted(c, cursor->end);
        sound = c && (c == cursor->end || *c == ',');
        c = c ? c : cursor->end;
    }
    while (c < cursor->end && *c != ',')
        c++;
    *length = (size_t)(c - *field);
    cursor->ended = c == cursor->end;
    cursor->next = cursor->ended ? c : c + 1;
    return sound;
}

static enum smc_status fail_field(const char *name, const char *text, const char *allowed,
                                  struct smc_error *error)
{
    return smc_fail(error, SMC_USAGE, "%s: '%s' is not %s", name, text, allowed);
}

/* The next field as text without quotes and blanks around it. */
static enum smc_status take_text(struct cursor *cursor, const char *name,
                                 char text[LONGEST_FIELD + 1], struct smc_error *error)
{
    const char *field;
    size_t length;
    if (cursor->ended)
        return smc_fail(error, SMC_USAGE, "%s is missing: a row is id,op,width,mask,a0,...,a31",
                        name);
    bool sound = take_field(cursor, &field, &length);
    if (sound && length >= 2 && *field == '"') {
        field++;
        length -= 2;
    }
    while (length && is_blank(*field)) {
        field++;
        length--;
    }
    while (length && is_blank(field[length - 1]))
        length--;
    bool shown = length <= LONGEST_FIELD && !memchr(field, '\0', length);
    snprintf(text, LONGEST_FIELD + 1, "%.*s",
             (int)(length > LONGEST_FIELD ? LONGEST_FIELD : length), field);
    if (!sound)
        return smc_fail(error, SMC_USAGE, "%s: a quote that is not closed", name);
    return shown ? SMC_OK
                 : smc_fail(error, SMC_USAGE, "%s: '%s' is too long or holds a NUL", name, text);
}

static bool parse_address(const char *text, uint32_t *address)
{
    bool hexadecimal = text[0] == '0' && (text[1] | 0x20) == 'x';
    uint64_t bytes = 0;
    int64_t number = 0;
    bool read = hexadecimal ? smc_parse_hexadecimal(text, UINT32_MAX, &bytes)
                            : smc_parse_integer(text, 0, UINT32_MAX, &number);
    *address = (uint32_t)(hexadecimal ? bytes : (uint64_t)number);
    return read;
}

static enum smc_status read_address(const char *name, const char *text, uint32_t lane,
                                    struct smc_access *access, struct smc_error *error)
{
    bool active = access->mask >> lane & 1;
    if (!*text && !active)
        return SMC_OK;
    if (!parse_address(text, &access->address[lane]))
        return fail_field(name, text, "an address between 0 and 4294967295", error);
    if (active && access->address[lane] % access->width_bytes)
        return smc_fail(error, SMC_USAGE, "%s: '%s' is not a multiple of the width, %" PRIu32, name,
                        text, access->width_bytes);
    return SMC_OK;
}

static enum smc_status read_head(struct cursor *cursor, struct smc_access *access,
                                 struct smc_error *error)
{
    char text[LONGEST_FIELD + 1];
    int64_t width = 0;
    uint64_t mask = 0;
    enum smc_status status = take_text(cursor, "op", text, error);
    if (status != SMC_OK)
        return status;
    bool load = smc_equal_ignoring_case(text, "ld");
    if (!load && !smc_equal_ignoring_case(text, "st"))
        return fail_field("op", text, "ld or st", error);
    access->op = load ? SMC_BANK_LOAD : SMC_BANK_STORE;
    status = take_text(cursor, "width", text, error);
    if (status != SMC_OK)
        return status;
    if (!smc_parse_integer(text, 1, 16, &width) || (width & (width - 1)))
        return fail_field("width", text, "1, 2, 4, 8 or 16", error);
    access->width_bytes = (uint32_t)width;
    status = take_text(cursor, "mask", text, error);
    if (status != SMC_OK)
        return status;
    if (!smc_parse_hexadecimal(text, UINT32_MAX, &mask))
        return fail_field("mask", text, "hexadecimal between 0 and ffffffff", error);
    access->mask = (uint32_t)mask;
    return SMC_OK;
}

enum smc_status smc_banks_row_read(const char *line, size_t length, struct smc_banks_row *row,
                                   struct smc_error *error)
{
    struct cursor cursor = {line, line + length, false};
    char name[16], text[LONGEST_FIELD + 1];
    *row = (struct smc_banks_row){.id = line};
    if (!take_field(&cursor, &row->id, &row->id_length))
        return smc_fail(error, SMC_USAGE, "id: a quote that is not closed");
    enum smc_status status = read_head(&cursor, &row->access, error);
    for (uint32_t lane = 0; lane < SMC_WARP_LANES && status == SMC_OK; lane++) {
        snprintf(name, sizeof name, "a%" PRIu32, lane);
        status = take_text(&cursor, name, text, error);
        if (status == SMC_OK)
            status = read_address(name, text, lane, &row->access, error);
    }
    if (status == SMC_OK && !cursor.ended)
        return smc_fail(error, SMC_USAGE,
                        "there are fields behind a31: a row is id,op,width,mask,a0,...,a31");
    return status;
}

bool smc_banks_row_is_header(const char *line, size_t length)
{
    static const char *const names[] = {"id", "op", "width", "mask"};
    struct cursor cursor = {line, line + length, false};
    char text[LONGEST_FIELD + 1];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (take_text(&cursor, names[i], text, NULL) != SMC_OK ||
            !smc_equal_ignoring_case(text, names[i]))
            return false;
    return true;
}
