/* Writes answered rows as CSV: the input's columns unchanged, except for terminal control
   characters, then the results. Writes large blocks; allocates nothing after opening. */
#ifndef SMC_RULES_WRITER_H
#define SMC_RULES_WRITER_H

#include "base/csv_reader.h"
#include "base/status.h"
#include "rules/occupancy.h"

enum smc_batch_format {
    SMC_BATCH_CSV,
    SMC_BATCH_JSON,  /* one document */
    SMC_BATCH_JSONL, /* an object a line */
};

/* A destination for bytes. `write` writes all of them or fails. */
struct smc_csv_sink {
    enum smc_status (*write)(void *context, const char *bytes, size_t count,
                             struct smc_error *error);
    void *context;
};

/* What a row's answer depends on. */
struct smc_batch_device {
    struct smc_sm sm;
    uint32_t sm_count; /* 0: not known */
    struct smc_sm_groups sm_groups;
};

struct smc_batch_answer {
    const struct smc_batch_device *device; /* lasts until the next row */
    struct smc_launch launch;
    struct smc_occupancy occupancy;
};

struct smc_csv_writer;

/* NULL: out of memory. */
struct smc_csv_writer *smc_csv_writer_create(const struct smc_csv_sink *sink);
void smc_csv_writer_free(struct smc_csv_writer *writer);

/* Before the header: the columns about clusters are written, too. */
void smc_csv_writer_add_clusters(struct smc_csv_writer *writer);

/* Each fails only if the sink does. */
enum smc_status smc_csv_write_header(struct smc_csv_writer *writer,
                                     const struct smc_csv_record *header, bool mark,
                                     struct smc_error *error);
enum smc_status smc_csv_write_answer(struct smc_csv_writer *writer,
                                     const struct smc_csv_record *record,
                                     const struct smc_batch_answer *answer,
                                     struct smc_error *error);

/* A row that could not be read: its columns, as many as the header has, empty results, `reason`. */
enum smc_status smc_csv_write_bad_row(struct smc_csv_writer *writer,
                                      const struct smc_csv_record *record, uint32_t columns,
                                      const char *reason, struct smc_error *error);

/* Passes everything written so far to the sink. */
enum smc_status smc_csv_flush(struct smc_csv_writer *writer, struct smc_error *error);

#endif
