/* A private folder for a test of the compile cache. */
#include "config.h"

#include "temporary.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void temporary_begin(struct temporary *t)
{
    const char *base = getenv("TMPDIR"), *old = getenv("SMEMCALC_CACHE_DIR");
    snprintf(t->parent, sizeof t->parent, "%s/smemcalc-test-XXXXXX",
             base && *base && strlen(base) < 100 ? base : "/tmp");
    t->old = old ? strdup(old) : NULL;
    if (!mkdtemp(t->parent)) {
        perror(t->parent);
        exit(99);
    }
    snprintf(t->folder, sizeof t->folder, "%s/cache", t->parent);
    setenv("SMEMCALC_CACHE_DIR", t->folder, 1);
}

/* Calls `visit` for each file, until it returns true. */
static bool each_file(const struct temporary *t, bool (*visit)(const char *path, void *context),
                      void *context)
{
    char path[600];
    bool stopped = false;
    DIR *folder = opendir(t->folder);
    if (!folder)
        return false;
    for (const struct dirent *item; !stopped && (item = readdir(folder));) {
        if (strcmp(item->d_name, ".") == 0 || strcmp(item->d_name, "..") == 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", t->folder, item->d_name);
        stopped = visit(path, context);
    }
    closedir(folder);
    return stopped;
}

struct match {
    const char *suffix;
    int count;
    char *path;
    size_t capacity;
};

static bool visit_match(const char *path, void *context)
{
    struct match *match = context;
    size_t length = strlen(path), end = strlen(match->suffix);
    if (length < end || strcmp(path + length - end, match->suffix) != 0)
        return false;
    match->count++;
    if (match->path)
        snprintf(match->path, match->capacity, "%s", path);
    return match->path != NULL;
}

int temporary_count(const struct temporary *t, const char *suffix)
{
    struct match match = {.suffix = suffix};
    each_file(t, visit_match, &match);
    return match.count;
}

bool temporary_find(const struct temporary *t, const char *suffix, char *path, size_t capacity)
{
    struct match match = {suffix, 0, path, capacity};
    return each_file(t, visit_match, &match);
}

static bool visit_remove(const char *path, void *context)
{
    (void)context;
    remove(path);
    return false;
}

void temporary_end(struct temporary *t)
{
    each_file(t, visit_remove, NULL);
    rmdir(t->folder);
    rmdir(t->parent);
    if (t->old)
        setenv("SMEMCALC_CACHE_DIR", t->old, 1);
    else
        unsetenv("SMEMCALC_CACHE_DIR");
    free(t->old);
}

size_t temporary_read(const char *path, void *bytes, size_t capacity)
{
    FILE *file = fopen(path, "r");
    size_t count = file ? fread(bytes, 1, capacity, file) : 0;
    if (file)
        fclose(file);
    return count;
}

bool temporary_write(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    bool written = fwrite(bytes, 1, count, file) == count;
    return fclose(file) == 0 && written;
}
