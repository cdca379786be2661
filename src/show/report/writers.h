/* What the writers are made of, a file for each subject: the functions of each kind of result, and
   the parts that reports share. */
#ifndef SMC_SHOW_WRITERS_H
#define SMC_SHOW_WRITERS_H

#include <jansson.h>

#include "show/report/report.h"
#include "show/report/report_fields.h"
#include "show/words/layout.h"
#include "show/words/words.h"

/* Those of JSON add their members to `object`. */
#define WRITER(kind, list, parameters, arguments)                                                  \
    SMC_WRITER_DECLARE(void smc_text_##kind(SMC_WRITER_LIST parameters, struct smc_text *out);)    \
    SMC_WRITER_DECLARE(void smc_csv_##kind(SMC_WRITER_LIST parameters, struct smc_text *out);)     \
    void smc_json_##kind(json_t *object, SMC_WRITER_LIST parameters);
#include "show/report/writers.def"

/* --- Text ------------------------------------------------------------------------------------- */

/* The line that names the GPU; nothing where none ran. */
void smc_text_machine_line(const char *host_name, const char *gpu_uuid, struct smc_text *out);

/* The line of a run's device; `driver` may be empty, and `query`, which says whether the device is
   assumed, NULL. */
void smc_text_run_device_line(const struct smc_device *device, const char *driver,
                              const char *runtime, const struct smc_query *query,
                              struct smc_text *out);
enum smc_emphasis smc_verdict_emphasis(enum smc_verdict verdict);

/* The first lines of an answer, for other reports that begin alike. */
void smc_text_kernel_line(const struct smc_answer *answer, struct smc_text *out);
void smc_text_device_line(const struct smc_answer *answer, struct smc_text *out);
void smc_text_block_line(const struct smc_answer *answer, struct smc_text *out);
/* The call that must come before the launch, and whether a cooperative grid fits; nothing
   otherwise. `shown` as for smc_words_opt_in. */
void smc_text_opt_in_line(const struct smc_answer *answer, const char *shown, struct smc_text *out);
void smc_text_cooperative_line(const struct smc_answer *answer, struct smc_text *out);
void smc_text_answer_limits(const struct smc_answer *answer, struct smc_text *out);
void smc_text_advice(const struct smc_answer *answer, struct smc_text *out);
/* For an answer with work, an item on each line: what is loaded, computed, and what bounds it. */
void smc_text_append_work(const struct smc_answer *answer, struct smc_text *items);
void smc_text_explain(const struct smc_answer *answer, struct smc_text *out);
void smc_text_fleet(const struct smc_fleet *fleet, struct smc_text *out);
/* The rows of a run as a table; `all` also with the sources that no row has. */
void smc_text_rows(const struct smc_confirmation *confirmation, bool all, struct smc_text *out);
/* The kernel's lines with the emulator's counts; nothing where there are none. */
void smc_text_annotation(const struct smc_annotation *annotation, struct smc_text *out);
/* A line a ceiling, and where they are from; nothing where they are unknown. */
void smc_text_ceilings(const struct smc_ceilings *ceilings, const struct smc_device *device,
                       struct smc_text *out);
void smc_text_sweep(const struct smc_sweep_result *result, struct smc_text *out);
/* What a proposal cannot know of a kernel. */
void smc_text_best_caveat(struct smc_text *out);
size_t smc_text_inspection(const struct smc_inspect_rows *rows, size_t first, struct smc_text *out);

/* What removes the bank conflicts of a run; nothing where there are none. */
void smc_text_conflict_fix(const struct smc_conflict_fix *fix, const char *file,
                           struct smc_text *out);

/* A table after an empty line: of a kernel of a file, with the variables of its module; of a launch
   of one, with its arrays; of a kernel of the catalog, with its arrays (nothing for an answer about
   numbers alone, or the probe). Nothing where it was not compiled. What is not known is said. */
void smc_text_memory_of_row(const struct smc_inspect_row *row, struct smc_text *out);
void smc_text_memory_of_run(const struct smc_user_run *run, struct smc_text *out);
void smc_text_memory_of_answer(const struct smc_answer *answer, struct smc_text *out);

/* "confirmed: 107 quantities of 7 runs, 0 differ, 49 not measured": the verdict of all, and the
   quantities of each, shown in the table or not. */
void smc_words_series_verdicts(const struct smc_series *series, struct smc_text *out);

/* "2 runs were not started: aat-padded, pad 1; aat-swizzled"; of many runs only their
   number, of none nothing. */
void smc_words_series_not_started(const struct smc_series *series, struct smc_text *out);

/* One line without its end: "31 bank conflicts per warp at k.cu:41, a load with a stride of 128 B:
   pad each row of 32 elements by 1 element; 2 of 8 accesses cannot be followed". "no bank conflicts
   in 8 accesses". Nothing if the kernel does not access shared memory. */
void smc_words_bank_accesses(const struct smc_bank_accesses *accesses, struct smc_text *out);

/* The nearest changes that gain blocks, an item on each line: "a third block needs 28 registers or
   fewer (75 %)". */
void smc_text_gains(const struct smc_answer *answer, struct smc_text *items);

/* Those, and the nearest that lose one; for a launch that fails, what would launch. */
void smc_text_next_steps(const struct smc_answer *answer, struct smc_text *items);

/* The first kernels, style->most_kernels or by default 15, or style->all_kernels; of each the
   configurations that take most of its time, with style->verbose all. */
void smc_trace_table(const struct smc_trace_answer *answer, struct smc_text *out);
void smc_text_trace(const struct smc_trace_answer *answer, struct smc_text *out);
void smc_text_kernels(struct smc_text *out);

/* Of predicted times. */

/* The line of an answer; nothing without a prediction. */
void smc_text_time_line(const struct smc_answer *answer, struct smc_text *out);

/* Why there is no prediction, where it would be missed. */
void smc_text_no_time(const struct smc_answer *answer, struct smc_text *line);

/* What makes the largest term smaller, an item on each line; nothing without a prediction. */
void smc_text_relief(const struct smc_answer *answer, struct smc_text *items);

/* Every term with what was counted for it, from column `indent` on; nothing without a
   prediction. */
void smc_text_explain_time(const struct smc_answer *answer, size_t indent, struct smc_text *out);

/* The object "time", null if it is unknown. With `measured_ms` > 0 also that and the error. */
json_t *smc_json_time(const struct smc_answer *answer, double measured_ms);

/* Of a run. */

/* "matmul-tiled: tile 32, float, 1024 x 1024 x 1024"; nothing for the user's own kernel. */
void smc_words_run_kernel(const struct smc_answer *answer, struct smc_text *out);

/* "NVIDIA H200, CC 9.0, 132 SMs". */
void smc_words_run_device(const struct smc_device *device, struct smc_text *out);

/* "driver for CUDA 13.0, runtime 13.0"; nothing if they are unknown. */
void smc_words_run_driver(const struct smc_run_result *result, struct smc_text *out);

/* "confirmed: 8 confirmed, 0 differ, 1 not measured". */
void smc_words_verdicts(const struct smc_confirmation *confirmation, struct smc_text *out);

/* The sources of a row are columns, in the order of enum smc_row_source, with these headings. */
extern const char *const smc_source_headings[SMC_SOURCE_COUNT]; /* "predicted", ... */
const struct smc_reading *smc_row_reading(const struct smc_row *row, int column);

/* "8192 B", "0.5386 ms", "yes", "warps+registers"; "-" if the source has no value. */
void smc_words_source(const struct smc_row *row, const struct smc_reading *reading,
                      char text[SMC_ROW_WORDS]);

/* Whether any row has a value of the emulator; its column is omitted otherwise. */
bool smc_words_any_emulated(const struct smc_confirmation *confirmation);

/* A table that compares devices: a group of columns for each, in bands of as many devices as the
   width holds. */
struct smc_device_table {
    const void *context;
    size_t devices, rows;
    const struct smc_device *(*device)(const void *context, size_t device);
    const char *row_head;  /* above the rows' labels */
    const char *cell_head; /* above each device's cells */
    /* Each appends to `text`, which is empty. A row whose cells are all empty is omitted. */
    void (*label)(const void *context, size_t row, struct smc_text *text);
    void (*cell)(const void *context, size_t device, size_t row, struct smc_text *text);
};

/* Begins with an empty line. */
void smc_device_table(const struct smc_device_table *table, struct smc_text *out);

/* --- JSON ------------------------------------------------------------------------------------- */

/* Each returns a new reference; after a failed allocation a member is missing, and json.c notices.
 */

/* An integer if it is whole; null if it is infinite or not a number. */
json_t *smc_json_number(double value);

void smc_json_set(json_t *object, const char *key, json_t *value);
void smc_json_integer(json_t *object, const char *key, uint64_t value);
void smc_json_real(json_t *object, const char *key, double value);
void smc_json_string(json_t *object, const char *key, const char *value);
/* null where the text is empty or NULL. */
void smc_json_known_string(json_t *object, const char *key, const char *value);

/* null where the value is 0, which stands for "unknown". */
void smc_json_known_integer(json_t *object, const char *key, uint64_t value);
void smc_json_known_real(json_t *object, const char *key, double value);

/* The names of a set: bit n stands for limit or refusal n. */
json_t *smc_json_limiters(uint32_t limiters);
json_t *smc_json_refusals(uint32_t refusals);

/* A report, with its schema. */
#define SMC_JSON_SCHEMA "smemcalc/1"
json_t *smc_json_begin(void);
/* Prints and releases; `format`: flags of json_dumps. */
enum { SMC_JSON_ON_A_LINE = JSON_COMPACT | JSON_REAL_PRECISION(15) };
void smc_json_append(json_t *json, size_t format, struct smc_text *out);
/* The same of a report as a whole, over several lines. */
void smc_json_finish(json_t *root, struct smc_text *out);

/* The same as JSON Lines: an object a line, for each element of the member `list` (NULL: for the
   report as a whole), with the report's schema. */
void smc_json_finish_lines(json_t *root, const char *list, struct smc_text *out);
/* One such line; releases the item. */
void smc_json_append_line(json_t *item, struct smc_text *out);

/* A new object at the end of the list, which owns it. */
json_t *smc_json_add_object(json_t *list);

/* Adds the list as "answers", or if it has one member, the members of that. */
void smc_json_set_answers(json_t *object, json_t *list);

/* Appends a member of a list of a report that is written in parts, as jansson would, and releases
   it. */
void smc_json_append_item(json_t *item, struct smc_text *out);

json_t *smc_json_device(const struct smc_device *device);

/* null where they are unknown. */
json_t *smc_json_ceilings(const struct smc_ceilings *ceilings);

/* Adds a member for each of the kernel's parameters; without an answer 0 where it chooses. */
void smc_json_params(json_t *object, const struct smc_query *query);

/* Adds the members "device" to "workload" to `object`. */
void smc_json_answer(json_t *object, const struct smc_answer *answer);

/* Only "occupancy", "next_steps" and "waves". */
void smc_json_occupancy(json_t *object, const struct smc_answer *answer);

/* null where the kernel has no work. */
json_t *smc_json_workload(const struct smc_answer *answer);

/* Adds "confirmation", "verdicts" and "run". */
void smc_json_confirmation(json_t *object, const struct smc_run_result *result,
                           const struct smc_confirmation *confirmation);

/* Adds "trace", "summary", "devices", "processes", "modules", "kernels" and "course";
   `most_kernels`: 0: all. */
void smc_json_trace(json_t *object, const struct smc_trace_answer *answer, size_t most_kernels);

/* Where a run was made, from which seed, and the times that were measured. */
json_t *smc_json_run(const struct smc_run_result *result);

/* The verdict on check reports, the nodes to drain, stragglers. */
json_t *smc_json_fleet(const struct smc_fleet *fleet);

/* The first two of these alone. */
void smc_json_rows(json_t *object, const struct smc_confirmation *confirmation);
/* The bank conflicts of a run and what removes them; null where there are none. */
json_t *smc_json_conflicts(const struct smc_conflict_fix *fix);

/* The lines of the source that were executed, hottest first. */
json_t *smc_json_annotation(const struct smc_annotation *annotation);

/* An object with the sums and the list "accesses"; null for NULL. */
json_t *smc_json_bank_accesses(const struct smc_bank_accesses *accesses);

json_t *smc_json_kernels(void);
json_t *smc_json_inspected(const struct smc_inspect_row *row);

void smc_json_sweep_begin(const struct smc_sweep *sweep, struct smc_text *out);
void smc_json_sweep_point(const struct smc_sweep *sweep, uint64_t point,
                          const struct smc_answer *answer, const char *why, struct smc_text *out);
void smc_json_sweep_end(const struct smc_sweep_result *result, struct smc_text *out);
void smc_lines_sweep_point(const struct smc_sweep *sweep, uint64_t point,
                           const struct smc_answer *answer, const char *why, struct smc_text *out);

/* --- CSV -------------------------------------------------------------------------------------- */

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

/* --- OpenMetrics ------------------------------------------------------------------------------ */

/* Which is also the format of Prometheus' text files. */

/* The lines that describe a gauge. `unit` is NULL, or what the name ends in. */
void smc_openmetrics_family(const char *name, const char *unit, const char *help,
                            struct smc_text *out);

/* `{name="value"`, or with a comma if it is not the first label of the sample. */
void smc_openmetrics_label(const char *name, const char *value, bool first, struct smc_text *out);

#endif
