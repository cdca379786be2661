/* The ceilings of one device in JSON, written and read by one list of keys. */
#include "devices/ceilings_entry.h"

#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "base/text.h"

/* Beyond any device, and small enough for every product that is made of it. */
static const double highest = 1e18;

static const struct text_key {
    const char *name;
    size_t offset, size;
} text_keys[] = {
#define TEXT(member)                                                                               \
    {                                                                                              \
#member, offsetof(struct smc_ceilings, member), sizeof((struct smc_ceilings *)0)->member   \
    }
    TEXT(device),
    TEXT(gpu_uuid),
    TEXT(driver),
    TEXT(date),
#undef TEXT
};

enum { TEXT_KEYS = sizeof text_keys / sizeof *text_keys };

/* Names come from drivers: whatever they hold, the member is there. */
static json_t *safe_string(const char *text)
{
    char safe[sizeof((struct smc_ceilings *)0)->device];
    snprintf(safe, sizeof safe, "%s", text);
    smc_text_make_safe(safe);
    return *safe ? json_string(safe) : json_null();
}

json_t *smc_ceilings_entry(const struct smc_ceilings *ceilings)
{
    json_t *entry = json_object();
    for (size_t i = 0; i < TEXT_KEYS; i++)
        json_object_set_new(entry, text_keys[i].name,
                            safe_string((const char *)ceilings + text_keys[i].offset));
    for (int i = 0; i < SMC_CEILING_COUNT; i++) {
        double value = ceilings->value[i];
        json_object_set_new(entry, smc_ceiling_info[i].key,
                            value > 0 ? json_real(value) : json_null());
    }
    return entry;
}

static enum smc_status fail_unknown(const char *where, const char *key, struct smc_error *error)
{
    struct smc_suggestion suggestion = {.typed = key};
    for (size_t i = 0; i < TEXT_KEYS; i++)
        smc_suggest_consider(&suggestion, text_keys[i].name);
    for (int i = 0; i < SMC_CEILING_COUNT; i++)
        smc_suggest_consider(&suggestion, smc_ceiling_info[i].key);
    return smc_suggest_fail(&suggestion, where, "key", NULL, error);
}

static enum smc_status read_text(const struct text_key *key, const json_t *value, const char *where,
                                 struct smc_ceilings *out, struct smc_error *error)
{
    const char *text = json_is_null(value) ? "" : json_string_value(value);
    if (!text || json_string_length(value) >= key->size)
        return smc_fail(error, SMC_USAGE, "%s: key '%s': not a text of at most %zu bytes", where,
                        key->name, key->size - 1);
    memcpy((char *)out + key->offset, text, strlen(text) + 1);
    return SMC_OK;
}

static enum smc_status read_value(int ceiling, const json_t *value, const char *where,
                                  struct smc_ceilings *out, struct smc_error *error)
{
    double number = json_number_value(value);
    bool is_known = json_is_number(value) && number > 0 && number <= highest;
    if (!is_known && !json_is_null(value))
        return smc_fail(error, SMC_USAGE,
                        "%s: key '%s': neither null nor a number above 0 up to %g", where,
                        smc_ceiling_info[ceiling].key, highest);
    out->value[ceiling] = is_known ? number : 0;
    return SMC_OK;
}

static enum smc_status read_member(const char *name, const json_t *value, const char *where,
                                   struct smc_ceilings *out, struct smc_error *error)
{
    for (size_t i = 0; i < TEXT_KEYS; i++)
        if (strcmp(name, text_keys[i].name) == 0)
            return read_text(&text_keys[i], value, where, out, error);
    for (int i = 0; i < SMC_CEILING_COUNT; i++)
        if (strcmp(name, smc_ceiling_info[i].key) == 0)
            return read_value(i, value, where, out, error);
    return fail_unknown(where, name, error);
}

enum smc_status smc_ceilings_entry_read(const json_t *entry, const char *where,
                                        struct smc_ceilings *out, struct smc_error *error)
{
    const char *name;
    json_t *value;
    *out = (struct smc_ceilings){.source = SMC_CEILINGS_CALIBRATED};
    json_object_foreach((json_t *)entry, name, value)
    {
        enum smc_status status = read_member(name, value, where, out, error);
        if (status != SMC_OK)
            return status;
    }
    if (!out->device[0])
        return smc_fail(error, SMC_USAGE, "%s: key 'device' is missing", where);
    return SMC_OK;
}
