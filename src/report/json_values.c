/* Members of JSON objects. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "report/json_parts.h"

void smc_json_set(json_t *object, const char *key, json_t *value)
{
    json_object_set_new(object, key, value);
}

json_t *smc_json_number(double value)
{
    if (!isfinite(value))
        return json_null();
    return smc_number_is_whole(value) ? json_integer((json_int_t)value) : json_real(value);
}

void smc_json_integer(json_t *object, const char *key, uint64_t value)
{
    smc_json_set(object, key, json_integer((json_int_t)value));
}

void smc_json_real(json_t *object, const char *key, double value)
{
    smc_json_set(object, key, json_real(value));
}

/* Text that is no UTF-8 is shown with '?': a member never goes missing for its content. */
void smc_json_string(json_t *object, const char *key, const char *value)
{
    char *safe = smc_strdup(value);
    if (safe)
        smc_text_make_safe(safe);
    smc_json_set(object, key, safe ? json_string(safe) : NULL);
    free(safe);
}

void smc_json_known_string(json_t *object, const char *key, const char *value)
{
    if (value[0])
        smc_json_string(object, key, value);
    else
        smc_json_set(object, key, json_null());
}

void smc_json_known_integer(json_t *object, const char *key, uint64_t value)
{
    smc_json_set(object, key, value ? json_integer((json_int_t)value) : json_null());
}

void smc_json_known_real(json_t *object, const char *key, double value)
{
    smc_json_set(object, key, value != 0 ? json_real(value) : json_null());
}
