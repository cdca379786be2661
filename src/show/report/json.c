/* Members of the JSON report. Schema "smemcalc/1": numbers as numbers, units in the
   keys, null where a value is unknown or does not apply. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "show/report/writers.h"

/* --- Members ---------------------------------------------------------------------------------- */

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

/* Invalid UTF-8 becomes '?', so that no member is lost for its content. */
void smc_json_string(json_t *object, const char *key, const char *value)
{
    smc_auto_free char *safe = smc_strdup(value);
    if (safe)
        smc_utf8_make_safe(safe);
    smc_json_set(object, key, safe ? json_string(safe) : NULL);
}

void smc_json_known_string(json_t *object, const char *key, const char *value)
{
    if (value && value[0])
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

json_t *smc_json_limiters(uint32_t limiters)
{
    json_t *list = json_array();
    for (int limit = 0; limit < SMC_LIMIT_COUNT; limit++)
        if (limiters & 1u << limit)
            json_array_append_new(list, json_string(smc_limit_name((enum smc_limit)limit)));
    return list;
}

json_t *smc_json_refusals(uint32_t refusals)
{
    json_t *list = json_array();
    for (int i = 0; i < SMC_REFUSAL_COUNT; i++)
        if (refusals & 1u << i)
            json_array_append_new(list, json_string(smc_refusal_name((enum smc_refusal)i)));
    return list;
}

/* --- Reports ---------------------------------------------------------------------------------- */

enum { FORMAT = JSON_INDENT(1) | JSON_REAL_PRECISION(15) };

json_t *smc_json_begin(void)
{
    json_t *root = json_object();
    smc_json_string(root, "schema", SMC_JSON_SCHEMA);
    return root;
}

void smc_json_append(json_t *json, size_t format, struct smc_text *out)
{
    smc_auto_free char *text = json_dumps(json, format);
    json_decref(json);
    out->failed |= !text;
    smc_text_append(out, text ? text : "");
}

void smc_json_finish(json_t *root, struct smc_text *out)
{
    smc_json_append(root, FORMAT, out);
    smc_text_append_char(out, '\n', 1);
}

static void append_line(json_t *object, struct smc_text *out)
{
    smc_json_append(object, SMC_JSON_ON_A_LINE, out);
    smc_text_append_char(out, '\n', 1);
}

void smc_json_append_line(json_t *item, struct smc_text *out)
{
    json_t *line = smc_json_begin();
    json_object_update(line, item);
    json_decref(item);
    append_line(line, out);
}

void smc_json_finish_lines(json_t *root, const char *list, struct smc_text *out)
{
    json_t *items = list ? json_object_get(root, list) : NULL;
    if (!items) {
        append_line(root, out);
        return;
    }
    for (size_t i = 0; i < json_array_size(items); i++)
        smc_json_append_line(json_incref(json_array_get(items, i)), out);
    json_decref(root);
}

json_t *smc_json_add_object(json_t *list)
{
    json_t *object = json_object();
    json_array_append_new(list, object);
    return object;
}

void smc_json_set_answers(json_t *object, json_t *list)
{
    if (json_array_size(list) == 1) {
        json_object_update(object, json_array_get(list, 0));
        json_decref(list);
    } else
        smc_json_set(object, "answers", list);
}

void smc_json_params(json_t *object, const struct smc_query *query)
{
    const struct smc_kernel *kernel = query->kernel;
    const struct smc_params *params = &query->params;
    for (int i = 0; kernel && i < SMC_PARAM_COUNT; i++) {
        if (!(kernel->params & 1u << i))
            continue;
        char key[SMC_PARAM_KEY_CHARS];
        smc_words_param_key((enum smc_param)i, key);
        if (i == SMC_PARAM_DTYPE)
            smc_json_string(object, key, smc_dtype_name((enum smc_dtype)params->value[i]));
        else
            smc_json_set(object, key, json_integer(params->value[i]));
    }
}

void smc_json_append_item(json_t *item, struct smc_text *out)
{
    smc_auto_free char *text = json_dumps(item, FORMAT);
    json_decref(item);
    out->failed |= !text;
    for (const char *line = text; line && *line;) {
        size_t length = strcspn(line, "\n");
        length += line[length] == '\n';
        smc_text_append(out, "  ");
        smc_text_append_bytes(out, line, length);
        line += length;
    }
}
