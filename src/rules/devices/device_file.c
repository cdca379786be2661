/* The user's own devices in JSON: the keys, once for reading and for writing; one device; files. */
#include "rules/device_file.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/parse.h"
#include "base/text.h"

/* --- Keys ------------------------------------------------------------------------------------- */

/* The longest string that reports print in full. */
enum { MOST_TEXT = 1000 };

#define MEMBER(member)  offsetof(struct smc_device, member), sizeof((struct smc_device *)0)->member
#define LONGEST(member) (sizeof((struct smc_device *)0)->member - 1)
#define NUMBER(kind, name, member, highest)                                                        \
    {                                                                                              \
        name, SMC_KEY_##kind, MEMBER(member), 0, highest                                           \
    }
#define SKIPPED(kind, name)                                                                        \
    {                                                                                              \
        name, SMC_KEY_##kind, 0, 0, 0, 0                                                           \
    }

const struct smc_device_key smc_device_keys[] = {
    {"name", SMC_KEY_NAME, MEMBER(name), 1, LONGEST(name)},
    {"compute_capability", SMC_KEY_CAPABILITY, MEMBER(sm.cc), 0, 0},
    NUMBER(KNOWN, "sm_count", sm_count, 1000000),
    {"sm_groups", SMC_KEY_GROUPS, MEMBER(sm_groups), 1, UINT16_MAX},
    SKIPPED(SOURCE, "source"),
    SKIPPED(GPU_INDEX, "gpu_index"),
    {"family", SMC_KEY_TEXT, MEMBER(family), 0, MOST_TEXT},
    {"chip", SMC_KEY_NAME, MEMBER(chip), 0, LONGEST(chip)},
    NUMBER(KNOWN, "sm_clock_khz", sm_clock_khz, 1000000000),
    NUMBER(KNOWN, "memory_bus_bits", memory_bus_bits, 1000000),
    NUMBER(REAL, "memory_bytes_per_s", memory_bytes_per_s, 1000000000000000),
    NUMBER(KNOWN, "l2_bytes", l2_bytes, UINT64_C(1) << 50),
    NUMBER(KNOWN, "global_mem_bytes", global_mem_bytes, UINT64_C(1) << 60),
    NUMBER(REAL, "fp32_peak_tflops", fp32_peak_tflops, 1000000),
#define INTEGER(member, name, form, lowest, highest)                                               \
    {name, SMC_KEY_##form, MEMBER(sm.member), lowest, highest},
#define GRANULARITY(member, name)      {name, SMC_KEY_GRANULARITY, MEMBER(sm.member), 0, 0},
#define CARVEOUTS(count, member, name) {name, SMC_KEY_CARVEOUTS, MEMBER(sm.member), 0, UINT32_MAX},
#include "rules/model/sm_fields.def"
    {"uncertain", SMC_KEY_TEXT, MEMBER(uncertain), 0, MOST_TEXT},
    {"sources", SMC_KEY_TEXT, MEMBER(sources), 0, MOST_TEXT},
    SKIPPED(ASSUMED, "assumed"),
};

const size_t smc_device_key_count = sizeof smc_device_keys / sizeof *smc_device_keys;

const void *smc_device_key_member(const struct smc_device_key *key, const struct smc_device *device)
{
    return (const char *)device + key->offset;
}

/* Members are 16, 32 or 64 bits wide. */
uint64_t smc_device_key_integer(const struct smc_device_key *key, const struct smc_device *device)
{
    const void *member = smc_device_key_member(key, device);
    uint16_t narrow;
    uint32_t word;
    uint64_t wide;
    switch (key->size) {
    case sizeof narrow:
        memcpy(&narrow, member, sizeof narrow);
        return narrow;
    case sizeof word:
        memcpy(&word, member, sizeof word);
        return word;
    default:
        memcpy(&wide, member, sizeof wide);
        return wide;
    }
}

static void set_integer(const struct smc_device_key *key, uint64_t value, struct smc_device *device)
{
    char *member = (char *)device + key->offset;
    uint16_t narrow = (uint16_t)value;
    uint32_t word = (uint32_t)value;
    switch (key->size) {
    case sizeof narrow:
        memcpy(member, &narrow, sizeof narrow);
        return;
    case sizeof word:
        memcpy(member, &word, sizeof word);
        return;
    default:
        memcpy(member, &value, sizeof value);
    }
}

/* --- One device ------------------------------------------------------------------------------- */

/* One key's value while it is read into the device. */
struct file_place {
    const char *where;
    const struct smc_device_key *key;
    const json_t *value;
    struct smc_device *device;
    struct smc_error *error;
};

/* "my.json: key 'regs_per_sm': -1 is not ALLOWED" */
static enum smc_status device_file_fail_value(const struct file_place *place, const json_t *value,
                                              const char *allowed)
{
    smc_auto_free char *shown =
        json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(15));
    return smc_fail(place->error, SMC_USAGE, "%s: key '%s': %.60s%s is not %s", place->where,
                    place->key->name, shown ? shown : "the value",
                    shown && strlen(shown) > 60 ? "..." : "", allowed);
}

static enum smc_status device_file_fail_number(const struct file_place *place, const json_t *value)
{
    const struct smc_device_key *key = place->key;
    const char *kind = key->kind == SMC_KEY_POWER                             ? "a power of two "
                       : key->kind != SMC_KEY_REAL && !json_is_integer(value) ? "a whole number "
                                                                              : "";
    char allowed[128];
    snprintf(allowed, sizeof allowed, "%sbetween %" PRIu64 " and %" PRIu64, kind, key->lowest,
             key->highest);
    return device_file_fail_value(place, value, allowed);
}

static bool whole_number(const struct file_place *place, const json_t *value, uint64_t *number)
{
    if (!json_is_integer(value))
        return false;
    *number = (uint64_t)json_integer_value(value); /* above every limit if it is negative */
    return *number >= place->key->lowest && *number <= place->key->highest;
}

static enum smc_status device_file_read_integer(const struct file_place *place)
{
    uint64_t number;
    bool fits = whole_number(place, place->value, &number);
    if (fits && place->key->kind == SMC_KEY_POWER)
        fits = (number & (number - 1)) == 0;
    if (!fits)
        return device_file_fail_number(place, place->value);
    set_integer(place->key, number, place->device);
    return SMC_OK;
}

static enum smc_status read_real(const struct file_place *place)
{
    double number = json_number_value(place->value);
    if (!json_is_number(place->value) || !(number >= 0 && number <= (double)place->key->highest))
        return device_file_fail_number(place, place->value);
    memcpy((char *)place->device + place->key->offset, &number, sizeof number);
    return SMC_OK;
}

/* The text is printed unchanged later, so it may not contain terminal control characters. */
static bool is_safe(const char *text)
{
    smc_auto_text copy = {0};
    smc_text_append(&copy, text);
    if (copy.data)
        smc_utf8_make_safe(copy.data);
    return strcmp(smc_text_string(&copy), text) == 0;
}

static enum smc_status check_text(const struct file_place *place)
{
    const struct smc_device_key *key = place->key;
    const char *text = json_string_value(place->value);
    if (text && strlen(text) >= key->lowest && strlen(text) <= key->highest && is_safe(text))
        return SMC_OK;
    char allowed[96];
    snprintf(allowed, sizeof allowed,
             "a text of %" PRIu64 " to %" PRIu64 " bytes without control characters", key->lowest,
             key->highest);
    return device_file_fail_value(place, place->value, allowed);
}

static enum smc_status device_file_read_name(const struct file_place *place)
{
    char *member = (char *)place->device + place->key->offset;
    SMC_TRY(check_text(place));
    snprintf(member, place->key->size, "%s", json_string_value(place->value));
    return SMC_OK;
}

static enum smc_status device_file_read_text(const struct file_place *place)
{
    const char *text = json_string_value(place->value);
    SMC_TRY(check_text(place));
    memcpy((char *)place->device + place->key->offset, &text, sizeof text);
    return SMC_OK;
}

static enum smc_status read_granularity(const struct file_place *place)
{
    const char *word = json_string_value(place->value);
    bool per_block = word && strcmp(word, "block") == 0;
    if (!per_block && !(word && strcmp(word, "warp") == 0))
        return device_file_fail_value(place, place->value, "\"block\" or \"warp\"");
    place->device->sm.regs_allocated_per_block = per_block;
    return SMC_OK;
}

static enum smc_status read_carveouts(const struct file_place *place)
{
    struct smc_sm *sm = &place->device->sm;
    size_t count = json_array_size(place->value);
    char allowed[64];
    snprintf(allowed, sizeof allowed, "a list of 1 to %d sizes", SMC_MAX_CARVEOUTS);
    if (count < 1 || count > SMC_MAX_CARVEOUTS)
        return device_file_fail_value(place, place->value, allowed);
    memset(sm->smem_carveout_bytes, 0, sizeof sm->smem_carveout_bytes);
    for (size_t i = 0; i < count; i++) {
        uint64_t bytes;
        if (!whole_number(place, json_array_get(place->value, i), &bytes))
            return device_file_fail_number(place, json_array_get(place->value, i));
        sm->smem_carveout_bytes[i] = (uint32_t)bytes;
    }
    sm->smem_carveout_count = (uint32_t)count;
    return SMC_OK;
}

static enum smc_status device_file_read_groups(const struct file_place *place)
{
    struct smc_sm_groups groups = {.count = (uint32_t)json_array_size(place->value)};
    char allowed[64];
    snprintf(allowed, sizeof allowed, "a list of 1 to %d numbers of SMs", SMC_MOST_SM_GROUPS);
    if (groups.count < 1 || groups.count > SMC_MOST_SM_GROUPS)
        return device_file_fail_value(place, place->value, allowed);
    for (uint32_t i = 0; i < groups.count; i++) {
        uint64_t sms;
        if (!whole_number(place, json_array_get(place->value, i), &sms))
            return device_file_fail_number(place, json_array_get(place->value, i));
        groups.sms[i] = (uint16_t)sms;
    }
    place->device->sm_groups = groups;
    return SMC_OK;
}

/* Null means "unknown", and is allowed if a device can be used without the value. */
static bool may_be_null(const struct smc_device_key *key)
{
    return key->kind == SMC_KEY_KNOWN || key->kind == SMC_KEY_REAL || key->kind == SMC_KEY_GROUPS ||
           (key->kind == SMC_KEY_NAME && key->lowest == 0);
}

static enum smc_status device_file_read_value(const struct file_place *place)
{
    if (json_is_null(place->value) && may_be_null(place->key)) {
        memset((char *)place->device + place->key->offset, 0, place->key->size);
        return SMC_OK;
    }
    switch (place->key->kind) {
    case SMC_KEY_NAME:
        return device_file_read_name(place);
    case SMC_KEY_TEXT:
        return device_file_read_text(place);
    case SMC_KEY_COUNT:
    case SMC_KEY_POWER:
    case SMC_KEY_KNOWN:
        return device_file_read_integer(place);
    case SMC_KEY_REAL:
        return read_real(place);
    case SMC_KEY_GRANULARITY:
        return read_granularity(place);
    case SMC_KEY_CARVEOUTS:
        return read_carveouts(place);
    case SMC_KEY_GROUPS:
        return device_file_read_groups(place);
    case SMC_KEY_CAPABILITY: /* read first */
    case SMC_KEY_SOURCE:
    case SMC_KEY_GPU_INDEX:
    case SMC_KEY_ASSUMED:
        return SMC_OK;
    }
    return SMC_OK;
}

static bool is_known_key(const char *name, struct smc_suggestion *suggestion)
{
    for (size_t i = 0; i < smc_device_key_count; i++) {
        if (strcmp(smc_device_keys[i].name, name) == 0)
            return true;
        smc_suggest_consider(suggestion, smc_device_keys[i].name);
    }
    return false;
}

static enum smc_status check_keys(const json_t *object, const char *where, struct smc_error *error)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)object, name, value)
    {
        struct smc_suggestion suggestion = {.typed = name};
        if (!is_known_key(name, &suggestion))
            return smc_suggest_fail(&suggestion, where, "key",
                                    "'smemcalc devices --device 9.0 --format json' shows them all",
                                    error);
    }
    return SMC_OK;
}

/* All other keys default to the table's values for the compute capability. If the table does not
   have it, the numbers must be given, and the rules are those of the newest row before it. */
static enum smc_status read_capability(const json_t *object, const char *where,
                                       struct smc_device *device, bool *in_table,
                                       struct smc_error *error)
{
    static const char name[] = "compute_capability";
    struct smc_device_key key = {.name = name};
    struct file_place place = {where, &key, json_object_get(object, name), device, error};
    struct smc_capability capability;
    uint16_t cc = 0;
    if (!place.value)
        return smc_fail(error, SMC_USAGE, "%s: key '%s' is missing", where, name);
    const char *text = json_string_value(place.value);
    if (!text || !smc_capability_parse(text, &cc))
        return device_file_fail_value(&place, place.value, "a compute capability such as \"9.0\"");
    *in_table = smc_capability_find(cc, &capability);
    if (!*in_table)
        capability.family = capability.uncertain = capability.sources = "";
    smc_device_of_capability(&capability, device);
    device->sm.cc = cc;
    device->name[0] = '\0';
    device->source = SMC_DEVICE_FILE;
    return SMC_OK;
}

static bool may_be_missing(const struct smc_device_key *key, bool in_table)
{
    switch (key->kind) {
    case SMC_KEY_NAME:
        return key->lowest == 0;
    case SMC_KEY_COUNT:
    case SMC_KEY_POWER:
    case SMC_KEY_GRANULARITY:
    case SMC_KEY_CARVEOUTS:
        return in_table;
    default:
        return true;
    }
}

static enum smc_status device_file_fail_missing(const struct file_place *place)
{
    unsigned cc = place->device->sm.cc;
    if (!may_be_missing(place->key, true))
        return smc_fail(place->error, SMC_USAGE, "%s: key '%s' is missing", place->where,
                        place->key->name);
    return smc_fail(place->error, SMC_USAGE,
                    "%s: key '%s' is missing; compute capability %u.%u is not in the table, so "
                    "every limit of an SM must be given",
                    place->where, place->key->name, cc / 10, cc % 10);
}

static enum smc_status file_read_device(const json_t *object, const char *where,
                                        struct smc_device *out, struct smc_error *error)
{
    bool in_table = false;
    SMC_TRY(check_keys(object, where, error));
    SMC_TRY(read_capability(object, where, out, &in_table, error));
    for (size_t i = 0; i < smc_device_key_count; i++) {
        const struct smc_device_key *key = &smc_device_keys[i];
        const struct file_place place = {where, key, json_object_get(object, key->name), out,
                                         error};
        if (place.value)
            SMC_TRY(device_file_read_value(&place));
        else if (!may_be_missing(key, in_table))
            return device_file_fail_missing(&place);
    }
    struct smc_error reason = {""};
    enum smc_status status = smc_sm_check(&out->sm, &reason);
    return status == SMC_OK ? status : smc_fail(error, status, "%s: key %s", where, reason.message);
}

/* --- Files ------------------------------------------------------------------------------------ */

enum { LARGEST_FILE_BYTES = 16 << 20 };

static const char kind[] = "device file";

enum smc_status smc_device_file_read(const char *path, struct smc_device_file *out,
                                     struct smc_error *error)
{
    const bool piped = smc_file_is_standard_input(path);
    const char *called = smc_file_name(path);
    smc_auto_text text = {0};
    *out = (struct smc_device_file){0};
    enum smc_status status =
        piped ? smc_file_read_stream(stdin, called, kind, LARGEST_FILE_BYTES, &text, error)
              : smc_file_read(path, kind, LARGEST_FILE_BYTES, &text, error);
    if (status == SMC_OK)
        status = smc_device_file_parse(called, smc_text_string(&text), text.length, out, error);
    else
        smc_fail_in(error, status, "option --device-file");
    for (size_t i = 0; i < out->count; i++)
        out->devices[i].file = path;
    return status;
}

/* The only other key beside the devices is the schema, which the program prints. */
static enum smc_status check_list_keys(const json_t *root, const char *path,
                                       struct smc_error *error)
{
    static const char schema[] = "smemcalc/1";
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)root, name, value)
    {
        struct smc_suggestion suggestion = {.typed = name};
        smc_suggest_consider(&suggestion, "schema");
        bool is_schema = strcmp(name, "schema") == 0;
        const char *text = json_string_value(value);
        if (is_schema && !(text && strcmp(text, schema) == 0))
            return smc_fail(error, SMC_USAGE, "%s: key 'schema': only \"%s\" can be read", path,
                            schema);
        if (!is_schema && strcmp(name, "devices") != 0)
            return smc_suggest_fail(&suggestion, path, "key",
                                    "only 'devices' and 'schema' are read", error);
    }
    return SMC_OK;
}

static enum smc_status device_file_read_list(const json_t *list, const char *path,
                                             struct smc_device_file *out, struct smc_error *error)
{
    size_t count = json_array_size(list);
    if (count == 0)
        return smc_fail(error, SMC_USAGE, "%s: key 'devices': not a list of one device or more",
                        path);
    out->devices = smc_calloc(count, sizeof *out->devices);
    if (!out->devices)
        return smc_out_of_memory(error);
    for (size_t i = 0; i < count; i++) {
        const json_t *device = json_array_get(list, i);
        char where[1024];
        const char *name = json_string_value(json_object_get(device, "name"));
        snprintf(where, sizeof where, "%.600s: device %zu%s%.128s%s", path, i + 1,
                 name ? " ('" : "", name ? name : "", name ? "')" : "");
        if (!json_is_object(device))
            return smc_fail(error, SMC_USAGE, "%s: not an object", where);
        SMC_TRY(file_read_device(device, where, &out->devices[i], error));
        out->count++;
    }
    return SMC_OK;
}

static enum smc_status device_file_read_root(const json_t *root, const char *path,
                                             struct smc_device_file *out, struct smc_error *error)
{
    if (!json_is_object(root))
        return smc_fail(error, SMC_USAGE,
                        "%s: neither a device, {\"name\": ...}, nor {\"devices\": [...]}", path);
    const json_t *list = json_object_get(root, "devices");
    if (list) {
        enum smc_status status = check_list_keys(root, path, error);
        return status == SMC_OK ? device_file_read_list(list, path, out, error) : status;
    }
    out->devices = smc_calloc(1, sizeof *out->devices);
    if (!out->devices)
        return smc_out_of_memory(error);
    enum smc_status status = file_read_device(root, path, out->devices, error);
    out->count = status == SMC_OK;
    return status;
}

enum smc_status smc_device_file_parse(const char *path, const char *text, size_t length,
                                      struct smc_device_file *out, struct smc_error *error)
{
    json_error_t problem;
    *out = (struct smc_device_file){0};
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &problem);
    if (!root)
        return smc_fail(error, SMC_USAGE, "%s:%d:%d: %s", path, problem.line, problem.column,
                        problem.text);
    out->document = root;
    enum smc_status status = device_file_read_root(root, path, out, error);
    if (status != SMC_OK)
        smc_device_file_free(out);
    return status;
}

void smc_device_file_free(struct smc_device_file *file)
{
    free(file->devices);
    json_decref(file->document);
    *file = (struct smc_device_file){0};
}
