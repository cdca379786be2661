/* The fields that hold a number: where it stands in a query, its range and its steps. */
#ifndef SMC_TUI_FIELD_NUMBERS_H
#define SMC_TUI_FIELD_NUMBERS_H

#include "tui/fields.h"

bool smc_field_is_param(enum smc_field field);
enum smc_param smc_field_param(enum smc_field field);

/* A size of the problem, which has no say in how many blocks fit: stands last. */
bool smc_field_is_size(enum smc_field field);

/* Whether a person chose it. */
bool smc_field_given(const struct smc_query *query, enum smc_field field);

/* Whether two devices are the same one: boards may share a name. */
bool smc_field_is_device(const struct smc_device *a, const struct smc_device *b);

/* The number that was given for a field, not the device or the kernel, or that none was. */
bool smc_field_equal(const struct smc_query *a, const struct smc_query *b, enum smc_field field);

/* Whether every field is given, or not, alike. */
bool smc_fields_equal(const struct smc_query *a, const struct smc_query *b);

struct smc_field_range {
    int64_t lowest, highest;
    int64_t step, far; /* what a key adds */
    bool bytes;        /* 48K may be typed */
};

/* Of a field that holds a number. */
struct smc_field_range smc_field_range(const struct smc_query *query, enum smc_field field);

/* The number in effect: the query's, or where it has none the answer's. */
int64_t smc_field_number(const struct smc_query *query, const struct smc_answer *answer,
                         enum smc_field field);
void smc_field_set_number(struct smc_query *query, enum smc_field field, int64_t value);

#endif
