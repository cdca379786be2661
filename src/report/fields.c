/* Values of fields, as members of JSON objects and as columns of CSV. */
#include "report/fields.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/numbers.h"
#include "report/csv_parts.h"
#include "report/json_parts.h"
#include "report/words.h"

/* --- Values ----------------------------------------------------------------------------------- */

struct smc_value smc_value_integer(uint64_t integer)
{
    return (struct smc_value){.kind = SMC_VALUE_INTEGER, .integer = integer};
}

struct smc_value smc_value_real(double real)
{
    return (struct smc_value){.kind = SMC_VALUE_REAL, .real = real};
}

struct smc_value smc_value_number(double number)
{
    if (number >= 0 && smc_number_is_whole(number))
        return smc_value_integer((uint64_t)number);
    return smc_value_if(isfinite(number), smc_value_real(number));
}

struct smc_value smc_value_boolean(bool boolean)
{
    return (struct smc_value){.kind = SMC_VALUE_BOOLEAN, .integer = boolean};
}

struct smc_value smc_value_limiters(uint32_t limiters)
{
    return (struct smc_value){.kind = SMC_VALUE_LIMITERS, .integer = limiters};
}

struct smc_value smc_value_string(const char *string)
{
    bool known = string && string[0];
    return (struct smc_value){.kind = known ? SMC_VALUE_STRING : SMC_VALUE_UNKNOWN,
                              .string = string};
}

struct smc_value smc_value_text(const char *string)
{
    return (struct smc_value){.kind = SMC_VALUE_STRING, .string = string};
}

struct smc_value smc_value_copy(const char *string)
{
    struct smc_value value = smc_value_string(string);
    value.string = NULL;
    snprintf(value.copy, sizeof value.copy, "%s", string);
    return value;
}

static const char *string_of(const struct smc_value *value)
{
    return value->string ? value->string : value->copy;
}

struct smc_value smc_value_if(bool known, struct smc_value value)
{
    return known ? value : (struct smc_value){.kind = SMC_VALUE_UNKNOWN};
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *limiter_list(uint32_t limiters)
{
    json_t *list = json_array();
    for (int limit = 0; limit < SMC_LIMIT_COUNT; limit++)
        if (limiters & 1u << limit)
            json_array_append_new(list, json_string(smc_limit_name((enum smc_limit)limit)));
    return list;
}

static void set_member(json_t *object, const char *key, const struct smc_value *value)
{
    switch (value->kind) {
    case SMC_VALUE_UNKNOWN:
        smc_json_set(object, key, json_null());
        break;
    case SMC_VALUE_INTEGER:
        smc_json_integer(object, key, value->integer);
        break;
    case SMC_VALUE_REAL:
        smc_json_real(object, key, value->real);
        break;
    case SMC_VALUE_STRING:
        smc_json_string(object, key, string_of(value));
        break;
    case SMC_VALUE_BOOLEAN:
        smc_json_set(object, key, json_boolean(value->integer));
        break;
    case SMC_VALUE_LIMITERS:
        smc_json_set(object, key, limiter_list((uint32_t)value->integer));
        break;
    }
}

void smc_fields_json(const struct smc_field *fields, const void *item, json_t *object)
{
    for (const struct smc_field *field = fields; field->read; field++) {
        const struct smc_value value = field->read(item);
        if (field->key)
            set_member(object, field->key, &value);
    }
}

json_t *smc_fields_object(const struct smc_field *fields, const void *item)
{
    json_t *object = json_object();
    smc_fields_json(fields, item, object);
    return object;
}

/* --- CSV -------------------------------------------------------------------------------------- */

static void append_limiters(uint32_t limiters, struct smc_text *out)
{
    const struct smc_occupancy occupancy = {.limiters = limiters};
    smc_words_limiter_names(&occupancy, "+", out);
}

static void append_value(const struct smc_value *value, struct smc_text *out)
{
    switch (value->kind) {
    case SMC_VALUE_UNKNOWN:
        break;
    case SMC_VALUE_INTEGER:
    case SMC_VALUE_BOOLEAN:
        smc_text_printf(out, "%" PRIu64, value->integer);
        break;
    case SMC_VALUE_REAL:
        smc_csv_number(value->real, out);
        break;
    case SMC_VALUE_STRING:
        smc_csv_field(out, string_of(value));
        break;
    case SMC_VALUE_LIMITERS:
        append_limiters((uint32_t)value->integer, out);
        break;
    }
}

void smc_fields_csv_head(const struct smc_field *fields, struct smc_text *out)
{
    const char *separator = "";
    for (const struct smc_field *field = fields; field->read; field++) {
        if (!field->column)
            continue;
        smc_text_printf(out, "%s%s", separator, field->column);
        separator = ",";
    }
    smc_text_append(out, "\n");
}

void smc_fields_csv_row(const struct smc_field *fields, const void *item, struct smc_text *out)
{
    const char *separator = "";
    for (const struct smc_field *field = fields; field->read; field++) {
        if (!field->column)
            continue;
        const struct smc_value value = field->read(item);
        smc_text_append(out, separator);
        append_value(&value, out);
        separator = ",";
    }
    smc_text_append(out, "\n");
}

void smc_fields_csv_table(const struct smc_field *fields, const void *items, size_t count,
                          size_t size, struct smc_text *out)
{
    smc_fields_csv_head(fields, out);
    for (size_t i = 0; i < count; i++)
        smc_fields_csv_row(fields, (const char *)items + i * size, out);
}
