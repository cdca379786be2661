/* Devices looked up once: a bounded hash table by the text of the field. */
#include "batch/device_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum {
    MOST_ENTRIES = 512, /* then all are forgotten */
    SLOTS = 2 * MOST_ENTRIES,
    MOST_LETTERS = 128, /* longer texts are looked up, but not kept */
};

struct entry {
    char text[MOST_LETTERS];
    size_t length;
    enum smc_status status;
    struct smc_sm sm;
    struct smc_error error; /* a column full of one unknown name is as quick to answer */
};

struct smc_device_cache {
    struct smc_device_finder finder;
    const struct entry *latest; /* most rows name the same device as the row before */
    size_t count;
    struct entry *slot[SLOTS];
    struct entry entry[MOST_ENTRIES];
    struct entry unkept;
};

struct smc_device_cache *smc_device_cache_create(const struct smc_device_finder *finder)
{
    struct smc_device_cache *cache = smc_calloc(1, sizeof *cache);
    if (cache)
        cache->finder = *finder;
    return cache;
}

void smc_device_cache_free(struct smc_device_cache *cache)
{
    free(cache);
}

static bool is_text(const struct entry *entry, const struct smc_csv_field *field)
{
    return entry->length == field->length && memcmp(entry->text, field->text, field->length) == 0;
}

/* FNV-1a */
static size_t slot_of(const struct smc_csv_field *field)
{
    uint32_t hash = 2166136261u;
    for (uint32_t i = 0; i < field->length; i++)
        hash = (hash ^ (unsigned char)field->text[i]) * 16777619u;
    return hash % SLOTS;
}

static void look_up(const struct smc_device_finder *finder, const struct smc_csv_field *field,
                    struct entry *entry)
{
    char name[2 * MOST_LETTERS];
    struct smc_device device;
    smc_csv_value(field, name, sizeof name);
    entry->length = field->length;
    entry->error.message[0] = '\0';
    entry->status = finder->find(finder->context, name, &device, &entry->error);
    if (entry->status == SMC_OK)
        entry->sm = device.sm;
}

static const struct entry *keep(struct smc_device_cache *cache, const struct smc_csv_field *field,
                                size_t slot)
{
    if (field->length > MOST_LETTERS) {
        look_up(&cache->finder, field, &cache->unkept);
        return &cache->unkept;
    }
    if (cache->count == MOST_ENTRIES) {
        memset(cache->slot, 0, sizeof cache->slot);
        cache->count = 0;
        slot = slot_of(field);
    }
    struct entry *entry = &cache->entry[cache->count++];
    memcpy(entry->text, field->text, field->length);
    look_up(&cache->finder, field, entry);
    cache->slot[slot] = entry;
    return entry;
}

static const struct entry *find(struct smc_device_cache *cache, const struct smc_csv_field *field)
{
    size_t slot = slot_of(field);
    for (; cache->slot[slot]; slot = (slot + 1) % SLOTS)
        if (is_text(cache->slot[slot], field))
            return cache->slot[slot];
    return keep(cache, field, slot);
}

const struct smc_sm *smc_device_cache_find(struct smc_device_cache *cache,
                                           const struct smc_csv_field *field,
                                           struct smc_error *error)
{
    const struct entry *entry = cache->latest;
    if (!entry || entry == &cache->unkept || !is_text(entry, field))
        entry = cache->latest = find(cache, field);
    if (entry->status == SMC_OK)
        return &entry->sm;
    *error = entry->error;
    return NULL;
}
