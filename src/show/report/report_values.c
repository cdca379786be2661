/* Values of fields, as members of JSON objects and as cells of CSV. */
#include "show/report/report_fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/numbers.h"
#include "show/report/writers.h"

struct smc_value smc_value_integer(uint64_t integer)
{
    return (struct smc_value){.kind = SMC_VALUE_INTEGER, .integer = integer};
}

struct smc_value smc_value_count(double count)
{
    const double exact = 9007199254740992.0; /* 2^53 */
    return count < exact ? smc_value_integer((uint64_t)(count + 0.5)) : smc_value_real(count);
}

struct smc_value smc_value_known(uint64_t integer)
{
    return SMC_VALUE_IF(integer != 0, integer);
}

struct smc_value smc_value_real(double real)
{
    return (struct smc_value){.kind = SMC_VALUE_REAL, .real = real};
}

struct smc_value smc_value_number(double number)
{
    if (number >= 0 && smc_number_is_whole(number))
        return smc_value_integer((uint64_t)number);
    return SMC_VALUE_IF(isfinite(number), number);
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
    struct smc_value value = {.kind = string[0] ? SMC_VALUE_COPY : SMC_VALUE_UNKNOWN};
    snprintf(value.copy, sizeof value.copy, "%s", string);
    return value;
}

struct smc_value smc_value_params(const struct smc_query *query)
{
    return (struct smc_value){.kind = SMC_VALUE_PARAMS, .query = query};
}

struct smc_value smc_value_capability(uint16_t cc)
{
    char text[16];
    snprintf(text, sizeof text, "%d.%d", cc / 10, cc % 10);
    return cc ? smc_value_copy(text) : smc_value_string(NULL);
}

struct smc_value smc_value_extent(const uint32_t size[3])
{
    return smc_value_json(size[0] ? json_pack("[I,I,I]", (json_int_t)size[0], (json_int_t)size[1],
                                              (json_int_t)size[2])
                                  : json_null());
}

struct smc_value smc_value_json(json_t *json)
{
    return (struct smc_value){.kind = SMC_VALUE_JSON, .json = json};
}

struct smc_value smc_value_unknown(void)
{
    return (struct smc_value){.kind = SMC_VALUE_UNKNOWN};
}

struct smc_value smc_value_reading(struct smc_reading reading)
{
    return SMC_VALUE_IF(reading.present, smc_value_number(reading.value));
}

struct smc_value smc_value_itself(struct smc_value value)
{
    return value;
}

/* --- JSON ------------------------------------------------------------------------------------- */

/* The object that the last name of `key` is a member of, made where it does not exist yet. */
static json_t *find_parent(json_t *object, const char **key)
{
    for (const char *dot; (dot = strchr(*key, '.')); *key = dot + 1) {
        char name[32];
        snprintf(name, sizeof name, "%.*s", (int)(dot - *key), *key);
        json_t *member = json_object_get(object, name);
        if (!member) {
            member = json_object();
            smc_json_set(object, name, member);
        }
        object = member;
    }
    return object;
}

void smc_value_to_json(const struct smc_value *value, const char *key, json_t *object)
{
    object = find_parent(object, &key);
    switch (value->kind) {
    case SMC_VALUE_UNKNOWN:
        smc_json_set(object, key, json_null());
        break;
    case SMC_VALUE_ABSENT:
        break;
    case SMC_VALUE_INTEGER:
        smc_json_integer(object, key, value->integer);
        break;
    case SMC_VALUE_REAL:
        smc_json_real(object, key, value->real);
        break;
    case SMC_VALUE_STRING:
        smc_json_string(object, key, value->string);
        break;
    case SMC_VALUE_COPY:
        smc_json_string(object, key, value->copy);
        break;
    case SMC_VALUE_BOOLEAN:
        smc_json_set(object, key, json_boolean(value->integer));
        break;
    case SMC_VALUE_LIMITERS:
        smc_json_set(object, key, smc_json_limiters((uint32_t)value->integer));
        break;
    case SMC_VALUE_PARAMS:
        smc_json_params(object, value->query);
        break;
    case SMC_VALUE_JSON:
        smc_json_set(object, key, value->json);
        break;
    }
}

void smc_value_to_csv(const struct smc_value *value, struct smc_text *out)
{
    switch (value->kind) {
    case SMC_VALUE_UNKNOWN:
    case SMC_VALUE_ABSENT:
    case SMC_VALUE_JSON:
        break;
    case SMC_VALUE_INTEGER:
    case SMC_VALUE_BOOLEAN:
        smc_csv_integer((int64_t)value->integer, out);
        break;
    case SMC_VALUE_REAL:
        smc_csv_number(value->real, out);
        break;
    case SMC_VALUE_STRING:
        smc_csv_field(out, value->string);
        break;
    case SMC_VALUE_COPY:
        smc_csv_field(out, value->copy);
        break;
    case SMC_VALUE_LIMITERS:
        smc_words_limiter_names(&(struct smc_occupancy){.limiters = (uint32_t)value->integer}, out);
        break;
    case SMC_VALUE_PARAMS:
        smc_csv_params(value->query, out);
        break;
    }
}
