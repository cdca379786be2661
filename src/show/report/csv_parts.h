/* The parts that the CSV report is made of, one file each. */
#ifndef SMC_SHOW_CSV_PARTS_H
#define SMC_SHOW_CSV_PARTS_H

#include "show/report/report.h"

void smc_csv_integer(int64_t integer, struct smc_text *out);
/* Whole numbers with all their digits. */
void smc_csv_number(double value, struct smc_text *out);

/* Quoted where the format needs it, and safe for a terminal. */
void smc_csv_field(struct smc_text *out, const char *value);

/* The header and the row of an answer. `why` is NULL, or the reason why there is none; then only
   the inputs are filled. */
void smc_csv_answer_head(struct smc_text *out);
void smc_csv_answer(const struct smc_answer *answer, const char *why, struct smc_text *out);

/* ",tile,dtype,...", and their values: empty where the kernel does not take one. */
void smc_csv_params_head(struct smc_text *out);
void smc_csv_params(const struct smc_query *query, struct smc_text *out);

/* A row of a run, and the header of such rows. */
struct smc_csv_run {
    const char *kernel, *host_name, *gpu_uuid;
};
void smc_csv_rows_head(struct smc_text *out);
void smc_csv_row(const struct smc_csv_run *run, const struct smc_row *row, struct smc_text *out);

#define WRITER(kind, list, parameters, arguments)                                                  \
    SMC_WRITER_DECLARE(void smc_csv_##kind(SMC_WRITER_LIST parameters, struct smc_text *out);)
#include "show/report/writers.def"

void smc_csv_fleet(const struct smc_fleet *fleet, struct smc_text *out);
/* The lines of a kernel that were executed, hottest first. */
void smc_csv_annotation_head(struct smc_text *out);
void smc_csv_annotation(const char *kernel, const struct smc_annotation *annotation,
                        struct smc_text *out);

void smc_csv_sweep_begin(const struct smc_sweep *sweep, struct smc_text *out);
void smc_csv_sweep_point(const struct smc_sweep *sweep, uint64_t point,
                         const struct smc_answer *answer, const char *why, struct smc_text *out);
void smc_csv_trace(const struct smc_trace_answer *answer, struct smc_text *out);
void smc_csv_kernels(struct smc_text *out);
size_t smc_csv_inspection(const struct smc_inspect_rows *rows, size_t first, struct smc_text *out);

#endif
