/* A person's own devices, read from JSON. */
#include "devices/device_file.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/suggest.h"
#include "base/text.h"
#include "devices/device_file_read.h"

enum { LARGEST_FILE_BYTES = 16 << 20 };

static const char kind[] = "device file";

enum smc_status smc_device_file_read(const char *path, struct smc_device_file *out,
                                     struct smc_error *error)
{
    bool piped = strcmp(path, "-") == 0;
    const char *called = piped ? "standard input" : path;
    struct smc_text text = {0};
    struct smc_error reason;
    *out = (struct smc_device_file){0};
    enum smc_status status =
        piped ? smc_file_read_stream(stdin, called, kind, LARGEST_FILE_BYTES, &text, &reason)
              : smc_file_read(path, kind, LARGEST_FILE_BYTES, &text, &reason);
    if (status == SMC_OK)
        status = smc_device_file_parse(called, smc_text_string(&text), text.length, out, error);
    else
        smc_fail(error, status, "option --device-file: %s", reason.message);
    smc_text_free(&text);
    for (size_t i = 0; i < out->count; i++)
        out->devices[i].file = path;
    return status;
}

/* Beside the devices stands only the schema, as the program prints it. */
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

static enum smc_status read_list(const json_t *list, const char *path, struct smc_device_file *out,
                                 struct smc_error *error)
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
        enum smc_status status = smc_device_read(device, where, &out->devices[i], error);
        if (status != SMC_OK)
            return status;
        out->count++;
    }
    return SMC_OK;
}

static enum smc_status read_root(const json_t *root, const char *path, struct smc_device_file *out,
                                 struct smc_error *error)
{
    if (!json_is_object(root))
        return smc_fail(error, SMC_USAGE,
                        "%s: neither a device, {\"name\": ...}, nor {\"devices\": [...]}", path);
    const json_t *list = json_object_get(root, "devices");
    if (list) {
        enum smc_status status = check_list_keys(root, path, error);
        return status == SMC_OK ? read_list(list, path, out, error) : status;
    }
    out->devices = smc_calloc(1, sizeof *out->devices);
    if (!out->devices)
        return smc_out_of_memory(error);
    enum smc_status status = smc_device_read(root, path, out->devices, error);
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
    enum smc_status status = read_root(root, path, out, error);
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
