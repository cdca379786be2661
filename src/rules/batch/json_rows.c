/* Answered rows as JSON. */
#include "rules/batch/json_rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

enum { FULL = 64 * 1024 }; /* the sink gets as many bytes at a time, or a longer row */

struct smc_json_rows {
    struct smc_csv_sink sink;
    enum smc_batch_format format;
    bool clusters, begun;
    struct smc_text out;
    uint32_t column_count;
    char **key; /* of each column, as JSON: "\"threads\":"; NULL: a result has its name */
};

static const struct {
    const char *name;
    bool of_clusters;
} json_results[] = {
#define RESULT(name)         {name, false},
#define CLUSTER_RESULT(name) {name, true},
#include "rules/batch/results.def"
};

bool smc_batch_is_no_value(const char *text, size_t length)
{
    return (length == 3 && (memcmp(text, "NaN", 3) == 0 || memcmp(text, "nan", 3) == 0)) ||
           (length == 4 && memcmp(text, "<NA>", 4) == 0);
}

struct smc_json_rows *smc_json_rows_create(const struct smc_csv_sink *sink,
                                           enum smc_batch_format format)
{
    struct smc_json_rows *rows = smc_calloc(1, sizeof *rows);
    if (rows)
        *rows = (struct smc_json_rows){.sink = *sink, .format = format};
    return rows;
}

void smc_json_rows_free(struct smc_json_rows *rows)
{
    for (uint32_t i = 0; rows && i < rows->column_count; i++)
        free(rows->key[i]);
    if (rows) {
        free(rows->key);
        smc_text_free(&rows->out);
    }
    free(rows);
}

/* What is not UTF-8, or would control a terminal, is U+FFFD. */
static void json_rows_append_string(struct smc_text *out, const char *string)
{
    smc_text_append(out, "\"");
    for (uint32_t character; (character = smc_utf8_next(&string)) != 0;) {
        char bytes[4];
        if (character == '"' || character == '\\')
            smc_text_append(out, "\\");
        smc_text_append_bytes(out, bytes, smc_utf8_encode(character, bytes));
    }
    smc_text_append(out, "\"");
}

/* Whether the text is a number of JSON. */
static bool is_json_number(const char *text)
{
    static const char digits[] = "0123456789";
    text += *text == '-';
    size_t whole = strspn(text, digits);
    if (whole == 0 || (whole > 1 && *text == '0'))
        return false;
    text += whole;
    if (*text == '.') {
        size_t fraction = strspn(text + 1, digits);
        if (fraction == 0)
            return false;
        text += 1 + fraction;
    }
    if (*text == 'e' || *text == 'E') {
        text += 1 + (text[1] == '+' || text[1] == '-');
        if (!strspn(text, digits))
            return false;
        text += strspn(text, digits);
    }
    return !*text;
}

/* A number, a string, or null for an empty field. */
static void json_rows_append_field(struct smc_text *out, const struct smc_csv_field *field)
{
    smc_auto_free char *value = smc_calloc(1, (size_t)field->length + 1);
    if (!value) {
        out->failed = true;
        return;
    }
    size_t length = smc_csv_value(field, value, (size_t)field->length + 1);
    if (length == 0 || smc_batch_is_no_value(value, length))
        smc_text_append(out, "null");
    else if (is_json_number(value))
        smc_text_append(out, value);
    else
        json_rows_append_string(out, value);
}

static bool json_rows_is_result(const char *name)
{
    for (size_t i = 0; i < sizeof json_results / sizeof *json_results; i++)
        if (strcmp(json_results[i].name, name) == 0)
            return true;
    return false;
}

enum smc_status smc_json_rows_begin(struct smc_json_rows *rows, const struct smc_csv_record *header,
                                    bool clusters, struct smc_error *error)
{
    struct smc_text key = {0};
    rows->clusters = clusters;
    rows->key = smc_calloc(header->field_count, sizeof *rows->key);
    if (!rows->key)
        return smc_out_of_memory(error);
    rows->column_count = header->field_count;
    for (uint32_t i = 0; i < header->field_count; i++) {
        char name[256];
        smc_csv_value(&header->field[i], name, sizeof name);
        if (json_rows_is_result(name))
            continue;
        json_rows_append_string(&key, name);
        smc_text_append(&key, ":");
        if (key.failed)
            return smc_out_of_memory(error);
        rows->key[i] = key.data;
        key = (struct smc_text){0};
    }
    if (rows->format == SMC_BATCH_JSON)
        smc_text_append(&rows->out, "{\"schema\":\"smemcalc/1\",\"rows\":[");
    return SMC_OK;
}

static void json_rows_append_words(struct smc_text *out, const char *key, uint32_t bits,
                                   const char *(*name)(int))
{
    smc_text_printf(out, ",\"%s\":[", key);
    for (int i = 0, n = 0; bits >> i; i++)
        if (bits >> i & 1)
            smc_text_printf(out, "%s\"%s\"", n++ ? "," : "", name(i));
    smc_text_append(out, "]");
}

static const char *json_rows_limit_name(int i)
{
    return smc_limit_name((enum smc_limit)i);
}

static const char *json_rows_refusal_name(int i)
{
    return smc_refusal_name((enum smc_refusal)i);
}

static void json_rows_append_limit(struct smc_text *out, const char *key, uint32_t limit)
{
    if (limit == SMC_UNLIMITED)
        smc_text_printf(out, ",\"limit_%s\":null", key);
    else
        smc_text_printf(out, ",\"limit_%s\":%u", key, limit);
}

/* In the order of results.def. */
static void json_rows_append_answer(const struct smc_json_rows *rows,
                                    const struct smc_batch_answer *answer, struct smc_text *out)
{
    const struct smc_occupancy *occupancy = &answer->occupancy;
    smc_text_printf(out, "\"blocks_per_sm\":%u,\"warps_per_sm\":%u,\"occupancy_percent\":%.10g",
                    occupancy->blocks_per_sm, occupancy->warps_per_sm,
                    smc_occupancy_percent(&answer->device->sm, occupancy));
    json_rows_append_words(out, "limiters", occupancy->limiters, json_rows_limit_name);
    json_rows_append_limit(out, "warps", occupancy->limit[SMC_LIMIT_WARPS]);
    json_rows_append_limit(out, "blocks", occupancy->limit[SMC_LIMIT_BLOCKS]);
    json_rows_append_limit(out, "registers", occupancy->limit[SMC_LIMIT_REGISTERS]);
    json_rows_append_limit(out, "shared_memory", occupancy->limit[SMC_LIMIT_SHARED_MEMORY]);
    json_rows_append_limit(out, "barriers", occupancy->limit[SMC_LIMIT_BARRIERS]);
    smc_text_printf(out, ",\"allocated_registers\":%u,\"allocated_smem\":%u,\"error\":null",
                    occupancy->regs_allocated_per_block, occupancy->smem_allocated_per_block_bytes);
    smc_text_printf(out, ",\"outcome\":\"%s\"", occupancy->refusals ? "cannot_launch" : "launches");
    json_rows_append_words(out, "refusals", occupancy->refusals, json_rows_refusal_name);
    if (!rows->clusters)
        return;
    if (occupancy->resident_clusters > 0)
        smc_text_printf(out, ",\"resident_clusters\":%" PRIu64, occupancy->resident_clusters);
    else
        smc_text_append(out, ",\"resident_clusters\":null");
    smc_text_printf(out, ",\"clusters_are_bound\":%s",
                    occupancy->clusters_are_bound ? "true" : "false");
}

/* Every result is null but the reason. */
static void json_rows_append_reason(const struct smc_json_rows *rows, const char *reason,
                                    struct smc_text *out)
{
    for (size_t i = 0; i < sizeof json_results / sizeof *json_results; i++) {
        if (json_results[i].of_clusters && !rows->clusters)
            continue;
        smc_text_printf(out, "%s\"%s\":", i ? "," : "", json_results[i].name);
        if (strcmp(json_results[i].name, "error") == 0)
            json_rows_append_string(out, reason);
        else
            smc_text_append(out, "null");
    }
}

enum smc_status smc_json_rows_add(struct smc_json_rows *rows, const struct smc_csv_record *record,
                                  const struct smc_batch_answer *answer, const char *reason,
                                  struct smc_error *error)
{
    struct smc_text *out = &rows->out;
    if (rows->format == SMC_BATCH_JSON)
        smc_text_append(out, rows->begun ? ",\n" : "\n");
    rows->begun = true;
    smc_text_append(out, "{");
    for (uint32_t i = 0; i < rows->column_count; i++) {
        if (!rows->key[i])
            continue;
        smc_text_append(out, rows->key[i]);
        if (i < record->field_count)
            json_rows_append_field(out, &record->field[i]);
        else
            smc_text_append(out, "null");
        smc_text_append(out, ",");
    }
    if (answer)
        json_rows_append_answer(rows, answer, out);
    else
        json_rows_append_reason(rows, reason, out);
    smc_text_append(out, rows->format == SMC_BATCH_JSON ? "}" : "}\n");
    if (out->failed)
        return smc_out_of_memory(error);
    return out->length >= FULL ? smc_json_rows_flush(rows, error) : SMC_OK;
}

enum smc_status smc_json_rows_end(struct smc_json_rows *rows, struct smc_error *error)
{
    if (rows->format == SMC_BATCH_JSON)
        smc_text_append(&rows->out, "\n]}\n");
    return smc_json_rows_flush(rows, error);
}

enum smc_status smc_json_rows_flush(struct smc_json_rows *rows, struct smc_error *error)
{
    size_t length = rows->out.length;
    if (rows->out.failed)
        return smc_out_of_memory(error);
    if (length == 0)
        return SMC_OK;
    enum smc_status status = rows->sink.write(rows->sink.context, rows->out.data, length, error);
    smc_text_cut(&rows->out, 0);
    return status;
}
