/* Reading a SQLite file that may be damaged or hostile. */
#include "config.h"

#ifdef HAVE_SQLITE

#include "answers/trace/sqlite.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/text.h"

enum {
    STEPS_PER_CALL = 1 << 16, /* of SQLite's machine between two calls of the progress handler */
    STEPS_PER_BYTE = 16,      /* a row takes about one step for each of its values */
    MOST_STEPS_ANYWAY = 1 << 24,
    MOST_VALUE_BYTES = 1 << 24, /* of a text */
};

static enum smc_status sqlite_fail(struct smc_sqlite *sqlite, int result, struct smc_error *error)
{
    switch (result & 0xff) {
    case SQLITE_NOMEM:
        return smc_out_of_memory(error);
    case SQLITE_INTERRUPT:
        return smc_fail(error, SMC_USAGE, "%s: damaged: its tables do not end", sqlite->shown);
    case SQLITE_AUTH:
        return smc_fail(error, SMC_USAGE,
                        "%s: not an export of Nsight Systems: a table has computed columns",
                        sqlite->shown);
    default:
        return smc_fail(error, SMC_USAGE, "%s: damaged, or encrypted: SQLite says '%s'",
                        sqlite->shown,
                        sqlite->db ? sqlite3_errmsg(sqlite->db) : sqlite3_errstr(result));
    }
}

/* Only reading of tables, and their columns' names. */
static int authorize(void *context, int action, const char *first, const char *second,
                     const char *database, const char *trigger)
{
    (void)context, (void)second, (void)database, (void)trigger;
    const bool names = action == SQLITE_PRAGMA && first && strcasecmp(first, "table_info") == 0;
    return action == SQLITE_SELECT || action == SQLITE_READ || names ? SQLITE_OK : SQLITE_DENY;
}

static int count_steps(void *context)
{
    struct smc_sqlite *sqlite = context;
    if (sqlite->steps_left < STEPS_PER_CALL)
        return 1;
    sqlite->steps_left -= STEPS_PER_CALL;
    return 0;
}

/* A journal that is not empty belongs to an export that was interrupted or has not ended: what is
   in it would be lost. */
static enum smc_status refuse_journals(const char *path, const char *shown, struct smc_error *error)
{
    static const char *const endings[] = {"-journal", "-wal"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        smc_auto_text name = {0};
        struct stat about;
        smc_text_printf(&name, "%s%s", path, endings[i]);
        if (name.failed)
            return smc_out_of_memory(error);
        const bool is_there = stat(smc_text_string(&name), &about) == 0 && about.st_size > 0;
        if (is_there)
            return smc_fail(error, SMC_USAGE,
                            "%s: the export has not ended, or was interrupted: there is a file "
                            "'%s%s'",
                            shown, shown, endings[i]);
    }
    return SMC_OK;
}

/* SQLite neither locks an immutable file nor looks for its journal. */
static void sqlite_append_uri(struct smc_text *uri, const char *path)
{
    smc_text_append(uri, *path == '/' ? "file://" : "file:");
    for (; *path; path++)
        if (strchr("?#%", *path))
            smc_text_printf(uri, "%%%02X", (unsigned)*path);
        else
            smc_text_append_char(uri, *path, 1);
    smc_text_append(uri, "?mode=ro&immutable=1");
}

static void distrust(struct smc_sqlite *sqlite)
{
    static const struct {
        int option, value;
    } options[] = {
        {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
#ifdef SQLITE_DBCONFIG_ENABLE_VIEW
        {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
#endif
#ifdef SQLITE_DBCONFIG_DEFENSIVE
        {SQLITE_DBCONFIG_DEFENSIVE, 1},
#endif
#ifdef SQLITE_DBCONFIG_TRUSTED_SCHEMA
        {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
#endif
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        sqlite3_db_config(sqlite->db, options[i].option, options[i].value, (int *)NULL);
    sqlite3_limit(sqlite->db, SQLITE_LIMIT_LENGTH, MOST_VALUE_BYTES);
    sqlite3_progress_handler(sqlite->db, STEPS_PER_CALL, count_steps, sqlite);
}

/* Reads the names of the tables. SQLite reports some kinds of damage as a lack of memory. It is
   damage if a second attempt fails too although memory can be allocated. */
static enum smc_status read_schema(struct smc_sqlite *sqlite, struct smc_error *error)
{
    static const char sql[] = "SELECT 1 FROM sqlite_master LIMIT 1";
    enum { PROBE_BYTES = 1 << 16 };
    int result = sqlite3_exec(sqlite->db, sql, NULL, NULL, NULL);
    if (result == SQLITE_NOMEM)
        result = sqlite3_exec(sqlite->db, sql, NULL, NULL, NULL);
    if (result != SQLITE_NOMEM)
        return result == SQLITE_OK ? SMC_OK : sqlite_fail(sqlite, result, error);
    smc_auto_free void *probe = smc_malloc(PROBE_BYTES);
    if (!probe)
        return smc_out_of_memory(error);
    return smc_fail(error, SMC_USAGE, "%s: damaged: SQLite cannot read the names of its tables",
                    sqlite->shown);
}

enum smc_status smc_sqlite_open(struct smc_sqlite *sqlite, const char *path, const char *shown,
                                struct smc_error *error)
{
    smc_auto_text uri = {0};
    struct stat about;
    *sqlite = (struct smc_sqlite){.shown = shown};
    SMC_TRY(refuse_journals(path, shown, error));
    const uint64_t bytes = stat(path, &about) == 0 && about.st_size > 0 ? about.st_size : 0;
    sqlite->steps_left = MOST_STEPS_ANYWAY + STEPS_PER_BYTE * bytes;
    sqlite_append_uri(&uri, path);
    if (uri.failed)
        return smc_out_of_memory(error);
    int result =
        sqlite3_open_v2(smc_text_string(&uri), &sqlite->db,
                        SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
    if (result == SQLITE_OK) {
        distrust(sqlite);
        result = sqlite3_exec(sqlite->db, "PRAGMA cell_size_check = ON", NULL, NULL, NULL);
    }
    if (result != SQLITE_OK)
        return sqlite_fail(sqlite, result, error);
    sqlite3_set_authorizer(sqlite->db, authorize, NULL);
    return read_schema(sqlite, error);
}

void smc_sqlite_close(struct smc_sqlite *sqlite)
{
    sqlite3_close(sqlite->db);
    sqlite->db = NULL;
}

static enum smc_status sqlite_prepare(struct smc_sqlite *sqlite, const struct smc_text *sql,
                                      sqlite3_stmt **query, struct smc_error *error)
{
    *query = NULL;
    if (sql->failed)
        return smc_out_of_memory(error);
    const int result = sqlite3_prepare_v2(sqlite->db, smc_text_string(sql), -1, query, NULL);
    return result == SQLITE_OK ? SMC_OK : sqlite_fail(sqlite, result, error);
}

/* Whether it is a table with rows of its own; views and virtual tables have no root page. */
static enum smc_status sqlite_find_table(struct smc_sqlite *sqlite, const char *table, bool *found,
                                         struct smc_error *error)
{
    smc_auto_text sql = {0};
    sqlite3_stmt *query;
    smc_text_printf(&sql,
                    "SELECT 1 FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND "
                    "name = '%s' COLLATE NOCASE",
                    table);
    enum smc_status status = sqlite_prepare(sqlite, &sql, &query, error);
    if (status == SMC_OK)
        status = smc_sqlite_step(sqlite, query, found, error);
    sqlite3_finalize(query);
    return status;
}

static enum smc_status sqlite_find_columns(struct smc_sqlite *sqlite,
                                           const struct smc_sqlite_columns *columns, bool *has,
                                           struct smc_error *error)
{
    smc_auto_text sql = {0};
    sqlite3_stmt *query;
    bool found = true;
    smc_text_printf(&sql, "PRAGMA table_info(\"%s\")", columns->table);
    enum smc_status status = sqlite_prepare(sqlite, &sql, &query, error);
    for (size_t i = 0; i < columns->count; i++)
        has[i] = false;
    while (status == SMC_OK && found) {
        status = smc_sqlite_step(sqlite, query, &found, error);
        if (status != SMC_OK || !found)
            break;
        const char *name = (const char *)sqlite3_column_text(query, 1);
        for (size_t i = 0; name && i < columns->count; i++)
            has[i] = has[i] || strcasecmp(name, columns->name[i]) == 0;
    }
    sqlite3_finalize(query);
    return status;
}

enum smc_status smc_sqlite_select(struct smc_sqlite *sqlite,
                                  const struct smc_sqlite_columns *columns, const char *tail,
                                  bool *has, sqlite3_stmt **query, struct smc_error *error)
{
    const size_t count = columns->count;
    smc_auto_text sql = {0};
    bool found;
    *query = NULL;
    smc_auto_free bool *there = smc_calloc(count + 1, sizeof *there);
    if (!there)
        return smc_out_of_memory(error);
    enum smc_status status = sqlite_find_table(sqlite, columns->table, &found, error);
    if (status == SMC_OK && found)
        status = sqlite_find_columns(sqlite, columns, there, error);
    if (status == SMC_OK && found) {
        for (size_t i = 0; i < count; i++)
            smc_text_printf(&sql, "%s%s%s%s", i ? ", " : "SELECT ", there[i] ? "\"" : "",
                            there[i] ? columns->name[i] : "NULL", there[i] ? "\"" : "");
        smc_text_printf(&sql, " FROM \"%s\" %s", columns->table, tail);
        status = sqlite_prepare(sqlite, &sql, query, error);
    }
    if (has)
        memcpy(has, there, count * sizeof *has);
    return status;
}

enum smc_status smc_sqlite_step(struct smc_sqlite *sqlite, sqlite3_stmt *query, bool *found,
                                struct smc_error *error)
{
    const int result = sqlite3_step(query);
    *found = result == SQLITE_ROW;
    return *found || result == SQLITE_DONE ? SMC_OK : sqlite_fail(sqlite, result, error);
}

/* The connection has no mutex, so that its values may be read directly: half the time of asking for
   the column's type and its number. */
bool smc_sqlite_integer(sqlite3_stmt *query, int column, int64_t *value)
{
    sqlite3_value *stored = sqlite3_column_value(query, column);
    if (sqlite3_value_type(stored) != SQLITE_INTEGER)
        return false;
    *value = sqlite3_value_int64(stored);
    return true;
}

/* An empty blob has no text either. */
char *smc_sqlite_text(sqlite3_stmt *query, int column, enum smc_status *status,
                      struct smc_error *error)
{
    const char *text = (const char *)sqlite3_column_text(query, column);
    const int bytes = sqlite3_column_bytes(query, column);
    const bool failed = !text && sqlite3_errcode(sqlite3_db_handle(query)) == SQLITE_NOMEM;
    if (!failed && (!text || bytes == 0))
        return NULL;
    char *copy = failed ? NULL : smc_malloc((size_t)bytes + 1);
    if (!copy) {
        *status = smc_out_of_memory(error);
        return NULL;
    }
    for (int i = 0; i < bytes; i++)
        copy[i] = text[i] ? text[i] : '?';
    copy[bytes] = '\0';
    return copy;
}

#else

typedef int smc_no_sqlite; /* an empty file is no C */

#endif
