/* A SQLite file from elsewhere, read without trusting it: no journal is made, nothing is written,
   views, triggers and functions of the file do not run, and reading a damaged file ends. */
#ifndef SMC_ANSWERS_SQLITE_H
#define SMC_ANSWERS_SQLITE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Private to sqlite.c, but for `db`. */
struct smc_sqlite {
    sqlite3 *db;
    const char *shown;   /* the file's name for messages; not owned */
    uint64_t steps_left; /* of SQLite's machine; a sound file of this size needs fewer */
};

/* Opens the file, whose name is `shown` in messages and must outlive the connection. SMC_USAGE: it
   cannot be read, or is still being written. Close it in any case. */
enum smc_status smc_sqlite_open(struct smc_sqlite *sqlite, const char *path, const char *shown,
                                struct smc_error *error);
void smc_sqlite_close(struct smc_sqlite *sqlite);

struct smc_sqlite_columns {
    const char *table;
    const char *const *name;
    size_t count;
};

/* Prepares a query for these columns; what the table lacks is selected as NULL. `tail` follows the
   table's name. `has` (or NULL) receives whether each column is there. `*query` is NULL if there is
   no such table, which is no failure; views are not tables. Finalize the query. SMC_USAGE: the file
   is damaged. */
enum smc_status smc_sqlite_select(struct smc_sqlite *sqlite,
                                  const struct smc_sqlite_columns *columns, const char *tail,
                                  bool *has, sqlite3_stmt **query, struct smc_error *error);

/* The next row, or `*found` false at the end. SMC_USAGE: the file is damaged. */
enum smc_status smc_sqlite_step(struct smc_sqlite *sqlite, sqlite3_stmt *query, bool *found,
                                struct smc_error *error);

/* A column's value. False: it is not an integer. */
bool smc_sqlite_integer(sqlite3_stmt *query, int column, int64_t *value);

/* A copy of a column's text, in which NUL bytes are '?'; NULL if it is empty or SQL's NULL, and
   `*status` SMC_MACHINE if memory is short. Free it. */
char *smc_sqlite_text(sqlite3_stmt *query, int column, enum smc_status *status,
                      struct smc_error *error);

#endif
