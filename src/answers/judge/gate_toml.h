/* TOML, read by toml++ into a tree of C: the only file that knows the library is gate_toml.cc. */
#ifndef SMC_ANSWERS_GATE_TOML_H
#define SMC_ANSWERS_GATE_TOML_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum smc_toml_type {
    SMC_TOML_TABLE,
    SMC_TOML_ARRAY,
    SMC_TOML_STRING,
    SMC_TOML_INTEGER,
    SMC_TOML_REAL,
    SMC_TOML_BOOLEAN,
    SMC_TOML_DATE,
    SMC_TOML_OTHER, /* times */
};

/* Owns what it points to. */
struct smc_toml {
    enum smc_toml_type type;
    uint32_t line;         /* of its key; in an array, where it begins */
    char *key;             /* NULL in an array */
    char *string;          /* of STRING */
    int64_t integer;       /* of INTEGER; BOOLEAN: 0 or 1 */
    double real;           /* of REAL */
    int year, month, day;  /* of DATE */
    struct smc_toml *item; /* of TABLE and ARRAY, in the order of the file */
    size_t count;
};

/* Tables and arrays within each other, and bytes of a line, at most. */
enum { SMC_TOML_MOST_LEVELS = 16, SMC_TOML_LONGEST_LINE = 1024 };

/* SMC_USAGE with "PATH:LINE: why"; SMC_UNAVAILABLE in a build without toml++; SMC_MACHINE: memory.
   Free the root, a table, if the status is SMC_OK. */
enum smc_status smc_toml_parse(const char *text, size_t length, const char *path,
                               struct smc_toml *root, struct smc_error *error);

void smc_toml_free(struct smc_toml *root);

#ifdef __cplusplus
}
#endif

#endif
