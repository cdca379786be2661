/* The parts that the JSON report is made of. Each returns a new reference; after a failed
   allocation a member is missing, and json.c notices. */
#ifndef SMC_SHOW_JSON_PARTS_H
#define SMC_SHOW_JSON_PARTS_H

#include <jansson.h>

#include "show/report/report.h"

/* An integer if it is whole; null if it is infinite or not a number. */
json_t *smc_json_number(double value);

void smc_json_set(json_t *object, const char *key, json_t *value);
void smc_json_integer(json_t *object, const char *key, uint64_t value);
void smc_json_real(json_t *object, const char *key, double value);
void smc_json_string(json_t *object, const char *key, const char *value);
/* null where the text is empty. */
void smc_json_known_string(json_t *object, const char *key, const char *value);

/* null where the value is 0, which stands for "unknown". */
void smc_json_known_integer(json_t *object, const char *key, uint64_t value);
void smc_json_known_real(json_t *object, const char *key, double value);

/* A report, with its schema. */
#define SMC_JSON_SCHEMA "smemcalc/1"
json_t *smc_json_begin(void);
/* Prints and releases. */
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

/* Add their members to `object`. */
#define WRITER(kind, list, parameters, arguments)                                                  \
    void smc_json_##kind(json_t *object, SMC_WRITER_LIST parameters);
#include "show/report/writers.def"

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

#endif
