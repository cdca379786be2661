/* The fields of a result, listed once. A table of fields gives each its names, its unit, its
   meaning and a function that reads it; the JSON members and the CSV columns are made from the
   table. */
#ifndef SMC_SHOW_REPORT_FIELDS_H
#define SMC_SHOW_REPORT_FIELDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "answers/query.h"
#include "base/text.h"
#include "hardware/confirmed_launch.h"

enum smc_value_kind {
    SMC_VALUE_UNKNOWN, /* null in JSON, empty in CSV */
    SMC_VALUE_ABSENT,  /* not a member in JSON, empty in CSV */
    SMC_VALUE_INTEGER,
    SMC_VALUE_REAL,
    SMC_VALUE_STRING,
    SMC_VALUE_COPY, /* a string, too */
    SMC_VALUE_BOOLEAN,
    SMC_VALUE_LIMITERS, /* a set of enum smc_limit: a list in JSON, joined by '+' in CSV */
    SMC_VALUE_PARAMS,   /* of a query's kernel: see SMC_FIELD_PARAMS */
    SMC_VALUE_JSON,     /* a list or an object; only in JSON */
};

struct smc_value {
    enum smc_value_kind kind;
    union {
        uint64_t integer; /* also an int64_t, a boolean, and a set of limiters (bit n: limit n) */
        double real;
        const char *string; /* belongs to the item it was read from */
        char copy[24];
        const struct smc_query *query; /* the one whose parameters these are */
        json_t *json;                  /* a new reference, or NULL after a failed allocation */
    };
};

struct smc_value smc_value_integer(uint64_t integer);

/* A count that was computed or extrapolated: rounded to a whole number, as far as a double is
 * exact.
 */
struct smc_value smc_value_count(double count);

/* Unknown where it is 0. */
struct smc_value smc_value_known(uint64_t integer);
struct smc_value smc_value_real(double real);
/* Stored as an integer if it is whole; unknown if it is infinite or not a number. */
struct smc_value smc_value_number(double number);
/* Unknown where it is not present. */
struct smc_value smc_value_reading(struct smc_reading reading);
struct smc_value smc_value_boolean(bool boolean);
struct smc_value smc_value_limiters(uint32_t limiters);
/* Unknown where the string is NULL or empty. */
struct smc_value smc_value_string(const char *string);
/* Known also where the string is empty. */
struct smc_value smc_value_text(const char *string);
/* Copies at most 23 bytes of text that does not outlive the reader. */
struct smc_value smc_value_copy(const char *string);
struct smc_value smc_value_params(const struct smc_query *query);
/* "9.0"; unknown for 0. */
struct smc_value smc_value_capability(uint16_t cc);
/* Owns the reference. */
struct smc_value smc_value_json(json_t *json);
/* The list of x, y and z; null where x is 0. */
struct smc_value smc_value_extent(const uint32_t size[3]);
struct smc_value smc_value_itself(struct smc_value value);
struct smc_value smc_value_unknown(void);
/* The value of an expression by its type; a struct smc_value is one already. */
#ifdef __cppcheck__ /* which does not read _Generic within ?: */
#define SMC_VALUE(expression) smc_value_itself(expression)
#else
#define SMC_VALUE(expression)                                                                      \
    _Generic((expression),                                                                         \
        struct smc_value: smc_value_itself,                                                        \
        struct smc_reading: smc_value_reading,                                                     \
        json_t *: smc_value_json,                                                                  \
        bool: smc_value_boolean,                                                                   \
        double: smc_value_real,                                                                    \
        char *: smc_value_string,                                                                  \
        const char *: smc_value_string,                                                            \
        default: smc_value_integer)(expression)
#endif
/* Unknown unless `known`. */
#define SMC_VALUE_IF(known, expression) ((known) ? SMC_VALUE(expression) : smc_value_unknown())

struct smc_report_field {
    const char *key;     /* in JSON: "occupancy.percent" is in the object "occupancy"; NULL: none */
    const char *column;  /* in CSV; NULL: not a column */
    const char *unit;    /* "bytes", "percent"; empty for counts and text */
    const char *meaning; /* one phrase, for the manual */
};

struct smc_fields {
    const struct smc_report_field *row; /* ended by one without a meaning */
    struct smc_value (*read)(size_t row, const void *item);
};

/* A table of which smemcalc-formats(5) lists the members and columns, as `name`. */
struct smc_field_table {
    const char *name;
    const struct smc_fields *fields; /* NULL ends a list of tables */
};

extern const struct smc_field_table smc_answer_tables[];        /* answer_report.c */
extern const struct smc_field_table smc_workload_tables[];      /* workload.c */
extern const struct smc_field_table smc_time_tables[];          /* time_report.c */
extern const struct smc_field_table smc_bank_accesses_tables[]; /* bank_accesses_report.c */
extern const struct smc_field_table smc_inspect_tables[];       /* inspect_report.c */
extern const struct smc_field_table smc_trace_tables[];         /* trace_report.c */
extern const struct smc_field_table smc_tune_tables[];          /* tune_report.c */
extern const struct smc_field_table smc_diff_tables[];          /* diff_report.c */
extern const struct smc_field_table smc_doctor_tables[];        /* doctor_report.c */
extern const struct smc_field_table smc_exercise_tables[];      /* exercise_report.c */
extern const struct smc_field_table smc_health_tables[];        /* health_report.c */

/* Stands for every parameter of the catalog: as a column for a column of each, as the last name of
   a key for a member of each that the kernel accepts. */
#define SMC_FIELD_PARAMS "parameters"

/* Defines the table `name` from a list LIST(FIELD) with an entry for each field:
       FIELD(key, column, unit, meaning, value)
   where `value`, as for SMC_VALUE, is an expression of `item`, a const pointer to the type. */
#define SMC_FIELD_TABLE(name, type, LIST)                                                          \
    static struct smc_value name##_read(size_t row, const void *untyped)                           \
    {                                                                                              \
        const type *item = untyped;                                                                \
        size_t at = 0;                                                                             \
        LIST(SMC_FIELD_READ)                                                                       \
        (void)item;                                                                                \
        return (struct smc_value){.kind = SMC_VALUE_UNKNOWN};                                      \
    }                                                                                              \
    static const struct smc_report_field name##_rows[] = {LIST(SMC_FIELD_ROW){.meaning = NULL}};   \
    static const struct smc_fields name = {name##_rows, name##_read};
#define SMC_FIELD_READ(key, column, unit, meaning, value)                                          \
    if (row == at++)                                                                               \
        return SMC_VALUE(value);
#define SMC_FIELD_ROW(key, column, unit, meaning, value) {key, column, unit, meaning},

/* Adds a member for each field with a key to `object`. */
void smc_fields_json(const struct smc_fields *fields, const void *item, json_t *object);
/* A new object with these members. */
json_t *smc_fields_object(const struct smc_fields *fields, const void *item);

/* A line with the columns' names; a line with an item's values. */
void smc_fields_csv_head(const struct smc_fields *fields, struct smc_text *out);
void smc_fields_csv_row(const struct smc_fields *fields, const void *item, struct smc_text *out);

/* One value: as a member, where "a.b" is a member of the object "a"; as a field of CSV. */
void smc_value_to_json(const struct smc_value *value, const char *key, json_t *object);
void smc_value_to_csv(const struct smc_value *value, struct smc_text *out);
/* A line with the columns' names, then one for each of `count` items of `size` bytes. */
void smc_fields_csv_table(const struct smc_fields *fields, const void *items, size_t count,
                          size_t size, struct smc_text *out);

#endif
