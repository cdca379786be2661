/* An entry: sizes, the files that were read with hashes of their contents, and the outcome. */
#include "config.h"

#include "code/readers/output_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/platform.h"
#include "code/inputs.h"
#include "code/tools.h"

/* The parts that follow the record, in this order. */
enum output_cache_part { LIST, MESSAGE, WARNINGS, LOG, PTX, CUBIN, PARTS };

struct record {
    uint64_t hiding; /* hash of the files that hide others */
    uint64_t status;
    int32_t nvrtc_major, nvrtc_minor;
    uint64_t bytes[PARTS];
};

enum { HASH_DIGITS = 16 };

/* Instead of the hash of a file that was not found. */
static const char missing[] = "----------------";

/* --- The files -------------------------------------------------------------------------------- */

/* A file that was written at this time or later may not be what the compiler read. File systems
   count time in steps of up to 10 ms. */
static bool is_older(const struct stat *status, const struct timespec *time)
{
    const int64_t step = 10000000, second = 1000000000;
    int64_t age = ((int64_t)time->tv_sec - status->st_mtim.tv_sec) * second + time->tv_nsec -
                  status->st_mtim.tv_nsec;
    return age > step;
}

/* Whether the preprocessor's answer may depend on files that were not read. */
static bool asks_for_files(const struct smc_text *bytes)
{
    static const char *const words[] = {"__has_include", "__has_embed", "#embed"};
    return SMC_ANY(smc_contains, smc_text_string(bytes), words);
}

/* Reads the file, and its hash. */
static bool output_cache_hash(const char *path, struct smc_text *bytes, uint64_t *hash)
{
    struct smc_error ignored;
    if (smc_input_read(path, bytes, &ignored) != SMC_OK)
        return false;
    *hash = smc_hash(SMC_HASH_START, smc_text_string(bytes), bytes->length);
    return true;
}

/* Appends the file's line in the list of an entry. */
static bool output_cache_write_file(const char *path, bool is_own, const struct timespec *begun,
                                    struct smc_text *list)
{
    struct stat status;
    smc_auto_text bytes = {0};
    uint64_t hash;
    bool valid = stat(path, &status) == 0 && S_ISREG(status.st_mode) && is_older(&status, begun) &&
                 output_cache_hash(path, &bytes, &hash) && !(is_own && asks_for_files(&bytes));
    if (valid)
        smc_text_printf(list, "%016llx %s\n", (unsigned long long)hash, path);
    return valid;
}

/* Splits a line off; NULL after the last one. The caller frees it. */
static char *split_line(const char **text)
{
    size_t length = strcspn(*text, "\n");
    char *line = **text ? smc_strndup(*text, length) : NULL;
    if (line)
        *text += length + ((*text)[length] == '\n');
    return line;
}

static bool write_list(const struct smc_text *files, const struct timespec *begun,
                       struct smc_text *list)
{
    const char *rest = smc_text_string(files);
    bool valid = true;
    while (valid && *rest) {
        smc_auto_free char *line = split_line(&rest);
        if (line && line[0] == 'm')
            smc_text_printf(list, "%s %s\n", missing, line + 1);
        else
            valid = line && output_cache_write_file(line + 1, line[0] == 'u', begun, list);
    }
    return valid && !list->failed;
}

/* Whether the file still has the listed hash. Whether a missing file still is missing is part of
   the hash of `hiding`. */
static bool is_unchanged(const char *line)
{
    if (strncmp(line, missing, HASH_DIGITS) == 0)
        return true;
    char *end;
    unsigned long long expected = strtoull(line, &end, 16);
    smc_auto_text bytes = {0};
    uint64_t hash;
    return end == line + HASH_DIGITS && *end == ' ' && smc_file_is_regular(end + 1) &&
           output_cache_hash(end + 1, &bytes, &hash) && hash == expected;
}

static bool are_unchanged(const char *list)
{
    bool same = true;
    while (same && *list) {
        smc_auto_free char *line = split_line(&list);
        same = line && is_unchanged(line);
    }
    return same;
}

/* --- Files that hide others ------------------------------------------------------------------- */

/* The last parts of a path, by which #include may have named the file. */
enum { MOST_PARTS = 4 };

/* The start of the last `parts` parts; NULL if there are not as many. */
static const char *last_parts(const char *path, int parts)
{
    const char *start = path + strlen(path);
    while (start > path)
        if (*--start == '/' && --parts == 0)
            return start + 1;
    return parts == 1 && *path != '/' ? path : NULL;
}

static uint64_t hash_hiding(uint64_t hash, const char *file, const char *folders)
{
    while (*folders) {
        size_t bytes = strcspn(folders, "\n");
        for (int parts = 1; parts <= MOST_PARTS; parts++) {
            const char *name = last_parts(file, parts);
            char path[SMC_TOOL_PATH];
            int length =
                name ? snprintf(path, sizeof path, "%.*s/%s", (int)bytes, folders, name) : 0;
            if (length > 0 && length < SMC_TOOL_PATH && access(path, F_OK) == 0)
                hash = smc_hash(hash, path, (size_t)length + 1);
        }
        folders += bytes + (folders[bytes] == '\n');
    }
    return hash;
}

/* The hash of the paths of all files in the folders that have the name of a file in the list. */
static uint64_t hiding(const char *list, const struct smc_text *folders)
{
    uint64_t hash = SMC_HASH_START;
    while (*list) {
        smc_auto_free char *line = split_line(&list);
        if (!line)
            return 0;
        if (strlen(line) > HASH_DIGITS)
            hash = hash_hiding(hash, line + HASH_DIGITS + 1, smc_text_string(folders));
    }
    return hash;
}

/* --- Entries ---------------------------------------------------------------------------------- */

/* Whether the value is as long as the record says. */
static bool output_cache_read_record(const struct smc_text *value, struct record *record)
{
    if (value->length < sizeof *record)
        return false;
    memcpy(record, value->data, sizeof *record);
    uint64_t left = value->length - sizeof *record;
    for (size_t i = 0; i < PARTS; i++) {
        if (record->bytes[i] > left)
            return false;
        left -= record->bytes[i];
    }
    return left == 0 && record->bytes[MESSAGE] < sizeof((struct smc_error *)0)->message;
}

static bool copy_cubin(const char *bytes, size_t length, struct smc_nvrtc_output *output)
{
    void *cubin = length ? smc_malloc(length) : NULL;
    if (!length)
        return true;
    if (!cubin)
        return false;
    memcpy(cubin, bytes, length);
    output->binary = (struct smc_binary){.cubin = cubin, .cubin_bytes = length};
    return true;
}

/* Fills the outcome with what follows the list. */
static bool output_cache_unpack(const char *part[PARTS], const struct record *record,
                                struct smc_compile_outcome *outcome)
{
    struct smc_nvrtc_output *output = outcome->output;
    struct smc_nvrtc_output read = {.nvrtc_major = record->nvrtc_major,
                                    .nvrtc_minor = record->nvrtc_minor};
    smc_text_append_bytes(&outcome->warnings, part[WARNINGS], record->bytes[WARNINGS]);
    smc_text_append_bytes(&read.log, part[LOG], record->bytes[LOG]);
    smc_text_append_bytes(&read.ptx, part[PTX], record->bytes[PTX]);
    if (outcome->warnings.failed || read.log.failed || read.ptx.failed ||
        !copy_cubin(part[CUBIN], record->bytes[CUBIN], &read)) {
        smc_text_free(&outcome->warnings);
        smc_nvrtc_output_free(&read);
        return false;
    }
    outcome->status = (enum smc_status)record->status;
    snprintf(outcome->error.message, sizeof outcome->error.message, "%.*s",
             (int)record->bytes[MESSAGE], part[MESSAGE]);
    *output = read;
    return true;
}

bool smc_output_cache_find(struct smc_output_cache *cache, struct smc_compile_outcome *outcome)
{
    smc_auto_text value = {0}, list = {0};
    struct record record;
    const char *part[PARTS];
    clock_gettime(CLOCK_REALTIME, &cache->begun);
    bool found = cache->key.length > 0 && !cache->key.failed && !cache->folders.failed &&
                 smc_cache_read(&cache->cache, &cache->key, &value) &&
                 output_cache_read_record(&value, &record);
    if (found) {
        const char *at = value.data + sizeof record;
        for (size_t i = 0; i < PARTS; at += record.bytes[i++])
            part[i] = at;
        smc_text_append_bytes(&list, part[LIST], record.bytes[LIST]);
        found = !list.failed && are_unchanged(smc_text_string(&list)) &&
                hiding(smc_text_string(&list), &cache->folders) == record.hiding &&
                output_cache_unpack(part, &record, outcome);
    }
    return found;
}

/* Other errors, such as a full disk, may not recur. */
static bool has_errors_of_source(const struct smc_compile_outcome *outcome)
{
    const char *log = smc_text_string(&outcome->output->log);
    return outcome->status == SMC_USAGE && (strstr(log, " detected in the compilation of ") ||
                                            strstr(log, "Ptx assembly aborted due to errors"));
}

static void output_cache_pack(const struct smc_compile_outcome *outcome,
                              const struct smc_text *list, uint64_t hidden, struct smc_text *value)
{
    const struct smc_nvrtc_output *output = outcome->output;
    const char *const part[PARTS] = {
        [LIST] = smc_text_string(list),
        [MESSAGE] = outcome->error.message,
        [WARNINGS] = smc_text_string(&outcome->warnings),
        [LOG] = smc_text_string(&output->log),
        [PTX] = smc_text_string(&output->ptx),
        [CUBIN] = output->binary.cubin,
    };
    const struct record record = {
        .hiding = hidden,
        .status = outcome->status,
        .nvrtc_major = output->nvrtc_major,
        .nvrtc_minor = output->nvrtc_minor,
        .bytes = {list->length, outcome->status == SMC_OK ? 0 : strlen(outcome->error.message),
                  outcome->warnings.length, output->log.length, output->ptx.length,
                  output->binary.cubin_bytes},
    };
    smc_text_append_bytes(value, (const char *)&record, sizeof record);
    for (size_t i = 0; i < PARTS; i++)
        if (record.bytes[i])
            smc_text_append_bytes(value, part[i], record.bytes[i]);
}

void smc_output_cache_store(struct smc_output_cache *cache, const struct smc_text *files,
                            const struct smc_compile_outcome *outcome)
{
    smc_auto_text list = {0}, value = {0};
    if (cache->cache.usable && cache->key.length > 0 && !cache->key.failed &&
        !cache->folders.failed && !files->failed && !outcome->warnings.failed &&
        (outcome->status == SMC_OK || has_errors_of_source(outcome)) &&
        write_list(files, &cache->begun, &list)) {
        output_cache_pack(outcome, &list, hiding(smc_text_string(&list), &cache->folders), &value);
        if (!value.failed)
            smc_cache_write(&cache->cache, &cache->key, value.data, value.length);
    }
}

void smc_output_cache_free(struct smc_output_cache *cache)
{
    smc_text_free(&cache->key);
    smc_text_free(&cache->folders);
}
