/* One row of accesses in CSV. */
#include "query/banks_row.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/parse.h"

enum {
    OP = 1, /* fields of a record; the first is the id */
    WIDTH,
    MASK,
    FIRST_ADDRESS,
    FIELDS = FIRST_ADDRESS + SMC_WARP_LANES,
    LONGEST_VALUE = 32,
};

static enum smc_status fail_field(const char *name, const char *text, const char *allowed,
                                  struct smc_error *error)
{
    return smc_fail(error, SMC_USAGE, "%s: '%s' is not %s", name, text, allowed);
}

/* The text of a field, without quotes and blanks around it. */
static enum smc_status get_text(const struct smc_csv_record *record, uint32_t index,
                                const char *name, char text[LONGEST_VALUE + 1],
                                struct smc_error *error)
{
    if (index >= record->field_count)
        return smc_fail(error, SMC_USAGE, "%s is missing: a row is id,op,width,mask,a0,...,a31",
                        name);
    if (smc_csv_value(&record->field[index], text, LONGEST_VALUE + 1) > LONGEST_VALUE)
        return smc_fail(error, SMC_USAGE, "%s: '%s' is too long", name, text);
    return SMC_OK;
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

static enum smc_status read_head(const struct smc_csv_record *record, struct smc_access *access,
                                 struct smc_error *error)
{
    char text[LONGEST_VALUE + 1];
    int64_t width = 0;
    uint64_t mask = 0;
    enum smc_status status = get_text(record, OP, "op", text, error);
    if (status != SMC_OK)
        return status;
    bool load = smc_equal_ignoring_case(text, "ld");
    if (!load && !smc_equal_ignoring_case(text, "st"))
        return fail_field("op", text, "ld or st", error);
    access->op = load ? SMC_BANK_LOAD : SMC_BANK_STORE;
    status = get_text(record, WIDTH, "width", text, error);
    if (status != SMC_OK)
        return status;
    if (!smc_parse_integer(text, 1, 16, &width) || (width & (width - 1)))
        return fail_field("width", text, "1, 2, 4, 8 or 16", error);
    access->width_bytes = (uint32_t)width;
    status = get_text(record, MASK, "mask", text, error);
    if (status != SMC_OK)
        return status;
    if (!smc_parse_hexadecimal(text, UINT32_MAX, &mask))
        return fail_field("mask", text, "hexadecimal between 0 and ffffffff", error);
    access->mask = (uint32_t)mask;
    return SMC_OK;
}

enum smc_status smc_banks_row_read(const struct smc_csv_record *record, struct smc_access *access,
                                   struct smc_error *error)
{
    char name[16], text[LONGEST_VALUE + 1];
    *access = (struct smc_access){0};
    if (record->fault != SMC_CSV_SOUND)
        return smc_fail(error, SMC_USAGE, "the row has %s", smc_csv_fault_text(record->fault));
    enum smc_status status = read_head(record, access, error);
    for (uint32_t lane = 0; lane < SMC_WARP_LANES && status == SMC_OK; lane++) {
        snprintf(name, sizeof name, "a%" PRIu32, lane);
        status = get_text(record, FIRST_ADDRESS + lane, name, text, error);
        if (status == SMC_OK)
            status = read_address(name, text, lane, access, error);
    }
    if (status == SMC_OK && record->field_count > FIELDS)
        return smc_fail(error, SMC_USAGE,
                        "there are fields behind a31: a row is id,op,width,mask,a0,...,a31");
    return status;
}

bool smc_banks_row_is_header(const struct smc_csv_record *record)
{
    static const char *const names[] = {"id", "op", "width", "mask"};
    char text[LONGEST_VALUE + 1];
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++)
        if (get_text(record, i, names[i], text, NULL) != SMC_OK ||
            !smc_equal_ignoring_case(text, names[i]))
            return false;
    return true;
}
