/* Measured ceilings in JSON: one entry, and the user's file of them. */
#include "config.h"

#include "rules/ceilings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/parse.h"
#include "base/text.h"

/* --- One entry -------------------------------------------------------------------------------- */

/* Higher than any device reaches, and small enough that no product with it overflows. */
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

/* Names come from drivers: the member is written whatever bytes they contain. */
static json_t *safe_string(const char *text)
{
    char safe[sizeof((struct smc_ceilings *)0)->device];
    snprintf(safe, sizeof safe, "%s", text);
    smc_utf8_make_safe(safe);
    return *safe ? json_string(safe) : json_null();
}

static const char groups_key[] = "sm_groups";

static json_t *ceilings_file_groups(const struct smc_sm_groups *groups)
{
    json_t *list = groups->count > 0 ? json_array() : json_null();
    for (uint32_t i = 0; i < groups->count; i++)
        json_array_append_new(list, json_integer(groups->sms[i]));
    return list;
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
    json_object_set_new(entry, groups_key, ceilings_file_groups(&ceilings->sm_groups));
    return entry;
}

static enum smc_status ceilings_file_read_text(const struct text_key *key, const json_t *value,
                                               const char *where, struct smc_ceilings *out,
                                               struct smc_error *error)
{
    const char *text = json_is_null(value) ? "" : json_string_value(value);
    if (!text || json_string_length(value) >= key->size)
        return smc_fail(error, SMC_USAGE, "%s: key '%s': not a text of at most %zu bytes", where,
                        key->name, key->size - 1);
    memcpy((char *)out + key->offset, text, strlen(text) + 1);
    return SMC_OK;
}

static enum smc_status ceilings_file_read_value(int ceiling, const json_t *value, const char *where,
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

static enum smc_status ceilings_file_read_groups(const json_t *value, const char *where,
                                                 struct smc_ceilings *out, struct smc_error *error)
{
    const size_t count = json_array_size(value); /* 0 if it is not a list */
    bool good = json_is_null(value) || (count > 0 && count <= SMC_MOST_SM_GROUPS);
    out->sm_groups = (struct smc_sm_groups){.count = good ? (uint32_t)count : 0};
    for (uint32_t i = 0; i < out->sm_groups.count; i++) {
        const json_t *sms = json_array_get(value, i);
        good &= json_is_integer(sms) && json_integer_value(sms) >= 1 &&
                json_integer_value(sms) <= UINT16_MAX;
        out->sm_groups.sms[i] = (uint16_t)json_integer_value(sms);
    }
    return good ? SMC_OK
                : smc_fail(error, SMC_USAGE,
                           "%s: key '%s': neither null nor a list of 1 to %d numbers of SMs", where,
                           groups_key, SMC_MOST_SM_GROUPS);
}

static enum smc_status ceilings_file_read_member(const char *name, const json_t *value,
                                                 const char *where, struct smc_ceilings *out,
                                                 struct smc_error *error)
{
    for (size_t i = 0; i < TEXT_KEYS; i++)
        if (strcmp(name, text_keys[i].name) == 0)
            return ceilings_file_read_text(&text_keys[i], value, where, out, error);
    for (int i = 0; i < SMC_CEILING_COUNT; i++)
        if (strcmp(name, smc_ceiling_info[i].key) == 0)
            return ceilings_file_read_value(i, value, where, out, error);
    if (strcmp(name, groups_key) == 0)
        return ceilings_file_read_groups(value, where, out, error);
    struct smc_suggestion suggestion = {.typed = name};
    for (size_t i = 0; i < TEXT_KEYS; i++)
        smc_suggest_consider(&suggestion, text_keys[i].name);
    for (int i = 0; i < SMC_CEILING_COUNT; i++)
        smc_suggest_consider(&suggestion, smc_ceiling_info[i].key);
    smc_suggest_consider(&suggestion, groups_key);
    return smc_suggest_fail(&suggestion, where, "key", NULL, error);
}

enum smc_status smc_ceilings_entry_read(const json_t *entry, const char *where,
                                        struct smc_ceilings *out, struct smc_error *error)
{
    const char *name;
    json_t *value;
    *out = (struct smc_ceilings){.source = SMC_CEILINGS_CALIBRATED};
    json_object_foreach((json_t *)entry, name, value)
    {
        SMC_TRY(ceilings_file_read_member(name, value, where, out, error));
    }
    if (!out->device[0])
        return smc_fail(error, SMC_USAGE, "%s: key 'device' is missing", where);
    return SMC_OK;
}

/* --- The user's file -------------------------------------------------------------------------- */

enum { LARGEST_FILE_BYTES = 1 << 20 };

static const char schema[] = "smemcalc-ceilings/1";
static const char file_name[] = "ceilings.json";

enum smc_status smc_ceilings_path(char path[SMC_CEILINGS_PATH], struct smc_error *error)
{
    const char *own = smc_folder_variable("SMEMCALC_CEILINGS");
    char folder[SMC_CEILINGS_PATH];
    int length = -1;
    if (own)
        length = snprintf(path, SMC_CEILINGS_PATH, "%s", own);
    else if (smc_folder_of_user("XDG_CONFIG_HOME", ".config", folder, sizeof folder))
        length = snprintf(path, SMC_CEILINGS_PATH, "%s/%s", folder, file_name);
    if (length > 0 && length < SMC_CEILINGS_PATH)
        return SMC_OK;
    return smc_fail(error, SMC_USAGE,
                    "SMEMCALC_CEILINGS, XDG_CONFIG_HOME and HOME give no place for %s", file_name);
}

static enum smc_status check_frame(const json_t *root, const char *path, struct smc_error *error)
{
    const char *seen = json_string_value(json_object_get(root, "schema"));
    if (!seen || strcmp(seen, schema) != 0)
        return smc_fail(error, SMC_USAGE, "%s: key 'schema': not \"%s\"", path, schema);
    if (!json_is_array(json_object_get(root, "ceilings")))
        return smc_fail(error, SMC_USAGE, "%s: key 'ceilings': not a list", path);
    if (json_object_size(root) != 2)
        return smc_fail(error, SMC_USAGE, "%s: more than the keys 'schema' and 'ceilings'", path);
    return SMC_OK;
}

static enum smc_status ceilings_file_read_list(const json_t *list, const char *path,
                                               struct smc_ceilings_file *out,
                                               struct smc_error *error)
{
    size_t count = json_array_size(list);
    out->entry = smc_calloc(count ? count : 1, sizeof *out->entry);
    if (!out->entry)
        return smc_out_of_memory(error);
    for (size_t i = 0; i < count; i++) {
        char where[800];
        const json_t *entry = json_array_get(list, i);
        snprintf(where, sizeof where, "%.700s: entry %zu of 'ceilings'", path, i + 1);
        if (!json_is_object(entry))
            return smc_fail(error, SMC_USAGE, "%s: not an object", where);
        SMC_TRY(smc_ceilings_entry_read(entry, where, &out->entry[i], error));
        out->count++;
    }
    return SMC_OK;
}

enum smc_status smc_ceilings_file_parse(const char *path, const char *text, size_t length,
                                        struct smc_ceilings_file *out, struct smc_error *error)
{
    json_error_t problem;
    *out = (struct smc_ceilings_file){0};
    json_auto_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &problem);
    if (!root)
        return smc_fail(error, SMC_USAGE, "%s:%d:%d: %s", path, problem.line, problem.column,
                        problem.text);
    enum smc_status status = check_frame(root, path, error);
    if (status == SMC_OK)
        status = ceilings_file_read_list(json_object_get(root, "ceilings"), path, out, error);
    if (status != SMC_OK)
        smc_ceilings_file_free(out);
    return status;
}

enum smc_status smc_ceilings_file_read(const char *path, struct smc_ceilings_file *out,
                                       struct smc_error *error)
{
    smc_auto_text text = {0};
    struct stat about;
    *out = (struct smc_ceilings_file){0};
    bool known = stat(path, &about) == 0;
    if (!known && (errno == ENOENT || errno == ENOTDIR))
        return SMC_OK;
    if (known && !S_ISREG(about.st_mode)) /* reading a pipe would block */
        return smc_fail(error, SMC_USAGE, "%s: cannot be read: not a regular file", path);
    SMC_TRY(smc_file_read(path, "file of ceilings", LARGEST_FILE_BYTES, &text, error));
    return smc_ceilings_file_parse(path, smc_text_string(&text), text.length, out, error);
}

void smc_ceilings_file_free(struct smc_ceilings_file *file)
{
    free(file->entry);
    *file = (struct smc_ceilings_file){0};
}

static bool is_same_gpu(const struct smc_ceilings *a, const struct smc_ceilings *b)
{
    return strcmp(a->device, b->device) == 0 && strcmp(a->gpu_uuid, b->gpu_uuid) == 0;
}

static void ceilings_file_print(const struct smc_ceilings_file *old, const struct smc_ceilings *new,
                                struct smc_text *text)
{
    json_auto_t *root = json_object();
    json_t *list = json_array();
    bool replaced = false;
    for (size_t i = 0; i < old->count; i++) {
        bool same = is_same_gpu(&old->entry[i], new);
        if (same && replaced)
            continue;
        json_array_append_new(list, smc_ceilings_entry(same ? new : &old->entry[i]));
        replaced |= same;
    }
    if (!replaced)
        json_array_append_new(list, smc_ceilings_entry(new));
    json_object_set_new(root, "schema", json_string(schema));
    json_object_set_new(root, "ceilings", list);
    smc_auto_free char *printed = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
    text->failed |= !printed;
    if (printed)
        smc_text_append(text, printed);
    smc_text_append_char(text, '\n', 1);
}

/* The lock is held while the file is read and replaced, so that of two simultaneous calibrations
   neither is lost. On a file system without locks there is none. */
static int lock(const char *folder)
{
    int held = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (held >= 0)
        flock(held, LOCK_EX);
    return held;
}

static enum smc_status ceilings_file_replace(const char *path, const struct smc_ceilings *ceilings,
                                             struct smc_error *error)
{
    SMC_AUTO(smc_ceilings_file_free) struct smc_ceilings_file file;
    smc_auto_text text = {0};
    SMC_TRY(smc_ceilings_file_read(path, &file, error));
    ceilings_file_print(&file, ceilings, &text);
    if (text.length > LARGEST_FILE_BYTES)
        return smc_fail(error, SMC_USAGE,
                        "%s: would be larger than %d bytes; remove entries that are not needed",
                        path, LARGEST_FILE_BYTES);
    return smc_file_replace(path, &text, error);
}

/* Resolves a symbolic link: its target is the file to lock and to replace. */
static enum smc_status ceilings_file_follow(const char *path, char target[SMC_CEILINGS_PATH],
                                            struct smc_error *error)
{
    struct stat entry;
    bool is_link = lstat(path, &entry) == 0 && S_ISLNK(entry.st_mode);
    smc_auto_free char *real = is_link ? realpath(path, NULL) : NULL;
    if (is_link && !real)
        return smc_fail(error, SMC_USAGE, "'%s' cannot be written, a link: %s", path,
                        strerror(errno));
    int length = snprintf(target, SMC_CEILINGS_PATH, "%s", real ? real : path);
    return length < SMC_CEILINGS_PATH
               ? SMC_OK
               : smc_fail(error, SMC_USAGE, "'%s' cannot be written, a link: %s", path,
                          strerror(ENAMETOOLONG));
}

enum smc_status smc_ceilings_keep(const char *path, const struct smc_ceilings *ceilings,
                                  struct smc_error *error)
{
    char target[SMC_CEILINGS_PATH], folder[SMC_CEILINGS_PATH];
    SMC_TRY(ceilings_file_follow(path, target, error));
    const char *slash = strrchr(target, '/');
    int length = slash == target ? 1 : slash ? (int)(slash - target) : 0;
    snprintf(folder, SMC_CEILINGS_PATH, "%.*s", length ? length : 1, length ? target : ".");
    int reason = smc_folder_make(folder);
    if (reason)
        return smc_fail(error, SMC_USAGE, "'%s' cannot be made: %s", folder, strerror(reason));
    int held = lock(folder);
    enum smc_status status = ceilings_file_replace(target, ceilings, error);
    if (held >= 0)
        close(held);
    return status;
}

void smc_ceilings_find(const struct smc_ceilings_file *file, const char *device, const char *uuid,
                       struct smc_ceilings *out)
{
    const struct smc_ceilings *found = NULL;
    for (size_t i = 0; i < file->count; i++) {
        const struct smc_ceilings *entry = &file->entry[i];
        if (strcmp(entry->device, device) != 0)
            continue;
        if (*uuid && strcmp(entry->gpu_uuid, uuid) == 0) {
            found = entry;
            break;
        }
        if (!found || strcmp(entry->date, found->date) > 0)
            found = entry;
    }
    if (found)
        *out = *found;
    else
        smc_ceilings_of_board(device, out);
}
