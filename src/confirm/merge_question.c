/* What a report was asked, from its members kernel, launch, source and run. */
#include "config.h"

#include "confirm/merge_question.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Of a kernel, what follows from its other members, from the compiler or from the device. */
static const char *const derived[] = {
    "name",
    "threads_per_block",
    "registers_per_thread",
    "registers_source",
    "registers_reason",
    "static_smem_bytes",
    "static_smem_source",
    "dynamic_smem_bytes",
    "dynamic_smem_source",
    "barriers_per_block",
    "stack_bytes",
    "spill_store_bytes",
    "spill_load_bytes",
    "block_dim",
    "grid_dim",
    "grid_blocks",
};

/* Unless a person gave them. */
static const struct {
    const char *key, *source;
} given[] = {
    {"registers_per_thread", "registers_source"},
    {"static_smem_bytes", "static_smem_source"},
    {"dynamic_smem_bytes", "dynamic_smem_source"},
};

/* A person's own kernel has no parameters to derive these from. */
static const char *const launched[] = {"block_dim", "grid_dim", "dynamic_smem_bytes"};

/* Settings of the launch that go without saying. */
static const struct {
    const char *key, *value;
} usual[] = {
    {"carveout_percent", "-1"},  {"cache_config", "\"none\""}, {"smem_mode", "\"default\""},
    {"blocks_per_cluster", "1"}, {"virtual_resources", "0"},
};

static void take(json_t *asked, const json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    if (value && !json_is_null(value))
        json_object_set(asked, key, value);
}

static void take_kernel(json_t *asked, const json_t *kernel, bool own)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)kernel, key, value)
    {
        size_t i = 0;
        while (i < sizeof derived / sizeof *derived && strcmp(derived[i], key) != 0)
            i++;
        if (i == sizeof derived / sizeof *derived)
            take(asked, kernel, key);
    }
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        const char *source = json_string_value(json_object_get(kernel, given[i].source));
        if (source && strcmp(source, "given") == 0)
            take(asked, kernel, given[i].key);
    }
    for (size_t i = 0; own && i < sizeof launched / sizeof *launched; i++)
        take(asked, kernel, launched[i]);
}

static bool is_usual(const char *key, const json_t *value)
{
    bool same = false;
    for (size_t i = 0; i < sizeof usual / sizeof *usual && !same; i++) {
        if (strcmp(usual[i].key, key) != 0)
            continue;
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
        same = text && strcmp(text, usual[i].value) == 0;
        free(text);
    }
    return same;
}

static void take_launch(json_t *asked, const json_t *launch)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)launch, key, value)
    {
        if (!is_usual(key, value))
            take(asked, launch, key);
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void append_value(const json_t *value, struct smc_text *out)
{
    char *text = json_is_string(value) ? NULL : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    smc_text_append(out, json_is_string(value) ? json_string_value(value) : text ? text : "?");
    free(text);
}

static void append_sorted(const json_t *asked, struct smc_text *out)
{
    size_t count = 0;
    const char **names = smc_calloc(json_object_size(asked) + 1, sizeof *names), *key;
    json_t *value;
    if (!names) {
        out->failed = true;
        return;
    }
    json_object_foreach((json_t *)asked, key, value)
    {
        names[count++] = key;
    }
    qsort(names, count, sizeof *names, by_name);
    for (size_t i = 0; i < count; i++) {
        smc_text_append(out, i ? ", " : ": ");
        smc_text_append(out, names[i]);
        smc_text_append(out, " ");
        append_value(json_object_get(asked, names[i]), out);
    }
    free(names);
}

void smc_merge_question(const json_t *report, struct smc_text *out)
{
    const json_t *kernel = json_object_get(report, "kernel");
    const json_t *source = json_object_get(report, "source");
    const char *name = json_string_value(json_object_get(kernel, "name"));
    json_t *asked = json_object();
    take_kernel(asked, kernel, source != NULL);
    take_launch(asked, json_object_get(report, "launch"));
    take(asked, json_object_get(report, "run"), "seed");
    take(asked, source, "entry");
    take(asked, source, "arguments");
    smc_text_append(out, name ? name : "?");
    append_sorted(asked, out);
    json_decref(asked);
    if (out->data)
        smc_text_make_safe(out->data);
}
