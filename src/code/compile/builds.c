/* The outcomes of builds by their keys: a list, since one question has few. */
#include "code/nvrtc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

enum { MOST_BYTES = 64 << 20 };

struct smc_builds_entry {
    struct smc_builds_entry *next; /* built later */
    uint64_t hash;                 /* of the key */
    struct smc_text key;
    bool is_ended; /* otherwise a thread is building it */
    struct smc_built built;
    size_t bytes;
};

void smc_built_free(struct smc_built *built)
{
    smc_nvrtc_output_free(&built->output);
}

static bool builds_copy_text(const struct smc_text *from, struct smc_text *to)
{
    *to = (struct smc_text){0};
    if (from->data)
        smc_text_append_bytes(to, from->data, from->length);
    return !to->failed;
}

static bool copy_built(const struct smc_built *from, struct smc_built *to)
{
    const struct smc_binary *code = &from->output.binary;
    struct smc_nvrtc_output *output = &to->output;
    *to = *from;
    output->binary = (struct smc_binary){.cubin_bytes = code->cubin_bytes};
    bool copied = builds_copy_text(&from->output.log, &output->log);
    copied = builds_copy_text(&from->output.ptx, &output->ptx) && copied;
    if (code->cubin_bytes)
        output->binary.cubin = smc_malloc(code->cubin_bytes);
    if (output->binary.cubin)
        memcpy(output->binary.cubin, code->cubin, code->cubin_bytes);
    if (copied && (output->binary.cubin || !code->cubin_bytes))
        return true;
    smc_built_free(to);
    return false;
}

static void free_entry(struct smc_builds_entry *entry)
{
    smc_text_free(&entry->key);
    if (entry->is_ended)
        smc_built_free(&entry->built);
    free(entry);
}

/* The place of a pointer to the entry, or of the NULL at the end of the list. */
static struct smc_builds_entry **builds_find_entry(struct smc_builds *builds,
                                                   const struct smc_text *key)
{
    const uint64_t hash = smc_hash(SMC_HASH_START, smc_text_string(key), key->length);
    struct smc_builds_entry **at = &builds->first;
    while (*at && ((*at)->hash != hash || (*at)->key.length != key->length ||
                   memcmp((*at)->key.data, key->data, key->length) != 0))
        at = &(*at)->next;
    return at;
}

/* Notes that this thread builds it. Without memory, other threads build it as well. */
static struct smc_builds_entry *new_entry(const struct smc_text *key)
{
    struct smc_builds_entry *entry = smc_calloc(1, sizeof *entry);
    if (!entry)
        return NULL;
    entry->hash = smc_hash(SMC_HASH_START, smc_text_string(key), key->length);
    smc_text_append_bytes(&entry->key, smc_text_string(key), key->length);
    if (!entry->key.failed)
        return entry;
    free_entry(entry);
    return NULL;
}

bool smc_builds_find(struct smc_builds *builds, const struct smc_text *key, struct smc_built *built)
{
    struct smc_builds_entry **at;
    if (!builds)
        return false;
    pthread_mutex_lock(&builds->lock);
    while (*(at = builds_find_entry(builds, key)) && !(*at)->is_ended)
        pthread_cond_wait(&builds->ended, &builds->lock);
    bool found = *at != NULL;
    if (!found)
        *at = new_entry(key);
    else if (!copy_built(&(*at)->built, built))
        built->status = smc_out_of_memory(&built->error);
    pthread_mutex_unlock(&builds->lock);
    return found;
}

static void forget_oldest(struct smc_builds *builds)
{
    for (struct smc_builds_entry **at = &builds->first; *at && builds->bytes > MOST_BYTES;) {
        struct smc_builds_entry *entry = *at;
        if (!entry->is_ended) {
            at = &entry->next;
            continue;
        }
        *at = entry->next;
        builds->bytes -= entry->bytes;
        free_entry(entry);
    }
}

/* The next attempt may end otherwise. */
static bool is_passing(enum smc_status status)
{
    return status == SMC_MACHINE || status == SMC_INTERRUPTED;
}

void smc_builds_keep(struct smc_builds *builds, const struct smc_text *key,
                     const struct smc_built *built)
{
    if (!builds)
        return;
    pthread_mutex_lock(&builds->lock);
    struct smc_builds_entry **at = builds_find_entry(builds, key), *entry = *at;
    if (entry && !is_passing(built->status) && copy_built(built, &entry->built)) {
        const struct smc_nvrtc_output *output = &built->output;
        entry->is_ended = true;
        entry->bytes = sizeof *entry + key->length + output->binary.cubin_bytes +
                       output->ptx.length + output->log.length;
        builds->bytes += entry->bytes;
        forget_oldest(builds);
    } else if (entry) {
        *at = entry->next;
        free_entry(entry);
    }
    pthread_cond_broadcast(&builds->ended);
    pthread_mutex_unlock(&builds->lock);
}

void smc_builds_free(struct smc_builds *builds)
{
    while (builds->first) {
        struct smc_builds_entry *entry = builds->first;
        builds->first = entry->next;
        free_entry(entry);
    }
    builds->bytes = 0;
}
