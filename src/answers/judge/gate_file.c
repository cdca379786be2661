/* Gate files: what each table and key means. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers/gate.h"
#include "answers/judge/gate_toml.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/parse.h"

enum { MOST_BYTES = 1 << 20, MOST_THREADS = 1024, MOST_SMEM_BYTES = 1 << 20 };

struct gate_range {
    double lowest, highest;
    bool is_flag;
};
static const struct gate_range ranges[] = {
#define IS_MOST                                                    false
#define IS_LEAST                                                   false
#define IS_MUST                                                    true
#define LIMIT(id, key, rule, kind, lowest, highest, needs_threads) {lowest, highest, IS_##kind},
#include "answers/judge/gate_limits.def"
};

/* The arguments that the functions share. */
struct gate_reading {
    const char *path;
    struct smc_gate *gate;
    struct smc_error *error;
};

/* "PATH:LINE: [[limit]] max_registers: WHY", without the key for a table itself. */
static enum smc_status gate_file_fail(const struct gate_reading *reading, const struct smc_toml *at,
                                      const char *table, const char *why)
{
    const char *key = at->key && at->type != SMC_TOML_TABLE ? at->key : table[0] ? "" : at->key;
    return smc_fail(reading->error, SMC_USAGE, "%.300s:%u: %.100s%s%.100s: %s", reading->path,
                    at->line, table, table[0] && key[0] ? " " : "", key, why);
}

/* --- Values ----------------------------------------------------------------------------------- */

static enum smc_status gate_file_read_text(const struct gate_reading *reading,
                                           const struct smc_toml *value, const char *table,
                                           char **out)
{
    if (value->type != SMC_TOML_STRING || !value->string[0])
        return gate_file_fail(reading, value, table, "not a text in quotes, such as \"gemm*\"");
    *out = smc_strdup(value->string);
    return *out ? SMC_OK : smc_out_of_memory(reading->error);
}

static enum smc_status gate_file_read_number(const struct gate_reading *reading,
                                             const struct smc_toml *value, const char *table,
                                             struct gate_range range, double *out)
{
    char allowed[96];
    *out = value->type == SMC_TOML_INTEGER ? (double)value->integer : value->real;
    if (value->type == SMC_TOML_INTEGER && *out >= range.lowest && *out <= range.highest)
        return SMC_OK;
    snprintf(allowed, sizeof allowed, "not a whole number between %.0f and %.0f", range.lowest,
             range.highest);
    return gate_file_fail(reading, value, table, allowed);
}

/* A number of bytes, or a size such as "48 KB". */
static enum smc_status gate_file_read_bytes(const struct gate_reading *reading,
                                            const struct smc_toml *value, const char *table,
                                            double highest, double *out)
{
    uint64_t bytes;
    if (value->type != SMC_TOML_STRING)
        return gate_file_read_number(reading, value, table, (struct gate_range){.highest = highest},
                                     out);
    if (!smc_parse_size(value->string, (uint64_t)highest, &bytes))
        return gate_file_fail(reading, value, table, "not a size such as \"48 KB\", or too large");
    *out = (double)bytes;
    return SMC_OK;
}

/* 0, or 1 to 100: what is between is a share. */
static enum smc_status read_percent(const struct gate_reading *reading,
                                    const struct smc_toml *value, const char *table, double *out)
{
    char why[96];
    *out = value->type == SMC_TOML_INTEGER ? (double)value->integer : value->real;
    if ((value->type != SMC_TOML_INTEGER && value->type != SMC_TOML_REAL) ||
        !(*out >= 0 && *out <= 100))
        return gate_file_fail(reading, value, table, "not a number between 0 and 100");
    if (*out == 0 || *out >= 1)
        return SMC_OK;
    snprintf(why, sizeof why, "is in percent: %.4g, not %.4g", 100 * *out, *out);
    return gate_file_fail(reading, value, table, why);
}

/* 256 or "32x8". */
static enum smc_status gate_file_read_block(const struct gate_reading *reading,
                                            const struct smc_toml *value, const char *table,
                                            uint32_t *threads, uint32_t block[3])
{
    double number;
    if (value->type == SMC_TOML_STRING)
        return smc_parse_block(value->string, MOST_THREADS, threads, block)
                   ? SMC_OK
                   : gate_file_fail(reading, value, table,
                                    "not a shape such as \"32x8\" of up to 1024 threads");
    SMC_TRY(gate_file_read_number(reading, value, table,
                                  (struct gate_range){1, MOST_THREADS, false}, &number));
    *threads = (uint32_t)number;
    return SMC_OK;
}

static enum smc_status read_flag(const struct gate_reading *reading, const struct smc_toml *value,
                                 const char *table, double *out)
{
    *out = (double)value->integer;
    return value->type == SMC_TOML_BOOLEAN
               ? SMC_OK
               : gate_file_fail(reading, value, table, "not true or false");
}

/* `known`: the allowed names; NULL after the last. */
static enum smc_status gate_file_fail_unknown(const struct gate_reading *reading,
                                              const struct smc_toml *at, const char *table,
                                              const char *const *known)
{
    char where[320], what[64];
    smc_auto_text hint = {0};
    struct smc_suggestion suggestion = {.typed = at->key};
    snprintf(where, sizeof where, "%.300s:%u", reading->path, at->line);
    snprintf(what, sizeof what, "key%s%.40s", table[0] ? " of " : "", table);
    smc_text_append(&hint, "allowed: ");
    for (size_t i = 0; known[i]; i++) {
        smc_text_printf(&hint, "%s%s", i ? ", " : "", known[i]);
        smc_suggest_consider(&suggestion, known[i]);
    }
    smc_suggest_fail(&suggestion, where, what, smc_text_string(&hint), reading->error);
    return SMC_USAGE;
}

static bool is_called(const struct smc_toml *entry, const char *key)
{
    return strcmp(entry->key, key) == 0;
}

/* --- [[limit]] -------------------------------------------------------------------------------- */

static bool gate_file_find_key(const char *name, enum smc_gate_key *key)
{
    for (int i = 0; i < SMC_GATE_KEY_COUNT; i++)
        if (strcmp(smc_gate_key_name(i), name) == 0) {
            *key = i;
            return true;
        }
    return false;
}

static enum smc_status read_limit_entry(const struct gate_reading *reading,
                                        const struct smc_toml *entry, void *to)
{
    static const char *const known[] = {"kernel", "device", "optional",
#define LIMIT(id, key, ...) key,
#include "answers/judge/gate_limits.def"
                                        NULL};
    static const char table[] = "[[limit]]";
    struct smc_gate_limit *limit = to;
    enum smc_gate_key key;
    if (is_called(entry, "kernel"))
        return gate_file_read_text(reading, entry, table, &limit->kernel);
    if (is_called(entry, "device"))
        return gate_file_read_text(reading, entry, table, &limit->device);
    if (is_called(entry, "optional")) {
        double optional;
        enum smc_status status = read_flag(reading, entry, table, &optional);
        limit->optional = optional != 0;
        return status;
    }
    if (!gate_file_find_key(entry->key, &key))
        return gate_file_fail_unknown(reading, entry, table, known);
    limit->has[key] = true;
    if (ranges[key].is_flag)
        return read_flag(reading, entry, table, &limit->value[key]);
    if (key == SMC_GATE_OCCUPANCY)
        return read_percent(reading, entry, table, &limit->value[key]);
    if (key == SMC_GATE_SPILLS || key == SMC_GATE_STACK || key == SMC_GATE_STATIC_SMEM)
        return gate_file_read_bytes(reading, entry, table, ranges[key].highest, &limit->value[key]);
    return gate_file_read_number(reading, entry, table, ranges[key], &limit->value[key]);
}

static enum smc_status read_limit(const struct gate_reading *reading, const struct smc_toml *table,
                                  void *to)
{
    struct smc_gate_limit *limit = to;
    limit->line = table->line;
    for (size_t i = 0; i < table->count; i++)
        SMC_TRY(read_limit_entry(reading, &table->item[i], limit));
    for (int key = 0; key < SMC_GATE_KEY_COUNT; key++)
        if (limit->has[key])
            return SMC_OK;
    return gate_file_fail(reading, table, "[[limit]]", "no limit in it");
}

/* --- [[allow]] -------------------------------------------------------------------------------- */

static enum smc_status read_date(const struct gate_reading *reading, const struct smc_toml *value,
                                 uint32_t *date)
{
    if (value->type != SMC_TOML_DATE)
        return gate_file_fail(reading, value, "[[allow]]",
                              "not a date without quotes, such as 2027-12-31");
    *date = (uint32_t)(value->year * 10000 + value->month * 100 + value->day);
    return SMC_OK;
}

static enum smc_status read_allowed_key(const struct gate_reading *reading,
                                        const struct smc_toml *value,
                                        struct smc_gate_allowance *allowance)
{
    smc_auto_text allowed = {0};
    if (value->type == SMC_TOML_STRING && gate_file_find_key(value->string, &allowance->key)) {
        allowance->has_key = true;
        return SMC_OK;
    }
    smc_text_append(&allowed, "not the key of a limit in quotes:");
    for (int key = 0; key < SMC_GATE_KEY_COUNT; key++)
        smc_text_printf(&allowed, "%s %s", key ? "," : "", smc_gate_key_name(key));
    gate_file_fail(reading, value, "[[allow]]", smc_text_string(&allowed));
    return SMC_USAGE;
}

static enum smc_status read_allowance_entry(const struct gate_reading *reading,
                                            const struct smc_toml *entry, void *to)
{
    static const char *const known[] = {"kernel", "device", "limit", "reason", "expires", NULL};
    struct smc_gate_allowance *allowance = to;
    if (is_called(entry, "kernel"))
        return gate_file_read_text(reading, entry, "[[allow]]", &allowance->kernel);
    if (is_called(entry, "device"))
        return gate_file_read_text(reading, entry, "[[allow]]", &allowance->device);
    if (is_called(entry, "reason"))
        return gate_file_read_text(reading, entry, "[[allow]]", &allowance->reason);
    if (is_called(entry, "limit"))
        return read_allowed_key(reading, entry, allowance);
    if (is_called(entry, "expires"))
        return read_date(reading, entry, &allowance->expires);
    return gate_file_fail_unknown(reading, entry, "[[allow]]", known);
}

static enum smc_status read_allowance(const struct gate_reading *reading,
                                      const struct smc_toml *table, void *to)
{
    struct smc_gate_allowance *allowance = to;
    allowance->line = table->line;
    for (size_t i = 0; i < table->count; i++)
        SMC_TRY(read_allowance_entry(reading, &table->item[i], allowance));
    if (!allowance->kernel)
        return gate_file_fail(reading, table, "[[allow]]", "it names no kernel");
    return allowance->reason ? SMC_OK
                             : gate_file_fail(reading, table, "[[allow]]", "it gives no reason");
}

/* --- Other tables ----------------------------------------------------------------------------- */

typedef enum smc_status read_function(const struct gate_reading *reading,
                                      const struct smc_toml *table, void *to);

/* An array of tables into a list of `size` bytes each, whose address goes to `list`. The count
   grows with each entry, so that a failure leaves nothing that is not freed. */
static enum smc_status gate_file_read_list(const struct gate_reading *reading,
                                           const struct smc_toml *array, read_function *read,
                                           size_t size, void **list, size_t *count)
{
    if (array->type != SMC_TOML_ARRAY)
        return gate_file_fail(reading, array, "",
                              "not tables, each begun by its name in double brackets");
    *list = smc_calloc(array->count + 1, size);
    if (!*list)
        return smc_out_of_memory(reading->error);
    for (size_t i = 0; i < array->count; i++) {
        struct smc_toml *table = &array->item[i];
        if (table->type != SMC_TOML_TABLE)
            return gate_file_fail(reading, array, "",
                                  "not tables, each begun by its name in double brackets");
        SMC_TRY(read(reading, table, (char *)*list + size * (*count)++));
    }
    return SMC_OK;
}

static enum smc_status gate_file_read_stated(const struct gate_reading *reading,
                                             enum smc_stated_kind kind,
                                             const struct smc_toml *table)
{
    if (table->type != SMC_TOML_TABLE)
        return gate_file_fail(reading, table, "", "not a table");
    for (size_t i = 0; i < table->count; i++) {
        const struct smc_toml *entry = &table->item[i];
        struct smc_stated stated = {.line = entry->line};
        double bytes = 0;
        SMC_TRY(
            kind == SMC_STATED_THREADS
                ? gate_file_read_block(reading, entry, "[threads]", &stated.number, stated.block)
                : gate_file_read_bytes(reading, entry, "[dynamic_smem]", MOST_SMEM_BYTES, &bytes));
        if (kind == SMC_STATED_DYNAMIC_SMEM)
            stated.number = (uint32_t)bytes;
        stated.pattern = smc_strdup(entry->key);
        if (!stated.pattern || !smc_stated_add(&reading->gate->stated[kind], &stated))
            return smc_out_of_memory(reading->error);
    }
    return SMC_OK;
}

static enum smc_status gate_file_read_devices(const struct gate_reading *reading,
                                              const struct smc_toml *array)
{
    struct smc_gate *gate = reading->gate;
    if (array->type != SMC_TOML_ARRAY)
        return gate_file_fail(reading, array, "", "not a list, such as [\"A100\", \"9.0\"]");
    gate->device = smc_calloc(array->count + 1, sizeof *gate->device);
    if (!gate->device)
        return smc_out_of_memory(reading->error);
    for (size_t i = 0; i < array->count; i++) {
        SMC_TRY(gate_file_read_text(reading, &array->item[i], "devices",
                                    &gate->device[gate->device_count]));
        gate->device_count++;
    }
    return SMC_OK;
}

static enum smc_status read_growth_entry(const struct gate_reading *reading,
                                         const struct smc_toml *entry)
{
    struct smc_gate_growth *growth = &reading->gate->growth;
    const struct {
        const char *key;
        uint32_t *count;
        double *percent;
    } members[] = {
        {"allow_registers", &growth->registers, NULL},
        {"allow_spill_bytes", &growth->spill_bytes, NULL},
        {"allow_stack_bytes", &growth->stack_bytes, NULL},
        {"allow_static_smem_bytes", &growth->static_smem_bytes, NULL},
        {"allow_barriers", &growth->barriers, NULL},
        {"allow_blocks", &growth->blocks, NULL},
        {"allow_occupancy", NULL, &growth->occupancy_percent},
    };
    enum { COUNT = sizeof members / sizeof *members };
    const char *known[COUNT + 1] = {NULL};
    for (size_t i = 0; i < COUNT; i++) {
        double value = 0;
        known[i] = members[i].key;
        if (!is_called(entry, members[i].key))
            continue;
        enum smc_status status =
            members[i].count
                ? gate_file_read_number(reading, entry, "[diff]",
                                        (struct gate_range){.highest = UINT32_MAX}, &value)
                : read_percent(reading, entry, "[diff]", &value);
        if (members[i].count)
            *members[i].count = (uint32_t)(status == SMC_OK ? value : 0);
        else
            *members[i].percent = value;
        return status;
    }
    return gate_file_fail_unknown(reading, entry, "[diff]", known);
}

static enum smc_status read_growth(const struct gate_reading *reading, const struct smc_toml *table)
{
    if (table->type != SMC_TOML_TABLE)
        return gate_file_fail(reading, table, "", "not a table");
    for (size_t i = 0; i < table->count; i++)
        SMC_TRY(read_growth_entry(reading, &table->item[i]));
    return SMC_OK;
}

/* --- The file --------------------------------------------------------------------------------- */

static enum smc_status gate_file_read_entry(const struct gate_reading *reading,
                                            const struct smc_toml *entry)
{
    static const char *const known[] = {"devices", "assume_threads", "threads", "dynamic_smem",
                                        "limit",   "allow",          "diff",    NULL};
    struct smc_gate *gate = reading->gate;
    void *list = NULL;
    enum smc_status status;
    if (is_called(entry, "devices"))
        return gate_file_read_devices(reading, entry);
    if (is_called(entry, "assume_threads"))
        return gate_file_read_block(reading, entry, "", &gate->assumed_threads_per_block,
                                    gate->assumed_block);
    if (is_called(entry, "threads"))
        return gate_file_read_stated(reading, SMC_STATED_THREADS, entry);
    if (is_called(entry, "dynamic_smem"))
        return gate_file_read_stated(reading, SMC_STATED_DYNAMIC_SMEM, entry);
    if (is_called(entry, "diff"))
        return read_growth(reading, entry);
    if (is_called(entry, "limit")) {
        status = gate_file_read_list(reading, entry, read_limit, sizeof *gate->limit, &list,
                                     &gate->limit_count);
        gate->limit = list;
        return status;
    }
    if (is_called(entry, "allow")) {
        status = gate_file_read_list(reading, entry, read_allowance, sizeof *gate->allowance, &list,
                                     &gate->allowance_count);
        gate->allowance = list;
        return status;
    }
    return gate_file_fail_unknown(reading, entry, "", known);
}

enum smc_status smc_gate_parse(const char *text, size_t length, const char *path,
                               struct smc_gate *gate, struct smc_error *error)
{
    const struct gate_reading reading = {path, gate, error};
    SMC_AUTO(smc_toml_free) struct smc_toml root = {0};
    *gate = (struct smc_gate){0};
    enum smc_status status = smc_toml_parse(text, length, path, &root, error);
    if (status != SMC_OK)
        return status;
    gate->path = smc_strdup(path);
    if (!gate->path)
        status = smc_out_of_memory(error);
    for (size_t i = 0; i < root.count && status == SMC_OK; i++)
        status = gate_file_read_entry(&reading, &root.item[i]);
    if (status != SMC_OK)
        smc_gate_free(gate);
    return status;
}

enum smc_status smc_gate_read(const char *path, struct smc_gate *gate, struct smc_error *error)
{
    smc_auto_text text = {0};
    *gate = (struct smc_gate){0};
    SMC_TRY(smc_file_read(path, "gate file", MOST_BYTES, &text, error));
    return smc_gate_parse(smc_text_string(&text), text.length, path, gate, error);
}

void smc_gate_free(struct smc_gate *gate)
{
    for (size_t i = 0; i < gate->device_count; i++)
        free(gate->device[i]);
    for (size_t i = 0; i < gate->limit_count; i++) {
        free(gate->limit[i].kernel);
        free(gate->limit[i].device);
    }
    for (size_t i = 0; i < gate->allowance_count; i++) {
        free(gate->allowance[i].kernel);
        free(gate->allowance[i].device);
        free(gate->allowance[i].reason);
    }
    free(gate->device);
    smc_stated_free(gate->stated);
    free(gate->limit);
    free(gate->allowance);
    free(gate->path);
    *gate = (struct smc_gate){0};
}
