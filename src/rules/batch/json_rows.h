/* Writes answered rows as JSON: an object for each, with the input's columns, then the results. */
#ifndef SMC_RULES_JSON_ROWS_H
#define SMC_RULES_JSON_ROWS_H

#include "rules/batch/writer.h"

struct smc_json_rows;

/* Whether these are the words that data frames write where there is no value. */
bool smc_batch_is_no_value(const char *text, size_t length);

/* NULL: out of memory. */
struct smc_json_rows *smc_json_rows_create(const struct smc_csv_sink *sink,
                                           enum smc_batch_format format);
void smc_json_rows_free(struct smc_json_rows *rows);

/* Remembers the names of the columns. SMC_MACHINE: memory. */
enum smc_status smc_json_rows_begin(struct smc_json_rows *rows, const struct smc_csv_record *header,
                                    bool clusters, struct smc_error *error);

/* `answer` is NULL for a row that could not be read, `reason` for one that could. */
enum smc_status smc_json_rows_add(struct smc_json_rows *rows, const struct smc_csv_record *record,
                                  const struct smc_batch_answer *answer, const char *reason,
                                  struct smc_error *error);

/* What follows the last row. */
enum smc_status smc_json_rows_end(struct smc_json_rows *rows, struct smc_error *error);

enum smc_status smc_json_rows_flush(struct smc_json_rows *rows, struct smc_error *error);

#endif
