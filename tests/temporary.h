/* A folder of its own for a test of the compile cache: $SMEMCALC_CACHE_DIR points to it. */
#ifndef SMC_TESTS_TEMPORARY_H
#define SMC_TESTS_TEMPORARY_H

#include <stdbool.h>
#include <stddef.h>

struct temporary {
    char folder[256]; /* not made yet */
    char parent[128];
    char *old; /* the variable's value before */
};

/* Ends the program where the system gives no folder. */
void temporary_begin(struct temporary *temporary);
void temporary_end(struct temporary *temporary);

/* How many files have names that end so; the path of one of them. */
int temporary_count(const struct temporary *temporary, const char *suffix);
bool temporary_find(const struct temporary *temporary, const char *suffix, char *path,
                    size_t capacity);

size_t temporary_read(const char *path, void *bytes, size_t capacity);
bool temporary_write(const char *path, const void *bytes, size_t count);

#endif
