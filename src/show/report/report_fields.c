/* Fields of an item, as a JSON object and as a row of CSV. */
#include "show/report/report_fields.h"

#include <string.h>

#include "show/report/writers.h"

void smc_fields_json(const struct smc_fields *fields, const void *item, json_t *object)
{
    for (const struct smc_report_field *field = fields->row; field->meaning; field++) {
        if (!field->key)
            continue;
        const struct smc_value value = fields->read((size_t)(field - fields->row), item);
        smc_value_to_json(&value, field->key, object);
    }
}

json_t *smc_fields_object(const struct smc_fields *fields, const void *item)
{
    json_t *object = json_object();
    smc_fields_json(fields, item, object);
    return object;
}

void smc_fields_csv_head(const struct smc_fields *fields, struct smc_text *out)
{
    const char *separator = "";
    for (const struct smc_report_field *field = fields->row; field->meaning; field++) {
        if (!field->column)
            continue;
        if (strcmp(field->column, SMC_FIELD_PARAMS) == 0)
            smc_csv_params_head(out);
        else
            smc_text_printf(out, "%s%s", separator, field->column);
        separator = ",";
    }
    smc_text_append(out, "\n");
}

void smc_fields_csv_row(const struct smc_fields *fields, const void *item, struct smc_text *out)
{
    bool first = true;
    for (const struct smc_report_field *field = fields->row; field->meaning; field++) {
        if (!field->column)
            continue;
        const struct smc_value value = fields->read((size_t)(field - fields->row), item);
        if (!first && value.kind != SMC_VALUE_PARAMS) /* these begin with their own comma */
            smc_text_append_bytes(out, ",", 1);
        smc_value_to_csv(&value, out);
        first = false;
    }
    smc_text_append_bytes(out, "\n", 1);
}

void smc_fields_csv_table(const struct smc_fields *fields, const void *items, size_t count,
                          size_t size, struct smc_text *out)
{
    smc_fields_csv_head(fields, out);
    for (size_t i = 0; i < count; i++)
        smc_fields_csv_row(fields, (const char *)items + i * size, out);
}
