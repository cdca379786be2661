/* Which NVRTC libraries this machine has. */
#include "config.h"

#include "compile/find_nvrtc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/memory.h"
#include "compile/nvrtc.h"

static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
                                    "libnvrtc.so"};

static const char *const folders[] = {"/usr/local/cuda/lib64", "/opt/cuda/lib64"};

/* Python wheels and Conda: below the folder that a variable names, or below "". */
static const struct {
    const char *variable, *pattern;
} wheels[] = {
    {"VIRTUAL_ENV", "/lib/python3*/*-packages/nvidia/*/lib/libnvrtc.so.*"},
    {"CONDA_PREFIX", "/lib/libnvrtc.so.*"},
    {"HOME", "/.local/lib/python3*/*-packages/nvidia/*/lib/libnvrtc.so.*"},
    {NULL, "/usr/local/lib/python3*/*-packages/nvidia/*/lib/libnvrtc.so.*"},
    {NULL, "/usr/lib/python3*/*-packages/nvidia/*/lib/libnvrtc.so.*"},
};

/* What to try, in order: one path or bare name a line, then what a search by name depends on. The
   lines are the key under which the outcome is kept. */
struct candidates {
    struct smc_text lines;
    size_t count;
};

static bool identify(const char *path, struct smc_file_identity *file)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return false;
    *file = (struct smc_file_identity){status.st_dev, status.st_ino, status.st_size,
                                       status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
    return true;
}

/* A line with the file's identity; absent files as such, where `absent_too`. */
static bool append_file(struct smc_text *lines, const char *path, bool absent_too)
{
    struct smc_file_identity file = {.bytes = -1};
    if (!identify(path, &file) && !absent_too)
        return false;
    smc_text_printf(lines, "%s\n%llu:%llu %lld %lld.%09lld\n", path,
                    (unsigned long long)file.device, (unsigned long long)file.inode,
                    (long long)file.bytes, (long long)file.seconds, (long long)file.nanoseconds);
    return true;
}

static void add_path(struct candidates *candidates, const char *path, bool absent_too)
{
    /* A line break would end the line early; no such path is worth support. */
    if (!strchr(path, '\n') && append_file(&candidates->lines, path, absent_too))
        candidates->count++;
}

/* By file name, the newest first: "libnvrtc.so.13" before "libnvrtc.so.12". */
static int newest_first(const void *a, const void *b)
{
    const char *s = *(char *const *)a, *t = *(char *const *)b;
    int order = strcmp(strrchr(t, '/'), strrchr(s, '/'));
    return order ? order : strcmp(s, t);
}

static void add_matches(struct candidates *candidates, const char *root, const char *pattern)
{
    char path[1200];
    struct smc_folder_matches found = {0};
    if (strlen(root) > 1000)
        return;
    snprintf(path, sizeof path, "%s%s", root, pattern);
    smc_folder_match(path, &found);
    if (found.count > 0)
        qsort(found.path, found.count, sizeof *found.path, newest_first);
    for (size_t k = 0; k < found.count; k++)
        add_path(candidates, found.path[k], false);
    smc_folder_matches_free(&found);
}

static void add_wheels(struct candidates *candidates)
{
    for (size_t i = 0; i < sizeof wheels / sizeof *wheels; i++) {
        const char *root = wheels[i].variable ? getenv(wheels[i].variable) : "";
        if (root && (!wheels[i].variable || *root))
            add_matches(candidates, root, wheels[i].pattern);
    }
}

/* The one that quickstart fetched into its build folder, where this program lies; those of the
   tests lie up to two folders deeper. */
static void add_fetched(struct candidates *candidates)
{
    char folder[1000];
    ssize_t length = readlink("/proc/self/exe", folder, sizeof folder);
    if (length <= 0 || length == sizeof folder)
        return;
    folder[length] = '\0';
    for (int up = 0; up < 3; up++) {
        char *slash = strrchr(folder, '/');
        if (!slash || slash == folder)
            return;
        *slash = '\0';
        add_matches(candidates, folder, "/nvrtc/nvidia/*/lib/libnvrtc.so.*");
    }
}

/* The dynamic linker's own search: its variable, the folders in it, its cache. */
static void append_linker_state(struct smc_text *lines)
{
    const char *list = getenv("LD_LIBRARY_PATH");
    char folder[1024];
    smc_text_append(lines, "\nlinker\n");
    append_file(lines, "/etc/ld.so.cache", true);
    while (list && *list) {
        size_t length = strcspn(list, ":;");
        if (length > 0 && length < sizeof folder) {
            snprintf(folder, sizeof folder, "%.*s", (int)length, list);
            append_file(lines, folder, true);
        }
        list += length + (list[length] != '\0');
    }
}

static void list_candidates(struct candidates *candidates)
{
    char path[1100];
    *candidates = (struct candidates){0};
    smc_text_append(&candidates->lines, "smemcalc search 2\n");
    const char *own = getenv("SMEMCALC_NVRTC");
    if (own && *own)
        add_path(candidates, own, true);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++, candidates->count++)
        smc_text_printf(&candidates->lines, "%s\n\n", names[i]);
    for (size_t k = 0; k < sizeof folders / sizeof *folders; k++)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            snprintf(path, sizeof path, "%s/%s", folders[k], names[i]);
            add_path(candidates, path, false);
        }
    add_wheels(candidates);
    add_fetched(candidates);
    append_linker_state(&candidates->lines);
}

static bool is_known(const struct smc_nvrtc_search *search, const struct smc_nvrtc_place *place)
{
    for (size_t i = 0; i < search->count; i++) {
        const struct smc_nvrtc_place *known = &search->place[i];
        if (strcmp(known->info.path, place->info.path) == 0 ||
            memcmp(&known->file, &place->file, sizeof place->file) == 0)
            return true;
    }
    return false;
}

static const struct smc_nvrtc_place *supporting(const struct smc_nvrtc_search *search, uint16_t cc)
{
    for (size_t i = 0; i < search->count; i++)
        if (cc == 0 || smc_nvrtc_supports(&search->place[i].info, cc))
            return &search->place[i];
    return NULL;
}

/* Opens the candidates one by one, as far as needed. */
static void search_candidates(const struct candidates *candidates, uint16_t cc,
                              struct smc_nvrtc_search *search)
{
    const char *own = getenv("SMEMCALC_NVRTC");
    const char *line = strchr(smc_text_string(&candidates->lines), '\n');
    char name[1024];
    memset(search, 0, sizeof *search);
    search->is_final = true;
    for (size_t i = 0; i < candidates->count && line && search->count < SMC_MAX_NVRTC; i++) {
        const char *start = line + 1;
        struct smc_nvrtc nvrtc;
        struct smc_error why = {""};
        line = strchr(start, '\n');
        if (!line)
            break;
        int length = (int)(line - start);
        line = strchr(line + 1, '\n'); /* the identity's */
        if (length >= (int)sizeof name)
            continue;
        snprintf(name, sizeof name, "%.*s", length, start);
        struct smc_nvrtc_place *place = &search->place[search->count];
        enum smc_status opened = smc_nvrtc_open(name, &nvrtc, &place->info, &why);
        search->is_final = search->is_final && (opened == SMC_OK || opened == SMC_USAGE);
        if (opened == SMC_OK && identify(place->info.path, &place->file) &&
            !is_known(search, place))
            search->count++;
        else
            memset(place, 0, sizeof *place);
        if (opened == SMC_MACHINE && !search->out_of_memory) {
            search->out_of_memory = true;
            snprintf(search->problem, sizeof search->problem, "%.*s", 500, why.message);
        }
        if (i == 0 && own && *own && why.message[0] && !search->out_of_memory)
            snprintf(search->problem, sizeof search->problem, "SMEMCALC_NVRTC: %.*s", 480,
                     why.message);
        if (supporting(search, cc))
            return;
    }
    search->is_complete = true;
}

/* A kept outcome holds while its files are what they were. */
static bool read_search(struct smc_cache *cache, const struct smc_text *key, uint16_t cc,
                        struct smc_nvrtc_search *search)
{
    struct smc_text value = {0};
    bool valid = smc_cache_read(cache, key, &value) && value.length == sizeof *search;
    if (valid) {
        memcpy(search, value.data, sizeof *search);
        valid = search->count <= SMC_MAX_NVRTC && (search->is_complete || supporting(search, cc));
        for (size_t i = 0; valid && i < search->count; i++) {
            struct smc_file_identity now;
            valid = identify(search->place[i].info.path, &now) &&
                    memcmp(&now, &search->place[i].file, sizeof now) == 0;
        }
    }
    smc_text_free(&value);
    return valid;
}

/* What failed for want of memory, or for another reason that may pass, is tried again by the next
   run. That there is none at all is found out fast each time. */
static bool is_worth_keeping(const struct smc_nvrtc_search *search)
{
    return search->count > 0 && search->is_final && !smc_memory_failed();
}

const struct smc_nvrtc_place *smc_nvrtc_find(struct smc_cache *cache, uint16_t cc,
                                             struct smc_nvrtc_search *search)
{
    struct candidates candidates;
    list_candidates(&candidates);
    if (candidates.lines.failed || !read_search(cache, &candidates.lines, cc, search)) {
        search_candidates(&candidates, cc, search);
        if (is_worth_keeping(search) && !candidates.lines.failed)
            smc_cache_write(cache, &candidates.lines, search, sizeof *search);
    }
    smc_text_free(&candidates.lines);
    return supporting(search, cc);
}
